/* beam2d_ge: the same numbers as beam3d_ge whose nodes stay in a plane, at random states; order four in the
   mesh, circles, a coupled section. Derivatives: test_gradient_kinds.c. */
#include "verify/kit.h"

#include "sinew/class.h"

static double any(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* An element by itself */
typedef struct alone {
    const sn_element_class *e;
    double s[80], X[14], q[14], v[12], a[12], c[400], g[3];
    int opt[4], n[40], off[3], offv[3];
    unsigned view[2];
    sn_in in;
} alone;

static void one_alone(alone *x, const char *kind, int dim, int mass)
{
    int ns = 0;
    *x = (alone){.e = sn_element_find(kind)};
    assert_non_null(x->e);
    for (int i = 0; x->e->slots[i].name; i++) x->n[i] = x->e->slots[i].n, ns += x->n[i];
    x->opt[0] = mass;
    for (int i = 0; i < 3; i++) x->off[i] = (dim == 2 ? 3 : 7) * i, x->offv[i] = (dim == 2 ? 3 : 6) * i;
    x->view[0] = x->view[1] = SN_FRAME;
    x->in = (sn_in){.s = x->s,
                    .c = x->c,
                    .X = x->X,
                    .q = x->q,
                    .v = x->v,
                    .a = x->a,
                    .g = x->g,
                    .opt = x->opt,
                    .slot_n = x->n,
                    .off = x->off,
                    .offv = x->offv,
                    .view = x->view,
                    .nn = 2,
                    .nq = x->off[2],
                    .nv = x->offv[2],
                    .ns = ns,
                    .nc = 400,
                    .dim = dim};
}

static double *slot(alone *x, const char *name)
{
    int at = 0;
    for (int i = 0; x->e->slots[i].name; at += x->e->slots[i++].n)
        if (!strcmp(x->e->slots[i].name, name)) return x->s + at;
    fail_msg("no slot %s", name);
    return NULL;
}

/* Number `from` of the plane's kind and `to` of the spatial kind are the same. */
static void set_both(alone *p, alone *s, const char *name, const char *other, double value)
{
    *slot(p, name) = *slot(s, other) = value;
}

static void sections(alone *p, alone *s, unsigned *seed)
{
    static const int of[3] = {0, 1, 5};
    double *C = slot(p, "stiffness"), *D = slot(s, "stiffness");
    set_both(p, s, "EA", "EA", 40 + 10 * any(seed));
    set_both(p, s, "kGA", "kGA_y", 20 + 10 * any(seed));
    set_both(p, s, "EI", "EI_z", 2 + any(seed));
    *slot(s, "EI_y") = 3, *slot(s, "GJ") = 2, *slot(s, "kGA_z") = 10;
    for (int i = 0; i < 9; i++) C[i] = D[6 * of[i / 3] + of[i % 3]] = i == 0 ? 5 : 0.5 * any(seed);
    set_both(p, s, "rhoA", "rhoA", 1.5);
    set_both(p, s, "rhoI", "rhoI_z", 0.3 + 0.2 * any(seed));
    set_both(p, s, "damping", "damping", 0.1);
    set_both(p, s, "damping_mass", "damping_mass", 0.2);
    slot(p, "curvature")[0] = slot(s, "curvature")[2] = 0.6 * any(seed);
    *slot(p, "mass_centre") = *slot(s, "mass_centre") = 0.2 * any(seed);
}

static void motions(alone *p, alone *s, unsigned *seed)
{
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            const double x = k < 2 ? 2 * i * (k == 0) + 0.3 * any(seed) : 0, w = any(seed), al = any(seed);
            const int to = k < 2 ? 6 * i + k : 6 * i + 5;
            p->X[3 * i + k] = x, p->q[3 * i + k] = x + 0.6 * any(seed);
            p->v[3 * i + k] = s->v[to] = w, p->a[3 * i + k] = s->a[to] = al;
            if (k < 2) s->X[7 * i + k] = x, s->q[7 * i + k] = p->q[3 * i + k];
        }
        p->q[3 * i + 2] += 2.5;
        s->X[7 * i + 3] = 1;
        s->q[7 * i + 3] = cos(0.5 * p->q[3 * i + 2]), s->q[7 * i + 6] = sin(0.5 * p->q[3 * i + 2]);
    }
    for (int k = 0; k < 2; k++) p->g[k] = s->g[k] = 3 * any(seed);
    double *o = slot(s, "orientation");
    o[0] = s->X[1] - s->X[8], o[1] = s->X[7] - s->X[0], o[2] = 0;
}

/* Sums of less than a hundred products of numbers below 100, rounded: 1e-12 */
static void same_as_in_space(void **state)
{
    (void)state;
    static const int of[6] = {0, 1, 5, 6, 7, 11}, three[3] = {0, 1, 5};
    unsigned seed = 7;
    for (int round = 0; round < 60; round++) {
        alone p, s;
        sn_err err;
        double r[6] = {0}, R[12] = {0}, A[3][36] = {{0}}, B[3][144] = {{0}}, e[2], E[2], y[3], Y[6];
        const double w[3] = {0.3, -0.7, 0.4}, W[6] = {0.3, -0.7, 0, 0, 0, 0.4};
        sn_err_clear(&err);
        one_alone(&p, "beam2d_ge", 2, round % 3), one_alone(&s, "beam3d_ge", 3, round % 3);
        sections(&p, &s, &seed), motions(&p, &s, &seed);
        assert_int_equal(p.e->prepare(&p.in, p.c, &err), SN_OK);
        assert_int_equal(s.e->prepare(&s.in, s.c, &err), SN_OK);
        assert_int_equal(p.e->eval(&p.in, r, A[0], A[1], A[2]), SN_OK);
        assert_int_equal(s.e->eval(&s.in, R, B[0], B[1], B[2]), SN_OK);
        if (round % 2) {
            assert_int_equal(p.e->distribute(&p.in, w, round % 4 == 1, r, A[0]), SN_OK);
            assert_int_equal(s.e->distribute(&s.in, W, round % 4 == 1, R, B[0]), SN_OK);
        }
        for (int i = 0; i < 6; i++) kit_near("residual", r[i], R[of[i]], 1e-12);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 36; i++) {
                const double here = A[k][i], there = B[k][12 * of[i / 6] + of[i % 6]];
                kit_near("tangent", here, there, 1e-12 * (1 + 10 * fabs(there)));
            }
        p.e->energy(&p.in, e, NULL), s.e->energy(&s.in, E, NULL);
        for (int i = 0; i < 2; i++) kit_near("energy", e[i], E[i], 1e-12 * (1 + fabs(E[i])));
        for (int which = 0; which < 3; which++)
            for (int end = 1; end <= 2; end++) {
                assert_int_equal(p.e->output(&p.in, which, end, y, NULL), SN_OK);
                assert_int_equal(s.e->output(&s.in, which, end, Y, NULL), SN_OK);
                for (int i = 0; i < 3; i++) kit_near("output", y[i], Y[three[i]], 1e-12);
            }
    }
}

/* The elastica of test_elastica.c, dead load 10 at the tip, EA 1e9. With n = 4, 8, 16 the error goes with the
   fourth power of the length. */
static void elastica(void **state)
{
    static const char *const name[] = {"tip.x", "tip.y"};
    double e[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[600];
        double y[2];
        kit k;
        snprintf(text, sizeof text,
                 "sinew: 1\nnodes: {a: [0, 0], b: [1, 0]}\n"
                 "elements:\n  beam: {beam2d_ge: [a, b], EA: 1e9, EI: 1, rhoA: 1, elements: %d}\n"
                 "  load: {force2d: b, force: [0, 10]}\n"
                 "joints: {clamp: {fixed: a}}\nsensors: {tip: {position: b}}\nrun: {tolerance: 1e-12}\n",
                 4 << i);
        kit_text(&k, text);
        kit_static(&k, 2, name, y);
        kit_close(&k);
        e[i] = hypot(y[0] - (1 - .55499560), y[1] - .81060902);
        print_message("%d elements: %.2e\n", 4 << i, e[i]);
    }
    kit_within("order", order_of(e[0], e[1]), 3.7, 4.5);
    kit_within("order", order_of(e[1], e[2]), 3.7, 4.5);
    kit_within("16 elements", e[2], 0, 2e-6);
}

/* 2 pi EI/L bends any mesh to the circle of the exact solution; and an arc is straightened by the opposite of
   its curvature without other forces. */
static void circle(void **state)
{
    static const char *const name[] = {"tip.x", "tip.y", "half.x", "half.y"};
    const double pi = acos(-1);
    double y[4];
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\nnodes: {a: [0, 0], b: [1, 0]}\n"
                 "elements:\n  beam: {beam2d_ge: [a, b], EA: 100, EI: 1, kGA: 40, rhoA: 0, elements: 4}\n"
                 "  load: {force2d: b, torque: 2*pi}\n"
                 "joints: {clamp: {fixed: a}}\n"
                 "sensors: {tip: {position: b}, half: {position: beam.n2}}\nrun: {tolerance: 1e-14}\n");
    kit_static(&k, 4, name, y);
    kit_near("closed", y[0], 0, 1e-12), kit_near("closed", y[1], 0, 1e-12);
    kit_near("middle", y[2], 0, 1e-12), kit_near("middle", y[3], 1 / pi, 1e-12);
    kit_close(&k);
    kit_text(&k, "sinew: 1\nparameters: {r: 2}\nnodes: {a: [0, 0], b: [r, r]}\n"
                 "elements:\n  arc: {beam2d_ge: [a, b], EA: 100, EI: 1, kGA: 40, rhoA: 0, curvature: 1/r}\n"
                 "  load: {force2d: b, torque: -1/r}\n"
                 "joints: {clamp: {fixed: a}}\nsensors: {tip: {position: b}}\nrun: {tolerance: 1e-14}\n");
    kit_static(&k, 2, name, y); /* along the tangent, (1, 0), for a quarter of the circle's length */
    kit_near("straightened", y[0], pi, 1e-12), kit_near("straightened", y[1], 0, 1e-12);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_in_space), cmocka_unit_test(elastica),
                                       cmocka_unit_test(circle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
