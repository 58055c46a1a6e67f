/* point_on_line: a point of body 2 (a frame, or a point that sits there) stays on a line of body 1. */
#include "joint/space.h"

static const sn_slot slots[] = {SN_SPACE_AT, SN_SPACE_AXIS("axis", "direction of the line"), {.name = NULL}};

static const sn_space list = {
    .n = 2,
    .eq = {{SN_WITHIN, 0, 0, "normal1", "m"}, {SN_WITHIN, 1, 0, "normal2", "m"}},
    .at = 0,
    .axis = 3,
    .axis2 = -1,
};

SN_SPACE_KIND(point_on_line, list, "keeps a point of a node on a line of a spatial frame",
              SN_POSITION | SN_FRAME, SN_FRAME, "joint");
