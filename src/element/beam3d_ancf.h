/* Strains, forces and inertia of beam3d_ancf in dual numbers, so that every derivative by a number or a
   coordinate is that of the same text; its tangents by coordinates are in beam3d_ancf.c. Read the head of
   beam3d_ancf.c first; only that file includes this one.

   Vectors of the nodes: p = (x1, a1, b1, c1, x2, a2, b2, c2), a = r_x, b = r_y, c = r_z. At a point the
   strains are products of linear combinations u of them (AT_X ...), so that a force S on a strain w u_f.u_g
   puts w S u_g on u_f and w S u_f on u_g. */
#ifndef SN_ELEMENT_BEAM3D_ANCF_H
#define SN_ELEMENT_BEAM3D_ANCF_H

#include <math.h>
#include <string.h>

#include "element/hermite.h"
#include "math/dual.h"
#include "sinew/class.h"

enum { EA, EI_Y, EI_Z, GJ, KGA_Y, KGA_Z, GA, RHO_A, RHO_I_Y, RHO_I_Z, DAMPING, NS };
enum { BLOCKS = 8, COORDS = 3 * BLOCKS, STRAINS = 9, PRODUCTS = 10 };
enum { OPT_STRAINS };                      /* tied, integrated */
enum { AT_X, AT_Y, AT_Z, Y_X, Z_X, SUMS }; /* r_x r_y r_z r_yx r_zx */

/* The stiffness of each strain, in the order eps, gamma_y, gamma_z, twist, kappa_y, kappa_z, and of the
   section's own: along y, along z, their angle */
static const int stiffness_of[STRAINS] = {EA, KGA_Y, KGA_Z, GJ, EI_Y, EI_Z, EA, EA, GA};

/* weight u_f.u_g of a strain */
typedef struct product {
    int strain, f, g;
    double weight;
} product;

#define OF_LINE                                                                                              \
    {0, AT_X, AT_X, 0.5}, {1, AT_X, AT_Y, 1}, { 2, AT_X, AT_Z, 1 }
#define OF_CURVATURE                                                                                         \
    {3, AT_Z, Y_X, 0.5}, {3, AT_Y, Z_X, -0.5}, {4, AT_X, Z_X, 1}, { 5, AT_X, Y_X, -1 }
#define OF_SECTION                                                                                           \
    {6, AT_Y, AT_Y, 0.5}, {7, AT_Z, AT_Z, 0.5}, { 8, AT_Y, AT_Z, 1 }
enum { AT_LINE, AT_MIDDLE, AT_NODE, AT_ALL };
static const struct {
    int n;
    product of[PRODUCTS];
} products[] = {
    [AT_LINE] = {3, {OF_LINE}},
    [AT_MIDDLE] = {4, {OF_CURVATURE}},
    [AT_NODE] = {3, {OF_SECTION}},
    [AT_ALL] = {PRODUCTS, {OF_LINE, OF_CURVATURE, OF_SECTION}},
};

/* Points: which products, where, weight of the length; those of tied strains, then 3 of Gauss */
static const struct {
    int kind;
    double xi, weight;
} points[] = {{AT_LINE, 0, 1.0 / 6},
              {AT_LINE, 0.5, 4.0 / 6},
              {AT_LINE, 1, 1.0 / 6},
              {AT_MIDDLE, 0.5, 1},
              {AT_NODE, 0, 0.5},
              {AT_NODE, 1, 0.5},
              {AT_ALL, 0.11270166537925831148, 5.0 / 18},
              {AT_ALL, 0.5, 8.0 / 18},
              {AT_ALL, 0.88729833462074168852, 5.0 / 18}};
enum { MIDDLE = 3 };
static const int first_point[] = {0, 6, 9}; /* of an element with the option's value, and of the next */

/* What the sums are of each vector: f, and f/L where `over` is 1 */
typedef struct shape {
    double f[SUMS][BLOCKS], over[SUMS][BLOCKS];
} shape;

static inline void shape_at(double xi, shape *s)
{
    memset(s, 0, sizeof *s);
    s->over[AT_X][0] = -6 * xi * (1 - xi), s->over[AT_X][4] = 6 * xi * (1 - xi);
    s->f[AT_X][1] = 1 - xi * (4 - 3 * xi), s->f[AT_X][5] = xi * (3 * xi - 2);
    s->f[AT_Y][2] = s->f[AT_Z][3] = 1 - xi, s->f[AT_Y][6] = s->f[AT_Z][7] = xi;
    s->over[Y_X][2] = s->over[Z_X][3] = -1, s->over[Y_X][6] = s->over[Z_X][7] = 1;
}

/* All that an element sees, and the derivative of one of it */
typedef struct seen {
    dual s[NS], X[COORDS], q[COORDS], v[COORDS], a[COORDS], g[3], L;
    int first, end; /* its points */
} seen;
enum { BY_NOTHING, BY_NUMBER, BY_Q, BY_V };

static inline void look(const sn_in *in, int by, int index, seen *e)
{
    dual d[3];
    for (int i = 0; i < NS; i++) e->s[i] = (dual){in->s[i], by == BY_NUMBER && index == i};
    for (int i = 0; i < COORDS; i++) {
        e->X[i] = (dual){in->X[i], by == BY_NUMBER && index == NS + i};
        e->q[i] = (dual){in->q[i], by == BY_Q && index == i};
        e->v[i] = (dual){in->v[i], by == BY_V && index == i};
        e->a[i] = constant(in->a[i]);
    }
    for (int i = 0; i < 3; i++) {
        e->g[i] = (dual){in->g[i], by == BY_NUMBER && index == NS + COORDS + i};
        d[i] = sub(e->X[12 + i], e->X[i]);
    }
    e->L = norm(d);
    e->first = first_point[in->opt[OPT_STRAINS]], e->end = first_point[in->opt[OPT_STRAINS] + 1];
}

/* Sums u of vectors p at a point */
static inline void sums(const shape *s, dual L, const dual *p, dual (*u)[3])
{
    const dual iL = over(constant(1), L);
    for (int k = 0; k < SUMS; k++)
        for (int j = 0; j < 3; j++) {
            u[k][j] = constant(0);
            for (int i = 0; i < BLOCKS; i++) {
                if (s->f[k][i] != 0) u[k][j] = add(u[k][j], times(s->f[k][i], p[3 * i + j]));
                if (s->over[k][i] != 0) u[k][j] = add(u[k][j], times(s->over[k][i], mul(iL, p[3 * i + j])));
            }
        }
}

/* Strains of a point since the reference, and their rates */
static inline void strains(const seen *e, int point, dual (*u)[3], dual *y, dual *rate)
{
    dual U[SUMS][3], w[SUMS][3];
    shape s;
    shape_at(points[point].xi, &s);
    sums(&s, e->L, e->q, u), sums(&s, e->L, e->X, U), sums(&s, e->L, e->v, w);
    for (int i = 0; i < STRAINS; i++) y[i] = rate[i] = constant(0);
    for (int i = 0; i < products[points[point].kind].n; i++) {
        const product *p = &products[points[point].kind].of[i];
        y[p->strain] = add(y[p->strain], times(p->weight, sub(dot(u[p->f], u[p->g]), dot(U[p->f], U[p->g]))));
        rate[p->strain] =
            add(rate[p->strain], times(p->weight, add(dot(w[p->f], u[p->g]), dot(u[p->f], w[p->g]))));
    }
}

/* Forces on strains, with damping */
static inline void stresses(const seen *e, const dual *y, const dual *rate, dual *S)
{
    for (int i = 0; i < STRAINS; i++)
        S[i] = mul(e->s[stiffness_of[i]], add(y[i], mul(e->s[DAMPING], rate[i])));
}

/* r += elastic and damping forces */
static inline void elastic(const seen *e, dual *r)
{
    const dual iL = over(constant(1), e->L);
    for (int k = e->first; k < e->end; k++) {
        const dual weight = times(points[k].weight, e->L);
        dual u[SUMS][3], y[STRAINS], rate[STRAINS], S[STRAINS], F[SUMS][3] = {{{0, 0}}};
        shape s;
        strains(e, k, u, y, rate);
        stresses(e, y, rate, S);
        for (int i = 0; i < products[points[k].kind].n; i++) {
            const product *p = &products[points[k].kind].of[i];
            const dual f = times(p->weight, mul(weight, S[p->strain]));
            for (int j = 0; j < 3; j++) {
                F[p->f][j] = add(F[p->f][j], mul(f, u[p->g][j]));
                F[p->g][j] = add(F[p->g][j], mul(f, u[p->f][j]));
            }
        }
        shape_at(points[k].xi, &s);
        for (int m = 0; m < SUMS; m++)
            for (int i = 0; i < BLOCKS; i++)
                for (int j = 0; j < 3; j++) {
                    dual *x = &r[3 * i + j];
                    if (s.f[m][i] != 0) *x = add(*x, times(s.f[m][i], F[m][j]));
                    if (s.over[m][i] != 0) *x = add(*x, times(s.over[m][i], mul(iL, F[m][j])));
                }
    }
}

static inline dual stored(const seen *e)
{
    dual V = {0, 0};
    for (int k = e->first; k < e->end; k++) {
        dual u[SUMS][3], y[STRAINS], rate[STRAINS];
        strains(e, k, u, y, rate);
        for (int i = 0; i < STRAINS; i++)
            V = add(V, times(0.5 * points[k].weight, mul(e->L, mul(e->s[stiffness_of[i]], mul(y[i], y[i])))));
    }
    return V;
}

/* Entry (a, b) of the mass matrix: places and r_x by Hermite, r_y and r_z linear */
static inline dual mass_of(const seen *e, int a, int b)
{
    static const int line[4] = {0, 1, 2, 3};
    const int row = a % 4, col = b % 4;
    if (row < 2 && col < 2) {
        const int i = line[row + 2 * (a / 4)], j = line[col + 2 * (b / 4)];
        dual m = times(hermite[i][j] / 420, e->s[RHO_A]);
        for (int k = 0; k < hermite_power(i, j); k++) m = mul(m, e->L);
        return m;
    }
    if (row != col) return constant(0);
    /* int rho y^2 is that of bending in the x-y plane */
    return times(a == b ? 1.0 / 3 : 1.0 / 6, mul(e->L, e->s[row == 2 ? RHO_I_Z : RHO_I_Y]));
}

/* r += M y */
static inline void mass_times(const seen *e, const dual *y, dual *r)
{
    for (int a = 0; a < BLOCKS; a++)
        for (int b = 0; b < BLOCKS; b++) {
            const dual m = mass_of(e, a, b);
            if (m.x == 0 && m.d == 0) continue;
            for (int j = 0; j < 3; j++) r[3 * a + j] = add(r[3 * a + j], mul(m, y[3 * b + j]));
        }
}

/* The field as accelerations of the vectors */
static inline void field_of(const seen *e, dual *y)
{
    for (int i = 0; i < COORDS; i++) y[i] = i % 12 < 3 ? e->g[i % 12] : constant(0);
}

static inline void inertia(const seen *e, dual *r)
{
    dual y[COORDS];
    field_of(e, y);
    for (int i = 0; i < COORDS; i++) y[i] = sub(e->a[i], y[i]);
    mass_times(e, y, r);
}

/* ---- line loads ---- */

/* x of A x = m for a symmetric matrix (00 11 22 01 02 12) */
static inline void solve3(const dual *A, const dual *m, dual *x)
{
    const dual M[9] = {A[0], A[3], A[4], A[3], A[1], A[5], A[4], A[5], A[2]};
    dual c[3], t[3], det;
    cross(M + 3, M + 6, c);
    det = dot(M, c);
    for (int i = 0; i < 3; i++) { /* M^-1 is symmetric: its columns are cross products of rows */
        cross(M + 3 * ((i + 1) % 3), M + 3 * ((i + 2) % 3), c);
        for (int j = 0; j < 3; j++) t[j] = i ? add(t[j], mul(c[j], m[i])) : mul(c[j], m[i]);
    }
    for (int j = 0; j < 3; j++) x[j] = over(t[j], det);
}

/* A moment m of a section on its vectors b and c: F_b = y x b, F_c = y x c, so that b x F_b + c x F_c = m */
static inline void moment_on(const dual *b, const dual *c, const dual *m, dual *Fb, dual *Fc)
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    dual A[6], y[3];
    for (int i = 0; i < 6; i++) {
        const int k = at[i][0], l = at[i][1];
        A[i] = times(-1, add(mul(b[k], b[l]), mul(c[k], c[l])));
        if (k == l) A[i] = add(A[i], add(dot(b, b), dot(c, c)));
    }
    solve3(A, m, y);
    cross(y, b, Fb), cross(y, c, Fc);
}

/* r -= a load w a length (force, moment), along global axes, or along r_x, r_y, r_z as they are at both ends:
   forces linear between the ends on the cubic line, half of the moment on each section */
static inline void spread(const seen *e, const double *w, int turning, dual *r)
{
    static const double place[2][2] = {{7.0 / 20, 3.0 / 20}, {1.0 / 20, 1.0 / 30}};
    dual l[2][3], m[2][3], Fb[3], Fc[3];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            const dual *p = e->q + 12 * i + 3 + j;
            l[i][j] = m[i][j] = constant(0);
            for (int k = 0; k < 3; k++) {
                const dual unit = turning ? p[3 * k] : constant(j == k);
                l[i][j] = add(l[i][j], times(w[k], unit)), m[i][j] = add(m[i][j], times(w[3 + k], unit));
            }
        }
    for (int i = 0; i < 2; i++) {
        dual *to = r + 12 * i;
        const double sign = i ? -1 : 1;
        for (int j = 0; j < 3; j++) {
            const dual x = add(times(place[0][0], l[i][j]), times(place[0][1], l[1 - i][j])),
                       a = add(times(place[1][0], l[i][j]), times(place[1][1], l[1 - i][j]));
            to[j] = sub(to[j], mul(e->L, x));
            to[3 + j] = sub(to[3 + j], times(sign, mul(mul(e->L, e->L), a)));
        }
        moment_on(e->q + 12 * i + 6, e->q + 12 * i + 9, m[i], Fb, Fc);
        for (int j = 0; j < 3; j++) {
            to[6 + j] = sub(to[6 + j], times(0.5, mul(e->L, Fb[j])));
            to[9 + j] = sub(to[9 + j], times(0.5, mul(e->L, Fc[j])));
        }
    }
}

/* ---- outputs ---- */

enum { OUT_FORCE, OUT_FORCE_LOCAL, OUT_STRAIN, OUT = 6 };

static inline void output_of(const seen *e, int which, int end, dual *y)
{
    const int i = end == 1 ? 0 : 1;
    if (which == OUT_FORCE) {
        dual r[COORDS] = {{0, 0}}, m[3];
        elastic(e, r);
        for (int j = 0; j < 3; j++) y[j] = r[12 * i + j], y[3 + j] = constant(0);
        for (int k = 1; k < 4; k++) {
            cross(e->q + 12 * i + 3 * k, r + 12 * i + 3 * k, m);
            for (int j = 0; j < 3; j++) y[3 + j] = add(y[3 + j], m[j]);
        }
        return;
    }
    dual u[SUMS][3], s[2][STRAINS], rate[2][STRAINS], S[2][STRAINS];
    const int at[2] = {i ? 2 : 0, MIDDLE};
    for (int k = 0; k < 2; k++) {
        strains(e, at[k], u, s[k], rate[k]);
        stresses(e, s[k], rate[k], S[k]);
    }
    for (int j = 0; j < OUT; j++) y[j] = which == OUT_STRAIN ? s[j > 2][j] : times(i ? 1 : -1, S[j > 2][j]);
}

#endif
