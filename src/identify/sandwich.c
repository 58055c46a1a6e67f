/* Covariance of the estimates where residuals are not white, or a loss function was used: see colour.h.

   J' S J of a series: noise is r_t = sum psi_k e_(t-k), so that J'r = sum over s of e_s u_s with
   u_s = sum psi_k j_(s+k), the columns of J filtered backwards in time, beyond the first sample until nothing
   is left. Channels whose innovations e are correlated share s: J' S J = sum of cov(e_c, e_d) u_c u_d'.

   How far such a covariance can be believed: its own scatter follows from that of the models' numbers, and
   makes the degrees of freedom of Student's distribution (Satterthwaite, Biometrics 2, 1946). */
#include "identify/colour.h"
#include "identify/statistics.h"

#include <math.h>
#include <string.h>

enum { FAR = 20000 };

static int channels_of(const sn_study *s)
{
    int n = 0;
    for (int k = 0; k < s->n_experiment; k++)
        if (!s->experiment[k].hold_out) n += s->experiment[k].n_channel;
    return n;
}

static int is_rounding(const sn_estimate *e, int experiment, int channel)
{
    const sn_experiment *x = &e->s->experiment[experiment];
    return e->channel[experiment][channel].rms <= 2e-7 * sn_experiment_spread(x, x->channel[channel]);
}

int sn_channel_coloured(const sn_estimate *e, int experiment, int channel)
{
    const double *p = e->channel[experiment][channel].tests.p;
    double least = fmin(p[SN_TEST_NEIGHBOURS], fmin(p[SN_TEST_PATTERN], p[SN_TEST_LINE]));
    return 3 * least * channels_of(e->s) < 0.01 && !is_rounding(e, experiment, channel);
}

/* Residuals larger than the stated noise, beyond chance. */
static int is_larger(const sn_estimate *e, int experiment, int channel)
{
    const sn_channel_fit *q = &e->channel[experiment][channel];
    return q->known && q->rms > q->sigma && q->size_p * channels_of(e->s) < 0.01;
}

/* ---- J' S J ---- */

/* A filter backwards in time of the columns of one channel: the values before, ring of p rows of n. */
typedef struct back {
    const sn_noise_model *m;
    double *u, *past;
    size_t n;
    int at;
    double top, last; /* largest |u| ever, and now */
} back;

/* One step to earlier times; j (n, or NULL): what is added there. */
static void step_back(back *b, const double *j)
{
    size_t n = b->n, p = (size_t)b->m->p;
    for (size_t a = 0; a < n; a++) b->u[a] = j ? j[a] : 0;
    for (size_t k = 0; k < p; k++) {
        const double *past = b->past + ((size_t)b->at + k) % p * n;
        for (size_t a = 0; a < n; a++) b->u[a] += b->m->a[k] * past[a];
    }
    b->last = 0;
    for (size_t a = 0; a < n; a++) b->last = fmax(b->last, fabs(b->u[a]));
    b->top = fmax(b->top, b->last);
    if (!p) return;
    b->at = (int)(((size_t)b->at + p - 1) % p);
    memcpy(b->past + (size_t)b->at * n, b->u, sizeof(double) * n);
}

static int open_back(back *b, const sn_noise_model *m, size_t n)
{
    *b = (back){.m = m, .n = n};
    return SN_NEW(b->u, n * (size_t)(m->p + 1) + 1) ? (b->past = b->u + n, 1) : 0;
}

/* B += f (x y' + y x') / 2 */
static void add_product(size_t n, double f, const double *x, const double *y, double *B)
{
    for (size_t a = 0; a < n; a++)
        for (size_t k = 0; k <= a; k++) B[a * n + k] += 0.5 * f * (x[a] * y[k] + y[a] * x[k]);
}

/* One or all channels of an experiment on a grid; cov: of innovations, channels x channels. */
static void add_grid(const sn_experiment *x, const sn_part *p, int channels, const int *channel, back *b,
                     const double *cov, double *B)
{
    double dt = 0;
    for (int c = 0; c < channels; c++) dt = fmax(dt, b[c].m->dt);
    for (int i = x->n - 1, steps = 0; i >= 0; i--) {
        int next = i ? sn_grid_steps(dt, x->t[i - 1], x->t[i]) : FAR, left = 1;
        for (steps = 0; steps < next && steps < FAR && left; steps++) {
            left = 0;
            for (int c = 0; c < channels; c++) {
                size_t row = (size_t)i * (size_t)x->n_channel + (size_t)channel[c];
                step_back(&b[c], steps == 0 && !isnan(p->r[row]) ? p->J + row * b[c].n : NULL);
                left |= b[c].m->p && b[c].last > 1e-5 * b[c].top;
            }
            for (int c = 0; c < channels; c++)
                for (int d = 0; d <= c; d++) {
                    double f = cov[c * channels + d] * (c == d ? 1 : 2);
                    if (f != 0) add_product(b[c].n, f, b[c].u, b[d].u, B);
                }
        }
        /* a gap so long that nothing is left: what remains is below rounding of the sum */
    }
}

/* White noise and an exponential part at any times: sum over pairs by a recursion. */
static void add_times(const sn_experiment *x, const sn_part *p, int channel, back *b, double *B)
{
    const sn_noise_model *m = b->m;
    double *w = b->past, *j = b->u, last = x->t[0];
    for (int i = 0; i < x->n; i++) {
        size_t row = (size_t)i * (size_t)x->n_channel + (size_t)channel;
        if (isnan(p->r[row])) continue;
        double keep = exp(-fmax(x->t[i] - last, 0) / m->time);
        last = x->t[i];
        for (size_t a = 0; a < b->n; a++) w[a] *= keep, j[a] = p->J[row * b->n + a];
        add_product(b->n, m->variance + m->size, j, j, B);
        add_product(b->n, 2 * m->size, j, w, B);
        for (size_t a = 0; a < b->n; a++) w[a] += j[a];
    }
}

/* From an experiment's own unknowns to those that can move. */
static void spread(const sn_colour *c, const sn_part *p, const double *own, double *B)
{
    size_t n = (size_t)p->n;
    for (size_t a = 0; a < n; a++)
        for (size_t k = 0; k < n; k++) {
            int i = c->column[p->unknown[a]], j = c->column[p->unknown[k]];
            if (i < 0 || j < 0) continue;
            B[(size_t)i * (size_t)c->n + (size_t)j] += a >= k ? own[a * n + k] : own[k * n + a];
        }
}

/* B (n x n) of group g alone with a model. */
sn_status sn_colour_meat(const sn_colour *c, int g, const sn_noise_model *m, double *B, sn_err *err)
{
    const sn_colour_group *q = &c->group[g];
    memset(B, 0, sizeof(double) * (size_t)c->n * (size_t)c->n);
    for (int k = 0; k < q->n; k++) {
        const sn_experiment *x = &c->f->s->experiment[q->series[k].experiment];
        const sn_part *p = &c->f->part[q->series[k].experiment];
        size_t n = (size_t)p->n;
        double *own;
        back b;
        sn_noise_model room = *m;
        if (m->size > 0) room.p = 1; /* room for the recursion's sum */
        if (!SN_NEW(own, n * n + 1)) return SN_OUT_OF_MEM(err);
        if (!open_back(&b, &room, n)) {
            sn_free(own);
            return SN_OUT_OF_MEM(err);
        }
        b.m = m;
        if (m->size > 0)
            add_times(x, p, q->series[k].channel, &b, own);
        else
            add_grid(x, p, 1, &q->series[k].channel, &b, &m->variance, own);
        spread(c, p, own, B);
        sn_free(own), sn_free(b.u);
    }
    return SN_OK;
}

/* ---- channels that share noise ---- */

/* Innovations of a group's series in experiment e, by sample; NAN where there is none. */
static void innovations(const sn_colour *c, int e, int channel, double *out)
{
    const sn_experiment *x = &c->f->s->experiment[e];
    const sn_colour_group *q = &c->group[c->group_of[e][channel]];
    sn_whitener w = {.m = &q->model, .columns = 1, .x = c->x};
    for (int i = 0; i < x->n; i++) {
        double r = c->f->part[e].r[(size_t)i * (size_t)x->n_channel + (size_t)channel];
        out[i] = NAN;
        if (isnan(r)) continue;
        out[i] = sn_colour_score(c->f, r);
        sn_whiten(&w, x->t[i], &out[i]);
    }
}

/* Correlations R (channels x channels) of the innovations of experiment e; zero where they are not
   significant (1 % over all pairs). Returns how many are. */
static int correlate(const sn_experiment *x, const double *v, double pairs, double *R)
{
    int n = x->n_channel, found = 0;
    for (int c = 0; c < n; c++)
        for (int d = 0; d <= c; d++) {
            double cc = 0, dd = 0, cd = 0, count = 0;
            for (int i = 0; i < x->n; i++) {
                double a = v[c * x->n + i], b = v[d * x->n + i];
                if (!isnan(a) && !isnan(b)) cc += a * a, dd += b * b, cd += a * b, count++;
            }
            double r = cc > 0 && dd > 0 && count > 20 ? cd / sqrt(cc * dd) : 0;
            int sure =
                c != d && fabs(r) < 1 && erfc(fabs(atanh(r)) * sqrt(fmax(count - 3, 0) / 2)) * pairs < 0.01;
            R[c * n + d] = R[d * n + c] = c == d ? 1 : sure ? r : 0;
            found += sure;
        }
    return found;
}

/* B += what the channels of experiment e have in common. */
static sn_status add_shared(const sn_colour *c, int e, double pairs, double *B, int *found, sn_err *err)
{
    const sn_experiment *x = &c->f->s->experiment[e];
    const sn_part *p = &c->f->part[e];
    size_t n = (size_t)p->n, m = (size_t)x->n_channel;
    double *v = NULL, *R = NULL, *own = NULL;
    back *b = NULL;
    int *channel = NULL, good = SN_NEW(v, m * (size_t)x->n + 1) && SN_NEW(R, m * m + 1) &&
                                SN_NEW(own, n * n + 1) && SN_NEW(b, m + 1) && SN_NEW(channel, m + 1);
    int any = 0;
    for (int k = 0; good && k < x->n_channel; k++) innovations(c, e, k, v + (size_t)k * (size_t)x->n);
    if (good) any = correlate(x, v, pairs, R);
    for (int k = 0; good && any && k < x->n_channel; k++) {
        const sn_colour_group *q = &c->group[c->group_of[e][k]];
        channel[k] = k;
        good = open_back(&b[k], &q->model, n);
        for (int d = 0; d < x->n_channel; d++) {
            const sn_noise_model *o = &c->group[c->group_of[e][d]].model;
            int both = q->model.size <= 0 && o->size <= 0 && d != k;
            R[(size_t)k * m + (size_t)d] *= both ? sqrt(q->model.variance * o->variance) : 0;
        }
    }
    if (good && any) {
        add_grid(x, p, x->n_channel, channel, b, R, own);
        spread(c, p, own, B);
    }
    for (int k = 0; b && k < x->n_channel; k++) sn_free(b[k].u);
    sn_free(v), sn_free(R), sn_free(own), sn_free(b), sn_free(channel);
    *found += any;
    return good ? SN_OK : SN_OUT_OF_MEM(err);
}

static sn_status shared(const sn_colour *c, double *B, int *found, sn_err *err)
{
    const sn_study *s = c->f->s;
    double pairs = 0;
    for (int e = 0; e < s->n_experiment; e++) {
        double m = s->experiment[e].n_channel;
        if (!s->experiment[e].hold_out) pairs += m * (m - 1) / 2;
    }
    *found = 0;
    for (int e = 0; e < s->n_experiment && pairs > 0; e++)
        if (!s->experiment[e].hold_out && s->experiment[e].n_channel <= 64)
            SN_TRY(add_shared(c, e, pairs, B, found, err));
    return SN_OK;
}

/* ---- the covariance ---- */

/* A' B A at (k, k) with A the inverse of the left side, all over the columns that can move. */
static double variance_at(const sn_colour *c, const double *C, const double *B, int k)
{
    double sum = 0;
    size_t n = (size_t)c->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) sum += C[(size_t)k * n + i] * B[i * n + j] * C[(size_t)k * n + j];
    return sum;
}

/* What the scatter of group g's model adds to the scatter of the variances (n). own: its J' S J; work: room
   for so much and slopes. */
static sn_status scatter_of(sn_colour *c, int g, const double *C, const double *own, double *scatter,
                            double *work, sn_err *err)
{
    sn_colour_group *q = &c->group[g];
    const double h = 0.02;
    double cov[SN_AR_MOST * SN_AR_MOST], logdet, *slope = work, *B = work + SN_AR_MOST * c->n;
    int estimated = q->coloured || !q->known || c->f->s->huber > 0;
    int p = q->coloured && !c->heavy ? q->shapes : 0;
    double freedom = sn_colour_freedom(c, g);
    for (int k = 0; estimated && k < c->n; k++) {
        double v = variance_at(c, C, own, k);
        scatter[k] += 2 * v * v / freedom;
    }
    if (p) sn_colour_shape_covariance(c, g, cov);
    for (int i = 0; i < p; i++)
        for (int side = -1; side < 2; side += 2) {
            sn_noise_model m;
            double shape[SN_AR_MOST];
            memcpy(shape, q->shape, sizeof shape);
            shape[i] += side * h;
            sn_colour_try(c, g, shape, &m, &logdet);
            SN_TRY(sn_colour_meat(c, g, &m, B, err));
            for (int k = 0; k < c->n; k++)
                slope[i * c->n + k] =
                    (side > 0 ? slope[i * c->n + k] : 0) + side * variance_at(c, C, B, k) / (2 * h);
        }
    for (int k = 0; k < c->n; k++)
        for (int i = 0; i < p; i++)
            for (int j = 0; j < p; j++)
                scatter[k] += slope[i * c->n + k] * cov[i * p + j] * slope[j * c->n + k];
    return SN_OK;
}

/* C of the columns that can move, from the estimate's covariance; those that nothing determines get 0. */
static void take_inverse(const sn_colour *c, const sn_estimate *e, double *C)
{
    size_t n = (size_t)c->n, all = (size_t)c->f->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            size_t k = (size_t)c->unknown[i], l = (size_t)c->unknown[j];
            int seen = isfinite(e->covariance[k * all + k]) && isfinite(e->covariance[l * all + l]);
            C[i * n + j] = seen ? e->covariance[k * all + l] : 0;
        }
}

/* Huber's correction of M-estimates from few samples: (1 + n/N var(psi')/mean(psi')^2)^2. */
static double few_samples(const sn_colour *c)
{
    double count = 0, spread = 0;
    for (int g = 0; g < c->groups; g++)
        count += c->group[g].count, spread += c->group[g].count * (1 - c->group[g].gain) / c->group[g].gain;
    double k = count > 0 ? 1 + c->n / count * spread / count : 1;
    return k * k;
}

typedef struct sandwich {
    sn_colour *c;
    double *A, *C, *B, *scatter, *work;
    int coloured, larger, shared, robust;
} sandwich;

/* Covariance C B C into the estimate, and the degrees of freedom. */
static void put_together(sandwich *s, sn_estimate *e)
{
    sn_colour *c = s->c;
    size_t n = (size_t)c->n, all = (size_t)c->f->n;
    double few = s->robust ? few_samples(c) : 1;
    for (size_t i = 0; i < n; i++) {
        size_t k = (size_t)c->unknown[i];
        double white = e->covariance[k * all + k], v = variance_at(c, s->C, s->B, (int)i);
        e->freedom[k] = s->scatter[i] > 0 ? 2 * v * v / s->scatter[i] : INFINITY;
        e->inflation[k] = isfinite(white) && white > 0 ? few * v / white : 1;
    }
    if (!s->coloured && !s->larger && !s->shared && !s->robust) return; /* white: C B C is C */
    for (size_t i = 0; i < n; i++) {                                    /* a row of C B, then times C */
        double *row = s->work;
        for (size_t b = 0; b < n; b++) {
            row[b] = 0;
            for (size_t a = 0; a < n; a++) row[b] += s->C[i * n + a] * s->B[a * n + b];
        }
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            size_t k = (size_t)c->unknown[i], l = (size_t)c->unknown[j];
            for (size_t b = 0; b < n; b++) sum += row[b] * s->C[j * n + b];
            if (isfinite(e->covariance[k * all + k]) && isfinite(e->covariance[l * all + l]))
                e->covariance[k * all + l] = few * sum;
        }
    }
}

/* J' S J of all, and how far the covariance from it scatters. */
static sn_status meat(sandwich *s, sn_err *err)
{
    sn_colour *c = s->c;
    size_t n = (size_t)c->n;
    double *own = s->work + n * (n + SN_AR_MOST);
    memcpy(s->B, c->prior, sizeof(double) * n * n);
    for (int g = 0; g < c->groups; g++) {
        SN_TRY(sn_colour_meat(c, g, &c->group[g].model, own, err));
        for (size_t i = 0; i < n * n; i++) s->B[i] += own[i];
        SN_TRY(scatter_of(c, g, s->C, own, s->scatter, s->work, err));
    }
    return shared(c, s->B, &s->shared, err);
}

static sn_status solve(sandwich *s, sn_fit *f, sn_estimate *e, sn_err *err)
{
    sn_colour *c = s->c;
    size_t n = (size_t)c->n, all = (size_t)f->n;
    if (!SN_NEW(s->A, all * all + 1) || !SN_NEW(s->C, n * n + 1) || !SN_NEW(s->B, n * n + 1) ||
        !SN_NEW(s->scatter, n + 1) || !SN_NEW(s->work, n * (2 * n + SN_AR_MOST) + 1))
        return SN_OUT_OF_MEM(err);
    for (int k = 0; k < f->s->n_experiment; k++)
        for (int i = 0; !f->s->experiment[k].hold_out && i < f->s->experiment[k].n_channel; i++) {
            if (sn_channel_coloured(e, k, i)) c->group[c->group_of[k][i]].coloured = s->coloured = 1;
            if (is_larger(e, k, i)) c->group[c->group_of[k][i]].known = 0, s->larger = 1;
        }
    s->robust = f->s->huber > 0;
    memcpy(s->A, f->A, sizeof(double) * all * all);
    if (s->robust) {
        sn_colour_left_side(c, s->B);
        for (size_t i = 0; i < n * n; i++)
            s->A[(size_t)c->unknown[i / n] * all + (size_t)c->unknown[i % n]] = s->B[i];
    }
    SN_TRY(sn_colour_fit(c, err));
    SN_TRY(sn_covariance(f, s->A, e, err));
    take_inverse(c, e, s->C);
    SN_TRY(meat(s, err));
    put_together(s, e);
    return SN_OK;
}

sn_status sn_judge_intervals(sn_fit *f, sn_estimate *e, sn_err *err)
{
    double least = INFINITY, most = 0;
    const char *which = "";
    for (int k = 0; k < f->s->n_common; k++) {
        double by = sqrt(e->inflation[k]);
        if (!isfinite(e->std_error[k])) continue;
        least = fmin(least, by);
        if (by > most) most = by, which = f->s->unknown[k].name;
    }
    (void)err;
    if (!(e->allows & (SN_ALLOWS_TIME | SN_ALLOWS_CHANNELS | SN_ALLOWS_SIZE)) || !(most > 0)) return SN_OK;
    int time = !!(e->allows & SN_ALLOWS_TIME), channels = !!(e->allows & SN_ALLOWS_CHANNELS),
        size = !!(e->allows & SN_ALLOWS_SIZE);
    sn_estimate_verdict(e, 0, "intervals",
                        "standard errors allow for residuals that are%s%s%s%s%s: they are %.2g to %.2g times "
                        "those of the noise %s (%s most)",
                        time ? " correlated in time" : "", time && channels ? "," : "",
                        channels ? " correlated between channels" : "", size && (time || channels) ? "," : "",
                        size ? " larger than stated" : "", least, most,
                        e->allows & SN_ALLOWS_SIZE ? "as it was stated" : "if it were white", which);
    return SN_OK;
}

sn_status sn_sandwich(sn_fit *f, sn_estimate *e, sn_err *err)
{
    sandwich s = {.c = NULL};
    sn_status status = sn_colour_new(f, e->at_bound, &s.c, err);
    if (!status) status = solve(&s, f, e, err);
    if (!status) {
        sn_standard_errors(f, e);
        e->allows = (s.coloured ? SN_ALLOWS_TIME : 0) | (s.shared ? SN_ALLOWS_CHANNELS : 0) |
                    (s.larger ? SN_ALLOWS_SIZE : 0);
    }
    sn_free(s.A), sn_free(s.C), sn_free(s.B), sn_free(s.scatter), sn_free(s.work);
    sn_colour_free(s.c);
    return status;
}
