/* Measured data in a page: the columns of a CSV file as sensors of one more result, which has no mechanism.
   The first column is the time. */
#include "view/block.h"

#include "io/csv.h"
#include "view/json.h"

#include <stdio.h>
#include <string.h>

static sn_status texts(sn_html *h, const char *path, int rows, sn_err *err)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    SN_TRY(sn_html_put(h, "\"title\":", 8, err));
    SN_TRY(sn_json_text(h, base, strlen(base), err));
    SN_TRY(sn_html_put(h, ",\"source\":", 10, err));
    SN_TRY(sn_json_text(h, base, strlen(base), err));
    SN_TRY(sn_html_put(h, ",\"file\":", 8, err));
    SN_TRY(sn_json_text(h, path, strlen(path), err));
    return sn_json_say(h, err,
                       ",\"analysis\":\"data\",\"command\":\"\",\"version\":\"\",\"status\":1,\"frames\":%d,"
                       "\"stride\":1,\"sights\":0,\"nq\":0,\"nv\":0,\"axis\":\"time\",\"unit\":\"s\","
                       "\"nodes\":[],\"elements\":[],\"joints\":[],\"shapes\":[],\"bodies\":[],\"sensors\":[",
                       rows);
}

static sn_status put(sn_html *h, const sn_view_source *s, const char *path, const sn_csv *csv, sn_err *err)
{
    SN_TRY(sn_json_say(h, err, "<script id=\"%sheader\" type=\"application/json\">{", s->prefix));
    SN_TRY(texts(h, path, csv->rows, err));
    for (int i = 1; i < csv->cols; i++) {
        SN_TRY(sn_json_say(h, err,
                           "%s{\"block\":\"c%d\",\"width\":1,\"kind\":\"data\",\"components\":null,"
                           "\"units\":null,\"name\":",
                           i > 1 ? "," : "", i));
        SN_TRY(sn_json_text(h, csv->names[i], strlen(csv->names[i]), err));
        SN_TRY(sn_html_put(h, "}", 1, err));
    }
    SN_TRY(sn_json_say(h, err, "]}</script>\n"));
    for (int i = 0; i < csv->cols; i++) {
        char id[24];
        snprintf(id, sizeof id, i ? "c%d" : "axis", i);
        SN_TRY(sn_view_open(h, s, id, err));
        for (int k = 0; k < csv->rows; k++)
            SN_TRY(sn_view_number(h, csv->data[(size_t)i * (size_t)csv->rows + (size_t)k], 0, err));
        SN_TRY(sn_view_close(h, err));
    }
    return SN_OK;
}

sn_status sn_view_data(sn_html *h, const char *prefix, const char *path, sn_err *err)
{
    const sn_view_source s = {.prefix = prefix};
    sn_arena arena = {0};
    sn_csv *csv = NULL;
    sn_status status = sn_csv_read(path, &arena, &csv, err);
    if (status == SN_OK && (!csv->names || csv->cols < 2))
        status = sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = path},
                         "needs a line of names: the time first, then sensors such as tip.x");
    if (status == SN_OK) status = put(h, &s, path, csv, err);
    sn_arena_free(&arena);
    return status;
}
