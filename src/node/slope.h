/* A planar (n = 2) or spatial (n = 3) point with one slope: the derivative r' of the place along a
   line by the length of the line in its natural state. Coordinates: the place, then r', of any length: where
   the line is stretched, |r'| is its stretch. Slots, n numbers each: at, displacement, velocity, slope,
   slope_change, slope_rate. The reference is (at, t) with the unit vector t along `slope`, the motion starts
   at (at + displacement, t + slope_change). */
#ifndef SN_NODE_SLOPE_H
#define SN_NODE_SLOPE_H

#include "node/place.h"

#include <math.h>
#include <string.h>

#define SN_SLOPE_SLOTS(n)                                                                                     \
    {"slope",     "",  "direction of the line, of any length", n, SN_ROTATES, SN_REQUIRED, -SN_INFINITE,      \
     SN_INFINITE, NULL},                                                                                      \
        {"slope_change", "",  "of the slope from the reference to the start", n, SN_ROTATES, 0, -SN_INFINITE, \
         SN_INFINITE,    NULL},                                                                               \
    {                                                                                                         \
        "slope_rate", "1/s", "of the slope at the start", n, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL   \
    }

/* The unit vector along x, or x where it has no length, and its derivative by x[k] (k < 0: zeros) */
static inline void sn_slope_unit(int n, const double *x, int k, double *u, double *du)
{
    double size = 0;
    for (int i = 0; i < n; i++) size += x[i] * x[i];
    size = size > 0 ? sqrt(size) : 1;
    for (int i = 0; i < n; i++) u[i] = x[i] / size;
    for (int i = 0; i < n; i++) du[i] = k < 0 ? 0 : ((i == k) - u[i] * u[k]) / size;
}

static inline void sn_slope_start(const int n, const double *s, double *X, double *q, double *v)
{
    double own[9], none[3];
    sn_place_start(n, s, X, q, v);
    memcpy(own, s + 3 * n, 3 * (size_t)n * sizeof *own);
    sn_slope_unit(n, s + 3 * n, -1, own, none);
    sn_place_start(n, own, X + n, q + n, v + n);
}

static inline void sn_slope_dstart(const int n, const double *s, int index, double *dX, double *dq,
                                   double *dv)
{
    double u[3], du[3];
    const int k = index - 3 * n;
    sn_place_dstart(n, index, dX, dq, dv);
    sn_place_dstart(n, k, dX + n, dq + n, dv + n);
    if (k < 0 || k >= n) return;
    sn_slope_unit(n, s + 3 * n, k, u, du);
    for (int i = 0; i < n; i++) dX[n + i] = dq[n + i] = du[i];
}

#endif
