/* x' = A x + B u, y = C x + D u about a motion: the steps from matrices of small motions to a system with
   named inputs and outputs. */
#ifndef SN_ANALYSIS_LINEAR_SYSTEM_H
#define SN_ANALYSIS_LINEAR_SYSTEM_H

#include "analysis/dense.h"
#include "analysis/state_space.h"

typedef struct sn_named {
    const char *name, *unit;
} sn_named;

/* An input: a quantity, or a signal (SN_VAR_SIGNAL + i). */
typedef struct sn_linear_input {
    sn_named as;
    int id, order;
} sn_linear_input;

typedef struct sn_linear_work {
    sn_arena *arena;
    sn_motion *p;
    const sn_linear_options *o;
    int n_input, n_output;
    sn_linear_input *input;
    int *channel; /* outputs */
    /* the system; of states also names and sizes that compare */
    sn_dense A, B, C, D;
    sn_named *state, *output;
    double *scale;
    int regular; /* no pole is zero */
    /* where it was reduced */
    int full, exact;
    double *hankel, *bound;
} sn_linear_work;

/* Which inputs and outputs: by the options, or all there are. */
sn_status sn_linear_inputs(sn_linear_work *k, sn_err *err);
sn_status sn_linear_outputs(sn_linear_work *k, sn_err *err);
/* The name and unit of a time derivative: "tip.x''", "m/s^2"; both NULL: out of memory. */
sn_named sn_named_rate(sn_arena *arena, sn_named of, int order);
sn_named sn_named_coordinate(sn_arena *arena, const sn_model *m, int i);

/* A reduced system in place of the full one. */
sn_status sn_linear_reduce(sn_linear_work *k, sn_err *err);

sn_status sn_linear_system_make(sn_motion *p, const sn_linear_options *o, sn_arena *arena,
                                sn_linear_system *out, sn_err *err);

#endif
