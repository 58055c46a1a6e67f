/* point3d: a spatial point without rotation. Coordinates x, y, z; slots at (0..2), displacement (3..5),
   velocity (6..8). The reference position is `at`, the motion starts at `at + displacement`. */
#include "node/place.h"

extern const sn_node_class sn_node_point3d;

static const sn_slot slots[] = {
    SN_PLACE_SLOTS(3),
    {.name = NULL},
};
static const char *const coord[] = {"x", "y", "z"}, *const unit[] = {"m", "m", "m"};

static const sn_offer offers[] = {{SN_POSITION, 0, 0}, {0}};

static void start(const sn_node_in *in, double *X, double *q, double *v)
{
    sn_place_start(3, in->s, X, q, v);
}

static void dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    (void)in;
    sn_place_dstart(3, index, dX, dq, dv);
}

const sn_node_class sn_node_point3d = {
    .name = "point3d",
    .doc = "a spatial point, without rotation",
    .slots = slots,
    .nq = 3,
    .nv = 3,
    .dim = 3,
    .offers = offers,
    .order = 2,
    .coord = coord,
    .unit = unit,
    .start = start,
    .dstart = dstart,
};
