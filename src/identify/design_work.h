/* What the parts of a design share while it is made. */
#ifndef SN_IDENTIFY_DESIGN_WORK_H
#define SN_IDENTIFY_DESIGN_WORK_H

#include "identify/design.h"

typedef struct sn_designer {
    sn_study *s;
    const sn_design_section *d;
    sn_fit *f;
    sn_information *now, *best; /* of the excitation at hand; of the best so far */
    double *z, *draw;           /* start values; draws of all unknowns: d->robust rows */
    double *value, *found, *w;  /* excitations at hand, the best; weights */
    double least;               /* criterion of the best */
    int done;                   /* excitations looked at */
    sn_plan *plan;
} sn_designer;

/* Of channel c, every stride-th sample before `last` of the last run, into M (n x n of the study). */
void sn_design_channel(const sn_designer *k, int c, int last, int stride, double *M);
sn_status sn_design_excite(sn_designer *k, const double *value, sn_err *err);
/* Priors, and what experiments that were made tell. */
sn_status sn_design_before(sn_designer *k, sn_err *err);
/* The best excitation, and what all candidates tell with it. */
sn_status sn_design_search(sn_designer *k, sn_err *err);

#endif
