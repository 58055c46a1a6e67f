/* Dampers within a body, linear about rest, by the rates of its modes: Phi'C Phi. They know nothing of the
   body's motion as a whole, R: what brakes that is no part of a body. */
#include "reduce/reduce.h"

#include <math.h>
#include <string.h>

/* R'C R, a motion's own power over the sum of its parts' */
static sn_status check_rigid(const sn_basis *basis, double *x, double *y, sn_err *err)
{
    const sn_fe_body *fe = basis->fe;
    const size_t n = (size_t)fe->n;
    for (int k = 0; k < 6; k++) {
        double sum = 0, parts = 0;
        sn_ties_expand(&basis->T, basis->R + (size_t)k * (size_t)basis->T.z, x);
        sn_sparse_times(&fe->C, 1, x, y);
        for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
        for (int j = 0; j < fe->n; j++)
            for (int e = fe->C.first[j]; e < fe->C.first[j + 1]; e++)
                parts += fabs(x[fe->C.row[e]] * fe->C.x[e] * x[j]);
        if (fabs(sum) > 1e-8 * parts)
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "the body's damping brakes it as a whole (a damper that is fastened elsewhere, or "
                           "'damping_mass'): leave that to the model that uses it");
    }
    return SN_OK;
}

/* D = Phi'C Phi, its symmetric part; off: the largest of the other over the largest of this */
static void project(const sn_fe_body *fe, const double *Phi, int nd, double *y, double *D, double *off)
{
    const size_t n = (size_t)fe->n, m = (size_t)nd;
    double top = 0, most = 0;
    for (size_t j = 0; j < m; j++) {
        sn_sparse_times(&fe->C, 1, Phi + j * n, y);
        for (size_t i = 0; i < m; i++) {
            double sum = 0;
            for (size_t l = 0; l < n; l++) sum += Phi[i * n + l] * y[l];
            D[i * m + j] = sum;
        }
    }
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i <= j; i++) {
            const double a = D[i * m + j], b = D[j * m + i];
            top = fmax(top, fabs(a + b) / 2), most = fmax(most, fabs(a - b) / 2);
            D[i * m + j] = D[j * m + i] = (a + b) / 2;
        }
    *off = most > 0 ? most / top : 0;
}

sn_status sn_body_damping(const sn_basis *basis, const double *Phi, sn_block *block, sn_reduced_body *b,
                          sn_err *err)
{
    const sn_fe_body *fe = basis->fe;
    const size_t nd = (size_t)b->nd;
    if (!fe->C.cols || !fe->C.first[fe->C.cols]) return SN_OK;
    double off = 0, *D = block->alloc(block, nd * nd + 1, sizeof *D),
           *x = sn_alloc(2 * (size_t)fe->n + 1, sizeof *x);
    sn_status s = D && x ? check_rigid(basis, x, x + fe->n, err) : SN_OUT_OF_MEM(err);
    if (!s) project(fe, Phi, b->nd, x, D, &off);
    if (!s && off > 1e-8)
        s = sn_fail(
            err, SN_ERR_INPUT, NULL,
            "the damping of the body is not symmetric, entries differ by %.2g of the largest: it is not "
            "of dampers",
            2 * off);
    if (!s) b->damping = D;
    sn_free(x);
    return s;
}
