/* Damping of shell3_mitc. Only shell3_mitc.c includes this file.

   Stresses are those of e + d de/dt, and of psi + d dpsi/dt. As strains are dots of z, their rates are dots
   of z and dz/dt, where dz/dt comes from the velocities v and from R (om x a) for vectors a of the bodies.
   With B = de/dq, P = d(de/dt)/dq:  C = d B'C B, and K gets d B'C P. */
#ifndef SN_ELEMENT_SHELL3_MITC_DAMP_H
#define SN_ELEMENT_SHELL3_MITC_DAMP_H

#include "element/shell3_mitc_tangent.h"

enum { DAMPED = STRAINS + 3 }; /* rows: strains, psi */

/* Velocities of z, x_r, x_s, R u and R w */
typedef struct rates {
    dual z[6][3], xr[3], xs[3], U[3][3], W[3][3];
} rates;

/* y = R (om x a) of node i */
static inline void turning(const sn_in *in, const motion *k, int i, const dual *a, dual *y)
{
    const double *v = in->v + 6 * i + 3;
    const dual om[3] = {{v[0], 0}, {v[1], 0}, {v[2], 0}};
    dual x[3];
    cross(om, a, x);
    turned(k->R[i], x, y);
}

static inline void rates_of(const sn_in *in, const motion *k, rates *w)
{
    for (int i = 0; i < 3; i++) {
        dual D[3], o[3], u[3], a[3];
        for (int l = 0; l < 3; l++)
            D[l] = NUMBER(D[i][l]), o[l] = NUMBER(o[i][l]), u[l] = NUMBER(u[i][l]), a[l] = NUMBER(w[i][l]);
        turning(in, k, i, o, w->z[i]), turning(in, k, i, D, w->z[3 + i]);
        turning(in, k, i, u, w->U[i]), turning(in, k, i, a, w->W[i]);
        for (int l = 0; l < 3; l++) w->z[i][l].x += in->v[6 * i + l];
    }
    for (int l = 0; l < 3; l++)
        w->xr[l] = sub(w->z[1][l], w->z[0][l]), w->xs[l] = sub(w->z[2][l], w->z[0][l]);
}

/* s and sg of the motion and its rates; d: `damping` */
static inline void damp(const rates *w, dual d, motion *k)
{
    dual e[STRAINS];
    for (int i = 0; i < STRAINS; i++) {
        e[i] = constant(0);
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < 6; b++)
                if (form(i, a, b) != 0) e[i] = add(e[i], times(form(i, a, b), dot(k->z[a], w->z[b])));
    }
    for (int i = 0; i < STRAINS; i++)
        for (int j = 0; j < STRAINS; j++) k->s[i] = add(k->s[i], mul(mul(d, NUMBER(C[i][j])), e[j]));
    for (int j = 0; j < 3; j++) {
        const dual rate =
            add(add(dot(w->xr, k->U[j]), dot(w->xs, k->W[j])), add(dot(k->xr, w->U[j]), dot(k->xs, w->W[j])));
        for (int i = 0; i < 3; i++) k->sg[i] = add(k->sg[i], mul(mul(d, NUMBER(Q[i][j])), rate));
    }
}

/* Rows over z to rows over the turns, where om x a stands in the place of a */
static inline void rates_to_nodes(const sn_in *in, const motion *k, const double *row, double *out)
{
    for (int i = 0; i < 3; i++) {
        const double *om = in->v + 6 * i + 3;
        double a[3], x[3];
        sn_cross3(om, k->c->o[i], a);
        sn_tmul3(k->R[i], row + 3 * i, x);
        add_turn(a, x, out + 6 * i + 3);
        sn_cross3(om, k->c->D[i], a);
        sn_tmul3(k->R[i], row + 9 + 3 * i, x);
        add_turn(a, x, out + 6 * i + 3);
    }
}

/* Rows of strains and of their rates */
static inline void strain_damping(const sn_in *in, const motion *k, const rates *w, double (*B)[NV],
                                  double (*P)[NV])
{
    double z[STRAINS][NZ], zv[STRAINS][NZ];
    motion rate = *k;
    memcpy(rate.z, w->z, sizeof w->z);
    gradients(k, z), gradients(&rate, zv);
    for (int i = 0; i < STRAINS; i++) {
        to_nodes(k, z[i], B[i]);
        to_nodes(k, zv[i], P[i]);
        rates_to_nodes(in, k, z[i], P[i]);
    }
}

static inline void drill_damping(const sn_in *in, const motion *k, const rates *w, double (*B)[NV],
                                 double (*P)[NV])
{
    const dual *edge[2] = {k->xr, k->xs}, *speed[2] = {w->xr, w->xs};
    for (int i = 0; i < 3; i++) {
        double z[NZ], zv[NZ], x[3], a[3], *b = B[i] + 6 * i + 3, *p = P[i] + 6 * i + 3;
        psi_by_places((const dual *)k->U[i], (const dual *)k->W[i], z);
        psi_by_places((const dual *)w->U[i], (const dual *)w->W[i], zv);
        to_nodes(k, z, B[i]);
        to_nodes(k, zv, P[i]);
        rates_to_nodes(in, k, z, P[i]);
        for (int h = 0; h < 2; h++) {
            const double *u = h ? k->c->w[i] : k->c->u[i];
            values(edge[h], x), sn_tmul3(k->R[i], x, x);
            add_turn(u, x, b);
            sn_cross3(in->v + 6 * i + 3, u, a), add_turn(a, x, p);
            values(speed[h], x), sn_tmul3(k->R[i], x, x);
            add_turn(u, x, p);
        }
    }
}

static inline void damping_tangent(const sn_in *in, const motion *k, const rates *w, double *K, double *C)
{
    const double d = in->s[SHELL_DAMPING];
    double B[DAMPED][NV] = {{0}}, P[DAMPED][NV] = {{0}}, W[DAMPED][NV] = {{0}};
    strain_damping(in, k, w, B, P);
    drill_damping(in, k, w, B + STRAINS, P + STRAINS);
    for (int i = 0; i < DAMPED; i++)
        for (int j = 0; j < DAMPED; j++) {
            const int strains = i < STRAINS && j < STRAINS, drill = i >= STRAINS && j >= STRAINS;
            const double c = strains ? k->c->C[i][j] : drill ? k->c->Q[i - STRAINS][j - STRAINS] : 0;
            for (int l = 0; l < NV && c != 0; l++) W[i][l] += d * c * B[j][l];
        }
    shell_add_damping(DAMPED, NV, W[0], B[0], P[0], K, C);
}

#endif
