/* Fewer rows of long records: all of a short one; of a long one about as many as asked for, with the
   extremes, the largest residual and both ends. */
#include "identify_kit.h"

#include "identify/thin.h"

static void test_short(void **state)
{
    (void)state;
    double t[5] = {0, 1, 2, 3, 4}, y[5] = {0}, r[5] = {0};
    int row[5], n;
    const sn_experiment x = {.n = 5, .n_channel = 1, .t = t, .y = y};
    assert_int_equal(sn_thin(&x, r, 10, row, &n, NULL), SN_OK);
    assert_int_equal(n, 5);
    for (int i = 0; i < 5; i++) assert_int_equal(row[i], i);
}

static int holds(int n, const int *row, int i)
{
    for (int k = 0; k < n; k++)
        if (row[k] == i) return 1;
    return 0;
}

static void test_long(void **state)
{
    (void)state;
    enum { N = 100000, MOST = 3000, PEAK = 77777, LOW = 12345, FAR = 54321 };
    double *y = calloc(2 * N, sizeof *y), *r = calloc(2 * N, sizeof *r), *t = calloc(N, sizeof *t);
    int *row = calloc(N, sizeof *row), n;
    uint64_t seed = 3;
    for (int i = 0; i < 2 * N; i++) y[i] = kit_uniform(&seed), r[i] = kit_uniform(&seed);
    y[2 * PEAK] = 2, y[2 * LOW + 1] = -1, r[2 * FAR] = -9, y[2 * 4] = NAN;
    const sn_experiment x = {.n = N, .n_channel = 2, .t = t, .y = y};
    assert_int_equal(sn_thin(&x, r, MOST, row, &n, NULL), SN_OK);
    assert_in_range(n, MOST / 2, MOST + 2);
    for (int i = 1; i < n; i++) assert_true(row[i] > row[i - 1]);
    assert_true(holds(n, row, PEAK) && holds(n, row, LOW) && holds(n, row, FAR));
    assert_true(row[0] == 0 && row[n - 1] == N - 1);
    free(y), free(r), free(t), free(row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_short), cmocka_unit_test(test_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
