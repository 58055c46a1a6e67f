/* How well the data speak for a model, whatever the values of its unknowns: the logarithm of the marginal
   likelihood, for comparing studies of the same data, the same unknowns and the same priors that differ in
   the model, as in where a load is.

   Free histories: with noise of deviations sigma and the smoothness of weight w, Gaussian about the estimate
   (MacKay, Neural Computation 4, 1992, eq. 2.4; it is exact where the data are linear in the unknowns),

       ln p = -1/2 [sum_i (r_i^2 + ln 2 pi sigma_i^2 + ln v_i) + w c'Pc + priors + ln det(J'J + w P) - m ln w]

   with m the differences of the histories and v the variance of the innovations in units of sigma^2 where the
   noise is no white one. sigma and w are those that make it largest (restricted maximum likelihood:
   smoothing.c, noise.c), where they are not given. Constants of the unknowns alone (flat priors) are left
   out; they are the same for all. Without free histories the determinant is k ln N, Schwarz' criterion
   (1978), k unknowns. */
#include "identify/places.h"
#include "identify/smoothing.h"

#include <math.h>

/* What does not come with the residuals: whitening's determinant, 2 pi. */
static double of_noise(const sn_fit *f, long *count)
{
    double sum = 0, room[SN_AR_MOST];
    *count = 0;
    for (int k = 0; k < f->s->n_experiment; k++) {
        const sn_experiment *x = &f->s->experiment[k];
        for (int c = 0; !x->hold_out && c < x->n_channel; c++) {
            sn_whitener w = {.m = x->noise ? &x->noise[c].m : NULL, .columns = 1, .x = room};
            int coloured = x->noise && x->noise[c].kind != SN_NOISE_WHITE;
            for (int i = 0; i < x->n; i++) {
                double none = 0;
                if (isnan(f->part[k].r[i * x->n_channel + c])) continue;
                sum += log(2 * acos(-1));
                if (coloured) sum += sn_whiten(&w, x->t[i], &none);
                ++*count;
            }
        }
    }
    return sum;
}

static double of_priors(const sn_fit *f, const double *z)
{
    double sum = 0;
    for (int k = 0; k < f->n; k++) {
        const sn_unknown *u = &f->s->unknown[k];
        double r = (z[k] * (u->log ? 1 : u->scale) - u->prior) / u->prior_sd;
        if (!isnan(u->prior)) sum += r * r;
    }
    return sum;
}

static double of_residuals(const sn_fit *f)
{
    double sum = 0;
    for (int k = 0; k < f->s->n_experiment; k++) {
        const sn_experiment *x = &f->s->experiment[k];
        for (int i = 0; !x->hold_out && i < x->n * x->n_channel; i++) {
            double r = f->part[k].r[i];
            if (!isnan(r)) sum += r * r + 2 * log(x->sigma[i % x->n_channel]);
        }
    }
    return sum;
}

sn_status sn_evidence(sn_fit *f, sn_estimate *e, sn_err *err)
{
    long count;
    SN_TRY(sn_fit_rows(f, e->z, err));
    double rest = of_noise(f, &count) + of_priors(f, e->z);
    if (sn_smoothing_needed(f->s))
        SN_TRY(sn_smoothing_levers(f, e->z, &e->evidence, err));
    else
        e->evidence = -0.5 * (of_residuals(f) + f->n * log((double)count));
    e->evidence -= 0.5 * rest;
    return SN_OK;
}
