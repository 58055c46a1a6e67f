/* Open addressing with FNV-1a, at most half full. */
#include "base/map.h"

#include <stdint.h>
#include <string.h>

static uint32_t hash(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static struct sn_map_cell *find(const sn_map *m, const char *key)
{
    uint32_t mask = (uint32_t)m->capacity - 1, i = hash(key) & mask;
    while (m->cell[i].key && strcmp(m->cell[i].key, key) != 0) i = (i + 1) & mask;
    return &m->cell[i];
}

int sn_map_get(const sn_map *m, const char *key)
{
    if (!m->capacity) return -1;
    const struct sn_map_cell *c = find(m, key);
    return c->key ? c->value : -1;
}

static sn_status widen(sn_map *m)
{
    sn_map w = {NULL, m->capacity ? 2 * m->capacity : 64, m->n};
    if (!SN_NEW(w.cell, w.capacity)) return SN_ERR_MEMORY;
    for (int i = 0; i < m->capacity; i++)
        if (m->cell[i].key) *find(&w, m->cell[i].key) = m->cell[i];
    sn_free(m->cell);
    *m = w;
    return SN_OK;
}

sn_status sn_map_put(sn_map *m, const char *key, int value)
{
    if (2 * (m->n + 1) > m->capacity) SN_TRY(widen(m));
    struct sn_map_cell *c = find(m, key);
    if (!c->key) m->n++;
    c->key = key;
    c->value = value;
    return SN_OK;
}

void sn_map_free(sn_map *m)
{
    sn_free(m->cell);
    *m = (sn_map){NULL, 0, 0};
}
