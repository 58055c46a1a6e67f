/* beam2d_ge: planar geometrically exact beam (Reissner 1972) between two frame nodes: beam3d_ge of the
   plane.

   Strain is constant along the element, so that axis and sections follow a circular arc; it is the same for
   every rigid motion and knows no history. The energy is that of section forces in equilibrium along the
   element (beam3d_ge_strain.h): order four in the mesh, and nothing locks. A straight element is exact under
   forces and moments at its ends; pure bending is exact to any angle.

   Sections may be rigid in shear, coupled (`stiffness`, three rows) and curved in the reference. The mass is
   that of a cubic field of places and section normals, constant in these vectors, or linear, or points;
   rotary inertia is half at each node. The elastic force is the gradient of an energy, and K symmetric.

   Limits: small strains of the material, ends of an element turned against each other by less than pi. Whole
   turns of a node are no deformation. */
#include "element/beam2d_ge_mass.h"
#include "element/section_forces.h"

extern const sn_element_class sn_element_beam2d_ge;

enum { OUT_FORCE, OUT_FORCE_LOCAL, OUT_STRAIN };

/* The rate of y and its change with z, at the same velocities of the nodes */
static void rate_change(const motion *k, const strain *e, double (*D)[Z])
{
    const double *v = e->v, *x = k->e, g = k->g, g1 = k->g1, u = v[2], w = v[3];
    const double le[2] = {-x[1], x[0]}, lv[2] = {-v[1], v[0]}; /* quarter turns */
    for (int i = 0; i < 2; i++) {
        D[i][0] = i ? -g * u : g1 * w, D[i][1] = i ? g1 * w : g * u;
        D[i][2] = -g1 * w * le[i] - g * (lv[i] + u * x[i]);
        D[i][3] = k->g2 * w * x[i] + g1 * (v[i] - u * le[i]);
    }
    for (int j = 0; j < Z; j++) D[2][j] = 0;
}

/* Second derivatives of s.y by z at given s */
static void geometric(const motion *k, const double *s, double *H)
{
    const double se = s[0] * k->e[0] + s[1] * k->e[1], sl = s[1] * k->e[0] - s[0] * k->e[1];
    const double t[2] = {-s[1], s[0]};
    for (int i = 0; i < 2; i++) {
        H[Z * i + 2] += k->g * t[i], H[Z * 2 + i] += k->g * t[i];
        H[Z * i + 3] += k->g1 * s[i], H[Z * 3 + i] += k->g1 * s[i];
    }
    H[Z * 2 + 2] -= k->g * se, H[Z * 3 + 3] += k->g2 * se;
    H[Z * 2 + 3] -= k->g1 * sl, H[Z * 3 + 2] -= k->g1 * sl;
}

/* X += N'H N, z = N q */
static void nodes_matrix(const motion *k, const double *H, double *X)
{
    double G[Z * 6];
    for (int j = 0; j < 6; j++) {
        const double d[6] = {j == 0, j == 1, j == 2, j == 3, j == 4, j == 5};
        double z[Z];
        of_nodes(k, d, z);
        for (int i = 0; i < Z; i++) {
            G[6 * i + j] = 0;
            for (int l = 0; l < Z; l++) G[6 * i + j] += H[Z * i + l] * z[l];
        }
    }
    for (int j = 0; j < 6; j++) {
        const double T[Z] = {G[j], G[6 + j], G[12 + j], G[18 + j]};
        double r[6] = {0};
        on_nodes(k, T, r);
        for (int i = 0; i < 6; i++) X[6 * i + j] += r[i];
    }
}

/* K and C of elastic and damping forces; material: without forces in K */
static void elastic_tangent(const sn_in *in, const motion *k, const constants *c, const strain *e, double *K,
                            double *C)
{
    const double ih = 1 / c->h, damping = in->s[DAMPING];
    double H[Z * Z] = {0}, B[Z * Z] = {0}, D[3][Z] = {{0}};
    if (damping != 0) rate_change(k, e, D);
    for (int j = 0; j < Z; j++) {
        const double dz[Z] = {j == 0, j == 1, j == 2, j == 3};
        double dy[3], ds[3], dw[3], x[3], T[Z];
        strain_change(k, dz, dy);
        for (int i = 0; i < 3; i++) dw[i] = dy[i] *= ih;
        if (in->material) {
            memcpy(ds, dy, sizeof ds);
            solve(e->F, ds);
        } else {
            stress_change(c, e, dy, dy[2], ds);
        }
        if (damping != 0) {
            solve(e->F, dw);
            pulled_back(k, dw, T);
            for (int i = 0; i < Z; i++) B[Z * i + j] = damping * T[i];
        }
        if (damping != 0 && !in->material) { /* dw = M^-1 (d(rate)/h - dM w) */
            equilibrium_change(c, e->kappa, e->w, x);
            for (int i = 0; i < 3; i++) x[i] = D[i][j] * ih - x[i] * dy[2];
            solve(e->F, x);
            for (int i = 0; i < 3; i++) ds[i] += damping * x[i];
        }
        pulled_back(k, ds, T);
        for (int i = 0; i < Z; i++) H[Z * i + j] = T[i];
    }
    if (!in->material) geometric(k, e->force, H);
    nodes_matrix(k, H, K);
    if (damping != 0) nodes_matrix(k, B, C);
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    const constants *c = (const constants *)in->c;
    double F[6][2], unused[36] = {0};
    motion k;
    strain e;
    field_vectors f;
    SN_TRY(place(in, &k));
    SN_TRY(stress(in, &k, c, &e));
    on_nodes(&k, e.T, r);
    add_inertia(in, c, &f, F, r);
    if (!K) return SN_OK;
    elastic_tangent(in, &k, c, &e, K, C);
    inertia_tangent(in, c, &f, F, in->material ? unused : K, C, M);
    return SN_OK;
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
        [NO_LENGTH] = "the beam has no length: its two nodes are at the same place",
        [TOO_CURVED] = "'curvature' turns its ends by pi or more: divide it into more elements",
        [NOT_STIFF] = "the stiffness of its section is not positive definite: it needs EA and EI (a material "
                      "and a section give them), or all of 'stiffness'",
    };
    constants zero;
    const trouble wrong = make_constants(in, -1, (constants *)c, &zero);
    return wrong ? sn_fail(err, SN_ERR_INPUT, NULL, "%s", what[wrong]) : SN_OK;
}

/* ---- derivatives by numbers ---- */

/* Change of elastic and damping forces with the constants. Turns of the sections act as those of the nodes
   at the same velocities: K. */
static void elastic_by(const sn_in *in, const motion *k, const constants *c, const strain *e,
                       const constants *dc, int index, double *dr)
{
    const double ih = 1 / c->h, lost = -dc->h * ih, dkappa = e->kappa * lost, damping = in->s[DAMPING],
                 *t = e->tau;
    double x[3], y[3], z[3], ds[3], T[Z];
    if (dc->a[0] != 0 || dc->a[1] != 0) {
        double K[36] = {0}, unused[36] = {0};
        sn_in whole = *in;
        whole.material = 0;
        elastic_tangent(&whole, k, c, e, K, unused);
        for (int i = 0; i < 6; i++) dr[i] += K[6 * i + 2] * dc->a[0] + K[6 * i + 5] * dc->a[1];
    }
    /* deps - (dS + dc A'S A + c A'dS A) tau, and the same of w */
    equilibrium_times(c->S, dc->c, e->kappa, t, x);
    equilibrium_times(dc->S, c->c, e->kappa, t, y);
    times3(dc->S, t, z);
    for (int i = 0; i < 3; i++) x[i] = e->y[i] * ih * lost - (i == 2 ? dc->kappa0 : 0) - x[i] - y[i] - z[i];
    stress_change(c, e, x, dkappa, ds);
    couple(e->kappa, t, y);
    times3(dc->S, y, z);
    ds[2] -= dc->c * (t[0] * e->b[1] - t[1] * e->b[0]) + c->c * (t[0] * z[1] - t[1] * z[0]);
    if (damping != 0) {
        double a[3], b[3], d[3];
        equilibrium_times(c->S, dc->c, e->kappa, e->w, a);
        equilibrium_times(dc->S, c->c, e->kappa, e->w, b);
        equilibrium_change(c, e->kappa, e->w, d);
        times3(dc->S, e->w, y);
        for (int i = 0; i < 3; i++) x[i] = e->rate[i] * ih * lost - a[i] - b[i] - y[i] - d[i] * dkappa;
        solve(e->F, x);
        for (int i = 0; i < 3; i++) ds[i] += damping * x[i];
    }
    if (index == DAMPING) {
        double v[Z];
        of_nodes(k, in->v, v);
        strain_change(k, v, x);
        for (int i = 0; i < 3; i++) x[i] *= ih;
        solve(e->F, x);
        for (int i = 0; i < 3; i++) ds[i] += x[i];
    }
    pulled_back(k, ds, T);
    on_nodes(k, T, dr);
}

/* Change of inertia and field: of the mass, of body vectors, of the field or the damping of mass */
static void inertia_by(const sn_in *in, const constants *c, const constants *dc, int index, double *dr)
{
    const double *D = mass_matrix[in->opt[OPT_MASS]];
    double a[6], y[6][2], F[6][2];
    constants all = *c;
    field_vectors f, df;
    all.off_axis = 1; /* a mass centre on the axis moves too */
    mass_vectors(in, &all, c->body, &f);
    if (index == DAMPING_MASS || index >= NS + 6) {
        for (int i = 0; i < 6; i++)
            a[i] = index == DAMPING_MASS ? in->v[i] : i % 3 < 2 ? -(index - NS - 6 == i % 3) : 0;
        vector_rates(&f, NULL, a, 0, y);
        vector_forces(D, &f, c->m, y, F);
        add_vector_forces(&f, 1, F, dr);
        dr[2] += c->J * a[2], dr[5] += c->J * a[5];
        return;
    }
    effective(in, a);
    vector_rates(&f, in->v, a, 0, y);
    vector_forces(D, &f, dc->m, y, F);
    add_vector_forces(&f, 1, F, dr);
    dr[2] += dc->J * a[2], dr[5] += dc->J * a[5];
    mass_vectors(in, &all, dc->body, &df);
    vector_forces(D, &f, c->m, y, F);
    add_vector_forces(&df, 0, F, dr);
    vector_rates(&df, in->v, a, 1, y);
    vector_forces(D, &f, c->m, y, F);
    add_vector_forces(&f, 1, F, dr);
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    const constants *c = (const constants *)in->c;
    constants same, dc;
    motion k;
    strain e;
    SN_TRY(place(in, &k));
    make_constants(in, index, &same, &dc);
    inertia_by(in, c, &dc, index, dr);
    if (index >= NS + 6) return SN_OK;
    SN_TRY(stress(in, &k, c, &e));
    elastic_by(in, &k, c, &e, &dc, index, dr);
    return SN_OK;
}

/* ---- outputs ---- */

/* Force and moment f of an end of axis a (NULL: along global axes), and its change by df and a turn */
static void end_force(const double *a, const double *f, double *y)
{
    y[0] = a ? a[0] * f[0] + a[1] * f[1] : f[0], y[1] = a ? a[0] * f[1] - a[1] * f[0] : f[1], y[2] = f[2];
}

static void end_change(const double *a, const double *f, double turn, const double *df, double *dy)
{
    double y[3];
    end_force(a, f, y);
    end_force(a, df, dy);
    if (a) dy[0] += turn * y[1], dy[1] -= turn * y[0];
}

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    const constants *c = (const constants *)in->c;
    const int i = end == 1 ? 0 : 1;
    sn_in whole = *in;
    double r[6] = {0}, K[36] = {0}, C[36] = {0}, z[Z], dy[3];
    motion k;
    const double *axis = which == OUT_FORCE_LOCAL ? k.axis[i] : NULL;
    strain e;
    SN_TRY(place(in, &k));
    SN_TRY(stress(in, &k, c, &e));
    on_nodes(&k, e.T, r);
    if (which == OUT_STRAIN)
        memcpy(y, e.eps, sizeof e.eps);
    else
        end_force(axis, r + 3 * i, y);
    if (!d || (!d->q && !d->v)) return SN_OK;
    whole.material = 0;
    if (which != OUT_STRAIN) elastic_tangent(&whole, &k, c, &e, K, C);
    for (int j = 0; j < 6; j++) {
        const double one[6] = {j == 0, j == 1, j == 2, j == 3, j == 4, j == 5};
        const double by_q[3] = {K[18 * i + j], K[18 * i + 6 + j], K[18 * i + 12 + j]};
        const double by_v[3] = {C[18 * i + j], C[18 * i + 6 + j], C[18 * i + 12 + j]};
        of_nodes(&k, one, z);
        strain_change(&k, z, dy);
        for (int l = 0; l < 3; l++) dy[l] /= c->h;
        if (which != OUT_STRAIN) end_change(axis, r + 3 * i, j == 3 * i + 2, by_q, dy);
        for (int l = 0; d->q && l < 3; l++) d->q[6 * l + j] = dy[l];
        if (which == OUT_STRAIN || !d->v) continue;
        end_change(axis, r + 3 * i, 0, by_v, dy);
        for (int l = 0; l < 3; l++) d->v[6 * l + j] = dy[l];
    }
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    const constants *c = (const constants *)in->c;
    const int i = end == 1 ? 0 : 1;
    double r[6] = {0}, dr[6] = {0};
    constants same, dc;
    motion k;
    strain e;
    dy[0] = dy[1] = dy[2] = 0;
    if (index >= NS + 6) return SN_OK;
    SN_TRY(place(in, &k));
    SN_TRY(stress(in, &k, c, &e));
    make_constants(in, index, &same, &dc);
    if (which == OUT_STRAIN) {
        const double dz[Z] = {0, 0, 0.5 * (dc.a[0] + dc.a[1]), dc.a[1] - dc.a[0]};
        strain_change(&k, dz, dy);
        for (int l = 0; l < 3; l++) dy[l] = (dy[l] - e.y[l] * dc.h / c->h) / c->h;
        dy[2] -= dc.kappa0;
        return SN_OK;
    }
    on_nodes(&k, e.T, r);
    elastic_by(in, &k, c, &e, &dc, index, dr);
    end_change(which == OUT_FORCE_LOCAL ? k.axis[i] : NULL, r + 3 * i, dc.a[i], dr + 3 * i, dy);
    return SN_OK;
}

/* ---- energy ---- */

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const constants *c = (const constants *)in->c;
    const double *D = mass_matrix[in->opt[OPT_MASS]], zero[6] = {0}, *v = in->v;
    double slots[NS], y[6][2], p[6][2], F[6][2];
    sn_in still = *in;
    motion k;
    strain st;
    field_vectors f;
    e[0] = e[1] = 0;
    memcpy(slots, in->s, sizeof slots);
    slots[DAMPING] = slots[DAMPING_MASS] = 0;
    still.s = slots, still.v = still.a = zero;
    if (place(in, &k) || stress(&still, &k, c, &st)) return;
    mass_vectors(in, c, c->body, &f);
    vector_rates(&f, NULL, v, 0, y);
    vector_forces(D, &f, c->m, y, p);
    for (int a = 0; a < 6; a++) e[0] += 0.5 * (p[a][0] * y[a][0] + p[a][1] * y[a][1]);
    e[0] += 0.5 * c->J * (v[2] * v[2] + v[5] * v[5]);
    e[1] = 0.5 * c->h * dot3(st.tau, st.eps) + field_potential(in, c, c->m, c->body, in->g, 0);
    if (de && de->v) {
        add_vector_forces(&f, 1, p, de->v);
        de->v[2] += c->J * v[2], de->v[5] += c->J * v[5];
    }
    if (!de || !de->q) return;
    for (int a = 0; a < 6; a++) /* velocities w J p turn */
        if (a % 3 != PLACE && f.used[a % 3])
            de->q[a / 3 * 3 + 2] -= v[a / 3 * 3 + 2] * (f.p[a][0] * p[a][0] + f.p[a][1] * p[a][1]);
    on_nodes(&k, st.T, de->q + 6);
    add_inertia(&still, c, &f, F, de->q + 6);
}

static void denergy(const sn_in *in, int index, double *de)
{
    const constants *c = (const constants *)in->c;
    const double *D = mass_matrix[in->opt[OPT_MASS]], zero[6] = {0}, *v = in->v;
    double slots[NS], y[6][2], z[6][2], p[6][2], dp[6][2], r[6] = {0}, x[3], w[3], dW;
    sn_in still = *in;
    constants same, dc, all = *c;
    motion k;
    strain e;
    field_vectors f, df;
    de[0] = de[1] = 0;
    if (index >= NS + 6) {
        const double one[2] = {index == NS + 6, index == NS + 7};
        de[1] = field_potential(in, c, c->m, c->body, one, 0);
        return;
    }
    memcpy(slots, in->s, sizeof slots);
    slots[DAMPING] = 0;
    still.s = slots, still.v = still.a = zero;
    if (place(in, &k) || stress(&still, &k, c, &e)) return;
    make_constants(in, index, &same, &dc);
    all.off_axis = 1;
    mass_vectors(in, &all, c->body, &f), mass_vectors(in, &all, dc.body, &df);
    vector_rates(&f, NULL, v, 0, y), vector_rates(&df, NULL, v, 1, z);
    vector_forces(D, &f, c->m, y, p), vector_forces(D, &f, dc.m, y, dp);
    for (int a = 0; a < 6; a++)
        for (int i = 0; i < 2; i++) de[0] += 0.5 * dp[a][i] * y[a][i] + p[a][i] * z[a][i];
    de[0] += 0.5 * dc.J * (v[2] * v[2] + v[5] * v[5]);
    /* E = h W: dW = s.dxi - tau.dxi0 - tau'(dS + dc A'S A + c A'dS A) tau/2 */
    on_nodes(&k, e.T, r);
    dW = -(dot3(e.s, e.y) / c->h * dc.h / c->h) - e.tau[2] * dc.kappa0;
    times3(dc.S, e.tau, w);
    dW -= 0.5 * dot3(e.tau, w);
    equilibrium_times(c->S, dc.c, e.kappa, e.tau, x), equilibrium_times(dc.S, c->c, e.kappa, e.tau, w);
    dW -= 0.5 * (dot3(e.tau, x) + dot3(e.tau, w));
    de[1] = c->h * dW + 0.5 * dc.h * dot3(e.tau, e.eps) + r[2] * dc.a[0] + r[5] * dc.a[1];
    de[1] += field_potential(in, &all, dc.m, c->body, in->g, 0) +
             field_potential(in, &all, c->m, dc.body, in->g, 1);
}

/* ---- line loads ---- */

static sn_status distribute(const sn_in *in, const double *w, int turning, double *r, double *K)
{
    const constants *c = (const constants *)in->c;
    const double *D = mass_matrix[CONSISTENT];
    double l[2][2], F[6][2];
    field_vectors f;
    motion k;
    SN_TRY(place(in, &k));
    vectors_at(in, c->body, 1, 0, &f);
    load_ends(&k, w, turning, l);
    load_forces(-c->h, l, F);
    add_vector_forces(&f, 1, F, r);
    r[2] -= 0.5 * c->h * w[2], r[5] -= 0.5 * c->h * w[2];
    if (!K) return SN_OK;
    turned_moments(&f, F, K);
    for (int j = 0; turning && j < 2; j++) {
        const double dl[2] = {-l[j][1], l[j][0]};
        for (int a = 0; a < 6; a++) {
            const double x = -c->h * D[6 * a + 3 * j + ARM], *p = f.p[a];
            double *row = K + 18 * (a / 3) + 3 * j + 2;
            if (a % 3 == PLACE) row[0] += x * dl[0], row[6] += x * dl[1];
            if (a % 3 == SLOPE) row[12] += x * (p[0] * dl[1] - p[1] * dl[0]);
        }
    }
    return SN_OK;
}

static sn_status ddistribute(const sn_in *in, const double *w, int turning, int index, double *dr)
{
    const constants *c = (const constants *)in->c;
    double l[2][2], F[6][2];
    constants same, dc;
    field_vectors f, df;
    motion k;
    if (index >= NS + 6) return SN_OK;
    SN_TRY(place(in, &k));
    make_constants(in, index, &same, &dc);
    vectors_at(in, c->body, 1, 0, &f), vectors_at(in, dc.body, 1, 0, &df);
    load_ends(&k, w, turning, l);
    load_forces(-c->h, l, F);
    add_vector_forces(&df, 0, F, dr);
    load_forces(-dc.h, l, F);
    add_vector_forces(&f, 1, F, dr);
    dr[2] -= 0.5 * dc.h * w[2], dr[5] -= 0.5 * dc.h * w[2];
    if (!turning) return SN_OK;
    for (int i = 0; i < 2; i++) {
        const double x = l[i][0];
        l[i][0] = -dc.a[i] * l[i][1], l[i][1] = dc.a[i] * x;
    }
    load_forces(-c->h, l, F);
    add_vector_forces(&f, 1, F, dr);
    return SN_OK;
}

/* ---- table ---- */

static const sn_slot slots[] = {
    {"EA", "N", "axial stiffness", 1, 0, 0, 0, SN_INFINITE, "E*A"},
    {"kGA", "N", "shear stiffness; 0: rigid in shear", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"EI", "N*m^2", "bending stiffness", 1, 0, 0, 0, SN_INFINITE, "E*I"},
    {"rhoA", "kg/m", "mass per unit length", 1, SN_OF_MASS, 0, 0, SN_INFINITE, "rho*A"},
    {"rhoI", "kg*m", "rotary inertia of the section about its mass centre, per unit length", 1, 0, 0, 0,
     SN_INFINITE, "rho*I"},
    {"damping", "s", "stiffness-proportional damping of the deformation", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"damping_mass", "1/s", "mass-proportional damping", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"curvature", "1/m",
     "of the stress-free beam: an arc between its nodes, to the left where it is positive", 1, 0, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {"stiffness", "",
     "full stiffness of the section, row by row (axial force, shear force, bending moment by their strains), "
     "on "
     "top of EA, kGA, EI",
     9, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"mass_centre", "m", "of the section, to the left of the axis", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
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
     "elastic and damping force on the element at its end (2 unless asked)",
     3,
     {"fx", "fy", "torque"},
     {"N", "N", "N*m"}},
    {"force_local",
     "the same on the section, along and across its axis, and the moment; at end 2 tension is positive",
     3,
     {"N", "V", "M"},
     {"N", "N", "N*m"}},
    {"strain",
     "strains of the element: along the axis, shear, curvature",
     3,
     {"eps", "gamma", "kappa"},
     {"", "", "1/m"}},
    {0},
};

/* A rectangle has EI/EA = height^2/12; the width across the plane is not known: as high. */
static void sizes(const double *s, const int *slot_n, sn_drawn_sizes *z)
{
    (void)slot_n;
    z->height = z->width = sqrt(fmax(12 * (s[EI] + s[STIFFNESS + 8]) / (s[EA] + s[STIFFNESS]), 0));
}

static const char *const axis_slots[] = {"curvature", NULL};
static const sn_line_axis axis = {
    axis_slots, "curvature", NULL,
    "'curvature' turns the ends of the whole beam by pi or more, or the beam has "
    "no length: give more nodes on its way",
    at_place};
static const sn_geometry geometry = {SN_SHAPE_LINE, SN_CUBIC, NULL, 1, sizes};

static const sn_field_decl fields[] = {
    SN_FIELD_AXIAL, SN_FIELD_SHEAR(SN_FIELD_SIGNED), SN_FIELD_BENDING(SN_FIELD_SIGNED), SN_FIELD_STRESS, {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    return sn_section_plane(in, output, OUT_FORCE_LOCAL, section, y);
}

static int limit(const sn_in *in, sn_limit *l)
{
    const constants *c = (const constants *)in->c;
    const double turn = fabs(in->q[5] + c->a[1] - in->q[2] - c->a[0]);
    if (turn < SN_LIMIT_NEAR * 0.5 * two_pi) return 0;
    *l = (sn_limit){"its ends are turned against each other by", "divide it into more elements", turn,
                    0.5 * two_pi, 0};
    return 1;
}

const sn_element_class sn_element_beam2d_ge = {
    .name = "beam2d_ge",
    .doc = "planar geometrically exact beam",
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
    .axis = &axis,
    .fields = fields,
    .field = field,
    .limit = limit,
};
