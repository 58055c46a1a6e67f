/* States along a steady motion, and whether a motion is one: see steady.h. */
#include "analysis/steady.h"
#include "math/rot3.h"

#include <math.h>
#include <string.h>

/* A planar or spatial vector as a spatial one. */
static void vector_of(int dim, const double *x, double *out)
{
    for (int a = 0; a < 3; a++) out[a] = a < dim ? x[a] : 0;
}

/* v and a of a place or a vector that belongs to node n. */
static void place_velocity(const sn_steady_motion *f, int dim, const double *x, const double *v0, double *v,
                           double *a)
{
    double at[3], now[3];
    vector_of(dim, x, at);
    sn_cross3(f->w, at, now);
    for (int i = 0; i < 3; i++) now[i] += v0 ? v0[i] : 0;
    sn_cross3(f->w, now, at);
    memcpy(v, now, sizeof *v * (size_t)dim), memcpy(a, at, sizeof *a * (size_t)dim);
}

static void frame_velocity(const sn_steady_motion *f, const double *q, const double *own, double *v,
                           double *a)
{
    double R[9], W[3], c[3];
    sn_quat_matrix(q, R);
    sn_tmul3(R, f->w, v);
    for (int i = 0; i < 3; i++) v[i] += own[i];
    sn_mul3(R, v, W);
    sn_cross3(f->w, W, c);
    sn_tmul3(R, c, a);
}

void sn_steady_velocities(const sn_steady_motion *f, sn_state *x)
{
    const sn_model *m = f->d->m;
    memcpy(x->v, f->own, sizeof(double) * (size_t)m->nv);
    memset(x->a, 0, sizeof(double) * (size_t)m->nv);
    for (int i = 0; i < m->n_node && f->turning; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places at = sn_node_place(n);
        const int dim = n->cls->dim;
        const double *q = x->q + n->q;
        double *v = x->v + n->v, *a = x->a + n->v;
        if (n->ground) continue;
        if (at.x_v >= 0) place_velocity(f, dim, q + at.x_q, f->v0, v + at.x_v, a + at.x_v);
        for (int k = 0; at.d_v >= 0 && k < at.vectors; k++)
            place_velocity(f, dim, q + at.d_q + k * dim, NULL, v + at.d_v + k * dim, a + at.d_v + k * dim);
        if (at.R_v >= 0 && dim == 2) v[at.R_v] += f->w[2];
        if (at.R_v >= 0 && dim == 3)
            frame_velocity(f, q + at.R_q, f->own + n->v + at.R_v, v + at.R_v, a + at.R_v);
    }
}

/* x += the way of a velocity that turns with w, in the time h. */
static void advance(const sn_steady_motion *f, int dim, double h, const double *v, double *x)
{
    double w = sqrt(sn_dot3(f->w, f->w)), u[3], across[3], twice[3];
    vector_of(dim, v, u);
    sn_cross3(f->w, u, across), sn_cross3(f->w, across, twice);
    double s = w > 0 ? (1 - cos(w * h)) / (w * w) : 0, c = w > 0 ? (w * h - sin(w * h)) / (w * w * w) : 0;
    for (int a = 0; a < dim; a++) x[a] += h * u[a] + s * across[a] + c * twice[a];
}

static void advance_frame(const sn_steady_motion *f, double h, const double *own, double *q)
{
    double turn[3], body[3], p[4], r[4];
    for (int a = 0; a < 3; a++) turn[a] = h * f->w[a], body[a] = h * own[a];
    sn_quat_exp(body, p), sn_quat_mul(q, p, r);
    sn_quat_exp(turn, p), sn_quat_mul(p, r, q);
}

void sn_steady_move(const sn_steady_motion *f, const sn_state *x, double h, sn_state *out)
{
    const sn_model *m = f->d->m;
    sn_state_copy(m, x, out);
    out->t = x->t + h;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places at = sn_node_place(n);
        const int dim = n->cls->dim;
        double *q = out->q + n->q;
        const double *v = x->v + n->v, *own = f->own + n->v;
        if (n->ground) continue;
        if (at.x_v >= 0) advance(f, dim, h, v + at.x_v, q + at.x_q);
        for (int k = 0; at.d_v >= 0 && k < at.vectors; k++)
            advance(f, dim, h, v + at.d_v + k * dim, q + at.d_q + k * dim);
        if (at.R_v >= 0 && dim == 2) q[at.R_q] += h * v[at.R_v];
        if (at.R_v >= 0 && dim == 3) advance_frame(f, h, own + at.R_v, q + at.R_q);
        if (at.x_v < 0 && at.R_v < 0 && at.d_v < 0 && n->nq == n->nv)
            for (int k = 0; k < n->nv; k++) q[k] += h * v[k];
    }
    sn_steady_velocities(f, out);
}

/* What the equations of both levels lack at the context's state, the factors' matrix being at hand. */
static sn_status gap(const sn_steady_motion *f, double *out, sn_err *err)
{
    sn_context *d = f->d;
    const sn_model *m = d->m;
    double *phi_t = d->rate, *lacks = phi_t + m->m;
    SN_TRY(sn_system_rate(d->w, d->x, phi_t, lacks, err));
    for (int i = 0; i < m->m; i++) lacks[i] = m->velocity[i] ? d->w->f[m->nv + i] : phi_t[i];
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            int i = m->Ai[k] - m->nv;
            if (i >= 0 && !m->velocity[i]) lacks[i] += d->w->Ax[k] * d->x->v[j];
        }
    for (int i = 0; i < m->m; i++) {
        double scale = d->w->scale[m->nv + i] / d->p->length;
        if (d->w->dropped[i]) continue;
        *out = fmax(*out, fabs(lacks[i]) * scale / f->rate);
        if (!m->velocity[i]) *out = fmax(*out, fabs(d->w->f[m->nv + i]) * scale);
    }
    return SN_OK;
}

/* Forces that reactions do not balance at the context's state, relative to the largest. */
static sn_status lacking(const sn_steady_motion *f, double *drift, int *at, sn_err *err)
{
    sn_context *d = f->d;
    const sn_model *m = d->m;
    double *force = d->g;
    d->w->measure = 1;
    for (int turn = 0; turn < 2; turn++) { /* once more with reactions, which may rub */
        SN_TRY(sn_factor_projection(d, NULL, err));
        for (int i = 0; i < m->n; i++) d->z[i] = i < m->nv ? -d->w->f[i] : 0;
        if (turn == 0) SN_TRY(gap(f, drift, err));
        SN_TRY(sn_linsol_solve_refined(d->ls, 0, 1, d->z));
        for (int i = 0; i < m->m; i++) d->x->lam[i] += d->z[m->nv + i];
    }
    d->w->measure = 0;
    memset(force, 0, sizeof *force * (size_t)m->nv);
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1] && m->Ai[k] < m->nv; k++)
            force[m->Ai[k]] += d->w->Ax[k] * d->z[j];
    for (int i = 0; i < m->nv; i++) {
        double off = d->w->force > 0 ? fabs(force[i]) * d->w->scale[i] / d->w->force : 0;
        if (!(off <= *drift)) *drift = off, *at = i;
    }
    return SN_OK;
}

sn_status sn_steady_drift(const sn_steady_motion *f, double *drift, int *at, sn_err *err)
{
    static const double angle[3] = {0, 1, -1.3};
    sn_context *d = f->d;
    sn_state *own = d->x, *x = NULL;
    sn_status s = sn_state_new(d->m, 0, &x, err);
    *drift = 0, *at = -1;
    for (int i = 0; i < 3 && !s; i++) {
        sn_steady_move(f, own, angle[i] / f->rate, x);
        sn_system_time(d->w, x->t);
        d->x = x;
        s = lacking(f, drift, at, err);
        if (i == 0 && !s) memcpy(own->lam, x->lam, sizeof(double) * (size_t)d->m->m);
        d->x = own;
    }
    sn_system_time(d->w, own->t);
    sn_state_free(x);
    return s;
}
