/* The unit an unknown is shown in: the one that its start value was written with in the study, or its value
   in the model; else that of its slot, or of its dimension. */
#include "identify/read.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 40 };

/* A number with a unit, and nothing else, at the head of a text: "230 kN/m". */
static int unit_behind(const char *text, char *unit, double *factor, sn_dim *dim)
{
    char *end;
    size_t n;
    strtod(text, &end);
    if (end == text) return 0;
    end += strspn(end, " \t");
    n = strcspn(end, ",}]#\n\r");
    while (n && (end[n - 1] == ' ' || end[n - 1] == '\t')) n--;
    if (!n || n >= LONGEST) return 0;
    memcpy(unit, end, n);
    unit[n] = 0;
    return sn_unit_whole(unit, factor, dim) == SN_OK;
}

/* The text at a place of a file. */
static const char *text_at(const sn_mark *m)
{
    const char *p = m->source;
    for (int line = 1; p && line < m->line; line++) p = (p = strchr(p, '\n')) ? p + 1 : NULL;
    size_t n = p ? strcspn(p, "\n") : 0;
    return p && m->col >= 1 && (size_t)m->col <= n ? p + m->col - 1 : NULL;
}

static sn_status set(sn_study *s, sn_unknown *u, const char *si, const char *shown, double factor,
                     sn_err *err)
{
    u->unit = sn_arena_strndup(&s->arena, si, strlen(si));
    u->shown = sn_arena_strndup(&s->arena, shown, strlen(shown));
    u->shown_factor = factor;
    return u->unit && u->shown ? SN_OK : SN_OUT_OF_MEM(err);
}

sn_status sn_read_unit_as(sn_study *s, const sn_item *start, const char *unit, sn_unknown *u, sn_err *err)
{
    const sn_dimension want = sn_read_unit_dimension(unit);
    char as[LONGEST];
    double factor;
    sn_dim dim;
    if (!strcmp(unit, "1")) unit = "";
    if (start && unit_behind(start->text, as, &factor, &dim) && want.known == 1 &&
        sn_dim_equal(dim, want.dim))
        return set(s, u, unit, as, factor, err);
    return set(s, u, unit, unit, 1, err);
}

sn_status sn_read_shown_unit(sn_study *s, const sn_item *start, sn_unknown *u, sn_err *err)
{
    const sn_quantity *q = &s->model->quantity[u->id];
    const char *const text[] = {start ? start->text : NULL, text_at(&q->mark)};
    char unit[LONGEST], si[LONGEST];
    double factor;
    sn_dim dim;
    for (int i = 0; i < 2; i++)
        if (text[i] && unit_behind(text[i], unit, &factor, &dim) &&
            (q->dim.known != 1 || sn_dim_equal(dim, q->dim.dim)) && sn_unit_si(unit, si, sizeof si))
            return set(s, u, si, unit, factor, err);
    if (q->slot && q->slot->unit && strcmp(q->slot->unit, "1") != 0)
        return set(s, u, q->slot->unit, q->slot->unit, 1, err);
    si[0] = 0;
    if (q->dim.known == 1 && !sn_dim_equal(q->dim.dim, (sn_dim){0, 0, 0}))
        sn_dim_text(q->dim.dim, si, sizeof si);
    return set(s, u, si, si, 1, err);
}
