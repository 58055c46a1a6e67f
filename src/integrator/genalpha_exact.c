/* The step of genalpha.c solved to rounding, for derivatives.

   The factors are those of the step before. Broyden's updates (Kelley, Iterative Methods for Linear and
   Nonlinear Equations, 7.3: only the corrections are stored) make the iteration converge faster than linearly
   at the cost of some products of vectors. Once what is left is small the matrix is made and factored where
   the iteration is, and serves for a last correction; the derivatives take it as that of the solution, which
   it is if that correction turns out to be small. Where no matrix is wanted the iteration goes on to the end.

   Six digits of derivatives need less, measured by what the velocities change the increment by in the step:
   the matrix may be made where the last correction, by its own factors, is a small part of that (the state
   then is as good as one solved to rounding); where no matrix is wanted, what the iteration leaves over must
   be a smaller one, since nothing corrects it. The contraction measured in the step and in those before
   tells what is left; the correction by the new factors whether that was true. */
#include "integrator/genalpha.h"
#include "math/simd.h"

#include <math.h>
#include <string.h>

enum { MAX_CORRECTIONS = SN_GENALPHA_CORRECTIONS }; /* of a step */
enum { MANY_CORRECTIONS = 4 };                      /* that make new factors worth while */
enum { MAX_BY_OLD_FACTORS = 6 };                    /* corrections */
enum { REFACTOR_STEPS = 8, DISTRUST_STEPS = 16 };   /* what the fields of genalpha begin with */
enum { MAX_MATRICES = 5 };                          /* of a step */
#define LATER_AGE          1.5          /* growth of a rate in a step in which it was not measured */
#define MATRIX_ERROR       1e-10        /* the matrix may be off by so much of itself, */
#define MATRIX_ERROR_LEAST 1e-13        /* and where it is more, only by so much */
static const double few_digits = 1e-13; /* increments below this have few correct digits */

/* Six digits: corrections expected after the matrix was made, of increments relative to what the step
   changes, of multipliers relative to the forces; twice as much is accepted */
#define SIX_MATRIX      2e-8
#define SIX_MULTIPLIERS 1e-8
/* and what may be left where there is none; corrections that change the matrix by more (see matrix_error)
   make it necessary, as in the other case: dry friction that sticks */
#define SIX_STATE             4e-9
#define SIX_STATE_MATRIX      1e-7
#define SIX_STATE_MULTIPLIERS 1e-9

/* sum a_i b_i w_i^2 */
static SN_SIMD double weighed_product(int n, const double *a, const double *b, const double *w)
{
    sn_quad four = {0, 0, 0, 0};
    double sum = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        const sn_quad size = *(const sn_quad *)(w + i);
        four += size * *(const sn_quad *)(a + i) * (size * *(const sn_quad *)(b + i));
    }
    for (; i < n; i++) sum += w[i] * a[i] * (w[i] * b[i]);
    return sum + ((four[0] + four[1]) + (four[2] + four[3]));
}

/* a'b of corrections: increments as they are judged, multipliers so that the step's first correction has as
   much of them (s->multiplier_weight) */
static double product(const genalpha *s, const double *a, const double *b)
{
    const sn_model *m = s->w->m;
    double more = 0;
    for (int i = m->nv; i < m->n; i++) more += a[i] * b[i];
    return weighed_product(m->nv, a, b, s->size) + s->multiplier_weight * more;
}

static SN_SIMD void add(int n, double f, const double *x, double *y)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) *(sn_quad *)(y + i) += f * *(const sn_quad *)(x + i);
    for (; i < n; i++) y[i] += f * x[i];
}

/* Newton's correction in s->b becomes Broyden's, `k` corrections being stored with their squares; 0: the
   updates are of no use. */
static int update(const genalpha *s, int k, const double *square)
{
    int n = s->w->m->n;
    double *z = s->b, along;
    const double *last = s->secant + (size_t)(k - 1) * (size_t)(n + 1);
    for (int j = 0; j < k - 1; j++) {
        const double *of = s->secant + (size_t)j * (size_t)(n + 1);
        add(n, product(s, of, z) / square[j], of + n + 1, z);
    }
    along = product(s, last, z) / square[k - 1];
    if (!(fabs(along) < 0.5)) return 0;
    for (int i = 0; i < n; i++) z[i] /= 1 - along;
    return 1;
}

/* Largest change of a multiplier, relative to the forces. */
static double change_of_multipliers(const genalpha *s)
{
    const sn_model *m = s->w->m;
    double most = 0;
    for (int i = m->nv; i < m->n; i++) most = fmax(most, fabs(s->b[i]));
    return s->w->force > 0 ? most / (s->h * s->h * s->w->force) : 0;
}

static double weigh_multipliers(const genalpha *s)
{
    const sn_model *m = s->w->m;
    double more = 0;
    for (int i = m->nv; i < m->n; i++) more += s->b[i] * s->b[i];
    return more > 0 ? weighed_product(m->nv, s->b, s->b, s->size) / more : 0;
}

/* Newton's correction, Broyden's where corrections are stored; how many then are. */
static int correction(genalpha *s, int k, double *square)
{
    const size_t n = (size_t)s->w->m->n;
    if (k == SN_GENALPHA_SECANTS || (k && !update(s, k, square))) k = 0;
    memcpy(s->secant + (size_t)k * (n + 1), s->b, sizeof(double) * n);
    square[k] = product(s, s->b, s->b);
    return square[k] > few_digits * few_digits ? k + 1 : 0;
}

/* How an iteration goes: increments and multipliers. */
typedef struct convergence {
    double last, theta, rate; /* last correction, its ratio to the one before, what is expected of the next */
    double enough, noise;     /* corrections of rounding; those that may be */
    double trust;             /* expectations are trusted for corrections up to `trust` times these */
    int six;                  /* 1: what a measured rate leaves over decides, 2: also that of steps before */
} convergence;

/* Sizes of a step's last corrections */
typedef struct corrections {
    double increments, multipliers;
    int by_old; /* how many, by old factors alone; else 0 */
} corrections;

enum { NO, SETTLED, EXPECTED };

static int wants_states(const genalpha *s)
{
    return s->o->exact == SN_EXACT_STATES || s->o->exact == SN_SIX_DIGITS_STATES;
}

static int wants_six(const genalpha *s)
{
    return s->o->exact == SN_SIX_DIGITS || s->o->exact == SN_SIX_DIGITS_STATES;
}

/* Largest |a_i - b_i| w_i / |c_i| */
static SN_SIMD double largest_change(int n, const double *a, const double *b, const double *w,
                                     const double *c)
{
    double most[4] = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) {
            double x = fabs((a[i + k] - b[i + k]) * w[i + k] / c[i + k]);
            most[k] = x > most[k] ? x : most[k];
        }
    for (; i < n; i++) most[0] = fmax(most[0], fabs((a[i] - b[i]) * w[i] / c[i]));
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

/* Increment by which velocities change over the step. */
static double change_over(const genalpha *s, const sn_state *x0, const sn_state *x1)
{
    return largest_change(s->w->m->nv, x1->v, x0->v, s->size, s->cv);
}

static void record_correction(convergence *c, double size, int since, double rate)
{
    c->theta = since && c->last > 0 ? size / c->last : 1;
    c->rate = since || c->six < 2 ? fmax(c->theta, rate) : rate;
    c->last = size;
}

/* Below what is wanted, or no better any more; or expected to be after this correction. */
static int is_settled(const convergence *c, int since)
{
    if (c->last <= c->enough) return SETTLED;
    if (c->six > !since && c->rate * c->last <= c->enough) return SETTLED;
    if (!since) return NO;
    if (c->theta > 0.5 && c->last <= c->noise) return SETTLED;
    /* one digit or so is safe */
    if (c->rate * c->last <= c->enough && c->last <= 20 * c->enough) return SETTLED;
    return c->rate * c->last <= 25 * c->enough && c->last <= c->trust * c->enough ? EXPECTED : NO;
}

/* Corrections still needed if it goes on like this. */
static double corrections_left(const convergence *c)
{
    if (c->last <= c->enough || (c->last <= c->noise && c->theta > 0.5)) return 0;
    return c->theta < 0.9 ? log(c->enough / c->last) / log(c->theta) : MAX_CORRECTIONS;
}

static void set_aims(const genalpha *s, const sn_state *x0, const sn_state *x1, convergence *d,
                     convergence *l)
{
    const int states = wants_states(s), trusted = !s->distrust_steps && !states;
    *d = (convergence){.enough = SN_GENALPHA_ROUNDING, .noise = few_digits};
    *l = (convergence){.enough = 1e-12};
    d->trust = l->trust = trusted ? 1e4 : 0;
    if (!wants_six(s)) return;
    d->enough = fmax(d->enough, (states ? SIX_STATE : SIX_MATRIX) * change_over(s, x0, x1));
    l->enough = states ? SIX_STATE_MULTIPLIERS : SIX_MULTIPLIERS;
    d->trust = l->trust = 0;
    d->six = l->six = trusted ? 2 : 1;
}

/* Rates of one step vary: those of steps before fade. */
static double faded(double rate, double before) { return fmin(fmax(rate, 0.5 * before), 0.5); }

static void remember_rate(genalpha *s, int fresh, double rate)
{
    s->rate[fresh] = faded(rate, wants_six(s) ? s->rate[fresh] : 0);
}

/* Contraction after each correction by old factors in steps before: Broyden's updates make later ones faster,
   and multipliers have rates of their own. What remains after correction `it` (from 0), relative to it; more
   where this step went slower so far (theta), and the longer it is ago that it was measured. 1: not known. */
static double later_rate(const double *later, int it, double theta)
{
    const double before = later[it - 1], now = later[it];
    return now > 0 && before > 0 ? 2 * now * fmax(1, theta / before) : 1;
}

/* After correction `it` of ratio theta to the one before */
static void learn_later(double *later, int it, double theta)
{
    later[it - 1] = faded(fmax(theta, 1e-6), later[it - 1]);
}

static void age_later(genalpha *s, int it)
{
    for (int i = it; i < MAX_CORRECTIONS; i++) s->later[i] *= LATER_AGE, s->later_multipliers[i] *= LATER_AGE;
}

/* The same for what decides: multipliers where the matrix comes last, increments where states do */
static void expect_later(genalpha *s, int it, convergence *d, convergence *l)
{
    if (!it || !wants_six(s)) return;
    learn_later(s->later, it, d->theta), learn_later(s->later_multipliers, it, l->theta);
    if (!wants_states(s)) l->rate = fmin(l->rate, later_rate(s->later_multipliers, it, l->theta));
    if (wants_states(s) && it > 1) d->rate = fmin(d->rate, later_rate(s->later, it, d->theta));
}

/* Corrections by the factors at hand until what is left is rounding (SETTLED) or likely to be (EXPECTED). New
   factors where more than `most_by_old` corrections by the old ones would be needed, and where the next step
   will be cheaper by them. */
static int iterate(genalpha *s, const sn_state *x0, sn_state *x1, double most_by_old, corrections *last)
{
    int settled = NO, k = 0, refresh = !s->factors || s->refactor_steps > 0, fresh = refresh, since = 0,
        stalls = 0, it;
    double square[SN_GENALPHA_SECANTS], moved = 0, worst = 0;
    convergence d, l;
    set_aims(s, x0, x1, &d, &l);
    for (it = 0; it < MAX_CORRECTIONS; it++, since++) {
        if (sn_genalpha_look(s, x1, it, refresh, NULL) || sn_genalpha_solve(s)) return 0;
        if (refresh) since = 0, worst = 0;
        if (it == 0) s->multiplier_weight = weigh_multipliers(s);
        k = correction(s, refresh ? 0 : k, square);
        double load = change_of_multipliers(s), dd = sn_genalpha_apply(s, x0, x1);
        moved += dd;
        if (!(moved < SN_GENALPHA_FAR)) return 0;
        /* contraction slows down after the first corrections: as it did in the last step */
        record_correction(&d, dd, since, s->rate[fresh]);
        record_correction(&l, load, since, s->rate[fresh]);
        if (!fresh) expect_later(s, it, &d, &l);
        if (since && dd > few_digits) worst = fmax(worst, d.theta);
        /* by old factors slow progress looks like none */
        l.noise = fresh ? 1e-8 : 1e-10;
        int by_d = is_settled(&d, since), by_l = is_settled(&l, since);
        settled = by_d && by_l ? (by_d > by_l ? by_d : by_l) : NO;
        if (settled) break;
        /* no progress, and again none: rounding, if it is small */
        if (since && d.theta > 0.5 && ++stalls > 1 && dd < 1e-2 * s->o->tolerance && by_l == SETTLED) {
            settled = SETTLED;
            break;
        }
        refresh = since && !fresh && fmax(corrections_left(&d), corrections_left(&l)) > most_by_old;
        fresh |= refresh;
        if (since && d.theta > 2 && dd > few_digits && !refresh) return 0;
    }
    if (it == MAX_CORRECTIONS) return 0;
    *last = (corrections){d.last, l.last, fresh ? 0 : it + 1};
    if (worst > 0) remember_rate(s, fresh, worst);
    if (!fresh) age_later(s, it);
    s->factor_steps++, s->factor_iterations += it + 1;
    if (s->refactor_steps) s->refactor_steps--;
    if (s->distrust_steps) s->distrust_steps--;
    if (!fresh && sn_corotated_carriers(s->corotated))
        s->refactor_steps = sn_genalpha_factors_outdated(s, it + 1);
    else if (!fresh && since >= MANY_CORRECTIONS)
        s->refactor_steps = REFACTOR_STEPS;
    return settled;
}

/* Whether the correction just made, by increments and by multipliers, was rounding. */
static int was_rounding(double dd, double load) { return dd <= SN_GENALPHA_ROUNDING && load <= 5e-12; }

/* How much of the matrix a correction dd changes, about: old factors, off by the change of a step, contract
   by `rate`. Forces that change fast with the velocity (dry friction) make it as much again in a small part
   of a step. */
static double matrix_error(const genalpha *s, const sn_state *x0, const sn_state *x1, double dd)
{
    double change = change_over(s, x0, x1), rate = fmax(s->rate[0], s->rate[1]);
    return change > 0 ? rate * dd / change : 0;
}

/* The matrix, its factors, and the last correction by them; once more where that was no rounding. */
static int linearise(genalpha *s, const sn_state *x0, sn_state *x1, int settled)
{
    double last = INFINITY, limit = MATRIX_ERROR;
    for (int it = 0; it < MAX_MATRICES; it++) {
        if (sn_genalpha_evaluate(s, x1, SN_GENALPHA_BLOCKS, NULL) || sn_genalpha_solve(s)) return 0;
        double load = change_of_multipliers(s), dd = sn_genalpha_apply(s, x0, x1);
        if (!isfinite(dd)) return 0;
        int good = settled == SETTLED || was_rounding(dd, load);
        if (!good) s->distrust_steps = DISTRUST_STEPS;
        /* no progress: that is rounding */
        double off = matrix_error(s, x0, x1, dd);
        if ((good && off <= limit) || (it && (good || it > 1) && dd > 0.25 * last)) break;
        if (off > limit) limit = MATRIX_ERROR_LEAST;
        last = dd;
    }
    return 1;
}

int sn_genalpha_linearise(genalpha *s, const sn_state *x0, sn_state *x1)
{
    return linearise(s, x0, x1, SETTLED);
}

/* The contraction by old factors, as the correction by new ones tells it: dd and load after those before. */
static void learn_rates(genalpha *s, corrections before, double dd, double load)
{
    if (dd > few_digits && before.increments > 0) remember_rate(s, 0, dd / before.increments);
    if (before.by_old && before.multipliers > 0)
        learn_later(s->later_multipliers, before.by_old, load / before.multipliers);
}

/* The same for six digits, after corrections by old factors. */
static int linearise_six(genalpha *s, const sn_state *x0, sn_state *x1, corrections before)
{
    double last = INFINITY;
    for (int it = 0; it < MAX_MATRICES; it++) {
        if (sn_genalpha_evaluate(s, x1, SN_GENALPHA_BLOCKS, NULL) || sn_genalpha_solve(s)) return 0;
        double load = change_of_multipliers(s), dd = sn_genalpha_apply(s, x0, x1);
        if (!isfinite(dd)) return 0;
        if (it == 0) learn_rates(s, before, dd, load);
        double enough = fmax(few_digits, 2 * SIX_MATRIX * change_over(s, x0, x1));
        if (dd <= enough && load <= 2 * SIX_MULTIPLIERS) break;
        s->distrust_steps = DISTRUST_STEPS;
        if (it && dd > 0.25 * last) break; /* no progress: that is rounding */
        last = dd;
    }
    return 1;
}

int sn_genalpha_converge(genalpha *s, const sn_state *x0, sn_state *x1)
{
    /* nearly the same iteration whatever is wanted then, so that steps succeed or fail alike */
    corrections last;
    int settled = iterate(s, x0, x1, MAX_BY_OLD_FACTORS, &last);
    if (!settled) return 0;
    if (s->o->exact == SN_SIX_DIGITS) return linearise_six(s, x0, x1, last);
    double most = s->o->exact == SN_SIX_DIGITS_STATES ? SIX_STATE_MATRIX : MATRIX_ERROR;
    if (wants_states(s) && matrix_error(s, x0, x1, last.increments) <= most) return 1;
    return linearise(s, x0, x1, settled);
}
