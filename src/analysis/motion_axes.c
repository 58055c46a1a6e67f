/* Axes in which the matrices of small motions are constant. Whether they are is seen from what must not
   change then: the response y of (A0 + s A1 + s^2 A2) y + L mu = f to fixed forces f in these axes, at two
   real s. It is computed a little before and after the state, on the way that positions, velocities and
   accelerations say, with velocities and reactions that meet the equations. Responses rather than matrices,
   because rows of equations and reactions have axes of their own, which do not matter. */
#include "analysis/motion.h"
#include "math/rot3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Angle of the motion (or part of the model's length) before and after, and the change of the response in a
   radian from which on it counts: the difference is right to the square of the angle. */
#define ANGLE  1e-3
#define CHANGE 1e-4

typedef struct search {
    sn_motion *p;
    sn_state *at, *x; /* the state; one beside it */
    double *f, *y[2]; /* n each */
    double rate;      /* of the fastest motion */
    double s[2];
} search;

int sn_node_spin(const sn_model *m, int i, const sn_state *x, double *w)
{
    const sn_node *n = &m->node[i];
    const sn_node_places at = sn_node_place(n);
    memset(w, 0, 3 * sizeof *w);
    if (n->ground || at.R_v < 0) return 0;
    const double *v = x->v + n->v + at.R_v;
    if (n->cls->dim == 2) {
        w[2] = v[0];
        return 1;
    }
    double R[9];
    sn_quat_matrix(x->q + n->q + at.R_q, R);
    for (int a = 0; a < 3; a++) w[a] = R[3 * a] * v[0] + R[3 * a + 1] * v[1] + R[3 * a + 2] * v[2];
    return 1;
}

/* The place and velocity of a node, as spatial vectors. */
static int node_velocity(const sn_model *m, int i, const sn_state *x, double *r, double *v)
{
    const sn_node *n = &m->node[i];
    const sn_node_places at = sn_node_place(n);
    if (n->ground || at.x_v < 0) return 0;
    for (int a = 0; a < 3; a++) {
        r[a] = a < n->cls->dim ? x->q[n->q + at.x_q + a] : 0;
        v[a] = a < n->cls->dim ? x->v[n->v + at.x_v + a] : 0;
    }
    return 1;
}

/* The rotation of all places together that is nearest to their velocities: w of v = v0 + w x (r - r0) by
   least squares, sum (r'r 1 - r r') w = sum r x v about the means. 0: they do not say. */
static int fitted_spin(const sn_model *m, const sn_state *x, double *w)
{
    double r0[3] = {0}, v0[3] = {0}, J[9] = {0}, b[3] = {0}, r[3], v[3], inverse[9];
    int count = 0;
    for (int i = 0; i < m->n_node; i++)
        if (node_velocity(m, i, x, r, v)) {
            for (int a = 0; a < 3; a++) r0[a] += r[a], v0[a] += v[a];
            count++;
        }
    for (int a = 0; a < 3 && count; a++) r0[a] /= count, v0[a] /= count;
    for (int i = 0; i < m->n_node; i++) {
        if (!node_velocity(m, i, x, r, v)) continue;
        for (int a = 0; a < 3; a++) r[a] -= r0[a], v[a] -= v0[a];
        double rr = sn_dot3(r, r), c[3];
        sn_cross3(r, v, c);
        for (int a = 0; a < 3; a++) {
            b[a] += c[a];
            for (int k = 0; k < 3; k++) J[3 * a + k] += (a == k) * rr - r[a] * r[k];
        }
    }
    if (m->dim == 2) {
        w[0] = w[1] = 0, w[2] = J[8] > 0 ? b[2] / J[8] : 0;
        return J[8] > 0;
    }
    double trace = J[0] + J[4] + J[8], det = 0;
    for (int a = 0; a < 3; a++) {
        const double *p = J + 3 * ((a + 1) % 3), *q = J + 3 * ((a + 2) % 3);
        double c[3];
        sn_cross3(p, q, c);
        for (int k = 0; k < 3; k++) inverse[3 * k + a] = c[k];
        if (a == 0) det = sn_dot3(J, c);
    }
    if (!(det > 1e-9 * trace * trace * trace)) return 0;
    for (int a = 0; a < 3; a++) w[a] = sn_dot3(inverse + 3 * a, b) / det;
    return 1;
}

static void add(sn_axes_candidate *all, int *n, const double *w, int node)
{
    double size = sqrt(sn_dot3(w, w));
    for (int i = 0; i < *n; i++) {
        double d[3] = {w[0] - all[i].spin[0], w[1] - all[i].spin[1], w[2] - all[i].spin[2]};
        if (sqrt(sn_dot3(d, d)) <= 1e-9 * size) return;
    }
    if (*n < SN_CANDIDATES) all[(*n)++] = (sn_axes_candidate){{w[0], w[1], w[2]}, node};
}

/* Axes that stand still, those of the rotation that all places have in common, those of nodes. */
int sn_motion_candidates(const sn_model *m, const sn_state *x, sn_axes_candidate *all)
{
    static const double none[3] = {0};
    int n = 0;
    double w[3];
    add(all, &n, none, SN_AXES_STILL);
    if (fitted_spin(m, x, w) && n) add(all, &n, w, SN_AXES_OF_ALL);
    for (int i = 0; i < m->n_node; i++)
        if (sn_node_spin(m, i, x, w)) add(all, &n, w, i);
    return n;
}

double sn_motion_rate(const sn_context *d)
{
    double rate = 0;
    for (int i = 0; i < d->m->nv; i++)
        if (d->m->order_of[i] == 2) rate = fmax(rate, fabs(d->x->v[i]) / (d->w->scale[i] * d->p->length));
    return rate;
}

/* All vectors of z turned by Q (row-major), or by its transpose. */
static void turn_all(const sn_model *m, const double *Q, int transposed, double *z)
{
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places at = sn_node_place(n);
        const int dim = n->cls->dim, from[3] = {at.x_v, dim == 3 ? at.R_v : -1, at.d_v},
                  count[3] = {1, 1, at.vectors};
        for (int k = 0; k < 3 && !n->ground; k++)
            for (int c = 0; from[k] >= 0 && c < count[k]; c++) {
                double *v = z + n->v + from[k] + c * dim, x[3] = {v[0], v[1], dim == 3 ? v[2] : 0};
                for (int a = 0; a < dim; a++) {
                    v[a] = 0;
                    for (int b = 0; b < dim; b++) v[a] += (transposed ? Q[3 * b + a] : Q[3 * a + b]) * x[b];
                }
            }
    }
}

/* The response at a state x beside the given one, in axes that have turned since then. */
static sn_status response(search *k, const double *spin, double s, const sn_state *x, double *y, sn_err *err)
{
    sn_motion *p = k->p;
    sn_context *d = p->d;
    const sn_model *m = d->m;
    double h = x->t - k->at->t, turn[3] = {h * spin[0], h * spin[1], h * spin[2]}, q[4], Q[9];
    int column;
    sn_quat_exp(turn, q), sn_quat_matrix(q, Q);
    for (int i = 0; i <= m->nnz; i++) d->w->Ax[i] = p->A[0][i] + s * (p->A[1][i] + s * p->A[2][i]);
    sn_status status = sn_linsol_factor(d->ls, d->w->Ax, &column, NULL);
    if (status) return sn_singular(d, "linearisation", status, column, err);
    memcpy(y, k->f, sizeof *y * (size_t)m->n);
    turn_all(m, Q, 0, y);
    SN_TRY(sn_linsol_solve(d->ls, 0, 1, y));
    turn_all(m, Q, 1, y);
    return SN_OK;
}

/* How much the response changes in a radian of the motion; to the model's scales, relative. */
static sn_status change_of(search *k, const double *spin, double *out, sn_err *err)
{
    sn_context *d = k->p->d;
    const sn_model *m = d->m;
    const double h = ANGLE / k->rate;
    double *y[2][2] = {{k->y[0], k->y[0] + m->n}, {k->y[1], k->y[1] + m->n}};
    for (int side = 0; side < 2; side++) {
        SN_TRY(sn_kinematic_step(d, k->at, side ? h : -h, k->x, err));
        SN_TRY(sn_motion_eval(k->p, d->w, k->x, spin, err));
        for (int i = 0; i < 2; i++) SN_TRY(response(k, spin, k->s[i], k->x, y[side][i], err));
    }
    *out = 0;
    for (int i = 0; i < 2; i++) {
        double size = 0, apart = 0;
        for (int j = 0; j < m->nv; j++) {
            double scale = d->w->scale[j];
            size = fmax(size, fabs(y[0][i][j]) / scale);
            apart = fmax(apart, fabs(y[1][i][j] - y[0][i][j]) / scale);
        }
        if (size > 0) *out = fmax(*out, apart / size / (2 * ANGLE));
    }
    return SN_OK;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double sn_motion_frequency(const sn_motion *p, double *scratch)
{
    const sn_model *m = p->d->m;
    int n = 0;
    for (int i = 0; i < m->nv; i++) {
        double mass = p->A[2][m->diag[i]], stiffness = fabs(p->A[0][m->diag[i]]);
        if (mass > 0 && stiffness > 0) scratch[n++] = sqrt(stiffness / mass);
    }
    qsort(scratch, (size_t)n, sizeof *scratch, ascending);
    return n ? scratch[n / 2] : 0;
}

static sn_status choose(search *k, sn_steadiness *out, char *by, sn_err *err)
{
    sn_motion *p = k->p;
    sn_context *d = p->d;
    const sn_model *m = d->m;
    sn_axes_candidate all[SN_CANDIDATES];
    int n = sn_motion_candidates(m, k->at, all), best = -1;
    k->s[0] = 0.7 * k->rate, k->s[1] = sn_motion_frequency(p, k->f);
    if (!(k->s[1] > 0)) k->s[1] = 3 * k->rate;
    for (int i = 0; i < m->n; i++) k->f[i] = i < m->nv ? sin(1 + 1.7 * i) / d->w->scale[i] : 0;
    for (int i = 0; i < n && best < 0; i++) {
        double change;
        if (!change_of(k, all[i].spin, &change, NULL) && change < CHANGE) best = i;
    }
    *out = best < 0 ? SN_VARYING : SN_STEADY;
    if (best > 0)
        snprintf(by, SN_NAME_SIZE, "%s", all[best].node >= 0 ? m->node[all[best].node].name : "the model");
    p->with = best < 0 ? SN_AXES_STILL : all[best].node;
    sn_state_copy(m, k->at, d->x);
    sn_system_time(d->w, d->x->t);
    d->w->failed = NULL;
    return sn_motion_eval(p, d->w, d->x, all[best < 0 ? 0 : best].spin, err);
}

/* The name of axes that turn with w. */
static void name_of(const sn_model *m, const sn_state *x, const double *w, char *by)
{
    double size = sqrt(sn_dot3(w, w)), u[3];
    if (size == 0) return;
    snprintf(by, SN_NAME_SIZE, "the model");
    for (int i = m->n_node - 1; i >= 0; i--) {
        if (!sn_node_spin(m, i, x, u)) continue;
        for (int a = 0; a < 3; a++) u[a] -= w[a];
        if (sqrt(sn_dot3(u, u)) <= 1e-9 * size) snprintf(by, SN_NAME_SIZE, "%s", m->node[i].name);
    }
}

/* What has this spin: a node, all places, or nothing where it is 0. */
static int turns_with(const sn_model *m, const sn_state *x, const double *spin)
{
    sn_axes_candidate all[SN_CANDIDATES];
    int n = sn_motion_candidates(m, x, all), best = 0;
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
        double d[3] = {spin[0] - all[i].spin[0], spin[1] - all[i].spin[1], spin[2] - all[i].spin[2]};
        if (sn_dot3(d, d) < least) least = sn_dot3(d, d), best = i;
    }
    return n ? all[best].node : SN_AXES_STILL;
}

sn_status sn_motion_axes(sn_motion *p, sn_steadiness *out, char *by, sn_err *err)
{
    static const double none[3] = {0};
    sn_context *d = p->d;
    const size_t n = (size_t)d->m->n + 1;
    search k = {.p = p, .rate = sn_motion_rate(d)};
    int moving = d->moving;
    *by = 0, *out = SN_AT_REST, p->with = SN_AXES_STILL;
    if (d->steady) {
        *out = SN_STEADY;
        name_of(d->m, d->x, d->spin, by);
        p->with = turns_with(d->m, d->x, d->spin);
        return sn_motion_eval(p, d->w, d->x, d->spin, err);
    }
    SN_TRY(sn_motion_eval(p, d->w, d->x, none, err));
    if (k.rate == 0) return SN_OK;
    sn_status status = sn_state_new(d->m, 0, &k.at, err);
    if (!status) status = sn_state_new(d->m, 0, &k.x, err);
    if (!status && !(SN_NEW(k.f, n) && SN_NEW(k.y[0], 2 * n) && SN_NEW(k.y[1], 2 * n)))
        status = SN_OUT_OF_MEM(err);
    if (!status)
        sn_state_copy(d->m, d->x, k.at), sn_state_copy(d->m, d->x, k.x); /* the ground's places too */
    if (!status) status = choose(&k, out, by, err);
    d->moving = moving;
    sn_state_free(k.at), sn_state_free(k.x);
    sn_free(k.f), sn_free(k.y[0]), sn_free(k.y[1]);
    return status;
}

void sn_motion_spin(const sn_motion *p, const sn_state *x, double *spin)
{
    memset(spin, 0, 3 * sizeof *spin);
    if (p->with == SN_AXES_OF_ALL)
        fitted_spin(p->d->m, x, spin);
    else if (p->with >= 0)
        sn_node_spin(p->d->m, p->with, x, spin);
}
