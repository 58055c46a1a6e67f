/* bushing: Kelvin-Voigt connection of two frames in all six directions, at large relative rotation.

   y = (relative position, relative rotation) of frame 2 seen in body 1; the rotation by its vector, th = log
   Q (measure log: for one stiffness about all axes the torque is exactly kt th), or by the axial vector of (Q
   - Q')/2 (measure vect: torque kt sin cos). In the bushing's axes A0 = (axis, normal made orthogonal, their
   product), fixed in body 1, x = A0'y and the law is h = K x + C xdot, K = diag(k, kt) + K66, C = diag(c, ct)
   + C66. r = Y'h with Y = dy/dq: the force acts at the connection of body 2, body 1 gets what keeps the
   balance; so it is conservative for a symmetric K without damping, and no common motion of both bodies makes
   a force. dr/dq = Y'(K Y + C dydot/dq) + (dY/dq)'h. The rotation must stay below pi, and below pi/2 for
   vect, where the torque falls again before. Constants: arms p1, p2 (0..5), K and C in body axes
   (6..41, 42..77). */
#include "element/bushing_turn.h"
#include "element/pair3d.h"
#include "element/section_forces.h"

extern const sn_element_class sn_element_bushing;

enum {
    STIFF,
    STIFF_ROT = STIFF + 3,
    DAMP = STIFF_ROT + 3,
    DAMP_ROT = DAMP + 3,
    K66 = DAMP_ROT + 3,
    C66 = K66 + 36,
    AT = C66 + 36,
    AXIS = AT + 3,
    NORMAL = AXIS + 3,
    NS = NORMAL + 3
};
enum { ARM1, ARM2 = 3, KY = 6, CY = KY + 36, NC = CY + 36 };
enum { OPT_MEASURE };
enum { OUT_FORCE, OUT_FORCE_LOCAL, OUT_STRAIN };

/* ---- the state of one bushing ---- */

typedef struct state {
    sn_pair3 g;
    double y[6], yd[6], P[9], u[3], Y[6 * SN_PAIR], h[6];
} state;

/* h = K y + C yd, matrices of body axes */
static void law(const double *K, const double *C, const double *y, const double *yd, double *h)
{
    for (int i = 0; i < 6; i++) {
        h[i] = 0;
        for (int j = 0; j < 6; j++) h[i] += K[6 * i + j] * y[j] + C[6 * i + j] * yd[j];
    }
}

static void open(const sn_in *in, state *s)
{
    double A[9], Qt[9];
    sn_pair3_open(in->q, in->c + ARM2, &s->g);
    for (int k = 0; k < 3; k++) s->y[k] = s->g.e[k] - in->c[ARM1 + k];
    sn_turn(in->opt[OPT_MEASURE], s->g.p, s->y + 3, s->P);
    memset(s->Y, 0, sizeof s->Y);
    sn_pair3_dy(&s->g, in->c + ARM2, s->Y);
    sn_transpose3(s->g.Q, Qt);
    sn_matmul3(s->P, Qt, A);
    sn_block3(s->Y, SN_PAIR, 3, SN_TH1, -1, A);
    sn_block3(s->Y, SN_PAIR, 3, SN_TH2, 1, s->P);
    sn_pair3_spin(&s->g, in->v, s->u);
    for (int i = 0; i < 6; i++) {
        s->yd[i] = 0;
        for (int j = 0; j < SN_PAIR; j++) s->yd[i] += s->Y[SN_PAIR * i + j] * in->v[j];
    }
    law(in->c + KY, in->c + CY, s->y, s->yd, s->h);
}

/* D (6 x 12) = d(Y v)/dq at a constant v */
static void rate_tangent(const sn_in *in, const state *s, double *D)
{
    const double *v = in->v, *p2 = in->c + ARM2;
    double dv[3], z[3], S[9], A[9], Qt[9], Y[3 * SN_PAIR] = {0};
    memset(D, 0, 6 * SN_PAIR * sizeof *D);
    sn_transpose3(s->g.Q, Qt);
    /* R1'(v2 - v1) - Q (p2 x w2) ... */
    for (int k = 0; k < 3; k++) dv[k] = v[SN_X2 + k] - v[SN_X1 + k];
    sn_tmul3(s->g.R1, dv, dv);
    sn_skew3(dv, S);
    sn_block3(D, SN_PAIR, 0, SN_TH1, 1, S);
    sn_cross3(p2, v + SN_TH2, z);
    sn_skew3(z, S);
    sn_matmul3(s->g.Q, S, A);
    sn_block3(D, SN_PAIR, 0, SN_TH2, 1, A);
    sn_matmul3(A, Qt, A);
    sn_block3(D, SN_PAIR, 0, SN_TH1, -1, A);
    /* ... + e x w1 */
    sn_pair3_dy(&s->g, p2, Y);
    sn_skew3(v + SN_TH1, S);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < SN_PAIR; j++)
            for (int k = 0; k < 3; k++) D[SN_PAIR * i + j] -= S[3 * i + k] * Y[SN_PAIR * k + j];
    /* P u, where u = w2 - Q'w1 moves by -(Q'w1)~ dw */
    sn_tmul3(s->g.Q, v + SN_TH1, z);
    sn_skew3(z, S);
    sn_matmul3(s->P, S, S);
    sn_turn_tangent(in->opt[OPT_MEASURE], s->g.p, s->y + 3, s->P, 1, s->u, A);
    for (int i = 0; i < 9; i++) A[i] -= S[i];
    sn_block3(D, SN_PAIR, 3, SN_TH2, 1, A);
    sn_matmul3(A, Qt, A);
    sn_block3(D, SN_PAIR, 3, SN_TH1, -1, A);
}

/* N (6 x 12) = A Y + B D */
static void loads_tangent(const double *A, const double *Y, const double *B, const double *D, double *N)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < SN_PAIR; j++) {
            double x = 0;
            for (int k = 0; k < 6; k++)
                x += A[6 * i + k] * Y[SN_PAIR * k + j] + (B ? B[6 * i + k] * D[SN_PAIR * k + j] : 0);
            N[SN_PAIR * i + j] = x;
        }
}

/* M += Y'N */
static void project(const double *Y, const double *N, double *M)
{
    for (int i = 0; i < SN_PAIR; i++)
        for (int k = 0; k < 6; k++) {
            double y = Y[SN_PAIR * k + i];
            for (int j = 0; y != 0 && j < SN_PAIR; j++) M[SN_PAIR * i + j] += y * N[SN_PAIR * k + j];
        }
}

/* r += Y'h */
static void add_ends(const double *Y, const double *h, double *r)
{
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < SN_PAIR; i++) r[i] += Y[SN_PAIR * k + i] * h[k];
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    state s;
    double D[6 * SN_PAIR], N[6 * SN_PAIR], g[3], G[9];
    (void)M;
    open(in, &s);
    add_ends(s.Y, s.h, r);
    if (!K) return SN_OK;
    rate_tangent(in, &s, D);
    loads_tangent(in->c + KY, s.Y, in->c + CY, D, N);
    project(s.Y, N, K);
    /* Y'h at constant loads h */
    sn_pair3_slide_tangent(&s.g, in->c + ARM2, s.h, K);
    sn_tmul3(s.P, s.h + 3, g);
    sn_turn_tangent(in->opt[OPT_MEASURE], s.g.p, s.y + 3, s.P, -1, s.h + 3, G);
    sn_pair3_turn_tangent(&s.g, g, G, K);
    if (!C) return SN_OK;
    loads_tangent(in->c + CY, s.Y, NULL, NULL, N);
    project(s.Y, N, C);
    return SN_OK;
}

/* ---- constants ---- */

/* Axes of the bushing as columns of A (row-major), and their change by slot `index` where dA is not NULL */
static int orient(const double *s, int index, double *A, double *dA)
{
    double e[3][3], de[3][3], n[3], dn[3], da[3], ln, la = sn_pair3_unit(s + AXIS, e[0]);
    double c = sn_dot3(s + NORMAL, e[0]);
    for (int k = 0; k < 3; k++) n[k] = s[NORMAL + k] - c * e[0][k];
    ln = sn_pair3_unit(n, e[1]);
    if (!(la > 0) || !(ln > 1e-9 * sqrt(sn_dot3(s + NORMAL, s + NORMAL)))) return 0;
    sn_cross3(e[0], e[1], e[2]);
    for (int i = 0; i < 9; i++) A[i] = e[i % 3][i / 3];
    if (!dA) return 1;
    for (int k = 0; k < 3; k++) da[k] = index == AXIS + k;
    sn_pair3_dunit(e[0], la, da, de[0]);
    double dc = sn_dot3(s + NORMAL, de[0]) + (index >= NORMAL ? e[0][index - NORMAL] : 0);
    for (int k = 0; k < 3; k++) dn[k] = (index == NORMAL + k) - dc * e[0][k] - c * de[0][k];
    sn_pair3_dunit(e[1], ln, dn, de[1]);
    sn_cross3(de[0], e[1], de[2]);
    sn_cross3(e[0], de[1], dn);
    for (int k = 0; k < 3; k++) de[2][k] += dn[k];
    for (int i = 0; i < 9; i++) dA[i] = de[i % 3][i / 3];
    return 1;
}

/* K or C in the bushing's axes */
static void own_matrix(const double *s, int damping, double *K)
{
    const double *diag = s + (damping ? DAMP : STIFF);
    memcpy(K, s + (damping ? C66 : K66), 36 * sizeof *K);
    for (int i = 0; i < 6; i++) K[7 * i] += diag[i];
}

/* N = A K B' for axes A, B in both blocks */
static void turn(const double *A, const double *K, const double *B, double *N)
{
    double half[36];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            half[6 * i + j] = 0;
            for (int k = 0; k < 3; k++) half[6 * i + j] += A[3 * (i % 3) + k] * K[6 * (i / 3 * 3 + k) + j];
        }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            N[6 * i + j] = 0;
            for (int k = 0; k < 3; k++) N[6 * i + j] += half[6 * i + j / 3 * 3 + k] * B[3 * (j % 3) + k];
        }
}

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = NC;
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    double A[9], K[36];
    if (!orient(in->s, 0, A, NULL))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "'axis' and 'normal' must not be zero or parallel: normal is the second axis, made "
                       "orthogonal to the first");
    for (int k = 0; k < 3; k++) {
        c[ARM1 + k] = in->s[AT + k] - in->X[k];
        c[ARM2 + k] = in->s[AT + k] - in->X[in->off[1] + k];
    }
    own_matrix(in->s, 0, K);
    turn(A, K, A, c + KY);
    own_matrix(in->s, 1, K);
    turn(A, K, A, c + CY);
    return SN_OK;
}

/* ---- derivatives by slots and by the reference ---- */

/* Changes of the matrices in body axes by own slot `index` */
static void dmatrices(const sn_in *in, int index, double *dK, double *dC)
{
    double A[9], dA[9], K[36], half[36], *to[2] = {dK, dC};
    int axes = index >= AXIS;
    orient(in->s, axes ? index : AXIS, A, dA);
    for (int m = 0; m < 2; m++) {
        int diag = m ? DAMP : STIFF, full = m ? C66 : K66;
        if (axes) {
            own_matrix(in->s, m, K);
            turn(dA, K, A, to[m]);
            turn(A, K, dA, half);
            for (int i = 0; i < 36; i++) to[m][i] += half[i];
        } else {
            memset(K, 0, sizeof K);
            if (index >= diag && index < diag + 6) K[7 * (index - diag)] = 1;
            if (index >= full && index < full + 36) K[index - full] = 1;
            turn(A, K, A, to[m]);
        }
    }
}

/* Changes of the arms by `at` and the reference; 0 when there are none */
static int darms(const sn_in *in, int index, double *dp1, double *dp2)
{
    int x = index - in->ns;
    memset(dp1, 0, 3 * sizeof *dp1);
    memset(dp2, 0, 3 * sizeof *dp2);
    if (index >= AT && index < AXIS)
        dp1[index - AT] = dp2[index - AT] = 1;
    else if (x >= 0 && x < 3)
        dp1[x] = -1;
    else if (x >= 7 && x < 10)
        dp2[x - 7] = -1;
    else
        return 0;
    return 1;
}

/* Change of h, and of y (6), by `index`; dr += (dY)'h. */
static void dloads(const sn_in *in, const state *s, int index, double *dh, double *dy, double *dr)
{
    double dp1[3], dp2[3], dK[36], dC[36], yd[6] = {0}, z[3], m[3];
    memset(dy, 0, 6 * sizeof *dy);
    memset(dh, 0, 6 * sizeof *dh);
    if (darms(in, index, dp1, dp2)) {
        /* dy = Q dp2 - dp1, dydot = (Q dp2) x w1 - Q (dp2 x w2) */
        sn_mul3(s->g.Q, dp2, dy);
        sn_cross3(dy, in->v + SN_TH1, yd);
        sn_cross3(dp2, in->v + SN_TH2, z);
        sn_mul3(s->g.Q, z, z);
        sn_cross3(s->h, dy, m);
        for (int k = 0; k < 3; k++) {
            yd[k] -= z[k];
            dr[SN_TH1 + k] += m[k];
            dy[k] -= dp1[k];
        }
        sn_tmul3(s->g.Q, s->h, m);
        sn_cross3(dp2, m, m);
        for (int k = 0; k < 3; k++) dr[SN_TH2 + k] += m[k];
        law(in->c + KY, in->c + CY, dy, yd, dh);
    } else if (index < NS) {
        dmatrices(in, index, dK, dC);
        law(dK, dC, s->y, s->yd, dh);
    }
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    state s;
    double dh[6], dy[6];
    open(in, &s);
    dloads(in, &s, index, dh, dy, dr);
    add_ends(s.Y, dh, dr);
    return SN_OK;
}

/* ---- outputs ---- */

/* x = A'y in both blocks, where y has `n` columns */
static void to_axes(const double *A, const double *y, int n, double sign, double *x)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < 3; k++) x[n * i + j] += sign * A[3 * k + i % 3] * y[n * (i / 3 * 3 + k) + j];
}

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    state s;
    double A[9], D[6 * SN_PAIR], N[6 * SN_PAIR], sign = which == OUT_FORCE_LOCAL && end == 1 ? -1 : 1;
    if (which == OUT_FORCE) return sn_end3_force(in, eval, end, y, d);
    open(in, &s);
    orient(in->s, 0, A, NULL);
    memset(y, 0, 6 * sizeof *y);
    to_axes(A, which == OUT_STRAIN ? s.y : s.h, 1, sign, y);
    if (!d) return SN_OK;
    if (which == OUT_STRAIN) {
        if (d->q) to_axes(A, s.Y, SN_PAIR, 1, d->q);
        return SN_OK;
    }
    rate_tangent(in, &s, D);
    loads_tangent(in->c + KY, s.Y, in->c + CY, D, N);
    if (d->q) to_axes(A, N, SN_PAIR, sign, d->q);
    loads_tangent(in->c + CY, s.Y, NULL, NULL, N);
    if (d->v) to_axes(A, N, SN_PAIR, sign, d->v);
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    state s;
    double A[9], dA[9], dh[6], dx[6], dr[SN_PAIR] = {0}, sign = which == OUT_FORCE_LOCAL && end == 1 ? -1 : 1;
    if (which == OUT_FORCE) return sn_end3_dforce(in, dparam, end, index, dy);
    open(in, &s);
    dloads(in, &s, index, dh, dx, dr);
    orient(in->s, index >= AXIS && index < NS ? index : AXIS, A, dA);
    memset(dy, 0, 6 * sizeof *dy);
    to_axes(A, which == OUT_STRAIN ? dx : dh, 1, sign, dy);
    if (index >= AXIS && index < NS) to_axes(dA, which == OUT_STRAIN ? s.y : s.h, 1, sign, dy);
    return SN_OK;
}

/* 1/2 y'K y: the potential where K is symmetric */
static void energy(const sn_in *in, double *e, sn_dout *de)
{
    static const double none[6] = {0};
    const double *K = in->c + KY;
    double h[6];
    state s;
    open(in, &s);
    law(K, K, s.y, none, h);
    e[0] = e[1] = 0;
    for (int i = 0; i < 6; i++) e[1] += 0.5 * s.y[i] * h[i];
    if (!de || !de->q) return;
    for (int i = 0; i < 6; i++) {
        h[i] = 0;
        for (int j = 0; j < 6; j++) h[i] += 0.5 * (K[6 * i + j] + K[6 * j + i]) * s.y[j];
    }
    add_ends(s.Y, h, de->q + SN_PAIR);
}

static void denergy(const sn_in *in, int index, double *de)
{
    double dp1[3], dp2[3], dK[36], dC[36], dy[6] = {0}, h[6], g[6];
    static const double none[6] = {0};
    const double *K = in->c + KY;
    state s;
    de[0] = de[1] = 0;
    open(in, &s);
    if (darms(in, index, dp1, dp2)) {
        sn_mul3(s.g.Q, dp2, dy);
        for (int k = 0; k < 3; k++) dy[k] -= dp1[k];
        law(K, K, s.y, none, h);
        law(K, K, dy, none, g);
        for (int i = 0; i < 6; i++) de[1] += 0.5 * (dy[i] * h[i] + s.y[i] * g[i]);
    } else if (index < NS) {
        dmatrices(in, index, dK, dC);
        law(dK, dC, s.y, none, h);
        for (int i = 0; i < 6; i++) de[1] += 0.5 * s.y[i] * h[i];
    }
}

/* At pi the vector th of the rotation changes its sign; that is nothing to a bushing which is free about it.
 */
static int limit(const sn_in *in, sn_limit *l)
{
    const double pi = 3.14159265358979323846, *K = in->c + KY, *q = in->q,
                 back[4] = {q[3], -q[4], -q[5], -q[6]};
    double p[4], most = 0, torque = 0, half = sn_pair3_cos_half(q);
    if (half > 0.15643446504023087 || in->opt[OPT_MEASURE] != SN_MEASURE_LOG) return 0; /* cos(0.45 pi) */
    sn_quat_mul(back, q + 10, p);
    for (int i = 0; i < 6; i++) {
        const double *row = K + 6 * i + 3;
        torque = fmax(torque, fabs(sn_dot3(row, p + 1)));
        for (int j = 0; j < 3; j++) most = fmax(most, fabs(row[j]));
    }
    if (torque <= 1e-6 * most) return 0;
    *l = (sn_limit){"its bodies are turned against each other by", "use a joint beside springs",
                    2 * acos(fmax(half, -1)), pi, 0};
    return 1;
}

static const sn_slot slots[] = {
    {"k", "N/m", "stiffnesses along the bushing's axes", 3, 0, 0, 0, SN_INFINITE, NULL},
    {"kt", "N*m/rad", "stiffnesses about the bushing's axes", 3, 0, 0, 0, SN_INFINITE, NULL},
    {"c", "N*s/m", "dampings along the bushing's axes", 3, 0, 0, 0, SN_INFINITE, NULL},
    {"ct", "N*m*s/rad", "dampings about the bushing's axes", 3, 0, 0, 0, SN_INFINITE, NULL},
    {"K66", "", "full stiffness matrix, row by row (displacements, rotations), on top of k and kt", 36, 0, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {"C66", "", "full damping matrix, on top of c and ct", 36, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"at", "m", "place of the bushing in the reference configuration", 3,
     SN_PLACED | SN_ON_NODE1 | SN_ON_NODE2, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, "@2.x;@2.y;@2.z"},
    {"axis", "", "first axis in the reference configuration, of any length; fixed in body 1", 3, SN_ROTATES,
     SN_REQUIRED, -SN_INFINITE, SN_INFINITE, "1;0;0"},
    {"normal", "", "second axis; what of it lies along the first does not count", 3, SN_ROTATES, SN_REQUIRED,
     -SN_INFINITE, SN_INFINITE, "0;1;0"},
    {0},
};

static const sn_option options[] = {
    {"measure", "log|vect", "of the relative rotation: rotation vector, or axial vector of its skew part", 0},
    {0},
};

static const sn_output outputs[] = {
    SN_END3_OUTPUT,
    {"force_local",
     "the law's loads K x + C xdot in the bushing's axes: at end 2 a stretch is positive",
     6,
     {"Fx", "Fy", "Fz", "Mx", "My", "Mz"},
     {"N", "N", "N", "N*m", "N*m", "N*m"}},
    {"strain",
     "relative displacement and rotation in the bushing's axes",
     6,
     {"x", "y", "z", "rx", "ry", "rz"},
     {"m", "m", "m", "rad", "rad", "rad"}},
    {0},
};

static const sn_geometry geometry = {SN_SHAPE_LINE, SN_STRAIGHT, "bushing", 0, NULL};

static const sn_field_decl fields[] = {
    SN_FIELD_AXIAL, SN_FIELD_SHEAR(0), SN_FIELD_TORSION, SN_FIELD_BENDING(0), {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    return sn_section_space(in, output, OUT_FORCE_LOCAL, section, y);
}

const sn_element_class sn_element_bushing = {
    .name = "bushing",
    .doc = "spring and damper in all six directions between two frames of space",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .options = options,
    .outputs = outputs,
    .flags = SN_USES_V,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
    .output = output,
    .doutput = doutput,
    .energy = energy,
    .denergy = denergy,
    .limit = limit,
    .geometry = &geometry,
    .fields = fields,
    .field = field,
};
