/* Steady motions: found from starts beside them, and small motions about them. */
#include "verify/kit.h"

#include "analysis/state_space.h"
#include "math/rot3.h"

#include <complex.h>

typedef struct steady {
    kit k;
    sn_context d;
    sn_info info;
    sn_motion *p;
    sn_steadiness what;
    char by[SN_NAME_SIZE];
    sn_state_space *s;
    sn_arena arena;
    sn_eigen e;
} steady;

static void find(steady *y)
{
    kit *k = &y->k;
    kit_good(k, sn_context_open(k->m, k->p, &k->o, &y->info, &y->d, &k->err));
    kit_good(k, sn_operating_point(&y->d, SN_AT_STEADY, 0, &k->err));
}

static void eigenvalues(steady *y)
{
    kit *k = &y->k;
    kit_good(k, sn_motion_new(&y->d, &y->p, &k->err));
    kit_good(k, sn_motion_axes(y->p, &y->what, y->by, &k->err));
    assert_int_equal(y->what, SN_STEADY);
    kit_good(k, sn_state_space_new(y->p, &y->s, &k->err));
    kit_good(k, sn_state_space_eigen(y->s, &y->arena, &y->e, &k->err));
}

static void forget(steady *y)
{
    sn_arena_free(&y->arena);
    sn_state_space_free(y->s);
    sn_motion_free(y->p);
    sn_context_close(&y->d);
    kit_close(&y->k);
}

static void has(const steady *y, double complex s, double tolerance)
{
    double apart = INFINITY;
    for (int i = 0; i < y->e.n; i++) apart = fmin(apart, cabs(y->e.s[i] - s));
    if (!(apart <= tolerance * cabs(s)))
        fail_msg("no eigenvalue %.15g %+.15gi, the nearest is %.3g off", creal(s), cimag(s), apart);
}

static const sn_node *node(const steady *y, const char *name)
{
    for (int i = 0; i < y->k.m->n_node; i++)
        if (!strcmp(y->k.m->node[i].name, name)) return &y->k.m->node[i];
    fail_msg("no node %s", name);
    return NULL;
}

/* A point mass on a spring to a fixed point: r = k l/(k - m w^2), in the plane and in space. Newton's method
   ends at rounding: 1e-12. About it, with x = m w^2/k: small motions in turning axes have s = 0 twice (a
   place around, a speed) and s^2 = -(k + 3 m w^2)/m. */
static void test_spring(void **state)
{
    static const char *const text[2] = {
        "sinew: 1\nparameters: {w: 5}\nnodes: {mass: {at: [1, 0], velocity: [0, w]}}\n"
        "elements: {m: {mass2d: mass, mass: 1}, s: {spring2d: [ground, mass], k: 100}}\n"
        "run: {end: 1, step: 1 ms}\n",
        "sinew: 1\nparameters: {w: 5}\nnodes: {mass: {at: [1, 0, 0], velocity: [0, 0, w]}}\n"
        "elements: {m: {mass3d: mass, mass: 1}, s: {spring3d: [ground, mass], k: 100}}\n"
        "run: {end: 1, step: 1 ms}\n"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        steady y = {0};
        kit_text(&y.k, text[i]);
        find(&y);
        const sn_node *n = node(&y, "mass");
        const double *x = y.d.x->q + n->q, *v = y.d.x->v + n->v;
        kit_near("radius", x[0], 100.0 / (100 - 25), 1e-12);
        kit_near("speed", v[i ? 2 : 1], 5 * x[0], 1e-11);
        eigenvalues(&y);
        has(&y, I * sqrt(100 + 3 * 25), 1e-9);
        forget(&y);
    }
}

/* Watt's governor: two balls m on arms l from a point of the axis, and arms l from there down to a sleeve M:
   cos(angle) = (m + M) g/(m w^2 l). */
static void test_governor(void **state)
{
    (void)state;
    steady y = {0};
    kit_text(&y.k,
             "sinew: 1\ngravity: [0, 0, -9.81]\nparameters: {w: 10, c: 0.3, s: 0.4}\n"
             "nodes:\n  a: {at: [s, 0, -c], velocity: [0, w*s, 0]}\n"
             "  b: {at: [-s, 0, -c], velocity: [0, -w*s, 0]}\n  sleeve: {at: [0, 0, -2*c]}\n"
             "elements: {a: {mass3d: a, mass: 1}, b: {mass3d: b, mass: 1}, m: {mass3d: sleeve, mass: 2}}\n"
             "joints:\n  a1: {distance: [ground, a]}\n  a2: {distance: [a, sleeve]}\n"
             "  b1: {distance: [ground, b]}\n  b2: {distance: [b, sleeve]}\n"
             "  axis: {point_on_line: [ground, sleeve], axis: [0, 0, 1]}\n"
             "run: {end: 1, step: 1 ms}\n");
    find(&y);
    const double *x = y.d.x->q + node(&y, "a")->q, *v = y.d.x->v + node(&y, "a")->v;
    const double l = 0.5, c = 3 * 9.81 / (100 * l), radius = hypot(x[0], x[1]);
    kit_near("height of the balls", -x[2], c * l, 1e-12);
    kit_near("speed of the balls", hypot(v[0], v[1]), 10 * radius, 1e-11);
    forget(&y);
}

/* A top that precesses steadily: with the angle a from the vertical, the whole spin s about its axis,
   C s w - J w^2 cos(a) = m g l. The start is off by its precession and its angle. */
static void test_top(void **state)
{
    (void)state;
    steady y = {0};
    kit_text(&y.k, "sinew: 1\ngravity: [0, 0, -9.81]\n"
                   "nodes: {tip: {at: [0, 0, 0], rotation: [0.5, 0, 0], spin: [0, 0.6, 80]}}\n"
                   "elements: {top: {mass3d: tip, mass: 2, inertia: [0.03, 0.03, 0.05], com: [0, 0, 0.2]}}\n"
                   "joints: {pivot: {spherical: [ground, tip]}}\nrun: {end: 1, step: 1 ms}\n");
    find(&y);
    const sn_node *n = node(&y, "tip");
    const sn_node_places at = sn_node_place(n);
    double R[9], spin[3];
    sn_quat_matrix(y.d.x->q + n->q + at.R_q, R);
    memcpy(spin, y.d.x->v + n->v + at.R_v, sizeof spin);
    double c = R[8], s = sqrt(1 - c * c), w = hypot(spin[0], spin[1]) / s, J = 0.03 + 2 * 0.04;
    print_message("  angle %.6f, precession %.6f, spin %.6f\n", acos(c), w, spin[2]);
    assert_true(fabs(acos(c) - 0.5) < 0.2 && w > 0.5 && w < 2);
    kit_near("balance of the top", 0.05 * spin[2] * w - J * w * w * c, 2 * 9.81 * 0.2, 1e-10);
    forget(&y);
}

/* A disc that rolls in a circle: with a from the vertical to its axis, the whole spin s about it,
   (C + m r^2) s w sin(a) - J w^2 sin(a) cos(a) + m g r cos(a) = 0. */
static void test_disc(void **state)
{
    (void)state;
    steady y = {0};
    kit_text(&y.k, "sinew: 1\ngravity: [0, 0, -9.81]\n"
                   "nodes: {disc: {at: [0, 0, 0.5], displacement: [0, 0, -0.01], velocity: [3, 0, 0], "
                   "rotation: [0.2, 0, 0], spin: [0, 6, -0.7]}}\n"
                   "elements: {m: {mass3d: disc, mass: 4, inertia: [0.25, 0.5, 0.25]}}\n"
                   "joints: {road: {rolling: disc, radius: 0.5, axis: [0, 1, 0]}}\n"
                   "run: {end: 1, step: 1 ms}\n");
    find(&y);
    const sn_node *n = node(&y, "disc");
    const sn_node_places at = sn_node_place(n);
    double R[9], spin[3];
    sn_quat_matrix(y.d.x->q + n->q + at.R_q, R);
    memcpy(spin, y.d.x->v + n->v + at.R_v, sizeof spin);
    double c = R[7], s = sqrt(1 - c * c), along = spin[1];
    /* the rest of the spin is w sin(a) up the disc's plane, e2 = (ez - c e3)/s */
    double e2[3] = {R[6] / s, 0, R[8] / s}, w = (spin[0] * e2[0] + spin[2] * e2[2]) / s;
    print_message("  axis at %.6f from the vertical, precession %.6f, spin %.6f\n", acos(c), w, along);
    assert_true(fabs(w) > 0.2 && fabs(along) > 3);
    kit_near("balance of the disc",
             (0.5 + 4 * 0.25) * along * w * s - 0.25 * w * w * s * c + 4 * 9.81 * 0.5 * c, 0, 1e-9);
    forget(&y);
}

/* A uniform beam clamped on an axis, at a speed: its frequencies nearest to those given. */
static void blade(int elements, int speed, int n, const double *near, double *out)
{
    steady y = {0};
    char text[1000];
    snprintf(text, sizeof text,
             "sinew: 1\nparameters: {w: %d}\n"
             "nodes: {hub: {at: [0, 0, 0], spin: [0, 0, w]},\n"
             "  tip: {at: [1, 0, 0], velocity: [0, w, 0], spin: [0, 0, w]}}\n"
             "signals: {turn: {polynomial: [0, w]}}\n"
             "elements: {blade: {beam3d_cr: [hub, tip], elements: %d, EA: 1e6, EI_y: 1, EI_z: 1, GJ: 1,\n"
             "  rhoA: 1, rhoI_y: 1e-6, rhoI_z: 1e-6}}\n"
             "joints: {drive: {rotation_drive: [ground, hub], axis: [0, 0, 1], angle: turn},\n"
             "  axle: {revolute: [ground, hub], axis: [0, 0, 1]}}\n"
             "run: {end: 1, step: 1 ms}\n",
             speed, elements);
    kit_text(&y.k, text);
    find(&y);
    /* the stretch of an elastic rod: EA u' = rhoA w^2 (L^2 - x^2)/2 to first order; linear elements are right
       at nodes but for lumping, which is of second order in their length */
    double u = y.d.x->q[node(&y, "tip")->q] - 1, first = speed * speed / 3e6;
    kit_near("stretch", u, first, 1e-2 * first);
    eigenvalues(&y);
    for (int i = 0; i < n; i++) {
        double apart = INFINITY;
        for (int j = 0; j < y.e.n; j++)
            if (fabs(cimag(y.e.s[j]) - near[i]) < apart)
                apart = fabs(cimag(y.e.s[j]) - near[i]), out[i] = cimag(y.e.s[j]);
    }
    forget(&y);
}

/* Wright, Smith, Thresher and Wang, J. Appl. Mech. 49 (1982): frequencies of flapping by the speed, both over
   sqrt(EI/(rhoA L^4)); for lagging, the squares are less by that of the speed. The table has five digits. The
   co-rotational elements have the tension's stiffness along their chords, an error of second order in their
   length, which two meshes extrapolate; what is left of 16 elements is of fourth order. Rotary inertia, 1e-6,
   and the strain, up to 7e-5, change frequencies of flapping by less than 1e-4. For lagging all that counts
   by flap/lag more, as rounding of the table does. */
static void test_blade(void **state)
{
    static const double table[13][2] = {
        {3.5160, 22.0345},  {3.6817, 22.1810},  {4.1373, 22.6149}, {4.7973, 23.3203}, {5.5850, 24.2733},
        {6.4495, 25.4461},  {7.3604, 26.8091},  {8.2996, 28.3341}, {9.2568, 29.9954}, {10.2257, 31.7705},
        {11.2023, 33.6404}, {12.1843, 35.5890}, {13.1702, 37.6031}};
    (void)state;
    for (int speed = 1; speed <= 12; speed += speed < 4 ? 1 : 4) {
        double expected[4], f[2][4];
        for (int i = 0; i < 2; i++) {
            double flap = table[speed][i];
            expected[i] = flap, expected[2 + i] = sqrt(flap * flap - speed * speed);
        }
        blade(16, speed, 4, expected, f[0]), blade(32, speed, 4, expected, f[1]);
        for (int i = 0; i < 4; i++) {
            double x = richardson(f[0][i], f[1][i], 2), flap = table[speed][i % 2];
            print_message("  speed %d: %.5f %.5f -> %.5f, table %.5f\n", speed, f[0][i], f[1][i], x,
                          expected[i]);
            kit_near(i < 2 ? "flap" : "lag", x, expected[i], (5e-5 + 1e-4 * flap) * flap / expected[i]);
        }
    }
}

/* Hinged on the axis the blade flaps straight with the speed itself, whatever its bending stiffness. */
static void test_hinged_blade(void **state)
{
    (void)state;
    steady y = {0};
    kit_text(&y.k, "sinew: 1\nparameters: {w: 3}\n"
                   "nodes: {hub: {at: [0, 0, 0], spin: [0, 0, w]}, root: {at: [0, 0, 0], spin: [0, 0, w]},\n"
                   "  tip: {at: [1, 0, 0], velocity: [0, w, 0], spin: [0, 0, w]}}\n"
                   "signals: {turn: {polynomial: [0, w]}}\n"
                   "elements: {blade: {beam3d_cr: [root, tip], elements: 8, mass: linear, EA: 1e6, EI_y: 1,\n"
                   "  EI_z: 1, GJ: 1, rhoA: 1, rhoI_y: 1e-7, rhoI_z: 1e-7}}\n"
                   "joints: {drive: {rotation_drive: [ground, hub], axis: [0, 0, 1], angle: turn},\n"
                   "  axle: {revolute: [ground, hub], axis: [0, 0, 1]},\n"
                   "  hinge: {revolute: [hub, root], axis: [0, 1, 0]}}\n"
                   "run: {end: 1, step: 1 ms}\n");
    find(&y);
    eigenvalues(&y);
    has(&y, 3 * I, 1e-6); /* rotary inertia 1e-7 beside 1/3 */
    forget(&y);
}

/* A shaft that is alike all around spins and sags: as much as at rest, since each section spins about its own
   axis. Newton's method ends at rounding times the shaft's condition, 1e-9. */
static void test_shaft(void **state)
{
    static const char text[] =
        "sinew: 1\ngravity: [0, 0, -9.81]\nparameters: {n: 0}\n"
        "nodes: {a: {at: [0, 0, 0], spin: [n, 0, 0]}, m: {at: [1, 0, 0], spin: [n, 0, 0]},\n"
        "  b: {at: [2, 0, 0], spin: [n, 0, 0]}}\n"
        "elements:\n  l: {beam3d_cr: [a, m], elements: 4, mass: linear, EA: 1e8, EI_y: 2e3, EI_z: 2e3, GJ: "
        "1e3, rhoA: 5, "
        "rhoI_y: 1e-3, rhoI_z: 1e-3}\n"
        "  r: {beam3d_cr: [m, b], elements: 4, mass: linear, EA: 1e8, EI_y: 2e3, EI_z: 2e3, GJ: 1e3, rhoA: "
        "5, rhoI_y: "
        "1e-3, rhoI_z: 1e-3}\n"
        "joints: {a: {spherical: [ground, a]}, b: {point_on_line: [ground, b], axis: [1, 0, 0]}}\n"
        "run: {end: 1, step: 1 ms}\n";
    (void)state;
    double sag[2] = {0};
    for (int i = 0; i < 2; i++) {
        steady y = {0};
        kit_text(&y.k, text);
        kit_set(&y.k, "n", i ? 50 : 0.01), kit_update(&y.k);
        find(&y);
        sag[i] = -y.d.x->q[node(&y, "m")->q + 2];
        eigenvalues(&y);
        assert_string_equal(y.by, "");
        forget(&y);
    }
    print_message("  sag %.9f\n", sag[1]);
    kit_near("sag, spinning and not", sag[1], sag[0], 1e-9 * sag[0]);
    /* 5 q L^4/(384 EI); loads at the nodes of 8 elements: of second order in their length */
    double beam = 5 * 5 * 9.81 * 16 / (384 * 2e3);
    kit_near("sag", sag[1], beam, beam / 64);
}

/* Set what the start is to the state that was found. */
static void start_at(kit *k, const steady *y)
{
    static const char *const axis = "xyz";
    char name[60];
    for (int i = 0; i < y->k.m->n_node; i++) {
        const sn_node *n = &y->k.m->node[i];
        const sn_node_places at = sn_node_place(n);
        double turn[3];
        if (n->ground) continue;
        sn_quat_log(y->d.x->q + n->q + at.R_q, turn);
        for (int a = 0; a < 3; a++) {
            double was = 0;
            snprintf(name, sizeof name, "%s.at.%c", n->name, axis[a]);
            kit_good(k, sn_values_get(k->p, name, &was, &k->err));
            snprintf(name, sizeof name, "%s.displacement.%c", n->name, axis[a]);
            kit_set(k, name, y->d.x->q[n->q + at.x_q + a] - was);
            snprintf(name, sizeof name, "%s.rotation.%c", n->name, axis[a]);
            kit_set(k, name, turn[a]);
            snprintf(name, sizeof name, "%s.velocity.%c", n->name, axis[a]);
            kit_set(k, name, y->d.x->v[n->v + at.x_v + a]);
            snprintf(name, sizeof name, "%s.spin.%c", n->name, axis[a]);
            kit_set(k, name, y->d.x->v[n->v + at.R_v + a]);
        }
    }
    kit_update(k);
}

/* The bicycle in a turn with about w, found from an upright start with the handlebar turned: its rate, speed
   and lean. */
static void turning_bicycle(steady *y, double w, double *rate, double *speed, double *lean)
{
    static const char *const nodes[] = {"rear", "body", "fork", "front"};
    static const double place[4][3] = {{0, 0, 0.3}, {0.3, 0, 0.9}, {0.9, 0, 0.7}, {1.02, 0, 0.35}};
    const double v = 5, tilt = 18 * 3.14159265358979323846 / 180, steer = w * 1.02 / (v * cos(tilt));
    double R[9];
    kit_file(&y->k, "examples/bicycle/bicycle.yaml");
    for (int i = 0; i < 4; i++) {
        char name[60];
        snprintf(name, sizeof name, "%s.velocity.y", nodes[i]), kit_set(&y->k, name, w * place[i][0]);
        snprintf(name, sizeof name, "%s.spin.z", nodes[i]), kit_set(&y->k, name, w);
        if (i < 2) continue;
        snprintf(name, sizeof name, "%s.rotation.x", nodes[i]), kit_set(&y->k, name, -sin(tilt) * steer);
        snprintf(name, sizeof name, "%s.rotation.z", nodes[i]), kit_set(&y->k, name, cos(tilt) * steer);
    }
    kit_update(&y->k);
    find(y);
    const sn_node *rear = node(y, "rear"), *body = node(y, "body");
    sn_quat_matrix(y->d.x->q + body->q + sn_node_place(body).R_q, R);
    *rate = y->d.spin[2], *lean = -asin(R[7]), *speed = hypot(y->d.x->v[rear->v], y->d.x->v[rear->v + 1]);
    print_message("  turns with %.9f at %.9f m/s, leans by %.9f\n", *rate, *speed, *lean);
}

/* Without hands there is one speed for each turn. In the widest it is that at which the capsize mode is
   neutral, 6.02426201538837 m/s (Meijaard et al. 2007); by symmetry it differs by the square of the rate, so
   that two turns extrapolate, with an error of fourth order, (w v/g)^4 = 1e-8, times some units. In a
   narrower one a run stays at its height to the run's own error, of second order in its step: below 1e-6 of 2
   ms. */
static void test_bicycle(void **state)
{
    double w[2], v[2], lean;
    (void)state;
    for (int i = 0; i < 2; i++) {
        steady y = {0};
        turning_bicycle(&y, i ? 0.01 : 0.02, &w[i], &v[i], &lean);
        forget(&y);
    }
    double none = (v[1] * w[0] * w[0] - v[0] * w[1] * w[1]) / (w[0] * w[0] - w[1] * w[1]);
    kit_near("speed of the widest turn", none, 6.02426201538837, 1e-7);

    steady y = {0};
    turning_bicycle(&y, 0.25, w, v, &lean);
    /* a point in balance, but for wheels and bodies that turn, a few per cent */
    kit_near("lean", tan(lean), *v * *w / 9.81, 0.05 * *v * *w / 9.81);
    double off[2];
    for (int i = 0; i < 2; i++) {
        kit run;
        kit_file(&run, "examples/bicycle/bicycle.yaml");
        start_at(&run, &y);
        run.o.step = 0.004 / (1 << i);
        off[i] = kit_value(&run, "body.z", 2) - y.d.x->q[node(&y, "body")->q + 2];
        kit_close(&run);
    }
    print_message("  after 2 s higher by %.3g with 4 ms, %.3g with 2 ms\n", off[0], off[1]);
    kit_within("order of what is left", order_of(off[0], off[1]), 1.9, 2.1);
    forget(&y);
}

/* A body that is not alike around its axis, on its tip: it wobbles. */
static void test_none(void **state)
{
    (void)state;
    steady y = {0};
    kit_text(&y.k,
             "sinew: 1\ngravity: [0, 0, -9.81]\n"
             "nodes: {tip: {at: [0, 0, 0], rotation: [0.5, 0, 0], spin: [0, 0.6, 80]}}\n"
             "elements: {top: {mass3d: tip, mass: 2, inertia: [0.02, 0.04, 0.05], com: [0.03, 0, 0.2]}}\n"
             "joints: {pivot: {spherical: [ground, tip]}}\nrun: {end: 1, step: 1 ms}\n");
    kit_good(&y.k, sn_context_open(y.k.m, y.k.p, &y.k.o, &y.info, &y.d, &y.k.err));
    assert_int_equal(sn_operating_point(&y.d, SN_AT_STEADY, 0, &y.k.err), SN_ERR_NUMERIC);
    print_message("  %s\n", y.k.err.report[0].text);
    assert_non_null(strstr(y.k.err.report[0].text, "no steady motion found near the start"));
    forget(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring), cmocka_unit_test(test_governor), cmocka_unit_test(test_top),
        cmocka_unit_test(test_disc),   cmocka_unit_test(test_blade),    cmocka_unit_test(test_hinged_blade),
        cmocka_unit_test(test_shaft),  cmocka_unit_test(test_bicycle),  cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
