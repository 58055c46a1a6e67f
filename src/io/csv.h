/* Data tables from text files: columns of numbers, with or without a line of names.

   Separator: the first of semicolon, comma, tab, blank that occurs in the first line. Blanks around a cell do
   not count; runs of blanks separate once. Lines that begin with '#' and empty lines are skipped. Cells may
   be quoted. An empty cell is NaN; nan and inf are numbers. A column of dates and times (ISO 8601) holds
   seconds from the whole second of its first one, so that no digit is lost. The decimal sign is the point,
   whatever the locale. The first line holds names when its first cell that is not empty is no number. */
#ifndef SN_IO_CSV_H
#define SN_IO_CSV_H

#include "base/mem.h"

enum { SN_CSV_MAX_MB = 256, SN_CSV_MAX_COLUMNS = 16384 };

typedef struct sn_csv {
    int rows, cols;
    const char *const *names; /* cols of them, "" where a name is missing; NULL when the file has none */
    const double *data;       /* by columns: data[col * rows + row] */
    const double *origin; /* cols, of dates and times: where they count from, s since 1970 (UTC); else NAN */
    const char *const *units; /* cols, of what is in SI since the file states its units, or NULL each; NULL:
                                 none are stated */
    int sparse; /* of markers: columns that nothing measures and rows without values are usual */
} sn_csv;

/* Whom to ask now and then whether to go on; stop NULL: nobody. Nonzero ends it with SN_ERR_INTERRUPTED. */
typedef struct sn_patience {
    int (*stop)(void *ctx, double done, double t);
    void *ctx;
} sn_patience;

/* Everything lives in the arena. Errors carry file, line and column. */
sn_status sn_csv_read(const char *path, sn_arena *arena, sn_csv **out, sn_err *err);
sn_status sn_csv_read_patiently(const char *path, const sn_patience *patience, sn_arena *arena, sn_csv **out,
                                sn_err *err);
int sn_csv_column(const sn_csv *csv, const char *name); /* -1: no such column */

#endif
