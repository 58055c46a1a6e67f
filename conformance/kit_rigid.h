/* Rigid motions of a whole case, in the plane or in space: what turns with the body, and what with its
   reference.

   Moved: positions x -> Q x + shift, rotations R -> Q R, velocities and accelerations -> Q v; body angular
   velocities and moments stay; directors and slopes d -> Q d, plain numbers (coordinates of modes) stay.
   Placed: the reference is turned as well. Its axes are those of all body vectors, so that R -> Q R Q' and
   body vectors turn: angular velocities, moments, vectors and tensors in slots. */
#ifndef SN_CONFORMANCE_KIT_RIGID_H
#define SN_CONFORMANCE_KIT_RIGID_H

#include "kit_case.h"
#include "math/rot3.h"

typedef struct kit_motion {
    double Q[9], p[4], angle, shift[3]; /* Q also as quaternion; about z by `angle` in the plane */
    int dim;
} kit_motion;

/* 2 or 3 where some node is of the plane or of space, and all are seen as places, vectors or plain numbers of
   which it is known how a rigid motion moves them; else 0. */
static inline int kit_dim(const kit_case *k) { return k->form == SN_ARG_NODE ? k->in.dim : 0; }

/* Why rigid motions say nothing about a case, or NULL. */
static inline const char *kit_not_rigid(const kit_case *k)
{
    return k->form != SN_ARG_NODE ? "it knows single coordinates, not how a body moves"
           : !k->in.dim           ? "its nodes lie neither in the plane nor in space"
                                  : NULL;
}

/* How many vectors lie behind the place in a block. */
static inline int kit_vectors(const kit_case *k, int i) { return sn_vectors(k->view[i], k->in.dim); }

static inline kit_motion kit_draw_motion(kit_case *k)
{
    kit_motion t = {.dim = kit_dim(k), .angle = kit_random(&k->seed, -9, 9)};
    double d[3] = {0, 0, t.angle};
    for (int i = 0; i < 3; i++) t.shift[i] = kit_random(&k->seed, -1, 1);
    for (int i = 0; i < 3 && t.dim == 3; i++) d[i] = kit_random(&k->seed, -6, 6);
    sn_quat_exp(d, t.p);
    sn_quat_matrix(t.p, t.Q);
    return t;
}

static inline void kit_turn(const kit_motion *t, double *x)
{
    double y[3] = {x[0], x[1], t->dim == 3 ? x[2] : 0};
    sn_mul3(t->Q, y, y);
    memcpy(x, y, (size_t)t->dim * sizeof *x);
}

/* x -> Q x, directors and slopes too, in space the body vector behind it b -> Q b when placed: velocities,
   accelerations, forces. */
static inline void kit_turn_rates(const kit_case *k, const kit_motion *t, int placed, double *x)
{
    for (int i = 0; i < k->nn; i++) {
        if (k->view[i] == SN_SCALARS) continue;
        for (int l = 0; l <= kit_vectors(k, i); l++) kit_turn(t, x + k->offv[i] + l * t->dim);
        if (placed && t->dim == 3 && kit_turns(k, i)) kit_turn(t, x + k->offv[i] + 3);
    }
}

/* J -> Q J Q', s = (xx, yy, zz, xy, xz, yz) */
static inline void kit_turn_tensor(const kit_motion *t, double *s)
{
    const double J[9] = {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]};
    double QJ[9], Qt[9], P[9];
    for (int i = 0; i < 9; i++) Qt[i] = t->Q[i % 3 * 3 + i / 3];
    sn_matmul3(t->Q, J, QJ);
    sn_matmul3(QJ, Qt, P);
    s[0] = P[0], s[1] = P[4], s[2] = P[8], s[3] = P[1], s[4] = P[2], s[5] = P[5];
}

static inline void kit_turn_slots(kit_case *k, const kit_motion *t, int placed)
{
    const sn_slot *slot = k->kind->slots;
    for (int i = 0, at = 0; slot && slot[i].name; at += k->slot_n[i++]) {
        if ((slot[i].flags & SN_ROTATES) && k->slot_n[i] == t->dim) kit_turn(t, k->s + at);
        for (int l = 0; l < t->dim && (slot[i].flags & SN_PLACED) && placed && k->slot_n[i] == t->dim; l++) {
            if (l == 0) kit_turn(t, k->s + at);
            k->s[at + l] += t->shift[l];
        }
        if ((slot[i].flags & SN_TENSOR) && placed && t->dim == 3) kit_turn_tensor(t, k->s + at);
    }
}

/* A place with axes, or without. */
static inline void kit_turn_node(const kit_motion *t, int axes, int placed, double *q, double *X)
{
    const double back[4] = {t->p[0], -t->p[1], -t->p[2], -t->p[3]};
    kit_turn(t, q);
    if (placed) kit_turn(t, X);
    for (int l = 0; l < t->dim; l++) q[l] += t->shift[l], X[l] += placed ? t->shift[l] : 0;
    if (t->dim == 2 && axes && !placed) q[2] += t->angle;
    if (t->dim == 3 && axes) sn_quat_mul(t->p, q + 3, q + 3);
    if (t->dim == 3 && axes && placed) sn_quat_mul(q + 3, back, q + 3);
}

/* The case moved, or placed elsewhere; `vectors`: the vectors in its slots turn along. */
static inline sn_status kit_rigid(kit_case *k, const kit_motion *t, int placed, int vectors)
{
    kit_move(k, KIT_NONE, 0, 0);
    for (int i = 0; i < k->nn; i++) {
        double *q = k->q + k->off[i], *X = k->X + k->off[i];
        if (k->view[i] == SN_SCALARS) continue;
        kit_turn_node(t, kit_turns(k, i), placed, q, X);
        for (int l = 1; l <= kit_vectors(k, i); l++) {
            kit_turn(t, q + l * t->dim);
            if (placed) kit_turn(t, X + l * t->dim);
        }
    }
    kit_turn_rates(k, t, placed, k->v);
    kit_turn_rates(k, t, placed, k->a);
    kit_turn(t, k->g);
    if (vectors) kit_turn_slots(k, t, placed);
    return kit_prepare(k);
}

#endif
