/* Loads along beam3d_ge, and its mass as particles. Only beam3d_ge.c includes this file. */
#ifndef SN_ELEMENT_BEAM3D_GE_LOAD_H
#define SN_ELEMENT_BEAM3D_GE_LOAD_H

#include "element/beam3d_ge_output.h"
#include "element/particle.h"

/* Force a length at both ends, along global axes (l) and those of a turning load in the nodes' (b) */
static void load_ends(const motion *k, const constants *c, const double *w, int turning, double (*l)[3],
                      double (*b)[3])
{
    for (int i = 0; i < 2; i++) {
        memcpy(l[i], w, sizeof l[i]);
        if (!turning) continue;
        sn_mul3(c->A[i], w, b[i]);
        sn_mul3(k->R[i], b[i], l[i]);
    }
}

/* Forces on places and slopes of the cubic, and h/2 of the moment on each section */
static const int load_used[VECTORS] = {1, 1, 0};

static void add_moments(const motion *k, const constants *c, const double *w, int turning, double f,
                        double *r)
{
    for (int i = 0; i < 2; i++) {
        double x[3];
        if (turning)
            sn_mul3(c->A[i], w + 3, x);
        else
            sn_tmul3(k->R[i], w + 3, x);
        for (int j = 0; j < 3; j++) r[6 * i + 3 + j] += f * x[j];
    }
}

static sn_status distribute(const sn_in *in, const double *w, int turning, double *r, double *K)
{
    const constants *c = (const constants *)in->c;
    const double *D = mass_matrix[CONSISTENT];
    double l[2][3], b[2][3], F[6][3], x[9], y[9], z[9];
    motion k;
    SN_TRY(place(in, &k));
    load_ends(&k, c, w, turning, l, b);
    load_forces(-c->h, (const double(*)[3])l, F);
    add_vector_forces(&k, c->body, load_used, 1, F, r);
    add_moments(&k, c, w, turning, -0.5 * c->h, r);
    if (!K) return SN_OK;
    for (int a = 0; a < 6; a++) {
        const int i = a / 3;
        if (!load_used[a % 3]) continue;
        sn_skew3(c->body[i][a % 3], x);
        sn_tmul3(k.R[i], F[a], z);
        sn_skew3(z, y);
        sn_matmul3(x, y, z);
        sn_block3(K, 12, 6 * i + 3, 6 * i + 3, 1, z);
        for (int j = 0; j < 2 && turning; j++) { /* dl = -R b~ dth */
            const double f = c->h * D[6 * a + 3 * j + ARM];
            sn_skew3(b[j], y);
            sn_matmul3(k.R[j], y, y);
            if (a % 3 == PLACE) sn_block3(K, 12, 6 * i, 6 * j + 3, f, y);
            sn_tmatmul3(k.R[i], y, z);
            sn_matmul3(x, z, z);
            sn_block3(K, 12, 6 * i + 3, 6 * j + 3, f, z);
        }
    }
    for (int i = 0; i < 2 && !turning; i++) {
        sn_tmul3(k.R[i], w + 3, z);
        sn_skew3(z, y);
        sn_block3(K, 12, 6 * i + 3, 6 * i + 3, -0.5 * c->h, y);
    }
    return SN_OK;
}

static sn_status ddistribute(const sn_in *in, const double *w, int turning, int index, double *dr)
{
    const constants *c = (const constants *)in->c;
    constants dc;
    motion k;
    double l[2][3], b[2][3], F[6][3], dF[6][3], r[12] = {0};
    if (index >= NS + 14) return SN_OK;
    make_constants(in, index, &(constants){0}, &dc);
    SN_TRY(place(in, &k));
    load_ends(&k, c, w, turning, l, b);
    load_forces(-c->h, (const double(*)[3])l, F);
    add_vector_forces(&k, dc.body, load_used, 1, F, r);
    for (int i = 0; i < 12; i++) dr[i] += i % 6 > 2 ? r[i] : 0;
    load_forces(-dc.h, (const double(*)[3])l, dF);
    add_vector_forces(&k, c->body, load_used, 1, dF, dr);
    add_moments(&k, c, w, turning, -0.5 * dc.h, dr);
    if (!turning) return SN_OK;
    load_ends(&k, &dc, w, turning, l, b);
    load_forces(-c->h, (const double(*)[3])l, dF);
    add_vector_forces(&k, c->body, load_used, 1, dF, dr);
    add_moments(&k, &dc, w, turning, -0.5 * c->h, dr);
    return SN_OK;
}

/* Places in 0 .. 1 and weights: four and two points, ends */
static const double line_points[3][4][2] = {
    [CONSISTENT] = {{0.06943184420297371239, 0.17392742256872692869},
                    {0.33000947820757186760, 0.32607257743127307131},
                    {0.66999052179242813240, 0.32607257743127307131},
                    {0.93056815579702628761, 0.17392742256872692869}},
    [LINEAR] = {{0.21132486540518711775, 0.5}, {0.78867513459481288225, 0.5}},
    [LUMPED] = {{0, 0.5}, {1, 0.5}},
};

/* Particles of the field, and bodies without mass for the rotary inertia at each end */
static int particle(const sn_in *in, int which, double *m, double *x, double *N)
{
    const constants *c = (const constants *)in->c;
    const int kind = in->opt[OPT_MASS], line = kind == CONSISTENT ? 4 : 2, body = which - line;
    double R[9], y[3], z[3];
    if (which >= line + 2 * SN_BODY_PARTICLES) return 0;
    memset(N, 0, 36 * sizeof *N);
    memset(x, 0, 3 * sizeof *x);
    if (which < line) {
        const double s = line_points[kind][which][0], t = 1 - s;
        const double cubic[6] = {t * t * (1 + 2 * s), s * t * t, t, s * s * (3 - 2 * s), -s * s * t, s},
                     linear[6] = {t, 0, t, s, 0, s}, *H = kind == CONSISTENT ? cubic : linear;
        *m = line_points[kind][which][1] * c->m;
        for (int i = 0; i < 2; i++) {
            sn_quat_matrix(in->q + 7 * i + 3, R);
            for (int j = 0; j < 3; j++) {
                y[j] = 0;
                for (int a = 0; a < VECTORS; a++) y[j] += H[3 * i + a] * c->body[i][a][j];
            }
            sn_body_particle_map(R, y, 12, N + 6 * i);
            sn_mul3(R, y, z);
            for (int j = 0; j < 3; j++) {
                N[12 * j + 6 * i + j] = H[3 * i];
                x[j] += H[3 * i] * in->q[7 * i + j] + z[j];
            }
        }
        return 1;
    }
    const int i = body / SN_BODY_PARTICLES;
    *m = sn_body_particle(body % SN_BODY_PARTICLES, 0, c->J[i], c->body[i][PLACE], y);
    sn_quat_matrix(in->q + 7 * i + 3, R);
    sn_mul3(R, y, x);
    for (int j = 0; j < 3; j++) x[j] += in->q[7 * i + j];
    sn_body_particle_map(R, y, 12, N + 6 * i);
    return 1;
}

#endif
