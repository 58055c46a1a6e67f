/* Covariance of the estimates from the normal equations, standard errors and intervals. */
#include "identify/judge.h"
#include "identify/statistics.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

sn_status sn_eigen(int n, double *V, double *w, sn_err *err)
{
    if (n == 0) return SN_OK;
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', n, V, n, w))
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "the covariance cannot be computed");
    return SN_OK;
}

sn_status sn_covariance(const sn_fit *f, const double *A, sn_estimate *e, sn_err *err)
{
    int n = 0, *list = NULL;
    size_t all = (size_t)f->n;
    double *V = NULL, *w = NULL;
    sn_status status =
        SN_NEW(list, all + 1) && SN_NEW(V, all * all + 1) && SN_NEW(w, all + 1) ? SN_OK : SN_OUT_OF_MEM(err);
    for (int k = 0; !status && k < f->n; k++) {
        double a = A[(size_t)k * all + (size_t)k];
        e->covariance[(size_t)k * all + (size_t)k] = e->at_bound[k] ? NAN : INFINITY;
        if (!e->at_bound[k] && a > 0 && isfinite(a)) list[n++] = k; /* of chaotic runs they may overflow */
    }
    for (int i = 0; !status && i < n; i++)
        for (int j = 0; j < n; j++)
            V[i * n + j] = A[(size_t)list[i] * all + (size_t)list[j]] /
                           sqrt(A[(size_t)list[i] * all + (size_t)list[i]]) /
                           sqrt(A[(size_t)list[j] * all + (size_t)list[j]]);
    if (!status) status = sn_eigen(n, V, w, err);
    for (int i = 0; !status && i < n; i++) {
        int lost = 0;
        for (int v = 0; v < n; v++) lost |= w[v] < 1e-11 * w[n - 1] && fabs(V[v * n + i]) > 1e-3;
        for (int j = 0; j < n; j++) {
            double sum = 0, s = sqrt(A[(size_t)list[i] * all + (size_t)list[i]]) *
                                sqrt(A[(size_t)list[j] * all + (size_t)list[j]]);
            for (int v = 0; v < n; v++)
                if (w[v] >= 1e-11 * w[n - 1]) sum += V[v * n + i] * V[v * n + j] / w[v];
            e->covariance[(size_t)list[i] * all + (size_t)list[j]] = i == j && lost ? INFINITY : sum / s;
        }
    }
    sn_free(list), sn_free(V), sn_free(w);
    return status;
}

void sn_standard_errors(const sn_fit *f, sn_estimate *e)
{
    size_t n = (size_t)f->n;
    for (size_t k = 0; k < n; k++) {
        const sn_unknown *u = &f->s->unknown[k];
        double se = sqrt(e->covariance[k * n + k]), x = e->value[k] = sn_fit_value(f->s, (int)k, e->z[k]);
        e->std_error[k] = se * (u->log ? x : u->scale);
        double far = sn_student_95(e->freedom[k]);
        e->lo[k] = u->log ? x * exp(-far * se) : x - far * e->std_error[k];
        e->hi[k] = u->log ? x * exp(far * se) : x + far * e->std_error[k];
        for (size_t j = 0; j < n; j++) {
            double s = sqrt(e->covariance[k * n + k] * e->covariance[j * n + j]);
            e->correlation[k * n + j] = k == j                 ? 1
                                        : isfinite(s) && s > 0 ? e->covariance[k * n + j] / s
                                                               : NAN;
        }
    }
}
