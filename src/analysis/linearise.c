/* The equations linearised at a state:

       M y'' + C y' + K y + L mu = 0,    B y = 0,    of equations at velocity level B y' + D y = 0

   in common axes (motion.h), and the system of minimal coordinates that follows from them
   (linear_system.h). All equations are there, redundant ones too, in the matrices; the system is made without
   those that follow from others. */
#include "analysis/embedding.h"
#include "analysis/linear_system.h"
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
    if (at == SN_AT_STATIC) {
        SN_TRY(sn_need_mass(d, 0, err));
        return sn_equilibrium(d, err);
    }
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

/* Coordinates and equations up to which dense matrices of a system are made without being asked for. */
enum { MOST = 1000 };

typedef struct part {
    const double *A; /* with the pattern of the system */
    range rows, cols;
    int level; /* of equations: only those of positions (0) or rates (1); -1: all rows */
} part;

static int counts(const sn_model *m, const part *p, int k)
{
    int i = m->Ai[k];
    if (i < p->rows.from || i >= p->rows.to || p->A[k] == 0) return 0;
    return p->level < 0 || m->velocity[i - m->nv] == p->level;
}

/* A block without its zeros; more: entries of other rows, or NULL. */
static sn_status block(const sn_model *m, sn_arena *arena, const part *p, const part *more, sn_sparse *out)
{
    int n = 0, width = p->cols.to - p->cols.from;
    for (int j = p->cols.from; j < p->cols.to; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) n += counts(m, p, k) || (more && counts(m, more, k));
    int *first = sn_arena_alloc(arena, (size_t)width + 1, sizeof *first);
    int *row = sn_arena_alloc(arena, (size_t)n + 1, sizeof *row);
    double *x = sn_arena_alloc(arena, (size_t)n + 1, sizeof *x);
    if (!first || !row || !x) return SN_ERR_MEMORY;
    n = 0;
    for (int j = p->cols.from; j < p->cols.to; j++) {
        first[j - p->cols.from] = n;
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            const part *of = counts(m, p, k) ? p : more && counts(m, more, k) ? more : NULL;
            if (of) row[n] = m->Ai[k] - p->rows.from, x[n++] = of->A[k];
        }
    }
    first[width] = n;
    *out = (sn_sparse){p->rows.to - p->rows.from, width, first, row, x};
    return SN_OK;
}

static sn_status matrices(const sn_motion *p, sn_arena *arena, sn_linear *l, sn_err *err)
{
    const sn_model *m = p->d->m;
    const range v = {0, m->nv}, e = {m->nv, m->n};
    const part M = {p->A[2], v, v, -1}, C = {p->A[1], v, v, -1}, K = {p->A[0], v, v, -1},
               L = {p->A[0], v, e, -1}, positions = {p->A[0], e, v, 0}, rates = {p->A[1], e, v, 1},
               D = {p->A[0], e, v, 1};
    if (block(m, arena, &M, NULL, &l->M) || block(m, arena, &C, NULL, &l->C) ||
        block(m, arena, &K, NULL, &l->K) || block(m, arena, &L, NULL, &l->L) ||
        block(m, arena, &positions, &rates, &l->B) || block(m, arena, &D, NULL, &l->D))
        return SN_OUT_OF_MEM(err);
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

/* What is said of a state that is no steady motion, and of axes that turn. */
static void tell(const sn_context *d, const sn_linear *l)
{
    if (l->about == SN_LINEAR_INSTANT)
        sn_context_message(d,
                           "the motion at t = %.6g s is not steady: the matrices are those of this instant, "
                           "and change with time",
                           d->x->t);
    if (l->axes[0])
        sn_context_message(
            d,
            "the axes turn with %s: inputs and sensors along axes that stand still are those of "
            "this instant",
            l->axes);
}

static sn_status system_of(sn_motion *p, const sn_linear_options *o, sn_arena *arena, sn_linear *l,
                           sn_err *err)
{
    const sn_context *d = p->d;
    sn_linear_system *s = sn_arena_alloc(arena, 1, sizeof *s);
    if (!s) return SN_OUT_OF_MEM(err);
    if (o->no_system) return SN_OK;
    if (d->m->n > MOST && !o->n_input && !o->n_output && !o->reduce) {
        sn_context_message(d,
                           "no system of first order: %d unknowns are more than %d; name inputs and outputs "
                           "to have it all the same",
                           d->m->n, MOST);
        return SN_OK;
    }
    SN_TRY(sn_linear_system_make(p, o, arena, s, err));
    l->system = s;
    return SN_OK;
}

static sn_status deliver(sn_motion *p, const sn_linear_options *o, sn_arena *arena, sn_err *err)
{
    sn_context *d = p->d;
    const sn_model *m = d->m;
    char axes[SN_NAME_SIZE];
    sn_steadiness about;
    SN_TRY(sn_motion_axes(p, &about, axes, err));
    sn_linear l = {.nv = m->nv, .m = m->m, .axes = axes};
    l.about = about == SN_AT_REST  ? SN_LINEAR_AT_REST
              : about == SN_STEADY ? SN_LINEAR_STEADY
                                   : SN_LINEAR_INSTANT;
    memcpy(l.spin, p->spin, sizeof l.spin);
    tell(d, &l);
    SN_TRY(system_of(p, o, arena, &l, err));
    sn_embedded embedded = {0};
    if (o->independent) SN_TRY(sn_embed(d, arena, &embedded, err));
    if (o->independent) l.embedded = &embedded;
    const sn_state *x = d->x;
    if (o->run.drop_redundant == SN_REDUNDANT_SHARE) SN_TRY(sn_redundant_multipliers_new(d, err));
    SN_TRY(sn_redundant_multipliers_state(d, &x, err));
    SN_TRY(sn_system_sensors(d->w, x, d->y, err));
    const sn_frame f = {x->t, x->q, x->v, x->a, x->lam, d->y, NULL};
    memset(d->w->dropped, 0, (size_t)m->m);
    d->w->n_dropped = 0;
    SN_TRY(sn_motion_eval(p, d->w, d->x, l.spin, err));
    SN_TRY(matrices(p, arena, &l, err));
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
    sn_arena arena = {0};
    sn_motion *near = NULL;
    SN_TRY(sn_context_open(m, p, &o->run, &info, &d, err));
    if (!m->flat) sn_system_tangent_maps(d.w, d.zero);
    sn_status s =
        sn_operating_point(&d, sn_where_of(o->at_static, o->at_steady, o->at_time), o->at_time, err);
    if (!s) s = sn_motion_new(&d, &near, err);
    if (!s) s = deliver(near, o, &arena, err);
    sn_motion_free(near);
    sn_arena_free(&arena);
    sn_context_close(&d);
    return s;
}
