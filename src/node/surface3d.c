/* surface3d: a spatial point on a surface r(x, y) with both slopes and the mixed derivative r_xy, by lengths
   x, y of the natural state: 12 coordinates, of which bicubic surfaces are made. Slots: slopes.h. */
#include "node/slopes.h"

extern const sn_node_class sn_node_surface3d;

static const sn_slot slots[] = {
    SN_PLACE_SLOTS(3),
    SN_VECTOR_SLOTS("slope_x", "", "1/s",
                    "derivative of the position with respect to the first coordinate (global x)", "1;0;0"),
    SN_VECTOR_SLOTS("slope_y", "", "1/s",
                    "derivative of the position with respect to the second coordinate (global y)", "0;1;0"),
    SN_VECTOR_SLOTS("twist", "1/m", "1/m/s", "mixed second derivative of the position", NULL),
    {.name = NULL},
};
static const char *const coord[] = {"x",   "y",   "z",   "rxx",  "rxy",  "rxz",
                                    "ryx", "ryy", "ryz", "rxyx", "rxyy", "rxyz"},
                         *const unit[] = {"m", "m", "m", "1", "1", "1", "1", "1", "1", "1/m", "1/m", "1/m"};

static const sn_offer offers[] = {{SN_SURFACE, 0, 0}, {SN_POSITION, 0, 0}, {0}};

const sn_node_class sn_node_surface3d = {
    .name = "surface3d",
    .doc = "a spatial point on a surface, with both slopes and the mixed derivative",
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
