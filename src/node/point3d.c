/* point3d: a point of space without rotation. Coordinates x, y, z; slots at (0..2), displacement (3..5),
   velocity (6..8). The reference position is `at`, the motion starts at `at + displacement`. */
#include "sinew/class.h"

extern const sn_node_class sn_node_point3d;

static const sn_slot slots[] = {
    {"at", "m", "reference position", 3, SN_PLACED, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"displacement", "m", "from the reference position at the start", 3, SN_ROTATES, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    {"velocity", "m/s", "at the start", 3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};
static const char *const coord[] = {"x", "y", "z"}, *const unit[] = {"m", "m", "m"};

static const sn_offer offers[] = {{SN_POSITION, 0, 0}, {0}};

static void start(const sn_node_in *in, double *X, double *q, double *v)
{
    const double *s = in->s;
    for (int k = 0; k < 3; k++) {
        X[k] = s[k];
        q[k] = s[k] + s[3 + k];
        v[k] = s[6 + k];
    }
}

static void dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    (void)in;
    for (int k = 0; k < 3; k++) {
        dX[k] = index == k;
        dq[k] = index == k || index == 3 + k;
        dv[k] = index == 6 + k;
    }
}

const sn_node_class sn_node_point3d = {
    .name = "point3d",
    .doc = "a point of space, without rotation",
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
