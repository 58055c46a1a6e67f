/* The matrices of small vibrations and their derivatives: see vibration.h. */
#include "sensitivity/vibration.h"
#include "sensitivity/dstart.h"
#include "sensitivity/stencil.h"
#include "system/dstate.h"

#include <math.h>
#include <string.h>

/* ---- the matrices at a state ---- */

typedef struct task {
    const sn_vibration_request *r;
    sn_vibration *v;
    sn_context *d;
    int n_quantity, *quantity; /* inputs that are numbers of the model */
    sn_vibration_matrices scratch;
} task;

static size_t room(const sn_vibration *v)
{
    size_t n = (size_t)v->n, c = (size_t)v->n_channel, i = (size_t)v->n_input;
    return 3 * n * n + 3 * c * n + i * n + c * i + 1;
}

static sn_status matrices_new(sn_vibration *v, sn_vibration_matrices *y, sn_err *err)
{
    size_t n = (size_t)v->n, c = (size_t)v->n_channel;
    double *x = y->x = sn_arena_alloc(&v->arena, room(v), sizeof *x);
    if (!x) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < 3; k++, x += n * n) y->A[k] = x;
    for (int k = 0; k < 3; k++, x += c * n) y->Y[k] = x;
    y->b = x, y->direct = x + (size_t)v->n_input * n;
    return SN_OK;
}

/* The assembled matrix into A. Rows of equations stand in K's matrix; those at velocity level have their
   rates in C's. */
static void spread(const sn_work *w, int order, double *A)
{
    const sn_model *m = w->m;
    size_t n = (size_t)m->n;
    for (int j = 0; j < m->n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            int i = m->Ai[k], rate = i >= m->nv && m->velocity[i - m->nv];
            int counts = order == 0 || (j < m->nv && (i < m->nv || (order == 1 && rate)));
            if (counts) A[(size_t)j * n + (size_t)i] = w->Ax[k];
        }
}

/* What a channel shows of z, and what inputs do to it at once. */
static sn_status rows(const task *t, sn_work *w, const sn_state *x, const sn_parameter_chain *c,
                      sn_vibration_matrices *out, sn_err *err)
{
    const sn_model *m = t->v->m;
    sn_dstate *b = NULL;
    double *unit = NULL, *g = NULL;
    size_t n = (size_t)m->n;
    sn_status status = sn_dstate_new(m, 0, 1, &b, err);
    if (!status && (!SN_NEW(unit, sn_channel_count(m) + 1) || !SN_NEW(g, t->n_quantity + 1)))
        status = SN_OUT_OF_MEM(err);
    for (int k = 0; k < t->v->n_channel && !status; k++) {
        sn_dstate_clear(m, b);
        memset(g, 0, sizeof *g * (size_t)t->n_quantity);
        unit[t->r->channel[k]] = 1;
        status = sn_system_dsensors_transposed(w, x, c, unit, b, g, err);
        unit[t->r->channel[k]] = 0;
        const double *const part[3] = {b->q, b->v, b->a};
        for (int o = 0; o < 3; o++)
            memcpy(out->Y[o] + (size_t)k * n, part[o], sizeof(double) * (size_t)m->nv);
        memcpy(out->Y[0] + (size_t)k * n + m->nv, b->lam, sizeof(double) * (size_t)m->m);
        for (int i = 0, q = 0; i < t->v->n_input; i++)
            if (t->r->input[i].quantity >= 0) out->direct[k * t->v->n_input + i] = g[q++];
    }
    sn_free(unit), sn_free(g);
    sn_dstate_free(b);
    return status;
}

/* The direction of a channel: of its accelerations where it shows these, else of velocities, else of
 * positions.
 */
static sn_status direction(const task *t, sn_work *w, const sn_state *x, const sn_parameter_chain *c,
                           int channel, double *to, sn_err *err)
{
    const sn_model *m = t->v->m;
    sn_dstate *b = NULL;
    double *unit = NULL, *g = NULL;
    sn_status status = sn_dstate_new(m, 0, 1, &b, err);
    if (!status && (!SN_NEW(unit, sn_channel_count(m) + 1) || !SN_NEW(g, t->n_quantity + 1)))
        status = SN_OUT_OF_MEM(err);
    if (!status) unit[channel] = 1;
    if (!status) status = sn_system_dsensors_transposed(w, x, c, unit, b, g, err);
    for (int k = 0; k < 3 && !status; k++) {
        const double *from = k == 0 ? b->a : k == 1 ? b->v : b->q;
        double top = 0;
        for (int i = 0; i < m->nv; i++) top = fmax(top, fabs(from[i]));
        if (top == 0 && k < 2) continue;
        memcpy(to, from, sizeof *to * (size_t)m->nv);
        break;
    }
    sn_free(unit), sn_free(g);
    sn_dstate_free(b);
    return status;
}

static sn_status inputs(const task *t, sn_work *w, const sn_state *x, const sn_parameter_chain *c, double *b,
                        sn_err *err)
{
    const sn_model *m = t->v->m;
    size_t n = (size_t)m->n, nq = (size_t)t->n_quantity;
    double *f;
    if (!SN_NEW(f, (n + 1) * (nq + 1))) return SN_OUT_OF_MEM(err);
    sn_status status = nq ? sn_system_dparam(w, x, c, 1, f, err) : SN_OK;
    for (size_t i = 0, q = 0; i < (size_t)t->v->n_input && !status; i++) {
        const sn_vibration_input *in = &t->r->input[i];
        if (in->quantity < 0) {
            status = direction(t, w, x, c, in->channel, b + i * n, err);
            continue;
        }
        for (size_t k = 0; k < n; k++) b[i * n + k] = -f[k * nq + q];
        q++;
    }
    sn_free(f);
    return status;
}

/* Everything at one state with one set of values. */
static sn_status fill(const task *t, sn_work *w, const sn_state *x, sn_vibration_matrices *out, sn_err *err)
{
    const sn_context *d = t->d;
    const sn_coef coef[3] = {{d->one, d->zero, d->zero, d->zero, 1},
                             {d->zero, d->one, d->zero, d->one, 1},
                             {d->zero, d->zero, d->one, d->zero, 1}};
    sn_parameter_chain *c = NULL;
    for (int k = 0; k < 3; k++) {
        SN_TRY(sn_system_eval(w, x, &coef[k], err));
        sn_context at = *d;
        at.w = w;
        SN_TRY(sn_context_finite(&at, "linearisation", err));
        spread(w, k, out->A[k]);
    }
    if (!t->v->n_channel && !t->v->n_input) return SN_OK;
    sn_status status = sn_parameter_chain_new(t->v->m, w->p, t->n_quantity, t->quantity, &c, err);
    if (!status) sn_parameter_chain_time(c, w, x->t);
    if (!status) status = rows(t, w, x, c, out, err);
    if (!status) status = inputs(t, w, x, c, out->b, err);
    sn_parameter_chain_free(c);
    return status;
}

/* ---- derivatives ---- */

/* The state, moved by f of its derivative by parameter k. */
static void moved(const sn_context *d, const sn_dstate *dx, int k, double f, sn_state *to)
{
    const sn_model *m = d->m;
    size_t np = (size_t)dx->columns, c = (size_t)k;
    const sn_state *x = d->x;
    for (int i = 0; i < m->nv; i++) {
        size_t at = (size_t)i * np + c;
        d->z[i] = f * dx->q[at];
        to->v[i] = x->v[i] + f * dx->v[at], to->a[i] = x->a[i] + f * dx->a[at];
    }
    for (int i = 0; i < m->m; i++) to->lam[i] = x->lam[i] + f * dx->lam[(size_t)i * np + c];
    sn_system_retract(m, x->q, d->z, to->q);
    to->t = x->t;
}

/* Step of the differences: a small part of the number, or of what it may be where it is 0. */
static double step_of(const sn_values *p, int id)
{
    double x = fabs(p->x[id]);
    return 3e-3 * (x > 0 ? x : 1);
}

static sn_status along(task *t, const sn_dstate *dx, int k, sn_vibration_matrices *out, sn_err *err)
{
    const sn_context *d = t->d;
    const sn_model *m = d->m;
    const int id = t->r->id[k];
    sn_vibration_matrices at = t->scratch;
    sn_values *p = NULL;
    sn_state *x = NULL;
    const double was = d->p->x[id], h = step_of(d->p, id);
    sn_status status = sn_values_copy(d->p, &p, err);
    if (!status) status = sn_state_new(m, 0, &x, err);
    if (!status) status = matrices_new(t->v, out, err);
    for (int j = -3; j <= 3 && !status; j++) {
        sn_work *w = NULL;
        if (j == 0) continue;
        p->x[id] = was + j * h, p->fixed[id] = 1;
        status = sn_values_update(p, err);
        if (!status) status = sn_work_new(m, p, &w, err);
        if (status) break;
        memcpy(w->dropped, d->w->dropped, (size_t)m->m);
        w->n_dropped = d->w->n_dropped;
        sn_system_time(w, d->x->t);
        if (!m->flat) sn_system_tangent_maps(w, d->zero);
        memcpy(x->q, p->q0, sizeof(double) * (size_t)m->nq); /* the ground's too */
        moved(d, dx, k, j * h, x);
        memset(at.x, 0, room(t->v) * sizeof *at.x);
        status = fill(t, w, x, &at, err);
        double f = (j > 0 ? 1 : -1) * sn_stencil[j > 0 ? j - 1 : -j - 1] / h;
        for (size_t i = 0; i < room(t->v) && !status; i++) out->x[i] += f * at.x[i];
        sn_work_free(w);
    }
    sn_state_free(x);
    sn_values_free(p);
    return status;
}

static sn_status derivatives(task *t, sn_err *err)
{
    sn_context *d = t->d;
    sn_vibration *v = t->v;
    sn_parameter_chain *c = NULL;
    sn_dstart *start = NULL;
    sn_dstate *dx = NULL;
    v->by = sn_arena_alloc(&v->arena, (size_t)v->np + 1, sizeof *v->by);
    if (!v->by) return SN_OUT_OF_MEM(err);
    SN_TRY(matrices_new(v, &t->scratch, err));
    sn_status status = sn_parameter_chain_new(v->m, d->p, v->np, t->r->id, &c, err);
    if (!status) sn_parameter_chain_time(c, d->w, d->x->t);
    if (!status) status = sn_dstart_new(d, c, &start, err);
    if (!status) status = sn_dstate_new(v->m, 0, v->np, &dx, err);
    if (!status) status = t->r->at_static ? sn_dstatic(start, dx, err) : sn_dstart_run(start, dx, err);
    for (int k = 0; k < v->np && !status; k++)
        if (c->used[k]) status = along(t, dx, k, &v->by[k], err);
    sn_dstate_free(dx), sn_dstart_free(start), sn_parameter_chain_free(c);
    return status;
}

/* ---- all ---- */

static sn_status at_rest(const sn_context *d, sn_err *err)
{
    char name[160];
    for (int i = 0; i < d->m->nv; i++)
        if (fabs(d->x->v[i]) > 1e-9)
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "the start moves (%s at %.3g a second), but vibrations are about a state at rest: "
                           "take 'about: static', or set the initial velocities to 0",
                           sn_coord_name(d->m, i, name, sizeof name), d->x->v[i]);
    return SN_OK;
}

static sn_status make(task *t, sn_err *err)
{
    sn_vibration *v = t->v;
    sn_context *d = t->d;
    t->quantity = sn_arena_alloc(&v->arena, (size_t)v->n_input + 1, sizeof *t->quantity);
    if (!t->quantity) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < v->n_input; i++)
        if (t->r->input[i].quantity >= 0) t->quantity[t->n_quantity++] = t->r->input[i].quantity;
    if (!v->m->flat) sn_system_tangent_maps(d->w, d->zero);
    SN_TRY(sn_operating_point(d, sn_where_of(t->r->at_static, 0, -1), -1, err));
    SN_TRY(at_rest(d, err));
    SN_TRY(matrices_new(v, &v->at, err));
    SN_TRY(fill(t, d->w, d->x, &v->at, err));
    return v->np ? derivatives(t, err) : SN_OK;
}

sn_status sn_vibration_new(const sn_model *m, const sn_values *p, const sn_vibration_request *r,
                           sn_vibration **out, sn_err *err)
{
    sn_vibration *v;
    sn_context d;
    sn_info info = {0};
    *out = NULL;
    if (!SN_NEW(v, 1)) return SN_OUT_OF_MEM(err);
    *v = (sn_vibration){.m = m,
                        .n = m->n,
                        .nv = m->nv,
                        .n_channel = r->n_channel,
                        .n_input = r->n_input,
                        .np = r->np,
                        .rolling = -1};
    for (int i = 0; i < m->m; i++)
        if (m->velocity[i]) v->rolling = i;
    task t = {.r = r, .v = v, .d = &d};
    sn_status status = sn_context_open(m, p, &r->run, &info, &d, err);
    if (!status) {
        status = make(&t, err);
        sn_context_close(&d);
    }
    if (status)
        sn_vibration_free(v);
    else
        *out = v;
    return status;
}

void sn_vibration_free(sn_vibration *v)
{
    if (!v) return;
    sn_arena_free(&v->arena);
    sn_free(v);
}
