/* Kinematics, section forces and numbers of beam2d_ge. Read the head of beam2d_ge.c first; only that file
   includes this one.

   Sections are turned by f_i = theta_i + a_i. With psi = f2 - f1, m = (f1 + f2)/2 and e = R(m)'(x2 - x1), the
   helix of the plane is an arc, and J_l^-1(psi) u = g e, g = (psi/2)/sin(psi/2). All forces are those on z =
   (x2 - x1, m, psi), vectors along the axes R(m) held still; y = (g e, psi) = h (gamma, kappa) and dy = B dz.
   Section forces: beam3d_ge_strain.h with A = [0 -k 0; k 0 0; 0 1 0]. */
#ifndef SN_ELEMENT_BEAM2D_GE_H
#define SN_ELEMENT_BEAM2D_GE_H

#include <math.h>
#include <string.h>

#include "element/beam_ge_field.h"
#include "math/dual.h"
#include "sinew/class.h"

enum { EA, KGA, EI, RHO_A, RHO_I, DAMPING, DAMPING_MASS, CURVATURE, STIFFNESS, CENTRE = STIFFNESS + 9, NS };
enum { OPT_MASS };
enum { Z = 4 }; /* x2 - x1, m, psi */

typedef struct constants {
    double h, a[2], kappa0;     /* length along the axis; turns of the sections in the reference */
    double S[9], c;             /* compliance; h^2/12 */
    double m, J;                /* mass; half of the rotary inertia */
    double body[2][VECTORS][2]; /* slopes and arms in the nodes' axes; places: 0 */
    double off_axis;            /* whether mass is eccentric */
} constants;

typedef struct motion {
    double c, s, e[2], psi, g, g1, g2; /* R(m); g and its derivatives by psi */
    double axis[2][2];                 /* of the sections */
} motion;

typedef struct strain {
    double y[3], kappa, eps[3], F[9]; /* F F' = S + c A'S A, reciprocals on the diagonal */
    double tau[3], b[3], s[3];        /* b = S A tau; s without damping */
    double rate[3], w[3];             /* dy/dt; what damping makes of it, M^-1 dy/dt / h */
    double v[Z];                      /* dz/dt */
    double force[3], T[Z];            /* s with damping; forces on z */
} strain;

static const double two_pi = 6.283185307179586476925;

/* ---- kinematics ---- */

/* g and two derivatives by psi */
static inline void arc_numbers(double psi, motion *k)
{
    static const double of[] = {1.0,
                                1.0 / 6,
                                7.0 / 360,
                                31.0 / 15120,
                                127.0 / 604800,
                                73.0 / 3421440,
                                1414477.0 / 653837184000.0,
                                8191.0 / 37362124800.0,
                                16931177.0 / 762187345920000.0};
    const double x = 0.5 * psi, z = x * x;
    if (z < 0.09) {
        double a = of[8], b = 16 * of[8], d = 240 * of[8];
        for (int i = 7; i >= 0; i--) a = a * z + of[i];
        for (int i = 7; i >= 1; i--) b = b * z + 2 * i * of[i], d = d * z + 2 * i * (2 * i - 1) * of[i];
        k->g = a, k->g1 = 0.5 * x * b, k->g2 = 0.25 * d;
        return;
    }
    const double s = sin(x), c = cos(x), d = (s - x * c) / (s * s);
    k->g = x / s, k->g1 = 0.5 * d, k->g2 = 0.25 * (x - 2 * c * d) / s;
}

static inline sn_status place(const sn_in *in, motion *k)
{
    const constants *c = (const constants *)in->c;
    const double *q = in->q, dx = q[3] - q[0], dy = q[4] - q[1], f1 = q[2] + c->a[0];
    double psi = q[5] + c->a[1] - f1, d, n;
    if (fabs(psi) > 0.5 * two_pi) psi -= two_pi * round(psi / two_pi);
    if (!(fabs(psi) <= 0.5 * two_pi)) return SN_ERR_NUMERIC;
    k->psi = psi;
    k->c = cos(f1 + 0.5 * psi), k->s = sin(f1 + 0.5 * psi);
    d = cos(0.5 * psi), n = sin(0.5 * psi);
    for (int i = 0; i < 2; i++, n = -n) {
        k->axis[i][0] = k->c * d + k->s * n;
        k->axis[i][1] = k->s * d - k->c * n;
    }
    k->e[0] = k->c * dx + k->s * dy, k->e[1] = k->c * dy - k->s * dx;
    arc_numbers(psi, k);
    return SN_OK;
}

/* dy = B dz */
static inline void strain_change(const motion *k, const double *dz, double *dy)
{
    dy[0] = k->g * (dz[0] + k->e[1] * dz[2]) + k->g1 * k->e[0] * dz[3];
    dy[1] = k->g * (dz[1] - k->e[0] * dz[2]) + k->g1 * k->e[1] * dz[3];
    dy[2] = dz[3];
}

static inline void pulled_back(const motion *k, const double *s, double *T)
{
    T[0] = k->g * s[0], T[1] = k->g * s[1];
    T[2] = k->g * (s[0] * k->e[1] - s[1] * k->e[0]);
    T[3] = s[2] + k->g1 * (s[0] * k->e[0] + s[1] * k->e[1]);
}

/* dz by change of the nodes, and forces of nodes by those on z */
static inline void of_nodes(const motion *k, const double *d, double *z)
{
    const double x = d[3] - d[0], y = d[4] - d[1];
    z[0] = k->c * x + k->s * y, z[1] = k->c * y - k->s * x;
    z[2] = 0.5 * (d[2] + d[5]), z[3] = d[5] - d[2];
}

static inline void on_nodes(const motion *k, const double *T, double *r)
{
    const double x = k->c * T[0] - k->s * T[1], y = k->s * T[0] + k->c * T[1];
    r[0] -= x, r[1] -= y, r[3] += x, r[4] += y;
    r[2] += 0.5 * T[2] - T[3], r[5] += 0.5 * T[2] + T[3];
}

/* ---- section forces ---- */

static inline void couple(double kappa, const double *x, double *y) /* A x */
{
    y[0] = -kappa * x[1], y[1] = kappa * x[0], y[2] = x[1];
}
static inline void couple_transposed(double kappa, const double *x, double *y) /* A'x */
{
    const double a = x[0];
    y[0] = kappa * x[1], y[1] = x[2] - kappa * a, y[2] = 0;
}
static inline double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void times3(const double *A, const double *x, double *y)
{
    for (int i = 0; i < 3; i++) y[i] = dot3(A + 3 * i, x);
}

/* x = M^-1 x, F the factor of M = S + c A'S A */
static inline void solve(const double *F, double *x)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < i; j++) x[i] -= F[3 * i + j] * x[j];
        x[i] *= F[4 * i];
    }
    for (int i = 2; i >= 0; i--) {
        for (int j = i + 1; j < 3; j++) x[i] -= F[3 * j + i] * x[j];
        x[i] *= F[4 * i];
    }
}

static inline sn_status factor(const double *M, double *F)
{
    for (int j = 0; j < 3; j++) {
        double d = M[4 * j];
        for (int l = 0; l < j; l++) d -= F[3 * j + l] * F[3 * j + l];
        if (!(d > 0)) return SN_ERR_NUMERIC;
        F[4 * j] = d = 1 / sqrt(d);
        for (int i = j + 1; i < 3; i++) {
            double x = M[3 * i + j];
            for (int l = 0; l < j; l++) x -= F[3 * i + l] * F[3 * j + l];
            F[3 * i + j] = x * d;
        }
    }
    return SN_OK;
}

/* The part c A'S A of M at a curvature; y = that times x for any compliance S */
static inline void equilibrium_times(const double *S, double c, double kappa, const double *x, double *y)
{
    double a[3], b[3];
    couple(kappa, x, a);
    times3(S, a, b);
    couple_transposed(kappa, b, y);
    for (int i = 0; i < 3; i++) y[i] *= c;
}

/* c (A1'S A + A'S A1) x: its change with the curvature, A1 = dA/dkappa */
static inline void equilibrium_change(const constants *c, double kappa, const double *x, double *y)
{
    const double turned[3] = {-x[1], x[0], 0};
    double a[3], b[3], d[3], w[3];
    couple(kappa, x, a);
    times3(c->S, a, b);
    times3(c->S, turned, d);
    couple_transposed(kappa, d, w);
    y[0] = c->c * (b[1] + w[0]), y[1] = c->c * (w[1] - b[0]), y[2] = c->c * w[2];
}

static inline sn_status stress(const sn_in *in, const motion *k, const constants *c, strain *e)
{
    const double ih = 1 / c->h, kappa = k->psi * ih;
    double M[9], A[3], x[3];
    e->y[0] = k->g * k->e[0], e->y[1] = k->g * k->e[1], e->y[2] = k->psi;
    e->kappa = kappa;
    e->eps[0] = e->y[0] * ih - 1, e->eps[1] = e->y[1] * ih, e->eps[2] = kappa - c->kappa0;
    for (int j = 0; j < 3; j++) {
        const double one[3] = {j == 0, j == 1, j == 2};
        equilibrium_times(c->S, c->c, kappa, one, x);
        for (int i = 0; i < 3; i++) M[3 * i + j] = c->S[3 * i + j] + x[i];
    }
    SN_TRY(factor(M, e->F));
    memcpy(e->tau, e->eps, sizeof e->tau);
    solve(e->F, e->tau);
    couple(kappa, e->tau, A);
    times3(c->S, A, e->b);
    memcpy(e->s, e->tau, sizeof e->s);
    e->s[2] -= c->c * (e->tau[0] * e->b[1] - e->tau[1] * e->b[0]);
    memcpy(e->force, e->s, sizeof e->s);
    if (in->s[DAMPING] != 0) {
        of_nodes(k, in->v, e->v);
        strain_change(k, e->v, e->rate);
        for (int i = 0; i < 3; i++) e->w[i] = e->rate[i] * ih;
        solve(e->F, e->w);
        for (int i = 0; i < 3; i++) e->force[i] += in->s[DAMPING] * e->w[i];
    }
    pulled_back(k, e->force, e->T);
    return SN_OK;
}

/* ds by a change of strain and of M's part with forces, deps = that of eps less dM tau but its curvature's */
static inline void stress_change(const constants *c, const strain *e, const double *deps, double dkappa,
                                 double *ds)
{
    const double *t = e->tau, turned[3] = {-t[1], t[0], 0};
    double x[3], y[3], d[3];
    equilibrium_change(c, e->kappa, t, y); /* also the change of d.b by tau, times c */
    for (int i = 0; i < 3; i++) x[i] = deps[i] - dkappa * y[i];
    solve(e->F, x);
    times3(c->S, turned, d);
    for (int i = 0; i < 3; i++) ds[i] = x[i];
    ds[2] -= dot3(y, x) + c->c * dot3(turned, d) * dkappa;
}

/* ---- numbers ---- */

typedef enum trouble { FINE, NO_LENGTH, TOO_CURVED, NOT_STIFF } trouble;

/* S = C^-1 of three rows, the middle one zero in both where shear is rigid */
static inline trouble compliance(const dual *s, constants *c, constants *dc)
{
    static const int diagonal[3] = {EA, KGA, EI};
    double C[9], dC[9], F[9] = {0}, X[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            dual x = times(0.5, add(s[STIFFNESS + 3 * i + j], s[STIFFNESS + 3 * j + i]));
            if (i == j) x = add(x, s[diagonal[i]]);
            C[3 * i + j] = x.x, dC[3 * i + j] = x.d;
        }
    const int rigid = C[4] == 0;
    if (rigid && (C[1] != 0 || C[5] != 0)) return NOT_STIFF;
    if (rigid) C[4] = 1;
    if (factor(C, F)) return NOT_STIFF;
    for (int i = 0; i < 3; i++)
        if (!(1 / (F[4 * i] * F[4 * i]) > 1e-13 * C[4 * i])) return NOT_STIFF;
    for (int j = 0; j < 3; j++) {
        double x[3] = {j == 0, j == 1 && !rigid, j == 2};
        solve(F, x);
        for (int i = 0; i < 3; i++) c->S[3 * i + j] = x[i];
    }
    for (int i = 0; i < 9; i++) {
        X[i] = 0;
        for (int l = 0; l < 3; l++) X[i] += dC[i / 3 * 3 + l] * c->S[3 * l + i % 3];
    }
    for (int i = 0; i < 9; i++) {
        dc->S[i] = 0;
        for (int l = 0; l < 3; l++) dc->S[i] -= c->S[i / 3 * 3 + l] * X[3 * l + i % 3];
    }
    return FINE;
}

/* asin(x)/x */
static inline dual arc_over_chord(dual x)
{
    double z = x.x * x.x, f, d;
    if (z < 0.01) {
        f = 1 + z * (1.0 / 6 + z * (3.0 / 40 + z * (5.0 / 112 + z * (35.0 / 1152 + z * 63.0 / 2816))));
        f += pow(z, 6) * (231.0 / 13312 + z * 143.0 / 10240);
        d = 1.0 / 3 + z * (3.0 / 10 + z * (15.0 / 56 + z * (35.0 / 144 + z * 315.0 / 1408)));
        d = x.x * (d + pow(z, 5) * (693.0 / 3328 + z * 1001.0 / 5120));
    } else {
        f = asin(x.x) / x.x, d = (1 / sqrt(1 - z) - f) / x.x;
    }
    return (dual){f, d * x.d};
}

/* Arc length and angle of the chord of an arc with the ends X and curvature k */
static inline trouble arc(const dual *X1, const dual *X2, dual k, dual *h, dual *along)
{
    const dual d[2] = {sub(X2[0], X1[0]), sub(X2[1], X1[1])},
               chord = root(add(mul(d[0], d[0]), mul(d[1], d[1])));
    const double size = fmax(fmax(fabs(X1[0].x), fabs(X1[1].x)), fmax(fabs(X2[0].x), fabs(X2[1].x)));
    const dual x = times(0.5, mul(k, chord));
    if (!(chord.x > 1e-14 * size)) return NO_LENGTH;
    if (!(fabs(x.x) < 0.9999)) return TOO_CURVED;
    *h = mul(chord, arc_over_chord(x));
    *along = (dual){atan2(d[1].x, d[0].x), (d[0].x * d[1].d - d[1].x * d[0].d) / (chord.x * chord.x)};
    return FINE;
}

/* The arc of a beam that is meshed (sn_line_axis), from end 1; x: places of the ends, curvature. */
static inline sn_status at_place(const double *x, int index, double xi, double *y, double *dy)
{
    dual v[5], h, along;
    for (int i = 0; i < 5; i++) v[i] = (dual){x[i], index == i};
    if (arc(v, v + 2, v[4], &h, &along)) return SN_ERR_NUMERIC;
    /* the chord up to there: its length, and its angle */
    const dual s = times(xi, h), half = times(0.5, mul(s, v[4]));
    const double z = half.x * half.x, t = half.x;
    const dual f = fabs(t) < 0.03 ? (dual){1 - z / 6 * (1 - z / 20 * (1 - z / 42)),
                                           -t / 3 * (1 - z / 10 * (1 - z / 28)) * half.d}
                                  : over(sine(half), half);
    const dual r = mul(s, f), a = add(along, sub(half, times(0.5, mul(h, v[4]))));
    const dual place[2] = {add(v[0], mul(r, cosine(a))), add(v[1], mul(r, sine(a)))};
    for (int i = 0; i < 2; i++) {
        y[i] = place[i].x;
        if (dy) dy[i] = place[i].d;
    }
    return SN_OK;
}

#define SET(field, expression)                                                                               \
    do {                                                                                                     \
        dual set_ = (expression);                                                                            \
        c->field = set_.x;                                                                                   \
        dc->field = set_.d;                                                                                  \
    } while (0)

/* All numbers c and their derivatives dc by parameter `index` (-1: zeros). An arc of the curvature k: its
   ends are turned by -+ h k/2 against the chord, of length 2/k sin(h k/2). */
static inline trouble make_constants(const sn_in *in, int index, constants *c, constants *dc)
{
    const double *X = in->X;
    dual s[NS], end[2][2], h, along;
    trouble wrong;
    *c = *dc = (constants){.h = 0};
    for (int i = 0; i < NS; i++) s[i] = (dual){in->s[i], index == i};
    for (int i = 0; i < 4; i++) {
        const int at = i / 2 * 3 + i % 2;
        end[i / 2][i % 2] = (dual){X[at], index == NS + at};
    }
    if ((wrong = arc(end[0], end[1], s[CURVATURE], &h, &along))) return wrong;
    if ((wrong = compliance(s, c, dc))) return wrong;
    SET(h, h);
    SET(c, times(1.0 / 12, mul(h, h)));
    SET(m, mul(s[RHO_A], h));
    SET(J, times(0.5, mul(s[RHO_I], h)));
    SET(kappa0, s[CURVATURE]);
    for (int i = 0; i < 2; i++) {
        const dual a = add(along, times(i ? 0.5 : -0.5, mul(h, s[CURVATURE])));
        SET(a[i], a);
        SET(body[i][SLOPE][0], mul(h, cosine(a)));
        SET(body[i][SLOPE][1], mul(h, sine(a)));
        SET(body[i][ARM][0], times(-1, mul(s[CENTRE], sine(a))));
        SET(body[i][ARM][1], mul(s[CENTRE], cosine(a)));
    }
    c->off_axis = in->s[CENTRE] != 0;
    return FINE;
}
#undef SET

#endif
