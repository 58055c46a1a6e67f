/* Names in model files: the names behind an entry's first key, prefixes of included files, did-you-mean. */
#include "model/compile.h"

#include <ctype.h>
#include <string.h>

int sn_name_valid(const char *s)
{
    if (!isalpha((unsigned char)*s) && *s != '_') return 0;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '_' && *s != '-') return 0;
    return 1;
}

int sn_arg_count(const sn_entry *e)
{
    if (!e->arg) return 0;
    if (e->arg->type == SN_ITEM_SCALAR) return e->arg->text[0] ? 1 : 0;
    return e->arg->type == SN_ITEM_LIST ? e->arg->n : 0;
}

const sn_item *sn_arg_item(const sn_entry *e, int i)
{
    if (e->arg->type == SN_ITEM_SCALAR) return e->arg;
    const sn_item *k = e->arg->child;
    while (i-- > 0 && k) k = k->next;
    return k;
}

const char *sn_scoped(sn_compiler *c, const sn_scope *scope, const char *name)
{
    if (!scope || !scope->prefix[0]) return name;
    return sn_arena_printf(&c->m->arena, "%s%s", scope->prefix, name);
}

int sn_entry_find(sn_compiler *c, int section, const sn_scope *scope, const char *name)
{
    const char *full = sn_scoped(c, scope, name);
    return full ? sn_map_get(&c->m->name[section], full) : -1;
}

struct candidates {
    const sn_entry *entry;
    size_t skip;
};

static const char *candidate(int i, const void *ctx)
{
    const struct candidates *k = ctx;
    const char *name = k->entry[i].name;
    if (strchr(name, '.')) return NULL; /* written in an element: it has no name */
    return strlen(name) > k->skip ? name + k->skip : name;
}

const char *sn_near_name(sn_compiler *c, int section, const sn_scope *scope, const char *name)
{
    struct candidates k = {c->m->entry[section], scope ? strlen(scope->prefix) : 0};
    if (c->err->count >= SN_ERR_MAX) return NULL; /* nobody will read it, and the search is long */
    return sn_nearest(name, c->m->n_entry[section], candidate, &k);
}

static void unknown_in_mesh(sn_compiler *c, const sn_entry *e, const char *stem, const sn_item *item)
{
    const int finer = e->refined > 1 ? e->refined : 1;
    if (e->bad) return;
    if (e->grid)
        sn_fail(c->err, SN_ERR_INPUT, &item->mark, "there is no node '%s': '%s' has the nodes n0_0 to n%d_%d",
                item->text, stem, e->divided[0] / finer, e->divided[e->divided[1] > 0] / finer);
    else
        sn_fail(c->err, SN_ERR_INPUT, &item->mark,
                "there is no node '%s': '%s' has %d nodes between its ends", item->text, e->name,
                e->pieces / finer - 1);
}

/* A node of a mesh of the section `meshes`. */
static void unknown_on_mesh(sn_compiler *c, const sn_entry *e, const char *rest, const sn_item *item)
{
    const sn_surface *s = e->surface;
    if (!s || e->bad) return;
    if (s->id || s->divided[0] < 1)
        sn_fail(
            c->err, SN_ERR_INPUT, &item->mark,
            "there is no node '%s': the file '%s' has none with this number, or no element on '%s' has it",
            item->text, e->file ? e->file : "", e->name);
    else
        sn_fail(c->err, SN_ERR_INPUT, &item->mark,
                "there is no node '%s': '%s' has the nodes n0_0 to n%d_%d and the sets edge1 ..., all%s",
                item->text, e->name, s->divided[0] / s->refined, s->divided[1] / s->refined,
                sn_surface_set(s, rest) ? ", but here it is one node"
                                        : ", of those that elements are put on");
}

/* Nothing is said about nodes that were reported already, and those of a mesh that was. */
void sn_unknown_node(sn_compiler *c, const sn_scope *scope, const sn_item *item)
{
    const char *dot = strchr(item->text, '.');
    const char *stem = dot ? sn_arena_strndup(&c->m->arena, item->text, (size_t)(dot - item->text)) : NULL;
    int element = stem ? sn_entry_find(c, SN_SEC_ELEMENTS, scope, stem) : -1;
    if (sn_entry_find(c, SN_SEC_NODES, scope, item->text) >= 0) return;
    const char *rest;
    int mesh = dot ? sn_mesh_stem(c, scope, item->text, &rest) : -1;
    if (mesh >= 0) {
        unknown_on_mesh(c, &c->m->entry[SN_SEC_MESHES][mesh], rest, item);
        return;
    }
    if (element < 0)
        sn_unknown_name(c, SN_SEC_NODES, scope, item, "node");
    else
        unknown_in_mesh(c, &c->m->entry[SN_SEC_ELEMENTS][element], stem, item);
}

sn_status sn_unknown_name(sn_compiler *c, int section, const sn_scope *scope, const sn_item *item,
                          const char *what)
{
    const char *near = sn_near_name(c, section, scope, item->text);
    if (item->type != SN_ITEM_SCALAR)
        return sn_fail(c->err, SN_ERR_INPUT, &item->mark, "the name of one %s is expected here", what);
    if (near)
        return sn_fail(c->err, SN_ERR_INPUT, &item->mark, "there is no %s '%s' (did you mean '%s'?)", what,
                       item->text, near);
    return sn_fail(c->err, SN_ERR_INPUT, &item->mark, "there is no %s '%s'", what, item->text);
}
