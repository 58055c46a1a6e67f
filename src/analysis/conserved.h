/* What should be constant during a run, and how far it is off: sn_conserved. */
#ifndef SN_ANALYSIS_CONSERVED_H
#define SN_ANALYSIS_CONSERVED_H

#include "analysis/analysis.h"

enum { SN_CONSERVED_STATES = 100 }; /* looked at in a run, about */

typedef struct sn_conserved_watch {
    double next, between; /* s: the next state is looked at from here on */
    double energy, momentum[6], most_power;
    unsigned pushed;
    const sn_object *feeder;
    int idle_power, idle_push, works; /* something was idle at every state so far */
    const sn_object *waiting;
    double drift[6];
} sn_conserved_watch;

/* The first state of a run; where energies are not known nothing is ever told. */
sn_status sn_conserved_begin(sn_conserved_watch *c, sn_context *d, sn_err *err);
/* An accepted state, at the work's time; last: it is looked at in any case. */
sn_status sn_conserved_look(sn_conserved_watch *c, sn_context *d, const sn_state *x, int last, sn_err *err);

#endif
