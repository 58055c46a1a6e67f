/* beam3d_ancf: spatial beam in absolute nodal coordinates, between two nodes with three slopes: the axis is
   the cubic through places and slopes r_x, the section's vectors r_y, r_z are linear. The mass matrix is
   constant; there are no rotations and no velocity-dependent inertia forces.

   Strains of the axis, all products of nodes' vectors (Gerstmayr, Shabana 2006 have the same ones):

     eps = (r_x.r_x - 1)/2    gamma_y = r_x.r_y    gamma_z = r_x.r_z
     twist = (r_z.r_yx - r_y.r_zx)/2    kappa_y = r_x.r_zx    kappa_z = -r_x.r_yx
     (r_y.r_y - 1)/2, (r_z.r_z - 1)/2, r_y.r_z of the section itself

   less their values in the reference configuration. They are not integrated, which locks (`strains:
   integrated` shows it, by 3 Gauss points), but tied: the first three sampled at 3 Lobatto points (ends and
   middle), curvatures in the middle, those of the section at the nodes. Order two in the mesh. Strains are
   Green's: with large ones other than those of Reissner's beam.

   For comparison, and where slopes are wanted at nodes: with 12 coordinates a node it costs more than
   beam3d_ge and needs more elements. Its section's own vibrations are fast: for implicit schemes only.
   Damping: each strain's force grows by `damping` times its rate; none in rigid motion. */
#include "element/beam3d_ancf.h"
#include "element/section_forces.h"

extern const sn_element_class sn_element_beam3d_ancf;

/* Products of the sums at a point in numbers: K of the coordinates by u_f.u_g. B: derivatives of the strains
   by the sums, D: of their rates */
static void point_tangent(const seen *e, int point, double *K, double *C)
{
    const double L = e->L.x, tau = e->s[DAMPING].x, weight = points[point].weight * L;
    double B[STRAINS][3 * SUMS] = {{0}}, D[STRAINS][3 * SUMS] = {{0}}, phi[SUMS][BLOCKS];
    double H[3 * SUMS][3 * SUMS] = {{0}}, R[3 * SUMS][3 * SUMS] = {{0}};
    dual u[SUMS][3], w[SUMS][3], y[STRAINS], rate[STRAINS], S[STRAINS];
    shape s;
    strains(e, point, u, y, rate);
    stresses(e, y, rate, S);
    shape_at(points[point].xi, &s);
    sums(&s, e->L, e->v, w);
    for (int i = 0; i < products[points[point].kind].n; i++) {
        const product *p = &products[points[point].kind].of[i];
        const double f = weight * p->weight * S[p->strain].x;
        for (int j = 0; j < 3; j++) {
            B[p->strain][3 * p->f + j] += p->weight * u[p->g][j].x;
            B[p->strain][3 * p->g + j] += p->weight * u[p->f][j].x;
            D[p->strain][3 * p->f + j] += p->weight * w[p->g][j].x;
            D[p->strain][3 * p->g + j] += p->weight * w[p->f][j].x;
            H[3 * p->f + j][3 * p->g + j] += f, H[3 * p->g + j][3 * p->f + j] += f;
        }
    }
    for (int k = 0; k < STRAINS; k++) {
        const double c = weight * e->s[stiffness_of[k]].x;
        for (int i = 0; i < 3 * SUMS; i++)
            for (int j = 0; j < 3 * SUMS && B[k][i] != 0; j++) {
                H[i][j] += c * B[k][i] * (B[k][j] + tau * D[k][j]);
                R[i][j] += c * tau * B[k][i] * B[k][j];
            }
    }
    for (int k = 0; k < SUMS; k++)
        for (int i = 0; i < BLOCKS; i++) phi[k][i] = s.f[k][i] + s.over[k][i] / L;
    for (int k = 0; k < SUMS; k++)
        for (int l = 0; l < SUMS; l++)
            for (int i = 0; i < BLOCKS; i++)
                for (int j = 0; j < BLOCKS; j++) {
                    const double f = phi[k][i] * phi[l][j];
                    if (f == 0) continue;
                    for (int m = 0; m < 9; m++) {
                        const int at = COORDS * (3 * i + m / 3) + 3 * j + m % 3;
                        K[at] += f * H[3 * k + m / 3][3 * l + m % 3];
                        C[at] += f * R[3 * k + m / 3][3 * l + m % 3];
                    }
                }
}

static void add_values(const dual *x, double *r)
{
    for (int i = 0; i < COORDS; i++) r[i] += x[i].x;
}
static void add_changes(const dual *x, double *r)
{
    for (int i = 0; i < COORDS; i++) r[i] += x[i].d;
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    dual x[COORDS] = {{0, 0}};
    seen e;
    look(in, BY_NOTHING, 0, &e);
    elastic(&e, x);
    inertia(&e, x);
    add_values(x, r);
    for (int k = e.first; K && k < e.end; k++) point_tangent(&e, k, K, C);
    for (int a = 0; M && a < BLOCKS; a++)
        for (int b = 0; b < BLOCKS; b++)
            for (int j = 0; j < 3; j++) M[COORDS * (3 * a + j) + 3 * b + j] += mass_of(&e, a, b).x;
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    const double *X = in->X;
    double L2 = 0, size = 0, along[2] = {0, 0};
    (void)c;
    for (int i = 0; i < 3; i++) {
        const double d = X[12 + i] - X[i];
        L2 += d * d, size = fmax(size, fmax(fabs(X[i]), fabs(X[12 + i])));
        along[0] += d * X[3 + i], along[1] += d * X[15 + i];
    }
    if (!(sqrt(L2) > 1e-14 * size))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the beam has no length: its two nodes are at the same place");
    for (int i = 0; i < 2; i++)
        if (!(along[i] > 0))
            return sn_fail(
                err, SN_ERR_INPUT, NULL,
                "'slope_x' of its node %d does not point along the beam: slopes are derivatives by "
                "the beam's own coordinates, and are (1, 0, 0), (0, 1, 0), (0, 0, 1) unless given",
                i + 1);
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    dual x[COORDS] = {{0, 0}};
    seen e;
    look(in, BY_NUMBER, index, &e);
    elastic(&e, x);
    inertia(&e, x);
    add_changes(x, dr);
    return SN_OK;
}

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    dual x[OUT];
    seen e;
    look(in, BY_NOTHING, 0, &e);
    output_of(&e, which, end, x);
    for (int i = 0; i < OUT; i++) y[i] = x[i].x;
    for (int pass = 0; d && pass < 2; pass++) {
        double *D = pass ? d->v : d->q;
        for (int j = 0; D && j < COORDS; j++) {
            look(in, pass ? BY_V : BY_Q, j, &e);
            output_of(&e, which, end, x);
            for (int i = 0; i < OUT; i++) D[COORDS * i + j] = x[i].d;
        }
    }
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    dual x[OUT];
    seen e;
    look(in, BY_NUMBER, index, &e);
    output_of(&e, which, end, x);
    for (int i = 0; i < OUT; i++) dy[i] = x[i].d;
    return SN_OK;
}

/* ---- energy ---- */

static void energies(const seen *e, dual *T, dual *V)
{
    dual y[COORDS], p[COORDS] = {{0, 0}}, w[COORDS] = {{0, 0}};
    *T = constant(0), *V = stored(e);
    mass_times(e, e->v, p);
    field_of(e, y);
    mass_times(e, y, w);
    for (int i = 0; i < COORDS; i++) {
        *T = add(*T, times(0.5, mul(p[i], e->v[i])));
        *V = sub(*V, mul(w[i], e->q[i]));
    }
}

static void energy(const sn_in *in, double *out, sn_dout *de)
{
    dual T, V, x[COORDS] = {{0, 0}}, p[COORDS] = {{0, 0}};
    seen e;
    look(in, BY_NOTHING, 0, &e);
    energies(&e, &T, &V);
    out[0] = T.x, out[1] = V.x;
    if (!de) return;
    mass_times(&e, e.v, p);
    if (de->v) add_values(p, de->v);
    if (!de->q) return;
    for (int i = 0; i < COORDS; i++) e.v[i] = e.a[i] = constant(0);
    elastic(&e, x);
    inertia(&e, x);
    add_values(x, de->q + COORDS);
}

static void denergy(const sn_in *in, int index, double *de)
{
    dual T, V;
    seen e;
    look(in, BY_NUMBER, index, &e);
    energies(&e, &T, &V);
    de[0] = T.d, de[1] = V.d;
}

/* ---- line loads ---- */

static sn_status distribute(const sn_in *in, const double *w, int turning, double *r, double *K)
{
    dual x[COORDS] = {{0, 0}};
    seen e;
    look(in, BY_NOTHING, 0, &e);
    spread(&e, w, turning, x);
    add_values(x, r);
    for (int j = 0; K && j < COORDS; j++) {
        memset(x, 0, sizeof x);
        look(in, BY_Q, j, &e);
        spread(&e, w, turning, x);
        for (int i = 0; i < COORDS; i++) K[COORDS * i + j] += x[i].d;
    }
    return SN_OK;
}

static sn_status ddistribute(const sn_in *in, const double *w, int turning, int index, double *dr)
{
    dual x[COORDS] = {{0, 0}};
    seen e;
    look(in, BY_NUMBER, index, &e);
    spread(&e, w, turning, x);
    add_changes(x, dr);
    return SN_OK;
}

/* ---- table ---- */

static const sn_slot slots[] = {
    {"EA", "N", "axial stiffness, and that of the section along y and z", 1, SN_POSITIVE, SN_REQUIRED, 0,
     SN_INFINITE, "E*A"},
    {"EI_y", "N*m^2", "bending stiffness about local y (bending in the x-z plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "E*I_y"},
    {"EI_z", "N*m^2", "bending stiffness about local z (bending in the x-y plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "E*I_z"},
    {"GJ", "N*m^2", "torsional stiffness", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "G*J"},
    {"kGA_y", "N", "shear stiffness along local y", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "5/6*G*A"},
    {"kGA_z", "N", "shear stiffness along local z", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "5/6*G*A"},
    {"GA", "N", "stiffness of the section against a change of the angle between its y and z axes", 1,
     SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "kGA_y"},
    {"rhoA", "kg/m", "mass per unit length", 1, SN_OF_MASS, 0, 0, SN_INFINITE, "rho*A"},
    {"rhoI_y", "kg*m", "rotary inertia of the section about local y, per unit length: that of r_z", 1,
     SN_OF_MASS, 0, 0, SN_INFINITE, "rho*I_y"},
    {"rhoI_z", "kg*m", "rotary inertia of the section about local z, per unit length: that of r_y", 1,
     SN_OF_MASS, 0, 0, SN_INFINITE, "rho*I_z"},
    {"damping", "s", "stiffness-proportional damping of the deformation", 1, 0, 0, 0, SN_INFINITE, NULL},
    {0},
};

static const sn_option options[] = {
    {"strains", "tied|integrated",
     "sampled where they do not lock, or integrated as they are, which locks: to show it", 0},
    {0},
};

static const sn_output outputs[] = {
    {"force",
     "elastic and damping force and moment on the element at its end (2 unless asked)",
     6,
     {"fx", "fy", "fz", "mx", "my", "mz"},
     {"N", "N", "N", "N*m", "N*m", "N*m"}},
    {"force_local",
     "section forces at the end, moments of the middle: at end 2 tension is positive",
     6,
     {"N", "Vy", "Vz", "T", "My", "Mz"},
     {"N", "N", "N", "N*m", "N*m", "N*m"}},
    {"strain",
     "strains since the reference: along the axis, shear (at the end), twist per unit length, curvatures "
     "(middle)",
     6,
     {"eps", "gamma_y", "gamma_z", "twist", "kappa_y", "kappa_z"},
     {"", "", "", "1/m", "1/m", "1/m"}},
    {0},
};

/* A rectangle has EI_z/EA = height^2/12, EI_y/EA = width^2/12. */
static void sizes(const double *s, const int *slot_n, sn_drawn_sizes *z)
{
    (void)slot_n;
    z->height = sqrt(12 * s[EI_Z] / s[EA]), z->width = sqrt(12 * s[EI_Y] / s[EA]);
}
static const sn_geometry geometry = {SN_SHAPE_LINE, SN_CUBIC, NULL, 1, sizes};

static const sn_field_decl fields[] = {SN_FIELD_AXIAL,      SN_FIELD_SHEAR(0), SN_FIELD_TORSION,
                                       SN_FIELD_BENDING(0), SN_FIELD_STRESS,   {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    return sn_section_space(in, output, OUT_FORCE_LOCAL, section, y);
}

const sn_element_class sn_element_beam3d_ancf = {
    .name = "beam3d_ancf",
    .doc = "spatial beam in absolute nodal coordinates with three slopes per node, for comparison",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_SLOPES},
    .slots = slots,
    .options = options,
    .outputs = outputs,
    .flags = SN_USES_V | SN_USES_A | SN_SYMMETRIC | SN_CONSERVATIVE,
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
