/* Fields of a result as a reader sees them. The file is trusted in nothing. */
#include "io/result_field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char fields[] = "/fields/";

const char *sn_result_field_name(const sn_result_column *c)
{
    return strncmp(c->path, fields, sizeof fields - 1) == 0 ? c->path + sizeof fields - 1 : NULL;
}

static sn_status text(sn_result_reader *r, const char *path, const char *name, const char **out, sn_err *err)
{
    const char *const *list;
    int n;
    SN_TRY(sn_result_reader_label(r, path, name, &n, &list, err));
    *out = n == 1 ? list[0] : "";
    return SN_OK;
}

/* Whether the points of all rows make up the width of the column. */
static int fits(const sn_result_table *t, int n, int width)
{
    double sum = 0;
    for (int i = 0; t->cols == 2 && i < t->rows; i++) {
        double points = t->data[2 * i + 1];
        if (!(points >= 1) || points != floor(points)) return 0;
        sum += n * points;
    }
    return t->rows > 0 && t->cols == 2 && sum == width;
}

sn_status sn_result_field_read(sn_result_reader *r, int column, sn_result_field *out, sn_err *err)
{
    const sn_result_column *c = sn_result_reader_column(r, column);
    const sn_mark mark = {.file = sn_result_reader_path(r)};
    const char *of, *style;
    char path[256];
    sn_result_table t;
    *out = (sn_result_field){.name = c ? sn_result_field_name(c) : NULL};
    if (!out->name) return sn_fail(err, SN_ERR_INPUT, NULL, "column %d is no field", column);
    if (snprintf(path, sizeof path, "/model%s", c->path) >= (int)sizeof path)
        return sn_fail(err, SN_ERR_FILE, &mark, "damaged: the name of dataset '%s' is too long", c->path);
    SN_TRY(sn_result_reader_table(r, path, &t, err));
    SN_TRY(sn_result_reader_label(r, path, "components", &out->n, &out->component, err));
    SN_TRY(text(r, path, "doc", &out->doc, err));
    SN_TRY(text(r, path, "of", &of, err));
    SN_TRY(text(r, path, "style", &style, err));
    out->unit = t.unit, out->rows = t.rows, out->row = t.data;
    out->joints = strcmp(of, "joints") == 0;
    out->style = strcmp(style, "force") == 0    ? SN_STYLE_FORCE
                 : strcmp(style, "signed") == 0 ? SN_STYLE_SIGNED
                                                : SN_STYLE_PLAIN;
    if (fits(&t, out->n, c->width) && (out->style != SN_STYLE_FORCE || out->n == 3 || out->n == 6))
        return SN_OK;
    return sn_fail(err, SN_ERR_FILE, &mark, "damaged: dataset '%s' does not fit '%s'", path, c->path);
}
