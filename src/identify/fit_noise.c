/* Are the residuals of a fit noise? Of fits that are tried on the way, without all that is known of an
 * estimate. */
#include "identify/judge.h"
#include "identify/statistics.h"

#include <math.h>

sn_status sn_fit_noise_chance(const sn_fit *f, double *chance, sn_err *err)
{
    const sn_study *s = f->s;
    int channels = 0;
    *chance = 1;
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        double *r;
        if (x->hold_out || x->sort) continue;
        if (!SN_NEW(r, x->n + 1)) return SN_OUT_OF_MEM(err);
        sn_status status = SN_OK;
        for (int c = 0; !status && c < x->n_channel; c++, channels++) {
            sn_arena arena = {0};
            sn_whiteness w;
            sn_residual_tests t;
            int n = 0;
            for (int i = c; i < x->n * x->n_channel; i += x->n_channel)
                if (!isnan(f->part[k].r[i])) r[n++] = f->part[k].r[i];
            status = sn_whiteness_of(&arena, n, r, &w, err);
            if (!status) status = sn_residual_tests_of(n, r, w.p, &t, err);
            if (!status) *chance = fmin(*chance, t.least);
            sn_arena_free(&arena);
        }
        sn_free(r);
        SN_TRY(status);
    }
    *chance = fmin(1, *chance * channels);
    return SN_OK;
}
