/* The matrices of the modes, their factors, and what rounding leaves of them. */
#include "analysis/modes.h"

#include <math.h>
#include <string.h>

void sn_pencil_free(sn_pencil *p)
{
    if (!p) return;
    p->d->w->blocks = NULL, p->d->w->Mx = NULL;
    sn_object_blocks_free(p->blocks);
    sn_free(p->K), sn_free(p->M), sn_free(p->free), sn_free(p->still), sn_free(p->Mp), sn_free(p->Mi),
        sn_free(p->Mx), sn_free(p->xi), sn_free(p->eta);
    sn_free(p);
}

const double *sn_pencil_object(const sn_pencil *p, int e, const sn_object **o)
{
    const sn_model *m = p->d->m;
    int joint = e - m->element.n;
    *o = joint < 0 ? &m->element.object[e] : &m->joint.object[joint];
    return p->blocks->x + (joint < 0 ? p->blocks->element[e] : p->blocks->joint[joint]);
}

/* Whether the rows of K and B, or the columns of K, add up to nothing but rounding over a shift along axis k.
 */
static int balanced(const sn_object *o, const double *K, int k, int columns)
{
    int step = columns ? 1 : o->nv, along = columns ? o->nv : 1;
    for (int i = 0; i < o->nv + (columns ? 0 : o->m); i++) {
        double sum = 0, size = 0;
        for (int a = 0; a < o->nn; a++) {
            if (o->place[a].x_v < 0) continue;
            double x = K[i * step + (o->place[a].x_v + k) * along];
            sum += x, size += fabs(x);
        }
        if (fabs(sum) > 8 * DBL_EPSILON * size) return 0;
    }
    return 1;
}

/* Most of the pattern is K's alone. */
static sn_status find_masses(sn_pencil *p, sn_err *err)
{
    const sn_model *m = p->d->m;
    int n = 0;
    for (int k = 0; k < m->nnz; k++) n += p->M[k] != 0;
    if (!SN_NEW(p->Mp, m->nv + 1) || !SN_NEW(p->Mi, n + 1) || !SN_NEW(p->Mx, n + 1))
        return SN_OUT_OF_MEM(err);
    n = 0;
    for (int j = 0; j < m->nv; j++) {
        for (int k = m->Ap[j]; k < m->Ap[j + 1] && m->Ai[k] < m->nv; k++)
            if (p->M[k] != 0) p->Mi[n] = m->Ai[k], p->Mx[n++] = p->M[k];
        p->Mp[j + 1] = n;
    }
    return SN_OK;
}

sn_status sn_pencil_new(sn_context *d, sn_pencil **out, sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef with_K = {d->one, d->zero, d->zero, d->one, 1};
    int objects = m->element.n + m->joint.n;
    size_t room = SN_MODES_CHUNK * (size_t)(m->max_v + 1);
    sn_pencil *p;
    *out = NULL;
    if (!SN_NEW(p, 1)) return SN_OUT_OF_MEM(err);
    *p = (sn_pencil){.d = d};
    sn_status status = SN_NEW(p->K, m->nnz + 1) && SN_NEW(p->M, m->nnz + 1) && SN_NEW(p->free, objects + 1) &&
                               SN_NEW(p->still, objects + 1) && SN_NEW(p->xi, room + 1) &&
                               SN_NEW(p->eta, room + 1)
                           ? sn_object_blocks_new(m, &p->blocks, err)
                           : SN_OUT_OF_MEM(err);
    if (!status) {
        d->w->blocks = p->blocks, d->w->Mx = p->M;
        status = sn_system_eval(d->w, d->x, &with_K, err);
        d->w->blocks = NULL, d->w->Mx = NULL;
    }
    if (!status) status = sn_context_finite(d, "modes", err);
    if (!status) status = find_masses(p, err);
    if (status) {
        sn_pencil_free(p);
        return status;
    }
    memcpy(p->K, d->w->Ax, sizeof(double) * (size_t)(m->nnz + 1));
    for (int k = 0; k < m->nnz; k++)
        if (!isfinite(p->M[k])) {
            sn_pencil_free(p);
            return sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: some mass is out of range");
        }
    for (int e = 0; e < objects; e++) {
        const sn_object *o;
        const double *K = sn_pencil_object(p, e, &o);
        for (int k = 0; k < m->dim; k++)
            if (balanced(o, K, k, 0)) {
                p->still[e] |= (unsigned char)(1 << k);
                if (balanced(o, K, k, 1)) p->free[e] |= (unsigned char)(1 << k);
            }
    }
    for (int i = 0; i < m->nv; i++)
        if (p->M[m->diag[i]] > 0) p->top = fmax(p->top, fabs(p->K[m->diag[i]]) / p->M[m->diag[i]]);
    *out = p;
    return SN_OK;
}

void sn_pencil_mass(const sn_pencil *p, const double *x, double *y)
{
    const sn_model *m = p->d->m;
    memset(y, 0, sizeof(double) * (size_t)m->nv);
    for (int j = 0; j < m->nv; j++)
        for (int i = p->Mp[j]; i < p->Mp[j + 1]; i++) y[p->Mi[i]] += p->Mx[i] * x[j];
}

sn_status sn_pencil_factor(sn_pencil *p, double shift, sn_err *err)
{
    sn_context *d = p->d;
    const sn_model *m = d->m;
    int column = -1;
    memcpy(d->w->Ax, p->K, sizeof(double) * (size_t)(m->nnz + 1));
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1] && m->Ai[k] < m->nv; k++) d->w->Ax[k] -= shift * p->M[k];
    p->shift = shift;
    sn_status s = sn_linsol_factor(d->ls, d->w->Ax, &column, NULL);
    return s ? sn_singular(d, "modes", s, column, err) : SN_OK;
}

double sn_pencil_noise(const sn_pencil *p, const double *x)
{
    const sn_model *m = p->d->m;
    double sum = 0, mass = 0;
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1] && m->Ai[k] < m->nv; k++) {
            sum += fabs(p->K[k] * x[m->Ai[k]] * x[j]);
            mass += p->M[k] * x[m->Ai[k]] * x[j];
        }
    return mass > 0 ? SN_MODES_ROUNDING * sum / mass : 0;
}

void sn_pencil_gather(const sn_pencil *p, unsigned free, const sn_object *o, int columns, const double *x,
                      double *xi)
{
    const sn_model *m = p->d->m;
    for (int c = 0; c < columns; c++, x += m->nv, xi += o->nv) {
        for (int i = 0; i < o->nv; i++) xi[i] = o->vi[i] < m->nv ? x[o->vi[i]] : 0;
        for (int k = 0; k < m->dim; k++) {
            double by = 0;
            int first = 1;
            if (!((free >> k) & 1)) continue;
            for (int a = 0; a < o->nn; a++) {
                if (o->place[a].x_v < 0) continue;
                double *at = xi + o->place[a].x_v + k;
                if (first) by = *at, first = 0;
                *at -= by;
            }
        }
    }
}

/* Where the coordinates of a node's place end in its block. */
static int places_end(const sn_object *o, int a)
{
    return o->place[a].x_v < 0 ? o->offv[a] : o->place[a].x_v + o->dim;
}

/* The largest entry of a block of K and the sums of |xi| over its rows and columns, for the blocks of places
   and of rotations of all pairs of nodes: rounding turns the axes of an object, so that its stiffest entry
   spoils the others of the block. */
void sn_pencil_rounding(const sn_object *o, const double *K, int n, const double *xi, double factor,
                        double *sum)
{
    enum { BLOCKS_MOST = 2 * SN_MAX_NODES };
    const int nv = o->nv, blocks = 2 * o->nn;
    int begin[BLOCKS_MOST + 1];
    double largest[BLOCKS_MOST * BLOCKS_MOST], size[BLOCKS_MOST];
    memset(largest, 0, sizeof *largest * (size_t)(blocks * blocks));
    for (int a = 0; a < blocks; a++) begin[a] = a % 2 ? places_end(o, a / 2) : o->offv[a / 2];
    begin[blocks] = nv;
    for (int a = 0; a < blocks; a++)
        for (int b = 0; b < blocks; b++) {
            double most = 0;
            for (int i = begin[a]; i < begin[a + 1]; i++)
                for (int j = begin[b]; j < begin[b + 1]; j++)
                    most = fabs(K[i * nv + j]) > most ? fabs(K[i * nv + j]) : most;
            largest[a * blocks + b] = most;
        }
    for (int c = 0; c < n; c++, xi += nv) {
        for (int a = 0; a < blocks; a++) {
            size[a] = 0;
            for (int i = begin[a]; i < begin[a + 1]; i++) size[a] += fabs(xi[i]);
        }
        for (int a = 0; a < blocks; a++)
            for (int b = 0; b < blocks; b++) sum[c] += factor * largest[a * blocks + b] * size[a] * size[b];
    }
}

double sn_pencil_form(const sn_pencil *p, const double *y, const double *x)
{
    const sn_model *m = p->d->m;
    double sum = 0;
    for (int e = 0; e < m->element.n + m->joint.n; e++) {
        const sn_object *o;
        const double *K = sn_pencil_object(p, e, &o);
        sn_pencil_gather(p, p->free[e], o, 1, x, p->xi);
        sn_pencil_gather(p, p->free[e], o, 1, y, p->eta);
        for (int i = 0; i < o->nv; i++)
            for (int j = 0; j < o->nv; j++) sum += p->eta[i] * K[i * o->nv + j] * p->xi[j];
    }
    return sum;
}

void sn_pencil_times(const sn_pencil *p, int transposed, const double *x, double *y)
{
    const sn_model *m = p->d->m;
    for (int e = 0; e < m->element.n + m->joint.n; e++) {
        const sn_object *o;
        const double *K = sn_pencil_object(p, e, &o);
        sn_pencil_gather(p, p->free[e], o, 1, x, p->xi);
        for (int i = 0; i < o->nv; i++)
            for (int j = 0; j < o->nv; j++) {
                int to = o->vi[transposed ? j : i];
                if (to < m->nv) y[to] += K[i * o->nv + j] * p->xi[transposed ? i : j];
            }
    }
}
