/* Equations that follow from others: the rank of B by QR with column pivoting of its rows, as columns.

   Equations that share no coordinate cannot follow from each other: each connected group is judged by itself,
   so that the dense matrices are as small as the groups (a node that is held is one). Where a group has many
   equations sparse factors are tried first, which exist where nothing is redundant. */
#include "analysis/analysis.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

enum { MANY_EQUATIONS = 100 };

/* Equations and coordinates sorted by group; those of group g are from start[g] on. */
typedef struct groups {
    int n, *of, *start, *equation; /* of: each equation's group */
    int *start_c, *coordinate, *of_c;
    int *column; /* of each equation in the matrix of its group */
    double *R;   /* of each equation, the pivot's size */
} groups;

static void free_groups(groups *g)
{
    sn_free(g->of), sn_free(g->start), sn_free(g->equation), sn_free(g->start_c), sn_free(g->coordinate);
    sn_free(g->of_c), sn_free(g->column), sn_free(g->R);
}

static int root(int *up, int i)
{
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
}

/* The next entry of B in column j from place k on, or -1. */
static int next_entry(const sn_context *d, int j, int k)
{
    const sn_model *m = d->m;
    while (k < m->Ap[j + 1] && (m->Ai[k] < m->nv || d->w->Ax[k] == 0)) k++;
    return k < m->Ap[j + 1] ? k : -1;
}

/* Numbers of the groups: equations that meet in a coordinate are of one. */
static void find_groups(const sn_context *d, groups *g)
{
    const sn_model *m = d->m;
    int *up = g->column;
    for (int i = 0; i < m->m; i++) up[i] = i;
    for (int j = 0; j < m->nv; j++)
        for (int first = next_entry(d, j, m->Ap[j]), k = first; k >= 0; k = next_entry(d, j, k + 1))
            up[root(up, m->Ai[k] - m->nv)] = root(up, m->Ai[first] - m->nv);
    for (int i = 0; i < m->m; i++) g->of[i] = root(up, i) == i ? g->n++ : -1;
    for (int i = 0; i < m->m; i++)
        if (g->of[i] < 0) g->of[i] = g->of[root(up, i)];
    for (int j = 0; j < m->nv; j++) {
        int k = next_entry(d, j, m->Ap[j]);
        g->of_c[j] = k < 0 ? -1 : g->of[m->Ai[k] - m->nv];
    }
}

/* list: those of 0 .. n - 1 that are of a group, by group; start[g + 1] was zero */
static void sort_by_group(int n, const int *of, int count, int *start, int *list)
{
    for (int i = 0; i < n; i++)
        if (of[i] >= 0) start[of[i] + 2]++;
    for (int k = 0; k < count; k++) start[k + 2] += start[k + 1];
    for (int i = 0; i < n; i++)
        if (of[i] >= 0) list[start[of[i] + 1]++] = i;
}

static int largest(const groups *g)
{
    int most = 0;
    for (int k = 0; k < g->n; k++)
        most = g->start[k + 1] - g->start[k] > most ? g->start[k + 1] - g->start[k] : most;
    return most;
}

/* QR of one group; R of its equations. SN_ERR_NUMERIC: numbers are not finite. */
static sn_status judge(const sn_context *d, groups *g, int group)
{
    const sn_model *m = d->m;
    const int *equation = g->equation + g->start[group], *coordinate = g->coordinate + g->start_c[group];
    int cols = g->start[group + 1] - g->start[group], rows = g->start_c[group + 1] - g->start_c[group];
    double *Bt = NULL, *tau = NULL;
    lapack_int *pivot = NULL;
    sn_status s = SN_OK;
    if (!SN_NEW(Bt, (size_t)rows * (size_t)cols + 1) || !SN_NEW(tau, cols + 1) || !SN_NEW(pivot, cols + 1))
        s = SN_ERR_MEMORY;
    for (int c = 0; c < cols; c++) g->column[equation[c]] = c;
    for (int r = 0; !s && r < rows; r++)
        for (int j = coordinate[r], k = next_entry(d, j, m->Ap[j]); k >= 0; k = next_entry(d, j, k + 1))
            Bt[(size_t)g->column[m->Ai[k] - m->nv] * (size_t)rows + (size_t)r] = d->w->Ax[k];
    if (!s && rows > 0 && LAPACKE_dgeqp3(LAPACK_COL_MAJOR, rows, cols, Bt, rows, pivot, tau) != 0)
        s = SN_ERR_NUMERIC;
    for (int c = 0; !s && c < cols && c < rows; c++)
        g->R[equation[pivot[c] - 1]] = fabs(Bt[(size_t)c * (size_t)rows + (size_t)c]);
    sn_free(Bt), sn_free(tau), sn_free(pivot);
    return s;
}

/* Whether the equations that are left determine each coordinate of every joint by themselves. */
static int is_pinned(const sn_context *d, const groups *g, const unsigned char *flag)
{
    const sn_model *m = d->m;
    for (int i = 0; i < m->m; i++)
        if (m->velocity[i]) return 0;
    for (int j = 0; j < m->joint.n; j++) {
        const sn_object *o = &m->joint.object[j];
        for (int i = 0; i < o->nv; i++) {
            if (o->vi[i] >= m->nv) continue;
            const int k = g->of_c[o->vi[i]];
            int rank = 0;
            if (k < 0) return 0;
            for (int e = g->start[k]; e < g->start[k + 1]; e++) rank += !flag[g->equation[e]];
            if (rank < g->start_c[k + 1] - g->start_c[k]) return 0;
        }
    }
    return 1;
}

sn_status sn_redundant(sn_context *d, unsigned char *flag, int *n, sn_err *err)
{
    const sn_model *m = d->m;
    groups g = {0};
    double top = 0;
    const sn_coef coef = {d->zero, d->zero, d->one, d->one, 1};
    int known = 0;
    *n = 0;
    d->pinned = 0;
    memset(flag, 0, (size_t)m->m);
    if (!m->m) return SN_OK;
    SN_TRY(sn_system_eval(d->w, d->x, &coef, err));
    sn_status s = SN_OK;
    if (!SN_NEW(g.of, m->m) || !SN_NEW(g.start, m->m + 2) || !SN_NEW(g.equation, m->m) ||
        !SN_NEW(g.start_c, m->m + 2) || !SN_NEW(g.coordinate, m->nv) || !SN_NEW(g.of_c, m->nv) ||
        !SN_NEW(g.column, m->m) || !SN_NEW(g.R, m->m))
        s = SN_ERR_MEMORY;
    if (!s) {
        find_groups(d, &g);
        sort_by_group(m->m, g.of, g.n, g.start, g.equation);
        sort_by_group(m->nv, g.of_c, g.n, g.start_c, g.coordinate);
    }
    if (!s && largest(&g) > MANY_EQUATIONS) {
        known = !sn_factor_projection(d, NULL, NULL); /* nothing is */
        d->w->failed = NULL;
        if (!known) s = sn_system_eval(d->w, d->x, &coef, err);
    }
    if (known || s) {
        free_groups(&g);
        return s == SN_ERR_MEMORY ? SN_OUT_OF_MEM(err) : s;
    }
    for (int k = 0; !s && k < g.n; k++) s = judge(d, &g, k);
    for (int i = 0; !s && i < m->m; i++) top = fmax(top, g.R[i]);
    for (int i = 0; !s && i < m->m; i++)
        if (g.R[i] <= 1e-9 * top) flag[i] = 1, ++*n;
    d->pinned = !s && is_pinned(d, &g, flag);
    free_groups(&g);
    return s == SN_ERR_MEMORY ? SN_OUT_OF_MEM(err) : SN_OK; /* what is not finite is reported elsewhere */
}
