/* Weights of smoothness: see smoothing.h.

   With H = J'J of the data (and priors, and the smoothness of the other histories) and P that of the
   history's differences, the linearised problem for a weight w is (H + w P) c = b. With B = H + m P = C C'
   for some m, and C^-1 P C^-T = V diag(theta) V', all matrices are diagonal in the coordinates V'C^T c: H + w
   P = 1 + (w - m) theta. So a weight costs n^2 operations, and a grid of them is no matter.

   gcv:         N rss / (N - p)^2 with p = tr (H + w P)^-1 J'J (Golub, Heath, Wahba 1979)
   l_curve:     the largest curvature of log rss over log c'Pc (Hansen, O'Leary 1993)
   discrepancy: the smoothest history with rss = N, the noise being stated (Morozov 1966)
   likelihood:  the marginal likelihood of the data with the size of the noise profiled (Wahba 1985;
   restricted maximum likelihood): (N - k) log (rss + w c'Pc) + log det (H + w P) - r log w, r the rank of P,
                k the unknowns that are not smoothed */
#include "identify/smoothing_data.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

enum { GRID = SN_WEIGHT_GRID, BISECTIONS = 30 };
static const double decades = 10; /* to each side of where data and smoothness balance */

int sn_smoothing_needed(const sn_study *s)
{
    for (int k = 0; k < s->n_history && !s->sequential; k++)
        if (s->history[k].form != SN_FORM_SERIES) return 1;
    return 0;
}

double sn_smoothing_add(const sn_study *s, const double *z, int only, double *g, double *A)
{
    double cost = 0;
    for (int k = 0; k < s->n_history_part && !s->sequential; k++) {
        const sn_history_part *p = &s->history_part[k];
        if (!only) cost += sn_smoothing_ridge(s, p, z, g, A);
        if (!(p->weight > 0) || (only && p->history != only - 1)) continue;
        for (int i = 0; i < sn_history_differences(s, p); i++) {
            double d = sn_smoothing_difference(s, p, i, z);
            cost += 0.5 * p->weight * p->w[i] * d * d;
        }
        sn_smoothing_add_part(s, p, p->weight, z, g, A);
    }
    return cost;
}

/* ---- the linearised problem in its own coordinates ---- */

typedef struct pencil {
    int n;
    double m;           /* B = H + m P */
    double *H, *P;      /* data with priors and other histories; differences, weight 1 */
    double *theta, *V;  /* V: rows of V'C^-1 */
    double *J;          /* J'J alone, in these coordinates */
    double *b, *x, *y;  /* right-hand side; solution; scratch; all in these coordinates */
    double *z0, *g0;    /* where it was linearised, gradient of the data there, in these coordinates */
    double rss0, count; /* sum of squares there; numbers measured */
    double log_det;     /* of B */
    int rank;           /* of P */
    int others;         /* unknowns that are not smoothed by it */
    double known;       /* squares of other terms: 0 */
} pencil;

static void free_pencil(pencil *q)
{
    sn_free(q->H), sn_free(q->P), sn_free(q->theta), sn_free(q->V), sn_free(q->J), sn_free(q->b);
}

static int open_pencil(pencil *q, int n)
{
    size_t m = (size_t)n, all = m * m + 1;
    q->n = n;
    int good = SN_NEW(q->H, all) && SN_NEW(q->P, all) && SN_NEW(q->V, all) && SN_NEW(q->J, all) &&
               SN_NEW(q->theta, m + 1) && SN_NEW(q->b, 5 * m + 1);
    if (good) q->x = q->b + m, q->y = q->x + m, q->z0 = q->y + m, q->g0 = q->z0 + m;
    return good;
}

/* y = V x (rows of V) */
static void turn(const pencil *q, const double *x, double *y)
{
    cblas_dgemv(CblasRowMajor, CblasNoTrans, q->n, q->n, 1, q->V, q->n, x, 1, 0, y, 1);
}

/* theta and V from H and P. 0: they cannot be had. */
static int diagonalise(pencil *q)
{
    size_t n = (size_t)q->n;
    double h = 0, p = 0, *C = q->J; /* scratch until it is made */
    for (size_t i = 0; i < n; i++) h += q->H[i * n + i], p += q->P[i * n + i];
    if (!(h > 0) || !(p > 0)) return 0;
    q->m = h / p;
    for (size_t i = 0; i < n * n; i++) C[i] = q->H[i] + q->m * q->P[i];
    for (size_t i = 0; i < n; i++) C[i * n + i] += 1e-13 * C[i * n + i] + 1e-300;
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', q->n, C, q->n)) return 0;
    q->log_det = 0;
    for (size_t i = 0; i < n; i++) q->log_det += 2 * log(C[i * n + i]);
    memcpy(q->V, q->P, sizeof(double) * n * n);
    if (LAPACKE_dsygst(LAPACK_ROW_MAJOR, 1, 'L', q->n, q->V, q->n, C, q->n)) return 0;
    if (LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'L', q->n, q->V, q->n, q->theta)) return 0;
    /* columns of V are vectors v: rows of V'C^-1 are wanted, (C^-T v)' */
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, q->n, q->n, 1, C, q->n, q->V,
                q->n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double t = q->V[i * n + j];
            q->V[i * n + j] = q->V[j * n + i], q->V[j * n + i] = t;
        }
    for (size_t i = 0; i < n; i++) q->theta[i] = fmin(fmax(q->theta[i], 0), 1 / q->m);
    return 1;
}

/* What a weight makes of it. */
typedef struct outcome {
    double rss, rough, freedom, log_det, smooth; /* smooth: w c'Pc */
} outcome;

/* In the coordinates y = V'C^T c, where c = V_rows' y and H + w P = 1 + (w - m) theta. */
static outcome try_weight(pencil *q, double w)
{
    outcome o = {.log_det = q->log_det};
    size_t n = (size_t)q->n;
    for (size_t i = 0; i < n; i++) {
        double d = 1 + (w - q->m) * q->theta[i];
        d = fmax(d, 1e-14);
        q->x[i] = q->b[i] / d;
        o.rough += q->theta[i] * q->x[i] * q->x[i];
        o.freedom += q->J[i * n + i] / d;
        o.log_det += log(d);
    }
    for (size_t i = 0; i < n; i++) q->x[i] -= q->z0[i]; /* the step from where it was linearised */
    cblas_dsymv(CblasRowMajor, CblasLower, q->n, 1, q->J, q->n, q->x, 1, 0, q->y, 1);
    o.rss = q->rss0;
    for (size_t i = 0; i < n; i++) o.rss += 2 * q->g0[i] * q->x[i] + q->x[i] * q->y[i];
    o.rss = fmax(o.rss, 1e-30 * q->rss0);
    o.smooth = w * o.rough;
    return o;
}

/* Scores: the less the better. Those of the L-curve come from neighbours. */
static double score_of(const pencil *q, int choice, int stated, double w, const outcome *o)
{
    double left = q->count - o->freedom;
    if (choice == SN_WEIGHT_GCV) return left > 0 ? q->count * o->rss / (left * left) : INFINITY;
    if (choice == SN_WEIGHT_DISCREPANCY) return fabs(log(o->rss / q->count));
    double k = fmax(q->count - q->others, 1), squares = o->rss + o->smooth;
    return (stated ? squares : k * log(squares / k)) + o->log_det - q->rank * log(w);
}

void sn_smoothing_bend(sn_weight_curve *c)
{
    for (int i = 0; i < c->n; i++) {
        c->score[i] = 0;
        if (!i || i == c->n - 1) continue;
        double x[3], y[3];
        for (int k = 0; k < 3; k++)
            x[k] = log(c->misfit[i - 1 + k]) / 2, y[k] = log(fmax(c->roughness[i - 1 + k], 1e-300)) / 2;
        double dx = (x[2] - x[0]) / 2, dy = (y[2] - y[0]) / 2, ddx = x[2] - 2 * x[1] + x[0],
               ddy = y[2] - 2 * y[1] + y[0], speed = pow(dx * dx + dy * dy, 1.5);
        if (speed > 0) c->score[i] = -(dx * ddy - ddx * dy) / speed;
    }
}

/* The sum of squares that the noise has is met between two weights of the grid. */
static double meet_noise(pencil *q, double low, double high)
{
    for (int i = 0; i < BISECTIONS; i++) {
        double w = sqrt(low * high);
        if (try_weight(q, w).rss <= q->count)
            low = w;
        else
            high = w;
    }
    return sqrt(low * high);
}

/* The least score between the neighbours of a weight of the grid, by the golden section. */
static double least_score(pencil *q, int choice, int stated, double low, double high)
{
    const double golden = 0.381966011250105;
    double a = log(low), b = log(high), x[2], y[2];
    for (int i = 0; i < BISECTIONS; i++) {
        for (int k = 0; k < 2; k++) {
            x[k] = k ? b - golden * (b - a) : a + golden * (b - a);
            outcome o = try_weight(q, exp(x[k]));
            y[k] = score_of(q, choice, stated, exp(x[k]), &o);
        }
        if (y[0] < y[1])
            b = x[1];
        else
            a = x[0];
    }
    return exp(0.5 * (a + b));
}

/* The grid, its scores and the best of it, then what lies between its points; of the L-curve by a parabola.
 */
static double best_weight(pencil *q, int choice, int stated, sn_weight_curve *c)
{
    double first = q->m * pow(10, -decades), step = 2 * decades / (GRID - 1), x = 0;
    c->n = GRID, c->chosen = 0;
    for (int i = 0; i < GRID; i++) {
        double w = c->weight[i] = first * pow(10, i * step);
        outcome o = try_weight(q, w);
        c->misfit[i] = o.rss, c->roughness[i] = o.rough, c->score[i] = score_of(q, choice, stated, w, &o);
    }
    if (choice == SN_WEIGHT_L_CURVE) sn_smoothing_bend(c);
    for (int i = 1; i < GRID; i++)
        if (c->score[i] < c->score[c->chosen]) c->chosen = i;
    if (choice == SN_WEIGHT_DISCREPANCY) { /* the last weight whose residuals are within the noise */
        c->chosen = 0;
        for (int i = 0; i < GRID; i++)
            if (c->misfit[i] <= q->count) c->chosen = i;
    }
    int k = c->chosen;
    if (choice == SN_WEIGHT_DISCREPANCY)
        return k + 1 < GRID ? meet_noise(q, c->weight[k], c->weight[k + 1]) : c->weight[k];
    if (!k || k + 1 == GRID) return c->weight[k];
    if (choice != SN_WEIGHT_L_CURVE)
        return least_score(q, choice, stated, c->weight[k - 1], c->weight[k + 1]);
    double before = c->score[k - 1], at = c->score[k], after = c->score[k + 1],
           bent = before - 2 * at + after;
    if (bent > 0) x = fmin(fmax(0.5 * (before - after) / bent, -1), 1);
    return c->weight[k] * pow(10, x * step);
}

/* ---- one history ---- */

static sn_status set_up(pencil *q, const sn_fit *f, const double *z, int h, sn_err *err)
{
    const sn_study *s = f->s;
    size_t n = (size_t)f->n;
    sn_smoothing_data d;
    if (!open_pencil(q, f->n)) return SN_OUT_OF_MEM(err);
    SN_TRY(sn_smoothing_data_new(f, z, h, &d, err));
    double *data = d.J, *g = d.g, *t = d.t;
    q->rss0 = d.rss, q->count = d.count, q->others = f->n;
    memcpy(q->H, d.H, sizeof(double) * n * n);
    for (int k = 0; k < s->n_history_part; k++) {
        const sn_history_part *p = &s->history_part[k];
        int own = p->history == h;
        if (own) sn_smoothing_add_part(s, p, 1, NULL, NULL, q->P), q->rank += sn_history_differences(s, p);
        if (own || p->weight > 0) q->others -= sn_history_differences(s, p);
    }
    int good = diagonalise(q);
    /* (H + w P) c = J'J z - g of the data and what priors add, all turned */
    if (good) {
        turn(q, t, q->b), turn(q, g, q->g0);
        /* J in the new coordinates: V J V'; z0 = V B z */
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, q->n, q->n, q->n, 1, q->V, q->n, data, q->n, 0,
                    q->J, q->n);
        for (size_t i = 0; i < n * n; i++) data[i] = q->H[i] + q->m * q->P[i];
        cblas_dsymv(CblasRowMajor, CblasLower, q->n, 1, data, q->n, z, 1, 0, t, 1);
        turn(q, t, q->z0);
        memcpy(data, q->J, sizeof(double) * n * n);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, q->n, q->n, q->n, 1, data, q->n, q->V, q->n, 0,
                    q->J, q->n);
    }
    sn_smoothing_data_free(&d);
    return good
               ? SN_OK
               : sn_fail(err, SN_ERR_NUMERIC, &s->history[h].mark,
                         "the data say nothing of the history '%s': no weight of its smoothness can be found",
                         s->history[h].name);
}

/* Do the data change with the history at all? Where not no weight of its smoothness is better than another.
 */
int sn_smoothing_felt(const sn_fit *f, const sn_history_part *p)
{
    const sn_part *q = &f->part[p->experiment];
    for (int a = 0; a < q->n; a++)
        if (q->unknown[a] >= p->first && q->unknown[a] < p->first + p->n && q->A[a * q->n + a] > 0) return 1;
    return 0;
}

static int any_felt(const sn_fit *f, int h)
{
    for (int k = 0; k < f->s->n_history_part; k++)
        if (f->s->history_part[k].history == h && sn_smoothing_felt(f, &f->s->history_part[k])) return 1;
    return 0;
}

/* Twice the logarithm of the evidence of the history's order, negative: the less the better. NAN: the data
   do not tell. */
static sn_status weigh_order(const sn_fit *f, const double *z, int h, const sn_weight_curve *room,
                             double *score, sn_err *err)
{
    const sn_study *s = f->s;
    pencil q = {.n = 0};
    sn_weight_curve c = *room;
    double improper = 0;
    int stated = sn_smoothing_stated(s);
    sn_status status = set_up(&q, f, z, h, err);
    if (!status) status = sn_smoothing_improper(f, z, h + 1, q.H, &improper, err);
    if (!status) {
        double w = best_weight(&q, SN_WEIGHT_LIKELIHOOD, stated, &c);
        outcome o = try_weight(&q, w);
        double squares = o.rss + o.smooth, k = fmax(q.count - q.n, 1); /* the same for all orders */
        *score = (stated ? squares : k * log(squares)) + o.log_det - q.rank * log(w) - improper;
    }
    free_pencil(&q);
    return status;
}

/* The order with the best evidence, where it is not given. */
static sn_status choose_order(const sn_fit *f, const double *z, int h, const sn_weight_curve *room,
                              sn_err *err)
{
    sn_history *y = &f->s->history[h];
    int best = y->order, from = y->order;
    double least = INFINITY, score = NAN;
    sn_status status = SN_OK;
    y->seek_order--;
    for (int m = 1; !status && m <= SN_HISTORY_MOST_ORDER && m + 2 <= y->n; m++) {
        y->order = m;
        status = weigh_order(f, z, h, room, &score, err);
        if (!status && score < least) least = score, best = m;
    }
    y->order = status ? from : best;
    return status;
}

static sn_status choose_one(sn_fit *f, const double *z, int h, sn_estimate *e, double *change, sn_err *err)
{
    const sn_study *s = f->s;
    pencil q = {.n = 0};
    double *room = sn_arena_alloc(&e->arena, 4 * GRID, sizeof *room);
    sn_weight_curve *c = &e->curves[h];
    int from = s->history[h].order;
    if (!room) return SN_OUT_OF_MEM(err);
    *c = (sn_weight_curve){
        .weight = room, .misfit = room + GRID, .roughness = room + 2 * GRID, .score = room + 3 * GRID};
    if (s->history[h].seek_order > 0) SN_TRY(choose_order(f, z, h, c, err));
    sn_status status = set_up(&q, f, z, h, err);
    double w = status ? 0 : best_weight(&q, s->history[h].choice, sn_smoothing_stated(s), c);
    if (!status && !any_felt(f, h)) w = q.m;
    for (int k = 0; !status && k < s->n_history_part; k++) {
        sn_history_part *p = &s->history_part[k];
        if (p->history != h) continue;
        *change = p->weight > 0 && s->history[h].order == from
                      ? fmax(*change, fmax(w / p->weight, p->weight / w))
                      : INFINITY;
        p->weight = w;
    }
    if (!status) f->freedom = try_weight(&q, w).freedom;
    free_pencil(&q);
    return status;
}

/* Where the equations cannot be solved, as those of runs that are chaotic at the start values: a weight that
   balances data and smoothness, so that the search can begin. */
static void balance(const sn_fit *f, int h, sn_estimate *e)
{
    const sn_study *s = f->s;
    e->curves[h] = (sn_weight_curve){.n = 0};
    for (int k = 0; k < s->n_history_part; k++) {
        sn_history_part *p = &s->history_part[k];
        const sn_part *q = &f->part[p->experiment];
        const double *c = sn_history_stencil(s, p);
        double data = 0, own = 0;
        if (p->history != h || p->weight > 0) continue;
        for (int a = 0; a < q->n; a++)
            if (q->unknown[a] >= p->first && q->unknown[a] < p->first + p->n) data += q->A[a * q->n + a];
        for (int a = 0; a <= s->history[h].order; a++)
            own += c[a] * c[a] * s->unknown[p->first].scale * s->unknown[p->first].scale * p->n;
        p->weight = isfinite(data / own) && data > 0 ? data / own : 1;
    }
}

sn_status sn_smoothing_choose(sn_fit *f, const double *z, sn_estimate *e, double *change, sn_err *err)
{
    const sn_study *s = f->s;
    *change = 1;
    if (!e->curves && !(e->curves = sn_arena_alloc(&e->arena, (size_t)s->n_history + 1, sizeof *e->curves)))
        return SN_OUT_OF_MEM(err);
    sn_smoothing_set_ridge(f);
    for (int h = 0; h < s->n_history; h++) {
        const sn_history *y = &s->history[h];
        int variation = y->smoothing == SN_SMOOTH_TOTAL_VARIATION, before = sn_err_count(err);
        if (y->form == SN_FORM_SERIES || !y->smoothing || (!variation && y->choice == SN_WEIGHT_GIVEN))
            continue;
        sn_status status =
            variation ? sn_variation_choose(f, z, h, e, change, err) : choose_one(f, z, h, e, change, err);
        if (status != SN_ERR_NUMERIC) SN_TRY(status);
        if (status) sn_err_forget(err, before), balance(f, h, e);
    }
    return SN_OK;
}

/* ---- what the fit takes of each channel ---- */

/* row' C^-1 C^-T row with C the factors of A: leverage of a measured number. */
static double lever(int n, const double *C, const double *row, double *x)
{
    memcpy(x, row, sizeof(double) * (size_t)n);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, C, n, x, 1);
    return cblas_ddot(n, x, 1, x, 1);
}

static void levers_of(sn_fit *f, int k, const double *C, double *row, double *x)
{
    const sn_experiment *e = &f->s->experiment[k];
    sn_part *p = &f->part[k];
    for (int c = 0; c < e->n_channel; c++) p->lever[c] = 0;
    for (int i = 0; i < e->n; i++)
        for (int c = 0; c < e->n_channel; c++) {
            size_t at = (size_t)i * (size_t)e->n_channel + (size_t)c;
            if (isnan(p->r[at])) continue;
            memset(row, 0, sizeof(double) * (size_t)f->n);
            for (int a = 0; a < p->n; a++) row[p->unknown[a]] = p->J[at * (size_t)p->n + (size_t)a];
            p->lever[c] += lever(f->n, C, row, x);
        }
}

sn_status sn_smoothing_levers(sn_fit *f, const double *z, double *evidence, sn_err *err)
{
    const sn_study *s = f->s;
    size_t n = (size_t)f->n;
    double *C = NULL, *row = NULL, sum = 0, improper = 0;
    sn_status status = SN_NEW(C, n * n + 1) && SN_NEW(row, 2 * n + 1) ? SN_OK : SN_OUT_OF_MEM(err);
    for (int k = 0; !status && k < s->n_experiment; k++)
        if (!f->part[k].lever && !SN_NEW(f->part[k].lever, s->experiment[k].n_channel + 1))
            status = SN_OUT_OF_MEM(err);
    if (!status) memcpy(C, f->A, sizeof(double) * n * n);
    for (size_t i = 0; !status && i < n; i++) C[i * n + i] = C[i * n + i] * (1 + 1e-13) + 1e-300;
    if (!status && LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', f->n, C, f->n)) {
        sn_free(C), sn_free(row);
        *evidence = NAN;
        return SN_OK;
    }
    f->freedom = 0;
    for (int k = 0; !status && k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        if (x->hold_out || !f->part[k].J) continue;
        levers_of(f, k, C, row, row + n);
        for (int c = 0; c < x->n_channel; c++) f->freedom += f->part[k].lever[c];
        for (int i = 0; i < x->n * x->n_channel; i++) {
            double r = f->part[k].r[i];
            if (!isnan(r)) sum += r * r + 2 * log(x->sigma[i % x->n_channel]);
        }
    }
    for (size_t i = 0; !status && i < n; i++) sum += 2 * log(C[i * n + i]);
    for (int k = 0; !status && k < s->n_history_part; k++) {
        const sn_history_part *p = &s->history_part[k];
        if (p->weight > 0) sum -= sn_history_differences(s, p) * log(p->weight);
    }
    if (!status) sum += 2 * sn_smoothing_add(s, z, 0, NULL, NULL);
    if (!status) status = sn_smoothing_improper(f, z, 0, f->A, &improper, err);
    if (isfinite(improper)) sum -= improper;
    *evidence = -0.5 * sum;
    sn_free(C), sn_free(row);
    return status;
}
