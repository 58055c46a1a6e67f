/* point_on_curve: a point on a smooth curve through given points, a curved rail: a bead on a wire, or the
   axle of a wheel whose path is given. Nodes: the point and a `parameter` s: [wheel, s].

     phi = x - r(s),   r the cubic spline through the points, twice continuously differentiable

   s is the length of the straight pieces from the first point on (knots t_k = t_(k-1) + |P_k - P_(k-1)|),
   which is nearly that of the curve; |r'| is nearly 1. The third derivative does not jump at the second point
   and at the last but one ("not a knot"), so that points of a cubic give that cubic, three points a parabola,
   two a line. Before the first point and behind the last the end pieces go on. `closed`: the last point is
   the first again and the curve smooth there; s goes on round by round.

   With second derivatives M_k, h = t_(k+1) - t_k, B = (s - t_k)/h, A = 1 - B:
   r = A P_k + B P_(k+1) + ((A^3 - A) M_k + (B^3 - B) M_(k+1)) h^2/6. Friction along the curve: on_line.h. */
#include "joint/on_line.h"
#include "math/dual.h"

extern const sn_joint_class sn_joint_point_on_curve;

enum { MOST = 500 };
enum { SLOT_X = SN_LINE_FRICTION, SLOT_Y, SLOT_Z }; /* friction first, as joint/on_line.h numbers it */

/* Points, knots and second derivatives, with their derivatives by one number */
typedef struct curve {
    int n, dim, closed;
    dual P[3][MOST + 1], t[MOST + 1], M[3][MOST + 1];
} curve;

static int count(const sn_in *in) { return in->slot_n[SLOT_X]; }

static sn_status layout(sn_layout *l, sn_err *err)
{
    const int n = l->slot_n[SLOT_X], closed = l->opt[0];
    if (!sn_on_line_is_parameter(l, 1))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the second node must be a place on the curve: {parameter: s}, s its start");
    if (l->slot_n[SLOT_Y] != n || (l->dim == 3 && l->slot_n[SLOT_Z] != n))
        return sn_fail(err, SN_ERR_INPUT, NULL, "'x' and 'y'%s must have as many numbers, one for each point",
                       l->dim == 3 ? " and 'z'" : "");
    if (n < 2 + 2 * closed || n > MOST)
        return sn_fail(err, SN_ERR_INPUT, NULL, "a curve goes through %d to %d points, not %d",
                       2 + 2 * closed, MOST, n);
    sn_on_line_names(l);
    l->nc = (n + 1) * (1 + 2 * l->dim);
    return SN_OK;
}

/* x_i of a_i x_(i-1) + b_i x_i + c_i x_(i+1) = d_i, in place of d; b and c are used up */
static void solve_line(int n, const dual *a, dual *b, dual *c, dual *d)
{
    for (int i = 1; i < n; i++) {
        const dual f = over(a[i], b[i - 1]);
        b[i] = sub(b[i], mul(f, c[i - 1]));
        d[i] = sub(d[i], mul(f, d[i - 1]));
    }
    for (int i = n - 1; i >= 0; i--) {
        if (i + 1 < n) d[i] = sub(d[i], mul(c[i], d[i + 1]));
        d[i] = over(d[i], b[i]);
    }
}

/* Continuity of r' at the knots: h_(i-1) M_(i-1) + 2 (h_(i-1) + h_i) M_i + h_i M_(i+1) = 6 (slopes' jump) */
static dual jump(const dual *P, int before, int at, int after, dual h0, dual h1)
{
    return times(6, sub(over(sub(P[after], P[at]), h1), over(sub(P[at], P[before]), h0)));
}

static void open_curve(curve *k, int j)
{
    const int n = k->n, m = n - 2;
    dual a[MOST], b[MOST], c[MOST], d[MOST], *M = k->M[j];
    M[0] = M[n - 1] = constant(0);
    if (m < 1) return;
    for (int i = 0; i < m; i++) {
        const dual h0 = sub(k->t[i + 1], k->t[i]), h1 = sub(k->t[i + 2], k->t[i + 1]);
        a[i] = h0, b[i] = times(2, add(h0, h1)), c[i] = h1;
        d[i] = jump(k->P[j], i, i + 1, i + 2, h0, h1);
        const dual more0 = over(h0, h1), more1 = over(h1, h0);
        if (m == 1) { /* a parabola */
            b[i] = times(3, add(h0, h1));
        } else if (i == 0) { /* M_0 = M_1 + (M_1 - M_2) h0/h1 */
            b[i] = add(b[i], mul(h0, add(constant(1), more0))), c[i] = sub(c[i], mul(h0, more0));
        } else if (i == m - 1) {
            b[i] = add(b[i], mul(h1, add(constant(1), more1))), a[i] = sub(a[i], mul(h1, more1));
        }
    }
    solve_line(m, a, b, c, d);
    memcpy(M + 1, d, (size_t)m * sizeof *d);
    if (m == 1) {
        M[0] = M[2] = M[1];
        return;
    }
    const dual f = over(sub(k->t[1], k->t[0]), sub(k->t[2], k->t[1])),
               g = over(sub(k->t[n - 1], k->t[n - 2]), sub(k->t[n - 2], k->t[n - 3]));
    M[0] = add(M[1], mul(f, sub(M[1], M[2])));
    M[n - 1] = add(M[n - 2], mul(g, sub(M[n - 2], M[n - 3])));
}

/* Periodic: the corner entries as a change of rank one (Sherman and Morrison) */
static void closed_curve(curve *k, int j)
{
    const int n = k->n;
    dual a[MOST], b[MOST], c[MOST], d[MOST], e[MOST], b1[MOST], c1[MOST], *M = k->M[j];
    const dual last = sub(k->t[n], k->t[n - 1]);
    for (int i = 0; i < n; i++) {
        const dual h0 = i ? sub(k->t[i], k->t[i - 1]) : last, h1 = sub(k->t[i + 1], k->t[i]);
        a[i] = h0, b[i] = times(2, add(h0, h1)), c[i] = h1;
        d[i] = jump(k->P[j], (i + n - 1) % n, i, (i + 1) % n, h0, h1);
        e[i] = constant(0);
    }
    /* corners: row 0 has `last` at n - 1, row n - 1 has it at 0; A = T + u v', u = (g, .., last), v = (1, ..,
     * last/g) */
    const dual g = times(-1, b[0]), v = over(last, g);
    b[0] = sub(b[0], g), b[n - 1] = sub(b[n - 1], mul(last, v));
    e[0] = g, e[n - 1] = last;
    memcpy(b1, b, sizeof b), memcpy(c1, c, sizeof c);
    solve_line(n, a, b, c, d);
    solve_line(n, a, b1, c1, e);
    const dual f = over(add(d[0], mul(v, d[n - 1])), add(constant(1), add(e[0], mul(v, e[n - 1]))));
    for (int i = 0; i < n; i++) M[i] = sub(d[i], mul(f, e[i]));
    M[n] = M[0];
}

/* The curve and its derivative by number `index` (-1: none). 0 where two points in turn are the same. */
static int make_curve(const sn_in *in, int index, curve *k)
{
    const int n = count(in), closed = in->opt[0];
    const double *s = in->s;
    k->n = n, k->dim = in->dim, k->closed = closed;
    for (int j = 0, at = SN_LINE_FRICTION; j < in->dim; at += in->slot_n[SLOT_X + j++])
        for (int i = 0; i < n + closed; i++) k->P[j][i] = (dual){s[at + i % n], index == at + i % n};
    k->t[0] = constant(0);
    for (int i = 1; i < n + closed; i++) {
        dual d[3] = {{0, 0}, {0, 0}, {0, 0}};
        for (int j = 0; j < in->dim; j++) d[j] = sub(k->P[j][i], k->P[j][i - 1]);
        const dual l = norm(d);
        if (!(l.x > 0)) return 0;
        k->t[i] = add(k->t[i - 1], l);
    }
    for (int j = 0; j < in->dim; j++) {
        if (closed)
            closed_curve(k, j);
        else
            open_curve(k, j);
    }
    return 1;
}

/* Constants: knots, then of each direction points and second derivatives */
static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    curve k;
    const int n = count(in) + 1, used = count(in) + in->opt[0];
    for (int i = 0; i < n * (1 + 2 * in->dim); i++) c[i] = 0;
    if (!make_curve(in, -1, &k))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "two points of the curve that follow each other are the same");
    for (int i = 0; i < used; i++) {
        c[i] = k.t[i].x;
        for (int j = 0; j < in->dim; j++)
            c[n * (1 + 2 * j) + i] = k.P[j][i].x, c[n * (2 + 2 * j) + i] = k.M[j][i].x;
    }
    return SN_OK;
}

/* The piece of s; on a closed curve s is brought into the first round */
static int piece_of(const sn_in *in, double *s)
{
    const int last = count(in) + in->opt[0] - 1;
    const double *t = in->c;
    int low = 0, high = last;
    *s = in->q[in->dim];
    if (in->opt[0]) *s -= t[last] * floor(*s / t[last]);
    while (high - low > 1) {
        const int mid = (low + high) / 2;
        if (*s >= t[mid])
            low = mid;
        else
            high = mid;
    }
    return low;
}

static void find(const sn_in *in, sn_on_line *y)
{
    const int n = count(in) + 1;
    double s;
    const int k = piece_of(in, &s);
    const double h = in->c[k + 1] - in->c[k], B = (s - in->c[k]) / h, A = 1 - B;
    *y = (sn_on_line){.n_shape = 0};
    for (int j = 0; j < in->dim; j++) {
        const double *P = in->c + n * (1 + 2 * j) + k, *M = in->c + n * (2 + 2 * j) + k;
        y->r[j] = A * P[0] + B * P[1] + ((A * A * A - A) * M[0] + (B * B * B - B) * M[1]) * h * h / 6;
        y->r1[j] = (P[1] - P[0]) / h + ((1 - 3 * A * A) * M[0] + (3 * B * B - 1) * M[1]) * h / 6;
        y->r2[j] = A * M[0] + B * M[1];
    }
}

static int has_friction(const double *s) { return sn_line_rubs(s); }

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    sn_on_line y;
    find(in, &y);
    sn_on_line_eval(in, in->s, &y, out);
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    sn_on_line y;
    find(in, &y);
    sn_on_line_rate(in, &y, phi_t, gamma);
    return SN_OK;
}

/* r and r' at fixed s; on a closed curve the rounds before change too */
static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    sn_on_line y, d = {.n_shape = 0};
    curve c;
    double at;
    find(in, &y);
    if (index >= in->ns) return SN_OK;
    if (index < SN_LINE_FRICTION) {
        sn_on_line_by_friction(in, in->s, index, &y, dr);
        return SN_OK;
    }
    make_curve(in, index, &c);
    const int k = piece_of(in, &at), last = c.n + c.closed - 1;
    dual s = {in->q[in->dim], 0};
    if (c.closed) s = sub(s, times(floor(s.x / c.t[last].x), c.t[last]));
    const dual h = sub(c.t[k + 1], c.t[k]), B = over(sub(s, c.t[k]), h), A = sub(constant(1), B),
               AA = mul(A, A), BB = mul(B, B), one = constant(1);
    for (int j = 0; j < in->dim; j++) {
        const dual *P = c.P[j] + k, *M = c.M[j] + k;
        const dual bend = add(mul(mul(A, sub(AA, one)), M[0]), mul(mul(B, sub(BB, one)), M[1])),
                   turn = add(mul(sub(one, times(3, AA)), M[0]), mul(sub(times(3, BB), one), M[1]));
        d.r[j] = add(add(mul(A, P[0]), mul(B, P[1])), times(1.0 / 6, mul(mul(h, h), bend))).d;
        d.r1[j] = add(over(sub(P[1], P[0]), h), times(1.0 / 6, mul(h, turn))).d;
    }
    sn_on_line_by(in, in->s, &y, &d, dr, dphi);
    return SN_OK;
}

static const sn_slot slots[] = {
    SN_LINE_FRICTION_SLOTS,
    {"x", "m", "of the points that the curve goes through, in global axes", 0, 0, SN_REQUIRED, -SN_INFINITE,
     SN_INFINITE, NULL},
    {"y", "m", "of the points", 0, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"z", "m", "of the points, in space", 0, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static const sn_option options[] = {
    {"closed", "no|yes", "the curve returns from the last point to the first", 0},
    {.name = NULL},
};

static const sn_geometry geometry = {SN_SHAPE_NONE, SN_STRAIGHT, "ball", 0, NULL};

const sn_joint_class sn_joint_point_on_curve = {
    .name = "point_on_curve",
    .doc = "a point on a smooth curve through given points (a rail), with friction: [point, parameter]",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .ask = SN_SCALARS, .ask_first = SN_POSITION},
    .slots = slots,
    .options = options,
    .flags = SN_USES_V | SN_REACTION_DIFFERS,
    .has_friction = has_friction,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
    .geometry = &geometry,
};
