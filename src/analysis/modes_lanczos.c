/* The lowest modes of large models: shift-invert Lanczos (ARPACK) with the factors of the constrained matrix
   [K - s M, B'; B, 0], whose solutions satisfy B x = 0 by themselves. */
#include "analysis/modes.h"

#include <arpack/arpack.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

typedef struct lanczos {
    double *resid, *V, *workd, *workl, *d;
    a_int *select;
    int n, want, ncv, lworkl;
    a_int iparam[11], ipntr[14];
} lanczos;

static void lanczos_free(lanczos *l)
{
    sn_free(l->resid), sn_free(l->V), sn_free(l->workd), sn_free(l->workl), sn_free(l->d), sn_free(l->select);
}

/* z <- (K - s M)^-1 z under the equations */
static sn_status invert(const sn_context *d)
{
    memset(d->z + d->m->nv, 0, sizeof(double) * (size_t)d->m->m);
    return sn_linsol_solve(d->ls, 0, 1, d->z);
}

/* Of 1/(w2 - s), relative: refinement does the rest, and factors of a matrix that is nearly all rounding give
   no more. */
#define TOLERANCE 1e-10

static sn_status iterate(sn_pencil *p, lanczos *l, sn_err *err)
{
    sn_context *d = p->d;
    size_t bytes = sizeof(double) * (size_t)l->n;
    a_int ido = 0, info = 1;
    /* a start vector that is the same each time and obeys the equations: one solve of a fixed one */
    for (int i = 0; i < l->n; i++) d->z[i] = sin(1.0 + 1.7 * i);
    SN_TRY(invert(d));
    memcpy(l->resid, d->z, bytes);
    for (;;) {
        dsaupd_c(&ido, "G", l->n, "LM", l->want, TOLERANCE, l->resid, l->ncv, l->V, l->n, l->iparam, l->ipntr,
                 l->workd, l->workl, l->lworkl, &info);
        if (ido != -1 && ido != 1 && ido != 2) break;
        const double *x = l->workd + l->ipntr[0] - 1;
        double *y = l->workd + l->ipntr[1] - 1;
        if (ido == 2) {
            sn_pencil_mass(p, x, y);
            continue;
        }
        if (ido == -1)
            sn_pencil_mass(p, x, d->z);
        else
            memcpy(d->z, l->workd + l->ipntr[2] - 1, bytes);
        SN_TRY(invert(d));
        memcpy(y, d->z, bytes);
    }
    return info < 0 ? sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: ARPACK failed with code %d", (int)info)
                    : SN_OK;
}

static sn_status vectors(sn_pencil *p, lanczos *l, sn_spectrum *s, sn_err *err)
{
    a_int info = 0;
    if (l->iparam[4] < l->want) return SN_OK;
    dseupd_c(1, "A", l->select, l->d, l->V, l->n, p->shift, "G", l->n, "LM", l->want, TOLERANCE, l->resid,
             l->ncv, l->V, l->n, l->iparam, l->ipntr, l->workd, l->workl, l->lworkl, &info);
    if (info != 0)
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: ARPACK's vectors failed with code %d", (int)info);
    s->n = l->want;
    for (int k = 0; k < s->n; k++) {
        s->w2[k] = l->d[k];
        /* what a relative error of 1/(w2 - s) makes */
        s->error[k] = TOLERANCE * (fabs(l->d[k]) + fabs(p->shift));
        memcpy(s->shape + (size_t)k * (size_t)l->n, l->V + (size_t)k * (size_t)l->n,
               sizeof(double) * (size_t)l->n);
    }
    return SN_OK;
}

/* ARPACK keeps the state of an iteration between its calls in variables of its own: one iteration at a time
   in a process. Linear solvers are entered meanwhile; nobody waits for this lock with one of them in hand. */
static pthread_mutex_t arpack_lock = PTHREAD_MUTEX_INITIALIZER;

void sn_arpack_lock(void) { pthread_mutex_lock(&arpack_lock); }
void sn_arpack_unlock(void) { pthread_mutex_unlock(&arpack_lock); }

static sn_status solve(sn_pencil *p, lanczos *l, sn_spectrum *s, sn_err *err)
{
    sn_arpack_lock();
    sn_status status = iterate(p, l, err);
    if (!status) status = vectors(p, l, s, err);
    sn_arpack_unlock();
    return status;
}

/* Vectors that ARPACK can count the room of, about their square, by int. */
enum { VECTORS_MOST = 46000 };

sn_status sn_modes_lanczos(sn_pencil *p, int want, int most, sn_spectrum *s, int *converged, sn_err *err)
{
    int n = p->d->m->nv, ncv = want < most / 2 - 10 ? 2 * want + 20 : most;
    if (ncv > VECTORS_MOST)
        return sn_fail(err, SN_ERR_INPUT, NULL, "modes: %d modes are too many for ARPACK, which can find %d",
                       want, VECTORS_MOST / 2 - 10);
    lanczos l = {
        .n = n, .want = want, .ncv = ncv, .lworkl = ncv * (ncv + 8), .iparam = {1, 0, 40, 1, 0, 0, 3}};
    sn_status status = SN_NEW(l.resid, n) && SN_NEW(l.V, (size_t)n * (size_t)ncv) &&
                               SN_NEW(l.workd, 3 * (size_t)n) && SN_NEW(l.workl, l.lworkl) &&
                               SN_NEW(l.d, ncv) && SN_NEW(l.select, ncv)
                           ? solve(p, &l, s, err)
                           : SN_OUT_OF_MEM(err);
    *converged = !status && l.iparam[4] >= want;
    lanczos_free(&l);
    return status;
}
