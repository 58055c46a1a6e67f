/* Fields of a result on the cells and points of its scene. A field whose objects all have one point is of the
   cells; where some have several, at the corners of a cell or at both ends of a line, it is of the points,
   and constant over cells of one point. */
#include "io/result_field.h"
#include "io/scene.h"

#include <math.h>
#include <string.h>

/* Whether a cell is what an element, or a joint, is drawn as; arms are not. */
static int shows(int group, int joints)
{
    return joints ? group == SN_GROUP_JOINT
                  : group == SN_GROUP_LINE || group == SN_GROUP_BODY || group == SN_GROUP_ELEMENT ||
                        group == SN_GROUP_SURFACE;
}

static int cell_corners(const sn_scene *s, int cell) { return s->end[cell] - (cell ? s->end[cell - 1] : 0); }

/* The place of each object's numbers; room for objects is given, -1 before. SN_ERR_FILE: a row makes no
   sense. */
static sn_status find_rows(const sn_result_field *f, int objects, int *first, int *points)
{
    int at = 0;
    for (int i = 0; i < f->rows; i++) {
        double row = f->row[2 * i];
        int n = (int)f->row[2 * i + 1];
        if (!(row >= 0 && row < objects)) return SN_ERR_FILE;
        first[(int)row] = at, points[(int)row] = n;
        at += n * f->n;
    }
    return SN_OK;
}

static sn_status read_field(sn_scene *s, sn_result_reader *r, int column, sn_scene_field *to, sn_err *err)
{
    sn_result_field f;
    sn_result_table of;
    SN_TRY(sn_result_field_read(r, column, &f, err));
    SN_TRY(sn_result_reader_table(r, f.joints ? "/model/joints" : "/model/elements", &of, err));
    *to = (sn_scene_field){.name = f.name,
                           .column = column,
                           .width = sn_result_reader_column(r, column)->width,
                           .n = f.n,
                           .component = f.component,
                           .first = sn_arena_alloc(&s->arena, (size_t)s->n_cell + 1, sizeof(int)),
                           .points = sn_arena_alloc(&s->arena, (size_t)s->n_cell + 1, sizeof(int))};
    int *first = sn_arena_alloc(&s->arena, (size_t)of.rows + 1, sizeof *first),
        *points = sn_arena_alloc(&s->arena, (size_t)of.rows + 1, sizeof *points);
    if (!to->first || !to->points || !first || !points) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < of.rows; i++) first[i] = -1;
    if (find_rows(&f, of.rows, first, points))
        return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = sn_result_reader_path(r)},
                       "damaged: the rows of the field '%s' make no sense", f.name);
    for (int i = 0; i < s->n_cell; i++) {
        int there = shows(s->group[i], f.joints);
        to->first[i] = there ? first[s->index[i]] : -1;
        to->points[i] = there && to->first[i] >= 0 ? points[s->index[i]] : 0;
        to->at_points |= to->points[i] > 1;
    }
    if (to->width > s->max_field) s->max_field = to->width;
    return SN_OK;
}

sn_status sn_scene_fields(sn_scene *s, sn_result_reader *r, sn_err *err)
{
    int n = sn_result_reader_columns(r);
    s->field = sn_arena_alloc(&s->arena, (size_t)n + 1, sizeof *s->field);
    if (!s->field) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < n; i++)
        if (sn_result_field_name(sn_result_reader_column(r, i)))
            SN_TRY(read_field(s, r, i, &s->field[s->n_field++], err));
    return SN_OK;
}

/* At corner k of a cell: its own number, one for all, or along a line with both ends. */
static double at_corner(const double *y, int n, int points, int k, int corners)
{
    if (points == 1) return y[0];
    if (points == corners) return y[n * k];
    if (points != 2 || corners < 2) return NAN;
    double x = (double)k / (corners - 1);
    return (1 - x) * y[0] + x * y[n];
}

void sn_scene_field_place(const sn_scene *s, const sn_scene_field *f, const double *y, float *out)
{
    size_t total = (size_t)f->n * (size_t)(f->at_points ? s->n_point : s->n_cell);
    for (size_t i = 0; i < total; i++) out[i] = NAN;
    for (int i = 0; i < s->n_cell; i++) {
        int first = i ? s->end[i - 1] : 0, corners = cell_corners(s, i);
        for (int j = 0; f->first[i] >= 0 && j < f->n; j++) {
            const double *own = y + f->first[i] + j;
            if (!f->at_points) out[(size_t)i * (size_t)f->n + (size_t)j] = (float)own[0];
            for (int k = 0; f->at_points && k < corners; k++)
                out[(size_t)s->corner[first + k] * (size_t)f->n + (size_t)j] =
                    (float)at_corner(own, f->n, f->points[i], k, corners);
        }
    }
}
