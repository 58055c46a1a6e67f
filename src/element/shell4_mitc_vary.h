/* Derivatives of shell4_mitc by its numbers, and its energies: the residual once more, node by node, in dual
   numbers. Only shell4_mitc.c includes this file. */
#ifndef SN_ELEMENT_SHELL4_MITC_VARY_H
#define SN_ELEMENT_SHELL4_MITC_VARY_H

#include "element/shell4_mitc_numbers.h"

enum { XR, XS, XD, D0, DR, DS, DD, MODES };

/* Modes, strains less those of the reference (m, b, g), bending strains without the roll factor f, whose
   derivative by d_0.d_0/2 is f1; stresses; and psi of the drill with R u, R w */
typedef struct varied {
    const constants *c, *dc;
    double R[4][9];
    dual v[MODES][3], e[16], b[6], f, f1, s[16], psi[4], U[4][3], W[4][3];
    double by_mass; /* 1: the number is damping_mass */
} varied;

/* Strains: the sum of one or two dots; those of one vector are halved */
static const int dots[16][4] = {{XR, XR},         {XS, XS},         {XR, XS},         {XR, XD},
                                {XS, XD},         {XD, XD},         {XR, DR},         {XS, DS},
                                {XR, DS, XS, DR}, {XR, DD, XD, DR}, {XS, DD, XD, DS}, {XD, DD},
                                {XR, D0, XD, DS}, {XR, DS, XD, D0}, {XS, D0, XD, DR}, {XS, DR, XD, D0}};

#define NUMBER(field) ((dual){k->c->field, k->dc->field})

static inline void turn(const double *R, const dual *x, dual *y) /* y = R x */
{
    dual z[3];
    for (int i = 0; i < 3; i++)
        z[i] = add(add(times(R[3 * i], x[0]), times(R[3 * i + 1], x[1])), times(R[3 * i + 2], x[2]));
    memcpy(y, z, sizeof z);
}
static inline void turn_back(const double *R, const dual *x, dual *y) /* y = R'x */
{
    dual z[3];
    for (int i = 0; i < 3; i++)
        z[i] = add(add(times(R[i], x[0]), times(R[3 + i], x[1])), times(R[6 + i], x[2]));
    memcpy(y, z, sizeof z);
}

/* v += the modes of the place (or its velocity) y and the director d of node i */
static inline void add_modes(int i, const dual *y, const dual *d, dual (*v)[3])
{
    for (int l = 0; l < 3; l++) {
        v[XR][l] = add(v[XR][l], times(xi_of[i], y[l]));
        v[XS][l] = add(v[XS][l], times(eta_of[i], y[l]));
        v[XD][l] = add(v[XD][l], times(both_of[i], y[l]));
        v[D0][l] = add(v[D0][l], d[l]);
        v[DR][l] = add(v[DR][l], times(xi_of[i], d[l]));
        v[DS][l] = add(v[DS][l], times(eta_of[i], d[l]));
        v[DD][l] = add(v[DD][l], times(both_of[i], d[l]));
    }
}

static inline void varied_modes(const sn_in *in, varied *k)
{
    memset(k->v, 0, sizeof k->v);
    for (int i = 0; i < 4; i++) {
        dual d[3], y[3];
        sn_quat_matrix(in->q + 7 * i + 3, k->R[i]);
        for (int l = 0; l < 3; l++) d[l] = NUMBER(D[l][i]), y[l] = NUMBER(o[l][i]);
        turn(k->R[i], d, d);
        turn(k->R[i], y, y);
        for (int l = 0; l < 3; l++) y[l].x += in->q[7 * i + l];
        add_modes(i, y, d, k->v);
    }
}

static inline void varied_strains(varied *k)
{
    const dual u = sub(constant(1), mul(dot(k->v[D0], k->v[D0]), NUMBER(roll)));
    const dual c = NUMBER(roll);
    k->f = poly(u, 1, c.x == 0 ? 0 : 1.0 / 6, c.x == 0 ? 0 : 7.0 / 72);
    k->f1 = mul(times(-2, c), poly(u, 1.0 / 6, 7.0 / 36, 0));
    for (int i = 0; i < 16; i++) {
        const int *p = dots[i];
        k->e[i] = dot(k->v[p[0]], k->v[p[1]]);
        if (p[0] == p[1]) k->e[i] = times(0.5, k->e[i]);
        if (p[2] || p[3]) k->e[i] = add(k->e[i], dot(k->v[p[2]], k->v[p[3]]));
    }
    for (int i = 0; i < 6; i++) k->b[i] = k->e[6 + i], k->e[6 + i] = mul(k->f, k->b[i]);
    for (int i = 0; i < 6; i++) {
        k->e[i] = sub(k->e[i], NUMBER(e0[MEM + i]));
        k->e[6 + i] = sub(k->e[6 + i], NUMBER(e0[BEND + i]));
    }
    for (int i = 0; i < 4; i++) k->e[12 + i] = sub(k->e[12 + i], NUMBER(e0[SHEAR + i]));
}

static inline void varied_stresses(varied *k)
{
    memset(k->s, 0, sizeof k->s);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            k->s[i] = add(k->s[i], mul(NUMBER(Cm[i][j]), k->e[j]));
            k->s[i] = add(k->s[i], mul(NUMBER(Cmb[i][j]), k->e[6 + j]));
            k->s[6 + i] = add(k->s[6 + i], mul(NUMBER(Cb[i][j]), k->e[6 + j]));
            k->s[6 + i] = add(k->s[6 + i], mul(NUMBER(Cmb[j][i]), k->e[j]));
        }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) k->s[12 + i] = add(k->s[12 + i], mul(NUMBER(Cg[i][j]), k->e[12 + j]));
}

static inline void varied_drill(varied *k)
{
    for (int i = 0; i < 4; i++) {
        for (int l = 0; l < 3; l++) k->U[i][l] = NUMBER(u[l][i]), k->W[i][l] = NUMBER(w[l][i]);
        turn(k->R[i], k->U[i], k->U[i]);
        turn(k->R[i], k->W[i], k->W[i]);
        k->psi[i] = add(dot(k->v[XR], k->U[i]), dot(k->v[XS], k->W[i]));
    }
}

static inline void vary(const sn_in *in, const constants *c, const constants *dc, varied *k)
{
    k->c = c, k->dc = dc, k->by_mass = 0;
    varied_modes(in, k);
    varied_strains(k);
    varied_stresses(k);
    varied_drill(k);
}

/* y = R (om x a) of node i, a number of which is NUMBER(field) */
#define TURNING(field, y)                                                                                    \
    do {                                                                                                     \
        const double *om_ = in->v + 6 * i + 3;                                                               \
        const dual w_[3] = {{om_[0], 0}, {om_[1], 0}, {om_[2], 0}};                                          \
        const dual a_[3] = {NUMBER(field[0][i]), NUMBER(field[1][i]), NUMBER(field[2][i])};                  \
        cross(w_, a_, y);                                                                                    \
        turn(k->R[i], y, y);                                                                                 \
    } while (0)

/* Stresses of e + d de/dt, psi + d dpsi/dt, d = `damping`; in->v counts */
static inline void varied_damping(const sn_in *in, int index, varied *k)
{
    const dual d = {in->s[SHELL_DAMPING], index == SHELL_DAMPING};
    dual v[MODES][3] = {{{0, 0}}}, y[3], x[3], h;
    for (int i = 0; i < 4; i++) {
        TURNING(o, y);
        TURNING(D, x);
        for (int l = 0; l < 3; l++) y[l].x += in->v[6 * i + l];
        add_modes(i, y, x, v);
    }
    h = dot(k->v[D0], v[D0]);
    for (int i = 0; i < 16; i++) {
        const int *p = dots[i];
        dual e = dot(k->v[p[0]], v[p[1]]);
        if (p[0] != p[1]) e = add(e, dot(v[p[0]], k->v[p[1]]));
        if (p[2] || p[3]) e = add(e, add(dot(k->v[p[2]], v[p[3]]), dot(v[p[2]], k->v[p[3]])));
        if (i >= 6 && i < 12) e = add(mul(k->f, e), mul(mul(k->f1, h), k->b[i - 6]));
        k->e[i] = add(k->e[i], mul(d, e));
    }
    varied_stresses(k);
    for (int i = 0; i < 4; i++) {
        TURNING(u, y);
        TURNING(w, x);
        const dual rate =
            add(add(dot(v[XR], k->U[i]), dot(v[XS], k->W[i])), add(dot(k->v[XR], y), dot(k->v[XS], x)));
        k->psi[i] = add(k->psi[i], mul(d, rate));
    }
}
#undef TURNING

static inline dual drill_moment(const varied *k, int i) /* (Q psi)_i */
{
    dual sum = {0, 0};
    for (int j = 0; j < 4; j++) sum = add(sum, mul(NUMBER(Q[i][j]), k->psi[j]));
    return sum;
}

/* y += a x */
static inline void add_times(dual a, const dual *x, dual *y)
{
    for (int l = 0; l < 3; l++) y[l] = add(y[l], mul(a, x[l]));
}

/* Forces of the modes */
static inline void varied_forces(const varied *k, dual (*F)[3])
{
    const dual *s = k->s;
    dual b[6], sigma = {0, 0};
    for (int i = 0; i < 6; i++) b[i] = mul(k->f, s[6 + i]), sigma = add(sigma, mul(s[6 + i], k->b[i]));
    const struct {
        int a, b;
        dual s;
    } G[] = {{XR, XR, times(0.5, s[0])},
             {XS, XS, times(0.5, s[1])},
             {XR, XS, s[2]},
             {XR, XD, s[3]},
             {XS, XD, s[4]},
             {XD, XD, times(0.5, s[5])},
             {XR, DR, b[0]},
             {XS, DS, b[1]},
             {XR, DS, add(b[2], s[13])},
             {XS, DR, add(b[2], s[15])},
             {XR, DD, b[3]},
             {XD, DR, add(b[3], s[14])},
             {XS, DD, b[4]},
             {XD, DS, add(b[4], s[12])},
             {XD, DD, b[5]},
             {XR, D0, s[12]},
             {XS, D0, s[14]},
             {XD, D0, add(s[13], s[15])},
             {D0, D0, times(0.5, mul(k->f1, sigma))}};
    memset(F, 0, MODES * sizeof *F);
    for (size_t i = 0; i < sizeof G / sizeof *G; i++) {
        add_times(G[i].s, k->v[G[i].b], F[G[i].a]);
        add_times(G[i].s, k->v[G[i].a], F[G[i].b]);
    }
    for (int i = 0; i < 4; i++) {
        const dual sg = drill_moment(k, i);
        add_times(sg, k->U[i], F[XR]);
        add_times(sg, k->W[i], F[XS]);
    }
}

/* m += a x b */
static inline void add_cross_dual(const dual *a, const dual *b, dual *m)
{
    dual x[3];
    cross(a, b, x);
    for (int l = 0; l < 3; l++) m[l] = add(m[l], x[l]);
}

/* Moments of the drill about node i, in body axes */
static inline void varied_drill_moment(const varied *k, int i, dual *m)
{
    const dual sg = drill_moment(k, i);
    dual x[3], u[3];
    for (int l = 0; l < 3; l++) u[l] = mul(sg, NUMBER(u[l][i]));
    turn_back(k->R[i], k->v[XR], x);
    add_cross_dual(u, x, m);
    for (int l = 0; l < 3; l++) u[l] = mul(sg, NUMBER(w[l][i]));
    turn_back(k->R[i], k->v[XS], x);
    add_cross_dual(u, x, m);
}

/* Accelerations of the middle surface less the field */
static inline void varied_acceleration(const sn_in *in, const varied *k, int i, dual *y)
{
    const double *om = in->v + 6 * i + 3, *al = in->a + 6 * i + 3;
    const double b = k->by_mass;
    const dual w[3] = {{om[0], 0}, {om[1], 0}, {om[2], 0}};
    const dual a[3] = {{al[0], b * om[0]}, {al[1], b * om[1]}, {al[2], b * om[2]}};
    dual o[3], v[3], x[3] = {{0, 0}};
    for (int l = 0; l < 3; l++) o[l] = NUMBER(o[l][i]);
    cross(w, o, v);
    add_cross_dual(a, o, x);
    add_cross_dual(w, v, x);
    turn(k->R[i], x, y);
    for (int l = 0; l < 3; l++) y[l].x += in->a[6 * i + l] - in->g[l], y[l].d += b * in->v[6 * i + l];
}

/* m += J al + om x J om */
static inline void varied_director(const sn_in *in, const varied *k, int i, dual *m)
{
    const double *om = in->v + 6 * i + 3, *al = in->a + 6 * i + 3;
    const double b = k->by_mass;
    const dual w[3] = {{om[0], 0}, {om[1], 0}, {om[2], 0}};
    const dual a[3] = {{al[0], b * om[0]}, {al[1], b * om[1]}, {al[2], b * om[2]}};
    const dual j = NUMBER(j[i]);
    dual D[3], x[3];
    for (int l = 0; l < 3; l++) D[l] = NUMBER(D[l][i]);
    add_times(j, a, m);
    add_times(times(-0.99, mul(j, dot(D, a))), D, m);
    cross(D, w, x);
    add_times(times(0.99, mul(j, dot(D, w))), x, m);
}

/* The residual, parts of it by choice */
enum { ELASTIC = 1, INERTIA = 2 };
static inline void varied_residual(const sn_in *in, const varied *k, int parts, dual *r)
{
    dual F[MODES][3] = {{{0, 0}}}, y[4][3];
    if (parts & ELASTIC) varied_forces(k, F);
    for (int i = 0; i < 4 && parts & INERTIA; i++) varied_acceleration(in, k, i, y[i]);
    for (int i = 0; i < 4; i++) {
        dual f[3] = {{0, 0}}, d[3], m[3] = {{0, 0}}, a[3], x[3];
        for (int l = 0; l < 3; l++) {
            f[l] =
                add(add(times(xi_of[i], F[XR][l]), times(eta_of[i], F[XS][l])), times(both_of[i], F[XD][l]));
            d[l] =
                add(add(times(xi_of[i], F[DR][l]), times(eta_of[i], F[DS][l])), times(both_of[i], F[DD][l]));
            d[l] = add(d[l], F[D0][l]);
            a[l] = NUMBER(D[l][i]);
        }
        turn_back(k->R[i], d, x);
        add_cross_dual(a, x, m);
        if (parts & ELASTIC) varied_drill_moment(k, i, m);
        for (int j = 0; j < 4 && parts & INERTIA; j++) add_times(NUMBER(m[i][j]), y[j], f);
        if (parts & INERTIA) varied_director(in, k, i, m);
        for (int l = 0; l < 3; l++) a[l] = NUMBER(o[l][i]);
        turn_back(k->R[i], f, x);
        add_cross_dual(a, x, m);
        for (int l = 0; l < 3; l++) r[6 * i + l] = f[l], r[6 * i + 3 + l] = m[l];
    }
}

/* Velocity of the middle surface at node i */
static inline void varied_velocity(const sn_in *in, const varied *k, int i, dual *y)
{
    const double *om = in->v + 6 * i + 3;
    const dual w[3] = {{om[0], 0}, {om[1], 0}, {om[2], 0}};
    dual o[3], v[3];
    for (int l = 0; l < 3; l++) o[l] = NUMBER(o[l][i]);
    cross(w, o, v);
    turn(k->R[i], v, y);
    for (int l = 0; l < 3; l++) y[l].x += in->v[6 * i + l];
}

static inline dual varied_kinetic(const sn_in *in, const varied *k)
{
    dual T = {0, 0}, y[4][3];
    for (int i = 0; i < 4; i++) varied_velocity(in, k, i, y[i]);
    for (int i = 0; i < 4; i++) {
        const double *om = in->v + 6 * i + 3;
        const dual w[3] = {{om[0], 0}, {om[1], 0}, {om[2], 0}};
        const dual D[3] = {NUMBER(D[0][i]), NUMBER(D[1][i]), NUMBER(D[2][i])}, dw = dot(D, w);
        for (int j = 0; j < 4; j++) T = add(T, mul(NUMBER(m[i][j]), dot(y[i], y[j])));
        T = add(T, mul(NUMBER(j[i]), sub(dot(w, w), times(0.99, mul(dw, dw)))));
    }
    return times(0.5, T);
}

static inline dual varied_potential(const sn_in *in, const varied *k)
{
    const dual g[3] = {{in->g[0], 0}, {in->g[1], 0}, {in->g[2], 0}};
    dual V = {0, 0};
    for (int i = 0; i < 16; i++) V = add(V, mul(k->s[i], k->e[i]));
    for (int i = 0; i < 4; i++) V = add(V, mul(drill_moment(k, i), k->psi[i]));
    V = times(0.5, V);
    for (int i = 0; i < 4; i++) {
        dual y[3], m = {0, 0};
        for (int l = 0; l < 3; l++) y[l] = NUMBER(o[l][i]);
        turn(k->R[i], y, y);
        for (int l = 0; l < 3; l++) y[l].x += in->q[7 * i + l];
        for (int j = 0; j < 4; j++) m = add(m, NUMBER(m[i][j]));
        V = sub(V, mul(m, dot(g, y)));
    }
    return V;
}

#endif
