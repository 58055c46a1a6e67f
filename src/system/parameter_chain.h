/* The parameter chain: which numbers of which objects move with a set of parameters, and how much. The chain
   rule through the quantities, worked out once (and again at each time for what varies with it).

   Directions are sparse: a number that one of 10,000 parameters moves costs as much as with one parameter.
   Matrices of derivatives have the rows of their vector and np columns, row-major. */
#ifndef SN_SYSTEM_PARAMETER_CHAIN_H
#define SN_SYSTEM_PARAMETER_CHAIN_H

#include "system/system.h"

/* The derivative of something by the parameters: the n it moves with, ascending, and their weights. What
   varies with time moves with others (at most cap) at another time, and has weights of its first and, cap
   further on, its second time derivative. */
typedef struct sn_chain_direction {
    int n, cap;
    int *which;
    double *w, *rate; /* rate: NULL where it is constant */
} sn_chain_direction;

/* One number of one object: a slot, a reference coordinate, a component of the field, indexed as dparam does;
   `host` further on also the numbers of the element a load lies on. */
typedef struct sn_moved_number {
    int object, index, host; /* host: the index counts the numbers of the host */
    int together;            /* it is in a sn_moved_group */
    const sn_chain_direction *d;
} sn_moved_number;

/* Constant numbers of one element that are differentiated together: n rows of weights, as dtogether takes
   them, and what each is the derivative by. Rows are numbers, or parameters where these are fewer. */
typedef struct sn_moved_group {
    int object, n;
    const double *ds;
    const sn_chain_direction *const *d;
} sn_moved_group;

enum { SN_MOVED_ELEMENT, SN_MOVED_JOINT, SN_MOVED_SENSOR, SN_MOVED_FAMILIES };

enum { SN_MOMENTUM_SCRATCH = 11 }; /* numbers a coordinate: dsensors.c */

struct sn_parameter_chain {
    sn_arena arena;
    const sn_model *m;
    const sn_values *p;
    int np, *id;
    sn_chain_direction *D;           /* of quantities and, behind them, signals */
    sn_chain_direction *X, *q0, *v0; /* of reference coordinates (nq), of the start as written (nv) */
    sn_moved_number *list[SN_MOVED_FAMILIES];
    int n[SN_MOVED_FAMILIES];
    int *first[SN_MOVED_FAMILIES]; /* where each object's numbers begin in the list; objects + 1 */
    sn_moved_group *group;
    int n_group;
    double *group_rows;      /* scratch: n rows of a group's derivatives */
    unsigned char *used;     /* np: something moves with it, at some time or other */
    int *varying, n_varying; /* quantities and signals whose direction depends on time */
    /* scratch: one object's derivatives of a sensor of at most `rows` numbers; a column of two sensors;
     * momenta */
    int rows;
    double *block[4], *column, *momentum;
    /* scratch: a direction as it is summed up, np numbers of each order, and which of them there are */
    double *sum[3];
    unsigned char *has;
    int *found, n_found, ordered;
};

/* id: quantities, or signals (SN_VAR_SIGNAL + i); -1: none, for a column of derivatives by something else.
   One that varies with time is moved as a whole, its rates are not. */
sn_status sn_parameter_chain_new(const sn_model *m, const sn_values *p, int np, const int *id,
                                 sn_parameter_chain **out, sn_err *err);
void sn_parameter_chain_free(sn_parameter_chain *c);
/* After the values have changed: directions and lists anew, in the memory that there is. The time is to be
   set again. */
sn_status sn_parameter_chain_renew(sn_parameter_chain *c, sn_err *err);
/* The parameters that something moves with at the time that was set last, ascending, into k (np); how many.
 */
int sn_parameter_chain_active(sn_parameter_chain *c, int *k);

/* dr += derivative by a number of an element, at the state of `in`: its own or, of a load, its host's. */
sn_status sn_system_element_by(const sn_work *w, const sn_moved_number *t, const sn_in *in, double *dr);

/* Finds the groups, behind the lists: moved_groups.c. */
sn_status sn_parameter_chain_group(sn_parameter_chain *c);

/* Where parameter k stands in a direction, -1: nowhere. */
int sn_chain_direction_find(const sn_chain_direction *d, int k);
/* Directions as rows of np numbers. */
void sn_chain_directions_expand(int rows, const sn_chain_direction *d, int np, double *out);

#endif
