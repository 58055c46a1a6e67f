/* Reads a file of cases: problems, variants, what is refined; and lists the cases. */
#include "compare/cases.h"
#include "compare/keys.h"
#include "identify/read.h"
#include "identify/run_words.h"

#include <math.h>
#include <string.h>

enum { MOST_CASES = 100000, ACROSS = 3 };

/* ---- numbers and words ---- */

static sn_status text_of(const sn_item *i, sn_err *err)
{
    if (i->type == SN_ITEM_SCALAR && i->text[0]) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' needs a text or a number", i->key);
}

/* Room for what two levels set; what is set later goes before what was set earlier. */
static sn_status make_room(sn_cases *c, sn_variant *v, int more, sn_err *err)
{
    sn_case_setting *set = sn_arena_alloc(&c->arena, (size_t)(v->n_set + more) + 1, sizeof *set);
    const sn_item **word = sn_arena_alloc(&c->arena, (size_t)(v->n_word + more) + 1, sizeof *word);
    if (!set || !word) return SN_OUT_OF_MEM(err);
    if (v->n_set) memcpy(set, v->set, (size_t)v->n_set * sizeof *set);
    if (v->n_word) memcpy(word, v->word, (size_t)v->n_word * sizeof *word);
    v->set = set, v->word = word;
    return SN_OK;
}

static sn_status add_setting(sn_cases *c, sn_variant *v, const char *prefix, const sn_item *i, sn_err *err)
{
    SN_TRY(text_of(i, err));
    char *set = sn_arena_printf(&c->arena, "%s%s=%s", prefix, i->key, i->text);
    if (!set) return SN_OUT_OF_MEM(err);
    v->set[v->n_set++] = (sn_case_setting){set, i};
    return SN_OK;
}

/* `set` and `run` of a problem, a variant or a reference. */
static sn_status add_settings(sn_cases *c, sn_variant *v, const sn_item *map, sn_err *err)
{
    const sn_item *set = sn_item_get(map, "set"), *run = sn_item_get(map, "run");
    sn_run_options check = {0};
    SN_TRY(make_room(c, v, (set ? set->n : 0) + (run ? run->n : 0), err));
    for (const sn_item *i = set ? set->child : NULL; i; i = i->next) SN_TRY(add_setting(c, v, "", i, err));
    for (const sn_item *i = run ? run->child : NULL; i; i = i->next) {
        SN_TRY(text_of(i, err));
        if (sn_run_word_is(i->key)) {
            SN_TRY(sn_run_word_set(i->key, i->text, &i->mark, &check, err));
            v->word[v->n_word++] = i;
        } else {
            SN_TRY(add_setting(c, v, "run.", i, err));
        }
    }
    return SN_OK;
}

static sn_status add_model(sn_cases *c, sn_variant *v, const sn_item *map, sn_err *err)
{
    const sn_item *i = sn_item_get(map, "model");
    if (!i) return SN_OK;
    SN_TRY(text_of(i, err));
    v->model = sn_read_path(&c->arena, c->folder, i->text), v->model_item = i;
    return v->model ? SN_OK : SN_OUT_OF_MEM(err);
}

/* ---- what is refined ---- */

static sn_status read_refined(sn_cases *c, const sn_item *list, sn_refined *r, sn_err *err)
{
    if (list->type != SN_ITEM_LIST || !list->n)
        return sn_fail(err, SN_ERR_INPUT, &list->mark, "'%s' needs a list of values, from coarse to fine",
                       list->key);
    if (list->n > SN_CASE_VALUES)
        return sn_fail(err, SN_ERR_INPUT, &list->mark, "'%s' has %d values, more than %d", list->key, list->n,
                       SN_CASE_VALUES);
    *r = (sn_refined){.name = list->key};
    for (const sn_item *i = list->child; i; i = i->next, r->n++) {
        SN_TRY(sn_read_number(&c->arena, i, &r->size[r->n], err));
        r->text[r->n] = i->text;
        if (!(r->size[r->n] > 0)) return sn_fail(err, SN_ERR_INPUT, &i->mark, "what is refined is above 0");
        int k = r->n;
        if (k && (r->size[k] == r->size[k - 1] ||
                  (k > 1 && (r->size[k] > r->size[k - 1]) != (r->size[1] > r->size[0]))))
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "the values of '%s' must go one way", list->key);
    }
    return SN_OK;
}

static sn_status add_refined(sn_cases *c, sn_variant *v, const sn_item *map, sn_err *err)
{
    const sn_item *refine = sn_item_get(map, "refine");
    if (!refine) return SN_OK;
    v->n_refined = 0;
    if (refine->n > SN_CASE_REFINED)
        return sn_fail(err, SN_ERR_INPUT, &refine->mark, "at most %d numbers can be refined",
                       SN_CASE_REFINED);
    for (const sn_item *i = refine->child; i; i = i->next)
        SN_TRY(read_refined(c, i, &v->refined[v->n_refined++], err));
    return SN_OK;
}

/* ---- variants ---- */

static sn_status read_variant(sn_cases *c, const sn_item *problem, const sn_item *own, sn_variant *v,
                              sn_err *err)
{
    *v = (sn_variant){.name = own->key};
    if (own->type != SN_ITEM_MAP)
        return sn_fail(err, SN_ERR_INPUT, &own->mark, "a variant is a map: {model: FILE}");
    SN_TRY(sn_read_keys(own, sn_keys_variant, "a variant", err));
    SN_TRY(add_model(c, v, problem, err));
    SN_TRY(add_model(c, v, own, err));
    if (!v->model) return sn_fail(err, SN_ERR_INPUT, &own->key_mark, "'%s' has no 'model: FILE'", own->key);
    SN_TRY(add_settings(c, v, problem, err));
    SN_TRY(add_settings(c, v, own, err));
    SN_TRY(add_refined(c, v, problem, err));
    return add_refined(c, v, own, err);
}

/* All variants with each word of the lists: their names get the words. */
static sn_status cross(sn_cases *c, sn_problem *p, const sn_item *list, sn_err *err)
{
    const int n = p->n_variant;
    sn_run_options check = {0};
    if (list->type != SN_ITEM_LIST || !list->n)
        return sn_fail(err, SN_ERR_INPUT, &list->mark, "'%s' needs a list of words", list->key);
    if (!sn_run_word_is(list->key))
        return sn_fail(err, SN_ERR_INPUT, &list->key_mark,
                       "'%s' is no word of the section run: scheme, "
                       "constraints, solver, redundant, start",
                       list->key);
    sn_variant *all = sn_arena_alloc(&c->arena, (size_t)n * (size_t)list->n, sizeof *all);
    if (!all) return SN_OUT_OF_MEM(err);
    p->n_variant = 0;
    for (int k = 0; k < n; k++)
        for (sn_item *i = list->child; i; i = i->next) {
            sn_variant *v = &all[p->n_variant++];
            if (i->type != SN_ITEM_SCALAR)
                return sn_fail(err, SN_ERR_INPUT, &i->mark, "a word is expected here");
            *v = p->variant[k];
            i->key = list->key;
            SN_TRY(sn_run_word_set(i->key, i->text, &i->mark, &check, err));
            SN_TRY(make_room(c, v, 1, err));
            v->word[v->n_word++] = i;
            v->name = sn_arena_printf(&c->arena, "%s, %s", v->name, i->text);
            if (!v->name) return SN_OUT_OF_MEM(err);
        }
    p->variant = all;
    return SN_OK;
}

static sn_status read_variants(sn_cases *c, sn_problem *p, const sn_item *map, sn_err *err)
{
    const sn_item *list = sn_item_get(map, "variants"), *across = sn_item_get(map, "across");
    if (!list || !list->n)
        return sn_fail(err, SN_ERR_INPUT, list ? &list->mark : &map->mark,
                       "a problem needs variants: {NAME: {model: FILE}, ...}");
    p->variant = sn_arena_alloc(&c->arena, (size_t)list->n, sizeof *p->variant);
    if (!p->variant) return SN_OUT_OF_MEM(err);
    for (const sn_item *i = list->child; i; i = i->next)
        SN_TRY(read_variant(c, map, i, &p->variant[p->n_variant++], err));
    for (const sn_item *i = across ? across->child : NULL; i; i = i->next) SN_TRY(cross(c, p, i, err));
    return SN_OK;
}

/* ---- references ---- */

static const char *variant_name(int i, const void *ctx) { return ((const sn_problem *)ctx)->variant[i].name; }

static sn_status find_variant(const sn_problem *p, const sn_item *i, int *of, sn_err *err)
{
    for (*of = 0; *of < p->n_variant; ++*of)
        if (!strcmp(i->text, p->variant[*of].name)) return SN_OK;
    const char *near = sn_nearest(i->text, p->n_variant, variant_name, p);
    return sn_fail(err, SN_ERR_INPUT, &i->mark, "the problem has no variant '%s'%s%s%s", i->text,
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static sn_status read_finer(sn_cases *c, sn_problem *p, const sn_item *i, sn_err *err)
{
    const sn_item *name = sn_item_get(i, "variant");
    SN_TRY(sn_read_keys(i, sn_keys_case_reference, "a reference", err));
    if (!name) return sn_fail(err, SN_ERR_INPUT, &i->mark, "a reference names its variant");
    SN_TRY(find_variant(p, name, &p->of, err));
    p->reference = SN_REFERENCE_VARIANT;
    if (!sn_item_get(i, "set") && !sn_item_get(i, "run")) return SN_OK;
    p->finer = sn_arena_alloc(&c->arena, 1, sizeof *p->finer);
    if (!p->finer) return SN_OUT_OF_MEM(err);
    *p->finer = p->variant[p->of];
    return add_settings(c, p->finer, i, err);
}

static sn_status read_reference(sn_cases *c, sn_problem *p, const sn_item *i, sn_err *err)
{
    p->reference = SN_REFERENCE_LIMIT;
    if (!i) return SN_OK;
    if (i->type == SN_ITEM_MAP) return read_finer(c, p, i, err);
    if (i->type == SN_ITEM_LIST) {
        int n = 0;
        if (i->n != p->n_quantity)
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "%d numbers for %d quantities", i->n, p->n_quantity);
        p->reference = SN_REFERENCE_NUMBERS;
        for (const sn_item *k = i->child; k; k = k->next)
            SN_TRY(sn_read_number(&c->arena, k, &p->number[n++], err));
        return SN_OK;
    }
    if (!strcmp(i->text, "limit")) return SN_OK;
    p->reference = SN_REFERENCE_FINEST;
    if (!strcmp(i->text, "finest")) return SN_OK;
    p->reference = SN_REFERENCE_VARIANT;
    return find_variant(p, i, &p->of, err);
}

/* ---- problems ---- */

static sn_status read_quantities(sn_problem *p, const sn_item *map, sn_err *err)
{
    const sn_item *list = sn_item_get(map, "quantities");
    if (!list || !list->n)
        return sn_fail(err, SN_ERR_INPUT, list ? &list->mark : &map->mark,
                       "a problem needs quantities: [tip.x@1, ...]");
    if (list->n > SN_CASE_QUANTITIES)
        return sn_fail(err, SN_ERR_INPUT, &list->mark, "at most %d quantities", SN_CASE_QUANTITIES);
    for (const sn_item *i = list->child; i; i = i->next) {
        if (i->type != SN_ITEM_SCALAR || !i->text[0])
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "a quantity is sensor.component@time");
        const char *at = strchr(i->text, '@');
        if (p->is_static && at)
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s': an equilibrium has no times", i->text);
        if (!p->is_static && !at)
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' needs a time: '%s@1 s'", i->text, i->text);
        p->quantity[p->n_quantity++] = i;
    }
    return SN_OK;
}

static sn_status read_problem(sn_cases *c, const sn_item *map, sn_problem *p, sn_err *err)
{
    const sn_item *i;
    if (map->type != SN_ITEM_MAP) return sn_fail(err, SN_ERR_INPUT, &map->mark, "a problem is a map");
    SN_TRY(sn_read_keys(map, sn_keys_problem, "a problem", err));
    p->name = map->key, p->scale = 1;
    p->title = (i = sn_item_get(map, "title")) ? i->text : map->key;
    p->note = (i = sn_item_get(map, "note")) && i->type == SN_ITEM_SCALAR ? i->text : "";
    i = sn_item_get(map, "analysis");
    if (i && strcmp(i->text, "run") != 0 && strcmp(i->text, "static") != 0)
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "analysis: run or static");
    p->is_static = i && !strcmp(i->text, "static");
    if ((i = sn_item_get(map, "scale"))) {
        SN_TRY(sn_read_number(&c->arena, i, &p->scale, err));
        if (!(p->scale > 0) || !isfinite(p->scale))
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "a scale is above 0");
    }
    SN_TRY(read_quantities(p, map, err));
    SN_TRY(read_variants(c, p, map, err));
    return read_reference(c, p, sn_item_get(map, "reference"), err);
}

/* ---- cases ---- */

static int wanted(const sn_problem *p, const sn_variant *v, const sn_cases_options *o)
{
    const size_t n = strlen(p->name);
    for (int i = 0; i < o->n_only; i++) {
        const char *x = o->only[i];
        if (!strcmp(x, p->name)) return 1;
        if (!strncmp(x, p->name, n) && x[n] == '/' && (!v || !strcmp(x + n + 1, v->name))) return 1;
    }
    return !o->n_only;
}

static sn_case *add_case(sn_cases *c, sn_problem *p, const sn_variant *v, int is_reference)
{
    sn_case *x = &c->item[c->n_case++];
    *x = (sn_case){.problem = p, .variant = v, .is_reference = is_reference};
    for (int k = 0; k < v->n_refined; k++) x->value[k] = is_reference ? 0 : v->refined[k].n - 1;
    p->n++;
    return x;
}

/* Each number from coarse to fine with the others at their last value, which all of them share. */
static void list_variant(sn_cases *c, sn_problem *p, const sn_variant *v)
{
    for (int k = 0; k < v->n_refined; k++)
        for (int i = 0; i + 1 < v->refined[k].n; i++) add_case(c, p, v, 0)->value[k] = i;
    add_case(c, p, v, 0);
}

static sn_status list_cases(sn_cases *c, const sn_cases_options *o, sn_err *err)
{
    size_t n = 0;
    for (int i = 0; i < c->n_problem; i++)
        n += (size_t)c->problem[i].n_variant * (SN_CASE_REFINED * SN_CASE_VALUES + 1) + 1;
    if (n > (size_t)MOST_CASES * SN_CASE_VALUES)
        return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = c->file}, "these are too many cases");
    c->item = sn_arena_alloc(&c->arena, n, sizeof *c->item);
    if (!c->item) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < c->n_problem; i++) {
        sn_problem *p = &c->problem[i];
        p->first = c->n_case;
        if (!wanted(p, NULL, o)) continue;
        if (p->finer) add_case(c, p, p->finer, 1);
        for (int v = 0; v < p->n_variant; v++)
            if (wanted(p, &p->variant[v], o) ||
                (p->reference == SN_REFERENCE_VARIANT && p->of == v && !p->finer))
                list_variant(c, p, &p->variant[v]);
    }
    return c->n_case ? SN_OK
                     : sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = c->file},
                               "'%s' is no problem of the file", o->only[0]);
}

void sn_case_words(const sn_case *x, char *text, size_t size)
{
    size_t n = 0;
    text[0] = 0;
    for (int k = 0; k < x->variant->n_refined && n < size; k++) {
        const sn_refined *r = &x->variant->refined[k];
        if (x->is_reference) continue;
        n += (size_t)snprintf(text + n, size - n, "%s%s %s", n ? ", " : "", r->name, r->text[x->value[k]]);
    }
    if (x->is_reference) snprintf(text, size, "reference");
}

static sn_status read_all(sn_cases *c, const sn_cases_options *o, sn_err *err)
{
    sn_item *root;
    const sn_item *i;
    double repeat = 3;
    SN_TRY(sn_yaml_read_kind("a file of cases", "compare: 1", c->file, &c->arena, &root, err));
    if (root->type != SN_ITEM_MAP || !(i = sn_item_get(root, "compare")) || strcmp(i->text, "1") != 0)
        return sn_fail(err, SN_ERR_INPUT, &root->mark, "a file of cases begins with 'compare: 1'");
    SN_TRY(sn_read_keys(root, sn_keys_cases, "a file of cases", err));
    c->title = (i = sn_item_get(root, "title")) ? i->text : "Formulations side by side";
    if ((i = sn_item_get(root, "repeat"))) SN_TRY(sn_read_number(&c->arena, i, &repeat, err));
    if (!(repeat >= 1 && repeat <= 1000))
        return sn_fail(err, SN_ERR_INPUT, i ? &i->mark : NULL, "'repeat' is a number from 1 to 1000");
    c->repeat = o->repeat ? o->repeat : (int)repeat;
    i = sn_item_get(root, "problems");
    if (!i || !i->n) return sn_fail(err, SN_ERR_INPUT, i ? &i->mark : &root->mark, "there are no problems");
    c->problem = sn_arena_alloc(&c->arena, (size_t)i->n, sizeof *c->problem);
    if (!c->problem) return SN_OUT_OF_MEM(err);
    for (i = i->child; i; i = i->next) SN_TRY(read_problem(c, i, &c->problem[c->n_problem++], err));
    return list_cases(c, o, err);
}

sn_status sn_cases_read(const char *file, const sn_cases_options *o, sn_cases **out, sn_err *err)
{
    sn_cases *c;
    *out = NULL;
    if (!SN_NEW(c, 1)) return SN_OUT_OF_MEM(err);
    c->file = sn_arena_printf(&c->arena, "%s", file);
    c->folder = c->file ? sn_read_folder(&c->arena, c->file) : NULL;
    sn_status s = c->folder ? read_all(c, o, err) : SN_OUT_OF_MEM(err);
    if (s) {
        sn_cases_free(c);
        return s;
    }
    *out = c;
    return SN_OK;
}

void sn_cases_free(sn_cases *c)
{
    if (!c) return;
    sn_arena_free(&c->arena);
    sn_free(c);
}
