/* attach: ties a frame to a node with slopes, made where something needs a frame there. Nodes: the node (x,
   vectors p), the frame (y, R).

     phi_x = y - x,     phi_i = p_i . R n_i,  n_i across p_i in the reference configuration

   A line: one n in the plane, two in space (the axes of joint/space.h that belong to p). The slope keeps its
   direction in the frame; its length, the stretch, stays free. In space so does the turn of the frame about
   it: a line has no torsion, and who uses the frame must hold that turn or give it an inertia.

   Three slopes: r_y and r_z stay in the frame's plane of the section, and r_y keeps its direction there. Free
   are their lengths, the angle between them, and all of r_x: stretch and shear. A surface: r_x and r_y stay
   across its normal, and r_x keeps its direction; r_xy . R N keeps its value, so that clamped edges do not
   twist between their nodes. */
#include "joint/space.h"
#include "math/plane.h"

extern const sn_joint_class sn_joint_attach;

static const sn_slot slots[] = {{.name = NULL}};

enum { ROWS = 4 }; /* at most */
/* Constants: vectors n; lengths of the reference slope and, with two vectors, of their cross product; r_xy .
 * N
 */
enum { C_LENGTH = 3 * ROWS, C_AREA, C_TWIST, NC };

/* Equations on vectors, and which of the node's vectors each is on */
static int rows(const sn_in *in) { return in->m - in->dim; }
static int first(const sn_in *in) { return in->view[0] == SN_SLOPES; } /* r_y or r_x */
static int vector_of(const sn_in *in, int i) { return first(in) + (i < 2 ? 0 : i - 1); }
static int is_twist(int i) { return i == 3; }

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const name[] = {"x", "y", "z"}, *const across[] = {"p1", "p2", "p3", "twist"};
    const int line = l->view[0] == SN_DIRECTOR;
    if (!line && l->dim != 3) return sn_fail(err, SN_ERR_INPUT, NULL, "three slopes need a spatial model");
    l->nc = NC;
    l->vector = 1;
    for (l->m = 0; l->m < l->dim; l->m++) l->component[l->m] = name[l->m], l->unit[l->m] = "m";
    for (int i = 0; i < (line ? l->dim - 1 : l->view[0] == SN_SURFACE ? ROWS : ROWS - 1); i++, l->m++)
        l->component[l->m] = across[i], l->unit[l->m] = is_twist(i) ? "1/m" : "1";
    return SN_OK;
}

static const double *slope(const sn_in *in, const double *X, int i) { return X + in->dim * (1 + i); }

/* n of two vectors p, s: normal N (of p and s), across p and N; changes dn by dp, ds (or NULL) */
static void plane_of(const double *p, const double *s, double *c, const double *dp, const double *ds,
                     double *dn)
{
    double N[3], z[3], across[3], dN[3], dz[3], x[3], y[3];
    sn_cross3(p, s, x);
    c[C_AREA] = sn_space_unit(x, N);
    c[C_LENGTH] = sn_space_unit(p, z);
    sn_cross3(N, z, across);
    memcpy(c, N, sizeof N), memcpy(c + 3, across, sizeof across), memcpy(c + 6, N, sizeof N);
    memcpy(c + 9, N, sizeof N);
    if (!dn) return;
    sn_cross3(dp, s, x), sn_cross3(p, ds, y);
    for (int k = 0; k < 3; k++) x[k] += y[k];
    sn_space_dunit(N, c[C_AREA], x, dN);
    sn_space_dunit(z, c[C_LENGTH], dp, dz);
    sn_cross3(dN, z, x), sn_cross3(N, dz, y);
    for (int k = 0; k < 3; k++) dn[k] = dn[6 + k] = dn[9 + k] = dN[k], dn[3 + k] = x[k] + y[k];
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    const double *P = slope(in, in->X, first(in));
    double z[3];
    for (int k = 0; k < NC; k++) c[k] = 0;
    c[C_LENGTH] = in->dim == 2 ? hypot(P[0], P[1]) : sn_space_unit(P, z);
    if (!(c[C_LENGTH] > 0))
        return sn_fail(err, SN_ERR_INPUT, NULL, "the slope of the node has no direction: it is zero");
    if (in->view[0] != SN_DIRECTOR) {
        const double *S = slope(in, in->X, first(in) + 1);
        plane_of(P, S, c, NULL, NULL, NULL);
        if (!(c[C_AREA] > 1e-9 * c[C_LENGTH] * sqrt(sn_dot3(S, S))))
            return sn_fail(err, SN_ERR_INPUT, NULL, "two slopes of the node are parallel, or one is zero");
        if (in->view[0] == SN_SURFACE) c[C_TWIST] = sn_dot3(S + 3, c);
    } else if (in->dim == 3) {
        sn_space_triad(z, c, c + 3);
    } else {
        c[0] = -P[1] / c[C_LENGTH], c[1] = P[0] / c[C_LENGTH];
    }
    return SN_OK;
}

/* dn by component k of the node's reference vectors */
static void dacross(const sn_in *in, int k, double *dn)
{
    const double *P = slope(in, in->X, first(in)), l = in->c[C_LENGTH];
    double z[3], dz[3], e[9] = {0}, c[NC] = {0}, u[2], du[2];
    e[k] = 1;
    if (in->view[0] != SN_DIRECTOR) {
        plane_of(P, P + 3, c, e + 3 * first(in), e + 3 * first(in) + 3, dn);
    } else if (in->dim == 3) {
        sn_space_unit(P, z), sn_space_dunit(z, l, e, dz);
        sn_space_dtriad(z, in->c, dz, dn, dn + 3);
    } else {
        sn_unit2(P, u), sn_dunit2(u, l, k, du);
        sn_perp2(du, dn);
    }
}

static void places(const sn_in *in, sn_joint_out *o)
{
    const int n = in->dim, at = in->offv[1]; /* the same in q: the node is flat */
    for (int k = 0; k < n; k++) {
        o->phi[k] = in->q[at + k] - in->q[k];
        o->r[k] -= in->lam[k], o->r[at + k] += in->lam[k];
        if (o->B) o->B[k * in->nv + k] = -1, o->B[k * in->nv + at + k] = 1;
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

/* Row i of space: d = R n, u = R'p, w = n x u, which is the gradient by the frame's turn */
typedef struct row {
    int p, th; /* where the vector and the frame's turn are among v */
    double phi, R[9], d[3], u[3], w[3];
} row;

static void space_row(const sn_in *in, int i, const double *n, row *y)
{
    y->p = 3 * (1 + vector_of(in, i)), y->th = in->offv[1] + 3;
    sn_quat_matrix(in->q + in->off[1] + 3, y->R);
    sn_mul3(y->R, n, y->d), sn_tmul3(y->R, in->q + y->p, y->u), sn_cross3(n, y->u, y->w);
    y->phi = sn_dot3(in->q + y->p, y->d);
}

static void space_eval(const sn_in *in, int i, sn_joint_out *o)
{
    const double *n = in->c + 3 * i, lam = in->lam[3 + i];
    const int nv = in->nv;
    double S[9], A[9];
    row y;
    space_row(in, i, n, &y);
    o->phi[3 + i] = y.phi - (is_twist(i) ? in->c[C_TWIST] : 0);
    for (int k = 0; k < 3; k++) {
        o->r[y.p + k] += lam * y.d[k], o->r[y.th + k] += lam * y.w[k];
        if (o->B) o->B[(3 + i) * nv + y.p + k] = y.d[k], o->B[(3 + i) * nv + y.th + k] = y.w[k];
    }
    if (!o->K) return;
    sn_skew3(n, S), sn_matmul3(y.R, S, A);
    sn_block3(o->K, nv, y.p, y.th, -lam, A);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) o->K[(y.th + a) * nv + y.p + b] -= lam * A[3 * b + a];
    sn_skew3(y.u, A), sn_matmul3(S, A, A);
    sn_block3(o->K, nv, y.th, y.th, lam, A);
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    if (out->B) memset(out->B, 0, sizeof *out->B * (size_t)(in->m * in->nv));
    places(in, out);
    if (in->dim == 2)
        plane_eval(in, out);
    else
        for (int i = 0; i < rows(in); i++) space_eval(in, i, out);
    return SN_OK;
}

/* 2 p' . R (W x n) + u . (W x (W x n)) */
static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    double d[2], u[2], w, Wn[3], WWn[3], x[3];
    for (int i = 0; i < in->m; i++) phi_t[i] = gamma[i] = 0;
    if (in->dim == 2) {
        const double phi = plane_row(in, in->c, d, u, &w), W = in->v[6];
        gamma[2] = 2 * W * sn_dot2(in->v + 2, u) - W * W * phi;
        return SN_OK;
    }
    for (int i = 0; i < rows(in); i++) {
        const double *W = in->v + in->offv[1] + 3;
        row y;
        space_row(in, i, in->c + 3 * i, &y);
        sn_cross3(W, in->c + 3 * i, Wn), sn_cross3(W, Wn, WWn), sn_mul3(y.R, Wn, x);
        gamma[3 + i] = 2 * sn_dot3(in->v + y.p, x) + sn_dot3(y.u, WWn);
    }
    return SN_OK;
}

/* By the reference slopes: the rows with dn for n */
static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    const int n = in->dim, k = index - in->ns - n;
    double dn[3 * ROWS] = {0}, d[2], u[2], w;
    if (k < 0 || k >= in->off[1] - n) return SN_OK;
    dacross(in, k, dn);
    if (n == 2) {
        dphi[2] += plane_row(in, dn, d, u, &w);
        dr[6] += in->lam[2] * w;
        for (int j = 0; j < 2; j++) dr[2 + j] += in->lam[2] * d[j];
        return SN_OK;
    }
    for (int i = 0; i < rows(in); i++) {
        const double lam = in->lam[3 + i];
        row y;
        space_row(in, i, dn + 3 * i, &y);
        dphi[3 + i] += y.phi;
        if (is_twist(i)) {
            const double *T = slope(in, in->X, 2);
            dphi[3 + i] -= sn_dot3(T, dn + 3 * i) + (k >= 6 ? in->c[3 * i + k - 6] : 0);
        }
        for (int j = 0; j < 3; j++) dr[y.p + j] += lam * y.d[j], dr[y.th + j] += lam * y.w[j];
    }
    return SN_OK;
}

const sn_joint_class sn_joint_attach = {
    .name = "attach",
    .doc = "ties a frame to a node with slopes; made where something needs a frame there",
    .args = {.what = SN_ARG_NODE,
             .min = 2,
             .max = 2,
             .ask = SN_FRAME,
             .ask_first = SN_DIRECTOR | SN_SLOPES | SN_SURFACE},
    .slots = slots,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
};
