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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
