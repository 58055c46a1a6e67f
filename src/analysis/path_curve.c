/* Points and tangents of a curve of equilibria F(u, s) = 0.

   Steps are those of pseudo-arc length (Keller 1977): from a point along its tangent (u', s'), then back to
   the curve at right angles to it, with the factors of F_u alone and two right-hand sides:

       F_u a = -F,   F_u b = -F_s,    ds = -(u'.a)/(s' + u'.b),   du = a + ds b

   Rotations move by their retraction; each correction is at right angles to the tangent in the axes where the
   bodies are.

   Newton's method may also end on another part of the curve, behind a limit point. Then it wanders: from the
   third correction on each must be at most half of the one before (thin members take two to settle), and all
   of a step together are at most half as long as the step. What fails is tried again with a shorter step. */
#include "analysis/path.h"
#include "system/parameter_chain.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

static const double CONTRACTION = 0.5, ASIDE = 0.5, ROUNDED = 1e-7;

sn_status sn_curve_point_new(const sn_model *m, sn_curve_point *x, sn_err *err)
{
    *x = (sn_curve_point){.negative = -1};
    if (SN_NEW(x->q, m->nq + 1) && SN_NEW(x->lam, m->m + 1) && SN_NEW(x->u, m->n + 1)) return SN_OK;
    sn_curve_point_free(x);
    return SN_OUT_OF_MEM(err);
}

void sn_curve_point_free(sn_curve_point *x)
{
    sn_free(x->q), sn_free(x->lam), sn_free(x->u);
    *x = (sn_curve_point){.s = 0};
}

void sn_curve_point_copy(const sn_model *m, const sn_curve_point *from, sn_curve_point *to)
{
    memcpy(to->q, from->q, sizeof(double) * (size_t)m->nq);
    memcpy(to->lam, from->lam, sizeof(double) * (size_t)m->m);
    memcpy(to->u, from->u, sizeof(double) * (size_t)m->n);
    to->s = from->s, to->arc = from->arc, to->us = from->us, to->negative = from->negative;
}

void sn_curve_close(sn_curve *c)
{
    sn_tangent_close(&c->t);
    sn_free(c->f0), sn_free(c->F), sn_free(c->Fs), sn_free(c->a), sn_free(c->b), sn_free(c->dropped);
    *c = (sn_curve){.d = NULL};
}

sn_status sn_curve_open(sn_context *d, const char *parameter, sn_values *p, sn_curve *c, sn_err *err)
{
    const sn_model *m = d->m;
    *c = (sn_curve){.d = d, .id = -1, .to = 1};
    if (parameter) {
        c->p = p;
        c->id = sn_quantity_find(m, parameter);
        if (c->id < 0) return sn_values_get(p, parameter, &c->from, err); /* the error, and a guess */
        SN_TRY(sn_structure_refuse(m, c->id, parameter, NULL, err));
    }
    sn_status s = SN_NEW(c->f0, m->n + 1) && SN_NEW(c->F, m->n + 1) && SN_NEW(c->Fs, m->n + 1) &&
                          SN_NEW(c->a, m->n + 1) && SN_NEW(c->b, m->n + 1) && SN_NEW(c->dropped, m->m + 1)
                      ? sn_tangent_open(d, &c->t, err)
                      : SN_OUT_OF_MEM(err);
    if (s) sn_curve_close(c);
    return s;
}

double sn_curve_value(const sn_curve *c, double s) { return c->from + s * (c->to - c->from); }

/* The parameter's value, and all that follows from it. */
static sn_status set_parameter(sn_curve *c, double s, sn_err *err)
{
    sn_context *d = c->d;
    const sn_model *m = d->m;
    int n_dropped = d->w->n_dropped;
    c->p->x[c->id] = sn_curve_value(c, s), c->p->fixed[c->id] = 1;
    SN_TRY(sn_values_update(c->p, err));
    memcpy(c->dropped, d->w->dropped, (size_t)m->m);
    sn_work_renew(d->w);
    memcpy(d->w->dropped, c->dropped, (size_t)m->m);
    d->w->n_dropped = n_dropped;
    sn_system_time(d->w, d->x->t);
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        if (n->ground) memcpy(d->x->q + n->q, c->p->q0 + n->q, sizeof(double) * (size_t)n->nq);
    }
    return SN_OK;
}

/* dF/ds by the exact parameter chain. */
static sn_status parameter_derivative(sn_curve *c, sn_err *err)
{
    sn_context *d = c->d;
    sn_parameter_chain *chain = NULL;
    SN_TRY(sn_parameter_chain_new(d->m, c->p, 1, &c->id, &chain, err));
    sn_parameter_chain_time(chain, d->w, d->x->t);
    memset(c->Fs, 0, sizeof(double) * (size_t)d->m->n);
    sn_status s = sn_system_dparam(d->w, d->x, chain, 1, c->Fs, err);
    for (int i = 0; i < d->m->n; i++) c->Fs[i] *= c->to - c->from;
    sn_parameter_chain_free(chain);
    return s;
}

/* Factors where the matrix may be singular: at a limit point or a bifurcation, the less the better. */
static sn_status factor(sn_curve *c, sn_err *err)
{
    sn_context *d = c->d;
    const sn_model *m = d->m;
    d->info->factorisations++;
    if (c->t.held) return sn_tangent_factor(&c->t, "path", err);
    memcpy(c->t.Ax, d->w->Ax, sizeof(double) * (size_t)m->nnz);
    sn_status s = sn_linsol_factor(d->ls, d->w->Ax, NULL, NULL);
    if (s != SN_ERR_NUMERIC) return s ? sn_singular(d, "path", s, -1, err) : SN_OK;
    SN_TRY(sn_context_finite(d, "path", err));
    sn_tangent_weigh(&c->t);
    for (int i = 0; i < m->nv; i++) d->w->Ax[m->diag[i]] += SN_HOLD * c->t.weight[i];
    int column = -1;
    s = sn_linsol_factor(d->ls, d->w->Ax, &column, NULL);
    return s ? sn_singular(d, "path", s, column, err) : SN_OK;
}

sn_status sn_curve_eval(sn_curve *c, double s, sn_err *err)
{
    sn_context *d = c->d;
    const sn_model *m = d->m;
    const sn_coef with_K = {d->one, d->zero, d->zero, d->one, 1};
    double top = 0, most = 0;
    if (c->p) SN_TRY(set_parameter(c, s, err));
    SN_TRY(sn_system_eval(d->w, d->x, &with_K, err));
    if (c->p) SN_TRY(parameter_derivative(c, err));
    for (int i = 0; i < m->n; i++) {
        c->F[i] = d->w->f[i] - (1 - s) * c->f0[i];
        if (!c->p) c->Fs[i] = c->f0[i];
    }
    for (int i = 0; i < m->nv; i++) {
        top = fmax(top, fabs(c->F[i]) * d->w->scale[i]);
        most = fmax(most, fabs(c->f0[i]) * d->w->scale[i]);
    }
    most = fmax(most, d->w->force);
    c->left = most > 0 ? top / most : 0;
    return factor(c, err);
}

sn_status sn_curve_hold(sn_curve *c, sn_err *err)
{
    SN_TRY(sn_curve_eval(c, 0, err));
    memcpy(c->d->w->Ax, c->t.Ax, sizeof(double) * (size_t)c->d->m->nnz);
    return sn_tangent_factor(&c->t, "path", err);
}

double sn_curve_dot(const sn_curve *c, const double *x, const double *y)
{
    const sn_context *d = c->d;
    const double L = d->p->length;
    double sum = 0;
    for (int i = 0; i < d->m->nv; i++) sum += x[i] * y[i] / (d->w->scale[i] * d->w->scale[i]);
    return sum / (L * L * d->m->nv);
}

/* d->x moves by z. */
static void move(const sn_curve *c, const double *z)
{
    const sn_model *m = c->d->m;
    sn_system_retract(m, c->d->x->q, z, c->d->x->q);
    for (int i = 0; i < m->m; i++) c->d->x->lam[i] += z[m->nv + i];
}

sn_status sn_curve_correct(sn_curve *c, const double *u, double us, double *s, int *iterations, sn_err *err)
{
    sn_context *d = c->d;
    const int n = d->m->n;
    double tol = d->o->tolerance, last = INFINITY;
    c->moved = 0;
    for (int it = 1; it <= d->o->max_iterations + 5; it++) {
        double ds = 0, change = 0;
        *iterations = it;
        SN_TRY(sn_curve_eval(c, *s, err));
        d->info->iterations++;
        for (int i = 0; i < n; i++) c->a[i] = -c->F[i], c->b[i] = -c->Fs[i];
        SN_TRY(sn_tangent_solve(&c->t, c->a));
        if (u) {
            SN_TRY(sn_tangent_solve(&c->t, c->b));
            ds = -sn_curve_dot(c, u, c->a) / (us + sn_curve_dot(c, u, c->b));
            for (int i = 0; i < n; i++) c->a[i] += ds * c->b[i];
        }
        for (int i = 0; i < d->m->nv; i++)
            change = fmax(change, fabs(c->a[i]) / (d->p->length * d->w->scale[i]));
        if (!isfinite(change) || !isfinite(ds) || change > 1 || (it > 3 && change > 2 * last)) break;
        change = fmax(change, fabs(ds));
        if (u && it > 2 && change > fmax(CONTRACTION * last, ROUNDED)) break;
        move(c, c->a);
        *s += ds, c->moved += sqrt(sn_curve_dot(c, c->a, c->a) + ds * ds);
        if (change <= 4e-15 || (change <= 1e-2 * tol && c->left <= tol) || (change < 1e-11 && change >= last))
            return SN_OK;
        last = change;
    }
    return sn_fail(err, SN_ERR_NUMERIC, NULL, "no convergence near %.6g", sn_curve_value(c, *s));
}

/* Unstable directions at the last evaluation; -1: not known. */
static sn_status count(sn_curve *c, int *negative, sn_err *err)
{
    sn_tangent_weigh(&c->t);
    return sn_stability_negative(&c->t, c->t.held ? 2 * c->t.slack : 0, NULL, negative, err);
}

sn_status sn_curve_tangent(sn_curve *c, const double *u, double us, sn_curve_point *x, sn_err *err)
{
    sn_context *d = c->d;
    const sn_model *m = d->m;
    memcpy(x->q, d->x->q, sizeof(double) * (size_t)m->nq);
    memcpy(x->lam, d->x->lam, sizeof(double) * (size_t)m->m);
    SN_TRY(sn_curve_eval(c, x->s, err));
    SN_TRY(count(c, &x->negative, err));
    for (int i = 0; i < m->n; i++) c->b[i] = -c->Fs[i];
    SN_TRY(sn_tangent_solve(&c->t, c->b));
    double size = sqrt(1 + sn_curve_dot(c, c->b, c->b));
    if (us + (u ? sn_curve_dot(c, u, c->b) : 0) < 0) size = -size;
    for (int i = 0; i < m->n; i++) x->u[i] = c->b[i] / size;
    x->us = 1 / size;
    return isfinite(size) ? SN_OK : SN_ERR_NUMERIC;
}

sn_status sn_curve_begin(sn_curve *c, double s, sn_curve_point *x, sn_err *err)
{
    x->s = s, x->arc = 0;
    return sn_curve_tangent(c, NULL, 1, x, err);
}

sn_status sn_curve_step(sn_curve *c, const sn_curve_point *x, double h, sn_curve_point *y, int *iterations,
                        sn_err *err)
{
    sn_context *d = c->d;
    const sn_model *m = d->m;
    memcpy(d->x->q, x->q, sizeof(double) * (size_t)m->nq);
    memcpy(d->x->lam, x->lam, sizeof(double) * (size_t)m->m);
    for (int i = 0; i < m->n; i++) c->a[i] = h * x->u[i];
    move(c, c->a);
    y->s = x->s + h * x->us, y->arc = x->arc + h;
    SN_TRY(sn_curve_correct(c, x->u, x->us, &y->s, iterations, err));
    if (c->moved > fmax(ASIDE * fabs(h), ROUNDED))
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "the curve bends too much near %.6g",
                       sn_curve_value(c, y->s));
    return sn_curve_tangent(c, x->u, x->us, y, err);
}

sn_status sn_curve_critical(sn_curve *c, double *phi, double *lambda, sn_err *err)
{
    enum { SOME = 4 };
    const int nv = c->d->m->nv, k = nv < SOME ? nv : SOME;
    size_t n = (size_t)nv, K = (size_t)k;
    double *X, *Y = NULL, T[SOME * SOME], V[SOME * SOME], s[SOME], spare[SOME], unused[1];
    sn_tangent_weigh(&c->t);
    sn_status status = SN_NEW(X, n * K + 1) && SN_NEW(Y, n * K + 1)
                           ? sn_tangent_subspace(&c->t, k, 4, X, Y, err)
                           : SN_OUT_OF_MEM(err);
    for (size_t a = 0; !status && a < K; a++)
        for (size_t b = 0; b < K; b++) {
            T[b * K + a] = 0;
            for (size_t i = 0; i < n; i++) T[b * K + a] += X[a * n + i] * c->t.weight[i] * Y[b * n + i];
        }
    if (!status && LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', k, k, T, k, s, unused, 1, V, k, spare) != 0)
        status = SN_ERR_NUMERIC;
    if (!status) {
        *lambda = 1 / s[0];
        for (size_t i = 0; i < n; i++) {
            phi[i] = 0;
            for (size_t b = 0; b < K; b++) phi[i] += V[b * K] * Y[b * n + i];
        }
        double size = sqrt(sn_curve_dot(c, phi, phi));
        for (size_t i = 0; i < n; i++) phi[i] /= size;
    }
    sn_free(X), sn_free(Y);
    return status;
}
