/* What tests of reduced bodies share: the kinds with bodies that the test makes in place of files (`body:
   NAME`, kinds `ffr` and `fncf`), and bodies of straight beams with polynomials as shapes. */
#ifndef SN_TESTS_VERIFY_BODIES_H
#define SN_TESTS_VERIFY_BODIES_H

#include "particles.h"
#include "sinew/plugin.h"
#include "verify/gradient.h"

enum { BODIES = 64 };
static struct {
    char name[32];
    sn_reduced_body b;
} bodies[BODIES];
static int n_bodies;

static sn_status bodies_read(const char *path, sn_block *block, sn_err *err)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (int i = 0; i < n_bodies; i++)
        if (!strcmp(bodies[i].name, name)) return block->data = &bodies[i].b, SN_OK;
    return sn_fail(err, SN_ERR_FILE, NULL, "there is no body of this name in the test");
}

static int bodies_begin(void **state)
{
    static const sn_file file = {"body", "a body of the test", bodies_read};
    static sn_element_class ffr, fncf;
    static const sn_element_class *const elements[] = {&ffr, &fncf, NULL};
    static sn_err err;
    (void)state;
    ffr = *sn_element_find("body_ffr"), fncf = *sn_element_find("body_fncf");
    ffr.name = "ffr", fncf.name = "fncf", ffr.file = fncf.file = &file;
    sn_plugin p = {SN_PLUGIN_HEAD, .name = "bodies", .elements = elements};
    sn_status status = sn_plugin_add(&p, &err);
    for (int i = 0; i < err.count; i++) print_message("%s\n", err.report[i].text);
    return status != SN_OK;
}

/* The test's own from now on, freed at the end. */
static inline const sn_reduced_body *bodies_add(const char *name, sn_reduced_body b)
{
    assert_true(n_bodies < BODIES);
    snprintf(bodies[n_bodies].name, sizeof bodies[0].name, "%s", name);
    bodies[n_bodies].b = b;
    return &bodies[n_bodies++].b;
}

static int bodies_end(void **state)
{
    (void)state;
    for (int i = 0; i < n_bodies; i++) body_free(&bodies[i].b);
    n_bodies = 0;
    return 0;
}

/* A beam along x from the origin. Its shapes are polynomials, so many of each sort that are not rigid; modes
   are those of the free beam. */
typedef struct beam_spec {
    double L, E, G, rho, A, I_y, I_z, J;
    int y, z, axial, torsion; /* numbers of shapes */
    int thin;                 /* no inertia of the sections */
} beam_spec;

/* Shapes of a sort, rigid ones counted: two of a lateral one, else one. */
static inline int beam_count(int sort, int n) { return n ? n + (sort < 2 ? 2 : 1) : 0; }

/* Shape i (of which sort) at xi, its first and second derivative by x. */
static inline int beam_shape(const beam_spec *s, int i, double xi, double *f)
{
    const int of[4] = {s->y, s->z, s->axial, s->torsion};
    int sort = 0, p = i;
    for (; p >= beam_count(sort, of[sort]); sort++) p -= beam_count(sort, of[sort]);
    double x = 2 * xi - 1, scale = 2 / s->L;
    f[0] = pow(x, p);
    f[1] = p ? p * pow(x, p - 1) * scale : 0;
    f[2] = p > 1 ? p * (p - 1) * pow(x, p - 2) * scale * scale : 0;
    return sort;
}

/* Displacement (3) and rotation (3) of the point (y, z) of the section. */
static inline void beam_field(int sort, const double *f, double y, double z, double *u)
{
    memset(u, 0, 6 * sizeof *u);
    if (sort == 0) u[0] = -y * f[1], u[1] = f[0], u[5] = f[1];
    if (sort == 1) u[0] = -z * f[1], u[2] = f[0], u[4] = -f[1];
    if (sort == 2) u[0] = f[0];
    if (sort == 3) u[1] = -z * f[0], u[2] = y * f[0], u[3] = f[0];
}

enum { GAUSS = 12, SHAPES = 40 };

/* Points and weights of Gauss on [0, 1], by Newton's method. */
static inline void beam_gauss(double *x, double *w)
{
    for (int i = 0; i < GAUSS; i++) {
        double z = cos(3.14159265358979323846 * (i + 0.75) / (GAUSS + 0.5)), d = 1;
        for (int it = 0; it < 100; it++) {
            double p1 = 1, p2 = 0;
            for (int j = 0; j < GAUSS; j++) {
                double p3 = p2;
                p2 = p1, p1 = ((2.0 * j + 1) * z * p2 - j * p3) / (j + 1);
            }
            d = GAUSS * (z * p1 - p2) / (z * z - 1);
            z -= p1 / d;
        }
        x[i] = (1 - z) / 2, w[i] = 1 / ((1 - z * z) * d * d);
    }
}

/* Eigenvectors V (columns) and values of A (n x n, symmetric) by Jacobi's method */
static inline void beam_jacobi(int n, double *A, double *V)
{
    for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double a = A[p * n + q];
                if (fabs(a) <= 1e-17 * sqrt(fabs(A[p * n + p] * A[q * n + q]))) continue;
                double th = (A[q * n + q] - A[p * n + p]) / (2 * a),
                       t = (th < 0 ? -1 : 1) / (fabs(th) + sqrt(th * th + 1)), c = 1 / sqrt(t * t + 1),
                       s = t * c;
                for (int k = 0; k < n; k++) {
                    double x = A[k * n + p], y = A[k * n + q];
                    A[k * n + p] = c * x - s * y, A[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = A[p * n + k], y = A[q * n + k];
                    A[p * n + k] = c * x - s * y, A[q * n + k] = s * x + c * y;
                    x = V[k * n + p], y = V[k * n + q];
                    V[k * n + p] = c * x - s * y, V[k * n + q] = s * x + c * y;
                }
            }
}

/* Modes of the shapes: columns of V, w2; K and M of the shapes are overwritten. */
static inline void beam_modes(int n, double *K, double *M, double *V, double *w2)
{
    double *L = M, *T = particles_zeros(n * n);
    for (int i = 0; i < n; i++) /* M = L L' */
        for (int j = 0; j <= i; j++) {
            double s = M[i * n + j];
            for (int k = 0; k < j; k++) s -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = i == j ? sqrt(s) : s / L[j * n + j];
        }
    for (int side = 0; side < 2; side++) { /* K <- L^-1 K L^-T */
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                double s = K[i * n + j];
                for (int k = 0; k < i; k++) s -= L[i * n + k] * K[k * n + j];
                K[i * n + j] = s / L[i * n + i];
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) {
                double x = K[i * n + j];
                K[i * n + j] = K[j * n + i], K[j * n + i] = x;
            }
    }
    beam_jacobi(n, K, T);
    for (int j = 0; j < n; j++) {
        w2[j] = K[j * n + j];
        for (int i = n - 1; i >= 0; i--) {
            double s = T[i * n + j];
            for (int k = i + 1; k < n; k++) s -= L[k * n + i] * V[k * n + j];
            V[i * n + j] = s / L[i * n + i];
        }
    }
    free(T);
}

/* Sorted by their frequencies, without the first `rigid` ones. */
static inline void beam_drop(int all, int rigid, double *V, double *w2)
{
    for (int a = 0; a < all; a++)
        for (int b = a + 1; b < all; b++) {
            if (w2[a] <= w2[b]) continue;
            double x = w2[a];
            w2[a] = w2[b], w2[b] = x;
            for (int i = 0; i < all; i++)
                x = V[i * all + a], V[i * all + a] = V[i * all + b], V[i * all + b] = x;
        }
    for (int a = rigid; a < all; a++) {
        w2[a - rigid] = w2[a];
        for (int i = 0; i < all; i++) V[i * all + a - rigid] = V[i * all + a];
    }
}

/* Fields at a point of the beam in terms of the modes: 6 x n */
static inline void beam_at(const beam_spec *s, int all, int n, const double *V, double xi, double y, double z,
                           double *out)
{
    memset(out, 0, (size_t)(6 * n) * sizeof *out);
    for (int i = 0; i < all; i++) {
        double f[3], u[6];
        beam_field(beam_shape(s, i, xi, f), f, y, z, u);
        for (int l = 0; l < 6; l++)
            for (int j = 0; j < n; j++) out[l * n + j] += u[l] * V[i * all + j];
    }
}

/* Points left, right, middle. */
static inline sn_reduced_body beam_body(const beam_spec *s)
{
    static const char *const names[] = {"left", "right", "middle"};
    int all = beam_count(0, s->y) + beam_count(1, s->z) + beam_count(2, s->axial) + beam_count(3, s->torsion);
    int n = s->y + s->z + s->axial + s->torsion;
    double x[GAUSS], w[GAUSS], *K = particles_zeros(all * all), *M = particles_zeros(all * all),
                               *V = particles_zeros(all * all), *u = particles_zeros(6 * n),
                               *w2 = particles_zeros(all);
    double ry = s->thin ? 0 : sqrt(s->I_z / s->A), rz = s->thin ? 0 : sqrt(s->I_y / s->A);
    particles p = particles_new(4 * GAUSS, n);
    beam_gauss(x, w);
    for (int g = 0; g < GAUSS; g++)
        for (int i = 0; i < all; i++)
            for (int j = 0; j < all; j++) {
                double f[3], h[3], a[6], b[6];
                int of = beam_shape(s, i, x[g], f), with = beam_shape(s, j, x[g], h);
                const double stiff[4] = {s->E * s->I_z, s->E * s->I_y, s->E * s->A, s->G * s->J};
                if (of == with)
                    K[i * all + j] += w[g] * s->L * stiff[of] * (of < 2 ? f[2] * h[2] : f[1] * h[1]);
                for (int k = 0; k < 4; k++) {
                    beam_field(of, f, k & 1 ? ry : -ry, k & 2 ? rz : -rz, a);
                    beam_field(with, h, k & 1 ? ry : -ry, k & 2 ? rz : -rz, b);
                    for (int l = 0; l < 3; l++)
                        M[i * all + j] += w[g] * s->L * s->rho * s->A / 4 * a[l] * b[l];
                }
            }
    beam_modes(all, K, M, V, w2);
    beam_drop(all, all - n, V, w2);
    for (int g = 0; g < 4 * GAUSS; g++) {
        double y = g & 1 ? ry : -ry, z = g & 2 ? rz : -rz;
        p.m[g] = w[g / 4] * s->L * s->rho * s->A / 4;
        p.X[3 * g] = x[g / 4] * s->L, p.X[3 * g + 1] = y, p.X[3 * g + 2] = z;
        beam_at(s, all, n, V, x[g / 4], y, z, u);
        memcpy(p.phi + 3 * g * n, u, (size_t)(3 * n) * sizeof *u);
    }
    sn_reduced_body b = particles_body(&p);
    double *X = particles_zeros(9), *phi = particles_zeros(9 * n), *theta = particles_zeros(9 * n);
    for (int k = 0; k < 3; k++) {
        double xi = k == 0 ? 0 : k == 1 ? 1 : 0.5;
        X[3 * k] = xi * s->L;
        beam_at(s, all, n, V, xi, 0, 0, u);
        memcpy(phi + 3 * k * n, u, (size_t)(3 * n) * sizeof *u);
        memcpy(theta + 3 * k * n, u + 3 * n, (size_t)(3 * n) * sizeof *u);
    }
    b.w2 = w2, b.n_interface = 2, b.n_point = 3, b.point = names, b.X = X, b.phi = phi, b.theta = theta;
    free(K), free(M), free(V), free(u), particles_free(&p);
    return b;
}

#endif
