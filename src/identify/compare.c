#include "identify/compare.h"
#include "identify/folder.h"
#include "identify/read.h"
#include "identify/statistics.h"
#include "identify/text.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- residuals in units of the channel ---- */

/* Of channel c of experiment k: how many, sum of squares (of Huber's function, where that is the loss, in
   units of sigma); of innovations where noise has a model. */
static double squares(const sn_contender *x, int k, int c, double sigma, double *count)
{
    const sn_experiment *y = &x->s->experiment[k];
    double sum = 0, huber = x->s->huber;
    for (int i = 0; i < y->n; i++) {
        double r = x->e->innovation[k][i * y->n_channel + c] * y->sigma[c], a = fabs(r / sigma);
        if (isnan(r)) continue;
        if (count) ++*count;
        sum += huber > 0 && a > huber ? sigma * sigma * huber * (2 * a - huber) : r * r;
    }
    return sum;
}

/* The noise that the first study's channel c of experiment k has in study i. */
static double sigma_in(const sn_comparison *a, int i, int k, int c)
{
    int own = sn_compare_channel(a->item[0].s, a->item[i].s, k, c);
    return a->item[i].s->experiment[k].sigma[own];
}

/* ---- likelihood ---- */

/* A channel of the first study over all experiments that are fitted, where its noise is estimated. */
static double channel_likelihood(const sn_comparison *a, int i, int channel)
{
    const sn_study *s = a->item[0].s;
    double n = 0, sum = 0, log_det = 0, least = INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < s->n_experiment; k++) {
            const sn_experiment *x = &s->experiment[k];
            for (int c = 0; !x->hold_out && c < x->n_channel; c++) {
                if (x->channel[c] != channel || x->known[c]) continue;
                int own = sn_compare_channel(s, a->item[i].s, k, c);
                for (int j = 0; !pass && j < a->n; j++) least = fmin(least, sigma_in(a, j, k, c));
                if (pass) sum += squares(&a->item[i], k, own, least, &n);
                if (pass) log_det += a->item[i].e->channel[k][own].log_det;
            }
        }
    if (n == 0) return 0;
    /* with a loss for outliers the noise is that of the study that needs least */
    if (s->huber > 0) return -sum / (2 * least * least) - n * log(least * sqrt(2 * acos(-1)));
    return -n / 2 * (log(2 * acos(-1) * fmax(sum, 1e-300) / n) + 1) - log_det / 2;
}

static double likelihood(const sn_comparison *a, int i)
{
    const sn_study *s = a->item[0].s;
    double sum = 0;
    for (int channel = 0; channel < sn_channel_count(s->model); channel++)
        sum += channel_likelihood(a, i, channel);
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        for (int c = 0; !x->hold_out && c < x->n_channel; c++) {
            if (!x->known[c]) continue;
            int own = sn_compare_channel(s, a->item[i].s, k, c);
            double n = 0, square = squares(&a->item[i], k, own, x->sigma[c], &n);
            sum -= square / (2 * x->sigma[c] * x->sigma[c]) + n * log(x->sigma[c] * sqrt(2 * acos(-1)));
            sum -= a->item[i].e->channel[k][own].log_det / 2;
        }
    }
    return sum;
}

/* Numbers of the noise that are estimated: its size in each channel, and those of its model. */
static int noises(const sn_study *s)
{
    int n = 0;
    for (int channel = 0; channel < sn_channel_count(s->model); channel++) {
        int any = 0, shapes = 0;
        for (int k = 0; k < s->n_experiment; k++) {
            const sn_experiment *x = &s->experiment[k];
            for (int c = 0; !x->hold_out && c < x->n_channel; c++) {
                if (x->channel[c] != channel) continue;
                int own = x->noise && x->noise[c].kind ? (x->noise[c].m.size > 0 ? 2 : x->noise[c].m.p) : 0;
                any |= !x->known[c], shapes = own > shapes ? own : shapes;
            }
        }
        n += any + shapes;
    }
    return n;
}

/* ---- how many samples there are in truth ---- */

/* 1 + 2 times the sum of autocorrelations, as long as pairs of them are positive (Geyer 1992). */
static double correlation_time(const double *r, int n, int stride)
{
    double mean = 0, zero = 0, time = 1;
    int count = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(r[i * stride])) mean += r[i * stride], count++;
    mean /= count > 0 ? count : 1;
    for (int i = 0; i < n; i++)
        if (!isnan(r[i * stride])) zero += (r[i * stride] - mean) * (r[i * stride] - mean);
    for (int lag = 1; lag + 1 < n / 2 && zero > 0; lag += 2) {
        double pair = 0;
        for (int i = 0; i + lag < n; i++)
            for (int j = lag; j <= lag + 1 && i + j < n; j++) {
                double product = (r[i * stride] - mean) * (r[(i + j) * stride] - mean);
                if (!isnan(product)) pair += product;
            }
        if (pair <= 0) break;
        time += 2 * pair / zero;
    }
    return time;
}

static void count_effective(sn_comparison *a, const sn_contender *x)
{
    a->count = a->effective = 0;
    for (int k = 0; k < x->s->n_experiment; k++) {
        const sn_experiment *y = &x->s->experiment[k];
        for (int c = 0; !y->hold_out && c < y->n_channel; c++) {
            const sn_channel_fit *q = &x->e->channel[k][c];
            double time =
                q->white.p < 0.01 ? correlation_time(x->e->innovation[k] + c, y->n, y->n_channel) : 1;
            a->count += (double)q->count, a->effective += (double)q->count / time;
        }
    }
}

/* ---- the ranking ---- */

static int order(const sn_comparison *a, int i, int j)
{
    const sn_contender *x = &a->item[i], *y = &a->item[j];
    if (x->e->converged != y->e->converged) return y->e->converged - x->e->converged;
    return x->bic != y->bic ? (x->bic > y->bic) - (x->bic < y->bic) : i - j;
}

/* Sizes in units of the best one's noise, of what was fitted and of what was held out. */
static void compare_sizes(const sn_comparison *a, sn_contender *x)
{
    const sn_contender *best = &a->item[a->rank[0]];
    double sum[2] = {0, 0}, n[2] = {0, 0};
    int own_states = 0;
    for (int k = 0; k < x->s->n_unknown; k++) {
        int e = x->s->unknown[k].experiment;
        own_states |= e >= 0 && x->s->experiment[e].hold_out;
    }
    for (int k = 0; k < x->s->n_experiment; k++) {
        const sn_experiment *y = &x->s->experiment[k];
        for (int c = 0; c < y->n_channel; c++) {
            const sn_channel_fit *q = &x->e->channel[k][c];
            int other = sn_compare_channel(x->s, best->s, k, c);
            double rms = (y->hold_out && own_states ? q->rest : q->rms) / best->s->experiment[k].sigma[other];
            if (!isfinite(rms)) continue;
            sum[y->hold_out] += (double)q->count * rms * rms, n[y->hold_out] += (double)q->count;
        }
    }
    x->size = n[0] > 0 ? sqrt(sum[0] / n[0]) : NAN;
    x->held_out = n[1] > 0 ? sqrt(sum[1] / n[1]) : NAN;
}

static void rank_all(sn_comparison *a)
{
    int likeliest = 0;
    double sum[2] = {0, 0}, least[2] = {INFINITY, INFINITY};
    for (int i = 0; i < a->n; i++) {
        a->item[i].likelihood = likelihood(a, i);
        if (a->item[i].likelihood > a->item[likeliest].likelihood) likeliest = i;
    }
    count_effective(a, &a->item[likeliest]);
    for (int i = 0; i < a->n; i++) {
        sn_contender *x = &a->item[i];
        x->k = x->s->n_unknown + noises(x->s);
        double n = a->effective, room = n - x->k - 1;
        x->likelihood *= a->effective / fmax(a->count, 1);
        x->aic = 2 * x->k - 2 * x->likelihood;
        x->aicc = room > 0 ? x->aic + 2.0 * x->k * (x->k + 1) / room : INFINITY;
        x->bic = x->k * log(fmax(n, 1)) - 2 * x->likelihood;
        least[0] = fmin(least[0], x->aic), least[1] = fmin(least[1], x->bic);
        for (int v = 0; v < x->e->n_verdict; v++) x->verdicts[x->e->verdict[v].level]++;
    }
    for (int i = 0; i < a->n; i++) {
        sn_contender *x = &a->item[i];
        sum[0] += x->weight_aic = exp(-(x->aic - least[0]) / 2);
        sum[1] += x->weight_bic = exp(-(x->bic - least[1]) / 2);
        a->rank[i] = i;
        for (int j = i; j > 0 && order(a, a->rank[j - 1], a->rank[j]) > 0; j--) {
            int k = a->rank[j];
            a->rank[j] = a->rank[j - 1], a->rank[j - 1] = k;
        }
    }
    for (int i = 0; i < a->n; i++) {
        a->item[i].weight_aic /= sum[0], a->item[i].weight_bic /= sum[1];
        compare_sizes(a, &a->item[i]);
    }
}

static void find_nested(sn_comparison *a)
{
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < a->n; j++) {
            const sn_contender *x = &a->item[i], *y = &a->item[j];
            if (i == j || !sn_compare_nested(x->s, y->s)) continue;
            sn_nested *q = &a->nested[a->n_nested++];
            *q = (sn_nested){.small = i, .large = j, .degrees = y->s->n_unknown - x->s->n_unknown};
            q->statistic = 2 * (y->likelihood - x->likelihood);
            q->p = sn_chi_square_tail(q->statistic, q->degrees);
        }
}

/* ---- all of it ---- */

static sn_status check_all(int n, const char *const *study, const sn_identify_options *o, sn_err *err)
{
    sn_study *first = NULL, *other = NULL;
    sn_status status = sn_study_read(study[0], o, 0, &first, err);
    for (int i = 1; !status && i < n; i++) {
        status = sn_study_read(study[i], o, 0, &other, err);
        if (!status) status = sn_compare_data(first, other, err);
        sn_study_free(other);
        other = NULL;
    }
    sn_study_free(first);
    return status;
}

/* One after the other until it is stopped: then n is how many have been finished. */
static sn_status solve_all(sn_comparison *a, const char *const *study, const char *const *folder,
                           const sn_identify_options *o, sn_err *err)
{
    for (int i = 0; i < a->n_given; i++)
        a->item[i].file = study[i], a->item[i].folder = folder ? folder[i] : NULL;
    for (a->n = 0; a->n < a->n_given; a->n++) {
        sn_contender *x = &a->item[a->n];
        sn_identify_options own = *o;
        sn_identify_info info;
        own.folder = x->folder, own.json = 0;
        if (a->n && o->progress && o->progress(o->ctx, 0, 0)) break;
        SN_TRY(sn_identify_keep(x->file, &own, &info, &x->s, &x->e, err));
        sn_release(info.summary), sn_release(info.json);
        if (x->e->stopped) break;
    }
    return SN_OK;
}

/* Nothing that was read is written over. */
static sn_status check_output(const sn_comparison *a, const char *path, sn_err *err)
{
    for (int i = 0; i < a->n_given; i++) {
        const sn_study *s = a->item[i].s;
        SN_TRY(sn_output_check(path, 1, &a->item[i].file, err));
        if (!s) continue; /* stopped before it was read */
        SN_TRY(sn_output_check(path, s->model->n_read, s->model->read, err));
        for (int k = 0; k < s->n_experiment; k++)
            SN_TRY(sn_output_check(path, 1, &s->experiment[k].file, err));
    }
    return SN_OK;
}

static sn_status save(const sn_comparison *a, const char *folder, const char *text, sn_err *err)
{
    char path[SN_PATH];
    snprintf(path, sizeof path, "%s/compare.html", folder);
    SN_TRY(check_output(a, path, err));
    SN_TRY(sn_comparison_page(a, text, folder, err));
    snprintf(path, sizeof path, "%s/compare.json", folder);
    SN_TRY(check_output(a, path, err));
    const sn_text t = {.text = (char *)text, .n = strlen(text)};
    return sn_text_save(&t, path, err);
}

static void judge(sn_comparison *a, sn_compare_info *info)
{
    info->stopped = a->n < a->n_given;
    info->converged = !info->stopped;
    for (int i = 0; i < a->n; i++) info->converged &= a->item[i].e->converged;
    if (!a->n) return;
    rank_all(a);
    find_nested(a);
    info->best = a->rank[0];
    for (int l = 0; l < 3; l++)
        if (a->item[info->best].verdicts[l]) info->level = l;
}

sn_status sn_identify_compare(int n, const char *const *study, const char *const *folder,
                              const sn_identify_options *o, sn_compare_info *info, sn_err *err)
{
    sn_comparison a = {.n_given = n};
    *info = (sn_compare_info){.converged = 1, .best = -1};
    if (n < 2) return sn_fail(err, SN_ERR_INPUT, NULL, "two studies at least can be compared");
    sn_status status = SN_NEW(a.item, n) && SN_NEW(a.rank, n) && SN_NEW(a.nested, (size_t)n * (size_t)n)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    if (!status) status = check_all(n, study, o, err);
    if (!status && o->folder) status = sn_folder_make(o->folder, err);
    if (!status) status = solve_all(&a, study, folder, o, err);
    if (!status) {
        judge(&a, info);
        status = sn_comparison_json(&a, &info->json, err);
    }
    if (!status) status = sn_comparison_summary(&a, &info->summary, err);
    if (!status && o->folder) status = save(&a, o->folder, info->json, err);
    if (status) {
        sn_release(info->summary), sn_release(info->json);
        info->summary = info->json = NULL;
    }
    for (int i = 0; a.item && i < n; i++) sn_estimate_free(a.item[i].e), sn_study_free(a.item[i].s);
    sn_free(a.item), sn_free(a.rank), sn_free(a.nested);
    return status;
}
