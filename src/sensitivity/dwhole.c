/* Derivatives of a start by differences over whole starts: see dstart.c. */
#include "sensitivity/dstart_inside.h"

#include <math.h>
#include <string.h>

/* The start with parameter k at `value`. */
static sn_status start_at(const sn_dstart *s, int k, double value, sn_state *x, sn_err *err)
{
    const sn_context *d = s->d;
    sn_values *p = NULL;
    sn_context own = {.m = NULL};
    sn_info info = {0};
    sn_run_options o = *d->o;
    o.message = NULL, o.frame = NULL, o.progress = NULL;
    sn_status status = sn_values_copy(d->p, &p, err);
    if (!status) {
        p->x[s->c->id[k]] = value, p->fixed[s->c->id[k]] = 1;
        status = sn_values_update_beyond(p, err); /* differences may leave the range of a number */
    }
    if (!status) status = sn_context_open(d->m, p, &o, &info, &own, err);
    if (!status) status = sn_start(&own, err);
    if (!status) sn_state_copy(d->m, own.x, x);
    if (own.m) sn_context_close(&own);
    sn_values_free(p);
    return status;
}

static void add_difference(const sn_model *m, double f, const sn_state *base, const sn_state *x, int k,
                           sn_dstate *out)
{
    size_t np = (size_t)out->columns, c = (size_t)k;
    for (int e = 0; e < m->n_node; e++) {
        const sn_node *node = &m->node[e];
        const double *from = base->q + node->q, *to = x->q + node->q;
        double dq[SN_MAX_CURVED];
        if (node->ground) continue;
        if (node->cls->difference) node->cls->difference(from, to, dq);
        for (int i = 0; i < node->nv; i++)
            out->q[(size_t)(node->v + i) * np + c] += f * (node->cls->difference ? dq[i] : to[i] - from[i]);
    }
    for (int i = 0; i < m->nv; i++) {
        size_t at = (size_t)i * np + c;
        out->v[at] += f * x->v[i], out->a[at] += f * x->a[i];
    }
    for (int i = 0; i < m->m; i++) out->lam[(size_t)i * np + c] += f * x->lam[i];
}

sn_status sn_dstart_whole(sn_dstart *s, sn_dstate *out, sn_err *err)
{
    const sn_model *m = s->d->m;
    sn_state *x = NULL;
    sn_status status = sn_state_new(m, 0, &x, err);
    sn_dstate_clear(m, out);
    for (int k = 0; !status && k < s->np; k++) {
        double was = s->d->p->x[s->c->id[k]], h = 3e-3 * (was != 0 ? fabs(was) : 1);
        for (int j = -3; !status && j <= 3; j++) {
            if (j == 0) continue;
            status = start_at(s, k, was + j * h, x, err);
            if (!status)
                add_difference(m, (j > 0 ? 1 : -1) * sn_stencil[j > 0 ? j - 1 : -j - 1] / h, s->d->x, x, k,
                               out);
        }
    }
    sn_state_free(x);
    return status;
}
