/* force2d: force and torque on a planar node, or a load spread over the length of an element.

   At a node the force acts at x + p, p = R(theta) point. Dead: f is given in global axes and the moment is
   torque + n.f with n = dp/dtheta. Follower: f turns with the node, R(theta) f, and the moment
   torque + point x f is constant. Over an element per_length is what counts: that element spreads it with
   its own shape functions. */
#include "sinew/class.h"
#include "math/plane.h"

extern const sn_element_class sn_element_force2d;

enum { FORCE, TORQUE = FORCE + 2, PER_LENGTH, POINT = PER_LENGTH + 3, NS = POINT + 2 };
enum { OPT_FOLLOWER };

static inline int turns(const sn_in *in) { return sn_is_frame(in->view, 0); }

/* Residual of force f at `point`: bilinear in both */
static inline void force_at(const sn_in *in, const double *f, const double *point, double *r)
{
    double p[2], n[2], F[2];
    if (in->opt[OPT_FOLLOWER] && turns(in)) {
        sn_rot2(in->q[2], f, F);
        r[0] -= F[0];
        r[1] -= F[1];
        r[2] -= point[0] * f[1] - point[1] * f[0];
        return;
    }
    r[0] -= f[0];
    r[1] -= f[1];
    if (!turns(in) || (point[0] == 0 && point[1] == 0)) return;
    sn_rot2(in->q[2], point, p);
    sn_perp2(p, n);
    r[2] -= sn_dot2(n, f);
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    const double *s = in->s;
    double F[2], dF[2];
    (void)C;
    (void)M;
    force_at(in, s + FORCE, s + POINT, r);
    if (!turns(in)) return SN_OK;
    r[2] -= s[TORQUE];
    if (!K) return SN_OK;
    if (in->opt[OPT_FOLLOWER]) {
        sn_rot2(in->q[2], s + FORCE, F);
        sn_perp2(F, dF);
        K[2] -= dF[0];
        K[5] -= dF[1];
    } else {
        /* dn/dtheta = -p */
        sn_rot2(in->q[2], s + POINT, F);
        K[8] += sn_dot2(F, s + FORCE);
    }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    const double *s = in->s,
                 e[2] = {index == FORCE || index == POINT, index == FORCE + 1 || index == POINT + 1};
    double d[3] = {0, 0, 0};
    if (index == TORQUE && turns(in)) dr[2] -= 1;
    if (index >= FORCE && index < TORQUE) {
        force_at(in, e, s + POINT, d);
    } else if (index >= POINT && index < NS && turns(in)) {
        /* only the moment depends on the point, linearly */
        force_at(in, s + FORCE, e, d);
        d[0] = d[1] = 0;
    }
    for (int i = 0; i < in->nv; i++) dr[i] += d[i];
    return SN_OK;
}

static sn_status layout(sn_layout *l, sn_err *err)
{
    if (l->opt[OPT_FOLLOWER] && l->nn == 1 && !sn_is_frame(l->view, 0))
        return sn_fail(
            err, SN_ERR_INPUT, NULL,
            "a follower force turns with its node, but this node has no rotation (use a frame2d node)");
    return SN_OK;
}

static const sn_slot slots[] = {
    {"force", "N", "force on the node", 2, SN_VARIES | SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"torque", "N*m", "torque on the node", 1, SN_VARIES | SN_NEEDS_ROT, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"per_length", "N/m", "force on an element, per unit of its length", 2, SN_VARIES | SN_ROTATES, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {"torque_per_length", "N", "torque on an element, per unit of its length", 1, SN_VARIES, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    {"point", "m",
     "point where the force acts, relative to the node, in the axes of the reference configuration", 2,
     SN_ROTATES | SN_NEEDS_ROT | SN_ON_NODE1, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {0},
};

static const sn_option options[] = {
    {"follower", "no|yes", "the load turns with its node or element", 0},
    {0},
};

const sn_element_class sn_element_force2d = {
    .name = "force2d",
    .doc = "force and torque on a planar node, or a line load on an element",
    .args =
        {.what = SN_ARG_NODE | SN_ARG_ELEMENT, .min = 1, .max = 1, .dim = 2, .ask = SN_POSITION | SN_FRAME},
    .slots = slots,
    .options = options,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
    .load = &(const sn_load){.slot = PER_LENGTH, .option = OPT_FOLLOWER + 1},
};
