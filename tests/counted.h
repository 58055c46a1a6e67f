/* An allocator for tests: counts, and lets one allocation fail. sn_set_allocator(counted, released,
 * &counter). */
#ifndef SN_TESTS_COUNTED_H
#define SN_TESTS_COUNTED_H

#include <stdlib.h>

typedef struct counter {
    long calls, live;
    long fail; /* number of the call that fails, from 1; 0: none */
} counter;

static inline void *counted(size_t bytes, void *user)
{
    counter *c = user;
    if (++c->calls == c->fail) return NULL;
    void *p = calloc(1, bytes ? bytes : 1);
    if (p) c->live++;
    return p;
}

static inline void released(void *p, void *user)
{
    if (!p) return;
    ((counter *)user)->live--;
    free(p);
}

#endif
