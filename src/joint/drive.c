/* drive: prescribes a coordinate, phi = q_1 - value(t), or the difference of two, phi = q_2 - q_1 - value(t).
   The coordinate is the position itself (x, not the displacement); theta counts from the reference
   configuration. The multiplier is, with its sign changed, the force or moment that the drive puts on the
   (second) coordinate. */
#include "sinew/class.h"

#include <string.h>

extern const sn_joint_class sn_joint_drive;

static const sn_slot slots[] = {
    {"value", "", "value of the coordinate, or of the second minus the first", 1, SN_VARIES, SN_REQUIRED,
     -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->m = 1;
    l->component[0] = "value";
    l->unit[0] = "1";
    return SN_OK;
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    out->phi[0] = -in->s[0];
    if (out->B) memset(out->B, 0, sizeof *out->B * (size_t)in->nv);
    for (int i = 0; i < in->nn; i++) {
        int j = in->coord[i];
        double sign = i == in->nn - 1 ? 1 : -1;
        out->phi[0] += sign * in->q[j];
        out->r[j] += sign * in->lam[0];
        if (out->B) out->B[j] += sign;
    }
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    phi_t[0] = -in->sd[0];
    gamma[0] = -in->sdd[0];
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    (void)in;
    (void)dr;
    if (index == 0) dphi[0] -= 1;
    return SN_OK;
}

const sn_joint_class sn_joint_drive = {
    .name = "drive",
    .doc = "prescribes a coordinate, or the difference of two, as a function of time",
    .args = {.what = SN_ARG_COORD, .min = 1, .max = 2},
    .slots = slots,
    .layout = layout,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
};
