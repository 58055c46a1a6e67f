/* Placement of included files: vectors turn with each placement on the way out, positions move too, and
   tensors turn on both sides. The numbers as written become quantities of their own, and the slots
   expressions of them.

   In the plane a placement is x, y, angle; in space x, y, z, three angles, and the matrix R = Rz Ry Rx that
   follows from them. Body axes are the global ones of the reference configuration, also of an included file:
   so what is given in body axes turns as well. */
#include "model/compile.h"

#include <math.h>
#include <string.h>

enum { POSITION = 0, ANGLES = 3, MATRIX = 6, MOST = 6 };

static int angle_named(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    (void)where, (void)err;
    return *(const int *)ctx + ANGLES + (name[0] - 'a');
}

sn_status sn_place_matrix(sn_compiler *c, const char *prefix, const sn_mark *mark, int place)
{
    static const char *const entry[9] = {"cos(c)*cos(b)",
                                         "cos(c)*sin(b)*sin(a)-sin(c)*cos(a)",
                                         "cos(c)*sin(b)*cos(a)+sin(c)*sin(a)",
                                         "sin(c)*cos(b)",
                                         "sin(c)*sin(b)*sin(a)+cos(c)*cos(a)",
                                         "sin(c)*sin(b)*cos(a)-cos(c)*sin(a)",
                                         "-sin(b)",
                                         "cos(b)*sin(a)",
                                         "cos(b)*cos(a)"};
    for (int k = 0, id; k < 9; k++) {
        const char *name = sn_arena_printf(&c->m->arena, "include.%s.matrix.%d", prefix, k + 1);
        sn_expr *e;
        if (!name) return SN_OUT_OF_MEM(c->err);
        SN_TRY(sn_quantity_add(c, name, NULL, mark, &id));
        SN_TRY(sn_expr_parse(&c->m->arena, entry[k], mark, angle_named, &place, &e, c->err));
        c->m->quantity[id].expr = e;
    }
    return SN_OK;
}

/* The next scope from here outwards that is placed, or NULL. */
static const sn_scope *placed(const sn_model *m, const sn_scope *scope)
{
    while (scope && (scope->place < 0 || scope->dim != m->dim)) scope = scope->parent;
    return scope;
}

/* Does the formula name another slot that turns, as in "axis.x"? */
static int of_turning(const sn_entry *e, const char *formula)
{
    for (const sn_slot *s = e->slots; s->name; s++) {
        const char *at = s->flags & (SN_ROTATES | SN_PLACED) ? strstr(formula, s->name) : NULL;
        size_t n = strlen(s->name);
        if (at && at[n] == '.' && (at == formula || strchr(" ;(*/+-,", at[-1]))) return 1;
    }
    return 0;
}

/* Is there something to turn? A default that follows from nodes or from other vectors has turned with them.
 */
static int given(int section, const sn_entry *e, const sn_slot *slot)
{
    if (sn_slot_item(section, e, slot)) return 1;
    if (!slot->formula) return (slot->flags & SN_PLACED) && !isnan(slot->def);
    return !strchr(slot->formula, '@') && !of_turning(e, slot->formula) &&
           (section != SN_SEC_ELEMENTS || sn_slot_property(slot, e->item) >= 0);
}

int sn_slot_turns(sn_compiler *c, int section, const sn_entry *e, int k)
{
    const sn_slot *s = &e->slots[k], *first = k && (s[-1].flags & SN_TENSOR) ? s - 1 : s;
    if (!(first->flags & (SN_ROTATES | SN_PLACED | SN_TENSOR)) || !placed(c->m, e->scope)) return 0;
    if (first->flags & SN_TENSOR)
        return c->m->dim == 3 && (given(section, e, first) || given(section, e, first + 1));
    return e->slot_n[k] == c->m->dim && given(section, e, s);
}

/* Entry (i, j) of a symmetric tensor in the order xx, yy, zz, xy, xz, yz. */
static int entry_at(int i, int j) { return i == j ? i : i + j + 2; }

/* Component i, behind one placement, of what lies at `from`. */
static sn_status turned(sn_compiler *c, const sn_scope *scope, int n, int moves, int from, int i,
                        sn_expr **out)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    int p = scope->place, R = p + MATRIX, id[27], k = 0;
    sn_status s;
    if (n == 2) {
        s = sn_expr_rotated(&c->m->arena, moves ? p + i : -1, p + 2, from, from + 1, i, out);
    } else if (n == 3) {
        for (int j = 0; j < 3; j++) id[k++] = R + 3 * i + j, id[k++] = from + j;
        s = sn_expr_products(&c->m->arena, moves ? p + POSITION + i : -1, 3, 2, id, out);
    } else {
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                id[k++] = R + 3 * row[i] + a, id[k++] = R + 3 * col[i] + b;
                id[k++] = from + entry_at(a, b);
            }
        s = sn_expr_products(&c->m->arena, -1, 9, 3, id, out);
    }
    return s ? SN_OUT_OF_MEM(c->err) : SN_OK;
}

/* The n numbers at `from` become those at `id`, through all placements; slot[i]: which table entry each has.
 */
static sn_status carry_out(sn_compiler *c, int section, int index, int n, const sn_slot *const *slot,
                           int from, int id)
{
    sn_model *m = c->m;
    const sn_scope *scope = placed(m, m->entry[section][index].scope), *outer;
    for (; scope; scope = outer) {
        int to = id;
        outer = placed(m, scope->parent);
        for (int i = 0, fresh; outer && i < n; i++) {
            SN_TRY(sn_quantity_slot(c, section, index, slot[i], &m->quantity[id + i].mark, &fresh));
            if (i == 0) to = fresh;
        }
        for (int i = 0; i < n; i++)
            SN_TRY(turned(c, scope, n, slot[0]->flags & SN_PLACED, from, i, &m->quantity[to + i].expr));
        from = to;
    }
    return SN_OK;
}

/* The numbers of a slot as written, behind all others; slot[]: their table entry. */
static sn_status as_written(sn_compiler *c, int section, int index, int k, int id, const sn_slot **slot)
{
    sn_model *m = c->m;
    const sn_slot *s = &m->entry[section][index].slots[k];
    int n = m->entry[section][index].slot_n[k];
    const sn_item *item = sn_slot_item(section, &m->entry[section][index], s);
    const sn_item *part = item ? item->child : NULL;
    for (int i = 0, raw; i < n; i++, part = part ? part->next : NULL) {
        SN_TRY(sn_quantity_slot(c, section, index, s, &m->quantity[id + i].mark, &raw));
        SN_MUST(sn_slot_value(c, section, index, s, part, i, raw));
        slot[i] = s;
    }
    return SN_OK;
}

static int well_formed(int section, const sn_entry *e, int k)
{
    const sn_item *item = sn_slot_item(section, e, &e->slots[k]);
    return !item || (item->type == SN_ITEM_LIST && item->n == e->slot_n[k]);
}

sn_status sn_place_slots(sn_compiler *c, int section, int index)
{
    sn_model *m = c->m;
    const sn_entry *e = &m->entry[section][index];
    const sn_slot *slot[MOST];
    if (!placed(m, e->scope) || e->set_of >= 0) return SN_OK;
    for (int k = 0, id = e->first; e->slots[k].name; id += e->slot_n[k++]) {
        int pair = (e->slots[k].flags & SN_TENSOR) != 0, n = e->slot_n[k];
        if (!sn_slot_turns(c, section, e, k) || (k && e->slots[k - 1].flags & SN_TENSOR)) continue;
        if (!well_formed(section, e, k) || (pair && !well_formed(section, e, k + 1))) continue;
        int from = m->n_quantity;
        SN_TRY(as_written(c, section, index, k, id, slot));
        if (pair) SN_TRY(as_written(c, section, index, k + 1, id + n, slot + n));
        SN_TRY(carry_out(c, section, index, pair ? 2 * n : n, slot, from, id));
    }
    return SN_OK;
}

void sn_place_turn(const sn_model *m, const sn_scope *scope, const double *x, double *R)
{
    for (int i = 0; i < 9; i++) R[i] = i % 4 == 0;
    for (scope = placed(m, scope); scope; scope = placed(m, scope->parent)) {
        double w = x[scope->place + 2], plane[9] = {cos(w), -sin(w), 0, sin(w), cos(w), 0, 0, 0, 1}, B[9];
        const double *A = scope->dim == 3 ? x + scope->place + MATRIX : plane;
        memcpy(B, R, sizeof B);
        for (int i = 0; i < 9; i++) {
            R[i] = 0;
            for (int k = 0; k < 3; k++) R[i] += A[i / 3 * 3 + k] * B[3 * k + i % 3];
        }
    }
}

/* Planar placements are for planar models, spatial ones for spatial models. */
sn_status sn_place_check(sn_compiler *c)
{
    for (const sn_scope *s = c->placed; s; s = s->next)
        if (s->dim != c->m->dim)
            sn_fail(c->err, SN_ERR_INPUT, &c->m->quantity[s->place].mark,
                    c->m->dim == 3 ? "a spatial file is placed by at: [x, y, z] and angles: [ax, ay, az]"
                                   : "a planar file is placed by at: [x, y] and angle");
    return SN_OK;
}
