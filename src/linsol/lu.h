/* LU factors for a fixed order of pivots: planned once, computed often, in rows. See lu.c, lu_plan.c. */
#ifndef SN_LINSOL_LU_H
#define SN_LINSOL_LU_H

#include "base/mem.h"

/* Pivots first .. first + n - 1 whose rows have the same columns outside: nl before and nu behind. Their rows
   lie in a panel of n rows of ld numbers: the nl of L, the n of the block, the nu of U. */
typedef struct sn_lu_block {
    int first, n, nl, nu, ld;
    int at, cols;     /* where the panel begins; where its nl + nu outer columns are listed */
    int run_l, run_u; /* first of the columns of L and of U where they follow each other, else -1 */
    int update, n_update;
    int chain; /* between neighbours of the same size, SN_LU_CHAIN, all in runs */
    int tile;  /* 1 + where it is listed: where each of its columns begins in Ax, and the rows of its numbers
                  there; 0: they are no runs */
} sn_lu_block;

enum { SN_LU_CHAIN = 6 };

/* What block `from` takes off a panel, by its pivots from `row` on, which are the panel's columns from
   `place`; its columns of U are the panel's from `to` on or, with to < 0, those in `map`. */
typedef struct sn_lu_update {
    int from, row, place, to, map;
} sn_lu_update;

/* Numbers in panels: see lu_block.c. */
typedef struct sn_lu_blocks {
    int n; /* 0: the numbers are in rows */
    sn_lu_block *block;
    sn_lu_update *update;
    int *cols, *map, *place; /* see above; of the entries of A, in the order of Ra, in the panels */
    int *tile;               /* see above */
    double *panel, *z;       /* numbers; outer unknowns of one block, 20 each */
    int update_cap, map_cap, size;
} sn_lu_blocks;

/* A(row, col) = L diag(d) U with unit L, U: strict parts by rows. All arrays in the order of the pivots. */
typedef struct sn_lu {
    int n;
    int *row, *col;         /* pivot k is A(row[k], col[k]) */
    int *Rp, *Rj, *Ra;      /* rows of A in the order of pivots: columns, and places in Ax */
    int *Lp, *Li, *Up, *Ui; /* columns ascending in a row; Li, Ui, Rj are freed where there are panels */
    int Lcap, Ucap;
    double *Lx, *Ux;
    double *d, *di;       /* pivots and their reciprocals */
    double *norm, *unorm; /* 1-norms of the rows of A and of U with its diagonal */
    double *x, *y;        /* scatter row (kept zero), right-hand sides (8 n, with panels 20 n) */
    sn_lu_blocks b;
    int depth;     /* pivots on the longest way from a first one to a last */
    double flops;  /* of a factorisation */
    double growth; /* of the last one: largest row of |L||dU| over the row of A */
    int doubtful;  /* a pivot of the last one may be all rounding */
} sn_lu;

/* Pattern of the factors. On failure the object is empty; a cleared or zeroed object may be planned or
 * cleared again. */
sn_status sn_lu_plan(sn_lu *lu, int n, const int *Ap, const int *Ai, const int *row, const int *col,
                     sn_err *err);
void sn_lu_clear(sn_lu *lu);
sn_status sn_lu_too_large(int n, sn_err *err); /* the report: indices are ints */

/* lu_block_plan.c: an order of pivots in which those of a block follow each other (position of each; *found
   0: rows are better); the panels of such an order. */
sn_status sn_lu_block_order(const sn_lu *lu, int *position, int *found);
sn_status sn_lu_block_plan(sn_lu *lu);
void sn_lu_block_clear(sn_lu_blocks *b);

/* The factors of Ax; returns 0 when growth exceeds the limit or something is not finite: they are of no use
   then. Allocates nothing. */
int sn_lu_factor(sn_lu *lu, const double *Ax, double limit);

/* b (n x nrhs) <- A^-1 b, A^-T b. Allocates nothing. */
void sn_lu_solve(sn_lu *lu, int nrhs, double *b);
void sn_lu_solve_rows(sn_lu *lu, int nrhs, double *b); /* b: n rows of nrhs numbers */
void sn_lu_solve_transposed(sn_lu *lu, int nrhs, double *b);

/* The same with panels. */
int sn_lu_block_factor(sn_lu *lu, const double *Ax, double limit);
void sn_lu_block_solve(sn_lu *lu, double *b);
void sn_lu_block_solve_rows(sn_lu *lu, int nrhs, double *b);
void sn_lu_block_solve_transposed(sn_lu *lu, double *b);

double sn_lu_rcond(const sn_lu *lu); /* ratio of extreme pivots, rows scaled */
double sn_lu_bytes(const sn_lu *lu);

#endif
