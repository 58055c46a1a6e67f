/* planar: body 2 slides in a plane of body 1 and turns about its normal only. */
#include "joint/space.h"

static const sn_slot slots[] = {SN_SPACE_AT, SN_SPACE_AXIS("normal", "of the plane"), {.name = NULL}};

static const sn_space list = {
    .n = 3,
    .eq = {{SN_WITHIN, 2, 0, "normal", "m"},
           {SN_SQUARE, 0, 2, "tilt1", "rad"},
           {SN_SQUARE, 1, 2, "tilt2", "rad"}},
    .at = 0,
    .axis = 3,
    .axis2 = -1,
};

SN_SPACE_KIND(planar, list, "keeps a face of one body on a plane of another", SN_FRAME, 0, "joint");
