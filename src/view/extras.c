/* What a page has beyond states and sensors: sizes of lines, bodies and surfaces, pins of joints, points
   where things are fastened, places of loads, triangles of STL shapes, meshes, and the fields that colour the
   picture, with their ranges over all frames. Where the fields are many the page has every second, third ...
   frame of them. Files without them give empty lists. */
#include "io/result_field.h"
#include "view/block.h"
#include "view/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIELD_BYTES = 24 << 20 };

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

/* Whether a column is a field that the page has. */
static int is_shown(const sn_view_source *s, int column)
{
    const char *name = sn_result_field_name(sn_result_reader_column(s->in, column));
    return name && s->fields != SN_FIELDS_NONE && (s->fields != SN_FIELDS_LOADS || !strcmp(name, "load"));
}

/* One stride for all fields. */
static int field_stride(const sn_view_source *s)
{
    double width = 0, frames = sn_result_reader_frames(s->in);
    for (int i = 0; i < sn_result_reader_columns(s->in); i++)
        if (is_shown(s, i)) width += sn_result_reader_column(s->in, i)->width;
    return (int)(4 * width * frames / FIELD_BYTES) + 1;
}

/* The smallest and the largest number of each component, and where there are several, of their amount; of
   forces, the largest force and moment. */
static int range_size(const sn_result_field *f)
{
    return f->style == SN_STYLE_FORCE || f->n == 1 ? 2 : 2 * (f->n + 1);
}

/* Into a range: the largest force and moment. */
static void take_forces(const double *y, const double *end, int n, double *out)
{
    for (; y < end; y += n) {
        double f = n == 3 ? hypot(y[0], y[1]) : hypot(hypot(y[0], y[1]), y[2]),
               m = n == 3 ? fabs(y[2]) : hypot(hypot(y[3], y[4]), y[5]);
        out[0] = fmax(out[0], f), out[1] = fmax(out[1], m);
    }
}

static void take(double y, double *out) { out[0] = fmin(out[0], y), out[1] = fmax(out[1], y); }

/* Into a range: each component, and the amount of all of them. */
static void take_numbers(const double *y, const double *end, int n, double *out)
{
    for (; y < end; y += n) {
        double amount = 0;
        for (int k = 0; k < n; k++) take(y[k], out + 2 * k), amount = hypot(amount, y[k]);
        if (n > 1) take(amount, out + 2 * n);
    }
}

static sn_status range(const sn_view_source *s, int column, const sn_result_field *f, double *out,
                       sn_err *err)
{
    int frames = sn_result_reader_frames(s->in), width = sn_result_reader_column(s->in, column)->width;
    int forces = f->style == SN_STYLE_FORCE, rows = width > SN_VIEW_CHUNK ? 1 : SN_VIEW_CHUNK / width;
    for (int k = 0; k < range_size(f); k++) out[k] = forces ? 0 : k % 2 ? -INFINITY : INFINITY;
    for (int i = 0; i < frames; i += rows) {
        int n = frames - i < rows ? frames - i : rows;
        SN_TRY(sn_result_reader_get(s->in, column, i, n, s->chunk, err));
        const double *y = s->chunk, *end = y + (size_t)n * (size_t)width;
        (forces ? take_forces : take_numbers)(y, end, f->n, out);
    }
    return SN_OK;
}

sn_status sn_view_range(const sn_view_source *s, int column, int *n, double **out, sn_err *err)
{
    sn_result_field f;
    *n = 0, *out = NULL;
    SN_TRY(sn_result_field_read(s->in, column, &f, err));
    if (!SN_NEW(*out, (size_t)range_size(&f))) return SN_OUT_OF_MEM(err);
    *n = range_size(&f);
    sn_status st = range(s, column, &f, *out, err);
    if (st == SN_OK) return SN_OK;
    sn_free(*out);
    *out = NULL;
    return st;
}

/* Column k of a field's rows. */
static sn_status row_numbers(sn_html *h, const sn_result_field *f, const char *key, int k, sn_err *err)
{
    SN_TRY(sn_json_say(h, err, ",\"%s\":[", key));
    for (int i = 0; i < f->rows; i++) {
        if (i) SN_TRY(sn_html_put(h, ",", 1, err));
        SN_TRY(sn_json_number(h, f->row[2 * i + k], err));
    }
    return sn_html_put(h, "]", 1, err);
}

static sn_status field(sn_html *h, const sn_view_source *s, int column, sn_err *err)
{
    static const char *const style[] = {"plain", "signed", "force"};
    sn_result_field f;
    int n = 0;
    double *bounds = NULL;
    SN_TRY(sn_result_field_read(s->in, column, &f, err));
    const char *const text[][2] = {{"name", f.name},
                                   {"unit", f.unit ? f.unit : ""},
                                   {"doc", f.doc},
                                   {"of", f.joints ? "joints" : "elements"},
                                   {"style", style[f.style]}};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        SN_TRY(sn_json_say(h, err, "%s\"%s\":", i ? "," : "{", text[i][0]));
        SN_TRY(sn_json_text(h, text[i][1], strlen(text[i][1]), err));
    }
    SN_TRY(sn_json_say(h, err, ",\"components\":"));
    SN_TRY(sn_json_texts(h, f.component, f.n, err));
    SN_TRY(sn_json_say(h, err, ",\"block\":\"f%d\",\"range\":", column));
    if (s->fields != SN_FIELDS_ASKED) SN_TRY(sn_view_range(s, column, &n, &bounds, err));
    sn_status st = sn_json_numbers(h, bounds, n, err);
    sn_free(bounds);
    SN_TRY(st);
    SN_TRY(row_numbers(h, &f, "rows", 0, err));
    SN_TRY(row_numbers(h, &f, "points", 1, err));
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

/* ---- meshes ---- */

sn_status sn_view_mesh(const sn_view_source *s, int mesh, int part, sn_result_table *t, sn_err *err)
{
    static const char *const name[SN_MESH_PARTS] = {"nodes", "modes", "lines", "triangles"};
    static const int cols[SN_MESH_PARTS] = {3, 0, 2, 3};
    char path[48];
    snprintf(path, sizeof path, "/model/mesh/%d/%s", mesh, name[part]);
    SN_TRY(sn_result_reader_table(s->in, path, t, err));
    if (cols[part] && t->cols != cols[part]) t->rows = 0;
    return SN_OK;
}

/* How many meshes there are: they are numbered from 0. */
static sn_status mesh_count(const sn_view_source *s, int *n, sn_err *err)
{
    sn_result_table t = {.rows = 1};
    for (*n = 0; t.rows; *n += t.rows > 0) SN_TRY(sn_view_mesh(s, *n, SN_MESH_NODES, &t, err));
    return SN_OK;
}

/* Rows of all parts of all meshes; or their numbers. */
static sn_status meshes(sn_html *h, const sn_view_source *s, int blocks, sn_err *err)
{
    int n;
    SN_TRY(mesh_count(s, &n, err));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < SN_MESH_PARTS; k++) {
            sn_result_table t;
            char id[32];
            SN_TRY(sn_view_mesh(s, i, k, &t, err));
            if (!blocks) SN_TRY(sn_json_say(h, err, "%s%d", k ? "," : i ? "],[" : "[", t.rows));
            if (!blocks) continue;
            snprintf(id, sizeof id, "g%d.%d", i, k);
            SN_TRY(sn_view_open(h, s, id, err));
            for (size_t j = 0; j < (size_t)t.rows * (size_t)t.cols; j++)
                SN_TRY(sn_view_number(h, t.data[j], 1, err));
            SN_TRY(sn_view_close(h, err));
        }
    return blocks || !n ? SN_OK : sn_html_put(h, "]", 1, err);
}

sn_status sn_view_extras(sn_html *h, const sn_view_source *s, sn_err *err)
{
    SN_TRY(lists(h, s, "pins", "/model/pins", err));
    SN_TRY(lists(h, s, "loads", "/model/loads", err));
    SN_TRY(lists(h, s, "points", "/model/points", err));
    SN_TRY(lists(h, s, "lines", "/model/lines", err));
    SN_TRY(lists(h, s, "bodies", "/model/bodies", err));
    SN_TRY(lists(h, s, "surfaces", "/model/surfaces", err));
    SN_TRY(lists(h, s, "meshes", "/model/meshes", err));
    SN_TRY(lists(h, s, "colours", "/model/colours", err));
    SN_TRY(lists(h, s, "gravity", "/model/gravity", err));
    SN_TRY(sn_json_say(h, err, ",\"meshSizes\":["));
    SN_TRY(meshes(h, s, 0, err));
    SN_TRY(sn_json_say(h, err, "],\"triangles\":["));
    SN_TRY(triangles(h, s, 0, err));
    SN_TRY(sn_json_say(h, err, "],\"fieldStride\":%d,\"fields\":[", field_stride(s)));
    for (int i = 0, some = 0; i < sn_result_reader_columns(s->in); i++) {
        if (!is_shown(s, i) || !sn_result_reader_frames(s->in)) continue;
        if (some++) SN_TRY(sn_html_put(h, ",", 1, err));
        SN_TRY(field(h, s, i, err));
    }
    return sn_html_put(h, "]", 1, err);
}

sn_status sn_view_extra_blocks(sn_html *h, const sn_view_source *s, sn_err *err)
{
    int stride = field_stride(s);
    SN_TRY(triangles(h, s, 1, err));
    SN_TRY(meshes(h, s, 1, err));
    for (int i = 0; i < sn_result_reader_columns(s->in); i++) {
        char id[32];
        if (!is_shown(s, i) || s->fields == SN_FIELDS_ASKED) continue;
        snprintf(id, sizeof id, "f%d", i);
        SN_TRY(sn_view_block(h, s, id, i, 1, stride, err));
    }
    return SN_OK;
}
