/* Bodies from files in other units than SI. */
#ifndef SN_REDUCE_UNITS_H
#define SN_REDUCE_UNITS_H

#include "reduce/fe_files.h"

/* "mm, t", of lengths and masses; NULL: "m, kg". Times are seconds. */
sn_status sn_fe_units(const char *text, double *length, double *mass, sn_err *err);
/* Nodes, matrices and what is recovered into SI */
sn_status sn_fe_scale(sn_fe_body *fe, sn_fe_mesh *mesh, double length, double mass, sn_err *err);

#endif
