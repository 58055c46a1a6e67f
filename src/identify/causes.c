#include "identify/causes.h"
#include "identify/residual_tests.h"
#include "identify/smoothing.h"
#include "identify/statistics.h"

#include <math.h>
#include <string.h>

enum { FEW = 12, MANY_EXPERIMENTS = 8, SHIFTS = 8 };
static const double certain = 1e-3, nearly = 0.8;
static const double most = 0.7, most_of_several = 0.8; /* of what can be explained at all */
/* in 2 ln L: by so much two faults must explain more than one; less is not worth a better look */
static const double two_for_one = 12;

/* Time series that are fitted. */
static int is_asked(const sn_experiment *x) { return !x->hold_out && !x->modal; }

void sn_causes_free(sn_causes *q)
{
    if (!q) return;
    double *const d[] = {q->r,    q->phi,    q->left,  q->rate,  q->made, q->first, q->dz,
                         q->seen, q->square, q->after, q->count, q->kept, q->pull};
    for (size_t i = 0; i < sizeof d / sizeof *d; i++) sn_free(d[i]);
    for (int k = 0; k < SN_CAUSES; k++) sn_free(q->cause[k].moves);
    sn_free(q->at), sn_free(q->slot), sn_free(q->view);
    sn_projection_free(q->projection);
    sn_free(q);
}

/* ---- set up ---- */

static void take_part(sn_causes *q, int e)
{
    const sn_experiment *x = &q->f->s->experiment[e];
    const sn_part *p = &q->f->part[e];
    for (int i = 0; i < x->n; i++)
        for (int c = 0; c < x->n_channel; c++) {
            size_t k = (size_t)i * (size_t)x->n_channel + (size_t)c;
            double r = p->r[k];
            q->rate[q->at[e] + k] = sn_cause_rate(x, p->model, c, i);
            if (!isnan(r)) q->count[q->slot[e] + c]++;
            q->r[q->at[e] + k] = isnan(r) ? 0 : q->f->s->huber > 0 ? fmax(-3, fmin(r, 3)) : r;
        }
}

/* Variance of the noise that residuals of a slot show from sample to sample; where that cannot be told, all.
 */
static sn_status see_noise(sn_causes *q, int e, int c, sn_err *err)
{
    const sn_experiment *x = &q->f->s->experiment[e];
    double *t, *r;
    int n = 0;
    if (!SN_NEW(t, 2 * (size_t)x->n + 1)) return SN_OUT_OF_MEM(err);
    r = t + x->n;
    for (int i = 0; i < x->n; i++) {
        size_t k = (size_t)i * (size_t)x->n_channel + (size_t)c;
        if (!isnan(q->f->part[e].r[k])) t[n] = x->t[i], r[n++] = q->r[q->at[e] + k];
    }
    double seen = sn_noise_seen(n, t, r), all = n ? q->square[q->slot[e] + c] / n : 1;
    q->seen[q->slot[e] + c] = seen > 0 && seen * seen < all ? seen * seen : all;
    sn_free(t);
    return SN_OK;
}

/* Sums of squares of each slot of a vector. */
static void squares(const sn_causes *q, const double *r, double *to)
{
    const sn_study *s = q->f->s;
    memset(to, 0, sizeof *to * (size_t)q->slots);
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        const double *own = r + q->at[e];
        for (int i = 0; is_asked(x) && i < x->n; i++)
            for (int c = 0; c < x->n_channel; c++, own++) to[q->slot[e] + c] += *own * *own;
    }
}

sn_status sn_causes_new(sn_fit *f, const sn_estimate *e, sn_causes **out, sn_err *err)
{
    const sn_study *s = f->s;
    sn_causes *q;
    *out = NULL;
    if (!SN_NEW(q, 1)) return SN_OUT_OF_MEM(err);
    q->f = f;
    sn_status status = SN_NEW(q->at, s->n_experiment + 1) && SN_NEW(q->slot, s->n_experiment + 1) &&
                               SN_NEW(q->view, s->n_experiment + 1)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    for (int k = 0; !status && k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        q->at[k] = q->n, q->slot[k] = q->slots;
        if (is_asked(x)) q->n += (size_t)x->n * (size_t)x->n_channel, q->slots += x->n_channel;
    }
    size_t n = q->n + 1, slots = (size_t)q->slots + 1;
    if (!status && (!SN_NEW(q->r, n) || !SN_NEW(q->phi, n) || !SN_NEW(q->left, n) || !SN_NEW(q->rate, n) ||
                    !SN_NEW(q->made, SN_CAUSES * n) || !SN_NEW(q->first, n) || !SN_NEW(q->kept, n) ||
                    !SN_NEW(q->dz, f->n + 1) || !SN_NEW(q->count, slots) || !SN_NEW(q->square, slots) ||
                    !SN_NEW(q->after, slots) || !SN_NEW(q->seen, slots) || !SN_NEW(q->pull, slots)))
        status = SN_OUT_OF_MEM(err);
    for (int k = 0; k < SN_CAUSES && !status; k++)
        if (!SN_NEW(q->cause[k].moves, f->n + 1)) status = SN_OUT_OF_MEM(err);
    if (!status) status = sn_projection_new(f, e->at_bound, &q->projection, err);
    if (!status) status = sn_causes_pull(q, err);
    for (int k = 0; k < s->n_experiment && !status; k++)
        if (is_asked(&s->experiment[k])) take_part(q, k);
    if (!status) memcpy(q->first, q->r, q->n * sizeof *q->r), squares(q, q->r, q->square);
    for (int k = 0; k < s->n_experiment && !status; k++)
        for (int c = 0; is_asked(&s->experiment[k]) && c < s->experiment[k].n_channel && !status; c++)
            status = see_noise(q, k, c, err);
    if (status)
        sn_causes_free(q);
    else
        *out = q;
    return status;
}

/* ---- columns ---- */

/* phi: the column in units of the noise, made orthogonal to the Jacobian and to what was taken. Its square;
   0: the unknowns can do the same. */
static double make_column(sn_causes *q, const sn_cause *a)
{
    const sn_study *s = q->f->s;
    double before = 0, own = 0;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        const double *r = q->f->part[e].r;
        double *phi = q->phi + q->at[e];
        q->view[e] = NULL;
        if (!is_asked(x)) continue;
        int any = 0;
        double room[SN_AR_MOST];
        for (int i = 0; i < x->n; i++)
            for (int c = 0; c < x->n_channel; c++, phi++, r++) {
                *phi = isnan(*r) ? 0 : sn_cause_column(q, a, e, i, c) * sqrt(x->weight) / x->sigma[c];
                if (isnan(*phi)) *phi = 0;
            }
        phi = q->phi + q->at[e];
        sn_part_whiten(x, &q->f->part[e], phi, room);
        for (int i = 0; i < x->n * x->n_channel; i++) before += phi[i] * phi[i], any |= phi[i] != 0;
        if (any) q->view[e] = q->phi + q->at[e];
    }
    if (!(before > 0)) return 0;
    sn_projection_add(q->projection, q->view, q->dz);
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        const sn_part *p = &q->f->part[e];
        size_t n = (size_t)p->n;
        for (size_t i = 0; is_asked(x) && i < (size_t)x->n * (size_t)x->n_channel; i++)
            for (size_t k = 0; !isnan(p->r[i]) && k < n; k++)
                q->phi[q->at[e] + i] += p->J[i * n + k] * q->dz[p->unknown[k]];
    }
    for (int k = 0; k < q->n_cause; k++) {
        const double *u = q->made + (size_t)k * q->n;
        double dot = 0;
        for (size_t i = 0; i < q->n; i++) dot += u[i] * q->phi[i];
        for (size_t i = 0; i < q->n; i++) q->phi[i] -= dot * u[i];
    }
    for (size_t i = 0; i < q->n; i++) own += q->phi[i] * q->phi[i];
    /* a force that may be anything does almost what a gain of all sensors does: nothing is known of that */
    return own > (sn_smoothing_needed(s) ? 1e-3 : 1e-6) * before ? own : 0;
}

/* ---- one test ---- */

/* Correlation of what is left of a slot with its neighbours, as that of an autoregression: the largest that
   lags 1 to 3 tell where they are more than chance. */
static double colour(const sn_causes *q, int e, int c)
{
    const sn_experiment *x = &q->f->s->experiment[e];
    const double *r = q->left + q->at[e] + c;
    double square = q->after[q->slot[e] + c], a = 0, n = q->count[q->slot[e] + c];
    for (int lag = 1; lag <= 3 && square > 0; lag++) {
        double sum = 0;
        for (int i = lag; i < x->n; i++)
            sum += r[(size_t)i * (size_t)x->n_channel] * r[(size_t)(i - lag) * (size_t)x->n_channel];
        if (sum / square > 3 / sqrt(n)) a = fmax(a, pow(sum / square, 1.0 / lag));
    }
    return fmin(a, 0.98);
}

/* Variance of phi'r where r is what is left. */
static double scatter(const sn_causes *q)
{
    const sn_study *s = q->f->s;
    double all = 0;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        for (int c = 0; is_asked(x) && c < x->n_channel; c++) {
            double n = q->count[q->slot[e] + c], a, carried = 0, sum = 0;
            if (n < 1) continue;
            a = colour(q, e, c);
            for (int i = 0; i < x->n; i++) {
                double phi = q->phi[q->at[e] + (size_t)i * (size_t)x->n_channel + (size_t)c];
                carried = phi + a * carried;
                sum += (2 * carried - phi) * phi;
            }
            all += q->after[q->slot[e] + c] / n * sum;
        }
    }
    return all;
}

/* Fills c, its standard error, gain and p; 0: nothing to be said. */
static int test_linear(sn_causes *q, sn_cause *a)
{
    double own = make_column(q, a), dot = 0;
    a->gain = 0, a->p = 1;
    if (!(own > 0)) return 0;
    for (size_t i = 0; i < q->n; i++) dot += q->phi[i] * q->r[i];
    a->c = -(dot + sn_cause_pull(q, a)) / own;
    for (size_t i = 0; i < q->n; i++) q->left[i] = q->r[i] + a->c * q->phi[i];
    squares(q, q->left, q->after);
    for (int k = 0; k < q->slots; k++)
        if (q->after[k] > 0 && q->square[k] > 0) a->gain += q->count[k] * log(q->square[k] / q->after[k]);
    double var = scatter(q);
    a->std_error = sqrt(var) / own;
    if (var > 0) a->p = fmin(1, sn_normal_tail(a->c / a->std_error) * q->tests);
    return var > 0 && isfinite(a->c);
}

/* The same. A delay is no longer a matter of rates where it is a good part of a radian of what moves: it is
   found again with the signal moved by it, until it stays. With that the change of a sine by a delay d is
   met in steps whose errors fall by (w d)^2 / 12; where they do not fall the linear answer stands. */
static int test(sn_causes *q, sn_cause *a)
{
    int sure = test_linear(q, a);
    sn_cause b = *a;
    if (!sure || a->gain < two_for_one || (a->kind != SN_CAUSE_DELAY && a->kind != SN_CAUSE_CLOCK))
        return sure;
    for (int i = 0; i < SHIFTS; i++) {
        double was = b.shift = b.c;
        if (!test_linear(q, &b) || !(fabs(b.c) < 3 * fabs(a->c)) || b.c * a->c <= 0) return sure;
        if (fabs(b.c - was) < 0.1 * b.std_error) {
            if (b.gain > a->gain) *a = b;
            return sure;
        }
    }
    return sure;
}

/* ---- all ---- */

typedef struct list {
    sn_causes *q;
    int counting, n;      /* only count them */
    sn_cause best, rival; /* by gain, of those that are sure */
    sn_cause pair[2];     /* the best two of one channel; gains of the first, and of the second beside it */
} list;

/* Of two that explain the same the simpler and commoner is preferred, by so much in 2 ln L. Of a signal that
   hardly moves about its mean an offset is a small gain. */
static double worth(const sn_cause *a)
{
    static const double handicap[] = {
        [SN_CAUSE_DRIFT] = 4, [SN_CAUSE_FACTOR] = 4, [SN_CAUSE_CROSS] = 12, [SN_CAUSE_TURN] = 8};
    double less = a->kind == SN_CAUSE_GAIN && fabs(a->c) < 0.01 ? 6 : handicap[a->kind];
    return a->gain > 0 ? a->gain - less : 0;
}

static int is_taken(const sn_causes *q, const sn_cause *a)
{
    for (int k = 0; k < q->n_cause; k++) {
        const sn_cause *b = &q->cause[k];
        if (b->kind == a->kind && b->experiment == a->experiment && b->channel == a->channel &&
            b->other == a->other)
            return 1;
    }
    return 0;
}

static void consider(list *l, sn_cause a)
{
    if (l->counting) {
        l->n++;
        return;
    }
    if (is_taken(l->q, &a)) return;
    if (!test(l->q, &a) || !(a.p < certain)) return;
    if (worth(&a) > worth(&l->best))
        l->rival = l->best, l->best = a;
    else if (worth(&a) > worth(&l->rival))
        l->rival = a;
}

/* Two channels of one sensor with one unit. */
static int are_a_pair(const sn_study *s, int a, int b)
{
    sn_channel x = sn_channel_get(s->model, a), y = sn_channel_get(s->model, b);
    return a != b && !strcmp(x.sensor, y.sensor) && !strcmp(x.unit, y.unit);
}

/* What it explains is taken out of the residuals, and its column kept for others to be tested beside it. */
static void put_in(sn_causes *q, const sn_cause *a)
{
    double *u = q->made + (size_t)q->n_cause * q->n, own = make_column(q, a);
    for (size_t i = 0; i < q->n; i++) {
        q->r[i] += a->c * q->phi[i];
        u[i] = own > 0 ? q->phi[i] / sqrt(own) : 0;
    }
    q->n_cause++;
    squares(q, q->r, q->square);
}

/* Back to n causes and the residuals that these leave. */
static void go_back(sn_causes *q, int n, const double *r)
{
    memcpy(q->r, r, q->n * sizeof *r);
    q->n_cause = n;
    squares(q, q->r, q->square);
}

/* Two faults of one channel: each must be sure beside the other. */
static void consider_pair(list *l, sn_cause a, sn_cause b)
{
    sn_causes *q = l->q;
    int n = q->n_cause;
    if (l->counting) {
        l->n++;
        return;
    }
    if (n + 2 > SN_CAUSES || is_taken(q, &a) || is_taken(q, &b)) return;
    memcpy(q->kept, q->r, q->n * sizeof *q->r);
    sn_cause first = a, second = b;
    int sure = test(q, &b);
    if (sure) put_in(q, &b), sure = test(q, &a) && a.p < certain, go_back(q, n, q->kept);
    if (sure) sure = test(q, &first);
    if (sure) put_in(q, &first), sure = test(q, &second) && second.p < certain, go_back(q, n, q->kept);
    if (sure && first.gain + second.gain > l->pair[0].gain + l->pair[1].gain)
        l->pair[0] = first, l->pair[1] = second;
}

/* Single faults of a channel, and where they are asked for two of them. */
static void consider_channel(list *l, int experiment, int channel)
{
    for (int k = SN_CAUSE_OFFSET; k <= SN_CAUSE_DRIFT; k++) {
        sn_cause a = {.kind = k, .experiment = experiment, .channel = channel, .other = -1};
        consider(l, a);
        for (int i = SN_CAUSE_OFFSET; i < k && l->q->pairs; i++) {
            sn_cause b = {.kind = i, .experiment = experiment, .channel = channel, .other = -1};
            consider_pair(l, a, b);
        }
    }
}

static void consider_experiment(list *l, int e)
{
    const sn_study *s = l->q->f->s;
    const sn_experiment *x = &s->experiment[e];
    if (x->n_channel > 1) consider(l, (sn_cause){.kind = SN_CAUSE_CLOCK, .experiment = e});
    for (int c = 0; c < x->n_channel; c++) {
        int alike = 0, first = c;
        if (l->q->count[l->q->slot[e] + c] < FEW) continue;
        consider_channel(l, e, c);
        for (int b = 0; b < x->n_channel; b++) {
            if (!strcmp(sn_channel_get(s->model, x->channel[c]).unit,
                        sn_channel_get(s->model, x->channel[b]).unit))
                alike++, first = b < first ? b : first;
            if (!are_a_pair(s, x->channel[c], x->channel[b])) continue;
            consider(l, (sn_cause){.kind = SN_CAUSE_CROSS, .experiment = e, .channel = c, .other = b});
            if (c < b)
                consider(l, (sn_cause){.kind = SN_CAUSE_TURN, .experiment = e, .channel = c, .other = b});
        }
        if (alike > 1 && first == c)
            consider(l, (sn_cause){.kind = SN_CAUSE_FACTOR, .experiment = e, .channel = c, .other = -1});
    }
}

static int is_measured(const sn_study *s, int channel)
{
    int n = 0;
    for (int e = 0; e < s->n_experiment; e++)
        for (int c = 0; is_asked(&s->experiment[e]) && c < s->experiment[e].n_channel; c++)
            n += s->experiment[e].channel[c] == channel;
    return n;
}

/* Sensors are the same in all experiments. */
static void consider_all(list *l)
{
    const sn_study *s = l->q->f->s;
    int channels = sn_channel_count(s->model);
    if (s->n_fit < 2) return;
    consider(l, (sn_cause){.kind = SN_CAUSE_CLOCK, .experiment = -1, .channel = -1, .other = -1});
    for (int a = 0; a < channels; a++) {
        if (is_measured(s, a) < 2) continue;
        consider_channel(l, -1, a);
        for (int b = 0; b < channels; b++) {
            if (!are_a_pair(s, a, b) || is_measured(s, b) < 2) continue;
            consider(l, (sn_cause){.kind = SN_CAUSE_CROSS, .experiment = -1, .channel = a, .other = b});
            if (a < b)
                consider(l, (sn_cause){.kind = SN_CAUSE_TURN, .experiment = -1, .channel = a, .other = b});
        }
    }
}

static void consider_each(list *l)
{
    const sn_study *s = l->q->f->s;
    consider_all(l);
    for (int e = 0; e < s->n_experiment; e++)
        if (is_asked(&s->experiment[e]) && s->n_fit <= MANY_EXPERIMENTS) consider_experiment(l, e);
}

/* The best becomes one of the causes. */
static void take(sn_causes *q, const sn_cause *a)
{
    sn_cause *to = &q->cause[q->n_cause], now = *a;
    now.moves = to->moves, *to = now;
    q->explained += now.gain;
    put_in(q, a);
}

/* How large each is beside the others, and how the unknowns would move. */
static void settle(sn_causes *q)
{
    int n = q->n_cause;
    memcpy(q->kept, q->r, q->n * sizeof *q->r);
    for (int k = 0; k < n; k++) {
        sn_cause own = q->cause[k], other;
        go_back(q, 0, q->first);
        for (int i = 0; i < n; i++)
            if (i != k && (other = q->cause[i], test_linear(q, &other))) put_in(q, &other);
        if (n > 1 && test_linear(q, &own)) q->cause[k].c = own.c, q->cause[k].std_error = own.std_error;
        q->n_cause = 0;
        make_column(q, &own);
        for (int i = 0; i < q->f->n; i++) q->cause[k].moves[i] = q->cause[k].c * q->dz[i];
    }
    go_back(q, n, q->kept);
}

/* Is what the causes leave of every slot noise? */
static sn_status look_at_rest(sn_causes *q, sn_err *err)
{
    const sn_study *s = q->f->s;
    sn_status status = SN_OK;
    q->noise = 1;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        for (int c = 0; is_asked(x) && c < x->n_channel && !status; c++) {
            sn_arena arena = {0};
            sn_whiteness w;
            sn_residual_tests t;
            int n = 0;
            for (int i = 0; i < x->n; i++) {
                size_t k = (size_t)i * (size_t)x->n_channel + (size_t)c;
                if (!isnan(q->f->part[e].r[k])) q->left[n++] = q->r[q->at[e] + k];
            }
            status = sn_whiteness_of(&arena, n, q->left, &w, err);
            if (!status) status = sn_residual_tests_of(n, q->left, w.p, &t, err);
            if (!status && t.least * q->slots < certain) q->noise = 0;
            sn_arena_free(&arena);
        }
    }
    return status;
}

/* One after the other, the best first. */
static sn_status search(sn_causes *q, sn_err *err)
{
    list l = {.q = q, .counting = 1};
    consider_each(&l);
    q->tests = l.n, q->explained = 0, q->explains = 0, q->rival.gain = 0;
    while (q->n_cause < SN_CAUSES) {
        l = (list){.q = q};
        consider_each(&l);
        int pair = l.pair[1].gain > 0 && l.pair[0].gain + l.pair[1].gain > worth(&l.best) + two_for_one;
        if (!pair && !(l.best.gain > 0)) break;
        if (!pair && !q->n_cause && l.rival.gain > nearly * l.best.gain) q->rival = l.rival;
        take(q, pair ? &l.pair[0] : &l.best);
        if (pair) take(q, &l.pair[1]);
    }
    if (!q->n_cause) return SN_OK;
    double part = q->possible > 0 ? q->explained / q->possible : 1;
    SN_TRY(look_at_rest(q, err));
    q->explains = q->noise || part > (q->n_cause > 1 ? most_of_several : most);
    return SN_OK;
}

sn_status sn_causes_find(sn_causes *q, sn_err *err)
{
    for (int k = 0; k < q->slots; k++)
        if (q->count[k] >= FEW && q->seen[k] > 0)
            q->possible += q->count[k] * log(q->square[k] / q->count[k] / q->seen[k]);
    SN_TRY(search(q, err));
    if (!q->explains) {
        q->pairs = 1;
        go_back(q, 0, q->first);
        SN_TRY(search(q, err));
    }
    settle(q);
    return SN_OK;
}
