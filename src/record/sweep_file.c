/* A sweep as a result file: its values of the parameter as frames, branches and points as arrays under
 * /sweep. */
#include "io/result.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BRANCH_COLUMNS = 6, POINT_COLUMNS = 7, TEXTS = 10 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct tables {
    sn_arena arena;
    int samples, values;
    double *sample, *point, *value;
    const char **mode;
} tables;

static sn_status fill(const sn_sweep *s, tables *t, sn_err *err)
{
    for (int k = 0; k < s->n_branch; k++) t->samples += s->branch[k].n;
    const size_t n = (size_t)t->samples + 1;
    t->sample = sn_arena_alloc(&t->arena, n * BRANCH_COLUMNS, sizeof(double));
    t->value = sn_arena_alloc(&t->arena, n, sizeof(double));
    t->point = sn_arena_alloc(&t->arena, (size_t)s->n_point * POINT_COLUMNS + 1, sizeof(double));
    t->mode = sn_arena_alloc(&t->arena, (size_t)s->n_branch + 1, sizeof *t->mode);
    if (!t->sample || !t->value || !t->point || !t->mode) return SN_OUT_OF_MEM(err);
    int at = 0;
    for (int k = 0; k < s->n_branch; k++) {
        const sn_sweep_branch *b = &s->branch[k];
        t->mode[k] = b->mode;
        for (int i = 0; i < b->n; i++, at++) {
            const double row[BRANCH_COLUMNS] = {k, b->parameter[i], b->re[i], b->im[i], b->dre[i], b->dim[i]};
            memcpy(t->sample + at * BRANCH_COLUMNS, row, sizeof row);
            t->value[at] = b->parameter[i];
        }
    }
    for (int k = 0; k < s->n_point; k++) {
        const sn_sweep_point *p = &s->point[k];
        const double row[POINT_COLUMNS] = {p->kind, p->branch, p->line, p->parameter, p->re, p->im, p->rises};
        memcpy(t->point + k * POINT_COLUMNS, row, sizeof row);
    }
    qsort(t->value, (size_t)t->samples, sizeof *t->value, ascending);
    for (int i = 0; i < t->samples; i++)
        if (!t->values || t->value[i] != t->value[t->values - 1]) t->value[t->values++] = t->value[i];
    return SN_OK;
}

static sn_status put(const sn_result_layout *layout, const tables *t, int whole, const char *path,
                     sn_err *err)
{
    sn_result *out;
    SN_TRY(sn_result_create(path, layout, &out, err));
    sn_status status = SN_OK;
    for (int i = 0; i < t->values && !status; i++) status = sn_result_frame(out, t->value[i], NULL, err);
    sn_status closed = sn_result_close(out,
                                       status  ? SN_RESULT_FAILED
                                       : whole ? SN_RESULT_COMPLETE
                                               : SN_RESULT_INTERRUPTED,
                                       err);
    return status ? status : closed;
}

sn_status sn_sweep_file(const sn_model *m, const sn_sweep_options *o, const sn_sweep *s, int whole,
                        const char *path, sn_err *err)
{
    static const char *const sample[] = {"branch", "parameter", "re", "im", "dre", "dim"},
                             *const point[] = {"kind", "branch", "line", "parameter", "re", "im", "rises"},
                             *const kinds[] = {"critical", "flutter", "divergence"};
    const sn_result_label columns[] = {{"columns", BRANCH_COLUMNS, sample}, {NULL, 0, NULL}},
                          what[] = {{"columns", POINT_COLUMNS, point}, {"kinds", 3, kinds}, {NULL, 0, NULL}};
    tables t = {.samples = 0};
    SN_TRY(sn_output_check(path, m->n_read, m->read, err));
    sn_status status = fill(s, &t, err);
    const sn_result_label modes[] = {{"modes", s->n_branch, t.mode}, {NULL, 0, NULL}};
    const double number[1] = {s->n_branch};
    const sn_result_array array[] = {
        {.path = "/sweep/branches",
         .rows = t.samples,
         .cols = BRANCH_COLUMNS,
         .data = t.sample,
         .label = columns},
        {.path = "/sweep/points", .rows = s->n_point, .cols = POINT_COLUMNS, .data = t.point, .label = what},
        {.path = "/sweep/lines", .rows = o->n_line, .cols = 1, .data = o->line},
        {.path = "/sweep/number", .rows = 1, .cols = 1, .data = number, .label = modes}};
    const sn_result_text text[TEXTS] = {{"@title", m->title},
                                        {"@program", "sinew"},
                                        {"@version", sn_version()},
                                        {"@analysis", "sweep"},
                                        {"@command", o->run.command ? o->run.command : ""},
                                        {"@file", m->file ? m->file : ""},
                                        {"@parameter", o->parameter},
                                        {"@spin", o->spin ? o->spin : o->parameter},
                                        {"@axes", s->axes},
                                        {"/model/text", m->source ? m->source : ""}};
    const sn_result_layout layout = {.n_frames = t.values,
                                     .frame_name = "/parameter",
                                     .frame_unit = "",
                                     .n_texts = TEXTS,
                                     .text = text,
                                     .n_arrays = 4,
                                     .array = array};
    if (!status) status = put(&layout, &t, whole, path, err);
    sn_arena_free(&t.arena);
    return status;
}
