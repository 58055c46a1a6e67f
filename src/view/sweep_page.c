/* The page of a sweep: the template share/sweep.html with the title and the arrays of the result in JSON in
   the places of @TITLE@ and @DATA@. */
#include "view/sweep_page.h"
#include "io/html.h"
#include "view/json.h"

#include <string.h>

static const unsigned char page_template[] = {
#include "sweep_page.inc"
};

static const char *title_of(sn_result_reader *in)
{
    const char *title = sn_result_reader_text(in, "@title");
    return title && *title ? title : sn_result_reader_path(in);
}

static sn_status text(sn_html *h, sn_result_reader *in, const char *name, sn_err *err)
{
    const char *x = sn_result_reader_text(in, name);
    SN_TRY(sn_json_say(h, err, "\"%s\": ", name + 1));
    SN_TRY(sn_json_text(h, x ? x : "", x ? strlen(x) : 0, err));
    return sn_json_say(h, err, ", ");
}

static sn_status array(sn_html *h, sn_result_reader *in, const char *path, const char *name, sn_err *err)
{
    sn_result_table t;
    SN_TRY(sn_result_reader_table(in, path, &t, err));
    SN_TRY(sn_json_say(h, err, "\"%s\": ", name));
    SN_TRY(sn_json_numbers(h, t.data, t.rows * t.cols, err));
    return sn_json_say(h, err, ", ");
}

static sn_status fill(sn_html *h, int word, void *ctx, sn_err *err)
{
    sn_result_reader *in = ctx;
    int n = 0;
    const char *const *mode;
    if (word == 0) return sn_html_text(h, title_of(in), err);
    SN_TRY(sn_json_say(h, err, "{"));
    SN_TRY(text(h, in, "@parameter", err));
    SN_TRY(text(h, in, "@spin", err));
    SN_TRY(text(h, in, "@axes", err));
    SN_TRY(text(h, in, "@command", err));
    SN_TRY(array(h, in, "/sweep/branches", "branches", err));
    SN_TRY(array(h, in, "/sweep/points", "points", err));
    SN_TRY(array(h, in, "/sweep/lines", "lines", err));
    SN_TRY(sn_result_reader_label(in, "/sweep/number", "modes", &n, &mode, err));
    SN_TRY(sn_json_say(h, err, "\"modes\": "));
    SN_TRY(sn_json_texts(h, mode, n, err));
    return sn_json_say(h, err, ", \"whole\": %d}", sn_result_reader_status(in) == SN_RESULT_COMPLETE);
}

sn_status sn_sweep_page(sn_result_reader *in, const char *page, sn_err *err)
{
    static const char *const words[] = {"@TITLE@", "@DATA@", NULL};
    return sn_html_write(page, &(sn_html_page){page_template, sizeof page_template, words, fill, in}, err);
}
