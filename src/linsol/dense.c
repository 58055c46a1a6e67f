/* Dense LU by LAPACK (dgetrf), for small full systems and as a check of the sparse solvers; memory n^2, time
   2/3 n^3.

   Rows are scaled by their largest entry before pivoting: S A = P L U. A pivot below a few eps times the
   magnitudes it was summed from is rounding only: the matrix then counts as singular. */
#include "linsol/linsol.h"

#include <float.h>
#include <math.h>
#include <string.h>

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t trans_length);
void dsytrf_(const char *uplo, const int *n, double *a, const int *lda, int *ipiv, double *work,
             const int *lwork, int *info, size_t uplo_length);
void dgecon_(const char *norm, const int *n, const double *a, const int *lda, const double *anorm,
             double *rcond, double *work, int *iwork, int *info, size_t norm_length);

typedef struct dense_solver {
    int n, good, doubtful;
    const int *Ap, *Ai;
    double *a;     /* n x n by columns */
    double *scale; /* of rows */
    double *work;  /* 4 n */
    double norm;   /* 1-norm of the scaled matrix */
    int *pivot, *iwork;
} dense_solver;

static void dense_free(void *self)
{
    dense_solver *s = self;
    if (!s) return;
    sn_free(s->a);
    sn_free(s->scale);
    sn_free(s->work);
    sn_free(s->pivot);
    sn_free(s->iwork);
    sn_free(s);
}

static sn_status dense_analyse(int n, const int *Ap, const int *Ai, void **self, sn_err *err)
{
    const int most = 20000;
    dense_solver *s;
    *self = NULL;
    if (n > most)
        return sn_fail(err, SN_ERR_INPUT, NULL, "solver dense takes %d unknowns at most, not %d", most, n);
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    *s = (dense_solver){.n = n, .Ap = Ap, .Ai = Ai};
    if (!SN_NEW(s->a, (size_t)n * (size_t)n) || !SN_NEW(s->scale, n) || !SN_NEW(s->work, 4 * (size_t)n) ||
        !SN_NEW(s->pivot, n) || !SN_NEW(s->iwork, n)) {
        dense_free(s);
        return SN_OUT_OF_MEM(err);
    }
    *self = s;
    return SN_OK;
}

/* The scaled matrix; returns a column with an entry that is not finite, or -1. */
static int fill(dense_solver *s, const double *Ax)
{
    size_t n = (size_t)s->n;
    memset(s->a, 0, n * n * sizeof *s->a);
    memset(s->scale, 0, n * sizeof *s->scale);
    for (int j = 0; j < s->n; j++)
        for (int p = s->Ap[j]; p < s->Ap[j + 1]; p++) {
            if (!isfinite(Ax[p])) return j;
            s->scale[s->Ai[p]] = fmax(s->scale[s->Ai[p]], fabs(Ax[p]));
        }
    for (size_t i = 0; i < n; i++) s->scale[i] = s->scale[i] > 0 ? 1 / s->scale[i] : 1;
    s->norm = 0;
    for (int j = 0; j < s->n; j++) {
        double sum = 0, *aj = s->a + (size_t)j * n;
        for (int p = s->Ap[j]; p < s->Ap[j + 1]; p++) {
            double v = Ax[p] * s->scale[s->Ai[p]];
            aj[s->Ai[p]] = v;
            sum += fabs(v);
        }
        s->norm = fmax(s->norm, sum);
    }
    return -1;
}

/* A pivot far below the rest of its column may be all rounding. A zero pivot is replaced by less than what
   rounding does (the largest entry of a row is one). */
static int check_pivots(dense_solver *s)
{
    const double small = 1e-12;
    size_t n = (size_t)s->n;
    int doubtful = 0;
    for (size_t k = 0; k < n; k++) {
        double *uk = s->a + k * n, top = 0;
        for (size_t j = 0; j < k; j++) top = fmax(top, fabs(uk[j]));
        if (fabs(uk[k]) <= small * top) doubtful = 1;
        if (uk[k] == 0) uk[k] = 0.1 * DBL_EPSILON;
    }
    return doubtful;
}

static sn_status dense_factor(void *self, const double *Ax, int *column, sn_err *err)
{
    dense_solver *s = self;
    int info = 0;
    s->good = 0;
    if (column) *column = -1;
    if (s->n > 0) {
        int bad = fill(s, Ax);
        if (bad >= 0) {
            if (column) *column = bad;
            return sn_fail(err, SN_ERR_NUMERIC, NULL,
                           "the matrix has an entry that is not finite in column %d", bad);
        }
        dgetrf_(&s->n, &s->n, s->a, &s->n, s->pivot, &info);
        if (info < 0) return sn_fail(err, SN_ERR_BUG, NULL, "dgetrf: argument %d", -info);
        s->doubtful = check_pivots(s);
    }
    s->good = 1;
    return SN_OK;
}

static sn_status dense_solve(void *self, int transposed, int nrhs, double *b)
{
    dense_solver *s = self;
    size_t n = (size_t)s->n;
    int info = 0;
    if (!s->good) return SN_ERR_BUG;
    if (n == 0 || nrhs == 0) return SN_OK;
    /* S A x = S b, and A' S (S^-1 x) = b */
    if (!transposed)
        for (size_t k = 0; k < n * (size_t)nrhs; k++) b[k] *= s->scale[k % n];
    dgetrs_(transposed ? "T" : "N", &s->n, &nrhs, s->a, &s->n, s->pivot, b, &s->n, &info, 1);
    if (transposed)
        for (size_t k = 0; k < n * (size_t)nrhs; k++) b[k] *= s->scale[k % n];
    return info ? SN_ERR_BUG : SN_OK;
}

static void dense_renew(void *self) { ((dense_solver *)self)->good = 0; }

static int dense_doubtful(void *self) { return ((dense_solver *)self)->doubtful; }

static double dense_rcond(void *self)
{
    dense_solver *s = self;
    double rcond = 0;
    int info = 0;
    if (!s->good) return 0;
    if (s->n == 0) return 1;
    dgecon_("1", &s->n, s->a, &s->n, &s->norm, &rcond, s->work, s->iwork, &info, 1);
    return info ? 0 : rcond;
}

static double dense_flops(void *self)
{
    double n = ((dense_solver *)self)->n;
    return 2 * n * n * n / 3;
}

static double dense_nonzeros(void *self)
{
    double n = ((dense_solver *)self)->n;
    return n * n;
}

static double dense_bytes(void *self)
{
    double n = ((dense_solver *)self)->n;
    return (double)sizeof(dense_solver) + 8 * n * (n + 6);
}

static sn_status dense_count_negative(void *self, const double *Ax, int *negative, sn_err *err)
{
    dense_solver *s = self;
    const int lwork = 4 * s->n;
    size_t n = (size_t)s->n;
    double *a = s->a;
    int info = 0;
    *negative = 0;
    s->good = 0;
    if (!n) return SN_OK;
    if (fill(s, Ax) >= 0)
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "the matrix has an entry that is not finite");
    /* scaled on both sides by roots of the scales of rows: the signs of the eigenvalues stay */
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) a[j * n + i] *= sqrt(s->scale[j] / s->scale[i]);
    dsytrf_("L", &s->n, a, &s->n, s->pivot, s->work, &lwork, &info, 1);
    for (size_t i = 0; i < n; i++) {
        *negative += s->pivot[i] < 0 || a[i * n + i] < 0; /* a pair of pivots has one of each sign */
        i += s->pivot[i] < 0;
    }
    return SN_OK;
}

extern const sn_linsol_class sn_linsol_dense;
const sn_linsol_class sn_linsol_dense = {
    .name = "dense",
    .doc = "LAPACK on the full matrix, for small or full systems",
    .analyse = dense_analyse,
    .count_negative = dense_count_negative,
    .factor = dense_factor,
    .solve = dense_solve,
    .release = dense_free,
    .renew = dense_renew,
    .doubtful = dense_doubtful,
    .rcond = dense_rcond,
    .flops = dense_flops,
    .nonzeros = dense_nonzeros,
    .bytes = dense_bytes,
};
