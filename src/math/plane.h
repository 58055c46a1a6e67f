/* Planar vectors: rotation by an angle, quarter turn, scalar product. The derivative of R(th) s by th
   is the quarter turn of R(th) s, the second derivative is its negative. */
#ifndef SN_MATH_PLANE_H
#define SN_MATH_PLANE_H

#include <math.h>

/* p = R(th) s */
static inline void sn_rot2(double th, const double *s, double *p)
{
    double c = cos(th), n = sin(th), x = s[0], y = s[1];
    p[0] = c * x - n * y;
    p[1] = n * x + c * y;
}

/* n = p turned by +90 degrees */
static inline void sn_perp2(const double *p, double *n)
{
    double x = p[0];
    n[0] = -p[1];
    n[1] = x;
}

static inline double sn_dot2(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }

/* u = w / |w|, or 0; returns |w| */
static inline double sn_unit2(const double *w, double *u)
{
    double l = hypot(w[0], w[1]), x = w[0], y = w[1];
    u[0] = l > 0 ? x / l : 0;
    u[1] = l > 0 ? y / l : 0;
    return l;
}

/* du = d(w/|w|)/dw[k] for the unit vector u and the length l */
static inline void sn_dunit2(const double *u, double l, int k, double *du)
{
    du[0] = ((k == 0) - u[0] * u[k]) / l;
    du[1] = ((k == 1) - u[1] * u[k]) / l;
}

#endif
