/* A study with more unknowns: some of its candidates are sought as well, behind its own unknowns. It borrows
   everything else from the study it was made of. */
#ifndef SN_IDENTIFY_EXTENDED_H
#define SN_IDENTIFY_EXTENDED_H

#include "identify/candidate.h"
#include "identify/fit.h"

typedef struct sn_extended {
    sn_study s;
    sn_fit *f;
    double *z; /* at the estimate, and the candidates as they are */
} sn_extended;

/* f: at z, whose runs it does as well. Candidate i becomes unknown f->n + i, of the scale given. */
sn_status sn_extended_new(sn_fit *f, const double *z, int n, sn_candidate *const *c, const double *scale,
                          sn_extended **out, sn_err *err);
/* What it has simulated counts for f. */
void sn_extended_free(sn_extended *x, sn_fit *f);

#endif
