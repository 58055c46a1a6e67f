/* Columns of the filter: of the derivatives of a state (sn_dstate), [S | D | parameters], and of the rows of
   coefficients, [S | D]. See kalman.h.

   The columns of the parameters are zero between steps: what a step makes of them, how its end moves with
   the histories' values there and with the unknowns, is added to the columns of S and D that move these. */
#include "identify/kalman.h"
#include "math/simd.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

/* Singular values of S, of rows in units of their own deviation, that count as zero. */
static const double rank_tolerance = 1e-8;
/* Rows whose deviation is less than this part of the largest of their sort are rounding. */
static const double least_row = 1e-10;

/* The matrices of a state: rows of each. */
typedef struct block {
    double *x;
    int rows;
} block;
enum { BLOCKS = 8 };

static int blocks_of(const sn_model *m, const sn_dstate *d, int all, block *b)
{
    int n = 0;
    b[n++] = (block){d->q, m->nv}, b[n++] = (block){d->v, m->nv}, b[n++] = (block){d->a, m->nv};
    for (int i = 0; i < d->n_own && n < BLOCKS - 1; i++) b[n++] = (block){d->own[i], m->nv};
    if (all) b[n++] = (block){d->lam, m->m};
    return n;
}

/* ---- parameters ---- */

void sn_kalman_along(sn_kalman *k, double t)
{
    const sn_study *s = k->fit->s;
    size_t width = (size_t)(k->room + k->fixed);
    for (int i = 0; i < k->n_track; i++) {
        sn_kalman_track *q = &k->track[i];
        double b[SN_KALMAN_ACTIVE];
        int first, n = sn_history_basis(s, q->part, t, &first, b);
        memset(q->along, 0, sizeof(double) * width);
        for (int a = 0; a < n; a++) {
            const double *row = sn_kalman_coefficient(k, q, q->base + first + a);
            for (size_t c = 0; c < width; c++) q->along[c] += b[a] * row[c];
        }
    }
}

/* One row: what moves with histories and unknowns, after sn_kalman_along. */
static void combine_row(const sn_kalman *k, double *row)
{
    const sn_part *p = k->part;
    size_t width = (size_t)(k->room + k->fixed);
    double *by = row + width, *unknowns = row + k->room + 1;
    for (int h = 0; h < k->n_track; h++) {
        const double f = by[h], *along = k->track[h].along;
        for (size_t c = 0; f != 0 && c < width; c++) row[c] += f * along[c];
    }
    by += k->n_track;
    for (int i = 0; i < p->nx; i++)
        for (int a = 0; by[i] != 0 && a < p->n; a++) {
            const double f = by[i] * p->dx[i * p->n + a], *own = k->own[SN_KALMAN_UNKNOWNS].row;
            if (!k->online) unknowns[a] += f;
            for (size_t c = 0; k->online && f != 0 && c < width; c++)
                row[c] += f * own[(size_t)a * width + c];
        }
}

void sn_kalman_combine(sn_kalman *k, sn_dstate *d, double t)
{
    const sn_model *m = k->fit->s->model;
    size_t columns = (size_t)d->columns, width = (size_t)(k->room + k->fixed);
    block b[BLOCKS];
    int n = blocks_of(m, d, 1, b);
    sn_kalman_along(k, t);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < b[i].rows; j++) {
            double *row = b[i].x + (size_t)j * columns;
            combine_row(k, row);
            memset(row + width, 0, sizeof *row * (columns - width));
        }
}

void sn_kalman_combine_sensors(sn_kalman *k, double t, double *dy)
{
    size_t columns = (size_t)k->np;
    sn_kalman_along(k, t);
    for (int c = 0; c < sn_channel_count(k->fit->s->model); c++) combine_row(k, dy + (size_t)c * columns);
}

/* ---- a measured number ---- */

typedef struct gain {
    const double *phi, *v;
    double F, g;
    int r, room, fixed;
} gain;

/* S <- S (1 - g phi phi'), D <- D + S phi v'/F, one row of both */
static SN_SIMD void update_row(const gain *q, double *restrict row)
{
    const double *phi = q->phi, *v = q->v;
    double part[4] = {0, 0, 0, 0}, sum = 0;
    int n = q->r & ~3;
    for (int c = 0; c < n; c += 4)
        for (int i = 0; i < 4; i++) part[i] += row[c + i] * phi[c + i];
    for (int c = n; c < q->r; c++) sum += row[c] * phi[c];
    sum += (part[0] + part[1]) + (part[2] + part[3]);
    const double g = q->g * sum, f = sum / q->F;
    for (int c = 0; c < q->r; c++) row[c] -= g * phi[c];
    for (int c = 0; c < q->fixed; c++) row[q->room + c] += f * v[c];
}

static void update_state(const sn_kalman *k, const gain *q, sn_dstate *d)
{
    block b[BLOCKS];
    int n = blocks_of(k->fit->s->model, d, 1, b);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < b[i].rows; j++) update_row(q, b[i].x + (size_t)j * (size_t)d->columns);
}

void sn_kalman_update(sn_kalman *k, const double *phi, const double *v, double F, int both)
{
    const gain q = {phi, v, F, 1 / (F + sqrt(F)), k->r, k->room, k->fixed};
    size_t width = (size_t)(k->room + k->fixed);
    if (k->started) update_state(k, &q, k->forward.now);
    if (both || !k->started) update_state(k, &q, k->forward.keep);
    for (int i = 0; i < k->n_track; i++)
        for (int j = 0; j < k->track[i].window; j++) update_row(&q, k->track[i].row + (size_t)j * width);
    for (int i = 0; i < SN_KALMAN_ROWS; i++)
        for (int j = 0; j < k->own[i].n; j++) update_row(&q, k->own[i].row + (size_t)j * width);
}

void sn_kalman_update_rows(const sn_kalman *k, const double *phi, const double *v, double F, int n,
                           double *rows)
{
    const gain q = {phi, v, F, 1 / (F + sqrt(F)), k->r, k->room, k->fixed};
    for (int i = 0; i < n; i++) update_row(&q, rows + (size_t)i * (size_t)(k->room + k->fixed));
}

/* ---- compression ---- */

/* Rows of a block, each over its deviation (or the least one that counts), to Z; returns how many. */
static int put_rows(const sn_kalman *k, const double *x, int rows, size_t stride, double *Z)
{
    size_t r = (size_t)k->r;
    double top = 0;
    int n = 0;
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t c = 0; c < r; c++) sum += x[(size_t)i * stride + c] * x[(size_t)i * stride + c];
        top = fmax(top, sum);
    }
    for (int i = 0; top > 0 && i < rows; i++) {
        const double *from = x + (size_t)i * stride;
        double sum = 0, *to = Z + (size_t)n * r;
        for (size_t c = 0; c < r; c++) sum += from[c] * from[c];
        if (!(sum > 0)) continue;
        double f = 1 / sqrt(fmax(sum, least_row * least_row * top));
        for (size_t c = 0; c < r; c++) to[c] = f * from[c];
        n++;
    }
    return n;
}

/* All rows of what is felt later: Z, by rows. */
static int gather(const sn_kalman *k, double *Z)
{
    block b[BLOCKS];
    const sn_dstate *d = k->forward.keep;
    int n = blocks_of(k->fit->s->model, d, 0, b), rows = 0;
    for (int i = 0; i < n; i++)
        rows += put_rows(k, b[i].x, b[i].rows, (size_t)d->columns, Z + (size_t)rows * (size_t)k->r);
    for (int i = 0; i < k->n_track; i++)
        rows += put_rows(k, k->track[i].row, k->track[i].window, (size_t)(k->room + k->fixed),
                         Z + (size_t)rows * (size_t)k->r);
    const sn_kalman_rows *own = &k->own[SN_KALMAN_UNKNOWNS];
    return rows +
           put_rows(k, own->row, own->n, (size_t)(k->room + k->fixed), Z + (size_t)rows * (size_t)k->r);
}

/* row <- row V, V: r x n by columns; what of its square is lost */
typedef struct turn {
    const double *V;
    double *scratch;
    int r, n;
} turn;

static double squares_of(const double *row, int n)
{
    double sum = 0;
    for (int c = 0; c < n; c++) sum += row[c] * row[c];
    return sum;
}

static void turn_row(void *ctx, double *row)
{
    const turn *t = ctx;
    int r = t->r, n = t->n;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int c = 0; c < r; c++) sum += row[c] * t->V[(size_t)j * (size_t)r + (size_t)c];
        t->scratch[j] = sum;
    }
    memcpy(row, t->scratch, sizeof *row * (size_t)n);
    memset(row + n, 0, sizeof *row * (size_t)(r - n));
}

static void each_but_past(sn_kalman *k, void (*change)(void *ctx, double *row), void *ctx)
{
    block b[BLOCKS];
    sn_dstate *d = k->forward.keep;
    size_t width = (size_t)(k->room + k->fixed);
    int blocks = blocks_of(k->fit->s->model, d, 1, b);
    for (int i = 0; i < blocks; i++)
        for (int j = 0; j < b[i].rows; j++) change(ctx, b[i].x + (size_t)j * (size_t)d->columns);
    for (int i = 0; i < k->n_track; i++)
        for (int j = 0; j < k->track[i].window; j++) change(ctx, k->track[i].row + (size_t)j * width);
    for (int j = 0; j < k->own[SN_KALMAN_UNKNOWNS].n; j++)
        change(ctx, k->own[SN_KALMAN_UNKNOWNS].row + (size_t)j * width);
}

void sn_kalman_each_row(sn_kalman *k, void (*change)(void *ctx, double *row), void *ctx)
{
    const sn_kalman_rows *past = &k->own[SN_KALMAN_PAST];
    each_but_past(k, change, ctx);
    for (int j = 0; j < past->n; j++) change(ctx, past->row + (size_t)j * (size_t)(k->room + k->fixed));
}

/* The columns that are left have all that is felt later. What was earlier may have more: no number to come
   says anything of that part, and its variance stays as it is. */
static void turn_all(sn_kalman *k, int n, const double *V, double *scratch)
{
    turn t = {V, scratch, k->r, n};
    const sn_kalman_rows *past = &k->own[SN_KALMAN_PAST];
    each_but_past(k, turn_row, &t);
    for (int j = 0; j < past->n; j++) {
        double *row = past->row + (size_t)j * (size_t)(k->room + k->fixed), before = squares_of(row, k->r);
        turn_row(&t, row);
        past->rest[j] += fmax(before - squares_of(row, n), 0);
    }
}

static int most_rows(const sn_kalman *k)
{
    block b[BLOCKS];
    int rows = 0, n = blocks_of(k->fit->s->model, k->forward.keep, 0, b);
    for (int i = 0; i < n; i++) rows += b[i].rows;
    for (int i = 0; i < k->n_track; i++) rows += k->track[i].window;
    return rows + k->own[SN_KALMAN_UNKNOWNS].n;
}

/* Room for the singular values of as many columns as there may be: numbers of V, sigma and scratch, Z, and
   LAPACK's own. */
static sn_status room_to_compress(sn_kalman *k, int *lapack, sn_err *err)
{
    size_t r = (size_t)k->room, rows = (size_t)(most_rows(k) + 1), own = 64 * (r + rows),
           need = 2 * r * r + 3 * r + rows * r + own;
    *lapack = (int)own;
    if (need <= k->n_work) return SN_OK;
    sn_free(k->work);
    k->n_work = 0;
    if (!SN_NEW(k->work, need)) return SN_OUT_OF_MEM(err);
    k->n_work = need;
    return SN_OK;
}

sn_status sn_kalman_compress(sn_kalman *k, sn_err *err)
{
    int lapack;
    SN_TRY(room_to_compress(k, &lapack, err));
    size_t r = (size_t)k->r, most_columns = (size_t)k->room;
    double *U = k->work, *sigma = U + 2 * most_columns * most_columns, *scratch = sigma + most_columns,
           *own = scratch + 2 * most_columns, *Z = own + lapack;
    int rows = gather(k, Z), most = rows < k->r ? rows : k->r, n = 0;
    double none;
    if (!rows) return SN_OK;
    /* Z' = U sigma W', Z' by columns is Z by rows */
    if (LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'S', 'N', k->r, rows, Z, k->r, sigma, U, k->r, &none, 1, own,
                            lapack))
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "the covariance of the filter is not finite");
    while (n < most && sigma[n] > rank_tolerance * sigma[0]) n++;
    if (n == k->r) return SN_OK;
    double *V = U + most_columns * most_columns;
    if (!k->online)
        V = sn_kalman_note(&k->record, &(sn_kalman_op){.kind = SN_KALMAN_COMPRESSION, .r = k->r, .a = n},
                           r * (size_t)n);
    if (!V) return SN_OUT_OF_MEM(err);
    memcpy(V, U, sizeof *V * r * (size_t)n);
    turn_all(k, n, V, scratch);
    k->r = n;
    return SN_OK;
}

/* ---- more room ---- */

/* Columns of D behind room for so many of S; parameters stay zero. */
static void widen(const double *from, size_t rows, const size_t *old, const size_t *wide, size_t fixed,
                  double *to)
{
    for (size_t i = 0; i < rows; i++) {
        const double *x = from + i * old[0];
        double *y = to + i * wide[0];
        memcpy(y, x, sizeof *x * old[1]);
        memcpy(y + wide[1], x + old[1], sizeof *x * fixed);
    }
}

static sn_status wider_state(sn_kalman *k, sn_dstate **d, const size_t *old, const size_t *wide, sn_err *err)
{
    const sn_model *m = k->fit->s->model;
    block from[BLOCKS], to[BLOCKS];
    sn_dstate *w;
    SN_TRY(sn_dstate_new(m, (*d)->n_own, (int)wide[0], &w, err));
    int n = blocks_of(m, *d, 1, from);
    blocks_of(m, w, 1, to);
    for (int i = 0; i < n; i++) widen(from[i].x, (size_t)from[i].rows, old, wide, (size_t)k->fixed, to[i].x);
    sn_dstate_free(*d);
    *d = w;
    return SN_OK;
}

static sn_status wider_rows(sn_kalman *k, const size_t *old, const size_t *wide, sn_err *err)
{
    size_t was[2] = {old[1] + (size_t)k->fixed, old[1]}, is[2] = {wide[1] + (size_t)k->fixed, wide[1]};
    for (int i = 0; i < k->n_track; i++) {
        sn_kalman_track *q = &k->track[i];
        double *row, *along;
        if (!SN_NEW(row, (size_t)q->window * is[0] + 1)) return SN_OUT_OF_MEM(err);
        if (q->row) widen(q->row, (size_t)q->window, was, is, (size_t)k->fixed, row);
        sn_free(q->row), q->row = row;
        if (!SN_NEW(along, is[0] + 1)) return SN_OUT_OF_MEM(err);
        sn_free(q->along), q->along = along;
    }
    for (int i = 0; i < SN_KALMAN_ROWS; i++) {
        sn_kalman_rows *q = &k->own[i];
        double *row;
        if (!q->n) continue;
        if (!SN_NEW(row, (size_t)q->n * is[0] + 1)) return SN_OUT_OF_MEM(err);
        if (q->row) widen(q->row, (size_t)q->n, was, is, (size_t)k->fixed, row);
        sn_free(q->row), q->row = row;
    }
    return SN_OK;
}

sn_status sn_kalman_grow(sn_kalman *k, int room, sn_err *err)
{
    sn_forward *f = &k->forward;
    int rest = k->fixed + k->n_track + k->part->nx, np = room + rest, *id;
    size_t old[2] = {(size_t)k->np, (size_t)k->room}, wide[2] = {(size_t)np, (size_t)room},
           channels = (size_t)sn_channel_count(k->fit->s->model) + 1;
    SN_TRY(wider_rows(k, old, wide, err));
    if (!SN_NEW(id, np + 1)) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < np; i++) id[i] = -1;
    for (int i = 0; i < k->n_track; i++) id[room + k->fixed + i] = k->track[i].signal;
    for (int i = 0; i < k->part->nx; i++) id[room + k->fixed + k->n_track + i] = k->part->id[i];
    sn_free(k->id), k->id = id;
    k->room = room, k->np = np, f->np = np, f->id = id;
    sn_free(k->by);
    if (!SN_NEW(k->by,
                (size_t)k->fit->s->experiment[k->experiment].n_channel * (size_t)(room + k->fixed) + 1))
        return SN_OUT_OF_MEM(err);
    sn_free(k->phi);
    if (!SN_NEW(k->phi, room + k->fixed + 1)) return SN_OUT_OF_MEM(err);
    if (!f->chain) return SN_OK; /* not begun: the follower makes its own */
    sn_parameter_chain_free(f->chain), f->chain = NULL;
    SN_TRY(sn_parameter_chain_new(f->d->m, f->d->p, np, id, &f->chain, err));
    SN_TRY(wider_state(k, &f->keep, old, wide, err));
    sn_dstate **const other[] = {&f->now, &f->spare, &f->mid};
    for (int i = 0; i < 3; i++) {
        sn_dstate *d;
        SN_TRY(sn_dstate_new(f->d->m, f->cls->history, np, &d, err));
        sn_dstate_free(*other[i]);
        *other[i] = d;
    }
    sn_free(f->dy), f->dy = NULL;
    return SN_NEW(f->dy, channels * (size_t)(np + 1)) ? SN_OK : SN_OUT_OF_MEM(err);
}
