/* See kinematics.h. Second derivatives in the chart of the middle sample are accelerations: there the tangent
   map is the identity, and its change along the motion is -d' x d'/2 = 0. */
#include "identify/kinematics.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

void sn_central_differences(const sn_model *m, double h, const double *before, const double *q,
                            const double *after, double *v, double *a)
{
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const double *x0 = before + n->q, *x = q + n->q, *x1 = after + n->q;
        double d0[SN_MAX_CURVED], d1[SN_MAX_CURVED];
        int curved = n->cls->difference != NULL;
        if (n->ground) continue;
        if (curved) n->cls->difference(x, x0, d0), n->cls->difference(x, x1, d1);
        for (int k = 0; k < n->nv; k++) {
            double back = curved ? d0[k] : x0[k] - x[k], on = curved ? d1[k] : x1[k] - x[k];
            v[n->v + k] = (on - back) / (2 * h);
            a[n->v + k] = (on + back) / (h * h);
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
        int x0 = o->place[0].x_q, x1 = o->place[1].x_q;
        if (x0 < 0 || x1 < 0) continue;
        const double *X = p->X + o->x;
        double x = X[x1] - X[x0], y = X[x1 + 1] - X[x0 + 1];
        double u = q[o->qi[x1]] - q[o->qi[x0]], w = q[o->qi[x1 + 1]] - q[o->qi[x0 + 1]], d = hypot(u, w);
        if (d == 0) continue;
        co += (x * u + y * w) / d, si += (x * w - y * u) / d;
    }
    if (co != 0 || si != 0) q[m->node[node].q + c - m->node[node].v] = atan2(si, co);
}
