/* What integrators share. */
#include "integrator/integrator.h"

#include <time.h>

sn_status sn_integrator_open(const sn_integrator_class *k, const sn_integration *in, void **self, sn_err *err)
{
    double s[SN_MAX_SETTINGS + 1];
    sn_integration all = *in;
    *self = NULL;
    SN_TRY(sn_scheme_settings(in->scheme, in->w->p, in->o, s, err));
    all.s = s;
    return k->open(&all, self, err);
}

void sn_integrator_restart(const sn_integrator_class *k, void *self, sn_linsol *ls)
{
    if (k->restart)
        k->restart(self);
    else
        sn_linsol_forget(ls);
}

sn_status sn_scheme_no_derivatives(const char *scheme, const char *how, sn_err *err)
{
    return sn_fail(err, SN_ERR_INPUT, NULL, "scheme '%s' has no derivatives (%s)", scheme, how);
}

double sn_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
