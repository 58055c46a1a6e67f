/* beam3d_ge bent and twisted far, at rest: order four in the mesh on the elastica, the 45-degree bend of
   Bathe and Bolourchi (1979), the Princeton beam and a twisted beam (BeamDyn's, Wang and others 2017),
   against boundary value problems of the same equations solved by shooting; circles, one element with a
   coupled section; objectivity; frequencies. */
#include "verify/kit.h"

#include "math/rot3.h"

static const char *const place[] = {"tip.x", "tip.y", "tip.z"};

static double distance(const double *a, const double *b)
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* Displacements of the tip with 4, 8, 16 elements: the order by their differences, and the limit they have at
   order four, whose next term (sixth order) is a tenth of the last correction at most. */
static void fourth_order(const char *what, double L, void (*solve)(int n, double *y), const double *reference,
                         double digits)
{
    double y[3][3], limit[3];
    for (int i = 0; i < 3; i++) solve(4 << i, y[i]);
    for (int i = 0; i < 3; i++) limit[i] = richardson(y[1][i], y[2][i], 4);
    double left = 0.1 * distance(limit, y[2]), order = order_of(distance(y[0], y[1]), distance(y[1], y[2]));
    print_message("%-10s errors / L %.2e %.2e %.2e, order %.2f, limit off by %.1e\n", what,
                  distance(y[0], reference) / L, distance(y[1], reference) / L, distance(y[2], reference) / L,
                  order, distance(limit, reference));
    kit_within(what, order, 3.7, 4.4);
    for (int i = 0; i < 3; i++) kit_near(what, limit[i], reference[i], left + digits);
}

static void run_static(const char *text, double *y)
{
    kit k;
    kit_text(&k, text);
    kit_static(&k, 3, place, y);
    kit_close(&k);
}

/* EA 1e9: a strain of 1e-8 */
static void elastica(int n, double *y)
{
    char text[1000];
    snprintf(text, sizeof text,
             "sinew: 1\n"
             "nodes: {clamped: [0, 0, 0], end: [1, 0, 0]}\n"
             "elements:\n"
             "  beam: {beam3d_ge: [clamped, end], EA: 1e9, EI_y: 2, EI_z: 1, GJ: 1, rhoA: 0,\n"
             "         orientation: [0, 1, 0], elements: %d}\n"
             "  load: {force3d: end, force: [0, 10, 0]}\n"
             "joints: {clamp: {fixed: clamped}}\n"
             "sensors: {tip: {displacement: end}}\n"
             "run: {tolerance: 1e-12}\n",
             n);
    run_static(text, y);
}

/* Arcs; Q turns the whole model, and back. */
static void bend_of(int n, double load, const double *Q, double *y)
{
    static char text[40000];
    const double pi = acos(-1), turn = pi / 4;
    int at = snprintf(text, sizeof text, "sinew: 1\nnodes:\n");
    for (int i = 0; i <= n; i++) {
        double a = turn * i / n, x[3] = {100 * sin(a), 100 * (1 - cos(a)), 0};
        sn_mul3(Q, x, x);
        at += snprintf(text + at, sizeof text - (size_t)at, "  p%d: [%.17g, %.17g, %.17g]\n", i, x[0], x[1],
                       x[2]);
    }
    at += snprintf(text + at, sizeof text - (size_t)at, "elements:\n");
    for (int i = 0; i < n; i++) {
        double a = turn * (i + 0.5) / n, o[3] = {-sin(a), cos(a), 0};
        sn_mul3(Q, o, o);
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  b%d: {beam3d_ge: [p%d, p%d], EA: 1e7, EI_y: 1e7/12, EI_z: 1e7/12, GJ: 1e7/12,\n"
                       "       kGA_y: 1e7*5/12, kGA_z: 1e7*5/12, rhoA: 0, curvature: [0, 0, 0.01],\n"
                       "       orientation: [%.17g, %.17g, %.17g]}\n",
                       i, i, i + 1, o[0], o[1], o[2]);
    }
    snprintf(text + at, sizeof text - (size_t)at,
             "  load: {force3d: p%d, force: [%.17g, %.17g, %.17g]}\n"
             "joints: {clamp: {fixed: p0}}\n"
             "sensors: {tip: {displacement: p%d}}\n"
             "run: {tolerance: 1e-12}\n",
             n, load * Q[2], load * Q[5], load * Q[8], n);
    run_static(text, y);
    sn_tmul3(Q, y, y);
}

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static void bend(int n, double *y) { bend_of(n, 600, identity, y); }

/* 8.896 N at 45 degrees; height along y */
static void princeton(int n, double *y)
{
    char text[1000];
    snprintf(text, sizeof text,
             "sinew: 1\n"
             "parameters: {h: 12.3777e-3, w: 3.2024e-3, E: 71.7e9, k: 5/6*E/2.62*h*w}\n"
             "nodes: {root: [0, 0, 0], end: [0.508, 0, 0]}\n"
             "elements:\n"
             "  beam: {beam3d_ge: [root, end], EA: E*h*w, EI_z: E*w*h^3/12, EI_y: E*h*w^3/12, GJ: 3.2097, "
             "kGA_y: k,\n"
             "         kGA_z: k, rhoA: 0, orientation: [0, 1, 0], elements: %d}\n"
             "  load: {force3d: end, force: [0, 8.896*cos(45 deg), 8.896*sin(45 deg)]}\n"
             "joints: {clamp: {fixed: root}}\n"
             "sensors: {tip: {displacement: end}}\n"
             "run: {tolerance: 1e-12}\n",
             n);
    run_static(text, y);
}

/* Twisted by a quarter turn: the axes in the middle of each piece, and the twist of the sections within */
static void twisted(int n, double *y)
{
    char text[1000];
    snprintf(text, sizeof text,
             "sinew: 1\n"
             "nodes: {root: [0, 0, 0], end: [10, 0, 0]}\n"
             "elements:\n"
             "  beam: {beam3d_ge: [root, end], EA: 25e9, kGA_y: 8.2604167e9, kGA_z: 8.2604167e9, GJ: "
             ".141872656e9,\n"
             "         EI_y: .520833e9, EI_z: .130208333e9, rhoA: 0, curvature: [pi/20, 0, 0],\n"
             "         orientation: [0, cos(pi/2*xi), sin(pi/2*xi)], elements: %d}\n"
             "  load: {force3d: end, force: [0, 0, -4e6]}\n"
             "joints: {clamp: {fixed: root}}\n"
             "sensors: {tip: {displacement: end}}\n"
             "run: {tolerance: 1e-12}\n",
             n);
    run_static(text, y);
}

static void orders(void **state)
{
    (void)state;
    fourth_order("elastica", 1, elastica, (const double[]){-.55499560, .81060902, 0}, 2e-8);
    fourth_order("bend", 100 * acos(-1) / 4, bend, (const double[]){-23.5605819, -13.6046324, 53.4754780},
                 1e-6);
    fourth_order("twisted", 10, twisted, (const double[]){-1.1415259995, -1.7180533465, -3.5932132403},
                 2e-10);
    double y[3], want[3] = {0, .0088372, .1089935};
    princeton(32, y); /* along the beam the table has no number */
    want[0] = y[0];
    fourth_order("princeton", .508, princeton, want, 1e-7);
}

/* The whole model turned: the same displacements turned, to Newton's tolerance (1e-12 of 450) and rounding in
   a stiffness ratio of EA L^2/EI = 7e4. */
static void objectivity(void **state)
{
    (void)state;
    double Q[9], p[4], here[3], there[3];
    bend_of(6, 450, identity, here);
    for (int i = 0; i < 4; i++) {
        sn_quat_exp((const double[]){1.7 * i - 2, 2.3 - i, 0.4 * i * i}, p);
        sn_quat_matrix(p, Q);
        bend_of(6, 450, Q, there);
        for (int c = 0; c < 3; c++) kit_near("turned", there[c], here[c], 1e-8);
    }
}

/* A moment 2 pi EI/L about y: the strain is constant, so the nodes of any mesh lie on the circle of the exact
   solution: those of four elements on its quarters. A residual of 1e-14 of the moment moves them by about as
   much. */
static void circle(void **state)
{
    (void)state;
    static const char *const name[] = {"tip.x", "tip.y", "tip.z", "half.x", "half.y", "half.z"};
    const double pi = acos(-1);
    double y[6];
    kit k;
    kit_text(&k,
             "sinew: 1\n"
             "nodes: {clamped: [0, 0, 0], end: [1, 0, 0]}\n"
             "elements:\n"
             "  beam: {beam3d_ge: [clamped, end], EA: 100, EI_y: 1, EI_z: 3, GJ: 2, kGA_y: 40, kGA_z: 50,\n"
             "         rhoA: 0, orientation: [0, 1, 0], elements: 4}\n"
             "  load: {force3d: end, torque: [0, -2*pi, 0], torque_axes: body}\n"
             "joints: {clamp: {fixed: clamped}}\n"
             "sensors: {tip: {position: end}, half: {position: beam.n2}}\n"
             "run: {tolerance: 1e-14}\n");
    kit_static(&k, 6, name, y);
    for (int i = 0; i < 3; i++) kit_near("closed", y[i], 0, 1e-12);
    kit_near("middle", y[3], 0, 1e-12);
    kit_near("middle", y[4], 0, 1e-12);
    kit_near("middle", y[5], 1 / pi, 1e-12);
    kit_close(&k);
}

/* One straight element with a full section under a small wrench f at its tip. The section forces are (f, m +
   (L - x) e1 x f), so the tip moves by the integral of T'S T f, T = [1 0; (L - x) e1~ 1], S the compliance:
   quadratic in x, and exact by Simpson's rule. The load's square is left out by a central difference, its
   cube is 1e-10. */
static void one_element(void **state)
{
    (void)state;
    static const double C[36] = {100, 4, -3, 2, 1,  -2, 4, 40, 2, 1,  -1, 2,  -3, 2, 30, -1, 2,  1,
                                 2,   1, -1, 3, .5, .4, 1, -1, 2, .5, 2,  .3, -2, 2, 1,  .4, .3, 4};
    static const char *const name[] = {"tip.x", "tip.y", "tip.z", "turn.rx", "turn.ry", "turn.rz"};
    static const double f[6] = {.3, -.2, .5, .1, .25, -.15};
    const double L = 2, size = 1e-5;
    double plus[6], minus[6], want[6] = {0};
    char text[2000], list[700] = "";
    for (int i = 0; i < 36; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.17g", i ? ", " : "", C[i]);
    snprintf(text, sizeof text,
             "sinew: 1\n"
             "parameters: {f: 0}\n"
             "nodes: {a: [0, 0, 0], b: [2, 0, 0]}\n"
             "elements:\n"
             "  beam: {beam3d_ge: [a, b], stiffness: [%s], rhoA: 0, rhoJ: 0, orientation: [0, 1, 0]}\n"
             "  load: {force3d: b, force: [.3*f, -.2*f, .5*f], torque: [.1*f, .25*f, -.15*f]}\n"
             "joints: {clamp: {fixed: a}}\n"
             "sensors: {tip: {displacement: b}, turn: {rotation: b}}\n"
             "run: {tolerance: 1e-14}\n",
             list);
    for (int side = 0; side < 2; side++) {
        kit k;
        kit_text(&k, text);
        kit_set(&k, "f", side ? -size : size);
        kit_update(&k);
        kit_static(&k, 6, name, side ? minus : plus);
        kit_close(&k);
    }
    for (int point = 0; point < 3; point++) {
        const double weight = L * (point == 1 ? 4 : 1) / 6, arm = L * (1 - 0.5 * point);
        double A[42], x[6];
        memcpy(x, f, sizeof x);
        x[4] -= arm * f[2], x[5] += arm * f[1];
        /* strain e of C e = x by elimination */
        for (int i = 0; i < 42; i++) A[i] = i % 7 < 6 ? C[6 * (i / 7) + i % 7] : x[i / 7];
        for (int c = 0; c < 6; c++)
            for (int r = 0; r < 6; r++)
                for (int j = 6; j >= c && r != c; j--) A[7 * r + j] -= A[7 * r + c] / A[8 * c] * A[7 * c + j];
        for (int i = 0; i < 6; i++) x[i] = A[7 * i + 6] / A[8 * i];
        x[1] += arm * x[5], x[2] -= arm * x[4];
        for (int i = 0; i < 6; i++) want[i] += weight * x[i];
    }
    for (int i = 0; i < 6; i++) kit_near(name[i], (plus[i] - minus[i]) / (2 * size), want[i], 1e-8);
}

enum { MODES = 6 };

static sn_status keep(void *ctx, int i, const sn_mode *mode, const sn_frame *at, sn_err *err)
{
    (void)at, (void)err;
    if (i < MODES) ((double *)ctx)[i] = kit_omega(mode);
    return SN_OK;
}

/* Without rotary inertia ten elements with the cubic field are Euler and Bernoulli's cubic elements: the
   frequencies are those of their matrices (counted by the signs of pivots), some digits of whose distance
   from the exact ones are given.
 */
static void frequencies(void **state)
{
    (void)state;
    static const double beta[MODES] = {1.875104068711961,  4.694091132974175, 7.854757438237613,
                                       10.995540734875467, 14.13716839104647, 17.27875953208824};
    static const double percent[MODES] = {.000086, .003310, .025461, .095295, .252077, .539773};
    double omega[MODES];
    int found = 0;
    kit k;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {a: [0, 0, 0], b: [0.6, 0, 0.8]}\n"
                 "elements:\n"
                 "  beam: {beam3d_ge: [a, b], EA: 1e8, EI_y: 1e6, EI_z: 1, GJ: 1e6, rhoA: 1, rhoJ: 1e-9,\n"
                 "         elements: 10}\n"
                 "joints: {clamp: {fixed: a}}\n");
    sn_mode_options o = sn_mode_options_default(k.m, k.p);
    o.n = MODES, o.mode = keep, o.ctx = omega, o.run.tolerance = 1e-12;
    kit_good(&k, sn_modes(k.m, k.p, &o, &found, &k.err));
    for (int i = 0; i < MODES; i++) {
        double off = 100 * (omega[i] / (beta[i] * beta[i]) - 1);
        print_message("mode %d: %.4f %% above\n", i + 1, off);
        kit_near("frequency", off, percent[i], 2e-6);
    }
    kit_close(&k);
}

/* Flying beam of Simo and Vu-Quoc (1988) at 10 s: second order in step and mesh (its rotary inertia is half
   at each node). Limits of two formulations and two interpolations of the mass by extrapolation agree to
   5e-4; one extrapolation from 16 and 32 elements leaves the fourth power, a tenth of its correction at most.
 */
static void flying(void **state)
{
    (void)state;
    static const char *const kind[] = {"beam3d_ge", "beam3d_ge", "beam3d_cr"},
                             *const mass[] = {"consistent", "linear", "consistent"},
                             *const name[] = {"a.x", "a.y", "a.z", "b.x", "b.y", "b.z"};
    static const double reference[] = {42.8325, 3.6933, -4.3866, 38.3117, 5.1982, 4.2513};
    for (int c = 0; c < 3; c++) {
        double y[3][6];
        for (int run = 0; run < 3; run++) {
            char text[1000];
            kit k;
            snprintf(text, sizeof text,
                     "sinew: 1\n"
                     "nodes: {A: [6, 0, 0], B: [0, 8, 0]}\n"
                     "signals: {T: {table: [[0, 0], [2.5, 200], [5, 0]]}}\n"
                     "elements:\n"
                     "  beam: {%s: [A, B], EA: 1e4, EI_y: 500, EI_z: 500, GJ: 500, kGA_y: 1e4, kGA_z: 1e4,\n"
                     "         rhoA: 1, rhoI_y: 10, rhoI_z: 10, mass: %s, elements: %d}\n"
                     "  push: {force3d: A, force: [T/10, 0, 0], torque: [0, -T/2, -T], torque_axes: global}\n"
                     "sensors: {a: {position: A}, b: {position: B}}\n"
                     "run: {end: 10, step: %g, rho: 0.8}\n",
                     kind[c], mass[c], run == 1 ? 32 : 16, run == 2 ? 0.02 : 0.01);
            kit_text(&k, text);
            kit_values(&k, 10, 6, name, y[run]);
            kit_close(&k);
        }
        for (int i = 0; i < 6; i++) {
            double mesh = (y[1][i] - y[0][i]) / 3, step = (y[0][i] - y[2][i]) / 3, x = y[1][i] + mesh + step;
            print_message("%s %-10s %s %.4f, by mesh %.4f, by step %.4f\n", kind[c], mass[c], name[i], x,
                          mesh, step);
            kit_near(name[i], x, reference[i], 5e-4 + 0.1 * (fabs(mesh) + fabs(step)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders),      cmocka_unit_test(objectivity),
                                       cmocka_unit_test(circle),      cmocka_unit_test(one_element),
                                       cmocka_unit_test(frequencies), cmocka_unit_test(flying)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
