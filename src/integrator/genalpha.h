/* Inside of the generalized-alpha integrator: the step (genalpha.c) and its derivatives (genalpha_d.c). */
#ifndef SN_INTEGRATOR_GENALPHA_H
#define SN_INTEGRATOR_GENALPHA_H

#include "integrator/integrator.h"
#include "integrator/corotated_factors.h"
#include "system/dstate.h"
#include "system/object_blocks.h"

enum { AM, AF, GAMMA, BETA, DM, DF, EPS, COEFFICIENTS };

/* A state's own vectors: A, and its change over the step that led there */
enum { OWN_A, OWN_JUMP, OWN_COUNT };

enum { ORDERS = 3 };

enum { SN_GENALPHA_SECANTS = 8, SN_GENALPHA_CORRECTIONS = 12, SN_GENALPHA_BLOCKS = 2 };
#define SN_GENALPHA_FAR      0.5   /* corrections of half the model or half a radian: another solution */
#define SN_GENALPHA_ROUNDING 4e-15 /* increments below this are all rounding */

typedef struct genalpha {
    sn_work *w;
    sn_linsol *ls;
    sn_corotated *corotated;
    const sn_run_options *o;
    sn_info *info;
    double c[COEFFICIENTS];
    double h; /* of the columns' factors */
    int factors;
    double h_factors;                        /* with `factors`: the step they were made for */
    double *one, *cv, *ca, *cA;              /* nv + 1: columns' factors of K, C, M, and dA/dd */
    double *d, *b;                           /* increment of the step; right-hand side and solution */
    double *size;                            /* nv: increments are judged times this */
    double *noise;                           /* n: what rounding alone makes of the residual, where `noisy` */
    int noisy;                               /* 1: Newton's iteration has been seen to stall, 2: measured */
    double *A[ORDERS - 1], *lam[ORDERS - 1]; /* of the steps before */
    int history, order;                      /* steps in it; order of extrapolation */
    double *A0, *v0;                         /* of the state the step begins with, for its size */
    double *jump[2];                         /* change of A over the last step, and over the one before */
    double h_jump[2];                        /* sizes of these steps */
    double C_error, D_error; /* local errors: C h^2 (change of A), D h (second difference of w) */
    double eta;              /* theta/(1-theta) by factors of steps before: what one leaves over */
    int factor_steps, factor_iterations; /* steps made with the factors, their iterations */
    int refactor_next;                   /* a step with new ones will be cheaper */
    int worst;                           /* coordinate of the largest correction */
    double time;                         /* clock at the last lap */
    sn_object_blocks *blocks;            /* of the matrix at the end of the step, for derivatives; or NULL */
    double rate[2];                      /* exact: worst contraction by old and by new factors */
    /* six digits: contraction after each correction by old factors, of increments and multipliers; 0: not
       known */
    double later[SN_GENALPHA_CORRECTIONS], later_multipliers[SN_GENALPHA_CORRECTIONS];
    double multiplier_weight;       /* exact: of multipliers in products of corrections */
    int refactor_steps;             /* exact: steps that begin with new factors */
    int distrust_steps;             /* exact: steps in which expectations are not trusted */
    double *secant;                 /* corrections of the iteration, n + 1 each; NULL unless exact */
    double *y, *u, *s, *rhs, *left; /* scratch of the derivatives, `columns` numbers a row */
    double *maps;                   /* likewise: T and T^-1 E of nodes that are not flat */
    int columns;
    double stiffer;       /* alpha has this factor more, where gaps close slowly */
    double *soft, *given; /* m: 1/(alpha h^2) of each equation, see genalpha_equations.c; scratch; or NULL */
    unsigned char *all;   /* m zeros: no equation is left out */
    unsigned char *left_out; /* while all take part: those of the work, and their number */
    int n_left_out;
} genalpha;

/* Residual at x1 and, with refresh, factors of its matrix; SN_GENALPHA_BLOCKS: s->blocks as well. */
sn_status sn_genalpha_evaluate(genalpha *s, const sn_state *x1, int refresh, sn_err *err);
/* The same as iteration `it` of a step: in the first one the scale of forces is measured, and factors of a
   step before are turned along with the motion. */
sn_status sn_genalpha_look(genalpha *s, const sn_state *x1, int it, int refresh, sn_err *err);
/* s->b: Newton's correction by the factors at hand; and apply it: its size, or NAN when something is not
   finite. */
sn_status sn_genalpha_solve(genalpha *s);
double sn_genalpha_apply(genalpha *s, const sn_state *x0, sn_state *x1);
/* The equations of the step to rounding, and factors at its end, from the start of the iteration in x1; 0:
   does not converge. */
int sn_genalpha_converge(genalpha *s, const sn_state *x0, sn_state *x1);
/* Of a step solved nearly so far: the factors and what is left to correct; 0: diverges. */
int sn_genalpha_linearise(genalpha *s, const sn_state *x0, sn_state *x1);
/* After a step of so many iterations: one with new factors will be cheaper. */
int sn_genalpha_factors_outdated(const genalpha *s, int iterations);
/* Columns' factors for a step size, if it is another one. */
void sn_genalpha_set_step(genalpha *s, double h);
/* A step of size h from x0 begins with A0 + *kA jump, v0 + *kv jump (kA of coordinates of second and of first
   order). */
void sn_genalpha_moved(const genalpha *s, const sn_state *x0, double h, double *kA, double *kA1, double *kv);

/* ---- how equations are met: genalpha_equations.c; without `soft` these do nothing ---- */

sn_status sn_genalpha_equations_open(genalpha *s, const sn_integration *in, sn_err *err);
/* Between the two all equations take part, also those that the start has left out. */
void sn_genalpha_all_equations(genalpha *s);
void sn_genalpha_own_equations(genalpha *s);
/* Residual and (with matrix) matrix at hand become those of phi - (lam - lam*)/alpha. */
void sn_genalpha_soften(genalpha *s, const sn_state *x1, int matrix);
/* How far gaps are closed, relative to the model's size, from correction to correction. */
typedef struct sn_closing {
    double left;
    int stiffer; /* new factors are needed: alpha has grown */
} sn_closing;
/* After the correction in s->b. Gaps closed: nothing that is worth another iteration is left. */
int sn_genalpha_closed(genalpha *s, sn_closing *c);
/* x (n rows of columns; transposed: one column) <- S^-1 x, S without alpha where multipliers follow, by the
   factors at hand; solve makes one solution by them. motion: of the size that rounding in x comes from. */
sn_status sn_genalpha_follow(genalpha *s, int columns, double motion, double *x,
                             sn_status (*solve)(genalpha *s, int columns), sn_err *err);

/* By how much constraints may turn in a step. */
double sn_genalpha_turn(void *self);

sn_status sn_genalpha_begin_forward(void *self, const sn_state *x, sn_parameter_chain *c, sn_dstate *d,
                                    sn_err *err);
sn_status sn_genalpha_forward(void *self, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                              const sn_dstate *d0, sn_dstate *d1, sn_err *err);
sn_status sn_genalpha_adjoint(void *self, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                              sn_dstate *b, double *g, sn_err *err);

#endif
