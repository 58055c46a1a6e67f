/* Simeon's flexible slider-crank: problem `crank` of the Test Set for IVP Solvers (Mazzia and Magherini,
   Bari, 2008), after B. Simeon, Modelling a flexible slider crank mechanism by a mixed system of DAEs and
   PDEs, Math. Modelling of Systems 2 (1996) 1-18. Its reference solution at 0.1 s, without damping and with
   linear stiffness. */
#include "verify/bodies.h"

enum { Q = 4 };
static const double pi = 3.14159265358979323846, l1 = 0.15, l2 = 0.3, thick = 0.008, E = 2e11, rho = 7870,
                    m3 = 0.075552, omega = 150;

/* Start, of q1 ... q4 */
static const double q0[Q] = {0, 0, 0.103339863e-4, 0.169327969e-4},
                    v0[Q] = {0.4448961125815990, 0.4634339319238670e-2, -0.1785910760000550e-5,
                             -0.2689386719979040e-5};
/* At 0.1 s: rotation of the rod, place of the slider, q1 ... q4 */
static const double published[2 + Q] = {-0.3311734988256260,    0.1697373328427860,
                                        0.1893192899613509e-3,  0.2375751249879174e-4,
                                        -0.5323896770569702e-5, -0.8363313279112129e-5};

static const char *const kinds[] = {"started_ffr", "started_fncf"}, *const names[] = {"phi2", "x3", "q1",
                                                                                      "q2",   "q3", "q4"};

/* Shape i at xi: displacement along x and y, its derivative by x, and of lateral ones the second. */
static void shape(int i, double xi, double *u, double *du, double *bend)
{
    const double k = (i + 1) * pi;
    u[0] = i == 2 ? 4 * xi - 4 * xi * xi : i == 3 ? 2 * xi * xi - xi : 0;
    u[1] = i < 2 ? sin(k * xi) : 0;
    u[2] = 0;
    *du = (i == 2 ? 4 - 8 * xi : i == 3 ? 4 * xi - 1 : k * cos(k * xi)) / l2;
    *bend = i < 2 ? -k * k * sin(k * xi) / (l2 * l2) : 0;
}

/* Integrals of the shapes: mass (products, 3 x 3 of each pair), stiffness. The rod is a line, but for its
   resistance to turns as a whole, which has the sections'. */
typedef struct rod {
    double mass, first[3], second[9], S[Q][3], XP[Q][9], PP[Q][Q][9], K[Q * Q], M[Q * Q];
} rod;

/* Products of the two axial shapes are 8/15, 1/15, 2/15 of the rod's mass; the problem has 8, 1, 2, which is
   kept here to compare numbers. `heavy`: their factor. */
enum { HEAVY = 15 };
static rod integrals(double heavy)
{
    const double A = thick * thick, I = A * thick * thick / 12;
    double x[GAUSS], w[GAUSS], u[Q][3], du[Q], bend[Q];
    rod r = {0};
    beam_gauss(x, w);
    for (int g = 0; g < GAUSS; g++) {
        const double m = w[g] * l2 * rho * A, X[3] = {x[g] * l2, 0, 0};
        r.mass += m, r.first[0] += m * X[0], particles_add(m, X, X, r.second);
        for (int i = 0; i < Q; i++) shape(i, x[g], u[i], &du[i], &bend[i]);
        for (int i = 0; i < Q; i++) {
            for (int k = 0; k < 3; k++) r.S[i][k] += m * u[i][k];
            particles_add(m, X, u[i], r.XP[i]);
            for (int j = 0; j < Q; j++) {
                particles_add(i > 1 && j > 1 ? heavy * m : m, u[i], u[j], r.PP[i][j]);
                r.K[Q * i + j] +=
                    w[g] * l2 * E * (i > 1 && j > 1 ? A * du[i] * du[j] : I * bend[i] * bend[j]);
            }
        }
    }
    r.second[4] = r.second[8] = r.mass * thick * thick / 12;
    for (int i = 0; i < Q * Q; i++) r.M[i] = r.PP[i / Q][i % Q][0] + r.PP[i / Q][i % Q][4];
    return r;
}

/* y += f x, n numbers */
static void add(int n, double f, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] += f * x[i];
}

static void *from_heap(sn_block *b, size_t n, size_t size)
{
    (void)b;
    return calloc(n, size);
}

static double V[Q * Q]; /* q = V d, of modes that are orthonormal */
static double d0[Q], d0_rate[Q];

/* Amplitudes of the modes: d = V'M q */
static void amplitudes(const rod *r, const double *q, double *d)
{
    for (int i = 0; i < Q; i++) {
        d[i] = 0;
        for (int j = 0; j < Q; j++)
            for (int k = 0; k < Q; k++) d[i] += V[Q * j + i] * r->M[Q * j + k] * q[k];
    }
}

static void add_rod(const char *name, double heavy)
{
    static const char *const points[] = {"crank", "slider"};
    sn_err err;
    sn_block block = {.alloc = from_heap};
    rod r = integrals(heavy);
    double K[Q * Q], M[Q * Q], *w2 = particles_zeros(Q), *S = particles_zeros(3 * Q),
                               *XP = particles_zeros(9 * Q), *PP = particles_zeros(9 * Q * Q),
                               *X = particles_zeros(6), *phi = particles_zeros(6 * Q),
                               *theta = particles_zeros(6 * Q);
    memcpy(K, r.K, sizeof K), memcpy(M, r.M, sizeof M);
    beam_modes(Q, K, M, V, w2);
    amplitudes(&r, q0, d0), amplitudes(&r, v0, d0_rate);
    X[3] = l2;
    for (int i = 0; i < Q; i++)
        for (int j = 0; j < Q; j++) {
            const double f = V[Q * j + i];
            add(3, f, r.S[j], S + 3 * i), add(9, f, r.XP[j], XP + 9 * i);
            for (int k = 0; k < Q * Q; k++)
                add(9, f * V[Q * (k / Q) + k % Q], r.PP[j][k / Q], PP + 9 * (Q * i + k % Q));
            for (int p = 0; p < 2; p++) {
                double u[3], du, bend;
                shape(j, p, u, &du, &bend);
                for (int k = 0; k < 2; k++) phi[(3 * p + k) * Q + i] += f * u[k];
                if (j < 2) theta[(3 * p + 2) * Q + i] += f * du;
            }
        }
    sn_reduced_body b = {.nd = Q,
                         .w2 = w2,
                         .n_interface = 2,
                         .n_point = 2,
                         .point = points,
                         .X = X,
                         .phi = phi,
                         .theta = theta,
                         .mass = r.mass,
                         .S = S,
                         .XP = XP,
                         .PP = PP};
    memcpy(b.first, r.first, sizeof b.first), memcpy(b.second, r.second, sizeof b.second);
    assert_int_equal(sn_reduced_body_invariants(&b, &block, &err), SN_OK);
    bodies_add(name, b);
}

/* ---- kinds whose modes start as the test wants ---- */

static void started(const sn_node_in *in, double *X, double *q, double *v)
{
    for (int k = 0; k < in->nv; k++) X[k] = 0, q[k] = d0[k], v[k] = d0_rate[k];
}

static void dstarted(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    (void)index;
    for (int k = 0; k < in->nv; k++) dX[k] = dq[k] = dv[k] = 0;
}

static int begin(void **state)
{
    static sn_node_class modes;
    static sn_element_class kind[2];
    static sn_inner inner[2][3];
    static const sn_node_class *const nodes[] = {&modes, NULL};
    static const sn_element_class *const elements[] = {&kind[0], &kind[1], NULL};
    static sn_err err;
    if (bodies_begin(state)) return 1;
    modes = *sn_node_find("modal");
    modes.name = "started", modes.start = started, modes.dstart = dstarted;
    for (int i = 0; i < 2; i++) {
        kind[i] = *sn_element_find(i ? "fncf" : "ffr");
        kind[i].name = kinds[i];
        memcpy(inner[i], kind[i].inner, sizeof inner[i]);
        inner[i][1].kind = "started", kind[i].inner = inner[i];
    }
    add_rod("published", HEAVY);
    return sn_plugin_add(&(sn_plugin){SN_PLUGIN_HEAD, .name = "crank", .nodes = nodes, .elements = elements},
                         &err) != SN_OK;
}

/* ---- the motion ---- */

/* Rotation of the rod, place of the slider, q1 ... q4 and their accelerations. */
typedef struct state {
    double x[2 + Q], a[2 + Q];
} state;

/* q = V d */
static void of_modes(const double *d, double *q)
{
    for (int i = 0; i < Q; i++) {
        q[i] = 0;
        for (int j = 0; j < Q; j++) q[i] += V[Q * i + j] * d[j];
    }
}

static void open_model(kit *k, const char *kind, const char *name)
{
    const double spin = -omega * l1 / (l2 + q0[3]), left = pi / l2 * (2 * v0[1] + v0[0]),
                 right = pi / l2 * (2 * v0[1] - v0[0]);
    char text[2500];
    snprintf(text, sizeof text,
             "sinew: 1\nnodes:\n  crank: {frame3d: [0, 0, 0], spin: [0, 0, %.17g]}\n"
             "  A: {frame3d: [%.17g, 0, 0], velocity: [0, %.17g, 0], spin: [0, 0, %.17g]}\n"
             "  B: {frame3d: [%.17g, 0, 0], displacement: [%.17g, 0, 0], velocity: [%.17g, 0, 0],\n"
             "      spin: [0, 0, %.17g]}\nelements:\n"
             "  rod: {%s: [A, B], body: %s, at: [%.17g, 0, 0], velocity: [0, %.17g, 0],\n"
             "        spin: [0, 0, %.17g]}\n"
             "  slider: {mass3d: B, mass: %.17g}\njoints:\n"
             "  bearing: {fixed: crank, only: [x, y, z, rx, ry]}\n"
             "  motor: {rotation_drive: [ground, crank], axis: [0, 0, 1], angle: %.17g*t}\n"
             "  pin: {revolute: [crank, A], axis: [0, 0, 1]}\n  guide: {fixed: B, only: [y]}\nsensors:\n"
             "  x1: {rotation: rod.frame}\n  x2: {position: B}\n  z: {position: rod.modes}\n"
             "  a1: {acceleration: rod.frame}\n  a2: {acceleration: B}\n  z1: {acceleration: rod.modes.z1}\n"
             "  z2: {acceleration: rod.modes.z2}\n  z3: {acceleration: rod.modes.z3}\n"
             "  z4: {acceleration: rod.modes.z4}\nrun: {scheme: newmark, tolerance: 1e-11}\n",
             omega, l1, omega * l1, spin + left, l1 + l2, q0[3], v0[3], spin + right, kind, name, l1,
             omega * l1, spin, m3, omega);
    kit_text(k, text);
}

/* At the time t, with steps h. */
static state run(const char *kind, const char *name, double t, double h)
{
    static const char *const ch[] = {"x1.rz", "x2.x", "z.z1", "z.z2", "z.z3", "z.z4",
                                     "a1.rz", "a2.x", "z1",   "z2",   "z3",   "z4"};
    double y[12], time[12];
    state s;
    kit k;
    open_model(&k, kind, name);
    for (int i = 0; i < 12; i++) time[i] = t;
    k.o.step = h, k.o.end = fmax(t, h);
    kit_points(&k, 12, ch, time, y);
    kit_near("what the start was moved by", k.info.projection_q + k.info.projection_v, 0, 1e-9);
    kit_close(&k);
    s.x[0] = y[0], s.x[1] = y[1], s.a[0] = y[6], s.a[1] = y[7];
    of_modes(y + 2, s.x + 2), of_modes(y + 8, s.a + 2);
    return s;
}

/* Accelerations at the start. The problem's own pi has eight digits, in the rod's stiffness as its fourth
   power: 6e-8 of the largest terms, 5e3 m/s^2 of the slider, 2 spin B q1' = 34 m/s^2 of the rod (4e-4 rad/s^2
   of the rotation, where all terms are of that size). */
static void test_start(void **unused)
{
    static const double a[2 + Q] = {-1.344541576709835e-3, -5.062194924490193e3, -6.829725665986310e-5,
                                    1.813207639590617e-20, -4.268463266810281,   2.098339029337557e-1};
    static const double size[2 + Q] = {1, 5e3, 34, 34, 34, 34};
    (void)unused;
    for (int kind = 0; kind < 2; kind++) {
        state s = run(kinds[kind], "published", 0, 1e-5);
        for (int i = 0; i < 2 + Q; i++) kit_near(names[i], s.a[i], a[i], 6e-8 * size[i]);
    }
}

/* What steps h and 2 h leave after extrapolation of the free vibration of the modes, at t. The scheme shifts
   its phase by p = w t (w h)^2/12 with h, 4 p with 2 h; terms of second order in them remain, 2 p^2
   amplitudes. Those are at most the accelerations at the start over squared frequencies. */
static double left_over(const sn_reduced_body *b, const state *start, double t, double h)
{
    double sum = 0, d[Q];
    rod r = integrals(HEAVY);
    amplitudes(&r, start->a + 2, d);
    for (int m = 0; m < Q; m++) {
        double w = sqrt(b->w2[m]), p = w * t * w * h * w * h / 12, top = 0;
        for (int i = 0; i < Q; i++) top = fmax(top, fabs(V[Q * i + m]));
        sum += 2 * p * p * fabs(d[m]) / b->w2[m] * top;
    }
    return sum;
}

/* At 0.1 s. The reference keeps the equations of velocities: its rotation and place of the slider miss those
   of the positions a little, which is allowed for. */
static void test_published(void **unused)
{
    (void)unused;
    const double t = 0.1, h = 1e-6, phi = published[0], l = l2 + published[5],
                 missed[2] = {fabs(l1 * sin(omega * t) + l * sin(phi)) / (l * cos(phi)),
                              fabs(published[1] - l1 * cos(omega * t) - l * cos(phi))};
    const state start = run(kinds[0], "published", 0, h), coarse = run(kinds[0], "published", t, 2 * h),
                fine = run(kinds[0], "published", t, h);
    const double left = left_over(&bodies[0].b, &start, t, h);
    for (int i = 0; i < 2 + Q; i++) {
        const double y = richardson(coarse.x[i], fine.x[i], 2), tol = left + (i < 2 ? missed[i] : 0);
        print_message("%s %.11g, published %.11g: off by %.1e, allowed %.1e\n", names[i], y, published[i],
                      y - published[i], tol);
        kit_near(names[i], y, published[i], tol);
    }
}

/* Both formulations are the same equations: to rounding, raised by the growth over the steps. */
static void test_same(void **unused)
{
    (void)unused;
    const state one = run(kinds[0], "published", 0.1, 1e-5), other = run(kinds[1], "published", 0.1, 1e-5);
    for (int i = 0; i < 2 + Q; i++) kit_near(names[i], other.x[i], one.x[i], 1e-11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_start), cmocka_unit_test(test_published),
                                       cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, begin, bodies_end);
}
