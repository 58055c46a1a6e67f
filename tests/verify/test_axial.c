/* The buckling load that a reduction finds, and the warning that follows from it. */
#include "reduce_kit.h"

static const double pi = 3.14159265358979323846;

/* p_i/(c axial_i), of the mode that stretches the line most; 0: not known */
static double buckling_load(const sn_reduced_body *b)
{
    double e[3], length = 0, c = 0, most = 0, P = 0;
    if (!b->axial) return 0;
    for (int k = 0; k < 3; k++) e[k] = b->X[3 + k] - b->X[k], length += e[k] * e[k];
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < b->nd; i++) {
            double p = 0;
            for (int k = 0; k < 3; k++)
                p += (b->phi[(3 + k) * b->nd + i] - b->phi[k * b->nd + i]) * e[k] / sqrt(length);
            if (!pass) c += p * p / b->w2[i];
            if (pass && fabs(p) > most) most = fabs(p), P = p / (c * b->axial[i]);
        }
    return P;
}

static double of_text(const char *text, sn_fe_options o)
{
    static const char *const ends[] = {"a", "b", NULL};
    reduced_case k;
    sn_err err;
    sn_err_clear(&err);
    if (reduce_text(text, ends, o, 0, &k, &err)) fail_msg("%s", err.report[0].text);
    double P = buckling_load(k.b);
    reduce_close(&k);
    return P;
}

static double of_rod(const char *a, const char *b, int n, sn_fe_options o)
{
    char text[600];
    snprintf(text, sizeof text,
             "sinew: 1\nnodes:\n  a: {frame3d: %s}\n  b: {frame3d: %s}\nelements:\n"
             "  rod: {beam3d_cr: [a, b], elements: %d, EA: 4e6, EI_y: 3, EI_z: 4, GJ: 2, rhoA: 0.7, "
             "rhoI_y: 1e-3, rhoI_z: 1e-3, orientation: [1, 1, 0.5]}\n",
             a, b, n);
    return of_text(text, o);
}

/* A rod with a hinge at each end. Beams resist a push by the slopes of their chords, in place of those of the
   line: a sine has sinc^2(pi/2n) of the work then, a parabola 1 - 1/n^2. Without modes the ends' static
   shapes have only that parabola, and 12 EI/L^2 to the error of the differences, 1e-8. With four symmetric
   modes in each plane 1e-6 is missing of the sine (with two 5e-6); that the rod is shorter when it buckles
   adds 2 P/EA. */
static void test_euler(void **state)
{
    const double EI = 3, EA = 4e6, L = 2, P = pi * pi * EI / (L * L), work = pow(sin(pi / 64) * 64 / pi, 2);
    (void)state;
    for (int n = 8; n <= 32; n *= 2)
        kit_near("load of a parabola", of_rod("[0, 0, 0]", "[2, 0, 0]", n, (sn_fe_options){.modes = 0}),
                 12 * EI / (L * L) / (1 - 1.0 / (n * n)), 2e-8 * P);
    kit_near("Euler's load", of_rod("[0, 0, 0]", "[2, 0, 0]", 32, (sn_fe_options){.modes = 16}),
             P / work * (1 + 2 * P / EA), 2e-6 * P);
}

/* Two halves, one three times as stiff: a sine in each, k cot k + k' cot k' = 0 where they meet. What slopes
   of chords miss goes with the square of the length of the beams, and is extrapolated; terms of fourth order
   leave (k h)^4/100, 2e-6, and modes 1e-6 as above. */
static void test_stepped(void **state)
{
    double low = 3 * pi * pi / 4, high = 9 * pi * pi / 4, P[2];
    (void)state;
    while (high - low > 1e-12 * high) {
        const double mid = (low + high) / 2, k = sqrt(mid / 3), l = sqrt(mid / 9);
        if (k / tan(k) + l / tan(l) > 0)
            low = mid;
        else
            high = mid;
    }
    for (int i = 0; i < 2; i++) {
        static const char numbers[] = "GJ: 2, EA: 4e8, rhoA: 0.7, rhoI_y: 1e-3, rhoI_z: 1e-3";
        char text[900];
        snprintf(
            text, sizeof text,
            "sinew: 1\nnodes:\n  a: {frame3d: [0, 0, 0]}\n  c: {frame3d: [1, 0, 0]}\n"
            "  b: {frame3d: [2, 0, 0]}\nelements:\n"
            "  soft: {beam3d_cr: [a, c], elements: %d, EI_y: 3, EI_z: 4, %s, orientation: [0, 0, 1]}\n"
            "  stiff: {beam3d_cr: [c, b], elements: %d, EI_y: 9, EI_z: 12, %s, orientation: [0, 0, 1]}\n",
            8 << i, numbers, 8 << i, numbers);
        P[i] = of_text(text, (sn_fe_options){.modes = 24});
    }
    kit_near("load of a stepped rod", richardson(P[0], P[1], 2), low, 3e-6 * low);
}

/* Wherever it lies; unknown where no mode stretches the line, which free ones of a thin rod do not. */
static void test_anywhere(void **state)
{
    const sn_fe_options o = {.modes = 8};
    const double P = of_rod("[0, 0, 0]", "[2, 0, 0]", 8, o);
    (void)state;
    kit_near("load along z", of_rod("[1, 2, 3]", "[1, 2, 5]", 8, o), P, 1e-7 * P);
    kit_near("load of a tilted rod", of_rod("[1, 2, 3]", "[2.2, 1.04, 4.28]", 8, o), P, 1e-7 * P);
    kit_near("load by free modes",
             of_rod("[0, 0, 0]", "[2, 0, 0]", 8, (sn_fe_options){.modes = 8, .free = 1}), 0, 0);
}

/* Joints of a body add stiffness under load that is not known here: nothing is said. */
static void test_joints(void **state)
{
    static const char text[] =
        "sinew: 1\nnodes:\n  a: {frame3d: [0, 0, 0]}\n  c: {frame3d: [1, 0, 0]}\n  b: {frame3d: [2, 0, 0]}\n"
        "elements:\n  rod: {beam3d_cr: [a, c], elements: 4, EA: 4e6, EI_y: 3, EI_z: 4, GJ: 2, rhoA: 0.7, "
        "rhoI_y: 1e-3, rhoI_z: 1e-3, orientation: [0, 0, 1]}\n  end: {mass3d: b, mass: 1, inertia: [1, 1, "
        "1]}\n"
        "joints: {weld: {rigid_link: [c, b]}}\n";
    (void)state;
    kit_near("load of a body with joints", of_text(text, (sn_fe_options){.modes = 4}), 0, 0);
}

/* ---- the warning ---- */

static char told[600];
static void take_message(void *ctx, const char *text)
{
    (void)ctx;
    snprintf(told, sizeof told, "%s", text);
}

/* The rod of the slider-crank between hinges, pushed by F; through a file or reduced in place. */
static void push(const char *kind, const char *body, double F)
{
    char text[1600];
    kit k;
    snprintf(text, sizeof text,
             "sinew: 1\nnodes:\n  A: {frame3d: [0, 0, 0]}\n  B: {frame3d: [0.3, 0, 0]}\nelements:\n"
             "  rod: {%s: [A, B], %s, stiffness: 1.1}\n  push: {force3d: B, force: [%.17g, 0, 0]}\n"
             "joints:\n  left: {fixed: A, only: [x, y, z, rx]}\n  right: {fixed: B, only: [y, z]}\n"
             "run: {end: 1e-4, step: 1e-5, start: static}\n",
             kind, body, -1.1 * F);
    kit_text(&k, text);
    k.o.message = take_message, told[0] = 0;
    kit_run(&k);
    kit_close(&k);
}

/* Pcr of twelve beams as above; six modes leave 1e-4 of it at most, and a fifth of a percent is asked for. */
static void test_warning(void **state)
{
    const double a = 0.006, EI = 2e11 * a * a * a * a / 12, EA = 2e11 * a * a, PE = pi * pi * EI / 0.09,
                 P = PE / pow(sin(pi / 24) * 24 / pi, 2) * (1 + 2 * PE / EA);
    static const char model[] = SN_SOURCE_DIR "/examples/slider-crank/rod-beams.yaml";
    char path[] = "/tmp/sinew-axial-XXXXXX", in_place[600], file[100];
    sn_reduce_options o = sn_reduce_options_default();
    kit k = {.m = NULL};
    (void)state;
    sn_err_clear(&k.err);
    o.model = model, o.interfaces = "left, right", o.modes = 6;
    assert_non_null(mkdtemp(path));
    snprintf(file, sizeof file, "%s/rod.h5", path);
    kit_good(&k, sn_reduce(&o, file, &k.err));
    snprintf(in_place, sizeof in_place, "reduce: {model: %s, interfaces: [left, right], modes: 6}", model);
    for (int i = 0; i < 4; i++) {
        const char *kind = i % 2 ? "body_fncf" : "body_ffr";
        char body[700];
        if (i < 2)
            snprintf(body, sizeof body, "file: %s", file);
        else
            snprintf(body, sizeof body, "%s", in_place);
        push(kind, body, 0.0998 * P), assert_string_equal(told, "");
        push(kind, body, 0.1002 * P);
        if (!strstr(told, "'rod': its axial load is, of its buckling load, 0.1 at t = 0, more than 0.1"))
            fail_msg("'%s'", told);
        push(kind, body, -0.0998 * P), assert_string_equal(told, "");
        push(kind, body, -0.5 * P);
        if (!strstr(told, "'rod': its axial load is, of its buckling load, 0.5 at t = 0, more than 0.1"))
            fail_msg("'%s'", told);
    }
    remove(file), remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_euler), cmocka_unit_test(test_stepped),
                                       cmocka_unit_test(test_anywhere), cmocka_unit_test(test_joints),
                                       cmocka_unit_test(test_warning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
