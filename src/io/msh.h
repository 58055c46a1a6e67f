/* Surface meshes of Gmsh's MSH files: version 4.1, text or binary, and 2.2, text. */
#ifndef SN_IO_MSH_H
#define SN_IO_MSH_H

#include "model/surface.h"

/* Nodes, linear triangles and quadrilaterals, and physical groups of points, curves and surfaces as sets,
   into the arena. What is wrong is told with its line, in a binary file with the offset of its byte. */
sn_status sn_msh_read(const char *path, sn_arena *arena, sn_surface *out, sn_err *err);

#endif
