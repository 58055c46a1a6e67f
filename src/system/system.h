/* The system: gathers, assembles and scatters; no physics here. Everything above calls the model through
   these, and through the functions of sinew/integrator.h, which are public. One assembly, with factors for
   the matrix's columns, serves the step, the start, statics and modes. */
#ifndef SN_SYSTEM_SYSTEM_H
#define SN_SYSTEM_SYSTEM_H

#include "base/team.h"
#include "model/values.h"
#include "sinew/integrator.h"

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

typedef struct sn_object_blocks sn_object_blocks;
typedef struct sn_together sn_together;

struct sn_work {
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
    sn_together *together;   /* elements are evaluated by several threads; or NULL */
};

sn_status sn_work_new(const sn_model *m, const sn_values *p, sn_work **out, sn_err *err);
void sn_work_free(sn_work *w);
/* From now on elements are evaluated by all threads of the team, which must live as long: the same results to
   the last bit. */
sn_status sn_work_share(sn_work *w, sn_team *team, sn_err *err);
/* n zeros. In a file of its own: where a compiler knows that n is small it puts string instructions there,
   which are slow to start. */
void sn_clear(double *x, int n);
/* As it was when it was new, after the numbers of its values have changed. */
void sn_work_renew(sn_work *w);
/* Only for single objects: the quantities at a time, an object's numbers; no inputs, nothing of the system.
 */
sn_status sn_work_small(const sn_model *m, const sn_values *p, sn_work **out, sn_err *err);
/* What an object's functions see: q, v, a are w->q, w->v, w->a. */
void sn_work_input(const sn_work *w, const sn_object *o, sn_in *in);
/* The object's own part of q, v, a into w->q, w->v, w->a. */
static inline void sn_work_gather(sn_work *w, const sn_object *o, const double *q, const double *v,
                                  const double *a)
{
    for (int i = 0; i < o->nq; i++) w->q[i] = q[o->qi[i]];
    for (int i = 0; i < o->nv; i++) w->v[i] = v[o->vi[i]], w->a[i] = a[o->vi[i]];
}

/* The first element from number `from` on that is near its limit or past it, and which; -1: none. */
int sn_system_limit(sn_work *w, const sn_state *x, int from, sn_limit *l);
/* Residual of one element (family 0) or joint (1), in w->r and, of joints, w->phi. */
sn_status sn_system_one(sn_work *w, const sn_state *x, int family, int e, sn_err *err);
/* Resultant of an element's forces: forces, moments about the origin (6 numbers, in the plane 3); size: the
   sums of their parts' sizes. */
sn_status sn_system_resultant(sn_work *w, const sn_state *x, int e, double *F, double *size, sn_err *err);
/* sn_system_eval of the joints alone: as if there were no elements. */
sn_status sn_system_equations(sn_work *w, const sn_state *x, const sn_coef *coef, sn_err *err);
/* Largest |phi|, times its scale, of all equations at position level, also those left out, at the work's
 * time. */
double sn_system_violation(sn_work *w, const sn_state *x);
/* Value and time derivatives of the variables of a varying expression. */
void sn_system_jets(const sn_work *w, const sn_expr *e, double t, sn_jet *x);
/* dr/dt at fixed state through varying slots (nv + 1), exact. */
sn_status sn_system_time_derivative(sn_work *w, const sn_state *x, double *rt, sn_err *err);
/* All channels. */
sn_status sn_system_sensors(sn_work *w, const sn_state *x, double *y, sn_err *err);
/* Angles of sensors that are counted on past pi: those of x1 from those of x0. */
void sn_system_turn_on(sn_work *w, const sn_state *x0, sn_state *x1);
/* Kinetic and potential energy, and momenta (3 numbers, in space 6) of an entry; -1: of everything. */
void sn_system_energy(sn_work *w, const sn_state *x, int entry, double *e);
void sn_system_momentum(sn_work *w, const sn_state *x, int entry, double *y);

/* What changes energy and momenta at a state, see balance.c. */
typedef struct sn_balance {
    const sn_object *feeder; /* that does work beside the energies, the most of all; or NULL */
    double fed;              /* W, its power */
    unsigned pushed;         /* components of the momenta that forces from outside change */
    /* who does no work, or does not push, now but might at other times (a stop that is open); or NULL */
    const sn_object *idle_power, *idle_push;
    double energy[2], momentum[6];
} sn_balance;
sn_status sn_system_balance(sn_work *w, const sn_state *x, sn_balance *b, sn_err *err);

/* The moment about the origin of the momenta p of an object's block is a sum of parts A p, p from v on: of
   the place, of its vectors, of its rotation (turn: in space p are in body axes, A = R). */
typedef struct sn_moment {
    int v, rows, cols, turn;
    double A[9];
} sn_moment;
/* Parts of block k count from 0; 0: there is no such part. q: of the object. */
int sn_moment_part(const sn_object *o, int k, int part, const double *q, sn_moment *y);
/* Axes of a reaction: the choices of the sensor's option. */
enum { SN_AXES_NODE, SN_AXES_GLOBAL, SN_AXES_BODY };
/* y: force and moment in the rows of a joint's node `end` (the force is global there, in space the moment in
   body axes), turned into the axes a reaction sensor asks for; q: of the joint. */
void sn_turn_reaction(const sn_object *o, int end, const double *q, int axes, double *y);
#endif
