#include "identify/thin.h"
#include "identify/text.h"

#include <math.h>

/* Of the rows from .. to those where a channel is smallest, largest, and off most. */
static void mark_extremes(const sn_experiment *x, const double *residual, int c, int from, int to,
                          unsigned char *keep)
{
    int at[3] = {-1, -1, -1};
    for (int i = from; i < to; i++) {
        int k = i * x->n_channel + c;
        if (isnan(x->y[k])) continue;
        if (at[0] < 0 || x->y[k] < x->y[at[0] * x->n_channel + c]) at[0] = i;
        if (at[1] < 0 || x->y[k] > x->y[at[1] * x->n_channel + c]) at[1] = i;
        if (at[2] < 0 || fabs(residual[k]) > fabs(residual[at[2] * x->n_channel + c])) at[2] = i;
    }
    for (int j = 0; j < 3; j++)
        if (at[j] >= 0) keep[at[j]] = 1;
}

sn_status sn_thin(const sn_experiment *x, const double *residual, int most, int *row, int *n, sn_err *err)
{
    unsigned char *keep = NULL;
    int parts = most / (3 * (x->n_channel > 0 ? x->n_channel : 1)), all = x->n <= most;
    if (parts < 100) parts = 100;
    if (!all && !SN_NEW(keep, x->n)) return SN_OUT_OF_MEM(err);
    for (int p = 0; !all && p < parts; p++) {
        int from = (int)((double)x->n * p / parts), to = (int)((double)x->n * (p + 1) / parts);
        for (int c = 0; c < x->n_channel; c++) mark_extremes(x, residual, c, from, to, keep);
    }
    if (!all) keep[0] = keep[x->n - 1] = 1;
    *n = 0;
    for (int i = 0; i < x->n; i++)
        if (all || keep[i]) row[(*n)++] = i;
    sn_free(keep);
    return SN_OK;
}

void sn_thin_list(sn_text *t, const sn_rows_shown *v, const double *x, int stride)
{
    for (int i = 0; i < v->n; i++) {
        if (i) sn_text_add(t, ",");
        sn_text_number(t, x[(size_t)v->row[i] * (size_t)stride]);
    }
}

void sn_thin_put(sn_text *t, const char *key, const sn_rows_shown *v, const double *x, int stride)
{
    sn_text_add(t, ", \"%s\": [", key);
    sn_thin_list(t, v, x, stride);
    sn_text_add(t, "]");
}
