/* HDF5 helpers shared by the result writer and reader: the cause of a failure, string attributes.
   All strings are of variable length and UTF-8, so that h5py gives them as str. */
#ifndef SN_IO_H5_H
#define SN_IO_H5_H

#include "base/mem.h"
#include "io/h5_load.h"

/* SN_ERR_FILE "what (the innermost HDF5 message)". Any other HDF5 call in between would clear the message. */
sn_status sn_h5_fail(sn_err *err, const char *file, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The innermost message, blanks for control characters, "" when there is none. */
void sn_h5_cause(char *out, size_t size);

/* Close any id; invalid ones are left alone. */
void sn_h5_drop(hid_t id);
hid_t sn_h5_access(void);      /* file access list: no locks, everything closed with the file */
hid_t sn_h5_string_type(void); /* variable length, UTF-8 */

/* Attribute of n strings; n < 0: a single one (scalar). */
sn_status sn_h5_put_texts(hid_t owner, const char *name, int n, const char *const *text, const char *file,
                          sn_err *err);
/* The strings of an attribute (set = 0) or dataset (set = 1) copied to the arena; absent: *out NULL and *n 0.
 */
sn_status sn_h5_get_texts(hid_t owner, const char *name, int set, sn_arena *arena, int *n,
                          const char *const **out, const char *file, sn_err *err);

#endif
