/* The basis of a reduction. Craig and Bampton (1968): static displacements by a unit displacement or rotation
   of each interface coordinate, the others held, and the lowest modes with all of them held. Or free modes,
   beside the rigid-body motions. */
#include "linsol/linsol.h"
#include "reduce/reduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void tell(const sn_basis *b, const char *format, int n)
{
    char text[200];
    if (!b->o->tell) return;
    snprintf(text, sizeof text, format, n);
    b->o->tell(b->o->ctx, text);
}

/* x = z, one coordinate */
static void single(sn_ties *T, int i, int z) { T->count[i] = 1, T->at[i][0] = z, T->f[i][0] = 1; }

/* The displacements of a node at r from an interface are u + t x r, its rotations t. */
static void tie_node(sn_ties *T, const int *dof, const double *r, int z)
{
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3, i = dof[k];
        if (dof[3 + k] >= 0) single(T, dof[3 + k], z + 3 + k);
        single(T, i, z + k);
        if (r[b] != 0) T->at[i][T->count[i]] = z + 3 + a, T->f[i][T->count[i]++] = r[b];
        if (r[a] != 0) T->at[i][T->count[i]] = z + 3 + b, T->f[i][T->count[i]++] = -r[a];
    }
}

/* Whether nodes lie apart from each other and from a line, so that they hold a rotation */
static int spread(const sn_fe_body *fe, const sn_fe_point *p)
{
    double D[9] = {0}, size = 0, minor = 0;
    for (int i = 0; i < p->n; i++) {
        const double *x = fe->X + 3 * p->node[i], *y = fe->X + 3 * p->node[0];
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) D[3 * a + b] += (x[a] - y[a]) * (x[b] - y[b]);
    }
    for (int a = 0; a < 3; a++) size += D[4 * a];
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3;
        minor += D[4 * a] * D[4 * b] - D[3 * a + b] * D[3 * b + a];
    }
    return minor > 1e-12 * size * size;
}

static sn_status check_interface(const sn_fe_body *fe, const sn_fe_point *p, sn_err *err)
{
    int turns = 0;
    for (int i = 0; i < p->n; i++) {
        if (p->node[i] < 0 || p->node[i] >= fe->n_node)
            return sn_fail(err, SN_ERR_INPUT, NULL, "interface '%s': there is no such node", p->name);
        const int *dof = fe->dof + 6 * p->node[i];
        for (int k = 0; k < 3; k++)
            if (dof[k] < 0)
                return sn_fail(err, SN_ERR_INPUT, NULL,
                               "interface '%s': node %s cannot move along %c: a body is reduced without "
                               "its supports",
                               p->name, fe->node[p->node[i]], "xyz"[k]);
        turns |= dof[3] >= 0 && dof[4] >= 0 && dof[5] >= 0;
    }
    if (p->n < 1) return sn_fail(err, SN_ERR_INPUT, NULL, "interface '%s' has no nodes", p->name);
    if (!turns && !spread(fe, p))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "interface '%s': %s no rotation: give at least three nodes that do not lie on a line",
                       p->name, p->n > 1 ? "its nodes lie on a line and hold" : "its node has");
    return SN_OK;
}

/* Six coordinates for each interface, then those of all other nodes */
static sn_status make_ties(sn_basis *b, sn_err *err)
{
    const sn_fe_body *fe = b->fe;
    sn_ties *T = &b->T;
    T->n = fe->n;
    T->count = sn_arena_alloc(b->arena, (size_t)fe->n + 1, sizeof *T->count);
    T->at = sn_arena_alloc(b->arena, (size_t)fe->n + 1, sizeof *T->at);
    T->f = sn_arena_alloc(b->arena, (size_t)fe->n + 1, sizeof *T->f);
    if (!T->count || !T->at || !T->f) return SN_OUT_OF_MEM(err);
    if (b->o->n_interface < 1)
        return sn_fail(err, SN_ERR_INPUT, NULL, "a body needs an interface at least: where it is fastened");
    for (int p = 0; p < b->o->n_interface; p++) {
        const sn_fe_point *point = &b->o->point[p];
        SN_TRY(check_interface(fe, point, err));
        for (int i = 0; i < point->n; i++) {
            const int *dof = fe->dof + 6 * point->node[i];
            const double *x = fe->X + 3 * point->node[i];
            const double r[3] = {x[0] - point->X[0], x[1] - point->X[1], x[2] - point->X[2]};
            if (T->count[dof[0]])
                return sn_fail(err, SN_ERR_INPUT, NULL, "node %s belongs to two interfaces, '%s' is one",
                               fe->node[point->node[i]], point->name);
            tie_node(T, dof, r, 6 * p);
        }
    }
    T->z = 6 * b->o->n_interface;
    for (int i = 0; i < fe->n; i++)
        if (!T->count[i]) single(T, i, T->z++);
    return SN_OK;
}

/* Rigid-body motions of z: of interfaces by their places, of others by their nodes */
static sn_status rigid_motions(sn_basis *b, sn_err *err)
{
    const sn_fe_body *fe = b->fe;
    const size_t z = (size_t)b->T.z;
    b->R = sn_arena_alloc(b->arena, 6 * z + 1, sizeof *b->R);
    if (!b->R) return SN_OUT_OF_MEM(err);
    for (int p = 0; p < b->o->n_interface + fe->n_node; p++) {
        const int own = p < b->o->n_interface;
        const int *dof = own ? NULL : fe->dof + 6 * (p - b->o->n_interface);
        const double *x = own ? b->o->point[p].X : fe->X + 3 * (p - b->o->n_interface);
        for (int k = 0; k < 6; k++) {
            const int i = own ? 0 : dof[k];
            if (i < 0) continue;
            const size_t at = own ? (size_t)(6 * p + k) : (size_t)b->T.at[i][0];
            if (!own && (int)at < 6 * b->o->n_interface) continue;
            b->R[(size_t)k * z + at] = 1;
            if (k > 2) continue;
            /* e_a x x along k */
            b->R[(size_t)(3 + (k + 1) % 3) * z + at] = x[(k + 2) % 3];
            b->R[(size_t)(3 + (k + 2) % 3) * z + at] = -x[(k + 1) % 3];
        }
    }
    return SN_OK;
}

static sn_status check_matrices(const sn_fe_body *fe, sn_err *err)
{
    const sn_sparse *A[2] = {&fe->M, &fe->K};
    static const char *const name[2] = {"mass", "stiffness"};
    for (int k = 0; k < 2; k++) {
        double top = 0, off;
        for (int e = 0; e < A[k]->first[A[k]->cols]; e++) {
            if (!isfinite(A[k]->x[e]))
                return sn_fail(err, SN_ERR_INPUT, NULL, "the %s matrix has a number that is not finite",
                               name[k]);
            top = fmax(top, fabs(A[k]->x[e]));
        }
        if (!(top > 0)) return sn_fail(err, SN_ERR_INPUT, NULL, "the body has no %s", name[k]);
        if ((off = sn_sparse_asymmetry(A[k])) > 1e-8)
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "the %s matrix is not symmetric: entries differ by %.2g of the largest", name[k],
                           off);
    }
    for (int j = 0; j < fe->n; j++)
        for (int k = fe->M.first[j]; k < fe->M.first[j + 1]; k++)
            if (fe->M.row[k] == j && fe->M.x[k] < 0)
                return sn_fail(err, SN_ERR_INPUT, NULL, "coordinate %d has a negative mass", j + 1);
    return SN_OK;
}

/* Sylvester: each equation is a negative eigenvalue; the iterations below see none of the others */
static sn_status check_stable(const sn_basis *b, const sn_held *h, sn_err *err)
{
    int negative;
    SN_TRY(sn_linsol_inertia(h->A.cols, h->A.first, h->A.row, h->A.x, &negative, err));
    if (negative == b->B.rows) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, NULL,
                   "the body is not stable: deformations with a negative stiffness (%d of them)",
                   negative - b->B.rows);
}

static sn_status hold(const sn_basis *b, int from, sn_held *h, sn_err *err)
{
    int column = -1;
    *h = (sn_held){.b = b, .from = from, .n = b->T.z - from};
    SN_TRY(sn_sparse_bordered(b->arena, &b->K, &b->B, from, &h->A, err));
    if (!SN_NEW(h->z, h->A.cols + 1)) return SN_OUT_OF_MEM(err);
    if (!h->A.cols) return SN_OK;
    SN_TRY(sn_linsol_new(NULL, h->A.cols, h->A.first, h->A.row, &h->ls, err));
    const int before = sn_err_count(err);
    sn_status s = sn_linsol_factor(h->ls, h->A.x, &column, err);
    if (!s) return check_stable(b, h, err);
    if (s != SN_ERR_NUMERIC) return s;
    sn_err_forget(err, before);
    return sn_fail(err, SN_ERR_INPUT, NULL,
                   "with its interfaces held the body can still move without resistance: a part is not "
                   "connected to them, or it is a mechanism");
}

static void let_go(sn_held *h)
{
    sn_linsol_free(h->ls);
    sn_free(h->z), sn_free(h->R), sn_free(h->RM);
}

/* Unit displacements of the coordinates below `from`: the others follow without forces, [K, B'; B, 0] x =
   -[K; B] e. */
static sn_status static_modes(sn_basis *b, sn_held *h, sn_err *err)
{
    const size_t z = (size_t)b->T.z, n = (size_t)h->A.cols;
    enum { TOGETHER = 24 };
    double *x = sn_alloc(n * TOGETHER + 1, sizeof *x);
    sn_status s = x ? SN_OK : SN_OUT_OF_MEM(err);
    for (int first = 0; first < h->from && !s; first += TOGETHER) {
        const int count = h->from - first < TOGETHER ? h->from - first : TOGETHER;
        memset(x, 0, sizeof *x * n * (size_t)count);
        for (int c = 0; c < count; c++) {
            double *f = x + (size_t)c * n;
            const int j = first + c;
            for (int k = b->K.first[j]; k < b->K.first[j + 1]; k++)
                if (b->K.row[k] >= h->from) f[b->K.row[k] - h->from] = -b->K.x[k];
            for (int k = b->B.rows ? b->B.first[j] : 0; b->B.rows && k < b->B.first[j + 1]; k++)
                f[h->n + b->B.row[k]] = -b->B.x[k];
        }
        if (h->ls) s = sn_linsol_solve_refined(h->ls, 0, count, x);
        for (int c = 0; c < count; c++) {
            double *v = b->V + (size_t)(first + c) * z;
            v[first + c] = 1;
            memcpy(v + h->from, x + (size_t)c * n, sizeof *v * (size_t)h->n);
        }
    }
    sn_free(x);
    return s;
}

enum { USUAL = 8 };

/* How many fixed-interface or free modes are wanted */
static sn_status wanted(const sn_basis *b, sn_held *h, int *want, sn_err *err)
{
    const int most = h->n - b->B.rows + (h->R ? h->from - 6 : 0), some = most < USUAL ? most : USUAL;
    *want = b->o->modes >= 0 ? b->o->modes : b->o->up_to > 0 || some < 0 ? 0 : some;
    if (!(b->o->up_to > 0) || !h->A.cols) return SN_OK;
    int below;
    SN_TRY(sn_held_count(h, b->o->up_to, &below, err));
    if (below > *want) *want = below;
    return SN_OK;
}

static sn_status room(sn_basis *b, int first, int want, sn_err *err)
{
    b->nr = first + want;
    b->V = sn_arena_alloc(b->arena, (size_t)b->T.z * (size_t)b->nr + 1, sizeof *b->V);
    b->c = sn_arena_alloc(b->arena, 6 * (size_t)b->nr + 1, sizeof *b->c);
    return b->V && b->c ? SN_OK : SN_OUT_OF_MEM(err);
}

/* An equation among interfaces alone: they are one, and cannot be held apart */
static sn_status check_joined(const sn_basis *b, int nb, sn_err *err)
{
    const int m = b->B.rows;
    int(*seen)[3] = sn_alloc((size_t)m + 1, sizeof *seen), joined = -1; /* two interfaces from 1, others */
    if (!seen) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < b->B.cols && m; j++)
        for (int e = b->B.first[j]; e < b->B.first[j + 1]; e++) {
            int *of = seen[b->B.row[e]], who = j / 6 + 1;
            if (b->B.x[e] == 0) continue;
            if (j >= nb)
                of[2] = 1;
            else if (!of[0] || of[0] == who)
                of[0] = who;
            else
                of[1] = who;
        }
    for (int i = 0; i < m && joined < 0; i++)
        if (seen[i][1] && !seen[i][2]) joined = i;
    const int first = joined < 0 ? 0 : seen[joined][0] - 1, second = joined < 0 ? 0 : seen[joined][1] - 1;
    sn_free(seen);
    if (joined < 0) return SN_OK;
    return sn_fail(
        err, SN_ERR_INPUT, NULL,
        "a joint connects the interfaces '%s' and '%s': take one of them, and the other as a point",
        b->o->point[first].name, b->o->point[second].name);
}

static sn_status craig_bampton(sn_basis *b, sn_held *h, sn_err *err)
{
    const int nb = 6 * b->o->n_interface;
    int want;
    SN_TRY(check_joined(b, nb, err));
    SN_TRY(hold(b, nb, h, err));
    SN_TRY(wanted(b, h, &want, err));
    tell(b, "%d modes with the interfaces held", want);
    SN_TRY(room(b, nb, want, err));
    double *w2 = sn_arena_alloc(b->arena, (size_t)want + 1, sizeof *w2);
    if (!w2) return SN_OUT_OF_MEM(err);
    SN_TRY(static_modes(b, h, err));
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < nb; i++) b->c[k * b->nr + i] = b->R[(size_t)k * (size_t)b->T.z + (size_t)i];
    return sn_held_modes(h, want, w2, b->V + (size_t)nb * (size_t)b->T.z, err);
}

/* R orthonormal with the mass (Gram and Schmidt, twice), and M R */
static sn_status rigid_metric(sn_basis *b, sn_held *h, sn_err *err)
{
    const size_t z = (size_t)b->T.z;
    if (!SN_NEW(h->R, 6 * z + 1) || !SN_NEW(h->RM, 6 * z + 1)) return SN_OUT_OF_MEM(err);
    memcpy(h->R, b->R, sizeof *h->R * 6 * z);
    for (int k = 0; k < 6; k++) {
        double *r = h->R + (size_t)k * z, *m = h->RM + (size_t)k * z, norm = 0, start = 0;
        for (int twice = 0; twice < 2; twice++) {
            for (int l = 0; l < k; l++) {
                double sum = 0;
                for (size_t i = 0; i < z; i++) sum += h->RM[(size_t)l * z + i] * r[i];
                for (size_t i = 0; i < z; i++) r[i] -= sum * h->R[(size_t)l * z + i];
            }
            sn_sparse_times(&b->M, 1, r, m);
            norm = 0;
            for (size_t i = 0; i < z; i++) norm += r[i] * m[i];
            if (!twice) start = norm;
            if (!(norm > 0) || norm < 1e-12 * start)
                return sn_fail(err, SN_ERR_INPUT, NULL,
                               "the body has no mass in one of its six rigid-body motions");
            for (size_t i = 0; i < z; i++) r[i] /= sqrt(norm), m[i] /= sqrt(norm);
        }
    }
    return SN_OK;
}

static sn_status free_modes(sn_basis *b, sn_held *h, sn_err *err)
{
    int want;
    SN_TRY(hold(b, 6, h, err));
    SN_TRY(rigid_metric(b, h, err));
    SN_TRY(wanted(b, h, &want, err));
    tell(b, "%d free modes", want);
    SN_TRY(room(b, 6, want, err));
    double *w2 = sn_arena_alloc(b->arena, (size_t)want + 1, sizeof *w2);
    if (!w2) return SN_OUT_OF_MEM(err);
    memcpy(b->V, b->R, sizeof *b->V * 6 * (size_t)b->T.z);
    for (int k = 0; k < 6; k++) b->c[k * b->nr + k] = 1;
    return sn_held_modes(h, want, w2, b->V + 6 * (size_t)b->T.z, err);
}

/* B R = 0: equations between parts of the body know nothing of where it is */
static sn_status check_equations(const sn_basis *b, sn_err *err)
{
    const int m = b->B.rows;
    const size_t z = (size_t)b->T.z;
    double *y = sn_alloc(2 * (size_t)m + 1, sizeof *y);
    int held = 0;
    if (!y) return SN_OUT_OF_MEM(err);
    for (size_t k = 0; k < 6 && m; k++) {
        memset(y, 0, 2 * sizeof *y * (size_t)m);
        for (int j = 0; j < b->B.cols; j++)
            for (int e = b->B.first[j]; e < b->B.first[j + 1]; e++) {
                const double x = b->B.x[e] * b->R[k * z + (size_t)j];
                y[b->B.row[e]] += x, y[m + b->B.row[e]] += fabs(x);
            }
        for (int i = 0; i < m; i++) held |= fabs(y[i]) > 1e-6 * y[m + i] && y[m + i] > 1e-12;
    }
    sn_free(y);
    if (!held) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, NULL, "a joint holds the body: reduce it without supports");
}

sn_status sn_basis_make(sn_basis *b, sn_err *err)
{
    const sn_fe_body *fe = b->fe;
    sn_held h = {0};
    SN_TRY(check_matrices(fe, err));
    SN_TRY(make_ties(b, err));
    SN_TRY(rigid_motions(b, err));
    tell(b, "%d coordinates", b->T.z);
    SN_TRY(sn_sparse_tied(b->arena, &fe->M, &b->T, &b->T, &b->M, err));
    SN_TRY(sn_sparse_tied(b->arena, &fe->K, &b->T, &b->T, &b->K, err));
    b->B = (sn_sparse){.cols = b->T.z};
    if (fe->m) SN_TRY(sn_sparse_tied(b->arena, &fe->B, NULL, &b->T, &b->B, err));
    SN_TRY(check_equations(b, err));
    sn_status s = b->o->free ? free_modes(b, &h, err) : craig_bampton(b, &h, err);
    let_go(&h);
    return s;
}
