/* Spatial motions run backwards: from the start to T, velocities turned round, and T further. Where nothing
   dissipates the motion returns, and so does Newmark's scheme, step by step: with A, the accelerations, of
   both ends kept and v turned round the same increments solve the step with the opposite sign, exp(d~)
   exp(-d~) = 1, and forces and reactions are even in v. What comes back wrong has dissipation, a term odd in
   v, or a retraction that is not its own way back. */
#include "verify/kit.h"

#include "analysis/analysis.h"

typedef struct trip {
    double moved, q, v; /* largest way of a coordinate; what is left of it after the return */
} trip;

static double largest(const double *x, const double *y, double sign, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] + sign * y[i]));
    return most;
}

/* `steps` steps of size h out, and as many back */
static trip there_and_back(kit *k, double h, int steps)
{
    trip out = {0, 0, 0};
    const sn_scheme *scheme;
    const sn_integrator_class *cls = sn_scheme_find(k->o.scheme, &scheme);
    void *integrator = NULL;
    sn_state *start, *next;
    sn_context d;
    assert_non_null(cls);
    kit_good(k, sn_context_open(k->m, k->p, &k->o, &k->info, &d, &k->err));
    kit_good(k, sn_start(&d, &k->err));
    kit_good(k, sn_state_new(k->m, 0, &start, &k->err));
    kit_good(k, sn_state_new(k->m, cls->history, &next, &k->err));
    sn_state_copy(k->m, d.x, start);
    sn_state_copy(k->m, d.x, next);
    const sn_integration in = {.w = d.w, .ls = d.ls, .scheme = scheme, .o = &k->o, .info = &k->info};
    kit_good(k, sn_integrator_open(cls, &in, &integrator, &k->err));
    kit_good(k, cls->begin(integrator, d.x, &k->err));
    for (int i = 0; i < 2 * steps; i++) {
        if (i == steps) {
            for (int j = 0; j < d.m->nv; j++) d.x->v[j] = -d.x->v[j];
            /* a new integrator: the old one extrapolates from what it has seen */
            cls->close(integrator);
            integrator = NULL;
            kit_good(k, sn_integrator_open(cls, &in, &integrator, &k->err));
        }
        kit_good(k, cls->step(integrator, d.x, h, next, &k->err));
        sn_state_copy(k->m, next, d.x);
        out.moved = fmax(out.moved, largest(d.x->q, start->q, -1, d.m->nq));
    }
    out.q = largest(d.x->q, start->q, -1, d.m->nq);
    out.v = largest(d.x->v, start->v, 1, d.m->nv);
    cls->close(integrator);
    sn_state_free(start);
    sn_state_free(next);
    sn_context_close(&d);
    return out;
}

static const char flexible[] =
    "sinew: 1\n"
    "gravity: [0, 2, -9.81]\n"
    "nodes: {a: [0, 0, 0], b: {at: [1, 0.4, 0], velocity: [0, 1, 0], spin: [3, 0, 0]}}\n"
    "elements:\n"
    "  beam: {beam3d_cr: [a, b], EA: 2e3, EI_y: 2, EI_z: 5, GJ: 1.5, rhoA: 1, rhoI_y: 0.02, rhoI_z: 0.01,\n"
    "         elements: 4}\n"
    "joints: {clamp: {fixed: a}}\n";

/* A ball, a hinge, and a rod that closes the loop */
static const char mechanism[] =
    "sinew: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "nodes: {c1: {at: [0.4, 0.1, 0.2], spin: [1, -2, 3]}, c2: {at: [1.1, 0.5, -0.1]}}\n"
    "elements:\n"
    "  b1: {mass3d: c1, mass: 2, inertia: [0.1, 0.2, 0.25], products: [0.02, -0.01, 0.03], com: [0.05, 0, "
    "-0.1]}\n"
    "  b2: {mass3d: c2, mass: 1, inertia: [0.05, 0.04, 0.03], com: [-0.1, 0.2, 0.1]}\n"
    "joints:\n"
    "  ball: {spherical: [ground, c1], at: [0, 0, 0]}\n"
    "  hinge: {revolute: [c1, c2], at: [0.8, 0.2, 0], axis: [1, 2, 2]}\n"
    "  rod: {distance: [ground, c2]}\n";

/* Out and back in 1 s each, h = 2 ms. Positions of size 1 are rounded by 1e-16 in each of 1000 steps, 3e-15
   in all; along these motions errors grow by e^3 = 20 in a second and as much back: 1e-12. Across the
   constraints Newmark's v is off by 2/h times that of a step, 1e-13, with a sign that alternates and, for
   want of damping, a size that grows with the number of steps: 1e-10; 1e-9 allowed. Newton's matrix is that
   of each iterate, or what is left over would add up with one sign. Numerical damping takes the motion apart
   by h^3, and the first step after the turn, which begins with a shifted A, by h^2: between these orders. */
static void returns(const char *text)
{
    trip x, coarse, fine;
    kit k;
    kit_text(&k, text);
    k.o.scheme = "newmark", k.o.tolerance = 1e-13, k.o.full_newton = 1;
    x = there_and_back(&k, 2e-3, 500);
    print_message("moved by %.2f; returned but for %.1e, v %.1e\n", x.moved, x.q, x.v);
    assert_true(x.moved > 0.3);
    kit_near("q after the return", x.q, 0, 1e-12);
    kit_near("v after the return", x.v, 0, 1e-9);
    kit_scheme(&k, "generalized_alpha", "rho", 0.8);
    coarse = there_and_back(&k, 1e-3, 1000);
    fine = there_and_back(&k, 5e-4, 2000);
    print_message("damped: but for %.1e and %.1e with half the step\n", coarse.q, fine.q);
    kit_within("order", order_of(coarse.q, fine.q), 1.8, 3.2);
    kit_close(&k);
}

static void beam_returns(void **state)
{
    (void)state;
    returns(flexible);
}

static void mechanism_returns(void **state)
{
    (void)state;
    returns(mechanism);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(beam_returns), cmocka_unit_test(mechanism_returns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
