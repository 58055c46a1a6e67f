/* Solids from STL files, text or binary: volume, centre and inertia of the body within the surface. */
#ifndef SN_IO_STL_H
#define SN_IO_STL_H

#include "base/mem.h"

enum { SN_STL_MAX_MB = 256 };

/* out: volume, centre (3), and the entries xx, yy, zz, xy, xz, yz of the inertia matrix of a unit mass about
   the centre, in the file's unit of length. Errors carry the file, and the line where it is a text. */
sn_status sn_stl_read(const char *path, double out[10], sn_err *err);
/* The triangles themselves, nine numbers each; free x with sn_free. */
sn_status sn_stl_triangles(const char *path, double **x, int *n, sn_err *err);

#endif
