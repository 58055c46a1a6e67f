/* The model of a study, with the numbers and the run that the study sets in place of the model's own. */
#include "identify/history.h"
#include "identify/read.h"
#include "identify/run_words.h"
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

/* run: numbers are values, words options in place of the model's */
static sn_status run_numbers(sn_study *s, const sn_item *map, sn_err *err)
{
    for (const sn_item *i = map ? map->child : NULL; i; i = i->next)
        if (!sn_run_word_is(i->key)) SN_TRY(apply_one(s->base, i, "run.", err));
    return SN_OK;
}

static sn_status run_texts(sn_study *s, const sn_item *map, const sn_identify_options *given, sn_err *err)
{
    for (const sn_item *i = map ? map->child : NULL; i; i = i->next) {
        if (!sn_run_word_is(i->key)) continue;
        if (i->type != SN_ITEM_SCALAR) return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' is a word", i->key);
        SN_TRY(sn_run_word_set(i->key, i->text, &i->mark, &s->run, err));
    }
    if (given->scheme) SN_TRY(sn_run_word_set("scheme", given->scheme, NULL, &s->run, err));
    return given->solver ? sn_run_word_set("solver", given->solver, NULL, &s->run, err) : SN_OK;
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
