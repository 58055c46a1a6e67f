/* Schemes of time integration, by name, and their settings. */
#ifndef SN_MODEL_SCHEME_H
#define SN_MODEL_SCHEME_H

#include "model/model.h"
#include "sinew/integrator.h"

/* The integrator that has this scheme; NULL when there is none. */
const sn_integrator_class *sn_scheme_find(const char *name, const sn_scheme **s);
/* Number i of all schemes of all integrators; NULL at the end. */
const sn_scheme *sn_scheme_get(int i);
/* The setting of that name; NULL: it has none. */
const sn_slot *sn_scheme_slot(const sn_scheme *s, const char *name);
/* An error that names the settings it has. */
sn_status sn_scheme_no_setting(const sn_scheme *s, const char *name, const sn_mark *where, sn_err *err);

/* The settings (SN_MAX_SETTINGS at most) of a scheme in a run: those of the options, else those of the values
   (`run.rho`) where the model or somebody else has given them, else defaults. What was set for the run and is
   none of its settings is an error. */
sn_status sn_scheme_settings(const sn_scheme *s, const sn_values *p, const sn_run_options *o, double *out,
                             sn_err *err);

#endif
