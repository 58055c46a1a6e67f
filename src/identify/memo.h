/* What an identification has computed, kept in a journal: searches are deterministic, so one that was cut off
   comes back to where it was by repeating itself with the simulations that are kept, whatever its optimiser,
   horizon, alternatives or random numbers are. A result is found by all that it depends on (the model's
   numbers, the data, the noise, the scheme of the run ...), and so never taken for another study's; what a
   changed study leaves as it was is found again. */
#ifndef SN_IDENTIFY_MEMO_H
#define SN_IDENTIFY_MEMO_H

#include "identify/fit.h"
#include "identify/journal.h"

struct sn_memo {
    sn_journal *journal;
    sn_key study;       /* all but start values, settings of the search, and noise on the way */
    sn_key *experiment; /* its model, data and run, without the unknowns' values */
};

/* Of a study as it was read. */
sn_status sn_memo_new(const sn_study *s, sn_journal *journal, sn_memo **out, sn_err *err);
void sn_memo_free(sn_memo *m);

/* Key of the run of experiment e with its values as they are set; horizon, and which derivatives: 0 none, 1
   normal equations, 2 those of the adjoint. m NULL: any key. */
sn_key sn_memo_run(const sn_memo *m, const sn_fit *f, int e, double horizon, int derivatives,
                   const double *z);
/* Key of something found of the whole study at z, with the noise as it is. */
sn_key sn_memo_at(const sn_memo *m, const sn_study *s, const char *what, const double *z);

int sn_memo_get(const sn_memo *m, sn_key key, size_t n, double *x); /* 1: found; m NULL: 0 */
/* group: see journal.h; what is put with one is of no use any more when it is done. */
void sn_memo_put(const sn_memo *m, sn_key key, int group, size_t n, const double *x);
void sn_memo_done(const sn_memo *m, int group);

/* The same of a part: status, cost, count and its normal equations. */
int sn_memo_get_part(const sn_memo *m, sn_key key, int whole, sn_part *p);
void sn_memo_put_part(const sn_memo *m, sn_key key, int group, int whole, const sn_part *p);

#endif
