/* point_on_plane: a point of body 2 (a frame, or a point that sits there) stays on a plane of body 1. */
#include "joint/space.h"

static const sn_slot slots[] = {SN_SPACE_AT, SN_SPACE_AXIS("normal", "of the plane"), {.name = NULL}};

static const sn_space list = {
    .n = 1,
    .eq = {{SN_WITHIN, 2, 0, "normal", "m"}},
    .at = 0,
    .axis = 3,
    .axis2 = -1,
};

SN_SPACE_KIND(point_on_plane, list, "keeps a point of a node on a plane of a spatial frame",
              SN_POSITION | SN_FRAME, SN_FRAME, "joint");
