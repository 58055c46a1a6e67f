/* The chain rule from parameters to the numbers that kinds see. */
#include "system/touch.h"

#include <string.h>

static size_t at(const sn_touch *c, int row) { return (size_t)row * (size_t)c->np; }

/* Directions of everything constant, in the order of evaluation; a parameter's own formula is not used. */
static void static_directions(sn_touch *c)
{
    const sn_model *m = c->m;
    double x[SN_EXPR_VARS], g[SN_EXPR_VARS];
    for (int k = 0; k < c->np; k++) c->D[at(c, c->id[k]) + (size_t)k] = 1;
    for (int i = 0; i < m->n_order; i++) {
        int id = m->order[i], from = sn_values_fixed(c->p, id);
        const sn_expr *e = m->quantity[id].expr;
        double *row = c->D + at(c, id);
        if (from >= 0 && from != id) memcpy(row, c->D + at(c, from), sizeof *row * (size_t)c->np);
        if (from >= 0) continue;
        sn_values_gather(m, e, c->p->x, x);
        sn_expr_gradient(e, x, g);
        for (int k = 0; k < c->np; k++) {
            if (c->id[k] == id) continue;
            for (int v = 0; v < sn_expr_nvar(e); v++) {
                double d = c->D[at(c, sn_expr_var(e, v)) + (size_t)k];
                if (d != 0) row[k] += g[v] * d;
            }
        }
    }
}

/* Which parameters a varying quantity or signal can depend on: marks in D, used as flags until the first
   sn_touch_time. */
static void mark_varying(sn_touch *c)
{
    const sn_model *m = c->m;
    for (int i = 0; i < m->n_varying; i++) {
        int id = m->varying[i], signal = id >= SN_VAR_SIGNAL;
        double *row = c->D + at(c, signal ? m->n_quantity + id - SN_VAR_SIGNAL : id);
        const sn_object *o = signal ? &m->signal.object[id - SN_VAR_SIGNAL] : NULL;
        const sn_expr *e = signal ? NULL : m->quantity[id].expr;
        int n = signal ? o->ns : sn_expr_nvar(e), any = 0;
        for (int v = 0; v < n; v++) {
            int of = signal ? o->s + v : sn_expr_var(e, v);
            if (of == SN_VAR_TIME) continue;
            const double *from = c->D + at(c, of >= SN_VAR_SIGNAL ? m->n_quantity + of - SN_VAR_SIGNAL : of);
            for (int k = 0; k < c->np; k++)
                if (from[k] != 0) row[k] = 1, any = 1;
        }
        if (any) c->varying[c->n_varying++] = id;
    }
}

/* Reference coordinates and start of the nodes. */
static void node_directions(sn_touch *c)
{
    const sn_model *m = c->m;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        int ns = 0;
        for (const sn_slot *s = n->cls->slots; s->name; s++) ns += s->n;
        for (int j = 0; j < ns; j++) {
            const double *d = c->D + at(c, n->s + j);
            double dX[16] = {0}, dq[16] = {0}, dv[16] = {0};
            int any = 0;
            for (int k = 0; k < c->np; k++) any |= d[k] != 0;
            if (!any) continue;
            n->cls->dstart(c->p->x + n->s, j, dX, dq, dv);
            for (int k = 0; k < c->np; k++) {
                for (int r = 0; r < n->cls->nq; r++) c->dX[at(c, n->q + r) + (size_t)k] += dX[r] * d[k];
                if (d[k] != 0) c->used[k] = 1;
                for (int r = 0; !n->ground && r < n->cls->nv; r++) {
                    c->dq0[at(c, n->v + r) + (size_t)k] += dq[r] * d[k];
                    c->dv0[at(c, n->v + r) + (size_t)k] += dv[r] * d[k];
                }
            }
        }
    }
}

/* One number into the list, if some parameter moves it. */
static sn_status add(sn_touch *c, int family, int *cap, sn_touched t)
{
    int n = 0, *which;
    for (int k = 0; k < c->np; k++) n += t.row[k] != 0;
    if (!n) return SN_OK;
    if (c->n[family] == *cap) {
        int more = *cap ? 2 * *cap : 64;
        sn_touched *list = sn_arena_alloc(&c->arena, (size_t)more, sizeof *list);
        if (!list) return SN_ERR_MEMORY;
        if (*cap) memcpy(list, c->list[family], sizeof *list * (size_t)*cap);
        c->list[family] = list, *cap = more;
    }
    which = sn_arena_alloc(&c->arena, (size_t)n, sizeof *which);
    if (!which) return SN_ERR_MEMORY;
    t.which = which, t.n = n;
    for (int k = 0, j = 0; k < c->np; k++)
        if (t.row[k] != 0) which[j++] = k, c->used[k] = 1;
    c->list[family][c->n[family]++] = t;
    return SN_OK;
}

/* Slots, reference coordinates and field of an object as index counts them. */
static sn_status add_object(sn_touch *c, int family, int *cap, int object, const sn_object *o, int host)
{
    sn_touched t = {.object = object, .host = host};
    for (int i = 0; i < o->ns; i++) {
        t.index = i, t.row = c->D + at(c, o->s + i);
        if (c->D1 && c->m->quantity[o->s + i].varies)
            t.row1 = c->D1 + at(c, o->s + i), t.row2 = c->D2 + at(c, o->s + i);
        else
            t.row1 = t.row2 = NULL;
        SN_TRY(add(c, family, cap, t));
    }
    t.row1 = t.row2 = NULL;
    for (int i = 0; i < o->nq; i++) {
        t.index = o->ns + i, t.row = c->dX + at(c, o->qi[i]);
        SN_TRY(add(c, family, cap, t));
    }
    for (int i = 0; family == SN_TOUCH_ELEMENT && !host && o->host < 0 && i < 3; i++) {
        t.index = o->ns + o->nq + i, t.row = c->D + at(c, c->m->gravity + i);
        SN_TRY(add(c, family, cap, t));
    }
    return SN_OK;
}

static sn_status lists(sn_touch *c)
{
    const sn_model *m = c->m;
    const sn_family *family[SN_TOUCH_FAMILIES] = {&m->element, &m->joint, &m->sensor};
    for (int f = 0; f < SN_TOUCH_FAMILIES; f++) {
        int cap = 0;
        for (int i = 0; i < family[f]->n; i++) {
            const sn_object *o = &family[f]->object[i];
            c->first[f][i] = c->n[f];
            SN_TRY(add_object(c, f, &cap, i, o, 0));
            if (f == SN_TOUCH_ELEMENT && o->host >= 0)
                SN_TRY(add_object(c, f, &cap, i, &m->element.object[o->host], 1));
        }
        c->first[f][family[f]->n] = c->n[f];
    }
    return SN_OK;
}

void sn_touch_free(sn_touch *c)
{
    if (!c) return;
    sn_free(c->id), sn_free(c->D), sn_free(c->D1), sn_free(c->D2), sn_free(c->dX), sn_free(c->dq0);
    sn_free(c->dv0), sn_free(c->used), sn_free(c->varying);
    for (int f = 0; f < SN_TOUCH_FAMILIES; f++) sn_free(c->first[f]);
    for (int k = 0; k < 4; k++) sn_free(c->block[k]);
    sn_free(c->column);
    sn_arena_free(&c->arena);
    sn_free(c);
}

sn_status sn_touch_new(const sn_model *m, const sn_values *p, int np, const int *id, sn_touch **out,
                       sn_err *err)
{
    sn_touch *c;
    size_t columns = (size_t)np + 1, rows = (size_t)(m->n_quantity + m->signal.n) + 1;
    *out = NULL;
    if (!SN_NEW(c, 1)) return SN_OUT_OF_MEM(err);
    c->m = m, c->p = p, c->np = np;
    int good = SN_NEW(c->id, columns) && SN_NEW(c->D, rows * columns) && SN_NEW(c->used, columns) &&
               SN_NEW(c->dX, (size_t)(m->nq + 1) * columns) &&
               SN_NEW(c->dq0, (size_t)(m->nv + 1) * columns) &&
               SN_NEW(c->dv0, (size_t)(m->nv + 1) * columns) && SN_NEW(c->varying, m->n_varying + 1) &&
               SN_NEW(c->first[0], m->element.n + 1) && SN_NEW(c->first[1], m->joint.n + 1) &&
               SN_NEW(c->first[2], m->sensor.n + 1);
    for (int k = 0; good && k < 4; k++)
        good = SN_NEW(c->block[k], (m->max_v + 12) * (m->max_v + m->max_m + 2)) != NULL;
    if (good) good = SN_NEW(c->column, 12) != NULL;
    if (good && m->n_varying) good = SN_NEW(c->D1, rows * columns) && SN_NEW(c->D2, rows * columns);
    if (good) {
        memcpy(c->id, id, sizeof *id * (size_t)np);
        static_directions(c);
        mark_varying(c);
        node_directions(c);
        good = !lists(c);
    }
    if (!good) {
        sn_touch_free(c);
        return SN_OUT_OF_MEM(err);
    }
    *out = c;
    return SN_OK;
}

/* ---- time ---- */

/* A signal: by its slots; slots that vary (expressions of t) enter its rates with theirs. */
static void signal_direction(sn_touch *c, const sn_work *w, int i, double t)
{
    const sn_model *m = c->m;
    const sn_object *o = &m->signal.object[i];
    size_t to = at(c, m->n_quantity + i);
    sn_in in;
    sn_object_in(m, c->p, o, &in);
    in.s = w->x + o->s, in.sd = w->xd + o->s, in.sdd = w->xdd + o->s, in.t = t;
    for (int k = 0; k < c->np; k++) c->D[to + (size_t)k] = c->D1[to + (size_t)k] = c->D2[to + (size_t)k] = 0;
    for (int s = 0; s < o->ns; s++) {
        const size_t from = at(c, o->s + s);
        double dy[3];
        int any = 0;
        for (int k = 0; k < c->np; k++) any |= c->D[from + (size_t)k] != 0;
        if (!any && !m->quantity[o->s + s].varies) continue;
        ((const sn_signal_class *)o->cls)->dparam(&in, s, dy);
        for (int k = 0; k < c->np; k++) {
            c->D[to + (size_t)k] += dy[0] * c->D[from + (size_t)k];
            c->D1[to + (size_t)k] += dy[1] * c->D[from + (size_t)k] + dy[0] * c->D1[from + (size_t)k];
            c->D2[to + (size_t)k] += dy[2] * c->D[from + (size_t)k] + dy[0] * c->D2[from + (size_t)k];
        }
    }
}

static void expression_direction(sn_touch *c, const sn_work *w, int id, double t)
{
    const sn_expr *e = c->m->quantity[id].expr;
    sn_jet x[SN_EXPR_VARS], y;
    for (int k = 0; k < c->np; k++) {
        sn_system_jets(w, e, t, x);
        for (int v = 0; v < sn_expr_nvar(e); v++) {
            int of = sn_expr_var(e, v);
            if (of == SN_VAR_TIME) continue;
            size_t from = at(c, of >= SN_VAR_SIGNAL ? c->m->n_quantity + of - SN_VAR_SIGNAL : of) + (size_t)k;
            x[v].d[0] = c->D[from], x[v].d[1] = c->D1[from], x[v].d[2] = c->D2[from];
        }
        sn_expr_jet(e, x, &y);
        size_t to = at(c, id) + (size_t)k;
        c->D[to] = y.d[0], c->D1[to] = y.d[1], c->D2[to] = y.d[2];
    }
}

void sn_touch_time(sn_touch *c, const sn_work *w, double t)
{
    for (int i = 0; i < c->n_varying; i++) {
        int id = c->varying[i];
        if (id >= SN_VAR_SIGNAL)
            signal_direction(c, w, id - SN_VAR_SIGNAL, t);
        else
            expression_direction(c, w, id, t);
    }
}

/* ---- residual ---- */

static void gather(const sn_state *x, const sn_object *o, sn_work *w)
{
    for (int i = 0; i < o->nq; i++) w->q[i] = x->q[o->qi[i]];
    for (int i = 0; i < o->nv; i++) w->v[i] = x->v[o->vi[i]], w->a[i] = x->a[o->vi[i]];
}

/* w->r: derivative of an element's residual. */
static sn_status element(sn_work *w, const sn_touched *t)
{
    const sn_model *m = w->m;
    const sn_object *o = &m->element.object[t->object];
    const sn_element_class *cls = o->cls;
    memset(w->r, 0, sizeof(double) * (size_t)o->nv);
    if (o->host < 0) return cls->dparam(&w->element[t->object], t->index, w->r);
    const sn_object *host = &m->element.object[o->host];
    const sn_element_class *carrier = host->cls;
    int turning = sn_load_turns(cls->load, o->opt);
    const double *load = w->element[t->object].s + cls->load->slot;
    if (t->host) return carrier->ddistribute(&w->element[o->host], load, turning, t->index, w->r);
    /* the load itself is linear in its numbers */
    double unit[6] = {0};
    int k = t->index - cls->load->slot;
    if (k < 0 || k >= 6) return SN_OK;
    unit[k] = 1;
    return carrier->distribute(&w->element[o->host], unit, turning, w->r, NULL);
}

/* w->r and w->phi: derivatives of a joint's residual and equations. */
static sn_status joint(sn_work *w, const sn_state *x, const sn_touched *t)
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

/* Each number's derivative in turn, handed on: to all columns of f, or times z into g. */
static sn_status each(sn_work *w, const sn_state *x, const sn_touch *c, double row, double *f,
                      const double *z, double *g, sn_err *err)
{
    const sn_model *m = w->m;
    for (int family = SN_TOUCH_ELEMENT; family <= SN_TOUCH_JOINT; family++)
        for (int i = 0, last = -1; i < c->n[family]; i++) {
            const sn_touched *t = &c->list[family][i];
            const sn_object *o = (family == SN_TOUCH_JOINT ? &m->joint : &m->element)->object + t->object;
            int equations = family == SN_TOUCH_JOINT ? o->m : 0;
            if (t->object != last) gather(x, o, w), last = t->object;
            if (equations ? joint(w, x, t) : element(w, t)) return failed(w, o, x, err);
            double sum = 0;
            for (int r = 0; r < o->nv + equations; r++) {
                double d = r < o->nv ? row * w->r[r] : w->phi[r - o->nv];
                int to = r < o->nv ? o->zi[r] : m->nv + o->eq + r - o->nv;
                if (d == 0 || to >= m->n) continue;
                if (z) sum += d * z[to];
                for (int k = 0; f && k < t->n; k++)
                    f[(size_t)to * (size_t)c->np + (size_t)t->which[k]] += d * t->row[t->which[k]];
            }
            for (int k = 0; g && k < t->n; k++) g[t->which[k]] += sum * t->row[t->which[k]];
        }
    return SN_OK;
}

sn_status sn_system_dparam(sn_work *w, const sn_state *x, const sn_touch *c, double row, double *f,
                           sn_err *err)
{
    return each(w, x, c, row, f, NULL, NULL, err);
}

sn_status sn_system_dparam_transposed(sn_work *w, const sn_state *x, const sn_touch *c, double row,
                                      const double *z, double *g, sn_err *err)
{
    return each(w, x, c, row, NULL, z, g, err);
}
