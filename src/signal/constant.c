/* constant: y = value. */
#include "sinew/class.h"

extern const sn_signal_class sn_signal_constant;

static const sn_slot slots[] = {
    {"value", "", "at all times", 1, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static void eval(const sn_in *in, double *y)
{
    y[0] = in->s[0];
    y[1] = y[2] = 0;
}

static void dparam(const sn_in *in, int index, double *dy)
{
    (void)in;
    dy[0] = index == 0;
    dy[1] = dy[2] = 0;
}

const sn_signal_class sn_signal_constant = {
    .name = "constant",
    .doc = "the same value at all times",
    .args = {.what = SN_ARG_SLOT, .min = 1, .max = 1},
    .slots = slots,
    .eval = eval,
    .dparam = dparam,
};
