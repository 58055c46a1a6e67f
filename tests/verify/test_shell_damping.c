/* Damping of shells: modes of a clamped plate against those without it, a mode that dies away in time, a
   strained shell that turns as a whole, derivatives. */
#include "verify/gradient.h"

enum { MODES = 8, COORDINATES = 256 };

static const char *const kind[] = {"shell4_mitc", "shell3_mitc"};

/* A plate of n x m pieces clamped along an edge, its middle surface beside the nodes; `numbers` of the
 * element */
static void open_plate(kit *k, int i, int n, int m, const char *numbers)
{
    char text[1024];
    snprintf(text, sizeof text,
             "sinew: 1\n"
             "meshes: {p: {patch: , corners: [[0, 0, 0], [1, 0, 0], [1.1, 0.5, 0.1], [0, 0.6, 0]], "
             "elements: [%d, %d]}}\n"
             "elements: {plate: {%s: p, E: 2e8, nu: 0.3, rho: 500, thickness: 0.02, offset: 3 mm, %s}}\n"
             "joints: {wall: {fixed: p.edge4}}\n"
             "sensors: {tip: {position: p.n%d_%d}, e: {energy: all}}\n"
             "run: {end: 1, step: 1 ms, scheme: newmark, tolerance: 1e-10}\n",
             n, m, kind[i], numbers, n, m);
    kit_text(k, text);
}

typedef struct roots {
    double omega[MODES], growth[MODES], shape[COORDINATES];
    int n;
} roots;

static sn_status keep(void *ctx, int i, const sn_mode *mode, const sn_frame *at, sn_err *err)
{
    roots *r = ctx;
    (void)at, (void)err;
    if (i < MODES) r->omega[i] = mode->omega, r->growth[i] = mode->growth;
    if (i == 0) memcpy(r->shape, mode->shape, sizeof *r->shape * (size_t)r->n);
    return SN_OK;
}

static void modes_of(kit *k, int undamped, roots *r)
{
    int found = 0;
    sn_mode_options o = sn_mode_options_default(k->m, k->p);
    o.n = MODES, o.mode = keep, o.ctx = r, o.undamped = undamped, o.method = "dense";
    assert_true(k->m->nv <= COORDINATES);
    r->n = k->m->nv;
    kit_good(k, sn_modes(k->m, k->p, &o, &found, &k->err));
    assert_int_equal(found, MODES);
}

/* At rest C = d K + c M, so that each mode is s^2 + (c + d w^2) s + w^2 = 0: growth -(c + d w^2)/2, that is
   zeta = d w/2 + c/(2 w). Roots lose the ratio of the largest to them, 1e4 here, of 16 digits, squared where
   they come from w^2: 1e-8. */
static void test_modes(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        kit k;
        roots free_of, damped;
        const double d = 1e-4, c = 0.7;
        open_plate(&k, i, 3, 2, "damping: 1e-4, damping_mass: 0.7");
        modes_of(&k, 1, &free_of);
        modes_of(&k, 0, &damped);
        for (int j = 0; j < MODES; j++) {
            const double w = free_of.omega[j], g = -0.5 * (c + d * w * w);
            kit_near("growth", damped.growth[j] / g, 1, 1e-8 * w / -g);
            kit_near("omega", damped.omega[j] / sqrt(w * w - g * g), 1, 1e-8);
        }
        kit_close(&k);
    }
}

/* The first mode, from a velocity e of its shape: x = e/wd exp(-zeta w t) sin(wd t). Newmark's period is
   (w h)^2/12 too long: at 200 steps a period 8e-5 of each radian, 13 of which are seen, and the second order
   in e is 1e-4 of it at most. */
static void test_decay(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        kit k;
        roots r;
        const double zeta = 0.05, pi = acos(-1), e = 1e-4;
        open_plate(&k, i, 3, 2, "drill: 1");
        modes_of(&k, 1, &r);
        const double w = r.omega[0], wd = w * sqrt(1 - zeta * zeta), period = 2 * pi / wd;
        kit_set(&k, "plate.damping", 2 * zeta / w);
        double shape = 0;
        for (int n = 0; n < k.m->n_node; n++) {
            static const char axis[] = "xyz";
            const sn_node *node = &k.m->node[n];
            for (int l = 0; l < 6 && !node->ground; l++) {
                char name[96];
                const double v = r.shape[node->v + l];
                snprintf(name, sizeof name, "nodes.%s.%s.%c", node->name, l < 3 ? "velocity" : "spin",
                         axis[l % 3]);
                kit_set(&k, name, e * v);
                if (l == 2 && !strcmp(node->name, "p.n3_2")) shape = e * v;
            }
        }
        kit_update(&k);
        k.o.step = period / 200;
        for (int n = 1; n <= 4; n++) {
            const double t = (0.25 + 0.5 * n) * period, x = shape / wd * exp(-zeta * w * t);
            double y;
            kit_values(&k, t, 1, (const char *const[]){"tip.z"}, &y);
            kit_near("tip", (y - 0.1) / (x * sin(wd * t)), 1, 1.2e-3);
        }
        kit_close(&k);
    }
}

/* A strained shell that turns as a whole: no damping of the deformation, so that it is accelerated as one
   without; where a node moves besides it is not. */
static void test_turning(void **state)
{
    (void)state;
    static const char *const a[] = {"a.x", "a.y", "a.z", "b.x", "b.y", "b.z"};
    for (int i = 0; i < 2; i++)
        for (int moves = 0; moves < 2; moves++) {
            char text[2048];
            double y[2][6], worst = 0, most = 0;
            snprintf(text, sizeof text,
                     "sinew: 1\n"
                     "nodes:\n"
                     "  a: {frame3d: [0, 0, 0], velocity: [0, %d, 0], spin: [0, 0, 3]}\n"
                     "  b: {frame3d: [1, 0, 0], displacement: [0.1, 0.05, 0.1], velocity: [-0.15, 3.3, 0], "
                     "rotation: [0, 0, 0.2], spin: [0, 0, 3]}\n"
                     "  c: {frame3d: [1, 1, 0], displacement: [0, 0.1, -0.1], velocity: [-3.3, 3, 0], "
                     "rotation: [0, 0, -0.3], spin: [0, 0, 3]}\n"
                     "  d: {frame3d: [0, 1, 0], velocity: [-3, 0, 0], spin: [0, 0, 3]}\n"
                     "elements: {shell: {%s: [a, b, c%s], E: 1e3, nu: 0.3, rho: 10, thickness: 0.1, offset: "
                     "0.02}%s}\n"
                     "sensors: {a: {acceleration: a}, b: {acceleration: b}}\n"
                     "run: {end: 1e-3, step: 1e-3}\n",
                     moves, kind[i], i ? "" : ", d",
                     i ? ", other: {shell3_mitc: [a, c, d], E: 1e3, nu: 0.3, rho: 10, thickness: 0.1}" : "");
            for (int damped = 0; damped < 2; damped++) {
                kit k;
                kit_text(&k, text);
                kit_set(&k, "shell.damping", damped ? 0.1 : 0);
                kit_update(&k);
                kit_points(&k, 6, a, (const double[6]){0}, y[damped]);
                kit_close(&k);
            }
            for (int j = 0; j < 6; j++)
                worst = fmax(worst, fabs(y[0][j] - y[1][j])), most = fmax(most, fabs(y[0][j]));
            if (moves)
                assert_true(worst > 1e-3 * most);
            else
                kit_near("acceleration", worst / most, 0, 1e-12);
        }
}

/* By damping, material, sizes and places, at values where both are damped */
static void test_derivatives(void **state)
{
    (void)state;
    static const char *const wrt[] = {"plate.damping",      "plate.damping_mass", "plate.E",
                                      "plate.thickness",    "plate.offset",       "plate.drill",
                                      "meshes.p.corners.4", "plate.rho"},
                             *const of[] = {"tip.z@0.0233 + 0.3*tip.x@0.0233", "integral(tip.z)",
                                            "e.kinetic@0.0212"};
    for (int i = 0; i < 2; i++) {
        grad g[1];
        memset(g, 0, sizeof g);
        open_plate(&g->k, i, 2, 1, "damping: 2e-3, damping_mass: 1.5");
        g->o = sn_gradient_options_default(g->k.m, g->k.p);
        kit_set(&g->k, "nodes.p.n2_0.velocity.z", 2);
        kit_set(&g->k, "nodes.p.n2_1.velocity.z", 3);
        g->o.run.end = 0.024, g->o.run.step = 2e-3;
        kit_update(&g->k);
        grad_wrt(g, sizeof wrt / sizeof *wrt, wrt), grad_of(g, sizeof of / sizeof *of, of);
        grad_agree(g, kind[i]);
        kit_close(&g->k);
    }
}

/* A thin stiff shell, by a radius: at the start the stiffness times the moving nodes is 1e8 N, the inertia of
   a director 6e-8 kg m^2, so that nothing may be left of the one by rounding before it is divided by the
   other. Errors of differences: those of the steps, 1e-10 of the strain (1e-5), and more where rounding is
   all there is. */
static void test_thin(void **state)
{
    (void)state;
    static const char *const wrt[] = {"R"}, *const of[] = {"g.strain"};
    static const char model[] =
        "sinew: 1\ngravity: [0, 0, -0.981]\nparameters: {R: 0.5 m}\n"
        "meshes: {c: {cone: , radius1: R, radius2: 0.3 m, length: 0.8 m, angle: 120 deg, elements: [5, 4]}}\n"
        "elements: {s: {%s: c, E: 1e11, nu: 0.3, rho: 1600, thickness: 1.2 mm, damping: 1 ms}}\n"
        "joints: {root: {fixed: c.edge1}}\n"
        "sensors: {g: {strain_gauge: s, piece: 9, at: [0.3, -0.4], angle: 25 deg}}\n"
        "run: {end: 4 ms, step: 0.1 ms}\n";
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text, model, kind[i]);
        grad *g = grad_text(text);
        grad_wrt(g, 1, wrt), grad_of(g, 1, of);
        double *known, *f = grad_by(g, SN_GRADIENT_FORWARD, NULL), *a = grad_by(g, SN_GRADIENT_ADJOINT, NULL);
        double *d = grad_by(g, SN_GRADIENT_DIFFERENCES, &known);
        print_message("  %s: %.9g, %.9g, differences %.9g +- %.1e\n", kind[i], f[0], a[0], d[0], known[0]);
        assert_true(d[0] != 0);
        kit_near("forward", f[0], d[0], 1e-4 * fabs(d[0]));
        kit_near("adjoint", a[0], d[0], 1e-4 * fabs(d[0]));
        free(f), free(a), free(d), free(known);
        kit_close(&g->k);
        free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes),       cmocka_unit_test(test_decay), cmocka_unit_test(test_turning),
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_thin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
