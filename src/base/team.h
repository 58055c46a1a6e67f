/* A team of threads that do one piece of work together, again and again. */
#ifndef SN_BASE_TEAM_H
#define SN_BASE_TEAM_H

#include "base/mem.h"

typedef struct sn_team sn_team;

enum { SN_TEAM_MOST = 256 };

/* n threads with the caller's; fewer where the system gives no more. Between jobs they sleep. */
sn_status sn_team_new(int n, sn_team **out, sn_err *err);
void sn_team_free(sn_team *t); /* NULL is fine */
int sn_team_size(const sn_team *t);
/* job(ctx, 0) ... job(ctx, size - 1), one by each thread; returns when all are done. Allocates nothing. */
void sn_team_run(sn_team *t, void (*job)(void *ctx, int member), void *ctx);
/* Within a job: waits until all members have come here. */
void sn_team_meet(sn_team *t);

#endif
