/* progress.json: the best estimates while an identification is at work, written once a second at most. */
#ifndef SN_IDENTIFY_PROGRESS_H
#define SN_IDENTIFY_PROGRESS_H

#include "identify/fit.h"

typedef struct sn_progress sn_progress;

sn_status sn_progress_new(const sn_study *s, const char *path, sn_progress **out, sn_err *err);
void sn_progress_free(sn_progress *p);   /* the file stays */
void sn_progress_remove(sn_progress *p); /* the file goes: there is something better */

/* All of these take NULL; a file that cannot be written is no reason to stop. */
void sn_progress_tell(sn_progress *p, const sn_step *step);
void sn_progress_starts(sn_progress *p, int n, double cost, const double *z); /* n random starts begin */
void sn_progress_start(sn_progress *p, double cost, const double *z); /* one has ended; from any thread */

#endif
