/* Quality of meshes of surfaces in the reference configuration.

   Of one element with corners y_i: the longest edge over the shortest; the smallest angle at a corner; the
   Jacobian at its corners, c_i = (y_(i+1) - y_i) x (y_(i-1) - y_i) . n along the mean normal n, the smallest
   over the largest (1: a parallelogram; 0 or less: inverted or with a corner that points inwards); and of a
   quadrilateral the warp |x_d . n|/min(|x_r|, |x_s|) with x = x_0 + r x_r + s x_s + r s x_d, -1 <= r, s <= 1.

   Neighbours that share an edge pass it in opposite directions where both are numbered counterclockwise about
   the same normal. Where more than two meet nothing can be said, and little where elements of different
   entries meet at a fold: sides are the writer's choice there.

   Elements that are written one by one count as one mesh. */
#include "analysis/mesh_quality.h"
#include "math/rot3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS = 4, SHOWN = 3 };
static const double pi = 3.14159265358979323846;

typedef struct worst {
    double value;
    int object;
} worst;

/* Of one entry. */
typedef struct quality {
    int triangles, quadrilaterals;
    worst aspect, angle, jacobian, warp;
} quality;

/* Corners of an object that is a surface; how many, or 0. */
static int corners(const sn_values *p, const sn_object *o, double y[][3])
{
    const sn_shape shape = o->host >= 0 ? SN_SHAPE_NONE : sn_element_mesh(o->cls);
    const int n = shape == SN_SHAPE_TRIANGLE || shape == SN_SHAPE_QUADRILATERAL ? sn_shape_corners(shape) : 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) y[i][k] = k < o->dim ? p->X[o->x + o->place[i].x_q + k] : 0;
    return n;
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double from_to(const double *a, const double *b, double *d)
{
    for (int k = 0; k < 3; k++) d[k] = b[k] - a[k];
    return sqrt(dot(d, d));
}

static void note(worst *w, double value, int object, int largest)
{
    if (w->object >= 0 && (largest ? value <= w->value : value >= w->value)) return;
    *w = (worst){value, object};
}

/* |x_d . n| over the shorter of the middle lines */
static double warp(double y[][3], const double *n)
{
    double r[3], s[3], d[3];
    for (int k = 0; k < 3; k++) {
        r[k] = (-y[0][k] + y[1][k] + y[2][k] - y[3][k]) / 4;
        s[k] = (-y[0][k] - y[1][k] + y[2][k] + y[3][k]) / 4;
        d[k] = (y[0][k] - y[1][k] + y[2][k] - y[3][k]) / 4;
    }
    return fabs(dot(d, n)) / sqrt(fmin(dot(r, r), dot(s, s)));
}

static void judge(int n, double y[][3], int object, quality *q)
{
    double area[CORNERS][3], normal[3] = {0, 0, 0}, low = INFINITY, high = 0, least = INFINITY,
                             most = -INFINITY;
    for (int i = 0; i < n; i++) {
        double u[3], w[3], length = from_to(y[i], y[(i + 1) % n], u),
                           back = from_to(y[i], y[(i + n - 1) % n], w);
        low = fmin(low, length), high = fmax(high, length);
        sn_cross3(u, w, area[i]);
        for (int k = 0; k < 3; k++) normal[k] += area[i][k];
        note(&q->angle, acos(fmax(-1, fmin(1, dot(u, w) / (length * back)))), object, 0);
    }
    const double size = sqrt(dot(normal, normal));
    for (int k = 0; k < 3; k++) normal[k] /= size;
    for (int i = 0; i < n; i++)
        least = fmin(least, dot(area[i], normal)), most = fmax(most, dot(area[i], normal));
    note(&q->aspect, high / low, object, 1);
    if (n == 3) {
        q->triangles++;
        return;
    }
    q->quadrilaterals++;
    note(&q->jacobian, least / most, object, 0);
    note(&q->warp, warp(y, normal), object, 1);
}

/* Whether the entry of element i has no other. */
static int is_single(const sn_model *m, int i)
{
    const sn_object *o = m->element.object;
    return (i == 0 || o[i - 1].entry != o[i].entry) &&
           (i + 1 == m->element.n || o[i + 1].entry != o[i].entry);
}

/* Element i by its piece and place, with the name of its entry where that is not said before. */
static int place(const sn_values *p, int i, int named, char *out, size_t size)
{
    const sn_object *o = &p->model->element.object[i];
    const char *name = p->model->entry[SN_SEC_ELEMENTS][o->entry].name;
    double y[CORNERS][3], x[3] = {0, 0, 0};
    char piece[100] = "", whose[80] = "";
    const int n = corners(p, o, y), single = is_single(p->model, i);
    for (int c = 0; c < n; c++)
        for (int k = 0; k < 3; k++) x[k] += y[c][k] / n;
    if (single || named) snprintf(whose, sizeof whose, "'%.60s'%s", name, single ? "" : ", ");
    if (!single) snprintf(piece, sizeof piece, "piece %d", o->piece + 1);
    return snprintf(out, size, "%s%s at [%.4g, %.4g, %.4g]", whose, piece, x[0], x[1], x[2]);
}

/* Of one entry, or (e NULL) of elements that are written one by one. */
static sn_status tell(const sn_values *p, const sn_entry *e, const quality *q, sn_quality_line *add, void *to)
{
    char text[1200], whose[100] = "", at[4][200] = {"", "", "", ""};
    const worst *w[4] = {&q->aspect, &q->angle, &q->jacobian, &q->warp};
    for (int i = 0; i < 4; i++)
        if (w[i]->object >= 0) place(p, w[i]->object, 0, at[i], sizeof at[i]);
    if (e) snprintf(whose, sizeof whose, "'%.60s'", e->name);
    int n = snprintf(text, sizeof text, "%s: ", e ? whose : "of elements written one by one");
    if (q->quadrilaterals)
        n += snprintf(text + n, sizeof text - (size_t)n, "%d quadrilateral%s%s", q->quadrilaterals,
                      q->quadrilaterals == 1 ? "" : "s", q->triangles ? ", " : "");
    if (q->triangles)
        n += snprintf(text + n, sizeof text - (size_t)n, "%d triangle%s", q->triangles,
                      q->triangles == 1 ? "" : "s");
    if (e) snprintf(whose, sizeof whose, "'%.60s', ", e->name);
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "; longest to shortest edge at worst %.3g (%s), smallest angle %.3g deg (%s)",
                  q->aspect.value, at[0], q->angle.value * 180 / pi, at[1]);
    if (q->quadrilaterals)
        snprintf(text + n, sizeof text - (size_t)n, ", smallest Jacobian ratio %.3g (%s), warp %.3g (%s)",
                 q->jacobian.value, at[2], q->warp.value, at[3]);
    SN_TRY(add(to, "mesh", text));
    if (q->jacobian.object >= 0 && q->jacobian.value <= 0) {
        snprintf(text, sizeof text, "%s%s: a corner points inwards, or the element is turned inside out",
                 whose, at[2]);
        SN_TRY(add(to, "badmesh", text));
    }
    if (q->warp.object >= 0 && q->warp.value > 0.2) {
        snprintf(text, sizeof text, "%s%s: badly warped (%.3g): where it is thin it will be too stiff", whose,
                 at[3], q->warp.value);
        SN_TRY(add(to, "badmesh", text));
    }
    return SN_OK;
}

/* ---- neighbours ---- */

typedef struct side {
    int low, high, along, object; /* along: from the lower node to the higher */
} side;

static int by_nodes(const void *a, const void *b)
{
    const side *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->object > y->object) - (x->object < y->object);
}

/* Along the normal of an element's corners 1, 2 and its last one. */
static void normal_of(const sn_values *p, int object, double *n)
{
    double y[CORNERS][3], u[3], w[3];
    const int count = corners(p, &p->model->element.object[object], y);
    from_to(y[0], y[1], u), from_to(y[0], y[count - 1], w);
    sn_cross3(u, w, n);
    const double size = sqrt(dot(n, n));
    for (int k = 0; k < 3; k++) n[k] /= size;
}

/* Whether elements a and b with an edge in common go on smoothly there, whichever way they are numbered. */
static int is_smooth(const sn_values *p, int a, int b)
{
    const double steep = 0.7; /* 45 degrees */
    double x[3], y[3];
    normal_of(p, a, x), normal_of(p, b, y);
    return fabs(dot(x, y)) > steep;
}

static sn_status neighbours(const sn_values *p, side *list, int n, sn_quality_line *add, void *to)
{
    const sn_model *m = p->model;
    int found = 0;
    char text[900], whose[100], at[2][200];
    if (n) qsort(list, (size_t)n, sizeof *list, by_nodes);
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && list[end].low == list[i].low && list[end].high == list[i].high;) end++;
        const side *a = &list[i], *b = &list[i + 1];
        if (end - i != 2 || a->along != b->along) continue;
        const sn_object *o = &m->element.object[a->object], *k = &m->element.object[b->object];
        const int one = o->entry == k->entry;
        if (!one && !is_smooth(p, a->object, b->object)) continue;
        if (found++ >= SHOWN) continue;
        place(p, a->object, !one, at[0], sizeof at[0]), place(p, b->object, !one, at[1], sizeof at[1]);
        snprintf(whose, sizeof whose, "'%.60s': ", m->entry[SN_SEC_ELEMENTS][o->entry].name);
        snprintf(text, sizeof text,
                 "%s%s and %s are numbered against each other: their normals point to opposite sides",
                 one ? whose : "", at[0], at[1]);
        SN_TRY(add(to, "badmesh", text));
    }
    if (found <= SHOWN) return SN_OK;
    snprintf(text, sizeof text, "%d more pairs of elements are numbered against each other", found - SHOWN);
    return add(to, "badmesh", text);
}

sn_status sn_mesh_numbering(const sn_values *p, sn_quality_line *add, void *to, sn_err *err)
{
    const sn_model *m = p->model;
    double y[CORNERS][3];
    int n = 0;
    side *list = sn_alloc(CORNERS * (size_t)m->element.n + 1, sizeof *list);
    if (!list) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        const int count = corners(p, o, y);
        for (int k = 0; k < count; k++) {
            int a = o->node[k], b = o->node[(k + 1) % count];
            list[n++] = (side){a < b ? a : b, a < b ? b : a, a < b, i};
        }
    }
    sn_status s = neighbours(p, list, n, add, to);
    sn_free(list);
    return s ? SN_OUT_OF_MEM(err) : SN_OK;
}

sn_status sn_mesh_quality(const sn_values *p, sn_quality_line *add, void *to, sn_err *err)
{
    const sn_model *m = p->model;
    const worst none = {0, -1};
    const quality nothing = {0, 0, none, none, none, none};
    quality singles = nothing;
    int any = 0;
    for (int i = 0, end; i < m->element.n; i = end) {
        const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][m->element.object[i].entry];
        const int single = is_single(m, i);
        quality own = nothing, *q = single ? &singles : &own;
        for (end = i; end < m->element.n && m->element.object[end].entry == m->element.object[i].entry;
             end++) {
            double y[CORNERS][3];
            const int n = corners(p, &m->element.object[end], y);
            if (n) judge(n, y, end, q);
        }
        if (q->triangles + q->quadrilaterals == 0) continue;
        any = 1;
        if (!single && tell(p, e, q, add, to)) return SN_OUT_OF_MEM(err);
    }
    if (singles.triangles + singles.quadrilaterals > 1 && tell(p, NULL, &singles, add, to))
        return SN_OUT_OF_MEM(err);
    return any ? sn_mesh_numbering(p, add, to, err) : SN_OK;
}
