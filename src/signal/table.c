/* table: interpolates points (t_i, y_i), i = 0 .. n - 1, t increasing; linear, or by the natural cubic
   spline.

   In interval j, with h = t_{j+1} - t_j, A = (t_{j+1} - t)/h, B = 1 - A and moments m_i (second derivatives
   at the points), y = A y_j + B y_{j+1} + h^2/6 ((A^3 - A) m_j + (B^3 - B) m_{j+1}). The moments solve F_i =
   h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} - 6 (dy_i/h_i - dy_{i-1}/h_{i-1}) = 0 for the inner
   points, m_0 = m_{n-1} = 0; a linear table is the same with all m = 0.

   Derivatives: dm = -S^-1 dF, where dF by y_i or t_i has at most three rows. Elements of the inverse of the
   tridiagonal S come from its pivots from above (d) and from below (e): (S^-1)_kk = 1/(d_k + e_k - S_kk), and
   away from the diagonal x_j = -(h_j/d_j) x_{j+1} upwards, x_j = -(h_{j-1}/e_j) x_{j-1} downwards (Meurant
   1992, SIAM J. Matrix Anal. 13). So dparam needs no memory and at most O(n) work.

   Outside the table the end value is held with rate 0, or a linear table is repeated with the period t_{n-1}
   - t_0. Slots: t (0 .. n - 1), y (n .. 2n - 1). Constants of a cubic table: m, d, e, n each. */
#include "sinew/class.h"

#include <math.h>

extern const sn_signal_class sn_signal_table;

enum { CUBIC = 1, PERIODIC = 1 };

static const sn_slot slots[] = {
    {"t", "s", "times, increasing", 0, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"y", "", "values, one for each time", 0, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};
static const sn_option options[] = {
    {"interpolation", "linear|cubic", "straight lines, or the natural cubic spline", 0},
    {"outside", "hold|periodic", "before the first and after the last time", 0},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    int n = l->slot_n[0];
    if (n != l->slot_n[1]) return sn_fail(err, SN_ERR_INPUT, NULL, "%d times but %d values", n, l->slot_n[1]);
    if (n < 2) return sn_fail(err, SN_ERR_INPUT, NULL, "needs at least two points, not %d", n);
    if (l->opt[0] == CUBIC && l->opt[1] == PERIODIC)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "a periodic table must be linear; for a smooth periodic signal use 'fourier'");
    l->nc = l->opt[0] == CUBIC ? 3 * n : 0;
    return SN_OK;
}

/* Moments of the natural spline by elimination, and the pivots from both ends. */
static void spline(int n, const double *t, const double *y, double *m, double *d, double *e)
{
    m[0] = m[n - 1] = 0;
    d[0] = d[n - 1] = e[0] = e[n - 1] = 1;
    for (int i = 1; i < n - 1; i++) {
        double h = t[i] - t[i - 1], h1 = t[i + 1] - t[i], f = i > 1 ? h / d[i - 1] : 0;
        d[i] = 2 * (h + h1) - f * h;
        m[i] = 6 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h) - f * m[i - 1];
    }
    for (int i = n - 2; i > 0; i--) {
        double h = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
        e[i] = 2 * (h + h1) - (i < n - 2 ? h1 * h1 / e[i + 1] : 0);
        m[i] = (m[i] - h1 * m[i + 1]) / d[i];
    }
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    int n = in->ns / 2;
    const double *t = in->s;
    for (int i = 1; i < n; i++)
        if (!(t[i] > t[i - 1]))
            return sn_fail(err, SN_ERR_INPUT, NULL, "times must increase: number %d is %g s, after %g s",
                           i + 1, t[i], t[i - 1]);
    if (in->opt[0] == CUBIC) spline(n, t, t + n, c, c + n, c + 2 * n);
    return SN_OK;
}

/* Where a time lies: the interval, the time after whole periods have been taken off, their number. */
typedef struct place {
    int j; /* -1: before the table, n - 1: after it */
    double t, periods;
} place;

static place locate(const sn_in *in)
{
    int n = in->ns / 2, lo = 0, hi = n - 1;
    const double *t = in->s;
    place p = {0, in->t, 0};
    if (in->opt[1] == PERIODIC) {
        double T = t[n - 1] - t[0];
        p.periods = floor((in->t - t[0]) / T);
        p.t = fmin(fmax(in->t - p.periods * T, t[0]), t[n - 1]);
    }
    if (p.t < t[0]) lo = -1;
    if (p.t > t[n - 1]) lo = n - 1;
    while (lo >= 0 && hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (p.t < t[mid])
            hi = mid;
        else
            lo = mid;
    }
    p.j = lo;
    return p;
}

/* One interval, or a derivative of one: length, weight A, end values, end moments. */
typedef struct piece {
    double h, A, y0, y1, m0, m1;
} piece;

static piece interval(const sn_in *in, place at)
{
    int n = in->ns / 2, j = at.j, cubic = in->opt[0] == CUBIC;
    const double *t = in->s, *y = t + n;
    double h = t[j + 1] - t[j];
    return (piece){h, (t[j + 1] - at.t) / h, y[j], y[j + 1], cubic ? in->c[j] : 0, cubic ? in->c[j + 1] : 0};
}

static void eval(const sn_in *in, double *y)
{
    int n = in->ns / 2;
    place at = locate(in);
    y[1] = y[2] = 0;
    if (at.j < 0 || at.j == n - 1) {
        y[0] = in->s[at.j < 0 ? n : 2 * n - 1];
        return;
    }
    piece p = interval(in, at);
    double A = p.A, B = 1 - A, h = p.h;
    y[0] = A * p.y0 + B * p.y1 + h * h / 6 * ((A * A * A - A) * p.m0 + (B * B * B - B) * p.m1);
    y[1] = (p.y1 - p.y0) / h + h / 6 * ((3 * B * B - 1) * p.m1 - (3 * A * A - 1) * p.m0);
    y[2] = A * p.m0 + B * p.m1;
}

/* (S^-1)_jk for points j, k; 0 at the ends of the table, whose moments are fixed */
static double inverse(const sn_in *in, int j, int k)
{
    int n = in->ns / 2;
    const double *t = in->s, *d = in->c + n, *e = d + n;
    if (j < 1 || k < 1 || j > n - 2 || k > n - 2) return 0;
    double x = 1 / (d[k] + e[k] - 2 * (t[k + 1] - t[k - 1]));
    for (int i = k - 1; i >= j && x != 0; i--) x *= -(t[i + 1] - t[i]) / d[i];
    for (int i = k + 1; i <= j && x != 0; i++) x *= -(t[i] - t[i - 1]) / e[i];
    return x;
}

/* dF_i at fixed moments, by slot `index` */
static double drow(const sn_in *in, int i, int index)
{
    int n = in->ns / 2, at = index % n - i; /* the point meant, relative to i */
    if (i < 1 || i > n - 2 || at < -1 || at > 1) return 0;
    const double *t = in->s, *y = t + n, *m = in->c;
    double h = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
    if (index >= n) return at == 0 ? 6 / h + 6 / h1 : at < 0 ? -6 / h : -6 / h1;
    double by_h = m[i - 1] + 2 * m[i] - 6 * (y[i] - y[i - 1]) / (h * h);
    double by_h1 = 2 * m[i] + m[i + 1] + 6 * (y[i + 1] - y[i]) / (h1 * h1);
    return at == 0 ? by_h - by_h1 : at < 0 ? -by_h : by_h1;
}

static double dmoment(const sn_in *in, int j, int index)
{
    int i = index % (in->ns / 2);
    double dm = 0;
    for (int k = i - 1; k <= i + 1; k++) {
        double f = drow(in, k, index);
        if (f != 0) dm -= inverse(in, j, k) * f;
    }
    return dm;
}

static void dparam(const sn_in *in, int index, double *dy)
{
    int n = in->ns / 2, point = index % n, by_t = index < n;
    place at = locate(in);
    dy[0] = dy[1] = dy[2] = 0;
    if (at.j < 0 || at.j == n - 1) {
        dy[0] = !by_t && point == (at.j < 0 ? 0 : n - 1);
        return;
    }
    piece p = interval(in, at), d = {0, 0, 0, 0, 0, 0};
    double A = p.A, B = 1 - A, h = p.h, left = point == at.j, right = point == at.j + 1;
    if (by_t) {
        d.h = right - left;
        d.A = (left * A + right * B) / h;
        /* whole periods that are taken off the time */
        if (point == 0) d.A -= at.periods / h;
        if (point == n - 1) d.A += at.periods / h;
    } else {
        d.y0 = left;
        d.y1 = right;
    }
    if (in->opt[0] == CUBIC) {
        d.m0 = dmoment(in, at.j, index);
        d.m1 = dmoment(in, at.j + 1, index);
    }
    /* a, b and their derivatives by A: the weights of the moments in y and in its rate */
    double a = A * A * A - A, b = B * B * B - B, a1 = 3 * A * A - 1, b1 = 3 * B * B - 1;
    dy[0] = A * d.y0 + B * d.y1 + d.A * (p.y0 - p.y1) + h * d.h / 3 * (a * p.m0 + b * p.m1) +
            h * h / 6 * (a * d.m0 + b * d.m1 + d.A * (a1 * p.m0 - b1 * p.m1));
    dy[1] = (d.y1 - d.y0) / h - d.h * (p.y1 - p.y0) / (h * h) + d.h / 6 * (b1 * p.m1 - a1 * p.m0) +
            h / 6 * (b1 * d.m1 - a1 * d.m0 - 6 * d.A * (B * p.m1 + A * p.m0));
    dy[2] = A * d.m0 + B * d.m1 + d.A * (p.m0 - p.m1);
}

/* Values at the ends of the interval, their times, and with periods the ends of the table; a spline depends
   on all points. */
static int support(const sn_in *in, int *slot)
{
    int n = in->ns / 2, count = 0, periodic = in->opt[1] == PERIODIC;
    if (in->opt[0] == CUBIC) return -1;
    place at = locate(in);
    if (at.j < 0 || at.j == n - 1) {
        slot[0] = at.j < 0 ? n : 2 * n - 1;
        return 1;
    }
    if (periodic && at.j > 0) slot[count++] = 0;
    slot[count++] = at.j, slot[count++] = at.j + 1;
    if (periodic && at.j + 1 < n - 1) slot[count++] = n - 1;
    slot[count++] = n + at.j, slot[count++] = n + at.j + 1;
    return count;
}

const sn_signal_class sn_signal_table = {
    .name = "table",
    .doc = "interpolation of points in time",
    .args = {.what = SN_ARG_SLOT | SN_ARG_FILE, .min = 1, .max = 1},
    .slots = slots,
    .options = options,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
    .support = support,
};
