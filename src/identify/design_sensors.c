/* Sets of sensors: criteria, the best set of a size, and how far from the best any set can be. */
#include "identify/design.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

enum { SETS = 2000, STEPS = 60, EXCHANGES = 50 };
static const double wide = 10; /* standard deviation of z that nothing is worse than */

sn_status sn_information_new(const sn_study *s, int draws, sn_information **out, sn_err *err)
{
    sn_information *f;
    size_t n2 = (size_t)s->n_unknown * (size_t)s->n_unknown + 1, c = (size_t)s->design->n_candidate;
    *out = NULL;
    if (!SN_NEW(f, 1)) return SN_OUT_OF_MEM(err);
    f->s = s, f->n = s->n_unknown, f->n_candidate = s->design->n_candidate, f->draws = draws;
    if (!SN_NEW(f->base, n2) || !SN_NEW(f->M, n2 * c * (size_t)draws) || !SN_NEW(f->total, n2) ||
        !SN_NEW(f->C, n2) || !SN_NEW(f->V, n2) || !SN_NEW(f->B, n2)) {
        sn_information_free(f);
        return SN_OUT_OF_MEM(err);
    }
    *out = f;
    return SN_OK;
}

void sn_information_free(sn_information *f)
{
    if (!f) return;
    sn_free(f->base), sn_free(f->M), sn_free(f->total), sn_free(f->C), sn_free(f->V), sn_free(f->B);
    sn_free(f);
}

static const double *of_candidate(const sn_information *f, int draw, int i)
{
    size_t n2 = (size_t)f->n * (size_t)f->n;
    return f->M + ((size_t)draw * (size_t)f->n_candidate + (size_t)i) * n2;
}

void sn_information_sum(const sn_information *f, int draw, const double *w, double *total)
{
    size_t n2 = (size_t)f->n * (size_t)f->n;
    memcpy(total, f->base, n2 * sizeof *total);
    for (int i = 0; i < f->n_candidate; i++) {
        const double *M = of_candidate(f, draw, i);
        if (w[i] == 0) continue;
        for (size_t k = 0; k < n2; k++) total[k] += w[i] * M[k];
    }
}

/* C = M^-1 of a positive definite M; 0: it is not. */
static int invert(int n, const double *M, double *C)
{
    memcpy(C, M, sizeof *C * (size_t)n * (size_t)n);
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, C, n) || LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', n, C, n))
        return 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) C[i * n + j] = C[j * n + i];
    return 1;
}

/* The weight of a squared standard error of z in criterion A: in units of its goal, or of the value. */
static double unit_of(const sn_study *s, int k)
{
    const sn_unknown *u = &s->unknown[k];
    double goal = s->design->goal[k];
    double one = !isnan(goal) ? goal : u->log || u->start == 0 ? 1 : fabs(u->start) / u->scale;
    return 1 / (one * one);
}

/* ln det C_ss / 2p, and V = C_ss^-1 / p */
static double criterion_d(const sn_information *f, double *V)
{
    const unsigned char *asked = f->s->design->asked;
    double *S = f->B, sum = 0;
    int n = f->n, p = 0;
    for (int i = 0; i < n; i++) {
        if (!asked[i]) continue;
        int q = 0;
        for (int j = 0; j < n; j++)
            if (asked[j]) S[p * n + q++] = f->C[i * n + j];
        p++;
    }
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', p, S, n)) return INFINITY;
    for (int i = 0; i < p; i++) sum += log(S[i * n + i]) / p;
    if (!V) return sum;
    if (LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', p, S, n)) return INFINITY;
    for (int i = 0, a = 0; i < n; i++) {
        if (!asked[i]) continue;
        for (int j = 0, b = 0; j < n; j++)
            if (asked[j]) V[i * n + j] = (b >= a ? S[a * n + b] : S[b * n + a]) / p, b++;
        a++;
    }
    return sum;
}

/* ln tr(W C) / 2, and V = W / tr(W C); W diagonal, or c c' */
static double criterion_trace(const sn_information *f, double *V)
{
    const sn_design_section *d = f->s->design;
    double sum = 0;
    int n = f->n, p = 0, function = d->criterion == SN_CRITERION_C;
    for (int i = 0; i < n; i++) p += d->asked[i];
    for (int pass = 0; pass < (V ? 2 : 1); pass++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double w = function ? d->c[i] * d->c[j] : i == j && d->asked[i] ? unit_of(f->s, i) / p : 0;
                if (pass == 0)
                    sum += w * f->C[i * n + j];
                else
                    V[i * n + j] = w / sum;
            }
    return 0.5 * log(sum);
}

/* B = C V C: the criterion falls by tr(B M_i) / 2 with the weight of candidate i */
static void product(const sn_information *f)
{
    int n = f->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int a = 0; a < n; a++)
                for (int b = 0; b < n; b++) sum += f->C[i * n + a] * f->V[a * n + b] * f->C[b * n + j];
            f->B[i * n + j] = sum;
        }
}

double sn_criterion(const sn_information *f, const double *w, double *fall)
{
    size_t n = (size_t)f->n;
    double mean = 0;
    if (fall) memset(fall, 0, sizeof *fall * (size_t)f->n_candidate);
    for (int draw = 0; draw < f->draws; draw++) {
        sn_information_sum(f, draw, w, f->total);
        for (size_t k = 0; k < n; k++) f->total[k * n + k] += 1 / (wide * wide);
        if (fall) memset(f->V, 0, sizeof *f->V * n * n);
        double x = !invert(f->n, f->total, f->C)               ? INFINITY
                   : f->s->design->criterion == SN_CRITERION_D ? criterion_d(f, fall ? f->V : NULL)
                                                               : criterion_trace(f, fall ? f->V : NULL);
        mean += x / f->draws;
        if (!fall || !isfinite(x)) continue;
        product(f);
        for (int i = 0; i < f->n_candidate; i++) {
            const double *M = of_candidate(f, draw, i);
            double sum = 0;
            for (size_t k = 0; k < n * n; k++) sum += f->B[k] * M[k];
            fall[i] += 0.5 * sum / f->draws;
        }
    }
    return isnan(mean) ? INFINITY : mean;
}

/* ---- the best set ---- */

/* How many sets of k there are, or SETS + 1. */
static int count_sets(int n, int k)
{
    double sets = 1;
    for (int i = 0; i < k && sets <= SETS; i++) sets *= (double)(n - i) / (i + 1);
    return sets > SETS ? SETS + 1 : (int)(sets + 0.5);
}

/* All sets of k, in the order of their numbers. */
static double try_all(const sn_information *f, int k, int *at, double *w, double *best)
{
    int n = f->n_candidate;
    double least = INFINITY;
    for (int i = 0; i < k; i++) at[i] = i;
    for (int more = 1, first = 1; more; first = 0) {
        memset(w, 0, sizeof *w * (size_t)n);
        for (int i = 0; i < k; i++) w[at[i]] = 1;
        double x = sn_criterion(f, w, NULL);
        if (x < least || first) least = x, memcpy(best, w, sizeof *w * (size_t)n);
        int i = k - 1;
        while (i >= 0 && at[i] == n - k + i) i--;
        more = i >= 0;
        if (more) at[i]++;
        for (int j = i + 1; more && j < k; j++) at[j] = at[j - 1] + 1;
    }
    return least;
}

/* One sensor more, the one that lowers the criterion most. */
static double add_best(const sn_information *f, double *w)
{
    double least = INFINITY;
    int best = -1;
    for (int i = 0; i < f->n_candidate; i++) {
        if (w[i] != 0) continue;
        w[i] = 1;
        double x = sn_criterion(f, w, NULL);
        w[i] = 0;
        if (best < 0 || x < least) least = x, best = i;
    }
    if (best >= 0) w[best] = 1;
    return least;
}

/* Exchanges of one for another while they are worth it (Fedorov). */
static double exchange(const sn_information *f, double x, double *w)
{
    for (int round = 0; round < EXCHANGES; round++) {
        int from = -1, to = -1;
        double least = x - 1e-9;
        for (int i = 0; i < f->n_candidate; i++)
            for (int j = 0; w[i] != 0 && j < f->n_candidate; j++) {
                if (w[j] != 0) continue;
                w[i] = 0, w[j] = 1;
                double y = sn_criterion(f, w, NULL);
                w[i] = 1, w[j] = 0;
                if (y < least) least = y, from = i, to = j;
            }
        if (from < 0) break;
        w[from] = 0, w[to] = 1, x = least;
    }
    return x;
}

/* The k largest of x are 1 in w, the others 0; their sum. */
static double take_largest(int n, int k, const double *x, double *w)
{
    double sum = 0;
    memset(w, 0, sizeof *w * (size_t)n);
    for (int j = 0; j < k; j++) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (w[i] == 0 && (best < 0 || x[i] > x[best])) best = i;
        w[best] = 1, sum += x[best];
    }
    return sum;
}

/* Weights between 0 and 1 of sum k by the conditional gradient (Frank and Wolfe; Wynn, Fedorov). The
   criterion is convex, so that its tangent at any weights is a bound for all of them, sets of sensors among
   them. */
static double relax(const sn_information *f, int k, double *w, double *fall, double *to, double *mid)
{
    static const double ratio = 0.61803398874989485;
    int n = f->n_candidate;
    double bound = -INFINITY;
    for (int i = 0; i < n; i++) w[i] = (double)k / n;
    for (int step = 0; step < STEPS; step++) {
        double x = sn_criterion(f, w, fall), along = 0, a = 0, b = 1;
        double most = take_largest(n, k, fall, to);
        for (int i = 0; i < n; i++) along += w[i] * fall[i];
        bound = fmax(bound, x + along - most);
        if (!isfinite(x) || most - along < 1e-3) break;
        for (int j = 0; j < 12; j++) { /* golden section along the way there */
            double p[2] = {b - ratio * (b - a), a + ratio * (b - a)}, y[2];
            for (int q = 0; q < 2; q++) {
                for (int i = 0; i < n; i++) mid[i] = w[i] + p[q] * (to[i] - w[i]);
                y[q] = sn_criterion(f, mid, NULL);
            }
            if (y[0] < y[1])
                b = p[1];
            else
                a = p[0];
        }
        for (int i = 0; i < n; i++) w[i] += 0.5 * (a + b) * (to[i] - w[i]);
    }
    return bound;
}

sn_status sn_best_set(const sn_information *f, int k, double *w, double *bound, sn_err *err)
{
    int n = f->n_candidate, *at = NULL;
    size_t room = (size_t)n + 1;
    double *other = NULL, *fall = NULL, *to = NULL, *mid = NULL;
    sn_status status =
        SN_NEW(at, room) && SN_NEW(other, room) && SN_NEW(fall, room) && SN_NEW(to, room) && SN_NEW(mid, room)
            ? SN_OK
            : SN_OUT_OF_MEM(err);
    if (!status && count_sets(n, k) <= SETS) {
        double x = try_all(f, k, at, other, w);
        if (bound) *bound = x;
    } else if (!status) {
        double x = INFINITY;
        memset(w, 0, sizeof *w * room - sizeof *w);
        for (int i = 0; i < k; i++) x = add_best(f, w);
        x = exchange(f, x, w);
        if (bound) {
            *bound = relax(f, k, other, fall, to, mid);
            take_largest(n, k, other, to);
            double y = exchange(f, sn_criterion(f, to, NULL), to);
            if (y < x) memcpy(w, to, sizeof *w * (size_t)n);
            *bound = fmin(*bound, fmin(x, y));
        }
    }
    sn_free(at), sn_free(other), sn_free(fall), sn_free(to), sn_free(mid);
    return status;
}
