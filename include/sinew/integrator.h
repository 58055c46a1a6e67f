/* sinew/integrator.h: the table that makes a time integrator, what it sees, and what it may call.

   An integrator leads a state from t to t + h. It is one const table with functions, like the kinds of
   class.h; its schemes are the words that `run: {scheme: ...}` takes. The equations are

       r(q, v, a, lam, t) = 0,    phi(q, t) = 0  (equations at velocity level: psi(q, v, t) = 0)

   with nv rows of r and m of phi; sn_system_eval gives them and their matrix with a factor for each column.
   Coordinates of first order (sn_system_view.order) have v = dq/dt as their only rate: a is not used.
   Positions move by increments d of nv numbers, q1 = retract(q0, d) (rotations are not flat): the unknowns of
   a step are d and lam. Letters: docs/notation.md.

   Only name, doc, schemes, open, step and close must be there. What is missing is refused clearly to who asks
   for it: derivatives without step_forward and step_adjoint, steps by their error without `error`. */
#ifndef SINEW_INTEGRATOR_H
#define SINEW_INTEGRATOR_H

#include "sinew/class.h"
#include "sinew/sinew.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_work sn_work;     /* a model with its numbers at a time, and scratch; of one thread */
typedef struct sn_linsol sn_linsol; /* solver of linear systems with the pattern of the system matrix */
typedef struct sn_parameter_chain sn_parameter_chain; /* numbers that derivatives are asked for by */

/* ---- states ---- */

/* What moves. Arrays have room for the ground's bin: nq + 1, nv + 1, m + 1 numbers. */
typedef struct sn_state {
    double t, h; /* h: the step that led here, 0 at the start */
    double *q, *v, *a, *lam;
    int n_own;
    double
        *turned;  /* angles that sensors count on past pi: their values, which those after them are next to */
    double **own; /* vectors of nv + 1 numbers that belong to the integrator: its history of the motion */
} sn_state;

/* Derivatives of a state by parameters, or, transposed, what an objective feels of a state. Rows of a state
   in tangent coordinates, `columns` numbers each; nv + 1 rows (m + 1 of lam), the last one is the ground's.
 */
typedef struct sn_dstate {
    int columns, n_own;
    double *q, *v, *a, *lam;
    double **own; /* of the integrator's vectors */
} sn_dstate;

/* ---- the table ---- */

/* A scheme: a name, and numbers of its own. */
typedef struct sn_scheme {
    const char *name, *doc;
    const sn_slot *slots; /* settings, keys of `run`: one constant number each, with a default; or NULL */
    /* What the settings s make of the integrator's coefficients: for its own use, or NULL. */
    void (*coefficients)(const double *s, double *c);
} sn_scheme;

/* What an integrator is opened with; all but s outlives it. */
typedef struct sn_integration {
    sn_work *w;
    sn_linsol *ls;
    const sn_scheme *scheme;
    const double *s;         /* the settings, in the order of the scheme's slots */
    const sn_run_options *o; /* tolerance, max_iterations, full_newton, exact, timing concern it */
    sn_info *info;           /* it counts iterations, evaluations, factorisations; steps are counted for it */
} sn_integration;

/* Errors of one step in the measure of Newton's increments: lengths relative to the model's, angles as they
   are. `ahead` counts the change of the jerk over some steps to come, so that it does not vanish where the
   jerk passes through zero. smooth: the jerk was nearly that of the step before. */
typedef struct sn_local_error {
    double now, ahead;
    int smooth;
} sn_local_error;

typedef struct sn_integrator_class {
    const char *name, *doc;
    const sn_scheme *schemes; /* ends with a NULL name */
    int history;              /* vectors that states keep for it: sn_state.own */
    unsigned constraints;     /* what it knows besides multipliers: 1 << SN_CONSTRAINTS_PENALTY ... */
    int order;                /* the local error that `error` estimates is of the power order + 1 of h */
    sn_status (*open)(const sn_integration *in, void **self, sn_err *err);
    /* Fills x->own from the rest of a consistent state: a run begins there, at the work's time. Forward:
       d->own from the rest of d. NULL: they begin as zeros. */
    sn_status (*begin)(void *self, sn_state *x, sn_err *err);
    sn_status (*begin_forward)(void *self, const sn_state *x, sn_parameter_chain *c, sn_dstate *d,
                               sn_err *err);
    /* From x0 to x1 at x0->t + h; sets x1->t and x1->h, too. SN_ERR_NUMERIC: no convergence, x1 is undefined,
       a smaller step may do. Allocates nothing. */
    sn_status (*step)(void *self, const sn_state *x0, double h, sn_state *x1, sn_err *err);
    /* Local error of the step just made, estimated. NULL: there is no estimate, all steps are alike. */
    sn_local_error (*error)(void *self);
    /* Angle, rad, by which paths of points may turn in a step: beyond it energy can grow. NULL: any. */
    double (*turn)(void *self);
    /* The step just made is not taken: the next one begins where it began. NULL: there is nothing to take
       back. */
    void (*reject)(void *self);
    /* Forget the steps before: what follows depends on the state alone; sn_linsol_forget belongs to it. NULL:
       it has no other memory than the solver's. */
    void (*restart)(void *self);
    /* Derivatives, with options.exact. Forward: d1 of the state x1 that a step from x0 has just led to, from
       d0. Adjoint: b (of one column), what is felt of x1, becomes what is felt of x0, b <- (dx1/dx0)'b, and g
       (parameters) += (dx1/dp)'b; for any two states that a step has joined. The work's time becomes that of
       x1. NULL: it has none. */
    sn_status (*step_forward)(void *self, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                              const sn_dstate *d0, sn_dstate *d1, sn_err *err);
    sn_status (*step_adjoint)(void *self, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                              sn_dstate *b, double *g, sn_err *err);
    void (*close)(void *self);
} sn_integrator_class;

/* All integrators, ended by NULL; and the search by name. */
SN_API const sn_integrator_class *const *sn_integrator_all(void);
SN_API const sn_integrator_class *sn_integrator_find(const char *name);

/* ---- what an integrator may call: states ---- */

/* n_own: as many vectors as the integrator asks for; 0 where no step begins or ends here. */
SN_API sn_status sn_state_new(const sn_model *m, int n_own, sn_state **out, sn_err *err);
SN_API void sn_state_free(sn_state *x);
/* Of the integrator's vectors those that both have. */
SN_API void sn_state_copy(const sn_model *m, const sn_state *from, sn_state *to);

/* ---- the system ---- */

/* Sizes and places of a system; all of it stays where it is. */
typedef struct sn_system_view {
    const sn_model *model;
    int nq, nv, m, n;              /* n = nv + m unknowns: d, lam */
    int flat;                      /* retract is q + d */
    double length;                 /* size of the model */
    const unsigned char *order;    /* nv: 1 or 2 */
    const unsigned char *velocity; /* m: 1 where an equation is at velocity level */
    const double *scale;  /* n: r_i times it is a force, d_i over (length times it) is relative to the model's
                             size (angles as they are), phi_i times it is a length */
    const int *Ap, *Ai;   /* pattern of the matrix: columns compressed, rows ascending */
    const double *f, *Ax; /* residual r, phi (n) and matrix (Ap[n]), of the last evaluation */
    const double *force;  /* largest force (moments over the length) of any object then */
} sn_system_view;

SN_API sn_system_view sn_work_view(const sn_work *w);

/* Factors of the matrix's columns. */
typedef struct sn_coef {
    const double *k, *c, *a, *g; /* nv + 1 each */
    double row;
} sn_coef;

/* Numbers that vary at time t: before anything is evaluated there. */
SN_API void sn_system_time(sn_work *w, double t);
/* Whether all that varies is finite at the time t last set, with `rates` also the time derivatives that
   joints use; if not, an error names the number. */
SN_API sn_status sn_system_finite(const sn_work *w, double t, int rates, sn_err *err);
/* f = [r; phi] at the state; with coef also the matrix

       S = [ row (K T diag(k) + C diag(c) + M diag(a))   dr/dlam ]      position rows:  B T
           [ B T  (velocity rows: B T diag(k) + G diag(g))   0    ]

   K, C, M = dr/dq, dr/dv, dr/da, B = dphi/dq (velocity rows: dpsi/dq, G = dpsi/dv), T of
   sn_system_tangent_maps. (Unknowns d and row lam, equations row r and phi.) Numerical failures name the
   object. An equation that was left out because it follows from others has lam = 0 in its row. */
SN_API sn_status sn_system_eval(sn_work *w, const sn_state *x, const sn_coef *coef, sn_err *err);
/* After numbers that are not finite came out at the state: an error that names the object whose forces or
   equations are not finite there; SN_OK: there is none. */
SN_API sn_status sn_system_blame(sn_work *w, const sn_state *x, sn_err *err);
/* Velocities and accelerations that meet the equations: B v = -phi_t, B a = -gamma (equations at velocity
   level: psi = 0, G a = -gamma); m numbers each. */
SN_API sn_status sn_system_rate(sn_work *w, const sn_state *x, double *phi_t, double *gamma, sn_err *err);
/* T(d) of the nodes that are not flat, for matrices to come: how q1 = retract(q0, d) moves with d. With d = 0
   the identity. */
SN_API void sn_system_tangent_maps(sn_work *w, const double *d);
SN_API void sn_system_retract(const sn_model *m, const double *q, const double *d, double *q1);
/* Its inverse, the shortest. */
SN_API void sn_system_difference(const sn_model *m, const double *q, const double *q1, double *d);

/* ---- linear systems ---- */

/* Factors of a matrix with the system's pattern, which must stay as it is while they are used. A matrix that
   is singular but for rounding is SN_ERR_NUMERIC, *column (or NULL) the offending one. */
SN_API sn_status sn_linsol_factor(sn_linsol *ls, const double *Ax, int *column, sn_err *err);
/* b (n x nrhs, by columns) <- S^-1 b, or transposed. */
SN_API sn_status sn_linsol_solve(sn_linsol *ls, int transposed, int nrhs, double *b);
/* The next factors depend on the matrix alone, not on those before: for restart. */
SN_API void sn_linsol_forget(sn_linsol *ls);

/* ---- derivatives ---- */

/* Before the functions below: the time of the work, t. */
SN_API void sn_parameter_chain_time(sn_parameter_chain *c, const sn_work *w, double t);
/* f (n rows, a column for each parameter) += derivative of [row r; phi] at the state. */
SN_API sn_status sn_system_dparam(sn_work *w, const sn_state *x, const sn_parameter_chain *c, double row,
                                  double *f, sn_err *err);
/* g (parameters) += z' times the same, z of n numbers. */
SN_API sn_status sn_system_dparam_transposed(sn_work *w, const sn_state *x, const sn_parameter_chain *c,
                                             double row, const double *z, double *g, sn_err *err);

#ifdef __cplusplus
}
#endif
#endif
