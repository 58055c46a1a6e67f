/* sn_values: the numbers of one parameter set. Quantities are evaluated in order, checked against their
   ranges, and turned into start configuration, reference coordinates and constants of the objects. */
#include "model/values.h"
#include "model/compile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static sn_status allocate(const sn_model *m, sn_values **out, sn_err *err)
{
    sn_values *p;
    *out = NULL;
    if (!SN_NEW(p, 1)) return SN_OUT_OF_MEM(err);
    p->model = m;
    if (!SN_NEW(p->x, m->n_quantity + 1) || !SN_NEW(p->fixed, m->n_quantity + 1) ||
        !SN_NEW(p->X, m->nX + 1) || !SN_NEW(p->c, m->nc + 1) || !SN_NEW(p->q0, m->nq + 1) ||
        !SN_NEW(p->v0, m->nv + m->max_node + 1) || !SN_NEW(p->course, m->signal.n + 1) ||
        !SN_NEW(p->reference, m->nq + 1)) {
        sn_values_free(p);
        return SN_OUT_OF_MEM(err);
    }
    *out = p;
    return SN_OK;
}

sn_status sn_values_new(const sn_model *m, sn_values **out, sn_err *err)
{
    sn_values *p;
    *out = NULL;
    SN_TRY(allocate(m, &p, err));
    for (int i = 0; i < m->n_quantity; i++) p->x[i] = m->quantity[i].value;
    sn_status s = sn_values_update(p, err);
    if (s)
        sn_values_free(p);
    else
        *out = p;
    return s;
}

void sn_values_free(sn_values *p)
{
    if (!p) return;
    sn_free(p->x), sn_free(p->fixed), sn_free(p->X), sn_free(p->c), sn_free(p->q0), sn_free(p->v0);
    sn_free(p->course), sn_free(p->reference);
    sn_free(p);
}

sn_status sn_values_copy(const sn_values *from, sn_values **out, sn_err *err)
{
    SN_TRY(sn_values_new(from->model, out, err));
    size_t n = (size_t)from->model->n_quantity;
    memcpy((*out)->x, from->x, n * sizeof *from->x);
    memcpy((*out)->fixed, from->fixed, n * sizeof *from->fixed);
    memcpy((*out)->course, from->course, (size_t)from->model->signal.n * sizeof *from->course);
    sn_status s = sn_values_update(*out, err);
    if (s) sn_values_free(*out), *out = NULL;
    return s;
}

void sn_values_assign(sn_values *to, const sn_values *from)
{
    const sn_model *m = from->model;
    memcpy(to->x, from->x, sizeof *to->x * (size_t)m->n_quantity);
    memcpy(to->fixed, from->fixed, sizeof *to->fixed * (size_t)m->n_quantity);
    memcpy(to->X, from->X, sizeof *to->X * (size_t)m->nX);
    memcpy(to->c, from->c, sizeof *to->c * (size_t)m->nc);
    memcpy(to->q0, from->q0, sizeof *to->q0 * (size_t)m->nq);
    memcpy(to->v0, from->v0, sizeof *to->v0 * (size_t)m->nv);
    memcpy(to->course, from->course, sizeof *to->course * (size_t)m->signal.n);
    to->length = from->length;
}

sn_status sn_values_clone(const sn_values *from, sn_values **out, sn_err *err)
{
    SN_TRY(allocate(from->model, out, err));
    sn_values_assign(*out, from);
    return SN_OK;
}

/* The element that a name begins with, where it is a reduced body, and in *rest what follows; or NULL */
static const char *reduced_body(const sn_model *m, const char *name, const char **rest)
{
    if (!strncmp(name, "elements.", 9)) name += 9;
    for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++) {
        const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][i];
        const size_t n = strlen(e->name);
        if (strncmp(name, e->name, n) != 0 || name[n] != '.' || !e->block || !sn_reduces_in_place(e->cls))
            continue;
        *rest = name + n + 1;
        return e->name;
    }
    return NULL;
}

/* Of a name of several numbers the first one into `one`; 0: it is no such name */
static int first_of(const sn_model *m, const char *name, char *one, size_t size)
{
    static const char *const component[] = {"x", "1"};
    for (int i = 0; i < 2; i++) {
        const int n = snprintf(one, size, "%s.%s", name, component[i]);
        if (n > 0 && (size_t)n < size && sn_quantity_find(m, one) >= 0) return 1;
    }
    return 0;
}

static const char *parameter_name(int i, const void *ctx) { return sn_parameter_name(ctx, i); }

static sn_status find(const sn_model *m, const char *name, int *id, sn_err *err)
{
    *id = sn_quantity_find(m, name);
    if (*id >= 0) return SN_OK;
    const char *near = sn_nearest(name, sn_parameter_count(m), parameter_name, m);
    sn_structure by;
    if (sn_structure_change(m, name, &by))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "'%s' is how many elements there are: chosen when the model is read", name);
    char one[300];
    if (first_of(m, name, one, sizeof one))
        return sn_fail(err, SN_ERR_INPUT, NULL, "'%s' has several numbers: name one of them, '%s'", name,
                       one);
    const char *rest, *body = reduced_body(m, name, &rest);
    if (body)
        return sn_fail(
            err, SN_ERR_INPUT, NULL,
            "'%s' has no number '%s': a reduced body is made once, of numbers that stay what they were "
            "(of its file, or by 'set' in 'reduce'); what can change are its 'stiffness', 'density', "
            "'dampers' and 'damping'",
            body, rest);
    return sn_fail(err, SN_ERR_INPUT, NULL, "the model has no number '%s'%s%s%s", name,
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static int no_names(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    (void)ctx;
    sn_fail(err, SN_ERR_INPUT, where, "'%s': a plain number is expected here", name);
    return -1;
}

sn_status sn_values_set(sn_values *p, const char *name, const char *text, sn_err *err)
{
    int id;
    SN_TRY(find(p->model, name, &id, err));
    const sn_quantity *q = &p->model->quantity[id];
    sn_arena arena = {0};
    sn_mark where = {"command line", text, 1, 1};
    sn_expr *e;
    sn_dimension d;
    sn_status s = sn_expr_parse(&arena, text, &where, no_names, NULL, &e, err);
    if (!s) s = sn_expr_dimension(e, NULL, &d, err);
    if (!s && d.known == 1 && q->dim.known == 1 && !sn_dim_equal(d.dim, q->dim.dim)) {
        char have[64], want[64];
        sn_dim_text(d.dim, have, sizeof have);
        sn_dim_text(q->dim.dim, want, sizeof want);
        s = sn_fail(err, SN_ERR_INPUT, NULL, "'%s' is in %s, but '%s' is in %s", name,
                    q->slot && q->slot->unit[0] ? q->slot->unit : want, text, have);
    }
    if (!s) s = sn_values_set_number(p, name, sn_expr_value(e, NULL), err);
    sn_arena_free(&arena);
    return s;
}

sn_status sn_values_set_number(sn_values *p, const char *name, double x, sn_err *err)
{
    int id;
    SN_TRY(find(p->model, name, &id, err));
    if (!isfinite(x)) return sn_fail(err, SN_ERR_INPUT, NULL, "'%s' must be finite", name);
    if (p->model->quantity[id].varies)
        return sn_fail(err, SN_ERR_INPUT, NULL, "'%s' varies with time: set its parameters instead", name);
    if (x != p->x[id]) SN_TRY(sn_structure_refuse(p->model, id, name, NULL, err));
    p->x[id] = x;
    p->fixed[id] = 1;
    return SN_OK;
}

sn_status sn_values_get(const sn_values *p, const char *name, double *x, sn_err *err)
{
    int id;
    SN_TRY(find(p->model, name, &id, err));
    *x = p->x[id];
    return SN_OK;
}

/* ---- evaluation ---- */

void sn_values_gather(const sn_model *m, const sn_expr *e, const double *x, double *out)
{
    (void)m;
    for (int k = 0; k < sn_expr_nvar(e); k++) out[k] = x[sn_expr_var(e, k)];
}

int sn_values_fixed(const sn_values *p, int id)
{
    int of = sn_quantity_of(p->model, id);
    return p->fixed[id] ? id : of >= 0 && p->fixed[of] ? of : -1;
}

/* Is there nothing to check? Numbers of a tapered entry are those of its pieces, unless set from outside; a
   load's pieces repeat numbers of its host; and one piece of an entry that is wrong tells enough. */
static int passed_over(const sn_values *p, int id, int told)
{
    const sn_model *m = p->model;
    int of = sn_quantity_of(m, id);
    if (of < 0) return m->quantity[id].tapers && !p->fixed[id];
    int xi = m->piece_number[id - m->first_piece].xi, owner = m->quantity[xi].owner;
    const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][owner];
    int own = of >= e->first && of < e->first + e->n, load = m->element.object[e->object].host >= 0;
    return !m->quantity[of].tapers || p->fixed[of] || (load && !own) ||
           (told >= 0 && told != xi && m->quantity[told].owner == owner);
}

/* Is what is refused of one number refused of the other? */
static int alike(const sn_slot *a, const sn_slot *b)
{
    return a == b || (a && a->lo == b->lo && a->hi == b->hi && !((a->flags ^ b->flags) & SN_POSITIVE));
}

/* *told: the xi of the last piece reported, or -1; beyond: any finite number is good. */
static void check_range(const sn_values *p, int id, int beyond, int *told, sn_err *err)
{
    const sn_quantity *q = &p->model->quantity[id];
    const sn_slot *s = q->slot;
    const sn_mark *where = p->fixed[id] ? NULL : &q->mark; /* what was set is not what the file says */
    double x = p->x[id];
    int low = s && ((s->flags & SN_POSITIVE) && !(x > 0));
    if (q->varies || (!q->expr && !p->fixed[id] && isnan(q->value))) return;
    if (isfinite(x) && (beyond || (!low && (!s || (x >= s->lo && x <= s->hi))))) return;
    if (passed_over(p, id, *told)) return;
    char text[256], at[32] = "";
    const char *name = sn_quantity_name(p->model, id, text, sizeof text);
    /* what only follows from a number that is reported itself is not reported again */
    for (int k = 0; q->expr && !p->fixed[id] && k < sn_expr_nvar(q->expr); k++) {
        int of = sn_expr_var(q->expr, k);
        if (of < SN_VAR_SIGNAL && !isfinite(p->x[of])) return;
        if (of < SN_VAR_SIGNAL && s && alike(p->model->quantity[of].slot, s) && p->x[of] == x) return;
    }
    if (sn_quantity_of(p->model, id) >= 0) {
        *told = p->model->piece_number[id - p->model->first_piece].xi;
        snprintf(at, sizeof at, " at xi = %g", p->x[*told]);
    }
    const sn_line_axis *axis = q->expr && !p->fixed[id] ? sn_expr_axis_of(q->expr) : NULL;
    if (!isfinite(x) && axis) { /* told once of all its mesh */
        const char *last =
            err->count ? err->report[(err->count < SN_ERR_MAX ? err->count : SN_ERR_MAX) - 1].text : "";
        if (!strstr(last, axis->wrong)) sn_fail(err, SN_ERR_INPUT, where, "%s", axis->wrong);
    } else if (!isfinite(x))
        sn_fail(err, SN_ERR_INPUT, where, "'%s' is not finite%s", name, at);
    else if (low || (x < s->lo && s->lo == 0))
        sn_fail(err, SN_ERR_INPUT, where, "'%s' %s, but is %g%s", name,
                low ? "must be positive" : "cannot be negative", x, at);
    else
        sn_fail(err, SN_ERR_INPUT, where, "'%s' must be between %g and %g, but is %g%s", name, s->lo, s->hi,
                x, at);
}

static void start_nodes(sn_values *p, double *X)
{
    const sn_model *m = p->model;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_offer *at = sn_node_view(n, SN_POSITION);
        const sn_node_in in = sn_node_input(n, p->x);
        n->cls->start(&in, X + n->q, p->q0 + n->q, p->v0 + n->v); /* behind the others for the ground */
        for (int k = 0; at && k < n->cls->dim; k++) {
            lo[k] = fmin(lo[k], X[n->q + at->q + k]);
            hi[k] = fmax(hi[k], X[n->q + at->q + k]);
        }
    }
    double size = 0;
    for (int k = 0; k < 3; k++)
        if (hi[k] > lo[k]) size = hypot(size, hi[k] - lo[k]);
    p->length = size > 0 ? size : 1;
}

void sn_object_in(const sn_model *m, const sn_values *p, const sn_object *o, sn_in *in)
{
    *in = (sn_in){.s = p->x + o->s,
                  .c = p->c + o->c,
                  .X = p->X + o->x,
                  .g = p->x + m->gravity,
                  .opt = o->opt,
                  .slot_n = o->slot_n,
                  .block = o->block,
                  .off = o->off,
                  .offv = o->offv,
                  .view = o->view,
                  .coord = o->coord,
                  .nn = o->nn,
                  .nq = o->nq,
                  .nv = o->nv,
                  .ns = o->ns,
                  .nc = o->nc,
                  .m = o->m,
                  .dim = o->dim};
}

typedef sn_status prepare_function(const sn_in *, double *, sn_err *);

static prepare_function *prepare_of(int family, const sn_object *o)
{
    switch (family) {
    case 0:
        return o->host >= 0 ? NULL : ((const sn_element_class *)o->cls)->prepare;
    case 1:
        return ((const sn_joint_class *)o->cls)->prepare;
    case 2:
        return ((const sn_signal_class *)o->cls)->prepare;
    default:
        return ((const sn_sensor_class *)o->cls)->prepare;
    }
}

/* Which piece of a meshed surface, and where: ", piece 12 at [x, y, z]". */
static void piece_text(const sn_values *p, const sn_object *o, char *out, size_t size)
{
    const sn_model *m = p->model;
    double x[3] = {0, 0, 0};
    if (sn_element_mesh(o->cls) < SN_SHAPE_TRIANGLE || m->entry[SN_SEC_ELEMENTS][o->entry].pieces < 2) return;
    for (int i = 0; i < o->nn; i++)
        for (int k = 0; k < o->dim && o->place[i].x_q >= 0; k++)
            x[k] += p->X[o->x + o->place[i].x_q + k] / o->nn;
    snprintf(out, size, ", piece %d at [%.4g, %.4g, %.4g]", o->piece + 1, x[0], x[1], x[2]);
}

/* Reference coordinates and constants of one object; errors of the kind get the entry's place and name.
   Pieces of one entry follow each other: *told is the name of the one that was reported last. */
static void prepare(sn_values *p, int family, const sn_object *o, const double *X, const char **told,
                    sn_err *err)
{
    const sn_model *m = p->model;
    prepare_function *f = prepare_of(family, o);
    for (int i = 0; i < o->nq; i++) p->X[o->x + i] = X[o->qi[i]];
    if (!f) return;
    sn_in in;
    sn_err own;
    sn_err_clear(&own);
    sn_object_in(m, p, o, &in);
    sn_status bad = f(&in, p->c + o->c, &own);
    const sn_joint_class *joint = family == 1 ? o->cls : NULL;
    if (!bad && joint && joint->fits) bad = joint->fits(&in, &own);
    if (!bad || *told == o->name) return;
    *told = o->name;
    char where[120] = "";
    if (family == 0) piece_text(p, o, where, sizeof where);
    sn_fail(err, SN_ERR_INPUT, &o->mark, "%s '%s'%s: %s", *(const char *const *)o->cls, o->name, where,
            own.count ? own.report[0].text : "failed");
}

static sn_status update(sn_values *p, int beyond, sn_err *err)
{
    const sn_model *m = p->model;
    double vars[SN_MAX_VARIABLES], *X = p->reference;
    sn_err *e = err, *own = NULL;
    if (!e && !SN_NEW(own, 1)) return SN_ERR_MEMORY;
    if (!e) e = own;
    int before = e->count;
    for (int i = 0; i < m->n_quantity; i++) {
        int from = sn_values_fixed(p, i);
        if (from >= 0 || !m->quantity[i].expr) p->x[i] = from >= 0 ? p->x[from] : m->quantity[i].value;
    }
    for (int k = 0; k < m->n_order; k++) {
        int id = m->order[k];
        if (sn_values_fixed(p, id) >= 0) continue;
        sn_values_gather(m, m->quantity[id].expr, p->x, vars);
        p->x[id] = sn_expr_value(m->quantity[id].expr, vars);
    }
    for (int i = 0, told = -1; i < m->n_quantity; i++) check_range(p, i, beyond, &told, e);
    if (e->count == before) {
        start_nodes(p, X);
        const sn_family *family[4] = {&m->element, &m->joint, &m->signal, &m->sensor};
        const char *told = NULL;
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < family[k]->n; i++) prepare(p, k, &family[k]->object[i], X, &told, e);
    }
    sn_status s = e->count > before ? e->report[before < SN_ERR_MAX ? before : 0].status : SN_OK;
    sn_free(own);
    return s;
}

sn_status sn_values_update(sn_values *p, sn_err *err) { return update(p, 0, err); }

sn_status sn_values_update_beyond(sn_values *p, sn_err *err) { return update(p, 1, err); }
