/* A look at measured data before anything is fitted to them: what is wrong with a file, in words.

   Every column is searched for codes of missing values (-9999), values at the end of the range, stuck and
   held values, coarse steps, jumps and isolated outliers; the times for gaps, repetitions and rounding. Where
   the model is known its signals at the start values tell columns in a wrong unit, with the wrong sign, or
   exchanged. All thresholds are made so that sound data pass: docs/identification.md says what escapes. */
#ifndef SN_IDENTIFY_LOOK_H
#define SN_IDENTIFY_LOOK_H

#include "identify/study.h"

typedef struct sn_finding {
    int level;           /* 0 a remark, 1 warning, 2 bad */
    const char *kind;    /* "code", "saturated", "stuck", "held", "steps", "jump", "outliers", "clock" ... */
    const char *channel; /* "tip.x", the column; NULL: of the rows */
    int table, row;      /* of the look; the first row of data it is about, from 1; 0: none */
    double t;            /* the time of this row */
    int count;           /* rows */
    const char *text;    /* a sentence */
} sn_finding;

typedef struct sn_column_look {
    const char *name, *unit; /* "" where the unit is not known */
    int count, missing;
    double least, most, mean, deviation; /* of the values that can be believed */
    double noise;                        /* seen from sample to sample; NAN: too few samples */
    double quantum;                      /* smallest step; 0: none */
} sn_column_look;

/* One file. */
typedef struct sn_table_look {
    const char *name, *file; /* of the experiment, or "" */
    int rows, n;
    double begin, end, interval; /* interval: median of the steps of time */
    sn_column_look *column;
} sn_table_look;

typedef struct sn_look {
    sn_arena arena;
    sn_table_look *table;
    int n_table;
    sn_finding *finding;
    int n, cap;
    int failed; /* out of memory: a finding is lost */
} sn_look;

void sn_look_free(sn_look *l);

/* Adds a finding about a table, and says where. */
typedef struct sn_look_place {
    const char *channel;
    int table, row;
    double t;
    int count;
} sn_look_place;
void sn_look_add(sn_look *l, int level, const char *kind, const sn_look_place *at, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Rows of numbers: t (n), and columns whose values are stride apart. */
typedef struct sn_look_rows {
    const char *name, *file;
    int n, first; /* rows, and the row of the file that the first is, from 1 */
    const double *t;
    int n_column, stride, next; /* value of column c at row i: y[i * stride + c * next] */
    const double *y;
    const char *const *column, *const *unit;
} sn_look_rows;
/* A table with its columns, their numbers and what is found in them. */
sn_status sn_look_at_rows(sn_look *l, const sn_look_rows *r, sn_err *err);
/* What is found in one column (look_column.c). Fills `q`; NAN, infinite values are left out of it. */
sn_status sn_look_at_column(sn_look *l, const sn_look_rows *r, int c, sn_column_look *q, sn_err *err);

/* All data of a study. signal: the model's at the start values (samples x channels of each experiment; NAN:
   none), or NULL. */
sn_status sn_look_at_study(const sn_study *s, double *const *signal, sn_look *l, sn_err *err);
/* Data against the model's signals (look_model.c). */
sn_status sn_look_at_model(const sn_study *s, double *const *signal, sn_look *l, sn_err *err);

/* "mm for m": what a channel of this unit may be in where it shows `factor` times what it should, within a
   part `tolerance`; NULL: nothing that is known. */
const char *sn_unit_factor_words(const char *unit, double factor, double tolerance);

/* As texts, to be released. */
sn_status sn_look_summary(const sn_look *l, char **text, sn_err *err);
sn_status sn_look_json(const sn_look *l, char **text, sn_err *err);

#endif
