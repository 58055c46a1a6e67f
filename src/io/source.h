/* The text of an input file: checked, with one kind of line end, and with places found from byte offsets. */
#ifndef SN_IO_SOURCE_H
#define SN_IO_SOURCE_H

#include "io/file.h"

typedef struct sn_source {
    const char *file; /* the name to show; it and the text live in the arena */
    char *text;       /* NUL-terminated; no byte order mark; lines end with LF */
    size_t len;
    size_t *line; /* offset of each line's first byte, freed by sn_source_close */
    int n_line, cap_line;
} sn_source;

/* Copy and check a text: UTF-8 without control characters, or "not a text file". Close it also after a
 * failure. */
sn_status sn_source_open(sn_source *s, const char *name, const char *text, size_t len, sn_arena *arena,
                         sn_err *err);
void sn_source_close(sn_source *s);

/* Line and column (in bytes, from 1) of an offset. */
sn_mark sn_source_mark(const sn_source *s, size_t pos);

sn_status sn_file_too_large(const char *path, double bytes, int limit, sn_err *err);

#endif
