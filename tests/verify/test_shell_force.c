/* The plate of shells of examples/shell-force, pushed at one end: free in space it turns by 178 degrees,
   clamped it bends by 4 mm. Reference: an independent program of the same element and scheme, steps of 10 ms,
   to the digits that it prints. */
#include "verify/kit.h"

/* Accelerations and displacements of both ends, at four times. Tolerance: half of the last digit printed, and
   what is left of forces, 1e-8 of them by the step's tolerance with full Newton, is 1e-8 of accelerations. */
static void motion(void **state)
{
    static const char *const name[] = {"loaded.x",       "loaded.z",       "far.x",       "far.z",
                                       "loaded_place.x", "loaded_place.z", "far_place.x", "far_place.z"};
    static const double y[4][8] = {
        {-3.979946, .504919, 3.977550, 1.532094, -.126559, .455915, .126510, -.208993},
        {6.115277, 2.547221, -6.144569, 1.501781, -.870963, .837213, .871062, .166832},
        {-.033583, 4.059222, .032593, -2.003232, -.999827, 1.130696, .999825, 1.157085},
        {3.149052, -2.661801, -3.127457, 2.685351, -.880453, 2.365250, .880453, 1.716383}};
    (void)state;
    kit k;
    kit_file(&k, "examples/shell-force/shell.yaml");
    k.o.full_newton = 1;
    for (int i = 0; i < 4; i++) {
        double x[8];
        kit_values(&k, 0.5 * (i + 1), 8, name, x);
        for (int j = 0; j < 8; j++) kit_near(name[j], x[j], y[i][j], 6e-7);
    }
    kit_close(&k);
}

static sn_status keep(void *ctx, int i, const sn_mode *mode, const sn_frame *at, sn_err *err)
{
    (void)at, (void)err;
    if (i < 10) ((double *)ctx)[i] = kit_omega(mode) / (2 * acos(-1));
    return SN_OK;
}

/* Frequencies in Hz, as printed by the same program */
static void frequencies(void **state)
{
    static const struct {
        const char *file;
        int first;
        double f[4];
    } cases[] = {{"shell.yaml", 6, {45.552, 83.980, 110.217, 122.983}},
                 {"clamped.yaml", 0, {7.313, 14.283, 44.750}}};
    (void)state;
    for (int c = 0; c < 2; c++) {
        char path[80];
        double f[10];
        int found = 0;
        kit k;
        snprintf(path, sizeof path, "examples/shell-force/%s", cases[c].file);
        kit_file(&k, path);
        sn_mode_options o = sn_mode_options_default(k.m, k.p);
        o.n = 10, o.mode = keep, o.ctx = f;
        kit_good(&k, sn_modes(k.m, k.p, &o, &found, &k.err));
        assert_int_equal(found, 10);
        for (int i = 0; i < 4 && cases[c].f[i] > 0; i++)
            kit_near("frequency", f[cases[c].first + i], cases[c].f[i], 6e-4);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(motion), cmocka_unit_test(frequencies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
