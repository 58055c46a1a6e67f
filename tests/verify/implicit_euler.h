/* Implicit Euler, as somebody outside would write it: against the public headers alone.

       v1 = d/h,  a1 = (v1 - v0)/h,  q1 = retract(q0, d),  r(q1, v1, a1, lam1, t1) = 0,  phi(q1, t1) = 0

   Unknowns (d, h^2 lam), rows (h^2 r, phi), Newton with a new matrix in each iteration. Errors are of first
   order, -h/2 times the acceleration in v. Two tables: `bare` has nothing that may be missing; `full` has
   derivatives (of models whose nodes are flat), a history and an estimate of its error, too. */
#ifndef SN_TESTS_VERIFY_IMPLICIT_EULER_H
#define SN_TESTS_VERIFY_IMPLICIT_EULER_H

#include "sinew/integrator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct euler {
    sn_work *w;
    sn_linsol *ls;
    const sn_run_options *o;
    sn_info *info;
    sn_system_view s;
    double h, weight;                            /* weight: of the inertia, a setting */
    double *one, *zero, *cv, *ca, *d, *b, *last; /* last: the increment before, for the error */
    double error;
} euler;

static inline void euler_close(void *self)
{
    euler *e = self;
    if (!e) return;
    free(e->one), free(e->zero), free(e->cv), free(e->ca), free(e->d), free(e->b), free(e->last);
    free(e);
}

static inline sn_status euler_open(const sn_integration *in, void **self, sn_err *err)
{
    euler *e = calloc(1, sizeof *e);
    if (!e) return sn_fail(err, SN_ERR_MEMORY, NULL, "out of memory");
    e->w = in->w, e->ls = in->ls, e->o = in->o, e->info = in->info, e->s = sn_work_view(in->w);
    e->weight = in->s ? in->s[0] : 1;
    size_t n = (size_t)e->s.n + 1;
    double **const vector[] = {&e->one, &e->zero, &e->cv, &e->ca, &e->d, &e->b, &e->last};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        if (!(*vector[i] = calloc(n, sizeof(double)))) {
            euler_close(e);
            return sn_fail(err, SN_ERR_MEMORY, NULL, "out of memory");
        }
    for (int i = 0; i < e->s.nv; i++) e->one[i] = 1;
    *self = e;
    return SN_OK;
}

/* Rates that belong to the increment d, and the factors of the matrix's columns. */
static inline void euler_rates(euler *e, const sn_state *x0, sn_state *x1)
{
    for (int i = 0; i < e->s.nv; i++) {
        int first = e->s.order[i] == 1;
        x1->v[i] = e->d[i] / e->h;
        x1->a[i] = first ? 0 : e->weight * (x1->v[i] - x0->v[i]) / e->h;
        e->cv[i] = 1 / e->h, e->ca[i] = first ? 0 : e->weight / (e->h * e->h);
    }
    sn_system_retract(e->s.model, x0->q, e->d, x1->q);
}

static inline sn_status euler_factor(euler *e, const sn_state *x1, sn_err *err)
{
    const sn_coef coef = {e->one, e->cv, e->ca, e->cv, e->h * e->h};
    sn_system_tangent_maps(e->w, e->d);
    SN_TRY(sn_system_eval(e->w, x1, &coef, err));
    e->info->evaluations++, e->info->factorisations++;
    return sn_linsol_factor(e->ls, e->s.Ax, NULL, err);
}

static inline sn_status euler_step(void *self, const sn_state *x0, double h, sn_state *x1, sn_err *err)
{
    euler *e = self;
    const sn_system_view *s = &e->s;
    const double most = e->o->exact ? 1e-14 : 1e-2 * e->o->tolerance;
    double size = INFINITY, before;
    e->h = h;
    x1->t = x0->t + h, x1->h = h;
    sn_system_time(e->w, x1->t);
    SN_TRY(sn_system_finite(e->w, x1->t, 0, err));
    for (int i = 0; i < s->nv; i++) e->d[i] = h * x0->v[i];
    memcpy(x1->lam, x0->lam, sizeof(double) * (size_t)s->m);
    for (int it = 0; size > most && it < e->o->max_iterations; it++) {
        euler_rates(e, x0, x1);
        SN_TRY(euler_factor(e, x1, err));
        for (int i = 0; i < s->n; i++) e->b[i] = -s->f[i] * (i < s->nv ? h * h : 1);
        SN_TRY(sn_linsol_solve(e->ls, 0, 1, e->b));
        before = size, size = 0;
        for (int i = 0; i < s->nv; i++) {
            e->d[i] += e->b[i];
            size = fmax(size, fabs(e->b[i]) / (s->order[i] == 1 ? 1 : s->length * s->scale[i]));
        }
        for (int i = 0; i < s->m; i++) x1->lam[i] += e->b[s->nv + i] / (h * h);
        e->info->iterations++;
        if (e->o->exact && it > 1 && size > 0.5 * before) break; /* all of it is rounding */
    }
    if (!(size <= most) && !(e->o->exact && size < 1e-9))
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "Newton's iteration of implicit Euler does not converge");
    euler_rates(e, x0, x1);
    /* h^2/2 of the acceleration, by the change of the increment */
    e->error = 0;
    for (int i = 0; i < s->nv; i++) {
        double change = 0.5 * (e->d[i] - h * x0->v[i]);
        e->error = fmax(e->error, fabs(change) / (s->order[i] == 1 ? 1 : s->length * s->scale[i]));
        if (x1->n_own) x1->own[0][i] = e->d[i];
    }
    return SN_OK;
}

/* ---- what need not be there ---- */

static inline sn_status euler_begin(void *self, sn_state *x, sn_err *err)
{
    (void)err;
    memset(x->own[0], 0, sizeof(double) * (size_t)((euler *)self)->s.nv);
    return SN_OK;
}

static inline sn_status euler_begin_forward(void *self, const sn_state *x, sn_parameter_chain *c,
                                            sn_dstate *d, sn_err *err)
{
    (void)self, (void)x, (void)c, (void)d, (void)err; /* what is zero stays so */
    return SN_OK;
}

static inline sn_local_error euler_error(void *self)
{
    const euler *e = self;
    return (sn_local_error){.now = e->error, .ahead = e->error, .smooth = 0};
}

/* y (n rows of columns) += factor A x, or (one column) y += factor A'x, with A the matrix last assembled. */
static inline void euler_times(const euler *e, double factor, int transposed, int columns, const double *x,
                               double *y)
{
    const sn_system_view *s = &e->s;
    for (int j = 0; j < s->nv; j++)
        for (int k = s->Ap[j]; k < s->Ap[j + 1]; k++)
            for (int c = 0; c < columns; c++) {
                int from = transposed ? s->Ai[k] : j, to = transposed ? j : s->Ai[k];
                y[to * columns + c] += factor * s->Ax[k] * x[from * columns + c];
            }
}

/* rows of h^2 K, B; or of h^2 M (those of equations at velocity level have G, which is not there). */
static inline sn_status euler_part(euler *e, const sn_state *x1, int mass, sn_err *err)
{
    const sn_coef coef = {mass ? e->zero : e->one, e->zero, mass ? e->one : e->zero, e->zero, e->h * e->h};
    return sn_system_eval(e->w, x1, &coef, err);
}

/* S (dd, h^2 dlam) = -(h^2 K dq0 + h^2 M da + h^2 dr/dp, B dq0 + dphi/dp), da = -weight dv0/h, for flat
   nodes: dq1 = dq0 + dd, dv1 = dd/h, da1 = weight (dv1 - dv0)/h */
static inline sn_status euler_forward(void *self, const sn_state *x0, const sn_state *x1,
                                      sn_parameter_chain *c, const sn_dstate *d0, sn_dstate *d1, sn_err *err)
{
    euler *e = self;
    const sn_system_view *s = &e->s;
    int np = d0->columns;
    size_t n = (size_t)s->n, all = n * (size_t)np;
    (void)x0;
    if (!s->flat) return sn_fail(err, SN_ERR_INPUT, NULL, "no derivatives of rotations in space");
    double *rhs = calloc(2 * all + 1, sizeof *rhs), *by_column = rhs + all;
    if (!rhs) return sn_fail(err, SN_ERR_MEMORY, NULL, "out of memory");
    sn_parameter_chain_time(c, e->w, x1->t);
    sn_status status = sn_system_dparam(e->w, x1, c, e->h * e->h, rhs, err);
    if (!status) status = euler_part(e, x1, 0, err);
    if (!status) euler_times(e, 1, 0, np, d0->q, rhs);
    if (!status) status = euler_part(e, x1, 1, err);
    if (!status) {
        /* the matrix of accelerations has B in its rows of equations: they do not count */
        for (int j = 0; j < s->nv; j++)
            for (int k = s->Ap[j]; k < s->Ap[j + 1]; k++)
                for (int p = 0; p < np && s->Ai[k] < s->nv && s->order[j] != 1; p++)
                    rhs[s->Ai[k] * np + p] -= s->Ax[k] * e->weight / e->h * d0->v[j * np + p];
        status = euler_factor(e, x1, err);
    }
    for (int i = 0; i < s->n && !status; i++)
        for (int p = 0; p < np; p++) by_column[(size_t)p * n + (size_t)i] = -rhs[i * np + p];
    if (!status) status = sn_linsol_solve(e->ls, 0, np, by_column);
    for (int p = 0; p < np && !status; p++) {
        const double *dd = by_column + (size_t)p * n;
        for (int i = 0; i < s->nv; i++) {
            d1->q[i * np + p] = d0->q[i * np + p] + dd[i];
            d1->v[i * np + p] = dd[i] / e->h;
            d1->a[i * np + p] =
                s->order[i] == 1 ? 0 : e->weight * (d1->v[i * np + p] - d0->v[i * np + p]) / e->h;
        }
        for (int i = 0; i < s->m; i++) d1->lam[i * np + p] = dd[s->nv + i] / (e->h * e->h);
    }
    free(rhs);
    return status;
}

/* The same backwards. */
static inline sn_status euler_adjoint(void *self, const sn_state *x0, const sn_state *x1,
                                      sn_parameter_chain *c, const sn_dstate *b1, sn_dstate *b0, double *g,
                                      sn_err *err)
{
    euler *e = self;
    const sn_system_view *s = &e->s;
    double *z = e->b;
    if (!s->flat) return sn_fail(err, SN_ERR_INPUT, NULL, "no derivatives of rotations in space");
    e->h = x1->h;
    sn_system_time(e->w, x1->t);
    sn_system_difference(s->model, x0->q, x1->q, e->d);
    for (int i = 0; i < s->nv; i++) {
        int first = s->order[i] == 1;
        e->cv[i] = 1 / e->h, e->ca[i] = first ? 0 : e->weight / (e->h * e->h);
        z[i] = b1->q[i] + e->cv[i] * b1->v[i] + e->ca[i] * b1->a[i];
        b0->q[i] = b1->q[i], b0->a[i] = 0;
        b0->v[i] = first ? 0 : -e->weight / e->h * b1->a[i];
    }
    for (int i = 0; i < s->m; i++) z[s->nv + i] = b1->lam[i] / (e->h * e->h), b0->lam[i] = 0;
    SN_TRY(euler_factor(e, x1, err));
    SN_TRY(sn_linsol_solve(e->ls, 1, 1, z));
    for (int i = 0; i < s->n; i++) z[i] = -z[i];
    sn_parameter_chain_time(c, e->w, x1->t);
    SN_TRY(sn_system_dparam_transposed(e->w, x1, c, e->h * e->h, z, g, err));
    SN_TRY(euler_part(e, x1, 0, err));
    euler_times(e, 1, 1, 1, z, b0->q);
    SN_TRY(euler_part(e, x1, 1, err));
    for (int j = 0; j < s->nv; j++)
        for (int k = s->Ap[j]; k < s->Ap[j + 1]; k++)
            if (s->Ai[k] < s->nv && s->order[j] != 1) b0->v[j] -= s->Ax[k] * e->weight / e->h * z[s->Ai[k]];
    for (int k = 0; k < b0->n_own; k++) memset(b0->own[k], 0, sizeof(double) * (size_t)s->nv);
    return SN_OK;
}

/* ---- the tables ---- */

static const sn_slot euler_slots[] = {
    {"inertia", "1", "weight of the inertia forces, for tests", 1, SN_POSITIVE, 1, 0, 10, NULL},
    {.name = NULL}};
static const sn_scheme bare_schemes[] = {{"bare_euler", "implicit Euler and nothing else", NULL, NULL},
                                         {.name = NULL}};
static const sn_scheme full_schemes[] = {{"full_euler", "implicit Euler with derivatives", euler_slots, NULL},
                                         {.name = NULL}};

static const sn_integrator_class bare_euler = {
    .name = "bare",
    .doc = "implicit Euler",
    .schemes = bare_schemes,
    .open = euler_open,
    .step = euler_step,
    .close = euler_close,
};

static const sn_integrator_class full_euler = {
    .name = "full",
    .doc = "implicit Euler with all that an integrator may have",
    .schemes = full_schemes,
    .history = 1,
    .order = 1,
    .open = euler_open,
    .begin = euler_begin,
    .begin_forward = euler_begin_forward,
    .step = euler_step,
    .error = euler_error,
    .step_forward = euler_forward,
    .step_adjoint = euler_adjoint,
    .close = euler_close,
};

#endif
