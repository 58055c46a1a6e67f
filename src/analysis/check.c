/* Checks before a run: freedom, redundant equations, coordinates that nothing determines, mass and its
   centre. The mass needs no function of the kinds: gravity's force on the model in unit fields tells it. */
#include "analysis/mesh_quality.h"
#include "analysis/rigid.h"
#include "analysis/tangent.h"
#include "math/rot3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct lines {
    char *text;
    int n, cap;
} lines;

static sn_status add_line(lines *l, const char *what, const char *name)
{
    size_t n = strlen(what) + strlen(name) + 3;
    if (sn_grow(&l->text, &l->cap, l->n + (int)n, 1)) return SN_ERR_MEMORY;
    l->n += snprintf(l->text + l->n, n, "%s %s\n", what, name);
    return SN_OK;
}

static sn_status tell_line(void *to, const char *what, const char *text) { return add_line(to, what, text); }

/* Residual at rest in the field g: nodal forces of gravity alone, by difference with no field. */
static sn_status field_force(sn_context *d, int axis, double *f, sn_err *err)
{
    const sn_model *m = d->m;
    double *g = d->w->x + m->gravity, keep[3] = {g[0], g[1], g[2]};
    g[0] = g[1] = g[2] = 0;
    sn_status s = sn_system_eval(d->w, d->x, NULL, err);
    for (int i = 0; i < m->nv; i++) f[i] = d->w->f[i];
    g[axis] = 1;
    if (!s) s = sn_system_eval(d->w, d->x, NULL, err);
    for (int i = 0; i < m->nv; i++) f[i] -= d->w->f[i];
    memcpy(g, keep, sizeof keep);
    return s;
}

/* moment += x cross p, p the force f; in the plane the third component */
static void add_moment(int dim, const double *q, const double *f, double *p, double *moment)
{
    const double x[3] = {q[0], q[1], dim == 3 ? q[2] : 0};
    double turn[3];
    p[0] = f[0], p[1] = f[1], p[2] = dim == 3 ? f[2] : 0;
    sn_cross3(x, p, turn);
    for (int j = 0; j < 3; j++) moment[j] += turn[j];
}

/* Total force and moment about the origin of nodal forces f; in the plane the moment's third number. */
static void resultant(const sn_context *d, const double *f, double *force, double *moment)
{
    const sn_model *m = d->m;
    for (int k = 0; k < 3; k++) force[k] = moment[k] = 0;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places at = sn_node_place(n);
        const double *q = d->x->q + n->q, *k = f + n->v;
        int dim = n->cls->dim;
        double p[3], turn[3], R[9];
        if (n->ground || at.x_v < 0) continue;
        add_moment(dim, q + at.x_q, k + at.x_v, p, moment);
        for (int j = 0; j < 3; j++) force[j] += p[j];
        for (int j = 0; j < at.vectors; j++)
            add_moment(dim, q + at.d_q + j * dim, k + at.d_v + j * dim, p, moment);
        if (at.R_v < 0) continue;
        if (dim == 2) {
            moment[2] += k[at.R_v];
            continue;
        }
        /* moments of a frame are in its own axes */
        sn_quat_matrix(q + at.R_q, R);
        sn_mul3(R, k + at.R_v, turn);
        for (int j = 0; j < 3; j++) moment[j] += turn[j];
    }
}

/* In the field e_k the force is m e_k and the moment m c x e_k. */
static sn_status mass(sn_context *d, sn_check_report *r, sn_err *err)
{
    double force[3], moment[3];
    SN_TRY(field_force(d, 1, d->z, err));
    resultant(d, d->z, force, moment);
    r->mass = force[1];
    if (!(r->mass > 0)) return SN_OK;
    r->com[0] = moment[2] / r->mass;
    if (d->m->dim == 3) r->com[2] = (0 - moment[0]) / r->mass;
    SN_TRY(field_force(d, 0, d->z, err));
    resultant(d, d->z, force, moment);
    r->com[1] = 0 - moment[2] / r->mass;
    return SN_OK;
}

static int zero_row(const sn_context *d, int i)
{
    const sn_model *m = d->m;
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
            if (m->Ai[k] == i && d->w->Ax[k] != 0) return 0;
    return 1;
}

/* Coordinates without mass, stiffness, damping and joint; and (counted only) those without mass. */
static sn_status supports(sn_context *d, sn_check_report *r, lines *l, sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef with_M = {d->zero, d->zero, d->one, d->one, 1},
                  with_KC = {d->one, d->one, d->zero, d->one, 1};
    SN_TRY(sn_system_eval(d->w, d->x, &with_M, err));
    for (int i = 0; i < m->nv; i++) d->a[i] = d->w->Ax[m->diag[i]] == 0, d->z[i] = sn_context_held(d, i);
    SN_TRY(sn_system_eval(d->w, d->x, &with_KC, err));
    for (int i = 0; i < m->nv; i++) {
        char name[160];
        if (d->a[i] == 0) continue;
        r->n_massless++;
        if (d->z[i] != 0 || d->w->Ax[m->diag[i]] != 0 || !zero_row(d, i)) continue;
        r->n_unsupported++;
        if (add_line(l, "unsupported", sn_coord_name(m, i, name, sizeof name))) return SN_OUT_OF_MEM(err);
    }
    return SN_OK;
}

static sn_status constraints(sn_context *d, sn_check_report *r, lines *l, sn_err *err)
{
    const sn_model *m = d->m;
    unsigned char *flag = sn_alloc((size_t)m->m + 1, 1);
    double *rate = sn_alloc(2 * (size_t)m->m + 1, sizeof *rate);
    sn_status s = flag && rate ? SN_OK : SN_OUT_OF_MEM(err);
    int n = 0;
    if (!s) s = sn_redundant(d, flag, &n, err);
    for (int i = 0; !s && i < m->m; i++) {
        char name[160];
        if (flag[i] && add_line(l, "redundant", sn_equation_name(m, i, name, sizeof name)))
            s = SN_OUT_OF_MEM(err);
    }
    r->n_redundant = n;
    r->independent = m->m - r->n_redundant;
    int second = 0;
    for (int i = 0; i < m->nv; i++) second += m->order_of[i] == 2;
    r->freedom = second - r->independent;
    /* violation of the start as written: phi, and B v + phi_t with the B that sn_redundant assembled */
    if (!s) s = sn_system_rate(d->w, d->x, rate, rate + m->m, err);
    for (int i = 0; !s && i < m->m; i++) {
        double psi = d->w->f[m->nv + i];
        if (!m->velocity[i]) r->violation_q = fmax(r->violation_q, fabs(psi));
        if (m->velocity[i]) rate[i] = psi;
    }
    for (int j = 0; !s && j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
            if (m->Ai[k] >= m->nv && !m->velocity[m->Ai[k] - m->nv])
                rate[m->Ai[k] - m->nv] += d->w->Ax[k] * d->x->v[j];
    for (int i = 0; !s && i < m->m; i++) r->violation_v = fmax(r->violation_v, fabs(rate[i]));
    sn_free(flag), sn_free(rate);
    return s;
}

enum { SHOWN = 3 };

typedef struct moved {
    double size, length, angle; /* size: lengths relative to the model's, angles as they are */
    int node;
} moved;

/* How far a node is from where it was written. */
static moved change_of(const sn_context *d, int i)
{
    const sn_node *n = &d->m->node[i];
    const double *from = d->p->q0 + n->q, *to = d->x->q + n->q;
    double by[SN_MAX_CURVED];
    moved r = {.node = i};
    if (n->cls->difference) n->cls->difference(from, to, by);
    for (int k = 0; k < n->nv; k++) {
        double *sum = !strcmp(n->unit[k], "rad") ? &r.angle : &r.length;
        *sum = hypot(*sum, n->cls->difference ? by[k] : to[k] - from[k]);
    }
    r.size = fmax(r.length / d->p->length, r.angle);
    return r;
}

/* Why the constraints cannot be met: "FILE:LINE:COLUMN: what", without the excerpt. */
static sn_status unmet(lines *l, const sn_err *why, sn_err *err)
{
    for (int i = 0; i < why->count && i < SN_ERR_MAX; i++) {
        const sn_report *r = &why->report[i];
        char text[SN_ERR_FILE_TEXT + SN_ERR_TEXT + 32], place[SN_ERR_FILE_TEXT + 32] = "";
        if (r->line) snprintf(place, sizeof place, "%s:%d:%d: ", r->file, r->line, r->col);
        snprintf(text, sizeof text, "%s%s", place, r->text);
        if (add_line(l, "unmet", text)) return SN_OUT_OF_MEM(err);
    }
    return SN_OK;
}

/* The start's positions, and the nodes that move most for them. */
static sn_status assembly(sn_context *d, sn_check_report *r, lines *l, sn_err *err)
{
    moved top[SHOWN] = {{0}};
    sn_err own;
    if (r->violation_q <= 1e-9 * d->p->length && !r->n_redundant) return SN_OK;
    sn_err_clear(&own);
    sn_status s = sn_assemble(d, &own);
    if (s == SN_ERR_MEMORY) return SN_OUT_OF_MEM(err);
    if (s) {
        r->n_moved = -1;
        return unmet(l, &own, err);
    }
    for (int i = 0; i < d->m->n_node; i++) {
        moved c = {0};
        if (!d->m->node[i].ground) c = change_of(d, i);
        r->n_moved += c.size > 1e-9;
        for (int k = 0; k < SHOWN; k++)
            if (c.size > top[k].size) {
                moved t = top[k];
                top[k] = c, c = t;
            }
    }
    for (int k = 0; k < SHOWN && top[k].size > 1e-9; k++) {
        char text[240];
        snprintf(text, sizeof text, "%s %.6g %.6g", d->m->node[top[k].node].name, top[k].length,
                 top[k].angle);
        if (add_line(l, "moved", text)) return SN_OUT_OF_MEM(err);
    }
    if (!sn_accelerations_agree(d, &own)) return SN_OK;
    r->n_moved = -1;
    return unmet(l, &own, err);
}

/* Whether the model stands still for ever, and what statics would leave where it is. Where the constraints
   are not met, neither is known. */
static sn_status freedom(sn_context *d, const sn_check_report *r, lines *l, sn_err *err)
{
    const sn_model *m = d->m;
    sn_lock lock = {0};
    char text[600], neutral[400] = "";
    if (r->n_moved < 0 || r->n_unsupported) return SN_OK;
    /* sn_assemble has left out what is redundant, if anything was amiss */
    SN_TRY(sn_find_locked(d, &lock, err));
    if (lock.still) {
        sn_lock_text(&lock, text, sizeof text);
        if (add_line(l, "locked", text)) return SN_OUT_OF_MEM(err);
        return SN_OK;
    }
    memset(d->x->v, 0, sizeof(double) * (size_t)m->nv);
    memset(d->x->a, 0, sizeof(double) * (size_t)m->nv);
    memset(d->x->lam, 0, sizeof(double) * (size_t)m->m);
    if ((m->m && sn_reactions(d, NULL)) || sn_stability_neutral(d, neutral, sizeof neutral, NULL))
        d->w->failed = NULL;
    for (char *name = neutral, *end; *name; name = end) {
        end = strstr(name, ", ");
        if (end)
            *end = 0, end += 2;
        else
            end = name + strlen(name);
        if (add_line(l, "neutral", name)) return SN_OUT_OF_MEM(err);
    }
    return SN_OK;
}

static sn_status apart(sn_context *d, lines *l, sn_err *err)
{
    char text[600];
    int next = 0;
    while (sn_joint_apart(d, &next, text, sizeof text))
        if (add_line(l, "apart", text)) return SN_OUT_OF_MEM(err);
    return SN_OK;
}

/* The mechanism that it is while its flexible members are rigid. */
static sn_status mechanism(sn_context *d, sn_check_report *r, lines *l, sn_err *err)
{
    sn_mobility y;
    if (r->n_moved < 0) return SN_OK;
    SN_TRY(sn_find_mobility(d, &y, tell_line, l, err));
    if (y.judged) r->rigid.ways = y.ways;
    r->rigid.driven = y.driven, r->rigid.redundant = y.redundant, r->rigid.flexible = y.flexible;
    r->rigid.singular = y.singular, r->rigid.instantaneous = y.instantaneous;
    r->rigid.dead_centre = y.dead_centre;
    return SN_OK;
}

sn_status sn_check(const sn_model *m, const sn_values *p, sn_check_report *r, sn_err *err)
{
    sn_run_options o = sn_run_options_default(m, p);
    sn_info info = {0};
    sn_context d;
    lines l = {NULL, 0, 0};
    *r = (sn_check_report){.rigid.ways = -1};
    o.drop_redundant = SN_REDUNDANT_DROP;
    sn_model_sizes(m, &r->sizes);
    r->dim = m->dim == 3 ? 3 : 2;
    if (o.solver && strcmp(o.solver, "auto") != 0 && !sn_linsol_find(o.solver))
        return sn_fail(err, SN_ERR_INPUT, &m->run.solver_mark, "unknown solver '%s'", o.solver);
    SN_TRY(sn_context_open(m, p, &o, &info, &d, err));
    memcpy(d.x->q, p->q0, sizeof(double) * (size_t)m->nq);
    memcpy(d.x->v, p->v0, sizeof(double) * (size_t)m->nv);
    if (!m->flat) sn_system_tangent_maps(d.w, d.zero);
    d.x->t = o.begin;
    sn_system_time(d.w, d.x->t);
    sn_status s = sn_system_finite(d.w, d.x->t, 1, err);
    if (!s) s = sn_mesh_quality(d.p, tell_line, &l, err);
    if (!s) s = mass(&d, r, err);
    if (!s) s = supports(&d, r, &l, err);
    if (!s) s = constraints(&d, r, &l, err);
    if (!s) s = assembly(&d, r, &l, err);
    if (!s) s = freedom(&d, r, &l, err);
    if (!s) s = mechanism(&d, r, &l, err);
    if (!s) s = apart(&d, &l, err);
    if (!s) s = sn_find_welds(&d, tell_line, &l, err);
    if (!s) s = sn_find_bodies(&d, tell_line, &l, err);
    if (!s) s = sn_find_unwritten(&d, r->mass, tell_line, &l, err);
    if (!s && !l.text && sn_grow(&l.text, &l.cap, 1, 1)) s = SN_OUT_OF_MEM(err);
    if (s)
        sn_free(l.text);
    else
        r->names = l.text;
    sn_context_close(&d);
    return s;
}
