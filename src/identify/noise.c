#include "identify/noise.h"
#include "identify/memo.h"
#include "identify/modal.h"

#include <math.h>
#include <stdlib.h>

int sn_noise_modelled(const sn_study *s)
{
    for (int e = 0; e < s->n_experiment; e++)
        if (s->experiment[e].noise && !s->experiment[e].hold_out) return 1;
    return 0;
}

int sn_noise_sought(const sn_study *s)
{
    if (sn_noise_modelled(s)) return 1;
    for (int e = 0; e < s->n_experiment; e++)
        for (int c = 0; c < s->experiment[e].n_channel; c++)
            if (!s->experiment[e].known[c]) return 1;
    return 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int is_modelled(const sn_experiment *x, int c) { return x->noise && x->noise[c].kind; }

/* Absolute residuals of a channel, in its unit, over all experiments that measure it without a stated noise;
   list NULL: only their number. */
static size_t collect(const sn_fit *f, int channel, double *list)
{
    const sn_study *s = f->s;
    size_t n = 0;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        for (int c = 0; !x->hold_out && c < x->n_channel; c++)
            for (int i = 0; x->channel[c] == channel && !x->known[c] && !is_modelled(x, c) && i < x->n; i++) {
                double r = f->part[e].r[i * x->n_channel + c] * x->sigma[c] / sqrt(x->weight);
                if (isnan(r)) continue;
                if (list) list[n] = fabs(r);
                n++;
            }
    }
    return n;
}

/* Standard deviation of n > 0 residuals; where outliers are expected by their median, which these hardly move
   (Huber, Robust Statistics, 5.1). */
static double deviation(size_t n, double *r, int robust)
{
    double sum = 0;
    if (robust) {
        qsort(r, n, sizeof *r, ascending);
        return 1.4826 * 0.5 * (r[(n - 1) / 2] + r[n / 2]);
    }
    for (size_t i = 0; i < n; i++) sum += r[i] * r[i];
    return sqrt(sum / (double)n);
}

/* Numbers that the unknowns take up of a channel, over all experiments; 0: not known. */
static double taken_of(const sn_fit *f, int channel)
{
    double sum = 0;
    for (int e = 0; e < f->s->n_experiment; e++)
        for (int c = 0; f->part[e].lever && c < f->s->experiment[e].n_channel; c++)
            if (f->s->experiment[e].channel[c] == channel && !f->s->experiment[e].known[c])
                sum += f->part[e].lever[c];
    return sum;
}

/* Standard deviations of channels without a stated one, from their residuals. *worst: the largest change, as
   a ratio. */
static sn_status estimate_noise(sn_fit *f, double *worst, sn_err *err)
{
    const sn_study *s = f->s;
    double taken = f->freedom > 0 ? f->freedom : f->n,
           share = f->count > taken ? f->count / (f->count - taken) : 1;
    *worst = 1;
    for (int channel = 0; channel < sn_channel_count(s->model); channel++) {
        size_t n = collect(f, channel, NULL);
        double *r;
        if (n == 0) continue;
        if (!SN_NEW(r, n)) return SN_OUT_OF_MEM(err);
        collect(f, channel, r);
        double own = taken_of(f, channel);
        if (own > 0) share = (double)n > own ? (double)n / ((double)n - own) : 1;
        double sigma = sqrt(share) * deviation(n, r, s->huber > 0);
        sn_free(r);
        for (int e = 0; e < s->n_experiment; e++) {
            const sn_experiment *x = &s->experiment[e];
            for (int c = 0; c < x->n_channel; c++) {
                if (x->channel[c] != channel || x->known[c] || is_modelled(x, c)) continue;
                double to = fmax(sigma, 1e-13 * fmax(x->sigma[c], 1e-300));
                *worst = fmax(*worst, fmax(to / x->sigma[c], x->sigma[c] / to));
                x->sigma[c] = to;
            }
        }
    }
    return sn_modal_noise(f, worst, err);
}

/* ---- what is kept ---- */

enum { OF_MODEL = 5 + SN_AR_MOST };

/* Deviations and models into x, or back; returns how many numbers. */
static size_t copy(const sn_study *s, double *x, int back)
{
    size_t n = 0;
    for (int e = 0; e < s->n_experiment; e++)
        for (int c = 0; c < s->experiment[e].n_channel; c++, n++) {
            if (x && back) s->experiment[e].sigma[c] = x[n];
            if (x && !back) x[n] = s->experiment[e].sigma[c];
            if (!is_modelled(&s->experiment[e], c)) continue;
            sn_noise_model *m = &s->experiment[e].noise[c].m;
            double *to = x + n + 1,
                   p = m->p, *const number[] = {&p, &m->dt, &m->variance, &m->size, &m->time};
            n += OF_MODEL;
            for (int i = 0; x && i < OF_MODEL; i++) {
                double *own = i < 5 ? number[i] : &m->a[i - 5];
                if (back)
                    *own = to[i];
                else
                    to[i] = *own;
            }
            if (back) m->p = (int)p;
        }
    return n;
}

/* At first the experiments that share a model have the same deviation. */
static void same_units(const sn_study *s)
{
    for (int e = 0; e < s->n_experiment; e++)
        for (int c = 0; c < s->experiment[e].n_channel; c++)
            for (int d = 0, done = 0; d < e && !done; d++) {
                const sn_experiment *x = &s->experiment[e], *y = &s->experiment[d];
                for (int k = 0; !done && k < y->n_channel; k++) {
                    done = x->channel[c] == y->channel[k] && is_modelled(x, c) && is_modelled(y, k) &&
                           !x->known[c] && !y->known[k] && !x->noise[c].rounds;
                    if (done) x->sigma[c] = y->sigma[k];
                }
            }
}

static sn_status estimate_all(sn_fit *f, const double *z, double *worst, sn_err *err)
{
    int modelled = sn_noise_modelled(f->s);
    f->plain = modelled;
    if (modelled) same_units(f->s);
    sn_status status = modelled ? sn_fit_rows(f, z, err) : sn_fit_residuals(f, z, err);
    if (!status) status = estimate_noise(f, worst, err);
    if (!status && modelled) status = sn_noise_fit(f, z, worst, err);
    f->plain = 0;
    return status;
}

sn_status sn_noise_estimate(sn_fit *f, const double *z, double *worst, sn_err *err)
{
    const sn_study *s = f->s;
    size_t n = copy(s, NULL, 0) + 1;
    sn_key key = sn_memo_at(f->memo, s, "noise", z);
    double *x;
    if (!SN_NEW(x, n)) return SN_OUT_OF_MEM(err);
    int kept = sn_memo_get(f->memo, key, n, x);
    int before = sn_err_count(err);
    long simulations = f->simulations, made_earlier = f->kept;
    sn_status status = kept ? SN_OK : estimate_all(f, z, &x[0], err);
    f->simulations = simulations, f->kept = made_earlier; /* of a place that was evaluated: counted already */
    if (status == SN_ERR_NUMERIC) sn_err_forget(err, before), x[0] = 1, status = SN_OK;
    if (!status) copy(s, x + 1, kept);
    for (int e = 0; e < s->n_experiment; e++)
        for (int c = 0; s->experiment[e].noise && c < s->experiment[e].n_channel; c++)
            s->experiment[e].noise[c].rounds++;
    *worst = x[0];
    f->is_seen = 0; /* residuals are in units of the noise as it was */
    if (!status && !kept) sn_memo_put(f->memo, key, 0, n, x);
    sn_free(x);
    return status;
}
