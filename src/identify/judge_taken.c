/* Residuals of a fit that takes up a good part of the numbers measured, as free histories do, are not white
   even where the model is right. With white noise e and histories as smooth as their weights say they have
   the covariance 1 - J A^-1 J', A = J'J + D'W D with the differences D of the histories. So has e - J A^-1
   (J'e + D'W^(1/2) x) with normal numbers x. The tests of residual_tests.h are measured by what they say of
   such draws: from the median and the lower tenth of each test's normal number, Phi^-1(p), the probability of
   the one that was found follows.

   The draws are those of the problem linearised at the estimate, with the weights as they are. */
#include "identify/judge.h"
#include "identify/random.h"
#include "identify/smoothing.h"
#include "identify/statistics.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#undef I

enum { DRAWS = SN_TAKEN_DRAWS };
static const double considerable = SN_TAKEN_MUCH;
static const double most_work = 2e10; /* products */

/* x with erfc(-x/sqrt 2)/2 = p, within what p = 1e-300 and 0.999 have. */
static double normal_number(double p)
{
    double low = -40, high = 3.1;
    p = fmin(fmax(p, 1e-300), 0.999);
    for (int i = 0; i < 60; i++) {
        double x = 0.5 * (low + high);
        if (0.5 * erfc(-x / sqrt(2)) < p)
            low = x;
        else
            high = x;
    }
    return 0.5 * (low + high);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct draws {
    const sn_fit *f;
    int n, channels;
    double *A;   /* factors */
    double *g;   /* n */
    double **e;  /* of each experiment, its noise: samples x channels */
    double *row; /* a channel's residuals */
    double *z;   /* channels x tests x draws */
    unsigned long long seed;
} draws;

static int used(const sn_experiment *x) { return !x->hold_out && !x->sort; }

/* D'W^(1/2) x is added. */
static void draw_smoothness(draws *d)
{
    const sn_study *s = d->f->s;
    for (int k = 0; k < s->n_history_part; k++) {
        const sn_history_part *p = &s->history_part[k];
        if (!(p->weight > 0)) continue;
        const double *c = sn_history_stencil(s, p);
        for (int i = 0; i < sn_history_differences(s, p); i++) {
            double x = sqrt(p->weight * p->w[i]) * sn_normal(&d->seed);
            for (int a = 0; a <= s->history[p->history].order; a++)
                d->g[p->first + i + a] += c[a] * s->unknown[p->first + i + a].scale * x;
        }
    }
}

/* e and J'e */
static void draw_noise(draws *d)
{
    const sn_study *s = d->f->s;
    memset(d->g, 0, sizeof(double) * (size_t)d->n);
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        const sn_part *p = &d->f->part[k];
        if (!used(x)) continue;
        for (int i = 0; i < x->n * x->n_channel; i++) {
            double e = d->e[k][i] = isnan(p->r[i]) ? NAN : sn_normal(&d->seed);
            for (int a = 0; !isnan(e) && a < p->n; a++)
                d->g[p->unknown[a]] += p->J[(size_t)i * (size_t)p->n + (size_t)a] * e;
        }
    }
}

sn_status sn_taken_test(int n, const double *r, double *z, sn_err *err)
{
    sn_arena arena = {0};
    sn_whiteness w;
    sn_residual_tests t;
    sn_status status = sn_whiteness_of(&arena, n, r, &w, err);
    if (!status) status = sn_residual_tests_of(n, r, w.p, &t, err);
    for (int i = 0; !status && i < SN_TEST_COUNT; i++) z[(size_t)i * DRAWS] = normal_number(t.p[i]);
    sn_arena_free(&arena);
    return status;
}

/* Tests of channel c of experiment k with the residuals that the noise leaves; z: of each test. */
static sn_status test_channel(draws *d, int k, int c, double *z, sn_err *err)
{
    const sn_experiment *x = &d->f->s->experiment[k];
    const sn_part *p = &d->f->part[k];
    int n = 0;
    for (int i = c; i < x->n * x->n_channel; i += x->n_channel) {
        double r = d->e[k][i];
        if (isnan(r)) continue;
        for (int a = 0; a < p->n; a++) r -= p->J[(size_t)i * (size_t)p->n + (size_t)a] * d->g[p->unknown[a]];
        d->row[n++] = r;
    }
    return sn_taken_test(n, d->row, z, err);
}

static sn_status draw(draws *d, int number, sn_err *err)
{
    const sn_study *s = d->f->s;
    draw_noise(d);
    draw_smoothness(d);
    LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', d->n, 1, d->A, d->n, d->g, 1);
    double *z = d->z + number;
    for (int k = 0; k < s->n_experiment; k++)
        for (int c = 0; used(&s->experiment[k]) && c < s->experiment[k].n_channel;
             c++, z += SN_TEST_COUNT * DRAWS)
            SN_TRY(test_channel(d, k, c, z, err));
    return SN_OK;
}

void sn_taken_measure(sn_channel_fit *q, double *z)
{
    sn_residual_tests *t = &q->tests;
    t->which = 0;
    for (int i = 0; i < SN_TEST_COUNT; i++, z += DRAWS) {
        qsort(z, DRAWS, sizeof *z, ascending);
        double median = 0.5 * (z[DRAWS / 2 - 1] + z[DRAWS / 2]),
               spread = (median - z[DRAWS / 10]) / 1.2815515655;
        double x = spread > 0 ? (normal_number(t->p[i]) - median) / spread : 0;
        t->p[i] = 0.5 * erfc(-x / sqrt(2));
        if (t->p[i] < t->p[t->which]) t->which = i;
    }
    t->least = fmin(1, SN_TEST_COUNT * t->p[t->which]);
    q->white.p = t->p[SN_TEST_NEIGHBOURS];
}

static sn_status open_draws(draws *d, const sn_fit *f, sn_err *err)
{
    const sn_study *s = f->s;
    size_t n = (size_t)f->n, rows = 0, most = 0;
    *d = (draws){.f = f, .n = f->n, .seed = 20260 + (unsigned long long)s->seed};
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        if (!used(x)) continue;
        rows += (size_t)x->n * (size_t)x->n_channel, d->channels += x->n_channel;
        most = most > (size_t)x->n ? most : (size_t)x->n;
    }
    if (!SN_NEW(d->A, n * n + 1) || !SN_NEW(d->g, n + 1) || !SN_NEW(d->e, s->n_experiment + 1) ||
        !SN_NEW(d->e[s->n_experiment], rows + 1) || !SN_NEW(d->row, most + 1) ||
        !SN_NEW(d->z, (size_t)d->channels * SN_TEST_COUNT * DRAWS + 1))
        return SN_OUT_OF_MEM(err);
    double *at = d->e[s->n_experiment];
    for (int k = 0; k < s->n_experiment; k++) {
        d->e[k] = at;
        if (used(&s->experiment[k])) at += (size_t)s->experiment[k].n * (size_t)s->experiment[k].n_channel;
    }
    memcpy(d->A, f->A, sizeof(double) * n * n);
    for (size_t i = 0; i < n; i++) d->A[i * n + i] = d->A[i * n + i] * (1 + 1e-13) + 1e-300;
    return SN_OK;
}

static void close_draws(draws *d)
{
    if (d->e) sn_free(d->e[d->f->s->n_experiment]);
    sn_free(d->A), sn_free(d->g), sn_free(d->e), sn_free(d->row), sn_free(d->z);
}

sn_status sn_look_at_taken(const sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    draws d;
    if (!sn_smoothing_needed(s) || !(f->freedom > considerable * (double)e->count) ||
        2.0 * DRAWS * (double)e->count * f->n > most_work)
        return SN_OK;
    sn_status status = open_draws(&d, f, err);
    int good = !status && !LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', f->n, d.A, f->n);
    for (int i = 0; !status && good && i < DRAWS; i++) status = draw(&d, i, err);
    double *z = d.z;
    for (int k = 0; !status && good && k < s->n_experiment; k++)
        for (int c = 0; used(&s->experiment[k]) && c < s->experiment[k].n_channel;
             c++, z += SN_TEST_COUNT * DRAWS)
            sn_taken_measure(&e->channel[k][c], z);
    close_draws(&d);
    return status;
}
