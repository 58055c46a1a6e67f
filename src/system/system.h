/* The system: gathers, assembles and scatters; no physics here. Everything above calls the model through
   these.

   f = [r; phi] over the unknowns z = (d, lam), and the matrix of the fixed pattern

       S = [ row (K T diag(k) + C diag(c) + M diag(a))   dr/dlam ]      position rows:  B T
           [ B T  (velocity rows: B T diag(k) + G diag(g))   0    ]

   with column factors k, c, a, g: one assembly serves the step, the start, statics and modes. */
#ifndef SN_SYSTEM_SYSTEM_H
#define SN_SYSTEM_SYSTEM_H

#include "model/values.h"

/* What moves. Arrays have room for the ground's bin: nq + 1, nv + 1, m + 1 numbers. */
typedef struct sn_state {
    double t, h; /* h: the step that led here, 0 at the start */
    double *q, *v, *a, *lam;
    int n_own;
    double **own; /* vectors of nv + 1 numbers that belong to the integrator: its history of the motion */
    double *u;    /* inputs from outside: reserved */
} sn_state;

/* n_own: as many as the integrator asks for; 0 where no step begins or ends here. */
sn_status sn_state_new(const sn_model *m, int n_own, sn_state **out, sn_err *err);
void sn_state_free(sn_state *x);
/* Of the integrator's vectors those that both have. */
void sn_state_copy(const sn_model *m, const sn_state *from, sn_state *to);
/* All but t and h in one row of sn_state_size numbers, and back. */
size_t sn_state_size(const sn_model *m, int n_own);
void sn_state_pack(const sn_model *m, const sn_state *x, double *row);
void sn_state_unpack(const sn_model *m, const double *row, sn_state *x);
/* y between x0 and x1 (same step): cubic Hermite for q, its slope for v, linear a and lam; s in [0, 1]. */
void sn_state_between(const sn_model *m, const sn_state *x0, const sn_state *x1, double s, sn_state *y);

/* Whether a load along an element is given in that element's axes. */
static inline int sn_load_turns(const sn_load *load, const int *opt)
{
    return load->option > 0 && opt[load->option - 1];
}

typedef struct sn_coef {
    const double *k, *c, *a, *g; /* nv + 1 each */
    double row;
} sn_coef;

typedef struct sn_object_blocks sn_object_blocks;

typedef struct sn_work {
    const sn_model *m;
    const sn_values *p;
    double *x, *xd, *xdd; /* quantities at time t, their time derivatives */
    sn_in *element, *joint, *sensor;
    unsigned *joint_flags; /* of the kinds, less those that do not count for the object */
    double *q, *v, *a, *r; /* of one object */
    double *K, *C, *M, *B, *G, *L, *phi, *y;
    double *f;       /* n + 1: residual r, phi, bin */
    double *Ax;      /* nnz + 1 */
    double *Cx, *Mx; /* where not NULL also filled: dr/dv (velocity rows: G) and dr/da without factors, nnz +
                        1 each */
    sn_object_blocks *blocks; /* its blocks object by object, see object_blocks.h */
    double *T, *E;            /* tangent maps of nodes that are not flat, nv x nv each, or NULL */
    int *T_at;                /* place in T of each node, -1: identity */
    unsigned char *dropped;   /* m: equations left out */
    int n_dropped;
    double dropped_gap; /* largest |phi|, times its scale, of an equation left out, at the last evaluation */
    int dropped_gap_eq;
    int measure;   /* sn_system_eval shall measure `force` */
    double force;  /* largest force (moments over the model's length) of any object when last measured */
    double *scale; /* n: 1 for lengths, forces; the model's length for angles and 1/length for moments: see
                      sn_work_new */
    const sn_object *failed; /* object that reported a numerical failure */
} sn_work;

sn_status sn_work_new(const sn_model *m, const sn_values *p, sn_work **out, sn_err *err);
void sn_work_free(sn_work *w);
/* Only for single objects: the quantities at a time, an object's numbers; no inputs, nothing of the system.
 */
sn_status sn_work_small(const sn_model *m, const sn_values *p, sn_work **out, sn_err *err);
/* What an object's functions see: q, v, a are w->q, w->v, w->a. */
void sn_work_input(const sn_work *w, const sn_object *o, sn_in *in);

/* Slots and field at time t. */
void sn_system_time(sn_work *w, double t);
/* Whether all that varies is finite at the time t last set, with `rates` also the time derivatives that
   joints use; if not, an error names the number. */
sn_status sn_system_finite(const sn_work *w, double t, int rates, sn_err *err);
/* The first element from number `from` on that is near its limit or past it, and which; -1: none. */
int sn_system_limit(sn_work *w, const sn_state *x, int from, sn_limit *l);
/* Residual of one element (family 0) or joint (1), in w->r and, of joints, w->phi. */
sn_status sn_system_one(sn_work *w, const sn_state *x, int family, int e, sn_err *err);
/* After numbers that are not finite came out at the state: an error that names the object whose forces or
   equations are not finite there; SN_OK: there is none. */
sn_status sn_system_blame(sn_work *w, const sn_state *x, sn_err *err);
/* Value and time derivatives of the variables of a varying expression. */
void sn_system_jets(const sn_work *w, const sn_expr *e, double t, sn_jet *x);
/* w->f at the state; with coef also w->Ax. Numerical failures name the object. */
sn_status sn_system_eval(sn_work *w, const sn_state *x, const sn_coef *coef, sn_err *err);
/* Accelerations' and velocities' right-hand sides of the constraints: phi_t and gamma (m each). */
sn_status sn_system_rate(sn_work *w, const sn_state *x, double *phi_t, double *gamma, sn_err *err);
/* dr/dt at fixed state through varying slots (nv + 1), exact. */
sn_status sn_system_time_derivative(sn_work *w, const sn_state *x, double *rt, sn_err *err);
/* All channels. */
sn_status sn_system_sensors(sn_work *w, const sn_state *x, double *y, sn_err *err);
void sn_system_energy(sn_work *w, const sn_state *x, int entry,
                      double *e); /* entry -1: everything; kinetic, potential */
/* y: force and moment in the rows of a joint's node `end` (the force is global there, in space the moment in
   body axes), turned into the axes a reaction sensor asks for; q: of the joint. */
void sn_turn_reaction(const sn_object *o, int end, const double *q, int axes, double *y);
/* Tangent maps T(d), E(d) of the nodes that are not flat. */
void sn_system_tangent_maps(sn_work *w, const double *d);
void sn_system_retract(const sn_model *m, const double *q, const double *d, double *q1);

#endif
