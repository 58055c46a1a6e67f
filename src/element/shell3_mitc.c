/* shell3_mitc: shell of three frame nodes, for large displacements and rotations at small strains.

   MITC3+ (Lee, Lee, Bathe, Computers and Structures 138, 2014, 12-23) with the kinematics of shell4_mitc:
   places y_i = x_i + R_i o_i and directors d_i = R_i D_i are linear in the triangle, the element's own normal
   is D_i unless it is given, strains are Green and Lagrange's. Membrane strains and curvatures are constant.
   Transverse shear is tied at A (1/6, 2/3), B (2/3, 1/6), C (1/6, 1/6),

       g_r = 2/3 (e_rB - e_sB/2) + 1/3 (e_rC + e_sC) + t c (3 s - 1),   c = x_r.d_s - x_s.d_r
       g_s = 2/3 (e_sA - e_rA/2) + 1/3 (e_rC + e_sC) + t c (1 - 3 r),   t = 1e-4

   and the directors have a bubble 27 r s (1 - r - s) delta. Strains are linear in its amplitudes x_r.delta
   and x_s.delta, at any rotation, so that it is eliminated when the numbers are made: it does nothing but to
   soften the shear, S' = (S^-1 + K^-1/4)^-1 with the bubble's mean bending stiffness K.

   Drill as in shell4_mitc: psi_i, the spin of node i about its director less the mean rotation of the
   surface's tangents, does psi'Q psi/2 with D66 (times `drill`) for a node, of which 1 percent for the modes
   whose sum is 0. Inertia: consistent for translations, that of the thickness at the nodes. Damping:
   shell3_mitc_damp.h.

   Variations of rotations are in body axes; all derivatives are exact. In its plane it is the triangle of
   constant strain, which is stiff where it has to bend: prefer quadrilaterals where there is a choice. */
#include "element/shell3_mitc_damp.h"

extern const sn_element_class sn_element_shell3_mitc;

static const constants fixed = {.j = 0}; /* derivatives of the numbers: none */

static sn_status eval_damped(const sn_in *in, double *r, double *K, double *C, double *Mass)
{
    double a[NV], m[NV * NV] = {0};
    const sn_in resisted = shell_resisted(in, NV, a);
    motion k;
    rates w;
    dual f[6][3], y[NV];
    move(in, (const constants *)in->c, &fixed, &k);
    rates_of(in, &k, &w);
    damp(&w, constant(in->s[SHELL_DAMPING]), &k);
    residual(&resisted, &k, 0, f, y);
    for (int i = 0; i < NV; i++) r[i] += y[i].x;
    if (!K) return SN_OK;
    tangent(&resisted, &k, (const dual(*)[3])f, K, C, m);
    for (int i = 0; i < NV * NV; i++) Mass[i] += m[i], C[i] += in->s[SHELL_DAMPING_MASS] * m[i];
    if (in->s[SHELL_DAMPING] != 0) damping_tangent(in, &k, &w, K, C);
    return SN_OK;
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *Mass)
{
    if (shell_damped(in)) return eval_damped(in, r, K, C, Mass);
    motion k;
    dual f[6][3], y[NV];
    move(in, (const constants *)in->c, &fixed, &k);
    residual(in, &k, 0, f, y);
    for (int i = 0; i < NV; i++) r[i] += y[i].x;
    if (K) tangent(in, &k, (const dual(*)[3])f, K, C, Mass);
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
    constants zero;
    surface g;
    dual a[3], longest = {0, 0};
    for (int i = 0; i < 3; i++) {
        for (int l = 0; l < 3; l++) a[l] = constant(in->X[7 * ((i + 1) % 3) + l] - in->X[7 * i + l]);
        if (dot(a, a).x > longest.x) longest = dot(a, a);
    }
    SN_TRY(make_constants(in, -1, (constants *)c, &zero, &g, err));
    if (!(g.J.x > 1e-6 * longest.x))
        return sn_fail(err, SN_ERR_INPUT, NULL, "the three nodes lie on a line, or nearly so");
    for (int i = 0; i < 3; i++)
        if (!(dot(g.D[i], g.n).x > 0.5))
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "the normal at node %d is more than 60 degrees off that of the triangle", i + 1);
    if (axis_is_normal(in, g.n)) return sn_fail(err, SN_ERR_INPUT, NULL, SHELL_AXIS_IS_NORMAL);
    return SN_OK;
}

/* The motion with derivatives by number `index` */
static sn_status vary(const sn_in *in, int index, constants *c, constants *dc, surface *g, motion *k)
{
    SN_TRY(make_constants(in, index, c, dc, g, NULL));
    move(in, c, dc, k);
    return SN_OK;
}

/* The derivative by a component of the field, in which all is linear: forces -m on the middle surface */
static void by_field(const sn_in *in, int l, double *dr, double *dV)
{
    const constants *c = (const constants *)in->c;
    motion k;
    move(in, c, &fixed, &k);
    for (int i = 0; i < 3; i++) {
        double f[3] = {0, 0, 0}, x[3], y[3];
        for (int j = 0; j < 3; j++) f[l] -= c->m[i][j];
        if (dV) *dV += f[l] * k.z[i][l].x;
        if (!dr) continue;
        dr[6 * i + l] += f[l];
        sn_tmul3(k.R[i], f, x);
        sn_cross3(c->o[i], x, y);
        for (int j = 0; j < 3; j++) dr[6 * i + 3 + j] += y[j];
    }
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    constants c, dc;
    surface g;
    motion k;
    dual f[6][3], y[NV];
    if (index >= in->ns + NX) {
        by_field(in, index - in->ns - NX, dr, NULL);
        return SN_OK;
    }
    double a[NV];
    const sn_in resisted = shell_resisted(in, NV, a);
    SN_TRY(vary(in, index, &c, &dc, &g, &k));
    if (in->s[SHELL_DAMPING] != 0 || index == SHELL_DAMPING) {
        rates w;
        rates_of(in, &k, &w);
        damp(&w, (dual){in->s[SHELL_DAMPING], index == SHELL_DAMPING}, &k);
    }
    k.by_mass = index == SHELL_DAMPING_MASS;
    residual(&resisted, &k, 0, f, y);
    for (int i = 0; i < NV; i++) dr[i] += y[i].d;
    return SN_OK;
}

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const constants *c = (const constants *)in->c;
    motion k;
    dual f[6][3], y[NV], p[3][3];
    move(in, c, &fixed, &k);
    e[0] = kinetic(in, &k, p).x;
    e[1] = potential(in, &k).x;
    if (!de) return;
    residual(in, &k, 1, f, y);
    for (int i = 0; i < NV && de->q; i++) de->q[NV + i] += y[i].x;
    for (int i = 0; i < 3; i++) { /* by v: p, o x R'p + J om; by q: (om x o) x R'p */
        const double *om = in->v + 6 * i + 3, *D = c->D[i], s = slender * sn_dot3(D, om);
        double sum[3], b[3], x[3], w[3];
        values(p[i], sum);
        sn_tmul3(k.R[i], sum, b);
        sn_cross3(c->o[i], b, x);
        for (int l = 0; l < 3 && de->v; l++) {
            de->v[6 * i + l] += sum[l];
            de->v[6 * i + 3 + l] += x[l] + c->j * (om[l] - s * D[l]);
        }
        sn_cross3(om, c->o[i], w);
        sn_cross3(w, b, x);
        for (int l = 0; l < 3 && de->q; l++) de->q[6 * i + 3 + l] += x[l];
    }
}

static void denergy(const sn_in *in, int index, double *de)
{
    constants c, dc;
    surface g;
    motion k;
    de[0] = de[1] = 0;
    if (index >= in->ns + NX) {
        by_field(in, index - in->ns - NX, NULL, &de[1]);
        return;
    }
    if (vary(in, index, &c, &dc, &g, &k) != SN_OK) return;
    de[0] = kinetic(in, &k, NULL).d;
    de[1] = potential(in, &k).d;
}

/* ---- outputs: the same in all of the element ---- */

/* Strains in the material axes, of which rows over the covariant ones are kept */
static void local_strains(const surface *g, const dual *e, dual *x, double (*row)[STRAINS])
{
    dual A[SHELL_LOCAL][STRAINS];
    memset(A, 0, sizeof A);
    for (int i = 0; i < 9; i++) A[i / 3][i % 3] = A[3 + i / 3][3 + i % 3] = g->T[i];
    for (int i = 0; i < 4; i++) A[6 + i / 2][6 + i % 2] = g->shear[i];
    for (int i = 0; i < SHELL_LOCAL; i++) {
        x[i] = constant(0);
        for (int j = 0; j < STRAINS; j++) {
            x[i] = add(x[i], mul(A[i][j], e[j]));
            if (row) row[i][j] = A[i][j].x;
        }
    }
}

/* Derivative of row.e by the coordinates: the forces of these stresses */
static void by_nodes(const motion *k, const double *row, double *dq)
{
    dual s[STRAINS], f[6][3] = {{{0, 0}}};
    double z[NZ];
    for (int j = 0; j < STRAINS; j++) s[j] = constant(row[j]);
    add_forces(k, s, f);
    for (int l = 0; l < NZ; l++) z[l] = f[l / 3][l % 3].x;
    to_nodes(k, z, dq);
}

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    const shell_asked a = {which, end / 4, -1};
    constants c, dc;
    surface g;
    motion k;
    shell_section p;
    dual x[SHELL_LOCAL], z[SHELL_MOST];
    double row[SHELL_LOCAL][STRAINS];
    if (end > 3 && which != OUT_PLY) return SN_ERR_INPUT;
    SN_TRY(vary(in, -1, &c, &dc, &g, &k));
    SN_TRY(shell_section_of(in, NS, -1, &p, NULL));
    local_strains(&g, k.e, x, row);
    const int n = shell_output(in, NS, &p, &a, x, z);
    for (int i = 0; i < n; i++) y[i] = z[i].x;
    for (int j = 0; j < SHELL_LOCAL && d && d->q; j++) {
        double by[NV] = {0};
        by_nodes(&k, row[j], by);
        for (int l = 0; l < SHELL_LOCAL; l++) x[l].d = j == l;
        shell_output(in, NS, &p, &a, x, z);
        for (int i = 0; i < n; i++)
            for (int l = 0; l < NV; l++) d->q[NV * i + l] += z[i].d * by[l];
    }
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    const shell_asked a = {which, end / 4, index};
    constants c, dc;
    surface g;
    motion k;
    shell_section p;
    dual x[SHELL_LOCAL], z[SHELL_MOST];
    if (end > 3 && which != OUT_PLY) return SN_ERR_INPUT;
    SN_TRY(vary(in, index, &c, &dc, &g, &k));
    SN_TRY(shell_section_of(in, NS, index, &p, NULL));
    local_strains(&g, k.e, x, NULL);
    const int n = shell_output(in, NS, &p, &a, x, z);
    for (int i = 0; i < n; i++) dy[i] = z[i].d;
    return SN_OK;
}

static const sn_field_decl fields[] = {SN_SHELL_FIELDS(3), {.name = NULL}};

static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    const shell_asked resultant = {OUT_RESULTANT, 0, -1}, stress = {OUT_STRESS, 0, -1};
    constants c, dc;
    surface g;
    motion k;
    shell_section p;
    dual x[SHELL_LOCAL], z[SHELL_MOST];
    (void)section;
    SN_TRY(vary(in, -1, &c, &dc, &g, &k));
    SN_TRY(shell_section_of(in, NS, -1, &p, NULL));
    local_strains(&g, k.e, x, NULL);
    shell_output(in, NS, &p, &resultant, x, z);
    for (int i = 0; i < SHELL_LOCAL; i++) y[i] = z[i].x;
    y[SHELL_LOCAL] = shell_worst(in, NS, x);
    shell_output(in, NS, &p, &stress, x, z);
    for (int i = 1; i <= 3; i++) y[SHELL_LOCAL + i] = fmax(z[3].x, fmax(z[7].x, z[11].x));
    return SN_OK;
}

/* A third of the mass at the middle of each edge, which is consistent, and a body without mass for each
   director. */
static int particle(const sn_in *in, int k, double *m, double *x, double *N)
{
    const constants *c = (const constants *)in->c;
    double R[9], J[9], y[3], z[3], A[3 * NV];
    for (int l = 0; l < 3; l++) x[l] = 0;
    memset(N, 0, 3 * NV * sizeof *N);
    if (k >= 3) {
        const int i = (k - 3) / SN_BODY_PARTICLES;
        const double zero[3] = {0, 0, 0};
        if (i >= 3) return 0;
        for (int l = 0; l < 9; l++) J[l] = c->j * ((l % 4 == 0) - slender * c->D[i][l / 3] * c->D[i][l % 3]);
        *m = sn_body_particle((k - 3) % SN_BODY_PARTICLES, 0, J, zero, y);
        sn_quat_matrix(in->q + 7 * i + 3, R);
        sn_mul3(R, y, z);
        for (int l = 0; l < 3; l++) x[l] = in->q[7 * i + l] + z[l];
        sn_body_particle_map(R, y, NV, N + 6 * i);
        return 1;
    }
    *m = 4 * c->m[0][1];
    for (int h = 0; h < 2; h++) {
        const int i = (k + h) % 3;
        sn_quat_matrix(in->q + 7 * i + 3, R);
        sn_mul3(R, c->o[i], z);
        memset(A, 0, sizeof A);
        sn_body_particle_map(R, c->o[i], NV, A);
        for (int l = 0; l < 3; l++) {
            x[l] += 0.5 * (in->q[7 * i + l] + z[l]);
            for (int j = 0; j < 6; j++) N[NV * l + 6 * i + j] = 0.5 * A[NV * l + j];
        }
    }
    return 1;
}

static const sn_slot slots[] = {
    SN_SHELL_SECTION_SLOTS,
    {"drill", "1",
     "drilling stiffness, which ties a node's rotation about the normal to the surface, as a multiple of the "
     "section's twisting stiffness D66; 0: none",
     1, 0, 1, 0, SN_INFINITE, NULL},
    {"normal1", "1", "the director at node 1; 0: the normal of the triangle", 3, SN_ROTATES, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    {"normal2", "1", "the same at node 2", 3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"normal3", "1", "the same at node 3", 3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    SN_PLY_SLOTS,
    {.name = NULL},
};

static void sizes(const double *s, const int *slot_n, sn_drawn_sizes *z)
{
    z->thickness = shell_thickness(s, slot_n, PLAIN_SLOTS, NS);
}
static const sn_geometry geometry = {.shape = SN_SHAPE_TRIANGLE, .meshes = 1, .sizes = sizes};

const sn_element_class sn_element_shell3_mitc = {
    .name = "shell3_mitc",
    .doc = "three-node shell for large displacements and rotations",
    .args = {.what = SN_ARG_NODE, .min = 3, .max = 3, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .outputs = shell_outputs,
    .flags = SN_USES_V | SN_USES_A | SN_CONSERVATIVE | SN_TURNS,
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
    .particle = particle,
};
