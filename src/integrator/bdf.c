/* BDF of variable order and step by IDA of SUNDIALS: another program's integrator as a referee.

   Unknowns q, v, lam, mu and one nu for each rotation in space, equations (Gear, Gupta, Leimkuhler 1985)

       q' = D(q) (v - B'mu),    r(q, v, v', lam, t) = 0,    phi(q, t) = 0,    B v + phi_t = 0

   of index 2, with D the identity but for quaternions, p' = p (0, w)/2 + nu p and p.p = 1. Equations at
   velocity level are psi = 0, without mu. Multipliers do not count in IDA's error. Its matrix is dense, of
   the kinds' own tangents (differences drown stiff members in rounding); the change of B with q is left out
   where it meets v or mu. IDA goes on from step to step as long as each begins where the last one ended, else
   it starts anew; it takes as many steps within one of ours as its tolerances need.

   Where the build has found no SUNDIALS the scheme says so. */
#include "integrator/integrator.h"

extern const sn_integrator_class sn_integrator_bdf;

static const sn_slot slots[] = {
    {"relative", "1", "local error relative to each displacement and velocity", 1, SN_POSITIVE, 1e-8, 1e-14,
     0.1, NULL},
    {"absolute", "1",
     "local error of coordinates relative to the model's size, of velocities likewise per second", 1,
     SN_POSITIVE, 1e-10, 1e-16, 0.1, NULL},
    {.name = NULL}};

static const sn_scheme schemes[] = {
    {"bdf", "IDA of SUNDIALS: variable order and step, by its own tolerances; for comparison", slots, NULL},
    {.name = NULL}};

/* SN_IDA_FILES: the names of the library that the build found. No others: its interface differs by version.
 */
#ifdef SN_IDA_FILES

#include "base/dynamic_library.h"
#include "math/rot3.h"
#include "system/system.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if SUNDIALS_VERSION_MAJOR >= 7
#define NOBODY SUN_COMM_NULL
#else
#define NOBODY NULL
#endif

static struct table {
#define SN_IDA(name) __typeof__(name) *name##_;
#include "integrator/bdf_list.h"
#undef SN_IDA
} sun;

static const char *const files[] = {SN_IDA_FILES, NULL};
static const char *const symbols[] = {
#define SN_IDA(name) #name,
#include "integrator/bdf_list.h"
#undef SN_IDA
    NULL,
};
_Static_assert(sizeof sun / sizeof(void *) == sizeof symbols / sizeof *symbols - 1, "one pointer a symbol");

static sn_dynlib library = {.name = "IDA of SUNDIALS",
                            .package = "libsundials-dev",
                            .files = files,
                            .symbols = symbols,
                            .table = &sun,
                            .lock = PTHREAD_MUTEX_INITIALIZER};

enum { MOST = 3000 }; /* unknowns: the matrix is dense */

typedef struct bdf {
    sn_work *w;
    sn_info *info;
    double relative, absolute;
    int n, n_turn;
    int *rate_of; /* nq: which velocity a coordinate has; -1: none of its own */
    int *turn_q, *turn_v;
    int *place_of;      /* nv: of a velocity, the coordinate; of rotations in space -1 - which */
    double *from, *raw; /* nq: where IDA started; coordinates, quaternions not of unit length */
    double *zero, *one, *cj, *phi_t, *gamma, *u;
    sn_state *x, *last;
    int running, made; /* IDA is at `last`; it has been initialised */
    long evaluations, iterations;
    sn_err err; /* of the last evaluation */
    SUNContext context;
    void *ida;
    N_Vector y, dy, id, tolerance;
    SUNMatrix J;
    SUNLinearSolver solver;
} bdf;

static void close_(void *self)
{
    bdf *s = self;
    if (!s) return;
    if (s->ida) sun.IDAFree_(&s->ida);
    if (s->solver) sun.SUNLinSolFree_(s->solver);
    if (s->J) sun.SUNMatDestroy_(s->J);
    N_Vector const v[] = {s->y, s->dy, s->id, s->tolerance};
    for (int i = 0; i < 4; i++)
        if (v[i]) sun.N_VDestroy_(v[i]);
    if (s->context) sun.SUNContext_Free_(&s->context);
    void *const x[] = {s->place_of, s->rate_of, s->turn_q, s->turn_v, s->zero, s->one,
                       s->cj,       s->phi_t,   s->gamma,  s->u,      s->from, s->raw};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) sn_free(x[i]);
    sn_state_free(s->x), sn_state_free(s->last);
    sn_free(s);
}

/* ---- the equations ---- */

/* IDA's unknowns and their rates into s->x, which wants quaternions of unit length. Coordinates are counted
   from the start: rates would lose digits of short steps by their size. */
static void take(bdf *s, double t, const double *y, const double *dy)
{
    const sn_model *m = s->w->m;
    sn_state *x = s->x;
    x->t = t;
    for (int i = 0; i < m->nq; i++) x->q[i] = s->raw[i] = s->from[i] + y[i];
    memcpy(x->v, y + m->nq, sizeof *y * (size_t)m->nv);
    memcpy(x->lam, y + m->nq + m->nv, sizeof *y * (size_t)m->m);
    for (int i = 0; i < m->nv; i++) x->a[i] = m->order_of[i] == 1 ? 0 : dy[m->nq + i];
    for (int k = 0; k < s->n_turn; k++) {
        double *p = x->q + s->turn_q[k], length = 0;
        for (int i = 0; i < 4; i++) length += p[i] * p[i];
        for (int i = 0; i < 4; i++) p[i] /= sqrt(length);
    }
}

/* s->u = v - B'mu; b: B v + phi_t. */
static void rates(bdf *s, const double *mu, double *b)
{
    const sn_work *w = s->w;
    const sn_model *m = w->m;
    memcpy(s->u, s->x->v, sizeof *s->u * (size_t)m->nv);
    for (int i = 0; i < m->m; i++) b[i] = m->velocity[i] || w->dropped[i] ? mu[i] : s->phi_t[i];
    for (int j = 0; m->m && j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            const int i = m->Ai[k] - m->nv;
            if (i < 0 || m->velocity[i] || w->dropped[i]) continue;
            s->u[j] -= w->Ax[k] * mu[i], b[i] += w->Ax[k] * s->x->v[j];
        }
}

static int evaluate(bdf *s)
{
    sn_work *w = s->w;
    const sn_coef coef = {s->zero, s->zero, s->zero, s->one, 1};
    sn_err_clear(&s->err);
    sn_system_time(w, s->x->t);
    if (sn_system_finite(w, s->x->t, 0, &s->err)) return 0;
    if (w->m->m && (sn_system_rate(w, s->x, s->phi_t, s->gamma, &s->err) ||
                    sn_system_equations(w, s->x, &coef, &s->err)))
        return 0;
    return sn_system_eval(w, s->x, NULL, &s->err) == SN_OK;
}

static int residual(double t, N_Vector yy, N_Vector yp, N_Vector ff, void *user)
{
    bdf *s = user;
    const sn_model *m = s->w->m;
    const double *y = NV_DATA_S(yy), *dy = NV_DATA_S(yp), *mu = y + m->nq + m->nv + m->m, *nu = mu + m->m;
    double *f = NV_DATA_S(ff), *g = f + m->nq, *unit = g + m->nv + 2 * m->m, sum = 0;
    take(s, t, y, dy);
    if (!evaluate(s)) return 1;
    memcpy(g, s->w->f, sizeof *g * (size_t)m->n);
    rates(s, mu, g + m->n);
    for (int i = 0; i < m->nq; i++) f[i] = dy[i] - (s->rate_of[i] >= 0 ? s->u[s->rate_of[i]] : 0);
    for (int k = 0; k < s->n_turn; k++) {
        const double *p = s->raw + s->turn_q[k], *w = s->u + s->turn_v[k],
                     half[4] = {0, w[0] / 2, w[1] / 2, w[2] / 2};
        double dp[4];
        sn_quat_mul(p, half, dp);
        unit[k] = -1;
        for (int i = 0; i < 4; i++) {
            f[s->turn_q[k] + i] -= dp[i] + nu[k] * p[i];
            unit[k] += p[i] * p[i];
        }
    }
    for (int i = 0; i < s->n; i++) sum += f[i];
    return isfinite(sum) ? 0 : 1;
}

/* ---- their matrix, dF/dy + cj dF/dy' ---- */

#define AT(J, row, column) (SM_COLUMN_D(J, column)[row])

/* Row `row` += x in the column of the coordinate that moves with velocity j; rotations move by 2 (p* dp). */
static void add_along(const bdf *s, SUNMatrix J, int row, int j, double x)
{
    const int at = s->place_of[j];
    if (at >= 0) {
        AT(J, row, at) += x;
        return;
    }
    const int q = s->turn_q[-1 - at], k = j - s->turn_v[-1 - at], a = (k + 1) % 3, b = (k + 2) % 3;
    const double *p = s->x->q + q;
    AT(J, row, q) -= 2 * x * p[1 + k];
    AT(J, row, q + 1 + k) += 2 * x * p[0];
    AT(J, row, q + 1 + b) -= 2 * x * p[1 + a];
    AT(J, row, q + 1 + a) += 2 * x * p[1 + b];
}

/* Rows of q' - D u, of velocity j, += x in a column: D'. */
static void add_kinematics(const bdf *s, SUNMatrix J, int j, int column, double x)
{
    const int at = s->place_of[j];
    if (at >= 0) {
        AT(J, at, column) += x;
        return;
    }
    const int q = s->turn_q[-1 - at], k = j - s->turn_v[-1 - at];
    double e[4] = {0}, d[4];
    e[1 + k] = 0.5;
    sn_quat_mul(s->x->q + q, e, d);
    for (int i = 0; i < 4; i++) AT(J, q + i, column) += x * d[i];
}

static void of_rotations(const bdf *s, SUNMatrix J, const double *nu)
{
    const sn_model *m = s->w->m;
    const int first = m->nq + m->n + m->m;
    for (int k = 0; k < s->n_turn; k++) {
        const int q = s->turn_q[k];
        const double *p = s->x->q + q, *w = s->x->v + s->turn_v[k],
                     half[4] = {0, w[0] / 2, w[1] / 2, w[2] / 2};
        for (int j = 0; j < 4; j++) {
            double e[4] = {0}, d[4];
            e[j] = 1;
            sn_quat_mul(e, half, d);
            for (int i = 0; i < 4; i++) AT(J, q + i, q + j) -= d[i];
            AT(J, q + j, q + j) -= nu[k];
            AT(J, q + j, first + k) -= p[j];
            AT(J, first + k, q + j) += 2 * p[j];
        }
    }
}

/* Columns of velocities and mu, by C + cj M, B and G at hand. */
static void of_velocities(const bdf *s, SUNMatrix J)
{
    const sn_work *w = s->w;
    const sn_model *m = w->m;
    const int to_b = m->nq + m->n - m->nv; /* rows of B v + phi_t, and columns of mu */
    for (int j = 0; j < m->nv; j++) {
        add_kinematics(s, J, j, m->nq + j, -1);
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            const int i = m->Ai[k];
            if (i < m->nv || m->velocity[i - m->nv]) {
                AT(J, m->nq + i, m->nq + j) += w->Ax[k];
            } else if (!w->dropped[i - m->nv]) {
                AT(J, to_b + i, m->nq + j) += w->Ax[k];
                add_kinematics(s, J, j, to_b + i, w->Ax[k]);
            }
        }
    }
    for (int i = 0; i < m->m; i++)
        if (m->velocity[i] || w->dropped[i]) AT(J, to_b + m->nv + i, to_b + m->nv + i) = 1;
}

static int jacobian_(double t, double cj, N_Vector yy, N_Vector yp, N_Vector rr, SUNMatrix J, void *user,
                     N_Vector a, N_Vector b, N_Vector c)
{
    bdf *s = user;
    sn_work *w = s->w;
    const sn_model *m = w->m;
    const sn_coef by_q = {s->one, s->zero, s->zero, s->zero, 1}, by_v = {s->zero, s->one, s->cj, s->one, 1};
    (void)rr, (void)a, (void)b, (void)c;
    take(s, t, NV_DATA_S(yy), NV_DATA_S(yp));
    sn_err_clear(&s->err);
    sn_system_time(w, t);
    if (sn_system_eval(w, s->x, &by_q, &s->err)) return 1;
    for (int j = 0; j < m->n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            const int row = m->nq + m->Ai[k];
            if (j >= m->nv)
                AT(J, row, m->nq + j) += w->Ax[k];
            else
                add_along(s, J, row, j, w->Ax[k]);
        }
    for (int i = 0; i < m->nv; i++) s->cj[i] = m->order_of[i] == 1 ? 0 : cj;
    if (sn_system_eval(w, s->x, &by_v, &s->err)) return 1;
    of_velocities(s, J);
    of_rotations(s, J, NV_DATA_S(yy) + m->nq + m->n + m->m);
    for (int i = 0; i < m->nq; i++) AT(J, i, i) += cj;
    s->info->factorisations++;
    return 0;
}

/* ---- open ---- */

static sn_status places(bdf *s, sn_err *err)
{
    const sn_model *m = s->w->m;
    for (int i = 0; i < m->nq; i++) s->rate_of[i] = -1;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places at = sn_node_place(n);
        const int flat = n->cls->retract ? n->cls->turn : n->nv;
        if (n->ground) continue;
        for (int k = 0; k < flat; k++) s->rate_of[n->q + k] = n->v + k, s->place_of[n->v + k] = n->q + k;
        if (!n->cls->retract) continue;
        if (n->cls->dim != 3 || at.R_v != flat || n->nv != flat + 3)
            return sn_fail(
                err, SN_ERR_INPUT, &n->mark,
                "%s '%s': its coordinates move in a way of their own, which the scheme bdf cannot do",
                n->cls->name, n->name);
        for (int k = 0; k < 3; k++) s->place_of[n->v + flat + k] = -1 - s->n_turn;
        s->turn_q[s->n_turn] = n->q + at.R_q, s->turn_v[s->n_turn++] = n->v + at.R_v;
    }
    s->n = m->nq + m->nv + 2 * m->m + s->n_turn;
    if (s->n > MOST)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the scheme bdf has dense matrices: %d unknowns are more than %d", s->n, MOST);
    return SN_OK;
}

static void quiet(bdf *s);

static int make_ida(bdf *s)
{
    if (sun.SUNContext_Create_(NOBODY, &s->context)) return 0;
    const sunindextype n = s->n;
    N_Vector *const v[] = {&s->y, &s->dy, &s->id, &s->tolerance};
    for (int i = 0; i < 4; i++)
        if (!(*v[i] = sun.N_VNew_Serial_(n, s->context))) return 0;
    return (s->J = sun.SUNDenseMatrix_(n, n, s->context)) != NULL &&
           (s->solver = sun.SUNLinSol_Dense_(s->y, s->J, s->context)) != NULL &&
           (s->ida = sun.IDACreate_(s->context)) != NULL;
}

static sn_status open_(const sn_integration *in, void **self, sn_err *err)
{
    const sn_model *m = in->w->m;
    bdf *s;
    SN_TRY(sn_dynlib_load(&library, err));
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    s->w = in->w, s->info = in->info, s->relative = in->s[0], s->absolute = in->s[1];
    sn_status status = SN_NEW(s->rate_of, m->nq + 1) && SN_NEW(s->from, m->nq + 1) &&
                               SN_NEW(s->raw, m->nq + 1) && SN_NEW(s->place_of, m->nv + 1) &&
                               SN_NEW(s->turn_q, m->n_node + 1) && SN_NEW(s->turn_v, m->n_node + 1) &&
                               SN_NEW(s->zero, m->nv + 1) && SN_NEW(s->one, m->nv + 1) &&
                               SN_NEW(s->cj, m->nv + 1) && SN_NEW(s->phi_t, m->m + 1) &&
                               SN_NEW(s->gamma, m->m + 1) && SN_NEW(s->u, m->nv + 1)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    for (int i = 0; i < m->nv && !status; i++) s->one[i] = 1;
    if (!status) status = sn_state_new(m, 0, &s->x, err);
    if (!status) status = sn_state_new(m, 0, &s->last, err);
    if (!status) status = places(s, err);
    if (!status && !make_ida(s)) status = SN_OUT_OF_MEM(err);
    if (status) {
        close_(s);
        return status;
    }
    quiet(s);
    *self = s;
    return SN_OK;
}

#if SUNDIALS_VERSION_MAJOR >= 7
static void quiet(bdf *s) { sun.SUNContext_ClearErrHandlers_(s->context); }
#else
static void nothing(int code, const char *module, const char *function, char *text, void *user)
{
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

static void quiet(bdf *s) { sun.IDASetErrHandlerFn_(s->ida, nothing, NULL); }
#endif

/* ---- the step ---- */

/* Tolerances by the size of each unknown, and which of them are differential. Multipliers follow from the
   rest by division by the step: neither the error nor the end of Newton's iteration are to depend on them. */
static void weigh(bdf *s)
{
    const sn_work *w = s->w;
    const sn_model *m = w->m;
    double force = w->force;
    double *id = NV_DATA_S(s->id), *tol = NV_DATA_S(s->tolerance), *of_v = tol + m->nq, *id_v = id + m->nq;
    for (int i = 0; i < s->n; i++) id[i] = i < m->nq + m->nv, tol[i] = w->p->length;
    for (int i = 0; i < m->nv; i++) {
        of_v[i] = m->order_of[i] == 1 ? 1 : s->absolute * w->p->length * w->scale[i];
        if (m->order_of[i] == 1 || w->Ax[m->diag[i]] == 0) id_v[i] = 0;
    }
    for (int i = 0; i < m->nq; i++)
        tol[i] = s->rate_of[i] >= 0 && m->order_of[s->rate_of[i]] != 1
                     ? s->absolute * w->p->length * w->scale[s->rate_of[i]]
                     : s->absolute;
    for (int i = 0; i < m->nv; i++)
        if (m->order_of[i] != 1)
            force = fmax(force, fabs(w->Ax[m->diag[i]]) * w->scale[i] * w->scale[i] * w->p->length);
    for (int i = 0; i < m->m; i++) tol[m->nq + m->nv + i] = force * w->scale[m->nv + i];
}

static sn_status failed(bdf *s, const char *what, int flag, sn_err *err)
{
    s->running = 0;
    if (flag == IDA_MEM_FAIL || flag == IDA_MEM_NULL) return SN_OUT_OF_MEM(err);
    if (s->err.count && s->err.report[0].status != SN_ERR_NUMERIC) {
        const sn_status status = s->err.report[0].status;
        sn_err_join(err, &s->err);
        return status;
    }
    char *name = sun.IDAGetReturnFlagName_(flag);
    sn_status status =
        sn_fail(err, SN_ERR_NUMERIC, NULL, "scheme bdf: %s by IDA fails: %s%s%s", what,
                name ? name : "unknown", s->err.count ? ", " : "", s->err.count ? s->err.report[0].text : "");
    free(name);
    return status;
}

/* IDA at x0. */
static sn_status start(bdf *s, const sn_state *x0, sn_err *err)
{
    sn_work *w = s->w;
    const sn_model *m = w->m;
    const sn_coef with_M = {s->zero, s->zero, s->one, s->zero, 1};
    double *y = NV_DATA_S(s->y), *dy = NV_DATA_S(s->dy);
    const size_t all = sizeof *y * (size_t)s->n;
    sn_system_time(w, x0->t);
    /* forces without inertia: in free fall there are none with it */
    sn_state_copy(m, x0, s->x);
    memset(s->x->a, 0, sizeof *s->x->a * (size_t)m->nv);
    w->measure = 1;
    SN_TRY(sn_system_eval(w, s->x, &with_M, err));
    weigh(s);
    memset(y, 0, all), memset(dy, 0, all);
    memcpy(s->from, x0->q, sizeof *y * (size_t)m->nq);
    memcpy(y + m->nq, x0->v, sizeof *y * (size_t)m->nv);
    memcpy(y + m->nq + m->nv, x0->lam, sizeof *y * (size_t)m->m);
    memcpy(dy + m->nq, x0->a, sizeof *y * (size_t)m->nv);
    for (int i = 0; i < m->nq; i++) dy[i] = s->rate_of[i] >= 0 ? x0->v[s->rate_of[i]] : 0;
    for (int k = 0; k < s->n_turn; k++) {
        const double *o = x0->v + s->turn_v[k], half[4] = {0, o[0] / 2, o[1] / 2, o[2] / 2};
        sn_quat_mul(x0->q + s->turn_q[k], half, dy + s->turn_q[k]);
    }
    s->evaluations = s->iterations = 0;
    int flag = s->made ? sun.IDAReInit_(s->ida, x0->t, s->y, s->dy)
                       : sun.IDAInit_(s->ida, residual, x0->t, s->y, s->dy);
    if (!flag) flag = sun.IDASVtolerances_(s->ida, s->relative, s->tolerance);
    if (!flag) flag = sun.IDASetId_(s->ida, s->id);
    if (!flag && !s->made) {
        flag = sun.IDASetUserData_(s->ida, s);
        if (!flag) flag = sun.IDASetLinearSolver_(s->ida, s->solver, s->J);
        if (!flag) flag = sun.IDASetJacFn_(s->ida, jacobian_);
        if (!flag) flag = sun.IDASetSuppressAlg_(s->ida, SUNTRUE);
        if (!flag) flag = sun.IDASetMaxNumSteps_(s->ida, 200000);
    }
    if (flag) return failed(s, "a start", flag, err);
    s->made = s->running = 1;
    return SN_OK;
}

static int goes_on(const bdf *s, const sn_state *x0)
{
    const sn_model *m = s->w->m;
    return s->running && fabs(x0->t - s->last->t) <= 1e-12 * fabs(x0->t) &&
           !memcmp(x0->q, s->last->q, sizeof(double) * (size_t)m->nq) &&
           !memcmp(x0->v, s->last->v, sizeof(double) * (size_t)m->nv);
}

static sn_status step(void *self, const sn_state *x0, double h, sn_state *x1, sn_err *err)
{
    bdf *s = self;
    const sn_model *m = s->w->m;
    const double t1 = x0->t + h;
    double reached;
    long evaluations = 0, iterations = 0;
    sn_err_clear(&s->err);
    sn_system_time(s->w, t1);
    SN_TRY(sn_system_finite(s->w, t1, 0, err));
    if (!m->flat) sn_system_tangent_maps(s->w, s->zero);
    if (!goes_on(s, x0)) SN_TRY(start(s, x0, err));
    /* IDA may look beyond the end and come back by its polynomial, but for inputs, which change there */
    int flag = sn_input_count(m) ? sun.IDASetStopTime_(s->ida, t1) : 0;
    if (!flag) flag = sun.IDASolve_(s->ida, t1, &reached, s->y, s->dy, IDA_NORMAL);
    if (flag < 0) return failed(s, "the integration", flag, err);
    sun.IDAGetNumResEvals_(s->ida, &evaluations), sun.IDAGetNumNonlinSolvIters_(s->ida, &iterations);
    s->info->evaluations += evaluations - s->evaluations, s->info->iterations += iterations - s->iterations;
    s->evaluations = evaluations, s->iterations = iterations;
    take(s, t1, NV_DATA_S(s->y), NV_DATA_S(s->dy));
    sn_state_copy(m, s->x, x1);
    x1->t = t1, x1->h = h;
    sn_state_copy(m, x1, s->last);
    sn_system_time(s->w, t1);
    return SN_OK;
}

static void restart(void *self) { ((bdf *)self)->running = 0; }

#else

static sn_status open_(const sn_integration *in, void **self, sn_err *err)
{
    (void)in, (void)self;
    return sn_fail(
        err, SN_ERR_INPUT, NULL,
        "the scheme bdf needs IDA of SUNDIALS, without which sinew was built (Debian: libsundials-dev)");
}

static sn_status step(void *self, const sn_state *x0, double h, sn_state *x1, sn_err *err)
{
    (void)self, (void)x0, (void)h, (void)x1;
    return sn_fail(err, SN_ERR_BUG, NULL, "the scheme bdf is not there");
}

static void restart(void *self) { (void)self; }
static void close_(void *self) { (void)self; }

#endif

const sn_integrator_class sn_integrator_bdf = {
    .name = "bdf",
    .doc = "BDF of variable order and step, by IDA of SUNDIALS",
    .schemes = schemes,
    .open = open_,
    .step = step,
    .restart = restart,
    .close = close_,
};
