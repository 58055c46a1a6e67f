/* Derivatives of the residual and the equations by parameters: each number that moves in turn. */
#include "math/simd.h"
#include "system/parameter_chain.h"

#include <string.h>

sn_status sn_system_element_by(const sn_work *w, const sn_moved_number *t, const sn_in *in, double *dr)
{
    const sn_model *m = w->m;
    const sn_object *o = &m->element.object[t->object];
    const sn_element_class *cls = o->cls;
    if (o->host < 0) return cls->dparam(in, t->index, dr);
    const sn_element_class *carrier = m->element.object[o->host].cls;
    int turning = sn_load_turns(cls->load, o->opt);
    const double *load = w->element[t->object].s + cls->load->slot;
    if (t->host) return carrier->ddistribute(in, load, turning, t->index, dr);
    /* the load itself is linear in its numbers */
    double unit[6] = {0};
    int k = t->index - cls->load->slot;
    if (k < 0 || k >= 6) return SN_OK;
    unit[k] = 1;
    return carrier->distribute(in, unit, turning, dr, NULL);
}

/* w->r: derivative of an element's residual. */
static sn_status element(sn_work *w, const sn_moved_number *t)
{
    const sn_object *o = &w->m->element.object[t->object];
    memset(w->r, 0, sizeof(double) * (size_t)o->nv);
    return sn_system_element_by(w, t, &w->element[o->host < 0 ? t->object : o->host], w->r);
}

/* w->r and w->phi: derivatives of a joint's residual and equations. */
static sn_status joint(sn_work *w, const sn_state *x, const sn_moved_number *t)
{
    const sn_object *o = &w->m->joint.object[t->object];
    memset(w->r, 0, sizeof(double) * (size_t)o->nv);
    memset(w->phi, 0, sizeof(double) * (size_t)o->m);
    w->joint[t->object].lam = x->lam + o->eq;
    SN_TRY(((const sn_joint_class *)o->cls)->dparam(&w->joint[t->object], t->index, w->r, w->phi));
    for (int k = 0; k < o->m; k++)
        if (w->dropped[o->eq + k]) w->phi[k] = 0;
    return SN_OK;
}

static sn_status failed(sn_work *w, const sn_object *o, const sn_state *x, sn_err *err)
{
    w->failed = o;
    return sn_fail(err, SN_ERR_NUMERIC, &o->mark, "'%s' cannot be differentiated at t = %g", o->name, x->t);
}

/* Where derivatives go: to all columns of f, or times z into g. */
typedef struct receiver {
    double *f;
    const double *z;
    double *g;
} receiver;

/* A group's rows r of derivatives, handed on to columns */
static SN_SIMD_INLINE void add_group(const sn_parameter_chain *c, const sn_moved_group *g, const sn_object *o,
                                     double row, const double *r, double *f)
{
    for (int k = 0; k < g->n; k++, r += o->nv) {
        const sn_chain_direction *d = g->d[k];
        for (int i = 0; i < o->nv; i++) {
            double *to = f + (size_t)o->zi[i] * (size_t)c->np, by = row * r[i];
            if (by == 0 || o->zi[i] >= c->m->n) continue;
            for (int j = 0; j < d->n; j++) to[d->which[j]] += by * d->w[j];
        }
    }
}

static SN_SIMD_INLINE double product(int n, const double *x, const double *y)
{
    sn_quad four = {0, 0, 0, 0};
    double sum = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) four += *(const sn_quad *)(x + i) * *(const sn_quad *)(y + i);
    for (; i < n; i++) sum += x[i] * y[i];
    return sum + ((four[0] + four[1]) + (four[2] + four[3]));
}

/* The same transposed: times the object's part of z */
static SN_SIMD_INLINE void add_group_transposed(const sn_moved_group *g, int nv, const double *r,
                                                const double *z, double *to)
{
    for (int k = 0; k < g->n; k++, r += nv) {
        const sn_chain_direction *d = g->d[k];
        const double sum = product(nv, r, z);
        for (int j = 0; j < d->n; j++) to[d->which[j]] += sum * d->w[j];
    }
}

/* Numbers that are differentiated together */
static SN_SIMD_INLINE sn_status groups(sn_work *w, const sn_state *x, const sn_parameter_chain *c, double row,
                                       const receiver *y, sn_err *err)
{
    const sn_model *m = w->m;
    double *const r = c->group_rows;
    for (int i = 0; i < c->n_group; i++) {
        const sn_moved_group *g = &c->group[i];
        const sn_object *o = &m->element.object[g->object];
        memset(r, 0, sizeof *r * (size_t)(g->n * o->nv));
        sn_work_gather(w, o, x->q, x->v, x->a);
        if (((const sn_element_class *)o->cls)->dtogether(&w->element[g->object], g->n, g->ds, r))
            return failed(w, o, x, err);
        if (y->f) add_group(c, g, o, row, r, y->f);
        if (!y->z) continue;
        for (int k = 0; k < o->nv; k++) w->r[k] = o->zi[k] < m->n ? row * y->z[o->zi[k]] : 0;
        add_group_transposed(g, o->nv, r, w->r, y->g);
    }
    return SN_OK;
}

/* Each number's derivative in turn, handed on. */
static SN_SIMD sn_status each(sn_work *w, const sn_state *x, const sn_parameter_chain *c, double row,
                              const receiver *y, sn_err *err)
{
    const sn_model *m = w->m;
    double *const f = y->f, *const g = y->g;
    const double *const z = y->z;
    SN_TRY(groups(w, x, c, row, y, err));
    for (int family = SN_MOVED_ELEMENT; family <= SN_MOVED_JOINT; family++)
        for (int i = 0, last = -1; i < c->n[family]; i++) {
            const sn_moved_number *t = &c->list[family][i];
            const sn_object *o = (family == SN_MOVED_JOINT ? &m->joint : &m->element)->object + t->object;
            int equations = family == SN_MOVED_JOINT ? o->m : 0;
            if (!t->d->n || t->together) continue;
            if (t->object != last) sn_work_gather(w, o, x->q, x->v, x->a), last = t->object;
            if (equations ? joint(w, x, t) : element(w, t)) return failed(w, o, x, err);
            double sum = 0;
            for (int r = 0; r < o->nv + equations; r++) {
                double d = r < o->nv ? row * w->r[r] : w->phi[r - o->nv];
                int to = r < o->nv ? o->zi[r] : m->nv + o->eq + r - o->nv;
                if (d == 0 || to >= m->n) continue;
                if (z) sum += d * z[to];
                for (int k = 0; f && k < t->d->n; k++)
                    f[(size_t)to * (size_t)c->np + (size_t)t->d->which[k]] += d * t->d->w[k];
            }
            for (int k = 0; g && k < t->d->n; k++) g[t->d->which[k]] += sum * t->d->w[k];
        }
    return SN_OK;
}

sn_status sn_system_dparam(sn_work *w, const sn_state *x, const sn_parameter_chain *c, double row, double *f,
                           sn_err *err)
{
    return each(w, x, c, row, &(receiver){.f = f}, err);
}

sn_status sn_system_dparam_transposed(sn_work *w, const sn_state *x, const sn_parameter_chain *c, double row,
                                      const double *z, double *g, sn_err *err)
{
    return each(w, x, c, row, &(receiver){.z = z, .g = g}, err);
}
