/* plate_ancf: thin plate or shell (Kirchhoff and Love) in absolute nodal coordinates, between four nodes of
   surfaces (r, r_x, r_y, r_xy): the bicubic surface through them, with continuous normals from element to
   element. The mass matrix is constant; there are no rotations.

   Membrane strains are Green's, (r_a.r_b - R_a.R_b)/2, curvatures r_ab.n - R_ab.N, n = r_x x r_y/|.|, against
   the reference configuration; plane stress. Membrane at 3 x 3 Lobatto points, bending at 3 x 3 Gauss points,
   with which thin plates do not lock. Those of the membrane do not see a constant r_xy within the surface,
   which makes hourglasses between the nodes; so the gradients r_xy.r_x, r_xy.r_y of membrane strains have the
   stiffness of bending, of t^2/12 against the membrane's own energy for strains that vary over a length of
   one. The first edge is along x. Slopes of the nodes are derivatives by
   lengths of the natural state along the edges, so that the plate is a rectangle, or nearly: other metrics of
   the reference are seen by the strains, but its mass is spread evenly over the coordinates.

   Transverse shear is rigid, rotary inertia left out: for thin plates. Damping: each strain's force grows by
   `damping` times its rate; none in rigid motion. */
#include "element/plate_ancf.h"

extern const sn_element_class sn_element_plate_ancf;

/* K += f'H f, H by the sums */
static void expand(int n, const double (*f)[BLOCKS], const double (*H)[3 * SUMS], double *K)
{
    for (int j = 0; j < BLOCKS; j++) {
        double G[3 * SUMS][3] = {{0}};
        for (int k = 0; k < 3 * n; k++)
            for (int l = 0; l < n; l++)
                for (int m = 0; m < 3; m++) G[k][m] += H[k][3 * l + m] * f[l][j];
        for (int i = 0; i < BLOCKS; i++) {
            double *to = K + COORDS * 3 * i + 3 * j;
            for (int k = 0; k < n; k++)
                for (int l = 0; l < 3; l++)
                    for (int m = 0; m < 3; m++) to[COORDS * l + m] += f[k][i] * G[3 * k + l][m];
        }
    }
}

static void point_tangent(const seen *e, int k, double *K, double *C)
{
    const int n = k < GRID ? 2 : SUMS, passes = e->s[DAMPING].x != 0 ? 2 : 1;
    dual u[SUMS][3], w[SUMS][3], F[SUMS][3];
    place p;
    shape f;
    point_place(e, k, &p, &f);
    sums(&f, n, e->q, u), sums(&f, n, e->v, w);
    for (int pass = 0; pass < passes; pass++) {
        double H[3 * SUMS][3 * SUMS] = {{0}};
        for (int j = 0; j < 3 * n; j++) {
            for (int i = 0; i < 3 * n; i++)
                u[i / 3][i % 3].d = !pass && i == j, w[i / 3][i % 3].d = pass && i == j;
            if (k < GRID)
                membrane_force(e, &p, u, w, F);
            else
                bending_force(e, &p, u, w, F);
            for (int i = 0; i < 3 * n; i++) H[i][j] = F[i / 3][i % 3].d;
        }
        expand(n, (const double(*)[BLOCKS])f.f, (const double(*)[3 * SUMS]) H, pass ? C : K);
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
    for (int k = 0; K && k < POINTS; k++) point_tangent(&e, k, K, C);
    for (int a = 0; M && a < BLOCKS; a++)
        for (int b = 0; b < BLOCKS; b++) {
            const double m = mass_of(&e, a, b).x;
            for (int j = 0; j < 3; j++) M[COORDS * (3 * a + j) + 3 * b + j] += m;
        }
    return SN_OK;
}

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = sizeof(constants) / sizeof(double);
    return SN_OK;
}

/* The cosine between the nodes' slopes and the edges along them, of all together */
static double along(const double *X, int slope, int first, int second)
{
    double d = 0, s = 0, e = 0;
    for (int j = 0; j < 3; j++) {
        const double edge = X[12 * first + j] - X[j] + X[24 + j] - X[12 * second + j],
                     p = X[slope + j] + X[12 + slope + j] + X[24 + slope + j] + X[36 + slope + j];
        d += edge * p, s += p * p, e += edge * edge;
    }
    return s > 0 && e > 0 ? d / sqrt(s * e) : 0;
}

static sn_status prepare(const sn_in *in, double *out, sn_err *err)
{
    constants *c = (constants *)out;
    seen e = {.in = in};
    if (along(in->X, 3, 1, 3) < 0.3 || along(in->X, 6, 3, 1) < 0.3)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "slopes of its nodes do not point along its edges: 'slope_x' is along the first edge, "
                       "'slope_y' along the second; they are (1, 0, 0) and (0, 1, 0) unless given");
    for (int i = 0; i < COORDS; i++) e.X[i] = constant(in->X[i]);
    lengths(&e), scales(&e);
    c->a = e.la.x, c->b = e.lb.x, c->mean = 0;
    for (int k = 0; k < POINTS; k++) {
        double at[2], weight;
        place p;
        shape f;
        point(k, at, &weight);
        place_at(&e, at, weight, &p, &f);
        if (k >= GRID) c->mean += p.area.x / (c->a * c->b);
        memcpy(c->at[k].f, f.f, sizeof f.f);
        c->at[k].area = p.area.x;
        if (!(p.area.x > 1e-9 * weight * c->a * c->b))
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "its reference has no area somewhere: look at the slopes");
        for (int i = 0; i < 9; i++) c->at[k].T[i] = p.T[i].x;
        for (int i = 0; i < 3; i++) c->at[k].m[i] = p.m[i].x, c->at[k].b[i] = p.b[i].x;
        for (int i = 0; i < 2; i++) c->at[k].gradient[i] = p.gradient[i].x;
    }
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
    const int n = output_of(&e, which, end, x);
    for (int i = 0; i < n; i++) y[i] = x[i].x;
    for (int pass = 0; d && pass < 2; pass++) {
        double *D = pass ? d->v : d->q;
        for (int j = 0; D && j < COORDS; j++) {
            dual *one = (pass ? e.v : e.q) + j;
            one->d = 1;
            output_of(&e, which, end, x);
            one->d = 0;
            for (int i = 0; i < n; i++) D[COORDS * i + j] = x[i].d;
        }
    }
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    dual x[OUT];
    seen e;
    look(in, BY_NUMBER, index, &e);
    const int n = output_of(&e, which, end, x);
    for (int i = 0; i < n; i++) dy[i] = x[i].d;
    return SN_OK;
}

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

/* ---- table ---- */

static const sn_slot slots[] = {
    {"E", "Pa", "Young's modulus", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "material.E"},
    {"nu", "1", "Poisson's ratio", 1, 0, SN_REQUIRED, -0.99, 0.5, "material.nu"},
    {"rho", "kg/m^3", "density", 1, SN_OF_MASS, 0, 0, SN_INFINITE, "material.rho"},
    {"thickness", "m", "thickness of the plate", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE,
     "section.thickness"},
    {"damping", "s", "stiffness-proportional damping of the deformation", 1, 0, 0, 0, SN_INFINITE, NULL},
    {0},
};

static const sn_output outputs[] = {
    {"strain",
     "strains and curvatures since the reference, the first axis along r_x (in the middle unless a corner is "
     "asked for)",
     6,
     {"e11", "e22", "g12", "k11", "k22", "k12"},
     {"", "", "", "1/m", "1/m", "1/m"}},
    {"resultant",
     "membrane forces and moments per unit length, the first axis along r_x",
     6,
     {"N11", "N22", "N12", "M11", "M22", "M12"},
     {"N/m", "N/m", "N/m", "N", "N", "N"}},
    {"stress",
     "stresses and their equivalent (von Mises) at the bottom, in the middle and at the top, where the "
     "normal "
     "r_x x r_y points to",
     12,
     {"s11_bottom", "s22_bottom", "s12_bottom", "mises_bottom", "s11_middle", "s22_middle", "s12_middle",
      "mises_middle", "s11_top", "s22_top", "s12_top", "mises_top"},
     {"Pa", "Pa", "Pa", "Pa", "Pa", "Pa", "Pa", "Pa", "Pa", "Pa", "Pa", "Pa"}},
    {0},
};

static void sizes(const double *s, const int *slot_n, sn_drawn_sizes *z)
{
    (void)slot_n;
    z->thickness = s[THICKNESS];
}
static const sn_geometry geometry = {.shape = SN_SHAPE_QUADRILATERAL, .meshes = 1, .sizes = sizes};

static const sn_field_decl fields[] = {
    {"membrane",
     "N/m",
     "membrane forces, in the material axes",
     1,
     3,
     SN_FIELD_SIGNED,
     {"N11", "N22", "N12"}},
    {"moment",
     "N",
     "bending moments per unit length, in the material axes",
     1,
     3,
     SN_FIELD_SIGNED,
     {"M11", "M22", "M12"}},
    {"mises", "Pa", "equivalent stress, the largest over the thickness", CORNERS, 1, 0, {0}},
    {.name = NULL},
};

static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    dual x[OUT];
    seen e;
    (void)section;
    look(in, BY_NOTHING, 0, &e);
    output_of(&e, OUT_RESULTANT, 0, x);
    for (int i = 0; i < 6; i++) y[i] = x[i].x;
    for (int i = 0; i < CORNERS; i++) {
        output_of(&e, OUT_STRESS, i + 1, x);
        y[6 + i] = fmax(x[3].x, fmax(x[7].x, x[11].x));
    }
    return SN_OK;
}

const sn_element_class sn_element_plate_ancf = {
    .name = "plate_ancf",
    .doc = "four-node thin plate or shell in absolute nodal coordinates, bicubic",
    .args = {.what = SN_ARG_NODE, .min = CORNERS, .max = CORNERS, .dim = 3, .ask = SN_SURFACE},
    .slots = slots,
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
    .geometry = &geometry,
    .fields = fields,
    .field = field,
};
