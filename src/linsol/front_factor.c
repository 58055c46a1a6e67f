/* Multifrontal factors: fronts are filled and eliminated along the tree, by one thread or by several.

   A front is the sum of entries of the matrix and of what its children leave. Members of a team take whole
   subtrees; the fronts above are treated one after the other, by all members together. Whoever treats a
   front, its sums have the same terms in the same order: so factors have the same bits for any number of
   threads.

   Pivots that are put off belong to the fronts of the parent, which so are larger than planned. Memory comes
   from a pool: another factorisation needs none, unless more pivots are put off. */
#include "linsol/front.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { SHARES = 32, LARGE = 160 }; /* subtrees: at most so small a share of all; fronts worth sharing */

typedef struct scratch {
    int *place, *map; /* of each position in the front; of a child's border */
    double *work;
    size_t room; /* numbers of work */
    sn_front_found found;
} scratch;

typedef struct factoring {
    sn_fronts *s;
    const double *Ax;
    scratch *own;           /* of each member */
    int *subtree, subtrees; /* their last fronts, the dearest first */
    unsigned char *above;   /* fronts that belong to no subtree */
    atomic_int next, failed;
    int strips, columns; /* of the front in hand */
    atomic_int strip;
} factoring;

static void drop_front(sn_fronts *s, sn_front *f)
{
    sn_front_give(s->pool, f->block), sn_front_give(s->pool, f->C);
    *f = (sn_front){.n = 0};
}

/* Room for front f with so many columns put off by its children. */
static int make_front(sn_fronts *s, int f, int late)
{
    const sn_front_plan *p = &s->plan;
    sn_front *F = &s->front[f];
    const int own = p->first[f + 1] - p->first[f], border = (int)(p->border_at[f + 1] - p->border_at[f]);
    *F = (sn_front){.summed = own + late, .n = own + late + border};
    const size_t n = (size_t)F->n, m = (size_t)F->summed, b = (size_t)border;
    const size_t L = n * m, W = s->symmetric ? 0 : b * m, C = b * b;
    F->block = sn_front_take(s->pool, sizeof(double) * (L + W + SN_FRONT_BEYOND) + sizeof(int) * 2 * n + m);
    if (!F->block || (C && !(F->C = sn_front_take(s->pool, sizeof(double) * C)))) return 0;
    F->L = F->block;
    memset(F->L, 0, sizeof(double) * (L + W));
    if (!s->symmetric) F->W = F->L + L;
    F->col = (int *)(F->L + L + W), F->row = F->col + n;
    F->pair = (unsigned char *)(F->row + n);
    for (size_t j = 0; j < b; j++) {
        size_t from = s->symmetric ? j : 0;
        memset(F->C + j * b + from, 0, sizeof(double) * (b - from));
    }
    return 1;
}

/* Positions of the front's rows, and the places of those. */
static void list_positions(const sn_fronts *s, int f, scratch *own)
{
    const sn_front_plan *p = &s->plan;
    sn_front *F = &s->front[f];
    int n = 0;
    for (int i = p->first[f]; i < p->first[f + 1]; i++) F->col[n++] = i;
    for (int c = p->child_at[f]; c < p->child_at[f + 1]; c++) {
        const sn_front *G = &s->front[p->child[c]];
        for (int i = G->pivots; i < G->summed; i++) F->col[n++] = G->col[i];
    }
    for (size_t i = p->border_at[f]; i < p->border_at[f + 1]; i++) F->col[n++] = p->border[i];
    for (int i = 0; i < n; i++) own->place[F->col[i]] = i, F->row[i] = F->col[i];
}

/* The entries of the matrix that have their row or column in front f, the other not before. */
static void add_entries(const sn_fronts *s, int f, const double *Ax, const int *place)
{
    const sn_front_plan *p = &s->plan;
    sn_front *F = &s->front[f];
    const int begin = p->first[f], end = p->first[f + 1];
    const size_t n = (size_t)F->n, border = (size_t)(F->n - F->summed);
    for (int at = begin; at < end; at++) {
        const int j = p->variable[at];
        double *x = F->L + (size_t)(at - begin) * n;
        for (int k = p->Ap[j]; k < p->Ap[j + 1]; k++) {
            const int i = p->Ai[k], row = p->position[i];
            if (row >= (s->symmetric ? at : begin)) x[place[row]] += s->r[i] * Ax[k] * s->c[j];
        }
        x = s->symmetric ? NULL : F->W + (size_t)(at - begin) * border;
        for (int k = p->Rp[j]; x && k < p->Rp[j + 1]; k++) {
            const int i = p->Rj[k], column = p->position[i];
            if (column >= end) x[place[column] - F->summed] += s->r[j] * Ax[p->Rsrc[k]] * s->c[i];
        }
    }
}

/* One number of a child. */
static void add_number(sn_front *F, int symmetric, int i, int j, double x)
{
    const size_t n = (size_t)F->n, border = (size_t)(F->n - F->summed);
    if (symmetric && i < j) {
        int t = i;
        i = j, j = t;
    }
    if (j < F->summed)
        F->L[(size_t)j * n + (size_t)i] += x;
    else if (i < F->summed)
        F->W[(size_t)i * border + (size_t)(j - F->summed)] += x;
    else
        F->C[(size_t)(j - F->summed) * border + (size_t)(i - F->summed)] += x;
}

/* Rows and columns that a child has put off. */
static void add_late(sn_front *F, const sn_front *G, int symmetric, const int *place)
{
    const size_t n = (size_t)G->n, border = (size_t)(G->n - G->summed);
    for (int j = G->pivots; j < G->summed; j++) {
        const double *x = G->L + (size_t)j * n;
        for (int i = symmetric ? j : G->pivots; i < G->n; i++)
            add_number(F, symmetric, place[G->col[i]], place[G->col[j]], x[i]);
        for (size_t i = 0; !symmetric && i < border; i++)
            add_number(F, 0, place[G->col[j]], place[G->col[(size_t)G->summed + i]],
                       G->W[(size_t)j * border + i]);
    }
}

/* What a child leaves of its border. Places ascend there: those of the parent's own columns come first. */
static void add_child(sn_front *F, const sn_front *G, int symmetric, scratch *own)
{
    const int m = G->n - G->summed, summed = F->summed;
    const size_t n = (size_t)F->n, border = (size_t)(F->n - summed), M = (size_t)m;
    int *map = own->map, first = 0;
    for (int i = 0; i < m; i++) map[i] = own->place[G->col[G->summed + i]], first += map[i] < summed;
    for (int j = 0; j < m; j++) {
        const double *x = G->C + (size_t)j * M;
        if (j < first) {
            double *to = F->L + (size_t)map[j] * n;
            for (int i = symmetric ? j : 0; i < m; i++) to[map[i]] += x[i];
        } else {
            double *to = F->C + (size_t)(map[j] - summed) * border;
            for (int i = symmetric ? j : first; i < m; i++) to[map[i] - summed] += x[i];
        }
    }
    for (int i = 0; !symmetric && i < first; i++) {
        double *to = F->W + (size_t)map[i] * border;
        for (int j = first; j < m; j++) to[map[j] - summed] += G->C[(size_t)j * M + (size_t)i];
    }
}

static int reserve(factoring *w, scratch *own, size_t numbers)
{
    if (numbers <= own->room) return 1;
    sn_front_give(w->s->pool, own->work);
    own->room = 0;
    own->work = sn_front_take(w->s->pool, sizeof *own->work * (numbers + SN_FRONT_BEYOND));
    if (own->work) own->room = numbers;
    return own->work != NULL;
}

/* Fills front f and eliminates its own pivots; 0 where memory is short. */
static int treat(factoring *w, int f, scratch *own)
{
    sn_fronts *s = w->s;
    const sn_front_plan *p = &s->plan;
    int late = 0;
    for (int c = p->child_at[f]; c < p->child_at[f + 1]; c++) {
        const sn_front *G = &s->front[p->child[c]];
        late += G->summed - G->pivots;
    }
    sn_front *F = &s->front[f];
    if (!make_front(s, f, late)) return 0;
    if (!reserve(w, own, (size_t)F->n * SN_FRONT_PANEL + (size_t)F->summed * SN_FRONT_STRIP)) return 0;
    list_positions(s, f, own);
    add_entries(s, f, w->Ax, own->place);
    for (int c = p->child_at[f]; c < p->child_at[f + 1]; c++) {
        sn_front *G = &s->front[p->child[c]];
        add_late(F, G, s->symmetric, own->place);
        add_child(F, G, s->symmetric, own);
        sn_front_give(s->pool, G->C);
        G->C = NULL;
    }
    sn_front_eliminate(F, p->parent[f] < 0, own->work, &own->found);
    return 1;
}

static int strips_of(const sn_front *F) { return (F->n - F->summed + SN_FRONT_STRIP - 1) / SN_FRONT_STRIP; }

static void complete_strip(sn_front *F, int strip, double *work)
{
    const int border = F->n - F->summed, from = strip * SN_FRONT_STRIP;
    sn_front_complete(F, from, from + SN_FRONT_STRIP < border ? from + SN_FRONT_STRIP : border, work);
}

static void treat_subtree(factoring *w, int last, scratch *own)
{
    for (int f = w->s->plan.oldest[last]; f <= last && !atomic_load(&w->failed); f++) {
        if (!treat(w, f, own)) {
            atomic_store(&w->failed, 1);
            return;
        }
        for (int k = 0; k < strips_of(&w->s->front[f]); k++) complete_strip(&w->s->front[f], k, own->work);
    }
}

static void meet(const factoring *w)
{
    if (w->s->team) sn_team_meet(w->s->team);
}

/* A front above the subtrees: filled by one member, its border completed by all. */
static void treat_together(factoring *w, int f, int member)
{
    scratch *own = &w->own[member];
    sn_front *F = &w->s->front[f];
    const int alone = w->s->plan.cost[f] < 1e6;
    if (member == 0) {
        if (!atomic_load(&w->failed) && !treat(w, f, own)) atomic_store(&w->failed, 1);
        atomic_store(&w->strip, 0);
        for (int k = 0; alone && !atomic_load(&w->failed) && k < strips_of(F); k++)
            complete_strip(F, k, own->work);
    }
    if (alone) return;
    meet(w);
    if (!atomic_load(&w->failed) && !reserve(w, own, (size_t)F->summed * SN_FRONT_STRIP))
        atomic_store(&w->failed, 1);
    for (int k; !atomic_load(&w->failed) && (k = atomic_fetch_add(&w->strip, 1)) < strips_of(F);)
        complete_strip(F, k, own->work);
    meet(w);
}

static void job(void *ctx, int member)
{
    factoring *w = ctx;
    for (int k; (k = atomic_fetch_add(&w->next, 1)) < w->subtrees;)
        treat_subtree(w, w->subtree[k], &w->own[member]);
    meet(w);
    for (int f = 0; f < w->s->plan.fronts; f++)
        if (w->above[f]) treat_together(w, f, member);
}

/* Subtrees that are a small share of all work, the dearest first. */
static void share_out(factoring *w, double *cost)
{
    const sn_front_plan *p = &w->s->plan;
    for (int f = 0; f < p->fronts; f++) {
        cost[f] += p->cost[f];
        if (p->parent[f] >= 0) cost[p->parent[f]] += cost[f];
    }
    for (int f = 0; f < p->fronts; f++) {
        const int up = p->parent[f];
        w->above[f] = w->s->team && cost[f] > p->flops / SHARES;
        if (w->above[f] || (w->s->team && up >= 0 && !(cost[up] > p->flops / SHARES))) continue;
        if (!w->s->team && up >= 0) continue;
        int k = w->subtrees++;
        for (; k > 0 && cost[w->subtree[k - 1]] < cost[f]; k--) w->subtree[k] = w->subtree[k - 1];
        w->subtree[k] = f;
    }
}

/* Whether the scaled matrix is symmetric but for rounding. */
static int is_symmetric(const sn_fronts *s, const double *Ax)
{
    const double rounding = 16 * 2.220446049250313e-16;
    const sn_front_plan *p = &s->plan;
    if (!p->symmetric) return 0;
    for (int j = 0; j < p->n; j++)
        for (int k = p->Ap[j]; k < p->Ap[j + 1]; k++) {
            const int i = p->Ai[k];
            if (i > j && fabs(Ax[k] - Ax[p->Rsrc[k]]) * s->r[i] * s->c[j] > rounding) return 0;
        }
    return 1;
}

/* Factors of rows and columns that make the largest entries nearly one, by powers of two; alike where the
   matrix is symmetric. */
static void find_scales(sn_fronts *s, const double *Ax, double *row, double *col)
{
    const sn_front_plan *p = &s->plan;
    const int n = p->n;
    for (int i = 0; i < n; i++) s->r[i] = s->c[i] = 1;
    for (int round = 0; round < 3; round++) {
        memset(row, 0, sizeof *row * (size_t)n);
        for (int j = 0; j < n; j++) {
            double most = 0;
            for (int k = p->Ap[j]; k < p->Ap[j + 1]; k++) {
                const int i = p->Ai[k];
                const double size = fabs(Ax[k]) * s->r[i] * s->c[j];
                if (size > row[i]) row[i] = size;
                if (size > most) most = size;
            }
            col[j] = most;
        }
        for (int i = 0; i < n; i++) {
            if (row[i] > 0) s->r[i] /= sqrt(row[i]);
            if (col[i] > 0) s->c[i] /= sqrt(col[i]);
        }
    }
    for (int i = 0; i < n; i++) s->r[i] = exp2(rint(log2(s->r[i]))), s->c[i] = exp2(rint(log2(s->c[i])));
}

static void tell(sn_fronts *s, const scratch *own, int members)
{
    s->negative = s->doubtful = 0, s->nonzeros = s->flops = 0;
    for (int k = 0; k < members; k++) {
        s->negative += own[k].found.negative;
        s->doubtful |= own[k].found.doubtful;
    }
    for (int f = 0; f < s->plan.fronts; f++) {
        const double n = s->front[f].n, a = s->front[f].pivots, sides = s->symmetric ? 1 : 2;
        s->nonzeros += sides * (a * n - a * (a - 1) / 2) - (sides - 1) * a;
        s->flops += sides * a * (n * n - a * n + a * a / 3);
    }
}

static sn_status factor(sn_fronts *s, factoring *w, int members, double *cost)
{
    const sn_front_plan *p = &s->plan;
    for (int f = 0; f < p->fronts; f++) drop_front(s, &s->front[f]);
    memset(cost, 0, sizeof *cost * (size_t)p->fronts);
    share_out(w, cost);
    if (s->team)
        sn_team_run(s->team, job, w);
    else
        job(w, 0);
    for (int k = 0; k < members; k++) sn_front_give(s->pool, w->own[k].work);
    if (atomic_load(&w->failed)) return SN_ERR_MEMORY;
    tell(s, w->own, members);
    return SN_OK;
}

sn_status sn_fronts_factor(sn_fronts *s, const double *Ax, int symmetric)
{
    const size_t n = (size_t)s->plan.n, fronts = (size_t)s->plan.fronts;
    const int members = s->team ? sn_team_size(s->team) : 1;
    factoring w = {.s = s, .Ax = Ax};
    /* one block for everything that does not depend on pivots */
    const size_t bytes = (2 * n + fronts) * sizeof(double) +
                         (size_t)members * (sizeof(scratch) + 2 * n * sizeof(int)) +
                         fronts * (sizeof(int) + 1) + 64;
    char *block = sn_front_take(s->pool, bytes);
    if (!block) return SN_ERR_MEMORY;
    memset(block, 0, bytes);
    double *x = (double *)block, *cost = x + 2 * n;
    w.own = (scratch *)(cost + fronts);
    int *ints = (int *)(w.own + members);
    for (int k = 0; k < members; k++, ints += 2 * n) w.own[k].place = ints, w.own[k].map = ints + n;
    w.subtree = ints;
    w.above = (unsigned char *)(ints + fronts);
    find_scales(s, Ax, x, x + n);
    s->symmetric = symmetric || is_symmetric(s, Ax);
    sn_status status = factor(s, &w, members, cost);
    sn_front_give(s->pool, block);
    return status;
}
