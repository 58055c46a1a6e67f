/* Models of noise that follows itself, found with the fit: by turns with the unknowns (Cochrane and Orcutt,
   J. Am. Stat. Assoc. 44, 1949), each time from residuals and Jacobian as they are before whitening. The
   restricted likelihood (colour.h) allows for what the unknowns have followed of the noise, so that a few
   turns are enough. */
#include "identify/colour.h"
#include "identify/noise.h"

#include <math.h>

double sn_noise_whole(const sn_experiment *x, int c)
{
    return x->noise && x->noise[c].kind ? sn_noise_variance(&x->noise[c].m) : 1;
}

/* By how much the weights that two models give to a frequency differ at most, as a ratio of deviations. */
static double difference(const sn_noise_model *a, const sn_noise_model *b, double dt)
{
    double worst = 1;
    for (double w = acos(-1); w > 0.02; w /= 1.5) {
        double x = sn_noise_spectrum(a, dt, w), y = sn_noise_spectrum(b, dt, w);
        worst = fmax(worst, sqrt(fmax(x / y, y / x)));
    }
    return worst;
}

/* The model becomes the channel's, and the deviation where it is not stated. */
static void take(const sn_experiment *x, int c, const sn_noise_model *m, double *worst)
{
    sn_channel_noise *q = &x->noise[c];
    double dt = x->n > 1 ? (x->t[x->n - 1] - x->t[0]) / (x->n - 1) : 1;
    double size = q->kind == SN_NOISE_DISCREPANCY ? m->variance : sn_noise_variance(m);
    sn_noise_model to = *m;
    if (x->known[c]) size = 1;
    to.variance /= size, to.size /= size;
    double sigma = fmax(x->sigma[c] * sqrt(size), 1e-13 * fmax(x->sigma[c], 1e-300));
    *worst = fmax(*worst, fmax(sigma / x->sigma[c], x->sigma[c] / sigma));
    *worst = fmax(*worst, difference(&to, &q->m, dt));
    x->sigma[c] = sigma, q->m = to;
}

/* Also those held out, from the experiments that are fitted. */
static void take_group(const sn_study *s, const sn_colour_group *g, double *worst)
{
    const sn_experiment *first = &s->experiment[g->series[0].experiment];
    int own = g->series[0].channel;
    for (int k = 0; k < g->n; k++)
        take(&s->experiment[g->series[k].experiment], g->series[k].channel, &g->model, worst);
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        for (int c = 0; x->hold_out && x->noise && c < x->n_channel; c++)
            if (x->channel[c] == g->channel && x->noise[c].kind == g->kind) {
                x->noise[c].m = first->noise[own].m;
                if (!x->known[c]) x->sigma[c] = first->sigma[own];
            }
    }
}

sn_status sn_noise_fit(sn_fit *f, const double *z, double *worst, sn_err *err)
{
    int *out;
    sn_colour *c = NULL;
    if (!SN_NEW(out, f->n + 1)) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < f->n; k++) out[k] = z[k] <= f->lower[k] || z[k] >= f->upper[k];
    sn_status status = sn_colour_new(f, out, &c, err);
    if (!status && c->heavy) { /* of so many samples the unknowns have followed next to nothing */
        sn_colour_free(c);
        for (int k = 0; k < f->n; k++) out[k] = 1;
        status = sn_colour_new(f, out, &c, err);
    }
    for (int g = 0; !status && g < c->groups; g++) c->group[g].coloured = c->group[g].kind != SN_NOISE_WHITE;
    if (!status) status = sn_colour_fit(c, err);
    for (int g = 0; !status && g < c->groups; g++)
        if (c->group[g].coloured) take_group(f->s, &c->group[g], worst);
    sn_colour_free(c);
    sn_free(out);
    return status;
}
