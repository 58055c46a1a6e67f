/* The motion that the data of a study measure, at the instants of the direct methods.

   Columns of position and rotation sensors without offset are coordinates of nodes, those of velocity and
   acceleration sensors their rates; rates that no column measures are derived from the positions. Coordinates
   that a `fixed` joint holds at constant values need no column, nor do planar rotations for
   adapted_direct. Nodes with rotations in space are refused. */
#ifndef SN_IDENTIFY_MEASURED_H
#define SN_IDENTIFY_MEASURED_H

#include "identify/study.h"

typedef struct sn_measured {
    sn_arena arena;
    int n;                 /* instants; adapted_direct: two a pair */
    double *t, *q, *v, *a; /* n, and n rows of nq, nv, nv */
    double *noise; /* 4 rows of nv: standard deviations of q, v, a, and covariances of q and a; NULL: not
                      known */
    int *unknown, n_unknown; /* coordinates that are not measured */
    long count;              /* measured numbers that were used */
    const char *unused;      /* channels that measure no coordinate; NULL: none */
} sn_measured;

/* p: numbers of the model, for held coordinates and guesses. */
sn_status sn_measured_motion(const sn_study *s, const sn_values *p, sn_measured *out, sn_err *err);
void sn_measured_free(sn_measured *d);

#endif
