/* Spatial force elements against closed forms.

   Second-order schemes: errors of motions fall by 4 when the step is halved, and what is left after
   Richardson extrapolation is of fourth order for Newmark's average acceleration, which has no odd terms;
   estimated in each test by (omega h)^4. */
#include "verify/kit.h"

#include "math/rot3.h"
#include "sinew/class.h"

enum { MODES = 6 };

static sn_status keep(void *ctx, int i, const sn_mode *mode, const sn_frame *at, sn_err *err)
{
    (void)at, (void)err;
    if (i < MODES) ((double *)ctx)[i] = kit_omega(mode);
    return SN_OK;
}

static void frequencies(const char *yaml, int n, double *omega)
{
    kit k;
    int found = 0;
    kit_text(&k, yaml);
    sn_mode_options o = sn_mode_options_default(k.m, k.p);
    o.n = n, o.mode = keep, o.ctx = omega, o.undamped = 1;
    kit_good(&k, sn_modes(k.m, k.p, &o, &found, &k.err));
    assert_int_equal(found, n);
    kit_close(&k);
}

/* n channels at t with steps h, h/2, h/4 by Newmark's scheme: extrapolated to y, with the order of the first
   checked. */
static void converged(const char *yaml, double t, double h, int n, const char *const *channel, double *y)
{
    double x[3][8];
    assert_true(n <= 8);
    for (int i = 0; i < 3; i++) {
        kit k;
        kit_text(&k, yaml);
        k.o.scheme = "newmark", k.o.tolerance = 1e-11, k.o.step = h / (1 << i);
        kit_values(&k, t, n, channel, x[i]);
        kit_close(&k);
    }
    double order = order_of(x[0][0] - x[1][0], x[1][0] - x[2][0]);
    print_message("  %s: order %.3f\n", channel[0], order);
    kit_within("order of convergence", order, 1.9, 2.1);
    for (int i = 0; i < n; i++) y[i] = richardson(x[1][i], x[2][i], 2);
}

/* Along its line the mass is a harmonic oscillator about the free length, omega^2 = k/m. omega h = 0.05. */
static void test_spring3d_line(void **state)
{
    static const char *const out[] = {"p.x", "p.y", "p.z"};
    double y[3], w = 5, t = 1.3, d = 0.2 * cos(w * t);
    (void)state;
    converged("sinew: 1\n"
              "nodes: {b: {point3d: [1, 2, -2], displacement: [0.2/3, 0.4/3, -0.4/3]}}\n"
              "elements: {m: {mass3d: b, mass: 4}, s: {spring3d: [ground, b], k: 100}}\n"
              "sensors: {p: {position: b}}\n"
              "run: {end: 2, step: 10 ms}\n",
              t, 0.01, 3, out, y);
    /* error of order (omega h)^4/100 of 0.2 m */
    kit_near("x", y[0], 1 + d / 3, 1e-8);
    kit_near("y", y[1], 2 + 2 * d / 3, 1e-8);
    kit_near("z", y[2], -2 - 2 * d / 3, 1e-8);
}

/* A body turns about the ball at its node; spring and damper from the ground to a point off the node, which
   stretches them: the point's distance is what a point mass at that place would see. Steady circle of a mass
   on a spring: k (l - l0) = m l W^2. */
static void test_spring3d_circle(void **state)
{
    static const char *const out[] = {"p.y", "p.x", "p.z"};
    /* l = 1.25, l0 = 1, k 100, m 5: W^2 = 100*0.25/(5*1.25) = 4; axis across (3, 0, 4)/5: velocity along y */
    double y[3], W = 2, t = 1.7, a = W * t;
    (void)state;
    converged("sinew: 1\n"
              "nodes: {b: {point3d: [0.75, 0, 1], velocity: [0, 2.5, 0]}}\n"
              "elements: {m: {mass3d: b, mass: 5}, s: {spring3d: [ground, b], k: 100, l0: 1}}\n"
              "sensors: {p: {position: b}}\n"
              "run: {end: 2, step: 10 ms}\n",
              t, 0.01, 3, out, y);
    kit_near("y", y[0], 1.25 * sin(a), 1e-7);
    kit_near("x", y[1], 0.75 * cos(a), 1e-7);
    kit_near("z", y[2], 1 * cos(a), 1e-7);
}

/* Fastened at points off the nodes: two bodies with their springs parallel to the axes through the nodes,
   small motions by the stiffness k p^2 of the lever. */
static void test_spring3d_points(void **state)
{
    double w[3];
    (void)state;
    /* body at the origin on a ball; springs at (0.5, 0, 0) along z and at (0, 0.4, 0) along x; both
     * unstretched
     */
    frequencies("sinew: 1\n"
                "nodes: {b: {frame3d: [0, 0, 0]}}\n"
                "elements:\n"
                "  m: {mass3d: b, mass: 3, inertia: [2, 1, 0.5]}\n"
                "  s1: {spring3d: [ground, b], point1: [0.5, 0, 1], point2: [0.5, 0, 0], k: 400}\n"
                "  s2: {spring3d: [ground, b], point1: [1, 0.4, 0], point2: [0, 0.4, 0], k: 200}\n"
                "  s3: {spring3d: [ground, b], point1: [0, 1, 0.3], point2: [0, 0, 0.3], k: 300}\n"
                "joints: {ball: {spherical: [ground, b]}}\n",
                3, w);
    /* about x: k3 0.3^2/2 = 13.5, about y: 400*0.25/1 = 100, about z: 200*0.16/0.5 = 64 */
    kit_near("about x", w[0], sqrt(13.5), 1e-8);
    kit_near("about z", w[1], 8, 1e-8);
    kit_near("about y", w[2], 10, 1e-8);
}

/* Torsional pendulum on a tilted hinge, J about the axis (1, 2, 2)/3 of inertia (0.9, 0.9, 1.8) is
   (0.9 + 3.6 + 7.2)/9 = 1.3; amplitude of 2 rad, damped: phi = 2 e^(-dt) (cos wt + d/w sin wt). */
static void test_torsion_spring(void **state)
{
    static const char *const out[] = {"moment.M", "r.rx", "r.ry", "r.rz"};
    double y[4], w, J = 1.3, kt = 5.2, ct = 0.52, d = ct / (2 * J), t = 2.1;
    char yaml[1200];
    (void)state;
    snprintf(yaml, sizeof yaml,
             "sinew: 1\n"
             "nodes: {b: {frame3d: [1, -1, 2], rotation: [2/3, 4/3, 4/3]}}\n"
             "elements:\n"
             "  m: {mass3d: b, mass: 3, inertia: [0.9, 0.9, 1.8]}\n"
             "  s: {torsion_spring: [ground, b], axis: [2, 4, 4], kt: %g, ct: %g}\n"
             "joints: {hinge: {revolute: [ground, b], axis: [1, 2, 2]}}\n"
             "sensors: {r: {rotation: b}, moment: {force: s, axes: element}}\n"
             "run: {end: 3, step: 10 ms}\n",
             kt, ct);
    frequencies(yaml, 1, &w);
    kit_near("frequency", w, 2, 1e-9);
    w = sqrt(4 - d * d);
    double e = 2 * exp(-d * t), phi = e * (cos(w * t) + d / w * sin(w * t)), rate = -e * 4 / w * sin(w * t);
    converged(yaml, t, 0.02, 4, out, y);
    /* (omega h)^4 = 2.6e-6 with a small factor (1/80 for average acceleration) of 2 rad */
    kit_near("moment", y[0], kt * phi + ct * rate, 1e-6);
    kit_near("rx", y[1], phi / 3, 3e-7);
    kit_near("ry", y[2], 2 * phi / 3, 3e-7);
    kit_near("rz", y[3], 2 * phi / 3, 3e-7);
}

/* Six small motions, with the bushing's axes tilted, and by the full matrices alone. */
static void test_bushing_frequencies(void **state)
{
    static const char *const law[] = {"k: [100, 200, 400], kt: [8, 32, 72]",
                                      "K66: [100, 0, 0, 0, 0, 0,  0, 200, 0, 0, 0, 0,  0, 0, 400, 0, 0, 0,\n"
                                      "        0, 0, 0, 8, 0, 0,  0, 0, 0, 0, 32, 0,  0, 0, 0, 0, 0, 72]"};
    static const double want[] = {2, 4, 5, 6, 7.0710678118654755, 10};
    (void)state;
    for (int i = 0; i < 4; i++) {
        char yaml[1200];
        double w[6];
        snprintf(yaml, sizeof yaml,
                 "sinew: 1\n"
                 "nodes: {b: {frame3d: [1, 2, 3]}}\n"
                 "elements:\n"
                 "  m: {mass3d: b, mass: 4, inertia: [2, 2, 2]}\n"
                 "  s: {bushing: [ground, b], axis: [1, 2, 2], normal: [3, 1, -1], measure: %s, %s}\n",
                 i & 1 ? "vect" : "log", law[i / 2]);
        frequencies(yaml, 6, w);
        for (int j = 0; j < 6; j++) kit_near("frequency", w[j], want[j], 1e-8);
    }
}

/* Torque T about a tilted axis: th = T/kt exactly for log, kt sin th cos th = T for vect. */
static void test_bushing_torque(void **state)
{
    static const char *const out[] = {"r.rx", "r.ry", "r.rz", "f.mx", "f.my", "f.mz", "l.Mx", "x.rx"};
    (void)state;
    for (int vect = 0; vect < 2; vect++) {
        char yaml[1200];
        double y[8], T = vect ? 4 : 18, kt = 10, th = vect ? 0.5 * asin(2 * T / kt) : T / kt;
        kit k;
        snprintf(yaml, sizeof yaml,
                 "sinew: 1\n"
                 "nodes: {b: {frame3d: [1, 2, 3]}}\n"
                 "elements:\n"
                 "  m: {mass3d: b, mass: 4, inertia: [2, 2, 2]}\n"
                 "  s: {bushing: [ground, b], axis: [1, 2, 2], normal: [3, 1, -1], k: [9, 8, 7],\n"
                 "      kt: [10, 10, 10], measure: %s}\n"
                 "  t: {force3d: b, torque: [%g/3, 2*%g/3, 2*%g/3]}\n"
                 "sensors: {r: {rotation: b}, f: {force: s}, l: {force: s, axes: element}, x: {strain: s}}\n",
                 vect ? "vect" : "log", T, T, T);
        kit_text(&k, yaml);
        k.o.tolerance = 1e-12;
        kit_static(&k, 8, out, y);
        for (int i = 0; i < 3; i++) kit_near("rotation", y[i], th * (i ? 2 : 1) / 3, 1e-9);
        for (int i = 0; i < 3; i++) kit_near("torque", y[3 + i], T * (i ? 2 : 1) / 3, 1e-8);
        kit_near("measure", y[7], vect ? sin(th) : th, 1e-9);
        kit_near("own load", y[6], vect ? kt * sin(th) : T, 1e-8);
        kit_close(&k);
    }
}

/* Two free bodies, joined by a bushing off both nodes, with large rotations and a symmetric full matrix:
   total energy, linear and angular momentum (J is a multiple of 1, so that R J W = J w). */
static void free_pair(const char *measure, double h, double t, double *e)
{
    static const char *const out[] = {"energy.total", "pa.x",  "pa.y",  "pa.z",  "va.x", "va.y", "va.z",
                                      "va.rx",        "va.ry", "va.rz", "pb.x",  "pb.y", "pb.z", "vb.x",
                                      "vb.y",         "vb.z",  "vb.rx", "vb.ry", "vb.rz"};
    double y[2][19];
    char yaml[2000];
    for (int i = 0; i < 2; i++) {
        kit k;
        snprintf(
            yaml, sizeof yaml,
            "sinew: 1\n"
            "nodes:\n"
            "  a: {frame3d: [0, 0, 0], rotation: [0.5, -0.6, 0.3], velocity: [0.3, 0, -0.4], spin: [1, 2, "
            "-1]}\n"
            "  b: {frame3d: [1, 0.5, 0], rotation: [-0.4, 0.3, 0.7], spin: [0, -1, 2]}\n"
            "elements:\n"
            "  ma: {mass3d: a, mass: 2, inertia: [0.6, 0.6, 0.6]}\n"
            "  mb: {mass3d: b, mass: 1, inertia: [0.4, 0.4, 0.4]}\n"
            "  s: {bushing: [a, b], at: [0.6, 0.1, 0.3], axis: [1, 2, 2], normal: [3, 1, -1], measure: %s,\n"
            "      k: [30, 40, 50], kt: [3, 1, 2], K66: [0, 3, 0, 0, 1, 0,  3, 0, 0, 2, 0, 0,  0, 0, 0, 0, "
            "0, 1,\n"
            "      0, 2, 0, 0, 0.4, 0,  1, 0, 0, 0.4, 0, 0,  0, 0, 1, 0, 0, 0]}\n"
            "sensors: {energy: {energy: all}, pa: {position: a}, va: {velocity: a}, pb: {position: b},\n"
            "  vb: {velocity: b}}\n"
            "run: {end: 3, step: 1 ms, scheme: newmark, tolerance: 1e-11}\n",
            measure);
        kit_text(&k, yaml);
        k.o.step = h;
        if (i == 0) k.o.step = 1e-4;
        kit_values(&k, i ? t : 1e-4, 19, out, y[i]);
        kit_close(&k);
    }
    double L[2][3], P[2][3];
    for (int i = 0; i < 2; i++) {
        const double *a = y[i] + 1, *b = y[i] + 10;
        double la[3], lb[3];
        sn_cross3(a, a + 3, la);
        sn_cross3(b, b + 3, lb);
        for (int k = 0; k < 3; k++) {
            P[i][k] = 2 * a[3 + k] + b[3 + k];
            L[i][k] = 2 * la[k] + lb[k] + 0.6 * a[6 + k] + 0.4 * b[6 + k];
        }
    }
    e[0] = y[1][0] - y[0][0];
    e[1] = e[2] = 0;
    for (int k = 0; k < 3; k++) {
        e[1] = fmax(e[1], fabs(P[1][k] - P[0][k]));
        e[2] = fmax(e[2], fabs(L[1][k] - L[0][k]));
    }
    e[3] = y[0][0];
}

static void test_bushing_energy(void **state)
{
    static const char *const measure[] = {"log", "vect"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double e[2][4];
        for (int j = 0; j < 2; j++) free_pair(measure[i], 2e-3 / (1 << j), 3, e[j]);
        print_message("  %s: energy %.4f J, drift %.2e %.2e, momentum %.1e, angular %.1e %.1e\n", measure[i],
                      e[0][3], e[0][0], e[1][0], e[1][1], e[0][2], e[1][2]);
        /* the fastest motion has omega = 10: drift (omega h)^2/12 = 3e-5 of the energy, falling by 4 */
        kit_near("energy", e[1][0], 0, 1e-4 * e[1][3]);
        kit_within("order of the energy", order_of(e[0][0], e[1][0]), 1.8, 2.2);
        kit_near("momentum", e[1][1], 0, 1e-8);
        kit_near("angular momentum", e[1][2], 0, 1e-4);
        kit_within("order of the angular momentum", order_of(e[0][2], e[1][2]), 1.8, 2.2);
    }
}

/* Both bodies in one common rigid motion: no damping force at all, whatever their relative position. */
static void test_bushing_objective(void **state)
{
    const sn_element_class *cls = sn_element_find("bushing");
    const int off[] = {0, 7, 14}, offv[] = {0, 6, 12};
    const unsigned view[] = {SN_FRAME, SN_FRAME};
    (void)state;
    for (int measure = 0; measure < 2; measure++) {
        double s[117] = {0}, X[14] = {0}, q[14], v[12], c[15], r[12] = {0};
        const double g[3] = {0, 0, 0}, W[3] = {1.1, -0.7, 2.3}, V[3] = {0.4, 0.2, -1};
        for (int i = 0; i < 6; i++) s[6 + i] = 1 + i;
        for (int i = 0; i < 36; i++) s[72 + i] = sin(3.0 * i);
        s[108] = 0.7, s[109] = -0.3, s[110] = 0.2, s[111] = 1, s[112] = 0.3, s[115] = 1, s[116] = 0.4;
        X[3] = X[10] = 1, X[7] = 1.5;
        for (int i = 0; i < 2; i++) {
            double R[9], *qi = q + off[i], *vi = v + offv[i];
            const double th[3] = {0.5 - i, 0.8, 0.3 + 0.9 * i};
            for (int k = 0; k < 3; k++) qi[k] = X[off[i] + k] + 0.3 * cos(5 * i + k);
            sn_quat_exp(th, qi + 3);
            sn_quat_matrix(qi + 3, R);
            sn_cross3(W, qi, vi);
            for (int k = 0; k < 3; k++) vi[k] += V[k];
            sn_tmul3(R, W, vi + 3);
        }
        sn_in in = {.s = s,
                    .c = c,
                    .X = X,
                    .q = q,
                    .v = v,
                    .a = v,
                    .g = g,
                    .opt = &measure,
                    .off = off,
                    .offv = offv,
                    .view = view,
                    .nn = 2,
                    .nq = 14,
                    .nv = 12,
                    .ns = 117,
                    .nc = 15};
        assert_int_equal(cls->prepare(&in, c, NULL), SN_OK);
        assert_int_equal(cls->eval(&in, r, NULL, NULL, NULL), SN_OK);
        /* dampings of 1 to 6 and speeds of 2 m/s */
        for (int i = 0; i < 12; i++) kit_near("force", r[i], 0, 1e-13);
    }
}

/* Follower force (3, 1, 0) at (0.2, -0.4, 0.1) with a torque that leaves only the moment about z, a principal
   axis: spin alpha t, the centre by the integral of R(alpha t^2/2) f/m, here by Simpson's rule (error 1e-12).
   alpha t h = 0.06. */
static void test_follower(void **state)
{
    static const char *const out[] = {"v.x", "v.y", "v.z", "v.rz"};
    double y[4], t = 1.5, alpha = (0.2 * 1 + 0.4 * 3) / 0.7, want[2] = {0, 0};
    int n = 2000;
    (void)state;
    for (int i = 0; i <= n; i++) {
        double s = t * i / n, a = 0.5 * alpha * s * s, w = t / n / 3 * (i == 0 || i == n ? 1 : i % 2 ? 4 : 2);
        want[0] += w * (3 * cos(a) - sin(a)) / 2;
        want[1] += w * (3 * sin(a) + cos(a)) / 2;
    }
    converged("sinew: 1\n"
              "nodes: {b: {frame3d: [1, 1, 1]}}\n"
              "elements:\n"
              "  body: {mass3d: b, mass: 2, inertia: [0.4, 0.5, 0.7]}\n"
              "  jet: {force3d: b, force: [3, 1, 0], point: [0.2, -0.4, 0.1], torque: [0.1, -0.3, 0], "
              "follower: yes}\n"
              "sensors: {v: {velocity: b}}\n"
              "run: {end: 2, step: 10 ms}\n",
              t, 0.02, 4, out, y);
    kit_near("vx", y[0], want[0], 1e-6);
    kit_near("vy", y[1], want[1], 1e-6);
    kit_near("vz", y[2], 0, 1e-10);
    kit_near("spin", y[3], alpha * t, 1e-9);
}

/* A dead force pulls at an arm like a weight: omega^2 = f l/J about both axes across. A torque that is
   constant in global axes on a spinning ball: the angular velocity grows by T t/J in global axes. */
static void test_dead(void **state)
{
    static const char *const out[] = {"v.rx", "v.ry", "v.rz"};
    double w[3], y[3];
    (void)state;
    frequencies("sinew: 1\n"
                "nodes: {b: {frame3d: [0, 0, 0]}}\n"
                "elements:\n"
                "  body: {mass3d: b, mass: 2, inertia: [0.2, 0.8, 0.7]}\n"
                "  pull: {force3d: b, force: [0, 0, -10], point: [0, 0, -0.5]}\n"
                "joints: {ball: {spherical: [ground, b]}}\n",
                3, w);
    kit_near("about z", w[0], 0, 1e-4);
    kit_near("about y", w[1], 2.5, 1e-8);
    kit_near("about x", w[2], 5, 1e-8);
    converged("sinew: 1\n"
              "nodes: {b: {frame3d: [0, 0, 0], spin: [3, -1, 2]}}\n"
              "elements:\n"
              "  body: {mass3d: b, mass: 2, inertia: [0.5, 0.5, 0.5]}\n"
              "  twist: {force3d: b, torque: [0.2, 0.6, -0.4]}\n"
              "sensors: {v: {velocity: b}}\n"
              "run: {end: 2, step: 10 ms}\n",
              1, 0.01, 3, out, y);
    kit_near("wx", y[0], 3.4, 1e-6);
    kit_near("wy", y[1], 0.2, 1e-6);
    kit_near("wz", y[2], 1.2, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring3d_line),
        cmocka_unit_test(test_spring3d_circle),
        cmocka_unit_test(test_spring3d_points),
        cmocka_unit_test(test_torsion_spring),
        cmocka_unit_test(test_bushing_frequencies),
        cmocka_unit_test(test_bushing_torque),
        cmocka_unit_test(test_bushing_energy),
        cmocka_unit_test(test_bushing_objective),
        cmocka_unit_test(test_follower),
        cmocka_unit_test(test_dead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
