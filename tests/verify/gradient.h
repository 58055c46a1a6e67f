/* What tests of derivatives share: all constant numbers of a model as parameters, one objective for each
   sensor, and the comparison of two gradients.

   The measure of agreement. With s = |p|, or 1 for a number that is 0, f s is what the objective changes when
   the number does so by its own size. Two values of a derivative agree to x when |f - g| s is at most x times
   |f| s, or x/1000 times the largest such change among the numbers of the model. The floor is there for
   rounding: an objective J is known to eps J c only, c the condition of the run, and numbers that
   hardly move it have a derivative which is the difference of much larger parts. Accelerations and reactions
   in models with joints follow from the positions of the joints by division by beta h^2. A motion of
   frequency w has accelerations of w^2 times its positions, so these lose 1/(beta (w h)^2) more than
   positions do, 100 for a motion of 30 steps a period (w h = 0.2): for them the floor is a tenth of the
   largest change.

   Forward and adjoint are sums of the same terms in another order: 1e-9 leaves six digits to the condition
   of matrices (h^2 K against M, at most 1e4 here) and to the growth over the steps. Differences lose a third
   or so of all digits, extrapolation brings most of them back: 1e-6. */
#ifndef SN_TESTS_VERIFY_GRADIENT_H
#define SN_TESTS_VERIFY_GRADIENT_H

#include "verify/kit.h"

#include "model/model.h"
#include "model/values.h"

enum { GRAD_NAMES = 512, GRAD_OBJECTIVES = 32, GRAD_TEXT = 2048 };

static const double GRAD_SAME = 1e-9, GRAD_CLOSE = 1e-6, GRAD_FLOOR = 1e-3, GRAD_FLOOR_2 = 0.1;

typedef struct grad {
    kit k;
    sn_gradient_options o;
    const char *wrt[GRAD_NAMES], *of[GRAD_OBJECTIVES];
    char name[GRAD_NAMES][96], text[GRAD_OBJECTIVES][GRAD_TEXT];
    double x[GRAD_NAMES]; /* values of the numbers */
    unsigned char used[GRAD_NAMES];
    double value[GRAD_OBJECTIVES], floor[GRAD_OBJECTIVES];
    double most[GRAD_OBJECTIVES]; /* largest change by a number, from the last gradient but for differences */
    sn_gradient_info info;
} grad;

/* A constant number of the model that the library can differentiate by: not one of its computation, nor one
   that varies in time or along a beam, nor the ground's. */
static inline int grad_is_number(kit *k, int id, char *name, size_t size)
{
    const sn_quantity *q = &k->m->quantity[id];
    if (q->varies || !isfinite(k->p->x[id]) || id == k->m->along || id >= k->m->first_piece) return 0;
    if (id >= k->m->run.first && id < k->m->run.first + k->m->run.n) return 0;
    if (q->tapers) return 0;
    const char *n = sn_quantity_name(k->m, id, name, size);
    if (n != name) snprintf(name, size, "%s", n);
    return strncmp(name, "nodes.ground.", 13) && sn_quantity_find(k->m, name) == id;
}

/* skip: beginnings of names, ended by NULL; or NULL */
static inline void grad_all_numbers(grad *g, const char *const *skip)
{
    g->o.n_wrt = 0;
    for (int id = 0; id < g->k.m->n_quantity; id++) {
        char *name = g->name[g->o.n_wrt];
        int out = !grad_is_number(&g->k, id, name, sizeof g->name[0]);
        for (int i = 0; skip && skip[i]; i++) out |= !strncmp(name, skip[i], strlen(skip[i]));
        if (out) continue;
        g->wrt[g->o.n_wrt] = name, g->x[g->o.n_wrt] = g->k.p->x[id];
        assert_true(++g->o.n_wrt < GRAD_NAMES);
    }
    g->o.wrt = g->wrt;
}

static inline void grad_wrt(grad *g, int n, const char *const *name)
{
    for (int i = 0; i < n; i++) {
        g->wrt[i] = name[i];
        kit_good(&g->k, sn_values_get(g->k.p, name[i], &g->x[i], &g->k.err));
    }
    g->o.n_wrt = n, g->o.wrt = g->wrt;
}

static inline void grad_of(grad *g, int n, const char *const *text)
{
    for (int i = 0; i < n; i++) g->of[i] = text[i], g->floor[i] = GRAD_FLOOR;
    g->o.n_of = n, g->o.of = g->of;
}

static inline void grad_add(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, GRAD_TEXT - used, format, list);
    va_end(list);
    assert_true(strlen(text) + 1 < GRAD_TEXT);
}

/* One objective for each sensor: its components, weighted, at two times off the steps, at the start, and
   their integral (statics: just as they are). Violations are rounding only and stay out. */
static inline void grad_all_sensors(grad *g)
{
    double b = g->o.run.begin, l = g->o.run.end - b, h = g->o.run.step, t1 = b + 0.41 * l, t2 = b + 0.83 * l;
    int n = 0;
    t1 += 0.37 * h - fmod(t1 - b, h), t2 += 0.71 * h - fmod(t2 - b, h);
    for (int c = 0; c < sn_channel_count(g->k.m); n++) {
        sn_channel first = sn_channel_get(g->k.m, c);
        const sn_sensor_class *cls = NULL;
        int to = c;
        while (to < sn_channel_count(g->k.m) && !strcmp(sn_channel_get(g->k.m, to).sensor, first.sensor))
            to++;
        for (int i = 0; i < g->k.m->sensor.n; i++)
            if (!strcmp(g->k.m->sensor.object[i].name, first.sensor)) cls = g->k.m->sensor.object[i].cls;
        int rounding = cls->source == SN_FROM_VIOLATION,
            second = cls->source == SN_FROM_REACTION || cls->source == SN_FROM_MULTIPLIER ||
                     !strncmp(cls->name, "accelero", 8) || !strcmp(cls->name, "acceleration");
        if (rounding) {
            c = to, n--;
            continue;
        }
        char *text = g->text[n], sum[GRAD_TEXT] = "";
        assert_true(n < GRAD_OBJECTIVES);
        text[0] = 0;
        for (; c < to; c++) {
            sn_channel ch = sn_channel_get(g->k.m, c);
            double w = 1 + 0.4 * cos(1.7 * c);
            if (g->o.statics) {
                grad_add(text, "%s%.3f*%s.%s", *text ? " + " : "", w, ch.sensor, ch.component);
                continue;
            }
            grad_add(text, "%s%.3f*%s.%s@%.9g - %.3f*%s.%s@%.9g + 0.3*%s.%s@%.9g", *text ? " + " : "", w,
                     ch.sensor, ch.component, t1, w * w, ch.sensor, ch.component, t2, ch.sensor, ch.component,
                     b);
            grad_add(sum, "%s%.3f*%s.%s", *sum ? " + " : "", w, ch.sensor, ch.component);
        }
        if (!g->o.statics) grad_add(text, " + %.3f*integral(%s)", 1 / l, sum);
        g->of[n] = text, g->floor[n] = second && g->k.m->m && !g->o.statics ? GRAD_FLOOR_2 : GRAD_FLOOR;
    }
    g->o.n_of = n, g->o.of = g->of;
}

/* The gradient by a method: n_of rows; freed by the caller. error: likewise, or NULL. */
static inline double *grad_by(grad *g, sn_gradient_method method, double **error)
{
    size_t n = (size_t)(g->o.n_of * g->o.n_wrt) + 1;
    double *d = calloc(n, sizeof *d), *e = calloc(n, sizeof *e);
    assert_non_null(d);
    assert_non_null(e);
    g->o.method = method;
    sn_gradient_result to = {g->value, d, e, method == SN_GRADIENT_DIFFERENCES ? NULL : g->used};
    kit_good(&g->k, sn_gradient(g->k.m, g->k.p, &g->o, &to, &g->info, &g->k.err));
    for (int j = 0; method != SN_GRADIENT_DIFFERENCES && j < g->o.n_of; j++) {
        g->most[j] = 0;
        for (int k = 0; k < g->o.n_wrt; k++)
            g->most[j] = fmax(g->most[j], fabs(d[j * g->o.n_wrt + k]) * (g->x[k] != 0 ? fabs(g->x[k]) : 1));
    }
    if (error)
        *error = e;
    else
        free(e);
    return d;
}

/* The worst disagreement of a, b; fails where it is more than allowed. known: estimated errors of b, which
   are allowed too, or NULL. */
static inline double grad_compare(const grad *g, const char *what, const double *a, const double *b,
                                  const double *known, double allowed)
{
    double worst = 0;
    int bad = 0;
    for (int j = 0; j < g->o.n_of; j++) {
        for (int k = 0; k < g->o.n_wrt; k++) {
            int at = j * g->o.n_wrt + k;
            double s = g->x[k] != 0 ? fabs(g->x[k]) : 1,
                   scale = fmax(fabs(a[at]) * s, g->floor[j] * g->most[j]);
            double off = fabs(a[at] - b[at]) * s, limit = allowed * scale;
            if (known) limit = fmax(limit, known[at] * s);
            if (!(off <= limit) && bad++ < 20)
                print_error("%s: %.20s ... by %s = %g: %.12g and %.12g, off by %.2e\n", what, g->of[j],
                            g->wrt[k], g->x[k], a[at], b[at], off / scale);
            if (off > 0 && (!known || known[at] * s <= allowed * scale)) worst = fmax(worst, off / scale);
        }
    }
    if (bad) fail_msg("%s: %d derivatives do not agree to %.0e", what, bad, allowed);
    return worst;
}

static inline void grad_opened(grad *g)
{
    g->k.o.tolerance = 1e-11;
    g->o = sn_gradient_options_default(g->k.m, g->k.p);
    g->o.run.tolerance = 1e-11;
    g->o.threads = 1;
}

static inline grad *grad_text(const char *yaml)
{
    grad *g = calloc(1, sizeof *g);
    assert_non_null(g);
    kit_text(&g->k, yaml);
    grad_opened(g);
    return g;
}

static inline grad *grad_file(const char *path)
{
    grad *g = calloc(1, sizeof *g);
    assert_non_null(g);
    kit_file(&g->k, path);
    grad_opened(g);
    return g;
}

static inline void grad_close(grad *g)
{
    kit_close(&g->k);
    free(g);
}

/* Forward against adjoint and against differences, in all numbers. */
static inline void grad_agree(grad *g, const char *what)
{
    double *known, *f = grad_by(g, SN_GRADIENT_FORWARD, NULL), *a = grad_by(g, SN_GRADIENT_ADJOINT, NULL);
    double *d = grad_by(g, SN_GRADIENT_DIFFERENCES, &known);
    double same = grad_compare(g, what, f, a, NULL, GRAD_SAME),
           close = grad_compare(g, what, f, d, known, GRAD_CLOSE);
    print_message("  %s: adjoint %.1e, differences %.1e\n", what, same, close);
    free(f), free(a), free(d), free(known);
}

#endif
