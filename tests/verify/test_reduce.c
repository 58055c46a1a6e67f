/* Reduced bodies against closed forms: frequencies of beams, integrals over the mass of a rod and a box. */
#include "reduce_kit.h"

#include "math/rot3.h"

#include <lapacke.h>

#undef I

/* A square rod along x, L = 2, of 20 beams; lateral stiffness and rotary inertia the same both ways */
#define L     2.0
#define RHO_A 0.7
#define EI    3.0
#define RHO_J 0.002
static const char rod[] =
    "sinew: 1\nnodes:\n  a: [0, 0, 0]\n  b: [2, 0, 0]\nelements:\n"
    "  rod: {beam3d_cr: [a, b], elements: 20, EA: 4000, EI_y: 3, EI_z: 3, GJ: 2, rhoA: 0.7, "
    "rhoI_y: 0, rhoI_z: 0, rhoJ: 0.002}\n";
static const char *const ends[] = {"a", "b", NULL};

static reduced_case made(const char *text, const char *const *interface, sn_fe_options o)
{
    reduced_case k;
    sn_err err;
    sn_err_clear(&err);
    if (reduce_text(text, interface, o, 0, &k, &err)) fail_msg("%s", err.report[0].text);
    return k;
}

static void close_to(double got, double want, double tolerance)
{
    if (!(fabs(got / want - 1) <= tolerance)) fail_msg("%.10g is not %.10g to %.1g", got, want, tolerance);
}

/* Free bending (beta L = 4.73004...) in both planes, twist and stretch. Cubic beams: the relative error of a
   frequency is about (beta h)^4/1440, of linear twist (pi k h/L)^2/24. */
static void free_beam(void **state)
{
    static const double beta[3] = {4.730040744862704, 7.853204624095838, 10.99560783800167};
    const double pi = 3.14159265358979323846, bend = sqrt(EI / RHO_A) / (L * L),
                 twist = pi * sqrt(2 / RHO_J) / L;
    reduced_case k = made(rod, ends, (sn_fe_options){.modes = 8, .free = 1});
    (void)state;
    assert_int_equal(k.b->nd, 8);
    for (int i = 0; i < 6; i++)
        close_to(sqrt(k.b->w2[i + i / 4]), beta[i / 2] * beta[i / 2] * bend, 2e-5 * pow(3, i / 2.0));
    for (int i = 0; i < 6; i += 2) close_to(k.b->w2[i + i / 4 + 1], k.b->w2[i + i / 4], 1e-9);
    close_to(sqrt(k.b->w2[4]), twist, 1.1e-3);
    close_to(sqrt(k.b->w2[7]), 2 * twist, 4.4e-3);
    /* pairs are turned to the axes: of the first the end moves along y alone, of the second along z */
    for (int i = 0; i < 6; i++) {
        const int mode = i + i / 4;
        assert_true(fabs(k.b->phi[(3 + (i % 2 ? 1 : 2)) * 8 + mode]) < 1e-6);
        assert_true(fabs(k.b->phi[(3 + (i % 2 ? 2 : 1)) * 8 + mode]) > 0.1);
    }
    reduce_close(&k);
}

/* Mass integrals of a rod along x whose sections have only an inertia about x */
static void rod_integrals(void **state)
{
    reduced_case k = made(rod, ends, (sn_fe_options){.modes = 6});
    const sn_reduced_body *b = k.b;
    const double m = RHO_A * L;
    (void)state;
    assert_int_equal(b->nd, 12);
    assert_true(fabs(b->mass - m) < 1e-12 * m);
    assert_true(fabs(b->first[0] - m * L / 2) < 1e-12 && fabs(b->first[1]) + fabs(b->first[2]) < 1e-12);
    assert_true(fabs(b->J0[0] - RHO_J * L) < 1e-12);
    assert_true(fabs(b->J0[4] - m * L * L / 3) < 1e-12 && fabs(b->J0[8] - m * L * L / 3) < 1e-12);
    assert_non_null(b->PP);
    for (int i = 0; i < 12; i++) {
        /* modes neither move the centre nor turn the body */
        for (int c = 0; c < 3; c++)
            assert_true(fabs(b->S[3 * i + c]) < 1e-9 && fabs(b->h0[3 * i + c]) < 1e-9);
        for (int j = 0; j < 12; j++) {
            const double *P = b->PP + 9 * (12 * i + j);
            assert_true(fabs(P[0] + P[4] + P[8] - (i == j)) < 1e-9);
        }
    }
    reduce_close(&k);
}

/* Frequencies with interface 0 clamped: rigid motions follow from the modes there, r = -G^-1 [phi; theta] d
 */
static void clamped(const sn_reduced_body *b, double *w)
{
    const int n = b->nd;
    double Mr[36] = {0}, Y[6 * 64], A[64 * 64], B[64 * 64], c[9];
    const double *X = b->X;
    sn_skew3(b->first, c);
    for (int i = 0; i < 3; i++) {
        Mr[7 * i] = b->mass;
        for (int j = 0; j < 3; j++)
            Mr[6 * i + 3 + j] = -c[3 * i + j], Mr[6 * (3 + j) + i] = -c[3 * i + j],
                           Mr[6 * (3 + i) + 3 + j] = b->J0[3 * i + j];
    }
    for (int k = 0; k < n; k++) {
        double t[3], s[3];
        for (int i = 0; i < 3; i++) t[i] = -b->theta[i * n + k];
        sn_cross3(t, X, s);
        for (int i = 0; i < 3; i++) Y[6 * k + i] = -b->phi[i * n + k] - s[i], Y[6 * k + 3 + i] = t[i];
    }
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) {
            double sum = k == l;
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++) sum += Y[6 * k + i] * Mr[6 * i + j] * Y[6 * l + j];
            B[n * k + l] = sum, A[n * k + l] = k == l ? b->w2[k] : 0;
        }
    assert_int_equal(LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'N', 'U', n, A, n, B, n, w), 0);
    for (int k = 0; k < n; k++) w[k] = sqrt(fmax(w[k], 0));
}

/* A cantilever: of the interface's clamped modes only a few are needed */
static void cantilever(void **state)
{
    static const double beta[3] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
    const double bend = sqrt(EI / RHO_A) / (L * L);
    reduced_case k = made(rod, ends, (sn_fe_options){.modes = 24});
    double w[64];
    (void)state;
    clamped(k.b, w);
    for (int i = 0; i < 6; i++) close_to(w[i + i / 4], beta[i / 2] * beta[i / 2] * bend, 2e-4);
    close_to(w[4], 0.5 * 3.14159265358979323846 * sqrt(2 / RHO_J) / L, 1e-3);
    reduce_close(&k);
}

/* All modes up to a frequency: those of a beam clamped at both ends, beta as if free */
static void up_to(void **state)
{
    const double bend = sqrt(EI / RHO_A) / (L * L),
                 above = 1.01 * 7.853204624095838 * 7.853204624095838 * bend;
    reduced_case k = made(rod, ends, (sn_fe_options){.up_to = above});
    (void)state;
    assert_int_equal(k.b->nd, 6 + 4);
    reduce_close(&k);
    k = made(rod, ends, (sn_fe_options){.modes = 5, .up_to = above});
    assert_int_equal(k.b->nd, 6 + 5);
    reduce_close(&k);
    /* free: the same frequencies */
    k = made(rod, ends, (sn_fe_options){.up_to = above, .free = 1});
    assert_int_equal(k.b->nd, 4);
    reduce_close(&k);
}

static reduced_case box_case(const box *b, sn_fe_options o)
{
    reduced_case k = {.b = NULL};
    sn_err err;
    sn_block block = reduce_block(&k.arena);
    sn_err_clear(&err);
    box_body(b, &k.arena, &k.fe);
    const sn_fe_point face[2] = {box_face(b, &k.arena, "left", 0), box_face(b, &k.arena, "right", 1)};
    o.n_interface = 2, o.point = face;
    if (sn_reduce_body(&k.fe, &o, &block, &k.b, &err)) fail_msg("%s", err.report[0].text);
    return k;
}

/* Integrals of a box are exact with bricks; M = M_s (x) I3 is found out */
static void box_integrals(void **state)
{
    const box given = {{4, 3, 2}, {0.8, 0.3, 0.2}, 2e5, 0.3, 5};
    const double m = 5 * 0.8 * 0.3 * 0.2;
    reduced_case k = box_case(&given, (sn_fe_options){.modes = 5});
    const sn_reduced_body *b = k.b;
    (void)state;
    assert_int_equal(b->nd, 11);
    assert_non_null(b->PP);
    assert_true(fabs(b->mass - m) < 1e-12);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(b->first[i] - m * given.size[i] / 2) < 1e-12);
        assert_true(fabs(b->second[4 * i] - m * given.size[i] * given.size[i] / 3) < 1e-12);
        assert_true(fabs(b->second[3 * i + (i + 1) % 3] - m * given.size[i] * given.size[(i + 1) % 3] / 4) <
                    1e-12);
    }
    for (int i = 0; i < 33; i++) assert_true(fabs(b->S[i]) < 1e-9 && fabs(b->h0[i]) < 1e-9);
    reduce_close(&k);
}

/* Of a matrix that is hardly not M_s (x) I3 the integrals come from the nodes: the same */
static void nodal_integrals(void **state)
{
    const box given = {{3, 2, 2}, {0.8, 0.3, 0.2}, 2e5, 0.3, 5};
    reduced_case k = box_case(&given, (sn_fe_options){.modes = 4});
    const sn_fe_point face[2] = {box_face(&given, &k.arena, "left", 0),
                                 box_face(&given, &k.arena, "right", 1)};
    const sn_fe_options o = {.modes = 4, .n_interface = 2, .point = face};
    sn_reduced_body *b;
    sn_block block = reduce_block(&k.arena);
    sn_err err;
    (void)state;
    sn_err_clear(&err);
    double *x = (double *)k.fe.M.x;
    for (int e = k.fe.M.first[0]; e < k.fe.M.first[1]; e++)
        if (k.fe.M.row[e] == 0) x[e] *= 1 + 1e-9;
    assert_int_equal(sn_reduce_body(&k.fe, &o, &block, &b, &err), SN_OK);
    assert_null(b->PP);
    const int n = b->nd;
    assert_int_equal(n, k.b->nd);
    for (int i = 0; i < 9; i++) assert_true(fabs(b->J0[i] - k.b->J0[i]) < 1e-9);
    for (int i = 0; i < 9 * n; i++) {
        assert_true(fabs(b->J1[i] - k.b->J1[i]) < 1e-7);
        assert_true(fabs(b->XP[i] - k.b->XP[i]) < 1e-7);
    }
    for (int i = 0; i < 9 * n * n; i++) assert_true(fabs(b->J2[i] - k.b->J2[i]) < 1e-6);
    for (int i = 0; i < 3 * n * n; i++) assert_true(fabs(b->H[i] - k.b->H[i]) < 1e-6);
    reduce_close(&k);
}

/* Two beams joined by an equation of six, or one of the same length: nothing differs. A hinge is refused,
   since what it joins turns without resistance. */
static void joints(void **state)
{
#define BEAM                                                                                                 \
    "EA: 4000, EI_y: 3, EI_z: 2, GJ: 2, rhoA: 0.7, rhoI_y: 0.001, rhoI_z: 0.002, rhoJ: 0.003, elements: "    \
    "4}\n"
    static const char whole[] =
        "sinew: 1\nnodes:\n  a: [0, 0, 0]\n  c: [1, 0, 0]\n  b: [2, 0, 0]\n"
        "elements:\n  one: {beam3d_cr: [a, c], " BEAM "  two: {beam3d_cr: [c, b], " BEAM;
    static const char joined[] =
        "sinew: 1\nnodes:\n  a: [0, 0, 0]\n  c: [1, 0, 0]\n  d: [1, 0, 0]\n  b: [2, 0, "
        "0]\nelements:\n  one: {beam3d_cr: [a, c], " BEAM "  two: {beam3d_cr: [d, b], " BEAM
        "joints:\n  weld: {%s}\n";
    char text[1200];
    sn_err err;
    reduced_case k = made(whole, ends, (sn_fe_options){.modes = 6}), l;
    (void)state;
    snprintf(text, sizeof text, joined, "rigid_link: [c, d]");
    l = made(text, ends, (sn_fe_options){.modes = 6});
    assert_int_equal(k.b->nd, l.b->nd);
    for (int i = 0; i < k.b->nd; i++) close_to(l.b->w2[i], k.b->w2[i], 1e-7);
    reduce_close(&k), reduce_close(&l);
    snprintf(text, sizeof text, joined, "revolute: [c, d], axis: [0, 0, 1]");
    sn_err_clear(&err);
    assert_int_equal(reduce_text(text, ends, (sn_fe_options){.modes = 6}, 0, &l, &err), SN_ERR_INPUT);
    assert_non_null(strstr(err.report[0].text, "mechanism"));
    reduce_close(&l);
}

static sn_status keep_omega(void *ctx, int i, const sn_mode *mode, const sn_frame *state, sn_err *err)
{
    (void)state, (void)err;
    if (i < 12) ((double *)ctx)[i] = kit_omega(mode);
    return SN_OK;
}

/* A beam compressed by a spring between its ends: about the equilibrium it is softer. The modes of the whole
   model there, found another way, behind six of rigid motions, are the free modes of the body. */
static void preloaded(void **state)
{
    static const char text[] = "sinew: 1\nnodes:\n  a: [0, 0, 0]\n  b: [2, 0, 0]\nelements:\n"
                               "  rod: {beam3d_cr: [a, b], elements: 10, EA: 4000, EI_y: 3, EI_z: 2, GJ: 2, "
                               "rhoA: 0.7, rhoJ: 0.002}\n"
                               "  pull: {spring3d: [a, b], k: 2, l0: 0.5}\n";
    const sn_fe_options free_ones = {.modes = 6, .free = 1};
    reduced_case k;
    sn_err err;
    kit m;
    double w[12];
    int found;
    (void)state;
    sn_err_clear(&err);
    if (reduce_text(text, ends, free_ones, 1, &k, &err)) fail_msg("%s", err.report[0].text);
    kit_text(&m, text);
    sn_mode_options o = sn_mode_options_default(m.m, m.p);
    o.n = 12, o.at_static = 1, o.undamped = 1, o.mode = keep_omega, o.ctx = w;
    kit_good(&m, sn_modes(m.m, m.p, &o, &found, &m.err));
    for (int i = 0; i < 6; i++) close_to(sqrt(k.b->w2[i]), w[6 + i], 1e-7);
    /* not so about the reference configuration, where its forces are not in equilibrium */
    kit_close(&m), reduce_close(&k);
    sn_err_clear(&err);
    if (!reduce_text(text, ends, free_ones, 0, &k, &err))
        assert_true(fabs(sqrt(k.b->w2[0]) / w[6] - 1) > 1e-3);
    reduce_close(&k);
}

/* Pushed by twice its buckling load it has a deformation with a negative stiffness, which iterations for the
   lowest frequencies do not see: neither with free modes nor with static ones is it a body. */
static void unstable(void **state)
{
    static const char text[] = "sinew: 1\nnodes:\n  a: [0, 0, 0]\n  b: [2, 0, 0]\nelements:\n"
                               "  rod: {beam3d_cr: [a, b], elements: 10, EA: 4000, EI_y: 3, EI_z: 2, GJ: 2, "
                               "rhoA: 0.7, rhoJ: 0.002}\n"
                               "  pull: {spring3d: [a, b], k: 20, l0: 1.5}\n";
    (void)state;
    for (int is_free = 0; is_free < 2; is_free++) {
        reduced_case k;
        sn_err err;
        sn_err_clear(&err);
        assert_int_equal(reduce_text(text, ends, (sn_fe_options){.modes = 4, .free = is_free}, 1, &k, &err),
                         SN_ERR_INPUT);
        assert_non_null(strstr(err.report[0].text, "the body is not stable"));
        reduce_close(&k);
    }
}

/* What is wrong with a body is named */
static void refused(void **state)
{
#define HEAD                                                                                                 \
    "sinew: 1\nnodes:\n  a: [0, 0, 0]\n  b: [2, 0, 0]\n  p: {point3d: [3, 0, 0]}\nelements:\n  one: "        \
    "{beam3d_cr: [a, b], " BEAM
    static const struct {
        const char *text, *interface, *says;
        int modes;
    } wrong[] = {
        {HEAD "  s: {spring3d: [b, p], k: 3}\n  m: {mass3d: p, mass: 1}\n", "nobody",
         "interface 'nobody': there is no such node", 2},
        {HEAD "  s: {spring3d: [b, p], k: 3}\n  m: {mass3d: p, mass: 1}\n", "p",
         "'p': its node has no rotation", 2},
        {HEAD "  s: {spring3d: [b, p], k: 3}\n  m: {mass3d: p, mass: 1}\n", "a",
         "can still move without resistance", 2},
        {HEAD "  m: {mass3d: p, mass: 1}\n", "a", "can still move without resistance", 2},
        {HEAD "joints:\n  w: {rigid_link: [b, p]}\n", "a", "8000 modes are asked for", 8000},
        {HEAD "joints:\n  w: {rigid_link: [b, p]}\n  f: {fixed: a}\n", "b", "a joint holds the body", 2},
        {HEAD "  s: {bushing: [ground, a], k: [9, 9, 9]}\njoints:\n  w: {rigid_link: [b, p]}\n", "b",
         "resists rigid-body motions", 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *const interface[] = {wrong[i].interface, NULL};
        reduced_case k;
        sn_err err;
        sn_err_clear(&err);
        sn_status s =
            reduce_text(wrong[i].text, interface, (sn_fe_options){.modes = wrong[i].modes}, 0, &k, &err);
        if (!s) fail_msg("case %d is not refused", (int)i);
        if (!strstr(err.report[0].text, wrong[i].says))
            fail_msg("%d: '%s' is not in '%s'", (int)i, wrong[i].says, err.report[0].text);
        reduce_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_beam), cmocka_unit_test(rod_integrals), cmocka_unit_test(cantilever),
        cmocka_unit_test(up_to),     cmocka_unit_test(box_integrals), cmocka_unit_test(nodal_integrals),
        cmocka_unit_test(joints),    cmocka_unit_test(preloaded),     cmocka_unit_test(unstable),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
