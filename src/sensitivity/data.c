/* Measured data for the comparison with sensors: a CSV file whose columns carry the names of channels. */
#include "analysis/analysis.h"
#include "io/csv.h"

#include <math.h>
#include <string.h>

typedef struct owned {
    sn_data d; /* first: what the caller sees */
    sn_arena arena;
} owned;

static sn_status fill(owned *o, const sn_model *m, const char *path, sn_err *err)
{
    sn_csv *csv;
    SN_TRY(sn_csv_read(path, &o->arena, &csv, err));
    sn_mark file = {.file = path};
    int time = csv->names ? sn_csv_column(csv, "t") : -1, n = 0;
    if (csv->names && time < 0) time = sn_csv_column(csv, "time");
    if (time < 0)
        return sn_fail(err, SN_ERR_INPUT, &file,
                       "the data need a line of names with 't' and the sensors measured");
    int *channel = sn_arena_alloc(&o->arena, (size_t)csv->cols, sizeof *channel);
    int *column = sn_arena_alloc(&o->arena, (size_t)csv->cols, sizeof *column);
    double *t = sn_arena_alloc(&o->arena, (size_t)csv->rows + 1, sizeof *t);
    double *y = sn_arena_alloc(&o->arena, (size_t)csv->rows * (size_t)csv->cols + 1, sizeof *y);
    if (!channel || !column || !t || !y) return SN_OUT_OF_MEM(err);
    for (int c = 0; c < csv->cols; c++) {
        if (c == time) continue;
        SN_TRY(sn_channel_find(m, csv->names[c], &channel[n], err));
        column[n++] = c;
    }
    if (n == 0) return sn_fail(err, SN_ERR_INPUT, &file, "the data have no column but the time");
    for (int r = 0; r < csv->rows; r++) {
        t[r] = csv->data[time * csv->rows + r];
        if (!isfinite(t[r]) || (r && t[r] < t[r - 1]))
            return sn_fail(err, SN_ERR_INPUT, &file, "the times must ascend, but row %d has %g", r + 1, t[r]);
        for (int c = 0; c < n; c++) y[r * n + c] = csv->data[column[c] * csv->rows + r];
    }
    o->d = (sn_data){.n = csv->rows, .n_channel = n, .t = t, .y = y, .channel = channel};
    return SN_OK;
}

sn_status sn_data_read(const sn_model *m, const char *path, sn_data **out, sn_err *err)
{
    owned *o;
    *out = NULL;
    if (!SN_NEW(o, 1)) return SN_OUT_OF_MEM(err);
    sn_status s = fill(o, m, path, err);
    if (s)
        sn_data_free(&o->d);
    else
        *out = &o->d;
    return s;
}

void sn_data_free(sn_data *d)
{
    if (!d) return;
    owned *o = (owned *)d;
    sn_arena_free(&o->arena);
    sn_free(o);
}
