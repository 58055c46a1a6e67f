/* Matrices as MatrixMarket files; each appears whole or not at all. */
#include "io/mtx.h"

#include "io/atomic.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct text {
    sn_atomic file;
    FILE *f;
} text;

static sn_status begin(text *t, const sn_mtx_folder *to, const char *name, const char *ending, sn_err *err)
{
    const char *folder = to->path;
    *t = (text){.file = {.fd = -1}};
    if (mkdir(folder, 0777) && errno != EEXIST)
        return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = folder}, "cannot be made: %s", strerror(errno));
    size_t n = strlen(folder) + strlen(name) + strlen(ending) + 2;
    char *path = sn_alloc(n, 1);
    if (!path) return SN_OUT_OF_MEM(err);
    snprintf(path, n, "%s/%s%s", folder, name, ending);
    sn_status s = sn_output_check(path, to->n_input, to->input, err);
    if (!s) s = sn_atomic_begin(&t->file, path, err);
    sn_free(path);
    if (s) return s;
    int fd = dup(t->file.fd);
    t->f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (t->f) return SN_OK;
    if (fd >= 0) close(fd);
    sn_atomic_end(&t->file);
    return SN_OUT_OF_MEM(err);
}

static sn_status finish(text *t, sn_err *err)
{
    sn_status s = SN_OK;
    int bad = ferror(t->f);
    if (fclose(t->f) || bad)
        s = sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = t->file.path}, "cannot be written: %s",
                    strerror(errno));
    if (!s) s = sn_atomic_commit(&t->file, err);
    sn_atomic_end(&t->file);
    return s;
}

sn_status sn_mtx_write(const sn_mtx_folder *folder, const char *name, const sn_sparse *a, const char *comment,
                       sn_err *err)
{
    text t;
    SN_TRY(begin(&t, folder, name, ".mtx", err));
    fprintf(t.f, "%%%%MatrixMarket matrix coordinate real general\n%% %s\n%d %d %d\n", comment, a->rows,
            a->cols, a->first[a->cols]);
    for (int j = 0; j < a->cols; j++)
        for (int k = a->first[j]; k < a->first[j + 1]; k++)
            fprintf(t.f, "%d %d %.17g\n", a->row[k] + 1, j + 1, a->x[k]);
    return finish(&t, err);
}

sn_status sn_mtx_write_dense(const sn_mtx_folder *folder, const char *name, const sn_mtx_dense *a,
                             const char *comment, sn_err *err)
{
    text t;
    SN_TRY(begin(&t, folder, name, ".mtx", err));
    fprintf(t.f, "%%%%MatrixMarket matrix array real general\n%% %s\n%d %d\n", comment, a->rows, a->cols);
    for (int j = 0; j < a->cols; j++)
        for (int i = 0; i < a->rows; i++)
            fprintf(t.f, "%.17g\n", a->x[(size_t)i * (size_t)a->cols + (size_t)j]);
    return finish(&t, err);
}

sn_status sn_names_write(const sn_mtx_folder *folder, const char *name, int n, const char *const *names,
                         sn_err *err)
{
    text t;
    SN_TRY(begin(&t, folder, name, ".txt", err));
    for (int i = 0; i < n; i++) fprintf(t.f, "%s\n", names[i]);
    return finish(&t, err);
}
