/* All modes of small models: the null space Z of B by QR (LAPACK), then Z'KZ y = w2 Z'MZ y, scaled to a unit
   diagonal of the masses; symmetric where K is and M is positive definite, else the general problem. */
#include "analysis/modes.h"
#include "base/room.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

/* Orthonormal basis of the null space of B: the last columns of Q in B' = Q R, rows of B scaled to length 1.
   Returns the rank, -1 on failure. */
static int null_space(const sn_pencil *p, double *Q)
{
    const sn_model *m = p->d->m;
    int nv = m->nv, rank = 0, k = m->m < nv ? m->m : nv;
    size_t n = (size_t)nv;
    double *tau = sn_alloc(n + 1, sizeof *tau), *Bt = sn_alloc(n * (size_t)m->m + 1, sizeof *Bt);
    lapack_int *pivot = sn_alloc((size_t)m->m + 1, sizeof *pivot);
    int bad = !tau || !pivot || !Bt;
    for (size_t i = 0; i < n; i++) Q[i * n + i] = 1;
    for (int j = 0; j < nv && !bad; j++)
        for (int l = m->Ap[j]; l < m->Ap[j + 1]; l++)
            if (m->Ai[l] >= nv) Bt[(size_t)(m->Ai[l] - nv) * n + (size_t)j] = p->K[l];
    for (size_t e = 0; e < (size_t)m->m && !bad; e++) {
        double most = 0, sum = 0, *b = Bt + e * n;
        for (size_t i = 0; i < n; i++) most = fmax(most, fabs(b[i]));
        for (size_t i = 0; i < n && most > 0; i++) b[i] /= most, sum += b[i] * b[i];
        for (size_t i = 0; i < n && most > 0; i++) b[i] /= sqrt(sum);
    }
    if (!bad && m->m) {
        bad = LAPACKE_dgeqp3(LAPACK_COL_MAJOR, nv, m->m, Bt, nv, pivot, tau) != 0;
        while (!bad && rank < k && fabs(Bt[(size_t)rank * n + (size_t)rank]) > 1e-10 * fabs(Bt[0])) rank++;
        bad = bad || LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'N', nv, nv, k, Bt, nv, tau, Q, nv) != 0;
    }
    sn_free(tau), sn_free(pivot), sn_free(Bt);
    return bad ? -1 : rank;
}

/* R = Z' S Z, Z of nv x n, S sparse; T is scratch of nv. */
static void reduce(const sn_model *m, int n, const double *S, const double *Z, double *T, double *R)
{
    size_t nv = (size_t)m->nv;
    for (size_t c = 0; c < (size_t)n; c++) {
        memset(T, 0, sizeof(double) * nv);
        for (int j = 0; j < m->nv; j++)
            for (int k = m->Ap[j]; k < m->Ap[j + 1] && m->Ai[k] < m->nv; k++)
                T[m->Ai[k]] += S[k] * Z[c * nv + (size_t)j];
        for (size_t r = 0; r < (size_t)n; r++) {
            double sum = 0;
            for (size_t i = 0; i < nv; i++) sum += Z[r * nv + i] * T[i];
            R[c * (size_t)n + r] = sum;
        }
    }
}

static int symmetric(int n, const double *A)
{
    double top = 0, difference = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            double a = A[(size_t)j * (size_t)n + (size_t)i], b = A[(size_t)i * (size_t)n + (size_t)j];
            top = fmax(top, fmax(fabs(a), fabs(b)));
            difference = fmax(difference, fabs(a - b));
        }
    return difference <= 1e-9 * top;
}

typedef struct reduced {
    double *block, *Q, *A, *B, *V, *copy, *f, *T; /* n x n each, V: eigenvectors; f: scales; T: scratch */
    const double *Z;
    int n;
} reduced;

/* Real finite eigenvalues of A y = w B y, general: y into the columns of V. *lost: how many are complex. */
static sn_status general(reduced *r, double *w, int *found, int *lost, sn_err *err)
{
    const int n = r->n;
    double *re = sn_alloc(3 * (size_t)n + 1, sizeof *re), left[1], top = 0;
    if (!re) return SN_OUT_OF_MEM(err);
    double *im = re + n, *beta = im + n;
    int bad = LAPACKE_dggev(LAPACK_COL_MAJOR, 'N', 'V', n, r->A, n, r->B, n, re, im, beta, left, 1, r->V, n);
    for (int i = 0; !bad && i < n; i++) top = fmax(top, fabs(beta[i]));
    *found = *lost = 0;
    for (int i = 0; !bad && i < n; i++) {
        if (fabs(beta[i]) <= 1e-12 * top) continue;
        if (fabs(im[i]) > 1e-8 * fabs(re[i])) {
            ++*lost;
            continue;
        }
        w[*found] = re[i] / beta[i];
        memmove(r->V + (size_t)*found * (size_t)n, r->V + (size_t)i * (size_t)n, sizeof(double) * (size_t)n);
        ++*found;
    }
    sn_free(re);
    return bad ? sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: the eigenvalue problem could not be solved")
               : SN_OK;
}

/* LAPACK may never end on infinite numbers. */
static int finite_numbers(size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

/* A and B scaled on both sides by f, which makes the diagonal of B 1; without mass that of A the largest. */
static void scale(int n, double *A, double *B, double *f)
{
    double top = 0;
    for (int i = 0; i < n; i++) {
        double a = fabs(A[i * (n + 1)]), b = B[i * (n + 1)];
        f[i] = b > 0 ? 1 / sqrt(b) : 0;
        top = fmax(top, a * f[i] * f[i]);
    }
    for (int i = 0; i < n; i++) {
        double a = fabs(A[i * (n + 1)]);
        if (f[i] == 0) f[i] = a > 0 && top > 0 ? sqrt(top / a) : 1;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) A[j * n + i] *= f[i] * f[j], B[j * n + i] *= f[i] * f[j];
}

static double frobenius(int n, const double *A)
{
    double sum = 0;
    for (int i = 0; i < n * n; i++) sum += A[i] * A[i];
    return sqrt(sum);
}

static sn_status solve(sn_pencil *p, reduced *r, sn_spectrum *s, sn_err *err)
{
    int n = r->n, info, found = n, lost = 0;
    size_t bytes = sizeof(double) * (size_t)n * (size_t)n;
    if (!finite_numbers((size_t)n * (size_t)n, r->A) || !finite_numbers((size_t)n * (size_t)n, r->B))
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: some number is out of range");
    scale(n, r->A, r->B, r->f);
    double size = frobenius(n, r->A);
    s->unsymmetric = !symmetric(n, r->A);
    if (s->unsymmetric) return SN_OK;
    memcpy(r->V, r->A, bytes), memcpy(r->copy, r->B, bytes);
    info = LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'U', n, r->V, n, r->copy, n, s->w2);
    if (info) SN_TRY(general(r, s->w2, &found, &lost, err));
    if (lost)
        sn_context_message(
            p->d, "modes: %d more are complex, vibrations that grow (flutter): they are left out", lost);
    for (int k = 0; k < found; k++) s->error[k] = 4 * DBL_EPSILON * (size + fabs(s->w2[k]));
    s->n = found;
    return SN_OK;
}

sn_status sn_modes_dense(sn_pencil *p, sn_spectrum *s, sn_err *err)
{
    const sn_model *m = p->d->m;
    size_t nv = (size_t)m->nv, sq = nv * nv + 1;
    reduced r = {.block = sn_has_room(0) ? sn_alloc(5 * sq + 2 * nv, sizeof(double)) : NULL};
    if (!r.block) return SN_OUT_OF_MEM(err);
    r.Q = r.block, r.A = r.Q + sq, r.B = r.A + sq, r.V = r.B + sq, r.copy = r.V + sq, r.f = r.copy + sq;
    r.T = r.f + nv;
    int rank = null_space(p, r.Q);
    sn_status status = rank < 0 ? SN_OUT_OF_MEM(err) : SN_OK;
    r.n = m->nv - rank, r.Z = r.Q + (size_t)(rank < 0 ? 0 : rank) * nv;
    if (!status && r.n > 0) {
        reduce(m, r.n, p->K, r.Z, r.T, r.A);
        reduce(m, r.n, p->M, r.Z, r.T, r.B);
        status = solve(p, &r, s, err);
    }
    /* shapes of all coordinates: x = Z f y */
    for (size_t k = 0; !status && k < (size_t)s->n; k++)
        for (size_t i = 0; i < nv; i++) {
            double x = 0;
            for (size_t j = 0; j < (size_t)r.n; j++) x += r.Z[j * nv + i] * r.f[j] * r.V[k * (size_t)r.n + j];
            s->shape[k * nv + i] = x;
        }
    sn_free(r.block);
    return status;
}

/* By the signs of the pivots (Sylvester): the symmetric matrix has one negative eigenvalue for each equation
   besides. */
sn_status sn_modes_below(sn_pencil *p, int *count, sn_err *err)
{
    const sn_model *m = p->d->m;
    size_t n = (size_t)m->n;
    double *A = sn_alloc(n * n + 1, sizeof *A);
    lapack_int *pivot = sn_alloc(n + 1, sizeof *pivot), info = -1;
    *count = -(m->m - p->d->w->n_dropped);
    for (size_t j = 0; A && pivot && j < n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
            A[j * n + (size_t)m->Ai[k]] =
                p->K[k] - ((int)j < m->nv && m->Ai[k] < m->nv ? p->shift * p->M[k] : 0);
    if (A && pivot) info = LAPACKE_dsytrf(LAPACK_COL_MAJOR, 'L', m->n, A, m->n, pivot);
    for (size_t i = 0; info >= 0 && i < n; i++) {
        *count += pivot[i] < 0 || A[i * n + i] < 0; /* a pair of pivots has one of each sign */
        i += pivot[i] < 0;
    }
    sn_free(A), sn_free(pivot);
    return info < 0 ? SN_OUT_OF_MEM(err) : SN_OK;
}
