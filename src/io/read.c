/* Models from files: YAML into items, CSV into tables, STL into bodies, all handed to the compiler. */
#include "io/read.h"
#include "io/csv.h"
#include "io/stl.h"
#include "io/yaml.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* Two columns of a CSV file by name, or the first two. */
static sn_status read_columns(const char *path, const char *column[2], const sn_mark *where, sn_arena *arena,
                              int *rows, const double *x[2], sn_err *err)
{
    sn_csv *csv;
    int before = err->count, at[2] = {0, 1};
    sn_status s = sn_csv_read(path, arena, &csv, err);
    if (s) {
        sn_err_place(err, before, where); /* where the file was asked for */
        return s;
    }
    for (int k = 0; k < 2; k++) {
        if (column[k]) at[k] = sn_csv_column(csv, column[k]);
        if (at[k] < 0 || at[k] >= csv->cols)
            return sn_fail(err, SN_ERR_INPUT, where, "'%s' has no column %s%s%s", path, column[k] ? "'" : "",
                           column[k] ? column[k]
                           : k       ? "2"
                                     : "1",
                           column[k] ? "'" : "");
    }
    *rows = csv->rows;
    for (int k = 0; k < 2; k++) x[k] = csv->data + (size_t)at[k] * (size_t)csv->rows;
    for (int i = 0; i < csv->rows; i++)
        if (!isfinite(x[0][i]) || !isfinite(x[1][i]))
            return sn_fail(err, SN_ERR_INPUT, where, "'%s': row %d has an empty or non-finite cell", path,
                           i + 1);
    return SN_OK;
}

static sn_status read_body(const char *path, double *out, const sn_mark *where, sn_err *err)
{
    int before = err->count;
    sn_status s = sn_stl_read(path, out, err);
    if (s) sn_err_place(err, before, where); /* where the file was asked for */
    return s;
}

static const sn_loader loader = {sn_yaml_read_file, read_columns, read_body};

sn_status sn_model_read(const char *path, sn_model **model, sn_err *err)
{
    return sn_model_read_refined(path, 1, model, err);
}

sn_status sn_model_read_refined(const char *path, int refined, sn_model **model, sn_err *err)
{
    sn_arena arena = {NULL};
    sn_item *root;
    *model = NULL;
    sn_status s = sn_yaml_read_file(path, &arena, &root, err);
    if (!s) s = sn_model_compile(root, path, &arena, &loader, refined, model, err);
    sn_arena_free(&arena);
    if (!s) s = sn_model_has_read(*model, path, err);
    if (s) {
        sn_model_free(*model);
        *model = NULL;
    }
    return s;
}

sn_status sn_model_read_text(const char *name, const char *text, size_t length, sn_model **model, sn_err *err)
{
    sn_arena arena = {NULL};
    sn_item *root;
    *model = NULL;
    sn_status s = sn_yaml_read_text(name, text, length, &arena, &root, err);
    if (!s) s = sn_model_compile(root, name, &arena, &loader, 1, model, err);
    sn_arena_free(&arena);
    return s;
}
