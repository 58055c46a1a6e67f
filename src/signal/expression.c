/* expression: y = value(t), a formula of time and parameters. The slot brings its own time derivatives, and
   by the chain rule over all three (value, rate, second rate) its derivatives by parameters: dparam is the
   part by the value. */
#include "sinew/class.h"

extern const sn_signal_class sn_signal_expression;

static const sn_slot slots[] = {
    {"value", "", "an expression of t", 1, SN_VARIES, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static void eval(const sn_in *in, double *y)
{
    y[0] = in->s[0];
    y[1] = in->sd[0];
    y[2] = in->sdd[0];
}

static void dparam(const sn_in *in, int index, double *dy)
{
    (void)in;
    dy[0] = index == 0;
    dy[1] = dy[2] = 0;
}

const sn_signal_class sn_signal_expression = {
    .name = "expression",
    .doc = "a formula of the time t",
    .args = {.what = SN_ARG_SLOT, .min = 1, .max = 1},
    .slots = slots,
    .eval = eval,
    .dparam = dparam,
};
