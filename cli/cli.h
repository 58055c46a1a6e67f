/* cli.h: what the commands share: their table, options, errors, JSON, the progress line, opening a model.

   A command is one file cmd_*.c with one const table, and one line in main.c. The command line program sees
   the public headers only. Functions that can fail print what is wrong on standard error and return an exit
   code: 0 good, 1 the numerics failed, 2 bad input or usage, 3 a bug, 128 + n stopped by signal n (130:
   Ctrl-C).
 */
#ifndef SN_CLI_H
#define SN_CLI_H

#include <stdio.h>

#include "sinew/plugin.h"
#include "sinew/sinew.h"

enum { CLI_OPERANDS = 8, CLI_USAGE = 2, CLI_HELP = -1 /* help was asked for and printed */ };

/* ---- commands and their options ---- */

typedef struct cli_list {
    const char **item;
    int n;
} cli_list;

/* What a command line says. */
typedef struct cli_job {
    char *command; /* the command line as one text */
    const char *operand[CLI_OPERANDS];
    int n_operand;
    const char *out, *end, *step, *output, *error, *tolerance, *scheme, *solver, *at, *count, *method, *mtx,
        *data, *memory, *threads, *port, *time, *size, *view, *fps, *from, *to, *mode, *speed, *colour,
        *tried, *study, *period, *parameter, *until, *steps, *max_step, *branch, *reduce, *mat_file, *points,
        *lines, *spin, *interfaces, *mass, *stiffness, *nodes, *dofs, *recovery, *fe_units, *digits;
    cli_list set, print, of, wrt, start, trace, measured, arrows, plugin, input, channels, place, only;
    int json, undamped, quiet, open, timing, csv, vtk, mat, png, gif, serve, all, units, plain, check,
        statics, sensitivities, resume, refine, strict, lenient, branches, nonlinear, free_modes, follow,
        independent, draw, man;
} cli_job;

/* An option sets the member of the job at `at`: a flag (arg NULL) an int, a list adds a text, else a text.
   A table ends with a NULL name. */
typedef struct cli_option {
    const char *name;
    char letter;     /* 0: none */
    const char *arg; /* name of its value, or NULL; "[NAME]": it may be left out, "" */
    int list;
    size_t at;
    const char *doc;
} cli_option;

typedef struct cli_command {
    const char *name, *line, *operands, *text;
    int min, max; /* operands */
    const cli_option *options;
    int (*run)(cli_job *job);
} cli_command;

/* Options that several commands have. */
#define CLI_OPTION_SET                                                                                       \
    {                                                                                                        \
        "set", 0, "NAME=VALUE", 1, offsetof(cli_job, set),                                                   \
            "set a number of the model: k1=650 N/m, bar1.EA=2e5 (repeatable)"                                \
    }
#define CLI_OPTION_THREADS                                                                                   \
    {                                                                                                        \
        "threads", 0, "N", 0, offsetof(cli_job, threads),                                                    \
            "that evaluate elements, for large models: the same results (default: one)"                      \
    }
#define CLI_OPTIONS_STEPS                                                                                    \
    {"step", 0, "TIME", 0, offsetof(cli_job, step), "time step: 1e-3, '1 ms'"},                              \
        {"error",                                                                                            \
         0,                                                                                                  \
         "X",                                                                                                \
         0,                                                                                                  \
         offsetof(cli_job, error),                                                                           \
         "local error allowed per step; chooses the step size (0: fixed steps)"},                            \
        {"tolerance", 0, "X", 0, offsetof(cli_job, tolerance), "tolerance of Newton's iteration"},           \
        {"scheme", 0, "NAME", 0, offsetof(cli_job, scheme), "time integration: 'sinew list schemes'"},       \
    {                                                                                                        \
        "solver", 0, "NAME", 0, offsetof(cli_job, solver), "linear solver: 'sinew list solvers'"             \
    }

const cli_command *const *cli_commands(void); /* ended by NULL */
const cli_command *cli_command_find(const char *name);
void cli_command_help(const cli_command *c, FILE *to);
const cli_option *cli_common_options(void); /* of every command; ended by a NULL name */
/* The option --name or -n: `length` letters of the word; or NULL. */
const cli_option *cli_option_find(const cli_command *c, const char *word, size_t length);
int cli_command_at(int n, char **word); /* where the command's name stands behind options --plugin FILE */
void cli_man(const cli_command *c);     /* prints its manual page, of NULL that of sinew */
int cli_complete(int n, char **word);   /* prints what the last word can be, for shells */

/* The command's name is argv[at]; options of all commands may stand before it. */
int cli_parse(const cli_command *c, int at, int argc, char **argv, cli_job *job);
void cli_job_free(cli_job *job);

/* ---- words and messages ---- */

/* printf for texts with names, titles, paths: control characters are shown, not obeyed (\x1b). */
void cli_say(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warning(const char *text);
int cli_report(const sn_err *err, sn_status status); /* prints all reports; the exit code */

/* The candidate nearest to a misspelt word, or NULL. Feed them one by one. */
typedef struct cli_near {
    const char *word, *best;
    int cost;
} cli_near;
void cli_near_try(cli_near *n, const char *candidate);
/* " (did you mean 'x'?)" or "" into `out` */
const char *cli_near_text(const cli_near *n, const char *before, char *out, size_t size);

/* Numbers of tables: as many digits as --digits says, and 0 without a sign. The text lasts for some twenty
 * calls. */
int cli_digits(const char *text); /* NULL: the default */
const char *cli_figure(double x);

void cli_written(const cli_job *job, const char *path); /* "tip.csv: written, 12 kB" */

void cli_json_text(FILE *f, const char *text);
void cli_json_number(FILE *f, double x);
void cli_json_list(FILE *f, const char *name, const char *words); /* "name": [...], words "a, b" */

int cli_stdout_done(int code); /* flush; a full disk or a closed pipe is an error */

/* ---- watching a run ---- */

typedef struct cli_watch {
    int show, quiet, drawn, n_warning;
    char state[160];                     /* of an identification, shown in place of the time; "": none */
    double start, last, base, base_time; /* base: what was done when the first half second was over */
    char **warning;
} cli_watch;

void cli_watch_begin(
    cli_watch *w, int progress); /* and SIGINT, SIGTERM, SIGHUP stop the run: a second one ends the program */
/* From now on a signal ends the program within 10 s of its time, also where nobody asks for it; the exit code
   is the same. patient: the signal that may take longer, where the person at the terminal can give another;
   or 0. */
void cli_watch_limit(int patient);
void cli_watch_end(cli_watch *w); /* erases the line, and there is no limit any more */
void cli_watch_free(cli_watch *w);
int cli_watch_progress(void *watch, double done, double t);
void cli_watch_state(void *watch, const sn_identify_state *state);
int cli_exit(sn_status status); /* the exit code: 128 and its number where a signal has stopped it */
void cli_watch_message(void *watch, const char *text);
void cli_json_warnings(FILE *f, const cli_watch *w); /* "warnings": [...] */

/* ---- models ---- */

typedef struct cli_model {
    sn_model *model;
    sn_values *values;
} cli_model;

/* The documentation's first page, in `path` of PATH_MAX bytes, or NULL; and a line that says where it is. */
const char *cli_manual(char *path);
void cli_manual_line(FILE *to);

int cli_model_open(const cli_job *job, cli_model *m); /* read the file, apply --set, --end ... */
void cli_model_close(cli_model *m);
/* --set, --step ... as texts name=value, one behind the other in a list that ends with NULL; free it. NULL:
   out of memory. */
char **cli_settings(const cli_job *job, int *n);
/* Options of a run after the job's; checks the names of scheme and solver. */
int cli_threads(const cli_job *job, int *threads); /* unchanged without --threads */
int cli_run_options(const cli_job *job, const cli_model *m, sn_run_options *o);
int cli_time(const cli_model *m, const char *text,
             double *t); /* seconds, from a text with an optional unit */
/* --at: start, static, steady or a time, as the options of the library have it (at_time -1: the start) */
int cli_at(const cli_job *job, const cli_model *m, int *at_static, int *at_steady, double *at_time);
/* modes --at periodic */
int cli_floquet(const cli_job *job, const cli_model *m, cli_watch *watch);
/* The numbers asked for by --print. end < 0: times are not allowed. Free the points. */
int cli_points(const cli_job *job, const cli_model *m, double end, sn_point **points);
void cli_print_points(const cli_job *job, const sn_point *p); /* one number per line, exact */
/* "prints": {"tip.x": 1, ...} */
void cli_json_points(FILE *f, const cli_job *job, const sn_point *p);
/* The numbers named by --wrt, k1,k2 and again; without it all parameters. Free them. */
int cli_names(const cli_job *job, const sn_model *model, char ***names, int *n);
void cli_names_free(char **names, int n);
/* -o, or the operand's base name with another ending, in the current folder; malloc'ed. NULL: out of memory
   or the file would replace the operand (said on stderr). */
char *cli_out_path(const cli_job *job, const char *ending);
/* A file's name without folder and ending, with `more` behind it: a folder for what comes of it; malloc'ed.
 */
char *cli_out_folder(const char *file, const char *more);

/* ---- identification ---- */

/* Several studies on the same data: fits and ranks them; the exit code */
int cli_compare(const cli_job *job, sn_identify_options *o, cli_watch *watch);

/* Samples from standard input, estimates to standard output; the exit code */
int cli_follow(const cli_job *job);

/* ---- kinds, for help and list ---- */

enum {
    CLI_NODES,
    CLI_ELEMENTS,
    CLI_JOINTS,
    CLI_SIGNALS,
    CLI_SENSORS,
    CLI_MATERIALS,
    CLI_SECTIONS,
    CLI_SHAPES,
    CLI_MESHES,
    CLI_KIND_FAMILIES,
    CLI_SCHEMES = CLI_KIND_FAMILIES,
    CLI_SOLVERS,
    CLI_FAMILIES
};

typedef struct cli_kind {
    const char *name, *doc;
    const sn_args *args; /* NULL: nothing behind the kind's key */
    const sn_slot *slots;
    const sn_option *options;
    const sn_output *outputs;
    const sn_element_class *element; /* or NULL */
    const sn_sensor_class *sensor;   /* or NULL */
} cli_kind;

const char *cli_family_name(int family); /* "nodes", ... */
const char *cli_family_singular(int family);
int cli_kind_get(int family, int i, cli_kind *kind); /* 0: there is no such one */
void cli_kind_help(int family, const cli_kind *kind);
void cli_slot_line(const sn_slot *s, int property);
void cli_columns(const char *text, int width); /* text and blanks up to the width, at least two */

typedef struct cli_topic {
    const char *name, *words, *text; /* words: other names that lead here, with blanks around each */
    int family;                      /* whose kinds are listed below it; -1: none */
} cli_topic;
const cli_topic *cli_topics(void); /* ended by a NULL name */

extern const cli_command cli_cmd_run, cli_cmd_static, cli_cmd_modes, cli_cmd_linearise, cli_cmd_gradient,
    cli_cmd_identify, cli_cmd_data, cli_cmd_design, cli_cmd_check, cli_cmd_export, cli_cmd_view, cli_cmd_help,
    cli_cmd_list, cli_cmd_path, cli_cmd_buckling, cli_cmd_sweep, cli_cmd_reduce, cli_cmd_compare,
    cli_cmd_names;

#endif
