/* Fields of a state, from the classes' own functions: section forces by the output `force_local`, energies
   without the acceleration field, reactions and loads by the residual.

   A section's force is what the part behind it does to the part before it: force_local at end 2, and the
   opposite of that at end 1. Where there are two shear forces or bending moments (in space) their resultant
   is taken, so that these are not negative; in the plane they have their sign. The stress is the largest
   normal stress of a section, |N|/A + |M_z| h/(2 I_z) + |M_y| w/(2 I_y), of a round one |N|/A + |M| r/I.

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

static int has_field(const sn_fields *f, sn_field_kind k, const sn_object *o, int i)
{
    switch (k) {
    case SN_FIELD_AXIAL:
        return f->roles[i].n[SN_ROLE_N];
    case SN_FIELD_SHEAR:
        return f->roles[i].n[SN_ROLE_V];
    case SN_FIELD_TORSION:
        return f->roles[i].n[SN_ROLE_T];
    case SN_FIELD_BENDING:
        return f->roles[i].n[SN_ROLE_M];
    case SN_FIELD_STRESS:
        return f->roles[i].n[SN_ROLE_M] && isfinite(f->factor[3 * i]);
    case SN_FIELD_ENERGY:
        return is_elastic(o);
    default:
        return is_load(o);
    }
}

static sn_status list(sn_fields *f, const sn_model *m, sn_field_kind k, sn_arena *arena)
{
    static const struct {
        const char *name, *unit;
        int per; /* 0: a force and a moment */
    } known[SN_FIELDS] = {{"axial", "N", 1},     {"shear", "N", 1},   {"torsion", "N*m", 1},
                          {"bending", "N*m", 2}, {"stress", "Pa", 2}, {"energy", "J", 1},
                          {"reaction", "N", 0},  {"load", "N", 0}};
    sn_field *to = &f->field[k];
    const sn_family *all = k == SN_FIELD_REACTION ? &m->joint : &m->element;
    to->name = known[k].name, to->unit = known[k].unit;
    to->per = known[k].per ? known[k].per : m->dim == 2 ? 3 : 6;
    to->row = sn_arena_alloc(arena, (size_t)all->n + 1, sizeof *to->row);
    if (!to->row) return SN_ERR_MEMORY;
    for (int i = 0; i < all->n; i++)
        if (k == SN_FIELD_REACTION || has_field(f, k, &all->object[i], i)) to->row[to->n++] = i;
    to->value = sn_arena_alloc(arena, (size_t)to->n * (size_t)to->per + 1, sizeof *to->value);
    return to->value ? SN_OK : SN_ERR_MEMORY;
}

static int local_output(const sn_object *o)
{
    const sn_output *all = class_of(o)->outputs;
    for (int i = 0; all && all[i].name; i++)
        if (strcmp(all[i].name, "force_local") == 0) return i;
    return -1;
}

static void roles_of(const sn_object *o, sn_roles *r)
{
    static const char letter[] = "NVTM";
    const char *section = o->host < 0 ? class_of(o)->section : NULL;
    for (int k = 0; section && k < SN_ROLES; k++) {
        const char *at = strchr(section, letter[k]);
        while (at && at[r->n[k]] == letter[k]) r->n[k]++;
        if (at) r->at[k] = (signed char)(at - section), r->some = 1;
    }
}

sn_status sn_fields_begin(sn_fields *f, const sn_model *m, const sn_values *p, sn_arena *arena, sn_err *err)
{
    size_t n = (size_t)m->element.n + 1;
    f->output = sn_arena_alloc(arena, n, sizeof *f->output);
    f->factor = sn_arena_alloc(arena, 3 * n, sizeof *f->factor);
    f->roles = sn_arena_alloc(arena, n, sizeof *f->roles);
    f->pin = sn_arena_alloc(arena, (size_t)m->joint.n + 1, sizeof *f->pin);
    f->arm = sn_arena_alloc(arena, 3 * (size_t)m->joint.n + 3, sizeof *f->arm);
    f->point = sn_arena_alloc(arena, 3 * n, sizeof *f->point);
    if (!f->output || !f->factor || !f->roles || !f->pin || !f->arm || !f->point) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < m->joint.n; j++) f->pin[j] = sn_joint_pin(m, p, &m->joint.object[j], f->arm + 3 * j);
    for (int i = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        sn_section s;
        sn_section_of(m, p, o, &s);
        f->output[i] = local_output(o);
        if (is_load(o)) sn_object_point(m, p, SN_SEC_ELEMENTS, o, 0, f->point + 3 * i);
        f->factor[3 * i] = s.outline ? 1 / s.A : NAN;
        f->factor[3 * i + 1] = s.size[0] / 2 / s.I_z;
        f->factor[3 * i + 2] = s.size[1] / 2 / s.I_y;
        roles_of(o, &f->roles[i]);
        f->roles[i].round = s.outline == SN_OUTLINE_ROUND;
    }
    for (int k = 0; k < SN_FIELDS; k++)
        if (list(f, m, (sn_field_kind)k, arena)) return SN_OUT_OF_MEM(err);
    return sn_work_small(m, p, &f->w, err);
}

void sn_fields_end(sn_fields *f)
{
    sn_work_free(f->w);
    f->w = NULL;
}

/* ---- sections ---- */

static void gather(sn_work *w, const sn_frame *x, const sn_object *o)
{
    for (int i = 0; i < o->nq; i++) w->q[i] = x->q[o->qi[i]];
    for (int i = 0; i < o->nv; i++) w->v[i] = x->v[o->vi[i]], w->a[i] = x->a[o->vi[i]];
}

static double resultant(const double *y, int n) { return n == 1 ? y[0] : hypot(y[0], y[1]); }

/* c: 1/A, half sizes over moments of area */
static double stress(const double *c, int round, double N, const double *M, int n)
{
    double axial = fabs(N) * c[0];
    if (n == 1) return axial + fabs(M[0]) * c[1];
    if (round) return axial + hypot(M[0], M[1]) * c[1];
    return axial + fabs(M[0]) * c[2] + fabs(M[1]) * c[1]; /* M_y, M_z */
}

/* All of one element; at[k]: next value of field k. */
static void section_forces(sn_fields *f, int i, const sn_in *in, double **at)
{
    const sn_object *o = &f->w->m->element.object[i];
    const sn_element_class *cls = o->cls;
    const sn_roles *r = &f->roles[i];
    const double *c = f->factor + 3 * (size_t)i;
    double y[2][SN_MAX_COMPONENTS];
    int n = r->n[SN_ROLE_M], m = r->at[SN_ROLE_M], bad;
    bad = cls->output(in, f->output[i], 2, y[1], NULL) != SN_OK;
    if (n) bad |= cls->output(in, f->output[i], 1, y[0], NULL) != SN_OK;
    for (int k = 0; bad && k < SN_MAX_COMPONENTS; k++) y[0][k] = y[1][k] = NAN;
    for (int k = 0; k < n; k++) y[0][m + k] = -y[0][m + k];
    double N = r->n[SN_ROLE_N] ? y[1][r->at[SN_ROLE_N]] : 0;
    if (r->n[SN_ROLE_N]) *at[SN_FIELD_AXIAL]++ = N;
    if (r->n[SN_ROLE_V]) *at[SN_FIELD_SHEAR]++ = resultant(y[1] + r->at[SN_ROLE_V], r->n[SN_ROLE_V]);
    if (r->n[SN_ROLE_T]) *at[SN_FIELD_TORSION]++ = y[1][r->at[SN_ROLE_T]];
    for (int e = 0; n && e < 2; e++) *at[SN_FIELD_BENDING]++ = resultant(y[e] + m, n);
    for (int e = 0; n && e < 2 && isfinite(c[0]); e++)
        *at[SN_FIELD_STRESS]++ = stress(c, r->round, N, y[e] + m, n);
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
    gather(f->w, x, o);
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
    store(y, f->field[SN_FIELD_REACTION].per, to);
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
    store(y, f->field[SN_FIELD_LOAD].per, to);
}

void sn_fields_eval(sn_fields *f, const sn_frame *x)
{
    const sn_model *m = f->w->m;
    double *at[SN_FIELDS];
    for (int k = 0; k < SN_FIELDS; k++) at[k] = f->field[k].value;
    sn_system_time(f->w, x->t);
    for (int i = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        sn_in in;
        gather(f->w, x, o);
        sn_work_input(f->w, o, &in);
        if (f->roles[i].some) section_forces(f, i, &in, at);
        if (is_elastic(o)) *at[SN_FIELD_ENERGY]++ = energy(o, &in);
        if (is_load(o)) load(f, i, &in, at[SN_FIELD_LOAD]), at[SN_FIELD_LOAD] += f->field[SN_FIELD_LOAD].per;
    }
    for (int j = 0; j < m->joint.n; j++, at[SN_FIELD_REACTION] += f->field[SN_FIELD_REACTION].per)
        reaction(f, x, j, at[SN_FIELD_REACTION]);
}
