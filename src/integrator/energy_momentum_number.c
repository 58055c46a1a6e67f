/* What one object adds to the equations of a step with energy and momentum, differentiated by one of its
   numbers at a given motion: energy_momentum_object.c term by term. */
#include "integrator/energy_momentum.h"

#include <math.h>
#include <string.h>

static size_t bytes(int n) { return sizeof(double) * (size_t)n; }

static const double none[3] = {0, 0, 0};

/* dr = derivative of the residual by the number at q, v, a; 0: it cannot be evaluated */
static int residual_by(sn_em *s, const sn_moved_number *t, const double *q, const double *v, const double *a,
                       int weightless, double *dr)
{
    sn_work *w = s->w;
    const sn_object *o = &w->m->element.object[t->object];
    sn_in in = w->element[o->host >= 0 ? o->host : t->object];
    in.q = q, in.v = v, in.a = a;
    if (weightless) in.g = none;
    memset(dr, 0, bytes(o->nv));
    return !sn_system_element_by(w, t, &in, dr);
}

static double potential_by(const sn_em *s, const sn_moved_number *t, const double *q)
{
    double y[2] = {0, 0};
    sn_in in = s->w->element[t->object];
    in.q = q, in.v = in.a = s->zero, in.g = none;
    ((const sn_element_class *)s->w->m->element.object[t->object].cls)->denergy(&in, t->index, y);
    return y[1];
}

/* r += discrete gradient of the forces s->f0, s->f1 with the gain V. Where one of them acts on a coordinate
   that the object did not touch, its rigid motions would change with the number: 0. */
static int add_gradient(sn_em *s, const sn_object *o, const sn_em_object *what, double V, double beta)
{
    const int n = o->nv;
    for (int i = 0; i < n; i++)
        if (!s->touched[what->touched + (size_t)i] && (s->f0[i] != 0 || s->f1[i] != 0)) return 0;
    V += sn_em_mean(s, n, beta);
    sn_discrete_force(&s->gradient, s->fm, V, s->y);
    for (int i = 0; i < n; i++) s->r[i] += s->y[i];
    return 1;
}

/* p = dM v, found at q */
static int momenta_by(sn_em *s, const sn_moved_number *t, const double *q, const double *v, double *p)
{
    const int n = s->w->m->element.object[t->object].nv;
    if (!residual_by(s, t, q, s->zero, v, 1, p) || !residual_by(s, t, q, s->zero, s->zero, 1, s->fm))
        return 0;
    for (int i = 0; i < n; i++) p[i] -= s->fm[i];
    return 1;
}

static int half_way_by(sn_em *s, const sn_moved_number *t, const sn_em_object *what)
{
    const int n = s->w->m->element.object[t->object].nv, massive = what->mass != SN_EM_NO_MASS,
              still = what->elastic || massive;
    double *v = s->K1;
    for (int i = 0; i < n; i++) v[i] = s->dl[i] / s->h;
    if (!residual_by(s, t, s->qm, v, s->zero, still, s->f1)) return 0;
    for (int i = 0; i < n; i++) s->r[i] += s->f1[i];
    if (!still) return 1;
    if (!residual_by(s, t, s->qm, s->zero, s->zero, 1, s->f0)) return 0;
    for (int i = 0; i < n; i++) s->r[i] -= s->f0[i];
    if (!massive) return 1;
    if (!momenta_by(s, t, s->q0, v, s->f1)) return 0;
    for (int k = 0; k < s->n_turn; k++) {
        const sn_em_turn *at = &s->turn[k];
        double x[3];
        if (at->n != 3) continue;
        sn_cross3(v + at->v, s->f1 + at->v, x);
        for (int i = 0; i < 3; i++) s->r[at->v + i] -= x[i];
    }
    return 1;
}

/* Weight, by the numbers of the element or by the field itself */
static int weight_by(sn_em *s, const sn_moved_number *t, int field)
{
    const int n = s->w->m->element.object[t->object].nv;
    if (!residual_by(s, t, s->q0, s->zero, s->zero, 0, s->f0)) return 0;
    if (field) memset(s->f1, 0, bytes(n));
    if (!field && !residual_by(s, t, s->q0, s->zero, s->zero, 1, s->f1)) return 0;
    for (int i = 0; i < n; i++) s->r[i] += s->f0[i] - s->f1[i];
    return 1;
}

static int inertia_by(sn_em *s, const sn_moved_number *t)
{
    const int n = s->w->m->element.object[t->object].nv;
    double *v1 = s->K1, *p0 = s->f0, *p1 = s->f1;
    for (int i = 0; i < n; i++) v1[i] = 2 * s->dl[i] / s->h - s->v0[i];
    if (!momenta_by(s, t, s->q0, v1, p1) || !momenta_by(s, t, s->q0, s->v0, p0)) return 0;
    for (int k = 0; k < s->n_turn; k++) {
        const sn_em_turn *at = &s->turn[k];
        if (at->n != 3) continue;
        sn_mul3(at->H, p1 + at->v, p1 + at->v);
        sn_tmul3(at->H, p0 + at->v, p0 + at->v);
    }
    for (int i = 0; i < n; i++) s->r[i] += (p1[i] - p0[i]) / s->h;
    return 1;
}

/* Whether dM is the same at both ends of the step, to rounding. */
static int is_mass_constant(sn_em *s, const sn_moved_number *t)
{
    const int n = s->w->m->element.object[t->object].nv;
    double most = 0, off = 0, p = 0;
    const double *M = s->mass + s->element[t->object].mass;
    for (int i = 0; i < n; i++) s->K1[i] = 2 * s->dl[i] / s->h - s->v0[i];
    if (!momenta_by(s, t, s->q0, s->K1, s->f0) || !momenta_by(s, t, s->q1, s->K1, s->f1)) return 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(s->f0[i])), off = fmax(off, fabs(s->f1[i] - s->f0[i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) p = fmax(p, fabs(M[i * n + j] * s->K1[j]));
    return off <= 1e-9 * most + 1e-13 * p;
}

static sn_status failed(const sn_object *o, sn_err *err)
{
    return sn_fail(err, SN_ERR_NUMERIC, &o->mark, "'%s' cannot be differentiated", o->name);
}

static sn_status turns_with(const sn_object *o, sn_err *err)
{
    return sn_fail(
        err, SN_ERR_INPUT, &o->mark,
        "%s '%s': energy_momentum has no derivative by a number at which its forces begin to act on a "
        "coordinate that they do not act on (an arm of length 0)",
        *(const char *const *)o->cls, o->name);
}

sn_status sn_em_element_by(sn_em *s, const sn_moved_number *t, sn_err *err)
{
    const sn_object *o = &s->w->m->element.object[t->object];
    const sn_em_object *what = &s->element[t->object];
    const sn_in *in = &s->w->element[t->object];
    const int field = o->host < 0 && t->index >= in->ns + in->nq, massive = what->mass != SN_EM_NO_MASS;
    memset(s->r, 0, bytes(o->nv));
    if (what->elastic && !field) {
        if (!residual_by(s, t, s->q0, s->zero, s->zero, 1, s->f0)) return failed(o, err);
        if (!residual_by(s, t, s->q1, s->zero, s->zero, 1, s->f1)) return failed(o, err);
        double V = potential_by(s, t, s->q1) - potential_by(s, t, s->q0);
        if (!add_gradient(s, o, what, V, s->beta)) return turns_with(o, err);
    }
    /* forces of velocities that the number alone brings count, too */
    const int rates = what->measured || (massive && ((const sn_element_class *)o->cls)->flags & SN_USES_V);
    if (massive && !field && !is_mass_constant(s, t))
        return sn_fail(
            err, SN_ERR_INPUT, &o->mark,
            "%s '%s': energy_momentum has no derivative by a number with which its mass matrix begins to "
            "change with the motion",
            *(const char *const *)o->cls, o->name);
    if (rates && !(field && massive) && !half_way_by(s, t, what)) return failed(o, err);
    if (massive && (!weight_by(s, t, field) || (!field && !inertia_by(s, t)))) return failed(o, err);
    return SN_OK;
}

sn_status sn_em_joint_by(sn_em *s, const sn_moved_number *t, const sn_state *x1, sn_err *err)
{
    const sn_work *w = s->w;
    const sn_object *o = &w->m->joint.object[t->object];
    const sn_joint_class *cls = o->cls;
    double V = 0, *lam = s->lam;
    sn_in in = w->joint[t->object];
    in.v = in.a = s->zero, in.lam = lam;
    for (int k = 0; k < o->m; k++) lam[k] = w->dropped[o->eq + k] ? 0 : x1->lam[o->eq + k];
    memset(s->r, 0, bytes(o->nv));
    for (int end = 0; end < 2; end++) {
        double *f = end ? s->f1 : s->f0, *phi = end ? s->phi1 : s->phi0;
        memset(f, 0, bytes(o->nv)), memset(phi, 0, bytes(o->m));
        in.q = end ? s->q1 : s->q0;
        if (cls->dparam(&in, t->index, f, phi)) return failed(o, err);
    }
    for (int k = 0; k < o->m; k++) V += lam[k] * (s->phi1[k] - s->phi0[k]);
    if (!add_gradient(s, o, &s->joint[t->object], V, 0)) return turns_with(o, err);
    memcpy(s->phi, s->phi1, bytes(o->m));
    return SN_OK;
}
