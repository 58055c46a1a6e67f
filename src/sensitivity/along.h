/* Derivatives along a parameter of what no kind differentiates (its tangent): a row of numbers made of exact
   matrices, at the state that moves by its exact derivative with the parameter, by sixth-order central
   differences. Those of fourth order on the same points tell how good they are: where the two differ by more
   than 1e-7, so that some 1e-11 would be lost, steps are smaller. */
#ifndef SN_SENSITIVITY_ALONG_H
#define SN_SENSITIVITY_ALONG_H

#include "analysis/analysis.h"
#include "system/dstate.h"

typedef struct sn_along {
    sn_context *d; /* at the state */
    size_t n;      /* numbers in the row */
    double size;   /* of parameters, where it is more than they are; or 0 */
    /* The row (zeros before) at state x with the values of w. */
    sn_status (*fill)(void *ctx, sn_work *w, const sn_state *x, double *row, sn_err *err);
    void *ctx;
    /* made by open */
    sn_where at;
    const int *id;
    sn_parameter_chain *chain; /* used[k]: whether anything depends on parameter k */
    sn_dstate *dx;
    sn_state *x;
    double *row, *low, *top, *best; /* n each: at a point; of fourth order; sizes; the last step's */
} sn_along;

/* at: what the context's state is; a steady motion is found anew at each point, others move by their exact
   derivatives. np quantities id. To be closed even where it fails. */
sn_status sn_along_open(sn_along *a, sn_where at, int np, const int *id, sn_err *err);
void sn_along_close(sn_along *a);
/* out (n numbers, zeros before): the derivative by parameter k. */
sn_status sn_along_parameter(sn_along *a, int k, double *out, sn_err *err);

#endif
