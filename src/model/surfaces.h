/* Inside of the compiler: meshes of the section `meshes`, their nodes, and sets of nodes. */
#ifndef SN_MODEL_SURFACES_H
#define SN_MODEL_SURFACES_H

#include "model/compile.h"

/* Edges that meshes share with meshes before them. */
typedef struct sn_shared {
    int mesh, other, back;
    const sn_mesh_set *own, *of;
} sn_shared;
typedef struct sn_sharing {
    sn_shared *edge;
    int n, most;
} sn_sharing;

/* surface.c */
/* The node of an element's mesh called "n3", or "n3_1" in a surface; *rest: what follows. -1: there is none.
 */
int sn_mesh_node_named(const sn_entry *e, const char *text, const char **rest);
int sn_surface_at(const sn_surface *s, int i, int j); /* node of a grid in column i of row j; -1: none */
/* Nodes that a mesh shares with others become theirs, where they have been made. */
void sn_surface_take(sn_compiler *c, int index, const sn_sharing *s);

/* surface_nodes.c: those of a mesh's nodes that are used */
sn_status sn_surface_nodes(sn_compiler *c, int index, const sn_sharing *s);

/* structure.c: a whole number from 1 on, or an expression of parameters that is one; 0: it is none, -1: what
   is wrong has been reported */
int sn_whole_item(sn_compiler *c, const sn_scope *scope, const sn_item *k);

/* mesh.c */

/* "3", or in a refined mesh "3+1/2": place i of a division in terms of what is written. */
const char *sn_place_name(int refined, int i, char *out, size_t size);

#endif
