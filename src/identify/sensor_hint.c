/* Which further sensor would tell most of a history: see sensor_hint.h.

   With M_c = J_c'J_c / sigma_c^2 of the channel c, one run with sensitivities at the estimate, the covariance
   of all unknowns would be (A + M_c)^-1 with A of the fit; the channel that leaves the history the least mean
   variance is the best. Its noise is guessed: that of a measured channel of the same unit, else as large a
   part of its signal as those that are measured have. */
#include "identify/sensor_hint.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

enum { MOST_SAMPLES = 400, MOST_UNKNOWNS = 600 };

typedef struct look {
    sn_fit *f;
    const sn_history_part *p;
    const sn_experiment *x;
    int n, channels;    /* samples; of the model */
    int values, *value; /* unknowns: the values of all histories of the experiment */
    double *t, *y, *dy; /* of all channels, by these */
    double *A;          /* n_unknown^2 */
    const char **wrt;   /* names of the values */
} look;

static void forget(look *l)
{
    sn_free(l->t), sn_free(l->y), sn_free(l->dy), sn_free(l->A), sn_free(l->value), sn_free(l->wrt);
}

static int open_look(look *l)
{
    const sn_study *s = l->f->s;
    size_t n = (size_t)l->n, m = n * (size_t)l->channels, u = (size_t)l->f->n;
    if (!SN_NEW(l->value, u + 1)) return 0;
    for (int k = 0; k < l->f->n; k++)
        if (s->unknown[k].of_history && s->unknown[k].experiment == l->p->experiment)
            l->value[l->values++] = k;
    return SN_NEW(l->t, n + 1) && SN_NEW(l->y, m + 1) && SN_NEW(l->dy, m * (size_t)l->values + 1) &&
           SN_NEW(l->A, u * u + 1) && SN_NEW(l->wrt, (size_t)l->values + 1);
}

/* The model's channels and their derivatives by the history, at some of the samples. */
static sn_status sample(look *l, const double *z, sn_err *err)
{
    const sn_study *s = l->f->s;
    sn_arena arena = {0};
    sn_info info;
    sn_run_options o = s->run;
    sn_status status = SN_OK;
    for (int i = 0; i < l->n; i++)
        l->t[i] = l->x->t[l->n > 1 ? (int)((long)i * (l->x->n - 1) / (l->n - 1)) : 0];
    for (int i = 0; !status && i < l->values; i++) {
        char name[300];
        sn_quantity_name(s->model, s->unknown[l->value[i]].id, name, sizeof name);
        l->wrt[i] = sn_arena_strndup(&arena, name, strlen(name));
        if (!l->wrt[i]) status = SN_OUT_OF_MEM(err);
    }
    o.wrt = l->wrt, o.n_wrt = l->values;
    o.begin = fmin(o.begin, l->t[0]), o.end = l->t[l->n - 1];
    if (!status) status = sn_fit_set(l->f, l->p->experiment, z, err);
    if (!status)
        status = sn_sample(s->model, l->f->part[l->p->experiment].values, &o,
                           &(sn_samples){l->n, l->t, l->y, l->dy}, &info, err);
    sn_arena_free(&arena);
    return status;
}

static double size_of(const look *l, int channel)
{
    double mean = 0, sum = 0;
    for (int i = 0; i < l->n; i++) mean += l->y[i * l->channels + channel] / l->n;
    for (int i = 0; i < l->n; i++) sum += pow(l->y[i * l->channels + channel] - mean, 2) / l->n;
    return sqrt(sum);
}

/* NAN: nothing is known of it. */
static double noise_of(const look *l, int channel)
{
    const sn_model *m = l->f->s->model;
    const char *unit = sn_channel_get(m, channel).unit;
    double part = 0, like = NAN;
    int n = 0;
    for (int c = 0; c < l->x->n_channel; c++) {
        double size = size_of(l, l->x->channel[c]);
        if (!strcmp(sn_channel_get(m, l->x->channel[c]).unit, unit)) like = l->x->sigma[c];
        if (size > 0) part += l->x->sigma[c] / size, n++;
    }
    if (!isnan(like)) return like;
    double guess = n ? part / n * size_of(l, channel) : NAN;
    return guess > 0 ? guess : NAN;
}

/* Mean variance of the history's values with the channel (-1: without); INFINITY: not to be had. */
static double left_by(look *l, int channel, double sigma)
{
    const sn_fit *f = l->f;
    const sn_history_part *p = l->p;
    size_t n = (size_t)f->n;
    memcpy(l->A, f->A, sizeof(double) * n * n);
    double more = (double)l->x->n / l->n, sum = 0;
    for (int i = 0; channel >= 0 && i < l->n; i++) {
        const double *d = l->dy + ((size_t)i * (size_t)l->channels + (size_t)channel) * (size_t)l->values;
        for (int a = 0; a < l->values; a++)
            for (int b = 0; b < l->values && d[a] != 0; b++) {
                size_t row = (size_t)l->value[a], column = (size_t)l->value[b];
                l->A[row * n + column] += more * d[a] * d[b] / (sigma * sigma) * f->s->unknown[row].scale *
                                          f->s->unknown[column].scale;
            }
    }
    for (size_t i = 0; i < n; i++) l->A[i * n + i] = l->A[i * n + i] * (1 + 1e-12) + 1e-300;
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', f->n, l->A, f->n) ||
        LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', f->n, l->A, f->n))
        return INFINITY;
    for (int a = 0; a < p->n; a++) sum += l->A[(size_t)(p->first + a) * n + (size_t)(p->first + a)] / p->n;
    return sum;
}

static int is_measured(const sn_experiment *x, int channel)
{
    for (int c = 0; c < x->n_channel; c++)
        if (x->channel[c] == channel) return 1;
    return 0;
}

sn_status sn_sensor_hint(sn_fit *f, const double *z, const sn_history_part *p, char name[SN_HINT],
                         sn_err *err)
{
    look l = {.f = f, .p = p, .x = &f->s->experiment[p->experiment]};
    l.n = l.x->n < MOST_SAMPLES ? l.x->n : MOST_SAMPLES, l.channels = sn_channel_count(f->s->model);
    name[0] = 0;
    if (f->n > MOST_UNKNOWNS || l.n < 2) return SN_OK;
    int before = sn_err_count(err);
    sn_status status = open_look(&l) ? sample(&l, z, err) : SN_OUT_OF_MEM(err);
    if (!status) status = sn_fit_rows(f, z, err);
    double best = status ? 0 : 0.5 * left_by(&l, -1, 1); /* at least half of the variance */
    for (int c = 0; !status && c < l.channels; c++) {
        double sigma = is_measured(l.x, c) ? NAN : noise_of(&l, c), left;
        if (isnan(sigma) || !((left = left_by(&l, c, sigma)) < best)) continue;
        sn_channel h = sn_channel_get(f->s->model, c);
        snprintf(name, SN_HINT, "%s.%s", h.sensor, h.component);
        best = left;
    }
    forget(&l);
    if (status == SN_ERR_NUMERIC) sn_err_forget(err, before), status = SN_OK; /* then there is no hint */
    return status;
}
