/* Nodes of the meshes of the section `meshes`. Their places are expressions of the mesh's numbers:

     at + [x_axis y_axis z_axis] p

   with p from the kind's formulas (a grid) or scale X (a file). Formulas are parsed once for a mesh: the
   nodes share the programs and differ in the quantities that they are of. Column i of a grid has the quantity
   u = i/n, row j has w = j/m, and behind it the points there of the lines that are followed along it.

   Lines with the points P_0 ... P_k at t = 0 ... 1 are straight between them (their points are nodes), or
   splines: cubic Hermite polynomials with the slopes (P_(i+1) - P_(i-1))/2, at the ends those of the parabola
   through three points; or the arc through three points a, m, b about c: with u = m - a, v = b - a, w = u x
   v, d = |u|^2 v - |v|^2 u it is c + cos(turn t) (a - c) + sin(turn t) e, c = a + d x w/(2 w.w), e = w/|w| x
   (a - c), and half the turn is pi less the angle at m. */
#include "model/surfaces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3 };

/* A mesh while its nodes are made. */
typedef struct net {
    sn_compiler *c;
    int index;
    sn_surface *s;
    const char *name;        /* of its quantities that are no slots */
    int width[2];            /* quantities of a column, of a row */
    int line[SN_MESH_LINES]; /* of a line: where its points begin in a column or row; or -1 */
    int first[2];            /* of the first column and the first row */
} net;

static const sn_entry *entry(const net *n) { return &n->c->m->entry[SN_SEC_MESHES][n->index]; }

static sn_status quantity(net *n, double value, int *id)
{
    SN_TRY(sn_quantity_slot(n->c, SN_SEC_MESHES, n->index, NULL, &entry(n)->item->key_mark, id));
    sn_quantity *q = &n->c->m->quantity[*id];
    q->name = n->name, q->value = value;
    q->dim.known = 2; /* as a number written without a unit; an expression has its own */
    return SN_OK;
}

/* A quantity of a text; names mean what `lookup` says. */
static sn_status formula(net *n, const char *text, sn_expr_lookup *lookup, void *ctx, int *id)
{
    sn_expr *e;
    SN_TRY(quantity(n, 0, id));
    SN_TRY(sn_expr_parse(&n->c->m->arena, text, &entry(n)->item->key_mark, lookup, ctx, &e, n->c->err));
    n->c->m->quantity[*id].expr = e;
    return SN_OK;
}

/* ---- lines ---- */

typedef struct points {
    int n, dim, *id; /* first quantity of each */
} points;

static int slot_first(const sn_entry *e, const char *name, int *count)
{
    int at = e->first;
    for (int k = 0; e->slots[k].name; at += e->slot_n[k++])
        if (!strcmp(e->slots[k].name, name)) return *count = e->slot_n[k], at;
    return *count = 0, -1;
}

static sn_status line_points(net *n, const sn_mesh_line *l, points *p)
{
    int count, corners, first = slot_first(entry(n), l->slot, &count),
                        corner = slot_first(entry(n), "corners", &corners);
    p->dim = l->dim, p->n = 0;
    p->id = sn_arena_alloc(n->c->items, (size_t)count + 2, sizeof *p->id);
    if (!p->id) return SN_OUT_OF_MEM(n->c->err);
    if (l->from) p->id[p->n++] = corner + 3 * (l->from - 1);
    for (int i = 0; i + l->dim <= count; i += l->dim) p->id[p->n++] = first + i;
    if (l->to) p->id[p->n++] = corner + 3 * (l->to - 1);
    return SN_OK;
}

/* Factors of the points of a line at t; how many, from point *from on. */
static int factors(int spline, int n, double t, int *from, double *h)
{
    const double x = t * (n - 1);
    const int i = x >= n - 1 ? n - 2 : (int)x;
    const double s = x - i;
    if (!spline || n < 3) return *from = i, h[0] = 1 - s, h[1] = s, 2;
    const double a = (1 + 2 * s) * (1 - s) * (1 - s), b = s * (1 - s) * (1 - s), c = s * s * (3 - 2 * s),
                 d = s * s * (s - 1);
    double f[4] = {0, a, c, 0}; /* of points i - 1 ... i + 2 */
    int low = i - 1, count = 4;
    if (i > 0)
        f[0] -= b / 2, f[2] += b / 2;
    else /* (-3 P0 + 4 P1 - P2)/2 */
        f[1] -= 1.5 * b, f[2] += 2 * b, f[3] -= b / 2;
    if (i + 2 < n)
        f[1] -= d / 2, f[3] += d / 2;
    else /* (3 P_(n-1) - 4 P_(n-2) + P_(n-3))/2 */
        f[2] += 1.5 * d, f[1] -= 2 * d, f[0] += d / 2;
    int skip = i == 0;
    *from = low + skip;
    if (i + 2 >= n) count--;
    for (int k = skip; k < count; k++) h[k - skip] = f[k];
    return count - skip;
}

/* a, m, b and what follows from them: letters by their first quantities. */
typedef struct arc {
    int of[128];
} arc;

static int arc_name(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    (void)where, (void)err;
    const int first = ((const arc *)ctx)->of[name[0] & 127];
    if (name[1] == 'i') return -1; /* pi */
    return name[1] == '.' ? first + name[2] - 'x' : first;
}

#define CROSS(ay, az, by, bz) "(" ay ")*(" bz ")-(" az ")*(" by ")"
#define UV(i)                 "m." i "-a." i
#define VV(i)                 "b." i "-a." i
#define U2                    "((m.x-a.x)^2+(m.y-a.y)^2+(m.z-a.z)^2)"
#define V2                    "((b.x-a.x)^2+(b.y-a.y)^2+(b.z-a.z)^2)"
#define W2                    "(w.x^2+w.y^2+w.z^2)"

static sn_status arc_frame(net *n, const points *p, arc *a)
{
    static const struct {
        char letter;
        const char *text[AXES];
    } step[] = {
        {'w',
         {CROSS(UV("y"), UV("z"), VV("y"), VV("z")), CROSS(UV("z"), UV("x"), VV("z"), VV("x")),
          CROSS(UV("x"), UV("y"), VV("x"), VV("y"))}},
        {'d',
         {U2 "*(b.x-a.x)-" V2 "*(m.x-a.x)", U2 "*(b.y-a.y)-" V2 "*(m.y-a.y)",
          U2 "*(b.z-a.z)-" V2 "*(m.z-a.z)"}},
        {'c',
         {"a.x+(d.y*w.z-d.z*w.y)/(2*" W2 ")", "a.y+(d.z*w.x-d.x*w.z)/(2*" W2 ")",
          "a.z+(d.x*w.y-d.y*w.x)/(2*" W2 ")"}},
        {'e',
         {"(w.y*(a.z-c.z)-w.z*(a.y-c.y))/sqrt" W2, "(w.z*(a.x-c.x)-w.x*(a.z-c.z))/sqrt" W2,
          "(w.x*(a.y-c.y)-w.y*(a.x-c.x))/sqrt" W2}},
        {'s',
         {"2*(pi-atan2(sqrt" W2 ",(a.x-m.x)*(b.x-m.x)+(a.y-m.y)*(b.y-m.y)+(a.z-m.z)*(b.z-m.z)))", NULL,
          NULL}},
    };
    *a = (arc){.of = {['a'] = p->id[0], ['m'] = p->id[1], ['b'] = p->id[2]}};
    for (size_t k = 0; k < sizeof step / sizeof *step; k++)
        for (int i = 0, id; i < AXES && step[k].text[i]; i++) {
            SN_TRY(formula(n, step[k].text[i], arc_name, a, &id));
            if (!i) a->of[step[k].letter & 127] = id;
        }
    return SN_OK;
}

/* What a line is between its points, where it can be that with so many pieces along it; -1: told. */
static int line_type(const net *n, const sn_mesh_line *l, const points *p)
{
    const sn_entry *e = entry(n);
    const int parts = n->s->divided[l->along] / n->s->refined;
    const int type = p->n < 3 || !((const sn_property_class *)e->cls)->options ? SN_LINE_STRAIGHT : e->opt[0];
    const sn_item *k = sn_item_get(e->item, l->slot);
    const sn_mark *mark = k ? &k->mark : &e->item->key_mark;
    if (p->n < 2)
        return sn_fail(n->c->err, SN_ERR_INPUT, mark, "mesh '%s': '%s' has two points at least", e->name,
                       l->slot),
               -1;
    if (type == SN_LINE_ARC && p->n != 3)
        return sn_fail(n->c->err, SN_ERR_INPUT, mark,
                       "mesh '%s': an arc goes through three points, but '%s' has %d, its ends counted",
                       e->name, l->slot, p->n),
               -1;
    if (type == SN_LINE_STRAIGHT && parts % (p->n - 1))
        return sn_fail(
                   n->c->err, SN_ERR_INPUT, mark,
                   "mesh '%s': '%s' has %d pieces, of which %d elements cannot have as many each: its points "
                   "would be no nodes",
                   e->name, l->slot, p->n - 1, parts),
               -1;
    return type;
}

/* The points of a line in the column or row that begins with quantity `t`. */
static sn_status line_at(net *n, const sn_mesh_line *l, const points *p, int type, const arc *a, double t,
                         int at)
{
    static const char *const place[2][AXES] = {
        {"c.x+cos(s*t)*(a.x-c.x)+sin(s*t)*e.x", "c.y+cos(s*t)*(a.y-c.y)+sin(s*t)*e.y",
         "c.z+cos(s*t)*(a.z-c.z)+sin(s*t)*e.z"},
        {"c.x+cos(s*(1-t))*(a.x-c.x)+sin(s*(1-t))*e.x", "c.y+cos(s*(1-t))*(a.y-c.y)+sin(s*(1-t))*e.y",
         "c.z+cos(s*(1-t))*(a.z-c.z)+sin(s*(1-t))*e.z"}};
    double h[4];
    int id[4], from, made, count = factors(type == SN_LINE_SPLINE, p->n, l->back ? 1 - t : t, &from, h);
    for (int i = 0; i < l->dim; i++) {
        if (type == SN_LINE_ARC) {
            arc own = *a;
            own.of['t'] = at;
            SN_TRY(formula(n, place[l->back][i], arc_name, &own, &made));
            continue;
        }
        for (int k = 0; k < count; k++) id[k] = p->id[from + k] + i;
        SN_TRY(quantity(n, 0, &made));
        if (sn_expr_linear(&n->c->m->arena, count, id, h, 0, &n->c->m->quantity[made].expr))
            return SN_OUT_OF_MEM(n->c->err);
    }
    return SN_OK;
}

/* Columns (axis 0) or rows (1): their quantities. */
static sn_status places_along(net *n, const sn_mesh_form *f, int axis, int **out)
{
    const int m = n->s->divided[axis];
    points p[SN_MESH_LINES];
    int type[SN_MESH_LINES];
    arc a[SN_MESH_LINES];
    n->width[axis] = 1;
    for (int k = 0; k < SN_MESH_LINES && f->line[k].slot; k++) {
        if (f->line[k].along != axis) continue;
        SN_TRY(line_points(n, &f->line[k], &p[k]));
        if ((type[k] = line_type(n, &f->line[k], &p[k])) < 0) return SN_ERR_INPUT;
        if (type[k] == SN_LINE_ARC) SN_TRY(arc_frame(n, &p[k], &a[k]));
        n->line[k] = n->width[axis];
        n->width[axis] += f->line[k].dim;
    }
    if (!(*out = sn_arena_alloc(n->c->items, (size_t)m + 1, sizeof **out))) return SN_OUT_OF_MEM(n->c->err);
    for (int i = 0; i <= m; i++) {
        SN_TRY(quantity(n, (double)i / m, &(*out)[i]));
        for (int k = 0; k < SN_MESH_LINES && f->line[k].slot; k++)
            if (f->line[k].along == axis)
                SN_TRY(line_at(n, &f->line[k], &p[k], type[k], &a[k], (double)i / m, (*out)[i]));
    }
    n->first[axis] = (*out)[0];
    return SN_OK;
}

/* ---- places ---- */

/* Names of a kind's formulas: u, w, points of lines, own slots. */
static int place_name(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    const net *n = ctx;
    const sn_entry *e = entry(n);
    const sn_mesh_form *f = ((const sn_property_class *)e->cls)->form;
    if (!strcmp(name, "u")) return n->first[0];
    if (!strcmp(name, "w")) return n->first[1];
    for (int k = 0; f && k < SN_MESH_LINES && f->line[k].slot; k++) {
        size_t length = strlen(f->line[k].slot);
        if (!strncmp(name, f->line[k].slot, length) && name[length] == '.' && name[length + 1] >= 'x')
            return n->first[f->line[k].along] + n->line[k] + name[length + 1] - 'x';
    }
    int id = sn_slot_find(n->c->m, SN_SEC_MESHES, n->index, name);
    if (id < 0)
        sn_fail(err, SN_ERR_INPUT, where, "the kind '%s' has no number '%s'", sn_entry_kind(0, e->cls), name);
    return id;
}

/* The place of a grid's node as three programs for its first one. */
static sn_status templates(net *n, sn_expr **out)
{
    const sn_entry *e = entry(n);
    const sn_mesh_form *f = ((const sn_property_class *)e->cls)->form;
    for (int i = 0; i < AXES; i++) {
        const char x = (char)('x' + i);
        const char *text =
            sn_arena_printf(n->c->items, "at.%c + x_axis.%c*(%s) + y_axis.%c*(%s) + z_axis.%c*(%s)", x, x,
                            f->place[0], x, f->place[1], x, f->place[2]);
        if (!text) return SN_OUT_OF_MEM(n->c->err);
        SN_TRY(sn_expr_parse(&n->c->m->arena, text, &e->item->key_mark, place_name, n, &out[i], n->c->err));
    }
    return SN_OK;
}

/* The same of node `at`, which is in this column and row. */
static sn_status grid_place(const net *n, sn_expr *const *from, int column, int row, sn_expr **out)
{
    int id[SN_MAX_VARIABLES];
    for (int i = 0; i < AXES; i++) {
        for (int k = 0; k < sn_expr_nvar(from[i]); k++) {
            id[k] = sn_expr_var(from[i], k);
            if (id[k] >= n->first[0] && id[k] < n->first[0] + n->width[0])
                id[k] += column - n->first[0];
            else if (id[k] >= n->first[1] && id[k] < n->first[1] + n->width[1])
                id[k] += row - n->first[1];
        }
        SN_TRY(sn_expr_renamed(&n->c->m->arena, from[i], id, &out[i]));
    }
    return SN_OK;
}

/* scale times the axes, row-major, and before it the place of the origin, 12 quantities. */
static sn_status file_axes(net *n, int *id)
{
    for (int i = 0; i < AXES; i++) {
        char text[64] = "at.x";
        text[3] = (char)('x' + i);
        SN_TRY(formula(n, text, place_name, n, &id[i]));
        for (int k = 0; k < AXES; k++) {
            snprintf(text, sizeof text, "scale*%c_axis.%c", 'x' + k, 'x' + i);
            SN_TRY(formula(n, text, place_name, n, &id[AXES + AXES * i + k]));
        }
    }
    return SN_OK;
}

static sn_status file_place(const net *n, const int *axes, const double *X, sn_expr **out)
{
    const double c[4] = {1, X[0], X[1], X[2]};
    for (int i = 0; i < AXES; i++) {
        const int *row = axes + AXES + AXES * i, id[4] = {axes[i], row[0], row[1], row[2]};
        SN_TRY(sn_expr_linear(&n->c->m->arena, 4, id, c, 0, &out[i]));
    }
    return SN_OK;
}

/* ---- nodes ---- */

/* What all nodes of a mesh have in common. */
typedef struct pattern {
    sn_node node;
    double *value; /* of each number behind the place */
} pattern;

static int no_names(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    (void)ctx;
    sn_fail(err, SN_ERR_INPUT, where, "a mesh does not know '%s', on which its nodes depend", name);
    return -1;
}

/* Number i of a slot where nobody gives one: formulas of nodes that a mesh makes are plain numbers. */
static sn_status default_number(const net *n, const sn_slot *slot, int i, double *x)
{
    const char *text = slot->formula;
    sn_expr *e;
    *x = slot->def;
    if (!text) return SN_OK;
    for (; i > 0 && text; i--) text = strchr(text, ';') ? strchr(text, ';') + 1 : NULL;
    text = text ? sn_arena_strndup(n->c->items, text, strcspn(text, ";")) : "0";
    if (!text) return SN_OUT_OF_MEM(n->c->err);
    SN_TRY(sn_expr_parse(n->c->items, text, &entry(n)->item->key_mark, no_names, NULL, &e, n->c->err));
    *x = sn_expr_value(e, NULL);
    return SN_OK;
}

static sn_status make_pattern(const net *n, pattern *p)
{
    const sn_node_class *cls = entry(n)->node_cls;
    int slots = 0, options = 0, numbers = 0;
    if (!cls)
        return sn_fail(n->c->err, SN_ERR_INPUT, &entry(n)->item->key_mark,
                       "there is no kind of node that all elements on the mesh '%s' can be put on",
                       entry(n)->name);
    while (cls->slots[slots].name) numbers += cls->slots[slots++].n;
    while (cls->options && cls->options[options].name) options++;
    int *slot_n = sn_arena_alloc(&n->c->m->arena, (size_t)slots + 1, sizeof *slot_n),
        *opt = sn_arena_alloc(&n->c->m->arena, (size_t)options + 1, sizeof *opt);
    p->value = sn_arena_alloc(n->c->items, (size_t)numbers + 1, sizeof *p->value);
    if (!slot_n || !opt || !p->value) return SN_OUT_OF_MEM(n->c->err);
    for (int i = 0; i < options; i++) opt[i] = cls->options[i].def;
    for (int k = 0, at = 0; k < slots; k++) {
        slot_n[k] = cls->slots[k].n;
        for (int i = 0; i < slot_n[k]; i++, at++)
            if (k) SN_TRY(default_number(n, &cls->slots[k], i, &p->value[at]));
    }
    p->node = (sn_node){.cls = cls, .slot_n = slot_n, .opt = opt, .mark = entry(n)->item->key_mark};
    return SN_OK;
}

static const char *node_name(const net *n, int at)
{
    const sn_surface *s = n->s;
    char a[48], b[48];
    if (s->id) return sn_arena_printf(&n->c->m->arena, "%s.n%d", entry(n)->name, s->id[at]);
    const int columns = s->divided[0] + !s->closed;
    return sn_arena_printf(&n->c->m->arena, "%s.n%s_%s", entry(n)->name,
                           sn_place_name(s->refined, at % columns, a, sizeof a),
                           sn_place_name(s->refined, at / columns, b, sizeof b));
}

static sn_status add_node(const net *n, const pattern *p, int at, sn_expr *const *place)
{
    sn_model *m = n->c->m;
    sn_node node = p->node;
    node.s = m->n_quantity;
    if (!(node.name = node_name(n, at))) return SN_OUT_OF_MEM(n->c->err);
    for (int k = 0, number = 0, id; node.cls->slots[k].name; k++)
        for (int i = 0; i < node.slot_n[k]; i++, number++) {
            SN_TRY(sn_quantity_slot(n->c, SN_SEC_COUNT, m->n_node, &node.cls->slots[k], &node.mark, &id));
            m->quantity[id].value = p->value[number];
            if (number < AXES) m->quantity[id].expr = place[number];
        }
    return sn_node_add(n->c, node, &n->s->node[at]);
}

/* Names of what is shared, and of the last column of a ring, beside those that nodes have. */
static sn_status other_names(const net *n, int at, int shared)
{
    const sn_surface *s = n->s;
    char a[48], b[48];
    const char *name = shared ? node_name(n, at) : NULL;
    if (shared && (!name || sn_map_put(&n->c->node_name, name, s->node[at]))) return SN_OUT_OF_MEM(n->c->err);
    if (s->id || !s->closed || at % s->divided[0]) return SN_OK;
    name = sn_arena_printf(&n->c->m->arena, "%s.n%s_%s", entry(n)->name,
                           sn_place_name(s->refined, s->divided[0], a, sizeof a),
                           sn_place_name(s->refined, at / s->divided[0], b, sizeof b));
    return !name || sn_map_put(&n->c->node_name, name, s->node[at]) ? SN_OUT_OF_MEM(n->c->err) : SN_OK;
}

static sn_status make_nodes(net *n, const pattern *p)
{
    const sn_surface *s = n->s;
    sn_expr *form[AXES], *place[AXES];
    int *column = NULL, *row = NULL, axes[AXES + AXES * AXES];
    if (s->id) {
        SN_TRY(file_axes(n, axes));
    } else {
        const sn_mesh_form *f = ((const sn_property_class *)entry(n)->cls)->form;
        SN_TRY(places_along(n, f, 0, &column));
        SN_TRY(places_along(n, f, 1, &row));
        SN_TRY(templates(n, form));
    }
    for (int at = 0; at < s->n_node; at++) {
        const int columns = s->id ? 1 : s->divided[0] + !s->closed, shared = s->node[at] >= 0;
        if (!s->used[at]) continue;
        if (!shared) {
            if (s->id ? file_place(n, axes, s->X + AXES * (size_t)at, place)
                      : grid_place(n, form, column[at % columns], row[at / columns], place))
                return SN_OUT_OF_MEM(n->c->err);
            SN_TRY(add_node(n, p, at, place));
        }
        SN_TRY(other_names(n, at, shared));
    }
    return SN_OK;
}

sn_status sn_surface_nodes(sn_compiler *c, int index, const sn_sharing *sharing)
{
    net n = {.c = c, .index = index, .s = c->m->entry[SN_SEC_MESHES][index].surface};
    pattern p = {.value = NULL};
    int some = 0;
    for (int i = 0; i < n.s->n_node; i++) some |= n.s->used[i];
    if (!some) return SN_OK;
    if (!(n.name = sn_arena_printf(&c->m->arena, "meshes.%s", entry(&n)->name))) return SN_OUT_OF_MEM(c->err);
    sn_surface_take(c, index, sharing);
    sn_status s = make_pattern(&n, &p);
    if (!s) s = make_nodes(&n, &p);
    c->m->entry[SN_SEC_MESHES][index].bad |= s != SN_OK;
    return s == SN_ERR_MEMORY ? s : SN_OK;
}
