/* Central differences (velocity Verlet), one evaluation per step, with coordinate partitioning (explicit.h):

       w = v0 + h/2 a0,   q1 = retract(q0, h w),   a1 = a(q1, w + h/2 a0),   v1 = w + h/2 a1

   Order 2; without damping stable below h = 2/omega of the fastest vibration. */
#include "integrator/explicit.h"

#include <math.h>
#include <string.h>

extern const sn_integrator_class sn_integrator_central_differences;

enum { OWN_SET, OWN_COUNT };

static const double limit = 2;

typedef struct central {
    sn_explicit x;
    double *w;
    sn_local_error error;
} central;

static void close_(void *self)
{
    central *s = self;
    if (!s) return;
    sn_free(s->w);
    sn_explicit_close(&s->x);
    sn_free(s);
}

static sn_status no_first_order(const sn_model *m, sn_err *err)
{
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        if (!n->ground && n->cls->order == 1)
            return sn_fail(err, SN_ERR_INPUT, &n->mark,
                           "%s '%s': it is of first order, which the scheme central_differences cannot do",
                           n->cls->name, n->name);
    }
    return SN_OK;
}

static sn_status open_(const sn_integration *in, void **self, sn_err *err)
{
    central *s;
    SN_TRY(no_first_order(in->w->m, err));
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    sn_status status = SN_NEW(s->w, in->w->m->nv + 1) ? sn_explicit_open(in, &s->x, err) : SN_OUT_OF_MEM(err);
    if (status)
        close_(s);
    else
        *self = s;
    return status;
}

static sn_status begin(void *self, sn_state *x, sn_err *err)
{
    central *s = self;
    SN_TRY(sn_explicit_begin(&s->x, x, limit, err));
    return sn_explicit_choose(&s->x, x, 1, x->own[OWN_SET], err);
}

static sn_status make_step(void *self, const sn_state *x0, double h, sn_state *x1, sn_err *err)
{
    central *s = self;
    sn_explicit *x = &s->x;
    const int nv = x->w->m->nv;
    double *set = x1->own[OWN_SET], *d = x->d;
    memcpy(set, x0->own[OWN_SET], sizeof *set * (size_t)nv);
    d[nv] = 0;
    for (int i = 0; i < nv; i++) {
        s->w[i] = x0->v[i] + h / 2 * x0->a[i];
        d[i] = h * s->w[i];
        x1->v[i] = s->w[i] + h / 2 * x0->a[i];
    }
    x1->t = x0->t + h, x1->h = h;
    SN_TRY(sn_explicit_time(x, x1->t, err));
    SN_TRY(sn_explicit_fit(x, set, x0, d, x1, err));
    SN_TRY(sn_explicit_fit_rates(x, set, x1, err));
    SN_TRY(sn_explicit_rates(x, x1, err));
    for (int i = 0; i < nv; i++) x1->v[i] = s->w[i] + h / 2 * x1->a[i];
    SN_TRY(sn_explicit_fit_rates(x, set, x1, err));
    s->error = (sn_local_error){0};
    for (int i = 0; i < nv; i++)
        s->error.now = fmax(s->error.now, h * h / 6 * fabs(x1->a[i] - x0->a[i]) * x->size[i]);
    s->error.ahead = s->error.now;
    return sn_explicit_choose(x, x1, 0, set, err);
}

static sn_status step(void *self, const sn_state *x0, double h, sn_state *x1, sn_err *err)
{
    const int before = sn_err_count(err);
    return sn_explicit_failed(&((central *)self)->x, make_step(self, x0, h, x1, err), before, h, limit, err);
}

static sn_local_error error(void *self) { return ((central *)self)->error; }

static void restart(void *self) { sn_explicit_restart(&((central *)self)->x); }

static const sn_scheme schemes[] = {
    {"central_differences",
     "explicit, order 2, one evaluation per step: for soft systems with constant mass, impacts", NULL, NULL},
    {.name = NULL}};

const sn_integrator_class sn_integrator_central_differences = {
    .name = "central_differences",
    .doc = "central differences",
    .schemes = schemes,
    .history = OWN_COUNT,
    .order = 2,
    .open = open_,
    .begin = begin,
    .step = step,
    .error = error,
    .restart = restart,
    .close = close_,
};
