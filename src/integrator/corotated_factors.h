/* Corotated factors: they turn along with the rotations of nodes.

   Stiffness of beams turns with them. Written in axes that turn along it changes by the deformation alone, so
   that old factors of J serve as Q J^-1 Q': Q turns what is along global axes at a node by the node's
   rotation since the factors were made. Translations of the nodes of elements with SN_TURNS turn so, and
   equations of joints that are vectors along global axes (sn_layout.vector) turn with the first such node of
   the joint. Rotations are in body axes and need no Q. Q only decides how fast Newton converges. */
#ifndef SN_INTEGRATOR_COROTATED_FACTORS_H
#define SN_INTEGRATOR_COROTATED_FACTORS_H

#include "linsol/linsol.h"
#include "system/system.h"

typedef struct sn_corotated sn_corotated;

sn_status sn_corotated_new(const sn_work *w, sn_corotated **out, sn_err *err);
void sn_corotated_free(sn_corotated *r);
int sn_corotated_carriers(const sn_corotated *r);          /* nodes that carry factors */
void sn_corotated_start(sn_corotated *r, const double *q); /* the factors are those of the configuration q */
void sn_corotated_turn(sn_corotated *r, const double *q);  /* they serve for q */
sn_status sn_corotated_solve(const sn_corotated *r, sn_linsol *ls, double *b);

#endif
