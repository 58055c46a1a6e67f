/* translation_drive: prescribes how far a point of body 2 has moved along an axis of body 1 since the
   reference configuration, phi = (R1 axis) . (p2 - p1) - value(t). The multiplier is, with its sign changed,
   the force of the drive on body 2 along the axis. */
#include "joint/space.h"

extern const sn_joint_class sn_joint_translation_drive;

enum { VALUE = 6 };

static const sn_slot slots[] = {
    SN_SPACE_AT,
    SN_SPACE_AXIS("axis", "of the drive"),
    {"value", "m", "displacement of body 2 along the axis from the reference configuration", 1, SN_VARIES,
     SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static const sn_space list = {
    .n = 1,
    .eq = {{SN_WITHIN, 2, 0, "value", "m"}},
    .at = 0,
    .axis = 3,
    .axis2 = -1,
};

static sn_status layout(sn_layout *l, sn_err *err) { return sn_space_layout(&list, l, err); }

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    return sn_space_prepare(&list, in, c, err);
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    SN_TRY(sn_space_eval(&list, in, out));
    out->phi[0] -= in->s[VALUE];
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    SN_TRY(sn_space_rate(&list, in, phi_t, gamma));
    phi_t[0] -= in->sd[VALUE];
    gamma[0] -= in->sdd[VALUE];
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    if (index == VALUE) dphi[0] -= 1;
    return sn_space_dparam(&list, in, index, dr, dphi);
}

static const sn_geometry geometry = {SN_SHAPE_NONE, SN_STRAIGHT, "slider", 0, NULL};

const sn_joint_class sn_joint_translation_drive = {
    .name = "translation_drive",
    .doc = "prescribes the displacement of a spatial node along an axis of a frame",
    .args = {.what = SN_ARG_NODE,
             .min = 2,
             .max = 2,
             .dim = 3,
             .ask = SN_POSITION | SN_FRAME,
             .ask_first = SN_FRAME},
    .slots = slots,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
    .geometry = &geometry,
};
