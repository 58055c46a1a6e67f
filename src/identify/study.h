/* A study: a model, measured experiments, and numbers of the model that are to be found from them. Read from
   a YAML file and constant from then on, but for start values and data replaced from the command line. */
#ifndef SN_IDENTIFY_STUDY_H
#define SN_IDENTIFY_STUDY_H

#include "analysis/analysis.h"
#include "identify/noise_model.h"

/* What an unknown is a number of: the model, an instrument, or the clock of an experiment's data. */
typedef enum sn_unknown_kind { SN_OF_MODEL, SN_OF_INSTRUMENT, SN_OF_CLOCK } sn_unknown_kind;

/* A number to be found. One that belongs to each experiment (an initial state) is as many unknowns. */
typedef struct sn_unknown {
    sn_unknown_kind kind;
    const char *name;      /* "k1"; of one experiment: "angle0[swing-3]" */
    const char *unit;      /* of its value, in SI: "N/m"; "" where it has none */
    const char *shown;     /* the unit it is shown in, as the user wrote it: "kN/m" */
    double shown_factor;   /* of that unit */
    const char *parameter; /* its name without the experiment; NULL: the time offset of an experiment */
    int id, experiment;    /* quantity, of the model's; -1: of all experiments */
    int log;               /* sought as its logarithm */
    int about_zero;        /* zero is as good a value as others: `scale` is what changes compare with */
    double start, lower, upper, scale;
    double prior, prior_sd; /* NAN: none; of the logarithm where log */
    int of_series;          /* likewise, one of the numbers of a series */
    int of_history; /* one of the values of a history: its number among the study's, from 1; 0: none */
    sn_mark mark;
} sn_unknown;

struct sn_history;      /* a signal whose course is sought: history.h */
struct sn_history_part; /* its values in an experiment */
struct sn_places;       /* where its load may be */

/* A number that follows from unknowns. */
typedef struct sn_tie {
    const char *parameter, *text;
    int id;
    const sn_expr *e; /* variables: unknowns by number */
} sn_tie;

typedef struct sn_setting {
    const char *name, *text;
    sn_mark mark;
} sn_setting;

/* A number of an instrument: known, sought or tied. */
typedef struct sn_number {
    double value;       /* where it is known */
    int unknown;        /* of the study; -1: it is not sought */
    const sn_expr *tie; /* of unknowns by number; NULL: it is not tied */
    const char *text;   /* of what ties it */
} sn_number;

/* What the instrument of a channel makes of the model's signal y, see shown.h. */
typedef struct sn_instrument {
    sn_number gain, offset, delay, drift;
    sn_number angle[3]; /* rotation vector of its axes; in the plane the last alone */
    int axes;           /* components of the vector that turns, 2 or 3; 0: it does not turn */
    int axis;           /* which of them the channel is */
    int source[3];      /* channels of all of them */
} sn_instrument;

/* A signal of the model that follows measured values in an experiment. */
typedef struct sn_experiment_input {
    int signal;
    const char *file; /* NULL: it is constant */
    const sn_course *course;
    sn_mark mark;
} sn_experiment_input;

/* What the residuals of a channel are taken for. */
enum { SN_NOISE_WHITE, SN_NOISE_AR, SN_NOISE_DISCREPANCY };
typedef struct sn_channel_noise {
    int kind, order;  /* SN_NOISE_...; of an autoregression, 0: found */
    int rounds;       /* how often the model was estimated */
    sn_noise_model m; /* in units of the channel's deviation: that of all noise, of the white part where there
                         is a discrepancy; white until it is estimated */
} sn_channel_noise;

/* What an experiment's rows are: samples of time, modes, frequencies of a response. */
enum { SN_TIME_SERIES, SN_MODES, SN_FRF };
struct sn_modal; /* modal.h */

typedef struct sn_experiment {
    const char *name, *file;
    int sort;                  /* of the rows */
    struct sn_modal *modal;    /* of modes and responses; NULL: time series */
    int n, n_channel;          /* samples, channels measured */
    int first;                 /* row of the file that the first sample is, from 1 */
    double *t, *y;             /* y: n rows of n_channel, NAN: missing; t already with the given offset */
    int *channel;              /* of the model; negative: modes and responses, sn_column_get */
    double *sigma;             /* n_channel: standard deviation of the noise */
    double *relative;          /* n rows of n_channel: that of a number over its column's; NULL: 1 */
    unsigned char *known;      /* n_channel: stated, not estimated */
    sn_channel_noise *noise;   /* n_channel */
    double offset;             /* added to the data's times */
    int offset_unknown;        /* or -1 */
    sn_instrument *instrument; /* n_channel */
    const sn_item *own;        /* what the study says of it */
    sn_experiment_input *input;
    int n_input;
    double origin; /* time from which drifts count; windows have that of the whole */
    double span;   /* length of the data, likewise */
    int hold_out;
    double begin, end; /* of the part that is used */
    double weight;
    sn_values *values;    /* with this experiment's settings */
    const sn_state *from; /* its run begins in this state, handed over by the window before; or NULL */
    sn_mark mark;
} sn_experiment;

/* Samples that come one by one, in rows of numbers: which of them is the time, what the others measure. */
typedef struct sn_stream {
    int n; /* given: columns, their names, and what to call where they come from */
    const char *const *name;
    const char *file;
    int time; /* found: column of the time t = zero + factor x, and of each channel its own with its unit */
    double zero, factor;
    int *index;
    double *unit;
} sn_stream;

enum { SN_INDIRECT, SN_DIRECT, SN_ADAPTED_DIRECT, SN_KALMAN };
enum { SN_MARQUARDT, SN_LBFGS, SN_CMAES };
enum { SN_STANDARD, SN_PROFILE, SN_BOOTSTRAP };         /* intervals: by standard errors, profiles, refits */
enum { SN_TRY_NEVER, SN_TRY_WHERE_BAD, SN_TRY_ALWAYS }; /* where_bad: the residuals are not noise */

/* Nothing; finer until it moves nothing, as far as the data can tell; the predicted bias is taken back. */
enum { SN_REFINE_NO, SN_REFINE_YES, SN_REFINE_CORRECT };

/* In what a study differs from what is written: how much finer its discretisation is, how far series have
   grown, and where the load is whose place is sought. */
enum { SN_MOST_GROWING = 8 };
typedef struct sn_refinement {
    int halvings;               /* of the time step */
    int mesh;                   /* so many times the divisions of each meshed member; 1: as written */
    int terms[SN_MOST_GROWING]; /* of the histories that are series; 0: as written */
    int free;                   /* series that grow are free histories instead */
    int place;                  /* of the nodes where the load may be, from 0 */
    int coarse; /* histories have so many values at most, as unknowns (kalman_seen.c); 0: as written */
} sn_refinement;

typedef struct sn_study {
    sn_arena arena;
    sn_identify_options given; /* what was given from outside */
    int divided;               /* into its windows */
    sn_refinement finer;
    int refine; /* SN_REFINE_...: what is done about what the discretisation moves */
    const char *title, *file, *folder;
    sn_model *model;
    sn_values *base;
    sn_experiment *experiment;
    int n_experiment, n_fit; /* all, and those not held out; none: only held-out ones are looked at */
    sn_unknown *unknown;
    int n_unknown, n_common; /* those of all experiments come first */
    sn_tie *tie;
    int n_tie;
    struct sn_history *history;
    struct sn_history_part *history_part;
    int n_history, n_history_part;
    struct sn_places *places; /* or NULL */
    int method, optimiser;
    int sequential; /* histories are found by filter and smoother (kalman.h): their values are no unknowns */
    struct {
        int iterations;    /* passes after the first, at most; -1: until nothing changes */
        double lag;        /* s: on-line, what was so long ago is estimated again; 0: it is not */
        int *show, n_show; /* on-line: channels that are estimated, too */
    } kalman;
    sn_stream *stream;      /* on-line: there are no data yet; or NULL */
    double horizon, growth; /* first window, s (0: none, -1: by data and model), and how it grows */
    int windows;            /* parts of each experiment with initial states of their own, first; 1: none */
    int hand_over;          /* windows that hand their state over, first; 0: none */
    int piece;              /* it is one of these windows */
    int starts;    /* random ones besides the given; -1: some where the residuals look like a false minimum */
    double spread; /* factor (log) or part of the bounds they spread over */
    unsigned long seed;
    double huber;  /* 0: squares */
    int intervals; /* how they are found: SN_STANDARD ... */
    struct {
        int n; /* refits */
        unsigned long seed;
    } bootstrap;
    double initial_window; /* s, of held-out experiments: their own unknowns are fitted on it */
    const char **effort;   /* channels whose confidence bands are wanted; NULL: all forces and reactions */
    int n_effort;
    double *instant; /* of the direct methods */
    int n_instant;
    sn_mark instants_mark;
    int differences;   /* velocities and accelerations by central differences (1) or smoothing splines (0) */
    int trying;        /* numbers that are not sought are tried: SN_TRY_NEVER ... */
    const char *tried; /* those that these words name; NULL: all that have a physical meaning */
    sn_run_options run;
    struct sn_design_section *design; /* where it was read for one, or NULL */
    const struct sn_item *root;       /* what the file says */
} sn_study;

/* given: what of the options stands in place of the study's own (data, start, set, end, scheme, solver,
   refine), or NULL. windows: experiments that are not held out are divided into the study's `windows`, each
   an experiment with unknowns of its own. */
sn_status sn_study_read(const char *path, const sn_identify_options *given, int windows, sn_study **out,
                        sn_err *err);
/* The same with a finer discretisation. */
sn_status sn_study_read_refined(const char *path, const sn_identify_options *given, int windows,
                                const sn_refinement *finer, sn_study **out, sn_err *err);
/* The same for the design of an experiment: data need not be there yet. */
sn_status sn_study_read_design(const char *path, const sn_identify_options *given, sn_study **out,
                               sn_err *err);
/* The same for samples that come one by one; stream: given are its columns, and it must live as long. */
sn_status sn_study_read_stream(const char *path, const sn_identify_options *given, sn_stream *stream,
                               sn_study **out, sn_err *err);
void sn_study_free(sn_study *s);

/* Name and unit of what column c of an experiment holds: of a sensor's component, a frequency, a response. */
typedef struct sn_column {
    char name[240];
    const char *unit;
} sn_column;
sn_column sn_column_get(const sn_study *s, const sn_experiment *x, int c);

/* The first measured value of a channel at or after t; NAN: none. */
double sn_experiment_first(const sn_experiment *e, int channel, double t);

/* Half of what lies between the lowest and the highest value of a channel; 0: it is not measured. */
double sn_experiment_spread(const sn_experiment *e, int channel);

#endif
