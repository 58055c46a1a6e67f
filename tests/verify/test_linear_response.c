/* Responses of linear systems against independent ones: the frequency response that identification uses, runs
   of the nonlinear model with a small input, equilibria. */
#include "verify/linear_kit.h"

#include "sensitivity/vibration.h"

/* ---- against the dense equations with multipliers ---- */

/* Both solve the same equations, once with all coordinates and multipliers, once reduced: they agree to
   rounding times the spread of the stiffness (1e5) at most. */
static void same_response(const char *text, int at_static, const char *input)
{
    kit at;
    linear y;
    sn_vibration *v;
    sn_response *r;
    kit_text(&at, text);
    int channels = sn_channel_count(at.m), all[LINEAR_MOST], id = -1;
    for (int i = 0; i < channels; i++) all[i] = i;
    linear_options(&at, &y);
    y.o.input = &input, y.o.n_input = 1, y.o.at_static = at_static;
    linear_make(&at, &y);
    id = sn_quantity_find(at.m, input);
    const sn_vibration_input in = {id, -1};
    const sn_vibration_request q = {.run = at.o,
                                    .at_static = at_static,
                                    .n_channel = channels,
                                    .n_input = 1,
                                    .channel = all,
                                    .input = &in};
    kit_good(&at, sn_vibration_new(at.m, at.p, &q, &v, &at.err));
    kit_good(&at, sn_response_new(v, &r, &at.err));
    double worst = 0, fastest = 0;
    for (int i = 0; i < y.n; i++) fastest = fmax(fastest, hypot(y.poles[2 * i], y.poles[2 * i + 1]));
    for (double w = 0.7; w < 2000; w *= 2.3) {
        double complex H[LINEAR_MOST];
        double top[4] = {
            0}; /* displacements, velocities, accelerations, forces: each kind has its own size */
        int kind[LINEAR_MOST];
        kit_good(&at, sn_response_at(r, w, H, NULL, &at.err));
        for (int i = 0; i < channels; i++) {
            sn_channel c = sn_channel_get(at.m, i);
            kind[i] = c.unit[0] == 'N' ? 3 : strstr(c.unit, "/s^2") ? 2 : strstr(c.unit, "/s") ? 1 : 0;
            top[kind[i]] = fmax(top[kind[i]], cabs(H[i]));
        }
        for (int i = 0; i < channels; i++) {
            double off = cabs(linear_response(&y, y.output[i], y.input[0], I * w) - H[i]);
            /* x'' = A x + B u has the rounding of what the fastest state would do with these displacements */
            double rounding = kind[i] == 2 ? 1e-15 / 1e-10 * fastest * fastest * top[0] : 0;
            if (top[kind[i]] > 0) worst = fmax(worst, off / (top[kind[i]] + rounding));
        }
    }
    print_message("  worst difference %.1e of the largest\n", worst);
    assert_true(worst < 1e-10);
    sn_response_free(r), sn_vibration_free(v);
    linear_free(&y), kit_close(&at);
}

static void test_vibration(void **state)
{
    (void)state;
    same_response(
        "sinew: 1\ngravity: [0, -9.81]\nparameters: {F: 1}\nnodes: {root: [0, 0], tip: [1, 0]}\n"
        "elements: {beam: {beam2d_cr: [root, tip], EA: 1e5, EI: 2, rhoA: 0.5, elements: 4, damping: 1 ms},\n"
        "  f: {force2d: tip, force: [0.3*F, F]}}\njoints: {wall: {fixed: root}}\n"
        "sensors: {x: {position: tip}, v: {velocity: tip}, a: {acceleration: tip}, r: {reaction: wall}, "
        "n: {force: beam}}\nrun: {end: 1, step: 1 ms}\n",
        1, "F");
    /* dry friction in a guide that presses: dr/dlam is not B' */
    same_response(
        "sinew: 1\ngravity: [0, -9.81]\nparameters: {F: 1}\nnodes: {s: {frame2d: [1, 0]}, b: [1.4, -0.7], w: "
        "[2, 0]}\n"
        "elements: {m: {mass2d: s, mass: 2, inertia: 0.1}, mb: {mass2d: b, mass: 1},\n"
        "  k: {spring2d: [ground, s], k: 400}, "
        "k2: {spring2d: [s, b], k: 5000, c: 3}, k3: {spring2d: [b, w], k: 3000},\n"
        "  f: {force2d: b, force: [F, F]}}\n"
        "joints: {wall: {fixed: w}, guide: {prismatic2d: [ground, s], axis: [1, 0], mu: 0.2, c: 2, v0: "
        "0.01}}\n"
        "sensors: {x: {position: s}, b: {position: b}, a: {acceleration: s}, r: {reaction: guide}}\n"
        "run: {end: 1, step: 1 ms}\n",
        1, "F");
}

/* ---- against runs ---- */

/* y(t) for the input u = t from rest, by the exponential of the matrix with u and u' beside: scaled, summed,
   squared. */
static void ramp_response(const linear *y, int input, double t, double *out)
{
    const int n = y->n + 2;
    double *E = calloc((size_t)(n * n), sizeof *E), *P = calloc((size_t)(n * n), sizeof *P),
           *Q = calloc((size_t)(n * n), sizeof *Q), *M = calloc((size_t)(n * n), sizeof *M), size = 0;
    for (int i = 0; i < y->n; i++) {
        for (int j = 0; j < y->n; j++) M[i * n + j] = y->A[i * y->n + j] * t;
        M[i * n + y->n] = y->B[i * y->ni + input] * t;
    }
    M[y->n * n + y->n + 1] = t;
    for (int i = 0; i < n * n; i++) size = fmax(size, fabs(M[i]));
    int halves = (int)ceil(log2(size * n + 1)) + 3;
    for (int i = 0; i < n * n; i++) M[i] = ldexp(M[i], -halves);
    for (int i = 0; i < n; i++) E[i * n + i] = P[i * n + i] = 1;
    for (int k = 1; k < 20; k++) {
        memset(Q, 0, sizeof *Q * (size_t)(n * n));
        for (int i = 0; i < n; i++)
            for (int l = 0; l < n; l++)
                for (int j = 0; j < n; j++) Q[i * n + j] += P[i * n + l] * M[l * n + j] / k;
        memcpy(P, Q, sizeof *P * (size_t)(n * n));
        for (int i = 0; i < n * n; i++) E[i] += P[i];
    }
    for (int k = 0; k < halves; k++) {
        memset(Q, 0, sizeof *Q * (size_t)(n * n));
        for (int i = 0; i < n; i++)
            for (int l = 0; l < n; l++)
                for (int j = 0; j < n; j++) Q[i * n + j] += E[i * n + l] * E[l * n + j];
        memcpy(E, Q, sizeof *E * (size_t)(n * n));
    }
    for (int o = 0; o < y->no; o++) {
        out[o] = y->D[o * y->ni + input] * t;
        for (int j = 0; j < y->n; j++) out[o] += y->C[o * y->n + j] * E[j * n + y->n + 1];
    }
    free(E), free(P), free(Q), free(M);
}

/* (y(u) - y(-u))/2u of runs with the input u t: the linear response, but for u^2 and the square of the step.
 */
static void run_response(kit *at, double u, double t, double step, double *out)
{
    int channels = sn_channel_count(at->m);
    double y[2][LINEAR_MOST];
    for (int side = 0; side < 2; side++) {
        sn_sim *sim;
        sn_frame f;
        double value[2] = {0, side ? u : -u};
        sn_run_options o = at->o;
        o.step = step, o.exact = SN_EXACT_STATES, o.scheme = "newmark";
        kit_good(at, sn_sim_open(at->m, at->p, &o, &sim, &at->err));
        kit_good(at, sn_sim_start(sim, &at->err));
        kit_good(at, sn_sim_input(sim, 0, 1, value, &at->err));
        kit_good(at, sn_sim_step(sim, t, &at->err));
        kit_good(at, sn_sim_read(sim, &f, &at->err));
        memcpy(y[side], f.y, sizeof(double) * (size_t)channels);
        sn_sim_close(sim);
    }
    for (int i = 0; i < channels; i++) out[i] = (y[1][i] - y[0][i]) / (2 * u);
}

/* The run extrapolated to a step of 0: its error has h^2 and, small, h^3 and h^4. */
static void same_as_run(kit *at, const char *const *outputs, int n, double u, double t, double step,
                        double tolerance)
{
    linear y;
    double want[LINEAR_MOST], coarse[LINEAR_MOST], fine[LINEAR_MOST], twice[LINEAR_MOST];
    linear_options(at, &y), linear_make(at, &y);
    assert_int_equal(y.order[0], 0);
    ramp_response(&y, 0, t, want);
    run_response(at, u, t, step, coarse), run_response(at, u, t, step / 2, fine);
    run_response(at, 2 * u, t, step / 2, twice);
    for (int k = 0; k < n; k++) {
        int i = linear_index(y.output, y.no, outputs[k]);
        double limit = fine[i] + (fine[i] - coarse[i]) / 3, bend = (twice[i] - fine[i]) / 3;
        print_message("  %-10s %.10g, runs %.10g (step %.1e, amplitude %.1e)\n", outputs[k], want[i],
                      limit - bend, (fine[i] - coarse[i]) / want[i], bend / want[i]);
        kit_near(outputs[k], limit - bend, want[i], tolerance * fabs(want[i]));
    }
    linear_free(&y);
}

/* A disk that spins, fast, on springs between its axis and the ground, pushed aside above its centre:
   gyroscopic moments couple both directions. In the plane of the disk springs of no free length, along it a
   long one. */
static void test_rotor(void **state)
{
    static const char *const outputs[] = {"a.x", "a.y", "v.x", "v.y", "v.rx", "v.ry"};
    kit at;
    (void)state;
    kit_text(
        &at,
        "sinew: 1\nnodes: {c: {at: [0, 0, 0], spin: [0, 0, 200]}}\nsignals: {push: {input: 0}}\n"
        "elements: {m: {mass3d: c, mass: 4, inertia: [0.05, 0.05, 0.08]},\n"
        "  s1: {spring3d: [ground, c], k: 2000, c: 3, l0: 0.1, point1: [0, 0, 0.5], point2: [0, 0, 0.3]},\n"
        "  s2: {spring3d: [ground, c], k: 2000, c: 2, l0: 0.2, point1: [0, 0, -0.6], point2: [0, 0, -0.3]},\n"
        "  f: {force3d: c, force: [push, 0, 0], point: [0, 0, 0.3]}}\n"
        "sensors: {a: {position: c}, v: {velocity: c}}\n"
        "run: {end: 1, step: 0.2 ms}\n");
    linear y;
    linear_options(&at, &y), linear_make(&at, &y);
    assert_int_equal(y.about, SN_LINEAR_STEADY);
    linear_free(&y);
    /* the fastest root is that of the nutation, 0.08/0.05 * 200 = 320 1/s: (320 * 0.1 ms)^3 = 3e-5, which is
       a part of the turning alone; half of that stays for the rest */
    same_as_run(&at, outputs, 6, 1, 0.1, 1e-4, 3e-5);
    kit_close(&at);
}

/* The bicycle at 5 m/s with a steering torque: the published roots, and the run that begins to turn. */
static void test_bicycle(void **state)
{
    static const char *const outputs[] = {"roll.rx", "roll.rz", "body.y"};
    static const double complex root[] = {-14.07838969279822, -0.775341882195845 + 4.464867713788231 * I,
                                          -0.775341882195845 - 4.464867713788231 * I, -0.322866429004087};
    kit at;
    linear y;
    char text[8000], path[1024];
    (void)state;
    snprintf(path, sizeof path, "%s/examples/bicycle/bicycle.yaml", SN_SOURCE_DIR);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 600, f);
    fclose(f);
    text[n] = 0;
    char *elements = strstr(text, "\nelements:\n");
    assert_non_null(elements);
    static const char more[] =
        "\nsignals: {steer: {input: 0}}\n\nelements:\n"
        "  t1: {force3d: fork, torque: [-sin(tilt)*steer, 0, cos(tilt)*steer], follower: yes}\n"
        "  t2: {force3d: body, torque: [sin(tilt)*steer, 0, -cos(tilt)*steer], follower: yes}\n";
    size_t old = strlen("\nelements:\n"), add = strlen(more);
    memmove(elements + add, elements + old, strlen(elements + old) + 1);
    memcpy(elements, more, add);
    kit_text(&at, text);
    linear_options(&at, &y), linear_make(&at, &y);
    assert_int_equal(y.about, SN_LINEAR_STEADY);
    assert_int_equal(y.n, 10);
    for (size_t r = 0; r < 4; r++) {
        double apart = INFINITY;
        for (int i = 0; i < y.n; i++)
            apart = fmin(apart, cabs(y.poles[2 * i] + I * y.poles[2 * i + 1] - root[r]));
        assert_true(apart < 1e-11 * cabs(root[r]));
    }
    linear_free(&y);
    /* h^3 of the fastest root is left, (14 * 1 ms)^3 */
    same_as_run(&at, outputs, 3, 0.1, 0.4, 1e-3, 3e-6);
    kit_close(&at);
}

/* ---- against equilibria ---- */

/* The gain at rest is the derivative of the equilibrium: of a cantilever that hangs low, by central
   differences of sixth order with a step of 1 % of the load. */
static void test_static_gain(void **state)
{
    static const double f[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    const char *input = "F";
    kit at;
    linear y;
    (void)state;
    kit_text(&at, "sinew: 1\nparameters: {F: 3}\nnodes: {root: [0, 0], tip: [1, 0]}\n"
                  "elements: {beam: {beam2d_cr: [root, tip], EA: 1e4, EI: 2, rhoA: 0.5, elements: 6},\n"
                  "  f: {force2d: tip, force: [0, -F]}}\njoints: {wall: {fixed: root}}\n"
                  "sensors: {x: {position: tip}, r: {reaction: wall}, n: {force: beam}}\n");
    at.o.tolerance = 1e-12;
    linear_options(&at, &y);
    y.o.input = &input, y.o.n_input = 1, y.o.at_static = 1;
    linear_make(&at, &y);
    double want[LINEAR_MOST] = {0}, x[LINEAR_MOST];
    for (int j = -3; j <= 3; j++) {
        if (!j) continue;
        kit_set(&at, "F", 3 + j * 0.03), kit_update(&at);
        kit_good(&at, sn_static(at.m, at.p, &at.o, x, &at.info, &at.err));
        for (int i = 0; i < y.no; i++) want[i] += (j > 0 ? 1 : -1) * f[abs(j) - 1] * x[i] / 0.03;
    }
    for (int i = 0; i < y.no; i++) {
        double gain = creal(linear_response(&y, y.output[i], "F", 0));
        print_message("  %-10s %.12g %.12g\n", y.output[i], gain, want[i]);
        kit_near(y.output[i], gain, want[i], 1e-8 * fmax(fabs(want[i]), 1));
    }
    linear_free(&y), kit_close(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vibration),
        cmocka_unit_test(test_rotor),
        cmocka_unit_test(test_bicycle),
        cmocka_unit_test(test_static_gain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
