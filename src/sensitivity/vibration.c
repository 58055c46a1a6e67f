/* The matrices of small vibrations and their derivatives: see vibration.h. */
#include "sensitivity/vibration.h"
#include "sensitivity/dstart.h"
#include "sensitivity/along.h"
#include "system/dstate.h"

#include <math.h>
#include <string.h>

/* ---- the matrices at a state ---- */

typedef struct task {
    const sn_vibration_request *r;
    sn_vibration *v;
    int n_quantity, *quantity; /* inputs that are numbers of the model */
} task;

static size_t room(const sn_vibration *v)
{
    size_t n = (size_t)v->n, c = (size_t)v->n_channel, i = (size_t)v->n_input;
    return 3 * n * n + 3 * c * n + i * n + c * i + 1;
}

static void lay_out(const sn_vibration *v, double *x, sn_vibration_matrices *y)
{
    size_t n = (size_t)v->n, c = (size_t)v->n_channel;
    y->x = x;
    for (int k = 0; k < 3; k++, x += n * n) y->A[k] = x;
    for (int k = 0; k < 3; k++, x += c * n) y->Y[k] = x;
    y->b = x, y->direct = x + (size_t)v->n_input * n;
}

static sn_status matrices_new(sn_vibration *v, sn_vibration_matrices *y, sn_err *err)
{
    double *x = sn_arena_alloc(&v->arena, room(v), sizeof *x);
    if (!x) return SN_OUT_OF_MEM(err);
    lay_out(v, x, y);
    return SN_OK;
}

/* One of the matrices of small motions, dense. */
static void spread(const sn_model *m, const double *from, double *A)
{
    size_t n = (size_t)m->n;
    for (int j = 0; j < m->n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) A[(size_t)j * n + (size_t)m->Ai[k]] = from[k];
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
        double *const part[3] = {b->q, b->v, b->a};
        sn_motion_rows(t->v->motion, x, part);
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
        sn_motion_force(t->v->motion, to);
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
        sn_motion_force(t->v->motion, b + i * n);
        q++;
    }
    sn_free(f);
    return status;
}

/* Everything at one state with one set of values: a point of a line along a parameter. */
static sn_status fill(void *ctx, sn_work *w, const sn_state *x, double *to, sn_err *err)
{
    const task *t = ctx;
    sn_motion *p = t->v->motion;
    sn_parameter_chain *c = NULL;
    sn_vibration_matrices out;
    double spin[3];
    lay_out(t->v, to, &out);
    sn_motion_spin(p, x, spin);
    SN_TRY(sn_motion_eval(p, w, x, spin, err));
    for (int k = 0; k < 3; k++) spread(t->v->m, p->A[k], out.A[k]);
    if (!t->v->n_channel && !t->v->n_input) return SN_OK;
    sn_status status = sn_parameter_chain_new(t->v->m, w->p, t->n_quantity, t->quantity, &c, err);
    if (!status) sn_parameter_chain_time(c, w, x->t);
    if (!status) status = rows(t, w, x, c, &out, err);
    if (!status) status = inputs(t, w, x, c, out.b, err);
    sn_parameter_chain_free(c);
    return status;
}

static sn_status derivatives(task *t, sn_err *err)
{
    sn_vibration *v = t->v;
    sn_context *d = &v->d;
    sn_along line = {.d = d, .n = room(v), .size = t->r->size, .fill = fill, .ctx = t};
    v->by = sn_arena_alloc(&v->arena, (size_t)v->np + 1, sizeof *v->by);
    if (!v->by) return SN_OUT_OF_MEM(err);
    sn_status status =
        sn_along_open(&line, sn_where_of(t->r->at_static, t->r->at_steady, -1), v->np, t->r->id, err);
    for (int k = 0; k < v->np && !status; k++) {
        if (!line.chain->used[k]) continue;
        status = matrices_new(v, &v->by[k], err);
        if (!status) status = sn_along_parameter(&line, k, v->by[k].x, err);
    }
    sn_along_close(&line);
    return status;
}

/* ---- all ---- */

/* Where no axes have constant matrices. */
static sn_status unsteady(const sn_context *d, sn_err *err)
{
    char name[160];
    int at = 0;
    for (int i = 0; i < d->m->nv; i++)
        if (fabs(d->x->v[i]) > fabs(d->x->v[at])) at = i;
    return sn_fail(err, SN_ERR_INPUT, NULL,
                   "the start moves (%s at %.3g a second) and is no steady motion: its linearisation changes "
                   "with time. Take 'about: static', or initial velocities of a steady motion",
                   sn_coord_name(d->m, at, name, sizeof name), d->x->v[at]);
}

static sn_status make(task *t, sn_err *err)
{
    sn_vibration *v = t->v;
    sn_context *d = &v->d;
    t->quantity = sn_arena_alloc(&v->arena, (size_t)v->n_input + 1, sizeof *t->quantity);
    if (!t->quantity) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < v->n_input; i++)
        if (t->r->input[i].quantity >= 0) t->quantity[t->n_quantity++] = t->r->input[i].quantity;
    if (!v->m->flat) sn_system_tangent_maps(d->w, d->zero);
    SN_TRY(sn_operating_point(d, sn_where_of(t->r->at_static, t->r->at_steady, -1), -1, err));
    SN_TRY(sn_motion_new(d, &v->motion, err));
    SN_TRY(sn_motion_axes(v->motion, &v->what, v->with, err));
    if (v->what == SN_VARYING && !t->r->any_motion) return unsteady(d, err);
    SN_TRY(matrices_new(v, &v->at, err));
    if (v->np) SN_TRY(derivatives(t, err));
    return fill(t, d->w, d->x, v->at.x, err); /* last: the motion keeps these matrices */
}

sn_status sn_vibration_new(const sn_model *m, const sn_values *p, const sn_vibration_request *r,
                           sn_vibration **out, sn_err *err)
{
    sn_vibration *v;
    *out = NULL;
    if (!SN_NEW(v, 1)) return SN_OUT_OF_MEM(err);
    *v = (sn_vibration){.m = m,
                        .n = m->n,
                        .nv = m->nv,
                        .n_channel = r->n_channel,
                        .n_input = r->n_input,
                        .np = r->np,
                        .run = r->run};
    for (int i = 0; i < m->m; i++) v->rolling |= m->velocity[i];
    task t = {.r = r, .v = v};
    sn_status status = sn_context_open(m, p, &v->run, &v->info, &v->d, err);
    if (status)
        v->d.m = NULL;
    else
        status = make(&t, err);
    if (status)
        sn_vibration_free(v);
    else
        *out = v;
    return status;
}

void sn_vibration_free(sn_vibration *v)
{
    if (!v) return;
    sn_motion_free(v->motion);
    if (v->d.m) sn_context_close(&v->d);
    sn_arena_free(&v->arena);
    sn_free(v);
}
