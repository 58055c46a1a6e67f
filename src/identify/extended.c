#include "identify/extended.h"

#include <math.h>
#include <string.h>

void sn_extended_free(sn_extended *x, sn_fit *f)
{
    if (!x) return;
    if (x->f) f->simulations += x->f->simulations, f->stopped |= x->f->stopped;
    sn_fit_free(x->f);
    sn_free(x->s.unknown), sn_free(x->z);
    sn_free(x);
}

static sn_unknown unknown_of(const sn_candidate *c, double scale)
{
    return (sn_unknown){.name = c->name,
                        .unit = c->unit,
                        .shown = c->unit,
                        .shown_factor = 1,
                        .parameter = c->name,
                        .id = c->id,
                        .experiment = -1,
                        .start = c->now,
                        .lower = c->lower,
                        .upper = c->upper,
                        .scale = scale,
                        .prior = NAN,
                        .prior_sd = NAN};
}

sn_status sn_extended_new(sn_fit *f, const double *z, int n, sn_candidate *const *c, const double *scale,
                          sn_extended **out, sn_err *err)
{
    sn_extended *x;
    size_t own = (size_t)f->n;
    *out = NULL;
    if (!SN_NEW(x, 1)) return SN_OUT_OF_MEM(err);
    x->s = *f->s, x->s.unknown = NULL;
    sn_status status = SN_NEW(x->s.unknown, own + (size_t)n + 1) && SN_NEW(x->z, own + (size_t)n + 1)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    if (!status) {
        memcpy(x->s.unknown, f->s->unknown, own * sizeof *x->s.unknown), memcpy(x->z, z, own * sizeof *z);
        for (int i = 0; i < n; i++) {
            x->s.unknown[own + (size_t)i] = unknown_of(c[i], scale[i]);
            x->z[own + (size_t)i] = c[i]->now / scale[i];
        }
        x->s.n_unknown += n;
        status = sn_fit_new(&x->s, f->threads, &x->f, err);
    }
    if (!status) x->f->progress = f->progress, x->f->ctx = f->ctx, x->f->done = f->done;
    if (!status) x->f->deadline = f->deadline;
    for (int e = 0; !status && e < x->s.n_experiment; e++)
        for (int i = 0; i < n; i++)
            if (c[i]->lever >= 0) {
                sn_values *v = x->f->part[e].values;
                v->x[c[i]->lever] = SN_LEVER, v->fixed[c[i]->lever] = 1;
            }
    if (status)
        sn_extended_free(x, f);
    else
        *out = x;
    return status;
}
