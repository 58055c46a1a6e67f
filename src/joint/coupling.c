/* coupling: a linear equation between coordinates (gears, racks, differentials),
   phi = sum_i factors_i (q_i - X_i) - offset(t), with the displacements from the reference configuration.
   One factor a coordinate. Slots: factors (0 .. n - 1), offset (n). */
#include "sinew/class.h"

#include <string.h>

extern const sn_joint_class sn_joint_coupling;

static const sn_slot slots[] = {
    {"factors", "", "one for each coordinate", 0, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"offset", "", "value of the sum", 1, SN_VARIES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    if (l->slot_n[0] != l->nn)
        return sn_fail(err, SN_ERR_INPUT, NULL, "%d coordinates need as many factors, not %d", l->nn,
                       l->slot_n[0]);
    l->m = 1;
    l->component[0] = "sum";
    l->unit[0] = "1";
    return SN_OK;
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    out->phi[0] = -in->s[in->nn];
    if (out->B) memset(out->B, 0, sizeof *out->B * (size_t)in->nv);
    for (int i = 0; i < in->nn; i++) {
        int j = in->coord[i];
        out->phi[0] += in->s[i] * (in->q[j] - in->X[j]);
        out->r[j] += in->s[i] * in->lam[0];
        if (out->B) out->B[j] += in->s[i];
    }
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    phi_t[0] = -in->sd[in->nn];
    gamma[0] = -in->sdd[in->nn];
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    int n = in->nn;
    if (index < n) {
        int j = in->coord[index];
        dphi[0] += in->q[j] - in->X[j];
        dr[j] += in->lam[0];
    } else if (index == n) {
        dphi[0] -= 1;
    }
    for (int i = 0; i < n; i++)
        if (index - in->ns == in->coord[i]) dphi[0] -= in->s[i];
    return SN_OK;
}

const sn_joint_class sn_joint_coupling = {
    .name = "coupling",
    .doc = "linear equation between coordinates: gears, racks",
    .args = {.what = SN_ARG_COORD, .min = 2, .max = 4},
    .slots = slots,
    .layout = layout,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
};
