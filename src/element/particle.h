/* A rigid body as mass particles: what integrals over its mass are made of. With its mass m, centre c and E,
   the integral of y y' about the centre, particles lie on both sides of the centre along six directions, and
   one at the centre takes what is left. Masses may be negative: of an inertia without mass, or one that no
   body has. */
#ifndef SN_ELEMENT_PARTICLE_H
#define SN_ELEMENT_PARTICLE_H

#include <math.h>

enum { SN_BODY_PARTICLES = 13 };

/* y: place of particle k in the axes of J, about whose origin the centre c lies; returns its mass. E is
   (tr J)/2 - J; as a sum of squares of directions it is E_ij (e_i + e_j)(e_i + e_j)' less what that adds to
   the diagonal. */
static inline double sn_body_particle(int k, double mass, const double *J, const double *c, double *y)
{
    static const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    double half = 0.5 * (J[0] + J[4] + J[8]), f[6], sum = 0, size = 0;
    for (int d = 0; d < 3; d++) {
        f[d] = half - J[4 * d];
        for (int j = 0; j < 3; j++) f[d] += j != d ? J[3 * d + j] : 0;
        f[3 + d] = -J[3 * first[3 + d] + second[3 + d]];
    }
    for (int d = 0; d < 6; d++) size += fabs(f[d]);
    const double h = mass > 0 && size > 0 ? sqrt(size / mass) : 1;
    for (int i = 0; i < 3; i++) y[i] = c[i];
    for (int d = 0; d < 6; d++) sum += f[d] / (h * h);
    if (k == 0) return mass - sum;
    const int d = (k - 1) / 2;
    const double way = k % 2 ? h : -h;
    y[first[d]] += way;
    if (d > 2) y[second[d]] += way;
    return 0.5 * f[d] / (h * h);
}

/* Its velocity N v, v the velocity of a node and its rates in its own axes R: N = [1, -R y~]. */
static inline void sn_body_particle_map(const double *R, const double *y, int nv, double *N)
{
    for (int i = 0; i < 3; i++) {
        const double *r = R + 3 * i;
        N[nv * i + i] = 1;
        N[nv * i + 3] = r[2] * y[1] - r[1] * y[2];
        N[nv * i + 4] = r[0] * y[2] - r[2] * y[0];
        N[nv * i + 5] = r[1] * y[0] - r[0] * y[1];
    }
}

#endif
