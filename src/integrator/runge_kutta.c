/* Runge and Kutta's method of order 4 with coordinate partitioning (explicit.h); rotations after Munthe-Kaas.
   Four evaluations a step, and no history: each step stands alone. */
#include "integrator/explicit.h"

#include <string.h>

extern const sn_integrator_class sn_integrator_runge_kutta;

enum { OWN_SET, OWN_COUNT };

/* h times the frequency of an undamped vibration, below which the method is stable */
static const double limit = 2.8;

typedef struct runge_kutta {
    sn_explicit x;
    sn_local_error error;
} runge_kutta;

static void close_(void *self)
{
    runge_kutta *s = self;
    if (!s) return;
    sn_explicit_close(&s->x);
    sn_free(s);
}

static sn_status open_(const sn_integration *in, void **self, sn_err *err)
{
    runge_kutta *s;
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    sn_status status = sn_explicit_open(in, &s->x, err);
    if (status)
        close_(s);
    else
        *self = s;
    return status;
}

static sn_status begin(void *self, sn_state *x, sn_err *err)
{
    runge_kutta *s = self;
    SN_TRY(sn_explicit_begin(&s->x, x, limit, err));
    return sn_explicit_choose(&s->x, x, 1, x->own[OWN_SET], err);
}

static sn_status make_step(void *self, const sn_state *x0, double h, sn_state *x1, sn_err *err)
{
    runge_kutta *s = self;
    const double *set = x0->own[OWN_SET];
    SN_TRY(sn_explicit_runge_kutta(&s->x, x0, h, set, x1, &s->error, err));
    memcpy(x1->own[OWN_SET], set, sizeof *set * (size_t)s->x.w->m->nv);
    return sn_explicit_choose(&s->x, x1, 0, x1->own[OWN_SET], err);
}

static sn_status step(void *self, const sn_state *x0, double h, sn_state *x1, sn_err *err)
{
    const int before = sn_err_count(err);
    return sn_explicit_failed(&((runge_kutta *)self)->x, make_step(self, x0, h, x1, err), before, h, limit,
                              err);
}

static sn_local_error error(void *self) { return ((runge_kutta *)self)->error; }

static void restart(void *self) { sn_explicit_restart(&((runge_kutta *)self)->x); }

static const sn_scheme schemes[] = {
    {"runge_kutta",
     "explicit Runge-Kutta of order 4 with coordinate partitioning: for rigid and soft systems", NULL, NULL},
    {.name = NULL}};

const sn_integrator_class sn_integrator_runge_kutta = {
    .name = "runge_kutta",
    .doc = "Runge and Kutta's method of order 4",
    .schemes = schemes,
    .history = OWN_COUNT,
    .order = 4,
    .open = open_,
    .begin = begin,
    .step = step,
    .error = error,
    .restart = restart,
    .close = close_,
};
