/* Reduced systems. By orthogonal transformations A becomes quasi-triangular, what is kept exactly first
   (poles that are zero, in chains, unstable or undamped; of modal truncation also the modes that were
   chosen):

       T = [K  T12]     K X - X S = -T12 takes both apart:   H = Hk + Hs
           [0  S  ]

   Modal truncation leaves Hs out; balanced truncation reduces it by its Gramians, S P + P S' + B B' = 0 and
   S'Q + Q S + C'C = 0 (Bartels and Stewart), to the states with the largest Hankel singular values (square
   root method). What is lost is at most twice the sum of those left out (Glover, Enns), at all frequencies.

   Inputs and outputs have units of their own: they are scaled by what each column and row can do. */
#include "analysis/linear_system.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#undef I

/* A pole counts as damped where its real part is this part of its size; Hankel singular values below this
   part of the largest are rounding. */
#define DAMPED  1e-10
#define VISIBLE 1e-10
/* Inputs and outputs are not scaled to the size of others where they are smaller than this part of what they
   could be: they may be rounding. */
#define SMALL 1e-8

typedef struct task {
    sn_linear_work *k;
    int n, zeros, exact, kept; /* kept: exact ones and chosen modes */
    sn_dense T, Q;
    double *re, *im; /* n - zeros poles, in the order of T */
    sn_dense S, B[2], C[2];
    double *by_input, *by_output; /* sizes of both */
    sn_dense P, O;                /* factors of the Gramians */
    sn_dense U, V;                /* of O'P = U diag V' */
    double *hankel;
    int modes; /* states of Hs that are kept */
} task;

static sn_status failed(sn_err *err)
{
    return sn_fail(err, SN_ERR_NUMERIC, NULL, "reduction: the poles could not be taken apart");
}

static int damped(const task *t, int i) { return t->re[i] < -DAMPED * hypot(t->re[i], t->im[i]); }

typedef struct pole {
    double size;
    int at;
} pole;

static int by_size(const void *a, const void *b)
{
    const pole *x = a, *y = b;
    return x->size != y->size ? (x->size > y->size) - (x->size < y->size) : x->at - y->at;
}

/* Of modal truncation: the slowest, pairs together. */
static sn_status slowest(task *t, lapack_logical *chosen, sn_err *err)
{
    const int n = t->n - t->zeros;
    pole *all = sn_arena_alloc(t->k->arena, (size_t)n + 1, sizeof *all);
    int count = 0, room = t->k->o->reduce - t->zeros;
    if (!all) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < n; i++)
        if (chosen[i])
            room--;
        else if (!(t->im[i] < 0))
            all[count++] = (pole){hypot(t->re[i], t->im[i]), i};
    qsort(all, (size_t)count, sizeof *all, by_size);
    for (int i = 0; i < count; i++) {
        int pair = t->im[all[i].at] > 0 ? 2 : 1;
        if (room < pair) break;
        room -= pair;
        for (int j = 0; j < pair; j++) chosen[all[i].at + j] = 1;
    }
    return SN_OK;
}

static sn_status choose(task *t, lapack_logical *chosen, sn_err *err)
{
    const int n = t->n - t->zeros, modal = t->k->o->modal;
    t->exact = t->zeros;
    for (int i = 0; i < n; i++) {
        chosen[i] = modal ? t->re[i] > DAMPED * hypot(t->re[i], t->im[i]) : !damped(t, i);
        t->exact += chosen[i];
    }
    if (t->k->o->reduce < t->exact)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "a system of %d states cannot be had: %d belong to poles that are zero%s, which are "
                       "kept exactly",
                       t->k->o->reduce, t->exact, modal ? " or unstable" : ", undamped or unstable");
    return modal ? slowest(t, chosen, err) : SN_OK;
}

/* T and Q of what is left behind the zeros, what is to be kept first. */
static sn_status quasi_triangular(task *t, sn_err *err)
{
    sn_arena *a = t->k->arena;
    const int n = t->n, z = t->zeros, k = n - z;
    sn_dense R = sn_dense_new(a, k, k), Z = sn_dense_new(a, k, k), X = sn_dense_new(a, z, k),
             Qr = sn_dense_new(a, n, k);
    lapack_logical *chosen = sn_arena_alloc(a, (size_t)k + 1, sizeof *chosen);
    lapack_int first = 0;
    lapack_int whole = 0;
    double s = 0, sep = 0, *work = sn_arena_alloc(a, (size_t)k + 1, sizeof *work);
    t->re = sn_arena_alloc(a, (size_t)k + 1, sizeof *t->re),
    t->im = sn_arena_alloc(a, (size_t)k + 1, sizeof *t->im);
    if (!R.x || !Z.x || !X.x || !Qr.x || !work || !chosen || !t->re || !t->im) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < n; i++)
            *(i < z ? sn_dense_at(&X, i, j) : sn_dense_at(&R, i - z, j)) = *sn_dense_at(&t->T, i, z + j);
        memcpy(sn_dense_at(&Qr, 0, j), sn_dense_at(&t->Q, 0, z + j), sizeof(double) * (size_t)n);
    }
    if (k && LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', NULL, k, R.x, k, &first, t->re, t->im, Z.x, k))
        return failed(err);
    SN_TRY(choose(t, chosen, err));
    /* with memory of our own: LAPACKE hands on none for whole numbers, and dtrsen writes there */
    if (k && LAPACKE_dtrsen_work(LAPACK_COL_MAJOR, 'N', 'V', chosen, k, R.x, k, Z.x, k, t->re, t->im, &first,
                                 &s, &sep, work, k, &whole, 1))
        return failed(err);
    t->kept = z + (int)first;
    sn_dense XZ = sn_dense_product(a, 1, &X, &Z), QZ = sn_dense_product(a, 1, &Qr, &Z);
    if (!XZ.x || !QZ.x) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < n; i++)
            *sn_dense_at(&t->T, i, z + j) = i < z ? *sn_dense_at(&XZ, i, j) : *sn_dense_at(&R, i - z, j);
        memcpy(sn_dense_at(&t->Q, 0, z + j), sn_dense_at(&QZ, 0, j), sizeof(double) * (size_t)n);
    }
    return SN_OK;
}

/* A block of A. */
static sn_dense block(sn_arena *a, const sn_dense *A, int row, int rows, int col, int cols)
{
    sn_dense B = sn_dense_new(a, rows, cols);
    for (int j = 0; B.x && j < cols; j++)
        for (int i = 0; i < rows; i++) *sn_dense_at(&B, i, j) = *sn_dense_at(A, row + i, col + j);
    return B;
}

/* Both parts with their inputs and outputs. */
static sn_status take_apart(task *t, sn_err *err)
{
    sn_linear_work *k = t->k;
    sn_arena *a = k->arena;
    const int n = t->n, m = t->kept, s = n - m;
    sn_dense SB = sn_dense_new(a, n, k->B.cols), CS = sn_dense_new(a, k->C.rows, n);
    if (!SB.x || !CS.x) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < SB.cols; j++) *sn_dense_at(&SB, i, j) = *sn_dense_at(&k->B, i, j) / k->scale[i];
        for (int j = 0; j < CS.rows; j++) *sn_dense_at(&CS, j, i) = *sn_dense_at(&k->C, j, i) * k->scale[i];
    }
    sn_dense QB = sn_dense_rows_by(a, &t->Q, 0, n, &SB), CQ = sn_dense_product(a, 1, &CS, &t->Q);
    if (!QB.x || !CQ.x) return SN_OUT_OF_MEM(err);
    sn_dense K = block(a, &t->T, 0, m, 0, m), X = block(a, &t->T, 0, m, m, s);
    t->S = block(a, &t->T, m, s, m, s);
    t->B[0] = block(a, &QB, 0, m, 0, QB.cols), t->B[1] = block(a, &QB, m, s, 0, QB.cols);
    t->C[0] = block(a, &CQ, 0, CQ.rows, 0, m), t->C[1] = block(a, &CQ, 0, CQ.rows, m, s);
    if (!K.x || !X.x || !t->S.x || !t->B[0].x || !t->B[1].x || !t->C[0].x || !t->C[1].x)
        return SN_OUT_OF_MEM(err);
    double f = 1;
    if (m && s && LAPACKE_dtrsyl(LAPACK_COL_MAJOR, 'N', 'N', -1, m, s, K.x, m, t->S.x, s, X.x, m, &f) < 0)
        return failed(err);
    if (sn_dense_norm(&X) / f > 1e5)
        sn_context_message(
            k->p->d,
            "the states left out and those kept are nearly the same (%.1e): the reduced system has "
            "lost digits",
            sn_dense_norm(&X) / f);
    sn_dense_add_product(1 / f, &X, &t->B[1], &t->B[0]); /* X has the other sign */
    sn_dense_add_product(-1 / f, &t->C[0], &X, &t->C[1]);
    return SN_OK;
}

/* A factor R of a Gramian G = R R' by S G + G S' = -F F', or transposed. */
static sn_status gramian(task *t, const sn_dense *F, int transposed, sn_dense *R, sn_err *err)
{
    const int n = t->S.rows;
    sn_dense Ft = sn_dense_transpose(t->k->arena, F);
    double *w = sn_arena_alloc(t->k->arena, (size_t)n + 1, sizeof *w), f = 1;
    if (!Ft.x || !w) return SN_OUT_OF_MEM(err);
    *R = sn_dense_product(t->k->arena, -1, F, &Ft);
    if (!R->x) return SN_OUT_OF_MEM(err);
    if (n && LAPACKE_dtrsyl(LAPACK_COL_MAJOR, transposed ? 'T' : 'N', transposed ? 'N' : 'T', 1, n, n, t->S.x,
                            n, t->S.x, n, R->x, n, &f) < 0)
        return failed(err);
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            double mean = (*sn_dense_at(R, i, j) + *sn_dense_at(R, j, i)) / (2 * f);
            *sn_dense_at(R, i, j) = *sn_dense_at(R, j, i) = mean;
        }
    if (n && LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', n, R->x, n, w)) return failed(err);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) *sn_dense_at(R, i, j) *= w[j] > 0 ? sqrt(w[j]) : 0;
    return SN_OK;
}

/* The length of row i of A, or of column i. */
static double length(const sn_dense *A, int i, int row)
{
    double sum = 0;
    for (int j = 0; j < (row ? A->cols : A->rows); j++)
        sum = hypot(sum, row ? *sn_dense_at(A, i, j) : *sn_dense_at(A, j, i));
    return sum;
}

static sn_status hankel(task *t, sn_err *err)
{
    sn_arena *a = t->k->arena;
    const int n = t->S.rows, ni = t->B[1].cols, no = t->C[1].rows;
    t->by_input = sn_arena_alloc(a, (size_t)ni + 1, sizeof *t->by_input);
    t->by_output = sn_arena_alloc(a, (size_t)no + 1, sizeof *t->by_output);
    t->hankel = sn_arena_alloc(a, (size_t)n + 1, sizeof *t->hankel);
    sn_dense B = sn_dense_transpose(a, &t->B[1]), C = sn_dense_transpose(a, &t->C[1]);
    if (!t->by_input || !t->by_output || !t->hankel || !B.x || !C.x) return SN_OUT_OF_MEM(err);
    B = sn_dense_transpose(a, &B);
    if (!B.x) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < ni; j++) {
        double size = t->by_input[j] = fmax(length(&B, j, 0), SMALL * length(&t->B[0], j, 0));
        for (int i = 0; size > 0 && i < n; i++) *sn_dense_at(&B, i, j) /= size;
    }
    SN_TRY(gramian(t, &B, 0, &t->P, err));
    sn_dense seen = sn_dense_product(a, 1, &t->C[1], &t->P);
    if (!seen.x) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < no; j++) {
        double most = hypot(length(&t->C[1], j, 1), length(&t->C[0], j, 1)) * sn_dense_norm(&t->P),
               size = t->by_output[j] = fmax(length(&seen, j, 1), SMALL * most);
        for (int i = 0; size > 0 && i < n; i++) *sn_dense_at(&C, i, j) /= size;
    }
    SN_TRY(gramian(t, &C, 1, &t->O, err));
    sn_dense OP = sn_dense_rows_by(a, &t->O, 0, n, &t->P);
    t->U = sn_dense_new(a, n, n), t->V = sn_dense_new(a, n, n);
    if (!OP.x || !t->U.x || !t->V.x) return SN_OUT_OF_MEM(err);
    if (n && LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'A', n, n, OP.x, n, t->hankel, t->U.x, n, t->V.x, n))
        return failed(err);
    return SN_OK;
}

/* What |H| can be off at most. */
static sn_status bounds(task *t, sn_err *err)
{
    const int n = t->S.rows, ni = t->B[1].cols, no = t->C[1].rows;
    double rest = 0;
    /* the values themselves are known to the root of rounding */
    for (int i = n - 1; i >= t->modes; i--)
        rest += t->hankel ? t->hankel[i] + 1.5e-8 * t->hankel[0] : INFINITY;
    t->k->bound = sn_arena_alloc(t->k->arena, (size_t)ni * (size_t)no + 1, sizeof *t->k->bound);
    if (!t->k->bound) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < no; i++)
        for (int j = 0; j < ni; j++)
            t->k->bound[i * ni + j] = t->hankel  ? 2 * rest * t->by_output[i] * t->by_input[j]
                                      : rest > 0 ? INFINITY
                                                 : 0;
    return SN_OK;
}

/* Hs with its first states: left and right transformations. */
static sn_status truncate(task *t, sn_dense *left, sn_dense *right, sn_err *err)
{
    sn_arena *a = t->k->arena;
    const int n = t->S.rows, r = t->modes;
    sn_dense U = block(a, &t->U, 0, n, 0, r), V = sn_dense_new(a, n, r);
    if (!U.x || !V.x) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < r; j++)
        for (int i = 0; i < n; i++) {
            *sn_dense_at(&V, i, j) = *sn_dense_at(&t->V, j, i) / sqrt(t->hankel[j]);
            *sn_dense_at(&U, i, j) /= sqrt(t->hankel[j]);
        }
    sn_dense OU = sn_dense_product(a, 1, &t->O, &U);
    *right = sn_dense_product(a, 1, &t->P, &V);
    if (!OU.x || !right->x) return SN_OUT_OF_MEM(err);
    *left = sn_dense_transpose(a, &OU);
    return left->x ? SN_OK : SN_OUT_OF_MEM(err);
}

/* The reduced system in the place of the full one. */
static sn_status replace(task *t, sn_err *err)
{
    sn_linear_work *k = t->k;
    sn_arena *a = k->arena;
    const int m = t->kept, n = m + t->modes;
    sn_dense left, right, A = sn_dense_new(a, n, n), B = sn_dense_new(a, n, k->n_input),
                          C = sn_dense_new(a, k->n_output, n);
    SN_TRY(truncate(t, &left, &right, err));
    sn_dense SR = sn_dense_product(a, 1, &t->S, &right), Br = sn_dense_product(a, 1, &left, &t->B[1]),
             Cr = sn_dense_product(a, 1, &t->C[1], &right);
    if (!A.x || !B.x || !C.x || !SR.x || !Br.x || !Cr.x) return SN_OUT_OF_MEM(err);
    sn_dense Ar = sn_dense_product(a, 1, &left, &SR);
    k->state = sn_arena_alloc(a, (size_t)n + 1, sizeof *k->state);
    k->scale = sn_arena_alloc(a, (size_t)n + 1, sizeof *k->scale);
    if (!Ar.x || !k->state || !k->scale) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            *sn_dense_at(&A, i, j) = i < m && j < m     ? *sn_dense_at(&t->T, i, j)
                                     : i >= m && j >= m ? *sn_dense_at(&Ar, i - m, j - m)
                                                        : 0;
        for (int i = 0; i < k->n_input; i++)
            *sn_dense_at(&B, j, i) = j < m ? *sn_dense_at(&t->B[0], j, i) : *sn_dense_at(&Br, j - m, i);
        for (int i = 0; i < k->n_output; i++)
            *sn_dense_at(&C, i, j) = j < m ? *sn_dense_at(&t->C[0], i, j) : *sn_dense_at(&Cr, i, j - m);
        k->state[j] = (sn_named){sn_arena_printf(a, "z%d", j + 1), ""}, k->scale[j] = 1;
        if (!k->state[j].name) return SN_OUT_OF_MEM(err);
    }
    k->A = A, k->B = B, k->C = C;
    return SN_OK;
}

sn_status sn_linear_reduce(sn_linear_work *k, sn_err *err)
{
    const sn_state_space s = {.n = k->A.rows, .A = k->A.x, .scale = k->scale, .regular = k->regular};
    const int modal = k->o->modal;
    task t = {.k = k, .n = s.n};
    if (k->o->reduce < 0)
        return sn_fail(err, SN_ERR_INPUT, NULL, "a system of %d states cannot be had", k->o->reduce);
    if (!k->n_input || !k->n_output)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "a system without %s cannot be reduced: nothing says what counts",
                       k->n_input ? "outputs" : "inputs");
    if (k->o->reduce >= s.n) return SN_OK;
    t.T = t.Q = (sn_dense){s.n, s.n, NULL};
    SN_TRY(sn_state_space_split(&s, k->arena, &t.T.x, &t.Q.x, &t.zeros, err));
    SN_TRY(quasi_triangular(&t, err));
    SN_TRY(take_apart(&t, err));
    int rest_damped = 1;
    for (int i = t.kept - t.zeros; i < t.n - t.zeros; i++) rest_damped &= damped(&t, i);
    if (rest_damped) SN_TRY(hankel(&t, err));
    for (t.modes = 0; !modal && t.modes < k->o->reduce - t.kept; t.modes++)
        if (!(t.hankel[t.modes] > VISIBLE * t.hankel[0])) break;
    SN_TRY(bounds(&t, err));
    k->exact = t.exact;
    if (!modal) k->hankel = t.hankel;
    return replace(&t, err);
}
