/* Derivatives of natural frequencies. From K x + B'mu = w^2 M x, B x = 0 and the same with K', M' for the
   left shape y, nu (under loads that move the model K is not symmetric),

       y'Mx d(w^2) = d( y'(K - w^2 M) x + y'B'mu + nu'B x ) at fixed x, y, mu, nu, w

   where K, M and B move with the parameter and with the state (equilibrium or start) that moves with it. The
   state's derivative is exact; the quadratic form, a smooth function of one number, is differentiated by
   sixth-order central differences of the exact matrices: no kind supplies derivatives of its tangent. */
#include "sensitivity/dstart.h"
#include "sensitivity/gradient.h"
#include "sensitivity/stencil.h"

#include <math.h>
#include <string.h>

typedef struct modes {
    int n, found, nv;
    double *w2, *shape, *mass;
    double *right, *left; /* (x, mu) and (y, nu) */
} modes;

static sn_status keep(void *ctx, int i, double omega, const double *shape, const sn_frame *state, sn_err *err)
{
    modes *s = ctx;
    (void)state, (void)err;
    if (i >= s->n) return SN_OK;
    s->w2[i] = omega < 0 ? -omega * omega : omega * omega;
    memcpy(s->shape + (size_t)i * (size_t)s->nv, shape, sizeof(double) * (size_t)s->nv);
    s->found = i + 1;
    return SN_OK;
}

/* y += f S x over the coordinates; transposed: y += f S'x */
static void multiply(const sn_model *m, const double *Ax, double f, int transposed, const double *x,
                     double *y)
{
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            int i = m->Ai[k];
            if (i < m->nv) y[transposed ? j : i] += f * Ax[k] * x[transposed ? i : j];
        }
}

/* y'(K - w2 M) x + y'B'mu + nu'B x of all modes at a state. */
static sn_status forms(sn_work *w, const sn_state *x, const double *one, const double *zero, const modes *s,
                       double *out, sn_err *err)
{
    const sn_model *m = w->m;
    const sn_coef K = {one, zero, zero, one, 1}, M = {zero, zero, one, one, 1};
    for (int pass = 0; pass < 2; pass++) {
        SN_TRY(sn_system_eval(w, x, pass ? &M : &K, err));
        for (int e = 0; e < s->n; e++) {
            const double *r = s->right + (size_t)e * (size_t)m->n, *l = s->left + (size_t)e * (size_t)m->n;
            double sum = 0;
            for (int j = 0; j < m->nv; j++)
                for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
                    int i = m->Ai[k];
                    if (i < m->nv)
                        sum += (pass ? -s->w2[e] : 1) * w->Ax[k] * l[i] * r[j];
                    else if (pass) /* this assembly has G in velocity rows */
                        sum += w->Ax[k] * (l[i] * r[j] + r[i] * l[j]);
                }
            out[e] = (pass ? out[e] : 0) + sum;
        }
    }
    return SN_OK;
}

/* Right and left shapes with their multipliers by inverse iteration beside w2, and y'Mx. */
static sn_status shapes(sn_desk *d, modes *s, sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef M = {d->zero, d->zero, d->one, d->one, 1}, shifted = {d->one, d->zero, d->a, d->one, 1};
    double *Mx;
    int column;
    if (!SN_NEW(Mx, m->nnz + 1)) return SN_OUT_OF_MEM(err);
    sn_status status = sn_system_eval(d->w, d->x, &M, err);
    if (!status) memcpy(Mx, d->w->Ax, sizeof(double) * (size_t)(m->nnz + 1));
    for (int e = 0; e < s->n && !status; e++) {
        for (int i = 0; i < m->nv; i++) d->a[i] = -s->w2[e] * (1 + 1e-7);
        status = sn_system_eval(d->w, d->x, &shifted, err);
        if (!status) status = sn_linsol_factor(d->ls, d->w->Ax, &column, err);
        for (int side = 0; side < 2 && !status; side++) {
            double *z = (side ? s->left : s->right) + (size_t)e * (size_t)m->n;
            memcpy(z, s->shape + (size_t)e * (size_t)m->nv, sizeof(double) * (size_t)m->nv);
            for (int it = 0; it < 3 && !status; it++) {
                double top = 0;
                memset(d->z, 0, sizeof(double) * (size_t)m->n);
                multiply(m, Mx, 1, side, z, d->z);
                status = sn_linsol_solve(d->ls, side, 1, d->z);
                for (int i = 0; i < m->nv; i++) top = fmax(top, fabs(d->z[i]));
                for (int i = 0; i < m->n; i++) z[i] = d->z[i] / (top > 0 ? top : 1);
            }
        }
        const double *x = s->right + (size_t)e * (size_t)m->n, *y = s->left + (size_t)e * (size_t)m->n;
        memset(d->z, 0, sizeof(double) * (size_t)m->n);
        multiply(m, Mx, 1, 0, x, d->z);
        for (int i = 0; i < m->nv; i++) s->mass[e] += y[i] * d->z[i];
    }
    sn_free(Mx);
    return status;
}

static void column(const sn_model *m, const sn_dstate *dx, int k, double f, const sn_state *x, double *step,
                   sn_state *to)
{
    size_t np = (size_t)dx->columns, c = (size_t)k;
    for (int i = 0; i < m->nv; i++) {
        size_t at = (size_t)i * np + c;
        step[i] = f * dx->q[at];
        to->v[i] = x->v[i] + f * dx->v[at], to->a[i] = x->a[i] + f * dx->a[at];
    }
    for (int i = 0; i < m->m; i++) to->lam[i] = x->lam[i] + f * dx->lam[(size_t)i * np + c];
    sn_system_retract(m, x->q, step, to->q);
}

/* One parameter: differences of the forms along it. */
static sn_status along(sn_desk *d, const sn_dstate *dx, int id, int k, const modes *s, double *out,
                       sn_err *err)
{
    const sn_model *m = d->m;
    sn_values *p = NULL;
    sn_state *x = NULL;
    double was = d->p->x[id], h = 3e-3 * (was != 0 ? fabs(was) : 1), *form = NULL;
    sn_status status = sn_values_copy(d->p, &p, err);
    if (!status) status = sn_state_new(m, &x, err);
    if (!status && !SN_NEW(form, s->n + 1)) status = SN_OUT_OF_MEM(err);
    for (int j = -3; j <= 3 && !status; j++) {
        sn_work *w = NULL;
        if (j == 0) continue;
        p->x[id] = was + j * h, p->fixed[id] = 1;
        status = sn_values_update(p, err);
        if (!status) status = sn_work_new(m, p, &w, err);
        if (status) break;
        memcpy(w->dropped, d->w->dropped, (size_t)m->m);
        w->n_dropped = d->w->n_dropped;
        sn_system_time(w, d->x->t);
        sn_system_tangent_maps(w, d->zero);
        memcpy(x->q, p->q0, sizeof(double) * (size_t)m->nq); /* the ground's too */
        column(m, dx, k, j * h, d->x, d->z, x);
        x->t = d->x->t;
        status = forms(w, x, d->one, d->zero, s, form, err);
        for (int e = 0; e < s->n && !status; e++)
            out[e] += (j > 0 ? 1 : -1) * sn_stencil[j > 0 ? j - 1 : -j - 1] * form[e] / h;
        sn_work_free(w);
    }
    sn_free(form);
    sn_state_free(x);
    sn_values_free(p);
    return status;
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

/* The state and its derivatives on a desk of its own. */
static sn_status derivatives(sn_desk *d, const sn_mode_options *o, int np, const int *id, modes *s,
                             double *gradient, sn_err *err)
{
    const sn_model *m = d->m;
    sn_touch *c = NULL;
    sn_dstart *start = NULL;
    sn_dstate *dx = NULL;
    double *out = NULL;
    if (!m->flat) sn_system_tangent_maps(d->w, d->zero);
    sn_status status = sn_reach(d, o->at_static, -1, err);
    if (!status) status = sn_touch_new(m, d->p, np, id, &c, err);
    if (!status) sn_touch_time(c, d->w, d->x->t);
    if (!status) status = sn_dstart_new(d, c, &start, err);
    if (!status) status = sn_dstate_new(m, np, &dx, err);
    if (!status && !SN_NEW(out, s->n + 1)) status = SN_OUT_OF_MEM(err);
    if (!status) status = o->at_static ? sn_dstatic(start, dx, err) : sn_dstart_run(start, dx, err);
    if (!status) status = shapes(d, s, err);
    for (int k = 0; k < np && !status; k++) {
        memset(out, 0, sizeof *out * (size_t)s->n);
        if (c->used[k]) status = along(d, dx, id[k], k, s, out, err);
        for (int e = 0; e < s->n && !status; e++) /* f = w/(2 pi) */
            gradient[(size_t)e * (size_t)np + (size_t)k] =
                out[e] / s->mass[e] / (8 * atan(1) * 2 * sqrt(s->w2[e]));
    }
    sn_free(out);
    sn_dstate_free(dx), sn_dstart_free(start), sn_touch_free(c);
    return status;
}

sn_status sn_frequency_gradient(const sn_model *m, const sn_values *p, const sn_mode_options *options,
                                const char *const *wrt, int n_wrt, double *frequency, double *gradient,
                                sn_err *err)
{
    sn_mode_options o = *options;
    modes s = {.n = options->n + 1, .nv = m->nv}; /* one more: does the last one coincide with the next? */
    int n = options->n, *id = NULL, found;
    sn_desk d = {.m = NULL};
    sn_info info = {0};
    if (n < 1 || n_wrt < 1 || o.at_time > 0)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "frequencies at the start or at the equilibrium, by parameters");
    size_t all = (size_t)(n + 1);
    sn_status status = SN_NEW(s.w2, all) && SN_NEW(s.shape, all * (size_t)m->nv + 1) &&
                               SN_NEW(s.right, all * (size_t)m->n + 1) &&
                               SN_NEW(s.left, all * (size_t)m->n + 1) && SN_NEW(s.mass, all) &&
                               SN_NEW(id, n_wrt)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    o.n = n + 1, o.mode = keep, o.ctx = &s;
    if (!status) status = sn_gradient_names(m, p, n_wrt, wrt, id, err);
    if (!status) status = sn_modes(m, p, &o, &found, err);
    if (!status) status = check(&s, n, err);
    s.n = n;
    if (!status) status = sn_desk_open(m, p, &o.run, &info, &d, err);
    if (!status) status = derivatives(&d, &o, n_wrt, id, &s, gradient, err);
    for (int e = 0; e < n && !status; e++) frequency[e] = sqrt(s.w2[e]) / (8 * atan(1));
    if (d.m) sn_desk_close(&d);
    sn_free(s.w2), sn_free(s.shape), sn_free(s.right), sn_free(s.left), sn_free(s.mass), sn_free(id);
    return status;
}
