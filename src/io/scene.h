/* What a result shows: points and cells of the whole mechanism, made once, and their places at a frame.

   Beams are lines of SN_SCENE_PIECES pieces, bent by cubic Hermite interpolation between their ends; bodies
   with a shape are surfaces fixed to their node; all other elements and the joints are lines between
   the points where they are fastened to their first two nodes, or a point at their only one. Arms are lines
   from a node that moves to such a point. What has no place (first-order states) is left out. */
#ifndef SN_IO_SCENE_H
#define SN_IO_SCENE_H

#include "io/result.h"

#include <stdint.h>

enum { SN_SCENE_PIECES = 8 };
enum { SN_CELL_VERTEX = 1, SN_CELL_LINE = 3, SN_CELL_POLY_LINE = 4, SN_CELL_POLYGON = 7 }; /* VTK's numbers */
enum {
    SN_GROUP_BEAM,
    SN_GROUP_BODY,
    SN_GROUP_ELEMENT,
    SN_GROUP_JOINT,
    SN_GROUP_ELEMENT_ARM,
    SN_GROUP_JOINT_ARM
};

typedef struct sn_scene_node {
    int q, v; /* first place in q and v; v -1: does not move */
    int dim;  /* 0: has no place; 2, 3 */
    int turns;
    double X[3];
} sn_scene_node;

/* A beam (two nodes) or what is fixed to one node (node[1] -1): a run of points. */
typedef struct sn_scene_part {
    int node[2], first, count;
} sn_scene_part;

typedef struct sn_scene {
    sn_arena arena;
    int nq, nv, n_node, n_part, n_point, n_cell, n_corner;
    int cap_part, cap_local, cap_corner, cap_end, cap_type, cap_index, cap_group, cap_thing;
    sn_scene_node *node;
    sn_scene_part *part;
    double *local;       /* 3 a point: from the node, in its axes; of beams only of both ends */
    int32_t *corner;     /* points of the cells, one after the other */
    int32_t *end;        /* of each cell in corner */
    unsigned char *type; /* of each cell: SN_CELL_... */
    int32_t *index;      /* of each cell: row in /model/elements or /model/joints */
    int32_t *group;      /* of each cell: SN_GROUP_... */
    const char **thing;  /* of each cell: "beam2d_cr:bar", owned by the reader */
} sn_scene;

/* From the constant arrays of a result; SN_ERR_INPUT when it has nothing to draw. Free it in any case. */
sn_status sn_scene_make(sn_scene *s, sn_result_reader *r, sn_err *err);
void sn_scene_free(sn_scene *s);

/* Places x, displacements from the reference configuration u and velocities w of all points, 3 each. */
void sn_scene_place(const sn_scene *s, const double *q, const double *v, double *x, double *u, double *w);

/* One shape (a row of /model/shapes and its name "box:body") on a node; unknown kinds add nothing. */
sn_status sn_scene_shape(sn_scene *s, const char *name, int node, const double *row, int index,
                         const char *thing);
/* For it: n points on a node, returns the first one's number or -1; a cell of n corners. */
int sn_scene_points(sn_scene *s, int node0, int node1, int n);
sn_status sn_scene_cell(sn_scene *s, int type, int n, const int *corner, int index, int group,
                        const char *thing);

#endif
