/* What the objects of a model are to the scheme, found by their forces at states a little off the reference
   configuration: which have a constant mass matrix, forces with a potential, forces by velocity, which
   coordinates they touch and which rigid motions leave their energy. So kinds need say nothing. */
#include "integrator/energy_momentum.h"

#include <math.h>
#include <string.h>

static size_t bytes(int n) { return sizeof(double) * (size_t)n; }

static double number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* How far its nodes are apart in the configuration X; 0 for one place. */
static double extent(const sn_object *o, const double *X)
{
    double size = 0;
    for (int k = 1; k < o->nn; k++)
        for (int i = 0; o->place[k].x_q >= 0 && o->place[0].x_q >= 0 && i < o->dim; i++)
            size = fmax(size, fabs(X[o->place[k].x_q + i] - X[o->place[0].x_q + i]));
    return size;
}

/* A length that does not change with small changes of the model, so that nothing need be differentiated. */
static double near_power(double x) { return exp2(round(log2(x))); }

/* An object's q, of its nodes in their reference configuration, moved by up to `far` times its size. */
static void move(const sn_object *o, const double *X, double size, double far, unsigned *seed, double *q)
{
    memcpy(q, X, bytes(o->nq));
    for (int k = 0; k < o->nn; k++) {
        const sn_node_places *at = &o->place[k];
        for (int i = 0; at->x_q >= 0 && i < o->dim; i++) q[at->x_q + i] += far * size * number(seed);
        for (int i = 0; i < at->vectors * o->dim; i++) q[at->d_q + i] += far * number(seed);
        if (at->R_q >= 0 && o->dim == 3) {
            double d[3], p[4];
            for (int i = 0; i < 3; i++) d[i] = far * number(seed);
            sn_quat_exp(d, p);
            sn_quat_mul(q + at->R_q, p, q + at->R_q);
        } else if (at->R_q >= 0) {
            q[at->R_q] += far * number(seed);
        }
        for (int i = o->off[k]; at->x_q < 0 && i < o->off[k + 1]; i++) q[i] += far * number(seed);
    }
}

static const double none[3] = {0, 0, 0};

/* s->f0: weightless forces of element e at q and v, w->K, C, M; 0: they cannot be evaluated */
static int look(sn_em *s, int e, const double *q, const double *v)
{
    sn_work *w = s->w;
    const sn_object *o = &w->m->element.object[e];
    const sn_element_class *cls = o->cls;
    sn_in in = w->element[e];
    in.q = q, in.v = v, in.a = s->zero, in.g = none;
    memset(s->f0, 0, bytes(o->nv));
    memset(w->K, 0, bytes(o->nv * o->nv)), memset(w->C, 0, bytes(o->nv * o->nv)),
        memset(w->M, 0, bytes(o->nv * o->nv));
    if (cls->eval(&in, s->f0, w->K, cls->flags & SN_USES_V ? w->C : NULL,
                  cls->flags & SN_USES_A ? w->M : NULL))
        return 0;
    double sum = 0;
    for (int i = 0; i < o->nv; i++) sum += 0 * s->f0[i];
    return sum == 0;
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* Rigid motions that the force f (n) does no work along, at q */
static unsigned free_motions(sn_em *s, const sn_object *o, const double *q, const double *f, double off)
{
    unsigned modes = 0;
    sn_em_rigid(s, o, q, s->Z);
    for (int r = 0; r < (o->dim == 3 ? 6 : o->dim == 2 ? 3 : 0); r++) {
        double sum = 0, parts = 0, there = 0;
        for (int i = 0; i < o->nv; i++) {
            double y = s->Z[i * SN_RIGID + r] * f[i];
            sum += y, parts += fabs(y), there += fabs(s->Z[i * SN_RIGID + r]);
        }
        if (there > 0 && fabs(sum) <= off * fmax(parts, 1e-3 * largest(f, o->nv))) modes |= 1u << r;
    }
    return modes;
}

static sn_status refuse(const sn_object *o, const char *why, sn_err *err)
{
    return sn_fail(err, SN_ERR_INPUT, &o->mark, "%s '%s': %s, which energy_momentum cannot do",
                   *(const char *const *)o->cls, o->name, why);
}

/* The mass matrix, and that it is the same elsewhere. */
static sn_status weigh(sn_em *s, int e, sn_em_object *what, unsigned *seed, double far, sn_err *err)
{
    sn_work *w = s->w;
    const sn_object *o = &w->m->element.object[e];
    const int n = o->nv;
    double *M = s->mass + what->mass;
    memcpy(M, w->M, bytes(n * n));
    move(o, w->element[e].X, what->size, 2 * far, seed, s->q1);
    if (!look(s, e, s->q1, s->zero))
        return refuse(o, "it cannot be evaluated near its reference configuration", err);
    double most = largest(M, n * n), off = 0;
    for (int i = 0; i < n * n; i++) off = fmax(off, fabs(M[i] - w->M[i]));
    if (off > 1e-10 * most)
        return refuse(
            o, "its mass matrix changes with the motion (a centre of mass off the node, or mass: consistent)",
            err);
    return SN_OK;
}

/* Whether velocities bring forces other than those of frames that turn; v at hand in s->v0 */
static int is_damped(sn_em *s, int e, const sn_em_object *what)
{
    sn_work *w = s->w;
    const sn_object *o = &w->m->element.object[e];
    const int n = o->nv;
    const double *M = s->mass + what->mass;
    if (!look(s, e, s->q0, s->zero)) return 1;
    memcpy(s->f1, s->f0, bytes(n));
    if (!look(s, e, s->q0, s->v0)) return 1;
    double size = largest(s->f0, n), most = 0;
    for (int i = 0; i < n; i++) s->f0[i] -= s->f1[i];
    for (int i = 0; i < n; i++) {
        s->z[i] = 0;
        for (int j = 0; j < n; j++) s->z[i] += M[i * n + j] * s->v0[j];
    }
    for (int k = 0; k < o->nn; k++) {
        double x[3];
        int at = o->place[k].R_v;
        if (at < 0 || o->dim != 3) continue;
        sn_cross3(s->v0 + at, s->z + at, x);
        for (int i = 0; i < 3; i++) s->f0[at + i] -= x[i];
    }
    most = largest(s->f0, n);
    return most > 1e-10 * fmax(largest(s->z, n), 1e-3 * size);
}

static sn_status element(sn_em *s, int e, sn_err *err)
{
    sn_work *w = s->w;
    const sn_object *o = &w->m->element.object[e];
    const sn_element_class *cls = o->cls;
    sn_em_object *what = &s->element[e];
    const int n = o->nv, conserves = cls->flags & SN_CONSERVATIVE && cls->energy;
    unsigned seed = 12345;
    double far = 0.1;
    what->modes = 0;
    if (o->host >= 0 || (!conserves && what->mass == SN_EM_NO_MASS)) {
        what->measured = 1;
        return SN_OK;
    }
    move(o, w->element[e].X, what->size, far, &seed, s->q0);
    for (int tries = 0; !look(s, e, s->q0, s->zero); tries++) {
        if (tries == 6) return refuse(o, "it cannot be evaluated near its reference configuration", err);
        far *= 0.1, seed = 12345;
        move(o, w->element[e].X, what->size, far, &seed, s->q0);
    }
    what->elastic =
        conserves && (largest(s->f0, n) > 0 || largest(w->K, n * n) > 0 || what->mass == SN_EM_NO_MASS);
    for (int i = 0; i < n; i++) {
        unsigned char *touched = s->touched + what->touched + i;
        *touched = s->f0[i] != 0 || largest(s->f0, n) == 0;
        for (int j = 0; j < n; j++) *touched |= w->K[i * n + j] != 0 || w->K[j * n + i] != 0;
    }
    what->modes = cls->args.what & SN_ARG_COORD ? 0 : free_motions(s, o, s->q0, s->f0, 1e-8);
    if (what->mass != SN_EM_NO_MASS) {
        if (!cls->energy) return refuse(o, "it has inertia and does not tell its energy", err);
        SN_TRY(weigh(s, e, what, &seed, far, err));
        for (int i = 0; i < n; i++) s->v0[i] = number(&seed);
        what->measured = cls->flags & SN_USES_V && is_damped(s, e, what);
    } else {
        what->measured = (cls->flags & SN_USES_V) != 0;
    }
    return SN_OK;
}

static sn_status joint(sn_em *s, int j, sn_err *err)
{
    const sn_object *o = &s->w->m->joint.object[j];
    const unsigned flags = s->w->joint_flags[j];
    if (o->velocity) return refuse(o, "it has equations of velocities", err);
    if (flags & (SN_REACTION_DIFFERS | SN_USES_V)) return refuse(o, "it rubs", err);
    s->joint[j].elastic = 1;
    for (int i = 0; i < o->nv; i++) s->touched[s->joint[j].touched + (size_t)i] = 1;
    return SN_OK;
}

sn_status sn_em_probe(sn_em *s, sn_err *err)
{
    const sn_model *m = s->w->m;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places at = sn_node_place(n);
        if (n->cls->order == 1 || (n->cls->retract && at.R_v < 0))
            return sn_fail(err, SN_ERR_INPUT, &n->mark,
                           "%s '%s': energy_momentum has nothing for coordinates %s", n->cls->name, n->name,
                           n->cls->order == 1 ? "of first order" : "of this kind");
    }
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < (f ? m->joint.n : m->element.n); i++) {
            const sn_object *o = f ? &m->joint.object[i] : &m->element.object[i];
            double size = extent(o, (f ? s->w->joint : s->w->element)[i].X);
            (f ? s->joint : s->element)[i].size = near_power(size > 0 ? size : 0.1 * s->w->p->length);
        }
    for (int e = 0; e < m->element.n; e++) SN_TRY(element(s, e, err));
    for (int j = 0; j < m->joint.n; j++) SN_TRY(joint(s, j, err));
    return SN_OK;
}

/* Coordinates that an equation does not know have no part in its force: a ball joint has no moment. */
sn_status sn_em_probe_joints(sn_em *s, const sn_state *x, sn_err *err)
{
    sn_work *w = s->w;
    const sn_model *m = w->m;
    unsigned seed = 54321;
    if (s->joints_seen) return SN_OK;
    if (m->n_varying) sn_system_time(w, x->t);
    for (int j = 0; j < m->joint.n; j++) {
        const sn_object *o = &m->joint.object[j];
        const sn_joint_class *cls = o->cls;
        sn_em_object *what = &s->joint[j];
        const int n = o->nv;
        sn_in in = w->joint[j];
        for (int k = 0; k < o->m; k++) s->lam[k] = 1;
        in.v = in.a = s->zero, in.lam = s->lam;
        what->modes = cls->args.what & SN_ARG_COORD ? 0 : ~0u;
        for (int i = 0; i < n; i++) s->touched[what->touched + (size_t)i] = 0;
        for (int moved = 0; moved < 2; moved++) {
            sn_joint_out out = {.r = s->f0, .phi = s->phi, .B = s->B0, .G = w->G, .K = s->K0, .C = w->C};
            memset(s->f0, 0, bytes(n)), memset(s->B0, 0, bytes(o->m * n)), memset(s->K0, 0, bytes(n * n));
            for (int i = 0; i < o->nq; i++) s->q0[i] = x->q[o->qi[i]];
            if (moved) memcpy(s->q1, s->q0, bytes(o->nq)), move(o, s->q1, what->size, 0.1, &seed, s->q0);
            in.q = s->q0;
            if (cls->eval(&in, &out)) {
                if (moved) continue;
                return sn_fail(err, SN_ERR_NUMERIC, &o->mark, "'%s' cannot be evaluated", o->name);
            }
            for (int i = 0; i < n; i++) {
                unsigned char *touched = s->touched + what->touched + i;
                for (int k = 0; k < o->m; k++) *touched |= s->B0[k * n + i] != 0;
                for (int l = 0; l < n; l++) *touched |= s->K0[i * n + l] != 0;
            }
            for (int k = 0; k < o->m && !moved && what->modes; k++)
                what->modes &= free_motions(s, o, s->q0, s->B0 + k * n, 1e-6);
        }
    }
    s->joints_seen = 1;
    return SN_OK;
}
