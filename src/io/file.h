/* Whole files in memory. */
#ifndef SN_IO_FILE_H
#define SN_IO_FILE_H

#include "base/mem.h"

/* All bytes of a file of at most `limit` bytes; free them with sn_free. */
sn_status sn_file_read(const char *path, int limit, char **bytes, size_t *len, sn_err *err);

#endif
