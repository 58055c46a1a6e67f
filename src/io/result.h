/* Result files: one HDF5 file with a fixed layout, readable at any moment of a run.

   All datasets are created at full size (contiguous, filled with NaN) before the first frame and HDF5 has
   closed the file by then, so that a run killed at any moment leaves a readable file: from then on only raw
   numbers are written, in place.
   `/frames` (int64 scalar) says how many frames are there, `/status` (int32 scalar): 0 running or killed
   (partial), 1 complete, 2 interrupted, 3 failed. The file is made under a temporary name beside its final
   one and renamed when its frame 0 can be written, so that an older result is never replaced by a broken
   file.

   Root attributes: "format" = "sinew-result", "format_version" = 3, "frame" (path of the frames' coordinate),
   "columns" (paths of the datasets with one row a frame, in order), and the given texts. Numbers have the
   byte order of the machine. The layout is copied, but for the names of components and rows and the numbers
   of arrays: those must live until the result is closed. Each result (writer, reader) is for one thread at a
   time; different ones are for any. */
#ifndef SN_IO_RESULT_H
#define SN_IO_RESULT_H

#include "base/mem.h"

enum { SN_RESULT_RUNNING = 0, SN_RESULT_COMPLETE = 1, SN_RESULT_INTERRUPTED = 2, SN_RESULT_FAILED = 3 };
enum { SN_RESULT_VERSION = 3 };

/* One dataset of `width` numbers a frame: /sensors/tip, /states/q ... */
typedef struct sn_result_column {
    const char *path;              /* "/sensors/tip"; groups are made */
    int width;                     /* may be 0 (an empty dataset of shape frames x 0) */
    const char *const *components; /* names, width of them, or NULL; stored as the attribute "components" */
    const char *const *units;      /* likewise, attribute "units" */
    const char *kind;              /* attribute "kind" or NULL */
} sn_result_column;

/* Strings: root attributes (title, version, analysis, command ...), and long texts as datasets under /model.
 */
typedef struct sn_result_text {
    const char *path; /* "@title": root attribute; "/model/text": string dataset */
    const char *text; /* NULL: "" */
} sn_result_text;

/* Texts that belong to an array, in an attribute of that name; a list of them ends with a NULL name. */
typedef struct sn_result_label {
    const char *name;
    int n; /* -1: a single one */
    const char *const *text;
} sn_result_label;

/* Constant arrays: parameter values, node reference positions, connectivity for drawing ... */
typedef struct sn_result_array {
    const char *path; /* "/model/nodes/reference" */
    int rows, cols;
    const double *data;           /* or NULL */
    const int *idata;             /* or NULL; row-major, as data */
    const char *const *row_names; /* attribute "rows", or NULL */
    const char *unit;             /* or NULL */
    const sn_result_label *label; /* or NULL; not copied */
} sn_result_array;

typedef struct sn_result_layout {
    int n_frames; /* room */
    const char *frame_name,
        *frame_unit; /* dataset of the frames' coordinate: "/time" "s", "/frequency" "Hz" */
    int n_columns, n_texts, n_arrays;
    const sn_result_column *column;
    const sn_result_text *text;
    const sn_result_array *array;
    int single_columns, single_arrays; /* so many at the end are stored in single precision */
} sn_result_layout;

typedef struct sn_result sn_result;

sn_status sn_result_create(const char *path, const sn_result_layout *layout, sn_result **out, sn_err *err);
/* Write frame number `sn_result_frames(w)`; data[i] has column i's width. Neither HDF5 nor the allocator is
   called. Frames are collected and reach the file in blocks (up to 8 MiB), and at the first call that comes
   half a second or more after the last write; the first frame at once. */
sn_status sn_result_frame(sn_result *w, double coordinate, const double *const *data, sn_err *err);
/* Write what has been collected: the numbers first, then `/frames`. */
sn_status sn_result_flush(sn_result *w, sn_err *err);
int sn_result_frames(const sn_result *w);
/* Set the status and close. A result with fewer frames than room is rewritten compactly, atomically; where
   that cannot be done it stays as it is, rows past `/frames` being NaN. w is freed even on error; NULL is
   fine. */
sn_status sn_result_close(sn_result *w, int status, sn_err *err);

/* Reading: what export (and later the viewer and python) need. */
typedef struct sn_result_reader sn_result_reader;
/* Clear errors for: missing, not HDF5, not ours, newer version, truncated, damaged. A running result can be
   opened: what it has at that moment is read. */
sn_status sn_result_open(const char *path, sn_result_reader **out, sn_err *err);
void sn_result_reader_close(sn_result_reader *r);
int sn_result_reader_frames(const sn_result_reader *r);
int sn_result_reader_status(const sn_result_reader *r);
/* "@title", "/model/text": NULL when absent (or out of memory); owned by r */
const char *sn_result_reader_text(sn_result_reader *r, const char *path);
int sn_result_reader_columns(const sn_result_reader *r);
const sn_result_column *sn_result_reader_column(const sn_result_reader *r, int i);
const char *sn_result_reader_frame_name(const sn_result_reader *r, const char **unit);
/* column -1: the coordinate; out has count*width numbers */
sn_status sn_result_reader_get(sn_result_reader *r, int column, int first, int count, double *out,
                               sn_err *err);

/* A constant array of `cols` numbers a row and the names of its rows (NULL: none), owned by r; whole numbers
   come as double too. Absent: no rows and data NULL. */
sn_status sn_result_reader_array(sn_result_reader *r, const char *path, int cols, sn_result_array *out,
                                 sn_err *err);
const char *sn_result_reader_path(const sn_result_reader *r); /* of the file */

/* Constant numbers, row by row, and their rows' names (NULL: none); owned by the reader. Absent: data NULL
   and rows 0. */
typedef struct sn_result_table {
    int rows, cols;
    const double *data;
    const char *const *row_names;
    const char *unit; /* or NULL */
} sn_result_table;
sn_status sn_result_reader_table(sn_result_reader *r, const char *path, sn_result_table *out, sn_err *err);

/* The texts of an attribute of a constant array, owned by the reader. Absent: n 0. */
sn_status sn_result_reader_label(sn_result_reader *r, const char *path, const char *name, int *n,
                                 const char *const **out, sn_err *err);

/* Sensors (all: and states) as CSV with a header line "t,tip.x,tip.y"; units in a second, commented line when
   `units`. Columns outside /sensors carry their whole path: "states.q.0". path NULL or "-": stdout. Written
   atomically; what is no plain file (a pipe, a device) is written directly. */
sn_status sn_result_export_csv(sn_result_reader *r, const char *path, int all, int units, sn_err *err);
/* The moving mechanism as VTK files: the index `path`, which ends with .pvd, and beside it a folder of that
   name with one .vtu file per frame. */
sn_status sn_result_export_vtk(sn_result_reader *r, const char *path, sn_err *err);
/* Everything with one row a frame as a MATLAB file (level 5) with one struct `result`. Written atomically. */
sn_status sn_result_export_mat(sn_result_reader *r, const char *path, sn_err *err);

#endif
