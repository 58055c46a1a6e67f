/* Files that appear whole or not at all (temporary name, fsync, rename); whole reads and writes at an offset.
 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "io/atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sn_status fail_errno(sn_err *err, const char *path, const char *what, int code)
{
    return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = path}, "%s: %s", what, strerror(code));
}

/* An existing file may be replaced only if it is a plain one that we may write. */
static sn_status check_target(const char *path, sn_err *err)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        if (errno == ENOENT) return SN_OK;
        return fail_errno(err, path, "cannot be written", errno);
    }
    if (S_ISDIR(st.st_mode)) return fail_errno(err, path, "cannot be written", EISDIR);
    if (!S_ISREG(st.st_mode))
        return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = path}, "cannot be written: not a plain file");
    if (access(path, W_OK) != 0) return fail_errno(err, path, "cannot be replaced", errno);
    return SN_OK;
}

sn_status sn_atomic_begin(sn_atomic *a, const char *path, sn_err *err)
{
    enum { SUFFIX = 48, TRIES = 100 };
    char real[PATH_MAX];
    *a = (sn_atomic){.fd = -1};
    SN_TRY(check_target(path, err));
    if (realpath(path, real)) path = real;
    size_t size = strlen(path) + SUFFIX;
    a->path = sn_strdup(path);
    a->temp = sn_alloc(size, 1);
    if (!a->path || !a->temp) {
        sn_free(a->temp);
        a->temp = NULL;
        sn_atomic_end(a);
        return SN_OUT_OF_MEM(err);
    }
    for (int i = 0; i < TRIES; i++) {
        snprintf(a->temp, size, "%s.%ld.%d.tmp", path, (long)getpid(), i);
        a->fd = open(a->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (a->fd >= 0) return SN_OK;
        if (errno != EEXIST) break;
    }
    sn_status s = fail_errno(err, a->path, "cannot be created", errno);
    sn_free(a->temp);
    a->temp = NULL;
    sn_atomic_end(a);
    return s;
}

sn_status sn_atomic_commit(sn_atomic *a, sn_err *err)
{
    /* EINVAL: a file system that cannot sync */
    if (fsync(a->fd) != 0 && errno != EINVAL) return fail_errno(err, a->path, "cannot be written", errno);
    if (rename(a->temp, a->path) != 0) return fail_errno(err, a->path, "cannot be replaced", errno);
    sn_free(a->temp);
    a->temp = NULL;
    return SN_OK;
}

void sn_atomic_end(sn_atomic *a)
{
    if (a->path && a->fd >= 0) close(a->fd);
    if (a->temp) unlink(a->temp);
    sn_free(a->temp);
    sn_free(a->path);
    *a = (sn_atomic){.fd = -1};
}

sn_status sn_write_at(int fd, const char *path, const void *data, size_t bytes, int64_t offset, sn_err *err)
{
    const char *p = data;
    while (bytes > 0) {
        ssize_t n = pwrite(fd, p, bytes, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return fail_errno(err, path, "cannot be written", n < 0 ? errno : ENOSPC);
        p += n;
        bytes -= (size_t)n;
        offset += n;
    }
    return SN_OK;
}

sn_status sn_read_at(int fd, const char *path, void *data, size_t bytes, int64_t offset, sn_err *err)
{
    char *p = data;
    while (bytes > 0) {
        ssize_t n = pread(fd, p, bytes, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno(err, path, "cannot be read", errno);
        if (n == 0)
            return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = path}, "cannot be read: it ends too early");
        p += n;
        bytes -= (size_t)n;
        offset += n;
    }
    return SN_OK;
}
