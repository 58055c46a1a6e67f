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

typedef struct motion {
    const sn_model *m;
    int n, n_at;
    const double *t, *q, *at;
    double *y; /* n: one coordinate */
    double *q_at, *v_at, *a_at, *noise;
} motion;

static sn_status smooth_one(const motion *s, const sn_smooth_options *o, int from, int to, sn_err *err)
{
    size_t nq = (size_t)s->m->nq, nv = (size_t)s->m->nv;
    sn_smooth *f;
    double z[3], lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < s->n; i++) {
        s->y[i] = s->q[(size_t)i * nq + (size_t)from];
        lo = fmin(lo, s->y[i]), hi = fmax(hi, s->y[i]);
    }
    if (!(hi > lo)) {
        for (int i = 0; i < s->n_at; i++) {
            s->q_at[(size_t)i * nq + (size_t)from] = lo;
            s->v_at[(size_t)i * nv + (size_t)to] = s->a_at[(size_t)i * nv + (size_t)to] = 0;
        }
        return SN_OK;
    }
    SN_TRY(sn_smooth_new(s->n, s->t, s->y, o, &f, err));
    for (int i = 0; i < s->n_at; i++) {
        sn_smooth_at(f, s->at[i], z);
        s->q_at[(size_t)i * nq + (size_t)from] = z[0];
        s->v_at[(size_t)i * nv + (size_t)to] = z[1];
        s->a_at[(size_t)i * nv + (size_t)to] = z[2];
    }
    for (int k = 0; s->noise && k < 3; k++) s->noise[(size_t)k * nv + (size_t)to] = f->deviation[k];
    sn_smooth_free(f);
    return SN_OK;
}

sn_status sn_smooth_motion(const sn_model *m, int n, const double *t, const double *q, int n_at,
                           const double *at, const sn_smooth_options *o, double *q_at, double *v_at,
                           double *a_at, double *noise, sn_err *err)
{
    motion s = {.m = m,
                .n = n,
                .n_at = n_at,
                .t = t,
                .q = q,
                .at = at,
                .q_at = q_at,
                .v_at = v_at,
                .a_at = a_at,
                .noise = noise};
    sn_status status = SN_OK;
    for (int i = 0; i < m->n_node; i++)
        if (m->node[i].cls->difference && !m->node[i].ground)
            return sn_fail(err, SN_ERR_INPUT, &m->node[i].mark,
                           "'%s' turns in space: its samples cannot be smoothed coordinate by coordinate",
                           m->node[i].name);
    if (n < 1) return sn_fail(err, SN_ERR_INPUT, NULL, "there are no samples");
    if (!SN_NEW(s.y, n)) return SN_OUT_OF_MEM(err);
    if (noise) memset(noise, 0, sizeof(double) * 3 * (size_t)m->nv);
    for (int i = 0; i < n_at; i++) /* what does not move */
        memcpy(q_at + (size_t)i * (size_t)m->nq, q, sizeof(double) * (size_t)m->nq);
    for (int i = 0; i < m->nv && !status; i++) {
        const sn_node *k = &m->node[m->node_of[i]];
        char name[200];
        int before = sn_err_count(err);
        status = smooth_one(&s, o, k->q + i - k->v, i, err);
        if (status && status != SN_ERR_MEMORY)
            sn_err_prefix(err, before, "samples of '%s'", sn_coord_name(m, i, name, sizeof name));
    }
    sn_free(s.y);
    return status;
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
