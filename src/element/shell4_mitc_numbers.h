/* Numbers of shell4_mitc made once for each element, with their derivative by one slot or reference
   coordinate (x the value, d the derivative). Only shell4_mitc.c includes this file.

   Covariant strains at (r, s) are N m, N = [1 0 0 s 0 s^2; 0 1 0 0 r r^2; 0 0 1 r s 2rs]; with the dual base
   vectors A^a and the material axes t1, t2, l_ai = A^a.t_i, they are T N m in these axes. */
#ifndef SN_ELEMENT_SHELL4_MITC_NUMBERS_H
#define SN_ELEMENT_SHELL4_MITC_NUMBERS_H

#include "element/shell4_mitc.h"

/* The middle surface of the reference: modes, normal and area factor of the centre, directors */
typedef struct surface {
    dual xr[3], xs[3], xd[3], n[3], J0, axis[3];
    dual D[4][3], Y[4][3];
    dual cr[3], cs[3];  /* the centre's dual base vectors */
    dual Hinv_L[4][12]; /* the enhanced strains' amplitudes are -H^-1 L (m, b) */
    dual Z[6];          /* dd = Z m: what MITC4+ puts in the place of m6 */
    int plus, eas;
} surface;

/* A point of it: J, axes, l, dual base vectors */
typedef struct point {
    dual r, s, ar[3], as[3], n[3], J, cr[3], cs[3], t1[3], t2[3];
    dual T[9], Ts[4];
} point;

static inline void combine(dual a, const dual *x, dual b, const dual *y, dual *z) /* z = a x + b y */
{
    for (int i = 0; i < 3; i++) z[i] = add(mul(a, x[i]), mul(b, y[i]));
}

/* Transformation of strains (11, 22, 2 12) by l = (l_r1, l_s1, l_r2, l_s2) */
static inline void strain_turn(const dual *cr, const dual *cs, const point *p, dual *T, dual *Ts)
{
    const dual r1 = dot(cr, p->t1), s1 = dot(cs, p->t1), r2 = dot(cr, p->t2), s2 = dot(cs, p->t2);
    T[0] = mul(r1, r1), T[1] = mul(s1, s1), T[2] = mul(r1, s1);
    T[3] = mul(r2, r2), T[4] = mul(s2, s2), T[5] = mul(r2, s2);
    T[6] = times(2, mul(r1, r2)), T[7] = times(2, mul(s1, s2)), T[8] = add(mul(r1, s2), mul(s1, r2));
    if (Ts) Ts[0] = r1, Ts[1] = s1, Ts[2] = r2, Ts[3] = s2;
}

static inline void dual_base(point *p)
{
    cross(p->as, p->n, p->cr);
    cross(p->n, p->ar, p->cs);
    for (int i = 0; i < 3; i++) p->cr[i] = over(p->cr[i], p->J), p->cs[i] = over(p->cs[i], p->J);
}

static inline void surface_at(const surface *g, dual r, dual s, point *p)
{
    const dual one = {1, 0};
    dual along[3], axis = dot(g->axis, g->axis);
    p->r = r, p->s = s;
    combine(one, g->xr, s, g->xd, p->ar);
    combine(one, g->xs, r, g->xd, p->as);
    cross(p->ar, p->as, p->n);
    p->J = norm(p->n);
    unit(p->n, p->n);
    dual_base(p);
    if (axis.x > 0)
        combine(one, g->axis, times(-1, dot(g->axis, p->n)), p->n, along);
    else
        for (int i = 0; i < 3; i++) along[i] = p->ar[i];
    unit(along, p->t1);
    cross(p->n, p->t1, p->t2);
    strain_turn(p->cr, p->cs, p, p->T, p->Ts);
}

/* T N: 3 x 6 */
static inline void strain_rows(const point *p, dual (*B)[6])
{
    const dual r = p->r, s = p->s;
    for (int i = 0; i < 3; i++) {
        const dual *t = p->T + 3 * i;
        for (int j = 0; j < 3; j++) B[i][j] = t[j];
        B[i][3] = add(mul(t[0], s), mul(t[2], r));
        B[i][4] = add(mul(t[1], r), mul(t[2], s));
        B[i][5] = add(add(mul(t[0], mul(s, s)), mul(t[1], mul(r, r))), times(2, mul(t[2], mul(r, s))));
    }
}

/* Ts [g1 + s g2, g3 + r g4]: 2 x 4 */
static inline void shear_rows(const point *p, dual (*B)[4])
{
    for (int i = 0; i < 2; i++) {
        B[i][0] = p->Ts[2 * i], B[i][1] = mul(p->Ts[2 * i], p->s);
        B[i][2] = p->Ts[2 * i + 1], B[i][3] = mul(p->Ts[2 * i + 1], p->r);
    }
}

/* Enhanced strains M~ = J0/J T0 [r 0 0 0; 0 s 0 0; 0 0 r s]: 3 x 4 */
static inline void enhanced_rows(const surface *g, const point *p, dual (*B)[4])
{
    const dual f = over(g->J0, p->J);
    dual T[9];
    strain_turn(g->cr, g->cs, p, T, NULL);
    for (int i = 0; i < 3; i++) {
        B[i][0] = mul(f, mul(T[3 * i], p->r)), B[i][1] = mul(f, mul(T[3 * i + 1], p->s));
        B[i][2] = mul(f, mul(T[3 * i + 2], p->r)), B[i][3] = mul(f, mul(T[3 * i + 2], p->s));
    }
}

/* Directors and middle surface */
static inline void reference_surface(const sn_in *in, int index, const shell_section *p, surface *g)
{
    dual X[4][3], x[3][3] = {{{0, 0}}}, a[3], b[3];
    const dual one = {1, 0};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) X[i][k] = (dual){in->X[7 * i + k], index == in->ns + 7 * i + k};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            x[0][k] = add(x[0][k], times(0.25 * xi_of[i], X[i][k]));
            x[1][k] = add(x[1][k], times(0.25 * eta_of[i], X[i][k]));
            x[2][k] = add(x[2][k], times(0.25 * both_of[i], X[i][k]));
        }
    for (int i = 0; i < 4; i++) {
        dual given[3];
        for (int k = 0; k < 3; k++) given[k] = (dual){in->s[NORMAL + 3 * i + k], index == NORMAL + 3 * i + k};
        combine(one, x[0], constant(eta_of[i]), x[2], a);
        combine(one, x[1], constant(xi_of[i]), x[2], b);
        if (dot(given, given).x > 0)
            memcpy(g->D[i], given, sizeof given);
        else
            cross(a, b, g->D[i]);
        unit(g->D[i], g->D[i]);
        combine(one, X[i], p->offset, g->D[i], g->Y[i]);
    }
    memset(g->xr, 0, sizeof g->xr), memset(g->xs, 0, sizeof g->xs), memset(g->xd, 0, sizeof g->xd);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            g->xr[k] = add(g->xr[k], times(0.25 * xi_of[i], g->Y[i][k]));
            g->xs[k] = add(g->xs[k], times(0.25 * eta_of[i], g->Y[i][k]));
            g->xd[k] = add(g->xd[k], times(0.25 * both_of[i], g->Y[i][k]));
        }
    cross(g->xr, g->xs, g->n);
    g->J0 = norm(g->n);
    unit(g->n, g->n);
    memcpy(g->axis, p->axis, sizeof g->axis);
    cross(g->xs, g->n, g->cr);
    cross(g->n, g->xr, g->cs);
    for (int k = 0; k < 3; k++) g->cr[k] = over(g->cr[k], g->J0), g->cs[k] = over(g->cs[k], g->J0);
}

/* c_r, c_s of the warped or skewed surface: x_d in the dual base of the centre */
static inline void skew_of(const surface *g, dual *cr, dual *cs)
{
    *cr = dot(g->cr, g->xd), *cs = dot(g->cs, g->xd);
}

/* MITC4+ (Ko, Lee, Bathe 2016): m6 <- dd, m1, m2 <- + m6 - dd, with dd = Z m */
static inline void assume_membrane(surface *g)
{
    const dual one = {1, 0};
    dual r, s, f;
    skew_of(g, &r, &s);
    f = over(one, sub(one, add(mul(r, r), mul(s, s))));
    g->Z[0] = times(-1, mul(f, mul(r, r))), g->Z[1] = times(-1, mul(f, mul(s, s)));
    g->Z[2] = times(-1, mul(f, mul(r, s)));
    g->Z[3] = mul(f, r), g->Z[4] = mul(f, s), g->Z[5] = add(g->Z[0], g->Z[1]);
}

/* y += sum over columns of X'f: rows k of B (n columns) with A: K += w B1'A B2 */
static inline void add_product(dual w, int n, const dual *B1, const dual *A, int m, const dual *B2, dual *K)
{
    dual AB[3][12];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < m; j++) {
            AB[i][j] = (dual){0, 0};
            for (int k = 0; k < 3; k++) AB[i][j] = add(AB[i][j], mul(A[3 * i + k], B2[m * k + j]));
            AB[i][j] = mul(w, AB[i][j]);
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < 3; k++) K[m * i + j] = add(K[m * i + j], mul(B1[n * k + i], AB[k][j]));
}

/* Stiffness of the strains (m, b), 6 x 6 each, and g */
typedef struct stiffness {
    dual mm[36], mb[36], bb[36], gg[16];
} stiffness;

static inline void add_shear(dual w, const point *p, const dual *S, dual *K)
{
    dual B[2][4];
    shear_rows(p, B);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 2; k++)
                for (int l = 0; l < 2; l++)
                    K[4 * i + j] = add(K[4 * i + j], mul(mul(w, S[2 * k + l]), mul(B[k][i], B[l][j])));
}

/* x = H^-1 L by elimination: H is positive definite */
static inline void solve4(dual *H, dual (*L)[12])
{
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 4; i++) {
            if (i == k) continue;
            const dual f = over(H[4 * i + k], H[4 * k + k]);
            for (int j = k; j < 4; j++) H[4 * i + j] = sub(H[4 * i + j], mul(f, H[4 * k + j]));
            for (int j = 0; j < 12; j++) L[i][j] = sub(L[i][j], mul(f, L[k][j]));
        }
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 12; j++) L[k][j] = over(L[k][j], H[4 * k + k]);
}

/* Integrals at 2 x 2 points; the enhanced strains are eliminated: C -= L'H^-1 L */
static inline void integrate(const shell_section *p, surface *g, stiffness *C)
{
    const double a = 0.57735026918962576451;
    dual H[16] = {{0, 0}}, Lm[24] = {{0, 0}}, Lb[24] = {{0, 0}}, L[4][12];
    int coupled = 0;
    for (int i = 0; i < 9; i++) coupled |= p->B[i].x != 0 || p->B[i].d != 0;
    memset(C, 0, sizeof *C);
    for (int i = 0; i < 4; i++) {
        point q;
        dual B[3][6], M[3][4];
        surface_at(g, constant(a * xi_of[i]), constant(a * eta_of[i]), &q);
        strain_rows(&q, B);
        add_product(q.J, 6, B[0], p->A, 6, B[0], C->mm);
        if (coupled) add_product(q.J, 6, B[0], p->B, 6, B[0], C->mb);
        add_product(q.J, 6, B[0], p->D, 6, B[0], C->bb);
        add_shear(q.J, &q, p->S, C->gg);
        if (!g->eas) continue;
        enhanced_rows(g, &q, M);
        add_product(q.J, 4, M[0], p->A, 4, M[0], H);
        add_product(q.J, 4, M[0], p->A, 6, B[0], Lm);
        if (coupled) add_product(q.J, 4, M[0], p->B, 6, B[0], Lb);
    }
    memset(g->Hinv_L, 0, sizeof g->Hinv_L);
    if (!g->eas) return;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++) L[i][j] = Lm[6 * i + j], L[i][6 + j] = Lb[6 * i + j];
    memcpy(g->Hinv_L, L, sizeof L);
    solve4(H, g->Hinv_L);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 4; k++) {
                dual *mm = &C->mm[6 * i + j], *mb = &C->mb[6 * i + j], *bb = &C->bb[6 * i + j];
                *mm = sub(*mm, mul(L[k][i], g->Hinv_L[k][j]));
                if (!coupled) continue;
                *mb = sub(*mb, mul(L[k][i], g->Hinv_L[k][6 + j]));
                *bb = sub(*bb, mul(L[k][6 + i], g->Hinv_L[k][6 + j]));
            }
}

/* Rows by m behind MITC4+: x Z, for n rows of 6 */
static inline void through_plus(const surface *g, int n, dual *x)
{
    for (int i = 0; g->plus && i < n; i++, x += 6) {
        const dual t = sub(x[5], add(x[0], x[1])), sum = add(x[0], x[1]);
        for (int j = 0; j < 6; j++) x[j] = add(j == 5 ? sum : x[j], mul(t, g->Z[j]));
    }
}

static inline void transpose6(const dual *x, dual *y)
{
    for (int i = 0; i < 36; i++) y[i] = x[i % 6 * 6 + i / 6];
}

#define SET(field, expression)                                                                               \
    do {                                                                                                     \
        dual set_ = (expression);                                                                            \
        c->field = set_.x;                                                                                   \
        dc->field = set_.d;                                                                                  \
    } while (0)

static inline void set_stiffness(const surface *g, stiffness *C, constants *c, constants *dc)
{
    const double f = 1.0 / 256;
    dual t[36], bm[36];
    through_plus(g, 6, C->mm);
    transpose6(C->mm, t);
    through_plus(g, 6, t);
    transpose6(C->mb, bm);
    through_plus(g, 6, bm);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            SET(Cm[i][j], times(f, t[6 * i + j]));
            SET(Cb[i][j], times(f, C->bb[6 * i + j]));
            SET(Cbm[i][j], times(f, bm[6 * i + j]));
            SET(Cmb[i][j], times(f, bm[6 * j + i]));
            c->coupled += bm[6 * i + j].x != 0 || bm[6 * i + j].d != 0;
        }
    for (int i = 0; i < 16; i++) SET(Cg[i / 4][i % 4], times(f, C->gg[i]));
}

/* 16 times the strains of the reference */
static inline void set_reference(const surface *g, constants *c, constants *dc)
{
    dual v[7][3] = {{{0, 0}}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            v[3][k] = add(v[3][k], g->D[i][k]), v[4][k] = add(v[4][k], times(xi_of[i], g->D[i][k]));
            v[5][k] = add(v[5][k], times(eta_of[i], g->D[i][k]));
            v[6][k] = add(v[6][k], times(both_of[i], g->D[i][k]));
            v[0][k] = times(4, g->xr[k]), v[1][k] = times(4, g->xs[k]), v[2][k] = times(4, g->xd[k]);
        }
#define DOT(a, b) dot(v[a], v[b])
    const dual e[16] = {times(0.5, DOT(0, 0)),
                        times(0.5, DOT(1, 1)),
                        DOT(0, 1),
                        DOT(0, 2),
                        DOT(1, 2),
                        times(0.5, DOT(2, 2)),
                        DOT(0, 4),
                        DOT(1, 5),
                        add(DOT(0, 5), DOT(1, 4)),
                        add(DOT(0, 6), DOT(2, 4)),
                        add(DOT(1, 6), DOT(2, 5)),
                        DOT(2, 6),
                        add(DOT(0, 3), DOT(2, 5)),
                        add(DOT(0, 5), DOT(2, 3)),
                        add(DOT(1, 3), DOT(2, 4)),
                        add(DOT(1, 4), DOT(2, 3))};
    for (int i = 0; i < 6; i++) {
        SET(e0[MEM + i], e[i]);
        SET(e0[BEND + i], e[6 + i]);
    }
    for (int i = 0; i < 4; i++) SET(e0[SHEAR + i], e[12 + i]);
    SET(roll, over(constant(1), DOT(3, 3)));
#undef DOT
}

/* A node's spin about its director against the mean rotation of the surface's tangents: u, w, Q */
static inline void set_drill(const sn_in *in, int index, const surface *g, const shell_section *p,
                             constants *c, constants *dc)
{
    const double eps = 0.01, one[4] = {1, 1, 1, 1}, *h[4] = {one, both_of, xi_of, eta_of};
    const dual k = mul((dual){in->s[DRILL], index == DRILL}, shell_twisting(p));
    for (int i = 0; i < 4; i++) {
        dual t1[3], t2[3], u[3], w[3];
        combine(constant(1), g->xr, times(-1, dot(g->xr, g->D[i])), g->D[i], t1);
        unit(t1, t1);
        cross(g->D[i], t1, t2);
        combine(times(0.125, dot(g->cr, t1)), t2, times(-0.125, dot(g->cr, t2)), t1, u);
        combine(times(0.125, dot(g->cs, t1)), t2, times(-0.125, dot(g->cs, t2)), t1, w);
        for (int l = 0; l < 3; l++) {
            SET(u[l][i], u[l]);
            SET(w[l][i], w[l]);
        }
        for (int j = 0; j < 4; j++) {
            double sum = 0;
            for (int l = 0; l < 4; l++) sum += h[l][i] * h[l][j] * (l < 2 ? 1 : eps);
            SET(Q[i][j], times(0.25 * sum, k));
        }
    }
}

/* Translations: m int h_i h_j; directors: j int h_i, of which 1 percent is left about the director itself */
static inline void set_mass(const surface *g, const shell_section *p, constants *c, constants *dc)
{
    const double a = 0.57735026918962576451;
    dual m[4][4] = {{{0, 0}}};
    for (int l = 0; l < 4; l++) {
        point q;
        double h[4];
        surface_at(g, constant(a * xi_of[l]), constant(a * eta_of[l]), &q);
        for (int i = 0; i < 4; i++)
            h[i] = 0.25 * (1 + a * xi_of[l] * xi_of[i]) * (1 + a * eta_of[l] * eta_of[i]);
        SET(mass[l], mul(p->m, q.J));
        for (int i = 0; i < 16; i++) m[i / 4][i % 4] = add(m[i / 4][i % 4], times(h[i / 4] * h[i % 4], q.J));
    }
    for (int i = 0; i < 4; i++) {
        SET(j[i], mul(p->j, add(add(m[i][0], m[i][1]), add(m[i][2], m[i][3]))));
        for (int j = 0; j < 4; j++) SET(m[i][j], mul(p->m, m[i][j]));
    }
}

/* All numbers c and their derivatives dc by parameter `index` (-1: zeros) */
static inline sn_status make_constants(const sn_in *in, int index, constants *c, constants *dc, surface *g,
                                       sn_err *err)
{
    shell_section p;
    stiffness C;
    const int plain = in->opt[OPT_FORMULATION] == PLAIN;
    SN_TRY(shell_section_of(in, NS, index, &p, err));
    *c = *dc = (constants){0};
    reference_surface(in, index, &p, g);
    g->plus = !plain, g->eas = !plain && in->opt[OPT_EAS];
    assume_membrane(g);
    integrate(&p, g, &C);
    set_stiffness(g, &C, c, dc);
    set_reference(g, c, dc);
    if (plain || !in->opt[OPT_ROLL]) c->roll = dc->roll = 0;
    set_drill(in, index, g, &p, c, dc);
    set_mass(g, &p, c, dc);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            const dual o = mul(p.offset, g->D[i][k]);
            SET(D[k][i], g->D[i][k]);
            SET(o[k][i], o);
            c->arms += o.x != 0 || o.d != 0;
        }
    dc->arms = dc->coupled = 0;
    return SN_OK;
}
#undef SET

#endif
