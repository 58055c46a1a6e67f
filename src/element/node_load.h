/* Force and torque on a spatial node.

   The force acts at x + R p, p = point. Dead: f is given in global axes, its moment in body axes is p x R'f.
   Follower: f is given in body axes, the force is R f and its moment p x f. The torque is in body axes or in
   global ones (R'T in the body); a torque that is constant in global axes has no potential, and its tangent
   is not symmetric. */
#ifndef SN_ELEMENT_NODE_LOAD_H
#define SN_ELEMENT_NODE_LOAD_H

#include "math/rot3.h"

enum { SN_TORQUE_AXES_SAME, SN_TORQUE_AXES_BODY, SN_TORQUE_AXES_GLOBAL }; /* of "same|body|global" */

static inline int sn_torque_in_body(int follower, int axes)
{
    return axes == SN_TORQUE_AXES_BODY || (axes == SN_TORQUE_AXES_SAME && follower);
}

typedef struct sn_node_load {
    int follower, body, turns; /* of the force, torque in body axes, the node has a rotation */
    const double *f, *point, *T;
} sn_node_load;

/* K (rows of n), block (row, 3) -= A */
static inline void sn_node_load_subtract(double *K, int n, int row, const double *A)
{
    for (int i = 0; i < 9; i++) K[n * (row + i / 3) + 3 + i % 3] -= A[i];
}

/* r and K (or NULL, rows of n) of the node's own block += residual of the load, bilinear in f and point */
static inline void sn_node_load_add(const sn_node_load *l, const double *q, double *r, double *K, int n)
{
    const double *f = l->f, *point = l->point, *T = l->T;
    double R[9], F[3], m[3], t[3], S[9], P[9];
    if (!l->turns) {
        for (int k = 0; k < 3; k++) r[k] -= f[k];
        return;
    }
    sn_quat_matrix(q + 3, R);
    memcpy(F, f, sizeof F);
    if (l->follower)
        sn_mul3(R, f, F);
    else
        sn_tmul3(R, f, m);
    sn_cross3(point, l->follower ? f : m, t);
    for (int k = 0; k < 3; k++) r[k] -= F[k], r[3 + k] -= t[k];
    if (K && l->follower) {
        sn_skew3(f, S);
        sn_matmul3(R, S, S);
        for (int i = 0; i < 9; i++) S[i] = -S[i];
        sn_node_load_subtract(K, n, 0, S);
    } else if (K) {
        sn_skew3(m, S);
        sn_skew3(point, P);
        sn_matmul3(P, S, S);
        sn_node_load_subtract(K, n, 3, S);
    }
    memcpy(t, T, sizeof t);
    if (!l->body) sn_tmul3(R, T, t);
    for (int k = 0; k < 3; k++) r[3 + k] -= t[k];
    if (!K || l->body) return;
    sn_skew3(t, S);
    sn_node_load_subtract(K, n, 3, S);
}

#endif
