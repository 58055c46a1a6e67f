/* spring3d: massless spring and damper between a point of node 1 and a point of node 2, along their line.

   d = x2 + R2 p2 - x1 - R1 p1, l = |d|, F = [k (1 - l0/l) + c ldot/l] d (line.h); p: point1, point2, fixed in
   the bodies. E = dd/dq = (-1, R1 p1~, 1, -R2 p2~), r = E'F. */
#include "element/line.h"
#include "element/pair3d.h"
#include "element/section_forces.h"

extern const sn_element_class sn_element_spring3d;

enum { STIFF, L0, DAMP, POINT1, POINT2 = POINT1 + 3, NS = POINT2 + 3 };
enum { OUT_FORCE, OUT_FORCE_LOCAL };

/* The line, and the rotations of the nodes that have one */
typedef struct ends {
    sn_line line;
    double R[2][9];
} ends;

static inline sn_line_law law(const double *s) { return (sn_line_law){s[STIFF], s[L0], s[DAMP]}; }

static const double side[2] = {-1, 1};

static inline const double *point(const sn_in *in, int i) { return in->s + (i ? POINT2 : POINT1); }

/* Adds node i's point, moved by p in the body, to d and u. */
static void add_point(const sn_in *in, const ends *n, int i, const double *p, double *d, double *u)
{
    double a[3], w[3];
    sn_mul3(n->R[i], p, a);
    sn_cross3(in->v + in->offv[i] + 3, p, w);
    sn_mul3(n->R[i], w, w);
    for (int k = 0; k < 3; k++) {
        d[k] += side[i] * a[k];
        u[k] += side[i] * w[k];
    }
}

static sn_status stretch(const sn_in *in, ends *y)
{
    const double *q2 = in->q + in->off[1], *v2 = in->v + in->offv[1];
    for (int k = 0; k < 3; k++) {
        y->line.d[k] = q2[k] - in->q[k];
        y->line.u[k] = v2[k] - in->v[k];
    }
    for (int i = 0; i < 2; i++) {
        if (!sn_end3_turns(in, i)) continue;
        sn_quat_matrix(in->q + in->off[i] + 3, y->R[i]);
        add_point(in, y, i, point(in, i), y->line.d, y->line.u);
    }
    return sn_line_open(3, law(in->s), &y->line);
}

/* r += E'F */
static void add_ends(const sn_in *in, const ends *n, const double *F, double *r)
{
    for (int i = 0; i < 2; i++) {
        double *ri = r + in->offv[i], m[3];
        for (int k = 0; k < 3; k++) ri[k] += side[i] * F[k];
        if (!sn_end3_turns(in, i)) continue;
        sn_tmul3(n->R[i], F, m);
        sn_cross3(point(in, i), m, m);
        for (int k = 0; k < 3; k++) ri[3 + k] += side[i] * m[k];
    }
}

/* E = dd/dq, U = du/dq, 3 x nv */
static void line_tangent(const sn_in *in, const ends *n, double *E, double *U)
{
    memset(E, 0, 3 * sizeof *E * (size_t)in->nv);
    memset(U, 0, 3 * sizeof *U * (size_t)in->nv);
    for (int i = 0; i < 2; i++) {
        int o = in->offv[i];
        double S[9], w[3];
        for (int k = 0; k < 3; k++) E[in->nv * k + o + k] = side[i];
        if (!sn_end3_turns(in, i)) continue;
        sn_skew3(point(in, i), S);
        sn_matmul3(n->R[i], S, S);
        sn_block3(E, in->nv, 0, o + 3, -side[i], S);
        sn_cross3(in->v + o + 3, point(in, i), w);
        sn_skew3(w, S);
        sn_matmul3(n->R[i], S, S);
        sn_block3(U, in->nv, 0, o + 3, -side[i], S);
    }
}

/* P (3 x nv) = A E + B U */
static void product(int nv, const double *A, const double *E, const double *B, const double *U, double *P)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < nv; j++) {
            double x = 0;
            for (int k = 0; k < 3; k++)
                x += A[3 * i + k] * E[nv * k + j] + (B ? B[3 * i + k] * U[nv * k + j] : 0);
            P[nv * i + j] = x;
        }
}

/* M += E'P */
static void project(int nv, const double *E, const double *P, double *M)
{
    for (int i = 0; i < nv; i++)
        for (int k = 0; k < 3; k++) {
            double e = E[nv * k + i];
            for (int j = 0; e != 0 && j < nv; j++) M[nv * i + j] += e * P[nv * k + j];
        }
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    ends n;
    double F[3], D[9], G[9], E[36], U[36], P[36], S[9], A[9], m[3];
    (void)M;
    SN_TRY(stretch(in, &n));
    for (int k = 0; k < 3; k++) F[k] = n.line.f * n.line.d[k];
    add_ends(in, &n, F, r);
    if (!K) return SN_OK;
    sn_line_tangent(3, law(in->s), &n.line, D, G);
    line_tangent(in, &n, E, U);
    product(in->nv, D, E, G, U, P);
    project(in->nv, E, P, K);
    /* p x R'F at a constant F: p~ (R'F)~ */
    for (int i = 0; i < 2; i++) {
        if (!sn_end3_turns(in, i)) continue;
        sn_tmul3(n.R[i], F, m);
        sn_skew3(m, S);
        sn_skew3(point(in, i), A);
        sn_matmul3(A, S, A);
        sn_block3(K, in->nv, in->offv[i] + 3, in->offv[i] + 3, side[i], A);
    }
    if (!C) return SN_OK;
    product(in->nv, G, E, NULL, NULL, P);
    project(in->nv, E, P, C);
    return SN_OK;
}

/* Changes of d, u and of f alone by own slot `index`; the reference and the field do not matter. */
static sn_status dline(const sn_in *in, ends *n, int index, double *dd, double *du, double *df)
{
    for (int k = 0; k < 3; k++) dd[k] = du[k] = 0;
    SN_TRY(stretch(in, n));
    SN_TRY(sn_line_by(3, law(in->s), index, &n->line, df)); /* the law's slots come first */
    for (int i = 0; i < 2; i++) {
        int k = index - (i ? POINT2 : POINT1);
        if (k < 0 || k > 2 || !sn_end3_turns(in, i)) continue;
        add_point(in, n, i, (const double[]){k == 0, k == 1, k == 2}, dd, du);
    }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    ends n;
    double dd[3], du[3], df, D[9], G[9], F[3], m[3];
    if (index >= NS) return SN_OK;
    SN_TRY(dline(in, &n, index, dd, du, &df));
    sn_line_tangent(3, law(in->s), &n.line, D, G);
    for (int i = 0; i < 3; i++) F[i] = df * n.line.d[i] + sn_dot3(D + 3 * i, dd) + sn_dot3(G + 3 * i, du);
    add_ends(in, &n, F, dr);
    for (int i = 0; i < 2; i++) {
        int k = index - (i ? POINT2 : POINT1);
        if (k < 0 || k > 2 || !sn_end3_turns(in, i)) continue;
        sn_tmul3(n.R[i], n.line.d, m);
        sn_cross3((const double[]){k == 0, k == 1, k == 2}, m, m);
        for (int j = 0; j < 3; j++) dr[in->offv[i] + 3 + j] += side[i] * n.line.f * m[j];
    }
    return SN_OK;
}

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    int nv = in->nv;
    double sign = end == 1 ? -1 : 1, a[3], b[3], E[36], U[36];
    ends n;
    if (which == OUT_FORCE) return sn_end3_force(in, eval, end, y, d);
    SN_TRY(stretch(in, &n));
    sn_line_along(3, law(in->s), &n.line, a, b);
    y[0] = sign * n.line.f * n.line.l;
    if (!d) return SN_OK;
    line_tangent(in, &n, E, U);
    for (int j = 0; j < nv; j++)
        for (int k = 0; k < 3; k++) {
            if (d->q) d->q[j] += sign * (a[k] * E[nv * k + j] + b[k] * U[nv * k + j]);
            if (d->v) d->v[j] += sign * b[k] * E[nv * k + j];
        }
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    double sign = end == 1 ? -1 : 1, dd[3], du[3], df, a[3], b[3];
    ends n;
    if (which == OUT_FORCE) return sn_end3_dforce(in, dparam, end, index, dy);
    dy[0] = 0;
    if (index >= NS) return SN_OK;
    SN_TRY(dline(in, &n, index, dd, du, &df));
    sn_line_along(3, law(in->s), &n.line, a, b);
    dy[0] = sign * (df * n.line.l + sn_dot3(a, dd) + sn_dot3(b, du));
    return SN_OK;
}

/* d and l, without a claim on the velocities' meaning */
static double stretched(const sn_in *in, ends *n)
{
    if (stretch(in, n) != SN_OK) return 0;
    return sqrt(sn_dot3(n->line.d, n->line.d));
}

/* 1/2 k (l - l0)^2 */
static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const double *s = in->s;
    ends n;
    double l = stretched(in, &n), x = l - s[L0], F[3];
    double f = sn_line_elastic(law(s), l);
    e[0] = 0;
    e[1] = 0.5 * s[STIFF] * x * x;
    for (int k = 0; k < 3; k++) F[k] = f * n.line.d[k];
    if (de && de->q) add_ends(in, &n, F, de->q + in->nv);
}

static void denergy(const sn_in *in, int index, double *de)
{
    const double *s = in->s;
    double dd[3], du[3], df;
    ends n;
    de[0] = de[1] = 0;
    if (index >= NS || dline(in, &n, index, dd, du, &df) != SN_OK) return;
    double l = sqrt(sn_dot3(n.line.d, n.line.d)), x = l - s[L0];
    if (index == STIFF) de[1] = 0.5 * x * x;
    if (index == L0) de[1] = -s[STIFF] * x;
    if (index >= POINT1 && l > 0) de[1] = s[STIFF] * x * sn_dot3(n.line.d, dd) / l;
}

static const sn_slot slots[] = {
    {"k", "N/m", "stiffness along the line", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"l0", "m", "free length (default: the distance of the points)", 1, SN_VARIES, SN_REQUIRED, 0,
     SN_INFINITE,
     "hypot(hypot(@2.x+point2.x-@1.x-point1.x, @2.y+point2.y-@1.y-point1.y), "
     "@2.z+point2.z-@1.z-point1.z)"},
    {"c", "N*s/m", "damping along the line", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"point1", "m", "attachment point relative to node 1, in the axes of the reference configuration", 3,
     SN_ROTATES | SN_ON_NODE1, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"point2", "m", "attachment point relative to node 2", 3, SN_ROTATES | SN_ON_NODE2, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    {0},
};

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    (void)c;
    for (int i = 0; i < 2; i++) {
        const double *p = point(in, i);
        if (!sn_end3_turns(in, i) && (p[0] != 0 || p[1] != 0 || p[2] != 0))
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "node %d has no rotation, so 'point%d' must be zero (use a frame3d node)", i + 1,
                           i + 1);
    }
    return SN_OK;
}

static const sn_output outputs[] = {
    SN_END3_OUTPUT,
    {"force_local", "the force along the line: at end 2 tension is positive", 1, {"N"}, {"N"}},
    {0},
};

static const sn_geometry geometry = {SN_SHAPE_LINE, SN_STRAIGHT, "spring", 0, NULL};

static const sn_field_decl fields[] = {SN_FIELD_AXIAL, {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    (void)section;
    return output(in, OUT_FORCE_LOCAL, 2, y, NULL);
}

const sn_element_class sn_element_spring3d = {
    .name = "spring3d",
    .doc = "spring and damper between two spatial points, without mass",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_POSITION | SN_FRAME},
    .slots = slots,
    .outputs = outputs,
    .flags = SN_USES_V | SN_CONSERVATIVE,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
    .output = output,
    .doutput = doutput,
    .energy = energy,
    .denergy = denergy,
    .geometry = &geometry,
    .fields = fields,
    .field = field,
};
