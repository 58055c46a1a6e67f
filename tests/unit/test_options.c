/* Options of a program that was compiled with other headers, or that were never filled, are refused by all
   that takes them; filling writes no more than the program's structure has. */
#include "compile_kit.h"

static const char text[] =
    "nodes: {a: [0, 0]}\nelements: {m: {mass2d: a, mass: 1 kg}}\nsensors: {x: {position: a}}\n"
    "run: {end: 0.1 s, step: 10 ms}\n";

static void told(sn_status s, sn_err *err, const char *what)
{
    assert_int_equal(s, SN_ERR_INPUT);
    assert_int_equal(err->count, 1);
    if (!strstr(err->report[0].text, what)) print_reports(err);
    assert_non_null(strstr(err->report[0].text, what));
    sn_err_clear(err);
}

static void test_refused(void **state)
{
    static const char *const of[] = {"x.x@0.1"}, *const wrt[] = {"m.mass"};
    double y[2], g[1], t[] = {0.1};
    sn_model *m;
    sn_values *p;
    sn_sim *sim;
    sn_err err;
    int n;
    (void)state;
    accepted(text, &m, &p);
    sn_err_clear(&err);
    for (int wrong = 0; wrong < 2; wrong++) {
        const char *what =
            wrong ? "compiled with other headers of sinew: its sn_" : "the options have no size: sn_";
        sn_run_options r = sn_run_options_default(m, p);
        r.size = wrong ? r.size + 8 : 0;
        told(sn_run(m, p, &r, NULL, &err), &err, what);
        told(sn_static(m, p, &r, y, NULL, &err), &err, what);
        told(sn_run_file(m, p, &r, "never.h5", NULL, &err), &err, what);
        told(sn_static_file(m, p, &r, "never.h5", y, NULL, &err), &err, what);
        told(sn_sim_open(m, p, &r, &sim, &err), &err, what);
        assert_null(sim);
        told(sn_sample(m, p, &r, &(sn_samples){.n = 1, .t = t, .y = y}, NULL, &err), &err, what);
        sn_mode_options o = sn_mode_options_default(m, p);
        o.size = wrong ? o.size + 8 : 0;
        told(sn_modes(m, p, &o, &n, &err), &err, what);
        told(sn_modes_file(m, p, &o, "never.h5", &n, &err), &err, what);
        const sn_gradient_result f = {.value = y, .gradient = g};
        told(sn_frequency_gradient(m, p, &o, wrt, 1, &f, &err), &err, what);
        told(sn_frequency_differences(m, p, &o, wrt, 1, &f, &err), &err, what);
        sn_linear_options l = sn_linear_options_default(m, p);
        l.size = wrong ? l.size + 8 : 0;
        told(sn_linearise(m, p, &l, &err), &err, what);
        told(sn_linearise_file(m, p, &l, "never.h5", NULL, &err), &err, what);
        sn_gradient_options d = sn_gradient_options_default(m, p);
        d.of = of, d.n_of = 1, d.wrt = wrt, d.n_wrt = 1, d.size = wrong ? d.size + 8 : 0;
        told(sn_gradient(m, p, &d, &f, NULL, &err), &err, what);
    }
    sn_values_free(p);
    sn_model_free(m);
}

/* An older program's structure ends earlier: what lies behind it stays. */
static void test_fill(void **state)
{
    union {
        sn_run_options o;
        unsigned char byte[sizeof(sn_run_options)];
    } older;
    enum { LESS = 16 };
    sn_model *m;
    sn_values *p;
    sn_err err;
    (void)state;
    accepted(text, &m, &p);
    memset(&older, 0xab, sizeof older);
    sn_run_options_fill(m, p, sizeof older - LESS, &older.o);
    for (size_t i = sizeof older - LESS; i < sizeof older; i++) assert_int_equal(older.byte[i], 0xab);
    sn_err_clear(&err);
    told(sn_run(m, p, &older.o, NULL, &err), &err,
         "compiled with other headers of sinew: its sn_run_options has");
    sn_values_free(p);
    sn_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused), cmocka_unit_test(test_fill)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
