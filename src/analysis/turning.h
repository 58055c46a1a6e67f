/* Whether points go round too fast for the steps of a run.

   Where the force on a point turns by an angle that the scheme does not bear (integrator.h), what the
   scheme damps across a constraint leaks into motion along it, and energy can grow without bound, though each
   step converges; bodies in free flight whose node is not their centre of mass push themselves. Seen
   by the change of its velocity over a step: on a circle of speed u that is u angle, for every observer in
   uniform motion. The angle counts by the share of the circle's energy in that and the energy of rotation,
   sqrt(share) times it: a rotor whose node is on its axis, or nearly, turns by any angle. Told are points
   that have gone round once, in twenty steps or more and one sense, by forces that matter in the model, on
   circles that are not small against it, and with some node that turns along (where nodes have rotations):
   others are vibrations that the steps do not resolve. */
#ifndef SN_ANALYSIS_TURNING_H
#define SN_ANALYSIS_TURNING_H

#include "analysis/analysis.h"

/* How long a node has been going round: steps, angle; of the last one the cosine of the angle, the axis, the
   change of velocity and its square. */
typedef struct sn_round {
    int place; /* of its position among its coordinates; -1: it has none */
    int steps;
    double turned, cosine, axis[3], change[3], square;
} sn_round;

typedef struct sn_turning {
    double limit, cosine2; /* rad a step, square of its cosine */
    sn_round *round;       /* n_node */
    double *mass, *matrix; /* nv: diagonal of the mass matrix, when `weighed`; all of it */
    int weighed;
    int found;       /* some point turned too fast */
    int node;        /* that turned most */
    double angle, t; /* by how much; when the first one did */
} sn_turning;

sn_status sn_turning_open(const sn_model *m, double limit, sn_turning *u, sn_err *err);
void sn_turning_close(sn_turning *u);
/* x0 has led to x1, the context's work is at its time. Allocates nothing. */
sn_status sn_turning_step(sn_turning *u, sn_context *d, const sn_state *x0, const sn_state *x1, sn_err *err);
/* A message, if there is reason for one. */
void sn_turning_tell(const sn_turning *u, const sn_context *d);

#endif
