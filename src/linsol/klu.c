/* Sparse LU for narrow factors (chains, trees, small systems): KLU finds the order and the pivots, lu.c
   computes with them.

   KLU pivots with rows scaled by their largest entry, keeping diagonal pivots down to 0.001 of the column.
   The first factorisation tries three orders and keeps the cheapest: AMD; AMD with the block triangular form
   (on KKT matrices its maximum matching spoils the symmetry that AMD likes, a tenth more fill in chains of
   bodies, but a matrix with real blocks gains by it); and from both ends to the middle, where that exists. A
   solver that is renewed tries them again, without analyses or plans where KLU finds the pivots that it found
   before. Later factorisations reuse the pivots while the growth of the backward error stays below 1e4 (or
   ten times that of the fresh pivots, where those grow more, but 1e7 at most): the solution then keeps eleven
   digits of what the condition allows even without refinement. Past that KLU pivots anew. */
#include "linsol/linsol.h"
#include "linsol/lu.h"
#include "linsol/order.h"

#include <math.h>
#include <string.h>
#include <suitesparse/klu.h>

enum { AMD, BLOCKS, ENDS, ORDERS };

/* An order of columns: its analysis, and the rows of the pivots that a first factorisation with it had, with
   what factors with them cost. */
typedef struct column_order {
    klu_common common;
    klu_symbolic *symbolic; /* NULL: not analysed yet, or there is no such order */
    int analysed, *rows;
    double flops, cost;
} column_order;

typedef struct klu_solver {
    int n;
    const int *Ap, *Ai;
    column_order order[ORDERS];
    int chosen; /* order of the pivots; -1: none yet */
    sn_lu lu;
    int of, *pivots; /* order and rows of the pivots lu is planned for; NULL: it is not */
    double limit;    /* of growth under old pivots; 0 when there are none */
    int good;        /* there are factors */
    int renewed;     /* it is used again and again: orders that were not chosen are kept */
    long repivoted;
} klu_solver;

static void drop_order(column_order *o)
{
    if (o->symbolic) klu_free_symbolic(&o->symbolic, &o->common);
    sn_free(o->rows);
    o->rows = NULL, o->analysed = 0;
}

static void klu_solver_free(void *self)
{
    klu_solver *s = self;
    if (!s) return;
    sn_lu_clear(&s->lu);
    sn_free(s->pivots);
    for (int k = 0; k < ORDERS; k++) drop_order(&s->order[k]);
    sn_free(s);
}

/* perm: an order to take instead of AMD's, or NULL. */
static sn_status analyse(const klu_solver *s, int btf, int *perm, column_order *o, sn_err *err)
{
    int *Ap = (int *)s->Ap, *Ai = (int *)s->Ai;
    klu_defaults(&o->common);
    o->common.btf = btf;
    o->common.scale = 2;
    o->common.initmem = 2; /* for orders whose fill KLU does not know, over the entries of A; it grows */
    o->symbolic = perm ? klu_analyze_given(s->n, Ap, Ai, perm, perm, &o->common)
                       : klu_analyze(s->n, Ap, Ai, &o->common);
    if (o->symbolic) return SN_OK;
    if (o->common.status == KLU_OUT_OF_MEMORY) return SN_OUT_OF_MEM(err);
    if (o->common.status == KLU_TOO_LARGE) return sn_lu_too_large(s->n, err);
    return sn_fail(err, SN_ERR_BUG, NULL, "klu does not accept the sparsity pattern");
}

static sn_status analyse_from_ends(const klu_solver *s, column_order *o, sn_err *err)
{
    int *perm, found;
    if (!SN_NEW(perm, s->n)) return SN_OUT_OF_MEM(err);
    sn_status status = sn_order_from_ends(s->n, s->Ap, s->Ai, perm, &found, err);
    if (status == SN_OK && found) status = analyse(s, 0, perm, o, err);
    sn_free(perm);
    return status;
}

static sn_status analyse_order(klu_solver *s, int k, sn_err *err)
{
    column_order *o = &s->order[k];
    if (o->analysed) return SN_OK;
    SN_TRY(k == ENDS ? analyse_from_ends(s, o, err) : analyse(s, k == BLOCKS, NULL, o, err));
    o->analysed = 1;
    return SN_OK;
}

static sn_status klu_solver_analyse(int n, const int *Ap, const int *Ai, void **self, sn_err *err)
{
    klu_solver *s;
    *self = NULL;
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    s->n = n;
    s->Ap = Ap;
    s->Ai = Ai;
    s->chosen = -1;
    sn_status status = n ? analyse_order(s, AMD, err) : SN_OK;
    if (status != SN_OK) {
        klu_solver_free(s);
        return status;
    }
    *self = s;
    return SN_OK;
}

/* Rows of the pivots that KLU chooses for Ax; SN_ERR_NUMERIC without a report: a pivot is zero. */
static sn_status try_pivots(const klu_solver *s, column_order *o, const double *Ax, int *rows, sn_err *err)
{
    klu_numeric *numeric = klu_factor((int *)s->Ap, (int *)s->Ai, (double *)Ax, o->symbolic, &o->common);
    if (!numeric) {
        if (o->common.status == KLU_SINGULAR) return SN_ERR_NUMERIC;
        if (o->common.status == KLU_OUT_OF_MEMORY) return SN_OUT_OF_MEM(err);
        if (o->common.status == KLU_TOO_LARGE) return sn_lu_too_large(s->n, err);
        return sn_fail(err, SN_ERR_BUG, NULL, "klu cannot factor the matrix (status %d)", o->common.status);
    }
    memcpy(rows, numeric->Pnum, sizeof *rows * (size_t)s->n);
    klu_free_numeric(&numeric, &o->common);
    return SN_OK;
}

/* The same, on a zero pivot once more with values disturbed by a little more than rounding: the order of
   pivots is then good enough to find the null vector with. Where that fails too, whole columns are zero or
   the pattern is singular. */
static sn_status find_pivots(const klu_solver *s, column_order *o, const double *Ax, int *rows, int *column,
                             sn_err *err)
{
    const double disturbance = 1e-13;
    double *values;
    int nz = s->Ap[s->n];
    sn_status status = try_pivots(s, o, Ax, rows, err);
    if (status != SN_ERR_NUMERIC) return status;
    if (!SN_NEW(values, nz)) return SN_OUT_OF_MEM(err);
    for (int p = 0; p < nz; p++)
        values[p] = Ax[p] * (1 + disturbance * fmod(0.6180339887498949 * (p + 1), 1));
    status = try_pivots(s, o, values, rows, err);
    sn_free(values);
    if (status != SN_ERR_NUMERIC) return status;
    if (column) *column = o->common.singular_col;
    return sn_fail(err, status, NULL, "the matrix is singular at column %d", o->common.singular_col);
}

static int same(const klu_solver *s, const int *a, const int *b)
{
    return a && !memcmp(a, b, sizeof *a * (size_t)s->n);
}

static sn_status keep_rows(const klu_solver *s, const int *rows, int **to, sn_err *err)
{
    if (!*to && !SN_NEW(*to, s->n)) return SN_OUT_OF_MEM(err);
    memcpy(*to, rows, sizeof *rows * (size_t)s->n);
    return SN_OK;
}

/* Plan the factors for rows of pivots in the chosen order, if they are others than before. ready: planned
   already, it is taken over; or empty. */
static sn_status plan(klu_solver *s, const int *rows, sn_lu *ready, sn_err *err)
{
    if (s->of == s->chosen && same(s, s->pivots, rows)) {
        sn_lu_clear(ready);
        return SN_OK;
    }
    sn_free(s->pivots);
    s->pivots = NULL;
    sn_lu_clear(&s->lu);
    s->lu = *ready;
    *ready = (sn_lu){0};
    if (!s->lu.n) SN_TRY(sn_lu_plan(&s->lu, s->n, s->Ap, s->Ai, rows, s->order[s->chosen].symbolic->Q, err));
    s->of = s->chosen;
    return keep_rows(s, rows, &s->pivots, err);
}

/* Other pivots in the order that was chosen. */
static sn_status pivot(klu_solver *s, const double *Ax, int *column, sn_err *err)
{
    sn_lu none = {0};
    int *rows;
    s->limit = 0;
    if (!SN_NEW(rows, s->n)) return SN_OUT_OF_MEM(err);
    sn_status status = find_pivots(s, &s->order[s->chosen], Ax, rows, column, err);
    if (status == SN_OK) status = plan(s, rows, &none, err);
    sn_free(rows);
    return status;
}

/* Time of a factorisation and some solves, in flops: in a solve every pivot waits for those on the way to it.
 */
static double cost(const sn_lu *lu) { return lu->flops + 30.0 * lu->depth; }

/* Pivots by order k for Ax, and what factors with them cost; planned: the factors, or empty where the cost
   was known from the same pivots before. */
static sn_status judge(klu_solver *s, int k, const double *Ax, int *rows, sn_lu *planned, int *column,
                       sn_err *err)
{
    column_order *o = &s->order[k];
    SN_TRY(find_pivots(s, o, Ax, rows, column, err));
    if (same(s, o->rows, rows)) return SN_OK;
    sn_free(o->rows);
    o->rows = NULL;
    SN_TRY(sn_lu_plan(planned, s->n, s->Ap, s->Ai, rows, o->symbolic->Q, err));
    o->flops = planned->flops, o->cost = cost(planned);
    return keep_rows(s, rows, &o->rows, err);
}

/* Order k, beside AMD's, takes the place of the best one if it works and costs less. */
static sn_status try_order(klu_solver *s, int k, const double *Ax, int *rows, sn_lu *best, sn_err *err)
{
    sn_lu planned = {0};
    sn_status status = analyse_order(s, k, NULL);
    if (status == SN_OK && !s->order[k].symbolic) return SN_OK;
    if (status == SN_OK) status = judge(s, k, Ax, rows, &planned, NULL, NULL);
    if (status == SN_OK && s->order[k].cost < s->order[s->chosen].cost) {
        sn_lu_clear(best);
        *best = planned, planned = (sn_lu){0};
        s->chosen = k;
    }
    sn_lu_clear(&planned);
    return status == SN_ERR_MEMORY ? SN_OUT_OF_MEM(err) : SN_OK;
}

/* First pivots: by the order of analysis, by that with the block triangular form, or from both ends. */
static sn_status choose_order(klu_solver *s, const double *Ax, int *column, sn_err *err)
{
    const double dear = 1e8;
    sn_lu best = {0};
    int *rows;
    s->limit = 0;
    SN_TRY(analyse_order(s, AMD, err));
    if (!SN_NEW(rows, s->n)) return SN_OUT_OF_MEM(err);
    sn_status status = judge(s, AMD, Ax, rows, &best, column, err);
    if (status == SN_OK) s->chosen = AMD;
    for (int k = BLOCKS; k < ORDERS && status == SN_OK && s->order[AMD].flops <= dear; k++)
        status = try_order(s, k, Ax, rows, &best, err);
    if (status == SN_OK) status = plan(s, s->order[s->chosen].rows, &best, err);
    if (status != SN_OK) s->chosen = -1;
    for (int k = 0; k < ORDERS && status == SN_OK && !s->renewed; k++) {
        if (k != s->chosen) drop_order(&s->order[k]);
        sn_free(s->order[k].rows);
        s->order[k].rows = NULL;
    }
    sn_lu_clear(&best);
    sn_free(rows);
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
    SN_TRY(s->chosen < 0 ? choose_order(s, Ax, column, err) : pivot(s, Ax, column, err));
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

static void klu_solver_renew(void *self)
{
    klu_solver *s = self;
    s->chosen = -1, s->limit = 0, s->good = 0, s->repivoted = 0;
    s->renewed = 1;
}

static int klu_solver_doubtful(void *self) { return ((klu_solver *)self)->lu.doubtful; }

static double klu_solver_rcond(void *self)
{
    klu_solver *s = self;
    return s->good ? sn_lu_rcond(&s->lu) : 0;
}

static double klu_solver_flops(void *self)
{
    klu_solver *s = self;
    return s->lu.n ? s->lu.flops : s->order[AMD].symbolic ? s->order[AMD].symbolic->est_flops : 0;
}

static double klu_solver_nonzeros(void *self)
{
    klu_solver *s = self;
    if (s->lu.n) return (double)s->lu.Lp[s->n] + s->lu.Up[s->n] + s->n;
    const klu_symbolic *first = s->order[AMD].symbolic;
    return first ? first->lnz + first->unz - s->n : 0;
}

static double klu_solver_bytes(void *self)
{
    klu_solver *s = self;
    double bytes = (double)sizeof *s + sn_lu_bytes(&s->lu);
    for (int k = 0; k < ORDERS; k++)
        if (s->order[k].symbolic) bytes += (double)s->order[k].common.memusage;
    return bytes;
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
    .renew = klu_solver_renew,
    .growth = klu_solver_growth,
    .doubtful = klu_solver_doubtful,
    .rcond = klu_solver_rcond,
    .flops = klu_solver_flops,
    .nonzeros = klu_solver_nonzeros,
    .bytes = klu_solver_bytes,
    .repivoted = klu_solver_repivoted,
};
