/* Factors that ride with the motion.

   Stiffness of beams turns with them. Written in axes that turn along it changes by the deformation alone, so
   that old factors of J serve as Q J^-1 Q': Q turns what is along global axes at a node by the node's
   rotation since the factors were made. Translations of the nodes of elements with SN_TURNS ride so, and
   equations of joints that are vectors along global axes (sn_layout.vector) ride with the first such node of
   the joint. Rotations are in body axes and ride by themselves. Q only decides how fast Newton converges. */
#ifndef SN_INTEGRATOR_RIDE_H
#define SN_INTEGRATOR_RIDE_H

#include "linsol/linsol.h"
#include "system/system.h"

typedef struct sn_ride sn_ride;

sn_status sn_ride_new(const sn_work *w, sn_ride **out, sn_err *err);
void sn_ride_free(sn_ride *r);
int sn_ride_carriers(const sn_ride *r);          /* nodes that carry factors */
void sn_ride_start(sn_ride *r, const double *q); /* the factors are those of the configuration q */
void sn_ride_turn(sn_ride *r, const double *q);  /* they serve for q */
sn_status sn_ride_solve(const sn_ride *r, sn_linsol *ls, double *b);

#endif
