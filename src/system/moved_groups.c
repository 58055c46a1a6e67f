/* Numbers of one element that its kind differentiates together. */
#include "system/parameter_chain.h"

static void *room(sn_parameter_chain *c, int n, size_t size)
{
    return sn_arena_alloc(&c->arena, (size_t)n + 1, size);
}

/* One element's group out of its n moved numbers; g->n is 0 if none is for it. */
static sn_status group(sn_parameter_chain *c, int e, sn_moved_number *list, int n, sn_moved_group *g)
{
    const sn_object *o = &c->m->element.object[e];
    const sn_element_class *cls = o->cls;
    *g = (sn_moved_group){.object = e};
    if (!n || o->host >= 0 || !cls->dtogether) return SN_OK;
    int *index = room(c, n, sizeof *index);
    const sn_chain_direction **d = room(c, n, sizeof *d);
    if (!index || !d) return SN_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        sn_moved_number *t = &list[i];
        t->together = t->d->n && !t->d->rate && (t->index < cls->together || t->index >= o->ns + o->nq);
        if (t->together) index[g->n] = t->index, d[g->n++] = t->d;
    }
    g->index = index, g->d = d;
    return SN_OK;
}

sn_status sn_parameter_chain_group(sn_parameter_chain *c)
{
    const sn_model *m = c->m;
    size_t rows = 0;
    c->n_group = 0, c->group = NULL;
    if (!c->n[SN_MOVED_ELEMENT]) return SN_OK;
    c->group = room(c, m->element.n, sizeof *c->group);
    if (!c->group) return SN_ERR_MEMORY;
    for (int e = 0; e < m->element.n; e++) {
        const int *first = c->first[SN_MOVED_ELEMENT] + e;
        sn_moved_group *g = &c->group[c->n_group];
        SN_TRY(group(c, e, c->list[SN_MOVED_ELEMENT] + first[0], first[1] - first[0], g));
        size_t size = (size_t)g->n * (size_t)m->element.object[e].nv;
        c->n_group += g->n > 0;
        if (size > rows) rows = size;
    }
    c->group_rows = sn_arena_alloc(&c->arena, rows + 1, sizeof *c->group_rows);
    return c->group_rows ? SN_OK : SN_ERR_MEMORY;
}
