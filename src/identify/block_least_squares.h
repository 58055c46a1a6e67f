/* Least squares with common unknowns p and local unknowns l_i of each block of rows:

       minimise  sum over blocks  w_i | z_i + Jp_i dp + Jl_i dl_i |^2

   Blocks are reduced as they come: what their own unknowns can explain is projected out, and what is left of
   [Jp z] is kept as a triangle. So memory and time are linear in the number of blocks. Pseudo-inverses by
   singular values: where a block, or all blocks together, do not determine their unknowns the step is the
   shortest, in p relative to given scales, in l_i relative to the norms of its columns. */
#ifndef SN_IDENTIFY_BLOCK_LEAST_SQUARES_H
#define SN_IDENTIFY_BLOCK_LEAST_SQUARES_H

#include "base/mem.h"

typedef struct sn_block_ls {
    int np, nl, n;         /* common unknowns, local ones of a block, blocks */
    int rows;              /* most of a block */
    double tolerance;      /* singular values below it times the largest count as zero; 0: rows times eps */
    double *weight;        /* n, 1 at first: of squares */
    int *equations, *rank; /* n: rows that depend on anything; rank of Jl */
    double *norm2;         /* n: |z|^2 left in each block after projection, without weight */
    /* solution */
    double *dp,
        *covariance;  /* np; np x np, of unit variance of rows (directions of the pseudo-inverse only) */
    double *singular; /* np, descending, of the scaled matrix */
    double *loose;    /* np: share of each parameter in what is not determined, 0 to 1 */
    int rank_p;
    double cutoff; /* relative tolerance used for p */
    double cost;   /* sum of squares left by the step (linear prediction) */
    /* of the last block: residual after projection and leverage of its own unknowns, by row */
    double *e, *leverage;
    const double *extra; /* n rows of np: added to the blocks' scores, for the sandwich; or NULL */
    /* kept and scratch */
    double *R, *X, *V, *J, *C, *U, *S, *W, *big;
    int *kept;
} sn_block_ls;

sn_status sn_block_ls_new(int np, int nl, int n, int rows, double tolerance, sn_block_ls **out, sn_err *err);
void sn_block_ls_free(sn_block_ls *a);
/* Block i; Jp: rows x np, Jl: rows x nl, row-major. */
sn_status sn_block_ls_add(sn_block_ls *a, int i, int rows, const double *Jp, const double *Jl,
                          const double *z, sn_err *err);
sn_status sn_block_ls_solve(sn_block_ls *a, const double *scale, sn_err *err);
/* The covariance again, from the residuals themselves: neighbouring blocks may share noise. scale: of the
   squares of residuals. For many blocks in the order of time; where there are few it stays as it is. */
sn_status sn_block_ls_sandwich(sn_block_ls *a, double scale, sn_err *err);
/* dl_i that belongs to dp; its variances (or NULL) for unit variance of rows. */
void sn_block_ls_local(const sn_block_ls *a, int i, const double *dp, double *dl, double *variance);

#endif
