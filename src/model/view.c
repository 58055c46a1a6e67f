/* Views: what of a node an object sees, and where in its own blocks the positions, rotations and vectors are.
 */
#include "model/compile.h"

#include <string.h>

const sn_offer *sn_node_view(const sn_node *n, unsigned what)
{
    const sn_offer *best = NULL;
    for (const sn_offer *o = n->cls->offers; o && o->what; o++)
        if ((o->what & what) && (!best || o->what > best->what)) best = o;
    return best;
}

unsigned sn_class_offers(const sn_node_class *cls)
{
    unsigned all = 0;
    for (const sn_offer *o = cls->offers; o && o->what; o++) all |= o->what;
    return all;
}

int sn_vectors(unsigned what, int dim)
{
    return what == SN_DIRECTOR ? 1 : what == SN_SLOPES || what == SN_SURFACE ? dim : 0;
}

sn_node_places sn_node_place(const sn_node *n)
{
    const sn_offer *x = sn_node_view(n, SN_POSITION), *R = sn_node_view(n, SN_FRAME),
                   *d = sn_node_view(n, SN_DIRECTOR | SN_SLOPES | SN_SURFACE);
    int dim = n->cls->dim;
    return (sn_node_places){.x_q = x ? x->q : -1,
                            .x_v = x ? x->v : -1,
                            .R_q = R ? R->q + dim : -1,
                            .R_v = R ? R->v + dim : -1,
                            .d_q = d ? d->q + dim : -1,
                            .d_v = d ? d->v + dim : -1,
                            .vectors = d ? sn_vectors(d->what, dim) : 0};
}

unsigned sn_args_ask(const sn_args *a, int i) { return i == 0 && a->ask_first ? a->ask_first : a->ask; }

int sn_node_seen(const sn_node *n, unsigned ask, sn_seen *out)
{
    const sn_offer *o = ask ? sn_node_view(n, ask) : NULL;
    int dim = n->cls->dim;
    *out = (sn_seen){.nq = n->nq, .nv = n->nv};
    if (!o) return !ask;
    *out = (sn_seen){.what = o->what, .q = o->q, .v = o->v};
    switch (o->what) {
    case SN_SCALARS:
        out->nq = n->nq - o->q, out->nv = n->nv - o->v;
        break;
    case SN_POSITION:
        out->nq = out->nv = dim;
        break;
    case SN_DIRECTOR:
        out->nq = out->nv = 2 * dim;
        break;
    case SN_SLOPES:
    case SN_SURFACE:
        out->nq = out->nv = dim + dim * dim;
        break;
    default:
        out->nq = dim == 3 ? 7 : 3, out->nv = dim == 3 ? 6 : 3;
    }
    return 1;
}

/* A whole node has the places of the node, a view begins with its position. */
static sn_node_places places(const sn_node *n, const sn_seen *s, int q, int v)
{
    int dim = n->cls->dim;
    sn_node_places p = {-1, -1, -1, -1, -1, -1, 0};
    if (!s->what) p = sn_node_place(n);
    if (s->what > SN_SCALARS) p.x_q = p.x_v = 0;
    if (s->what == SN_FRAME) p.R_q = p.R_v = dim;
    if (sn_vectors(s->what, dim)) p.d_q = p.d_v = dim, p.vectors = sn_vectors(s->what, dim);
    int *const in_q[] = {&p.x_q, &p.R_q, &p.d_q}, *const in_v[] = {&p.x_v, &p.R_v, &p.d_v};
    for (int i = 0; i < 3; i++) {
        if (*in_q[i] >= 0) *in_q[i] += q;
        if (*in_v[i] >= 0) *in_v[i] += v;
    }
    return p;
}

/* What objects alike share: places, offsets in q and v, chosen coordinates, views. */
typedef struct blocks {
    sn_node_places place[SN_MAX_NODES];
    int off[SN_MAX_NODES + 1], offv[SN_MAX_NODES + 1], coord[SN_MAX_NODES];
    unsigned view[SN_MAX_NODES];
} blocks;

static int alike(const sn_object *o, int nn, const blocks *b)
{
    size_t n = (size_t)nn;
    return o->nn == nn && !memcmp(o->off, b->off, (n + 1) * sizeof *b->off) &&
           !memcmp(o->offv, b->offv, (n + 1) * sizeof *b->offv) &&
           !memcmp(o->coord, b->coord, n * sizeof *b->coord) &&
           !memcmp(o->view, b->view, n * sizeof *b->view) &&
           !memcmp(o->place, b->place, n * sizeof *b->place);
}

/* Pieces of a mesh and entries alike share their blocks with the object before. */
static sn_status keep_blocks(sn_compiler *c, const sn_family *f, sn_object *o, const blocks *b)
{
    const sn_object *last = o > f->object ? o - 1 : NULL;
    size_t n = (size_t)o->nn;
    if (last && alike(last, o->nn, b)) {
        o->off = last->off, o->offv = last->offv, o->coord = last->coord;
        o->view = last->view, o->place = last->place;
        return SN_OK;
    }
    sn_node_places *place = sn_arena_alloc(&c->m->arena, n + 1, sizeof *place);
    unsigned *view = sn_arena_alloc(&c->m->arena, n + 1, sizeof *view);
    int *off = sn_arena_alloc(&c->m->arena, 3 * n + 2, sizeof *off), *offv = off + n + 1,
        *coord = offv + n + 1;
    if (!place || !view || !off) return SN_OUT_OF_MEM(c->err);
    memcpy(place, b->place, n * sizeof *place);
    memcpy(view, b->view, n * sizeof *view);
    memcpy(off, b->off, (n + 1) * sizeof *off);
    memcpy(offv, b->offv, (n + 1) * sizeof *off);
    memcpy(coord, b->coord, n * sizeof *off);
    o->off = off, o->offv = offv, o->coord = coord, o->view = view, o->place = place;
    return SN_OK;
}

sn_status sn_fill_nodes(sn_compiler *c, const sn_family *f, sn_object *o, const sn_args *args, int nn,
                        const int *node, const int *coord)
{
    sn_model *m = c->m;
    sn_seen seen[SN_MAX_NODES];
    blocks b = {.off = {0}};
    for (int i = 0; i < nn; i++) {
        const sn_node *k = &m->node[node[i]];
        int chosen = coord ? coord[i] : -1;
        /* inner nodes are seen as the richest they offer */
        unsigned ask = i >= nn - o->inner ? ~0u : sn_args_ask(args, i);
        sn_node_seen(k, chosen >= 0 ? 0 : ask, &seen[i]);
        if (k->cls->dim > o->dim) o->dim = k->cls->dim;
        b.off[i + 1] = b.off[i] + seen[i].nq;
        b.offv[i + 1] = b.offv[i] + seen[i].nv;
        b.coord[i] = chosen >= 0 ? b.offv[i] + chosen : -1;
        b.view[i] = seen[i].what;
        b.place[i] = places(k, &seen[i], b.off[i], b.offv[i]);
    }
    o->nn = nn, o->nq = b.off[nn], o->nv = b.offv[nn];
    o->node = sn_arena_alloc(&m->arena, (size_t)(nn + o->nq + o->nv), sizeof(int));
    if (!o->node) return SN_OUT_OF_MEM(c->err);
    o->qi = o->node + nn;
    o->vi = o->qi + o->nq;
    SN_TRY(keep_blocks(c, f, o, &b));
    for (int i = 0; i < nn; i++) {
        const sn_node *k = &m->node[node[i]];
        o->node[i] = node[i];
        for (int j = 0; j < seen[i].nq; j++) o->qi[o->off[i] + j] = k->q + seen[i].q + j;
        for (int j = 0; j < seen[i].nv; j++) o->vi[o->offv[i] + j] = k->ground ? m->nv : k->v + seen[i].v + j;
    }
    return SN_OK;
}
