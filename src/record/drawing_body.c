/* What a reader needs to draw of bodies: beams and masses as their kinds draw them, sections, shapes, and the
   triangles of the shapes that come from STL files. */
#include "record/drawing.h"
#include "record/section.h"
#include "io/stl.h"

#include <stdio.h>
#include <string.h>

enum { BODY_COLS = 12, SECTION_COLS = 4, SHAPE_COLS = 16, MOST_TRIANGLES = 400000 };

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

/* A shape for drawing: the element's row, place from its node, turn, sizes; all turned with its file. */
static void draw_shape(const sn_model *m, const sn_values *p, const sn_entry *e, int element, double *row)
{
    double own[15] = {0}, R[9];
    const sn_scope *scope = m->entry[SN_SEC_ELEMENTS][m->element.object[element].entry].scope;
    ((const sn_property_class *)e->cls)->draw(p->x + e->first, own);
    sn_place_turn(m, scope, p->x, R);
    row[0] = element;
    for (int i = 0; i < 3; i++) {
        row[1 + i] = R[3 * i] * own[0] + R[3 * i + 1] * own[1] + R[3 * i + 2] * own[2];
        row[13 + i] = own[12 + i];
        for (int j = 0; j < 3; j++)
            row[4 + 3 * i + j] =
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
    sn_drawing_add(d, (sn_result_array){"/model/shapes", n, SHAPE_COLS, row, NULL, name, NULL});
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
    sn_drawing_add(d, (sn_result_array){path, n, 9, copy, NULL, NULL, NULL}), d->single++;
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

/* Lines and masses as their kinds draw them; where a line's section is known its sizes replace those of the
   rectangle that is as stiff. */
sn_status sn_drawing_bodies(sn_drawing *d)
{
    const sn_model *m = d->m;
    int n = 0, k = 0;
    for (int i = 0; i < m->element.n; i++)
        n += ((const sn_element_class *)m->element.object[i].cls)->draw != NULL;
    double *all = sn_arena_alloc(d->arena, (size_t)n * (BODY_COLS + SECTION_COLS) + 1, sizeof *all);
    const char **name = sn_arena_alloc(d->arena, (size_t)n + 1, sizeof *name);
    if (!all || !name) return SN_ERR_MEMORY;
    double *section = all + BODY_COLS * (size_t)n;
    sn_drawing_add(d, (sn_result_array){"/model/bodies", n, BODY_COLS, all, NULL, name, NULL});
    sn_drawing_add(d, (sn_result_array){"/model/sections", n, SECTION_COLS, section, NULL, NULL, NULL});
    for (int i = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        const sn_element_class *cls = o->cls;
        if (!cls->draw) continue;
        double *row = all + BODY_COLS * (size_t)k, *hole = section + SECTION_COLS * (size_t)k;
        sn_section s = {.kind = cls->name};
        if (cls->flags & SN_MESHES) sn_section_of(m, d->p, o, &s);
        row[0] = hole[0] = i;
        cls->draw(d->p->x + o->s, row + 1);
        if (s.outline) memcpy(row + 1, s.size, 2 * sizeof *row);
        hole[1] = s.outline, hole[2] = s.size[2], hole[3] = s.size[3];
        name[k] = sn_drawing_name(d, &m->element, i, k ? name[k - 1] : NULL, s.kind);
        if (!name[k++]) return SN_ERR_MEMORY;
    }
    return SN_OK;
}
