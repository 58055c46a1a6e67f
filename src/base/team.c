/* Threads that meet at barriers: one where a job begins, one where it ends, and those that the job asks for.
 */
#include "base/team.h"

#include <pthread.h>
#include <signal.h>

typedef struct member {
    sn_team *team;
    int number;
    pthread_t thread;
} member;

struct sn_team {
    int size; /* with the caller */
    member *member;
    pthread_mutex_t start; /* held until the size is known */
    pthread_barrier_t barrier;
    void (*job)(void *ctx, int member); /* NULL: the end */
    void *ctx;
};

static void *work(void *ctx)
{
    member *self = ctx;
    sn_team *t = self->team;
    pthread_mutex_lock(&t->start);
    pthread_mutex_unlock(&t->start);
    for (;;) {
        pthread_barrier_wait(&t->barrier);
        if (!t->job) return NULL;
        t->job(t->ctx, self->number);
        pthread_barrier_wait(&t->barrier);
    }
}

/* Signals are for the threads of the program. */
static int start_member(sn_team *t)
{
    sigset_t all, before;
    member *m = &t->member[t->size];
    *m = (member){.team = t, .number = t->size};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int good = !pthread_create(&m->thread, NULL, work, m);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    t->size += good;
    return good;
}

sn_status sn_team_new(int n, sn_team **out, sn_err *err)
{
    sn_team *t;
    *out = NULL;
    if (n > SN_TEAM_MOST) n = SN_TEAM_MOST;
    if (!SN_NEW(t, 1)) return SN_OUT_OF_MEM(err);
    if (!SN_NEW(t->member, n)) {
        sn_free(t);
        return SN_OUT_OF_MEM(err);
    }
    t->size = 1;
    pthread_mutex_init(&t->start, NULL);
    pthread_mutex_lock(&t->start);
    while (t->size < n && start_member(t)) {}
    pthread_barrier_init(&t->barrier, NULL, (unsigned)t->size);
    pthread_mutex_unlock(&t->start);
    *out = t;
    return SN_OK;
}

int sn_team_size(const sn_team *t) { return t->size; }

void sn_team_meet(sn_team *t) { pthread_barrier_wait(&t->barrier); }

void sn_team_run(sn_team *t, void (*job)(void *ctx, int member), void *ctx)
{
    t->job = job, t->ctx = ctx;
    pthread_barrier_wait(&t->barrier);
    job(ctx, 0);
    pthread_barrier_wait(&t->barrier);
}

void sn_team_free(sn_team *t)
{
    if (!t) return;
    t->job = NULL;
    pthread_barrier_wait(&t->barrier);
    for (int i = 1; i < t->size; i++) pthread_join(t->member[i].thread, NULL);
    pthread_barrier_destroy(&t->barrier);
    pthread_mutex_destroy(&t->start);
    sn_free(t->member);
    sn_free(t);
}
