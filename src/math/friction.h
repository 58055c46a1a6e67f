/* Dry friction made smooth: the fraction of the kinetic friction force at sliding speed v,
   f(v) = (1 + (ratio - 1) exp(-(v/vs)^2)) S(v/v0), S(x) = tanh x or x/sqrt(1 + x^2).

   ratio is static over kinetic friction, vs the speed at which the static part has faded (Stribeck), v0 the
   width of the smoothed jump. It never sticks: under a force below the limit it creeps with a speed below v0;
   with ratio > 1 let vs be several times v0, or the peak stays below ratio. */
#ifndef SN_MATH_FRICTION_H
#define SN_MATH_FRICTION_H

#include <math.h>

/* The fraction and its derivatives */
typedef struct sn_friction {
    double f, v, v0, vs, ratio;
} sn_friction;

static inline void sn_friction_at(int root, double v, double v0, double vs, double ratio, sn_friction *y)
{
    double x = v / v0, n = root ? 1 / sqrt(1 + x * x) : 0, S = root ? x * n : tanh(x);
    double dS = (root ? n * n * n : 1 - S * S) / v0, z = v / vs, E = exp(-z * z);
    double A = 1 + (ratio - 1) * E, dA = -(ratio - 1) * E * 2 * z / vs;
    y->f = A * S;
    y->v = dA * S + A * dS;
    y->v0 = -A * dS * x;
    y->vs = -dA * z * S;
    y->ratio = E * S;
}

#endif
