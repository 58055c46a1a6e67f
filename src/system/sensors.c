/* Sensors: node sensors by their own tables, the others from outputs of elements, reactions of joints,
   energies and constraint violation. */
#include "system/system.h"
#include "math/plane.h"
#include "math/rot3.h"

#include <math.h>
#include <string.h>

static void gather(sn_work *w, const sn_state *x, const sn_object *o)
{
    sn_work_gather(w, o, x->q, x->v, x->a);
}

void sn_system_energy(sn_work *w, const sn_state *x, int entry, double *e)
{
    const sn_model *m = w->m;
    e[0] = e[1] = 0;
    for (int i = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        const sn_element_class *cls = o->cls;
        if (o->host >= 0 || !cls->energy || (entry >= 0 && o->entry != entry)) continue;
        double one[2] = {0, 0};
        gather(w, x, o);
        cls->energy(&w->element[i], one, NULL);
        e[0] += one[0];
        e[1] += one[1];
    }
}

int sn_moment_part(const sn_object *o, int k, int part, const double *q, sn_moment *y)
{
    const sn_node_places *at = &o->place[k];
    const int turn = part > at->vectors;
    if (at->x_v < 0 || (turn && (at->R_v < 0 || part > at->vectors + 1))) return 0;
    const double *d = q + (turn ? at->R_q : part ? at->d_q + (part - 1) * o->dim : at->x_q);
    y->v = turn ? at->R_v : part ? at->d_v + (part - 1) * o->dim : at->x_v;
    y->turn = turn;
    y->rows = o->dim == 3 ? 3 : 1, y->cols = o->dim == 3 ? 3 : turn ? 1 : 2;
    if (o->dim == 3 && turn)
        sn_quat_matrix(d, y->A);
    else if (o->dim == 3)
        sn_skew3(d, y->A);
    else if (turn)
        y->A[0] = 1;
    else
        y->A[0] = -d[1], y->A[1] = d[0];
    return 1;
}

/* Adds what block k of an object has of the momenta p = dT/dv, and their moment. */
static void block_momentum(const sn_object *o, int k, const double *q, const double *p, double *y)
{
    sn_moment z;
    for (int i = 0; o->place[k].x_v >= 0 && i < o->dim; i++) y[i] += p[o->place[k].x_v + i];
    for (int part = 0; sn_moment_part(o, k, part, q, &z); part++)
        for (int r = 0; r < z.rows; r++) {
            double sum = 0;
            for (int c = 0; c < z.cols; c++) sum += z.A[z.cols * r + c] * p[z.v + c];
            y[o->dim + r] += sum;
        }
}

void sn_system_momentum(sn_work *w, const sn_state *x, int entry, double *y)
{
    const sn_model *m = w->m;
    for (int i = 0; i < (m->dim == 3 ? 6 : 3); i++) y[i] = 0;
    for (int i = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        const sn_element_class *cls = o->cls;
        if (o->host >= 0 || !cls->energy || (entry >= 0 && o->entry != entry)) continue;
        double e[2], *p = w->C; /* of max_v^2 numbers at least; row 0 is kinetic */
        sn_dout de = {.v = p};
        memset(p, 0, 2 * sizeof(double) * (size_t)o->nv);
        gather(w, x, o);
        cls->energy(&w->element[i], e, &de);
        for (int k = 0; k < o->nn; k++) block_momentum(o, k, w->q, p, y);
    }
}

void sn_turn_reaction(const sn_object *o, int end, const double *q, int axes, double *y)
{
    const sn_node_places *at = &o->place[end];
    double R[9], *f = y + at->x_v - o->offv[end], *moment = y + at->R_v - o->offv[end];
    if (at->R_v < 0) return;
    if (o->dim == 2 && axes == SN_AXES_BODY) sn_rot2(-q[at->R_q], f, f);
    if (o->dim != 3) return;
    sn_quat_matrix(q + at->R_q, R);
    if (axes == SN_AXES_GLOBAL) sn_mul3(R, moment, moment);
    if (axes == SN_AXES_BODY) sn_tmul3(R, f, f);
}

/* y += force of joint j on its node: -(B'lam) in the node's rows. */
static sn_status reaction(sn_work *w, const sn_state *x, const sn_object *s, int j, double *y)
{
    const sn_object *o = &w->m->joint.object[j];
    sn_joint_out out = {.r = w->r, .phi = w->phi};
    gather(w, x, o);
    w->joint[j].lam = x->lam + o->eq;
    memset(w->r, 0, sizeof(double) * (size_t)o->nv);
    SN_TRY(((const sn_joint_class *)o->cls)->eval(&w->joint[j], &out));
    for (int i = 0; i < s->ny; i++) y[i] -= w->r[o->offv[s->end] + i];
    sn_turn_reaction(o, s->end, w->q, s->output, y);
    return SN_OK;
}

static sn_status violation(sn_work *w, const sn_state *x, const sn_object *s, double *y)
{
    const sn_model *m = w->m;
    *y = 0;
    for (int j = 0; j < m->joint.n; j++) {
        if (s->target >= 0 && s->target != j) continue;
        const sn_object *o = &m->joint.object[j];
        sn_joint_out out = {.r = w->r, .phi = w->phi};
        gather(w, x, o);
        w->joint[j].lam = x->lam + o->eq;
        memset(w->r, 0, sizeof(double) * (size_t)o->nv);
        SN_TRY(((const sn_joint_class *)o->cls)->eval(&w->joint[j], &out));
        for (int k = 0; k < o->m; k++) *y = fmax(*y, fabs(w->phi[k]));
    }
    return SN_OK;
}

static const double two_pi = 6.28318530717958647692;

/* Angles next to those of the state, of which they are turns on. */
static void count_on(const sn_object *o, const double *turned, double *y)
{
    const unsigned turns = ((const sn_sensor_class *)o->cls)->turns;
    for (int k = 0, i = o->turned; turns >> k; k++)
        if (turns >> k & 1) y[k] += two_pi * round((turned[i++] - y[k]) / two_pi);
}

void sn_system_turn_on(sn_work *w, const sn_state *x0, sn_state *x1)
{
    const sn_model *m = w->m;
    double y[SN_MAX_COMPONENTS];
    if (!m->n_turning) return;
    memcpy(x1->turned, x0->turned, sizeof *x1->turned * (size_t)m->n_turning);
    for (int i = 0; i < m->sensor.n; i++) {
        const sn_object *o = &m->sensor.object[i];
        const sn_sensor_class *cls = o->cls;
        if (!cls->turns) continue;
        gather(w, x1, o);
        if (cls->eval(&w->sensor[i], y, NULL)) continue;
        count_on(o, x1->turned, y);
        for (int k = 0, n = o->turned; cls->turns >> k; k++)
            if (cls->turns >> k & 1) x1->turned[n++] = y[k];
    }
}

static sn_status one(sn_work *w, const sn_state *x, int i, double *y)
{
    const sn_model *m = w->m;
    const sn_object *o = &m->sensor.object[i], *t;
    const sn_sensor_class *cls = o->cls;
    sn_in in;
    switch (cls->source) {
    case SN_FROM_NODES:
        gather(w, x, o);
        SN_TRY(cls->eval(&w->sensor[i], y, NULL));
        if (cls->turns) count_on(o, x->turned, y);
        return SN_OK;
    case SN_FROM_ELEMENT:
        t = &m->element.object[o->target];
        gather(w, x, t);
        in = w->element[o->target];
        in.asked = w->sensor[i].s;
        return ((const sn_element_class *)t->cls)->output(&in, o->output, o->end, y, NULL);
    case SN_FROM_REACTION:
        memset(y, 0, sizeof *y * (size_t)o->ny);
        for (int k = 0; k < (o->n_target ? o->n_target : 1); k++) SN_TRY(reaction(w, x, o, o->target + k, y));
        return SN_OK;
    case SN_FROM_MULTIPLIER:
        y[0] = -x->lam[m->joint.object[o->target].eq];
        return SN_OK;
    case SN_FROM_ENERGY:
        sn_system_energy(w, x, o->target, y);
        y[2] = y[0] + y[1];
        return SN_OK;
    case SN_FROM_MOMENTUM:
        sn_system_momentum(w, x, o->target, y);
        return SN_OK;
    default:
        return violation(w, x, o, y);
    }
}

sn_status sn_system_sensors(sn_work *w, const sn_state *x, double *y, sn_err *err)
{
    const sn_model *m = w->m;
    for (int i = 0; i < m->sensor.n; y += m->sensor.object[i++].ny) {
        const sn_object *o = &m->sensor.object[i];
        double sum = 0;
        if (one(w, x, i, y))
            return sn_fail(err, SN_ERR_NUMERIC, &o->mark, "sensor '%s' cannot be evaluated at t = %g",
                           o->name, x->t);
        for (int k = 0; k < o->ny; k++) sum += 0 * y[k]; /* not 0 where a number is not finite */
        if (sum != 0)
            return sn_fail(err, SN_ERR_NUMERIC, &o->mark, "sensor '%s' is not finite at t = %g", o->name,
                           x->t);
    }
    return SN_OK;
}
