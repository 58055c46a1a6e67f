/* Numbers of one element that its kind differentiates together. A parameter that moves several of them is a
   direction of its own; the others share those of single numbers. So what is computed for a parameter does
   not depend on which others there are. */
#include "system/parameter_chain.h"

enum { ALONE = 1, SEVERAL = 2 }; /* how many of the numbers a parameter moves */

/* The moved numbers of an element that are taken */
typedef struct taken {
    const sn_moved_number *number[SN_MAX_TOGETHER];
    int n;
} taken;

static void take(const sn_object *o, sn_moved_number *list, int n, taken *y)
{
    const sn_element_class *cls = o->cls;
    y->n = 0;
    for (int i = 0; i < n; i++) {
        sn_moved_number *t = &list[i];
        t->together = !t->host && !t->d->rate && (t->index < cls->together || t->index >= o->ns + o->nq);
        if (t->together) y->number[y->n++] = t;
    }
}

/* Into c->has: how many numbers each parameter moves; c->found: which do. */
static void count(sn_parameter_chain *c, const taken *y)
{
    c->n_found = 0;
    for (int i = 0; i < y->n; i++)
        for (int j = 0; j < y->number[i]->d->n; j++) {
            int k = y->number[i]->d->which[j];
            if (!c->has[k]) c->found[c->n_found++] = k;
            c->has[k] = c->has[k] ? SEVERAL : ALONE;
        }
}

static void *room(sn_parameter_chain *c, int n, size_t size)
{
    return sn_arena_alloc(&c->arena, (size_t)n + 1, size);
}

/* Parameter k is a direction. */
static sn_status add_parameter(sn_parameter_chain *c, const taken *y, int k, sn_combination *to)
{
    int *index = room(c, y->n, sizeof *index), n = 0, at;
    double *w = room(c, y->n, sizeof *w);
    if (!index || !w) return SN_ERR_MEMORY;
    for (int i = 0; i < y->n; i++)
        if ((at = sn_chain_direction_find(y->number[i]->d, k)) >= 0)
            index[n] = y->number[i]->index, w[n++] = y->number[i]->d->w[at];
    *to = (sn_combination){n, index, w};
    return SN_OK;
}

/* A number is a direction, d: moved by those parameters that move no other; none of them: to->n is 0. */
static sn_status add_number(sn_parameter_chain *c, const sn_moved_number *t, sn_combination *to,
                            sn_chain_direction *d)
{
    int *index = room(c, 1, sizeof *index), *which = room(c, t->d->n, sizeof *which), n = 0;
    double *one = room(c, 1, sizeof *one), *w = room(c, t->d->n, sizeof *w);
    if (!index || !which || !one || !w) return SN_ERR_MEMORY;
    for (int j = 0; j < t->d->n; j++)
        if (c->has[t->d->which[j]] == ALONE) which[n] = t->d->which[j], w[n++] = t->d->w[j];
    *index = t->index, *one = 1;
    *d = (sn_chain_direction){.n = n, .cap = n, .which = which, .w = w};
    *to = (sn_combination){n > 0, index, one};
    return SN_OK;
}

static sn_status fill(sn_parameter_chain *c, const taken *y, sn_moved_group *g)
{
    sn_combination *along = room(c, c->n_found + y->n, sizeof *along);
    sn_chain_direction *d = room(c, y->n, sizeof *d);
    int *parameter = room(c, c->n_found, sizeof *parameter);
    if (!along || !d || !parameter) return SN_ERR_MEMORY;
    for (int i = 0; i < c->n_found; i++) {
        int k = c->found[i];
        if (c->has[k] != SEVERAL) continue;
        parameter[g->n_parameter] = k;
        SN_TRY(add_parameter(c, y, k, &along[g->n_parameter++]));
    }
    g->n = g->n_parameter;
    for (int i = 0; i < y->n; i++) {
        SN_TRY(add_number(c, y->number[i], &along[g->n], &d[g->n - g->n_parameter]));
        g->n += along[g->n].n;
    }
    g->along = along, g->parameter = parameter, g->d = d;
    return SN_OK;
}

/* One element's group, if it has numbers for it: else g->n is 0. */
static sn_status group(sn_parameter_chain *c, int e, sn_moved_group *g)
{
    const sn_object *o = &c->m->element.object[e];
    const int first = c->first[SN_MOVED_ELEMENT][e], n = c->first[SN_MOVED_ELEMENT][e + 1] - first;
    taken y;
    *g = (sn_moved_group){.object = e};
    if (!n || o->host >= 0 || !((const sn_element_class *)o->cls)->dtogether) return SN_OK;
    take(o, c->list[SN_MOVED_ELEMENT] + first, n, &y);
    count(c, &y);
    sn_status status = fill(c, &y, g);
    for (int i = 0; i < c->n_found; i++) c->has[c->found[i]] = 0;
    return status;
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
        sn_moved_group *g = &c->group[c->n_group];
        SN_TRY(group(c, e, g));
        size_t size = (size_t)g->n * (size_t)m->element.object[e].nv;
        c->n_group += g->n > 0;
        if (size > rows) rows = size;
    }
    c->group_rows = sn_arena_alloc(&c->arena, rows + 1, sizeof *c->group_rows);
    return c->group_rows ? SN_OK : SN_ERR_MEMORY;
}
