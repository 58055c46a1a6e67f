/* Laws of bushings: loads h on the relative motion x of bushing_pair.h, without memory or with branches.

   A branch acts in one direction d and has a state z of first order: it adds f(x, xd, z) to h_d, and its own
   equation is g(x, xd, z, zd) = 0. Kinds with branches begin with twelve slots, two lists for each direction
   x, y, z, rx, ry, rz, of one number for each branch of that direction; their states are the inner node
   behind the frames, in the same order. */
#ifndef SN_ELEMENT_BUSHING_LAW_H
#define SN_ELEMENT_BUSHING_LAW_H

#include "element/bushing_pair.h"

/* Loads without memory: h, dh/dx, dh/dxd, zero before */
typedef struct sn_bushing_load {
    double h[6], x[36], v[36];
} sn_bushing_load;

/* Where a branch is: direction, its two numbers, its motion and state */
typedef struct sn_branch_at {
    int d;
    double a, b, x, xd, z, zd;
} sn_branch_at;

/* f and g with their derivatives by x, xd, z, zd */
typedef struct sn_branch {
    double f, fx, fv, fz, g, gx, gv, gz, gzd;
} sn_branch;

enum { SN_BRANCH_A, SN_BRANCH_B, SN_BRANCH_COMMON }; /* numbers of a branch: its two, then those of all */

/* A kind: what it does not have is NULL. dload, dbranch: derivatives by a number of the kind, added. store:
   the potential of x with its gradient; keep: the energy in a branch with its derivatives by x and z. */
typedef struct sn_bushing_kind {
    int rates; /* loads depend on velocities */
    void (*load)(const sn_in *in, const double *x, const double *xd, sn_bushing_load *l);
    void (*dload)(const sn_in *in, int index, const double *x, const double *xd, double *dh);
    double (*store)(const sn_in *in, const double *x, double *gx);
    double (*dstore)(const sn_in *in, int index, const double *x);
    void (*branch)(const sn_in *in, const sn_branch_at *at, sn_branch *b);
    void (*dbranch)(const sn_in *in, const sn_branch_at *at, int which, sn_branch *b); /* f and g */
    double (*keep)(const sn_in *in, const sn_branch_at *at, double *ex, double *ez);
    double (*dkeep)(const sn_in *in, const sn_branch_at *at, int which);
} sn_bushing_kind;

/* ---- walking over branches ---- */

typedef struct sn_branch_walk {
    int d, n, i, slot, z; /* direction, its branches and this one, the first number of its lists, state */
} sn_branch_walk;

static inline sn_branch_walk sn_branch_begin(const sn_in *in)
{
    return (sn_branch_walk){.n = in->slot_n[0], .i = -1, .z = -1};
}

/* The next branch; 0: that was the last */
static inline int sn_branch_next(const sn_in *in, const sn_bushing *s, sn_branch_walk *w, sn_branch_at *at)
{
    for (w->i++; w->i >= w->n; w->i = 0) {
        if (w->d == 5) return 0;
        w->slot += 2 * w->n;
        w->n = in->slot_n[2 * ++w->d];
    }
    w->z++;
    *at = (sn_branch_at){w->d,
                         in->s[w->slot + w->i],
                         in->s[w->slot + w->n + w->i],
                         s->x[w->d],
                         s->xd[w->d],
                         in->q[in->off[2] + w->z],
                         s->rates ? in->v[in->offv[2] + w->z] : 0};
    return 1;
}

/* How many branches an entry has in all, and the first of the numbers that all have in common */
static inline int sn_branch_count(const int *slot_n)
{
    int n = 0;
    for (int d = 0; d < 6; d++) n += slot_n[2 * d];
    return n;
}

/* Which number of a branch slot `index` is; -1: none */
static inline int sn_branch_number(const sn_in *in, const sn_branch_walk *w, int index)
{
    int common = 2 * sn_branch_count(in->slot_n);
    if (index == w->slot + w->i) return SN_BRANCH_A;
    if (index == w->slot + w->n + w->i) return SN_BRANCH_B;
    return index >= common && index < in->ns - SN_BUSHING_PLACE ? SN_BRANCH_COMMON + index - common : -1;
}

/* ---- loads ---- */

/* All loads at the present motion and states; dh/dx and dh/dxd where states stay */
static inline void sn_bushing_loads(const sn_bushing_kind *k, const sn_in *in, const sn_bushing *s,
                                    sn_bushing_load *l)
{
    *l = (sn_bushing_load){{0}, {0}, {0}};
    if (k->load) k->load(in, s->x, s->xd, l);
    if (!k->branch) return;
    sn_branch_walk w = sn_branch_begin(in);
    for (sn_branch_at at; sn_branch_next(in, s, &w, &at);) {
        sn_branch b = {0};
        k->branch(in, &at, &b);
        l->h[at.d] += b.f;
        l->x[7 * at.d] += b.fx;
        l->v[7 * at.d] += b.fv;
    }
}

/* dh += change of the loads by number `index` of the kind at a constant motion */
static inline void sn_bushing_dloads(const sn_bushing_kind *k, const sn_in *in, const sn_bushing *s,
                                     int index, double *dh)
{
    if (index >= in->ns - SN_BUSHING_PLACE) return;
    if (k->dload) k->dload(in, index, s->x, s->xd, dh);
    if (!k->branch) return;
    sn_branch_walk w = sn_branch_begin(in);
    for (sn_branch_at at; sn_branch_next(in, s, &w, &at);) {
        sn_branch b = {0};
        int which = sn_branch_number(in, &w, index);
        if (which >= 0) k->dbranch(in, &at, which, &b);
        dh[at.d] += b.f;
    }
}

/* N (6 x 12) = dh/dq = dh/dx X + dh/dxd D by the frames' coordinates */
static inline void sn_bushing_by_q(const sn_bushing *s, const sn_bushing_load *l, double *N)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < SN_PAIR; j++) {
            double x = 0;
            for (int k = 0; k < 6; k++)
                x += l->x[6 * i + k] * s->X[SN_PAIR * k + j] + l->v[6 * i + k] * s->D[SN_PAIR * k + j];
            N[SN_PAIR * i + j] = x;
        }
}

/* N = dh/dv = dh/dxd X */
static inline void sn_bushing_by_v(const sn_bushing *s, const sn_bushing_load *l, double *N)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < SN_PAIR; j++) {
            double x = 0;
            for (int k = 0; k < 6; k++) x += l->v[6 * i + k] * s->X[SN_PAIR * k + j];
            N[SN_PAIR * i + j] = x;
        }
}

/* ---- checks of entries ---- */

/* The two lists of a direction have a number for each branch. */
static inline sn_status sn_branch_lists(const sn_layout *l, const sn_slot *slots, sn_err *err)
{
    for (int d = 0; d < 6; d++)
        if (l->slot_n[2 * d] != l->slot_n[2 * d + 1])
            return sn_fail(err, SN_ERR_INPUT, NULL, "'%s' has %d number%s and '%s' %d: they go together",
                           slots[2 * d].name, l->slot_n[2 * d], l->slot_n[2 * d] == 1 ? "" : "s",
                           slots[2 * d + 1].name, l->slot_n[2 * d + 1]);
    if (sn_branch_count(l->slot_n) == 0)
        return sn_fail(err, SN_ERR_INPUT, NULL, "has no law in any direction: give '%s' and '%s', or others",
                       slots[0].name, slots[1].name);
    return SN_OK;
}

#endif
