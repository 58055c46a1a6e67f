/* Integrals over the mass of a body and its modes: of particles where they are known, of the mass matrix
   where it is M_s (x) I3 (solids), else what the mass matrix makes of velocities of a floating frame, node by
   node: [v + w x (X + u) + du; w + dtheta]. */
#include "math/rot3.h"
#include "reduce/reduce.h"

#include <math.h>
#include <string.h>

/* A += f x y' */
static void add_outer(double f, const double *x, const double *y, double *A)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A[3 * i + j] += f * x[i] * y[j];
}

typedef struct sums {
    sn_reduced_body *b;
    double *S, *XP, *PP;
} sums;

/* A place x with its displacements p by the modes (3 x nd), and what its mass w makes of places (y) and
   displacements (r) */
typedef struct weighed {
    double w, x[3], y[3], *p, *r;
} weighed;

static void add(const sums *s, const weighed *a)
{
    const size_t nd = (size_t)s->b->nd;
    s->b->mass += a->w;
    for (int i = 0; i < 3; i++) s->b->first[i] += a->y[i];
    add_outer(1, a->x, a->y, s->b->second);
    for (size_t i = 0; i < nd; i++) {
        const double *r = a->r + 3 * i;
        for (size_t k = 0; k < 3; k++) s->S[3 * i + k] += r[k];
        add_outer(1, a->x, r, s->XP + 9 * i);
        for (size_t j = 0; j < nd; j++) add_outer(1, a->p + 3 * j, r, s->PP + 9 * (j * nd + i));
    }
}

/* The displacements of coordinates dof[0..2] */
static void displaced(const sn_fe_body *fe, const double *Phi, const int *dof, size_t nd, double *p)
{
    for (size_t i = 0; i < nd; i++)
        for (size_t c = 0; c < 3; c++) p[3 * i + c] = Phi[i * (size_t)fe->n + (size_t)dof[c]];
}

static void of_particles(const sn_fe_body *fe, const double *Phi, const sums *s, weighed *a)
{
    const size_t nd = (size_t)s->b->nd, n = (size_t)fe->n;
    for (int k = 0; k < fe->n_particle; k++) {
        const sn_fe_particle *q = &fe->particle[k];
        if (q->m == 0) continue;
        a->w = q->m;
        for (int c = 0; c < 3; c++) a->x[c] = q->x[c], a->y[c] = q->m * q->x[c];
        for (size_t i = 0; i < nd; i++)
            for (size_t c = 0; c < 3; c++) {
                double sum = 0;
                for (int l = 0; l < q->n; l++)
                    if (q->dof[l] >= 0)
                        sum += q->N[c * (size_t)q->n + (size_t)l] * Phi[i * n + (size_t)q->dof[l]];
                a->p[3 * i + c] = sum, a->r[3 * i + c] = q->m * sum;
            }
        add(s, a);
    }
}

/* Whether M couples displacements along one axis only, the same way along each, and rotations not at all. at:
   6 node + component of each coordinate */
static int is_scalar(const sn_fe_body *fe, const int *at)
{
    const sn_sparse *M = &fe->M;
    double top = 0, off = 0;
    for (int k = 0; k < M->first[M->cols]; k++) top = fmax(top, fabs(M->x[k]));
    for (int j = 0; j < M->cols; j++) {
        const int a = at[j] / 6, c = at[j] % 6;
        for (int k = M->first[j]; k < M->first[j + 1] && off <= 1e-10 * top; k++) {
            const int b = at[M->row[k]] / 6, d = at[M->row[k]] % 6, next = (c + 1) % 3;
            const int same = c == d && c < 3;
            if (M->x[k] == 0) continue;
            if (!same || fe->dof[6 * a + next] < 0 || fe->dof[6 * b + next] < 0)
                off = fmax(off, fabs(M->x[k]));
            else
                off = fmax(off,
                           fabs(M->x[k] - sn_sparse_entry(M, fe->dof[6 * b + next], fe->dof[6 * a + next])));
        }
    }
    return off <= 1e-10 * top;
}

/* Of the entries along x */
static void of_scalar(const sn_fe_body *fe, const double *Phi, const int *at, const sums *s, weighed *a)
{
    const size_t nd = (size_t)s->b->nd;
    const sn_sparse *M = &fe->M;
    double *one = a->r + 3 * nd; /* more room behind it */
    for (int i = 0; i < fe->n_node; i++) {
        const int j = fe->dof[6 * i];
        if (j < 0) continue;
        a->w = 0, memset(a->y, 0, sizeof a->y), memset(a->r, 0, 3 * nd * sizeof *a->r);
        for (int k = M->first[j]; k < M->first[j + 1]; k++) {
            const int b = at[M->row[k]] / 6;
            if (M->x[k] == 0 || at[M->row[k]] % 6) continue;
            displaced(fe, Phi, fe->dof + 6 * b, nd, one);
            a->w += M->x[k];
            for (int c = 0; c < 3; c++) a->y[c] += M->x[k] * fe->X[3 * b + c];
            for (size_t l = 0; l < 3 * nd; l++) a->r[l] += M->x[k] * one[l];
        }
        memcpy(a->x, fe->X + 3 * i, sizeof a->x);
        displaced(fe, Phi, fe->dof + 6 * i, nd, a->p);
        add(s, a);
    }
}

/* ---- by the mass matrix alone ---- */

/* Columns E: shifts, turns of the places, turns of each mode's displacements: n x (6 + 3 nd) */
static void velocities(const sn_fe_body *fe, int nd, const double *Phi, double *E)
{
    const size_t n = (size_t)fe->n;
    for (int i = 0; i < fe->n_node; i++) {
        const int *dof = fe->dof + 6 * i;
        for (size_t c = 0; c < 3; c++) {
            const size_t next = (c + 1) % 3, last = (c + 2) % 3;
            if (dof[3 + c] >= 0) E[(3 + c) * n + (size_t)dof[3 + c]] = 1;
            if (dof[c] < 0) continue;
            double *e = E + (size_t)dof[c];
            e[c * n] = 1;
            /* e_a x x along c */
            e[(3 + next) * n] = fe->X[3 * i + (int)last];
            e[(3 + last) * n] = -fe->X[3 * i + (int)next];
            for (size_t k = 0; k < (size_t)nd; k++) {
                const double *phi = Phi + k * n;
                if (dof[last] >= 0) e[(6 + 3 * k + next) * n] = phi[dof[last]];
                if (dof[next] >= 0) e[(6 + 3 * k + last) * n] = -phi[dof[next]];
            }
        }
    }
}

typedef struct nodal {
    size_t n, nd;
    const double *E, *ME, *Phi;
} nodal;

/* 3 x 3: E_a'M E_b of columns from a and b on */
static void block(const nodal *y, size_t a, size_t b, double *A)
{
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            double sum = 0;
            for (size_t k = 0; k < y->n; k++) sum += y->E[(a + i) * y->n + k] * y->ME[(b + j) * y->n + k];
            A[3 * i + j] = sum;
        }
}

/* 3: E_a'M phi_i */
static void momentum(const nodal *y, size_t a, size_t i, double *h)
{
    for (size_t c = 0; c < 3; c++) {
        double sum = 0;
        for (size_t k = 0; k < y->n; k++) sum += y->ME[(a + c) * y->n + k] * y->Phi[i * y->n + k];
        h[c] = sum;
    }
}

/* Integral of y y' of which the inertia is J, likewise of mixed ones with the moment h of their skew part */
static void second_of(double f, const double *J, const double *h, double *A)
{
    const double trace = 0.5 * (J[0] + J[4] + J[8]);
    for (int i = 0; i < 9; i++) A[i] = f * ((i % 4 == 0) * trace - J[i]);
    if (!h) return;
    A[5] += 0.5 * h[0], A[7] -= 0.5 * h[0];
    A[6] += 0.5 * h[1], A[2] -= 0.5 * h[1];
    A[1] += 0.5 * h[2], A[3] -= 0.5 * h[2];
}

static void of_nodes(const nodal *y, const sums *s, double *J1, double *J2, double *h0, double *H)
{
    sn_reduced_body *b = s->b;
    double A[9], B[9];
    block(y, 0, 0, A);
    b->mass = (A[0] + A[4] + A[8]) / 3;
    block(y, 0, 3, A); /* e_j x first along i */
    for (int i = 0; i < 3; i++)
        b->first[i] = 0.5 * (A[3 * ((i + 1) % 3) + (i + 2) % 3] - A[3 * ((i + 2) % 3) + (i + 1) % 3]);
    block(y, 3, 3, b->J0);
    second_of(1, b->J0, NULL, b->second);
    for (size_t i = 0; i < y->nd; i++) {
        momentum(y, 0, i, s->S + 3 * i);
        momentum(y, 3, i, h0 + 3 * i);
        block(y, 3, 6 + 3 * i, A);
        for (int k = 0; k < 9; k++) J1[9 * i + (size_t)k] = A[k] + A[3 * (k % 3) + k / 3];
        second_of(0.5, J1 + 9 * i, h0 + 3 * i, s->XP + 9 * i);
        for (size_t j = 0; j < y->nd; j++) {
            momentum(y, 6 + 3 * j, i, H + 3 * (j * y->nd + i));
            if (j > i) continue;
            block(y, 6 + 3 * i, 6 + 3 * j, B);
            for (int k = 0; k < 9; k++)
                J2[9 * (i * y->nd + j) + (size_t)k] = J2[9 * (j * y->nd + i) + (size_t)k] =
                    0.5 * (B[k] + B[3 * (k % 3) + k / 3]);
        }
    }
}

static sn_status by_nodes(const sn_fe_body *fe, const double *Phi, sn_block *block_, const sums *s,
                          sn_err *err)
{
    const size_t n = (size_t)fe->n, nd = (size_t)s->b->nd, columns = 6 + 3 * nd;
    double *E = sn_alloc(2 * n * columns + 1, sizeof *E), *J1 = block_->alloc(block_, 9 * nd + 1, sizeof *J1),
           *h0 = block_->alloc(block_, 3 * nd + 1, sizeof *h0),
           *J2 = block_->alloc(block_, 9 * nd * nd + 1, sizeof *J2),
           *H = block_->alloc(block_, 3 * nd * nd + 1, sizeof *H);
    sn_status status = E && J1 && h0 && J2 && H ? SN_OK : SN_OUT_OF_MEM(err);
    if (!status) {
        velocities(fe, (int)nd, Phi, E);
        sn_sparse_times(&fe->M, (int)columns, E, E + n * columns);
        of_nodes(&(nodal){n, nd, E, E + n * columns, Phi}, s, J1, J2, h0, H);
        s->b->J1 = J1, s->b->J2 = J2, s->b->h0 = h0, s->b->H = H;
    }
    sn_free(E);
    return status;
}

/* 6 node + component of each coordinate; all have one */
static int *components(const sn_fe_body *fe)
{
    int *at = sn_alloc((size_t)fe->n + 1, sizeof *at);
    for (int i = 0; at && i < 6 * fe->n_node; i++)
        if (fe->dof[i] >= 0) at[fe->dof[i]] = i;
    return at;
}

sn_status sn_body_integrals(const sn_fe_body *fe, const double *Phi, sn_block *blk, sn_reduced_body *b,
                            sn_err *err)
{
    const size_t nd = (size_t)b->nd;
    sums s = {b, blk->alloc(blk, 3 * nd + 1, sizeof(double)), blk->alloc(blk, 9 * nd + 1, sizeof(double)),
              blk->alloc(blk, 9 * nd * nd + 1, sizeof(double))};
    double *scratch = sn_alloc(9 * nd + 1, sizeof *scratch);
    int *at = components(fe), scalar = 0;
    sn_status status = s.S && s.XP && s.PP && scratch && at ? SN_OK : SN_OUT_OF_MEM(err);
    if (!status) {
        weighed a = {.p = scratch, .r = scratch + 3 * nd};
        b->S = s.S, b->XP = s.XP;
        scalar = !fe->n_particle && is_scalar(fe, at);
        if (fe->n_particle)
            of_particles(fe, Phi, &s, &a);
        else if (scalar)
            of_scalar(fe, Phi, at, &s, &a);
        else
            status = by_nodes(fe, Phi, blk, &s, err);
    }
    if (!status && (fe->n_particle || scalar)) b->PP = s.PP, status = sn_reduced_body_invariants(b, blk, err);
    sn_free(scratch), sn_free(at);
    return status;
}
