/* sinew/base.h: status codes, error reports, source positions. Included by sinew.h and by class.h. */
#ifndef SINEW_BASE_H
#define SINEW_BASE_H

#include <stddef.h>

/* Every function of these headers, and nothing else, is exported by a shared libsinew. */
#ifdef __GNUC__
#define SN_API __attribute__((visibility("default")))
#else
#define SN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* name, exit code of the command, text */
#define SN_STATUS_LIST(X)                                                                                    \
    X(SN_OK, 0, "no error")                                                                                  \
    X(SN_ERR_NUMERIC, 1, "the numerics failed")                                                              \
    X(SN_ERR_INTERRUPTED, 1, "stopped on request")                                                           \
    X(SN_ERR_INPUT, 2, "bad input")                                                                          \
    X(SN_ERR_FILE, 2, "a file cannot be read or written")                                                    \
    X(SN_ERR_MEMORY, 1, "out of memory")                                                                     \
    X(SN_ERR_BUG, 3, "internal error")

typedef enum sn_status {
#define X(name, exit_code, text) name,
    SN_STATUS_LIST(X)
#undef X
} sn_status;

SN_API const char *sn_status_text(sn_status s);
SN_API int sn_status_exit(sn_status s); /* the command's exit code */

/* A place in a source file; line 0: no place known. The strings live as long as the spec. */
typedef struct sn_mark {
    const char *file;   /* as given by the user */
    const char *source; /* whole text of the file, NUL-terminated, or NULL: for the excerpt under an error */
    int line, col;      /* from 1 */
} sn_mark;

enum { SN_ERR_MAX = 20, SN_ERR_TEXT = 480, SN_ERR_FILE_TEXT = 256, SN_ERR_EXCERPT = 160 };

/* One report. `excerpt` is the source line (may be cut), `caret` the column in it, from 0. */
typedef struct sn_report {
    sn_status status;
    int line, col, caret;
    char file[SN_ERR_FILE_TEXT], text[SN_ERR_TEXT], excerpt[SN_ERR_EXCERPT];
} sn_report;

/* What went wrong: up to SN_ERR_MAX reports; `count` may be larger than what is kept.
   Zero it with sn_err_clear before first use. Every function takes NULL for "not interested". */
typedef struct sn_err {
    sn_status status; /* of the first report */
    int count;
    sn_report report[SN_ERR_MAX];
} sn_err;

SN_API void sn_err_clear(sn_err *err);

/* How many reports there are, 0 for NULL: `from` of the functions below for those that are still to come.
   What a caller has collected stays: no function clears an sn_err that it was given. */
SN_API int sn_err_count(const sn_err *err);
/* The reports from number `from` on never were: what they tell of was overcome. */
SN_API void sn_err_forget(sn_err *err, int from);
/* Add the reports of another one. */
SN_API void sn_err_join(sn_err *err, const sn_err *more);

/* Add a report "what is wrong"; returns `status`, so that one can write return sn_fail(...). where may be
 * NULL. */
SN_API sn_status sn_fail(sn_err *err, sn_status status, const sn_mark *where, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* The caller adds where: puts "prefix: " before the text of every report from number `from` (0: all) on. */
SN_API void sn_err_prefix(sn_err *err, int from, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* The reports from number `from` on that have no line get this place; a file they name goes before their
 * text. */
SN_API void sn_err_place(sn_err *err, int from, const sn_mark *where);

/* Report i as a compiler would print it, with the source line and a caret; returns the length like snprintf.
 */
SN_API int sn_report_format(const sn_report *report, char *out, size_t size);

/* Run, and hand any failure up. */
#define SN_TRY(call)                                                                                         \
    do {                                                                                                     \
        sn_status sn_try_status = (call);                                                                    \
        if (sn_try_status != SN_OK) return sn_try_status;                                                    \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
