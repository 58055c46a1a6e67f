/* What weights of smoothness are chosen by: see smoothing_data.h. */
#include "identify/smoothing_data.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static const double nothing = 1e-10; /* of what the data tell of a value on the average: as rounding */

/* One difference of a part: weight and, with the stencil, values that it is made of. */
double sn_smoothing_difference(const sn_study *s, const sn_history_part *p, int i, const double *z)
{
    const double *c = sn_history_stencil(s, p);
    double d = 0;
    for (int a = 0; a <= s->history[p->history].order; a++)
        d += c[a] * z[p->first + i + a] * s->unknown[p->first + i + a].scale;
    return d;
}

/* P of one part with weight f, added. */
void sn_smoothing_add_part(const sn_study *s, const sn_history_part *p, double f, const double *z, double *g,
                           double *A)
{
    const double *c = sn_history_stencil(s, p);
    int order = s->history[p->history].order, m = sn_history_differences(s, p);
    size_t n = (size_t)s->n_unknown;
    for (int i = 0; i < m; i++) {
        double d = z ? sn_smoothing_difference(s, p, i, z) : 0, w = f * p->w[i];
        for (int a = 0; a <= order; a++) {
            size_t k = (size_t)(p->first + i + a);
            double ca = c[a] * s->unknown[k].scale;
            if (g) g[k] += w * d * ca;
            for (int b = 0; A && b <= order; b++) {
                size_t l = (size_t)(p->first + i + b);
                A[k * n + l] += w * ca * c[b] * s->unknown[l].scale;
            }
        }
    }
}

double sn_smoothing_ridge(const sn_study *s, const sn_history_part *p, const double *z, double *g, double *A)
{
    double cost = 0;
    for (int i = 0; p->ridge > 0 && i < p->n; i++) {
        size_t k = (size_t)(p->first + i);
        double d = z[k] - s->unknown[k].start / s->unknown[k].scale;
        cost += 0.5 * p->ridge * d * d;
        if (g) g[k] += p->ridge * d;
        if (A) A[k * (size_t)s->n_unknown + k] += p->ridge;
    }
    return cost;
}

void sn_smoothing_set_ridge(const sn_fit *f)
{
    const sn_study *s = f->s;
    double sum = 0;
    int n = 0;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_part *p = &f->part[e];
        for (int a = 0; !s->experiment[e].hold_out && a < p->n; a++)
            if (s->unknown[p->unknown[a]].of_history) sum += p->A[a * p->n + a], n++;
    }
    for (int k = 0; k < s->n_history_part; k++)
        if (s->history[s->history_part[k].history].form != SN_FORM_SERIES)
            s->history_part[k].ridge = sum > 0 ? nothing * sum / n : nothing;
}

int sn_smoothing_stated(const sn_study *s)
{
    for (int e = 0; e < s->n_experiment; e++)
        for (int c = 0; c < s->experiment[e].n_channel; c++)
            if (!s->experiment[e].known[c]) return 0;
    return 1;
}

/* J'J of the data alone and their gradient, from the parts of the fit at z; sum of squares. */
static void take_data(const sn_fit *f, double *J, double *g, double *rss)
{
    const sn_study *s = f->s;
    size_t n = (size_t)f->n;
    *rss = 0;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        const sn_part *p = &f->part[e];
        if (x->hold_out) continue;
        for (int a = 0; a < p->n; a++) {
            g[p->unknown[a]] += p->g[a];
            for (int b = 0; b < p->n; b++)
                J[(size_t)p->unknown[a] * n + (size_t)p->unknown[b]] += p->A[a * p->n + b];
        }
        for (int i = 0; i < x->n * x->n_channel; i++)
            if (!isnan(p->r[i])) *rss += p->r[i] * p->r[i];
    }
}

/* What priors add to H, and to the right-hand side. */
static void add_priors(const sn_study *s, double *H, double *t)
{
    for (int k = 0; k < s->n_unknown; k++) {
        const sn_unknown *u = &s->unknown[k];
        double unit = (u->log ? 1 : u->scale) / u->prior_sd;
        if (isnan(u->prior)) continue;
        H[(size_t)k * (size_t)s->n_unknown + (size_t)k] += unit * unit;
        t[k] += unit * u->prior / u->prior_sd;
    }
}

long sn_smoothing_count(const sn_fit *f)
{
    long n = 0;
    for (int e = 0; e < f->s->n_experiment; e++)
        for (int i = 0; i < f->s->experiment[e].n * f->s->experiment[e].n_channel; i++)
            n += !f->s->experiment[e].hold_out && !isnan(f->part[e].r[i]);
    return n;
}

void sn_smoothing_data_free(sn_smoothing_data *d) { sn_free(d->J), sn_free(d->H), sn_free(d->g); }

sn_status sn_smoothing_data_new(const sn_fit *f, const double *z, int h, sn_smoothing_data *d, sn_err *err)
{
    const sn_study *s = f->s;
    size_t n = (size_t)f->n;
    *d = (sn_smoothing_data){.count = (double)sn_smoothing_count(f)};
    if (!SN_NEW(d->J, n * n + 1) || !SN_NEW(d->H, n * n + 1) || !SN_NEW(d->g, 2 * n + 1)) {
        sn_smoothing_data_free(d);
        return SN_OUT_OF_MEM(err);
    }
    d->t = d->g + n;
    take_data(f, d->J, d->g, &d->rss);
    memcpy(d->H, d->J, sizeof(double) * n * n);
    cblas_dsymv(CblasRowMajor, CblasLower, f->n, 1, d->J, f->n, z, 1, 0, d->t, 1);
    for (size_t i = 0; i < n; i++) d->t[i] -= d->g[i];
    add_priors(s, d->H, d->t);
    for (int k = 0; k < s->n_history_part; k++) {
        const sn_history_part *p = &s->history_part[k];
        if (p->history != h && p->weight > 0) sn_smoothing_add_part(s, p, p->weight, NULL, NULL, d->H);
        for (size_t i = (size_t)p->first; p->ridge > 0 && i < (size_t)(p->first + p->n); i++)
            d->H[i * n + i] += p->ridge, d->t[i] += p->ridge * s->unknown[i].start / s->unknown[i].scale;
    }
    return SN_OK;
}
