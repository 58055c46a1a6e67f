/* spring2d: massless spring and damper between a point of node 1 and a point of node 2 of the plane, along
   their line, and about the normal.

   d = x2 + a2 - x1 - a1 with a = R(theta) p, p: point1, point2, fixed in the bodies; F = [k (1 - l0/l) + c
   ldot/l] d with l = |d| (line.h); M = kt (theta2 - theta1 - phi0) + ct (rate of theta2 - theta1) where both
   nodes have rotations. Angles are not wrapped. With J a = (-a_y, a_x): E = dd/dq = (-1, -J a1, 1, J a2),
   du/dq = (0, w1 a1, 0, -w2 a2), r = E'F and the moments. */
#include "element/line.h"
#include "element/section_forces.h"

extern const sn_element_class sn_element_spring2d;

enum { STIFF, L0, KT, PHI0, DAMP, CT, POINT1, POINT2 = POINT1 + 2, NS = POINT2 + 2 };
enum { OUT_FORCE, OUT_FORCE_LOCAL };
enum { NV = 6 };

/* Which number of the line's law a slot is */
static const int by[NS] = {SN_LINE_K, SN_LINE_L0, -1, -1, SN_LINE_C, -1, -1, -1, -1, -1};

static const double side[2] = {-1, 1};

/* The line, and the arms to the points in the axes of the plane */
typedef struct ends {
    sn_line line;
    double arm[2][2];
} ends;

static inline sn_line_law law(const double *s) { return (sn_line_law){s[STIFF], s[L0], s[DAMP]}; }

static inline int turns(const sn_in *in, int i) { return sn_is_frame(in->view, i); }
static inline int twists(const sn_in *in) { return turns(in, 0) && turns(in, 1); }

/* p, fixed in node i, in the axes of the plane */
static inline void turned(const sn_in *in, int i, const double *p, double *a)
{
    const double t = in->q[in->off[i] + 2], c = cos(t), s = sin(t);
    a[0] = c * p[0] - s * p[1];
    a[1] = s * p[0] + c * p[1];
}

/* Adds node i's point, a away from it, to d and u. */
static inline void add_point(const sn_in *in, int i, const double *a, double *d, double *u)
{
    const double w = in->v[in->offv[i] + 2];
    d[0] += side[i] * a[0], d[1] += side[i] * a[1];
    u[0] -= side[i] * w * a[1], u[1] += side[i] * w * a[0];
}

static inline void difference(const sn_in *in, ends *n)
{
    const double *q2 = in->q + in->off[1], *v2 = in->v + in->offv[1];
    for (int k = 0; k < 2; k++) {
        n->line.d[k] = q2[k] - in->q[k];
        n->line.u[k] = v2[k] - in->v[k];
        n->arm[k][0] = n->arm[k][1] = 0;
    }
    for (int i = 0; i < 2; i++) {
        if (!turns(in, i)) continue;
        turned(in, i, in->s + (i ? POINT2 : POINT1), n->arm[i]);
        add_point(in, i, n->arm[i], n->line.d, n->line.u);
    }
}

static inline sn_status stretch(const sn_in *in, ends *n)
{
    difference(in, n);
    return sn_line_open(2, law(in->s), &n->line);
}

static inline double moment(const sn_in *in)
{
    const double *s = in->s;
    const int i = 2, j = in->off[1] + 2, l = in->offv[1] + 2;
    return s[KT] * (in->q[j] - in->q[i] - s[PHI0]) + s[CT] * (in->v[l] - in->v[i]);
}

/* r += E'F, and the moment M */
static inline void add_ends(const sn_in *in, const ends *n, const double *F, double M, double *r)
{
    for (int i = 0; i < 2; i++) {
        double *ri = r + in->offv[i];
        const double *a = n->arm[i];
        ri[0] += side[i] * F[0];
        ri[1] += side[i] * F[1];
        if (turns(in, i)) ri[2] += side[i] * (a[0] * F[1] - a[1] * F[0]);
        if (twists(in)) ri[2] += side[i] * M;
    }
}

/* E and du/dq, 2 x nv; U NULL: not asked */
static void line_tangent(const sn_in *in, const ends *n, double *E, double *U)
{
    const int nv = in->nv;
    memset(E, 0, 2 * sizeof *E * (size_t)nv);
    memset(U, 0, 2 * sizeof *U * (size_t)nv);
    for (int i = 0; i < 2; i++) {
        const int o = in->offv[i];
        const double *a = n->arm[i];
        E[o] = E[nv + o + 1] = side[i];
        if (!turns(in, i)) continue;
        const double w = side[i] * in->v[o + 2];
        E[o + 2] = -side[i] * a[1], E[nv + o + 2] = side[i] * a[0];
        U[o + 2] = -w * a[0], U[nv + o + 2] = -w * a[1];
    }
}

/* A += E'(D E + G U), U NULL: E'D E; and k between the angles */
static void scatter(const sn_in *in, const double *E, const double *D, const double *G, const double *U,
                    double k, double *A)
{
    const int nv = in->nv, o = in->offv[1];
    for (int j = 0; j < nv; j++) {
        double F[2];
        for (int i = 0; i < 2; i++) {
            F[i] = D[2 * i] * E[j] + D[2 * i + 1] * E[nv + j];
            if (U) F[i] += G[2 * i] * U[j] + G[2 * i + 1] * U[nv + j];
        }
        for (int i = 0; i < nv; i++) A[nv * i + j] += E[i] * F[0] + E[nv + i] * F[1];
    }
    if (!twists(in)) return;
    A[nv * 2 + 2] += k;
    A[nv * 2 + o + 2] -= k;
    A[nv * (o + 2) + 2] -= k;
    A[nv * (o + 2) + o + 2] += k;
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    ends n;
    double F[2], D[4], G[4], E[2 * NV], U[2 * NV];
    (void)M;
    SN_TRY(stretch(in, &n));
    F[0] = n.line.f * n.line.d[0];
    F[1] = n.line.f * n.line.d[1];
    add_ends(in, &n, F, twists(in) ? moment(in) : 0, r);
    if (!K) return SN_OK;
    sn_line_tangent(2, law(in->s), &n.line, D, G);
    line_tangent(in, &n, E, U);
    scatter(in, E, D, G, U, in->s[KT], K);
    for (int i = 0; i < 2; i++) /* the arms turn at a constant force */
        if (turns(in, i)) K[(in->nv + 1) * (in->offv[i] + 2)] -= side[i] * sn_dot2(n.arm[i], F);
    if (C) scatter(in, E, G, NULL, NULL, in->s[CT], C);
    return SN_OK;
}

/* Changes of d, of u, of F/l alone and of the moment by own slot `index`. */
static sn_status dline(const sn_in *in, ends *n, int index, double *dd, double *du, double *df, double *dM)
{
    const double *s = in->s;
    *dM = dd[0] = dd[1] = du[0] = du[1] = 0;
    SN_TRY(stretch(in, n));
    SN_TRY(sn_line_by(2, law(s), by[index], &n->line, df));
    for (int i = 0; i < 2; i++) {
        const int k = index - (i ? POINT2 : POINT1);
        double a[2];
        if (k < 0 || k > 1 || !turns(in, i)) continue;
        turned(in, i, (const double[]){k == 0, k == 1}, a);
        add_point(in, i, a, dd, du);
    }
    if (!twists(in)) return SN_OK;
    if (index == KT) *dM = in->q[in->off[1] + 2] - in->q[2] - s[PHI0];
    if (index == PHI0) *dM = -s[KT];
    if (index == CT) *dM = in->v[in->offv[1] + 2] - in->v[2];
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    ends n;
    double dd[2], du[2], df, dM, D[4], G[4], F[2];
    if (index >= NS) return SN_OK;
    SN_TRY(dline(in, &n, index, dd, du, &df, &dM));
    sn_line_tangent(2, law(in->s), &n.line, D, G);
    for (int i = 0; i < 2; i++) F[i] = df * n.line.d[i] + sn_dot2(D + 2 * i, dd) + sn_dot2(G + 2 * i, du);
    add_ends(in, &n, F, dM, dr);
    for (int i = 0; i < 2; i++) {
        const int k = index - (i ? POINT2 : POINT1);
        double a[2];
        if (k < 0 || k > 1 || !turns(in, i)) continue;
        turned(in, i, (const double[]){k == 0, k == 1}, a);
        dr[in->offv[i] + 2] += side[i] * n.line.f * (a[0] * n.line.d[1] - a[1] * n.line.d[0]);
    }
    return SN_OK;
}

/* The rows of one end of the element's residual */
static void end_rows(const sn_in *in, int end, const double *r, double *y)
{
    const int i = end != 1;
    y[0] = r[in->offv[i]];
    y[1] = r[in->offv[i] + 1];
    y[2] = turns(in, i) ? r[in->offv[i] + 2] : 0;
}

static sn_status output_force(const sn_in *in, int end, double *y, sn_dout *d)
{
    double r[NV] = {0}, K[NV * NV] = {0}, C[NV * NV] = {0};
    const int nv = in->nv, i = end != 1, rows = turns(in, i) ? 3 : 2;
    SN_TRY(eval(in, r, d ? K : NULL, d ? C : NULL, NULL));
    end_rows(in, end, r, y);
    for (int k = 0; d && k < rows; k++)
        for (int j = 0; j < nv; j++) {
            if (d->q) d->q[nv * k + j] += K[nv * (in->offv[i] + k) + j];
            if (d->v) d->v[nv * k + j] += C[nv * (in->offv[i] + k) + j];
        }
    return SN_OK;
}

/* N = f l along the line, nothing across it, and the moment of the torsional spring */
static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    const int nv = in->nv, o = in->offv[1];
    const double sign = end == 1 ? -1 : 1;
    double a[2], b[2], E[2 * NV], U[2 * NV];
    ends n;
    if (which == OUT_FORCE) return output_force(in, end, y, d);
    SN_TRY(stretch(in, &n));
    sn_line_along(2, law(in->s), &n.line, a, b);
    y[0] = sign * n.line.f * n.line.l;
    y[1] = 0;
    y[2] = twists(in) ? sign * moment(in) : 0;
    if (!d) return SN_OK;
    line_tangent(in, &n, E, U);
    for (int j = 0; j < nv; j++) {
        if (d->q) d->q[j] += sign * (a[0] * E[j] + a[1] * E[nv + j] + b[0] * U[j] + b[1] * U[nv + j]);
        if (d->v) d->v[j] += sign * (b[0] * E[j] + b[1] * E[nv + j]);
    }
    for (int i = 0; twists(in) && i < 2; i++) {
        const int j = 2 * nv + (i ? o : 0) + 2;
        if (d->q) d->q[j] += sign * side[i] * in->s[KT];
        if (d->v) d->v[j] += sign * side[i] * in->s[CT];
    }
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    const double sign = end == 1 ? -1 : 1;
    double dd[2], du[2], df, dM, a[2], b[2], r[NV] = {0};
    ends n;
    dy[0] = dy[1] = dy[2] = 0;
    if (index >= NS) return SN_OK;
    if (which == OUT_FORCE) {
        SN_TRY(dparam(in, index, r));
        end_rows(in, end, r, dy);
        return SN_OK;
    }
    SN_TRY(dline(in, &n, index, dd, du, &df, &dM));
    sn_line_along(2, law(in->s), &n.line, a, b);
    dy[0] = sign * (df * n.line.l + sn_dot2(a, dd) + sn_dot2(b, du));
    dy[2] = sign * dM;
    return SN_OK;
}

/* 1/2 k (l - l0)^2 + 1/2 kt (turn)^2 */
static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const double *s = in->s;
    ends n;
    difference(in, &n);
    const double *d = n.line.d, l = sqrt(sn_dot2(d, d)), x = l - s[L0], f = sn_line_elastic(law(s), l);
    const double turn = twists(in) ? in->q[in->off[1] + 2] - in->q[2] - s[PHI0] : 0;
    e[0] = 0;
    e[1] = 0.5 * (s[STIFF] * x * x + s[KT] * turn * turn);
    if (de && de->q) add_ends(in, &n, (const double[]){f * d[0], f * d[1]}, s[KT] * turn, de->q + in->nv);
}

static void denergy(const sn_in *in, int index, double *de)
{
    const double *s = in->s;
    double dd[2], du[2], df, dM;
    ends n;
    de[0] = de[1] = 0;
    if (index >= NS || dline(in, &n, index, dd, du, &df, &dM) != SN_OK) return;
    const double l = sqrt(sn_dot2(n.line.d, n.line.d)), x = l - s[L0];
    const double turn = twists(in) ? in->q[in->off[1] + 2] - in->q[2] - s[PHI0] : 0;
    if (index == STIFF) de[1] = 0.5 * x * x;
    if (index == L0) de[1] = -s[STIFF] * x;
    if (index == KT) de[1] = 0.5 * turn * turn;
    if (index == PHI0) de[1] = -s[KT] * turn;
    if (index >= POINT1 && l > 0) de[1] = s[STIFF] * x * sn_dot2(n.line.d, dd) / l;
}

static const sn_slot slots[] = {
    {"k", "N/m", "stiffness along the line", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"l0", "m", "free length (default: the distance of the points)", 1, SN_VARIES, SN_REQUIRED, 0,
     SN_INFINITE, "hypot(@2.x+point2.x-@1.x-point1.x, @2.y+point2.y-@1.y-point1.y)"},
    {"kt", "N*m/rad", "torsional stiffness", 1, SN_NEEDS_ROT, 0, 0, SN_INFINITE, NULL},
    {"phi0", "rad", "free angle", 1, SN_VARIES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"c", "N*s/m", "damping along the line", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"ct", "N*m*s/rad", "torsional damping", 1, SN_NEEDS_ROT, 0, 0, SN_INFINITE, NULL},
    {"point1", "m", "attachment point relative to node 1, in the axes of the reference configuration", 2,
     SN_ROTATES | SN_ON_NODE1, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"point2", "m", "attachment point relative to node 2", 2, SN_ROTATES | SN_ON_NODE2, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    {0},
};

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    (void)c;
    for (int i = 0; i < 2; i++) {
        const double *p = in->s + (i ? POINT2 : POINT1);
        if (!turns(in, i) && (p[0] != 0 || p[1] != 0))
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "node %d has no rotation, so 'point%d' must be zero (use a frame2d node)", i + 1,
                           i + 1);
    }
    return SN_OK;
}

static const sn_output outputs[] = {
    {"force",
     "force on the element at its end (2 unless asked): tension points outward; the moment is about the node",
     3,
     {"fx", "fy", "torque"},
     {"N", "N", "N*m"}},
    {"force_local",
     "the same along the line, across it, and the moment of the torsional spring: at end 2 tension is "
     "positive",
     3,
     {"N", "V", "M"},
     {"N", "N", "N*m"}},
    {0},
};

static const sn_geometry geometry = {SN_SHAPE_LINE, SN_STRAIGHT, "spring", 0, NULL};

static const sn_field_decl fields[] = {
    SN_FIELD_AXIAL, SN_FIELD_SHEAR(SN_FIELD_SIGNED), SN_FIELD_BENDING(SN_FIELD_SIGNED), {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    return sn_section_plane(in, output, OUT_FORCE_LOCAL, section, y);
}

const sn_element_class sn_element_spring2d = {
    .name = "spring2d",
    .doc = "linear and torsional spring and damper between two planar points, without mass",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 2, .ask = SN_POSITION | SN_FRAME},
    .slots = slots,
    .outputs = outputs,
    .flags = SN_USES_V | SN_SYMMETRIC | SN_CONSERVATIVE,
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
