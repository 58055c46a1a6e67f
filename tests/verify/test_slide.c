/* A point on a line: mechanisms with a `parameter`. */
#include "verify/kit.h"

/* examples/formulations/mechanism.yaml, by another program: crank, connecting rod of two modes in a floating
   frame, cable of 4 elements in absolute nodal coordinates and bead in one system of 33 coordinates and 13
   equations, integrated by DOP853 with an energy error of 5e-12. Angle of the crank, slider x, bead x and y,
   s, amplitudes of the rod in metres; s crosses the nodes at .25 and .375. */
enum { TIMES = 4, NUMBERS = 7 };
static const double reference[TIMES][NUMBERS] = {
    {2.06640132, .19808817, .40250566, -.11376820, .22875564, -.00068544, .00000171},
    {1.48105572, .27359821, .46589949, -.10818588, .28427112, -.00026267, .00001668},
    {1.05243692, .34454645, .59445419, -.10703647, .37629950, -.00116824, .00000300},
    {.52838553, .41985603, .66014336, -.03235749, .46618246, -.00124974, .00001109}};

static void run(double step, double y[TIMES][NUMBERS])
{
    static const char *const name[] = {"pin.x",  "pin.y", "slider.x", "bead.x",
                                       "bead.y", "s.s",   "modes.z1", "modes.z2"};
    enum { N = 8 };
    const char *channel[TIMES * N];
    double t[TIMES * N], x[TIMES * N], mass = sqrt(2 / 0.151104); /* modal masses are 1 */
    kit k;
    for (int i = 0; i < TIMES * N; i++) channel[i] = name[i % N], t[i] = 0.1 * (1 + i / N);
    kit_file(&k, "examples/formulations/mechanism.yaml");
    k.o.step = step;
    kit_points(&k, TIMES * N, channel, t, x);
    kit_close(&k);
    for (int i = 0; i < TIMES; i++) {
        const double *at = x + N * i;
        y[i][0] = atan2(at[1], at[0]);
        for (int c = 1; c < NUMBERS; c++) y[i][c] = at[c + 1] * (c > 4 ? mass : 1);
    }
}

/* Generalized-alpha is of second order: extrapolated from h 1/16 and 1/32 ms. Axial vibrations of the cable,
   of 1e4 1/s, are just resolved, so that the extrapolation is better than the difference of the two runs, but
   no order of its own is asked for. To 0.2 s that is
   below 6e-6: 1/4 ms is 1e-4 off in the bead's place there; behind it the motion is sensitive. Printed
   digits: half of 1e-8. */
static void mechanism(void **state)
{
    double a[TIMES][NUMBERS], b[TIMES][NUMBERS];
    (void)state;
    run(6.25e-5, a), run(3.125e-5, b);
    for (int i = 0; i < TIMES; i++)
        for (int c = 0; c < NUMBERS; c++) {
            double x = richardson(a[i][c], b[i][c], 2), d = fabs(a[i][c] - b[i][c]);
            print_message("%g s, number %d: %.8f, %.8f; error %.1e of %.1e\n", 0.1 * (i + 1), c, x,
                          reference[i][c], x - reference[i][c], d);
            kit_near("number", x, reference[i][c], d + 1e-8);
            if (i < 2) kit_within("difference of the runs", d, 0, 6e-6);
        }
}

/* A bead on a wire ring of radius 1 through n points, let go beside its centre: the pendulum, by Runge and
   Kutta's method here. The spline's distance from the circle goes with the fourth power of the points'
   distance. */
static void ring(void **state)
{
    static const char *const name[] = {"bead.x", "bead.y", "s.s"};
    double e[2], th = 0.5 * acos(-1), w = 0, y[3], g = 9.81, h = 1e-4;
    (void)state;
    for (int i = 0; i < 4000; i++) {
        double k[4][2];
        for (int j = 0; j < 4; j++) {
            const double f = j == 0 ? 0 : j == 3 ? h : 0.5 * h, *b = k[j ? j - 1 : 0];
            k[j][0] = w + f * (j ? b[1] : 0), k[j][1] = -g * sin(th + f * (j ? b[0] : 0));
        }
        th += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
        w += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
    }
    for (int i = 0; i < 2; i++) {
        char text[6000] = "";
        const int n = 12 << i;
        for (int c = 0; c < 2; c++) {
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s[", c ? "], y: " : "x: ");
            for (int j = 0; j < n; j++) {
                const double a = 2 * acos(-1) * j / n; /* from the top; it starts at a point, on the ring */
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.17g", j ? ", " : "",
                         c ? cos(a) : -sin(a));
            }
        }
        char model[8000];
        kit k;
        snprintf(model, sizeof model,
                 "sinew: 1\ngravity: [0, -9.81]\n"
                 "nodes: {bead: [1, 0], s: {parameter: %.17g}}\n"
                 "elements: {m: {mass2d: bead, mass: 2}}\n"
                 "joints: {wire: {point_on_curve: [bead, s], closed: yes, %s]}}\n"
                 "sensors: {bead: {position: bead}, s: {position: s}}\n"
                 "run: {end: 0.4, step: 5e-4, rho: 0.8}\n",
                 1.5 * n * sin(acos(-1) / n), text);
        kit_text(&k, model);
        kit_values(&k, 0.4, 2, name, y);
        kit_close(&k);
        e[i] = hypot(y[0] - sin(th), y[1] + cos(th));
        print_message("%d points: %.2e\n", n, e[i]);
    }
    kit_within("order", order_of(e[0], e[1]), 3.7, 8); /* at least: errors of a ring cancel */
    kit_within("24 points", e[1], 0, 2e-4);
}

/* Down a helix of radius 1 that falls by 0.5 on its length of 1: s = g sin(30 deg) t^2/2 without friction;
   with c v it is that of m s'' = m g/2 - c s'. 60 points on two and a half turns: (pi/12)^4/384 of the length
   off, 1e-5, at both ends a few times that. */
static void helix(void **state)
{
    static const char *const name[] = {"bead.z"};
    char list[3][3000] = {"", "", ""}, model[10000];
    const double slope = 1 / sqrt(3), turn = acos(-1) / 12;
    (void)state;
    for (int j = 0; j < 60; j++)
        for (int c = 0; c < 3; c++)
            snprintf(list[c] + strlen(list[c]), sizeof list[c] - strlen(list[c]), "%s%.17g", j ? ", " : "",
                     c == 0   ? cos(turn * (j - 4))
                     : c == 1 ? sin(turn * (j - 4))
                              : -slope * turn * (j - 4));
    for (int rubs = 0; rubs < 2; rubs++) {
        const double T = 1.5, c = 0.8, u = c / 2, z = 9.81 / 2,
                     s = rubs ? z / u * (T - (1 - exp(-u * T)) / u) : 0.5 * z * T * T;
        double y;
        kit k;
        snprintf(model, sizeof model,
                 "sinew: 1\ngravity: [0, 0, -9.81]\n"
                 "nodes: {bead: [1, 0, 0], s: {parameter: 1.2}}\n"
                 "elements: {m: {mass3d: bead, mass: 2}}\n"
                 "joints: {wire: {point_on_curve: [bead, s], c: %g, x: [%s], y: [%s], z: [%s]}}\n"
                 "sensors: {bead: {position: bead}}\nrun: {end: 1.5, step: 1e-3, rho: 0.8}\n",
                 rubs ? c : 0, list[0], list[1], list[2]);
        kit_text(&k, model);
        kit_values(&k, T, 1, name, &y);
        kit_close(&k);
        print_message("z %.6f, %.6f\n", y, -0.5 * s);
        kit_near("z", y, -0.5 * s, 1e-4);
    }
}

/* A node left out, and two exchanged: no element lies along the line that is named. */
static void gaps(void **state)
{
    static const char *const line[] = {"a, b", "a, c.n2, c.n1, b"}, *const between[] = {"'a' and 'b'",
                                                                                        "'a' and 'c.n2'"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[600];
        sn_model *m = NULL;
        sn_err err;
        sn_err_clear(&err);
        snprintf(text, sizeof text,
                 "sinew: 1\n"
                 "nodes: {a: {at: [0, 0], slope: [1, 0]}, b: {at: [1, 0], slope: [1, 0]}, p: [0.3, 0], s: "
                 "{parameter: 0.3}}\n"
                 "elements: {c: {cable_ancf: [a, b], EA: 1e4, EI: 0.01, rhoA: 0.5, elements: 3}, m: {mass2d: "
                 "p, mass: 1}}\n"
                 "joints: {slide: {slide_on_cable: [p, s, %s]}}\n",
                 line[i]);
        assert_int_equal(sn_model_read_text("model", text, strlen(text), &m, &err), SN_ERR_INPUT);
        assert_int_equal(err.count, 1);
        assert_non_null(strstr(err.report[0].text, "no element joins"));
        assert_non_null(strstr(err.report[0].text, between[i]));
        sn_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mechanism), cmocka_unit_test(ring),
                                       cmocka_unit_test(helix), cmocka_unit_test(gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
