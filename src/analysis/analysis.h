/* What the analyses share: the equipment of one, the start, names of what is singular or redundant. */
#ifndef SN_ANALYSIS_ANALYSIS_H
#define SN_ANALYSIS_ANALYSIS_H

#include "integrator/integrator.h"

typedef struct sn_share sn_share;

/* Work, solver, state of one analysis. */
typedef struct sn_desk {
    const sn_model *m;
    const sn_values *p;
    const sn_run_options *o;
    sn_info *info;
    sn_work *w;
    sn_linsol *ls;
    sn_state *x;
    double *k, *c, *a, *g, *zero, *one; /* nv + 1: column factors at hand */
    double *z;                          /* n + 1: right-hand side */
    double *y;                          /* all channels */
    double *rate;                       /* 2 m + 1: phi_t, gamma */
    int moving;                         /* past the start: which equations are redundant is settled */
    sn_share *share;                    /* of reactions, where equations are redundant; or NULL */
} sn_desk;

sn_status sn_desk_open(const sn_model *m, const sn_values *p, const sn_run_options *o, sn_info *info,
                       sn_desk *d, sn_err *err);
void sn_desk_close(sn_desk *d);
void sn_desk_message(const sn_desk *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Consistent start: project q0 and v0, then accelerations and multipliers. */
sn_status sn_start(sn_desk *d, sn_err *err);
/* Only its positions: the smallest change that meets the constraints. */
sn_status sn_assemble(sn_desk *d, sn_err *err);
/* Multipliers at the moment of release from rest (v = a = lam = 0 given): [W B'; B 0] [a; lam] = -[r; 0]. */
sn_status sn_reactions(sn_desk *d, sn_err *err);
/* Equilibrium from the desk's state, by load steps; v = a = 0 in it. */
sn_status sn_equilibrium(sn_desk *d, sn_err *err);

/* Whether the equations leave no freedom (after the start): then positions, velocities, accelerations and
   reactions follow from them at each time, with no error of a time scheme. */
int sn_no_freedom(const sn_desk *d);
sn_status sn_kinematic_step(sn_desk *d, const sn_state *x0, double h, sn_state *x1, sn_err *err);

/* The state to linearise at: the equilibrium, or what a run reaches at a time, or (at_time <= 0) the start.
 */
sn_status sn_reach(sn_desk *d, int at_static, double at_time, sn_err *err);

/* Whether an equation depends on coordinate i, by the assembled matrix. */
int sn_desk_held(const sn_desk *d, int i);
/* Factors of [W B'; B 0] at the desk's state, W = M regularised; SN_ERR_NUMERIC: redundant equations (or a
 * failed object). */
sn_status sn_factor_projection(sn_desk *d, int *column, sn_err *err);
/* Whether every entry of d->w->Ax is finite, reported by the coordinate if not: LAPACK may never end on
 * others. */
sn_status sn_desk_finite(const sn_desk *d, const char *what, sn_err *err);
/* The matrix in d->w->Ax could not be factored (why: the solver's status). Where it is singular, report which
   coordinates can move (or which equations are redundant). */
sn_status sn_singular(sn_desk *d, const char *what, sn_status why, int column, sn_err *err);
/* Redundant equations at the state, by rank of B: marks them in flag (m); *n: how many. */
sn_status sn_redundant(sn_desk *d, unsigned char *flag, int *n, sn_err *err);

/* Equations that follow from others are left out with a message, or refused, as the options say. */
sn_status sn_drop_redundant(sn_desk *d, sn_err *err);

/* Where redundant equations have been left out and their reactions are to be shared: after the start. */
sn_status sn_share_new(sn_desk *d, sn_err *err);
void sn_share_free(sn_share *s);
/* *x becomes a copy with shared multipliers; it lives until the next call. Allocates nothing. The desk's time
 * must be that of the state. */
sn_status sn_share_state(sn_desk *d, const sn_state **x, sn_err *err);

/* Hand the state to the frame callback. */
sn_status sn_desk_frame(sn_desk *d, const sn_state *x, sn_err *err);

#endif
