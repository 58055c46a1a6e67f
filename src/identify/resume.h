/* Where an identification begins, and where one that was cut off or is to be continued goes on. */
#ifndef SN_IDENTIFY_RESUME_H
#define SN_IDENTIFY_RESUME_H

#include "identify/memo.h"
#include "identify/result.h"

typedef struct sn_resume {
    sn_key key; /* of what the journal keeps of it: */
    double *x;  /* how it ended, whether it began at estimates; start values as read, as used; estimates */
    size_t n;   /* unknowns */
} sn_resume;

/* Is there something of an earlier identification in the folder? */
int sn_resume_possible(const char *folder);
/* Sets the study's start values and puts them down. Those of an earlier search, which comes back by them to
   where it was; the estimates in the folder, where that search is over without having converged, or was
   another study's. message (or NULL) tells which. folder NULL: those of the study. */
sn_status sn_resume_begin(sn_resume *r, sn_study *s, const sn_memo *m, const char *folder,
                          void (*message)(void *, const char *), void *ctx, sn_err *err);
int sn_resume_at_estimates(const sn_resume *r);
/* The search has ended: so it did. */
void sn_resume_end(sn_resume *r, const sn_memo *m, const sn_estimate *e);
void sn_resume_free(sn_resume *r);

#endif
