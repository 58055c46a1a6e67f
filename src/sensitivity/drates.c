/* Derivatives of phi_t and gamma, the rates of the equations: see dstart.c. */
#include "sensitivity/dstart_inside.h"

#include "math/rot3.h"

#include <math.h>
#include <string.h>

/* (phi_t, gamma) of a joint with its own copies of numbers. */
static sn_status rates(sn_dstart *s, int joint, const sn_in *in, double *y)
{
    const sn_object *o = &s->d->m->joint.object[joint];
    memset(y, 0, sizeof(double) * 2 * (size_t)o->m);
    return ((const sn_joint_class *)o->cls)->rate(in, y, y + o->m);
}

/* Along coordinate i, through the retraction of frames. */
static sn_status rates_by_q(sn_dstart *s, int joint, sn_in *in, int i, double h, double *J)
{
    const sn_model *m = s->d->m;
    const sn_object *o = &m->joint.object[joint];
    double *q = s->local, *step = q + o->nq, *y = step + o->nv;
    const double *q0 = s->d->w->q;
    memset(J, 0, sizeof(double) * 2 * (size_t)o->m);
    for (int k = -3; k <= 3; k++) {
        if (k == 0) continue;
        memset(step, 0, sizeof(double) * (size_t)o->nv);
        step[i] = k * h;
        for (int n = 0; n < o->nn; n++) {
            if (o->dim == 3 && sn_is_frame(o->view, n))
                sn_frame3_retract(q0 + o->off[n], step + o->offv[n], q + o->off[n]);
            else
                for (int c = 0; c < o->offv[n + 1] - o->offv[n]; c++)
                    q[o->off[n] + c] = q0[o->off[n] + c] + step[o->offv[n] + c];
        }
        in->q = q;
        SN_TRY(rates(s, joint, in, y));
        for (int r = 0; r < 2 * o->m; r++)
            J[r] += (k > 0 ? 1 : -1) * sn_stencil[k > 0 ? k - 1 : -k - 1] * y[r] / h;
    }
    in->q = q0;
    return SN_OK;
}

/* A joint's number of those that move, and how far its value (order 0) or a time derivative may be moved. */
static double *number_of(const sn_dstart *s, const sn_object *o, const sn_moved_number *t, int order,
                         double *scale)
{
    double *x = t->index >= o->ns ? s->X + t->index - o->ns
                                  : (order == 0   ? s->s
                                     : order == 1 ? s->sd
                                                  : s->sdd) +
                                        t->index;
    double length = s->d->p->length;
    *scale = order ? 1 : fabs(*x) > 1e-3 * length ? fabs(*x) : *x != 0 ? 1e-3 * length : length;
    return x;
}

/* A number of friction: the rates do not know it, and a coefficient without its radius may not be moved. */
static int is_friction(const sn_dstart *s, const sn_object *o, const sn_moved_number *t)
{
    return t->index < o->ns && s->d->m->quantity[o->s + t->index].slot->flags & SN_FRICTION;
}

/* All numbers of the joint by `step` along parameter k; returns the largest change over its scale. */
static double move_numbers(sn_dstart *s, int joint, int k, double step)
{
    const sn_object *o = &s->d->m->joint.object[joint];
    double most = 0, scale;
    for (int i = s->c->first[SN_MOVED_JOINT][joint]; i < s->c->first[SN_MOVED_JOINT][joint + 1]; i++) {
        const sn_moved_number *t = &s->c->list[SN_MOVED_JOINT][i];
        const sn_chain_direction *d = t->d;
        int at = sn_chain_direction_find(d, k);
        if (at < 0 || is_friction(s, o, t)) continue;
        const double w[3] = {d->w[at], d->rate ? d->rate[at] : 0, d->rate ? d->rate[d->cap + at] : 0};
        for (int order = 0; order < 3; order++) {
            if (w[order] == 0) continue;
            double *x = number_of(s, o, t, order, &scale);
            most = fmax(most, fabs(w[order]) / scale);
            *x += step * w[order];
        }
    }
    return most;
}

static void own_numbers(sn_dstart *s, const sn_object *o, const sn_in *in)
{
    memcpy(s->s, in->s, sizeof(double) * (size_t)o->ns);
    memcpy(s->sd, in->sd, sizeof(double) * (size_t)o->ns);
    memcpy(s->sdd, in->sdd, sizeof(double) * (size_t)o->ns);
    memcpy(s->X, in->X, sizeof(double) * (size_t)o->nq);
    memcpy(s->cc, in->c, sizeof(double) * (size_t)o->nc);
}

/* Along parameter k, all numbers of the joint together: the place of a pin on a node without rotation may
   move only with the node. */
static sn_status rates_by_parameter(sn_dstart *s, int joint, const sn_in *given, int k, double *J)
{
    const sn_object *o = &s->d->m->joint.object[joint];
    const sn_joint_class *cls = o->cls;
    sn_in in = *given;
    double *y = s->local;
    in.s = s->s, in.sd = s->sd, in.sdd = s->sdd, in.X = s->X, in.c = s->cc;
    memset(J, 0, sizeof(double) * 2 * (size_t)o->m);
    own_numbers(s, o, given);
    double most = move_numbers(s, joint, k, 0), h = 0.02 / most;
    for (int j = -3; most > 0 && j <= 3; j++) {
        if (j == 0) continue;
        own_numbers(s, o, given);
        move_numbers(s, joint, k, j * h);
        if (cls->prepare) SN_TRY(cls->prepare(&in, s->cc, NULL));
        SN_TRY(rates(s, joint, &in, y));
        for (int r = 0; r < 2 * o->m; r++)
            J[r] += (j > 0 ? 1 : -1) * sn_stencil[j > 0 ? j - 1 : -j - 1] * y[r] / h;
    }
    return SN_OK;
}

/* One joint: rows `which` (0: phi_t, 1: gamma) of all its equations. */
static sn_status joint_rates(sn_dstart *s, const sn_state *x, int joint, int which, const double *dq,
                             const double *dv, double *G)
{
    sn_context *d = s->d;
    const sn_model *m = d->m;
    const sn_object *o = &m->joint.object[joint];
    size_t np = (size_t)s->np;
    sn_in in = d->w->joint[joint];
    double *J = s->Jq, *J2 = s->Jv, length = d->p->length;
    sn_work_gather(d->w, o, x->q, x->v, x->a);
    in.lam = x->lam + o->eq;
    for (int c = 0; c < o->nv; c++) {
        double h = 0.02 * (d->w->scale[o->vi[c] < m->nv ? o->vi[c] : 0] == 1 ? length : 1);
        SN_TRY(rates_by_q(s, joint, &in, c, h, J));
        memset(J2, 0, sizeof(double) * 2 * (size_t)o->m);
        for (int side = 1; which && side >= -1; side -= 2) { /* quadratic in v: exact */
            double was = d->w->v[c], e = 1 + fabs(was);
            d->w->v[c] = was + side * e;
            SN_TRY(rates(s, joint, &in, s->local));
            d->w->v[c] = was;
            for (int r = 0; r < 2 * o->m; r++) J2[r] += side * s->local[r] / (2 * e);
        }
        for (int k = 0; k < o->m; k++) {
            double *row = G + (size_t)(m->nv + o->eq + k) * np, fq = J[which * o->m + k],
                   fv = J2[which * o->m + k];
            if (d->w->dropped[o->eq + k]) continue;
            for (size_t i = 0; i < np; i++)
                row[i] += fq * dq[(size_t)o->vi[c] * np + i] + fv * dv[(size_t)o->vi[c] * np + i];
        }
    }
    if (s->c->first[SN_MOVED_JOINT][joint] == s->c->first[SN_MOVED_JOINT][joint + 1]) return SN_OK;
    for (int a = 0; a < s->np; a++) {
        SN_TRY(rates_by_parameter(s, joint, &in, a, J));
        for (int k = 0; k < o->m; k++)
            if (!d->w->dropped[o->eq + k])
                G[(size_t)(m->nv + o->eq + k) * np + (size_t)a] += J[which * o->m + k];
    }
    return SN_OK;
}

sn_status sn_dstart_rates(sn_dstart *s, const sn_state *x, int which, const double *dq, const double *dv,
                          double *G, sn_err *err)
{
    for (int j = 0; j < s->d->m->joint.n; j++)
        if (joint_rates(s, x, j, which, dq, dv, G))
            return sn_fail(err, SN_ERR_NUMERIC, &s->d->m->joint.object[j].mark,
                           "'%s' cannot be differentiated", s->d->m->joint.object[j].name);
    return SN_OK;
}
