/* Memory: the only place that calls malloc. Tests replace the allocator to count calls and to make each one
 * fail. */
#ifndef SN_BASE_MEM_H
#define SN_BASE_MEM_H

#include "sinew/base.h"

typedef struct sn_allocator {
    void *(*alloc)(size_t bytes, void *user); /* zeroed memory, or NULL */
    void (*release)(void *p, void *user);
    void *user;
} sn_allocator;

/* Process-wide; set it before any other call (tests only). NULL restores calloc and free. */
void sn_set_allocator(const sn_allocator *a);

void *sn_alloc(size_t n,
               size_t size); /* zeroed; NULL when out of memory or n*size overflows; n = 0 is fine */
void sn_free(void *p);
char *sn_strdup(const char *s);

/* Grow an array to hold at least `need` items (doubling); new items are zero. */
sn_status sn_grow(void *array_pointer, int *capacity, int need, size_t size);
/* Give back what an array of n items has room for beyond them; where memory is short it stays as it is. */
void sn_shrink(void *array_pointer, int *capacity, int n, size_t size);

/* Arena: many small things freed together. */
typedef struct sn_arena {
    struct sn_arena_part *head;
    int again; /* it was emptied: parts behind the head have room, too */
} sn_arena;

void *sn_arena_alloc(sn_arena *a, size_t n, size_t size); /* zeroed, aligned to 16; NULL when out of memory */
char *sn_arena_strndup(sn_arena *a, const char *s, size_t n);
char *sn_arena_printf(sn_arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sn_arena_free(sn_arena *a);
void sn_arena_empty(sn_arena *a); /* nothing is left in it, but its memory is kept for what comes */

#define SN_NEW(p, n)       ((p) = sn_alloc((size_t)(n), sizeof *(p)))
#define SN_OUT_OF_MEM(err) sn_fail((err), SN_ERR_MEMORY, NULL, "out of memory")

#endif
