/* The section of a shell: its slots, and what follows from them, with derivatives, for every kind of shell.

   In the material axes t1, t2 and n (t1 is the vector `axis` projected on the surface, t2 = n x t1), for
   strains e = (e11, e22, 2 e12) of the middle surface, curvatures k (the strain at the height z along n is
   e + z k) and transverse shears g = (g13, g23):

       N = A e + B k,   M = B e + D k,   Q = S g

   Isotropic: Q = E/(1 - nu^2) [1 nu 0; nu 1 0; 0 0 (1 - nu)/2], A = Q t, B = 0, D = Q t^3/12, S = k G t 1.

   A kind puts SN_SHELL_SECTION_SLOTS first in its table of slots, and its own behind. */
#ifndef SN_ELEMENT_SHELL_SECTION_H
#define SN_ELEMENT_SHELL_SECTION_H

#include "math/dual.h"
#include "sinew/class.h"

enum {
    SHELL_E,
    SHELL_NU,
    SHELL_RHO,
    SHELL_THICKNESS,
    SHELL_SHEAR,
    SHELL_OFFSET,
    SHELL_AXIS,
    SHELL_SECTION_NS = SHELL_AXIS + 3
};

#define SN_SHELL_SLOT(name, unit, doc, n, flags, def, lo, hi, formula)                                       \
    {                                                                                                        \
        name, unit, doc, n, flags, def, lo, hi, formula                                                      \
    }
/* clang-format off */
#define SN_SHELL_SECTION_SLOTS                                                                               \
    SN_SHELL_SLOT("E", "Pa", "Young's modulus", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "material.E"),  \
    SN_SHELL_SLOT("nu", "1", "Poisson's ratio", 1, 0, SN_REQUIRED, -0.99, 0.5, "material.nu"),               \
    SN_SHELL_SLOT("rho", "kg/m^3", "density", 1, 0, SN_REQUIRED, 0, SN_INFINITE, "material.rho"),            \
    SN_SHELL_SLOT("thickness", "m", "of the shell", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE,             \
                  "section.thickness"),                                                                      \
    SN_SHELL_SLOT("shear_factor", "1", "share of G t that resists transverse shear", 1, SN_POSITIVE,         \
                  5.0 / 6, 0, SN_INFINITE, NULL),                                                            \
    SN_SHELL_SLOT("offset", "m", "from the nodes to the middle surface, along the normal", 1, 0, 0,          \
                  -SN_INFINITE, SN_INFINITE, NULL),                                                          \
    SN_SHELL_SLOT("axis", "1",                                                                               \
                  "material axis 1, projected on the surface; 0: along the element's first coordinate line", \
                  3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL)
/* clang-format on */

enum { SHELL_BOTTOM, SHELL_MIDDLE, SHELL_TOP, SHELL_SIDES };

/* The material at a height z over the middle surface: stress = Q (e + z k) */
typedef struct shell_layer {
    dual Q[9], z;
} shell_layer;

typedef struct shell_section {
    dual A[9], B[9], D[9], S[4];    /* row-major, in the material axes */
    dual m, j;                      /* mass an area, its second moment about the middle surface */
    dual offset;                    /* from the nodes to the middle surface, along n */
    dual axis[3];                   /* the vector that t1 follows; 0: the kind chooses */
    shell_layer layer[SHELL_SIDES]; /* -n, middle, +n */
} shell_section;

/* Plane stress */
static inline void shell_isotropic(dual E, dual nu, dual *Q)
{
    const dual one = {1, 0}, q = over(E, sub(one, mul(nu, nu))), zero = {0, 0};
    for (int i = 0; i < 9; i++) Q[i] = zero;
    Q[0] = Q[4] = q;
    Q[1] = Q[3] = mul(nu, q);
    Q[8] = mul(times(0.5, sub(one, nu)), q);
}

/* The section of an object's slots, and its derivative by number `index` of them (others: zeros) */
static inline sn_status shell_section_of(const sn_in *in, int index, shell_section *p, sn_err *err)
{
    dual s[SHELL_SECTION_NS], Q[9], t3, G;
    (void)err;
    *p = (shell_section){.offset = {0, 0}};
    for (int i = 0; i < SHELL_SECTION_NS; i++) s[i] = (dual){in->s[i], index == i};
    const dual t = s[SHELL_THICKNESS], half = times(0.5, t);
    shell_isotropic(s[SHELL_E], s[SHELL_NU], Q);
    t3 = times(1.0 / 12, mul(t, mul(t, t)));
    for (int i = 0; i < 9; i++) p->A[i] = mul(Q[i], t), p->D[i] = mul(Q[i], t3);
    G = over(times(0.5, s[SHELL_E]), add(constant(1), s[SHELL_NU]));
    p->S[0] = p->S[3] = mul(s[SHELL_SHEAR], mul(G, t));
    p->m = mul(s[SHELL_RHO], t);
    p->j = mul(s[SHELL_RHO], t3);
    p->offset = s[SHELL_OFFSET];
    for (int i = 0; i < 3; i++) p->axis[i] = s[SHELL_AXIS + i];
    for (int i = 0; i < SHELL_SIDES; i++) {
        for (int k = 0; k < 9; k++) p->layer[i].Q[k] = Q[k];
        p->layer[i].z = times(i - 1, half);
    }
    return SN_OK;
}

#endif
