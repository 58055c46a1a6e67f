/* The equations linearised at a state:

       M da + C dv + K dq + L dlam = 0,    B dq = 0,    of equations at velocity level B dv + D dq = 0

   K holds all of dr/dq: stiffness, the reactions' part, and that of the inertia forces where the state moves.
   All equations are there, redundant ones too. Coordinates are those of the tangent space: increments of
   rotations are in the frames' own axes. */
#include "analysis/analysis.h"
#include "base/size.h"

#include <string.h>

void sn_linear_options_fill(const sn_model *m, const sn_values *p, size_t size, sn_linear_options *out)
{
    memset(out, 0, size);
    out->size = size;
    if (size != sizeof *out) return; /* refused where they are used */
    *out = (sn_linear_options){.size = size, .at_time = -1, .run = sn_run_options_default(m, p)};
}

typedef struct keeper {
    sn_state *x;
    const sn_model *m;
} keeper;

static sn_status keep(void *ctx, const sn_frame *f, sn_err *err)
{
    keeper *c = ctx;
    (void)err;
    c->x->t = f->t;
    memcpy(c->x->q, f->q, sizeof(double) * (size_t)c->m->nq);
    memcpy(c->x->v, f->v, sizeof(double) * (size_t)c->m->nv);
    memcpy(c->x->a, f->a, sizeof(double) * (size_t)c->m->nv);
    memcpy(c->x->lam, f->lam, sizeof(double) * (size_t)c->m->m);
    return SN_OK;
}

sn_status sn_operating_point(sn_context *d, sn_where at, double time, sn_err *err)
{
    const sn_model *m = d->m;
    memcpy(d->x->q, d->p->q0, sizeof(double) * (size_t)m->nq);
    if (at == SN_AT_STATIC) return sn_equilibrium(d, err);
    if (at == SN_AT_STEADY) return sn_steady(d, err);
    if (at == SN_AT_START) return sn_start(d, err);
    keeper c = {d->x, m};
    sn_run_options r = *d->o;
    sn_info info;
    r.end = r.output = time, r.frame = keep, r.ctx = &c, r.n_point = 0, r.progress = NULL, r.message = NULL;
    SN_TRY(sn_run_followed(m, d->p, &r, NULL, &info, err));
    sn_system_time(d->w, d->x->t);
    return SN_OK;
}

typedef struct range {
    int from, to;
} range;

static int counts(const sn_context *d, int k, range rows, int velocity)
{
    const sn_model *m = d->m;
    int i = m->Ai[k];
    if (i < rows.from || i >= rows.to || d->w->Ax[k] == 0) return 0;
    return !velocity || m->velocity[i - m->nv];
}

/* A block of the assembled matrix without its zeros; velocity: only rows of equations at velocity level. */
static sn_status block(const sn_context *d, sn_arena *arena, range rows, range cols, int velocity,
                       sn_sparse *out)
{
    const sn_model *m = d->m;
    int n = 0, width = cols.to - cols.from;
    for (int j = cols.from; j < cols.to; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) n += counts(d, k, rows, velocity);
    int *first = sn_arena_alloc(arena, (size_t)width + 1, sizeof *first);
    int *row = sn_arena_alloc(arena, (size_t)n + 1, sizeof *row);
    double *x = sn_arena_alloc(arena, (size_t)n + 1, sizeof *x);
    if (!first || !row || !x) return SN_ERR_MEMORY;
    n = 0;
    for (int j = cols.from; j < cols.to; j++) {
        first[j - cols.from] = n;
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
            if (counts(d, k, rows, velocity)) row[n] = m->Ai[k] - rows.from, x[n++] = d->w->Ax[k];
    }
    first[width] = n;
    *out = (sn_sparse){rows.to - rows.from, width, first, row, x};
    return SN_OK;
}

static sn_status matrices(sn_context *d, sn_arena *arena, sn_linear *l, sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef with_M = {d->zero, d->zero, d->one, d->one, 1},
                  with_C = {d->zero, d->one, d->zero, d->zero, 1},
                  with_K = {d->one, d->zero, d->zero, d->zero, 1};
    const range v = {0, m->nv}, e = {m->nv, m->n};
    SN_TRY(sn_system_eval(d->w, d->x, &with_M, err));
    SN_TRY(sn_context_finite(d, "linearisation", err));
    if (block(d, arena, v, v, 0, &l->M) || block(d, arena, e, v, 0, &l->B) || block(d, arena, v, e, 0, &l->L))
        return SN_OUT_OF_MEM(err);
    SN_TRY(sn_system_eval(d->w, d->x, &with_C, err));
    SN_TRY(sn_context_finite(d, "linearisation", err));
    if (block(d, arena, v, v, 0, &l->C)) return SN_OUT_OF_MEM(err);
    SN_TRY(sn_system_eval(d->w, d->x, &with_K, err));
    SN_TRY(sn_context_finite(d, "linearisation", err));
    if (block(d, arena, v, v, 0, &l->K) || block(d, arena, e, v, 1, &l->D)) return SN_OUT_OF_MEM(err);
    return SN_OK;
}

static const char *const *names(const sn_model *m, sn_arena *arena, int n,
                                const char *(*name)(const sn_model *, int, char *, size_t))
{
    const char **all = sn_arena_alloc(arena, (size_t)n + 1, sizeof *all);
    for (int i = 0; all && i < n; i++) {
        char text[200];
        name(m, i, text, sizeof text);
        if (!(all[i] = sn_arena_strndup(arena, text, strlen(text)))) return NULL;
    }
    return all;
}

static sn_status deliver(sn_context *d, const sn_linear_options *o, sn_arena *arena, sn_err *err)
{
    const sn_model *m = d->m;
    sn_linear l = {.nv = m->nv, .m = m->m};
    const sn_state *x = d->x;
    if (o->run.drop_redundant == SN_REDUNDANT_SHARE) SN_TRY(sn_redundant_multipliers_new(d, err));
    SN_TRY(sn_redundant_multipliers_state(d, &x, err));
    SN_TRY(sn_system_sensors(d->w, x, d->y, err));
    const sn_frame f = {x->t, x->q, x->v, x->a, x->lam, d->y, NULL};
    memset(d->w->dropped, 0, (size_t)m->m);
    d->w->n_dropped = 0;
    SN_TRY(matrices(d, arena, &l, err));
    l.state = &f;
    l.coordinate = names(m, arena, m->nv, sn_coord_name);
    l.equation = names(m, arena, m->m, sn_equation_name);
    if (!l.coordinate || !l.equation) return SN_OUT_OF_MEM(err);
    return o->take ? o->take(o->ctx, &l, err) : SN_OK;
}

sn_status sn_linearise(const sn_model *m, const sn_values *p, const sn_linear_options *o, sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_linear_options, o, err));
    sn_context d;
    sn_info info = {0};
    sn_arena arena = {NULL};
    SN_TRY(sn_context_open(m, p, &o->run, &info, &d, err));
    if (!m->flat) sn_system_tangent_maps(d.w, d.zero);
    sn_status s =
        sn_operating_point(&d, sn_where_of(o->at_static, o->at_steady, o->at_time), o->at_time, err);
    if (!s) s = deliver(&d, o, &arena, err);
    sn_arena_free(&arena);
    sn_context_close(&d);
    return s;
}
