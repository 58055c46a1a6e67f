/* Does the trapezoidal rule keep energy and momentum in absolute nodal coordinates, as has been claimed
   (Shabana, Bauchau, Hulbert 2007), since their mass is constant?
   examples/formulations/compare/free-cable.yaml: a cable of 8 elements that spins freely. Strains are no
   linear functions of the coordinates, so it does not; a scheme that is made for it does. */
#include "verify/kit.h"

static void run(const char *scheme, double step, sn_info *info)
{
    kit k;
    kit_file(&k, "examples/formulations/compare/free-cable.yaml");
    k.o.scheme = scheme, k.o.step = step, k.o.conserved = 1, k.o.message = NULL;
    kit_values(&k, 4, 0, NULL, NULL);
    *info = k.info;
    kit_close(&k);
    const sn_conserved *c = &info->conserved;
    print_message(
        "%s, h %g: energy %.2e of %.3g, angular momentum %.2e of %.3g, linear %.1e; %ld steps divided\n",
        scheme, step, c->energy_drift, c->kinetic, c->angular_drift, c->angular_most, c->linear_drift,
        info->reductions);
    assert_true(c->energy && c->linear == 3 && c->angular == 1);
    /* linear in the coordinates: kept by both, to Newton's tolerance (1e-8 of forces) in all steps */
    kit_near("linear momentum", c->linear_drift, 0, 1e-11);
}

static void trapezoidal_rule(void **state)
{
    sn_info coarse, fine, kept;
    (void)state;
    run("newmark", 5e-3, &coarse);
    run("newmark", 2.5e-3, &fine);
    /* far above what Newton's iteration leaves: an error of the second order of the scheme itself */
    assert_true(coarse.conserved.energy_drift > 1e-4 * coarse.conserved.kinetic);
    assert_true(coarse.conserved.angular_drift > 1e-4 * coarse.conserved.angular_most);
    kit_within("order", log2(coarse.conserved.energy_drift / fine.conserved.energy_drift), 1.5, 2.5);
    run("energy_momentum", 5e-3, &kept);
    kit_near("energy", kept.conserved.energy_drift / kept.conserved.kinetic, 0, 1e-10);
    kit_near("angular momentum", kept.conserved.angular_drift / kept.conserved.angular_most, 0, 1e-10);
    /* and at 10 ms it runs only because steps are divided */
    run("newmark", 1e-2, &coarse);
    assert_true(coarse.reductions > 0 && coarse.conserved.energy_drift > 1e-2 * coarse.conserved.kinetic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(trapezoidal_rule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
