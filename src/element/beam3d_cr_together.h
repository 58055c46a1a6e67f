/* Derivatives of beam3d_cr by its stiffness and inertia and the field, in which the residual is linear but
   for shear: any number of directions at one state. Only beam3d_cr.c includes this file. */
#ifndef SN_ELEMENT_BEAM3D_CR_TOGETHER_H
#define SN_ELEMENT_BEAM3D_CR_TOGETHER_H

#include "element/beam3d_cr_output.h"

#include <stdint.h>

/* What the residual of a beam that does not shear uses is linear in its slots: as its own numbers, times the
   relative change of the slots */
static INLINE void rigid_constants(const sn_in *in, const double *ds, constants *dc)
{
    const constants *c = (const constants *)in->c;
    const double *s = in->s, m = ds[RHO_A] != 0 ? ds[RHO_A] / s[RHO_A] : 0, y = ds[EI_Y] / s[EI_Y],
                 z = ds[EI_Z] / s[EI_Z];
    if (ds[RHO_I_Y] != 0 || ds[RHO_I_Z] != 0 || ds[RHO_J] != 0 || ds[KGA_Y] != 0 || ds[KGA_Z] != 0 ||
        (ds[RHO_A] != 0 && s[RHO_A] == 0)) {
        slot_constants(in, ds, dc);
        return;
    }
    dc->by = dc->bz = dc->L = 0;
    memset(dc->J, 0, sizeof dc->J);
    dc->ea = ds[EA] / c->L;
    dc->gj = ds[GJ] / c->L;
    dc->a1 = m * c->a1, dc->a2 = m * c->a2;
    dc->y = (bending){y * c->y.k1, y * c->y.k2, m * c->y.n1, m * c->y.n2,
                      m * c->y.r1, m * c->y.r2, m * c->y.s1, m * c->y.s2};
    dc->z = (bending){z * c->z.k1, z * c->z.k2, m * c->z.n1, m * c->z.n2,
                      m * c->z.r1, m * c->z.r2, m * c->z.s1, m * c->z.s2};
    memset(&dc->weight, 0, sizeof dc->weight);
    dc->weight.A = m * c->weight.A, dc->weight.B = m * c->weight.B;
}

/* Which forces a direction changes: slots, then the field */
enum { BY_STRESS = 1, BY_INERTIA = 2, BY_FIELD = 4, DIRECTION = RHO_J + 4 };

static INLINE int changes(const double *ds)
{
    uint64_t x[DIRECTION], stress = 0, inertia = 0, field = 0;
    memcpy(x, ds, sizeof x);
    for (int i = EA; i <= GJ; i++) stress |= x[i];
    for (int i = GJ + 1; i <= RHO_J; i++) inertia |= x[i];
    for (int i = RHO_J + 1; i < DIRECTION; i++) field |= x[i];
    return (stress << 1 ? BY_STRESS : 0) | (inertia << 1 ? BY_INERTIA : 0) | (field << 1 ? BY_FIELD : 0);
}

/* The derivative in one direction of numbers in which the residual is linear but for shear: the motion stays.
   x, e: the deformation that is stressed. */
static INLINE void in_direction(const sn_in *in, pair_motion *k, const double *ds, double x, const pair *e,
                                double *dr)
{
    const constants *c = (const constants *)in->c;
    const pair no[3] = {{0}};
    const int by = changes(ds);
    constants dc;
    pair_forces t;
    if (by & BY_FIELD) {
        const double g[3] = {k->g[0], k->g[1], k->g[2]};
        sn_tmul3(k->E, ds + RHO_J + 1, k->g);
        local_force(k, (recipe){c, &c->weight, 0, 0, LOAD | ARMS}, 0, no, &t);
        memcpy(k->g, g, sizeof g);
        add_nodes(k, t.f, dr);
    }
    if (!(by & (BY_STRESS | BY_INERTIA))) return;
    rigid_constants(in, ds, &dc);
    const int parts = (by & BY_STRESS ? STRESS : 0) | (by & BY_INERTIA ? INERTIA | LOAD : 0);
    local_force(k, damped(in, &dc, &dc.weight, ARMS | parts), dc.ea * x, e, &t);
    add_nodes(k, t.f, dr);
    if (by & BY_INERTIA) constant_inertia(in, k, &dc, in->s[DAMPING_MASS], dr);
}

/* By one slot of a beam that shears */
static SN_SIMD sn_status dslot_shear(const sn_in *in, int index, double *dr)
{
    const constants *c = (const constants *)in->c;
    double ds[RHO_J + 1] = {0};
    constants dc;
    pair_motion k;
    pair_forces t;
    pair e[3];
    ds[index] = 1;
    slot_constants(in, ds, &dc);
    SN_TRY(move(in, &k));
    double x = deformation(&k, c->L, in->s[DAMPING], e);
    dshear(in, &k, &dc, index, k.u);
    local_force(&k, damped(in, &dc, &dc.weight, ALL), dc.ea * x, e, &t);
    add_nodes(&k, t.f, dr);
    if (index > GJ) constant_inertia(in, &k, &dc, in->s[DAMPING_MASS], dr);
    return SN_OK;
}

static int shears(const sn_in *in)
{
    const constants *c = (const constants *)in->c;
    return c->by != 0 || c->bz != 0;
}

static SN_SIMD sn_status dtogether_rigid(const sn_in *in, int n, const double *ds, double *dr)
{
    const constants *c = (const constants *)in->c;
    int still = in->s[DAMPING] == 0;
    pair_motion k;
    pair e[3];
    for (int i = 0; i < n && still; i++) still = changes(ds + DIRECTION * i) == BY_STRESS;
    if (still) { /* of stiffness at rest nothing moves */
        SN_TRY(place(in, &k));
        k.field = k.rates = 0;
    } else {
        SN_TRY(move(in, &k));
    }
    double x = deformation(&k, c->L, in->s[DAMPING], e);
    for (int i = 0; i < n; i++, ds += DIRECTION, dr += 12) in_direction(in, &k, ds, x, e, dr);
    return SN_OK;
}

#endif
