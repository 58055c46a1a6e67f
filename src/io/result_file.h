/* The HDF5 side of writing a result: the complete file of a layout, and where its numbers lie. */
#ifndef SN_IO_RESULT_FILE_H
#define SN_IO_RESULT_FILE_H

#include "io/result.h"

#include <stdint.h>

typedef struct sn_result_places {
    int64_t frames, status; /* byte offsets in the file */
    int64_t coordinate;     /* -1: nothing is stored (no frames) */
    int64_t *column;        /* n_columns of them, given by the caller; -1: nothing is stored */
} sn_result_places;

/* Whether column i is stored in single precision. */
static inline int sn_result_single(const sn_result_layout *l, int i)
{
    return i >= l->n_columns - l->single_columns;
}

/* Write the file to the descriptor, from its beginning: zero frames, status running. `name` is for messages.
 */
sn_status sn_result_file_make(int fd, const char *name, const sn_result_layout *layout,
                              sn_result_places *places, sn_err *err);

#endif
