/* Steady motions (relative equilibria) near the start. The start's velocities say how the axes turn in which
   all velocities shall be constant; several such turns are tried. For each, positions are unknown and say
   velocities and accelerations (steady.h), so that the matrix of r(q, v(q), a(q), lam) = 0, phi = 0, psi = 0
   by increments in common axes is A0 of sn_motion. Spins along which nothing changes (of wheels, of shafts)
   are unknown too: rolling ties them to positions. Of the solutions, which differ by where the whole is,
   Newton's method with the smallest increments finds one near the start; where it fails, what does not
   balance at the start is taken away little by little. */
#include "analysis/steady.h"
#include "math/rot3.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

/* Relative size of what is zero: of the Newton matrix, of what may be left of forces, now and a radian later.
 */
#define NEUTRAL    1e-11
#define UNBALANCED 1e-6
/* Changes of positions (radians, lengths of the model) and velocities (relative), added, that make another
   motion, and those of one that is looked no further for. */
#define ANOTHER 1.5
#define NEAR    0.01

enum { MOST_DENSE = 1500, ITERATIONS = 40 };

typedef sn_steady_task task;

static double *entry(const sn_motion *p, int i, int j)
{
    const sn_model *m = p->d->m;
    for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
        if (m->Ai[k] == i) return &p->A[0][k];
    return NULL;
}

/* The matrices at the context's state, and all that does not balance, in common axes, into b. A0 has the
   changes of moments in the axes of frames, which turn: in common axes there is y x moment beside. */
static sn_status linearise(task *t, sn_err *err)
{
    sn_motion *p = t->p;
    sn_context *d = p->d;
    const sn_model *m = d->m;
    d->w->measure = 1;
    sn_status status = sn_motion_eval(p, d->w, d->x, t->f.w, err);
    d->w->measure = 0;
    if (status) return status;
    memcpy(t->b, d->w->f, sizeof(double) * (size_t)m->n);
    for (int i = 0; i < m->nv; i++) {
        if (!p->turned[i]) continue;
        const double x[3] = {t->b[i], t->b[i + 1], t->b[i + 2]};
        double S[9], *to;
        sn_tmul3(p->P + 3 * i, x, t->b + i);
        sn_skew3(t->b + i, S);
        for (int a = 0; a < 9; a++)
            if ((to = entry(p, i + a / 3, i + a % 3))) *to -= S[a];
    }
    return SN_OK;
}

/* ---- Newton's method ---- */

static void dense_matrix(task *t, double *size, double *row)
{
    const sn_context *d = t->f.d;
    const sn_model *m = d->m;
    const size_t n = (size_t)m->n;
    memset(t->A, 0, sizeof *t->A * n * (n + (size_t)t->k));
    for (size_t j = 0; j < n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) t->A[j * n + (size_t)m->Ai[k]] = t->p->A[0][k];
    for (int c = 0; c < t->k; c++) sn_steady_column(t, c, t->A + (n + (size_t)c) * n);
    for (size_t j = 0; j < n + (size_t)t->k; j++) {
        size[j] = j < (size_t)m->nv ? d->p->length * d->w->scale[j] : j < n ? 1 : t->f.rate;
        for (size_t i = 0; i < n; i++) t->A[j * n + i] *= size[j];
    }
    sn_steady_row_sizes(t, row);
    for (size_t i = 0; i < n; i++) {
        if (!(row[i] > 0)) continue;
        for (size_t j = 0; j < n + (size_t)t->k; j++) t->A[j * n + i] /= row[i];
        t->b[i] /= row[i];
    }
    for (size_t j = (size_t)m->nv; j < n; j++) {
        double top = 0;
        for (size_t i = 0; i < n; i++) top = fmax(top, fabs(t->A[j * n + i]));
        for (size_t i = 0; top > 0 && i < n; i++) t->A[j * n + i] /= top;
        if (top > 0) size[j] /= top;
    }
}

/* b (n numbers) becomes the smallest solution (n + k). */
static sn_status smallest_solution(task *t, sn_err *err)
{
    const sn_model *m = t->f.d->m;
    const int n = m->n, cols = n + t->k;
    lapack_int rank, *pivot = sn_alloc((size_t)cols + 1, sizeof *pivot);
    double *size = sn_alloc((size_t)cols + (size_t)n + 1, sizeof *size);
    sn_status s = pivot && size ? SN_OK : SN_OUT_OF_MEM(err);
    if (!s) {
        dense_matrix(t, size, size + cols);
        if (LAPACKE_dgelsy(LAPACK_COL_MAJOR, n, cols, 1, t->A, n, t->b, cols, pivot, NEUTRAL, &rank))
            s = sn_fail(err, SN_ERR_NUMERIC, NULL, "steady motion: the matrix is not finite");
        for (int j = 0; j < cols && !s; j++) t->b[j] *= size[j];
    }
    sn_free(pivot), sn_free(size);
    return s;
}

static sn_status solution(task *t, sn_err *err)
{
    const sn_model *m = t->f.d->m;
    int column;
    if (t->A) return smallest_solution(t, err);
    sn_status s = sn_linsol_factor(t->f.d->ls, t->p->A[0], &column, NULL);
    memset(t->b + m->n, 0, sizeof *t->b * (size_t)t->k);
    return s ? sn_singular(t->f.d, "steady motion", s, column, err)
             : sn_linsol_solve_refined(t->f.d->ls, 0, 1, t->b);
}

/* The state moves by the increments in b. */
static void move(task *t)
{
    sn_context *d = t->f.d;
    const sn_model *m = d->m;
    sn_motion_turn(t->p, t->b, d->z);
    sn_system_retract(m, d->x->q, d->z, d->x->q);
    for (int i = 0; i < m->m; i++) d->x->lam[i] += t->b[m->nv + i];
    for (int c = 0; c < t->k; c++) sn_steady_add(t, c, t->b[m->n + c]);
    sn_steady_velocities(&t->f, d->x);
}

/* What is left of forces when a part s of what did not balance counts, into b; relative. */
static sn_status unbalanced(task *t, double s, double *left, int *at, sn_err *err)
{
    sn_context *d = t->f.d;
    const sn_model *m = d->m;
    double top = 0, most = 0;
    SN_TRY(linearise(t, err));
    *at = -1;
    for (int i = 0; i < m->n; i++) {
        t->b[i] = -(t->b[i] - (1 - s) * t->r0[i]);
        if (i >= m->nv) continue;
        most = fmax(most, fabs(t->r0[i]) * d->w->scale[i]);
        if (fabs(t->b[i]) * d->w->scale[i] > top) top = fabs(t->b[i]) * d->w->scale[i], *at = i;
    }
    most = fmax(most, d->w->force);
    *left = most > 0 ? top / most : 0;
    return SN_OK;
}

static sn_status iterate(task *t, double s, sn_err *err)
{
    sn_context *d = t->f.d;
    const sn_model *m = d->m;
    double change = INFINITY, last = INFINITY, left = 0, force = 0;
    int at = -1;
    for (int it = 0; it < ITERATIONS; it++) {
        SN_TRY(unbalanced(t, s, &left, &at, err));
        force = at >= 0 ? fabs(t->b[at]) : 0;
        /* far below the tolerance, or as good as rounding lets it be */
        if (left <= UNBALANCED && (change <= 1e-13 || (change < 1e-9 && change >= 0.5 * last))) return SN_OK;
        last = change;
        SN_TRY(solution(t, err));
        change = 0;
        for (int i = 0; i < m->nv; i++)
            change = fmax(change, fabs(t->b[i]) / (d->p->length * d->w->scale[i]));
        if (!isfinite(change) || t->moved > ANOTHER) break;
        double cut = change > 0.5 ? 0.5 / change : 1;
        for (int i = 0; i < m->n + t->k; i++) t->b[i] *= cut;
        t->moved += cut * change;
        move(t);
    }
    if (s >= 1 && left < t->left) t->left = left, t->left_at = at, t->left_force = force;
    return sn_fail(err, SN_ERR_NUMERIC, NULL, "steady motion: no convergence");
}

static void keep(task *t)
{
    const sn_model *m = t->f.d->m;
    t->kept = t->moved;
    memcpy(t->q, t->f.d->x->q, sizeof(double) * (size_t)m->nq);
    memcpy(t->own, t->f.own, sizeof(double) * (size_t)m->nv), memcpy(t->v0, t->f.v0, sizeof t->v0);
    memcpy(t->lam, t->f.d->x->lam, sizeof(double) * (size_t)m->m);
}

static void back(task *t)
{
    const sn_model *m = t->f.d->m;
    t->moved = t->kept;
    memcpy(t->f.d->x->q, t->q, sizeof(double) * (size_t)m->nq);
    memcpy(t->f.own, t->own, sizeof(double) * (size_t)m->nv), memcpy(t->f.v0, t->v0, sizeof t->v0);
    memcpy(t->f.d->x->lam, t->lam, sizeof(double) * (size_t)m->m);
    sn_steady_velocities(&t->f, t->f.d->x);
    t->f.d->w->failed = NULL;
}

static sn_status march(task *t, sn_err *err)
{
    double done = 0, ds = 1;
    int at;
    double left;
    memset(t->r0, 0, sizeof *t->r0 * (size_t)t->f.d->m->n);
    SN_TRY(unbalanced(t, 1, &left, &at, err));
    for (int i = 0; i < t->f.d->m->n; i++) t->r0[i] = -t->b[i];
    keep(t);
    while (done < 1) {
        double s = fmin(1, done + ds);
        sn_status status = iterate(t, s, NULL);
        if (!status) {
            keep(t), done = s, ds *= 1.6;
            continue;
        }
        if (status != SN_ERR_NUMERIC) return status == SN_ERR_MEMORY ? SN_OUT_OF_MEM(err) : status;
        back(t);
        if ((ds /= 2) < 1.0 / 64) return SN_ERR_NUMERIC;
    }
    return SN_OK;
}

/* ---- turns of the axes ---- */

/* v0 of the places, nearest to the start's velocities, and the spins that are left. */
static void velocities_of(task *t, const double *w)
{
    const sn_model *m = t->f.d->m;
    const sn_state *x = t->start;
    int count = 0;
    memcpy(t->f.w, w, sizeof t->f.w), memset(t->f.v0, 0, sizeof t->f.v0);
    t->f.turning = w[0] != 0 || w[1] != 0 || w[2] != 0;
    for (int i = 0; i < m->nv; i++) t->f.own[i] = m->order_of[i] == 1 ? 0 : x->v[i];
    for (int i = 0; i < m->n_node && t->f.turning; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places at = sn_node_place(n);
        const int dim = n->cls->dim;
        double c[3], r[3] = {0}, R[9];
        if (n->ground) continue;
        if (at.x_v >= 0) {
            memcpy(r, x->q + n->q + at.x_q, sizeof *r * (size_t)dim);
            sn_cross3(w, r, c);
            for (int a = 0; a < dim; a++) t->f.v0[a] += x->v[n->v + at.x_v + a] - c[a];
            count++;
        }
        if (at.R_v >= 0 && dim == 2) t->f.own[n->v + at.R_v] -= w[2];
        if (at.R_v < 0 || dim == 2) continue;
        sn_quat_matrix(x->q + n->q + at.R_q, R), sn_tmul3(R, w, c);
        for (int a = 0; a < 3; a++) t->f.own[n->v + at.R_v + a] -= c[a];
    }
    for (int a = 0; a < 3 && count; a++) t->f.v0[a] /= count;
}

/* How much velocities of places and spins differ from those of the start: the largest difference, relative
   to each, or to a thousandth of the fastest. */
static double apart(const task *t)
{
    const sn_context *d = t->f.d;
    const sn_model *m = d->m;
    double most = 0;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places at = sn_node_place(n);
        const int from[2] = {at.x_v, at.R_v}, dim = n->cls->dim, count[2] = {dim, dim == 2 ? 1 : 3};
        for (int k = 0; k < 2 && !n->ground; k++) {
            double off = 0, size = 0;
            if (from[k] < 0) continue;
            const int v = n->v + from[k];
            for (int a = v; a < v + count[k]; a++)
                off = hypot(off, d->x->v[a] - t->start->v[a]), size = hypot(size, t->start->v[a]);
            most = fmax(most, off / (size + 1e-3 * t->f.rate * d->p->length * d->w->scale[v]));
        }
    }
    return most;
}

/* One turn of the axes; *found: it leads to a steady motion. */
static sn_status attempt(task *t, const double *w, int *found, sn_err *err)
{
    sn_context *d = t->f.d;
    double drift;
    int at;
    sn_state_copy(d->m, t->start, d->x);
    d->w->failed = NULL;
    velocities_of(t, w);
    sn_steady_spins(t);
    sn_steady_velocities(&t->f, d->x);
    t->k = 0;
    SN_TRY(linearise(t, err));
    memcpy(t->r0, d->w->f, sizeof(double) * (size_t)d->m->n);
    SN_TRY(sn_steady_free(t, t->r0, err));
    sn_steady_keep_spins(t);
    sn_steady_velocities(&t->f, d->x);
    if (apart(t) > ANOTHER) return SN_ERR_NUMERIC;
    t->moved = 0;
    SN_TRY(march(t, err));
    if ((t->moved += apart(t)) > ANOTHER) return SN_ERR_NUMERIC;
    SN_TRY(sn_steady_drift(&t->f, &drift, &at, err));
    *found = drift <= UNBALANCED;
    if (!*found && drift < t->drift) t->drift = drift;
    return SN_OK;
}

static sn_status choose(task *t, sn_err *err)
{
    double w[SN_STEADY_TURNS][3];
    int by_accelerations = 0;
    const int n = sn_steady_turns(t, w, &by_accelerations);
    char name[SN_NAME_SIZE];
    sn_context *d = t->f.d;
    for (int i = 0; i < n; i++) {
        int found = 0;
        sn_status s = attempt(t, w[i], &found, NULL);
        if (s == SN_ERR_MEMORY) return SN_OUT_OF_MEM(err);
        /* velocities say what is meant, rather than accelerations */
        if (s || !found || t->moved >= (by_accelerations && i == n - 1 ? 0.5 : 1) * t->least) continue;
        t->least = t->moved;
        sn_state_copy(d->m, d->x, t->best);
        memcpy(d->spin, w[i], sizeof d->spin), d->steady = 1;
        if (t->least < NEAR) break;
    }
    if (d->steady) {
        sn_state_copy(d->m, t->best, d->x);
        d->w->failed = NULL;
        return SN_OK;
    }
    d->w->failed = NULL;
    if (t->left_at >= 0 && !isfinite(t->drift))
        return sn_fail(
            err, SN_ERR_NUMERIC, NULL,
            "no steady motion found near the start: the force on %s cannot be balanced, %.3g of it "
            "is left",
            sn_coord_name(d->m, t->left_at, name, sizeof name), t->left_force);
    if (isfinite(t->drift))
        return sn_fail(err, SN_ERR_NUMERIC, NULL,
                       "no steady motion found near the start: forces balance for a moment only, a radian "
                       "later they lack %.2g of the largest",
                       t->drift);
    return sn_fail(err, SN_ERR_NUMERIC, NULL,
                   "no steady motion found near the start: its velocities are no rotation of the whole with "
                   "spins along which nothing changes");
}

static sn_status prepare(task *t, sn_err *err)
{
    sn_context *d = t->f.d;
    const size_t n = (size_t)d->m->n, nv = (size_t)d->m->nv, frames = (size_t)d->m->n_node;
    sn_arena *a = &t->arena;
    t->f.own = sn_arena_alloc(a, nv + 1, sizeof *t->f.own);
    t->spin = sn_arena_alloc(a, 3 * frames + 1, sizeof *t->spin);
    t->first = sn_arena_alloc(a, 3 * frames + 1, sizeof *t->first);
    t->given = sn_arena_alloc(a, 3 * frames + 4, sizeof *t->given);
    t->shares = sn_arena_alloc(a, 9 * (frames + 1) * (frames + 1), sizeof *t->shares);
    t->r0 = sn_arena_alloc(a, n + 1, sizeof *t->r0);
    t->q = sn_arena_alloc(a, (size_t)d->m->nq + 1, sizeof *t->q);
    t->own = sn_arena_alloc(a, nv + 1, sizeof *t->own);
    t->lam = sn_arena_alloc(a, n + 1, sizeof *t->lam);
    t->b = sn_arena_alloc(a, 2 * n + 6 * frames + 9, sizeof *t->b);
    if (n <= MOST_DENSE) t->A = sn_arena_alloc(a, n * (n + 3 * frames + 3) + 1, sizeof *t->A);
    if (!t->f.own || !t->spin || !t->first || !t->given || !t->shares || !t->r0 || !t->q || !t->own ||
        !t->lam || !t->b || (n <= MOST_DENSE && !t->A))
        return SN_OUT_OF_MEM(err);
    SN_TRY(sn_state_new(d->m, 0, &t->start, err));
    SN_TRY(sn_state_new(d->m, 0, &t->best, err));
    sn_state_copy(d->m, d->x, t->start);
    return sn_motion_new(d, &t->p, err);
}

sn_status sn_steady(sn_context *d, sn_err *err)
{
    task t = {.f = {.d = d}, .left = INFINITY, .left_at = -1, .drift = INFINITY, .least = INFINITY};
    SN_TRY(sn_start(d, err));
    t.f.rate = sn_motion_rate(d);
    if (t.f.rate == 0) return sn_equilibrium(d, err);
    sn_status s = prepare(&t, err);
    if (!s) s = choose(&t, err);
    sn_motion_free(t.p);
    sn_state_free(t.start), sn_state_free(t.best);
    sn_arena_free(&t.arena);
    return s;
}
