/* `reduce: {model: rod.yaml, interfaces: [a, b], modes: 8}` in place of the file of a reduced body: the
   recipe is read here, and made by whom the reader of the model names. A body with the same recipe is made
   once. */
#include "base/part.h"
#include "model/compile.h"
#include "model/reduced_body.h"
#include "model/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct recipe {
    sn_compiler *c;
    const sn_entry *e;
    sn_reduce_options *o;
} recipe;

static sn_status wrong(const recipe *r, const sn_item *k, const char *what)
{
    return sn_fail(r->c->err, SN_ERR_INPUT, &k->mark, "'%s' of '%s': %s", k->key, r->e->name, what);
}

/* A file beside the one in which the entry stands */
static sn_status take_path(const recipe *r, const sn_item *k, const char **out)
{
    if (k->type != SN_ITEM_SCALAR || !k->text[0]) return wrong(r, k, "the name of a file is expected");
    *out = sn_file_path(r->c, r->e, k->text);
    if (!*out) return SN_OUT_OF_MEM(r->c->err);
    size_t n; /* body.h5:/M */
    const char *file = sn_part_of(*out, &n) ? sn_arena_strndup(&r->c->m->arena, *out, n) : *out;
    return file ? sn_model_has_read(r->c->m, file, r->c->err) : SN_OUT_OF_MEM(r->c->err);
}

/* A list [a, b] or a text "a, b" as one text */
static sn_status take_list(const recipe *r, const sn_item *k, const char **out)
{
    const char *text = k->text;
    if (k->type == SN_ITEM_MAP) return wrong(r, k, "a list of names is expected");
    for (const sn_item *i = k->type == SN_ITEM_LIST ? k->child : NULL; i; i = i->next) {
        if (i->type != SN_ITEM_SCALAR || !i->text[0]) return wrong(r, k, "a list of names is expected");
        text = i == k->child ? i->text : sn_arena_printf(&r->c->m->arena, "%s, %s", text, i->text);
        if (!text) return SN_OUT_OF_MEM(r->c->err);
    }
    *out = text;
    return SN_OK;
}

static sn_status take_number(const recipe *r, const sn_item *k, double *out)
{
    char *end = NULL;
    double factor = 1;
    sn_dim dim = {0, 0, 0};
    *out = k->type == SN_ITEM_SCALAR ? strtod(k->text, &end) : -1;
    if (end) end += strspn(end, " \t");
    if (!end || end == k->text || (*end && sn_unit_whole(end, &factor, &dim)) || !isfinite(*out) || *out < 0)
        return wrong(r, k, "a number is expected that is not negative");
    *out *= factor;
    if (*end && (dim.m || dim.kg || dim.s != -1)) return wrong(r, k, "a frequency is expected: 500 Hz");
    return SN_OK;
}

static sn_status take_flag(const recipe *r, const sn_item *k, const char *yes, int *out)
{
    static const char *const no[] = {"no", "false", "start"};
    *out = !strcmp(k->text, yes) || (!strcmp(yes, "yes") && !strcmp(k->text, "true"));
    for (int i = 0; i < 3 && !*out; i++)
        if (!strcmp(k->text, no[i])) return SN_OK;
    return *out ? SN_OK
                : wrong(r, k, strcmp(yes, "yes") ? "'static' is expected" : "'yes' or 'no' is expected");
}

/* Numbers of the model that is reduced: constants. What depends on parameters of this one would have to be
   reduced anew whenever they change. */
static sn_status take_set(const recipe *r, const sn_item *k)
{
    sn_arena *arena = &r->c->m->arena;
    const char **list = sn_arena_alloc(arena, (size_t)k->n + 1, sizeof *list);
    if (!list) return SN_OUT_OF_MEM(r->c->err);
    if (k->type != SN_ITEM_MAP) return wrong(r, k, "numbers of the model are expected: {E: 2e11}");
    for (const sn_item *i = k->child; i; i = i->next) {
        char *end = NULL;
        double factor;
        sn_dim dim;
        if (i->type == SN_ITEM_SCALAR) strtod(i->text, &end);
        if (end) end += strspn(end, " \t");
        if (!end || end == i->text || (*end && sn_unit_whole(end, &factor, &dim)))
            return sn_fail(
                r->c->err, SN_ERR_INPUT, &i->mark,
                "'%s' of '%s': a reduced body takes plain numbers only, since it is made once; what may "
                "depend on parameters are 'stiffness', 'density' and 'damping' of the body",
                i->key, r->e->name);
        list[r->o->n_set] = sn_arena_printf(arena, "%s=%s", i->key, i->text);
        if (!list[r->o->n_set++]) return SN_OUT_OF_MEM(r->c->err);
    }
    r->o->set = list;
    return SN_OK;
}

/* {left: [0, 0, 0]} */
static sn_status take_places(const recipe *r, const sn_item *k)
{
    sn_arena *arena = &r->c->m->arena;
    const char **list = sn_arena_alloc(arena, (size_t)k->n + 1, sizeof *list);
    if (!list) return SN_OUT_OF_MEM(r->c->err);
    if (k->type != SN_ITEM_MAP) return wrong(r, k, "places are expected: {left: [0, 0, 0]}");
    for (const sn_item *i = k->child; i; i = i->next) {
        const char *text;
        SN_TRY(take_list(r, i, &text));
        list[r->o->n_place] = sn_arena_printf(arena, "%s=%s", i->key, text);
        if (!list[r->o->n_place++]) return SN_OUT_OF_MEM(r->c->err);
    }
    r->o->place = list;
    return SN_OK;
}

static const char *const keys[] = {"model",    "mass",       "stiffness", "nodes", "dofs",
                                   "recovery", "interfaces", "points",    "modes", "up_to",
                                   "free",     "at",         "set",       "place", "units"};
enum { N_KEYS = sizeof keys / sizeof *keys };
static const char *key_name(int i, const void *ctx)
{
    (void)ctx;
    return keys[i];
}

static sn_status take_key(const recipe *r, const sn_item *k)
{
    sn_reduce_options *o = r->o;
    const char **file[] = {&o->model, &o->mass, &o->stiffness, &o->nodes, &o->dofs, &o->recovery};
    double x;
    int i = 0;
    while (i < N_KEYS && strcmp(k->key, keys[i]) != 0) i++;
    if (i < 6) return take_path(r, k, file[i]);
    switch (i) {
    case 6:
        return take_list(r, k, &o->interfaces);
    case 7:
        return take_list(r, k, &o->points);
    case 8:
        SN_TRY(take_number(r, k, &x));
        if (x != floor(x) || x > 1e6) return wrong(r, k, "a whole number is expected");
        o->modes = (int)x;
        return SN_OK;
    case 9:
        return take_number(r, k, &o->up_to);
    case 10:
        return take_flag(r, k, "yes", &o->free);
    case 11:
        return take_flag(r, k, "static", &o->at_static);
    case 12:
        return take_set(r, k);
    case 13:
        return take_places(r, k);
    case 14:
        return take_list(r, k, &o->units);
    default:
        break;
    }
    const char *near = sn_nearest(k->key, N_KEYS, key_name, NULL);
    return sn_fail(r->c->err, SN_ERR_INPUT, &k->key_mark, "'%s': unknown key '%s' of 'reduce'%s%s%s",
                   r->e->name, k->key, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static const char *joined(sn_arena *arena, const char *before, int n, const char *const *text)
{
    for (int i = 0; i < n && before; i++) before = sn_arena_printf(arena, "%s|%s", before, text[i]);
    return before;
}

/* All of a recipe in one text: what is the same is made once */
static const char *recipe_key(const recipe *r)
{
    const sn_reduce_options *o = r->o;
    const char *const text[] = {o->model,    o->mass,       o->stiffness, o->nodes, o->dofs,
                                o->recovery, o->interfaces, o->points,    o->units};
    sn_arena *arena = &r->c->m->arena;
    const char *key =
        sn_arena_printf(arena, "reduce %d %.17g %d %d", o->modes, o->up_to, o->free, o->at_static);
    for (size_t i = 0; i < sizeof text / sizeof *text && key; i++)
        key = sn_arena_printf(arena, "%s|%s", key, text[i] ? text[i] : "");
    return joined(arena, joined(arena, key, o->n_set, o->set), o->n_place, o->place);
}

static void *block_alloc(sn_block *b, size_t n, size_t size) { return sn_arena_alloc(b->owner, n, size); }

static sn_status made(const recipe *r, const sn_item *k, const void **data)
{
    sn_model *m = r->c->m;
    const char *key = recipe_key(r);
    sn_block block = {.alloc = block_alloc, .owner = &m->arena};
    const int before = r->c->err->count;
    if (!key) return SN_OUT_OF_MEM(r->c->err);
    for (int i = 0; i < m->n_block; i++)
        if (!m->block[i].cls && !strcmp(m->block[i].path, key)) {
            *data = m->block[i].data;
            return SN_OK;
        }
    sn_status s = r->c->load->reduce(r->o, &block, r->c->err);
    if (s) {
        sn_err_prefix(r->c->err, before, "'%s' cannot be reduced", r->e->name);
        sn_err_place(r->c->err, before, &k->mark);
        return s;
    }
    if (sn_grow(&m->block, &m->cap_block, m->n_block + 1, sizeof *m->block)) return SN_OUT_OF_MEM(r->c->err);
    m->block[m->n_block++] = (struct sn_file_read){NULL, key, block.data};
    *data = block.data;
    return SN_OK;
}

int sn_reduces_in_place(const sn_element_class *cls)
{
    return cls->file && cls->file->read == sn_reduced_body_read;
}

sn_status sn_entry_reduce(sn_compiler *c, sn_entry *e, const sn_item *k)
{
    sn_reduce_options o = {.size = sizeof o, .modes = -1};
    const recipe r = {c, e, &o};
    if (k->type != SN_ITEM_MAP)
        return wrong(&r, k, "a recipe is expected: {model: rod.yaml, interfaces: [a, b], modes: 8}");
    if (!c->load->reduce)
        return wrong(&r, k, "bodies of a model that is reduced itself cannot be reduced bodies");
    for (const sn_item *i = k->child; i; i = i->next) SN_TRY(take_key(&r, i));
    return made(&r, k, &e->block);
}
