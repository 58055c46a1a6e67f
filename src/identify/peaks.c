/* Peaks of spectra: see peaks.h. Residuals are put on equally spaced times by straight lines, Hann's window
   keeps strong lines from hiding weak ones, and a parabola through three bins tells the frequency to a few
   hundredths of a bin. */
#include "identify/peaks.h"
#include "math/fft.h"

#include <math.h>

enum { OF_CHANNEL = 6 };
static const double two_pi = 6.283185307179586476925;

/* A frequency joins the list where it is far enough from all others. */
static void add(const double band[2], double apart, int most, double f, double *list, int *n)
{
    if (*n >= most || !(f >= band[0] && f <= band[1])) return;
    for (int i = 0; i < *n; i++)
        if (fabs(list[i] - f) < apart) return;
    list[(*n)++] = f;
}

/* The residuals of a channel at n equally spaced times, without their mean, windowed; 0: too few. */
static int windowed(const sn_experiment *x, const double *r, int c, size_t n, double *y)
{
    int before = -1, after = 0, count = 0;
    double mean = 0, span = x->t[x->n - 1] - x->t[0];
    for (int i = 0; i < x->n; i++) count += !isnan(r[i * x->n_channel + c]);
    if (count < 16 || !(span > 0)) return 0;
    for (size_t k = 0; k < n; k++) {
        double t = x->t[0] + span * (double)k / (double)(n - 1);
        while (after < x->n - 1 && (x->t[after] < t || isnan(r[after * x->n_channel + c]))) {
            if (!isnan(r[after * x->n_channel + c])) before = after;
            after++;
        }
        double b = r[after * x->n_channel + c], a = before >= 0 ? r[before * x->n_channel + c] : b,
               d = before >= 0 ? x->t[after] - x->t[before] : 0;
        if (isnan(b)) b = a;
        y[k] = d > 0 && !isnan(a) ? a + (b - a) * fmin(fmax((t - x->t[before]) / d, 0), 1) : b;
        if (isnan(y[k])) y[k] = 0;
        mean += y[k] / (double)n;
    }
    for (size_t k = 0; k < n; k++) y[k] = (y[k] - mean) * (1 - cos(two_pi * ((double)k + 0.5) / (double)n));
    return 1;
}

/* The strongest peaks of a spectrum of n/2 bins, the strongest first. */
static int strongest(size_t n, const double *s, double *frequency)
{
    double strength[OF_CHANNEL];
    int count = 0;
    for (size_t k = 1; k + 1 < n / 2; k++) {
        double a = s[k - 1], b = s[k], c = s[k + 1];
        if (!(b >= a && b > c)) continue;
        double f = (double)k + 0.5 * (a - c) / (a - 2 * b + c);
        int at = count < OF_CHANNEL ? count++ : OF_CHANNEL;
        for (; at > 0 && strength[at - 1] < b; at--)
            if (at < OF_CHANNEL) strength[at] = strength[at - 1], frequency[at] = frequency[at - 1];
        if (at < OF_CHANNEL) strength[at] = b, frequency[at] = f;
    }
    return count;
}

sn_status sn_peaks(const sn_fit *f, const double band[2], double apart, int most, double *list, int *count,
                   sn_err *err)
{
    const sn_study *s = f->s;
    sn_status status = SN_OK;
    double longest = 0;
    for (int e = 0; !status && e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        size_t n = x->n > 1 ? (size_t)x->n : 0;
        double *re = NULL, *im = NULL, peak[OF_CHANNEL];
        if (x->hold_out || x->sort || !n) continue;
        double span = x->t[x->n - 1] - x->t[0];
        longest = fmax(longest, span);
        if (!SN_NEW(re, n) || !SN_NEW(im, n)) status = SN_OUT_OF_MEM(err);
        for (int c = 0; !status && c < x->n_channel; c++) {
            if (!windowed(x, f->part[e].r, c, n, re)) continue;
            for (size_t k = 0; k < n; k++) im[k] = 0;
            status = sn_fft(n, re, im, err);
            for (size_t k = 0; k < n / 2; k++) re[k] = hypot(re[k], im[k]);
            int m = status ? 0 : strongest(n, re, peak);
            for (int i = 0; i < m; i++)
                add(band, apart, most, peak[i] * (double)(n - 1) / ((double)n * span), list, count);
        }
        sn_free(re), sn_free(im);
    }
    /* below two bins the window hides lines */
    for (int k = 1; !status && longest > 0 && k <= 6; k++)
        add(band, apart, most, 0.5 * k / longest, list, count);
    return status;
}
