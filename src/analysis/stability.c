/* Whether an equilibrium is stable.

   Where the tangent is symmetric its inertia tells: of S = [K B'; B 0] with independent rows of B as many
   eigenvalues are negative as B has rows, and besides as many as K has on the null space of B (Sylvester's
   law; Nocedal and Wright, Numerical Optimization, theorem 16.3). L D L' factors count them.
   Where it is not (follower loads) the real eigenvalues of W^-1/2 K W^-1/2 on the null space are computed:
   negative ones are divergence. Flutter, a growing oscillation, depends on the masses: it is not seen here.
 */
#include "analysis/tangent.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#undef I

enum { DENSE_MOST = 1000, NAMED_MOST = 16 };

int sn_stability_symmetric(const sn_tangent *t)
{
    const sn_model *m = t->d->m;
    double *const A = t->Ax;
    for (int j = 0; j < m->n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            int i = m->Ai[k], p = m->Ap[i];
            if (i <= j) continue;
            while (p < m->Ap[i + 1] && m->Ai[p] < j) p++;
            double other = p < m->Ap[i + 1] && m->Ai[p] == j ? A[p] : 0;
            double size = i < m->nv ? sqrt(t->weight[i] * t->weight[j]) : fabs(A[k]) + fabs(other);
            /* an equilibrium is found to some digits, and so is the symmetry of its tangent */
            if (fabs(A[k] - other) > 1e-6 * size) return 0;
        }
    return 1;
}

/* The eigenvalues of the evaluated tangent with K + shift W that are negative, those of the equations among
 * them; with `last` the solver of the analysis counts, and has no factors afterwards. */
static sn_status count_all(const sn_tangent *t, double shift, int last, int *negative, sn_err *err)
{
    const sn_model *m = t->d->m;
    double *A;
    if (!SN_NEW(A, m->nnz + 1)) return SN_OUT_OF_MEM(err);
    memcpy(A, t->Ax, sizeof *A * (size_t)m->nnz);
    for (int i = 0; i < m->nv; i++) A[m->diag[i]] += shift * t->weight[i];
    sn_status s = last ? sn_linsol_count_negative(t->d->ls, A, negative, err)
                       : sn_linsol_inertia(m->n, m->Ap, m->Ai, A, negative, err);
    sn_free(A);
    return s;
}

sn_status sn_stability_count(const sn_tangent *t, double shift, int *negative, sn_err *err)
{
    sn_status s = count_all(t, shift, 0, negative, err);
    *negative -= t->d->m->m - t->d->w->n_dropped;
    if (*negative < 0) *negative = 0; /* equations that depend on each other but were not left out */
    return s;
}

/* Whether all of the tangent is stiffer than what counts as neutral, by the most that this can be: most
   equilibria are, and one count of K less that tells it. */
static int plainly_stable(sn_tangent *t, double left)
{
    const sn_context *d = t->d;
    const sn_model *m = d->m;
    double softest = INFINITY;
    int negative;
    memcpy(t->Ax, d->w->Ax, sizeof *t->Ax * (size_t)m->nnz);
    sn_tangent_weigh(t);
    for (int i = 0; i < m->nv; i++) softest = fmin(softest, t->weight[i] * d->w->scale[i] * d->w->scale[i]);
    const double slack = 2 * SN_HOLD + left / d->p->length / softest;

    return slack < 1e-6 && sn_stability_symmetric(t) && !count_all(t, -slack, 1, &negative, NULL) &&
           negative == m->m - d->w->n_dropped;
}

/* Q (nv x nv): its columns from the returned one on are an orthonormal basis of the null space of B W^-1/2;
   -1 on failure. */
static int null_space(const sn_tangent *t, double *Q)
{
    const sn_model *m = t->d->m;
    int nv = m->nv, rank = 0, k = m->m < nv ? m->m : nv;
    size_t n = (size_t)nv;
    double *tau = sn_alloc(n + 1, sizeof *tau), *Bt = sn_alloc(n * (size_t)m->m + 1, sizeof *Bt);
    lapack_int *pivot = sn_alloc((size_t)m->m + 1, sizeof *pivot);
    int bad = !tau || !Bt || !pivot;
    for (size_t i = 0; i < n; i++) Q[i * n + i] = 1;
    for (int j = 0; !bad && j < nv; j++)
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++)
            if (m->Ai[p] >= nv) Bt[(size_t)(m->Ai[p] - nv) * n + (size_t)j] = t->Ax[p] / sqrt(t->weight[j]);
    if (!bad && m->m) {
        bad = LAPACKE_dgeqp3(LAPACK_COL_MAJOR, nv, m->m, Bt, nv, pivot, tau) != 0;
        while (!bad && rank < k && fabs(Bt[(size_t)rank * n + (size_t)rank]) > 1e-12 * fabs(Bt[0])) rank++;
        bad = bad || LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'N', nv, nv, k, Bt, nv, tau, Q, nv) != 0;
    }
    sn_free(tau), sn_free(Bt), sn_free(pivot);
    return bad ? -1 : rank;
}

/* Real negative eigenvalues of W^-1/2 K W^-1/2 on the null space. */
static sn_status count_real(const sn_tangent *t, double shift, int *negative, sn_err *err)
{
    const sn_model *m = t->d->m;
    size_t n = (size_t)m->nv;
    double *Q, *R = NULL, *x = NULL, *re = NULL, *im = NULL, unused[1];
    sn_status s = SN_NEW(Q, n * n + 1) && SN_NEW(R, n * n + 1) && SN_NEW(x, 2 * n + 1) && SN_NEW(re, n + 1) &&
                          SN_NEW(im, n + 1)
                      ? SN_OK
                      : SN_OUT_OF_MEM(err);
    int rank = s ? 0 : null_space(t, Q), f = m->nv - rank;
    if (!s && rank < 0) s = SN_OUT_OF_MEM(err);
    for (size_t c = 0; !s && c < (size_t)f; c++) {
        const double *q = Q + (c + (size_t)rank) * n;
        for (size_t i = 0; i < n; i++) x[i] = q[i] / sqrt(t->weight[i]);
        sn_tangent_times(t, x, x + n);
        for (size_t r = 0; r < (size_t)f; r++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++)
                sum += Q[(r + (size_t)rank) * n + i] / sqrt(t->weight[i]) * x[n + i];
            R[c * (size_t)f + r] = sum;
        }
    }
    if (!s && f > 0 && LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', f, R, f, re, im, unused, 1, unused, 1) != 0)
        s = sn_fail(err, SN_ERR_NUMERIC, NULL, "stability: the eigenvalues of the tangent do not converge");
    *negative = 0;
    for (int i = 0; !s && i < f; i++) *negative += im[i] == 0 && re[i] < -fmax(shift, SN_HOLD);
    sn_free(Q), sn_free(R), sn_free(x), sn_free(re), sn_free(im);
    return s;
}

sn_status sn_stability_negative(const sn_tangent *t, double shift, int *symmetric, int *negative, sn_err *err)
{
    int own = sn_stability_symmetric(t);
    if (symmetric) *symmetric = own;
    if (own) return sn_stability_count(t, shift, negative, err);
    *negative = -1;
    return t->d->m->nv <= DENSE_MOST ? count_real(t, shift, negative, err) : SN_OK;
}

/* The coordinate that moves most, by d->z: a displacement where there is one to speak of. */
static void name_moved(const sn_context *d, char *out, size_t size)
{
    const sn_model *m = d->m;
    int at = 0, shift = -1;
    for (int i = 0; i < m->nv; i++) {
        if (fabs(d->z[i]) > fabs(d->z[at])) at = i;
        if (!sn_coord_is_angle(m, i) && (shift < 0 || fabs(d->z[i]) > fabs(d->z[shift]))) shift = i;
    }
    sn_coord_name(m, shift >= 0 && fabs(d->z[shift]) > 0.1 * fabs(d->z[at]) ? shift : at, out, size);
}

/* The direction of the lowest x'Kx in the space that the factors enlarge most: names what moves in it. */
static sn_status name_lowest(const sn_tangent *t, int negative, char *out, size_t size, sn_err *err)
{
    const sn_context *d = t->d;
    int nv = d->m->nv, k = t->n_neutral + (negative < NAMED_MOST ? negative : NAMED_MOST) + 4;
    if (k > nv) k = nv;
    size_t n = (size_t)nv, K = (size_t)k;
    double *X, *Y = NULL, *H = NULL, *e = NULL;
    sn_status s = SN_NEW(X, n * K + 1) && SN_NEW(Y, n * K + 1) && SN_NEW(H, K * K + 1) && SN_NEW(e, K + 1)
                      ? sn_tangent_subspace(t, k, 6, X, Y, err)
                      : SN_OUT_OF_MEM(err);
    for (size_t b = 0; !s && b < K; b++) {
        sn_tangent_times(t, X + b * n, Y);
        for (size_t a = 0; a < K; a++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) sum += X[a * n + i] * Y[i];
            H[b * K + a] += sum / 2, H[a * K + b] += sum / 2;
        }
    }
    if (!s && LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', k, H, k, e) == 0) {
        for (size_t i = 0; i < n; i++) {
            d->z[i] = 0;
            for (size_t b = 0; b < K; b++) d->z[i] += H[b] * X[b * n + i];
            d->z[i] /= d->w->scale[i]; /* lengths: angles at the model's size */
        }
        name_moved(d, out, size);
    }
    sn_free(X), sn_free(Y), sn_free(H), sn_free(e);
    return s;
}

sn_status sn_stability_neutral(sn_context *d, char *names, size_t size, sn_err *err)
{
    const sn_coef with_K = {d->one, d->zero, d->zero, d->one, 1};
    sn_tangent t;
    names[0] = 0;
    if (!d->m->nv) return SN_OK;
    SN_TRY(sn_tangent_open(d, &t, err));
    sn_status s = sn_system_eval(d->w, d->x, &with_K, err);
    if (!s) s = sn_tangent_factor_held(&t, 0, "check", err);
    if (!s) sn_tangent_names(&t, names, size);
    sn_tangent_close(&t);
    return s;
}

sn_status sn_stability_judge(sn_context *d, sn_stability *out, sn_err *err)
{
    const sn_coef with_K = {d->one, d->zero, d->zero, d->one, 1};
    sn_tangent t;
    double left = 0;
    *out = (sn_stability){.judged = 1, .symmetric = 1};
    if (!d->m->nv) return SN_OK;
    SN_TRY(sn_tangent_open(d, &t, err));
    sn_status s = sn_system_eval(d->w, d->x, &with_K, err);
    for (int i = 0; i < d->m->nv; i++) left = fmax(left, fabs(d->w->f[i]) * d->w->scale[i]);
    if (!s && plainly_stable(&t, left)) {
        sn_tangent_close(&t);
        return SN_OK;
    }
    if (!s) s = sn_tangent_factor_held(&t, left, "stability", err);
    if (!s) {
        sn_tangent_names(&t, out->neutral, sizeof out->neutral);
        /* neutral freedoms are shifted out of the count */
        s = sn_stability_negative(&t, t.n_neutral ? 2 * t.slack : 0, &out->symmetric, &out->negative, err);
        if (out->negative < 0) out->judged = 0, out->negative = 0;
    }
    if (!s && out->negative) s = name_lowest(&t, out->negative, out->moves, sizeof out->moves, err);
    sn_tangent_close(&t);
    return s;
}

void sn_stability_tell(const sn_context *d, const sn_stability *s)
{
    if (s->neutral[0])
        sn_context_message(d, "nothing holds %s: %s", s->neutral,
                           strstr(s->neutral, ", ") ? "they stay where they are" : "it stays where it is");
    if (s->negative)
        sn_context_message(d,
                           "the equilibrium is UNSTABLE in %d direction%s: the least disturbance moves the "
                           "model away from it, %s most",
                           s->negative, s->negative == 1 ? "" : "s", s->moves);
    if (!s->judged)
        sn_context_message(d,
                           "stability is not judged: the tangent is not symmetric (loads that follow the "
                           "motion) and the model has more than %d coordinates; see 'sinew modes --at "
                           "static'",
                           DENSE_MOST);
    else if (!s->symmetric && !s->negative)
        sn_context_message(d, "the tangent is not symmetric (loads that follow the motion): the equilibrium "
                              "does not diverge, but flutter is not seen by statics; see 'sinew modes --at "
                              "static'");
}
