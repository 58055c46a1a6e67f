/* The equations of motion solved by two unlike integrators: sinew's index-3 generalized-alpha with fixed
   steps, extrapolated to step 0, and SUNDIALS IDA (variable-order BDF with error control) on the index-1 form

       q' = D(q) v,   r(q, v, v', lam, t) = 0,   B v' + gamma(q, v, t) = 0

   in which the constraints are differentiated twice. D is the identity but for quaternions p of rotations,
   p' = p (0, W)/2 with the angular velocity W in body axes. IDA takes r, B and gamma from the system layer
   and makes its own Jacobian by differences, so that the step formulas, the retraction and its tangent map,
   the Newton matrix, its scaling and the constraints at position level of sinew are all on one side only. */
#ifndef SN_TESTS_VERIFY_IDA_H
#define SN_TESTS_VERIFY_IDA_H

#include "verify/kit.h"

#include "analysis/analysis.h"
#include "math/rot3.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

typedef struct rival {
    sn_context d;
    double *phi_t, *gamma;
    sn_err err;
} rival;

/* D(q) v; the ground rests */
static void kinematics(const sn_model *m, const double *q, const double *v, double *dq)
{
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        int nq = n->nq, flat = n->cls->retract ? 3 : nq;
        for (int k = 0; k < nq; k++) dq[n->q + k] = n->ground || k >= flat ? 0 : v[n->v + k];
        if (n->ground || flat == nq) continue;
        const double *W = v + n->v + 3, half[4] = {0, W[0] / 2, W[1] / 2, W[2] / 2};
        sn_quat_mul(q + n->q + 3, half, dq + n->q + 3);
    }
}

/* IDA's vectors (q, v, lam) and their rates into the context's state, which wants quaternions of unit length
 */
static void take(rival *r, double t, const double *y, const double *yp)
{
    const sn_model *m = r->d.m;
    size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    r->d.x->t = t;
    memcpy(r->d.x->q, y, sizeof(double) * nq);
    memcpy(r->d.x->v, y + nq, sizeof(double) * nv);
    memcpy(r->d.x->a, yp + nq, sizeof(double) * nv);
    memcpy(r->d.x->lam, y + nq + nv, sizeof(double) * (size_t)m->m);
    for (int i = 0; i < m->n_node; i++) {
        double *p = r->d.x->q + m->node[i].q + 3, length = 0;
        if (!m->node[i].cls->retract) continue;
        for (int k = 0; k < 4; k++) length += p[k] * p[k];
        for (int k = 0; k < 4; k++) p[k] /= sqrt(length);
    }
    sn_system_time(r->d.w, t);
}

static int residual(double t, N_Vector yy, N_Vector yp, N_Vector ff, void *user)
{
    rival *r = user;
    const sn_model *m = r->d.m;
    const sn_coef with_B = {.k = r->d.zero, .c = r->d.zero, .a = r->d.zero, .g = r->d.zero, .row = 1};
    const double *y = N_VGetArrayPointer(yy), *dy = N_VGetArrayPointer(yp);
    double *f = N_VGetArrayPointer(ff);
    int nq = m->nq, nv = m->nv;
    take(r, t, y, dy);
    if (sn_system_rate(r->d.w, r->d.x, r->phi_t, r->gamma, &r->err)) return 1;
    if (sn_system_eval(r->d.w, r->d.x, &with_B, &r->err)) return 1;
    kinematics(m, y, y + nq, f);
    for (int i = 0; i < nq; i++) f[i] = dy[i] - f[i];
    for (int i = 0; i < nv; i++) f[nq + i] = r->d.w->f[i];
    for (int i = 0; i < m->m; i++) f[nq + nv + i] = r->gamma[i];
    for (int j = 0; j < nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
            if (m->Ai[k] >= nv) f[nq + m->Ai[k]] += r->d.w->Ax[k] * dy[nq + j];
    return 0;
}

/* Consistent start from the library; rates of lam are not used by the equations */
static void first(rival *r, double *y, double *dy, double *id)
{
    const sn_model *m = r->d.m;
    const sn_state *x = r->d.x;
    int nq = m->nq, nv = m->nv;
    kinematics(m, x->q, x->v, dy);
    for (int i = 0; i < nq; i++) y[i] = x->q[i], id[i] = 1;
    for (int i = 0; i < nv; i++) y[nq + i] = x->v[i], dy[nq + i] = x->a[i], id[nq + i] = 1;
    for (int i = 0; i < m->m; i++) {
        y[nq + nv + i] = x->lam[i];
        dy[nq + nv + i] = id[nq + nv + i] = 0;
    }
}

/* n channels of k at time t by IDA */
static void ida_values(kit *k, double t, double rtol, double atol, int n, const char *const *channel,
                       double *out)
{
    rival r = {.phi_t = NULL};
    SUNContext ctx;
    double reached;
    kit_good(k, sn_context_open(k->m, k->p, &k->o, &k->info, &r.d, &k->err));
    kit_good(k, sn_start(&r.d, &k->err));
    const sn_model *m = r.d.m;
    sn_system_tangent_maps(r.d.w, r.d.zero); /* B itself, without a step */
    r.phi_t = calloc(2 * (size_t)m->m + 2, sizeof(double));
    assert_non_null(r.phi_t);
    r.gamma = r.phi_t + m->m;
    assert_int_equal(SUNContext_Create(NULL, &ctx), 0);
    int size = m->nq + m->nv + m->m;
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
    sn_context_close(&r.d);
}

enum { CHANNELS = 12 };

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

/* Both within the tolerance of each other, times the scale of the channel; local: IDA's tolerances */
static void compare(kit *k, double t, double h, double local, double tol, int n, const char *const *channel,
                    const double *scale)
{
    double x[CHANNELS], z[CHANNELS];
    assert_true(n <= CHANNELS);
    limit_values(k, t, h, n, channel, x);
    ida_values(k, t, local, local, n, channel, z);
    for (int i = 0; i < n; i++) {
        print_message("%s: %.11f, IDA differs by %.2e\n", channel[i], x[i], z[i] - x[i]);
        kit_near(channel[i], x[i], z[i], tol * scale[i]);
    }
}

#endif
