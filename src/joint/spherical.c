/* spherical: a point of body 2 stays on a point of body 1, p2 - p1 = 0 along the global axes. Frames or
   points; a point must sit at the joint. The multipliers are the force that the joint puts on body 1. */
#include "joint/space.h"

static const sn_slot slots[] = {SN_SPACE_AT, {.name = NULL}};

static const sn_space list = {
    .n = 3,
    .eq = {{SN_ALONG, 0, 0, "x", "m"}, {SN_ALONG, 1, 0, "y", "m"}, {SN_ALONG, 2, 0, "z", "m"}},
    .at = 0,
    .axis = -1,
    .axis2 = -1,
};

SN_SPACE_KIND(spherical, list, "ball joint between two spatial nodes", SN_POSITION | SN_FRAME, 0, "ball");
