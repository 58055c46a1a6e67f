/* Rows of the direct methods: forces, moments and equations are told apart by what they are, also in a model
   that is exactly one metre long, where the scale of moments is one. */
#include "identify_kit.h"

#include "identify/rows.h"

static void test_class(void **state)
{
    (void)state;
    for (int length = 1; length <= 2; length++) {
        char text[400];
        sn_model *m;
        sn_values *p;
        sn_rows s = {.width = 1};
        static sn_err err;
        sn_err_clear(&err);
        snprintf(text, sizeof text,
                 "sinew: 1\nnodes: {a: [0, 0], b: [%d, 0]}\n"
                 "elements: {rod: {beam2d_cr: [a, b], EA: 1e5, EI: 10, rhoA: 1}}\n"
                 "joints: {pin: {fixed: a, only: [x, y]}}\n",
                 length);
        kit_tell(&err, sn_model_read_text("rod.yaml", text, strlen(text), &m, &err));
        kit_tell(&err, sn_values_new(m, &p, &err));
        kit_tell(&err, sn_work_new(m, p, &s.w, &err));
        assert_true(p->length == length);
        s.m = m;
        assert_int_equal(m->m, 2);
        assert_int_equal(m->nv, 6);
        static const int expected[] = {2, 2, 0, 0, 1, 0, 0, 1};
        for (int r = 0; r < m->n; r++) assert_int_equal(sn_rows_class(&s, r), expected[r]);
        sn_work_free(s.w), sn_values_free(p), sn_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_class)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
