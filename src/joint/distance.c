/* distance: keeps two nodes at a distance, phi = |x2 - x1| - length. The length may vary in time (a
   hydraulic cylinder). Rotations of the nodes do not enter. With the unit vector u from node 1 to node 2 and
   l = |x2 - x1|: B = (-u, u), d(B'lam)/dq = lam (I - u u')/l in the difference of positions; the multiplier
   is the tension. Limit: nodes that coincide have no
   direction, which is an error. */
#include "sinew/class.h"

#include <math.h>
#include <string.h>

extern const sn_joint_class sn_joint_distance;

static const sn_slot slots[] = {
    {"length", "m", "distance of the nodes", 1, SN_VARIES | SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE,
     "sqrt((@2.x-@1.x)^2 + (@2.y-@1.y)^2 + (@2.z-@1.z)^2)"},
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
    double l = 0;
    for (int k = 0; k < in->dim; k++) {
        u[k] = x2[k] - x1[k];
        l += u[k] * u[k];
    }
    l = sqrt(l);
    for (int k = 0; k < in->dim; k++) u[k] /= l;
    return l;
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    double u[3], l = direction(in, u), lam = in->lam[0];
    int nv = in->nv, dim = in->dim, o[2] = {in->offv[0], in->offv[1]};
    if (!(l > 0)) return SN_ERR_NUMERIC;
    out->phi[0] = l - in->s[0];
    if (out->B) memset(out->B, 0, sizeof *out->B * (size_t)nv);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < dim; k++) {
            double b = i ? u[k] : -u[k];
            out->r[o[i] + k] += b * lam;
            if (out->B) out->B[o[i] + k] = b;
        }
    }
    if (!out->K) return SN_OK;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < dim; k++)
                for (int n = 0; n < dim; n++)
                    out->K[(o[i] + k) * nv + o[j] + n] +=
                        (i == j ? lam : -lam) * ((k == n) - u[k] * u[n]) / l;
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    double u[3], l = direction(in, u), along = 0, all = 0;
    const double *v1 = in->v + in->offv[0], *v2 = in->v + in->offv[1];
    if (!(l > 0)) return SN_ERR_NUMERIC;
    /* centripetal part: square of the lateral relative velocity over the distance */
    for (int k = 0; k < in->dim; k++) along += u[k] * (v2[k] - v1[k]);
    for (int k = 0; k < in->dim; k++) all += pow(v2[k] - v1[k] - along * u[k], 2);
    phi_t[0] = -in->sd[0];
    gamma[0] = all / l - in->sdd[0];
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    (void)in;
    (void)dr;
    if (index == 0) dphi[0] -= 1;
    return SN_OK;
}

static const sn_geometry geometry = {SN_SHAPE_LINE, SN_STRAIGHT, NULL, 0, NULL};

const sn_joint_class sn_joint_distance = {
    .name = "distance",
    .doc = "keeps two nodes at a distance, which may vary with time",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .ask = SN_POSITION | SN_FRAME},
    .slots = slots,
    .layout = layout,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
    .geometry = &geometry,
};
