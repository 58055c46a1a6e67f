/* Kinds of reduced bodies with random bodies: of particles, and with the inertias of rotation that mass
   matrices of finite elements may have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "conformance.h"
#include "particles.h"

static void conforms(const char *kind, int nd, int rotary)
{
    sn_reduced_body b = random_body(nd, 71 + (uint64_t)nd, NULL);
    double *H = (double *)(uintptr_t)b.H;
    for (int i = 0; rotary && i < nd; i++)
        for (int j = 0; j < nd; j++)
            for (int k = 0; k < 3; k++) H[(i * nd + j) * 3 + k] += 0.3 + 0.1 * i * j + 0.2 * k;
    /* dampers within: the modes' own rates and that of their sum */
    double *D = particles_zeros(nd * nd);
    for (int i = 0; i < nd * nd; i++) D[i] = (i % (nd + 1) ? 0 : 0.4 + 0.1 * i) + 0.3;
    b.damping = D;
    conform_size = nd;
    assert_int_equal(conform_element(sn_element_find(kind), &b, 0), 0);
    body_free(&b);
}

static void test_ffr(void **state)
{
    (void)state;
    for (int nd = 1; nd < 8; nd += 2) conforms("body_ffr", nd, 0);
}

static void test_ffr_rotary(void **state)
{
    (void)state;
    conforms("body_ffr", 5, 1);
}

static void test_fncf(void **state)
{
    (void)state;
    for (int nd = 1; nd < 8; nd += 2) conforms("body_fncf", nd, 0);
}

static void test_interface(void **state)
{
    (void)state;
    for (int nd = 1; nd < 6; nd += 2) {
        sn_reduced_body b = random_body(nd, 5 + (uint64_t)nd, NULL);
        conform_size = nd;
        assert_int_equal(conform_joint(sn_joint_find("interface"), &b, 0), 0);
        body_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ffr), cmocka_unit_test(test_ffr_rotary),
                                       cmocka_unit_test(test_fncf), cmocka_unit_test(test_interface)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
