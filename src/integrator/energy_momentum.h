/* Inside of the energy-momentum integrator: the step (energy_momentum.c), what one object contributes to it
   (energy_momentum_object.c), what objects are (energy_momentum_probe.c) and derivatives
   (energy_momentum_d.c, of one object by its numbers energy_momentum_number.c). */
#ifndef SN_INTEGRATOR_ENERGY_MOMENTUM_H
#define SN_INTEGRATOR_ENERGY_MOMENTUM_H

#include "integrator/discrete_gradient.h"
#include "integrator/integrator.h"
#include "math/cayley.h"
#include "system/parameter_chain.h"

/* What an element or joint is to the scheme. */
typedef struct sn_em_object {
    size_t mass;    /* of an element with inertia: where its matrix lies; else SN_EM_NO_MASS */
    size_t touched; /* where its flags begin, one for each coordinate: forces are not always zero there */
    unsigned modes; /* bit i: rigid motion i (x, y, z, turns; in the plane x, y, turn) leaves its energy */
    double size;    /* of its nodes in the reference configuration, a power of two: of its metric */
    unsigned char elastic;  /* has forces with a potential, apart from its weight */
    unsigned char measured; /* forces are taken half-way, those with a potential left out: dampers, loads */
} sn_em_object;
#define SN_EM_NO_MASS ((size_t)-1)

/* A rotation of an object between two states: at v, of n coordinates (3, in the plane 1), q at q; of each end
   and half-way. In the plane T0[0], T1[0] and P[0] are numbers. */
typedef struct sn_em_turn {
    int v, q, n;
    double H[9], T0[9], T1[9], E[9], P[9];
} sn_em_turn;

typedef struct sn_em {
    sn_work *w;
    sn_linsol *ls;
    const sn_run_options *o;
    sn_info *info;
    double beta; /* share of the forces' change that dissipates; 0: none */
    double h;
    sn_em_object *element, *joint;
    unsigned char *touched;
    double *mass;
    int joints_seen; /* their rigid motions have been found at the state of a step */
    /* of the step: n + 1 */
    double *d, *b, *size, *lam0;
    /* of one object, max_v numbers or their square */
    double *q0, *q1, *qm, *dl, *v0, *zero, *f0, *f1, *fm, *gain, *r, *x, *y, *z, *G, *Z, *dZ, *w_, *P;
    double *K0, *K1, *Km, *B0, *B1, *phi0, *phi1, *phi, *lam;
    double *Kd, *Kq, *Kv, *Kl; /* out: by the increment, by q0, by v0 (nv x nv); of joints by lam: nv x m */
    sn_em_turn *turn;
    int n_turn;
    int *part, *part_node; /* of each coordinate: which part of which node (sn_moment_part); -1 */
    sn_discrete gradient;
    double *A0, *V0;      /* exact: the matrix by q0 and by v0, in the pattern of the system */
    double *maps;         /* exact: 18 numbers a node: T1, E */
    double *rhs, *column; /* exact: scratch of the derivatives */
    int columns;
} sn_em;

/* What objects are; refused by name where the scheme does not know what to do with them. */
sn_status sn_em_probe(sn_em *s, sn_err *err);
/* Rigid motions of joints, at a state that meets their equations; once. */
sn_status sn_em_probe_joints(sn_em *s, const sn_state *x, sn_err *err);

/* Rotations, q half-way and parts of an object between x0 and x1 by s->d. */
void sn_em_between(sn_em *s, const sn_object *o, const sn_state *x0, const sn_state *x1);
/* s->Z (nv x SN_RIGID) at q */
void sn_em_rigid(sn_em *s, const sn_object *o, const double *q, double *Z);
/* q moved by an increment with Cayley's map, one object's or all nodes' */
void sn_em_retract(const sn_em *s, const double *q0, const double *d, double *q1);

/* What element e adds: s->r; with level 1 s->Kd, with level 2 Kq and Kv too. 0: cannot be evaluated. */
int sn_em_element(sn_em *s, int e, const sn_state *x0, const sn_state *x1, int level);
/* The same of a joint with x1->lam, s->phi at the end and, with level 1, s->Kl and s->B1 (m x nv, by the
   increment), with level 2 s->B0 (by q0). */
int sn_em_joint(sn_em *s, int j, const sn_state *x0, const sn_state *x1, int level);

/* For the forces of an object between the two states that sn_em_between was given: s->gradient, which lies in
   s->x, G, Z, w_ and P; and s->fm, the mean of the forces s->f0 and s->f1 of both ends, which with beta lies
   nearer to the end: the work of that share, which is lost, is returned. */
void sn_em_begin_gradient(sn_em *s, const sn_object *o, const sn_em_object *what);
double sn_em_mean(sn_em *s, int n, double beta);

/* s->r, of a joint s->phi at the end too: derivatives by a number, after both of the first above. */
sn_status sn_em_element_by(sn_em *s, const sn_moved_number *t, sn_err *err);
sn_status sn_em_joint_by(sn_em *s, const sn_moved_number *t, const sn_state *x1, sn_err *err);

sn_status sn_em_assemble(sn_em *s, const sn_state *x0, const sn_state *x1, int level, sn_err *err);

sn_status sn_em_forward(void *self, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                        const sn_dstate *d0, sn_dstate *d1, sn_err *err);
sn_status sn_em_adjoint(void *self, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                        sn_dstate *b, double *g, sn_err *err);

#endif
