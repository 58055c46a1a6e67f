/* frame2d: a planar point with a rotation. Coordinates x, y, theta; theta is measured from the
   reference configuration, is a plain real number and is never wrapped. Slots at (0, 1), displacement (2, 3),
   velocity (4, 5), angle (6), spin (7). The reference configuration is (at, 0), the motion starts at (at +
   displacement, angle). */
#include "node/place.h"

#include <math.h>

extern const sn_node_class sn_node_frame2d;

static const sn_slot slots[] = {
    SN_PLACE_SLOTS(2),
    {"angle", "rad", "rotation from the reference configuration at the start", 1, 0, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    {"spin", "rad/s", "angular velocity at the start", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};
static const char *const coord[] = {"x", "y", "theta"}, *const unit[] = {"m", "m", "rad"};

static const sn_offer offers[] = {{SN_FRAME, 0, 0}, {SN_POSITION, 0, 0}, {0}};

static void start(const sn_node_in *in, double *X, double *q, double *v)
{
    const double *s = in->s;
    sn_place_start(2, s, X, q, v);
    X[2] = 0;
    q[2] = s[6];
    v[2] = s[7];
}

static void dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    (void)in;
    sn_place_dstart(2, index, dX, dq, dv);
    dX[2] = 0;
    dq[2] = index == 6;
    dv[2] = index == 7;
}

static void turned(const double *q0, const double *q1, double *Q)
{
    double t = q1[2] - q0[2], x = t * t, c, s;
    if (x < 0.01) {
        /* series to rounding: small turns are the rule, and this is the price of riding */
        c = 1 - x * (1.0 / 2 - x * (1.0 / 24 - x * (1.0 / 720 - x * (1.0 / 40320 - x * (1.0 / 3628800)))));
        s = t * (1 - x * (1.0 / 6 - x * (1.0 / 120 - x * (1.0 / 5040 - x * (1.0 / 362880)))));
    } else {
        c = cos(t);
        s = sin(t);
    }
    Q[0] = Q[3] = c;
    Q[1] = -s;
    Q[2] = s;
}

const sn_node_class sn_node_frame2d = {
    .name = "frame2d",
    .doc = "a planar point with a rotation",
    .slots = slots,
    .nq = 3,
    .nv = 3,
    .dim = 2,
    .offers = offers,
    .order = 2,
    .coord = coord,
    .unit = unit,
    .start = start,
    .dstart = dstart,
    .turned = turned,
};
