/* What an experiment would tell, and the search for the excitation that tells most: a run with sensitivities
   of all candidates for each excitation that is looked at, and the best sensors for it. */
#include "identify/design_work.h"

#include <math.h>
#include <string.h>

/* ---- information ---- */

/* Of channel c, samples first, first + stride ... before `last`, into M (n x n of the study). Noise that
   remembers itself, e_i = rho e_i-1 + sqrt(1 - rho^2) w_i, is made white beforehand. */
void sn_design_channel(const sn_designer *k, int c, int last, int stride, double *M)
{
    const sn_design_section *d = k->d;
    const sn_experiment *x = &k->s->experiment[d->experiment];
    const sn_part *p = &k->f->part[d->experiment];
    size_t n = (size_t)p->n, all = (size_t)k->s->n_unknown, channels = (size_t)x->n_channel;
    double step = stride / d->rate[d->n_rate - 1], rho = d->memory[c] > 0 ? exp(-step / d->memory[c]) : 0;
    double scale = 1 / sqrt(1 - rho * rho);
    for (int i = 0; i < last; i += stride) {
        const double *j = p->J + ((size_t)i * channels + (size_t)c) * n;
        const double *before = i ? j - (size_t)stride * channels * n : NULL;
        double one = before ? scale : 1;
        for (size_t a = 0; a < n; a++) {
            double ja = one * (j[a] - (before ? rho * before[a] : 0));
            if (ja == 0) continue;
            double *row = M + (size_t)p->unknown[a] * all;
            for (size_t b = 0; b < n; b++)
                row[p->unknown[b]] += ja * one * (j[b] - (before ? rho * before[b] : 0));
        }
    }
}

/* One run at z: what each candidate tells, as draw number `draw` of the information at hand. SN_ERR_NUMERIC:
   it cannot be simulated. */
static sn_status inform(sn_designer *k, int draw, const double *z, sn_err *err)
{
    const sn_experiment *x = &k->s->experiment[k->d->experiment];
    size_t n2 = (size_t)k->s->n_unknown * (size_t)k->s->n_unknown;
    k->f->done = fmin((double)k->done / k->d->evaluations, 0.99);
    SN_TRY(sn_fit_rows(k->f, z, err));
    for (int i = 0; i < k->d->n_candidate; i++) {
        const sn_sensor_choice *c = &k->d->candidate[i];
        double *M = k->now->M + ((size_t)draw * (size_t)k->d->n_candidate + (size_t)i) * n2;
        memset(M, 0, n2 * sizeof *M);
        for (int j = 0; j < c->n; j++) sn_design_channel(k, c->first + j, x->n, 1, M);
    }
    return SN_OK;
}

sn_status sn_design_excite(sn_designer *k, const double *value, sn_err *err)
{
    sn_values *v = k->f->part[k->d->experiment].values;
    for (int i = 0; i < k->d->n_excitation; i++)
        v->x[k->d->excitation[i].id] = value[i], v->fixed[k->d->excitation[i].id] = 1;
    int before = sn_err_count(err);
    sn_status status = sn_values_update(v, err);
    if (status) sn_err_place(err, before, &k->d->excitation[0].mark);
    return status;
}

/* Priors, and what experiments that were made tell. */
sn_status sn_design_before(sn_designer *k, sn_err *err)
{
    sn_study *s = k->s;
    size_t n = (size_t)s->n_unknown;
    double *base = k->now->base;
    for (int u = 0; u < s->n_unknown; u++) {
        const sn_unknown *q = &s->unknown[u];
        double slope = isnan(q->prior) ? 0 : (q->log ? 1 : q->scale) / q->prior_sd;
        base[(size_t)u * n + (size_t)u] += slope * slope;
    }
    if (s->n_fit > 1) {
        s->experiment[k->d->experiment].hold_out = 1, s->n_fit--;
        sn_status status = sn_fit_rows(k->f, k->z, err);
        if (status == SN_ERR_NUMERIC)
            return sn_fail(err, status, &s->experiment[0].mark,
                           "the experiments that were made cannot be simulated with the start values");
        SN_TRY(status);
        for (int e = 0; e < s->n_experiment; e++) {
            const sn_part *p = &k->f->part[e];
            for (int a = 0; !s->experiment[e].hold_out && a < p->n; a++)
                for (int b = 0; b < p->n; b++)
                    base[(size_t)p->unknown[a] * n + (size_t)p->unknown[b]] += p->A[a * p->n + b];
        }
    }
    for (int e = 0; e < s->n_experiment; e++) s->experiment[e].hold_out = e != k->d->experiment;
    s->n_fit = 1;
    memcpy(k->best->base, base, n * n * sizeof *base);
    return SN_OK;
}

/* ---- an excitation ---- */

/* The criterion of the best sensors for the excitation in k->value; INFINITY where it cannot be simulated. */
static sn_status look(sn_designer *k, double *criterion, sn_err *err)
{
    int before = sn_err_count(err), most = k->d->choose ? k->d->choose : k->d->n_candidate;
    sn_status status = sn_design_excite(k, k->value, err);
    *criterion = INFINITY;
    for (int draw = 0; !status && draw <= k->d->robust; draw++)
        status = inform(k, draw, draw ? k->draw + (size_t)(draw - 1) * (size_t)k->s->n_unknown : k->z, err);
    if (status && status != SN_ERR_NUMERIC) return status;
    k->done++;
    if (status) { /* kept where nothing can be simulated at all */
        if (k->d->n_excitation) sn_err_forget(err, before);
        return k->d->n_excitation ? SN_OK : status;
    }
    SN_TRY(sn_best_set(k->now, most, k->w, NULL, err));
    *criterion = sn_criterion(k->now, k->w, NULL);
    if (!(*criterion < k->least) && isfinite(k->least)) return SN_OK;
    if (!isfinite(*criterion)) return SN_OK;
    sn_information *other = k->best;
    k->least = *criterion, k->best = k->now, k->now = other;
    memcpy(k->found, k->value, sizeof *k->value * (size_t)k->d->n_excitation);
    return SN_OK;
}

/* From 0 .. 1 to the excitation's value. */
static double at(const sn_excitation *e, double u)
{
    if (e->n) return e->list[(int)fmin(u * e->n, e->n - 1)];
    if (u <= 0 || u >= 1) return u <= 0 ? e->lower : e->upper;
    return e->log ? e->lower * pow(e->upper / e->lower, u) : e->lower + u * (e->upper - e->lower);
}

static sn_status look_at(sn_designer *k, const double *u, double *x, sn_err *err)
{
    for (int i = 0; i < k->d->n_excitation; i++) k->value[i] = at(&k->d->excitation[i], u[i]);
    return look(k, x, err);
}

static double halton(int i, int base)
{
    double x = 0, part = 1;
    for (i++; i > 0; i /= base) part /= base, x += part * (i % base);
    return x;
}

/* Points all over: a grid of one number, a sequence of low discrepancy of several. The best two of them. */
static sn_status survey(sn_designer *k, int points, double *u, double *two, double *x2, sn_err *err)
{
    static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
    int n = k->d->n_excitation;
    for (int i = 0; i < points; i++) {
        double x;
        for (int j = 0; j < n; j++)
            u[j] = n == 1 ? (k->d->excitation[0].n ? (i + 0.5) / points : i / (points - 1.0))
                          : halton(i, primes[j % 10]);
        SN_TRY(look_at(k, u, &x, err));
        for (int r = 0; r < 2; r++) {
            if (!(x < x2[r])) continue;
            if (r == 0) x2[1] = x2[0], memcpy(two + n, two, sizeof *u * (size_t)n);
            x2[r] = x, memcpy(two + r * n, u, sizeof *u * (size_t)n);
            break;
        }
    }
    return SN_OK;
}

/* One number between u - reach and u + reach, by golden section; of a list every value. */
static sn_status along(sn_designer *k, double *u, int j, double reach, double *x, sn_err *err)
{
    static const double ratio = 0.61803398874989485;
    const sn_excitation *e = &k->d->excitation[j];
    double best = u[j], a = fmax(u[j] - reach, 0), b = fmin(u[j] + reach, 1);
    int tries = e->n ? e->n : 8;
    double inner = b - ratio * (b - a), y_inner = NAN;
    for (int i = 0; i < tries && k->done < k->d->evaluations; i++) {
        double y, p = e->n ? (i + 0.5) / e->n : i == 0 ? a : i == 1 ? b : i == 2 ? inner : a + b - inner;
        if (e->n && at(e, p) == at(e, best)) continue;
        if (i < 2 && !e->n && p != 0 && p != 1) continue; /* ends of the range only */
        u[j] = p;
        SN_TRY(look_at(k, u, &y, err));
        if (y < *x) *x = y, best = p;
        if (i == 2) y_inner = y;
        if (e->n || i < 3) continue;
        /* keep the part around the better of the two points within */
        double lo = fmin(p, inner), hi = fmax(p, inner), y_lo = p < inner ? y : y_inner,
               y_hi = p < inner ? y_inner : y;
        if (y_lo < y_hi)
            b = hi, inner = lo, y_inner = y_lo;
        else
            a = lo, inner = hi, y_inner = y_hi;
    }
    u[j] = best;
    return SN_OK;
}

static sn_status descend(sn_designer *k, double *u, double x, int budget, sn_err *err)
{
    int until = k->done + budget, n = k->d->n_excitation;
    double reach = n == 1 ? 0.07 : 0.25;
    for (int round = 0; round < 20 && k->done < until && k->done < k->d->evaluations; round++, reach *= 0.5) {
        double before = x;
        for (int j = 0; j < n && k->done < k->d->evaluations; j++) SN_TRY(along(k, u, j, reach, &x, err));
        if (before - x < 2e-3 && round > 0) break; /* 0.2 % of a standard error */
    }
    return SN_OK;
}

/* All values of all lists, where that is affordable. */
static sn_status every_value(sn_designer *k, int sets, double *u, sn_err *err)
{
    for (int i = 0; i < sets; i++) {
        double x;
        for (int j = 0, rest = i; j < k->d->n_excitation; rest /= k->d->excitation[j++].n)
            u[j] = (rest % k->d->excitation[j].n + 0.5) / k->d->excitation[j].n;
        SN_TRY(look_at(k, u, &x, err));
    }
    return SN_OK;
}

sn_status sn_design_search(sn_designer *k, sn_err *err)
{
    int n = k->d->n_excitation, most = k->d->evaluations;
    double *u = NULL, *two = NULL, x, x2[2] = {INFINITY, INFINITY}, sets = 1;
    if (!n) return look(k, &x, err);
    for (int j = 0; j < n; j++)
        sets *= k->d->excitation[j].n ? (double)k->d->excitation[j].n : (double)INFINITY;
    if (!SN_NEW(u, n) || !SN_NEW(two, 2 * n)) {
        sn_free(u);
        return SN_OUT_OF_MEM(err);
    }
    sn_status status = SN_OK;
    if (sets <= most) {
        status = every_value(k, (int)sets, u, err);
    } else {
        int points = (int)fmax(fmin(most, 2), most * 0.4);
        status = survey(k, points, u, two, x2, err);
        int rest = most - k->done;
        for (int r = 0; r < 2 && !status; r++)
            if (isfinite(x2[r])) status = descend(k, two + r * n, x2[r], r ? rest : rest * 2 / 3, err);
    }
    sn_free(u), sn_free(two);
    if (!status && !isfinite(k->least))
        return sn_fail(err, SN_ERR_NUMERIC, &k->d->excitation[0].mark,
                       "the model cannot be simulated with any of the %d excitations tried", k->done);
    return status;
}
