/* Files that appear whole or not at all (no name or a temporary one, fsync, rename); whole reads and writes
   at an offset. */
#define _GNU_SOURCE /* O_TMPFILE, realpath */

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

enum { SUFFIX = 48, TRIES = 100 };

/* A file without a name in the folder of `path`, if it can get one later: by its entry in /proc. */
static int open_nameless(const char *path)
{
#ifdef O_TMPFILE
    char folder[PATH_MAX], entry[64];
    const char *slash = strrchr(path, '/');
    size_t n = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    struct stat by_name, by_fd;
    if (n >= sizeof folder) return -1;
    snprintf(folder, sizeof folder, "%.*s", n ? (int)n : 1, n ? path : ".");
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0) return -1;
    snprintf(entry, sizeof entry, "/proc/self/fd/%d", fd);
    if (fstat(fd, &by_fd) == 0 && stat(entry, &by_name) == 0 && by_fd.st_ino == by_name.st_ino &&
        by_fd.st_dev == by_name.st_dev)
        return fd;
    close(fd);
#else
    (void)path;
#endif
    return -1;
}

/* Give a file a temporary name, or (fd -1) make one with such a name: its descriptor, or -1. */
static int name_file(sn_atomic *a, int fd)
{
    const size_t size = strlen(a->path) + SUFFIX;
    char entry[64];
    snprintf(entry, sizeof entry, "/proc/self/fd/%d", fd);
    a->temp = sn_alloc(size, 1);
    if (!a->temp) errno = ENOMEM;
    for (int i = 0; a->temp && i < TRIES; i++) {
        snprintf(a->temp, size, "%s.%ld.%d.tmp", a->path, (long)getpid(), i);
        int got = fd < 0 ? open(a->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666)
                         : linkat(AT_FDCWD, entry, AT_FDCWD, a->temp, AT_SYMLINK_FOLLOW);
        if (got >= 0) return fd < 0 ? got : fd;
        if (errno != EEXIST) break;
    }
    int code = errno;
    sn_free(a->temp);
    a->temp = NULL;
    errno = code;
    return -1;
}

static sn_status no_name(const sn_atomic *a, sn_err *err)
{
    return errno == ENOMEM ? SN_OUT_OF_MEM(err) : fail_errno(err, a->path, "cannot be created", errno);
}

sn_status sn_atomic_begin(sn_atomic *a, const char *path, sn_err *err)
{
    char real[PATH_MAX];
    *a = (sn_atomic){.fd = -1};
    SN_TRY(check_target(path, err));
    if (realpath(path, real)) path = real;
    a->path = sn_strdup(path);
    if (!a->path) return SN_OUT_OF_MEM(err);
    a->fd = open_nameless(path);
    if (a->fd < 0) a->fd = name_file(a, -1);
    if (a->fd >= 0) return SN_OK;
    sn_status s = no_name(a, err);
    sn_atomic_end(a);
    return s;
}

void sn_atomic_name(const sn_atomic *a, char *out, size_t size)
{
    if (a->temp)
        snprintf(out, size, "%s", a->temp);
    else
        snprintf(out, size, "/proc/self/fd/%d", a->fd);
}

sn_status sn_atomic_commit(sn_atomic *a, sn_err *err)
{
    /* EINVAL: a file system that cannot sync */
    if (fsync(a->fd) != 0 && errno != EINVAL) return fail_errno(err, a->path, "cannot be written", errno);
    if (!a->temp && name_file(a, a->fd) < 0) return no_name(a, err);
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
