/* beam2d_cr: planar co-rotational Euler-Bernoulli beam between two frame nodes.

   The chord (length l, angle beta from the reference chord) carries the large motion; the small deformation
   is measured from it: elongation l - L and the nodes' rotations tb_i = theta_i - beta, wrapped to (-pi, pi]
   so that whole turns are no deformation. With r = dl/dq, b = dbeta/dq the elastic force is
   N r + M1 (e3 - b) + M2 (e6 - b), N = EA/L (l - L), M1 = 2EI/L (2 tb1 + tb2), M2 = 2EI/L (tb1 + 2 tb2)
   (Crisfield 1991).

   Kinetic energy: linear axial and cubic (Hermite) lateral velocities in chord axes over the initial length,
   M = R'(beta) Ml R(beta), and half of the sections' rotary inertia at each node, whose spin is the section's
   (the slope of the velocities over the initial length is not, by the stretch). Its inertia forces are the
   Lagrangian ones, M a + M'v (b.v) - 1/2 (v'M'v) b with M' = dM/dbeta; `inertia: paper` keeps M a + Mdot v
   only, which does not conserve energy. The field does work on the mean position of the Hermite line, (x1 +
   x2)/2 + L/12 (tb1 - tb2) n.

   Limits: rigid in shear, small strains, tb_i well below pi/2 in each element; at pi the forces jump. A bend
   of that kind is told by the angle between the ends (see limit), a double bend without one is not. */
#include "element/beam2d_cr.h"
#include "element/section_forces.h"

extern const sn_element_class sn_element_beam2d_cr;

enum { OUT_FORCE, OUT_FORCE_LOCAL, OUT_STRAIN };

/* Tangents at the local force f, whose part along b is E b */
static void tangent(const sn_in *in, const motion *k, const double *f, double E, double *K, double *C,
                    double *M)
{
    const mass *m = &((const constants *)in->c)->m;
    double col[4][6], h[6], hg[6], x, y;
    stress_columns(in, k, E, col);
    inertia_columns(k, m, h, col);
    turn_column(f, col[BY_BETA]);
    chain_matrix(k, col, K);
    if (C) {
        /* C = w M' + dm M + h b' - b h' + damping */
        rate_columns(in, k, col);
        for (int i = 0; i < 6; i++) col[BY_BETA][i] += h[i];
        chain_matrix(k, col, C);
        mass_matrix(k, m, k->dm, k->w, C);
        if (k->full) {
            to_global(k->c, k->s, h, hg);
            x = k->s * k->il;
            y = k->c * k->il;
            for (int j = 0; j < 6; j++) {
                C[j] -= x * hg[j];
                C[6 + j] += y * hg[j];
                C[18 + j] += x * hg[j];
                C[24 + j] -= y * hg[j];
            }
        }
    }
    if (M) mass_matrix(k, m, 1, 0, M);
}

/* K without its geometric part: EA/L r r' + 2 EI/L (2 b1 b1' + b1 b2' + b2 b1' + 2 b2 b2'), b_i = e_3i - b;
   no forces, of inertia and damping neither */
static void material_tangent(const sn_in *in, const motion *k, double *K)
{
    motion rest = *k;
    double col[4][6];
    rest.w = rest.ld = 0;
    stress_columns(in, &rest, 0, col);
    chain_matrix(k, col, K);
}

static inline sn_status residual(const sn_in *in, motion *k, double *f, double *E, double *r)
{
    const mass *m = &((const constants *)in->c)->m;
    SN_TRY(move(in, k));
    *E = local_force(k, m, member_stress(in, k), f);
    add_global(k, f, r);
    if (in->opt[OPT_GRAVITY] != 0) lumped_weight(in, m, r);
    return SN_OK;
}

/* Apart, so that the residual alone stays in registers */
static __attribute__((noinline)) sn_status eval_tangent(const sn_in *in, double *r, double *K, double *C,
                                                        double *M)
{
    motion k;
    double f[6], E;
    SN_TRY(residual(in, &k, f, &E, r));
    if (in->material) {
        double whole[36] = {0};
        tangent(in, &k, f, E, whole, C, M);
        material_tangent(in, &k, K);
    } else {
        tangent(in, &k, f, E, K, C, M);
    }
    return SN_OK;
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    motion k;
    double f[6], E;
    if (K) return eval_tangent(in, r, K, C, M);
    return residual(in, &k, f, &E, r);
}

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = sizeof(constants) / sizeof(double);
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    constants *cst = (constants *)c;
    const double *s = in->s, *X = in->X;
    double dx = X[3] - X[0], dy = X[4] - X[1], L = hypot(dx, dy), size = 0;
    for (int i = 0; i < 6; i++) size = fmax(size, fabs(X[i]));
    if (!(L > 1e-14 * size))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the beam has no length: its two nodes are at the same place");
    *cst = (constants){.L = L, .c0 = dx / L, .s0 = dy / L, .ea = s[EA] / L, .ei = 2 * s[EI] / L};
    cst->m = mass_entries(s[RHO_A] * L, s[RHO_A] * L * L, s[RHO_A] * L * L * L, s[RHO_I] * L);
    return SN_OK;
}

/* dL and dbeta0 of reference coordinate j */
static void reference_change(const constants *cst, int j, double *dL, double *db)
{
    double sign = j < 3 ? -1 : 1;
    *dL = j % 3 == 0 ? sign * cst->c0 : j % 3 == 1 ? sign * cst->s0 : 0;
    *db = (j % 3 == 0 ? -sign * cst->s0 : j % 3 == 1 ? sign * cst->c0 : 0) / cst->L;
}

/* Derivative of mass entries and of N, M1, M2 by slot or reference coordinate; d: damping (0: elastic only)
 */
static void dconstants(const sn_in *in, const motion *k, double d, int index, mass *dm, stress *dn)
{
    const constants *cst = (const constants *)in->c;
    const double *s = in->s;
    double L = cst->L, e = k->l - L + d * k->ld, r1 = k->u[2] - k->w, r2 = k->u[5] - k->w, dL, db;
    double e1 = k->tb1 + d * r1, e2 = k->tb2 + d * r2;
    *dm = (mass){0};
    *dn = (stress){0};
    if (index == EA) *dn = stress_of(1 / L, 0, e, 0, 0);
    if (index == EI) *dn = stress_of(0, 2 / L, 0, e1, e2);
    if (index == DAMPING) *dn = stress_of(cst->ea, cst->ei, k->ld, r1, r2);
    if (index == RHO_A) *dm = mass_entries(L, L * L, L * L * L, 0);
    if (index == RHO_I) *dm = mass_entries(0, 0, 0, L);
    if (index < NS || index >= NS + 6) return;
    reference_change(cst, index - NS, &dL, &db);
    *dm = mass_entries(s[RHO_A] * dL, 2 * s[RHO_A] * L * dL, 3 * s[RHO_A] * L * L * dL, s[RHO_I] * dL);
    /* d(EA/L) = -EA/L^2 dL; both local rotations grow by dbeta0 */
    *dn = stress_of(cst->ea, cst->ei, -(1 + e / L) * dL, db - e1 / L * dL, db - e2 / L * dL);
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    const mass *m = &((const constants *)in->c)->m;
    int lumped = in->opt[OPT_GRAVITY] != 0, field = index - NS - 6;
    const double e[3] = {field == 0, field == 1, 0};
    motion k;
    mass dm;
    stress dn = {0};
    double f[6] = {0};
    sn_in unit = *in;
    SN_TRY(move(in, &k));
    if (index == DAMPING_MASS) {
        mass_times(m, k.u, f);
    } else if (index < NS + 6) {
        dconstants(in, &k, in->s[DAMPING], index, &dm, &dn);
        local_force(&k, &dm, dn, f);
        if (lumped) lumped_weight(in, &dm, dr);
    } else {
        unit.g = e;
        if (lumped) lumped_weight(&unit, m, dr);
        k.gt = lumped ? 0 : k.c * e[0] + k.s * e[1];
        k.gn = lumped ? 0 : k.c * e[1] - k.s * e[0];
        for (int i = 0; i < 6; i++) k.u[i] = k.a[i] = 0;
        k.w = 0;
        local_force(&k, m, dn, f);
    }
    add_global(&k, f, dr);
    return SN_OK;
}

/* eps and the curvatures at both ends as functions of l, tb1, tb2 */
static void strain(const sn_in *in, const motion *k, double *y, sn_dout *d)
{
    double L = ((const constants *)in->c)->L;
    y[0] = (k->l - L) / L;
    y[1] = -(4 * k->tb1 + 2 * k->tb2) / L;
    y[2] = (2 * k->tb1 + 4 * k->tb2) / L;
    if (!d || !d->q) return;
    chain_row(k, 1 / L, 0, 0, 0, d->q);
    chain_row(k, 0, 6 / L, -4 / L, -2 / L, d->q + 6);
    chain_row(k, 0, -6 / L, 2 / L, 4 / L, d->q + 12);
}

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    motion k;
    stress n;
    double f[6], g[6], col[4][6];
    int local = which == OUT_FORCE_LOCAL, o = end == 1 ? 0 : 3;
    SN_TRY(move(in, &k));
    if (which == OUT_STRAIN) {
        strain(in, &k, y, d);
        return SN_OK;
    }
    n = member_stress(in, &k);
    stress_force(n, k.il, f);
    to_global(k.c, k.s, f, g);
    for (int i = 0; i < 3; i++) y[i] = local ? f[o + i] : g[o + i];
    for (int pass = 0; d && pass < 2; pass++) {
        double *D = pass ? d->v : d->q;
        if (!D) continue;
        if (pass) {
            rate_columns(in, &k, col);
        } else {
            stress_columns(in, &k, -n.M1 - n.M2, col);
            if (!local) turn_column(f, col[BY_BETA]);
        }
        for (int j = 0; !local && j < 4; j++) {
            to_global(k.c, k.s, col[j], g);
            for (int i = 0; i < 6; i++) col[j][i] = g[i];
        }
        for (int i = 0; i < 3; i++)
            chain_row(&k, col[BY_L][o + i], col[BY_BETA][o + i], col[BY_T1][o + i], col[BY_T2][o + i],
                      D + 6 * i);
    }
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    const constants *cst = (const constants *)in->c;
    int o = end == 1 ? 0 : 3;
    motion k;
    mass dm;
    stress dn;
    double f[6], g[6], y[3], L = cst->L, dL, db;
    SN_TRY(move(in, &k));
    dy[0] = dy[1] = dy[2] = 0;
    if (which == OUT_STRAIN) {
        if (index < NS || index >= NS + 6) return SN_OK;
        strain(in, &k, y, NULL);
        reference_change(cst, index - NS, &dL, &db);
        dy[0] = -k.l / (L * L) * dL;
        dy[1] = -(y[1] * dL + 6 * db) / L;
        dy[2] = -(y[2] * dL - 6 * db) / L;
        return SN_OK;
    }
    dconstants(in, &k, in->s[DAMPING], index, &dm, &dn);
    stress_force(dn, k.il, f);
    to_global(k.c, k.s, f, g);
    for (int i = 0; i < 3; i++) dy[i] = which == OUT_FORCE_LOCAL ? f[o + i] : g[o + i];
    return SN_OK;
}

/* -m g.(mean position): the potential of the field on mass entries m */
static double field_energy(const sn_in *in, const motion *k, const mass *m, const double *g)
{
    const double *q = in->q;
    double V = -(m->a1 + m->a2) * (g[0] * (q[0] + q[3]) + g[1] * (q[1] + q[4]));
    if (in->opt[OPT_GRAVITY] == 0) V -= (m->r1 + m->r2) * (k->tb1 - k->tb2) * (k->c * g[1] - k->s * g[0]);
    return V;
}

static double kinetic_energy(const motion *k, const mass *m)
{
    double p[6], T = 0;
    mass_times(m, k->u, p);
    for (int i = 0; i < 6; i++) T += 0.5 * p[i] * k->u[i];
    return T;
}

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const constants *cst = (const constants *)in->c;
    const mass *m = &cst->m;
    motion k, rest;
    double p[6], f[6], x, kappa;
    e[0] = e[1] = 0;
    if (move(in, &k) != SN_OK) return;
    x = k.l - cst->L;
    stress n = stress_of(cst->ea, cst->ei, x, k.tb1, k.tb2);
    e[0] = kinetic_energy(&k, m);
    e[1] = 0.5 * (n.N * x + n.M1 * k.tb1 + n.M2 * k.tb2) + field_energy(in, &k, m, in->g);
    if (!de) return;
    kappa = momentum(&k, m, p);
    if (de->q) {
        /* dT/dq = (J u).p b; dV/dq is the local force at rest */
        chain_row(&k, 0, kappa, 0, 0, de->q);
        rest = k;
        rest.w = rest.ld = 0;
        for (int i = 0; i < 6; i++) rest.u[i] = rest.a[i] = 0;
        local_force(&rest, m, n, f);
        add_global(&k, f, de->q + 6);
        if (in->opt[OPT_GRAVITY] != 0) lumped_weight(in, m, de->q + 6);
    }
    if (de->v) add_global(&k, p, de->v);
}

static void denergy(const sn_in *in, int index, double *de)
{
    const constants *cst = (const constants *)in->c;
    motion k;
    mass dm;
    stress dn;
    int field = index - NS - 6;
    double x, dL, db, n;
    de[0] = de[1] = 0;
    if (move(in, &k) != SN_OK) return;
    if (field >= 0) {
        const double e[2] = {field == 0, field == 1};
        de[1] = field_energy(in, &k, &cst->m, e);
        return;
    }
    if (index == DAMPING || index == DAMPING_MASS) return;
    dconstants(in, &k, 0, index, &dm, &dn);
    x = k.l - cst->L;
    de[0] = kinetic_energy(&k, &dm);
    de[1] = 0.5 * (dn.N * x + dn.M1 * k.tb1 + dn.M2 * k.tb2) + field_energy(in, &k, &dm, in->g);
    if (index < NS) return;
    /* the deformation changes too: half of its work */
    reference_change(cst, index - NS, &dL, &db);
    n = 3 * cst->ei * (k.tb1 + k.tb2);
    de[1] += 0.5 * (n * db - cst->ea * x * dL);
}

/* Residual of a line load w in chord axes: forces on the mean position, the moment on the mean section
   rotation, which is beta for any Hermite line. Linear in A = L and B = L^2/12. Returns the factor of b. */
static double load_force(const motion *k, const double *w, double A, double B, double *f)
{
    double E = B * (k->tb1 - k->tb2) * w[0] - A * w[2];
    f[0] = f[3] = -0.5 * A * w[0];
    f[1] = -0.5 * A * w[1] - E * k->il;
    f[4] = -0.5 * A * w[1] + E * k->il;
    f[2] = -B * w[1];
    f[5] = B * w[1];
    return E;
}

static void load_axes(const motion *k, const double *w, int turning, double *wl)
{
    wl[0] = turning ? w[0] : k->c * w[0] + k->s * w[1];
    wl[1] = turning ? w[1] : k->c * w[1] - k->s * w[0];
    wl[2] = w[2];
}

static sn_status distribute(const sn_in *in, const double *w, int turning, double *r, double *K)
{
    double L = ((const constants *)in->c)->L, B = L * L / 12, f[6], wl[3], col[4][6] = {{0}}, E, V;
    motion k;
    SN_TRY(move(in, &k));
    load_axes(&k, w, turning, wl);
    E = load_force(&k, wl, L, B, f);
    add_global(&k, f, r);
    if (!K) return SN_OK;
    const double dw[3] = {wl[1], -wl[0], 0};
    if (!turning) load_force(&k, dw, L, B, col[BY_BETA]);
    turn_column(f, col[BY_BETA]);
    col[BY_L][1] = E * k.il * k.il;
    col[BY_L][4] = -E * k.il * k.il;
    V = B * wl[0] * k.il;
    col[BY_T1][1] = -V;
    col[BY_T1][4] = V;
    col[BY_T2][1] = V;
    col[BY_T2][4] = -V;
    chain_matrix(&k, col, K);
    return SN_OK;
}

static sn_status ddistribute(const sn_in *in, const double *w, int turning, int index, double *dr)
{
    const constants *cst = (const constants *)in->c;
    double f[6], wl[3], dL, db;
    motion k;
    if (index < NS || index >= NS + 6) return SN_OK;
    SN_TRY(move(in, &k));
    reference_change(cst, index - NS, &dL, &db);
    load_axes(&k, w, turning, wl);
    load_force(&k, wl, dL, cst->L / 6 * dL, f);
    add_global(&k, f, dr);
    return SN_OK;
}

static const sn_slot slots[] = {
    {"EA", "N", "axial stiffness", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "E*A"},
    {"EI", "N*m^2", "bending stiffness", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "E*I"},
    {"rhoA", "kg/m", "mass per unit length", 1, SN_OF_MASS, 0, 0, SN_INFINITE, "rho*A"},
    {"rhoI", "kg*m", "rotary inertia of the section per unit length", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"damping", "s", "stiffness-proportional damping of the deformation", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"damping_mass", "1/s", "mass-proportional damping", 1, 0, 0, 0, SN_INFINITE, NULL},
    {0},
};

static const sn_option options[] = {
    {"inertia", "full|paper",
     "all inertia forces, or without the derivative of the kinetic energy with respect to q", 0},
    {"gravity", "consistent|lumped", "gravity along the Hermite line, or half of the weight at each node", 0},
    {0},
};

static const sn_output outputs[] = {
    {"force",
     "elastic and damping force on the element at its end (2 unless asked)",
     3,
     {"fx", "fy", "torque"},
     {"N", "N", "N*m"}},
    {"force_local",
     "the same along and across the chord, and the moment; at end 2 tension is positive",
     3,
     {"N", "V", "M"},
     {"N", "N", "N*m"}},
    {"strain",
     "axial strain and the curvature at both ends",
     3,
     {"eps", "kappa1", "kappa2"},
     {"", "1/m", "1/m"}},
    {0},
};

/* A rectangle has EI/EA = height^2/12; the width across the plane is not known: as high. */
static void sizes(const double *s, const int *slot_n, sn_drawn_sizes *z)
{
    (void)slot_n;
    z->height = z->width = sqrt(12 * s[1] / s[0]);
}
static const sn_geometry geometry = {SN_SHAPE_LINE, SN_CUBIC, NULL, 1, sizes};

static const sn_field_decl fields[] = {
    SN_FIELD_AXIAL, SN_FIELD_SHEAR(SN_FIELD_SIGNED), SN_FIELD_BENDING(SN_FIELD_SIGNED), SN_FIELD_STRESS, {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    return sn_section_plane(in, output, OUT_FORCE_LOCAL, section, y);
}

/* tb_2 - tb_1 = theta_2 - theta_1 unless one of them has jumped; both are small where that is. */
static int limit(const sn_in *in, sn_limit *l)
{
    const double *q = in->q, turn = q[5] - q[2], near = SN_LIMIT_NEAR * 0.5 * two_pi;
    const constants *c = (const constants *)in->c;
    if (fabs(turn) < near) return 0;
    double dx = q[3] - q[0], dy = q[4] - q[1];
    double beta = atan2(c->c0 * dy - c->s0 * dx, c->c0 * dx + c->s0 * dy);
    double tb1 = wrap(q[2] - beta), tb2 = wrap(q[5] - beta), most = fmax(fabs(tb1), fabs(tb2));
    int jumped = fabs(turn - (tb2 - tb1)) > 1;
    if (most < near && !jumped) return 0;
    *l = (sn_limit){"an end is turned against the chord by", "divide it into more elements",
                    jumped ? two_pi - most : most, 0.5 * two_pi, 0};
    return 1;
}

const sn_element_class sn_element_beam2d_cr = {
    .name = "beam2d_cr",
    .doc = "planar co-rotational Euler-Bernoulli beam",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 2, .ask = SN_FRAME},
    .slots = slots,
    .options = options,
    .outputs = outputs,
    .flags = SN_USES_V | SN_USES_A | SN_SYMMETRIC | SN_CONSERVATIVE | SN_TURNS,
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
};
