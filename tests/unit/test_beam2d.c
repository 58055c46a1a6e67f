/* beam2d_cr against closed forms: free fall, rigid rotation, whole turns, roll-up, mass, stiffness,
   resultants. The numbers are of order 1 to 100, so that rounding is below 1e-12 and the tolerance 1e-11
   leaves no room for a wrong term. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "sinew/class.h"

extern const sn_element_class sn_element_beam2d_cr;

enum { EA, EI, RHO_A, RHO_I, DAMPING, DAMPING_MASS };
static const double pi = 3.14159265358979323846, tolerance = 1e-11;
static const double length = 0.8, mass = 3 * 0.8;

typedef struct beam {
    sn_in in;
    double s[6], X[6], q[6], v[6], a[6], g[3], c[32];
    int opt[2];
    double r[6], K[36], C[36], M[36];
} beam;

/* Length 0.8 at an angle, in its reference configuration, at rest, no field */
static void make(beam *b, double angle)
{
    static const int off[3] = {0, 3, 6};
    static const unsigned view[2] = {SN_FRAME, SN_FRAME};
    static const double slots[6] = {50, 7, 3, 0, 0, 0};
    memset(b, 0, sizeof *b);
    memcpy(b->s, slots, sizeof slots);
    b->X[0] = 0.3;
    b->X[1] = -0.2;
    b->X[3] = 0.3 + length * cos(angle);
    b->X[4] = -0.2 + length * sin(angle);
    memcpy(b->q, b->X, sizeof b->q);
    b->in = (sn_in){.s = b->s,
                    .c = b->c,
                    .X = b->X,
                    .q = b->q,
                    .v = b->v,
                    .a = b->a,
                    .g = b->g,
                    .opt = b->opt,
                    .off = off,
                    .offv = off,
                    .view = view,
                    .nn = 2,
                    .nq = 6,
                    .nv = 6,
                    .ns = 6,
                    .nc = 32};
    assert_int_equal(sn_element_beam2d_cr.prepare(&b->in, b->c, NULL), SN_OK);
}

static void eval(beam *b)
{
    memset(b->r, 0, sizeof b->r);
    memset(b->K, 0, sizeof b->K);
    memset(b->C, 0, sizeof b->C);
    memset(b->M, 0, sizeof b->M);
    assert_int_equal(sn_element_beam2d_cr.prepare(&b->in, b->c, NULL), SN_OK);
    assert_int_equal(sn_element_beam2d_cr.eval(&b->in, b->r, b->K, b->C, b->M), SN_OK);
}

/* A macro, so that a failure names its own line */
#define near(x, y) assert_true(fabs((x) - (y)) <= tolerance)

/* Any number between -1 and 1, the same in each run */
static double any(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 8388608.0 - 1;
}

/* Turned as a whole by `turn`, shifted, stretched a little and bent */
static void deform(beam *b, double turn, unsigned *seed)
{
    double dx = b->X[3] - b->X[0], dy = b->X[4] - b->X[1], f = 1 + 0.2 * any(seed);
    b->q[0] = any(seed);
    b->q[1] = any(seed);
    b->q[3] = b->q[0] + f * (cos(turn) * dx - sin(turn) * dy);
    b->q[4] = b->q[1] + f * (sin(turn) * dx + cos(turn) * dy);
    b->q[2] = turn + 0.3 * any(seed);
    b->q[5] = turn + 0.3 * any(seed);
}

/* Mean position of the Hermite line for the total turn */
static void mean_position(const beam *b, double *x)
{
    double dx = b->q[3] - b->q[0], dy = b->q[4] - b->q[1], l = hypot(dx, dy),
           h = length / 12 * (b->q[2] - b->q[5]);
    x[0] = 0.5 * (b->q[0] + b->q[3]) - h * dy / l;
    x[1] = 0.5 * (b->q[1] + b->q[4]) + h * dx / l;
}

/* Force and moment about the origin of a set of end forces */
static void resultant(const beam *b, const double *r, double *R)
{
    R[0] = r[0] + r[3];
    R[1] = r[1] + r[4];
    R[2] = b->q[0] * r[1] - b->q[1] * r[0] + r[2] + b->q[3] * r[4] - b->q[4] * r[3] + r[5];
}

/* A straight beam in a uniform field falls with exactly that acceleration, wherever it points. */
static void falls_freely(void **state)
{
    beam b;
    (void)state;
    for (int i = 0; i < 8; i++) {
        make(&b, 0.9 * i);
        b.s[RHO_I] = i % 2;
        b.g[0] = b.a[0] = b.a[3] = 1.5;
        b.g[1] = b.a[1] = b.a[4] = -9.81;
        eval(&b);
        for (int j = 0; j < 6; j++) near(b.r[j], 0);
    }
}

/* Lumped gravity leaves out the fixed-end moments m L/12 g.n */
static void lumped_gravity(void **state)
{
    const double angle = 0.4;
    beam b;
    (void)state;
    make(&b, angle);
    b.opt[1] = 1;
    b.g[1] = b.a[1] = b.a[4] = -9.81;
    eval(&b);
    for (int j = 0; j < 6; j++)
        near(b.r[j], j == 2 || j == 5 ? (j == 2 ? -1 : 1) * mass * length / 12 * 9.81 * cos(angle) : 0);
}

/* Rotation about node 1: the ends together need the centripetal force m w^2 L/2, no moment, no power. */
static void rigid_rotation(void **state)
{
    const double w = 2, turn = 2.2;
    double R[3], power = 0, shift;
    beam b;
    (void)state;
    make(&b, 0);
    b.q[0] = b.q[1] = 0;
    b.q[3] = length * cos(turn);
    b.q[4] = length * sin(turn);
    b.q[2] = b.q[5] = turn;
    b.v[2] = b.v[5] = w;
    b.v[3] = -w * b.q[4];
    b.v[4] = w * b.q[3];
    b.a[3] = -w * w * b.q[3];
    b.a[4] = -w * w * b.q[4];
    eval(&b);
    resultant(&b, b.r, R);
    near(R[0], -mass * w * w * length / 2 * cos(turn));
    near(R[1], -mass * w * w * length / 2 * sin(turn));
    near(R[2], 0);
    for (int j = 0; j < 6; j++) power += b.r[j] * b.v[j];
    near(power, 0);

    /* what is left out by `inertia: paper` is dT/dq */
    double e[2], eq[12] = {0}, ev[12] = {0}, full[6];
    unsigned seed = 5;
    for (int j = 0; j < 6; j++) b.v[j] = any(&seed);
    eval(&b);
    memcpy(full, b.r, sizeof full);
    b.opt[0] = 1;
    eval(&b);
    sn_element_beam2d_cr.energy(&b.in, e, &(sn_dout){.q = eq, .v = ev});
    shift = 0;
    for (int j = 0; j < 6; j++) {
        near(b.r[j] - full[j], eq[j]);
        shift = fmax(shift, fabs(eq[j]));
    }
    assert_true(shift > 0.01);
}

/* Whole turns of the beam, and of one node alone, are no deformation. */
static void whole_turns(void **state)
{
    double y[3], here[3];
    unsigned seed = 7;
    beam b;
    (void)state;
    for (int n = -4; n <= 4; n++) {
        double turn = 2 * pi * n + 0.7 * n;
        make(&b, 0.5);
        b.q[0] = b.q[1] = 0;
        b.q[3] = length * cos(0.5 + turn);
        b.q[4] = length * sin(0.5 + turn);
        b.q[2] = turn;
        b.q[5] = turn + 2 * pi * (n % 2);
        eval(&b);
        for (int j = 0; j < 6; j++) near(b.r[j], 0);
        deform(&b, turn, &seed);
        sn_element_beam2d_cr.output(&b.in, 1, 2, here, NULL);
        b.q[2] += 2 * pi;
        b.q[5] -= 4 * pi;
        sn_element_beam2d_cr.output(&b.in, 1, 2, y, NULL);
        for (int j = 0; j < 3; j++) near(y[j], here[j]);
    }
}

/* Nodes of a regular polygon, sections turned along the circle: constant moment EI kappa and nothing else. */
static void rolls_up(void **state)
{
    enum { N = 8 };
    double sum[3 * (N + 1)] = {0}, x = 0, y = 0, out[3];
    const double bend = pi / N, M = 7 * bend / length;
    (void)state;
    for (int i = 0; i < N; i++) {
        double along = (i + 0.5) * bend;
        beam b;
        make(&b, 0);
        memcpy(b.q,
               (double[]){x, y, i * bend, x + length * cos(along), y + length * sin(along), (i + 1) * bend},
               sizeof b.q);
        x = b.q[3];
        y = b.q[4];
        eval(&b);
        for (int j = 0; j < 6; j++) sum[3 * i + j] += b.r[j];
        assert_int_equal(sn_element_beam2d_cr.output(&b.in, 0, 0, out, NULL), SN_OK);
        near(out[0], 0);
        near(out[1], 0);
        near(out[2], M);
        assert_int_equal(sn_element_beam2d_cr.output(&b.in, 2, 0, out, NULL), SN_OK);
        near(out[0], 0);
        near(out[1], bend / length);
        near(out[2], bend / length);
    }
    /* the half circle is in balance under the end moment */
    near(sum[2], -M);
    for (int j = 3; j < 3 * N + 2; j++) near(sum[j], 0);
    near(sum[3 * N + 2], M);
}

/* Stretched, and with any rotation of its sections, a beam without mass of translations turns with the energy
   of its sections, rhoI L w^2/2 */
static void rotary_energy(void **state)
{
    double w = 1.7, e[2];
    beam b;
    (void)state;
    make(&b, 1.1);
    b.s[RHO_A] = 0, b.s[RHO_I] = 0.4;
    b.q[3] += 0.5, b.q[4] -= 0.2, b.q[2] = 0.3, b.q[5] = -0.1;
    b.v[2] = b.v[5] = w;
    b.v[3] = -w * (b.q[4] - b.q[1]), b.v[4] = w * (b.q[3] - b.q[0]);
    assert_int_equal(sn_element_beam2d_cr.prepare(&b.in, b.c, NULL), SN_OK);
    sn_element_beam2d_cr.energy(&b.in, e, NULL);
    near(e[0], 0.5 * 0.4 * length * w * w);
}

/* Mass of translations, and rotation about the middle: m L^2/12 + rhoI L */
static void total_mass(void **state)
{
    double t[3] = {0};
    unsigned seed = 3;
    beam b;
    (void)state;
    make(&b, 1.1);
    b.s[RHO_I] = 0.4;
    eval(&b);
    const double rot[6] = {0.5 * (b.q[4] - b.q[1]),  -0.5 * (b.q[3] - b.q[0]), 1,
                           -0.5 * (b.q[4] - b.q[1]), 0.5 * (b.q[3] - b.q[0]),  1};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            t[0] += i % 3 == 0 && j % 3 == 0 ? b.M[6 * i + j] : 0;
            t[1] += i % 3 == 1 && j % 3 == 1 ? b.M[6 * i + j] : 0;
            t[2] += rot[i] * b.M[6 * i + j] * rot[j];
            near(b.M[6 * i + j], b.M[6 * j + i]);
        }
    near(t[0], mass);
    near(t[1], mass);
    near(t[2], mass * length * length / 12 + 0.4 * length);
    /* mass-proportional damping is that matrix */
    for (int j = 0; j < 6; j++) b.v[j] = any(&seed);
    eval(&b);
    memcpy(t, b.r, sizeof t);
    b.s[DAMPING_MASS] = 0.6;
    eval(&b);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 6; j++) t[i] += 0.6 * b.M[6 * i + j] * b.v[j];
        near(b.r[i], t[i]);
    }
}

/* The textbook stiffness along x at the reference configuration */
static void small_stiffness(void **state)
{
    const double L = length, e = 50 / L, k = 7 / (L * L * L);
    const double want[36] = {e,  0,          0,
                             -e, 0,          0, /**/
                             0,  12 * k,     6 * k * L,
                             0,  -12 * k,    6 * k * L, /**/
                             0,  6 * k * L,  4 * k * L * L,
                             0,  -6 * k * L, 2 * k * L * L, /**/
                             -e, 0,          0,
                             e,  0,          0, /**/
                             0,  -12 * k,    -6 * k * L,
                             0,  12 * k,     -6 * k * L, /**/
                             0,  6 * k * L,  2 * k * L * L,
                             0,  -6 * k * L, 4 * k * L * L};
    beam b;
    (void)state;
    make(&b, 0);
    b.s[DAMPING] = 0.01;
    eval(&b);
    for (int i = 0; i < 36; i++) {
        near(b.K[i], want[i]);
        near(b.C[i], 0.01 * want[i]);
    }
}

/* Elastic and damping forces balance; weight and line loads act at the mean position; a rigid velocity is not
 * damped. */
static void resultants(void **state)
{
    unsigned seed = 11;
    double R[3], x[2], r[6];
    beam b;
    (void)state;
    for (int n = 0; n < 20; n++) {
        make(&b, any(&seed) * 3);
        deform(&b, any(&seed) * 9, &seed);
        b.s[RHO_A] = 0;
        b.s[DAMPING] = 0.1;
        eval(&b);
        resultant(&b, b.r, R);
        for (int j = 0; j < 3; j++) near(R[j], 0);
        memcpy(r, b.r, sizeof r);
        memcpy(b.v, (double[]){1 - 2 * b.q[1], 2 * b.q[0], 2, 1 - 2 * b.q[4], 2 * b.q[3], 2}, sizeof b.v);
        eval(&b);
        for (int j = 0; j < 6; j++) near(b.r[j], r[j]);

        memset(b.v, 0, sizeof b.v);
        b.s[RHO_A] = 3;
        b.g[0] = any(&seed);
        b.g[1] = any(&seed);
        eval(&b);
        resultant(&b, b.r, R);
        mean_position(&b, x);
        near(R[0], -mass * b.g[0]);
        near(R[1], -mass * b.g[1]);
        near(R[2], -mass * (x[0] * b.g[1] - x[1] * b.g[0]));

        const double w[3] = {any(&seed), any(&seed), any(&seed)};
        memset(r, 0, sizeof r);
        assert_int_equal(sn_element_beam2d_cr.distribute(&b.in, w, 0, r, NULL), SN_OK);
        resultant(&b, r, R);
        near(R[0], -length * w[0]);
        near(R[1], -length * w[1]);
        near(R[2], -length * (x[0] * w[1] - x[1] * w[0] + w[2]));
    }
}

static void no_length(void **state)
{
    beam b;
    sn_err err;
    (void)state;
    make(&b, 0);
    b.q[3] = b.q[0];
    b.q[4] = b.q[1];
    assert_int_equal(sn_element_beam2d_cr.eval(&b.in, b.r, NULL, NULL, NULL), SN_ERR_NUMERIC);
    memcpy(b.X, b.q, sizeof b.X);
    sn_err_clear(&err);
    assert_int_equal(sn_element_beam2d_cr.prepare(&b.in, b.c, &err), SN_ERR_INPUT);
    assert_int_equal(err.count, 1);
    assert_non_null(strstr(err.report[0].text, "no length"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falls_freely),    cmocka_unit_test(lumped_gravity), cmocka_unit_test(rigid_rotation),
        cmocka_unit_test(whole_turns),     cmocka_unit_test(rolls_up),       cmocka_unit_test(total_mass),
        cmocka_unit_test(small_stiffness), cmocka_unit_test(resultants),     cmocka_unit_test(no_length),
        cmocka_unit_test(rotary_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
