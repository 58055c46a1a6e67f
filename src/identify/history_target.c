/* What of the model a history stands for: a signal, by its name, or a number of an element or joint that may
   vary in time, "push.force.y". In place of such a number stands a signal that is put into the model, times
   the number's unit; what the model itself says there (a constant load) is replaced by it. Dotted names mean
   what they mean elsewhere (model/address.c), but a signal goes before. */
#include "identify/history.h"
#include "model/compile.h"

#include <string.h>

static const char *signal_name(int i, const void *ctx)
{
    return ((const sn_model *)ctx)->entry[SN_SEC_SIGNALS][i].name;
}

/* "push.force.x, push.force.y ...": what of an entry may vary in time, the first of them. */
static void varying(const sn_entry *e, char *out, size_t size)
{
    int count = 0;
    out[0] = 0;
    for (int k = 0; e->slots && e->slots[k].name; k++) {
        const sn_slot *slot = &e->slots[k];
        int n = slot->n ? slot->n : 1;
        for (int i = 0; (slot->flags & SN_VARIES) && i < n && count < 6; i++, count++) {
            size_t used = strlen(out);
            char component[4] = {'.', "xyz"[i % 3], 0};
            snprintf(out + used, size - used, "%s%s.%s%s", count ? ", " : "", e->name, slot->name,
                     n == 1 ? "" : component);
        }
    }
}

static sn_status no_such(const sn_model *m, const sn_history *h, sn_err *err)
{
    static const int sections[] = {SN_SEC_ELEMENTS, SN_SEC_JOINTS};
    char stem[256], list[400] = "";
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(h->name, "."), h->name);
    for (int k = 0; k < 2; k++) {
        int i = sn_map_get(&m->name[sections[k]], stem);
        if (i < 0) continue;
        varying(&m->entry[sections[k]][i], list, sizeof list);
        if (list[0])
            return sn_fail(err, SN_ERR_INPUT, &h->mark,
                           "'%s' is no signal of the model, and no number of '%s' (did you mean %s?)",
                           h->name, stem, list);
        return sn_fail(err, SN_ERR_INPUT, &h->mark,
                       "'%s' is no signal of the model, and '%s' has no number that may vary in time",
                       h->name, stem);
    }
    const char *near = sn_nearest(h->name, m->n_entry[SN_SEC_SIGNALS], signal_name, m);
    return sn_fail(err, SN_ERR_INPUT, &h->mark,
                   "the model has no '%s' among its signals, nor a number of that name%s%s%s", h->name,
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

/* A name for the signal that no other signal, and no parameter, has: in the file of the entry, and with its
 * prefix. */
static sn_status name_signal(sn_study *s, const sn_model *m, const char *prefix, sn_history *h, sn_err *err)
{
    for (int k = (int)(h - s->history) + 1;; k += s->n_history) {
        h->signal = sn_arena_printf(&s->arena, "%shistory_%d", prefix, k);
        if (!h->signal) return SN_OUT_OF_MEM(err);
        if (sn_map_get(&m->name[SN_SEC_SIGNALS], h->signal) < 0 &&
            sn_map_get(&m->name[SN_SEC_PARAMETERS], h->signal) < 0)
            return SN_OK;
    }
}

/* What may not be put in the place of a number. */
static sn_status check_number(const sn_model *m, const sn_quantity *q, const sn_history *h, sn_err *err)
{
    char list[400] = "";
    int owned = !q->name && (q->section == SN_SEC_ELEMENTS || q->section == SN_SEC_JOINTS);
    const sn_entry *e = owned ? &m->entry[q->section][q->owner] : NULL;
    if (e && q->slot && (q->slot->flags & SN_VARIES)) {
        if (e->scope->turned && (q->slot->flags & (SN_ROTATES | SN_PLACED | SN_TENSOR)))
            return sn_fail(err, SN_ERR_INPUT, &h->mark,
                           "'%s' turns with the file that is included: write a signal into that file and "
                           "name it here",
                           h->name);
        return SN_OK;
    }
    if (e) varying(e, list, sizeof list);
    if (q->slot && (q->slot->flags & SN_VARIES))
        return sn_fail(
            err, SN_ERR_INPUT, &h->mark,
            "'%s' is no number of an element or joint: write a signal into it in the model, and seek "
            "that",
            h->name);
    return sn_fail(err, SN_ERR_INPUT, &h->mark,
                   "'%s' cannot vary in time: a history is a signal, or a number of an element or joint "
                   "that may be one%s%s%s",
                   h->name, list[0] ? " (" : "", list, list[0] ? ")" : "");
}

/* A unit that was asked for must be one of the number's kind. */
static sn_status check_unit(const sn_history *h, const sn_slot *slot, sn_err *err)
{
    double factor;
    sn_dim asked, own;
    if (!h->unit[0] || sn_unit_whole(slot->unit, &factor, &own)) return SN_OK;
    if (sn_unit_whole(h->unit, &factor, &asked))
        return sn_fail(err, SN_ERR_INPUT, &h->mark, "'%s' is no unit; '%s' is in %s", h->unit, h->name,
                       slot->unit);
    return sn_dim_equal(asked, own)
               ? SN_OK
               : sn_fail(err, SN_ERR_INPUT, &h->mark, "'%s' is in %s, which '%s' does not measure", h->name,
                         slot->unit, h->unit);
}

static sn_status resolve_number(sn_study *s, const sn_model *m, int id, sn_history *h, sn_err *err)
{
    const sn_quantity *q = &m->quantity[id];
    SN_TRY(check_number(m, q, h, err));
    const sn_entry *e = &m->entry[q->section][q->owner];
    const sn_slot *slot = e->slots;
    int at = id - e->first, k = 0;
    while (at >= e->slot_n[k]) at -= e->slot_n[k++];
    slot += k;
    SN_TRY(check_unit(h, slot, err));
    SN_TRY(name_signal(s, m, e->scope->prefix, h, err));
    if (!h->unit[0]) h->unit = sn_arena_strndup(&s->arena, slot->unit, strlen(slot->unit));
    h->in.section = sn_section_name[q->section];
    h->in.entry = sn_arena_strndup(&s->arena, e->name, strlen(e->name));
    h->in.key = sn_arena_strndup(&s->arena, slot->name, strlen(slot->name));
    h->in.component = slot->n == 1 ? -1 : at, h->in.n = e->slot_n[k];
    if (!h->unit || !h->in.entry || !h->in.key) return SN_OUT_OF_MEM(err);
    const char *local = h->signal + strlen(e->scope->prefix);
    h->in.text = h->unit[0] ? sn_arena_printf(&s->arena, "%s*(1 %s)", local, h->unit) : local;
    return h->in.text ? SN_OK : SN_OUT_OF_MEM(err);
}

static sn_status check_twice(const sn_study *s, const sn_history *h, sn_err *err)
{
    for (const sn_history *o = s->history; o < h; o++) {
        int same = h->in.entry && o->in.entry
                       ? !strcmp(o->in.entry, h->in.entry) && !strcmp(o->in.section, h->in.section) &&
                             !strcmp(o->in.key, h->in.key) && o->in.component == h->in.component
                       : !h->in.entry && !o->in.entry && !strcmp(o->signal, h->signal);
        if (same) return sn_fail(err, SN_ERR_INPUT, &h->mark, "'%s' and '%s' are the same", o->name, h->name);
    }
    return SN_OK;
}

sn_status sn_history_resolve(sn_study *s, const sn_model *plain, sn_history *h, sn_err *err)
{
    const char *name = strncmp(h->name, "signals.", 8) ? h->name : h->name + 8;
    if (sn_map_get(&plain->name[SN_SEC_SIGNALS], name) >= 0) {
        h->signal = name;
        return check_twice(s, h, err);
    }
    int id = sn_quantity_find(plain, h->name);
    if (id < 0) return no_such(plain, h, err);
    SN_TRY(resolve_number(s, plain, id, h, err));
    return check_twice(s, h, err);
}
