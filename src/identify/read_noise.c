/* What a study says of the noise: standard deviations, what follows what in time, and a discrepancy. */
#include "identify/read.h"

#include <math.h>
#include <string.h>

/* ---- its size ---- */

/* The noise that can be seen in a channel: what a line through the neighbours leaves of each sample (Gasser,
   Sroka and Jennen-Steinmetz, Residual variance and residual pattern in nonlinear regression, 1986). It is
   too much where the signal bends between samples. */
static double noise_seen(const sn_experiment *e, int c)
{
    double sum = 0, n = 0, t[3] = {0}, y[3] = {0};
    int have = 0;
    for (int i = 0; i < e->n; i++) {
        if (isnan(e->y[i * e->n_channel + c])) continue;
        for (int k = 0; k < 2; k++) t[k] = t[k + 1], y[k] = y[k + 1];
        t[2] = e->t[i], y[2] = e->y[i * e->n_channel + c];
        if (++have < 3) continue;
        double a = (t[2] - t[1]) / (t[2] - t[0]), b = 1 - a, d = y[1] - a * y[0] - b * y[2];
        sum += d * d / (1 + a * a + b * b), n++;
    }
    return n > 0 ? sqrt(sum / n) : 0;
}

static sn_status read_size(sn_study *s, sn_experiment *e, const sn_item *noise, sn_err *err)
{
    e->sigma = sn_arena_alloc(&s->arena, (size_t)e->n_channel, sizeof *e->sigma);
    e->known = sn_arena_alloc(&s->arena, (size_t)e->n_channel, 1);
    if (!e->sigma || !e->known) return SN_OUT_OF_MEM(err);
    for (int c = 0; c < e->n_channel; c++) {
        /* until it is estimated from residuals: what is seen of it, or a thousandth of the signal's changes
         */
        double mean = 0, square = 0, n = 0;
        for (int i = 0; i < e->n; i++) {
            double y = e->y[i * e->n_channel + c];
            if (!isnan(y)) n++, mean += y, square += y * y;
        }
        double spread = sqrt(fmax(square / n - mean / n * mean / n, 0));
        double size = n > 1 && spread > 0 ? spread : mean != 0 ? fabs(mean) : 1;
        e->sigma[c] = fmax(noise_seen(e, c), 1e-3 * size);
    }
    if (noise && noise->type == SN_ITEM_SCALAR && !strcmp(noise->text, "estimated")) return SN_OK;
    if (noise && noise->type != SN_ITEM_MAP)
        return sn_fail(err, SN_ERR_INPUT, &noise->mark,
                       "noise is 'estimated' or {sensor.component: standard deviation, ...}");
    for (const sn_item *i = noise ? noise->child : NULL; i; i = i->next) {
        int channel, before = sn_err_count(err), used = 0;
        double x = 0;
        sn_status status = sn_channel_find(s->model, i->key, &channel, err);
        sn_err_place(err, before, &i->key_mark);
        SN_TRY(status);
        if (i->type == SN_ITEM_SCALAR && !strcmp(i->text, "estimated")) continue;
        SN_TRY(sn_read_unit(&s->arena, i, sn_channel_get(s->model, channel).unit, &x, err));
        if (!(x > 0))
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "the noise of '%s' must be positive", i->key);
        for (int c = 0; c < e->n_channel; c++)
            if (e->channel[c] == channel) e->sigma[c] = x, e->known[c] = 1, used = 1;
        if (!used)
            return sn_fail(err, SN_ERR_INPUT, &i->key_mark, "'%s' is not measured in experiment '%s'", i->key,
                           e->name);
    }
    return SN_OK;
}

/* ---- what it is like ---- */

/* white, ar or {ar: 3} of one channel, or of all. */
static sn_status read_kind(sn_study *s, const sn_item *i, sn_channel_noise *out, sn_err *err)
{
    double order = 0;
    *out = (sn_channel_noise){.kind = SN_NOISE_AR, .m = sn_noise_white(1)};
    if (i->type == SN_ITEM_MAP && sn_item_get(i, "ar")) {
        SN_TRY(sn_read_keys(i, sn_keys_noise_model, "noise_model", err));
        const sn_item *n = sn_item_get(i, "ar");
        SN_TRY(sn_read_unit(&s->arena, n, "1", &order, err));
        if (!(order >= 1 && order <= SN_AR_MOST) || order != floor(order))
            return sn_fail(err, SN_ERR_INPUT, &n->mark, "the order of an autoregression is 1 to %d",
                           SN_AR_MOST);
        out->order = (int)order;
        return SN_OK;
    }
    if (i->type == SN_ITEM_SCALAR && !strcmp(i->text, "white")) out->kind = SN_NOISE_WHITE;
    if (i->type == SN_ITEM_SCALAR && (!strcmp(i->text, "white") || !strcmp(i->text, "ar"))) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, &i->mark,
                   "a noise model is 'white', 'ar', {ar: order}, or one of them for each channel: "
                   "{sensor.component: ar, ...}");
}

static sn_status read_answer(sn_study *s, const sn_item *i, sn_channel_noise *out, sn_err *err)
{
    int yes = i->type == SN_ITEM_SCALAR && (!strcmp(i->text, "yes") || !strcmp(i->text, "true"));
    int no = i->type == SN_ITEM_SCALAR && (!strcmp(i->text, "no") || !strcmp(i->text, "false"));
    (void)s;
    *out = (sn_channel_noise){.kind = yes ? SN_NOISE_DISCREPANCY : SN_NOISE_WHITE, .m = sn_noise_white(1)};
    if (yes || no) return SN_OK;
    return sn_fail(
        err, SN_ERR_INPUT, &i->mark,
        "a discrepancy is 'yes', 'no', or one of them for each channel: {sensor.component: yes, ...}");
}

typedef sn_status read_fn(sn_study *s, const sn_item *i, sn_channel_noise *out, sn_err *err);

/* The channel becomes it, unless it is something else already. */
static sn_status put(sn_experiment *e, int c, const sn_channel_noise *q, const sn_item *i, sn_err *err)
{
    if (q->kind == SN_NOISE_WHITE) return SN_OK;
    if (e->noise[c].kind)
        return sn_fail(err, SN_ERR_INPUT, &i->key_mark,
                       "a channel has an autoregression or a discrepancy, not both: one could stand for the "
                       "other");
    if (q->order && sn_grid_of(e->n, e->t) <= 0)
        return sn_fail(err, SN_ERR_INPUT, &i->mark,
                       "the samples of experiment '%s' are not at equal distances: an autoregression there "
                       "has no order ('ar' takes what falls exponentially in time)",
                       e->name);
    e->noise[c] = *q;
    return SN_OK;
}

/* One for all channels, or a map of channels. */
static sn_status read_channels(sn_study *s, const sn_item *i, read_fn *read, sn_experiment *e, sn_err *err)
{
    sn_channel_noise q;
    if (i->type != SN_ITEM_MAP || sn_item_get(i, "ar")) {
        SN_TRY(read(s, i, &q, err));
        for (int c = 0; c < e->n_channel; c++) SN_TRY(put(e, c, &q, i, err));
        return SN_OK;
    }
    for (const sn_item *k = i->child; k; k = k->next) {
        int channel, before = sn_err_count(err), used = 0;
        sn_status status = sn_channel_find(s->model, k->key, &channel, err);
        sn_err_place(err, before, &k->key_mark);
        SN_TRY(status);
        SN_TRY(read(s, k, &q, err));
        for (int c = 0; c < e->n_channel; c++)
            if (e->channel[c] == channel) {
                SN_TRY(put(e, c, &q, k, err));
                used = 1;
            }
        if (!used)
            return sn_fail(err, SN_ERR_INPUT, &k->key_mark, "'%s' is not measured in experiment '%s'", k->key,
                           e->name);
    }
    return SN_OK;
}

sn_status sn_read_noise(sn_study *s, const sn_item *own, const sn_item *root, sn_experiment *e, sn_err *err)
{
    static const struct {
        const char *key;
        read_fn *read;
    } kind[] = {{"noise_model", read_kind}, {"discrepancy", read_answer}};
    int any = 0;
    SN_TRY(read_size(s, e, sn_read_pick(own, root, "noise"), err));
    e->noise = sn_arena_alloc(&s->arena, (size_t)e->n_channel, sizeof *e->noise);
    if (!e->noise) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < 2; k++) {
        const sn_item *i = sn_read_pick(own, root, kind[k].key);
        if (!i) continue;
        SN_TRY(read_channels(s, i, kind[k].read, e, err));
        for (int c = 0; c < e->n_channel; c++) any |= e->noise[c].kind;
        if (any && s->huber > 0)
            return sn_fail(err, SN_ERR_INPUT, &i->key_mark,
                           "'%s' cannot be combined with 'loss: huber': an outlier would reach into the "
                           "samples after it",
                           kind[k].key);
    }
    for (int c = 0; c < e->n_channel; c++)
        if (!e->noise[c].kind) e->noise[c].m = sn_noise_white(1);
    if (!any) e->noise = NULL;
    return SN_OK;
}

sn_status sn_read_noise_copy(sn_study *s, const sn_experiment *from, sn_experiment *to, sn_err *err)
{
    if (!from->noise) return SN_OK;
    to->noise = sn_arena_alloc(&s->arena, (size_t)from->n_channel, sizeof *to->noise);
    if (!to->noise) return SN_OUT_OF_MEM(err);
    memcpy(to->noise, from->noise, (size_t)from->n_channel * sizeof *to->noise);
    return SN_OK;
}

sn_status sn_read_noise_check(const sn_study *s, const sn_item *root, sn_err *err)
{
    static const char *const key[] = {"noise_model", "discrepancy"};
    int series = 0;
    for (int e = 0; e < s->n_experiment; e++) series |= !s->experiment[e].sort;
    for (int k = 0; k < 2; k++) {
        const sn_item *i = sn_item_get(root, key[k]);
        if (i && !series)
            return sn_fail(err, SN_ERR_INPUT, &i->key_mark,
                           "'%s' is of signals in time: modes and responses do not follow each other",
                           key[k]);
    }
    return SN_OK;
}
