/* LU factors for a fixed order of pivots: planned once, computed often, in rows. See lu.c, lu_plan.c. */
#ifndef SN_LINSOL_LU_H
#define SN_LINSOL_LU_H

#include "base/mem.h"

/* A(row, col) = L diag(d) U with unit L, U: strict parts by rows. All arrays in the order of the pivots. */
typedef struct sn_lu {
    int n;
    int *row, *col;         /* pivot k is A(row[k], col[k]) */
    int *Rp, *Rj, *Ra;      /* rows of A in the order of pivots: columns, and places in Ax */
    int *Lp, *Li, *Up, *Ui; /* columns ascending in a row */
    int Lcap, Ucap;
    double *Lx, *Ux;
    double *d, *di;       /* pivots and their reciprocals */
    double *norm, *unorm; /* 1-norms of the rows of A and of U with its diagonal */
    double *x, *y;        /* scatter row (kept zero), right-hand sides (8 n) */
    int depth;            /* pivots on the longest way from a first one to a last */
    double flops;         /* of a factorisation */
    double growth;        /* of the last one: largest row of |L||dU| over the row of A */
    int doubtful;         /* a pivot of the last one may be all rounding */
} sn_lu;

/* Pattern of the factors. On failure the object is empty; a cleared or zeroed object may be planned or
 * cleared again. */
sn_status sn_lu_plan(sn_lu *lu, int n, const int *Ap, const int *Ai, const int *row, const int *col,
                     sn_err *err);
void sn_lu_clear(sn_lu *lu);

/* The factors of Ax; returns 0 when growth exceeds the limit or something is not finite: they are of no use
   then. Allocates nothing. */
int sn_lu_factor(sn_lu *lu, const double *Ax, double limit);

/* b (n x nrhs) <- A^-1 b, A^-T b. Allocates nothing. */
void sn_lu_solve(sn_lu *lu, int nrhs, double *b);
void sn_lu_solve_rows(sn_lu *lu, int nrhs, double *b); /* b: n rows of nrhs numbers */
void sn_lu_solve_transposed(sn_lu *lu, int nrhs, double *b);

double sn_lu_rcond(const sn_lu *lu); /* ratio of extreme pivots, rows scaled */
double sn_lu_bytes(const sn_lu *lu);

#endif
