/* What verification tests share: open a model from a file or a text, set numbers, run, read channels.
   Every failure of the library ends the test with the library's own reports; functions named kit_try_* return
   the status instead, for tests of failures.

       kit k;
       kit_text(&k, "sinew: 1\n...");               or kit_file(&k, "examples/two-bar/two-bar.yaml")
       k.o.step = 1e-4, k.o.scheme = "newmark";     options of the run: the model's own unless changed
       double x = kit_value(&k, "tip.x", 0.69);     runs to 0.69 s
       kit_close(&k); */
#ifndef SN_TESTS_VERIFY_KIT_H
#define SN_TESTS_VERIFY_KIT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sinew/sinew.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIT_POINTS = 64 };

typedef struct kit {
    sn_model *m;
    sn_values *p;
    sn_run_options o;
    sn_scheme_setting setting; /* of the scheme, see kit_scheme */
    sn_info info;              /* of the last analysis */
    sn_err err;
} kit;

/* The reports, then the end of the test, unless the status is good. */
static inline void kit_good(kit *k, sn_status s)
{
    char text[1200];
    if (s == SN_OK) return;
    for (int i = 0; i < k->err.count && i < SN_ERR_MAX; i++) {
        sn_report_format(&k->err.report[i], text, sizeof text);
        print_error("%s\n", text);
    }
    fail_msg("the library reports: %s", sn_status_text(s));
}

static inline void kit_close(kit *k)
{
    sn_values_free(k->p);
    sn_model_free(k->m);
    k->p = NULL, k->m = NULL;
}

static inline void kit_opened(kit *k)
{
    kit_good(k, sn_values_new(k->m, &k->p, &k->err));
    k->o = sn_run_options_default(k->m, k->p);
}

static inline void kit_text(kit *k, const char *yaml)
{
    *k = (kit){.m = NULL};
    sn_err_clear(&k->err);
    kit_good(k, sn_model_read_text("model", yaml, strlen(yaml), &k->m, &k->err));
    kit_opened(k);
}

/* Circular frequency of an undamped mode; minus the rate at which it grows where it does. */
static inline double kit_omega(const sn_mode *mode)
{
    return mode->growth > 1e-6 * mode->omega ? -mode->growth : mode->omega;
}

/* Path from the root of the checkout. */
static inline void kit_file(kit *k, const char *path)
{
    char full[1024];
    snprintf(full, sizeof full, "%s/%s", SN_SOURCE_DIR, path);
    *k = (kit){.m = NULL};
    sn_err_clear(&k->err);
    kit_good(k, sn_model_read(full, &k->m, &k->err));
    kit_opened(k);
}

/* Another scheme than the model's, with one setting or (NULL) none but the model's. */
static inline void kit_scheme(kit *k, const char *scheme, const char *name, double x)
{
    k->setting = (sn_scheme_setting){name, x};
    k->o.scheme = scheme, k->o.setting = &k->setting, k->o.n_setting = name != NULL;
}

/* Several numbers may be set; kit_update makes them count. */
static inline void kit_set(kit *k, const char *name, double x)
{
    kit_good(k, sn_values_set_number(k->p, name, x, &k->err));
}

static inline void kit_update(kit *k) { kit_good(k, sn_values_update(k->p, &k->err)); }

static inline int kit_channel(kit *k, const char *name)
{
    int c = -1;
    kit_good(k, sn_channel_find(k->m, name, &c, &k->err));
    return c;
}

/* Run to the end of k->o, keeping its frame callback; n channels at n times into y. */
static inline void kit_points(kit *k, int n, const char *const *channel, const double *t, double *y)
{
    sn_point point[KIT_POINTS];
    assert_true(n <= KIT_POINTS);
    for (int i = 0; i < n; i++) point[i] = (sn_point){kit_channel(k, channel[i]), t[i], NAN};
    k->o.point = point, k->o.n_point = n;
    sn_status s = sn_run(k->m, k->p, &k->o, &k->info, &k->err);
    k->o.point = NULL, k->o.n_point = 0;
    kit_good(k, s);
    for (int i = 0; i < n; i++) y[i] = point[i].value;
}

/* Run to t; n channels at t into y. */
static inline void kit_values(kit *k, double t, int n, const char *const *channel, double *y)
{
    double time[KIT_POINTS], end = k->o.end;
    for (int i = 0; i < KIT_POINTS; i++) time[i] = t;
    k->o.end = t;
    kit_points(k, n, channel, time, y);
    k->o.end = end;
}

/* Run to t; one channel there. */
static inline double kit_value(kit *k, const char *channel, double t)
{
    double y;
    kit_values(k, t, 1, &channel, &y);
    return y;
}

/* Run to the end of k->o for its frames only. */
static inline void kit_run(kit *k) { kit_points(k, 0, NULL, NULL, NULL); }

static inline sn_status kit_try_run(kit *k) { return sn_run(k->m, k->p, &k->o, &k->info, &k->err); }

/* Static equilibrium; n channels into y. */
static inline sn_status kit_try_static(kit *k, int n, const char *const *channel, double *y)
{
    double *all = calloc((size_t)sn_channel_count(k->m) + 1, sizeof *all);
    assert_non_null(all);
    sn_status s = sn_static(k->m, k->p, &k->o, all, &k->info, &k->err);
    for (int i = 0; !s && i < n; i++) y[i] = all[kit_channel(k, channel[i])];
    free(all);
    return s;
}

static inline void kit_static(kit *k, int n, const char *const *channel, double *y)
{
    kit_good(k, kit_try_static(k, n, channel, y));
}

/* One channel of a model text at a time, with a step and a scheme (NULL: the model's). */
static inline double run_value(const char *yaml, const char *channel, double t, double step,
                               const char *scheme)
{
    kit k;
    kit_text(&k, yaml);
    k.o.step = step;
    if (scheme) k.o.scheme = scheme;
    double y = kit_value(&k, channel, t);
    kit_close(&k);
    return y;
}

/* Limit of a sequence whose error falls as h^p when h is halved: coarse, fine. */
static inline double richardson(double coarse, double fine, int p)
{
    return fine + (fine - coarse) / (pow(2, p) - 1);
}

/* Order of convergence from the errors with h and h/2. */
static inline double order_of(double coarse, double fine) { return log2(fabs(coarse) / fabs(fine)); }

/* |x - reference| <= tol, or the test ends with all three numbers. Absolute. */
static inline void kit_near(const char *what, double x, double reference, double tol)
{
    if (!(fabs(x - reference) <= tol))
        fail_msg("%s is %.12g, not %.12g: off by %.3g, allowed %.3g", what, x, reference, x - reference, tol);
}

/* lo <= x <= hi */
static inline void kit_within(const char *what, double x, double lo, double hi)
{
    if (!(x >= lo && x <= hi)) fail_msg("%s is %.12g, outside %.12g .. %.12g", what, x, lo, hi);
}

#endif
