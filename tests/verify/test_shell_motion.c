/* shell4_mitc in motion: frequencies of the free plate, a plate that falls about its clamped edge, free
   flight, and derivatives; a narrow strip against beams. Numbers without a source are those of the same
   element by an independent program, to as many digits as it printed. */
#include "verify/shell_kit.h"

static void square(double u, double w, double *x) { x[0] = u, x[1] = w, x[2] = 0; }

/* ---- free square plate: D = rho t = a = 1 ---- */

enum { MODES = 12 };

static sn_status keep(void *ctx, int i, const sn_mode *mode, const sn_frame *at, sn_err *err)
{
    double *omega = ctx;
    (void)at, (void)err;
    if (i < MODES) omega[i] = kit_omega(mode);
    return SN_OK;
}

/* Leissa's thin plate (1973): 13.489 19.789 24.432 35.024 35.024 61.526; the plate of t/a = 1/100 lies 0.5 %
   off with 8 x 8 elements for lack of mesh, 0.1 to 0.5 % with 16 x 16. */
static void test_frequencies(void **state)
{
    (void)state;
    static const double want[2][6] = {{13.558, 19.952, 24.968, 35.572, 35.572, 66.150},
                                      {13.482, 19.682, 24.439, 34.967, 34.967, 62.419}};
    for (int n = 0; n < 2; n++) {
        kit k;
        int found = 0;
        double omega[MODES] = {0};
        sheet s = {.n = 8 << n,
                   .m = 8 << n,
                   .place = square,
                   .shell = "E: 10.92e6, nu: 0.3, rho: 100, thickness: 0.01"};
        sheet_begin(&s);
        char *text = sheet_text(&s, 0);
        kit_text(&k, text);
        sn_mode_options o = sn_mode_options_default(k.m, k.p);
        o.n = MODES, o.mode = keep, o.ctx = omega;
        kit_good(&k, sn_modes(k.m, k.p, &o, &found, &k.err));
        /* the rigid motions are found as zeros to half the digits */
        for (int i = 0; i < 6; i++) kit_near("rigid motion", omega[i], 0, 1e-2);
        for (int i = 0; i < 6; i++) kit_near("frequency", omega[6 + i] / want[n][i], 1, 1e-4);
        kit_close(&k);
        free(text);
        sheet_end(&s);
    }
}

/* ---- a plate clamped along an edge falls ---- */

static const char *const falling =
    "sinew: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "nodes: {a: [0, 0, 0], b: [1, 0, 0], c: [1, 1, 0], d: [0, 1, 0]}\n"
    "elements:\n"
    "  plate: {shell4_mitc: [a, b, c, d], E: 2.1e8, nu: 0.3, rho: 500, "
    "thickness: 0.01, elements: [5, 4]}\n"
    "joints:\n"
    "  h0: {fixed: a}\n"
    "  h1: {fixed: plate.n0_1}\n"
    "  h2: {fixed: plate.n0_2}\n"
    "  h3: {fixed: plate.n0_3}\n"
    "  h4: {fixed: d}\n"
    "sensors: {tip: {position: b}, e: {energy: all}, r: {strain: plate, piece: 1}}\n"
    "run: {end: 0.2, step: 1e-3, scheme: generalized_alpha, rho: 0.8}\n";

/* Newton's iteration leaves 1e-6 of the step's change at most */
static void test_falling(void **state)
{
    (void)state;
    static const char *const channel[] = {"tip.x", "tip.y", "tip.z", "e.kinetic", "e.potential"};
    static const double want[] = {.9637382, -5.68e-6, -.2517272, 2.951186, 2.136862 - 5.088061};
    kit k;
    double y[5];
    kit_text(&k, falling);
    kit_values(&k, 0.2, 5, channel, y);
    for (int i = 0; i < 3; i++) kit_near(channel[i], y[i], want[i], 1e-7 + 1e-7 * fabs(want[i]));
    for (int i = 3; i < 5; i++) kit_near(channel[i], y[i], want[i], 1e-5 * fabs(want[3]));
    kit_close(&k);
}

/* By material, thickness, density, offset, drill, and a corner's place, which moves the mesh. The offset and
   the height are not 0, so that they are compared by their own size (see gradient.h). */
static void test_derivatives(void **state)
{
    (void)state;
    static const char *const wrt[] = {"plate.E",      "plate.nu",    "plate.thickness",    "plate.rho",
                                      "plate.offset", "plate.drill", "plate.shear_factor", "nodes.b.at.x",
                                      "nodes.b.at.z"},
                             *const of[] = {"tip.z@0.0473 + 0.3*tip.x@0.0473", "integral(tip.z)",
                                            "e.potential@0.0412", "r.k11@0.0473"};
    grad *g = grad_text(falling);
    g->o.run.end = 0.05;
    kit_set(&g->k, "plate.offset", 0.002);
    for (const char *n = "abcd"; *n; n++) {
        const char name[] = {'n', 'o', 'd', 'e', 's', '.', *n, '.', 'a', 't', '.', 'z', 0};
        kit_set(&g->k, name, 0.1);
    }
    kit_update(&g->k);
    grad_wrt(g, 9, wrt), grad_of(g, 4, of);
    grad_agree(g, "falling plate");
    grad_close(g);
}

/* ---- free flight ---- */

/* Translation, rotation and a twist about the centre, with the directors that belong to them */
static char *flying(double h)
{
    enum { N = 6 };
    const size_t cap = 65536;
    char *text = malloc(cap);
    assert_non_null(text);
    pen p = {text, text + cap};
    pen_write(&p, "sinew: 1\nnodes:\n");
    for (int j = 0; j <= N; j++)
        for (int i = 0; i <= N; i++) {
            const double x = (double)i / N - 0.5, y = (double)j / N - 0.5;
            pen_write(&p,
                      "  n%d_%d: {at: [%.17g, %.17g, 0], velocity: [%.17g, %.17g, %.17g], spin: [%.17g, "
                      "%.17g, 7]}\n",
                      i, j, x + 0.5, y + 0.5, 0.3 - 7 * y, -0.2 + 7 * x,
                      0.5 + 3 * y - 5 * x + 4 * (x * x - y * y), 3 - 8 * y, 5 - 8 * x);
        }
    pen_write(&p, "elements:\n");
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            pen_write(
                &p,
                "  e%d_%d: {shell4_mitc: [n%d_%d, n%d_%d, n%d_%d, n%d_%d], E: 2.1e7, nu: 0.3, rho: 500, "
                "thickness: 0.01}\n",
                i, j, i, j, i + 1, j, i + 1, j + 1, i, j + 1);
    pen_write(&p,
              "sensors: {c: {position: n6_6}, m: {position: n3_3}, p: {momentum: all}, e: {energy: all}}\n"
              "run: {end: 1, step: %g, scheme: generalized_alpha, rho: 0.8, tolerance: 1e-10}\n",
              h);
    return text;
}

static void test_flight(void **state)
{
    (void)state;
    static const char *const channel[] = {"p.px", "p.py", "p.pz", "p.Lx", "p.Ly", "p.Lz", "e.total",
                                          "c.x",  "c.y",  "c.z",  "m.x",  "m.y",  "m.z"};
    static const double start[] = {1.5, -1, 2.5, 2.500125, .83354167, 4.58333625, 28.8950546};
    static const double end[] = {.252369, .698002, .694154, .792738, .293347, .489634};
    double y[2][13], z[13], loss[2] = {.01223, .00206};
    for (int n = 0; n < 2; n++) {
        kit k;
        char *text = flying(2e-3 / (n + 1));
        kit_text(&k, text);
        const double step = k.o.step;
        k.o.step = 1e-6;
        kit_values(&k, 1e-6, 7, channel, z);
        k.o.step = step;
        for (int i = 0; i < 7; i++) kit_near(channel[i], z[i], start[i], 1e-7 * 5);
        kit_values(&k, 1, 13, channel, y[n]);
        /* 1000 steps leave 1e-10 of the forces each, of some N, that the elements' own sum of 0 does not have
         */
        for (int i = 0; i < 3; i++) kit_near(channel[i], y[n][i], start[i], 1e-9);
        kit_near("energy lost", z[6] - y[n][6], loss[n], 2e-5);
        kit_close(&k);
        free(text);
    }
    /* second order: of the places and of the angular momentum */
    for (int i = 7; i < 13; i++) kit_near(channel[i], richardson(y[0][i], y[1][i], 2), end[i - 7], 1e-3);
    for (int i = 3; i < 6; i++)
        kit_near(channel[i], richardson(y[0][i], y[1][i], 2), start[i], 0.3 * 2.2e-4 * 5);
}

/* ---- a strip of shells is a beam ---- */

static void strip(double u, double w, double *x) { x[0] = 10 * u, x[1] = w, x[2] = 0; }

/* The deflection under an end force that bends it by half its length; both elements are of second order, so
   their extrapolated values differ by the fourth power of the elements' angle, 1e-5 here, and by the shear
   and stretch that beams and shells know in other measures of strain, 1e-5 too. */
static void test_strip(void **state)
{
    (void)state;
    static const char *const tip[] = {"tip.x", "tip.z"};
    double y[2][2], b[2][2];
    for (int n = 0; n < 2; n++) {
        kit k;
        char text[800];
        sheet s = {.n = 16 << n, .m = 1, .place = strip, .shell = "E: 1.2e6, nu: 0, rho: 0, thickness: 0.1"};
        sheet_begin(&s);
        sheet_hold_edge(&s, 0, NULL);
        sheet_push_edge(&s, 1, 0, 0, 2);
        sheet_watch(&s, "tip", 16 << n, 0);
        char *model = sheet_text(&s, 1);
        kit_text(&k, model);
        kit_static(&k, 2, tip, y[n]);
        kit_close(&k);
        free(model);
        sheet_end(&s);
        snprintf(text, sizeof text,
                 "sinew: 1\nnodes: {a: [0, 0, 0], b: [10, 0, 0]}\nelements:\n"
                 "  beam: {beam3d_cr: [a, b], EA: 1.2e5, EI_y: 1e4, EI_z: 100, GJ: 200, rhoA: 1, rhoJ: 1, "
                 "kGA_y: 5e4, elements: %d}\n  push: {force3d: b, force: [0, 0, 2]}\njoints: {wall: {fixed: "
                 "a}}\nsensors: {tip: {displacement: b}}\n",
                 16 << n);
        kit_text(&k, text);
        kit_static(&k, 2, tip, b[n]);
        kit_close(&k);
    }
    for (int i = 0; i < 2; i++)
        kit_near(tip[i], richardson(y[0][i], y[1][i], 2), richardson(b[0][i], b[1][i], 2), 1e-4);
}

/* ---- sensors: a strip of length 10, width 1, t 0.1, E 1.2e6, nu 0 under an end force of 1e-4 ---- */

static char *measured(sheet *s)
{
    *s = (sheet){.n = 16, .m = 1, .place = strip, .shell = "E: 1.2e6, nu: 0, rho: 0, thickness: 0.1"};
    sheet_begin(s);
    sheet_hold_edge(s, 0, NULL);
    sheet_push_edge(s, 1, 0, 0, 1e-4);
    sheet_add(s->sensors, s->cap,
              "  top: {strain_gauge: e0_0}\n"
              "  turned: {strain_gauge: e0_0, side: -1, angle: 30 deg, at: [0.2, -0.3]}\n"
              "  n: {resultant: e0_0}\n  s: {stress: e0_0}\n  e: {strain: e0_0}\n");
    return sheet_text(s, 1);
}

/* M = P (L - x) at the middle of the first shell, where linear bending is exact; the strip turns by 1e-4,
   which changes strains by the square of it: 1e-6 */
static void test_sensors(void **state)
{
    (void)state;
    static const char *const channel[] = {"top.strain", "turned.strain",  "n.M11",        "n.Q1",
                                          "s.s11_top",  "s.mises_bottom", "s.s11_middle", "e.k11"};
    const double M = 1e-4 * (10 - 10.0 / 32), e = M * 0.05 / 100, k = M / 100;
    const double want[] = {-e, 0.75 * e, -M, 1e-4, -1.2e6 * e, 1.2e6 * e, 0, -k};
    double y[8];
    kit k1;
    sheet s;
    char *text = measured(&s);
    kit_text(&k1, text);
    kit_static(&k1, 8, channel, y);
    for (int i = 0; i < 8; i++) kit_near(channel[i], y[i], want[i], 1e-6 * fabs(want[i == 6 ? 4 : i]));
    kit_close(&k1);
    free(text), sheet_end(&s);
}

static void test_sensors_derivatives(void **state)
{
    (void)state;
    static const char *const wrt[] = {"turned.angle",   "turned.side", "turned.at.x",    "P",
                                      "e0_0.thickness", "e0_0.E",      "nodes.n1_0.at.x"},
                             *const of[] = {"turned.strain", "n.M11 + n.N22", "s.mises_top"};
    sheet s;
    char *text = measured(&s);
    grad *g = grad_text(text);
    g->o.statics = 1;
    kit_set(&g->k, "P", 1e3);
    kit_update(&g->k);
    grad_wrt(g, 7, wrt), grad_of(g, 3, of);
    /* the strip is determinate: forces and stresses hardly know its stiffness, and K has condition 1e7 */
    for (int i = 0; i < 3; i++) g->floor[i] = GRAD_FLOOR_2;
    grad_agree(g, "sensors of shells");
    grad_close(g);
    free(text), sheet_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frequencies), cmocka_unit_test(test_falling),
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_flight),
        cmocka_unit_test(test_sensors),     cmocka_unit_test(test_sensors_derivatives),
        cmocka_unit_test(test_strip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
