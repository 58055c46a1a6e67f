/* Numbers of beam3d_cr made once for each element, with their derivative by one slot or reference coordinate
   (forward differentiation: x is the value, d the derivative). Only beam3d_cr.c includes this file.

   Bending with shear (Przemieniecki 1968, Friedman, Kosmatka 1993), Phi = 12 EI/(kGA L^2), 0 for kGA = 0
   (rigid in shear). */
#ifndef SN_ELEMENT_BEAM3D_CR_NUMBERS_H
#define SN_ELEMENT_BEAM3D_CR_NUMBERS_H

#include "element/beam3d_cr.h"

#define SET(field, expression)                                                                               \
    do {                                                                                                     \
        dual set_ = (expression);                                                                            \
        c->field = set_.x;                                                                                   \
        dc->field = set_.d;                                                                                  \
    } while (0)

typedef struct numbers {
    dual s[NS], L, m; /* slots, length, mass */
    dual R0[9];
} numbers;

/* Axes e1 along the beam, e2 in the plane of e1 and the given vector o (global y where both are along global
   z). Returns |e1 x o|/|o|, for the check. */
static inline double reference_axes(const sn_in *in, int index, numbers *n)
{
    dual D[3], o[3], e[3][3], h;
    const double *X = in->X;
    double size;
    for (int i = 0; i < NS; i++) n->s[i] = (dual){in->s[i], index == i};
    for (int i = 0; i < 3; i++) {
        dual x1 = {X[i], index == NS + i}, x2 = {X[7 + i], index == NS + 7 + i};
        D[i] = sub(add(x2, n->s[OFFSET2 + i]), add(x1, n->s[OFFSET1 + i]));
        o[i] = n->s[ORIENTATION + i];
    }
    n->L = norm(D);
    for (int i = 0; i < 3; i++) e[0][i] = over(D[i], n->L);
    /* a beam along global z, which is the default */
    if (o[0].x == 0 && o[1].x == 0 && hypot(e[0][0].x, e[0][1].x) < 1e-6) {
        o[0] = o[2] = (dual){0, 0};
        o[1] = (dual){1, 0};
    }
    cross(e[0], o, e[2]);
    h = norm(e[2]);
    size = sqrt(o[0].x * o[0].x + o[1].x * o[1].x + o[2].x * o[2].x);
    for (int i = 0; i < 3; i++) e[2][i] = over(e[2][i], h);
    cross(e[2], e[0], e[1]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) n->R0[3 * j + i] = e[i][j];
    return h.x / size;
}

/* Bending of stiffness EI, shear stiffness kGA; the share of the ends' rotations in the mean rotation of the
   sections is returned */
static inline dual bend(const numbers *n, dual EI, dual kGA, int mass, bending *c, bending *dc)
{
    const dual zero = {0, 0}, one = {1, 0}, L = n->L;
    dual f = kGA.x > 0 ? over(times(12, EI), mul(kGA, mul(L, L))) : zero, g = over(one, add(one, f));
    dual k = mul(g, over(EI, L)), m = mul(n->m, mul(g, g));
    SET(k1, mul(k, poly(f, 4, 1, 0)));
    SET(k2, mul(k, poly(f, 2, -1, 0)));
    if (mass == CONSISTENT) {
        dual mr = mul(m, L), ms = mul(mr, L);
        SET(n1, mul(m, poly(f, 13.0 / 35, 0.7, 1.0 / 3)));
        SET(n2, mul(m, poly(f, 9.0 / 70, 0.3, 1.0 / 6)));
        SET(r1, mul(mr, poly(f, 11.0 / 210, 11.0 / 120, 1.0 / 24)));
        SET(r2, mul(mr, poly(f, 13.0 / 420, 3.0 / 40, 1.0 / 24)));
        SET(s1, mul(ms, poly(f, 1.0 / 105, 1.0 / 60, 1.0 / 120)));
        SET(s2, mul(ms, poly(f, -1.0 / 140, -1.0 / 60, -1.0 / 120)));
    } else {
        SET(n1, times(mass == LINEAR ? 1.0 / 3 : 0.5, n->m));
        SET(n2, times(mass == LINEAR ? 1.0 / 6 : 0, n->m));
    }
    return mul(f, g);
}

/* R0 diag(J, rhoI_y, rhoI_z) L/2 R0' */
static inline void node_inertia(const numbers *n, constants *c, constants *dc)
{
    const dual half = times(0.5, n->L);
    const dual J[3] = {mul(half, n->s[RHO_J]), mul(half, n->s[RHO_I_Y]), mul(half, n->s[RHO_I_Z])};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            dual x = {0, 0};
            for (int l = 0; l < 3; l++) x = add(x, mul(J[l], mul(n->R0[3 * i + l], n->R0[3 * j + l])));
            SET(J[3 * i + j], x);
        }
}

static inline void set_loads(const numbers *n, dual by, dual bz, int mass, constants *c, constants *dc)
{
    const dual one = {1, 0}, L = n->L;
    SET(weight.A, n->m);
    if (mass == CONSISTENT) SET(weight.B, times(1.0 / 12, mul(n->m, L)));
    SET(line.A, L);
    SET(line.B, times(1.0 / 12, mul(L, L)));
    SET(line.F[0], mul(L, sub(one, by)));
    SET(line.F[1], mul(L, sub(one, bz)));
    SET(line.D[0], times(0.5, L));
    SET(line.D[1], times(0.5, mul(L, by)));
    SET(line.D[2], times(0.5, mul(L, bz)));
}

/* All numbers c and their derivatives dc by parameter `index` (-1: zeros); returns |e1 x o|/|o| */
static inline double make_constants(const sn_in *in, int index, constants *c, constants *dc)
{
    numbers n;
    dual by, bz;
    int mass = in->opt[OPT_MASS];
    double angle = reference_axes(in, index, &n);
    *c = *dc = (constants){0};
    n.m = mul(n.s[RHO_A], n.L);
    SET(L, n.L);
    for (int i = 0; i < 9; i++) SET(R0[i], n.R0[i]);
    SET(ea, over(n.s[EA], n.L));
    SET(gj, over(n.s[GJ], n.L));
    SET(a1, times(mass == LUMPED ? 0.5 : 1.0 / 3, n.m));
    SET(a2, times(mass == LUMPED ? 0 : 1.0 / 6, n.m));
    by = bend(&n, n.s[EI_Y], n.s[KGA_Z], mass, &c->y, &dc->y);
    bz = bend(&n, n.s[EI_Z], n.s[KGA_Y], mass, &c->z, &dc->z);
    SET(by, by);
    SET(bz, bz);
    set_loads(&n, by, bz, mass, c, dc);
    node_inertia(&n, c, dc);
    return angle;
}

/* Derivatives of what the residual uses along ds, of the slots of stiffness and inertia, EA to RHO_J. The
   axes and the length stay, and so does what belongs to slots that do not move. */
static inline void slot_constants(const sn_in *in, const double *ds, constants *dc)
{
    const constants *of = (const constants *)in->c;
    constants scratch, *c = &scratch;
    const int shears = of->by != 0 || of->bz != 0, moves_mass = ds[RHO_A] != 0;
    int mass = in->opt[OPT_MASS];
    numbers n;
    n.L = (dual){of->L, 0};
    for (int i = 0; i <= RHO_J; i++) n.s[i] = (dual){in->s[i], ds[i]};
    n.m = mul(n.s[RHO_A], n.L);
    *dc = (constants){0};
    dc->ea = ds[EA] / of->L;
    dc->gj = ds[GJ] / of->L;
    dc->a1 = n.m.d * (mass == LUMPED ? 0.5 : 1.0 / 3);
    dc->a2 = n.m.d * (mass == LUMPED ? 0 : 1.0 / 6);
    dc->weight.A = n.m.d;
    if (mass == CONSISTENT) dc->weight.B = n.m.d * of->L / 12;
    if (ds[RHO_I_Y] != 0 || ds[RHO_I_Z] != 0 || ds[RHO_J] != 0) {
        for (int i = 0; i < 9; i++) n.R0[i] = (dual){of->R0[i], 0};
        node_inertia(&n, c, dc);
    }
    /* without shear stiffness does not enter the mass */
    if (!moves_mass && !shears) mass = LUMPED;
    if (moves_mass || ds[EI_Y] != 0 || ds[KGA_Z] != 0)
        SET(by, bend(&n, n.s[EI_Y], n.s[KGA_Z], mass, &c->y, &dc->y));
    if (moves_mass || ds[EI_Z] != 0 || ds[KGA_Y] != 0)
        SET(bz, bend(&n, n.s[EI_Z], n.s[KGA_Y], mass, &c->z, &dc->z));
}
#undef SET

#endif
