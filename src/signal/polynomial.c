/* polynomial: y = c_0 + c_1 x + c_2 x^2 + ..., x = t - start. Slots: coefficients (0 .. n - 1), start (n). */
#include "sinew/class.h"

extern const sn_signal_class sn_signal_polynomial;

static const sn_slot slots[] = {
    {"coefficients", "", "of 1, t, t^2, ... in units of seconds", 0, 0, SN_REQUIRED, -SN_INFINITE,
     SN_INFINITE, NULL},
    {"start", "s", "time from which t is counted", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    if (l->slot_n[0] < 1) return sn_fail(err, SN_ERR_INPUT, NULL, "needs at least one coefficient");
    return SN_OK;
}

/* p[0..3]: value and three derivatives at x, by Horner's rule */
static void horner(int n, const double *c, double x, double *p)
{
    p[0] = p[1] = p[2] = p[3] = 0;
    for (int k = n - 1; k >= 0; k--) {
        p[3] = p[3] * x + 3 * p[2];
        p[2] = p[2] * x + 2 * p[1];
        p[1] = p[1] * x + p[0];
        p[0] = p[0] * x + c[k];
    }
}

static void eval(const sn_in *in, double *y)
{
    int n = in->ns - 1;
    double p[4];
    horner(n, in->s, in->t - in->s[n], p);
    for (int k = 0; k < 3; k++) y[k] = p[k];
}

static void dparam(const sn_in *in, int index, double *dy)
{
    int n = in->ns - 1;
    double x = in->t - in->s[n], p[4];
    if (index == n) {
        horner(n, in->s, x, p);
        for (int k = 0; k < 3; k++) dy[k] = -p[k + 1];
        return;
    }
    /* x^index and its two derivatives */
    dy[0] = 1;
    dy[1] = dy[2] = 0;
    for (int k = 0; k < index; k++) {
        dy[2] = dy[2] * x + 2 * dy[1];
        dy[1] = dy[1] * x + dy[0];
        dy[0] *= x;
    }
}

const sn_signal_class sn_signal_polynomial = {
    .name = "polynomial",
    .doc = "polynomial in time",
    .args = {.what = SN_ARG_SLOT, .min = 1, .max = 1},
    .slots = slots,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
};
