/* Inside the reading of modes and frequency responses: read_modal.c, columns and noise in files of their own.
 */
#ifndef SN_IDENTIFY_READ_MODAL_H
#define SN_IDENTIFY_READ_MODAL_H

#include "identify/modal.h"
#include "identify/read.h"

enum {
    SN_PART_WHOLE,
    SN_PART_RE,
    SN_PART_IM,
    SN_PART_ABS,
    SN_PART_DB,
    SN_PART_DEG,
    SN_PART_RAD,
    SN_PART_STD,
    SN_PART_COUNT
};

/* A column as it was given. */
typedef struct sn_modal_given {
    const char *name;
    const double *data; /* n, in SI */
    double factor;
    const sn_mark *where;
} sn_modal_given;

/* What the columns of one name, without their parts, make up. */
typedef struct sn_modal_group {
    const char *name;
    int kind, sensor, input; /* kind: that of its first column, or -1: frequency of a response, mode number */
    int at[SN_PART_COUNT];   /* columns of its parts, from 1 */
    const sn_mark *where;
} sn_modal_group;

typedef struct sn_modal_reading {
    sn_study *s;
    sn_experiment *e;
    const sn_item *own, *source;
    sn_modal_given *column;
    sn_modal_group *group;
    int n_column, n_group, rows;
    double *sigma; /* rows x columns of the experiment; NAN: not stated */
    const char *input;
} sn_modal_reading;

void *sn_modal_take(sn_modal_reading *r, size_t n, size_t size); /* of the study's arena, zero; NULL: none */
/* What the file, or the lists, of the experiment have: columns and rows. */
sn_status sn_modal_from_file(sn_modal_reading *r, const char *replace, sn_err *err);
sn_status sn_modal_from_lists(sn_modal_reading *r, sn_err *err);
/* Columns of one name become groups, and these columns of the experiment. */
sn_status sn_modal_sort_columns(sn_modal_reading *r, sn_err *err);
sn_status sn_modal_add_group(sn_modal_reading *r, const sn_modal_group *g, sn_err *err);
double sn_modal_value(const sn_modal_reading *r, const sn_modal_group *g, int part, int row);
/* Deviations of all numbers: stated, in columns of their own, assumed or seen. */
sn_status sn_modal_read_noise(sn_modal_reading *r, sn_err *err);

#endif
