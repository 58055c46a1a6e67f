/* What a model's bodies are: mass, centre and inertia of every entry, and what is welded to what. For
   sn_check. */
#include "analysis/rigid.h"
#include "model/registry.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#undef I

static const sn_entry *element_entry(const sn_model *m, int e) { return &m->entry[SN_SEC_ELEMENTS][e]; }

/* ---- mass ---- */

/* M of an element at rest in the context's state, into w->M; its coordinates in w->q. */
static sn_status mass_matrix(sn_context *d, int e)
{
    sn_work *w = d->w;
    const sn_object *o = &d->m->element.object[e];
    sn_work_gather(w, o, d->x->q, d->x->v, d->x->a);
    sn_clear(w->v, o->nv), sn_clear(w->a, o->nv), sn_clear(w->r, o->nv);
    sn_clear(w->K, o->nv * o->nv), sn_clear(w->C, o->nv * o->nv), sn_clear(w->M, o->nv * o->nv);
    return ((const sn_element_class *)o->cls)->eval(&w->element[e], w->r, w->K, w->C, w->M);
}

/* G (ways^2) += N'M N of an element that moves rigidly, about `place`. N: ways x nv. */
static sn_status add_mass(sn_context *d, int e, int dim, const double *place, double *N, double *G)
{
    const sn_object *o = &d->m->element.object[e];
    const int ways = dim == 3 ? 6 : 3, nv = o->nv;
    SN_TRY(mass_matrix(d, e));
    sn_clear(N, ways * nv);
    for (int a = 0; a < ways; a++) {
        double way[SN_WAYS] = {0};
        way[a] = 1;
        for (int k = 0; k < o->nn; k++) sn_rigid_velocity(dim, &o->place[k], d->w->q, way, place, N + a * nv);
    }
    for (int a = 0; a < ways; a++)
        for (int i = 0; i < nv; i++) {
            double p = 0;
            for (int j = 0; j < nv; j++) p += d->w->M[i * nv + j] * N[a * nv + j];
            for (int b = 0; b < ways; b++) G[a * ways + b] += p * N[b * nv + i];
        }
    return SN_OK;
}

/* Mass, centre, inertia about it (xx, yy, zz, xy, xz, yz) and principal moments of a rigid motion's G. */
static void properties(int dim, const double *G, const double *place, double *y)
{
    double mass = G[0], c[3] = {0}, J[9] = {0};
    memset(y, 0, 13 * sizeof *y);
    if (!(mass > 0)) return;
    if (dim == 2) {
        c[0] = G[5] / mass, c[1] = -G[2] / mass;
        J[8] = G[8] - mass * (c[0] * c[0] + c[1] * c[1]);
    } else {
        c[0] = G[1 * 6 + 5] / mass, c[1] = G[2 * 6 + 3] / mass, c[2] = G[0 * 6 + 4] / mass;
        const double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                J[3 * i + j] = G[(3 + i) * 6 + 3 + j] - mass * ((i == j) * cc - c[i] * c[j]);
    }
    y[0] = mass;
    for (int i = 0; i < 3; i++) y[1 + i] = c[i] + place[i];
    const double own[6] = {J[0], J[4], J[8], J[1], J[2], J[5]};
    memcpy(y + 4, own, sizeof own);
    if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 3, J, 3, y + 10) != 0) y[10] = y[11] = y[12] = 0;
    const double most = fabs(y[12]) + mass * (y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
    for (int i = 4; i < 13; i++)
        if (fabs(y[i]) < 1e-14 * most) y[i] = 0; /* rounding */
}

static sn_status body_line(const sn_entry *e, const double *y, sn_tell *line, void *to)
{
    char text[600];
    int n = snprintf(text, sizeof text, "%s %s", sn_class_name(e->cls), e->name);
    for (int i = 0; i < 13; i++) n += snprintf(text + n, sizeof text - (size_t)n, " %.9g", y[i]);
    return line(to, "body", text);
}

sn_status sn_find_bodies(sn_context *d, sn_tell *line, void *to, sn_err *err)
{
    const sn_model *m = d->m;
    const int dim = m->dim == 3 ? 3 : 2, n = m->n_entry[SN_SEC_ELEMENTS];
    double *G = NULL, *N = NULL, *place = NULL, y[13];
    unsigned char *known = NULL;
    sn_status s = SN_NEW(G, (size_t)n * 36 + 1) && SN_NEW(N, (size_t)m->max_v * SN_WAYS + 1) &&
                          SN_NEW(place, (size_t)n * 3 + 1) && SN_NEW(known, n + 1)
                      ? SN_OK
                      : SN_OUT_OF_MEM(err);
    for (int i = 0; !s && i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        const int e = sn_written_entry(m, o);
        const sn_node *node = &m->node[o->node[0]];
        const sn_node_places at = sn_node_place(node);
        if (o->host >= 0 || !(((const sn_element_class *)o->cls)->flags & SN_USES_A)) continue;
        for (int k = 0; !known[e] && !node->ground && at.x_q >= 0 && k < dim; k++)
            place[3 * e + k] = d->x->q[node->q + at.x_q + k];
        known[e] = 1;
        if (add_mass(d, i, dim, place + 3 * e, N, G + (size_t)e * 36))
            s = sn_fail(err, SN_ERR_NUMERIC, NULL, "%s '%s' cannot be evaluated at the start",
                        sn_class_name(o->cls), o->name);
    }
    for (int e = 0; !s && e < n; e++) {
        if (!known[e]) continue;
        properties(dim, G + (size_t)e * 36, place + 3 * e, y);
        if (body_line(element_entry(m, e), y, line, to)) s = SN_OUT_OF_MEM(err);
    }
    sn_free(G), sn_free(N), sn_free(place), sn_free(known);
    return s;
}

/* ---- what is welded ---- */

enum { AT_NODE = 6, GROUPS = 64 };

/* Entries that share the rotation of each node; the same of several nodes is told once. */
typedef struct sharing {
    int (*at)[AT_NODE];
    int *n;
    int group[GROUPS], count[GROUPS], n_group;
} sharing;

static void share(sharing *h, int node, int entry)
{
    for (int k = 0; k < h->n[node]; k++)
        if (h->at[node][k] == entry) return;
    if (h->n[node] < AT_NODE) h->at[node][h->n[node]++] = entry;
}

/* A body of one node that resists its rotation. */
static int is_body(sn_context *d, int i)
{
    const sn_object *o = &d->m->element.object[i];
    double inertia = 0;
    if (o->host >= 0 || o->nn != 1 || !(((const sn_element_class *)o->cls)->flags & SN_USES_A)) return 0;
    if (o->place[0].R_v < 0 || mass_matrix(d, i)) return 0;
    for (int k = 0; k < (o->dim == 3 ? 3 : 1); k++) inertia += d->w->M[(o->place[0].R_v + k) * (o->nv + 1)];
    return inertia > 0;
}

static void find_sharing(sn_context *d, sharing *h)
{
    const sn_model *m = d->m;
    for (int i = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        if (!sn_is_member(o) && !is_body(d, i)) continue;
        for (int k = 0; k < o->nn; k++)
            if (o->place[k].R_v >= 0 || o->place[k].vectors) share(h, o->node[k], sn_written_entry(m, o));
    }
    for (int i = 0; i < m->n_node; i++) {
        const int n = h->n[i];
        int g = 0;
        if (n + m->node[i].ground < 2) continue;
        while (g < h->n_group &&
               (h->n[h->group[g]] != n || memcmp(h->at[h->group[g]], h->at[i], sizeof(int) * (size_t)n) ||
                m->node[h->group[g]].ground != m->node[i].ground))
            g++;
        if (g == h->n_group && g < GROUPS) h->group[h->n_group++] = i;
        if (g < GROUPS) h->count[g]++;
    }
}

static sn_status tell_sharing(const sn_model *m, const sharing *h, sn_tell *line, void *to)
{
    for (int g = 0; g < h->n_group; g++) {
        const int i = h->group[g];
        char text[AT_NODE * 180 + 200];
        int n = snprintf(text, sizeof text, "node %s", m->node[i].name);
        if (h->count[g] > 1)
            n = snprintf(text, sizeof text, "%d nodes, such as %s", h->count[g], m->node[i].name);
        for (int k = 0; k < h->n[i]; k++) {
            const sn_entry *e = element_entry(m, h->at[i][k]);
            n += snprintf(text + n, sizeof text - (size_t)n, "%s %s '%s'", k ? "," : ":",
                          sn_class_name(e->cls), e->name);
        }
        SN_TRY(line(to, "weld", text));
    }
    return SN_OK;
}

/* Whether a joint between two frames leaves no motion: rank of its equations in the ways of the second. */
static int is_stiff(sn_context *d, int j, double *B)
{
    const sn_object *o = &d->m->joint.object[j];
    const int dim = o->dim, ways = dim == 3 ? 6 : 3;
    sn_work *w = d->w;
    if (o->nn != 2 || dim < 2 || o->m < ways || o->velocity || o->place[0].R_v < 0 || o->place[1].R_v < 0)
        return 0;
    for (int k = 0; k < o->ns; k++)
        if (d->m->quantity[o->s + k].varies) return 0;
    sn_joint_out out = {.r = w->r, .phi = w->phi, .B = w->B, .G = w->G, .K = w->K, .C = w->C, .L = w->L};
    sn_work_gather(w, o, d->x->q, d->x->v, d->x->a);
    w->joint[j].lam = d->x->lam + o->eq;
    sn_clear(w->r, o->nv), sn_clear(w->K, o->nv * o->nv), sn_clear(w->C, o->nv * o->nv);
    if (((const sn_joint_class *)o->cls)->eval(&w->joint[j], &out)) return 0;
    double G[SN_WAYS * SN_WAYS] = {0}, e[SN_WAYS];
    const double *place = w->q + o->place[1].x_q;
    for (int a = 0; a < ways; a++) {
        double way[SN_WAYS] = {0};
        way[a] = a < dim ? 1 : 1 / d->p->length;
        sn_clear(w->v, o->nv);
        sn_rigid_velocity(dim, &o->place[1], w->q, way, place, w->v);
        for (int i = 0; i < o->m; i++) {
            B[a * o->m + i] = 0;
            for (int c = o->offv[1]; c < o->nv; c++) B[a * o->m + i] += w->B[i * o->nv + c] * w->v[c];
            B[a * o->m + i] *= w->scale[d->m->nv + o->eq + i];
        }
    }
    for (int a = 0; a < ways; a++)
        for (int b = 0; b < ways; b++)
            for (int i = 0; i < o->m; i++) G[a * ways + b] += B[a * o->m + i] * B[b * o->m + i];
    return LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', ways, G, ways, e) == 0 && e[0] > 1e-16 * e[ways - 1];
}

static sn_status tell_joined(sn_context *d, sn_tell *line, void *to)
{
    const sn_model *m = d->m;
    double *B;
    sn_status s = SN_OK;
    if (!SN_NEW(B, (size_t)m->max_m * SN_WAYS + 1)) return SN_ERR_MEMORY;
    for (int j = 0; !s && j < m->joint.n; j++) {
        const sn_object *o = &m->joint.object[j];
        char text[600];
        if (!is_stiff(d, j, B)) continue;
        const sn_node *a = &m->node[o->node[0]], *b = &m->node[o->node[1]];
        if (a->frame == o->node[1] || b->frame == o->node[0]) continue; /* is one node in the file */
        snprintf(text, sizeof text, "%s '%s': node %s, node %s", sn_class_name(o->cls), o->name, a->name,
                 b->name);
        s = line(to, "weld", text);
    }
    sn_free(B);
    return s;
}

sn_status sn_find_welds(sn_context *d, sn_tell *line, void *to, sn_err *err)
{
    const sn_model *m = d->m;
    sharing h = {.n_group = 0};
    sn_status s = SN_NEW(h.at, m->n_node + 1) && SN_NEW(h.n, m->n_node + 1) ? SN_OK : SN_ERR_MEMORY;
    if (!s) find_sharing(d, &h);
    if (!s) s = tell_sharing(m, &h, line, to);
    if (!s) s = tell_joined(d, line, to);
    sn_free(h.at), sn_free(h.n);
    return s ? SN_OUT_OF_MEM(err) : SN_OK;
}
