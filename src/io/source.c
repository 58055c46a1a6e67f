/* Text of an input file: whole in memory, checked once, so that readers meet only UTF-8 with LF line ends.

   A byte order mark at the beginning is taken away; CR LF and a lone CR become LF, which leaves lines and
   columns as they were. Control characters other than tab and line ends are refused: they never belong in a
   model, and reports that show the source go to terminals. */
#include "io/source.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

/* The bytes of an open file; pipes tell no size beforehand, so the limit is watched while reading too. */
static sn_status slurp(FILE *in, const char *path, int limit, char **bytes, int *len, sn_err *err)
{
    sn_mark where = {path, NULL, 0, 0};
    struct stat info;
    int capacity = 0, need = 1 << 16;
    bool failed = fstat(fileno(in), &info) != 0;
    if (!failed && S_ISDIR(info.st_mode)) {
        failed = true;
        errno = EISDIR;
    }
    if (failed) return sn_fail(err, SN_ERR_FILE, &where, "cannot read the file: %s", strerror(errno));
    if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode))
        return sn_fail(err, SN_ERR_INPUT, &where, "this is a device, not a file");
    if (info.st_size > limit) return sn_file_too_large(path, (double)info.st_size, limit, err);
    if (info.st_size >= need) need = (int)info.st_size + 1;
    do {
        if (sn_grow(bytes, &capacity, need, 1) != SN_OK) return SN_OUT_OF_MEM(err);
        *len += (int)fread(*bytes + *len, 1, (size_t)(capacity - *len), in);
        if (ferror(in)) return sn_fail(err, SN_ERR_FILE, &where, "cannot read the file: %s", strerror(errno));
        if (*len > limit) return sn_file_too_large(path, *len, limit, err);
        need = capacity + 1;
    } while (!feof(in));
    return SN_OK;
}

sn_status sn_file_read(const char *path, int limit, char **bytes, size_t *len, sn_err *err)
{
    sn_mark where = {path, NULL, 0, 0};
    int n = 0;
    *bytes = NULL;
    *len = 0;
    FILE *in = fopen(path, "rb");
    if (!in) return sn_fail(err, SN_ERR_FILE, &where, "cannot open the file: %s", strerror(errno));
    sn_status status = slurp(in, path, limit, bytes, &n, err);
    fclose(in);
    if (status != SN_OK) {
        sn_free(*bytes);
        *bytes = NULL;
        return status;
    }
    *len = (size_t)n;
    return SN_OK;
}
