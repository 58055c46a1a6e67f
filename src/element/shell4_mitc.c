/* shell4_mitc: shell of four frame nodes, for large displacements and rotations at small strains.

   The middle surface is bilinear in y_i = x_i + R_i o_i, the director in d_i = R_i D_i: each element has the
   normals of its own corners as D_i unless they are given. Strains are Green and Lagrange's, membrane,
   bending and transverse shear, each with those terms of the coordinates (r, s) that bilinear fields have;
   all of them are 16 numbers, dots of the seven vectors x_r, x_s, x_d, d_0, d_r, d_s, d_d that are sums of
   the y_i and d_i with signs. Shear strains are tied at the middles of the edges (MITC4: Dvorkin, Bathe
   1984), membrane strains as in MITC4+ (Ko, Lee, Bathe 2016); four enhanced membrane strains (Simo, Rifai
   1990) are eliminated when the numbers are made, since the section is linear. So W = (e - e0)'C (e - e0)/2
   with a constant C, and forces need no points of integration.

   Roll factor: within an element that bends by the angle t the interpolated director is shorter, and the
   curvature 2 sin(t/2)/h too small. Bending strains have the factor f = 1 + u/6 + 7u^2/72, u = 1 -
   d0.d0/D0.D0, which leaves an error of t^4.

   Drill: psi_i, the spin of node i about its director less the mean rotation of the surface's tangents, does
   psi'Q psi/2 with D66 of the section (times `drill`) for a node, of which 1 percent for the modes of psi
   that are linear in the element (in-plane bending).

   `formulation: mitc4` is the element of Dvorkin and Bathe: without MITC4+, enhanced strains and roll
   factor; with `drill: 0` it has five freedoms a node.

   Inertia: consistent for translations; that of the thickness at the nodes, of which 1 percent also about
   the director, so that the mass matrix is regular. Damping: shell4_mitc_damp.h.

   Variations of rotations are in body axes; all derivatives are exact. Limits: small strains; no corner of
   180 degrees or more, warped by less than 60 degrees. */
#include "element/shell4_mitc_damp.h"
#include "element/shell4_mitc_output.h"

extern const sn_element_class sn_element_shell4_mitc;

static SN_SIMD sn_status eval_residual(const sn_in *in, double *r)
{
    motion k;
    forces t;
    residual(in, &k, &t, r);
    return SN_OK;
}

static INLINE void tangent(const sn_in *in, const motion *k, const forces *t, double *K, double *C, double *M)
{
    const constants *c = (const constants *)in->c;
    if (c->arms != 0) {
        quad f[3] = {t->y[0], t->y[1], t->y[2]}, m[3] = {{0}};
        inertia(in, c, k, f, m);
        arms_tangent(in, k, t, f, (double *[]){K, C, M});
        return;
    }
    elastic_tangent(in, k, t, K);
    inertia_tangent(in, c, C, M);
}

static SN_SIMD sn_status eval_tangent(const sn_in *in, double *r, double *K, double *C, double *M)
{
    motion k;
    forces t;
    residual(in, &k, &t, r);
    tangent(in, &k, &t, K, C, M);
    return SN_OK;
}

static SN_SIMD sn_status eval_damped(const sn_in *in, double *r, double *K, double *C, double *M)
{
    const constants *c = (const constants *)in->c;
    const double d = in->s[SHELL_DAMPING];
    double a[NV], mass[NV * NV] = {0};
    const sn_in resisted = shell_resisted(in, NV, a);
    motion k;
    forces t;
    rates w;
    move(in, c, &k);
    rates_of(in, c, &k, &w);
    for (int i = 0; i < STRAINS; i++) k.e[i] += d * w.e[i];
    w.psi *= all(d);
    forces_of(&resisted, &k, &w.psi, &t, r);
    if (!K) return SN_OK;
    tangent(&resisted, &k, &t, K, C, mass);
    for (int i = 0; i < NV * NV; i++) M[i] += mass[i], C[i] += in->s[SHELL_DAMPING_MASS] * mass[i];
    if (d != 0) damping_tangent(in, &k, &w, K, C);
    return SN_OK;
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    if (shell_damped(in)) return eval_damped(in, r, K, C, M);
    return K ? eval_tangent(in, r, K, C, M) : eval_residual(in, r);
}

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = sizeof(constants) / sizeof(double);
    return SN_OK;
}

/* No two corners may be at one place: there is no normal. */
static sn_status check_edges(const sn_in *in, sn_err *err)
{
    double size = 0, edge[4];
    for (int i = 0; i < 4; i++) {
        const double *a = in->X + 7 * i, *b = in->X + 7 * ((i + 1) % 4);
        edge[i] = hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
        size = fmax(size, edge[i]);
    }
    for (int i = 0; i < 4; i++)
        if (!(edge[i] > 1e-6 * size))
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "nodes %d and %d are at the same place: a quadrilateral needs four corners", i + 1,
                           (i + 1) % 4 + 1);
    return SN_OK;
}

/* What is no shell: corners of 180 degrees or more, a surface that turns too far in itself */
static sn_status check_surface(const sn_in *in, const surface *g, sn_err *err)
{
    const double a = 0.57735026918962576451;
    dual r, s, n[3];
    point p;
    for (int i = 0; i < 4; i++)
        if (!(dot(g->D[i], g->D[i]).x > 0))
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "the corner at node %d has 180 degrees, there is no normal", i + 1);
    if (!(g->J0.x > 0)) return sn_fail(err, SN_ERR_INPUT, NULL, "the four nodes span no surface");
    skew_of(g, &r, &s);
    for (int i = 0; i < 4; i++) {
        surface_at(g, constant(a * xi_of[i]), constant(a * eta_of[i]), &p);
        cross(p.ar, p.as, n);
        if (!(dot(n, g->n).x > 1e-6 * g->J0.x))
            return sn_fail(
                err, SN_ERR_INPUT, NULL,
                "the quadrilateral is folded or re-entrant near node %d: its nodes must go round it "
                "with each corner below 180 degrees",
                i + 1);
        if (axis_is_normal(in, p.n)) return sn_fail(err, SN_ERR_INPUT, NULL, SHELL_AXIS_IS_NORMAL);
    }
    if (!(r.x * r.x + s.x * s.x < 1 - 1e-6))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the quadrilateral is nearly a triangle: a corner has 180 degrees or more");
    for (int i = 0; i < 4; i++)
        if (!(dot(g->D[i], g->n).x > 0.5))
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "the normal at node %d is more than 60 degrees off that of the middle: the "
                           "quadrilateral is too warped, or the given normal points elsewhere",
                           i + 1);
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    constants zero;
    surface g;
    SN_TRY(check_edges(in, err));
    SN_TRY(make_constants(in, -1, (constants *)c, &zero, &g, err));
    return check_surface(in, &g, err);
}

/* The derivative by a component of the field */
static void by_field(const sn_in *in, int l, double *dr)
{
    const constants *c = (const constants *)in->c;
    for (int i = 0; i < 4; i++) {
        double R[9], m = 0, f[3] = {0, 0, 0}, o[3], x[3];
        for (int j = 0; j < 4; j++) m += c->m[i][j];
        f[l] = -m;
        dr[6 * i + l] -= m;
        sn_quat_matrix(in->q + 7 * i + 3, R);
        for (int j = 0; j < 3; j++) o[j] = c->o[j][i];
        sn_tmul3(R, f, x);
        sn_cross3(o, x, f);
        for (int j = 0; j < 3; j++) dr[6 * i + 3 + j] += f[j];
    }
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    constants c, dc;
    surface g;
    varied k;
    dual r[NV];
    if (index >= in->ns + NX) {
        by_field(in, index - in->ns - NX, dr);
        return SN_OK;
    }
    SN_TRY(make_constants(in, index, &c, &dc, &g, NULL));
    double a[NV];
    const sn_in resisted = shell_resisted(in, NV, a);
    vary(in, &c, &dc, &k);
    if (in->s[SHELL_DAMPING] != 0 || index == SHELL_DAMPING) varied_damping(in, index, &k);
    k.by_mass = index == SHELL_DAMPING_MASS;
    varied_residual(&resisted, &k, ELASTIC | INERTIA, r);
    for (int i = 0; i < NV; i++) dr[i] += r[i].d;
    return SN_OK;
}

/* dT/dv, and dT/dq, which is not 0 where there are arms */
static void kinetic_gradient(const sn_in *in, const varied *k, double *q, double *v)
{
    const constants *c = k->c;
    dual y[4][3];
    for (int i = 0; i < 4; i++) varied_velocity(in, k, i, y[i]);
    for (int i = 0; i < 4; i++) {
        const double *om = in->v + 6 * i + 3, o[3] = {c->o[0][i], c->o[1][i], c->o[2][i]},
                     D[3] = {c->D[0][i], c->D[1][i], c->D[2][i]}, s = slender * sn_dot3(D, om);
        double p[3] = {0, 0, 0}, b[3], x[3], w[3];
        for (int j = 0; j < 4; j++)
            for (int l = 0; l < 3; l++) p[l] += c->m[i][j] * y[j][l].x;
        sn_tmul3(k->R[i], p, b);
        sn_cross3(o, b, x);
        for (int l = 0; l < 3 && v; l++) {
            v[6 * i + l] += p[l];
            v[6 * i + 3 + l] += x[l] + c->j[i] * (om[l] - s * D[l]);
        }
        sn_cross3(om, o, w);
        sn_cross3(w, b, x);
        for (int l = 0; l < 3 && q; l++) q[6 * i + 3 + l] += x[l];
    }
}

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const constants *c = (const constants *)in->c, zero = {.arms = 0};
    const double still[NV] = {0};
    varied k;
    sn_in rest = *in;
    vary(in, c, &zero, &k);
    e[0] = varied_kinetic(in, &k).x;
    e[1] = varied_potential(in, &k).x;
    if (!de) return;
    kinetic_gradient(in, &k, de->q, de->v);
    rest.v = rest.a = still;
    if (de->q) eval_residual(&rest, de->q + NV);
}

static void denergy(const sn_in *in, int index, double *de)
{
    constants c, dc;
    surface g;
    varied k;
    sn_in unit = *in;
    double one[3] = {0, 0, 0};
    de[0] = de[1] = 0;
    if (index >= in->ns + NX) { /* the potential of the field alone, which is linear in it */
        one[index - in->ns - NX] = 1;
        const constants zero = {.arms = 0};
        vary(in, (const constants *)in->c, &zero, &k);
        de[1] = -varied_potential(in, &k).x;
        for (int i = 0; i < 3; i++) one[i] += in->g[i];
        unit.g = one;
        de[1] += varied_potential(&unit, &k).x;
        return;
    }
    if (make_constants(in, index, &c, &dc, &g, NULL) != SN_OK) return;
    vary(in, &c, &dc, &k);
    de[0] = varied_kinetic(in, &k).d;
    de[1] = varied_potential(in, &k).d;
}

static const sn_slot slots[] = {
    SN_SHELL_SECTION_SLOTS,
    {"drill", "1",
     "drilling stiffness, which ties a node's rotation about the normal to the surface, as a multiple of the "
     "section's twisting stiffness D66; 0: none",
     1, 0, 1, 0, SN_INFINITE, NULL},
    {"normal1", "1", "the director at node 1; 0: normal to the element's own surface there", 3, SN_ROTATES, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {"normal2", "1", "the same at node 2", 3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"normal3", "1", "the same at node 3", 3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"normal4", "1", "the same at node 4", 3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    SN_PLY_SLOTS,
    {.name = NULL},
};

enum { PLAIN_SLOTS = SHELL_SECTION_SLOTS + 5 }; /* entries before the plies */

static const sn_option options[] = {
    {"formulation", "mitc4+|mitc4",
     "mitc4: the element of Dvorkin and Bathe, without the membrane strains of MITC4+, enhanced strains and "
     "roll factor",
     PLUS},
    {"eas", "no|yes", "four enhanced membrane strains, for in-plane bending", 1},
    {"roll", "no|yes", "correct bending strains for the shortening of interpolated directors", 1},
    {.name = NULL},
};

static void sizes(const double *s, const int *slot_n, sn_drawn_sizes *z)
{
    z->thickness = shell_thickness(s, slot_n, PLAIN_SLOTS, NS);
}
static const sn_geometry geometry = {.shape = SN_SHAPE_QUADRILATERAL, .meshes = 1, .sizes = sizes};

const sn_element_class sn_element_shell4_mitc = {
    .name = "shell4_mitc",
    .doc = "four-node shell for large displacements and rotations",
    .args = {.what = SN_ARG_NODE, .min = 4, .max = 4, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .options = options,
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
