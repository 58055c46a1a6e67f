/* How near a body is to buckling under a load along the line between its first two interfaces: the load is
   linear in the modes, and the stiffness that it adds, K_G, is the derivative of the tangent along the static
   displacement. The load stays on that line, as in a rod with a hinge at each end: shapes are taken with the
   rigid-body rotation that leaves the line where it is. */
#include "math/rot3.h"
#include "reduce/reduce.h"

#include <lapacke.h>
#include <math.h>

#undef I

/* Of the line's length: for central differences, whose error goes with its square */
#define STRETCH 1e-4
/* Of the flexibility across the line, which that along a thin rod is not below */
#define ROUNDING 1e-16

typedef struct line {
    const sn_fe_body *fe;
    const sn_reduced_body *b;
    const double *Phi;
    sn_arena arena;
    double e[3], length; /* direction from the first to the second interface */
    double *p, c;        /* stretch by each mode, by a unit pull in all */
    double *G;           /* nd x nd: K_G of a unit push, over the roots of the stiffnesses */
    sn_err *err;
} line;

/* Equations and rigid interfaces of many nodes would add stiffness of their own. */
static int known(const sn_fe_body *fe, const sn_fe_options *o)
{
    int single = fe->stiffness_at && !fe->m && o->n_interface >= 2;
    for (int i = 0; single && i < o->n_interface; i++) single = o->point[i].n == 1;
    return single;
}

/* How far the second interface moves from the first by mode i */
static void apart(const sn_reduced_body *b, int i, double *x)
{
    for (int c = 0; c < 3; c++) x[c] = b->phi[(3 + c) * b->nd + i] - b->phi[c * b->nd + i];
}

/* Length of the line, e: its direction */
static double along(const sn_reduced_body *b, double *e)
{
    for (int c = 0; c < 3; c++) e[c] = b->X[3 + c] - b->X[c];
    const double length = sqrt(sn_dot3(e, e));
    for (int c = 0; c < 3 && length > 0; c++) e[c] /= length;
    return length;
}

/* Whether any mode stretches the line */
static int stretches(line *k)
{
    const sn_reduced_body *b = k->b;
    double x[3], all = 0;
    if (!((k->length = along(b, k->e)) > 0)) return 0;
    for (int i = 0; i < b->nd; i++) {
        if (!(b->w2[i] > 0)) return 0;
        apart(b, i, x);
        k->p[i] = sn_dot3(x, k->e), k->c += k->p[i] * k->p[i] / b->w2[i];
        all += sn_dot3(x, x) / b->w2[i];
    }
    return k->c > ROUNDING * all;
}

/* Mode i and the rotation that leaves the line where it is */
static void shape(const line *k, int i, double *x)
{
    const sn_fe_body *fe = k->fe;
    double off[3], w[3], u[3];
    for (int j = 0; j < fe->n; j++) x[j] = k->Phi[(size_t)i * (size_t)fe->n + (size_t)j];
    apart(k->b, i, off);
    sn_cross3(off, k->e, w);
    for (int c = 0; c < 3; c++) w[c] /= k->length;
    for (int n = 0; n < fe->n_node; n++) {
        const int *dof = fe->dof + 6 * n;
        sn_cross3(w, fe->X + 3 * n, u);
        for (int c = 0; c < 3; c++) {
            if (dof[c] >= 0) x[dof[c]] += u[c];
            if (dof[3 + c] >= 0) x[dof[3 + c]] += w[c];
        }
    }
}

/* G += f times the shapes' products with K at the displacement f of the push */
static sn_status add_side(line *k, double f, const double *u, const double *shapes)
{
    const size_t n = (size_t)k->fe->n;
    const int nd = k->b->nd;
    double *y = sn_arena_alloc(&k->arena, 2 * n + 1, sizeof *y), *at = y + n;
    sn_sparse K;
    if (!y) return SN_OUT_OF_MEM(k->err);
    for (size_t j = 0; j < n; j++) at[j] = u[j] * (f > 0 ? 1 : -1);
    SN_TRY(k->fe->stiffness_at(k->fe->ctx, at, &k->arena, &K, k->err));
    for (int i = 0; i < nd; i++) {
        sn_sparse_times(&K, 1, shapes + (size_t)i * n, y);
        for (int j = 0; j < nd; j++) {
            double sum = 0;
            for (size_t l = 0; l < n; l++) sum += shapes[(size_t)j * n + l] * y[l];
            sum *= f / sqrt(k->b->w2[i] * k->b->w2[j]) / 2;
            k->G[i * nd + j] += sum, k->G[j * nd + i] += sum;
        }
    }
    return SN_OK;
}

static sn_status added_stiffness(line *k)
{
    const size_t n = (size_t)k->fe->n, nd = (size_t)k->b->nd;
    const double load = STRETCH * k->length / k->c;
    double *shapes = sn_arena_alloc(&k->arena, n * nd + 1, sizeof *shapes),
           *u = sn_arena_alloc(&k->arena, n + 1, sizeof *u);
    if (!shapes || !u) return SN_OUT_OF_MEM(k->err);
    for (size_t i = 0; i < nd; i++) {
        shape(k, (int)i, shapes + i * n);
        for (size_t j = 0; j < n; j++) u[j] -= load * k->p[i] / k->b->w2[i] * k->Phi[i * n + j];
    }
    SN_TRY(add_side(k, 0.5 / load, u, shapes));
    return add_side(k, -0.5 / load, u, shapes);
}

static sn_status find(line *k, sn_block *block, double **axial)
{
    const int nd = k->b->nd;
    double *g = sn_arena_alloc(&k->arena, (size_t)nd + 1, sizeof *g), *out;
    k->p = sn_arena_alloc(&k->arena, (size_t)nd + 1, sizeof *k->p);
    k->G = sn_arena_alloc(&k->arena, (size_t)nd * (size_t)nd + 1, sizeof *k->G);
    if (!g || !k->p || !k->G) return SN_OUT_OF_MEM(k->err);
    if (!nd || !stretches(k)) return SN_OK;
    SN_TRY(added_stiffness(k));
    for (int i = 0; i < nd * nd; i++)
        if (!isfinite(k->G[i])) return SN_OK;
    const int failed = LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', nd, k->G, nd, g);
    if (failed < 0) return SN_OUT_OF_MEM(k->err);
    if (failed || !(g[0] < 0)) return SN_OK; /* no push buckles it */
    if (!(out = block->alloc(block, (size_t)nd, sizeof *out))) return SN_OUT_OF_MEM(k->err);
    for (int i = 0; i < nd; i++) out[i] = -g[0] * k->p[i] / k->c;
    *axial = out;
    return SN_OK;
}

sn_status sn_body_axial(const sn_fe_body *fe, const sn_fe_options *o, const double *Phi, sn_block *block,
                        sn_reduced_body *b, sn_err *err)
{
    line k = {.fe = fe, .b = b, .Phi = Phi, .err = err};
    double *axial = NULL;
    const int before = sn_err_count(err);
    if (!known(fe, o)) return SN_OK;
    sn_status s = find(&k, block, &axial);
    sn_arena_free(&k.arena);
    b->axial = axial;
    if (!s || s == SN_ERR_MEMORY) return s;
    sn_err_forget(err, before); /* only a warning is lost */
    return SN_OK;
}

double sn_body_buckling(const sn_reduced_body *b)
{
    double e[3], x[3], c = 0, pp = 0, pa = 0;
    if (!b->axial || !(along(b, e) > 0)) return 0;
    for (int i = 0; i < b->nd; i++) {
        apart(b, i, x);
        const double p = sn_dot3(x, e);
        c += p * p / b->w2[i], pp += p * p, pa += p * b->axial[i];
    }
    return pp / (c * pa);
}
