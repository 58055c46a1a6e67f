/* Numbers and lines of an MSH file, whether it is a text or binary. */
#ifndef SN_IO_MSH_WORDS_H
#define SN_IO_MSH_WORDS_H

#include "base/mem.h"

#include <stdint.h>

typedef struct sn_msh_words {
    const char *path, *begin, *at, *end; /* all bytes, a zero behind them */
    int binary, line;
    sn_err *err;
} sn_msh_words;

/* SN_ERR_INPUT with the place reached: the line, or the byte. */
sn_status sn_msh_fail(const sn_msh_words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The next number: in binary files of 4 bytes, of 8, or a double. */
sn_status sn_msh_int(sn_msh_words *w, const char *what, int *x);
sn_status sn_msh_size(sn_msh_words *w, const char *what, int *x); /* 0 ... INT_MAX */
sn_status sn_msh_real(sn_msh_words *w, const char *what, double *x);
/* A number of the header, which is text in binary files too. */
sn_status sn_msh_plain(sn_msh_words *w, const char *what, double *x);
/* The next line that is not empty, without its end, of *length bytes; NULL: there is none. */
const char *sn_msh_line(sn_msh_words *w, size_t *length);
/* Behind the end of the line. */
void sn_msh_end_line(sn_msh_words *w);

#endif
