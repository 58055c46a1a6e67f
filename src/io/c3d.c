/* Marker files .c3d (the C3D file format, www.c3d.org): a header of 512 bytes, parameters in groups, then
   frames of points and analog samples. Blocks are of 512 bytes and counted from 1; numbers are in the order
   of Intel, DEC (VAX) or MIPS processors as byte 4 of the parameters says. Points are 16-bit integers times a
   scale, or floats where the scale is negative; the fourth number of a point is negative where it was not
   seen. */
#include "io/file.h"
#include "io/table.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 512, INTEL = 84, DEC, MIPS, NAMES = 8 };

typedef struct reader {
    const char *path;
    const unsigned char *b;
    size_t size;
    int order;
    sn_err *err;
    size_t parameters, parameters_end; /* their records */
    /* header and parameters */
    int points, analog, per_frame; /* points, analog channels, samples of each in a frame */
    long frames;
    double scale, rate;
    int floats;
    size_t data, frame; /* where frames begin, bytes of one */
} reader;

/* What a parameter holds: n values of `length` bytes (-1: characters), in rows of `width`. */
typedef struct parameter {
    const unsigned char *at;
    size_t n, width;
    int length;
} parameter;

static sn_status bad(const reader *r, const char *what)
{
    return sn_fail(r->err, SN_ERR_INPUT, &(sn_mark){.file = r->path}, "is no marker file (C3D): %s", what);
}

/* ---- numbers ---- */

static unsigned word(const reader *r, const unsigned char *b)
{
    return r->order == MIPS ? (unsigned)(b[0] << 8 | b[1]) : (unsigned)(b[1] << 8 | b[0]);
}

static int integer(const reader *r, const unsigned char *b)
{
    unsigned x = word(r, b);
    return x < 0x8000u ? (int)x : (int)x - 0x10000;
}

static double real(const reader *r, const unsigned char *b)
{
    /* from the most significant byte on; DEC exchanges the words of a little-endian float, and its exponent
       is larger by 2 */
    static const int place[3][4] = {{3, 2, 1, 0}, {1, 0, 3, 2}, {0, 1, 2, 3}};
    const int *p = place[r->order - INTEL];
    uint32_t bits = (uint32_t)b[p[0]] << 24 | (uint32_t)b[p[1]] << 16 | (uint32_t)b[p[2]] << 8 | b[p[3]];
    float x;
    memcpy(&x, &bits, sizeof x);
    return r->order == DEC ? (double)x / 4 : (double)x;
}

/* ---- parameters ---- */

static int same_name(const unsigned char *b, size_t n, const char *name)
{
    if (n != strlen(name)) return 0;
    for (size_t k = 0; k < n; k++)
        if ((b[k] >= 'a' && b[k] <= 'z' ? b[k] - 32 : b[k]) != name[k]) return 0;
    return 1;
}

/* One record: its id, name, and where its contents and the next record are; 0: the end. */
typedef struct record {
    int id;
    const unsigned char *name;
    size_t n, contents, next;
} record;

static int take_record(const reader *r, size_t at, record *q)
{
    if (at + 2 > r->parameters_end) return 0;
    int count = (signed char)r->b[at];
    q->n = (size_t)(count < 0 ? -count : count), q->id = (signed char)r->b[at + 1];
    q->name = r->b + at + 2, q->contents = at + 2 + q->n + 2;
    if (!q->n || q->contents > r->parameters_end) return 0;
    unsigned offset = word(r, r->b + at + 2 + q->n);
    q->next = offset ? at + 2 + q->n + offset : r->parameters_end;
    return q->next > at;
}

static int group_id(const reader *r, const char *group)
{
    record q;
    for (size_t at = r->parameters; take_record(r, at, &q); at = q.next)
        if (q.id < 0 && same_name(q.name, q.n, group)) return -q.id;
    return 0;
}

/* 0: there is none, or it reaches beyond the section. */
static int find(const reader *r, const char *group, const char *name, parameter *p)
{
    int id = group_id(r, group);
    record q;
    *p = (parameter){.n = 0};
    for (size_t at = r->parameters; id && take_record(r, at, &q); at = q.next) {
        if (q.id != id || !same_name(q.name, q.n, name)) continue;
        size_t c = q.contents, room = r->parameters_end;
        if (c + 2 > room) return 0;
        int length = (signed char)r->b[c], dims = r->b[c + 1];
        size_t each = (size_t)(length < 0 ? -length : length), n = 1;
        c += 2;
        if (dims > 7 || c + (size_t)dims > room ||
            !(length == -1 || length == 1 || length == 2 || length == 4))
            return 0;
        for (int k = 0; k < dims; k++) n *= r->b[c + (size_t)k]; /* 255^7 has room */
        size_t width = dims ? r->b[c] : 1;
        c += (size_t)dims;
        if (n > (room - c) / each) return 0;
        *p = (parameter){r->b + c, n, width, length};
        return n > 0;
    }
    return 0;
}

static double value(const reader *r, const parameter *p, size_t i)
{
    const unsigned char *b = p->at + i * (size_t)(p->length < 0 ? 1 : p->length);
    if (p->length == 4) return real(r, b);
    if (p->length == 2) return integer(r, b);
    return p->length == 1 ? (double)*b : NAN;
}

/* The first number, or what is given. */
static double first(const reader *r, const char *group, const char *name, double otherwise)
{
    parameter p;
    if (!find(r, group, name, &p) || p.length < 0) return otherwise;
    double x = value(r, &p, 0);
    return isfinite(x) ? x : otherwise;
}

/* Text number i of LABELS, LABELS2 ...; n = 0: there is none. */
static const unsigned char *text(const reader *r, const char *group, const char *name, size_t i, size_t *n)
{
    char key[32];
    *n = 0;
    for (int more = 1; more < NAMES; more++) {
        parameter p;
        snprintf(key, sizeof key, more > 1 ? "%s%d" : "%s", name, more);
        if (!find(r, group, key, &p) || p.length != -1 || !p.width) return NULL;
        size_t count = p.n / p.width;
        if (i >= count) {
            i -= count;
            continue;
        }
        const unsigned char *b = p.at + i * p.width;
        size_t width = p.width;
        while (width && (b[width - 1] == ' ' || !b[width - 1])) width--;
        while (width && *b == ' ') b++, width--;
        for (size_t k = 0; k < width; k++)
            if (b[k] < 32) width = k; /* control characters end a name */
        *n = width;
        return b;
    }
    return NULL;
}

/* ---- the file ---- */

static sn_status read_order(reader *r)
{
    if (r->size < BLOCK || r->b[1] != 0x50) return bad(r, "its second byte is not 0x50");
    size_t at = (size_t)(r->b[0] - 1) * BLOCK;
    if (!r->b[0] || at + 4 > r->size) return bad(r, "its parameters lie behind its end");
    r->order = r->b[at + 3];
    if (r->order < INTEL || r->order > MIPS) return bad(r, "an unknown kind of processor");
    size_t blocks = r->b[at + 2] ? r->b[at + 2] : 1;
    r->parameters = at + 4;
    r->parameters_end = at + blocks * BLOCK < r->size ? at + blocks * BLOCK : r->size;
    return SN_OK;
}

/* Two words, low before high, whatever the order of bytes; or a float. */
static double wide(const reader *r, const char *group, const char *name)
{
    parameter p;
    if (!find(r, group, name, &p)) return NAN;
    if (p.length == 2 && p.n >= 2) return word(r, p.at) + 65536.0 * word(r, p.at + 2);
    if (p.length == 2) return word(r, p.at);
    return p.length == 4 ? real(r, p.at) : NAN;
}

/* Header and parameters may disagree, and 16 bits hold 65535 frames: the most that is stated and is there. */
static sn_status count_frames(reader *r)
{
    double stated[4] = {(double)word(r, r->b + 8) - word(r, r->b + 6) + 1, wide(r, "POINT", "FRAMES"),
                        wide(r, "POINT", "LONG_FRAMES"),
                        wide(r, "TRIAL", "ACTUAL_END_FIELD") - wide(r, "TRIAL", "ACTUAL_START_FIELD") + 1};
    size_t there = (r->size - r->data) / r->frame;
    double most = 0, least = INFINITY;
    for (int k = 0; k < 4; k++) {
        if (!(stated[k] >= 1) || !(stated[k] < 2e9)) continue;
        least = fmin(least, stated[k]);
        if (stated[k] <= (double)there) most = fmax(most, floor(stated[k]));
    }
    r->frames = (long)most;
    if (r->frames > 0) return SN_OK;
    if (!isfinite(least)) return bad(r, "it has no frames");
    return sn_fail(r->err, SN_ERR_INPUT, &(sn_mark){.file = r->path}, "ends after %ld of %ld frames",
                   (long)there, (long)least);
}

static sn_status read_head(reader *r)
{
    r->points = (int)word(r, r->b + 2), r->per_frame = (int)word(r, r->b + 18);
    int samples = (int)word(r, r->b + 4);
    r->analog = r->per_frame > 0 ? samples / r->per_frame : 0;
    if (samples && (!r->per_frame || samples % r->per_frame))
        return bad(r, "analog samples do not fit the frames");
    r->scale = first(r, "POINT", "SCALE", real(r, r->b + 12));
    r->rate = first(r, "POINT", "RATE", real(r, r->b + 20));
    r->floats = r->scale < 0;
    if (!isfinite(r->scale) || r->scale == 0) return bad(r, "the scale of its points is no number");
    if (!(r->rate > 0) || !isfinite(r->rate)) return bad(r, "it states no rate");
    if (!r->points && !r->analog) return bad(r, "it has neither points nor analog channels");
    size_t start = word(r, r->b + 16);
    if (!start) start = (size_t)fmax(first(r, "POINT", "DATA_START", 0), 0);
    r->data = start ? (start - 1) * BLOCK : r->size;
    r->frame = (size_t)(r->points * 4 + samples) * (r->floats ? 4 : 2);
    if (r->data >= r->size) return bad(r, "its frames lie behind its end");
    return count_frames(r);
}

static double sample(const reader *r, const unsigned char *b, size_t i)
{
    return r->floats ? real(r, b + 4 * i) : integer(r, b + 2 * i);
}

static sn_status name_columns(const reader *r, sn_table *t, double *factor)
{
    const char *si;
    size_t n;
    char own[24];
    const unsigned char *unit = text(r, "POINT", "UNITS", 0, &n);
    double to_si = sn_table_unit(t->arena, (const char *)unit, unit ? n : 0, &si);
    for (int p = 0; p < r->points; p++) {
        const unsigned char *label = text(r, "POINT", "LABELS", (size_t)p, &n);
        snprintf(own, sizeof own, "point%d", p + 1);
        SN_TRY(sn_table_marker(t, 1 + 3 * p, n ? (const char *)label : own, n ? n : strlen(own), r->err));
        for (int k = 0; k < 3; k++) t->units[1 + 3 * p + k] = si, factor[1 + 3 * p + k] = to_si;
    }
    for (int a = 0, col = 1 + 3 * r->points; a < r->analog; a++, col++) {
        const unsigned char *label = text(r, "ANALOG", "LABELS", (size_t)a, &n);
        snprintf(own, sizeof own, "analog%d", a + 1);
        SN_TRY(sn_table_name(t, col, n ? (const char *)label : own, n ? n : strlen(own), "", r->err));
        unit = text(r, "ANALOG", "UNITS", (size_t)a, &n);
        factor[col] = sn_table_unit(t->arena, (const char *)unit, unit ? n : 0, &t->units[col]);
    }
    return SN_OK;
}

/* (sample - offset) * scale * general scale; whether samples are unsigned */
static int analog_scale(const reader *r, int a, double *offset, double *scale)
{
    parameter p;
    char format[16] = "";
    size_t n;
    const unsigned char *f = text(r, "ANALOG", "FORMAT", 0, &n);
    if (f && n < sizeof format) memcpy(format, f, n);
    int is_unsigned = !strcmp(format, "UNSIGNED");
    *scale = first(r, "ANALOG", "GEN_SCALE", 1), *offset = 0;
    if (find(r, "ANALOG", "SCALE", &p) && p.length > 0 && (size_t)a < p.n) *scale *= value(r, &p, (size_t)a);
    if (find(r, "ANALOG", "OFFSET", &p) && p.length > 0 && (size_t)a < p.n)
        *offset =
            is_unsigned && p.length == 2 ? (double)word(r, p.at + 2 * (size_t)a) : value(r, &p, (size_t)a);
    return is_unsigned && !r->floats;
}

static void read_frames(const reader *r, sn_table *t, const double *factor)
{
    size_t rows = (size_t)t->csv->rows, per = r->analog ? (size_t)r->per_frame : 1;
    for (size_t k = 0; k < rows; k++) t->data[k] = (double)k / (r->rate * (double)per);
    for (size_t f = 0; f < (size_t)r->frames; f++) {
        const unsigned char *b = r->b + r->data + f * r->frame;
        for (size_t p = 0; p < (size_t)r->points; p++) {
            if (!(sample(r, b, 4 * p + 3) >= 0)) continue;
            for (size_t k = 0; k < 3; k++) {
                double x = sample(r, b, 4 * p + k) * (r->floats ? 1 : r->scale);
                if (isfinite(x)) t->data[(1 + 3 * p + k) * rows + f * per] = x * factor[1 + 3 * p + k];
            }
        }
    }
    for (int a = 0; a < r->analog; a++) {
        double offset, scale;
        size_t col = 1 + 3 * (size_t)r->points + (size_t)a;
        int is_unsigned = analog_scale(r, a, &offset, &scale);
        for (size_t k = 0; k < rows; k++) {
            const unsigned char *b = r->b + r->data + k / per * r->frame;
            double x = sample(r, b, 4 * (size_t)r->points + k % per * (size_t)r->analog + (size_t)a);
            if (is_unsigned && x < 0) x += 65536;
            x = (x - offset) * scale * factor[col];
            if (isfinite(x)) t->data[col * rows + k] = x;
        }
    }
}

static sn_status parse(reader *r, sn_arena *arena, sn_csv **out)
{
    SN_TRY(read_order(r));
    SN_TRY(read_head(r));
    sn_table t;
    double rows = (double)r->frames * (r->analog ? r->per_frame : 1);
    if (rows > 2e9) return bad(r, "it has too many samples");
    int cols = 1 + 3 * r->points + r->analog;
    SN_TRY(sn_table_new(arena, r->path, (int)rows, cols, &t, r->err));
    double *factor = sn_arena_alloc(arena, (size_t)cols, sizeof *factor);
    if (!factor) return SN_OUT_OF_MEM(r->err);
    SN_TRY(name_columns(r, &t, factor));
    read_frames(r, &t, factor);
    *out = t.csv;
    return SN_OK;
}

sn_status sn_c3d_read(const char *path, sn_arena *arena, sn_csv **out, sn_err *err)
{
    char *bytes;
    size_t size;
    *out = NULL;
    SN_TRY(sn_file_read(path, SN_CSV_MAX_MB << 20, &bytes, &size, err));
    reader r = {.path = path, .b = (const unsigned char *)bytes, .size = size, .order = INTEL, .err = err};
    sn_status s = parse(&r, arena, out);
    if (s) *out = NULL;
    sn_free(bytes);
    return s;
}
