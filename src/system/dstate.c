/* Derivatives of a state: storage. See between.c for those between two states. */
#include "system/dstate.h"

#include <string.h>

sn_status sn_dstate_new(const sn_model *m, int n_own, int columns, sn_dstate **out, sn_err *err)
{
    sn_dstate *d;
    size_t n = (size_t)(m->nv + 1) * (size_t)(columns + 1);
    *out = NULL;
    if (!SN_NEW(d, 1)) return SN_OUT_OF_MEM(err);
    d->columns = columns;
    int good = SN_NEW(d->q, n) && SN_NEW(d->v, n) && SN_NEW(d->a, n) &&
               SN_NEW(d->lam, (size_t)(m->m + 1) * (size_t)(columns + 1)) && SN_NEW(d->own, n_own + 1);
    for (; good && d->n_own < n_own; d->n_own++) good = SN_NEW(d->own[d->n_own], n) != NULL;
    if (!good) {
        sn_dstate_free(d);
        return SN_OUT_OF_MEM(err);
    }
    *out = d;
    return SN_OK;
}

void sn_dstate_free(sn_dstate *d)
{
    if (!d) return;
    for (int k = 0; k < d->n_own; k++) sn_free(d->own[k]);
    sn_free(d->q), sn_free(d->v), sn_free(d->a), sn_free(d->lam), sn_free(d->own);
    sn_free(d);
}

void sn_dstate_clear(const sn_model *m, sn_dstate *d)
{
    size_t n = sizeof(double) * (size_t)(m->nv + 1) * (size_t)d->columns;
    memset(d->q, 0, n), memset(d->v, 0, n), memset(d->a, 0, n);
    for (int k = 0; k < d->n_own; k++) memset(d->own[k], 0, n);
    memset(d->lam, 0, sizeof(double) * (size_t)(m->m + 1) * (size_t)d->columns);
}
