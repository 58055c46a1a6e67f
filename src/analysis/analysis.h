/* What the analyses share: the context of one, the start, names of what is singular or redundant. */
#ifndef SN_ANALYSIS_ANALYSIS_H
#define SN_ANALYSIS_ANALYSIS_H

#include "integrator/integrator.h"

typedef struct sn_redundant_multipliers sn_redundant_multipliers;

/* Work, solver, state of one analysis. */
typedef struct sn_context {
    const sn_model *m;
    const sn_values *p;
    const sn_run_options *o;
    sn_info *info;
    sn_work *w;
    sn_linsol *ls;
    sn_team *team; /* of several threads; or NULL */
    sn_state *x;
    double *k, *c, *a, *g, *zero, *one;    /* nv + 1: column factors at hand */
    double *z;                             /* n + 1: right-hand side */
    double *y;                             /* all channels */
    double *rate;                          /* 2 m + 1: phi_t, gamma */
    int moving;                            /* past the start: which equations are redundant is settled */
    unsigned char *none;                   /* m zeros: no equation left out */
    int told;                              /* equations left out that messages were sent about */
    int pinned;                            /* joints hold all they act on (sn_redundant); 0: not known */
    sn_redundant_multipliers *multipliers; /* of reactions, where equations are redundant; or NULL */
    double *weight, *before;               /* nv + 1, n + 1: of the projection, see start.c */
    int regularised;          /* its metric has weights where the equations leave what has no mass free */
    int start_by_differences; /* the start has parts that are not differentiated as equations, see dstart.c */
    unsigned char *past;      /* elements that were written past their limits */
    int near;                 /* elements near their limits that messages were sent about */
    const double *dy;         /* of the next frame: derivatives of the channels; or NULL */
    int steady;               /* the state is in a steady motion that was found, in axes */
    double spin[3];           /* that turn so */
} sn_context;

/* Somebody who follows a run step by step. */
typedef struct sn_follow {
    sn_status (*start)(void *ctx, sn_context *d, const sn_integrator_class *cls, void *integrator,
                       sn_err *err);
    /* A step from x0 to x1 has been made by the integrator (or, with the context's info->kinematic, without).
     */
    sn_status (*step)(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err);
    void (*back)(void *ctx); /* the steps since the last `keep` are void */
    /* They count: together they lead from x0 to x1. Outputs between the two follow. */
    sn_status (*keep)(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err);
    /* Derivatives of all channels at s in [0, 1] between them (x: the state there); or NULL. x0 = x1 at the
       start. */
    sn_status (*frame)(void *ctx, const sn_state *x0, const sn_state *x1, double s, const sn_state *x,
                       const double **dy, sn_err *err);
    /* The run has reached its end; its context and integrator are still there. Or NULL. */
    sn_status (*end)(void *ctx, sn_err *err);
    void *ctx;
    const double *steps;        /* sizes of all steps, in place of those the options ask for; or NULL */
    const unsigned char *whole; /* 0: a part of a step, more follow before it is kept */
    long n_steps;
    const sn_state *from; /* begins in this state, which a run with the same scheme has led to; or NULL */
} sn_follow;

/* A run without the derivatives of its sensors, followed. With options.exact (but for six digits) the
   integrator starts afresh each SN_SEGMENT steps, so that any part of the run can be repeated from a state at
   such a step, bit for bit. */
enum { SN_SEGMENT = 64 };
sn_status sn_run_followed(const sn_model *m, const sn_values *p, const sn_run_options *o,
                          const sn_follow *follow, sn_info *info, sn_err *err);

sn_status sn_context_open(const sn_model *m, const sn_values *p, const sn_run_options *o, sn_info *info,
                          sn_context *d, sn_err *err);
void sn_context_close(sn_context *d);
/* As it was when it was new, after the numbers of its values have changed. */
sn_status sn_context_renew(sn_context *d, sn_err *err);
void sn_context_message(const sn_context *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Consistent start: project q0 and v0, then accelerations and multipliers. */
sn_status sn_start(sn_context *d, sn_err *err);
/* Only its positions and velocities: the smallest change that meets the constraints. */
sn_status sn_assemble(sn_context *d, sn_err *err);
/* Multipliers at the moment of release from rest (v = a = lam = 0 given): [W B'; B 0] [a; lam] = -[r; 0]. */
sn_status sn_reactions(sn_context *d, sn_err *err);
/* Equilibrium from the context's state, by load steps; v = a = 0 in it. */
sn_status sn_equilibrium(sn_context *d, sn_err *err);

/* Whether the equations leave no freedom (after the start): then positions, velocities, accelerations and
   reactions follow from them at each time, with no error of a time scheme. */
int sn_no_freedom(const sn_context *d);
/* A model that stands still for ever: no freedom, and no joint that is driven. */
typedef struct sn_lock {
    int still;
    int rounded;        /* it would move if its equations were not a little off */
    double relative;    /* smallest singular value of the equations over the largest */
    double gap;         /* m that a joint would open by, for a radian of motion, or by the model's size */
    char equation[160]; /* where most */
} sn_lock;
sn_status sn_find_locked(sn_context *d, sn_lock *lock, sn_err *err);
void sn_lock_text(const sn_lock *lock, char *out, size_t size);
sn_status sn_kinematic_step(sn_context *d, const sn_state *x0, double h, sn_state *x1, sn_err *err);
/* The positions of the context's state, which are near to it, are led onto the equations by the smallest
   change in the mass metric. Velocities stay: schemes meet their equations but for an error of their own. The
   solver's factors are lost, and no memory is taken. */
sn_status sn_meet(sn_context *d, sn_err *err);

/* The state to linearise at: the start, the equilibrium, what a run reaches at a time, a steady motion near
   the start. */
typedef enum sn_where { SN_AT_START, SN_AT_STATIC, SN_AT_TIME, SN_AT_STEADY } sn_where;
static inline sn_where sn_where_of(int at_static, int at_steady, double at_time)
{
    return at_static ? SN_AT_STATIC : at_steady ? SN_AT_STEADY : at_time > 0 ? SN_AT_TIME : SN_AT_START;
}
sn_status sn_operating_point(sn_context *d, sn_where at, double time, sn_err *err);
/* A motion with constant velocities in axes that stand still or turn steadily, near the start, which says by
   its velocities which motion is meant. */
sn_status sn_steady(sn_context *d, sn_err *err);

/* Whether an equation depends on coordinate i, by the assembled matrix. */
int sn_context_held(const sn_context *d, int i);
/* Adds weights (in d->weight) to the mass matrix in d->w->Ax: for coordinates without mass that no equation
   depends on, with `held` for all with (nearly) none. Returns the largest mass (1: none). */
double sn_regularise(sn_context *d, int held);
/* Factors of [W B'; B 0] at the context's state, W = M with weights where it would be singular else (of those
   held d->regularised tells); SN_ERR_NUMERIC: redundant equations (or a failed object). */
sn_status sn_factor_projection(sn_context *d, int *column, sn_err *err);
/* z (n): the right-hand side [0; -phi] for these factors, from the last evaluation; velocity rows only keep
   the correction off their directions. Returns the largest gap. */
double sn_projection_gap(const sn_context *d, double *z);
/* Whether every entry of d->w->Ax is finite, reported by the coordinate if not: LAPACK may never end on
 * others. */
sn_status sn_context_finite(const sn_context *d, const char *what, sn_err *err);
/* The matrix in d->w->Ax could not be factored (why: the solver's status). Where it is singular, report which
   coordinates can move (or which equations are redundant). */
sn_status sn_singular(sn_context *d, const char *what, sn_status why, int column, sn_err *err);
/* The largest of the numbers z[from] .. z[to - 1] by the names of their unknowns: "node2.x, node2.y". */
void sn_name_largest(const sn_context *d, const double *z, int from, int to, char *out, size_t size);
/* Redundant equations at the state, by rank of B: marks them in flag (m); *n: how many. */
sn_status sn_redundant(sn_context *d, unsigned char *flag, int *n, sn_err *err);

/* Equations that follow from others are left out, or refused, as the options say. */
sn_status sn_drop_redundant(sn_context *d, sn_err *err);
/* Messages about those that were left out, once each. */
void sn_tell_redundant(sn_context *d);
/* Masses that nothing was written of, and that nothing gives: an error, for what moves; with `weight` only
   where gravity acts, for statics. */
sn_status sn_need_mass(const sn_context *d, int weight, sn_err *err);
/* Joints whose two nodes are apart, and whose place is by default that of one of them, where the other would
   make another joint: the next from joint number *next on, "revolute2d 'pin' sits at ..."; 0: none is left.
 */
int sn_joint_apart(sn_context *d, int *next, char *text, size_t size);
/* Messages about these. */
void sn_tell_apart(sn_context *d);

/* ---- angles of drives (slots with SN_WINDS), led to their values: winding.c ---- */

typedef struct sn_winding {
    int n, *id;              /* quantities */
    double *from, *to, most; /* most: largest way of one */
} sn_winding;
/* A part of the way that Newton's iteration can go at once. */
#define SN_WINDING_STEP 0.5
/* From the context's positions to the values that the work has; nearest: within half a turn, not counting
 * turns.
 */
sn_status sn_winding_new(sn_context *d, int nearest, sn_winding *w, sn_err *err);
/* The work's values become those at s of the way, 0 .. 1. */
void sn_winding_set(const sn_winding *w, sn_context *d, double s);
void sn_winding_free(sn_winding *w);

/* ---- equations that cannot be met together: consistent.c ---- */

/* An equation left out may be off by this share of the model's size (angles: radians): numbers written with
   six digits, and far above what rounding leaves of the others (1e-13). */
#define SN_REDUNDANT_TOLERANCE 1e-6
/* Whether one is off by more, at the last evaluation. */
int sn_redundant_violated(const sn_context *d);
/* If so: an error that names it and what it contradicts. Where it does not depend on the others at x any more
   it was left out at a singular position: an error too, or, where singular is not NULL, *singular = 1. */
sn_status sn_still_redundant(sn_context *d, const sn_state *x, int *singular, sn_err *err);
/* Whether equations left out agree with the others in velocities (order 1) or accelerations (2) of the
   context's state. */
sn_status sn_rates_agree(sn_context *d, int order, sn_err *err);
/* Coefficients of the equations left out by those that are kept, at state x, by factors of ls: n unknowns for
   each, of which the last m count (N: n_dropped times n). Allocates nothing. */
sn_status sn_dependencies(sn_context *d, sn_linsol *ls, const sn_state *x, double *N, sn_err *err);
/* The context's positions become those near the given ones that meet all equations, left out or not. Where
   there are none: an error that names the joints and their gaps. */
sn_status sn_meet_all(sn_context *d, const char *what, sn_err *err);
/* A motion without freedom does not get from positions `from` to time t: the same error, where gaps are left
   there. scratch: a state. */
sn_status sn_locked(sn_context *d, double t, const double *from, sn_state *scratch, sn_err *err);
/* Whether equations left out agree with the others in the accelerations of a run from the context's state. */
sn_status sn_accelerations_agree(sn_context *d, sn_err *err);

/* Where redundant equations have been left out and their reactions are to be shared: after the start. */
sn_status sn_redundant_multipliers_new(sn_context *d, sn_err *err);
void sn_redundant_multipliers_free(sn_redundant_multipliers *s);
/* *x becomes a copy with shared multipliers; it lives until the next call. Allocates nothing. The context's
 * time must be that of the state. */
sn_status sn_redundant_multipliers_state(sn_context *d, const sn_state **x, sn_err *err);

/* Elements near the limits of what they describe are told, one of each analysis; past them is an error.
   `first`: the state is as written: elements past their limits are told and no more judged. */
sn_status sn_context_limits(sn_context *d, const sn_state *x, int first, sn_err *err);

/* Hand the state to the frame callback. */
sn_status sn_context_frame(sn_context *d, const sn_state *x, sn_err *err);

#endif
