/* Exporting a result as CSV: one line a frame, numbers with 17 digits, so that they are read back exactly. */
#include "io/result.h"

#include "sinew/sinew.h"

#include "io/atomic.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char sensors[] = "/sensors/", fields[] = "/fields/";

static int begins(const sn_result_column *c, const char *with)
{
    return strncmp(c->path, with, strlen(with)) == 0;
}

/* Fields are for pictures: thousands of columns that nobody looks at one by one. */
static int wanted(const sn_result_column *c, int all)
{
    return begins(c, sensors) || (all && !begins(c, fields));
}

/* One cell of text: quoted where it holds what would end it; '/' of paths becomes '.'. */
static void put_cell(FILE *f, const char *path, const char *component, int index)
{
    char number[16] = "";
    if (index >= 0) snprintf(number, sizeof number, "%d", index);
    const char *part[] = {path, component && component[0] ? component : number};
    int quote = strpbrk(part[0], ",\"\r\n") || strpbrk(part[1], ",\"\r\n");
    if (quote) fputc('"', f);
    for (int k = 0; k < 2; k++) {
        if (k == 1 && part[1][0] && part[0][0]) fputc('.', f);
        for (const char *p = part[k]; *p; p++) {
            if (*p == '"') fputc('"', f);
            fputc(k == 0 && *p == '/' ? '.' : *p, f);
        }
    }
    if (quote) fputc('"', f);
}

/* "/time" is written as t, any other coordinate by its last name. */
static const char *coordinate_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return strcmp(name, "time") == 0 ? "t" : name;
}

static void put_names(FILE *f, const sn_result_reader *r, int all)
{
    put_cell(f, coordinate_name(sn_result_reader_frame_name(r, NULL)), NULL, -1);
    for (int i = 0; i < sn_result_reader_columns(r); i++) {
        const sn_result_column *c = sn_result_reader_column(r, i);
        if (!wanted(c, all)) continue;
        const char *name = wanted(c, 0) ? c->path + strlen(sensors) : c->path + 1;
        for (int k = 0; k < c->width; k++) {
            fputc(',', f);
            put_cell(f, name, c->components ? c->components[k] : NULL, c->width > 1 ? k : -1);
        }
    }
    fputc('\n', f);
}

static void put_units(FILE *f, const sn_result_reader *r, int all)
{
    const char *unit;
    sn_result_reader_frame_name(r, &unit);
    fputs("# ", f);
    put_cell(f, "", unit, -1);
    for (int i = 0; i < sn_result_reader_columns(r); i++) {
        const sn_result_column *c = sn_result_reader_column(r, i);
        for (int k = 0; k < c->width && wanted(c, all); k++) {
            fputc(',', f);
            put_cell(f, "", c->units ? c->units[k] : NULL, -1);
        }
    }
    fputc('\n', f);
}

static void put_number(FILE *f, double x)
{
    if (isnan(x))
        fputs("nan", f);
    else
        fprintf(f, "%.17g", x == 0 ? 0 : x);
}

/* Numbers in one line, the coordinate included; 1 when nothing is wanted. */
static int line_width(const sn_result_reader *r, int all)
{
    int n = 1;
    for (int i = 0; i < sn_result_reader_columns(r); i++)
        if (wanted(sn_result_reader_column(r, i), all)) n += sn_result_reader_column(r, i)->width;
    return n;
}

/* A block of frames: column after column is read, then line after line written. */
static sn_status put_block(FILE *f, sn_result_reader *r, int all, int first, int count, double *x,
                           sn_err *err)
{
    size_t at = (size_t)count;
    SN_TRY(sn_result_reader_get(r, -1, first, count, x, err));
    for (int i = 0; i < sn_result_reader_columns(r); i++) {
        const sn_result_column *c = sn_result_reader_column(r, i);
        if (!wanted(c, all)) continue;
        SN_TRY(sn_result_reader_get(r, i, first, count, x + at, err));
        at += (size_t)count * (size_t)c->width;
    }
    for (int line = 0; line < count; line++) {
        put_number(f, x[line]);
        at = (size_t)count;
        for (int i = 0; i < sn_result_reader_columns(r); i++) {
            const sn_result_column *c = sn_result_reader_column(r, i);
            if (!wanted(c, all)) continue;
            for (int k = 0; k < c->width; k++) {
                fputc(',', f);
                put_number(f, x[at + (size_t)line * (size_t)c->width + (size_t)k]);
            }
            at += (size_t)count * (size_t)c->width;
        }
        fputc('\n', f);
    }
    return SN_OK;
}

static sn_status put_all(FILE *f, const char *name, sn_result_reader *r, int all, int units, sn_err *err)
{
    enum { BLOCK_BYTES = 1 << 20 };
    const int frames = sn_result_reader_frames(r);
    size_t row = (size_t)line_width(r, all) * sizeof(double);
    int block = row < BLOCK_BYTES ? (int)(BLOCK_BYTES / row) : 1;
    double *x = sn_alloc((size_t)block, row);
    if (!x) return SN_OUT_OF_MEM(err);
    locale_t point = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(point);
    sn_status s = SN_OK;
    put_names(f, r, all);
    if (units) put_units(f, r, all);
    for (int k = 0; k < frames && s == SN_OK && !ferror(f); k += block)
        s = put_block(f, r, all, k, frames - k < block ? frames - k : block, x, err);
    if (s == SN_OK && (fflush(f) != 0 || ferror(f)))
        s = sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = name}, "cannot be written: %s", strerror(errno));
    uselocale(before);
    if (point) freelocale(point);
    sn_free(x);
    return s;
}

/* Pipes and devices are written directly. */
static sn_status export_direct(sn_result_reader *r, const char *path, int all, int units, sn_err *err)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = path}, "cannot be written: %s", strerror(errno));
    sn_status s = put_all(f, path, r, all, units, err);
    if (fclose(f) != 0 && s == SN_OK)
        s = sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = path}, "cannot be written: %s", strerror(errno));
    return s;
}

sn_status sn_result_export_csv(sn_result_reader *r, const char *path, int all, int units, sn_err *err)
{
    struct stat st;
    if (line_width(r, all) == 1)
        return sn_fail(err, SN_ERR_INPUT, NULL, "%s",
                       line_width(r, 1) > 1
                           ? "the result has no sensors to export; export all to get its states"
                           : "the result has nothing to export");
    if (!path || strcmp(path, "-") == 0) return put_all(stdout, "standard output", r, all, units, err);
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return export_direct(r, path, all, units, err);
    const char *input = sn_result_reader_path(r);
    sn_atomic file;
    SN_TRY(sn_output_check(path, 1, &input, err));
    SN_TRY(sn_atomic_begin(&file, path, err));
    int fd = dup(file.fd);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    sn_status s;
    if (f) {
        s = put_all(f, path, r, all, units, err);
        if (fclose(f) != 0 && s == SN_OK)
            s = sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = path}, "cannot be written: %s", strerror(errno));
    } else {
        s = sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = path}, "cannot be written: %s", strerror(errno));
        if (fd >= 0) close(fd);
    }
    if (s == SN_OK) s = sn_atomic_commit(&file, err);
    sn_atomic_end(&file);
    return s;
}
