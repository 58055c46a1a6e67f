/* Whole files in memory. */
#ifndef SN_IO_FILE_H
#define SN_IO_FILE_H

#include "base/mem.h"

/* Room for any path: the system refuses those of 4096 bytes (PATH_MAX) or more. */
enum { SN_PATH = 4352 };

/* All bytes of a plain file or a pipe, at most `limit` of them, and a zero behind them; free them with
   sn_free. A pipe that nobody writes to, and a device, are errors. */
sn_status sn_file_read(const char *path, int limit, char **bytes, size_t *len, sn_err *err);

#endif
