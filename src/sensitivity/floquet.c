/* Floquet multipliers of a periodic motion. Disturbances of the start in minimal coordinates (columns C of
   the state space there, completed to velocities, accelerations and reactions that meet the equations) are
   carried along with the run, exactly as its steps do. With S the numbers of the minimal coordinates that
   they have at the start, and S1 those at the end, the map of a period is S1 S^-1. Where the motion does not
   come back, its start moves by C c with the smallest c of (S1 - S) c = -gap, until it does. */
#include "analysis/state_space.h"
#include "base/size.h"
#include "sensitivity/forward.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Gaps that need no correction, and the largest of a motion that comes back: where nothing is damped a scheme
   may drift a little, so that nothing comes back exactly. Singular values of S1 - S, relative, that are zero:
   they are known to the step's own error. Corrections at most. */
#define EXACT      1e-11
#define COMES_BACK 1e-6
#define NEUTRAL    1e-7
enum { CORRECTIONS = 25 };

static const double two_pi = 6.283185307179586476925;

typedef struct task {
    const sn_model *m;
    const sn_floquet_options *o;
    sn_values *p; /* with the start that is being corrected */
    double period;
    sn_forward f;
    sn_follow inner;
    sn_motion *motion;
    sn_state_space *s;
    sn_state *x0, *x1;
    sn_dstate *columns; /* C */
    int *id;            /* no parameters */
    double *S, *S1;     /* n x n by columns */
    double *gap;        /* n, of the minimal coordinates; nv + nv: of all */
    double first, largest;
    int corrections;
} task;

void sn_floquet_options_fill(const sn_model *m, const sn_values *p, size_t size, sn_floquet_options *out)
{
    memset(out, 0, size);
    out->size = size;
    if (size != sizeof *out) return; /* refused where they are used */
    *out = (sn_floquet_options){.size = size, .run = sn_run_options_default(m, p)};
}

static void release_run(task *t)
{
    sn_forward_free(&t->f);
    t->f = (sn_forward){0};
    sn_motion_free(t->motion), t->motion = NULL;
    sn_state_space_free(t->s), t->s = NULL;
    sn_dstate_free(t->columns), t->columns = NULL;
    sn_free(t->id), sn_free(t->S), sn_free(t->S1), sn_free(t->gap);
    t->id = NULL, t->S = t->S1 = t->gap = NULL;
}

/* ---- the run and its derivatives ---- */

/* Column j of dq and dv (rows of np), from components y in common axes. */
static void set_column(const task *t, const double *y, int j, double *scratch, double *to)
{
    sn_motion_turn(t->motion, y, scratch);
    for (int i = 0; i < t->m->nv; i++) to[i * t->s->n + j] = scratch[i];
}

/* A vector of increments in the coordinates' axes (stride apart) into common ones. */
static void common(const task *t, const double *dq, int stride, double *y)
{
    for (int i = 0; i < t->m->nv; i++) y[i] = dq[i * stride];
    for (int i = 0; i < t->m->nv; i++)
        for (int a = 0; t->motion->turned[i] && a < 3; a++) {
            const double *P = t->motion->P + 3 * i + a;
            y[i + a] = P[0] * dq[i * stride] + P[3] * dq[(i + 1) * stride] + P[6] * dq[(i + 2) * stride];
        }
}

/* The minimal coordinates of increments. scratch: 2 nv */
static void minimal(const task *t, const double *dq, const double *dv, int stride, double *scratch,
                    double *out)
{
    const int nv = t->m->nv;
    common(t, dq, stride, scratch), common(t, dv, stride, scratch + nv);
    for (int i = 0; i < t->s->n; i++) out[i] = scratch[t->s->of[i]];
}

static sn_status begin(void *ctx, sn_forward *f, sn_err *err)
{
    task *t = ctx;
    const sn_state_space *s = t->s;
    const size_t nv = (size_t)t->m->nv, n = (size_t)s->n;
    double *scratch = t->gap + n;
    sn_dstate_clear(t->m, f->keep);
    for (int j = 0; j < s->n; j++) {
        set_column(t, s->Y + (size_t)j * nv, j, scratch, f->keep->q);
        set_column(t, s->V + (size_t)j * nv, j, scratch, f->keep->v);
    }
    SN_TRY(sn_dstart_along(f->start, f->keep, err));
    SN_TRY(sn_dstate_new(t->m, 0, s->n, &t->columns, err));
    memcpy(t->columns->q, f->keep->q, sizeof(double) * nv * n);
    memcpy(t->columns->v, f->keep->v, sizeof(double) * nv * n);
    for (size_t j = 0; j < n; j++) minimal(t, f->keep->q + j, f->keep->v + j, s->n, scratch, t->S + j * n);
    return SN_OK;
}

static sn_status start(void *ctx, sn_context *d, const sn_integrator_class *cls, void *integrator,
                       sn_err *err)
{
    static const double none[3] = {0};
    task *t = ctx;
    SN_TRY(sn_motion_new(d, &t->motion, err));
    SN_TRY(sn_motion_eval(t->motion, d->w, d->x, none, err));
    SN_TRY(sn_state_space_new(t->motion, &t->s, err));
    const size_t n = (size_t)t->s->n, nv = (size_t)t->m->nv;
    if (!n)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "periodic motion: nothing can be disturbed, no freedom is left");
    if (!SN_NEW(t->id, n) || !SN_NEW(t->S, n * n) || !SN_NEW(t->S1, n * n) || !SN_NEW(t->gap, n + 4 * nv + 1))
        return SN_OUT_OF_MEM(err);
    for (size_t i = 0; i < n; i++) t->id[i] = -1;
    sn_state_copy(t->m, d->x, t->x0);
    t->f = (sn_forward){.np = t->s->n, .id = t->id, .begin = begin, .ctx = t};
    t->inner = sn_forward_follow(&t->f);
    return t->inner.start(&t->f, d, cls, integrator, err);
}

static sn_status step(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    task *t = ctx;
    return t->inner.step(&t->f, x0, x1, err);
}

static void back(void *ctx)
{
    task *t = ctx;
    t->inner.back(&t->f);
}

static sn_status keep(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    task *t = ctx;
    return t->inner.keep(&t->f, x0, x1, err);
}

/* From the start to the end: dq, dv (nv each). Whole turns in the plane do not count. */
static void difference(const task *t, double *dq, double *dv)
{
    const sn_model *m = t->m;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places at = sn_node_place(n);
        const double *q0 = t->x0->q + n->q, *q1 = t->x1->q + n->q;
        if (n->ground) continue;
        if (n->cls->difference)
            n->cls->difference(q0, q1, dq + n->v);
        else
            for (int k = 0; k < n->nv; k++) dq[n->v + k] = q1[k] - q0[k];
        if (n->cls->dim == 2 && at.R_v >= 0) dq[n->v + at.R_v] = remainder(dq[n->v + at.R_v], two_pi);
    }
    for (int i = 0; i < m->nv; i++) dv[i] = m->order_of[i] == 2 ? t->x1->v[i] - t->x0->v[i] : 0;
}

static sn_status end(void *ctx, sn_err *err)
{
    task *t = ctx;
    sn_context *d = t->f.d;
    const size_t n = (size_t)t->s->n, nv = (size_t)t->m->nv;
    double *dq = t->gap + n, *dv = dq + nv, *scratch = dv + nv;
    (void)err;
    sn_state_copy(t->m, d->x, t->x1);
    for (size_t j = 0; j < n; j++)
        minimal(t, t->f.keep->q + j, t->f.keep->v + j, t->s->n, scratch, t->S1 + j * n);
    difference(t, dq, dv);
    minimal(t, dq, dv, 1, scratch, t->gap);
    t->largest = 0;
    for (size_t i = 0; i < nv; i++) {
        double size = d->p->length * d->w->scale[i],
               gap = fmax(fabs(dq[i]), fabs(dv[i]) * t->period / two_pi);
        t->largest = fmax(t->largest, gap / size);
    }
    return SN_OK;
}

static sn_status one_period(task *t, int first, sn_err *err)
{
    const sn_follow follow = {.start = start, .step = step, .back = back, .keep = keep, .end = end, .ctx = t};
    sn_run_options o = t->o->run;
    sn_info info;
    double steps = ceil(t->period / o.step * (1 - 1e-12));
    release_run(t);
    o.end = o.begin + t->period, o.output = t->period, o.step = t->period / fmax(1, steps);
    o.error = 0, o.exact = SN_EXACT, o.n_point = 0, o.point = NULL, o.n_wrt = 0, o.frame = NULL;
    if (!first) o.start_static = 0, o.message = NULL;
    if (o.drop_redundant == SN_REDUNDANT_SHARE) o.drop_redundant = SN_REDUNDANT_DROP;
    return sn_run_followed(t->m, t->p, &o, &follow, &info, err);
}

/* ---- Newton's method ---- */

/* The start moves by columns times the smallest solution of (S1 - S) c = -gap. */
static sn_status correct(task *t, sn_err *err)
{
    const int n = t->s->n, nv = t->m->nv;
    const double *scale = t->s->scale;
    lapack_int rank, *pivot = sn_alloc((size_t)n, sizeof *pivot);
    double *A = sn_alloc((size_t)n * (size_t)n, sizeof *A), *c = t->gap, *dq = t->gap + n;
    sn_status s = A && pivot ? SN_OK : SN_OUT_OF_MEM(err);
    for (int j = 0; j < n && !s; j++)
        for (int i = 0; i < n; i++) A[j * n + i] = (t->S1[j * n + i] - t->S[j * n + i]) * scale[j] / scale[i];
    for (int i = 0; i < n && !s; i++) c[i] /= -scale[i];
    if (!s && LAPACKE_dgelsy(LAPACK_COL_MAJOR, n, n, 1, A, n, c, n, pivot, NEUTRAL, &rank))
        s = sn_fail(err, SN_ERR_NUMERIC, NULL, "periodic motion: the map of a period is not finite");
    if (!s) {
        memset(dq, 0, sizeof *dq * (size_t)nv);
        memcpy(t->p->v0, t->x0->v, sizeof(double) * (size_t)nv);
        for (int i = 0; i < nv; i++)
            for (int j = 0; j < n; j++) {
                dq[i] += t->columns->q[i * n + j] * scale[j] * c[j];
                t->p->v0[i] += t->columns->v[i * n + j] * scale[j] * c[j];
            }
        sn_system_retract(t->m, t->x0->q, dq, t->p->q0);
        t->corrections++;
    }
    sn_free(A), sn_free(pivot);
    return s;
}

static sn_status no_motion(const task *t, sn_err *err)
{
    return sn_fail(err, SN_ERR_NUMERIC, NULL,
                   "no periodic motion found near the start: after %.6g s it is off by %.2g of the model's "
                   "length (or radians; velocities likewise over a period), and %d corrections of the start "
                   "leave %.2g",
                   t->period, t->first, t->corrections, t->largest);
}

static sn_status find(task *t, sn_err *err)
{
    sn_err own;
    double best = INFINITY;
    SN_TRY(one_period(t, 1, err));
    t->first = t->largest;
    for (int stuck = 0; t->largest > EXACT && t->corrections < CORRECTIONS;) {
        stuck = t->largest < 0.5 * best ? 0 : stuck + 1;
        best = fmin(best, t->largest);
        if (stuck > (t->largest <= COMES_BACK ? 0 : 5)) break;
        SN_TRY(correct(t, err));
        sn_err_clear(&own);
        sn_status s = one_period(t, 0, &own);
        if (s == SN_ERR_NUMERIC) return no_motion(t, err);
        if (s) {
            sn_err_join(err, &own);
            return s;
        }
    }
    return t->largest <= COMES_BACK ? SN_OK : no_motion(t, err);
}

/* ---- multipliers ---- */

static int larger(const void *a, const void *b)
{
    const double *x = a, *y = b, p = hypot(x[0], x[1]), q = hypot(y[0], y[1]);
    if (fabs(p - q) > 1e-14 * p) return p < q ? 1 : -1;
    return (x[1] < y[1]) - (x[1] > y[1]);
}

static sn_status deliver(task *t, sn_err *err)
{
    const int n = t->s->n;
    double *x = sn_alloc(8 * (size_t)n, sizeof *x), *re = x, *im = x + n, *pair = x + 2 * n, none[1];
    double *rate = x + 4 * n, *omega = x + 5 * n;
    lapack_int *pivot = sn_alloc((size_t)n, sizeof *pivot);
    sn_status s = x && pivot ? SN_OK : SN_OUT_OF_MEM(err);
    if (!s && (LAPACKE_dgesv(LAPACK_COL_MAJOR, n, n, t->S, n, pivot, t->S1, n) ||
               LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, t->S1, n, re, im, none, 1, none, 1)))
        s = sn_fail(err, SN_ERR_NUMERIC, NULL, "periodic motion: the map of a period has no eigenvalues");
    if (!s) {
        for (int i = 0; i < n; i++) pair[2 * i] = re[i], pair[2 * i + 1] = im[i];
        qsort(pair, (size_t)n, 2 * sizeof *pair, larger);
        for (int i = 0; i < n; i++) {
            re[i] = pair[2 * i], im[i] = pair[2 * i + 1];
            rate[i] = log(hypot(re[i], im[i])) / t->period, omega[i] = atan2(im[i], re[i]) / t->period;
        }
        const sn_frame state = {t->x0->t, t->x0->q, t->x0->v, t->x0->a, t->x0->lam, NULL, NULL};
        const sn_floquet f = {n, re, im, rate, omega, t->period, t->first, t->corrections, &state};
        if (t->o->take) s = t->o->take(t->o->ctx, &f, err);
    }
    sn_free(x), sn_free(pivot);
    return s;
}

sn_status sn_floquet_multipliers(const sn_model *m, const sn_values *p, const sn_floquet_options *o,
                                 sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_floquet_options, o, err));
    task t = {.m = m, .o = o, .period = o->period};
    if (!(o->period > 0) || !isfinite(o->period))
        return sn_fail(err, SN_ERR_INPUT, NULL, "periodic motion: its period must be positive");
    if (!(o->run.step > 0)) return sn_fail(err, SN_ERR_INPUT, NULL, "the step of a run must be positive");
    sn_status s = sn_values_clone(p, &t.p, err);
    if (!s) s = sn_state_new(m, 0, &t.x0, err);
    if (!s) s = sn_state_new(m, 0, &t.x1, err);
    if (!s) s = find(&t, err);
    if (!s) s = deliver(&t, err);
    release_run(&t);
    sn_state_free(t.x0), sn_state_free(t.x1);
    sn_values_free(t.p);
    return s;
}
