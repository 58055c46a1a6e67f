/* Solves the cases, one after the other, on one thread: they are timed. */
#include "compare/cases.h"
#include "identify/journal.h"
#include "identify/read.h"
#include "identify/run_words.h"
#include "io/file.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    STATIC_STEPS = 30, /* an equilibrium is as much work as so many steps */
    KEY_BYTES = 1 << 28
};

/* One case with its model, as long as it is solved. */
typedef struct solving {
    sn_case *x;
    sn_model *model;
    sn_values *values;
    sn_run_options o;
    sn_info info;
    sn_point point[SN_CASE_QUANTITIES];
    int channel[SN_CASE_QUANTITIES];
    double *y; /* of an equilibrium */
    const sn_cases_options *watch;
    double before, all; /* work that is done, and all of it */
} solving;

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the model of a case ---- */

static sn_status set_refined(const sn_refined *r, int k, sn_model *model, sn_values *values, sn_err *err)
{
    if (sn_model_is_structural(model, r->name)) return SN_OK; /* it was read with it */
    return sn_values_set(values, r->name, r->text[k], err);
}

/* "name=value" of all that the case sets; those of meshes decide how the model is read. */
static sn_status read_model(solving *s, sn_err *err)
{
    const sn_variant *v = s->x->variant;
    const char *set[SN_CASE_REFINED + 1];
    char text[SN_CASE_REFINED][200], **all;
    int n = 0, before = sn_err_count(err);
    if (!SN_NEW(all, v->n_set + SN_CASE_REFINED + 1)) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < v->n_refined && !s->x->is_reference; k++) {
        snprintf(text[k], sizeof text[k], "%s=%s", v->refined[k].name, v->refined[k].text[s->x->value[k]]);
        set[n++] = text[k];
    }
    for (int i = 0; i < n; i++) all[i] = (char *)set[i];
    for (int i = 0; i < v->n_set; i++) all[n + i] = (char *)v->set[i].set;
    sn_status status = sn_model_read_set(v->model, n + v->n_set, (const char *const *)all, &s->model, err);
    sn_free(all);
    if (status == SN_ERR_FILE) sn_err_place(err, before, &v->model_item->mark);
    return status;
}

static sn_status set_numbers(solving *s, sn_err *err)
{
    const sn_variant *v = s->x->variant;
    for (int i = 0; i < v->n_set; i++) {
        const char *equal = strchr(v->set[i].set, '=');
        char name[256];
        int before = sn_err_count(err);
        snprintf(name, sizeof name, "%.*s", (int)(equal - v->set[i].set), v->set[i].set);
        sn_status status =
            sn_model_is_structural(s->model, name) ? SN_OK : sn_values_set(s->values, name, equal + 1, err);
        sn_err_place(err, before, &v->set[i].item->key_mark);
        SN_TRY(status);
    }
    for (int k = 0; k < v->n_refined && !s->x->is_reference; k++) {
        int before = sn_err_count(err);
        sn_status status = set_refined(&v->refined[k], s->x->value[k], s->model, s->values, err);
        sn_err_prefix(err, before, "%s, variant '%s': refine", s->x->problem->name, v->name);
        SN_TRY(status);
    }
    return sn_values_update(s->values, err);
}

/* "tip.x@20 ms" */
static sn_status find_point(solving *s, int k, sn_err *err)
{
    const sn_item *i = s->x->problem->quantity[k];
    const char *at = strchr(i->text, '@');
    char name[256];
    double end = s->o.end;
    int before = sn_err_count(err);
    snprintf(name, sizeof name, "%.*s", (int)(at ? at - i->text : (long)strlen(i->text)), i->text);
    sn_status status = sn_channel_find(s->model, name, &s->channel[k], err);
    s->point[k] = (sn_point){.channel = s->channel[k], .t = end, .value = NAN};
    if (!status && at) status = sn_values_set(s->values, "run.end", at + 1, err);
    if (!status && at) status = sn_values_get(s->values, "run.end", &s->point[k].t, err);
    sn_err_place(err, before, &i->mark);
    if (!status && at) status = sn_values_set_number(s->values, "run.end", end, err);
    SN_TRY(status);
    double *t = &s->point[k].t;
    if (*t > end && *t <= end * (1 + 1e-12)) *t = end;
    if (!(*t >= 0 && *t <= end))
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s': the run of '%s' goes from 0 to %g s", i->text,
                       s->x->variant->model, end);
    return SN_OK;
}

static void close_case(solving *s)
{
    sn_free(s->y);
    sn_values_free(s->values);
    sn_model_free(s->model);
    s->y = NULL, s->values = NULL, s->model = NULL;
}

static sn_status open_case(solving *s, sn_err *err)
{
    const sn_variant *v = s->x->variant;
    SN_TRY(read_model(s, err));
    SN_TRY(sn_values_new(s->model, &s->values, err));
    SN_TRY(set_numbers(s, err));
    s->o = sn_run_options_default(s->model, s->values);
    for (int i = 0; i < v->n_word; i++)
        SN_TRY(sn_run_word_set(v->word[i]->key, v->word[i]->text, &v->word[i]->mark, &s->o, err));
    for (int k = 0; k < s->x->problem->n_quantity; k++) SN_TRY(find_point(s, k, err));
    SN_TRY(sn_values_update(s->values, err));
    if (!s->x->problem->is_static) {
        double end = 0;
        for (int k = 0; k < s->x->problem->n_quantity; k++) end = fmax(end, s->point[k].t);
        s->o.end = end; /* no further than what is asked for */
    }
    sn_sizes sizes;
    sn_model_sizes(s->model, &sizes);
    double steps = s->x->problem->is_static ? STATIC_STEPS : s->o.end / s->o.step;
    s->x->r.unknowns = sizes.nv + sizes.m;
    s->x->weight = (s->x->r.unknowns + 20) * (steps + STATIC_STEPS);
    return SN_NEW(s->y, sizes.y + 1) ? SN_OK : SN_OUT_OF_MEM(err);
}

sn_status sn_cases_check(sn_cases *c, sn_err *err)
{
    sn_status first = SN_OK;
    for (int i = 0; i < c->n_case; i++) {
        solving s = {.x = &c->item[i]};
        int before = sn_err_count(err);
        sn_status status = open_case(&s, err);
        close_case(&s);
        /* the same file says the same again */
        for (int k = 0; first && k < before && k < SN_ERR_MAX && before < SN_ERR_MAX && err; k++)
            if (status && !strcmp(err->report[k].text, err->report[before].text)) {
                sn_err_forget(err, before);
                break;
            }
        if (status == SN_ERR_MEMORY) return status;
        if (!first) first = status;
    }
    return first;
}

/* ---- what a case depends on ---- */

static sn_status case_key(const sn_cases *c, const solving *s, sn_key *key, sn_err *err)
{
    const sn_variant *v = s->x->variant;
    char words[400];
    *key = sn_key_of("compare");
    sn_key_text(key, sn_version());
    for (int i = 0; i < s->model->n_read; i++) {
        char *bytes;
        size_t n;
        SN_TRY(sn_file_read(s->model->read[i], KEY_BYTES, &bytes, &n, err));
        for (size_t k = 0; k < n; k += 8) {
            uint64_t word = 0;
            memcpy(&word, bytes + k, n - k < 8 ? n - k : 8);
            sn_key_word(key, word);
        }
        sn_key_word(key, n);
        sn_free(bytes);
    }
    sn_case_words(s->x, words, sizeof words);
    sn_key_text(key, words);
    for (int i = 0; i < v->n_set; i++) sn_key_text(key, v->set[i].set);
    for (int i = 0; i < v->n_word; i++) sn_key_text(key, v->word[i]->key), sn_key_text(key, v->word[i]->text);
    for (int k = 0; k < s->x->problem->n_quantity; k++) sn_key_text(key, s->x->problem->quantity[k]->text);
    sn_key_word(key, (uint64_t)s->x->problem->is_static), sn_key_word(key, (uint64_t)c->repeat);
    return SN_OK;
}

/* ---- solving ---- */

static int progress(void *ctx, double done, double t)
{
    const solving *s = ctx;
    if (!s->watch->progress) return 0;
    return s->watch->progress(s->watch->ctx, (s->before + done * s->x->weight) / s->all, t);
}

/* Drifts relative to the largest energy and momenta of the run. Where the sum of momenta vanishes that is the
   angular one over the model's size, or the other times it. */
static void take_conserved(const sn_conserved *k, double size, sn_case_numbers *r)
{
    double energy = fmax(fmax(fabs(k->energy_start), fabs(k->energy_end)), k->kinetic),
           momentum = fmax(k->linear_most, k->angular_most / size);
    if (!k->states) return;
    if (k->energy) r->conserved += 1, r->energy = energy > 0 ? k->energy_drift / energy : 0;
    if (!k->linear && !k->angular) return;
    r->conserved += 2;
    r->momentum = momentum > 0 ? fmax(k->linear_drift, k->angular_drift / size) / momentum : 0;
}

static sn_status solve_once(solving *s, int first, sn_err *err)
{
    const sn_problem *p = s->x->problem;
    sn_case_numbers *r = &s->x->r;
    double c = cpu();
    s->o.progress = progress, s->o.ctx = s, s->o.conserved = first && !p->is_static;
    s->o.point = s->point, s->o.n_point = p->is_static ? 0 : p->n_quantity;
    if (p->is_static)
        SN_TRY(sn_static(s->model, s->values, &s->o, s->y, &s->info, err));
    else
        SN_TRY(sn_run(s->model, s->values, &s->o, &s->info, err));
    c = p->is_static ? cpu() - c : s->info.cpu;
    r->cpu = first ? c : fmin(r->cpu, c);
    if (!first) return SN_OK;
    for (int k = 0; k < p->n_quantity; k++) r->y[k] = p->is_static ? s->y[s->channel[k]] : s->point[k].value;
    r->steps = (double)s->info.steps, r->iterations = (double)s->info.iterations;
    r->factorisations = (double)s->info.factorisations, r->reductions = (double)s->info.reductions;
    r->factor_nonzeros = s->info.factor_nonzeros, r->violation = s->info.violation;
    take_conserved(&s->info.conserved, s->values->length, r);
    return SN_OK;
}

static sn_status solve_case(const sn_cases *c, solving *s, sn_journal *journal, sn_err *err)
{
    enum { N = sizeof(sn_case_numbers) / sizeof(double) };
    sn_key key;
    double spent = 0;
    SN_TRY(open_case(s, err));
    SN_TRY(case_key(c, s, &key, err));
    if (sn_journal_get(journal, key, N, (double *)&s->x->r)) {
        s->x->state = SN_CASE_DONE, s->x->kept = 1;
        return SN_OK;
    }
    for (int k = 0; k < c->repeat && spent < 1; k++) {
        SN_TRY(solve_once(s, !k, err));
        spent += s->x->r.cpu;
    }
    for (int k = 0; k < s->x->problem->n_quantity; k++)
        if (!isfinite(s->x->r.y[k]))
            return sn_fail(err, SN_ERR_NUMERIC, NULL, "'%s' is no number", s->x->problem->quantity[k]->text);
    s->x->state = SN_CASE_DONE;
    sn_journal_put(journal, key, 0, N, (const double *)&s->x->r);
    return SN_OK;
}

/* Of several reports the first says what was wrong. */
static void fail_case(sn_case *x, const sn_err *err, sn_status status)
{
    x->state = SN_CASE_FAILED;
    snprintf(x->reason, sizeof x->reason, "%s", err->count ? err->report[0].text : sn_status_text(status));
}

static void tell(const sn_cases_options *o, const sn_cases *c, const sn_case *x)
{
    char text[300], words[160];
    sn_case_words(x, words, sizeof words);
    snprintf(text, sizeof text, "%d of %d, %s: %s, %s", (int)(x - c->item) + 1, c->n_case, x->problem->name,
             x->variant->name, words);
    if (o->state) o->state(o->ctx, text);
}

sn_status sn_cases_solve(sn_cases *c, const sn_cases_options *o, sn_err *err)
{
    sn_journal *journal = NULL;
    char path[4096];
    double before = 0, all = 0;
    sn_status status;
    snprintf(path, sizeof path, "%s/resume.bin", o->folder);
    SN_TRY(sn_journal_open(path, o->resume, &journal, err));
    for (int i = 0; i < c->n_case; i++) all += c->item[i].weight;
    for (int i = 0; i < c->n_case; i++) {
        sn_case *x = &c->item[i];
        solving s = {.x = x, .watch = o, .before = before, .all = all};
        sn_err own;
        sn_err_clear(&own);
        tell(o, c, x);
        status = solve_case(c, &s, journal, &own);
        close_case(&s);
        before += x->weight;
        if (status == SN_ERR_INTERRUPTED || status == SN_ERR_MEMORY) {
            sn_journal_close(journal);
            if (status == SN_ERR_MEMORY) sn_err_join(err, &own);
            return status;
        }
        if (status) fail_case(x, &own, status);
        if (o->progress && o->progress(o->ctx, before / all, 0)) {
            sn_journal_close(journal);
            return SN_ERR_INTERRUPTED;
        }
    }
    sn_journal_close(journal);
    return SN_OK;
}
