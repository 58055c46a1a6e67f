/* Blocks of memory that are used again: four sizes between a power of two and the next. */
#include "linsol/front.h"

#include <pthread.h>
#include <stdint.h>

enum { STEPS = 4, SIZES = 62 * STEPS };

typedef union block {
    struct {
        union block *next;
        int size;
    } head;
    char room[64]; /* what follows begins on a line of the cache where the block does */
} block;

struct sn_front_pool {
    pthread_mutex_t lock;
    block *idle[SIZES];
    double bytes;
};

sn_front_pool *sn_front_pool_new(void)
{
    sn_front_pool *p;
    if (SN_NEW(p, 1)) pthread_mutex_init(&p->lock, NULL);
    return p;
}

void sn_front_pool_free(sn_front_pool *p)
{
    if (!p) return;
    for (int k = 0; k < SIZES; k++)
        for (block *b = p->idle[k], *next; b; b = next) {
            next = b->head.next;
            sn_free(b);
        }
    pthread_mutex_destroy(&p->lock);
    sn_free(p);
}

/* The smallest size that holds so many bytes. */
static int find_size(size_t bytes, size_t *room)
{
    int k = 0;
    size_t power = 256;
    while (power * 2 < bytes) power *= 2, k += STEPS;
    for (*room = power; *room < bytes; k++) *room += power / STEPS;
    return k;
}

void *sn_front_take(sn_front_pool *p, size_t bytes)
{
    size_t room;
    if (bytes > SIZE_MAX / 8) return NULL;
    const int k = find_size(bytes, &room);
    pthread_mutex_lock(&p->lock);
    block *b = p->idle[k];
    if (b)
        p->idle[k] = b->head.next;
    else if ((b = sn_alloc(1, room + sizeof *b)) != NULL)
        b->head.size = k, p->bytes += (double)(room + sizeof *b);
    pthread_mutex_unlock(&p->lock);
    return b ? b + 1 : NULL;
}

void sn_front_give(sn_front_pool *p, void *memory)
{
    if (!memory) return;
    block *b = (block *)memory - 1;
    pthread_mutex_lock(&p->lock);
    b->head.next = p->idle[b->head.size];
    p->idle[b->head.size] = b;
    pthread_mutex_unlock(&p->lock);
}

double sn_front_bytes(const sn_front_pool *p) { return p ? p->bytes : 0; }
