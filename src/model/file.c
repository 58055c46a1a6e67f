/* Files that entries name: where they lie, and constants that kinds read from them. */
#include "model/compile.h"

#include <string.h>

const char *sn_file_path(sn_compiler *c, const sn_entry *e, const char *name)
{
    return sn_arena_printf(&c->m->arena, "%s%s", name[0] == '/' ? "" : e->scope->folder, name);
}

static void *block_alloc(sn_block *b, size_t n, size_t size) { return sn_arena_alloc(b->owner, n, size); }

static sn_status read_block(sn_compiler *c, const sn_element_class *cls, const char *path, const void **data)
{
    sn_model *m = c->m;
    sn_block b = {.alloc = block_alloc, .owner = &m->arena};
    SN_TRY(sn_model_has_read(m, path, c->err));
    SN_TRY(cls->file->read(path, &b, c->err));
    if (!b.data) return sn_fail(c->err, SN_ERR_INPUT, NULL, "the kind made nothing of it");
    if (sn_grow(&m->block, &m->cap_block, m->n_block + 1, sizeof *m->block)) return SN_OUT_OF_MEM(c->err);
    m->block[m->n_block++] = (struct sn_file_read){cls, path, b.data};
    *data = b.data;
    return SN_OK;
}

sn_status sn_entry_block(sn_compiler *c, sn_entry *e)
{
    const sn_element_class *cls = e->cls;
    const sn_item *k = cls->file ? sn_item_get(e->item, cls->file->key) : NULL;
    int before = c->err->count;
    if (!cls->file) return SN_OK;
    const sn_item *recipe = sn_reduces_in_place(cls) ? sn_item_get(e->item, "reduce") : NULL;
    if (recipe && k)
        return sn_fail(c->err, SN_ERR_INPUT, &recipe->key_mark, "%s '%s': '%s' or 'reduce', not both",
                       cls->name, e->name, cls->file->key);
    if (recipe) return sn_entry_reduce(c, e, recipe);
    if (!k)
        return sn_fail(c->err, SN_ERR_INPUT, &e->item->key_mark, "%s '%s': '%s' is missing (%s)%s", cls->name,
                       e->name, cls->file->key, cls->file->doc,
                       sn_reduces_in_place(cls) ? ", or 'reduce: {model: ..., interfaces: [...]}'" : "");
    if (k->type != SN_ITEM_SCALAR || !k->text[0])
        return sn_fail(c->err, SN_ERR_INPUT, &k->mark, "%s '%s': '%s' is the name of a file", cls->name,
                       e->name, k->key);
    const char *path = sn_file_path(c, e, k->text);
    if (!path) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < c->m->n_block && !e->block; i++)
        if (c->m->block[i].cls == cls && !strcmp(c->m->block[i].path, path)) e->block = c->m->block[i].data;
    if (e->block) return SN_OK;
    sn_status s = read_block(c, cls, path, &e->block);
    if (s && c->err->count == before) sn_fail(c->err, s, NULL, "%s", sn_status_text(s));
    if (s) {
        sn_err_prefix(c->err, before, "%s '%s': %s", cls->name, e->name, path);
        sn_err_place(c->err, before, &k->mark);
    }
    return s;
}
