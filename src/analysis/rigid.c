/* Rigid parts of a model and how they move: see rigid.h. */
#include "analysis/rigid.h"
#include "math/plane.h"
#include "math/rot3.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

int sn_is_member(const sn_object *o)
{
    const sn_element_class *cls = o->cls;
    return o->host < 0 && (sn_element_mesh(cls) != SN_SHAPE_NONE || cls->tie);
}

int sn_written_entry(const sn_model *m, const sn_object *o)
{
    const int of = m->entry[SN_SEC_ELEMENTS][o->entry].set_of;
    return of >= 0 ? of : o->entry;
}

static int root(int *up, int i)
{
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
}

/* A node outside of space by itself, such as the place along a rail: its coordinates are ways of their own.
 */
static int is_plain(const sn_model *m, int *up, int i)
{
    const sn_node *n = &m->node[i];
    return sn_node_place(n).x_v < 0 && n->cls->order == 2 && n->nv <= SN_WAYS && root(up, i) == i;
}

/* Numbers of the parts into r->of: nodes that members connect, and each other node that lies in space. */
static void connect(sn_rigid *r, int *up)
{
    const sn_model *m = r->d->m;
    for (int i = 0; i < m->n_node; i++) up[i] = i;
    for (int e = 0; e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        for (int k = 1; sn_is_member(o) && k < o->nn; k++) up[root(up, o->node[k])] = root(up, o->node[0]);
    }
    for (int i = 0; i < m->n_node; i++) r->of[i] = -1;
    for (int i = 0; i < m->n_node; i++) {
        int first = root(up, i);
        if (sn_node_place(&m->node[i]).x_v < 0 && !m->node[i].ground && !is_plain(m, up, i)) continue;
        if (r->of[first] < 0) r->of[first] = r->n_part++;
        r->of[i] = r->of[first];
    }
}

void sn_rigid_velocity(int dim, const sn_node_places *at, const double *q, const double *way,
                       const double *place, double *x)
{
    double arm[3] = {0}, v[3], R[9];
    if (at->x_v < 0) return;
    for (int part = 0; part <= at->vectors; part++) {
        const double *from = q + (part ? at->d_q + (part - 1) * dim : at->x_q);
        double *to = x + (part ? at->d_v + (part - 1) * dim : at->x_v);
        for (int k = 0; k < dim; k++) arm[k] = from[k] - (part ? 0 : place[k]);
        if (dim == 2)
            v[0] = -way[2] * arm[1], v[1] = way[2] * arm[0];
        else
            sn_cross3(way + 3, arm, v);
        for (int k = 0; k < dim; k++) to[k] = v[k] + (part ? 0 : way[k]);
    }
    if (at->R_v < 0) return;
    if (dim == 2) {
        x[at->R_v] = way[2];
        return;
    }
    sn_quat_matrix(q + at->R_q, R);
    sn_tmul3(R, way + 3, x + at->R_v);
}

void sn_rigid_node_velocity(const sn_rigid *r, int node, const double *way, const double *place, double *x)
{
    const sn_node *n = &r->d->m->node[node];
    const sn_node_places at = sn_node_place(n);
    memset(x, 0, sizeof *x * (size_t)n->nv);
    for (int k = 0; at.x_v < 0 && k < n->nv && k < SN_WAYS; k++) x[k] = way[k];
    sn_rigid_velocity(r->dim, &at, r->d->x->q + n->q, way, place, x);
}

/* G (ways^2) += squares of what the ways of a part do to a node. */
static void feel(const sn_rigid *r, int i, const double *place, double *G)
{
    const sn_node *node = &r->d->m->node[i];
    const int n = r->ways;
    for (int a = 0; a < n; a++) {
        double way[SN_WAYS] = {0};
        way[a] = a < r->dim ? 1 : 1 / r->d->p->length;
        sn_rigid_node_velocity(r, i, way, place, r->row + a * node->nv);
    }
    for (int c = 0; c < node->nv; c++) {
        const double scale = 1 / r->d->w->scale[node->v + c];
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                G[a * n + b] += r->row[a * node->nv + c] * r->row[b * node->nv + c] * scale * scale;
    }
}

/* The ways that the nodes of a part feel: eigenvectors of G (which is overwritten). */
static sn_status find_ways(sn_rigid *r, sn_rigid_part *p, double *G)
{
    const int n = r->ways;
    double w[SN_WAYS];
    p->first = r->columns;
    if (p->ground) return SN_OK;
    if (p->plain) {
        for (int k = 0; k < p->plain; k++) p->way[k][k] = 1;
        p->n = p->plain, r->columns += p->n;
        return SN_OK;
    }
    if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', n, G, n, w) != 0) return SN_ERR_NUMERIC;
    for (int c = 0; c < n; c++) {
        if (w[c] <= 1e-14 * w[n - 1]) continue;
        for (int a = 0; a < n; a++) p->way[p->n][a] = G[a * n + c] * (a < r->dim ? 1 : 1 / r->d->p->length);
        p->n++;
    }
    r->columns += p->n;
    return SN_OK;
}

static sn_status find_parts(sn_rigid *r)
{
    const sn_model *m = r->d->m;
    const int n = r->ways * r->ways;
    double *G = NULL;
    sn_status s = SN_OK;
    if (!SN_NEW(r->part, r->n_part + 1) || !SN_NEW(G, (size_t)n * (size_t)r->n_part + 1)) {
        sn_free(G);
        return SN_ERR_MEMORY;
    }
    for (int i = m->n_node - 1; i >= 0; i--) {
        const sn_node *node = &m->node[i];
        if (r->of[i] < 0) continue;
        sn_rigid_part *p = &r->part[r->of[i]];
        p->node = i, p->ground |= node->ground;
        if (!node->ground && sn_node_place(node).x_v < 0) p->plain = node->nv;
        for (int c = 0; !node->ground && !p->plain && c < r->dim; c++)
            p->place[c] = r->q[node->q + sn_node_place(node).x_q + c];
    }
    for (int i = 0; i < m->n_node; i++) {
        const int k = r->of[i];
        if (k >= 0 && !r->part[k].ground && !r->part[k].plain)
            feel(r, i, r->part[k].place, G + (size_t)n * (size_t)k);
    }
    for (int k = 0; !s && k < r->n_part; k++) s = find_ways(r, &r->part[k], G + (size_t)n * (size_t)k);
    sn_free(G);
    return s;
}

sn_status sn_rigid_open(sn_context *d, sn_rigid *r, sn_err *err)
{
    const sn_model *m = d->m;
    int *up = NULL;
    *r = (sn_rigid){.d = d, .dim = m->dim == 3 ? 3 : 2, .ways = m->dim == 3 ? 6 : 3};
    sn_status s = SN_NEW(r->of, m->n_node + 1) && SN_NEW(up, m->n_node + 1) && SN_NEW(r->q, m->nq + 1) &&
                          SN_NEW(r->row, (size_t)(m->max_node + 1) * SN_WAYS)
                      ? SN_OK
                      : SN_ERR_MEMORY;
    if (!s) {
        memcpy(r->q, d->x->q, sizeof *r->q * (size_t)m->nq);
        connect(r, up);
        s = find_parts(r);
    }
    sn_free(up);
    if (s) sn_rigid_close(r);
    return s == SN_ERR_MEMORY ? SN_OUT_OF_MEM(err) : s;
}

void sn_rigid_close(sn_rigid *r)
{
    sn_free(r->part), sn_free(r->of), sn_free(r->q), sn_free(r->row);
    *r = (sn_rigid){.d = NULL};
}

/* One node of a part that is shifted and then turned about its place. */
static void move_node(const sn_rigid *r, int node, const double *place, const double *way)
{
    const sn_node *n = &r->d->m->node[node];
    const sn_node_places at = sn_node_place(n);
    const double *from = r->q + n->q;
    double *to = r->d->x->q + n->q, Q[9] = {0}, turn[4] = {1};
    const int dim = r->dim;
    if (dim == 3) {
        sn_quat_exp(way + 3, turn);
        sn_quat_matrix(turn, Q);
    }
    for (int part = 0; part <= at.vectors; part++) {
        const int o = part ? at.d_q + (part - 1) * dim : at.x_q;
        double arm[3] = {0}, out[3];
        for (int k = 0; k < dim; k++) arm[k] = from[o + k] - (part ? 0 : place[k]);
        if (dim == 2)
            sn_rot2(way[2], arm, out);
        else
            sn_mul3(Q, arm, out);
        for (int k = 0; k < dim; k++) to[o + k] = out[k] + (part ? 0 : place[k] + way[k]);
    }
    if (at.R_q < 0) return;
    if (dim == 2)
        to[at.R_q] = from[at.R_q] + way[2];
    else
        sn_quat_mul(turn, from + at.R_q, to + at.R_q);
}

void sn_rigid_move(sn_rigid *r, const double *y)
{
    const sn_model *m = r->d->m;
    for (int i = 0; i < m->n_node; i++) {
        const sn_rigid_part *p = r->of[i] < 0 ? NULL : &r->part[r->of[i]];
        double way[SN_WAYS] = {0};
        if (!p || !p->n || m->node[i].ground) continue;
        for (int k = 0; k < p->n; k++)
            for (int a = 0; a < SN_WAYS; a++) way[a] += y[p->first + k] * p->way[k][a];
        for (int k = 0; k < p->plain; k++) r->d->x->q[m->node[i].q + k] = r->q[m->node[i].q + k] + way[k];
        if (!p->plain) move_node(r, i, p->place, way);
    }
}
