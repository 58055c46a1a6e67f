/* Lists of items in entries: the two ways of writing them, repetition and symmetry, what numbers follow from,
   addresses, refusals. The list is that of the plies of a laminate. */
#include "compile_kit.h"

#include <math.h>

#include "model/plies.h"
#include "model/values.h"

#define CARBON                                                                                               \
    "nodes: {a: [0, 0], b: [1, 0]}\n"                                                                        \
    "materials: {carbon: {E1: 140 GPa, E2: 10 GPa, nu12: 0.3, G12: 5 GPa, G23: 3 GPa, rho: 1600, "           \
    "Xt: 2 GPa},\n"                                                                                          \
    "            steel: {E: 200 GPa, nu: 0.25, rho: 7800}, bad: {E1: 1, rho: 1}}\n"
#define SKIN "sections: {skin: {laminate: , "

static double get(const sn_values *p, const char *name)
{
    double x = NAN;
    sn_err err;
    sn_err_clear(&err);
    if (sn_values_get(p, name, &x, &err)) print_reports(&err);
    return x;
}

#define assert_number(p, name, x)                                                                            \
    do {                                                                                                     \
        if (!(fabs(get(p, name) - (x)) <= 1e-14 * fabs((double)(x))))                                        \
            fail_msg("%s is %.17g", name, get(p, name));                                                     \
    } while (0)

static void close_model(sn_model *m, sn_values *p)
{
    sn_values_free(p);
    sn_model_free(m);
}

/* Items name materials of their own, else that of the entry, else have numbers of their own. */
static void test_maps(void **state)
{
    (void)state;
    sn_model *m;
    sn_values *p;
    accepted("parameters: {h: 1 mm, a: 45 deg}\n" CARBON SKIN
             "material: carbon, plies: [{thickness: h}, {thickness: 2*h, angle: a},\n"
             "   {material: steel, thickness: 5 mm, angle: -skin.plies.2.angle},\n"
             "   {thickness: h, G13: 7 GPa, angle: 0}]}}\n",
             &m, &p);
    const sn_entry *e = &m->entry[SN_SEC_SECTIONS][0];
    for (int k = 0; k < PLY_NUMBERS; k++) assert_int_equal(e->slot_n[k], 4);
    assert_int_equal(e->n, 4 * PLY_NUMBERS);
    assert_number(p, "skin.plies.1.thickness", 1e-3);
    assert_number(p, "skin.plies.2.thickness", 2e-3);
    assert_number(p, "skin.plies.1.angle", 0);
    assert_number(p, "skin.plies.3.angle", -atan(1));
    assert_number(p, "sections.skin.plies.1.E1", 140e9);
    assert_number(p, "skin.plies.1.G13", 5e9); /* as G12 */
    assert_number(p, "skin.plies.4.G13", 7e9);
    assert_number(p, "skin.plies.1.Xc", 2e9); /* as Xt */
    assert_number(p, "skin.plies.1.Yt", 0);
    assert_number(p, "skin.plies.3.E2", 200e9); /* isotropic */
    assert_number(p, "skin.plies.3.nu12", 0.25);
    assert_number(p, "skin.plies.3.G23", 80e9);
    assert_number(p, "skin.plies.3.rho", 7800);
    close_model(m, p);
}

/* A material's number stays one number, a ply's is its own. */
static void test_set(void **state)
{
    (void)state;
    sn_model *m;
    sn_values *p;
    char name[256];
    accepted(CARBON SKIN
             "plies: [{material: carbon, thickness: 1 mm}, {material: carbon, thickness: 1 mm}]}}\n",
             &m, &p);
    assert_int_equal(sn_values_set(p, "carbon.E1", "150 GPa", NULL), SN_OK);
    assert_int_equal(sn_values_set(p, "skin.plies.2.angle", "30 deg", NULL), SN_OK);
    assert_int_equal(sn_values_set(p, "skin.plies.1.E2", "9 GPa", NULL), SN_OK);
    assert_int_equal(sn_values_update(p, NULL), SN_OK);
    assert_number(p, "skin.plies.1.E1", 150e9);
    assert_number(p, "skin.plies.2.E1", 150e9);
    assert_number(p, "skin.plies.1.E2", 9e9);
    assert_number(p, "skin.plies.2.E2", 10e9);
    assert_number(p, "skin.plies.2.angle", atan(1) * 2 / 3);
    int id = sn_quantity_find(m, "skin.plies.2.angle");
    assert_string_equal(sn_quantity_name(m, id, name, sizeof name), "sections.skin.plies.2.angle");
    assert_int_equal(sn_quantity_find(m, "skin.plies.3.angle"), -1);
    assert_int_equal(sn_quantity_find(m, "skin.plies.0.angle"), -1);
    assert_int_equal(sn_quantity_find(m, "skin.plies.angle.1"), -1);
    assert_int_equal(sn_quantity_find(m, "skin.plies.1.angles"), -1);
    assert_int_equal(sn_quantity_find(m, "skin.plies.1x.angle"), -1);
    assert_int_equal(sn_quantity_find(m, "skin.plies.angle"), -1); /* no one number stands for all */
    assert_int_equal(sn_values_set(p, "skin.plies.2.angle", "45", NULL), SN_OK);
    assert_int_equal(sn_values_update(p, NULL), SN_ERR_INPUT); /* 45 rad */
    close_model(m, p);
}

/* One map of columns; one number for all is one number. */
static void test_columns(void **state)
{
    (void)state;
    sn_model *m;
    sn_values *p;
    accepted(
        CARBON SKIN
        "plies: {material: [carbon, steel, carbon], thickness: 0.125 mm, angle: [0, 45 deg, 90 deg]}}}\n",
        &m, &p);
    assert_number(p, "skin.plies.3.thickness", 0.125e-3);
    assert_number(p, "skin.plies.2.angle", atan(1));
    assert_number(p, "skin.plies.2.E1", 200e9);
    assert_number(p, "skin.plies.3.E1", 140e9);
    assert_int_equal(sn_values_set(p, "skin.plies.thickness", "0.2 mm", NULL), SN_OK);
    assert_int_equal(sn_values_update(p, NULL), SN_OK);
    for (int i = 1; i <= 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "skin.plies.%d.thickness", i);
        assert_number(p, name, 0.2e-3);
    }
    close_model(m, p);
}

/* [1 2]_2s: 1 2 1 2 2 1 2 1 */
static void test_arrangement(void **state)
{
    (void)state;
    static const double want[8] = {1, 2, 1, 2, 2, 1, 2, 1};
    sn_model *m;
    sn_values *p;
    accepted(
        CARBON SKIN
        "plies: [{material: carbon, thickness: 1 m}, {material: steel, thickness: 2 m, angle: 10 deg}],\n"
        "  repeat: 2, symmetric: yes}}\n",
        &m, &p);
    assert_int_equal(m->entry[SN_SEC_SECTIONS][0].slot_n[PLY_ANGLE], 8);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 8; i++) {
            char name[64];
            snprintf(name, sizeof name, "skin.plies.%d.thickness", i + 1);
            assert_number(p, name, want[i] == 2 && round ? 3 : want[i]);
            snprintf(name, sizeof name, "skin.plies.%d.E1", i + 1);
            assert_number(p, name, want[i] == 1 ? 140e9 : 200e9);
        }
        /* what is written moves, and what repeats it follows */
        assert_int_equal(sn_values_set(p, "skin.plies.2.thickness", "3 m", NULL), SN_OK);
        assert_int_equal(sn_values_update(p, NULL), SN_OK);
    }
    close_model(m, p);
    accepted(CARBON SKIN "plies: {material: carbon, thickness: 1 m, angle: [0, 90 deg]}, symmetric: yes}}\n",
             &m, &p);
    assert_number(p, "skin.plies.3.angle", 2 * atan(1));
    assert_number(p, "skin.plies.4.angle", 0);
    assert_number(p, "skin.plies.4.thickness", 1);
    close_model(m, p);
}

static void test_refusals(void **state)
{
    (void)state;
    static const refusal list[] = {
        {CARBON SKIN "plies: [`{thickness: 1 mm}]}}\n", "number 1 of 'plies' has no 'material', and no 'E1'"},
        {CARBON SKIN "plies: [{material: carbon, thickness: 1}, `{material: carbon}]}}\n",
         "number 2 of 'plies' has no 'thickness'"},
        {CARBON SKIN "plies: [{material: carbon, thickness: 1 mm, angle: `45}]}}\n",
         "'plies.angle' needs a unit: 45 deg, or 45 rad"},
        {CARBON SKIN "plies: {material: carbon, thickness: 1 mm, angle: [0, `45]}}}\n", "45 deg"},
        {"parameters: {w: 45}\n" CARBON SKIN "plies: [{material: carbon, thickness: 1 mm, angle: `w}]}}\n",
         "must be between -6.28319 and 6.28319"},
        {CARBON SKIN "plies: [{material: carbon, thickness: `0 mm}]}}\n",
         "'sections.skin.plies.1.thickness' must be positive"},
        {CARBON SKIN "plies: [{material: carbon, thickness: `-1 mm}], symmetric: yes}}\n",
         "must be positive"},
        {CARBON SKIN "plies: [{material: carbon, thickness: `1 kg}]}}\n", "kg"},
        {CARBON SKIN "plies: [{material: `glass, thickness: 1}]}}\n", "glass"},
        {CARBON SKIN "plies: [{material: `{E: 1}, thickness: 1}]}}\n", "is a name from the section"},
        {CARBON SKIN "plies: [{material: carbon, `thicknes: 1, thickness: 1}]}}\n",
         "(did you mean 'thickness'?)"},
        {CARBON SKIN "plies: [{material: carbon, thickness: `[1, 2]}]}}\n", "must be a number"},
        {CARBON SKIN "plies: {material: carbon, thickness: [1, 2], angle: `[0, 0, 0]}}}\n", "has 3 numbers"},
        {CARBON SKIN "plies: `[]}}\n", "is a list of maps"},
        {CARBON SKIN "plies: `3}}\n", "is a list of maps"},
        {CARBON SKIN "plies: [`3]}}\n", "each of 'plies' is a map"},
        {CARBON SKIN "plies: [{material: carbon, thickness: 1}], repeat: `0}}\n", "'repeat' must be a whole"},
        {CARBON SKIN "plies: [{material: carbon, thickness: 1}], symmetric: `2}}\n", "'symmetric' is one of"},
        {CARBON "sections: {`skin: {laminate: , material: carbon}}\n", "'plies' is missing"},
        {CARBON "sections: {skin: {laminate: , `repeat: 2}}\n", "'repeat' goes with a list 'plies'"},
        {CARBON SKIN "plies: [{material: carbon, thickness: 1}], `ply: 1}}\n", "unknown key 'ply'"},
        {CARBON SKIN "plies: [{material: carbon, thickness: 1, angle: `t*1 deg}]}}\n",
         "cannot vary with time"},
    };
    REFUSE_ALL(list);
    sn_model *m;
    sn_values *p;
    sn_err err;
    const char *few = "sinew: 1\n" CARBON SKIN "plies: [{material: bad, thickness: 1}]}}\n";
    assert_int_equal(read_whole(few, &m, &p, &err), SN_ERR_INPUT); /* E2, nu12, G12, G13, G23 */
    assert_non_null(strstr(err.report[0].text, "'plies.E2' is missing"));
    close_model(m, p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maps),        cmocka_unit_test(test_set),      cmocka_unit_test(test_columns),
        cmocka_unit_test(test_arrangement), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
