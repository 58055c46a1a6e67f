/* Addresses of numbers: "k1", "bar1.EA", "n3.at.x", "elements.spring1.k", "bar1.n3.at.x" (a node inside a
   mesh).

   Slots are not stored by name: an address is taken apart into section, entry, slot and component, and a
   quantity's name is put together from its owner. Only quantities that are no slot of an entry (gravity,
   placements ...) have a name. */
#include "model/surfaces.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of a component: x y z of short vectors of the table, from 1 else; a single number has none. -1: no
 * such. */
static int component(const char *text, int n, int fixed)
{
    if (!*text) return n == 1 && fixed ? 0 : -1;
    if (*text++ != '.' || (fixed && n == 1)) return -1;
    if (fixed && n <= 3) return text[0] >= 'x' && text[0] < 'x' + n && !text[1] ? text[0] - 'x' : -1;
    char *end;
    long i = strtol(text, &end, 10);
    return *end || end == text || i < 1 || i > n ? -1 : (int)i - 1;
}

/* Item of "plies.3.angle", from 0, where the slot is "plies.angle"; -1: it is something else. */
static int item(const sn_slot *s, const char *text, int n)
{
    size_t list = sn_slot_list(s);
    char *end;
    if (!list || strncmp(text, s->name, list + 1) != 0) return -1;
    long i = strtol(text + list + 1, &end, 10);
    return *end == '.' && i >= 1 && i <= n && !strcmp(end, s->name + list) ? (int)i - 1 : -1;
}

/* Place of "at.x" in a row of slots; slot_n: their actual counts. */
static int place(const sn_slot *slots, const int *slot_n, const char *text)
{
    int at = 0;
    for (int k = 0; slots && slots[k].name; k++) {
        int n = slot_n[k], of = item(&slots[k], text, n);
        if (of >= 0) return at + of;
        size_t len = strlen(slots[k].name);
        if (!sn_slot_list(&slots[k]) && !strncmp(text, slots[k].name, len) &&
            (!text[len] || text[len] == '.')) {
            int i = component(text + len, n, slots[k].n > 0);
            return i < 0 ? -1 : at + i;
        }
        at += n;
    }
    return -1;
}

/* The node of a mesh called "n3", or "n3_1" in a surface; *rest: what follows. -1: there is none. */
int sn_mesh_node_named(const sn_entry *e, const char *text, const char **rest)
{
    char *end;
    if (text[0] != 'n' || e->pieces < 2 || e->mesh < 0 || e->corner) return -1;
    long i = strtol(text + 1, &end, 10), j = 0;
    if (e->grid && *end == '_') j = strtol(end + 1, &end, 10);
    *rest = end;
    if (i < 0 || j < 0 || i > INT_MAX / SN_MAX_REFINED || j > INT_MAX / SN_MAX_REFINED) return -1;
    if (e->refined > 1) i *= e->refined, j *= e->refined;
    if (e->grid) return sn_mesh_node(e, (int)i, (int)j);
    return i < 1 || i >= e->pieces ? -1 : e->mesh + (int)i - 1;
}

int sn_surface_named(const sn_surface *s, const char *text, const char **rest)
{
    char *end;
    if (text[0] != 'n' || text[1] < '0' || text[1] > '9') return -1;
    long i = strtol(text + 1, &end, 10), j = 0;
    if (!s->id && *end == '_') j = strtol(end + 1, &end, 10);
    *rest = end;
    if (i < 0 || j < 0 || i > INT_MAX / SN_MAX_REFINED || j > INT_MAX / SN_MAX_REFINED) return -1;
    int at = s->id ? sn_surface_find(s, (int)i) : sn_surface_at(s, (int)i * s->refined, (int)j * s->refined);
    return at < 0 ? -1 : s->node[at];
}

/* "n3.at.x" inside the mesh of an element, or in a mesh. */
static int in_mesh(const sn_model *m, const sn_entry *e, const char *text)
{
    const char *end;
    int k = e->surface && !e->corner ? sn_surface_named(e->surface, text, &end)
                                     : sn_mesh_node_named(e, text, &end);
    if (k < 0 || *end != '.') return -1;
    const sn_node *n = &m->node[k];
    int at = place(n->cls->slots, n->slot_n, end + 1);
    return at < 0 ? -1 : n->s + at;
}

int sn_slot_find(const sn_model *m, int section, int entry, const char *text)
{
    const sn_entry *e = &m->entry[section][entry];
    if (section == SN_SEC_PARAMETERS) return -1;
    int at = place(e->slots, e->slot_n, text);
    /* one number that stands for all of a slot */
    for (int k = 0, first = 0; at < 0 && e->alike && e->slots[k].name; first += e->slot_n[k++])
        if (e->alike >> k & 1 && !strcmp(e->slots[k].name, text)) at = first;
    return at < 0 || at >= e->n ? -1 : e->first + at;
}

/* "bar1.EA" in one section; materials, sections and shapes of an element answer for it: "bar1.section.width",
   or "bar1.width" where it has no such number itself. */
static int find_in(const sn_model *m, int section, const char *name)
{
    char entry[256];
    const char *dot = strchr(name, '.');
    size_t len = dot ? (size_t)(dot - name) : strlen(name);
    if (len >= sizeof entry) return -1;
    memcpy(entry, name, len);
    entry[len] = 0;
    int i = sn_map_get(&m->name[section], entry), id = -1;
    if (i < 0 && section == SN_SEC_NODES) {
        i = sn_map_get(&m->name[SN_SEC_ELEMENTS], entry);
        if (i >= 0 && dot && (id = in_mesh(m, &m->entry[SN_SEC_ELEMENTS][i], dot + 1)) >= 0) return id;
        i = sn_map_get(&m->name[SN_SEC_MESHES], entry);
        return i < 0 || !dot ? -1 : in_mesh(m, &m->entry[SN_SEC_MESHES][i], dot + 1);
    }
    if (i < 0) return -1;
    const sn_entry *e = &m->entry[section][i];
    if (section == SN_SEC_PARAMETERS) return dot ? -1 : e->first;
    if (!dot) return -1;
    id = sn_slot_find(m, section, i, dot + 1);
    if (section == SN_SEC_MESHES) return id < 0 ? in_mesh(m, e, dot + 1) : id;
    if (section != SN_SEC_ELEMENTS || id >= 0) return id;
    int group = sn_property_group(dot + 1);
    if (group >= 0)
        return e->property[group] < 0
                   ? -1
                   : sn_slot_find(m, SN_SEC_MATERIALS + group, e->property[group], strchr(dot + 1, '.') + 1);
    for (int g = 0; g < SN_PROPERTIES && id < 0; g++)
        if (e->property[g] >= 0) id = sn_slot_find(m, SN_SEC_MATERIALS + g, e->property[g], dot + 1);
    return id < 0 ? in_mesh(m, e, dot + 1) : id;
}

/* A name from a section, or a plain one: parameters first, then sensors, elements, joints and so on. */
int sn_quantity_find(const sn_model *m, const char *name)
{
    static const int search[SN_SEC_COUNT] = {
        SN_SEC_PARAMETERS, SN_SEC_SENSORS,   SN_SEC_ELEMENTS, SN_SEC_JOINTS, SN_SEC_NODES,
        SN_SEC_SIGNALS,    SN_SEC_MATERIALS, SN_SEC_SECTIONS, SN_SEC_SHAPES, SN_SEC_MESHES};
    int id = sn_map_get(&m->quantity_name, name);
    for (int s = 0; s < SN_SEC_COUNT && id < 0; s++) {
        size_t n = strlen(sn_section_name[s]);
        char full[512];
        if (!strncmp(name, sn_section_name[s], n) && name[n] == '.') id = find_in(m, s, name + n + 1);
        /* a property in an element's own entry goes by its full name */
        if (id < 0 && s == SN_SEC_ELEMENTS && snprintf(full, sizeof full, "elements.%s", name) > 0)
            id = sn_map_get(&m->quantity_name, full);
    }
    for (int i = 0; i < SN_SEC_COUNT && id < 0; i++) id = find_in(m, search[i], name);
    return id;
}

const char *sn_quantity_name(const sn_model *m, int id, char *out, size_t size)
{
    if (sn_quantity_of(m, id) >= 0) id = sn_quantity_of(m, id);
    const sn_quantity *q = &m->quantity[id];
    if (q->name) return q->name;
    int mesh = q->section == SN_SEC_COUNT, n = 1, k = 0;
    const sn_entry *e = mesh ? NULL : &m->entry[q->section][q->owner];
    const sn_slot *slots = mesh ? m->node[q->owner].cls->slots : e->slots;
    const int *slot_n = mesh ? m->node[q->owner].slot_n : e->slot_n;
    int at = id - (mesh ? m->node[q->owner].s : e->first);
    const char *owner = mesh ? m->node[q->owner].name : e->name,
               *section = sn_section_name[mesh                                               ? SN_SEC_NODES
                                          : sn_is_property(q->section) && strchr(owner, '.') ? SN_SEC_ELEMENTS
                                                                                             : q->section];
    if (!slots) {
        snprintf(out, size, "%s.%s", section, owner); /* a parameter */
        return out;
    }
    while (slots[k].name && at >= (n = slot_n[k])) at -= n, k++;
    if (!slots[k].name) return owner;
    size_t list = sn_slot_list(&slots[k]);
    if (list)
        snprintf(out, size, "%s.%s.%.*s.%d%s", section, owner, (int)list, slots[k].name, at + 1,
                 slots[k].name + list);
    else if (slots[k].n == 1)
        snprintf(out, size, "%s.%s.%s", section, owner, slots[k].name);
    else if (slots[k].n > 0 && n <= 3)
        snprintf(out, size, "%s.%s.%s.%c", section, owner, slots[k].name, "xyz"[at]);
    else
        snprintf(out, size, "%s.%s.%s.%d", section, owner, slots[k].name, at + 1);
    return out;
}

const char *sn_quantity_short(const sn_model *m, int id, const char *full)
{
    const char *dot = strchr(full, '.');
    return dot && sn_quantity_find(m, dot + 1) == id ? dot + 1 : full;
}

/* Numbers that have a name of their own: not those of mesh nodes, of the pieces of tapered beams, of members
   of a set; and constant ones. */
static int is_listed(const sn_model *m, int id)
{
    const sn_quantity *q = &m->quantity[id];
    if (q->varies || sn_quantity_of(m, id) >= 0 || q->section == SN_SEC_COUNT) return 0;
    return q->name || q->section == SN_SEC_PARAMETERS || m->entry[q->section][q->owner].set_of < 0;
}

int sn_number_next(const sn_model *m, int *at, sn_number_info *number)
{
    for (int id; *at < m->n_quantity;) {
        if (!is_listed(m, id = (*at)++)) continue;
        const sn_quantity *q = &m->quantity[id];
        const char *name =
            sn_quantity_short(m, id, sn_quantity_name(m, id, number->name, sizeof number->name));
        if (sn_quantity_find(m, name) != id) continue;
        memmove(number->name, name, strlen(name) + 1);
        number->doc = q->slot && q->slot->doc ? q->slot->doc : "";
        number->unit[0] = 0;
        if (q->slot && strcmp(q->slot->unit, "1") != 0)
            snprintf(number->unit, sizeof number->unit, "%s", q->slot->unit);
        else if (!q->slot && q->dim.known == 1 && !sn_dim_equal(q->dim.dim, (sn_dim){0, 0, 0}))
            sn_dim_text(q->dim.dim, number->unit, sizeof number->unit);
        return 1;
    }
    return 0;
}
