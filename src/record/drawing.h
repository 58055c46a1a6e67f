/* Arrays of result files from which a model can be drawn, see docs/results.md. */
#ifndef SN_RECORD_DRAWING_H
#define SN_RECORD_DRAWING_H

#include "analysis/analysis.h"
#include "io/result.h"

/* A list in an arena. Those that are stored in single precision are at its end. */
typedef struct sn_drawing {
    sn_arena *arena;
    const sn_model *m;
    const sn_values *p;
    const sn_run_options *o; /* whose `message` hears what is left out */
    sn_result_array *array;
    int n, single;
    struct sn_drawing_mesh *mesh;
    int n_mesh;
} sn_drawing;

/* Everything, and the given arrays; SN_ERR_MEMORY or SN_OK. */
sn_status sn_drawing_make(sn_drawing *d, const sn_result_array *extra, int n_extra);

/* Parts of it: lines, bodies, surfaces with their sizes; shapes; triangles of the shapes that are STL files.
 */
sn_status sn_drawing_sizes(sn_drawing *d);
sn_status sn_drawing_shapes(sn_drawing *d);
sn_status sn_drawing_triangles(sn_drawing *d);
int sn_drawing_shape_count(const sn_model *m);
/* Meshes of elements: which, their lines and triangles; then places and modes of their nodes, which are
   stored in single precision. */
sn_status sn_drawing_meshes(sn_drawing *d);
sn_status sn_drawing_mesh_numbers(sn_drawing *d);
int sn_drawing_mesh_count(const sn_model *m); /* at most */
void sn_drawing_add(sn_drawing *d, sn_result_array a);
/* Where an object (of elements or joints, as the section says) is fastened to its node k: from the node, in
   its axes. Its slots say it (SN_ON_NODE1, SN_ON_NODE2); zero where they do not, where the node does not
   turn, and for what is spread over an element. */
void sn_object_point(const sn_model *m, const sn_values *p, int section, const sn_object *o, int k,
                     double *arm);

/* Where a joint sits: which of its nodes it is, the last that moves (else the last; -1: it has none), and the
   joint's place from there, in the node's axes. */
int sn_joint_pin(const sn_model *m, const sn_values *p, const sn_object *joint, double *arm);

#endif
