/* Numbers of a result in a page: script elements with base64, little-endian. */
#ifndef SN_VIEW_BLOCK_H
#define SN_VIEW_BLOCK_H

#include "io/html.h"
#include "io/result.h"

enum { SN_VIEW_CHUNK = 1 << 15 };
/* Fields of a page: none; all, with ranges and numbers; of these the loads alone; or what they are, the rest
   being asked for later. */
enum { SN_FIELDS_NONE, SN_FIELDS_WHOLE, SN_FIELDS_LOADS, SN_FIELDS_ASKED };

/* A result on its way into a page. */
typedef struct sn_view_source {
    sn_result_reader *in;
    const char *prefix; /* of the ids of its elements: "" of the first result, "r1." of the second ... */
    double *chunk;      /* room for SN_VIEW_CHUNK numbers and for the widest column */
    int fields;
} sn_view_source;

sn_status sn_view_number(sn_html *h, double x, int single, sn_err *err);
sn_status sn_view_open(sn_html *h, const sn_view_source *s, const char *id, sn_err *err);
sn_status sn_view_close(sn_html *h, sn_err *err);
/* How many frames there are with a stride. */
int sn_view_sights(int frames, int stride);
/* Frames 0, stride ... of a column (-1: the coordinate); the last one is the result's last. */
sn_status sn_view_block(sn_html *h, const sn_view_source *s, const char *id, int column, int single,
                        int stride, sn_err *err);

/* Sizes, pins, loads, triangles, meshes and fields: members of the header, beginning with a comma; and their
   blocks. */
/* ,"linear": the linear system, or null. */
sn_status sn_view_linear(sn_html *h, const sn_view_source *s, sn_err *err);
sn_status sn_view_extras(sn_html *h, const sn_view_source *s, sn_err *err);
sn_status sn_view_extra_blocks(sn_html *h, const sn_view_source *s, sn_err *err);

/* Over all frames of a field: the smallest and largest number of each component; or, of forces with moments,
   the largest amounts of both. n numbers, to be freed; an error where the column is no field. */
sn_status sn_view_range(const sn_view_source *s, int column, int *n, double **range, sn_err *err);
/* Corners of the triangles of a shape, 9 numbers each; no rows: it has none. */
sn_status sn_view_triangles(const sn_view_source *s, int shape, sn_result_table *t, sn_err *err);

/* A part of a mesh, as numbers in single precision; no rows: it has none. */
enum { SN_MESH_NODES, SN_MESH_MODES, SN_MESH_LINES, SN_MESH_TRIANGLES, SN_MESH_PARTS };
sn_status sn_view_mesh(const sn_view_source *s, int mesh, int part, sn_result_table *t, sn_err *err);

/* Measured data, a CSV file whose first column is the time, as one more result that has sensors only. */
sn_status sn_view_data(sn_html *h, const char *prefix, const char *path, sn_err *err);

#endif
