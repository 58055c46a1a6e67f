/* Runs with the estimate for the report's mechanism: see motion.h.

   Frames fall on the samples of the data, or on each second, third ... sample, so that an experiment has at
   most MOST frames and all of them together about BYTES; where samples are rare there are frames between
   them. Of large models with many experiments only the first ones are shown: those that BYTES holds with
   LEAST frames each. Where histories are sought the loads go along, and which of them the histories make. */
#include "identify/motion.h"
#include "identify/history.h"
#include "identify/sensed.h"
#include "view/json.h"
#include "view/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 600, LEAST = 60, BYTES = 4 << 20, BYTES_A_PART = 160 };

static int is_load(const sn_object *o) { return ((const sn_element_class *)o->cls)->load != NULL; }

/* Frames of each experiment; *shown: so many of them have any. */
static int frames_of(const sn_study *s, int *shown)
{
    const sn_model *m = s->model;
    double parts = BYTES_A_PART * (10.0 + m->n_node + m->element.n + m->joint.n), frame = 4.0 * m->nq + 8;
    for (int i = 0; s->n_history && i < m->element.n; i++)
        if (is_load(&m->element.object[i])) frame += m->dim == 2 ? 12 : 24;
    double room = ((double)BYTES / s->n_experiment - parts) / frame;
    double fit = floor(BYTES / (parts + LEAST * frame));
    *shown = room >= LEAST || fit >= s->n_experiment ? s->n_experiment : fit < 1 ? 1 : (int)fit;
    return room > MOST ? MOST : room < LEAST ? LEAST : (int)room;
}

/* Time between frames: a multiple of the samples' distance, or a part of it. */
static double spacing(const sn_experiment *x, double span, int frames)
{
    double h = x->n > 1 ? (x->t[x->n - 1] - x->t[0]) / (x->n - 1) : span, few = fmin(200, (frames - 1) / 2);
    if (!(h > 0)) h = span;
    if (h > span / few) return h / ceil(h * few / span);
    return h * fmax(1, ceil(span / h / (frames - 1) - 1e-9));
}

/* ---- what the channels measure ---- */

/* A place of a point fixed to a node, or the angle of a planar node; `base` is added to the measured
   number. */
static sn_status mark(sn_html *h, const sn_model *m, const sn_values *p, int channel, sn_err *err)
{
    sn_sensed c;
    int seen = sn_sensed_of(m, channel, &c) && !c.rate;
    const sn_node_places *place = seen ? c.sensor->place : NULL;
    int axis = seen ? c.at - place->x_v : 0, angle = seen && place->R_v >= 0 && c.at >= place->R_v;
    if (!seen || place->x_v < 0 || (!angle && (axis < 0 || axis >= c.sensor->dim)))
        return sn_html_put(h, "null", 4, err);
    const double *offset = p->x + c.sensor->s, *X = p->X + c.sensor->x;
    double base = c.from_reference ? X[c.at] : 0;
    if (c.from_reference && c.at < c.sensor->ns) base += offset[c.at];
    SN_TRY(sn_html_put(h, "{\"node\":", 8, err));
    SN_TRY(sn_json_text(h, m->node[c.node].name, strlen(m->node[c.node].name), err));
    SN_TRY(sn_json_say(h, err, ",\"axis\":%d,\"angle\":%d,\"base\":%.17g,\"offset\":", axis, angle, base));
    SN_TRY(sn_json_numbers(h, offset, c.sensor->ns, err));
    return sn_html_put(h, "}", 1, err);
}

/* ---- loads that histories make ---- */

/* Signals, and quantities behind them, that depend on a history; made[] has the quantities first. */
static int depends(const sn_study *s, const unsigned char *made, int id)
{
    const sn_model *m = s->model;
    if (id >= SN_VAR_SIGNAL) {
        const sn_object *o = &m->signal.object[id - SN_VAR_SIGNAL];
        for (int k = 0; k < s->n_history; k++)
            if (s->history[k].id >= o->s && s->history[k].id < o->s + o->ns) return 1;
        for (int i = 0; i < o->ns; i++)
            if (made[o->s + i]) return 1;
        return 0;
    }
    const sn_expr *x = m->quantity[id].expr;
    for (int i = 0; x && i < sn_expr_nvar(x); i++) {
        int of = sn_expr_var(x, i);
        if (of < SN_VAR_SIGNAL ? made[of] : of < SN_VAR_TIME && made[m->n_quantity + of - SN_VAR_SIGNAL])
            return 1;
    }
    return 0;
}

/* ,"sought":[rows of the elements that are such loads] */
static sn_status sought(sn_html *h, const sn_study *s, sn_err *err)
{
    const sn_model *m = s->model;
    unsigned char *made;
    int some = 0;
    if (!s->n_history) return SN_OK;
    if (!SN_NEW(made, m->n_quantity + m->signal.n + 1)) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < m->n_varying; i++) {
        int id = m->varying[i], at = id < SN_VAR_SIGNAL ? id : m->n_quantity + id - SN_VAR_SIGNAL;
        made[at] = (unsigned char)depends(s, made, id);
    }
    sn_status status = sn_json_say(h, err, ",\"sought\":[");
    for (int i = 0; !status && i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        int is = 0;
        for (int k = 0; is_load(o) && k < o->ns; k++) is |= made[o->s + k];
        if (is) status = sn_json_say(h, err, "%s%d", some++ ? "," : "", i);
    }
    sn_free(made);
    return status ? status : sn_html_put(h, "]", 1, err);
}

static sn_status marks(sn_html *h, const sn_study *s, int k, const sn_values *p, double offset, sn_err *err)
{
    static const char close[] = "}</script>\n";
    const sn_experiment *x = &s->experiment[k];
    SN_TRY(sn_json_say(h, err,
                       "<script id=\"m%d-marks\" type=\"application/json\">{\"offset\":%.17g,\"channels\":[",
                       k, offset));
    for (int c = 0; c < x->n_channel; c++) {
        if (c) SN_TRY(sn_html_put(h, ",", 1, err));
        SN_TRY(mark(h, s->model, p, x->channel[c], err));
    }
    SN_TRY(sn_html_put(h, "]", 1, err));
    SN_TRY(sought(h, s, err));
    return sn_html_put(h, close, sizeof close - 1, err);
}

static sn_status why(sn_html *h, int k, const char *text, sn_err *err)
{
    static const char close[] = "</script>\n";
    SN_TRY(sn_json_say(h, err, "<script id=\"m%d-why\" type=\"application/json\">", k));
    SN_TRY(sn_json_text(h, text, strlen(text), err));
    return sn_html_put(h, close, sizeof close - 1, err);
}

/* ---- one experiment ---- */

static sn_status run(const sn_estimate *e, int k, const sn_values *p, double offset, int frames,
                     const char *scratch, sn_err *err)
{
    const sn_study *s = e->s;
    const sn_experiment *x = &s->experiment[k];
    sn_run_options o = s->run;
    sn_info info;
    o.begin = x->begin, o.end = x->t[x->n - 1] + offset;
    o.frame = NULL, o.progress = sn_estimate_stop, o.message = NULL, o.ctx = (void *)e, o.n_point = 0,
    o.n_wrt = 0;
    if (s->n_history) o.no_fields = 0;
    if (!(o.end > o.begin)) return sn_fail(err, SN_ERR_INPUT, NULL, "the data end where they begin");
    o.output = spacing(x, o.end - o.begin, frames);
    return sn_run_file(s->model, p, &o, scratch, &info, err);
}

static sn_status one(sn_html *h, sn_fit *f, const sn_estimate *e, int k, int frames, const char *scratch,
                     sn_err *err)
{
    const sn_study *s = e->s;
    int unknown = s->experiment[k].offset_unknown;
    double offset = unknown >= 0 ? e->value[unknown] : 0;
    char prefix[24];
    sn_err own;
    sn_err_clear(&own);
    sn_status status = sn_fit_set(f, k, e->z, &own);
    if (!status) status = run(e, k, f->part[k].values, offset, frames, scratch, &own);
    if (status == SN_ERR_MEMORY || status == SN_ERR_FILE) {
        sn_err_join(err, &own);
        return status;
    }
    /* a run that failed on the way is shown as far as it came */
    if (status && access(scratch, F_OK))
        return why(h, k, own.count ? own.report[0].text : "the estimate is no number the model can take",
                   err);
    snprintf(prefix, sizeof prefix, "m%d-", k);
    SN_TRY(sn_view_motion(h, scratch, prefix, s->n_history > 0, err));
    return marks(h, s, k, f->part[k].values, offset, err);
}

sn_status sn_motion_put(sn_html *h, const sn_estimate *e, const char *scratch, sn_err *err)
{
    sn_fit *f = NULL;
    int shown, frames = frames_of(e->s, &shown);
    SN_TRY(sn_fit_new(e->s, 1, &f, err));
    sn_status status = SN_OK;
    for (int k = 0; !status && k < e->s->n_experiment; k++) {
        status = e->s->experiment[k].sort ? why(h, k, "modes and frequency responses are no motion", err)
                 : k < shown
                     ? one(h, f, e, k, frames, scratch, err)
                     : why(h, k, "the page would grow too large: it has the first experiments only", err);
        unlink(scratch);
    }
    sn_fit_free(f);
    return status;
}
