/* What fuzzers share. Each is one function, called with any bytes: by libFuzzer (preset fuzz), and by
   mutate.c in the tests, over its corpus and seeded changes of it. Whatever the bytes are, the answer is a
   result or reports; a crash, a hang, a leak, a failure without a report or an internal error is a finding.
 */
#ifndef SN_TEST_FUZZ_H
#define SN_TEST_FUZZ_H

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sinew/sinew.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A failure has a report, and every report a text; success has none. */
static inline void check_reports(sn_status status, sn_err *err)
{
    char line[2048];
    if ((status == SN_OK) != (err->count == 0) || status == SN_ERR_BUG) abort();
    for (int i = 0; i < err->count && i < SN_ERR_MAX; i++) {
        if (!err->report[i].text[0]) abort();
        sn_report_format(&err->report[i], line, sizeof line);
    }
    sn_err_clear(err);
}

/* The files of a folder, and it. */
static inline void remove_folder(const char *folder)
{
    char path[1024];
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.') unlink(path);
    }
    if (d) closedir(d);
    rmdir(folder);
}

/* Makes a folder, in memory where possible; 512 bytes for its name. */
static inline void make_folder(char *folder)
{
    snprintf(folder, 512, "%s/sinew_fuzz_XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder)) abort();
}

static inline char *own_folder(void)
{
    static char folder[512];
    return folder;
}

static inline void remove_own_folder(void) { remove_folder(own_folder()); }

/* The folder for files: that of FUZZ_FOLDER, or one of its own, removed at the end. */
static inline const char *fuzz_folder(void)
{
    char *folder = own_folder();
    if (folder[0]) return folder;
    const char *given = getenv("FUZZ_FOLDER");
    if (given) return strncpy(folder, given, 511);
    make_folder(folder);
    atexit(remove_own_folder);
    return folder;
}

/* The path of a file with these bytes; valid up to the next call. */
static inline const char *as_file(const char *name, const void *bytes, size_t size)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || (size && pwrite(fd, bytes, size, 0) != (ssize_t)size) || close(fd)) abort();
    return path;
}

#endif
