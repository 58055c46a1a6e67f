/* What a page has beyond states and sensors: pins of joints, points where things are fastened, holes of
   sections, places of loads, triangles of STL shapes, and the fields that colour the picture, with their
   ranges over all frames. Where the fields are many the page has every second, third ... frame of them. Files
   without them give empty lists. */
#include "view/block.h"
#include "view/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIELD_BYTES = 24 << 20 };
static const char fields[] = "/fields/";

/* A table as a list of lists of numbers. */
static sn_status lists(sn_html *h, const sn_view_source *s, const char *key, const char *path, sn_err *err)
{
    sn_result_table t;
    SN_TRY(sn_result_reader_table(s->in, path, &t, err));
    SN_TRY(sn_json_say(h, err, ",\"%s\":[", key));
    for (int i = 0; i < t.rows; i++) {
        if (i) SN_TRY(sn_html_put(h, ",", 1, err));
        SN_TRY(sn_json_numbers(h, t.data + (size_t)t.cols * (size_t)i, t.cols, err));
    }
    return sn_html_put(h, "]", 1, err);
}

static const char *field_name(const sn_result_column *c)
{
    return strncmp(c->path, fields, sizeof fields - 1) == 0 ? c->path + sizeof fields - 1 : NULL;
}

/* One stride for all fields. */
static int field_stride(const sn_view_source *s)
{
    double width = 0, frames = sn_result_reader_frames(s->in);
    for (int i = 0; i < sn_result_reader_columns(s->in); i++)
        if (field_name(sn_result_reader_column(s->in, i))) width += sn_result_reader_column(s->in, i)->width;
    return (int)(4 * width * frames / FIELD_BYTES) + 1;
}

static sn_status range(const sn_view_source *s, int column, int per, double *out, sn_err *err)
{
    int frames = sn_result_reader_frames(s->in), width = sn_result_reader_column(s->in, column)->width;
    int vectors = per > 2, rows = width > SN_VIEW_CHUNK ? 1 : SN_VIEW_CHUNK / (width ? width : 1);
    out[0] = vectors ? 0 : INFINITY, out[1] = vectors ? 0 : -INFINITY;
    for (int i = 0; i < frames; i += rows) {
        int n = frames - i < rows ? frames - i : rows;
        SN_TRY(sn_result_reader_get(s->in, column, i, n, s->chunk, err));
        const double *y = s->chunk, *end = y + (size_t)n * (size_t)width;
        for (; vectors && y < end; y += per) {
            double f = per == 3 ? hypot(y[0], y[1]) : hypot(hypot(y[0], y[1]), y[2]),
                   m = per == 3 ? fabs(y[2]) : hypot(hypot(y[3], y[4]), y[5]);
            out[0] = fmax(out[0], f), out[1] = fmax(out[1], m);
        }
        for (; y < end; y++) out[0] = fmin(out[0], *y), out[1] = fmax(out[1], *y);
    }
    return SN_OK;
}

/* What a field's rows are about, and how many numbers each has. */
static sn_status rows_of(const sn_view_source *s, int column, sn_result_table *t, int *per, sn_err *err)
{
    const sn_result_column *c = sn_result_reader_column(s->in, column);
    char path[256];
    if (snprintf(path, sizeof path, "/model%s", c->path) >= (int)sizeof path)
        return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = sn_result_reader_path(s->in)},
                       "damaged: the name of dataset '%s' is too long", c->path);
    SN_TRY(sn_result_reader_table(s->in, path, t, err));
    *per = t->rows > 0 && t->cols == 1 && c->width % t->rows == 0 ? c->width / t->rows : 0;
    if (*per != 1 && *per != 2 && *per != 3 && *per != 6)
        return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = sn_result_reader_path(s->in)},
                       "damaged: dataset '%s' does not fit '%s'", path, c->path);
    return SN_OK;
}

sn_status sn_view_range(const sn_view_source *s, int column, double out[2], sn_err *err)
{
    sn_result_table t;
    int per;
    if (column < 0 || !field_name(sn_result_reader_column(s->in, column)))
        return sn_fail(err, SN_ERR_INPUT, NULL, "column %d is no field", column);
    SN_TRY(rows_of(s, column, &t, &per, err));
    return range(s, column, per, out, err);
}

static sn_status field(sn_html *h, const sn_view_source *s, int column, const char *name, sn_err *err)
{
    sn_result_table t;
    int per;
    double bounds[2] = {NAN, NAN};
    SN_TRY(rows_of(s, column, &t, &per, err));
    if (s->fields == SN_FIELDS_WHOLE) SN_TRY(range(s, column, per, bounds, err));
    SN_TRY(sn_html_put(h, "{\"name\":", 8, err));
    SN_TRY(sn_json_text(h, name, strlen(name), err));
    SN_TRY(sn_html_put(h, ",\"unit\":", 8, err));
    SN_TRY(sn_json_text(h, t.unit, t.unit ? strlen(t.unit) : 0, err));
    SN_TRY(sn_json_say(h, err, ",\"block\":\"f%d\",\"per\":%d,\"range\":", column, per));
    SN_TRY(sn_json_numbers(h, bounds, 2, err));
    SN_TRY(sn_html_put(h, ",\"rows\":", 8, err));
    SN_TRY(sn_json_numbers(h, t.data, t.rows, err));
    return sn_html_put(h, "}", 1, err);
}

sn_status sn_view_triangles(const sn_view_source *s, int shape, sn_result_table *t, sn_err *err)
{
    char path[48];
    snprintf(path, sizeof path, "/model/triangles/%d", shape);
    SN_TRY(sn_result_reader_table(s->in, path, t, err));
    if (t->cols != 9) t->rows = 0;
    return SN_OK;
}

/* Shapes with triangles, by their rows. */
static sn_status triangles(sn_html *h, const sn_view_source *s, int blocks, sn_err *err)
{
    sn_result_table shapes, t;
    SN_TRY(sn_result_reader_table(s->in, "/model/shapes", &shapes, err));
    for (int i = 0, some = 0; i < shapes.rows; i++) {
        char id[16];
        SN_TRY(sn_view_triangles(s, i, &t, err));
        if (!t.rows) continue;
        if (!blocks) SN_TRY(sn_json_say(h, err, "%s%d", some++ ? "," : "", i));
        if (!blocks) continue;
        snprintf(id, sizeof id, "t%d", i);
        SN_TRY(sn_view_open(h, s, id, err));
        for (size_t k = 0; k < 9 * (size_t)t.rows; k++) SN_TRY(sn_view_number(h, t.data[k], 1, err));
        SN_TRY(sn_view_close(h, err));
    }
    return SN_OK;
}

sn_status sn_view_extras(sn_html *h, const sn_view_source *s, sn_err *err)
{
    SN_TRY(lists(h, s, "pins", "/model/pins", err));
    SN_TRY(lists(h, s, "loads", "/model/loads", err));
    SN_TRY(lists(h, s, "points", "/model/points", err));
    SN_TRY(lists(h, s, "sections", "/model/sections", err));
    SN_TRY(sn_json_say(h, err, ",\"triangles\":["));
    SN_TRY(triangles(h, s, 0, err));
    SN_TRY(sn_json_say(h, err, "],\"fieldStride\":%d,\"fields\":[", field_stride(s)));
    for (int i = 0, some = 0; i < sn_result_reader_columns(s->in); i++) {
        const char *name = field_name(sn_result_reader_column(s->in, i));
        if (!name || !sn_result_reader_frames(s->in) || s->fields == SN_FIELDS_NONE) continue;
        if (some++) SN_TRY(sn_html_put(h, ",", 1, err));
        SN_TRY(field(h, s, i, name, err));
    }
    return sn_html_put(h, "]", 1, err);
}

sn_status sn_view_extra_blocks(sn_html *h, const sn_view_source *s, sn_err *err)
{
    int stride = field_stride(s);
    SN_TRY(triangles(h, s, 1, err));
    for (int i = 0; i < sn_result_reader_columns(s->in); i++) {
        char id[24];
        if (!field_name(sn_result_reader_column(s->in, i)) || s->fields != SN_FIELDS_WHOLE) continue;
        snprintf(id, sizeof id, "f%d", i);
        SN_TRY(sn_view_block(h, s, id, i, 1, stride, err));
    }
    return SN_OK;
}
