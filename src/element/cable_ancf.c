/* cable_ancf: planar or spatial cable or thin beam in absolute nodal coordinates, between two nodes
   with slopes: (x1, p1, x2, p2), p = r' the derivative by the length L of the natural state. The line is the
   cubic through both places and slopes, and the mass matrix rhoA L H (x) 1, H that of Hermite's polynomials,
   is constant.

     V = L int EA/2 (l - 1)^2 + EI/2 |k|^2 dxi,   l = |r'|,  |k| = |r' x r''|/l^2 = d(angle)/d(natural length)

   which is the extensible elastica (Gerstmayr, Irschik 2008). `strain: green` has (l^2 - 1)/2 for l - 1, as
   much of the literature: for small strains the same. The natural state is straight, of length (1 + slack)
   times the distance of the nodes in the reference configuration; their slopes there have no influence on it.
   The axial part is integrated at 3 Lobatto points (ends and middle), bending at 3 Gauss points: more points
   for the axial part lock, fewer have motions without force.

   Damping: N = EA (l - 1 + tau dl/dt), and a moment EI tau times the rate of k in axes that turn with the
   tangent and do not spin about it. So rigid planar motions dissipate nothing, nor do spatial ones
   but a spin of a bent cable about its tangent, by which its fibres are stretched and shortened in turn.

   No shear, no torsion, no rotary inertia. A frame can be tied to a node by the joint `attach`. */
#include "element/cable_ancf_load.h"
#include "element/cable_ancf_output.h"
#include "element/section_forces.h"

extern const sn_element_class sn_element_cable_ancf;

static law law_of(const sn_in *in)
{
    return (law){in->s[EA], in->s[EI], in->s[DAMPING], in->opt[OPT_STRAIN]};
}

/* Elastic and damping forces, with their tangents where K is not NULL */
static SN_SIMD_INLINE sn_status internal(const int n, const sn_in *in, double *r, double *K, double *C)
{
    const double L = ((const constants *)in->c)->L;
    const law w = law_of(in);
    double y[MOST] = {0}, u[MOST] = {0}, f[MOST] = {0};
    blocks_of(n, in->q, y), blocks_of(n, in->v, u);
    SN_TRY(elastic(n, &w, L, y, u, f));
    expand(n, f, r);
    if (K) {
        double B[MOST * MOST] = {0};
        if (w.tau == 0)
            elastic_tangent(n, &w, L, y, B);
        else
            tangent(n, &w, L, y, u, 0, B);
        expand_matrix(n, B, K);
    }
    if (C && w.tau != 0) {
        double B[MOST * MOST] = {0};
        tangent(n, &w, L, y, u, 1, B);
        expand_matrix(n, B, C);
    }
    return SN_OK;
}

/* a - g: a field is an acceleration of all places */
static SN_SIMD_INLINE void against_field(const int n, const sn_in *in, double *x)
{
    for (int i = 0; i < n; i++) {
        x[i] = in->a[i] - in->g[i], x[n + i] = in->a[n + i];
        x[2 * n + i] = in->a[2 * n + i] - in->g[i], x[3 * n + i] = in->a[3 * n + i];
    }
}

static SN_SIMD_INLINE sn_status eval_n(const int n, const sn_in *in, double *r, double *K, double *C,
                                       double *M)
{
    const double L = ((const constants *)in->c)->L, rho = in->s[RHO_A];
    double x[MOST_COORD] = {0};
    SN_TRY(internal(n, in, r, K, C));
    against_field(n, in, x);
    mass_times(n, rho, L, 0, x, r);
    for (int a = 0; K && a < 4; a++)
        for (int b = 0; b < 4; b++)
            for (int i = 0; i < n; i++) M[(a * n + i) * 4 * n + b * n + i] += mass_entry(a, b, rho, L, 0);
    return SN_OK;
}

static SN_SIMD sn_status eval_plane(const sn_in *in, double *r, double *K, double *C, double *M)
{
    return K ? eval_n(2, in, r, K, C, M) : eval_n(2, in, r, NULL, NULL, NULL);
}

static SN_SIMD sn_status eval_space(const sn_in *in, double *r, double *K, double *C, double *M)
{
    return K ? eval_n(3, in, r, K, C, M) : eval_n(3, in, r, NULL, NULL, NULL);
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    return in->dim == 2 ? eval_plane(in, r, K, C, M) : eval_space(in, r, K, C, M);
}

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = sizeof(constants) / sizeof(double);
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    constants *k = (constants *)c;
    const int n = in->dim;
    double size = 0;
    *k = (constants){.chord = 0};
    for (int i = 0; i < n; i++) {
        k->e[i] = in->X[2 * n + i] - in->X[i];
        size = fmax(size, fmax(fabs(in->X[2 * n + i]), fabs(in->X[i])));
    }
    k->chord = sqrt(sn_dot3(k->e, k->e));
    if (!(k->chord > 1e-14 * size))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the cable has no length: its two nodes are at the same place");
    for (int i = 0; i < n; i++) k->e[i] /= k->chord;
    k->L = (1 + in->s[SLACK]) * k->chord;
    return SN_OK;
}

/* dL by slack or a reference coordinate */
static double length_by(const sn_in *in, int index)
{
    const constants *c = (const constants *)in->c;
    const int n = in->dim, at = index - NS;
    if (index == SLACK) return c->chord;
    if (at < 0 || at >= 4 * n || at / n % 2) return 0;
    return (1 + in->s[SLACK]) * c->e[at % n] * (at < n ? -1 : 1);
}

/* Derivative of the internal forces by slot or reference coordinate */
static void internal_by(const sn_in *in, int index, double *r)
{
    const double L = ((const constants *)in->c)->L, dL = length_by(in, index);
    const law w = law_of(in);
    const int n = in->dim;
    law d = {index == EA, index == EI, w.tau, w.green};
    double y[MOST] = {0}, u[MOST] = {0}, f[MOST] = {0}, g[MOST] = {0};
    blocks_of(n, in->q, y), blocks_of(n, in->v, u);
    if (dL != 0) elastic_by_length(n, &w, L, dL, y, u, f);
    if (index == EA || index == EI) elastic(n, &d, L, y, u, f);
    if (index == DAMPING) { /* the forces are linear in tau */
        d = w, d.tau = 1;
        elastic(n, &d, L, y, u, f);
        d.tau = 0;
        elastic(n, &d, L, y, u, g);
        for (int i = 0; i < BLOCKS * n; i++) f[i] -= g[i];
    }
    expand(n, f, r);
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    const double L = ((const constants *)in->c)->L, rho = in->s[RHO_A], dL = length_by(in, index);
    const int n = in->dim, field = index - NS - 4 * n;
    double x[MOST_COORD] = {0};
    if (field >= 0) {
        if (field < n) x[field] = x[2 * n + field] = -1;
        mass_times(n, rho, L, 0, x, dr);
        return SN_OK;
    }
    against_field(n, in, x);
    internal_by(in, index, dr);
    if (index == RHO_A) mass_times(n, 1, L, 0, x, dr);
    for (int i = 0; i < MOST_COORD; i++) x[i] *= dL;
    if (dL != 0) mass_times(n, rho, L, 1, x, dr);
    return SN_OK;
}

/* ---- outputs ---- */

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    const end_of at = {in->dim, end, in->opt[OPT_STRAIN], ((const constants *)in->c)->L};
    const int n = in->dim, nv = 4 * n, o = end == 1 ? 0 : 2 * n,
              m = which == OUT_FORCE    ? 6
                  : which == OUT_STRAIN ? 2
                                        : 3;
    double f[MOST_COORD] = {0}, K[MOST_COORD * MOST_COORD] = {0}, C[MOST_COORD * MOST_COORD] = {0},
           b[MOST] = {0}, db[MOST] = {0}, df[MOST_COORD] = {0}, dy[6] = {0};
    if (which == OUT_STRAIN) {
        blocks_of(n, in->q, b);
        strain_at(&at, b, y, NULL, 0, NULL);
    } else {
        SN_TRY(internal(n, in, f, d ? K : NULL, d ? C : NULL));
        output_of(n, which, (slope_and_force){in->q + o + n, f + o}, y, (slope_and_force){NULL, NULL}, NULL);
    }
    for (int j = 0; d && j < nv; j++) {
        double e[MOST_COORD] = {0}, out[6] = {0};
        e[j] = 1;
        if (which == OUT_STRAIN) {
            blocks_of(n, e, db);
            strain_at(&at, b, out, db, 0, dy);
            for (int i = 0; d->q && i < m; i++) d->q[i * nv + j] = dy[i];
            continue;
        }
        for (int pass = 0; pass < 2; pass++) {
            double *D = pass ? d->v : d->q;
            if (!D) continue;
            for (int i = 0; i < 2 * n; i++) df[i] = (pass ? C : K)[(o + i) * nv + j];
            output_of(n, which, (slope_and_force){in->q + o + n, f + o}, out,
                      (slope_and_force){pass ? NULL : e + o + n, df}, dy);
            for (int i = 0; i < m; i++) D[i * nv + j] = dy[i];
        }
    }
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    const end_of at = {in->dim, end, in->opt[OPT_STRAIN], ((const constants *)in->c)->L};
    const int n = in->dim, o = end == 1 ? 0 : 2 * n;
    double f[MOST_COORD] = {0}, df[MOST_COORD] = {0}, b[MOST] = {0}, y[6] = {0};
    if (which == OUT_STRAIN) {
        blocks_of(n, in->q, b);
        strain_at(&at, b, y, NULL, length_by(in, index), dy);
        return SN_OK;
    }
    SN_TRY(internal(n, in, f, NULL, NULL));
    internal_by(in, index, df);
    output_of(n, which, (slope_and_force){in->q + o + n, f + o}, y, (slope_and_force){NULL, df + o}, dy);
    return SN_OK;
}

/* ---- energy ---- */

/* Kinetic energy of a mass per length, -rho L g.(mean place) */
static double kinetic(const sn_in *in, double rho, double L, int dL)
{
    double p[MOST_COORD] = {0}, T = 0;
    mass_times(in->dim, rho, L, dL, in->v, p);
    for (int i = 0; i < 4 * in->dim; i++) T += 0.5 * in->v[i] * p[i];
    return T;
}

static double lifted(const sn_in *in, const double *g, double rho, double L, int dL)
{
    const int n = in->dim;
    double x[MOST_COORD] = {0}, p[MOST_COORD] = {0}, V = 0;
    for (int i = 0; i < n; i++) x[i] = x[2 * n + i] = g[i];
    mass_times(n, rho, L, dL, x, p);
    for (int i = 0; i < 4 * n; i++) V -= p[i] * in->q[i];
    return V;
}

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const double L = ((const constants *)in->c)->L, rho = in->s[RHO_A];
    const law w = {in->s[EA], in->s[EI], 0, in->opt[OPT_STRAIN]};
    const int n = in->dim;
    double y[MOST] = {0}, f[MOST] = {0}, x[MOST_COORD] = {0};
    blocks_of(n, in->q, y);
    e[0] = kinetic(in, rho, L, 0);
    e[1] = stored(n, &w, L, y) + lifted(in, in->g, rho, L, 0);
    if (!de) return;
    if (de->q) {
        for (int i = 0; i < n; i++) x[i] = x[2 * n + i] = -in->g[i];
        elastic(n, &w, L, y, y, f);
        expand(n, f, de->q + 4 * n);
        mass_times(n, rho, L, 0, x, de->q + 4 * n);
    }
    if (de->v) mass_times(n, rho, L, 0, in->v, de->v);
}

static void denergy(const sn_in *in, int index, double *de)
{
    const double L = ((const constants *)in->c)->L, rho = in->s[RHO_A], dL = length_by(in, index);
    const law w = {in->s[EA], in->s[EI], 0, in->opt[OPT_STRAIN]},
              unit = {index == EA, index == EI, 0, in->opt[OPT_STRAIN]};
    const int n = in->dim, field = index - NS - 4 * n;
    double y[MOST] = {0}, one[3] = {field == 0, field == 1, field == 2};
    blocks_of(n, in->q, y);
    de[0] = dL == 0 ? 0 : dL * kinetic(in, rho, L, 1);
    de[1] = dL == 0 ? 0 : dL * (stored_by_length(n, &w, L, y) + lifted(in, in->g, rho, L, 1));
    if (field >= 0) de[1] = lifted(in, one, rho, L, 0);
    if (index == EA || index == EI) de[1] = stored(n, &unit, L, y);
    if (index == RHO_A) de[0] = kinetic(in, 1, L, 0), de[1] = lifted(in, in->g, 1, L, 0);
}

/* ---- line loads ---- */

static sn_status distribute(const sn_in *in, const double *w, int turning, double *r, double *K)
{
    if (in->dim == 2)
        spread(2, in, w, turning, r, K);
    else
        spread(3, in, w, turning, r, K);
    return SN_OK;
}

static sn_status ddistribute(const sn_in *in, const double *w, int turning, int index, double *dr)
{
    const double dL = length_by(in, index);
    if (dL != 0) spread_by_length(in->dim, in, w, turning, dL, dr);
    return SN_OK;
}

/* ---- table ---- */

static const sn_slot slots[] = {
    {"EA", "N", "axial stiffness", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "E*A"},
    {"EI", "N*m^2", "bending stiffness, the same about all transverse axes", 1, 0, SN_REQUIRED, 0,
     SN_INFINITE, "E*I"},
    {"rhoA", "kg/m", "mass per unit natural length", 1, SN_OF_MASS, 0, 0, SN_INFINITE, "rho*A"},
    {"damping", "s", "stiffness-proportional damping of the deformation", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"slack", "", "ratio of natural length to the distance of the nodes in the reference, minus 1", 1, 0, 0,
     -0.9, SN_INFINITE, NULL},
    {0},
};

static const sn_option options[] = {
    {"strain", "engineering|green", "axial strain l - 1, or (l^2 - 1)/2 which softens in compression", 0},
    {0},
};

static const sn_output outputs[] = {
    {"force",
     "elastic and damping force and moment on the element at its end (2 unless asked)",
     6,
     {"fx", "fy", "fz", "mx", "my", "mz"},
     {"N", "N", "N", "N*m", "N*m", "N*m"}},
    {"force_local",
     "along and across the tangent, and the moment (magnitudes in space); at end 2 tension is positive",
     3,
     {"N", "V", "M"},
     {"N", "N", "N*m"}},
    {"strain",
     "axial strain and curvature (in space its magnitude) at the end",
     2,
     {"eps", "kappa"},
     {"", "1/m"}},
    {0},
};

/* A line: EI and EA of a rope do not tell how thick it is. */
static const sn_geometry geometry = {SN_SHAPE_LINE, SN_CUBIC, NULL, 1, NULL};

static const sn_field_decl fields[] = {
    SN_FIELD_AXIAL, SN_FIELD_SHEAR(SN_FIELD_SIGNED), SN_FIELD_BENDING(SN_FIELD_SIGNED), SN_FIELD_STRESS, {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    SN_TRY(sn_section_plane(in, output, OUT_FORCE_LOCAL, section, y));
    if (in->dim == 3) y[2] = -y[2]; /* sizes at both ends */
    return SN_OK;
}

const sn_element_class sn_element_cable_ancf = {
    .name = "cable_ancf",
    .doc = "cable or thin beam in absolute nodal coordinates, planar or spatial",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .ask = SN_DIRECTOR},
    .slots = slots,
    .options = options,
    .outputs = outputs,
    .flags = SN_USES_V | SN_USES_A | SN_SYMMETRIC | SN_CONSERVATIVE,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
    .output = output,
    .doutput = doutput,
    .energy = energy,
    .denergy = denergy,
    .distribute = distribute,
    .ddistribute = ddistribute,
    .geometry = &geometry,
    .fields = fields,
    .field = field,
};
