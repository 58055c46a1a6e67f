/* A force of an object between two states, whose work is the gain of a potential and which keeps momenta.

   Gonzalez's discrete gradient with Betsch's and Steinmann's care for momenta, for any object: f is the mean
   of its forces at both ends, conjugate to the increment d, and V what the potential gains;

       w = d - Z y,    P*f = f - G Z u,    y = A^-1 Z'G d,    u = A^-1 Z'f,    A = Z'G Z
       result = P*f + k G w,    k = (V - P*f.d)/(w.G w + least^2)

   Z are the rigid motions of the object half-way, G a metric, so that Z'result = 0: no resultant, no moment.
   The result is linear in (f, V). */
#ifndef SN_INTEGRATOR_DISCRETE_GRADIENT_H
#define SN_INTEGRATOR_DISCRETE_GRADIENT_H

enum { SN_RIGID = 6 };

typedef struct sn_discrete {
    int n, k;            /* coordinates, rigid motions */
    const double *G, *d; /* n; G is 0 where the object has no part in a coordinate */
    const double *Z;     /* n x k */
    double least;        /* a length below which w is nothing */
    double A[SN_RIGID * SN_RIGID], L[SN_RIGID * SN_RIGID]; /* A = L L' */
    double y[SN_RIGID], u[SN_RIGID], s; /* u, P (n): of the last force; s = w.G w + least^2 */
    double kappa;                       /* of the last force */
    double *w, *P;                      /* n, of the caller's */
} sn_discrete;

/* After n, k, G, d, Z, least, w and P are set. */
void sn_discrete_begin(sn_discrete *z);
/* Both may be the same array. */
void sn_discrete_force(sn_discrete *z, const double *f, double V, double *result);

/* A direction in which what it was made of changes; Z only in the rows from .. to - 1. */
typedef struct sn_discrete_change {
    const double *f, *d, *Z; /* d, Z: NULL: they do not change */
    int from, to;
    double V;
} sn_discrete_change;
/* The derivative of the last force along it; `result` (n) is another array. scratch: n. */
void sn_discrete_derivative(const sn_discrete *z, const sn_discrete_change *c, double *scratch,
                            double *result);

#endif
