/* The fixed sparsity pattern of the system matrix and each object's places in it. Unknowns (d, lam);
   compressed columns with sorted rows. Every unknown has a diagonal entry: for regularisation, and so that a
   redundant equation can be replaced by lam = 0. */
#include "model/compile.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Global unknowns of an object's rows: its coordinates, then its multipliers. */
static sn_status scatter_map(sn_compiler *c, sn_object *o)
{
    sn_model *m = c->m;
    int k = o->nv + o->m, ground = 0;
    for (int i = 0; i < o->nv; i++) ground |= o->vi[i] >= m->nv;
    if (!ground && !o->m) {
        o->zi = o->vi;
        return SN_OK;
    }
    o->zi = sn_arena_alloc(&m->arena, (size_t)k + 1, sizeof(int));
    if (!o->zi) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < o->nv; i++) o->zi[i] = o->vi[i] < m->nv ? o->vi[i] : m->n;
    for (int i = 0; i < o->m; i++) o->zi[o->nv + i] = m->nv + o->eq + i;
    return SN_OK;
}

typedef void visit(void *ctx, int row, int col);

static void each_entry(const sn_model *m, visit *f, void *ctx)
{
    const sn_family *family[2] = {&m->element, &m->joint};
    for (int k = 0; k < 2; k++)
        for (int e = 0; e < family[k]->n; e++) {
            const sn_object *o = &family[k]->object[e];
            int n = o->nv + o->m;
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++)
                    if (o->zi[i] < m->n && o->zi[j] < m->n && (i < o->nv || j < o->nv))
                        f(ctx, o->zi[i], o->zi[j]);
        }
    for (int i = 0; i < m->n; i++) f(ctx, i, i);
}

/* Places in the matrix are ints, also before those that several objects share are counted once. */
static sn_status check_size(sn_compiler *c)
{
    const sn_model *m = c->m;
    const sn_family *family[2] = {&m->element, &m->joint};
    double sum = m->n;
    for (int k = 0; k < 2; k++)
        for (int e = 0; e < family[k]->n; e++) {
            double n = family[k]->object[e].nv + family[k]->object[e].m;
            sum += n * n;
        }
    if (sum < INT_MAX) return SN_OK;
    return sn_fail(
        c->err, SN_ERR_INPUT, NULL,
        "the model is too large: the matrices of its elements and joints have %.3g entries, %d are "
        "the most",
        sum, INT_MAX);
}

typedef struct columns {
    int *start, *row;
} columns;

static void count_entry(void *ctx, int row, int col)
{
    (void)row;
    ((columns *)ctx)->start[col + 1]++;
}

static void put_entry(void *ctx, int row, int col)
{
    columns *k = ctx;
    k->row[k->start[col]++] = row;
}

static int place(const sn_model *m, int row, int col)
{
    const int *p =
        bsearch(&row, m->Ai + m->Ap[col], (size_t)(m->Ap[col + 1] - m->Ap[col]), sizeof(int), ascending);
    return p ? (int)(p - m->Ai) : m->nnz;
}

/* Two nodes with as many coordinates whose rows follow each other in all columns: so many, else 1 */
static int run_of_rows(const sn_model *m, const sn_object *o)
{
    const int n = o->nv + o->m, half = o->nv / 2;
    if (o->m || o->nn != 2 || o->offv[1] != half || 2 * half != o->nv) return 1;
    for (int i = 0; i < o->nv; i++)
        for (int j = 0; j < o->nv; j++) {
            int at = o->nz[i * n + j];
            if (at == m->nnz || (i % half && at != o->nz[(i - 1) * n + j] + 1)) return 1;
        }
    return half;
}

static sn_status object_places(sn_compiler *c, sn_object *o)
{
    sn_model *m = c->m;
    int n = o->nv + o->m;
    o->nz = sn_arena_alloc(&m->arena, (size_t)(n * n) + 1, sizeof(int));
    if (!o->nz) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            o->nz[i * n + j] = o->zi[i] < m->n && o->zi[j] < m->n ? place(m, o->zi[i], o->zi[j]) : m->nnz;
    o->run = run_of_rows(m, o);
    return SN_OK;
}

static void find_jointed(sn_model *m)
{
    for (int e = 0; e < m->joint.n; e++)
        for (int i = 0; i < m->joint.object[e].nv; i++) m->jointed[m->joint.object[e].vi[i]] = 1;
}

/* Columns of the transposed pattern: their rows ascend. Bp: n + 2 */
static void transpose(int n, const int *Ap, const int *Ai, int *Bp, int *Bi)
{
    memset(Bp, 0, ((size_t)n + 2) * sizeof *Bp);
    for (int p = 0; p < Ap[n]; p++) Bp[Ai[p] + 2]++;
    for (int i = 0; i < n; i++) Bp[i + 2] += Bp[i + 1];
    for (int j = 0; j < n; j++)
        for (int p = Ap[j]; p < Ap[j + 1]; p++) Bi[Bp[Ai[p] + 1]++] = j;
}

/* Each row once, ascending: k->start points to the ends of the columns. */
static sn_status sort_columns(sn_model *m, columns *k)
{
    const int n = m->n;
    int *seen, *Bp = NULL, *Bi = NULL, nnz = 0, from = 0;
    sn_status s =
        SN_NEW(seen, n + 2) && SN_NEW(Bp, n + 2) && SN_NEW(Bi, k->start[n] + 1) ? SN_OK : SN_ERR_MEMORY;
    for (int j = 0; !s && j < n; j++) {
        const int to = k->start[j];
        for (int i = from; i < to; i++) {
            const int row = k->row[i];
            if (seen[row] != j + 1) seen[row] = j + 1, k->row[nnz++] = row;
        }
        from = to;
        m->Ap[j + 1] = nnz;
    }
    if (!s) {
        transpose(n, m->Ap, k->row, Bp, Bi);
        transpose(n, Bp, Bi, seen, k->row);
    }
    m->nnz = nnz;
    sn_free(seen), sn_free(Bp), sn_free(Bi);
    return s;
}

static sn_status build(sn_compiler *c, columns *k)
{
    sn_model *m = c->m;
    each_entry(m, count_entry, k);
    for (int i = 0; i < m->n; i++) k->start[i + 1] += k->start[i];
    if (!SN_NEW(k->row, k->start[m->n] + 1)) return SN_OUT_OF_MEM(c->err);
    each_entry(m, put_entry, k); /* start[j] now points to the end of column j */
    m->Ap = sn_arena_alloc(&m->arena, (size_t)m->n + 1, sizeof(int));
    if (!m->Ap) return SN_OUT_OF_MEM(c->err);
    if (sort_columns(m, k)) return SN_OUT_OF_MEM(c->err);
    const int nnz = m->nnz;
    m->Ai = sn_arena_alloc(&m->arena, (size_t)nnz + 1, sizeof(int));
    m->diag = sn_arena_alloc(&m->arena, (size_t)m->n + 1, sizeof(int));
    if (!m->Ai || !m->diag) return SN_OUT_OF_MEM(c->err);
    memcpy(m->Ai, k->row, (size_t)nnz * sizeof(int));
    for (int i = 0; i < m->n; i++) m->diag[i] = place(m, i, i);
    return SN_OK;
}

sn_status sn_compile_pattern(sn_compiler *c)
{
    sn_model *m = c->m;
    sn_family *family[2] = {&m->element, &m->joint};
    SN_TRY(check_size(c));
    for (int k = 0; k < 2; k++)
        for (int e = 0; e < family[k]->n; e++) SN_TRY(scatter_map(c, &family[k]->object[e]));
    columns col = {NULL, NULL};
    sn_status s = SN_NEW(col.start, m->n + 2) ? build(c, &col) : SN_OUT_OF_MEM(c->err);
    sn_free(col.start);
    sn_free(col.row);
    if (s) return s;
    for (int k = 0; k < 2; k++)
        for (int e = 0; e < family[k]->n; e++) SN_TRY(object_places(c, &family[k]->object[e]));
    find_jointed(m);
    return SN_OK;
}
