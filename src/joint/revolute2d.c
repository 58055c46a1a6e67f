/* revolute2d: a pin between two planar nodes, frames or points.

     phi = (x2 + R(theta2) s2) - (x1 + R(theta1) s1)                       two equations, along the global x
   and y

   s_i = at - X_i is the place of the pin seen from node i, in the reference configuration and fixed in the
   body. A node without rotation cannot carry an arm, so the pin must sit on it: s_i = 0. Constants: s1 (0,
   1), s2 (2, 3). The multipliers are the force that the pin puts on node 1, B'lam being on the left of the
   equations of motion.

   Friction of the bearing between two frames: torque ct w + mu radius N f(radius w) against the relative spin
   w, with N^2 = |lam|^2 + preload^2 (joint_friction.h).
 */
#include "sinew/class.h"
#include "joint/joint_friction.h"
#include "math/plane.h"

#include <string.h>

extern const sn_joint_class sn_joint_revolute2d;

static const double place_tol = 1e-9; /* relative distance at which a pin still sits on a point */

static const sn_slot slots[] = {
    {"at", "m", "place of the pin in the reference configuration", 2, SN_PLACED | SN_ON_NODE1 | SN_ON_NODE2,
     SN_REQUIRED, -SN_INFINITE, SN_INFINITE, "@j.x;@j.y"},
    SN_JOINT_FRICTION_BEARING,
    {.name = NULL},
};
enum { CT = 2 };

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = 4;
    l->m = 2;
    l->vector = 1;
    l->component[0] = "x";
    l->component[1] = "y";
    l->unit[0] = l->unit[1] = "m";
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    const double *at = in->s;
    double size = fabs(at[0]) + fabs(at[1]);
    SN_TRY(sn_joint_friction_check_bearing(in->s + CT, err));
    for (int i = 0; i < 2; i++) size = fmax(size, fabs(in->X[in->off[i]]) + fabs(in->X[in->off[i] + 1]));
    for (int i = 0; i < 2; i++) {
        const double *X = in->X + in->off[i];
        double *s = c + 2 * i;
        for (int k = 0; k < 2; k++) s[k] = at[k] - X[k];
        if (sn_is_frame(in->view, i)) continue;
        if (hypot(s[0], s[1]) > place_tol * size)
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "node %d has no rotation, so the joint must sit on it: 'at' is (%g, %g), the node "
                           "is at (%g, %g)",
                           i + 1, at[0], at[1], X[0], X[1]);
        s[0] = s[1] = 0;
    }
    return SN_OK;
}

/* p = R(theta_i) s; 0 for a point */
static void arm(const sn_in *in, int i, const double *s, double *p)
{
    if (sn_is_frame(in->view, i)) {
        sn_rot2(in->q[in->off[i] + 2], s, p);
    } else {
        p[0] = p[1] = 0;
    }
}

/* The bearing's friction: g the gradient of the relative angle */
static void friction_of(const sn_in *in, double *g, sn_joint_friction *y)
{
    for (int i = 0; i < 6; i++) g[i] = i == 5 ? 1 : i == 2 ? -1 : 0;
    sn_joint_friction_bearing(in->s + CT, 2, in->lam, y);
    sn_joint_friction_at(in->s + CT, sn_joint_friction_speed(in, g), y);
}

static inline int turns(const sn_in *in) { return sn_is_frame(in->view, 0) && sn_is_frame(in->view, 1); }

static int has_friction(const double *s) { return sn_joint_friction_acts(s + CT); }

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    int nv = in->nv;
    if (out->B) memset(out->B, 0, sizeof *out->B * (size_t)(2 * nv));
    out->phi[0] = out->phi[1] = 0;
    for (int i = 0; i < 2; i++) {
        int o = in->offv[i], frame = sn_is_frame(in->view, i);
        double sign = i ? 1 : -1, p[2], pp[2];
        arm(in, i, in->c + 2 * i, p);
        sn_perp2(p, pp);
        for (int k = 0; k < 2; k++) {
            out->phi[k] += sign * (in->q[in->off[i] + k] + p[k]);
            out->r[o + k] += sign * in->lam[k];
            if (out->B) out->B[k * nv + o + k] = sign;
            if (out->B && frame) out->B[k * nv + o + 2] = sign * pp[k];
        }
        if (frame) out->r[o + 2] += sign * sn_dot2(pp, in->lam);
        if (out->K && frame) out->K[(o + 2) * nv + o + 2] -= sign * sn_dot2(p, in->lam);
    }
    sn_joint_friction_none(in, out);
    if (sn_joint_friction_acts(in->s + CT) && turns(in)) {
        double g[6];
        sn_joint_friction y;
        friction_of(in, g, &y);
        sn_joint_friction_add(in, g, NULL, &y, out);
    }
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    phi_t[0] = phi_t[1] = gamma[0] = gamma[1] = 0;
    for (int i = 0; i < 2; i++) {
        if (!sn_is_frame(in->view, i)) continue;
        double w = in->v[in->offv[i] + 2], p[2];
        arm(in, i, in->c + 2 * i, p);
        for (int k = 0; k < 2; k++) gamma[k] -= (i ? 1 : -1) * w * w * p[k];
    }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    if (index >= CT && index < in->ns) {
        double g[6];
        sn_joint_friction y;
        if (!turns(in)) return SN_OK;
        friction_of(in, g, &y);
        sn_joint_friction_dadd(in, g, NULL, &y, sn_joint_friction_by(in->s + CT, 1, index - CT, &y), dr);
        return SN_OK;
    }
    for (int i = 0; i < 2; i++) {
        /* ds_i: both arms follow `at`, each goes against its own node */
        double ds[2] = {0, 0}, dp[2], dpp[2], sign = i ? 1 : -1;
        int own = index - in->ns - in->off[i];
        if (index < CT)
            ds[index] = 1;
        else if (own >= 0 && own < 2)
            ds[own] = -1;
        arm(in, i, ds, dp);
        sn_perp2(dp, dpp);
        for (int k = 0; k < 2; k++) dphi[k] += sign * dp[k];
        if (sn_is_frame(in->view, i)) dr[in->offv[i] + 2] += sign * sn_dot2(dpp, in->lam);
    }
    return SN_OK;
}

static const sn_geometry geometry = {SN_SHAPE_NONE, SN_STRAIGHT, "hinge", 0, NULL};

const sn_joint_class sn_joint_revolute2d = {
    .name = "revolute2d",
    .doc = "pin joint between two planar nodes, with bearing friction",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 2, .ask = SN_POSITION | SN_FRAME},
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
