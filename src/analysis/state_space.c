/* Minimal coordinates of small motions: see state_space.h. With Z a basis of the motions that equations
   between positions allow, y = Z e, N of those that equations between rates allow, e' = Ne e + Ni u, and Yl
   of the forces that reactions cannot balance,

       [1  0          ] [e']   [ Ne                             Ni               ] [e]
       [0  Yl'A2 Z Ni ] [u'] = [ -Yl'(A0 Z + (A1 Z + A2 Z Ne) Ne)   ...          ] [u]

   Where the matrix on the left is singular (coordinates of first order or without mass) some rows say what
   holds at each moment: variables are eliminated by them until it is regular. All bases are made by choosing
   coordinates, so that what is left are coordinates and rates with names.

   Inputs u count as coordinates more, which nothing holds and whose second derivatives w are given: so what
   drives prescribe moves in all places as it must, with its rates. */
#include "analysis/state_space.h"
#include "analysis/dense.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

/* Rank decisions, on rows and columns of comparable size. */
#define RANK_EQUATIONS 1e-10
#define RANK_MASS      1e-12
/* The weight of variables that are never eliminated. */
#define NEVER 0x1p-100

/* ---- the second-order system ---- */

typedef struct task {
    sn_arena arena;
    const sn_motion *p;
    const sn_model *m;
    int n_input, N;     /* N: coordinates and inputs */
    const double *f;    /* n x inputs by columns: what inputs do to all rows */
    double *size;       /* N: of increments that compare with each other */
    double rate;        /* of rates: the fastest, by the norms of stiffness and mass */
    sn_null_space z, n; /* of positions; of rates among them */
    sn_null_space left; /* of reactions */
    sn_dense Z, Yl, Ne, Ni;
    sn_dense E, F, X; /* E x' = F x + H w; (e, u) = X x + Xw w */
    sn_dense H, Xw;   /* w in units of size and rate^2 */
    int *of;
    double *scale;
} task;

static const double *by_input(const task *t, int row, int k)
{
    return t->f + (size_t)k * (size_t)t->m->n + row;
}

/* Rows of kept equations at a level (0: positions), or columns of L (2), by scaled coordinates. */
static sn_dense equations(task *t, int which, const double *A)
{
    const sn_model *m = t->m;
    const unsigned char *dropped = t->p->d->w->dropped;
    int rows = 0, *row = sn_arena_alloc(&t->arena, (size_t)m->m + 1, sizeof *row);
    if (!row) return (sn_dense){0, 0, NULL};
    for (int i = 0; i < m->m; i++) {
        int wanted = !dropped[i] && (which == 2 || m->velocity[i] == which);
        row[i] = wanted ? rows++ : -1;
    }
    sn_dense B = sn_dense_new(&t->arena, rows, t->N);
    for (int j = 0; B.x && j < m->n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            int i = m->Ai[k];
            if (which == 2 && j >= m->nv && i < m->nv && row[j - m->nv] >= 0)
                *sn_dense_at(&B, row[j - m->nv], i) = A[k] * t->size[i];
            else if (which < 2 && j < m->nv && i >= m->nv && row[i - m->nv] >= 0)
                *sn_dense_at(&B, row[i - m->nv], j) = A[k] * t->size[j];
        }
    for (int k = 0; B.x && which < 2 && A == t->p->A[0] && k < t->n_input; k++)
        for (int i = 0; i < m->m; i++)
            if (row[i] >= 0)
                *sn_dense_at(&B, row[i], m->nv + k) = *by_input(t, m->nv + i, k) * t->size[m->nv + k];
    return B;
}

/* Yl'(A Z), A among the coordinates, scaled. */
static sn_dense reduced(task *t, const double *A)
{
    const sn_model *m = t->m;
    sn_dense AZ = sn_dense_new(&t->arena, t->N, t->Z.cols), Yt = sn_dense_transpose(&t->arena, &t->Yl);
    if (!AZ.x || !Yt.x) return (sn_dense){0, 0, NULL};
    for (int c = 0; c < t->Z.cols; c++) {
        for (int j = 0; j < m->nv; j++) {
            double z = *sn_dense_at(&t->Z, j, c) * t->size[j];
            for (int k = m->Ap[j]; z != 0 && k < m->Ap[j + 1] && m->Ai[k] < m->nv; k++)
                *sn_dense_at(&AZ, m->Ai[k], c) += A[k] * z * t->size[m->Ai[k]];
        }
        for (int k = 0; A == t->p->A[0] && k < t->n_input; k++) {
            double z = *sn_dense_at(&t->Z, m->nv + k, c) * t->size[m->nv + k];
            for (int i = 0; z != 0 && i < m->nv; i++)
                *sn_dense_at(&AZ, i, c) += *by_input(t, i, k) * z * t->size[i];
        }
    }
    return sn_dense_product(&t->arena, 1, &Yt, &AZ);
}

/* Whether a coordinate, or the rate of one, is an input. */
static int is_input(const task *t, int of) { return (of >= t->N ? of - t->N : of) >= t->m->nv; }

/* e' = Ne e + Ni u by the equations between rates, G Z e' + D Z e = 0; rates counted in units of `rate`. */
static sn_status rates(task *t, sn_err *err)
{
    const int ne = t->Z.cols;
    sn_dense G = equations(t, 1, t->p->A[1]), D = equations(t, 1, t->p->A[0]);
    if (!G.x || !D.x) return SN_OUT_OF_MEM(err);
    sn_dense GZ = sn_dense_product(&t->arena, t->rate, &G, &t->Z),
             DZ = sn_dense_product(&t->arena, 1, &D, &t->Z);
    sn_dense both = sn_dense_new(&t->arena, G.rows, 2 * ne);
    double *weight = sn_arena_alloc(&t->arena, 2 * (size_t)ne + 1, sizeof *weight);
    if (!GZ.x || !DZ.x || !both.x || !weight) return SN_OUT_OF_MEM(err);
    size_t half = (size_t)G.rows * (size_t)ne;
    memcpy(both.x, DZ.x, sizeof(double) * half), memcpy(both.x + half, GZ.x, sizeof(double) * half);
    /* only rates are eliminated */
    for (int i = 0; i < 2 * ne; i++) weight[i] = i < ne || is_input(t, t->z.kept[i - ne]) ? 1e-12 : 1;
    SN_TRY(sn_null_space_of(&t->arena, &both, weight, RANK_EQUATIONS, &t->n, err));
    int free_rates = 0;
    for (int j = 0; j < t->n.Z.cols; j++) free_rates += t->n.kept[j] >= ne;
    t->Ne = sn_dense_new(&t->arena, ne, ne), t->Ni = sn_dense_new(&t->arena, ne, free_rates);
    t->of = sn_arena_alloc(&t->arena, 2 * (size_t)ne + 1, sizeof *t->of);
    if (!t->Ne.x || !t->Ni.x || !t->of) return SN_OUT_OF_MEM(err);
    for (int j = 0, at = 0; j < t->n.Z.cols; j++) {
        int from = t->n.kept[j], rate = from >= ne;
        double *to = rate ? sn_dense_at(&t->Ni, 0, at) : sn_dense_at(&t->Ne, 0, from);
        if (rate) t->of[ne + at++] = t->N + t->z.kept[from - ne];
        for (int i = 0; i < ne; i++) to[i] = *sn_dense_at(&t->n.Z, ne + i, j);
    }
    for (int i = 0; i < ne; i++) t->of[i] = t->z.kept[i];
    return SN_OK;
}

/* The row of an input, of its own mass, in R of A2. */
static void given(const task *t, double mass, int input, sn_dense *R)
{
    const int of = t->m->nv + input;
    for (int r = 0; r < R->rows; r++)
        for (int c = 0; c < R->cols && t->left.kept[r] == of; c++)
            if (t->z.kept[c] == of) *sn_dense_at(R, r, c) = mass;
}

/* E and F over (e, u), u in units of `rate`: e' = rate (Ne e + Ni u). */
static sn_status first_order(task *t, sn_err *err)
{
    sn_arena *a = &t->arena;
    sn_dense R[3];
    for (int o = 0; o < 3; o++)
        if (!(R[o] = reduced(t, t->p->A[o])).x) return SN_OUT_OF_MEM(err);
    double k = sn_dense_norm(&R[0]), mass = sn_dense_norm(&R[2]), c = sn_dense_norm(&R[1]);
    for (int i = 0; i < t->n_input; i++) given(t, mass > 0 ? mass : 1, i, &R[2]);
    t->rate = k > 0 && mass > 0 ? sqrt(k / mass) : c > 0 && mass > 0 ? c / mass : c > 0 && k > 0 ? k / c : 1;
    SN_TRY(rates(t, err));
    const int ne = t->Z.cols, ni = t->Ni.cols, n = ne + ni;
    if (R[0].rows != ni)
        return sn_fail(err, SN_ERR_NUMERIC, NULL,
                       "linearisation: the reactions do not balance the equations (rank %d of %d)", R[0].rows,
                       ni);
    sn_dense MN = sn_dense_product(a, t->rate, &R[2], &t->Ni),
             CN = sn_dense_product(a, t->rate, &R[1], &t->Ni),
             MNe = sn_dense_product(a, t->rate, &R[2], &t->Ne);
    t->E = sn_dense_new(a, n, n), t->F = sn_dense_new(a, n, n), t->X = sn_dense_new(a, n, n);
    t->H = sn_dense_new(a, n, t->n_input), t->Xw = sn_dense_new(a, n, t->n_input);
    if (!MN.x || !CN.x || !MNe.x || !t->E.x || !t->F.x || !t->X.x || !t->H.x || !t->Xw.x)
        return SN_OUT_OF_MEM(err);
    sn_dense_add_product(t->rate, &MNe, &t->Ni, &CN);    /* by u */
    sn_dense_add_product(t->rate, &R[1], &t->Ne, &R[0]); /* by e */
    sn_dense_add_product(t->rate, &MNe, &t->Ne, &R[0]);
    for (int j = 0; j < n; j++) {
        *sn_dense_at(&t->X, j, j) = 1;
        for (int i = 0; i < ne; i++) {
            *sn_dense_at(&t->E, i, j) = i == j;
            *sn_dense_at(&t->F, i, j) =
                t->rate * (j < ne ? *sn_dense_at(&t->Ne, i, j) : *sn_dense_at(&t->Ni, i, j - ne));
        }
        for (int i = 0; i < ni; i++) {
            *sn_dense_at(&t->E, ne + i, j) = j < ne ? 0 : *sn_dense_at(&MN, i, j - ne);
            *sn_dense_at(&t->F, ne + i, j) =
                -(j < ne ? *sn_dense_at(&R[0], i, j) : *sn_dense_at(&CN, i, j - ne));
        }
    }
    for (int i = 0; i < ni; i++)
        if (t->left.kept[i] >= t->m->nv)
            *sn_dense_at(&t->H, ne + i, t->left.kept[i] - t->m->nv) =
                (mass > 0 ? mass : 1) * t->rate * t->rate;
    return SN_OK;
}

/* ---- rows that hold at each moment ---- */

/* Rows of E and F of comparable size, with time in units of the fastest rate. */
static void equilibrate(task *t)
{
    for (int i = 0; i < t->E.rows; i++) {
        double top = 0;
        for (int j = 0; j < t->E.cols; j++)
            top = fmax(top, fmax(fabs(*sn_dense_at(&t->E, i, j)), fabs(*sn_dense_at(&t->F, i, j)) / t->rate));
        for (int j = 0; top > 0 && j < t->E.cols; j++)
            *sn_dense_at(&t->E, i, j) /= top, *sn_dense_at(&t->F, i, j) /= top;
        for (int j = 0; top > 0 && j < t->n_input; j++) *sn_dense_at(&t->H, i, j) /= top;
    }
}

/* Orthonormal combinations of the rows of E: the first `rank` span them, of the others E has nothing. */
static sn_status combinations(task *t, sn_dense *U, int *rank, sn_err *err)
{
    const int n = t->E.rows;
    double top = 0;
    sn_dense S = sn_dense_new(&t->arena, n, n);
    *U = sn_dense_new(&t->arena, n, n);
    *rank = 0;
    if (!S.x || !U->x) return SN_OUT_OF_MEM(err);
    memcpy(S.x, t->E.x, sizeof(double) * (size_t)n * (size_t)n);
    return n ? sn_range(n, S.x, RANK_MASS, &top, U->x, rank, err) : SN_OK;
}

/* The weights of variables, and of w behind them: those with no mass are eliminated first, then positions. */
static void weights(const task *t, double *weight)
{
    const int n = t->E.cols;
    for (int j = 0; j < n + t->n_input; j++) {
        double mass = 0;
        for (int i = 0; j < n && i < t->E.rows; i++) mass = fmax(mass, fabs(*sn_dense_at(&t->E, i, j)));
        weight[j] = j >= n || is_input(t, t->of[j]) ? NEVER
                    : mass <= 1e-9                  ? 1
                    : t->of[j] < t->N               ? 1e-3
                                                    : 1e-6;
    }
}

/* z over (x, w): columns that belong to x, and those that belong to w, in the order of w. */
static sn_status parted(task *t, const sn_null_space *z, int n, sn_dense *Zx, sn_dense *Zw, sn_err *err)
{
    int free_x = z->Z.cols - t->n_input, at = 0;
    int *of = sn_arena_alloc(&t->arena, (size_t)n + 1, sizeof *of);
    *Zx = sn_dense_new(&t->arena, n, free_x), *Zw = sn_dense_new(&t->arena, n, t->n_input);
    if (!of || !Zx->x || !Zw->x) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < z->Z.cols; j++) {
        int from = z->kept[j];
        double *to = from < n ? sn_dense_at(Zx, 0, at) : sn_dense_at(Zw, 0, from - n);
        if (from < n) of[at++] = t->of[from];
        memcpy(to, sn_dense_at(&z->Z, 0, j), sizeof(double) * (size_t)n);
    }
    t->of = of;
    return SN_OK;
}

static sn_status eliminate(task *t, const sn_dense *U, int rank, sn_err *err)
{
    sn_arena *a = &t->arena;
    const int n = t->E.cols;
    sn_dense F2 = sn_dense_rows_by(a, U, rank, n, &t->F), E1 = sn_dense_rows_by(a, U, 0, rank, &t->E),
             F1 = sn_dense_rows_by(a, U, 0, rank, &t->F), H1 = sn_dense_rows_by(a, U, 0, rank, &t->H),
             H2 = sn_dense_rows_by(a, U, rank, n, &t->H), Zx, Zw;
    double *weight = sn_arena_alloc(a, (size_t)(n + t->n_input) + 1, sizeof *weight);
    sn_null_space z;
    if (!F2.x || !E1.x || !F1.x || !H1.x || !H2.x || !weight) return SN_OUT_OF_MEM(err);
    sn_dense both = sn_dense_beside(a, &F2, &H2);
    if (!both.x) return SN_OUT_OF_MEM(err);
    weights(t, weight);
    SN_TRY(sn_null_space_of(a, &both, weight, RANK_EQUATIONS * 1e-3, &z, err));
    if (z.rank < n - rank)
        return sn_fail(
            err, SN_ERR_NUMERIC, NULL,
            "linearisation: nothing determines some motion: coordinates without mass need a stiffness, "
            "a damping or an equation that holds them");
    SN_TRY(parted(t, &z, n, &Zx, &Zw, err));
    sn_dense E1w = sn_dense_product(a, 1, &E1, &Zw);
    if (!E1w.x) return SN_OUT_OF_MEM(err);
    if (sn_dense_norm(&E1w) > 1e-9)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "linearisation: the motion depends on the third time derivative of an input, through "
                       "coordinates without mass: give them some mass");
    sn_dense_add_product(1, &F1, &Zw, &H1);
    sn_dense_add_product(1, &t->X, &Zw, &t->Xw);
    t->E = sn_dense_product(a, 1, &E1, &Zx), t->F = sn_dense_product(a, 1, &F1, &Zx),
    t->X = sn_dense_product(a, 1, &t->X, &Zx);
    t->H = H1;
    return t->E.x && t->F.x && t->X.x ? SN_OK : SN_OUT_OF_MEM(err);
}

/* F <- E^-1 F and H <- E^-1 H, by the orthogonal factors of E. */
static sn_status solve_all(task *t, sn_err *err)
{
    const int n = t->E.rows;
    lapack_int *pivot = sn_arena_alloc(&t->arena, (size_t)n + 1, sizeof *pivot);
    double *tau = sn_arena_alloc(&t->arena, (size_t)n + 1, sizeof *tau);
    sn_dense R = sn_dense_beside(&t->arena, &t->F, &t->H), X = sn_dense_new(&t->arena, n, R.cols);
    if (!pivot || !tau || !R.x || !X.x) return SN_OUT_OF_MEM(err);
    if (n && (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, n, t->E.x, n, pivot, tau) ||
              LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', n, R.cols, n, t->E.x, n, tau, R.x, n)))
        return SN_OUT_OF_MEM(err);
    for (int j = 0; j < R.cols; j++) {
        sn_back_substitution(&t->E, n, sn_dense_at(&R, 0, j));
        for (int i = 0; i < n; i++) *sn_dense_at(&X, pivot[i] - 1, j) = *sn_dense_at(&R, i, j);
    }
    t->F = (sn_dense){n, n, X.x}, t->H = (sn_dense){n, t->n_input, X.x + (size_t)n * (size_t)n};
    return SN_OK;
}

static sn_status regular(task *t, sn_err *err)
{
    for (;;) {
        sn_dense U;
        int rank = 0;
        equilibrate(t);
        SN_TRY(combinations(t, &U, &rank, err));
        if (rank == t->E.rows) break;
        SN_TRY(eliminate(t, &U, rank, err));
    }
    return solve_all(t, err);
}

/* ---- all ---- */

/* What inputs do to states and rates, with units. */
static sn_status deliver_inputs(task *t, sn_state_space *s, sn_err *err)
{
    const int ne = t->Z.cols, n = s->n, ni = t->n_input;
    sn_dense rate = sn_dense_new(&t->arena, ne, ni), u = sn_dense_new(&t->arena, t->Ni.cols, ni);
    s->n_input = ni;
    s->B = sn_arena_alloc(&s->arena, (size_t)n * (size_t)ni + 1, sizeof *s->B);
    s->W = sn_arena_alloc(&s->arena, (size_t)s->nv * (size_t)ni + 1, sizeof *s->W);
    if (!rate.x || !u.x || !s->B || !s->W) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < ni; k++)
        for (int i = 0; i < u.rows; i++) *sn_dense_at(&u, i, k) = *sn_dense_at(&t->Xw, ne + i, k);
    sn_dense_add_product(t->rate, &t->Ni, &u, &rate);
    sn_dense W = sn_dense_product(&t->arena, 1, &t->Z, &rate);
    if (!W.x) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < ni; k++) {
        double unit = t->size[s->nv + k] * t->rate * t->rate;
        for (int i = 0; i < n; i++) s->B[k * n + i] = *sn_dense_at(&t->H, i, k) * s->scale[i] / unit;
        for (int i = 0; i < s->nv; i++) {
            double w = *sn_dense_at(&W, i, k);
            s->W[k * s->nv + i] = fabs(w) > RANK_EQUATIONS * t->rate ? w * t->size[i] / unit : 0;
        }
    }
    return SN_OK;
}

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
    sn_dense e = sn_dense_new(&t->arena, ne, n), rate = sn_dense_new(&t->arena, ne, n);
    if (!s->of || !s->scale || !s->A || !s->Y || !s->V || !e.x || !rate.x) return SN_OUT_OF_MEM(err);
    sn_dense u = sn_dense_new(&t->arena, t->Ni.cols, n);
    if (!u.x) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < t->X.rows; i++)
            *(i < ne ? sn_dense_at(&e, i, j) : sn_dense_at(&u, i - ne, j)) = *sn_dense_at(&t->X, i, j);
    sn_dense_add_product(t->rate, &t->Ne, &e, &rate), sn_dense_add_product(t->rate, &t->Ni, &u, &rate);
    sn_dense Y = sn_dense_product(&t->arena, 1, &t->Z, &e), V = sn_dense_product(&t->arena, 1, &t->Z, &rate);
    if (!Y.x || !V.x) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < n; j++) {
        int rate_of = t->of[j] >= t->N, of = rate_of ? t->of[j] - t->N : t->of[j], input = of >= nv;
        s->of[j] = input ? 2 * nv + of - nv + rate_of * t->n_input : of + rate_of * nv;
        s->scale[j] = t->size[of] * (rate_of ? t->rate : 1);
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            s->A[(size_t)j * (size_t)n + (size_t)i] = *sn_dense_at(&t->F, i, j) * s->scale[i] / s->scale[j];
        for (int i = 0; i < nv; i++) {
            size_t at = (size_t)j * (size_t)nv + (size_t)i;
            s->Y[at] = *sn_dense_at(&Y, i, j) * t->size[i] / s->scale[j];
            s->V[at] = *sn_dense_at(&V, i, j) * t->size[i] / s->scale[j];
        }
    }
    return deliver_inputs(t, s, err);
}

/* A size of each input by which its effects compare with those of coordinates. */
static void input_sizes(task *t)
{
    const sn_model *m = t->m;
    double top = 0;
    for (int o = 0; o < 3; o++)
        for (int j = 0; j < m->nv; j++)
            for (int k = m->Ap[j]; k < m->Ap[j + 1] && m->Ai[k] < m->nv; k++)
                top = fmax(top, fabs(t->p->A[o][k]) * t->size[j] * t->size[m->Ai[k]]);
    for (int k = 0; k < t->n_input; k++) {
        double most = 0;
        for (int i = 0; i < m->n; i++) {
            double f = fabs(*by_input(t, i, k));
            most = fmax(most, i >= m->nv ? f / t->p->d->p->length : top > 0 ? f * t->size[i] / top : f);
        }
        t->size[m->nv + k] = most > 0 ? 1 / most : 1;
    }
}

/* Equations must leave inputs free. */
static sn_status inputs_free(task *t, const sn_dense *B, sn_err *err)
{
    sn_dense R = sn_dense_product(&t->arena, 1, B, &t->Z);
    if (!R.x) return SN_OUT_OF_MEM(err);
    for (int c = 0; c < R.cols; c++)
        for (int i = 0; i < R.rows && t->z.kept[c] >= t->m->nv; i++)
            if (fabs(*sn_dense_at(&R, i, c)) > 1e-6)
                return sn_fail(err, SN_ERR_INPUT, NULL,
                               "linearisation: an input prescribes a motion that the joints do not allow");
    return SN_OK;
}

static sn_status make(task *t, sn_state_space *s, sn_err *err)
{
    const sn_context *d = t->p->d;
    double *weight = sn_arena_alloc(&t->arena, (size_t)t->N + 1, sizeof *weight);
    t->size = sn_arena_alloc(&t->arena, (size_t)t->N + 1, sizeof *t->size);
    if (!t->size || !weight) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < t->m->nv; i++) t->size[i] = d->p->length * d->w->scale[i];
    for (int i = 0; i < t->N; i++) weight[i] = i < t->m->nv ? 1 : NEVER;
    input_sizes(t);
    sn_dense B = equations(t, 0, t->p->A[0]), L = equations(t, 2, t->p->A[0]);
    if (!B.x || !L.x) return SN_OUT_OF_MEM(err);
    SN_TRY(sn_null_space_of(&t->arena, &B, weight, RANK_EQUATIONS, &t->z, err));
    SN_TRY(sn_null_space_of(&t->arena, &L, NULL, RANK_EQUATIONS, &t->left, err));
    t->Z = t->z.Z, t->Yl = t->left.Z;
    SN_TRY(inputs_free(t, &B, err));
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

sn_status sn_state_space_driven(const sn_motion *p, int n_input, const double *f, sn_state_space **out,
                                sn_err *err)
{
    task t = {.p = p, .m = p->d->m, .n_input = n_input, .N = p->d->m->nv + n_input, .f = f};
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

sn_status sn_state_space_new(const sn_motion *p, sn_state_space **out, sn_err *err)
{
    return sn_state_space_driven(p, 0, NULL, out, err);
}

void sn_state_space_free(sn_state_space *s)
{
    if (!s) return;
    sn_arena_free(&s->arena);
    sn_free(s);
}
