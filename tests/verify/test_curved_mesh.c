/* Meshes of geometrically exact beams that are curved and twisted in the reference, and of beams whose ends
   are off their nodes: `elements: n` divides the helix, the arc and the line from end to end, as several
   beams between nodes written by hand would. Against boundary value problems of the same equations, solved by
   shooting with DOP853 to 1e-11, and against a mesh of one. */
#include "verify/kit.h"

static const char *const place[] = {"tip.x", "tip.y", "tip.z"};

static void solve(const char *text, int n, double *y)
{
    kit k;
    kit_text(&k, text);
    kit_static(&k, n, place, y);
    kit_close(&k);
}

static double off(const double *y, const double *want, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += pow(y[i] - want[i], 2);
    return sqrt(sum);
}

/* A coupled section on a helix of length 3, bent by half its length: curvature (.4, .3, .7), from the origin
   along x. The orientation is the local y of the middle. */
static void helix(void **state)
{
    (void)state;
    static const double want[3] = {.35114306, -.84716478, 1.33542798};
    double y[2][3];
    for (int i = 0; i < 2; i++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "sinew: 1\n"
                 "nodes: {a: [0, 0, 0], b: [1.13331917098732, 2.13316323845644, .152461942954484]}\n"
                 "elements:\n"
                 "  beam: {beam3d_ge: [a, b], rhoA: 1, rhoJ: 1, curvature: [.4, .3, .7], elements: %d,\n"
                 "         orientation: [-0.664664267559563, 0.364744220971492, 0.652060629617683],\n"
                 "         stiffness: [[8e3, 100, -200, 30, 50, -40], [100, 3e3, 200, 10, 20, 15],\n"
                 "                     [-200, 200, 2e3, -20, 10, 30], [30, 10, -20, 90, 10, -20],\n"
                 "                     [50, 20, 10, 10, 160, 30], [-40, 15, 30, -20, 30, 250]]}\n"
                 "  load: {force3d: b, force: [8, -12, 20], torque: [5, 3, -4]}\n"
                 "joints: {clamp: {fixed: a}}\n"
                 "sensors: {tip: {displacement: b}}\n",
                 8 << i);
        solve(text, 3, y[i]);
    }
    print_message("helix: errors %.1e, %.1e of 1.6\n", off(y[0], want, 3), off(y[1], want, 3));
    assert_true(off(y[1], want, 3) < 3e-5);
    assert_true(off(y[0], want, 3) > 4 * off(y[1], want, 3)); /* order two at least */
}

/* The 45-degree bend of Bathe and Bolourchi as one entry; the same as pieces written one by one, of order
   four. */
static void bend(void **state)
{
    (void)state;
    static const double want[3] = {-23.5605819, -13.6046324, 53.4754780};
    double y[2][3];
    for (int i = 0; i < 2; i++) {
        char text[800];
        snprintf(
            text, sizeof text,
            "sinew: 1\n"
            "parameters: {R: 100 m}\n"
            "nodes: {a: [0, 0, 0], b: [R*sin(45 deg), R*(1 - cos(45 deg)), 0]}\n"
            "elements:\n"
            "  beam: {beam3d_ge: [a, b], EA: 1e7, EI_y: 1e7/12, EI_z: 1e7/12, GJ: 1e7/12, kGA_y: 1e7*5/12,\n"
            "         kGA_z: 1e7*5/12, rhoA: 0, curvature: [0, 0, 1/R], orientation: [-1, 1, 0], elements: "
            "%d}\n"
            "  load: {force3d: b, force: [0, 0, 600]}\n"
            "joints: {clamp: {fixed: a}}\n"
            "sensors: {tip: {displacement: b}}\n"
            "run: {tolerance: 1e-12}\n",
            4 << i);
        solve(text, 3, y[i]);
    }
    const double error[2] = {off(y[0], want, 3) / 78.54, off(y[1], want, 3) / 78.54};
    print_message("bend: errors / L %.2e, %.2e, order %.2f\n", error[0], error[1],
                  order_of(error[0], error[1]));
    kit_near("4 elements", error[0], 1.1e-4, 1e-5);
    kit_near("8 elements", error[1], 6.7e-6, 5e-7);
}

/* A quarter turn of twist with a constant orientation: that of the middle. BeamDyn's beam. */
static void twist(void **state)
{
    (void)state;
    static const double want[3] = {-1.1415259995, -1.7180533465, -3.5932132403};
    double y[3];
    solve("sinew: 1\n"
          "nodes: {root: [0, 0, 0], end: [10, 0, 0]}\n"
          "elements:\n"
          "  beam: {beam3d_ge: [root, end], EA: 25e9, kGA_y: 8.2604167e9, kGA_z: 8.2604167e9, GJ: "
          ".141872656e9,\n"
          "         EI_y: .520833e9, EI_z: .130208333e9, rhoA: 0, curvature: [pi/20, 0, 0],\n"
          "         orientation: [0, cos(pi/4), sin(pi/4)], elements: 16}\n"
          "  load: {force3d: end, force: [0, 0, -4e6]}\n"
          "joints: {clamp: {fixed: root}}\n"
          "sensors: {tip: {displacement: end}}\n",
          3, y);
    kit_near("twisted", off(y, want, 3) / 10, 1.9e-6, 2e-7);
}

/* An arc of 150 degrees of the plane, nearly straightened: shooting. */
static void arc(void **state)
{
    (void)state;
    static const double want[2] = {1.70873946, -.88315952};
    double y[2];
    solve("sinew: 1\n"
          "nodes: {a: [0, 0], b: [sin(150 deg), 1 - cos(150 deg)]}\n"
          "elements:\n"
          "  beam: {beam2d_ge: [a, b], EA: 300, EI: 2, rhoA: 1, rhoI: 1e-4, curvature: 1, elements: 32}\n"
          "  load: {force2d: b, force: [.3, -.8]}\n"
          "joints: {clamp: {fixed: a}}\n"
          "sensors: {tip: {displacement: b}}\n",
          2, y);
    kit_near("arc", off(y, want, 2), 0, 3e-6);
}

/* Ends off their nodes, differently: a small load on a mesh of five moves the tip as on one element, which
   is exact. Exact to the square of the load, 1e-6 of it, and the mesh's nodes are on another line than its
   axis. */
static void eccentric(void **state)
{
    (void)state;
    static const char *const kind[] = {"beam3d_cr", "beam3d_ge"};
    for (int i = 0; i < 2; i++) {
        double y[2][3];
        for (int j = 0; j < 2; j++) {
            char text[800];
            snprintf(text, sizeof text,
                     "sinew: 1\n"
                     "nodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"
                     "elements:\n"
                     "  beam: {%s: [a, b], EA: 1e6, EI_y: 1, EI_z: 2, GJ: 1, rhoA: 1, rhoJ: 1,\n"
                     "         orientation: [0, 1, 0], offset1: [0, 0, .1], offset2: [.05, -.1, 0], "
                     "elements: %d}\n"
                     "  load: {force3d: b, force: [2e-6, 1e-6, 2e-6]}\n"
                     "joints: {clamp: {fixed: a}}\n"
                     "sensors: {tip: {displacement: b}}\n"
                     "run: {tolerance: 1e-13}\n",
                     kind[i], j ? 5 : 1);
            solve(text, 3, y[j]);
        }
        kit_near(kind[i], off(y[0], y[1], 3) / off(y[1], (double[]){0, 0, 0}, 3), 0, 1e-5);
    }
}

/* What has no arc is refused once, by its reason. */
static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *beam, *why;
    } mistake[] = {
        {"curvature: 3", "'curvature' turns the ends of the whole beam by pi or more"},
        {"curvature: 1 + xi", "'curvature' of a line that is divided cannot vary along it"},
    };
    for (size_t i = 0; i < sizeof mistake / sizeof *mistake; i++) {
        char text[400];
        sn_model *m = NULL;
        sn_values *p = NULL;
        sn_err err;
        sn_err_clear(&err);
        snprintf(
            text, sizeof text,
            "sinew: 1\n"
            "nodes: {a: [0, 0], b: [1, 0]}\n"
            "elements: {beam: {beam2d_ge: [a, b], EA: 300, EI: 2, rhoA: 1, rhoI: 1e-4, elements: 8, %s}}\n",
            mistake[i].beam);
        sn_status s = sn_model_read_text("model", text, strlen(text), &m, &err);
        if (!s) s = sn_values_new(m, &p, &err);
        assert_int_equal(s, SN_ERR_INPUT);
        assert_int_equal(err.count, 1);
        assert_non_null(strstr(err.report[0].text, mistake[i].why));
        sn_values_free(p);
        sn_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helix), cmocka_unit_test(bend),      cmocka_unit_test(twist),
        cmocka_unit_test(arc),   cmocka_unit_test(eccentric), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
