/* What a sequential estimate leaves of noise: see judge_taken.c, whose draws these are for problems without a
   Jacobian. A draw goes through the operations of the filter and back, with numbers that are noise and the
   response to histories drawn from their random process, so that what smoothing leaves of such histories is
   in the residuals as well.

   Forward the mean of xi less the xi that was drawn is carried along, mu, since nothing is centred here: v =
   e
   - phi'mu, then mu <- A^-1 (mu + phi v/F), with A = 1 - g phi phi', A^-1 = 1 + g sqrt(F) phi phi'. Back as
   in the smoother. */
#include "identify/kalman_judge.h"
#include "identify/judge.h"
#include "identify/random.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#undef I

typedef struct drawing {
    const sn_kalman_pass *p;
    double **e;          /* of each experiment: noise, then innovations, then residuals */
    double *mu, *turned; /* as many as columns there were */
    double *b, *beta;    /* of all numbers beta */
    int *at;
    unsigned long long seed;
} drawing;

static size_t place(const sn_kalman *k, const sn_kalman_op *op)
{
    return (size_t)op->a * (size_t)k->fit->s->experiment[k->experiment].n_channel + (size_t)op->b;
}

/* Noise, and draws of the histories' own, become innovations with beta = 0, and what these say of beta. */
static void forward(drawing *d, const sn_kalman *k, double *e)
{
    double *mu = d->mu;
    for (int i = 0; i < k->record.n; i++) {
        const sn_kalman_op *op = &k->record.op[i];
        if (op->kind == SN_KALMAN_VALUE) {
            if (op->scale > 0) mu[op->r] = -sn_normal(&d->seed);
        } else if (op->kind == SN_KALMAN_COMPRESSION) {
            if (op->a)
                cblas_dgemv(CblasColMajor, CblasTrans, op->r, op->a, 1, op->x, op->r, mu, 1, 0, d->turned, 1);
            memcpy(mu, d->turned, sizeof *mu * (size_t)op->a);
        } else {
            const double *phi = op->x, *by = phi + op->r + 1, F = op->scale;
            double down = cblas_ddot(op->r, phi, 1, mu, 1), v = e[place(k, op)] - down, root = sqrt(F);
            for (int j = 0; j < k->fixed - 1; j++)
                if (d->at[j] >= 0) d->b[d->at[j]] += by[j] * v / F;
            e[place(k, op)] = v;
            /* phi'(mu + phi v/F) = down + (F - 1) v/F */
            double f = v / F + (down + (F - 1) * v / F) * root / (F + root);
            cblas_daxpy(op->r, f, phi, 1, mu, 1);
        }
    }
}

/* Innovations become residuals. */
static void backward(drawing *d, const sn_kalman *k, double *e)
{
    double *m = d->mu;
    memset(m, 0, sizeof *m * ((size_t)k->largest + 1));
    for (int i = k->record.n - 1; i >= 0; i--) {
        const sn_kalman_op *op = &k->record.op[i];
        if (op->kind == SN_KALMAN_VALUE) continue;
        if (op->kind == SN_KALMAN_COMPRESSION) {
            cblas_dgemv(CblasColMajor, CblasNoTrans, op->r, op->a, 1, op->x, op->r, m, 1, 0, d->turned, 1);
            memcpy(m, d->turned, sizeof *m * (size_t)op->r);
            continue;
        }
        const double *phi = op->x, *by = phi + op->r + 1, F = op->scale, g = 1 / (F + sqrt(F));
        double v = e[place(k, op)];
        for (int j = 0; j < k->fixed - 1; j++)
            if (d->at[j] >= 0) v += by[j] * d->beta[d->at[j]];
        cblas_daxpy(op->r, v / F - g * cblas_ddot(op->r, phi, 1, m, 1), phi, 1, m, 1);
        e[place(k, op)] = v - cblas_ddot(op->r, phi, 1, m, 1);
    }
}

static void draw(drawing *d)
{
    const sn_kalman_pass *p = d->p;
    const sn_study *s = p->fit->s;
    size_t n = (size_t)p->n;
    memset(d->b, 0, sizeof *d->b * n);
    for (int e = 0; e < s->n_experiment; e++) {
        size_t samples = (size_t)s->experiment[e].n * (size_t)s->experiment[e].n_channel;
        for (size_t i = 0; i < samples; i++)
            d->e[e][i] = isnan(p->fit->part[e].r[i]) ? NAN : sn_normal(&d->seed);
        sn_kalman_places(p, e, d->at);
        forward(d, p->kalman[e], d->e[e]);
    }
    for (size_t i = 0; i < n; i++) {
        d->beta[i] = 0;
        for (size_t j = 0; j < n; j++) d->beta[i] -= p->covariance[i * n + j] * d->b[j];
    }
    for (int e = 0; e < s->n_experiment; e++) {
        sn_kalman_places(p, e, d->at);
        backward(d, p->kalman[e], d->e[e]);
    }
}

/* Tests of all channels with the residuals of a draw; z: of the draw. */
static sn_status test_all(drawing *d, double *row, double *z, sn_err *err)
{
    const sn_study *s = d->p->fit->s;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        for (int c = 0; c < x->n_channel; c++, z += SN_TEST_COUNT * SN_TAKEN_DRAWS) {
            int n = 0;
            for (int i = c; i < x->n * x->n_channel; i += x->n_channel)
                if (!isnan(d->e[e][i])) row[n++] = d->e[e][i];
            SN_TRY(sn_taken_test(n, row, z, err));
        }
    }
    return SN_OK;
}

sn_status sn_kalman_look_at_taken(const sn_kalman_pass *p, sn_estimate *e, sn_err *err)
{
    const sn_study *s = p->fit->s;
    size_t rows = 0, most = 0, channels = 0, n = (size_t)p->n + 1, wide = (size_t)p->largest + 1;
    drawing d = {.p = p, .seed = 20260};
    double *z = NULL, *row = NULL, *all = NULL;
    if (!(p->fit->freedom > SN_TAKEN_MUCH * (double)e->count)) return SN_OK;
    for (int k = 0; k < s->n_experiment; k++) {
        size_t samples = (size_t)s->experiment[k].n;
        rows += samples * (size_t)s->experiment[k].n_channel, channels += (size_t)s->experiment[k].n_channel;
        most = most > samples ? most : samples;
    }
    sn_status status = SN_NEW(d.e, s->n_experiment + 1) && SN_NEW(all, rows + 1) && SN_NEW(d.mu, 2 * wide) &&
                               SN_NEW(d.b, 2 * n) && SN_NEW(d.at, n) && SN_NEW(row, most + 1) &&
                               SN_NEW(z, channels * SN_TEST_COUNT * SN_TAKEN_DRAWS + 1)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    if (!status) d.turned = d.mu + wide, d.beta = d.b + n;
    size_t at = 0;
    for (int k = 0; !status && k < s->n_experiment; k++)
        d.e[k] = all + at, at += (size_t)s->experiment[k].n * (size_t)s->experiment[k].n_channel;
    for (int i = 0; !status && i < SN_TAKEN_DRAWS; i++) {
        draw(&d);
        status = test_all(&d, row, z + i, err);
    }
    double *of = z;
    for (int k = 0; !status && k < s->n_experiment; k++)
        for (int c = 0; c < s->experiment[k].n_channel; c++, of += SN_TEST_COUNT * SN_TAKEN_DRAWS)
            sn_taken_measure(&e->channel[k][c], of);
    sn_free(d.e), sn_free(all), sn_free(d.mu), sn_free(d.b), sn_free(d.at), sn_free(row), sn_free(z);
    return status;
}
