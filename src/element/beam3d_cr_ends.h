/* Motion and forces of beam3d_cr end by end, as its variations need them. Only beam3d_cr.c includes this
 * file.
 */
#ifndef SN_ELEMENT_BEAM3D_CR_ENDS_H
#define SN_ELEMENT_BEAM3D_CR_ENDS_H

#include "element/beam3d_cr_force.h"

typedef struct motion {
    double l, il, E[9], S[2][9], B[2][9], a[2], b[2], eta, iq, th[2][3], tb[2], dtb[2];
    double V[12], A[12], W[3], c[2][3], Ve[2][3], Ae[2][3], g[3], gm[3];
    const double *H; /* of the motion it is made from */
    int shear, dead, arms, field, rates;
} motion;

typedef struct forces {
    double m[2][3], P[12], kap[3], f[12];
} forces;

/* n numbers of end i */
static inline void part(int n, const pair *x, int i, double *y)
{
    for (int l = 0; l < n; l++) y[l] = x[l][i];
}

static inline void part_motion(const pair_motion *k, motion *m)
{
    *m = (motion){.l = k->l, .il = k->il, .eta = k->eta, .iq = k->iq, .shear = k->shear, .dead = k->dead};
    m->arms = k->arms, m->field = k->field, m->rates = k->rates;
    memcpy(m->E, k->E, sizeof m->E);
    memcpy(m->g, k->g, sizeof m->g);
    memcpy(m->gm, k->gm, sizeof m->gm);
    m->H = k->H;
    if (k->rates) memcpy(m->W, k->W, sizeof m->W);
    for (int i = 0; i < 2; i++) {
        part(9, k->S, i, m->S[i]);
        part(9, k->B, i, m->B[i]);
        part(3, k->th, i, m->th[i]);
        m->a[i] = k->a[i], m->b[i] = k->b[i], m->tb[i] = k->tb[i], m->dtb[i] = k->dtb[i];
        if (k->rates) part(6, k->V, i, m->V + 6 * i), part(6, k->A, i, m->A + 6 * i);
        if (k->arms) part(3, k->c, i, m->c[i]);
        if (k->arms && k->rates) part(3, k->Ve, i, m->Ve[i]), part(3, k->Ae, i, m->Ae[i]);
    }
}

static inline void part_forces(const pair_forces *t, forces *s)
{
    for (int i = 0; i < 2; i++) {
        part(3, t->m, i, s->m[i]);
        part(6, t->P, i, s->P + 6 * i);
        part(6, t->f, i, s->f + 6 * i);
    }
    memcpy(s->kap, t->kap, sizeof s->kap);
}

#endif
