/* beam3d_cr against closed forms: stiffness and mass of the straight beam, rigid motion by whole turns, free
   fall, rigid rotation, momentum and weight of eccentric ends, the choice of axes. Numbers are of order 1 to
   100: rounding is below 1e-12, and 1e-11 leaves no room for a wrong term. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/rot3.h"
#include "sinew/class.h"

extern const sn_element_class sn_element_beam3d_cr;

enum { EA, EI_Y, EI_Z, GJ, KGA_Y, KGA_Z, RHO_A, RHO_I_Y, RHO_I_Z, RHO_J, DAMPING, DAMPING_MASS, AXIS };
enum { OFFSET1 = AXIS + 3, OFFSET2 = OFFSET1 + 3, NS = OFFSET2 + 3 };
enum { CONSISTENT, LINEAR, LUMPED };
static const double tolerance = 1e-11;

typedef struct beam {
    sn_in in;
    double s[NS], X[14], q[14], v[12], a[12], g[3], c[128];
    int opt[1];
    double r[12], K[144], C[144], M[144];
} beam;

/* A macro, so that a failure names its own line */
#define near(x, y) assert_true(fabs((x) - (y)) <= tolerance)

/* From the origin to (x, y, z), in its reference configuration, at rest */
static void make(beam *b, double x, double y, double z, int mass)
{
    static const int off[3] = {0, 7, 14}, offv[3] = {0, 6, 12};
    static const unsigned view[2] = {SN_FRAME, SN_FRAME};
    static const double slots[NS] = {50, 7, 4, 3, 0, 0, 2, 0.3, 0.2, 0.5, 0, 0, 0, 0, 1};
    memset(b, 0, sizeof *b);
    memcpy(b->s, slots, sizeof slots);
    b->X[3] = b->X[10] = 1;
    b->X[7] = x, b->X[8] = y, b->X[9] = z;
    memcpy(b->q, b->X, sizeof b->q);
    b->opt[0] = mass;
    b->in = (sn_in){.s = b->s, .c = b->c, .X = b->X, .q = b->q, .v = b->v, .a = b->a, .g = b->g};
    b->in.opt = b->opt, b->in.off = off, b->in.offv = offv, b->in.view = view;
    b->in.nn = 2, b->in.nq = 14, b->in.nv = 12, b->in.ns = NS, b->in.dim = 3;
    sn_layout l = {.nn = 2};
    assert_int_equal(sn_element_beam3d_cr.layout(&l, NULL), SN_OK);
    assert_true(l.nc <= 128);
    b->in.nc = l.nc;
}

static void eval(beam *b)
{
    memset(b->r, 0, sizeof b->r);
    memset(b->K, 0, sizeof b->K);
    memset(b->C, 0, sizeof b->C);
    memset(b->M, 0, sizeof b->M);
    assert_int_equal(sn_element_beam3d_cr.prepare(&b->in, b->c, NULL), SN_OK);
    assert_int_equal(sn_element_beam3d_cr.eval(&b->in, b->r, b->K, b->C, b->M), SN_OK);
}

/* Twice the kinetic energy of the sections' rotary inertia alone, in a beam that is stretched and sheared (or
   wound up: any rotation of its sections) and turns as a rigid body with the spin w: L w.(R J R'w), whatever
   the chord does */
static void rotary_energy(void **state)
{
    (void)state;
    static const double w[3] = {0.7, -1.1, 1.9}, d[3] = {0.3, 0.4, -0.2}, x2[3] = {2.6, 0.3, -0.4};
    for (int mass = CONSISTENT; mass <= LUMPED; mass++)
        for (int shear = 0; shear < 2; shear++) {
            double e[2], R[9], u[3];
            beam b;
            make(&b, 2, 0, 0, mass);
            b.s[RHO_A] = 0, b.s[KGA_Y] = b.s[KGA_Z] = shear ? 9 : 0;
            sn_quat_exp(d, b.q + 3);
            memcpy(b.q + 10, b.q + 3, 4 * sizeof(double));
            memcpy(b.q + 7, x2, sizeof x2);
            sn_quat_matrix(b.q + 3, R);
            sn_tmul3(R, w, u);
            sn_cross3(w, x2, b.v + 6);
            memcpy(b.v + 3, u, sizeof u);
            memcpy(b.v + 9, u, sizeof u);
            assert_int_equal(sn_element_beam3d_cr.prepare(&b.in, b.c, NULL), SN_OK);
            sn_element_beam3d_cr.energy(&b.in, e, NULL);
            /* local y is global z: the section's inertia about x, y, z is rhoJ, rhoI_z, rhoI_y */
            near(2 * e[0], 2 * (0.5 * u[0] * u[0] + 0.2 * u[1] * u[1] + 0.3 * u[2] * u[2]));
        }
}

/* Rigid motion: turned by d about the origin, then shifted */
static void turn(beam *b, const double *d, const double *shift)
{
    double R[9], p[4];
    sn_quat_exp(d, p);
    sn_quat_matrix(p, R);
    for (int i = 0; i < 14; i += 7) {
        sn_mul3(R, b->X + i, b->q + i);
        for (int j = 0; j < 3; j++) b->q[i + j] += shift[j];
        memcpy(b->q + i + 3, p, sizeof p);
    }
}

/* Along x, y in the section's plane: 12 EI/L^3, 6 EI/L^2, 4 EI/L, 2 EI/L, divided by 1 + Phi with shear */
static void stiffness(void **state)
{
    (void)state;
    double L = 2, L2 = 4, L3 = 8;
    for (int shear = 0; shear < 2; shear++) {
        beam b;
        make(&b, L, 0, 0, CONSISTENT);
        b.s[AXIS] = 0, b.s[AXIS + 1] = 1, b.s[AXIS + 2] = 0;
        b.s[KGA_Y] = shear ? 9 : 0;
        eval(&b);
        double f = shear ? 12 * 4 / (9 * L2) : 0, g = 1 / (1 + f);
        near(b.K[0], 50 / L);
        near(b.K[6], -50 / L);
        near(b.K[12 * 3 + 3], 3 / L);
        near(b.K[12 * 3 + 9], -3 / L);
        near(b.K[12 * 1 + 1], 12 * 4 / L3 * g);
        near(b.K[12 * 1 + 5], 6 * 4 / L2 * g);
        near(b.K[12 * 5 + 5], (4 + f) * 4 / L * g);
        near(b.K[12 * 5 + 11], (2 - f) * 4 / L * g);
        near(b.K[12 * 2 + 2], 12 * 7 / L3);
        near(b.K[12 * 2 + 4], -6 * 7 / L2);
        near(b.K[12 * 4 + 4], 4 * 7 / L);
        near(b.K[12 * 4 + 10], 2 * 7 / L);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) near(b.K[12 * i + j], b.K[12 * j + i]);
    }
}

/* Moved as a rigid body by many turns: no force, the same mass in body axes of rotations */
static void rigid_motion(void **state)
{
    (void)state;
    static const double shift[3] = {3, -2, 1};
    for (int mass = CONSISTENT; mass <= LUMPED; mass++)
        for (int i = 0; i < 8; i++) {
            beam b;
            make(&b, 1, -0.7, 0.4, mass);
            b.s[OFFSET1] = 0.1, b.s[OFFSET2 + 2] = -0.3;
            turn(&b, (const double[]){2.1 * i, 7 - 3.3 * i, 0.9 * i}, shift);
            eval(&b);
            for (int j = 0; j < 12; j++) near(b.r[j], 0);
        }
}

/* Translation: the whole mass; falling freely with the field: no force, bent or not for a constant mass */
static void fall(void **state)
{
    (void)state;
    for (int mass = CONSISTENT; mass <= LUMPED; mass++) {
        beam b;
        make(&b, 1, 2, -2, mass);
        for (int i = 0; i < 3; i++) b.g[i] = b.a[i] = b.a[6 + i] = 1.5 - 2 * i;
        eval(&b);
        for (int i = 0; i < 12; i++) near(b.r[i], 0);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const double *M = b.M + 12 * i + j;
                near(M[0] + M[6] + M[72] + M[78], i == j ? 6 : 0);
            }
    }
}

/* Steady rotation about the middle, z: the lateral momentum that the cubic gives to an end, rhoA L^2 w/10,
   turns with w, and nothing else acts. The energy is that of the rigid rod with its sections. */
static void rotation(void **state)
{
    (void)state;
    double L = 2, w = 3, e[2];
    beam b;
    make(&b, L, 0, 0, CONSISTENT);
    b.v[1] = -w * L / 2, b.v[7] = w * L / 2, b.v[5] = b.v[11] = w;
    b.a[0] = w * w * L / 2, b.a[6] = -w * w * L / 2;
    eval(&b);
    sn_element_beam3d_cr.energy(&b.in, e, NULL);
    near(e[0], 0.5 * w * w * (2 * L * L * L / 12 + b.s[RHO_I_Y] * L));
    b.s[RHO_I_Y] = 0;
    eval(&b);
    near(b.r[0], 2 * w * w * L * L / 10);
    near(b.r[6], -2 * w * w * L * L / 10);
    for (int i = 0; i < 12; i++)
        if (i != 0 && i != 6) near(b.r[i], 0);
}

/* Offsets give the moments of the weight about the nodes */
static void eccentric_weight(void **state)
{
    (void)state;
    beam b;
    make(&b, 2, 0, 0, LUMPED);
    b.s[OFFSET1 + 1] = b.s[OFFSET2 + 1] = 0.25;
    b.g[0] = 10;
    eval(&b);
    near(b.r[0], -20);
    near(b.r[6], -20);
    near(b.r[5], 5);
    near(b.r[11], 5);
}

/* Axes: global z lies in the local x-y plane, for a vertical beam global y; not a vector along the beam */
static void axes(void **state)
{
    (void)state;
    beam b;
    sn_err err;
    make(&b, 2, 0, 0, CONSISTENT);
    eval(&b);
    near(b.K[12 * 2 + 2], 12 * 4 / 8.0); /* along z: bends about local z */
    near(b.K[12 * 1 + 1], 12 * 7 / 8.0);
    make(&b, 0, 0, 2, CONSISTENT);
    eval(&b);
    near(b.K[12 * 1 + 1], 12 * 4 / 8.0);
    near(b.K[0], 12 * 7 / 8.0);
    make(&b, 0, 3, 0, CONSISTENT);
    b.s[AXIS + 1] = 1, b.s[AXIS + 2] = 0;
    sn_err_clear(&err);
    assert_int_equal(sn_element_beam3d_cr.prepare(&b.in, b.c, &err), SN_ERR_INPUT);
    make(&b, 0, 0, 0, CONSISTENT);
    assert_int_equal(sn_element_beam3d_cr.prepare(&b.in, b.c, &err), SN_ERR_INPUT);
}

/* What cannot be measured: a chord without length, a section turned by pi */
static void no_measure(void **state)
{
    (void)state;
    beam b;
    make(&b, 2, 0, 0, CONSISTENT);
    eval(&b);
    b.q[7] = 0;
    assert_int_equal(sn_element_beam3d_cr.eval(&b.in, b.r, NULL, NULL, NULL), SN_ERR_NUMERIC);
    make(&b, 2, 0, 0, CONSISTENT);
    eval(&b);
    b.q[10] = 0, b.q[11] = 1;
    assert_int_equal(sn_element_beam3d_cr.eval(&b.in, b.r, NULL, NULL, NULL), SN_ERR_NUMERIC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffness),  cmocka_unit_test(rigid_motion),     cmocka_unit_test(fall),
        cmocka_unit_test(rotation),   cmocka_unit_test(eccentric_weight), cmocka_unit_test(axes),
        cmocka_unit_test(no_measure), cmocka_unit_test(rotary_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
