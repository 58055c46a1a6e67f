/* cylindrical: body 2 slides along an axis of body 1 and turns about it. */
#include "joint/space.h"

static const sn_slot slots[] = {SN_SPACE_AT, SN_SPACE_AXIS("axis", "of sliding and turning"), {.name = NULL}};

static const sn_space list = {
    .n = 4,
    .eq = {{SN_WITHIN, 0, 0, "normal1", "m"},
           {SN_WITHIN, 1, 0, "normal2", "m"},
           {SN_SQUARE, 0, 2, "tilt1", "rad"},
           {SN_SQUARE, 1, 2, "tilt2", "rad"}},
    .at = 0,
    .axis = 3,
    .axis2 = -1,
};

SN_SPACE_KIND(cylindrical, list, "slider that may also rotate about its axis", SN_FRAME, 0, "slider");
