/* point2d: a point of the plane without rotation. Coordinates x, y; slots at (0, 1), displacement (2, 3),
   velocity (4, 5). The reference position is `at`, the motion starts at `at + displacement`. */
#include "sinew/class.h"

extern const sn_node_class sn_node_point2d;

static const sn_slot slots[] = {
    {"at", "m", "reference position", 2, SN_PLACED, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"displacement", "m", "from the reference position at the start", 2, SN_ROTATES, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    {"velocity", "m/s", "at the start", 2, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};
static const char *const coord[] = {"x", "y"}, *const unit[] = {"m", "m"};

static const sn_offer offers[] = {{SN_POSITION, 0, 0}, {0}};

static void start(const sn_node_in *in, double *X, double *q, double *v)
{
    const double *s = in->s;
    for (int k = 0; k < 2; k++) {
        X[k] = s[k];
        q[k] = s[k] + s[2 + k];
        v[k] = s[4 + k];
    }
}

static void dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    (void)in;
    for (int k = 0; k < 2; k++) {
        dX[k] = index == k;
        dq[k] = index == k || index == 2 + k;
        dv[k] = index == 4 + k;
    }
}

const sn_node_class sn_node_point2d = {
    .name = "point2d",
    .doc = "a point of the plane, without rotation",
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
