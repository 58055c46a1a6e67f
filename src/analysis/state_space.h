/* Small motions in minimal coordinates of the constraint manifold:

       x' = A x,    y = Y x,    y' = V x

   States are some of the coordinates and some of the rates, so that they have names: the others follow from
   the equations of both levels, and those of coordinates without mass from their own rows. Dense: for models
   of some hundred coordinates. */
#ifndef SN_ANALYSIS_STATE_SPACE_H
#define SN_ANALYSIS_STATE_SPACE_H

#include "analysis/motion.h"

typedef struct sn_state_space {
    sn_arena arena;
    int nv, n;     /* coordinates; states */
    int regular;   /* no eigenvalue is zero: A0 with the equations has factors */
    int *of;       /* n: coordinate i of a state, or nv + i where it is the rate of i */
    double *A;     /* n x n by columns */
    double *Y, *V; /* nv x n by columns */
    double *scale; /* n: sizes of the states that compare with each other, as of lengths and angles */
} sn_state_space;

sn_status sn_state_space_new(const sn_motion *p, sn_state_space **out, sn_err *err);
void sn_state_space_free(sn_state_space *s);

/* Eigenvalues and right eigenvectors. Those that are zero are split off first: they come as chains (a place
   that nothing holds, and a velocity along it), of which rounding would make circles around zero. */
typedef struct sn_eigen {
    int n, zeros, neutral; /* not zero, conjugates included; zero, counted by multiplicity; of these with a
                              vector of their own */
    double complex *s;     /* n */
    double complex *x;     /* n rows of as many numbers as there are states */
    double *still;         /* neutral rows: motions along which nothing changes */
} sn_eigen;
/* A = Q R P' with pivoted columns, A n x n by columns, overwritten: the first *rank columns of Q span A, up
   to the part `small` of the largest pivot; `top` where it is known (> 0), else it is found. */
sn_status sn_range(int n, double *A, double small, double *top, double *Q, int *rank, sn_err *err);

/* In the arena. */
sn_status sn_state_space_eigen(const sn_state_space *s, sn_arena *arena, sn_eigen *out, sn_err *err);

#endif
