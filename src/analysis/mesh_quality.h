/* Whether meshes of surfaces are good: for sn_check, and for all analyses how neighbours are numbered. */
#ifndef SN_ANALYSIS_MESH_QUALITY_H
#define SN_ANALYSIS_MESH_QUALITY_H

#include "model/values.h"

/* Adds a line "mesh TEXT" or "badmesh TEXT" to what a check tells. */
typedef sn_status sn_quality_line(void *to, const char *what, const char *text);

/* Edges along which neighbours run the same way. */
sn_status sn_mesh_numbering(const sn_values *p, sn_quality_line *add, void *to, sn_err *err);
/* The same, and of every entry of several triangles or quadrilaterals its worst elements. */
sn_status sn_mesh_quality(const sn_values *p, sn_quality_line *add, void *to, sn_err *err);

#endif
