/* What a model file may say in more than one way: counts of elements by parameters, units behind lists,
   letters for directions, words of other programs. */
#include "compile_kit.h"

#include "model/model.h"
#include "reduce/read.h"
#include "identify_kit.h"

#define BEAM(more) "elements: {bar: {beam2d_cr: [a, b], EA: 1, EI: 1, rhoA: 1, elements: " more "}}\n"

static int elements_of(const sn_model *m)
{
    sn_sizes size;
    sn_model_sizes(m, &size);
    return size.elements;
}

static void test_counts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int n;
    } list[] = {{AB "parameters: {n: 4}\n" BEAM("n"), 4},
                {AB "parameters: {n: 4, m: n/2 + 1}\n" BEAM("2*m"), 6},
                {AB "parameters: {L: 2 m, h: 0.5 m}\n" BEAM("L/h"), 4},
                {AB BEAM("2 + 3"), 5}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        sn_model *m;
        sn_values *p;
        accepted(list[i].text, &m, &p);
        assert_int_equal(elements_of(m), list[i].n);
        sn_values_free(p), sn_model_free(m);
    }
    const refusal bad[] = {
        {AB "parameters: {n: 2.5}\n" BEAM("`n"), "'n' is 2.5, but how many elements there are"},
        {AB "parameters: {n: 2}\n" BEAM("`k"), "there is no parameter 'k'"},
        {AB "parameters: {n: `n}\n" BEAM("n"), "depends on itself"},
        {AB BEAM("`2.5"), "a whole number from 1"},
        {AB BEAM("`1 - 1"), "a whole number from 1"}};
    REFUSE_ALL(bad);
}

static void refused_setting(sn_values *p, const char *name, const char *text)
{
    sn_err err;
    sn_err_clear(&err);
    assert_int_equal(sn_values_set(p, name, text, &err), SN_ERR_INPUT);
    assert_non_null(strstr(err.report[0].text, "chosen when the model is read"));
}

static void test_settings(void **state)
{
    (void)state;
    static const char text[] = "sinew: 1\nparameters: {n: 4, k: 1}\n" AB BEAM("n");
    static const struct {
        const char *set[2];
        int count, n;
    } list[] = {{{"n=8"}, 1, 8}, {{"k=3"}, 1, 4}, {{"bar.elements=2", "n=7"}, 2, 2}, {{"n=2*3"}, 1, 6}};
    sn_err err;
    kit_put("counted.yaml", text);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        sn_model *m;
        sn_err_clear(&err);
        assert_int_equal(sn_model_read_set(kit_path("counted.yaml"), list[i].count, list[i].set, &m, &err),
                         SN_OK);
        assert_int_equal(elements_of(m), list[i].n);
        assert_true(sn_model_is_structural(m, "n") == (list[i].n != 2));
        assert_true(sn_model_is_structural(m, "bar.elements"));
        assert_false(sn_model_is_structural(m, "k"));
        sn_model_free(m);
    }
    sn_model *m;
    sn_values *p;
    sn_err_clear(&err);
    assert_int_equal(sn_model_read(kit_path("counted.yaml"), &m, &err), SN_OK);
    assert_int_equal(sn_values_new(m, &p, &err), SN_OK);
    refused_setting(p, "n", "5");
    refused_setting(p, "bar.elements", "5");
    assert_int_equal(sn_values_set(p, "n", "4", &err), SN_OK); /* it is that already */
    sn_values_free(p), sn_model_free(m);
}

static double number(const sn_values *p, const char *name)
{
    double x = NAN;
    assert_int_equal(sn_values_get(p, name, &x, NULL), SN_OK);
    return x;
}

#define SPACE "nodes: {a: {frame3d: [0, 0, 0]}, b: {frame3d: [1, 0, 0]}}\n"

static void test_list_units(void **state)
{
    (void)state;
    sn_model *m;
    sn_values *p;
    accepted("title: 'bars [1, 2] mm'\nparameters: {kt: 3}\n"
             "nodes: {a: {frame3d: [0, 0, 0] mm}, b: {frame3d: [1, 2, 3] m }}  # [1] kg\n"
             "elements: {r: {bushing: [a, b], k: [500, 2*30, 500] kN/m, kt: [kt, 1e-1, .5] N*m/rad}}\n"
             "signals: {s: {table: [[0, 1], [2, 3]]}}\nnote: see [1, 2] m\n",
             &m, &p);
    assert_string_equal(sn_model_title(m), "bars [1, 2] mm");
    assert_true(number(p, "r.k.x") == 5e5 && number(p, "r.k.y") == 6e4 && number(p, "r.kt.x") == 3);
    assert_true(number(p, "r.kt.z") == 0.5 && number(p, "b.at.y") == 2);
    sn_values_free(p), sn_model_free(m);
}

static void test_directions(void **state)
{
    (void)state;
    static const struct {
        const char *letter;
        double x, y, z;
    } list[] = {{"z", 0, 0, 1}, {"-x", -1, 0, 0}, {"y", 0, 1, 0}, {"+z", 0, 0, 1}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[400];
        sn_model *m;
        sn_values *p;
        snprintf(text, sizeof text, SPACE "joints: {h: {revolute: [a, b], axis: %s}}\n", list[i].letter);
        accepted(text, &m, &p);
        assert_true(number(p, "h.axis.x") == list[i].x && number(p, "h.axis.y") == list[i].y &&
                    number(p, "h.axis.z") == list[i].z);
        sn_values_free(p), sn_model_free(m);
    }
    const refusal bad[] = {
        {SPACE "joints: {h: {revolute: [a, b], axis: `w}}\n", "'axis' needs 3 numbers"},
        {SPACE "joints: {h: {revolute: [a, b], axis: z, at: `z}}\n", "'at' needs 3 numbers"}};
    REFUSE_ALL(bad);
}

/* A square matrix as a list of rows; rows that do not make it are no matrix */
static void test_rows(void **state)
{
    sn_model *m;
    sn_values *p;
    (void)state;
    accepted(
        AB "parameters: {k: 3}\n"
           "elements: {bar: {beam2d_ge: [a, b], rhoA: 1, stiffness: [[9, 1, 2*k], [1, 8, 0], [6, 0, 7]]}}\n",
        &m, &p);
    assert_true(number(p, "bar.stiffness.1") == 9 && number(p, "bar.stiffness.3") == 6 &&
                number(p, "bar.stiffness.5") == 8 && number(p, "bar.stiffness.9") == 7);
    sn_values_free(p), sn_model_free(m);
    const refusal bad[] = {
        {AB "elements: {bar: {beam2d_ge: [a, b], rhoA: 1, stiffness: `[[9, 1], [1, 8, 0], [6, 0, 7]]}}\n",
         "'stiffness' needs 9 numbers"},
        {AB
         "elements: {bar: {beam2d_ge: [a, b], rhoA: 1, stiffness: [[9, 1, 2], [1, 8, `[0]], [6, 0, 7]]}}\n",
         "'stiffness' must be a number"}};
    REFUSE_ALL(bad);
}

static void test_words(void **state)
{
    (void)state;
    const refusal list[] = {
        {AB "elements: {s: {spring2d: [a, b], `stiffness: 1}}\n", "(did you mean 'k'?)"},
        {AB "elements: {s: {spring2d: [a, b], k: 1, `damping: 1}}\n", "(did you mean 'c'?)"},
        {AB "elements: {s: {`beam: [a, b], EA: 1, EI: 1, rhoA: 1}}\n", "(did you mean 'beam2d_cr'?)"},
        {AB "elements: {s: {`Spring: [a, b], k: 1}}\n", "(did you mean 'spring2d'?)"},
        {AB "joints: {s: {`hinge: [a, b]}}\n", "(did you mean 'revolute2d'?)"},
        {AB "`constraints: {}\n", "(did you mean 'joints'?)"},
        {AB "elements: {m: {mass2d: a, mass: 1, `m: 1}}\n", "(did you mean 'mass'?)"},
        {AB "run: {`duration: 1 s}\n", "(did you mean 'end'?)"},
        {AB "run: {end: 1 s, `dt: 1 ms}\n", "(did you mean 'step'?)"},
        {AB "joints: {s: {fixed: `[ground, a]}}\n", "takes 1 node: the ground is not written"},
    };
    REFUSE_ALL(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts),     cmocka_unit_test(test_settings),
                                       cmocka_unit_test(test_list_units), cmocka_unit_test(test_directions),
                                       cmocka_unit_test(test_rows),       cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
