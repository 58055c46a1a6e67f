/* The chain rule from parameters to the numbers that kinds see. */
#include "system/parameter_chain.h"

#include <limits.h>
#include <string.h>

/* Where the direction of a variable of an expression is. */
static int place_of(const sn_model *m, int id)
{
    return id >= SN_VAR_SIGNAL ? m->n_quantity + id - SN_VAR_SIGNAL : id;
}

/* ---- sums of directions ---- */

static void enter(sn_parameter_chain *c, int k)
{
    if (c->has[k]) return;
    c->has[k] = 1;
    c->sum[0][k] = c->sum[1][k] = c->sum[2][k] = 0;
    c->ordered &= !c->n_found || c->found[c->n_found - 1] < k;
    c->found[c->n_found++] = k;
}

static void begin(sn_parameter_chain *c) { c->n_found = 0, c->ordered = 1; }

/* c->found ascending; c->has is as before the sum. */
static void finish(sn_parameter_chain *c)
{
    enum { FEW = 32 };
    int n = c->n_found, *f = c->found;
    if (!c->ordered && n <= FEW) {
        for (int i = 1; i < n; i++)
            for (int j = i; j > 0 && f[j - 1] > f[j]; j--) {
                int k = f[j];
                f[j] = f[j - 1], f[j - 1] = k;
            }
    } else if (!c->ordered) {
        for (int k = 0, i = 0; k < c->np; k++)
            if (c->has[k]) f[i++] = k;
    }
    for (int i = 0; i < n; i++) c->has[f[i]] = 0;
}

static sn_status room(sn_parameter_chain *c, int cap, int varies, sn_chain_direction *d)
{
    size_t n = (size_t)cap, weights = (varies ? 3 : 1) * n;
    char *p = sn_arena_alloc(&c->arena, 1, weights * sizeof(double) + n * sizeof(int));
    if (!p) return SN_ERR_MEMORY;
    *d = (sn_chain_direction){.cap = cap, .w = (void *)p, .which = (void *)(p + weights * sizeof(double))};
    if (varies) d->rate = d->w + n;
    return SN_OK;
}

/* The sum as a constant direction, without what has cancelled. */
static sn_status keep(sn_parameter_chain *c, sn_chain_direction *d)
{
    int n = 0;
    finish(c);
    for (int i = 0; i < c->n_found; i++) n += c->sum[0][c->found[i]] != 0;
    *d = (sn_chain_direction){0};
    if (!n) return SN_OK;
    SN_TRY(room(c, n, 0, d));
    for (int i = 0; i < c->n_found; i++) {
        int k = c->found[i];
        if (c->sum[0][k] != 0) d->which[d->n] = k, d->w[d->n++] = c->sum[0][k];
    }
    return SN_OK;
}

static void add_direction(sn_parameter_chain *c, double f, const sn_chain_direction *d)
{
    for (int j = 0; j < d->n; j++) enter(c, d->which[j]), c->sum[0][d->which[j]] += f * d->w[j];
}

/* ---- what is constant ---- */

static sn_status parameters(sn_parameter_chain *c)
{
    for (int k = 0; k < c->np; k++) {
        if (c->id[k] < 0) continue;
        sn_chain_direction *d = &c->D[place_of(c->m, c->id[k])];
        begin(c);
        add_direction(c, 1, d);
        enter(c, k);
        c->sum[0][k] = 1;
        SN_TRY(keep(c, d));
    }
    return SN_OK;
}

static sn_status formula(sn_parameter_chain *c, int id)
{
    enum { OWN = 2 }; /* a parameter's own formula is not used */
    const sn_expr *e = c->m->quantity[id].expr;
    sn_chain_direction *d = &c->D[id];
    double x[SN_MAX_VARIABLES], g[SN_MAX_VARIABLES];
    int any = 0;
    for (int v = 0; v < sn_expr_nvar(e); v++) any |= c->D[sn_expr_var(e, v)].n;
    if (!any) return SN_OK;
    sn_values_gather(c->m, e, c->p->x, x);
    sn_expr_gradient(e, x, g);
    begin(c);
    add_direction(c, 1, d);
    for (int j = 0; j < d->n; j++) c->has[d->which[j]] = OWN;
    for (int v = 0; v < sn_expr_nvar(e); v++) {
        const sn_chain_direction *of = &c->D[sn_expr_var(e, v)];
        for (int j = 0; j < of->n; j++) {
            int k = of->which[j];
            enter(c, k);
            if (c->has[k] != OWN) c->sum[0][k] += g[v] * of->w[j];
        }
    }
    return keep(c, d);
}

/* Everything constant in the order of evaluation. */
static sn_status constant_directions(sn_parameter_chain *c)
{
    SN_TRY(parameters(c));
    for (int i = 0; i < c->m->n_order; i++) {
        int id = c->m->order[i], from = sn_values_fixed(c->p, id);
        if (from < 0)
            SN_TRY(formula(c, id));
        else
            c->D[id] = c->D[from];
    }
    return SN_OK;
}

/* One node: reference coordinates and start. by: for each slot its derivatives of these, max_node numbers
 * each. */
static sn_status node_directions(sn_parameter_chain *c, const sn_node *n, double *by)
{
    const sn_chain_direction *slot = c->D + n->s;
    int rows[3] = {n->nq, n->ground ? 0 : n->nv, n->ground ? 0 : n->nv}, any = 0;
    sn_chain_direction *to[3] = {c->X + n->q, c->q0 + n->v, c->v0 + n->v};
    const size_t most = (size_t)c->m->max_node, all = 3 * most;
    const sn_node_in in = sn_node_input(n, c->p->x);
    const int ns = n->ns;
    for (int j = 0; j < ns; j++) {
        double *d = by + all * (size_t)j;
        if (!slot[j].n) continue;
        memset(d, 0, sizeof *d * all);
        n->cls->dstart(&in, j, d, d + most, d + 2 * most);
        for (int i = 0; i < slot[j].n; i++) c->used[slot[j].which[i]] = 1;
        any = 1;
    }
    for (int part = 0; any && part < 3; part++)
        for (int r = 0; r < rows[part]; r++) {
            begin(c);
            for (int j = 0; j < ns; j++)
                add_direction(c, by[all * (size_t)j + most * (size_t)part + (size_t)r], &slot[j]);
            SN_TRY(keep(c, &to[part][r]));
        }
    return SN_OK;
}

static sn_status all_nodes(sn_parameter_chain *c)
{
    const sn_model *m = c->m;
    int most = 1;
    double *by;
    for (int i = 0; i < m->n_node; i++) most = m->node[i].ns > most ? m->node[i].ns : most;
    by = sn_arena_alloc(&c->arena, 3 * (size_t)m->max_node * (size_t)most + 1, sizeof *by);
    sn_status status = by ? SN_OK : SN_ERR_MEMORY;
    for (int i = 0; !status && i < m->n_node; i++) status = node_directions(c, &m->node[i], by);
    return status;
}

/* ---- what varies with time ---- */

/* Does the signal tell which of its slots matter at a time? That depends on its options only. */
static int has_support(const sn_parameter_chain *c, const sn_object *o)
{
    const sn_signal_class *cls = o->cls;
    int slot[SN_MAX_SUPPORT];
    sn_in in;
    if (!cls->support) return 0;
    sn_object_in(c->m, c->p, o, &in);
    return cls->support(&in, slot) >= 0;
}

/* The most parameters it can move with at a time, or more. */
static int most_at_a_time(const sn_parameter_chain *c, int id)
{
    const sn_model *m = c->m;
    int signal = id >= SN_VAR_SIGNAL;
    if (signal && c->p->course[id - SN_VAR_SIGNAL]) return 0; /* what is measured moves with nothing */
    const sn_object *o = signal ? &m->signal.object[id - SN_VAR_SIGNAL] : NULL;
    const sn_expr *e = signal ? NULL : m->quantity[id].expr;
    int n = signal ? o->ns : sn_expr_nvar(e), largest = 0;
    long sum = 0;
    for (int v = 0; v < n; v++) {
        int of = signal ? o->s + v : sn_expr_var(e, v);
        if (of == SN_VAR_TIME) continue;
        int cap = c->D[place_of(m, of)].cap;
        sum += cap, largest = cap > largest ? cap : largest;
    }
    if (signal && sum > (long)SN_MAX_SUPPORT * largest && has_support(c, o))
        sum = (long)SN_MAX_SUPPORT * largest;
    return sum < c->np ? (int)sum : c->np;
}

static sn_status varying_directions(sn_parameter_chain *c)
{
    for (int i = 0; i < c->m->n_varying; i++) {
        int id = c->m->varying[i], given = c->D[place_of(c->m, id)].cap,
            most = given ? 0 : most_at_a_time(c, id);
        if (!most) continue; /* a parameter itself, or nothing moves it */
        SN_TRY(room(c, most, 1, &c->D[place_of(c->m, id)]));
        c->varying[c->n_varying++] = id;
    }
    return SN_OK;
}

/* ---- lists ---- */

/* One number into the list, if some parameter moves it. */
static sn_status add(sn_parameter_chain *c, int family, int *cap, sn_moved_number t)
{
    if (!t.d->cap) return SN_OK;
    if (c->n[family] == *cap) {
        int more = *cap ? 2 * *cap : 64;
        sn_moved_number *list = sn_arena_alloc(&c->arena, (size_t)more, sizeof *list);
        if (!list) return SN_ERR_MEMORY;
        if (*cap) memcpy(list, c->list[family], sizeof *list * (size_t)*cap);
        c->list[family] = list, *cap = more;
    }
    c->list[family][c->n[family]++] = t;
    return SN_OK;
}

/* Slots, reference coordinates and field of an object as index counts them. */
static sn_status add_object(sn_parameter_chain *c, int family, int *cap, int object, const sn_object *o,
                            int host)
{
    sn_moved_number t = {.object = object, .host = host};
    for (int i = 0; i < o->ns; i++) {
        t.index = i, t.d = &c->D[o->s + i];
        SN_TRY(add(c, family, cap, t));
    }
    for (int i = 0; i < o->nq; i++) {
        t.index = o->ns + i, t.d = &c->X[o->qi[i]];
        SN_TRY(add(c, family, cap, t));
    }
    int field = family == SN_MOVED_ELEMENT  ? !host && o->host < 0
                : family == SN_MOVED_SENSOR ? ((const sn_sensor_class *)o->cls)->source == SN_FROM_NODES
                                            : 0;
    for (int i = 0; field && i < 3; i++) {
        t.index = o->ns + o->nq + i, t.d = &c->D[c->m->gravity + i];
        SN_TRY(add(c, family, cap, t));
    }
    return SN_OK;
}

static sn_status lists(sn_parameter_chain *c)
{
    const sn_model *m = c->m;
    const sn_family *family[SN_MOVED_FAMILIES] = {&m->element, &m->joint, &m->sensor};
    for (int f = 0; f < SN_MOVED_FAMILIES; f++) {
        int cap = 0;
        for (int i = 0; i < family[f]->n; i++) {
            const sn_object *o = &family[f]->object[i];
            c->first[f][i] = c->n[f];
            SN_TRY(add_object(c, f, &cap, i, o, 0));
            if (f == SN_MOVED_ELEMENT && o->host >= 0)
                SN_TRY(add_object(c, f, &cap, i, &m->element.object[o->host], 1));
        }
        c->first[f][family[f]->n] = c->n[f];
    }
    return SN_OK;
}

/* A constant direction's parameters are used; what varies is needed, and so is what it is made of. */
static void use(sn_parameter_chain *c, const sn_chain_direction *d, unsigned char *needed)
{
    if (d->rate) needed[d - c->D] = 1;
    for (int i = 0; !d->rate && i < d->n; i++) c->used[d->which[i]] = 1;
}

static sn_status mark_used(sn_parameter_chain *c)
{
    const sn_model *m = c->m;
    unsigned char *needed = sn_arena_alloc(&c->arena, (size_t)(m->n_quantity + m->signal.n) + 1, 1);
    if (!needed) return SN_ERR_MEMORY;
    for (int f = 0; f < SN_MOVED_FAMILIES; f++)
        for (int i = 0; i < c->n[f]; i++) use(c, c->list[f][i].d, needed);
    for (int i = c->n_varying - 1; i >= 0; i--) {
        int id = c->varying[i];
        if (!needed[place_of(m, id)]) continue;
        if (id >= SN_VAR_SIGNAL) {
            const sn_object *o = &m->signal.object[id - SN_VAR_SIGNAL];
            for (int s = 0; s < o->ns; s++) use(c, &c->D[o->s + s], needed);
            continue;
        }
        const sn_expr *e = m->quantity[id].expr;
        for (int v = 0; v < sn_expr_nvar(e); v++)
            if (sn_expr_var(e, v) != SN_VAR_TIME) use(c, &c->D[place_of(m, sn_expr_var(e, v))], needed);
    }
    return SN_OK;
}

void sn_parameter_chain_free(sn_parameter_chain *c)
{
    if (!c) return;
    sn_free(c->id), sn_free(c->D), sn_free(c->X), sn_free(c->q0), sn_free(c->v0);
    sn_free(c->used), sn_free(c->varying), sn_free(c->has), sn_free(c->found);
    for (int f = 0; f < SN_MOVED_FAMILIES; f++) sn_free(c->first[f]);
    for (int k = 0; k < 4; k++) sn_free(c->block[k]);
    for (int k = 0; k < 3; k++) sn_free(c->sum[k]);
    sn_free(c->column), sn_free(c->momentum);
    sn_arena_free(&c->arena);
    sn_free(c);
}

static int allocate(sn_parameter_chain *c)
{
    const sn_model *m = c->m;
    size_t np = (size_t)c->np + 1;
    c->rows = m->max_y > 6 ? m->max_y : 6;
    int good = SN_NEW(c->id, np) && SN_NEW(c->used, np) && SN_NEW(c->has, np) && SN_NEW(c->found, np) &&
               SN_NEW(c->D, m->n_quantity + m->signal.n + 1) && SN_NEW(c->X, m->nq + 1) &&
               SN_NEW(c->q0, m->nv + 1) && SN_NEW(c->v0, m->nv + 1) && SN_NEW(c->varying, m->n_varying + 1) &&
               SN_NEW(c->first[0], m->element.n + 1) && SN_NEW(c->first[1], m->joint.n + 1) &&
               SN_NEW(c->first[2], m->sensor.n + 1) && SN_NEW(c->column, 2 * c->rows) &&
               SN_NEW(c->momentum, SN_MOMENTUM_SCRATCH * (m->max_v + 1));
    for (int k = 0; good && k < 3; k++) good = SN_NEW(c->sum[k], np) != NULL;
    for (int k = 0; good && k < 4; k++)
        good = SN_NEW(c->block[k], (m->max_v + c->rows) * (m->max_v + m->max_m + 2)) != NULL;
    return good;
}

static int fill(sn_parameter_chain *c)
{
    return !constant_directions(c) && !all_nodes(c) && !varying_directions(c) && !lists(c) &&
           !sn_parameter_chain_group(c) && !mark_used(c);
}

sn_status sn_parameter_chain_renew(sn_parameter_chain *c, sn_err *err)
{
    const sn_model *m = c->m;
    memset(c->D, 0, sizeof *c->D * (size_t)(m->n_quantity + m->signal.n + 1));
    memset(c->X, 0, sizeof *c->X * (size_t)(m->nq + 1));
    memset(c->q0, 0, sizeof *c->q0 * (size_t)(m->nv + 1));
    memset(c->v0, 0, sizeof *c->v0 * (size_t)(m->nv + 1));
    memset(c->used, 0, (size_t)c->np + 1);
    for (int f = 0; f < SN_MOVED_FAMILIES; f++) c->list[f] = NULL, c->n[f] = 0;
    c->n_varying = 0;
    sn_arena_empty(&c->arena);
    return fill(c) ? SN_OK : SN_OUT_OF_MEM(err);
}

sn_status sn_parameter_chain_new(const sn_model *m, const sn_values *p, int np, const int *id,
                                 sn_parameter_chain **out, sn_err *err)
{
    sn_parameter_chain *c;
    *out = NULL;
    if (!SN_NEW(c, 1)) return SN_OUT_OF_MEM(err);
    c->m = m, c->p = p, c->np = np;
    int good = allocate(c);
    if (good) {
        memcpy(c->id, id, sizeof *id * (size_t)np);
        good = fill(c);
    }
    if (!good) {
        sn_parameter_chain_free(c);
        return SN_OUT_OF_MEM(err);
    }
    *out = c;
    return SN_OK;
}

/* ---- time ---- */

/* One slot of a signal: slots that vary (expressions of t) enter its rates with theirs. */
static void add_slot(sn_parameter_chain *c, const sn_chain_direction *of, const double *dy)
{
    for (int j = 0; j < of->n; j++) {
        int k = of->which[j];
        double w = of->w[j], w1 = of->rate ? of->rate[j] : 0, w2 = of->rate ? of->rate[of->cap + j] : 0;
        enter(c, k);
        c->sum[0][k] += dy[0] * w;
        c->sum[1][k] += dy[1] * w + dy[0] * w1;
        c->sum[2][k] += dy[2] * w + dy[0] * w2;
    }
}

static void signal_direction(sn_parameter_chain *c, const sn_work *w, int i, double t)
{
    const sn_model *m = c->m;
    const sn_object *o = &m->signal.object[i];
    const sn_signal_class *cls = o->cls;
    sn_chain_direction *to = &c->D[m->n_quantity + i];
    int slot[SN_MAX_SUPPORT];
    sn_in in;
    sn_object_in(m, c->p, o, &in);
    in.s = w->x + o->s, in.sd = w->xd + o->s, in.sdd = w->xdd + o->s, in.t = t;
    int some = cls->support ? cls->support(&in, slot) : -1;
    begin(c);
    for (int j = 0; j < (some < 0 ? o->ns : some); j++) {
        int s = some < 0 ? j : slot[j];
        double dy[3];
        if (!c->D[o->s + s].n) continue;
        cls->dparam(&in, s, dy);
        add_slot(c, &c->D[o->s + s], dy);
    }
    finish(c);
    to->n = c->n_found;
    for (int j = 0; j < to->n; j++) {
        int k = to->which[j] = c->found[j];
        to->w[j] = c->sum[0][k], to->rate[j] = c->sum[1][k], to->rate[to->cap + j] = c->sum[2][k];
    }
}

/* An expression, by each parameter that moves one of its variables. */
static void expression_direction(sn_parameter_chain *c, const sn_work *w, int id, double t)
{
    static const sn_chain_direction none = {0};
    const sn_expr *e = c->m->quantity[id].expr;
    const sn_chain_direction *of[SN_MAX_VARIABLES];
    sn_chain_direction *to = &c->D[id];
    int at[SN_MAX_VARIABLES], n = sn_expr_nvar(e);
    sn_jet x[SN_MAX_VARIABLES], y;
    sn_system_jets(w, e, t, x);
    for (int v = 0; v < n; v++) {
        int var = sn_expr_var(e, v);
        of[v] = var == SN_VAR_TIME ? &none : &c->D[place_of(c->m, var)];
        at[v] = 0;
    }
    for (to->n = 0;; to->n++) {
        int k = INT_MAX;
        for (int v = 0; v < n; v++)
            if (at[v] < of[v]->n && of[v]->which[at[v]] < k) k = of[v]->which[at[v]];
        if (k == INT_MAX) return;
        for (int v = 0; v < n; v++) {
            int j = at[v], here = j < of[v]->n && of[v]->which[j] == k, varies = here && of[v]->rate;
            x[v].d[0] = here ? of[v]->w[j] : 0;
            x[v].d[1] = varies ? of[v]->rate[j] : 0;
            x[v].d[2] = varies ? of[v]->rate[of[v]->cap + j] : 0;
            at[v] += here;
        }
        sn_expr_jet(e, x, &y);
        to->which[to->n] = k;
        to->w[to->n] = y.d[0], to->rate[to->n] = y.d[1], to->rate[to->cap + to->n] = y.d[2];
    }
}

void sn_parameter_chain_time(sn_parameter_chain *c, const sn_work *w, double t)
{
    for (int i = 0; i < c->n_varying; i++) {
        int id = c->varying[i];
        if (id >= SN_VAR_SIGNAL)
            signal_direction(c, w, id - SN_VAR_SIGNAL, t);
        else
            expression_direction(c, w, id, t);
    }
}

int sn_parameter_chain_active(sn_parameter_chain *c, int *k)
{
    const sn_chain_direction *node[3] = {c->X, c->q0, c->v0};
    const int rows[3] = {c->m->nq, c->m->nv, c->m->nv};
    begin(c);
    for (int f = 0; f < SN_MOVED_FAMILIES; f++)
        for (int i = 0; i < c->n[f]; i++) add_direction(c, 1, c->list[f][i].d);
    for (int part = 0; part < 3; part++)
        for (int r = 0; r < rows[part]; r++) add_direction(c, 1, &node[part][r]);
    finish(c);
    memcpy(k, c->found, sizeof *k * (size_t)c->n_found);
    return c->n_found;
}

/* ---- directions ---- */

int sn_chain_direction_find(const sn_chain_direction *d, int k)
{
    int lo = 0, hi = d->n;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (d->which[mid] < k)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < d->n && d->which[lo] == k ? lo : -1;
}

void sn_chain_directions_expand(int rows, const sn_chain_direction *d, int np, double *out)
{
    memset(out, 0, sizeof *out * (size_t)rows * (size_t)np);
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < d[r].n; j++) out[(size_t)r * (size_t)np + (size_t)d[r].which[j]] = d[r].w[j];
}
