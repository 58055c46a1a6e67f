/* One pass over all experiments: see kalman_pass.h. Experiments have filters of their own; the numbers that
   they share follow from the sum of what their innovations say. */
#include "identify/kalman_pass.h"

#include <math.h>
#include <string.h>

/* ---- memory ---- */

/* A table of `rows` lists, the i-th with size(s, i) numbers. */
static double **table(const sn_study *s, int rows, size_t (*size)(const sn_study *s, int i))
{
    double **t;
    if (!SN_NEW(t, rows + 1)) return NULL;
    for (int i = 0; i < rows; i++)
        if (!SN_NEW(t[i], size(s, i) + 1)) {
            while (i > 0) sn_free(t[--i]);
            sn_free(t);
            return NULL;
        }
    return t;
}

static void free_table(double **t, int rows)
{
    for (int i = 0; t && i < rows; i++) sn_free(t[i]);
    sn_free(t);
}

static size_t values_of(const sn_study *s, int i) { return (size_t)s->history_part[i].n; }
static size_t bands_of(const sn_study *s, int i)
{
    return SN_KALMAN_ACTIVE * SN_KALMAN_ACTIVE * (size_t)s->history_part[i].n;
}
static size_t channels_of(const sn_study *s, int e) { return (size_t)s->experiment[e].n_channel; }
static size_t samples_of(const sn_study *s, int e)
{
    return (size_t)s->experiment[e].n * (size_t)s->experiment[e].n_channel;
}

sn_status sn_kalman_pass_new(sn_fit *f, sn_kalman_pass **out, sn_err *err)
{
    const sn_study *s = f->s;
    sn_kalman_pass *p;
    int parts = s->n_history_part, runs = s->n_experiment;
    *out = NULL;
    if (!SN_NEW(p, 1)) return SN_OUT_OF_MEM(err);
    p->fit = f, p->n = f->n;
    int good = SN_NEW(p->free_at, parts + 1) != NULL;
    for (int i = 0; good && i < parts; i++)
        p->free_at[i] = p->n, p->n += s->history[s->history_part[i].history].order;
    size_t n = (size_t)p->n;
    good = good && SN_NEW(p->z, f->n + 1) && SN_NEW(p->frozen, f->n + 1) && SN_NEW(p->kalman, runs + 1) &&
           SN_NEW(p->beta, n + 1) && SN_NEW(p->covariance, n * n + 1) && SN_NEW(p->w_squares, parts + 1) &&
           SN_NEW(p->w_variance, parts + 1) && (p->value = table(s, parts, values_of)) &&
           (p->change = table(s, parts, values_of)) && (p->band = table(s, parts, bands_of)) &&
           (p->rest = table(s, runs, channels_of)) && (p->lever = table(s, runs, channels_of)) &&
           (p->residual = table(s, runs, samples_of)) && (p->innovation = table(s, runs, samples_of));
    if (good) {
        *out = p;
        return SN_OK;
    }
    sn_kalman_pass_free(p);
    return SN_OUT_OF_MEM(err);
}

static void close_filters(sn_kalman_pass *p)
{
    for (int e = 0; p->kalman && e < p->fit->s->n_experiment; e++)
        sn_kalman_close(p->kalman[e]), p->kalman[e] = NULL;
}

void sn_kalman_pass_free(sn_kalman_pass *p)
{
    if (!p) return;
    int parts = p->fit->s->n_history_part, runs = p->fit->s->n_experiment;
    close_filters(p);
    free_table(p->value, parts), free_table(p->change, parts), free_table(p->band, parts);
    free_table(p->rest, runs), free_table(p->lever, runs), free_table(p->residual, runs);
    free_table(p->innovation, runs);
    sn_free(p->free_at), sn_free(p->z), sn_free(p->frozen), sn_free(p->kalman), sn_free(p->beta);
    sn_free(p->covariance), sn_free(p->w_squares), sn_free(p->w_variance);
    sn_free(p);
}

/* ---- filters ---- */

void sn_kalman_pass_set(const sn_kalman_pass *p, int e)
{
    const sn_study *s = p->fit->s;
    sn_values *v = p->fit->part[e].values;
    for (int i = 0; i < s->n_history_part; i++) {
        const sn_history_part *h = &s->history_part[i];
        int id = s->history[h->history].id;
        for (int j = 0; h->experiment == e && j < h->n; j++)
            v->x[id + j] = p->value[i][j], v->fixed[id + j] = 1;
    }
}

void sn_kalman_places(const sn_kalman_pass *p, int e, int *at)
{
    const sn_study *s = p->fit->s;
    const sn_part *part = &p->fit->part[e];
    int n = 0;
    for (int a = 0; a < part->n; a++) at[n++] = p->frozen[part->unknown[a]] ? -1 : part->unknown[a];
    for (int i = 0; i < s->n_history_part; i++)
        for (int j = 0;
             s->history_part[i].experiment == e && j < s->history[s->history_part[i].history].order; j++)
            at[n++] = p->free_at[i] + j;
}

static void keep_rest(sn_kalman_pass *p, int e)
{
    const sn_experiment *x = &p->fit->s->experiment[e];
    const double *r = p->fit->part[e].r;
    for (int c = 0; c < x->n_channel; c++) {
        p->rest[e][c] = 0;
        for (int i = 0; i < x->n; i++) {
            double v = r[(size_t)i * (size_t)x->n_channel + (size_t)c];
            if (!isnan(v)) p->rest[e][c] += v * v * x->sigma[c] * x->sigma[c];
        }
    }
}

static sn_status filter(sn_kalman_pass *p, int e, double *G, int *at, sn_err *err)
{
    size_t all = (size_t)p->n + 1;
    sn_kalman_pass_set(p, e);
    SN_TRY(sn_fit_set(p->fit, e, p->z, err));
    SN_TRY(sn_kalman_open(p->fit, e, p->z, &p->kalman[e], err));
    sn_kalman *k = p->kalman[e];
    SN_TRY(sn_kalman_filter(k, err));
    keep_rest(p, e);
    sn_kalman_places(p, e, at);
    for (int i = 0; i < k->fixed; i++)
        for (int j = 0; j < k->fixed; j++) {
            int a = i ? at[i - 1] : -2, b = j ? at[j - 1] : -2;
            if (a != -1 && b != -1)
                G[(size_t)(a == -2 ? 0 : a + 1) * all + (size_t)(b == -2 ? 0 : b + 1)] +=
                    k->G[(size_t)i * (size_t)k->fixed + (size_t)j];
        }
    p->logs += k->logs, p->count += k->count;
    if (k->largest > p->largest) p->largest = k->largest;
    return SN_OK;
}

/* ---- the numbers beta ---- */

static void add_priors(const sn_kalman_pass *p, double *G)
{
    size_t all = (size_t)p->n + 1;
    for (int u = 0; u < p->fit->n; u++) {
        double v0, v1;
        size_t a = (size_t)u + 1;
        if (!sn_kalman_prior(p->fit->s, u, p->z, &v0, &v1)) continue;
        G[0] += v0 * v0;
        if (!p->frozen[u]) G[a * all] += v0 * v1, G[a] += v0 * v1, G[a * all + a] += v1 * v1;
    }
}

/* Least squares of the innovations. What is frozen has neither row nor column: it does not move. */
static sn_status find_numbers(sn_kalman_pass *p, const double *G, sn_err *err)
{
    size_t n = (size_t)p->n, all = n + 1;
    double *A, log_det;
    if (!SN_NEW(A, 2 * n * (n + 3) + 1)) return SN_OUT_OF_MEM(err);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) A[i * n + j] = G[(i + 1) * all + j + 1];
    for (int u = 0; u < p->fit->n; u++)
        if (p->frozen[u]) A[(size_t)u * n + (size_t)u] = 1;
    sn_status status = sn_kalman_invert(p->n, A, p->covariance, &log_det, A + n * n, err);
    sn_free(A);
    if (status) return status;
    p->logs += log_det, p->squares = G[0];
    for (size_t i = 0; i < n; i++) {
        p->beta[i] = 0;
        for (size_t j = 0; j < n; j++) p->beta[i] -= p->covariance[i * n + j] * G[(j + 1) * all];
        p->squares += G[i + 1] * p->beta[i];
    }
    for (int u = 0; u < p->fit->n; u++)
        if (p->frozen[u]) p->covariance[(size_t)u * n + (size_t)u] = 0;
    return SN_OK;
}

/* ---- smoothers ---- */

static sn_status smooth(sn_kalman_pass *p, int e, int *at, sn_err *err)
{
    const sn_study *s = p->fit->s;
    const sn_kalman *k = p->kalman[e];
    size_t n = (size_t)k->fixed - 1;
    double *beta, **list;
    if (!SN_NEW(beta, n * (n + 1) + 1)) return SN_OUT_OF_MEM(err);
    if (!SN_NEW(list, 2 * (size_t)k->n_track + 1)) {
        sn_free(beta);
        return SN_OUT_OF_MEM(err);
    }
    sn_kalman_places(p, e, at);
    double *C = beta + n;
    for (size_t i = 0; i < n; i++) {
        beta[i] = at[i] < 0 ? 0 : p->beta[at[i]];
        for (size_t j = 0; j < n; j++)
            C[i * n + j] =
                at[i] < 0 || at[j] < 0 ? 0 : p->covariance[(size_t)at[i] * (size_t)p->n + (size_t)at[j]];
    }
    int first = 0, tracks = 0;
    for (int i = 0; i < s->n_history_part; i++) {
        if (s->history_part[i].experiment != e) continue;
        if (!tracks) first = i; /* parts of an experiment follow each other */
        list[tracks] = p->change[i], list[k->n_track + tracks++] = p->band[i];
        p->w_squares[i] = p->w_variance[i] = 0;
    }
    memset(p->lever[e], 0, sizeof(double) * (size_t)s->experiment[e].n_channel);
    sn_kalman_smoothed q = {.beta = beta,
                            .covariance = C,
                            .value = list,
                            .band = list + k->n_track,
                            .squares = p->w_squares + first,
                            .variance = p->w_variance + first,
                            .lever = p->lever[e],
                            .residual = p->residual[e],
                            .innovation = p->innovation[e]};
    sn_status status = sn_kalman_smooth(k, &q, err);
    sn_free(beta), sn_free(list);
    return status;
}

sn_status sn_kalman_pass_run(sn_kalman_pass *p, int smoothed, sn_err *err)
{
    const sn_study *s = p->fit->s;
    size_t all = (size_t)p->n + 1;
    double *G;
    int *at;
    if (!SN_NEW(G, all * all)) return SN_OUT_OF_MEM(err);
    if (!SN_NEW(at, all)) {
        sn_free(G);
        return SN_OUT_OF_MEM(err);
    }
    close_filters(p);
    p->logs = p->count = 0;
    sn_status status = SN_OK;
    for (int e = 0; !status && e < s->n_experiment; e++) status = filter(p, e, G, at, err);
    if (!status) add_priors(p, G);
    if (!status) status = find_numbers(p, G, err);
    for (int e = 0; !status && smoothed && e < s->n_experiment; e++) status = smooth(p, e, at, err);
    sn_free(G), sn_free(at);
    return status;
}

/* ---- cost ---- */

static double roughness(const sn_study *s, const sn_history_part *h, const double *c)
{
    const double *stencil = sn_history_stencil(s, h);
    int order = s->history[h->history].order;
    double sum = 0;
    for (int i = 0; i < sn_history_differences(s, h); i++) {
        double d = 0;
        for (int a = 0; a <= order; a++) d += stencil[a] * c[i + a];
        sum += h->w[i] * d * d;
    }
    return sum;
}

double sn_kalman_pass_cost(const sn_kalman_pass *p)
{
    const sn_study *s = p->fit->s;
    double sum = 0, v0, v1;
    for (int e = 0; e < s->n_experiment; e++)
        for (int c = 0; c < s->experiment[e].n_channel; c++)
            sum += p->rest[e][c] / (s->experiment[e].sigma[c] * s->experiment[e].sigma[c]);
    for (int i = 0; i < s->n_history_part; i++) {
        const sn_history_part *h = &s->history_part[i];
        double rough = roughness(s, h, p->value[i]);
        if (rough > 0) sum += h->weight * rough;
    }
    for (int u = 0; u < p->fit->n; u++)
        if (sn_kalman_prior(s, u, p->z, &v0, &v1)) sum += v0 * v0;
    return 0.5 * sum;
}
