/* Tapered beams: numbers that depend on xi, the place along a beam, are different ones for each of its
   pieces.

   Expressions name one quantity xi. An element entry some of whose slots depend on it, directly or through
   properties, other numbers of beams or what it is a load on, gets a set of quantities for each piece k of n:
   all its slots, xi = (k + 1/2)/n, and every number between the two, with the same programs on other
   variables. Slots that do not depend on xi are repeated too, because a kind sees its slots as one array:
   their expression is the number itself.
   Entries that do not use xi are left alone: their pieces share one set, unless the line is bent (bent.c). */
#include "model/compile.h"

int sn_taper_known(sn_compiler *c, int section, int entry)
{
    const sn_model *m = c->m;
    if (section == SN_SEC_MATERIALS || section == SN_SEC_SECTIONS) return 1;
    if (section != SN_SEC_ELEMENTS) return 0;
    const sn_entry *e = &m->entry[section][entry];
    if (e->cls && sn_is_load(c, e)) e = &m->entry[section][sn_element_named(c, e, sn_arg_item(e, 0))];
    return e->cls && sn_element_mesh(e->cls) == SN_SHAPE_LINE;
}

/* Mark what depends on xi; nothing that has no place along a beam may. Shapes can: bodies that use one
 * cannot.
 */
static int mark(sn_compiler *c, const int *queue, int n)
{
    sn_model *m = c->m;
    int some = 0;
    m->quantity[m->along].tapers = 1;
    for (int k = 0; k < n; k++) {
        char name[256];
        sn_quantity *q = queue[k] < m->n_quantity ? &m->quantity[queue[k]] : NULL;
        for (int v = 0; q && q->expr && v < sn_expr_nvar(q->expr); v++) {
            int id = sn_expr_var(q->expr, v);
            q->tapers |= id < SN_VAR_SIGNAL && m->quantity[id].tapers;
        }
        if (!q || !q->expr || !q->tapers) continue;
        some = 1;
        if (q->section == SN_SEC_SHAPES || sn_taper_known(c, q->section, q->owner)) continue;
        sn_fail(c->err, SN_ERR_INPUT, &q->mark,
                "'%s' cannot depend on a number that varies along a beam (with 'xi')",
                sn_quantity_name(m, queue[k], name, sizeof name));
        q->tapers = 0; /* told once: what follows from it is not */
    }
    return some;
}

/* The set of one piece: list[j] is the quantity of the entry that its j-th number belongs to, place[id] that
   number j, or -1. */
typedef struct set {
    int *list, *place, n, cap;
} set;

static sn_status put(set *t, int id)
{
    if (t->place[id] >= 0) return SN_OK;
    if (sn_grow(&t->list, &t->cap, t->n + 1, sizeof *t->list)) return SN_ERR_MEMORY;
    t->place[id] = t->n;
    t->list[t->n++] = id;
    return SN_OK;
}

/* The entry's slots, xi, and whatever lies between. */
static sn_status collect(const sn_model *m, const sn_entry *e, set *t)
{
    for (int i = 0; i < e->n; i++) SN_TRY(put(t, e->first + i));
    SN_TRY(put(t, m->along));
    for (int j = 0; j < t->n; j++) {
        const sn_expr *x = m->quantity[t->list[j]].expr;
        for (int v = 0; x && v < sn_expr_nvar(x); v++) {
            int id = sn_expr_var(x, v);
            if (id < SN_VAR_SIGNAL && m->quantity[id].tapers) SN_TRY(put(t, id));
        }
    }
    return SN_OK;
}

/* One more set of quantities, for the place xi along entry `index`. */
static sn_status add_piece(sn_compiler *c, const set *t, int index, double xi)
{
    sn_model *m = c->m;
    int base = m->n_quantity, to[SN_MAX_VARIABLES];
    if (sn_grow(&m->quantity, &m->cap_quantity, base + t->n, sizeof *m->quantity) ||
        sn_grow(&m->piece_number, &m->cap_piece_number, m->n_piece_number + t->n, sizeof *m->piece_number))
        return SN_ERR_MEMORY;
    for (int j = 0; j < t->n; j++) {
        int along = t->list[j] == m->along;
        sn_quantity *q = &m->quantity[m->n_quantity++];
        *q = m->quantity[t->list[j]];
        m->piece_number[m->n_piece_number++] =
            (sn_piece_number){along ? -1 : t->list[j], base + t->place[m->along]};
        q->name = along ? "xi" : NULL;
        if (along) q->value = xi, q->owner = index;
        if (!along && !q->tapers)
            SN_TRY(sn_expr_linear(&m->arena, 1, &t->list[j], (const double[]){1}, 0, &q->expr));
        if (!q->expr || !q->tapers) continue;
        for (int v = 0; v < sn_expr_nvar(q->expr); v++) {
            int id = sn_expr_var(q->expr, v), piece = id < SN_VAR_SIGNAL ? t->place[id] : -1;
            to[v] = piece < 0 ? id : base + piece;
        }
        SN_TRY(sn_expr_renamed(&m->arena, q->expr, to, &q->expr));
    }
    return SN_OK;
}

static sn_status add_pieces(sn_compiler *c, sn_entry *e, int index, int n, const set *t)
{
    sn_model *m = c->m;
    if (m->n_quantity + (double)t->n * n > SN_MAX_NUMBERS)
        return sn_fail(c->err, SN_ERR_INPUT, &e->item->key_mark, SN_TOO_MANY_NUMBERS, SN_MAX_NUMBERS);
    e->piece_first = m->n_quantity;
    e->piece_n = t->n;
    for (int k = 0; k < n; k++)
        if (add_piece(c, t, index, (k + 0.5) / n)) return SN_OUT_OF_MEM(c->err);
    return SN_OK;
}

static sn_status taper(sn_compiler *c, int index, set *t)
{
    sn_model *m = c->m;
    sn_entry *e = &m->entry[SN_SEC_ELEMENTS][index], *host = e;
    const int bent = sn_bent(e);
    int uses = bent;
    for (int i = 0; e->cls && i < e->n; i++) uses |= m->quantity[e->first + i].tapers;
    if (!uses) return SN_OK;
    if (sn_is_load(c, e)) host = &m->entry[SN_SEC_ELEMENTS][sn_element_named(c, e, sn_arg_item(e, 0))];
    t->n = 0;
    if (collect(m, e, t)) return SN_OUT_OF_MEM(c->err);
    sn_status s = add_pieces(c, e, index, host->pieces, t);
    for (int j = 0; j < t->n; j++) t->place[t->list[j]] = -1;
    return s || !bent ? s : sn_bend(c, e);
}

sn_status sn_compile_tapers(sn_compiler *c, const int *queue, int n)
{
    sn_model *m = c->m;
    set t = {0};
    sn_status s = SN_OK;
    int some = mark(c, queue, n);
    for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++) some |= sn_bent(&m->entry[SN_SEC_ELEMENTS][i]);
    if (!some) return SN_OK;
    if (!SN_NEW(t.place, m->n_quantity)) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < m->n_quantity; i++) t.place[i] = -1;
    for (int i = 0; s != SN_ERR_MEMORY && i < m->n_entry[SN_SEC_ELEMENTS]; i++) s = taper(c, i, &t);
    sn_free(t.place);
    sn_free(t.list);
    return s == SN_ERR_MEMORY ? s : SN_OK;
}
