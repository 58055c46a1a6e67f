/* Eigenvalues over a parameter: what the files of a sweep share.

   At a value of the parameter all roots are solved for (vibration.h), those that are followed to the last
   digit, with exact derivatives: from a value to the next a branch is predicted by its derivative and found
   again by the prediction and its vector (sweep.c). Between two values points of interest are located
   (sweep_points.c). */
#ifndef SN_SENSITIVITY_SWEEP_H
#define SN_SENSITIVITY_SWEEP_H

#include "sensitivity/vibration.h"

/* Roots with im >= 0 at a value, by size. */
typedef struct sn_locus {
    sn_arena arena;
    sn_values *p;
    sn_vibration *v;
    double at, spin, top, slow; /* top: |s| of the largest; slow: of roots that are nearly zero */
    sn_oscillations all;
    double complex **z, *ds; /* of those that are known */
    unsigned char *known;    /* 1: to the last digit, with its derivative; 2: it has none */
} sn_locus;

/* A branch that is followed: which, and its root at the last value. sign: of its growth when it last was
   neither zero nor rounding, at which value, with which root. */
typedef struct sn_live {
    int branch, root, next; /* next: its root at the value that is tried, or -1 */
    int sign;
    double since;
    double complex s, ds;
} sn_live;

/* A branch's last root, or first. */
typedef struct sn_end {
    double at;
    double complex s, ds;
    int branch, rough; /* rough: without derivative */
} sn_end;

typedef struct sn_tracer {
    const sn_model *m;
    const sn_values *values;
    sn_sweep_options o;
    int id, spin; /* quantities */
    sn_sweep *out;
    sn_locus *a, *b; /* at the last value, at the one that is tried */
    sn_live *live;
    int n_live, live_room, branch_room, point_room;
    int *room; /* of each branch */
    sn_end *gone;
    int n_gone, gone_room;
    double limit; /* |s| of the largest root that is followed */
} sn_tracer;

sn_status sn_locus_new(sn_tracer *t, double at, int derivatives, sn_locus **out, sn_err *err);
void sn_locus_free(sn_locus *r);
/* Makes root i known. */
sn_status sn_locus_know(sn_locus *r, int i, sn_err *err);
/* Below this a growth is rounding. */
double sn_locus_noise(const sn_locus *r, double complex s);
/* How alike two roots' vectors of positions and rates are, 0 to 1. */
double sn_locus_alike(const sn_locus *a, int i, const sn_locus *b, int j);

/* Points between a and b, of branches that go on (live[].next >= 0) or end, and of roots of b that are new
   (taken: 0). */
sn_status sn_sweep_points(sn_tracer *t, const unsigned char *taken, sn_err *err);

#endif
