/* Rows of the direct methods: z of one window of instants (one, or the two of a pair), its derivatives by
   parameters and by the window's own unknowns, weighted. */
#ifndef SN_IDENTIFY_ROWS_H
#define SN_IDENTIFY_ROWS_H

#include "identify/direct.h"
#include "system/parameter_chain.h"

typedef struct sn_rows {
    const sn_model *m;
    const sn_direct_options *o;
    const sn_instants *at;
    int np, width, n; /* instants in a window, windows */
    const int *unknown;
    int n_unknown;
    int nl; /* own unknowns of a window: lam and axial forces of each instant, then theta0, theta1,
               a0, a1 of each unknown coordinate */
    double force, moment; /* deviations of rows now */
    /* at the parameters at hand */
    sn_work *w;
    sn_parameter_chain *c;
    sn_state *x;
    double *Cx, *Mx, *one, *zero;
    /* of the window: rows in the order [phi; r] of each instant */
    double *Jp, *Jl, *z, *raw; /* raw: r without weights, width rows of nv */
    double *plain;             /* z without weights */
    double *F, *cov;           /* n x np; n x n */
    double violation;
} sn_rows;

sn_status sn_rows_open(sn_rows *s, sn_err *err);
void sn_rows_close(sn_rows *s);
/* New parameters. */
sn_status sn_rows_values(sn_rows *s, const sn_values *p, int np, const int *id, sn_err *err);
/* Window i with its own unknowns l. */
sn_status sn_rows_fill(sn_rows *s, int i, const double *l, sn_err *err);
/* plain' V^-1 plain of given numbers with the weights of window i at the parameters at hand. */
sn_status sn_rows_misfit(sn_rows *s, int i, const double *l, const double *plain, double *out, sn_err *err);
/* Start of the own unknowns from the data. */
void sn_rows_start(const sn_rows *s, int i, double *l);
/* q, v, a of unknown coordinate k at instant j of the window. */
void sn_rows_cubic(const sn_rows *s, int i, int j, int k, const double *l, double y[3]);
/* The element's own axial force at instant j of window i, where it has one. */
double sn_rows_axial(sn_rows *s, int i, int j, int element, const double *l);
/* Whether row r of a window is a force (0), a moment (1) or an equation (2). */
int sn_rows_class(const sn_rows *s, int r);

#endif
