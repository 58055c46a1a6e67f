/* LU factors for a fixed order of pivots: blocks of pivots whose rows have the same columns.

   In a chain of beams the unknowns of a node are eliminated one after the other, and their rows of L and U
   differ by these pivots alone. Such pivots become a block (a supernode: Demmel, Eisenstat, Gilbert, Li, Liu,
   SIAM J. Matrix Anal. 20, 1999), whose rows are stored as a dense panel. The order of pivots by levels
   (lu_plan.c) mixes the branches of a structure; here whole blocks are sorted by levels, which is another
   order of the same elimination. */
#include "linsol/lu.h"

#include <limits.h>
#include <string.h>

void sn_lu_block_clear(sn_lu_blocks *b)
{
    void *owned[] = {b->block, b->update, b->cols, b->map, b->place, b->tile, b->panel, b->z};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sn_free(owned[i]);
    *b = (sn_lu_blocks){0};
}

/* Rows i < j have the same columns but for i in row j of L and j in row i of U. */
static int alike(const sn_lu *lu, int i, int j)
{
    int l = lu->Lp[i + 1] - lu->Lp[i], u = lu->Up[j + 1] - lu->Up[j];
    const int *Li = lu->Li + lu->Lp[i], *Lj = lu->Li + lu->Lp[j], *Ui = lu->Ui + lu->Up[i];
    if (lu->Lp[j + 1] - lu->Lp[j] != l + 1 || lu->Up[i + 1] - lu->Up[i] != u + 1) return 0;
    return Lj[l] == i && Ui[0] == j && !memcmp(Li, Lj, sizeof(int) * (size_t)l) &&
           !memcmp(Ui + 1, lu->Ui + lu->Up[j], sizeof(int) * (size_t)u);
}

/* Number of the block of each pivot, and how many. */
static int find_blocks(const sn_lu *lu, int *of)
{
    int count = 0;
    for (int i = 0; i < lu->n; i++) of[i] = -1;
    for (int i = 0; i < lu->n; i++) {
        if (of[i] < 0) of[i] = count++;
        if (lu->Up[i] == lu->Up[i + 1]) continue;
        int next = lu->Ui[lu->Up[i]];
        if (alike(lu, i, next)) of[next] = of[i];
    }
    return count;
}

/* Raise the levels of blocks above those they wait for; returns whether something changed. */
static int raise_levels(const sn_lu *lu, const int *of, int *level)
{
    int changed = 0;
    for (int i = 0; i < lu->n; i++) {
        for (int p = lu->Lp[i]; p < lu->Lp[i + 1]; p++) {
            int from = of[lu->Li[p]];
            if (from != of[i] && level[of[i]] <= level[from]) level[of[i]] = level[from] + 1, changed = 1;
        }
        for (int p = lu->Up[i]; p < lu->Up[i + 1]; p++) {
            int to = of[lu->Ui[p]];
            if (to != of[i] && level[to] <= level[of[i]]) level[to] = level[of[i]] + 1, changed = 1;
        }
    }
    return changed;
}

/* Places of the pivots when blocks, `count` of them, are sorted by level. */
static sn_status place_pivots(const sn_lu *lu, int count, const int *of, const int *level, int *position)
{
    int *start = NULL, *size = NULL, *order = NULL;
    if (!SN_NEW(start, count + 1) || !SN_NEW(size, count) || !SN_NEW(order, count)) {
        sn_free(start), sn_free(size), sn_free(order);
        return SN_ERR_MEMORY;
    }
    for (int i = 0; i < lu->n; i++) size[of[i]]++;
    for (int b = 0; b < count; b++) start[level[b] + 1]++;
    for (int l = 0; l < count; l++) start[l + 1] += start[l];
    for (int b = 0; b < count; b++) order[start[level[b]]++] = b;
    for (int k = 0, at = 0; k < count; k++) {
        int b = order[k];
        start[b] = at, at += size[b];
    }
    for (int i = 0; i < lu->n; i++) position[i] = start[of[i]]++;
    sn_free(start), sn_free(size), sn_free(order);
    return SN_OK;
}

sn_status sn_lu_block_order(const sn_lu *lu, int *position, int *found)
{
    const int least = 3, passes = 4;
    int n = lu->n, *of, *level = NULL, count;
    sn_status status = SN_ERR_MEMORY;
    *found = 0;
    if (!SN_NEW(of, n)) goto done;
    count = find_blocks(lu, of);
    status = SN_OK;
    if (n < least * count) goto done;
    if (!SN_NEW(level, count)) {
        status = SN_ERR_MEMORY;
        goto done;
    }
    /* blocks that wait for each other never come to rest, nor go above the count without it */
    for (int k = 0; k < passes && !*found; k++) *found = !raise_levels(lu, of, level);
    if (*found) status = place_pivots(lu, count, of, level, position);
done:
    sn_free(of), sn_free(level);
    return status;
}

/* ---- panels of an order in which blocks follow each other ---- */

static int run_of(const int *cols, int n)
{
    for (int k = 1; k < n; k++)
        if (cols[k] != cols[0] + k) return -1;
    return n ? cols[0] : 0;
}

static sn_status make_block(sn_lu *lu, int first, int n, int *at, int *cols)
{
    sn_lu_blocks *bs = &lu->b;
    int last = first + n - 1, nl = lu->Lp[first + 1] - lu->Lp[first], nu = lu->Up[last + 1] - lu->Up[last];
    int ld = (nl + n + nu + 1) / 2 * 2, *to = bs->cols + *cols;
    if (n > (INT_MAX - *at - 1) / ld) return SN_ERR_NUMERIC;
    memcpy(to, lu->Li + lu->Lp[first], sizeof(int) * (size_t)nl);
    memcpy(to + nl, lu->Ui + lu->Up[last], sizeof(int) * (size_t)nu);
    bs->block[bs->n++] = (sn_lu_block){.first = first,
                                       .n = n,
                                       .nl = nl,
                                       .nu = nu,
                                       .ld = ld,
                                       .at = *at,
                                       .cols = *cols,
                                       .run_l = run_of(to, nl),
                                       .run_u = run_of(to + nl, nu)};
    sn_lu_block *b = &bs->block[bs->n - 1];
    b->chain = n == SN_LU_CHAIN && nl == n && nu == n && b->run_l >= 0 && b->run_u >= 0;
    *at += n * ld, *cols += nl + nu;
    return SN_OK;
}

static double outer_columns(const sn_lu *lu)
{
    double sum = 0;
    for (int i = 0; i < lu->n; i++) {
        if (!i || !alike(lu, i - 1, i)) sum += lu->Lp[i + 1] - lu->Lp[i];
        if (i + 1 == lu->n || !alike(lu, i, i + 1)) sum += lu->Up[i + 1] - lu->Up[i];
    }
    return sum;
}

/* Column of a panel by number of the pivot: position, which holds what is valid for one block only */
static void number_columns(const sn_lu *lu, const sn_lu_block *b, int *position)
{
    const int *cols = lu->b.cols + b->cols;
    for (int k = 0; k < b->nl; k++) position[cols[k]] = k;
    for (int k = 0; k < b->n; k++) position[b->first + k] = b->nl + k;
    for (int k = 0; k < b->nu; k++) position[cols[b->nl + k]] = b->nl + b->n + k;
}

static sn_status make_update(sn_lu *lu, int from, int row, const int *position, int *updates, int *maps)
{
    sn_lu_blocks *bs = &lu->b;
    const sn_lu_block *t = &bs->block[from];
    const int *cols = bs->cols + t->cols + t->nl;
    if (t->nu > INT_MAX - *maps) return SN_ERR_NUMERIC;
    SN_TRY(sn_grow(&bs->update, &bs->update_cap, *updates + 1, sizeof *bs->update));
    SN_TRY(sn_grow(&bs->map, &bs->map_cap, *maps + t->nu, sizeof *bs->map));
    for (int k = 0; k < t->nu; k++) bs->map[*maps + k] = position[cols[k]];
    bs->update[(*updates)++] = (sn_lu_update){.from = from,
                                              .row = row,
                                              .place = position[t->first + row],
                                              .to = run_of(bs->map + *maps, t->nu),
                                              .map = *maps};
    *maps += t->nu;
    return SN_OK;
}

/* Where the entries of A go, and what earlier blocks take off. */
static sn_status connect(sn_lu *lu, int *position, const int *of)
{
    sn_lu_blocks *bs = &lu->b;
    int updates = 0, maps = 0;
    for (int i = 0; i < bs->n; i++) {
        sn_lu_block *b = &bs->block[i];
        number_columns(lu, b, position);
        for (int k = 0; k < b->n; k++)
            for (int p = lu->Rp[b->first + k]; p < lu->Rp[b->first + k + 1]; p++)
                bs->place[p] = b->at + k * b->ld + position[lu->Rj[p]];
        b->update = updates;
        for (int k = 0; k < b->nl; k++) {
            int pivot = bs->cols[b->cols + k], from = of[pivot];
            if (k && of[bs->cols[b->cols + k - 1]] == from) continue;
            SN_TRY(make_update(lu, from, pivot - bs->block[from].first, position, &updates, &maps));
        }
        b->n_update = updates - b->update;
    }
    return SN_OK;
}

/* The columns of a block in a chain as they stand in A, and which row of the panel each of their numbers
   belongs to: tile, if the rows are next to each other there. */
static int find_tile(const sn_lu *lu, const sn_lu_block *b, int *tile)
{
    const int n = b->n, ld = b->ld, first = lu->Rp[b->first], *to = tile + ld;
    int least = lu->row[b->first];
    if (!b->chain || lu->Rp[b->first + n] - first != n * ld) return 0;
    for (int k = 1; k < n; k++) least = lu->row[b->first + k] < least ? lu->row[b->first + k] : least;
    for (int k = 0; k < n; k++) {
        if (lu->row[b->first + k] - least >= n) return 0;
        tile[ld + lu->row[b->first + k] - least] = k;
    }
    for (int r = 0; r < n; r++)
        for (int p = first + to[r] * ld; p < first + (to[r] + 1) * ld; p++) {
            int column = lu->b.place[p] - b->at - to[r] * ld;
            if (r == 0) tile[column] = lu->Ra[p];
            if (lu->Ra[p] != tile[column] + r) return 0;
        }
    return 1;
}

static sn_status find_tiles(sn_lu_blocks *bs, const sn_lu *lu)
{
    int at = 0;
    if (!SN_NEW(bs->tile, (size_t)bs->n * 4 * SN_LU_CHAIN + 1)) return SN_ERR_MEMORY;
    for (int i = 0; i < bs->n; i++) {
        if (!find_tile(lu, &bs->block[i], bs->tile + at)) continue;
        bs->block[i].tile = at + 1;
        at += bs->block[i].ld + bs->block[i].n;
    }
    return SN_OK;
}

sn_status sn_lu_block_plan(sn_lu *lu)
{
    sn_lu_blocks *bs = &lu->b;
    int n = lu->n, cols = 0, *of = NULL, *position = NULL, most = 0;
    double outer = outer_columns(lu);
    sn_status status = SN_ERR_MEMORY;
    if (outer >= INT_MAX) return SN_ERR_NUMERIC;
    if (!SN_NEW(bs->block, n) || !SN_NEW(bs->cols, outer + 1) || !SN_NEW(bs->place, lu->Rp[n] + 1) ||
        !SN_NEW(of, n) || !SN_NEW(position, n))
        goto done;
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && alike(lu, end - 1, end);) end++;
        for (int k = i; k < end; k++) of[k] = bs->n;
        status = make_block(lu, i, end - i, &bs->size, &cols);
        if (status) goto done;
        const sn_lu_block *b = &bs->block[bs->n - 1];
        if (b->nl > most) most = b->nl;
        if (b->nu > most) most = b->nu;
    }
    status = connect(lu, position, of);
    if (!status) status = find_tiles(bs, lu);
    /* a pair may reach over the end of a panel by one number */
    if (!status && (!SN_NEW(bs->panel, bs->size + 2) || !SN_NEW(bs->z, 20 * (size_t)(most + 1))))
        status = SN_ERR_MEMORY;
done:
    sn_free(of), sn_free(position);
    /* the panels and their lists tell what these did */
    sn_free(lu->Li), sn_free(lu->Ui), sn_free(lu->Rj);
    lu->Li = lu->Ui = lu->Rj = NULL;
    lu->Lcap = lu->Ucap = 0;
    return status;
}
