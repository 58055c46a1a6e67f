#include "sensitivity/complex_lu.h"

#include <lapacke.h>
#include <math.h>

#undef I

sn_status sn_complex_lu_new(int n, sn_complex_lu *out, sn_err *err)
{
    size_t size = (size_t)n + 1;
    *out = (sn_complex_lu){.n = n};
    if (SN_NEW(out->A, size * size) && SN_NEW(out->row, size) && SN_NEW(out->col, size) &&
        SN_NEW(out->pivot, size))
        return SN_OK;
    sn_complex_lu_free(out);
    return SN_OUT_OF_MEM(err);
}

void sn_complex_lu_free(sn_complex_lu *f)
{
    sn_free(f->A), sn_free(f->row), sn_free(f->col), sn_free(f->pivot);
    *f = (sn_complex_lu){.n = 0};
}

/* The nearest power of 2 to 1/x: scaling by it rounds nothing. */
static double inverse_scale(double x)
{
    int e;
    if (!(x > 0) || !isfinite(x)) return 1;
    frexp(x, &e);
    return ldexp(1, -e);
}

static double size_of(double complex x) { return fmax(fabs(creal(x)), fabs(cimag(x))); }

sn_status sn_complex_lu_factor(sn_complex_lu *f)
{
    size_t n = (size_t)f->n;
    for (size_t i = 0; i < n; i++) {
        double top = 0;
        for (size_t j = 0; j < n; j++) {
            double a = size_of(f->A[j * n + i]);
            if (!isfinite(a)) return SN_ERR_NUMERIC;
            top = fmax(top, a);
        }
        f->row[i] = inverse_scale(top);
    }
    for (size_t j = 0; j < n; j++) {
        double top = 0;
        for (size_t i = 0; i < n; i++) top = fmax(top, size_of(f->A[j * n + i]) * f->row[i]);
        f->col[j] = inverse_scale(top);
        for (size_t i = 0; i < n; i++) f->A[j * n + i] *= f->row[i] * f->col[j];
    }
    return LAPACKE_zgetrf(LAPACK_COL_MAJOR, f->n, f->n, f->A, f->n, f->pivot) ? SN_ERR_NUMERIC : SN_OK;
}

sn_status sn_complex_lu_solve(const sn_complex_lu *f, int transposed, int columns, double complex *x)
{
    size_t n = (size_t)f->n;
    const double *before = transposed ? f->col : f->row, *after = transposed ? f->row : f->col;
    for (size_t c = 0; c < (size_t)columns; c++)
        for (size_t i = 0; i < n; i++) x[c * n + i] *= before[i];
    int bad = LAPACKE_zgetrs(LAPACK_COL_MAJOR, transposed ? 'T' : 'N', f->n, columns, f->A, f->n, f->pivot, x,
                             f->n);
    for (size_t c = 0; c < (size_t)columns; c++)
        for (size_t i = 0; i < n; i++) x[c * n + i] *= after[i];
    return bad ? SN_ERR_NUMERIC : SN_OK;
}
