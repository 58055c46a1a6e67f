/* sine: y = offset + amplitude sin(2 pi frequency t + phase). Slots in the order of the table. */
#include "sinew/class.h"

#include <math.h>

extern const sn_signal_class sn_signal_sine;

static const double two_pi = 6.283185307179586476925;

static const sn_slot slots[] = {
    {"amplitude", "", "half of the range", 1, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"frequency", "Hz", "periods per second", 1, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"phase", "rad", "angle at t = 0", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"offset", "", "mean value", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static void eval(const sn_in *in, double *y)
{
    double A = in->s[0], w = two_pi * in->s[1], x = w * in->t + in->s[2];
    y[0] = in->s[3] + A * sin(x);
    y[1] = A * w * cos(x);
    y[2] = -A * w * w * sin(x);
}

static void dparam(const sn_in *in, int index, double *dy)
{
    double A = in->s[0], w = two_pi * in->s[1], x = w * in->t + in->s[2], s = sin(x), c = cos(x);
    dy[0] = dy[1] = dy[2] = 0;
    if (index == 0) {
        dy[0] = s;
        dy[1] = w * c;
        dy[2] = -w * w * s;
    } else if (index == 1 || index == 2) {
        /* through the angle x, and for the frequency also through the factor w */
        double dx = index == 1 ? two_pi * in->t : 1, dw = index == 1 ? two_pi : 0;
        dy[0] = A * c * dx;
        dy[1] = A * (c * dw - w * s * dx);
        dy[2] = -A * w * (2 * s * dw + w * c * dx);
    } else if (index == 3) {
        dy[0] = 1;
    }
}

const sn_signal_class sn_signal_sine = {
    .name = "sine",
    .doc = "offset + amplitude*sin(2*pi*frequency*t + phase)",
    .args = {.what = SN_ARG_SLOT, .min = 1, .max = 1},
    .slots = slots,
    .eval = eval,
    .dparam = dparam,
};
