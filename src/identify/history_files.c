/* Histories that were sought, as numbers for other programs: arrays of study.h5, and the table histories.csv,
   whose columns can be inputs of another study.

   The histories of an experiment have times of their own, those of several experiments too: a row of the
   table is a time of any of them, and cells are empty where a history has no value at that time. */
#include "identify/result.h"
#include "identify/text.h"
#include "io/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- HDF5 ---- */

sn_status sn_histories_h5(const sn_estimate *e, sn_arena *arena, sn_result_array *array, int *n, sn_err *err)
{
    static const char *const what[] = {"t", "value", "std_error"};
    for (int k = 0; k < e->n_history; k++) {
        const sn_history_fit *h = &e->history[k];
        const double *const data[] = {h->t, h->value, h->std_error};
        for (int i = 0; i < 3; i++) {
            const char *path = sn_arena_printf(arena, "/histories/%s/%s", h->name, what[i]),
                       *unit = i ? h->unit : "s";
            if (!path) return SN_OUT_OF_MEM(err);
            array[(*n)++] =
                (sn_result_array){path, h->n, 1, data[i], NULL, NULL, unit[0] ? unit : NULL, NULL};
        }
    }
    return SN_OK;
}

/* ---- CSV ---- */

static void cell(sn_text *t, const char *name, const char *more)
{
    if (!strpbrk(name, ",;\" \t")) {
        sn_text_add(t, ",%s%s", name, more);
        return;
    }
    sn_text_add(t, ",\"");
    for (; *name; name++) sn_text_add(t, *name == '"' ? "\"\"" : "%c", *name);
    sn_text_add(t, "%s\"", more);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Times of all histories, each once; those that differ by rounding are one. */
static int merge_times(const sn_estimate *e, double *t, double *same)
{
    int n = 0, kept = 0;
    for (int k = 0; k < e->n_history; k++) {
        memcpy(t + n, e->history[k].t, (size_t)e->history[k].n * sizeof *t);
        n += e->history[k].n;
    }
    qsort(t, (size_t)n, sizeof *t, ascending);
    *same = n ? 1e-9 * (t[n - 1] - t[0]) : 0;
    for (int i = 0; i < n; i++)
        if (!kept || t[i] > t[kept - 1] + *same) t[kept++] = t[i];
    return kept;
}

static void number(sn_text *t, double x)
{
    if (isfinite(x))
        sn_text_add(t, ",%.12g", x);
    else
        sn_text_add(t, ",");
}

static void rows(sn_text *t, const sn_estimate *e, double *time, int *next)
{
    double same;
    int n = merge_times(e, time, &same);
    for (int i = 0; i < n; i++) {
        sn_text_add(t, "%.12g", time[i]);
        for (int k = 0; k < e->n_history; k++) {
            const sn_history_fit *h = &e->history[k];
            int at = next[k], there = at < h->n && h->t[at] <= time[i] + same;
            number(t, there ? h->value[at] : NAN), number(t, there ? h->std_error[at] : NAN);
            next[k] += there;
        }
        sn_text_add(t, "\n");
    }
}

sn_status sn_histories_csv(const sn_estimate *e, const char *path, sn_err *err)
{
    sn_text t = {0};
    double *time = NULL;
    int *next = NULL, all = 1;
    if (!e->n_history) return SN_OK;
    for (int k = 0; k < e->n_history; k++) all += e->history[k].n;
    sn_text_add(&t, "t");
    for (int k = 0; k < e->n_history; k++)
        cell(&t, e->history[k].name, ""), cell(&t, e->history[k].name, ".std_error");
    sn_text_add(&t, "\n");
    sn_status status = SN_NEW(time, all) && SN_NEW(next, e->n_history) ? SN_OK : SN_OUT_OF_MEM(err);
    if (!status) rows(&t, e, time, next);
    if (!status && t.failed) status = SN_OUT_OF_MEM(err);
    if (!status) status = sn_text_save(&t, path, err);
    sn_free(t.text), sn_free(time), sn_free(next);
    return status;
}
