/* Quantities: names, parsing of their texts, the order of evaluation, cycles, dimensions. */
#include "model/compile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

sn_status sn_quantity_add(sn_compiler *c, const char *name, const sn_slot *slot, const sn_mark *mark, int *id)
{
    sn_model *m = c->m;
    if (sn_grow(&m->quantity, &m->cap_quantity, m->n_quantity + 1, sizeof *m->quantity) ||
        sn_map_put(&m->quantity_name, name, m->n_quantity))
        return SN_OUT_OF_MEM(c->err);
    *id = m->n_quantity++;
    sn_quantity *q = &m->quantity[*id];
    *q = (sn_quantity){.name = name, .slot = slot, .unit = slot ? slot->unit : ""};
    if (mark) q->mark = *mark;
    if (slot && slot->unit[0]) {
        double factor;
        q->dim.known = sn_unit_whole(slot->unit, &factor, &q->dim.dim) == SN_OK;
    }
    return SN_OK;
}

sn_status sn_quantity_later(sn_compiler *c, int id, const char *text, const sn_mark *mark, int section, int entry,
                            const sn_scope *scope, int formula, int varies)
{
    if (sn_grow(&c->pending, &c->cap_pending, c->n_pending + 1, sizeof *c->pending)) return SN_OUT_OF_MEM(c->err);
    c->pending[c->n_pending++] = (sn_pending){id, text, *mark, section, entry, scope, formula, varies};
    return SN_OK;
}

static int available(const sn_model *m, int id) { return id >= 0 && (m->quantity[id].expr || !isnan(m->quantity[id].value)); }

/* A dotted name; plain ones are parameters. Where several sections could be meant: elements before joints and so on. */
int sn_quantity_find(const sn_model *m, const char *name)
{
    static const int search[] = {SN_SEC_PARAMETERS, SN_SEC_SENSORS, SN_SEC_ELEMENTS, SN_SEC_JOINTS,
                                 SN_SEC_NODES,      SN_SEC_SIGNALS, SN_SEC_MATERIALS, SN_SEC_SECTIONS};
    char full[512];
    int id = sn_map_get(&m->quantity_name, name);
    for (size_t i = 0; i < sizeof search / sizeof *search && id < 0; i++) {
        snprintf(full, sizeof full, "%s.%s", sn_section_name[search[i]], name);
        id = sn_map_get(&m->quantity_name, full);
    }
    if (id >= 0) return id;
    /* bar1.E that comes from bar1's material or section */
    const char *tail = strncmp(name, "elements.", 9) ? name : name + 9, *dot = strchr(tail, '.');
    if (!dot || (size_t)(dot - tail) >= sizeof full) return -1;
    memcpy(full, tail, (size_t)(dot - tail));
    full[dot - tail] = 0;
    int e = sn_map_get(&m->name[SN_SEC_ELEMENTS], full);
    if (e < 0) return -1;
    const int from[2] = {m->entry[SN_SEC_ELEMENTS][e].material, m->entry[SN_SEC_ELEMENTS][e].section};
    for (int i = 0; i < 2 && id < 0; i++) {
        if (from[i] < 0) continue;
        int s = i ? SN_SEC_SECTIONS : SN_SEC_MATERIALS;
        snprintf(full, sizeof full, "%s.%s%s", sn_section_name[s], m->entry[s][from[i]].name, dot);
        id = sn_map_get(&m->quantity_name, full);
    }
    return id;
}

/* ---- names inside expressions ---- */

typedef struct look {
    sn_compiler *c;
    const sn_pending *p;
} look;

/* "@2.x": component of the reference position of the entry's second node. */
static int node_reference(sn_compiler *c, const sn_pending *p, const char *name)
{
    const sn_entry *e = &c->m->entry[p->section][p->entry];
    int i = name[1] - '1', k = name[3] - 'x';
    if (i < 0 || i >= sn_arg_count(e) || k < 0 || k > 2) return -1;
    const char *word = sn_arg_item(e, i)->text;
    int node = word ? sn_entry_find(c, SN_SEC_NODES, e->scope, word) : -1;
    if (node < 0 && word && !strcmp(word, "ground")) node = sn_map_get(&c->m->name[SN_SEC_NODES], "ground");
    if (node >= 0) {
        const sn_entry *ne = &c->m->entry[SN_SEC_NODES][node];
        return ne->cls && k < ne->slots[0].n ? ne->first + k : -1;
    }
    int mesh = word ? sn_node_named(c, e->scope, word) : -1;
    return mesh >= 0 ? c->m->node[mesh].s + k : -1;
}

static int formula_name(sn_compiler *c, const sn_pending *p, const char *name)
{
    sn_model *m = c->m;
    const sn_entry *e = &m->entry[p->section][p->entry];
    char full[512];
    if (name[0] == '@') return node_reference(c, p, name);
    snprintf(full, sizeof full, "%s.%s.%s", sn_section_name[p->section], e->name, name);
    int id = sn_map_get(&m->quantity_name, full);
    if (available(m, id) || (id >= 0 && p->section != SN_SEC_MATERIALS && p->section != SN_SEC_SECTIONS)) return id;
    const int from[2] = {e->section, e->material};
    for (int i = 0; i < 2; i++) {
        if (from[i] < 0) continue;
        int s = i ? SN_SEC_MATERIALS : SN_SEC_SECTIONS;
        snprintf(full, sizeof full, "%s.%s.%s", sn_section_name[s], m->entry[s][from[i]].name, name);
        id = sn_map_get(&m->quantity_name, full);
        if (available(m, id)) return id;
    }
    return -1;
}

static const char *entry_name(int i, const void *ctx) { return ((const sn_entry *)ctx)[i].name; }

static int lookup(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    look *l = ctx;
    sn_model *m = l->c->m;
    const sn_pending *p = l->p;
    int id = -1;
    if (p->formula) {
        id = formula_name(l->c, p, name);
        if (id >= 0) return id;
        if (p->section == SN_SEC_MATERIALS || p->section == SN_SEC_SECTIONS) return -1; /* simply not available */
        const sn_quantity *q = &m->quantity[p->quantity];
        const sn_entry *e = &m->entry[p->section][p->entry];
        if (name[0] == '@') {
            if (l->c->err->count == 0)
                sn_fail(err, SN_ERR_INPUT, &p->mark, "'%s': '%s' has no default here and must be given", e->name, q->slot->name);
            return -1;
        }
        sn_fail(err, SN_ERR_INPUT, &p->mark, "%s '%s': '%s' is missing: give %s, or '%s' (%s = %s) in the entry or by a material or section",
                sn_entry_kind(p->section, e->cls), e->name, q->slot->name, q->slot->name, name, q->slot->name, p->text);
        return -1;
    }
    const char *full = sn_scoped(l->c, p->scope, name);
    if (!full) return -1;
    if (!strcmp(name, "t")) {
        if (p->varies) return SN_VAR_TIME;
        sn_fail(err, SN_ERR_INPUT, where, "this number cannot vary with time");
        return -1;
    }
    id = strchr(name, '.') ? sn_quantity_find(m, full) : sn_map_get(&m->name[SN_SEC_PARAMETERS], full);
    if (id >= 0) return strchr(name, '.') ? id : m->entry[SN_SEC_PARAMETERS][id].first;
    int signal = sn_map_get(&m->name[SN_SEC_SIGNALS], full);
    if (signal >= 0 && p->varies) return SN_VAR_SIGNAL + signal;
    if (signal >= 0) {
        sn_fail(err, SN_ERR_INPUT, where, "'%s' is a signal, but this number cannot vary with time", name);
        return -1;
    }
    const char *near = sn_nearest(full, m->n_entry[SN_SEC_PARAMETERS], entry_name, m->entry[SN_SEC_PARAMETERS]);
    if (!near && p->varies) near = sn_nearest(full, m->n_entry[SN_SEC_SIGNALS], entry_name, m->entry[SN_SEC_SIGNALS]);
    sn_fail(err, SN_ERR_INPUT, where, "unknown name '%s'%s%s%s", name, near ? " (did you mean '" : "", near ? near : "",
            near ? "'?)" : ": there is no such parameter");
    return -1;
}

static sn_status parse_all(sn_compiler *c)
{
    for (int i = 0; i < c->n_pending; i++) {
        const sn_pending *p = &c->pending[i];
        look l = {c, p};
        sn_expr *e = NULL;
        sn_status s = sn_expr_parse(&c->m->arena, p->text, &p->mark, lookup, &l, &e, c->err);
        if (s == SN_ERR_MEMORY) return s;
        sn_quantity *q = &c->m->quantity[p->quantity];
        if (s) {
            q->value = NAN;
            continue;
        }
        q->text = p->text;
        if (sn_expr_nvar(e) > SN_EXPR_VARS) {
            sn_fail(c->err, SN_ERR_INPUT, &p->mark, "an expression may have at most %d different names", SN_EXPR_VARS);
            continue;
        }
        if (sn_expr_is_number(e)) {
            q->value = sn_expr_value(e, NULL);
            sn_dimension d;
            if (!sn_expr_dimension(e, NULL, &d, c->err) && d.known == 1) {
                if (!q->slot)
                    q->dim = d;
                else if (q->dim.known && !sn_dim_equal(d.dim, q->dim.dim))
                    q->expr = e; /* reported with the others */
            }
        } else {
            q->expr = e;
        }
    }
    return SN_OK;
}

/* ---- order ---- */

/* The graph of quantities and signals: node id is a quantity, n + i is signal i. Signals depend on all their slots. */
typedef struct graph {
    int n, *degree, *head, *next, *to, edges, cap;
} graph;

static sn_status edge(graph *g, int from, int to)
{
    int cap = g->cap;
    if (sn_grow(&g->next, &cap, g->edges + 1, sizeof *g->next) || sn_grow(&g->to, &g->cap, g->edges + 1, sizeof *g->to))
        return SN_ERR_MEMORY;
    g->to[g->edges] = to;
    g->next[g->edges] = g->head[from];
    g->head[from] = g->edges++;
    g->degree[to]++;
    return SN_OK;
}

static sn_status build_graph(sn_compiler *c, graph *g)
{
    sn_model *m = c->m;
    g->n = m->n_quantity + m->n_entry[SN_SEC_SIGNALS];
    if (!SN_NEW(g->degree, g->n + 1) || !SN_NEW(g->head, g->n + 1)) return SN_ERR_MEMORY;
    for (int i = 0; i < g->n; i++) g->head[i] = -1;
    for (int i = 0; i < m->n_quantity; i++)
        for (int k = 0; m->quantity[i].expr && k < sn_expr_nvar(m->quantity[i].expr); k++) {
            int id = sn_expr_var(m->quantity[i].expr, k);
            if (id == SN_VAR_TIME) continue;
            if (id >= SN_VAR_SIGNAL) id += m->n_quantity - SN_VAR_SIGNAL;
            SN_TRY(edge(g, id, i));
        }
    for (int s = 0; s < m->n_entry[SN_SEC_SIGNALS]; s++) {
        const sn_entry *e = &m->entry[SN_SEC_SIGNALS][s];
        for (int k = 0; k < e->n; k++) SN_TRY(edge(g, e->first + k, m->n_quantity + s));
    }
    return SN_OK;
}

/* Kahn's order; whoever is left over is in a cycle or behind one. */
static sn_status sort_graph(sn_compiler *c, graph *g, int *queue)
{
    sn_model *m = c->m;
    int n = 0;
    for (int i = 0; i < g->n; i++)
        if (!g->degree[i]) queue[n++] = i;
    for (int k = 0; k < n; k++)
        for (int e = g->head[queue[k]]; e >= 0; e = g->next[e])
            if (--g->degree[g->to[e]] == 0) queue[n++] = g->to[e];
    if (n == g->n) return SN_OK;
    for (int i = 0; i < m->n_quantity; i++) {
        if (!g->degree[i]) continue;
        /* walk backwards inside the rest until a quantity comes up again */
        int at = i;
        for (int steps = 0; steps <= m->n_quantity; steps++) {
            int before = -1;
            for (int k = 0; at < m->n_quantity && k < sn_expr_nvar(m->quantity[at].expr) && before < 0; k++) {
                int id = sn_expr_var(m->quantity[at].expr, k);
                if (id < SN_VAR_SIGNAL && g->degree[id]) before = id;
            }
            if (before < 0) break;
            at = before;
            if (at == i) break;
        }
        if (at == i)
            return sn_fail(c->err, SN_ERR_INPUT, &m->quantity[i].mark, "'%s' depends on itself (%s)", m->quantity[i].name,
                           m->quantity[i].text ? m->quantity[i].text : "");
    }
    return sn_fail(c->err, SN_ERR_INPUT, NULL, "expressions and signals depend on each other in a circle");
}

static sn_status order_all(sn_compiler *c, const int *queue, int n)
{
    sn_model *m = c->m;
    m->order = sn_arena_alloc(&m->arena, (size_t)n + 1, sizeof(int));
    m->varying = sn_arena_alloc(&m->arena, (size_t)n + 1, sizeof(int));
    if (!m->order || !m->varying) return SN_OUT_OF_MEM(c->err);
    for (int k = 0; k < n; k++) {
        int i = queue[k];
        if (i >= m->n_quantity) {
            m->varying[m->n_varying++] = SN_VAR_SIGNAL + i - m->n_quantity;
            continue;
        }
        sn_quantity *q = &m->quantity[i];
        for (int v = 0; q->expr && v < sn_expr_nvar(q->expr); v++) {
            int id = sn_expr_var(q->expr, v);
            q->varies |= id >= SN_VAR_SIGNAL || m->quantity[id].varies;
        }
        if (q->varies && q->slot && !(q->slot->flags & SN_VARIES))
            sn_fail(c->err, SN_ERR_INPUT, &q->mark, "'%s' cannot vary with time", q->name);
        if (q->varies)
            m->varying[m->n_varying++] = i;
        else if (q->expr)
            m->order[m->n_order++] = i;
    }
    return SN_OK;
}

/* ---- dimensions ---- */

static sn_status check_dimension(sn_compiler *c, sn_quantity *q)
{
    sn_dimension x[SN_EXPR_VARS], d;
    int n = sn_expr_nvar(q->expr);
    for (int k = 0; k < n; k++) {
        int id = sn_expr_var(q->expr, k);
        if (id == SN_VAR_TIME)
            x[k] = (sn_dimension){1, {0, 0, 1}};
        else
            x[k] = id >= SN_VAR_SIGNAL ? (sn_dimension){0, {0, 0, 0}} : c->m->quantity[id].dim;
    }
    SN_TRY(sn_expr_dimension(q->expr, x, &d, c->err));
    if (!q->slot) {
        q->dim = d;
        if (d.known == 2) q->dim.known = 0;
    } else if (d.known == 1 && q->dim.known && !sn_dim_equal(d.dim, q->dim.dim)) {
        char have[64], want[64];
        sn_dim_text(d.dim, have, sizeof have);
        sn_dim_text(q->dim.dim, want, sizeof want);
        return sn_fail(c->err, SN_ERR_INPUT, &q->mark, "'%s' is in %s (%s), but this is %s", q->slot->name, q->slot->unit, want, have);
    }
    return SN_OK;
}

sn_status sn_compile_quantities(sn_compiler *c)
{
    SN_TRY(parse_all(c));
    graph g = {0};
    int *queue = NULL;
    sn_status s = build_graph(c, &g);
    if (!s && !SN_NEW(queue, g.n + 1)) s = SN_ERR_MEMORY;
    if (s) SN_OUT_OF_MEM(c->err);
    if (!s) s = sort_graph(c, &g, queue);
    if (!s) s = order_all(c, queue, g.n);
    for (int k = 0; !s && k < g.n; k++)
        if (queue[k] < c->m->n_quantity && c->m->quantity[queue[k]].expr) check_dimension(c, &c->m->quantity[queue[k]]);
    sn_free(g.degree), sn_free(g.head), sn_free(g.next), sn_free(g.to), sn_free(queue);
    /* a wrong unit on a plain number kept its program for the report only */
    for (int i = 0; !s && i < c->m->n_quantity; i++) {
        sn_quantity *q = &c->m->quantity[i];
        if (q->expr && sn_expr_is_number(q->expr)) q->value = sn_expr_value(q->expr, NULL), q->expr = NULL;
    }
    return s;
}
