/* The motion of a model from samples of its coordinates: positions, velocities, accelerations, their noise.
 */
#ifndef SN_IDENTIFY_KINEMATICS_H
#define SN_IDENTIFY_KINEMATICS_H

#include "identify/smooth.h"
#include "sinew/sinew.h"

/* Central differences over three samples of q at distance h: v and a (nv each) at the middle one, of second
   order. Rotations in space go through the shortest rotation vectors from the middle sample. */
void sn_central_differences(const sn_model *m, double h, const double *before, const double *q,
                            const double *after, double *v, double *a);

/* Smoothing splines of n samples (times t ascending, rows of q) of each coordinate, at n_at times: rows of q,
   v, a. noise (3 rows of nv, or NULL): standard deviations left in q, v, a. Coordinates whose samples do not
   change pass without noise. Nodes with rotations in space are refused. */
sn_status sn_smooth_motion(const sn_model *m, int n, const double *t, const double *q, int n_at,
                           const double *at, const sn_smooth_options *o, double *q_at, double *v_at,
                           double *a_at, double *noise, sn_err *err);

/* Rotations of nodes of the plane guessed from the chords of the elements that join them, by length:
   coordinate c of a row of q, in (-pi, pi]. For coordinates that were not measured. */
void sn_guess_rotation(const sn_model *m, const sn_values *p, int c, double *q);

#endif
