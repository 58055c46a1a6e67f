/* Total variation: the weight and the differences' own weights of a history that has few jumps.

   Half the sum of squares and weight sum |d_i| is minimised by a sequence of squares (Lawson; Vogel, Oman
   1996): weight sum w_i d_i^2/2 with w_i = 1/max(|d_i|, floor) of the solution before, until it settles. On
   the linearised problem this is done for every weight of a grid, from the largest down, each from the one
   before.

   gcv, discrepancy, l_curve: as in smoothing.c, with p = tr (H + weight D'W D)^-1 J'J, which counts the jumps
   that are left (Tibshirani, Taylor 2012), and sum |d_i| for the roughness. likelihood:  Schwarz's criterion,
   n log rss + p log n, with a stated noise rss + p log n: differences that are left alone are free, and no
   prior of their size is needed. */
#include "identify/smoothing_data.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

enum { GRID = SN_WEIGHT_GRID, MOST_ROUNDS = 60 };
static const double decades = 8;           /* of the grid, down from where nothing is left of the history */
static const double floor_of_jumps = 1e-4; /* of the largest, below which differences are taken for none */

typedef struct variation {
    const sn_fit *f;
    int h;
    sn_smoothing_data d;
    double *A, *c; /* factors; solution, in z */
    double rss, size, freedom;
} variation;

static void reweigh(const variation *v)
{
    const sn_study *s = v->f->s;
    for (int k = 0; k < s->n_history_part; k++) {
        const sn_history_part *p = &s->history_part[k];
        double top = 0;
        int m = sn_history_differences(s, p);
        if (p->history != v->h) continue;
        for (int i = 0; i < m; i++) top = fmax(top, fabs(sn_smoothing_difference(s, p, i, v->c)));
        for (int i = 0; i < m; i++) {
            double d = fabs(sn_smoothing_difference(s, p, i, v->c));
            p->w[i] = top > 0 ? 1 / fmax(d, floor_of_jumps * top) : 1;
        }
    }
}

/* (H + weight D'W D) c = t; *change: of the solution, in parts of its largest. 0: it cannot be solved. */
static int solve(variation *v, double weight, double *change)
{
    const sn_study *s = v->f->s;
    int n = v->f->n;
    size_t bytes = sizeof(double) * (size_t)n;
    double *x = v->A + (size_t)n * (size_t)n, top = 0, most = 0;
    memcpy(v->A, v->d.H, bytes * (size_t)n), memcpy(x, v->d.t, bytes);
    for (int k = 0; k < s->n_history_part; k++)
        if (s->history_part[k].history == v->h)
            sn_smoothing_add_part(s, &s->history_part[k], weight, NULL, NULL, v->A);
    for (int i = 0; i < n; i++) v->A[(size_t)i * (size_t)n + (size_t)i] *= 1 + 1e-13;
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, v->A, n)) return 0;
    LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', n, 1, v->A, n, x, 1);
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - v->c[i])), top = fmax(top, fabs(x[i]));
    *change = top > 0 ? most / top : 0;
    memcpy(v->c, x, bytes);
    return 1;
}

/* What the solution leaves of the data, its variation, and its freedom. */
static void measure(variation *v, const double *z)
{
    const sn_study *s = v->f->s;
    int n = v->f->n;
    double *x = v->A + (size_t)n * (size_t)n, *y = x + n, *B = y + n;
    for (int i = 0; i < n; i++) x[i] = v->c[i] - z[i];
    cblas_dsymv(CblasRowMajor, CblasLower, n, 1, v->d.J, n, x, 1, 0, y, 1);
    v->rss = v->d.rss + 2 * cblas_ddot(n, v->d.g, 1, x, 1) + cblas_ddot(n, x, 1, y, 1);
    v->rss = fmax(v->rss, 1e-30 * v->d.rss);
    v->size = v->freedom = 0;
    for (int k = 0; k < s->n_history_part; k++)
        for (int i = 0;
             s->history_part[k].history == v->h && i < sn_history_differences(s, &s->history_part[k]); i++)
            v->size += fabs(sn_smoothing_difference(s, &s->history_part[k], i, v->c));
    memcpy(B, v->d.J, sizeof(double) * (size_t)n * (size_t)n);
    LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', n, n, v->A, n, B, n);
    for (int i = 0; i < n; i++) v->freedom += B[(size_t)i * (size_t)n + (size_t)i];
}

static int settle(variation *v, double weight, const double *z)
{
    double change = 1;
    for (int round = 0; round < MOST_ROUNDS && change > 1e-6; round++) {
        reweigh(v);
        if (!solve(v, weight, &change)) return 0;
    }
    measure(v, z);
    return 1;
}

static double score_of(const variation *v, int choice, int stated)
{
    double n = v->d.count, left = n - v->freedom;
    if (choice == SN_WEIGHT_GCV) return left > 0.1 * n ? n * v->rss / (left * left) : INFINITY;
    if (choice == SN_WEIGHT_DISCREPANCY) return fabs(log(v->rss / n));
    if (!stated && left <= 0.1 * n) return INFINITY;
    return (stated ? v->rss : n * log(v->rss / n)) + v->freedom * log(n);
}

/* Beyond it the best history has no jumps: the largest slope of the data's cost by one. */
static double largest_weight(const variation *v)
{
    double top = 0, size = 0;
    for (int i = 0; i < v->f->n; i++)
        if (v->f->s->unknown[i].of_history == v->h + 1)
            top += fabs(v->d.t[i]), size = fmax(size, v->f->s->unknown[i].scale);
    return top > 0 ? top / size : 1;
}

/* Every weight of the grid, the best, and the solution for it in v. */
static int scan(variation *v, const double *z, int choice, int stated, sn_weight_curve *c)
{
    double last = largest_weight(v), step = decades / (GRID - 1);
    c->n = GRID;
    for (int i = GRID - 1; i >= 0; i--) {
        c->weight[i] = last * pow(10, (i - GRID + 1) * step);
        if (!settle(v, c->weight[i], z)) return 0;
        c->misfit[i] = v->rss, c->roughness[i] = fmax(v->size, 1e-300),
        c->score[i] = score_of(v, choice, stated);
    }
    if (choice == SN_WEIGHT_L_CURVE) sn_smoothing_bend(c);
    c->chosen = 0;
    for (int i = 1; i < GRID; i++)
        if (choice == SN_WEIGHT_DISCREPANCY ? c->misfit[i] <= v->d.count : c->score[i] < c->score[c->chosen])
            c->chosen = i;
    for (int i = GRID - 1; i >= c->chosen; i--) /* the same way again: it decides where the jumps are */
        if (!settle(v, c->weight[i], z)) return 0;
    return 1;
}

sn_status sn_variation_choose(sn_fit *f, const double *z, int h, sn_estimate *e, double *change, sn_err *err)
{
    const sn_study *s = f->s;
    const sn_history *y = &s->history[h];
    variation v = {.f = f, .h = h};
    size_t n = (size_t)f->n;
    double *room = sn_arena_alloc(&e->arena, 4 * GRID, sizeof *room), weight = y->given;
    sn_weight_curve *c = &e->curves[h];
    if (!room) return SN_OUT_OF_MEM(err);
    *c = (sn_weight_curve){
        .weight = room, .misfit = room + GRID, .roughness = room + 2 * GRID, .score = room + 3 * GRID};
    SN_TRY(sn_smoothing_data_new(f, z, h, &v.d, err));
    int there = SN_NEW(v.A, 2 * n * n + 2 * n + 1) && SN_NEW(v.c, n + 1), good = 0;
    if (there) {
        memcpy(v.c, z, sizeof(double) * n);
        if (y->choice == SN_WEIGHT_GIVEN)
            good = settle(&v, weight, z);
        else if ((good = scan(&v, z, y->choice, sn_smoothing_stated(s), c)))
            weight = c->weight[c->chosen];
    }
    for (int k = 0; good && k < s->n_history_part; k++) {
        sn_history_part *p = &s->history_part[k];
        if (p->history != h) continue;
        *change = p->weight > 0 ? fmax(*change, fmax(weight / p->weight, p->weight / weight)) : INFINITY;
        p->weight = weight;
    }
    if (good) reweigh(&v), f->freedom = v.freedom;
    sn_smoothing_data_free(&v.d);
    sn_free(v.A), sn_free(v.c);
    if (!there) return SN_OUT_OF_MEM(err);
    return good
               ? SN_OK
               : sn_fail(err, SN_ERR_NUMERIC, &y->mark,
                         "the data say nothing of the history '%s': no weight of its smoothness can be found",
                         y->name);
}
