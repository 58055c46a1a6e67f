/* LU factors for a fixed order of pivots: the pattern.

   Fixed by the order of pivots alone (no cancellation), found by merging rows with symmetric pruning
   (Eisenstat, Liu, SIAM J. Sci. Comput. 14, 1993). Pivots that do not wait for each other may change places
   without changing the pattern. They are sorted by level, the longest way to them from a first pivot: then
   neighbours in the sequence are independent wherever the structure branches, and a processor that looks
   ahead works on several branches at once. */
#include "linsol/lu.h"

#include <limits.h>

void sn_lu_clear(sn_lu *lu)
{
    void *owned[] = {lu->row, lu->col, lu->Rp, lu->Rj, lu->Ra,   lu->Lp,    lu->Li, lu->Up, lu->Ui,
                     lu->Lx,  lu->Ux,  lu->d,  lu->di, lu->norm, lu->unorm, lu->x,  lu->y};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sn_free(owned[i]);
    sn_lu_block_clear(&lu->b);
    *lu = (sn_lu){0};
}

/* Rows of A in the order of pivots: with A(:, col[k]) taken in order the columns of each row ascend. */
static sn_status permute_rows(sn_lu *lu, const int *Ap, const int *Ai, const int *row, const int *col)
{
    int n = lu->n, nz = Ap[n], *inverse;
    if (!SN_NEW(lu->row, n) || !SN_NEW(lu->col, n) || !SN_NEW(lu->Rp, n + 2) || !SN_NEW(lu->Rj, nz) ||
        !SN_NEW(lu->Ra, nz) || !SN_NEW(inverse, n))
        return SN_ERR_MEMORY;
    for (int k = 0; k < n; k++) {
        lu->row[k] = row[k];
        lu->col[k] = col[k];
        inverse[row[k]] = k;
    }
    for (int p = 0; p < nz; p++) lu->Rp[inverse[Ai[p]] + 2]++;
    for (int i = 0; i < n; i++) lu->Rp[i + 2] += lu->Rp[i + 1];
    for (int k = 0; k < n; k++)
        for (int p = Ap[col[k]]; p < Ap[col[k] + 1]; p++) {
            int to = lu->Rp[inverse[Ai[p]] + 1]++;
            lu->Rj[to] = k;
            lu->Ra[to] = p;
        }
    sn_free(inverse);
    return SN_OK;
}

/* Merge the first m entries of the ascending list `from` into the linked ascending list that starts after
 * node j. */
static int merge(const int *from, int m, int *next, int j)
{
    int added = 0, at = j;
    for (int p = 0; p < m; p++) {
        while (next[at] < from[p]) at = next[at];
        if (next[at] != from[p]) {
            next[from[p]] = next[at];
            next[at] = from[p];
            added++;
        }
        at = from[p];
    }
    return added;
}

/* Pattern of row i of L and U: the linked list of its columns, node n is the head, INT_MAX the end. */
static sn_status plan_row(sn_lu *lu, int i, int *next, const int *pruned)
{
    int n = lu->n, count = 1;
    next[n] = i;
    next[i] = INT_MAX;
    for (int p = lu->Rp[i]; p < lu->Rp[i + 1]; p++) {
        int j = lu->Rj[p], at = n;
        /* the columns of A ascend: go on from the one before */
        if (p > lu->Rp[i]) at = lu->Rj[p - 1];
        count += merge(&j, 1, next, at);
    }
    for (int j = next[n]; j < i; j = next[j]) count += merge(lu->Ui + lu->Up[j], pruned[j], next, j);
    int l = lu->Lp[i], u = lu->Up[i];
    if (count > INT_MAX - l - 1 || count > INT_MAX - u - 1) return SN_ERR_NUMERIC;
    SN_TRY(sn_grow(&lu->Li, &lu->Lcap, l + count, sizeof *lu->Li));
    SN_TRY(sn_grow(&lu->Ui, &lu->Ucap, u + count, sizeof *lu->Ui));
    for (int j = next[n]; j < i; j = next[j]) lu->Li[l++] = j;
    for (int j = next[i]; j != INT_MAX; j = next[j]) lu->Ui[u++] = j;
    lu->Lp[i + 1] = l;
    lu->Up[i + 1] = u;
    return SN_OK;
}

/* Place of column k in the ascending row j of U, or -1. */
static int find_upper(const sn_lu *lu, int j, int k)
{
    int lo = lu->Up[j], hi = lu->Up[j + 1] - 1;
    while (lo <= hi) {
        int mid = lo + (hi - lo) / 2;
        if (lu->Ui[mid] == k) return mid;
        if (lu->Ui[mid] < k)
            lo = mid + 1;
        else
            hi = mid - 1;
    }
    return -1;
}

static sn_status plan_pattern(sn_lu *lu)
{
    int n = lu->n, *next = NULL, *pruned = NULL;
    sn_status status = SN_ERR_MEMORY;
    if (!SN_NEW(lu->Lp, n + 1) || !SN_NEW(lu->Up, n + 1) || !SN_NEW(next, n + 1) || !SN_NEW(pruned, n))
        goto done;
    for (int i = 0; i < n; i++) {
        status = plan_row(lu, i, next, pruned);
        if (status != SN_OK) goto done;
        int own = lu->Up[i + 1] - lu->Up[i];
        pruned[i] = own;
        lu->flops += 1 + own;
        for (int p = lu->Lp[i]; p < lu->Lp[i + 1]; p++) {
            int j = lu->Li[p], whole = lu->Up[j + 1] - lu->Up[j];
            lu->flops += 1 + 2.0 * whole;
            /* where L_ij and U_ji are both there, what row j has beyond column i comes in through row i */
            int at = pruned[j] == whole ? find_upper(lu, j, i) : -1;
            if (at >= 0) pruned[j] = at + 1 - lu->Up[j];
        }
    }
    status = SN_OK;
done:
    sn_free(next);
    sn_free(pruned);
    return status;
}

/* Pattern for the order in lu->row, lu->col. */
static sn_status plan_once(sn_lu *lu, int n, const int *Ap, const int *Ai, const int *row, const int *col)
{
    sn_lu_clear(lu);
    lu->n = n;
    SN_TRY(permute_rows(lu, Ap, Ai, row, col));
    return plan_pattern(lu);
}

/* level[i] of every pivot: above those of all j with L_ij or U_ji; returns the number of levels. */
static int find_levels(const sn_lu *lu, int *level)
{
    int depth = 0;
    for (int i = 0; i < lu->n; i++) {
        for (int p = lu->Lp[i]; p < lu->Lp[i + 1]; p++)
            if (level[i] <= level[lu->Li[p]]) level[i] = level[lu->Li[p]] + 1;
        for (int p = lu->Up[i]; p < lu->Up[i + 1]; p++)
            if (level[lu->Ui[p]] <= level[i]) level[lu->Ui[p]] = level[i] + 1;
        if (level[i] >= depth) depth = level[i] + 1;
    }
    return depth;
}

/* The order of pivots sorted by level, and planned so. */
static sn_status plan_by_level(sn_lu *lu, const int *Ap, const int *Ai)
{
    int n = lu->n, *level, *start = NULL, *row = NULL, *col = NULL;
    sn_status status = SN_ERR_MEMORY;
    if (!SN_NEW(level, n) || !SN_NEW(start, n + 1) || !SN_NEW(row, n) || !SN_NEW(col, n)) goto done;
    int depth = find_levels(lu, level);
    for (int i = 0; i < n; i++) start[level[i] + 1]++;
    for (int l = 0; l < depth; l++) start[l + 1] += start[l];
    for (int i = 0; i < n; i++) {
        int k = start[level[i]]++;
        row[k] = lu->row[i];
        col[k] = lu->col[i];
    }
    status = plan_once(lu, n, Ap, Ai, row, col);
    lu->depth = depth;
done:
    sn_free(level);
    sn_free(start);
    sn_free(row);
    sn_free(col);
    return status;
}

/* The order in which blocks of pivots follow each other, if that pays. */
static sn_status plan_by_block(sn_lu *lu, const int *Ap, const int *Ai)
{
    int n = lu->n, *position, *row = NULL, *col = NULL, found, depth = lu->depth;
    sn_status status = SN_ERR_MEMORY;
    if (!SN_NEW(position, n) || !SN_NEW(row, n) || !SN_NEW(col, n)) goto done;
    status = sn_lu_block_order(lu, position, &found);
    if (status || !found) goto done;
    for (int i = 0; i < n; i++) row[position[i]] = lu->row[i], col[position[i]] = lu->col[i];
    status = plan_once(lu, n, Ap, Ai, row, col);
    lu->depth = depth;
    if (!status) status = sn_lu_block_plan(lu);
done:
    sn_free(position), sn_free(row), sn_free(col);
    return status;
}

/* Numbers, in panels or in rows. */
static sn_status allocate(sn_lu *lu)
{
    int n = lu->n;
    if (!lu->b.n && (!SN_NEW(lu->Lx, lu->Lp[n]) || !SN_NEW(lu->Ux, lu->Up[n]))) return SN_ERR_MEMORY;
    if (!SN_NEW(lu->d, n) || !SN_NEW(lu->di, n) || !SN_NEW(lu->norm, n) || !SN_NEW(lu->unorm, n) ||
        !SN_NEW(lu->x, n) || !SN_NEW(lu->y, (lu->b.n ? 20 : 8) * (size_t)n))
        return SN_ERR_MEMORY;
    return SN_OK;
}

sn_status sn_lu_plan(sn_lu *lu, int n, const int *Ap, const int *Ai, const int *row, const int *col,
                     sn_err *err)
{
    sn_status status = plan_once(lu, n, Ap, Ai, row, col);
    if (status == SN_OK) status = plan_by_level(lu, Ap, Ai);
    if (status == SN_OK) status = plan_by_block(lu, Ap, Ai);
    if (status == SN_OK) status = allocate(lu);
    if (status == SN_OK) return SN_OK;
    sn_lu_clear(lu);
    return status == SN_ERR_MEMORY ? SN_OUT_OF_MEM(err) : sn_lu_too_large(n, err);
}

sn_status sn_lu_too_large(int n, sn_err *err)
{
    return sn_fail(err, SN_ERR_INPUT, NULL,
                   "the factors of the system's matrix (%d unknowns) have more than %d numbers, the most "
                   "solver klu can take; 'solver: mumps' has a larger limit",
                   n, INT_MAX);
}
