/* The condensed equations of body_fncf against the full ones of flexible natural coordinates: sigma, the
   columns of R, gamma_ik = d_i R_k and d, with the constant mass matrix G (x) I3 and quadratic constraints,
   solved as one system with all multipliers. Accelerations of frame and modes must be the same, and those of
   body_ffr. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/rot3.h"
#include "particles.h"

enum { ND = 4, BLOCKS = 4 + 3 * ND, NQ = 3 * BLOCKS + ND, NC = 6 + 9 * ND, FULL = NQ + NC, NV = 6 + ND };

/* A x = b by Gauss, b becomes x */
static void solve(int n, double *A, double *b)
{
    for (int i = 0; i < n; i++) {
        int top = i;
        for (int k = i; k < n; k++)
            if (fabs(A[k * n + i]) > fabs(A[top * n + i])) top = k;
        for (int j = 0; j < n; j++) {
            double x = A[i * n + j];
            A[i * n + j] = A[top * n + j], A[top * n + j] = x;
        }
        double x = b[i];
        b[i] = b[top], b[top] = x;
        for (int k = i + 1; k < n; k++) {
            double f = A[k * n + i] / A[i * n + i];
            for (int j = i; j < n && f != 0; j++) A[k * n + j] -= f * A[i * n + j];
            b[k] -= f * b[i];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
}

/* G of [1, X, phi_1, phi_2 ...] */
static double G(const sn_reduced_body *b, int i, int j)
{
    if (i > j) return G(b, j, i);
    if (j == 0) return b->mass;
    if (i == 0) return j < 4 ? b->first[j - 1] : b->S[j - 4];
    if (j < 4) return b->second[3 * (i - 1) + j - 1];
    if (i < 4) return b->XP[9 * ((j - 4) / 3) + 3 * (i - 1) + (j - 4) % 3];
    return b->PP[9 * ((i - 4) / 3 * ND + (j - 4) / 3) + 3 * ((i - 4) % 3) + (j - 4) % 3];
}

typedef struct motion {
    double R[9], w[3], d[ND], d1[ND], g[3], q[3 + 4 + ND], v[NV];
} motion;

static motion draw(uint64_t *seed)
{
    motion m;
    double turn[3];
    for (int k = 0; k < 3; k++) turn[k] = 4 * particles_random(seed), m.g[k] = particles_random(seed);
    for (int k = 0; k < 3; k++) m.q[k] = particles_random(seed);
    for (int k = 0; k < NV; k++) m.v[k] = particles_random(seed);
    for (int i = 0; i < ND; i++) m.q[7 + i] = m.d[i] = particles_random(seed), m.d1[i] = m.v[6 + i];
    sn_quat_exp(turn, m.q + 3), sn_quat_matrix(m.q + 3, m.R);
    memcpy(m.w, m.v + 3, sizeof m.w);
    return m;
}

static double column(const double *A, int k, int l) { return A[3 * l + k]; } /* component l of column k */

/* Row c of the constraints, and what they lack of accelerations: J q'' = rhs. */
static void constraint(const motion *m, const double *R1, int c, double *J, double *rhs)
{
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    *rhs = 0;
    if (c < 6) { /* R_a.R_b: R_a''.R_b + R_a.R_b'' = -2 R_a'.R_b' */
        int a = pair[c][0], b = pair[c][1];
        for (int l = 0; l < 3; l++) {
            J[3 * (1 + a) + l] += column(m->R, b, l), J[3 * (1 + b) + l] += column(m->R, a, l);
            *rhs -= 2 * column(R1, a, l) * column(R1, b, l);
        }
        return;
    }
    int i = (c - 6) / 9, k = (c - 6) % 9 / 3, l = c % 3; /* gamma_ik = d_i R_k */
    J[3 * (4 + 3 * i + k) + l] = 1;
    J[3 * (1 + k) + l] = -m->d[i];
    J[3 * BLOCKS + i] = -column(m->R, k, l);
    *rhs = 2 * m->d1[i] * column(R1, k, l);
}

static void full(const sn_reduced_body *b, const motion *m, double *acc)
{
    double *A = particles_zeros(FULL * FULL), *x = particles_zeros(FULL), W[9], R1[9];
    sn_skew3(m->w, W), sn_matmul3(m->R, W, R1);
    for (int i = 0; i < BLOCKS; i++)
        for (int j = 0; j < BLOCKS; j++)
            for (int l = 0; l < 3; l++) A[(3 * i + l) * FULL + 3 * j + l] = G(b, i, j);
    for (int i = 0; i < BLOCKS; i++)
        for (int l = 0; l < 3; l++) x[3 * i + l] = G(b, i, 0) * m->g[l];
    for (int i = 0; i < ND; i++) x[3 * BLOCKS + i] = -b->w2[i] * m->d[i];
    for (int c = 0; c < NC; c++) {
        double *J = A + (NQ + c) * FULL;
        constraint(m, R1, c, J, x + NQ + c);
        for (int j = 0; j < NQ; j++) A[j * FULL + NQ + c] = J[j];
    }
    solve(FULL, A, x);
    /* R'' = R (al~ + w~w~) */
    double R2[9], P[9];
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) R2[3 * l + k] = x[3 * (1 + k) + l];
    sn_tmatmul3(m->R, R2, P);
    for (int l = 0; l < 3; l++) acc[l] = x[l];
    acc[3] = (P[7] - P[5]) / 2, acc[4] = (P[2] - P[6]) / 2, acc[5] = (P[3] - P[1]) / 2;
    for (int i = 0; i < ND; i++) acc[6 + i] = x[3 * BLOCKS + i];
    free(A), free(x);
}

/* M a = -r(a = 0) of a kind */
static void condensed(const char *kind, const sn_reduced_body *b, const motion *m, double *acc)
{
    const sn_element_class *cls = sn_element_find(kind);
    double s[40] = {1, 1, [5] = 1, [9] = 1}, none[NV] = {0}, r[NV] = {0}, K[NV * NV] = {0}, C[NV * NV] = {0},
           M[NV * NV] = {0};
    int slot_n[16] = {0}, ns = 0;
    for (int k = 0; cls->slots[k].name; k++) ns += slot_n[k] = cls->slots[k].n;
    sn_layout l = {.nv = NV, .slot_n = slot_n, .block = b};
    assert_int_equal(cls->layout(&l, NULL), SN_OK);
    double *c = particles_zeros(l.nc);
    sn_in in = {.s = s,
                .c = c,
                .block = b,
                .q = m->q,
                .v = m->v,
                .a = none,
                .g = m->g,
                .nq = 7 + ND,
                .nv = NV,
                .ns = ns,
                .nc = l.nc};
    assert_int_equal(cls->prepare(&in, c, NULL), SN_OK);
    assert_int_equal(cls->eval(&in, r, K, C, M), SN_OK);
    for (int i = 0; i < NV; i++) acc[i] = -r[i];
    solve(NV, M, acc);
    free(c);
}

/* To rounding of systems whose conditions are some hundreds */
static void test_full(void **state)
{
    uint64_t seed = 4711;
    (void)state;
    for (int n = 0; n < 20; n++) {
        double x[NV], y[NV], z[NV], top = 0;
        sn_reduced_body b = random_body(ND, 100 + (uint64_t)n, NULL);
        motion m = draw(&seed);
        full(&b, &m, x), condensed("body_fncf", &b, &m, y), condensed("body_ffr", &b, &m, z);
        for (int i = 0; i < NV; i++) top = fmax(top, fabs(x[i]));
        for (int i = 0; i < NV; i++) {
            if (fabs(y[i] - x[i]) > 1e-13 * top) fail_msg("%d: fncf %.17g, full %.17g", i, y[i], x[i]);
            if (fabs(z[i] - x[i]) > 1e-12 * top) fail_msg("%d: ffr %.17g, full %.17g", i, z[i], x[i]);
        }
        body_free(&b);
    }
}

/* Of a body whose particles are not known only the floating frame can be had. */
static void test_unknown(void **state)
{
    int slot_n[16] = {0};
    sn_err err;
    sn_reduced_body b = random_body(2, 1, NULL), c = b;
    (void)state;
    c.PP = NULL;
    sn_layout l = {.nv = 8, .slot_n = slot_n, .block = &c};
    sn_err_clear(&err);
    assert_int_equal(sn_element_find("body_fncf")->layout(&l, &err), SN_ERR_INPUT);
    assert_non_null(strstr(err.report[0].text, "use body_ffr"));
    assert_int_equal(sn_element_find("body_ffr")->layout(&l, &err), SN_OK);
    body_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_full), cmocka_unit_test(test_unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
