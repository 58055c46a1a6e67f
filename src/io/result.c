/* Writing results: HDF5 makes the whole file first (result_file.c), then frames go into it by plain writes at
   known offsets. The numbers of a block of frames are written before the count in /frames, so that what
   /frames promises is there whenever the process ends. */
#include "io/result.h"

#include "io/atomic.h"
#include "io/result_file.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK_BYTES = 8 << 20, BLOCK_FRAMES = 4096 };
static const double flush_interval = 0.5; /* s */

struct sn_result {
    sn_atomic file;
    sn_arena arena;          /* of the layout's copy, places and buffers */
    sn_result_layout layout; /* own copy, but for names and arrays, for rewriting */
    sn_result_places at;
    int frames, stored;     /* frames taken, and those of them in the file */
    int block;              /* frames that the buffers hold */
    double *coordinate;     /* block numbers */
    unsigned char **buffer; /* per column: block * width numbers, as they are stored */
    double last_written;    /* s, of the monotonic clock */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int copy_text(sn_arena *a, const char *from, const char **to)
{
    *to = from ? sn_arena_strndup(a, from, strlen(from)) : NULL;
    return !from || *to;
}

/* Names of components and rows and numbers of arrays are not copied: large models have millions of them. */
static int copy_column(sn_arena *a, const sn_result_column *from, sn_result_column *to)
{
    *to = *from;
    return copy_text(a, from->path, &to->path) && copy_text(a, from->kind, &to->kind);
}

static int copy_array(sn_arena *a, const sn_result_array *from, sn_result_array *to)
{
    *to = *from;
    return copy_text(a, from->path, &to->path) && copy_text(a, from->unit, &to->unit);
}

static int copy_layout(sn_arena *a, const sn_result_layout *from, sn_result_layout *to)
{
    sn_result_column *column = sn_arena_alloc(a, (size_t)from->n_columns, sizeof *column);
    sn_result_text *text = sn_arena_alloc(a, (size_t)from->n_texts, sizeof *text);
    sn_result_array *array = sn_arena_alloc(a, (size_t)from->n_arrays, sizeof *array);
    *to = *from;
    int good = column && text && array && copy_text(a, from->frame_name, &to->frame_name) &&
               copy_text(a, from->frame_unit, &to->frame_unit);
    for (int i = 0; i < from->n_columns && good; i++) good = copy_column(a, &from->column[i], &column[i]);
    for (int i = 0; i < from->n_texts && good; i++)
        good = copy_text(a, from->text[i].path, &text[i].path) &&
               copy_text(a, from->text[i].text, &text[i].text);
    for (int i = 0; i < from->n_arrays && good; i++) good = copy_array(a, &from->array[i], &array[i]);
    to->column = column;
    to->text = text;
    to->array = array;
    return good;
}

static sn_status check_layout(const sn_result_layout *l, sn_err *err)
{
    if (l->n_frames < 0 || l->n_columns < 0 || l->n_texts < 0 || l->n_arrays < 0 || !l->frame_name ||
        l->frame_name[0] != '/')
        return sn_fail(err, SN_ERR_BUG, NULL, "bad result layout");
    for (int i = 0; i < l->n_columns; i++)
        if (l->column[i].width < 0 || !l->column[i].path || l->column[i].path[0] != '/')
            return sn_fail(err, SN_ERR_BUG, NULL, "bad result layout: column %d", i);
    return SN_OK;
}

/* Bytes of a column in one frame. */
static size_t row_bytes(const sn_result_layout *l, size_t i)
{
    return (size_t)l->column[i].width * (sn_result_single(l, (int)i) ? sizeof(float) : sizeof(double));
}

/* Buffers of as many frames as make up BLOCK_BYTES. */
static int make_buffers(sn_result *w)
{
    size_t row = sizeof(double), n = (size_t)w->layout.n_columns;
    for (size_t i = 0; i < n; i++) row += row_bytes(&w->layout, (size_t)i);
    size_t block = BLOCK_BYTES / row;
    if (block > BLOCK_FRAMES) block = BLOCK_FRAMES;
    if (block > (size_t)w->layout.n_frames) block = (size_t)w->layout.n_frames;
    if (block < 1) block = 1;
    w->block = (int)block;
    w->coordinate = sn_arena_alloc(&w->arena, block, sizeof(double));
    w->buffer = sn_arena_alloc(&w->arena, n, sizeof *w->buffer);
    w->at.column = sn_arena_alloc(&w->arena, n, sizeof *w->at.column);
    if (!w->coordinate || !w->buffer || !w->at.column) return 0;
    for (size_t i = 0; i < n; i++) {
        w->buffer[i] = sn_arena_alloc(&w->arena, block, row_bytes(&w->layout, (size_t)i));
        if (!w->buffer[i]) return 0;
    }
    return 1;
}

static void destroy(sn_result *w)
{
    sn_atomic_end(&w->file);
    sn_arena_free(&w->arena);
    sn_free(w);
}

sn_status sn_result_create(const char *path, const sn_result_layout *layout, sn_result **out, sn_err *err)
{
    sn_result *w;
    *out = NULL;
    SN_TRY(check_layout(layout, err));
    if (!SN_NEW(w, 1)) return SN_OUT_OF_MEM(err);
    w->file.fd = -1;
    sn_status s = SN_OK;
    if (!copy_layout(&w->arena, layout, &w->layout) || !make_buffers(w)) s = SN_OUT_OF_MEM(err);
    if (s == SN_OK) s = sn_atomic_begin(&w->file, path, err);
    if (s == SN_OK) s = sn_result_file_make(w->file.fd, w->file.path, &w->layout, &w->at, err);
    if (s == SN_OK) s = sn_atomic_commit(&w->file, err);
    if (s != SN_OK) {
        destroy(w);
        return s;
    }
    w->last_written = now();
    *out = w;
    return SN_OK;
}

int sn_result_frames(const sn_result *w) { return w->frames; }

sn_status sn_result_flush(sn_result *w, sn_err *err)
{
    const int n = w->frames - w->stored, fd = w->file.fd;
    const char *path = w->file.path;
    if (n == 0) return SN_OK;
    int64_t first = w->stored, count = w->frames;
    SN_TRY(sn_write_at(fd, path, w->coordinate, (size_t)n * 8, w->at.coordinate + first * 8, err));
    for (int i = 0; i < w->layout.n_columns; i++) {
        int64_t row = (int64_t)row_bytes(&w->layout, (size_t)i);
        if (row == 0) continue;
        SN_TRY(sn_write_at(fd, path, w->buffer[i], (size_t)(n * row), w->at.column[i] + first * row, err));
    }
    SN_TRY(sn_write_at(fd, path, &count, sizeof count, w->at.frames, err));
    w->stored = w->frames;
    w->last_written = now();
    return SN_OK;
}

sn_status sn_result_frame(sn_result *w, double coordinate, const double *const *data, sn_err *err)
{
    if (w->frames >= w->layout.n_frames)
        return sn_fail(err, SN_ERR_BUG, NULL, "the result has room for %d frames only", w->layout.n_frames);
    if (w->frames - w->stored == w->block) SN_TRY(sn_result_flush(w, err));
    size_t k = (size_t)(w->frames - w->stored);
    w->coordinate[k] = coordinate;
    for (int i = 0; i < w->layout.n_columns; i++) {
        int width = w->layout.column[i].width, single = sn_result_single(&w->layout, i);
        size_t bytes = row_bytes(&w->layout, (size_t)i);
        unsigned char *to = w->buffer[i] + k * bytes;
        for (int j = 0; single && j < width; j++) {
            float x = (float)data[i][j];
            memcpy(to + sizeof x * (size_t)j, &x, sizeof x);
        }
        if (!single && width) memcpy(to, data[i], bytes);
    }
    w->frames++;
    if (w->frames == 1 || w->frames - w->stored == w->block || now() - w->last_written >= flush_interval)
        return sn_result_flush(w, err);
    return SN_OK;
}

/* Move the stored rows of one dataset to the other file, a block at a time. */
static sn_status copy_rows(sn_result *w, int fd, int64_t row, void *buffer, int64_t from, int64_t to)
{
    if (row == 0) return SN_OK;
    for (int64_t k = 0; k < w->stored; k += w->block) {
        int64_t n = w->stored - k < w->block ? w->stored - k : w->block;
        SN_TRY(sn_read_at(w->file.fd, w->file.path, buffer, (size_t)(n * row), from + k * row, NULL));
        SN_TRY(sn_write_at(fd, w->file.path, buffer, (size_t)(n * row), to + k * row, NULL));
    }
    return SN_OK;
}

static sn_status write_compact(sn_result *w, sn_atomic *file, sn_result_places *at, int status)
{
    sn_result_layout l = w->layout;
    int64_t count = l.n_frames = w->stored;
    int32_t state = status;
    SN_TRY(sn_result_file_make(file->fd, file->path, &l, at, NULL));
    SN_TRY(copy_rows(w, file->fd, 8, w->coordinate, w->at.coordinate, at->coordinate));
    for (int i = 0; i < l.n_columns; i++)
        SN_TRY(copy_rows(w, file->fd, (int64_t)row_bytes(&l, (size_t)i), w->buffer[i], w->at.column[i],
                         at->column[i]));
    SN_TRY(sn_write_at(file->fd, file->path, &count, sizeof count, at->frames, NULL));
    SN_TRY(sn_write_at(file->fd, file->path, &state, sizeof state, at->status, NULL));
    return sn_atomic_commit(file, NULL);
}

/* Replace the file by one without unused rows. Not if another run has put its own result there meanwhile. */
static sn_status compact(sn_result *w, int status)
{
    struct stat ours, there;
    if (fstat(w->file.fd, &ours) != 0 || stat(w->file.path, &there) != 0 || ours.st_ino != there.st_ino ||
        ours.st_dev != there.st_dev)
        return SN_ERR_FILE;
    sn_result_places at = {.column = sn_alloc((size_t)w->layout.n_columns, sizeof *at.column)};
    if (!at.column) return SN_ERR_MEMORY;
    sn_atomic file;
    sn_status s = sn_atomic_begin(&file, w->file.path, NULL);
    if (s == SN_OK) s = write_compact(w, &file, &at, status);
    sn_atomic_end(&file);
    sn_free(at.column);
    return s;
}

sn_status sn_result_close(sn_result *w, int status, sn_err *err)
{
    if (!w) return SN_OK;
    sn_status s = sn_result_flush(w, err);
    int32_t state = s == SN_OK ? status : SN_RESULT_FAILED;
    if (s != SN_OK || w->stored == w->layout.n_frames || compact(w, status) != SN_OK) {
        sn_status set = sn_write_at(w->file.fd, w->file.path, &state, sizeof state, w->at.status,
                                    s == SN_OK ? err : NULL);
        if (s == SN_OK) s = set;
    }
    destroy(w);
    return s;
}
