/* prismatic2d: a slider between two planar frames. A point of body 2 slides along an axis that is fixed in
   body 1, and the bodies do not turn against each other.

     phi_1 = n1 . (x2 + R(theta2) s2 - x1 - R(theta1) s1)      n1 = R(theta1) n, n the axis turned by +90
   degrees phi_2 = theta2 - theta1

   With e = x2 + R(theta2) s2 - x1 the first is n1 . e - n . s1, whose derivatives are short. s_i = at - X_i.
   Constants: n (0, 1), s1 (2, 3), s2 (4, 5), length of the axis as given (6).

   Friction of the guide: force c v + mu N f(v) along the axis against the sliding speed, the rate of the same
   projection on the axis; N from the normal force and the moment over the guide's length (joint_friction.h).
 */
#include "joint/joint_friction.h"
#include "math/slide2.h"

#include <string.h>

extern const sn_joint_class sn_joint_prismatic2d;

static const sn_slot slots[] = {
    {"axis", "", "direction of sliding in the reference configuration, of any length", 2, SN_ROTATES,
     SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"at", "m", "a point of the axis in the reference configuration", 2,
     SN_PLACED | SN_ON_NODE1 | SN_ON_NODE2, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, "@j.x;@j.y"},
    SN_JOINT_FRICTION_GUIDE,
    {.name = NULL},
};
enum { C = 4 };

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = 7;
    l->m = 2;
    l->component[0] = "normal";
    l->component[1] = "theta";
    l->unit[0] = "m";
    l->unit[1] = "rad";
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    double axis[2];
    c[6] = sn_unit2(in->s, axis);
    if (!(c[6] > 0)) return sn_fail(err, SN_ERR_INPUT, NULL, "the axis has no direction: it is (0, 0)");
    sn_perp2(axis, c);
    for (int k = 0; k < 2; k++) {
        c[2 + k] = in->s[2 + k] - in->X[k];
        c[4 + k] = in->s[2 + k] - in->X[3 + k];
    }
    return SN_OK;
}

/* Friction of the guide; b: gradient of the way along the axis */
static void friction_of(const sn_in *in, sn_slide2 *g, double *b, sn_joint_friction *y)
{
    static const int force[] = {0}, moment[] = {1};
    static const double sign[] = {1};
    const double axis[2] = {in->c[1], -in->c[0]};
    sn_slide2_open(in->q, axis, in->c + 4, g);
    sn_slide2_gradient(g, b);
    sn_joint_friction_guide(in->s + C, 1, force, moment, sign, in->lam, y);
    sn_joint_friction_at(in->s + C, sn_joint_friction_speed(in, b), y);
}

static void add_friction(const sn_in *in, sn_joint_out *out)
{
    double b[6], H[36] = {0};
    sn_slide2 g;
    sn_joint_friction y;
    friction_of(in, &g, b, &y);
    if (out->K) sn_slide2_curvature(&g, 1, H);
    sn_joint_friction_add(in, b, H, &y, out);
}

static int has_friction(const double *s) { return sn_joint_friction_acts(s + C); }

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    double b[6], lam = in->lam[0];
    sn_slide2 g;
    sn_slide2_open(in->q, in->c, in->c + 4, &g);
    sn_slide2_gradient(&g, b);
    out->phi[0] = sn_dot2(g.a, g.e) - sn_dot2(in->c, in->c + 2);
    out->phi[1] = in->q[5] - in->q[2];
    for (int j = 0; j < 6; j++) out->r[j] += b[j] * lam;
    out->r[2] -= in->lam[1];
    out->r[5] += in->lam[1];
    if (out->B) {
        memcpy(out->B, b, sizeof b);
        memset(out->B + 6, 0, sizeof b);
        out->B[6 + 2] = -1;
        out->B[6 + 5] = 1;
    }
    if (out->K) sn_slide2_curvature(&g, lam, out->K);
    sn_joint_friction_none(in, out);
    if (sn_joint_friction_acts(in->s + C)) add_friction(in, out);
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    sn_slide2 g;
    sn_slide2_open(in->q, in->c, in->c + 4, &g);
    const double *v = in->v, dv[2] = {v[3] - v[0], v[4] - v[1]};
    phi_t[0] = phi_t[1] = 0;
    gamma[0] = -v[2] * v[2] * sn_dot2(g.a, g.e) + 2 * v[2] * sn_dot2(g.an, dv) +
               (2 * v[2] - v[5]) * v[5] * sn_dot2(g.a, g.p);
    gamma[1] = 0;
    return SN_OK;
}

/* Derivatives da of the axis, ds1, ds2 of the arms by the number `index`. */
static void dconstants(const sn_in *in, int index, double *da, double *ds1, double *ds2)
{
    int x = index - in->ns;
    da[0] = da[1] = ds1[0] = ds1[1] = ds2[0] = ds2[1] = 0;
    if (index < 2) {
        const double axis[2] = {in->c[1], -in->c[0]};
        sn_dunit2(axis, in->c[6], index, da);
    } else if (index < 4) {
        ds1[index - 2] = ds2[index - 2] = 1;
    } else if (x >= 0 && x < 2) {
        ds1[x] = -1;
    } else if (x == 3 || x == 4) {
        ds2[x - 3] = -1;
    }
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    sn_slide2 g;
    double da[2], dn[2], ds1[2], ds2[2], b[6], db[6];
    int own = index >= C && index < in->ns;
    sn_joint_friction y;
    dconstants(in, index, da, ds1, ds2);
    if (!own) {
        sn_perp2(da, dn);
        sn_slide2_open(in->q, in->c, in->c + 4, &g);
        dphi[0] += sn_slide2_change(in->q, &g, dn, ds2, db) - sn_dot2(dn, in->c + 2) - sn_dot2(in->c, ds1);
        for (int j = 0; j < 6; j++) dr[j] += in->lam[0] * db[j];
        if (!sn_joint_friction_acts(in->s + C)) return SN_OK;
    }
    friction_of(in, &g, b, &y);
    sn_slide2_change(in->q, &g, da, ds2, db);
    sn_joint_friction_dadd(in, b, own ? NULL : db, &y,
                           own ? sn_joint_friction_by(in->s + C, 0, index - C, &y) : 0, dr);
    return SN_OK;
}

static const sn_geometry drawn = {SN_SHAPE_NONE, SN_STRAIGHT, "slider", 0, NULL};

const sn_joint_class sn_joint_prismatic2d = {
    .name = "prismatic2d",
    .doc = "slider between two planar frames, without relative rotation, with friction in its guide",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 2, .ask = SN_FRAME},
    .slots = slots,
    .flags = SN_USES_V | SN_REACTION_DIFFERS,
    .has_friction = has_friction,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
    .geometry = &drawn,
};
