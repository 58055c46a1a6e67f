/* distance: keeps two planar nodes at a distance, phi = |x2 - x1| - length. The length may vary in time (a
   hydraulic cylinder). Rotations of the nodes do not enter. With the unit vector u from node 1 to node 2 and
   l = |x2 - x1|: B = (-u, u), d(B'lam)/dq = lam (I - u u')/l in the difference of positions; the multiplier
   is the tension. Limit: nodes that coincide have no
   direction, which is an error. */
#include "sinew/class.h"
#include "math/plane.h"

#include <string.h>

extern const sn_joint_class sn_joint_distance;

static const sn_slot slots[] = {
    {"length", "m", "distance of the nodes", 1, SN_VARIES | SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE,
     "hypot(@2.x-@1.x, @2.y-@1.y)"},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->m = 1;
    l->component[0] = "length";
    l->unit[0] = "m";
    return SN_OK;
}

/* u = direction from node 1 to node 2; returns their distance */
static double direction(const sn_in *in, double *u)
{
    const double *x1 = in->q + in->off[0], *x2 = in->q + in->off[1];
    const double d[2] = {x2[0] - x1[0], x2[1] - x1[1]};
    return sn_unit2(d, u);
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    double u[2], l = direction(in, u), lam = in->lam[0];
    int nv = in->nv, o[2] = {in->offv[0], in->offv[1]};
    if (!(l > 0)) return SN_ERR_NUMERIC;
    out->phi[0] = l - in->s[0];
    if (out->B) memset(out->B, 0, sizeof *out->B * (size_t)nv);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            double b = i ? u[k] : -u[k];
            out->r[o[i] + k] += b * lam;
            if (out->B) out->B[o[i] + k] = b;
        }
    }
    if (!out->K) return SN_OK;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++)
                for (int n = 0; n < 2; n++)
                    out->K[(o[i] + k) * nv + o[j] + n] +=
                        (i == j ? lam : -lam) * ((k == n) - u[k] * u[n]) / l;
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    double u[2], uu[2], l = direction(in, u);
    const double *v1 = in->v + in->offv[0], *v2 = in->v + in->offv[1], dv[2] = {v2[0] - v1[0], v2[1] - v1[1]};
    if (!(l > 0)) return SN_ERR_NUMERIC;
    /* centripetal part: square of the lateral relative velocity over the distance */
    sn_perp2(u, uu);
    double w = sn_dot2(uu, dv);
    phi_t[0] = -in->sd[0];
    gamma[0] = w * w / l - in->sdd[0];
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    (void)in;
    (void)dr;
    if (index == 0) dphi[0] -= 1;
    return SN_OK;
}

const sn_joint_class sn_joint_distance = {
    .name = "distance",
    .doc = "keeps two nodes at a distance, which may vary in time",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 2},
    .slots = slots,
    .layout = layout,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
};
