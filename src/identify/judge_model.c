/* What does the model lack? Every number of it that is not sought is tried: score tests tell which of them
   would explain the residuals, fits with the best of them confirm it. */
#include "identify/judge.h"
#include "identify/score.h"
#include "identify/smoothing.h"
#include "identify/text.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#undef I

enum { FITS = 8, CHUNK = 64, TRY_ITERATIONS = 30 };
/* A cause explains at least half of the excess and 40 % of what the likelihood could rise by (of residuals a
   hundred times the noise something wrong may well explain 98 %), and noise would do so for one of all
   candidates in one case of a hundred. Likelihoods within a factor of 20 do not tell candidates apart,
   columns so parallel never. Residuals below `quiet` times the noise seen are noise. */
static const double enough = 0.5, share = 0.4, certain = 0.01, apart = 3, parallel = 0.9995, quiet = 1.05,
                    left_over = 1e-4;

typedef struct trial {
    sn_fit *f;
    sn_estimate *e;
    sn_candidates *all;
    sn_score *score;
    int tried, kept; /* candidates, and those of them that have an effect of their own */
    sn_err *err;
} trial;

/* ---- columns ---- */

/* The value that all experiments have at the estimate; 0: they differ. */
static int same_everywhere(const sn_fit *f, sn_candidate *c)
{
    int first = -1;
    for (int e = 0; e < f->s->n_experiment; e++) {
        if (f->s->experiment[e].hold_out) continue;
        if (first >= 0 && f->part[e].values->x[c->id] != f->part[first].values->x[c->id]) return 0;
        if (first < 0) first = e;
    }
    if (first >= 0) c->now = f->part[first].values->x[c->id];
    return first >= 0;
}

/* Scores of n candidates of one block by one run of each experiment; those by which no run can be
   differentiated are found by halves and left out. */
static sn_status score_some(trial *t, int n, sn_candidate **c)
{
    double one[CHUNK];
    sn_extended *x = NULL;
    int before = sn_err_count(t->err), has;
    if (n == 0) return SN_OK;
    for (int i = 0; i < n; i++) one[i] = 1;
    sn_status status = sn_extended_new(t->f, t->e->z, n, c, one, &x, t->err);
    if (!status) status = sn_fit_rows(x->f, x->z, t->err);
    for (int i = 0; !status && i < n; i++) {
        c[i]->score.moves = sn_arena_alloc(&t->e->arena, (size_t)t->f->n + 1, sizeof(double));
        if (!c[i]->score.moves)
            status = SN_OUT_OF_MEM(t->err);
        else
            status = sn_score_candidate(t->score, x->f, t->f->n + i, c[i], &t->e->arena, &has, t->err);
        if (!status && !has) c[i]->block = -1;
    }
    sn_extended_free(x, t->f);
    if (status != SN_ERR_NUMERIC) return status;
    sn_err_forget(t->err, before);
    if (n == 1) {
        c[0]->block = -1;
        return SN_OK;
    }
    SN_TRY(score_some(t, n / 2, c));
    return score_some(t, n - n / 2, c + n / 2);
}

/* How many columns at a time: memory for them is that of some unknowns. */
static int chunk_of(const sn_fit *f)
{
    double rows = 1;
    for (int e = 0; e < f->s->n_experiment; e++)
        rows += (double)f->s->experiment[e].n * f->s->experiment[e].n_channel;
    return (int)fmin(CHUNK, fmax(4, 2e7 / rows - f->n));
}

static int better(const void *a, const void *b)
{
    const sn_candidate *x = a, *y = b;
    double p = x->fitted ? x->fit.log_likelihood : x->score.log_likelihood,
           q = y->fitted ? y->fit.log_likelihood : y->score.log_likelihood;
    if (x->fitted != y->fitted) return y->fitted - x->fitted;
    return p != q ? (p < q) - (p > q) : x->id - y->id;
}

static sn_status score_all(trial *t)
{
    sn_candidates *all = t->all;
    sn_candidate *some[CHUNK];
    int n = 0, most = chunk_of(t->f), blocks = 0;
    for (int i = 0; i < all->n; i++) {
        sn_candidate *c = &all->item[i];
        blocks = c->block >= blocks ? c->block + 1 : blocks;
        if (!same_everywhere(t->f, c)) c->block = -1;
    }
    for (int b = 0; b < blocks; b++)
        for (int i = 0; i <= all->n; i++) {
            if (n && (n == most || i == all->n)) {
                SN_TRY(score_some(t, n, some));
                n = 0;
            }
            if (i < all->n && all->item[i].block == b) some[n++] = &all->item[i];
        }
    for (int i = 0; i < all->n; i++)
        if (all->item[i].block >= 0) all->item[t->kept++] = all->item[i];
    all->n = t->kept;
    qsort(all->item, (size_t)all->n, sizeof *all->item, better);
    for (int i = 0; i < all->n; i++) all->item[i].p = fmin(1, all->item[i].p * all->n);
    return SN_OK;
}

/* Cosine of the angle between what two candidates would add. */
static double cosine(const sn_candidate *a, const sn_candidate *b)
{
    double aa = 0, bb = 0, ab = 0;
    for (int i = 0; i < a->n_column && i < b->n_column; i++)
        aa += (double)a->column[i] * a->column[i], bb += (double)b->column[i] * b->column[i],
            ab += (double)a->column[i] * b->column[i];
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

/* ---- fits ---- */

/* Standard error of unknown k by the normal equations, in its own unit, for residuals of the size left. */
static double error_of(const sn_fit *g, int k, double left)
{
    int n = g->n;
    double *A, *b = NULL, error = NAN;
    if (!SN_NEW(A, (size_t)n * (size_t)n) || !SN_NEW(b, n)) {
        sn_free(A);
        return NAN;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double d = sqrt(g->A[i * n + i] * g->A[j * n + j]);
            A[i * n + j] = d > 0 ? g->A[i * n + j] / d + (i == j ? 1e-12 : 0) : i == j;
        }
    b[k] = 1;
    if (!LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, 1, A, n, b, 1) && b[k] > 0)
        error = sqrt(b[k] / g->A[k * n + k]) * g->s->unknown[k].scale * left;
    sn_free(A), sn_free(b);
    return error;
}

/* From the linear answer where that is better than the estimate, otherwise from there. */
static sn_status begin_fit(const trial *t, sn_extended *x, const sn_candidate *c)
{
    size_t n = (size_t)t->f->n;
    double *z;
    if (!SN_NEW(z, n + 1)) return SN_OUT_OF_MEM(t->err);
    for (size_t k = 0; k < n; k++) {
        double v = t->e->covariance[k * n + k], d = c->score.moves[k] * sqrt(v);
        z[k] = fmin(fmax(t->e->z[k] + (isfinite(d) ? d : 0), t->f->lower[k]), t->f->upper[k]);
    }
    z[n] = c->score.value / x->s.unknown[n].scale;
    int before = sn_err_count(t->err);
    sn_status status = sn_fit_evaluate(x->f, z, INFINITY, 0, 0, t->err);
    if (status == SN_ERR_NUMERIC) sn_err_forget(t->err, before);
    if (!status && x->f->cost < t->f->cost) memcpy(x->z, z, (n + 1) * sizeof *z);
    sn_free(z);
    return status == SN_ERR_NUMERIC ? SN_OK : status;
}

/* A fit with one candidate more, from the estimate. */
static sn_status fit_one(trial *t, sn_candidate *c)
{
    sn_extended *x = NULL;
    size_t n = (size_t)t->f->n;
    double scale = fabs(c->score.value - c->now), left = 0;
    int before = sn_err_count(t->err);
    if (!(scale > 0)) return SN_OK;
    if (!(c->fit.moves = sn_arena_alloc(&t->e->arena, n + 1, sizeof(double)))) return SN_OUT_OF_MEM(t->err);
    sn_status status = sn_extended_new(t->f, t->e->z, 1, &c, &scale, &x, t->err);
    if (!status) status = begin_fit(t, x, c);
    sn_search o = {.horizon = INFINITY, .tolerance = 1e-6, .damping = 1e-3, .most = TRY_ITERATIONS};
    if (!status) status = sn_marquardt(x->f, x->z, &o, t->err);
    if (!status) status = sn_fit_signals(x->f, x->z, 0, 1, t->err);
    if (!status) status = sn_fit_noise_chance(x->f, &c->chance, t->err);
    if (!status) {
        sn_score_fit(t->score, x->f, &c->fit);
        for (int i = 0; i < t->score->channels; i++) left += t->score->after[i] / t->score->total;
        c->fitted = 1, c->fit.value = sn_fit_value(&x->s, (int)n, x->z[n]);
        c->fit.std_error = error_of(x->f, (int)n, sqrt(left));
        c->bic = log(t->score->total) - 2 * c->fit.log_likelihood;
        for (size_t k = 0; k < n; k++)
            c->fit.moves[k] = (x->z[k] - t->e->z[k]) / sqrt(t->e->covariance[k * n + k]);
    }
    sn_extended_free(x, t->f);
    if (status == SN_ERR_NUMERIC) sn_err_forget(t->err, before);
    return status == SN_ERR_NUMERIC ? SN_OK : status;
}

/* Of all that do the same as c, what is believed first. */
static sn_candidate *believed(const sn_candidates *all, sn_candidate *c)
{
    sn_candidate *best = c;
    for (int i = 0; i < all->n; i++) {
        sn_candidate *x = &all->item[i];
        if (x->order < best->order && x->p <= certain && x->score.value != x->now &&
            fabs(cosine(x, c)) > parallel)
            best = x;
    }
    return best;
}

/* Those that promise most, and none twice. Linear promises are not exact, so some more are fitted until one
   leaves only noise, and then those that promise about as much as that one did. */
static sn_status fit_best(trial *t)
{
    sn_candidates *all = t->all;
    double least = all->n ? 0.1 * all->item[0].score.log_likelihood : 0;
    for (int i = 0, fits = 0; i < all->n && fits < FITS; i++) {
        sn_candidate *c = &all->item[i];
        int again = c->p > certain || c->score.log_likelihood < least;
        for (int k = 0; k < all->n && !again; k++)
            again = all->item[k].fitted && fabs(cosine(&all->item[k], c)) > parallel;
        if (again) continue;
        c = believed(all, c);
        SN_TRY(fit_one(t, c));
        fits++;
        if (c->fitted && c->fit.left < quiet) least = fmax(least, 0.8 * c->score.log_likelihood);
    }
    qsort(all->item, (size_t)all->n, sizeof *all->item, better);
    return SN_OK;
}

/* ---- words ---- */

/* The best one; of those that do as well the one that is believed first. Beside a free history, which takes
   up most of what a wrong number does, only one that leaves noise: others may do well about a false minimum.
 */
static void choose(sn_candidates *all, int free_history)
{
    sn_candidate *best = all->item;
    int first = 0;
    all->named = -1;
    if (!all->n || !best->fitted || best->p > certain || best->fit.explains < enough || best->bic > 0 ||
        best->fit.log_likelihood < share * all->possible || (free_history && best->chance < left_over))
        return;
    for (int i = 0; i < all->n; i++) {
        sn_candidate *c = &all->item[i];
        c->equal = c->fitted ? c->fit.log_likelihood > best->fit.log_likelihood - apart
                             : fabs(cosine(best, c)) > parallel && c->score.explains > 0;
    }
    for (int i = 0; i < all->n; i++)
        if (all->item[i].equal && all->item[i].fitted && all->item[i].order < all->item[first].order)
            first = i;
    all->named = first;
}

static void add_value(sn_text *t, const sn_candidate *c, const sn_gain *g)
{
    sn_text_add(t, "%s = %.4g +- %.2g%s%s", c->name, g->value, g->std_error, c->unit[0] ? " " : "", c->unit);
    if (c->lever >= 0) sn_text_add(t, " with a radius of %g mm", 1e3 * SN_LEVER);
    sn_text_add(t, ", %.4g in the model", c->now);
}

/* The unknowns that would move most. */
static void add_moves(sn_text *t, const sn_study *s, const double *moves)
{
    int shown[3] = {-1, -1, -1};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < s->n_common; k++)
            if (k != shown[0] && k != shown[1] && fabs(moves[k]) > 0.5 &&
                (shown[i] < 0 || fabs(moves[k]) > fabs(moves[shown[i]])))
                shown[i] = k;
        if (shown[i] < 0) break;
        sn_text_add(t, "%s%s by %+.2g", i ? ", " : "; ", s->unknown[shown[i]].name, moves[shown[i]]);
    }
    if (shown[0] >= 0) sn_text_add(t, " of its standard errors");
}

static void add_equals(sn_text *t, const sn_candidates *all)
{
    int n = 0;
    for (int i = 0; i < all->n; i++) {
        const sn_candidate *c = &all->item[i];
        if (!c->equal || i == all->named) continue;
        if (n < 4) sn_text_add(t, "%s%s", n ? ", " : "; as well: ", c->name);
        n++;
    }
    if (n > 4) sn_text_add(t, " and %d more", n - 4);
}

/* Other causes are known already: step, mesh, a false minimum, or faults of sensors, which likelihoods tell
   from this one (a factor of 20). Returns what is to be said before, and the level that is left. */
static const char *weigh(const trial *t, const sn_candidate *c, int *level)
{
    sn_estimate *e = t->e;
    double lead = 2 * c->fit.log_likelihood - e->sensors.explained;
    for (int i = 0; i < e->n_verdict; i++) {
        const sn_verdict *v = &e->verdict[i];
        if (v->level < 2) continue;
        int numerics = !strcmp(v->about, "step") || !strcmp(v->about, "mesh"),
            minimum = !strcmp(v->about, "minimum");
        if (!numerics && !minimum) continue;
        *level = 1;
        return numerics ? "if step and mesh are not the cause, " : "if this is the right minimum, ";
    }
    if (!e->sensors.n) return "";
    if (lead > 2 * apart) {
        for (int i = 0; i < e->sensors.n; i++) {
            sn_verdict *v = &e->verdict[e->sensors.first + i];
            v->level = v->level > 1 ? 1 : v->level;
        }
        return "more likely than a fault of a sensor: ";
    }
    if (lead < -2 * apart) *level = 1;
    return lead < -2 * apart ? "less likely than the fault of a sensor: "
                             : "as likely as the fault of a sensor: ";
}

static void tell_cause(const trial *t, int level)
{
    const sn_candidate *c = &t->all->item[t->all->named];
    const char *before = weigh(t, c, &level);
    sn_text text = {0};
    sn_text_add(&text, "%sthe residuals are probably %s %.*s%s%s (", before,
                c->now == 0 ? "missing" : "a wrong", (int)strcspn(c->doc, ":;"), c->doc,
                c->doc[0] ? " in " : "", c->place);
    add_value(&text, c, &c->fit);
    sn_text_add(&text, "): with it chi square falls by %.4g of an excess of %.4g", c->fit.chi_square,
                fmax(t->all->excess, c->fit.chi_square));
    if (c->fit.left > 1.5) sn_text_add(&text, ", which leaves %.2g times the noise seen", c->fit.left);
    add_moves(&text, t->e->s, c->fit.moves);
    add_equals(&text, t->all);
    sn_text_add(&text, ": add %s to the unknowns, or set it", c->name);
    if (text.failed)
        t->e->speechless = 1;
    else
        sn_estimate_verdict(t->e, level, "model", "%s", text.text);
    sn_free(text.text);
}

static void tell_nothing(const trial *t, int bad)
{
    const sn_candidate *c = t->all->item;
    if (bad && t->e->sensors.n && t->e->s->trying != SN_TRY_ALWAYS) return; /* a sensor does */
    if (!t->all->n && t->tried == 1)
        sn_estimate_verdict(t->e, bad ? 1 : 0, "model",
                            "%s explains nothing: the unknowns can do all that it does to what was measured",
                            c->name);
    else if (!bad)
        sn_estimate_verdict(t->e, 0, "model",
                            "of %d numbers of the model that are not sought none would explain more",
                            t->all->n);
    else if (!t->all->n || c->p > certain)
        sn_estimate_verdict(t->e, 1, "model",
                            "nothing that the model has explains the residuals (%d numbers tried): look at "
                            "the data, the step and the mesh, or for what the model lacks altogether",
                            t->all->n);
    else {
        const double part = c->fitted ? c->fit.explains : c->score.explains;
        sn_estimate_verdict(
            t->e, 1, "model",
            "nothing that the model has explains the residuals: of %d numbers the best, %s, takes away %.0f "
            "%% of their excess%s: look at the data, the step and the mesh, or for what the model lacks "
            "altogether",
            t->all->n, c->name, floor(100 * part),
            part < enough ? "" : ", but what it leaves is no noise either");
    }
}

static int is_bad(const sn_estimate *e)
{
    for (int i = 0; i < e->n_verdict; i++)
        if (e->verdict[i].level > 1 && !strcmp(e->verdict[i].about, "residuals")) return 1;
    return 0;
}

/* Residuals that are taken for noise that follows itself may be what the model lacks: then it is asked, too.
 */
static int is_modelled(const sn_estimate *e)
{
    for (int i = 0; i < e->n_verdict; i++)
        if (e->verdict[i].level > 0 &&
            (!strcmp(e->verdict[i].about, "noise") || !strcmp(e->verdict[i].about, "discrepancy")))
            return 1;
    return 0;
}

sn_status sn_judge_model(sn_fit *f, sn_estimate *e, sn_err *err)
{
    int modelled = is_modelled(e) && e->converged, bad = is_bad(e), before = sn_err_count(err);
    int asked = f->s->trying == SN_TRY_ALWAYS || modelled;
    trial t = {.f = f, .e = e, .all = &e->candidates, .err = err};
    int known = e->step.seen || e->mesh.seen; /* the cause: numbers of the model could only imitate it */
    if (f->s->trying == SN_TRY_NEVER || e->stopped || (!asked && (known || !(bad && e->converged))))
        return SN_OK;
    SN_TRY(sn_candidates_list(f->s, f->s->tried, &e->arena, t.all, err));
    sn_status status = sn_score_new(f, e, &t.score, err);
    if (status == SN_ERR_NUMERIC) {
        sn_err_forget(err, before); /* unknowns that cannot be told apart: that is said elsewhere */
        t.all->n = 0;
        return SN_OK;
    }
    if (!status) t.all->excess = t.score->excess, t.all->possible = t.score->possible;
    t.tried = t.all->n;
    if (!status) status = score_all(&t);
    if (!status) status = fit_best(&t);
    if (!status) choose(t.all, sn_smoothing_needed(f->s));
    if (!status && t.all->named >= 0)
        tell_cause(&t, bad || modelled ? 2 : 1);
    else if (!status)
        tell_nothing(&t, bad);
    sn_score_free(t.score);
    return status;
}
