/* A map from names to integers. Keys are borrowed and must outlive the map. */
#ifndef SN_BASE_MAP_H
#define SN_BASE_MAP_H

#include "base/mem.h"

typedef struct sn_map {
    struct sn_map_cell {
        const char *key;
        int value;
    } * cell;
    int capacity, n;
} sn_map;

int sn_map_get(const sn_map *m, const char *key); /* the value, or -1 */
sn_status sn_map_put(sn_map *m, const char *key, int value);
void sn_map_free(sn_map *m);

#endif
