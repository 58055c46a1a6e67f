/* Words of the section run that stand in other files in place of the model's: scheme, solver, start,
   redundant, constraints. */
#ifndef SN_IDENTIFY_RUN_WORDS_H
#define SN_IDENTIFY_RUN_WORDS_H

#include "model/item.h"
#include "sinew/sinew.h"

int sn_run_word_is(const char *key); /* else it is a number of the section */
/* Sets the option; the texts must live as long as the options. where may be NULL. */
sn_status sn_run_word_set(const char *key, const char *word, const sn_mark *where, sn_run_options *o,
                          sn_err *err);

#endif
