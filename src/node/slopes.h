/* A spatial point with three vectors: the place, then derivatives of the place by material coordinates.
   Slots, three numbers each: at, displacement, velocity, then of each vector its reference value, its change
   from the reference to the start, and its rate at the start. */
#ifndef SN_NODE_SLOPES_H
#define SN_NODE_SLOPES_H

#include "node/place.h"

#define SN_VECTOR_SLOTS(name, unit, rate, doc, formula)                                                      \
    {name, unit, doc, 3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, formula},                                 \
        {name "_change", unit, "its change from the reference to the start", 3, SN_ROTATES, 0, -SN_INFINITE, \
         SN_INFINITE,    NULL},                                                                              \
    {                                                                                                        \
        name "_rate", rate, "its rate at the start", 3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL       \
    }

enum { SN_SLOPES_N = 12 };

static inline void sn_slopes_start(const sn_node_in *in, double *X, double *q, double *v)
{
    for (int k = 0; k < 4; k++) sn_place_start(3, in->s + 9 * k, X + 3 * k, q + 3 * k, v + 3 * k);
}

static inline void sn_slopes_dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    (void)in;
    for (int k = 0; k < 4; k++) sn_place_dstart(3, index - 9 * k, dX + 3 * k, dq + 3 * k, dv + 3 * k);
}

#endif
