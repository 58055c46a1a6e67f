/* What stands in place of what model files say: whole entries, a key of an entry, one number of a list. It is
   put into the tree of a file just before its entries are sorted in, under the names that they have with the
   prefix of an included file, so that everything after that, errors included, sees it as if it were written
   there. */
#include "model/compile.h"

#include <string.h>

/* The value changes, its key and place in the file stay. */
static void take(sn_item *to, const sn_item *from)
{
    to->type = from->type, to->n = from->n, to->text = from->text, to->child = from->child;
}

/* A key that the file does not write, behind the others: a list of as many zeros as it has numbers. */
static sn_item *append(sn_compiler *c, sn_item *entry, const sn_instead *r)
{
    sn_item *made = sn_arena_alloc(c->items, (size_t)r->n + 1, sizeof *made), **end = &entry->child;
    if (!made) return NULL;
    made[0] = (sn_item){.type = r->n > 1 ? SN_ITEM_LIST : SN_ITEM_SCALAR,
                        .n = r->n > 1 ? r->n : 0,
                        .text = r->n > 1 ? "" : "0",
                        .key = r->key,
                        .mark = entry->mark,
                        .key_mark = entry->key_mark};
    for (int i = 1; r->n > 1 && i <= r->n; i++)
        made[i] = (sn_item){.type = SN_ITEM_SCALAR,
                            .text = "0",
                            .mark = entry->mark,
                            .key_mark = entry->mark,
                            .next = i < r->n ? &made[i + 1] : NULL};
    if (r->n > 1) made[0].child = &made[1];
    while (*end) end = &(*end)->next;
    *end = made;
    entry->n++;
    return made;
}

static sn_status put(sn_compiler *c, sn_item *entry, sn_instead *r)
{
    sn_item *to = entry;
    if (r->key && entry->type != SN_ITEM_MAP) return SN_OK; /* whoever sorts it in says so */
    if (r->key) to = r->key[0] ? (sn_item *)sn_item_get(entry, r->key) : entry->child;
    if (!to && !(to = append(c, entry, r))) return SN_OUT_OF_MEM(c->err);
    if (r->component >= 0 && to->type == SN_ITEM_LIST) {
        int k = r->component;
        to = to->child;
        while (to && k-- > 0) to = to->next;
        if (!to) return SN_OK; /* too short, which is an error of its own */
    }
    take(to, r->item);
    r->used = 1;
    return SN_OK;
}

sn_status sn_entry_instead(sn_compiler *c, int section, const char *name, const sn_item *item)
{
    for (int i = 0; i < c->load->n_instead; i++) {
        sn_instead *r = &c->load->instead[i];
        if (!strcmp(sn_section_name[section], r->section) && !strcmp(r->name, name))
            SN_TRY(put(c, (sn_item *)item, r));
    }
    return SN_OK;
}
