#include "identify/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THIN = 20000 };             /* numbers of a column that are kept to compare it with others */
static const double absurd = 1e15; /* no number is so large: its column is rounding */

void sn_score_free(sn_score *s)
{
    if (!s) return;
    for (int e = 0; e < s->f->s->n_experiment; e++) {
        if (s->phi) sn_free(s->phi[e]);
        if (s->left) sn_free(s->left[e]);
    }
    sn_projection_free(s->projection);
    sn_free(s->count), sn_free(s->square), sn_free(s->seen), sn_free(s->after), sn_free(s->dz);
    sn_free(s->phi), sn_free(s->left);
    sn_free(s);
}

/* ---- the noise seen ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What a line through both neighbours leaves of the residuals of a channel; list NULL: only how many. */
static size_t second_differences(const sn_fit *f, int channel, double *list)
{
    size_t n = 0;
    for (int e = 0; e < f->s->n_experiment; e++) {
        const sn_experiment *x = &f->s->experiment[e];
        for (int c = 0; !x->hold_out && c < x->n_channel; c++)
            for (int i = 1; !x->sort && x->channel[c] == channel && i + 1 < x->n; i++) {
                const double *r = f->part[e].r + (size_t)i * (size_t)x->n_channel + c;
                double d = r[0] - (r[-x->n_channel] + r[x->n_channel]) / 2;
                if (isnan(d)) continue;
                if (list) list[n] = fabs(d);
                n++;
            }
    }
    return n;
}

/* By their median, which the jumps of dry friction hardly move; of white noise it is that of a normal
   distribution of variance 3/2. */
static sn_status look_at_noise(sn_score *s, sn_err *err)
{
    for (int c = 0; c < s->channels; c++) {
        size_t n = second_differences(s->f, c, NULL);
        double mean = s->count[c] > 0 ? s->square[c] / s->count[c] : 0, *d;
        s->seen[c] = c == s->channels - 1 ? fmin(mean, 1) : mean; /* in units of their noise */
        if (n < 20) continue;
        if (!SN_NEW(d, n)) return SN_OUT_OF_MEM(err);
        second_differences(s->f, c, d);
        qsort(d, n, sizeof *d, ascending);
        double sigma = 1.4826 * 0.5 * (d[(n - 1) / 2] + d[n / 2]);
        s->seen[c] = fmin(mean, fmax(sigma * sigma / 1.5, 1e-12 * mean));
        sn_free(d);
    }
    return SN_OK;
}

/* ---- sums of squares ---- */

/* Of each channel; those of gross outliers do not count where the loss function says so. */
static void add_squares(const sn_score *s, double *const *r, double *sum, double *count)
{
    memset(sum, 0, sizeof *sum * (size_t)s->channels);
    for (int e = 0; e < s->f->s->n_experiment; e++) {
        const sn_experiment *x = &s->f->s->experiment[e];
        for (int i = 0; !x->hold_out && i < x->n * x->n_channel; i++) {
            if (isnan(s->f->part[e].r[i]) || isnan(r[e][i])) continue;
            int c = x->sort ? s->channels - 1 : x->channel[i % x->n_channel];
            sum[c] += r[e][i] * r[e][i];
            if (count) count[c]++;
        }
    }
}

static void count_gain(const sn_score *s, sn_gain *g)
{
    double left = 0;
    g->chi_square = g->log_likelihood = 0;
    for (int c = 0; c < s->channels; c++) {
        if (!(s->square[c] > 0)) continue;
        double after = fmax(s->after[c], 1e-14 * s->square[c]);
        g->chi_square += (s->square[c] - after) / s->seen[c];
        g->log_likelihood += s->count[c] / 2 * log(s->square[c] / after);
        left += after / s->seen[c];
    }
    g->left = sqrt(left / s->total);
    /* what is seen of the noise may be too much, and the excess too small */
    double excess = fmax(s->excess, g->chi_square);
    g->explains = excess > 0 ? fmax(0, g->chi_square / excess) : 0;
}

/* Residuals as they count: without what the loss function takes for outliers. */
static double residual_of(const sn_fit *f, int e, size_t i)
{
    double r = f->part[e].r[i], most = f->s->huber > 0 ? 3 * f->s->huber : INFINITY;
    return fabs(r) > most ? NAN : r;
}

sn_status sn_score_new(const sn_fit *f, const sn_estimate *e, sn_score **out, sn_err *err)
{
    sn_score *s;
    const sn_study *y = f->s;
    *out = NULL;
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    s->f = f, s->e = e, s->channels = sn_channel_count(y->model) + 1; /* the last: modes and responses */
    size_t n = (size_t)s->channels + 1;
    int good = SN_NEW(s->count, n) && SN_NEW(s->square, n) && SN_NEW(s->seen, n) && SN_NEW(s->after, n) &&
               SN_NEW(s->dz, f->n + 1) && SN_NEW(s->phi, y->n_experiment + 1) &&
               SN_NEW(s->left, y->n_experiment + 1);
    for (int k = 0; good && k < y->n_experiment; k++) {
        const sn_experiment *x = &y->experiment[k];
        size_t samples = (size_t)x->n * (size_t)x->n_channel;
        if (x->hold_out) continue;
        good = SN_NEW(s->phi[k], samples + 1) && SN_NEW(s->left[k], samples + 1);
        for (size_t i = 0; good && i < samples; i++) s->left[k][i] = residual_of(f, k, i);
    }
    sn_status status = good ? SN_OK : SN_OUT_OF_MEM(err);
    if (!status) add_squares(s, s->left, s->square, s->count);
    if (!status) status = look_at_noise(s, err);
    for (int c = 0; !status && c < s->channels; c++) {
        s->total += s->count[c];
        if (!(s->square[c] > 0)) continue;
        s->excess += s->square[c] / s->seen[c] - s->count[c];
        s->possible += s->count[c] / 2 * log(s->square[c] / s->count[c] / s->seen[c]);
    }
    if (!status) status = sn_projection_new(f, e->at_bound, &s->projection, err);
    if (status)
        sn_score_free(s);
    else
        *out = s;
    return status;
}

/* ---- one column ---- */

/* The column of unknown k of g, in s->phi. */
static double take_column(sn_score *s, const sn_fit *g, int k)
{
    double square = 0;
    for (int e = 0; e < g->s->n_experiment; e++) {
        const sn_experiment *x = &g->s->experiment[e];
        const sn_part *p = &g->part[e];
        int a = 0;
        if (x->hold_out) continue;
        while (a < p->n && p->unknown[a] != k) a++;
        for (size_t i = 0; i < (size_t)x->n * (size_t)x->n_channel; i++) {
            double r = residual_of(s->f, e, i), v = a < p->n ? p->J[i * (size_t)p->n + (size_t)a] : 0;
            s->phi[e][i] = isnan(r) ? NAN : v;
            if (!isnan(r)) square += v * v;
        }
    }
    return square;
}

/* The column becomes what the unknowns cannot do of it; s->left the residuals with c of it. Returns the
   square of the former. */
static double make_orthogonal(sn_score *s, double c)
{
    double square = 0;
    for (int e = 0; e < s->f->s->n_experiment; e++) {
        const sn_experiment *x = &s->f->s->experiment[e];
        const sn_part *p = &s->f->part[e];
        for (size_t i = 0; !x->hold_out && i < (size_t)x->n * (size_t)x->n_channel; i++) {
            if (isnan(s->phi[e][i])) {
                s->left[e][i] = NAN;
                continue;
            }
            for (int a = 0; a < p->n; a++)
                s->phi[e][i] += p->J[i * (size_t)p->n + (size_t)a] * s->dz[p->unknown[a]];
            s->left[e][i] = p->r[i] + c * s->phi[e][i];
            square += s->phi[e][i] * s->phi[e][i];
        }
    }
    return square;
}

/* Variance of the sum of phi times what is left, by batches of neighbours. */
static double batch_variance(const sn_score *s)
{
    double sum = 0;
    for (int e = 0; e < s->f->s->n_experiment; e++) {
        const sn_experiment *x = &s->f->s->experiment[e];
        int length = (int)ceil(sqrt((double)x->n));
        for (int c = 0; !x->hold_out && c < x->n_channel; c++)
            for (int begin = 0; begin < x->n; begin += length) {
                double batch = 0;
                for (int i = begin; i < x->n && i < begin + length; i++) {
                    size_t at = (size_t)i * (size_t)x->n_channel + (size_t)c;
                    if (!isnan(s->left[e][at])) batch += s->phi[e][at] * s->left[e][at];
                }
                sum += batch * batch;
            }
    }
    return sum;
}

/* Some thousand numbers of the column, of unit size. */
static sn_status keep_column(const sn_score *s, double size, sn_candidate *c, sn_arena *arena, sn_err *err)
{
    size_t total = 0, step, at = 0;
    for (int e = 0; e < s->f->s->n_experiment; e++) {
        const sn_experiment *x = &s->f->s->experiment[e];
        if (!x->hold_out) total += (size_t)x->n * (size_t)x->n_channel;
    }
    step = total / THIN + 1;
    c->column = sn_arena_alloc(arena, total / step + 2, sizeof *c->column);
    if (!c->column) return SN_OUT_OF_MEM(err);
    for (int e = 0; e < s->f->s->n_experiment; e++) {
        const sn_experiment *x = &s->f->s->experiment[e];
        for (size_t i = 0; !x->hold_out && i < (size_t)x->n * (size_t)x->n_channel; i++)
            if (at++ % step == 0)
                c->column[c->n_column++] = isnan(s->phi[e][i]) ? 0 : (float)(s->phi[e][i] / size);
    }
    return SN_OK;
}

sn_status sn_score_candidate(sn_score *s, const sn_fit *g, int k, sn_candidate *c, sn_arena *arena, int *has,
                             sn_err *err)
{
    double whole = take_column(s, g, k);
    *has = 0;
    c->p = 1;
    if (!(whole > 0) || !isfinite(whole)) return SN_OK;
    sn_addition a = sn_projection_add(s->projection, s->phi, s->dz);
    if (isnan(a.c) || a.own < 1e-8 || fabs(a.c) > absurd) return SN_OK;
    double step = fmin(fmax(c->now + a.c, c->lower), c->upper) - c->now;
    double square = make_orthogonal(s, step);
    add_squares(s, s->left, s->after, NULL);
    count_gain(s, &c->score);
    double white = 0;
    for (int i = 0; i < s->channels; i++) white += s->after[i] / s->total;
    double error = sqrt(fmax(batch_variance(s), square * white)) / square;
    c->score.value = c->now + step, c->score.std_error = error;
    int one_sided = c->now <= c->lower || c->now >= c->upper;
    if (step != 0) c->p = erfc(fabs(a.c / error) / sqrt(2)) / (one_sided ? 2 : 1);
    for (int i = 0; i < s->f->n; i++) {
        double v = s->e->covariance[(size_t)i * (size_t)s->f->n + (size_t)i];
        c->score.moves[i] = isfinite(v) && v > 0 ? step * s->dz[i] / sqrt(v) : NAN;
    }
    *has = 1;
    return keep_column(s, sqrt(square), c, arena, err);
}

void sn_score_fit(sn_score *s, const sn_fit *g, sn_gain *gain)
{
    for (int e = 0; e < s->f->s->n_experiment; e++) {
        const sn_experiment *x = &s->f->s->experiment[e];
        for (size_t i = 0; !x->hold_out && i < (size_t)x->n * (size_t)x->n_channel; i++)
            s->left[e][i] = isnan(residual_of(s->f, e, i)) ? NAN : g->part[e].r[i];
    }
    add_squares(s, s->left, s->after, NULL);
    count_gain(s, gain);
}
