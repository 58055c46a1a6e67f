/* See noise_model.h. The state of an autoregression is its last p values. Once p samples were seen without a
   gap nothing about the state is uncertain, and the filter is the sum of products that one expects. */
#include "identify/noise_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAR = 2000 }; /* steps of the grid after which a state is forgotten */

sn_noise_model sn_noise_white(double variance) { return (sn_noise_model){.variance = variance}; }

void sn_ar_of_partial(int p, const double *k, double *a)
{
    double b[SN_AR_MOST];
    for (int m = 0; m < p; m++) {
        memcpy(b, a, sizeof *b * (size_t)m);
        for (int i = 0; i < m; i++) a[i] = b[i] - k[m] * b[m - 1 - i];
        a[m] = k[m];
    }
}

void sn_ar_partial(int p, const double *a, double *k)
{
    double b[SN_AR_MOST], c[SN_AR_MOST];
    memcpy(b, a, sizeof *b * (size_t)p);
    for (int m = p - 1; m >= 0; m--) {
        k[m] = b[m];
        for (int i = 0; i < m; i++) c[i] = (b[i] + k[m] * b[m - 1 - i]) / (1 - k[m] * k[m]);
        memcpy(b, c, sizeof *b * (size_t)m);
    }
}

/* By the partial autocorrelations: order m explains the next lag, g_m = sum a_i g_(m-i) + k_m v_(m-1). */
void sn_ar_autocovariance(int p, const double *a, int n, double *g)
{
    double k[SN_AR_MOST], b[SN_AR_MOST], c[SN_AR_MOST], v = 1;
    sn_ar_partial(p, a, k);
    for (int m = 0; m < p; m++) v /= 1 - k[m] * k[m];
    for (int lag = 0; lag < n; lag++) {
        if (lag == 0) {
            g[0] = v;
        } else if (lag <= p) {
            int m = lag - 1;
            g[lag] = k[m] * v;
            for (int i = 0; i < m; i++) g[lag] += b[i] * g[lag - 1 - i];
            memcpy(c, b, sizeof *c * (size_t)m);
            for (int i = 0; i < m; i++) b[i] = c[i] - k[m] * c[m - 1 - i];
            b[m] = k[m], v *= 1 - k[m] * k[m];
        } else {
            g[lag] = 0;
            for (int i = 0; i < p; i++) g[lag] += a[i] * g[lag - 1 - i];
        }
    }
}

double sn_noise_variance(const sn_noise_model *m)
{
    double g;
    sn_ar_autocovariance(m->p, m->a, 1, &g);
    return m->variance * g + m->size;
}

void sn_noise_correlation(const sn_noise_model *m, double dt, int n, double *g)
{
    double all = sn_noise_variance(m);
    sn_ar_autocovariance(m->p, m->a, n, g);
    for (int k = 0; k < n; k++)
        g[k] = (m->variance * g[k] + (m->size > 0 ? m->size * exp(-k * dt / m->time) : 0)) / all;
}

double sn_noise_spectrum(const sn_noise_model *m, double dt, double w)
{
    double re = 1, im = 0, white = m->variance, part = 0;
    for (int k = 0; k < m->p; k++) re -= m->a[k] * cos((k + 1) * w), im += m->a[k] * sin((k + 1) * w);
    if (m->size > 0) {
        double keep = exp(-dt / m->time);
        part = m->size * (1 - keep * keep) / (1 - 2 * keep * cos(w) + keep * keep);
    }
    return white / (re * re + im * im) + part;
}

/* ---- the filter ---- */

/* Nothing was seen. */
static void forget(sn_whitener *w)
{
    const sn_noise_model *m = w->m;
    size_t p = m->size > 0 ? 1 : (size_t)m->p;
    double g[SN_AR_MOST];
    for (size_t c = 0; c < (size_t)w->columns; c++) memset(w->x + c * SN_AR_MOST, 0, sizeof(double) * p);
    w->run = 0;
    if (m->size > 0) {
        w->P[0] = m->size;
        return;
    }
    sn_ar_autocovariance(m->p, m->a, m->p, g);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++) w->P[i * p + j] = m->variance * g[i > j ? i - j : j - i];
}

/* One step of the grid: x' = F x, P' = F P F' + Q with the companion matrix F of a. */
static void predict(sn_whitener *w)
{
    const sn_noise_model *m = w->m;
    size_t p = (size_t)m->p;
    double *P = w->P, top[SN_AR_MOST];
    for (size_t c = 0; c < (size_t)w->columns; c++) {
        double *x = w->x + c * SN_AR_MOST, sum = 0;
        for (size_t i = 0; i < p; i++) sum += m->a[i] * x[i];
        for (size_t i = p - 1; i > 0; i--) x[i] = x[i - 1];
        x[0] = sum;
    }
    if (w->run >= m->p) return; /* P = diag(variance, 0 ...), which is not stored */
    for (size_t j = 0; j < p; j++) {
        top[j] = 0;
        for (size_t i = 0; i < p; i++) top[j] += m->a[i] * P[i * p + j];
    }
    double corner = m->variance;
    for (size_t i = 0; i < p; i++) corner += m->a[i] * top[i];
    for (size_t i = p - 1; i > 0; i--)
        for (size_t j = p - 1; j > 0; j--) P[i * p + j] = P[(i - 1) * p + j - 1];
    for (size_t j = 1; j < p; j++) P[j] = P[j * p] = top[j - 1];
    P[0] = corner;
}

/* From where nothing was uncertain to where something is: a gap begins. */
static void doubt(sn_whitener *w)
{
    size_t p = (size_t)w->m->p;
    memset(w->P, 0, sizeof(double) * p * p);
    w->run = 0;
}

static void go_to(sn_whitener *w, double t)
{
    const sn_noise_model *m = w->m;
    if (m->size > 0) {
        double keep = exp(-fmax(t - w->t, 0) / m->time);
        for (int c = 0; c < w->columns; c++) w->x[(size_t)c * SN_AR_MOST] *= keep;
        w->P[0] = keep * keep * w->P[0] + (1 - keep * keep) * m->size;
    } else if (m->p) {
        int steps = sn_grid_steps(m->dt, w->t, t);
        if (steps > FAR) {
            forget(w);
            return;
        }
        if (steps > 1 && w->run >= m->p) doubt(w);
        if (steps > 1) w->run = 0;
        for (int i = 0; i < steps; i++) predict(w);
    }
}

/* The sample becomes known: gain K = P h / v with h the first unit vector. */
static double observe(sn_whitener *w, double *y)
{
    const sn_noise_model *m = w->m;
    size_t p = m->size > 0 ? 1 : (size_t)m->p;
    int sure = m->size <= 0 && w->run >= m->p;
    double v = sure ? m->variance : m->size > 0 ? w->P[0] + m->variance : w->P[0], K[SN_AR_MOST];
    for (size_t i = 0; i < p; i++) K[i] = sure ? i == 0 : w->P[i * p] / v;
    for (size_t c = 0; c < (size_t)w->columns; c++) {
        double *x = w->x + c * SN_AR_MOST, e = y[c] - (p ? x[0] : 0);
        for (size_t i = 0; i < p; i++) x[i] += K[i] * e;
        y[c] = e / sqrt(v);
    }
    for (size_t i = 0; !sure && i < p; i++)
        for (size_t j = 0; j < p; j++) w->P[i * p + j] -= K[i] * K[j] * v;
    w->run++;
    return log(v);
}

double sn_whiten(sn_whitener *w, double t, double *y)
{
    if (!w->begun)
        forget(w);
    else
        go_to(w, t);
    w->begun = 1, w->t = t;
    return observe(w, y);
}

double sn_colour_sample(sn_whitener *w, double t, double e)
{
    const sn_noise_model *m = w->m;
    if (!w->begun)
        forget(w);
    else
        go_to(w, t);
    w->begun = 1, w->t = t;
    int sure = m->size <= 0 && w->run >= m->p;
    double v = sure ? m->variance : m->size > 0 ? w->P[0] + m->variance : w->P[0];
    double y = (m->p || m->size > 0 ? w->x[0] : 0) + sqrt(v) * e, seen = y;
    observe(w, &seen);
    return y;
}

/* ---- the exponential part ---- */

/* Forwards by the filter, backwards by Rauch, Tung and Striebel's recursion (AIAA Journal 3, 1965). */
void sn_noise_smooth(const sn_noise_model *m, int n, const double *t, const double *y, int stride,
                     double *mean, double *deviation)
{
    double x = 0, P = m->size, last = n ? t[0] : 0;
    for (int i = 0; i < n; i++) {
        double keep = exp(-fmax(t[i] - last, 0) / m->time), r = y[(size_t)i * (size_t)stride];
        last = t[i], x *= keep, P = keep * keep * P + (1 - keep * keep) * m->size;
        if (!isnan(r)) {
            double K = P / (P + m->variance);
            x += K * (r - x), P *= 1 - K;
        }
        mean[(size_t)i * (size_t)stride] = x, deviation[(size_t)i * (size_t)stride] = P;
    }
    for (int i = n - 2; i >= 0; i--) {
        size_t a = (size_t)i * (size_t)stride, b = a + (size_t)stride;
        double keep = exp(-fmax(t[i + 1] - t[i], 0) / m->time);
        double ahead = keep * keep * deviation[a] + (1 - keep * keep) * m->size,
               G = keep * deviation[a] / ahead;
        mean[a] += G * (mean[b] - keep * mean[a]);
        deviation[a] += G * G * (deviation[b] - ahead);
    }
    for (int i = 0; i < n; i++)
        deviation[(size_t)i * (size_t)stride] = sqrt(fmax(deviation[(size_t)i * (size_t)stride], 0));
}

/* ---- grids ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int sn_grid_steps(double dt, double from, double to)
{
    double k = dt > 0 ? floor((to - from) / dt + 0.5) : 1;
    return k < 1 ? 1 : k > 1e9 ? 1000000000 : (int)k;
}

/* The usual distance is the median of some hundred of them, then of all that are about as long the mean. */
double sn_grid_of(int n, const double *t)
{
    enum { SOME = 401 };
    double d[SOME], sum = 0;
    int few = n - 1 < SOME ? n - 1 : SOME, alike = 0, odd = 0;
    if (n < 3) return 0;
    for (int i = 0; i < few; i++) {
        int at = (int)((double)i * (n - 1) / few);
        d[i] = t[at + 1] - t[at];
    }
    qsort(d, (size_t)few, sizeof *d, ascending);
    double dt = d[few / 2];
    if (!(dt > 0)) return 0;
    for (int i = 1; i < n; i++)
        if (fabs(t[i] - t[i - 1] - dt) < 0.2 * dt) sum += t[i] - t[i - 1], alike++;
    dt = sum / alike;
    for (int i = 1; i < n; i++) {
        double k = (t[i] - t[i - 1]) / dt;
        odd += !(k > 0.7 && (k > 5 || fabs(k - floor(k + 0.5)) < 0.3));
    }
    return odd * 20 < n ? dt : 0;
}

/* ---- Burg's method ---- */

/* With the order of Schwarz' criterion, or the highest. */
static sn_status burg(size_t n, const double *x, int most, int highest, sn_noise_model *out, sn_err *err)
{
    double *f, *b, v = 0, count = 0, best = 0, k[SN_AR_MOST] = {0};
    int order = 0;
    if (!SN_NEW(f, 2 * n + 2)) return SN_OUT_OF_MEM(err);
    b = f + n + 1;
    for (size_t i = 0; i < n; i++) {
        f[i] = b[i] = x[i];
        if (!isnan(x[i])) v += x[i] * x[i], count++;
    }
    v = count > 0 ? v / count : 0;
    double variance = v;
    if (most > SN_AR_MOST) most = SN_AR_MOST;
    for (int m = 0; m < most && v > 0; m++) {
        double up = 0, down = 0;
        for (size_t i = (size_t)m + 1; i < n; i++)
            if (!isnan(f[i]) && !isnan(b[i - 1]))
                up += 2 * f[i] * b[i - 1], down += f[i] * f[i] + b[i - 1] * b[i - 1];
        if (!(down > 0)) break;
        k[m] = fmin(fmax(up / down, -0.99999), 0.99999), v *= 1 - k[m] * k[m];
        for (size_t i = n - 1; i > (size_t)m; i--) {
            double ahead = f[i], behind = b[i - 1];
            f[i] = ahead - k[m] * behind, b[i] = behind - k[m] * ahead;
        }
        double criterion = count * log(v / variance) + (m + 1) * log(count);
        if (criterion < best || highest) best = criterion, order = m + 1;
    }
    sn_free(f);
    *out = sn_noise_white(variance);
    out->p = order;
    sn_ar_of_partial(order, k, out->a);
    for (int m = 0; m < order; m++) out->variance *= 1 - k[m] * k[m];
    return SN_OK;
}

sn_status sn_ar_burg(size_t n, const double *x, int most, sn_noise_model *out, sn_err *err)
{
    return burg(n, x, most, 0, out, err);
}

sn_status sn_ar_burg_order(size_t n, const double *x, int order, sn_noise_model *out, sn_err *err)
{
    return burg(n, x, order, 1, out, err);
}
