/* The tangent of statics, S = [K L; B 0] at the state of a context: its factors where some freedoms are
   neutral (nothing holds them), which these are, and whether an equilibrium is stable. */
#ifndef SN_ANALYSIS_TANGENT_H
#define SN_ANALYSIS_TANGENT_H

#include "analysis/analysis.h"

typedef struct sn_tangent {
    sn_context *d;
    double *weight;  /* nv: W, a stiffness that each coordinate compares with */
    double *Ax;      /* nnz + 1: the tangent as evaluated */
    double *neutral; /* vectors of nv numbers, N'W N = 1 */
    double *work;    /* of the right-hand side on each of them, in the last solution */
    int n_neutral;
    double slack; /* the largest stiffness, relative to W, that one of them may still have */
    int held;     /* the factors are those of K + SN_HOLD W */
} sn_tangent;

/* Stiffness that a neutral freedom gets in the factors, relative to W: beyond what rounding leaves of K (some
   ten DBL_EPSILON, since W has the size of K's rows), and far below anything that holds. */
#define SN_HOLD 1e-13

sn_status sn_tangent_open(sn_context *d, sn_tangent *t, sn_err *err);
void sn_tangent_close(sn_tangent *t);

/* Factors of the matrix that has been evaluated into d->w->Ax. Where it is singular because of neutral
   freedoms, these are found and held; where it is for another reason: an error by `what`. */
sn_status sn_tangent_factor(sn_tangent *t, const char *what, sn_err *err);
/* The same, and neutral freedoms are looked for in any case. left: the largest unbalanced force. */
sn_status sn_tangent_factor_held(sn_tangent *t, double left, const char *what, sn_err *err);
/* z (n) <- S^-1 z; neutral freedoms stay where they are. */
sn_status sn_tangent_solve(sn_tangent *t, double *z);
/* The neutral direction in which the last right-hand side does work, largest entry (relative to the model)
   one, into g (nv); returns its force along it. 0: none. */
double sn_tangent_unheld(const sn_tangent *t, double *g);
/* Names of the neutral freedoms, "rotor.rx, b.y"; "": there are none. */
void sn_tangent_names(const sn_tangent *t, char *out, size_t size);
/* y = K x. */
void sn_tangent_times(const sn_tangent *t, const double *x, double *y);

/* W of the matrix in t->Ax. */
void sn_tangent_weigh(sn_tangent *t);
/* k vectors X (nv each, W-orthonormal) that the factors enlarge most, by `rounds` of inverse iteration; in Y
   what one more makes of them. d->z is used. */
sn_status sn_tangent_subspace(const sn_tangent *t, int k, int rounds, double *X, double *Y, sn_err *err);

/* ---- stability: stability.c ---- */

typedef struct sn_stability {
    int judged;      /* 0: the tangent is not symmetric and too large */
    int symmetric;   /* 0: some force has no potential */
    int negative;    /* directions in which the potential falls, or that diverge */
    char moves[200]; /* the coordinate that moves most in the least stable one; "": stable */
    char neutral[400];
} sn_stability;

/* Negative eigenvalues of K on the constraints, by the inertia of the evaluated tangent K + shift W (which
   must be symmetric). */
sn_status sn_stability_count(const sn_tangent *t, double shift, int *negative, sn_err *err);
/* Whether K in t->Ax is symmetric, and dr/dlam the transpose of B. */
int sn_stability_symmetric(const sn_tangent *t);
/* Unstable directions by either way, t->weight being made: of the symmetric (NULL: not wanted) tangent by its
   inertia, of others by real eigenvalues; -1: it is too large for that. */
sn_status sn_stability_negative(const sn_tangent *t, double shift, int *symmetric, int *negative,
                                sn_err *err);
/* Of the equilibrium at the context's state. */
sn_status sn_stability_judge(sn_context *d, sn_stability *out, sn_err *err);
/* Only what is neutral at the context's state, an equilibrium or not. */
sn_status sn_stability_neutral(sn_context *d, char *names, size_t size, sn_err *err);
/* Messages about it. */
void sn_stability_tell(const sn_context *d, const sn_stability *s);

#endif
