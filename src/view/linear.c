/* The linear system of a result, for plots of frequency responses and poles: the interface Linear of
   web/src/data.ts. */
#include "view/block.h"
#include "view/json.h"

#include <string.h>

enum { MOST = 600 }; /* states: more would make a page of many megabytes */

/* A list, where there are none an empty one. */
static sn_status texts(sn_html *h, const char *const *text, int n, sn_err *err)
{
    static const char *const none[1] = {NULL};
    return sn_json_texts(h, text ? text : none, text ? n : 0, err);
}

static sn_status matrix(sn_html *h, const sn_view_source *s, const char *key, const char *path, sn_err *err)
{
    sn_result_table t;
    SN_TRY(sn_result_reader_table(s->in, path, &t, err));
    SN_TRY(sn_json_say(h, err, ",\"%s\":", key));
    return sn_json_numbers(h, t.data, t.rows * t.cols, err);
}

/* The rows' names of a table, and the units that are with it. */
static sn_status names(sn_html *h, const sn_view_source *s, const char *key, const char *path, sn_err *err)
{
    sn_result_table t;
    const char *const *unit;
    int n;
    SN_TRY(sn_result_reader_table(s->in, path, &t, err));
    SN_TRY(sn_result_reader_label(s->in, path, "units", &n, &unit, err));
    SN_TRY(sn_json_say(h, err, ",\"%s\":", key));
    SN_TRY(texts(h, t.row_names, t.rows, err));
    SN_TRY(sn_json_say(h, err, ",\"%s_units\":", key));
    return texts(h, unit, n, err);
}

static sn_status columns(sn_html *h, const sn_view_source *s, sn_err *err)
{
    static const char *const label[] = {"columns", "units"}, *const key[] = {"inputs", "inputs_units"};
    for (int i = 0; i < 2; i++) {
        const char *const *text;
        int n;
        SN_TRY(sn_result_reader_label(s->in, "/linear/B", label[i], &n, &text, err));
        SN_TRY(sn_json_say(h, err, ",\"%s\":", key[i]));
        SN_TRY(texts(h, text, n, err));
    }
    return SN_OK;
}

sn_status sn_view_linear(sn_html *h, const sn_view_source *s, sn_err *err)
{
    sn_result_table A, spin;
    SN_TRY(sn_result_reader_table(s->in, "/linear/A", &A, err));
    SN_TRY(sn_result_reader_table(s->in, "/linear/axes_spin", &spin, err));
    if (!spin.data || !A.row_names || A.rows > MOST || s->fields == SN_FIELDS_NONE)
        return sn_json_say(h, err, ",\"linear\":null");
    const char *const *about;
    int n;
    SN_TRY(sn_json_say(h, err, ",\"linear\":{\"n\":%d", A.rows));
    SN_TRY(sn_result_reader_label(s->in, "/linear/axes_spin", "about", &n, &about, err));
    SN_TRY(sn_json_say(h, err, ",\"about\":"));
    SN_TRY(sn_json_text(h, n ? about[0] : "", n ? strlen(about[0]) : 0, err));
    SN_TRY(names(h, s, "states", "/linear/A", err));
    SN_TRY(columns(h, s, err));
    SN_TRY(names(h, s, "outputs", "/linear/C", err));
    SN_TRY(matrix(h, s, "A", "/linear/A", err));
    SN_TRY(matrix(h, s, "B", "/linear/B", err));
    SN_TRY(matrix(h, s, "C", "/linear/C", err));
    SN_TRY(matrix(h, s, "D", "/linear/D", err));
    SN_TRY(matrix(h, s, "order", "/linear/order", err));
    SN_TRY(matrix(h, s, "poles", "/linear/poles", err));
    return sn_html_put(h, "}", 1, err);
}
