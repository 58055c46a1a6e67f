/* The matrices of small motions about a motion: see motion.h. */
#include "analysis/motion.h"
#include "math/rot3.h"

#include <math.h>
#include <string.h>

/* Coordinates of a node that are a vector: from v on. turned: increments of a rotation, in the frame's axes.
 */
typedef struct vector {
    int v, turned;
    double P[9], W[9];
} vector;

enum { VECTORS = 8 };

static void matrix_of(const double *w, double *W)
{
    const double x[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    memcpy(W, x, sizeof x);
}

/* The vectors of node i; those of the ground are none. dim: their length. */
static int vectors(const sn_model *m, int i, const sn_state *x, vector *out)
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const sn_node *n = &m->node[i];
    const sn_node_places at = sn_node_place(n);
    int count = 0, dim = n->cls->dim;
    if (n->ground) return 0;
    if (at.x_v >= 0) out[count++] = (vector){.v = n->v + at.x_v};
    for (int k = 0; at.d_v >= 0 && k < at.vectors && count < VECTORS; k++)
        out[count++] = (vector){.v = n->v + at.d_v + k * dim};
    for (int k = 0; k < count; k++) memcpy(out[k].P, one, sizeof one);
    if (at.R_v >= 0 && dim == 3) {
        vector *r = &out[count++];
        double R[9];
        *r = (vector){.v = n->v + at.R_v, .turned = 1};
        sn_quat_matrix(x->q + n->q + at.R_q, R);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) r->P[3 * a + b] = R[3 * b + a];
        matrix_of(x->v + r->v, r->W);
    }
    return count;
}

static void times(const double *A, const double *B, double f, double *C)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) C[3 * i + j] += f * A[3 * i + k] * B[3 * k + j];
}

/* The maps of one vector: dq = P y, dv = P y' + U y, da = P y'' + V1 y' + V0 y. */
typedef struct maps {
    double U[9], V1[9], V0[9];
} maps;

static void maps_of(const vector *r, const double *S, maps *out)
{
    memset(out, 0, sizeof *out);
    times(r->P, S, 1, out->U);
    times(r->P, S, 2, out->V1);
    times(r->W, r->P, -1, out->V1);
    times(out->U, S, 1, out->V0);
    times(r->W, out->U, -1, out->V0);
}

/* Whether the columns of a vector have the same rows: where no object sees it they have only their diagonals,
   which are zero. */
static int alike(const sn_model *m, int v, int dim)
{
    for (int j = 1; j < dim; j++)
        if (m->Ap[v + j + 1] - m->Ap[v + j] != m->Ap[v + 1] - m->Ap[v] ||
            m->Ai[m->Ap[v + j]] != m->Ai[m->Ap[v]])
            return 0;
    return 1;
}

/* B += A T in the columns of a vector, T dim x dim of 3 x 3. */
static void add_columns(const sn_model *m, int v, int dim, const double *A, const double *T, double *B)
{
    const int *Ap = m->Ap;
    for (int k = 0; k < Ap[v + 1] - Ap[v]; k++)
        for (int j = 0; j < dim; j++)
            for (int l = 0; l < dim; l++) B[Ap[v + j] + k] += A[Ap[v + l] + k] * T[3 * l + j];
}

/* Rows of rotations become P' times themselves. */
static void turn_rows(const sn_motion *p, double *A)
{
    const sn_model *m = p->d->m;
    for (int j = 0; j < m->n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            int i = m->Ai[k];
            if (i >= m->nv || !p->turned[i]) continue;
            const double *P = p->P + 3 * i, x[3] = {A[k], A[k + 1], A[k + 2]};
            for (int a = 0; a < 3; a++) A[k + a] = P[a] * x[0] + P[3 + a] * x[1] + P[6 + a] * x[2];
        }
}

sn_status sn_motion_new(sn_context *d, sn_motion **out, sn_err *err)
{
    size_t n = (size_t)d->m->nnz + 1, nv = (size_t)d->m->nv + 1;
    sn_motion *p;
    *out = NULL;
    if (!SN_NEW(p, 1)) return SN_OUT_OF_MEM(err);
    *p = (sn_motion){.d = d, .with = SN_AXES_STILL};
    if (!SN_NEW(p->A[0], n) || !SN_NEW(p->A[1], n) || !SN_NEW(p->A[2], n) || !SN_NEW(p->scratch, 3 * n) ||
        !SN_NEW(p->turned, nv) || !SN_NEW(p->P, 3 * nv)) {
        sn_motion_free(p);
        return SN_OUT_OF_MEM(err);
    }
    *out = p;
    return SN_OK;
}

void sn_motion_free(sn_motion *p)
{
    if (!p) return;
    sn_free(p->A[0]), sn_free(p->A[1]), sn_free(p->A[2]), sn_free(p->scratch);
    sn_free(p->turned), sn_free(p->P);
    sn_free(p);
}

/* K, C, M in the coordinates' own axes. Rows of equations: positions in A[0], rates in A[1]. */
static sn_status own_axes(sn_motion *p, sn_work *w, const sn_state *x, sn_err *err)
{
    const sn_context *d = p->d;
    const sn_model *m = d->m;
    const sn_coef coef[3] = {{d->one, d->zero, d->zero, d->zero, 1},
                             {d->zero, d->one, d->zero, d->one, 1},
                             {d->zero, d->zero, d->one, d->zero, 1}};
    sn_context at = *d;
    at.w = w;
    for (int o = 0; o < 3; o++) {
        SN_TRY(sn_system_eval(w, x, &coef[o], err));
        SN_TRY(sn_context_finite(&at, "linearisation", err));
        memcpy(p->A[o], w->Ax, sizeof(double) * (size_t)(m->nnz + 1));
        for (int j = 0; o && j < m->n; j++)
            for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
                int i = m->Ai[k],
                    rate = o == 1 && i >= m->nv && m->velocity[i - m->nv] && !w->dropped[i - m->nv];
                if (j >= m->nv || (i >= m->nv && !rate)) p->A[o][k] = 0;
            }
    }
    return SN_OK;
}

/* The columns of one vector of all three matrices, from B in the coordinates' own axes. */
static void turn_columns(const sn_motion *p, const vector *v, int dim, const double *S, double *const *B)
{
    const sn_model *m = p->d->m;
    maps t;
    maps_of(v, S, &t);
    for (int o = 0; o < 3; o++) {
        memset(p->A[o] + m->Ap[v->v], 0, sizeof(double) * (size_t)(m->Ap[v->v + dim] - m->Ap[v->v]));
        add_columns(m, v->v, dim, B[o], v->P, p->A[o]);
    }
    add_columns(m, v->v, dim, B[1], t.U, p->A[0]);
    add_columns(m, v->v, dim, B[2], t.V1, p->A[1]);
    add_columns(m, v->v, dim, B[2], t.V0, p->A[0]);
}

sn_status sn_motion_eval(sn_motion *p, sn_work *w, const sn_state *x, const double *spin, sn_err *err)
{
    const sn_model *m = p->d->m;
    const size_t n = (size_t)m->nnz + 1;
    double S[9];
    memcpy(p->spin, spin, sizeof p->spin);
    matrix_of(spin, S);
    SN_TRY(own_axes(p, w, x, err));
    if (m->flat && spin[0] == 0 && spin[1] == 0 && spin[2] == 0) return SN_OK;
    double *const B[3] = {p->scratch, p->scratch + n, p->scratch + 2 * n};
    memset(p->turned, 0, sizeof *p->turned * (size_t)m->nv);
    for (int o = 0; o < 3; o++) memcpy(B[o], p->A[o], sizeof(double) * n);
    for (int i = 0; i < m->n_node; i++) {
        vector v[VECTORS];
        int dim = m->node[i].cls->dim, count = vectors(m, i, x, v);
        for (int k = 0; k < count; k++) {
            if (!alike(m, v[k].v, dim)) continue;
            turn_columns(p, &v[k], dim, S, B);
            if (v[k].turned) p->turned[v[k].v] = 1, memcpy(p->P + 3 * v[k].v, v[k].P, sizeof v[k].P);
        }
    }
    for (int o = 0; o < 3; o++) turn_rows(p, p->A[o]);
    return SN_OK;
}

void sn_motion_turn(const sn_motion *p, const double *y, double *dq)
{
    const sn_model *m = p->d->m;
    memcpy(dq, y, sizeof(double) * (size_t)m->nv);
    for (int i = 0; i < m->nv; i++)
        for (int a = 0; p->turned[i] && a < 3; a++) {
            const double *P = p->P + 3 * i + 3 * a;
            dq[i + a] = P[0] * y[i] + P[1] * y[i + 1] + P[2] * y[i + 2];
        }
}

/* to (dim) += from T */
static void add_row(int dim, const double *from, const double *T, double *to)
{
    for (int j = 0; j < dim; j++)
        for (int l = 0; l < dim; l++) to[j] += from[l] * T[3 * l + j];
}

void sn_motion_rows(const sn_motion *p, const sn_state *x, double *const *row)
{
    const sn_model *m = p->d->m;
    double S[9];
    matrix_of(p->spin, S);
    for (int i = 0; i < m->n_node; i++) {
        vector v[VECTORS];
        int dim = m->node[i].cls->dim, count = vectors(m, i, x, v);
        for (int k = 0; k < count; k++) {
            double by[3][3] = {{0}};
            maps t;
            if (!alike(m, v[k].v, dim)) continue;
            maps_of(&v[k], S, &t);
            for (int o = 0; o < 3; o++) add_row(dim, row[o] + v[k].v, v[k].P, by[o]);
            add_row(dim, row[1] + v[k].v, t.U, by[0]), add_row(dim, row[2] + v[k].v, t.V1, by[1]);
            add_row(dim, row[2] + v[k].v, t.V0, by[0]);
            for (int o = 0; o < 3; o++) memcpy(row[o] + v[k].v, by[o], sizeof(double) * (size_t)dim);
        }
    }
}

void sn_motion_force(const sn_motion *p, double *f)
{
    for (int i = 0; i < p->d->m->nv; i++) {
        if (!p->turned[i]) continue;
        const double *P = p->P + 3 * i, x[3] = {f[i], f[i + 1], f[i + 2]};
        for (int a = 0; a < 3; a++) f[i + a] = P[a] * x[0] + P[3 + a] * x[1] + P[6 + a] * x[2];
    }
}
