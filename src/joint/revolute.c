/* revolute: a hinge between two spatial frames. A point of the axis and the axis itself are common: the
   ball's three equations, and the axis of body 2 square to two axes x, y of body 1.

   Friction of the bearing: torque ct w + mu radius N f(radius w) about the axis against the relative spin w,
   with N^2 = |lam|^2 + preload^2 of the force alone (joint_friction.h). The axis is the same in both bodies,
   so that w = z . (w2 - w1) with the spins in body axes, and its gradient is constant. */
#include "joint/joint_friction.h"
#include "joint/space.h"

extern const sn_joint_class sn_joint_revolute;

enum { CT = 6 };

static const sn_slot slots[] = {
    SN_SPACE_AT, SN_SPACE_AXIS("axis", "of the hinge"), SN_JOINT_FRICTION_BEARING, {.name = NULL}};

static const sn_space list = {
    .n = 5,
    .eq = {{SN_ALONG, 0, 0, "x", "m"},
           {SN_ALONG, 1, 0, "y", "m"},
           {SN_ALONG, 2, 0, "z", "m"},
           {SN_SQUARE, 0, 2, "tilt1", "rad"},
           {SN_SQUARE, 1, 2, "tilt2", "rad"}},
    .at = 0,
    .axis = 3,
    .axis2 = -1,
};

static sn_status layout(sn_layout *l, sn_err *err) { return sn_space_layout(&list, l, err); }

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    SN_TRY(sn_joint_friction_check_bearing(in->s + CT, err));
    return sn_space_prepare(&list, in, c, err);
}

/* gradient of the relative angle about z */
static void spin_of(const sn_in *in, const double *z, double *g)
{
    memset(g, 0, sizeof *g * SN_PAIR_MAX);
    for (int i = 0; i < 3; i++) {
        g[in->offv[0] + 3 + i] = -z[i];
        g[in->offv[1] + 3 + i] = z[i];
    }
}

static void friction_of(const sn_in *in, double *g, sn_joint_friction *y)
{
    spin_of(in, in->c + SN_SPACE_AXES + 6, g);
    sn_joint_friction_bearing(in->s + CT, 3, in->lam, y);
    sn_joint_friction_at(in->s + CT, sn_joint_friction_speed(in, g), y);
}

static int has_friction(const double *s) { return sn_joint_friction_acts(s + CT); }

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    double g[SN_PAIR_MAX];
    sn_joint_friction y;
    SN_TRY(sn_space_eval(&list, in, out));
    sn_joint_friction_none(in, out);
    if (!sn_joint_friction_acts(in->s + CT)) return SN_OK;
    friction_of(in, g, &y);
    sn_joint_friction_add(in, g, NULL, &y, out);
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    return sn_space_rate(&list, in, phi_t, gamma);
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    double g[SN_PAIR_MAX], dg[SN_PAIR_MAX], dc[SN_SPACE_NC];
    int own = index >= CT && index < in->ns;
    sn_joint_friction y;
    if (!own) SN_TRY(sn_space_dparam(&list, in, index, dr, dphi));
    if (!own && !sn_joint_friction_acts(in->s + CT)) return SN_OK;
    friction_of(in, g, &y);
    if (own) {
        sn_joint_friction_dadd(in, g, NULL, &y, sn_joint_friction_by(in->s + CT, 1, index - CT, &y), dr);
    } else {
        sn_space_dconstants(&list, in, index, dc);
        spin_of(in, dc + SN_SPACE_AXES + 6, dg);
        sn_joint_friction_dadd(in, g, dg, &y, 0, dr);
    }
    return SN_OK;
}

static const sn_geometry geometry = {SN_SHAPE_NONE, SN_STRAIGHT, "hinge", 0, NULL};

const sn_joint_class sn_joint_revolute = {
    .name = "revolute",
    .doc = "hinge between two spatial frames, with bearing friction",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_FRAME},
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
