/* Text of an input file: whole in memory, checked once, so that readers meet only UTF-8 with LF line ends.

   A byte order mark at the beginning is taken away; CR LF and a lone CR become LF, which leaves lines and
   columns as they were. Control characters other than tab and line ends are refused: they never belong in a
   model, and reports that show the source go to terminals. */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of the UTF-8 character at s, 0 when there is none (overlong forms and surrogates included). */
static size_t utf8_length(const unsigned char *s, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf8 ? 4 : 0;
    if (n == 0 || n > left) return 0;
    uint32_t code = n == 1 ? s[0] : s[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    return code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

/* What makes the bytes at s no text, or NULL; *n: bytes of this character. */
static const char *not_text(const unsigned char *s, size_t left, size_t *n)
{
    *n = utf8_length(s, left);
    if (*n == 0) return "a byte that is not UTF-8";
    if (s[0] == 0) return "a NUL byte";
    return (s[0] < 32 && !strchr("\t\n\r", s[0])) || s[0] == 127 ? "a control character" : NULL;
}

/* Copy with LF line ends, counting lines. */
static sn_status copy_text(sn_source *s, const unsigned char *in, size_t len, int *n_line, sn_err *err)
{
    size_t n, begin = 0;
    *n_line = 1;
    for (size_t i = 0; i < len; i += n) {
        const char *what = not_text(in + i, len - i, &n);
        if (what) {
            sn_mark where = {s->file, NULL, *n_line, (int)(s->len - begin) + 1};
            return sn_fail(err, SN_ERR_INPUT, &where, "not a text file: %s stands here", what);
        }
        if (in[i] == '\r' && i + 1 < len && in[i + 1] == '\n') continue;
        memcpy(s->text + s->len, in + i, n);
        if (in[i] == '\r') s->text[s->len] = '\n';
        s->len += n;
        if (s->text[s->len - 1] == '\n') {
            ++*n_line;
            begin = s->len;
        }
    }
    return SN_OK;
}

sn_status sn_source_open(sn_source *s, const char *name, const char *text, size_t len, sn_arena *arena,
                         sn_err *err)
{
    int n_line;
    size_t mark = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *s = (sn_source){.file = sn_arena_strndup(arena, name, strlen(name)),
                     .text = sn_arena_alloc(arena, len - mark + 1, 1)};
    if (!s->file || !s->text) return SN_OUT_OF_MEM(err);
    SN_TRY(copy_text(s, (const unsigned char *)text + mark, len - mark, &n_line, err));
    if (sn_grow(&s->line, &s->cap_line, n_line, sizeof *s->line) != SN_OK) return SN_OUT_OF_MEM(err);
    s->n_line = 1;
    for (size_t k = 0; k < s->len; k++)
        if (s->text[k] == '\n') s->line[s->n_line++] = k + 1;
    return SN_OK;
}

void sn_source_close(sn_source *s)
{
    sn_free(s->line);
    s->line = NULL;
    s->n_line = s->cap_line = 0;
}

sn_mark sn_source_mark(const sn_source *s, size_t pos)
{
    int lo = 0, hi = s->n_line;
    if (pos > s->len) pos = s->len;
    /* bisection: line[lo] <= pos < line[hi] */
    while (hi - lo > 1) {
        int mid = lo + (hi - lo) / 2;
        if (s->line[mid] <= pos)
            lo = mid;
        else
            hi = mid;
    }
    return (sn_mark){s->file, s->text, lo + 1, (int)(pos - s->line[lo]) + 1};
}

sn_status sn_file_too_large(const char *path, double bytes, int limit, sn_err *err)
{
    enum { MIB = 1 << 20 };
    sn_mark where = {path, NULL, 0, 0};
    return sn_fail(err, SN_ERR_INPUT, &where, "the file is too large: %.1f MiB, the limit is %d MiB",
                   bytes / MIB, limit / MIB);
}

static sn_status cannot(const char *path, const char *what, int code, sn_err *err)
{
    return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = path}, "cannot %s the file: %s", what,
                   strerror(code));
}

/* A plain file or a pipe ('sinew run <(generate)'), opened without waiting for anybody. */
static sn_status open_input(const char *path, int *fd, struct stat *info, sn_err *err)
{
    *fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*fd < 0) return cannot(path, "open", errno, err);
    if (fstat(*fd, info) != 0) return cannot(path, "read", errno, err);
    if (S_ISDIR(info->st_mode)) return cannot(path, "read", EISDIR, err);
    if (!S_ISREG(info->st_mode) && !S_ISFIFO(info->st_mode))
        return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = path}, "this is a device, not a file");
    return SN_OK;
}

/* Up to `size` bytes; waits where a writer of a pipe has nothing yet. 0: the end. */
static ssize_t read_some(int fd, char *out, size_t size)
{
    for (;;) {
        ssize_t n = read(fd, out, size);
        if (n >= 0 || (errno != EINTR && errno != EAGAIN)) return n;
        if (errno == EAGAIN) poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
    }
}

/* The bytes of an open file; pipes tell no size beforehand, so the limit is watched while reading too. */
static sn_status slurp(int fd, const struct stat *info, const char *path, int limit, char **bytes, int *len,
                       sn_err *err)
{
    int capacity = 0, need = 1 << 16;
    ssize_t n;
    if (info->st_size > limit) return sn_file_too_large(path, (double)info->st_size, limit, err);
    if (info->st_size >= need) need = (int)info->st_size + 1;
    do {
        if (*len + 1 >= capacity && sn_grow(bytes, &capacity, need, 1) != SN_OK) return SN_OUT_OF_MEM(err);
        n = read_some(fd, *bytes + *len, (size_t)(capacity - 1 - *len));
        if (n < 0) return cannot(path, "read", errno, err);
        *len += (int)n;
        if (*len > limit) return sn_file_too_large(path, *len, limit, err);
        need = capacity + 1;
    } while (n > 0);
    if (*len == 0 && S_ISFIFO(info->st_mode))
        return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = path},
                       "this is a pipe that is empty, or that nobody writes to");
    return SN_OK;
}

sn_status sn_file_read(const char *path, int limit, char **bytes, size_t *len, sn_err *err)
{
    struct stat info;
    int n = 0, fd;
    *bytes = NULL;
    *len = 0;
    sn_status status = open_input(path, &fd, &info, err);
    if (status == SN_OK) status = slurp(fd, &info, path, limit, bytes, &n, err);
    if (fd >= 0) close(fd);
    if (status != SN_OK) {
        sn_free(*bytes);
        *bytes = NULL;
        return status;
    }
    *len = (size_t)n;
    return SN_OK;
}
