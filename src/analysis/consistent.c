/* Equations that cannot be met together.

   An equation that was left out depends on those that are kept, b_i = sum_j c_ij b_j. The coefficients come
   from the projection's matrix with the equations that are kept:

       [ W B'; B 0 ] [x; c_i] = [b_i; 0]      W x = b_i - B'c_i = 0 where it depends on them, whatever W > 0

   It is redundant where besides it is met: phi_i = 0, then B_i v + phi_t,i = 0 and B_i a + gamma_i = 0. If
   not, it contradicts the equations with the largest c_ij.

   Where no position meets all equations, that which comes nearest tells the gaps: the least sum of squares of
   phi, from the given positions, by Levenberg and Marquardt's method,

       [ W B'; B -D ] [dq; mu] = [0; -phi]     D = damping / weight

   Angles count as lengths at the size of the model; what holds a node in its place weighs most, so that the
   gaps are left to the joints between the nodes. */
#include "analysis/analysis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Equations left out, put aside while all of them count. */
typedef struct aside {
    unsigned char *dropped;
    int n;
} aside;

static aside take_all(sn_context *d)
{
    aside a = {d->w->dropped, d->w->n_dropped};
    d->w->dropped = d->none, d->w->n_dropped = 0;
    return a;
}

static void put_back(sn_context *d, aside a) { d->w->dropped = a.dropped, d->w->n_dropped = a.n; }

/* The matrix of the start with all equations; with rates also phi_t and gamma of all. */
static sn_status evaluate_all(sn_context *d, const sn_state *x, double *rates, sn_err *err)
{
    const sn_coef coef = {d->zero, d->zero, d->one, d->one, 1};
    aside a = take_all(d);
    sn_status s = sn_system_eval(d->w, x, &coef, err);
    if (!s && rates) s = sn_system_rate(d->w, x, rates, rates + d->m->m, err);
    put_back(d, a);
    return s;
}

sn_status sn_dependencies(sn_context *d, sn_linsol *ls, const sn_state *x, double *N, sn_err *err)
{
    const sn_model *m = d->m;
    double *Ax = d->w->Ax, *column = N;
    SN_TRY(evaluate_all(d, x, NULL, err));
    sn_regularise(d, 1);
    memset(N, 0, sizeof(double) * (size_t)d->w->n_dropped * (size_t)m->n);
    /* columns of the equations left out become right-hand sides, their rows and columns the identity's */
    for (int j = m->nv; j < m->n; j++) {
        if (!d->w->dropped[j - m->nv]) continue;
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++) {
            if (m->Ai[p] < m->nv) column[m->Ai[p]] = Ax[p];
            Ax[p] = m->Ai[p] == j;
        }
        column += m->n;
    }
    for (int j = 0; j < m->nv; j++)
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++)
            if (m->Ai[p] >= m->nv && d->w->dropped[m->Ai[p] - m->nv]) Ax[p] = 0;
    SN_TRY(sn_linsol_factor(ls, Ax, NULL, err));
    return sn_linsol_solve_refined(ls, 0, d->w->n_dropped, N);
}

static const sn_object *joint_of(const sn_model *m, int eq)
{
    const sn_object *o = m->joint.object;
    while (eq >= o->eq + o->m) o++;
    return o;
}

static const char *unit_of(const sn_model *m, int eq)
{
    const char *unit = sn_equation_unit(m, eq);
    return strcmp(unit, "1") != 0 ? unit : "";
}

/* "d1.value (arm.yaml:7), rod.length (arm.yaml:9)": the equations with the largest coefficients. */
static void name_others(const sn_context *d, const double *c, char *out, size_t size)
{
    const sn_model *m = d->m;
    double top = 0;
    size_t used = 0;
    int shown = 0;
    for (int i = 0; i < m->m; i++) top = fmax(top, fabs(c[i]) / d->w->scale[m->nv + i]);
    out[0] = 0;
    for (int i = 0; i < m->m && used < size && top > 0; i++) {
        char name[160], place[160] = "";
        if (fabs(c[i]) / d->w->scale[m->nv + i] < 0.3 * top) continue;
        if (shown == 4) {
            snprintf(out + used, size - used, ", ...");
            return;
        }
        const sn_mark *mark = &joint_of(m, i)->mark;
        if (mark->file) snprintf(place, sizeof place, " (%s:%d)", mark->file, mark->line);
        used += (size_t)snprintf(out + used, size - used, "%s%s%s", shown++ ? ", " : "",
                                 sn_equation_name(m, i, name, sizeof name), place);
    }
}

static const double dependent = 1e-6; /* part of b_i beside B'c_i that is taken for rounding */

/* Whether equation eq, left out, depends on those that are kept at state x; names those. */
static sn_status depends(sn_context *d, const sn_state *x, int eq, int *does, char *names, size_t size,
                         sn_err *err)
{
    const sn_model *m = d->m;
    double *N, *b, rest = 0, all = 0;
    int k = 0;
    for (int i = 0; i < eq; i++) k += d->w->dropped[i];
    if (!SN_NEW(N, (size_t)d->w->n_dropped * (size_t)m->n) || !SN_NEW(b, 2 * (size_t)m->nv + 1)) {
        sn_free(N);
        return SN_OUT_OF_MEM(err);
    }
    if (!m->flat) sn_system_tangent_maps(d->w, d->zero);
    sn_status s = sn_dependencies(d, d->ls, x, N, err);
    const double *c = N + (size_t)k * (size_t)m->n;
    /* W x, and b_i = W x + B'c */
    for (int j = 0; !s && j < m->n; j++)
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++) {
            if (m->Ai[p] >= m->nv) continue;
            b[m->Ai[p]] += d->w->Ax[p] * c[j];
            if (j < m->nv) b[m->nv + m->Ai[p]] += d->w->Ax[p] * c[j];
        }
    for (int i = 0; i < m->nv; i++) {
        all = fmax(all, fabs(b[i]) * d->w->scale[i]);
        rest = fmax(rest, fabs(b[m->nv + i]) * d->w->scale[i]);
    }
    *does = !s && rest <= dependent * all;
    if (!s) name_others(d, c + m->nv, names, size);
    sn_free(N), sn_free(b);
    return s;
}

static sn_status meet(sn_context *d, const double *from, int beside, double open, const char *head,
                      sn_err *err);

int sn_redundant_violated(const sn_context *d)
{
    return d->w->n_dropped && d->w->dropped_gap > SN_REDUNDANT_TOLERANCE * d->p->length;
}

sn_status sn_still_redundant(sn_context *d, const sn_state *x, int *singular, sn_err *err)
{
    const sn_model *m = d->m;
    int eq = d->w->dropped_gap_eq, does;
    char name[160], names[300];
    double dropped_gap = d->w->dropped_gap, off = dropped_gap / d->w->scale[m->nv + eq];
    if (singular) *singular = 0;
    if (!sn_redundant_violated(d)) return SN_OK;
    SN_TRY(depends(d, x, eq, &does, names, sizeof names, err));
    sn_equation_name(m, eq, name, sizeof name);
    double t = x->t;
    /* a contradiction that has just begun may be shared out until little is left to each; where there is
       another way to move it vanishes */
    double open = fmin(SN_REDUNDANT_TOLERANCE, 1e-2 * dropped_gap / d->p->length);
    if (does && meet(d, d->p->q0, 1, open, "", NULL))
        return sn_fail(
            err, SN_ERR_NUMERIC, &joint_of(m, eq)->mark,
            "equation %s contradicts %s: where the others are met it is off by %.3g %s at t = %.6g", name,
            names, off, unit_of(m, eq), t);
    if (singular && !does) {
        *singular = 1;
        return SN_OK;
    }
    if (!does) SN_TRY(sn_meet_all(d, "start", err));
    return sn_fail(
        err, SN_ERR_NUMERIC, &joint_of(m, eq)->mark,
        "equation %s was redundant at the start and left out, but then it is broken (by %.3g %s at "
        "t = %.6g): the start is a singular position, where the mechanism can move in more ways "
        "than one; start from another position",
        name, off, unit_of(m, eq), t);
}

/* Two bounds: a difference is more than the rounding of the terms it is made of, and over the whole run it
   would violate an equation that was left out. */
sn_status sn_rates_agree(sn_context *d, int order, sn_err *err)
{
    static const char *const what[] = {"velocities", "accelerations"};
    const sn_model *m = d->m;
    const double *u = order == 1 ? d->x->v : d->x->a, *scale = d->w->scale + m->nv;
    double *sum = d->z + m->nv, size = 0, most = 0;
    double span = d->o->end > d->o->begin ? d->o->end - d->o->begin : 1;
    int eq = -1, does;
    char name[160], names[300];
    if (!d->w->n_dropped) return SN_OK;
    SN_TRY(evaluate_all(d, d->x, d->rate, err));
    for (int i = 0; i < m->m; i++) {
        sum[i] = order == 2 ? d->rate[m->m + i] : m->velocity[i] ? d->w->f[m->nv + i] : d->rate[i];
        size = fmax(size, fabs(sum[i]) * scale[i]);
    }
    for (int j = 0; j < m->nv; j++)
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++) {
            int i = m->Ai[p] - m->nv;
            if (i < 0 || (order == 1 && m->velocity[i])) continue;
            sum[i] += d->w->Ax[p] * u[j];
            size = fmax(size, fabs(d->w->Ax[p] * u[j]) * scale[i]);
        }
    for (int i = 0; i < m->m; i++)
        if (d->w->dropped[i] && fabs(sum[i]) * scale[i] > most) most = fabs(sum[i]) * scale[i], eq = i;
    double over = order == 1 ? span : 0.5 * span * span;
    if (most <= dependent * size || most * over <= SN_REDUNDANT_TOLERANCE * d->p->length) return SN_OK;
    double off = most / scale[eq];
    SN_TRY(depends(d, d->x, eq, &does, names, sizeof names, err));
    return sn_fail(err, SN_ERR_NUMERIC, &joint_of(m, eq)->mark,
                   "equation %s contradicts %s: at the start they agree in positions, but not in %s (off by "
                   "%.3g %s/s%s); or else the start is a singular position: then start from another one",
                   sn_equation_name(m, eq, name, sizeof name), names, what[order - 1], off, unit_of(m, eq),
                   order == 2 ? "^2" : "");
}

/* ---- what comes nearest ---- */

enum { ATTEMPTS = 300 };
static const double in_place = 1e6; /* weight of what holds a node */

/* Weighted sum of squares of phi, relative to the size of the model. */
static double unmet(const sn_context *d, const double *weight)
{
    const double *phi = d->w->f + d->m->nv, L = d->p->length;
    double sum = 0;
    for (int i = 0; i < d->m->m; i++)
        if (!d->m->velocity[i]) sum += weight[i] * phi[i] * phi[i] / (L * L);
    return sum;
}

/* One damped step from q, into d->x; *left becomes the sum there. */
static sn_status damped(sn_context *d, const double *q, const double *phi, const double *weight,
                        double damping, double *left, sn_err *err)
{
    const sn_model *m = d->m;
    for (int i = 0; i < m->m; i++) {
        d->w->Ax[m->diag[m->nv + i]] = -damping / weight[i];
        d->z[m->nv + i] = m->velocity[i] ? 0 : -phi[i];
    }
    memset(d->z, 0, sizeof(double) * (size_t)m->nv);
    *left = INFINITY;
    if (sn_linsol_factor(d->ls, d->w->Ax, NULL, NULL)) return SN_OK; /* more damping helps */
    SN_TRY(sn_linsol_solve_refined(d->ls, 0, 1, d->z));
    double far = 0;
    for (int i = 0; i < m->nv; i++) far = fmax(far, fabs(d->z[i]) / (d->p->length * d->w->scale[i]));
    if (!(far < 1)) return SN_OK;
    sn_system_retract(m, q, d->z, d->x->q);
    SN_TRY(sn_system_eval(d->w, d->x, NULL, err));
    *left = unmet(d, weight);
    return SN_OK;
}

/* From the given positions to the least sum, which is returned in *left; q and phi: scratch. */
static sn_status approach(sn_context *d, const double *weight, double *q, double *phi, double *left,
                          sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef coef = {d->zero, d->zero, d->one, d->one, 1};
    const size_t nq = sizeof(double) * (size_t)m->nq;
    double damping = 1e-3, top = 1;
    int idle = 0, fresh = 0;
    for (int it = 0; it < ATTEMPTS && idle < 3 && damping < 1e12; it++) {
        double next;
        if (!fresh) {
            SN_TRY(sn_system_eval(d->w, d->x, &coef, err));
            top = sn_regularise(d, 1);
            memcpy(q, d->x->q, nq);
            memcpy(phi, d->w->f + m->nv, sizeof(double) * (size_t)m->m);
            *left = unmet(d, weight);
            fresh = 1;
        }
        if (*left < 1e-22) return SN_OK;
        SN_TRY(damped(d, q, phi, weight, damping / top, &next, err));
        if (next < *left) {
            idle = *left - next < 1e-6 * *left ? idle + 1 : 0;
            damping = fmax(damping / 5, 1e-9), fresh = 0;
        } else {
            memcpy(d->x->q, q, nq);
            damping *= 4;
        }
    }
    SN_TRY(sn_system_eval(d->w, d->x, NULL, err));
    *left = unmet(d, weight);
    return SN_OK;
}

/* A report for each joint that is left open, with its gap. */
static sn_status report_gaps(sn_context *d, const char *head, sn_err *err)
{
    const sn_model *m = d->m;
    const double *phi = d->w->f + m->nv, *scale = d->w->scale + m->nv;
    double top = 0;
    for (int i = 0; i < m->m; i++)
        if (!m->velocity[i]) top = fmax(top, fabs(phi[i]) * scale[i]);
    sn_fail(err, SN_ERR_NUMERIC, NULL, "%s what comes nearest leaves these gaps", head);
    for (int e = 0; e < m->joint.n; e++) {
        const sn_object *o = &m->joint.object[e];
        double length = 0, angle = 0;
        char text[80] = "";
        for (int k = 0; k < o->m; k++) {
            double *sum = !strcmp(unit_of(m, o->eq + k), "rad") ? &angle : &length;
            if (!((o->velocity >> k) & 1)) *sum = hypot(*sum, phi[o->eq + k]);
        }
        if (fmax(length, angle * d->p->length) < 1e-2 * top) continue;
        int used = length > 0 ? snprintf(text, sizeof text, "%.3g m", length) : 0;
        if (angle > 1e-2 * top / d->p->length)
            snprintf(text + used, sizeof text - (size_t)used, "%s%.3g rad", used ? " and " : "", angle);
        sn_fail(err, SN_ERR_NUMERIC, &o->mark, "%s '%s' stays open by %s", *(const char *const *)o->cls,
                o->name, text);
    }
    return SN_ERR_NUMERIC;
}

/* Positions; beside them, off any line or plane they may lie in, where that is asked for. */
static void begin(sn_context *d, const double *from, int beside)
{
    const sn_model *m = d->m;
    for (int i = 0; i < m->nv; i++)
        d->z[i] = beside ? 0.02 * d->p->length * d->w->scale[i] * sin(1 + 2.4 * i * (i + 1)) : 0;
    memcpy(d->x->q, from, sizeof(double) * (size_t)m->nq);
    sn_system_retract(m, from, d->z, d->x->q);
}

/* The desk's positions become those near `from` that come nearest to all equations; gaps above `open`,
   relative to the model, are an error. */
static sn_status meet(sn_context *d, const double *from, int beside, double open, const char *head,
                      sn_err *err)
{
    const sn_model *m = d->m;
    double *weight, *q = NULL, *phi = NULL, left = 0;
    sn_status s = SN_OK;
    if (!SN_NEW(weight, m->m + 1) || !SN_NEW(q, m->nq + 1) || !SN_NEW(phi, m->m + 1)) s = SN_OUT_OF_MEM(err);
    for (int e = 0; !s && e < m->joint.n; e++) {
        const sn_object *o = &m->joint.object[e];
        for (int k = o->eq; k < o->eq + o->m; k++) {
            weight[k] = d->w->scale[m->nv + k] * d->w->scale[m->nv + k];
            if (((const sn_joint_class *)o->cls)->holds) weight[k] *= in_place;
            if (m->velocity[k]) weight[k] *= 1e-12;
        }
    }
    if (!m->flat) sn_system_tangent_maps(d->w, d->zero);
    aside a = take_all(d);
    begin(d, from, beside);
    if (!s) s = approach(d, weight, q, phi, &left, err);
    if (!s && sqrt(left) > open) s = report_gaps(d, head, err);
    put_back(d, a);
    sn_free(weight), sn_free(q), sn_free(phi);
    return s;
}

sn_status sn_meet_all(sn_context *d, const char *what, sn_err *err)
{
    char head[160];
    snprintf(head, sizeof head, "%s: the constraints cannot be met from the given positions;", what);
    return meet(d, d->p->q0, 0, SN_REDUNDANT_TOLERANCE, head, err);
}

sn_status sn_locked(sn_context *d, double t, const double *from, sn_state *scratch, sn_err *err)
{
    char head[60];
    sn_state *own = d->x;
    snprintf(head, sizeof head, "at t = %.6g", t);
    d->x = scratch, scratch->t = t;
    sn_system_time(d->w, t);
    /* whatever is more than rounding: the mechanism may have locked just before t */
    sn_status s = meet(d, from, 0, 1e-10, head, err);
    d->x = own;
    return s;
}
