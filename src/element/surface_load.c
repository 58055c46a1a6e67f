/* surface_load: a pressure that follows the surface and a dead load per unit area, on the pieces of an
   element that is a surface, or on three or four nodes, counterclockwise about the normal n.

   Quadrilateral, with x = sum h_i x_i bilinear over xi_i, eta_i = -1, 1: from
       xr = 1/4 sum xi_i x_i   xs = 1/4 sum eta_i x_i   xd = 1/4 sum xi_i eta_i x_i
   follow a_r = xr + s xd, a_s = xs + r xd, and the pressure p along n has the exact generalized forces
       p int h_i a_r x a_s dr ds = p (xr x xs + xi_i/3 xr x xd + eta_i/3 xd x xs).
   Their tangent is not symmetric: over a closed surface, or where the rim is held, the skew parts cancel.
   Triangle: p/6 (x2 - x1) x (x3 - x1) for each node. The dead load q acts on the area of the reference
   configuration: q w_i, w_i = int h_i |A_r x A_s| dr ds at 2 x 2 points. The surface is that of the nodes. */
#include "math/rot3.h"
#include "sinew/class.h"

extern const sn_element_class sn_element_surface_load;

enum { PRESSURE, PER_AREA, NS = PER_AREA + 3 };
enum { TRIANGLE = 3, CORNERS = 4 };

static const double sign[3][CORNERS] = {{-1, 1, 1, -1}, {-1, -1, 1, 1}, {1, -1, 1, -1}};

/* v[k] = 1/4 sum of sign[k][i] x_i: xr, xs, xd */
static void modes(const double *x, double v[3][3])
{
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) {
            v[k][j] = 0;
            for (int i = 0; i < CORNERS; i++) v[k][j] += sign[k][i] * x[3 * i + j] / 4;
        }
}

static void edges(const double *x, double *a, double *b)
{
    for (int j = 0; j < 3; j++) a[j] = x[3 + j] - x[j], b[j] = x[6 + j] - x[j];
}

/* r_i -= p times the normal's share of node i */
static void press(int nn, const double *x, double p, double *r)
{
    double v[3][3], n[3], nr[3], ns[3];
    if (nn == TRIANGLE) {
        edges(x, v[0], v[1]);
        sn_cross3(v[0], v[1], n);
        for (int i = 0; i < 9; i++) r[i] -= p / 6 * n[i % 3];
        return;
    }
    modes(x, v);
    sn_cross3(v[0], v[1], n);
    sn_cross3(v[0], v[2], nr);
    sn_cross3(v[2], v[1], ns);
    for (int i = 0; i < 3 * CORNERS; i++)
        r[i] -= p * (n[i % 3] + sign[0][i / 3] / 3 * nr[i % 3] + sign[1][i / 3] / 3 * ns[i % 3]);
}

/* dr_i += -p times the derivative of the share of node i by place j, whose matrix is S~ for a vector S */
static void press_tangent(int nn, const double *x, double p, double *K)
{
    double v[3][3], A[9];
    if (nn == TRIANGLE) {
        edges(x, v[0], v[1]);
        for (int j = 0; j < TRIANGLE; j++) {
            double S[3];
            for (int k = 0; k < 3; k++) S[k] = j == 0 ? v[1][k] - v[0][k] : j == 1 ? -v[1][k] : v[0][k];
            sn_skew3(S, A);
            for (int i = 0; i < TRIANGLE; i++) sn_block3(K, 9, 3 * i, 3 * j, -p / 6, A);
        }
        return;
    }
    modes(x, v);
    for (int i = 0; i < CORNERS; i++)
        for (int j = 0; j < CORNERS; j++) {
            const double xi = sign[0][j], eta = sign[1][j], xe = sign[2][j], ri = sign[0][i] / 3,
                         si = sign[1][i] / 3;
            double S[3];
            for (int k = 0; k < 3; k++)
                S[k] = (eta * v[0][k] - xi * v[1][k] + ri * (xe * v[0][k] - xi * v[2][k]) +
                        si * (eta * v[2][k] - xe * v[1][k])) /
                       4;
            sn_skew3(S, A);
            sn_block3(K, 3 * CORNERS, 3 * i, 3 * j, -p, A);
        }
}

/* w_i, or with dX their derivative along it. */
static void areas(int nn, const double *X, const double *dX, double *w)
{
    double v[3][3], d[3][3] = {{0}}, n[3], m[3], e[3];
    for (int i = 0; i < nn; i++) w[i] = 0;
    if (nn == TRIANGLE) {
        edges(X, v[0], v[1]);
        sn_cross3(v[0], v[1], n);
        double J = sqrt(sn_dot3(n, n)), y = J;
        if (dX) {
            edges(dX, d[0], d[1]);
            sn_cross3(d[0], v[1], m);
            sn_cross3(v[0], d[1], e);
            y = (sn_dot3(n, m) + sn_dot3(n, e)) / J;
        }
        for (int i = 0; i < TRIANGLE; i++) w[i] = y / 6;
        return;
    }
    modes(X, v);
    if (dX) modes(dX, d);
    for (int g = 0; g < CORNERS; g++) {
        double r = sign[0][g] / sqrt(3), s = sign[1][g] / sqrt(3), a[3], b[3], da[3], db[3];
        for (int k = 0; k < 3; k++) {
            a[k] = v[0][k] + s * v[2][k], b[k] = v[1][k] + r * v[2][k];
            da[k] = d[0][k] + s * d[2][k], db[k] = d[1][k] + r * d[2][k];
        }
        sn_cross3(a, b, n);
        double J = sqrt(sn_dot3(n, n)), y = J;
        if (dX) {
            sn_cross3(da, b, m);
            sn_cross3(a, db, e);
            y = (sn_dot3(n, m) + sn_dot3(n, e)) / J;
        }
        for (int i = 0; i < CORNERS; i++) w[i] += y * (1 + sign[0][i] * r) * (1 + sign[1][i] * s) / 4;
    }
}

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = l->nn;
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    areas(in->nn, in->X, NULL, c);
    for (int i = 0; i < in->nn; i++)
        if (!isfinite(c[i]) || c[i] <= 0)
            return sn_fail(err, SN_ERR_INPUT, NULL, "its corners span no area at node %d", i + 1);
    return SN_OK;
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C;
    (void)M;
    const double p = in->s[PRESSURE];
    if (p != 0) press(in->nn, in->q, p, r);
    if (p != 0 && K) press_tangent(in->nn, in->q, p, K);
    for (int i = 0; i < in->nv; i++) r[i] -= in->c[i / 3] * in->s[PER_AREA + i % 3];
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    double dX[3 * CORNERS] = {0}, dw[CORNERS];
    if (index == PRESSURE) press(in->nn, in->q, 1, dr);
    if (index > PRESSURE && index < NS)
        for (int i = 0; i < in->nn; i++) dr[3 * i + index - PER_AREA] -= in->c[i];
    if (index < NS || index >= NS + in->nq) return SN_OK;
    dX[index - NS] = 1;
    areas(in->nn, in->X, dX, dw);
    for (int i = 0; i < in->nv; i++) dr[i] -= dw[i / 3] * in->s[PER_AREA + i % 3];
    return SN_OK;
}

static const sn_slot slots[] = {
    {"pressure", "Pa",
     "pressure along the normal about which the corners run counterclockwise; follows the surface", 1,
     SN_VARIES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"per_area", "Pa", "dead load per unit area of the reference configuration, in global axes", 3,
     SN_VARIES | SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {0},
};

const sn_element_class sn_element_surface_load = {
    .name = "surface_load",
    .doc = "pressure and dead load on a surface: on a surface element, or on three or four nodes",
    .args =
        {.what = SN_ARG_NODE | SN_ARG_ELEMENT, .min = TRIANGLE, .max = CORNERS, .dim = 3, .ask = SN_POSITION},
    .slots = slots,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
    .load = &(const sn_load){.slot = SN_LOAD_OF_NODES},
};
