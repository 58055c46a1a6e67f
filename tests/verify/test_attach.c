/* Frames tied to nodes that have none. A node of a place and three slopes (12 flat coordinates), an element
   that makes of it a body of homogeneous deformation, and the joint that ties a frame to it: rows x = r and
   r_y.d1 = r_y.d3 = r_z.d1 = 0 for the axes d1, d2, d3 of the frame. Joints, loads, masses and sensors that
   need a frame know nothing of it.

   The body: T = m/2 |r'|^2 + J/2 sum |r_i'|^2, V = k/2 E:E with E = (F'F - 1)/2, F = (r_x r_y r_z), less
   gravity's. Turning as a rigid one it has the inertia 2 J about each axis, and with a stiff k it is one but
   for strains of the order of (forces)/k. */
#include "verify/gradient.h"

#include "math/rot3.h"
#include "sinew/plugin.h"

/* ---- the node ---- */

static const sn_slot node_slots[] = {
    {"at", "m", "reference position", 3, SN_PLACED, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"velocity", "m/s", "at the start", 3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL}};
static const char *const coord[] = {"x", "y", "z", "xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"},
                         *const unit[] = {"m", "m", "m", "1", "1", "1", "1", "1", "1", "1", "1", "1"};
static const sn_offer offers[] = {{SN_SLOPES, 0, 0}, {SN_POSITION, 0, 0}, {0}};

static void start(const sn_node_in *in, double *X, double *q, double *v)
{
    for (int k = 0; k < 12; k++) {
        X[k] = q[k] = k < 3 ? in->s[k] : k % 4 == 3;
        v[k] = k < 3 ? in->s[3 + k] : 0;
    }
}

static void dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    (void)in;
    for (int k = 0; k < 12; k++) dX[k] = dq[k] = index == k && k < 3, dv[k] = k < 3 && index == 3 + k;
}

static const sn_node_class slopes = {.name = "slopes",
                                     .doc = "a place and its three slopes",
                                     .slots = node_slots,
                                     .nq = 12,
                                     .nv = 12,
                                     .dim = 3,
                                     .order = 2,
                                     .offers = offers,
                                     .coord = coord,
                                     .unit = unit,
                                     .start = start,
                                     .dstart = dstart,
                                     .frame_joint = "slopes_frame"};

/* ---- the body ---- */

enum { MASS, INERTIA, STIFFNESS };
static const sn_slot body_slots[] = {
    {"mass", "kg", "mass", 1, SN_POSITIVE, 1, 0, SN_INFINITE, NULL},
    {"J", "kg*m^2", "of each slope", 1, SN_POSITIVE, 1, 0, SN_INFINITE, NULL},
    {"k", "J", "stiffness", 1, 0, 1, 0, SN_INFINITE, NULL},
    {.name = NULL}};

/* E_ij = (r_i . r_j - delta)/2; F_i: slope i */
static void strain(const sn_in *in, double E[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            E[i][j] = 0.5 * (sn_dot3(in->q + 3 + 3 * i, in->q + 3 + 3 * j) - (i == j));
}

/* dV/dr_i = k sum_j E_ij r_j */
static sn_status body_eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    double E[3][3], k = in->s[STIFFNESS];
    const double *F = in->q + 3;
    (void)C;
    strain(in, E);
    for (int i = 0; i < 12; i++)
        r[i] += i < 3 ? in->s[MASS] * (in->a[i] - in->g[i]) : in->s[INERTIA] * in->a[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int a = 0; a < 3; a++) {
                r[3 + 3 * i + a] += k * E[i][j] * F[3 * j + a];
                if (!K) continue;
                /* by r_j: E_ij, and F_j (r_j dr_i + r_i dr_j)/2 */
                K[(3 + 3 * i + a) * 12 + 3 + 3 * j + a] += k * E[i][j];
                for (int b = 0; b < 3; b++) {
                    K[(3 + 3 * i + a) * 12 + 3 + 3 * i + b] += 0.5 * k * F[3 * j + a] * F[3 * j + b];
                    K[(3 + 3 * i + a) * 12 + 3 + 3 * j + b] += 0.5 * k * F[3 * j + a] * F[3 * i + b];
                }
            }
    for (int i = 0; K && i < 12; i++) M[13 * i] += in->s[i < 3 ? MASS : INERTIA];
    return SN_OK;
}

static sn_status body_dparam(const sn_in *in, int index, double *dr)
{
    double E[3][3];
    strain(in, E);
    for (int i = 0; i < 3; i++) {
        if (index == MASS) dr[i] += in->a[i] - in->g[i];
        if (index == in->ns + in->nq + i) dr[i] -= in->s[MASS];
        for (int j = 0; j < 3 && index == STIFFNESS; j++)
            for (int a = 0; a < 3; a++) dr[3 + 3 * i + a] += E[i][j] * in->q[3 + 3 * j + a];
    }
    for (int i = 3; i < 12 && index == INERTIA; i++) dr[i] += in->a[i];
    return SN_OK;
}

static void body_energy(const sn_in *in, double *e, sn_dout *de)
{
    double E[3][3], r[12] = {0};
    const sn_in rest = {.s = in->s, .q = in->q, .a = r, .g = in->g, .ns = in->ns};
    double at_rest[12] = {0};
    strain(in, E);
    e[0] = e[1] = 0;
    for (int i = 0; i < 12; i++) e[0] += 0.5 * in->s[i < 3 ? MASS : INERTIA] * in->v[i] * in->v[i];
    for (int i = 0; i < 3; i++) {
        e[1] -= in->s[MASS] * in->g[i] * in->q[i];
        for (int j = 0; j < 3; j++) e[1] += 0.5 * in->s[STIFFNESS] * E[i][j] * E[i][j];
    }
    body_eval(&rest, at_rest, NULL, NULL, NULL);
    for (int i = 0; i < 12; i++) {
        if (de && de->q) de->q[12 + i] += at_rest[i];
        if (de && de->v) de->v[i] += in->s[i < 3 ? MASS : INERTIA] * in->v[i];
    }
}

static void body_denergy(const sn_in *in, int index, double *de)
{
    double E[3][3];
    strain(in, E);
    de[0] = de[1] = 0;
    for (int i = 0; i < 3; i++) {
        if (index == MASS) de[0] += 0.5 * in->v[i] * in->v[i], de[1] -= in->g[i] * in->q[i];
        if (index == in->ns + in->nq + i) de[1] -= in->s[MASS] * in->q[i];
        for (int j = 0; j < 3 && index == STIFFNESS; j++) de[1] += 0.5 * E[i][j] * E[i][j];
    }
    for (int i = 3; i < 12 && index == INERTIA; i++) de[0] += 0.5 * in->v[i] * in->v[i];
}

static const sn_element_class body = {
    .name = "soft_body",
    .doc = "a body of homogeneous deformation",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 3, .ask = SN_SLOPES},
    .slots = body_slots,
    .flags = SN_USES_A | SN_CONSERVATIVE | SN_SYMMETRIC,
    .eval = body_eval,
    .dparam = body_dparam,
    .energy = body_energy,
    .denergy = body_denergy};

/* ---- the joint ---- */

static const sn_slot none[] = {{.name = NULL}};
enum { NQ_NODE = 12, TH = 15, NV = 18 }; /* q: node, x, quaternion; v: node, x, rates */

static sn_status tie_layout(sn_layout *l, sn_err *err)
{
    static const char *const name[] = {"x", "y", "z", "y1", "y3", "z1"};
    (void)err;
    l->m = 6;
    for (int i = 0; i < 6; i++) l->component[i] = name[i], l->unit[i] = i < 3 ? "m" : "1";
    return SN_OK;
}

/* Row i > 2: y . R e, y the second or third slope, e the first or third axis. */
static const int slope_of[] = {6, 6, 9}, axis_of[] = {0, 2, 0};

static void row(const sn_in *in, int i, double *R, double *d, double *u, double *e)
{
    sn_quat_matrix(in->q + TH, R);
    for (int k = 0; k < 3; k++) e[k] = k == axis_of[i], d[k] = R[3 * k + axis_of[i]];
    sn_tmul3(R, in->q + slope_of[i], u); /* y in body axes */
}

static sn_status tie_eval(const sn_in *in, sn_joint_out *o)
{
    for (int k = 0; k < 3; k++) {
        o->phi[k] = in->q[NQ_NODE + k] - in->q[k];
        o->r[k] -= in->lam[k], o->r[NQ_NODE + k] += in->lam[k];
        if (o->B) o->B[k * NV + k] = -1, o->B[k * NV + NQ_NODE + k] = 1;
    }
    for (int i = 0; i < 3; i++) {
        double R[9], d[3], u[3], e[3], w[3], S[9], P[9], lam = in->lam[3 + i];
        int y = slope_of[i];
        row(in, i, R, d, u, e);
        sn_cross3(e, u, w); /* d(y . R e) = d . dy + (e x u) . dth */
        o->phi[3 + i] = sn_dot3(in->q + y, d);
        for (int k = 0; k < 3; k++) {
            o->r[y + k] += lam * d[k], o->r[TH + k] += lam * w[k];
            if (o->B) o->B[(3 + i) * NV + y + k] = d[k], o->B[(3 + i) * NV + TH + k] = w[k];
        }
        if (!o->K) continue;
        sn_skew3(e, S); /* by th: -R e~ in the rows of y, e~ u~ in those of th; by y: e~ R' there */
        sn_matmul3(R, S, P);
        sn_block3(o->K, NV, y, TH, -lam, P);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) o->K[(TH + a) * NV + y + b] -= lam * P[3 * b + a];
        sn_skew3(u, P);
        sn_matmul3(S, P, P);
        sn_block3(o->K, NV, TH, TH, lam, P);
    }
    return SN_OK;
}

/* 2 y' . R (W x e) + u . (W x (W x e)) */
static sn_status tie_rate(const sn_in *in, double *phi_t, double *gamma)
{
    const double *W = in->v + TH;
    for (int i = 0; i < 6; i++) phi_t[i] = gamma[i] = 0;
    for (int i = 0; i < 3; i++) {
        double R[9], d[3], u[3], e[3], We[3], WWe[3], RWe[3];
        row(in, i, R, d, u, e);
        sn_cross3(W, e, We), sn_cross3(W, We, WWe), sn_mul3(R, We, RWe);
        gamma[3 + i] = 2 * sn_dot3(in->v + slope_of[i], RWe) + sn_dot3(u, WWe);
    }
    return SN_OK;
}

static sn_status tie_dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    (void)in, (void)index, (void)dr, (void)dphi;
    return SN_OK;
}

static const sn_joint_class tie = {
    .name = "slopes_frame",
    .doc = "ties a frame to a node with slopes",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_FRAME, .ask_first = SN_SLOPES},
    .slots = none,
    .layout = tie_layout,
    .eval = tie_eval,
    .rate = tie_rate,
    .dparam = tie_dparam};

static int add_kinds(void **state)
{
    static const sn_node_class *const nodes[] = {&slopes, NULL};
    static const sn_element_class *const elements[] = {&body, NULL};
    static const sn_joint_class *const joints[] = {&tie, NULL};
    static sn_err err;
    char text[600];
    (void)state;
    sn_status s = sn_plugin_add(&(sn_plugin){SN_PLUGIN_HEAD, .name = "slopes", .nodes = nodes,
                                             .elements = elements, .joints = joints},
                                &err);
    for (int i = 0; i < err.count; i++)
        sn_report_format(&err.report[i], text, sizeof text), print_error("%s\n", text);
    return s != SN_OK;
}

/* ---- tests ---- */

/* A pendulum with more masses and loads at its body: the kind of the node follows from what is attached. */
#define REST                                                                                                 \
    "  m: {mass3d: b, mass: 0.7, inertia: [0.02, 0.03, 0.01]}\n"                                             \
    "  f: {force3d: b, force: [0, 2, 1], torque: [0.3, 0, 0.2]}\n"                                           \
    "joints: {pin: {revolute: [ground, b], at: [0, 0, 0], axis: [0, 0.2, 1]}}\n"                             \
    "sensors:\n  p: {position: b}\n  R: {rotation: b}\n  r: {reaction: pin}\n  L: {momentum: all}\n"         \
    "  E: {energy: all}\n"                                                                                   \
    "run: {end: 0.4, step: 2e-3}\n"
#define HEAD "sinew: 1\ngravity: [0, -9.81, 0]\nnodes: {b: [0.5, 0, 0]}\nelements:\n"

static const char soft[] = HEAD "  body: {soft_body: b, mass: 1.2, J: 0.01, k: %g}\n" REST;
static const char rigid[] = HEAD "  body: {mass3d: b, mass: 1.2, inertia: [0.02, 0.02, 0.02]}\n" REST;

static void open_soft(kit *k, double stiffness)
{
    char text[2000];
    snprintf(text, sizeof text, soft, stiffness);
    kit_text(k, text);
}

/* One frame and one joint for all who ask, by name. */
static void test_one(void **state)
{
    sn_sizes s;
    kit k;
    (void)state;
    open_soft(&k, 1e5);
    sn_model_sizes(k.m, &s);
    assert_int_equal(s.nodes, 3); /* b, ground, b.frame */
    assert_int_equal(s.joints, 2);
    assert_int_equal(s.nv, 18);
    assert_string_equal(k.m->node[2].name, "b.frame");
    assert_string_equal(k.m->joint.object[1].name, "b.attach");
    sn_check_report r;
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    assert_int_equal(r.freedom, 18 - 6 - 5);
    assert_int_equal(r.n_unsupported + r.n_redundant, 0);
    kit_near("mass", r.mass, 1.9, 1e-12);
    kit_near("its centre", r.com[0], 0.5, 1e-12);
    sn_release(r.names);
    kit_close(&k);
    /* a position is seen without one; NODE.frame asks for it by name */
    kit_text(&k, HEAD "  body: {soft_body: b}\nsensors: {p: {displacement: b}}\n");
    assert_int_equal(k.m->n_node, 1);
    kit_close(&k);
    kit_text(&k, HEAD "  body: {soft_body: b}\njoints: {j: {fixed: b.frame}}\n");
    assert_int_equal(k.m->n_node, 2);
    assert_int_equal(k.m->joint.object[0].m, 6);
    kit_close(&k);
}

/* Stiff, it moves as a rigid body with the inertia 2 J. Forces and moments of 30 N (m) and centrifugal ones
   of J w^2 strain it by less than 30/k; a run of a few oscillations carries ten times that into the motion.
 */
static void test_rigid(void **state)
{
    static const char *const ch[] = {"p.x", "p.y", "R.rz", "r.fx", "r.mx", "L.Lz"};
    double a[6], b[6], stiff = 1e7;
    kit k;
    (void)state;
    open_soft(&k, stiff);
    kit_values(&k, 0.4, 6, ch, a);
    kit_close(&k);
    kit_text(&k, rigid);
    kit_values(&k, 0.4, 6, ch, b);
    kit_close(&k);
    for (int i = 0; i < 6; i++) kit_near(ch[i], a[i], b[i], 300 / stiff * (i == 3 || i == 4 ? 30 : 1));
}

static void test_gradient(void **state)
{
    /* friction that is not there cannot be less */
    static const char *const skip[] = {
        "joints.pin.mu",       "joints.pin.ct",    "joints.pin.radius",  "joints.pin.preload",
        "joints.pin.stribeck", "joints.pin.ratio", "joints.pin.regular", NULL};
    char text[2000];
    (void)state;
    for (int statics = 0; statics < 2; statics++) {
        snprintf(text, sizeof text, soft, 200.0);
        grad *g = grad_text(text);
        g->o.statics = statics;
        g->o.run.step = 5e-3; /* reactions lose digits as 1/(w h)^2, and w is 140/s */
        grad_all_numbers(g, skip);
        grad_all_sensors(g);
        grad_agree(g, statics ? "equilibrium" : "run");
        grad_close(g);
    }
}

/* A beam between two such nodes is meshed between their frames. */
static void test_mesh(void **state)
{
    kit k;
    (void)state;
    kit_text(
        &k,
        "sinew: 1\nnodes: {a: {slopes: [0, 0, 0]}, b: {slopes: [1, 0, 0]}}\n"
        "elements:\n  beam: {beam3d_cr: [a, b], EA: 1e4, GJ: 10, EI_y: 10, EI_z: 10, rhoA: 1, elements: 3}\n"
        "  s: {soft_body: a}\n  t: {soft_body: b}\n");
    assert_int_equal(k.m->n_node, 6);
    for (int i = 0; i < 2; i++)
        assert_string_equal(k.m->node[k.m->element.object[1].node[i]].cls->name, "frame3d");
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one), cmocka_unit_test(test_rigid),
                                       cmocka_unit_test(test_gradient), cmocka_unit_test(test_mesh)};
    return cmocka_run_group_tests(tests, add_kinds, NULL);
}
