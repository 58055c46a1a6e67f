/* Which turns of the axes a start may mean that has a steady motion near it. */
#include "analysis/steady.h"
#include "math/rot3.h"

#include <math.h>
#include <string.h>

/* The turn that is nearest to the start's accelerations: w of v' = w x v of places and spins, about the axis
   g if there is one. */
static int turn_by_accelerations(const sn_steady_task *t, const double *g, double *w)
{
    const sn_context *d = t->f.d;
    const sn_model *m = d->m;
    const sn_state *x = t->start;
    double J = 0, b = 0;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places at = sn_node_place(n);
        const int dim = n->cls->dim;
        for (int k = 0; k < 2 && !n->ground; k++) {
            int from = k ? (dim == 3 ? at.R_v : -1) : at.x_v;
            double v[3] = {0}, a[3] = {0}, c[3], R[9], u[3];
            if (from < 0) continue;
            memcpy(v, x->v + n->v + from, sizeof *v * (size_t)dim);
            memcpy(a, x->a + n->v + from, sizeof *a * (size_t)dim);
            if (k) {
                sn_quat_matrix(x->q + n->q + at.R_q, R);
                sn_mul3(R, v, u), memcpy(v, u, sizeof v), sn_mul3(R, a, u), memcpy(a, u, sizeof a);
            }
            double f = k ? d->p->length * d->p->length : 1;
            sn_cross3(g, v, c);
            J += f * sn_dot3(c, c), b += f * sn_dot3(c, a);
        }
    }
    for (int a = 0; a < 3; a++) w[a] = J > 0 ? b / J * g[a] : 0;
    return J > 0 && b != 0;
}

/* The rotation about an axis along g that is nearest to the velocities of all places, the ground's too. where
   g is 0: about the axis of their moment of momentum, which becomes g. */
static int turn_by_places(const sn_steady_task *t, double *g, double *w)
{
    const sn_model *m = t->f.d->m;
    const sn_state *x = t->start;
    double r0[3] = {0}, v0[3] = {0}, H[3] = {0}, J = 0, b = 0, size;
    int count = 0;
    for (int pass = 0; pass < 3; pass++) {
        if (pass == 2 && sn_dot3(g, g) == 0 && (size = sqrt(sn_dot3(H, H))) > 0)
            for (int a = 0; a < 3; a++) g[a] = H[a] / size;
        for (int i = 0; i < m->n_node; i++) {
            const sn_node *n = &m->node[i];
            const sn_node_places at = sn_node_place(n);
            double r[3] = {0}, v[3] = {0}, c[3];
            if (at.x_q < 0) continue;
            memcpy(r, x->q + n->q + at.x_q, sizeof *r * (size_t)n->cls->dim);
            if (!n->ground) memcpy(v, x->v + n->v + at.x_v, sizeof *v * (size_t)n->cls->dim);
            for (int a = 0; a < 3 && !pass; a++) r0[a] += r[a], v0[a] += v[a];
            count += !pass;
            for (int a = 0; a < 3 && pass; a++) r[a] -= r0[a] / count, v[a] -= v0[a] / count;
            sn_cross3(r, v, c);
            for (int a = 0; a < 3 && pass == 1; a++) H[a] += c[a];
            sn_cross3(g, r, c);
            if (pass == 2) J += sn_dot3(c, c), b += sn_dot3(c, v);
        }
    }
    for (int a = 0; a < 3; a++) w[a] = J > 0 ? b / J * g[a] : 0;
    return J > 0 && b != 0;
}

/* In a field of gravity nothing is steady in axes that turn it. */
static int allowed(const double *g, const double *w)
{
    double c[3];
    sn_cross3(g, w, c);
    return sn_dot3(c, c) <= 1e-18 * sn_dot3(g, g) * sn_dot3(w, w);
}

static void add(double (*all)[3], int *n, const double *w)
{
    for (int i = 0; i < *n; i++) {
        double off[3] = {w[0] - all[i][0], w[1] - all[i][1], w[2] - all[i][2]};
        if (sn_dot3(off, off) <= 1e-18 * sn_dot3(w, w)) return;
    }
    memcpy(all[(*n)++], w, sizeof *all);
}

int sn_steady_turns(const sn_steady_task *t, double (*w)[3], int *by_accelerations)
{
    const sn_context *d = t->f.d;
    const double *field = d->w->x + d->m->gravity;
    sn_axes_candidate all[SN_CANDIDATES];
    const int n = sn_motion_candidates(d->m, t->start, all);
    int count = 0;
    double g[3], size = sqrt(sn_dot3(field, field)), turn[3];
    *by_accelerations = 0;
    for (int i = 0; i < n; i++)
        if (allowed(field, all[i].spin)) add(w, &count, all[i].spin);
    if (d->m->dim == 2 && size > 0) return count;
    for (int a = 0; a < 3; a++) g[a] = size > 0 ? field[a] / size : d->m->dim == 2 && a == 2;
    for (int i = 1; i < n; i++) {
        double along = sn_dot3(g, all[i].spin);
        for (int a = 0; a < 3; a++) turn[a] = along * g[a];
        add(w, &count, turn);
    }
    if (turn_by_places(t, g, turn)) add(w, &count, turn);
    if (turn_by_accelerations(t, g, turn)) {
        int before = count;
        add(w, &count, turn);
        *by_accelerations = count > before;
    }
    return count;
}
