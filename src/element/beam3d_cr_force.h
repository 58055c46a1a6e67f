/* Forces of beam3d_cr, of both ends at once. Only beam3d_cr.c includes this file. */
#ifndef SN_ELEMENT_BEAM3D_CR_FORCE_H
#define SN_ELEMENT_BEAM3D_CR_FORCE_H

#include "element/beam3d_cr.h"

/* What the local force is made of: the beam's numbers, a load along it, damping of stress and of mass, and
   which parts are wanted. It is linear in the numbers and the load, so that their derivatives can stand here.
 */
typedef struct recipe {
    const constants *c;
    const load *p;
    double d, dm;
    int parts;
} recipe;

typedef struct pair_forces {
    pair m[3], P[6], f[6]; /* moments of the deformation, momenta, all forces */
    double N, kap[3];
} pair_forces;

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
static inline void shear_state(const sn_in *in, const pair_motion *k, dual *x)
{
    const constants *c = (const constants *)in->c;
    const double y[7] = {
        k->l,        0.5 * c->by * sum(k->th[1]), 0.5 * c->bz * sum(k->th[2]), in->s[EA], c->L, in->s[KGA_Y],
        in->s[KGA_Z]};
    for (int i = 0; i < 7; i++) x[i] = (dual){y[i], 0};
}

/* u by l and the rotations of each end; tangent: also its derivatives H by l and both rotations */
static inline void finite_shear(const sn_in *in, pair_motion *k, int tangent)
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

static INLINE sn_status move(const sn_in *in, pair_motion *k)
{
    SN_TRY(place(in, k));
    finite_shear(in, k, 0);
    /* a constant mass of points has no field of its own, unless it is eccentric */
    k->field = in->opt[OPT_MASS] == CONSISTENT || k->arms;
    k->rates = k->field || in->s[DAMPING] != 0;
    if (k->rates) move_rates(in, k);
    if (in->s[DAMPING] != 0) strain_rates(k);
    sn_tmul3(k->E, in->g, k->g);
    k->gm[0] = k->gm[1] = k->gm[2] = 0;
    k->dead = 1;
    return SN_OK;
}

/* p = Ml u */
static INLINE void mass_times(const constants *c, const pair *u, pair *p)
{
    const bending *z = &c->z, *y = &c->y;
    const pair v1 = other(u[1]), v2 = other(u[2]), v4 = other(u[4]), v5 = other(u[5]);
    p[0] = c->a1 * u[0] + c->a2 * other(u[0]);
    p[3] = both(0);
    p[1] = z->n1 * u[1] + z->n2 * v1 + opposite * (z->r2 * v5 - z->r1 * u[5]);
    p[5] = z->s1 * u[5] + z->s2 * v5 - opposite * (z->r1 * u[1] + z->r2 * v1);
    p[2] = y->n1 * u[2] + y->n2 * v2 + opposite * (y->r1 * u[4] - y->r2 * v4);
    p[4] = y->s1 * u[4] + y->s2 * v4 + opposite * (y->r1 * u[2] + y->r2 * v2);
}

/* Moments of the deformation e */
static INLINE void stress_moments(const constants *c, const pair *e, pair *m)
{
    m[0] = c->gj * (e[0] - other(e[0]));
    m[1] = c->y.k1 * e[1] + c->y.k2 * other(e[1]);
    m[2] = c->z.k1 * e[2] + c->z.k2 * other(e[2]);
}

/* Deformation that is stressed: the elongation is returned, e = th, both with damping d times their rates */
static INLINE double deformation(const pair_motion *k, double L, double d, pair *e)
{
    for (int j = 0; j < 3; j++) e[j] = k->th[j];
    if (d == 0) return k->l - L;
    for (int j = 0; j < 3; j++) e[j] += d * k->rate[j];
    return k->l - L + d * (k->V[0][1] - k->V[0][0]);
}

/* Inertia: f = Ml (A - W x V + dm V) + W x P - (0, V_r x P_r), kap += sum V x P, with P = Ml V */
static INLINE void inertia_force(const pair_motion *k, const constants *c, double dm, pair_forces *s)
{
    const pair W[3] = {both(k->W[0]), both(k->W[1]), both(k->W[2])};
    pair x[6], y[3];
    mass_times(c, k->V, s->P);
    for (int i = 0; i < 6; i++) x[i] = k->A[i] + dm * k->V[i];
    add_cross2(k->V, W, x);
    add_cross2(k->V + 3, W, x + 3);
    mass_times(c, x, s->f);
    cross2(k->V + 3, s->P + 3, y);
    add_cross2(W, s->P, s->f);
    add_cross2(W, s->P + 3, s->f + 3);
    for (int i = 0; i < 3; i++) s->f[3 + i] -= y[i];
    add_cross2(k->V, s->P, y);
    for (int i = 0; i < 3; i++) s->kap[i] += sum(y[i]);
}

/* Load on the mean place (x1 + x2)/2 + B/A (th1 - th2) x e1 and on the mean rotation of the sections */
static INLINE void load_force(const pair_motion *k, const load *p, pair_forces *s)
{
    const double *g = k->g;
    const double x[3] = {0, k->th[2][0] - k->th[2][1], k->th[1][1] - k->th[1][0]};
    for (int i = 0; i < 3; i++) {
        s->f[i] -= both(0.5 * p->A * g[i]);
        s->f[3 + i] -= both(p->D[i] * k->gm[i]);
    }
    s->m[1] -= opposite * (p->B * g[2]);
    s->m[2] += opposite * (p->B * g[1]);
    add_cross(p->B, g, x, s->kap);
    s->kap[1] -= p->F[0] * k->gm[1];
    s->kap[2] -= p->F[1] * k->gm[2];
}

/* The chosen parts of the residual in local axes, with the axial force N and the deformation e, both with
   what damping adds: linear in a's numbers and load, N and e. */
static INLINE void local_force(const pair_motion *k, const recipe a, double N, const pair *e, pair_forces *s)
{
    const pair none = both(0);
    const int parts = a.parts;
    pair mu[3];
    s->kap[0] = s->kap[1] = s->kap[2] = 0;
    if ((parts & INERTIA) && k->field)
        inertia_force(k, a.c, a.dm, s);
    else
        for (int i = 0; i < 6; i++) s->f[i] = s->P[i] = none;
    s->N = 0;
    s->m[0] = s->m[1] = s->m[2] = none;
    if (parts & STRESS) {
        s->N = N;
        stress_moments(a.c, e, s->m);
    }
    if ((parts & SHEAR) && k->shear) {
        s->N += k->u[0];
        s->m[1] += k->u[1];
        s->m[2] += k->u[2];
    }
    if (parts & LOAD) load_force(k, a.p, s);
    turn_form(0.5, k->tb, k->th, s->m, mu);
    for (int j = 0; j < 3; j++) {
        s->f[3 + j] += mu[j];
        s->kap[j] -= sum(mu[j]);
    }
    s->f[0] += opposite * s->N;
    add_spin_force(k, s->kap, s->f);
    if (k->arms && (parts & ARMS)) add_cross2(k->c, s->f, s->f + 3);
}

/* Local force to the nodes: forces global, moments in body axes */
static INLINE void add_nodes(const pair_motion *k, const pair *f, double *r)
{
    pair x[6];
    for (int i = 0; i < 3; i++) x[i] = k->E[3 * i] * f[0] + k->E[3 * i + 1] * f[1] + k->E[3 * i + 2] * f[2];
    tmul2(k->S, f + 3, x + 3);
    for (int i = 0; i < 6; i++) {
        r[i] += x[i][0];
        r[6 + i] += x[i][1];
    }
}

/* Bodies at the nodes: J A + W x J W + dm J W; constant mass of linear translations: a and dm v */
static INLINE void constant_inertia(const sn_in *in, const pair_motion *k, const constants *c, double dm,
                                    double *r)
{
    const double *v = in->v, *a = in->a;
    const pair W[3] = {{v[3], v[9]}, {v[4], v[10]}, {v[5], v[11]}};
    pair J[9], P[3], y[3], x[3] = {{a[3], a[9]}, {a[4], a[10]}, {a[5], a[11]}};
    for (int i = 0; i < 3 && !k->field; i++) {
        double x1 = a[i] + dm * v[i], x2 = a[6 + i] + dm * v[6 + i];
        r[i] += c->a1 * x1 + c->a2 * x2;
        r[6 + i] += c->a2 * x1 + c->a1 * x2;
    }
    for (int i = 0; i < 9; i++) J[i] = both(c->J[i]);
    for (int i = 0; i < 3; i++) x[i] += dm * W[i];
    mul2(J, W, P);
    mul2(J, x, y);
    add_cross2(W, P, y);
    for (int i = 0; i < 3; i++) {
        r[3 + i] += y[i][0];
        r[9 + i] += y[i][1];
    }
}

#endif
