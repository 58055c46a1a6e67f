/* Which numbers of which objects move with a set of parameters, and how much: the chain rule through the
   quantities, worked out once (and again at each time for what varies with it).

   A direction is the derivative of something by each of the np parameters: np numbers side by side. So a
   matrix of derivatives has the rows of its vector and np columns, row-major. */
#ifndef SN_SYSTEM_TOUCH_H
#define SN_SYSTEM_TOUCH_H

#include "system/system.h"

/* One number of one object: a slot, a reference coordinate, a component of the field, indexed as dparam does;
   `host` further on also the numbers of the element a load lies on. `row` is its direction, of which only the
   n parameters in `which` can be other than zero. */
typedef struct sn_touched {
    int object, index, host;         /* host: the index counts the numbers of the host */
    const double *row, *row1, *row2; /* of the value and (joints; NULL: none) of its time derivatives */
    const int *which;
    int n;
} sn_touched;

enum { SN_TOUCH_ELEMENT, SN_TOUCH_JOINT, SN_TOUCH_SENSOR, SN_TOUCH_FAMILIES };

typedef struct sn_touch {
    sn_arena arena;
    const sn_model *m;
    const sn_values *p;
    int np, *id;
    double *D, *D1, *D2;    /* directions of quantities and, behind them, signals; of their rates (or NULL) */
    double *dX, *dq0, *dv0; /* of reference coordinates (nq), of the start as written (nv) */
    sn_touched *list[SN_TOUCH_FAMILIES];
    int n[SN_TOUCH_FAMILIES];
    int *first[SN_TOUCH_FAMILIES]; /* where each object's numbers begin in the list; objects + 1 */
    unsigned char *used;           /* np: something moves with it */
    int *varying, n_varying;       /* quantities and signals whose direction depends on time */
    double *block[4], *column;     /* scratch: one object's derivatives of a sensor */
} sn_touch;

/* id: quantities, constant in time. */
sn_status sn_touch_new(const sn_model *m, const sn_values *p, int np, const int *id, sn_touch **out,
                       sn_err *err);
void sn_touch_free(sn_touch *c);
/* Directions at the time of the work. */
void sn_touch_time(sn_touch *c, const sn_work *w, double t);

/* f (n rows, np columns) += factor times the derivative of [r; phi] at the state; rows of r times `row`. */
sn_status sn_system_dparam(sn_work *w, const sn_state *x, const sn_touch *c, double row, double *f,
                           sn_err *err);
/* g (np) += z' times the same, z of n numbers. */
sn_status sn_system_dparam_transposed(sn_work *w, const sn_state *x, const sn_touch *c, double row,
                                      const double *z, double *g, sn_err *err);

#endif
