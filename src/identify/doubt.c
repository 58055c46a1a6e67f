/* Where the residuals are not noise the place may be a false minimum: other starts and a shorter window are
   asked. */
#include "identify/doubt.h"
#include "identify/judge.h"
#include "identify/memo.h"
#include "identify/window.h"

#include <math.h>
#include <string.h>

/* A few starts first: where all of them come back, it is the model and not the search. */
enum { FEW = 3, MANY = 8 };

sn_status sn_is_odd(sn_fit *f, sn_estimate *e, const double *z, double horizon, int *odd, sn_err *err)
{
    sn_key key = sn_memo_at(f->memo, f->s, "coloured", z);
    double answer;
    sn_key_exact(&key, 1, &horizon);
    if (!sn_memo_get(f->memo, key, 1, &answer)) {
        int before = sn_err_count(err), there = isinf(horizon);
        long simulations = f->simulations, kept = f->kept;
        f->signals = !there;
        sn_status status = there ? sn_fit_residuals(f, z, err) : sn_fit_evaluate(f, z, horizon, 0, 1, err);
        f->signals = 0;
        f->simulations = simulations, f->kept = kept; /* of a place that was evaluated: counted already */
        if (status && status != SN_ERR_NUMERIC) return status;
        if (status) sn_err_forget(err, before);
        e->count = (long)f->count;
        if (!status) SN_TRY(sn_look_at_channels(f, e, 0, err));
        answer = !status && sn_residuals_chance(f->s, e) < SN_DOUBTFUL;
        sn_memo_put(f->memo, key, 0, 1, &answer);
    }
    *odd = answer != 0;
    return SN_OK;
}

/* The unknown by which two places differ most, in standard deviations of the shorter window; -1: none by more
   than four. work: n x n, sd: n. */
static int differs_most(const sn_fit *f, const double *z, const double *to, double *work, double *sd)
{
    double most = 4;
    int which = -1;
    sn_deviations(f->n, f->A, work, sd);
    for (int k = 0; k < f->s->n_common; k++)
        if (fabs(z[k] - to[k]) > most * sd[k]) most = fabs(z[k] - to[k]) / sd[k], which = k;
    return which;
}

/* Is the first half of the data explained by other values? Then the whole is fitted from there, too, and z
   becomes it where that is better. */
static sn_status ask_half(sn_fit *f, sn_estimate *e, double *z, double *best, double *room, sn_err *err)
{
    size_t n = (size_t)f->n, bytes = n * sizeof(double);
    double half = sn_longest(f->s) / 2, *to = room, *sd = room + n, *work = room + 2 * n;
    int odd, which;
    sn_search o = {.horizon = half, .tolerance = 1e-5, .most = 30, .damping = 1e-3};
    memcpy(to, z, bytes);
    SN_TRY(sn_marquardt(f, to, &o, err));
    if (!isfinite(f->cost) || (which = differs_most(f, z, to, work, sd)) < 0) return SN_OK;
    SN_TRY(sn_is_odd(f, e, to, half, &odd, err));
    if (odd) return SN_OK; /* not even that is explained */
    e->doubts.half = 1, e->doubts.unknown = which, e->doubts.value = sn_fit_value(f->s, which, to[which]);
    o.horizon = INFINITY, o.most = 60;
    SN_TRY(sn_marquardt(f, to, &o, err));
    if (!(f->cost < *best * (1 - 1e-6))) return SN_OK;
    e->doubts.half = 0, *best = f->cost;
    memcpy(z, to, bytes);
    return SN_OK;
}

sn_status sn_doubt(sn_fit *f, sn_estimate *e, double *z, sn_minima *m, sn_err *err)
{
    size_t n = (size_t)f->n;
    double best = f->cost, *room;
    int odd;
    if (f->s->starts == 0) return SN_OK;
    SN_TRY(sn_is_odd(f, e, z, INFINITY, &odd, err));
    if (!odd) return SN_OK;
    e->doubts.looked = 1;
    if (f->s->starts < 0) {
        SN_TRY(sn_many_starts(f, z, &best, e, (sn_range){0, FEW}, m, err));
        if (e->alike < FEW) SN_TRY(sn_many_starts(f, z, &best, e, (sn_range){FEW, MANY}, m, err));
    }
    SN_TRY(sn_is_odd(f, e, z, INFINITY, &odd, err));
    if (!odd || !SN_NEW(room, 2 * n + n * n)) return odd ? SN_OUT_OF_MEM(err) : SN_OK;
    sn_status status = ask_half(f, e, z, &best, room, err);
    sn_free(room);
    return status;
}
