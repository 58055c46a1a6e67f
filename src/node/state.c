/* state: one first-order coordinate z that is not in space (a relaxation strain, a pressure, a filter). The
   motion starts at z = `at`; its reference value means nothing and is 0. */
#include "sinew/class.h"

extern const sn_node_class sn_node_state;

static const sn_slot slots[] = {
    {"at", "", "value at the start", 1, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};
static const char *const coord[] = {"z"}, *const unit[] = {"1"};

static const sn_offer offers[] = {{SN_SCALARS, 0, 0}, {0}};

static void start(const sn_node_in *in, double *X, double *q, double *v)
{
    const double *s = in->s;
    X[0] = 0;
    q[0] = s[0];
    v[0] = 0;
}

static void dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    (void)in;
    dX[0] = 0;
    dq[0] = index == 0;
    dv[0] = 0;
}

const sn_node_class sn_node_state = {
    .name = "state",
    .doc = "a first-order coordinate z without a position",
    .slots = slots,
    .nq = 1,
    .nv = 1,
    .dim = 0,
    .offers = offers,
    .order = 1,
    .coord = coord,
    .unit = unit,
    .start = start,
    .dstart = dstart,
};
