/* Measured tables by the ending of their file: .trc and .c3d of motion capture, everything else as CSV. */
#ifndef SN_IO_TABLE_H
#define SN_IO_TABLE_H

#include "io/csv.h"

sn_status sn_table_read(const char *path, const sn_patience *patience, sn_arena *arena, sn_csv **out,
                        sn_err *err);

/* Markers have columns "RASI.x", "RASI.y", "RASI.z" behind the time "t"; those in a unit that the file states
   are converted to SI; what is missing is NaN. */
sn_status sn_trc_read(const char *path, sn_arena *arena, sn_csv **out, sn_err *err);
/* And analog channels, at their own rate: rows between the frames have no markers. */
sn_status sn_c3d_read(const char *path, sn_arena *arena, sn_csv **out, sn_err *err);

/* A table to be filled, all of it missing, its first column named "t". data and names may be written. */
typedef struct sn_table {
    sn_csv *csv;
    double *data;
    const char **names, **units;
    sn_arena *arena;
    const char *path;
} sn_table;
sn_status sn_table_new(sn_arena *arena, const char *path, int rows, int cols, sn_table *out, sn_err *err);
/* Names of the three columns of a marker (from `col` on) of n characters at name; another number where the
   name is there already. */
sn_status sn_table_marker(sn_table *t, int col, const char *name, size_t n, sn_err *err);
sn_status sn_table_name(sn_table *t, int col, const char *name, size_t n, const char *ending, sn_err *err);
/* The factor to SI of a unit's n characters, 1 where it is none; *si: its SI unit, or NULL. */
double sn_table_unit(sn_arena *arena, const char *text, size_t n, const char **si);

#endif
