/* Linear buckling: where the tangent would be singular if it went on as it goes at a fraction of the load,

       (S + mu S') z = 0,    S = [K L; B 0] at s0,  S' = dS/ds along the path,   critical factor s0 + mu

   S' by sixth-order differences of the exact tangent along the parabola that touches the path, stress and
   displacement together: along the path's tangent alone what turns would be stretched by the square of the
   turn, and S'' (is_straight) be that of this stretch. The eigenvalues -1/mu of S^-1 S' that are largest come
   first in Arnoldi's iteration; what has been found is deflated, so that multiple ones are found too. Where
   factors are so close that none is found (an axially pressed cylinder has tens within some percent) they are
   sought with (S + shift S')^-1 S', whose eigenvalues are -1/(mu - shift). Shapes by inverse iteration. */
#include "analysis/path.h"
#include "base/size.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

enum { FOUND_MOST = 200, RUNS_MOST = 20, SHIFTS_MOST = 6 };

typedef struct buckling {
    const sn_buckling_options *o;
    sn_context *d;
    sn_curve c;
    double *S, *dS, *ddS; /* nnz + 1: the tangent and its derivative */
    double *weight;       /* n: unknowns as numbers that compare */
    double *V, *H;        /* Arnoldi's vectors (n each) and matrix */
    double *lock;         /* vectors deflated */
    int m, n_lock;        /* vectors at most; deflated */
    double mu[FOUND_MOST];
    double top;   /* the largest eigenvalue of (S + shift S')^-1 S' */
    double shift; /* in mu */
    double open;  /* the mu nearest to it that the last run did not find to its digits; 0: there is none */
} buckling;

void sn_buckling_options_fill(const sn_model *m, const sn_values *p, size_t size, sn_buckling_options *out)
{
    memset(out, 0, size);
    out->size = size;
    if (size != sizeof *out) return; /* refused where they are used */
    *out = (sn_buckling_options){.size = size, .n = 3, .run = sn_run_options_default(m, p)};
}

/* The equilibrium at the fraction s of the load: from the last one in halves, where it takes them. */
static sn_status load(buckling *b, double s, sn_err *err)
{
    sn_context *d = b->d;
    const sn_model *m = d->m;
    double at = 0, step = s;
    int iterations;
    sn_curve_point x;
    SN_TRY(sn_curve_point_new(m, &x, err));
    sn_status status = sn_curve_begin(&b->c, 0, &x, err);
    while (!status && at < s && step > 1e-4 * s) {
        double to = fmin(at + step, s);
        memcpy(d->x->q, x.q, sizeof(double) * (size_t)m->nq);
        memcpy(d->x->lam, x.lam, sizeof(double) * (size_t)m->m);
        if (sn_curve_correct(&b->c, NULL, 0, &to, &iterations, NULL)) {
            d->w->failed = NULL;
            step /= 2;
            continue;
        }
        at = to;
        memcpy(x.q, d->x->q, sizeof(double) * (size_t)m->nq);
        memcpy(x.lam, d->x->lam, sizeof(double) * (size_t)m->m);
    }
    sn_curve_point_free(&x);
    if (!status && at < s)
        status = sn_fail(err, SN_ERR_NUMERIC, NULL,
                         "buckling: no equilibrium at %.4g of the load, only at %.4g", s, at);
    return status;
}

static const double first[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60}, second[3] = {3.0 / 2, -3.0 / 20, 1.0 / 90};

/* The context's state at ds behind x: x + du ds + ddu ds^2/2. */
static void move(const buckling *b, const sn_curve_point *x, double ds, const double *du, const double *ddu)
{
    sn_context *d = b->d;
    const sn_model *m = d->m;
    for (int i = 0; i < m->n; i++) d->z[i] = ds * du[i] + ds * ds / 2 * ddu[i];
    sn_system_retract(m, x->q, d->z, d->x->q);
    for (int i = 0; i < m->m; i++) d->x->lam[i] = x->lam[i] + d->z[m->nv + i];
}

/* ddu: how the path bends, S ddu = -(second derivative of the residual along du). The load is linear in s. */
static sn_status bend(buckling *b, const sn_curve_point *x, double h, const double *du, double *ddu,
                      sn_err *err)
{
    sn_context *d = b->d;
    const sn_model *m = d->m;
    const size_t n = (size_t)m->n;
    double *sum = b->c.a;
    memset(ddu, 0, sizeof *ddu * n);
    memset(sum, 0, sizeof *sum * n);
    for (int k = -3; k <= 3; k++) {
        double weight = k ? second[(k > 0 ? k : -k) - 1] / (h * h) : -49.0 / 18 / (h * h);
        move(b, x, k * h, du, ddu);
        SN_TRY(sn_system_eval(d->w, d->x, NULL, err));
        for (size_t i = 0; i < n; i++) sum[i] += weight * d->w->f[i];
    }
    for (size_t i = 0; i < n; i++) d->z[i] = -sum[i];
    SN_TRY(sn_tangent_solve(&b->c.t, d->z));
    memcpy(ddu, d->z, sizeof *ddu * n);
    return SN_OK;
}

/* dS/ds at the context's state, which moves by du = c.b ds. */
static sn_status differentiate(buckling *b, double s, sn_err *err)
{
    const double part = 3e-3; /* of the model's size, at most, in a step */
    sn_context *d = b->d;
    const sn_model *m = d->m;
    const sn_coef with_K = {d->one, d->zero, d->zero, d->one, 1};
    sn_curve_point x;
    double top = 0, *du = b->weight, *ddu = b->V;
    SN_TRY(sn_curve_point_new(m, &x, err));
    x.s = s;
    sn_status status = sn_curve_tangent(&b->c, NULL, 1, &x, err);
    for (int i = 0; i < m->n; i++) du[i] = x.u[i] / x.us;
    for (int i = 0; i < m->nv; i++) top = fmax(top, fabs(du[i]) / (d->p->length * d->w->scale[i]));
    double h = top > 0 ? part / top : 1;
    if (!status) status = bend(b, &x, h, du, ddu, err);
    memcpy(b->S, b->c.t.Ax, sizeof *b->S * (size_t)m->nnz);
    for (int k = -3; !status && k <= 3; k++) {
        if (k == 0) continue;
        move(b, &x, k * h, du, ddu);
        status = sn_system_eval(d->w, d->x, &with_K, err);
        int at = (k > 0 ? k : -k) - 1;
        double f = (k > 0 ? 1 : -1) * first[at] / h, g = second[at] / (h * h);
        for (int i = 0; i < m->nnz; i++)
            b->dS[i] += f * d->w->Ax[i], b->ddS[i] += g * (d->w->Ax[i] - b->S[i]);
    }
    memcpy(d->x->q, x.q, sizeof(double) * (size_t)m->nq);
    memcpy(d->x->lam, x.lam, sizeof(double) * (size_t)m->m);
    sn_curve_point_free(&x);
    if (!status) status = sn_curve_eval(&b->c, s, err); /* the factors again */
    return status;
}

/* y = S' x, in the unknowns as they are. */
static void geometric(const buckling *b, const double *x, double *y)
{
    const sn_model *m = b->d->m;
    memset(y, 0, sizeof *y * (size_t)m->n);
    for (int j = 0; j < m->n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) y[m->Ai[k]] += b->dS[k] * x[j];
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* x less its parts along k columns of V; the parts are added to h (or NULL). */
static void sweep(int n, int k, const double *V, double *x, double *h)
{
    for (int twice = 0; twice < 2; twice++)
        for (int c = 0; c < k; c++) {
            const double *v = V + (size_t)c * (size_t)n;
            double part = dot(n, v, x);
            for (int i = 0; i < n; i++) x[i] -= part * v[i];
            if (h) h[c] += part;
        }
}

/* Arnoldi's iteration from a start without pattern; the number of vectors, 0: nothing is left. */
static sn_status arnoldi(buckling *b, int run, int *made)
{
    sn_context *d = b->d;
    const int n = d->m->n, m = b->m;
    size_t N = (size_t)n;
    double *v = b->V;
    memset(b->H, 0, sizeof *b->H * (size_t)m * (size_t)(m + 1));
    for (int i = 0; i < n; i++) v[i] = sin(1 + 2.4 * (i + 7.0 * run) * (i + 1.0));
    *made = 0;
    for (int k = 0; k <= m; k++) {
        double *x = b->V + (size_t)k * N, *h = b->H + (size_t)(k - 1) * (size_t)m;
        if (k > 0) {
            for (int i = 0; i < n; i++) b->c.b[i] = x[i - n] / b->weight[i];
            geometric(b, b->c.b, d->z);
            SN_TRY(sn_tangent_solve(&b->c.t, d->z));
            for (int i = 0; i < n; i++) x[i] = d->z[i] * b->weight[i];
        }
        double before = sqrt(dot(n, x, x));
        sweep(n, b->n_lock, b->lock, x, NULL);
        if (k > 0) sweep(n, k, b->V, x, h);
        double size = sqrt(dot(n, x, x));
        *made = k;
        if (k > 0 && k < m) b->H[(size_t)(k - 1) * (size_t)m + (size_t)k] = size;
        if (k > 0 && !(size > 1e-13 * before)) break;
        for (int i = 0; i < n; i++) x[i] /= size;
    }
    return SN_OK;
}

/* Ritz vectors of the largest negative eigenvalues become locked ones; *added: how many. */
static sn_status take(buckling *b, int k, int want, int *added, sn_err *err)
{
    const int n = b->d->m->n, m = b->m;
    size_t K = (size_t)k, N = (size_t)n;
    double *A, *re = NULL, *im = NULL, *Y = NULL, unused[1], top = 0;
    *added = 0;
    sn_status s = SN_NEW(A, K * K + 1) && SN_NEW(re, k + 1) && SN_NEW(im, k + 1) && SN_NEW(Y, K * K + 1)
                      ? SN_OK
                      : SN_OUT_OF_MEM(err);
    for (size_t c = 0; !s && c < K; c++)
        for (size_t r = 0; r < K; r++) A[c * K + r] = b->H[c * (size_t)m + r];
    b->open = 0;
    double last = k < m ? b->H[(K - 1) * (size_t)m + K] : b->H[0];
    if (!s && LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', k, A, k, re, im, unused, 1, Y, k))
        s = sn_fail(err, SN_ERR_NUMERIC, NULL, "buckling: the eigenvalues do not converge");
    for (int i = 0; !s && i < k; i++) top = fmax(top, hypot(re[i], im[i]));
    b->top = top = fmax(top, b->top);
    while (!s && *added < want && b->n_lock < FOUND_MOST) {
        int best = -1;
        for (int i = 0; i < k; i++)
            if (im[i] == 0 && re[i] != 0 && b->shift - 1 / re[i] > 0 &&
                (best < 0 || fabs(re[i]) > fabs(re[best])))
                best = i;
        if (best < 0) break;
        const double *y = Y + (size_t)best * K;
        /* not converged, or nothing but rounding beside the others */
        if (!(fabs(re[best]) > 1e-7 * top)) break;
        if (fabs(y[K - 1] * last) > 1e-7 * fabs(re[best])) {
            b->open = b->shift - 1 / re[best];
            break;
        }
        double *x = b->lock + (size_t)b->n_lock * N;
        memset(x, 0, sizeof *x * N);
        for (size_t c = 0; c < K; c++)
            for (size_t i = 0; i < N; i++) x[i] += y[c] * b->V[c * N + i];
        sweep(n, b->n_lock, b->lock, x, NULL);
        double size = sqrt(dot(n, x, x));
        for (size_t i = 0; i < N; i++) x[i] /= size;
        b->mu[b->n_lock++] = b->shift - 1 / re[best], ++*added;
        re[best] = 0;
    }
    sn_free(A), sn_free(re), sn_free(im), sn_free(Y);
    return s;
}

/* Factors of S + mu S', as near to mu as a thin structure's stiffnesses of many sizes allow; *shift: where.
 */
static sn_status factor_beside(buckling *b, double mu, double beside, double *shift)
{
    sn_context *d = b->d;
    const sn_model *m = d->m;
    sn_status s = SN_ERR_NUMERIC;
    for (; s == SN_ERR_NUMERIC && beside < 0.5; beside *= 10) {
        *shift = mu * (1 - beside);
        for (int i = 0; i < m->nnz; i++) d->w->Ax[i] = b->S[i] + *shift * b->dS[i];
        for (int i = 0; b->c.t.held && i < m->nv; i++) d->w->Ax[m->diag[i]] += SN_HOLD * b->c.t.weight[i];
        s = sn_linsol_factor(d->ls, d->w->Ax, NULL, NULL);
    }
    return s;
}

/* The shape of number k: inverse iteration beside mu, from what Arnoldi left; mu is refined with it. */
static sn_status refine(buckling *b, int k, double *x, sn_err *err)
{
    sn_context *d = b->d;
    const sn_model *m = d->m;
    const double *v = b->lock + (size_t)k * (size_t)m->n;
    double mu = b->mu[k], shift;
    sn_status status = factor_beside(b, mu, 1e-6, &shift);
    if (status) return sn_fail(err, status, NULL, "buckling: the shape at factor %.6g cannot be found", mu);
    for (int i = 0; i < m->n; i++) x[i] = v[i] / b->weight[i];
    for (int it = 0; it < 3; it++) {
        double top = 0, grown = 0, size = 0;
        geometric(b, x, d->z);
        SN_TRY(sn_linsol_solve_refined(d->ls, 0, 1, d->z));
        for (int i = 0; i < m->nv; i++) {
            grown += x[i] * d->z[i], size += x[i] * x[i];
            if (fabs(d->z[i]) > fabs(top)) top = d->z[i];
        }
        /* (S + shift S')^-1 S' has -1/(mu - shift) */
        if (grown != 0) b->mu[k] = shift - size / grown;
        for (int i = 0; i < m->n; i++) x[i] = d->z[i] / top;
    }
    return SN_OK;
}

/* Whether the tangent goes in a straight line up to mu, as far as the shape z feels it: the second derivative
   adds less than half of what the first does. */
static int is_straight(const buckling *b, const double *z, double mu)
{
    const sn_model *m = b->d->m;
    double one = 0, two = 0;
    for (int j = 0; j < m->n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            one += z[m->Ai[k]] * b->dS[k] * z[j];
            two += z[m->Ai[k]] * b->ddS[k] * z[j];
        }
    return fabs(mu * two / 2) <= 0.5 * fabs(one);
}

static sn_status hand_on(buckling *b, double s, int *found, sn_err *err)
{
    sn_context *d = b->d;
    int order[FOUND_MOST];
    for (int i = 0; i < b->n_lock; i++) {
        int at = i;
        for (; at > 0 && b->mu[order[at - 1]] > b->mu[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    const sn_state *x = d->x;
    int curved = 0;
    sn_system_time(d->w, x->t);
    SN_TRY(sn_redundant_multipliers_state(d, &x, err));
    SN_TRY(sn_system_sensors(d->w, x, d->y, err));
    const sn_frame f = {x->t, x->q, x->v, x->a, x->lam, d->y, NULL};
    for (int i = 0; i < b->n_lock && *found < b->o->n; i++) {
        SN_TRY(refine(b, order[i], b->c.a, err));
        if (!is_straight(b, b->c.a, b->mu[order[i]])) {
            curved++;
            continue;
        }
        if (b->o->mode) SN_TRY(b->o->mode(b->o->ctx, *found, s + b->mu[order[i]], b->c.a, &f, err));
        ++*found;
    }
    if (curved)
        sn_context_message(d,
                           "buckling: %d factor%s left out: before them the tangent does not change in "
                           "proportion to the load (the model bends); see --nonlinear, or linearise nearer",
                           curved, curved == 1 ? " is" : "s are");
    return SN_OK;
}

/* Whether what the last run left open may be among the lowest factors that are asked for. */
static int is_wanted(const buckling *b)
{
    int below = 0;
    for (int i = 0; i < b->n_lock; i++) below += b->mu[i] <= b->open;
    return b->open > 0 && below < b->o->n;
}

/* Factors, until a run finds none; from nearer to them where it should have. */
static sn_status find(buckling *b, sn_err *err)
{
    int added = 1, made, shifts = 0;
    for (int run = 0; run < RUNS_MOST; run++) {
        SN_TRY(arnoldi(b, run, &made));
        if (!made) break;
        SN_TRY(take(b, made, b->o->n, &added, err));
        if (added) continue;
        if (!is_wanted(b) || made < b->m) break;
        if (shifts++ == SHIFTS_MOST ||
            factor_beside(b, b->shift + 0.9 * (b->open - b->shift), 1e-3, &b->shift))
            return sn_fail(err, SN_ERR_NUMERIC, NULL,
                           "buckling: the factors near %.4g are too close to each other to be told apart",
                           b->o->at + b->open);
        b->top = 0;
    }
    return SN_OK;
}

static sn_status solve(buckling *b, int *found, sn_err *err)
{
    sn_context *d = b->d;
    const sn_model *m = d->m;
    double s = b->o->at, force = 0;
    b->m = 6 * b->o->n + 40 < m->n ? 6 * b->o->n + 40 : m->n;
    size_t n = (size_t)m->n, room = n * (size_t)(b->m + 1);
    if (!SN_NEW(b->S, m->nnz + 1) || !SN_NEW(b->dS, m->nnz + 1) || !SN_NEW(b->ddS, m->nnz + 1) ||
        !SN_NEW(b->weight, m->n + 1) || !SN_NEW(b->V, room + 1) ||
        !SN_NEW(b->H, (size_t)b->m * (size_t)(b->m + 1) + 1) || !SN_NEW(b->lock, n * FOUND_MOST + 1))
        return SN_OUT_OF_MEM(err);
    memcpy(d->x->q, d->p->q0, sizeof(double) * (size_t)m->nq);
    if (!m->flat) sn_system_tangent_maps(d->w, d->zero);
    sn_system_time(d->w, d->x->t);
    SN_TRY(sn_system_finite(d->w, d->x->t, 0, err));
    if (m->m && m->m <= 3000) SN_TRY(sn_drop_redundant(d, err));
    SN_TRY(sn_system_eval(d->w, d->x, NULL, err));
    memcpy(b->c.f0, d->w->f, sizeof(double) * n);
    for (int i = 0; i < m->nv; i++) force = fmax(force, fabs(b->c.f0[i]) * d->w->scale[i]);
    if (force == 0)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "buckling: there is no load: the model is in equilibrium as it is");
    SN_TRY(sn_curve_hold(&b->c, err));
    SN_TRY(load(b, s, err));
    SN_TRY(differentiate(b, s, err));
    for (int i = 0; i < m->nv; i++) b->weight[i] = 1 / (d->p->length * d->w->scale[i]);
    for (int i = m->nv; i < m->n; i++) b->weight[i] = 1 / (force * d->p->length);
    SN_TRY(find(b, err));
    return hand_on(b, s, found, err);
}

sn_status sn_buckling(const sn_model *m, const sn_values *p, const sn_buckling_options *o, int *found,
                      sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_buckling_options, o, err));
    sn_context d;
    sn_info info = {0};
    buckling b = {.o = o, .d = &d};
    *found = 0;
    if (o->n < 1 || o->n > FOUND_MOST / 2 || !(o->at >= 0))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "buckling: 1 to %d factors, about a fraction of the load from 0 on", FOUND_MOST / 2);
    SN_TRY(sn_context_open(m, p, &o->run, &info, &d, err));
    sn_status s = sn_curve_open(&d, NULL, NULL, &b.c, err);
    if (!s) s = solve(&b, found, err);
    double *const x[] = {b.S, b.dS, b.ddS, b.weight, b.V, b.H, b.lock};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) sn_free(x[i]);
    sn_curve_close(&b.c);
    sn_context_close(&d);
    return s;
}
