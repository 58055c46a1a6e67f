/* A linear system as a MATLAB file: see linear_mat.h. */
#include "io/linear_mat.h"

enum { VARIABLES = 15 };

/* How many could be made. */
static int variables(const sn_linear *l, sn_arena *a, matvar_t **out)
{
    const sn_linear_system *s = l->system;
    double *order = sn_arena_alloc(a, (size_t)s->n_input + 1, sizeof *order);
    if (!order) return 0;
    for (int i = 0; i < s->n_input; i++) order[i] = s->order[i];
    matvar_t *const all[VARIABLES] = {
        sn_mat_matrix(a, "A", s->n, s->n, s->A),
        sn_mat_matrix(a, "B", s->n, s->n_input, s->B),
        sn_mat_matrix(a, "C", s->n_output, s->n, s->C),
        sn_mat_matrix(a, "D", s->n_output, s->n_input, s->D),
        sn_mat_matrix(a, "poles", s->n, 2, s->poles),
        sn_mat_texts(a, "state_names", s->n, s->state),
        sn_mat_texts(a, "state_units", s->n, s->state_unit),
        sn_mat_texts(a, "input_names", s->n_input, s->input),
        sn_mat_texts(a, "input_units", s->n_input, s->input_unit),
        sn_mat_texts(a, "output_names", s->n_output, s->output),
        sn_mat_texts(a, "output_units", s->n_output, s->output_unit),
        sn_mat_matrix(a, "input_order", 1, s->n_input, order),
        sn_mat_matrix(a, "axes_spin", 1, 3, l->spin),
        sn_mat_matrix(a, "t", 1, 1, &l->state->t),
        sn_mat_matrix(a, "error_bound", s->bound ? s->n_output : 0, s->bound ? s->n_input : 0, s->bound),
    };
    int n = 0;
    for (int i = 0; i < VARIABLES; i++)
        if (all[i]) out[n++] = all[i];
    return n;
}

sn_status sn_linear_mat(const sn_mat_file *to, const sn_linear *l, sn_err *err)
{
    sn_arena arena = {0};
    matvar_t *all[VARIABLES];
    SN_TRY(sn_mat_load(err));
    sn_mat_enter();
    int n = variables(l, &arena, all);
    sn_status s = n == VARIABLES ? sn_mat_write(to, n, all, err) : SN_OUT_OF_MEM(err);
    for (int i = 0; i < n; i++) Mat_VarFree(all[i]);
    sn_mat_leave();
    sn_arena_free(&arena);
    return s;
}
