/* Settings of a scheme in a run: those of the options count before those that were set, these before the
   model's, these before defaults; what is none of the scheme's is refused, and so is what is out of range. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/scheme.h"

#include <math.h>
#include <string.h>

static const char damped[] = "sinew: 1\n"
                             "parameters: {d: 0.6}\n"
                             "nodes: {b: [-1, 0]}\n"
                             "elements: {bob: {mass2d: b, mass: 1}}\n"
                             "run: {rho: d}\n";
static const char plain[] = "sinew: 1\n"
                            "nodes: {b: [-1, 0]}\n"
                            "elements: {bob: {mass2d: b, mass: 1}}\n";

typedef struct fixture {
    sn_model *m;
    sn_values *p;
    sn_run_options o;
    sn_err err;
} fixture;

static void open_text(fixture *f, const char *text)
{
    sn_err_clear(&f->err);
    assert_int_equal(sn_model_read_text("model", text, strlen(text), &f->m, &f->err), SN_OK);
    assert_int_equal(sn_values_new(f->m, &f->p, &f->err), SN_OK);
    f->o = sn_run_options_default(f->m, f->p);
}

static void close_all(fixture *f)
{
    sn_values_free(f->p);
    sn_model_free(f->m);
}

/* The only setting of the scheme; NAN: none, or refused with f->err. */
static double setting(fixture *f, const char *name)
{
    const sn_scheme *s;
    double x[SN_MAX_SETTINGS] = {NAN};
    assert_non_null(sn_scheme_find(name, &s));
    sn_err_clear(&f->err);
    return sn_scheme_settings(s, f->p, &f->o, x, &f->err) ? NAN : x[0];
}

static void refused(fixture *f, const char *name, const char *text)
{
    assert_true(isnan(setting(f, name)));
    assert_int_equal(f->err.count, 1);
    assert_int_equal(f->err.status, SN_ERR_INPUT);
    assert_non_null(strstr(f->err.report[0].text, text));
}

static void precedence(void **state)
{
    (void)state;
    static const sn_scheme_setting own[] = {{"rho", 0.1}, {"rho", 0.2}};
    fixture f;
    open_text(&f, plain);
    assert_true(setting(&f, "generalized_alpha") == 0.8);
    assert_true(setting(&f, "hht") == -0.05);
    assert_true(isnan(setting(&f, "newmark")) && !f.err.count);
    close_all(&f);
    open_text(&f, damped);
    assert_true(setting(&f, "generalized_alpha") == 0.6);
    /* of the file's scheme: nothing to another one that is chosen for a run */
    assert_true(setting(&f, "hht") == -0.05);
    assert_int_equal(sn_values_set(f.p, "d", "0.5", &f.err) || sn_values_update(f.p, &f.err), SN_OK);
    assert_true(setting(&f, "generalized_alpha") == 0.5);
    assert_int_equal(sn_values_set(f.p, "run.rho", "0.4", &f.err) || sn_values_update(f.p, &f.err), SN_OK);
    assert_true(setting(&f, "generalized_alpha") == 0.4);
    f.o.setting = own, f.o.n_setting = 2; /* the last one counts */
    assert_true(setting(&f, "generalized_alpha") == 0.2);
    close_all(&f);
}

static void refusals(void **state)
{
    (void)state;
    static const sn_scheme_setting wrong = {"alpha", -0.1}, far = {"rho", 1.5}, none = {"rho", NAN};
    fixture f;
    open_text(&f, damped);
    f.o.setting = &wrong, f.o.n_setting = 1;
    refused(&f, "generalized_alpha", "scheme 'generalized_alpha' has no setting 'alpha': it has 'rho'");
    refused(&f, "newmark", "scheme 'newmark' has no setting 'alpha': it has none");
    assert_true(setting(&f, "hht") == -0.1);
    f.o.setting = &far;
    refused(&f, "generalized_alpha",
            "'rho' of scheme 'generalized_alpha' must be between 0 and 1, but is 1.5");
    f.o.setting = &none;
    refused(&f, "generalized_alpha", "must be between 0 and 1");
    f.o.n_setting = 0;
    /* set for the run, but nothing there would use it */
    assert_int_equal(sn_values_set(f.p, "run.rho", "0.4", &f.err) || sn_values_update(f.p, &f.err), SN_OK);
    refused(&f, "hht", "scheme 'hht' has no setting 'rho': it has 'alpha'");
    close_all(&f);
}

/* As `sinew help` asks for them. */
static void tables(void **state)
{
    (void)state;
    const char *doc;
    int n = 0;
    for (int i = 0; sn_scheme_name(i, &doc); i++, n++) {
        const sn_slot *s = sn_scheme_slots(i);
        assert_non_null(doc);
        for (; s && s->name; s++)
            assert_true(s->n == 1 && s->unit && s->doc && s->def >= s->lo && s->def <= s->hi);
    }
    assert_true(n >= 3);
    assert_null(sn_scheme_slots(n));
    assert_null(sn_scheme_slots(2)); /* newmark */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(precedence), cmocka_unit_test(refusals),
                                       cmocka_unit_test(tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
