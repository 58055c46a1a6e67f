/* How what a simulation has tried depends on its inputs: their coefficients are numbers of the model like any
   others, and the derivatives are carried along with the steps from zero, since the state that is kept does
   not depend on them. */
#include "analysis/sim.h"
#include "sensitivity/forward.h"

#include <string.h>

typedef struct response {
    int n, *id; /* quantities */
    int ready;
    sn_forward f;
    sn_follow inner, follow;
} response;

static sn_status start(void *ctx, sn_context *d, const sn_integrator_class *cls, void *integrator,
                       sn_err *err)
{
    response *r = ctx;
    if (!r->ready) SN_TRY(r->inner.start(&r->f, d, cls, integrator, err));
    r->ready = 1;
    r->f.integrator = integrator;
    r->inner.back(&r->f);
    sn_dstate_clear(d->m, r->f.keep);
    return SN_OK;
}

static sn_status step(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    response *r = ctx;
    return r->inner.step(&r->f, x0, x1, err);
}

static void back(void *ctx)
{
    response *r = ctx;
    r->inner.back(&r->f);
}

static sn_status keep(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    response *r = ctx;
    return r->inner.keep(&r->f, x0, x1, err);
}

static void release(void *self)
{
    response *r = self;
    sn_forward_free(&r->f);
    sn_free(r->id);
    sn_free(r);
}

static sn_status new_response(int n, const int *id, response **out, sn_err *err)
{
    response *r;
    *out = NULL;
    if (!SN_NEW(r, 1)) return SN_OUT_OF_MEM(err);
    if (!SN_NEW(r->id, n)) {
        sn_free(r);
        return SN_OUT_OF_MEM(err);
    }
    memcpy(r->id, id, sizeof *id * (size_t)n);
    r->n = n;
    r->f = (sn_forward){.np = n, .id = r->id, .from_rest = 1};
    r->inner = sn_forward_follow(&r->f);
    r->follow = (sn_follow){.start = start, .step = step, .back = back, .keep = keep, .ctx = r};
    *out = r;
    return SN_OK;
}

/* Quantities of the inputs' coefficients. */
static sn_status list(const sn_sim *s, int n, const int *input, int order, int *id, sn_err *err)
{
    for (int i = 0; i < n; i++) {
        const sn_object *o;
        SN_TRY(sn_sim_input_of_order(s, input[i], order, &o, err));
        for (int k = 0; k < i; k++)
            if (input[k] == input[i])
                return sn_fail(err, SN_ERR_INPUT, NULL, "input '%s' is given twice", o->name);
        for (int k = 0; k <= order; k++) id[i * (order + 1) + k] = o->s + k;
    }
    return SN_OK;
}

/* The follower of these numbers, and the try once more with it. */
static sn_status follow(sn_sim *s, int n, const int *id, sn_err *err)
{
    response *r;
    double t = s->d.x->t;
    SN_TRY(new_response(n, id, &r, err));
    if (s->respond.release) s->respond.release(s->respond.self);
    s->respond = (sn_respond){.follow = &r->follow, .self = r, .release = release};
    sn_status status = sn_sim_try(s, t, err);
    if (!status) return SN_OK;
    release(r);
    s->respond = (sn_respond){0};
    return status;
}

static sn_status with_ids(sn_sim *s, int n, const int *id, double *G, sn_err *err)
{
    sn_context *d = &s->d;
    const response *r = s->respond.self;
    if (!r || r->n != n || memcmp(r->id, id, sizeof *id * (size_t)n)) {
        SN_TRY(follow(s, n, id, err));
        r = s->respond.self;
    }
    sn_system_time(d->w, d->x->t);
    sn_parameter_chain_time(r->f.chain, d->w, d->x->t);
    return sn_system_dsensors(d->w, d->x, r->f.chain, r->f.keep, NULL, G, err);
}

sn_status sn_sim_response(sn_sim *s, int n_input, const int *input, int order, double *G, sn_err *err)
{
    int *id;
    if (s->stage != SN_SIM_TRIED)
        return sn_fail(err, SN_ERR_INPUT, NULL, "nothing was tried whose response could be told");
    if (s->o.exact != SN_EXACT)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "derivatives need a simulation opened with options.exact = SN_EXACT");
    if (!s->cls->step_forward) return sn_scheme_no_derivatives(s->scheme->name, "forward", err);
    if (s->o.drop_redundant == SN_REDUNDANT_SHARE)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "reactions that are shared between redundant equations have no derivative here (use "
                       "redundant: drop)");
    if (n_input < 1 || order < 0)
        return sn_fail(err, SN_ERR_INPUT, NULL, "the response to which input, of which order?");
    if (!SN_NEW(id, (size_t)n_input * (size_t)(order + 1))) return SN_OUT_OF_MEM(err);
    sn_status status = list(s, n_input, input, order, id, err);
    if (!status) status = with_ids(s, n_input * (order + 1), id, G, err);
    sn_free(id);
    return status;
}
