/* The cross section behind a piece of a beam: where numbers of a section depend on the place along the beam,
   those of the piece. */
#include "record/section.h"

#include <math.h>
#include <string.h>

/* A number as the piece of an entry has it. */
static double piece_number(const sn_model *m, const sn_values *p, const sn_entry *e, int piece, int id)
{
    int first = e->piece_first + piece * e->piece_n;
    for (int k = first; k < first + e->piece_n; k++)
        if (sn_quantity_of(m, k) == id) return p->x[k];
    return p->x[id];
}

int sn_entry_slot(const sn_entry *e, const char *name, int *n)
{
    for (int k = 0, at = 0; e->slots && e->slots[k].name; at += e->slot_n[k++])
        if (strcmp(e->slots[k].name, name) == 0) return *n = e->slot_n[k], at;
    return *n = 0, -1;
}

static double slot_named(const sn_entry *s, const double *x, const char *name)
{
    int n, at = sn_entry_slot(s, name, &n);
    return at < 0 ? NAN : x[at];
}

void sn_section_of(const sn_model *m, const sn_values *p, const sn_object *o, sn_section *out)
{
    const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][o->entry];
    int i = e->property[SN_SEC_SECTIONS - SN_SEC_MATERIALS];
    const sn_entry *s = i < 0 ? NULL : &m->entry[SN_SEC_SECTIONS][i];
    const sn_property_class *cls = s ? s->cls : NULL;
    double x[SN_MAX_PROPERTY];
    *out = (sn_section){.outline = SN_OUTLINE_NONE};
    if (!cls || !cls->outline || !cls->draw) return;
    for (int k = 0; k < s->n; k++) x[k] = piece_number(m, p, e, o->piece, s->first + k);
    out->outline = cls->outline;
    cls->draw(x, out->size);
    out->A = slot_named(s, x, "A");
    out->I_y = slot_named(s, x, "I_y");
    out->I_z = slot_named(s, x, o->dim == 2 ? "I" : "I_z");
}
