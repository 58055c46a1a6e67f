/* An allocator for tests: bytes in use, and the most there were. sn_set_allocator(measured, given_back,
 * &meter).
 */
#ifndef SN_TESTS_METERED_H
#define SN_TESTS_METERED_H

#include <stdlib.h>
#include <string.h>

typedef struct meter {
    size_t now, most;
    long calls;
} meter;

enum { HEAD = 16 }; /* in front of each piece: its size */

static inline void *measured(size_t bytes, void *user)
{
    meter *m = user;
    char *p = calloc(1, bytes + HEAD);
    if (!p) return NULL;
    memcpy(p, &bytes, sizeof bytes);
    m->calls++;
    m->now += bytes;
    if (m->now > m->most) m->most = m->now;
    return p + HEAD;
}

static inline void given_back(void *p, void *user)
{
    size_t bytes;
    memcpy(&bytes, (char *)p - HEAD, sizeof bytes);
    ((meter *)user)->now -= bytes;
    free((char *)p - HEAD);
}

#endif
