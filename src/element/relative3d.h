/* Relative coordinates of two spatial frames: sliding of a point of body 2 along an axis a that is fixed in
   body 1, s = a.y with y the relative position in body 1 (0 in the reference), and turning about it: the
   twist of the relative rotation, 2 atan2(a.v, w) for its quaternion (w, v), which is the angle of its
   projection onto the plane across the axis, whatever the bodies' tilt. The angle must stay below pi either
   way, the tilt too.

   Turning: dphi = g.dw, g = (w^2 a + w a x v + (a.v) v)/(w^2 + (a.v)^2).
   The kind's first slots are axis (0..2) and, but for kinds that only turn, at (3..5). Constants: a (0..2),
   length of the axis as given (3), arms p1, p2 (4..9). */
#ifndef SN_ELEMENT_RELATIVE3D_H
#define SN_ELEMENT_RELATIVE3D_H

#include "element/pair3d.h"
#include "element/relative.h"

enum { SN_AXIS3, SN_AT3 = 3, SN_RELATIVE_BASE = 6 };
enum { SN_LENGTH3 = 3, SN_ARMS3 = 4, SN_NC3 = 10 };

#define SN_RELATIVE_SLOTS                                                                                    \
    {"axis",                                                                                                 \
     "",                                                                                                     \
     "axis of sliding and rotation in the reference configuration, of any length; fixed in body 1",          \
     3,                                                                                                      \
     SN_ROTATES,                                                                                             \
     SN_REQUIRED,                                                                                            \
     -SN_INFINITE,                                                                                           \
     SN_INFINITE,                                                                                            \
     NULL},                                                                                                  \
    {                                                                                                        \
        "at", "m", "the sliding point of body 2 in the reference configuration", 3,                          \
            SN_PLACED | SN_ON_NODE1 | SN_ON_NODE2, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, "@2.x;@2.y;@2.z"  \
    }

static inline sn_status sn_relative_layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = SN_NC3;
    return SN_OK;
}

static inline sn_status sn_relative3_prepare_axis(const sn_in *in, double *c, sn_err *err)
{
    c[SN_LENGTH3] = sn_pair3_unit(in->s + SN_AXIS3, c);
    for (int k = 0; k < 6; k++) c[SN_ARMS3 + k] = 0;
    if (!(c[SN_LENGTH3] > 0))
        return sn_fail(err, SN_ERR_INPUT, NULL, "the axis has no direction: it is (0, 0, 0)");
    return SN_OK;
}

static inline sn_status sn_relative_prepare(const sn_in *in, double *c, sn_err *err)
{
    SN_TRY(sn_relative3_prepare_axis(in, c, err));
    for (int k = 0; k < 3; k++) {
        c[SN_ARMS3 + k] = in->s[SN_AT3 + k] - in->X[k];
        c[SN_ARMS3 + 3 + k] = in->s[SN_AT3 + k] - in->X[in->off[1] + k];
    }
    return SN_OK;
}

/* Numerator of g, linear in a, for the projection s on the axis */
static inline void sn_relative3_twist(const double *p, const double *a, double s, double *g)
{
    double x[3], w = p[0];
    sn_cross3(a, p + 1, x);
    for (int k = 0; k < 3; k++) g[k] = w * w * a[k] + w * x[k] + s * p[1 + k];
}

/* G = dg/dw, with dw = -v.d/2 and dv = (w d + v x d)/2 for the quaternion */
static inline void sn_relative3_twist_tangent(const double *p, const double *a, double den, const double *g,
                                              double *G)
{
    const double w = p[0], *v = p + 1, s = sn_dot3(a, v);
    double axv[3], axdv[3], dv[3], d[3];
    sn_cross3(a, v, axv);
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) d[k] = k == j;
        sn_cross3(v, d, dv);
        for (int k = 0; k < 3; k++) dv[k] = 0.5 * (w * d[k] + dv[k]);
        double dw = -0.5 * v[j], ds = sn_dot3(a, dv), dden = 2 * (w * dw + s * ds);
        sn_cross3(a, dv, axdv);
        for (int k = 0; k < 3; k++)
            G[3 * k + j] =
                (2 * w * dw * a[k] + dw * axv[k] + w * axdv[k] + ds * v[k] + s * dv[k] - dden * g[k]) / den;
    }
}

static inline sn_status sn_relative_coordinate(const sn_in *in, int which, int tangent, sn_relative *y)
{
    const double *a = in->c, *p1 = in->c + SN_ARMS3, *p2 = p1 + 3;
    double g[3], G[9];
    sn_pair3 t;
    sn_pair3_open(in->q, p2, &t);
    if (which == SN_SLIDE) {
        y->s = sn_dot3(a, t.e) - sn_dot3(a, p1);
        sn_pair3_slide(&t, p2, a, y->b);
        if (tangent) sn_pair3_slide_tangent(&t, p2, a, y->H);
        return SN_OK;
    }
    double s = sn_dot3(a, t.p + 1), den = t.p[0] * t.p[0] + s * s;
    if (!(den > 1e-20)) return SN_ERR_NUMERIC;
    y->s = 2 * atan2(s, t.p[0]);
    sn_relative3_twist(t.p, a, s, g);
    for (int k = 0; k < 3; k++) g[k] /= den;
    sn_pair3_turn(&t, g, y->b);
    if (!tangent) return SN_OK;
    sn_relative3_twist_tangent(t.p, a, den, g, G);
    sn_pair3_turn_tangent(&t, g, G, y->H);
    return SN_OK;
}

/* Change of the angle and of its b with the axis */
static inline double sn_relative3_dturn(const sn_in *in, const double *da, double *db)
{
    const double *a = in->c;
    double g[3], dg[3];
    sn_pair3 t;
    sn_pair3_open(in->q, in->c + SN_ARMS3 + 3, &t);
    double w = t.p[0], s = sn_dot3(a, t.p + 1), ds = sn_dot3(da, t.p + 1), den = w * w + s * s;
    sn_relative3_twist(t.p, a, s, g);
    sn_relative3_twist(t.p, da, ds, dg);
    for (int k = 0; k < 3; k++) dg[k] = (dg[k] - 2 * s * ds / den * g[k]) / den;
    sn_pair3_turn(&t, dg, db);
    return 2 * w * ds / den;
}

static inline double sn_relative_dcoordinate(const sn_in *in, int which, int index, double *db)
{
    const double *a = in->c, *p1 = in->c + SN_ARMS3, *p2 = p1 + 3;
    int x = index - in->ns;
    double da[3], dp1[3] = {0, 0, 0}, dp2[3] = {0, 0, 0}, m[3];
    sn_pair3 t;
    if (index < SN_AT3) {
        sn_pair3_dunit(a, in->c[SN_LENGTH3], (const double[]){index == 0, index == 1, index == 2}, da);
        if (which == SN_TURN) return sn_relative3_dturn(in, da, db);
        sn_pair3_open(in->q, p2, &t);
        sn_pair3_slide(&t, p2, da, db);
        return sn_dot3(da, t.e) - sn_dot3(da, p1);
    }
    if (which == SN_TURN) return 0;
    if (index < SN_RELATIVE_BASE)
        dp1[index - SN_AT3] = dp2[index - SN_AT3] = 1;
    else if (x >= 0 && x < 3)
        dp1[x] = -1;
    else if (x >= 7 && x < 10)
        dp2[x - 7] = -1;
    else
        return 0;
    sn_pair3_open(in->q, p2, &t);
    sn_tmul3(t.Q, a, m);
    sn_cross3(dp2, m, db + SN_TH2);
    sn_mul3(t.Q, dp2, m);
    sn_cross3(a, m, db + SN_TH1);
    return sn_dot3(a, m) - sn_dot3(a, dp1);
}

/* The output `force` */
#define SN_RELATIVE_FORCE SN_END3_OUTPUT

static inline sn_status sn_relative_force(const sn_in *in, sn_end3_eval *eval, int end, double *y, sn_dout *d)
{
    return sn_end3_force(in, eval, end, y, d);
}

static inline sn_status sn_relative_dforce(const sn_in *in, sn_end3_dparam *dparam, int end, int index,
                                           double *dy)
{
    return sn_end3_dforce(in, dparam, end, index, dy);
}

/* The angle about the axis jumps at pi. */
static inline int sn_relative_limit(const sn_in *in, sn_limit *l)
{
    const double pi = 3.14159265358979323846, *q = in->q, back[4] = {q[3], -q[4], -q[5], -q[6]};
    double p[4];
    if (sn_pair3_cos_half(q) > 0.156) return 0; /* cos(0.45 pi): the twist is no larger than the rotation */
    sn_quat_mul(back, q + 10, p);
    *l = (sn_limit){"its bodies are turned against each other about the axis by",
                    "its angle is known within half a turn only",
                    2 * atan2(fabs(sn_dot3(in->c, p + 1)), p[0]), pi, 0};
    return l->angle >= SN_LIMIT_NEAR * pi;
}

#endif
