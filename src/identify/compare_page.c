/* The page of a comparison: what compare.json has, links to the reports, and data with the fits of all
   studies (docs/report.md). */
#include "identify/compare.h"
#include "identify/page.h"
#include "identify/text.h"
#include "identify/thin.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 2000, ALL_ROWS = 20000 };

/* The report as seen from the page: studies lie beside it or in its folder. */
static void put_report(sn_text *t, const sn_contender *x, const char *folder)
{
    size_t n = strlen(folder);
    const char *from = x->folder;
    char path[SN_PATH];
    if (!x->e || !from) {
        sn_text_add(t, "null");
        return;
    }
    if (!strncmp(from, folder, n) && from[n] == '/') from += n + 1;
    snprintf(path, sizeof path, "%s/report.html", from);
    sn_text_string(t, path);
}

/* Channel c of experiment k of the best study: the data, and what each study that was finished makes of it.
 */
static void put_channel(sn_text *t, const sn_comparison *a, int k, int c, const sn_rows_shown *shown)
{
    const sn_contender *best = &a->item[a->rank[0]];
    const sn_experiment *x = &best->s->experiment[k];
    const sn_column h = sn_column_get(best->s, x, c);
    sn_text_add(t, "%s{\"name\": ", c ? ", " : "");
    sn_text_string(t, h.name);
    sn_text_add(t, ", \"unit\": ");
    sn_text_string(t, h.unit ? h.unit : "");
    sn_thin_put(t, "data", shown, x->y + c, x->n_channel);
    sn_text_add(t, ", \"fits\": [");
    for (int i = 0; i < a->n; i++) {
        int own = sn_compare_channel(best->s, a->item[i].s, k, c), n = a->item[i].s->experiment[k].n_channel;
        sn_text_add(t, i ? ", [" : "[");
        sn_thin_list(t, shown, a->item[i].e->model[k] + own, n);
        sn_text_add(t, "]");
    }
    sn_text_add(t, "]}");
}

static sn_status put_experiment(sn_text *t, const sn_comparison *a, int k, sn_err *err)
{
    static const char *const sorts[] = {"time_series", "modes", "frf"};
    const sn_contender *best = &a->item[a->rank[0]];
    const sn_experiment *x = &best->s->experiment[k];
    sn_rows_shown shown = {0};
    int most = ALL_ROWS / best->s->n_experiment;
    if (!SN_NEW(shown.row, x->n + 1)) return SN_OUT_OF_MEM(err);
    sn_status status =
        sn_thin(x, best->e->residual[k], most < MOST_ROWS ? most : MOST_ROWS, shown.row, &shown.n, err);
    sn_text_add(t, "%s{\"name\": ", k ? ", " : "");
    sn_text_string(t, x->name);
    sn_text_add(t, ", \"sort\": \"%s\", \"hold_out\": %s", sorts[x->sort], x->hold_out ? "true" : "false");
    sn_thin_put(t, "t", &shown, x->t, 1);
    sn_text_add(t, ", \"channels\": [");
    for (int c = 0; c < x->n_channel; c++) put_channel(t, a, k, c, &shown);
    sn_text_add(t, "]}");
    sn_free(shown.row);
    return status;
}

sn_status sn_comparison_page(const sn_comparison *a, const char *json, const char *folder, sn_err *err)
{
    char path[SN_PATH], title[60];
    const char *end = strrchr(json, '}'); /* of the whole: more members follow */
    sn_status status = SN_OK;
    sn_text t = {0};
    sn_text_add(&t, "%.*s, \"page\": \"comparison\", \"reports\": [", (int)(end - json), json);
    for (int i = 0; i < a->n_given; i++) {
        if (i) sn_text_add(&t, ", ");
        put_report(&t, &a->item[i], folder);
    }
    sn_text_add(&t, "], \"experiments\": [");
    for (int k = 0; !status && a->n && k < a->item[0].s->n_experiment; k++)
        status = put_experiment(&t, a, k, err);
    sn_text_add(&t, "]}");
    if (!status && t.failed) status = SN_OUT_OF_MEM(err);
    snprintf(path, sizeof path, "%s/compare.html", folder);
    snprintf(title, sizeof title, "Comparison of %d studies", a->n_given);
    if (!status) status = sn_page_write(path, title, t.text, t.n, NULL, NULL, err);
    sn_free(t.text);
    return status;
}
