/* Derivatives by tangents without their geometric part: what is left out is that part and nothing else. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "sinew/sinew.h"
#include "system/system.h"

static void good(sn_status s, const sn_err *err)
{
    if (s) fail_msg("%s", err->count ? err->report[0].text : "no report");
}

/* The plane beam of one element, moved: K = EA/L r r' + 2 EI/L (2 b1 b1' + b1 b2' + b2 b1' + 2 b2 b2') with
   r = dl/dq, b_i = e_3i - dbeta/dq, which has no force in it. To rounding: 1e-10 of EA/L. */
static void test_closed_form(void **state)
{
    static const char text[] =
        "sinew: 1\nnodes: {a: {frame2d: [0, 0]}, b: {frame2d: [2, 0]}}\n"
        "elements: {bar: {beam2d_cr: [a, b], EA: 500 N, EI: 30 N*m^2, rhoA: 3 kg/m, damping: 0.1 s}}\n";
    const double q[6] = {0.3, -0.2, 1.2, 1.1, 1.9, 0.9}, v[6] = {1, 2, 3, -1, 0.5, 2}, EA = 500, EI = 30,
                 L = 2;
    double r[6] = {0}, K[36] = {0}, C[36] = {0}, M[36] = {0};
    sn_model *m;
    sn_values *p;
    sn_work *w;
    sn_err err;
    (void)state;
    sn_err_clear(&err);
    good(sn_model_read_text("bar.yaml", text, strlen(text), &m, &err), &err);
    good(sn_values_new(m, &p, &err), &err);
    good(sn_work_new(m, p, &w, &err), &err);
    sn_work_gather(w, &m->element.object[0], q, v, v);
    sn_in in = w->element[0];
    const sn_element_class *cls = m->element.object[0].cls;
    in.material = 1;
    good(cls->eval(&in, r, K, C, M), &err);
    double l = hypot(q[3] - q[0], q[4] - q[1]), c = (q[3] - q[0]) / l, s = (q[4] - q[1]) / l;
    const double n[6] = {-c, -s, 0, c, s, 0}, b[6] = {s / l, -c / l, 0, -s / l, c / l, 0};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double i1 = (i == 2) - b[i], i2 = (i == 5) - b[i], j1 = (j == 2) - b[j], j2 = (j == 5) - b[j],
                   k = EA / L * n[i] * n[j] + 2 * EI / L * (2 * i1 * j1 + i1 * j2 + i2 * j1 + 2 * i2 * j2);
            if (fabs(K[6 * i + j] - k) > 1e-10 * EA / L)
                fail_msg("K[%d][%d] = %.15g, not %.15g", i, j, K[6 * i + j], k);
        }
    /* residual, C and M are those of the whole tangent */
    double r2[6] = {0}, K2[36] = {0}, C2[36] = {0}, M2[36] = {0}, apart = 0;
    in.material = 0;
    good(cls->eval(&in, r2, K2, C2, M2), &err);
    assert_memory_equal(r, r2, sizeof r);
    assert_memory_equal(C, C2, sizeof C);
    assert_memory_equal(M, M2, sizeof M);
    for (int i = 0; i < 36; i++) apart = fmax(apart, fabs(K[i] - K2[i]));
    assert_true(apart > 1);
    sn_work_free(w), sn_values_free(p), sn_model_free(m);
}

/* A beam that floats and is pushed: derivatives of its end by the force, plane or in space. */
static void derivatives(const char *beam, int space, double f, int tangent_only, double *dy)
{
    char text[900];
    const char *wrt[] = {"f"};
    const double t[] = {0.25, 0.5, 0.75, 1};
    sn_model *m;
    sn_values *p;
    sn_info info;
    sn_err err;
    double y[4 * 8], all[4 * 8];
    int channel;
    sn_err_clear(&err);
    snprintf(text, sizeof text,
             "sinew: 1\nparameters: {f: %g N}\nnodes: {a: [0, 0%s], b: [2, 0%s]}\n"
             "elements:\n  bar: {%s, elements: 3}\n  push: {%s: a, force: [0, f%s]}\n"
             "sensors: {end: {position: b}}\nrun: {end: 1 s, step: 10 ms, scheme: newmark}\n",
             f, space ? ", 0" : "", space ? ", 0" : "", beam, space ? "force3d" : "force2d",
             space ? ", 0" : "");
    good(sn_model_read_text("bar.yaml", text, strlen(text), &m, &err), &err);
    good(sn_values_new(m, &p, &err), &err);
    sn_run_options o = sn_run_options_default(m, p);
    o.wrt = wrt, o.n_wrt = 1, o.tangent_only = tangent_only;
    good(sn_sample(m, p, &o, &(sn_samples){4, t, y, all}, &info, &err), &err);
    good(sn_channel_find(m, "end.y", &channel, &err), &err);
    for (int i = 0; i < 4; i++) dy[i] = all[i * sn_channel_count(m) + channel];
    sn_values_free(p), sn_model_free(m);
}

static const char plane[] = "beam2d_cr: [a, b], EA: 2e4 N, EI: 40 N*m^2, rhoA: 1 kg/m";
static const char in_space[] = "beam3d_cr: [a, b], EA: 2e4 N, EI_y: 60 N*m^2, EI_z: 40 N*m^2, GJ: 30 N*m^2, "
                               "orientation: [0, 1, 0], rhoA: 1 kg/m, rhoI_y: 0 kg*m, rhoI_z: 0 kg*m, "
                               "rhoJ: 1e-4 kg*m";

/* In the plane the spatial beam is the plane one, with this part of its tangent as well (1e-7: both are
   solved to rounding, through some hundred steps). Where the force is small, and with it turn and stress,
   what is left out is small too; where the beam turns by a radian it is not. */
static void test_planes_agree(void **state)
{
    double a[4], b[4], exact[4], little[4], none[4];
    (void)state;
    derivatives(plane, 0, 3, 1, a), derivatives(in_space, 1, 3, 1, b), derivatives(plane, 0, 3, 0, exact);
    derivatives(plane, 0, 1e-6, 1, little), derivatives(plane, 0, 1e-6, 0, none);
    double apart = 0, size = 0;
    for (int i = 0; i < 4; i++) size = fmax(size, fabs(exact[i])), apart = fmax(apart, fabs(a[i] - exact[i]));
    for (int i = 0; i < 4; i++) {
        if (fabs(a[i] - b[i]) > 1e-7 * size) fail_msg("plane %.12g, space %.12g", a[i], b[i]);
        if (fabs(little[i] - none[i]) > 1e-5 * size) fail_msg("at rest %.12g and %.12g", little[i], none[i]);
    }
    if (!(apart > 0.02 * size)) fail_msg("differs by %g of %g only", apart, size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_form),
        cmocka_unit_test(test_planes_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
