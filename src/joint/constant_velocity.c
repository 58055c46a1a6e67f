/* constant_velocity: a ball joint that carries spin from a shaft of body 1 to one of body 2 at equal speed
   whatever the angle between them. The relative rotation of the shafts is a swing about an axis square to
   both, without twist: with axes x, y square to the shaft on body 1, and X, Y those that the swing from
   `axis` to `axis2` makes of them in the reference configuration,

     phi_4 = ((R1 y) . (R2 X) - (R1 x) . (R2 Y))/2 = 0.

   In other words the quaternion of the swing has no part along the shaft. X = x + s x x + s x (s x x)/(1 + c)
   with s = axis x axis2, c = axis . axis2 of unit vectors. Limit: the angle between the shafts is below 180
   degrees. Constants: those of space.h, X (20), Y (23). */
#include "joint/space.h"

extern const sn_joint_class sn_joint_constant_velocity;

static const sn_slot slots[] = {
    SN_SPACE_AT,
    SN_SPACE_AXIS("axis", "of the shaft of body 1, away from it"),
    {"axis2", "", "of the shaft of body 2, towards it: that of body 1 by default", 3, SN_ROTATES, SN_REQUIRED,
     -SN_INFINITE, SN_INFINITE, "axis.x;axis.y;axis.z"},
    {.name = NULL},
};

static const sn_space list = {
    .n = 3,
    .eq = {{SN_ALONG, 0, 0, "x", "m"}, {SN_ALONG, 1, 0, "y", "m"}, {SN_ALONG, 2, 0, "z", "m"}},
    .at = 0,
    .axis = 3,
    .axis2 = 6,
};
enum { SWUNG = SN_SPACE_NC };

static sn_status layout(sn_layout *l, sn_err *err)
{
    SN_TRY(sn_space_layout(&list, l, err));
    l->nc += 6;
    l->component[l->m] = "twist";
    l->unit[l->m++] = "rad";
    return SN_OK;
}

/* X = x + s x x + s x (s x x)/(1 + c) of one vector */
static void swing(const double *s, double c, const double *x, double *X)
{
    double a[3], b[3];
    sn_cross3(s, x, a);
    sn_cross3(s, a, b);
    for (int i = 0; i < 3; i++) X[i] = x[i] + a[i] + b[i] / (1 + c);
}

/* its derivative: s, c and x change by ds, dc, dx */
static void dswing(const double *s, double c, const double *x, const double *ds, double dc, const double *dx,
                   double *dX)
{
    double a[3], b[3], da[3], u[3], v[3];
    sn_cross3(s, x, a);
    sn_cross3(s, a, b);
    sn_cross3(ds, x, u);
    sn_cross3(s, dx, da);
    for (int i = 0; i < 3; i++) da[i] += u[i];
    sn_cross3(ds, a, u);
    sn_cross3(s, da, v);
    for (int i = 0; i < 3; i++)
        dX[i] = dx[i] + da[i] + (u[i] + v[i]) / (1 + c) - b[i] * dc / ((1 + c) * (1 + c));
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    const double *axis = c + SN_SPACE_AXES;
    double s[3];
    SN_TRY(sn_space_prepare(&list, in, c, err));
    sn_cross3(axis + 6, axis + 9, s);
    double cosine = sn_dot3(axis + 6, axis + 9);
    if (!(cosine > -0.999))
        return sn_fail(
            err, SN_ERR_INPUT, NULL,
            "'axis' and 'axis2' point against each other: the first leads to the joint, the second on");
    for (int k = 0; k < 2; k++) swing(s, cosine, axis + 3 * k, c + SWUNG + 3 * k);
    return SN_OK;
}

/* r = (square(D y, E X) - square(D x, E Y))/2 */
static void twist(const sn_pair *p, const double *D, const double *E, sn_row *r)
{
    sn_row one;
    *r = (sn_row){.phi = 0};
    for (int k = 0; k < 2; k++) {
        sn_pair_square(p, D + 3 * (1 - k), E + 3 * k, &one);
        sn_row_add(k ? -0.5 : 0.5, &one, r);
    }
}

static void curvature(const sn_in *in, const sn_pair *p, double lam, double *K)
{
    const double *D = in->c + SN_SPACE_AXES, *E = in->c + SWUNG;
    for (int k = 0; k < 2; k++) {
        double d[3];
        for (int i = 0; i < 3; i++) d[i] = (k ? -0.5 : 0.5) * lam * D[3 * (1 - k) + i];
        sn_pair_square_K(p, d, E + 3 * k, K);
    }
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    int n = list.n;
    sn_pair p;
    sn_row r;
    SN_TRY(sn_space_eval(&list, in, out));
    sn_space_pair(in, &p);
    twist(&p, in->c + SN_SPACE_AXES, in->c + SWUNG, &r);
    out->phi[n] = r.phi;
    sn_row_put(&p, in->lam[n], &r, out->r);
    if (!out->B) return SN_OK;
    memset(out->B + n * in->nv, 0, sizeof *out->B * (size_t)in->nv);
    sn_row_put(&p, 1, &r, out->B + n * in->nv);
    curvature(in, &p, in->lam[n], out->K);
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    double K[SN_PAIR_MAX * SN_PAIR_MAX] = {0};
    sn_pair p;
    SN_TRY(sn_space_rate(&list, in, phi_t, gamma));
    sn_space_pair(in, &p);
    curvature(in, &p, 1, K);
    phi_t[list.n] = 0;
    gamma[list.n] = sn_pair_bend(&p, K, in->v);
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    const double *axis = in->c + SN_SPACE_AXES;
    double dc[SN_SPACE_NC], *da = dc + SN_SPACE_AXES, s[3], ds[3], u[3], dE[6];
    sn_pair p;
    sn_row r, sum;
    SN_TRY(sn_space_dparam(&list, in, index, dr, dphi));
    if (index < 3 || index >= in->ns) return SN_OK;
    sn_space_pair(in, &p);
    sn_space_dconstants(&list, in, index, dc);
    sn_cross3(axis + 6, axis + 9, s);
    sn_cross3(da + 6, axis + 9, ds);
    sn_cross3(axis + 6, da + 9, u);
    for (int i = 0; i < 3; i++) ds[i] += u[i];
    double c = sn_dot3(axis + 6, axis + 9), dcos = sn_dot3(da + 6, axis + 9) + sn_dot3(axis + 6, da + 9);
    for (int k = 0; k < 2; k++) dswing(s, c, axis + 3 * k, ds, dcos, da + 3 * k, dE + 3 * k);
    twist(&p, da, in->c + SWUNG, &sum);
    twist(&p, axis, dE, &r);
    sn_row_add(1, &r, &sum);
    dphi[list.n] += sum.phi;
    sn_row_put(&p, in->lam[list.n], &sum, dr);
    return SN_OK;
}

static const sn_geometry geometry = {SN_SHAPE_NONE, SN_STRAIGHT, "hinge", 0, NULL};

const sn_joint_class sn_joint_constant_velocity = {
    .name = "constant_velocity",
    .doc = "joint between two shafts that rotate at equal speed at any angle",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
    .geometry = &geometry,
};
