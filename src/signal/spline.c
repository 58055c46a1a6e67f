/* spline: a history by equally spaced values: y = sum_j values_j B(u - j), u = m (t - begin)/(end - begin).

   linear: B is the hat, m = n - 1 intervals, and values are those of the history at the knots. cubic: B is
   the uniform cubic B-spline (de Boor, A Practical Guide to Splines, IX), m = n - 3 intervals; four values
   matter at a time, and the history is twice continuously differentiable. Outside the end value is held with
   rate 0.

   Slots: values (0 .. n - 1), begin (n), end (n + 1). With k = m/(end - begin): y' = k F'(u), y'' = k^2
   F''(u); by begin du = k ((t - begin)/(end - begin) - 1), dk = k/(end - begin), by end du = -k (t -
   begin)/(end - begin), dk = -k/(end - begin). */
#include "sinew/class.h"

#include <math.h>

extern const sn_signal_class sn_signal_spline;

enum { LINEAR = 0, CUBIC = 1 };

static const sn_slot slots[] = {
    {"values", "", "coefficients; of a linear one the values at equally spaced knots", 0, 0, SN_REQUIRED,
     -SN_INFINITE, SN_INFINITE, NULL},
    {"begin", "s", "time of the first knot", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"end", "s", "time of the last knot", 1, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};
static const sn_option options[] = {
    {"degree", "linear|cubic", "straight lines between values, or cubic B-splines", 0},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    int least = l->opt[0] == CUBIC ? 4 : 2;
    if (l->slot_n[0] < least)
        return sn_fail(err, SN_ERR_INPUT, NULL, "needs at least %d values, not %d", least, l->slot_n[0]);
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    const double *ends = in->s + in->ns - 2;
    (void)c;
    if (!(ends[1] > ends[0]))
        return sn_fail(err, SN_ERR_INPUT, NULL, "its end, %g s, must be after its begin, %g s", ends[1],
                       ends[0]);
    return SN_OK;
}

/* Where a time lies: the first value that matters, the place x in its interval, whether it is outside. */
typedef struct place {
    int j, outside;
    double x, k;
} place;

static place locate(const sn_in *in)
{
    int n = in->ns - 2, m = in->opt[0] == CUBIC ? n - 3 : n - 1;
    const double *ends = in->s + n;
    double length = ends[1] - ends[0], u = m * ((in->t - ends[0]) / length);
    place p = {.outside = u < 0 || u > m, .k = m / length};
    u = fmin(fmax(u, 0), m);
    p.j = (int)fmin(floor(u), m - 1);
    p.x = u - p.j;
    return p;
}

/* Weights of the values from j on, and of the derivatives of F by u up to the third: rows of b. How many. */
static int basis(const sn_in *in, double x, double b[4][4])
{
    double y = 1 - x;
    if (in->opt[0] == LINEAR) {
        const double w[4][2] = {{y, x}, {-1, 1}, {0, 0}, {0, 0}};
        for (int d = 0; d < 4; d++) b[d][0] = w[d][0], b[d][1] = w[d][1];
        return 2;
    }
    const double w[4][4] = {{y * y * y / 6, (4 - 6 * x * x + 3 * x * x * x) / 6,
                             (4 - 6 * y * y + 3 * y * y * y) / 6, x * x * x / 6},
                            {-y * y / 2, (3 * x * x - 4 * x) / 2, (4 * y - 3 * y * y) / 2, x * x / 2},
                            {y, 3 * x - 2, 3 * y - 2, x},
                            {-1, 3, -3, 1}};
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < 4; i++) b[d][i] = w[d][i];
    return 4;
}

static void eval(const sn_in *in, double *y)
{
    double b[4][4], factor = 1;
    place p = locate(in);
    int n = basis(in, p.x, b);
    for (int d = 0; d < 3; d++, factor *= p.outside ? 0 : p.k) {
        y[d] = 0;
        for (int i = 0; i < n; i++) y[d] += factor * b[d][i] * in->s[p.j + i];
    }
}

static void dparam(const sn_in *in, int index, double *dy)
{
    double b[4][4], F[4] = {0};
    place p = locate(in);
    int n = basis(in, p.x, b), i = index - p.j, by = index - (in->ns - 2);
    dy[0] = dy[1] = dy[2] = 0;
    if (by < 0) {
        if (i < 0 || i >= n) return;
        dy[0] = b[0][i];
        if (!p.outside) dy[1] = p.k * b[1][i], dy[2] = p.k * p.k * b[2][i];
        return;
    }
    if (p.outside) return;
    const double *ends = in->s + in->ns - 2;
    double length = ends[1] - ends[0], s = (in->t - ends[0]) / length;
    double du = by == 0 ? p.k * (s - 1) : -p.k * s, dk = (by == 0 ? 1 : -1) * p.k / length;
    for (int d = 0; d < 4; d++)
        for (int c = 0; c < n; c++) F[d] += b[d][c] * in->s[p.j + c];
    dy[0] = F[1] * du;
    dy[1] = F[2] * du * p.k + F[1] * dk;
    dy[2] = F[3] * du * p.k * p.k + 2 * F[2] * p.k * dk;
}

static int support(const sn_in *in, int *slot)
{
    place p = locate(in);
    int n = in->opt[0] == CUBIC ? 4 : 2, count = 0;
    for (int i = 0; i < n; i++) slot[count++] = p.j + i;
    if (!p.outside) slot[count++] = in->ns - 2, slot[count++] = in->ns - 1;
    return count;
}

const sn_signal_class sn_signal_spline = {
    .name = "spline",
    .doc = "equally spaced values, joined by straight lines or smoothed by cubic B-splines",
    .args = {.what = SN_ARG_SLOT, .min = 1, .max = 1},
    .slots = slots,
    .options = options,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
    .support = support,
};
