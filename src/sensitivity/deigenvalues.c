/* Derivatives of eigenvalues of small motions (vibration.h), by size, of a pair the one with im > 0: growth
   and circular frequency of each. */
#include "base/size.h"
#include "sensitivity/gradient.h"
#include "sensitivity/vibration.h"

#include <string.h>

static sn_status enough(const sn_oscillations *all, int n, sn_err *err)
{
    return all->n < n
               ? sn_fail(err, SN_ERR_INPUT, NULL,
                         "the model has only %d eigenvalues that are not zero (a pair counts once)", all->n)
               : SN_OK;
}

static sn_vibration_request request_of(const sn_mode_options *o, int np, const int *id)
{
    sn_vibration_request r = {
        .run = o->run, .at_static = o->at_static, .at_steady = o->at_steady, .np = np, .id = id};
    r.run.frame = NULL, r.run.n_point = 0, r.run.n_wrt = 0, r.run.exact = 1, r.run.progress = NULL;
    if (r.run.drop_redundant == SN_REDUNDANT_SHARE) r.run.drop_redundant = SN_REDUNDANT_DROP;
    return r;
}

sn_status sn_eigenvalue_values(const sn_model *m, const sn_values *p, const sn_mode_options *o, double *value,
                               sn_err *err)
{
    sn_vibration_request r = request_of(o, 0, NULL);
    sn_vibration *v;
    sn_arena arena = {0};
    sn_oscillations all;
    SN_TRY(sn_vibration_new(m, p, &r, &v, err));
    sn_status status = sn_vibration_modes(v, &arena, 1, &all, err);
    if (!status) status = enough(&all, o->n, err);
    for (int k = 0; k < o->n && !status; k++) {
        sn_mode_jet jet;
        status = sn_vibration_jet(v, &arena, &all, k, 0, &jet, err);
        if (!status) value[2 * k] = creal(jet.s), value[2 * k + 1] = cimag(jet.s);
    }
    sn_vibration_free(v);
    sn_arena_free(&arena);
    return status;
}

static sn_status one(const sn_vibration *v, sn_arena *arena, const sn_oscillations *all, int k,
                     const sn_gradient_result *to, sn_err *err)
{
    sn_mode_jet jet;
    size_t np = (size_t)v->np, row = 2 * (size_t)k * np;
    SN_TRY(sn_vibration_jet(v, arena, all, k, 1, &jet, err));
    if (jet.k > 1)
        return sn_fail(err, SN_ERR_NUMERIC, NULL,
                       "eigenvalue %d coincides with another: taken apart they have no derivatives", k + 1);
    to->value[2 * k] = creal(jet.s), to->value[2 * k + 1] = cimag(jet.s);
    for (size_t i = 0; i < np; i++)
        to->gradient[row + i] = creal(jet.ds[i]), to->gradient[row + np + i] = cimag(jet.ds[i]);
    return SN_OK;
}

sn_status sn_eigenvalue_gradient(const sn_model *m, const sn_values *p, const sn_mode_options *options,
                                 const char *const *wrt, int n_wrt, const sn_gradient_result *result,
                                 sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_mode_options, options, err));
    sn_vibration *v = NULL;
    sn_arena arena = {0};
    sn_oscillations all;
    int *id;
    if (options->n < 1 || n_wrt < 1 || options->at_time > 0)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "eigenvalues at the start or at the equilibrium, by parameters");
    if (!SN_NEW(id, n_wrt)) return SN_OUT_OF_MEM(err);
    sn_vibration_request r = request_of(options, n_wrt, id);
    sn_status status = sn_gradient_names(m, p, n_wrt, wrt, id, err);
    if (!status) status = sn_vibration_new(m, p, &r, &v, err);
    if (!status) status = sn_vibration_modes(v, &arena, 1, &all, err);
    if (!status) status = enough(&all, options->n, err);
    for (int k = 0; k < options->n && !status; k++) status = one(v, &arena, &all, k, result, err);
    for (int i = 0; i < n_wrt && !status && result->used; i++) result->used[i] = v->by[i].x != NULL;
    sn_vibration_free(v);
    sn_arena_free(&arena);
    sn_free(id);
    return status;
}
