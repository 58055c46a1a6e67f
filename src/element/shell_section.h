/* The section of a shell: its slots, and what follows from them, with derivatives, for every kind of shell.

   In the material axes t1, t2 and n (t1 is the vector `axis` projected on the surface, t2 = n x t1), for
   strains e = (e11, e22, 2 e12) of the middle surface, curvatures k (the strain at the height z along n is
   e + z k) and transverse shears g = (g13, g23):

       N = A e + B k,   M = B e + D k,   Q = S g

   Isotropic: Q = E/(1 - nu^2) [1 nu 0; nu 1 0; 0 0 (1 - nu)/2], A = Q t, B = 0, D = Q t^3/12, S = k G t 1.
   With plies: shell_laminate.h.

   Damping: the stresses of a kind are those of e + d de/dt for its strains e, d = `damping`, and its masses m
   resist m (a + c v) with c = `damping_mass`, angular velocities among them.

   A kind puts SN_SHELL_SECTION_SLOTS first in its table of slots, then its own, SN_PLY_SLOTS last. */
#ifndef SN_ELEMENT_SHELL_SECTION_H
#define SN_ELEMENT_SHELL_SECTION_H

#include "element/shell_laminate.h"

enum {
    SHELL_E,
    SHELL_NU,
    SHELL_RHO,
    SHELL_THICKNESS,
    SHELL_SHEAR,
    SHELL_OFFSET,
    SHELL_AXIS,
    SHELL_DAMPING = SHELL_AXIS + 3,
    SHELL_DAMPING_MASS,
    SHELL_SECTION_NS,
    SHELL_SECTION_SLOTS = SHELL_AXIS + 3 /* entries of the table */
};

#define SN_SHELL_SLOT(name, unit, doc, n, flags, def, lo, hi, formula)                                       \
    {                                                                                                        \
        name, unit, doc, n, flags, def, lo, hi, formula                                                      \
    }
/* clang-format off */
#define SN_SHELL_SECTION_SLOTS                                                                               \
    SN_SHELL_SLOT("E", "Pa", "Young's modulus", 1, SN_POSITIVE | SN_WITHOUT_ITEMS, SN_REQUIRED, 0,          \
                  SN_INFINITE, "material.E"),                                                                \
    SN_SHELL_SLOT("nu", "1", "Poisson's ratio", 1, SN_WITHOUT_ITEMS, SN_REQUIRED, -0.99, 0.5,               \
                  "material.nu"),                                                                            \
    SN_SHELL_SLOT("rho", "kg/m^3", "density", 1, SN_WITHOUT_ITEMS | SN_OF_MASS, 0, 0, SN_INFINITE,         \
                  "material.rho"),                                                                           \
    SN_SHELL_SLOT("thickness", "m", "thickness of the shell", 1, SN_POSITIVE | SN_WITHOUT_ITEMS, SN_REQUIRED, 0,       \
                  SN_INFINITE, "section.thickness"),                                                         \
    SN_SHELL_SLOT("shear_factor", "1", "transverse shear correction factor, 5/6 for a solid plate; for a laminate the factor is computed and multiplied by 6/5 of this", 1, SN_POSITIVE,          \
                  5.0 / 6, 0, SN_INFINITE, NULL),                                                            \
    SN_SHELL_SLOT("offset", "m", "from the nodes to the middle surface, along the normal", 1, 0, 0,          \
                  -SN_INFINITE, SN_INFINITE, NULL),                                                          \
    SN_SHELL_SLOT("axis", "1",                                                                               \
                  "material axis 1, projected on the surface; 0: along the element's first coordinate line", \
                  3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL),                                        \
    SN_SHELL_SLOT("damping", "s", "stiffness-proportional damping of the deformation", 1, 0, 0, 0,           \
                  SN_INFINITE, NULL),                                                                        \
    SN_SHELL_SLOT("damping_mass", "1/s", "mass-proportional damping", 1, 0, 0, 0, SN_INFINITE, NULL)
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

static inline void plain_section(const dual *s, shell_section *p)
{
    const dual t = s[SHELL_THICKNESS], half = times(0.5, t), t3 = times(1.0 / 12, mul(t, mul(t, t)));
    const dual G = over(times(0.5, s[SHELL_E]), add(constant(1), s[SHELL_NU]));
    dual Q[9];
    shell_isotropic(s[SHELL_E], s[SHELL_NU], Q);
    for (int i = 0; i < 9; i++) p->A[i] = mul(Q[i], t), p->D[i] = mul(Q[i], t3);
    p->S[0] = p->S[3] = mul(s[SHELL_SHEAR], mul(G, t));
    p->m = mul(s[SHELL_RHO], t);
    p->j = mul(s[SHELL_RHO], t3);
    for (int i = 0; i < SHELL_SIDES; i++) {
        for (int k = 0; k < 9; k++) p->layer[i].Q[k] = Q[k];
        p->layer[i].z = times(i - 1, half);
    }
}

/* What the drill is measured by: D66 of a plain shell, and of a laminate its mean over all directions, so
   that nothing depends on the axes */
static inline dual shell_twisting(const shell_section *p)
{
    const dual *D = p->D;
    return times(0.125, add(sub(add(D[0], D[4]), times(2, D[1])), times(4, D[8])));
}

/* The plies behind the `ns` other numbers of a kind */
static inline shell_plies plies_of(const sn_in *in, int ns, int index)
{
    return (shell_plies){in->s + ns, (in->ns - ns) / PLY_NUMBERS, index < in->ns ? index - ns : -1};
}

/* The ply in the middle (of two the lower one), and those at both sides */
static inline void laminate_layers(const shell_plies *l, shell_section *p)
{
    int middle = 0;
    shell_ply y;
    for (int i = 0; i < l->n; i++) {
        laminate_ply(l, i, &y);
        if (y.z0.x < 0) middle = i;
    }
    const int ply[SHELL_SIDES] = {0, middle, l->n - 1};
    for (int i = 0; i < SHELL_SIDES; i++) {
        laminate_ply(l, ply[i], &y);
        ply_turned(&y, p->layer[i].Q);
        p->layer[i].z = i == SHELL_BOTTOM ? y.z0 : i == SHELL_TOP ? y.z1 : constant(0);
    }
}

static inline sn_status laminate_section(const shell_plies *l, dual factor, shell_section *p, sn_err *err)
{
    shell_laminate y;
    for (int i = 0; i < l->n; i++)
        if (!(ply_coupling(l, i).x > 0))
            return sn_fail(err, SN_ERR_INPUT, NULL, "nu12 of ply %d is too large: nu12^2 < E1/E2 must hold",
                           i + 1);
    laminate_of(l, factor, &y);
    memcpy(p->A, y.A, sizeof y.A), memcpy(p->B, y.B, sizeof y.B), memcpy(p->D, y.D, sizeof y.D);
    memcpy(p->S, y.S, sizeof y.S);
    p->m = y.m, p->j = y.j;
    laminate_layers(l, p);
    return SN_OK;
}

/* Whether the vector `axis` of the slots, if it is given, has no projection on a surface with normal n to
 * speak of */
static inline int axis_is_normal(const sn_in *in, const dual n[3])
{
    const double *axis = in->s + SHELL_AXIS, all = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
    const double along = axis[0] * n[0].x + axis[1] * n[1].x + axis[2] * n[2].x;
    return all > 0 && !(all - along * along > 1e-6 * all);
}

#define SHELL_AXIS_IS_NORMAL "'axis' is normal to the surface here: the material axis is its projection"

/* The section of an object's slots, of which those before the plies are `ns`, and its derivative by number
   `index` of them (others: zeros) */
static inline sn_status shell_section_of(const sn_in *in, int ns, int index, shell_section *p, sn_err *err)
{
    const shell_plies l = plies_of(in, ns, index);
    dual s[SHELL_SECTION_NS];
    *p = (shell_section){.offset = {0, 0}};
    for (int i = 0; i < SHELL_SECTION_NS; i++) s[i] = (dual){in->s[i], index == i};
    p->offset = s[SHELL_OFFSET];
    for (int i = 0; i < 3; i++) p->axis[i] = s[SHELL_AXIS + i];
    if (l.n > 0) return laminate_section(&l, s[SHELL_SHEAR], p, err);
    plain_section(s, p);
    return SN_OK;
}

/* Stress of ply i, from 0, at a side of it, and Tsai and Hill's index, from the strains x of the middle
   surface (e, k); a plain shell is one ply along the material axes, with no known strength */
static inline void shell_ply_stress(const sn_in *in, int ns, int index, int i, int side, const dual *x,
                                    dual *y)
{
    const shell_plies l = plies_of(in, ns, index);
    dual Q[9], z, e[3];
    if (l.n > 0) {
        shell_ply ply;
        laminate_ply(&l, i, &ply);
        ply_stress(&ply, Q);
        z = side == SHELL_BOTTOM ? ply.z0 : side == SHELL_TOP ? ply.z1 : times(0.5, add(ply.z0, ply.z1));
    } else {
        const dual E = {in->s[SHELL_E], index == SHELL_E}, nu = {in->s[SHELL_NU], index == SHELL_NU};
        shell_isotropic(E, nu, Q);
        z = times(0.5 * (side - 1), (dual){in->s[SHELL_THICKNESS], index == SHELL_THICKNESS});
    }
    for (int k = 0; k < 3; k++) e[k] = add(x[k], mul(z, x[3 + k]));
    for (int k = 0; k < 3; k++)
        y[k] = add(add(mul(Q[3 * k], e[0]), mul(Q[3 * k + 1], e[1])), mul(Q[3 * k + 2], e[2]));
    dual strength[5] = {{0, 0}};
    for (int k = 0; k < 5 && l.n > 0; k++) strength[k] = ply_number(&l, i, PLY_XT + k);
    y[3] = tsai_hill(y, strength);
}

static inline int shell_damped(const sn_in *in)
{
    return in->s[SHELL_DAMPING] != 0 || in->s[SHELL_DAMPING_MASS] != 0;
}

/* The same with accelerations a + damping_mass v, of nv numbers, which `a` holds */
static inline sn_in shell_resisted(const sn_in *in, int nv, double *a)
{
    sn_in out = *in;
    for (int i = 0; i < nv; i++) a[i] = in->a[i] + in->s[SHELL_DAMPING_MASS] * in->v[i];
    out.a = a;
    return out;
}

/* C += W'B, K += W'P for n rows W, B, P of nv numbers (P or NULL) */
static inline void shell_add_damping(int n, int nv, const double *W, const double *B, const double *P,
                                     double *K, double *C)
{
    for (int i = 0; i < n; i++, W += nv, B += nv, P += P ? nv : 0)
        for (int a = 0; a < nv; a++) {
            for (int b = 0; b < nv; b++) C[nv * a + b] += W[a] * B[b];
            for (int b = 0; b < nv && P; b++) K[nv * a + b] += W[a] * P[b];
        }
}

/* Thickness, of slots whose table has `plain` entries before the plies, `ns` numbers */
static inline double shell_thickness(const double *s, const int *slot_n, int plain, int ns)
{
    double t = 0;
    for (int i = 0; i < slot_n[plain]; i++) t += s[ns + PLY_THICKNESS * slot_n[plain] + i];
    return slot_n[plain] ? t : s[SHELL_THICKNESS];
}

#endif
