/* rolling2d: a wheel that rolls on a straight line without slip. The node is the wheel's centre.

     phi_1 = n . (x - point) - radius            position level: contact; t = direction / |direction|, n = t
   turned by +90 degrees psi_2 = v . t + radius omega                velocity level: the material point of
   contact is at rest

   The centre is on the side of n; rolling along +t turns the wheel by negative omega. The contact holds both
   ways: the wheel is not released when the first multiplier would pull. Reaction B_1'lam_1 + G_2'lam_2. Slots
   radius (0), point (1, 2), direction (3, 4). Constants: t (0, 1), length of the direction as given (2). */
#include "sinew/class.h"
#include "math/plane.h"

#include <string.h>

extern const sn_joint_class sn_joint_rolling2d;

static const sn_slot slots[] = {
    {"radius", "m", "of the wheel", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"point", "m", "a point of the line", 2, SN_PLACED, SN_REQUIRED, -SN_INFINITE, SN_INFINITE,
     "@1.x + radius*direction.y/hypot(direction.x, direction.y); @1.y - "
     "radius*direction.x/hypot(direction.x, direction.y)"},
    {"direction", "", "of the line, of any length; the wheel is on its left", 2, SN_ROTATES, SN_REQUIRED,
     -SN_INFINITE, SN_INFINITE, "1;0"},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = 3;
    l->m = 2;
    l->velocity = 1u << 1;
    l->component[0] = "contact";
    l->component[1] = "slip";
    l->unit[0] = "m";
    l->unit[1] = "m/s";
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    c[2] = sn_unit2(in->s + 3, c);
    if (!(c[2] > 0)) return sn_fail(err, SN_ERR_INPUT, NULL, "the direction of the line is (0, 0)");
    return SN_OK;
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    const double *t = in->c, radius = in->s[0], *lam = in->lam;
    const double d[2] = {in->q[0] - in->s[1], in->q[1] - in->s[2]};
    double n[2];
    sn_perp2(t, n);
    out->phi[0] = sn_dot2(n, d) - radius;
    out->phi[1] = sn_dot2(t, in->v) + radius * in->v[2];
    for (int k = 0; k < 2; k++) out->r[k] += n[k] * lam[0] + t[k] * lam[1];
    out->r[2] += radius * lam[1];
    if (!out->B) return SN_OK;
    memset(out->B, 0, 6 * sizeof *out->B);
    memset(out->G, 0, 6 * sizeof *out->G);
    memcpy(out->B, n, sizeof n);
    memcpy(out->G + 3, t, sizeof n);
    out->G[3 + 2] = radius;
    return SN_OK;
}

/* Both rows are linear with constant coefficients. */
static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    (void)in;
    phi_t[0] = phi_t[1] = gamma[0] = gamma[1] = 0;
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    const double *t = in->c, *lam = in->lam, d[2] = {in->q[0] - in->s[1], in->q[1] - in->s[2]};
    double n[2], dt[2], dn[2];
    sn_perp2(t, n);
    if (index == 0) {
        dphi[0] -= 1;
        dphi[1] += in->v[2];
        dr[2] += lam[1];
    } else if (index < 3) {
        dphi[0] -= n[index - 1];
    } else if (index < 5) {
        sn_dunit2(t, in->c[2], index - 3, dt);
        sn_perp2(dt, dn);
        dphi[0] += sn_dot2(dn, d);
        dphi[1] += sn_dot2(dt, in->v);
        for (int k = 0; k < 2; k++) dr[k] += dn[k] * lam[0] + dt[k] * lam[1];
    }
    return SN_OK;
}

static const sn_geometry geometry = {SN_SHAPE_NONE, SN_STRAIGHT, "joint", 0, NULL};

const sn_joint_class sn_joint_rolling2d = {
    .name = "rolling2d",
    .doc = "wheel rolling on a straight line without slip",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 2, .ask = SN_FRAME},
    .slots = slots,
    .flags = SN_USES_V | SN_VELOCITY_LEVEL,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
    .geometry = &geometry,
};
