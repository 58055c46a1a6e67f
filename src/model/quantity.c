/* Quantities: names, parsing of their texts, the order of evaluation, cycles, dimensions. */
#include "model/compile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static sn_status add(sn_compiler *c, const sn_slot *slot, const sn_mark *mark, int *id)
{
    sn_model *m = c->m;
    const sn_mark place = mark ? *mark : (sn_mark){.line = 0}; /* it may lie in the array that grows */
    if (m->n_quantity >= SN_MAX_NUMBERS) {
        sn_fail(c->err, SN_ERR_INPUT, mark, SN_TOO_MANY_NUMBERS, SN_MAX_NUMBERS);
        return SN_ERR_MEMORY; /* nothing after it can be read */
    }
    if (sn_grow(&m->quantity, &m->cap_quantity, m->n_quantity + 1, sizeof *m->quantity))
        return SN_OUT_OF_MEM(c->err);
    *id = m->n_quantity++;
    sn_quantity *q = &m->quantity[*id];
    *q = (sn_quantity){.slot = slot, .mark = place};
    if (slot && slot->unit[0]) {
        double factor;
        q->dim.known = sn_unit_whole(slot->unit, &factor, &q->dim.dim) == SN_OK;
    }
    return SN_OK;
}

sn_status sn_quantity_add(sn_compiler *c, const char *name, const sn_slot *slot, const sn_mark *mark, int *id)
{
    SN_TRY(add(c, slot, mark, id));
    c->m->quantity[*id].name = name;
    return sn_map_put(&c->m->quantity_name, name, *id) ? SN_OUT_OF_MEM(c->err) : SN_OK;
}

sn_status sn_quantity_slot(sn_compiler *c, int section, int owner, const sn_slot *slot, const sn_mark *mark,
                           int *id)
{
    SN_TRY(add(c, slot, mark, id));
    c->m->quantity[*id].section = (signed char)section;
    c->m->quantity[*id].owner = owner;
    return SN_OK;
}

sn_status sn_quantity_later(sn_compiler *c, sn_pending text)
{
    if (sn_grow(&c->pending, &c->cap_pending, c->n_pending + 1, sizeof *c->pending))
        return SN_OUT_OF_MEM(c->err);
    c->pending[c->n_pending++] = text;
    return SN_OK;
}

sn_status sn_quantity_follow(sn_compiler *c, int id, int from)
{
    return sn_expr_between(&c->m->arena, 1, 1, &from, (const double[]){1}, &c->m->quantity[id].expr)
               ? SN_OUT_OF_MEM(c->err)
               : SN_OK;
}

static int available(const sn_model *m, int id)
{
    return id >= 0 && (m->quantity[id].expr || !isnan(m->quantity[id].value));
}

/* ---- names inside expressions ---- */

typedef struct look {
    sn_compiler *c;
    const sn_pending *p;
} look;

static int node_of_argument(sn_compiler *c, const sn_entry *e, int i)
{
    const sn_item *item = i < 0 || i >= sn_arg_count(e) ? NULL : sn_arg_item(e, i);
    return item && item->type == SN_ITEM_SCALAR ? sn_node_named(c, e->scope, item->text) : -1;
}

/* Marks the nodes where a member ends and its inner ones: nodes of meshes and frames tied to nodes have a dot
   in their names. */
static sn_status mark_members(sn_compiler *c)
{
    const sn_model *m = c->m;
    if (!(c->member = sn_arena_alloc(c->items, (size_t)m->n_node + 1, 1))) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < m->n_node; i++) c->member[i] = strchr(m->node[i].name, '.') != NULL;
    for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++) {
        const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][i];
        if (!e->cls || (sn_element_mesh(e->cls) == SN_SHAPE_NONE && !((const sn_element_class *)e->cls)->tie))
            continue;
        for (int k = 0; k < sn_arg_count(e); k++) {
            const int node = node_of_argument(c, e, k);
            if (node >= 0) c->member[node] = 1;
        }
    }
    return SN_OK;
}

/* Which of two nodes a joint sits on where nothing else is said, from 0, for the quantity of its place. The
   ground is everywhere, a node without a rotation can be nowhere else, and a member ends where it ends, which
   a rigid body does not; otherwise the second. */
static int place_of_joint(sn_compiler *c, const sn_entry *e, sn_quantity *place)
{
    const int node[2] = {node_of_argument(c, e, 0), node_of_argument(c, e, 1)};
    int better[3][2] = {{0}};
    if (node[0] < 0 || node[1] < 0) return 1;
    for (int i = 0; i < 2; i++) {
        const sn_node *n = &c->m->node[node[i]];
        better[0][i] = !n->ground;
        better[1][i] = !sn_node_view(n, SN_FRAME);
        better[2][i] = c->member[node[i]];
    }
    for (int k = 0; k < 3; k++)
        if ((place->settled = better[k][0] != better[k][1])) return better[k][1];
    return 1;
}

static int argument_of(sn_compiler *c, const sn_pending *p, char which)
{
    return which == 'j' ? place_of_joint(c, &c->m->entry[p->section][p->entry], &c->m->quantity[p->quantity])
                        : which - '1';
}

/* "@2.x": component of the reference position of the entry's second node, or -1. *told: what is wrong with
   the node itself is reported when the nodes are resolved. */
static int node_reference(sn_compiler *c, const sn_pending *p, const char *name, int *told)
{
    const sn_entry *e = &c->m->entry[p->section][p->entry];
    const sn_args *a = sn_entry_args(p->section, e->cls);
    int i = argument_of(c, p, name[1]), k = name[3] - 'x', n = sn_arg_count(e);
    *told = e->corner ? 0 : n < a->min || n > a->max;
    *told |= e->set_n != 0; /* each of them has its own */
    if (e->corner || e->set_n) return -1;
    if (i < 0 || i >= n || k < 0 || k > 2) return -1;
    int node = sn_node_named(c, e->scope, sn_arg_item(e, i)->text);
    const sn_node_class *cls = node < 0 ? NULL : c->m->node[node].cls;
    *told |= !cls || !cls->dim || (a->dim && a->dim != cls->dim);
    return cls && k < cls->slots[0].n ? c->m->node[node].s + k : -1;
}

static int formula_name(sn_compiler *c, const sn_pending *p, const char *name, int *told)
{
    sn_model *m = c->m;
    const sn_entry *e = &m->entry[p->section][p->entry];
    char full[512];
    *told = e->bad;
    if (name[0] == '@') return node_reference(c, p, name, told);
    int id = sn_slot_find(m, p->section, p->entry, name);
    if (id < 0 && p->section == SN_SEC_ELEMENTS) {
        snprintf(full, sizeof full, "elements.%s.%s", e->name, name);
        id = sn_map_get(&m->quantity_name, full);
    }
    if (available(m, id) || (id >= 0 && !sn_is_property(p->section))) return id;
    const int *property = p->property ? p->property : e->property;
    int group = sn_property_group(name);
    if (group >= 0) name = strchr(name, '.') + 1;
    for (int g = SN_PROPERTIES - 1; g >= 0; g--) {
        int from = group < 0 || g == group ? property[g] : -1;
        if (from < 0) continue;
        *told |= m->entry[SN_SEC_MATERIALS + g][from].bad;
        if (available(m, id = sn_slot_find(m, SN_SEC_MATERIALS + g, from, name))) return id;
    }
    return -1;
}

/* A number that would follow from the entry's shape, if it had one and this one had what it takes. */
static sn_status missing_of_group(sn_compiler *c, const sn_pending *p, const char *name, sn_err *err)
{
    const sn_entry *e = &c->m->entry[p->section][p->entry];
    const char *kind = sn_entry_kind(p->section, e->cls), *own = c->m->quantity[p->quantity].slot->name;
    int g = sn_property_group(name), at = (p->property ? p->property : e->property)[g];
    int id = at < 0 ? -1 : sn_slot_find(c->m, SN_SEC_MATERIALS + g, at, strchr(name, '.') + 1);
    if (id < 0 || !c->m->quantity[id].slot->formula)
        return sn_fail(err, SN_ERR_INPUT, &p->mark, "%s '%s': '%s' is missing: give %s, or a %s that has it",
                       kind, e->name, own, own, sn_property_key[g]);
    return sn_fail(err, SN_ERR_INPUT, &p->mark,
                   "%s '%s': '%s' is missing: give %s, or what the %s needs for it (%s)", kind, e->name, own,
                   own, sn_property_key[g], c->m->quantity[id].slot->formula);
}

/* A default of the table: what it needs and nobody gave is reported, unless the slot has a number for that
 * case. */
static int lookup_formula(sn_compiler *c, const sn_pending *p, const char *name, sn_err *err)
{
    int told, id = formula_name(c, p, name, &told);
    if (id >= 0) return id;
    const sn_quantity *q = &c->m->quantity[p->quantity];
    if (sn_is_property(p->section) && !(q->slot->flags & SN_NEEDED)) return -1; /* simply not available */
    const sn_entry *e = &c->m->entry[p->section][p->entry];
    if (told || !isnan(q->slot->def)) return -1;
    if (name[0] == '@')
        sn_fail(err, SN_ERR_INPUT, &p->mark, "'%s': '%s' has no default here and must be given", e->name,
                q->slot->name);
    else if (sn_property_group(name) >= 0)
        missing_of_group(c, p, name, err);
    else
        sn_fail(
            err, SN_ERR_INPUT, &p->mark,
            "%s '%s': '%s' is missing: give %s, or '%s' (%s = %s) in the entry or by a material or section",
            sn_entry_kind(p->section, e->cls), e->name, q->slot->name, q->slot->name, name, q->slot->name,
            p->text);
    return -1;
}

/* A dotted name as seen from an included file: its prefix goes before the entry's name, behind the section's.
 */
static int scoped_quantity(sn_compiler *c, const sn_scope *scope, const char *name)
{
    for (int i = 0; i < SN_SEC_COUNT; i++) {
        size_t n = strlen(sn_section_name[i]);
        if (strncmp(name, sn_section_name[i], n) != 0 || name[n] != '.') continue;
        const char *full =
            sn_arena_printf(&c->m->arena, "%.*s%s%s", (int)n + 1, name, scope->prefix, name + n + 1);
        return full ? sn_quantity_find(c->m, full) : -1;
    }
    const char *full = sn_scoped(c, scope, name);
    return full ? sn_quantity_find(c->m, full) : -1;
}

static int lookup(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    look *l = ctx;
    sn_model *m = l->c->m;
    const sn_pending *p = l->p;
    if (p->formula) return lookup_formula(l->c, p, name, err);
    if (!strcmp(name, "t")) {
        if (p->varies) return SN_VAR_TIME;
        sn_fail(err, SN_ERR_INPUT, where, "this number cannot vary with time");
        return -1;
    }
    if (strchr(name, '.')) {
        int id = scoped_quantity(l->c, p->scope, name);
        if (id >= 0 && l->c->err->count == 0 && !available(m, id)) {
            sn_fail(err, SN_ERR_INPUT, where, "'%s' is not given", name);
            return -1;
        }
        if (id >= 0) return id;
    }
    int parameter = sn_entry_find(l->c, SN_SEC_PARAMETERS, p->scope, name),
        signal = sn_entry_find(l->c, SN_SEC_SIGNALS, p->scope, name);
    if (parameter >= 0) return m->entry[SN_SEC_PARAMETERS][parameter].first;
    if (signal >= 0 && p->varies) return SN_VAR_SIGNAL + signal;
    if (signal >= 0) {
        sn_fail(err, SN_ERR_INPUT, where, "'%s' is a signal, but this number cannot vary with time", name);
        return -1;
    }
    if (!strcmp(name, "xi")) {
        if (sn_taper_known(l->c, p->section, p->entry)) return m->along;
        sn_fail(err, SN_ERR_INPUT, where,
                "'xi', the place along a beam, is known only in beams, in loads along them, in materials and "
                "in sections");
        return -1;
    }
    const char *near = sn_near_name(l->c, SN_SEC_PARAMETERS, p->scope, name);
    if (!near && p->varies) near = sn_near_name(l->c, SN_SEC_SIGNALS, p->scope, name);
    sn_fail(err, SN_ERR_INPUT, where, "unknown name '%s'%s%s%s", name, near ? " (did you mean '" : "",
            near ? near : "",
            near                ? "'?)"
            : strchr(name, '.') ? ": there is no such number"
                                : ": there is no such parameter");
    return -1;
}

/* A default of the table in which z of planar nodes is 0: "@2.z" becomes a number. */
static sn_status plane_formula(sn_compiler *c, sn_pending *p)
{
    char *text = NULL;
    for (const char *at = strchr(p->text, '@'); at; at = strchr(at + 1, '@')) {
        const sn_entry *e = &c->m->entry[p->section][p->entry];
        if (at[2] != '.' || at[3] != 'z') continue;
        const int node = node_of_argument(c, e, argument_of(c, p, at[1]));
        if (node < 0 || c->m->node[node].cls->dim != 2) continue;
        if (!text && !(text = sn_arena_strndup(c->items, p->text, strlen(p->text))))
            return SN_OUT_OF_MEM(c->err);
        memcpy(text + (at - p->text), "0   ", 4);
    }
    if (text) p->text = text;
    return SN_OK;
}

static sn_status parse_all(sn_compiler *c)
{
    for (int i = 0; i < c->n_pending; i++) {
        sn_pending *p = &c->pending[i];
        look l = {c, p};
        sn_expr *e = NULL;
        if (p->formula) SN_TRY(plane_formula(c, p));
        /* most are plain numbers, whose program is not kept; the others are parsed once more into the model
         */
        sn_status s = sn_expr_parse(c->items, p->text, &p->mark, lookup, &l, &e, c->err);
        if (!s && !sn_expr_is_number(e))
            s = sn_expr_parse(&c->m->arena, p->text, &p->mark, lookup, &l, &e, c->err);
        if (s == SN_ERR_MEMORY) return s;
        sn_quantity *q = &c->m->quantity[p->quantity];
        if (s) {
            q->value = p->formula && q->slot ? q->slot->def : NAN;
            if (p->section >= 0 && !p->formula) c->m->entry[p->section][p->entry].bad = 1;
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

/* The graph of quantities and signals: node id is a quantity, n + i is signal i. Signals depend on all their
 * slots. */
typedef struct graph {
    int n, *degree, *head, *next, *to, edges, cap;
} graph;

static sn_status edge(graph *g, int from, int to)
{
    int cap = g->cap;
    if (sn_grow(&g->next, &cap, g->edges + 1, sizeof *g->next) ||
        sn_grow(&g->to, &g->cap, g->edges + 1, sizeof *g->to))
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

/* Something left over that `at` depends on, or -1. */
static int left_before(const sn_model *m, const graph *g, int at)
{
    if (at >= m->n_quantity) {
        const sn_entry *e = &m->entry[SN_SEC_SIGNALS][at - m->n_quantity];
        for (int k = 0; k < e->n; k++)
            if (g->degree[e->first + k]) return e->first + k;
        return -1;
    }
    const sn_expr *e = m->quantity[at].expr;
    for (int k = 0; e && k < sn_expr_nvar(e); k++) {
        int id = sn_expr_var(e, k);
        if (id == SN_VAR_TIME) continue;
        if (id >= SN_VAR_SIGNAL) id += m->n_quantity - SN_VAR_SIGNAL;
        if (g->degree[id]) return id;
    }
    return -1;
}

/* Walking backwards from anything left over ends in a circle: name its first quantity in the order of the
 * file. */
static sn_status report_cycle(sn_compiler *c, const graph *g)
{
    const sn_model *m = c->m;
    int at = 0, first;
    while (at < g->n && !g->degree[at]) at++;
    for (int steps = 0; steps < g->n; steps++) at = left_before(m, g, at);
    first = at;
    for (int k = left_before(m, g, at); k != at; k = left_before(m, g, k))
        if (k < first) first = k;
    char name[256];
    return sn_fail(c->err, SN_ERR_INPUT, &m->quantity[first].mark, "'%s' depends on itself",
                   sn_quantity_name(m, first, name, sizeof name));
}

/* Kahn's order; whoever is left over is in a cycle or behind one. */
static sn_status sort_graph(sn_compiler *c, graph *g, int *queue)
{
    int n = 0;
    for (int i = 0; i < g->n; i++)
        if (!g->degree[i]) queue[n++] = i;
    for (int k = 0; k < n; k++)
        for (int e = g->head[queue[k]]; e >= 0; e = g->next[e])
            if (--g->degree[g->to[e]] == 0) queue[n++] = g->to[e];
    return n == g->n ? SN_OK : report_cycle(c, g);
}

static sn_status order_all(sn_compiler *c, const int *queue, int n)
{
    sn_model *m = c->m;
    m->order = sn_arena_alloc(&m->arena, (size_t)n + 1, sizeof(int));
    m->varying = sn_arena_alloc(&m->arena, (size_t)n + 1, sizeof(int));
    if (!m->order || !m->varying) return SN_OUT_OF_MEM(c->err);
    for (int k = 0; k < n; k++) {
        char name[256];
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
        if (q->varies && q->slot && !(q->slot->flags & SN_VARIES) && sn_quantity_of(m, i) < 0)
            sn_fail(c->err, SN_ERR_INPUT, &q->mark, "'%s' cannot vary with time",
                    sn_quantity_name(m, i, name, sizeof name));
        if (q->varies)
            m->varying[m->n_varying++] = i;
        else if (q->expr)
            m->order[m->n_order++] = i;
    }
    return SN_OK;
}

/* ---- dimensions ---- */

static int dimensionless(sn_dim d) { return sn_dim_equal(d, (sn_dim){0, 0, 0}); }

static sn_status check_dimension(sn_compiler *c, sn_quantity *q)
{
    sn_dimension x[SN_MAX_VARIABLES], d;
    int n = sn_expr_nvar(q->expr);
    for (int k = 0; k < n; k++) {
        int id = sn_expr_var(q->expr, k);
        if (id == SN_VAR_TIME)
            x[k] = (sn_dimension){0, {0, 0, 0}}; /* formulas in t are written as in a paper: sin(5*t) */
        else
            x[k] = id >= SN_VAR_SIGNAL ? (sn_dimension){0, {0, 0, 0}} : c->m->quantity[id].dim;
    }
    SN_TRY(sn_expr_dimension(q->expr, x, &d, c->err));
    if (!q->slot) {
        q->dim = d;
        if (d.known == 2) q->dim.known = 0;
    } else if (d.known == 1 && q->dim.known && !sn_dim_equal(d.dim, q->dim.dim)) {
        char have[64];
        sn_dim_text(d.dim, have, sizeof have);
        return sn_fail(c->err, SN_ERR_INPUT, &q->mark, "'%s' is in %s, but this is %s%s", q->slot->name,
                       q->slot->unit, dimensionless(d.dim) ? "" : "in ", have);
    }
    return SN_OK;
}

/* All quantities and signals in the order of evaluation, *n of them. */
static sn_status sorted(sn_compiler *c, int **queue, int *n)
{
    graph g = {0};
    *queue = NULL;
    sn_status s = build_graph(c, &g);
    if (!s && !SN_NEW(*queue, g.n + 1)) s = SN_ERR_MEMORY;
    if (s) SN_OUT_OF_MEM(c->err);
    if (!s) s = sort_graph(c, &g, *queue);
    *n = g.n;
    sn_free(g.degree), sn_free(g.head), sn_free(g.next), sn_free(g.to);
    return s;
}

/* xi itself: what depends on it has the value at the middle of a beam, where no piece is meant. */
static sn_status place_along(sn_compiler *c)
{
    sn_model *m = c->m;
    SN_TRY(add(c, NULL, NULL, &m->along));
    m->quantity[m->along].name = "xi";
    m->quantity[m->along].value = 0.5;
    m->quantity[m->along].dim.known = 2; /* as a number written without unit would be */
    return SN_OK;
}

sn_status sn_compile_quantities(sn_compiler *c)
{
    sn_model *m = c->m;
    int *queue, n, all;
    SN_TRY(place_along(c));
    SN_TRY(mark_members(c));
    SN_TRY(parse_all(c));
    all = m->first_piece = m->n_quantity;
    sn_status s = sorted(c, &queue, &n);
    if (!s) s = sn_compile_tapers(c, queue, n);
    if (!s && m->n_quantity > all) {
        sn_free(queue);
        s = sorted(c, &queue, &n);
    }
    if (!s) s = order_all(c, queue, n);
    for (int k = 0; !s && k < n; k++)
        if (queue[k] < all && m->quantity[queue[k]].expr) check_dimension(c, &m->quantity[queue[k]]);
    sn_free(queue);
    /* a wrong unit on a plain number kept its program for the report only */
    for (int i = 0; !s && i < m->n_quantity; i++) {
        sn_quantity *q = &m->quantity[i];
        if (q->expr && sn_expr_is_number(q->expr)) q->value = sn_expr_value(q->expr, NULL), q->expr = NULL;
    }
    return s;
}
