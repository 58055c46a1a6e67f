/* What a reader needs to draw of bodies: sizes of lines, masses and surfaces as their kinds tell them,
   sections, shapes, and the triangles of the shapes that come from STL files. */
#include "record/drawing.h"
#include "record/section.h"
#include "io/stl.h"

#include <stdio.h>
#include <string.h>

enum { LINE_COLS = 15, BODY_COLS = 5, SURFACE_COLS = 2, SHAPE_COLS = 17, MOST_TRIANGLES = 400000 };

/* The shape of an element object, or NULL. */
static const sn_entry *shape_of(const sn_model *m, const sn_object *o)
{
    int i =
        o->piece == 0 ? m->entry[SN_SEC_ELEMENTS][o->entry].property[SN_SEC_SHAPES - SN_SEC_MATERIALS] : -1;
    const sn_entry *e = i < 0 ? NULL : &m->entry[SN_SEC_SHAPES][i];
    return e && ((const sn_property_class *)e->cls)->draw ? e : NULL;
}

int sn_drawing_shape_count(const sn_model *m)
{
    int n = 0;
    for (int i = 0; i < m->element.n; i++) n += shape_of(m, &m->element.object[i]) != NULL;
    return n;
}

/* A shape for drawing: the element's row, form, place from its node, turn, sizes; all turned with its file.
 */
static void draw_shape(const sn_model *m, const sn_values *p, const sn_entry *e, int element, double *row)
{
    double own[15] = {0}, R[9];
    const sn_scope *scope = m->entry[SN_SEC_ELEMENTS][m->element.object[element].entry].scope;
    const sn_property_class *cls = e->cls;
    cls->draw(p->x + e->first, own);
    sn_place_turn(m, scope, p->x, R);
    row[0] = element, row[1] = cls->outline;
    for (int i = 0; i < 3; i++) {
        row[2 + i] = R[3 * i] * own[0] + R[3 * i + 1] * own[1] + R[3 * i + 2] * own[2];
        row[14 + i] = own[12 + i];
        for (int j = 0; j < 3; j++)
            row[5 + 3 * i + j] =
                R[3 * i] * own[3 + j] + R[3 * i + 1] * own[6 + j] + R[3 * i + 2] * own[9 + j];
    }
}

sn_status sn_drawing_shapes(sn_drawing *d)
{
    const sn_model *m = d->m;
    int n = sn_drawing_shape_count(m);
    double *row = sn_arena_alloc(d->arena, (size_t)n * SHAPE_COLS + 1, sizeof *row);
    const char **name = sn_arena_alloc(d->arena, (size_t)n + 1, sizeof *name);
    if (!row || !name) return SN_ERR_MEMORY;
    sn_drawing_add(d, (sn_result_array){"/model/shapes", n, SHAPE_COLS, row, NULL, name, NULL, NULL});
    for (int i = 0, k = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        const sn_entry *e = shape_of(m, o);
        if (!e) continue;
        draw_shape(m, d->p, e, i, row + SHAPE_COLS * (size_t)k);
        name[k] = sn_arena_printf(d->arena, "%s:%s%s%s", *(const char *const *)e->cls, o->name,
                                  e->file ? ":" : "", e->file ? e->file : "");
        if (!name[k++]) return SN_ERR_MEMORY;
    }
    return SN_OK;
}

static void leave_out(const sn_drawing *d, const char *file, const char *why)
{
    char text[SN_ERR_TEXT];
    if (!d->o || !d->o->message) return;
    snprintf(text, sizeof text, "the shape '%s' will not be drawn from this result: %s", file, why);
    d->o->message(d->o->ctx, text);
}

/* One file's triangles, in its own unit and axes. A file that has gone meanwhile, or is very large, is left
   out, with a message. */
static sn_status triangles_of(sn_drawing *d, const char *file, int shape)
{
    double *x, *copy;
    int n;
    char why[80];
    sn_status s = sn_stl_triangles(file, &x, &n, NULL);
    if (s == SN_ERR_MEMORY) return s;
    if (s) {
        leave_out(d, file, "it can no longer be read");
        return SN_OK;
    }
    if (n > MOST_TRIANGLES) {
        snprintf(why, sizeof why, "%d triangles are too many, %d can be drawn", n, MOST_TRIANGLES);
        leave_out(d, file, why);
        sn_free(x);
        return SN_OK;
    }
    const char *path = sn_arena_printf(d->arena, "/model/triangles/%d", shape);
    copy = sn_arena_alloc(d->arena, (size_t)n * 9 + 1, sizeof *copy);
    if (copy && n) memcpy(copy, x, (size_t)n * 9 * sizeof *copy);
    sn_free(x);
    if (!path || !copy) return SN_ERR_MEMORY;
    sn_drawing_add(d, (sn_result_array){path, n, 9, copy, NULL, NULL, NULL, NULL}), d->single++;
    return SN_OK;
}

sn_status sn_drawing_triangles(sn_drawing *d)
{
    for (int i = 0, k = 0; i < d->m->element.n; i++) {
        const sn_entry *e = shape_of(d->m, &d->m->element.object[i]);
        if (e && e->file) SN_TRY(triangles_of(d, e->file, k));
        k += e != NULL;
    }
    return SN_OK;
}

/* ---- sizes ---- */

/* Rows of one shape: numbers of the elements that declare sizes for it. */
typedef struct sized {
    const char *path;
    int cols, n;
    double *row;
} sized;

enum { LINES, BODIES, SURFACES, SIZED };

/* Which of them an object belongs to; -1: none. */
static int sized_as(const sn_object *o)
{
    const sn_geometry *g = ((const sn_element_class *)o->cls)->geometry;
    if (!g || !g->sizes) return -1;
    return g->shape == SN_SHAPE_LINE                                             ? LINES
           : g->shape == SN_SHAPE_POINT                                          ? BODIES
           : g->shape == SN_SHAPE_TRIANGLE || g->shape == SN_SHAPE_QUADRILATERAL ? SURFACES
                                                                                 : -1;
}

/* Where a line's section is known its sizes replace those of the rectangle that is as stiff. */
static void line(const sn_drawing *d, const sn_object *o, const sn_drawn_sizes *z, double *row)
{
    sn_section s;
    sn_section_of(d->m, d->p, o, &s);
    row[1] = s.outline ? s.size[0] : z->height;
    row[2] = s.outline ? s.size[1] : z->width;
    memcpy(row + 3, z->across, sizeof z->across);
    for (int k = 0; k < 2; k++) sn_object_point(d->m, d->p, SN_SEC_ELEMENTS, o, k, row + 6 + 3 * k);
    row[12] = s.outline, row[13] = s.size[2], row[14] = s.size[3];
}

static void fill_sizes(const sn_drawing *d, int what, int element, double *row)
{
    const sn_object *o = &d->m->element.object[element];
    sn_drawn_sizes z = {.height = 0};
    ((const sn_element_class *)o->cls)->geometry->sizes(d->p->x + o->s, o->slot_n, &z);
    row[0] = element;
    if (what == LINES) line(d, o, &z, row);
    if (what == BODIES) {
        row[1] = z.radius;
        sn_object_point(d->m, d->p, SN_SEC_ELEMENTS, o, 0, row + 2);
    }
    if (what == SURFACES) row[1] = z.thickness;
}

sn_status sn_drawing_sizes(sn_drawing *d)
{
    const sn_family *f = &d->m->element;
    sized all[SIZED] = {{"/model/lines", LINE_COLS, 0, NULL},
                        {"/model/bodies", BODY_COLS, 0, NULL},
                        {"/model/surfaces", SURFACE_COLS, 0, NULL}};
    for (int i = 0; i < f->n; i++)
        if (sized_as(&f->object[i]) >= 0) all[sized_as(&f->object[i])].n++;
    for (int k = 0; k < SIZED; k++) {
        sized *s = &all[k];
        s->row = sn_arena_alloc(d->arena, (size_t)s->n * (size_t)s->cols + 1, sizeof *s->row);
        if (!s->row) return SN_ERR_MEMORY;
        sn_drawing_add(d, (sn_result_array){s->path, s->n, s->cols, s->row, NULL, NULL, NULL, NULL});
    }
    for (int i = 0; i < f->n; i++) {
        int k = sized_as(&f->object[i]);
        if (k < 0) continue;
        fill_sizes(d, k, i, all[k].row);
        all[k].row += all[k].cols;
    }
    return SN_OK;
}
