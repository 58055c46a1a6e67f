/* Equations of joints, where the run has moved to the mean.

   They hold there but for the square of how far it moved, and the columns of S, which were tangent to them
   where it was, are so but for the product of both. A scheme that meets positions at the end of its step
   would turn such gaps into velocities (over h) and accelerations (over h^2), and sensors of these would take
   that for knowledge. So positions are led onto the equations and their columns onto B S_q = 0, velocities
   and their columns to the gaps that they had before (a scheme meets B v + phi_t = 0 but for an error of its
   own):

       gap of v: B v + phi_t,   of S_v: B S_v + d(B v + phi_t)/dq S_q

   each by the smallest change in the mass metric. The derivative is taken from gamma, which is quadratic in
   the velocity, (gamma(v + w) - gamma(v - w))/4; of rotations in space that lacks half a commutator of v and
   w, before and after alike. */
#include "identify/online.h"

#include <math.h>
#include <string.h>

static size_t columns(const sn_filter *f) { return (size_t)f->k->room + 1; }

static sn_status make_room(sn_filter *f, sn_err *err)
{
    size_t n = columns(f), m = (size_t)f->s->model->m;
    if (n <= f->n_meet) return SN_OK;
    sn_free(f->meet), sn_free(f->gap), sn_free(f->gap_now);
    f->meet = f->gap = f->gap_now = NULL, f->n_meet = 0;
    if (!SN_NEW(f->meet, n * (size_t)f->s->model->n + 1) || !SN_NEW(f->gap, n * m + 1) ||
        !SN_NEW(f->gap_now, n * m + 1))
        return SN_OUT_OF_MEM(err);
    f->n_meet = n;
    return SN_OK;
}

/* out (m) += B x, x of every stride-th number, B of the last evaluation. */
static void times_B(const sn_context *d, const double *x, size_t stride, double *out)
{
    const sn_model *m = d->m;
    for (int j = 0; j < m->nv; j++)
        for (int e = m->Ap[j]; e < m->Ap[j + 1]; e++) {
            int i = m->Ai[e] - m->nv;
            if (i >= 0 && !m->velocity[i] && !d->w->dropped[i]) out[i] += d->w->Ax[e] * x[(size_t)j * stride];
        }
}

/* The change of B v + phi_t with column c of the positions, added to out. */
static sn_status turn_of_B(sn_filter *f, int c, double *out, sn_err *err)
{
    sn_context *d = &f->sim->d;
    const sn_model *m = d->m;
    const double *S = f->k->forward.keep->q + c;
    double size = 0, speed = 0, *v = f->move;
    memcpy(v, d->x->v, sizeof *v * (size_t)m->nv);
    for (int j = 0; j < m->nv; j++)
        size = fmax(size, fabs(S[(size_t)j * (size_t)f->k->np])), speed = fmax(speed, fabs(v[j]));
    if (!(size > 0)) return SN_OK;
    double scale = (speed > 0 ? speed : 1) / size, *gamma = d->rate + m->m;
    sn_status status = SN_OK;
    for (int side = -1; !status && side < 2; side += 2) {
        for (int j = 0; j < m->nv; j++) d->x->v[j] = v[j] + side * scale * S[(size_t)j * (size_t)f->k->np];
        status = sn_system_rate(d->w, d->x, d->rate, gamma, err);
        for (int i = 0; !status && i < m->m; i++)
            if (!m->velocity[i] && !d->w->dropped[i]) out[i] += 0.25 * side * gamma[i] / scale;
    }
    memcpy(d->x->v, v, sizeof *v * (size_t)m->nv);
    return status;
}

/* Of the velocity, then of the columns; the matrix of the state is there. */
static sn_status velocity_gaps(sn_filter *f, double *gap, sn_err *err)
{
    sn_context *d = &f->sim->d;
    const sn_model *m = d->m;
    const sn_kalman *k = f->k;
    memset(gap, 0, sizeof *gap * (size_t)m->m * (size_t)(k->r + 1));
    SN_TRY(sn_system_rate(d->w, d->x, d->rate, d->rate + m->m, err));
    for (int i = 0; i < m->m; i++)
        if (!m->velocity[i] && !d->w->dropped[i]) gap[i] = d->rate[i];
    times_B(d, d->x->v, 1, gap);
    for (int c = 0; c < k->r; c++) {
        double *of = gap + (size_t)(c + 1) * (size_t)m->m;
        times_B(d, k->forward.keep->v + c, (size_t)k->np, of);
        SN_TRY(turn_of_B(f, c, of, err));
    }
    return SN_OK;
}

sn_status sn_online_gaps(sn_filter *f, sn_err *err)
{
    sn_context *d = &f->sim->d;
    const sn_coef coef = {d->zero, d->zero, d->one, d->one, 1};
    if (!d->m->m) return SN_OK;
    SN_TRY(make_room(f, err));
    if (!d->m->flat) sn_system_tangent_maps(d->w, d->zero);
    sn_system_time(d->w, d->x->t);
    SN_TRY(sn_system_eval(d->w, d->x, &coef, err));
    return velocity_gaps(f, f->gap, err);
}

/* Columns from `first` on (0: the state's own) by right-hand sides -gap, m numbers each; x: of the state, S:
   its columns. */
static sn_status correct(sn_filter *f, int first, const double *gap, double *x, double *S, sn_err *err)
{
    const sn_context *d = &f->sim->d;
    const sn_model *m = d->m;
    const sn_kalman *k = f->k;
    size_t n = (size_t)m->n, equations = (size_t)m->m;
    int many = k->r + 1 - first;
    memset(f->meet, 0, sizeof *f->meet * n * (size_t)many);
    for (int c = 0; c < many; c++)
        for (size_t i = 0; i < equations; i++)
            f->meet[(size_t)c * n + (size_t)m->nv + i] = -gap[(size_t)(c + first) * equations + i];
    if (sn_linsol_solve(d->ls, 0, many, f->meet))
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "at t = %.6g s the equations cannot be met", d->x->t);
    for (int c = 0; c < many; c++)
        for (int j = 0; j < m->nv; j++) {
            double by = f->meet[(size_t)c * n + (size_t)j];
            if (c + first)
                S[(size_t)j * (size_t)k->np + (size_t)(c + first - 1)] += by;
            else
                x[j] += by;
        }
    return SN_OK;
}

sn_status sn_online_meet(sn_filter *f, sn_err *err)
{
    sn_context *d = &f->sim->d;
    const sn_model *m = d->m;
    const sn_kalman *k = f->k;
    sn_dstate *S = k->forward.keep;
    size_t all = (size_t)m->m * (size_t)(k->r + 1);
    SN_TRY(sn_meet(d, err));
    memset(f->gap_now, 0, sizeof *f->gap_now * all);
    for (int c = 0; c < k->r; c++)
        times_B(d, S->q + c, (size_t)k->np, f->gap_now + (size_t)(c + 1) * (size_t)m->m);
    SN_TRY(correct(f, 1, f->gap_now, NULL, S->q, err));
    SN_TRY(velocity_gaps(f, f->gap_now, err));
    for (size_t i = 0; i < all; i++) f->gap_now[i] -= f->gap[i];
    return correct(f, 0, f->gap_now, d->x->v, S->v, err);
}
