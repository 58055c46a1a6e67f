/* Residual, derivatives and weights of one window.

   Unknown coordinates are cubics over the pair t0, t1 = t0 + h, written by their values and second
   derivatives at both ends, so that all four unknowns have a size of their own whatever h is:

       v0 = (theta1 - theta0)/h - h (2 a0 + a1)/6,      v1 = (theta1 - theta0)/h + h (a0 + 2 a1)/6

   Weights: z = L zeta with L L' the covariance of the rows. Equations come before forces in it: where phi
   depends on no unknown its rows stay without one after whitening, and drop out, having told the forces what
   they know. */
#include "identify/rows.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

static size_t count(int a, int b) { return (size_t)a * (size_t)b; }

void sn_rows_close(sn_rows *s)
{
    double *const d[] = {s->Cx, s->Mx, s->one, s->zero, s->Jp, s->Jl, s->z, s->raw, s->F, s->cov, s->plain};
    for (size_t i = 0; i < sizeof d / sizeof *d; i++) sn_free(d[i]);
    sn_work_free(s->w), sn_parameter_chain_free(s->c), sn_state_free(s->x);
}

sn_status sn_rows_open(sn_rows *s, sn_err *err)
{
    const sn_model *m = s->m;
    int rows = s->width * m->n, np = s->np + 1;
    int weighted = s->o->noise_q || s->o->noise_v || s->o->noise_a;
    s->nl = s->width * (m->m + s->o->n_axial) + 4 * s->n_unknown;
    SN_TRY(sn_state_new(m, 0, &s->x, err));
    if (!SN_NEW(s->Cx, m->nnz + 1) || !SN_NEW(s->Mx, m->nnz + 1) || !SN_NEW(s->one, m->nv + 1) ||
        !SN_NEW(s->zero, m->nv + 1) || !SN_NEW(s->Jp, count(rows, np)) ||
        !SN_NEW(s->Jl, count(rows, s->nl + 1)) || !SN_NEW(s->z, rows) ||
        !SN_NEW(s->raw, count(s->width, m->nv)) || !SN_NEW(s->plain, rows + 1) ||
        !SN_NEW(s->F, count(m->n, np)) || (weighted && !SN_NEW(s->cov, count(m->n, m->n))))
        return SN_OUT_OF_MEM(err);
    for (int i = 0; i <= m->nv; i++) s->one[i] = 1;
    return SN_OK;
}

sn_status sn_rows_values(sn_rows *s, const sn_values *p, int np, const int *id, sn_err *err)
{
    sn_work_free(s->w), sn_parameter_chain_free(s->c);
    s->w = NULL, s->c = NULL;
    SN_TRY(sn_work_new(s->m, p, &s->w, err));
    s->w->Cx = s->Cx, s->w->Mx = s->Mx;
    sn_system_tangent_maps(s->w, s->zero);
    return sn_parameter_chain_new(s->m, p, np, id, &s->c, err);
}

int sn_rows_class(const sn_rows *s, int r)
{
    int i = r % s->m->n - s->m->m;
    return i < 0 ? 2 : sn_coord_is_angle(s->m, i);
}

/* Coefficients of (theta0, theta1, a0, a1) in q, v, a at instant j. */
static void cubic(const sn_rows *s, int i, int j, double y[3][4])
{
    double h = s->at->t[2 * i + 1] - s->at->t[2 * i], g = j ? h / 6 : -h / 6;
    memset(y, 0, sizeof(double) * 12);
    y[0][j] = 1;
    y[1][0] = -1 / h, y[1][1] = 1 / h, y[1][2 + j] = 2 * g, y[1][3 - j] = g;
    y[2][2 + j] = 1;
}

void sn_rows_cubic(const sn_rows *s, int i, int j, int k, const double *l, double y[3])
{
    double c[3][4];
    const double *b = l + s->width * (s->m->m + s->o->n_axial) + 4 * k;
    cubic(s, i, j, c);
    for (int d = 0; d < 3; d++) y[d] = c[d][0] * b[0] + c[d][1] * b[1] + c[d][2] * b[2] + c[d][3] * b[3];
}

/* Configuration index of a tangent coordinate of a flat node. */
static int place(const sn_model *m, int coordinate)
{
    const sn_node *n = &m->node[m->node_of[coordinate]];
    return n->q + coordinate - n->v;
}

void sn_rows_start(const sn_rows *s, int i, double *l)
{
    const sn_model *m = s->m;
    double *b = l + s->width * (m->m + s->o->n_axial);
    for (int k = 0; k < s->n_unknown; k++)
        for (int j = 0; j < 2; j++) {
            b[4 * k + j] = s->at->q[count(2 * i + j, m->nq) + (size_t)place(m, s->unknown[k])];
            b[4 * k + 2 + j] = s->at->a[count(2 * i + j, m->nv) + (size_t)s->unknown[k]];
        }
}

/* State of instant j of window i. */
static void set_state(sn_rows *s, int i, int j, const double *l)
{
    const sn_model *m = s->m;
    int at = i * s->width + j;
    s->x->t = s->at->t[at];
    memcpy(s->x->q, s->at->q + count(at, m->nq), sizeof(double) * (size_t)m->nq);
    memcpy(s->x->v, s->at->v + count(at, m->nv), sizeof(double) * (size_t)m->nv);
    memcpy(s->x->a, s->at->a + count(at, m->nv), sizeof(double) * (size_t)m->nv);
    memcpy(s->x->lam, l + j * (m->m + s->o->n_axial), sizeof(double) * (size_t)m->m);
    for (int k = 0; k < s->n_unknown; k++) {
        double y[3];
        sn_rows_cubic(s, i, j, k, l, y);
        s->x->q[place(m, s->unknown[k])] = y[0];
        s->x->v[s->unknown[k]] = y[1], s->x->a[s->unknown[k]] = y[2];
    }
}

/* Row of the window that unknown z of the system has at instant j: equations first. */
static int row_of(const sn_model *m, int j, int z) { return j * m->n + (z < m->nv ? m->m + z : z - m->nv); }

/* Unit vector from the first to the second node of an element; their tangent coordinates (nv: ground). */
static int chord(const sn_rows *s, int element, double *e, int at[2])
{
    const sn_object *o = &s->m->element.object[element];
    const int *from = o->qi + o->place[0].x_q, *to = o->qi + o->place[1].x_q;
    double length = 0;
    for (int k = 0; k < o->dim; k++) e[k] = s->x->q[to[k]] - s->x->q[from[k]], length = hypot(length, e[k]);
    for (int k = 0; k < o->dim; k++) e[k] /= length;
    for (int k = 0; k < 2; k++) at[k] = s->m->node[o->node[k]].ground ? -1 : o->vi[o->place[k].x_v];
    return o->dim;
}

/* Axial forces on top of the elements' own: N e on the second node, -N e on the first. */
static void add_axial(sn_rows *s, int j, const double *l)
{
    const sn_model *m = s->m;
    int first = j * (m->m + s->o->n_axial) + m->m;
    for (int k = 0; k < s->o->n_axial; k++) {
        double e[3];
        int at[2], dim = chord(s, s->o->axial[k], e, at);
        for (int end = 0; end < 2; end++)
            for (int d = 0; at[end] >= 0 && d < dim; d++) {
                int r = row_of(m, j, at[end] + d);
                double f = end ? e[d] : -e[d];
                s->Jl[count(r, s->nl) + (size_t)(first + k)] += f;
                s->z[r] += f * l[first + k];
            }
    }
}

/* Residual and derivatives of instant j, without weights. */
static sn_status fill_instant(sn_rows *s, int i, int j, const double *l, sn_err *err)
{
    const sn_model *m = s->m;
    const sn_coef K = {.k = s->one, .c = s->zero, .a = s->zero, .g = s->zero, .row = 1};
    size_t np = (size_t)s->np, nl = (size_t)s->nl;
    int lam = j * (m->m + s->o->n_axial), own = s->width * (m->m + s->o->n_axial);
    double c[3][4];
    set_state(s, i, j, l);
    sn_system_time(s->w, s->x->t);
    sn_parameter_chain_time(s->c, s->w, s->x->t);
    SN_TRY(sn_system_eval(s->w, s->x, &K, err));
    for (int z = 0; z < m->n; z++) s->z[row_of(m, j, z)] = s->w->f[z];
    for (int k = 0; k < m->m; k++) s->violation = fmax(s->violation, fabs(s->w->f[m->nv + k]));
    for (int k = 0; k < m->m; k++)
        for (int p = m->Ap[m->nv + k]; p < m->Ap[m->nv + k + 1]; p++)
            s->Jl[(size_t)row_of(m, j, m->Ai[p]) * nl + (size_t)(lam + k)] += s->w->Ax[p];
    if (s->n_unknown) cubic(s, i, j, c);
    for (int k = 0; k < s->n_unknown; k++)
        for (int p = m->Ap[s->unknown[k]]; p < m->Ap[s->unknown[k] + 1]; p++)
            for (int b = 0; b < 4; b++)
                s->Jl[(size_t)row_of(m, j, m->Ai[p]) * nl + (size_t)(own + 4 * k + b)] +=
                    s->w->Ax[p] * c[0][b] + s->Cx[p] * c[1][b] + s->Mx[p] * c[2][b];
    add_axial(s, j, l);
    memset(s->F, 0, sizeof(double) * (size_t)m->n * np);
    SN_TRY(sn_system_dparam(s->w, s->x, s->c, 1, s->F, err));
    for (int z = 0; z < m->n; z++)
        memcpy(s->Jp + (size_t)row_of(m, j, z) * np, s->F + (size_t)z * np, sizeof(double) * np);
    for (int z = 0; z < m->nv; z++) s->raw[j * m->nv + z] = s->z[row_of(m, j, z)];
    return SN_OK;
}

/* cov += sigma_j^2 A_j A_j' over the columns j of a matrix of the system's pattern. */
static void propagate(sn_rows *s, const double *A, const double *sigma)
{
    const sn_model *m = s->m;
    for (int j = 0; sigma && j < m->nv; j++)
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++) {
            double f = sigma[j] * sigma[j] * A[p];
            if (f == 0) continue;
            for (int r = m->Ap[j]; r < m->Ap[j + 1]; r++)
                s->cov[count(row_of(m, 0, m->Ai[p]), m->n) + (size_t)row_of(m, 0, m->Ai[r])] += f * A[r];
        }
}

/* cov += c_j (A_j B_j' + B_j A_j'): of coordinates whose acceleration was derived from their positions. */
static void propagate_both(sn_rows *s, const double *A, const double *B, const double *c)
{
    const sn_model *m = s->m;
    for (int j = 0; c && j < m->nv; j++)
        for (int p = m->Ap[j]; c[j] != 0 && p < m->Ap[j + 1]; p++)
            for (int r = m->Ap[j]; r < m->Ap[j + 1]; r++)
                s->cov[count(row_of(m, 0, m->Ai[p]), m->n) + (size_t)row_of(m, 0, m->Ai[r])] +=
                    c[j] * (A[p] * B[r] + B[p] * A[r]);
}

/* What rows have of their own where nothing was said: a thousandth of the mean of what noise makes of their
   class; nothing at all: a billionth of the largest. */
static void own_deviations(sn_rows *s, double own[3])
{
    const sn_model *m = s->m;
    double sum[3] = {0}, top = 0, length = s->w->p->length;
    int n[3] = {0};
    for (int r = 0; r < m->n; r++) {
        int c = sn_rows_class(s, r);
        double v = s->cov[count(r, m->n) + (size_t)r];
        sum[c] += v, n[c]++;
        if (c < 2) top = fmax(top, v);
    }
    for (int c = 0; c < 3; c++) {
        double least = c == 2 ? 1e-9 * length : 1e-6 * sqrt(top);
        if (own[c] <= 0) own[c] = fmax(n[c] ? 1e-3 * sqrt(sum[c] / n[c]) : 0, least);
        if (own[c] <= 0) own[c] = 1;
    }
}

/* rows <- L^-1 rows, one instant: L of its covariance, by rows. */
static void whiten(sn_rows *s, int j)
{
    int n = s->m->n, first = j * n;
    for (int r = 0; r < n; r++) {
        double *L = s->cov + count(r, n), *zr = s->z + first + r;
        double *p = s->Jp + count(first + r, s->np), *l = s->Jl + count(first + r, s->nl);
        for (int k = 0; k < r; k++) {
            if (L[k] == 0) continue;
            *zr -= L[k] * s->z[first + k];
            for (int c = 0; c < s->np; c++) p[c] -= L[k] * s->Jp[count(first + k, s->np) + (size_t)c];
            for (int c = 0; c < s->nl; c++) l[c] -= L[k] * s->Jl[count(first + k, s->nl) + (size_t)c];
        }
        double d = 1 / L[r];
        *zr *= d;
        for (int c = 0; c < s->np; c++) p[c] *= d;
        for (int c = 0; c < s->nl; c++) l[c] *= d;
    }
}

/* Cholesky's factor of the covariance at the state at hand. */
static sn_status factor(sn_rows *s, sn_err *err)
{
    int n = s->m->n;
    double own[3] = {s->force, s->moment, s->o->gap};
    memset(s->cov, 0, sizeof(double) * count(n, n));
    propagate(s, s->w->Ax, s->o->noise_q);
    propagate(s, s->Cx, s->o->noise_v);
    propagate(s, s->Mx, s->o->noise_a);
    propagate_both(s, s->w->Ax, s->Mx, s->o->noise_qa);
    own_deviations(s, own);
    for (int r = 0; r < n; r++) {
        double d = own[sn_rows_class(s, r)];
        s->cov[count(r, n) + (size_t)r] += d * d;
    }
    /* symmetric: upper by columns is lower by rows */
    int info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', n, s->cov, n);
    if (info < 0) return SN_OUT_OF_MEM(err);
    if (info > 0)
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "the noise of the motion gives no covariance of forces");
    return SN_OK;
}

static sn_status weigh(sn_rows *s, int j, sn_err *err)
{
    int n = s->m->n;
    double own[3] = {s->force, s->moment, s->o->gap};
    if (!s->cov) {
        for (int r = j * n; r < (j + 1) * n; r++) {
            double d = own[sn_rows_class(s, r)];
            d = d > 0 ? 1 / d : 1;
            s->z[r] *= d;
            for (int c = 0; c < s->np; c++) s->Jp[count(r, s->np) + (size_t)c] *= d;
            for (int c = 0; c < s->nl; c++) s->Jl[count(r, s->nl) + (size_t)c] *= d;
        }
        return SN_OK;
    }
    SN_TRY(factor(s, err));
    whiten(s, j);
    return SN_OK;
}

sn_status sn_rows_fill(sn_rows *s, int i, const double *l, sn_err *err)
{
    memset(s->Jl, 0, sizeof(double) * count(s->width * s->m->n, s->nl));
    for (int j = 0; j < s->width; j++) {
        SN_TRY(fill_instant(s, i, j, l, err));
        memcpy(s->plain + j * s->m->n, s->z + j * s->m->n, sizeof(double) * (size_t)s->m->n);
        SN_TRY(weigh(s, j, err));
    }
    return SN_OK;
}

sn_status sn_rows_misfit(sn_rows *s, int i, const double *l, const double *plain, double *out, sn_err *err)
{
    const sn_coef K = {.k = s->one, .c = s->zero, .a = s->zero, .g = s->zero, .row = 1};
    int n = s->m->n;
    *out = 0;
    for (int j = 0; j < s->width; j++) {
        double *y = s->z + j * n;
        set_state(s, i, j, l);
        sn_system_time(s->w, s->x->t);
        SN_TRY(sn_system_eval(s->w, s->x, &K, err));
        SN_TRY(factor(s, err));
        memcpy(y, plain + j * n, sizeof(double) * (size_t)n);
        for (int r = 0; r < n; r++) {
            const double *L = s->cov + count(r, n);
            for (int k = 0; k < r; k++) y[r] -= L[k] * y[k];
            y[r] /= L[r];
            *out += y[r] * y[r];
        }
    }
    return SN_OK;
}

double sn_rows_axial(sn_rows *s, int i, int j, int element, const double *l)
{
    const sn_object *o = &s->m->element.object[element];
    const sn_element_class *cls = o->cls;
    sn_work *w = s->w;
    double y[SN_MAX_COMPONENTS] = {0};
    set_state(s, i, j, l);
    sn_system_time(w, s->x->t);
    for (int k = 0; k < o->nq; k++) w->q[k] = s->x->q[o->qi[k]];
    for (int k = 0; k < o->nv; k++) w->v[k] = s->x->v[o->vi[k]], w->a[k] = s->x->a[o->vi[k]];
    for (int k = 0; cls->outputs && cls->outputs[k].name; k++)
        if (!strcmp(cls->outputs[k].name, "force_local") && !strcmp(cls->outputs[k].component[0], "N") &&
            cls->output(&w->element[element], k, 2, y, NULL) == SN_OK)
            return y[0];
    return 0;
}
