/* Newton with pseudo-inverses on the equations of motion at given instants, see direct.h.

   Every window of instants has unknowns of its own (multipliers, axial forces, coefficients of unknown
   coordinates), eliminated block by block (block_least_squares.h). Weights that stay the same make the sum of
   squares comparable from step to step: then a step that does not lower it is halved. */
#include "identify/block_least_squares.h"
#include "identify/direct.h"
#include "identify/rows.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct task {
    sn_rows rows;
    sn_block_ls *a;
    sn_values *p;
    int np;
    const int *id;
    double *x, *x1, *scale; /* parameters: accepted, tried, size */
    double *l, *l1, *dl;    /* own unknowns of all windows */
    double *sort;
    double *plain;  /* z of all windows without weights */
    double *extra;  /* n rows of np: what weights that follow p add to the scores */
    int correct;    /* they do */
    double cost;    /* at what was tried */
    double part[4]; /* estimate: sums of squares and of redundancy of forces, of moments */
    int fixed;      /* weights do not change */
} task;

sn_direct_options sn_direct_options_default(void)
{
    return (sn_direct_options){.max_iterations = 50, .tolerance = 1e-9};
}

void sn_direct_result_free(sn_direct_result *r)
{
    if (!r) return;
    sn_arena_free(&r->arena);
    *r = (sn_direct_result){.np = 0};
}

/* ---- input ---- */

static sn_status check_motion(const sn_model *m, const sn_instants *at, sn_err *err)
{
    for (int i = 0; i < at->n; i++) {
        double sum = at->t[i];
        for (int k = 0; k < m->nq; k++) sum += fabs(at->q[(size_t)i * (size_t)m->nq + (size_t)k]);
        for (int k = 0; k < m->nv; k++)
            sum += fabs(at->v[(size_t)i * (size_t)m->nv + (size_t)k]) +
                   fabs(at->a[(size_t)i * (size_t)m->nv + (size_t)k]);
        if (!isfinite(sum))
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "the motion at t = %g is not complete: every coordinate needs a "
                           "position, a velocity and an acceleration",
                           at->t[i]);
    }
    return SN_OK;
}

static sn_status check_axial(const sn_model *m, const sn_direct_options *o, sn_err *err)
{
    for (int k = 0; k < o->n_axial; k++) {
        int e = o->axial[k];
        const sn_object *b = e >= 0 && e < m->element.n ? &m->element.object[e] : NULL;
        if (!b) return sn_fail(err, SN_ERR_INPUT, NULL, "there is no element %d for an axial force", e);
        if (b->nn < 2 || b->place[0].x_v < 0 || b->place[1].x_v < 0)
            return sn_fail(err, SN_ERR_INPUT, &b->mark, "'%s' has no axial force: it does not join two nodes",
                           b->name);
    }
    return SN_OK;
}

static sn_status check_unknown(const sn_rows *r, sn_err *err)
{
    const sn_model *m = r->m;
    for (int k = 0; k < r->n_unknown; k++) {
        int c = r->unknown[k];
        char name[200];
        if (c < 0 || c >= m->nv) return sn_fail(err, SN_ERR_INPUT, NULL, "there is no coordinate %d", c);
        if (m->node[m->node_of[c]].cls->retract)
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "'%s' cannot be unknown: rotations in space have no cubic in time",
                           sn_coord_name(m, c, name, sizeof name));
    }
    for (int i = 0; r->width == 2 && i < r->n; i++)
        if (!(r->at->t[2 * i + 1] > r->at->t[2 * i]))
            return sn_fail(err, SN_ERR_INPUT, NULL, "the pair %g, %g must ascend", r->at->t[2 * i],
                           r->at->t[2 * i + 1]);
    return SN_OK;
}

static sn_status check(const task *k, sn_err *err)
{
    const sn_rows *r = &k->rows;
    if (r->n < 1) return sn_fail(err, SN_ERR_INPUT, NULL, "direct identification needs an instant at least");
    for (int i = 0; i < k->np; i++)
        if (k->id[i] < 0 || k->id[i] >= r->m->n_quantity || r->m->quantity[k->id[i]].varies)
            return sn_fail(err, SN_ERR_INPUT, NULL, "parameter %d is no constant number of the model", i + 1);
    SN_TRY(check_axial(r->m, r->o, err));
    SN_TRY(check_unknown(r, err));
    return check_motion(r->m, r->at, err);
}

/* ---- one evaluation ---- */

static void set_values(task *k, const double *x)
{
    for (int i = 0; i < k->np; i++) k->p->x[k->id[i]] = x[i], k->p->fixed[k->id[i]] = 1;
}

/* Shares of the last window in the estimates of the rows' deviations: residuals over what is redundant. */
static void gather_estimate(task *k)
{
    for (int r = 0; r < k->rows.width * k->rows.m->n; r++) {
        int c = sn_rows_class(&k->rows, r);
        double d = c ? k->rows.moment : k->rows.force;
        if (c == 2) continue;
        k->part[c] += d * d * k->a->e[r] * k->a->e[r];
        k->part[2 + c] += 1 - k->a->leverage[r];
    }
}

/* z, its derivatives and the sum of squares at parameters x and own unknowns l. */
static sn_status evaluate(task *k, const double *x, const double *l, sn_err *err)
{
    sn_rows *s = &k->rows;
    set_values(k, x);
    SN_TRY(sn_values_update_beyond(k->p, err));
    SN_TRY(sn_rows_values(s, k->p, k->np, k->id, err));
    memset(k->part, 0, sizeof k->part);
    k->cost = s->violation = 0;
    for (int i = 0; i < s->n; i++) {
        size_t rows = (size_t)(s->width * s->m->n);
        if (s->o->stop && s->o->stop(s->o->ctx, 0, 0))
            return sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped on request");
        SN_TRY(sn_rows_fill(s, i, l + (size_t)i * (size_t)s->nl, err));
        memcpy(k->plain + (size_t)i * rows, s->plain, sizeof(double) * rows);
        SN_TRY(sn_block_ls_add(k->a, i, s->width * s->m->n, s->Jp, s->Jl, s->z, err));
        for (int r = 0; r < s->width * s->m->n; r++) k->cost += s->z[r] * s->z[r];
        gather_estimate(k);
    }
    return SN_OK;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Huber's weights of windows: norms of what their own unknowns leave, over its freedom, against the median.
 */
static void reweigh(task *k)
{
    const sn_block_ls *a = k->a;
    int n = 0;
    for (int i = 0; i < a->n; i++) {
        int f = a->equations[i] - a->rank[i];
        if (f > 0) k->sort[n++] = sqrt(a->norm2[i] / f);
    }
    if (!n) return;
    qsort(k->sort, (size_t)n, sizeof(double), ascending);
    double limit = 1.345 * k->sort[n / 2];
    for (int i = 0; i < a->n; i++) {
        int f = a->equations[i] - a->rank[i];
        double e = f > 0 ? sqrt(a->norm2[i] / f) : 0;
        a->weight[i] = e > limit && e > 0 ? limit / e : 1;
    }
}

/* New deviations of forces and moments; whether they differ from the old ones. */
static int estimate(task *k)
{
    double *const d[2] = {&k->rows.force, &k->rows.moment}, top = fmax(k->part[0], k->part[1]);
    int differ = 0;
    for (int c = 0; c < 2; c++) {
        if (k->part[2 + c] <= 0.5 || k->part[c] <= DBL_EPSILON * DBL_EPSILON * top) continue;
        double now = sqrt(k->part[c] / k->part[2 + c]);
        differ |= fabs(now / *d[c] - 1) > 1e-3;
        *d[c] = now;
    }
    return differ;
}

/* ---- iteration ---- */

/* x1, l1 = x, l + f times the step. */
static void advance(task *k, double f)
{
    const sn_rows *s = &k->rows;
    for (int i = 0; i < k->np; i++) k->x1[i] = k->x[i] + f * k->a->dp[i];
    for (int i = 0; i < s->n; i++) {
        size_t at = (size_t)i * (size_t)s->nl;
        for (int j = 0; j < s->nl; j++)
            k->l1[at + (size_t)j] = k->l[at + (size_t)j] + f * k->dl[at + (size_t)j];
    }
}

/* The step from what was evaluated last; its size relative to the parameters. */
static sn_status step(task *k, double *size, sn_err *err)
{
    const sn_rows *s = &k->rows;
    for (int i = 0; i < k->np; i++) k->scale[i] = fabs(k->x[i]) > 0 ? fabs(k->x[i]) : 1;
    SN_TRY(sn_block_ls_solve(k->a, k->scale, err));
    for (int i = 0; k->correct && i < k->np; i++)
        for (int w = 0; w < s->n; w++)
            for (int j = 0; j < k->np; j++)
                k->a->dp[i] -=
                    k->a->covariance[i * k->np + j] * k->extra[(size_t)w * (size_t)k->np + (size_t)j];
    *size = 0;
    for (int i = 0; i < k->np; i++) *size = fmax(*size, fabs(k->a->dp[i]) / k->scale[i]);
    for (int i = 0; i < s->n; i++)
        sn_block_ls_local(k->a, i, k->a->dp, k->dl + (size_t)i * (size_t)s->nl, NULL);
    return SN_OK;
}

/* Try the step, halved while it cannot be evaluated or raises the sum of squares. *moved 0: nothing helps. */
static sn_status try_step(task *k, int *moved, sn_err *err)
{
    double before = k->cost, f = 1;
    const double slack = 1 + 1e-8;
    sn_err own;
    *moved = 0;
    for (int tries = 0; tries < 12; tries++, f /= 2) {
        sn_err_clear(&own);
        advance(k, f);
        sn_status status = evaluate(k, k->x1, k->l1, &own);
        if (status == SN_ERR_MEMORY) return SN_OUT_OF_MEM(err);
        if (status == SN_ERR_INTERRUPTED) {
            sn_err_join(err, &own);
            return status;
        }
        if (status == SN_OK && (!k->fixed || k->cost <= slack * before)) {
            size_t n = (size_t)k->rows.n * (size_t)k->rows.nl;
            *moved = 1;
            memcpy(k->x, k->x1, sizeof(double) * (size_t)k->np);
            memcpy(k->l, k->l1, sizeof(double) * n);
            return SN_OK;
        }
    }
    /* back to where it was, so that the result describes that */
    return evaluate(k, k->x, k->l, err);
}

/* Half of how z' V^-1 z of each window changes with the parameters by its weights alone, by differences. */
static sn_status follow_weights(task *k, sn_err *err)
{
    sn_rows *s = &k->rows;
    size_t np = (size_t)k->np, rows = (size_t)(s->width * s->m->n);
    memset(k->extra, 0, sizeof(double) * np * (size_t)s->n);
    for (size_t p = 0; p < np; p++)
        for (int side = -1; side < 2; side += 2) {
            double h = 1e-4 * (fabs(k->x[p]) > 0 ? fabs(k->x[p]) : 1), misfit;
            memcpy(k->x1, k->x, sizeof(double) * np);
            k->x1[p] += side * h;
            set_values(k, k->x1);
            SN_TRY(sn_values_update_beyond(k->p, err));
            SN_TRY(sn_rows_values(s, k->p, k->np, k->id, err));
            for (int i = 0; i < s->n; i++) {
                SN_TRY(sn_rows_misfit(s, i, k->l + (size_t)i * (size_t)s->nl, k->plain + (size_t)i * rows,
                                      &misfit, err));
                k->extra[(size_t)i * np + p] += k->a->weight[i] * side * misfit / (4 * h);
            }
        }
    set_values(k, k->x);
    SN_TRY(sn_values_update_beyond(k->p, err));
    return sn_rows_values(s, k->p, k->np, k->id, err);
}

/* Multipliers are unknown at first: one step is always made. */
static sn_status iterate(task *k, sn_direct_result *out, sn_err *err)
{
    const sn_direct_options *o = k->rows.o;
    double size;
    int moved = 1;
    SN_TRY(evaluate(k, k->x, k->l, err));
    for (int i = 0;; i++) {
        int differ = o->estimate && !k->rows.cov && i && estimate(k);
        if (differ) SN_TRY(evaluate(k, k->x, k->l, err));
        if (o->robust && i) reweigh(k);
        if (k->correct) SN_TRY(follow_weights(k, err));
        SN_TRY(step(k, &size, err));
        out->converged = i && !differ && size <= (k->correct ? 1e-6 : o->tolerance);
        if (out->converged || !moved || i == o->max_iterations) return SN_OK;
        SN_TRY(try_step(k, &moved, err));
        out->iterations += moved;
    }
}

/* From the estimates with weights that are held to those whose weights follow. Where that leads nowhere, or
   to numbers of another sign, the first ones stay. */
static sn_status correct(task *k, double *drawn, sn_direct_result *out, sn_err *err)
{
    size_t n = (size_t)k->rows.n * (size_t)k->rows.nl;
    int before = sn_err_count(err), good = 1, steps = out->iterations;
    double *l;
    if (!k->rows.cov || !k->np || !out->converged) return SN_OK;
    if (!SN_NEW(l, n + 1)) return SN_OUT_OF_MEM(err);
    memcpy(l, k->l, sizeof(double) * n), memcpy(drawn, k->x, sizeof(double) * (size_t)k->np);
    k->correct = 1, k->a->extra = k->extra;
    sn_status status = iterate(k, out, err);
    if (status == SN_ERR_NUMERIC || status == SN_ERR_INPUT)
        sn_err_forget(err, before), status = SN_OK, good = 0;
    good = good && out->converged;
    for (int i = 0; i < k->np; i++) good = good && k->x[i] * drawn[i] >= 0;
    out->converged = 1, out->iterations = steps;
    if (!status && !good) {
        k->correct = 0, k->a->extra = NULL;
        memcpy(k->x, drawn, sizeof(double) * (size_t)k->np), memcpy(k->l, l, sizeof(double) * n);
        status = evaluate(k, k->x, k->l, err);
        double size;
        if (!status) status = step(k, &size, err);
    }
    for (int i = 0; i < k->np; i++) drawn[i] -= k->x[i];
    out->corrected = good;
    sn_free(l);
    return status;
}

/* ---- result ---- */

static sn_status make_room(const task *k, sn_direct_result *out, sn_err *err)
{
    const sn_rows *s = &k->rows;
    size_t np = (size_t)k->np + 1, n = (size_t)(s->n * s->width), m = (size_t)s->m->m + 1;
    size_t na = (size_t)s->o->n_axial + 1, nu = (size_t)s->n_unknown + 1, nv = (size_t)s->m->nv + 1;
    struct {
        double **p;
        size_t n;
    } const list[] = {{&out->p, np},
                      {&out->std_error, np},
                      {&out->drawn, np},
                      {&out->covariance, np * np},
                      {&out->singular, np},
                      {&out->lam, n * m},
                      {&out->lam_error, n * m},
                      {&out->axial, n * na},
                      {&out->axial_error, n * na},
                      {&out->unknown, 3 * n * nu},
                      {&out->unknown_error, n * nu},
                      {&out->residual, n * nv},
                      {&out->weight, n}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!(*list[i].p = sn_arena_alloc(&out->arena, list[i].n, sizeof(double)))) return SN_OUT_OF_MEM(err);
    out->np = k->np, out->n = s->n * s->width, out->m = s->m->m, out->nv = s->m->nv;
    return SN_OK;
}

static sn_status parameters(const task *k, sn_direct_result *out, sn_err *err)
{
    const sn_block_ls *a = k->a;
    out->rank_p = a->rank_p, out->rank = a->rank_p, out->cutoff = a->cutoff;
    for (int i = 0; i < a->n; i++) {
        out->equations += a->equations[i], out->rank += a->rank[i];
        out->weight[i] = a->weight[i];
    }
    out->unknowns = k->np + k->rows.n * k->rows.nl;
    int freedom = out->equations - out->rank;
    out->rms = freedom > 0 ? sqrt(a->cost / freedom) : 0;
    if (out->rms > 0)
        SN_TRY(sn_block_ls_sandwich(k->a, (freedom + a->rank_p) / (freedom * out->rms * out->rms), err));
    for (int i = 0; i < k->np; i++) {
        for (int j = 0; j < k->np; j++)
            out->covariance[i * k->np + j] = a->covariance[i * k->np + j] * out->rms * out->rms;
        out->p[i] = k->x[i], out->singular[i] = a->singular[i];
        out->std_error[i] =
            a->loose[i] > 1e-12 || freedom <= 0 ? INFINITY : sqrt(out->covariance[i * k->np + i]);
    }
    out->violation = k->rows.violation;
    out->force = k->rows.force, out->moment = k->rows.moment;
    return SN_OK;
}

/* Own unknowns of window i, and the residual. */
static sn_status window(task *k, int i, sn_direct_result *out, sn_err *err)
{
    sn_rows *s = &k->rows;
    const sn_model *m = s->m;
    int na = s->o->n_axial, nu = s->n_unknown, nv = m->nv;
    const double *l = k->l + (size_t)i * (size_t)s->nl;
    double *variance = k->l1, *dl = k->dl;
    sn_block_ls_local(k->a, i, k->a->dp, dl, variance);
    SN_TRY(sn_rows_fill(s, i, l, err));
    for (int j = 0; j < s->width; j++) {
        size_t at = (size_t)(i * s->width + j);
        const double *lj = l + j * (m->m + na), *vj = variance + j * (m->m + na);
        memcpy(out->residual + at * (size_t)nv, s->raw + j * nv, sizeof(double) * (size_t)nv);
        for (int c = 0; c < m->m; c++) {
            out->lam[at * (size_t)m->m + (size_t)c] = lj[c];
            out->lam_error[at * (size_t)m->m + (size_t)c] = out->rms * sqrt(vj[c]);
        }
        for (int c = 0; c < na; c++) {
            out->axial[at * (size_t)na + (size_t)c] =
                lj[m->m + c] + sn_rows_axial(s, i, j, s->o->axial[c], l);
            out->axial_error[at * (size_t)na + (size_t)c] = out->rms * sqrt(vj[m->m + c]);
        }
        for (int c = 0; c < nu; c++) {
            sn_rows_cubic(s, i, j, c, l, out->unknown + 3 * (at * (size_t)nu + (size_t)c));
            out->unknown_error[at * (size_t)nu + (size_t)c] =
                out->rms * sqrt(variance[s->width * (m->m + na) + 4 * c + j]);
        }
    }
    return SN_OK;
}

/* Whether the parameters are admissible, in words. */
static sn_status judge(task *k, sn_direct_result *out, sn_err *err)
{
    sn_err own;
    sn_err_clear(&own);
    set_values(k, k->x);
    sn_status status = sn_values_update(k->p, &own);
    if (status == SN_ERR_MEMORY) return SN_OUT_OF_MEM(err);
    if (status == SN_OK) return SN_OK;
    out->outside = sn_arena_strndup(&out->arena, own.report[0].text, strlen(own.report[0].text));
    return out->outside ? SN_OK : SN_OUT_OF_MEM(err);
}

static sn_status solve(task *k, const sn_values *p, sn_direct_result *out, sn_err *err)
{
    sn_rows *s = &k->rows;
    SN_TRY(check(k, err));
    SN_TRY(sn_values_copy(p, &k->p, err));
    SN_TRY(sn_rows_open(s, err));
    SN_TRY(sn_block_ls_new(k->np, s->nl, s->n, s->width * s->m->n, s->o->rank, &k->a, err));
    SN_TRY(make_room(k, out, err));
    size_t n = (size_t)s->n * (size_t)s->nl + 1, np = (size_t)k->np + 1;
    if (!SN_NEW(k->x, np) || !SN_NEW(k->x1, np) || !SN_NEW(k->scale, np) || !SN_NEW(k->l, n) ||
        !SN_NEW(k->l1, n) || !SN_NEW(k->dl, n) || !SN_NEW(k->sort, s->n) ||
        !SN_NEW(k->plain, (size_t)s->n * (size_t)(s->width * s->m->n) + 1) ||
        !SN_NEW(k->extra, np * (size_t)s->n))
        return SN_OUT_OF_MEM(err);
    for (int i = 0; i < k->np; i++) k->x[i] = p->x[k->id[i]];
    for (int i = 0; i < s->n; i++) sn_rows_start(s, i, k->l + (size_t)i * (size_t)s->nl);
    s->force = s->o->force > 0 || s->cov ? s->o->force : 1;
    s->moment = s->o->moment > 0 || s->cov ? s->o->moment : 1;
    k->fixed = !s->cov && !s->o->estimate && !s->o->robust;
    SN_TRY(iterate(k, out, err));
    SN_TRY(correct(k, out->drawn, out, err));
    SN_TRY(parameters(k, out, err));
    for (int i = 0; i < s->n; i++) SN_TRY(window(k, i, out, err));
    return judge(k, out, err);
}

static sn_status run(task *k, const sn_values *p, sn_direct_result *out, sn_err *err)
{
    *out = (sn_direct_result){.np = 0};
    sn_status status = solve(k, p, out, err);
    sn_rows_close(&k->rows);
    sn_block_ls_free(k->a);
    sn_values_free(k->p);
    double *const d[] = {k->x, k->x1, k->scale, k->l, k->l1, k->dl, k->sort, k->plain, k->extra};
    for (size_t i = 0; i < sizeof d / sizeof *d; i++) sn_free(d[i]);
    if (status) sn_direct_result_free(out);
    return status;
}

static task open(const sn_model *m, const sn_instants *at, const sn_direct_options *o, int width)
{
    return (task){.rows = {.m = m, .o = o, .at = at, .np = o->np, .width = width, .n = at->n / width},
                  .np = o->np,
                  .id = o->id};
}

sn_status sn_direct(const sn_model *m, const sn_values *p, const sn_instants *at, const sn_direct_options *o,
                    sn_direct_result *out, sn_err *err)
{
    task k = open(m, at, o, 1);
    return run(&k, p, out, err);
}

sn_status sn_adapted_direct(const sn_model *m, const sn_values *p, const sn_instants *at,
                            const sn_direct_options *o, sn_direct_result *out, sn_err *err)
{
    task k = open(m, at, o, 2);
    k.rows.unknown = o->unknown, k.rows.n_unknown = o->n_unknown;
    return run(&k, p, out, err);
}
