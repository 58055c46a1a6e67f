/* Pictures of a result: the page of `sinew view`, drawn by Chromium. What is wanted stands behind the # of
   the page's address, see web/src/shot.ts. */
#include "chromium.h"
#include "wishes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the address ---- */

static int put_size(cli_address *a, const cli_job *job)
{
    int w = job->gif ? 480 : 800, h = job->gif ? 360 : 600, n = 0;
    char text[64];
    if (job->size && (sscanf(job->size, "%4dx%4d%n", &w, &h, &n) != 2 || job->size[n] || w < 16 || h < 16 ||
                      w > 4096 || h > 4096)) {
        cli_error("export: --size %s: WIDTHxHEIGHT in pixels is needed, such as 800x600, at most 4096x4096",
                  job->size);
        return CLI_USAGE;
    }
    snprintf(text, sizeof text, "&w=%d&h=%d", w, h);
    cli_address_put(a, text);
    return 0;
}

static int make_address(cli_address *a, const cli_job *job, const char *page)
{
    cli_address_put(a, "file://");
    cli_address_put_safe(a, page, "/");
    cli_address_put(a, job->gif ? "#shot=gif" : "#shot=png");
    int code = put_size(a, job);
    return code ? code : cli_address_put_wishes(a, job, "export");
}

/* ---- the file ---- */

/* Whole or not at all: written beside its place, then renamed. */
static int keep(const char *path, const char *data, size_t n)
{
    size_t room = strlen(path) + 8;
    char *temp = malloc(room);
    if (!temp) return cli_report(NULL, SN_ERR_MEMORY);
    snprintf(temp, room, "%s.XXXXXX", path);
    int fd = mkstemp(temp), bad = fd < 0;
    mode_t mask = umask(0);
    umask(mask);
    for (size_t done = 0; !bad && done < n;) {
        ssize_t k = write(fd, data + done, n - done);
        if (k > 0)
            done += (size_t)k;
        else if (errno != EINTR)
            bad = 1;
    }
    if (!bad) bad = fchmod(fd, 0666 & ~mask) || fsync(fd) || rename(temp, path);
    int code = errno;
    if (fd >= 0) close(fd);
    if (bad && fd >= 0) unlink(temp);
    free(temp);
    if (!bad) return 0;
    cli_error("%s: cannot be written: %s", path, strerror(code));
    return sn_status_exit(SN_ERR_FILE);
}

static int draw(const cli_job *job, const char *folder, const char *program, const char *path,
                cli_watch *watch)
{
    cli_address a = {.n = 0};
    sn_err err;
    char page[512], *data = NULL;
    size_t n = 0;
    snprintf(page, sizeof page, "%s/page.html", folder);
    int code = make_address(&a, job, page);
    if (code) return code;
    sn_err_clear(&err);
    sn_status s = sn_result_page(job->operand[0], page, &err);
    code = s ? cli_report(&err, s) : cli_chromium_run(program, folder, a.text, watch, &data, &n);
    cli_watch_end(watch);
    if (!code) code = keep(path, data, n);
    if (!code) cli_written(job, path);
    free(data);
    return code;
}

int cli_picture(const cli_job *job, const char *ending)
{
    char folder[400], program[400];
    cli_watch watch;
    int lock;
    char *path = cli_out_path(job, ending);
    if (!path) return CLI_USAGE;
    int code = cli_chromium_find(program, sizeof program);
    cli_watch_begin(&watch, !job->quiet); /* before there is a folder that a signal could leave behind */
    if (!code) code = cli_folder_make(folder, sizeof folder, &lock);
    if (!code) {
        code = draw(job, folder, program, path, &watch);
        cli_folder_remove(folder, lock);
    }
    cli_watch_end(&watch);
    cli_watch_free(&watch);
    free(path);
    return code;
}
