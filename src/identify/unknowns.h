/* Reading what is sought: unknowns of the model, of instruments and of clocks. */
#ifndef SN_IDENTIFY_UNKNOWNS_H
#define SN_IDENTIFY_UNKNOWNS_H

#include "identify/read.h"

/* What a declaration {start: ..., bounds: ..., prior: ...} is about: what the number may be, and what it is
   where the declaration does not say. */
typedef struct sn_subject {
    sn_dimension dim;
    double lower, upper, value;
    double scale;     /* 0: follows from the value; a given range widens it */
    int range_scales; /* so does the range where it is not given */
} sn_subject;

/* All keys of a declaration, and what they may not be together. *each: one for each experiment. */
sn_status sn_read_declaration(const sn_item *i, int *each, sn_err *err);
/* Fills in start, bounds, scale and prior of an unknown that has its name. `i` is a declaration, a start, or
   the word 'unknown'; e: the experiment that it belongs to, or NULL. */
sn_status sn_read_unknown(sn_study *s, const sn_item *i, const sn_subject *of, const sn_experiment *e,
                          sn_unknown *u, sn_err *err);
/* An expression of unknowns of all experiments. */
sn_status sn_read_tie(sn_study *s, const sn_item *tie, const sn_dimension *want, const sn_expr **out,
                      sn_err *err);

/* Instruments of all experiments: numbers that are known or of all experiments, those that are tied, those of
   single experiments; see docs/identification.md. */
typedef enum sn_pass { SN_PASS_COMMON, SN_PASS_TIES, SN_PASS_EACH } sn_pass;
sn_status sn_read_instruments(sn_study *s, const sn_item *root, sn_pass pass, sn_err *err);
/* Instruments that change nothing, for all channels; *most: unknowns that there may be of them at most. */
sn_status sn_read_instruments_begin(sn_study *s, const sn_item *root, size_t *most, sn_err *err);

#endif
