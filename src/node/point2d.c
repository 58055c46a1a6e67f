/* point2d: a planar point without rotation. Coordinates x, y; slots at (0, 1), displacement (2, 3),
   velocity (4, 5). The reference position is `at`, the motion starts at `at + displacement`. */
#include "node/place.h"

extern const sn_node_class sn_node_point2d;

static const sn_slot slots[] = {
    SN_PLACE_SLOTS(2),
    {.name = NULL},
};
static const char *const coord[] = {"x", "y"}, *const unit[] = {"m", "m"};

static const sn_offer offers[] = {{SN_POSITION, 0, 0}, {0}};

static void start(const sn_node_in *in, double *X, double *q, double *v)
{
    sn_place_start(2, in->s, X, q, v);
}

static void dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    (void)in;
    sn_place_dstart(2, index, dX, dq, dv);
}

const sn_node_class sn_node_point2d = {
    .name = "point2d",
    .doc = "a planar point, without rotation",
    .slots = slots,
    .nq = 2,
    .nv = 2,
    .dim = 2,
    .offers = offers,
    .order = 2,
    .coord = coord,
    .unit = unit,
    .start = start,
    .dstart = dstart,
};
