/* The page of a comparison: the template share/compare.html with the title and compare.json in the places of
   @TITLE@ and @DATA@. */
#include "compare/cases.h"
#include "io/html.h"

static const unsigned char page_template[] = {
#include "compare_page.inc"
};

typedef struct page {
    const char *title, *json;
    size_t n;
} page;

static sn_status fill(sn_html *h, int word, void *ctx, sn_err *err)
{
    const page *p = ctx;
    return word == 0 ? sn_html_text(h, p->title, err) : sn_html_json(h, p->json, p->n, err);
}

sn_status sn_cases_page(const char *path, const char *title, const char *json, size_t n, sn_err *err)
{
    static const char *const words[] = {"@TITLE@", "@DATA@", NULL};
    page p = {title, json, n};
    return sn_html_write(path, &(sn_html_page){page_template, sizeof page_template, words, fill, &p}, err);
}
