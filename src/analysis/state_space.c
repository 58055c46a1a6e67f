/* Minimal coordinates of small motions: see state_space.h. With Z a basis of the motions that equations
   between positions allow, y = Z e, N of those that equations between rates allow, e' = Ne e + Ni u, and Yl
   of the forces that reactions cannot balance,

       [1  0          ] [e']   [ Ne                             Ni               ] [e]
       [0  Yl'A2 Z Ni ] [u'] = [ -Yl'(A0 Z + (A1 Z + A2 Z Ne) Ne)   ...          ] [u]

   Where the matrix on the left is singular (coordinates of first order or without mass) some rows say what
   holds at each moment: variables are eliminated by them until it is regular. All bases are made by choosing
   coordinates, so that what is left are coordinates and rates with names. */
#include "analysis/state_space.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

/* Rank decisions, on rows and columns of comparable size. */
#define RANK_EQUATIONS 1e-10
#define RANK_MASS      1e-12

typedef struct dense {
    int rows, cols;
    double *x; /* by columns */
} dense;

static double *entry(const dense *A, int i, int j) { return A->x + (size_t)j * (size_t)A->rows + i; }

static dense matrix(sn_arena *a, int rows, int cols)
{
    return (dense){rows, cols, sn_arena_alloc(a, (size_t)rows * (size_t)cols + 1, sizeof(double))};
}

/* C += f A B */
static void add_product(double f, const dense *A, const dense *B, dense *C)
{
    for (int j = 0; j < B->cols; j++)
        for (int k = 0; k < A->cols; k++) {
            double b = f * *entry(B, k, j);
            const double *a = entry(A, 0, k);
            double *c = entry(C, 0, j);
            for (int i = 0; b != 0 && i < A->rows; i++) c[i] += a[i] * b;
        }
}

static dense product(sn_arena *arena, double f, const dense *A, const dense *B)
{
    dense C = matrix(arena, A->rows, B->cols);
    if (C.x) add_product(f, A, B, &C);
    return C;
}

static dense transpose(sn_arena *arena, const dense *A)
{
    dense T = matrix(arena, A->cols, A->rows);
    for (int j = 0; T.x && j < A->cols; j++)
        for (int i = 0; i < A->rows; i++) *entry(&T, j, i) = *entry(A, i, j);
    return T;
}

/* The null space of B by a choice of variables: x = Z x_free. weight: the greater, the rather a variable is
   eliminated; or NULL. *kept: which are free. Returns the rank, -1: out of memory. */
typedef struct null_space {
    dense Z;
    int *kept;
    int rank;
} null_space;

static void unit_rows(dense *B)
{
    for (int i = 0; i < B->rows; i++) {
        double sum = 0;
        for (int j = 0; j < B->cols; j++) sum = hypot(sum, *entry(B, i, j));
        for (int j = 0; sum > 0 && j < B->cols; j++) *entry(B, i, j) /= sum;
    }
}

/* x <- R^-1 x with the upper triangle of A. (LAPACK's would want a buffer of 128 MB.) */
static void back_substitution(const dense *A, int n, double *x)
{
    for (int k = n - 1; k >= 0; k--) {
        x[k] /= *entry(A, k, k);
        for (int i = 0; i < k; i++) x[i] -= *entry(A, i, k) * x[k];
    }
}

static sn_status null_space_of(sn_arena *arena, const dense *given, const double *weight, double small,
                               null_space *out, sn_err *err)
{
    const int m = given->rows, n = given->cols, most = m < n ? m : n;
    dense B = matrix(arena, m, n);
    lapack_int *pivot = sn_arena_alloc(arena, (size_t)n + 1, sizeof *pivot);
    double *tau = sn_arena_alloc(arena, (size_t)most + 1, sizeof *tau);
    out->kept = sn_arena_alloc(arena, (size_t)n + 1, sizeof *out->kept);
    if (!B.x || !pivot || !tau || !out->kept) return SN_OUT_OF_MEM(err);
    memcpy(B.x, given->x, sizeof(double) * (size_t)m * (size_t)n);
    unit_rows(&B);
    for (int j = 0; weight && j < n; j++)
        for (int i = 0; i < m; i++) *entry(&B, i, j) *= weight[j];
    int r = 0;
    for (int j = 0; j < n; j++) pivot[j] = 0;
    if (m && n && LAPACKE_dgeqp3(LAPACK_COL_MAJOR, m, n, B.x, m, pivot, tau)) return SN_OUT_OF_MEM(err);
    for (int j = 0; !(m && n) && j < n; j++) pivot[j] = j + 1;
    while (r < most && fabs(*entry(&B, r, r)) > small * fabs(B.x[0])) r++;
    out->rank = r;
    out->Z = matrix(arena, n, n - r);
    if (!out->Z.x) return SN_OUT_OF_MEM(err);
    for (int j = r; j < n; j++) back_substitution(&B, r, entry(&B, 0, j));
    for (int j = 0; j < n - r; j++) {
        int to = pivot[r + j] - 1;
        out->kept[j] = to;
        *entry(&out->Z, to, j) = 1;
        for (int i = 0; i < r; i++) {
            int from = pivot[i] - 1;
            double f = weight ? weight[from] / weight[to] : 1;
            *entry(&out->Z, from, j) = -f * *entry(&B, i, r + j);
        }
    }
    return SN_OK;
}

/* ---- the second-order system ---- */

typedef struct task {
    sn_arena arena;
    const sn_motion *p;
    const sn_model *m;
    double *size;    /* nv: of increments that compare with each other */
    double rate;     /* of rates: the fastest, by the norms of stiffness and mass */
    null_space z, n; /* of positions; of rates among them */
    dense Z, Yl, Ne, Ni;
    dense E, F, X; /* E x' = F x; X: of (e, u) by x */
    int *of;
    double *scale;
} task;

/* Rows of kept equations at a level (0: positions), or columns of L (2), by scaled coordinates. */
static dense equations(task *t, int which, const double *A)
{
    const sn_model *m = t->m;
    const unsigned char *dropped = t->p->d->w->dropped;
    int rows = 0, *row = sn_arena_alloc(&t->arena, (size_t)m->m + 1, sizeof *row);
    if (!row) return (dense){0, 0, NULL};
    for (int i = 0; i < m->m; i++) {
        int wanted = !dropped[i] && (which == 2 || m->velocity[i] == which);
        row[i] = wanted ? rows++ : -1;
    }
    dense B = matrix(&t->arena, rows, m->nv);
    for (int j = 0; B.x && j < m->n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            int i = m->Ai[k];
            if (which == 2 && j >= m->nv && i < m->nv && row[j - m->nv] >= 0)
                *entry(&B, row[j - m->nv], i) = A[k] * t->size[i];
            else if (which < 2 && j < m->nv && i >= m->nv && row[i - m->nv] >= 0)
                *entry(&B, row[i - m->nv], j) = A[k] * t->size[j];
        }
    return B;
}

/* Yl'(A Z), A among the coordinates, scaled. */
static dense reduced(task *t, const double *A)
{
    const sn_model *m = t->m;
    dense AZ = matrix(&t->arena, m->nv, t->Z.cols), Yt = transpose(&t->arena, &t->Yl);
    if (!AZ.x || !Yt.x) return (dense){0, 0, NULL};
    for (int c = 0; c < t->Z.cols; c++)
        for (int j = 0; j < m->nv; j++) {
            double z = *entry(&t->Z, j, c) * t->size[j];
            for (int k = m->Ap[j]; z != 0 && k < m->Ap[j + 1] && m->Ai[k] < m->nv; k++)
                *entry(&AZ, m->Ai[k], c) += A[k] * z * t->size[m->Ai[k]];
        }
    return product(&t->arena, 1, &Yt, &AZ);
}

static double norm(const dense *A)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)A->rows * (size_t)A->cols; i++) sum = hypot(sum, A->x[i]);
    return sum;
}

/* e' = Ne e + Ni u by the equations between rates, G Z e' + D Z e = 0; rates counted in units of `rate`. */
static sn_status rates(task *t, sn_err *err)
{
    const int ne = t->Z.cols;
    dense G = equations(t, 1, t->p->A[1]), D = equations(t, 1, t->p->A[0]);
    if (!G.x || !D.x) return SN_OUT_OF_MEM(err);
    dense GZ = product(&t->arena, t->rate, &G, &t->Z), DZ = product(&t->arena, 1, &D, &t->Z);
    dense both = matrix(&t->arena, G.rows, 2 * ne);
    double *weight = sn_arena_alloc(&t->arena, 2 * (size_t)ne + 1, sizeof *weight);
    if (!GZ.x || !DZ.x || !both.x || !weight) return SN_OUT_OF_MEM(err);
    size_t half = (size_t)G.rows * (size_t)ne;
    memcpy(both.x, DZ.x, sizeof(double) * half), memcpy(both.x + half, GZ.x, sizeof(double) * half);
    /* only rates are eliminated */
    for (int i = 0; i < 2 * ne; i++) weight[i] = i < ne ? 1e-12 : 1;
    SN_TRY(null_space_of(&t->arena, &both, weight, RANK_EQUATIONS, &t->n, err));
    int free_rates = 0;
    for (int j = 0; j < t->n.Z.cols; j++) free_rates += t->n.kept[j] >= ne;
    t->Ne = matrix(&t->arena, ne, ne), t->Ni = matrix(&t->arena, ne, free_rates);
    t->of = sn_arena_alloc(&t->arena, 2 * (size_t)ne + 1, sizeof *t->of);
    if (!t->Ne.x || !t->Ni.x || !t->of) return SN_OUT_OF_MEM(err);
    for (int j = 0, at = 0; j < t->n.Z.cols; j++) {
        int from = t->n.kept[j], rate = from >= ne;
        double *to = rate ? entry(&t->Ni, 0, at) : entry(&t->Ne, 0, from);
        if (rate) t->of[ne + at++] = t->m->nv + t->z.kept[from - ne];
        for (int i = 0; i < ne; i++) to[i] = *entry(&t->n.Z, ne + i, j);
    }
    for (int i = 0; i < ne; i++) t->of[i] = t->z.kept[i];
    return SN_OK;
}

/* E and F over (e, u), u in units of `rate`: e' = rate (Ne e + Ni u). */
static sn_status first_order(task *t, sn_err *err)
{
    sn_arena *a = &t->arena;
    dense R[3];
    for (int o = 0; o < 3; o++)
        if (!(R[o] = reduced(t, t->p->A[o])).x) return SN_OUT_OF_MEM(err);
    double k = norm(&R[0]), mass = norm(&R[2]), c = norm(&R[1]);
    t->rate = k > 0 && mass > 0 ? sqrt(k / mass) : c > 0 && mass > 0 ? c / mass : c > 0 && k > 0 ? k / c : 1;
    SN_TRY(rates(t, err));
    const int ne = t->Z.cols, ni = t->Ni.cols, n = ne + ni;
    if (R[0].rows != ni)
        return sn_fail(err, SN_ERR_NUMERIC, NULL,
                       "linearisation: the reactions do not balance the equations (rank %d of %d)", R[0].rows,
                       ni);
    dense MN = product(a, t->rate, &R[2], &t->Ni), CN = product(a, t->rate, &R[1], &t->Ni),
          MNe = product(a, t->rate, &R[2], &t->Ne);
    t->E = matrix(a, n, n), t->F = matrix(a, n, n), t->X = matrix(a, n, n);
    if (!MN.x || !CN.x || !MNe.x || !t->E.x || !t->F.x || !t->X.x) return SN_OUT_OF_MEM(err);
    add_product(t->rate, &MNe, &t->Ni, &CN);    /* by u */
    add_product(t->rate, &R[1], &t->Ne, &R[0]); /* by e */
    add_product(t->rate, &MNe, &t->Ne, &R[0]);
    for (int j = 0; j < n; j++) {
        *entry(&t->X, j, j) = 1;
        for (int i = 0; i < ne; i++) {
            *entry(&t->E, i, j) = i == j;
            *entry(&t->F, i, j) = t->rate * (j < ne ? *entry(&t->Ne, i, j) : *entry(&t->Ni, i, j - ne));
        }
        for (int i = 0; i < ni; i++) {
            *entry(&t->E, ne + i, j) = j < ne ? 0 : *entry(&MN, i, j - ne);
            *entry(&t->F, ne + i, j) = -(j < ne ? *entry(&R[0], i, j) : *entry(&CN, i, j - ne));
        }
    }
    return SN_OK;
}

/* ---- rows that hold at each moment ---- */

/* Rows of E and F of comparable size, with time in units of the fastest rate. */
static void equilibrate(task *t)
{
    for (int i = 0; i < t->E.rows; i++) {
        double top = 0;
        for (int j = 0; j < t->E.cols; j++)
            top = fmax(top, fmax(fabs(*entry(&t->E, i, j)), fabs(*entry(&t->F, i, j)) / t->rate));
        for (int j = 0; top > 0 && j < t->E.cols; j++) *entry(&t->E, i, j) /= top, *entry(&t->F, i, j) /= top;
    }
}

/* Orthonormal combinations of the rows of E: the first `rank` span them, of the others E has nothing. */
static sn_status combinations(task *t, dense *U, int *rank, sn_err *err)
{
    const int n = t->E.rows;
    double top = 0;
    dense S = matrix(&t->arena, n, n);
    *U = matrix(&t->arena, n, n);
    *rank = 0;
    if (!S.x || !U->x) return SN_OUT_OF_MEM(err);
    memcpy(S.x, t->E.x, sizeof(double) * (size_t)n * (size_t)n);
    return n ? sn_range(n, S.x, RANK_MASS, &top, U->x, rank, err) : SN_OK;
}

static dense part_of_rows(sn_arena *arena, const dense *U, int from, int to, const dense *A)
{
    dense R = matrix(arena, to - from, A->cols);
    for (int j = 0; R.x && j < A->cols; j++)
        for (int i = from; i < to; i++) {
            double sum = 0;
            for (int k = 0; k < A->rows; k++) sum += *entry(U, k, i) * *entry(A, k, j);
            *entry(&R, i - from, j) = sum;
        }
    return R;
}

/* Variables are eliminated by the rows without E: those with no mass first, then positions. */
static sn_status eliminate(task *t, const dense *U, int rank, sn_err *err)
{
    sn_arena *a = &t->arena;
    const int n = t->E.cols;
    dense F2 = part_of_rows(a, U, rank, n, &t->F), E1 = part_of_rows(a, U, 0, rank, &t->E),
          F1 = part_of_rows(a, U, 0, rank, &t->F);
    double *weight = sn_arena_alloc(a, (size_t)n + 1, sizeof *weight);
    int *of = sn_arena_alloc(a, (size_t)n + 1, sizeof *of);
    null_space z;
    if (!F2.x || !E1.x || !F1.x || !weight || !of) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < n; j++) {
        double mass = 0;
        for (int i = 0; i < t->E.rows; i++) mass = fmax(mass, fabs(*entry(&t->E, i, j)));
        weight[j] = mass <= 1e-9 ? 1 : t->of[j] < t->m->nv ? 1e-3 : 1e-6;
    }
    SN_TRY(null_space_of(a, &F2, weight, RANK_EQUATIONS * 1e-3, &z, err));
    if (z.rank < n - rank)
        return sn_fail(
            err, SN_ERR_NUMERIC, NULL,
            "linearisation: nothing determines some motion: coordinates without mass need a stiffness, "
            "a damping or an equation that holds them");
    t->E = product(a, 1, &E1, &z.Z), t->F = product(a, 1, &F1, &z.Z), t->X = product(a, 1, &t->X, &z.Z);
    if (!t->E.x || !t->F.x || !t->X.x) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < z.Z.cols; j++) of[j] = t->of[z.kept[j]];
    t->of = of;
    return SN_OK;
}

/* F <- E^-1 F, by the orthogonal factors of E. */
static sn_status solve_all(task *t, sn_err *err)
{
    const int n = t->E.rows;
    lapack_int *pivot = sn_arena_alloc(&t->arena, (size_t)n + 1, sizeof *pivot);
    double *tau = sn_arena_alloc(&t->arena, (size_t)n + 1, sizeof *tau);
    dense X = matrix(&t->arena, n, n);
    if (!pivot || !tau || !X.x) return SN_OUT_OF_MEM(err);
    if (n && (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, n, t->E.x, n, pivot, tau) ||
              LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', n, n, n, t->E.x, n, tau, t->F.x, n)))
        return SN_OUT_OF_MEM(err);
    for (int j = 0; j < n; j++) {
        back_substitution(&t->E, n, entry(&t->F, 0, j));
        for (int i = 0; i < n; i++) *entry(&X, pivot[i] - 1, j) = *entry(&t->F, i, j);
    }
    t->F = X;
    return SN_OK;
}

static sn_status regular(task *t, sn_err *err)
{
    for (;;) {
        dense U;
        int rank = 0;
        equilibrate(t);
        SN_TRY(combinations(t, &U, &rank, err));
        if (rank == t->E.rows) break;
        SN_TRY(eliminate(t, &U, rank, err));
    }
    return solve_all(t, err);
}

/* ---- all ---- */

/* Out of scaled states into those with units. */
static sn_status deliver(task *t, sn_state_space *s, sn_err *err)
{
    const int nv = t->m->nv, n = t->F.cols, ne = t->Z.cols;
    size_t square = (size_t)n * (size_t)n, tall = (size_t)nv * (size_t)n;
    s->nv = nv, s->n = n;
    s->of = sn_arena_alloc(&s->arena, (size_t)n + 1, sizeof *s->of);
    s->scale = sn_arena_alloc(&s->arena, (size_t)n + 1, sizeof *s->scale);
    s->A = sn_arena_alloc(&s->arena, square + 1, sizeof *s->A);
    s->Y = sn_arena_alloc(&s->arena, tall + 1, sizeof *s->Y);
    s->V = sn_arena_alloc(&s->arena, tall + 1, sizeof *s->V);
    dense e = matrix(&t->arena, ne, n), rate = matrix(&t->arena, ne, n);
    if (!s->of || !s->scale || !s->A || !s->Y || !s->V || !e.x || !rate.x) return SN_OUT_OF_MEM(err);
    dense u = matrix(&t->arena, t->Ni.cols, n);
    if (!u.x) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < t->X.rows; i++)
            *(i < ne ? entry(&e, i, j) : entry(&u, i - ne, j)) = *entry(&t->X, i, j);
    add_product(t->rate, &t->Ne, &e, &rate), add_product(t->rate, &t->Ni, &u, &rate);
    dense Y = product(&t->arena, 1, &t->Z, &e), V = product(&t->arena, 1, &t->Z, &rate);
    if (!Y.x || !V.x) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < n; j++) {
        int of = s->of[j] = t->of[j];
        s->scale[j] = of < nv ? t->size[of] : t->size[of - nv] * t->rate;
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            s->A[(size_t)j * (size_t)n + (size_t)i] = *entry(&t->F, i, j) * s->scale[i] / s->scale[j];
        for (int i = 0; i < nv; i++) {
            size_t at = (size_t)j * (size_t)nv + (size_t)i;
            s->Y[at] = *entry(&Y, i, j) * t->size[i] / s->scale[j];
            s->V[at] = *entry(&V, i, j) * t->size[i] / s->scale[j];
        }
    }
    return SN_OK;
}

static sn_status make(task *t, sn_state_space *s, sn_err *err)
{
    const sn_context *d = t->p->d;
    t->size = sn_arena_alloc(&t->arena, (size_t)t->m->nv + 1, sizeof *t->size);
    if (!t->size) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < t->m->nv; i++) t->size[i] = d->p->length * d->w->scale[i];
    dense B = equations(t, 0, t->p->A[0]), L = equations(t, 2, t->p->A[0]);
    if (!B.x || !L.x) return SN_OUT_OF_MEM(err);
    null_space left;
    SN_TRY(null_space_of(&t->arena, &B, NULL, RANK_EQUATIONS, &t->z, err));
    SN_TRY(null_space_of(&t->arena, &L, NULL, RANK_EQUATIONS, &left, err));
    t->Z = t->z.Z, t->Yl = left.Z;
    SN_TRY(first_order(t, err));
    SN_TRY(regular(t, err));
    return deliver(t, s, err);
}

/* Whether A0 with the equations is regular, by the sparse solver's judgement, which knows what rounding does.
 */
static int has_factors(const sn_motion *p)
{
    sn_context *d = p->d;
    memcpy(d->w->Ax, p->A[0], sizeof(double) * (size_t)(d->m->nnz + 1));
    return !sn_linsol_factor(d->ls, d->w->Ax, NULL, NULL);
}

sn_status sn_state_space_new(const sn_motion *p, sn_state_space **out, sn_err *err)
{
    task t = {.p = p, .m = p->d->m};
    sn_state_space *s;
    *out = NULL;
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    sn_status status = make(&t, s, err);
    if (!status) s->regular = has_factors(p);
    sn_arena_free(&t.arena);
    if (status)
        sn_state_space_free(s);
    else
        *out = s;
    return status;
}

void sn_state_space_free(sn_state_space *s)
{
    if (!s) return;
    sn_arena_free(&s->arena);
    sn_free(s);
}
