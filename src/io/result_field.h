/* Fields of a result as a reader sees them: whose numbers a column below /fields has. */
#ifndef SN_IO_RESULT_FIELD_H
#define SN_IO_RESULT_FIELD_H

#include "io/result.h"

typedef enum sn_field_style { SN_STYLE_PLAIN, SN_STYLE_SIGNED, SN_STYLE_FORCE } sn_field_style;

/* Texts and numbers are the reader's. */
typedef struct sn_result_field {
    const char *name, *unit, *doc;
    int joints; /* it is about these, else about the elements */
    sn_field_style style;
    int n; /* components */
    const char *const *component;
    int rows;
    const double *row; /* 2 each: row in /model/elements or /model/joints, points */
} sn_result_field;

/* The name of a column that is a field, else NULL. */
const char *sn_result_field_name(const sn_result_column *c);

/* What a field's column is about; its width fits, no row has less than one point. */
sn_status sn_result_field_read(sn_result_reader *r, int column, sn_result_field *out, sn_err *err);

#endif
