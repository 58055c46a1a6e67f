/* A text that grows. */
#ifndef SN_IDENTIFY_TEXT_H
#define SN_IDENTIFY_TEXT_H

#include "base/mem.h"

typedef struct sn_text {
    char *text;
    size_t n, cap;
    int failed; /* out of memory: everything after is lost */
} sn_text;

void sn_text_add(sn_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sn_text_string(sn_text *t, const char *s); /* as JSON, with quotes */
/* Writes it as a file, which appears whole or not at all. */
sn_status sn_text_save(const sn_text *t, const char *path, sn_err *err);
void sn_text_number(sn_text *t, double x);                /* as JSON: null where it is not finite */
void sn_text_pair(sn_text *t, const char *key, double x); /* the same with its key: , "key": 1.5 */
/* Decimals that show two digits of the error; -1: more than a plain number should have. */
int sn_estimate_decimals(double value, double error);
/* "230.0 +- 0.4": to two digits of the error, which is above 0. */
void sn_estimate_words(double x, double error, char *text, size_t size);
/* Hands the text (and its length, or NULL) to the caller, who frees it. */
sn_status sn_text_finish(sn_text *t, char **text, size_t *length, sn_err *err);

#endif
