/* Spatial beams bent and twisted far, at rest: in a tilted plane the elastica and the roll-up, the 45-degree
   bend of Bathe and Bolourchi (1979), the Princeton beam, shear, a twist by half a turn, objectivity; natural
   frequencies. */
#include "verify/kit.h"

#include "math/rot3.h"

/* A cantilever of length 1 along the first column of Q, its load along the second */
static void open_cantilever(kit *k, int n, const double *Q)
{
    char text[2000];
    snprintf(text, sizeof text,
             "sinew: 1\n"
             "parameters: {P: 0 N, M: 0 N*m, EA: 1e10 N, across: 2 N*m^2, GJ: 0.7 N*m^2}\n"
             "nodes: {clamped: [0, 0, 0], tip: [%.17g, %.17g, %.17g]}\n"
             "elements:\n"
             "  beam: {beam3d_cr: [clamped, tip], EA: EA, EI_y: across, EI_z: 1, GJ: GJ, rhoA: 0,\n"
             "         orientation: [%.17g, %.17g, %.17g], elements: %d}\n"
             "  load: {force3d: tip, force: [P*%.17g, P*%.17g, P*%.17g],\n"
             "         torque: [M*%.17g, M*%.17g, M*%.17g]}\n"
             "joints: {clamp: {fixed: clamped}}\n"
             "sensors: {tip: {displacement: tip}, middle: {position: beam.n%d}, turn: {rotation: tip}}\n"
             "run: {tolerance: 1e-12}\n",
             Q[0], Q[3], Q[6], Q[1], Q[4], Q[7], n, Q[1], Q[4], Q[7], Q[2], Q[5], Q[8], n / 2);
    kit_text(k, text);
}

static void some_rotation(double a, double b, double c, double *Q)
{
    double p[4];
    sn_quat_exp((const double[]){a, b, c}, p);
    sn_quat_matrix(p, Q);
}

/* L - x, y in the plane of bending, distance from that plane, slope */
static void tip(int n, double P, const double *Q, double *y)
{
    static const char *const name[] = {"tip.x", "tip.y", "tip.z", "turn.rx", "turn.ry", "turn.rz"};
    double u[6];
    kit k;
    open_cantilever(&k, n, Q);
    kit_set(&k, "P", P);
    kit_update(&k);
    kit_static(&k, 6, name, u);
    sn_tmul3(Q, u, u);
    y[0] = -u[0], y[1] = u[1], y[2] = u[2], y[3] = u[3] * Q[2] + u[4] * Q[5] + u[5] * Q[8];
    kit_close(&k);
}

/* As in the plane (test_elastica): errors in even powers of the element's length; two extrapolations leave
   O(h^6), the strain of 1e-9 and the digits of the table: 1e-8. Out of the plane only rounding, magnified by
   EA L/EI = 1e10 in the condition: 1e-8 too. */
static void elastica_in_a_tilted_plane(void **state)
{
    (void)state;
    static const double P[] = {1, 2, 5, 10};
    static const double reference[][3] = {{.05643324, .30172077, .46135195},
                                          {.16064172, .49345748, .78174983},
                                          {.38762836, .71379152, 1.21536812},
                                          {.55499560, .81060902, 1.43028554}};
    double Q[9];
    some_rotation(0.7, -1.1, 2.0, Q);
    for (int i = 0; i < 4; i++) {
        double y[3][4];
        for (int j = 0; j < 3; j++) {
            tip(20 << j, P[i], Q, y[j]);
            kit_near("out of the plane", y[j][2], 0, 1e-8);
        }
        for (int c = 0; c < 3; c++) {
            int at = c == 2 ? 3 : c;
            double coarse = richardson(y[0][at], y[1][at], 2), fine = richardson(y[1][at], y[2][at], 2);
            kit_near("tip", richardson(coarse, fine, 4), reference[i][c], 1e-8);
        }
    }
}

/* A polygon closes (see test_elastica); Newton's tolerance and rounding remain. The rotation vector of a
   whole turn is 0 or 2 pi, so the rotation is not asked for. */
static void roll_up_in_a_tilted_plane(void **state)
{
    (void)state;
    static const char *const name[] = {"tip.x", "tip.y", "tip.z", "middle.x", "middle.y", "middle.z"};
    const double pi = acos(-1);
    double Q[9], y[6];
    some_rotation(-1.3, 0.4, 0.9, Q);
    for (int turns = 1; turns <= 4; turns *= 2) {
        int n = 20;
        kit k;
        open_cantilever(&k, n, Q);
        kit_set(&k, "M", 2 * pi * turns);
        kit_set(&k, "EA", 1e4);
        kit_set(&k, "across", 50);
        kit_set(&k, "GJ", 50);
        kit_update(&k);
        kit_static(&k, 6, name, y);
        sn_tmul3(Q, y, y);
        sn_tmul3(Q, y + 3, y + 3);
        print_message("%d turns: %ld load steps\n", turns, k.info.steps);
        for (int i = 0; i < 3; i++) kit_near("tip", y[i], i ? 0 : -1, 1e-9);
        for (int i = 3; i < 6; i++)
            kit_near("middle", y[i], i == 4 && turns == 1 ? 1 / (n * sin(pi / n)) : 0, 1e-9);
        kit_close(&k);
    }
}

static void open_bend(kit *k, int n, const double *Q, double load)
{
    static char text[40000];
    int at = snprintf(text, sizeof text, "sinew: 1\nnodes:\n");
    for (int i = 0; i <= n; i++) {
        double a = acos(-1) / 4 * i / n, x[3] = {100 * sin(a), 100 * (1 - cos(a)), 0};
        sn_mul3(Q, x, x);
        at += snprintf(text + at, sizeof text - (size_t)at, "  p%d: [%.17g, %.17g, %.17g]\n", i, x[0], x[1],
                       x[2]);
    }
    at += snprintf(text + at, sizeof text - (size_t)at, "elements:\n");
    for (int i = 0; i < n; i++)
        at += snprintf(
            text + at, sizeof text - (size_t)at,
            "  b%d: {beam3d_cr: [p%d, p%d], EA: 1e7, EI_y: 1e7/12, EI_z: 1e7/12, GJ: 1e7/12,\n"
            "       kGA_y: 1e7*5/12, kGA_z: 1e7*5/12, rhoA: 0, orientation: [%.17g, %.17g, %.17g]}\n",
            i, i, i + 1, Q[2], Q[5], Q[8]);
    snprintf(text + at, sizeof text - (size_t)at,
             "  load: {force3d: p%d, force: [%.17g, %.17g, %.17g]}\n"
             "joints: {clamp: {fixed: p0}}\n"
             "sensors: {tip: {displacement: p%d}}\n"
             "run: {tolerance: 1e-12}\n",
             n, load * Q[2], load * Q[5], load * Q[8], n);
    kit_text(k, text);
}

static void bend_tip(int n, const double *Q, double load, double *y)
{
    static const char *const name[] = {"tip.x", "tip.y", "tip.z"};
    kit k;
    open_bend(&k, n, Q, load);
    kit_static(&k, 3, name, y);
    sn_tmul3(Q, y, y);
    kit_close(&k);
}

/* Polygon of straight elements: second order in the mesh, extrapolated over 32 and 64 to O(h^4), 4e-6 here by
   the next extrapolation; the reference has 4 decimals. */
static void bend_of_45_degrees(void **state)
{
    (void)state;
    static const double reference[] = {-23.5606, -13.6046, 53.4755};
    double I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, y[3][3];
    for (int i = 0; i < 3; i++) bend_tip(16 << i, I, 600, y[i]);
    for (int c = 0; c < 3; c++) {
        double x = richardson(y[1][c], y[2][c], 2), before = richardson(y[0][c], y[1][c], 2);
        print_message("%.6f, next extrapolation moves it by %.1e\n", x, (x - before) / 15);
        kit_near("tip", x, reference[c], 1e-4);
        kit_within("order in the mesh", order_of(y[0][c] - x, y[1][c] - x), 1.9, 2.1);
    }
}

/* The whole model turned: the same displacements turned, to Newton's tolerance (1e-12 of 600) and rounding in
   a stiffness ratio of EA L^2/EI = 7e4. */
static void objectivity(void **state)
{
    (void)state;
    double I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, Q[9], here[3], there[3];
    bend_tip(8, I, 450, here);
    for (int i = 0; i < 5; i++) {
        some_rotation(1.7 * i - 2, 2.3 - i, 0.4 * i * i, Q);
        bend_tip(8, Q, 450, there);
        for (int c = 0; c < 3; c++) kit_near("turned", there[c], here[c], 1e-8);
    }
}

/* One cell of the published table each (ANSYS beam). Its 7 decimals of a shear-deformable beam with
   5/6 as shear factor; the GJ is fitted to the table to 2e-4 of the largest displacement: 1e-4 of that is
   asked for. */
static void princeton(void **state)
{
    (void)state;
    static const char *const name[] = {"tip.y", "tip.z"};
    static const double flap[] = {.0107142, .0106133, .0101117, .0088372, .0066047, .0035389, 0};
    static const double chord[] = {0, .0420823, .0793948, .1089879, .1298876, .1421944, .1462460};
    for (int i = 0; i < 7; i++) {
        double y[2];
        kit k;
        kit_file(&k, "examples/princeton-beam/princeton.yaml");
        kit_set(&k, "beta", acos(-1) / 12 * i);
        kit_update(&k);
        kit_static(&k, 2, name, y);
        print_message("%2d deg: %.7f %.7f, table %.7f %.7f\n", 15 * i, y[0], y[1], flap[i], chord[i]);
        kit_near("flap", y[0], flap[i], 1e-4 * .0107142);
        kit_near("chord", y[1], chord[i], 1e-4 * .1462460);
        kit_close(&k);
    }
}

/* A short cantilever that shears (Nachbagauer, Pechstein, Irschik, Gerstmayr 2011): L 2, 0.5 high, 0.1 wide,
   E 2.07e11, nu 0.3, F = 5e8 0.5^3; their converged geometrically exact beam. Errors in even powers of h, two
   extrapolations; the reference has 8 decimals. */
static void shear(void **state)
{
    (void)state;
    static const char *const name[] = {"tip.x", "tip.y"};
    static const double reference[] = {-.15097103, .71056837};
    double y[3][2];
    for (int i = 0; i < 3; i++) {
        char text[1000];
        kit k;
        snprintf(text, sizeof text,
                 "sinew: 1\n"
                 "nodes: {a: [0, 0, 0], b: [2, 0, 0]}\n"
                 "elements:\n"
                 "  beam: {beam3d_cr: [a, b], EA: 2.07e11*0.05, EI_y: 2.07e11*0.5*0.1^3/12, rhoA: 0,\n"
                 "         EI_z: 2.07e11*0.1*0.5^3/12, GJ: 1e8, kGA_y: 10*1.3/(12+11*0.3)*2.07e11/2.6*0.05,\n"
                 "         orientation: [0, 1, 0], elements: %d}\n"
                 "  load: {force3d: b, force: [0, 5e8*0.5^3, 0]}\n"
                 "joints: {clamp: {fixed: a}}\n"
                 "sensors: {tip: {displacement: b}}\n"
                 "run: {tolerance: 1e-12}\n",
                 10 << i);
        kit_text(&k, text);
        kit_static(&k, 2, name, y[i]);
        kit_close(&k);
    }
    for (int c = 0; c < 2; c++) {
        double coarse = richardson(y[0][c], y[1][c], 2), fine = richardson(y[1][c], y[2][c], 2);
        print_message("%s %.9f, reference %.8f\n", name[c], richardson(coarse, fine, 4), reference[c]);
        kit_near(name[c], richardson(coarse, fine, 4), reference[c], 1e-6);
    }
}

/* Torque GJ pi/L twists by half a turn, each of n elements by pi/n exactly; nothing moves sideways. */
static void half_a_turn(void **state)
{
    (void)state;
    static const char *const name[] = {"half.rx", "tip.x", "tip.y", "tip.z", "turn.w", "turn.x"};
    for (int n = 4; n <= 10; n += 6) {
        char text[1000];
        double y[6], pi = acos(-1);
        kit k;
        snprintf(text, sizeof text,
                 "sinew: 1\n"
                 "nodes: {a: [0, 0, 0], b: [2, 0, 0]}\n"
                 "elements:\n"
                 "  beam: {beam3d_cr: [a, b], EA: 100, EI_y: 3, EI_z: 1, GJ: 2, rhoA: 0, elements: %d}\n"
                 "  load: {force3d: b, torque: [pi, 0, 0]}\n"
                 "joints: {clamp: {fixed: a}}\n"
                 "sensors: {tip: {displacement: b}, half: {rotation: beam.n%d}, turn: {quaternion: b}}\n",
                 n, n / 2);
        kit_text(&k, text);
        kit_static(&k, 6, name, y);
        kit_near("middle", y[0], pi / 2, 1e-10);
        for (int i = 1; i < 4; i++) kit_near("tip", y[i], 0, 1e-10);
        kit_near("quaternion", y[4], 0, 1e-10);
        kit_near("quaternion", fabs(y[5]), 1, 1e-10);
        kit_close(&k);
    }
}

enum { MODES = 12 };

static sn_status keep(void *ctx, int i, const sn_mode *mode, const sn_frame *at, sn_err *err)
{
    (void)at, (void)err;
    if (i < MODES) ((double *)ctx)[i] = kit_omega(mode);
    return SN_OK;
}

/* Cantilever with different stiffness in both planes, EI_y = 4, EI_z = 1: omega = beta^2 sqrt(EI/rhoA), above
   it by (beta h)^4/1440 (test_frequencies). Torsion of bodies at the nodes: omega = (i - 1/2) pi c below by
   (omega h/c)^2/24; axial motion with linear shape functions above by as much. */
static void frequencies(void **state)
{
    (void)state;
    const double pi = acos(-1),
                 b[4] = {1.875104068711961, 4.694091132974175, 7.854757438237613, 10.995540734875467},
                 h = 0.05;
    double want[8], omega[MODES];
    kit k;
    int found = 0;
    kit_text(
        &k,
        "sinew: 1\n"
        "nodes: {a: [0, 0, 0], b: [0.6, 0, 0.8]}\n"
        "elements:\n"
        "  beam: {beam3d_cr: [a, b], EA: 1e6, EI_y: 4, EI_z: 1, GJ: 5, rhoA: 1, rhoJ: 2e-3, elements: 20}\n"
        "joints: {clamp: {fixed: a}}\n");
    sn_mode_options o = sn_mode_options_default(k.m, k.p);
    o.n = 8, o.mode = keep, o.ctx = omega, o.run.tolerance = 1e-12;
    kit_good(&k, sn_modes(k.m, k.p, &o, &found, &k.err));
    assert_int_equal(found, 8);
    /* in rising order: z1 y1 z2 y2 z3 t1 z4 y3 */
    for (int i = 0; i < 4; i++) {
        static const int z[] = {0, 2, 4, 6}, y[] = {1, 3, 7};
        double up = 1 + pow(b[i] * h, 4) / 1440;
        want[z[i]] = b[i] * b[i] * up;
        if (i < 3) want[y[i]] = 2 * b[i] * b[i] * up;
    }
    want[5] = pi / 2 * sqrt(5 / 2e-3) * (1 - pow(pi / 2 * h, 2) / 24);
    for (int i = 0; i < 8; i++) {
        print_message("%.9g, expected %.9g\n", omega[i], want[i]);
        kit_near("frequency", omega[i] / want[i], 1, 1e-6);
    }
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elastica_in_a_tilted_plane),
                                       cmocka_unit_test(roll_up_in_a_tilted_plane),
                                       cmocka_unit_test(bend_of_45_degrees),
                                       cmocka_unit_test(objectivity),
                                       cmocka_unit_test(princeton),
                                       cmocka_unit_test(shear),
                                       cmocka_unit_test(half_a_turn),
                                       cmocka_unit_test(frequencies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
