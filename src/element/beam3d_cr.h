/* Numerical body of beam3d_cr: numbers made once for each element, kinematics, forces. Read the head of
   beam3d_cr.c first; only that file includes this one. Variations are in beam3d_cr_vary.h.

   Local vectors of 12 are (d1, phi1, d2, phi2): translations and spins (or forces and moments) of the two
   beam ends in the axes E of the chord. With B_i = E'R_i R0 the local rotation of end i, p_i its second
   column, q = (p_1 + p_2)/2, the spin of E is (Nour-Omid, Rankin 1991) w3 = (d2y - d1y)/l,  w2 = -(d2z -
   d1z)/l,  w1 = eta w2 + sum a_i phi_ix - b_i phi_iy, a_i = p_iy/(2 q_y), b_i = p_ix/(2 q_y), eta = q_x/q_y;
   in short w = G'd. */
#ifndef SN_ELEMENT_BEAM3D_CR_H
#define SN_ELEMENT_BEAM3D_CR_H

#include "math/rot3.h"
#include "sinew/class.h"

enum {
    EA,
    EI_Y,
    EI_Z,
    GJ,
    KGA_Y,
    KGA_Z,
    RHO_A,
    RHO_I_Y,
    RHO_I_Z,
    RHO_J,
    DAMPING,
    DAMPING_MASS,
    ORIENTATION,
    OFFSET1 = ORIENTATION + 3,
    OFFSET2 = OFFSET1 + 3,
    NS = OFFSET2 + 3
};
enum { OPT_MASS };
enum { CONSISTENT, LINEAR, LUMPED };
/* parts of the force; ARMS: moments about the nodes, not the eccentric ends; SHEAR: what finite shear adds */
enum { STRESS = 1, INERTIA = 2, LOAD = 4, ARMS = 8, SHEAR = 16 };

/* Bending about one axis: stiffness (same end, other end); mass: lateral, lateral with rotation, rotation */
typedef struct bending {
    double k1, k2, n1, n2, r1, r2, s1, s2;
} bending;

/* What a force a length (A: its sum, B: its end moments) and a moment a length (F: by the chord's spin, D: by
   that of the ends) do */
typedef struct load {
    double A, B, F[2], D[3];
} load;

typedef struct constants {
    double by, bz;                           /* share of the ends' mean rotation that is shear */
    double L, R0[9], ea, gj, a1, a2, t1, t2; /* EA/L, GJ/L; axial and torsional mass */
    bending y, z;                            /* about y, about z */
    double J[9];                             /* inertia of each node, in its axes (linear and lumped mass) */
    load weight, line;
} constants;

/* A value and its derivative */
typedef struct dual {
    double x, d;
} dual;

static inline dual add(dual a, dual b) { return (dual){a.x + b.x, a.d + b.d}; }
static inline dual sub(dual a, dual b) { return (dual){a.x - b.x, a.d - b.d}; }
static inline dual mul(dual a, dual b) { return (dual){a.x * b.x, a.x * b.d + a.d * b.x}; }
static inline dual over(dual a, dual b) { return (dual){a.x / b.x, (a.d - a.x / b.x * b.d) / b.x}; }
static inline dual times(double s, dual a) { return (dual){s * a.x, s * a.d}; }
static inline dual poly(dual f, double a, double b, double c)
{
    return (dual){a + f.x * (b + f.x * c), f.d * (b + 2 * f.x * c)};
}

typedef struct motion {
    double l, il, E[9], R[2][9], S[2][9], B[2][9]; /* S_i = E'R_i */
    double a[2], b[2], eta, iq;                    /* iq = 1/(2 q_y) */
    double th[2][3], tb[2], dtb[2];        /* log B_i; T^-1 = 1 - th~/2 + tb th~^2, dtb = 2 dtb/d(th^2) */
    double V[12], A[12], W[3], rate[2][3]; /* velocity, acceleration, spin of E, rate of th */
    double c[2][3], Ve[2][3], Ae[2][3];    /* arms to the eccentric ends, what they add to V and A */
    double g[3], gm[3];                    /* load: force, moment */
    double u[3], H[9];                     /* finite shear: forces, stiffness */
    int shear, dead, arms, field, rates;   /* field: inertia is that of V, A; rates: V is needed */
} motion;

typedef struct forces {
    double N, m[2][3], mu[2][3], P[12], kap[3], f[12];
} forces;

/* y += s u x v */
static inline void add_cross(double s, const double *u, const double *v, double *y)
{
    y[0] += s * (u[1] * v[2] - u[2] * v[1]);
    y[1] += s * (u[2] * v[0] - u[0] * v[2]);
    y[2] += s * (u[0] * v[1] - u[1] * v[0]);
}

/* b of T^-1 and 2 db/d(t^2) */
static inline void inverse_tangent(double t2, double *b, double *db)
{
    static const double k[] = {1.0 / 12,
                               1.0 / 720,
                               1.0 / 30240,
                               1.0 / 1209600,
                               1.0 / 47900160,
                               691.0 / 1307674368000,
                               1.0 / 74724249600,
                               3617.0 / 10670622842880000,
                               43867.0 / 5109094217170944000,
                               174611.0 / 802857662698291200000.0};
    if (t2 < 1) {
        double x = k[9], y = 9 * k[9];
        for (int i = 8; i >= 0; i--) x = x * t2 + k[i];
        for (int i = 8; i >= 1; i--) y = y * t2 + i * k[i];
        *b = x;
        *db = 2 * y;
        return;
    }
    double t = sqrt(t2), s = sin(0.5 * t), cot = cos(0.5 * t) / s;
    *b = 1 / t2 - cot / (2 * t);
    *db = (-2 / t2 + cot / (2 * t) + 1 / (4 * s * s)) / t2;
}

/* th of the rotation B; its length below pi */
static inline sn_status local_rotation(const double *B, double *th)
{
    double a[3] = {0.5 * (B[7] - B[5]), 0.5 * (B[2] - B[6]), 0.5 * (B[3] - B[1])};
    double x = sn_dot3(a, a), c = 0.5 * (B[0] + B[4] + B[8] - 1), f, s;
    if (x < 0.01 && c > 0) {
        f = 1 +
            x * (1.0 / 6 +
                 x * (3.0 / 40 +
                      x * (5.0 / 112 + x * (35.0 / 1152 +
                                            x * (63.0 / 2816 + x * (231.0 / 13312 + x * (143.0 / 10240)))))));
    } else {
        s = sqrt(x);
        if (s < 1e-8) return SN_ERR_NUMERIC;
        f = atan2(s, c) / s;
    }
    for (int i = 0; i < 3; i++) th[i] = f * a[i];
    return SN_OK;
}

/* (1 + s th~ + b th~^2) x: T^-1 for s = -1/2, its transpose for s = 1/2 */
static inline void turn_form(double s, double b, const double *th, const double *x, double *y)
{
    double u[3], v[3];
    sn_cross3(th, x, u);
    sn_cross3(th, u, v);
    for (int i = 0; i < 3; i++) y[i] = x[i] + s * u[i] + b * v[i];
}

/* w = G'd */
static inline void frame_spin(const motion *k, const double *d, double *w)
{
    w[2] = (d[7] - d[1]) * k->il;
    w[1] = (d[2] - d[8]) * k->il;
    w[0] = k->eta * w[1] + k->a[0] * d[3] - k->b[0] * d[4] + k->a[1] * d[9] - k->b[1] * d[10];
}

/* f += G kap */
static inline void add_spin_force(const motion *k, const double *kap, double *f)
{
    double y = kap[2] * k->il, z = -(kap[1] + k->eta * kap[0]) * k->il;
    f[1] -= y;
    f[2] -= z;
    f[7] += y;
    f[8] += z;
    for (int i = 0; i < 2; i++) {
        f[3 + 6 * i] += k->a[i] * kap[0];
        f[4 + 6 * i] -= k->b[i] * kap[0];
    }
}

/* Chord, its axes, local rotations */
static inline sn_status place(const sn_in *in, motion *k)
{
    const constants *c = (const constants *)in->c;
    const double *q = in->q, e2[3] = {c->R0[1], c->R0[4], c->R0[7]};
    double x[3], u[3], v[3], arm[3], l2, n;
    for (int i = 0; i < 3; i++) x[i] = q[7 + i] - q[i];
    k->arms = k->shear = 0;
    for (int i = 0; i < 6; i++) k->arms |= in->s[OFFSET1 + i] != 0;
    for (int i = 0; i < 2; i++) {
        sn_quat_matrix(q + 7 * i + 3, k->R[i]);
        if (!k->arms) continue;
        sn_mul3(k->R[i], in->s + OFFSET1 + 3 * i, arm);
        for (int j = 0; j < 3; j++) x[j] += i ? arm[j] : -arm[j];
    }
    l2 = sn_dot3(x, x);
    if (!(l2 > 0)) return SN_ERR_NUMERIC;
    k->l = sqrt(l2);
    k->il = 1 / k->l;
    for (int i = 0; i < 3; i++) x[i] *= k->il;
    sn_mul3(k->R[0], e2, u);
    sn_mul3(k->R[1], e2, v);
    for (int i = 0; i < 3; i++) u[i] += v[i];
    sn_cross3(x, u, v);
    n = sqrt(sn_dot3(v, v)); /* 2 q_y */
    if (!(n > 1e-9)) return SN_ERR_NUMERIC;
    k->iq = 1 / n;
    for (int i = 0; i < 3; i++) v[i] *= k->iq;
    sn_cross3(v, x, u);
    for (int i = 0; i < 3; i++) {
        k->E[3 * i] = x[i];
        k->E[3 * i + 1] = u[i];
        k->E[3 * i + 2] = v[i];
    }
    for (int i = 0; i < 2; i++) {
        sn_tmatmul3(k->E, k->R[i], k->S[i]);
        sn_matmul3(k->S[i], c->R0, k->B[i]);
        k->a[i] = k->B[i][4] * k->iq;
        k->b[i] = k->B[i][1] * k->iq;
        SN_TRY(local_rotation(k->B[i], k->th[i]));
        inverse_tangent(sn_dot3(k->th[i], k->th[i]), &k->tb[i], &k->dtb[i]);
        if (k->arms) sn_mul3(k->S[i], in->s + OFFSET1 + 3 * i, k->c[i]);
    }
    k->eta = k->b[0] + k->b[1];
    return SN_OK;
}

/* What the arms add: V x c, and A x c + V x (V x c) */
static inline void arm_rates(const double *V, const double *A, const double *c, double *Ve, double *Ae)
{
    sn_cross3(V, c, Ve);
    sn_cross3(A, c, Ae);
    add_cross(1, V, Ve, Ae);
}

static inline void move_rates(const sn_in *in, motion *k)
{
    double x[3];
    for (int i = 0; i < 2; i++) {
        double *V = k->V + 6 * i, *A = k->A + 6 * i;
        sn_tmul3(k->E, in->v + 6 * i, V);
        sn_mul3(k->S[i], in->v + 6 * i + 3, V + 3);
        sn_tmul3(k->E, in->a + 6 * i, A);
        sn_mul3(k->S[i], in->a + 6 * i + 3, A + 3);
        if (!k->arms) continue;
        arm_rates(V + 3, A + 3, k->c[i], k->Ve[i], k->Ae[i]);
        for (int j = 0; j < 3; j++) {
            V[j] += k->Ve[i][j];
            A[j] += k->Ae[i][j];
        }
    }
    frame_spin(k, k->V, k->W);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 3; j++) x[j] = k->V[6 * i + 3 + j] - k->W[j];
        turn_form(-0.5, k->tb[i], k->th[i], x, k->rate[i]);
    }
}

/* Finite shear (Reissner 1973): a section whose normal stands at the angle g, |g|^2 = n, to the chord has the
   strains (l/L) cos g - 1 along it and (l/L) sin g across, instead of (l - L)/L and g. The energy by which
   they differ, U = EA/2L ((l c - L)^2 - (l - L)^2) + (l^2 s^2 - L^2)/2L (kGA_y gz^2 + kGA_z gy^2), c = 1 -
   n/2 + n^2/24 and s = 1 - n/6, by l, gy, gz; x are l, gy, gz, EA, L, kGA_y, kGA_z. Returns U. */
static inline dual shear_forces(const dual *x, dual *u)
{
    const dual l = x[0], gy = x[1], gz = x[2], L = x[4];
    dual n = add(mul(gy, gy), mul(gz, gz)), S = add(mul(x[5], mul(gz, gz)), mul(x[6], mul(gy, gy)));
    dual c = poly(n, 1, -0.5, 1.0 / 24), s = poly(n, 1, -1.0 / 6, 0), ls = mul(l, s), k = over(x[3], L);
    dual a = sub(mul(l, c), L), b = sub(l, L), e = over(sub(mul(ls, ls), mul(L, L)), L);
    dual un =
        sub(mul(k, mul(mul(a, l), poly(n, -0.5, 1.0 / 12, 0))), times(1.0 / 6, mul(over(mul(l, ls), L), S)));
    u[0] = add(mul(k, sub(mul(a, c), b)), mul(over(mul(s, ls), L), S));
    u[1] = mul(gy, add(times(2, un), mul(e, x[6])));
    u[2] = mul(gz, add(times(2, un), mul(e, x[5])));
    return times(0.5, add(mul(k, sub(mul(a, a), mul(b, b))), mul(e, S)));
}

/* Where finite shear is: l, gy, gz and the numbers it depends on */
static inline void shear_state(const sn_in *in, const motion *k, dual *x)
{
    const constants *c = (const constants *)in->c;
    const double y[7] = {k->l,
                         0.5 * c->by * (k->th[0][1] + k->th[1][1]),
                         0.5 * c->bz * (k->th[0][2] + k->th[1][2]),
                         in->s[EA],
                         c->L,
                         in->s[KGA_Y],
                         in->s[KGA_Z]};
    for (int i = 0; i < 7; i++) x[i] = (dual){y[i], 0};
}

/* u by l and the rotations of each end; tangent: also its derivatives H by l and both rotations */
static inline void finite_shear(const sn_in *in, motion *k, int tangent)
{
    const constants *c = (const constants *)in->c;
    const double f[3] = {1, 0.5 * c->by, 0.5 * c->bz};
    dual x[7], u[3];
    k->shear = c->by != 0 || c->bz != 0;
    if (!k->shear) return;
    shear_state(in, k, x);
    for (int j = 0; j < (tangent ? 3 : 1); j++) {
        x[j].d = 1;
        shear_forces(x, u);
        x[j].d = 0;
        for (int i = 0; i < 3; i++) {
            k->u[i] = f[i] * u[i].x;
            k->H[3 * i + j] = f[i] * f[j] * u[i].d;
        }
    }
}

static inline sn_status move(const sn_in *in, motion *k)
{
    SN_TRY(place(in, k));
    finite_shear(in, k, 0);
    /* a constant mass of points has no field of its own, unless it is eccentric */
    k->field = in->opt[OPT_MASS] == CONSISTENT || k->arms;
    k->rates = k->field || in->s[DAMPING] != 0;
    if (k->rates) move_rates(in, k);
    sn_tmul3(k->E, in->g, k->g);
    k->gm[0] = k->gm[1] = k->gm[2] = 0;
    k->dead = 1;
    return SN_OK;
}

/* p = Ml u */
static inline void mass_times(const constants *c, const double *u, double *p)
{
    const bending *z = &c->z, *y = &c->y;
    p[0] = c->a1 * u[0] + c->a2 * u[6];
    p[6] = c->a2 * u[0] + c->a1 * u[6];
    p[3] = c->t1 * u[3] + c->t2 * u[9];
    p[9] = c->t2 * u[3] + c->t1 * u[9];
    p[1] = z->n1 * u[1] + z->n2 * u[7] + z->r1 * u[5] - z->r2 * u[11];
    p[7] = z->n2 * u[1] + z->n1 * u[7] + z->r2 * u[5] - z->r1 * u[11];
    p[5] = z->r1 * u[1] + z->r2 * u[7] + z->s1 * u[5] + z->s2 * u[11];
    p[11] = z->s1 * u[11] + z->s2 * u[5] - z->r2 * u[1] - z->r1 * u[7];
    p[2] = y->n1 * u[2] + y->n2 * u[8] - y->r1 * u[4] + y->r2 * u[10];
    p[8] = y->n2 * u[2] + y->n1 * u[8] - y->r2 * u[4] + y->r1 * u[10];
    p[4] = y->s1 * u[4] + y->s2 * u[10] - y->r1 * u[2] - y->r2 * u[8];
    p[10] = y->s1 * u[10] + y->s2 * u[4] + y->r2 * u[2] + y->r1 * u[8];
}

/* Moments of the deformations e_1, e_2 */
static inline void stress_moments(const constants *c, const double *e1, const double *e2, double *m1,
                                  double *m2)
{
    m1[0] = c->gj * (e1[0] - e2[0]);
    m2[0] = -m1[0];
    m1[1] = c->y.k1 * e1[1] + c->y.k2 * e2[1];
    m2[1] = c->y.k2 * e1[1] + c->y.k1 * e2[1];
    m1[2] = c->z.k1 * e1[2] + c->z.k2 * e2[2];
    m2[2] = c->z.k2 * e1[2] + c->z.k1 * e2[2];
}

/* Deformation that is stressed: elongation e[0] (with L of the reference), th_i, and damping times their
 * rates */
static inline double deformation(const motion *k, double L, double d, double e[2][3])
{
    double x = k->l - L;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) e[i][j] = k->th[i][j];
    if (d == 0) return x;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) e[i][j] += d * k->rate[i][j];
    return x + d * (k->V[6] - k->V[0]);
}

/* Inertia: f = Ml (A - W x V + dm V) + W x P - (0, V_r x P_r), kap += sum V x P, with P = Ml V */
static inline void inertia_force(const motion *k, const constants *c, double dm, forces *s)
{
    double x[12];
    mass_times(c, k->V, s->P);
    for (int i = 0; i < 12; i++) x[i] = k->A[i] + dm * k->V[i];
    for (int i = 0; i < 12; i += 3) add_cross(-1, k->W, k->V + i, x + i);
    mass_times(c, x, s->f);
    for (int i = 0; i < 12; i += 3) {
        add_cross(1, k->W, s->P + i, s->f + i);
        add_cross(1, k->V + i, s->P + i, s->kap);
    }
    for (int i = 3; i < 12; i += 6) add_cross(-1, k->V + i, s->P + i, s->f + i);
}

/* Load on the mean place (x1 + x2)/2 + B/A (th1 - th2) x e1 and on the mean rotation of the sections */
static inline void load_force(const motion *k, const load *p, forces *s)
{
    const double *g = k->g, *t1 = k->th[0], *t2 = k->th[1];
    const double x[3] = {0, t1[2] - t2[2], t2[1] - t1[1]};
    for (int i = 0; i < 3; i++) {
        s->f[i] -= 0.5 * p->A * g[i];
        s->f[6 + i] -= 0.5 * p->A * g[i];
        s->f[3 + i] -= p->D[i] * k->gm[i];
        s->f[9 + i] -= p->D[i] * k->gm[i];
    }
    s->m[0][1] += p->B * g[2];
    s->m[0][2] -= p->B * g[1];
    s->m[1][1] -= p->B * g[2];
    s->m[1][2] += p->B * g[1];
    add_cross(p->B, g, x, s->kap);
    s->kap[1] -= p->F[0] * k->gm[1];
    s->kap[2] -= p->F[1] * k->gm[2];
}

/* The chosen parts of the residual in local axes: linear in c, p, N, e. */
static inline void local_force(const motion *k, const constants *c, const load *p, double dm, double N,
                               double e[2][3], int parts, forces *s)
{
    for (int i = 0; i < 12; i++) s->f[i] = s->P[i] = 0;
    for (int i = 0; i < 3; i++) s->kap[i] = s->m[0][i] = s->m[1][i] = 0;
    if ((parts & INERTIA) && k->field) inertia_force(k, c, dm, s);
    s->N = 0;
    if (parts & STRESS) {
        s->N = N;
        stress_moments(c, e[0], e[1], s->m[0], s->m[1]);
    }
    if ((parts & SHEAR) && k->shear) {
        s->N += k->u[0];
        for (int i = 0; i < 2; i++) s->m[i][1] += k->u[1], s->m[i][2] += k->u[2];
    }
    if (parts & LOAD) load_force(k, p, s);
    for (int i = 0; i < 2; i++) {
        turn_form(0.5, k->tb[i], k->th[i], s->m[i], s->mu[i]);
        for (int j = 0; j < 3; j++) {
            s->f[6 * i + 3 + j] += s->mu[i][j];
            s->kap[j] -= s->mu[i][j];
        }
    }
    s->f[0] -= s->N;
    s->f[6] += s->N;
    add_spin_force(k, s->kap, s->f);
    if (!k->arms || !(parts & ARMS)) return;
    for (int i = 0; i < 2; i++) add_cross(1, k->c[i], s->f + 6 * i, s->f + 6 * i + 3);
}

/* Local force to the nodes: forces global, moments in body axes */
static inline void add_nodes(const motion *k, const double *f, double *r)
{
    double x[3];
    for (int i = 0; i < 2; i++) {
        sn_mul3(k->E, f + 6 * i, x);
        for (int j = 0; j < 3; j++) r[6 * i + j] += x[j];
        sn_tmul3(k->S[i], f + 6 * i + 3, x);
        for (int j = 0; j < 3; j++) r[6 * i + 3 + j] += x[j];
    }
}

/* Constant mass of linear translations, bodies at the nodes: J A + W x J W + dm J W, and the same for x */
static inline void constant_inertia(const sn_in *in, const motion *k, const constants *c, double dm,
                                    double *r)
{
    const double *v = in->v, *a = in->a;
    double p[3], x[3];
    for (int i = 0; i < 3 && !k->field; i++) {
        double x1 = a[i] + dm * v[i], x2 = a[6 + i] + dm * v[6 + i];
        r[i] += c->a1 * x1 + c->a2 * x2;
        r[6 + i] += c->a2 * x1 + c->a1 * x2;
    }
    for (int i = 3; i < 12; i += 6) {
        sn_mul3(c->J, v + i, p);
        for (int j = 0; j < 3; j++) x[j] = a[i + j] + dm * v[i + j];
        sn_mul3(c->J, x, x);
        add_cross(1, v + i, p, x);
        for (int j = 0; j < 3; j++) r[i + j] += x[j];
    }
}

#endif
