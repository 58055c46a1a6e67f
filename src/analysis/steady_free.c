/* Velocities that positions leave open in a steady motion: spins of wheels and shafts, and where nothing
   holds the whole, the velocity of a place: those along which nothing changes. */
#include "analysis/steady.h"
#include "math/rot3.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

/* Relative size of changes that are none; and the least size of rows beside others, of which rounding shall
   not make more than it is. */
#define NO_CHANGE 1e-9
#define LEAST_ROW 1e-4

void sn_steady_spins(sn_steady_task *t)
{
    const sn_model *m = t->f.d->m;
    t->ns = 0;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places at = sn_node_place(n);
        if (n->ground || at.R_v < 0) continue;
        const int v = n->v + at.R_v, dim = n->cls->dim == 2 ? 1 : 3;
        double size = 0;
        for (int a = 0; a < dim; a++) size = hypot(size, t->f.own[v + a]);
        for (int a = 0; a < dim; a++) {
            if (size > NO_CHANGE * t->f.rate)
                t->given[t->ns] = t->f.own[v + a], t->first[t->ns] = v, t->spin[t->ns++] = v + a;
            t->f.own[v + a] = 0;
        }
    }
    for (int a = 0; a < 3; a++) t->given[t->ns + a] = 0;
}

/* out (n) += factor * A times a rotation by coordinate t->spin[j], in common axes. */
static void add_spin(const sn_steady_task *t, const double *A, int j, double factor, double *out)
{
    const sn_model *m = t->f.d->m;
    const int v = t->first[j], at = t->spin[j], turned = t->p->turned[v];
    for (int a = 0; a < 3; a++) {
        const int c = turned ? v + a : at;
        const double e = turned ? t->p->P[3 * v + 3 * (at - v) + a] : a == 0;
        for (int k = m->Ap[c]; e != 0 && k < m->Ap[c + 1]; k++) out[m->Ai[k]] += factor * e * A[k];
    }
}

/* out (n) += factor * A times a translation of all places by u. */
static void add_translation(const sn_steady_task *t, const double *A, const double *u, double factor,
                            double *out)
{
    const sn_model *m = t->f.d->m;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const int at = sn_node_place(n).x_v;
        for (int a = 0; a < n->cls->dim && !n->ground && at >= 0; a++)
            for (int c = n->v + at + a, k = m->Ap[c]; k < m->Ap[c + 1]; k++)
                out[m->Ai[k]] += factor * u[a] * A[k];
    }
}

/* Axes along and across the rotation, and along which of them nothing changes by a translation of all places,
   whatever its length; v and a are given, not by places. */
static sn_status find_translations(sn_steady_task *t, const double *r, sn_err *err)
{
    sn_context *d = t->f.d;
    const sn_model *m = d->m;
    const double *w = t->f.w, size = sqrt(sn_dot3(w, w)), far = 0.37 * d->p->length;
    const int least =
        fabs(w[0]) < fabs(w[1]) ? (fabs(w[0]) < fabs(w[2]) ? 0 : 2) : (fabs(w[1]) < fabs(w[2]) ? 1 : 2);
    double e[3][3] = {{0}, {0}, {w[0] / size, w[1] / size, w[2] / size}},
           x[3] = {least == 0, least == 1, least == 2};
    t->nz = t->ns;
    sn_cross3(e[2], x, e[0]);
    double across = sqrt(sn_dot3(e[0], e[0]));
    for (int a = 0; a < 3; a++) e[0][a] /= across;
    sn_cross3(e[2], e[0], e[1]);
    memcpy(t->q, d->x->q, sizeof(double) * (size_t)m->nq);
    for (int j = 0; j < m->dim; j++) {
        double off = 0;
        memset(d->z, 0, sizeof(double) * (size_t)m->nv);
        for (int i = 0; i < m->n_node; i++) {
            const int at = m->node[i].ground ? -1 : sn_node_place(&m->node[i]).x_v;
            for (int a = 0; a < m->node[i].cls->dim && at >= 0; a++)
                d->z[m->node[i].v + at + a] = far * e[j][a];
        }
        sn_system_retract(m, t->q, d->z, d->x->q);
        sn_status s = sn_system_eval(d->w, d->x, NULL, err);
        memcpy(d->x->q, t->q, sizeof(double) * (size_t)m->nq);
        if (s) return s;
        for (int i = 0; i < m->n; i++)
            off = fmax(off, fabs(d->w->f[i] - r[i]) * d->w->scale[i] /
                                (i < m->nv ? fmax(d->w->force, 1e-300) : d->p->length));
        if (off <= NO_CHANGE) memcpy(t->along[t->nz++ - t->ns], e[j], sizeof e[j]);
        if (j < 2 || off <= NO_CHANGE) continue;
        /* then nothing moves along the axis of the rotation */
        double rise = sn_dot3(e[2], t->f.v0);
        for (int a = 0; a < 3; a++) t->f.v0[a] -= rise * e[2][a];
    }
    return SN_OK;
}

/* out (n) += what changes by velocity j of those that positions leave open, and (moved) by the motion along
   it. */
static void add_velocity(const sn_steady_task *t, int j, int moved, double factor, double *out)
{
    double *const *A = t->p->A, u[3], wu[3], wwu[3];
    if (j < t->ns) {
        add_spin(t, A[!moved], j, factor, out);
        return;
    }
    for (int a = 0; a < 3; a++) u[a] = t->f.d->p->length * t->along[j - t->ns][a];
    sn_cross3(t->f.w, u, wu), sn_cross3(t->f.w, wu, wwu);
    add_translation(t, A[!moved], u, factor, out);
    add_translation(t, A[1 + !moved], wu, -factor, out);
    if (moved) add_translation(t, A[2], wwu, factor, out);
}

/* Vectors of the null space of S (rows x cols), to `NO_CHANGE`: the first nz numbers of each, orthonormal. */
static sn_status null_vectors(sn_steady_task *t, int rows, int cols, double *S, sn_err *err)
{
    const int few = rows < cols ? rows : cols;
    double *s = sn_alloc((size_t)few + (size_t)cols * (size_t)cols + 1, sizeof *s), none[1];
    if (!s) return SN_OUT_OF_MEM(err);
    double *Vt = s + few;
    memset(s, 0, sizeof *s * (size_t)few);
    if (LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', rows, cols, S, rows, s, none, 1, Vt, cols, t->b)) {
        sn_free(s);
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "steady motion: no singular values");
    }
    t->k = 0;
    for (int i = 0; i < cols && t->k < t->nz; i++) {
        if (i < few && s[i] > NO_CHANGE * s[0]) continue;
        double *to = t->shares + (size_t)t->k * (size_t)t->nz, size = 0;
        for (int j = 0; j < t->nz; j++) to[j] = Vt[j * cols + i];
        for (int c = 0; c < t->k; c++) {
            const double *from = t->shares + (size_t)c * (size_t)t->nz;
            double along = 0;
            for (int j = 0; j < t->nz; j++) along += to[j] * from[j];
            for (int j = 0; j < t->nz; j++) to[j] -= along * from[j];
        }
        for (int j = 0; j < t->nz; j++) size = hypot(size, to[j]);
        for (int j = 0; size > 1e-6 && j < t->nz; j++) to[j] /= size;
        t->k += size > 1e-6;
    }
    sn_free(s);
    return SN_OK;
}

void sn_steady_row_sizes(const sn_steady_task *t, double *size)
{
    const sn_context *d = t->f.d;
    const sn_model *m = d->m;
    double top = 0;
    memset(size, 0, sizeof *size * (size_t)m->n);
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            int i = m->Ai[k];
            size[i] = fmax(size[i], fabs(t->p->A[0][k]) * d->w->scale[j] * d->p->length);
            if (i < m->nv) top = fmax(top, size[i] * d->w->scale[i]);
        }
    for (int i = 0; i < m->nv; i++) size[i] = fmax(size[i], LEAST_ROW * top / d->w->scale[i]);
}

/* Velocities along which nothing changes but reactions, whatever rolls: the null space of [A0 Z, L]. */
static sn_status symmetric(sn_steady_task *t, sn_err *err)
{
    sn_context *d = t->f.d;
    const sn_model *m = d->m;
    const int n = m->n, cols = t->nz + m->m;
    double *S = sn_alloc((size_t)n * (size_t)cols + 1, sizeof *S), top;
    if (!S) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < t->nz; j++) add_velocity(t, j, 1, 1, S + (size_t)j * (size_t)n);
    for (int j = m->nv; j < n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
            S[(size_t)(t->nz + j - m->nv) * (size_t)n + (size_t)m->Ai[k]] = t->p->A[0][k];
    sn_steady_row_sizes(t, t->b);
    for (int j = 0; j < cols; j++) {
        double *c = S + (size_t)j * (size_t)n;
        top = 0;
        for (int i = 0; i < n; i++) {
            if (t->b[i] > 0) c[i] /= t->b[i];
            if (i >= m->nv && m->velocity[i - m->nv]) c[i] = 0;
            top = fmax(top, fabs(c[i]));
        }
        for (int i = 0; j >= t->nz && top > 0 && i < n; i++) c[i] /= top;
    }
    sn_status s = null_vectors(t, n, cols, S, err);
    sn_free(S);
    return s;
}

void sn_steady_add(sn_steady_task *t, int c, double factor)
{
    const double *share = t->shares + (size_t)c * (size_t)t->nz;
    for (int j = 0; j < t->ns; j++) t->f.own[t->spin[j]] += factor * share[j];
    for (int j = t->ns; j < t->nz; j++)
        for (int a = 0; a < 3; a++)
            t->f.v0[a] += factor * share[j] * t->f.d->p->length * t->along[j - t->ns][a];
}

void sn_steady_keep_spins(sn_steady_task *t)
{
    for (int c = 0; c < t->k; c++) {
        const double *share = t->shares + (size_t)c * (size_t)t->nz;
        double along = 0;
        for (int i = 0; i < t->nz; i++) along += share[i] * t->given[i];
        sn_steady_add(t, c, along);
    }
}

void sn_steady_column(const sn_steady_task *t, int c, double *out)
{
    for (int j = 0; j < t->nz; j++) add_velocity(t, j, 0, t->shares[c * t->nz + j], out);
}

sn_status sn_steady_free(sn_steady_task *t, const double *r, sn_err *err)
{
    t->nz = t->ns, t->k = 0;
    if (t->f.turning) SN_TRY(find_translations(t, r, err));
    return t->nz ? symmetric(t, err) : SN_OK;
}
