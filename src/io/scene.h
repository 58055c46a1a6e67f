/* What a result shows: points and cells of the whole mechanism, made once, and their places at a frame.

   Cubic lines have SN_SCENE_PIECES pieces, bent by cubic Hermite interpolation between their ends; triangles,
   quadrilaterals and solids are between their nodes; bodies with a shape are surfaces fixed to their node,
   those with a mesh lines and triangles that deform as it says; all other elements and the joints are lines
   between the points where they are fastened to their first two nodes, or a point at their only one. Arms are
   lines from a node that moves to such a point. What has no place (scalar coordinates) is left out. */
#ifndef SN_IO_SCENE_H
#define SN_IO_SCENE_H

#include "io/result.h"

#include <stdint.h>

enum { SN_SCENE_PIECES = 8 };
enum { /* VTK's numbers */
       SN_CELL_VERTEX = 1,
       SN_CELL_LINE = 3,
       SN_CELL_POLY_LINE = 4,
       SN_CELL_TRIANGLE = 5,
       SN_CELL_POLYGON = 7,
       SN_CELL_QUAD = 9,
       SN_CELL_TETRA = 10,
       SN_CELL_HEXAHEDRON = 12
};
enum {
    SN_GROUP_LINE,
    SN_GROUP_BODY,
    SN_GROUP_ELEMENT,
    SN_GROUP_JOINT,
    SN_GROUP_ELEMENT_ARM,
    SN_GROUP_JOINT_ARM,
    SN_GROUP_SURFACE /* and solids */
};

typedef struct sn_scene_node {
    int moves;
    int q, v, nq, nv;    /* its own numbers among all; v -1: it does not move */
    int dim;             /* 0: has no place; 2, 3 */
    int x_q, x_v;        /* place of its position in q and v */
    int turns, R_q, R_v; /* likewise of its rotation */
    double X[3];
} sn_scene_node;

/* How a mesh deforms: modes x 3 numbers a point, which the numbers from q and v on are amplitudes of; turn:
   of its axes in those of the node that moves it. */
typedef struct sn_scene_mesh {
    int modes, q, v;
    const double *phi; /* owned by the reader */
    double turn[9];
} sn_scene_mesh;

typedef struct sn_scene_part {
    int node[2], first, count;
    const sn_scene_mesh *mesh; /* or NULL */
} sn_scene_part;

/* Numbers of a field at a scene's cells, or at its points where some object has several. */
typedef struct sn_scene_field {
    const char *name;
    int column; /* of the result */
    int width, n;
    const char *const *component;
    int at_points;
    int *first, *points; /* of each cell: its first number in the column, -1: none; and at how many points */
} sn_scene_field;

typedef struct sn_scene {
    sn_arena arena;
    int nq, nv, n_node, n_part, n_point, n_cell, n_corner;
    int cap_part, cap_local, cap_corner, cap_end, cap_type, cap_index, cap_group, cap_thing;
    sn_scene_node *node;
    sn_scene_part *part;
    double *local;       /* 3 a point: from the node, in its axes; of cubic lines only of both ends */
    int32_t *corner;     /* points of the cells, one after the other */
    int32_t *end;        /* of each cell in corner */
    unsigned char *type; /* of each cell: SN_CELL_... */
    int32_t *index;      /* of each cell: row in /model/elements or /model/joints */
    int32_t *group;      /* of each cell: SN_GROUP_... */
    const char **thing;  /* of each cell: "kind:name", owned by the reader */
    float *thickness;    /* of each cell, NAN: none; NULL: no surface has one */
    sn_scene_field *field;
    int n_field, max_field; /* fields, and the widest column of them */
} sn_scene;

/* From the constant arrays of a result; SN_ERR_INPUT when it has nothing to draw. Free it in any case. */
sn_status sn_scene_make(sn_scene *s, sn_result_reader *r, sn_err *err);
void sn_scene_free(sn_scene *s);

/* Places x, displacements from the reference configuration u and velocities w of all points, 3 each. */
void sn_scene_place(const sn_scene *s, const double *q, const double *v, double *x, double *u, double *w);

/* A field's numbers y of a frame at all cells or points, n each; NAN where there is none. */
void sn_scene_field_place(const sn_scene *s, const sn_scene_field *f, const double *y, float *out);
/* For sn_scene_make: reads the fields of a scene whose cells are made. */
sn_status sn_scene_fields(sn_scene *s, sn_result_reader *r, sn_err *err);

/* One shape (a row of /model/shapes and its name "kind:name:file") on a node; unknown forms add nothing. */
sn_status sn_scene_shape(sn_scene *s, const char *name, int node, const double *row, int index,
                         const char *thing);
/* Elements that are drawn as a mesh; they are marked in `drawn`. */
sn_status sn_scene_meshes(sn_scene *s, sn_result_reader *r, const sn_result_array *elements,
                          unsigned char *drawn, sn_err *err);
/* Deformation of point i of n by the amplitudes d, in the axes of the node. */
void sn_scene_mesh_deform(const sn_scene_mesh *m, int n, int i, const double *d, double *u);
/* For them: n points on a node, returns the first one's number or -1; a cell of n corners. */
int sn_scene_points(sn_scene *s, int node0, int node1, int n);
sn_status sn_scene_cell(sn_scene *s, int type, int n, const int *corner, int index, int group,
                        const char *thing);

#endif
