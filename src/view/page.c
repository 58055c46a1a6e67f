/* The page of a result: the template share/view.html, a header in JSON (names, what connects them, which
   blocks there are; its members are the interface Header of web/src/data.ts) and blocks of numbers as base64,
   little-endian: the frames' coordinate and the sensors in double precision, frame by frame, states in single
   precision. Where the states are many, every second, third ... frame is taken, so that a page stays below
   SCENE_BYTES; the last frame is always there. A served page has the header alone, and asks for the numbers
   (serve.c). */
#include "view/page.h"
#include "view/sweep_page.h"

#include "sinew/sinew.h"
#include "view/block.h"
#include "view/json.h"

#include <stdio.h>
#include <string.h>

enum { SCENE_BYTES = 48 << 20, SERVED_BYTES = 16 << 20 };

static const unsigned char page_template[] = {
#include "view_page.inc"
};

typedef struct view {
    sn_result_reader *in;
    const char *path;
    int bare, loads; /* without sensors and fields; with the loads nevertheless */
    int frames, modes;
    int q, v, a, roots; /* columns, -1: none */
    int stride, sights; /* frames of the scene: every stride'th, so many in all */
    int served;         /* which edition of the result the server has; 0: all is in the page */
    const char *begin;  /* how the page begins, or NULL */
    const char *manual; /* the file that its help links to, or NULL */
    sn_view_source source;
} view;

/* Several results in a page, then measured data. */
typedef struct pages {
    view *result;
    int n;
    sn_page_options options;
} pages;

/* ---- header ---- */

static int is_sensor(const sn_result_column *c) { return strncmp(c->path, "/sensors/", 9) == 0; }

static sn_status root_texts(view *w, sn_html *h, sn_err *err)
{
    static const char *const name[] = {"title", "analysis", "command", "file", "version"};
    for (int i = 0; i < 5; i++) {
        char key[16] = "@";
        const char *text = sn_result_reader_text(w->in, strcat(key, name[i]));
        SN_TRY(sn_json_say(h, err, "\"%s\":", name[i]));
        SN_TRY(sn_json_text(h, text, text ? strlen(text) : 0, err));
        SN_TRY(sn_html_put(h, ",", 1, err));
    }
    const char *slash = strrchr(w->path, '/'), *base = slash ? slash + 1 : w->path;
    SN_TRY(sn_html_put(h, "\"source\":", 9, err));
    SN_TRY(sn_json_text(h, base, strlen(base), err));
    return sn_html_put(h, ",", 1, err);
}

static sn_status nodes(view *w, sn_html *h, sn_err *err)
{
    enum { COLS = 9 };
    static const char *const number[] = {"q", "v", "nq", "nv", "dim"};
    sn_result_table at, index;
    SN_TRY(sn_result_reader_table(w->in, "/model/nodes/reference", &at, err));
    SN_TRY(sn_result_reader_table(w->in, "/model/nodes/index", &index, err));
    SN_TRY(sn_html_put(h, "\"nodes\":[", 9, err));
    int good = at.cols == 3 && index.cols == COLS && at.rows == index.rows && at.row_names;
    for (int i = 0; good && i < at.rows; i++) {
        const double *k = index.data + COLS * (size_t)i;
        SN_TRY(sn_json_say(h, err, "%s{\"name\":", i ? "," : ""));
        SN_TRY(sn_json_text(h, at.row_names[i], strlen(at.row_names[i]), err));
        for (int j = 0; j < 5; j++) {
            SN_TRY(sn_json_say(h, err, ",\"%s\":", number[j]));
            SN_TRY(sn_json_number(h, k[j], err));
        }
        SN_TRY(sn_json_say(h, err, ",\"x\":"));
        SN_TRY(sn_json_numbers(h, k + 5, 2, err));
        SN_TRY(sn_json_say(h, err, ",\"R\":"));
        SN_TRY(sn_json_numbers(h, k + 7, 2, err));
        SN_TRY(sn_json_say(h, err, ",\"at\":"));
        SN_TRY(sn_json_numbers(h, at.data + 3 * (size_t)i, 3, err));
        SN_TRY(sn_html_put(h, "}", 1, err));
    }
    return sn_html_put(h, "],", 2, err);
}

/* Names of a joint's equations, from those of all equations on, "support.x" ...; how many there are. */
static sn_status equations(sn_html *h, const char *thing, const char *const *name, int n, int *count,
                           sn_err *err)
{
    const char *joint = strchr(thing, ':') ? strchr(thing, ':') + 1 : thing;
    const size_t length = strlen(joint);
    *count = 0;
    SN_TRY(sn_html_put(h, ",\"equations\":[", 14, err));
    for (int i = 0; i < n && !strncmp(name[i], joint, length) && name[i][length] == '.'; i++) {
        if (i) SN_TRY(sn_html_put(h, ",", 1, err));
        SN_TRY(sn_json_text(h, name[i] + length + 1, strlen(name[i] + length + 1), err));
        ++*count;
    }
    return sn_html_put(h, "]", 1, err);
}

static const sn_result_column *multipliers(view *w)
{
    for (int i = 0; i < sn_result_reader_columns(w->in); i++)
        if (!strcmp(sn_result_reader_column(w->in, i)->path, "/states/lam"))
            return sn_result_reader_column(w->in, i);
    return NULL;
}

/* Elements or joints as a list of {"name", "nodes", "geometry"}; of joints also the names of their equations.
 */
static sn_status things(view *w, sn_html *h, const char *key, const char *path, sn_err *err)
{
    enum { COLS = 3 };
    sn_result_table t, node;
    const sn_result_column *lam = !strcmp(key, "joints") ? multipliers(w) : NULL;
    SN_TRY(sn_result_reader_table(w->in, path, &t, err));
    SN_TRY(sn_result_reader_table(w->in, "/model/connectivity", &node, err));
    SN_TRY(sn_json_say(h, err, "\"%s\":[", key));
    for (int i = 0, eq = 0, own; t.cols == COLS && t.row_names && i < t.rows; i++) {
        const double *x = t.data + COLS * (size_t)i;
        int good = x[0] >= 0 && x[1] >= 0 && x[0] + x[1] <= node.rows && node.cols == 1;
        SN_TRY(sn_json_say(h, err, "%s{\"name\":", i ? "," : ""));
        SN_TRY(sn_json_text(h, t.row_names[i], strlen(t.row_names[i]), err));
        SN_TRY(sn_html_put(h, ",\"nodes\":", 9, err));
        SN_TRY(sn_json_numbers(h, good ? node.data + (size_t)x[0] : NULL, good ? (int)x[1] : 0, err));
        SN_TRY(sn_json_say(h, err, ",\"geometry\":"));
        SN_TRY(sn_json_number(h, x[2], err));
        if (lam && lam->components) {
            SN_TRY(equations(h, t.row_names[i], lam->components + eq, lam->width - eq, &own, err));
            eq += own;
        }
        SN_TRY(sn_html_put(h, "}", 1, err));
    }
    return sn_html_put(h, "],", 2, err);
}

/* A table as a list of {"name": row's name, "x": numbers}. */
static sn_status table(view *w, sn_html *h, const char *key, const char *path, sn_err *err)
{
    sn_result_table t;
    SN_TRY(sn_result_reader_table(w->in, path, &t, err));
    SN_TRY(sn_json_say(h, err, "\"%s\":[", key));
    for (int i = 0; t.row_names && i < t.rows; i++) {
        SN_TRY(sn_json_say(h, err, "%s{\"name\":", i ? "," : ""));
        SN_TRY(sn_json_text(h, t.row_names[i], strlen(t.row_names[i]), err));
        SN_TRY(sn_html_put(h, ",\"x\":", 5, err));
        SN_TRY(sn_json_numbers(h, t.data + (size_t)t.cols * (size_t)i, t.cols, err));
        SN_TRY(sn_html_put(h, "}", 1, err));
    }
    return sn_html_put(h, "],", 2, err);
}

static sn_status sensors(view *w, sn_html *h, sn_err *err)
{
    SN_TRY(sn_html_put(h, "\"sensors\":[", 11, err));
    for (int i = 0, some = 0; i < sn_result_reader_columns(w->in); i++) {
        const sn_result_column *c = sn_result_reader_column(w->in, i);
        if (!is_sensor(c) || w->bare) continue;
        SN_TRY(sn_json_say(h, err, "%s{\"block\":\"c%d\",\"width\":%d,\"name\":", some++ ? "," : "", i,
                           c->width));
        SN_TRY(sn_json_text(h, c->path + 9, strlen(c->path + 9), err));
        SN_TRY(sn_html_put(h, ",\"kind\":", 8, err));
        SN_TRY(sn_json_text(h, c->kind, c->kind ? strlen(c->kind) : 0, err));
        SN_TRY(sn_html_put(h, ",\"components\":", 14, err));
        SN_TRY(sn_json_texts(h, c->components, c->width, err));
        SN_TRY(sn_html_put(h, ",\"units\":", 9, err));
        SN_TRY(sn_json_texts(h, c->units, c->width, err));
        SN_TRY(sn_html_put(h, "}", 1, err));
    }
    return sn_html_put(h, "]", 1, err);
}

static sn_status wish(sn_html *h, const char *name, const char *text, sn_err *err)
{
    if (!text) return SN_OK;
    SN_TRY(sn_json_say(h, err, "\"%s\":", name));
    SN_TRY(sn_json_text(h, text, strlen(text), err));
    return sn_html_put(h, ",", 1, err);
}

static sn_status header(view *w, sn_html *h, sn_err *err)
{
    static const char close[] = "}</script>\n";
    const sn_result_column *q = sn_result_reader_column(w->in, w->q),
                           *v = sn_result_reader_column(w->in, w->v);
    const char *unit, *axis = sn_result_reader_frame_name(w->in, &unit);
    SN_TRY(sn_json_say(h, err, "<script id=\"%sheader\" type=\"application/json\">{", w->source.prefix));
    SN_TRY(root_texts(w, h, err));
    SN_TRY(sn_json_say(h, err, "\"status\":%d,\"frames\":%d,\"stride\":%d,\"sights\":%d,\"nq\":%d,\"nv\":%d,",
                       sn_result_reader_status(w->in), w->frames, w->stride, w->sights, q ? q->width : 0,
                       v ? v->width : 0));
    SN_TRY(sn_json_say(h, err, "\"served\":%d,\"sq\":%d,\"sv\":%d,\"sa\":%d,\"roots\":%d,", w->served, w->q,
                       w->v, w->a, w->roots));
    SN_TRY(wish(h, "begin", w->begin, err));
    SN_TRY(wish(h, "manual", w->manual, err));
    SN_TRY(sn_html_put(h, "\"axis\":", 7, err));
    SN_TRY(sn_json_text(h, axis + (axis[0] == '/'), strlen(axis) - (axis[0] == '/'), err));
    SN_TRY(sn_html_put(h, ",\"unit\":", 8, err));
    SN_TRY(sn_json_text(h, unit, unit ? strlen(unit) : 0, err));
    SN_TRY(sn_html_put(h, ",", 1, err));
    SN_TRY(nodes(w, h, err));
    SN_TRY(table(w, h, "geometry", "/model/geometry", err));
    SN_TRY(things(w, h, "elements", "/model/elements", err));
    SN_TRY(things(w, h, "joints", "/model/joints", err));
    SN_TRY(table(w, h, "shapes", "/model/shapes", err));
    SN_TRY(sensors(w, h, err));
    SN_TRY(sn_view_extras(h, &w->source, err));
    SN_TRY(sn_view_linear(h, &w->source, err));
    return sn_html_put(h, close, sizeof close - 1, err);
}

/* ---- blocks ---- */

static sn_status blocks(view *w, sn_html *h, sn_err *err)
{
    const sn_view_source *s = &w->source;
    SN_TRY(sn_view_block(h, s, "axis", -1, 0, 1, err));
    for (int i = 0; i < sn_result_reader_columns(w->in); i++) {
        char id[24];
        if (!is_sensor(sn_result_reader_column(w->in, i)) || w->bare) continue;
        snprintf(id, sizeof id, "c%d", i);
        SN_TRY(sn_view_block(h, s, id, i, 0, 1, err));
    }
    if (w->q >= 0) SN_TRY(sn_view_block(h, s, "sq", w->q, 1, w->stride, err));
    if (w->modes && w->v >= 0) SN_TRY(sn_view_block(h, s, "sv", w->v, 1, w->stride, err));
    if (w->modes && w->a >= 0) SN_TRY(sn_view_block(h, s, "sa", w->a, 1, w->stride, err));
    if (w->roots >= 0) SN_TRY(sn_view_block(h, s, "roots", w->roots, 1, w->stride, err));
    return sn_view_extra_blocks(h, s, err);
}

static sn_status title(const pages *p, sn_html *h, sn_err *err)
{
    for (int i = 0; i < p->n; i++) {
        const char *text = sn_result_reader_text(p->result[i].in, "@title");
        if (p->n > 1 || !text || !*text) text = p->result[i].path;
        if (i) SN_TRY(sn_html_text(h, " and ", err));
        SN_TRY(sn_html_text(h, text, err));
    }
    return SN_OK;
}

static sn_status fill(sn_html *h, int word, void *ctx, sn_err *err)
{
    const pages *p = ctx;
    if (word == 0) return title(p, h, err);
    for (int i = 0; i < p->n; i++) {
        SN_TRY(header(&p->result[i], h, err));
        if (!p->result[i].served) SN_TRY(blocks(&p->result[i], h, err));
    }
    for (int i = 0; i < p->options.n_data; i++) {
        char prefix[16];
        snprintf(prefix, sizeof prefix, "r%d.", p->n + i);
        SN_TRY(sn_view_data(h, prefix, p->options.data[i], err));
    }
    return SN_OK;
}

/* Which columns hold the states, how many frames of them the page takes, and room for the widest read. */
static sn_status survey(view *w, sn_err *err)
{
    const char *analysis = sn_result_reader_text(w->in, "@analysis");
    size_t widest = SN_VIEW_CHUNK;
    w->frames = sn_result_reader_frames(w->in);
    w->modes = analysis && strcmp(analysis, "modes") == 0;
    w->q = w->v = w->a = w->roots = -1;
    for (int i = 0; i < sn_result_reader_columns(w->in); i++) {
        const sn_result_column *c = sn_result_reader_column(w->in, i);
        if (strcmp(c->path, "/states/q") == 0) w->q = i;
        if (strcmp(c->path, "/states/v") == 0) w->v = i;
        if (strcmp(c->path, "/states/a") == 0) w->a = i;
        if (strcmp(c->path, "/roots") == 0) w->roots = i;
        if ((size_t)c->width > widest) widest = (size_t)c->width;
    }
    double most = w->served ? SERVED_BYTES : SCENE_BYTES,
           bytes = w->q < 0 ? 0 : 4.0 * w->frames * sn_result_reader_column(w->in, w->q)->width;
    w->stride = w->modes || bytes <= most ? 1 : (int)(bytes / most) + 1;
    w->sights = sn_view_sights(w->frames, w->stride);
    w->source.in = w->in;
    w->source.fields = w->loads    ? SN_FIELDS_LOADS
                       : w->bare   ? SN_FIELDS_NONE
                       : w->served ? SN_FIELDS_ASKED
                                   : SN_FIELDS_WHOLE;
    return SN_NEW(w->source.chunk, widest) ? SN_OK : SN_OUT_OF_MEM(err);
}

static sn_html_page page_of(pages *p)
{
    static const char *const words[] = {"@TITLE@", "@DATA@", NULL};
    return (sn_html_page){page_template, sizeof page_template, words, fill, p};
}

/* A sweep has a page of its own. *done: it was one. */
static sn_status sweep_page(int n, const char *const *path, const char *page, int *done, sn_err *err)
{
    sn_result_reader *in;
    *done = 0;
    for (int i = 0; i < n; i++) {
        SN_TRY(sn_result_open(path[i], &in, err));
        const char *analysis = sn_result_reader_text(in, "@analysis");
        sn_status s = SN_OK;
        *done = analysis && !strcmp(analysis, "sweep");
        if (*done && n > 1)
            s = sn_fail(err, SN_ERR_INPUT, NULL, "%s: a sweep is shown alone", path[i]);
        else if (*done)
            s = sn_sweep_page(in, page, err);
        sn_result_reader_close(in);
        if (s || *done) return s;
    }
    return SN_OK;
}

sn_status sn_results_page(int n, const char *const *path, const sn_page_options *options, const char *page,
                          sn_err *err)
{
    int sweep = 0;
    SN_TRY(sn_output_check(page, n, path, err));
    sn_status s = sweep_page(n, path, page, &sweep, err);
    if (s || sweep) return s;
    pages p = {.n = n};
    if (options) p.options = *options;
    char(*prefix)[16] = sn_alloc((size_t)n + 1, sizeof *prefix);
    if (!prefix || !SN_NEW(p.result, n + 1)) s = SN_OUT_OF_MEM(err);
    if (s == SN_OK) s = sn_output_check(page, p.options.n_data, p.options.data, err);
    for (int i = 0; s == SN_OK && i < n; i++) {
        view *w = &p.result[i];
        if (i) snprintf(prefix[i], sizeof prefix[i], "r%d.", i);
        w->path = path[i], w->source.prefix = prefix[i], w->begin = i ? NULL : p.options.begin;
        w->manual = i ? NULL : p.options.manual;
        s = sn_result_open(path[i], &w->in, err);
        if (s == SN_OK) s = survey(w, err);
    }
    const sn_html_page html = page_of(&p);
    if (s == SN_OK) s = sn_html_write(page, &html, err);
    for (int i = 0; p.result && i < n; i++) {
        sn_free(p.result[i].source.chunk);
        sn_result_reader_close(p.result[i].in);
    }
    sn_free(p.result);
    sn_free(prefix);
    return s;
}

sn_status sn_result_page(const char *path, const char *page, sn_err *err)
{
    return sn_results_page(1, &path, NULL, page, err);
}

sn_status sn_view_served_page(const sn_view_served *of, sn_html_sink sink, void *ctx, sn_err *err)
{
    view w = {.in = of->in,
              .path = sn_result_reader_path(of->in),
              .served = of->edition,
              .begin = of->begin,
              .source.prefix = ""};
    pages p = {.result = &w, .n = 1};
    sn_status s = survey(&w, err);
    const sn_html_page html = page_of(&p);
    if (s == SN_OK) s = sn_html_send(sink, ctx, &html, err);
    sn_free(w.source.chunk);
    return s;
}

sn_status sn_view_motion(sn_html *h, const char *path, const char *prefix, int loads, sn_err *err)
{
    view w = {.path = path, .bare = 1, .loads = loads, .source.prefix = prefix};
    SN_TRY(sn_result_open(path, &w.in, err));
    sn_status s = survey(&w, err);
    if (s == SN_OK) s = header(&w, h, err);
    if (s == SN_OK) s = blocks(&w, h, err);
    sn_free(w.source.chunk);
    sn_result_reader_close(w.in);
    return s;
}
