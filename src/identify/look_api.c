/* sn_data_look: a file alone, or the data of a study with its model. */
#include "identify/fit.h"
#include "identify/look.h"
#include "io/table.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* The column of times: the one that is named, t or time, or the first. */
static sn_status time_column(const sn_csv *csv, const char *file, const char *name, int *out, sn_err *err)
{
    static const char *const usual[] = {"t", "time", "t [s]", "time [s]", "t_s", "time_s"};
    *out = csv->names ? -1 : 0;
    if (name && csv->names) {
        *out = sn_csv_column(csv, name);
        return *out >= 0 ? SN_OK
                         : sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = file},
                                   "there is no column '%s' of times", name);
    }
    for (size_t k = 0; k < sizeof usual / sizeof *usual && *out < 0; k++)
        for (int c = 0; c < csv->cols && *out < 0; c++)
            if (!strcasecmp(csv->names[c], usual[k])) *out = c;
    if (*out < 0) *out = 0;
    return SN_OK;
}

static sn_status look_at_file(const char *file, const char *time, sn_look *l, sn_err *err)
{
    sn_csv *csv;
    int at;
    SN_TRY(sn_table_read(file, &(sn_patience){.stop = NULL}, &l->arena, &csv, err));
    SN_TRY(time_column(csv, file, time, &at, err));
    const char **name = sn_arena_alloc(&l->arena, (size_t)csv->cols + 1, sizeof *name),
               **unit = sn_arena_alloc(&l->arena, (size_t)csv->cols + 1, sizeof *unit);
    size_t rows = (size_t)csv->rows, columns = (size_t)csv->cols - 1;
    double *y = sn_arena_alloc(&l->arena, rows * columns + 1, sizeof *y);
    if (!name || !unit || !y) return SN_OUT_OF_MEM(err);
    for (int c = 0, k = 0; c < csv->cols; c++) {
        if (c == at) continue;
        const char *own = csv->names && csv->names[c][0] ? csv->names[c] : NULL;
        name[k] = own ? own : sn_arena_printf(&l->arena, "column %d", c + 1), unit[k] = "";
        if (!name[k]) return SN_OUT_OF_MEM(err);
        memcpy(y + (size_t)k * rows, csv->data + (size_t)c * rows, rows * sizeof *y);
        k++;
    }
    const sn_look_rows r = {.name = "",
                            .file = file,
                            .n = csv->rows,
                            .first = 1,
                            .t = csv->data + (size_t)at * rows,
                            .n_column = csv->cols - 1,
                            .stride = 1,
                            .next = csv->rows,
                            .y = y,
                            .column = name,
                            .unit = unit};
    return sn_look_at_rows(l, &r, err);
}

/* The model's signals at the start values; what cannot be simulated has none. */
static sn_status signals_of(const sn_study *s, sn_fit *f, double **signal, sn_err *err)
{
    double *z;
    if (!SN_NEW(z, s->n_unknown + 1)) return SN_OUT_OF_MEM(err);
    sn_status status = SN_OK;
    sn_fit_start(f, z);
    for (int h = 0; h < 2 && !status; h++) {
        int before = sn_err_count(err);
        status = sn_fit_signals(f, z, h, 0, err);
        if (status == SN_ERR_NUMERIC) sn_err_forget(err, before), status = SN_OK;
        for (int k = 0; k < s->n_experiment; k++)
            if (s->experiment[k].hold_out == h) signal[k] = f->part[k].model;
    }
    sn_free(z);
    return status;
}

static sn_status look_with_study(const sn_study *s, sn_look *l, sn_err *err)
{
    sn_fit *f = NULL;
    double **signal = NULL;
    sn_status status = sn_fit_new(s, 1, &f, err);
    if (!status && !SN_NEW(signal, s->n_experiment + 1)) status = SN_OUT_OF_MEM(err);
    if (!status) status = signals_of(s, f, signal, err);
    if (!status) status = sn_look_at_study(s, signal, l, err);
    sn_free(signal);
    sn_fit_free(f);
    return status;
}

sn_status sn_data_look(const char *file, const sn_data_options *o, sn_data_info *info, sn_err *err)
{
    sn_look l = {.n = 0};
    sn_study *s = NULL;
    *info = (sn_data_info){0};
    const sn_identify_options given = {.data = file, .set = o->set, .n_set = o->n_set};
    sn_status status = o->study ? sn_study_read(o->study, &given, 0, &s, err) : SN_OK;
    if (!status) status = s ? look_with_study(s, &l, err) : look_at_file(file, o->time, &l, err);
    if (!status) status = sn_look_summary(&l, &info->summary, err);
    if (!status) status = sn_look_json(&l, &info->json, err);
    if (status) {
        sn_release(info->summary), sn_release(info->json);
        info->summary = info->json = NULL;
    }
    for (int i = 0; !status && i < l.n; i++) {
        info->bad += l.finding[i].level == 2;
        info->warnings += l.finding[i].level == 1;
    }
    sn_look_free(&l);
    sn_study_free(s);
    return status;
}
