/* The order of a history's differences by the evidence: see smoothing.h.

   Differences of order m say nothing of polynomials of degree m - 1. So that orders can be compared these get
   a prior, too, with an orthonormal basis N0 of them: each is of the size of the history itself, of variance
   |c|^2; but where nothing is seen of it not smaller than what one measured number of N tells in the mean,
   N0'H N0/N with H = J'J (unit information: Kass, Wasserman 1995). Twice the logarithm of the evidence is
   then, up to what no order changes,

       - K log (rss + w c'Pc) - log det (H + w P) + r log w + log det' P + min(log det (N0'H N0/N), -m log
   |c|^2)

   with det' P the product of the eigenvalues of P that are not 0, det (P + N0 N0'), and r their number. */
#include "identify/smoothing_data.h"

#include <lapacke.h>
#include <math.h>

#undef I

enum { MOST = SN_HISTORY_MOST_ORDER };

/* Column k of the basis: x^k made orthogonal to those before, over the values of a part. */
static void add_column(int n, int k, double *Q)
{
    double *q = Q + (size_t)k * (size_t)n, sum = 0;
    for (int i = 0; i < n; i++) q[i] = pow(2.0 * i / (n - 1) - 1, k);
    for (int twice = 0; twice < 2; twice++) /* the second time for the rounding of the first */
        for (int l = 0; l < k; l++) {
            const double *b = Q + (size_t)l * (size_t)n;
            double d = 0;
            for (int i = 0; i < n; i++) d += b[i] * q[i];
            for (int i = 0; i < n; i++) q[i] -= d * b[i];
        }
    for (int i = 0; i < n; i++) sum += q[i] * q[i];
    for (int i = 0; i < n; i++) q[i] /= sqrt(sum);
}

/* Logarithm of the determinant of a matrix with factors in its place; NAN: it is not positive. */
static double log_det(int n, double *B)
{
    double sum = 0;
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, B, n)) return NAN;
    for (size_t i = 0; i < (size_t)n; i++) sum += 2 * log(B[i * (size_t)n + i]);
    return sum;
}

/* log det' P of a part; B: n x n, 0. */
static double of_differences(const sn_study *s, const sn_history_part *p, const double *Q, double *B)
{
    const double *c = sn_history_stencil(s, p);
    int order = s->history[p->history].order;
    size_t n = (size_t)p->n;
    for (int i = 0; i < sn_history_differences(s, p); i++)
        for (int a = 0; a <= order; a++)
            for (int b = 0; b <= order; b++)
                B[(size_t)(i + a) * n + (size_t)(i + b)] += p->w[i] * c[a] * c[b] *
                                                            s->unknown[p->first + i + a].scale *
                                                            s->unknown[p->first + i + b].scale;
    for (int k = 0; k < order; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) B[i * n + j] += Q[(size_t)k * n + i] * Q[(size_t)k * n + j];
    return log_det(p->n, B);
}

/* log det (N0'A N0/N) of a part. */
static double of_polynomials(const sn_study *s, const sn_history_part *p, const double *Q, const double *A,
                             double count)
{
    int order = s->history[p->history].order;
    double B[MOST * MOST] = {0};
    size_t n = (size_t)p->n, all = (size_t)s->n_unknown, first = (size_t)p->first;
    for (int k = 0; k < order; k++)
        for (int l = 0; l < order; l++) {
            const double *q = Q + (size_t)k * n, *b = Q + (size_t)l * n;
            double sum = 0;
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++) sum += q[i] * A[(first + i) * all + first + j] * b[j];
            B[k * order + l] = sum / count;
        }
    return log_det(order, B);
}

/* |c|^2 of a part at z. */
static double square(const sn_history_part *p, const double *z)
{
    double sum = 0;
    for (int i = 0; i < p->n; i++) sum += z[p->first + i] * z[p->first + i];
    return sum;
}

sn_status sn_smoothing_improper(const sn_fit *f, const double *z, int only, const double *A, double *out,
                                sn_err *err)
{
    const sn_study *s = f->s;
    double count = fmax((double)sn_smoothing_count(f), 1);
    *out = 0;
    for (int k = 0; k < s->n_history_part; k++) {
        const sn_history_part *p = &s->history_part[k];
        size_t n = (size_t)p->n;
        double *Q, *B = NULL;
        if ((only && p->history != only - 1) || !sn_history_differences(s, p)) continue;
        if (!SN_NEW(Q, MOST * n + 1) || !SN_NEW(B, n * n + 1)) {
            sn_free(Q);
            return SN_OUT_OF_MEM(err);
        }
        int order = s->history[p->history].order;
        double size = square(p, z), unit;
        for (int m = 0; m < order; m++) add_column(p->n, m, Q);
        unit = of_polynomials(s, p, Q, A, count);
        *out +=
            of_differences(s, p, Q, B) + (size > 0 && -order * log(size) < unit ? -order * log(size) : unit);
        sn_free(Q), sn_free(B);
    }
    return SN_OK;
}
