/* HDF5 helpers shared by who writes and reads such files: opening, the cause of a failure, strings, datasets.

   All strings are of fixed length, UTF-8, and end with a zero. Those of variable length lie in HDF5's global
   heap, the one structure of its newer format without a checksum: libhdf5 crashes or loops on a damaged
   one. */
#ifndef SN_BASE_H5_H
#define SN_BASE_H5_H

#include "base/mem.h"
#include "base/h5_load.h"

#include <stdint.h>

/* SN_ERR_FILE "what (the innermost HDF5 message)". Any other HDF5 call in between would clear the message. */
sn_status sn_h5_fail(sn_err *err, const char *file, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The innermost message, blanks for control characters, "" when there is none. */
void sn_h5_cause(char *out, size_t size);

/* Close any id; invalid ones are left alone. */
void sn_h5_drop(hid_t id);
hid_t sn_h5_access(void);               /* file access list: no locks, everything closed with the file */
hid_t sn_h5_string_type(size_t length); /* so many bytes and a zero; UTF-8 */

/* Bytes that n strings take when all have the length of the longest. */
size_t sn_h5_text_bytes(int n, const char *const *text);
/* Attribute of n strings; n < 0: a single one (scalar). */
sn_status sn_h5_put_texts(hid_t owner, const char *name, int n, const char *const *text, const char *file,
                          sn_err *err);

/* A file that is read: nothing in it can be larger than it is. */
typedef struct sn_h5_file {
    hid_t id;
    const char *name; /* for messages, or NULL: who reads them knows */
    int64_t bytes;
} sn_h5_file;

/* Open `path` for reading, `what` in messages ("a result file"): what the system tells, other forms than
   HDF5's newer one with checksums, and a missing end are named. Between sn_h5_enter and sn_h5_leave. */
sn_status sn_h5_open(sn_h5_file *file, const char *path, const char *what, sn_err *err);
/* Likewise, the older form of HDF5 too: files of other programs. */
sn_status sn_h5_open_any(sn_h5_file *file, const char *path, const char *what, sn_err *err);
/* How long the file's name is in "body.h5" or "body.h5:/object"; 0: no name of such a file. */
size_t sn_h5_name(const char *text);
/* Whether a path of the file exists, part by part and by hard links only: others could lead to other files.
 */
sn_status sn_h5_find(const sn_h5_file *file, const char *path, int *exists, sn_err *err);
/* The whole number of an attribute; 0: there is none. */
int sn_h5_get_int(const sn_h5_file *file, const char *name);

/* Open a dataset that lies in this file as plain numbers or text: reached by hard links only, stored in one
   piece, no larger than the file, without filters, other files' parts or references. Absent: *set is -1. */
sn_status sn_h5_open_set(const sn_h5_file *file, const char *path, hid_t *set, sn_err *err);
/* The strings of an attribute copied to the arena; absent: *out NULL and *n 0. */
sn_status sn_h5_get_texts(const sn_h5_file *file, hid_t owner, const char *name, sn_arena *arena, int *n,
                          const char *const **out, sn_err *err);
/* Likewise those of a dataset. */
sn_status sn_h5_get_set_texts(const sn_h5_file *file, const char *path, sn_arena *arena, int *n,
                              const char *const **out, sn_err *err);

#endif
