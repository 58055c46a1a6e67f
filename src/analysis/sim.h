/* Inside of a simulation (sn_sim): what runs, gradients and identification do with one.

   It is made once: work, analysis of the pattern, states. Each start makes a consistent state of the values
   and a new integrator; after other values (sn_sim_renew) it gives to the last bit what a new simulation
   would. */
#ifndef SN_ANALYSIS_SIM_H
#define SN_ANALYSIS_SIM_H

#include "analysis/analysis.h"
#include "analysis/step_size.h"
#include "analysis/turning.h"

/* NEW: not started; TRIED: the state is not that which is kept. */
typedef enum sn_stage { SN_SIM_NEW, SN_SIM_STARTED, SN_SIM_TRIED } sn_stage;

/* Who carries derivatives along with attempts; all NULL: nobody. `start` of the follower is called before
 * each. */
typedef struct sn_respond {
    const sn_follow *follow;
    void *self;
    void (*release)(void *self);
} sn_respond;

struct sn_sim {
    sn_run_options o; /* own; what it points to is not */
    sn_info info;
    sn_values *p; /* own */
    sn_context d; /* its state is where the simulation is */
    const sn_integrator_class *cls;
    const sn_scheme *scheme;
    void *integrator; /* from a start on */
    sn_stage stage;
    int used;                /* was started before */
    sn_state *next;          /* the end of a step that is not taken yet */
    sn_state *between;       /* scratch: between steps; the start of a step in parts */
    long taken;              /* whole steps since the start */
    int reported;            /* step reductions told */
    sn_step_size step_size;  /* with step-size control */
    const sn_follow *follow; /* or NULL */
    sn_turning turning;
    sn_state *kept; /* where what is tried began */
    sn_step_size kept_step_size;
    sn_respond respond;
    sn_err own_err; /* for a caller without one */
};

/* Other values of the same model, and other options: the next thing is a start. Scheme and solver must be as
   they were. */
sn_status sn_sim_renew(sn_sim *s, const sn_values *p, const sn_run_options *o, sn_err *err);
/* The consistent start, and an integrator for it. */
sn_status sn_sim_prepare(sn_sim *s, sn_err *err);
/* Another integrator, of which the state has been begun by an earlier one. */
sn_status sn_sim_integrate(sn_sim *s, sn_err *err);
/* What follows depends on the state alone, as far as its steps go. */
void sn_sim_restart(sn_sim *s);
/* A run, followed or not, by a simulation that is kept for the next one of the model: *sim NULL: it is made.
 */
sn_status sn_run_kept(sn_sim **sim, const sn_model *m, const sn_values *p, const sn_run_options *o,
                      const sn_follow *follow, sn_info *info, sn_err *err);

/* One step of the integrator of size h into `next`. */
sn_status sn_sim_one(sn_sim *s, double h, sn_err *err);
/* A whole step of size h into `next`; where it fails, two halves and so on. */
sn_status sn_sim_advance(sn_sim *s, double h, sn_err *err);
/* One step into `next`, not past `end`, whose local error is allowed. */
sn_status sn_sim_advance_controlled(sn_sim *s, double end, sn_err *err);
/* `next` is judged and counts; last: nothing follows. Then sn_sim_swap. */
sn_status sn_sim_accept(sn_sim *s, int last, sn_err *err);

/* `next` becomes the state. */
static inline void sn_sim_swap(sn_sim *s)
{
    sn_state *x = s->d.x;
    s->d.x = s->next, s->next = x;
}

/* Whether it is started and nothing is tried; an error if not. */
sn_status sn_sim_is_kept(const sn_sim *s, sn_err *err);
/* What follows depends on the state and the inputs alone. */
sn_status sn_sim_fresh(sn_sim *s, sn_err *err);

/* The signal of an input that can be a polynomial of this order; an error if there is none, or it cannot. */
sn_status sn_sim_input_of_order(const sn_sim *s, int input, int order, const sn_object **out, sn_err *err);

/* Steps of size `step` that make up a length. */
long sn_sim_steps(double length, double step);

#endif
