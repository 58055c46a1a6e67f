/* A linear system with inputs and outputs about a motion: see linear_system.h. Small motions have inputs u,
   their rates and second derivatives (state_space.h); of each input the highest derivative that something
   follows without delay becomes the input, and what is below it stays a state. Accelerations and reactions
   are

       y'' = V x',    L mu = -(A2 y'' + A1 y' + A0 y + f u) */
#include "analysis/linear_system.h"

#include "system/dstate.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

/* What is below this part of the largest, in states of comparable size, is rounding. */
#define NOTHING 1e-11

typedef struct task {
    sn_linear_work *k;
    const sn_model *m;
    sn_parameter_chain *chain;
    double *f; /* n x inputs by columns: of the residual and the equations */
    sn_state_space *s;
    sn_dense q[3], mu;       /* y, y', y'' and multipliers by (x, u'') */
    unsigned char *no_accel; /* nv: y'' follows the third derivative of some input */
    double *g;               /* outputs x inputs: at once */
    sn_dense C;              /* outputs by (x, u'') */
} task;

/* ---- inputs ---- */

static sn_status input_forces(task *t, sn_err *err)
{
    sn_linear_work *k = t->k;
    const sn_context *d = k->p->d;
    const size_t n = (size_t)t->m->n, ni = (size_t)k->n_input;
    int *id = sn_arena_alloc(k->arena, ni + 1, sizeof *id);
    double *rows = sn_arena_alloc(k->arena, (n + 1) * (ni + 1), sizeof *rows);
    t->f = sn_arena_alloc(k->arena, (n + 1) * (ni + 1), sizeof *t->f);
    if (!id || !rows || !t->f) return SN_OUT_OF_MEM(err);
    for (size_t i = 0; i < ni; i++) id[i] = k->input[i].id;
    SN_TRY(sn_parameter_chain_new(t->m, d->p, k->n_input, id, &t->chain, err));
    sn_parameter_chain_time(t->chain, d->w, d->x->t);
    if (ni) SN_TRY(sn_system_dparam(d->w, d->x, t->chain, 1, rows, err));
    for (size_t c = 0; c < ni; c++) {
        for (size_t i = 0; i < n; i++) t->f[c * n + i] = rows[i * ni + c];
        sn_motion_force(k->p, t->f + c * n);
    }
    return SN_OK;
}

/* ---- motions ---- */

/* A among the coordinates, times y, added. */
static void add_times(const task *t, const double *A, const sn_dense *y, sn_dense *out)
{
    const sn_model *m = t->m;
    for (int c = 0; c < y->cols; c++)
        for (int j = 0; j < m->nv; j++) {
            double z = *sn_dense_at(y, j, c);
            for (int i = m->Ap[j]; z != 0 && i < m->Ap[j + 1] && m->Ai[i] < m->nv; i++)
                *sn_dense_at(out, m->Ai[i], c) += A[i] * z;
        }
}

static sn_status motions(task *t, sn_err *err)
{
    const sn_state_space *s = t->s;
    sn_arena *arena = t->k->arena;
    const int n = s->n, nv = s->nv, all = n + s->n_input;
    const sn_dense V = {nv, n, s->V}, A = {n, n, s->A}, B = {n, s->n_input, s->B};
    for (int o = 0; o < 2; o++)
        if (!(t->q[o] = sn_dense_new(arena, nv, all)).x) return SN_OUT_OF_MEM(err);
    sn_dense AB = sn_dense_beside(arena, &A, &B);
    t->no_accel = sn_arena_alloc(arena, (size_t)nv + 1, sizeof *t->no_accel);
    if (!AB.x || !t->no_accel) return SN_OUT_OF_MEM(err);
    memcpy(t->q[0].x, s->Y, sizeof(double) * (size_t)nv * (size_t)n);
    memcpy(t->q[1].x, s->V, sizeof(double) * (size_t)nv * (size_t)n);
    memcpy(t->q[1].x + (size_t)nv * (size_t)n, s->W, sizeof(double) * (size_t)nv * (size_t)s->n_input);
    t->q[2] = sn_dense_product(arena, 1, &V, &AB);
    for (int c = 0; c < s->n_input; c++)
        for (int i = 0; i < nv; i++) t->no_accel[i] |= s->W[c * nv + i] != 0;
    return t->q[2].x ? SN_OK : SN_OUT_OF_MEM(err);
}

/* Column of state j by what it is: an input's, or -1. */
static int input_of(const sn_state_space *s, int j)
{
    int k = s->of[j] - 2 * s->nv;
    return k >= 0 && k < s->n_input ? k : -1;
}

/* The kept columns of L, rows scaled; column: which equation each is. */
static sn_dense reactions_of(const task *t, int *column)
{
    const sn_model *m = t->m;
    const sn_motion *p = t->k->p;
    int n = 0;
    for (int e = 0; e < m->m; e++)
        if (!p->d->w->dropped[e]) column[n++] = e;
    sn_dense L = sn_dense_new(t->k->arena, m->nv, n);
    for (int c = 0; L.x && c < n; c++)
        for (int j = m->nv + column[c], i = m->Ap[j]; i < m->Ap[j + 1]; i++)
            if (m->Ai[i] < m->nv) *sn_dense_at(&L, m->Ai[i], c) = p->A[0][i] * p->d->w->scale[m->Ai[i]];
    return L;
}

static sn_status multipliers(task *t, sn_err *err)
{
    const sn_model *m = t->m;
    const sn_motion *p = t->k->p;
    sn_arena *arena = t->k->arena;
    const int all = t->q[0].cols;
    int *column = sn_arena_alloc(arena, (size_t)m->m + 1, sizeof *column);
    sn_dense R = sn_dense_new(arena, m->nv, all);
    t->mu = sn_dense_new(arena, m->m, all);
    if (!column || !R.x || !t->mu.x) return SN_OUT_OF_MEM(err);
    for (int o = 0; o < 3; o++) add_times(t, p->A[o], &t->q[o], &R);
    for (int j = 0; j < t->s->n; j++)
        for (int i = 0; input_of(t->s, j) >= 0 && i < m->nv; i++)
            *sn_dense_at(&R, i, j) += t->f[input_of(t->s, j) * m->n + i];
    for (int j = 0; j < all; j++)
        for (int i = 0; i < m->nv; i++) *sn_dense_at(&R, i, j) *= -p->d->w->scale[i];
    sn_dense L = reactions_of(t, column);
    if (!L.x) return SN_OUT_OF_MEM(err);
    if (!L.cols || !all) return SN_OK;
    if (L.cols > m->nv || LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', m->nv, L.cols, all, L.x, m->nv, R.x, m->nv))
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "linearisation: the reactions are not determined");
    for (int j = 0; j < all; j++)
        for (int c = 0; c < L.cols; c++) *sn_dense_at(&t->mu, column[c], j) = *sn_dense_at(&R, c, j);
    return SN_OK;
}

/* ---- outputs ---- */

static sn_status third_derivative(const task *t, int output, sn_err *err)
{
    return sn_fail(err, SN_ERR_INPUT, NULL,
                   "linearisation: the output '%s' depends on the third time derivative of an input, through "
                   "coordinates without mass",
                   t->k->output[output].name);
}

/* One row of C; b: derivatives of the output. */
static sn_status output_row(task *t, int output, const sn_dstate *b, sn_err *err)
{
    const sn_model *m = t->m;
    const double *const by[3] = {b->q, b->v, b->a};
    int reacts = 0;
    for (int i = 0; i < m->m; i++) reacts |= b->lam[i] != 0;
    if (reacts && !t->mu.x) SN_TRY(multipliers(t, err));
    for (int i = 0; i < m->nv; i++)
        if (t->no_accel[i] && (b->a[i] != 0 || (reacts && t->k->p->A[2][m->diag[i]] != 0)))
            return third_derivative(t, output, err);
    for (int j = 0; j < t->C.cols; j++) {
        double sum = 0;
        for (int o = 0; o < 3; o++)
            for (int i = 0; i < m->nv; i++) sum += by[o][i] * *sn_dense_at(&t->q[o], i, j);
        for (int i = 0; reacts && i < m->m; i++) sum += b->lam[i] * *sn_dense_at(&t->mu, i, j);
        if (j < t->s->n && input_of(t->s, j) >= 0) sum += t->g[output * t->k->n_input + input_of(t->s, j)];
        *sn_dense_at(&t->C, output, j) = sum;
    }
    return SN_OK;
}

static sn_status outputs(task *t, sn_err *err)
{
    sn_linear_work *k = t->k;
    const sn_context *d = k->p->d;
    const sn_model *m = t->m;
    double *unit = sn_arena_alloc(k->arena, (size_t)sn_channel_count(m) + 1, sizeof *unit);
    sn_dstate *b = NULL;
    t->g = sn_arena_alloc(k->arena, (size_t)k->n_output * (size_t)k->n_input + 1, sizeof *t->g);
    t->C = sn_dense_new(k->arena, k->n_output, t->q[0].cols);
    if (!unit || !t->g || !t->C.x) return SN_OUT_OF_MEM(err);
    sn_status status = sn_dstate_new(m, 0, 1, &b, err);
    for (int i = 0; i < k->n_output && !status; i++) {
        sn_dstate_clear(m, b);
        unit[k->channel[i]] = 1;
        status = sn_system_dsensors_transposed(d->w, d->x, t->chain, unit, b, t->g + i * k->n_input, err);
        unit[k->channel[i]] = 0;
        if (status) break;
        sn_motion_rows(k->p, d->x, (double *const[3]){b->q, b->v, b->a});
        status = output_row(t, i, b, err);
    }
    sn_dstate_free(b);
    return status;
}

/* ---- which derivative of an input is the input ---- */

/* Places of the states of input k and of its rate. */
static void places(const sn_state_space *s, int k, int *u, int *rate)
{
    *u = *rate = -1;
    for (int j = 0; j < s->n; j++) {
        if (s->of[j] == 2 * s->nv + k) *u = j;
        if (s->of[j] == 2 * s->nv + s->n_input + k) *rate = j;
    }
}

/* Whether states but its own, or outputs, follow the column at once; a: n rows, c: rows of the outputs, size:
   of the column's variable. */
static int felt(const task *t, const double *a, const double *c, double size, int own)
{
    const sn_state_space *s = t->s;
    double speed = 0;
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < s->n; i++)
            speed = fmax(speed, fabs(s->A[j * s->n + i]) * s->scale[j] / s->scale[i]);
    for (int i = 0; i < s->n; i++)
        if (i != own && fabs(a[i]) * size > NOTHING * speed * s->scale[i]) return 1;
    for (int r = 0; r < t->C.rows; r++) {
        double top = 0;
        for (int j = 0; j < s->n; j++) top = fmax(top, fabs(*sn_dense_at(&t->C, r, j)) * s->scale[j]);
        if (c[r] != 0 && fabs(c[r]) * size > NOTHING * top) return 1;
    }
    return 0;
}

/* Orders of the inputs, and which states stay: keep, n flags. */
static void choose_orders(const task *t, unsigned char *keep)
{
    const sn_state_space *s = t->s;
    memset(keep, 1, (size_t)s->n);
    for (int k = 0; k < s->n_input; k++) {
        int u, rate, n = s->n;
        places(s, k, &u, &rate);
        double size = s->scale[rate] * (s->scale[rate] / s->scale[u]);
        int order = felt(t, s->B + k * n, sn_dense_at(&t->C, 0, n + k), size, rate)            ? 2
                    : felt(t, s->A + rate * n, sn_dense_at(&t->C, 0, rate), s->scale[rate], u) ? 1
                                                                                               : 0;
        t->k->input[k].order = order;
        keep[rate] = order > 1, keep[u] = order > 0;
    }
}

static sn_named state_name(const task *t, int j)
{
    const sn_state_space *s = t->s;
    sn_arena *arena = t->k->arena;
    const int of = s->of[j], input = of - 2 * s->nv, rate = input < 0 ? of >= s->nv : input >= s->n_input;
    sn_named name = input < 0 ? sn_named_coordinate(arena, t->m, rate ? of - s->nv : of)
                              : t->k->input[rate ? input - s->n_input : input].as;
    return sn_named_rate(arena, name, rate);
}

/* The system without the states of inputs that are none. */
static sn_status deliver(task *t, sn_err *err)
{
    sn_linear_work *k = t->k;
    const sn_state_space *s = t->s;
    unsigned char *keep = sn_arena_alloc(k->arena, (size_t)s->n + 1, sizeof *keep);
    int *at = sn_arena_alloc(k->arena, (size_t)(s->n + s->n_input) + 1, sizeof *at), n = 0;
    if (!keep || !at) return SN_OUT_OF_MEM(err);
    choose_orders(t, keep);
    for (int j = 0; j < s->n; j++)
        if (keep[j]) at[n++] = j;
    for (int i = 0; i < s->n_input; i++) {
        int u, rate;
        places(s, i, &u, &rate);
        at[n + i] = k->input[i].order == 0 ? u : k->input[i].order == 1 ? rate : s->n + i;
    }
    k->regular = s->regular;
    for (int i = 0; i < s->n_input; i++) k->regular &= !k->input[i].order;
    k->A = sn_dense_new(k->arena, n, n), k->B = sn_dense_new(k->arena, n, s->n_input);
    k->C = sn_dense_new(k->arena, k->n_output, n), k->D = sn_dense_new(k->arena, k->n_output, s->n_input);
    k->state = sn_arena_alloc(k->arena, (size_t)n + 1, sizeof *k->state);
    k->scale = sn_arena_alloc(k->arena, (size_t)n + 1, sizeof *k->scale);
    if (!k->A.x || !k->B.x || !k->C.x || !k->D.x || !k->state || !k->scale) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < n + s->n_input; j++) {
        const double *from = at[j] < s->n ? s->A + at[j] * s->n : s->B + (at[j] - s->n) * s->n;
        for (int i = 0; i < n; i++)
            *(j < n ? sn_dense_at(&k->A, i, j) : sn_dense_at(&k->B, i, j - n)) = from[at[i]];
        for (int i = 0; i < k->n_output; i++)
            *(j < n ? sn_dense_at(&k->C, i, j) : sn_dense_at(&k->D, i, j - n)) =
                *sn_dense_at(&t->C, i, at[j]);
    }
    for (int j = 0; j < n; j++) {
        k->scale[j] = s->scale[at[j]];
        if (!(k->state[j] = state_name(t, at[j])).name) return SN_OUT_OF_MEM(err);
    }
    return SN_OK;
}

/* ---- all ---- */

/* Inputs that do nothing are told where they were named, else left out. */
static void effective_inputs(task *t)
{
    sn_linear_work *k = t->k;
    const int n = t->m->n;
    int kept = 0;
    for (int i = 0; i < k->n_input; i++) {
        int acts = 0;
        for (int r = 0; r < n; r++) acts |= t->f[i * n + r] != 0;
        /* a coordinate that is led along has the unit of its equation */
        for (int r = t->m->nv; r < n && !*k->input[i].as.unit; r++)
            if (fabs(t->f[i * n + r]) == 1) k->input[i].as.unit = sn_equation_unit(t->m, r - t->m->nv);
        if (!acts && k->o->n_input)
            sn_context_message(k->p->d, "the input '%s' does nothing to the motion at this state",
                               k->input[i].as.name);
        if (!acts && !k->o->n_input) continue;
        memmove(t->f + kept * n, t->f + i * n, sizeof *t->f * (size_t)n);
        k->input[kept++] = k->input[i];
    }
    if (kept == k->n_input) return;
    k->n_input = kept;
    sn_parameter_chain_free(t->chain);
    t->chain = NULL;
}

static sn_status build(task *t, sn_err *err)
{
    sn_linear_work *k = t->k;
    SN_TRY(sn_linear_inputs(k, err));
    SN_TRY(sn_linear_outputs(k, err));
    SN_TRY(input_forces(t, err));
    effective_inputs(t);
    if (!t->chain) SN_TRY(input_forces(t, err));
    SN_TRY(sn_state_space_driven(k->p, k->n_input, t->f, &t->s, err));
    SN_TRY(motions(t, err));
    SN_TRY(outputs(t, err));
    return deliver(t, err);
}

static const double *by_rows(sn_arena *arena, const sn_dense *A) { return sn_dense_transpose(arena, A).x; }

static sn_status texts(sn_arena *arena, int n, const sn_named *from, const char *const **name,
                       const char *const **unit, sn_err *err)
{
    const char **a = sn_arena_alloc(arena, (size_t)n + 1, sizeof *a),
               **b = sn_arena_alloc(arena, (size_t)n + 1, sizeof *b);
    if (!a || !b) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < n; i++) a[i] = from[i].name, b[i] = from[i].unit;
    *name = a, *unit = b;
    return SN_OK;
}

static sn_status poles(const sn_linear_work *k, double **out, sn_err *err)
{
    const sn_state_space s = {.n = k->A.rows, .A = k->A.x, .scale = k->scale, .regular = k->regular};
    sn_eigen e;
    SN_TRY(sn_state_space_eigen(&s, k->arena, &e, err));
    double *x = *out = sn_arena_alloc(k->arena, 2 * (size_t)s.n + 1, sizeof *x);
    if (!x) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < e.n; i++)
        x[2 * (e.zeros + i)] = creal(e.s[i]), x[2 * (e.zeros + i) + 1] = cimag(e.s[i]);
    return SN_OK;
}

static sn_status publish(const sn_linear_work *k, sn_linear_system *out, sn_err *err)
{
    sn_arena *a = k->arena;
    sn_named *input = sn_arena_alloc(a, (size_t)k->n_input + 1, sizeof *input);
    int *order = sn_arena_alloc(a, (size_t)k->n_input + 1, sizeof *order);
    double *s = NULL;
    if (!input || !order) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < k->n_input; i++) {
        order[i] = k->input[i].order;
        if (!(input[i] = sn_named_rate(a, k->input[i].as, order[i])).name) return SN_OUT_OF_MEM(err);
    }
    *out = (sn_linear_system){.n = k->A.rows,
                              .n_input = k->n_input,
                              .n_output = k->n_output,
                              .A = by_rows(a, &k->A),
                              .B = by_rows(a, &k->B),
                              .C = by_rows(a, &k->C),
                              .D = by_rows(a, &k->D),
                              .order = order,
                              .full = k->full,
                              .exact = k->exact,
                              .hankel = k->hankel,
                              .bound = k->bound};
    if (!out->A || !out->B || !out->C || !out->D) return SN_OUT_OF_MEM(err);
    SN_TRY(texts(a, out->n, k->state, &out->state, &out->state_unit, err));
    SN_TRY(texts(a, k->n_input, input, &out->input, &out->input_unit, err));
    SN_TRY(texts(a, k->n_output, k->output, &out->output, &out->output_unit, err));
    SN_TRY(poles(k, &s, err));
    out->poles = s;
    return SN_OK;
}

sn_status sn_linear_system_make(sn_motion *p, const sn_linear_options *o, sn_arena *arena,
                                sn_linear_system *out, sn_err *err)
{
    sn_linear_work k = {.arena = arena, .p = p, .o = o};
    task t = {.k = &k, .m = p->d->m};
    sn_status status = build(&t, err);
    sn_parameter_chain_free(t.chain);
    sn_state_space_free(t.s);
    SN_TRY(status);
    k.full = k.A.rows;
    if (o->reduce) SN_TRY(sn_linear_reduce(&k, err));
    return publish(&k, out, err);
}
