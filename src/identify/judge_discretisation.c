/* What the time step and the mesh do to the estimates.

   The signals are computed once more at the estimate, with half the step or with meshes of twice the
   divisions. Of an error as h^p the difference is all but a part 1/2^p: phi = (y_h - y_{h/2}) 2^p / (2^p - 1)
   / sigma is what the discretisation adds to the residuals, and the estimates have J+ phi too much or too
   little (projection.h). Where that is worth a word a second refinement tells the order p, which is 2 only
   where steps and pieces are short enough, and what is left after both.

   What the data say themselves: with c phi beside the Jacobian c = -1 is best where the data have no such
   error, c = 0 where they have the same, because they were computed by this very model. */
#include "identify/history.h"
#include "identify/judge.h"
#include "identify/memo.h"
#include "identify/projection.h"
#include "identify/refine.h"
#include "identify/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEP, MESH };
/* of c: standard errors that are far from a value, and as near as to be it; and what is near to 0 */
static const double certain = 4, consistent = 3, near = 0.1;

typedef struct look {
    sn_fit *f;
    sn_estimate *e;
    int what;
    sn_projection *p;
    double **d[2]; /* of each experiment: residuals less those with once, and twice, the refinement */
    double **phi;  /* error of the signals in units of the noise */
    double *z;     /* what an addition moves; scratch */
    double *kept;  /* scratch */
    sn_discretised *out;
    sn_addition a;
    double *se; /* of each unknown: its bias in standard errors; NAN: it has none */
    int worst;  /* unknown; -1: none has a standard error */
} look;

static size_t samples(const sn_experiment *x) { return (size_t)x->n * (size_t)x->n_channel; }

/* ---- finer runs ---- */

/* d = residuals of the fit less those of the finer study, both at the estimate. */
static sn_status compare(look *l, const sn_study *finer, double **d, sn_err *err)
{
    sn_fit *f = l->f, *g;
    SN_TRY(sn_fit_new(finer, f->threads, &g, err));
    g->progress = f->progress, g->ctx = f->ctx, g->done = f->done;
    for (int k = 0; k < f->n; k++) l->z[k] = sn_fit_z(finer, k, l->e->value[k]);
    sn_status status = sn_fit_signals(g, l->z, 0, 0, err);
    f->simulations += g->simulations;
    for (int e = 0; !status && e < finer->n_experiment; e++)
        for (size_t i = 0; d[e] && i < samples(&finer->experiment[e]); i++)
            d[e][i] = f->part[e].r[i] - g->part[e].r[i];
    sn_fit_free(g);
    return status;
}

/* The same with steps 2^times shorter, or so many times the divisions. Runs are solved as far as those with
   derivatives are, or the difference would be that of the solutions. */
static sn_status refine(look *l, int times, double **d, sn_err *err)
{
    const sn_study *s = l->f->s;
    if (l->what == STEP) {
        sn_study finer = *s; /* all but the run is shared */
        sn_study_halve(s, times, &finer.run);
        finer.run.exact = SN_EXACT_STATES;
        return compare(l, &finer, d, err);
    }
    sn_study *finer;
    SN_TRY(sn_study_refined(s, s->finer.halvings, s->finer.mesh << times, &finer, err));
    finer->run.exact = SN_EXACT_STATES;
    sn_status status = compare(l, finer, d, err);
    sn_study_free(finer);
    return status;
}

/* ---- biases ---- */

/* |a d1 + b d2| */
static double size(const look *l, double a, double b)
{
    double sum = 0;
    for (int e = 0; e < l->f->s->n_experiment; e++)
        for (size_t i = 0; l->d[0][e] && i < samples(&l->f->s->experiment[e]); i++) {
            double x = a * l->d[0][e][i] + b * l->d[1][e][i];
            if (!isnan(x)) sum += x * x;
        }
    return sqrt(sum);
}

/* The addition phi = a d1 + b d2 and what it moves. */
static void project(look *l, double a, double b)
{
    const sn_study *s = l->f->s;
    for (int e = 0; e < s->n_experiment; e++)
        for (size_t i = 0; l->phi[e] && i < samples(&s->experiment[e]); i++)
            l->phi[e][i] = a * l->d[0][e][i] + b * l->d[1][e][i];
    l->a = sn_projection_add(l->p, l->phi, l->z);
}

/* From what is moved, in z, to biases. */
static void weigh(look *l)
{
    double most = -1;
    l->worst = -1;
    for (int k = 0; k < l->f->n; k++) {
        const sn_unknown *u = &l->f->s->unknown[k];
        double bias = l->z[k] * (u->log ? l->e->value[k] : u->scale), se = l->e->std_error[k];
        l->out->bias[k] = bias;
        l->se[k] = isfinite(se) && se > 0 ? bias / se : NAN;
        if (fabs(l->se[k]) > most) most = fabs(l->se[k]), l->worst = k;
    }
    l->out->worst = fmax(most, 0);
}

/* By one refinement, or by two where the first shows something and the second can be had. */
static sn_status find(look *l, sn_err *err)
{
    double order = l->what == STEP ? sn_study_order(l->f->s) : 2, part = exp2(order);
    int before = sn_err_count(err);
    SN_TRY(refine(l, 1, l->d[0], err));
    l->out->order = order;
    project(l, part / (part - 1), 0);
    weigh(l);
    if (!(l->out->worst > SN_BIAS_LIMIT)) return SN_OK;
    sn_status status = refine(l, 2, l->d[1], err);
    if (status == SN_ERR_MEMORY || status == SN_ERR_INTERRUPTED) return status;
    if (status) sn_err_forget(err, before);
    /* from twice to four times as fine: less by 2 to the order than to twice */
    double second = status ? 0 : size(l, -1, 1);
    if (second > 0) {
        part = fmin(fmax(size(l, 1, 0) / second, 2), 64);
        l->out->order = log2(part);
        project(l, -1 / (part - 1), 1 + 1 / (part - 1));
    } else {
        project(l, part / (part - 1), 0); /* z was used */
    }
    weigh(l);
    return SN_OK;
}

/* The same, or what is kept of it from earlier: runs made, order, addition, what is moved. */
static sn_status find_or_take(look *l, sn_err *err)
{
    static const char *const name[] = {"bias by the step", "bias by the mesh"};
    enum { RUNS, ORDER, FACTOR, ERROR, FIRST };
    sn_fit *f = l->f;
    size_t n = (size_t)f->n;
    sn_key key = sn_memo_at(f->memo, f->s, name[l->what], l->e->z);
    long before = f->simulations;
    if (sn_memo_get(f->memo, key, FIRST + n, l->kept)) {
        f->simulations += (long)l->kept[RUNS], f->kept += (long)l->kept[RUNS];
        l->out->order = l->kept[ORDER];
        l->a = (sn_addition){.c = l->kept[FACTOR], .std_error = l->kept[ERROR]};
        memcpy(l->z, l->kept + FIRST, n * sizeof *l->z);
        weigh(l);
        return SN_OK;
    }
    SN_TRY(find(l, err));
    l->kept[RUNS] = (double)(f->simulations - before), l->kept[ORDER] = l->out->order;
    l->kept[FACTOR] = l->a.c, l->kept[ERROR] = l->a.std_error;
    memcpy(l->kept + FIRST, l->z, n * sizeof *l->z);
    sn_memo_put(f->memo, key, 0, FIRST + n, l->kept);
    return SN_OK;
}

/* ---- words ---- */

/* What the data say of the error: nothing, that they have it too, that the model has it and they have not. */
enum { UNKNOWN, COMPUTED, SEEN };

/* Nothing was said against the residuals. */
static int looks_white(const sn_estimate *e)
{
    for (int i = 0; i < e->n_verdict; i++)
        if (e->verdict[i].level > 0 && !strcmp(e->verdict[i].about, "residuals")) return 0;
    return 1;
}

static int ask_data(const sn_addition *a, int white)
{
    if (!isfinite(a->c) || !(a->std_error > 0)) return UNKNOWN;
    double none = fabs(a->c) / a->std_error, all = fabs(a->c + 1) / a->std_error;
    if ((none <= consistent || (white && fabs(a->c) < near)) && all > certain) return COMPUTED;
    return none > certain && a->c < -0.4 && a->c > -2 ? SEEN : UNKNOWN;
}

/* A value of a history is no number that anybody asks for: where the history moves most, in the middle of the
   basis function of its worst value. */
static void moved_history(const look *l, sn_text *t)
{
    const sn_study *s = l->f->s;
    const sn_unknown *u = &s->unknown[l->worst];
    const sn_history *h = &s->history[u->of_history - 1];
    for (int k = 0; k < s->n_history_part; k++) {
        const sn_history_part *p = &s->history_part[k];
        int i = l->worst - p->first, cubic = h->form == SN_FORM_CUBIC;
        if (i < 0 || i >= p->n) continue;
        double pieces = p->n - (cubic ? 3 : 1), x = fmin(fmax(i - cubic, 0), pieces) / pieces;
        sn_text_add(t,
                    "the history of %s most at %.3g s, by %+.3g%s%s, %.2g standard errors of its value there",
                    h->name, p->begin + x * (p->end - p->begin), l->out->bias[l->worst],
                    h->unit[0] ? " " : "", h->unit, fabs(l->se[l->worst]));
    }
}

/* "k1 by +0.041 kN/m, 1.3 standard errors (and 2 others by more than 0.3)"; all values of a history are one.
 */
static void moved(const look *l, sn_text *t)
{
    const sn_study *s = l->f->s;
    const sn_unknown *u = &s->unknown[l->worst];
    int others = 0, before = u->of_history;
    for (int k = 0; k < l->f->n; k++) {
        int of = s->unknown[k].of_history;
        if (k == l->worst || (of && of == before) || (of && of == u->of_history)) continue;
        if (fabs(l->se[k]) > SN_BIAS_LIMIT) others++, before = of;
    }
    if (u->of_history && s->history[u->of_history - 1].form != SN_FORM_SERIES)
        moved_history(l, t);
    else
        sn_text_add(t, "%s by %+.3g%s%s, %.2g standard errors", u->name,
                    l->out->bias[l->worst] / u->shown_factor, u->shown[0] ? " " : "", u->shown,
                    fabs(l->se[l->worst]));
    if (others > 0)
        sn_text_add(t, " (and %d other%s by more than %g)", others, others > 1 ? "s" : "", SN_BIAS_LIMIT);
}

/* What is meant: "time step of 5 ms". */
static const char *called(const look *l, char *out, size_t size)
{
    const sn_run_options *o = &l->f->s->run;
    char text[40];
    if (l->what == MESH)
        snprintf(out, size, "mesh");
    else if (o->error > 0)
        snprintf(out, size, "time step, with an allowed error of %.3g,", o->error);
    else
        snprintf(out, size, "time step of %s", sn_time_text(o->step, text, sizeof text));
    return out;
}

/* What would do. */
static void advise(const look *l, sn_text *t)
{
    const sn_run_options *o = &l->f->s->run;
    double finer = pow(l->out->worst / SN_BIAS_LIMIT, 1 / l->out->order);
    char text[40];
    if (l->what == MESH)
        sn_text_add(t, "; %.0f times the elements would do, or 'refine: yes'", ceil(finer));
    else if (o->error > 0)
        sn_text_add(t, "; 'run: {error: %.2g}' would do, or 'refine: yes'",
                    o->error / pow(finer, sn_study_order(l->f->s) + 1));
    else
        sn_text_add(t, "; a step of %s would do, or 'refine: yes'",
                    sn_time_text(o->step / finer, text, sizeof text));
}

/* Whether the bias is small enough, and as regular, that it can be taken back. */
static int can_be_taken_back(const look *l)
{
    if (!(l->out->worst <= SN_CORRECT_ERRORS)) return 0;
    /* of another order than it should be: the difference of two runs does not tell the rest */
    double order = l->what == STEP ? sn_study_order(l->f->s) : 2;
    if (l->out->worst > SN_BIAS_LIMIT && fabs(l->out->order - order) > 0.5) return 0;
    for (int k = 0; k < l->f->n; k++)
        if (l->f->s->unknown[k].log && !(fabs(l->out->bias[k]) <= SN_CORRECT_PART * fabs(l->e->value[k])))
            return 0;
    return 1;
}

/* What `refine: correct` makes of the sentence; the level that is left. */
static int take_back(look *l, int level, sn_text *t)
{
    if (l->f->s->refine != SN_REFINE_CORRECT) {
        advise(l, t);
        return level;
    }
    l->out->taken = can_be_taken_back(l);
    if (l->out->taken) {
        sn_text_add(t, ", which is taken back ('refine: correct')");
        return l->out->seen ? 1 : 0;
    }
    sn_text_add(t, ", too much for 'refine: correct' to predict: nothing is taken back");
    advise(l, t);
    return level;
}

static const char *named(const look *l)
{
    const sn_unknown *u = &l->f->s->unknown[l->worst];
    return u->of_history ? l->f->s->history[u->of_history - 1].name : u->name;
}

static void say(look *l)
{
    static const char *const about[] = {"step", "mesh"}, *const plain[] = {"time step", "mesh"};
    char name[120];
    sn_text t = {0};
    int data = ask_data(&l->a, looks_white(l->e)), level = l->out->worst > SN_BIAS_BAD ? 2 : 1;
    if (l->worst < 0) return;
    if (!(l->out->worst > SN_BIAS_LIMIT)) {
        l->out->taken = l->f->s->refine == SN_REFINE_CORRECT;
        sn_estimate_verdict(l->e, 0, about[l->what], "%s: bias at most %.2g standard errors (%s)%s",
                            plain[l->what], l->out->worst, named(l),
                            l->out->taken ? ", which is taken back" : "");
        return;
    }
    called(l, name, sizeof name);
    if (data == COMPUTED) {
        sn_text_add(
            &t,
            "the data follow the model as it is discretised: they seem to be computed with this %s; for "
            "measured data the %s would move ",
            plain[l->what], name);
        moved(l, &t);
        level = 0, l->out->worst = 0;
    } else if (data == SEEN && l->out->worst > 1) {
        sn_text_add(&t, "the %s is too coarse: its error is seen in the residuals, and it moves ", name);
        moved(l, &t);
        l->out->seen = 1, level = take_back(l, 2, &t);
    } else {
        sn_text_add(&t, "the %s moves ", name);
        moved(l, &t);
        level = take_back(l, level, &t);
    }
    if (t.failed)
        l->e->speechless = 1;
    else
        sn_estimate_verdict(l->e, level, about[l->what], "%s", t.text);
    sn_free(t.text);
}

/* ---- both ---- */

static sn_status make_room(look *l, sn_err *err)
{
    const sn_study *s = l->f->s;
    size_t n = (size_t)l->f->n + 1;
    double ***const table[] = {&l->d[0], &l->d[1], &l->phi};
    if (!SN_NEW(l->z, n) || !SN_NEW(l->se, n) || !SN_NEW(l->kept, n + 8)) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < 3; i++) {
        if (!SN_NEW(*table[i], s->n_experiment + 1)) return SN_OUT_OF_MEM(err);
        for (int e = 0; e < s->n_experiment; e++)
            if (!s->experiment[e].hold_out && !SN_NEW((*table[i])[e], samples(&s->experiment[e]) + 1))
                return SN_OUT_OF_MEM(err);
    }
    return sn_projection_new(l->f, l->e->at_bound, &l->p, err);
}

static void clear(look *l)
{
    double **const table[] = {l->d[0], l->d[1], l->phi};
    for (int i = 0; i < 3; i++) {
        for (int e = 0; table[i] && e < l->f->s->n_experiment; e++) sn_free(table[i][e]);
        sn_free(table[i]);
    }
    sn_free(l->z), sn_free(l->se), sn_free(l->kept);
    sn_projection_free(l->p);
}

/* One of them. That the finer model cannot be read or run is no failure of the study. */
static sn_status look_at(look *l, int what, sn_err *err)
{
    sn_err own;
    sn_err_clear(&own);
    l->what = what, l->out = what == STEP ? &l->e->step : &l->e->mesh;
    l->out->bias = sn_arena_alloc(&l->e->arena, (size_t)l->f->n + 1, sizeof *l->out->bias);
    if (!l->out->bias) return SN_OUT_OF_MEM(err);
    for (int e = 0; e < l->f->s->n_experiment; e++)
        if (l->d[1][e]) memset(l->d[1][e], 0, sizeof(double) * samples(&l->f->s->experiment[e]));
    sn_status status = find_or_take(l, &own);
    if (!status) {
        say(l);
    } else if (status == SN_ERR_MEMORY || status == SN_ERR_INTERRUPTED) {
        sn_err_join(err, &own);
    } else {
        const char *why = own.count ? own.report[0].text : "a run fails";
        sn_estimate_verdict(l->e, 1, what == STEP ? "step" : "mesh",
                            what == STEP ? "the time step could not be halved: %s; what it does is not known"
                                         : "the mesh could not be refined: %s; what it does is not known",
                            why);
        l->out->bias = NULL, l->out->worst = 0;
        status = SN_OK;
    }
    return status;
}

sn_status sn_judge_discretisation(sn_fit *f, sn_estimate *e, sn_err *err)
{
    look l = {.f = f, .e = e};
    int series = 0; /* modes and responses have no step */
    if (e->stopped)
        sn_estimate_verdict(e, 1, "step",
                            "stopped: what time step and mesh do to the estimates is not known");
    if (!e->converged) return SN_OK;
    sn_status status = make_room(&l, err);
    for (int k = 0; k < f->s->n_experiment; k++) series |= !f->s->experiment[k].sort;
    if (!status && series) status = look_at(&l, STEP, err);
    if (!status && sn_study_meshes(f->s)) status = look_at(&l, MESH, err);
    clear(&l);
    return status;
}
