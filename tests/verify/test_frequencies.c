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
    double omega[MODES];
    int n;
} spectrum;

static sn_status keep(void *ctx, int i, double omega, const double *shape, const sn_frame *at, sn_err *err)
{
    spectrum *s = ctx;
    (void)shape, (void)at, (void)err;
    if (i < MODES) s->omega[i] = omega, s->n = i + 1;
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(supports), cmocka_unit_test(large_model),
                                       cmocka_unit_test(tension), cmocka_unit_test(pendulums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
