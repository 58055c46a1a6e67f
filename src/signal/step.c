/* step: a smooth step, y = base + height s(x), x = (t - start) / (end - start) kept in [0, 1],
   s = 10 x^3 - 15 x^4 + 6 x^5: value, rate and second rate are continuous. Slots: height (0), start (1), end
   (2), base (3). Before the start the value is base, after the end base + height. */
#include "sinew/class.h"

extern const sn_signal_class sn_signal_step;

static const sn_slot slots[] = {
    {"height", "", "of the step", 1, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"start", "s", "time at which it begins", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"end", "s", "time at which it is complete", 1, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"base", "", "value before the step", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    (void)c;
    if (!(in->s[2] > in->s[1]))
        return sn_fail(err, SN_ERR_INPUT, NULL, "'end' (%g s) must be later than 'start' (%g s)", in->s[2],
                       in->s[1]);
    return SN_OK;
}

/* p[0..3]: s and its derivatives by x; returns x */
static double shape(const sn_in *in, double *p)
{
    double x = (in->t - in->s[1]) / (in->s[2] - in->s[1]);
    p[0] = x < 0.5 ? 0 : 1;
    p[1] = p[2] = p[3] = 0;
    if (x <= 0 || x >= 1) return x;
    p[0] = x * x * x * (10 + x * (6 * x - 15));
    p[1] = 30 * x * x * (1 - x) * (1 - x);
    p[2] = 60 * x * (1 - x) * (1 - 2 * x);
    p[3] = 60 * (1 - 6 * x * (1 - x));
    return x;
}

static void eval(const sn_in *in, double *y)
{
    double p[4], T = in->s[2] - in->s[1];
    shape(in, p);
    y[0] = in->s[3] + in->s[0] * p[0];
    y[1] = in->s[0] * p[1] / T;
    y[2] = in->s[0] * p[2] / (T * T);
}

static void dparam(const sn_in *in, int index, double *dy)
{
    double p[4], T = in->s[2] - in->s[1], h = in->s[0], x = shape(in, p);
    dy[0] = dy[1] = dy[2] = 0;
    if (index == 0) {
        dy[0] = p[0];
        dy[1] = p[1] / T;
        dy[2] = p[2] / (T * T);
    } else if (index == 1 || index == 2) {
        /* dx and dT by start: (x - 1)/T and -1; by end: -x/T and 1 */
        double dT = index == 1 ? -1 : 1, dx = (index == 1 ? x - 1 : -x) / T;
        dy[0] = h * p[1] * dx;
        dy[1] = h * (p[2] * dx - p[1] * dT / T) / T;
        dy[2] = h * (p[3] * dx - 2 * p[2] * dT / T) / (T * T);
    } else if (index == 3) {
        dy[0] = 1;
    }
}

const sn_signal_class sn_signal_step = {
    .name = "step",
    .doc = "smooth step from base to base + height between two times",
    .args = {.what = SN_ARG_SLOT, .min = 1, .max = 1},
    .slots = slots,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
};
