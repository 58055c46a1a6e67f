/* The truth of a history: see truth.h. Between its rows it is interpolated in straight lines, over gaps too;
   before its first and after its last row nothing is known of it. */
#include "identify/truth.h"
#include "identify/history.h"
#include "io/table.h"

#include <math.h>
#include <string.h>

struct sn_truth {
    const char *file, *column; /* column: as it is named, without the experiment */
    const sn_csv *csv;
    double *t;
};

/* The column of an experiment ("push[a]"), or of all; -1: none. */
static int column_of(const sn_csv *csv, const char *column, const char *experiment)
{
    size_t n = strlen(column), m = strlen(experiment);
    for (int c = 0; c < csv->cols; c++) {
        const char *name = csv->names[c];
        if (!strncmp(name, column, n) && name[n] == '[' && !strncmp(name + n + 1, experiment, m) &&
            !strcmp(name + n + 1 + m, "]"))
            return c;
    }
    return sn_csv_column(csv, column);
}

/* Some column is of this name, of an experiment or of all. */
static int is_there(const sn_csv *csv, const char *column)
{
    size_t n = strlen(column);
    for (int c = 0; csv->names && c < csv->cols; c++)
        if (!strncmp(csv->names[c], column, n) && (!csv->names[c][n] || csv->names[c][n] == '[')) return 1;
    return 0;
}

sn_status sn_truth_read(sn_study *s, const sn_item *i, sn_history *h, sn_err *err)
{
    struct sn_truth *q = sn_arena_alloc(&s->arena, 1, sizeof *q);
    const char *colon = strrchr(i->text, ':'), *file = i->text;
    int before = sn_err_count(err);
    sn_csv *csv;
    if (!q) return SN_OUT_OF_MEM(err);
    q->column = h->name;
    if (colon && colon[1]) {
        q->column = colon + 1;
        if (!(file = sn_arena_strndup(&s->arena, file, (size_t)(colon - file)))) return SN_OUT_OF_MEM(err);
    }
    if (!(q->file = sn_read_path(&s->arena, s->folder, file))) return SN_OUT_OF_MEM(err);
    sn_status status =
        sn_table_read(q->file, &(sn_patience){s->given.progress, s->given.ctx}, &s->arena, &csv, err);
    if (status) sn_err_place(err, before, &i->mark);
    SN_TRY(status);
    if (!is_there(csv, q->column))
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' has no column '%s': name it, 'truth: %s:column'",
                       q->file, q->column, file);
    sn_times times = {.file = q->file};
    SN_TRY(sn_read_time(s, csv, NULL, i, &times, err));
    for (int r = 0; r < csv->rows; r++)
        if (!isfinite(times.t[r]) || (r && times.t[r] <= times.t[r - 1]))
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s': times must increase, row %d does not", q->file,
                           r + 1);
    q->csv = csv, q->t = times.t;
    h->truth = q, h->truth_file = q->file;
    return SN_OK;
}

/* Values at the times of h, which increase as those of the truth do. */
static void interpolate(const struct sn_truth *q, const double *y, sn_history_fit *h)
{
    int before = -1, after = 0, n = q->csv->rows;
    while (after < n && !isfinite(y[after])) after++;
    for (int i = 0; i < h->n; i++) {
        double t = h->t[i], same = 1e-9 * (q->t[n - 1] - q->t[0]);
        while (after < n && q->t[after] < t - same) {
            before = after++;
            while (after < n && !isfinite(y[after])) after++;
        }
        if (after < n && fabs(q->t[after] - t) <= same)
            h->truth[i] = y[after];
        else if (before < 0 || after >= n)
            h->truth[i] = NAN;
        else
            h->truth[i] =
                y[before] + (y[after] - y[before]) * (t - q->t[before]) / (q->t[after] - q->t[before]);
    }
}

/* The study's history that a fit is of: "push" of "push[a]". */
static const sn_history *history_of(const sn_estimate *e, const sn_history_fit *h)
{
    for (int k = 0; k < e->s->n_history; k++) {
        size_t n = strlen(e->s->history[k].name);
        if (!strncmp(h->name, e->s->history[k].name, n) && (!h->name[n] || h->name[n] == '['))
            return &e->s->history[k];
    }
    return NULL;
}

sn_status sn_truth_compare(sn_estimate *e, sn_history_fit *h, sn_err *err)
{
    const sn_history *of = e->s ? history_of(e, h) : NULL;
    const struct sn_truth *q = of ? of->truth : NULL;
    double off = 0, size = 0;
    int inside = 0, n = 0;
    if (!q || !q->csv->rows) return SN_OK;
    int column = column_of(q->csv, q->column, e->s->experiment[h->experiment].name);
    if (column < 0) return SN_OK;
    h->truth = sn_arena_alloc(&e->arena, (size_t)h->n + 1, sizeof *h->truth);
    if (!h->truth) return SN_OUT_OF_MEM(err);
    interpolate(q, q->csv->data + (size_t)column * (size_t)q->csv->rows, h);
    for (int i = 0; i < h->n; i++) {
        double x = h->truth[i], d = h->value[i] - x;
        if (!isfinite(x)) continue;
        off += d * d, size += x * x, n++;
        inside += fabs(d) <= 1.96 * h->std_error[i];
    }
    h->off = n && size > 0 ? sqrt(off / size) : NAN;
    h->inside = n ? (double)inside / n : NAN;
    return SN_OK;
}
