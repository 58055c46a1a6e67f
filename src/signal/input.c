/* input: what a program gives while it simulates (sn_sim_input in sinew.h); until then, and in runs of the
   command, its start value. y = value + rate x + square x^2, x = t - since. Slots in this order. */
#include "sinew/class.h"

extern const sn_signal_class sn_signal_input;

enum { VALUE, RATE, SQUARE, SINCE };

static const sn_slot slots[] = {
    {"value", "", "value until a program sets another", 1, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"rate", "", "change per second, likewise", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"square", "", "coefficient of the square of time, likewise", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"since", "s", "time from which rate and square count", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static void eval(const sn_in *in, double *y)
{
    const double *c = in->s, x = in->t - c[SINCE];
    y[0] = c[VALUE] + x * (c[RATE] + x * c[SQUARE]);
    y[1] = c[RATE] + 2 * x * c[SQUARE];
    y[2] = 2 * c[SQUARE];
}

static void dparam(const sn_in *in, int index, double *dy)
{
    const double *c = in->s, x = in->t - c[SINCE];
    const double by[4][3] = {
        {1, 0, 0}, {x, 1, 0}, {x * x, 2 * x, 2}, {-c[RATE] - 2 * x * c[SQUARE], -2 * c[SQUARE], 0}};
    for (int k = 0; k < 3; k++) dy[k] = by[index][k];
}

const sn_signal_class sn_signal_input = {
    .name = "input",
    .doc = "set by a program during the simulation; until then, and in runs of the command, its start value",
    .args = {.what = SN_ARG_SLOT, .min = 1, .max = 1},
    .slots = slots,
    .eval = eval,
    .dparam = dparam,
    .given = 3,
};
