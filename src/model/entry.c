/* Sections and entries of a model file: which there are, and which kind each entry is. */
#include "model/compile.h"

#include <string.h>

const char *const sn_section_name[SN_SEC_COUNT] = {"parameters", "materials", "sections", "shapes",
                                                   "meshes",     "nodes",     "elements", "joints",
                                                   "signals",    "sensors"};
const char *const sn_property_key[SN_PROPERTIES] = {"material", "section", "shape"};

const sn_args *sn_entry_args(int section, const void *cls)
{
    static const sn_args slot = {.what = SN_ARG_SLOT}, none = {.what = SN_ARG_NONE},
                         file = {.what = SN_ARG_FILE, .min = 1, .max = 1};
    switch (section) {
    case SN_SEC_SHAPES:
    case SN_SEC_MESHES:
        return ((const sn_property_class *)cls)->file ? &file : &none;
    case SN_SEC_NODES:
        return &slot;
    case SN_SEC_ELEMENTS:
        return &((const sn_element_class *)cls)->args;
    case SN_SEC_JOINTS:
        return &((const sn_joint_class *)cls)->args;
    case SN_SEC_SIGNALS:
        return &((const sn_signal_class *)cls)->args;
    case SN_SEC_SENSORS:
        return &((const sn_sensor_class *)cls)->args;
    default:
        return &none;
    }
}

const sn_option *sn_entry_options(int section, const void *cls)
{
    switch (section) {
    case SN_SEC_SHAPES:
    case SN_SEC_MESHES:
        return ((const sn_property_class *)cls)->options;
    case SN_SEC_NODES:
        return ((const sn_node_class *)cls)->options;
    case SN_SEC_ELEMENTS:
        return ((const sn_element_class *)cls)->options;
    case SN_SEC_JOINTS:
        return ((const sn_joint_class *)cls)->options;
    case SN_SEC_SIGNALS:
        return ((const sn_signal_class *)cls)->options;
    case SN_SEC_SENSORS:
        return ((const sn_sensor_class *)cls)->options;
    default:
        return NULL;
    }
}

const char *sn_entry_kind(int section, const void *cls)
{
    (void)section;
    return cls ? sn_class_name(cls) : "";
}

/* The kinds that a section may have, as one array of tables. */
static const void *const *family(int section)
{
    static const int family_of[SN_SEC_COUNT] = {
        [SN_SEC_MATERIALS] = SN_FAMILY_PROPERTY, [SN_SEC_SECTIONS] = SN_FAMILY_PROPERTY,
        [SN_SEC_SHAPES] = SN_FAMILY_PROPERTY,    [SN_SEC_MESHES] = SN_FAMILY_PROPERTY,
        [SN_SEC_NODES] = SN_FAMILY_NODE,         [SN_SEC_ELEMENTS] = SN_FAMILY_ELEMENT,
        [SN_SEC_JOINTS] = SN_FAMILY_JOINT,       [SN_SEC_SIGNALS] = SN_FAMILY_SIGNAL,
        [SN_SEC_SENSORS] = SN_FAMILY_SENSOR};
    return sn_family_all(family_of[section]);
}

int sn_is_property(int section) { return section >= SN_SEC_MATERIALS && section <= SN_SEC_MESHES; }

static int belongs(int section, const void *cls)
{
    if (!sn_is_property(section)) return 1;
    return ((const sn_property_class *)cls)->section == section - SN_SEC_MATERIALS;
}

static const void *find_class(int section, const char *name)
{
    for (const void *const *k = family(section); *k; k++)
        if (belongs(section, *k) && !strcmp(sn_entry_kind(section, *k), name)) return *k;
    return NULL;
}

/* Kind i of a section's family, NULL where it belongs to another section. */
static const char *kind_name(int i, const void *ctx)
{
    int section = *(const int *)ctx;
    const void *cls = family(section)[i];
    return belongs(section, cls) ? sn_entry_kind(section, cls) : NULL;
}

static int count(const void *const *k)
{
    int n = 0;
    while (k[n]) n++;
    return n;
}

static const char *const singular[SN_SEC_COUNT] = {"parameter", "material", "section", "shape",  "mesh",
                                                   "node",      "element",  "joint",   "signal", "sensor"};

/* Find the kind: the first key of an entry, or what the section falls back on. Nodes without a kind are
 * settled later. */
static sn_status find_kind(sn_compiler *c, int section, sn_entry *e)
{
    const sn_item *item = e->item;
    if (section == SN_SEC_NODES && item->type == SN_ITEM_LIST) {
        e->arg = item;
        return SN_OK;
    }
    if (item->type != SN_ITEM_MAP || !item->child)
        return sn_fail(c->err, SN_ERR_INPUT, &item->mark, "%s '%s' must be a map: {kind: ..., key: value}%s",
                       singular[section], e->name, section == SN_SEC_NODES ? " or a position [x, y]" : "");
    const sn_item *first = item->child;
    e->cls = find_class(section, first->key);
    if (e->cls) {
        e->arg = first;
        return SN_OK;
    }
    if (section == SN_SEC_NODES && (e->arg = sn_item_get(item, "at"))) return SN_OK;
    if (section == SN_SEC_MATERIALS || section == SN_SEC_SECTIONS) {
        for (const void *const *k = family(section); *k && !e->cls; k++)
            if (belongs(section, *k)) e->cls = *k;
        return SN_OK;
    }
    for (const sn_item *k = first; k; k = k->next)
        if (find_class(section, k->key))
            return sn_fail(c->err, SN_ERR_INPUT, &k->key_mark, "%s '%s': the kind '%s' must be the first key",
                           singular[section], e->name, k->key);
    const char *near = sn_nearest(first->key, count(family(section)), kind_name, &section);
    return sn_fail(c->err, SN_ERR_INPUT, &first->key_mark, "%s '%s': unknown kind '%s'%s%s%s",
                   singular[section], e->name, first->key,
                   near ? " (did you mean '" : " ('sinew list' shows all)", near ? near : "",
                   near ? "'?)" : "");
}

static sn_status put_entry(sn_compiler *c, int section, const char *name, const sn_item *item,
                           const sn_scope *scope, int *index)
{
    sn_model *m = c->m;
    int i = m->n_entry[section];
    if (sn_grow(&m->entry[section], &m->cap_entry[section], i + 1, sizeof(sn_entry)))
        return SN_OUT_OF_MEM(c->err);
    m->n_entry[section]++;
    m->entry[section][i] = (sn_entry){.name = name,
                                      .item = item,
                                      .scope = scope,
                                      .property = {-1, -1, -1},
                                      .pieces = 1,
                                      .object = -1,
                                      .colour = -1,
                                      .set_of = -1,
                                      .mesh = -1};
    *index = i;
    return SN_OK;
}

sn_status sn_entry_make(sn_compiler *c, int section, const char *name, int n, const char *const *text,
                        const sn_mark *mark, int *index)
{
    sn_model *m = c->m;
    sn_item *list = sn_arena_alloc(&m->arena, (size_t)n + 1, sizeof *list);
    sn_scope *scope = sn_arena_alloc(&m->arena, 1, sizeof *scope);
    if (!list || !scope) return SN_OUT_OF_MEM(c->err);
    list[0] = (sn_item){
        .type = SN_ITEM_LIST, .n = n, .text = "", .child = &list[1], .mark = *mark, .key_mark = *mark};
    for (int i = 1; i <= n; i++)
        list[i] = (sn_item){
            .type = SN_ITEM_SCALAR, .text = text[i - 1], .next = i < n ? &list[i + 1] : NULL, .mark = *mark};
    *scope = (sn_scope){.prefix = "", .folder = "", .place = -1};
    SN_TRY(put_entry(c, section, name, list, scope, index));
    m->entry[section][*index].arg = list;
    return sn_map_put(&m->name[section], name, *index) ? SN_OUT_OF_MEM(c->err) : SN_OK;
}

/* `section: {rectangle: , ...}` in an element is an entry of its own, "bar.section", that nobody else can
 * name. */
static sn_status inline_entries(sn_compiler *c, int element)
{
    sn_model *m = c->m;
    for (int g = 0, i; g < SN_PROPERTIES; g++) {
        sn_entry *e = &m->entry[SN_SEC_ELEMENTS][element];
        const sn_item *k = sn_item_get(e->item, sn_property_key[g]);
        unsigned plain;
        if (!k || k->type != SN_ITEM_MAP) continue;
        if (!(sn_property_groups(((const sn_element_class *)e->cls)->slots, &plain) & 1u << g)) continue;
        const char *name = sn_arena_printf(&m->arena, "%s.%s", e->name, sn_property_key[g]);
        if (!name) return SN_OUT_OF_MEM(c->err);
        SN_TRY(put_entry(c, SN_SEC_MATERIALS + g, name, k, e->scope, &i));
        e->property[g] = i;
        sn_entry *inner = &m->entry[SN_SEC_MATERIALS + g][i];
        sn_status s = find_kind(c, SN_SEC_MATERIALS + g, inner);
        if (s == SN_ERR_MEMORY) return s;
        inner->bad = s != SN_OK;
    }
    return SN_OK;
}

static sn_status add_entry(sn_compiler *c, int section, const sn_item *item, const sn_scope *scope)
{
    sn_model *m = c->m;
    const char *name = sn_scoped(c, scope, item->key);
    if (name == item->key) name = sn_arena_strndup(&m->arena, name, strlen(name)); /* it outlives the items */
    if (!name) return SN_OUT_OF_MEM(c->err);
    if (!sn_name_valid(item->key))
        return sn_fail(c->err, SN_ERR_INPUT, &item->key_mark,
                       "'%s' is no good name: use letters, digits, _ and -, and begin with a letter",
                       item->key);
    if (strlen(name) > SN_MAX_NAME)
        return sn_fail(c->err, SN_ERR_INPUT, &item->key_mark,
                       "this name is too long: %d characters are the most", SN_MAX_NAME);
    if (section == SN_SEC_NODES && !strcmp(name, "ground"))
        return sn_fail(c->err, SN_ERR_INPUT, &item->key_mark,
                       "'ground' is always there, fixed at the origin: choose another name");
    int old = sn_map_get(&m->name[section], name);
    if (old >= 0)
        return sn_fail(c->err, SN_ERR_INPUT, &item->key_mark, "%s '%s' is already defined at %s:%d",
                       singular[section], name, m->entry[section][old].item->key_mark.file,
                       m->entry[section][old].item->key_mark.line);
    int i;
    SN_TRY(sn_entry_instead(c, section, name, item));
    SN_TRY(put_entry(c, section, name, item, scope, &i));
    if (sn_map_put(&m->name[section], name, i)) return SN_OUT_OF_MEM(c->err);
    sn_entry *e = &m->entry[section][i];
    if (section == SN_SEC_PARAMETERS) {
        const sn_item *set = scope->set ? sn_item_get(scope->set, item->key) : NULL;
        if (set) {
            e->item = set;
            e->scope = scope->parent;
        }
        e->arg = e->item;
        return SN_OK;
    }
    sn_status s = find_kind(c, section, e);
    m->entry[section][i].bad = s != SN_OK;
    return s || section != SN_SEC_ELEMENTS ? s : inline_entries(c, i);
}

static const char *top_key(int i, const void *ctx)
{
    (void)ctx;
    static const char *const key[] = {"sinew", "title", "gravity", "include", "run", "note"};
    return i < SN_SEC_COUNT ? sn_section_name[i] : key[i - SN_SEC_COUNT];
}

static sn_status section_entries(sn_compiler *c, int section, const sn_item *top, const sn_scope *scope)
{
    if (top->type == SN_ITEM_SCALAR && !top->text[0]) return SN_OK;
    if (top->type != SN_ITEM_MAP)
        return sn_fail(c->err, SN_ERR_INPUT, &top->mark, "'%s' must be a map of names",
                       sn_section_name[section]);
    for (const sn_item *k = top->child; k; k = k->next) SN_MUST(add_entry(c, section, k, scope));
    return SN_OK;
}

static sn_status check_set(sn_compiler *c, const sn_scope *scope)
{
    if (!scope->set) return SN_OK;
    for (const sn_item *k = scope->set->child; k; k = k->next)
        if (sn_entry_find(c, SN_SEC_PARAMETERS, scope, k->key) < 0)
            sn_fail(c->err, SN_ERR_INPUT, &k->key_mark, "the included file has no parameter '%s'", k->key);
    return SN_OK;
}

sn_status sn_compile_file(sn_compiler *c, const sn_item *root, const sn_scope *scope)
{
    const sn_item *first = root->child;
    int main_file = !scope->parent;
    if (root->type != SN_ITEM_MAP || !first || strcmp(first->key, "sinew") != 0)
        return sn_fail(c->err, SN_ERR_INPUT, first ? &first->key_mark : &root->mark,
                       "a model file begins with 'sinew: 1'");
    if (first->type != SN_ITEM_SCALAR || strcmp(first->text, "1") != 0)
        return sn_fail(c->err, SN_ERR_INPUT, &first->mark,
                       "this program reads files of version 1 ('sinew: 1')");
    for (const sn_item *k = first->next; k; k = k->next) {
        int section = -1;
        for (int i = 0; i < SN_SEC_COUNT; i++)
            if (!strcmp(k->key, sn_section_name[i])) section = i;
        if (section >= 0) {
            SN_MUST(section_entries(c, section, k, scope));
        } else if (!strcmp(k->key, "include")) {
            SN_MUST(sn_compile_include(c, k, scope));
        } else if (!strcmp(k->key, "title")) {
            if (k->type != SN_ITEM_SCALAR) sn_fail(c->err, SN_ERR_INPUT, &k->mark, "'title' is a text");
            if (main_file) c->m->title = k->text;
        } else if (!strcmp(k->key, "gravity")) {
            if (main_file) c->gravity = k;
        } else if (!strcmp(k->key, "run")) {
            if (main_file) c->run = k;
        } else if (strcmp(k->key, "note") != 0) {
            const char *near = sn_nearest(k->key, SN_SEC_COUNT + 6, top_key, NULL);
            sn_fail(c->err, SN_ERR_INPUT, &k->key_mark, "unknown section '%s'%s%s%s", k->key,
                    near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        }
    }
    return check_set(c, scope);
}
