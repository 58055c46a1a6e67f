/* Reading a study file. The grammar is small: maps whose keys are checked against lists, numbers with units
   through the expressions of model files. Everything that can be wrong with the input is found here, before
   anything is computed: names, units, columns, times, bounds, too few data. */
#include "identify/study.h"
#include "identify/candidate.h"
#include "identify/design.h"
#include "identify/history.h"
#include "identify/kalman.h"
#include "identify/read.h"
#include "identify/refine.h"

#include <math.h>
#include <string.h>

/* ---- the rest ---- */

static sn_status choice(const sn_item *i, const char *const *words, int *out, sn_err *err)
{
    char all[200] = "";
    if (!i) return SN_OK;
    for (int k = 0; words[k]; k++) {
        if (!strcmp(i->text, words[k])) {
            *out = k;
            return SN_OK;
        }
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", words[k]);
    }
    return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' is none of: %s", i->text, all);
}

/* A number of a study: its key, its unit, and what it may be. */
typedef struct number_key {
    const char *key, *unit;
    double lowest, highest;
} number_key;

static sn_status number_of(sn_study *s, const sn_item *map, const number_key *n, double *x, sn_err *err)
{
    const sn_item *i = map && map->type == SN_ITEM_MAP ? sn_item_get(map, n->key) : NULL;
    if (!i) return SN_OK;
    SN_TRY(sn_read_unit(&s->arena, i, n->unit, x, err));
    if (*x >= n->lowest && *x <= n->highest) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' must be within %g and %g", n->key, n->lowest,
                   n->highest);
}

/* Keys that mean nothing to the chosen method, and a scheme that cannot serve it. */
static sn_status check_method(const sn_study *s, const sn_item *root, sn_err *err)
{
    static const char *const of_runs[] = {"optimiser",   "horizon",     "windows",        "starts",
                                          "intervals",   "efforts",     "initial_window", "refine",
                                          "noise_model", "discrepancy", "tangent_only",   NULL};
    static const char *const of_instants[] = {"instants", "derivatives", NULL};
    int runs = s->method == SN_INDIRECT || s->method == SN_KALMAN;
    for (int pass = 0; pass < 2; pass++)
        for (const char *const *key = pass ? of_runs : of_instants; *key; key++) {
            const sn_item *i = sn_item_get(root, *key);
            if (i && (pass ? s->method != SN_INDIRECT : runs))
                return sn_fail(err, SN_ERR_INPUT, &i->key_mark, "'%s' is a key of the %s only", *key,
                               pass ? "indirect method" : "direct methods");
        }
    const sn_scheme *scheme;
    const sn_integrator_class *k = sn_scheme_find(s->run.scheme, &scheme);
    if (runs && k && !k->step_forward) return sn_scheme_no_derivatives(s->run.scheme, "forward", err);
    if (s->method == SN_ADAPTED_DIRECT && !sn_item_get(root, "instants"))
        return sn_fail(err, SN_ERR_INPUT, &sn_item_get(root, "method")->mark,
                       "adapted_direct needs 'instants: [0.5 s, ...]'");
    return SN_OK;
}

/* intervals: profile, or {bootstrap: 200, seed: 1} */
static sn_status read_intervals(sn_study *s, const sn_item *i, sn_err *err)
{
    static const char *const words[] = {"standard", "profile", "bootstrap", NULL};
    double n = 200, seed = 1;
    if (i && i->type == SN_ITEM_MAP) {
        SN_TRY(sn_read_keys(i, sn_keys_intervals, "intervals", err));
        if (!sn_item_get(i, "bootstrap"))
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "'bootstrap: 200', a number of refits, is missing");
        SN_TRY(number_of(s, i, &(number_key){"bootstrap", "1", 40, 1e5}, &n, err));
        SN_TRY(number_of(s, i, &(number_key){"seed", "1", 0, 1e15}, &seed, err));
        s->intervals = SN_BOOTSTRAP;
    } else {
        SN_TRY(choice(i, words, &s->intervals, err));
    }
    s->bootstrap.n = (int)n, s->bootstrap.seed = (unsigned long)seed;
    return SN_OK;
}

/* Nothing is sought but histories: their cost has no false minima that a short horizon would avoid. Other
   unknowns beside them have: a history over all of the time imitates what a wrong number of the model does.
 */
static int only_histories(const sn_study *s, const sn_item *root)
{
    const sn_item *map = sn_item_get(root, "unknowns");
    return s->n_history && map && map->n == s->n_history;
}

/* windows: 4, or {n: 4, hand_over: yes} */
static sn_status read_windows(sn_study *s, const sn_item *root, sn_err *err)
{
    static const char *const words[] = {"no", "yes", NULL};
    const sn_item *i = sn_item_get(root, "windows");
    int hand_over = 1;
    double n = 1;
    s->windows = 1, s->hand_over = 0;
    if (!i) return SN_OK;
    if (i->type == SN_ITEM_MAP) {
        SN_TRY(sn_read_keys(i, sn_keys_windows, "windows", err));
        if (!sn_item_get(i, "n"))
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "'n: 4', the number of windows, is missing");
        SN_TRY(choice(sn_item_get(i, "hand_over"), words, &hand_over, err));
        SN_TRY(number_of(s, i, &(number_key){"n", "1", 1, 1000}, &n, err));
    } else {
        SN_TRY(number_of(s, root, &(number_key){"windows", "1", 1, 1000}, &n, err));
        hand_over = 0;
    }
    if (n != floor(n)) return sn_fail(err, SN_ERR_INPUT, &i->mark, "the number of windows is a whole number");
    *(hand_over ? &s->hand_over : &s->windows) = (int)n;
    if (!hand_over) return SN_OK;
    if (!s->n_history)
        return sn_fail(
            err, SN_ERR_INPUT, &i->mark,
            "windows that hand their state over are for histories, and none is sought: 'windows: 4' "
            "gives each an initial state of its own");
    return s->optimiser == SN_MARQUARDT
               ? SN_OK
               : sn_fail(err, SN_ERR_INPUT, &i->mark,
                         "windows that hand their state over need 'optimiser: levenberg_marquardt'");
}

/* tangent_only: yes */
static sn_status read_tangent_only(sn_study *s, const sn_item *i, sn_err *err)
{
    static const char *const words[] = {"no", "yes", "false", "true", NULL};
    int word = 0;
    SN_TRY(choice(i, words, &word, err));
    s->run.tangent_only = word % 2;
    return s->run.tangent_only && s->optimiser == SN_LBFGS
               ? sn_fail(
                     err, SN_ERR_INPUT, &i->key_mark,
                     "'tangent_only' is a way to find forward derivatives, 'optimiser: lbfgs' takes those of "
                     "the adjoint")
               : SN_OK;
}

static sn_status read_search(sn_study *s, const sn_item *root, sn_err *err)
{
    static const char *const methods[] = {"indirect", "direct", "adapted_direct", "kalman", NULL};
    static const char *const optimisers[] = {"levenberg_marquardt", "lbfgs", "cma_es", NULL};
    static const char *const losses[] = {"squares", "huber", NULL};
    static const char *const kinematics[] = {"splines", "differences", NULL};
    static const char *const refinements[] = {"no", "yes", "correct", NULL};
    const sn_item *h = sn_item_get(root, "horizon"), *starts = sn_item_get(root, "starts");
    double number = 1, seed = 1;
    int huber = 0;
    s->horizon = h || only_histories(s, root) ? 0 : -1, s->growth = 1.6, s->spread = 10, s->seed = 1,
    s->initial_window = 0.3;
    SN_TRY(choice(sn_item_get(root, "method"), methods, &s->method, err));
    SN_TRY(check_method(s, root, err));
    SN_TRY(sn_kalman_read(s, root, err));
    SN_TRY(choice(sn_item_get(root, "optimiser"), optimisers, &s->optimiser, err));
    SN_TRY(choice(sn_item_get(root, "loss"), losses, &huber, err));
    SN_TRY(read_intervals(s, sn_item_get(root, "intervals"), err));
    SN_TRY(choice(sn_item_get(root, "derivatives"), kinematics, &s->differences, err));
    SN_TRY(choice(sn_item_get(root, "refine"), refinements, &s->refine, err));
    SN_TRY(read_tangent_only(s, sn_item_get(root, "tangent_only"), err));
    if (s->given.refine && s->method == SN_INDIRECT) s->refine = SN_REFINE_YES;
    s->huber = huber ? 1.345 : 0;
    if (h && h->type == SN_ITEM_SCALAR && strcmp(h->text, "no") != 0)
        SN_TRY(number_of(s, root, &(number_key){"horizon", "s", 0, INFINITY}, &s->horizon, err));
    if (h && h->type == SN_ITEM_MAP) {
        SN_TRY(sn_read_keys(h, sn_keys_horizon, "horizon", err));
        if (!sn_item_get(h, "from")) s->horizon = -1;
        SN_TRY(number_of(s, h, &(number_key){"from", "s", 0, INFINITY}, &s->horizon, err));
        SN_TRY(number_of(s, h, &(number_key){"growth", "1", 0, INFINITY}, &s->growth, err));
        if (!(s->growth > 1))
            return sn_fail(err, SN_ERR_INPUT, &h->mark, "the horizon's growth must be above 1");
    }
    SN_TRY(read_windows(s, root, err));
    number = s->n_history ? 0 : -1; /* automatic; histories have too many values for starts by chance */
    if (starts && starts->type == SN_ITEM_SCALAR) SN_TRY(sn_read_unit(&s->arena, starts, "1", &number, err));
    if (starts && starts->type == SN_ITEM_MAP) {
        SN_TRY(sn_read_keys(starts, sn_keys_starts, "starts", err));
        SN_TRY(number_of(s, starts, &(number_key){"n", "1", -INFINITY, INFINITY}, &number, err));
        SN_TRY(number_of(s, starts, &(number_key){"spread", "1", -INFINITY, INFINITY}, &s->spread, err));
        SN_TRY(number_of(s, starts, &(number_key){"seed", "1", 0, INFINITY}, &seed, err));
    }
    if ((starts && number < 0) || number > 1e6 || !(s->spread > 1))
        return sn_fail(err, SN_ERR_INPUT, &starts->mark, "starts need a number from 0 and a spread above 1");
    s->starts = (int)number, s->seed = (unsigned long)seed;
    return number_of(s, root, &(number_key){"initial_window", "s", 0, INFINITY}, &s->initial_window, err);
}

static sn_status read_lists(sn_study *s, const sn_item *root, sn_err *err)
{
    const sn_item *efforts = sn_item_get(root, "efforts"), *instants = sn_item_get(root, "instants");
    if (efforts && efforts->type == SN_ITEM_LIST) {
        s->effort = sn_arena_alloc(&s->arena, (size_t)efforts->n + 1, sizeof *s->effort);
        if (!s->effort) return SN_OUT_OF_MEM(err);
        for (const sn_item *i = efforts->child; i; i = i->next) {
            int channel, before = sn_err_count(err);
            if (i->type != SN_ITEM_SCALAR)
                return sn_fail(err, SN_ERR_INPUT, &i->mark, "a channel is expected here");
            sn_status status = sn_channel_find(s->model, i->text, &channel, err);
            sn_err_place(err, before, &i->mark);
            SN_TRY(status);
            s->effort[s->n_effort++] = sn_arena_strndup(&s->arena, i->text, strlen(i->text));
        }
    }
    s->instants_mark = instants ? instants->mark : root->mark;
    if (instants && (instants->type != SN_ITEM_LIST || !instants->n))
        return sn_fail(err, SN_ERR_INPUT, &instants->mark, "instants are a list of times: [0.69 s, 2.83 s]");
    if (instants) {
        s->instant = sn_arena_alloc(&s->arena, (size_t)instants->n + 1, sizeof *s->instant);
        if (!s->instant) return SN_OUT_OF_MEM(err);
        for (const sn_item *i = instants->child; i; i = i->next)
            SN_TRY(sn_read_unit(&s->arena, i, "s", &s->instant[s->n_instant++], err));
    }
    return SN_OK;
}

/* try: yes, no, or words that name the numbers; from outside words only, "" for yes. */
static sn_status read_trying(sn_study *s, const sn_item *root, const sn_identify_options *given, sn_err *err)
{
    const sn_item *i = sn_item_get(root, "try");
    const char *words = given->tried ? given->tried : i ? i->text : NULL;
    sn_arena arena = {0};
    sn_candidates c;
    s->trying = SN_TRY_WHERE_BAD;
    if (!words) return SN_OK;
    s->trying = strcmp(words, "no") != 0 && strcmp(words, "false") != 0 ? SN_TRY_ALWAYS : SN_TRY_NEVER;
    if (s->trying == SN_TRY_NEVER) return SN_OK;
    if (s->method != SN_INDIRECT)
        return sn_fail(err, SN_ERR_INPUT, i && !given->tried ? &i->mark : NULL,
                       "numbers can be tried with 'method: indirect' only");
    if (!words[0] || !strcmp(words, "yes") || !strcmp(words, "true")) return SN_OK;
    s->tried = words;
    sn_status status = sn_candidates_list(s, words, &arena, &c, err);
    sn_arena_free(&arena);
    if (status || c.n) return status;
    return sn_fail(err, SN_ERR_INPUT, i && !given->tried ? &i->mark : NULL,
                   "'%s' names no number of the model that could be tried: its name and what 'sinew help' "
                   "says of it must have all of these words",
                   words);
}

static const char *unknown_name(int i, const void *ctx) { return ((const sn_study *)ctx)->unknown[i].name; }

/* What is sought, or follows from it, cannot be set. */
static sn_status check_set(const sn_study *s, int n, const char *const *text, sn_err *err)
{
    for (int i = 0; i < n; i++) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text[i], "="), text[i]);
        int id = sn_quantity_find(s->model, name), sought = 0, tied = 0;
        for (int k = 0; k < s->n_unknown; k++)
            sought |= s->unknown[k].kind == SN_OF_MODEL && s->unknown[k].id == id;
        for (int k = 0; k < s->n_tie; k++) tied |= s->tie[k].id == id;
        if (sought || tied)
            return sn_fail(err, SN_ERR_INPUT, NULL, "--set '%s': '%s' is %s", text[i], name,
                           sought ? "sought by the study: --start gives the place where that begins"
                                  : "tied to unknowns of the study");
    }
    return SN_OK;
}

static sn_status set_starts(sn_study *s, int n, const char *const *text, sn_err *err)
{
    for (int i = 0; i < n; i++) {
        const char *equal = strchr(text[i], '=');
        int found = 0;
        double x;
        if (!equal)
            return sn_fail(err, SN_ERR_INPUT, NULL, "--start '%s': write --start name=value", text[i]);
        const sn_item value = {.text = equal + 1, .mark = {"command line", equal + 1, 1, 1}};
        SN_TRY(sn_read_number(&s->arena, &value, &x, err));
        for (int k = 0; k < s->n_unknown; k++) {
            sn_unknown *u = &s->unknown[k];
            const sn_dimension want = sn_unknown_dimension(s, u);
            size_t length = (size_t)(equal - text[i]);
            int whole = strlen(u->name) == length && !strncmp(u->name, text[i], length);
            int every =
                u->parameter && strlen(u->parameter) == length && !strncmp(u->parameter, text[i], length);
            if (!whole && !every) continue;
            SN_TRY(sn_read_quantity(&s->arena, &value, &want, &u->start, err));
            found = 1;
            SN_TRY(sn_read_start_check(u, NULL, err));
        }
        if (!found) {
            char name[200];
            snprintf(name, sizeof name, "%.*s", (int)(equal - text[i]), text[i]);
            const char *near = sn_nearest(name, s->n_unknown, unknown_name, s);
            return sn_fail(err, SN_ERR_INPUT, NULL, "--start '%s': the study has no such unknown%s%s%s",
                           text[i], near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        }
    }
    return SN_OK;
}

/* Fewer numbers measured than sought? */
static sn_status check_count(const sn_study *s, sn_err *err)
{
    long data = 0;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        for (int k = 0; !x->hold_out && k < x->n * x->n_channel; k++) data += !isnan(x->y[k]);
    }
    for (int k = 0; k < s->n_unknown; k++) data += !isnan(s->unknown[k].prior);
    if (!s->n_fit && s->n_common)
        return sn_fail(err, SN_ERR_INPUT, &s->unknown[0].mark,
                       "all experiments are held out: none is left to find '%s' from", s->unknown[0].name);
    if (s->n_fit && data < s->n_unknown && !s->n_history)
        return sn_fail(err, SN_ERR_INPUT, NULL, "%d unknowns cannot be found from %ld measured numbers",
                       s->n_unknown, data);
    return SN_OK;
}

/* What a study is read for. */
enum { FOR_FIT, FOR_WINDOWS, FOR_DESIGN, FOR_STREAM };

static sn_status read_data(sn_study *s, const sn_item *root, const sn_identify_options *given, int purpose,
                           sn_err *err)
{
    if (purpose != FOR_DESIGN || sn_item_get(root, "data") || sn_item_get(root, "experiments"))
        SN_TRY(sn_read_experiments(s, root, given, err));
    if (purpose == FOR_DESIGN) return sn_design_read_experiment(s, root, err);
    return purpose == FOR_WINDOWS && s->windows > 1 ? sn_read_windows(s, err) : SN_OK;
}

static void drop_model(sn_study *s)
{
    for (int e = 0; e < s->n_experiment; e++) sn_values_free(s->experiment[e].values);
    sn_values_free(s->base);
    sn_model_free(s->model);
    s->experiment = NULL, s->n_experiment = s->n_fit = 0;
    s->base = NULL, s->model = NULL;
}

static sn_status read_all(sn_study *s, const char *path, const sn_identify_options *given, int purpose,
                          sn_err *err)
{
    sn_item *root;
    s->file = sn_arena_strndup(&s->arena, path, strlen(path));
    s->folder = sn_read_folder(&s->arena, path);
    if (!s->file || !s->folder) return SN_OUT_OF_MEM(err);
    SN_TRY(sn_yaml_read_kind("a study", "study: 1", path, &s->arena, &root, err));
    if (root->type != SN_ITEM_MAP || !sn_item_get(root, "study"))
        return sn_fail(err, SN_ERR_INPUT, &root->mark,
                       "this is no study file: it must begin with 'study: 1'");
    SN_TRY(sn_read_keys(root, sn_keys_study, "a study", err));
    const sn_item *title = sn_item_get(root, "title");
    s->title = title ? title->text : "";
    SN_TRY(sn_history_read(s, root, err));
    SN_TRY(sn_read_model(s, root, given, err));
    SN_TRY(read_search(s, root, err));
    if (s->stream) SN_TRY(sn_kalman_check_stream(s, root, err));
    SN_TRY(read_data(s, root, given, purpose, err));
    if (sn_history_unsized(s)) { /* how many values there are follows from the data */
        drop_model(s);
        SN_TRY(sn_read_model(s, root, given, err));
        SN_TRY(read_search(s, root, err));
        SN_TRY(read_data(s, root, given, purpose, err));
    }
    SN_TRY(sn_history_place(s, err));
    for (int k = 0; purpose == FOR_DESIGN && k < s->n_history; k++)
        if (s->history[k].series.most < 0)
            return sn_fail(err, SN_ERR_INPUT, &s->history[k].mark,
                           "a design needs the start of a series: {start: {frequency: [0.29 Hz, ...]}}");
    SN_TRY(sn_read_noise_check(s, root, err));
    s->sequential = (purpose == FOR_FIT && sn_kalman_takes_over(s)) || purpose == FOR_STREAM;
    SN_TRY(sn_read_unknowns(s, root, err));
    if (s->sequential) SN_TRY(sn_kalman_check(s, &root->mark, err));
    /* windows begin where nothing is known of the state, unless it is sought */
    if (s->windows > 1 && s->n_unknown == s->n_common)
        return sn_fail(err, SN_ERR_INPUT, &sn_item_get(root, "windows")->mark,
                       "windows need initial states of their own: unknowns of 'each: experiment'");
    SN_TRY(read_lists(s, root, err));
    SN_TRY(check_set(s, given->n_set, given->set, err));
    SN_TRY(set_starts(s, given->n_start, given->start, err));
    sn_study_halve(s, s->finer.halvings, &s->run);
    SN_TRY(read_trying(s, root, given, err));
    s->root = root;
    if (purpose == FOR_STREAM) return SN_OK;
    return purpose == FOR_DESIGN ? sn_design_read_goals(s, root, err) : check_count(s, err);
}

static sn_status keep_text(sn_arena *arena, const char **text, sn_err *err)
{
    return !*text || (*text = sn_arena_strndup(arena, *text, strlen(*text))) ? SN_OK : SN_OUT_OF_MEM(err);
}

static sn_status keep_texts(sn_arena *arena, int n, const char *const **list, sn_err *err)
{
    const char **own = sn_arena_alloc(arena, (size_t)n + 1, sizeof *own);
    if (!own) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < n; i++) {
        own[i] = (*list)[i];
        SN_TRY(keep_text(arena, &own[i], err));
    }
    *list = own;
    return SN_OK;
}

/* What is given, copied: the study may be read again. */
static sn_status keep_given(sn_study *s, const sn_identify_options *given, sn_err *err)
{
    sn_identify_options *o = &s->given;
    const char **const text[] = {&o->data,   &o->end,     &o->scheme, &o->solver,
                                 &o->folder, &o->command, &o->tried};
    *o = *given;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) SN_TRY(keep_text(&s->arena, text[i], err));
    SN_TRY(keep_texts(&s->arena, o->n_start, &o->start, err));
    return keep_texts(&s->arena, o->n_set, &o->set, err);
}

static sn_status read_for(const char *path, const sn_identify_options *given, int purpose,
                          const sn_refinement *finer, sn_study **out, sn_err *err)
{
    sn_study *s = *out; /* one that has something already, or NULL */
    *out = NULL;
    if (!s && !SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    s->divided = purpose == FOR_WINDOWS, s->finer = *finer;
    sn_status status = given ? keep_given(s, given, err) : SN_OK;
    if (!status) status = read_all(s, path, &s->given, purpose, err);
    if (status)
        sn_study_free(s);
    else
        *out = s;
    return status;
}

sn_status sn_study_read(const char *path, const sn_identify_options *given, int windows, sn_study **out,
                        sn_err *err)
{
    return sn_study_read_refined(path, given, windows, &(sn_refinement){.mesh = 1}, out, err);
}

sn_status sn_study_read_refined(const char *path, const sn_identify_options *given, int windows,
                                const sn_refinement *finer, sn_study **out, sn_err *err)
{
    *out = NULL;
    return read_for(path, given, windows ? FOR_WINDOWS : FOR_FIT, finer, out, err);
}

sn_status sn_study_read_design(const char *path, const sn_identify_options *given, sn_study **out,
                               sn_err *err)
{
    *out = NULL;
    return read_for(path, given, FOR_DESIGN, &(sn_refinement){.mesh = 1}, out, err);
}

sn_status sn_study_read_stream(const char *path, const sn_identify_options *given, sn_stream *stream,
                               sn_study **out, sn_err *err)
{
    if (!SN_NEW(*out, 1)) return SN_OUT_OF_MEM(err);
    (*out)->stream = stream;
    return read_for(path, given, FOR_STREAM, &(sn_refinement){.mesh = 1}, out, err);
}

void sn_study_free(sn_study *s)
{
    if (!s) return;
    drop_model(s);
    sn_arena_free(&s->arena);
    sn_free(s);
}
