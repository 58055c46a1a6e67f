/* States: memory, copies, packed rows; retraction and its inverse, node by node. */
#include "system/system.h"

#include <string.h>

sn_status sn_state_new(const sn_model *m, int n_own, sn_state **out, sn_err *err)
{
    sn_state *x;
    *out = NULL;
    if (!SN_NEW(x, 1)) return SN_OUT_OF_MEM(err);
    int good = SN_NEW(x->q, m->nq + 1) && SN_NEW(x->v, m->nv + 1) && SN_NEW(x->a, m->nv + 1) &&
               SN_NEW(x->lam, m->m + 1) && SN_NEW(x->own, n_own + 1) && SN_NEW(x->turned, m->n_turning + 1);
    for (; good && x->n_own < n_own; x->n_own++) good = SN_NEW(x->own[x->n_own], m->nv + 1) != NULL;
    if (!good) {
        sn_state_free(x);
        return SN_OUT_OF_MEM(err);
    }
    *out = x;
    return SN_OK;
}

void sn_state_free(sn_state *x)
{
    if (!x) return;
    for (int k = 0; k < x->n_own; k++) sn_free(x->own[k]);
    sn_free(x->q), sn_free(x->v), sn_free(x->a), sn_free(x->lam), sn_free(x->own);
    sn_free(x->turned);
    sn_free(x);
}

static void copy(double *to, const double *from, int n) { memcpy(to, from, sizeof(double) * (size_t)n); }

void sn_state_copy(const sn_model *m, const sn_state *from, sn_state *to)
{
    to->t = from->t, to->h = from->h;
    copy(to->q, from->q, m->nq);
    copy(to->v, from->v, m->nv);
    copy(to->a, from->a, m->nv);
    copy(to->lam, from->lam, m->m);
    copy(to->turned, from->turned, m->n_turning);
    for (int k = 0; k < from->n_own && k < to->n_own; k++) copy(to->own[k], from->own[k], m->nv);
}

size_t sn_state_size(const sn_model *m, int n_own)
{
    return (size_t)(m->nq + (2 + n_own) * m->nv + m->m + m->n_turning);
}

void sn_state_pack(const sn_model *m, const sn_state *x, double *row)
{
    copy(row, x->q, m->nq), row += m->nq;
    copy(row, x->v, m->nv), row += m->nv;
    copy(row, x->a, m->nv), row += m->nv;
    for (int k = 0; k < x->n_own; k++, row += m->nv) copy(row, x->own[k], m->nv);
    copy(row, x->lam, m->m), row += m->m;
    copy(row, x->turned, m->n_turning);
}

void sn_state_unpack(const sn_model *m, const double *row, sn_state *x)
{
    copy(x->q, row, m->nq), row += m->nq;
    copy(x->v, row, m->nv), row += m->nv;
    copy(x->a, row, m->nv), row += m->nv;
    for (int k = 0; k < x->n_own; k++, row += m->nv) copy(x->own[k], row, m->nv);
    copy(x->lam, row, m->m), row += m->m;
    copy(x->turned, row, m->n_turning);
}

void sn_system_difference(const sn_model *m, const double *q, const double *q1, double *d)
{
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        if (n->ground) continue;
        if (n->cls->difference)
            n->cls->difference(q + n->q, q1 + n->q, d + n->v);
        else
            for (int k = 0; k < n->nv; k++) d[n->v + k] = q1[n->q + k] - q[n->q + k];
    }
}

void sn_system_retract(const sn_model *m, const double *q, const double *d, double *q1)
{
    if (m->flat) {
        for (int i = 0; i < m->nv; i++) q1[i] = q[i] + d[i];
        return;
    }
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        if (n->ground) continue;
        if (n->cls->retract)
            n->cls->retract(q + n->q, d + n->v, q1 + n->q);
        else
            for (int k = 0; k < n->nv; k++) q1[n->q + k] = q[n->q + k] + d[n->v + k];
    }
}

void sn_system_tangent_maps(sn_work *w, const double *d)
{
    const sn_model *m = w->m;
    if (m->flat) return;
    for (int i = 0; i < m->n_node; i++)
        if (w->T_at[i] >= 0) m->node[i].cls->tangent(d + m->node[i].v, w->E + w->T_at[i], w->T + w->T_at[i]);
}
