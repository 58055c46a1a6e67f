/* Derivatives of natural frequencies. From K x + B'mu = w^2 M x, B x = 0 and the same with K', M' for the
   left shape y, nu (under loads that move the model K is not symmetric),

       y'Mx d(w^2) = d( y'(K - w^2 M) x + y'B'mu + nu'B x ) at fixed x, y, mu, nu, w

   where K, M and B move with the parameter and with the state (equilibrium or start) that moves with it. The
   state's derivative is exact; the quadratic form, a smooth function of one number, is differentiated along
   the parameter (along.h). Matrices are sparse, for models of any size; vibration.h has damping and motion,
   with dense ones. */
#include "analysis/modes.h"
#include "base/size.h"
#include "sensitivity/along.h"
#include "sensitivity/gradient.h"

#include <math.h>
#include <string.h>

typedef struct modes {
    int n, found, nv;
    double *w2, *shape, *mass;
    double *right, *left; /* (x, mu) and (y, nu) */
} modes;

static sn_status keep(void *ctx, int i, const sn_mode *mode, const sn_frame *state, sn_err *err)
{
    modes *s = ctx;
    (void)state, (void)err;
    if (i >= s->n) return SN_OK;
    s->w2[i] = mode->omega * mode->omega - mode->growth * mode->growth;
    memcpy(s->shape + (size_t)i * (size_t)s->nv, mode->shape, sizeof(double) * (size_t)s->nv);
    s->found = i + 1;
    return SN_OK;
}

/* y'(K - w2 M) x + y'B'mu + nu'B x of all modes. */
static void forms(const sn_pencil *p, const modes *s, double *Mx, double *out)
{
    const sn_model *m = p->d->m;
    for (int e = 0; e < s->n; e++) {
        const double *r = s->right + (size_t)e * (size_t)m->n, *l = s->left + (size_t)e * (size_t)m->n;
        double sum = sn_pencil_form(p, l, r);
        sn_pencil_mass(p, r, Mx);
        for (int i = 0; i < m->nv; i++) sum -= s->w2[e] * l[i] * Mx[i];
        for (int j = 0; j < m->nv; j++)
            for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
                int i = m->Ai[k];
                if (i >= m->nv) sum += p->K[k] * (l[i] * r[j] + r[i] * l[j]);
            }
        out[e] = sum;
    }
}

/* f = [K x - w2 M x + L mu; B x] for z = (x, mu), transposed with K', B' and L' */
static void residual(const sn_pencil *p, int transposed, double w2, const double *z, double *Mx, double *f)
{
    const sn_model *m = p->d->m;
    memset(f, 0, sizeof(double) * (size_t)(m->n + 1));
    sn_pencil_times(p, transposed, z, f);
    sn_pencil_mass(p, z, Mx);
    for (int i = 0; i < m->nv; i++) f[i] -= w2 * Mx[i];
    for (int j = 0; j < m->n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            int i = m->Ai[k];
            if (i >= m->nv || j >= m->nv) f[transposed ? j : i] += p->K[k] * z[transposed ? i : j];
        }
}

enum { ITERATIONS = 12, TRIES = 40 };

/* Factors beside w2, nearer to it than to others by ten: *near. Where that is singular but for rounding (the
   low end of fine meshes), below zero, as near as possible. */
static sn_status beside(sn_pencil *p, const modes *s, int e, int *near, sn_err *err)
{
    double apart = 1e-2, w2 = s->w2[e], shift = -w2 / 2;
    if (e > 0) apart = fmin(apart, fabs(w2 - s->w2[e - 1]) / w2);
    if (e + 1 < s->found) apart = fmin(apart, fabs(s->w2[e + 1] - w2) / w2);
    *near = 1;
    if (!sn_pencil_factor(p, w2 * (1 - apart / 10), NULL)) return SN_OK;
    *near = 0;
    for (int try = 0; try < TRIES; try++, shift *= 4)
        if (!sn_pencil_factor(p, shift, NULL)) return SN_OK;
    return sn_pencil_factor(p, shift, err);
}

/* One right (side 0) or left (1) shape and its multipliers, by inverse iteration; if it is not `near`, only
   the multipliers: the shape is right already, but for a left one of an unsymmetric K, which is found out. */
static sn_status iterate(sn_pencil *p, const modes *s, int e, int side, int near, double *Mx, sn_err *err)
{
    const sn_context *d = p->d;
    const sn_model *m = d->m;
    double *z = (side ? s->left : s->right) + (size_t)e * (size_t)m->n;
    memcpy(z, s->shape + (size_t)e * (size_t)m->nv, sizeof(double) * (size_t)m->nv);
    for (int it = 0; it < (near ? ITERATIONS : 1); it++) {
        double top = 0, gain = 0, mass = 0;
        residual(p, side, s->w2[e], z, Mx, d->z);
        for (int i = 0; i < m->nv; i++) mass += z[i] * Mx[i], Mx[i] = d->z[i];
        SN_TRY(sn_linsol_solve(d->ls, side, 1, d->z));
        for (int i = 0; i < m->nv; i++) gain += Mx[i] * d->z[i];
        if (!near && fabs(gain) > 1e-6 * s->w2[e] * mass)
            return sn_fail(err, SN_ERR_NUMERIC, NULL,
                           "the derivatives of frequency %d cannot be found: rounding hides its left shape",
                           e + 1);
        for (int i = near ? 0 : m->nv; i < m->n; i++) z[i] -= d->z[i];
        for (int i = 0; i < m->nv; i++) top = fmax(top, fabs(z[i]));
        for (int i = 0; i < m->n; i++) z[i] /= top > 0 ? top : 1;
    }
    return SN_OK;
}

/* Right and left shapes with their multipliers, and y'Mx. */
static sn_status shapes(sn_pencil *p, modes *s, sn_err *err)
{
    const sn_model *m = p->d->m;
    double *Mx;
    int near;
    if (!SN_NEW(Mx, m->nv + 1)) return SN_OUT_OF_MEM(err);
    sn_status status = SN_OK;
    for (int e = 0; e < s->n && !status; e++) {
        const double *x = s->right + (size_t)e * (size_t)m->n, *y = s->left + (size_t)e * (size_t)m->n;
        status = beside(p, s, e, &near, err);
        if (!status) status = iterate(p, s, e, 0, near, Mx, err);
        if (!status) status = iterate(p, s, e, 1, near, Mx, err);
        sn_pencil_mass(p, x, Mx);
        for (int i = 0; i < m->nv; i++) s->mass[e] += y[i] * Mx[i];
    }
    sn_free(Mx);
    return status;
}

typedef struct line {
    sn_context *d;
    const modes *s;
} line;

/* The forms of all modes at a point along a parameter. */
static sn_status fill(void *ctx, sn_work *w, const sn_state *x, double *row, sn_err *err)
{
    const line *l = ctx;
    sn_context moved = *l->d;
    sn_pencil *at = NULL;
    sn_state state = *x;
    moved.w = w, moved.x = &state;
    SN_TRY(sn_pencil_new(&moved, &at, err));
    forms(at, l->s, l->d->z, row);
    sn_pencil_free(at);
    return SN_OK;
}

static sn_status check(const modes *s, int n, sn_err *err)
{
    if (s->found < n) return sn_fail(err, SN_ERR_INPUT, NULL, "the model has only %d frequencies", s->found);
    for (int e = 0; e < n; e++) {
        if (!(s->w2[e] > 0))
            return sn_fail(err, SN_ERR_NUMERIC, NULL, "frequency %d is %s", e + 1,
                           s->w2[e] < 0 ? "imaginary: the state is not stable"
                                        : "zero: a motion without resistance");
        if (e + 1 < s->found && s->w2[e + 1] - s->w2[e] < 1e-7 * s->w2[e])
            return sn_fail(err, SN_ERR_NUMERIC, NULL,
                           "frequencies %d and %d coincide: taken apart they have no derivatives", e + 1,
                           e + 2);
    }
    return SN_OK;
}

/* The state and its derivatives on a context of its own. */
static sn_status derivatives(sn_context *d, const sn_mode_options *o, int np, const int *id, modes *s,
                             const sn_gradient_result *to, sn_err *err)
{
    sn_pencil *p = NULL;
    double *out;
    line l = {d, s};
    sn_along a = {.d = d, .n = (size_t)s->n, .fill = fill, .ctx = &l};
    if (!SN_NEW(out, s->n + 1)) return SN_OUT_OF_MEM(err);
    if (!d->m->flat) sn_system_tangent_maps(d->w, d->zero);
    sn_status status = sn_operating_point(d, sn_where_of(o->at_static, 0, -1), -1, err);
    if (!status) status = sn_along_open(&a, sn_where_of(o->at_static, 0, -1), np, id, err);
    if (!status) status = sn_pencil_new(d, &p, err);
    if (!status) status = shapes(p, s, err);
    for (int k = 0; k < np && !status; k++) {
        memset(out, 0, sizeof *out * (size_t)s->n);
        if (a.chain->used[k]) status = sn_along_parameter(&a, k, out, err);
        for (int e = 0; e < s->n && !status; e++) /* f = w/(2 pi) */
            to->gradient[(size_t)e * (size_t)np + (size_t)k] =
                out[e] / s->mass[e] / (8 * atan(1) * 2 * sqrt(s->w2[e]));
    }
    if (!status && to->used) memcpy(to->used, a.chain->used, (size_t)np);
    sn_free(out);
    sn_pencil_free(p);
    sn_along_close(&a);
    return status;
}

sn_status sn_frequency_gradient(const sn_model *m, const sn_values *p, const sn_mode_options *options,
                                const char *const *wrt, int n_wrt, const sn_gradient_result *result,
                                sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_mode_options, options, err));
    sn_mode_options o = *options;
    modes s = {.n = options->n + 1, .nv = m->nv}; /* one more: does the last one coincide with the next? */
    int n = options->n, *id = NULL, found;
    sn_context d = {.m = NULL};
    sn_info info = {0};
    if (n < 1 || n_wrt < 1 || o.at_time > 0 || o.at_steady)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "frequencies at the start or at the equilibrium, by parameters");
    size_t all = (size_t)(n + 1);
    sn_status status = SN_NEW(s.w2, all) && SN_NEW(s.shape, all * (size_t)m->nv + 1) &&
                               SN_NEW(s.right, all * (size_t)m->n + 1) &&
                               SN_NEW(s.left, all * (size_t)m->n + 1) && SN_NEW(s.mass, all) &&
                               SN_NEW(id, n_wrt)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    o.n = n + 1, o.mode = keep, o.ctx = &s, o.undamped = 1;
    if (!status) status = sn_gradient_names(m, p, n_wrt, wrt, id, err);
    if (!status) status = sn_modes(m, p, &o, &found, err);
    if (!status) status = check(&s, n, err);
    s.n = n;
    if (!status) status = sn_context_open(m, p, &o.run, &info, &d, err);
    if (!status) status = derivatives(&d, &o, n_wrt, id, &s, result, err);
    for (int e = 0; e < n && !status; e++) result->value[e] = sqrt(s.w2[e]) / (8 * atan(1));
    if (d.m) sn_context_close(&d);
    sn_free(s.w2), sn_free(s.shape), sn_free(s.right), sn_free(s.left), sn_free(s.mass), sn_free(id);
    return status;
}
