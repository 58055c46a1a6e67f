/* Objectives: see objective.h. Functionals are the variables of an objective's expression: functions of the
   run with their arguments, and sensors. */
#include "sensitivity/objective.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

typedef struct reader {
    sn_objectives *s;
    int statics;
} reader;

enum { TIME = 1 << 20 }; /* the variable t of an inner expression */

static int inner_name(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    reader *r = ctx;
    int channel;
    (void)where;
    if (!strcmp(name, "t")) return TIME;
    return sn_channel_find(r->s->m, name, &channel, err) ? -1 : channel;
}

static void want(sn_objectives *s, int channel)
{
    int at = 0;
    for (int i = 0; i < s->m->sensor.n; at += s->m->sensor.object[i++].ny)
        if (channel >= at && channel < at + s->m->sensor.object[i].ny) s->wanted[i] = 1;
}

static sn_functional *add(sn_objectives *s, sn_err *err)
{
    if (s->n_f == s->cap_f) {
        int more = s->cap_f ? 2 * s->cap_f : 8;
        sn_functional *f = sn_arena_alloc(&s->arena, (size_t)more, sizeof *f);
        if (!f) {
            SN_OUT_OF_MEM(err);
            return NULL;
        }
        if (s->n_f) memcpy(f, s->f, sizeof *f * (size_t)s->n_f);
        s->f = f, s->cap_f = more;
    }
    sn_functional *f = &s->f[s->n_f++];
    f->sign = 1, f->channel = -1;
    f->d = sn_arena_alloc(&s->arena, (size_t)s->np + 1, sizeof(double));
    f->last_d = sn_arena_alloc(&s->arena, (size_t)s->np + 1, sizeof(double));
    if (f->d && f->last_d) return f;
    SN_OUT_OF_MEM(err);
    return NULL;
}

/* tip.x@2.0, or tip.x: at the end (statics: at the equilibrium). */
static int outer_name(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    reader *r = ctx;
    sn_objectives *s = r->s;
    const char *at = strchr(name, '@');
    char channel[256], *rest;
    double t = s->end;
    int id, length = at ? (int)(at - name) : (int)strlen(name);
    snprintf(channel, sizeof channel, "%.*s", length, name);
    if (sn_channel_find(s->m, channel, &id, err)) return -1;
    if (at) {
        t = strtod(at + 1, &rest);
        if (rest == at + 1 || *rest || r->statics || !(t >= s->begin && t <= s->end * (1 + 1e-12))) {
            if (r->statics)
                sn_fail(err, SN_ERR_INPUT, where, "'%s': an equilibrium has no times", name);
            else if (rest == at + 1 || *rest)
                sn_fail(err, SN_ERR_INPUT, where, "'%s': a time is expected after @", name);
            else
                sn_fail(err, SN_ERR_INPUT, where, "'%s': the run is from %g s to %g s", name, s->begin,
                        s->end);
            return -1;
        }
    }
    for (int i = 0; i < s->n_f; i++)
        if (s->f[i].kind == SN_F_POINT && s->f[i].channel == id && s->f[i].t == t) return i;
    sn_functional *f = add(s, err);
    if (!f) return -1;
    f->kind = SN_F_POINT, f->channel = id, f->t = t;
    want(s, id);
    return s->n_f - 1;
}

static const struct {
    const char *name;
    int kind, sign;
} functions[] = {{"integral", SN_F_INTEGRAL, 1}, {"mean", SN_F_MEAN, 1},    {"rms", SN_F_RMS, 1},
                 {"peak", SN_F_PEAK, 1},         {"valley", SN_F_PEAK, -1}, {"misfit", SN_F_MISFIT, 1}};

/* The functional of a function's name and the text between its parentheses. */
static sn_status read_function(reader *r, int which, char *inside, const sn_mark *where, sn_err *err)
{
    sn_objectives *s = r->s;
    sn_functional *f = add(s, err);
    char *comma = NULL, *rest;
    int depth = 0;
    if (!f) return SN_ERR_MEMORY;
    f->kind = functions[which].kind, f->sign = functions[which].sign;
    if (r->statics)
        return sn_fail(err, SN_ERR_INPUT, where, "%s(): an equilibrium has no course in time",
                       functions[which].name);
    if (f->kind == SN_F_MISFIT) {
        while (isspace((unsigned char)*inside)) inside++;
        if (!s->data)
            return sn_fail(err, SN_ERR_INPUT, where, "misfit(): there are no data to compare with (--data)");
        for (size_t n = strlen(inside); n > 0 && isspace((unsigned char)inside[n - 1]); n--)
            inside[n - 1] = 0;
        return *inside ? sn_channel_find(s->m, inside, &f->channel, err) : SN_OK;
    }
    for (char *c = inside; *c; c++) {
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
        if (*c == ',' && depth == 0) comma = c;
    }
    if (f->kind == SN_F_PEAK) {
        if (!comma)
            return sn_fail(err, SN_ERR_INPUT, where,
                           "%s(g, k) needs its sharpness k, some 50 over the range of g",
                           functions[which].name);
        *comma = 0;
        f->sharp = strtod(comma + 1, &rest);
        while (isspace((unsigned char)*rest)) rest++;
        if (*rest || !(f->sharp > 0) || !isfinite(f->sharp))
            return sn_fail(err, SN_ERR_INPUT, where, "'%s': the sharpness must be a positive number",
                           comma + 1);
    }
    s->steps = 1;
    SN_TRY(sn_expr_parse(&s->arena, inside, where, inner_name, r, &f->g, err));
    for (int k = 0; k < sn_expr_nvar(f->g); k++)
        if (sn_expr_var(f->g, k) != TIME) want(s, sn_expr_var(f->g, k));
    return SN_OK;
}

/* The number of the functional that a call stands for. */
static int outer_call(void *ctx, const char *name, const char *inside, int length, const sn_mark *where,
                      sn_err *err)
{
    reader *r = ctx;
    size_t which = 0, n = sizeof functions / sizeof *functions;
    while (which < n && strcmp(functions[which].name, name) != 0) which++;
    if (which == n) return -2;
    char *text = sn_arena_strndup(&r->s->arena, inside, (size_t)length);
    int number = r->s->n_f;
    if (!text) {
        SN_OUT_OF_MEM(err);
        return -1;
    }
    return read_function(r, (int)which, text, where, err) ? -1 : number;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static sn_status collect_times(sn_objectives *s, sn_err *err)
{
    int misfit = 0, n = 0;
    for (int i = 0; i < s->n_f; i++) misfit |= s->f[i].kind == SN_F_MISFIT;
    s->times = sn_arena_alloc(&s->arena, (size_t)(s->n_f + (misfit ? s->data->n : 0)) + 1, sizeof(double));
    if (!s->times) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < s->n_f; i++)
        if (s->f[i].kind == SN_F_POINT) s->times[n++] = s->f[i].t;
    for (int i = 0; misfit && i < s->data->n; i++)
        if (s->data->t[i] >= s->begin && s->data->t[i] <= s->end * (1 + 1e-12)) s->times[n++] = s->data->t[i];
    qsort(s->times, (size_t)n, sizeof(double), ascending);
    for (int i = 0; i < n; i++)
        if (!s->n_times || s->times[i] != s->times[s->n_times - 1]) s->times[s->n_times++] = s->times[i];
    for (int i = 0; misfit && i < s->data->n_channel; i++) want(s, s->data->channel[i]);
    return SN_OK;
}

sn_status sn_objectives_new(const sn_model *m, const sn_gradient_options *o, int np, sn_objectives **out,
                            sn_err *err)
{
    const int n = o->n_of;
    sn_objectives *s;
    sn_status status = SN_OK;
    *out = NULL;
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    s->m = m, s->np = np, s->n = n;
    if (!o->statics) s->data = o->data, s->begin = o->run.begin, s->end = o->run.end;
    s->list = sn_arena_alloc(&s->arena, (size_t)n + 1, sizeof *s->list);
    s->wanted = sn_arena_alloc(&s->arena, (size_t)m->sensor.n + 1, 1);
    if (!s->list || !s->wanted) status = SN_OUT_OF_MEM(err);
    for (int i = 0; !status && i < n; i++) {
        reader r = {s, o->statics};
        sn_mark where = {"objective", o->of[i], 1, 1};
        s->list[i].text = o->of[i];
        s->list[i].d = sn_arena_alloc(&s->arena, (size_t)np + 1, sizeof(double));
        if (!s->list[i].d) status = SN_OUT_OF_MEM(err);
        if (!status)
            status = sn_expr_parse_calls(&s->arena, o->of[i], &where,
                                         &(sn_expr_names){outer_name, outer_call, &r}, &s->list[i].e, err);
    }
    if (!status) status = collect_times(s, err);
    if (status) {
        sn_objectives_free(s);
        return status;
    }
    *out = s;
    return SN_OK;
}

void sn_objectives_free(sn_objectives *s)
{
    if (!s) return;
    sn_arena_free(&s->arena);
    sn_free(s);
}

/* ---- values and derivatives ---- */

/* The first row of the data (ascending times) at or after t. */
static int first_row(const sn_data *d, double t)
{
    int lo = 0, hi = d->n;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (d->t[mid] < t)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* What channel c (its number among the data's) off by e counts in a misfit, and its derivative by e. */
static double misfit(const sn_data *d, int c, double e, double *slope)
{
    double weight = d->weight ? d->weight[c] : 1, bend = d->bend ? d->bend[c] : INFINITY, a = fabs(e);
    *slope = 2 * weight * (a <= bend ? e : copysign(bend, e));
    return weight * (a <= bend ? e * e : 2 * bend * a - bend * bend);
}

/* g and its derivative by each channel it names. */
static double inner(const sn_functional *f, double t, const double *y, double *by)
{
    double x[SN_MAX_VARIABLES];
    for (int k = 0; k < sn_expr_nvar(f->g); k++)
        x[k] = sn_expr_var(f->g, k) == TIME ? t : y[sn_expr_var(f->g, k)];
    double g = f->sign * sn_expr_gradient(f->g, x, by);
    for (int k = 0; k < sn_expr_nvar(f->g); k++) by[k] *= sn_expr_var(f->g, k) == TIME ? 0 : f->sign;
    return g;
}

static void direction(const sn_objectives *s, const sn_functional *f, const double *by, const double *dy,
                      double *dg)
{
    memset(dg, 0, sizeof *dg * (size_t)s->np);
    for (int k = 0; k < sn_expr_nvar(f->g); k++) {
        int c = sn_expr_var(f->g, k);
        for (int p = 0; c != TIME && p < s->np; p++)
            dg[p] += by[k] * dy[(size_t)c * (size_t)s->np + (size_t)p];
    }
}

/* sum += w * (integrand of g), d likewise; a peak keeps its sums relative to the largest g so far */
static void add_term(const sn_objectives *s, sn_functional *f, double w, double g, const double *dg)
{
    double fg = g, slope = 1;
    if (f->kind == SN_F_RMS) fg = g * g, slope = 2 * g;
    if (f->kind == SN_F_PEAK) {
        if (g > f->top) {
            double shrink = exp(f->sharp * (f->top - g));
            f->sum *= shrink, f->top = g;
            for (int p = 0; p < s->np; p++) f->d[p] *= shrink;
        }
        fg = exp(f->sharp * (g - f->top)),
        slope = fg; /* d of the logarithm over k: sum of w fg dg over sum */
    }
    f->sum += w * fg;
    for (int p = 0; dg && p < s->np; p++) f->d[p] += w * slope * dg[p];
}

void sn_objectives_step(sn_objectives *s, double t, double dt, const double *y, const double *dy)
{
    for (int i = 0; i < s->n_f; i++) {
        sn_functional *f = &s->f[i];
        double by[SN_MAX_VARIABLES];
        if (!f->g) continue;
        double g = inner(f, t, y, by);
        if (dt > 0) {
            add_term(s, f, dt / 2, f->last, dy ? f->last_d : NULL);
        } else {
            f->sum = 0, f->top = g;
            memset(f->d, 0, sizeof *f->d * (size_t)s->np);
        }
        f->last = g;
        if (dy) direction(s, f, by, dy, f->last_d);
        if (dt > 0) add_term(s, f, dt / 2, g, dy ? f->last_d : NULL);
    }
}

void sn_objectives_sample(sn_objectives *s, int at, const double *y, const double *dy)
{
    size_t np = (size_t)s->np;
    for (int i = 0; i < s->n_f; i++) {
        sn_functional *f = &s->f[i];
        if (f->kind == SN_F_POINT && f->t == s->times[at]) {
            f->value = y[f->channel];
            if (dy) memcpy(f->d, dy + (size_t)f->channel * np, sizeof(double) * np);
        }
        for (int r = f->kind == SN_F_MISFIT ? first_row(s->data, s->times[at]) : -1;
             r >= 0 && r < s->data->n && s->data->t[r] == s->times[at]; r++)
            for (int c = 0; c < s->data->n_channel; c++) {
                int id = s->data->channel[c];
                double slope, e = y[id] - s->data->y[(size_t)r * (size_t)s->data->n_channel + (size_t)c];
                if (isnan(e) || (f->channel >= 0 && f->channel != id)) continue;
                f->value += misfit(s->data, c, e, &slope);
                for (size_t p = 0; dy && p < np; p++) f->d[p] += slope * dy[(size_t)id * np + p];
            }
    }
}

void sn_objectives_finish(sn_objectives *s, int with_derivatives)
{
    double length = s->end - s->begin, x[SN_MAX_VARIABLES], by[SN_MAX_VARIABLES];
    for (int i = 0; i < s->n_f; i++) {
        sn_functional *f = &s->f[i];
        double scale = 1;
        if (f->kind == SN_F_INTEGRAL) f->value = f->sum;
        if (f->kind == SN_F_MEAN) f->value = f->sum / length, scale = 1 / length;
        if (f->kind == SN_F_RMS) {
            f->value = sqrt(f->sum / length);
            scale = f->value > 0 ? 1 / (2 * f->value * length) : 0;
        }
        if (f->kind == SN_F_PEAK) {
            f->value = f->sign * (f->top + log(f->sum / length) / f->sharp);
            scale = f->sign / f->sum;
        }
        for (int p = 0; with_derivatives && p < s->np; p++) f->d[p] *= scale;
    }
    for (int i = 0; i < s->n; i++) {
        sn_objective *o = &s->list[i];
        for (int k = 0; k < sn_expr_nvar(o->e); k++) x[k] = s->f[sn_expr_var(o->e, k)].value;
        o->value = sn_expr_gradient(o->e, x, by);
        memset(o->d, 0, sizeof *o->d * (size_t)s->np);
        for (int k = 0; with_derivatives && k < sn_expr_nvar(o->e); k++)
            for (int p = 0; p < s->np; p++) o->d[p] += by[k] * s->f[sn_expr_var(o->e, k)].d[p];
    }
}

/* ---- backwards ---- */

void sn_objectives_weigh(sn_objectives *s, int i)
{
    const sn_expr *e = s->list[i].e;
    double x[SN_MAX_VARIABLES], by[SN_MAX_VARIABLES];
    for (int k = 0; k < s->n_f; k++) s->f[k].weight = 0;
    for (int k = 0; k < sn_expr_nvar(e); k++) x[k] = s->f[sn_expr_var(e, k)].value;
    sn_expr_gradient(e, x, by);
    for (int k = 0; k < sn_expr_nvar(e); k++) s->f[sn_expr_var(e, k)].weight = by[k];
}

void sn_objectives_seed_step(const sn_objectives *s, double t, double w, const double *y, double *y_bar)
{
    double length = s->end - s->begin;
    for (int i = 0; i < s->n_f; i++) {
        const sn_functional *f = &s->f[i];
        double by[SN_MAX_VARIABLES], b = f->weight * w;
        if (!f->g || f->weight == 0) continue;
        double g = inner(f, t, y, by);
        if (f->kind == SN_F_MEAN) b /= length;
        if (f->kind == SN_F_RMS) b = f->value > 0 ? b * g / (f->value * length) : 0;
        if (f->kind == SN_F_PEAK) b *= f->sign * exp(f->sharp * (g - f->top)) / f->sum;
        for (int k = 0; k < sn_expr_nvar(f->g); k++)
            if (sn_expr_var(f->g, k) != TIME) y_bar[sn_expr_var(f->g, k)] += b * by[k];
    }
}

void sn_objectives_seed_sample(const sn_objectives *s, int at, const double *y, double *y_bar)
{
    for (int i = 0; i < s->n_f; i++) {
        const sn_functional *f = &s->f[i];
        if (f->weight == 0) continue;
        if (f->kind == SN_F_POINT && f->t == s->times[at]) y_bar[f->channel] += f->weight;
        for (int r = f->kind == SN_F_MISFIT ? first_row(s->data, s->times[at]) : -1;
             r >= 0 && r < s->data->n && s->data->t[r] == s->times[at]; r++)
            for (int c = 0; c < s->data->n_channel; c++) {
                int id = s->data->channel[c];
                double slope, e = y[id] - s->data->y[(size_t)r * (size_t)s->data->n_channel + (size_t)c];
                if (isnan(e) || (f->channel >= 0 && f->channel != id)) continue;
                misfit(s->data, c, e, &slope);
                y_bar[id] += f->weight * slope;
            }
    }
}
