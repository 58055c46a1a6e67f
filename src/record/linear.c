/* Linearised equations as arrays of a result file and as MatrixMarket files: see linear.h. */
#include "record/linear.h"

#include <string.h>

enum {
    DENSE = 400,
    MATRICES = 6,
    SYSTEM = 10,
    EMBEDDED = 6
}; /* DENSE: unknowns of matrices that are written densely, too */

typedef struct matrix {
    const char *name, *doc;
    const sn_sparse *a;
    const char *const *rows;
} matrix;

static void matrices(const sn_linear *l, matrix *all)
{
    const matrix list[MATRICES] = {
        {"M", "of y''", &l->M, l->coordinate},
        {"C", "of y'", &l->C, l->coordinate},
        {"K", "of y", &l->K, l->coordinate},
        {"B", "of y in the equations, of y' in those at velocity level", &l->B, l->equation},
        {"D", "of y in equations at velocity level", &l->D, l->equation},
        {"L", "of the multipliers", &l->L, l->coordinate}};
    memcpy(all, list, sizeof list);
}

typedef struct maker {
    const sn_linear *l;
    sn_arena *arena;
    sn_result_array *out;
    int n;
} maker;

/* The matrix as three arrays by columns and, where it is small, as a whole. */
static sn_status add_sparse(maker *k, const matrix *m)
{
    static const char *const part[3] = {"first", "row", "value"};
    const sn_sparse *a = m->a;
    const char *path[4];
    for (int i = 0; i < 3; i++) path[i] = sn_arena_printf(k->arena, "/sparse/%s/%s", m->name, part[i]);
    path[3] = sn_arena_printf(k->arena, "/matrices/%s", m->name);
    if (!path[0] || !path[1] || !path[2] || !path[3]) return SN_ERR_MEMORY;
    int n = a->first[a->cols];
    sn_result_array *out = k->out + k->n;
    out[0] = (sn_result_array){path[0], a->cols + 1, 1, NULL, a->first, NULL, NULL, NULL};
    out[1] = (sn_result_array){path[1], n, 1, NULL, a->row, NULL, NULL, NULL};
    out[2] = (sn_result_array){path[2], n, 1, a->x, NULL, NULL, NULL, NULL};
    k->n += 3;
    if (k->l->nv + k->l->m > DENSE) return SN_OK;
    double *all = sn_arena_alloc(k->arena, (size_t)a->rows * (size_t)a->cols + 1, sizeof *all);
    if (!all) return SN_ERR_MEMORY;
    for (int j = 0; j < a->cols; j++)
        for (int i = a->first[j]; i < a->first[j + 1]; i++)
            all[(size_t)a->row[i] * (size_t)a->cols + (size_t)j] = a->x[i];
    out[3] = (sn_result_array){path[3], a->rows, a->cols, all, NULL, m->rows, NULL, NULL};
    k->n++;
    return SN_OK;
}

/* Attributes in the arena; the list ends with a NULL name. */
static const sn_result_label *labels(maker *k, int n, const sn_result_label *from)
{
    sn_result_label *to = sn_arena_alloc(k->arena, (size_t)n + 1, sizeof *to);
    if (to) memcpy(to, from, sizeof *to * (size_t)n);
    return to;
}

static sn_status add_axes(maker *k)
{
    static const char *const about[] = {"rest", "steady", "instant"};
    double *spin = sn_arena_alloc(k->arena, 3, sizeof *spin);
    const char **text = sn_arena_alloc(k->arena, 2, sizeof *text);
    if (!spin || !text) return SN_ERR_MEMORY;
    memcpy(spin, k->l->spin, sizeof k->l->spin);
    text[0] = about[k->l->about], text[1] = k->l->axes;
    const sn_result_label all[] = {{"about", -1, &text[0]}, {"axes", -1, &text[1]}};
    const sn_result_label *l = labels(k, 2, all);
    k->out[k->n++] = (sn_result_array){"/linear/axes_spin", 1, 3, spin, NULL, NULL, "rad/s", l};
    return l ? SN_OK : SN_ERR_MEMORY;
}

static sn_status add_system(maker *k)
{
    const sn_linear_system *s = k->l->system;
    const sn_result_label a[] = {{"units", s->n, s->state_unit}},
                          c[] = {{"units", s->n_output, s->output_unit}},
                          b[] = {{"columns", s->n_input, s->input}, {"units", s->n_input, s->input_unit}};
    const sn_result_label *of_a = labels(k, 1, a), *of_b = labels(k, s->n_input ? 2 : 0, b),
                          *of_c = labels(k, s->n_output ? 1 : 0, c);
    if (!of_a || !of_b || !of_c) return SN_ERR_MEMORY;
    sn_result_array *out = k->out + k->n;
    *out++ = (sn_result_array){"/linear/A", s->n, s->n, s->A, NULL, s->state, NULL, s->n ? of_a : NULL};
    *out++ = (sn_result_array){"/linear/B", s->n, s->n_input, s->B, NULL, s->state, NULL, of_b};
    *out++ = (sn_result_array){"/linear/C", s->n_output, s->n, s->C, NULL, s->output, NULL, of_c};
    *out++ = (sn_result_array){"/linear/D", s->n_output, s->n_input, s->D, NULL, s->output, NULL, NULL};
    *out++ = (sn_result_array){"/linear/poles", s->n, 2, s->poles, NULL, NULL, "1/s", NULL};
    *out++ = (sn_result_array){"/linear/order", s->n_input, 1, NULL, s->order, s->input, NULL, NULL};
    if (s->hankel)
        *out++ =
            (sn_result_array){"/linear/hankel", s->full - s->exact, 1, s->hankel, NULL, NULL, NULL, NULL};
    if (s->bound)
        *out++ = (sn_result_array){"/linear/bound", s->n_output, s->n_input, s->bound, NULL,
                                   s->output,       NULL,        NULL};
    k->n = (int)(out - k->out);
    return SN_OK;
}

static sn_status add_embedded(maker *k)
{
    const sn_linear *l = k->l;
    const sn_embedded *e = l->embedded;
    const char **name = sn_arena_alloc(k->arena, (size_t)e->n + 1, sizeof *name);
    if (!name) return SN_ERR_MEMORY;
    for (int i = 0; i < e->n; i++) name[i] = l->coordinate[e->coordinate[i]];
    sn_result_array *out = k->out + k->n;
    *out++ = (sn_result_array){"/independent/coordinate", e->n, 1, NULL, e->coordinate, name, NULL, NULL};
    *out++ = (sn_result_array){"/independent/M", e->n, e->n, e->M, NULL, name, NULL, NULL};
    *out++ = (sn_result_array){"/independent/f", e->n, 1, e->f, NULL, name, NULL, NULL};
    *out++ = (sn_result_array){"/independent/R", l->nv, e->n, e->R, NULL, l->coordinate, NULL, NULL};
    *out++ = (sn_result_array){"/independent/a0", l->nv, 1, e->a0, NULL, l->coordinate, NULL, NULL};
    *out++ = (sn_result_array){"/independent/a", l->nv, 1, e->a, NULL, l->coordinate, NULL, NULL};
    k->n = (int)(out - k->out);
    return SN_OK;
}

sn_status sn_linear_arrays(const sn_linear *l, sn_arena *arena, sn_result_array **out, int *n, sn_err *err)
{
    maker k = {.l = l, .arena = arena};
    matrix all[MATRICES];
    matrices(l, all);
    k.out = *out = sn_arena_alloc(arena, 4 * MATRICES + SYSTEM + EMBEDDED, sizeof **out);
    if (!k.out || add_axes(&k) || (l->system && add_system(&k)) || (l->embedded && add_embedded(&k)))
        return SN_OUT_OF_MEM(err);
    for (int i = 0; i < MATRICES; i++)
        if (add_sparse(&k, &all[i])) return SN_OUT_OF_MEM(err);
    *n = k.n;
    return SN_OK;
}

/* ---- MatrixMarket ---- */

static sn_status system_mtx(const sn_linear_system *s, const sn_mtx_folder *to, sn_err *err)
{
    const struct {
        const char *name, *doc;
        int rows, cols;
        const double *x;
    } all[4] = {{"system_A", "x' = A x + B u", s->n, s->n, s->A},
                {"system_B", "x' = A x + B u", s->n, s->n_input, s->B},
                {"system_C", "y = C x + D u", s->n_output, s->n, s->C},
                {"system_D", "y = C x + D u", s->n_output, s->n_input, s->D}};
    for (int i = 0; i < 4; i++)
        SN_TRY(sn_mtx_write_dense(to, all[i].name, &(sn_mtx_dense){all[i].rows, all[i].cols, all[i].x},
                                  all[i].doc, err));
    SN_TRY(sn_names_write(to, "system_states", s->n, s->state, err));
    SN_TRY(sn_names_write(to, "system_inputs", s->n_input, s->input, err));
    return sn_names_write(to, "system_outputs", s->n_output, s->output, err);
}

sn_status sn_linear_mtx(const sn_linear *l, const sn_mtx_folder *to, sn_err *err)
{
    matrix all[MATRICES];
    matrices(l, all);
    for (int i = 0; i < MATRICES; i++) SN_TRY(sn_mtx_write(to, all[i].name, all[i].a, all[i].doc, err));
    SN_TRY(sn_names_write(to, "coordinates", l->nv, l->coordinate, err));
    SN_TRY(sn_names_write(to, "equations", l->m, l->equation, err));
    return l->system ? system_mtx(l->system, to, err) : SN_OK;
}
