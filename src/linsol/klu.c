/* Sparse LU for narrow factors (chains, trees, small systems): KLU finds the order and the pivots, lu.c
   computes with them.

   KLU pivots with rows scaled by their largest entry, keeping diagonal pivots down to 0.001 of the column.
   The first factorisation tries three orders and keeps the cheapest: AMD; AMD with the block triangular form
   (on KKT matrices its maximum matching spoils the symmetry that AMD likes, a tenth more fill in chains of
   bodies, but a matrix with real blocks gains by it); and from both ends to the middle, where that exists.
   Later factorisations reuse the pivots while the growth of the backward error stays below 1e4 (or ten times
   that of the fresh pivots, where those grow more, but 1e7 at most): the solution then keeps eleven digits of
   what the condition allows even without refinement. Past that KLU pivots anew. */
#include "linsol/linsol.h"
#include "linsol/lu.h"
#include "linsol/order.h"

#include <math.h>
#include <string.h>
#include <suitesparse/klu.h>

typedef struct klu_solver {
    int n;
    const int *Ap, *Ai;
    klu_common common;
    klu_symbolic *symbolic;
    sn_lu lu;
    int *pivots;  /* rows of the pivots lu is planned for, or NULL */
    double limit; /* of growth under old pivots; 0 when there are none */
    int good;     /* there are factors */
    long repivoted;
} klu_solver;

static void klu_solver_free(void *self)
{
    klu_solver *s = self;
    if (!s) return;
    sn_lu_clear(&s->lu);
    sn_free(s->pivots);
    if (s->symbolic) klu_free_symbolic(&s->symbolic, &s->common);
    sn_free(s);
}

/* perm: an order to take instead of AMD's, or NULL. */
static sn_status order(klu_solver *s, int btf, int *perm, sn_err *err)
{
    int *Ap = (int *)s->Ap, *Ai = (int *)s->Ai;
    klu_defaults(&s->common);
    s->common.btf = btf;
    s->common.scale = 2;
    s->common.initmem = 2; /* for orders whose fill KLU does not know, over the entries of A; it grows */
    s->symbolic = perm ? klu_analyze_given(s->n, Ap, Ai, perm, perm, &s->common)
                       : klu_analyze(s->n, Ap, Ai, &s->common);
    if (s->symbolic) return SN_OK;
    if (s->common.status == KLU_OUT_OF_MEMORY) return SN_OUT_OF_MEM(err);
    if (s->common.status == KLU_TOO_LARGE) return sn_lu_too_large(s->n, err);
    return sn_fail(err, SN_ERR_BUG, NULL, "klu does not accept the sparsity pattern");
}

static sn_status klu_solver_analyse(int n, const int *Ap, const int *Ai, void **self, sn_err *err)
{
    klu_solver *s;
    *self = NULL;
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    s->n = n;
    s->Ap = Ap;
    s->Ai = Ai;
    sn_status status = n ? order(s, 0, NULL, err) : SN_OK;
    if (status != SN_OK) {
        klu_solver_free(s);
        return status;
    }
    *self = s;
    return SN_OK;
}

/* Plan the factors for rows of pivots, if they are others than before. */
static sn_status plan(klu_solver *s, const int *rows, sn_err *err)
{
    size_t bytes = sizeof *rows * (size_t)s->n;
    if (s->pivots && !memcmp(s->pivots, rows, bytes)) return SN_OK;
    sn_free(s->pivots);
    s->pivots = NULL;
    SN_TRY(sn_lu_plan(&s->lu, s->n, s->Ap, s->Ai, rows, s->symbolic->Q, err));
    if (!SN_NEW(s->pivots, s->n)) return SN_OUT_OF_MEM(err);
    memcpy(s->pivots, rows, bytes);
    return SN_OK;
}

/* Let KLU choose pivots for Ax and plan the factors. SN_ERR_NUMERIC without a report: a pivot is zero. */
static sn_status try_pivot(klu_solver *s, const double *Ax, sn_err *err)
{
    klu_numeric *numeric = klu_factor((int *)s->Ap, (int *)s->Ai, (double *)Ax, s->symbolic, &s->common);
    if (!numeric) {
        if (s->common.status == KLU_SINGULAR) return SN_ERR_NUMERIC;
        if (s->common.status == KLU_OUT_OF_MEMORY) return SN_OUT_OF_MEM(err);
        if (s->common.status == KLU_TOO_LARGE) return sn_lu_too_large(s->n, err);
        return sn_fail(err, SN_ERR_BUG, NULL, "klu cannot factor the matrix (status %d)", s->common.status);
    }
    sn_status status = plan(s, numeric->Pnum, err);
    klu_free_numeric(&numeric, &s->common);
    return status;
}

/* The same, on a zero pivot once more with values disturbed by a little more than rounding: the order of
   pivots is then good enough to find the null vector with. Where that fails too, whole columns are zero or
   the pattern is singular. */
static sn_status pivot(klu_solver *s, const double *Ax, int *column, sn_err *err)
{
    const double disturbance = 1e-13;
    double *values;
    int nz = s->Ap[s->n];
    s->limit = 0;
    sn_status status = try_pivot(s, Ax, err);
    if (status != SN_ERR_NUMERIC) return status;
    if (!SN_NEW(values, nz)) return SN_OUT_OF_MEM(err);
    for (int p = 0; p < nz; p++)
        values[p] = Ax[p] * (1 + disturbance * fmod(0.6180339887498949 * (p + 1), 1));
    status = try_pivot(s, values, err);
    sn_free(values);
    if (status != SN_ERR_NUMERIC) return status;
    if (column) *column = s->common.singular_col;
    return sn_fail(err, status, NULL, "the matrix is singular at column %d", s->common.singular_col);
}

/* Time of a factorisation and some solves, in flops: in a solve every pivot waits for those on the way to it.
 */
static double cost(const sn_lu *lu) { return lu->flops + 30.0 * lu->depth; }

/* Try another order; it takes the place of the present one if it works and costs less. */
static sn_status try_order(klu_solver *s, const double *Ax, int btf, int *perm, sn_err *err)
{
    klu_solver other = {.n = s->n, .Ap = s->Ap, .Ai = s->Ai};
    sn_status status = order(&other, btf, perm, NULL);
    if (status == SN_OK) status = pivot(&other, Ax, NULL, NULL);
    if (status == SN_OK && cost(&other.lu) < cost(&s->lu)) {
        klu_solver keep = *s;
        *s = other;
        other = keep;
    }
    sn_lu_clear(&other.lu);
    sn_free(other.pivots);
    if (other.symbolic) klu_free_symbolic(&other.symbolic, &other.common);
    return status == SN_ERR_MEMORY ? SN_OUT_OF_MEM(err) : SN_OK;
}

/* First pivots: by the order of analysis, by that with the block triangular form, or from both ends. */
static sn_status choose_order(klu_solver *s, const double *Ax, int *column, sn_err *err)
{
    const double dear = 1e8;
    int *perm, found;
    SN_TRY(pivot(s, Ax, column, err));
    if (s->lu.flops > dear) return SN_OK;
    SN_TRY(try_order(s, Ax, 1, NULL, err));
    if (!SN_NEW(perm, s->n)) return SN_OUT_OF_MEM(err);
    sn_status status = sn_order_from_ends(s->n, s->Ap, s->Ai, perm, &found, err);
    if (status == SN_OK && found) status = try_order(s, Ax, 0, perm, err);
    sn_free(perm);
    return status;
}

static sn_status check_finite(const klu_solver *s, const double *Ax, int *column, sn_err *err)
{
    for (int j = 0; j < s->n; j++)
        for (int p = s->Ap[j]; p < s->Ap[j + 1]; p++)
            if (!isfinite(Ax[p])) {
                if (column) *column = j;
                return sn_fail(err, SN_ERR_NUMERIC, NULL,
                               "the matrix has an entry that is not finite in column %d", j);
            }
    return SN_OK;
}

static sn_status klu_solver_factor(void *self, const double *Ax, int *column, sn_err *err)
{
    const double usual_growth = 1e4, most_growth = 1e7;
    klu_solver *s = self;
    if (column) *column = -1;
    s->good = s->n == 0 || (s->limit > 0 && sn_lu_factor(&s->lu, Ax, s->limit));
    if (s->good) return SN_OK;
    if (s->limit > 0) s->repivoted++;
    SN_TRY(check_finite(s, Ax, column, err));
    SN_TRY(s->lu.n ? pivot(s, Ax, column, err) : choose_order(s, Ax, column, err));
    s->good = sn_lu_factor(&s->lu, Ax, INFINITY);
    if (!s->good) return sn_fail(err, SN_ERR_NUMERIC, NULL, "the factors overflow");
    s->limit = s->lu.doubtful ? usual_growth : fmin(fmax(usual_growth, 10 * s->lu.growth), most_growth);
    return SN_OK;
}

static sn_status klu_solver_solve(void *self, int transposed, int nrhs, double *b)
{
    klu_solver *s = self;
    if (!s->good) return SN_ERR_BUG;
    if (s->n == 0) return SN_OK;
    if (transposed)
        sn_lu_solve_transposed(&s->lu, nrhs, b);
    else
        sn_lu_solve(&s->lu, nrhs, b);
    return SN_OK;
}

static sn_status klu_solver_solve_rows(void *self, int nrhs, double *b)
{
    klu_solver *s = self;
    if (!s->good) return SN_ERR_BUG;
    if (s->n) sn_lu_solve_rows(&s->lu, nrhs, b);
    return SN_OK;
}

static double klu_solver_growth(void *self) { return ((klu_solver *)self)->lu.growth; }

static void klu_solver_forget(void *self) { ((klu_solver *)self)->limit = 0; }

static int klu_solver_doubtful(void *self) { return ((klu_solver *)self)->lu.doubtful; }

static double klu_solver_rcond(void *self)
{
    klu_solver *s = self;
    return s->good ? sn_lu_rcond(&s->lu) : 0;
}

static double klu_solver_flops(void *self)
{
    klu_solver *s = self;
    return s->lu.n ? s->lu.flops : s->symbolic ? s->symbolic->est_flops : 0;
}

static double klu_solver_nonzeros(void *self)
{
    klu_solver *s = self;
    if (s->lu.n) return (double)s->lu.Lp[s->n] + s->lu.Up[s->n] + s->n;
    return s->symbolic ? s->symbolic->lnz + s->symbolic->unz - s->n : 0;
}

static double klu_solver_bytes(void *self)
{
    klu_solver *s = self;
    return (double)sizeof *s + sn_lu_bytes(&s->lu) + (double)s->common.memusage;
}

static long klu_solver_repivoted(void *self) { return ((klu_solver *)self)->repivoted; }

extern const sn_linsol_class sn_linsol_klu;
const sn_linsol_class sn_linsol_klu = {
    .name = "klu",
    .doc = "sparse LU for chains, trees and small systems: pivots by KLU, reused while they are good",
    .analyse = klu_solver_analyse,
    .factor = klu_solver_factor,
    .solve = klu_solver_solve,
    .solve_rows = klu_solver_solve_rows,
    .release = klu_solver_free,
    .forget = klu_solver_forget,
    .growth = klu_solver_growth,
    .doubtful = klu_solver_doubtful,
    .rcond = klu_solver_rcond,
    .flops = klu_solver_flops,
    .nonzeros = klu_solver_nonzeros,
    .bytes = klu_solver_bytes,
    .repivoted = klu_solver_repivoted,
};
