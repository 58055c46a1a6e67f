/* Joints that sit on one of their two nodes by default while the nodes are apart: whether the other node's
   place would have made another joint. Where the axis of a hinge passes through both, and for sliders, it
   would not.

   Two places make the same joint where their equations allow the same motions: the rows of both Jacobians
   together have the rank of one of them. */
#include "analysis/analysis.h"
#include "model/registry.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#undef I

enum { ROWS = 6, COLUMNS = 12 };

/* The slot that is the joint's place, by default that of a node; -1: there is none, or it is written, or the
   order of the nodes does not matter. */
static int place_slot(const sn_context *d, const sn_object *o)
{
    const sn_slot *s = ((const sn_joint_class *)o->cls)->slots;
    for (int k = 0, at = 0; s[k].name; at += o->slot_n[k++])
        if ((s[k].flags & SN_ON_NODE1) && (s[k].flags & SN_ON_NODE2) && s[k].formula &&
            !strncmp(s[k].formula, "@j", 2))
            return d->m->quantity[o->s + at].written || d->m->quantity[o->s + at].settled ||
                           d->p->fixed[o->s + at]
                       ? -1
                       : at;
    return -1;
}

/* Scaled rows of the joint's Jacobian with these slots at the context's state; 0: it cannot be had. */
static int rows_at(sn_context *d, int j, const double *slots, double *constants, double *B)
{
    const sn_object *o = &d->m->joint.object[j];
    const sn_joint_class *cls = o->cls;
    sn_work *w = d->w;
    sn_in in = w->joint[j];
    sn_work_gather(w, o, d->x->q, d->x->v, d->x->a);
    in.s = slots, in.c = constants, in.lam = d->x->lam + o->eq;
    sn_joint_out out = {.r = w->r, .phi = w->phi, .B = B, .G = w->G, .K = w->K, .C = w->C, .L = w->L};
    sn_clear(w->r, o->nv), sn_clear(w->K, o->nv * o->nv), sn_clear(w->C, o->nv * o->nv);
    if ((cls->prepare && cls->prepare(&in, constants, NULL)) || cls->eval(&in, &out)) return 0;
    for (int i = 0; i < o->m; i++)
        for (int c = 0; c < o->nv; c++)
            B[i * o->nv + c] *=
                w->scale[d->m->nv + o->eq + i] * (o->vi[c] < d->m->nv ? w->scale[o->vi[c]] : 1);
    return 1;
}

static int rank(const double *B, int rows, int columns)
{
    double A[2 * ROWS * COLUMNS], s[COLUMNS + 1], spare[COLUMNS + 1], unused[1];
    int n = 0;
    memcpy(A, B, sizeof *A * (size_t)rows * (size_t)columns);
    if (LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', rows, columns, A, columns, s, unused, 1, unused, 1,
                       spare) != 0)
        return -1;
    while (n < rows && n < columns && s[n] > 1e-9 * s[0]) n++;
    return n;
}

/* Whether the joint would be another at the place of its other node. */
static int matters(sn_context *d, int j, int slot, const double *other)
{
    const sn_object *o = &d->m->joint.object[j];
    const int size = o->m * o->nv;
    double B[2 * ROWS * COLUMNS], *slots = sn_alloc((size_t)(o->ns + o->nc) + 1, sizeof *slots);
    int y = 0;
    if (!slots) return 0;
    memcpy(slots, d->w->x + o->s, sizeof *slots * (size_t)o->ns);
    y = rows_at(d, j, slots, slots + o->ns, B);
    memcpy(slots + slot, other, sizeof *slots * (size_t)o->dim);
    y = y && rows_at(d, j, slots, slots + o->ns, B + size);
    sn_free(slots);
    return y && rank(B, 2 * o->m, o->nv) > rank(B, o->m, o->nv);
}

int sn_joint_apart(sn_context *d, int *next, char *text, size_t size)
{
    const sn_model *m = d->m;
    while (*next < m->joint.n) {
        const int j = (*next)++;
        const sn_object *o = &m->joint.object[j];
        if (o->nn != 2 || o->dim < 2 || o->m > ROWS || o->nv > COLUMNS || o->place[0].R_v < 0 ||
            o->place[1].R_v < 0)
            continue;
        const int slot = place_slot(d, o);
        const double *a = d->p->X + o->x, *b = a + o->off[1];
        double far = 0;
        if (slot < 0) continue;
        for (int k = 0; k < o->dim; k++) far = hypot(far, b[k] - a[k]);
        if (far <= 1e-6 * d->p->length || !matters(d, j, slot, a)) continue;
        snprintf(
            text, size,
            "%s '%s' sits at node %s, %.3g m from node %s, for want of 'at': write at: [...] where it is",
            sn_class_name(o->cls), o->name, m->node[o->node[1]].name, far, m->node[o->node[0]].name);
        return 1;
    }
    return 0;
}

void sn_tell_apart(sn_context *d)
{
    char text[600];
    int next = 0;
    if (!d->o->message) return;
    while (sn_joint_apart(d, &next, text, sizeof text)) sn_context_message(d, "%s", text);
}
