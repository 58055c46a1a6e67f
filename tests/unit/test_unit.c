/* Units, their dimensions, did-you-mean, look-up in maps. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/item.h"
#include "model/unit.h"

#include <math.h>
#include <string.h>

/* Factors are exact by definition; a product of a few of them loses a few roundings at most. */
static void check_unit(const char *text, double factor, int m, int kg, int s)
{
    double f = NAN;
    sn_dim d, want = {(signed char)m, (signed char)kg, (signed char)s};
    if (sn_unit_whole(text, &f, &d) != SN_OK) fail_msg("'%s' is not taken", text);
    if (!(fabs(f - factor) <= 1e-14 * factor)) fail_msg("'%s': %.17g, not %.17g", text, f, factor);
    if (!sn_dim_equal(d, want)) fail_msg("'%s': dimension m%d kg%d s%d", text, d.m, d.kg, d.s);
}

static void test_single(void **state)
{
    (void)state;
    const double pi = acos(-1);
    check_unit("", 1, 0, 0, 0);
    check_unit("1", 1, 0, 0, 0);
    check_unit("%", 0.01, 0, 0, 0);
    check_unit("mm", 1e-3, 1, 0, 0);
    check_unit("um", 1e-6, 1, 0, 0);
    check_unit("in", 0.0254, 1, 0, 0);
    check_unit("ft", 12 * 0.0254, 1, 0, 0);
    check_unit("t", 1000, 0, 1, 0);
    check_unit("mg", 1e-6, 0, 1, 0);
    check_unit("min", 60, 0, 0, 1);
    check_unit("h", 3600, 0, 0, 1);
    check_unit("deg", pi / 180, 0, 0, 0);
    check_unit("rev", 2 * pi, 0, 0, 0);
    check_unit("mN", 1e-3, 1, 1, -2);
    check_unit("MN", 1e6, 1, 1, -2);
    check_unit("GPa", 1e9, -1, 1, -2);
    check_unit("psi", 6894.757293168361, -1, 1, -2);
    check_unit("lbf", 0.45359237 * 9.80665, 1, 1, -2);
    check_unit("mJ", 1e-3, 2, 1, -2);
    check_unit("kW", 1e3, 2, 1, -3);
    check_unit("kHz", 1e3, 0, 0, -1);
    check_unit("rpm", pi / 30, 0, 0, -1);
    check_unit("g0", 9.80665, 1, 0, -2);
}

static void test_products(void **state)
{
    (void)state;
    check_unit("N*m/rad", 1, 2, 1, -2);
    check_unit("kg/m^3", 1, -3, 1, 0);
    check_unit("mm^4", 1e-12, 4, 0, 0);
    check_unit("N / mm", 1e3, 0, 1, -2);
    check_unit(" kg * m^2 ", 1, 2, 1, 0);
    check_unit("1/s", 1, 0, 0, -1);
    check_unit("1/s^2/m", 1, -1, 0, -2);
    check_unit("m/s^-2", 1, 1, 0, 2);
    check_unit("kJ/kg", 1e3, 2, 0, -2);
    check_unit("m^0", 1, 0, 0, 0);
    check_unit("kg/t", 1e-3, 0, 0, 0);
}

static void test_refused(void **state)
{
    static const char *const bad[] = {"bar",   "m2",  "m^", "m^2.5", "m^x",  "m**2", "2*m",
                                      "1*m",   "m*",  "/s", "m/",    "m m",  "Kg",   "mpa",
                                      "m^100", "foo", "^2", "(m)",   "m/(s)"};
    double f;
    sn_dim d;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (sn_unit_whole(bad[i], &f, &d) != SN_ERR_INPUT) fail_msg("'%s' is taken", bad[i]);
}

/* At the head of a longer text the unit ends where the known names end. */
static void test_head(void **state)
{
    static const struct {
        const char *text;
        int taken;
        double factor;
    } c[] = {
        {"m*k", 1, 1},
        {"N*mm+x", 4, 1e-3},
        {"m/s*t", 3, 1},
        {"t/mm^3", 6, 1e12},
        {"m * min(a, b)", 1, 1},
        {"min*2", 3, 60},
        {"N*m.x", 1, 1},
        {"kx", 0, 1},
        {"", 0, 1},
        {"1/s", 3, 1},
        {"1/x", 1, 1},
        {"10/s", 0, 1},
        {"mm ^2", 2, 1e-3},
        {"mm^2*x^2", 4, 1e-6},
        {"deg)", 3, 3.14159265358979323846 / 180},
        {"m^-1 + 3", 4, 1},
        {"%*x", 1, 0.01},
        {"s**2", 1, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        double f;
        sn_dim d;
        int n = sn_unit_parse(c[i].text, &f, &d);
        if (n != c[i].taken) fail_msg("'%s': %d characters", c[i].text, n);
        if (fabs(f - c[i].factor) > 1e-14 * f) fail_msg("'%s': factor %g", c[i].text, f);
    }
}

/* However long the product, exponents stay in range. */
static void test_bounds(void **state)
{
    char text[2000] = "km";
    double f;
    sn_dim d;
    (void)state;
    for (int i = 0; i < 300; i++) strcat(text, "*km^9");
    int n = sn_unit_parse(text, &f, &d);
    assert_true(n > 0 && n < (int)strlen(text));
    assert_int_equal(d.m, 100);
    assert_int_equal(sn_unit_whole(text, &f, &d), SN_ERR_INPUT);
}

static void test_text(void **state)
{
    char t[64];
    (void)state;
    sn_dim_text((sn_dim){1, 1, -2}, t, sizeof t);
    assert_string_equal(t, "N");
    sn_dim_text((sn_dim){0, 0, 0}, t, sizeof t);
    assert_string_equal(t, "a pure number");
    sn_dim_text((sn_dim){-1, 0, -2}, t, sizeof t);
    assert_string_equal(t, "1/m/s^2");
    sn_dim_text((sn_dim){-120, -120, -120}, t, 8);
    assert_string_equal(t, "1/kg^12");
    /* what it writes is read back as the same dimension */
    for (int k = 0; k < 125; k++) {
        sn_dim d = {(signed char)(k % 5 - 2), (signed char)(k / 5 % 5 - 2), (signed char)(k / 25 - 2)}, back;
        double f;
        if (!d.m && !d.kg && !d.s) continue;
        sn_dim_text(d, t, sizeof t);
        assert_int_equal(sn_unit_whole(t, &f, &back), SN_OK);
        assert_true(sn_dim_equal(d, back));
    }
}

static void test_names(void **state)
{
    int n = 0;
    (void)state;
    for (const char *u; (u = sn_unit_name(n)); n++) {
        double f;
        sn_dim d;
        assert_int_equal(sn_unit_whole(u, &f, &d), SN_OK);
        assert_true(f > 0);
        for (int i = 0; i < n; i++) assert_string_not_equal(sn_unit_name(i), u);
    }
    assert_true(n > 35);
    assert_null(sn_unit_name(-1));
}

static const char *const words[] = {"EI_y", "rho", "length", "stiffness", "k1", "m", "material", "mesh"};

static const char *word(int i, const void *ctx)
{
    (void)ctx;
    return words[i];
}

static void test_nearest(void **state)
{
    static const struct {
        const char *typed, *meant;
    } c[] = {{"EIy", "EI_y"},
             {"eiy", "EI_y"},
             {"RHO", "rho"},
             {"lenght", "length"},
             {"stifness", "stiffness"},
             {"stiffnes_", "stiffness"},
             {"M", "m"},
             {"k", "k1"},
             {"x", NULL},
             {"temperature", NULL},
             {"matreial", "material"},
             {"S_T_I_F_F_N_E_S_S", "stiffness"},
             {"", NULL},
             {"q", NULL},
             {"mass", "m"},
             {"mash", "mesh"},
             {"mehs", "mesh"}};
    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const char *got = sn_nearest(c[i].typed, 8, word, NULL);
        if (c[i].meant ? !got || strcmp(got, c[i].meant) : !!got)
            fail_msg("'%s' gives %s", c[i].typed, got ? got : "nothing");
    }
    char longer[300];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_null(sn_nearest(longer, 8, word, NULL));
    assert_null(sn_nearest("m", 0, word, NULL));
}

static void test_item(void **state)
{
    sn_item b = {.key = "b", .text = "2"}, a = {.key = "a", .text = "1", .next = &b};
    sn_item map = {.type = SN_ITEM_MAP, .n = 2, .child = &a},
            list = {.type = SN_ITEM_LIST, .n = 2, .child = &a};
    (void)state;
    assert_ptr_equal(sn_item_get(&map, "b"), &b);
    assert_null(sn_item_get(&map, "c"));
    assert_null(sn_item_get(&list, "a"));
    assert_null(sn_item_get(NULL, "a"));
}

/* Prefixes go, what is SI stays, what has no plain unit of its own is refused. */
static void test_si(void **state)
{
    (void)state;
    static const char *const same[][2] = {{"kN/mm", "N/m"},     {"N*m/deg", "N*m/rad"}, {"GPa", "Pa"},
                                          {"kg*m^2", "kg*m^2"}, {"1/ms", "1/s"},        {"t/m^3", "kg/m^3"},
                                          {"Hz", "Hz"}};
    char out[40];
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_true(sn_unit_si(same[i][0], out, sizeof out));
        assert_string_equal(out, same[i][1]);
    }
    assert_false(sn_unit_si("rpm", out, sizeof out));
    assert_false(sn_unit_si("g0", out, sizeof out));
    assert_false(sn_unit_si("kN/mm", out, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single), cmocka_unit_test(test_products), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_head),   cmocka_unit_test(test_bounds),   cmocka_unit_test(test_text),
        cmocka_unit_test(test_names),  cmocka_unit_test(test_nearest),  cmocka_unit_test(test_item),
        cmocka_unit_test(test_si),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
