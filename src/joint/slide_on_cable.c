/* slide_on_cable: a point that slides on a line of cables in absolute nodal coordinates, across their nodes.
   Nodes: the point, a `parameter` s, and the slope nodes of the line, in their order: [bead, s, a, c.n1, ...,
   b]. s is the natural length from the first of them; before it and behind the last one the line goes on as
   the polynomial there.

     phi = x - sum_i S_i(xi) e_i,   xi = (s - s_k)/L_k,   k the piece that s is on

   with Hermite's polynomials S of cable_ancf. L_k = (1 + slack) times the distance of the nodes in the
   reference configuration; `slack` is that of the cables. The line is smooth (C1), so that B is continuous;
   the curvature, and with it accelerations, jumps a little where s crosses a node. Friction along the line:
   on_line.h. */
#include "joint/on_line.h"

extern const sn_joint_class sn_joint_slide_on_cable;

enum { SLACK, FRICTION, NS = FRICTION + SN_LINE_FRICTION };
enum { FIRST = 2 }; /* the first node of the line */

static int pieces(const sn_in *in) { return in->nn - FIRST - 1; }

static sn_status layout(sn_layout *l, sn_err *err)
{
    if (!sn_on_line_is_parameter(l, 1))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the second node must be a place on the line: {parameter: s}, s its start");
    for (int i = FIRST; i < l->nn; i++)
        if (l->view[i] != SN_DIRECTOR)
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "node %d has no slope: a line consists of the nodes of cables", i + 1);
    sn_on_line_names(l);
    l->nc = l->nn - FIRST; /* distances of the nodes in the reference, and a last number */
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    for (int k = 0; k < pieces(in); k++) {
        const double *X = in->X + in->off[FIRST + k], *Y = in->X + in->off[FIRST + k + 1];
        double d2 = 0;
        for (int i = 0; i < in->dim; i++) d2 += (Y[i] - X[i]) * (Y[i] - X[i]);
        c[k] = sqrt(d2);
        if (!(c[k] > 0))
            return sn_fail(err, SN_ERR_INPUT, NULL, "nodes %d and %d are at the same place", FIRST + k + 1,
                           FIRST + k + 2);
    }
    c[pieces(in)] = 0;
    return SN_OK;
}

/* The piece that s is on, and where it begins */
static int piece_of(const sn_in *in, double *begin)
{
    const double stretch = 1 + in->s[SLACK], s = in->q[in->dim];
    int k = 0;
    for (*begin = 0; k + 1 < pieces(in) && s >= *begin + stretch * in->c[k]; k++)
        *begin += stretch * in->c[k];
    return k;
}

/* Factors in r and its derivatives by s, at xi of a piece of length L */
static void shapes(double x, double L, sn_on_line *y)
{
    const double i = 1 / L, S[4] = {1 - x * x * (3 - 2 * x), L * x * (1 - x) * (1 - x), x * x * (3 - 2 * x),
                                    L * x * x * (x - 1)};
    const double S1[4] = {-6 * x * (1 - x) * i, 1 - x * (4 - 3 * x), 6 * x * (1 - x) * i, x * (3 * x - 2)};
    const double S2[4] = {(12 * x - 6) * i * i, (6 * x - 4) * i, (6 - 12 * x) * i * i, (6 * x - 2) * i};
    memcpy(y->S, S, sizeof S), memcpy(y->S1, S1, sizeof S1), memcpy(y->S2, S2, sizeof S2);
}

static void sum(const sn_in *in, const double *S, int at, double *r)
{
    const int n = in->dim;
    for (int i = 0; i < n; i++) {
        r[i] = 0;
        for (int b = 0; b < 4; b++) r[i] += S[b] * in->q[at + b * n + i];
    }
}

/* Flat nodes: q and v have the same places */
static double find(const sn_in *in, sn_on_line *y)
{
    double begin;
    const int k = piece_of(in, &begin);
    const double L = (1 + in->s[SLACK]) * in->c[k], x = (in->q[in->dim] - begin) / L;
    *y = (sn_on_line){.n_shape = 4, .at = in->offv[FIRST + k]};
    shapes(x, L, y);
    const int at = in->off[FIRST + k];
    sum(in, y->S, at, y->r), sum(in, y->S1, at, y->r1), sum(in, y->S2, at, y->r2);
    return x;
}

static int has_friction(const double *s) { return sn_line_rubs(s + FRICTION); }

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    sn_on_line y;
    find(in, &y);
    sn_on_line_eval(in, in->s + FRICTION, &y, out);
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    sn_on_line y;
    find(in, &y);
    sn_on_line_rate(in, &y, phi_t, gamma);
    return SN_OK;
}

/* Change of the beginning and of the length of the piece */
static void lengths_by(const sn_in *in, int index, int k, double begin, double *dbegin, double *dL)
{
    const double stretch = 1 + in->s[SLACK];
    *dbegin = *dL = 0;
    if (index == SLACK) *dbegin = begin / stretch, *dL = in->c[k];
    for (int j = 0; j <= k && index >= in->ns; j++) {
        const int a = in->off[FIRST + j], b = in->off[FIRST + j + 1], at = index - in->ns;
        const int i = at >= b ? at - b : at - a;
        if (i < 0 || i >= in->dim) continue;
        const double d = stretch * (in->X[b + i] - in->X[a + i]) / in->c[j] * (at >= b ? 1 : -1);
        *(j < k ? dbegin : dL) += d;
    }
}

/* With s fixed: dxi = -(dbegin + xi dL)/L, and the factors by L: 1/L of each derivative by s, and L of slopes
 */
static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    sn_on_line y, d;
    double begin, dbegin, dL, x = find(in, &y);
    const int k = piece_of(in, &begin);
    if (index >= FRICTION && index < in->ns) {
        sn_on_line_by_friction(in, in->s + FRICTION, index - FRICTION, &y, dr);
        return SN_OK;
    }
    lengths_by(in, index, k, begin, &dbegin, &dL);
    if (dbegin == 0 && dL == 0) return SN_OK;
    const double L = (1 + in->s[SLACK]) * in->c[k], ds = -(dbegin + x * dL);
    d = (sn_on_line){.n_shape = 4, .at = y.at};
    for (int b = 0; b < 4; b++) {
        const int slope = b & 1;
        d.S[b] = y.S1[b] * ds + (slope ? y.S[b] * dL / L : 0);
        d.S1[b] = y.S2[b] * ds + (slope ? 0 : -y.S1[b] * dL / L);
    }
    sum(in, d.S, in->off[FIRST + k], d.r), sum(in, d.S1, in->off[FIRST + k], d.r1);
    sn_on_line_by(in, in->s + FRICTION, &y, &d, dr, dphi);
    return SN_OK;
}

static const sn_slot slots[] = {
    {"slack", "", "that of the cables: natural length over the distance in the reference, less 1", 1, 0, 0,
     -0.9, SN_INFINITE, NULL},
    SN_LINE_FRICTION_SLOTS,
    {.name = NULL},
};

static const sn_geometry geometry = {SN_SHAPE_NONE, SN_STRAIGHT, "ball", 0, NULL};

const sn_joint_class sn_joint_slide_on_cable = {
    .name = "slide_on_cable",
    .doc =
        "a point that slides on a line of cables, with friction: [point, parameter, nodes of the line ...]",
    .args = {.what = SN_ARG_NODE,
             .min = 4,
             .max = SN_MAX_NODES,
             .ask = SN_SCALARS | SN_DIRECTOR,
             .ask_first = SN_POSITION},
    .slots = slots,
    .flags = SN_USES_V | SN_REACTION_DIFFERS,
    .has_friction = has_friction,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
    .geometry = &geometry,
};
