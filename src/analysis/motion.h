/* Small motions about a motion. The equations linearised at the context's state are

       M da + C dv + K dq + L mu = 0,    B dq = 0,    velocity level: G dv + D dq = 0

   with rotation increments dq, rates dv and their derivatives da in the axes of each frame, which spin with
   it: dv is not d(dq)/dt. Here increments y have components in common axes, which stand still or turn with a
   constant rate w (`spin`), so that

       dq = P y,   dv = P (y' + w x y),   da = P (y'' + 2 w x y' + w x (w x y)) - W P (y' + w x y)

   P turns the common axes into those of a coordinate (the identity for places and vectors, R' for rotations),
   W is the frame's own rate of rotation, as a matrix, for rotations, else 0. Rows are turned likewise, so
   that

       A2 y'' + A1 y' + A0 y + L mu = 0,    A0 and A1 also holding the equations' rows

   What is symmetric stays so. About a steady motion the matrices are constant in suitable axes: in those
   that stand still for rotors and wheels that are alike all around, in those that turn for blades. */
#ifndef SN_ANALYSIS_MOTION_H
#define SN_ANALYSIS_MOTION_H

#include "analysis/analysis.h"

#include <complex.h>

typedef struct sn_motion {
    sn_context *d;
    double spin[3];        /* of the common axes; in the plane only the last counts */
    double *A[3];          /* nnz + 1 each, with the pattern of the system; A[0] has L too */
    unsigned char *turned; /* nv: the first of three rotations in a frame's axes, */
    double *P;             /* and at 3 times its number their P */
    double *scratch;       /* three matrices */
    int with;              /* what the axes turn with: a node, or one of these */
} sn_motion;
enum { SN_AXES_STILL = -1, SN_AXES_OF_ALL = -2 };

sn_status sn_motion_new(sn_context *d, sn_motion **out, sn_err *err);
void sn_motion_free(sn_motion *p);
/* The matrices at state x (the work's time must be x's) in axes with that spin. */
sn_status sn_motion_eval(sn_motion *p, sn_work *w, const sn_state *x, const double *spin, sn_err *err);
/* y in common axes (nv numbers) into increments dq of the coordinates, at the state last evaluated. */
void sn_motion_turn(const sn_motion *p, const double *y, double *dq);
/* Rows by dq, dv, da (nv each) become rows by y, y', y'', at the state and in the axes last evaluated. */
void sn_motion_rows(const sn_motion *p, const sn_state *x, double *const *row);
/* Forces along dq (nv) become forces along y. */
void sn_motion_force(const sn_motion *p, double *f);
/* A frequency in the middle of the model's, by the diagonals; 0: there is none. scratch: nv numbers. */
double sn_motion_frequency(const sn_motion *p, double *scratch);
/* Global angular velocity of node i; 0: it has none. */
int sn_node_spin(const sn_model *m, int i, const sn_state *x, double *w);

/* What the state is, for linearisations about it. */
typedef enum sn_steadiness {
    SN_AT_REST, /* nothing moves */
    SN_STEADY,  /* moves, with constant matrices in axes that were found */
    SN_VARYING  /* the matrices change with time: they are those of an instant */
} sn_steadiness;
/* Which axes have constant matrices: tried are axes that stand still, then those that turn with a node. The
   matrices are left in p. by (a name; size SN_NAME_SIZE): the node, "" for axes that stand still. Moves the
   context's state for a while, by projections, and puts it back. */
enum { SN_NAME_SIZE = 160 };
sn_status sn_motion_axes(sn_motion *p, sn_steadiness *out, char *by, sn_err *err);
/* The spin that the axes so chosen have at another state. */
void sn_motion_spin(const sn_motion *p, const sn_state *x, double *spin);
/* The axes that are tried: how they turn, and with which node (-1: not at all, -2: with all places). Returns
   how many, at most SN_CANDIDATES. */
enum { SN_CANDIDATES = 8 };
typedef struct sn_axes_candidate {
    double spin[3];
    int node;
} sn_axes_candidate;
int sn_motion_candidates(const sn_model *m, const sn_state *x, sn_axes_candidate *all);
/* The fastest motion of the context's state, in radians and lengths of the model a second. */
double sn_motion_rate(const sn_context *d);

#endif
