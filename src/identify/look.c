/* Tables of data: their clock, the list of findings, and all as texts. */
#include "identify/look.h"
#include "identify/look_series.h"
#include "identify/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sn_look_free(sn_look *l)
{
    sn_free(l->finding);
    sn_arena_free(&l->arena);
    *l = (sn_look){.n = 0};
}

void sn_look_add(sn_look *l, int level, const char *kind, const sn_look_place *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = n < 0 ? NULL : sn_arena_alloc(&l->arena, (size_t)n + 1, 1);
    if (!text || sn_grow(&l->finding, &l->cap, l->n + 1, sizeof *l->finding)) {
        l->failed = 1;
        return;
    }
    va_start(args, format);
    vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    l->finding[l->n++] = (sn_finding){.level = level,
                                      .kind = kind,
                                      .channel = at->channel,
                                      .table = at->table,
                                      .row = at->row,
                                      .t = at->t,
                                      .count = at->count,
                                      .text = text};
}

/* ---- the clock ---- */

static double value(const sn_look_rows *r, int i, int c)
{
    return r->y[(size_t)i * (size_t)r->stride + (size_t)c * (size_t)r->next];
}

/* Rows i - 1 and i have the same time: 0: no number twice, 1: the same numbers, 2: others. */
static int repeated(const sn_look_rows *r, int i)
{
    int what = 0;
    for (int c = 0; c < r->n_column; c++) {
        double a = value(r, i - 1, c), b = value(r, i, c);
        if (isnan(a) || isnan(b)) continue;
        if (a != b) return 2;
        what = 1;
    }
    return what;
}

static void look_at_order(sn_look *l, const sn_look_rows *r)
{
    sn_look_place none = {.table = l->n_table - 1}, back = none, again[3] = {none, none, none};
    for (int i = 0; i < r->n; i++) {
        sn_look_place *p = NULL;
        if (!isfinite(r->t[i]))
            p = &none;
        else if (i && r->t[i] < r->t[i - 1])
            p = &back;
        else if (i && r->t[i] == r->t[i - 1])
            p = &again[repeated(r, i)];
        if (p && !p->count++) p->row = r->first + i, p->t = r->t[i];
    }
    if (none.count)
        sn_look_add(l, 2, "clock", &none, "%d rows have no time (first row %d)", none.count, none.row);
    if (back.count)
        sn_look_add(l, 2, "clock", &back, "the times go back %d time%s (first in row %d, to %.6g s)",
                    back.count, back.count == 1 ? "" : "s", back.row, back.t);
    if (again[2].count)
        sn_look_add(l, 2, "repeated", &again[2],
                    "duplicate times: %d row%s the time of the row before with other values (first row %d, t "
                    "= %.6g s): which of "
                    "them is right?",
                    again[2].count, again[2].count == 1 ? " has" : "s have", again[2].row, again[2].t);
    if (again[1].count)
        sn_look_add(l, 1, "repeated", &again[1],
                    "%d row%s the row before (first row %d, t = %.6g s): they count twice", again[1].count,
                    again[1].count == 1 ? " repeats" : "s repeat", again[1].row, again[1].t);
}

/* Steps of time within 20 % of the median are regular. */
static void look_at_gaps(sn_look *l, const sn_look_rows *r, double interval)
{
    sn_look_place gap = {.table = l->n_table - 1};
    int regular = 0, steps = 0;
    double most = 0;
    for (int i = 1; i < r->n; i++) {
        double d = r->t[i] - r->t[i - 1];
        if (!(d > 0)) continue;
        steps++, regular += fabs(d / interval - 1) < 0.2;
        if (d > 2.5 * interval && !gap.count++) gap.row = r->first + i, gap.t = r->t[i - 1];
        most = fmax(most, d);
    }
    if (steps < 10) return;
    if (10 * regular < 9 * steps) {
        gap.row = 0, gap.count = steps - regular;
        sn_look_add(l, 0, "clock", &gap,
                    "the rate is not uniform: steps of time up to %.4g s, %.4g s in the middle", most,
                    interval);
    } else if (gap.count)
        sn_look_add(
            l, most > 10 * interval ? 1 : 0, "clock", &gap,
            "%d gap%s in the times of up to %.4g s (first after t = %.6g s, row %d), the rate is %.5g Hz "
            "otherwise",
            gap.count, gap.count == 1 ? "" : "s", most, gap.t, gap.row, 1 / interval);
}

/* Are the times rounded, and by how much does that move a signal, in units of its noise? */
static void look_at_rounding(sn_look *l, const sn_look_rows *r)
{
    const sn_table_look *q = &l->table[l->n_table - 1];
    double short_step = INFINITY, long_step = 0, worst = 0, q_t;
    int which = -1, other = 0, n = 0;
    for (int i = 1; i < r->n; i++) {
        double d = r->t[i] - r->t[i - 1];
        if (d > 0 && d < 2.5 * q->interval)
            short_step = fmin(short_step, d), long_step = fmax(long_step, d), n++;
    }
    q_t = long_step - short_step;
    /* two lengths of steps only, one quantum apart, and both are multiples of it */
    if (n < 20 || !(q_t > 0.01 * q->interval) || short_step < 1.5 * q_t ||
        fabs(short_step / q_t - floor(short_step / q_t + 0.5)) > 0.05)
        return;
    for (int i = 1; i < r->n; i++) {
        double d = r->t[i] - r->t[i - 1];
        other += d > short_step + 0.1 * q_t && d < long_step - 0.1 * q_t;
    }
    for (int c = 0; !other && c < q->n; c++) {
        double noise = q->column[c].noise, square = 0;
        int m = 0;
        for (int i = 1; i < r->n; i++) {
            double d = value(r, i, c) - value(r, i - 1, c);
            if (isfinite(d)) square += d * d, m++;
        }
        double rate = m ? sqrt(fmax(square / m - 2 * noise * noise, 0)) / q->interval : 0;
        if (noise > 0 && rate * q_t / sqrt(12) / noise > worst)
            worst = rate * q_t / sqrt(12) / noise, which = c;
    }
    if (worst > 1) {
        sn_look_place at = {.channel = q->column[which].name, .table = l->n_table - 1, .count = r->n};
        sn_look_add(
            l, 1, "clock", &at,
            "the times are rounded to %.3g s, in which %s moves by %.2g times its noise: write more digits, "
            "or times of a uniform clock",
            q_t, at.channel, worst);
    }
}

static void look_at_clock(sn_look *l, const sn_look_rows *r, double *work)
{
    sn_table_look *q = &l->table[l->n_table - 1];
    sn_look_place at = {.table = l->n_table - 1, .count = r->n};
    int n = 0;
    if (!r->n && !r->n_column) return; /* no time series: modes, responses */
    for (int i = 1; i < r->n; i++)
        if (r->t[i] > r->t[i - 1]) work[n++] = r->t[i] - r->t[i - 1];
    q->interval = sn_median(n, work);
    if (r->n < 2)
        sn_look_add(l, 2, "few", &at, "there %s: nothing can be learnt from how it moves",
                    r->n ? "is one row of data only" : "are no rows of data");
    else if (r->n < 10)
        sn_look_add(l, 1, "few", &at, "there are only %d rows of data: noise cannot be told from motion",
                    r->n);
    look_at_order(l, r);
    if (q->interval > 0) look_at_gaps(l, r, q->interval);
}

/* Room for one more, with its head. */
static sn_table_look *new_table(sn_look *l, const sn_look_rows *r)
{
    sn_table_look *all = sn_arena_alloc(&l->arena, (size_t)l->n_table + 1, sizeof *all);
    if (!all) return NULL;
    if (l->n_table) memcpy(all, l->table, sizeof *all * (size_t)l->n_table);
    l->table = all;
    all[l->n_table++] = (sn_table_look){.name = r->name,
                                        .file = r->file,
                                        .rows = r->n,
                                        .n = r->n_column,
                                        .begin = r->n ? r->t[0] : NAN,
                                        .end = r->n ? r->t[r->n - 1] : NAN};
    return &all[l->n_table - 1];
}

sn_status sn_look_at_rows(sn_look *l, const sn_look_rows *r, sn_err *err)
{
    sn_column_look *column = sn_arena_alloc(&l->arena, (size_t)r->n_column + 1, sizeof *column);
    double *work;
    if (!column || !SN_NEW(work, r->n + 1)) return SN_OUT_OF_MEM(err);
    sn_table_look *all = new_table(l, r);
    if (!all) {
        sn_free(work);
        return SN_OUT_OF_MEM(err);
    }
    all->column = column;
    look_at_clock(l, r, work);
    sn_status status = SN_OK;
    for (int c = 0; c < r->n_column && !status; c++) {
        column[c].name = r->column[c], column[c].unit = r->unit[c];
        status = sn_look_at_column(l, r, c, &column[c], err);
    }
    if (!status && all->interval > 0) look_at_rounding(l, r);
    sn_free(work);
    return !status && l->failed ? SN_OUT_OF_MEM(err) : status;
}

sn_status sn_look_at_study(const sn_study *s, double *const *signal, sn_look *l, sn_err *err)
{
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        if (x->modal) { /* no time series: a table without columns */
            if (!new_table(l, &(sn_look_rows){.name = x->name, .file = x->file})) return SN_OUT_OF_MEM(err);
            continue;
        }
        const char **name = sn_arena_alloc(&l->arena, (size_t)x->n_channel + 1, sizeof *name),
                   **unit = sn_arena_alloc(&l->arena, (size_t)x->n_channel + 1, sizeof *unit);
        if (!name || !unit) return SN_OUT_OF_MEM(err);
        int columns = x->sort ? 0 : x->n_channel;
        for (int c = 0; c < columns; c++) {
            sn_channel h = sn_channel_get(s->model, x->channel[c]);
            name[c] = sn_arena_printf(&l->arena, "%s.%s", h.sensor, h.component), unit[c] = h.unit;
            if (!name[c]) return SN_OUT_OF_MEM(err);
        }
        const sn_look_rows r = {.name = x->name,
                                .file = x->file,
                                .n = x->sort ? 0 : x->n,
                                .first = x->first,
                                .t = x->t,
                                .n_column = columns,
                                .stride = x->n_channel,
                                .next = 1,
                                .y = x->y,
                                .column = name,
                                .unit = unit};
        SN_TRY(sn_look_at_rows(l, &r, err));
    }
    return signal ? sn_look_at_model(s, signal, l, err) : SN_OK;
}

/* ---- as texts ---- */

static const char *const levels[] = {"good", "warning", "bad"};

static void number(sn_text *t, double x)
{
    if (isnan(x))
        sn_text_add(t, " %11s", "-");
    else
        sn_text_add(t, " %11.4g", x);
}

static void table_text(sn_text *t, const sn_table_look *q)
{
    int width = 8;
    sn_text_add(t, "%s%s%s: %d rows, t = %.6g to %.6g s", q->name, q->name[0] ? ": " : "", q->file, q->rows,
                q->begin, q->end);
    if (q->interval > 0) sn_text_add(t, ", %.5g Hz", 1 / q->interval);
    for (int c = 0; c < q->n; c++)
        if ((int)strlen(q->column[c].name) > width) width = (int)strlen(q->column[c].name);
    sn_text_add(t, "\n\n%-*s %8s %8s %11s %11s %11s %11s %11s %11s\n", width, "", "numbers", "missing",
                "smallest", "largest", "mean", "std dev", "noise seen", "quantum");
    for (int c = 0; c < q->n; c++) {
        const sn_column_look *k = &q->column[c];
        sn_text_add(t, "%-*s %8d %8d", width, k->name, k->count, k->missing);
        number(t, k->least), number(t, k->most), number(t, k->mean), number(t, k->deviation),
            number(t, k->noise);
        number(t, k->quantum > 0 ? k->quantum : NAN);
        sn_text_add(t, "%s%s\n", k->unit[0] && strcmp(k->unit, "1") != 0 ? "  " : "",
                    strcmp(k->unit, "1") != 0 ? k->unit : "");
    }
    sn_text_add(t, "\n");
}

sn_status sn_look_summary(const sn_look *l, char **text, sn_err *err)
{
    sn_text t = {0};
    int odd = 0;
    for (int k = 0; k < l->n_table; k++) {
        if (!l->table[k].rows && !l->table[k].n) continue;
        table_text(&t, &l->table[k]);
        for (int i = 0; i < l->n; i++) {
            const sn_finding *f = &l->finding[i];
            if (f->table != k) continue;
            odd += f->level > 0;
            sn_text_add(&t, "%s %s\n",
                        f->level == 0   ? "note:   "
                        : f->level == 1 ? "warning:"
                                        : "BAD:    ",
                        f->text);
        }
    }
    if (!odd) sn_text_add(&t, "ok:      nothing odd is seen in the data\n");
    return sn_text_finish(&t, text, NULL, err);
}

static void table_json(sn_text *t, const sn_table_look *q)
{
    sn_text_add(t, "{\"name\": ");
    sn_text_string(t, q->name);
    sn_text_add(t, ", \"file\": ");
    sn_text_string(t, q->file);
    sn_text_add(t, ", \"rows\": %d", q->rows);
    sn_text_pair(t, "begin", q->begin), sn_text_pair(t, "end", q->end),
        sn_text_pair(t, "interval", q->interval);
    sn_text_add(t, ", \"channels\": [");
    for (int c = 0; c < q->n; c++) {
        const sn_column_look *k = &q->column[c];
        sn_text_add(t, "%s{\"name\": ", c ? ", " : "");
        sn_text_string(t, k->name);
        sn_text_add(t, ", \"unit\": ");
        sn_text_string(t, k->unit);
        sn_text_add(t, ", \"count\": %d, \"missing\": %d", k->count, k->missing);
        sn_text_pair(t, "min", k->least), sn_text_pair(t, "max", k->most), sn_text_pair(t, "mean", k->mean),
            sn_text_pair(t, "sd", k->deviation);
        sn_text_pair(t, "noise_seen", k->noise), sn_text_pair(t, "quantum", k->quantum);
        sn_text_add(t, "}");
    }
    sn_text_add(t, "]}");
}

sn_status sn_look_json(const sn_look *l, char **text, sn_err *err)
{
    sn_text t = {0};
    sn_text_add(&t, "{\"experiments\": [");
    for (int k = 0; k < l->n_table; k++) {
        if (k) sn_text_add(&t, ", ");
        table_json(&t, &l->table[k]);
    }
    sn_text_add(&t, "], \"verdicts\": [");
    for (int i = 0; i < l->n; i++) {
        const sn_finding *f = &l->finding[i];
        sn_text_add(&t, "%s{\"level\": \"%s\", \"about\": \"data\", \"kind\": \"%s\", \"experiment\": ",
                    i ? ", " : "", levels[f->level], f->kind);
        sn_text_string(&t, l->table[f->table].name);
        sn_text_add(&t, ", \"channel\": ");
        if (f->channel)
            sn_text_string(&t, f->channel);
        else
            sn_text_add(&t, "null");
        sn_text_add(&t, ", \"row\": %d, \"count\": %d", f->row, f->count);
        sn_text_pair(&t, "t", f->row ? f->t : NAN);
        sn_text_add(&t, ", \"text\": ");
        sn_text_string(&t, f->text);
        sn_text_add(&t, "}");
    }
    sn_text_add(&t, "]}\n");
    return sn_text_finish(&t, text, NULL, err);
}
