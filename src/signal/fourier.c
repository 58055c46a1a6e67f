/* fourier: y = offset + sum_k cosine_k cos(k w t) + sine_k sin(k w t), k = 1, 2, ..., w = 2 pi frequency.

   Slots: frequency (0), cosine (1 .. n), sine (n + 1 .. n + m), offset (n + m + 1). Either list may be empty
   or shorter than the other. The count n of cosines is the number of constants, the only thing a layout can
   hand on; the constants themselves hold nothing. */
#include "sinew/class.h"

#include <math.h>

extern const sn_signal_class sn_signal_fourier;

static const double two_pi = 6.283185307179586476925;

static const sn_slot slots[] = {
    {"frequency", "Hz", "of the first harmonic", 1, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"cosine", "", "coefficients of harmonics 1, 2, ...", 0, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"sine", "", "coefficients of harmonics 1, 2, ...", 0, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"offset", "", "mean value", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    if (l->slot_n[1] + l->slot_n[2] == 0)
        return sn_fail(err, SN_ERR_INPUT, NULL, "needs coefficients: 'cosine', 'sine' or both");
    l->nc = l->slot_n[1];
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    (void)err;
    for (int i = 0; i < in->nc; i++) c[i] = 0;
    return SN_OK;
}

static void eval(const sn_in *in, double *y)
{
    int n = in->nc, m = in->ns - 2 - n;
    double w = two_pi * in->s[0];
    y[0] = in->s[in->ns - 1];
    y[1] = y[2] = 0;
    for (int k = 1; k <= n || k <= m; k++) {
        double a = k <= n ? in->s[k] : 0, b = k <= m ? in->s[n + k] : 0, kw = k * w;
        double c = cos(kw * in->t), s = sin(kw * in->t);
        y[0] += a * c + b * s;
        y[1] += kw * (b * c - a * s);
        y[2] -= kw * kw * (a * c + b * s);
    }
}

static void dparam(const sn_in *in, int index, double *dy)
{
    int n = in->nc, m = in->ns - 2 - n;
    double w = two_pi * in->s[0], t = in->t;
    dy[0] = dy[1] = dy[2] = 0;
    if (index == 0) {
        /* each harmonic f = a cos + b sin and its turned g = b cos - a sin, through the angle and the factors
         * k w */
        for (int k = 1; k <= n || k <= m; k++) {
            double a = k <= n ? in->s[k] : 0, b = k <= m ? in->s[n + k] : 0, kw = k * w, dk = k * two_pi;
            double f = a * cos(kw * t) + b * sin(kw * t), g = b * cos(kw * t) - a * sin(kw * t);
            dy[0] += dk * t * g;
            dy[1] += dk * (g - kw * t * f);
            dy[2] -= dk * kw * (2 * f + kw * t * g);
        }
    } else if (index <= n) {
        double kw = index * w;
        dy[0] = cos(kw * t);
        dy[1] = -kw * sin(kw * t);
        dy[2] = -kw * kw * cos(kw * t);
    } else if (index <= n + m) {
        double kw = (index - n) * w;
        dy[0] = sin(kw * t);
        dy[1] = kw * cos(kw * t);
        dy[2] = -kw * kw * sin(kw * t);
    } else if (index == in->ns - 1) {
        dy[0] = 1;
    }
}

const sn_signal_class sn_signal_fourier = {
    .name = "fourier",
    .doc =
        "Fourier series: offset + sum of cosine[k]*cos(2*pi*k*frequency*t) + sine[k]*sin(2*pi*k*frequency*t)",
    .args = {.what = SN_ARG_SLOT, .min = 1, .max = 1},
    .slots = slots,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
};
