/* The motion of a model from samples of its coordinates: positions, velocities, accelerations, their noise.
 */
#ifndef SN_IDENTIFY_KINEMATICS_H
#define SN_IDENTIFY_KINEMATICS_H

#include "sinew/sinew.h"

/* Central differences over three samples of q at distance h: v and a (nv each) at the middle one, of second
   order. Rotations in space go through the shortest rotation vectors from the middle sample. */
void sn_central_differences(const sn_model *m, double h, const double *before, const double *q,
                            const double *after, double *v, double *a);

/* Rotations of planar nodes guessed from the chords of the elements that join them, by length:
   coordinate c of a row of q, in (-pi, pi]. For coordinates that were not measured. */
void sn_guess_rotation(const sn_model *m, const sn_values *p, int c, double *q);

#endif
