/* The report page: the template with the title and the study in the places of @TITLE@ and @STUDY@. */
#include "identify/page.h"

#include "io/html.h"

static const unsigned char page_template[] = {
#include "report_page.inc"
};

typedef struct study_text {
    const char *title, *json;
    size_t n;
} study_text;

static sn_status fill(sn_html *h, int word, void *ctx, sn_err *err)
{
    const study_text *t = ctx;
    return word == 0 ? sn_html_text(h, t->title, err) : sn_html_json(h, t->json, t->n, err);
}

sn_status sn_page_write(const char *path, const char *title, const char *json, size_t n, sn_err *err)
{
    static const char *const words[] = {"@TITLE@", "@STUDY@", NULL};
    study_text t = {title, json, n};
    return sn_html_write(path, page_template, sizeof page_template, words, fill, &t, err);
}
