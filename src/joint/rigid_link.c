/* rigid_link: welds a second node to a first one at their relative placement in the reference configuration.

     phi_xy = x2 - x1 - R(theta1) (X2 - X1)       phi_theta = theta2 - theta1

   The first node must be a frame; for a second node that is a point the third equation is missing.

   In space likewise: the ball's equations at node 2 and, between frames, the skew part of R1'R2 (the sine of
   the relative rotation). */
#include "joint/space.h"
#include "math/plane.h"

extern const sn_joint_class sn_joint_rigid_link;

static const sn_slot slots[] = {{.name = NULL}};

static const sn_space link3 = {
    .n = 6,
    .eq = {{SN_ALONG, 0, 0, "x", "m"},
           {SN_ALONG, 1, 0, "y", "m"},
           {SN_ALONG, 2, 0, "z", "m"},
           {SN_SKEW, 2, 1, "rx", "rad"},
           {SN_SKEW, 0, 2, "ry", "rad"},
           {SN_SKEW, 1, 0, "rz", "rad"}},
    .at = -1,
    .axis = -1,
    .axis2 = -1,
};
static const sn_space link3_point = {
    .n = 3,
    .eq = {{SN_ALONG, 0, 0, "x", "m"}, {SN_ALONG, 1, 0, "y", "m"}, {SN_ALONG, 2, 0, "z", "m"}},
    .at = -1,
    .axis = -1,
    .axis2 = -1,
};

static const sn_space *space_of(const unsigned *view) { return sn_is_frame(view, 1) ? &link3 : &link3_point; }

static sn_status layout(sn_layout *l, sn_err *err)
{
    if (l->dim == 3) return sn_space_layout(space_of(l->view), l, err);
    l->m = sn_is_frame(l->view, 1) ? 3 : 2;
    l->vector = 1;
    l->component[0] = "x";
    l->component[1] = "y";
    l->component[2] = "theta";
    l->unit[0] = l->unit[1] = "m";
    l->unit[2] = "rad";
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    return in->dim == 3 ? sn_space_prepare(space_of(in->view), in, c, err) : SN_OK;
}

/* p = R(theta1) (X2 - X1), pp its quarter turn */
static void arm(const sn_in *in, double *p, double *pp)
{
    const double s[2] = {in->X[3] - in->X[0], in->X[4] - in->X[1]};
    sn_rot2(in->q[2], s, p);
    sn_perp2(p, pp);
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    double p[2], pp[2], *B = out->B;
    int nv = in->nv;
    if (in->dim == 3) return sn_space_eval(space_of(in->view), in, out);
    arm(in, p, pp);
    if (B) memset(B, 0, sizeof *B * (size_t)(in->m * nv));
    for (int k = 0; k < 2; k++) {
        out->phi[k] = in->q[3 + k] - in->q[k] - p[k];
        out->r[k] -= in->lam[k];
        out->r[3 + k] += in->lam[k];
        if (!B) continue;
        B[k * nv + k] = -1;
        B[k * nv + 2] = -pp[k];
        B[k * nv + 3 + k] = 1;
    }
    out->r[2] -= sn_dot2(pp, in->lam);
    if (out->K) out->K[2 * nv + 2] += sn_dot2(p, in->lam);
    if (in->m < 3) return SN_OK;
    out->phi[2] = in->q[5] - in->q[2];
    out->r[2] -= in->lam[2];
    out->r[5] += in->lam[2];
    if (B) {
        B[2 * nv + 2] = -1;
        B[2 * nv + 5] = 1;
    }
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    double p[2], pp[2], w = in->v[2];
    if (in->dim == 3) return sn_space_rate(space_of(in->view), in, phi_t, gamma);
    arm(in, p, pp);
    for (int i = 0; i < in->m; i++) {
        phi_t[i] = 0;
        gamma[i] = i < 2 ? w * w * p[i] : 0;
    }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    double ds[2] = {0, 0}, p[2], pp[2];
    int x = index - in->ns;
    if (in->dim == 3) return sn_space_dparam(space_of(in->view), in, index, dr, dphi);
    if (x < 0 || x > 4 || x == 2) return SN_OK;
    ds[x % 3] = x < 3 ? -1 : 1;
    sn_rot2(in->q[2], ds, p);
    sn_perp2(p, pp);
    for (int k = 0; k < 2; k++) dphi[k] -= p[k];
    dr[2] -= sn_dot2(pp, in->lam);
    return SN_OK;
}

static const sn_geometry geometry = {SN_SHAPE_LINE, SN_STRAIGHT, "weld", 0, NULL};

const sn_joint_class sn_joint_rigid_link = {
    .name = "rigid_link",
    .doc = "welds a node to a frame, keeping their relative placement in the reference configuration",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .ask = SN_POSITION | SN_FRAME, .ask_first = SN_FRAME},
    .slots = slots,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
    .geometry = &geometry,
};
