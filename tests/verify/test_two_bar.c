/* Two bars linked by springs, falling (examples/two-bar): the example of Gouveia, Lemosse, Pagnacco and Souza
   de Cursi, with the full Lagrangian inertia of the bars. The numbers at 0.69 s are those of an independent
   program, converged in time, to the digits it prints; test_ida.c finds the same digits with an integrator of
   another kind. */
#include "verify/kit.h"

static const char *const model = "examples/two-bar/two-bar.yaml", *const scheme[] = {"newmark", "hht",
                                                                                     "generalized_alpha"};

enum { SCHEMES = 3, MAX = 64 };

/* The last frame of a run: all of q, v, lam, and the span of the total energy over all frames */
typedef struct last {
    int nv, m, energy;
    double q[MAX], v[MAX], a[MAX], lam[MAX], E0, drift;
} last;

static sn_status keep(void *ctx, const sn_frame *f, sn_err *err)
{
    last *x = ctx;
    (void)err;
    for (int i = 0; i < x->nv; i++) x->q[i] = f->q[i], x->v[i] = f->v[i], x->a[i] = f->a[i];
    for (int i = 0; i < x->m; i++) x->lam[i] = f->lam[i];
    if (f->t == 0) x->E0 = f->y[x->energy];
    x->drift = fmax(x->drift, fabs(f->y[x->energy] - x->E0));
    return SN_OK;
}

static void run(kit *k, const char *name, double end, double step, double output, last *x)
{
    sn_sizes s;
    sn_model_sizes(k->m, &s);
    *x = (last){.nv = s.nv, .m = s.m, .energy = kit_channel(k, "energy.total")};
    assert_true(s.nv <= MAX && s.m <= MAX);
    k->o.scheme = name, k->o.end = end, k->o.step = step, k->o.output = output, k->o.tolerance = 1e-12;
    k->o.frame = keep, k->o.ctx = x;
    kit_run(k);
    k->o.frame = NULL;
}

/* Generalized-alpha has an error of a h^2 + b h^3 + O(h^4): two extrapolations over h, h/2, h/4 leave O(h^4).
   Its damping of the axial vibrations (h omega = 0.3 .. 1.2, not resolved by the step) keeps them out of the
   result. Tolerances: positions one unit of the reference's last digit. Rounding 1e-16 of the positions,
   divided by h in each of N = 14000 steps, adds up as a random walk to 5e-10 m/s of velocity, some 1e-11 m
   against the springs' stiffness (omega about 60 1/s); times k1 = 700 N/m that is 1e-8 N. The torque, kt
   times an angle known to 1e-10, to the printed digits. */
static void values_at_069(void **state)
{
    (void)state;
    static const char *const name[] = {"node5.x",    "node5.y",    "node5.theta",
                                       "spring1.fx", "spring1.fy", "spring1.torque"};
    static const double reference[] = {-0.2768412026, -1.9782190805, -0.7910371856,
                                       0.298997556,   -3.910920845,  -0.236273536};
    static const double tol[] = {1e-10, 1e-10, 1e-10, 1e-8, 1e-8, 1e-9};
    double y[3][6];
    kit k;
    kit_file(&k, model);
    k.o.scheme = "generalized_alpha", k.o.tolerance = 1e-13;
    for (int j = 0; j < 3; j++) {
        k.o.step = 2e-4 / (1 << j);
        kit_values(&k, 0.69, 6, name, y[j]);
    }
    for (int i = 0; i < 6; i++) {
        double coarse = richardson(y[0][i], y[1][i], 2), fine = richardson(y[1][i], y[2][i], 2);
        kit_near(name[i], richardson(coarse, fine, 3), reference[i], tol[i]);
    }
    kit_close(&k);
}

static double distance(int n, const double *x, const double *y)
{
    double d = 0;
    for (int i = 0; i < n; i++) d = fmax(d, fabs(x[i] - y[i]));
    return d;
}

/* Order 2 of q, v and lam alike at 0.69 s, long after the transient of lam at the start. Between h and h/2
   the observed order differs from 2 by O(h): 0.05 allows a term of third order a tenth of the second-order
   one's size at the larger step. */
static void second_order(void **state)
{
    (void)state;
    kit k;
    kit_file(&k, model);
    for (int s = 0; s < SCHEMES; s++) {
        last x[4], limit;
        for (int j = 0; j < 4; j++) run(&k, scheme[s], 0.69, 4e-4 / (1 << j), 0.69, &x[j]);
        limit = x[3];
        for (int i = 0; i < limit.nv; i++) {
            limit.q[i] = richardson(x[2].q[i], x[3].q[i], 2);
            limit.v[i] = richardson(x[2].v[i], x[3].v[i], 2);
        }
        for (int i = 0; i < limit.m; i++) limit.lam[i] = richardson(x[2].lam[i], x[3].lam[i], 2);
        for (int j = 0; j < 2; j++) {
            double q = order_of(distance(limit.nv, x[j].q, limit.q), distance(limit.nv, x[j + 1].q, limit.q));
            double v = order_of(distance(limit.nv, x[j].v, limit.v), distance(limit.nv, x[j + 1].v, limit.v));
            double lam =
                order_of(distance(limit.m, x[j].lam, limit.lam), distance(limit.m, x[j + 1].lam, limit.lam));
            print_message("%s: order of q %.3f, v %.3f, lam %.3f\n", scheme[s], q, v, lam);
            kit_within("order of q", q, 1.95, 2.05);
            kit_within("order of v", v, 1.95, 2.05);
            kit_within("order of lam", lam, 1.95, 2.05);
        }
    }
    kit_close(&k);
}

/* All links are unstretched at the start, so each free node falls with exactly (0, -g, 0); the support
   carries nothing. Rounding only: 1e-12 g. */
static void start_is_free_fall(void **state)
{
    (void)state;
    const double g = 9.81;
    last x;
    kit k;
    kit_file(&k, model);
    run(&k, "newmark", 1e-6, 1e-6, 1e-5, &x);
    assert_int_equal(x.nv, 15);
    for (int i = 0; i < 15; i++) {
        double free_fall = i >= 3 && i % 3 == 1 ? -g : 0;
        kit_near("initial acceleration", x.a[i], free_fall, 1e-12 * g);
    }
    for (int i = 0; i < 3; i++) kit_near("initial multiplier", x.lam[i], 0, 1e-12 * g);
    kit_close(&k);
}

/* Unstretched links have no stiffness across at the start; the equilibrium is found all the same, hanging
   from the support with its whole weight, and a run that begins there stays there: what is left in Newton's
   increments, 1e-10 of 2 m, is all that moves. */
static void hangs(void **state)
{
    (void)state;
    static const char *const name[] = {"support.fx", "support.fy", "node5.x", "node5.y"};
    const double weight = 2 * 7800 * 25e-6 * 0.9 * 9.81;
    double y[4];
    kit k;
    kit_file(&k, model);
    kit_good(&k, kit_try_static(&k, 4, name, y));
    kit_near("support", y[0], 0, 1e-9 * weight), kit_near("support", y[1], weight, 1e-9 * weight);
    k.o.start_static = 1;
    kit_near("x stays", kit_value(&k, "node5.x", 0.5), y[2], 1e-8);
    kit_near("y stays", kit_value(&k, "node5.y", 0.5), y[3], 1e-8);
    kit_close(&k);
}

/* The model is conservative; average acceleration keeps the energy up to O(h^2) without a trend. So the
   largest deviation over 3 s falls by 4 when the step is halved, and its size is that of the error of the
   velocities, some (h omega)^2/12 with omega about 40 1/s of the springs: 1e-6 of the 0.4 J of kinetic energy
   at h = 1e-4. */
static void energy_of_newmark(void **state)
{
    (void)state;
    last x[2];
    kit k;
    kit_file(&k, model);
    for (int j = 0; j < 2; j++) run(&k, "newmark", 3, 2e-4 / (1 << j), 1e-3, &x[j]);
    print_message("largest change of the energy: %.3g, %.3g J\n", x[0].drift, x[1].drift);
    kit_within("change of the energy", x[1].drift, 0, 4e-7);
    kit_within("its order", order_of(x[0].drift, x[1].drift), 1.9, 2.1);
    kit_close(&k);
}

/* Other programs of multibody dynamics find (-.26601, -1.99253) at 3 s: to their printed digits, half a unit
   of the fifth. The extrapolation of h = 2e-4 and 1e-4 is good to 1e-7 here. */
static void position_at_3s(void **state)
{
    (void)state;
    static const char *const name[] = {"node5.x", "node5.y"};
    double y[2][2];
    kit k;
    kit_file(&k, model);
    k.o.scheme = "newmark", k.o.tolerance = 1e-12;
    for (int j = 0; j < 2; j++) {
        k.o.step = 2e-4 / (1 << j);
        kit_values(&k, 3, 2, name, y[j]);
    }
    kit_near("node5.x at 3 s", richardson(y[0][0], y[1][0], 2), -0.26601, 5e-6);
    kit_near("node5.y at 3 s", richardson(y[0][1], y[1][1], 2), -1.99253, 5e-6);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_at_069),      cmocka_unit_test(second_order),
        cmocka_unit_test(start_is_free_fall), cmocka_unit_test(hangs),
        cmocka_unit_test(energy_of_newmark),  cmocka_unit_test(position_at_3s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
