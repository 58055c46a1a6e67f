/* Natural frequencies of straight Euler-Bernoulli beams, EI = rhoA = L = 1: omega = beta^2 with beta from the
   characteristic equation of the supports (for instance Blevins 1979, table 8-1), of a stretched beam, and of
   pendulums.

   The element's cubic deflections are the exact ones of a loaded beam, its mass the consistent one. Then the
   circular frequencies lie above the exact ones by (beta h)^4/1440 relative, h the element's length (twice
   that in the square), with a next term smaller by (beta h)^2/5 at most: the tests ask for that error, not
   only for less of it. */
#include "verify/kit.h"

enum { MODES = 12 };

typedef struct spectrum {
    double omega[MODES], error[MODES];
    int n;
} spectrum;

static sn_status keep(void *ctx, int i, const sn_mode *mode, const sn_frame *at, sn_err *err)
{
    spectrum *s = ctx;
    (void)at, (void)err;
    if (i < MODES) s->omega[i] = kit_omega(mode), s->error[i] = mode->error, s->n = i + 1;
    return SN_OK;
}

static void modes_of(kit *k, int n, int at_static, const char *method, spectrum *s)
{
    int found = 0;
    sn_mode_options o = sn_mode_options_default(k->m, k->p);
    *s = (spectrum){.n = 0};
    o.n = n, o.at_static = at_static, o.method = method, o.mode = keep, o.ctx = s;
    o.run.tolerance = 1e-12;
    kit_good(k, sn_modes(k->m, k->p, &o, &found, &k->err));
    assert_int_equal(found, n);
}

/* A beam of n elements with these joints and other elements */
static void open_beam(kit *k, int n, double EA, const char *joints, const char *elements)
{
    char text[1000];
    snprintf(text, sizeof text,
             "sinew: 1\n"
             "nodes: {a: [0, 0], b: [1, 0]}\n"
             "elements:\n"
             "  beam: {beam2d_cr: [a, b], EA: %g, EI: 1, rhoA: 1, elements: %d}\n%s%s",
             EA, n, elements, joints);
    kit_text(k, text);
}

/* Root of cos(b) cosh(b) = sign near b, by Newton on cos(b) - sign/cosh(b), which does not overflow */
static double beta_near(double b, double sign)
{
    for (int i = 0; i < 50; i++) b -= (cos(b) - sign / cosh(b)) / (-sin(b) + sign * tanh(b) / cosh(b));
    return b;
}

static double clamped_free(int i, double pi) { return beta_near((i + 0.5) * pi + (i ? 0 : 0.3), -1); }
static double free_free(int i, double pi) { return beta_near((i + 1.5) * pi, 1); }
static double supported(int i, double pi) { return (i + 1) * pi; }

/* omega against beta^2 (1 + (beta h)^4/1440 (1 +- (beta h)^2/5)). The stiffest vibrations of the mesh have
   omega^2 = 1e9; double precision leaves some 1e-16 of that as an error of each omega^2. */
static void check(const char *what, const spectrum *s, int skip, int count, int n,
                  double (*beta)(int, double))
{
    for (int i = 0; i < count; i++) {
        double b = beta(i, acos(-1)), x = b / n, exact = b * b, theory = pow(x, 4) / 1440;
        double error = s->omega[skip + i] / exact - 1, rounding = 1e-6 / (exact * exact);
        print_message("%s %d: %.8f, error %.3e, theory %.3e\n", what, i + 1, s->omega[skip + i], error,
                      theory);
        kit_near("relative error of omega", error, theory, theory * (x * x / 5) + rounding);
    }
}

enum { MESH = 20, BENDING = 5 };
static const double EA = 1e5; /* axial vibrations start above the fifth bending one, at 497 1/s */

static void supports(void **state)
{
    (void)state;
    static const char *const method[] = {"dense", "arpack"};
    spectrum s[3][2];
    for (int j = 0; j < 2; j++) {
        kit k;
        open_beam(&k, MESH, EA, "joints: {clamp: {fixed: a}}\n", "");
        modes_of(&k, BENDING, 0, method[j], &s[0][j]);
        kit_close(&k);
        open_beam(&k, MESH, EA, "", "");
        modes_of(&k, 3 + BENDING, 0, method[j], &s[1][j]);
        kit_close(&k);
        open_beam(&k, MESH, EA, "joints: {pin: {fixed: a, only: [x, y]}, roller: {fixed: b, only: [y]}}\n",
                  "");
        modes_of(&k, BENDING, 0, method[j], &s[2][j]);
        kit_close(&k);
        check("clamped-free", &s[0][j], 0, BENDING, MESH, clamped_free);
        check("free-free", &s[1][j], 3, BENDING, MESH, free_free);
        check("supported", &s[2][j], 0, BENDING, MESH, supported);
        /* three motions of the rigid beam: omega^2 = 0 up to rounding 1e-6 as above */
        for (int i = 0; i < 3; i++) kit_near("rigid motion", s[1][j].omega[i], 0, 1e-3);
    }
    /* both methods solve the same matrices */
    for (int b = 0; b < 3; b++)
        for (int i = b == 1 ? 3 : 0; i < s[b][0].n; i++) {
            double w = s[b][0].omega[i];
            kit_near("dense and ARPACK", s[b][1].omega[i], w, 1e-6 / w);
        }
}

/* Above 600 coordinates ARPACK is chosen by itself. The mesh's error is below 1e-9 here, but the stiffest
   vibration of an element has omega^2 = 8400 n^4 = 3e13, of which rounding takes 1e-16: 3e-3 at worst in each
   omega^2. */
static void large_model(void **state)
{
    (void)state;
    spectrum s;
    kit k;
    open_beam(&k, 250, EA, "joints: {clamp: {fixed: a}}\n", "");
    modes_of(&k, BENDING, 0, "auto", &s);
    for (int i = 0; i < BENDING; i++) {
        double w = pow(clamped_free(i, acos(-1)), 2);
        print_message("large %d: relative error %.2e\n", i + 1, s.omega[i] / w - 1);
        kit_near("omega", s.omega[i], w, 3e-3 / (2 * w) + 1e-9 * w);
    }
    kit_close(&k);
}

/* A supported beam under tension N, linearised at its static equilibrium: omega_i = (i pi)^2 sqrt(1 + N/(i
   pi)^2). The chord carries N, so the mesh's error is of order h^2: (beta h)^2/12 of the stiffness due to N
   at most, that of straight pieces of a string. Extrapolated over 20 and 40 elements the h^4 terms remain,
   (beta h)^4/1440 of the beam and as much of the string; the stretch N/EA = 1e-7 changes omega by the same
   fraction. */
static void tension(void **state)
{
    (void)state;
    const double pi = acos(-1), N = 10;
    spectrum s[3];
    for (int j = 0; j < 3; j++) {
        kit k;
        open_beam(&k, MESH << j, 1e8,
                  "joints: {pin: {fixed: a, only: [x, y]}, roller: {fixed: b, only: [y]}}\n",
                  "  pull: {force2d: b, force: [10, 0]}\n");
        modes_of(&k, 3, 1, "dense", &s[j]);
        kit_close(&k);
    }
    for (int i = 0; i < 3; i++) {
        double b = (i + 1) * pi, exact = b * b * sqrt(1 + N / (b * b)), part = N / (N + b * b), x = b / MESH;
        double limit = richardson(s[0].omega[i], s[1].omega[i], 2);
        print_message("tension %d: errors %.3e %.3e %.3e, limit %.3e\n", i + 1, s[0].omega[i] / exact - 1,
                      s[1].omega[i] / exact - 1, s[2].omega[i] / exact - 1, limit / exact - 1);
        kit_near("omega under tension", s[0].omega[i] / exact, 1,
                 part * x * x / 24 + pow(x, 4) / 1440 + 1e-6);
        kit_near("its limit", limit / exact, 1, pow(x, 4) / 720 + 2e-6);
    }
}

/* Small swings about the equilibrium: a point mass, sqrt(g/L), and a rigid body whose node is not its centre,
   sqrt(m g c/(I + m c^2)), c from pin to centre. Once they hang at the start, once the equilibrium is sought
   from a start to the side of it. The stiffness comes from the force in the joint alone. Rounding: 1e-10. */
static void pendulums(void **state)
{
    (void)state;
    static const char *const point[] = {"[0, -1.3]", "[0.5, -1.2]"}, *const body[] = {"[-0.1, -0.5]",
                                                                                      "[0.06, -0.48]"};
    static const char *const centre[] = {"[0.1, -0.3]", "[0.18, -0.22]"};
    const double L = 1.3, c[] = {0.8, hypot(0.24, 0.7)}, g = 9.81, m = 3, I = 0.7;
    for (int at_static = 0; at_static < 2; at_static++) {
        char text[500];
        spectrum s;
        kit k;
        snprintf(text, sizeof text,
                 "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "nodes: {b: %s}\n"
                 "elements: {mass: {mass2d: b, mass: 3}}\n"
                 "joints: {rod: {distance: [ground, b]}}\n",
                 point[at_static]);
        kit_text(&k, text);
        modes_of(&k, 1, at_static, "dense", &s);
        kit_near("point mass", s.omega[0], sqrt(g / L), 1e-10);
        kit_close(&k);
        snprintf(text, sizeof text,
                 "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "nodes: {b: %s}\n"
                 "elements: {body: {mass2d: b, mass: 3, inertia: 0.7, com: %s}}\n"
                 "joints: {pin: {revolute2d: [ground, b], at: [0, 0]}}\n",
                 body[at_static], centre[at_static]);
        kit_text(&k, text);
        modes_of(&k, 1, at_static, "dense", &s);
        double arm = c[at_static];
        kit_near("rigid body", s.omega[0], sqrt(m * g * arm / (I + m * arm * arm)), 1e-10);
        kit_close(&k);
    }
}

/* Fine meshes: the lowest omega^2 is 1e-9 to 1e-20 of the highest. Besides the mesh's error there is that of
   rounding, which the analysis bounds itself: eps n^2 by theory (see src/analysis/modes_refine.c). The bound
   must hold and be worth something: 1e-6 of omega. */
static void fine_meshes(void **state)
{
    (void)state;
    static const int mesh[] = {10, 100, 1500, 5000};
    for (int j = 0; j < 4; j++) {
        spectrum s;
        kit k;
        open_beam(&k, mesh[j], EA, "joints: {clamp: {fixed: a}}\n", "");
        modes_of(&k, 3, 0, "auto", &s);
        for (int i = 0; i < 3; i++) {
            double b = clamped_free(i, acos(-1)), x = b / mesh[j], w = b * b * (1 + pow(x, 4) / 1440);
            print_message("%d elements, mode %d: off by %.1e, bound %.1e\n", mesh[j], i + 1,
                          s.omega[i] / w - 1, s.error[i] / w);
            kit_near("omega", s.omega[i], w, w * pow(x, 6) / 7200 + s.error[i]);
            assert_true(s.error[i] < 1e-6 * w);
        }
        kit_close(&k);
    }
}

/* Bodies that nothing holds: their rigid motions have omega = 0, exactly, and no others. The spatial beam
   lies across all axes. */
static void free_bodies(void **state)
{
    (void)state;
    for (int j = 0; j < 2; j++) {
        spectrum s;
        kit k;
        open_beam(&k, j ? 1500 : 100, EA, "", "");
        modes_of(&k, 6, 0, "auto", &s);
        for (int i = 0; i < 6; i++) {
            double b = i < 3 ? 0 : free_free(i - 3, acos(-1)),
                   w = b * b * (1 + pow(b / (j ? 1500 : 100), 4) / 1440);
            kit_near("omega", s.omega[i], w, i < 3 ? 0 : 1e-9 * w + s.error[i]);
            if (i >= 3) assert_true(s.error[i] < 1e-6 * w);
        }
        kit_close(&k);
    }
    spectrum s;
    kit k;
    kit_text(
        &k,
        "sinew: 1\n"
        "nodes: {a: [0, 0, 0], b: [2, 3, 6]}\n"
        "elements: {beam: {beam3d_cr: [a, b], EA: 1e9, GJ: 1e6, EI_y: 1e6, EI_z: 2e6, rhoA: 1, rhoJ: 1e-6, "
        "elements: 60}}\n");
    modes_of(&k, 8, 0, "auto", &s);
    for (int i = 0; i < 6; i++) assert_true(s.omega[i] == 0);
    for (int i = 6; i < 8; i++) {
        double w = pow(free_free(0, acos(-1)) / 7, 2) * sqrt(1e6 * (i - 5));
        /* mesh: (4.73/60)^4/1440 = 3e-8; the sections' own inertia, 1e-6 of rhoA, changes 1e-6 (4.73/7)^2 at
         * most */
        kit_near("bending in space", s.omega[i], w, 1e-6 * w);
    }
    kit_close(&k);
}

static void open_members(kit *k, double ratio, int beside)
{
    char text[900];
    snprintf(text, sizeof text,
             "sinew: 1\n"
             "nodes: {a: [0, 0], b: [1, 0], %s]}\n"
             "elements:\n"
             "  stiff: {beam2d_cr: [a, b], EA: %g, EI: %g, rhoA: 1, elements: 50}\n"
             "  soft: {beam2d_cr: [%s, d], EA: 1e5, EI: 1, rhoA: 1, elements: 50}\n"
             "joints: {clamp: {fixed: a}%s}\n",
             beside ? "c: [0, 1], d: [0.6, 1.8" : "d: [1.6, 0.8", 1e5 * ratio, ratio, beside ? "c" : "b",
             beside ? ", other: {fixed: c}" : "");
    kit_text(k, text);
}

/* Two members of very different stiffness. Side by side each has its own closed form. One behind the other
   the soft one is clamped to what yields by 1/ratio: its omega tends to the clamped one's with a difference
   in proportion to that, c/ratio, with c from ratio 1e4 and the next term below c^2/ratio. */
static void members(void **state)
{
    (void)state;
    static const double ratio[] = {1e4, 1e6, 1e10};
    static const char *const method[] = {"arpack", "dense"};
    double c = 0;
    for (int j = 0; j < 6; j++) {
        spectrum s;
        kit k;
        double r = ratio[j / 2];
        open_members(&k, r, 1);
        modes_of(&k, 3, 0, method[j % 2], &s);
        for (int i = 0; i < 3; i++) {
            double b = clamped_free(i, acos(-1)), x = b / 50, w = b * b * (1 + pow(x, 4) / 1440);
            kit_near("omega beside a stiff member", s.omega[i], w, w * pow(x, 6) / 7200 + s.error[i]);
            assert_true(s.error[i] < 1e-8 * w);
        }
        kit_close(&k);
        open_members(&k, r, 0);
        modes_of(&k, 1, 0, method[j % 2], &s);
        double b = clamped_free(0, acos(-1)), less = 1 - s.omega[0] / (b * b * (1 + pow(b / 50, 4) / 1440));
        print_message("ratio %.0e, %s: omega lower by %.3e\n", r, method[j % 2], less);
        if (j < 2) c = less * r;
        kit_near("of its limit", less, c / r, c * c / r / ratio[0] + 1e-10);
        kit_close(&k);
    }
}

/* Derivatives at the low end: frequencies are in proportion to sqrt(EI/rhoA)/L^2. The quadratic form is
   known to rounding eps n^2 (as above) over the 3e-3 of its differences. */
static void derivatives_of_fine_meshes(void **state)
{
    (void)state;
    static const int mesh[] = {100, 1500};
    static const char *const wrt[] = {"beam.EI", "beam.rhoA", "b.at.x"};
    static const double power[] = {0.5, -0.5, -2};
    for (int j = 0; j < 2; j++) {
        kit k;
        double f[2], d[6], g[2], differences[6], error[6];
        open_beam(&k, mesh[j], EA, "joints: {clamp: {fixed: a}}\n", "");
        sn_mode_options o = sn_mode_options_default(k.m, k.p);
        o.n = 2;
        kit_good(
            &k, sn_frequency_gradient(k.m, k.p, &o, wrt, 3, &(sn_gradient_result){f, d, NULL, NULL}, &k.err));
        for (int i = 0; i < 6; i++) {
            double exact = power[i % 3] * f[i / 3], rounding = 2.2e-16 * mesh[j] * mesh[j] / 3e-3;
            print_message("%d elements: off by %.1e\n", mesh[j], d[i] / exact - 1);
            kit_near("derivative", d[i] / exact, 1, 1e-8 + 20 * rounding);
        }
        const sn_gradient_result to = {g, differences, error, NULL};
        if (!j) kit_good(&k, sn_frequency_differences(k.m, k.p, &o, wrt, 3, &to, &k.err));
        for (int i = 0; i < 6 && !j; i++) {
            kit_near("by differences", differences[i], d[i], 10 * error[i] + 1e-8 * fabs(d[i]));
            assert_true(error[i] < 1e-5 * fabs(d[i]));
        }
        kit_close(&k);
    }
}

/* Five equal masses hanging on each other by rods of length l: omega^2 l/g are the zeros of the Laguerre
   polynomial L5 (Abramowitz and Stegun, table 25.9). Beside them stands a beam 1e12 times as stiff. */
static void chain(void **state)
{
    (void)state;
    static const double zero[] = {0.263560319718, 1.413403059107, 3.596425771041, 7.085810005859,
                                  12.640800844276};
    static const char *const method[] = {"arpack", "dense"};
    char text[2000] =
        "sinew: 1\n"
        "gravity: [0, -10]\n"
        "nodes: {a: [3, 0], b: [4, 0], n1: [0, -0.5], n2: [0, -1], n3: [0, -1.5], n4: [0, -2], n5: [0, "
        "-2.5]}\n"
        "elements:\n"
        "  stiff: {beam2d_cr: [a, b], EA: 1e13, EI: 1e12, rhoA: 1, elements: 30}\n";
    for (int i = 1; i <= 5; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "  m%d: {mass2d: n%d, mass: 7}\n", i, i);
    strcat(text, "joints:\n  clamp: {fixed: a}\n  r1: {distance: [ground, n1]}\n");
    for (int i = 2; i <= 5; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "  r%d: {distance: [n%d, n%d]}\n", i, i - 1,
                 i);
    for (int j = 0; j < 2; j++) {
        spectrum s;
        kit k;
        kit_text(&k, text);
        modes_of(&k, 5, 1, method[j], &s);
        for (int i = 0; i < 5; i++) {
            double w = sqrt(zero[i] * 10 / 0.5);
            kit_near("hanging chain", s.omega[i], w, 1e-10 * w); /* digits of the table */
            assert_true(s.error[i] < 1e-6 * w);
        }
        kit_close(&k);
    }
}

/* What the lowest vibrations are: a column beyond its buckling load is unstable at a rate much higher than
   the frequencies of a soft beam beside it, and must come first; a follower load makes the stiffness
   unsymmetric, and its column (Beck's) flutters at 20.05 EI/l^2 without ever being unstable below. */
static void unstable(void **state)
{
    (void)state;
    static const char *const method[] = {"auto", "arpack", "dense"};
    char text[500];
    spectrum s[3];
    kit k;
    for (int j = 0; j < 3; j++) {
        kit_text(&k, "sinew: 1\n"
                     "nodes: {a: [0, 0], b: [1, 0], c: [0, 5], d: [1, 5]}\n"
                     "elements:\n"
                     "  soft: {beam2d_cr: [a, b], EA: 1e5, EI: 1, rhoA: 1, elements: 30}\n"
                     "  strong: {beam2d_cr: [c, d], EA: 1e9, EI: 1e6, rhoA: 1, elements: 30}\n"
                     "  push: {force2d: d, force: [-3e6, 0]}\n"
                     "joints: {clamp: {fixed: a}, clamp2: {fixed: c}}\n");
        modes_of(&k, 2, 1, method[j], &s[j]);
        kit_close(&k);
        assert_true(s[j].omega[0] < -1000);
        /* one and the same problem, to the bounds of its rounding */
        kit_near("unstable", s[j].omega[0], s[0].omega[0], s[j].error[0] + s[0].error[0]);
        kit_near("beside", s[j].omega[1], s[0].omega[1], s[j].error[1] + s[0].error[1]);
    }
    for (int j = 0; j < 3; j++) {
        snprintf(text, sizeof text,
                 "sinew: 1\n"
                 "nodes: {a: [0, 0], b: [1, 0]}\n"
                 "elements:\n"
                 "  beam: {beam2d_cr: [a, b], EA: 1e7, EI: 1, rhoA: 1, elements: 40}\n"
                 "  push: {force2d: b, force: [%s, 0], follower: yes}\n"
                 "joints: {clamp: {fixed: a}}\n",
                 j == 0   ? "-19.9"
                 : j == 1 ? "-20.2"
                          : "-10");
        kit_text(&k, text);
        modes_of(&k, 3, 1, "auto", &s[j]);
        kit_close(&k);
    }
    /* just below the two lowest are about to meet (at 11.0), just above they have met: one root grows, its
       partner decays, and the third remains */
    assert_true(s[0].omega[0] > 9 && s[0].omega[1] < 13 && s[0].omega[2] > 50);
    assert_true(s[1].omega[0] < 0 || s[1].omega[1] < 0);
    assert_true(s[1].omega[2] > 50);
    assert_true(s[2].omega[0] > 3.6 && s[2].omega[0] < 9);
}

/* The status and its first report. */
static sn_status try_modes(kit *k, double at_time, sn_status expected, const char *says)
{
    int found = 0;
    char report[1200] = "";
    sn_mode_options o = sn_mode_options_default(k->m, k->p);
    o.n = 1, o.at_time = at_time, o.undamped = 1;
    sn_err_clear(&k->err);
    sn_status status = sn_modes(k->m, k->p, &o, &found, &k->err);
    if (k->err.count) sn_report_format(&k->err.report[0], report, sizeof report);
    assert_int_equal(status, expected);
    if (says && !strstr(report, says)) fail_msg("'%s' does not say '%s'", report, says);
    return status;
}

/* A state that moves has no undamped natural frequencies: refused, with the derivatives of frequencies;
   so is rolling. A model that flies as a whole without turning is at rest for its vibrations. */
static void at_rest_only(void **state)
{
    (void)state;
    kit k;
    double f, df;
    static const char *const wrt[] = {"k"};
    kit_text(&k, "sinew: 1\n"
                 "parameters: {k: 50, speed: 1}\n"
                 "nodes: {b: {at: [2, 0], velocity: [0, speed]}}\n"
                 "elements: {m: {mass2d: b, mass: 3}, s: {spring2d: [ground, b], k: k, l0: 1.5}}\n"
                 "run: {end: 1 s, step: 1 ms}\n");
    try_modes(&k, -1, SN_ERR_INPUT, "moves (b.y at 1 a second)");
    sn_mode_options o = sn_mode_options_default(k.m, k.p);
    o.n = 1;
    sn_err_clear(&k.err);
    assert_int_equal(
        sn_frequency_gradient(k.m, k.p, &o, wrt, 1, &(sn_gradient_result){&f, &df, NULL, NULL}, &k.err),
        SN_ERR_INPUT);
    kit_set(&k, "speed", 0);
    kit_update(&k);
    try_modes(&k, -1, SN_OK, NULL);
    try_modes(&k, 0.1, SN_ERR_INPUT, "at t = 0.1 s moves");
    kit_close(&k);
    kit_text(&k, "sinew: 1\n"
                 "nodes: {b: {at: [2, 0], velocity: [3, 1]}, c: {at: [3, 0], velocity: [3, 1]}}\n"
                 "elements:\n"
                 "  m: {mass2d: b, mass: 3}\n"
                 "  n: {mass2d: c, mass: 2}\n"
                 "  s: {spring2d: [b, c], k: 50}\n");
    try_modes(&k, -1, SN_OK, NULL);
    kit_close(&k);
    kit_text(&k, "sinew: 1\n"
                 "nodes: {b: {frame2d: [0, 0.5]}}\n"
                 "elements: {m: {mass2d: b, mass: 3, inertia: 1}, s: {spring2d: [ground, b], k: 50}}\n"
                 "joints: {wheel: {rolling2d: b, radius: 0.5}}\n");
    try_modes(&k, -1, SN_ERR_INPUT, "between velocities (rolling)");
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(supports),
                                       cmocka_unit_test(large_model),
                                       cmocka_unit_test(tension),
                                       cmocka_unit_test(pendulums),
                                       cmocka_unit_test(fine_meshes),
                                       cmocka_unit_test(free_bodies),
                                       cmocka_unit_test(members),
                                       cmocka_unit_test(chain),
                                       cmocka_unit_test(derivatives_of_fine_meshes),
                                       cmocka_unit_test(unstable),
                                       cmocka_unit_test(at_rest_only)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
