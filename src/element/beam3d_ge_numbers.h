/* Numbers of beam3d_ge made once for each element, with their derivative by one slot or reference coordinate
   (forward differentiation). Only beam3d_ge.c includes this file.

   In the reference the axis is a helix: its curvatures k (twist, about y, about z) are those of the sections'
   axes. From the middle, with axes B, the ends are at -+ h/2 c away and turned by exp(-+ h k~/2), where c is
   the integral of exp(s h k~) e1 over s from -1/2 to 1/2: s e1 + r (h k)(h k.e1) with z = h^2 k.k, s =
   sin(sqrt(z)/2)/(sqrt(z)/2), r = (1 - s)/z. So B c is along the chord, and h |c| is its length. */
#ifndef SN_ELEMENT_BEAM3D_GE_NUMBERS_H
#define SN_ELEMENT_BEAM3D_GE_NUMBERS_H

#include "element/beam3d_ge.h"
#include "math/dual.h"

#define SET(field, expression)                                                                               \
    do {                                                                                                     \
        dual set_ = (expression);                                                                            \
        c->field = set_.x;                                                                                   \
        dc->field = set_.d;                                                                                  \
    } while (0)

typedef enum trouble { FINE, NO_LENGTH, ALONG, TOO_CURVED, NOT_STIFF } trouble;

typedef struct numbers {
    dual s[NS], chord, h, e1[3], A[2][9];
    double across; /* |e1 x o|/|o| */
} numbers;

/* A function of z with the derivative d */
static inline dual chain(dual z, double x, double d) { return (dual){x, d * z.d}; }

/* s and r of the head */
static inline void chord_numbers(dual z, dual *s, dual *r)
{
    double x = 0, dx = 0, y = 0, dy = 0;
    if (z.x < 0.5) {
        double f = 1, zk = 1, before = 0; /* f = (-1/4)^k/(2k + 1)! */
        for (int k = 0; k < 9; k++) {
            x += f * zk, dx += k * f * before;
            f *= -0.25 / ((2 * k + 2) * (2 * k + 3));
            y -= f * zk, dy -= k * f * before;
            before = zk, zk *= z.x;
        }
    } else {
        double t = 0.5 * sqrt(z.x);
        x = sin(t) / t, dx = (cos(t) - x) / (2 * z.x);
        y = (1 - x) / z.x, dy = (-dx - y) / z.x;
    }
    *s = chain(z, x, dx), *r = chain(z, y, dy);
}

/* c of the head for the curvatures k = h k */
static inline void chord_of(const dual *k, dual *c)
{
    dual s, r;
    chord_numbers(dot(k, k), &s, &r);
    for (int i = 0; i < 3; i++) c[i] = mul(r, mul(k[i], k[0]));
    c[0] = add(c[0], s);
}

/* h of h |c| = chord by Newton's method; the last steps in dual numbers give its derivative */
static inline trouble arc_length(numbers *n)
{
    const dual *k = n->s + CURVATURE;
    dual t[3], c[3];
    n->h = n->chord;
    if (k[0].x == 0 && k[1].x == 0 && k[2].x == 0 && k[0].d == 0 && k[1].d == 0 && k[2].d == 0) return FINE;
    for (int i = 0; i < 60; i++) {
        dual h = {n->h.x, 0}, slope = {n->h.x, 1}, f, g;
        for (int j = 0; j < 3; j++) t[j] = mul(n->h, k[j]);
        chord_of(t, c);
        f = sub(mul(n->h, norm(c)), n->chord);
        for (int j = 0; j < 3; j++) t[j] = mul(slope, constant(k[j].x));
        chord_of(t, c);
        g = mul(slope, norm(c));
        if (!(g.d > 1e-6)) return TOO_CURVED;
        n->h = (dual){h.x - f.x / g.d, n->h.d - f.d / g.d};
        if (fabs(f.x) <= 4e-16 * n->chord.x && i > 1) break;
    }
    return n->h.x * n->h.x * (k[0].x * k[0].x + k[1].x * k[1].x + k[2].x * k[2].x) < 9.8 ? FINE : TOO_CURVED;
}

/* exp(v~) */
static inline void turn_of(const dual *v, dual *E)
{
    dual z = dot(v, v), a, b;
    double x = z.x, t = sqrt(x), A, B;
    if (x < 0.02) {
        a = chain(z, 1 - x / 6 * (1 - x / 20 * (1 - x / 42 * (1 - x / 72))),
                  -1.0 / 6 * (1 - x / 10 * (1 - x / 28 * (1 - x / 54))));
        b = chain(z, 0.5 * (1 - x / 12 * (1 - x / 30 * (1 - x / 56 * (1 - x / 90)))),
                  -1.0 / 24 * (1 - x / 15 * (1 - x / 37.333333333333336 * (1 - x / 67.5))));
    } else {
        A = sin(t) / t, B = (1 - cos(t)) / x;
        a = chain(z, A, (cos(t) - A) / (2 * x));
        b = chain(z, B, (0.5 * A - B) / x);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            E[3 * i + j] = mul(b, mul(v[i], v[j]));
            if (i == j) E[3 * i + j] = add(E[3 * i + j], sub(constant(1), mul(b, z)));
        }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        E[3 * l + j] = add(E[3 * l + j], mul(a, v[i]));
        E[3 * j + l] = sub(E[3 * j + l], mul(a, v[i]));
    }
}

static inline void matmul_dual(const dual *A, const dual *B, dual *C)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            C[3 * i + j] = constant(0);
            for (int l = 0; l < 3; l++) C[3 * i + j] = add(C[3 * i + j], mul(A[3 * i + l], B[3 * l + j]));
        }
}

/* Columns a, b x a and the third from a unit vector and one that gives the plane of the first two */
static inline double plane_axes(const dual *a, const dual *o, dual *M)
{
    dual e3[3], e2[3], n;
    cross(a, o, e3);
    n = norm(e3);
    for (int i = 0; i < 3; i++) e3[i] = over(e3[i], n);
    cross(e3, a, e2);
    for (int i = 0; i < 3; i++) M[3 * i] = a[i], M[3 * i + 1] = e2[i], M[3 * i + 2] = e3[i];
    return n.x;
}

/* Axes of both sections. In the middle the chord and the section's y are in the plane of the chord and the
   given vector (global y where both are along global z). */
static inline trouble section_axes(const sn_in *in, int index, numbers *n)
{
    const double *X = in->X;
    dual D[3], o[3], t[3], c[3], M[9], N[9], B[9], E[9];
    double size = 0, reach = 0;
    trouble wrong;
    for (int i = 0; i < NS; i++) n->s[i] = (dual){in->s[i], index == i};
    for (int i = 0; i < 3; i++) {
        dual x1 = {X[i], index == NS + i}, x2 = {X[7 + i], index == NS + 7 + i};
        D[i] = sub(add(x2, n->s[OFFSET2 + i]), add(x1, n->s[OFFSET1 + i]));
        o[i] = n->s[ORIENTATION + i];
        size = fmax(size, fmax(fabs(X[i]), fabs(X[7 + i])));
        reach += o[i].x * o[i].x;
    }
    n->chord = norm(D);
    if (!(n->chord.x > 1e-14 * size)) return NO_LENGTH;
    for (int i = 0; i < 3; i++) n->e1[i] = over(D[i], n->chord);
    /* a beam along global z, which is the default */
    if (o[0].x == 0 && o[1].x == 0 && hypot(n->e1[0].x, n->e1[1].x) < 1e-6) {
        o[0] = o[2] = constant(0);
        o[1] = constant(1), reach = 1;
    }
    if ((wrong = arc_length(n))) return wrong;
    for (int i = 0; i < 3; i++) t[i] = mul(n->h, n->s[CURVATURE + i]);
    chord_of(t, c);
    unit(c, c);
    n->across = plane_axes(n->e1, o, M) / sqrt(reach);
    if (!(n->across > 1e-9)) return ALONG;
    const dual y[3] = {constant(0), constant(1), constant(0)};
    plane_axes(c, y, E);
    for (int i = 0; i < 9; i++) N[i] = E[i % 3 * 3 + i / 3];
    matmul_dual(M, N, B);
    for (int e = 0; e < 2; e++) {
        dual half[3];
        for (int i = 0; i < 3; i++) half[i] = times(e ? 0.5 : -0.5, t[i]);
        turn_of(half, E);
        matmul_dual(B, E, n->A[e]);
    }
    return FINE;
}

/* The helix of a beam that is meshed (sn_line_axis): from end 1, a length xi h along it, in the middle of
   which the axes are A1 exp(xi h k~/2). x: places of the ends, and the slots from `orientation` on. The nodes
   are off it as the ends are off theirs, in proportion. */
static inline sn_status at_place(const double *x, int index, double xi, double *y, double *dy)
{
    enum { ENDS = 6, OWN = 12 };
    double s[NS] = {0}, X[14] = {0};
    numbers n;
    dual v[3], t[3], E[9], B[9], step[3];
    memcpy(s + ORIENTATION, x + ENDS, OWN * sizeof *s);
    memcpy(X, x, 3 * sizeof *X), memcpy(X + 7, x + 3, 3 * sizeof *X);
    const sn_in in = {.s = s, .X = X};
    const int own = index < 0      ? -1
                    : index < 3    ? NS + index
                    : index < ENDS ? NS + 4 + index
                                   : ORIENTATION + index - ENDS;
    if (section_axes(&in, own, &n)) return SN_ERR_NUMERIC;
    for (int i = 0; i < 3; i++) t[i] = times(xi, mul(n.h, n.s[CURVATURE + i])), v[i] = times(0.5, t[i]);
    turn_of(v, E);
    matmul_dual(n.A[0], E, B);
    chord_of(t, v);
    for (int i = 0; i < 3; i++) {
        step[i] = times(xi, mul(n.h, dot((dual[]){B[3 * i], B[3 * i + 1], B[3 * i + 2]}, v)));
        const dual off = times(xi, sub(n.s[OFFSET1 + i], n.s[OFFSET2 + i]));
        const dual place = add(add((dual){X[i], index == i}, off), step[i]);
        y[i] = place.x;
        if (dy) dy[i] = place.d;
    }
    turn_of(t, E);
    matmul_dual(n.A[0], E, B);
    for (int i = 0; i < 3; i++) {
        y[3 + i] = B[3 * i + 1].x;
        if (dy) dy[3 + i] = B[3 * i + 1].d;
    }
    return SN_OK;
}

/* S = C^-1, rows and columns of rigid shear being zero in both */
static inline trouble invert(const double *C, double *S)
{
    double G[36] = {0}, x[6];
    for (int i = 0; i < 6; i++) {
        const int rigid = i > 0 && i < 3 && C[7 * i] == 0;
        for (int j = 0; j < 6 && rigid; j++)
            if (C[6 * i + j] != 0) return NOT_STIFF;
        for (int j = 0; j <= i; j++) {
            double v = rigid ? i == j : C[6 * i + j];
            for (int l = 0; l < j; l++) v -= G[6 * i + l] * G[6 * j + l];
            if (i == j && !(v > 1e-13 * fabs(C[7 * i]) && v > 0)) return NOT_STIFF;
            G[6 * i + j] = i == j ? sqrt(v) : v / G[7 * j];
        }
    }
    for (int l = 0; l < 6; l++) {
        const int rigid = l > 0 && l < 3 && C[7 * l] == 0;
        for (int i = 0; i < 6; i++) {
            x[i] = i == l && !rigid;
            for (int j = 0; j < i; j++) x[i] -= G[6 * i + j] * x[j];
            x[i] /= G[7 * i];
        }
        for (int i = 5; i >= 0; i--) {
            for (int j = i + 1; j < 6; j++) x[i] -= G[6 * j + i] * x[j];
            x[i] /= G[7 * i];
        }
        for (int i = 0; i < 6; i++) S[6 * i + l] = x[i];
    }
    return FINE;
}

static inline trouble compliance(const numbers *n, constants *c, constants *dc)
{
    static const int diagonal[6] = {EA, KGA_Y, KGA_Z, GJ, EI_Y, EI_Z};
    double C[36], dC[36], X[36];
    trouble wrong;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            dual x = times(0.5, add(n->s[STIFFNESS + 6 * i + j], n->s[STIFFNESS + 6 * j + i]));
            if (i == j) x = add(x, n->s[diagonal[i]]);
            C[6 * i + j] = x.x, dC[6 * i + j] = x.d;
        }
    if ((wrong = invert(C, c->S))) return wrong;
    for (int i = 0; i < 36; i++) {
        X[i] = 0;
        for (int l = 0; l < 6; l++) X[i] += dC[i / 6 * 6 + l] * c->S[6 * l + i % 6];
    }
    for (int i = 0; i < 36; i++) {
        dc->S[i] = 0;
        for (int l = 0; l < 6; l++) dc->S[i] -= c->S[i / 6 * 6 + l] * X[6 * l + i % 6];
    }
    return FINE;
}

/* Body vectors and rotary inertia of a node */
static inline void node_mass(const numbers *n, int e, constants *c, constants *dc)
{
    const dual *A = n->A[e], zero = {0, 0}, half = times(0.5, n->h), *s = n->s;
    const dual yz = times(-1, s[RHO_I_YZ]);
    const dual J[9] = {s[RHO_J], zero, zero, zero, s[RHO_I_Y], yz, zero, yz, s[RHO_I_Z]};
    dual T[9], P[9], I[9];
    for (int i = 0; i < 9; i++) T[i] = A[i % 3 * 3 + i / 3];
    matmul_dual(A, J, P);
    matmul_dual(P, T, I);
    for (int i = 0; i < 9; i++) {
        SET(A[e][i], A[i]);
        SET(J[e][i], mul(half, I[i]));
    }
    for (int i = 0; i < 3; i++) {
        SET(body[e][PLACE][i], s[(e ? OFFSET2 : OFFSET1) + i]);
        SET(body[e][SLOPE][i], mul(n->h, A[3 * i]));
        SET(body[e][ARM][i], add(mul(A[3 * i + 1], s[CENTRE]), mul(A[3 * i + 2], s[CENTRE + 1])));
    }
}

/* The quaternion of a turn by less than pi */
static inline void apart(const double *A1, const double *A2, double *p)
{
    double T[9], Q[9], v[3];
    for (int i = 0; i < 9; i++) T[i] = A1[i % 3 * 3 + i / 3];
    sn_matmul3(A2, T, Q);
    if (rotation_vector(Q, v)) memset(v, 0, sizeof v);
    sn_quat_exp(v, p);
}

/* All numbers c and their derivatives dc by parameter `index` (-1: zeros) */
static inline trouble make_constants(const sn_in *in, int index, constants *c, constants *dc)
{
    numbers n;
    trouble wrong;
    memset(c, 0, sizeof *c);
    memset(dc, 0, sizeof *dc);
    if ((wrong = section_axes(in, index, &n))) return wrong;
    if ((wrong = compliance(&n, c, dc))) return wrong;
    SET(h, n.h);
    SET(c, times(1.0 / 12, mul(n.h, n.h)));
    SET(m, mul(n.s[RHO_A], n.h));
    for (int i = 0; i < 3; i++) SET(kappa0[i], n.s[CURVATURE + i]);
    for (int e = 0; e < 2; e++) node_mass(&n, e, c, dc);
    for (int i = 0; i < 6; i++) c->arms += in->s[OFFSET1 + i] != 0;
    c->off_axis = in->s[CENTRE] != 0 || in->s[CENTRE + 1] != 0;
    c->plain = 1;
    for (int i = 0; i < 36; i++) c->plain *= i % 7 == 0 || c->S[i] == 0;
    apart(c->A[0], c->A[1], c->apart);
    return FINE;
}
#undef SET

#endif
