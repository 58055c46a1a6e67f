/* A planar (n = 2) or spatial (n = 3) point with one slope: the derivative r' of the place along a
   line by the length of the line in its natural state. Coordinates: the place, then r', of any length: where
   the line is stretched, |r'| is its stretch. Slots, n numbers each: at, displacement, velocity, slope,
   slope_change, slope_rate. The reference is (at, slope), the motion starts at (at + displacement, slope +
   slope_change). */
#ifndef SN_NODE_SLOPE_H
#define SN_NODE_SLOPE_H

#include "node/place.h"

#define SN_SLOPE_SLOTS(n)                                                                                    \
    {"slope",                                                                                                \
     "",                                                                                                     \
     "derivative of the position along the line: its direction",                                             \
     n,                                                                                                      \
     SN_ROTATES,                                                                                             \
     SN_REQUIRED,                                                                                            \
     -SN_INFINITE,                                                                                           \
     SN_INFINITE,                                                                                            \
     NULL},                                                                                                  \
        {"slope_change",                                                                                     \
         "",                                                                                                 \
         "change of the slope from the reference to the start",                                              \
         n,                                                                                                  \
         SN_ROTATES,                                                                                         \
         0,                                                                                                  \
         -SN_INFINITE,                                                                                       \
         SN_INFINITE,                                                                                        \
         NULL},                                                                                              \
    {                                                                                                        \
        "slope_rate", "1/s", "rate of the slope at the start", n, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE,  \
            NULL                                                                                             \
    }

static inline void sn_slope_start(const int n, const double *s, double *X, double *q, double *v)
{
    sn_place_start(n, s, X, q, v);
    sn_place_start(n, s + 3 * n, X + n, q + n, v + n);
}

static inline void sn_slope_dstart(const int n, int index, double *dX, double *dq, double *dv)
{
    sn_place_dstart(n, index, dX, dq, dv);
    sn_place_dstart(n, index - 3 * n, dX + n, dq + n, dv + n);
}

#endif
