/* Noise of modes and frequency responses. */
#include "identify/read_modal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a percentage of noise is of: of a shape its largest number, of a response its amplitude. */
static double size_of(const sn_experiment *e, int row, int c)
{
    const sn_modal_column *q = e->modal->column;
    double top = 0, sum = 0;
    for (int k = 0; k < e->n_channel; k++) {
        double y = e->y[row * e->n_channel + k];
        if (isnan(y)) continue;
        if (sn_is_shape(q[k].kind)) top = fmax(top, fabs(y));
        if (q[k].kind >= SN_COLUMN_RE && q[k].sensor == q[c].sensor && q[k].input == q[c].input) sum += y * y;
    }
    return sn_is_shape(q[c].kind)      ? top
           : q[c].kind >= SN_COLUMN_RE ? sqrt(sum)
                                       : fabs(e->y[row * e->n_channel + c]);
}

static void set_noise(const sn_modal_reading *r, int c, double x, int relative)
{
    const sn_experiment *e = r->e;
    double most = 0;
    for (int i = 0; i < r->rows; i++) most = fmax(most, size_of(e, i, c));
    for (int i = 0; i < r->rows; i++)
        r->sigma[i * e->n_channel + c] = relative ? x * fmax(size_of(e, i, c), 1e-6 * most) : x;
    e->known[c] = 1;
}

/* Does a name of the noise's map mean column c? */
static int means(const sn_modal_reading *r, const char *name, int c)
{
    const sn_modal_column *q = &r->e->modal->column[c];
    char text[300];
    if (!strcmp(name, q->name) || (sn_is_shape(q->kind) && !strcmp(name, "shape"))) return 1;
    if (q->sensor < 0) return 0;
    sn_channel h = sn_channel_get(r->s->model, r->e->modal->sensor[q->sensor]);
    snprintf(text, sizeof text, "%s.%s", h.sensor, h.component);
    if (!strcmp(name, text)) return 1;
    if (q->input >= 0)
        snprintf(text, sizeof text, "%s.%s/%s", h.sensor, h.component, r->e->modal->input_name[q->input]);
    return !strcmp(name, text);
}

static sn_status one_noise(const sn_modal_reading *r, const sn_item *i, const char *name, sn_err *err)
{
    double x = 0;
    int used = 0, relative = strchr(i->text ? i->text : "", '%') != NULL, estimated = 0;
    if (i->type == SN_ITEM_SCALAR && !strcmp(i->text, "estimated")) {
        if (r->e->sort == SN_MODES)
            return sn_fail(err, SN_ERR_INPUT, &i->mark,
                           "modes are too few to estimate their noise: state it, as frequency: 0.2 %%");
        estimated = 1;
    } else
        SN_TRY(sn_read_number(&r->s->arena, i, &x, err));
    if (!estimated && !(x > 0 && isfinite(x)))
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "the noise must be positive");
    for (int c = 0; c < r->e->n_channel; c++) {
        int kind = r->e->modal->column[c].kind;
        int all = !name && (r->e->sort == SN_FRF || kind <= SN_COLUMN_NATURAL);
        if (!all && !(name && means(r, name, c))) continue;
        if (!estimated) set_noise(r, c, x, relative);
        used = 1;
    }
    return used ? SN_OK
                : sn_fail(err, SN_ERR_INPUT, &i->key_mark, "'%s' is not measured in experiment '%s'",
                          name ? name : "", r->e->name);
}

/* What can be seen of it: what a line through the neighbours leaves of each number, as of time series. */
static double seen(const sn_modal_reading *r, int c)
{
    const sn_experiment *e = r->e;
    double sum = 0, n = 0, size = 0, all = 0;
    for (int i = 0; i < r->rows; i++) {
        double y = e->y[i * e->n_channel + c];
        if (!isnan(y)) size += y * y, all++;
        if (i < 1 || i + 1 >= r->rows) continue;
        double d = y - 0.5 * (e->y[(i - 1) * e->n_channel + c] + e->y[(i + 1) * e->n_channel + c]);
        if (!isnan(d)) sum += d * d / 1.5, n++;
    }
    return fmax(n > 0 ? sqrt(sum / n) : 0, 1e-3 * (size > 0 ? sqrt(size / all) : 1));
}

sn_status sn_modal_read_noise(sn_modal_reading *r, sn_err *err)
{
    static const double assumed[] = {0.005, 0.005, 0.1, 0.03, 0.03, 0.03};
    sn_experiment *e = r->e;
    const sn_item *noise = sn_item_get(r->own, "noise");
    if (!noise && r->source->type == SN_ITEM_MAP) noise = sn_item_get(r->source, "noise");
    e->sigma = sn_modal_take(r, (size_t)e->n_channel, sizeof *e->sigma);
    e->known = sn_modal_take(r, (size_t)e->n_channel, 1);
    e->relative = sn_modal_take(r, (size_t)r->rows * (size_t)e->n_channel, sizeof *e->relative);
    e->modal->assumed = sn_modal_take(r, (size_t)e->n_channel, 1);
    if (!e->sigma || !e->known || !e->relative || !e->modal->assumed) return SN_OUT_OF_MEM(err);
    for (int c = 0; c < e->n_channel; c++) e->known[c] = (unsigned char)(isnan(r->sigma[c]) ? 0 : 1);
    if (noise && noise->type == SN_ITEM_SCALAR) SN_TRY(one_noise(r, noise, NULL, err));
    for (const sn_item *i = noise && noise->type == SN_ITEM_MAP ? noise->child : NULL; i; i = i->next)
        SN_TRY(one_noise(r, i, i->key, err));
    for (int c = 0; c < e->n_channel; c++) {
        int kind = e->modal->column[c].kind;
        double sum = 0;
        if (!e->known[c] && e->sort == SN_MODES)
            set_noise(r, c, assumed[kind], 1), e->modal->assumed[c] = 1;
        else if (!e->known[c])
            set_noise(r, c, seen(r, c), 0), e->known[c] = 0;
        for (int i = 0; i < r->rows; i++) sum += pow(r->sigma[i * e->n_channel + c], 2);
        e->sigma[c] = sqrt(sum / r->rows);
        for (int i = 0; i < r->rows; i++)
            e->relative[i * e->n_channel + c] = r->sigma[i * e->n_channel + c] / e->sigma[c];
    }
    return SN_OK;
}
