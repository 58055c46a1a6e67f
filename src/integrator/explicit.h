/* What explicit schemes share: accelerations, and coordinate partitioning.

   Accelerations and multipliers are those of the equations differentiated twice,

       [ M B'; B 0 ] [a; lam] = -[ r(q, v, 0, 0); gamma ]        (velocity level: G in place of B)

   and coordinates of first order have v from their own rows. Steps move all coordinates; then the dependent
   ones alone are moved until the equations are met,

       q1 = retract(q0, d),  d_independent as it is,  phi(q1) = 0;     B v + phi_t = 0,  psi = 0

   Which are dependent a QR decomposition of B with column pivoting decides (Wehage, Haug 1982); anew when
   the smallest singular value of the dependent columns falls below half of what a new choice gives. */
#ifndef SN_INTEGRATOR_EXPLICIT_H
#define SN_INTEGRATOR_EXPLICIT_H

#include "integrator/integrator.h"
#include "system/system.h"

/* What a coordinate is, in a vector of the state that the scheme keeps for this: dependent, dependent by
   equations at velocity level only, or (SN_INDEPENDENT and more) independent. The number itself says from
   which change of the dependent coordinates with the independent ones on another choice is compared. */
enum { SN_DEPENDENT = 0, SN_DEPENDENT_RATE = 1 };
#define SN_INDEPENDENT 1.7320508075688772 /* a choice twice as good is not possible below it */

typedef struct sn_explicit {
    sn_work *w;
    sn_linsol *ls, *fit; /* of accelerations, and (own) of the dependent coordinates */
    const sn_run_options *o;
    sn_info *info;
    const char *scheme;
    int constant;                   /* the mass matrix is: */
    double *Mx;                     /* its numbers, in the pattern of the system */
    int factored;                   /* without equations the factors of it are at hand */
    double *zero, *one, *cc, *ca;   /* nv + 1: factors of columns */
    double *b, *z;                  /* n + 1 */
    double *phi_t, *gamma, *size;   /* m + 1, m + 1, nv + 1: increments are judged times size */
    int n_turn, *turn;              /* rotations in space: first of three coordinates in v */
    int n_velocity;                 /* equations at velocity level */
    double omega, decay;            /* 1/s: of the fastest vibration and decay at the start; 0: not known */
    double *B, *tau, *work, *dense; /* scratch of a choice */
    int *pivot, n_work;
    sn_state *stage;         /* of Runge-Kutta steps */
    double *k[3], *l[4], *d; /* their velocities and accelerations */
    long choices;            /* made since it was opened, but for the first */
} sn_explicit;

/* What no explicit scheme can do is refused by name. */
sn_status sn_explicit_open(const sn_integration *in, sn_explicit *s, sn_err *err);
void sn_explicit_close(sn_explicit *s);
/* A run begins: what has no mass is refused, steps too long for the scheme are told; limit: the largest
   product of frequency and step for which it is stable. */
sn_status sn_explicit_begin(sn_explicit *s, const sn_state *x, double limit, sn_err *err);
void sn_explicit_restart(sn_explicit *s);

/* The work's time becomes t, and all numbers are finite there. */
sn_status sn_explicit_time(sn_explicit *s, double t, sn_err *err);
/* x->a, x->lam (and v of first order) of q and v, at the work's time. */
sn_status sn_explicit_rates(sn_explicit *s, sn_state *x, sn_err *err);
/* set: which coordinates are independent at x. The first choice, or another if that is twice as good. */
sn_status sn_explicit_choose(sn_explicit *s, const sn_state *x, int first, double *set, sn_err *err);
/* q1 from q0 by d, the dependent part of which is changed until the equations are met, at the work's time. */
sn_status sn_explicit_fit(sn_explicit *s, const double *set, const sn_state *x0, double *d, sn_state *x1,
                          sn_err *err);
/* The same of the velocities of x1. */
sn_status sn_explicit_fit_rates(sn_explicit *s, const double *set, sn_state *x1, sn_err *err);

/* d += f (x cross y) of the rotations in space: their increment is not the integral of the velocity (Magnus).
 */
void sn_explicit_add_bracket(const sn_explicit *s, double f, const double *x, const double *y, double *d);
/* A step of Runge and Kutta's method of order 4; rotations after Munthe-Kaas. set as above. */
sn_status sn_explicit_runge_kutta(sn_explicit *s, const sn_state *x0, double h, const double *set,
                                  sn_state *x1, sn_local_error *e, sn_err *err);
/* Largest number, times size, of nv. */
double sn_explicit_norm(const sn_explicit *s, const double *x);

/* explicit_choice.c: memory of sn_explicit_choose; the mass matrix, if it is constant; the fastest motions.
 */
int sn_explicit_choice_open(sn_explicit *s);
sn_status sn_explicit_find_mass(sn_explicit *s, sn_err *err);
sn_status sn_explicit_find_frequency(sn_explicit *s, const sn_state *x, sn_err *err);
/* f, Ax: the matrix of the equations at x with the identity for what is independent (level 0: of q; 1: of v),
   factored by s->fit. */
sn_status sn_explicit_factor_fit(sn_explicit *s, const double *set, const sn_state *x, int level,
                                 sn_err *err);
/* What became of a step of size h: where it failed and was too long, the error (behind `before`) says so. */
sn_status sn_explicit_failed(const sn_explicit *s, sn_status status, int before, double h, double limit,
                             sn_err *err);
/* What the step could be, for messages; "" where it is not known. */
const char *sn_explicit_stable_step(const sn_explicit *s, double limit, char *text, size_t size);

#endif
