/* beam3d_ge: spatial geometrically exact beam (Reissner 1973, Simo 1985) between two frame nodes.

   The strain is constant along the element: with L1, L2 the sections' axes, u = L1'(x2 - x1) and psi =
   log(L1'L2), axis and sections follow the helix of the rigid motion (u, psi) (Sonneville, Cardona, Bruls
   2014), gamma = J_l^-1(psi) u/h and kappa = psi/h. It is the same for every rigid motion and knows no
   history. Its energy is not that of the constant strain, but of section forces in equilibrium along the
   element (see beam3d_ge_strain.h): a fourth power of h in the error instead of the second, and nothing
   locks. Sections may be coupled (a full 6 x 6 stiffness), curved and twisted in the reference, rigid in
   shear.

   The mass is that of a cubic field between the nodes' places and normals, whose matrix is constant in these
   vectors (see beam3d_ge_mass.h), or linear, or points; rotary inertia is half at each node.

   Variations of rotations are in body axes; all derivatives are exact. Limits: small strains of the material,
   ends of an element turned against each other by less than pi. */
#include "element/beam3d_ge_output.h"
#include "element/beam3d_ge_load.h"
#include "element/section_forces.h"

extern const sn_element_class sn_element_beam3d_ge;

static SN_SIMD sn_status eval_tangent(const sn_in *in, double *r, double *K, double *C, double *M)
{
    const constants *c = (const constants *)in->c;
    double F[6][3], unused[144] = {0};
    motion k;
    strain e;
    rates t;
    forces f;
    SN_TRY(place(in, &k));
    SN_TRY(elastic(in, &k, c, &e, &t, &f));
    for (int i = 0; i < 12; i++) r[i] += f.r[i];
    add_inertia(in, &k, c, F, r);
    elastic_tangent(in, &(beam){&k, c, &e, &t}, &f, K, C);
    inertia_tangent(in, &k, c, F, in->material ? unused : K, C, M);
    return SN_OK;
}

static SN_SIMD sn_status eval_residual(const sn_in *in, double *r)
{
    const constants *c = (const constants *)in->c;
    double F[6][3];
    motion k;
    strain e;
    rates t;
    forces f;
    SN_TRY(place(in, &k));
    SN_TRY(elastic(in, &k, c, &e, &t, &f));
    for (int i = 0; i < 12; i++) r[i] += f.r[i];
    add_inertia(in, &k, c, F, r);
    return SN_OK;
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    return K ? eval_tangent(in, r, K, C, M) : eval_residual(in, r);
}

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = sizeof(constants) / sizeof(double);
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    static const char *const what[] = {
        [NO_LENGTH] = "the beam has no length: its two ends are at the same place",
        [ALONG] = "'orientation' points along the beam: give a vector across it, in its local x-y plane",
        [TOO_CURVED] = "'curvature' turns its ends by pi or more: divide it into more elements",
        [NOT_STIFF] = "the stiffness of its section is not positive definite: it needs EA, EI_y, EI_z and GJ "
                      "(a material and a section give them), or all of 'stiffness'",
    };
    constants zero;
    const trouble wrong = make_constants(in, -1, (constants *)c, &zero);
    return wrong ? sn_fail(err, SN_ERR_INPUT, NULL, "%s", what[wrong]) : SN_OK;
}

static const sn_slot slots[] = {
    {"EA", "N", "axial stiffness", 1, 0, 0, 0, SN_INFINITE, "E*A"},
    {"EI_y", "N*m^2", "bending stiffness about local y (bending in the x-z plane)", 1, 0, 0, 0, SN_INFINITE,
     "E*I_y"},
    {"EI_z", "N*m^2", "bending stiffness about local z (bending in the x-y plane)", 1, 0, 0, 0, SN_INFINITE,
     "E*I_z"},
    {"GJ", "N*m^2", "torsional stiffness", 1, 0, 0, 0, SN_INFINITE, "G*J"},
    {"kGA_y", "N", "shear stiffness along local y; 0: rigid in shear", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"kGA_z", "N", "shear stiffness along local z; 0: rigid in shear", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"rhoA", "kg/m", "mass per unit length", 1, SN_OF_MASS, 0, 0, SN_INFINITE, "rho*A"},
    {"rhoI_y", "kg*m", "rotary inertia of the section about local y through its mass centre, per unit length",
     1, 0, 0, 0, SN_INFINITE, "rho*I_y"},
    {"rhoI_z", "kg*m", "rotary inertia of the section about local z through its mass centre, per unit length",
     1, 0, 0, 0, SN_INFINITE, "rho*I_z"},
    {"rhoJ", "kg*m", "inertia of the section about local x through its mass centre, per unit length", 1, 0,
     SN_REQUIRED, 0, SN_INFINITE, "rhoI_y+rhoI_z"},
    {"damping", "s", "stiffness-proportional damping of the deformation", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"damping_mass", "1/s", "mass-proportional damping", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"orientation", "1",
     "a vector in the plane of the chord and of local y in the middle of the beam, in the reference "
     "configuration (global z, for a beam along it global y)",
     3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, "0;0;1"},
    {"offset1", "m", "from node 1 to the beam's end, in the reference configuration", 3,
     SN_ROTATES | SN_ON_NODE1, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"offset2", "m", "from node 2 to the beam's end, in the reference configuration", 3,
     SN_ROTATES | SN_ON_NODE2, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"curvature", "1/m",
     "twist per unit length and curvatures about local y and z of the stress-free beam: a helix between its "
     "ends",
     3, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"stiffness", "",
     "full stiffness of the section, row by row (forces along x, y, z, moments about x, y, z by their "
     "strains), on top of EA ... kGA_z",
     36, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"rhoI_yz", "kg*m", "product of inertia of the section, the integral of rho y z about its mass centre", 1,
     0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"mass_centre", "m", "local y and z of the section's mass centre", 2, 0, 0, -SN_INFINITE, SN_INFINITE,
     NULL},
    {0},
};

static const sn_option options[] = {
    {"mass", "consistent|linear|lumped",
     "from the cubic field, from linear translations, or lumped at the nodes; rotary inertia is always half "
     "at each node",
     0},
    {0},
};

static const sn_output outputs[] = {
    {"force",
     "elastic and damping force and moment on the element at its end (2 unless asked)",
     6,
     {"fx", "fy", "fz", "mx", "my", "mz"},
     {"N", "N", "N", "N*m", "N*m", "N*m"}},
    {"force_local",
     "the same on the section, in its axes; at end 2 tension is positive",
     6,
     {"N", "Vy", "Vz", "T", "My", "Mz"},
     {"N", "N", "N", "N*m", "N*m", "N*m"}},
    {"strain",
     "strains of the element: along the axis, shear, twist per unit length, curvatures",
     6,
     {"eps", "gamma_y", "gamma_z", "twist", "kappa_y", "kappa_z"},
     {"", "", "", "1/m", "1/m", "1/m"}},
    {0},
};

/* A rectangle has EI_z/EA = height^2/12, EI_y/EA = width^2/12. */
static void sizes(const double *s, const int *slot_n, sn_drawn_sizes *z)
{
    const double *C = s + STIFFNESS, axial = s[EA] + C[0];
    (void)slot_n;
    z->height = sqrt(fmax(12 * (s[EI_Z] + C[35]) / axial, 0));
    z->width = sqrt(fmax(12 * (s[EI_Y] + C[28]) / axial, 0));
    for (int k = 0; k < 3; k++) z->across[k] = s[ORIENTATION + k];
}

static const char *const axis_slots[] = {"orientation", "offset1", "offset2", "curvature", NULL};
static const sn_line_axis axis = {
    axis_slots, "curvature", "orientation",
    "'curvature' turns the ends of the whole beam by pi or more, or the beam has "
    "no length, or 'orientation' points along it: give more nodes on its way",
    at_place};
static const sn_geometry geometry = {SN_SHAPE_LINE, SN_CUBIC, NULL, 1, sizes};

static const sn_field_decl fields[] = {SN_FIELD_AXIAL,      SN_FIELD_SHEAR(0), SN_FIELD_TORSION,
                                       SN_FIELD_BENDING(0), SN_FIELD_STRESS,   {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    return sn_section_space(in, output, OUT_FORCE_LOCAL, section, y);
}

/* The turn of section 2 against section 1: L2 L1' = R2 (A2 A1') R1', up to 2 pi by the sign of the
   quaternions */
static int limit(const sn_in *in, sn_limit *l)
{
    const constants *c = (const constants *)in->c;
    const double pi = 3.14159265358979323846, *p = in->q + 3, *r = in->q + 10,
                 back[4] = {p[0], -p[1], -p[2], -p[3]};
    double x[4];
    sn_quat_mul(back, r, x);
    sn_quat_mul(x, c->apart, x);
    if (x[0] > 0.15643446504023087) return 0; /* cos(0.45 pi) */
    *l = (sn_limit){"its ends are turned against each other by", "divide it into more elements",
                    2 * acos(fmax(x[0], -1)), pi, 0};
    return 1;
}

const sn_element_class sn_element_beam3d_ge = {
    .name = "beam3d_ge",
    .doc = "spatial geometrically exact beam",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .options = options,
    .outputs = outputs,
    .flags = SN_USES_V | SN_USES_A | SN_CONSERVATIVE | SN_TURNS,
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
    .axis = &axis,
    .fields = fields,
    .field = field,
    .limit = limit,
    .particle = particle,
};
