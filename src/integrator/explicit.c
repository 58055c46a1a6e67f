/* Accelerations, dependent coordinates, Runge-Kutta steps: see explicit.h. */
#include "integrator/explicit.h"

#include <math.h>
#include <string.h>

static size_t bytes(int n) { return sizeof(double) * (size_t)n; }

/* ---- open and close ---- */

void sn_explicit_close(sn_explicit *s)
{
    void *const x[] = {s->Mx,    s->zero, s->one,  s->cc,   s->ca,   s->b,    s->z,     s->phi_t,
                       s->gamma, s->size, s->turn, s->B,    s->tau,  s->work, s->dense, s->pivot,
                       s->k[0],  s->k[1], s->k[2], s->l[0], s->l[1], s->l[2], s->l[3],  s->d};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) sn_free(x[i]);
    sn_linsol_free(s->fit);
    sn_state_free(s->stage);
}

sn_status sn_explicit_failed(const sn_explicit *s, sn_status status, int before, double h, double limit,
                             sn_err *err)
{
    char text[200];
    if (status == SN_ERR_NUMERIC && !s->w->failed && fmax(s->omega, s->decay) * h > limit)
        sn_err_prefix(err, before, "%s", sn_explicit_stable_step(s, limit, text, sizeof text));
    return status;
}

static sn_status refuse(const sn_explicit *s, const sn_mark *mark, const char *kind, const char *name,
                        const char *why, sn_err *err)
{
    return sn_fail(err, SN_ERR_INPUT, mark, "%s '%s': %s, which the scheme %s cannot do", kind, name, why,
                   s->scheme);
}

/* Rotations in space, by their place in v. */
static sn_status find_turns(sn_explicit *s, sn_err *err)
{
    const sn_model *m = s->w->m;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places at = sn_node_place(n);
        if (n->ground || !n->cls->retract) continue;
        if (n->cls->dim != 3 || at.R_v != n->cls->turn || n->nv != at.R_v + 3)
            return refuse(s, &n->mark, n->cls->name, n->name, "its coordinates move in a way of their own",
                          err);
        s->turn[s->n_turn++] = n->v + at.R_v;
    }
    return SN_OK;
}

static sn_status check_joints(sn_explicit *s, sn_err *err)
{
    const sn_model *m = s->w->m;
    for (int j = 0; j < m->joint.n; j++) {
        const sn_object *o = &m->joint.object[j];
        const char *kind = *(const char *const *)o->cls;
        if (s->w->joint_flags[j] & SN_REACTION_DIFFERS)
            return refuse(s, &o->mark, kind, o->name, "its friction depends on its own reaction", err);
        for (int i = 0; i < o->nv; i++)
            if (o->vi[i] < m->nv && m->order_of[o->vi[i]] == 1)
                return refuse(s, &o->mark, kind, o->name, "it holds a coordinate of first order", err);
    }
    for (int i = 0; i < m->m; i++) s->n_velocity += m->velocity[i] != 0;
    return SN_OK;
}

static int allocate(sn_explicit *s)
{
    const sn_model *m = s->w->m;
    const int n = m->nv + 1;
    double **const vector[] = {&s->zero, &s->one,  &s->cc,   &s->ca,   &s->size, &s->k[0], &s->k[1],
                               &s->k[2], &s->l[0], &s->l[1], &s->l[2], &s->l[3], &s->d};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        if (!SN_NEW(*vector[i], n)) return 0;
    return SN_NEW(s->b, m->n + 1) && SN_NEW(s->z, m->n + 1) && SN_NEW(s->phi_t, m->m + 1) &&
           SN_NEW(s->gamma, m->m + 1) && SN_NEW(s->Mx, m->nnz + 1) && SN_NEW(s->turn, m->n_node + 1) &&
           sn_explicit_choice_open(s);
}

sn_status sn_explicit_open(const sn_integration *in, sn_explicit *s, sn_err *err)
{
    const sn_model *m = in->w->m;
    s->w = in->w, s->ls = in->ls, s->o = in->o, s->info = in->info, s->scheme = in->scheme->name;
    if (!allocate(s)) return SN_OUT_OF_MEM(err);
    SN_TRY(sn_state_new(m, 0, &s->stage, err));
    if (m->m) SN_TRY(sn_linsol_new(in->o->solver, m->n, m->Ap, m->Ai, &s->fit, err));
    for (int i = 0; i < m->nv; i++) {
        int first = m->order_of[i] == 1;
        s->one[i] = 1, s->cc[i] = first, s->ca[i] = !first;
        s->size[i] = first ? 1 : 1 / (s->w->p->length * s->w->scale[i]);
    }
    SN_TRY(find_turns(s, err));
    SN_TRY(check_joints(s, err));
    return sn_explicit_find_mass(s, err);
}

void sn_explicit_restart(sn_explicit *s)
{
    sn_linsol_forget(s->ls);
    if (s->fit) sn_linsol_forget(s->fit);
    s->factored = 0;
}

sn_status sn_explicit_time(sn_explicit *s, double t, sn_err *err)
{
    sn_system_time(s->w, t);
    return sn_system_finite(s->w, t, 1, err);
}

double sn_explicit_norm(const sn_explicit *s, const double *x)
{
    double most = 0;
    for (int i = 0; i < s->w->m->nv; i++) most = fmax(most, fabs(x[i]) * s->size[i]);
    return most;
}

void sn_explicit_add_bracket(const sn_explicit *s, double f, const double *x, const double *y, double *d)
{
    for (int k = 0; k < s->n_turn; k++) {
        const int i = s->turn[k];
        d[i] += f * (x[i + 1] * y[i + 2] - x[i + 2] * y[i + 1]);
        d[i + 1] += f * (x[i + 2] * y[i] - x[i] * y[i + 2]);
        d[i + 2] += f * (x[i] * y[i + 1] - x[i + 1] * y[i]);
    }
}

/* ---- accelerations ---- */

static sn_status singular(const sn_explicit *s, const char *what, int column, sn_err *err)
{
    const sn_model *m = s->w->m;
    char name[160];
    if (column < 0)
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "scheme %s: %s are not determined", s->scheme, what);
    return sn_fail(err, SN_ERR_NUMERIC, NULL, "scheme %s: %s are not determined at %s", s->scheme, what,
                   column < m->nv ? sn_coord_name(m, column, name, sizeof name)
                                  : sn_equation_name(m, column - m->nv, name, sizeof name));
}

/* Residual and factors of the matrix at x. */
static sn_status factor_rates(sn_explicit *s, const sn_state *x, sn_err *err)
{
    sn_work *w = s->w;
    const sn_model *m = w->m;
    const sn_coef coef = {s->zero, s->cc, s->ca, s->ca, 1};
    int column = -1;
    s->info->evaluations++;
    if (!m->flat) sn_system_tangent_maps(w, s->zero);
    if (s->constant && s->factored) return sn_system_eval(w, x, NULL, err);
    if (s->constant) {
        SN_TRY(sn_system_equations(w, x, &coef, err));
        for (int i = 0; i < m->nnz; i++) w->Ax[i] += s->Mx[i];
        SN_TRY(sn_system_eval(w, x, NULL, err));
    } else {
        SN_TRY(sn_system_eval(w, x, &coef, err));
    }
    s->info->factorisations++;
    sn_status status = sn_linsol_factor(s->ls, w->Ax, &column, NULL);
    if (status == SN_ERR_NUMERIC) return singular(s, "accelerations", column, err);
    if (status) return sn_fail(err, status, NULL, "scheme %s: no factors of the mass matrix", s->scheme);
    s->factored = s->constant && !m->m;
    return SN_OK;
}

/* b: what the equations lack, with the matrix at hand. */
static void rates_lack(sn_explicit *s, const sn_state *x)
{
    const sn_work *w = s->w;
    const sn_model *m = w->m;
    for (int i = 0; i < m->nv; i++) s->b[i] = -w->f[i];
    for (int i = 0; i < m->m; i++) s->b[m->nv + i] = w->dropped[i] ? -x->lam[i] : -s->gamma[i];
    for (int j = 0; m->m && j < m->nv; j++)
        for (int k = m->Ap[j]; x->a[j] != 0 && k < m->Ap[j + 1]; k++)
            if (m->Ai[k] >= m->nv) s->b[m->Ai[k]] -= w->Ax[k] * x->a[j];
}

enum { CORRECTIONS = 12 }; /* of coordinates of first order, whose rows need not be linear */

sn_status sn_explicit_rates(sn_explicit *s, sn_state *x, sn_err *err)
{
    const sn_model *m = s->w->m;
    double last = INFINITY;
    for (int i = 0; i < m->nv; i++) {
        x->a[i] = 0;
        if (m->order_of[i] == 1) x->v[i] = 0;
    }
    memset(x->lam, 0, bytes(m->m));
    for (int it = 0; it < CORRECTIONS; it++) {
        double sum = 0, change = 0, most = 1e-300;
        SN_TRY(it ? sn_system_eval(s->w, x, NULL, err) : factor_rates(s, x, err));
        if (m->m && !it) SN_TRY(sn_system_rate(s->w, x, s->phi_t, s->gamma, err));
        rates_lack(s, x);
        SN_TRY(sn_linsol_solve(s->ls, 0, 1, s->b));
        for (int i = 0; i < m->nv; i++) {
            double *to = m->order_of[i] == 1 ? &x->v[i] : &x->a[i];
            *to += s->b[i], sum += s->b[i];
            change = fmax(change, fabs(s->b[i]) * s->size[i]), most = fmax(most, fabs(*to) * s->size[i]);
        }
        for (int i = 0; i < m->m; i++) x->lam[i] += s->b[m->nv + i], sum += s->b[m->nv + i];
        if (!isfinite(sum)) {
            SN_TRY(sn_system_blame(s->w, x, err));
            return sn_fail(err, SN_ERR_NUMERIC, NULL, "scheme %s: accelerations are not finite", s->scheme);
        }
        /* what is left and does not shrink any more is rounding */
        if (!m->first_order || change <= 4e-16 * most ||
            (change <= 1e-12 * (1 + most) && change > 0.5 * last))
            return SN_OK;
        last = change;
    }
    return sn_fail(err, SN_ERR_NUMERIC, NULL, "scheme %s: rates of first order are not found", s->scheme);
}

/* ---- dependent coordinates ---- */

sn_status sn_explicit_factor_fit(sn_explicit *s, const double *set, const sn_state *x, int level, sn_err *err)
{
    sn_work *w = s->w;
    const sn_model *m = w->m;
    const sn_coef coef = {s->zero, s->zero, s->zero, s->one, 1};
    int column = -1;
    SN_TRY(sn_system_equations(w, x, &coef, err));
    /* equations at velocity level are none of positions */
    for (int j = 0; level == 0 && s->n_velocity && j < m->n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            const int i = m->Ai[k], row = i >= m->nv && m->velocity[i - m->nv],
                      col = j >= m->nv && m->velocity[j - m->nv];
            if (row || col) w->Ax[k] = i == j;
        }
    for (int i = 0; i < m->nv; i++)
        if (set[i] > (level ? SN_DEPENDENT_RATE : SN_DEPENDENT)) w->Ax[m->diag[i]] += 1;
    sn_status status = sn_linsol_factor(s->fit, w->Ax, &column, NULL);
    if (status == SN_ERR_NUMERIC) return singular(s, "dependent coordinates", column, err);
    return status ? sn_fail(err, status, NULL, "scheme %s: no factors of the equations", s->scheme) : SN_OK;
}

enum { FIT = 12 };
static const double rounding = 4e-15, enough = 1e-9;

sn_status sn_explicit_fit(sn_explicit *s, const double *set, const sn_state *x0, double *d, sn_state *x1,
                          sn_err *err)
{
    sn_work *w = s->w;
    const sn_model *m = w->m;
    double last = INFINITY;
    sn_system_retract(m, x0->q, d, x1->q);
    if (!m->m) return SN_OK;
    memset(x1->lam, 0, bytes(m->m));
    if (!m->flat) sn_system_tangent_maps(w, d);
    for (int it = 0; it < FIT; it++) {
        SN_TRY(it ? sn_system_equations(w, x1, NULL, err) : sn_explicit_factor_fit(s, set, x1, 0, err));
        memset(s->z, 0, bytes(m->n));
        for (int i = 0; i < m->m; i++)
            s->z[m->nv + i] = m->velocity[i] || w->dropped[i] ? 0 : -w->f[m->nv + i];
        SN_TRY(sn_linsol_solve(s->fit, 0, 1, s->z));
        double change = 0, sum = 0;
        for (int i = 0; i < m->nv; i++) {
            if (set[i] > SN_DEPENDENT) continue;
            d[i] += s->z[i], sum += s->z[i];
            change = fmax(change, fabs(s->z[i]) * s->size[i]);
        }
        sn_system_retract(m, x0->q, d, x1->q);
        s->info->iterations++;
        if (!isfinite(sum)) break;
        if (change <= rounding || (change <= enough && change > 0.5 * last)) return SN_OK;
        if (change > 2 * last && it > 1) break;
        last = change;
    }
    SN_TRY(sn_system_blame(w, x0, err));
    return sn_fail(err, SN_ERR_NUMERIC, NULL,
                   "scheme %s: the dependent coordinates do not meet the equations (the step is too long)",
                   s->scheme);
}

sn_status sn_explicit_fit_rates(sn_explicit *s, const double *set, sn_state *x1, sn_err *err)
{
    sn_work *w = s->w;
    const sn_model *m = w->m;
    if (!m->m) return SN_OK;
    if (!m->flat) sn_system_tangent_maps(w, s->zero);
    SN_TRY(sn_explicit_factor_fit(s, set, x1, 1, err));
    SN_TRY(sn_system_rate(w, x1, s->phi_t, s->gamma, err));
    for (int it = 0; it < 2; it++) {
        if (it && s->n_velocity) SN_TRY(sn_system_equations(w, x1, NULL, err));
        memset(s->z, 0, bytes(m->n));
        for (int i = 0; i < m->m; i++)
            if (!w->dropped[i]) s->z[m->nv + i] = -(m->velocity[i] ? w->f[m->nv + i] : s->phi_t[i]);
        for (int j = 0; j < m->nv; j++)
            for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
                int i = m->Ai[k] - m->nv;
                if (i >= 0 && !m->velocity[i] && !w->dropped[i]) s->z[m->nv + i] -= w->Ax[k] * x1->v[j];
            }
        SN_TRY(sn_linsol_solve(s->fit, 0, 1, s->z));
        for (int i = 0; i < m->nv; i++)
            if (set[i] <= SN_DEPENDENT_RATE) x1->v[i] += s->z[i];
    }
    return SN_OK;
}

/* ---- Runge and Kutta ---- */

/* A stage at t by the increment s->d and velocities in the stage's state: k and l, its rates. */
static sn_status stage(sn_explicit *s, const sn_state *x0, double t, double *k, double *l, sn_err *err)
{
    const sn_model *m = s->w->m;
    sn_state *x = s->stage;
    x->t = t;
    SN_TRY(sn_explicit_time(s, t, err));
    sn_system_retract(m, x0->q, s->d, x->q);
    SN_TRY(sn_explicit_rates(s, x, err));
    memcpy(k, x->v, bytes(m->nv)), memcpy(l, x->a, bytes(m->nv));
    return SN_OK;
}

/* Of second order: the increment against that of Hermite's formula of order 4 by the ends, which differs by
   h^5; of velocities and of first order: the last stage against the rate at the end. */
static sn_local_error runge_kutta_error(const sn_explicit *s, const sn_state *x0, const sn_state *x1,
                                        double h)
{
    const sn_model *m = s->w->m;
    sn_local_error e = {0};
    for (int i = 0; i < m->nv; i++) {
        if (m->order_of[i] == 1) {
            e.now = fmax(e.now, h / 6 * fabs(s->k[2][i] - x1->v[i]) * s->size[i]);
            continue;
        }
        double hermite = h / 2 * (x0->v[i] + x1->v[i]) + h * h / 12 * (x0->a[i] - x1->a[i]),
               of_v = h * h / 6 * (s->l[3][i] - x1->a[i]);
        e.now = fmax(e.now, fmax(fabs(s->d[i] - hermite), fabs(of_v)) * s->size[i]);
    }
    e.ahead = e.now;
    return e;
}

sn_status sn_explicit_runge_kutta(sn_explicit *s, const sn_state *x0, double h, const double *set,
                                  sn_state *x1, sn_local_error *e, sn_err *err)
{
    const sn_model *m = s->w->m;
    const double *v0 = x0->v, *a0 = x0->a, half = h / 2;
    double *d = s->d, **k = s->k, **l = s->l, *v = s->stage->v;
    d[m->nv] = 0;
    for (int i = 0; i < m->nv; i++) d[i] = half * v0[i], v[i] = v0[i] + half * a0[i];
    SN_TRY(stage(s, x0, x0->t + half, k[0], l[1], err));
    for (int i = 0; i < m->nv; i++) d[i] = half * k[0][i], v[i] = v0[i] + half * l[1][i];
    sn_explicit_add_bracket(s, h * h / 8, v0, k[0], d);
    SN_TRY(stage(s, x0, x0->t + half, k[1], l[2], err));
    for (int i = 0; i < m->nv; i++) d[i] = h * k[1][i], v[i] = v0[i] + h * l[2][i];
    SN_TRY(stage(s, x0, x0->t + h, k[2], l[3], err));
    for (int i = 0; i < m->nv; i++) {
        d[i] = h / 6 * (v0[i] + 2 * k[0][i] + 2 * k[1][i] + k[2][i]);
        x1->v[i] = v0[i] + h / 6 * (a0[i] + 2 * l[1][i] + 2 * l[2][i] + l[3][i]);
    }
    sn_explicit_add_bracket(s, h * h / 12, v0, k[2], d);
    x1->t = x0->t + h, x1->h = h;
    SN_TRY(sn_explicit_time(s, x1->t, err));
    SN_TRY(sn_explicit_fit(s, set, x0, d, x1, err));
    SN_TRY(sn_explicit_fit_rates(s, set, x1, err));
    SN_TRY(sn_explicit_rates(s, x1, err));
    *e = runge_kutta_error(s, x0, x1, h);
    return SN_OK;
}
