/* Are modes and frequency responses met within their noise, and is it clear which mode is which?

   Rows are no sequence, so nothing is asked about their order. Each residual r_i has the variance 1 - h_i, h
   the part that the unknowns and the free scale of its shape can follow: tested is the sum of squares of an
   experiment by chi square with the sum of 1 - h_i degrees of freedom, and each number by itself. Where the
   noise of a response is estimated its size proves nothing; then it is compared with how much neighbouring
   frequencies scatter. */
#include "identify/judge.h"
#include "identify/modal.h"
#include "identify/statistics.h"
#include "identify/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One false alarm in so many right models, of each test. */
static const double rare = 0.003;

sn_status sn_modal_keep(const sn_fit *f, sn_estimate *e, int held_out, sn_err *err)
{
    const sn_study *s = f->s;
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        if (x->sort != SN_MODES || x->hold_out != held_out) continue;
        if (!e->pair)
            e->pair = sn_arena_alloc(&e->arena, (size_t)s->n_experiment + 1, sizeof(sn_mode_pair *));
        if (!e->pair) return SN_OUT_OF_MEM(err);
        e->pair[k] = sn_arena_alloc(&e->arena, (size_t)x->n + 1, sizeof **e->pair);
        if (!e->pair[k]) return SN_OUT_OF_MEM(err);
        memcpy(e->pair[k], f->part[k].pair, sizeof **e->pair * (size_t)x->n);
    }
    return SN_OK;
}

/* ---- what the unknowns can follow ---- */

/* J_i C J_i' of number `at` of experiment k. */
static double followed(const sn_fit *f, const sn_estimate *e, int k, size_t at)
{
    const sn_part *p = &f->part[k];
    size_t n = (size_t)p->n, all = (size_t)f->n;
    double sum = 0;
    for (size_t a = 0; p->J && a < n; a++)
        for (size_t b = 0; b < n; b++) {
            double c = e->covariance[(size_t)p->unknown[a] * all + (size_t)p->unknown[b]];
            if (isfinite(c)) sum += p->J[at * n + a] * c * p->J[at * n + b];
        }
    return fmin(fmax(sum, 0), 1);
}

/* The share of a shape's number in the shape's own scale: together 1, or 2 of a complex one. */
static double scaled(const sn_experiment *x, const sn_part *p, int row, int c)
{
    double sum = 0, own = 0;
    for (int k = 0; k < x->n_channel; k++) {
        const sn_modal_column *q = &x->modal->column[k];
        int at = row * x->n_channel + k;
        if (!sn_is_shape(q->kind) || isnan(p->r[at])) continue;
        double y = p->model[at] / (x->sigma[k] * x->relative[at]);
        sum += y * y;
        if (q->sensor == x->modal->column[c].sensor) own += y * y;
    }
    return sum > 0 ? own / sum : 0; /* each part of a complex number has what both have of the two */
}

typedef struct worst {
    double size; /* |r| over its own deviation */
    int row, column;
} worst;

typedef struct sums {
    double chi_square, freedom;
    long n;
    worst w;
} sums;

static sums add_up(const sn_fit *f, const sn_estimate *e, int k)
{
    const sn_experiment *x = &f->s->experiment[k];
    const sn_part *p = &f->part[k];
    sums out = {.w = {.row = -1}};
    for (int i = 0; i < x->n; i++)
        for (int c = 0; c < x->n_channel; c++) {
            int at = i * x->n_channel + c, shape = sn_is_shape(x->modal->column[c].kind);
            if (isnan(p->r[at]) || !x->known[c]) continue;
            double left = 1 - followed(f, e, k, (size_t)at) - (shape ? scaled(x, p, i, c) : 0);
            double r = p->r[at] / sqrt(x->weight);
            out.chi_square += r * r, out.freedom += fmax(left, 0), out.n++;
            /* what the unknowns can follow nearly all the way is no more than rounding */
            double size = fabs(r) / sqrt(fmax(left, 1e-2));
            if (size > out.w.size) out.w = (worst){size, i, c};
        }
    return out;
}

/* ---- words ---- */

/* "mode 2 (12.3 Hz)", or "14 Hz" */
static void place(const sn_experiment *x, const sn_mode_pair *pair, int row, char *to, size_t n)
{
    if (x->sort == SN_FRF) {
        snprintf(to, n, "%.4g Hz", x->t[row]);
        return;
    }
    for (int c = 0; c < x->n_channel; c++)
        if (x->modal->column[c].kind <= SN_COLUMN_NATURAL)
            snprintf(to, n, "mode %d (%.4g Hz)", pair[row].mode, x->y[row * x->n_channel + c]);
}

/* The least MAC of the rows that have one; 2: there is none. */
static double least_mac(const sn_experiment *x, const sn_mode_pair *pair)
{
    double least = 2;
    for (int i = 0; x->sort == SN_MODES && i < x->n; i++)
        if (!isnan(pair[i].mac)) least = fmin(least, pair[i].mac);
    return least;
}

static double likely(double size) { return erfc(size / sqrt(2)); }

static void say_size(const sn_fit *f, sn_estimate *e, int k, const sums *t)
{
    const sn_experiment *x = &f->s->experiment[k];
    const sn_part *p = &f->part[k];
    char at[80] = "", unit[60] = "";
    double p_all = sn_chi_square_tail(t->chi_square, fmax(t->freedom, 0.5));
    int assumed = 0, odd = t->w.row >= 0 && likely(t->w.size) * (double)t->n < rare;
    for (int c = 0; c < x->n_channel; c++) assumed |= x->modal->assumed[c];
    if (t->freedom < 0.5 && p_all >= rare && !odd) {
        sn_estimate_verdict(
            e, 1, "residuals",
            "experiment '%s': the unknowns can follow all of its %ld numbers: nothing is left to test "
            "the model with",
            x->name, t->n);
        return;
    }
    if (p_all >= rare && !odd) {
        double mac = least_mac(x, p->pair);
        char also[40] = "";
        if (mac < 2) snprintf(also, sizeof also, ", MAC %.3f at least", mac);
        if (t->chi_square < 1e-6 * t->freedom) {
            sn_estimate_verdict(e, 0, "residuals",
                                "experiment '%s': its %ld numbers are met to rounding%s: they seem to be "
                                "computed, without noise",
                                x->name, t->n, also);
            return;
        }
        int small = t->freedom >= 5 && 1 - p_all < rare;
        sn_estimate_verdict(
            e, small, "residuals",
            small ? "experiment '%s': the residuals of its %ld numbers are only %.2g of the %s noise: it is "
                    "too large, and "
                    "standard errors with it%s"
                  : "experiment '%s': its %ld numbers are met within %.2f times their %s noise%s",
            x->name, t->n, sqrt(t->chi_square / fmax(t->freedom, 0.5)), assumed ? "assumed" : "stated",
            small ? "" : also);
        return;
    }
    if (t->w.row < 0) return;
    int i = t->w.row * x->n_channel + t->w.column;
    const sn_modal_column *q = &x->modal->column[t->w.column];
    place(x, p->pair, t->w.row, at, sizeof at);
    if (strcmp(q->unit, "1") != 0) snprintf(unit, sizeof unit, " %s", q->unit);
    sn_estimate_verdict(
        e, assumed ? 1 : 2, "residuals",
        "experiment '%s': the model does not explain it: residuals of %.2f times the %s noise, worst %s at "
        "%s: measured %.5g%s, model %.5g%s, %.1f standard deviations apart",
        x->name, sqrt(t->chi_square / fmax(t->freedom, 0.5)), assumed ? "assumed" : "stated", q->name, at,
        x->y[i], unit, p->model[i], unit, t->w.size);
    e->channel[k][t->w.column].noise_like = 0;
    sn_verdict_channel(e, q->name);
}

/* Noise that was estimated, against the scatter of neighbouring frequencies. */
static void say_scatter(const sn_fit *f, sn_estimate *e, int k)
{
    const sn_experiment *x = &f->s->experiment[k];
    const sn_part *p = &f->part[k];
    double most = 0;
    int column = -1, looked = 0;
    for (int c = 0; c < x->n_channel; c++) {
        double sum = 0, rough = 0, n = 0;
        if (x->known[c]) continue;
        for (int i = 2; i < x->n; i++) { /* second differences of independent numbers: 6 of their variance */
            double a = p->r[(i - 2) * x->n_channel + c], b = p->r[(i - 1) * x->n_channel + c],
                   d = p->r[i * x->n_channel + c], dd = a - 2 * b + d;
            if (!isnan(dd)) sum += b * b, rough += dd * dd / 6, n++;
        }
        if (n < 8 || !(rough > 0)) continue;
        looked++;
        /* log of the ratio: deviation about sqrt(4 / n) for independent residuals */
        double z = log(sum / rough) / sqrt(4 / n);
        if (z > most) most = z, column = c;
    }
    if (!looked) return;
    int bad = likely(most) / 2 * looked < rare;
    const char *name = column >= 0 ? x->modal->column[column].name : "";
    if (bad) {
        sn_estimate_verdict(
            e, 2, "residuals",
            "experiment '%s': the model does not explain it: residuals of %s are larger than neighbouring "
            "frequencies scatter (%.1f standard deviations), so that they are no noise",
            x->name, name, most);
        e->channel[k][column].noise_like = 0;
        sn_verdict_channel(e, name);
    } else
        sn_estimate_verdict(e, 0, "residuals",
                            "experiment '%s': residuals are as large as neighbouring frequencies scatter",
                            x->name);
}

/* ---- which mode is which ---- */

static void say_pairs(const sn_fit *f, sn_estimate *e, int k)
{
    const sn_experiment *x = &f->s->experiment[k];
    const sn_mode_pair *p = f->part[k].pair;
    char at[80];
    for (int i = 0; i < x->n; i++) {
        place(x, p, i, at, sizeof at);
        if (p[i].mac < 0.8)
            sn_estimate_verdict(
                e, 1, "model",
                "experiment '%s': no mode of the model has the shape of row %d: %s fits best, with a MAC "
                "of %.2f",
                x->name, i + 1, at, p[i].mac);
        if (p[i].rival && !isnan(p[i].mac) && p[i].rival_near && p[i].rival_mac > 0.9 * p[i].mac)
            sn_estimate_verdict(
                e, 1, "minimum",
                "experiment '%s': row %d may be mode %d or %d of the model (MAC %.2f and %.2f, nearly the "
                "same frequency): more sensors would tell, or a column 'mode'",
                x->name, i + 1, p[i].mode, p[i].rival, p[i].mac, p[i].rival_mac);
        if (p[i].rival && isnan(p[i].mac))
            sn_estimate_verdict(
                e, 1, "minimum",
                "experiment '%s': %s is paired by order, but the model's mode %d is nearer in frequency: "
                "was a mode missed? Shapes, or a column 'mode', would tell",
                x->name, at, p[i].rival);
        if (p[i].coincide > 1 && isnan(p[i].mac))
            sn_estimate_verdict(
                e, 1, "minimum",
                "experiment '%s': %d modes of the model coincide with %s: which of them was measured is not "
                "known",
                x->name, p[i].coincide, at);
    }
}

/* Two rows without shapes whose order the noise may have exchanged. */
static void say_order(const sn_fit *f, sn_estimate *e, int k)
{
    const sn_experiment *x = &f->s->experiment[k];
    for (int c = 0; c < x->n_channel && !x->modal->shapes; c++)
        for (int i = 0; i < x->n && x->modal->column[c].kind <= SN_COLUMN_NATURAL; i++)
            for (int j = 0; j < i; j++) {
                int a = i * x->n_channel + c, b = j * x->n_channel + c;
                double noise = x->sigma[c] * hypot(x->relative[a], x->relative[b]);
                if (x->modal->mode[i] || x->modal->mode[j] || fabs(x->y[a] - x->y[b]) > 3 * noise) continue;
                sn_estimate_verdict(
                    e, 1, "minimum",
                    "experiment '%s': rows %d and %d (%.5g and %.5g Hz) differ by no more than their noise, "
                    "and without shapes or a column 'mode' their order decides which is which",
                    x->name, j + 1, i + 1, x->y[b], x->y[a]);
            }
}

static sn_status say_assumed(sn_estimate *e, const sn_experiment *x, sn_err *err)
{
    static const char *const how[] = {"0.5 %", "0.5 %", "10 %"};
    sn_text t = {0};
    int shape = 0;
    for (int c = 0; c < x->n_channel; c++) {
        int kind = x->modal->column[c].kind;
        if (!x->modal->assumed[c] || (sn_is_shape(kind) && shape++)) continue;
        sn_text_add(&t, "%s%s %s", t.n ? ", " : "", sn_is_shape(kind) ? "shape" : x->modal->column[c].name,
                    sn_is_shape(kind) ? "3 %" : how[kind]);
    }
    if (t.n && !t.failed)
        sn_estimate_verdict(
            e, 1, "data",
            "experiment '%s': noise that is not stated is assumed (%s), and standard errors go with it: "
            "state it, as noise: {frequency: 0.1 %%}",
            x->name, t.text);
    int failed = t.failed;
    sn_free(t.text);
    return failed ? SN_OUT_OF_MEM(err) : SN_OK;
}

sn_status sn_judge_modal(sn_fit *f, sn_estimate *e, sn_err *err)
{
    for (int k = 0; k < f->s->n_experiment; k++) {
        const sn_experiment *x = &f->s->experiment[k];
        if (!x->sort || x->hold_out) continue;
        SN_TRY(say_assumed(e, x, err));
        sums t = add_up(f, e, k);
        if (t.n) say_size(f, e, k, &t);
        say_scatter(f, e, k);
        if (x->sort != SN_MODES) continue;
        say_pairs(f, e, k);
        say_order(f, e, k);
    }
    return SN_OK;
}
