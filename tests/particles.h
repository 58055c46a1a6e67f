/* A reduced body made of mass particles, for tests: of any particles the integrals of sn_reduced_body. */
#ifndef SN_TESTS_PARTICLES_H
#define SN_TESTS_PARTICLES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/reduced_body.h"

/* n particles of mass m at X (n x 3), displaced by phi (n x 3 x nd). */
typedef struct particles {
    int n, nd;
    double *m, *X, *phi;
} particles;

static inline double *particles_zeros(int n)
{
    double *x = calloc((size_t)(n > 0 ? n : 1), sizeof *x);
    if (!x) abort();
    return x;
}

static inline particles particles_new(int n, int nd)
{
    return (particles){n, nd, particles_zeros(n), particles_zeros(3 * n), particles_zeros(3 * n * nd)};
}

static inline void particles_free(particles *p) { free(p->m), free(p->X), free(p->phi); }

static inline double particles_random(uint64_t *seed) /* in [-1, 1] */
{
    *seed ^= *seed >> 12, *seed ^= *seed << 25, *seed ^= *seed >> 27;
    return (double)((*seed * 0x2545F4914F6CDD1DULL) >> 11) / 4503599627370496.0 - 1;
}

/* phi made orthonormal with the mass: Gram and Schmidt's method, twice. */
static inline void particles_orthonormal(particles *p)
{
    int nd = p->nd;
    for (int i = 0; i < 2 * nd; i++) {
        int a = i / 2;
        for (int b = 0; b <= a; b++) {
            double s = 0;
            for (int k = 0; k < 3 * p->n; k++) s += p->m[k / 3] * p->phi[k * nd + a] * p->phi[k * nd + b];
            for (int k = 0; k < 3 * p->n; k++)
                p->phi[k * nd + a] =
                    b < a ? p->phi[k * nd + a] - s * p->phi[k * nd + b] : p->phi[k * nd + a] / sqrt(s);
        }
    }
}

static inline void particles_add(double m, const double *x, const double *y, double *A) /* A += m x y' */
{
    for (int i = 0; i < 9; i++) A[i] += m * x[i / 3] * y[i % 3];
}

static inline void particles_cross(double m, const double *x, const double *y, double *c)
{
    for (int k = 0; k < 3; k++)
        c[k] += m * (x[(k + 1) % 3] * y[(k + 2) % 3] - x[(k + 2) % 3] * y[(k + 1) % 3]);
}

/* J += m ((x.y) - (x y' + y x')/2) */
static inline void particles_inertia(double m, const double *x, const double *y, double *J)
{
    double dot = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    for (int i = 0; i < 9; i++)
        J[i] += m * ((i % 4 ? 0 : dot) - (x[i / 3] * y[i % 3] + y[i / 3] * x[i % 3]) / 2);
}

/* The arrays are the block's own: body_free. w2, points are left to the caller. */
static inline sn_reduced_body particles_body(const particles *p)
{
    int nd = p->nd;
    double *S = particles_zeros(3 * nd), *XP = particles_zeros(9 * nd), *PP = particles_zeros(9 * nd * nd),
           *J1 = particles_zeros(9 * nd), *J2 = particles_zeros(9 * nd * nd), *h0 = particles_zeros(3 * nd),
           *H = particles_zeros(3 * nd * nd), *f = particles_zeros(3 * nd);
    sn_reduced_body b = {.nd = nd, .S = S, .XP = XP, .PP = PP, .J1 = J1, .J2 = J2, .h0 = h0, .H = H};
    for (int k = 0; k < p->n; k++) {
        const double m = p->m[k], *X = p->X + 3 * k;
        for (int i = 0; i < nd; i++)
            for (int l = 0; l < 3; l++) f[3 * i + l] = p->phi[(3 * k + l) * nd + i];
        b.mass += m;
        for (int l = 0; l < 3; l++) b.first[l] += m * X[l];
        particles_add(m, X, X, b.second), particles_inertia(m, X, X, b.J0);
        for (int i = 0; i < nd; i++) {
            for (int l = 0; l < 3; l++) S[3 * i + l] += m * f[3 * i + l];
            particles_add(m, X, f + 3 * i, XP + 9 * i), particles_inertia(2 * m, X, f + 3 * i, J1 + 9 * i);
            particles_cross(m, X, f + 3 * i, h0 + 3 * i);
            for (int j = 0; j < nd; j++) {
                particles_add(m, f + 3 * i, f + 3 * j, PP + 9 * (i * nd + j));
                particles_inertia(m, f + 3 * i, f + 3 * j, J2 + 9 * (i * nd + j));
                particles_cross(m, f + 3 * i, f + 3 * j, H + 3 * (i * nd + j));
            }
        }
    }
    free(f);
    return b;
}

static inline void body_free(sn_reduced_body *b)
{
    const void *own[] = {b->S,  b->XP, b->PP,  b->J1,    b->J2,      b->h0,     b->H,
                         b->w2, b->X,  b->phi, b->theta, b->recover, b->damping};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) free((void *)(uintptr_t)own[i]);
}

/* Any body of 3 nd + 5 particles, frequencies from 1 to 2, two points, two places of two numbers. */
static inline sn_reduced_body random_body(int nd, uint64_t seed, particles *keep)
{
    static const char *const names[] = {"left", "right"}, *const units[] = {"N", "Pa"};
    particles p = particles_new(3 * nd + 5, nd);
    for (int k = 0; k < p.n; k++) p.m[k] = (1.2 + particles_random(&seed)) / p.n;
    for (int k = 0; k < 3 * p.n; k++) p.X[k] = particles_random(&seed);
    for (int k = 0; k < 3 * p.n * nd; k++) p.phi[k] = particles_random(&seed);
    particles_orthonormal(&p);
    sn_reduced_body b = particles_body(&p);
    double *w2 = particles_zeros(nd), *X = particles_zeros(6), *phi = particles_zeros(6 * nd),
           *theta = particles_zeros(6 * nd);
    for (int i = 0; i < nd; i++) w2[i] = 2.5 + 1.5 * particles_random(&seed);
    for (int i = 0; i < 6; i++) X[i] = particles_random(&seed);
    for (int i = 0; i < 6 * nd; i++)
        phi[i] = particles_random(&seed), theta[i] = 0.3 * particles_random(&seed);
    b.w2 = w2, b.n_interface = 1, b.n_point = 2, b.point = names, b.X = X, b.phi = phi, b.theta = theta;
    double *recover = particles_zeros(4 * nd);
    for (int i = 0; i < 4 * nd; i++) recover[i] = particles_random(&seed);
    b.n_recovery = b.recovery_n = 2, b.recovery = b.recovery_component = names, b.recovery_unit = units;
    b.recover = recover;
    if (keep)
        *keep = p;
    else
        particles_free(&p);
    return b;
}

#endif
