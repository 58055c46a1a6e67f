/* Small vibrations about a state: the start, the equilibrium, a steady motion; damped, with what sensors show
   of them and what inputs make of them; and how all of it depends on parameters.

       T(s) z = b,   T(s) = A0 + s A1 + s^2 A2,   z = (y, mu) exp(s t)
       sensors = (Y0 + s Y1 + s^2 Y2) z + direct

   A0, A1, A2 are those of analysis/motion.h, in axes in which they are constant. T(s) z = 0 gives the modes,
   s = -zeta w + i w sqrt(1 - zeta^2); s = i w with a unit input b the frequency response. Rolling, states
   with first-order coordinates, massless ones, friction (L is not B') and redundant equations (left out, with
   mu = 0) have the same form. Sensors are those of the moment: where the axes turn they see the model from
   another side later.

   Matrices are dense: for models of some hundred coordinates. Their derivatives by a parameter, along which
   the state moves by its exact derivative, are sixth-order central differences of the exact matrices
   (along.h); from there on everything is differentiated exactly. */
#ifndef SN_SENSITIVITY_VIBRATION_H
#define SN_SENSITIVITY_VIBRATION_H

#include "analysis/motion.h"

/* A force: that of a number of the model (quantity), or one in the direction of what a channel measures. */
typedef struct sn_vibration_input {
    int quantity, channel; /* -1: it is the other */
} sn_vibration_input;

typedef struct sn_vibration_request {
    sn_run_options run;
    int at_static, at_steady; /* else the start */
    int any_motion;           /* also about a motion whose matrices change with time: those of the moment */
    int n_channel, n_input, np;
    const int *channel;
    const sn_vibration_input *input;
    const int *id; /* np quantities, by which derivatives are wanted */
    double size;   /* of these, where it is more than they are: for the steps of differences; or 0 */
} sn_vibration_request;

/* Matrices by columns (n x n), rows of channels (n each), columns of inputs (n each), direct (channels x
   inputs); all in one row x. */
typedef struct sn_vibration_matrices {
    double *x, *A[3], *Y[3], *b, *direct;
} sn_vibration_matrices;

typedef struct sn_vibration {
    sn_arena arena;
    const sn_model *m;
    int n, nv, n_channel, n_input, np;
    sn_vibration_matrices at, *by; /* by: np of them; x NULL: nothing depends on the parameter */
    int rolling;                   /* some equation is at velocity level */
    sn_steadiness what;
    char with[SN_NAME_SIZE]; /* what the axes turn with, or "" */
    sn_run_options run;
    sn_info info;
    sn_context d; /* m NULL: not open */
    sn_motion *motion;
} sn_vibration;

/* p must live as long. SN_ERR_INPUT: the request makes no sense, as a motion that is not steady. */
sn_status sn_vibration_new(const sn_model *m, const sn_values *p, const sn_vibration_request *r,
                           sn_vibration **out, sn_err *err);
void sn_vibration_free(sn_vibration *v);

/* ---- modes ---- */

typedef struct sn_oscillation {
    double complex s, *z; /* z: n, multipliers not yet in it; shown in y */
    double complex *y;    /* channels */
} sn_oscillation;

/* By |s|: modes that oscillate (Im s > 0, not zero but for rounding), or with `all` also those that only grow
   or decay (s real, not zero). */
typedef struct sn_oscillations {
    int n, freedom; /* freedom: degrees of it */
    sn_oscillation *mode;
} sn_oscillations;
sn_status sn_vibration_modes(const sn_vibration *v, sn_arena *arena, int all, sn_oscillations *out,
                             sn_err *err);

/* What channels show of z, with the matrices by (at, or a derivative): added to y. */
void sn_vibration_show(const sn_vibration *v, const sn_vibration_matrices *by, double complex s,
                       const double complex *z, double complex *y);

/* A mode to the last digit, with those that coincide with it, and its derivatives. */
typedef struct sn_mode_jet {
    int k, which;          /* modes that coincide (1: it is alone), and which of them it is */
    double complex s, *ds; /* np */
    double complex *y;     /* k rows of channels: what sensors show of each */
    double complex *dy;    /* np times these: with a normalisation of its own */
    double complex *z;     /* k rows of n */
} sn_mode_jet;

/* mode: number in the list; its jet in the arena. derivatives 0: ds and dy are not made. SN_ERR_NUMERIC: as
   of a defective eigenvalue, which has no derivative. */
sn_status sn_vibration_jet(const sn_vibration *v, sn_arena *arena, const sn_oscillations *all, int mode,
                           int derivatives, sn_mode_jet *out, sn_err *err);

/* Growth and circular frequency of the options' n lowest eigenvalues, two numbers each. */
sn_status sn_eigenvalue_values(const sn_model *m, const sn_values *p, const sn_mode_options *o, double *value,
                               sn_err *err);

/* ---- frequency response ---- */

typedef struct sn_response sn_response;
sn_status sn_response_new(const sn_vibration *v, sn_response **out, sn_err *err);
void sn_response_free(sn_response *r);
/* H: channels x inputs at circular frequency w; dH: np times these, or NULL. */
sn_status sn_response_at(sn_response *r, double w, double complex *H, double complex *dH, sn_err *err);

#endif
