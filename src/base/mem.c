/* Memory: allocator hook, growing arrays, arena. */
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *plain_alloc(size_t bytes, void *user)
{
    (void)user;
    return calloc(1, bytes);
}

static void plain_release(void *p, void *user)
{
    (void)user;
    free(p);
}

static sn_allocator current = {plain_alloc, plain_release, NULL};

void sn_set_allocator(const sn_allocator *a)
{
    current = a ? *a : (sn_allocator){plain_alloc, plain_release, NULL};
}

void *sn_alloc(size_t n, size_t size)
{
    if (size && n > SIZE_MAX / 2 / size) return NULL;
    size_t bytes = n * size;
    return current.alloc(bytes > 0 ? bytes : 1, current.user);
}

void sn_free(void *p)
{
    if (p) current.release(p, current.user);
}

char *sn_strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *d = sn_alloc(n, 1);
    if (d) memcpy(d, s, n);
    return d;
}

sn_status sn_grow(void *array_pointer, int *capacity, int need, size_t size)
{
    void *old;
    if (need <= *capacity) return SN_OK;
    int cap = *capacity < 8 ? 8 : *capacity;
    while (cap < need) cap = cap > INT32_MAX / 2 ? INT32_MAX : 2 * cap;
    void *p = sn_alloc((size_t)cap, size);
    if (!p) return SN_ERR_MEMORY;
    memcpy(&old, array_pointer, sizeof old);
    if (old) memcpy(p, old, (size_t)*capacity * size);
    sn_free(old);
    memcpy(array_pointer, &p, sizeof p);
    *capacity = cap;
    return SN_OK;
}

void sn_shrink(void *array_pointer, int *capacity, int n, size_t size)
{
    void *old, *p = *capacity > n ? sn_alloc((size_t)n, size) : NULL;
    if (!p) return;
    memcpy(&old, array_pointer, sizeof old);
    if (old) memcpy(p, old, (size_t)n * size);
    sn_free(old);
    memcpy(array_pointer, &p, sizeof p);
    *capacity = n;
}

struct sn_arena_part {
    struct sn_arena_part *next;
    size_t used, size;
    _Alignas(16) unsigned char data[];
};

void *sn_arena_alloc(sn_arena *a, size_t n, size_t size)
{
    enum { BLOCK = 16 * 1024 };
    if (size && n > SIZE_MAX / 4 / size) return NULL;
    size_t bytes = (n * size + 15) & ~(size_t)15;
    struct sn_arena_part *b = a->head;
    while (a->again && b && b->size - b->used < bytes) b = b->next;
    if (!b || b->size - b->used < bytes) {
        size_t want = bytes > BLOCK / 4 ? bytes : BLOCK;
        b = sn_alloc(1, sizeof *b + want);
        if (!b) return NULL;
        b->size = want;
        /* a large piece gets a block of its own behind the current one, which stays open */
        if (a->head && want == bytes && bytes != BLOCK) {
            b->next = a->head->next;
            a->head->next = b;
        } else {
            b->next = a->head;
            a->head = b;
        }
    }
    void *p = b->data + b->used;
    b->used += bytes;
    return p;
}

char *sn_arena_strndup(sn_arena *a, const char *s, size_t n)
{
    char *d = sn_arena_alloc(a, n + 1, 1);
    if (d && n) memcpy(d, s, n);
    return d;
}

char *sn_arena_printf(sn_arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *d = n < 0 ? NULL : sn_arena_alloc(a, (size_t)n + 1, 1);
    if (!d) return NULL;
    va_start(args, format);
    vsnprintf(d, (size_t)n + 1, format, args);
    va_end(args);
    return d;
}

void sn_arena_free(sn_arena *a)
{
    for (struct sn_arena_part *b = a->head, *next; b; b = next) {
        next = b->next;
        sn_free(b);
    }
    a->head = NULL;
}

void sn_arena_empty(sn_arena *a)
{
    for (struct sn_arena_part *b = a->head; b; b = b->next) memset(b->data, 0, b->used), b->used = 0;
    a->again = 1;
}
