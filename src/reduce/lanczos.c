/* The lowest modes of what is held (or of a free body): Lanczos (ARPACK) with the factors of [K, B'; B, 0]
   without the coordinates that are held; all of a small one by LAPACK.

   A free body is held at six coordinates that say where it is; forces are freed of their resultants by the
   inertia of its rigid motions first, and rigid motions taken out afterwards: x = P'K^-1 P f, P = 1 - M R R'.
 */
#include "reduce/reduce.h"

#include "analysis/modes.h"

#include <arpack/arpack.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

enum { SMALL = 150, VECTORS_MOST = 46000 };
#define TOLERANCE 1e-13

/* y += f A (A'x)... of six columns: y -= A (B'x) */
static void take_out(int n, const double *A, const double *B, double *x)
{
    for (int k = 0; k < 6; k++) {
        const double *a = A + (size_t)k * (size_t)n, *b = B + (size_t)k * (size_t)n;
        double sum = 0;
        for (int i = 0; i < n; i++) sum += b[i] * x[i];
        for (int i = 0; i < n; i++) x[i] -= sum * a[i];
    }
}

/* x (z numbers, forces) into displacements */
static sn_status flex(sn_held *h, double *x)
{
    const int z = h->b->T.z;
    if (h->R) take_out(z, h->RM, h->R, x);
    memcpy(h->z, x + h->from, sizeof *x * (size_t)h->n);
    memset(h->z + h->n, 0, sizeof *x * (size_t)h->b->B.rows);
    SN_TRY(sn_linsol_solve(h->ls, 0, 1, h->z));
    memset(x, 0, sizeof *x * (size_t)h->from);
    memcpy(x + h->from, h->z, sizeof *x * (size_t)h->n);
    if (h->R) take_out(z, h->R, h->RM, x);
    return SN_OK;
}

/* y = M x; held coordinates stay */
static void mass(const sn_held *h, const double *x, double *y)
{
    sn_sparse_times(&h->b->M, 1, x, y);
    if (!h->R) memset(y, 0, sizeof *y * (size_t)h->from);
}

typedef struct lanczos {
    double *resid, *V, *workd, *workl, *d;
    a_int *select;
    int n, want, ncv, lworkl;
    a_int iparam[11], ipntr[14];
} lanczos;

static sn_status iterate(sn_held *h, lanczos *l, sn_err *err)
{
    const size_t bytes = sizeof(double) * (size_t)l->n;
    a_int ido = 0, info = 1;
    for (int i = 0; i < l->n; i++) l->resid[i] = sin(1.0 + 1.7 * i);
    SN_TRY(flex(h, l->resid));
    for (;;) {
        dsaupd_c(&ido, "G", l->n, "LM", l->want, TOLERANCE, l->resid, l->ncv, l->V, l->n, l->iparam, l->ipntr,
                 l->workd, l->workl, l->lworkl, &info);
        if (ido != -1 && ido != 1 && ido != 2) break;
        const double *x = l->workd + l->ipntr[0] - 1;
        double *y = l->workd + l->ipntr[1] - 1;
        if (ido == 1)
            memcpy(y, l->workd + l->ipntr[2] - 1, bytes);
        else
            mass(h, x, y);
        if (ido != 2) SN_TRY(flex(h, y));
    }
    if (info < 0 || l->iparam[4] < l->want)
        return sn_fail(err, SN_ERR_NUMERIC, NULL,
                       "the lowest %d modes cannot be found (ARPACK: code %d, %d found)", l->want, (int)info,
                       (int)l->iparam[4]);
    return SN_OK;
}

static sn_status vectors(lanczos *l, double *w2, double *x, sn_err *err)
{
    a_int info = 0;
    dseupd_c(1, "A", l->select, l->d, l->V, l->n, 0.0, "G", l->n, "LM", l->want, TOLERANCE, l->resid, l->ncv,
             l->V, l->n, l->iparam, l->ipntr, l->workd, l->workl, l->lworkl, &info);
    if (info != 0)
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: ARPACK's vectors failed with code %d", (int)info);
    memcpy(w2, l->d, sizeof *w2 * (size_t)l->want);
    memcpy(x, l->V, sizeof *x * (size_t)l->want * (size_t)l->n);
    return SN_OK;
}

static sn_status by_lanczos(sn_held *h, int want, int most, double *w2, double *x, sn_err *err)
{
    int n = h->b->T.z, ncv = want < most / 2 - 10 ? 2 * want + 20 : most;
    if (ncv > VECTORS_MOST)
        return sn_fail(err, SN_ERR_INPUT, NULL, "%d modes are too many to be found", want);
    lanczos l = {
        .n = n, .want = want, .ncv = ncv, .lworkl = ncv * (ncv + 8), .iparam = {1, 0, 100, 1, 0, 0, 3}};
    sn_status s = SN_NEW(l.resid, n) && SN_NEW(l.V, (size_t)n * (size_t)ncv) &&
                          SN_NEW(l.workd, 3 * (size_t)n) && SN_NEW(l.workl, l.lworkl) && SN_NEW(l.d, ncv) &&
                          SN_NEW(l.select, ncv)
                      ? SN_OK
                      : SN_OUT_OF_MEM(err);
    sn_arpack_lock();
    if (!s) s = iterate(h, &l, err);
    if (!s) s = vectors(&l, w2, x, err);
    sn_arpack_unlock();
    sn_free(l.resid), sn_free(l.V), sn_free(l.workd), sn_free(l.workl), sn_free(l.d), sn_free(l.select);
    return s;
}

/* All modes of a small one: F = the flexibility times M is symmetric in M; with C C' = the flexibility's own
   form, M^(1/2) is not needed: eigenvalues of the symmetric pencil M F M y = mu M y are those of F M. Where M
   is singular its null space stays out by the eigenvectors of M. */
static sn_status by_lapack(sn_held *h, int want, double *w2, double *x, sn_err *err)
{
    const int z = h->b->T.z;
    const size_t n = (size_t)z;
    double *W = sn_alloc(n * n + 1, sizeof *W), *F = sn_alloc(n * n + 1, sizeof *F),
           *A = sn_alloc(n * n + 1, sizeof *A), *e = sn_alloc(2 * n + 1, sizeof *e);
    sn_status s = W && F && A && e ? SN_OK : SN_OUT_OF_MEM(err);
    int rank = 0;
    for (int j = 0; j < z && !s; j++) {
        e[j] = 1;
        mass(h, e, W + (size_t)j * n);
        e[j] = 0;
        if (!h->R && j < h->from) memset(W + (size_t)j * n, 0, sizeof *W * n);
    }
    if (!s && LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', z, W, z, e))
        s = sn_fail(err, SN_ERR_NUMERIC, NULL, "the mass matrix has no eigenvalues");
    /* the columns sqrt(mu) v of M = sum mu v v' that have mass, last ones first */
    while (!s && rank < z && e[z - 1 - rank] > 1e-14 * e[z - 1]) rank++;
    if (!s && rank < want)
        s = sn_fail(err, SN_ERR_INPUT, NULL, "%d modes are asked for, of which there are %d", want, rank);
    for (int k = 0; k < rank && !s; k++) {
        double *w = W + (size_t)(z - 1 - k) * n, *f = F + (size_t)k * n;
        for (size_t i = 0; i < n; i++) w[i] *= sqrt(e[z - 1 - k]), f[i] = w[i];
        s = flex(h, f);
    }
    for (int k = 0; k < rank && !s; k++)
        for (int l = 0; l < rank; l++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) sum += W[(size_t)(z - 1 - k) * n + i] * F[(size_t)l * n + i];
            A[(size_t)l * (size_t)rank + (size_t)k] = sum;
        }
    if (!s && LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', rank, A, rank, e))
        s = sn_fail(err, SN_ERR_NUMERIC, NULL, "the modes cannot be found");
    for (int k = 0; k < want && !s; k++) {
        const double *a = A + (size_t)(rank - 1 - k) * (size_t)rank, mu = e[rank - 1 - k];
        if (!(mu > 0)) {
            s = sn_fail(err, SN_ERR_INPUT, NULL, "%d modes are asked for, of which there are %d", want, k);
            break;
        }
        w2[k] = 1 / mu;
        double *y = x + (size_t)k * n;
        memset(y, 0, sizeof *y * n);
        for (int l = 0; l < rank; l++)
            for (size_t i = 0; i < n; i++) y[i] += a[l] * F[(size_t)l * n + i];
    }
    sn_free(W), sn_free(F), sn_free(A), sn_free(e);
    return s;
}

sn_status sn_held_modes(sn_held *h, int want, double *w2, double *x, sn_err *err)
{
    const int most = h->n - h->b->B.rows + (h->R ? h->from - 6 : 0);
    if (want <= 0) return SN_OK;
    if (want > most)
        return sn_fail(err, SN_ERR_INPUT, NULL, "%d modes are asked for, of which there are %d at most", want,
                       most > 0 ? most : 0);
    if (h->b->T.z <= SMALL || 3 * want > most) return by_lapack(h, want, w2, x, err);
    return by_lanczos(h, want, most, w2, x, err);
}

/* Sylvester: the negative eigenvalues of [K - w^2 M, B'; B, 0], less one for each equation */
sn_status sn_held_count(sn_held *h, double w, int *count, sn_err *err)
{
    sn_arena arena = {0};
    const sn_basis *b = h->b;
    const int from = h->R ? 0 : h->from;
    sn_sparse K, M, none = {0, b->T.z, NULL, NULL, NULL};
    int *empty = sn_alloc((size_t)b->T.z + 1, sizeof *empty);
    none.first = empty;
    sn_status s = empty ? SN_OK : SN_OUT_OF_MEM(err);
    if (!s) s = sn_sparse_bordered(&arena, &b->K, &b->B, from, &K, err);
    if (!s) s = sn_sparse_bordered(&arena, &b->M, &none, from, &M, err);
    sn_triplets t = {0};
    for (int j = 0; j < K.cols && !s; j++)
        for (int k = K.first[j]; k < K.first[j + 1] && !s; k++)
            s = sn_triplets_add(&t, K.row[k], j, K.x[k]) ? SN_OUT_OF_MEM(err) : SN_OK;
    for (int j = 0; j < M.cols && !s; j++)
        for (int k = M.first[j]; k < M.first[j + 1] && !s; k++)
            s = sn_triplets_add(&t, M.row[k], j, -w * w * M.x[k]) ? SN_OUT_OF_MEM(err) : SN_OK;
    if (!s) s = sn_triplets_compress(&arena, &t, K.rows, K.cols, &K, err);
    if (!s) s = sn_linsol_inertia(K.cols, K.first, K.row, K.x, count, err);
    if (!s) *count -= b->B.rows + (h->R ? 6 : 0);
    sn_triplets_free(&t);
    sn_free(empty);
    sn_arena_free(&arena);
    return s;
}
