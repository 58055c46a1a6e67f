#include "identify/journal.h"
#include "io/atomic.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- keys ---- */

static uint64_t mix(uint64_t x) /* splitmix64's finaliser */
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

void sn_key_word(sn_key *k, uint64_t word)
{
    k->a = mix((k->a ^ word) + 0x9E3779B97F4A7C15ULL);
    k->b = mix(k->b * 0xD1342543DE82EF95ULL + word + 0xA0761D6478BD642FULL);
}

void sn_key_text(sn_key *k, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    sn_key_word(k, text ? n : UINT64_MAX);
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text + i, n - i < 8 ? n - i : 8);
        sn_key_word(k, word);
    }
}

sn_key sn_key_of(const char *what)
{
    sn_key k = {1, 2};
    sn_key_text(&k, what);
    return k;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    if (x == 0) x = 0; /* no sign */
    if (x != x) return UINT64_MAX;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

void sn_key_exact(sn_key *k, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++) sn_key_word(k, bits_of(x[i]));
}

/* ---- the file ---- */

enum {
    HEAD = 32,
    RECORD = 4, /* words before the numbers */
    SMALL_BYTES = 1 << 24 /* a file that need not be written anew */,
    MOST_BYTES = 1 << 30
};

struct sn_journal {
    int fd, failed;
    char *path;
    uint64_t bytes, full; /* full: when to write it anew */
    unsigned char *done;  /* groups */
    int groups;
    pthread_mutex_t lock;
    char *text;      /* what was read */
    uint32_t *table; /* by key: place of a record in it, in words; 0: none */
    size_t mask;
    long count, cut;
};

static void make_head(char head[HEAD])
{
    const double third = 1.0 / 3; /* the order of bytes */
    memset(head, 0, HEAD);
    memcpy(head, "sinew resume 1\n", 15);
    memcpy(head + 16, &third, sizeof third);
}

static uint64_t size_of(const uint64_t *record) { return record[2] & UINT32_MAX; }

static uint64_t checksum(const uint64_t *record, const uint64_t *numbers)
{
    sn_key k = {record[0], record[1]};
    sn_key_word(&k, record[2]);
    for (uint64_t i = 0; i < size_of(record); i++) sn_key_word(&k, numbers[i]);
    return k.a;
}

/* Place of the key in the table, or of the gap where it belongs. */
static size_t find(const sn_journal *j, uint64_t a, uint64_t b)
{
    size_t at = (size_t)a & j->mask;
    const uint64_t *words = (const uint64_t *)j->text;
    for (; j->table[at]; at = (at + 1) & j->mask)
        if (words[j->table[at]] == a && words[j->table[at] + 1] == b) break;
    return at;
}

/* Whole records of the text, at most as far as `words`; each goes to `table` where there is one. Returns
   where they end. */
static size_t walk(sn_journal *j, size_t words, long *count)
{
    const uint64_t *w = (const uint64_t *)j->text;
    size_t at = HEAD / 8;
    for (*count = 0; at + RECORD <= words; ++*count) {
        const uint64_t *r = w + at;
        if (size_of(r) > words - at - RECORD || r[3] != checksum(r, r + RECORD)) break;
        if (j->table) j->table[find(j, r[0], r[1])] = (uint32_t)at; /* the last one counts */
        at += RECORD + (size_t)size_of(r);
    }
    return at;
}

static sn_status load(sn_journal *j, const char *path, sn_err *err)
{
    size_t n, size = 16;
    char head[HEAD];
    SN_TRY(sn_file_read(path, MOST_BYTES, &j->text, &n, err));
    make_head(head);
    if (n == 0) return SN_OK; /* killed before the first word */
    if (n < HEAD || memcmp(j->text, head, HEAD) != 0)
        return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = path},
                       "this is no record of simulations, or a damaged one; without the file --resume begins "
                       "at the last estimates");
    size_t end = walk(j, n / 8, &j->count);
    while (size < 2 * (size_t)j->count + 2) size *= 2;
    if (!SN_NEW(j->table, size)) return SN_OUT_OF_MEM(err);
    j->mask = size - 1;
    walk(j, end, &j->count);
    j->bytes = 8 * end, j->cut = (long)(n - 8 * end);
    return SN_OK;
}

static sn_status open_file(sn_journal *j, const char *path, int resume, sn_err *err)
{
    const sn_mark where = {.file = path};
    char head[HEAD];
    struct stat st;
    j->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (j->fd < 0 || fstat(j->fd, &st))
        return sn_fail(err, SN_ERR_FILE, &where, "cannot be written: %s", strerror(errno));
    if (!S_ISREG(st.st_mode)) return sn_fail(err, SN_ERR_FILE, &where, "cannot be written: not a plain file");
    if (flock(j->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return sn_fail(err, SN_ERR_INPUT, &where, "another identification is at work in this folder");
    if (resume) SN_TRY(load(j, path, err));
    make_head(head);
    if (j->bytes == 0) {
        SN_TRY(sn_write_at(j->fd, path, head, HEAD, 0, err));
        j->bytes = HEAD;
    }
    /* what was cut off, or is of an earlier study */
    if (ftruncate(j->fd, (off_t)j->bytes))
        return sn_fail(err, SN_ERR_FILE, &where, "cannot be written: %s", strerror(errno));
    return SN_OK;
}

sn_status sn_journal_open(const char *path, int resume, sn_journal **out, sn_err *err)
{
    sn_journal *j;
    *out = NULL;
    if (!SN_NEW(j, 1)) return SN_OUT_OF_MEM(err);
    j->fd = -1, j->full = SMALL_BYTES;
    pthread_mutex_init(&j->lock, NULL);
    sn_status status = (j->path = sn_strdup(path)) ? SN_OK : SN_OUT_OF_MEM(err);
    if (!status) status = open_file(j, path, resume, err);
    if (status)
        sn_journal_close(j);
    else
        *out = j;
    return status;
}

void sn_journal_close(sn_journal *j)
{
    if (!j) return;
    if (j->fd >= 0) close(j->fd);
    pthread_mutex_destroy(&j->lock);
    sn_free(j->path), sn_free(j->done), sn_free(j->text), sn_free(j->table), sn_free(j);
}

long sn_journal_count(const sn_journal *j) { return j->count; }
long sn_journal_cut(const sn_journal *j) { return j->cut; }
int sn_journal_failed(const sn_journal *j) { return j->failed; }
uint64_t sn_journal_bytes(const sn_journal *j) { return j->bytes; }

int sn_journal_get(const sn_journal *j, sn_key key, size_t n, double *x)
{
    if (!j || !j->table) return 0;
    uint32_t at = j->table[find(j, key.a, key.b)];
    const uint64_t *r = (const uint64_t *)j->text + at;
    if (!at || size_of(r) != n) return 0;
    memcpy(x, r + RECORD, n * sizeof *x);
    return 1;
}

/* ---- writing ---- */

/* The records that are still of use, to another file. *bytes: its size. */
static sn_status copy(const sn_journal *j, int to, uint64_t *bytes)
{
    char head[HEAD];
    uint64_t first[RECORD], *r;
    make_head(head);
    SN_TRY(sn_write_at(to, "", head, HEAD, 0, NULL));
    *bytes = HEAD;
    for (uint64_t at = HEAD, size; at < j->bytes; at += size) {
        SN_TRY(sn_read_at(j->fd, "", first, sizeof first, (int64_t)at, NULL));
        uint64_t group = first[2] >> 32;
        size = 8 * (RECORD + size_of(first));
        if (group < (uint64_t)j->groups && j->done[group]) continue;
        if (!SN_NEW(r, RECORD + size_of(first))) return SN_ERR_MEMORY;
        sn_status status = sn_read_at(j->fd, "", r, size, (int64_t)at, NULL);
        if (!status) status = sn_write_at(to, "", r, size, (int64_t)*bytes, NULL);
        sn_free(r);
        SN_TRY(status);
        *bytes += size;
    }
    return SN_OK;
}

/* The file anew, without what is of no use. Where that fails the old one goes on. */
static void shrink(sn_journal *j)
{
    sn_atomic a = {0};
    uint64_t bytes;
    if (!sn_atomic_begin(&a, j->path, NULL) && !flock(a.fd, LOCK_EX | LOCK_NB) && !copy(j, a.fd, &bytes) &&
        !sn_atomic_commit(&a, NULL)) {
        int fd = j->fd;
        j->fd = a.fd, a.fd = fd, j->bytes = bytes; /* and the old one is closed */
    }
    sn_atomic_end(&a);
    j->full = 2 * (j->bytes > SMALL_BYTES / 2 ? j->bytes : SMALL_BYTES / 2);
}

static void append(sn_journal *j, const uint64_t *record, size_t bytes)
{
    if (j->failed) return;
    if (j->bytes + bytes > j->full) shrink(j);
    errno = 0;
    if (j->bytes + bytes > MOST_BYTES)
        j->failed = EFBIG;
    else if (sn_write_at(j->fd, "", record, bytes, (int64_t)j->bytes, NULL))
        j->failed = errno ? errno : ENOSPC;
    else
        j->bytes += bytes;
}

void sn_journal_put(sn_journal *j, sn_key key, int group, size_t n, const double *x)
{
    uint64_t *r;
    if (!j || n > UINT32_MAX) return;
    if (!SN_NEW(r, RECORD + n)) return;
    r[0] = key.a, r[1] = key.b, r[2] = n | (uint64_t)group << 32;
    memcpy(r + RECORD, x, n * sizeof *x);
    r[3] = checksum(r, r + RECORD);
    pthread_mutex_lock(&j->lock);
    append(j, r, 8 * (RECORD + n));
    pthread_mutex_unlock(&j->lock);
    sn_free(r);
}

void sn_journal_no_group_done(sn_journal *j)
{
    if (j->done) memset(j->done, 0, (size_t)j->groups);
}

void sn_journal_done(sn_journal *j, int group)
{
    if (!j) return;
    pthread_mutex_lock(&j->lock);
    if (!sn_grow(&j->done, &j->groups, group + 1, 1)) j->done[group] = 1;
    pthread_mutex_unlock(&j->lock);
}
