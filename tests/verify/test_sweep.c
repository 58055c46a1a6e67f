/* Sweeps: eigenvalues over a parameter against closed forms and published numbers. */
#include "verify/kit.h"

#include "sensitivity/vibration.h"

typedef struct swept {
    kit k;
    sn_sweep_options o;
    sn_sweep *s;
} swept;

static swept open_sweep(const char *text, const char *parameter, double from, double to, int points)
{
    swept x = {.s = NULL};
    kit_text(&x.k, text);
    x.o = sn_sweep_options_default(x.k.m, x.k.p);
    x.o.parameter = parameter, x.o.from = from, x.o.to = to, x.o.points = points;
    return x;
}

static void sweep(swept *x)
{
    static const char *const kinds[] = {"critical", "flutter", "divergence"};
    kit_good(&x->k, sn_sweep_run(x->k.m, x->k.p, &x->o, &x->s, &x->k.err));
    print_message("  %d branches, %d values\n", x->s->n_branch, x->s->n_value);
    for (int i = 0; i < x->s->n_point; i++) {
        const sn_sweep_point *p = &x->s->point[i];
        print_message("  %s at %.14g, im %.12g, %s\n", kinds[p->kind], p->parameter, p->im,
                      p->rises ? "rises" : "falls");
    }
}

static void close_sweep(swept *x)
{
    sn_sweep_free(x->s);
    kit_close(&x->k);
}

static void is_point(const swept *x, int i, sn_sweep_kind kind, double at, double im, double tolerance)
{
    assert_true(i < x->s->n_point);
    const sn_sweep_point *p = &x->s->point[i];
    assert_int_equal(p->kind, kind);
    kit_near("parameter", p->parameter, at, tolerance * fabs(at));
    kit_near("frequency", p->im, im, tolerance * 10 * im);
}

/* Meijaard et al. (2007): weave and capsize speed to 15 digits. The roots are right to 1e-12 (test_motion),
   their slopes at the zeros are of the size of the roots over the speed. */
static void test_bicycle(void **state)
{
    (void)state;
    swept x = {.s = NULL};
    kit_file(&x.k, "examples/bicycle/bicycle.yaml");
    x.o = sn_sweep_options_default(x.k.m, x.k.p);
    x.o.parameter = "speed", x.o.from = 0, x.o.to = 10, x.o.points = 30;
    sweep(&x);
    assert_int_equal(x.s->n_point, 2);
    is_point(&x, 0, SN_SWEEP_FLUTTER, 4.29238253634111, x.s->point[0].im, 1e-11);
    is_point(&x, 1, SN_SWEEP_DIVERGENCE, 6.02426201538837, 0, 1e-11);
    assert_false(x.s->point[0].rises), assert_true(x.s->point[1].rises);
    close_sweep(&x);
}

/* A disc that spins on a support that shifts and tilts: m s^2 + k = 0 and Id s^2 - i Ip W s + kt = 0, so that
   the forward whirl has frequency W where (Id - Ip) W^2 = kt and the backward one where (Id + Ip) W^2 = kt.
   Derivatives of the whirls along the branches. */
static void test_disc(void **state)
{
    (void)state;
    const double Id = 0.05, Ip = 0.02, kt = 200, k = 3e3, m = 2;
    swept x =
        open_sweep("sinew: 1\nparameters: {W: 1}\n"
                   "nodes: {hub: {at: [0, 0, 0]}, disc: {at: [0, 0, 0], spin: [0, 0, W]}}\n"
                   "elements:\n  m: {mass3d: disc, mass: 2, inertia: [0.05, 0.05, 0.02]}\n"
                   "  b: {bushing: [ground, hub], k: [3e3, 3e3, 8e3], kt: [200, 200, 1]}\n"
                   "joints: {axle: {revolute: [hub, disc], axis: [0, 0, 1]}}\nrun: {end: 1, step: 1 ms}\n",
                   "W", 0, 100, 21);
    const double line[] = {1};
    x.o.line = line, x.o.n_line = 1;
    sweep(&x);
    assert_int_equal(x.s->n_point, 5);
    is_point(&x, 0, SN_SWEEP_CRITICAL, sqrt(k / m), sqrt(k / m), 1e-10);
    is_point(&x, 1, SN_SWEEP_CRITICAL, sqrt(k / m), sqrt(k / m), 1e-10);
    is_point(&x, 2, SN_SWEEP_CRITICAL, sqrt(kt / (Id + Ip)), sqrt(kt / (Id + Ip)), 1e-10);
    is_point(&x, 3, SN_SWEEP_CRITICAL, sqrt(8e3 / m), sqrt(8e3 / m), 1e-10);
    is_point(&x, 4, SN_SWEEP_CRITICAL, sqrt(kt / (Id - Ip)), sqrt(kt / (Id - Ip)), 1e-10);
    int whirls = 0;
    for (int b = 0; b < x.s->n_branch; b++) {
        const sn_sweep_branch *w = &x.s->branch[b];
        double way = w->im[w->n - 1] - w->im[0];
        if (fabs(way) < 1) continue;
        whirls++;
        assert_true(w->n >= 21);
        for (int i = 0; i < w->n; i++) {
            double H = Ip * w->parameter[i], root = sqrt(H * H + 4 * Id * kt), sign = way > 0 ? 1 : -1;
            kit_near("whirl", w->im[i], (sign * H + root) / (2 * Id), 1e-10 * root / Id);
            /* differences over matrices of size 1e4 with steps of 3e-3 of the spin: 1e-16 * 1e4 / 0.03 */
            kit_near("its slope", w->dim[i], sign * Ip / (2 * Id) * (1 + sign * H / root), 1e-10);
            kit_near("no growth", w->re[i], 0, 1e-10 * root / Id);
        }
    }
    assert_int_equal(whirls, 2);
    close_sweep(&x);
}

/* Stodola's rotor, a disc at the free end of a massless shaft that is clamped where it turns:
   (12 - m w^2)(4 - Id w^2 + Ip W w) = 36 with EI = L = 1, and w = W gives the critical speeds. */
static double stodola(double w, double W) { return (12 - 2 * w * w) * (4 - 0.3 * w * w + 0.5 * W * w) - 36; }

static void test_stodola(void **state)
{
    (void)state;
    swept x =
        open_sweep("sinew: 1\nparameters: {W: 1}\n"
                   "nodes: {a: {at: [0, 0, 0], spin: [W, 0, 0]}, b: {at: [1, 0, 0], spin: [W, 0, 0]}}\n"
                   "elements:\n  shaft: {beam3d_cr: [a, b], EA: 1e3, EI_y: 1, EI_z: 1, GJ: 100, rhoA: 0, "
                   "rhoI_y: 0, rhoI_z: 0}\n"
                   "  disc: {mass3d: b, mass: 2, inertia: [0.5, 0.3, 0.3]}\n  stub: {mass3d: a, mass: 1, "
                   "inertia: [1, 1, 1]}\n"
                   "joints: {bearing: {revolute: [ground, a], axis: [1, 0, 0]}}\nrun: {end: 1, step: 1 ms}\n",
                   "W", 0.2, 8, 20);
    const double line[] = {1};
    x.o.line = line, x.o.n_line = 1;
    sweep(&x);
    int checked = 0, criticals = 0;
    for (int b = 0; b < x.s->n_branch; b++) {
        const sn_sweep_branch *w = &x.s->branch[b];
        for (int i = 0; i < w->n && w->im[0] < 9; i++) {
            double om = w->im[i], W = w->parameter[i], f = fmin(fabs(stodola(om, W)), fabs(stodola(-om, W)));
            kit_near("characteristic equation", f, 0, 1e-8 * (1 + pow(om, 4)));
            checked++;
        }
    }
    assert_true(checked >= 4 * 20);
    for (int i = 0; i < x.s->n_point; i++) {
        double W = x.s->point[i].parameter;
        if (x.s->point[i].im > 5) continue; /* not those of stretch and twist */
        double f = fmin(fabs(stodola(W, W)), fabs(stodola(-W, W)));
        kit_near("critical speed", f, 0, 1e-8 * (1 + pow(W, 4)));
        criticals++;
    }
    assert_true(criticals >= 2);
    close_sweep(&x);
}

/* A mass on a spring that turns with W, damped by ci in turning axes and by ce in those that stand still:
   m z'' + (ce + ci) z' + (k - i ci W) z = 0, unstable above W = w0 (1 + ce/ci), there with frequency w0. */
static void test_internal_damping(void **state)
{
    (void)state;
    const double w0 = sqrt(800 / 2.0), ci = 3, ce = 4.5;
    swept x =
        open_sweep("sinew: 1\nparameters: {W: 1}\nsignals: {turn: {polynomial: [0, W]}}\n"
                   "nodes: {hub: {at: [0, 0, 0], spin: [0, 0, W]}, disc: {at: [0, 0, 0], spin: [0, 0, W]}}\n"
                   "elements:\n  m: {mass3d: disc, mass: 2, inertia: [0.05, 0.05, 0.05]}\n"
                   "  shaft: {bushing: [hub, disc], k: [800, 800, 900], c: [3, 3, 3], kt: [900, 900, 900]}\n"
                   "  air: {bushing: [ground, disc], c: [4.5, 4.5, 4.5]}\n"
                   "joints: {axle: {revolute: [ground, hub], axis: [0, 0, 1]},\n"
                   "  drive: {rotation_drive: [ground, hub], axis: [0, 0, 1], angle: turn}}\nrun: {end: 1, "
                   "step: 1 ms}\n",
                   "W", 5, 80, 16);
    sweep(&x);
    assert_int_equal(x.s->n_point, 1);
    is_point(&x, 0, SN_SWEEP_FLUTTER, w0 * (1 + ce / ci), w0, 1e-10);
    assert_true(x.s->point[0].rises);
    close_sweep(&x);
}

/* Hunting of a wheelset: conical wheels (g) whose creep forces (f) act on the lateral motion y and the yaw r,

       m y'' + 2f/V y' + k y - 2f r = 0,    J r'' + 2f b^2/V r' + kr r + 2f b g/r0 y = 0

   By Routh's criterion it hunts above V^2 = A3 A1 D1 D2/(m J A1^2 + A3^2 a0 - A3 A1 A2), with w^2 = A1/A3.
   The creep forces are a bushing whose matrices are not symmetric. Linear algebra only. */
static void test_wheelset(void **state)
{
    (void)state;
    const double m = 1250, J = 700, f = 1e6, b = 0.75, g = 0.05, r0 = 0.45, k = 3e5, kr = 1e5;
    const double D1 = 2 * f, D2 = 2 * f * b * b, A3 = m * D2 + J * D1, A2 = m * kr + J * k,
                 A1 = D1 * kr + D2 * k, a0 = k * kr + 4 * f * f * b * g / r0;
    const double V = sqrt(A3 * A1 * D1 * D2 / (m * J * A1 * A1 + A3 * A3 * a0 - A3 * A1 * A2));
    swept x =
        open_sweep("sinew: 1\nparameters: {V: 10, f: 1e6, b: 0.75, g: 0.05, r0: 0.45, k: 3e5, kr: 1e5}\n"
                   "nodes: {w: {frame3d: [0, 0, 0]}}\nelements:\n"
                   "  set: {mass3d: w, mass: 1250, inertia: [700, 100, 700]}\n"
                   "  creep: {bushing: [ground, w],\n"
                   "    K66: [0, 0, 0, 0, 0, 0,  0, k, 0, 0, 0, -2*f,  0, 0, 0, 0, 0, 0,\n"
                   "          0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0,  0, 2*f*b*g/r0, 0, 0, 0, kr],\n"
                   "    C66: [0, 0, 0, 0, 0, 0,  0, 2*f/V, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0,\n"
                   "          0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 2*f*b^2/V]}\n"
                   "joints: {track: {fixed: w, only: [x, z, rx, ry]}}\nrun: {end: 1, step: 1 ms}\n",
                   "V", 10, 60, 20);
    sweep(&x);
    assert_int_equal(x.s->n_point, 1);
    is_point(&x, 0, SN_SWEEP_FLUTTER, V, sqrt(A1 / A3), 1e-9);
    assert_true(x.s->point[0].rises);
    close_sweep(&x);
}

/* The load of a cantilever at which it flutters (follower) or buckles. */
static double column(int elements, const char *follower, double to, sn_sweep_kind kind)
{
    char text[600];
    snprintf(text, sizeof text,
             "sinew: 1\nparameters: {P: 1}\nnodes: {a: [0, 0], b: [1, 0]}\nelements:\n"
             "  beam: {beam2d_cr: [a, b], EA: 1e6, EI: 1, rhoA: 1, elements: %d}\n"
             "  load: {force2d: b, force: [-P, 0], follower: %s}\n"
             "joints: {clamp: {fixed: a}}\nrun: {end: 1, step: 1 ms}\n",
             elements, follower);
    swept x = open_sweep(text, "P", 0, to, 20);
    x.o.at_static = 1, x.o.modes = 4;
    sweep(&x);
    assert_int_equal(x.s->n_point, 1);
    assert_int_equal(x.s->point[0].kind, kind);
    assert_true(x.s->point[0].rises);
    double P = x.s->point[0].parameter;
    close_sweep(&x);
    return P;
}

/* The element's geometric stiffness is that of its chord: an error of order h^2, of which extrapolation
   leaves h^4, 1e-4 or so of the load. (EA = 1e6: shortened by P/EA = 2e-5.) */
static void test_columns(void **state)
{
    (void)state;
    double b1 = column(10, "yes", 25, SN_SWEEP_FLUTTER), b2 = column(20, "yes", 25, SN_SWEEP_FLUTTER),
           e1 = column(10, "no", 4, SN_SWEEP_DIVERGENCE), e2 = column(20, "no", 4, SN_SWEEP_DIVERGENCE),
           beck = b2 + (b2 - b1) / 3, euler = e2 + (e2 - e1) / 3, pi = acos(-1);
    print_message("  Beck %.8f (20.0509), Euler %.10f (%.10f)\n", beck, euler, pi * pi / 4);
    kit_near("Beck's load", beck, 20.0509, 20.05 * 5e-4);
    kit_near("Euler's load", euler, pi * pi / 4, 1e-4);
    /* and the order itself */
    kit_near("order of Beck's", (b1 - 20.0509) / (b2 - 20.0509), 4, 0.3);
    kit_near("order of Euler's", (e1 - pi * pi / 4) / (e2 - pi * pi / 4), 4, 0.3);
}

/* Two oscillators, of 1 rad/s and of sqrt(p) rad/s: uncoupled their branches cross, coupled by a weak spring
   they veer. */
static void two_oscillators(double coupling, int crosses)
{
    char text[800];
    static const char *const form =
        "sinew: 1\nparameters: {p: 1}\nnodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"
        "elements:\n  ma: {mass3d: a, mass: 1, inertia: [1, 1, 1]}\n  mb: {mass3d: b, mass: 1, inertia: [1, "
        "1, 1]}\n"
        "  ka: {bushing: [ground, a], k: [1, 0, 0], at: [0, 0, 0]}\n"
        "  kb: {bushing: [ground, b], k: [p, 0, 0], at: [1, 0, 0]}\n"
        "  kc: {bushing: [a, b], k: [%g, 0, 0], at: [0, 0, 0]}\n"
        "joints: {ga: {fixed: a, only: [y, z, rx, ry, rz]}, gb: {fixed: b, only: [y, z, rx, ry, rz]}}\n"
        "run: {end: 1, step: 1 ms}\n";
    snprintf(text, sizeof text, form, coupling);
    swept x = open_sweep(text, "p", 0.5, 1.5, 8);
    sweep(&x);
    assert_int_equal(x.s->n_branch, 2);
    for (int b = 0; b < 2; b++) {
        const sn_sweep_branch *w = &x.s->branch[b];
        assert_float_equal(w->parameter[w->n - 1], 1.5, 0);
        for (int i = 0; i < w->n; i++) {
            double p = w->parameter[i], s = (1 + p) / 2 + coupling, d = hypot((1 - p) / 2, coupling);
            double low = sqrt(s - d), high = sqrt(s + d);
            /* branch 1 starts as the slower one */
            double expect = crosses ? (b ? 1 : sqrt(p)) : (b ? high : low);
            kit_near("frequency", w->im[i], expect, 1e-11);
        }
    }
    close_sweep(&x);
}

static void test_crossing_and_veering(void **state)
{
    (void)state;
    two_oscillators(0, 1);
    two_oscillators(0.01, 0);
}

/* m s^2 + c s + k with c^2 = 4 k m: one double root with one vector. */
static void test_defective(void **state)
{
    (void)state;
    char said[1200] = "";
    kit k;
    kit_text(&k, "sinew: 1\nparameters: {k: 4}\nnodes: {a: [1, 0]}\nelements:\n  m: {mass2d: a, mass: 1}\n"
                 "  s: {spring2d: [ground, a], k: k, c: 4}\njoints: {g: {fixed: a, only: [y]}}\n"
                 "run: {end: 1, step: 1 ms}\n");
    int id = -1;
    sn_arena arena = {0};
    sn_oscillations all;
    sn_vibration *v;
    sn_mode_jet jet;
    id = sn_quantity_find(k.m, "k");
    sn_vibration_request r = {.run = k.o, .np = 1, .id = &id};
    r.run.exact = 1;
    kit_good(&k, sn_vibration_new(k.m, k.p, &r, &v, &k.err));
    kit_good(&k, sn_vibration_modes(v, &arena, 1, &all, &k.err));
    assert_true(all.n >= 1);
    assert_int_equal(sn_vibration_jet(v, &arena, &all, 0, 1, &jet, &k.err), SN_ERR_NUMERIC);
    sn_report_format(&k.err.report[0], said, sizeof said);
    assert_non_null(strstr(said, "defective: its derivative does not exist"));
    sn_vibration_free(v);
    sn_arena_free(&arena);
    kit_close(&k);
}

static void refused(const char *parameter, double from, double to, const char *words)
{
    char said[1200] = "";
    swept x = open_sweep("sinew: 1\nparameters: {stiff: 4, none: 1}\nnodes: {a: [0, 0]}\nelements:\n"
                         "  m: {mass2d: a, mass: 1}\n  s: {spring2d: [ground, a], k: stiff}\n"
                         "joints: {g: {fixed: a, only: [y]}}\nrun: {end: 1, step: 1 ms}\n",
                         parameter, from, to, 5);
    assert_int_equal(sn_sweep_run(x.k.m, x.k.p, &x.o, &x.s, &x.k.err), SN_ERR_INPUT);
    sn_report_format(&x.k.err.report[0], said, sizeof said);
    if (!strstr(said, words)) fail_msg("'%s' does not say '%s'", said, words);
    close_sweep(&x);
}

static void test_bad_input(void **state)
{
    (void)state;
    refused("stif", 0, 1, "stiff");
    refused("none", 0, 1, "nothing in the model depends on 'none'");
    refused("stiff", 2, 2, "goes from 2 to 2");
    refused("stiff", 1, -1, "stiff"); /* a negative stiffness on the way */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bicycle),
        cmocka_unit_test(test_disc),
        cmocka_unit_test(test_stodola),
        cmocka_unit_test(test_internal_damping),
        cmocka_unit_test(test_wheelset),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_crossing_and_veering),
        cmocka_unit_test(test_defective),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
