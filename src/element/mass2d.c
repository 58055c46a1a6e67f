/* mass2d: rigid body at a planar node: mass, inertia about its centre, and where the centre is.

   Centre x + p with p = R(theta) com; with n = dp/dtheta (p turned by 90 degrees) the force at the centre is
   F = m (a + n theta'' - p theta'^2 - g), and the moment about the node I theta'' + n.F. On a point node only
   the mass acts. */
#include "sinew/class.h"
#include "math/plane.h"

extern const sn_element_class sn_element_mass2d;

enum { MASS, INERTIA, COM, NS = COM + 2 };

static inline int eccentric(const sn_in *in)
{
    return sn_is_frame(in->view, 0) && (in->s[COM] != 0 || in->s[COM + 1] != 0);
}

/* p and n */
static inline void centre(const sn_in *in, const double *com, double *p, double *n)
{
    sn_rot2(in->q[2], com, p);
    sn_perp2(p, n);
}

static inline void central_force(const sn_in *in, const double *p, const double *n, double *F)
{
    const double *a = in->a, *g = in->g, m = in->s[MASS];
    double w2 = in->v[2] * in->v[2];
    F[0] = m * (a[0] + n[0] * a[2] - p[0] * w2 - g[0]);
    F[1] = m * (a[1] + n[1] * a[2] - p[1] * w2 - g[1]);
}

static void eccentric_tangent(const sn_in *in, const double *p, const double *n, const double *F, double *K,
                              double *C, double *M)
{
    double m = in->s[MASS], w = in->v[2], w2 = w * w, dF[2];
    for (int i = 0; i < 2; i++) {
        dF[i] = -m * (p[i] * in->a[2] + n[i] * w2);
        K[3 * i + 2] += dF[i];
        if (C) C[3 * i + 2] -= 2 * m * w * p[i];
        if (!M) continue;
        M[3 * i + 2] += m * n[i];
        M[6 + i] += m * n[i];
    }
    K[8] += sn_dot2(n, dF) - sn_dot2(p, F);
    if (M) M[8] += m * sn_dot2(n, n);
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    const double *s = in->s, *a = in->a, *g = in->g;
    int nv = in->nv, rot = sn_is_frame(in->view, 0);
    double p[2], n[2], F[2];
    if (eccentric(in)) {
        centre(in, s + COM, p, n);
        central_force(in, p, n, F);
        r[2] += sn_dot2(n, F);
        if (K) eccentric_tangent(in, p, n, F, K, C, M);
    } else {
        F[0] = s[MASS] * (a[0] - g[0]);
        F[1] = s[MASS] * (a[1] - g[1]);
    }
    r[0] += F[0];
    r[1] += F[1];
    if (rot) r[2] += s[INERTIA] * a[2];
    if (!K || !M) return SN_OK;
    M[0] += s[MASS];
    M[nv + 1] += s[MASS];
    if (rot) M[8] += s[INERTIA];
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    const double *s = in->s, *a = in->a;
    int rot = sn_is_frame(in->view, 0), field = index - NS - in->nq;
    double p[2] = {0, 0}, n[2] = {0, 0}, dp[2], dn[2], F[2], w2;
    if (rot) centre(in, s + COM, p, n);
    if (index == INERTIA && rot) dr[2] += a[2];
    if (index == MASS) {
        w2 = rot ? in->v[2] * in->v[2] : 0;
        for (int i = 0; i < 2; i++) F[i] = a[i] + (rot ? n[i] * a[2] - p[i] * w2 : 0) - in->g[i];
    } else if (field == 0 || field == 1) {
        F[0] = field == 0 ? -s[MASS] : 0;
        F[1] = field == 1 ? -s[MASS] : 0;
    } else if (index >= COM && index < NS && rot) {
        /* p and n change, and with them F and its arm */
        centre(in, (const double[]){index == COM, index == COM + 1}, dp, dn);
        central_force(in, p, n, F);
        dr[2] += sn_dot2(dn, F);
        w2 = in->v[2] * in->v[2];
        for (int i = 0; i < 2; i++) F[i] = s[MASS] * (dn[i] * a[2] - dp[i] * w2);
    } else {
        return SN_OK;
    }
    dr[0] += F[0];
    dr[1] += F[1];
    if (rot) dr[2] += sn_dot2(n, F);
    return SN_OK;
}

/* Velocity u of the centre, its place x; returns the spin */
static double centre_motion(const sn_in *in, double *p, double *n, double *x, double *u)
{
    int rot = sn_is_frame(in->view, 0);
    double w = rot ? in->v[2] : 0;
    p[0] = p[1] = n[0] = n[1] = 0;
    if (rot) centre(in, in->s + COM, p, n);
    for (int i = 0; i < 2; i++) {
        x[i] = in->q[i] + p[i];
        u[i] = in->v[i] + n[i] * w;
    }
    return w;
}

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const double *s = in->s, *g = in->g;
    int nv = in->nv, rot = sn_is_frame(in->view, 0);
    double m = s[MASS], p[2], n[2], x[2], u[2], w = centre_motion(in, p, n, x, u);
    e[0] = 0.5 * (m * sn_dot2(u, u) + s[INERTIA] * w * w);
    e[1] = -m * sn_dot2(g, x);
    if (de && de->q) {
        de->q[nv] -= m * g[0];
        de->q[nv + 1] -= m * g[1];
        if (rot) {
            de->q[2] -= m * w * sn_dot2(u, p);
            de->q[5] -= m * sn_dot2(g, n);
        }
    }
    if (de && de->v) {
        de->v[0] += m * u[0];
        de->v[1] += m * u[1];
        if (rot) de->v[2] += m * sn_dot2(u, n) + s[INERTIA] * w;
    }
}

static void denergy(const sn_in *in, int index, double *de)
{
    int field = index - NS - in->nq;
    double m = in->s[MASS], p[2], n[2], x[2], u[2], w = centre_motion(in, p, n, x, u), dp[2], dn[2];
    de[0] = de[1] = 0;
    if (index == MASS) {
        de[0] = 0.5 * sn_dot2(u, u);
        de[1] = -sn_dot2(in->g, x);
    } else if (index == INERTIA) {
        de[0] = 0.5 * w * w;
    } else if (index < NS && sn_is_frame(in->view, 0)) {
        centre(in, (const double[]){index == COM, index == COM + 1}, dp, dn);
        de[0] = m * w * sn_dot2(u, dn);
        de[1] = -m * sn_dot2(in->g, dp);
    } else if (field == 0 || field == 1) {
        de[1] = -m * x[field];
    }
}

static const sn_slot slots[] = {
    {"mass", "kg", "mass", 1, 0, SN_REQUIRED, 0, SN_INFINITE, "shape.mass"},
    {"inertia", "kg*m^2", "moment of inertia about the centre of mass", 1, SN_NEEDS_ROT, 0, 0, SN_INFINITE,
     "mass*shape.gyration.z"},
    {"com", "m", "centre of mass relative to the node, in the axes of the reference configuration", 2,
     SN_ROTATES | SN_NEEDS_ROT | SN_ON_NODE1, 0, -SN_INFINITE, SN_INFINITE, "shape.centre.x;shape.centre.y"},
    {0},
};

static void sizes(const double *s, const int *slot_n, sn_drawn_sizes *z)
{
    (void)slot_n;
    z->radius = s[MASS] > 0 ? sqrt(s[INERTIA] / s[MASS]) : 0;
}
static const sn_geometry geometry = {SN_SHAPE_POINT, SN_STRAIGHT, "mass", 0, sizes};

const sn_element_class sn_element_mass2d = {
    .name = "mass2d",
    .doc = "mass or rigid body at a planar node",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 2, .ask = SN_POSITION | SN_FRAME},
    .slots = slots,
    .flags = SN_USES_V | SN_USES_A | SN_SYMMETRIC | SN_CONSERVATIVE,
    .eval = eval,
    .dparam = dparam,
    .energy = energy,
    .denergy = denergy,
    .geometry = &geometry,
};
