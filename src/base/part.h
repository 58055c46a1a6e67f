/* Files of which a part is meant: "body.h5:/M", "body.op4:KAA", "body.pch:KAAX". */
#ifndef SN_BASE_PART_H
#define SN_BASE_PART_H

#include <stddef.h>

typedef enum { SN_PART_NONE, SN_PART_H5, SN_PART_OP4, SN_PART_BULK } sn_part;

/* What sort of file a text names by its ending, and how long the file's own name is in it: what follows a
   colon behind it names the part. SN_PART_NONE: no such file, all of the text is its name. */
sn_part sn_part_of(const char *text, size_t *length);

#endif
