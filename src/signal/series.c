/* series: y = offset + sum_i sine_i sin(2 pi frequency_i s) + cosine_i cos(2 pi cosine_frequency_i s),
   s = t - origin; without cosine_frequency both of a pair have one frequency.

   Slots, with m pairs: frequency (0 .. m - 1), sine (m ..), cosine (2 m ..), cosine_frequency (3 m .., m or
   none), offset, origin. m is the number of constants, the only thing a layout can hand on; the constants
   themselves hold nothing. */
#include "sinew/class.h"

#include <math.h>

extern const sn_signal_class sn_signal_series;

static const double two_pi = 6.283185307179586476925;

static const sn_slot slots[] = {
    {"frequency", "Hz", "of the sines, and of the cosines where these have none of their own", 0, 0,
     SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"sine", "", "amplitudes of the sines", 0, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"cosine", "", "amplitudes of the cosines", 0, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"cosine_frequency", "Hz", "of the cosines", 0, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"offset", "", "constant part", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"origin", "s", "time from which phases count", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    int m = l->slot_n[0];
    if (m < 1 || l->slot_n[1] != m || l->slot_n[2] != m || (l->slot_n[3] != m && l->slot_n[3] != 0))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "needs as many frequencies as sines and cosines (and frequencies of cosines, or none "
                       "of these), at least 1, not %d, %d and %d (and %d)",
                       m, l->slot_n[1], l->slot_n[2], l->slot_n[3]);
    l->nc = m;
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    (void)err;
    for (int i = 0; i < in->nc; i++) c[i] = 0;
    return SN_OK;
}

/* Where the angular frequency of the i-th sine (which 0) or cosine (1) comes from. */
static int frequency_of(const sn_in *in, int i, int which)
{
    int separate = in->ns - 2 > 3 * in->nc;
    return which && separate ? 3 * in->nc + i : i;
}

/* a sin(w s + turn) with its first two derivatives by time, added; turn a quarter: cosine. */
static void add(double a, double w, double s, int cosine, double *y)
{
    double sn = sin(w * s), cs = cos(w * s), f = cosine ? cs : sn, g = cosine ? -sn : cs;
    y[0] += a * f, y[1] += a * w * g, y[2] -= a * w * w * f;
}

static void eval(const sn_in *in, double *y)
{
    int m = in->nc;
    double s = in->t - in->s[in->ns - 1];
    y[0] = in->s[in->ns - 2];
    y[1] = y[2] = 0;
    for (int k = 0; k < 2 * m; k++)
        add(in->s[m + k], two_pi * in->s[frequency_of(in, k % m, k >= m)], s, k >= m, y);
}

/* By the frequency of a term (f its value without the amplitude, g its rate over w): dw = 2 pi. */
static void by_frequency(double a, double w, double s, int cosine, double *dy)
{
    double sn = sin(w * s), cs = cos(w * s), f = cosine ? cs : sn, g = cosine ? -sn : cs;
    dy[0] += a * two_pi * s * g;
    dy[1] += a * two_pi * (g - w * s * f);
    dy[2] -= a * two_pi * w * (2 * f + w * s * g);
}

static void dparam(const sn_in *in, int index, double *dy)
{
    int m = in->nc;
    double s = in->t - in->s[in->ns - 1];
    dy[0] = dy[1] = dy[2] = 0;
    if (index == in->ns - 2) {
        dy[0] = 1;
    } else if (index == in->ns - 1) { /* y at s: -y', -y'', -y''' */
        for (int k = 0; k < 2 * m; k++) {
            double w = two_pi * in->s[frequency_of(in, k % m, k >= m)], y[3] = {0};
            add(in->s[m + k], w, s, k >= m, y);
            dy[0] -= y[1], dy[1] -= y[2], dy[2] += w * w * y[1];
        }
    } else if (index >= m && index < 3 * m) {
        add(1, two_pi * in->s[frequency_of(in, (index - m) % m, index >= 2 * m)], s, index >= 2 * m, dy);
    } else {
        for (int k = 0; k < 2 * m; k++)
            if (frequency_of(in, k % m, k >= m) == index)
                by_frequency(in->s[m + k], two_pi * in->s[index], s, k >= m, dy);
    }
}

const sn_signal_class sn_signal_series = {
    .name = "series",
    .doc =
        "offset + sum of sine[i]*sin(2*pi*frequency[i]*(t - origin)) + cosine[i]*cos(...), any frequencies",
    .args = {.what = SN_ARG_SLOT, .min = 1, .max = 1},
    .slots = slots,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
};
