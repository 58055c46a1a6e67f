/* The model of a study, with the numbers and the run that the study sets in place of the model's own. */
#include "identify/history.h"
#include "identify/read.h"
#include "reduce/read.h"

#include <string.h>

static sn_status apply_one(sn_values *v, const sn_item *i, const char *prefix, sn_err *err)
{
    char name[256];
    int before = sn_err_count(err);
    snprintf(name, sizeof name, "%s%s", prefix, i->key);
    if (i->type != SN_ITEM_SCALAR) return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' needs a number", i->key);
    if (sn_model_is_structural(v->model, name)) return SN_OK; /* the model was read with it */
    sn_status s = sn_values_set(v, name, i->text, err);
    sn_err_place(err, before, &i->key_mark);
    return s;
}

static sn_status apply(sn_values *v, const sn_item *map, const char *prefix, sn_err *err)
{
    if (map && map->type != SN_ITEM_MAP)
        return sn_fail(err, SN_ERR_INPUT, &map->mark, "a map {name: value, ...} is expected here");
    for (const sn_item *i = map ? map->child : NULL; i; i = i->next) SN_TRY(apply_one(v, i, prefix, err));
    return SN_OK;
}

static const char *start_name(int i, const char **doc)
{
    static const char *const name[] = {"given", "static"};
    *doc = NULL;
    return i < 2 ? name[i] : NULL;
}

static const char *redundant_name(int i, const char **doc)
{
    static const char *const name[] = {"error", "drop", "share"}; /* in the order of SN_REDUNDANT_... */
    *doc = NULL;
    return i < 3 ? name[i] : NULL;
}

static const char *constraints_name(int i, const char **doc)
{
    static const char *const name[] = {"multipliers", "penalty", "augmented"}; /* as SN_CONSTRAINTS_... */
    *doc = NULL;
    return i < 3 ? name[i] : NULL;
}

/* The words of a run, and the lists of what they may be. */
static const struct run_word {
    const char *key, *(*get)(int, const char **);
} run_words[] = {{"scheme", sn_scheme_name},
                 {"solver", sn_solver_name},
                 {"start", start_name},
                 {"redundant", redundant_name},
                 {"constraints", constraints_name}};
enum { SCHEME, SOLVER, START, REDUNDANT, CONSTRAINTS, RUN_WORDS };

static int run_word(const char *key)
{
    int k = 0;
    while (k < RUN_WORDS && strcmp(key, run_words[k].key) != 0) k++;
    return k;
}

/* A word of a list by its number, or an error with all of them. */
static sn_status known_word(int which, const char *word, const sn_mark *where, int *number, sn_err *err)
{
    const char *doc, *name;
    char all[300] = "";
    for (int i = 0; (name = run_words[which].get(i, &doc)); i++) {
        *number = i;
        if (!strcmp(name, word)) return SN_OK;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", name);
    }
    return sn_fail(err, SN_ERR_INPUT, where, "unknown %s '%s': it is one of %s", run_words[which].key, word,
                   all);
}

/* run: numbers are values, words options in place of the model's */
static sn_status run_numbers(sn_study *s, const sn_item *map, sn_err *err)
{
    for (const sn_item *i = map ? map->child : NULL; i; i = i->next)
        if (run_word(i->key) == RUN_WORDS) SN_TRY(apply_one(s->base, i, "run.", err));
    return SN_OK;
}

static sn_status run_texts(sn_study *s, const sn_item *map, const sn_identify_options *given, sn_err *err)
{
    int number;
    for (const sn_item *i = map ? map->child : NULL; i; i = i->next) {
        int which = run_word(i->key);
        if (which == RUN_WORDS) continue;
        if (i->type != SN_ITEM_SCALAR) return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' is a word", i->key);
        SN_TRY(known_word(which, i->text, &i->mark, &number, err));
        if (which == SCHEME) s->run.scheme = i->text;
        if (which == SOLVER) s->run.solver = i->text;
        if (which == START) s->run.start_static = number;
        if (which == REDUNDANT) s->run.drop_redundant = number;
        if (which == CONSTRAINTS) s->run.constraints = number;
    }
    if (given->scheme) SN_TRY(known_word(SCHEME, s->run.scheme = given->scheme, NULL, &number, err));
    if (given->solver) SN_TRY(known_word(SOLVER, s->run.solver = given->solver, NULL, &number, err));
    return SN_OK;
}

/* "name=value" of the study's own settings, then of those that were given. */
static sn_status settings(sn_study *s, const sn_item *own, const sn_identify_options *given, int *n,
                          const char ***out, sn_err *err)
{
    const int most = (own ? own->n : 0) + given->n_set;
    const char **list = sn_arena_alloc(&s->arena, (size_t)most + 1, sizeof *list);
    *n = 0, *out = list;
    if (!list) return SN_OUT_OF_MEM(err);
    for (const sn_item *i = own ? own->child : NULL; i; i = i->next)
        if (i->type == SN_ITEM_SCALAR &&
            !(list[(*n)++] = sn_arena_printf(&s->arena, "%s=%s", i->key, i->text)))
            return SN_OUT_OF_MEM(err);
    for (int i = 0; i < given->n_set; i++) list[(*n)++] = given->set[i];
    return SN_OK;
}

sn_status sn_read_model(sn_study *s, const sn_item *root, const sn_identify_options *given, sn_err *err)
{
    const sn_item *i = sn_item_get(root, "model");
    if (!i || i->type != SN_ITEM_SCALAR || !i->text[0])
        return sn_fail(err, SN_ERR_INPUT, i ? &i->mark : &root->mark, "a study needs 'model: FILE'");
    const char *path = sn_read_path(&s->arena, s->folder, i->text);
    if (!path) return SN_OUT_OF_MEM(err);
    const sn_item *own = sn_item_get(root, "set");
    const char **set;
    int n_set;
    SN_TRY(settings(s, own, given, &n_set, &set, err));
    SN_TRY(sn_history_model(s, path, n_set, set, err));
    SN_TRY(sn_values_new(s->model, &s->base, err));
    SN_TRY(apply(s->base, own, "", err));
    SN_TRY(run_numbers(s, sn_item_get(root, "run"), err));
    SN_TRY(sn_read_given(s->base, given, err));
    SN_TRY(sn_values_update(s->base, err));
    s->run = sn_run_options_default(s->model, s->base);
    SN_TRY(run_texts(s, sn_item_get(root, "run"), given, err));
    const sn_scheme *scheme;
    double settings[SN_MAX_SETTINGS];
    return sn_scheme_find(s->run.scheme, &scheme)
               ? sn_scheme_settings(scheme, s->base, &s->run, settings, err)
               : SN_OK;
}
