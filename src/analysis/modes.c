/* Modes: small motions y = Re(x exp(s t)) about a state, from the lowest |s| on. Where they are undamped
   vibrations about a state at rest, with a symmetric stiffness and equations between positions only, s = i w
   follows from a real symmetric problem with bounds of its errors (modes_rest.c). Otherwise all terms count
   (modes_motion.c): damping, gyroscopic and circulatory forces, rolling, first-order states. */
#include "analysis/modes.h"
#include "base/size.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void sn_mode_options_fill(const sn_model *m, const sn_values *p, size_t size, sn_mode_options *out)
{
    memset(out, 0, size);
    out->size = size;
    if (size != sizeof *out) return; /* refused where they are used */
    *out = (sn_mode_options){
        .size = size, .n = 10, .at_time = -1, .run = sn_run_options_default(m, p), .method = "auto"};
}

enum { DENSE_STATES = 240 }; /* coordinates up to which all roots are found as fast as some */

/* ---- which problem it is ---- */

/* The fastest motion of an object: rotations, and shifts that it resists (lengths over the model's). A model
   that is only shifted as a whole, and not along anything, is at rest for its vibrations. */
static double rate_of(const sn_pencil *p)
{
    const sn_context *d = p->d;
    const sn_model *m = d->m;
    double rate = 0;
    for (int e = 0; e < m->element.n + m->joint.n; e++) {
        const sn_object *o;
        sn_pencil_object(p, e, &o);
        sn_pencil_gather(p, p->still[e], o, 1, d->x->v, p->xi);
        for (int i = 0; i < o->nv; i++) {
            int k = o->vi[i];
            double one = fabs(p->xi[i]);
            if (k < m->nv)
                one /= d->w->scale[k] * d->p->length; /* 1 for angles */
            else
                one = 0;
            rate = fmax(rate, one);
        }
    }
    return rate;
}

/* Motions slower than this part of the model's frequencies are none. */
#define STILL 1e-9

/* What the state is. One that is only shifted as a whole, not along anything, is at rest: then the matrices
   are those without velocities. */
static sn_status look(sn_motion *p, const sn_pencil *pencil, sn_steadiness *what, char *by, sn_err *err)
{
    static const double none[3] = {0};
    sn_context *d = p->d;
    const sn_model *m = d->m;
    sn_state *x = NULL;
    *by = 0, *what = SN_AT_REST;
    SN_TRY(sn_motion_eval(p, d->w, d->x, none, err));
    if (rate_of(pencil) > STILL * sn_motion_frequency(p, d->z)) return sn_motion_axes(p, what, by, err);
    SN_TRY(sn_state_new(m, 0, &x, err));
    sn_state_copy(m, d->x, x);
    for (int i = 0; i < m->nv; i++)
        if (m->order_of[i] == 2) x->v[i] = 0;
    sn_status status = sn_motion_eval(p, d->w, x, none, err);
    sn_state_free(x);
    return status;
}

/* Whether a matrix has entries among the coordinates. */
static int any(const sn_model *m, const double *A)
{
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1] && m->Ai[k] < m->nv; k++)
            if (A[k] != 0) return 1;
    return 0;
}

/* Whether reactions are the transpose of the equations: not where joints rub. */
static int frictionless(const sn_motion *p)
{
    const sn_model *m = p->d->m;
    for (int i = 0; i < m->joint.n; i++)
        if (p->d->w->joint_flags[i] & SN_REACTION_DIFFERS) return 0;
    return 1;
}

/* Why the undamped problem is not the whole one; NULL: it is. */
static const char *more_than_undamped(const sn_motion *p, sn_steadiness what)
{
    const sn_model *m = p->d->m;
    if (m->first_order) return "first-order states";
    for (int i = 0; i < m->m; i++)
        if (m->velocity[i]) return "rolling";
    if (what != SN_AT_REST) return "the state moves";
    if (any(m, p->A[1])) return "damping";
    return frictionless(p) ? NULL : "friction";
}

/* Undamped on request: what cannot be left out is refused. */
static sn_status undamped_possible(const sn_motion *p, sn_steadiness what, sn_err *err)
{
    const sn_model *m = p->d->m;
    char name[SN_NAME_SIZE];
    if (m->first_order)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "modes: models with first-order states have no undamped natural frequencies");
    for (int i = 0; i < m->m; i++)
        if (m->velocity[i])
            return sn_fail(
                err, SN_ERR_INPUT, NULL,
                "modes: the equation %s is one between velocities (rolling): the model has no undamped "
                "natural frequencies",
                sn_equation_name(m, i, name, sizeof name));
    if (what == SN_AT_REST) return SN_OK;
    int at = 0;
    for (int i = 0; i < m->nv; i++)
        if (fabs(p->d->x->v[i]) > fabs(p->d->x->v[at])) at = i;
    return sn_fail(
        err, SN_ERR_INPUT, NULL,
        "modes: the state at t = %g s moves (%s at %.3g a second): undamped natural frequencies are those of "
        "small vibrations about a state at rest. Linearise at the equilibrium (--at static), or set the "
        "initial velocities to 0",
        p->d->x->t, sn_coord_name(m, at, name, sizeof name), p->d->x->v[at]);
}

/* ---- what is delivered ---- */

/* A shape scaled so that its largest entry is 1. */
static void unit_shape(size_t nv, double complex *y)
{
    size_t top = 0;
    for (size_t i = 0; i < nv; i++)
        if (cabs(y[i]) > cabs(y[top])) top = i;
    double complex f = nv && y[top] != 0 ? 1 / y[top] : 0;
    for (size_t i = 0; i < nv; i++) y[i] *= f;
}

/* The sense in which places (or, where they do not move, rotations) go around an axis: 1 forward in circles,
   -1 backward, 0 on lines. */
static double around(const sn_model *m, const double complex *y, const double *axis, int rotations)
{
    double turn = 0, size = 0;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places at = sn_node_place(n);
        int from = rotations ? at.R_v : at.x_v;
        if (n->ground || n->cls->dim != 3 || from < 0) continue;
        const double complex *u = y + n->v + from;
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            turn -= axis[a] * cimag(conj(u[b]) * u[c] - conj(u[c]) * u[b]);
            size += creal(conj(u[a]) * u[a]);
        }
    }
    return size > 0 ? turn / size : 0;
}

/* The direction of the fastest rotation; 0: nothing turns, or the axes turn along. */
static int spin_axis(const sn_motion *p, double *axis)
{
    const sn_model *m = p->d->m;
    double top = 0, w[3];
    if (p->spin[0] != 0 || p->spin[1] != 0 || p->spin[2] != 0) return 0;
    for (int i = 0; i < m->n_node; i++) {
        if (!sn_node_spin(m, i, p->d->x, w)) continue;
        double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        for (int a = 0; size > top && a < 3; a++) axis[a] = w[a] / size;
        top = fmax(top, size);
    }
    return m->dim == 3 && top > 0;
}

static double whirl_of(const sn_model *m, const double complex *y, const double *axis)
{
    double size = 0;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        int from = sn_node_place(n).x_v;
        for (int a = 0; from >= 0 && !n->ground && a < n->cls->dim; a++)
            size = fmax(size, cabs(y[n->v + from + a]));
    }
    return around(m, y, axis, size < 1e-6);
}

typedef struct delivery {
    sn_context *d;
    const sn_mode_options *o;
    sn_frame f;
    const char *how;
    double *re, *im, *axis; /* axis: NULL: no whirl */
    int count;
} delivery;

static sn_status deliver_one(delivery *t, sn_mode *mode, sn_err *err)
{
    mode->shape = t->re;
    if (t->o->mode) SN_TRY(t->o->mode(t->o->ctx, t->count, mode, &t->f, err));
    t->count++;
    return SN_OK;
}

/* Roots as pairs of numbers, conjugates and zeros by their multiplicity, if somebody wants them. */
static sn_status tell_roots(const delivery *t, const sn_roots *r, sn_err *err)
{
    if (!t->o->roots) return SN_OK;
    double *s = sn_alloc(4 * (size_t)(r->n + 1) + 2 * (size_t)r->zeros, sizeof *s);
    int n = 0;
    if (!s) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < r->zeros; k++) s[2 * n] = s[2 * n + 1] = 0, n++;
    for (int k = 0; k < r->n; k++) {
        if (r->s[k] == 0) continue;
        for (int side = 0; side < (cimag(r->s[k]) > 0 ? 2 : 1); side++, n++)
            s[2 * n] = creal(r->s[k]), s[2 * n + 1] = (side ? -1 : 1) * cimag(r->s[k]);
    }
    const sn_root_list list = {.how = t->how, .n = n, .s = s, .all = r->all};
    sn_status status = t->o->roots(t->o->ctx, &list, err);
    sn_free(s);
    return status;
}

static sn_status deliver_roots(delivery *t, const sn_motion *p, sn_roots *r, sn_err *err)
{
    const sn_model *m = t->d->m;
    const size_t nv = (size_t)m->nv;
    int most = t->o->n > 0 ? t->o->n : r->n;
    SN_TRY(tell_roots(t, r, err));
    for (int k = 0; k < r->n && k < most; k++) {
        double complex *y = r->y + (size_t)k * nv, s = r->s[k];
        unit_shape(nv, y);
        sn_mode mode = {.growth = creal(s), .omega = cimag(s), .error = NAN, .neutral = s == 0, .whirl = NAN};
        if (t->axis && cimag(s) > 0) mode.whirl = whirl_of(m, y, t->axis);
        /* back into the axes of the coordinates */
        for (int part = 0; part < 2; part++) {
            for (size_t i = 0; i < nv; i++) t->d->z[i] = part ? cimag(y[i]) : creal(y[i]);
            sn_motion_turn(p, t->d->z, part ? t->im : t->re);
        }
        mode.imaginary = cimag(s) != 0 ? t->im : NULL;
        SN_TRY(deliver_one(t, &mode, err));
    }
    return SN_OK;
}

/* omega of w2 and a bound of its error: 0 where w2 is not more than its own. */
static sn_mode undamped_mode(double w2, double error)
{
    double size = fabs(w2), omega = sqrt(size);
    if (size <= error) return (sn_mode){.error = sqrt(size + error), .neutral = 1, .whirl = NAN};
    return (sn_mode){.growth = w2 < 0 ? omega : 0,
                     .omega = w2 < 0 ? 0 : omega,
                     .error = omega - sqrt(size - error),
                     .whirl = NAN};
}

static sn_status deliver_undamped(delivery *t, const sn_spectrum *s, sn_err *err)
{
    const size_t nv = (size_t)t->d->m->nv;
    int unsure = 0, which = 0;
    sn_roots r;
    SN_TRY(sn_roots_room(t->d->m, 2 * s->n, &r, err));
    for (int k = 0; k < s->n; k++) {
        sn_mode mode = undamped_mode(s->w2[k], s->error[k]);
        if (mode.neutral) r.zeros += 2;
        r.s[r.n++] = mode.growth + _Complex_I * mode.omega;
        if (mode.growth > 0) r.s[r.n++] = -mode.growth;
    }
    r.all = s->all;
    sn_status status = tell_roots(t, &r, err);
    sn_roots_free(&r);
    for (int k = 0; k < s->n && !status; k++) {
        double *y = s->shape + (size_t)k * nv, top = 0;
        sn_mode mode = undamped_mode(s->w2[k], s->error[k]);
        if (t->o->n > 0 && k >= t->o->n) break;
        for (size_t i = 0; i < nv; i++)
            if (fabs(y[i]) > fabs(top)) top = y[i];
        for (size_t i = 0; i < nv; i++) t->re[i] = top != 0 ? y[i] / top : 0;
        if (!mode.neutral && mode.error > SN_MODES_UNSURE * (mode.growth + mode.omega) && !unsure++)
            which = k;
        status = deliver_one(t, &mode, err);
    }
    if (unsure && !status)
        sn_context_message(
            t->d,
            "modes: %d frequencies are known to less than 6 digits, for example number %d: rounding "
            "of numbers as large as the stiffest ones hides the softest",
            unsure, which + 1);
    return status;
}

/* ---- both problems ---- */

/* *done 0: the stiffness is not symmetric, all terms count. */
static sn_status undamped(delivery *t, sn_pencil *p, int *done, sn_err *err)
{
    sn_spectrum s = {.n = 0};
    sn_status status = sn_modes_at_rest(p, t->o, &s, err);
    *done = !s.unsymmetric;
    if (!status && *done) status = deliver_undamped(t, &s, err);
    sn_free(s.w2), sn_free(s.error), sn_free(s.shape);
    return status;
}

static const char *how(char *out, size_t size, sn_steadiness what, const char *by, const char *why)
{
    snprintf(out, size, "%s%s%s%s%s",
             what == SN_AT_REST  ? "about a state at rest"
             : what == SN_STEADY ? "about a steady motion"
                                 : "about an instant of a motion that is not steady",
             *by ? ", in axes that turn with " : "", by, why ? ", all terms: " : ", undamped",
             why ? why : "");
    return out;
}

/* A start that is not in equilibrium: inertia forces have a stiffness, too. */
static int accelerated(const sn_context *d)
{
    for (int i = 0; i < d->m->nv; i++)
        if (fabs(d->x->a[i]) > 1e-9 * d->p->length * d->w->scale[i]) return 1;
    return 0;
}

static sn_status all_terms(delivery *t, const sn_motion *p, sn_err *err)
{
    sn_roots r = {0};
    const sn_model *m = t->d->m;
    double axis[3];
    int most = m->nv - m->m + t->d->w->n_dropped, arpack = !strcmp(t->o->method, "arpack"),
        few = t->o->n > 0 && 2 * t->o->n + 8 < most;
    int dense = !few || (!arpack && (m->nv <= DENSE_STATES || !strcmp(t->o->method, "dense")));
    double unit = sn_motion_frequency(p, t->re);
    if (spin_axis(p, axis)) t->axis = axis;
    sn_status status =
        dense ? sn_roots_dense(p, &r, err) : sn_roots_arnoldi(p, t->o->n, unit > 0 ? unit : 1, &r, err);
    if (!status) status = sn_roots_sort(m, &r, err);
    if (!status) status = deliver_roots(t, p, &r, err);
    sn_roots_free(&r);
    return status;
}

static sn_status solve(delivery *t, sn_motion *p, sn_pencil *pencil, sn_err *err)
{
    sn_context *d = t->d;
    sn_steadiness what;
    char by[SN_NAME_SIZE], text[3 * SN_NAME_SIZE];
    int done = 0;
    SN_TRY(look(p, pencil, &what, by, err));
    SN_TRY(sn_system_sensors(d->w, d->x, d->y, err));
    t->f = (sn_frame){d->x->t, d->x->q, d->x->v, d->x->a, d->x->lam, d->y, NULL};
    const char *why = more_than_undamped(p, what);
    if (t->o->undamped) {
        SN_TRY(undamped_possible(p, what, err));
        why = NULL;
    }
    if (what == SN_VARYING)
        sn_context_message(
            d,
            "modes: the motion at t = %g s is not steady: its matrices change with time, and these are "
            "the roots of those at this instant (--at steady looks for a steady motion near the start)",
            d->x->t);
    t->how = how(text, sizeof text, what, by, why);
    if (!why) {
        SN_TRY(undamped(t, pencil, &done, err));
        if (done) return SN_OK;
        t->how = how(text, sizeof text, what, by,
                     accelerated(d) ? "it is not in equilibrium (--at static is)"
                                    : "loads that follow the model make its stiffness unsymmetric");
    }
    return all_terms(t, p, err);
}

sn_status sn_modes(const sn_model *m, const sn_values *values, const sn_mode_options *o, int *found,
                   sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_mode_options, o, err));
    sn_context d;
    sn_info info = {0};
    sn_motion *p = NULL;
    sn_pencil *pencil = NULL;
    *found = 0;
    SN_TRY(sn_context_open(m, values, &o->run, &info, &d, err));
    if (!m->flat) sn_system_tangent_maps(d.w, d.zero);
    delivery t = {.d = &d, .o = o};
    sn_status status =
        sn_operating_point(&d, sn_where_of(o->at_static, o->at_steady, o->at_time), o->at_time, err);
    if (!status) status = sn_motion_new(&d, &p, err);
    if (!status && !(SN_NEW(t.re, m->nv + 1) && SN_NEW(t.im, m->nv + 1))) status = SN_OUT_OF_MEM(err);
    if (!status) status = sn_pencil_new(&d, &pencil, err);
    if (!status) status = solve(&t, p, pencil, err);
    *found = t.count;
    sn_free(t.re), sn_free(t.im);
    sn_motion_free(p), sn_pencil_free(pencil);
    sn_context_close(&d);
    return status;
}
