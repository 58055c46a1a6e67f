/* Steady motions. All velocities are constant in axes that turn with w (or stand still): places have
   v = v0 + w x x, frames the rotation w and one of their own, `own`, constant in their axes: the spin of a
   wheel or a shaft. Where the axes stand still places have the velocities of the start. So positions say
   velocities and accelerations. */
#ifndef SN_ANALYSIS_STEADY_H
#define SN_ANALYSIS_STEADY_H

#include "analysis/motion.h"

typedef struct sn_steady_motion {
    sn_context *d;
    double w[3], v0[3];
    int turning;
    double rate; /* of the fastest motion of the start */
    double *own; /* nv */
} sn_steady_motion;

/* Velocities and accelerations of x by its positions. */
void sn_steady_velocities(const sn_steady_motion *f, sn_state *x);
/* Positions, velocities, accelerations at a time h after x in the same motion. */
void sn_steady_move(const sn_steady_motion *f, const sn_state *x, double h, sn_state *out);
/* How far the motion from the context's state on is from one that stays steady: forces that do not balance,
   relative to the largest, gaps of equations, relative to the model's length, now and a radian before and
   after; *at: the coordinate where, or -1. The state's reactions become those that balance best. */
sn_status sn_steady_drift(const sn_steady_motion *f, double *drift, int *at, sn_err *err);

/* The search for one. */
typedef struct sn_steady_task {
    sn_steady_motion f;
    sn_motion *p;
    sn_arena arena;
    sn_state *start, *best;
    double moved, kept, least; /* how far it is from the start: now, in the last solution, in the best */
    int ns, *spin, *first;     /* rotations of frames with a spin of their own; each frame's first */
    int nz;                    /* these, and in axes that turn directions of v0, */
    double along[3][3];        /* which are */
    double *given;             /* nz: the start's, besides its v0 */
    double *shares;            /* nz x k by columns: velocities along which nothing changes */
    int k;
    double *r0, *q, *own, *lam, v0[3]; /* what did not balance; the last solution */
    double *A, *b;                     /* dense: n x (n + k), n + k */
    double left;                       /* the least that was left of forces by a turn of the axes, relative */
    int left_at;
    double left_force, drift; /* or of accelerations that a steady motion has not */
} sn_steady_task;

/* Rotations of frames that have a spin of their own; it goes to t->given, since what is symmetric is seen
   without. */
void sn_steady_spins(sn_steady_task *t);
/* Of these and of v0: velocities along which nothing changes, at the matrices in t->p, without what is
   rolling; r: residual there. */
sn_status sn_steady_free(sn_steady_task *t, const double *r, sn_err *err);
/* The spins that are kept: what else the start has of them is left out. */
void sn_steady_keep_spins(sn_steady_task *t);
/* Velocities change by factor times the c-th of those. */
void sn_steady_add(sn_steady_task *t, int c, double factor);
/* out (n) += factor * what changes by it. */
void sn_steady_column(const sn_steady_task *t, int c, double *out);
/* Sizes of the rows of A0 by increments that compare with each other; rows of forces that (nearly) nothing
   changes are compared with the others. */
void sn_steady_row_sizes(const sn_steady_task *t, double *size);

/* The turns of axes to try: those of sn_motion_candidates; their parts about the vertical, if there is one;
   turns about it by the places and (the last) by the start's accelerations. */
enum { SN_STEADY_TURNS = 2 * SN_CANDIDATES + 2 };
int sn_steady_turns(const sn_steady_task *t, double (*w)[3], int *by_accelerations);

#endif
