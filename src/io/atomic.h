/* Files that appear whole or not at all: written without a name in the folder of the final one, then named.
   Used by results and exports, so that a failure never harms an older file of that name, and a process that
   is killed leaves nothing behind. Where the file system has no files without names (NFS) they have a
   temporary one, which only a killed process leaves. */
#ifndef SN_IO_ATOMIC_H
#define SN_IO_ATOMIC_H

#include "base/mem.h"

#include <stdint.h>

typedef struct sn_atomic {
    char *path,
        *temp; /* final name (links followed), temporary one; temp is NULL without a name, or renamed */
    int fd;    /* open for reading and writing, -1: none */
} sn_atomic;

/* Open the temporary file. Fails where the final name could not be replaced: a directory, a device ... */
sn_status sn_atomic_begin(sn_atomic *a, const char *path, sn_err *err);
/* A name by which this process can open the file once more, before it is committed. */
void sn_atomic_name(const sn_atomic *a, char *out, size_t size);
/* Bring the data to the disk and give the file its final name; fd stays open. */
sn_status sn_atomic_commit(sn_atomic *a, sn_err *err);
/* Close and free; what was not committed is removed. Harmless on a zeroed or ended one. */
void sn_atomic_end(sn_atomic *a);

/* All of data[0..bytes) at the offset, or SN_ERR_FILE; path is for the message. */
sn_status sn_write_at(int fd, const char *path, const void *data, size_t bytes, int64_t offset, sn_err *err);
sn_status sn_read_at(int fd, const char *path, void *data, size_t bytes, int64_t offset, sn_err *err);

#endif
