/* `include`: another model file, its names with a prefix, its nodes moved and turned, its parameters
   overridden.

   include: [{file: leg.yaml, prefix: left_, at: [0.3, 0], angle: 20 deg, set: {k: 2*k0}}]
   include: [{file: arm.yaml, prefix: left_, at: [0.3, 0, 0], angles: [0, 20 deg, 90 deg]}]
   Gravity, run, and title of the included file are not used, so that it can be run by itself as well. */
#include "model/compile.h"

#include <string.h>

enum { MAX_DEPTH = 16, MAX_FILES = 1000 };

static const char *folder_of(sn_compiler *c, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? sn_arena_strndup(&c->m->arena, path, (size_t)(slash - path) + 1) : "";
}

/* The list [x, y, z] of a placement, or what is wrong with it. */
static sn_status vector(sn_compiler *c, const sn_item *list, int least, const char *text)
{
    int good = !list || (list->type == SN_ITEM_LIST && list->n >= least && list->n <= 3);
    return good ? SN_OK : sn_fail(c->err, SN_ERR_INPUT, &list->mark, "'%s' is %s", list->key, text);
}

static const sn_item *component(const sn_item *list, int i)
{
    const sn_item *k = list ? list->child : NULL;
    while (k && i-- > 0) k = k->next;
    return k;
}

/* One number of a placement; k NULL: it is 0. */
static sn_status place_number(sn_compiler *c, const char *prefix, const sn_slot *slot, const sn_item *k,
                              const sn_mark *mark, const sn_scope *outer, int *id)
{
    const char *name = sn_arena_printf(&c->m->arena, "include.%s.%s", prefix, slot->name);
    if (!name) return SN_OUT_OF_MEM(c->err);
    SN_TRY(sn_quantity_add(c, name, slot, k ? &k->mark : mark, id));
    if (k && k->type != SN_ITEM_SCALAR)
        return sn_fail(c->err, SN_ERR_INPUT, &k->mark, "'%s' must be a number", slot->name);
    if (!k) return SN_OK;
    return sn_quantity_later(c,
                             (sn_pending){*id, k->text, k->mark, .section = -1, .entry = -1, .scope = outer});
}

/* The quantities of a placement: x, y, angle in the plane; x, y, z, three angles and the matrix in space. */
static sn_status placement(sn_compiler *c, const sn_item *item, const sn_scope *outer, sn_scope *inner)
{
#define NUMBER(name, unit, doc)                                                                              \
    {                                                                                                        \
        name, unit, doc, 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL                                            \
    }
    static const sn_slot plane[3] = {NUMBER("x", "m", "place"), NUMBER("y", "m", "place"),
                                     NUMBER("angle", "rad", "turn")},
                         space[6] = {NUMBER("x", "m", "place"),         NUMBER("y", "m", "place"),
                                     NUMBER("z", "m", "place"),         NUMBER("angles.x", "rad", "turn"),
                                     NUMBER("angles.y", "rad", "turn"), NUMBER("angles.z", "rad", "turn")};
#undef NUMBER
    const sn_item *at = sn_item_get(item, "at"), *angle = sn_item_get(item, "angle"),
                  *angles = sn_item_get(item, "angles");
    inner->place = -1;
    inner->turned = outer->turned || angle || angles;
    if (!at && !angle && !angles) return SN_OK;
    SN_TRY(vector(c, at, angles ? 3 : 2, angles ? "a position [x, y, z]" : "a position [x, y]"));
    SN_TRY(vector(c, angles, 3, "three angles [ax, ay, az], about x, then y, then z"));
    inner->dim = angles || (at && at->n == 3) ? 3 : 2;
    if (angle && inner->dim == 3)
        return sn_fail(c->err, SN_ERR_INPUT, &angle->key_mark,
                       "'angle' is for planar files; spatial ones take angles: [ax, ay, az]");
    int n = inner->dim == 3 ? 6 : 3, place = -1;
    for (int i = 0, id; i < n; i++) {
        const sn_item *k = i < inner->dim ? component(at, i) : n == 3 ? angle : component(angles, i - 3);
        SN_TRY(place_number(c, inner->prefix, n == 6 ? &space[i] : &plane[i], k, &item->mark, outer, &id));
        if (i == 0) place = id;
    }
    if (n == 6) SN_TRY(sn_place_matrix(c, inner->prefix, &item->mark, place));
    inner->place = place;
    inner->next = c->placed;
    c->placed = inner;
    return SN_OK;
}

static void check_keys(sn_compiler *c, const sn_item *item)
{
    static const char *const keys[] = {"file", "prefix", "at", "angle", "angles", "set"};
    for (const sn_item *k = item->child; k; k = k->next) {
        int known = 0;
        for (int i = 0; i < 6; i++) known |= !strcmp(k->key, keys[i]);
        if (!known)
            sn_fail(c->err, SN_ERR_INPUT, &k->key_mark,
                    "unknown key '%s' of an include: file, prefix, at, angle, angles, set", k->key);
    }
}

/* Read and compile the file, unless it would go on without end. */
static sn_status include_file(sn_compiler *c, const sn_item *file, const char *path, const sn_scope *inner)
{
    sn_item *root;
    for (const sn_scope *s = inner->parent; s; s = s->parent)
        if (s->path && !strcmp(s->path, path))
            return sn_fail(c->err, SN_ERR_INPUT, &file->mark, "'%s' includes itself", file->text);
    if (c->depth >= MAX_DEPTH || ++c->files > MAX_FILES)
        return sn_fail(c->err, SN_ERR_INPUT, &file->mark,
                       "includes go more than %d deep, or are more than %d: does '%s' include itself?",
                       MAX_DEPTH, MAX_FILES, file->text);
    int before = c->err->count;
    sn_status s = c->load->read(path, c->items, &root, c->err);
    sn_err_place(c->err, before, &file->mark); /* where it was asked for */
    c->incomplete |= s != SN_OK;
    if (!s) s = sn_model_has_read(c->m, path, c->err);
    if (s) return s;
    c->depth++;
    s = sn_compile_file(c, root, inner);
    c->depth--;
    return s;
}

static sn_status include_one(sn_compiler *c, const sn_item *item, const sn_scope *scope)
{
    check_keys(c, item);
    const sn_item *file = sn_item_get(item, "file"), *prefix = sn_item_get(item, "prefix"),
                  *set = sn_item_get(item, "set");
    if (!file || file->type != SN_ITEM_SCALAR || !file->text[0])
        return sn_fail(c->err, SN_ERR_INPUT, &item->mark, "an include needs 'file: name.yaml'");
    if (prefix && prefix->type != SN_ITEM_SCALAR)
        return sn_fail(c->err, SN_ERR_INPUT, &prefix->mark, "'prefix' is a text");
    if (prefix && prefix->text[0] && !sn_name_valid(prefix->text))
        return sn_fail(c->err, SN_ERR_INPUT, &prefix->mark,
                       "'%s' is no good prefix: use letters, digits, _ and -, and begin with a letter",
                       prefix->text);
    if (set && set->type != SN_ITEM_MAP)
        return sn_fail(c->err, SN_ERR_INPUT, &set->mark, "'set' is a map {parameter: value}");
    sn_scope *inner = sn_arena_alloc(&c->m->arena, 1, sizeof *inner);
    const char *path =
        file->text[0] == '/' ? file->text : sn_arena_printf(&c->m->arena, "%s%s", scope->folder, file->text);
    if (!inner || !path) return SN_OUT_OF_MEM(c->err);
    inner->parent = scope;
    inner->path = path;
    inner->set = set;
    inner->prefix = sn_arena_printf(&c->m->arena, "%s%s", scope->prefix, prefix ? prefix->text : "");
    inner->folder = folder_of(c, path);
    if (!inner->prefix || !inner->folder) return SN_OUT_OF_MEM(c->err);
    SN_TRY(placement(c, item, scope, inner));
    return include_file(c, file, path, inner);
}

sn_status sn_compile_include(sn_compiler *c, const sn_item *item, const sn_scope *scope)
{
    if (item->type == SN_ITEM_MAP) return include_one(c, item, scope);
    if (item->type != SN_ITEM_LIST)
        return sn_fail(c->err, SN_ERR_INPUT, &item->mark, "'include' is a list of {file: ..., prefix: ...}");
    for (const sn_item *k = item->child; k; k = k->next) {
        if (k->type != SN_ITEM_MAP)
            sn_fail(c->err, SN_ERR_INPUT, &k->mark, "an include is a map {file: ..., prefix: ...}");
        else
            SN_MUST(include_one(c, k, scope));
    }
    return SN_OK;
}
