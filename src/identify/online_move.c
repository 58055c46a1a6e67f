/* The run moves to where the filter's mean is: see online.h.

   What is moved is D's first column, to first order; positions by retraction. Where joints have equations the
   state and the columns of S are led back onto them (online_meet.c). */
#include "identify/online.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

/* A pivot of G, of a matrix with ones on its diagonal, from which on beta counts as determined: what is lost
   by cancellation is then some 1e-16/1e-8 of the covariance. */
static const double determined = 1e-8;

/* ---- histories ---- */

void sn_online_values(sn_filter *f)
{
    const double *x = f->k->part->values->x;
    for (int i = 0; i < f->s->n_history; i++) {
        int id = f->s->history[i].id;
        size_t bytes = sizeof *x * (size_t)(f->s->history[i].n + 2);
        memcpy(f->sim->p->x + id, x + id, bytes);
        memcpy(f->sim->d.w->x + id, x + id, bytes);
    }
}

/* The model's values of a history begin later by so many knots. */
static void shift(sn_filter *f, sn_kalman_track *q, int by)
{
    sn_history_part *p = q->part;
    const sn_history *h = &f->s->history[p->history];
    double *x = f->k->part->values->x + h->id;
    memmove(x, x + by, sizeof *x * (size_t)(h->n - by));
    for (int i = h->n - by; i < h->n; i++) x[i] = x[h->n - by - 1];
    q->base += by;
    p->begin = f->origin + q->base * h->spacing;
    p->end = f->origin + (q->base + h->n - q->active + 1) * h->spacing;
    x[h->n] = p->begin, x[h->n + 1] = p->end;
}

sn_status sn_online_slide(sn_filter *f, double t, sn_err *err)
{
    for (int i = 0; i < f->k->n_track; i++) {
        sn_kalman_track *q = &f->k->track[i];
        double b[SN_KALMAN_ACTIVE], spacing = f->s->history[q->part->history].spacing;
        int first;
        if (t <= q->part->end - 1e-6 * spacing) continue;
        sn_history_basis(f->s, q->part, f->sim->d.x->t, &first, b);
        if (first > q->order) shift(f, q, first - q->order);
        if (t > q->part->end + 1e-6 * spacing)
            return sn_fail(err, SN_ERR_BUG, NULL, "the history '%s' does not reach the step",
                           f->s->history[q->part->history].name);
    }
    SN_TRY(sn_kalman_push_to(f->k, t, err));
    sn_online_values(f);
    return SN_OK;
}

/* ---- unknowns ---- */

sn_status sn_online_numbers(sn_filter *f, sn_err *err)
{
    sn_context *d = &f->sim->d;
    const sn_model *m = d->m;
    const sn_part *p = f->k->part;
    int dropped = d->w->n_dropped;
    if (!p->n) return SN_OK;
    if (p->n > p->own) SN_TRY(sn_shown_renew(f->k->shown, f->s, p->unknown, f->z, err));
    sn_status status = sn_fit_set_with(f->fit, 0, f->z, f->numbers, err);
    if (status == SN_ERR_NUMERIC)
        return sn_fail(err, status, NULL, "at t = %.6g s the model has no meaning with what is estimated: %s",
                       d->x->t, p->err.count ? p->err.report[0].text : "");
    SN_TRY(status);
    sn_values_assign(f->sim->p, p->values);
    memcpy(f->dropped, d->w->dropped, (size_t)m->m);
    sn_work_renew(d->w);
    memcpy(d->w->dropped, f->dropped, (size_t)m->m);
    d->w->n_dropped = dropped;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        if (n->ground) memcpy(d->x->q + n->q, d->p->q0 + n->q, sizeof(double) * (size_t)n->nq);
    }
    return sn_parameter_chain_renew(f->k->forward.chain, err);
}

/* ---- the state ---- */

/* x += the mean, which is zero from then on. */
static void move_vector(const sn_kalman *k, double *by, int n, double *x)
{
    size_t columns = (size_t)k->np;
    for (int i = 0; i < n; i++) {
        double *mean = by + (size_t)i * columns + k->room;
        x[i] += *mean, *mean = 0;
    }
}

static void move_state(sn_filter *f)
{
    sn_state *x = f->sim->d.x;
    const sn_kalman *k = f->k;
    const sn_model *m = f->s->model;
    sn_dstate *d = k->forward.keep;
    memset(f->move, 0, sizeof *f->move * (size_t)m->nv);
    move_vector(k, d->q, m->nv, f->move);
    sn_system_retract(m, x->q, f->move, x->q);
    move_vector(k, d->v, m->nv, x->v), move_vector(k, d->a, m->nv, x->a);
    move_vector(k, d->lam, m->m, x->lam);
    for (int i = 0; i < d->n_own; i++) move_vector(k, d->own[i], m->nv, x->own[i]);
}

static void move_values(sn_filter *f)
{
    sn_kalman *k = f->k;
    for (int i = 0; i < k->n_track; i++) {
        sn_kalman_track *q = &k->track[i];
        double *x = k->part->values->x + f->s->history[q->part->history].id;
        int from = q->pushed > q->window ? q->pushed - q->window : 0;
        for (int j = from; j < q->pushed; j++) {
            double *mean = sn_kalman_coefficient(k, q, j) + k->room;
            if (j >= q->base) x[j - q->base] += *mean;
            *mean = 0;
        }
    }
    const sn_part *p = k->part;
    for (int a = 0; a < p->n; a++) {
        int u = p->unknown[a];
        double *mean = k->own[SN_KALMAN_UNKNOWNS].row + (size_t)a * (size_t)(k->room + k->fixed) + k->room;
        f->z[u] = fmin(fmax(f->z[u] + *mean, f->fit->lower[u]), f->fit->upper[u]);
        *mean = 0;
    }
}

sn_status sn_online_move(sn_filter *f, sn_err *err)
{
    sn_context *d = &f->sim->d;
    SN_TRY(sn_online_gaps(f, err));
    move_state(f), move_values(f);
    sn_online_values(f);
    SN_TRY(sn_online_numbers(f, err));
    sn_system_time(d->w, d->x->t);
    if (!f->s->model->m) return SN_OK;
    sn_linsol *own = d->ls;
    d->ls = f->ls;
    sn_status status = sn_online_meet(f, err);
    d->ls = own;
    return status;
}

/* ---- the first coefficients ---- */

typedef struct collapse {
    const double *L, *scale, *beta;
    int n, r, room;
} collapse;

static void collapse_row(void *ctx, double *row)
{
    const collapse *q = ctx;
    double *D = row + q->room + 1, *S = row + q->r;
    for (int i = 0; i < q->n; i++) row[q->room] += D[i] * q->beta[i];
    for (int i = 0; i < q->n; i++) {
        double sum = D[i] / q->scale[i];
        for (int j = 0; j < i; j++) sum -= q->L[i * q->n + j] * S[j];
        S[i] = sum / q->L[i * q->n + i];
    }
    memset(D, 0, sizeof *D * (size_t)q->n);
}

/* L L' = G scaled to ones on its diagonal; 0: it is singular. */
static int factor(const sn_kalman *k, int n, double *L, double *scale)
{
    size_t fixed = (size_t)k->fixed, m = (size_t)n;
    for (size_t i = 0; i < m; i++) {
        double g = k->G[(i + 1) * fixed + i + 1];
        if (!(g > 0)) return 0;
        scale[i] = sqrt(g);
    }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = k->G[(i + 1) * fixed + j + 1] / (scale[i] * scale[j]);
            for (size_t c = 0; c < j; c++) sum -= L[i * m + c] * L[j * m + c];
            if (i == j && !(sum > determined)) return 0;
            L[i * m + j] = i == j ? sqrt(sum) : sum / L[j * m + j];
        }
    return 1;
}

sn_status sn_online_collapse(sn_filter *f, sn_err *err)
{
    sn_kalman *k = f->k;
    int n = k->fixed - 1, need = k->r + n + k->margin;
    double *L = f->collapse, *scale = L + (size_t)n * (size_t)n, *beta = scale + n;
    if (f->known || !factor(k, n, L, scale)) return SN_OK;
    if (need > k->room) SN_TRY(sn_kalman_grow(k, need + need / 8, err));
    for (int i = 0; i < n; i++) { /* L y = -g, L'beta = y */
        beta[i] = -k->G[(size_t)(i + 1) * (size_t)k->fixed] / scale[i];
        for (int j = 0; j < i; j++) beta[i] -= L[i * n + j] * beta[j];
        beta[i] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) beta[i] -= L[j * n + i] * beta[j];
        beta[i] /= L[i * n + i];
    }
    for (int i = 0; i < n; i++) beta[i] /= scale[i];
    collapse q = {L, scale, beta, n, k->r, k->room};
    sn_kalman_each_row(k, collapse_row, &q);
    k->r += n, f->known = 1;
    if (k->r > k->largest) k->largest = k->r;
    return SN_OK;
}
