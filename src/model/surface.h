/* Meshes of the section `meshes`: surfaces as nodes, cells between them and named sets of both. A kind with a
   form (sn_mesh_form) is a grid, its places are formulas; else a file has numbered nodes. Which of the nodes
   the model has is known when elements have been put on cells: the others are not made. */
#ifndef SN_MODEL_SURFACE_H
#define SN_MODEL_SURFACE_H

#include "base/mem.h"

/* Nodes and cells by their index in the mesh, edges as pairs of nodes; the members of a group of a file, or
   an edge of a grid. Nodes are those of the cells, the edges and single points together, ascending. */
typedef struct sn_mesh_set {
    const char *name;
    int n_node, n_edge, n_cell;
    int *node, (*edge)[2], *cell;
} sn_mesh_set;

typedef struct sn_surface {
    int n_node, n_cell, n_set;
    int *id;        /* numbers of the nodes, ascending; NULL: a grid */
    int *cell_id;   /* numbers of the cells in the file; NULL: a grid */
    double *X;      /* places in a file, n_node x 3; NULL: a grid */
    int (*cell)[4]; /* corners; of triangles -1 behind them */
    sn_mesh_set *set;
    int divided[2], refined, closed; /* of a grid: cells along u and w; its columns close */
    int *column;                     /* of a grid: first of the quantities of each column (0 .. divided[0]) */
    int *row;                        /* likewise of each row */
    unsigned char *used;             /* nodes that elements have */
    int *node;                       /* nodes of the model; -1: it has none */
} sn_surface;

/* Index of the node with this number of a file; -1: there is none. */
int sn_surface_find(const sn_surface *s, int id);
const sn_mesh_set *sn_surface_set(const sn_surface *s, const char *name); /* or NULL */

#endif
