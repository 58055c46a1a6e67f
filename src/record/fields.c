/* Fields of a state, from the classes' own functions: what they declare, energies without the acceleration
   field, reactions and loads by the residual.

   Forces of joints and loads are moved to the point where they act: M_P = sum m_k + (x_k - P) x f_k. */
#include "record/fields.h"
#include "record/drawing.h"
#include "record/section.h"
#include "math/plane.h"
#include "math/rot3.h"

#include <math.h>
#include <string.h>

static const sn_element_class *class_of(const sn_object *o) { return o->cls; }

static int is_load(const sn_object *o) { return class_of(o)->load != NULL; }

/* Elastic energy is what is between nodes. */
static int is_elastic(const sn_object *o) { return class_of(o)->energy && o->nn > 1 && o->host < 0; }

/* ---- lists ---- */

static int same_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

/* The field that a declaration belongs to, which is added when it is the first; -1: out of memory. One of the
   same name that is something else gets the kind's name before its own. */
static int field_of(sn_fields *f, const sn_element_class *cls, const sn_field_decl *d, sn_arena *arena)
{
    const char *name = d->name;
    for (int i = 0; i < f->n; i++) {
        sn_field *known = &f->field[i];
        if (!same_text(known->name, d->name)) continue;
        int same = known->n == d->n && same_text(known->unit, d->unit);
        for (int k = 0; same && k < d->n; k++) same = same_text(known->component[k], d->component[k]);
        if (same && d->flags & SN_FIELD_SIGNED) known->style = "signed";
        if (same) return i;
        name = sn_arena_printf(arena, "%s.%s", cls->name, d->name);
    }
    const char **component = sn_arena_alloc(arena, (size_t)d->n + 1, sizeof *component);
    if (!component || !name) return -1;
    for (int k = 0; k < d->n; k++) component[k] = d->component[k] ? d->component[k] : "";
    f->field[f->n] = (sn_field){.name = name,
                                .unit = d->unit,
                                .doc = d->doc,
                                .of = "elements",
                                .style = d->flags & SN_FIELD_SIGNED ? "signed" : "plain",
                                .n = d->n,
                                .component = component};
    return f->n++;
}

static int declared(const sn_object *o) { return o->host < 0 && class_of(o)->fields; }

/* The plan of a class; -1: out of memory. */
static int plan_of(sn_fields *f, const sn_element_class *cls, sn_arena *arena)
{
    int i = 0, n = 0;
    while (f->plan[i].cls && f->plan[i].cls != cls) i++;
    sn_field_plan *p = &f->plan[i];
    if (p->cls) return i;
    while (cls->fields[n].name) n++;
    *p = (sn_field_plan){cls, n, 0, sn_arena_alloc(arena, (size_t)n + 1, sizeof *p->part)};
    if (!p->part) return -1;
    for (int k = 0; k < n; k++) {
        const sn_field_decl *d = &cls->fields[k];
        int field = field_of(f, cls, d, arena);
        if (field < 0) return -1;
        p->part[k] = (struct sn_field_part){field, d->points * d->n, (d->flags & SN_FIELD_OF_SECTION) != 0};
        p->total += p->part[k].count;
    }
    return i;
}

/* Room for a plan of each kind in the model, for all their fields and three more, and for one element's
   numbers. */
static sn_status make_room(sn_fields *f, sn_arena *arena)
{
    size_t kinds = 0, fields = 3, most = 0;
    for (const sn_element_class *const *c = sn_element_all(); *c; c++, kinds++) {
        size_t n = 0;
        for (const sn_field_decl *d = (*c)->fields; d && d->name; d++)
            n += (size_t)(d->points * d->n), fields++;
        most = n > most ? n : most;
    }
    f->plan = sn_arena_alloc(arena, kinds + 1, sizeof *f->plan);
    f->field = sn_arena_alloc(arena, fields, sizeof *f->field);
    f->y = sn_arena_alloc(arena, most + 1, sizeof *f->y);
    return f->plan && f->field && f->y ? SN_OK : SN_ERR_MEMORY;
}

/* Fields that every model has. */
static void general_fields(sn_fields *f, int dim)
{
    static const char *const number[] = {""}, *const plane[] = {"fx", "fy", "m"}, *const space[] = {"fx",
                                                                                                    "fy",
                                                                                                    "fz",
                                                                                                    "mx",
                                                                                                    "my",
                                                                                                    "mz"};
    const char *const *force = dim == 2 ? plane : space;
    int n = dim == 2 ? 3 : 6;
    f->energy = f->n++, f->reaction = f->n++, f->load = f->n++;
    f->field[f->energy] = (sn_field){.name = "energy",
                                     .unit = "J",
                                     .doc = "elastic energy",
                                     .of = "elements",
                                     .style = "plain",
                                     .n = 1,
                                     .component = number};
    f->field[f->reaction] = (sn_field){.name = "reaction",
                                       .unit = "N",
                                       .doc = "reactions",
                                       .of = "joints",
                                       .style = "force",
                                       .n = n,
                                       .component = force};
    f->field[f->load] = (sn_field){.name = "load",
                                   .unit = "N",
                                   .doc = "loads",
                                   .of = "elements",
                                   .style = "force",
                                   .n = n,
                                   .component = force};
}

/* One more row of a field; without room for it: it is only counted. */
static void add_row(sn_field *f, int object, int points)
{
    if (f->row) f->row[2 * f->rows] = object, f->row[2 * f->rows + 1] = points;
    f->rows++;
    f->width += points * f->n;
}

static void add_rows(sn_fields *f, const sn_model *m)
{
    for (int k = 0; k < f->n; k++) f->field[k].rows = f->field[k].width = 0;
    for (int i = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        const sn_field_plan *p = f->plan_of[i] >= 0 ? &f->plan[f->plan_of[i]] : NULL;
        for (int k = 0; p && k < p->n; k++)
            if (!p->part[k].of_section || f->section[i])
                add_row(&f->field[p->part[k].field], i, p->cls->fields[k].points);
        if (is_elastic(o)) add_row(&f->field[f->energy], i, 1);
        if (is_load(o)) add_row(&f->field[f->load], i, 1);
    }
    for (int j = 0; j < m->joint.n; j++) add_row(&f->field[f->reaction], j, 1);
}

static sn_status list(sn_fields *f, const sn_model *m, sn_arena *arena)
{
    add_rows(f, m);
    for (int k = 0; k < f->n; k++) {
        sn_field *to = &f->field[k];
        to->row = sn_arena_alloc(arena, 2 * (size_t)to->rows + 1, sizeof *to->row);
        to->value = sn_arena_alloc(arena, (size_t)to->width + 1, sizeof *to->value);
        if (!to->row || !to->value) return SN_ERR_MEMORY;
    }
    add_rows(f, m);
    return SN_OK;
}

/* The section of an element, where one of its fields asks for it and it is known; SN_ERR_MEMORY. */
static sn_status section(sn_fields *f, const sn_model *m, const sn_values *p, int i, sn_arena *arena)
{
    const sn_object *o = &m->element.object[i];
    unsigned flags = 0;
    sn_section s;
    for (const sn_field_decl *d = class_of(o)->fields; d->name; d++) flags |= d->flags;
    if (!(flags & SN_FIELD_OF_SECTION)) return SN_OK;
    sn_section_of(m, p, o, &s);
    if (!s.outline || !isfinite(1 / s.A)) return SN_OK;
    sn_section *copy = sn_arena_alloc(arena, 1, sizeof *copy);
    if (!copy) return SN_ERR_MEMORY;
    *copy = s;
    f->section[i] = copy;
    return SN_OK;
}

static sn_status plan(sn_fields *f, const sn_model *m, const sn_values *p, sn_arena *arena)
{
    SN_TRY(make_room(f, arena));
    for (int i = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        f->plan_of[i] = -1;
        if (is_load(o)) sn_object_point(m, p, SN_SEC_ELEMENTS, o, 0, f->point + 3 * i);
        if (!declared(o)) continue;
        f->plan_of[i] = plan_of(f, o->cls, arena);
        if (f->plan_of[i] < 0) return SN_ERR_MEMORY;
        SN_TRY(section(f, m, p, i, arena));
    }
    general_fields(f, m->dim);
    return list(f, m, arena);
}

sn_status sn_fields_begin(sn_fields *f, const sn_model *m, const sn_values *p, sn_arena *arena, sn_err *err)
{
    size_t n = (size_t)m->element.n + 1;
    f->plan_of = sn_arena_alloc(arena, n, sizeof *f->plan_of);
    f->section = sn_arena_alloc(arena, n, sizeof *f->section);
    f->pin = sn_arena_alloc(arena, (size_t)m->joint.n + 1, sizeof *f->pin);
    f->arm = sn_arena_alloc(arena, 3 * (size_t)m->joint.n + 3, sizeof *f->arm);
    f->point = sn_arena_alloc(arena, 3 * n, sizeof *f->point);
    if (!f->plan_of || !f->section || !f->pin || !f->arm || !f->point) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < m->joint.n; j++) f->pin[j] = sn_joint_pin(m, p, &m->joint.object[j], f->arm + 3 * j);
    if (plan(f, m, p, arena)) return SN_OUT_OF_MEM(err);
    return sn_work_small(m, p, &f->w, err);
}

void sn_fields_end(sn_fields *f)
{
    sn_work_free(f->w);
    f->w = NULL;
}

/* ---- what kinds declare ---- */

/* All of one element. */
static void declared_fields(sn_fields *f, int i, const sn_in *in)
{
    const sn_field_plan *p = &f->plan[f->plan_of[i]];
    const sn_section *known = f->section[i];
    const double *y = f->y;
    if (p->cls->field(in, known, f->y) != SN_OK)
        for (int j = 0; j < p->total; j++) f->y[j] = NAN;
    for (const struct sn_field_part *t = p->part, *end = t + p->n; t < end; y += t++->count) {
        if (t->of_section && !known) continue;
        sn_field *to = &f->field[t->field];
        double *next = to->next;
        for (int j = 0; j < t->count; j++) next[j] = y[j];
        to->next = next + t->count;
    }
}

static double energy(const sn_object *o, const sn_in *in)
{
    static const double none[3] = {0, 0, 0};
    double e[2] = {0, 0};
    sn_in still = *in;
    still.g = none;
    class_of(o)->energy(&still, e, NULL);
    return e[1];
}

/* ---- forces and moments ---- */

/* Place of an object's node k, and a vector of its own axes along global ones; q: of the object. */
static void place(const sn_object *o, int k, const double *q, const double *own, double *x, double *turned)
{
    const sn_node_places *at = &o->place[k];
    double R[9];
    memcpy(turned, own, 3 * sizeof *own);
    for (int i = 0; i < 3; i++) x[i] = at->x_q >= 0 && i < o->dim ? q[at->x_q + i] : 0;
    if (at->R_q < 0) return;
    if (o->dim == 2) {
        sn_rot2(q[at->R_q], own, turned);
        return;
    }
    sn_quat_matrix(q + at->R_q, R);
    sn_mul3(R, own, turned);
}

/* y (force, moment about P) -= what the rows of the residual r of node k hold. */
static void take(const sn_object *o, int k, const double *q, const double *r, const double *P, double *y)
{
    const sn_node_places *at = &o->place[k];
    double x[3], f[3] = {0, 0, 0}, own[3] = {0, 0, 0}, m[3], c[3];
    for (int i = 0; at->x_v >= 0 && i < o->dim; i++) f[i] = r[at->x_v + i];
    for (int i = 0; at->R_v >= 0 && o->dim == 3 && i < 3; i++) own[i] = r[at->R_v + i];
    if (at->R_v >= 0 && o->dim == 2) own[2] = r[at->R_v];
    place(o, k, q, own, x, m);
    for (int i = 0; i < 3; i++) x[i] -= P[i];
    sn_cross3(x, f, c);
    for (int i = 0; i < 3; i++) y[i] -= f[i], y[3 + i] -= m[i] + c[i];
    for (int n = 0; n < at->vectors; n++) {
        double d[3] = {0, 0, 0}, p[3] = {0, 0, 0};
        for (int i = 0; i < o->dim; i++)
            d[i] = q[at->d_q + n * o->dim + i], p[i] = r[at->d_v + n * o->dim + i];
        sn_cross3(d, p, c);
        for (int i = 0; i < 3; i++) y[3 + i] -= c[i];
    }
}

/* As stored: in the plane two components and the moment. */
static void store(const double *y, int per, double *to)
{
    if (per == 6)
        memcpy(to, y, 6 * sizeof *to);
    else
        to[0] = y[0], to[1] = y[1], to[2] = y[5];
}

static void reaction(sn_fields *f, const sn_frame *x, int j, double *to)
{
    const sn_object *o = &f->w->m->joint.object[j];
    sn_in in;
    sn_joint_out out = {.r = f->w->r, .phi = f->w->phi};
    double y[6] = {0}, P[3], s[3];
    int k = f->pin[j];
    sn_work_gather(f->w, o, x->q, x->v, x->a);
    sn_work_input(f->w, o, &in);
    in.lam = x->lam + o->eq;
    memset(f->w->r, 0, sizeof(double) * (size_t)o->nv);
    int bad = ((const sn_joint_class *)o->cls)->eval(&in, &out) != SN_OK;
    if (k >= 0) {
        place(o, k, f->w->q, f->arm + 3 * (size_t)j, P, s);
        for (int i = 0; i < 3; i++) P[i] += s[i];
        take(o, k, f->w->q, f->w->r, P, y);
    }
    for (int i = 0; bad && i < 6; i++) y[i] = NAN;
    store(y, f->field[f->reaction].n, to);
}

/* The residual of a load: at its node, or spread by the element that carries it. */
static int load_residual(sn_fields *f, const sn_object *o, const sn_in *in)
{
    const sn_element_class *cls = o->cls;
    sn_in host;
    memset(f->w->r, 0, sizeof(double) * (size_t)o->nv);
    if (o->host < 0) return cls->eval(in, f->w->r, NULL, NULL, NULL) == SN_OK;
    const sn_object *h = &f->w->m->element.object[o->host];
    sn_work_input(f->w, h, &host);
    return class_of(h)->distribute(&host, in->s + cls->load->slot, sn_load_turns(cls->load, o->opt), f->w->r,
                                   NULL) == SN_OK;
}

static void load(sn_fields *f, int i, const sn_in *in, double *to)
{
    const sn_model *m = f->w->m;
    const sn_object *o = &m->element.object[i];
    double y[6] = {0}, P[3] = {0, 0, 0}, p[3], s[3];
    for (int k = 0; k < o->nn; k++) {
        place(o, k, f->w->q, f->point + 3 * i, p, s);
        for (int j = 0; j < 3; j++) P[j] += (p[j] + s[j]) / o->nn;
    }
    int good = load_residual(f, o, in);
    for (int k = 0; k < o->nn; k++) take(o, k, f->w->q, f->w->r, P, y);
    for (int k = 0; !good && k < 6; k++) y[k] = NAN;
    store(y, f->field[f->load].n, to);
}

void sn_fields_eval(sn_fields *f, const sn_frame *x)
{
    const sn_model *m = f->w->m;
    for (int k = 0; k < f->n; k++) f->field[k].next = f->field[k].value;
    sn_field *reactions = &f->field[f->reaction], *loads = &f->field[f->load];
    sn_system_time(f->w, x->t);
    for (int i = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        sn_in in;
        sn_work_gather(f->w, o, x->q, x->v, x->a);
        sn_work_input(f->w, o, &in);
        if (f->plan_of[i] >= 0) declared_fields(f, i, &in);
        if (is_elastic(o)) *f->field[f->energy].next++ = energy(o, &in);
        if (is_load(o)) load(f, i, &in, loads->next), loads->next += loads->n;
    }
    for (int j = 0; j < m->joint.n; j++, reactions->next += reactions->n) reaction(f, x, j, reactions->next);
}
