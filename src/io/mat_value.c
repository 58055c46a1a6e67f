/* Values and files of MATLAB's level 5: see mat_value.h. */
#include "io/mat_value.h"

#include "io/atomic.h"
#include "io/result.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

/* The next character of UTF-8; what is none counts as U+FFFD. */
static uint32_t next_character(const unsigned char **at)
{
    const unsigned char *p = *at;
    int more = *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : 0;
    uint32_t c = *p & (more ? 0x3fu >> more : 0x7fu);
    int good = more || *p < 0x80;
    for (p++; more > 0 && (*p & 0xc0) == 0x80; more--) c = c << 6 | (*p++ & 0x3fu);
    *at = p;
    return good && !more && c < 0x110000 ? c : 0xfffd;
}

matvar_t *sn_mat_text(sn_arena *arena, const char *name, const char *text)
{
    uint16_t *u = sn_arena_alloc(arena, strlen(text) + 1, sizeof *u);
    size_t dims[2] = {1, 0};
    if (!u) return NULL;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        uint32_t c = next_character(&p);
        if (c >= 0x10000) {
            u[dims[1]++] = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
            c = 0xdc00 + ((c - 0x10000) & 0x3ff);
        }
        u[dims[1]++] = (uint16_t)c;
    }
    if (!dims[1]) dims[0] = 0;
    return Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UTF16, 2, dims, u, MAT_F_DONT_COPY_DATA);
}

matvar_t *sn_mat_texts(sn_arena *arena, const char *name, int n, const char *const *text)
{
    size_t dims[2] = {1, (size_t)n};
    matvar_t **cell = sn_arena_alloc(arena, (size_t)n + 1, sizeof *cell);
    int good = cell != NULL;
    for (int i = 0; i < n && good; i++)
        good = (cell[i] = sn_mat_text(arena, NULL, text && text[i] ? text[i] : "")) != NULL;
    matvar_t *v = good ? Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, dims, cell, 0) : NULL;
    for (int i = 0; i < n && cell && !v; i++)
        if (cell[i]) Mat_VarFree(cell[i]);
    return v;
}

matvar_t *sn_mat_matrix(sn_arena *arena, const char *name, int rows, int cols, const double *x)
{
    const size_t m = (size_t)rows, n = (size_t)cols;
    size_t dims[2] = {m, n};
    double *y = sn_arena_alloc(arena, m * n + 1, sizeof *y);
    if (!y) return NULL;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) y[j * m + i] = x[i * n + j];
    return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, y, MAT_F_DONT_COPY_DATA);
}

/* libmatio does not look at every write. The file is whole when so many variables, whose lengths are in their
   tags behind the head of 128 bytes, end with the file. */
static int is_whole(const sn_atomic *file, int n)
{
    struct stat st;
    off_t at = 128;
    if (fstat(file->fd, &st) != 0) return 0;
    for (int i = 0; i < n; i++) {
        uint32_t tag[2] = {0, 0};
        if (sn_read_at(file->fd, file->path, tag, sizeof tag, at, NULL) || tag[0] != MAT_T_MATRIX) return 0;
        at += 8 + (off_t)tag[1];
    }
    return st.st_size == at;
}

sn_status sn_mat_write(const sn_mat_file *to, int n, matvar_t *const *all, sn_err *err)
{
    sn_atomic file;
    SN_TRY(sn_output_check(to->path, to->n_input, to->input, err));
    SN_TRY(sn_atomic_begin(&file, to->path, err));
    char name[PATH_MAX + 64];
    sn_atomic_name(&file, name, sizeof name);
    mat_t *out = Mat_CreateVer(name, "MATLAB 5.0 MAT-file, written by sinew", MAT_FT_MAT5);
    int bad = !out;
    for (int i = 0; i < n && !bad; i++) bad = Mat_VarWrite(out, all[i], MAT_COMPRESSION_NONE) != 0;
    if (out && Mat_Close(out) != 0) bad = 1;
    sn_status s = SN_OK;
    if (bad || !is_whole(&file, n))
        s = sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = to->path},
                    "cannot be written: libmatio did not get it all to the disk, which may be full");
    if (s == SN_OK) s = sn_atomic_commit(&file, err);
    sn_atomic_end(&file);
    return s;
}
