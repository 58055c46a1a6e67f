/* beam3d_cr: spatial co-rotational beam between two frame nodes.

   Axes E turn with the chord: e1 along it, e3 across e1 and the mean of the two sections' y axes, e2 = e3 x
   e1 (Rankin, Nour-Omid 1986; Battini, Pacoste 2002). The small deformation is measured from them: elongation
   l - L and the rotation vectors th_i = log(E'R_i R0) of the sections. N = EA/L (l - L), moments
   GJ/L (th_2x - th_1x) and EI/L (4 th_1 + 2 th_2), with shear EI/L/(1 + Phi) ((4 + Phi) th_1 + (2 - Phi)
   th_2). With mu_i = T^-T(th_i) m_i the virtual work is N dl + sum mu_i.(phi_i - w), w = G'd the spin of E.

   A beam that shears gets the difference to Reissner's strains (see finite_shear), so that it converges to
   the geometrically exact one.

   Kinetic energy of translations, `mass: consistent`: 1/2 V'Ml V with V the velocities and spins of both ends
   in the axes E and Ml of linear axial, cubic lateral motions (with the shear's share) over the initial
   length. With P = Ml V, W the spin of E, A the accelerations in E, the Lagrangian inertia forces are
   Ml (A - W x V) + W x P - (0, V_r x P_r) + G sum V x P  (after Le, Battini, Hjiaj 2014, who interpolate the
   same field). `linear` and `lumped`: constant mass of linear translations or of points.
   Rotary inertia: half of the sections' is a body at each node, J A_r + V_r x J V_r in its own axes. There
   the sections' axes and spins are exact; those of the chord differ from them by the shear and the stretch,
   in any mesh. In the plane all of it is beam2d_cr.

   What the frame's spin does to points off the chord, W x u with the sag u, is not in V: a bent element that
   is accelerated across its plane lacks the moment (mass)(sag) A about e1, which its weight has: of order
   L^2, but large against rhoJ of slender sections (docs/model-file.md).

   The field does work on the mean place (x1 + x2)/2 + L/12 E (th_1 - th_2) x e1 (consistent) or (x1 + x2)/2.
   Loads a length: forces on the same mean place, moments on the mean rotation of the sections.

   Variations of rotations are in body axes; all derivatives are exact. Limits: small strains, local rotations
   well below pi/2 in each element; where the sections' y axes point against each other, by twist or bending
   of pi, the axes E jump and the forces with them (see limit). The pieces of a mesh share all slots: each
   piece has the offsets. */
#include "element/beam3d_cr_output.h"
#include "element/beam3d_cr_closed.h"
#include "element/beam3d_cr_particle.h"
#include "element/beam3d_cr_together.h"
#include "element/section_forces.h"

extern const sn_element_class sn_element_beam3d_cr;

static INLINE sn_status residual(const sn_in *in, pair_motion *k, pair_forces *t, double *r)
{
    const constants *c = (const constants *)in->c;
    pair e[3];
    double N;
    SN_TRY(move(in, k));
    N = c->ea * deformation(k, c->L, in->s[DAMPING], e);
    local_force(k, damped(in, c, &c->weight, ALL), N, e, t);
    add_nodes(k, t->f, r);
    constant_inertia(in, k, c, in->s[DAMPING_MASS], r);
    return SN_OK;
}

/* C and M of the bodies at the nodes; fixed: of the constant mass of translations too */
static INLINE void constant_tangent(const sn_in *in, const constants *c, int fixed, double *C, double *M)
{
    const double dm = in->s[DAMPING_MASS];
    double J[9];
    memcpy(J, c->J, sizeof J);
    for (int i = 0; i < 12 && fixed; i++) {
        if (i % 6 > 2) continue;
        int j = (i + 6) % 12;
        C[13 * i] += dm * c->a1, C[12 * i + j] += dm * c->a2;
        M[13 * i] += c->a1, M[12 * i + j] += c->a2;
    }
    for (int i = 3; i < 12; i += 6) {
        /* d(W x J W) = W~ J - (J W)~ */
        const double W[3] = {in->v[i], in->v[i + 1], in->v[i + 2]};
        double p[3], *Ci = C + 13 * i, *Mi = M + 13 * i;
        sn_mul3(J, W, p);
        for (int b = 0; b < 3; b++) {
            Ci[b] += W[1] * J[6 + b] - W[2] * J[3 + b] + dm * J[b];
            Ci[12 + b] += W[2] * J[b] - W[0] * J[6 + b] + dm * J[3 + b];
            Ci[24 + b] += W[0] * J[3 + b] - W[1] * J[b] + dm * J[6 + b];
            Mi[b] += J[b], Mi[12 + b] += J[3 + b], Mi[24 + b] += J[6 + b];
        }
        Ci[1] += p[2], Ci[12] -= p[2];
        Ci[24] += p[1], Ci[2] -= p[1];
        Ci[14] += p[0], Ci[25] -= p[0];
    }
}

/* K without its geometric part: that of the same configuration without forces, of inertia and damping
   neither: T_i'k_ij T_j and EA/L alone */
static SN_SIMD void material_tangent(const pair_motion *k, const constants *c, double *K)
{
    const double undamped[2] = {0, 0};
    pair_motion rest = *k;
    pair_forces none;
    memset(&none, 0, sizeof none);
    memset(rest.V, 0, sizeof rest.V), memset(rest.A, 0, sizeof rest.A),
        memset(rest.rate, 0, sizeof rest.rate);
    memset(rest.Ve, 0, sizeof rest.Ve), memset(rest.Ae, 0, sizeof rest.Ae);
    memset(rest.W, 0, sizeof rest.W), memset(rest.g, 0, sizeof rest.g), memset(rest.gm, 0, sizeof rest.gm);
    memset(rest.u, 0, sizeof rest.u);
    rest.field = rest.rates = 0;
    closed_tangent(&rest, c, undamped, &none, K, NULL, NULL);
}

static SN_SIMD sn_status eval_tangent(const sn_in *in, double *r, double *K, double *C, double *M)
{
    const constants *c = (const constants *)in->c;
    const double damp[2] = {in->s[DAMPING], in->s[DAMPING_MASS]};
    pair_motion k;
    pair_forces t;
    SN_TRY(residual(in, &k, &t, r));
    finite_shear(in, &k, 1);
    if (in->material) {
        double whole[144];
        closed_tangent(&k, c, damp, &t, whole, C, M);
        material_tangent(&k, c, K);
    } else {
        closed_tangent(&k, c, damp, &t, K, C, M);
    }
    constant_tangent(in, c, !k.field, C, M);
    return SN_OK;
}

static SN_SIMD sn_status eval_residual(const sn_in *in, double *r)
{
    pair_motion k;
    pair_forces t;
    return residual(in, &k, &t, r);
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
    constants *cst = (constants *)c, zero;
    double size = 0, angle = make_constants(in, -1, cst, &zero);
    for (int i = 0; i < 3; i++) size = fmax(size, fmax(fabs(in->X[i]), fabs(in->X[7 + i])));
    if (!(cst->L > 1e-14 * size))
        return sn_fail(err, SN_ERR_INPUT, NULL, "the beam has no length: its two ends are at the same place");
    if (!(angle > 1e-9))
        return sn_fail(
            err, SN_ERR_INPUT, NULL,
            "'orientation' points along the beam: give a vector across it, in its local x-y plane");
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    const constants *c = (const constants *)in->c;
    constants cc, dc;
    pair_motion k;
    pair_forces t;
    change d;
    pair df[6];
    const pair no[3] = {{0}};
    double P[3];
    int field = index - NS - 14;
    if (index <= RHO_J && shears(in)) return dslot_shear(in, index, dr);
    if (index <= RHO_J) {
        double ds[DIRECTION] = {0};
        ds[index] = 1;
        return dtogether_rigid(in, 1, ds, dr);
    }
    SN_TRY(move_all(in, &k));
    if (field >= 0) {
        for (int i = 0; i < 3; i++) k.g[i] = k.E[3 * field + i];
        local_force(&k, (recipe){c, &c->weight, 0, 0, LOAD | ARMS}, 0, no, &t);
        add_nodes(&k, t.f, dr);
        return SN_OK;
    }
    make_constants(in, index, &cc, &dc);
    dforce(in, &k, damped(in, c, &c->weight, ALL), damped(in, &dc, &dc.weight, ALL), index, &d, df);
    if (index == DAMPING_MASS) {
        mass_times(c, k.V, df);
        add_cross2(k.c, df, df + 3);
    }
    add_nodes(&k, df, dr);
    constant_inertia(in, &k, &dc, in->s[DAMPING_MASS], dr);
    for (int i = 3; i < 12 && index == DAMPING_MASS; i += 6) {
        sn_mul3(c->J, in->v + i, P);
        for (int j = 0; j < 3; j++) dr[i + j] += P[j];
    }
    return SN_OK;
}

/* Stiffness, inertia and the field: the motion is the same for all */
static sn_status dtogether(const sn_in *in, int n, const double *ds, double *dr)
{
    if (!shears(in)) return dtogether_rigid(in, n, ds, dr);
    for (int i = 0; i < n; i++, ds += DIRECTION, dr += 12)
        for (int k = 0; k < DIRECTION; k++) {
            double one[12] = {0};
            if (ds[k] == 0) continue;
            SN_TRY(dparam(in, k > RHO_J ? NS + 14 + k - RHO_J - 1 : k, one));
            for (int r = 0; r < 12; r++) dr[r] += ds[k] * one[r];
        }
    return SN_OK;
}

/* The load takes the place of the field */
static void put_load(pair_motion *k, const double *w, int turning)
{
    k->dead = !turning;
    if (turning) {
        memcpy(k->g, w, sizeof k->g);
        memcpy(k->gm, w + 3, sizeof k->gm);
    } else {
        sn_tmul3(k->E, w, k->g);
        sn_tmul3(k->E, w + 3, k->gm);
    }
}

static sn_status distribute(const sn_in *in, const double *w, int turning, double *r, double *K)
{
    const constants *c = (const constants *)in->c;
    const recipe a = {c, &c->line, 0, 0, LOAD | ARMS};
    const pair no[3] = {{0}};
    pair_motion k;
    pair_forces t;
    motion m;
    forces sides;
    seeds s;
    change d;
    lane f[12];
    SN_TRY(place(in, &k));
    k.rates = k.field = 0;
    put_load(&k, w, turning);
    local_force(&k, a, 0, no, &t);
    add_nodes(&k, t.f, r);
    if (!K) return SN_OK;
    part_motion(&k, &m);
    part_forces(&t, &sides);
    unit_seeds(&m, &s);
    vary_motion(10, &m, &s, &d, 0);
    vary_force(10, &m, a, &sides, &s, &d, f);
    turn_nodes(10, sides.f, &d, f);
    add_tangent(&m, f, K);
    return SN_OK;
}

static sn_status ddistribute(const sn_in *in, const double *w, int turning, int index, double *dr)
{
    const constants *c = (const constants *)in->c;
    constants cc, dc;
    pair_motion k;
    change d;
    pair df[6];
    if (index >= NS + 14) return SN_OK;
    SN_TRY(move_all(in, &k));
    put_load(&k, w, turning);
    make_constants(in, index, &cc, &dc);
    const int parts = LOAD | ARMS;
    dforce(in, &k, damped(in, c, &c->line, parts), damped(in, &dc, &dc.line, parts), index, &d, df);
    add_nodes(&k, df, dr);
    return SN_OK;
}

static const sn_slot slots[] = {
    {"EA", "N", "axial stiffness", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "E*A"},
    {"EI_y", "N*m^2", "bending stiffness about local y (bending in the x-z plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "E*I_y"},
    {"EI_z", "N*m^2", "bending stiffness about local z (bending in the x-y plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "E*I_z"},
    {"GJ", "N*m^2", "torsional stiffness", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "G*J"},
    {"kGA_y", "N", "shear stiffness along local y; 0: rigid in shear", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"kGA_z", "N", "shear stiffness along local z; 0: rigid in shear", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"rhoA", "kg/m", "mass per unit length", 1, SN_OF_MASS, 0, 0, SN_INFINITE, "rho*A"},
    {"rhoI_y", "kg*m", "rotary inertia of the section about local y, per unit length", 1, 0, 0, 0,
     SN_INFINITE, "rho*I_y"},
    {"rhoI_z", "kg*m", "rotary inertia of the section about local z, per unit length", 1, 0, 0, 0,
     SN_INFINITE, "rho*I_z"},
    {"rhoJ", "kg*m", "inertia of the section about the beam's axis, per unit length", 1, 0, SN_REQUIRED, 0,
     SN_INFINITE, "rhoI_y+rhoI_z"},
    {"damping", "s", "stiffness-proportional damping of the deformation", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"damping_mass", "1/s", "mass-proportional damping", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"orientation", "1",
     "a vector in the local x-y plane, in the reference configuration (global z, for a beam along it global "
     "y)",
     3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, "0;0;1"},
    {"offset1", "m", "from node 1 to the beam's end, in the reference configuration", 3,
     SN_ROTATES | SN_ON_NODE1, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"offset2", "m", "from node 2 to the beam's end, in the reference configuration", 3,
     SN_ROTATES | SN_ON_NODE2, 0, -SN_INFINITE, SN_INFINITE, NULL},
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
     "the same in the axes of the chord; at end 2 tension is positive",
     6,
     {"N", "Vy", "Vz", "T", "My", "Mz"},
     {"N", "N", "N", "N*m", "N*m", "N*m"}},
    {"strain",
     "axial strain, twist per unit length, and the curvatures at both ends",
     6,
     {"eps", "twist", "kappa_y1", "kappa_y2", "kappa_z1", "kappa_z2"},
     {"", "1/m", "1/m", "1/m", "1/m", "1/m"}},
    {0},
};

/* A rectangle has EI_z/EA = height^2/12, EI_y/EA = width^2/12. */
static void sizes(const double *s, const int *slot_n, sn_drawn_sizes *z)
{
    (void)slot_n;
    z->height = sqrt(12 * s[2] / s[0]);
    z->width = sqrt(12 * s[1] / s[0]);
    for (int k = 0; k < 3; k++) z->across[k] = s[12 + k];
}
static const sn_geometry geometry = {SN_SHAPE_LINE, SN_CUBIC, NULL, 1, sizes};

static const sn_field_decl fields[] = {SN_FIELD_AXIAL,      SN_FIELD_SHEAR(0), SN_FIELD_TORSION,
                                       SN_FIELD_BENDING(0), SN_FIELD_STRESS,   {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    return sn_section_space(in, output, OUT_FORCE_LOCAL, section, y);
}

/* y = R e, with R the mean rotation of two quaternions */
static void mean_turn(const double *p, const double *r, const double *e, double *y)
{
    const double m[4] = {p[0] + r[0], p[1] + r[1], p[2] + r[2], p[3] + r[3]};
    double R[9], n = 1 / sqrt(m[0] * m[0] + sn_dot3(m + 1, m + 1)),
                 u[4] = {n * m[0], n * m[1], n * m[2], n * m[3]};
    sn_quat_matrix(u, R);
    sn_mul3(R, e, y);
}

/* The mean of the sections' y axes is cos(angle/2) times the y axis of their mean rotation; bending about y
   leaves it alone until the ends have turned by 2 pi. */
static int limit(const sn_in *in, sn_limit *l)
{
    const constants *c = (const constants *)in->c;
    const double pi = 3.14159265358979323846, *p = in->q + 3, *r = in->q + 10,
                 y0[3] = {c->R0[1], c->R0[4], c->R0[7]};
    double half = p[0] * r[0] + p[1] * r[1] + p[2] * r[2] + p[3] * r[3], y[3], y1[3], y2[3];
    if (half > 0.15643446504023087) return 0; /* cos(0.45 pi): both angles are below 0.9 pi */
    mean_turn(p, p, y0, y1);
    mean_turn(r, r, y0, y2);
    mean_turn(p, r, y0, y);
    double bent = 2 * acos(fmax(half, -1)),
           angle = 2 * acos(fmin(fmax(0.5 * (sn_dot3(y1, y) + sn_dot3(y2, y)), -1), 1));
    *l =
        (sn_limit){"its ends are turned against each other by", "divide it into more elements", angle, pi, 0};
    if (angle < SN_LIMIT_NEAR * pi) l->angle = bent, l->most = 2 * pi;
    return l->angle >= SN_LIMIT_NEAR * l->most;
}

const sn_element_class sn_element_beam3d_cr = {
    .name = "beam3d_cr",
    .doc = "spatial co-rotational beam",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .options = options,
    .outputs = outputs,
    .flags = SN_USES_V | SN_USES_A | SN_CONSERVATIVE | SN_TURNS | SN_SETS_TANGENT,
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
    .limit = limit,
    .together = RHO_J + 1,
    .dtogether = dtogether,
    .particle = particle,
};
