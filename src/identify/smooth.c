/* Natural smoothing splines of order m in Reinsch's form, O(n) in time and memory.

   With Q' the divided differences of order m, scaled so that Q'g = integral of N_j g^(m) for the B-splines
   N_j of degree m - 1 on the samples, and R their Gram matrix:

       (R + alpha Q'Q) gamma = Q'y,      g = y - alpha Q gamma,      g^(m) = sum gamma_j N_j

   a banded system that is well conditioned down to alpha = 0. The trace of the smoother, for cross-validation
   (Craven and Wahba, 1979) and for the noise, needs only the band of the inverse (Hutchinson and de Hoog,
   1985). For stated noise the penalty minimises the unbiased estimate of the risk, rss + 2 sigma^2 trace.

   Noise in the results: for even sampling the smoother is the filter 1/(1 + alpha w^(2m)) (unit distance),
   and white noise through it and k derivatives has the variance  sigma^2/pi * integral of w^(2k) H^2, in
   closed form. Times are in units of the mean distance throughout. */
#include "identify/smooth.h"

#include <math.h>
#include <string.h>

enum { M = SN_SMOOTH_ORDER, BAND = M + 1 };

static const double pi = 3.14159265358979324;

typedef double band[BAND]; /* row j of a symmetric band matrix: entries (j, j) ... (j, j + M) */

typedef struct fit {
    int m, n, N; /* order, samples, B-splines */
    const double *u, *y;
    band *Q;       /* column j: at samples j ... j + m */
    band *R, *QQ;  /* Gram matrix, Q'Q */
    band *U, *V;   /* factor (unit diagonal not stored, D in place 0), band of the inverse */
    double *right; /* Q'y */
    double *gamma, *g;
    double noise;
    double rss, freedom;
} fit;

static const double gauss_x[M + 1][M] = {
    {0},
    {0},
    {-0.57735026918962576, 0.57735026918962576},
    {-0.77459666924148338, 0, 0.77459666924148338},
    {-0.86113631159405258, -0.33998104358485626, 0.33998104358485626, 0.86113631159405258}};
static const double gauss_w[M + 1][M] = {
    {0},
    {0},
    {1, 1},
    {0.55555555555555556, 0.88888888888888889, 0.55555555555555556},
    {0.34785484513745386, 0.65214515486254614, 0.65214515486254614, 0.34785484513745386}};

/* N_(i-m+1) ... N_i at x in [u_i, u_(i+1)]; those that reach beyond the samples do not exist and are zero. */
static void basis(int m, int n, const double *u, int i, double x, double *N)
{
    double b[M + 2] = {0}; /* b[k]: spline i - m + 1 + k of the order at hand */
    b[m - 1] = 1;
    for (int r = 2; r <= m; r++)
        for (int k = m - r; k < m; k++) {
            int j = i - m + 1 + k;
            double s = 0;
            if (j < 0 || j + r > n - 1) {
                b[k] = 0;
                continue;
            }
            if (k > m - r) s += (x - u[j]) / (u[j + r - 1] - u[j]) * b[k];
            if (k < m - 1) s += (u[j + r] - x) / (u[j + r] - u[j + 1]) * b[k + 1];
            b[k] = s;
        }
    memcpy(N, b, sizeof(double) * (size_t)m);
}

/* g^(m) at x in interval i */
static double highest(int m, int n, const double *u, const double *gamma, int i, double x)
{
    double b[M], s = 0;
    basis(m, n, u, i, x, b);
    for (int k = 0; k < m; k++) {
        int j = i - m + 1 + k;
        if (j >= 0 && j < n - m) s += b[k] * gamma[j];
    }
    return s;
}

/* Divided differences, Gram matrix, right-hand side. */
static void set_up(fit *f)
{
    int m = f->m;
    double factorial = m == 2 ? 1 : m == 3 ? 2 : 6;
    for (int j = 0; j < f->N; j++) {
        const double *u = f->u + j;
        f->right[j] = 0;
        for (int k = 0; k <= m; k++) {
            double d = factorial * (u[m] - u[0]);
            for (int l = 0; l <= m; l++)
                if (l != k) d /= u[k] - u[l];
            f->Q[j][k] = d;
            f->right[j] += d * f->y[j + k];
        }
    }
    for (int j = 0; j < f->N; j++)
        for (int k = 0; k <= m && j + k < f->N; k++)
            for (int c = k; c <= m; c++) f->QQ[j][k] += f->Q[j][c] * f->Q[j + k][c - k];
    for (int i = 0; i + 1 < f->n; i++) {
        double half = 0.5 * (f->u[i + 1] - f->u[i]), mid = 0.5 * (f->u[i + 1] + f->u[i]), b[M];
        for (int p = 0; p < m; p++) {
            basis(m, f->n, f->u, i, mid + half * gauss_x[m][p], b);
            for (int k = 0; k < m; k++)
                for (int l = k; l < m; l++) {
                    int j = i - m + 1 + k;
                    if (j >= 0 && j + l - k < f->N) f->R[j][l - k] += half * gauss_w[m][p] * b[k] * b[l];
                }
        }
    }
}

/* R + alpha Q'Q = U'D U; 0 where it is not positive by rounding. */
static int factor(fit *f, double alpha)
{
    int w = f->m;
    for (int j = 0; j < f->N; j++) {
        double d = f->R[j][0] + alpha * f->QQ[j][0];
        for (int l = 1; l <= w && l <= j; l++) d -= f->U[j - l][l] * f->U[j - l][l] * f->U[j - l][0];
        if (!(d > 0)) return 0;
        f->U[j][0] = d;
        for (int k = 1; k <= w; k++) {
            double s = j + k < f->N ? f->R[j][k] + alpha * f->QQ[j][k] : 0;
            for (int l = 1; l <= w - k && l <= j; l++)
                s -= f->U[j - l][l] * f->U[j - l][l + k] * f->U[j - l][0];
            f->U[j][k] = j + k < f->N ? s / d : 0;
        }
    }
    return 1;
}

static void solve(fit *f)
{
    int w = f->m;
    double *x = f->gamma;
    for (int j = 0; j < f->N; j++) {
        x[j] = f->right[j];
        for (int l = 1; l <= w && l <= j; l++) x[j] -= f->U[j - l][l] * x[j - l];
    }
    for (int j = f->N - 1; j >= 0; j--) {
        x[j] /= f->U[j][0];
        for (int k = 1; k <= w && j + k < f->N; k++) x[j] -= f->U[j][k] * x[j + k];
    }
}

/* alpha tr((R + alpha Q'Q)^-1 Q'Q), from the band of the inverse: n less the trace of the smoother. */
static double freedom(fit *f, double alpha)
{
    int w = f->m;
    double sum = 0;
    for (int j = f->N - 1; j >= 0; j--) {
        band *V = f->V;
        for (int k = w; k >= 0; k--) {
            double s = k == 0 ? 1 / f->U[j][0] : 0;
            if (j + k >= f->N) continue;
            for (int l = 1; l <= w && j + l < f->N; l++)
                s -= f->U[j][l] * (l == k  ? V[j + k][0]
                                   : l < k ? V[j + l][k - l]
                                           : (k == 0 ? V[j][l] : V[j + k][l - k]));
            V[j][k] = s;
            sum += (k ? 2 : 1) * f->QQ[j][k] * s;
        }
    }
    return alpha * sum;
}

/* The fit at a penalty; its criterion, infinite where it cannot be computed. */
static double criterion(fit *f, double alpha)
{
    if (!factor(f, alpha)) return INFINITY;
    solve(f);
    memcpy(f->g, f->y, sizeof(double) * (size_t)f->n);
    for (int j = 0; j < f->N; j++)
        for (int k = 0; k <= f->m; k++) f->g[j + k] -= alpha * f->Q[j][k] * f->gamma[j];
    f->rss = 0;
    for (int i = 0; i < f->n; i++) f->rss += (f->y[i] - f->g[i]) * (f->y[i] - f->g[i]);
    f->freedom = freedom(f, alpha);
    if (!(f->freedom > 0)) return INFINITY;
    return f->noise > 0 ? f->rss + 2 * f->noise * f->noise * (f->n - f->freedom)
                        : f->n * f->rss / (f->freedom * f->freedom);
}

/* The best penalty: grid in its logarithm from nearly none to nearly a polynomial, then golden section. */
static double best_penalty(fit *f)
{
    const double golden = 0.38196601125010515, step = log(10) / 2;
    double lo = -2 * f->m * log(pi) - 6 * log(10), hi = 2 * f->m * log(2.0 * f->n), best = lo,
           least = INFINITY;
    for (double x = lo; x <= hi; x += step) {
        double c = criterion(f, exp(x));
        if (c < least) least = c, best = x;
    }
    double a = best - step > lo ? best - step : lo, b = best + step < hi ? best + step : hi;
    double x = a + golden * (b - a), y = b - golden * (b - a), cx = criterion(f, exp(x)),
           cy = criterion(f, exp(y));
    while (b - a > 0.01)
        if (cx <= cy) {
            b = y, y = x, cy = cx;
            x = a + golden * (b - a), cx = criterion(f, exp(x));
        } else {
            a = x, x = y, cx = cy;
            y = b - golden * (b - a), cy = criterion(f, exp(y));
        }
    return exp(cx <= cy ? x : y);
}

/* Integral of (to - s)^(p-1)/(p-1)! g^(m)(s) from u_i's side of interval i; from, to within it; p = 0: the
   value at `to`. */
static double integral(const sn_smooth *s, int i, double from, double to, double end, int p)
{
    double half = 0.5 * (to - from), mid = 0.5 * (to + from), sum = 0;
    if (p == 0) return highest(s->order, s->n, s->u, s->gamma, i, to);
    for (int k = 0; k < s->order; k++) {
        double x = mid + half * gauss_x[s->order][k], d = 1;
        for (int l = 1; l < p; l++) d *= (end - x) / l;
        sum += half * gauss_w[s->order][k] * d * highest(s->order, s->n, s->u, s->gamma, i, x);
    }
    return sum;
}

/* Derivatives 1 ... m - 1 at knot i: Taylor's formula with its remainder to m - 1 neighbours. */
static void slopes(const sn_smooth *s, int i, double *d)
{
    int m = s->order, n = m - 1, first = i - n / 2;
    double A[M][M], b[M];
    first = first < 0 ? 0 : first + m > s->n ? s->n - m : first;
    for (int k = first, r = 0; k < first + m; k++) {
        if (k == i) continue;
        double h = s->u[k] - s->u[i], p = 1, rest = 0;
        for (int c = 0; c < n; c++) p *= h / (c + 1), A[r][c] = p;
        for (int j = i; j < k; j++) rest += integral(s, j, s->u[j], s->u[j + 1], s->u[k], m);
        for (int j = k; j < i; j++) rest -= integral(s, j, s->u[j], s->u[j + 1], s->u[k], m);
        b[r++] = s->g[k] - s->g[i] - rest;
    }
    for (int k = 0; k < n; k++) { /* elimination with column pivots */
        int top = k;
        for (int r = k + 1; r < n; r++)
            if (fabs(A[r][k]) > fabs(A[top][k])) top = r;
        for (int c = 0; c < n; c++) {
            double x = A[k][c];
            A[k][c] = A[top][c], A[top][c] = x;
        }
        double x = b[k];
        b[k] = b[top], b[top] = x;
        for (int r = k + 1; r < n; r++) {
            double q = A[r][k] / A[k][k];
            for (int c = k; c < n; c++) A[r][c] -= q * A[k][c];
            b[r] -= q * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        d[k] = b[k];
        for (int c = k + 1; c < n; c++) d[k] -= A[k][c] * d[c];
        d[k] /= A[k][k];
    }
}

/* Standard deviation that white noise leaves in the k-th derivative, in units of time: cutoff frequency at
   most Nyquist's. */
static double left_over(const sn_smooth *s, int k)
{
    int m = s->order;
    double e = (2.0 * k + 1) / (2 * m), w = pow(s->penalty, -1.0 / (2 * m));
    double whole = pow(w, 2 * k + 1) * (1 - e) / (2 * m * sin(pi * e)); /* 1/pi times the integral */
    double all = pow(pi, 2 * k) / (2 * k + 1);                          /* no filter */
    return s->noise * sqrt(whole < all ? whole : all) / pow(s->unit, k);
}

sn_smooth_options sn_smooth_options_default(void) { return (sn_smooth_options){.order = 3}; }

static sn_status samples(int n, const double *t, const double *y, sn_smooth *s, double *yy, sn_err *err)
{
    int m = s->order;
    for (int i = 0; i < n; i++) {
        if (!isfinite(t[i]) || isinf(y[i]))
            return sn_fail(err, SN_ERR_INPUT, NULL, "sample %d of %d is not finite", i + 1, n);
        if (i && !(t[i] > t[i - 1]))
            return sn_fail(err, SN_ERR_INPUT, NULL, "times of samples must ascend, but %.9g follows %.9g",
                           t[i], t[i - 1]);
        if (!isnan(y[i])) s->u[s->n] = t[i], yy[s->n++] = y[i];
    }
    if (s->n <= m)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "a smoothing spline of order %d needs %d samples, there are %d", m, m + 1, s->n);
    s->begin = s->u[0], s->unit = (s->u[s->n - 1] - s->begin) / (s->n - 1);
    for (int i = 0; i < s->n; i++) s->u[i] = (s->u[i] - s->begin) / s->unit;
    return SN_OK;
}

static sn_status compute(sn_smooth *s, const double *y, const sn_smooth_options *o, sn_err *err)
{
    fit f = {.m = s->order, .n = s->n, .N = s->n - s->order, .u = s->u, .y = y, .noise = o->noise};
    size_t n = (size_t)s->n;
    sn_status status = SN_OK;
    s->gamma = sn_arena_alloc(&s->arena, n, sizeof *s->gamma);
    s->slope = sn_arena_alloc(&s->arena, n * (size_t)(s->order - 1), sizeof *s->slope);
    f.gamma = s->gamma, f.g = s->g;
    if (!s->gamma || !s->slope || !SN_NEW(f.Q, n) || !SN_NEW(f.R, n) || !SN_NEW(f.QQ, n) || !SN_NEW(f.U, n) ||
        !SN_NEW(f.V, n) || !SN_NEW(f.right, n))
        status = SN_OUT_OF_MEM(err);
    if (!status) {
        set_up(&f);
        s->penalty = o->penalty > 0 ? o->penalty : best_penalty(&f);
        if (isinf(criterion(&f, s->penalty)))
            status = sn_fail(err, SN_ERR_NUMERIC, NULL,
                             "the smoothing spline cannot be computed (samples too uneven)");
    }
    sn_free(f.Q), sn_free(f.R), sn_free(f.QQ), sn_free(f.U), sn_free(f.V), sn_free(f.right);
    if (status) return status;
    s->rss = f.rss, s->freedom = f.freedom;
    s->noise = o->noise > 0 ? o->noise : sqrt(f.rss / f.freedom);
    for (int i = 0; i < s->n; i++) slopes(s, i, s->slope + (size_t)i * (size_t)(s->order - 1));
    for (int k = 0; k < 3; k++) s->deviation[k] = left_over(s, k);
    return SN_OK;
}

sn_status sn_smooth_new(int n, const double *t, const double *y, const sn_smooth_options *o, sn_smooth **out,
                        sn_err *err)
{
    sn_smooth *s;
    double *yy = NULL;
    *out = NULL;
    if (o->order < 2 || o->order > M)
        return sn_fail(err, SN_ERR_INPUT, NULL, "the order of a smoothing spline is 2, 3 or 4, not %d",
                       o->order);
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    s->order = o->order;
    s->u = sn_arena_alloc(&s->arena, (size_t)n + 1, sizeof *s->u);
    s->g = sn_arena_alloc(&s->arena, (size_t)n + 1, sizeof *s->g);
    sn_status status = s->u && s->g && SN_NEW(yy, n + 1) ? SN_OK : SN_OUT_OF_MEM(err);
    if (!status) status = samples(n, t, y, s, yy, err);
    if (!status) status = compute(s, yy, o, err);
    sn_free(yy);
    if (status)
        sn_smooth_free(s);
    else
        *out = s;
    return status;
}

void sn_smooth_free(sn_smooth *s)
{
    if (!s) return;
    sn_arena_free(&s->arena);
    sn_free(s);
}

void sn_smooth_at(const sn_smooth *s, double t, double y[3])
{
    double x = (t - s->begin) / s->unit;
    int m = s->order, i = 0, top = s->n - 1;
    while (top - i > 1) {
        int mid = (i + top) / 2;
        if (s->u[mid] <= x)
            i = mid;
        else
            top = mid;
    }
    if (x > s->u[s->n - 1]) i = s->n - 1;
    int inside = x >= s->u[0] && i < s->n - 1;
    double h = x - s->u[i], scale = 1;
    const double *d = s->slope + (size_t)i * (size_t)(m - 1);
    for (int k = 0; k < 3; k++, scale *= s->unit) {
        double sum = k == 0 ? s->g[i] : 0, p = 1;
        for (int j = k ? k : 1; j < m; j++) { /* d_j h^(j-k)/(j-k)! */
            if (j > k) p *= h / (j - k);
            sum += d[j - 1] * p;
        }
        if (inside) sum += integral(s, i, s->u[i], x, x, m - k);
        y[k] = sum / scale;
    }
}
