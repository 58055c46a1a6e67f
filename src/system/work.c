/* Scratch of one thread, and the scales of unknowns and rows. */
#include "system/together.h"

#include <string.h>

void sn_clear(double *x, int n) { memset(x, 0, sizeof *x * (size_t)n); }

void sn_work_input(const sn_work *w, const sn_object *o, sn_in *in)
{
    sn_object_in(w->m, w->p, o, in);
    in->s = w->x + o->s, in->sd = w->xd + o->s, in->sdd = w->xdd + o->s;
    in->g = w->x + w->m->gravity;
    in->q = w->q, in->v = w->v, in->a = w->a;
}

static sn_in *inputs(sn_work *w, const sn_family *f)
{
    sn_in *in = sn_alloc((size_t)f->n + 1, sizeof *in);
    for (int i = 0; in && i < f->n; i++) sn_work_input(w, &f->object[i], &in[i]);
    return in;
}

static unsigned joint_flags(const sn_object *o, const sn_in *in)
{
    const sn_joint_class *cls = o->cls;
    return cls->has_friction && !cls->has_friction(in->s)
               ? cls->flags & ~(unsigned)(SN_USES_V | SN_REACTION_DIFFERS)
               : cls->flags;
}

/* Numbers of the model at a time, and those of one object. */
static sn_status allocate_object(sn_work *w)
{
    const sn_model *m = w->m;
    int nx = m->n_quantity + m->signal.n + 1, v = m->max_v + 1, vv = v * v, mm = m->max_m + 1;
    int y = m->max_y > SN_MAX_COMPONENTS ? m->max_y : SN_MAX_COMPONENTS;
    if (!SN_NEW(w->x, nx) || !SN_NEW(w->xd, nx) || (m->n_varying && !SN_NEW(w->xdd, nx)) ||
        !SN_NEW(w->q, m->max_q + 1) || !SN_NEW(w->v, v) || !SN_NEW(w->a, v) || !SN_NEW(w->r, v) ||
        !SN_NEW(w->K, vv) || !SN_NEW(w->C, vv) || !SN_NEW(w->M, vv) || !SN_NEW(w->B, mm * v) ||
        !SN_NEW(w->G, mm * v) || !SN_NEW(w->L, mm * v) || !SN_NEW(w->phi, mm) || !SN_NEW(w->y, y))
        return SN_ERR_MEMORY;
    if (!m->n_varying) w->xdd = w->xd; /* nothing varies: both are zero */
    return SN_OK;
}

static sn_status allocate_system(sn_work *w)
{
    const sn_model *m = w->m;
    int T = 0;
    if (!SN_NEW(w->f, m->n + 1) || !SN_NEW(w->Ax, m->nnz + 1) || !SN_NEW(w->dropped, m->m + 1) ||
        !SN_NEW(w->scale, m->n + 1) || !SN_NEW(w->T_at, m->n_node + 1) ||
        !SN_NEW(w->joint_flags, m->joint.n + 1))
        return SN_ERR_MEMORY;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node_class *k = m->node[i].cls;
        w->T_at[i] = k->tangent && !m->node[i].ground ? T : -1;
        if (w->T_at[i] >= 0) T += m->node[i].nv * m->node[i].nv;
    }
    if (!SN_NEW(w->T, T + 1) || !SN_NEW(w->E, T + 1)) return SN_ERR_MEMORY;
    w->element = inputs(w, &m->element);
    w->joint = inputs(w, &m->joint);
    w->sensor = inputs(w, &m->sensor);
    return w->element && w->joint && w->sensor ? SN_OK : SN_ERR_MEMORY;
}

sn_status sn_work_small(const sn_model *m, const sn_values *p, sn_work **out, sn_err *err)
{
    sn_work *w;
    *out = NULL;
    if (!SN_NEW(w, 1)) return SN_OUT_OF_MEM(err);
    w->m = m;
    w->p = p;
    w->measure = 1;
    if (allocate_object(w)) {
        sn_work_free(w);
        return SN_OUT_OF_MEM(err);
    }
    memcpy(w->x, p->x, sizeof(double) * (size_t)m->n_quantity);
    *out = w;
    return SN_OK;
}

void sn_work_renew(sn_work *w)
{
    const sn_model *m = w->m;
    const double length = w->p->length;
    memcpy(w->x, w->p->x, sizeof(double) * (size_t)m->n_quantity);
    for (int i = 0; i < m->joint.n; i++) w->joint_flags[i] = joint_flags(&m->joint.object[i], &w->joint[i]);
    /* rows of angles are moments: divided by the model's length they compare with forces */
    for (int i = 0; i < m->nv; i++) w->scale[i] = sn_coord_is_angle(m, i) ? 1 / length : 1;
    for (int i = 0; i < m->m; i++)
        w->scale[m->nv + i] = !strncmp(sn_equation_unit(m, i), "rad", 3) ? length : 1;
    memset(w->dropped, 0, (size_t)m->m);
    w->n_dropped = 0, w->dropped_gap = 0, w->dropped_gap_eq = 0;
    w->measure = 1, w->force = 0, w->failed = NULL;
    sn_system_time(w, 0);
}

sn_status sn_work_new(const sn_model *m, const sn_values *p, sn_work **out, sn_err *err)
{
    sn_work *w;
    *out = NULL;
    SN_TRY(sn_work_small(m, p, &w, err));
    if (allocate_system(w)) {
        sn_work_free(w);
        return SN_OUT_OF_MEM(err);
    }
    sn_work_renew(w);
    *out = w;
    return SN_OK;
}

void sn_work_free(sn_work *w)
{
    if (!w) return;
    if (w->xdd == w->xd) w->xdd = NULL;
    double *const d[] = {w->x, w->xd, w->xdd, w->q,   w->v, w->a, w->r,  w->K, w->C, w->M,
                         w->B, w->G,  w->L,   w->phi, w->y, w->f, w->Ax, w->T, w->E, w->scale};
    for (size_t i = 0; i < sizeof d / sizeof *d; i++) sn_free(d[i]);
    sn_free(w->element), sn_free(w->joint), sn_free(w->sensor), sn_free(w->dropped), sn_free(w->T_at);
    sn_free(w->joint_flags);
    sn_together_free(w->together);
    sn_free(w);
}

sn_system_view sn_work_view(const sn_work *w)
{
    const sn_model *m = w->m;
    return (sn_system_view){.model = m,
                            .nq = m->nq,
                            .nv = m->nv,
                            .m = m->m,
                            .n = m->n,
                            .flat = m->flat,
                            .length = w->p->length,
                            .order = m->order_of,
                            .velocity = m->velocity,
                            .scale = w->scale,
                            .Ap = m->Ap,
                            .Ai = m->Ai,
                            .f = w->f,
                            .Ax = w->Ax,
                            .force = &w->force};
}
