/* What tests of the identification share: a folder of their own, small models, data made by the library
   itself with noise of a fixed seed, and the way from a study's text to its estimate.

   The models: `spring_text`, a mass in the plane on a damped spring, and `push_text`, a free mass under a
   constant force, whose positions are linear in the force. */
#ifndef SN_TESTS_IDENTIFY_KIT_H
#define SN_TESTS_IDENTIFY_KIT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "identify/result.h"
#include "sinew/sinew.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One degree of freedom along x; x and the speed at the start are parameters. */
static const char spring_text[] =
    "sinew: 1\n"
    "parameters: {m: 2 kg, k: 80 N/m, c: 1.5 N*s/m, f: 3 N, x0: 1.2 m, v0: 0 m/s, l0: 1 m}\n"
    "nodes: {b: {point2d: [x0, 0], velocity: [v0, 0]}}\n"
    "elements:\n"
    "  bob: {mass2d: b, mass: m}\n"
    "  s: {spring2d: [ground, b], k: k, c: c, l0: l0}\n"
    "  push: {force2d: b, force: [f, 0]}\n"
    "joints: {rail: {fixed: b, only: y}}\n"
    "sensors: {at: {position: b}, fast: {velocity: b}, pull: {force: s}}\n"
    "run: {end: 1 s, step: 5 ms}\n";

static const char push_text[] = "sinew: 1\n"
                                "parameters: {m: 2 kg, f: 3 N, v0: 0 m/s}\n"
                                "nodes: {b: {point2d: [0, 0], velocity: [v0, 0]}}\n"
                                "elements: {bob: {mass2d: b, mass: m}, push: {force2d: b, force: [f, 0]}}\n"
                                "sensors: {at: {position: b}, fast: {velocity: b}}\n"
                                "run: {end: 1 s, step: 5 ms}\n";

static char kit_folder[64];

static inline const char *kit_path(const char *name)
{
    static char path[4][160];
    static int at;
    at = (at + 1) % 4;
    snprintf(path[at], sizeof path[at], "%s/%s", kit_folder, name);
    return path[at];
}

static inline void kit_put(const char *name, const char *text)
{
    FILE *f = fopen(kit_path(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Everything in a folder of the tests, folders in it as well. */
static inline void kit_clear(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        size_t size = strlen(folder) + strlen(e->d_name) + 2;
        char *path = malloc(size);
        if (!path) break;
        snprintf(path, size, "%s/%s", folder, e->d_name);
        if (unlink(path)) kit_clear(path);
        free(path);
    }
    if (d) closedir(d);
    rmdir(folder);
}

static inline int kit_begin(void **state)
{
    (void)state;
    strcpy(kit_folder, "/tmp/sinew-identify-XXXXXX");
    if (!mkdtemp(kit_folder)) return -1;
    kit_put("spring.yaml", spring_text);
    kit_put("push.yaml", push_text);
    return 0;
}

static inline int kit_end(void **state)
{
    (void)state;
    kit_clear(kit_folder);
    return 0;
}

static inline void kit_tell(const sn_err *err, sn_status s)
{
    char text[1400];
    if (s == SN_OK) return;
    for (int i = 0; i < err->count && i < SN_ERR_MAX; i++) {
        sn_report_format(&err->report[i], text, sizeof text);
        print_error("%s\n", text);
    }
    fail_msg("the library reports: %s", sn_status_text(s));
}

/* ---- noise ---- */

static inline double kit_uniform(uint64_t *seed)
{
    uint64_t x = *seed += 0x9E3779B97F4A7C15ULL; /* splitmix64 */
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL, x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return ((double)((x ^ (x >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double kit_normal(uint64_t *seed)
{
    double u = kit_uniform(seed), v = kit_uniform(seed);
    return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

/* ---- data ---- */

typedef struct kit_data {
    const char *model, *set; /* set: "k=3 c=2" numbers of the truth that differ from the file's, or NULL */
    const char *channels;    /* "at.x fast.x" */
    double begin, end, dt;
    double sigma;  /* of the noise; of what is new in it where it follows itself: */
    double ar[2];  /* e_t = ar[0] e_(t-1) + ar[1] e_(t-2) + normal */
    double shared; /* correlation of what is new between channels */
    double jitter; /* samples are off their grid by up to half of so many distances; ar[1] is 0 then */
    double shift;  /* the clock of the data is late by so much */
    double wild;   /* part of the samples that are gross outliers, of 30 sigma */
    int both;      /* outliers to both sides */
    double gap[2]; /* no values of the first channel between these times */
    uint64_t seed;
} kit_data;

enum { KIT_CHANNELS = 16 };

static inline int kit_words(const char *text, char words[][64])
{
    int n = 0, used;
    for (; n < KIT_CHANNELS && sscanf(text, "%63s%n", words[n], &used) == 1; n++) text += used;
    return n;
}

/* Noise of the next sample of all channels, so many distances later; before: two samples of each. */
static inline void kit_noise(const kit_data *d, double later, double before[][2], uint64_t *seed, double *e)
{
    char words[KIT_CHANNELS][64];
    double common = d->shared > 0 ? kit_normal(seed) : 0, a = d->ar[0], sigma = d->sigma;
    if (d->jitter > 0 && a > 0) a = pow(a, later), sigma *= sqrt((1 - a * a) / (1 - d->ar[0] * d->ar[0]));
    for (int c = 0, n = kit_words(d->channels, words); c < n; c++) {
        double own = sigma > 0 ? sigma * kit_normal(seed) : 0;
        if (d->shared > 0) own = sqrt(1 - d->shared) * own + sqrt(d->shared) * sigma * common;
        e[c] = a * before[c][0] + d->ar[1] * before[c][1] + own;
        before[c][1] = before[c][0], before[c][0] = e[c];
        if (d->wild > 0 && kit_uniform(seed) < d->wild)
            e[c] = (d->both && kit_uniform(seed) < 0.5 ? -30 : 30) * d->sigma;
    }
}

/* The model's channels at the times of the samples, with noise, as a CSV file. */
static inline void kit_measure(const char *file, const kit_data *d)
{
    sn_model *m;
    sn_values *p;
    sn_err err;
    sn_info info;
    char words[KIT_CHANNELS][64];
    uint64_t seed = d->seed;
    int n = (int)floor((d->end - d->begin) / d->dt + 0.5) + 1, n_channel, channel[KIT_CHANNELS];
    double *t = calloc((size_t)n, sizeof *t), *y, before[KIT_CHANNELS][2] = {{0}}, e[KIT_CHANNELS];
    sn_err_clear(&err);
    kit_tell(&err, sn_model_read(kit_path(d->model), &m, &err));
    kit_tell(&err, sn_values_new(m, &p, &err));
    for (int i = 0, sets = d->set ? kit_words(d->set, words) : 0; i < sets; i++) {
        char *equal = strchr(words[i], '=');
        *equal = 0;
        kit_tell(&err, sn_values_set(p, words[i], equal + 1, &err));
    }
    kit_tell(&err, sn_values_update(p, &err));
    n_channel = kit_words(d->channels, words);
    for (int c = 0; c < n_channel; c++) kit_tell(&err, sn_channel_find(m, words[c], &channel[c], &err));
    sn_run_options o = sn_run_options_default(m, p);
    for (int i = 0; i < n; i++) {
        double off = d->jitter > 0 && i ? d->jitter * (kit_uniform(&seed) - 0.5) : 0;
        t[i] = d->begin + (i + off) * d->dt;
    }
    o.begin = fmin(o.begin, d->begin), o.end = t[n - 1];
    y = calloc((size_t)n * (size_t)sn_channel_count(m), sizeof *y);
    kit_tell(&err, sn_sample(m, p, &o, &(sn_samples){n, t, y, NULL}, &info, &err));
    FILE *f = fopen(kit_path(file), "w");
    assert_non_null(f);
    fprintf(f, "t");
    for (int c = 0; c < n_channel; c++) fprintf(f, ",%s", words[c]);
    for (int i = 0; i < 1000 && (d->ar[0] != 0 || d->ar[1] != 0); i++)
        kit_noise(d, 1, before, &seed, e); /* until it does not know how it began */
    for (int i = 0; i < n; i++) {
        fprintf(f, "\n%.17g", t[i] - d->shift);
        kit_noise(d, i ? (t[i] - t[i - 1]) / d->dt : 1, before, &seed, e);
        for (int c = 0; c < n_channel; c++) {
            if (c == 0 && t[i] > d->gap[0] && t[i] < d->gap[1])
                fprintf(f, i % 2 ? "," : ",nan");
            else
                fprintf(f, ",%.17g", y[i * sn_channel_count(m) + channel[c]] + e[c]);
        }
    }
    fprintf(f, "\n");
    fclose(f);
    free(t), free(y);
    sn_values_free(p), sn_model_free(m);
}

/* ---- solving ---- */

typedef struct kit_fit {
    sn_study *s;
    sn_estimate *e;
} kit_fit;

/* Reads and solves a study's text on some threads; with start values "k=3 c=2" or NULL. */
static inline kit_fit kit_solve_by(const char *text, const char *starts, int threads)
{
    kit_fit r = {NULL, NULL};
    char words[KIT_CHANNELS][64];
    const char *start[KIT_CHANNELS];
    int n = starts ? kit_words(starts, words) : 0;
    sn_err err;
    sn_err_clear(&err);
    for (int i = 0; i < n; i++) start[i] = words[i];
    kit_put("study.yaml", text);
    kit_tell(&err, sn_study_read(kit_path("study.yaml"), &(sn_identify_options){.n_start = n, .start = start},
                                 0, &r.s, &err));
    kit_tell(&err, sn_study_solve(r.s, &(sn_solve_options){.threads = threads}, &r.e, &err));
    return r;
}

static inline kit_fit kit_solve(const char *text) { return kit_solve_by(text, NULL, 1); }

static inline void kit_drop(kit_fit *r)
{
    sn_estimate_free(r->e);
    sn_study_free(r->s);
    *r = (kit_fit){NULL, NULL};
}

static inline int kit_unknown(const kit_fit *r, const char *name)
{
    for (int k = 0; k < r->s->n_unknown; k++)
        if (!strcmp(r->s->unknown[k].name, name)) return k;
    fail_msg("there is no unknown %s", name);
    return -1;
}

static inline double kit_value_of(const kit_fit *r, const char *name)
{
    return r->e->value[kit_unknown(r, name)];
}

static inline double kit_error_of(const kit_fit *r, const char *name)
{
    return r->e->std_error[kit_unknown(r, name)];
}

/* One of the verdicts has these words. */
static inline int kit_says(const kit_fit *r, const char *words)
{
    for (int i = 0; i < r->e->n_verdict; i++)
        if (strstr(r->e->verdict[i].text, words)) return 1;
    return 0;
}

static inline void kit_must_say(const kit_fit *r, const char *words)
{
    if (kit_says(r, words)) return;
    for (int i = 0; i < r->e->n_verdict; i++) print_error("verdict: %s\n", r->e->verdict[i].text);
    fail_msg("no verdict says: %s", words);
}

static inline void kit_converged(const kit_fit *r)
{
    if (!r->e->converged) fail_msg("not converged: %s", r->e->reason);
}

/* |x - reference| <= tol, or the test ends with all three numbers. */
static inline void kit_is(const char *what, double x, double reference, double tol)
{
    if (!(fabs(x - reference) <= tol))
        fail_msg("%s is %.12g, not %.12g: off by %.3g, allowed %.3g", what, x, reference, x - reference, tol);
}

#endif
