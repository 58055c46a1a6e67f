/* Bands of histories with total variation. The curvature of the cost at its minimum knows nothing of jumps
   that could be elsewhere or smaller, so that bands by it hold the truth far too seldom. Here the posterior
   itself is drawn from (Park, Casella 2008; Kyung et al. 2010): with the prior weight/2 exp(-weight |d_i|) of
   each difference,

       c | s      normal, (H + D'diag(s) D) c = t
       s_i | d_i  inverse Gaussian, mean weight/|d_i|, shape weight^2
       weight | d Gamma, shape m, rate sum |d_i|      unless it is given

   by turns, of the problem linearised at the estimate. Mean squares about the estimate become its covariance.
 */
#include "identify/random.h"
#include "identify/smoothing_data.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

enum { SETTLING = 200, DRAWS = 800 };
static const double most_work = 1e11; /* products; beyond it draws are fewer */

/* Michael, Schucany, Haas 1976 */
static double inverse_gaussian(double mean, double shape, unsigned long long *seed)
{
    double y = sn_normal(seed), a = mean * y * y / (2 * shape);
    double x = mean / (1 + a + sqrt(a * (2 + a)));
    return sn_uniform(seed) <= mean / (mean + x) ? x : mean * mean / x;
}

/* Marsaglia, Tsang 2000; shape at least 1 */
static double gamma_number(double shape, unsigned long long *seed)
{
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = sn_normal(seed), v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        if (log(sn_uniform(seed)) < 0.5 * x * x + d * (1 - v + log(v))) return d * v;
    }
}

typedef struct chain {
    const sn_fit *f;
    sn_history_part *part;
    sn_smoothing_data d;
    double *A, *x, *S; /* factors, a draw, sums of squares about the estimate */
    double *w, weight; /* of the estimate, to be restored */
    unsigned long long seed;
} chain;

/* Weights of differences, and of all of them, by the history as it is. */
static void draw_weights(chain *q, int given)
{
    const sn_study *s = q->f->s;
    sn_history_part *p = q->part;
    int m = sn_history_differences(s, p);
    double size = 0;
    for (int i = 0; i < m; i++) size += fabs(sn_smoothing_difference(s, p, i, q->x));
    if (!given && size > 0) p->weight = gamma_number(m, &q->seed) / size;
    for (int i = 0; i < m; i++) {
        double d = fabs(sn_smoothing_difference(s, p, i, q->x)),
               mean = p->weight / fmax(d, 1e-12 * size + 1e-300);
        p->w[i] = inverse_gaussian(mean, p->weight * p->weight, &q->seed) / p->weight;
    }
}

/* The history by the weights. 0: it cannot be had. */
static int draw_history(chain *q)
{
    int n = q->f->n;
    size_t all = (size_t)n * (size_t)n;
    double *y = q->x + n;
    memcpy(q->A, q->d.H, sizeof(double) * all), memcpy(q->x, q->d.t, sizeof(double) * (size_t)n);
    sn_smoothing_add_part(q->f->s, q->part, q->part->weight, NULL, NULL, q->A);
    for (size_t i = 0; i < all; i += (size_t)n + 1) q->A[i] *= 1 + 1e-13;
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, q->A, n)) return 0;
    for (int i = 0; i < n; i++) y[i] = sn_normal(&q->seed);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, q->A, n, q->x, 1);
    cblas_daxpy(n, 1, y, 1, q->x, 1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, n, q->A, n, q->x, 1);
    return 1;
}

static int draw_all(chain *q, const double *z, int given)
{
    int n = q->f->n, draws = (int)fmax(100, fmin(DRAWS, most_work / (0.5 * n * (double)n * n + 1)));
    double *y = q->x + n;
    memcpy(q->x, z, sizeof(double) * (size_t)n);
    for (int i = 0; i < SETTLING * draws / DRAWS + draws; i++) {
        draw_weights(q, given);
        if (!draw_history(q)) return 0;
        if (i < SETTLING * draws / DRAWS) continue;
        for (int k = 0; k < n; k++) y[k] = q->x[k] - z[k];
        cblas_dsyr(CblasRowMajor, CblasLower, n, 1.0 / draws, y, 1, q->S, n);
    }
    return 1;
}

/* The covariance of the estimate gets the part's mean squares. */
static void keep(const chain *q, sn_estimate *e)
{
    size_t n = (size_t)q->f->n;
    for (int a = 0; a < q->part->n; a++)
        for (int b = 0; b <= a; b++) {
            size_t i = (size_t)(q->part->first + a), j = (size_t)(q->part->first + b);
            e->covariance[i * n + j] = e->covariance[j * n + i] = q->S[i * n + j];
        }
}

static sn_status one_part(sn_fit *f, sn_history_part *p, sn_estimate *e, sn_err *err)
{
    const sn_history *h = &f->s->history[p->history];
    size_t n = (size_t)f->n;
    chain q = {.f = f, .part = p, .weight = p->weight, .seed = 77 + (unsigned long long)p->first};
    SN_TRY(sn_smoothing_data_new(f, e->z, p->history, &q.d, err));
    int there =
        SN_NEW(q.A, n * n + 1) && SN_NEW(q.x, 2 * n + 1) && SN_NEW(q.S, n * n + 1) && SN_NEW(q.w, p->n + 1);
    if (there) {
        memcpy(q.w, p->w, sizeof(double) * (size_t)p->n);
        if (draw_all(&q, e->z, h->choice == SN_WEIGHT_GIVEN)) keep(&q, e);
        memcpy(p->w, q.w, sizeof(double) * (size_t)p->n), p->weight = q.weight;
    }
    sn_smoothing_data_free(&q.d);
    sn_free(q.A), sn_free(q.x), sn_free(q.S), sn_free(q.w);
    return there ? SN_OK : SN_OUT_OF_MEM(err);
}

sn_status sn_variation_bands(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    for (int k = 0; k < s->n_history_part; k++) {
        sn_history_part *p = &s->history_part[k];
        if (s->history[p->history].smoothing == SN_SMOOTH_TOTAL_VARIATION && p->weight > 0)
            SN_TRY(one_part(f, p, e, err));
    }
    return SN_OK;
}
