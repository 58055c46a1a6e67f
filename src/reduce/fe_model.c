/* A model of own members as a finite-element body: its matrices by small motions in axes that all nodes
   share, its mass as particles, section forces at the ends of its beams. Gravity does not count: a free body
   would fall. */
#include "reduce/fe_model.h"

#include "analysis/motion.h"
#include "math/rot3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct taker {
    const sn_model *m;
    sn_context *d;
    sn_motion *motion;
    sn_arena *arena;
    sn_fe_body *fe;
    sn_err *err;
} taker;

/* Spatial nodes with a place, and rotations or not */
static sn_status take_nodes(const taker *k)
{
    const sn_model *m = k->m;
    sn_fe_body *fe = k->fe;
    const char **name = sn_arena_alloc(k->arena, (size_t)m->n_node + 1, sizeof *name);
    double *X = sn_arena_alloc(k->arena, 3 * (size_t)m->n_node + 1, sizeof *X);
    int *dof = sn_arena_alloc(k->arena, 6 * (size_t)m->n_node + 1, sizeof *dof);
    if (!name || !X || !dof) return SN_OUT_OF_MEM(k->err);
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places at = sn_node_place(n);
        if (n->ground) continue;
        if (n->cls->dim != 3 || n->nv != (at.R_v >= 0 ? 6 : 3) || at.x_v != 0)
            return sn_fail(
                k->err, SN_ERR_INPUT, &n->mark,
                "node '%s' (%s) cannot be part of a reduced body: its nodes are points and frames of "
                "space",
                n->name, n->cls->name);
        const int f = fe->n_node++;
        name[f] = sn_arena_strndup(k->arena, n->name, strlen(n->name));
        if (!name[f]) return SN_OUT_OF_MEM(k->err);
        memcpy(X + 3 * f, k->d->x->q + n->q + at.x_q, 3 * sizeof *X);
        for (int c = 0; c < 6; c++) dof[6 * f + c] = c < n->nv ? n->v + c : -1;
    }
    fe->n = m->nv, fe->node = name, fe->X = X, fe->dof = dof;
    return SN_OK;
}

/* Rows from..to-1 and columns below nv of a matrix with the system's pattern; what stands in equations left
   out stays away */
static sn_status take_matrix(const taker *k, const double *A, int from, int to, sn_sparse *out)
{
    const sn_model *m = k->m;
    sn_triplets t = {0};
    sn_status s = SN_OK;
    int *row = sn_alloc((size_t)(to - from) + 1, sizeof *row), rows = 0;
    if (!row) return SN_OUT_OF_MEM(k->err);
    for (int i = from; i < to; i++) row[i - from] = i >= m->nv && k->d->w->dropped[i - m->nv] ? -1 : rows++;
    for (int j = 0; j < m->nv && !s; j++)
        for (int e = m->Ap[j]; e < m->Ap[j + 1] && !s; e++) {
            const int i = m->Ai[e];
            if (i < from || i >= to || row[i - from] < 0 || A[e] == 0) continue;
            s = sn_triplets_add(&t, row[i - from], j, A[e]);
        }
    s = s ? SN_OUT_OF_MEM(k->err) : sn_triplets_compress(k->arena, &t, rows, m->nv, out, k->err);
    sn_triplets_free(&t);
    sn_free(row);
    return s;
}

static sn_status take_matrices(const taker *k)
{
    const sn_model *m = k->m;
    const double still[3] = {0, 0, 0};
    sn_fe_body *fe = k->fe;
    for (int i = 0; i < m->m; i++)
        if (m->velocity[i])
            return sn_fail(k->err, SN_ERR_INPUT, NULL,
                           "rolling cannot be part of a reduced body: its equations are of velocities");
    SN_TRY(sn_motion_eval(k->motion, k->d->w, k->d->x, still, k->err));
    SN_TRY(take_matrix(k, k->motion->A[2], 0, m->nv, &fe->M));
    SN_TRY(take_matrix(k, k->motion->A[0], 0, m->nv, &fe->K));
    SN_TRY(take_matrix(k, k->motion->A[1], 0, m->nv, &fe->C));
    fe->m = m->m - k->d->w->n_dropped;
    return m->m ? take_matrix(k, k->motion->A[0], m->nv, m->n, &fe->B) : SN_OK;
}

/* Coordinates of an object in the body, -1: of the ground */
static int *dofs_of(const taker *k, const sn_object *o)
{
    int *dof = sn_arena_alloc(k->arena, (size_t)o->nv + 1, sizeof *dof);
    for (int j = 0; dof && j < o->nv; j++) dof[j] = o->vi[j] < k->m->nv ? o->vi[j] : -1;
    return dof;
}

/* Rows by an object's own increments become rows in axes that all nodes share */
static double *turned(const taker *k, const sn_object *o, const int *dof, int rows, const double *N)
{
    double *own = sn_arena_alloc(k->arena, (size_t)(rows * o->nv) + 1, sizeof *own);
    if (own) memcpy(own, N, sizeof *own * (size_t)(rows * o->nv));
    for (int j = 0; own && j < o->nv; j++) {
        if (dof[j] < 0 || !k->motion->turned[dof[j]]) continue;
        const double *P = k->motion->P + 3 * dof[j];
        for (int c = 0; c < rows; c++) {
            const double *n = N + c * o->nv + j;
            for (int a = 0; a < 3; a++)
                own[c * o->nv + j + a] = n[0] * P[a] + n[1] * P[3 + a] + n[2] * P[6 + a];
        }
    }
    return own;
}

static sn_status take_particle(const taker *k, const sn_object *o, double mass, const double *x,
                               const double *N, sn_fe_particle *p)
{
    const int *dof = dofs_of(k, o);
    const double *own = dof ? turned(k, o, dof, 3, N) : NULL;
    if (!own) return SN_OUT_OF_MEM(k->err);
    *p = (sn_fe_particle){.m = mass, .x = {x[0], x[1], x[2]}, .n = o->nv, .dof = dof, .N = own};
    return SN_OK;
}

/* What an element's functions see at the state */
static void look(const taker *k, const sn_object *o, sn_in *in)
{
    sn_work_input(k->d->w, o, in);
    sn_work_gather(k->d->w, o, k->d->x->q, k->d->x->v, k->d->x->a);
}

/* All particles, or none where some inertia does not tell its own */
static sn_status take_particles(const taker *k)
{
    const sn_model *m = k->m;
    sn_fe_particle *list = NULL;
    int cap = 0, n = 0, known = 1;
    double *N = sn_alloc(3 * (size_t)m->max_v + 1, sizeof *N), mass, x[3];
    sn_status s = N ? SN_OK : SN_OUT_OF_MEM(k->err);
    for (int e = 0; e < m->element.n && !s && known; e++) {
        const sn_object *o = &m->element.object[e];
        const sn_element_class *c = o->cls;
        sn_in in;
        if (!(c->flags & SN_USES_A)) continue;
        if (!(known = c->particle != NULL)) break;
        look(k, o, &in);
        for (int i = 0; !s && c->particle(&in, i, &mass, x, N); i++) {
            s = sn_grow(&list, &cap, n + 1, sizeof *list) ? SN_OUT_OF_MEM(k->err) : SN_OK;
            if (!s) s = take_particle(k, o, mass, x, N, &list[n++]);
        }
    }
    sn_fe_particle *kept = sn_arena_alloc(k->arena, (size_t)n + 1, sizeof *kept);
    if (!s && !kept) s = SN_OUT_OF_MEM(k->err);
    if (!s && known && n)
        memcpy(kept, list, sizeof *kept * (size_t)n), k->fe->particle = kept, k->fe->n_particle = n;
    sn_free(list), sn_free(N);
    return s;
}

/* Lines and triangles by what elements say they look like; a quadrilateral is two triangles */
static sn_status take_shapes(const taker *k)
{
    const sn_model *m = k->m;
    sn_fe_body *fe = k->fe;
    int *line = sn_arena_alloc(k->arena, 2 * (size_t)m->element.n + 1, sizeof *line),
        *triangle = sn_arena_alloc(k->arena, 6 * (size_t)m->element.n + 1, sizeof *triangle),
        *of = sn_arena_alloc(k->arena, (size_t)m->n_node + 1, sizeof *of);
    if (!line || !triangle || !of) return SN_OUT_OF_MEM(k->err);
    fe->line = line, fe->triangle = triangle;
    for (int i = 0, f = 0; i < m->n_node; i++) of[i] = m->node[i].ground ? -1 : f++;
    for (int e = 0; e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        const sn_geometry *g = ((const sn_element_class *)o->cls)->geometry;
        const int corners = !g                                   ? 0
                            : g->shape == SN_SHAPE_LINE          ? 2
                            : g->shape == SN_SHAPE_TRIANGLE      ? 3
                            : g->shape == SN_SHAPE_QUADRILATERAL ? 4
                                                                 : 0;
        int c[4] = {0}, known = corners && o->nn >= corners;
        for (int i = 0; i < corners && known; i++) known = (c[i] = of[o->node[i]]) >= 0;
        if (!known) continue;
        if (corners == 2) memcpy(line + 2 * fe->n_line++, c, 2 * sizeof *c);
        if (corners >= 3) memcpy(triangle + 3 * fe->n_triangle++, c, 3 * sizeof *c);
        if (corners == 4) memcpy(triangle + 3 * fe->n_triangle++, (int[3]){c[0], c[2], c[3]}, 3 * sizeof *c);
    }
    return SN_OK;
}

/* ---- section forces ---- */

/* The group of outputs that is a section's forces along its own axes, of elements with two ends, or
   resultants of a surface in its middle; -1: none */
static int section_group(const sn_object *o)
{
    const sn_element_class *c = o->cls;
    for (int i = 0; c->outputs && c->outputs[i].name; i++)
        if (!strcmp(c->outputs[i].name, o->nn == 2 ? "force_local" : "resultant")) return i;
    return -1;
}

/* The same components as those that came first */
static int fits(const sn_fe_body *fe, const sn_output *g)
{
    if (!fe->recovery_n) return 1;
    if (fe->recovery_n != g->n) return 0;
    for (int i = 0; i < g->n; i++)
        if (strcmp(fe->recovery_component[i], g->component[i]) || strcmp(fe->recovery_unit[i], g->unit[i]))
            return 0;
    return 1;
}

static sn_status take_section(const taker *k, const sn_object *o, int which, int end, sn_triplets *t)
{
    const sn_element_class *c = o->cls;
    const int n = c->outputs[which].n, pieces = k->m->entry[SN_SEC_ELEMENTS][o->entry].pieces;
    const size_t room = (size_t)n * (size_t)o->nv + 1;
    double y[SN_MAX_COMPONENTS], *d[3];
    const int *dof = dofs_of(k, o);
    sn_in in;
    for (int l = 0; l < 3; l++)
        if (!(d[l] = sn_arena_alloc(k->arena, room, sizeof **d))) return SN_OUT_OF_MEM(k->err);
    look(k, o, &in);
    if (c->output(&in, which, end, y, &(sn_dout){.q = d[0], .v = d[1], .a = d[2]}))
        return sn_fail(k->err, SN_ERR_NUMERIC, &o->mark, "%s '%s': its section forces cannot be computed",
                       c->name, o->name);
    const double *own = dof ? turned(k, o, dof, n, d[0]) : NULL;
    const char **name = (const char **)k->fe->recovery + k->fe->n_recovery;
    char place[40] = "";
    const int n_place = pieces > 1 ? snprintf(place, sizeof place, ".%d", o->piece + 1) : 0;
    if (end) snprintf(place + n_place, sizeof place - (size_t)n_place, ".end%d", end);
    *name = sn_arena_printf(k->arena, "%s%s", o->name, place);
    if (!own || !*name) return SN_OUT_OF_MEM(k->err);
    for (int c1 = 0; c1 < n; c1++)
        for (int j = 0; j < o->nv; j++)
            if (dof[j] >= 0 && own[c1 * o->nv + j] != 0 &&
                sn_triplets_add(t, dof[j], k->fe->n_recovery * n + c1, own[c1 * o->nv + j]))
                return SN_OUT_OF_MEM(k->err);
    k->fe->n_recovery++;
    return SN_OK;
}

static sn_status take_sections(const taker *k)
{
    const sn_model *m = k->m;
    sn_fe_body *fe = k->fe;
    sn_triplets t = {0};
    sn_status s = SN_OK;
    const char **name = sn_arena_alloc(k->arena, 2 * (size_t)m->element.n + 1, sizeof *name);
    if (!name) return SN_OUT_OF_MEM(k->err);
    fe->recovery = name;
    for (int e = 0; e < m->element.n && !s; e++) {
        const sn_object *o = &m->element.object[e];
        const int which = section_group(o);
        const sn_output *g = which < 0 ? NULL : &((const sn_element_class *)o->cls)->outputs[which];
        if (!g || !fits(fe, g)) continue;
        fe->recovery_n = g->n, fe->recovery_component = g->component, fe->recovery_unit = g->unit;
        for (int end = o->nn == 2 ? 1 : 0; end <= (o->nn == 2 ? 2 : 0) && !s; end++)
            s = take_section(k, o, which, end, &t);
    }
    if (!s)
        s = sn_triplets_compress(k->arena, &t, fe->n, fe->n_recovery * fe->recovery_n, &fe->recover, k->err);
    sn_triplets_free(&t);
    return s;
}

/* ---- all of it ---- */

/* Loads belong to the body where they are in balance and stay, as a pressure inside; others to the model that
   uses the body. */
static sn_status check_loads(const taker *k)
{
    const sn_model *m = k->m;
    const sn_object *some = NULL;
    double F[6], size[6], sum[6] = {0}, parts[2] = {0};
    for (int e = 0; e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        int varies = 0;
        if (!((const sn_element_class *)o->cls)->load) continue;
        for (int s = 0; s < o->ns; s++) varies |= m->quantity[o->s + s].varies;
        if (varies)
            return sn_fail(k->err, SN_ERR_INPUT, &o->mark,
                           "the load '%s' varies in time: it belongs to the model that uses the body",
                           o->name);
        SN_TRY(sn_system_resultant(k->d->w, k->d->x, e, F, size, k->err));
        for (int i = 0; i < 6; i++) sum[i] += F[i], parts[i / 3] += size[i];
        some = some ? some : o;
    }
    parts[1] += k->d->p->length * parts[0];
    for (int i = 0; i < 6; i++)
        if (fabs(sum[i]) > 1e-6 * parts[i / 3])
            return sn_fail(k->err, SN_ERR_INPUT, &some->mark,
                           "the load '%s' is not in balance: it belongs to the model that uses the body",
                           some->name);
    return SN_OK;
}

static sn_status take_all(const taker *k)
{
    SN_TRY(check_loads(k));
    SN_TRY(take_nodes(k));
    SN_TRY(take_matrices(k));
    SN_TRY(take_particles(k));
    SN_TRY(take_shapes(k));
    return take_sections(k);
}

/* The reference configuration, at rest and free of gaps; or the equilibrium */
static sn_status at_configuration(sn_context *d, int at_static, sn_err *err)
{
    const sn_model *m = d->m;
    sn_state *x = d->x;
    sn_system_time(d->w, 0);
    if (!m->flat) sn_system_tangent_maps(d->w, d->zero);
    if (at_static) return sn_operating_point(d, SN_AT_STATIC, 0, err);
    double *scratch = sn_alloc(2 * (size_t)m->max_node + 1, sizeof *scratch);
    if (!scratch) return SN_OUT_OF_MEM(err);
    memcpy(x->q, d->p->q0, sizeof *x->q * (size_t)m->nq);
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_in in = sn_node_input(n, d->p->x);
        if (!n->ground) n->cls->start(&in, x->q + n->q, scratch, scratch + m->max_node);
    }
    sn_free(scratch);
    SN_TRY(sn_assemble(d, err));
    memset(x->v, 0, sizeof *x->v * (size_t)m->nv);
    memset(x->a, 0, sizeof *x->a * (size_t)m->nv);
    memset(x->lam, 0, sizeof *x->lam * (size_t)m->m);
    return SN_OK;
}

static sn_status without_gravity(const sn_values *given, sn_values **out, sn_err *err)
{
    static const char *const name[3] = {"gravity.x", "gravity.y", "gravity.z"};
    SN_TRY(sn_values_copy(given, out, err));
    for (int k = 0; k < 3; k++) SN_TRY(sn_values_set_number(*out, name[k], 0, err));
    return sn_values_update(*out, err);
}

/* A model at its configuration, without gravity */
typedef struct opened {
    sn_values *p;
    sn_run_options o;
    sn_info info;
    sn_context d;
    sn_motion *motion;
} opened;

static sn_status open_model(const sn_model *m, const sn_values *given, int at_static, opened *k, sn_err *err)
{
    *k = (opened){.p = NULL};
    SN_TRY(without_gravity(given, &k->p, err));
    k->o = sn_run_options_default(m, k->p);
    SN_TRY(sn_context_open(m, k->p, &k->o, &k->info, &k->d, err));
    SN_TRY(at_configuration(&k->d, at_static, err));
    return sn_motion_new(&k->d, &k->motion, err);
}

static void close_model(opened *k)
{
    sn_motion_free(k->motion);
    if (k->d.m) sn_context_close(&k->d);
    sn_values_free(k->p);
}

typedef struct source {
    const sn_model *m;
    const sn_values *given;
    int at_static;
} source;

/* As sn_fe_body.stiffness_at */
static sn_status displaced(const void *ctx, const double *u, sn_arena *arena, sn_sparse *K, sn_err *err)
{
    const double still[3] = {0, 0, 0};
    const source *from = ctx;
    opened k;
    sn_status s = open_model(from->m, from->given, from->at_static, &k, err);
    const taker t = {.m = from->m, .d = &k.d, .motion = k.motion, .arena = arena, .err = err};
    if (!s) s = sn_motion_eval(k.motion, k.d.w, k.d.x, still, err);
    if (!s) {
        sn_motion_turn(k.motion, u, k.d.z);
        sn_system_retract(from->m, k.d.x->q, k.d.z, k.d.x->q);
        s = sn_motion_eval(k.motion, k.d.w, k.d.x, still, err);
    }
    if (!s) s = take_matrix(&t, k.motion->A[0], 0, from->m->nv, K);
    close_model(&k);
    return s;
}

/* As sn_fe_body.named; the ground, which is no part of a body, is none of them. */
static int named(const void *ctx, const char *name, int *list)
{
    const sn_model *m = ((const source *)ctx)->m;
    int n = sn_model_nodes(m, name, list), before = 0;
    for (int k = 0; k < n; k++, before = 0) {
        if (m->node[list[k]].ground) return 0;
        for (int i = 0; i < list[k]; i++) before += !m->node[i].ground;
        list[k] = before;
    }
    return n;
}

sn_status sn_fe_of_model(const sn_model *m, const sn_values *given, int at_static, sn_arena *arena,
                         sn_fe_body *out, sn_err *err)
{
    opened k;
    source *from = sn_arena_alloc(arena, 1, sizeof *from);
    *out = (sn_fe_body){0};
    if (!from) return SN_OUT_OF_MEM(err);
    if (m->dim != 3)
        return sn_fail(err, SN_ERR_INPUT, NULL, "a reduced body is spatial, '%s' is a planar model",
                       m->file ? m->file : "this");
    sn_status s = open_model(m, given, at_static, &k, err);
    const taker t = {.m = m, .d = &k.d, .motion = k.motion, .arena = arena, .fe = out, .err = err};
    if (!s) s = take_all(&t);
    close_model(&k);
    *from = (source){m, given, at_static};
    out->stiffness_at = displaced, out->named = named, out->ctx = from;
    return s;
}

int sn_fe_node(const sn_fe_body *fe, const char *name)
{
    for (int i = 0; i < fe->n_node; i++)
        if (!strcmp(fe->node[i], name)) return i;
    return -1;
}
