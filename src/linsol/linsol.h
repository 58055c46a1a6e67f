/* Sparse linear systems A x = b with a fixed pattern: analyse once, factor often, solve plain and transposed.
 */
#ifndef SN_LINSOL_LINSOL_H
#define SN_LINSOL_LINSOL_H

#include "base/mem.h"
#include "base/team.h"
#include "sinew/integrator.h"

/* One solver. An object is not for two threads at once: solve uses scratch in it. */
typedef struct sn_linsol_class {
    const char *name, *doc;
    /* Load the library behind it; analyse does so too. NULL: there is nothing to load. */
    sn_status (*load)(sn_err *err);
    /* Compressed columns, row indices sorted, no duplicates. Ap and Ai must outlive the solver. */
    sn_status (*analyse)(int n, const int *Ap, const int *Ai, void **self, sn_err *err);
    /* Numerical factors of Ax. Uses the old pivots where they are still good, and then allocates nothing (a
       library behind it may). A zero pivot is replaced by one of the size of rounding; where no order of
       pivots is found returns SN_ERR_NUMERIC and *column (may be NULL) is the offending column, or -1. */
    sn_status (*factor)(void *self, const double *Ax, int *column, sn_err *err);
    /* b (n x nrhs, leading dimension n) <- A^-1 b or A^-T b. SN_ERR_BUG without factors. */
    sn_status (*solve)(void *self, int transposed, int nrhs, double *b);
    /* The same, plain, faster, where the last bits of a column may depend on those beside it; NULL: there is
     * no such way. */
    sn_status (*solve_together)(void *self, int nrhs, double *b);
    /* The same, plain, with b as n rows of nrhs numbers; NULL: by the wrapper. */
    sn_status (*solve_rows)(void *self, int nrhs, double *b);
    void (*release)(void *self);
    /* A team for factors, with the same bits for any size of it; NULL: the class has no use for one. */
    void (*share)(void *self, sn_team *team);
    double (*growth)(void *self);   /* of the backward error in the last factors, 1: none; NULL: not known */
    int (*doubtful)(void *self);    /* a pivot is so small that it may be all rounding */
    double (*rcond)(void *self);    /* cheap estimate of the reciprocal condition; NULL: by the wrapper */
    double (*flops)(void *self);    /* of a factorisation; before the first one an estimate; 0 unknown */
    double (*nonzeros)(void *self); /* of the factors, likewise */
    double (*bytes)(void *self);    /* memory held, about */
    void (*forget)(void *self);     /* the pivots: the next factorisation chooses them afresh; or NULL */
    void (*renew)(void *self);      /* as after analyse; NULL: that is made again */
    long (*repivoted)(void *self);  /* how often old pivots had to be given up; may be NULL */
    /* Negative eigenvalues of a symmetric matrix, counted by L D L' with pivots of one and two rows; NULL: it
       cannot. There are no factors afterwards. */
    sn_status (*count_negative)(void *self, const double *Ax, int *negative, sn_err *err);
} sn_linsol_class;

/* NULL-terminated, from linsol/list.h; the first is the default. */
const sn_linsol_class *const *sn_linsol_all(void);
const sn_linsol_class *sn_linsol_find(const char *name); /* NULL when there is none */

/* Dispatch, counts, refinement. */
struct sn_linsol {
    const sn_linsol_class *cls;
    void *self;
    int n;
    int automatic;                /* the first factorisation may still choose another class */
    const sn_linsol_class *first; /* when it was new, and whether it was automatic then */
    int first_automatic;
    const int *Ap, *Ai;
    const double *Ax; /* of the last factorisation (borrowed); NULL when there are no factors */
    double *work;     /* 4 n, for refinement, the null vector, the condition estimate */
    sn_team *team;    /* or NULL */
    long factorisations, refactorisations_failed, solves; /* solves: right-hand sides */
};

/* name NULL or "auto": klu, but multifrontal where n > 2000 and flops per factor nonzero exceed 40, first by
   klu's estimate, then as measured on the first factorisation. */
sn_status sn_linsol_new(const char *name, int n, const int *Ap, const int *Ai, sn_linsol **out, sn_err *err);
void sn_linsol_free(sn_linsol *ls); /* NULL is fine */
/* Factors by a team from now on, which must outlive the solver. */
void sn_linsol_share(sn_linsol *ls, sn_team *team);
/* As it was when it was new: what follows does not depend on the matrices before. The analysis of the pattern
   is kept where the class can. */
sn_status sn_linsol_renew(sn_linsol *ls, sn_err *err);
/* Plain, b: n rows of nrhs numbers. Each column is the same whatever stands beside it. */
sn_status sn_linsol_solve_rows(sn_linsol *ls, int nrhs, double *b);
/* How much of the backward error is due to the pivots; 1 where that is not known. */
double sn_linsol_growth(const sn_linsol *ls);
/* With one step of iterative refinement (needs the Ax of the last factor call unchanged). */
sn_status sn_linsol_solve_refined(sn_linsol *ls, int transposed, int nrhs, double *b);
/* Plain, up to SN_LINSOL_TOGETHER columns at once: faster where factors are wide, but the last bits of a
   column may depend on those beside it. */
enum { SN_LINSOL_TOGETHER = 4 };
sn_status sn_linsol_solve_together(sn_linsol *ls, int nrhs, double *b);
sn_status sn_linsol_solve_together_refined(sn_linsol *ls, int nrhs, double *b);
/* Reciprocal condition, an estimate by the class or Hager's in the 1-norm; 0 when there are no factors. */
double sn_linsol_rcond(sn_linsol *ls);

/* How many eigenvalues of a symmetric matrix are negative (Sylvester's law of inertia). */
sn_status sn_linsol_inertia(int n, const int *Ap, const int *Ai, const double *Ax, int *negative,
                            sn_err *err);
/* The same for a matrix with the pattern of ls, whose analysis serves for it where it can: there are no
   factors in ls afterwards. */
sn_status sn_linsol_count_negative(sn_linsol *ls, const double *Ax, int *negative, sn_err *err);

#endif
