/* Expressions: values, grammar, errors and their place, limits, fuzz, failing memory. */
#include "test_expr.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef FUZZ_RUNS
#define FUZZ_RUNS 3000
#endif

static const double values[NNAME] = {0.7, 1.3, -0.4, 3, 5, 2e11, 0.25, 1.5};

static double value_of(const char *text)
{
    sn_arena a = {0};
    double x[64];
    sn_expr *e = parse(&a, text);
    for (int i = 0; i < sn_expr_nvar(e); i++) x[i] = values[sn_expr_var(e, i)];
    double v = sn_expr_value(e, x);
    sn_arena_free(&a);
    return v;
}

/* The same libm calls in the same order: equal to a rounding or two. */
static void check_value(const char *text, double want)
{
    double got = value_of(text);
    if (!(fabs(got - want) <= 4e-16 * fabs(want))) fail_msg("'%s' = %.17g, not %.17g", text, got, want);
}

static void test_grammar(void **state)
{
    (void)state;
    const double x = values[0], y = values[1], k = values[3], m = values[4];
    check_value("1 + 2*3 - 4/2", 5);
    check_value("2^3^2", 512);
    check_value("2**3**2", 512);
    check_value("-2^2", -4);
    check_value("2^-2", 0.25);
    check_value("--2", 2);
    check_value("- + -x", x);
    check_value("-x^2", -x * x);
    check_value("2 - 3 - 4", -5);
    check_value("24/4/2", 3);
    check_value("(1+2)*(3-\n4)", -3);
    check_value(".5e1 + 1. + 1.e-1", 6.1);
    check_value("1E3", 1000);
    check_value("bar1.E*@2.x", 5e10);
    check_value("pi + e", acos(-1) + exp(1));
    check_value("min(3, 1, 2) + max(3, 1, 2)", 4);
    check_value("min(x,y) + max(x,y)", x + y);
    check_value("pow(x, y)", pow(x, y));
    check_value("hypot(3, 4) + atan2(1, -1)", 5 + 3 * atan(1));
    check_value("step(0) + step(-1e-300) + sign(-3) + sign(0) + abs(-2)", 2);
    check_value("smoothstep(0.25, 0, 1)", 0.15625);
    check_value("smoothstep(-1, 0, 1) + smoothstep(9, 0, 1) + smoothstep(1,1,1) + smoothstep(0.5,1,1)", 2);
    check_value("log(e) + log10(100) + sqrt(16) + exp(0)", 8);
    check_value("sin(x)*cos(y)*tan(x)*sinh(x)*cosh(x)*tanh(x)",
                sin(x) * cos(y) * tan(x) * sinh(x) * cosh(x) * tanh(x));
    check_value("asin(x)+acos(x)+atan(x)", asin(x) + acos(x) + atan(x));
    check_value("2*m", 2 * m);
    check_value("k*m*x", k * m * x);
    /* results that are not finite are left to the caller */
    assert_true(isnan(value_of("sqrt(-1)*k")) && isinf(value_of("1/0")));
}

static void test_numbers_and_units(void **state)
{
    (void)state;
    const double k = values[3], t = values[7];
    check_value("0.1", 0.1);
    check_value("123456789.123456789e-3", 123456.789123456789);
    check_value("0.000000000000000000000000000001e30", 1);
    check_value("1e-400", 0);
    check_value("5mm", 5e-3);
    check_value("30 deg", acos(-1) / 6);
    check_value("700 N/m + 1 kN/m", 1700);
    check_value("2 m*k", 2 * k);
    check_value("5 N*mm*k", 5e-3 * k);
    check_value("10 m/s*t", 10 * t);
    check_value("2 m * min(k, 9)", 2 * k);
    check_value("1e3 m", 1000);
    check_value("1e3m^2", 1000);
    check_value("50 %", 0.5);
    check_value("3 1/s", 3);
    check_value("1/4 m", 0.25);
    check_value("21 GPa", 21e9);
    check_value("(2 mm)^2", 4e-6);
    check_value("-1 in", -0.0254);
}

static void test_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "comma") && !setlocale(LC_NUMERIC, "de_DE.UTF-8") &&
        !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
        puts("skipped: no locale with a decimal comma");
        skip();
    }
    double v = value_of("1.5e-1 + 2.25");
    setlocale(LC_NUMERIC, "C");
    assert_true(v == 2.4);
}

static void test_shape(void **state)
{
    sn_arena a = {0};
    sn_mark where = {"a.yaml", NULL, 1, 1};
    sn_expr *e;
    (void)state;
    assert_int_equal(sn_expr_nvar(parse(&a, "y*x + y^2 - sin(x)*z")), 3);
    e = parse(&a, "y*x + y");
    assert_int_equal(sn_expr_nvar(e), 2);
    assert_int_equal(sn_expr_var(e, 0), 1);
    assert_int_equal(sn_expr_var(e, 1), 0);
    static const char *const plain[] = {"3", "-3 mm", "+1e3", "- -2", " 5 % "};
    static const char *const other[] = {"2*3", "pi", "x", "-x", "sin(0)", "1+1"};
    for (int i = 0; i < 5; i++) assert_true(sn_expr_is_number(parse(&a, plain[i])));
    for (int i = 0; i < 6; i++) assert_false(sn_expr_is_number(parse(&a, other[i])));
    assert_true(sn_expr_value(parse(&a, "-3 mm"), NULL) == -3e-3);
    /* a variable named e hides the constant, and the probe for it leaves no report */
    static sn_err err;
    sn_err_clear(&err);
    assert_int_equal(sn_expr_parse(&a, "e*2", &where, lookup, "e", &e, &err), SN_OK);
    assert_int_equal(sn_expr_var(e, 0), NNAME);
    assert_int_equal(sn_expr_parse(&a, "e*2", &where, lookup, NULL, &e, &err), SN_OK);
    assert_int_equal(sn_expr_nvar(e), 0);
    assert_int_equal(sn_expr_parse(&a, "pi", NULL, NULL, NULL, &e, NULL), SN_OK);
    assert_int_equal(sn_expr_parse(&a, "x", NULL, NULL, NULL, &e, NULL), SN_ERR_INPUT);
    assert_int_equal(err.count, 0);
    sn_arena_free(&a);
}

/* column of the fault from 0, words of the message */
static const struct {
    const char *text;
    int col;
    const char *words;
} fault[] = {
    {"", 0, "found nothing"},
    {"  ", 0, "found nothing"},
    {"1 +", 3, "expected a number, a name or '(', found the end"},
    {"1 + * 2", 4, "found '*'"},
    {"(1 + 2", 6, "expected an operator or ')', found the end"},
    {"1 + 2)", 5, "expected an operator or the end, found ')'"},
    {"x y", 2, "found 'y'"},
    {"x 3.5", 2, "found '3.5'"},
    {"3 4", 2, "found '4'"},
    {"3 1", 2, "found '1'"},
    {"2(x)", 1, "found '('"},
    {"0,5", 1, "decimals are written with a point"},
    {"x = 3", 2, "found '='"},
    {"2 \xc3\x97 x", 2, "found '\xc3\x97'"},
    {"x \xff", 2, "byte 0xff"},
    {"x \x01", 2, "byte 0x01"},
    {"y + foo*2", 4, "unknown name 'foo'"},
    {"1 + sine(x)", 4, "unknown function 'sine' (did you mean 'sin'?)"},
    {"x*SQRT(x)", 2, "did you mean 'sqrt'"},
    {"k (x+1)", 0, "write * between a name and '('"},
    {"sin()", 4, "sin takes 1 argument, not 0"},
    {"sin(x, y)", 7, "sin takes 1 argument, not more"},
    {"atan2(x)", 7, "atan2 takes 2 arguments, not 1"},
    {"min(x)", 5, "min takes 2 or 3 arguments, not 1"},
    {"max(1,2,3,4)", 10, "max takes 2 or 3 arguments, not more"},
    {"smoothstep(x, y)", 15, "takes 3 arguments, not 2"},
    {"sin(x;y)", 5, "expected ',' or ')' in sin(...), found ';'"},
    {"min(x,)", 6, "found ')'"},
    {"5 foo", 2, "unknown unit 'foo'"},
    {"5 Mpa", 2, "did you mean 'MPa'"},
    {"5 m2", 2, "did you mean 'm^2'"},
    {"1 + 3 k1", 6, "write * between a number and a name"},
    {"2 e", 2, "unknown unit 'e'"},
    {"2e+x", 1, "unknown unit 'e'"},
    {"2 sin(x)", 2, "write * between a number and 'sin('"},
    {"3 bar", 2, "unknown unit 'bar'"},
    {"0x10", 1, "unknown unit 'x10'"},
    {"2 m^x", 3, "a unit's power is a small integer"},
    {"2 m**2", 3, "a unit's power is a small integer"},
    {"1 + 1e999", 4, "must be finite"},
    {"1e308 km", 0, "must be finite"},
    {"inf", 0, "must be finite"},
    {"1 - NaN", 4, "must be finite"},
    {".inf", 0, "must be finite"},
    {"-Infinity", 1, "must be finite"},
    {".", 0, "found '.'"},
};

static void test_errors(void **state)
{
    static sn_err err;
    sn_arena a = {0};
    sn_mark where = {"a.yaml", NULL, 7, 11};
    (void)state;
    for (size_t i = 0; i < sizeof fault / sizeof *fault; i++) {
        sn_expr *e;
        sn_err_clear(&err);
        if (sn_expr_parse(&a, fault[i].text, &where, lookup, NULL, &e, &err) != SN_ERR_INPUT)
            fail_msg("'%s' is taken", fault[i].text);
        assert_int_equal(err.count, 1);
        if (!strstr(err.report[0].text, fault[i].words))
            fail_msg("'%s': %s", fault[i].text, err.report[0].text);
        if (err.report[0].col != 11 + fault[i].col || err.report[0].line != 7)
            fail_msg("'%s': column %d", fault[i].text, err.report[0].col - 11);
    }
    sn_arena_free(&a);
}

static void repeat(char *out, const char *piece, int n, const char *end)
{
    *out = 0;
    for (size_t len = strlen(piece), at = 0; n-- > 0; at += len) memcpy(out + at, piece, len + 1);
    strcat(out, end);
}

static void test_limits(void **state)
{
    static char text[9000];
    static sn_err err;
    static double x[8], g[8];
    sn_arena a = {0};
    sn_expr *e;
    (void)state;
    /* the longest sum that fits: 2048 terms, 4095 operations */
    repeat(text, "x+", 2047, "x ");
    assert_int_equal(strlen(text), 4096);
    assert_int_equal(sn_expr_parse(&a, text, NULL, lookup, NULL, &e, NULL), SN_OK);
    x[0] = 0.5;
    assert_true(sn_expr_gradient(e, x, g) == 1024 && g[0] == 2048);
    repeat(text, "-", 4000, "x");
    assert_int_equal(sn_expr_parse(&a, text, NULL, lookup, NULL, &e, NULL), SN_OK);
    static const struct {
        const char *piece;
        int n;
        const char *end, *words;
    } c[] = {
        {"x+", 2048, "x", "too long"},      {"(", 65, "x", "nested too deep"},
        {"x^", 65, "x", "nested too deep"}, {"sin(", 65, "x", "too deep"},
        {"x+x*x^(", 64, "x", "too deep"},   {"max(1,x,x+x*(", 32, "x", "too deep"},
        {"y", 200, "", "name too long"},    {"1 y", 1, "yyyyyyyyyyyyyyyyyyyyyyyyy", "unknown unit"},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        repeat(text, c[i].piece, c[i].n, c[i].end);
        sn_err_clear(&err);
        assert_int_equal(sn_expr_parse(&a, text, NULL, lookup, NULL, &e, &err), SN_ERR_INPUT);
        if (!strstr(err.report[0].text, c[i].words)) fail_msg("%s: %s", c[i].piece, err.report[0].text);
    }
    memset(text, '7', 8000);
    text[8000] = 0;
    assert_int_equal(sn_expr_parse(&a, text, NULL, lookup, NULL, &e, NULL), SN_ERR_INPUT);
    sn_arena_free(&a);
}

/* Random strings of tokens, and of bytes: no crash, one report at least for each refusal. */
static void test_fuzz(void **state)
{
    static const char *const token[] = {
        "x", "y",  "1",     "2.5",  "1e3",         "(",      ")",      "(", ")",    "+",    "-",
        "*", "/",  "^",     "**",   ",",           " ",      "m",      "N", "%",    "s",    "/s",
        "e", "pi", "sin(",  "min(", "smoothstep(", "hypot(", "1/s",    "t", ".",    "-3",   "deg",
        "k", "^2", "1e999", "inf",  "\xc3",        "pow(",   "atan2(", "0", "@2.x", "sqrt("};
    static sn_err err;
    static char text[400];
    unsigned seed = 3;
    int good = 0;
    (void)state;
    for (int run = 0; run < FUZZ_RUNS; run++) {
        int n = 1 + (int)(14 * uniform(&seed)), bytes = run % 8 == 0;
        text[0] = 0;
        for (int i = 0; i < n; i++) {
            char one[2] = {(char)(1 + (int)(255 * uniform(&seed))), 0};
            strcat(text, bytes ? one : token[(int)(uniform(&seed) * (sizeof token / sizeof *token))]);
        }
        sn_arena a = {0};
        sn_mark where = {"f", text, 1, 1};
        sn_expr *e;
        sn_err_clear(&err);
        if (sn_expr_parse(&a, text, &where, lookup, NULL, &e, &err) != SN_OK) {
            if (err.count != 1) fail_msg("'%s': %d reports", text, err.count);
        } else {
            double x[NNAME] = {0}, g[NNAME];
            sn_jet j[NNAME] = {{{0}, {0}}}, y;
            sn_dimension d[NNAME] = {{0, {0, 0, 0}}}, whole;
            for (int i = 0; i < NNAME; i++)
                x[i] = j[i].f[0] = 4 * uniform(&seed) - 2, d[i].known = (run + i) % 3;
            double v = sn_expr_value(e, x), w = sn_expr_gradient(e, x, g);
            sn_expr_jet(e, j, &y);
            if (!(v == w || (isnan(v) && isnan(w)))) fail_msg("'%s': %g and %g", text, v, w);
            sn_expr_dimension(e, d, &whole, &err);
            good++;
        }
        sn_arena_free(&a);
    }
    assert_true(good > FUZZ_RUNS / 50);
}

/* The n-th allocation fails. */
typedef struct failing {
    int left, live;
} failing;

static void *fail_alloc(size_t bytes, void *user)
{
    failing *f = user;
    if (f->left-- <= 0) return NULL;
    f->live++;
    return calloc(1, bytes);
}

static void fail_release(void *p, void *user)
{
    ((failing *)user)->live--;
    free(p);
}

static void test_memory(void **state)
{
    static const int id[2] = {0, 1};
    static const double c[2] = {1, 2};
    static sn_err err;
    failing f = {0, 0};
    const sn_allocator allocator = {fail_alloc, fail_release, &f};
    int fine = 0;
    (void)state;
    sn_set_allocator(&allocator);
    for (int n = 0; n < 40 && fine < 3; n++) {
        fine = 0;
        for (int what = 0; what < 3; what++) {
            sn_arena a = {0};
            sn_expr *e = NULL;
            sn_err_clear(&err);
            f.left = n;
            sn_status s = what == 0   ? sn_expr_parse(&a, "x*y + sin(x*y*z) - 3 m*k^2/(1+t)+x+y+z*m", NULL,
                                                      lookup, NULL, &e, &err)
                          : what == 1 ? sn_expr_linear(&a, 2, id, c, 0, &e)
                                      : sn_expr_rotated(&a, 0, 1, 2, 3, 0, &e);
            if (s == SN_OK)
                fine++;
            else
                assert_int_equal(s, SN_ERR_MEMORY);
            assert_true((s == SN_OK) == (e != NULL));
            sn_arena_free(&a);
            assert_int_equal(f.live, 0);
        }
    }
    sn_set_allocator(NULL);
    assert_int_equal(fine, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grammar), cmocka_unit_test(test_numbers_and_units),
        cmocka_unit_test(test_locale),  cmocka_unit_test(test_shape),
        cmocka_unit_test(test_errors),  cmocka_unit_test(test_limits),
        cmocka_unit_test(test_fuzz),    cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
