/* slope2d: a planar point with the slope of a line through it, see slope.h. */
#include "node/slope.h"

extern const sn_node_class sn_node_slope2d;

enum { N = 2 };
static const sn_slot slots[] = {
    SN_PLACE_SLOTS(N),
    SN_SLOPE_SLOTS(N),
    {.name = NULL},
};
static const char *const coord[] = {"x", "y", "rx", "ry"}, *const unit[] = {"m", "m", "1", "1"};

static const sn_offer offers[] = {{SN_DIRECTOR, 0, 0}, {SN_POSITION, 0, 0}, {0}};

static void start(const sn_node_in *in, double *X, double *q, double *v)
{
    sn_slope_start(N, in->s, X, q, v);
}

static void dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    sn_slope_dstart(N, in->s, index, dX, dq, dv);
}

const sn_node_class sn_node_slope2d = {
    .name = "slope2d",
    .doc = "a planar point with the slope of a line",
    .slots = slots,
    .nq = 2 * N,
    .nv = 2 * N,
    .dim = N,
    .offers = offers,
    .order = 2,
    .coord = coord,
    .unit = unit,
    .start = start,
    .dstart = dstart,
    .frame_joint = "attach",
};
