/* Sparse L D U by fronts (front*.c), for wide factors: shells, solids, large nets; by several threads with
   the same bits.

   The order of elimination waits for the first values, since it depends on where the diagonal is weak. Where
   the matrix is symmetric only L and D are computed. What it has factors of already is not factored again: a
   start asks several times for one matrix. */
#include "linsol/front.h"
#include "linsol/linsol.h"

#include <math.h>
#include <string.h>

typedef struct multifrontal {
    sn_fronts fronts;
    int n, planned, good;
    const int *Ap, *Ai;
    double *Ax, *work; /* Ax: of the last factors; work: 3 n */
} multifrontal;

static void drop_factors(multifrontal *s)
{
    sn_fronts *f = &s->fronts;
    for (int k = 0; f->front && k < f->plan.fronts; k++)
        sn_front_give(f->pool, f->front[k].block), sn_front_give(f->pool, f->front[k].C);
    sn_free(f->front);
    sn_front_plan_free(&f->plan);
    f->front = NULL, s->planned = s->good = 0;
}

static void release(void *self)
{
    multifrontal *s = self;
    if (!s) return;
    drop_factors(s);
    sn_front_pool_free(s->fronts.pool);
    sn_free(s->fronts.r), sn_free(s->fronts.c), sn_free(s->Ax), sn_free(s->work);
    sn_free(s);
}

static sn_status analyse(int n, const int *Ap, const int *Ai, void **self, sn_err *err)
{
    multifrontal *s;
    *self = NULL;
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    s->n = n, s->Ap = Ap, s->Ai = Ai;
    s->fronts.pool = sn_front_pool_new();
    if (!s->fronts.pool || !SN_NEW(s->fronts.r, n) || !SN_NEW(s->fronts.c, n) || !SN_NEW(s->Ax, Ap[n]) ||
        !SN_NEW(s->work, 3 * (size_t)n)) {
        release(s);
        return SN_OUT_OF_MEM(err);
    }
    *self = s;
    return SN_OK;
}

static void share(void *self, sn_team *team) { ((multifrontal *)self)->fronts.team = team; }

static void renew(void *self) { drop_factors(self); }

/* The column of the first entry that is not finite, or -1. */
static int find_not_finite(const multifrontal *s, const double *Ax)
{
    for (int j = 0; j < s->n; j++)
        for (int p = s->Ap[j]; p < s->Ap[j + 1]; p++)
            if (!isfinite(Ax[p])) return j;
    return -1;
}

/* The order of elimination for these values; sizes of entries compared with the largest of their columns and
 * rows. */
static sn_status plan(multifrontal *s, const double *Ax)
{
    double *size, *row = s->work, *col = s->work + s->n;
    if (!SN_NEW(size, s->Ap[s->n])) return SN_ERR_MEMORY;
    memset(row, 0, sizeof *row * 2 * (size_t)s->n);
    for (int j = 0; j < s->n; j++)
        for (int p = s->Ap[j]; p < s->Ap[j + 1]; p++) {
            row[s->Ai[p]] = fmax(row[s->Ai[p]], fabs(Ax[p]));
            col[j] = fmax(col[j], fabs(Ax[p]));
        }
    for (int j = 0; j < s->n; j++)
        for (int p = s->Ap[j]; p < s->Ap[j + 1]; p++)
            size[p] = Ax[p] == 0 ? 0 : fabs(Ax[p]) / sqrt(row[s->Ai[p]]) / sqrt(col[j]);
    sn_status status = sn_front_plan_new(&s->fronts.plan, s->n, s->Ap, s->Ai, size);
    sn_free(size);
    if (!status && !SN_NEW(s->fronts.front, s->fronts.plan.fronts + 1)) status = SN_ERR_MEMORY;
    s->planned = !status;
    if (status) sn_front_plan_free(&s->fronts.plan);
    return status;
}

static sn_status factor_as(multifrontal *s, const double *Ax, int symmetric, int *column, sn_err *err)
{
    int bad = find_not_finite(s, Ax);
    if (column) *column = bad;
    if (s->good && s->n && !symmetric && !memcmp(s->Ax, Ax, sizeof *Ax * (size_t)s->Ap[s->n])) return SN_OK;
    s->good = s->n == 0;
    if (s->good) return SN_OK;
    if (bad >= 0)
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "the matrix has an entry that is not finite in column %d",
                       bad);
    sn_status status = s->planned ? SN_OK : plan(s, Ax);
    if (!status) status = sn_fronts_factor(&s->fronts, Ax, symmetric);
    if (status) return SN_OUT_OF_MEM(err);
    memcpy(s->Ax, Ax, sizeof *Ax * (size_t)s->Ap[s->n]);
    s->good = 1;
    return SN_OK;
}

static sn_status factor(void *self, const double *Ax, int *column, sn_err *err)
{
    return factor_as(self, Ax, 0, column, err);
}

static sn_status count_negative(void *self, const double *Ax, int *negative, sn_err *err)
{
    multifrontal *s = self;
    SN_TRY(factor_as(s, Ax, 1, NULL, err));
    *negative = s->n ? s->fronts.negative : 0;
    s->good = 0; /* nobody solves by these factors */
    return SN_OK;
}

static sn_status solve(void *self, int transposed, int nrhs, double *b)
{
    multifrontal *s = self;
    if (!s->good) return SN_ERR_BUG;
    if (s->n) sn_fronts_solve(&s->fronts, transposed, nrhs, b, s->work);
    return SN_OK;
}

static int doubtful(void *self)
{
    multifrontal *s = self;
    return s->n && s->fronts.doubtful;
}

static double flops(void *self)
{
    multifrontal *s = self;
    return s->good ? s->fronts.flops : s->fronts.plan.flops;
}

static double nonzeros(void *self)
{
    multifrontal *s = self;
    return s->good ? s->fronts.nonzeros : s->fronts.plan.nonzeros;
}

static double bytes(void *self)
{
    multifrontal *s = self;
    const double entries = s->n ? s->Ap[s->n] : 0;
    return (double)sizeof *s + 50.0 * s->n + 16 * entries + sn_front_bytes(s->fronts.pool);
}

extern const sn_linsol_class sn_linsol_multifrontal;
const sn_linsol_class sn_linsol_multifrontal = {
    .name = "multifrontal",
    .doc = "sparse L D U by dense fronts, by several threads, for shells, solids and other wide factors",
    .analyse = analyse,
    .factor = factor,
    .count_negative = count_negative,
    .solve = solve,
    .release = release,
    .share = share,
    .renew = renew,
    .doubtful = doubtful,
    .flops = flops,
    .nonzeros = nonzeros,
    .bytes = bytes,
};
