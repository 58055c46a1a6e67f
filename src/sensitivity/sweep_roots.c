/* Roots at a value of the parameter: see sweep.h. */
#include "sensitivity/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#undef I

static sn_status make(sn_tracer *t, sn_locus *r, int derivatives, sn_err *err)
{
    const double range = fabs(t->o.to - t->o.from);
    sn_vibration_request q = {.run = t->o.run,
                              .at_static = t->o.at_static,
                              .at_steady = t->o.at_steady,
                              .np = derivatives,
                              .id = &t->id,
                              .size = 0.1 * range};
    q.run.frame = NULL, q.run.progress = NULL, q.run.message = NULL, q.run.ctx = NULL, q.run.n_point = 0;
    q.run.n_wrt = 0, q.run.exact = 1;
    if (q.run.drop_redundant == SN_REDUNDANT_SHARE) q.run.drop_redundant = SN_REDUNDANT_DROP;
    SN_TRY(sn_values_copy(t->values, &r->p, err));
    r->p->x[t->id] = r->at, r->p->fixed[t->id] = 1;
    SN_TRY(sn_values_update(r->p, err));
    r->spin = r->p->x[t->spin];
    SN_TRY(sn_vibration_new(t->m, r->p, &q, &r->v, err));
    if (derivatives && !r->v->by[0].x)
        return sn_fail(err, SN_ERR_INPUT, NULL, "nothing in the model depends on '%s'", t->o.parameter);
    SN_TRY(sn_vibration_modes(r->v, &r->arena, 1, &r->all, err));
    const size_t n = (size_t)r->all.n + 1;
    r->z = sn_arena_alloc(&r->arena, n, sizeof *r->z);
    r->ds = sn_arena_alloc(&r->arena, n, sizeof *r->ds);
    r->known = sn_arena_alloc(&r->arena, n, 1);
    if (!r->z || !r->ds || !r->known) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < r->all.n; i++) r->z[i] = r->all.mode[i].z;
    if (r->all.n)
        r->top = cabs(r->all.mode[r->all.n - 1].s), r->slow = 0.01 * cabs(r->all.mode[r->all.n / 2].s);
    t->out->n_value++;
    return SN_OK;
}

sn_status sn_locus_new(sn_tracer *t, double at, int derivatives, sn_locus **out, sn_err *err)
{
    sn_locus *r;
    char said[200];
    *out = NULL;
    if (!SN_NEW(r, 1)) return SN_OUT_OF_MEM(err);
    r->at = at;
    int before = sn_err_count(err);
    sn_status status = make(t, r, derivatives, err);
    if (!status) {
        *out = r;
        return SN_OK;
    }
    sn_locus_free(r);
    snprintf(said, sizeof said, "this was at %.100s = %.9g", t->o.parameter, at);
    if (status != SN_ERR_MEMORY && sn_err_count(err) > before) sn_fail(err, status, NULL, "%s", said);
    return status;
}

void sn_locus_free(sn_locus *r)
{
    if (!r) return;
    sn_vibration_free(r->v);
    sn_values_free(r->p);
    sn_arena_free(&r->arena);
    sn_free(r);
}

sn_status sn_locus_know(sn_locus *r, int i, sn_err *err)
{
    sn_mode_jet jet;
    if (r->known[i]) return SN_OK;
    sn_status status = sn_vibration_jet(r->v, &r->arena, &r->all, i, 1, &jet, NULL);
    if (status == SN_ERR_MEMORY) return SN_OUT_OF_MEM(err);
    r->known[i] = status ? 2 : 1;
    if (status) return SN_OK;
    r->all.mode[i].s = jet.s, r->ds[i] = jet.ds[0];
    r->z[i] = jet.z + (size_t)jet.which * (size_t)r->v->n;
    /* of real matrices */
    if (fabs(cimag(jet.s)) <= 1e-12 * cabs(jet.s))
        r->all.mode[i].s = creal(jet.s), r->ds[i] = creal(jet.ds[0]);
    return SN_OK;
}

double sn_locus_noise(const sn_locus *r, double complex s) { return 1e-8 * cabs(s) + 1e-13 * r->top; }

double sn_locus_alike(const sn_locus *a, int i, const sn_locus *b, int j)
{
    const sn_vibration *v = a->v;
    const double *scale = v->d.w->scale;
    const double complex s = a->all.mode[i].s, t = b->all.mode[j].s, *x = a->z[i], *y = b->z[j];
    double complex xy = 0;
    double xx = 0, yy = 0, w2 = cabs(s) * cabs(t) + a->slow * b->slow;
    for (int k = 0; k < v->nv; k++) {
        double f = 1 / (scale[k] * scale[k]);
        xy += f * conj(x[k]) * y[k];
        xx += f * creal(conj(x[k]) * x[k]), yy += f * creal(conj(y[k]) * y[k]);
    }
    if (!(w2 > 0) || !(xx > 0) || !(yy > 0)) return 0;
    xy *= 1 + conj(s) * t / w2;
    xx *= 1 + cabs(s) * cabs(s) / w2, yy *= 1 + cabs(t) * cabs(t) / w2;
    return creal(conj(xy) * xy) / (xx * yy);
}
