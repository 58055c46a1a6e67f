/* Finite-element bodies from files of other programs: matrices, nodes, meshes with sets of nodes. */
#ifndef SN_REDUCE_FE_FILES_H
#define SN_REDUCE_FE_FILES_H

#include "reduce/reduce.h"

#include <locale.h>

typedef struct sn_fe_set {
    const char *name;
    int n, cap, *node; /* indices, each once */
} sn_fe_set;

typedef struct sn_fe_mesh {
    int n_node, cap_node;
    int *id;     /* as the file numbers them, ascending once it is read */
    double *X;   /* n_node x 3 */
    int *number; /* coordinates of each node, 3 or 6; NULL: 3 */
    int n_set, cap_set;
    sn_fe_set *set;
    int n_face, cap_face;
    int (*face)[4]; /* corners of outer faces, of triangles -1 behind them */
} sn_fe_mesh;

void sn_fe_mesh_free(sn_fe_mesh *m);
int sn_fe_mesh_find(const sn_fe_mesh *m, int id); /* its index; -1: there is no such node */
/* A node of any number at the end; then nodes in the order of their numbers, *twice: one that comes again. */
sn_status sn_fe_mesh_put(sn_fe_mesh *m, const double *row, sn_err *err);
sn_status sn_fe_mesh_sort(sn_fe_mesh *m, int *twice);
/* A row of a table: number, x, y, z; numbers ascend. */
sn_status sn_fe_mesh_add(sn_fe_mesh *m, const double *row, const char *path, sn_err *err);
/* The names of sets and texts live in the arena. */
sn_status sn_fe_read_inp(const char *path, sn_arena *arena, sn_fe_mesh *m, sn_err *err);
sn_status sn_fe_read_csv(const char *path, sn_arena *arena, sn_fe_mesh *m, sn_err *err);

/* MatrixMarket, or lines "row column number" of one triangle, as CalculiX stores them. square: rows are as
   many as columns, and both triangles come out. */
sn_status sn_fe_read_matrix(const char *path, int square, sn_arena *arena, sn_sparse *out, sn_err *err);
/* Text op4 files of Nastran; the matrix of that name, NULL: the only one. */
sn_status sn_fe_read_op4(const char *path, const char *name, int square, sn_arena *arena, sn_sparse *out,
                         sn_err *err);
/* Bulk data of Nastran. GRID entries become nodes; DMIG entries of one name triplets whose rows and columns
   are 6 node + direction. */
sn_status sn_fe_read_grids(const char *path, sn_fe_mesh *m, sn_err *err);
sn_status sn_fe_read_dmig(const char *path, const char *name, const sn_fe_mesh *m, sn_triplets *out,
                          sn_err *err);
/* From HDF5: "body.h5:/object", or "body.h5" with the object that is meant then. A matrix is a dataset of two
   dimensions, or a group with `data`, `indices`, `indptr` and `shape`, or with `row`, `col`, `data` and
   `shape`; nodes are a dataset with rows x, y, z or number, x, y, z. */
sn_status sn_fe_read_h5_matrix(const char *text, const char *object, int square, sn_arena *arena,
                               sn_sparse *out, sn_err *err);
sn_status sn_fe_read_h5_nodes(const char *text, const char *object, sn_arena *arena, sn_fe_mesh *m,
                              sn_err *err);
/* Lines "node.direction", one for each row: pairs of numbers. */
sn_status sn_fe_read_dofs(const char *path, sn_arena *arena, int *n, int (**out)[2], sn_err *err);

/* All of a text file, in the C locale; lines one by one. */
typedef struct sn_lines {
    const char *path;
    char *bytes, *next;
    int line;
    locale_t plain, before; /* numbers have a point, whatever the program's locale */
    sn_err *err;
} sn_lines;
sn_status sn_lines_open(sn_lines *l, const char *path, sn_err *err);
char *sn_lines_next(sn_lines *l); /* without its end; NULL: there are no more */
sn_status sn_lines_fail(const sn_lines *l, const char *what);
void sn_lines_close(sn_lines *l);
/* The next number of a line, which goes on behind it (and a comma); 0: there is none. */
int sn_lines_number(char **at, double *x);

#endif
