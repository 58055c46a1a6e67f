/* Whether meshes of surfaces are good: for sn_check. */
#ifndef SN_ANALYSIS_MESH_QUALITY_H
#define SN_ANALYSIS_MESH_QUALITY_H

#include "model/values.h"

/* Adds a line "mesh TEXT" or "badmesh TEXT" to what a check tells. */
typedef sn_status sn_quality_line(void *to, const char *what, const char *text);

/* Of every entry of several triangles or quadrilaterals its worst elements; edges along which neighbours run
   the same way. */
sn_status sn_mesh_quality(const sn_values *p, sn_quality_line *add, void *to, sn_err *err);

#endif
