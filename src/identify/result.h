/* What an identification finds. */
#ifndef SN_IDENTIFY_RESULT_H
#define SN_IDENTIFY_RESULT_H

#include "identify/candidate.h"
#include "identify/fit.h"
#include "identify/residual_tests.h"

typedef struct sn_whiteness {
    int n;               /* lags */
    double *r, limit;    /* autocorrelations, what white noise stays within in 95 % of the cases */
    double statistic, p; /* Ljung and Box's, and how likely white noise would exceed it */
} sn_whiteness;

typedef struct sn_channel_fit {
    double rms;          /* in the channel's unit */
    double rest, second; /* of experiments held out: after the window their own unknowns are fitted on, and
                            the part of that within the first second */
    double sigma;        /* of the noise, stated or estimated */
    double seen;         /* noise as seen from sample to sample of the data; NAN: it cannot be seen */
    double fit;          /* 1 - rms / standard deviation of the data; NAN: no changes to compare with */
    double quantum;      /* least difference of two values of the data */
    double size_p;       /* of a stated noise: how likely the residuals' size is; else 1 */
    int known;
    int noise_like;    /* none of its tests fails, all channels considered */
    int kind;          /* SN_NOISE_...; where it is not white tests are of innovations */
    double whole;      /* of a model of noise: its deviation with all it has; else sigma */
    double innovation; /* rms of the innovations, in units of what the model expects; 1 for white noise */
    double share;      /* of the variance: what the samples before do not tell of the next */
    double log_det;    /* sum of the logarithms of the innovations' variances, in units of sigma */
    double evidence;   /* by how much 2 log L is above that of white noise */
    long count;
    sn_whiteness white;
    sn_residual_tests tests;
} sn_channel_fit;

/* A force or reaction over time with the standard error that the estimates leave it. */
typedef struct sn_effort {
    int experiment, channel, n;
    double *t, *y, *band;
} sn_effort;

typedef struct sn_direction {
    double singular; /* of the data in relative changes of the unknowns */
    double *weight;  /* n_unknown */
    const char *words;
} sn_direction;

/* What the time step, or the mesh, does to the estimates. */
typedef struct sn_discretised {
    double *bias; /* of each unknown, in its unit: what the estimate has too much; NULL: not known */
    double worst; /* the largest that counts, in standard errors */
    int seen;     /* the residuals show it: it is the cause, or one, of what they have that is no noise */
    int taken;    /* the bias is to be taken back from the estimates */
    double order; /* of the error: with half the step, or size, it is less by 2 to this power */
} sn_discretised;

typedef struct sn_verdict {
    int level;           /* 0 good, 1 warning, 2 bad */
    const char *about;   /* "residuals", "minimum", "identifiability", "data" ... */
    const char *channel; /* "tip.x": of one of them; or NULL */
    const char *text;
} sn_verdict;

/* A point of a profile: an unknown held at a value, all others as good as can be. */
typedef struct sn_profile_point {
    double value, rise; /* of the unknown; of the cost above its minimum */
    double *others;     /* n_unknown: values of all */
} sn_profile_point;

typedef struct sn_profile_curve {
    sn_profile_point *point; /* ascending values */
    int n, cap;
    double limit; /* rise at the ends of the interval of 95 % */
} sn_profile_curve;

typedef struct sn_iteration {
    int iteration, stage;
    double cost, rms, change, damping, horizon;
    double *value; /* n_unknown */
} sn_iteration;

/* A minimum that the data do not tell from the others. */
typedef struct sn_minimum {
    double cost, weight; /* weight: probability, of all together 1 */
    double *z, *sd;      /* n_unknown: place, standard deviations of z around it */
    int starts;          /* searches that ended there */
} sn_minimum;

/* What the search looked at where its residuals were not noise. */
typedef struct sn_doubts {
    int looked;  /* residuals at the end of the search are not noise: other places were tried */
    int places;  /* in how many different ones random starts ended */
    int half;    /* the first half of the data alone is explained by other values */
    int unknown; /* by which it differs most, and its value there */
    double value;
} sn_doubts;

/* What a model of noise that was found with the fit means for the estimates: gls.c. */
typedef struct sn_gls {
    int there;
    double *scatter;      /* n_unknown: variance of each variance by what is not known of the models, over its
                             square */
    double *extra;        /* n_unknown^2: what that adds to the covariance of z */
    double *wider;        /* n_unknown: what the shape of their likelihood adds to each variance, as a part */
    double *least;        /* n_unknown: standard error over that of least squares with the same noise */
    double *alone;        /* n_unknown: over that without discrepancy; 1 where there is none */
    double chi_square, p; /* Hausman's test: do weighted and plain least squares tell the same? */
    int degrees, unknown; /* its degrees of freedom; the unknown that differs most, or -1 */
    double move;          /* by so many standard errors */
} sn_gls;

/* A line of a spectrum. */
typedef struct sn_line {
    double frequency, amplitude; /* Hz; of the sine */
} sn_line;

/* How the weight of a history's smoothness was found: weights that were tried, what they leave of the data
   (sum of squares in units of the noise), how rough the history is (sum of its differences' squares), and the
   score that the best of them has least of. */
typedef struct sn_weight_curve {
    int n, chosen;
    double *weight, *misfit, *roughness, *score;
} sn_weight_curve;

/* A term of a series: of its sine and its cosine. */
typedef struct sn_term {
    double frequency[2], frequency_error[2], amplitude[2], amplitude_error[2];
} sn_term;

/* A history that was sought. */
typedef struct sn_history_fit {
    const char *name, *unit,
        *form; /* "push", of one of several experiments "push[b]"; "cubic", "series" ... */
    int experiment, n;
    double *t, *value, *std_error; /* n */
    double determined;             /* numbers of it that the data determine, of `values` */
    int values;
    int part;                       /* of the study's history parts, from 1; 0: no free history */
    const char *smoothing, *choice; /* "tikhonov", "gcv" ...; NULL: none */
    int order;
    double weight;
    sn_weight_curve curve;
    int n_filtered; /* of the filter, where there was one: by the data up to each of these times */
    double *t_filtered, *filtered, *filtered_error;
    sn_term *term; /* of a series */
    int n_term, separate;
    double offset, offset_error;
    struct { /* what windows that hand their state over have found of it before; n 0: there were none */
        int windows, n;
        double *t, *value, *std_error, *begin; /* begin: of each window, then the end */
    } pieces;
    const char *grown; /* why it has so many terms; NULL: they were given */
    /* what follows from value: sn_history_fit_finish */
    double peak, peak_t, peak_error, rms;
    sn_line line[6]; /* the largest of its spectrum */
    int n_line;
    double line_share; /* of the spectrum's squares: what lies at these lines */
    sn_line *spectrum;
    int n_spectrum;
    double *truth;      /* n, NAN where it is not known; or NULL */
    double off, inside; /* rms of the difference over that of the truth; part of the time within the band */
} sn_history_fit;

/* A node where a load whose place is sought may be. */
typedef struct sn_place_fit {
    const char *node;
    double evidence, probability; /* logarithm, NAN: it could not be fitted there; of all together 1 */
    double rms;                   /* of the residuals, in units of the noise that the best place leaves */
    double *square;               /* of each channel: mean square of its residuals; while it is ranked */
} sn_place_fit;

enum { SN_STOPPED_SEARCH = 1, SN_STOPPED_JUDGING = 2 };

/* Residuals correlated in time, between channels, and larger than the noise was stated. */
enum { SN_ALLOWS_TIME = 1, SN_ALLOWS_CHANNELS = 2, SN_ALLOWS_SIZE = 4 };

typedef struct sn_estimate {
    sn_arena arena;
    const sn_study *s;
    int converged;
    char reason[300];
    double rms;      /* of the residuals in units of the noise */
    double hold_out; /* the same of the experiments held out; NAN: none */
    long simulations, count;
    long kept;       /* of the simulations: those whose results are from earlier */
    int stopped;     /* on request; SN_STOPPED_SEARCH, SN_STOPPED_JUDGING */
    int judged;      /* nothing more is to be looked at */
    double deadline; /* of what may still be done then: see sn_fit */
    int (*patience)(void *ctx, double done, double t); /* the caller's, for what comes after the search */
    void (*state)(void *ctx, const sn_identify_state *state);
    void *ctx;
    struct sn_progress *progress; /* of the search, or NULL */
    double seconds;
    double *z, *value, *std_error, *lo, *hi, *covariance, *correlation; /* covariance of z */
    double *freedom;         /* of each standard error: degrees of Student's distribution; INFINITY: normal */
    double *correction;      /* what `refine: correct` has added to each value; 0: nothing */
    double *inflation;       /* of each variance against that of white noise */
    int allows;              /* SN_ALLOWS_...: what the standard errors have been widened for */
    sn_profile_curve *curve; /* n_common, where profiles were asked for; or NULL */
    struct {
        int n;                /* refits that the intervals are from; 0: they are not */
        int *block;           /* rows of each experiment that are drawn together */
        double *sd, *widened; /* n_unknown: standard deviation of the refits; factor of the interval */
    } bootstrap;
    int *at_bound;
    sn_discretised step, mesh;
    sn_direction *direction;  /* n_unknown, the best seen first */
    sn_channel_fit **channel; /* of each experiment */
    double **model, **start;  /* sensors at the estimate and at the start values, samples x channels */
    double **residual;        /* in units of the noise */
    double **innovation;      /* what the samples before do not tell of them; of white noise the same */
    double **discrepancy; /* of each experiment, or NULL: mean, then deviation, of what the model lacks, in
                             the channels' units */
    sn_gls gls;
    struct sn_mode_pair **pair; /* of experiments of modes, of each row: modal.h; or NULL */
    sn_effort *effort;
    int n_effort;
    sn_history_fit *history;
    int n_history;
    sn_weight_curve *curves; /* of each history of the study, or NULL */
    double *inverse;         /* of A at the estimate, where histories are free; or NULL */
    double evidence;         /* logarithm, up to a constant of the data: where histories are free */
    sn_place_fit *place;     /* in the order of the study; none: no place is sought */
    int n_place;
    int ranking, ranked; /* places that are being tried, and how many were; 0: this is the estimate */
    sn_verdict *verdict;
    int n_verdict, cap_verdict;
    int speechless; /* there was no memory for a verdict */
    sn_iteration *iteration;
    int n_iteration, cap_iteration;
    char *direct;        /* what only the direct methods find, as JSON; or NULL */
    int starts, alike;   /* random starts made, and those that found the best cost again */
    sn_minimum *minimum; /* the best first, where there are several; else none */
    int n_minimum;
    sn_doubts doubts;
    sn_candidates candidates; /* numbers of the model that were tried beside the unknowns */
    struct {
        double explained; /* rise of 2 ln L, with the noise of each channel free, by faults of sensors */
        int first, n;     /* verdicts that name them */
    } sensors;            /* n 0: none is named */
} sn_estimate;

sn_status sn_estimate_new(const sn_study *s, sn_estimate **out, sn_err *err); /* with room, all zero */
void sn_estimate_free(sn_estimate *e);
/* What comes after the search asks this whether to stop; ctx: the estimate. */
int sn_estimate_stop(void *estimate, double done, double t);
/* Tells the caller where the search stands; of n random starts so many are done, n 0: there are none. */
void sn_tell_state(sn_estimate *e, const sn_step *step, int done, int n);
/* Where memory is lacking whoever returns the estimate reports it: sn_estimate_whole. */
void sn_estimate_verdict(sn_estimate *e, int level, const char *about, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Names the channel (copied) that the last verdict is about. */
void sn_verdict_channel(sn_estimate *e, const char *channel);
/* A look at the data, and at the model's signals at the start where e->start has them, as verdicts and
   messages (or NULL). */
sn_status sn_estimate_look(sn_estimate *e, void (*message)(void *ctx, const char *text), void *ctx,
                           sn_err *err);
sn_status sn_estimate_whole(const sn_estimate *e, sn_err *err);

typedef struct sn_solve_options {
    int threads; /* 0: all cores */
    int (*progress)(void *ctx, double done, double t);
    void (*state)(void *ctx, const sn_identify_state *state); /* or NULL */
    void *ctx;
    const sn_memo *memo;                          /* of this study, or NULL */
    struct sn_progress *file;                     /* progress.json, or NULL */
    void (*message)(void *ctx, const char *text); /* what is odd about the data, before the search; or NULL */
    int ranking, ranked;     /* one of so many places is tried: the search alone, with its evidence; 0: all */
    const sn_estimate *from; /* of the same unknowns with a coarser discretisation; or NULL */
} sn_solve_options;

/* The whole. There is an estimate also where the search was stopped or has failed; it says so. */
sn_status sn_study_solve(const sn_study *s, const sn_solve_options *o, sn_estimate **out, sn_err *err);

/* Whether a run with the estimates of a direct method meets the data: direct_judge.c. */
sn_status sn_direct_judge_run(sn_fit *f, sn_estimate *e, sn_err *err);

/* The same by the direct methods, for studies that ask for one of them. */
sn_status sn_direct_study(const sn_study *s, sn_estimate **out, sn_err *err);

/* The same by filter and smoother, for studies that are solved so (sequential): kalman.h. */
sn_status sn_kalman_study(const sn_study *s, const sn_solve_options *o, sn_estimate **out, sn_err *err);

/* sn_identify, which keeps the study and its estimate for the caller. */
sn_status sn_identify_keep(const char *study, const sn_identify_options *o, sn_identify_info *info,
                           sn_study **kept, sn_estimate **estimate, sn_err *err);

/* Uncertainty, identifiability, whiteness, efforts and verdicts of an estimate whose z is found; f at that z.
 */
sn_status sn_judge(sn_fit *f, sn_estimate *e, sn_err *err);

/* , "verdicts": [...] and , "correlation": [...], "identifiability": [...] */
struct sn_text;
void sn_verdicts_json(struct sn_text *t, const sn_estimate *e);
void sn_seen_json(struct sn_text *t, const sn_estimate *e);

/* Of what was tried beside the unknowns: JSON, ", \"candidates\": [...]", and a table for the terminal. */
void sn_candidates_json(struct sn_text *t, const sn_estimate *e);
void sn_candidates_table(struct sn_text *t, const sn_estimate *e);

/* An iteration that counts goes into the record; ctx: the estimate. */
void sn_estimate_told(void *estimate, const sn_step *step);

/* The next history of an estimate that has room for it: its names, times (equally spaced) and room for
 * values.
 */
struct sn_history_part;
sn_status sn_history_fit_new(sn_estimate *e, const struct sn_history_part *p, sn_history_fit **out,
                             sn_err *err);
/* What is to be said of it. */
void sn_history_fit_judge(sn_estimate *e, const sn_history_fit *q);
/* Peak, size, spectrum and lines of a history whose t (equally spaced), value and std_error are there. */
sn_status sn_history_fit_finish(sn_estimate *e, sn_history_fit *h, sn_err *err);
/* Histories that were sought: JSON, ", \"histories\": {...}" or nothing, and text for the terminal. */
void sn_histories_json(struct sn_text *t, const sn_estimate *e);
void sn_histories_summary(struct sn_text *t, const sn_estimate *e);
/* As arrays of study.h5, behind the *n that are there: /histories/NAME/t, value, std_error. */
struct sn_result_array;
sn_status sn_histories_h5(const sn_estimate *e, sn_arena *arena, struct sn_result_array *array, int *n,
                          sn_err *err);
/* As a table: t, NAME, NAME.std_error ...; a file that appears whole or not at all, none without histories.
 */
sn_status sn_histories_csv(const sn_estimate *e, const char *path, sn_err *err);

/* The model of the noise of an experiment's channel: JSON, ", \"noise_model\": {...}" or nothing. */
void sn_noise_json(struct sn_text *t, const sn_experiment *x, int c, const sn_channel_fit *q);

/* Files of the output folder, and the text for the terminal. */
sn_status sn_estimate_json(const sn_estimate *e, int whole, char **text, size_t *length, sn_err *err);
sn_status sn_estimate_h5(const sn_estimate *e, const char *path, const char *command, sn_err *err);
sn_status sn_estimate_summary(const sn_estimate *e, char **text, sn_err *err);

#endif
