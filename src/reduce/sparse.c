/* Sparse matrices by columns: products with ties, borders. */
#include "reduce/reduce.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

sn_status sn_triplets_add(sn_triplets *t, int row, int col, double x)
{
    if (t->n == t->cap) {
        int a = t->cap, b = t->cap, need = t->cap ? 2 * t->cap : 1024;
        if (t->cap > INT_MAX / 2 || sn_grow(&t->row, &a, need, sizeof *t->row) ||
            sn_grow(&t->col, &b, need, sizeof *t->col) || sn_grow(&t->x, &t->cap, need, sizeof *t->x))
            return SN_ERR_MEMORY;
    }
    t->row[t->n] = row, t->col[t->n] = col, t->x[t->n++] = x;
    return SN_OK;
}

void sn_triplets_free(sn_triplets *t)
{
    sn_free(t->row), sn_free(t->col), sn_free(t->x);
    *t = (sn_triplets){0};
}

/* An entry by its place, for sorting */
typedef struct entry {
    int row, col;
} entry;

static int by_place(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->col != y->col) return x->col < y->col ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

sn_status sn_triplets_once(const sn_triplets *t, int *row, int *col)
{
    sn_status s = SN_OK;
    entry *e = sn_alloc((size_t)t->n + 1, sizeof *e);
    if (!e) return SN_ERR_MEMORY;
    for (int k = 0; k < t->n; k++) e[k] = (entry){t->row[k], t->col[k]};
    qsort(e, (size_t)t->n, sizeof *e, by_place);
    for (int k = 1; k < t->n && !s; k++)
        if (!by_place(&e[k], &e[k - 1])) *row = e[k].row, *col = e[k].col, s = SN_ERR_INPUT;
    sn_free(e);
    return s;
}

/* Entries by rows into columns: rows come out sorted, those at one place added. first: cols + 1 */
static sn_status by_columns(sn_arena *arena, const sn_triplets *t, int rows, int cols, sn_sparse *out)
{
    const size_t n = (size_t)t->n;
    int *order = sn_alloc(n + 1, sizeof *order),
        *start = sn_alloc((size_t)(rows > cols ? rows : cols) + 2, sizeof *start),
        *first = sn_arena_alloc(arena, (size_t)cols + 1, sizeof *first),
        *row = sn_arena_alloc(arena, n + 1, sizeof *row), *next = NULL, at = 0;
    double *x = sn_arena_alloc(arena, n + 1, sizeof *x);
    int bad = !order || !start || !first || !row || !x || !(next = sn_alloc((size_t)cols + 1, sizeof *next));
    if (!bad) {
        for (size_t k = 0; k < n; k++) start[t->row[k] + 1]++, first[t->col[k] + 1]++;
        for (int i = 0; i < rows; i++) start[i + 1] += start[i];
        for (int j = 0; j < cols; j++) first[j + 1] += first[j];
        for (size_t k = 0; k < n; k++) order[start[t->row[k]]++] = (int)k;
        memcpy(next, first, sizeof *next * (size_t)cols);
        for (size_t k = 0; k < n; k++) {
            const int e = order[k], p = next[t->col[e]]++;
            row[p] = t->row[e], x[p] = t->x[e];
        }
        for (int j = 0, p = 0; j < cols; j++) {
            const int begin = at;
            for (; p < first[j + 1]; p++) {
                if (at > begin && row[at - 1] == row[p])
                    x[at - 1] += x[p];
                else
                    row[at] = row[p], x[at++] = x[p];
            }
            next[j] = begin;
        }
        memcpy(first, next, sizeof *first * (size_t)cols);
        first[cols] = at;
        *out = (sn_sparse){rows, cols, first, row, x};
    }
    sn_free(order), sn_free(start), sn_free(next);
    return bad ? SN_ERR_MEMORY : SN_OK;
}

sn_status sn_triplets_compress(sn_arena *arena, const sn_triplets *t, int rows, int cols, sn_sparse *out,
                               sn_err *err)
{
    return by_columns(arena, t, rows, cols, out) ? SN_OUT_OF_MEM(err) : SN_OK;
}

void sn_ties_expand(const sn_ties *T, const double *z, double *x)
{
    for (int i = 0; i < T->n; i++) {
        x[i] = 0;
        for (int k = 0; k < T->count[i]; k++) x[i] += T->f[i][k] * z[T->at[i][k]];
    }
}

sn_status sn_sparse_tied(sn_arena *arena, const sn_sparse *A, const sn_ties *L, const sn_ties *R,
                         sn_sparse *out, sn_err *err)
{
    sn_triplets t = {0};
    sn_status s = SN_OK;
    for (int j = 0; j < A->cols; j++)
        for (int k = A->first[j]; k < A->first[j + 1]; k++) {
            const int i = A->row[k], left = L ? L->count[i] : 1;
            for (int a = 0; a < left && !s; a++)
                for (int b = 0; b < R->count[j] && !s; b++)
                    s = sn_triplets_add(&t, L ? L->at[i][a] : i, R->at[j][b],
                                        (L ? L->f[i][a] : 1) * A->x[k] * R->f[j][b]);
        }
    if (!s) s = by_columns(arena, &t, L ? L->z : A->rows, R->z, out);
    sn_triplets_free(&t);
    return s ? SN_OUT_OF_MEM(err) : SN_OK;
}

sn_status sn_sparse_bordered(sn_arena *arena, const sn_sparse *A, const sn_sparse *B, int from,
                             sn_sparse *out, sn_err *err)
{
    const int n = A->cols - from, m = B->rows;
    sn_triplets t = {0};
    sn_status s = SN_OK;
    for (int j = from; j < A->cols && !s; j++)
        for (int k = A->first[j]; k < A->first[j + 1] && !s; k++)
            if (A->row[k] >= from) s = sn_triplets_add(&t, A->row[k] - from, j - from, A->x[k]);
    for (int j = from; j < A->cols && m && !s; j++)
        for (int k = B->first[j]; k < B->first[j + 1] && !s; k++) {
            s = sn_triplets_add(&t, n + B->row[k], j - from, B->x[k]);
            if (!s) s = sn_triplets_add(&t, j - from, n + B->row[k], B->x[k]);
        }
    for (int i = 0; i < m && !s; i++) s = sn_triplets_add(&t, n + i, n + i, 0);
    if (!s) s = by_columns(arena, &t, n + m, n + m, out);
    sn_triplets_free(&t);
    return s ? SN_OUT_OF_MEM(err) : SN_OK;
}

void sn_sparse_times(const sn_sparse *A, int columns, const double *x, double *y)
{
    memset(y, 0, sizeof *y * (size_t)A->rows * (size_t)columns);
    for (int c = 0; c < columns; c++) {
        const double *xc = x + (size_t)c * (size_t)A->cols;
        double *yc = y + (size_t)c * (size_t)A->rows;
        for (int j = 0; j < A->cols; j++) {
            const double f = xc[j];
            if (f == 0) continue;
            for (int k = A->first[j]; k < A->first[j + 1]; k++) yc[A->row[k]] += A->x[k] * f;
        }
    }
}

double sn_sparse_entry(const sn_sparse *A, int i, int j)
{
    int low = A->first[j], high = A->first[j + 1] - 1;
    while (low <= high) {
        int mid = low + (high - low) / 2;
        if (A->row[mid] == i) return A->x[mid];
        if (A->row[mid] < i)
            low = mid + 1;
        else
            high = mid - 1;
    }
    return 0;
}

double sn_sparse_asymmetry(const sn_sparse *A)
{
    double top = 0, off = 0;
    for (int j = 0; j < A->cols; j++)
        for (int k = A->first[j]; k < A->first[j + 1]; k++) {
            top = fmax(top, fabs(A->x[k]));
            if (A->row[k] != j) off = fmax(off, fabs(A->x[k] - sn_sparse_entry(A, j, A->row[k])));
        }
    return top > 0 ? off / top : 0;
}
