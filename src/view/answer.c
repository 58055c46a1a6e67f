/* Answers of the server of a result, see answer.h. */
#include "view/answer.h"

#include "view/block.h"
#include "view/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK = 1 << 16, BINS = 1 << 14 };

/* ---- the result ---- */

void sn_served_close(sn_served *s)
{
    sn_result_reader_close(s->in);
    s->in = NULL;
}

sn_status sn_served_open(sn_served *s, sn_err *err)
{
    struct stat st;
    sn_served_close(s); /* HDF5 would share what it remembers of a file opened twice */
    if (stat(s->path, &st) != 0) st.st_ino = 0, st.st_dev = 0;
    SN_TRY(sn_result_open(s->path, &s->in, err));
    if (!s->edition || s->inode != (uint64_t)st.st_ino || s->device != (uint64_t)st.st_dev) s->edition++;
    s->inode = (uint64_t)st.st_ino, s->device = (uint64_t)st.st_dev;
    return SN_OK;
}

/* ---- bodies ---- */

static sn_status reserve(sn_answer *a, size_t n, sn_err *err)
{
    if (n > (size_t)(INT32_MAX / 2 - a->n)) return SN_OUT_OF_MEM(err);
    return a->n + (int)n > a->room && sn_grow(&a->bytes, &a->room, a->n + (int)n, 1) ? SN_OUT_OF_MEM(err)
                                                                                     : SN_OK;
}

static sn_status put(sn_answer *a, const void *bytes, size_t n, sn_err *err)
{
    SN_TRY(reserve(a, n, err));
    memcpy(a->bytes + a->n, bytes, n);
    a->n += (int)n;
    return SN_OK;
}

static sn_status sink(void *ctx, const void *bytes, size_t n, sn_err *err) { return put(ctx, bytes, n, err); }

static sn_status put_numbers(sn_answer *a, const double *x, size_t n, int single, sn_err *err)
{
    int size = single ? 4 : 8;
    SN_TRY(reserve(a, n * (size_t)size, err));
    unsigned char *out = a->bytes + a->n;
    for (size_t i = 0; i < n; i++, out += size) {
        uint64_t bits = 0;
        if (single) {
            float f = (float)x[i];
            uint32_t b;
            memcpy(&b, &f, 4);
            bits = b;
        } else
            memcpy(&bits, &x[i], 8);
        for (int k = 0; k < size; k++) out[k] = (unsigned char)(bits >> 8 * k);
    }
    a->n += (int)(n * (size_t)size);
    return SN_OK;
}

typedef struct piece {
    int column, width, first, count;
} piece;

/* The edition that the page has seen is the one that is there; else the status that refuses it. */
static int same_edition(const sn_served *s, const sn_http_request *r)
{
    int64_t edition;
    if (!sn_http_number(r, "edition", 1, INT32_MAX, &edition)) return 400;
    return edition == s->edition ? 200 : 410;
}

/* What both kinds of pieces ask for; the status that refuses it. */
static int read_piece(const sn_served *s, const sn_http_request *r, piece *p)
{
    int64_t column, first, count, most = sn_result_reader_frames(s->in);
    int status = same_edition(s, r);
    if (status != 200) return status;
    if (!sn_http_number(r, "column", -1, sn_result_reader_columns(s->in) - 1, &column) ||
        !sn_http_number(r, "first", 0, most - 1, &first) || !sn_http_number(r, "count", 1, most, &count))
        return 400;
    const sn_result_column *c = sn_result_reader_column(s->in, (int)column);
    *p = (piece){(int)column, c ? c->width : 1, (int)first, (int)count};
    return p->width > 0 ? 200 : 400;
}

static int least(int a, int b) { return a < b ? a : b; }

/* Rows of a chunk: as many as fit, at least one. */
static int rows_of(int width) { return width < CHUNK ? CHUNK / width : 1; }

static sn_status data(sn_served *s, const sn_http_request *r, sn_answer *a, sn_err *err)
{
    piece p;
    int64_t step = 1, single = 0;
    a->status = read_piece(s, r, &p);
    if (a->status != 200) return SN_OK;
    sn_http_number(r, "single", 0, 1, &single);
    if (!sn_http_number(r, "step", 1, INT32_MAX, &step) ||
        (p.count > 1 && (int64_t)p.count * p.width * (single ? 4 : 8) > SN_ANSWER_BYTES)) {
        a->status = 400;
        return SN_OK;
    }
    int last = sn_result_reader_frames(s->in) - 1, rows = step > 1 ? 1 : rows_of(p.width);
    if (step == 1 && p.count - 1 > last - p.first) p.count = last - p.first + 1;
    double *x;
    if (!SN_NEW(x, (size_t)rows * (size_t)p.width)) return SN_OUT_OF_MEM(err);
    sn_status st = SN_OK;
    for (int i = 0; st == SN_OK && i < p.count; i += rows) {
        int64_t at = p.first + i * step;
        int n = least(rows, p.count - i);
        st = sn_result_reader_get(s->in, p.column, at > last ? last : (int)at, n, x, err);
        if (st == SN_OK) st = put_numbers(a, x, (size_t)n * (size_t)p.width, (int)single, err);
    }
    sn_free(x);
    return st;
}

/* Smallest and largest of each component, bin by bin, as the frames pass by; NaN where there is no number. */
static sn_status spans(sn_served *s, const piece *p, int bins, double *x, double *span, sn_err *err)
{
    int rows = rows_of(p->width), bin = 0;
    for (int i = 0; i < 2 * p->width * bins; i++) span[i] = NAN;
    for (int i = 0; i < p->count; i += rows) {
        int n = least(rows, p->count - i);
        SN_TRY(sn_result_reader_get(s->in, p->column, p->first + i, n, x, err));
        for (int k = 0; k < n; k++) {
            while ((int64_t)(bin + 1) * p->count / bins <= i + k) bin++;
            double *at = span + (size_t)bin * 2 * (size_t)p->width;
            for (int j = 0; j < p->width; j++) {
                double y = x[(size_t)k * (size_t)p->width + (size_t)j];
                if (!(at[2 * j] <= y)) at[2 * j] = isnan(y) ? at[2 * j] : y;
                if (!(at[2 * j + 1] >= y)) at[2 * j + 1] = isnan(y) ? at[2 * j + 1] : y;
            }
        }
    }
    return SN_OK;
}

static sn_status overview(sn_served *s, const sn_http_request *r, sn_answer *a, sn_err *err)
{
    piece p;
    int64_t bins;
    a->status = read_piece(s, r, &p);
    if (a->status != 200) return SN_OK;
    if (!sn_http_number(r, "bins", 1, BINS, &bins) || p.count > sn_result_reader_frames(s->in) - p.first ||
        bins > p.count || bins * p.width * 16 > SN_ANSWER_BYTES) {
        a->status = 400;
        return SN_OK;
    }
    size_t n = (size_t)bins * 2 * (size_t)p.width, chunk = (size_t)rows_of(p.width) * (size_t)p.width;
    double *x;
    if (!SN_NEW(x, n + chunk)) return SN_OUT_OF_MEM(err);
    sn_status st = spans(s, &p, (int)bins, x + n, x, err);
    if (st == SN_OK) st = put_numbers(a, x, n, 0, err);
    sn_free(x);
    return st;
}

static sn_status range(sn_served *s, const sn_http_request *r, sn_answer *a, sn_err *err)
{
    int64_t column;
    int n;
    double *x;
    sn_view_source source = {.in = s->in};
    a->status = same_edition(s, r);
    if (a->status != 200) return SN_OK;
    if (!sn_http_number(r, "column", 0, sn_result_reader_columns(s->in) - 1, &column)) {
        a->status = 400;
        return SN_OK;
    }
    int width = sn_result_reader_column(s->in, (int)column)->width;
    if (!SN_NEW(source.chunk, width > SN_VIEW_CHUNK ? width : SN_VIEW_CHUNK)) return SN_OUT_OF_MEM(err);
    sn_status st = sn_view_range(&source, (int)column, &n, &x, err);
    sn_free(source.chunk);
    if (st == SN_ERR_INPUT) a->status = 400;
    if (st == SN_ERR_INPUT) return SN_OK;
    if (st == SN_OK) st = put_numbers(a, x, (size_t)n, 0, err);
    sn_free(x);
    return st;
}

static sn_status triangles(sn_served *s, const sn_http_request *r, sn_answer *a, sn_err *err)
{
    int64_t shape;
    sn_result_table t;
    a->status = same_edition(s, r);
    if (a->status == 200 && !sn_http_number(r, "shape", 0, INT32_MAX, &shape)) a->status = 400;
    if (a->status != 200) return SN_OK;
    SN_TRY(sn_view_triangles(&(sn_view_source){.in = s->in}, (int)shape, &t, err));
    if (!t.rows) a->status = 404;
    return t.rows ? put_numbers(a, t.data, 9 * (size_t)t.rows, 1, err) : SN_OK;
}

static sn_status mesh(sn_served *s, const sn_http_request *r, sn_answer *a, sn_err *err)
{
    int64_t which, part;
    sn_result_table t;
    a->status = same_edition(s, r);
    if (a->status == 200 && (!sn_http_number(r, "mesh", 0, INT32_MAX, &which) ||
                             !sn_http_number(r, "part", 0, SN_MESH_PARTS - 1, &part)))
        a->status = 400;
    if (a->status != 200) return SN_OK;
    SN_TRY(sn_view_mesh(&(sn_view_source){.in = s->in}, (int)which, (int)part, &t, err));
    if (!t.rows) a->status = 404;
    return t.rows ? put_numbers(a, t.data, (size_t)t.rows * (size_t)t.cols, 1, err) : SN_OK;
}

static sn_status page(sn_served *s, const sn_http_request *r, sn_answer *a, sn_err *err)
{
    (void)r;
    SN_TRY(sn_served_open(s, err));
    return sn_view_served_page(&(sn_view_served){s->in, s->edition, s->begin}, sink, a, err);
}

static sn_status nothing(sn_served *s, const sn_http_request *r, sn_answer *a, sn_err *err)
{
    (void)s, (void)r, (void)err;
    a->status = 204;
    return SN_OK;
}

/* ---- answers ---- */

static const struct {
    const char *path, *type;
    sn_status (*make)(sn_served *s, const sn_http_request *r, sn_answer *a, sn_err *err);
} places[] = {
    {"/", "text/html; charset=utf-8", page},
    {"/data", "application/octet-stream", data},
    {"/span", "application/octet-stream", overview},
    {"/range", "application/octet-stream", range},
    {"/triangles", "application/octet-stream", triangles},
    {"/mesh", "application/octet-stream", mesh},
    {"/favicon.ico", "text/plain", nothing},
};

static sn_status refuse(sn_answer *a, const char *why, sn_err *err)
{
    a->n = 0;
    a->type = "text/plain; charset=utf-8";
    SN_TRY(put(a, why, strlen(why), err));
    return put(a, "\n", 1, err);
}

static sn_status fill(sn_served *s, const sn_http_request *r, sn_answer *a, sn_err *err)
{
    size_t i = 0, n = sizeof places / sizeof *places;
    while (i < n && strcmp(places[i].path, r->path) != 0) i++;
    if (i == n) a->status = 404;
    if (i < n && !s->in && places[i].make != page) a->status = 503;
    if (a->status != 200) return refuse(a, sn_http_reason(a->status), err);
    a->type = places[i].type;
    sn_err why;
    sn_err_clear(&why);
    sn_status st = places[i].make(s, r, a, &why);
    if (st == SN_ERR_MEMORY) return SN_OUT_OF_MEM(err);
    if (st != SN_OK) { /* damaged, gone, replaced by something else: the next page may find it well again */
        char text[SN_ERR_TEXT + SN_ERR_FILE_TEXT + 3 * SN_ERR_EXCERPT + 128] = "";
        if (why.count) sn_report_format(&why.report[0], text, sizeof text);
        a->status = 500;
        return refuse(a, text, err);
    }
    return a->status >= 400 ? refuse(a, sn_http_reason(a->status), err) : SN_OK;
}

/* The head goes before the body once its length is known. */
static sn_status head(sn_answer *body, int no_body, sn_answer *out, sn_err *err)
{
    static const char fixed[] =
        "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n"
        "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        "img-src data: blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action "
        "'none'\r\n\r\n";
    char text[256], length[40] = "";
    if (body->status != 204) snprintf(length, sizeof length, "Content-Length: %d\r\n", body->n);
    int n = snprintf(text, sizeof text, "HTTP/1.1 %d %s\r\n%sContent-Type: %s\r\n%s", body->status,
                     sn_http_reason(body->status), body->status == 405 ? "Allow: GET, HEAD\r\n" : "",
                     body->type, length);
    SN_TRY(put(out, text, (size_t)n, err));
    SN_TRY(put(out, fixed, sizeof fixed - 1, err));
    out->status = body->status, out->type = body->type, out->body = out->n;
    return no_body || !body->n ? SN_OK : put(out, body->bytes, (size_t)body->n, err);
}

sn_status sn_answer_make(sn_served *s, int status, const sn_http_request *r, sn_answer *out, sn_err *err)
{
    sn_answer body = {.status = status, .type = "text/plain"};
    *out = (sn_answer){.status = status};
    sn_status st = status == 200 ? fill(s, r, &body, err) : refuse(&body, sn_http_reason(status), err);
    if (st == SN_OK) st = head(&body, status == 200 && r->head, out, err);
    sn_free(body.bytes);
    if (st != SN_OK) {
        sn_free(out->bytes);
        *out = (sn_answer){0};
    }
    return st;
}
