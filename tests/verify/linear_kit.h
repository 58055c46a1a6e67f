/* What tests of linear systems share: a copy of x' = A x + B u, y = C x + D u with its names, and its
   frequency response. */
#ifndef SN_TESTS_VERIFY_LINEAR_KIT_H
#define SN_TESTS_VERIFY_LINEAR_KIT_H

#include "verify/kit.h"

#include <complex.h>
#include <lapacke.h>

enum { LINEAR_MOST = 96 };

typedef struct linear {
    int n, ni, no, about, full, exact, has;
    double *A, *B, *C, *D, *poles, *bound, spin[3];
    int order[LINEAR_MOST];
    char state[LINEAR_MOST][64], input[LINEAR_MOST][64], output[LINEAR_MOST][64];
    char state_unit[LINEAR_MOST][16], input_unit[LINEAR_MOST][16], output_unit[LINEAR_MOST][16];
    char messages[2000];
    sn_linear_options o;
} linear;

static inline double *linear_copy(const double *x, int n)
{
    double *y = malloc(sizeof *y * (size_t)(n + 1));
    if (n && x) memcpy(y, x, sizeof *y * (size_t)n);
    return y;
}

static inline sn_status linear_take(void *ctx, const sn_linear *l, sn_err *err)
{
    linear *s = ctx;
    const sn_linear_system *y = l->system;
    (void)err;
    s->about = l->about;
    memcpy(s->spin, l->spin, sizeof s->spin);
    if (!y) return SN_OK;
    assert_true(y->n <= LINEAR_MOST && y->n_output <= LINEAR_MOST);
    s->has = 1, s->n = y->n, s->ni = y->n_input, s->no = y->n_output, s->full = y->full, s->exact = y->exact;
    s->A = linear_copy(y->A, y->n * y->n), s->B = linear_copy(y->B, y->n * y->n_input);
    s->C = linear_copy(y->C, y->n_output * y->n), s->D = linear_copy(y->D, y->n_output * y->n_input);
    s->poles = linear_copy(y->poles, 2 * y->n);
    s->bound = y->bound ? linear_copy(y->bound, y->n_output * y->n_input) : NULL;
    for (int i = 0; i < y->n; i++) snprintf(s->state[i], 64, "%s", y->state[i]);
    for (int i = 0; i < y->n; i++) snprintf(s->state_unit[i], 16, "%s", y->state_unit[i]);
    for (int i = 0; i < y->n_input; i++) {
        snprintf(s->input[i], 64, "%s", y->input[i]), snprintf(s->input_unit[i], 16, "%s", y->input_unit[i]);
        s->order[i] = y->order[i];
    }
    for (int i = 0; i < y->n_output; i++) snprintf(s->output[i], 64, "%s", y->output[i]);
    for (int i = 0; i < y->n_output; i++) snprintf(s->output_unit[i], 16, "%s", y->output_unit[i]);
    return SN_OK;
}

static inline void linear_message(void *ctx, const char *text)
{
    linear *s = ctx;
    strncat(s->messages, text, sizeof s->messages - strlen(s->messages) - 2);
    strcat(s->messages, "\n");
}

/* Options first: s->o is the default with the kit's run. */
static inline void linear_options(kit *k, linear *s)
{
    memset(s, 0, sizeof *s);
    s->o = sn_linear_options_default(k->m, k->p);
    s->o.run = k->o;
    s->o.take = linear_take, s->o.ctx = s;
    s->o.run.message = linear_message, s->o.run.ctx = s;
}

static inline void linear_make(kit *k, linear *s) { kit_good(k, sn_linearise(k->m, k->p, &s->o, &k->err)); }

static inline void linear_free(linear *s)
{
    free(s->A), free(s->B), free(s->C), free(s->D), free(s->poles), free(s->bound);
    s->A = s->B = s->C = s->D = s->poles = s->bound = NULL;
}

static inline int linear_index(const char (*names)[64], int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(names[i], name)) return i;
    fail_msg("there is no '%s'", name);
    return -1;
}

/* H of output i by input j at s, in terms of the input itself (not its derivative). */
static inline double complex linear_response(const linear *y, const char *output, const char *input,
                                             double complex s)
{
    static double complex M[LINEAR_MOST * LINEAR_MOST], b[LINEAR_MOST];
    lapack_int pivot[LINEAR_MOST];
    int n = y->n, i = linear_index(y->output, y->no, output), j = linear_index(y->input, y->ni, input);
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++) M[c * n + r] = (r == c ? s : 0) - y->A[r * n + c];
        b[r] = y->B[r * y->ni + j];
    }
    if (n)
        assert_int_equal(LAPACKE_zgesv(LAPACK_COL_MAJOR, n, 1, (lapack_complex_double *)M, n, pivot,
                                       (lapack_complex_double *)b, n),
                         0);
    double complex h = y->D[i * y->ni + j];
    for (int c = 0; c < n; c++) h += y->C[i * n + c] * b[c];
    for (int k = 0; k < y->order[j]; k++) h *= s;
    return h;
}

static inline void linear_near(const char *what, double complex x, double complex want, double tolerance)
{
    if (!(cabs(x - want) <= tolerance * cabs(want)))
        fail_msg("%s: %.15g %+.15gi, expected %.15g %+.15gi (%.2g off)", what, creal(x), cimag(x),
                 creal(want), cimag(want), cabs(x - want) / cabs(want));
}

#endif
