/* A long run has many false minima and a short one few, so the data are fitted up to a short time first and
   then up to longer and longer ones. With noise a short window says little, and says it wrongly: what keeps
   it from leading away is to take what is known as a probability.

   - Residuals are in units of the noise (stated, or read off the data: read.c), so that the cost is minus the
     logarithm of a likelihood, and A = J'J with a wide prior around the start, a decade, is the inverse
     covariance of what the window tells. A window that tells nothing leaves everything where it was.
   - Is the next window's cost a parabola all over what this one leaves possible? Then its minimum is the one
     that Newton's method finds. That is looked at for points three deviations away. Where it is none, there
   may be several minima: points drawn from what is possible become alternatives.
   - Alternatives are dropped when they meet, and when the likelihood tells them from the leading one: under
   the true one a wrong one is better by more than d with a probability below exp(-d) (Markov's inequality for
     the ratio of likelihoods).

   Where residuals are larger than the noise (model error) both costs and covariances are scaled by them. */
#include "identify/horizon.h"
#include "identify/minima.h"
#include "identify/random.h"
#include "identify/window.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

enum { CHUNK = 2, ROUNDS = 6, EASY = 4, LINES = 2 };

static const double decade = 2.302585092994046, reach = 3 /* deviations */, doubt = 7 /* costs */,
                    late = 0.3 /* of all data */;

typedef struct place {
    double *z, *A, *g, cost, count; /* as in sn_fit, with the prior */
    double scale;                   /* variance of the residuals in units of the noise, 1 at least */
    int known, done;                /* at the horizon at hand: evaluated, at its minimum */
} place;

typedef struct alternatives {
    sn_fit *f;
    sn_search *o;
    place *p; /* the best one first */
    int n, most;
    place ahead;   /* the leading one at the next horizon; its z is scratch */
    double *d, *L; /* scratch: step, factor */
    unsigned long long seed;
} alternatives;

static double product(int n, const double *A, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) sum += A[(size_t)i * (size_t)n + (size_t)j] * x[i] * y[j];
    return sum;
}

static void bound(const sn_fit *f, double *z)
{
    for (int k = 0; k < f->n; k++) z[k] = fmin(fmax(z[k], f->lower[k]), f->upper[k]);
}

/* d: a random step by what place p leaves possible, normal of covariance reach^2 A^-1, but a decade at most.
 */
static void draw(alternatives *c, const place *p)
{
    int n = c->f->n;
    double size = reach * sqrt(p->scale);
    memcpy(c->L, p->A, sizeof(double) * (size_t)n * (size_t)n);
    for (int k = 0; k < n; k++) c->d[k] = size * sn_normal(&c->seed);
    int singular = LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, c->L, n) != 0; /* by rounding */
    for (int i = n - 1; i >= 0; i--) {                                     /* L' d = normal */
        for (int j = i + 1; j < n; j++) c->d[i] -= c->L[(size_t)j * (size_t)n + (size_t)i] * c->d[j];
        c->d[i] = singular ? 0 : c->d[i] / c->L[(size_t)i * (size_t)n + (size_t)i];
    }
    for (int k = 0; k < n; k++) c->d[k] = fmin(fmax(c->d[k], -decade), decade);
}

/* What f has found at its last evaluation becomes what is known of p, and back. */
static void keep(const sn_fit *f, place *p)
{
    size_t n = (size_t)f->n;
    p->cost = f->cost, p->known = isfinite(f->cost);
    if (!p->known) return; /* what was known of it stays */
    p->count = f->count, p->scale = f->count > f->n ? fmax(1, 2 * f->cost / (f->count - f->n)) : 1;
    memcpy(p->A, f->A, sizeof(double) * n * n), memcpy(p->g, f->g, sizeof(double) * n);
}

static void recall(const place *p, sn_fit *f)
{
    size_t n = (size_t)f->n;
    f->cost = p->cost, f->count = p->count;
    memcpy(f->A, p->A, sizeof(double) * n * n), memcpy(f->g, p->g, sizeof(double) * n);
}

static sn_status cost_at(sn_fit *f, const double *z, double h, int derivatives, double *cost, sn_err *err)
{
    int before = sn_err_count(err);
    sn_status status = sn_fit_evaluate(f, z, h, 0, derivatives, err);
    if (status && status != SN_ERR_NUMERIC) return status;
    if (status) sn_err_forget(err, before);
    *cost = status ? INFINITY : f->cost;
    return SN_OK;
}

/* Is the cost up to h another one than the parabola at the leading place promises, somewhere within reach? */
static sn_status look_ahead(alternatives *c, double h, int lines, int *bent, sn_err *err)
{
    sn_fit *f = c->f;
    const place *p = &c->p[0];
    place *q = &c->ahead;
    double there, *d = c->L;
    SN_TRY(cost_at(f, p->z, h, 1, &there, err));
    keep(f, q);
    *bent = !q->known;
    for (int k = 0; k < 2 * lines && !*bent; k++) {
        double slope = 0;
        if (k % 2 == 0) draw(c, p);
        for (int i = 0; i < f->n; i++) c->d[i] *= k % 2 ? -1 : 1, q->z[i] = p->z[i] + c->d[i];
        bound(f, q->z);
        for (int i = 0; i < f->n; i++) d[i] = q->z[i] - p->z[i], slope += q->g[i] * d[i];
        double rise = 0.5 * product(f->n, q->A, d, d);
        SN_TRY(cost_at(f, q->z, h, 0, &there, err));
        *bent = !(fabs(there - q->cost - slope - rise) <= 0.5 * fmax(2 * q->scale, rise));
    }
    return SN_OK;
}

/* The next window begins: all is to be evaluated anew but what was looked at. */
static void go_on(alternatives *c)
{
    place *p = &c->p[0], *q = &c->ahead;
    for (int i = 0; i < c->n; i++) c->p[i].known = c->p[i].done = 0;
    if (!q->known) return;
    memcpy(q->z, p->z, sizeof(double) * (size_t)c->f->n);
    place t = *p;
    *p = *q, *q = t;
    q->known = p->done = 0;
}

/* The best first; those that have met, and those worse than it by more than `most`, are dropped. */
static void drop_worse(alternatives *c, double most)
{
    int kept = 0, n = c->f->n;
    place t;
    for (int i = 1; i < c->n; i++)
        for (int j = i; j > 0 && c->p[j].cost < c->p[j - 1].cost; j--)
            t = c->p[j], c->p[j] = c->p[j - 1], c->p[j - 1] = t;
    for (int i = 0; i < c->n; i++) {
        double scale = c->p[0].scale;
        int keep = i == 0 || c->p[i].cost - c->p[0].cost <= most * scale;
        for (int j = 0; j < kept && keep; j++) {
            for (int k = 0; k < n; k++) c->d[k] = c->p[i].z[k] - c->p[j].z[k];
            keep = product(n, c->p[j].A, c->d, c->d) > scale;
        }
        if (!keep) continue;
        t = c->p[kept], c->p[kept++] = c->p[i], c->p[i] = t;
    }
    c->n = kept;
}

/* All places to their minima up to h, by turns: many meet before they are there. */
static sn_status settle(alternatives *c, double h, int all, sn_err *err)
{
    sn_fit *f = c->f;
    for (int round = 0, open = 1; open && round < (all ? 2 * ROUNDS : ROUNDS); round++) {
        open = 0;
        for (int i = 0; i < c->n; i++) {
            place *p = &c->p[i];
            if (p->done) continue;
            sn_search o = {.horizon = all ? INFINITY : h,
                           .tolerance = all ? 1e-5 : 1e-3,
                           .most = CHUNK,
                           .damping = round ? 1e-3 : 0,
                           .stage = c->o->stage,
                           .ready = p->known,
                           .ctx = c->o->ctx};
            if (i == 0) o.counter = c->o->counter, o.told = c->o->told;
            if (p->known) recall(p, f);
            SN_TRY(sn_marquardt(f, p->z, &o, err));
            keep(f, p);
            p->done = o.converged || !p->known;
            open |= !p->done;
        }
        drop_worse(c, open ? INFINITY : doubt);
    }
    drop_worse(c, doubt);
    return SN_OK;
}

/* More alternatives, around each of those that there are by turns. */
static void multiply(alternatives *c)
{
    int from = c->n;
    for (; c->n < c->most; c->n++) {
        const place *p = &c->p[(c->n - from) % from];
        draw(c, p);
        for (int k = 0; k < c->f->n; k++) c->p[c->n].z[k] = p->z[k] + c->d[k];
        bound(c->f, c->p[c->n].z);
    }
}

/* How far the next window reaches. Where there is one minimum, and the longer window's cost is a parabola all
   over what this one leaves possible, it may be longer by any factor: the first try is all data, then less
   and less, down to the study's growth; *by remembers what was good. *bent: not even there. */
static sn_status next_window(alternatives *c, double length, double *h, double *by, int *bent, sn_err *err)
{
    double growth = c->f->s->growth;
    *bent = c->n > 1; /* several minima as it is */
    if (*bent) *by = growth;
    for (int first = 1;; first = 0) {
        double to = *by * sqrt(growth) * *h < length ? *by * *h : length;
        int leap = *by > growth * growth;
        if (!*bent) SN_TRY(look_ahead(c, to, leap ? LINES + 1 : LINES, bent, err));
        if (!*bent || *by <= growth) {
            *h = to;
            if (!*bent && first) *by *= *by;
            return SN_OK;
        }
        *by = fmax(growth, sqrt(fmin(*by, length / *h))), *bent = 0;
    }
}

/* Without alternatives: where a window was easy the next one is longer. */
static double next_easy(double length, double growth, double h, int easy)
{
    double by = easy ? growth * growth : growth;
    return by * sqrt(by) * h < length ? by * h : length;
}

static sn_status grow(alternatives *c, sn_err *err)
{
    sn_fit *f = c->f;
    double length = sn_longest(f->s), growth = f->s->growth, h = f->window, by = length / h;
    if (h >= length) return SN_OK;
    int bent = 0, calm = 0;
    for (; h < length || c->n > 1 || bent; c->o->stage++) {
        int before = *c->o->counter, all = h >= length;
        f->done = f->share * fmin(1, h / length); /* as times of runs are */
        if (bent) multiply(c);
        go_on(c);
        c->o->undecided |= (bent || c->n > 1) && h > late * length;
        SN_TRY(settle(c, h, all, err));
        if (all) return SN_OK;
        calm = bent || c->n > 1 ? 0 : calm + 1;
        if (c->most > 1)
            SN_TRY(next_window(c, length, &h, &by, &bent, err));
        else
            h = next_easy(length, growth, h, calm > 1 && *c->o->counter - before <= EASY);
    }
    return SN_OK;
}

static int open_place(place *p, size_t n)
{
    return SN_NEW(p->z, n) && SN_NEW(p->A, n * n) && SN_NEW(p->g, n);
}

static void close_place(place *p) { sn_free(p->z), sn_free(p->A), sn_free(p->g); }

static int open_alternatives(alternatives *c)
{
    size_t n = (size_t)c->f->n;
    int good = SN_NEW(c->p, c->most) && SN_NEW(c->d, n) && SN_NEW(c->L, n * n) && open_place(&c->ahead, n);
    for (int i = 0; i < c->most && good; i++) good = open_place(&c->p[i], n);
    return good;
}

static void close_alternatives(alternatives *c)
{
    for (int i = 0; c->p && i < c->most; i++) close_place(&c->p[i]);
    close_place(&c->ahead);
    sn_free(c->p), sn_free(c->d), sn_free(c->L);
}

sn_status sn_horizon(sn_fit *f, double *z, int most, sn_search *o, sn_err *err)
{
    size_t n = (size_t)f->n, bytes = sizeof(double) * n;
    alternatives c = {.f = f, .o = o, .n = 1, .most = most, .seed = 0x9E3779B97F4A7C15ULL ^ o->seed};
    if (!open_alternatives(&c)) {
        close_alternatives(&c);
        return SN_OUT_OF_MEM(err);
    }
    f->ridge_weight = 1 / (decade * decade);
    memcpy(f->ridge, z, bytes), memcpy(c.p[0].z, z, bytes);
    c.p[0].scale = 1;
    for (size_t k = 0; k < n; k++) c.p[0].A[k * n + k] = f->ridge_weight;
    sn_status status = grow(&c, err);
    for (int i = 1; !status && o->minima && i < c.n; i++) status = sn_minima_add(o->minima, c.p[i].z, 0, err);
    memcpy(z, c.p[0].z, bytes);
    f->ridge_weight = 0;
    close_alternatives(&c);
    return status;
}
