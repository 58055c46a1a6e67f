/* spring2d: massless spring and damper between two nodes of the plane, along their line and about the normal.

   F = [k (1 - l0/l) + c ldot/l] d with d = x2 - x1, l = |d| (line.h); M = kt (theta2 - theta1 - phi0) + ct
   (rate of theta2 - theta1) where both nodes have rotations. Angles are not wrapped. */
#include "element/line.h"
#include "element/section_forces.h"

extern const sn_element_class sn_element_spring2d;

enum { STIFF, L0, KT, PHI0, DAMP, CT, NS };
enum { OUT_FORCE, OUT_FORCE_LOCAL };

/* Which number of the line's law a slot is */
static const int by[NS] = {SN_LINE_K, SN_LINE_L0, -1, -1, SN_LINE_C, -1};

static inline sn_line_law law(const double *s) { return (sn_line_law){s[STIFF], s[L0], s[DAMP]}; }

static inline int turns(const sn_in *in) { return sn_is_frame(in->view, 0) && sn_is_frame(in->view, 1); }

static inline sn_status stretch(const sn_in *in, sn_line *n)
{
    const double *q2 = in->q + in->off[1], *v2 = in->v + in->offv[1];
    for (int k = 0; k < 2; k++) {
        n->d[k] = q2[k] - in->q[k];
        n->u[k] = v2[k] - in->v[k];
    }
    return sn_line_open(2, law(in->s), n);
}

static inline double moment(const sn_in *in, int i, int j)
{
    const double *s = in->s;
    return s[KT] * (in->q[j] - in->q[i] - s[PHI0]) + s[CT] * (in->v[j] - in->v[i]);
}

/* K += D between the differences of both nodes' coordinates, k likewise for the angles */
static inline void scatter(const sn_in *in, const double *D, double k, double *K)
{
    int nv = in->nv, o = in->offv[1];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double x = D[2 * i + j];
            K[nv * i + j] += x;
            K[nv * i + o + j] -= x;
            K[nv * (o + i) + j] -= x;
            K[nv * (o + i) + o + j] += x;
        }
    if (!turns(in)) return;
    K[nv * 2 + 2] += k;
    K[nv * 2 + o + 2] -= k;
    K[nv * (o + 2) + 2] -= k;
    K[nv * (o + 2) + o + 2] += k;
}

static inline void add_ends(const sn_in *in, const double *F, double M, double *r)
{
    double *r2 = r + in->offv[1];
    r[0] -= F[0];
    r[1] -= F[1];
    r2[0] += F[0];
    r2[1] += F[1];
    if (!turns(in)) return;
    r[2] -= M;
    r2[2] += M;
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    sn_line n;
    double F[2], D[4], G[4];
    (void)M;
    SN_TRY(stretch(in, &n));
    F[0] = n.f * n.d[0];
    F[1] = n.f * n.d[1];
    add_ends(in, F, turns(in) ? moment(in, 2, in->offv[1] + 2) : 0, r);
    if (!K) return SN_OK;
    sn_line_tangent(2, law(in->s), &n, D, G);
    scatter(in, D, in->s[KT], K);
    if (C) scatter(in, G, in->s[CT], C);
    return SN_OK;
}

/* Derivatives of N/l and of the moment by own slot `index`; the reference and the field do not matter. */
static sn_status dforce(const sn_in *in, sn_line *n, int index, double *df, double *dM)
{
    const double *s = in->s;
    int o = in->offv[1] + 2, rot = turns(in);
    *dM = 0;
    SN_TRY(stretch(in, n));
    SN_TRY(sn_line_by(2, law(s), by[index], n, df));
    if (!rot) return SN_OK;
    if (index == KT) *dM = in->q[o] - in->q[2] - s[PHI0];
    if (index == PHI0) *dM = -s[KT];
    if (index == CT) *dM = in->v[o] - in->v[2];
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    sn_line n;
    double df, dM;
    if (index >= NS) return SN_OK;
    SN_TRY(dforce(in, &n, index, &df, &dM));
    add_ends(in, (const double[]){df * n.d[0], df * n.d[1]}, dM, dr);
    return SN_OK;
}

/* Row of an output: derivative by d at the second node, its negative at the first, k by the angles'
 * difference */
static void output_row(const sn_in *in, double sign, const double *dd, double k, double *row)
{
    int o = in->offv[1];
    for (int i = 0; i < 2; i++) {
        row[i] -= sign * dd[i];
        row[o + i] += sign * dd[i];
    }
    if (!turns(in)) return;
    row[2] -= sign * k;
    row[o + 2] += sign * k;
}

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    static const double zero[2] = {0, 0};
    int nv = in->nv, rot = turns(in);
    double sign = end == 1 ? -1 : 1, D[4], G[4];
    sn_line n;
    SN_TRY(stretch(in, &n));
    sn_line_tangent(2, law(in->s), &n, D, G);
    y[0] = sign * n.f * n.d[0];
    y[1] = sign * n.f * n.d[1];
    y[2] = rot ? sign * moment(in, 2, in->offv[1] + 2) : 0;
    if (which == OUT_FORCE_LOCAL) {
        /* N = f l along the line, nothing across it */
        sn_line_along(2, law(in->s), &n, D, G);
        D[2] = D[3] = G[2] = G[3] = 0;
        y[0] = sign * n.f * n.l;
        y[1] = 0;
    }
    for (int i = 0; d && i < 3; i++) {
        if (d->q) output_row(in, sign, i < 2 ? D + 2 * i : zero, i == 2 ? in->s[KT] : 0, d->q + nv * i);
        if (d->v) output_row(in, sign, i < 2 ? G + 2 * i : zero, i == 2 ? in->s[CT] : 0, d->v + nv * i);
    }
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    double sign = end == 1 ? -1 : 1, df, dM;
    sn_line n;
    dy[0] = dy[1] = dy[2] = 0;
    if (index >= NS) return SN_OK;
    SN_TRY(dforce(in, &n, index, &df, &dM));
    dy[0] = sign * df * n.d[0];
    dy[1] = sign * df * n.d[1];
    dy[2] = sign * dM;
    if (which == OUT_FORCE_LOCAL) {
        dy[0] = sign * df * sqrt(sn_dot2(n.d, n.d));
        dy[1] = 0;
    }
    return SN_OK;
}

/* 1/2 k (l - l0)^2 + 1/2 kt (turn)^2 */
static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const double *s = in->s, *q2 = in->q + in->off[1];
    int nv = in->nv;
    double d[2] = {q2[0] - in->q[0], q2[1] - in->q[1]}, l = sqrt(sn_dot2(d, d));
    double x = l - s[L0], turn = turns(in) ? q2[2] - in->q[2] - s[PHI0] : 0;
    double f = sn_line_elastic(law(s), l);
    e[0] = 0;
    e[1] = 0.5 * (s[STIFF] * x * x + s[KT] * turn * turn);
    if (de && de->q) add_ends(in, (const double[]){f * d[0], f * d[1]}, s[KT] * turn, de->q + nv);
}

static void denergy(const sn_in *in, int index, double *de)
{
    const double *s = in->s, *q2 = in->q + in->off[1];
    double x = hypot(q2[0] - in->q[0], q2[1] - in->q[1]) - s[L0];
    double turn = turns(in) ? q2[2] - in->q[2] - s[PHI0] : 0;
    de[0] = de[1] = 0;
    if (index == STIFF) de[1] = 0.5 * x * x;
    if (index == L0) de[1] = -s[STIFF] * x;
    if (index == KT) de[1] = 0.5 * turn * turn;
    if (index == PHI0) de[1] = -s[KT] * turn;
}

static const sn_slot slots[] = {
    {"k", "N/m", "stiffness along the line", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"l0", "m", "free length; by default the distance of the nodes", 1, SN_VARIES, SN_REQUIRED, 0,
     SN_INFINITE, "hypot(@2.x-@1.x, @2.y-@1.y)"},
    {"kt", "N*m/rad", "torsional stiffness", 1, SN_NEEDS_ROT, 0, 0, SN_INFINITE, NULL},
    {"phi0", "rad", "free angle", 1, SN_VARIES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"c", "N*s/m", "damping along the line", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"ct", "N*m*s/rad", "torsional damping", 1, SN_NEEDS_ROT, 0, 0, SN_INFINITE, NULL},
    {0},
};

static const sn_output outputs[] = {
    {"force",
     "force on the element at its end (2 unless asked): tension points outward",
     3,
     {"fx", "fy", "torque"},
     {"N", "N", "N*m"}},
    {"force_local",
     "the same along the line, across it, and the moment: at end 2 tension is positive",
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
    .doc = "linear and torsional spring and damper of the plane, without mass",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 2, .ask = SN_POSITION | SN_FRAME},
    .slots = slots,
    .outputs = outputs,
    .flags = SN_USES_V | SN_SYMMETRIC | SN_CONSERVATIVE,
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
