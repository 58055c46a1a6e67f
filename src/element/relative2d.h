/* Relative coordinates of two planar frames: sliding of a point of body 2 along an axis that is fixed
   in body 1, s = a1.e - a.s1 with a1 = R1 a, e = x2 + R2 s2 - x1 (0 in the reference), and turning, theta2 -
   theta1. The kind's first slots are axis (0, 1) and at (2, 3). Constants: a (0, 1), arms s_i = at - X_i
   (2..5), length of the axis as given (6). */
#ifndef SN_ELEMENT_RELATIVE2D_H
#define SN_ELEMENT_RELATIVE2D_H

#include "element/relative.h"
#include "math/slide2.h"

enum { SN_AXIS2, SN_AT2 = 2, SN_RELATIVE_BASE = 4 };

#define SN_RELATIVE_SLOTS                                                                                    \
    {"axis",                                                                                                 \
     "",                                                                                                     \
     "direction of sliding in the reference configuration, of any length; fixed in body 1",                  \
     2,                                                                                                      \
     SN_ROTATES,                                                                                             \
     SN_REQUIRED,                                                                                            \
     -SN_INFINITE,                                                                                           \
     SN_INFINITE,                                                                                            \
     "1;0"},                                                                                                 \
    {                                                                                                        \
        "at", "m", "the sliding point of body 2 in the reference configuration", 2,                          \
            SN_PLACED | SN_ON_NODE1 | SN_ON_NODE2, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, "@2.x;@2.y"       \
    }

static inline sn_status sn_relative_layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = 7;
    return SN_OK;
}

static inline sn_status sn_relative_prepare(const sn_in *in, double *c, sn_err *err)
{
    c[6] = sn_unit2(in->s + SN_AXIS2, c);
    if (!(c[6] > 0)) return sn_fail(err, SN_ERR_INPUT, NULL, "the axis has no direction: it is (0, 0)");
    for (int k = 0; k < 2; k++) {
        c[2 + k] = in->s[SN_AT2 + k] - in->X[k];
        c[4 + k] = in->s[SN_AT2 + k] - in->X[3 + k];
    }
    return SN_OK;
}

static inline sn_status sn_relative_coordinate(const sn_in *in, int which, int tangent, sn_relative *y)
{
    sn_slide2 g;
    if (which == SN_TURN) {
        y->s = in->q[5] - in->q[2];
        y->b[2] = -1;
        y->b[5] = 1;
        return SN_OK;
    }
    sn_slide2_open(in->q, in->c, in->c + 4, &g);
    y->s = sn_dot2(g.a, g.e) - sn_dot2(in->c, in->c + 2);
    sn_slide2_gradient(&g, y->b);
    if (tangent) sn_slide2_curvature(&g, 1, y->H);
    return SN_OK;
}

static inline double sn_relative_dcoordinate(const sn_in *in, int which, int index, double *db)
{
    int x = index - in->ns;
    double da[2] = {0, 0}, ds1[2] = {0, 0}, ds2[2] = {0, 0};
    sn_slide2 g;
    if (which == SN_TURN) return 0;
    if (index < SN_AT2)
        sn_dunit2(in->c, in->c[6], index, da);
    else if (index < SN_RELATIVE_BASE)
        ds1[index - SN_AT2] = ds2[index - SN_AT2] = 1;
    else if (x >= 0 && x < 2)
        ds1[x] = -1;
    else if (x == 3 || x == 4)
        ds2[x - 3] = -1;
    else
        return 0;
    sn_slide2_open(in->q, in->c, in->c + 4, &g);
    return sn_slide2_change(in->q, &g, da, ds2, db) - sn_dot2(da, in->c + 2) - sn_dot2(in->c, ds1);
}

/* The output `force`: what acts on the element at its end, r in the rows of that node */
typedef sn_status sn_relative2_eval(const sn_in *in, double *r, double *K, double *C, double *M);
typedef sn_status sn_relative2_dparam(const sn_in *in, int index, double *dr);

static inline sn_status sn_relative_force(const sn_in *in, sn_relative2_eval *eval, int end, double *y,
                                          sn_dout *d)
{
    double r[6] = {0}, K[36] = {0}, C[36] = {0};
    int o = end == 1 ? 0 : 3;
    SN_TRY(eval(in, r, d ? K : NULL, d ? C : NULL, NULL));
    memcpy(y, r + o, 3 * sizeof *y);
    for (int i = 0; d && i < 18; i++) {
        if (d->q) d->q[i] += K[6 * o + i];
        if (d->v) d->v[i] += C[6 * o + i];
    }
    return SN_OK;
}

static inline sn_status sn_relative_dforce(const sn_in *in, sn_relative2_dparam *dparam, int end, int index,
                                           double *dy)
{
    double dr[6] = {0};
    SN_TRY(dparam(in, index, dr));
    memcpy(dy, dr + (end == 1 ? 0 : 3), 3 * sizeof *dy);
    return SN_OK;
}

#define SN_RELATIVE_FORCE                                                                                    \
    {                                                                                                        \
        "force", "force on the element at its end (2 unless asked)", 3, {"fx", "fy", "torque"},              \
        {                                                                                                    \
            "N", "N", "N*m"                                                                                  \
        }                                                                                                    \
    }

#endif
