/* What the readers of a study share: numbers, keys, paths, and the experiments with their data. */
#ifndef SN_IDENTIFY_READ_H
#define SN_IDENTIFY_READ_H

#include "identify/keys.h"
#include "identify/study.h"
#include "io/csv.h"
#include "io/yaml.h"
#include "sensitivity/gradient.h"

#include <stdio.h>

sn_status sn_read_number(sn_arena *arena, const sn_item *i, double *x, sn_err *err); /* "5 mm", in SI */
/* The same of a known dimension, or of a unit: "s", "1". */
sn_status sn_read_quantity(sn_arena *arena, const sn_item *i, const sn_dimension *want, double *x,
                           sn_err *err);
sn_status sn_read_unit(sn_arena *arena, const sn_item *i, const char *unit, double *x, sn_err *err);
/* The dimension of an expression is what is wanted (known 1), or an error. x: of its variables. */
sn_status sn_read_dimension(const sn_expr *e, const sn_dimension *x, const sn_dimension *want,
                            const sn_item *i, sn_err *err);
sn_dimension sn_read_unit_dimension(const char *unit);
/* All keys of a map are in the list (ended by a NULL name), or an error with a guess. */
sn_status sn_read_keys(const sn_item *map, const sn_study_key *keys, const char *what, sn_err *err);
const char *sn_read_folder(sn_arena *arena, const char *path); /* "" or with a trailing slash */
const char *sn_read_path(sn_arena *arena, const char *folder, const char *name); /* relative to the folder */

/* The times of a table: which column, and its rows in s (NAN: none). */
typedef struct sn_times {
    const char *file; /* given, for messages */
    int column;
    double *t;
    int from_first; /* they are absolute, and count from the first of them */
} sn_times;
/* time: a column's name, {column: stamp, unit: ms, absolute: yes, zero: ...}, or NULL; file: where it is
 * named. */
sn_status sn_read_time(sn_study *s, const sn_csv *csv, const sn_item *time, const sn_item *file,
                       sn_times *out, sn_err *err);

/* Unknowns, ties and instruments of a study whose experiments are read. */
sn_status sn_read_unknowns(sn_study *s, const sn_item *root, sn_err *err);
sn_status sn_read_start_check(const sn_unknown *u, const sn_mark *where, sn_err *err);
sn_dimension sn_unknown_dimension(const sn_study *s, const sn_unknown *u);

/* An expression of channels, at their first measured values of an experiment (NULL: there are none), and the
   size of its changes. */
typedef struct sn_first {
    double value, size;
} sn_first;
sn_status sn_read_first(sn_study *s, const sn_item *i, const sn_experiment *e, const char *name,
                        const sn_dimension *want, sn_first *out, sn_err *err);

/* The key of the experiment, or of the study, which is the default for all. */
const sn_item *sn_read_pick(const sn_item *own, const sn_item *root, const char *key);

/* Noise of an experiment's channels: its size, what it is like, and the model's discrepancy. */
sn_status sn_read_noise(sn_study *s, const sn_item *own, const sn_item *root, sn_experiment *e, sn_err *err);
sn_status sn_read_noise_copy(sn_study *s, const sn_experiment *from, sn_experiment *to, sn_err *err);
/* That the study speaks of it where there is a series that has it. */
sn_status sn_read_noise_check(const sn_study *s, const sn_item *root, sn_err *err);

/* Measured signals of the model in an experiment. */
sn_status sn_read_inputs(sn_study *s, const sn_item *own, const sn_item *root, sn_experiment *e, sn_err *err);
/* All of them last as long as the runs, and all experiments bring the same. */
sn_status sn_read_inputs_check(const sn_study *s, sn_err *err);
/* Is a column of the experiment's own data one of its inputs? */
int sn_read_is_input(const sn_item *own, const sn_item *root, const char *column);

/* Divides the experiments that are not held out into s->windows parts. */
sn_status sn_read_windows(sn_study *s, sn_err *err);
sn_status sn_read_experiments(sn_study *s, const sn_item *root, const sn_identify_options *given,
                              sn_err *err);
/* The experiment's values: the study's with its own settings (a map, or NULL) and those from outside. */
sn_status sn_read_settings(sn_study *s, const sn_item *set, const sn_identify_options *given,
                           sn_experiment *e, sn_err *err);
/* Experiments of modes and frequency responses: read_modal.c. set: their settings, or NULL. */
int sn_read_is_modal(const sn_item *own);
/* data: {frf: FILE.csv, input: NAME ...}: *out is the experiment with these keys as its own; else as it is.
 */
sn_status sn_read_modal_data(sn_study *s, const sn_item *own, const sn_item **out, sn_err *err);
sn_status sn_read_modal(sn_study *s, const sn_item *own, const sn_item *set, const sn_identify_options *given,
                        sn_experiment *e, sn_err *err);
/* Units of an unknown that is a number of the model; start: its start value in the study, or NULL. */
sn_status sn_read_shown_unit(sn_study *s, const sn_item *start, sn_unknown *u, sn_err *err);
/* The same of another unknown, whose unit is known. */
sn_status sn_read_unit_as(sn_study *s, const sn_item *start, const char *unit, sn_unknown *u, sn_err *err);
/* The model, with what study and options set: s->model, s->base and s->run. */
sn_status sn_read_model(sn_study *s, const sn_item *root, const sn_identify_options *given, sn_err *err);
/* The numbers that are given from outside. */
sn_status sn_read_given(sn_values *v, const sn_identify_options *given, sn_err *err);

#endif
