/* Units behind lists, "[500, 30, 500] N*m/rad", which YAML does not know. */
#ifndef SN_IO_LIST_UNIT_H
#define SN_IO_LIST_UNIT_H

#include "model/item.h"

typedef struct sn_list_unit {
    size_t close; /* offset of the list's ']' */
    const char *unit;
} sn_list_unit;

/* All of a text, in ascending order, and a copy of the text with blanks in their place. *copy NULL: there are
   none. */
sn_status sn_list_units(const char *text, size_t length, sn_arena *arena, char **copy, sn_list_unit **list,
                        int *n);
/* The unit behind the ']' at an offset, or NULL. */
const char *sn_list_unit_at(const sn_list_unit *list, int n, size_t close);
/* Each number of the list, and of the lists in it, in that unit. */
sn_status sn_list_unit_apply(sn_item *list, const char *unit, sn_arena *arena);

#endif
