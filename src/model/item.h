/* The tree that a reader (YAML now) makes of a model file: scalars, lists and maps, each with its place in
   the source. It knows nothing of sinew's grammar; src/model/compile does. */
#ifndef SN_MODEL_ITEM_H
#define SN_MODEL_ITEM_H

#include "base/mem.h"

typedef enum sn_item_type { SN_ITEM_SCALAR, SN_ITEM_LIST, SN_ITEM_MAP } sn_item_type;

typedef struct sn_item {
    sn_item_type type;
    int n;            /* children */
    const char *text; /* of a scalar, never NULL; "" for null */
    const char *key;  /* its key in the map above, or NULL */
    sn_mark mark;     /* where the value begins */
    sn_mark key_mark; /* where its key begins (the value's place in lists) */
    struct sn_item *child, *next;
} sn_item;

/* The child of that key, or NULL (also when map is NULL or not a map). */
const sn_item *sn_item_get(const sn_item *map, const char *key);

/* The best of `n` candidates for a misspelt name, or NULL when none is near. get(i) gives candidate i. */
const char *sn_nearest(const char *word, int n, const char *(*get)(int i, const void *ctx), const void *ctx);

/* The candidate that somebody means who writes a word of another program or of the trade; or NULL. synonym.c
 */
const char *sn_synonym(const char *word, int n, const char *(*get)(int i, const void *ctx), const void *ctx);

#endif
