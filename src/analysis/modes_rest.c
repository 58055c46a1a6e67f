/* Undamped modes about a state at rest: K x + B' mu = w2 M x, B x = 0. Small models, or most of the modes:
   LAPACK. The lowest of others: ARPACK. Both times the lowest modes are refined, and every w2 gets a bound of
   its error: what is not more than that is a motion without resistance. */
#include "analysis/modes.h"

#include <math.h>
#include <string.h>

enum {
    SMALL = 100,       /* coordinates up to which all modes are found as fast as some */
    DENSE_MOST = 2000, /* up to which LAPACK is tried without being asked for */
    GUARD = 4 /* modes beyond those asked for: the error of the last ones depends on their distance from the
                 next */
};

/* How many degrees of freedom there are at least. */
static int freedom(const sn_context *d)
{
    int n = d->m->nv - d->m->m + d->w->n_dropped;
    return n > 0 ? n : 0;
}

static int dense_is_better(const sn_context *d, const sn_mode_options *o)
{
    if (!strcmp(o->method, "dense")) return 1;
    /* Lanczos needs some room beyond the modes that are wanted */
    if (o->n <= 0 || o->n + 2 > freedom(d)) return 1;
    if (!strcmp(o->method, "arpack") || d->m->nv > DENSE_MOST) return 0;
    return d->m->nv <= SMALL || 5 * o->n > d->m->nv;
}

/* All modes; those that are asked for refined. */
static sn_status small_model(sn_pencil *p, const sn_mode_options *o, sn_spectrum *s, sn_err *err)
{
    const int nv = p->d->m->nv;
    SN_TRY(sn_modes_dense(p, s, err));
    if (s->unsymmetric) return SN_OK;
    sn_spectrum_sort(s, nv);
    int n = o->n > 0 && o->n < s->n ? o->n : s->n;
    SN_TRY(sn_modes_refine(p, s, n + GUARD < s->n ? n + GUARD : s->n, err));
    sn_spectrum_sort(s, nv);
    s->all = 1;
    return SN_OK;
}

/* Whether the first n modes are known well enough to say that they are modes at all. */
static int known(const sn_spectrum *s, int n)
{
    double low = INFINITY;
    for (int k = 0; k < s->n; k++)
        if (fabs(s->w2[k]) > 2 * s->error[k]) low = fmin(low, fabs(s->w2[k]));
    for (int k = 0; k < n && k < s->n; k++)
        if (s->error[k] > 1e-3 * fmax(low, fabs(s->w2[k]))) return 0;
    return s->n >= n && isfinite(low);
}

/* *missed: there are unstable modes further from zero than those that were found. Of models that are too
   large for a dense matrix that is not known. */
static sn_status look_below(sn_pencil *p, const sn_spectrum *s, int *missed, sn_err *err)
{
    int below, found = 0;
    *missed = 0;
    if (p->d->m->n > DENSE_MOST) return SN_OK;
    SN_TRY(sn_modes_below(p, &below, err));
    for (int k = 0; k < s->n; k++) found += s->w2[k] < p->shift;
    *missed = below > found;
    return SN_OK;
}

static sn_status large_model(sn_pencil *p, const sn_mode_options *o, sn_spectrum *s, int *missed, sn_err *err)
{
    int most = freedom(p->d), converged, ask = o->n + GUARD < most - 1 ? o->n + GUARD : most - 1;
    s->n = o->n + 8 < most ? o->n + 8 : most;
    if (s->n > SN_MODES_CHUNK) s->n = SN_MODES_CHUNK;
    SN_TRY(sn_modes_find_shift(p, s, err));
    if (s->unsymmetric) return SN_OK;
    /* where the factors are nearly all rounding Lanczos does not converge, but refinement may */
    SN_TRY(sn_modes_lanczos(p, ask, most, s, &converged, err));
    sn_spectrum_sort(s, p->d->m->nv);
    SN_TRY(sn_modes_refine(p, s, s->n, err));
    sn_spectrum_sort(s, p->d->m->nv);
    if (s->unsymmetric) return SN_OK;
    if (!converged && !known(s, o->n))
        return sn_fail(
            err, SN_ERR_NUMERIC, NULL,
            "modes: the lowest modes cannot be found: the rounding of much stiffer things hides them (a "
            "coarser mesh may help), or they are too many");
    if (s->n > o->n) s->n = o->n;
    return look_below(p, s, missed, err);
}

static sn_status room_for(const sn_model *m, int n, sn_spectrum *s, sn_err *err)
{
    sn_free(s->w2), sn_free(s->error), sn_free(s->shape);
    *s = (sn_spectrum){.n = 0};
    return SN_NEW(s->w2, m->nv + 1) && SN_NEW(s->error, m->nv + 1) &&
                   SN_NEW(s->shape, (size_t)m->nv * (size_t)n + 1)
               ? SN_OK
               : SN_OUT_OF_MEM(err);
}

/* LAPACK where ARPACK will not do: unstable modes it does not see, a singular matrix (unless ARPACK was asked
   for). */
sn_status sn_modes_at_rest(sn_pencil *p, const sn_mode_options *o, sn_spectrum *s, sn_err *err)
{
    const sn_model *m = p->d->m;
    if (!dense_is_better(p->d, o)) {
        int missed = 0;
        sn_err own;
        sn_err_clear(&own);
        SN_TRY(room_for(m, o->n + 8, s, err));
        sn_status status = large_model(p, o, s, &missed, &own);
        if (!status && (s->unsymmetric || !missed)) return SN_OK;
        int hopeless = status && (status != SN_ERR_NUMERIC || !strcmp(o->method, "arpack"));
        if (hopeless || (status && m->nv > DENSE_MOST)) {
            sn_err_join(err, &own);
            return status;
        }
    }
    SN_TRY(room_for(m, m->nv, s, err));
    return small_model(p, o, s, err);
}
