/* Numbers of shell3_mitc made once for each element, its motion and residual in dual numbers. Read the head
   of shell3_mitc.c first; only that file includes this one.

   z are the places y1 y2 y3 and the directors d1 d2 d3. Strains are e_k = z'H_k z/2, membrane m1 m2 m3,
   bending b1 b2 b3, shear g_r g_s c: blocks over y (membrane) and between y and d are tables. */
#ifndef SN_ELEMENT_SHELL3_MITC_H
#define SN_ELEMENT_SHELL3_MITC_H

#include "element/particle.h"
#include "element/shell_output.h"
#include "math/rot3.h"

enum { DRILL = SHELL_SECTION_NS, NORMAL, NS = NORMAL + 9, NX = 21, NV = 18, STRAINS = 9 };
enum { PLAIN_SLOTS = SHELL_SECTION_SLOTS + 4 }; /* entries before the plies */

/* Share of its inertia that a director has not about itself; of the drill in the modes that bend in the
   plane; distance of the tying points D, E, F from the middle */
static const double slender = 0.99, in_plane = 0.01, tying = 1e-4;

static const double planar[3][3][3] = {{{1, -1, 0}, {-1, 1, 0}, {0, 0, 0}},
                                       {{1, 0, -1}, {0, 0, 0}, {-1, 0, 1}},
                                       {{2, -1, -1}, {-1, 0, 1}, {-1, 1, 0}}};
static const double tied[3][3][3] = {
    {{-0.5, -1.0 / 3, -1.0 / 6}, {1.0 / 3, 0.5, 1.0 / 6}, {1.0 / 6, -1.0 / 6, 0}},
    {{-0.5, -1.0 / 6, -1.0 / 3}, {1.0 / 6, 0, -1.0 / 6}, {1.0 / 3, 1.0 / 6, 0.5}},
    {{0, 1, -1}, {-1, 0, 1}, {1, -1, 0}}};

typedef struct constants {
    double C[STRAINS][STRAINS], e0[STRAINS];
    double D[3][3], o[3][3], u[3][3], w[3][3]; /* of node i: director, arm, drill */
    double Q[3][3], m[3][3], j;
} constants;

static inline double form(int k, int a, int b) /* H_k */
{
    if (k < 3) return a < 3 && b < 3 ? planar[k][a][b] : 0;
    const double(*p)[3] = k < 6 ? planar[k - 3] : tied[k - 6];
    return a < 3 && b >= 3 ? p[a][b - 3] : a >= 3 && b < 3 ? p[b][a - 3] : 0;
}

/* The reference: x_r, x_s, n, twice the area, dual base, material axes */
typedef struct surface {
    dual Y[3][3], D[3][3], xr[3], xs[3], n[3], J, cr[3], cs[3], T[9], Ts[4];
    dual shear[4]; /* local transverse shears by (g_r, g_s) */
} surface;

#define SET(field, expression)                                                                               \
    do {                                                                                                     \
        dual set_ = (expression);                                                                            \
        c->field = set_.x;                                                                                   \
        dc->field = set_.d;                                                                                  \
    } while (0)
#define NUMBER(field) ((dual){k->c->field, k->dc->field})

static inline void axes_of(const shell_section *p, surface *g)
{
    dual along[3], t2[3];
    const dual a = dot(p->axis, p->axis), an = dot(p->axis, g->n);
    for (int l = 0; l < 3; l++) along[l] = a.x > 0 ? sub(p->axis[l], mul(an, g->n[l])) : g->xr[l];
    unit(along, along);
    cross(g->n, along, t2);
    cross(g->xs, g->n, g->cr), cross(g->n, g->xr, g->cs);
    for (int l = 0; l < 3; l++) g->cr[l] = over(g->cr[l], g->J), g->cs[l] = over(g->cs[l], g->J);
    const dual r1 = dot(g->cr, along), s1 = dot(g->cs, along), r2 = dot(g->cr, t2), s2 = dot(g->cs, t2);
    const dual T[9] = {mul(r1, r1),           mul(s1, s1),           mul(r1, s1),
                       mul(r2, r2),           mul(s2, s2),           mul(r2, s2),
                       times(2, mul(r1, r2)), times(2, mul(s1, s2)), add(mul(r1, s2), mul(s1, r2))};
    const dual Ts[4] = {r1, s1, r2, s2};
    memcpy(g->T, T, sizeof T), memcpy(g->Ts, Ts, sizeof Ts);
}

static inline void reference(const sn_in *in, int index, const shell_section *p, surface *g)
{
    dual X[3][3], a[3], b[3], n[3];
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < 3; l++) X[i][l] = (dual){in->X[7 * i + l], index == in->ns + 7 * i + l};
    for (int l = 0; l < 3; l++) a[l] = sub(X[1][l], X[0][l]), b[l] = sub(X[2][l], X[0][l]);
    cross(a, b, n);
    for (int i = 0; i < 3; i++) {
        dual given[3];
        for (int l = 0; l < 3; l++) given[l] = (dual){in->s[NORMAL + 3 * i + l], index == NORMAL + 3 * i + l};
        unit(dot(given, given).x > 0 ? given : n, g->D[i]);
        for (int l = 0; l < 3; l++) g->Y[i][l] = add(X[i][l], mul(p->offset, g->D[i][l]));
    }
    for (int l = 0; l < 3; l++)
        g->xr[l] = sub(g->Y[1][l], g->Y[0][l]), g->xs[l] = sub(g->Y[2][l], g->Y[0][l]);
    cross(g->xr, g->xs, n);
    g->J = norm(n);
    unit(n, g->n);
    axes_of(p, g);
}

/* T'A T */
static inline void congruent(const dual *T, const dual *A, dual *y)
{
    dual t[9], AT[9];
    for (int i = 0; i < 9; i++) t[i] = T[i % 3 * 3 + i / 3];
    multiply3(A, T, AT);
    multiply3(t, AT, y);
}

/* Transverse shear of the element, S' = (S^-1 + K^-1/4)^-1 in the coordinates r, s: K is the mean bending
   stiffness of the bubble 27 r s (1 - r - s), int f_r^2 = int f_s^2 = 2 int f_r f_s = 8.1 of the area */
static inline void shear_stiffness(const dual *D, const dual *S, dual *y)
{
    const dual rs = add(D[2], D[5]);
    const dual off = add(times(4.05, add(D[1], D[8])), times(8.1, rs));
    const dual K[4] = {times(8.1, add(add(D[0], D[2]), D[8])), off, off,
                       times(8.1, add(add(D[4], D[5]), D[8]))};
    dual a[4], b[4];
    inverse2(S, a);
    inverse2(K, b);
    for (int i = 0; i < 4; i++) a[i] = add(a[i], times(0.25, b[i]));
    inverse2(a, y);
}

static inline void set_stiffness(const shell_section *p, surface *g, constants *c, constants *dc)
{
    const dual A = times(0.5, g->J);
    const dual *in_axes[3] = {p->A, p->B, p->D};
    dual y[3][9], S[4] = {{0, 0}}, shear[4], inverse[4], sum;
    for (int i = 0; i < 3; i++) congruent(g->T, in_axes[i], y[i]);
    for (int i = 0; i < 16; i++) {
        const int a = i / 8, b = i / 4 % 2, k = i / 2 % 2, l = i % 2;
        S[2 * a + b] = add(S[2 * a + b], mul(mul(g->Ts[2 * k + a], p->S[2 * k + l]), g->Ts[2 * l + b]));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            SET(C[i][j], mul(A, y[0][3 * i + j]));
            SET(C[i][3 + j], mul(A, y[1][3 * i + j]));
            SET(C[3 + i][j], mul(A, y[1][3 * j + i]));
            SET(C[3 + i][3 + j], mul(A, y[2][3 * i + j]));
        }
    shear_stiffness(y[2], S, shear);
    for (int i = 0; i < 4; i++) SET(C[6 + i / 2][6 + i % 2], mul(A, shear[i]));
    sum = add(add(S[0], S[3]), S[1]);
    SET(C[8][8], times(0.5 * tying * tying, mul(A, sum)));
    /* local shears: Ts S^-1 S' */
    inverse2(S, inverse);
    for (int i = 0; i < 4; i++) {
        const int a = i / 2, b = i % 2;
        g->shear[i] = constant(0);
        for (int k = 0; k < 4; k++)
            g->shear[i] = add(g->shear[i], mul(mul(g->Ts[2 * a + k / 2], inverse[2 * (k / 2) + k % 2]),
                                               shear[2 * (k % 2) + b]));
    }
}

static inline void set_drill(const sn_in *in, int index, const surface *g, const shell_section *p,
                             constants *c, constants *dc)
{
    const dual k = mul((dual){in->s[DRILL], index == DRILL}, shell_twisting(p));
    for (int i = 0; i < 3; i++) {
        dual t1[3], t2[3];
        const dual along = dot(g->xr, g->D[i]);
        for (int l = 0; l < 3; l++) t1[l] = sub(g->xr[l], mul(along, g->D[i][l]));
        unit(t1, t1);
        cross(g->D[i], t1, t2);
        const dual r1 = dot(g->cr, t1), r2 = dot(g->cr, t2), s1 = dot(g->cs, t1), s2 = dot(g->cs, t2);
        for (int l = 0; l < 3; l++) {
            SET(u[i][l], times(0.5, sub(mul(r1, t2[l]), mul(r2, t1[l]))));
            SET(w[i][l], times(0.5, sub(mul(s1, t2[l]), mul(s2, t1[l]))));
        }
        for (int j = 0; j < 3; j++) SET(Q[i][j], times((1 - in_plane) / 3 + (i == j) * in_plane, k));
    }
}

/* Strains, from z */
static inline void strains(const dual (*z)[3], dual *e)
{
    for (int k = 0; k < STRAINS; k++) {
        const double(*p)[3] = k < 3 ? planar[k] : k < 6 ? planar[k - 3] : tied[k - 6];
        e[k] = constant(0);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                if (p[a][b] != 0)
                    e[k] = add(e[k], times(k < 3 ? 0.5 * p[a][b] : p[a][b], dot(z[a], z[k < 3 ? b : 3 + b])));
    }
}

/* All numbers c and their derivatives dc by parameter `index` (-1: zeros) */
static inline sn_status make_constants(const sn_in *in, int index, constants *c, constants *dc, surface *g,
                                       sn_err *err)
{
    shell_section p;
    dual z[6][3], e[STRAINS];
    SN_TRY(shell_section_of(in, NS, index, &p, err));
    *c = *dc = (constants){.j = 0};
    reference(in, index, &p, g);
    set_stiffness(&p, g, c, dc);
    set_drill(in, index, g, &p, c, dc);
    memcpy(z, g->Y, sizeof g->Y), memcpy(z + 3, g->D, sizeof g->D);
    strains((const dual(*)[3])z, e);
    for (int k = 0; k < STRAINS; k++) SET(e0[k], e[k]);
    for (int i = 0; i < 3; i++) {
        for (int l = 0; l < 3; l++) {
            SET(D[i][l], g->D[i][l]);
            SET(o[i][l], mul(p.offset, g->D[i][l]));
        }
        for (int j = 0; j < 3; j++) SET(m[i][j], times((1 + (i == j)) / 24.0, mul(p.m, g->J)));
    }
    SET(j, times(1.0 / 6, mul(p.j, g->J)));
    return SN_OK;
}
#undef SET

/* ---- motion ---- */

typedef struct motion {
    const constants *c, *dc;
    double R[3][9];
    dual z[6][3], e[STRAINS], s[STRAINS];               /* strains less e0, their forces C e */
    dual xr[3], xs[3], U[3][3], W[3][3], sg[3], psi[3]; /* drill: R u, R w, Q psi */
    double by_mass;                                     /* 1: the number is damping_mass */
} motion;

static inline void turned(const double *R, const dual *x, dual *y) /* y = R x */
{
    for (int i = 0; i < 3; i++)
        y[i] = add(add(times(R[3 * i], x[0]), times(R[3 * i + 1], x[1])), times(R[3 * i + 2], x[2]));
}

static inline void turned_back(const double *R, const dual *x, dual *y) /* y = R'x */
{
    for (int i = 0; i < 3; i++)
        y[i] = add(add(times(R[i], x[0]), times(R[3 + i], x[1])), times(R[6 + i], x[2]));
}

static inline void add_times(dual a, const dual *x, dual *y) /* y += a x */
{
    for (int l = 0; l < 3; l++) y[l] = add(y[l], mul(a, x[l]));
}

static inline void add_cross(const dual *a, const dual *b, dual *y) /* y += a x b */
{
    dual x[3];
    cross(a, b, x);
    for (int l = 0; l < 3; l++) y[l] = add(y[l], x[l]);
}

static inline void move(const sn_in *in, const constants *c, const constants *dc, motion *k)
{
    k->c = c, k->dc = dc, k->by_mass = 0;
    for (int i = 0; i < 3; i++) {
        dual D[3], o[3], u[3], w[3];
        sn_quat_matrix(in->q + 7 * i + 3, k->R[i]);
        for (int l = 0; l < 3; l++)
            D[l] = NUMBER(D[i][l]), o[l] = NUMBER(o[i][l]), u[l] = NUMBER(u[i][l]), w[l] = NUMBER(w[i][l]);
        turned(k->R[i], o, k->z[i]);
        turned(k->R[i], D, k->z[3 + i]);
        turned(k->R[i], u, k->U[i]);
        turned(k->R[i], w, k->W[i]);
        for (int l = 0; l < 3; l++) k->z[i][l].x += in->q[7 * i + l];
    }
    strains((const dual(*)[3])k->z, k->e);
    for (int i = 0; i < STRAINS; i++) k->e[i] = sub(k->e[i], NUMBER(e0[i]));
    for (int i = 0; i < STRAINS; i++) {
        k->s[i] = constant(0);
        for (int j = 0; j < STRAINS; j++) k->s[i] = add(k->s[i], mul(NUMBER(C[i][j]), k->e[j]));
    }
    for (int l = 0; l < 3; l++)
        k->xr[l] = sub(k->z[1][l], k->z[0][l]), k->xs[l] = sub(k->z[2][l], k->z[0][l]);
    for (int i = 0; i < 3; i++) k->psi[i] = add(dot(k->xr, k->U[i]), dot(k->xs, k->W[i]));
    for (int i = 0; i < 3; i++) {
        k->sg[i] = constant(0);
        for (int j = 0; j < 3; j++) k->sg[i] = add(k->sg[i], mul(NUMBER(Q[i][j]), k->psi[j]));
    }
}

/* f += forces on z of the stresses s */
static inline void add_forces(const motion *k, const dual *s, dual (*f)[3])
{
    for (int i = 0; i < STRAINS; i++)
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < 6; b++) {
                const double h = form(i, a, b);
                if (h != 0) add_times(times(h, s[i]), k->z[b], f[a]);
            }
}

/* Acceleration of the middle surface at node i less the field */
static inline void acceleration(const sn_in *in, const motion *k, int i, dual *y)
{
    const double *v = in->v + 6 * i + 3, *a = in->a + 6 * i + 3;
    const double b = k->by_mass;
    const dual om[3] = {{v[0], 0}, {v[1], 0}, {v[2], 0}};
    const dual al[3] = {{a[0], b * v[0]}, {a[1], b * v[1]}, {a[2], b * v[2]}};
    dual o[3], x[3], z[3] = {{0, 0}};
    for (int l = 0; l < 3; l++) o[l] = NUMBER(o[i][l]);
    cross(om, o, x);
    add_cross(om, x, z);
    add_cross(al, o, z);
    turned(k->R[i], z, y);
    for (int l = 0; l < 3; l++) y[l].x += in->a[6 * i + l] - in->g[l], y[l].d += b * in->v[6 * i + l];
}

/* m += J al + om x J om, J = j (1 - 0.99 D D') */
static inline void director_inertia(const sn_in *in, const motion *k, int i, dual *m)
{
    const double *v = in->v + 6 * i + 3, *a = in->a + 6 * i + 3;
    const double b = k->by_mass;
    const dual om[3] = {{v[0], 0}, {v[1], 0}, {v[2], 0}};
    const dual al[3] = {{a[0], b * v[0]}, {a[1], b * v[1]}, {a[2], b * v[2]}};
    const dual j = NUMBER(j), D[3] = {NUMBER(D[i][0]), NUMBER(D[i][1]), NUMBER(D[i][2])};
    dual x[3];
    add_times(j, al, m);
    add_times(times(-slender, mul(j, dot(D, al))), D, m);
    cross(D, om, x);
    add_times(times(slender, mul(j, dot(D, om))), x, m);
}

/* Moments of vectors fixed to node i, in body axes: y += a x R'f */
static inline void add_moment(const motion *k, int i, const dual *a, const dual *f, dual *y)
{
    dual x[3];
    turned_back(k->R[i], f, x);
    add_cross(a, x, y);
}

/* f: forces on the middle surface and on the directors, r: residual; static: without inertia */
static inline void residual(const sn_in *in, const motion *k, int still, dual (*f)[3], dual *r)
{
    dual y[3][3];
    memset(f, 0, 6 * sizeof *f);
    add_forces(k, k->s, f);
    for (int i = 0; i < 3; i++) {
        add_times(k->sg[i], k->U[i], f[1]), add_times(times(-1, k->sg[i]), k->U[i], f[0]);
        add_times(k->sg[i], k->W[i], f[2]), add_times(times(-1, k->sg[i]), k->W[i], f[0]);
        if (still)
            for (int l = 0; l < 3; l++) y[i][l] = constant(-in->g[l]);
        else
            acceleration(in, k, i, y[i]);
    }
    for (int i = 0; i < 3; i++) {
        dual D[3], o[3], u[3], w[3], *m = r + 6 * i + 3;
        for (int j = 0; j < 3; j++) add_times(NUMBER(m[i][j]), y[j], f[i]);
        for (int l = 0; l < 3; l++) {
            D[l] = NUMBER(D[i][l]), o[l] = NUMBER(o[i][l]);
            u[l] = mul(k->sg[i], NUMBER(u[i][l])), w[l] = mul(k->sg[i], NUMBER(w[i][l]));
            r[6 * i + l] = f[i][l], m[l] = constant(0);
        }
        add_moment(k, i, D, f[3 + i], m), add_moment(k, i, o, f[i], m);
        add_moment(k, i, u, k->xr, m), add_moment(k, i, w, k->xs, m);
        if (!still) director_inertia(in, k, i, m);
    }
}

static inline dual potential(const sn_in *in, const motion *k)
{
    const dual g[3] = {{in->g[0], 0}, {in->g[1], 0}, {in->g[2], 0}};
    dual V = {0, 0};
    for (int i = 0; i < STRAINS; i++) V = add(V, times(0.5, mul(k->s[i], k->e[i])));
    for (int i = 0; i < 3; i++) V = add(V, times(0.5, mul(k->sg[i], k->psi[i])));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) V = sub(V, mul(NUMBER(m[i][j]), dot(g, k->z[j])));
    return V;
}

/* p: momentum of the middle surface at the nodes, or NULL */
static inline dual kinetic(const sn_in *in, const motion *k, dual (*p)[3])
{
    dual T = {0, 0}, y[3][3], sum[3][3] = {{{0, 0}}};
    for (int i = 0; i < 3; i++) {
        const double *v = in->v + 6 * i + 3;
        const dual om[3] = {{v[0], 0}, {v[1], 0}, {v[2], 0}},
                   o[3] = {NUMBER(o[i][0]), NUMBER(o[i][1]), NUMBER(o[i][2])},
                   D[3] = {NUMBER(D[i][0]), NUMBER(D[i][1]), NUMBER(D[i][2])}, s = dot(D, om);
        dual x[3];
        cross(om, o, x);
        turned(k->R[i], x, y[i]);
        for (int l = 0; l < 3; l++) y[i][l].x += in->v[6 * i + l];
        T = add(T, mul(NUMBER(j), sub(dot(om, om), times(slender, mul(s, s)))));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            T = add(T, mul(NUMBER(m[i][j]), dot(y[i], y[j])));
            add_times(NUMBER(m[i][j]), y[j], sum[i]);
        }
    if (p) memcpy(p, sum, sizeof sum);
    return times(0.5, T);
}

#endif
