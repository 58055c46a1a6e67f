/* Multifrontal factors of sparse matrices: dense fronts along the elimination tree.

   A front has the rows and columns that one group of pivots touches. Its first columns are fully summed: they
   can be eliminated. The rest, the border, is what they leave to the parent. */
#ifndef SN_LINSOL_FRONT_H
#define SN_LINSOL_FRONT_H

#include "base/mem.h"
#include "base/team.h"

/* The order of elimination and its tree, from the pattern and from where the diagonal is weak. */
typedef struct sn_front_plan {
    int n, fronts;
    const int *Ap, *Ai;
    int *Rp, *Rj, *Rsrc;      /* the same by rows; place of each entry in the columns */
    int symmetric;            /* the pattern */
    int *position, *variable; /* of each variable in the order of elimination, and back */
    int *first;               /* fronts + 1: front f eliminates the positions from first[f] on */
    int *parent;              /* -1 at a root */
    int *oldest;              /* first front of the subtree that ends with each front */
    int *child_at, *child;    /* of each front, in order */
    size_t *border_at;
    int *border;            /* positions, ascending */
    double flops, nonzeros; /* estimates without delayed pivots, unsymmetric */
    double *cost;           /* flops of each front */
} sn_front_plan;

/* size: of each entry of the scaled matrix. */
sn_status sn_front_plan_new(sn_front_plan *p, int n, const int *Ap, const int *Ai, const double *size);
void sn_front_plan_free(sn_front_plan *p);

/* One front with its factors: A = L D U, pivots of one or two rows. In L below the pivots are those of L; on
   and above them D and D U, or nothing of it where the matrix is symmetric. */
typedef struct sn_front {
    int n, summed, pivots; /* rows; columns that are fully summed; those that are eliminated */
    int *col, *row;        /* positions; the same but for what a root exchanges */
    unsigned char *pair;   /* of each pivot: 2 begins a pivot of two rows, 1 ends it */
    double *L;             /* n x summed */
    double *W;             /* (n - summed) x summed: the rows of D U, transposed; NULL: symmetric */
    double *C;             /* (n - summed)^2: what is left for the parent */
    void *block;           /* the memory of all but C */
} sn_front;

/* What the elimination of a front found. */
typedef struct sn_front_found {
    int negative; /* pivots, or eigenvalues of those of two rows */
    int doubtful; /* a pivot that may be all rounding */
} sn_front_found;

/* Eliminates what can be with multipliers below 1/SN_FRONT_THRESHOLD, at a root everything; work: n x 16
   numbers. C stays. */
#define SN_FRONT_THRESHOLD 0.01
void sn_front_eliminate(sn_front *f, int root, double *work, sn_front_found *found);
enum { SN_FRONT_PANEL = 16 };
/* The columns of C from `from` to `to` less their products; work: 48 x pivots numbers. */
void sn_front_complete(sn_front *f, int from, int to, double *work);
enum { SN_FRONT_STRIP = 48 };

/* C -= A B', C (m x n), A (m x k), B (n x k), by columns with leading dimensions. Each number is the same
   whatever the size of the product it is in. A and B are read up to SN_FRONT_BEYOND numbers beyond their
   ends. */
enum { SN_FRONT_BEYOND = 8 };
typedef struct sn_part {
    double *x;
    size_t ld;
} sn_part;
void sn_front_subtract(sn_part C, sn_part A, sn_part B, int m, int n, int k);
/* The lower triangle of C alone (n x n and m - n rows below it). */
void sn_front_subtract_lower(sn_part C, sn_part A, sn_part B, int m, int n, int k);

/* Blocks of memory that are used again. */
typedef struct sn_front_pool sn_front_pool;
sn_front_pool *sn_front_pool_new(void);
void sn_front_pool_free(sn_front_pool *p);
void *sn_front_take(sn_front_pool *p, size_t bytes); /* not cleared; NULL: out of memory */
void sn_front_give(sn_front_pool *p, void *block);   /* NULL is fine */
double sn_front_bytes(const sn_front_pool *p);

/* The factors of a matrix. */
typedef struct sn_fronts {
    sn_front_plan plan;
    sn_front *front;
    sn_front_pool *pool;
    sn_team *team; /* NULL: one thread */
    double *r, *c; /* scale factors of rows and columns, powers of two */
    int symmetric; /* the last factors */
    int negative, doubtful;
    double nonzeros, flops;
} sn_fronts;

/* With `symmetric` the matrix is taken for symmetric; without it that is found out. */
sn_status sn_fronts_factor(sn_fronts *s, const double *Ax, int symmetric);
/* b (n x nrhs) <- A^-1 b or A'^-1 b; work: 3 n numbers. */
void sn_fronts_solve(const sn_fronts *s, int transposed, int nrhs, double *b, double *work);

#endif
