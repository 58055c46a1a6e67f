/* Where the load of a history may be: `at` of its declaration, nodes by name or an element, which means all
   its nodes, those of its mesh included, from its first end to its last. The load is the element that the
   history is a number of, or the one whose numbers depend on the signal; where these are several, `load`
   names it. The study is read once for each of the nodes, with the load there (history.c). */
#include "identify/history.h"
#include "model/compile.h"

#include <string.h>

enum { MOST_PLACES = 1000, DEEPEST = 64 };

/* Does a number depend on a signal, perhaps by way of others? */
static int depends(const sn_model *m, int id, int signal, int deep)
{
    const sn_expr *e = m->quantity[id].expr;
    if (!e || !m->quantity[id].varies || deep > DEEPEST) return 0;
    for (int k = 0; k < sn_expr_nvar(e); k++) {
        int x = sn_expr_var(e, k);
        if (x < SN_VAR_SIGNAL) {
            if (x >= 0 && x < m->n_quantity && depends(m, x, signal, deep + 1)) return 1;
            continue;
        }
        if (x - SN_VAR_SIGNAL == signal) return 1;
        if (x - SN_VAR_SIGNAL >= m->n_entry[SN_SEC_SIGNALS]) continue;
        const sn_entry *other = &m->entry[SN_SEC_SIGNALS][x - SN_VAR_SIGNAL];
        for (int i = 0; i < other->n; i++)
            if (depends(m, other->first + i, signal, deep + 1)) return 1;
    }
    return 0;
}

static int uses(const sn_model *m, const sn_entry *e, int signal)
{
    for (int i = 0; i < e->n; i++)
        if (depends(m, e->first + i, signal, 0)) return 1;
    return 0;
}

/* The element whose place is sought, by number. */
static sn_status find_load(const sn_model *m, const sn_history *h, int *load, sn_err *err)
{
    int signal = h->in.entry ? -1 : sn_map_get(&m->name[SN_SEC_SIGNALS], h->signal), count = 0;
    char all[300] = "";
    if (h->in.entry) {
        if (strcmp(h->in.section, "elements") != 0)
            return sn_fail(err, SN_ERR_INPUT, &h->at->key_mark, "'%s' is a joint: only loads have a place",
                           h->in.entry);
        *load = sn_map_get(&m->name[SN_SEC_ELEMENTS], h->in.entry);
        if (h->load && strcmp(h->load->text, h->in.entry) != 0)
            return sn_fail(err, SN_ERR_INPUT, &h->load->mark, "'%s' is a number of '%s', not of '%s'",
                           h->name, h->in.entry, h->load->text);
        return SN_OK;
    }
    for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++) {
        const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][i];
        if (!uses(m, e, signal)) continue;
        if (h->load && !strcmp(h->load->text, e->name)) {
            *load = i;
            return SN_OK;
        }
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", count ? ", " : "", e->name);
        *load = i, count++;
    }
    if (h->load)
        return sn_fail(err, SN_ERR_INPUT, &h->load->mark, "'%s' is no element that depends on '%s'%s%s",
                       h->load->text, h->name, count ? ": these are " : "", all);
    if (count == 1) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, &h->at->key_mark,
                   count
                       ? "several elements depend on '%s', %s: 'load: NAME' says which one's place is sought"
                       : "no element depends on '%s'%s: there is no place to be sought",
                   h->name, all);
}

static const char *node_name(int i, const void *ctx) { return ((const sn_model *)ctx)->node[i].name; }

static sn_status add_node(sn_study *s, const sn_model *m, int node, const sn_item *item, sn_err *err)
{
    sn_places *p = s->places;
    const sn_node *n = &m->node[node];
    const char *prefix =
        m->entry[SN_SEC_ELEMENTS][sn_map_get(&m->name[SN_SEC_ELEMENTS], p->load)].scope->prefix;
    for (int i = 0; i < p->n; i++)
        if (!strcmp(p->node[i], n->name)) return SN_OK;
    if (strncmp(n->name, prefix, strlen(prefix)) != 0)
        return sn_fail(err, SN_ERR_INPUT, &item->mark,
                       "'%s' stands in an included file, whose names begin with '%s': it cannot be at '%s'",
                       p->load, prefix, n->name);
    if (p->n == MOST_PLACES)
        return sn_fail(err, SN_ERR_INPUT, &item->mark, "more than %d places are refused", MOST_PLACES);
    p->node[p->n++] = sn_arena_strndup(&s->arena, n->name, strlen(n->name));
    return p->node[p->n - 1] ? SN_OK : SN_OUT_OF_MEM(err);
}

/* A node, or all nodes of an element but the ground. */
static sn_status add_places(sn_study *s, const sn_model *m, const sn_item *item, sn_err *err)
{
    if (item->type != SN_ITEM_SCALAR || !item->text[0])
        return sn_fail(err, SN_ERR_INPUT, &item->mark,
                       "a place is the name of a node, or of an element, for all its nodes");
    if (!strcmp(item->text, "ground"))
        return sn_fail(err, SN_ERR_INPUT, &item->mark,
                       "a load on the ground moves nothing: it can be no place");
    for (int i = 0; i < m->n_node; i++)
        if (!strcmp(m->node[i].name, item->text)) return add_node(s, m, i, item, err);
    int element = sn_map_get(&m->name[SN_SEC_ELEMENTS], item->text);
    if (element < 0) {
        const char *near = sn_nearest(item->text, m->n_node, node_name, m);
        return sn_fail(err, SN_ERR_INPUT, &item->mark, "there is no node and no element '%s'%s%s%s",
                       item->text, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    }
    const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][element];
    for (int k = 0; k < e->pieces; k++) {
        const sn_object *o = &m->element.object[e->object + k];
        for (int i = 0; i < o->nn; i++)
            if (!m->node[o->node[i]].ground) SN_TRY(add_node(s, m, o->node[i], item, err));
    }
    return SN_OK;
}

static sn_status read_places(sn_study *s, const sn_model *m, const sn_history *h, sn_err *err)
{
    int load = -1;
    if (h->form == SN_FORM_SERIES && (h->series.most < 0 || h->series.automatic))
        return sn_fail(
            err, SN_ERR_INPUT, &h->at->key_mark,
            "a place is sought with histories of a known size: 'cubic', 'linear', or a series whose "
            "terms are given");
    sn_places *p = s->places = sn_arena_alloc(&s->arena, 1, sizeof *p);
    if (!p) return SN_OUT_OF_MEM(err);
    SN_TRY(find_load(m, h, &load, err));
    const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][load];
    const sn_object *o = &m->element.object[e->object];
    if (e->pieces != 1 || o->host >= 0 || o->nn != 1)
        return sn_fail(err, SN_ERR_INPUT, &h->at->key_mark,
                       "'%s' is not a load at one node: its place cannot be sought", e->name);
    *p = (sn_places){.history = (int)(h - s->history),
                     .load = sn_arena_strndup(&s->arena, e->name, strlen(e->name)),
                     .prefix = strlen(e->scope->prefix),
                     .node = sn_arena_alloc(&s->arena, MOST_PLACES, sizeof *p->node),
                     .mark = h->at->mark};
    if (!p->load || !p->node) return SN_OUT_OF_MEM(err);
    const sn_item *i = h->at->type == SN_ITEM_LIST ? h->at->child : h->at;
    for (; i; i = h->at->type == SN_ITEM_LIST ? i->next : NULL) SN_TRY(add_places(s, m, i, err));
    return p->n ? SN_OK : sn_fail(err, SN_ERR_INPUT, &h->at->mark, "'at' names no node");
}

sn_status sn_history_places(sn_study *s, const sn_model *plain, sn_err *err)
{
    for (int k = 0; k < s->n_history; k++) {
        const sn_history *h = &s->history[k];
        if (h->load && !h->at)
            return sn_fail(err, SN_ERR_INPUT, &h->load->key_mark,
                           "'load' says whose place is sought: 'at' with the places is missing");
        if (!h->at) continue;
        if (s->places)
            return sn_fail(err, SN_ERR_INPUT, &h->at->key_mark,
                           "the place of one load at a time can be sought: '%s' has 'at' already",
                           s->history[s->places->history].name);
        SN_TRY(read_places(s, plain, h, err));
    }
    return SN_OK;
}
