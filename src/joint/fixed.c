/* fixed: holds coordinates of a planar node at given values, phi = q_k - value_k for each chosen k, in the
   order of the node's coordinates (x, y, theta). Slots x (0), y (1), theta (2), which may vary in time: a
   moving support. The support puts -lam on the node: force x, force y, moment. */
#include "sinew/class.h"

#include <string.h>

extern const sn_joint_class sn_joint_fixed;

static const sn_slot slots[] = {
    {"x", "m", "held value", 1, SN_VARIES, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, "@1.x"},
    {"y", "m", "held value", 1, SN_VARIES, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, "@1.y"},
    {"theta", "rad", "held value", 1, SN_VARIES | SN_NEEDS_ROT, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};
static const sn_option options[] = {
    {"only", "@coords", "the coordinates that are held (all)", -1},
    {.name = NULL},
};

/* The coordinate that equation i holds. */
static int held(unsigned mask, int i)
{
    int k = 0;
    for (;; k++)
        if ((mask >> k & 1u) && i-- == 0) return k;
}

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const name[] = {"x", "y", "theta"}, *const unit[] = {"m", "m", "rad"};
    unsigned mask = (unsigned)l->opt[0];
    l->m = 0;
    for (int k = 0; k < l->nv && k < 3; k++) {
        if (!(mask >> k & 1u)) continue;
        l->component[l->m] = name[k];
        l->unit[l->m++] = unit[k];
    }
    if (l->m == 0) return sn_fail(err, SN_ERR_INPUT, NULL, "'only' names no coordinate, so nothing is held");
    return SN_OK;
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    if (out->B) memset(out->B, 0, sizeof *out->B * (size_t)(in->m * in->nv));
    for (int i = 0; i < in->m; i++) {
        int k = held((unsigned)in->opt[0], i);
        out->phi[i] = in->q[k] - in->s[k];
        out->r[k] += in->lam[i];
        if (out->B) out->B[i * in->nv + k] = 1;
    }
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    for (int i = 0; i < in->m; i++) {
        int k = held((unsigned)in->opt[0], i);
        phi_t[i] = -in->sd[k];
        gamma[i] = -in->sdd[k];
    }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    (void)dr;
    for (int i = 0; i < in->m; i++)
        if (held((unsigned)in->opt[0], i) == index) dphi[i] -= 1;
    return SN_OK;
}

const sn_joint_class sn_joint_fixed = {
    .name = "fixed",
    .doc = "holds a node, or some of its coordinates",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 2},
    .slots = slots,
    .options = options,
    .layout = layout,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
};
