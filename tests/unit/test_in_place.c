/* `reduce: {...}` in an entry of a kind that reads reduced bodies: the same body as from a file, made once
   for all entries with the same recipe; each thing that can be wrong with a recipe is told with its place. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/model.h"
#include "model/reduced_body.h"
#include "sinew/plugin.h"

static char folder[] = "/tmp/sinew_in_place_XXXXXX";

/* A kind that holds a body and does nothing with it */
static sn_status nothing(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)in, (void)r, (void)K, (void)C, (void)M;
    return SN_OK;
}
static sn_status no_parameter(const sn_in *in, int index, double *dr)
{
    (void)in, (void)index, (void)dr;
    return SN_OK;
}
static const sn_file body = {"file", "the reduced body", sn_reduced_body_read};
static const sn_slot slots[] = {{"stiffness", "", "factor", 1, 0, 1, 0, SN_INFINITE, NULL}, {.name = NULL}};
static const sn_element_class holder = {
    .name = "holder",
    .doc = "holds a reduced body",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 3, .ask = SN_POSITION},
    .slots = slots,
    .file = &body,
    .eval = nothing,
    .dparam = no_parameter};

static void put(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* A model with these entries */
static sn_status read_model(const char *entries, sn_model **m, sn_err *err)
{
    char text[2000], path[128];
    snprintf(text, sizeof text, "sinew: 1\nparameters: {E: 3}\nnodes: {p: [0, 0, 0]}\nelements:\n%s",
             entries);
    put("main.yaml", text);
    snprintf(path, sizeof path, "%s/main.yaml", folder);
    sn_err_clear(err);
    return sn_model_read(path, m, err);
}

static void once(void **state)
{
    sn_model *m;
    sn_err err;
    char rod[128], made[128];
    (void)state;
    snprintf(rod, sizeof rod, "%s/rod.yaml", folder), snprintf(made, sizeof made, "%s/body.h5", folder);
    sn_reduce_options o = sn_reduce_options_default();
    o.model = rod, o.interfaces = "a, b", o.modes = 3, o.up_to = 0;
    sn_err_clear(&err);
    assert_int_equal(sn_reduce(&o, made, &err), SN_OK);
    if (read_model("  one: {holder: p, reduce: {model: rod.yaml, interfaces: [a, b], modes: 3}}\n"
                   "  two: {holder: p, reduce: {model: rod.yaml, interfaces: 'a, b', modes: 3, free: no}}\n"
                   "  other: {holder: p, reduce: {model: rod.yaml, interfaces: [b], modes: 1, up_to: 1e-3 "
                   "kHz, set: {k: 7}}}\n"
                   "  free: {holder: p, reduce: {model: rod.yaml, interfaces: [b], modes: 2, free: yes, at: "
                   "static}}\n"
                   "  read: {holder: p, file: body.h5}\n",
                   &m, &err))
        fail_msg("%s", err.report[0].text);
    const sn_entry *e = m->entry[SN_SEC_ELEMENTS];
    const sn_reduced_body *b[5];
    for (int i = 0; i < 5; i++) b[i] = e[i].block;
    assert_int_equal(m->n_block, 4);
    assert_ptr_equal(b[0], b[1]);
    assert_ptr_not_equal(b[0], b[2]);
    assert_int_equal(b[2]->nd, 1);
    assert_int_equal(b[3]->nd, 2);
    /* in place and from a file: the same numbers */
    const size_t nd = (size_t)b[0]->nd;
    assert_int_equal(b[0]->nd, b[4]->nd);
    assert_memory_equal(b[0]->w2, b[4]->w2, nd * sizeof(double));
    assert_memory_equal(b[0]->phi, b[4]->phi, 6 * nd * sizeof(double));
    assert_memory_equal(b[0]->J2, b[4]->J2, 9 * nd * nd * sizeof(double));
    /* the files are inputs of the model: an output must not replace them */
    int known = 0;
    for (int i = 0; i < m->n_read; i++) known |= !strcmp(m->read[i], rod);
    assert_true(known);
    sn_model_free(m);
}

/* What a body was made of cannot be changed afterwards, and is refused by what can */
static void members(void **state)
{
    static const char *const name[] = {"one.E", "elements.one.reduce.modes", "one.rod.EI_y"};
    sn_model *m;
    sn_values *p;
    sn_err err;
    (void)state;
    assert_int_equal(
        read_model("  one: {holder: p, reduce: {model: rod.yaml, interfaces: [a], modes: 0}}\n", &m, &err),
        SN_OK);
    assert_int_equal(sn_values_new(m, &p, &err), SN_OK);
    for (int i = 0; i < 3; i++) {
        sn_err_clear(&err);
        assert_int_equal(sn_values_set(p, name[i], "3", &err), SN_ERR_INPUT);
        assert_non_null(strstr(err.report[0].text, "a reduced body is made once"));
    }
    assert_int_equal(sn_values_set(p, "one.stiffness", "3", &err), SN_OK);
    sn_values_free(p), sn_model_free(m);
}

/* Numbers that decide how the model is built can be set too, and the recipe names all that is set */
static void counted(void **state)
{
    sn_model *m;
    sn_err err;
    (void)state;
    if (read_model("  one: {holder: p, reduce: {model: rod.yaml, interfaces: [a], points: [rod.n4], modes: "
                   "0, set: {n: "
                   "5, k: 7}}}\n"
                   "  two: {holder: p, reduce: {model: rod.yaml, interfaces: [a], modes: 0, set: "
                   "{rod.elements: 7}, place: {a: [0, 0, 0]}}}\n",
                   &m, &err))
        fail_msg("%s", err.report[0].text);
    const sn_entry *e = m->entry[SN_SEC_ELEMENTS];
    const sn_reduced_body *one = e[0].block, *two = e[1].block;
    assert_int_equal(one->n_mesh_node, 6);
    assert_int_equal(two->n_mesh_node, 8);
    assert_non_null(strstr(one->recipe, "rod.yaml with n=5, k=7, interfaces a, points rod.n4; 0 fixed"));
    assert_non_null(strstr(two->recipe, "with rod.elements=7, interfaces a, placed a=0, 0, 0; 0 fixed"));
    sn_model_free(m);
}

static void refused(void **state)
{
    static const struct {
        const char *recipe, *says;
    } all[] = {
        {"reduce: {model: rod.yaml, interfaces: [a, q]}",
         "'x' cannot be reduced: interface 'q': there is no node or set q"},
        {"reduce: {model: rod.yaml, interfaces: [a], modes: 2*E}", "a number is expected"},
        {"reduce: {model: rod.yaml, interfaces: [a], modes: 2.5}", "a whole number is expected"},
        {"reduce: {model: rod.yaml, interfaces: [a], up_to: 3 kg}", "a frequency is expected"},
        {"reduce: {model: rod.yaml, interfaces: [a], set: {k: 2*E}}", "plain numbers only"},
        {"reduce: {model: rod.yaml, interfaces: [a], set: 3}", "numbers of the model are expected"},
        {"reduce: {model: rod.yaml, interfaces: [a], mods: 3}", "(did you mean 'modes'?)"},
        {"reduce: {model: rod.yaml, interfaces: [a], free: perhaps}", "'yes' or 'no' is expected"},
        {"reduce: {model: rod.yaml, interfaces: [a], at: rest}", "'static' is expected"},
        {"reduce: {model: rod.yaml, interfaces: {a: 1}}", "a list of names is expected"},
        {"reduce: {model: rod.yaml, interfaces: [a], place: [0, 0]}", "places are expected"},
        {"reduce: {model: rod.yaml}", "needs an interface"},
        {"reduce: {model: none.yaml, interfaces: [a]}", "No such file"},
        {"reduce: {model: main.yaml, interfaces: [p]}", "reduced itself cannot be reduced bodies"},
        {"reduce: rod.yaml", "a recipe is expected"},
        {"reduce: {model: rod.yaml, interfaces: [a]}, file: body.h5", "not both"},
        {"stiffness: 2", "or 'reduce: {model: ..., interfaces: [...]}'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char entry[300];
        sn_model *m;
        sn_err err;
        snprintf(entry, sizeof entry, "  x: {holder: p, %s}\n", all[i].recipe);
        if (!read_model(entry, &m, &err)) fail_msg("'%s' is not refused", all[i].recipe);
        if (!strstr(err.report[0].text, all[i].says))
            fail_msg("'%s': '%s' is not in '%s'", all[i].recipe, all[i].says, err.report[0].text);
        assert_true(err.report[0].line > 0);
    }
}

static int begin(void **state)
{
    static const sn_element_class *const elements[] = {&holder, NULL};
    (void)state;
    if (!mkdtemp(folder)) return 1;
    put("rod.yaml", "sinew: 1\nparameters: {k: 5, n: 3}\nnodes: {a: [0, 0, 0], b: [1, 0, 0]}\nelements:\n"
                    "  rod: {beam3d_cr: [a, b], elements: n, EA: 900, EI_y: k, EI_z: 3, GJ: 2, rhoA: 0.7, "
                    "rhoJ: 0.002}\n");
    return sn_plugin_add(&(sn_plugin){SN_PLUGIN_HEAD, .name = "holders", .elements = elements}, NULL) !=
           SN_OK;
}

static int end(void **state)
{
    char path[128];
    (void)state;
    static const char *const file[] = {"rod.yaml", "main.yaml", "body.h5"};
    for (int i = 0; i < 3; i++) snprintf(path, sizeof path, "%s/%s", folder, file[i]), unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(once), cmocka_unit_test(counted),
                                       cmocka_unit_test(members), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, begin, end);
}
