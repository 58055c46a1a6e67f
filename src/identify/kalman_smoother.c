/* The smoother: back through the operations of the filter, see kalman.h.

   The filter's xi is normal with mean 0 and covariance 1 by what was known up to its time. With all data its
   mean is M b (b = (1, beta), M: r x fixed) and its covariance C, which going back are, through

       a coefficient     xi before it is xi without its last number w
       a number          xi <- phi v/F + (1 - g phi phi') xi, v = v'b
       a compression     xi <- V xi + (1 - V V') n, n ~ N(0, 1): the data say nothing of what was left out */
#include "identify/kalman.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#undef I

typedef struct smoother {
    const sn_kalman *k;
    sn_kalman_smoothed *out;
    size_t fixed, n; /* columns of M; of beta */
    size_t stride;   /* of C */
    double *M, *C;   /* by rows */
    double *w, *old, *b;
} smoother;

/* x'b and the variance of that by beta, of a row of M or the like. */
static double total(const smoother *q, const double *x, double *variance)
{
    double sum = x[0];
    for (size_t i = 0; i < q->n; i++) {
        double c = 0;
        for (size_t j = 0; j < q->n; j++) c += q->out->covariance[i * q->n + j] * x[j + 1];
        sum += x[i + 1] * q->out->beta[i], *variance += x[i + 1] * c;
    }
    return sum;
}

/* ---- coefficients ---- */

/* Rows of an operation's coefficients (each r + fixed) moved to all data: means and their movement with b in
   `moved` (active x fixed), covariance in C. */
static void smooth_rows(const smoother *q, const double *rows, int active, size_t r, double *moved, double *C)
{
    size_t size = r + q->fixed;
    for (int a = 0; a < active; a++) {
        const double *row = rows + (size_t)a * size;
        double *to = moved + (size_t)a * q->fixed;
        memcpy(to, row + r, sizeof *to * q->fixed);
        for (size_t i = 0; i < r; i++)
            for (size_t j = 0; j < q->fixed; j++) to[j] += row[i] * q->M[i * q->fixed + j];
        for (size_t i = 0; i < r; i++) q->w[i] = cblas_ddot((int)r, q->C + i * q->stride, 1, row, 1);
        for (int b = 0; b <= a; b++)
            C[a * SN_KALMAN_ACTIVE + b] = C[b * SN_KALMAN_ACTIVE + a] =
                cblas_ddot((int)r, q->w, 1, rows + (size_t)b * size, 1);
    }
    for (int a = 0; a < active; a++)
        for (int b = 0; b < active; b++) {
            double sum = 0;
            for (size_t i = 0; i < q->n; i++)
                for (size_t j = 0; j < q->n; j++)
                    sum += moved[(size_t)a * q->fixed + i + 1] * q->out->covariance[i * q->n + j] *
                           moved[(size_t)b * q->fixed + j + 1];
            C[a * SN_KALMAN_ACTIVE + b] += sum;
        }
}

static void undo_value(smoother *q, const sn_kalman_op *op)
{
    const sn_kalman_track *t = &q->k->track[op->a];
    size_t r = (size_t)op->r + (op->scale > 0);
    int active = op->b + 1 < t->active ? op->b + 1 : t->active, whole = active == t->active;
    double band[SN_KALMAN_ACTIVE * SN_KALMAN_ACTIVE], variance = 0;
    double *C = whole
                    ? q->out->band[op->a] + (size_t)(op->b - active + 1) * SN_KALMAN_ACTIVE * SN_KALMAN_ACTIVE
                    : band;
    smooth_rows(q, op->x, active, r, q->b, C);
    q->out->value[op->a][op->b] = total(q, q->b + (size_t)(active - 1) * q->fixed, &variance);
    if (!(op->scale > 0)) return;
    variance = q->C[(r - 1) * q->stride + r - 1];
    double mean = total(q, q->M + (r - 1) * q->fixed, &variance);
    q->out->squares[op->a] += mean * mean, q->out->variance[op->a] += variance;
}

/* ---- numbers ---- */

/* v - phi'M b, what is left of the number, and how much of it is known but for its own noise. */
static double left_over(smoother *q, const sn_kalman_op *op, const double *b, double *lever)
{
    size_t r = (size_t)op->r;
    const double *phi = op->x, *v = phi + r;
    double *x = q->b;
    for (size_t j = 0; j < q->fixed; j++) x[j] = v[j] - b[j];
    for (size_t i = 0; i < r; i++) q->w[i] = cblas_ddot((int)r, q->C + i * q->stride, 1, phi, 1);
    *lever = cblas_ddot((int)r, q->w, 1, phi, 1);
    return total(q, x, lever);
}

static void undo_number(smoother *q, const sn_kalman_op *op)
{
    const sn_experiment *x = &q->k->fit->s->experiment[q->k->experiment];
    size_t r = (size_t)op->r, at = (size_t)op->a * (size_t)x->n_channel + (size_t)op->b;
    const double *phi = op->x, *v = phi + r, F = op->scale, g = 1 / (F + sqrt(F));
    double *down = q->old; /* phi'M */
    memset(down, 0, sizeof *down * q->fixed);
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < q->fixed; j++) down[j] += phi[i] * q->M[i * q->fixed + j];
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < q->fixed; j++) q->M[i * q->fixed + j] += phi[i] * (v[j] / F - g * down[j]);
    /* C <- (1 - g phi phi') C (1 - g phi phi') = C - g (phi w' + w phi') + g^2 (phi'w) phi phi' */
    for (size_t i = 0; i < r; i++) q->w[i] = cblas_ddot((int)r, q->C + i * q->stride, 1, phi, 1);
    double s = 0.5 * g * cblas_ddot((int)r, phi, 1, q->w, 1);
    for (size_t i = 0; i < r; i++) q->w[i] -= s * phi[i];
    cblas_dger(CblasRowMajor, (int)r, (int)r, -g, phi, 1, q->w, 1, q->C, (int)q->stride);
    cblas_dger(CblasRowMajor, (int)r, (int)r, -g, q->w, 1, phi, 1, q->C, (int)q->stride);
    double none = 0, lever;
    q->out->innovation[at] = total(q, v, &none) / sqrt(F);
    memset(down, 0, sizeof *down * q->fixed);
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < q->fixed; j++) down[j] += phi[i] * q->M[i * q->fixed + j];
    q->out->residual[at] = left_over(q, op, down, &lever);
    q->out->lever[op->b] += lever;
}

/* ---- compressions ---- */

static sn_status undo_compression(smoother *q, const sn_kalman_op *op, sn_err *err)
{
    int r = op->r, n = op->a, fixed = (int)q->fixed, stride = (int)q->stride;
    size_t rows = (size_t)r;
    const double *V = op->x; /* r x n by columns */
    double *M, *T = NULL;
    if (!SN_NEW(M, rows * q->fixed + 1) || !SN_NEW(T, rows * (size_t)n + 1)) {
        sn_free(M);
        return SN_OUT_OF_MEM(err);
    }
    /* by rows V is V' */
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, r, fixed, n, 1, V, r, q->M, fixed, 0, M, fixed);
    memcpy(q->M, M, sizeof *M * rows * q->fixed);
    for (int i = 0; i < n; i++) q->C[(size_t)i * q->stride + (size_t)i] -= 1;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, r, n, n, 1, V, r, q->C, stride, 0, T, n);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, r, r, n, 1, T, n, V, r, 0, q->C, stride);
    for (int i = 0; i < r; i++) q->C[(size_t)i * q->stride + (size_t)i] += 1;
    sn_free(M), sn_free(T);
    return SN_OK;
}

sn_status sn_kalman_smooth(const sn_kalman *k, sn_kalman_smoothed *s, sn_err *err)
{
    const sn_kalman_record *record = &k->record;
    const sn_experiment *x = &k->fit->s->experiment[k->experiment];
    size_t most = (size_t)k->largest + 1;
    smoother q = {.k = k, .out = s, .fixed = (size_t)k->fixed, .n = (size_t)k->fixed - 1, .stride = most};
    sn_status status = SN_NEW(q.M, most * q.fixed + 1) && SN_NEW(q.C, most * most + 1) &&
                               SN_NEW(q.w, most + 1) && SN_NEW(q.old, q.fixed + 1) &&
                               SN_NEW(q.b, (size_t)SN_KALMAN_ACTIVE * q.fixed + 1)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    for (size_t i = 0; !status && i < (size_t)k->r; i++) q.C[i * most + i] = 1;
    for (size_t i = 0; i < (size_t)x->n * (size_t)x->n_channel; i++) s->residual[i] = s->innovation[i] = NAN;
    for (int i = record->n - 1; !status && i >= 0; i--) {
        const sn_kalman_op *op = &record->op[i];
        if (op->kind == SN_KALMAN_COMPRESSION)
            status = undo_compression(&q, op, err);
        else if (op->kind == SN_KALMAN_VALUE)
            undo_value(&q, op);
        else
            undo_number(&q, op);
    }
    sn_free(q.M), sn_free(q.C), sn_free(q.w), sn_free(q.old), sn_free(q.b);
    return status;
}
