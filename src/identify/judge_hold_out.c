/* Does the model predict what it was not fitted to? */
#include "identify/judge.h"
#include "identify/noise.h"

#include <math.h>
#include <string.h>

/* Experiments held out: their own unknowns are fitted on their first moments, everything else is frozen. */
sn_status sn_judge_hold_out(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    int any = 0, own = 0, before = sn_err_count(err);
    unsigned char *fixed;
    for (int k = 0; k < s->n_experiment; k++) any |= s->experiment[k].hold_out;
    if (!any) return SN_OK;
    if (!SN_NEW(fixed, f->n + 1)) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < f->n; k++) {
        int of = s->unknown[k].experiment;
        fixed[k] = of < 0 || !s->experiment[of].hold_out;
        own |= !fixed[k];
    }
    sn_search o = {
        .horizon = s->initial_window, .tolerance = 1e-6, .most = 50, .held_out = 1, .fixed = fixed};
    sn_status status = own ? sn_marquardt(f, e->z, &o, err) : SN_OK;
    if (!status) status = sn_fit_signals(f, e->z, 1, 0, err);
    if (status == SN_ERR_NUMERIC) {
        sn_err_forget(err, before);
        sn_estimate_verdict(e, 2, "hold_out",
                            "the experiments held out cannot be simulated with these estimates");
        status = SN_OK;
    } else if (!status) {
        double sum = 0, n = 0;
        for (int k = 0; k < s->n_experiment; k++) {
            const sn_experiment *x = &s->experiment[k];
            for (int i = 0; x->hold_out && i < x->n * x->n_channel; i++) {
                double r = f->part[k].r[i];
                if (isnan(r) || (own && !x->sort && x->t[i / x->n_channel] <= x->begin + s->initial_window))
                    continue;
                sum += r * r / sn_noise_whole(x, i % x->n_channel), n++;
            }
        }
        e->hold_out = n > 0 ? sqrt(sum / n) : NAN;
        status = sn_look_at_channels(f, e, 1, err);
        for (int k = 0; k < f->n; k++) e->value[k] = sn_fit_value(s, k, e->z[k]);
        if (s->n_fit)
            sn_estimate_verdict(e, e->hold_out > 2 * e->rms ? 1 : 0, "hold_out",
                                "held-out experiments: residuals of %.3g times the noise, %.3g in the fit",
                                e->hold_out, e->rms);
    }
    sn_free(fixed);
    return status;
}
