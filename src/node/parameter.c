/* parameter: one coordinate s of second order that is not in space and has no inertia: where on a line
   something is. A joint that knows lines gives it its equation. The motion starts near s = `at` with the rate
   `velocity`; its reference value means nothing and is 0. */
#include "sinew/class.h"

extern const sn_node_class sn_node_parameter;

static const sn_slot slots[] = {
    {"at", "m", "value at the start", 1, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"velocity", "m/s", "rate at the start", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};
static const char *const coord[] = {"s"}, *const unit[] = {"m"};

static const sn_offer offers[] = {{SN_SCALARS, 0, 0}, {0}};

static void start(const sn_node_in *in, double *X, double *q, double *v)
{
    X[0] = 0, q[0] = in->s[0], v[0] = in->s[1];
}

static void dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    (void)in;
    dX[0] = 0, dq[0] = index == 0, dv[0] = index == 1;
}

const sn_node_class sn_node_parameter = {
    .name = "parameter",
    .doc = "a second-order coordinate s without inertia: a position along a line",
    .slots = slots,
    .nq = 1,
    .nv = 1,
    .dim = 0,
    .offers = offers,
    .order = 2,
    .coord = coord,
    .unit = unit,
    .start = start,
    .dstart = dstart,
};
