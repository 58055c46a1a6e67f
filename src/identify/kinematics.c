/* See kinematics.h. Second derivatives in the chart of the middle sample are accelerations: there the tangent
   map is the identity, and its change along the motion is -d' x d'/2 = 0. */
#include "identify/kinematics.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

enum { NODE_MAX = 12 };

static void difference(const sn_node *n, const double *from, const double *to, double *d)
{
    if (n->cls->difference) {
        n->cls->difference(from + n->q, to + n->q, d);
        return;
    }
    for (int k = 0; k < n->cls->nv; k++) d[k] = to[n->q + k] - from[n->q + k];
}

void sn_central_differences(const sn_model *m, double h, const double *before, const double *q,
                            const double *after, double *v, double *a)
{
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        double d0[NODE_MAX], d1[NODE_MAX];
        if (n->ground) continue;
        difference(n, q, before, d0), difference(n, q, after, d1);
        for (int k = 0; k < n->cls->nv; k++) {
            v[n->v + k] = (d1[k] - d0[k]) / (2 * h);
            a[n->v + k] = (d1[k] + d0[k]) / (h * h);
        }
    }
}

void sn_guess_rotation(const sn_model *m, const sn_values *p, int c, double *q)
{
    int node = m->node_of[c];
    double co = 0, si = 0;
    for (int e = 0; e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        if (o->nn != 2 || o->dim != 2 || (o->node[0] != node && o->node[1] != node)) continue;
        const sn_node *n0 = &m->node[o->node[0]], *n1 = &m->node[o->node[1]];
        const double *X = p->X + o->x, *X0 = X + o->off[0], *X1 = X + o->off[1];
        double x = X1[0] - X0[0], y = X1[1] - X0[1];
        double u = q[n1->q] - q[n0->q], w = q[n1->q + 1] - q[n0->q + 1], d = hypot(u, w);
        if (d == 0) continue;
        co += (x * u + y * w) / d, si += (x * w - y * u) / d;
    }
    if (co != 0 || si != 0) q[m->node[node].q + c - m->node[node].v] = atan2(si, co);
}
