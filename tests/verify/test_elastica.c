/* A cantilever bent far: dead transverse tip load against the elastica (closed form in elliptic integrals,
   Bisshopp and Drucker 1945; its values to 8 digits), and a tip moment that rolls it up. EI = L = 1. */
#include "verify/kit.h"

static const char model[] = "sinew: 1\n"
                            "parameters: {P: 0 N, M: 0 N*m, EA: 1e10 N}\n"
                            "nodes: {clamped: [0, 0], tip: [1, 0]}\n"
                            "elements:\n"
                            "  beam: {beam2d_cr: [clamped, tip], EA: EA, EI: 1, rhoA: 0, elements: %d}\n"
                            "  load: {force2d: tip, force: [0, P], torque: M}\n"
                            "joints: {clamp: {fixed: clamped}}\n"
                            "sensors: {tip: {displacement: tip}, middle: {position: beam.n%d}}\n"
                            "run: {tolerance: 1e-12}\n";

static void open_beam(kit *k, int n)
{
    char text[1000];
    snprintf(text, sizeof text, model, n, n / 2);
    kit_text(k, text);
}

/* L - x, y, slope at the tip */
static void tip(int n, double P, double *y)
{
    static const char *const name[] = {"tip.x", "tip.y", "tip.theta"};
    kit k;
    open_beam(&k, n);
    kit_set(&k, "P", P);
    kit_update(&k);
    kit_static(&k, 3, name, y);
    y[0] = -y[0];
    kit_close(&k);
}

/* A chord replaces an arc: errors in even powers of the element's length. Two extrapolations over 20, 40, 80
   elements leave O(h^6), measured below 2e-9 by comparing with 40, 80, 160. The elastica is inextensible:
   here the strain is at most P/EA = 1e-9, and the tip moves by that much. Printed digits: half of 1e-8.
   Together 1e-8. */
static void dead_load(void **state)
{
    (void)state;
    static const double P[] = {1, 2, 5, 10};
    static const double reference[][3] = {{.05643324, .30172077, .46135195},
                                          {.16064172, .49345748, .78174983},
                                          {.38762836, .71379152, 1.21536812},
                                          {.55499560, .81060902, 1.43028554}};
    for (int i = 0; i < 4; i++) {
        double y[3][3], e[3] = {0, 0, 0};
        for (int j = 0; j < 3; j++) tip(20 << j, P[i], y[j]);
        for (int c = 0; c < 3; c++) {
            double coarse = richardson(y[0][c], y[1][c], 2), fine = richardson(y[1][c], y[2][c], 2);
            kit_near("tip", richardson(coarse, fine, 4), reference[i][c], 1e-8);
            for (int j = 0; j < 3; j++) e[j] = fmax(e[j], fabs(y[j][c] - reference[i][c]));
        }
        /* the next term is smaller by the square of an element's bend over 12, the bend 4.5/20 at most, at
         * the clamp */
        print_message("P = %g: errors %.2e %.2e %.2e\n", P[i], e[0], e[1], e[2]);
        kit_within("order in the mesh", order_of(e[0], e[1]), 1.95, 2.05);
        kit_within("order in the mesh", order_of(e[1], e[2]), 1.98, 2.02);
    }
}

/* M = 2 pi EI/L bends the beam into a closed circle. Each element then carries the same moment and no force,
   turns by M L/(n EI) exactly and keeps its chord L/n: the nodes are the corners of a regular polygon, on
   which the tip comes back to the clamp and the middle is at the height of its circumscribed circle. Only
   Newton's tolerance and rounding remain: 1e-10. */
static void roll_up(void **state)
{
    (void)state;
    static const char *const name[] = {"tip.x", "tip.y", "tip.theta", "middle.x", "middle.y"};
    const double pi = acos(-1);
    for (int turns = 1; turns <= 4; turns *= 2)
        for (int n = 20; n <= 40; n *= 2) {
            double y[5];
            kit k;
            open_beam(&k, n);
            kit_set(&k, "M", 2 * pi * turns);
            kit_set(&k, "EA", 1e4);
            kit_update(&k);
            kit_static(&k, 5, name, y);
            print_message("%d turns, %d elements: %ld load steps\n", turns, n, k.info.steps);
            kit_near("tip.x", y[0], -1, 1e-10);
            kit_near("tip.y", y[1], 0, 1e-10);
            kit_near("tip.theta", y[2], 2 * pi * turns, 1e-10);
            kit_near("middle.x", y[3], 0, 1e-10);
            kit_near("middle.y", y[4], turns == 1 ? 1 / (n * sin(pi / n)) : 0, 1e-10);
            kit_close(&k);
        }
}

/* The same circle with the inextensible beam of the first test: stiffness ratio 1e10, more load steps */
static void roll_up_inextensible(void **state)
{
    (void)state;
    static const char *const name[] = {"tip.x", "tip.y"};
    double y[2];
    kit k;
    open_beam(&k, 20);
    kit_set(&k, "M", 2 * acos(-1));
    kit_update(&k);
    kit_static(&k, 2, name, y);
    kit_near("tip.x", y[0], -1, 1e-8);
    kit_near("tip.y", y[1], 0, 1e-8);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dead_load), cmocka_unit_test(roll_up),
                                       cmocka_unit_test(roll_up_inextensible)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
