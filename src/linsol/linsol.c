/* Linear solvers: the registry, the choice of one, counts, singular matrices, refinement, a condition
   estimate.

   A computed pivot is hardly ever zero on a singular matrix. Where a class doubts a pivot, one step of
   inverse iteration on either side gives approximate null vectors v = A^-1 s, u = A^-T s. Let R and C scale
   the largest entry of rows and columns to one. The quotient |u'A v| / (|R^-1 u| |C^-1 v|) is the smallest
   singular value of R A C up to the product of the errors of u and v. At 16 eps and less the matrix counts as
   singular: rounding leaves that much uncertain in sums of some ten terms. The largest component of C^-1 v is
   the column that depends on the others. */
#include "linsol/linsol.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SN_KIND(kind) extern const sn_linsol_class sn_linsol_##kind;
#include "linsol/list.h"
#undef SN_KIND

static const sn_linsol_class *const all[] = {
#define SN_KIND(kind) &sn_linsol_##kind,
#include "linsol/list.h"
#undef SN_KIND
    NULL,
};

const sn_linsol_class *const *sn_linsol_all(void) { return all; }

const sn_linsol_class *sn_linsol_find(const char *name)
{
    for (int i = 0; all[i]; i++)
        if (strcmp(all[i]->name, name) == 0) return all[i];
    return NULL;
}

static sn_status unknown_name(const char *name, sn_err *err)
{
    char known[128] = "auto";
    for (int i = 0; all[i]; i++) {
        size_t used = strlen(known), more = strlen(all[i]->name);
        if (used + more + 3 > sizeof known) break;
        memcpy(known + used, ", ", 2);
        memcpy(known + used + 2, all[i]->name, more + 1);
    }
    return sn_fail(err, SN_ERR_INPUT, NULL, "no linear solver '%s' (known: %s)", name, known);
}

/* Factors so wide that dense blocks pay: the solver made for them, or NULL. */
static const sn_linsol_class *wide_class(const sn_linsol *ls)
{
    const int large = 2000;
    const double wide = 40;
    double flops = ls->cls->flops(ls->self), nonzeros = ls->cls->nonzeros(ls->self);
    if (!(ls->n > large && flops > wide * nonzeros)) return NULL;
    return sn_linsol_find("multifrontal");
}

void sn_linsol_share(sn_linsol *ls, sn_team *team)
{
    ls->team = team;
    if (ls->cls->share) ls->cls->share(ls->self, team);
}

/* Go over to another class; the old one goes only when the new one stands. */
static sn_status change_class(sn_linsol *ls, const sn_linsol_class *cls, sn_err *err)
{
    void *self;
    SN_TRY(cls->analyse(ls->n, ls->Ap, ls->Ai, &self, err));
    ls->cls->release(ls->self);
    ls->cls = cls;
    ls->self = self;
    sn_linsol_share(ls, ls->team);
    return SN_OK;
}

sn_status sn_linsol_new(const char *name, int n, const int *Ap, const int *Ai, sn_linsol **out, sn_err *err)
{
    int automatic = !name || strcmp(name, "auto") == 0;
    const sn_linsol_class *cls = automatic ? all[0] : sn_linsol_find(name), *other;
    sn_linsol *ls;
    *out = NULL;
    if (!cls) return unknown_name(name, err);
    if (!SN_NEW(ls, 1)) return SN_OUT_OF_MEM(err);
    *ls = (sn_linsol){.cls = cls, .n = n, .automatic = automatic, .Ap = Ap, .Ai = Ai};
    sn_status status =
        SN_NEW(ls->work, 4 * (size_t)n) ? cls->analyse(n, Ap, Ai, &ls->self, err) : SN_OUT_OF_MEM(err);
    if (status == SN_OK && automatic && (other = wide_class(ls)) != NULL) {
        ls->automatic = 0;
        status = change_class(ls, other, err);
    }
    if (status != SN_OK) {
        sn_linsol_free(ls);
        return status;
    }
    ls->first = ls->cls, ls->first_automatic = ls->automatic;
    *out = ls;
    return SN_OK;
}

void sn_linsol_free(sn_linsol *ls)
{
    if (!ls) return;
    if (ls->self) ls->cls->release(ls->self);
    sn_free(ls->work);
    sn_free(ls);
}

/* Largest entries of the rows of A, and of the columns once the rows are scaled by them. */
static void find_scales(const sn_linsol *ls, const double *Ax, double *r, double *c)
{
    memset(r, 0, (size_t)ls->n * sizeof *r);
    memset(c, 0, (size_t)ls->n * sizeof *c);
    for (int p = 0; p < ls->Ap[ls->n]; p++) r[ls->Ai[p]] = fmax(r[ls->Ai[p]], fabs(Ax[p]));
    for (int j = 0; j < ls->n; j++)
        for (int p = ls->Ap[j]; p < ls->Ap[j + 1]; p++) c[j] = fmax(c[j], fabs(Ax[p]) / r[ls->Ai[p]]);
}

/* x <- A^-1 s or A^-T s scaled to unit length in the norm of weights w; s with no pattern and of the size of
 * `size`. */
static sn_status inverse_step(const sn_linsol *ls, int transposed, const double *size, const double *w,
                              double *x)
{
    double top = 0, sum = 0;
    for (int i = 0; i < ls->n; i++)
        x[i] = size[i] * (0.5 + 0.5 * fmod(0.6180339887498949 * (i + 1), 1)) * (i % 3 ? 1 : -1);
    SN_TRY(ls->cls->solve(ls->self, transposed, 1, x));
    for (int i = 0; i < ls->n; i++) top = fmax(top, fabs(w[i] * x[i]));
    for (int i = 0; i < ls->n; i++) sum += (w[i] * x[i] / top) * (w[i] * x[i] / top);
    for (int i = 0; i < ls->n; i++) x[i] /= top * sqrt(sum);
    return SN_OK;
}

/* The column where the null vector is largest, or -1 when the matrix is not singular to working accuracy. */
static int null_column(const sn_linsol *ls, const double *Ax)
{
    int n = ls->n, top = 0;
    double *r = ls->work, *c = r + n, *u = c + n, *v = u + n, quotient = 0;
    find_scales(ls, Ax, r, c);
    for (int j = 0; j < n; j++)
        if (c[j] == 0) return j;
    if (inverse_step(ls, 0, r, c, v) != SN_OK || inverse_step(ls, 1, c, r, u) != SN_OK) return -1;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int p = ls->Ap[j]; p < ls->Ap[j + 1]; p++) sum += Ax[p] * u[ls->Ai[p]];
        quotient += sum * v[j];
        if (fabs(c[j] * v[j]) > fabs(c[top] * v[top])) top = j;
    }
    return fabs(quotient) <= 16 * DBL_EPSILON ? top : -1;
}

static sn_status check_singular(const sn_linsol *ls, const double *Ax, int *column, sn_err *err)
{
    int at = ls->cls->doubtful(ls->self) ? null_column(ls, Ax) : -1;
    if (at < 0) return SN_OK;
    if (column) *column = at;
    return sn_fail(err, SN_ERR_NUMERIC, NULL, "the matrix is singular at column %d", at);
}

sn_status sn_linsol_factor(sn_linsol *ls, const double *Ax, int *column, sn_err *err)
{
    const sn_linsol_class *other;
    ls->factorisations++;
    ls->Ax = NULL;
    sn_status status = ls->cls->factor(ls->self, Ax, column, err);
    if (ls->cls->repivoted) ls->refactorisations_failed = ls->cls->repivoted(ls->self);
    SN_TRY(status);
    if (ls->automatic && (other = wide_class(ls)) != NULL) {
        SN_TRY(change_class(ls, other, err));
        SN_TRY(ls->cls->factor(ls->self, Ax, column, err));
    }
    ls->automatic = 0;
    SN_TRY(check_singular(ls, Ax, column, err));
    ls->Ax = Ax;
    return SN_OK;
}

double sn_linsol_growth(const sn_linsol *ls) { return ls->cls->growth ? ls->cls->growth(ls->self) : 1; }

void sn_linsol_forget(sn_linsol *ls)
{
    if (ls->self && ls->cls->forget) ls->cls->forget(ls->self);
}

sn_status sn_linsol_renew(sn_linsol *ls, sn_err *err)
{
    ls->Ax = NULL;
    ls->automatic = ls->first_automatic;
    ls->factorisations = ls->refactorisations_failed = ls->solves = 0;
    if (ls->cls != ls->first || !ls->cls->renew) return change_class(ls, ls->first, err);
    ls->cls->renew(ls->self);
    return SN_OK;
}

sn_status sn_linsol_solve(sn_linsol *ls, int transposed, int nrhs, double *b)
{
    if (!ls->Ax) return SN_ERR_BUG;
    ls->solves += nrhs;
    return ls->cls->solve(ls->self, transposed, nrhs, b);
}

sn_status sn_linsol_solve_rows(sn_linsol *ls, int nrhs, double *b)
{
    size_t n = (size_t)ls->n, columns = (size_t)nrhs;
    if (!ls->Ax) return SN_ERR_BUG;
    ls->solves += nrhs;
    if (ls->cls->solve_rows) return ls->cls->solve_rows(ls->self, nrhs, b);
    /* four columns at a time, one behind the other */
    for (size_t c = 0; c < columns; c += 4) {
        size_t some = columns - c < 4 ? columns - c : 4;
        for (size_t k = 0; k < some; k++)
            for (size_t i = 0; i < n; i++) ls->work[k * n + i] = b[i * columns + c + k];
        SN_TRY(ls->cls->solve(ls->self, 0, (int)some, ls->work));
        for (size_t k = 0; k < some; k++)
            for (size_t i = 0; i < n; i++) b[i * columns + c + k] = ls->work[k * n + i];
    }
    return SN_OK;
}

/* r <- r - A x or r - A' x */
static void subtract_product(const sn_linsol *ls, int transposed, const double *x, double *r)
{
    for (int j = 0; j < ls->n; j++) {
        double sum = 0, xj = x[j];
        if (transposed) {
            for (int p = ls->Ap[j]; p < ls->Ap[j + 1]; p++) sum += ls->Ax[p] * x[ls->Ai[p]];
            r[j] -= sum;
        } else {
            for (int p = ls->Ap[j]; p < ls->Ap[j + 1]; p++) r[ls->Ai[p]] -= ls->Ax[p] * xj;
        }
    }
}

sn_status sn_linsol_solve_together(sn_linsol *ls, int nrhs, double *b)
{
    if (!ls->Ax || nrhs > SN_LINSOL_TOGETHER) return SN_ERR_BUG;
    ls->solves += nrhs;
    if (ls->cls->solve_together) return ls->cls->solve_together(ls->self, nrhs, b);
    return ls->cls->solve(ls->self, 0, nrhs, b);
}

sn_status sn_linsol_solve_together_refined(sn_linsol *ls, int nrhs, double *b)
{
    size_t n = (size_t)ls->n, numbers = (size_t)nrhs * n;
    double *r = ls->work;
    if (!ls->Ax || nrhs > SN_LINSOL_TOGETHER) return SN_ERR_BUG;
    memcpy(r, b, numbers * sizeof *r);
    SN_TRY(sn_linsol_solve_together(ls, nrhs, b));
    for (size_t k = 0; k < numbers; k += n) subtract_product(ls, 0, b + k, r + k);
    SN_TRY(sn_linsol_solve_together(ls, nrhs, r));
    for (size_t i = 0; i < numbers; i++) b[i] += r[i];
    return SN_OK;
}

sn_status sn_linsol_solve_refined(sn_linsol *ls, int transposed, int nrhs, double *b)
{
    size_t n = (size_t)ls->n;
    if (!ls->Ax) return SN_ERR_BUG;
    for (int c = 0; c < nrhs; c++) {
        double *x = b + (size_t)c * n, *r = ls->work;
        memcpy(r, x, n * sizeof *r);
        SN_TRY(sn_linsol_solve(ls, transposed, 1, x));
        subtract_product(ls, transposed, x, r);
        SN_TRY(sn_linsol_solve(ls, transposed, 1, r));
        for (size_t i = 0; i < n; i++) x[i] += r[i];
    }
    return SN_OK;
}

static double norm1(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(x[i]);
    return sum;
}

/* |A^-1| in the 1-norm from below: Hager, SIAM J. Sci. Stat. Comput. 5 (1984), algorithm of section 2. */
static double inverse_norm(sn_linsol *ls)
{
    int n = ls->n, last = -1;
    double *x = ls->work, *xi = ls->work + n, best = 0;
    for (int i = 0; i < n; i++) x[i] = 1.0 / n;
    for (int turn = 0; turn < 5; turn++) {
        if (ls->cls->solve(ls->self, 0, 1, x) != SN_OK) return INFINITY;
        double size = norm1(n, x);
        if (!(size > best)) return isnan(size) ? INFINITY : best;
        best = size;
        for (int i = 0; i < n; i++) xi[i] = x[i] >= 0 ? 1 : -1;
        if (ls->cls->solve(ls->self, 1, 1, xi) != SN_OK) return INFINITY;
        int top = 0;
        for (int i = 1; i < n; i++)
            if (fabs(xi[i]) > fabs(xi[top])) top = i;
        if (top == last) break;
        last = top;
        memset(x, 0, (size_t)n * sizeof *x);
        x[top] = 1;
    }
    return best;
}

double sn_linsol_rcond(sn_linsol *ls)
{
    double norm = 0;
    if (!ls->Ax) return 0;
    if (ls->n == 0) return 1;
    if (ls->cls->rcond) return ls->cls->rcond(ls->self);
    for (int j = 0; j < ls->n; j++) norm = fmax(norm, norm1(ls->Ap[j + 1] - ls->Ap[j], ls->Ax + ls->Ap[j]));
    return 1 / (norm * inverse_norm(ls));
}

sn_status sn_linsol_inertia(int n, const int *Ap, const int *Ai, const double *Ax, int *negative, sn_err *err)
{
    const int small = 300;
    const sn_linsol_class *cls = sn_linsol_find(n <= small ? "dense" : "multifrontal");
    void *self;
    *negative = 0;
    SN_TRY(cls->analyse(n, Ap, Ai, &self, err));
    sn_status s = cls->count_negative(self, Ax, negative, err);
    cls->release(self);
    return s;
}

sn_status sn_linsol_count_negative(sn_linsol *ls, const double *Ax, int *negative, sn_err *err)
{
    if (!ls->cls->count_negative) return sn_linsol_inertia(ls->n, ls->Ap, ls->Ai, Ax, negative, err);
    ls->Ax = NULL;
    ls->factorisations++;
    return ls->cls->count_negative(ls->self, Ax, negative, err);
}
