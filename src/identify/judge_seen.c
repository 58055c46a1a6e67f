/* What the data can see of histories, and what they cannot. A history that is sought freely has more values
   than the data determine, and its smoothness answers for the rest; where it answers for all, the question
   was ill-posed, and the verdicts here say which one, how much is determined, and what measurement would
   help:

   - more forces than channels: at a time no more combinations of forces are felt than there are channels
   - a force that no sensor feels, or hardly
   - forces, or a force and another unknown, that do the same to all sensors: their estimates are correlated
   - a force that is hardly larger than its band, and whether its slow part makes the band: an accelerometer
     on a structure that is held feels no constant force
   - a begin or an end that is not seen: what a force does far from the sensors reaches them later
   - sampling that is too slow for the force: it changes from sample to sample

   `determined` of a history is the trace of (A^-1 J'J) over its values: as many combinations of them are
   seen. */
#include "identify/judge.h"
#include "identify/sensor_hint.h"
#include "identify/smoothing.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

static const double apart = 0.95;   /* correlation of forces that cannot be told apart */
static const double same = 0.99;    /* part of a variance that another unknown makes */
static const double slow = 0.7;     /* of the power, or of the samples */
static const double unseen = 1e-10; /* of a felt force's effect: rounding */
static const double poor = 0.5;     /* of its rms that its standard error is */
static const double most = 0.8;     /* of a variance that constant and straight line make */

typedef struct seen {
    const sn_seen_problem *by; /* or NULL */
    const sn_fit *f;           /* of the estimate */
    sn_estimate *e;
    const sn_history_part *p; /* of the problem, or of the estimate */
    const sn_history_fit *q;
    double size;        /* of it: a band that is wider tells nothing */
    double wide;        /* part of the time in which that is so */
    double error;       /* standard error, in the mean square over time */
    double first, last; /* of these times */
    double from, until; /* its end, and its begin, are not seen from here on, until here; NAN: they are */
    double felt;        /* trace of J'J over its values, over the largest of all histories */
} seen;

/* ", for example with ab.x", or what else would help. */
static sn_status help(const seen *g, char *text, size_t size, sn_err *err)
{
    char name[SN_HINT];
    SN_TRY(sn_sensor_hint(g->by->fit, g->by->z, g->p, name, err));
    if (name[0])
        snprintf(text, size, "of the model's other sensors %s would help most", name);
    else
        snprintf(text, size,
                 "none of the model's other sensors would help: measure nearer to it, or in other "
                 "directions");
    return SN_OK;
}

/* ---- felt or not, and when ---- */

static double information(const sn_fit *f, const sn_history_part *p)
{
    const sn_part *q = &f->part[p->experiment];
    double sum = 0;
    for (int a = 0; a < q->n; a++)
        if (q->unknown[a] >= p->first && q->unknown[a] < p->first + p->n) sum += q->A[a * q->n + a];
    return sum;
}

/* Its rms; where it is small the band may be narrow all the same, and it is known to be small: that is in
   comparison with the force that would make all of what was measured, sqrt(sum (y/sigma)^2 / tr J'J). */
static double size_of(const seen *g)
{
    const sn_experiment *x = &g->f->s->experiment[g->p->experiment];
    const sn_fit *f = g->by->fit;
    double sum = 0, told = information(f, g->p);
    for (int c = 0; c < x->n_channel; c++) {
        double mean = 0, square = 0, n = 0;
        for (int i = 0; i < x->n; i++) {
            double y = x->y[i * x->n_channel + c] / x->sigma[c];
            if (!isnan(y)) mean += y, square += y * y, n++;
        }
        if (n > 0) sum += square - mean * mean / n;
    }
    double whole = told > 0 ? sqrt(sum / told) * f->s->unknown[g->p->first].scale : 0;
    return fmax(g->q->rms, 0.3 * whole);
}

static double rms_error(const sn_history_fit *q)
{
    double sum = 0;
    for (int i = 0; i < q->n; i++) sum += q->std_error[i] * q->std_error[i] / q->n;
    return sqrt(sum);
}

static void look_at(seen *g)
{
    const sn_history_fit *q = g->q;
    const sn_study *s = g->by->fit->s;
    double top = 0, step = q->n > 1 ? (q->t[q->n - 1] - q->t[0]) / (q->n - 1) : 0,
           knot = (g->p->end - g->p->begin) / g->p->n;
    int at_end = 0, at_begin = 0;
    g->size = size_of(g);
    g->wide = 0, g->error = rms_error(q), g->first = g->last = g->from = g->until = NAN;
    for (int i = 0; i < q->n; i++) {
        int lost = !(q->std_error[i] < g->size);
        g->wide += (double)lost / q->n;
        if (lost && isnan(g->first)) g->first = q->t[i];
        if (lost) g->last = q->t[i];
    }
    while (at_end < q->n && !(q->std_error[q->n - 1 - at_end] < g->size)) at_end++;
    while (at_begin < q->n && !(q->std_error[at_begin] < g->size)) at_begin++;
    if (at_end * step > knot && at_end < q->n) g->from = q->t[q->n - at_end];
    if (at_begin * step > knot && at_begin < q->n) g->until = q->t[at_begin - 1];
    for (int k = 0; k < s->n_history_part; k++) top = fmax(top, information(g->by->fit, &s->history_part[k]));
    g->felt = !isfinite(top) ? 1 : top > 0 ? information(g->by->fit, g->p) / top : 0;
}

/* How much of the variance of all values is that of a constant and a straight line: Q'CQ over the trace of C.
 */
static double slow_part(const seen *g)
{
    const sn_history_part *p = g->p;
    size_t all = (size_t)g->by->fit->s->n_unknown;
    double trace = 0, part[2] = {0}, length = 0;
    for (int i = 0; i < p->n; i++) length += pow(2.0 * i / (p->n - 1) - 1, 2);
    for (int i = 0; i < p->n; i++) {
        const double *row = g->by->inverse + (size_t)(p->first + i) * all + (size_t)p->first;
        double x = 2.0 * i / (p->n - 1) - 1;
        trace += row[i];
        for (int j = 0; j < p->n; j++)
            part[0] += row[j] / p->n, part[1] += row[j] * x * (2.0 * j / (p->n - 1) - 1) / length;
    }
    return trace > 0 ? (part[0] + part[1]) / trace : 0;
}

static const char *slow_words(const seen *g)
{
    const sn_study *s = g->e->s;
    double slow_share = slow_part(g), changes = sqrt(fmax(0, 1 - slow_share)) * g->error;
    int forces = 0;
    for (int k = 0; k < s->n_history_part; k++) forces += s->history_part[k].experiment == g->q->experiment;
    return slow_share > most && forces == 1 && g->q->determined > 5 && changes < poor * g->size
               ? "; nearly all of that is its slow part, a constant and a straight line, while its changes "
                 "are seen"
               : "";
}

static sn_status judge_felt(const seen *g, sn_err *err)
{
    const sn_history_fit *q = g->q;
    sn_estimate *e = g->e;
    char what[400];
    if (g->wide > 0.5) {
        SN_TRY(help(g, what, sizeof what, err));
        if (!(g->felt > unseen))
            sn_estimate_verdict(
                e, 2, "identifiability",
                "no sensor feels %s: whatever it is, what was measured stays the same (0 of %d "
                "values are determined); %s",
                q->name, q->values, what);
        else
            sn_estimate_verdict(
                e, 2, "identifiability",
                "the history of %s is not determined: its standard error exceeds its size over "
                "%.0f %% of the time, and %.0f of %d values are determined by the data%s; %s",
                q->name, 100 * g->wide, q->determined, q->values, slow_words(g), what);
        return SN_OK;
    }
    if (!isnan(g->from) || !isnan(g->until)) {
        SN_TRY(help(g, what, sizeof what, err));
        if (!isnan(g->from))
            sn_estimate_verdict(
                e, 1, "identifiability",
                "the end of %s is not determined, from %.4g s on: what it does there reaches the "
                "sensors too late or too weakly (%.0f of %d values are determined)%s; measure "
                "longer, or nearer to it; %s",
                q->name, g->from, q->determined, q->values, slow_words(g), what);
        else
            sn_estimate_verdict(e, 1, "identifiability",
                                "the begin of %s is not determined, until %.4g s (%.0f of %d values are "
                                "determined): measure from earlier on, or nearer to it; %s",
                                q->name, g->until, q->determined, q->values, what);
        return SN_OK;
    }
    if (g->wide > 0.02)
        sn_estimate_verdict(
            e, 1, "identifiability",
            "the history of %s is not seen over %.2g %% of the time, between %.4g s and %.4g s: "
            "its standard error there exceeds its size; measure nearer to it",
            q->name, 100 * g->wide, g->first, g->last);
    else if (g->error > poor * q->rms && g->error > poor * g->size) {
        SN_TRY(help(g, what, sizeof what, err));
        sn_estimate_verdict(g->e, 1, "identifiability",
                            "%s is poorly determined: its standard error is %.0f %% of its rms (%.0f of %d "
                            "values are determined by the data)%s; %s",
                            q->name, 100 * g->error / q->rms, q->determined, q->values, slow_words(g), what);
    }
    return SN_OK;
}

/* ---- too slow ---- */

/* Part of its power that has less than four samples a period, and the rate of the samples. */
static double fast_part(const seen *g, double *dt)
{
    const sn_experiment *x = &g->f->s->experiment[g->p->experiment];
    double all = 0, fast = 0;
    *dt = x->n > 1 ? (x->t[x->n - 1] - x->t[0]) / (x->n - 1) : 0;
    for (int k = 1; k<g->q->n_spectrum && * dt> 0; k++) {
        const sn_line *l = &g->q->spectrum[k];
        all += l->amplitude * l->amplitude;
        if (l->frequency > 0.25 / *dt) fast += l->amplitude * l->amplitude;
    }
    return all > 0 ? fast / all : 0;
}

/* The most negative correlation of neighbouring residuals of a channel, where it is more than chance: they
   change their sign from sample to sample. Noise whose slow part, up to phi of the highest frequency, a fit
   has taken up has -sin(pi phi)/(pi (1 - phi)) of it. */
static double alternating(const seen *g)
{
    const sn_experiment *x = &g->f->s->experiment[g->p->experiment];
    const double *r = g->e->residual[g->p->experiment];
    double worst = 0, phi = g->e->count > 0 ? fmin(g->f->freedom / (double)g->e->count, 0.9) : 0,
           usual = -sin(acos(-1) * phi) / (acos(-1) * (1 - phi));
    for (int c = 0; c < x->n_channel; c++) {
        double square = 0, product = 0, n = 0;
        for (int i = 0; i < x->n; i++) {
            double a = r[i * x->n_channel + c], b = i ? r[(i - 1) * x->n_channel + c] : 0;
            if (isnan(a) || isnan(b)) continue;
            square += a * a, product += a * b, n++;
        }
        double more = square > 0 ? product / square - usual : 0;
        if (more * sqrt(n) < -2.6) worst = fmin(worst, more);
    }
    return worst;
}

static int all_noise(const seen *g)
{
    int all = 1;
    for (int c = 0; c < g->f->s->experiment[g->p->experiment].n_channel; c++)
        all &= g->e->channel[g->p->experiment][c].noise_like;
    return all;
}

static void judge_rate(const seen *g)
{
    const sn_experiment *x = &g->f->s->experiment[g->p->experiment];
    const sn_history_fit *q = g->q;
    double dt, fast = fast_part(g, &dt), each = q->determined / x->n, back = alternating(g);
    if (fast > slow || each > slow || back < -0.3)
        sn_estimate_verdict(
            g->e, 1, "identifiability",
            "the sampling, every %.3g s, is too slow for %s: %s; changes faster than %.3g Hz cannot be told "
            "from slower ones (%.0f of %d values are determined): sample faster",
            dt, q->name,
            fast > slow   ? "most of its power has less than four samples a period"
            : each > slow ? "nearly every sample decides on a value of its own"
                          : "what it leaves of the data changes its sign from sample to sample",
            0.5 / dt, q->determined, q->values);
    else if (q->determined > 0.9 * q->values && q->smoothing && 2 * q->values <= x->n)
        sn_estimate_verdict(
            g->e, 1, "identifiability",
            "%.0f of %d values of %s are determined by the data: it may change faster than its "
            "values can follow; give it more ('values: %d')",
            q->determined, q->values, q->name, 2 * q->values);
    else if (q->determined > 0.9 * q->values && q->smoothing)
        sn_estimate_verdict(
            g->e, 1, "identifiability",
            "%.0f of %d values of %s are determined by the data: it may change faster than its values can "
            "follow, and there are only %d samples: sample faster than every %.3g s",
            q->determined, q->values, q->name, x->n, dt);
    else if (!all_noise(g) && 2 * q->values <= x->n)
        sn_estimate_verdict(g->e, 1, "identifiability",
                            "%s has a value for every %.0f samples: changes between them, a kick or a bend, "
                            "would leave residuals like "
                            "these; give it more ('values: %d')",
                            q->name, (double)x->n / q->values, x->n);
}

/* ---- more than one ---- */

/* Mean correlation of two histories of an experiment over time. */
static double correlation(const sn_seen_problem *by, const sn_history_part *a, const sn_history_part *b)
{
    const sn_study *s = by->fit->s;
    const double *C = by->inverse;
    size_t n = (size_t)s->n_unknown;
    double sum = 0, count = 0;
    enum { POINTS = 100 };
    for (int k = 0; k <= POINTS; k++) {
        double t = a->begin + (a->end - a->begin) * k / POINTS, x[4], y[4], v[3] = {0};
        int i0, j0, ni = sn_history_basis(s, a, t, &i0, x), nj = sn_history_basis(s, b, t, &j0, y);
        for (int i = 0; i < ni; i++)
            for (int j = 0; j < ni; j++)
                v[0] += x[i] * x[j] * C[(size_t)(a->first + i0 + i) * n + (size_t)(a->first + i0 + j)];
        for (int i = 0; i < nj; i++)
            for (int j = 0; j < nj; j++)
                v[1] += y[i] * y[j] * C[(size_t)(b->first + j0 + i) * n + (size_t)(b->first + j0 + j)];
        for (int i = 0; i < ni; i++)
            for (int j = 0; j < nj; j++)
                v[2] += x[i] * y[j] * C[(size_t)(a->first + i0 + i) * n + (size_t)(b->first + j0 + j)];
        double r = v[2] / sqrt(v[0] * v[1]);
        if (isfinite(r)) sum += r, count++;
    }
    return count > 0 ? sum / count : 0;
}

static void judge_pairs(const seen *g)
{
    const sn_study *s = g->by->fit->s;
    for (const sn_history_part *o = s->history_part; o < g->p; o++) {
        if (o->experiment != g->p->experiment || s->history[o->history].form == SN_FORM_SERIES) continue;
        double r = correlation(g->by, o, g->p);
        if (fabs(r) > apart)
            sn_estimate_verdict(
                g->e, 1, "identifiability",
                "%s and %s can hardly be told apart (correlation %.3f over time): the sensors see "
                "their %s, %.0f of %d values of %s are determined beside it; measure where they "
                "act differently, or give one of them",
                s->history[o->history].name, g->q->name, r, r < 0 ? "sum" : "difference", g->q->determined,
                g->q->values, g->q->name);
    }
}

/* How much of the variance of unknown k the history makes: c'C^-1 c / C_kk. room: n^2 + n */
static double made_by(const seen *g, int k, double *room)
{
    const sn_history_part *p = g->p;
    const double *C = g->by->inverse;
    size_t all = (size_t)g->by->fit->s->n_unknown, n = (size_t)p->n;
    double *c = room + n * n, sum = 0, own = C[(size_t)k * all + (size_t)k];
    for (size_t i = 0; i < n; i++) {
        size_t row = (size_t)p->first + i;
        for (size_t j = 0; j < n; j++) room[i * n + j] = C[row * all + (size_t)p->first + j];
        room[i * n + i] *= 1 + 1e-10;
        c[i] = C[row * all + (size_t)k];
    }
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', p->n, room, p->n)) return 0;
    if (LAPACKE_dtrtrs(LAPACK_ROW_MAJOR, 'L', 'N', 'N', p->n, 1, room, p->n, c, 1)) return 0;
    for (size_t i = 0; i < n; i++) sum += c[i] * c[i];
    return own > 0 ? sum / own : 0;
}

/* A stiffness, or an offset of a sensor, that does what the force can do. */
static sn_status judge_others(const seen *g, sn_err *err)
{
    const sn_study *s = g->e->s;
    size_t n = (size_t)g->p->n;
    double *room;
    if (!SN_NEW(room, n * n + n + 1)) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < s->n_unknown; k++) {
        const sn_unknown *u = &s->unknown[k];
        int here = u->experiment < 0 || u->experiment == g->p->experiment;
        if (u->of_history || !here || g->e->at_bound[k]) continue;
        double part = made_by(g, k, room), size = u->about_zero ? u->scale : fabs(g->e->value[k]);
        if (part > same && !(g->e->std_error[k] < 0.1 * size))
            sn_estimate_verdict(
                g->e, 1, "identifiability",
                "%s and the history of %s can hardly be told apart: nearly all of what is not known "
                "of %s the force could make as well; fix it, give it a prior, or measure with one "
                "sensor more",
                u->name, g->q->name, u->name);
    }
    sn_free(room);
    return SN_OK;
}

/* The history of an experiment that is known worst, by its band; NULL: none is free. */
static const sn_history_part *worst_of(const sn_estimate *e, const sn_study *s, int experiment)
{
    const sn_history_part *worst = NULL;
    double largest = 0;
    for (int k = 0; k < e->n_history; k++) {
        const sn_history_fit *q = &e->history[k];
        double sum = 0;
        if (q->experiment != experiment || !q->part) continue;
        for (int i = 0; i < q->n; i++) sum += q->std_error[i] / q->n;
        if (!worst || sum > largest) worst = &s->history_part[q->part - 1], largest = sum;
    }
    return worst;
}

/* More forces than channels. */
static sn_status judge_count(sn_estimate *e, const sn_seen_problem *by, int experiment, sn_err *err)
{
    const sn_study *s = e->s;
    const sn_experiment *x = &s->experiment[experiment];
    double determined = 0;
    char what[400] = "";
    int forces = 0, channels = 0, values = 0;
    for (int k = 0; k < s->n_history_part; k++) forces += s->history_part[k].experiment == experiment;
    for (int c = 0; c < x->n_channel; c++) {
        int any = 0;
        for (int i = 0; i < x->n; i++) any |= !isnan(x->y[i * x->n_channel + c]);
        channels += any;
    }
    for (int k = 0; k < e->n_history; k++)
        if (e->history[k].experiment == experiment)
            determined += e->history[k].determined, values += e->history[k].values;
    if (forces <= channels) return SN_OK;
    const seen g = {.by = by, .e = e, .p = by ? worst_of(e, by->fit->s, experiment) : NULL};
    if (g.p) SN_TRY(help(&g, what, sizeof what, err));
    sn_estimate_verdict(
        e, 1, "identifiability",
        "%d histories are sought from %d measured channel%s%s%s: at a time no more than %d "
        "combination%s of them can be told, and their smoothness decides on the rest (%.0f of %d "
        "values are determined); measure %d channel%s more%s%s",
        forces, channels, channels == 1 ? "" : "s", s->n_experiment > 1 ? " of " : "",
        s->n_experiment > 1 ? x->name : "", channels, channels == 1 ? "" : "s", determined, values,
        forces - channels, forces - channels == 1 ? "" : "s", what[0] ? "; " : "", what);
    return SN_OK;
}

int sn_seen_wanted(const sn_estimate *e)
{
    int n = 0, others = 0;
    for (int k = 0; k < e->s->n_unknown; k++) others |= !e->s->unknown[k].of_history;
    for (int k = 0; k < e->n_history; k++) {
        const sn_history_fit *q = &e->history[k];
        int lost = 0;
        if (!q->part) continue;
        for (int i = 0; i < q->n; i++) lost += !(q->std_error[i] < q->rms);
        if (++n > 1 || others || lost || !(rms_error(q) < poor * q->rms)) return 1;
    }
    return 0;
}

sn_status sn_judge_seen_by(const sn_fit *f, sn_estimate *e, const sn_seen_problem *by, sn_err *err)
{
    const sn_study *s = e->s;
    for (int k = 0; k < s->n_experiment; k++) SN_TRY(judge_count(e, by, k, err));
    for (int k = 0; k < e->n_history; k++) {
        seen g = {.by = by, .f = f, .e = e, .q = &e->history[k]};
        if (!g.q->part) continue;
        g.p = (by ? by->fit->s : s)->history_part + g.q->part - 1;
        if (by) {
            look_at(&g);
            SN_TRY(judge_felt(&g, err));
        }
        judge_rate(&g);
        if (!by) continue;
        judge_pairs(&g);
        SN_TRY(judge_others(&g, err));
    }
    return SN_OK;
}

sn_status sn_judge_seen(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_seen_problem by = {f, e->z, e->inverse};
    return e->s->n_history ? sn_judge_seen_by(f, e, &by, err) : SN_OK;
}
