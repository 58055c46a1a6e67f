/* Points of interest between two values of a sweep: zeros of smooth functions F of the parameter.

   Of a branch that goes on, F is its growth, or the distance of its frequency from a line. Where roots meet
   they are no smooth functions, but symmetric functions of the two are: two undamped pairs that meet and part
   into one that grows and one that decays have F = (s1 - s2)^2 pass zero, a pair that meets at zero and parts
   into a growing and a decaying real root has F = s1 s2 pass zero.

   Values and exact derivatives of F at two places give a cubic, and its zero two places closer around it.
   None is at the zero itself: roots that meet have no derivatives there, and one that is zero cannot be told
   from those of motions that nothing holds. */
#include "sensitivity/sweep.h"

#include <math.h>
#include <string.h>

#undef I

typedef enum smooth { GROWTH, LINE, APART, PRODUCT } smooth;

typedef struct question {
    sn_sweep_kind kind;
    smooth what;
    double line;
    int branch;
} question;

/* One root, or two, at a value. */
typedef struct place {
    double at, spin;
    double complex s[2], ds[2];
    int rough; /* without derivatives */
} place;

/* A function of the parameter with its derivative. */
typedef struct jet {
    double complex x, dx;
} jet;

enum { ROUNDS = 8, BISECTIONS = 60 };

/* The places around a zero, of the distance of those before; where a zero counts as found, of the parameter
   or of the range between the values. */
static const double closest = 0.02, fine = 1e-12;

static jet mean_of(const place *x) { return (jet){(x->s[0] + x->s[1]) / 2, (x->ds[0] + x->ds[1]) / 2}; }

static jet measure_of(const question *q, const place *x)
{
    const double complex *s = x->s, *ds = x->ds;
    if (q->what == APART) return (jet){(s[0] - s[1]) * (s[0] - s[1]), 2 * (s[0] - s[1]) * (ds[0] - ds[1])};
    if (q->what == PRODUCT) return (jet){s[0] * s[1], s[0] * ds[1] + s[1] * ds[0]};
    return (jet){s[0], ds[0]};
}

/* Cubic through two values with their derivatives; where there are none, a line. */
static double complex between(const place *a, jet x, const place *b, jet y, double at)
{
    double h = b->at - a->at, u = (at - a->at) / h, w = 1 - u;
    if (a->rough || b->rough) return w * x.x + u * y.x;
    return w * w * (1 + 2 * u) * x.x + u * u * (1 + 2 * w) * y.x + h * u * w * (w * x.dx - u * y.dx);
}

/* F between two places. */
static double value_at(const question *q, const place *a, const place *b, double at)
{
    double complex x = between(a, measure_of(q, a), b, measure_of(q, b), at);
    if (q->what != LINE) return creal(x);
    double u = (at - a->at) / (b->at - a->at);
    return cimag(x) - q->line * ((1 - u) * a->spin + u * b->spin);
}

static double zero_of(const question *q, const place *a, const place *b)
{
    double low = a->at, high = b->at, sign = value_at(q, a, b, low) > 0 ? 1 : -1;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = low + (high - low) / 2;
        if (sign * value_at(q, a, b, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

/* Whether roots i and j (i: with its conjugate) may be the two. */
static int fits(const question *q, const sn_oscillation *m, int i, int j)
{
    if (q->what < APART) return i == j;
    if (q->what == APART) return i != j && cimag(m[i].s) > 0 && cimag(m[j].s) > 0;
    return i == j ? cimag(m[i].s) > 0 : cimag(m[i].s) == 0 && cimag(m[j].s) == 0;
}

static double complex partner(const question *q, const sn_oscillation *m, int i, int j)
{
    return q->what == PRODUCT && i == j ? conj(m[i].s) : m[j].s;
}

/* The roots that are nearest to the cubics. *off: how far, in units of an eigenvalue. */
static void nearest(const question *q, const sn_locus *r, const place *a, const place *b, int *found,
                    double *off)
{
    const sn_oscillation *m = r->all.mode;
    const int two = q->what >= APART;
    const double complex mean = between(a, mean_of(a), b, mean_of(b), r->at),
                         measure = between(a, measure_of(q, a), b, measure_of(q, b), r->at);
    *off = INFINITY;
    for (int i = 0; i < r->all.n; i++)
        for (int j = i; j < r->all.n; j++) {
            if (!fits(q, m, i, j)) continue;
            place x = {.s = {m[i].s, partner(q, m, i, j)}};
            double e = cabs(measure_of(q, &x).x - measure), d = cabs(mean_of(&x).x - mean);
            if (two) e = sqrt(e + d * d);
            if (e < *off) *off = e, found[0] = i, found[1] = j;
        }
}

/* The roots at a value between e[0] and e[1]. *lost: they were not found. */
static sn_status look(sn_tracer *t, const question *q, const place *e, double at, place *out, int *lost,
                      sn_err *err)
{
    sn_locus *r;
    int root[2] = {0, 0};
    double off, size = fmax(cabs(e[0].s[0]), cabs(e[1].s[0]));
    int before = sn_err_count(err);
    sn_status status = sn_locus_new(t, at, 1, &r, err);
    if (status == SN_ERR_NUMERIC) { /* as an equilibrium where it just loses its stability */
        sn_err_forget(err, before);
        *lost = 1;
        return SN_OK;
    }
    if (status) return status;
    nearest(q, r, &e[0], &e[1], root, &off);
    int here = off < 0.3 * size;
    status = here ? sn_locus_know(r, root[0], err) : SN_OK;
    if (here && !status) status = sn_locus_know(r, root[1], err);
    *out = (place){.at = at, .spin = r->spin};
    for (int k = 0; k < 2 && here; k++) {
        out->s[k] = r->all.mode[root[k]].s, out->ds[k] = r->ds[root[k]];
        out->rough |= r->known[root[k]] != 1;
    }
    if (q->what == PRODUCT && cimag(out->s[0]) > 0)
        out->s[1] = conj(out->s[0]), out->ds[1] = conj(out->ds[0]);
    sn_locus_free(r);
    *lost |= !here;
    return status;
}

static sn_status add(sn_tracer *t, const question *q, const place *a, const place *b, double at, sn_err *err)
{
    sn_sweep *to = t->out;
    double complex s = between(a, mean_of(a), b, mean_of(b), at);
    int rises = (value_at(q, a, b, b->at) > value_at(q, a, b, a->at)) == (b->at > a->at);
    if (q->what == PRODUCT) rises = !rises;
    if (q->kind != SN_SWEEP_CRITICAL) s -= creal(s);
    if (q->kind == SN_SWEEP_DIVERGENCE) s = 0;
    if (sn_grow(&to->point, &t->point_room, to->n_point + 1, sizeof *to->point)) return SN_OUT_OF_MEM(err);
    to->point[to->n_point++] = (sn_sweep_point){q->kind, q->branch, rises, q->line, at, creal(s), cimag(s)};
    return SN_OK;
}

/* Two places around a zero, at[0] and at[1]. *lost: there are no such roots there. */
static sn_status surround(sn_tracer *t, const question *q, const place *e, double *at, place *to, int *lost,
                          sn_err *err)
{
    for (int k = 0; k < 2 && !*lost; k++) {
        if (!((at[k] - e[0].at) * (at[k] - e[1].at) < 0)) at[k] = e[k].at;
        SN_TRY(look(t, q, e, at[k], &to[k], lost, err));
    }
    if (!*lost) *lost = (value_at(q, &to[0], &to[1], at[0]) > 0) == (value_at(q, &to[0], &to[1], at[1]) > 0);
    return SN_OK;
}

static sn_status locate(sn_tracer *t, const question *q, place a, place b, sn_err *err)
{
    const double range = fabs(b.at - a.at);
    place e[2] = {a, b}, to[2];
    double zero = zero_of(q, &a, &b), part = closest;
    for (int round = 0; round < ROUNDS; round++) {
        int lost = 0;
        double was = zero, w = part * (e[1].at - e[0].at), at[2] = {zero - w, zero + w};
        SN_TRY(surround(t, q, e, at, to, &lost, err));
        if (lost && part > 0.2) break;
        if (lost) {
            part *= 4;
            continue;
        }
        memcpy(e, to, sizeof e);
        zero = zero_of(q, &e[0], &e[1]);
        if (fabs(zero - was) <= fine * fmax(fabs(zero), range)) break;
    }
    return add(t, q, &e[0], &e[1], zero, err);
}

static place place_of(const sn_locus *r, int i, int j)
{
    return (place){r->at,
                   r->spin,
                   {r->all.mode[i].s, r->all.mode[j].s},
                   {r->ds[i], r->ds[j]},
                   r->known[i] != 1 || r->known[j] != 1};
}

static place pair_of(double at, double complex s, double complex ds)
{
    return (place){at, 0, {s, conj(s)}, {ds, conj(ds)}, 0};
}

/* ---- one root ---- */

static sn_status along_branch(sn_tracer *t, const sn_live *l, sn_err *err)
{
    const place a = place_of(t->a, l->root, l->root), b = place_of(t->b, l->next, l->next);
    const double complex s = b.s[0];
    for (int k = 0; k < t->o.n_line; k++) {
        question q = {SN_SWEEP_CRITICAL, LINE, t->o.line[k], l->branch};
        double x = value_at(&q, &a, &b, a.at), y = value_at(&q, &a, &b, b.at);
        if (cimag(s) > 0 && x * y <= 0 && y != 0) SN_TRY(locate(t, &q, a, b, err));
    }
    if (!(fabs(creal(s)) > sn_locus_noise(t->b, s)) || !l->sign || (creal(s) > 0) == (l->sign > 0))
        return SN_OK;
    question q = {cimag(s) > 0 ? SN_SWEEP_FLUTTER : SN_SWEEP_DIVERGENCE, GROWTH, 0, l->branch};
    /* from where the sign was last seen */
    const place since = {l->since, 0, {l->s, l->s}, {l->ds, l->ds}, 0};
    return locate(t, &q, since, b, err);
}

/* ---- two roots ---- */

/* Two undamped pairs (no growth) have met between two values: on one side one grows and the other decays. */
static sn_status two_pairs(sn_tracer *t, const sn_live *l, const sn_live *m, sn_err *err)
{
    const question q = {SN_SWEEP_FLUTTER, APART, 0, l->branch};
    const place a = place_of(t->a, l->root, m->root), b = place_of(t->b, l->next, m->next);
    int changes = (value_at(&q, &a, &b, a.at) > 0) != (value_at(&q, &a, &b, b.at) > 0);
    return changes ? locate(t, &q, a, b, err) : SN_OK;
}

/* Whether s and r are one that grows and one that decays, alike. */
static int opposite(const sn_locus *q, double complex s, double complex r)
{
    double noise = sn_locus_noise(q, s);
    return creal(s) > noise && creal(r) < -noise && cabs(s + conj(r)) < 1e-3 * cabs(s);
}

static int neutral(const sn_locus *q, double complex s) { return fabs(creal(s)) <= sn_locus_noise(q, s); }

static sn_status pairs_that_meet(sn_tracer *t, sn_err *err)
{
    for (int k = 0; k < t->n_live; k++)
        for (int i = 0; i < t->n_live; i++) {
            const sn_live *l = &t->live[k], *m = &t->live[i];
            if (i == k || l->next < 0 || m->next < 0) continue;
            double complex a = t->a->all.mode[l->root].s, b = t->b->all.mode[l->next].s,
                           c = t->a->all.mode[m->root].s, d = t->b->all.mode[m->next].s;
            if (!(cimag(a) > 0 && cimag(b) > 0 && cimag(c) > 0 && cimag(d) > 0)) continue;
            int parts = neutral(t->a, a) && neutral(t->a, c) && opposite(t->b, b, d);
            int joins = neutral(t->b, b) && neutral(t->b, d) && opposite(t->a, a, c);
            if (parts || joins) SN_TRY(two_pairs(t, l, m, err));
        }
    return SN_OK;
}

/* Branches that have ended are remembered for one step between the values asked for: around zero roots cannot
   be told from those of motions that nothing holds, and appear again as others some steps later. */
static sn_status bury(sn_tracer *t, sn_err *err)
{
    const double whole = fabs(t->o.to - t->o.from) / (t->o.points - 1);
    int kept = 0;
    for (int k = 0; k < t->n_gone; k++)
        if (fabs(t->b->at - t->gone[k].at) <= 1.001 * whole) t->gone[kept++] = t->gone[k];
    t->n_gone = kept;
    for (int k = 0; k < t->n_live; k++) {
        const sn_live *l = &t->live[k];
        if (l->next >= 0) continue;
        if (sn_grow(&t->gone, &t->gone_room, t->n_gone + 1, sizeof *t->gone)) return SN_OUT_OF_MEM(err);
        const sn_locus *a = t->a;
        t->gone[t->n_gone++] =
            (sn_end){a->at, a->all.mode[l->root].s, a->ds[l->root], l->branch, a->known[l->root] != 1};
    }
    return SN_OK;
}

static sn_status born(sn_tracer *t, const unsigned char *taken, sn_end **out, int *n, sn_err *err)
{
    const sn_locus *b = t->b;
    *n = 0;
    if (!SN_NEW(*out, b->all.n + 1)) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < b->all.n; j++)
        if (!taken[j] && b->known[j])
            (*out)[(*n)++] = (sn_end){b->at, b->all.mode[j].s, b->ds[j], t->out->n_branch, b->known[j] != 1};
    return SN_OK;
}

static place place_of_ends(const sn_end *x, const sn_end *y)
{
    if (x == y) return pair_of(x->at, x->s, x->ds);
    return (place){x->at, 0, {x->s, y->s}, {x->ds, y->ds}, x->rough || y->rough};
}

/* The decaying real root nearest in size to the growing one, at the same value; or NULL. */
static const sn_end *decaying(const sn_end *all, int n, const sn_end *grows)
{
    const sn_end *best = NULL;
    for (int j = 0; j < n; j++)
        if (cimag(all[j].s) == 0 && creal(all[j].s) < 0 && all[j].at == grows->at &&
            (!best || cabs(all[j].s + grows->s) < cabs(best->s + grows->s)))
            best = &all[j];
    return best;
}

static const sn_end *slowest_pair(const sn_end *all, int n)
{
    const sn_end *best = NULL;
    for (int j = 0; j < n; j++)
        if (cimag(all[j].s) > 0 && (!best || cabs(all[j].s) < cabs(best->s))) best = &all[j];
    return best;
}

/* A pair of one side has become two real roots on the other, one of which grows. */
static sn_status through_zero(sn_tracer *t, const sn_end *born, int n, sn_err *err)
{
    for (int side = 0; side < 2; side++) {
        const sn_end *reals = side ? t->gone : born, *pairs = side ? born : t->gone;
        int n_real = side ? t->n_gone : n, n_pair = side ? n : t->n_gone;
        for (int i = 0; i < n_real; i++) {
            const sn_end *grows = &reals[i], *decays = decaying(reals, n_real, grows),
                         *pair = slowest_pair(pairs, n_pair);
            if (cimag(grows->s) != 0 || creal(grows->s) <= 0 || !decays || !pair) continue;
            const question q = {SN_SWEEP_DIVERGENCE, PRODUCT, 0, side ? grows->branch : pair->branch};
            const place x = place_of_ends(pair, pair), y = place_of_ends(grows, decays);
            SN_TRY(side ? locate(t, &q, y, x, err) : locate(t, &q, x, y, err));
        }
    }
    return SN_OK;
}

sn_status sn_sweep_points(sn_tracer *t, const unsigned char *taken, sn_err *err)
{
    sn_end *begin = NULL;
    int n = 0;
    for (int k = 0; k < t->n_live; k++)
        if (t->live[k].next >= 0) SN_TRY(along_branch(t, &t->live[k], err));
    SN_TRY(pairs_that_meet(t, err));
    SN_TRY(bury(t, err));
    sn_status status = born(t, taken, &begin, &n, err);
    if (!status) status = through_zero(t, begin, n, err);
    sn_free(begin);
    return status;
}
