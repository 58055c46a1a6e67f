/* Curves of equilibria F(u, s) = 0, u = (q, lam), and points on them: what paths, buckling and statics behind
   a limit point share. s is the load factor, or runs from 0 to 1 while a parameter goes from one value to
   another. */
#ifndef SN_ANALYSIS_PATH_H
#define SN_ANALYSIS_PATH_H

#include "analysis/tangent.h"

typedef struct sn_curve {
    sn_context *d; /* its values are p, where a parameter moves */
    sn_tangent t;
    sn_values *p;    /* own; NULL: the load factor */
    int id;          /* the parameter */
    double from, to; /* of it; the load factor: 0, 1 */
    double *f0;      /* n: residual at the start, for the load factor */
    double *F, *Fs;  /* n each: the equations and dF/ds at the last evaluation */
    double *a, *b;   /* n + 1: solutions */
    double left;     /* the largest force out of balance over the largest force, at the last evaluation */
    double moved;    /* the length of all corrections, of the last that was asked for */
    unsigned char *dropped;
} sn_curve;

/* A point of a curve, and its tangent: du and ds of unit length, dq and ds counted. */
typedef struct sn_curve_point {
    double s, arc;
    double *q, *lam; /* nq + 1, m + 1 */
    double *u;       /* n + 1: tangent */
    double us;
    int negative; /* directions of instability; -1: not known */
} sn_curve_point;

/* d->x: where the curve is to begin; parameter NULL: the load factor, whose curve begins at s = 0 there. Else
   d must have been opened with the values p, which become the curve's. */
sn_status sn_curve_open(sn_context *d, const char *parameter, sn_values *p, sn_curve *c, sn_err *err);
void sn_curve_close(sn_curve *c);                   /* but not p */
double sn_curve_value(const sn_curve *c, double s); /* of the parameter */

sn_status sn_curve_point_new(const sn_model *m, sn_curve_point *x, sn_err *err);
void sn_curve_point_free(sn_curve_point *x);
void sn_curve_point_copy(const sn_model *m, const sn_curve_point *from, sn_curve_point *to);

/* F, dF/ds and factors of dF/du at the context's state. */
sn_status sn_curve_eval(sn_curve *c, double s, sn_err *err);
/* The same at s = 0; whether freedoms are neutral is decided here, once for all. */
sn_status sn_curve_hold(sn_curve *c, sn_err *err);
/* The mean square measure of increments, lengths relative to the model's. */
double sn_curve_dot(const sn_curve *c, const double *x, const double *y);
/* The context's state, near the curve, is led onto it: with s fixed (u NULL), or at right angles to (u, us).
 *s becomes that of the point, *iterations how many it took. SN_ERR_NUMERIC: no convergence. */
sn_status sn_curve_correct(sn_curve *c, const double *u, double us, double *s, int *iterations, sn_err *err);
/* Tangent at the context's state, which is on the curve, in the direction of (u, us); and the number of
   unstable directions. */
sn_status sn_curve_tangent(sn_curve *c, const double *u, double us, sn_curve_point *x, sn_err *err);
/* From x along its tangent by h, to y. */
sn_status sn_curve_step(sn_curve *c, const sn_curve_point *x, double h, sn_curve_point *y, int *iterations,
                        sn_err *err);
/* The direction (nv, unit measure) that resists least at the context's state, where the factors are: by
   inverse iteration. Returns its stiffness relative to W. */
sn_status sn_curve_critical(sn_curve *c, double *phi, double *lambda, sn_err *err);
/* The start of a curve, at s: x from the context's state. */
sn_status sn_curve_begin(sn_curve *c, double s, sn_curve_point *x, sn_err *err);

#endif
