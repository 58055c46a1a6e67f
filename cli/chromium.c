/* Chromium without a window: runs a page and takes what it leaves in its document behind the mark
   "sinew-shot:", as base64, or the reason why there is nothing behind "sinew-fail:". The page tells how far
   it is by lines "sinew-progress part time" of its console, which Chromium repeats on standard error. */
#include "chromium.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SILENCE = 120 /* seconds without a sign of life */, TICK = 200 /* ms */ };

extern char **environ;

typedef struct text {
    char *bytes;
    size_t n, room;
} text;

static int add(text *t, const char *bytes, size_t n)
{
    if (t->n + n + 1 > t->room) {
        size_t room = 2 * (t->n + n + 1);
        char *more = realloc(t->bytes, room);
        if (!more) return 0;
        t->bytes = more, t->room = room;
    }
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
    t->bytes[t->n] = 0;
    return 1;
}

/* ---- which program ---- */

static int runs(const char *folder, size_t n, const char *name, char *path, size_t size)
{
    struct stat st;
    int k = snprintf(path, size, "%.*s/%s", (int)n, folder, name);
    return n > 0 && k > 0 && (size_t)k < size && !access(path, X_OK) && !stat(path, &st) &&
           S_ISREG(st.st_mode);
}

int cli_chromium_find(char *path, size_t size)
{
    static const char *const name[] = {"chromium", "chromium-browser", "google-chrome",
                                       "google-chrome-stable"};
    const char *list = getenv("PATH"), *own = getenv("CHROMIUM");
    if (own && *own) {
        int n = snprintf(path, size, "%s", own);
        if (n > 0 && (size_t)n < size && !access(path, X_OK)) return 0;
        cli_error("export: CHROMIUM=%s cannot be run", own);
        return CLI_USAGE;
    }
    for (size_t i = 0; list && i < sizeof name / sizeof *name; i++)
        for (const char *c = list; *c; c += strcspn(c, ":"), c += *c == ':')
            if (runs(c, strcspn(c, ":"), name[i], path, size)) return 0;
    cli_error("export: pictures are drawn by Chromium, and none is installed: install the package 'chromium' "
              "(Debian: apt-get install chromium), or let CHROMIUM name the program");
    return CLI_USAGE;
}

/* ---- temporary folder ---- */

static const char folder_name[] = "sinew-picture-";

static void empty(int fd)
{
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return;
    }
    for (struct dirent *e; (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        if (!unlinkat(dirfd(d), e->d_name, 0)) continue;
        int sub = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (sub < 0) continue;
        empty(sub);
        unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
    }
    closedir(d);
}

void cli_folder_remove(const char *path, int lock)
{
    /* again: a process of the browser may write while it ends */
    for (int i = 0; i < 5; i++) {
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0) break;
        empty(fd);
        if (!rmdir(path)) break;
        nanosleep(&(struct timespec){0, 100000000}, NULL);
    }
    if (lock >= 0) close(lock);
}

/* A folder of ours whose process is gone: nobody holds the lock in it. A young one may not have it yet. */
static void remove_stale(const char *path)
{
    enum { YOUNG = 60 /* s */ };
    char file[512];
    struct stat st;
    int n = snprintf(file, sizeof file, "%s/lock", path);
    if (n < 0 || (size_t)n >= sizeof file || lstat(path, &st) || !S_ISDIR(st.st_mode) ||
        st.st_uid != geteuid() || time(NULL) - st.st_mtime < YOUNG)
        return;
    int lock = open(file, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (lock < 0) return;
    if (flock(lock, LOCK_EX | LOCK_NB))
        close(lock);
    else
        cli_folder_remove(path, lock);
}

static void sweep(const char *where)
{
    char path[512];
    DIR *d = opendir(where);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, folder_name, strlen(folder_name)) != 0) continue;
        int n = snprintf(path, sizeof path, "%s/%s", where, e->d_name);
        if (n > 0 && (size_t)n < sizeof path) remove_stale(path);
    }
    if (d) closedir(d);
}

int cli_folder_make(char *path, size_t size, int *lock)
{
    const char *given = getenv("TMPDIR"), *where = given && *given ? given : "/tmp";
    char file[512];
    sweep(where);
    *lock = -1;
    int n = snprintf(path, size, "%s/%sXXXXXX", where, folder_name), made = 0;
    if (n > 0 && (size_t)n < size && n < (int)sizeof file - 8) made = mkdtemp(path) != NULL;
    if (made) {
        snprintf(file, sizeof file, "%.*s/lock", (int)sizeof file - 8, path);
        *lock = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (*lock >= 0 && !flock(*lock, LOCK_EX | LOCK_NB)) return 0;
    }
    cli_error("a temporary folder cannot be made in %s: %s", where, strerror(errno));
    if (made) cli_folder_remove(path, *lock);
    return CLI_USAGE;
}

/* ---- the browser ---- */

static int start(const char *program, const char *folder, const char *url, int out, int err, pid_t *pid)
{
    char profile[512];
    snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", folder);
    char *args[] = {(char *)program,
                    "--headless=new",
                    "--dump-dom",
                    "--enable-logging=stderr",
                    "--allow-file-access-from-files",
                    "--use-angle=swiftshader", /* the same picture on every machine */
                    "--enable-unsafe-swiftshader",
                    "--ignore-gpu-blocklist",
                    "--disable-dev-shm-usage",
                    "--disable-extensions",
                    "--disable-background-networking",
                    "--disable-component-update",
                    "--disable-breakpad",
                    "--no-first-run",
                    "--mute-audio",
                    "--force-device-scale-factor=1",
                    profile,
                    geteuid() ? "--no-default-browser-check" : "--no-sandbox", /* root has no other way */
                    (char *)url,
                    NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawn_file_actions_adddup2(&files, err, 2);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK); /* Ctrl-C is ours to hear */
    posix_spawnattr_setsigmask(&attr, &none);
    int code = posix_spawn(pid, program, &files, &attr, args, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    return code;
}

/* Lines of the page's console that say how far it is. */
static void progress(text *log, double *part, double *t)
{
    char *from = log->bytes, *end;
    while (from && (end = strchr(from, '\n'))) {
        char *at = strstr(from, "sinew-progress ");
        if (at && at < end) sscanf(at, "sinew-progress %lf %lf", part, t);
        from = end + 1;
    }
    if (!from) return;
    log->n -= (size_t)(from - log->bytes);
    memmove(log->bytes, from, log->n + 1);
}

/* Until both pipes are at their end. 0, or why not: the error is said. */
static int listen_to(int out, int err, cli_watch *watch, text *page)
{
    text log = {0};
    double part = 0, t = 0;
    time_t heard = time(NULL);
    struct pollfd p[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
    int code = 0;
    while (!code && p[0].fd >= 0) {
        char buffer[65536];
        poll(p, 2, TICK);
        for (int i = 0; i < 2; i++) {
            ssize_t n = p[i].fd >= 0 && p[i].revents ? read(p[i].fd, buffer, sizeof buffer) : -1;
            if (n == 0) p[i].fd = -1;
            if (n > 0 && !add(i ? &log : page, buffer, (size_t)n)) code = cli_report(NULL, SN_ERR_MEMORY);
            if (n > 0) heard = time(NULL);
        }
        progress(&log, &part, &t);
        if (!code && cli_watch_progress(watch, part, t)) {
            cli_watch_end(watch);
            fputs("stopped on request\n", stderr);
            code = cli_exit(SN_ERR_INTERRUPTED);
        }
        if (!code && time(NULL) - heard > SILENCE) {
            cli_error("export: Chromium has been silent for %d seconds", SILENCE);
            code = 1;
        }
    }
    free(log.bytes);
    return code;
}

static void end(pid_t pid, int code)
{
    int status;
    if (code) kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    kill(-pid, SIGKILL); /* what it has left behind */
}

/* Base64 in place; how many bytes. */
static size_t decode(char *s, size_t n)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0;
    int have = 0;
    size_t k = 0;
    for (size_t i = 0; i < n && s[i] != '='; i++) {
        const char *at = s[i] ? strchr(letter, s[i]) : NULL;
        if (!at) return 0;
        bits = bits << 6 | (unsigned)(at - letter);
        if ((have += 6) < 8) continue;
        have -= 8;
        s[k++] = (char)(bits >> have);
    }
    return k;
}

/* What the document has behind the mark, moved to its beginning. */
static int harvest(text *page)
{
    char *body = page->bytes ? strstr(page->bytes, "<body") : NULL,
         *at = body ? strstr(body, "sinew-shot:") : NULL,
         *fail = body && !at ? strstr(body, "sinew-fail:") : NULL;
    if (fail) {
        fail[strcspn(fail, "<")] = 0;
        cli_error("export: %s", fail + 11);
        return CLI_USAGE;
    }
    if (!at) {
        cli_error("export: Chromium has made no picture");
        return 1;
    }
    at += 11;
    page->n = decode(at, strcspn(at, "<"));
    memmove(page->bytes, at, page->n);
    return 0;
}

int cli_chromium_run(const char *program, const char *folder, const char *url, cli_watch *watch, char **data,
                     size_t *n)
{
    int out[2] = {-1, -1}, err[2] = {-1, -1}, code;
    text page = {0};
    pid_t pid = 0;
    int trouble = pipe(out) || pipe(err) ? errno : 0;
    for (int i = 0; !trouble && i < 2; i++)
        if (fcntl(out[i], F_SETFD, FD_CLOEXEC) || fcntl(err[i], F_SETFD, FD_CLOEXEC)) trouble = errno;
    if (!trouble) trouble = start(program, folder, url, out[1], err[1], &pid);
    close(out[1]), close(err[1]);
    if (trouble) {
        cli_error("export: %s cannot be run: %s", program, strerror(trouble));
        code = CLI_USAGE;
    } else {
        code = listen_to(out[0], err[0], watch, &page);
        end(pid, code);
    }
    close(out[0]), close(err[0]);
    if (!code) code = harvest(&page);
    if (!code) *data = page.bytes, *n = page.n;
    if (code) free(page.bytes);
    return code;
}
