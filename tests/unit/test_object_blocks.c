/* Room for the blocks of all objects, of a model that is larger than what int can count: the allocator is
   asked for all of it, and gives nothing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "system/object_blocks.h"

static void *modest(size_t bytes, void *user)
{
    size_t *most = user;
    if (bytes > *most) *most = bytes;
    return bytes > 1 << 24 ? NULL : calloc(1, bytes);
}

static void plain(void *p, void *user)
{
    (void)user;
    free(p);
}

static void test_large(void **state)
{
    (void)state;
    enum { NV = 20000, M = 10 };
    size_t most = 0;
    const sn_allocator a = {modest, plain, &most};
    sn_object element[2] = {{.nv = NV}, {.nv = NV}}, joint[1] = {{.nv = NV, .m = M}};
    const sn_model m = {
        .element = {.object = element, .n = 2}, .joint = {.object = joint, .n = 1}, .max_v = NV};
    sn_object_blocks *p;
    sn_set_allocator(&a);
    sn_status s = sn_object_blocks_new(&m, &p, NULL);
    sn_set_allocator(NULL);
    assert_int_equal(s, SN_ERR_MEMORY);
    assert_null(p);
    const size_t nv = NV, numbers = 2 * 3 * nv * nv + 2 * nv * (nv + M) + 1;
    assert_true(numbers > INT32_MAX);
    assert_int_equal(most, numbers * sizeof(double));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
