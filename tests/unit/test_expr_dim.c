/* Expressions: dimensions and the reports of unlike ones. */
#include "test_expr.h"

/* x, y: metres; z: seconds; k: unknown; m: bare; bar1.E: Pa; @2.x: an angle; t: seconds. */
static const sn_dimension dims[NNAME] = {{1, {1, 0, 0}}, {1, {1, 0, 0}},   {1, {0, 0, 1}}, {0, {0, 0, 0}},
                                         {2, {0, 0, 0}}, {1, {-1, 1, -2}}, {1, {0, 0, 0}}, {1, {0, 0, 1}}};

static sn_status dimension_of(const char *text, sn_dimension *d, sn_err *err)
{
    sn_arena a = {0};
    sn_expr *e = parse(&a, text);
    sn_dimension x[NNAME];
    for (int i = 0; i < sn_expr_nvar(e); i++) x[i] = dims[sn_expr_var(e, i)];
    sn_err_clear(err);
    sn_status s = sn_expr_dimension(e, x, d, err);
    sn_arena_free(&a);
    return s;
}

static const struct {
    const char *text;
    int known, m, kg, s;
} right[] = {
    {"3", 2, 0, 0, 0},
    {"3 mm", 1, 1, 0, 0},
    {"30 deg", 1, 0, 0, 0},
    {"2*3+1", 2, 0, 0, 0},
    {"x+1", 1, 1, 0, 0},
    {"1-x", 1, 1, 0, 0},
    {"x*y", 1, 2, 0, 0},
    {"x/z", 1, 1, 0, -1},
    {"2*x", 1, 1, 0, 0},
    {"x*k", 0, 0, 0, 0},
    {"x+k", 1, 1, 0, 0},
    {"k+1", 0, 0, 0, 0},
    {"m*x + 3", 1, 1, 0, 0},
    {"x^2", 1, 2, 0, 0},
    {"x^-1", 1, -1, 0, 0},
    {"x^(1+1)", 1, 2, 0, 0},
    {"sqrt(x*y)", 1, 1, 0, 0},
    {"sqrt(x)*sqrt(y)", 1, 1, 0, 0},
    {"sqrt(x)", 0, 0, 0, 0},
    {"0.1*sin(@2.x)", 2, 0, 0, 0},
    {"sin(x/y)", 2, 0, 0, 0},
    {"sin(k)", 2, 0, 0, 0},
    {"(x*y*y)^(1/3)", 1, 1, 0, 0},
    {"2^(x/y)", 2, 0, 0, 0},
    {"min(x, 2, y)", 1, 1, 0, 0},
    {"hypot(x,y)", 1, 1, 0, 0},
    {"atan2(x,y)", 2, 0, 0, 0},
    {"step(t - 1 s)*5 N", 1, 1, 1, -2},
    {"abs(-x)", 1, 1, 0, 0},
    {"smoothstep(t, 0, 1 s)*x", 1, 1, 0, 0},
    {"bar1.E*x^2", 1, 1, 1, -2},
    {"10 m/s*t", 1, 1, 0, 0},
    {"pi*x", 1, 1, 0, 0},
    {"(x*x)^100", 0, 0, 0, 0},
    {"k^2*x", 0, 0, 0, 0},
};

static void test_dimension(void **state)
{
    static sn_err err;
    sn_dimension d;
    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        sn_dim want = {(signed char)right[i].m, (signed char)right[i].kg, (signed char)right[i].s};
        if (dimension_of(right[i].text, &d, &err) != SN_OK)
            fail_msg("'%s': %s", right[i].text, err.report[0].text);
        if (d.known != right[i].known || !sn_dim_equal(d.dim, want))
            fail_msg("'%s': known %d", right[i].text, d.known);
    }
}

static const struct {
    const char *text;
    int count, col;
    const char *words;
} wrong[] = {
    {"x + 2*t", 1, 2, "'+' joins m and s"},
    {"2 m + 3 s", 1, 4, "'+' joins m and s"},
    {"x - 30 deg", 1, 2, "'-' joins m and a pure number"},
    {"1 + sin(5 mm)", 1, 4, "sin takes a pure number or an angle, not m"},
    {"x^(2 m)", 1, 1, "an exponent must be a pure number, not m"},
    {"2*x^(x/y)", 1, 3, "a base in m needs a constant exponent"},
    {"max(x, 1, t)", 1, 0, "'max' joins"},
    {"atan2(x, t)", 1, 0, "'atan2' joins m and s"},
    {"hypot(bar1.E, t)", 1, 0, "joins Pa and s"},
    {"smoothstep(t, 0, x)", 1, 0, "'smoothstep' joins s and m"},
    {"exp(x) + log(t)*(x + t)", 3, 0, "exp takes"},
    {"sqrt(x) + x", 1, 8, "joins m^0.5"},
};

static void test_dimension_errors(void **state)
{
    static sn_err err;
    sn_dimension d;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (dimension_of(wrong[i].text, &d, &err) != SN_ERR_INPUT) fail_msg("'%s' is taken", wrong[i].text);
        assert_int_equal(err.count, wrong[i].count);
        if (!strstr(err.report[0].text, wrong[i].words))
            fail_msg("'%s': %s", wrong[i].text, err.report[0].text);
        if (err.report[0].col != 11 + wrong[i].col)
            fail_msg("'%s': column %d", wrong[i].text, err.report[0].col - 11);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dimension),
        cmocka_unit_test(test_dimension_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
