/* What a model says nothing about and what therefore is zero, or a default that matters. For sn_check. */
#include "analysis/rigid.h"
#include "model/registry.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 500 };

/* Whether the entry has a number other than 0 in this unit. */
static int has_unit(const sn_context *d, const sn_entry *e, const char *unit)
{
    for (int k = 0, id = e->first; e->slots[k].name; id += e->slot_n[k++])
        for (int i = 0; !strcmp(e->slots[k].unit, unit) && i < e->slot_n[k]; i++)
            if (d->p->x[id + i] != 0) return 1;
    return 0;
}

/* Slots that change a motion much where somebody thinks of them: masses, inertia where the node turns, and
   damping beside a stiffness. */
static int matters(const sn_context *d, const sn_entry *e, int k, int damped)
{
    const sn_slot *s = &e->slots[k];
    const sn_object *o = &d->m->element.object[e->object];
    if (s->def != 0 || (s->flags & SN_NEEDS_ROT && o->place[0].R_v < 0)) return 0;
    if (!strcmp(s->unit, "kg") || !strcmp(s->unit, "kg/m") || !strcmp(s->unit, "kg/m^3")) return 1;
    if (!strcmp(s->unit, "kg*m"))
        return d->m->dim == 3; /* without it nothing resists a spin about a rod's line */
    if (!strcmp(s->unit, "kg*m^2")) return !k || !(e->slots[k - 1].flags & SN_TENSOR);
    if (!damped) return 0;
    return (!strcmp(s->unit, "s") && (s->flags & SN_DISSIPATES || !strcmp(s->name, "damping"))) ||
           (!strcmp(s->unit, "N*s/m") && has_unit(d, e, "N/m")) ||
           (!strcmp(s->unit, "N*m*s/rad") && has_unit(d, e, "N*m/rad"));
}

/* "c, ct": slots of an entry that nothing was written for. */
static void slots_text(const sn_context *d, const sn_entry *e, int damped, char *out)
{
    const sn_model *m = d->m;
    const sn_element_class *cls = e->cls;
    size_t n = 0;
    *out = 0;
    if (e->set_of >= 0 || e->set_n || e->bad || !cls || cls->load || !e->pieces) return;
    for (int k = 0, id = e->first; e->slots[k].name; id += e->slot_n[k++]) {
        int given = !matters(d, e, k, damped);
        for (int i = 0; i < e->slot_n[k]; i++)
            given |= m->quantity[id + i].written || m->quantity[id + i].expr || d->p->x[id + i] != 0;
        if (given || !e->slot_n[k] || n + strlen(e->slots[k].name) + 3 > TEXT) continue;
        n += (size_t)snprintf(out + n, TEXT - n, "%s%s", n ? ", " : "", e->slots[k].name);
    }
}

/* "c, ct of spring2d 'a', 'b' and 3 more", for entries of a kind that lack the same. */
static sn_status tell_slots(sn_context *d, int damped, sn_tell *line, void *to)
{
    const sn_model *m = d->m;
    const int n = m->n_entry[SN_SEC_ELEMENTS];
    unsigned char *told = sn_alloc((size_t)n + 1, 1);
    sn_status s = told ? SN_OK : SN_ERR_MEMORY;
    for (int i = 0; !s && i < n; i++) {
        const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][i];
        char what[TEXT], other[TEXT], text[2 * TEXT];
        int count = 0, at;
        if (told[i] || (slots_text(d, e, damped, what), !*what)) continue;
        at = snprintf(text, sizeof text, "%s of %s", what, sn_class_name(e->cls));
        for (int k = i; k < n; k++) {
            const sn_entry *f = &m->entry[SN_SEC_ELEMENTS][k];
            if (told[k] || f->cls != e->cls || (slots_text(d, f, damped, other), strcmp(what, other) != 0))
                continue;
            told[k] = 1;
            if (count++ < 3)
                at += snprintf(text + at, sizeof text - (size_t)at, "%s '%s'", count > 1 ? "," : "", f->name);
        }
        if (count > 3) snprintf(text + at, sizeof text - (size_t)at, " and %d more", count - 3);
        s = line(to, "zero", text);
    }
    sn_free(told);
    return s;
}

/* Whether anything takes energy out near rest: the rates' part of the tangent. */
static sn_status is_damped(sn_context *d, int *damped, sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef with_C = {d->zero, d->one, d->zero, d->one, 1};
    double *v = sn_alloc((size_t)m->nv + 1, sizeof *v);
    if (!v) return SN_OUT_OF_MEM(err);
    memcpy(v, d->x->v, sizeof *v * (size_t)m->nv);
    sn_clear(d->x->v, m->nv);
    sn_status s = sn_system_eval(d->w, d->x, &with_C, err);
    *damped = 0;
    for (int j = 0; !s && j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) *damped |= m->Ai[k] < m->nv && d->w->Ax[k] != 0;
    memcpy(d->x->v, v, sizeof *v * (size_t)m->nv);
    sn_free(v);
    return s;
}

sn_status sn_find_unwritten(sn_context *d, double mass, sn_tell *line, void *to, sn_err *err)
{
    const sn_model *m = d->m;
    sn_status s = SN_OK;
    int damped = 1, g = 0;
    for (int i = 0; i < 3; i++) g |= m->quantity[m->gravity + i].mark.line || d->p->fixed[m->gravity + i];
    if (mass > 0) SN_TRY(is_damped(d, &damped, err));
    if (mass > 0 && !g) s = line(to, "zero", "gravity");
    if (!s && !damped) s = line(to, "zero", "damping: nothing takes energy out of vibrations");
    if (!s) s = tell_slots(d, damped && mass > 0, line, to);
    for (int i = 0; !s && i < 2; i++) { /* run.end, run.step */
        const int id = m->run.first + (i ? SN_RUN_STEP : SN_RUN_END);
        char text[100];
        if (m->quantity[id].mark.line || d->p->fixed[id]) continue;
        snprintf(text, sizeof text, "%s = %g s", m->quantity[id].name, d->p->x[id]);
        s = line(to, "default", text);
    }
    return s ? SN_OUT_OF_MEM(err) : SN_OK;
}

/* The first number that is a mass and was not written, and follows from nothing; -1. */
static int missing_mass(const sn_context *d, const sn_entry *e)
{
    for (int k = 0, id = e->first; e->slots[k].name; id += e->slot_n[k++])
        if (e->slots[k].flags & SN_OF_MASS && e->slot_n[k] && d->p->x[id] == 0 &&
            !d->m->quantity[id].written && !d->m->quantity[id].expr && !d->p->fixed[id])
            return id;
    return -1;
}

sn_status sn_need_mass(const sn_context *d, int weight, sn_err *err)
{
    const sn_model *m = d->m;
    const double *g = d->w->x + m->gravity;
    sn_status s = SN_OK;
    if (weight && g[0] == 0 && g[1] == 0 && g[2] == 0) return SN_OK;
    for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++) {
        const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][i];
        const int id = e->bad || e->set_of >= 0 || !e->cls ? -1 : missing_mass(d, e);
        if (id < 0) continue;
        const sn_slot *slot = m->quantity[id].slot;
        s = sn_fail(err, SN_ERR_INPUT, &m->quantity[id].mark,
                    "%s '%s': '%s' is missing (%s, in %s%s%s): %s; write %s: 0 for an element without mass",
                    sn_class_name(e->cls), e->name, slot->name, slot->doc, slot->unit,
                    slot->formula ? ", = " : "", slot->formula ? slot->formula : "",
                    weight ? "gravity acts, and it has a weight" : "what moves has a mass", slot->name);
    }
    return s;
}
