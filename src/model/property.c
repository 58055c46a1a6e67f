/* Properties of elements: materials, cross sections and shapes, by the name of an entry, by a map in its
   place, or by single numbers in the element's own entry.

   Which groups an element takes is told by its formulas: "E*A" names numbers of materials and sections,
   "shape.mass" those of a shape; only numbers of the first form may stand in the element's own entry. */
#include "model/compile.h"

#include <ctype.h>
#include <string.h>

/* A number of a group's kinds, or NULL. */
static const sn_slot *slot_of_group(int group, const char *name, size_t len)
{
    for (const sn_property_class *const *p = sn_property_all(); *p; p++)
        for (const sn_slot *s = (*p)->slots; (*p)->section == group && s->name; s++)
            if (strlen(s->name) == len && !strncmp(s->name, name, len)) return s;
    return NULL;
}

int sn_property_group(const char *name)
{
    for (int g = 0; g < SN_PROPERTIES; g++) {
        size_t n = strlen(sn_property_key[g]);
        if (!strncmp(name, sn_property_key[g], n) && name[n] == '.') return g;
    }
    return -1;
}

/* Groups that one formula names: bit g of those named plainly, bit SN_PROPERTIES + g of "shape.mass". */
static unsigned named_groups(const char *formula)
{
    unsigned mask = 0;
    for (const char *s = formula; *s;) {
        size_t n = 0;
        while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '.' || s[n] == '@') n++;
        int group = sn_property_group(s);
        if (group >= 0) mask |= 1u << (SN_PROPERTIES + group);
        for (int g = 0; group < 0 && n && g < SN_PROPERTIES; g++)
            if (slot_of_group(g, s, n)) mask |= 1u << g;
        s += n ? n : 1;
    }
    return mask;
}

unsigned sn_formula_groups(const char *formula)
{
    return formula ? named_groups(formula) >> SN_PROPERTIES : 0;
}

/* A plain name may be that of a shape's number by chance: shapes are always named as such. */
unsigned sn_property_groups(const sn_slot *s, unsigned *plain)
{
    unsigned mask = 0;
    for (; s && s->name; s++) {
        if (s->formula) mask |= named_groups(s->formula);
        for (int g = 0; sn_slot_list(s) && g < SN_PROPERTIES; g++)
            if (slot_of_group(g, s->name, strlen(s->name))) mask |= 1u << (SN_PROPERTIES + g);
    }
    *plain = mask & 3u;
    return *plain | mask >> SN_PROPERTIES;
}

unsigned sn_entry_groups(int section, const sn_entry *e, unsigned *plain)
{
    *plain = 0;
    if (section == SN_SEC_ELEMENTS) return sn_property_groups(e->slots, plain);
    return sn_is_property(section) ? sn_item_groups(e->slots) & ~(1u << (section - SN_SEC_MATERIALS)) : 0;
}

int sn_slot_property(const sn_slot *slot, const sn_item *entry)
{
    unsigned mask = sn_formula_groups(slot->formula);
    for (int g = 0; g < SN_PROPERTIES; g++)
        if ((mask & 1u << g) && !sn_item_get(entry, sn_property_key[g])) return -1;
    return mask != 0;
}

/* `section: strip`; a map in place of the name became an entry when the element did. */
static void refer(sn_compiler *c, sn_entry *e, int group)
{
    const char *key = sn_property_key[group];
    const sn_item *k = sn_item_get(e->item, key);
    if (!k || k->type == SN_ITEM_MAP) return;
    if (k->type != SN_ITEM_SCALAR || !k->text[0]) {
        sn_fail(c->err, SN_ERR_INPUT, &k->mark, "'%s' is a name from the section '%s', or a map {kind: ...}",
                key, sn_section_name[SN_SEC_MATERIALS + group]);
        return;
    }
    e->property[group] = sn_entry_find(c, SN_SEC_MATERIALS + group, e->scope, k->text);
    if (e->property[group] < 0) sn_unknown_name(c, SN_SEC_MATERIALS + group, e->scope, k, key);
}

/* E, A, ... given in the element's own entry. */
static sn_status own_number(sn_compiler *c, int index, const sn_slot *slot, const sn_item *k)
{
    sn_model *m = c->m;
    const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][index];
    int id;
    if (k->type != SN_ITEM_SCALAR || !k->text[0])
        return sn_fail(c->err, SN_ERR_INPUT, &k->mark, "%s '%s': '%s' is one number",
                       sn_entry_kind(0, e->cls), e->name, k->key);
    const char *name = sn_arena_printf(&m->arena, "elements.%s.%s", e->name, k->key);
    if (!name) return SN_OUT_OF_MEM(c->err);
    SN_TRY(sn_quantity_add(c, name, slot, &k->mark, &id));
    m->quantity[id].section = SN_SEC_ELEMENTS;
    m->quantity[id].owner = index;
    return sn_quantity_later(c, (sn_pending){.quantity = id,
                                             .text = k->text,
                                             .mark = k->mark,
                                             .section = SN_SEC_ELEMENTS,
                                             .entry = index,
                                             .scope = e->scope});
}

sn_status sn_entry_properties(sn_compiler *c, int section, int index)
{
    sn_entry *e = &c->m->entry[section][index];
    unsigned plain, groups = sn_entry_groups(section, e, &plain);
    if (!e->item || e->item->type != SN_ITEM_MAP || !groups) return SN_OK;
    for (int g = 0; g < SN_PROPERTIES; g++)
        if (groups & 1u << g) refer(c, e, g);
    for (const sn_item *k = plain ? e->item->child : NULL; k; k = k->next) {
        const sn_slot *slot = NULL;
        int own = 0;
        for (int g = 0; g < SN_PROPERTIES && !slot; g++)
            if (plain & 1u << g) slot = slot_of_group(g, k->key, strlen(k->key));
        for (const sn_slot *s = e->slots; s->name; s++) own |= !strcmp(s->name, k->key);
        if (slot && !own) SN_MUST(own_number(c, index, slot, k));
    }
    return SN_OK;
}
