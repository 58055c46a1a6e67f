/* The equations of motion solved by two unlike integrators: sinew's index-3 generalized-alpha with fixed
   steps, extrapolated to step 0, and SUNDIALS IDA (variable-order BDF with error control) on the index-1 form

       q' - v = 0,   r(q, v, v', lam, t) = 0,   B v' + gamma(q, v, t) = 0

   in which the constraints are differentiated twice. IDA takes r, B and gamma from the system layer and makes
   its own Jacobian by differences, so that the step formulas, the Newton matrix, its scaling and the
   constraints at position level of sinew are all on one side only. */
#include "verify/kit.h"

#include "analysis/analysis.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

typedef struct rival {
    sn_desk d;
    double *phi_t, *gamma;
    sn_err err;
} rival;

/* IDA's vectors (q, v, lam) and their rates into the desk's state */
static void take(rival *r, double t, const double *y, const double *yp)
{
    const sn_model *m = r->d.m;
    size_t nv = (size_t)m->nv;
    r->d.x->t = t;
    memcpy(r->d.x->q, y, sizeof(double) * nv);
    memcpy(r->d.x->v, y + nv, sizeof(double) * nv);
    memcpy(r->d.x->a, yp + nv, sizeof(double) * nv);
    memcpy(r->d.x->lam, y + 2 * nv, sizeof(double) * (size_t)m->m);
    sn_system_time(r->d.w, t);
}

static int residual(double t, N_Vector yy, N_Vector yp, N_Vector ff, void *user)
{
    rival *r = user;
    const sn_model *m = r->d.m;
    const sn_coef with_B = {r->d.zero, r->d.zero, r->d.zero, r->d.zero, 1};
    const double *y = N_VGetArrayPointer(yy), *dy = N_VGetArrayPointer(yp);
    double *f = N_VGetArrayPointer(ff);
    int nv = m->nv;
    take(r, t, y, dy);
    if (sn_system_rate(r->d.w, r->d.x, r->phi_t, r->gamma, &r->err)) return 1;
    if (sn_system_eval(r->d.w, r->d.x, &with_B, &r->err)) return 1;
    for (int i = 0; i < nv; i++) f[i] = dy[i] - y[nv + i];
    for (int i = 0; i < nv; i++) f[nv + i] = r->d.w->f[i];
    for (int i = 0; i < m->m; i++) f[2 * nv + i] = r->gamma[i];
    for (int j = 0; j < nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
            if (m->Ai[k] >= nv) f[nv + m->Ai[k]] += r->d.w->Ax[k] * dy[nv + j];
    return 0;
}

/* Consistent start from the library; rates of lam are not used by the equations */
static void first(rival *r, double *y, double *dy, double *id)
{
    const sn_model *m = r->d.m;
    const sn_state *x = r->d.x;
    for (int i = 0; i < m->nv; i++) {
        y[i] = x->q[i], y[m->nv + i] = x->v[i];
        dy[i] = x->v[i], dy[m->nv + i] = x->a[i];
        id[i] = id[m->nv + i] = 1;
    }
    for (int i = 0; i < m->m; i++) {
        y[2 * m->nv + i] = x->lam[i];
        dy[2 * m->nv + i] = id[2 * m->nv + i] = 0;
    }
}

/* n channels of k at time t by IDA */
static void ida_values(kit *k, double t, double rtol, double atol, int n, const char *const *channel,
                       double *out)
{
    rival r = {.phi_t = NULL};
    SUNContext ctx;
    double reached;
    kit_good(k, sn_desk_open(k->m, k->p, &k->o, &k->info, &r.d, &k->err));
    kit_good(k, sn_start(&r.d, &k->err));
    const sn_model *m = r.d.m;
    assert_true(m->flat);
    r.phi_t = calloc(2 * (size_t)m->m + 2, sizeof(double));
    assert_non_null(r.phi_t);
    r.gamma = r.phi_t + m->m;
    assert_int_equal(SUNContext_Create(NULL, &ctx), 0);
    int size = 2 * m->nv + m->m;
    N_Vector y = N_VNew_Serial(size, ctx), dy = N_VNew_Serial(size, ctx), id = N_VNew_Serial(size, ctx);
    SUNMatrix J = SUNDenseMatrix(size, size, ctx);
    SUNLinearSolver ls = SUNLinSol_Dense(y, J, ctx);
    void *ida = IDACreate(ctx);
    first(&r, N_VGetArrayPointer(y), N_VGetArrayPointer(dy), N_VGetArrayPointer(id));
    assert_int_equal(IDAInit(ida, residual, 0, y, dy), IDA_SUCCESS);
    assert_int_equal(IDASStolerances(ida, rtol, atol), IDA_SUCCESS);
    assert_int_equal(IDASetUserData(ida, &r), IDA_SUCCESS);
    assert_int_equal(IDASetLinearSolver(ida, ls, J), IDA_SUCCESS);
    assert_int_equal(IDASetId(ida, id), IDA_SUCCESS);
    assert_int_equal(IDASetSuppressAlg(ida, 1), IDA_SUCCESS);
    assert_int_equal(IDASetMaxNumSteps(ida, 1000000), IDA_SUCCESS);
    assert_int_equal(IDASetStopTime(ida, t), IDA_SUCCESS);
    assert_true(IDASolve(ida, t, &reached, y, dy, IDA_NORMAL) >= 0);
    take(&r, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
    kit_good(k, sn_system_sensors(r.d.w, r.d.x, r.d.y, &k->err));
    for (int i = 0; i < n; i++) out[i] = r.d.y[kit_channel(k, channel[i])];
    IDAFree(&ida);
    SUNLinSolFree(ls);
    SUNMatDestroy(J);
    N_VDestroy(y), N_VDestroy(dy), N_VDestroy(id);
    SUNContext_Free(&ctx);
    free(r.phi_t);
    sn_desk_close(&r.d);
}

enum { CHANNELS = 9 };

/* n channels at time t, the limit h -> 0 from h, h/2, h/4: the scheme's errors are a h^2 + b h^3 + O(h^4) */
static void limit_values(kit *k, double t, double h, int n, const char *const *channel, double *out)
{
    double y[3][CHANNELS];
    k->o.scheme = "generalized_alpha", k->o.tolerance = 1e-13;
    for (int j = 0; j < 3; j++) {
        k->o.step = h / (1 << j);
        kit_values(k, t, n, channel, y[j]);
    }
    for (int i = 0; i < n; i++)
        out[i] = richardson(richardson(y[0][i], y[1][i], 2), richardson(y[1][i], y[2][i], 2), 3);
}

/* Both within the tolerance of each other, times the scale of the channel */
static void compare(kit *k, double t, double h, double tol, int n, const char *const *channel,
                    const double *scale)
{
    double x[CHANNELS], z[CHANNELS];
    limit_values(k, t, h, n, channel, x);
    ida_values(k, t, 1e-10, 1e-10, n, channel, z);
    for (int i = 0; i < n; i++) {
        print_message("%s: %.11f, IDA differs by %.2e\n", channel[i], x[i], z[i] - x[i]);
        kit_near(channel[i], x[i], z[i], tol * scale[i]);
    }
}

/* IDA keeps local errors below 1e-10 a step in a weighted norm; global errors come out one to two orders
   larger over the few thousand steps of a stable motion, so that 1e-8 of a metre or radian is what it
   promises. The limit of generalized-alpha is good to 1e-10 (test_two_bar.c). A spring's force is its
   stiffness, 700 N/m, times that. */
static void two_bar(void **state)
{
    (void)state;
    static const char *const name[] = {"node2.x",    "node2.y",        "node5.x",
                                       "node5.y",    "node5.theta",    "spring1.fx",
                                       "spring1.fy", "support.torque", "energy.total"};
    static const double scale[] = {1, 1, 1, 1, 1, 700, 700, 1, 1};
    kit k;
    kit_file(&k, "examples/two-bar/two-bar.yaml");
    compare(&k, 0.69, 2e-4, 1e-8, 9, name, scale);
    kit_close(&k);
}

/* Two rigid bodies with their nodes neither at the pins nor (the second) at the centre of mass. Released at
   rest, the second body overtakes the first within the second of this run. IDA's promise as above, 1e-8,
   times 10 for the growth of errors along this motion (its largest exponent is about sqrt(g/L) = 3 1/s, e^3 =
   20 at most). Reactions change with the accelerations, omega^2 = 100 1/s^2 times the positions' errors. */
static void double_pendulum(void **state)
{
    (void)state;
    static const char text[] = "sinew: 1\n"
                               "gravity: [0, -9.81]\n"
                               "nodes: {c1: [0.4, 0.1], c2: [1.5, 0.3]}\n"
                               "elements:\n"
                               "  b1: {mass2d: c1, mass: 2, inertia: 0.2}\n"
                               "  b2: {mass2d: c2, mass: 1, inertia: 0.05, com: [-0.1, 0.2]}\n"
                               "joints:\n"
                               "  p1: {revolute2d: [ground, c1], at: [0, 0]}\n"
                               "  p2: {revolute2d: [c1, c2], at: [1, 0.2]}\n"
                               "sensors:\n"
                               "  c1: {position: c1}\n"
                               "  c2: {position: c2}\n"
                               "  w2: {velocity: c2}\n"
                               "  pin: {reaction: p1}\n"
                               "run: {end: 1, step: 1 ms}\n";
    static const char *const name[] = {"c1.x",     "c1.y",     "c1.theta", "c2.x",  "c2.y",
                                       "c2.theta", "w2.theta", "pin.fx",   "pin.fy"};
    static const double scale[] = {1, 1, 1, 1, 1, 1, 10, 100, 100};
    kit k;
    kit_text(&k, text);
    compare(&k, 1, 1e-3, 1e-7, 9, name, scale);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_bar), cmocka_unit_test(double_pendulum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
