/* attach: ties a frame to a node with a slope, made where something needs a frame there. Nodes: the node (x,
   p), the frame (y, R).

     phi_x = y - x,     phi_i = p . R n_i,  n_i across the slope of the reference configuration

   One n in the plane, two in space (the axes of joint/space.h that belong to p). The slope keeps its
   direction in the frame; its length, the stretch, stays free. In space so does the turn of the frame about
   it: a line has no torsion, and who uses the frame must hold that turn or give it an inertia. */
#include "joint/space.h"
#include "math/plane.h"

extern const sn_joint_class sn_joint_attach;

static const sn_slot slots[] = {{.name = NULL}};

/* Constants: two vectors n; the length of the reference slope */
enum { C_LENGTH = 6, NC };

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const name[] = {"x", "y", "z"}, *const across[] = {"p1", "p2"};
    (void)err;
    l->nc = NC;
    l->vector = 1;
    for (l->m = 0; l->m < l->dim; l->m++) l->component[l->m] = name[l->m], l->unit[l->m] = "m";
    for (int i = 0; i < l->dim - 1; i++, l->m++) l->component[l->m] = across[i], l->unit[l->m] = "1";
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    const double *P = in->X + in->dim;
    double z[3];
    for (int k = 0; k < NC; k++) c[k] = 0;
    c[C_LENGTH] = in->dim == 2 ? hypot(P[0], P[1]) : sn_space_unit(P, z);
    if (!(c[C_LENGTH] > 0))
        return sn_fail(err, SN_ERR_INPUT, NULL, "the slope of the node has no direction: it is zero");
    if (in->dim == 3)
        sn_space_triad(z, c, c + 3);
    else
        c[0] = -P[1] / c[C_LENGTH], c[1] = P[0] / c[C_LENGTH];
    return SN_OK;
}

/* dn by component k of the reference slope */
static void dacross(const sn_in *in, int k, double *dn)
{
    const double *P = in->X + in->dim, l = in->c[C_LENGTH];
    double z[3], dz[3], e[3] = {k == 0, k == 1, k == 2}, u[2], du[2];
    if (in->dim == 3) {
        sn_space_unit(P, z), sn_space_dunit(z, l, e, dz);
        sn_space_dtriad(z, in->c, dz, dn, dn + 3);
        return;
    }
    sn_unit2(P, u), sn_dunit2(u, l, k, du);
    sn_perp2(du, dn);
}

static void places(const sn_in *in, sn_joint_out *o)
{
    const int n = in->dim;
    for (int k = 0; k < n; k++) {
        o->phi[k] = in->q[2 * n + k] - in->q[k];
        o->r[k] -= in->lam[k], o->r[2 * n + k] += in->lam[k];
        if (o->B) o->B[k * in->nv + k] = -1, o->B[k * in->nv + 2 * n + k] = 1;
    }
}

/* phi = p . R n of the plane: value, R n and its quarter turn, p . (R n turned) */
static double plane_row(const sn_in *in, const double *n, double *d, double *dp, double *w)
{
    sn_rot2(in->q[6], n, d), sn_perp2(d, dp);
    *w = sn_dot2(in->q + 2, dp);
    return sn_dot2(in->q + 2, d);
}

static void plane_eval(const sn_in *in, sn_joint_out *o)
{
    const double lam = in->lam[2];
    double d[2], dp[2], w;
    o->phi[2] = plane_row(in, in->c, d, dp, &w);
    o->r[6] += lam * w;
    if (o->B) o->B[2 * 7 + 6] = w;
    if (o->K) o->K[6 * 7 + 6] -= lam * o->phi[2];
    for (int k = 0; k < 2; k++) {
        o->r[2 + k] += lam * d[k];
        if (o->B) o->B[2 * 7 + 2 + k] = d[k];
        if (o->K) o->K[(2 + k) * 7 + 6] += lam * dp[k], o->K[6 * 7 + 2 + k] += lam * dp[k];
    }
}

/* In space: d = R n, u = R'p, w = n x u, which is the gradient by the frame's turn */
enum { P = 3, TH = 9, Q = 9, NV = 12 };

static double space_row(const sn_in *in, const double *n, double *R, double *d, double *u, double *w)
{
    sn_quat_matrix(in->q + Q, R);
    sn_mul3(R, n, d), sn_tmul3(R, in->q + P, u), sn_cross3(n, u, w);
    return sn_dot3(in->q + P, d);
}

static void space_eval(const sn_in *in, int i, sn_joint_out *o)
{
    const double *n = in->c + 3 * i, lam = in->lam[3 + i];
    double R[9], d[3], u[3], w[3], S[9], A[9];
    o->phi[3 + i] = space_row(in, n, R, d, u, w);
    for (int k = 0; k < 3; k++) {
        o->r[P + k] += lam * d[k], o->r[TH + k] += lam * w[k];
        if (o->B) o->B[(3 + i) * NV + P + k] = d[k], o->B[(3 + i) * NV + TH + k] = w[k];
    }
    if (!o->K) return;
    sn_skew3(n, S), sn_matmul3(R, S, A);
    sn_block3(o->K, NV, P, TH, -lam, A);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) o->K[(TH + a) * NV + P + b] -= lam * A[3 * b + a];
    sn_skew3(u, A), sn_matmul3(S, A, A);
    sn_block3(o->K, NV, TH, TH, lam, A);
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    if (out->B) memset(out->B, 0, sizeof *out->B * (size_t)(in->m * in->nv));
    places(in, out);
    if (in->dim == 2)
        plane_eval(in, out);
    else
        for (int i = 0; i < 2; i++) space_eval(in, i, out);
    return SN_OK;
}

/* 2 p' . R (W x n) + u . (W x (W x n)) */
static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    double R[9], d[3], u[3], w[3], Wn[3], WWn[3];
    for (int i = 0; i < in->m; i++) phi_t[i] = gamma[i] = 0;
    if (in->dim == 2) {
        const double x = plane_row(in, in->c, d, u, w), W = in->v[6];
        gamma[2] = 2 * W * sn_dot2(in->v + 2, u) - W * W * x;
        return SN_OK;
    }
    for (int i = 0; i < 2; i++) {
        const double *W = in->v + TH;
        space_row(in, in->c + 3 * i, R, d, u, w);
        sn_cross3(W, in->c + 3 * i, Wn), sn_cross3(W, Wn, WWn), sn_mul3(R, Wn, d);
        gamma[3 + i] = 2 * sn_dot3(in->v + P, d) + sn_dot3(u, WWn);
    }
    return SN_OK;
}

/* By the reference slope: the rows with dn for n */
static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    const int n = in->dim, k = index - in->ns - n;
    double dn[6] = {0}, R[9], d[3], u[3], w[3];
    if (k < 0 || k >= n) return SN_OK;
    dacross(in, k, dn);
    if (n == 2) {
        dphi[2] += plane_row(in, dn, d, u, w);
        dr[6] += in->lam[2] * w[0];
        for (int j = 0; j < 2; j++) dr[2 + j] += in->lam[2] * d[j];
        return SN_OK;
    }
    for (int i = 0; i < 2; i++) {
        dphi[3 + i] += space_row(in, dn + 3 * i, R, d, u, w);
        for (int j = 0; j < 3; j++) dr[P + j] += in->lam[3 + i] * d[j], dr[TH + j] += in->lam[3 + i] * w[j];
    }
    return SN_OK;
}

const sn_joint_class sn_joint_attach = {
    .name = "attach",
    .doc = "ties a frame to a node with a slope; made where something needs a frame there",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .ask = SN_FRAME, .ask_first = SN_DIRECTOR},
    .slots = slots,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
};
