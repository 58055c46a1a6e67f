/* The report page: the template with the title, the study and its mechanisms in the places of @TITLE@,
   @STUDY@ and @MOTION@. */
#include "identify/page.h"

static const unsigned char page_template[] = {
#include "report_page.inc"
};

typedef struct page {
    const char *title, *json;
    size_t n;
    sn_page_motion motion;
    void *ctx;
} page;

static sn_status fill(sn_html *h, int word, void *ctx, sn_err *err)
{
    const page *p = ctx;
    if (word == 0) return sn_html_text(h, p->title, err);
    if (word == 1) return sn_html_json(h, p->json, p->n, err);
    return p->motion ? p->motion(h, p->ctx, err) : SN_OK;
}

sn_status sn_page_write(const char *path, const char *title, const char *json, size_t n,
                        sn_page_motion motion, void *ctx, sn_err *err)
{
    static const char *const words[] = {"@TITLE@", "@STUDY@", "@MOTION@", NULL};
    page p = {title, json, n, motion, ctx};
    return sn_html_write(path, &(sn_html_page){page_template, sizeof page_template, words, fill, &p}, err);
}
