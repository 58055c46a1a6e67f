/* gear: couples the spins of two bodies a, b about axes that a carrier c (the ground where no third node is
   given) holds by joints of its own,

     psi = u1 . (w_a - w_c) - ratio u2 . (w_b - w_c)        velocity level

   Angular velocities are in body axes. Since the joints keep the axis u1 of body a on that of the carrier,
   its components in both bodies are the same constants: the equation is linear, and turns of any number stay
   coupled. Reaction G'lam: moments about the axes, the opposite of both on the carrier. Limit: without joints
   that hold the axes the equation has no meaning. Constants: u1 (0), u2 (3), lengths as given (6, 7). */
#include "joint/space.h"

extern const sn_joint_class sn_joint_gear;

enum { AXIS = 0, AXIS2 = 3, RATIO = 6 };

static const sn_slot slots[] = {
    SN_SPACE_AXIS("axis", "of the first body"),
    {"axis2", "", "of the second body; that of the first by default", 3, SN_ROTATES, SN_REQUIRED,
     -SN_INFINITE, SN_INFINITE, "axis.x;axis.y;axis.z"},
    {"ratio", "", "ratio of the first body's spin to the second's; negative: external gears on parallel axes",
     1, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = 8;
    l->m = 1;
    l->velocity = 1u;
    l->component[0] = "spin";
    l->unit[0] = "rad/s";
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    c[6] = sn_space_unit(in->s + AXIS, c);
    c[7] = sn_space_unit(in->s + AXIS2, c + 3);
    if (!(c[6] > 0) || !(c[7] > 0))
        return sn_fail(err, SN_ERR_INPUT, NULL, "an axis has no direction: it is (0, 0, 0)");
    return SN_OK;
}

/* g = dpsi/dv for axes u1, u2 and a ratio */
static void spin(const sn_in *in, const double *u1, const double *u2, double ratio, double *g)
{
    memset(g, 0, sizeof *g * (size_t)in->nv);
    for (int k = 0; k < 3; k++) {
        g[in->offv[0] + 3 + k] = u1[k];
        g[in->offv[1] + 3 + k] = -ratio * u2[k];
        if (in->nn > 2) g[in->offv[2] + 3 + k] = ratio * u2[k] - u1[k];
    }
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    double g[18];
    spin(in, in->c, in->c + 3, in->s[RATIO], g);
    out->phi[0] = 0;
    for (int i = 0; i < in->nv; i++) {
        out->phi[0] += g[i] * in->v[i];
        out->r[i] += g[i] * in->lam[0];
    }
    if (!out->B) return SN_OK;
    memset(out->B, 0, sizeof *out->B * (size_t)in->nv);
    memcpy(out->G, g, sizeof *out->G * (size_t)in->nv);
    return SN_OK;
}

/* Linear with constant coefficients. */
static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    (void)in;
    phi_t[0] = gamma[0] = 0;
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    double g[18], dw[3] = {0, 0, 0}, du[6] = {0}, ratio = in->s[RATIO];
    if (index > RATIO) return SN_OK;
    if (index < RATIO) dw[index % 3] = 1;
    if (index < AXIS2) sn_space_dunit(in->c, in->c[6], dw, du);
    if (index >= AXIS2 && index < RATIO) sn_space_dunit(in->c + 3, in->c[7], dw, du + 3);
    if (index == RATIO) memcpy(du + 3, in->c + 3, 3 * sizeof *du), ratio = 1;
    spin(in, du, du + 3, ratio, g);
    for (int i = 0; i < in->nv; i++) {
        dphi[0] += g[i] * in->v[i];
        dr[i] += g[i] * in->lam[0];
    }
    return SN_OK;
}

static const sn_geometry geometry = {SN_SHAPE_NONE, SN_STRAIGHT, "gear", 0, NULL};

const sn_joint_class sn_joint_gear = {
    .name = "gear",
    .doc =
        "couples the rotation of two spatial frames about axes of a carrier (the third node, or the ground)",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 3, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .flags = SN_USES_V | SN_VELOCITY_LEVEL,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
    .geometry = &geometry,
};
