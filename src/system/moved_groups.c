/* Numbers of one element that its kind differentiates together. */
#include "system/parameter_chain.h"

static void *room(sn_parameter_chain *c, int n, size_t size)
{
    return sn_arena_alloc(&c->arena, (size_t)n + 1, size);
}

/* Place of a number in a row of dtogether, -1: none */
static int place_in_row(const sn_object *o, int index)
{
    const int together = ((const sn_element_class *)o->cls)->together, first = o->ns + o->nq;
    if (index < together) return index;
    return index >= first ? together + index - first : -1;
}

/* The parameters that move some of the numbers that are together, in c->found; how many. */
static int parameters_of(sn_parameter_chain *c, const sn_moved_number *list, int n)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; list[i].together && j < list[i].d->n; j++) {
            int k = list[i].d->which[j];
            if (!c->has[k]) c->has[k] = 1, c->found[found++] = k;
        }
    for (int k = 0; k < found; k++) c->has[c->found[k]] = 0;
    return found;
}

/* One row for each number. */
static void by_numbers(const sn_object *o, const sn_moved_number *list, int n, double *ds,
                       const sn_chain_direction **d)
{
    const int length = ((const sn_element_class *)o->cls)->together + 3;
    for (int i = 0; i < n; i++) {
        if (!list[i].together) continue;
        ds[place_in_row(o, list[i].index)] = 1;
        *d++ = list[i].d, ds += length;
    }
}

/* One row for each parameter of c->found. */
static sn_status by_parameters(sn_parameter_chain *c, const sn_object *o, const sn_moved_number *list, int n,
                               int rows, double *ds, const sn_chain_direction **d)
{
    const int length = ((const sn_element_class *)o->cls)->together + 3;
    for (int k = 0; k < rows; k++, ds += length) {
        sn_chain_direction *one = room(c, 1, sizeof *one);
        if (!one) return SN_ERR_MEMORY;
        *one = (sn_chain_direction){.n = 1, .cap = 1, .which = room(c, 1, sizeof(int))};
        one->w = room(c, 1, sizeof(double));
        if (!one->which || !one->w) return SN_ERR_MEMORY;
        one->which[0] = c->found[k], one->w[0] = 1;
        d[k] = one;
        for (int i = 0; i < n; i++) {
            int j = list[i].together ? sn_chain_direction_find(list[i].d, c->found[k]) : -1;
            if (j >= 0) ds[place_in_row(o, list[i].index)] = list[i].d->w[j];
        }
    }
    return SN_OK;
}

/* One element's group out of its n moved numbers; g->n is 0 if none is for it. */
static sn_status group(sn_parameter_chain *c, int e, sn_moved_number *list, int n, sn_moved_group *g)
{
    const sn_object *o = &c->m->element.object[e];
    const sn_element_class *cls = o->cls;
    int numbers = 0;
    *g = (sn_moved_group){.object = e};
    if (!n || o->host >= 0 || !cls->dtogether) return SN_OK;
    for (int i = 0; i < n; i++) {
        sn_moved_number *t = &list[i];
        t->together = t->d->n && !t->d->rate && place_in_row(o, t->index) >= 0;
        numbers += t->together;
    }
    int parameters = parameters_of(c, list, n);
    g->n = parameters < numbers ? parameters : numbers;
    double *ds = room(c, g->n * (cls->together + 3), sizeof *ds);
    const sn_chain_direction **d = room(c, g->n, sizeof *d);
    if (!ds || !d) return SN_ERR_MEMORY;
    g->ds = ds, g->d = d;
    if (parameters < numbers) return by_parameters(c, o, list, n, parameters, ds, d);
    by_numbers(o, list, n, ds, d);
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
