/* slopes3d: a spatial point with three slopes, derivatives of the place by the lengths of the natural state
   along a beam (x) and across it (y, z): 12 coordinates, constant inertia, no rotations. Slots: slopes.h. A
   cable may be attached along the first slope. */
#include "node/slopes.h"

extern const sn_node_class sn_node_slopes3d;

static const sn_slot slots[] = {
    SN_PLACE_SLOTS(3),
    SN_VECTOR_SLOTS("slope_x", "", "1/s", "derivative of the position along the first axis (global x)",
                    "1;0;0"),
    SN_VECTOR_SLOTS("slope_y", "", "1/s", "derivative of the position along the second axis (global y)",
                    "0;1;0"),
    SN_VECTOR_SLOTS("slope_z", "", "1/s", "derivative of the position along the third axis (global z)",
                    "0;0;1"),
    {.name = NULL},
};
static const char *const coord[] = {"x",   "y",   "z",   "rxx", "rxy", "rxz",
                                    "ryx", "ryy", "ryz", "rzx", "rzy", "rzz"},
                         *const unit[] = {"m", "m", "m", "1", "1", "1", "1", "1", "1", "1", "1", "1"};

static const sn_offer offers[] = {{SN_SLOPES, 0, 0}, {SN_DIRECTOR, 0, 0}, {SN_POSITION, 0, 0}, {0}};

const sn_node_class sn_node_slopes3d = {
    .name = "slopes3d",
    .doc = "a spatial point with three slopes, along and across a beam",
    .slots = slots,
    .nq = SN_SLOPES_N,
    .nv = SN_SLOPES_N,
    .dim = 3,
    .offers = offers,
    .order = 2,
    .coord = coord,
    .unit = unit,
    .start = sn_slopes_start,
    .dstart = sn_slopes_dstart,
    .frame_joint = "attach",
};
