/* A study with a finer discretisation than is written: shorter time steps, more pieces a meshed member. */
#ifndef SN_IDENTIFY_REFINE_H
#define SN_IDENTIFY_REFINE_H

#include "identify/result.h"

enum {
    SN_MOST_HALVINGS = 8, /* of the time step, by `refine: yes` */
    SN_MOST_DOUBLINGS = 4 /* of the meshes */
};

/* Biases by the discretisation, in standard errors: above SN_BIAS_LIMIT they are told, above SN_BIAS_BAD bad.
 */
#define SN_BIAS_LIMIT 0.3
#define SN_BIAS_BAD   2.0

/* The order of the study's time integration: errors of a step h are as h to this power. */
int sn_study_order(const sn_study *s);
/* Options of runs with steps half as long, so many times: the step, or with step size control its allowed
   error and limits. */
void sn_study_halve(const sn_study *s, int times, sn_run_options *run);

/* Whether the model has members that could be meshed finer. */
int sn_study_meshes(const sn_study *s);

/* The study read again, with so many halvings of the step and meshes of so many times the divisions as are
   written; noise and start values are those of s. An error where the files have changed since. */
sn_status sn_study_refined(const sn_study *s, int halvings, int mesh, sn_study **out, sn_err *err);

/* What refinement would bring the biases of an estimate below the limit; 0: none is needed, or none is left.
 */
int sn_refine_next(const sn_estimate *e, int *halvings, int *mesh);

/* Biases up to which they can be taken back without another fit: in standard errors, and of an unknown on a
   logarithmic scale as a part of it. */
#define SN_CORRECT_ERRORS 5.0
#define SN_CORRECT_PART   0.1

/* Takes the biases back that are marked so: from estimates, intervals and profiles. The signals and residuals
   stay those of the fit. */
void sn_refine_correct(sn_estimate *e);

/* Whether the minimum of a finer discretisation is near the estimate. */
int sn_refine_near(const sn_estimate *e);

/* "5 ms" */
const char *sn_time_text(double t, char *out, size_t size);
/* "step 5 ms -> 0.625 ms, mesh x 2"; "": nothing was refined. */
const char *sn_refined_text(const sn_study *s, char *out, size_t size);

#endif
