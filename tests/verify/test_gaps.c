/* Equilibria behind gaps: a load first closes what is open, over a gap that is as small as rounding or larger
   than the model, and what nothing loads nor holds stays where it is and is named. */
#include "verify/kit.h"

enum { DIM = 6 };
static const char *const place[DIM] = {"p.x", "p.y", "p.z", "p.rx", "p.ry", "p.rz"};

/* A body of 2 kg at (1, 0.3, 0.2) under gravity -z, on an element. */
static void open_on(kit *k, const char *element, const char *joint)
{
    char text[1200];
    assert_true(snprintf(text, sizeof text,
                         "sinew: 1\ngravity: [0, 0, -9.81]\n"
                         "nodes:\n  w: {frame3d: [0, 0, 0]}\n  b: {frame3d: [1, 0.3, 0.2]}\n"
                         "elements:\n  m: {mass3d: b, mass: 2, inertia: [0.1, 0.2, 0.3]}\n  s: {%s}\n"
                         "joints:\n  ground: {fixed: w}\n%ssensors: {p: {position: b}}\n",
                         element, joint) < (int)sizeof text);
    kit_text(k, text);
}

/* It comes to rest `sunk` below, and nothing else moves: rounding of a Newton iteration over lengths of one,
   whose matrices have 2e7 N/m beside equations of 1; what is left (2e-12) depends on the kernels of the BLAS
   in use, of which six were tried.
 */
static void rests(const char *element, const char *joint, double sunk, const char *neutral)
{
    const double at[DIM] = {1, 0.3, 0.2 - sunk};
    double y[DIM];
    kit k;
    open_on(&k, element, joint);
    kit_static(&k, DIM, place, y);
    for (int i = 0; i < DIM; i++) kit_near(place[i], y[i], at[i], 1e-11 * (1 + sunk));
    if (strcmp(k.info.neutral, neutral) != 0) fail_msg("neutral is '%s', not '%s'", k.info.neutral, neutral);
    kit_close(&k);
}

/* A stop whose stiffness comes in over the onset is k (depth - onset/2) behind it (stop_law.h). */
static void test_stops(void **state)
{
    static const double gap[] = {1e-6, 1e-3, 0.1, 3};
    const double weight = 2 * 9.81, k = 1e4;
    char text[400];
    (void)state;
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text,
                 "stop3d: [w, b], at: [1, 0.3, 0.2], axis: [0, 0, 1], lo: %g, side: low, k: 1e4", -gap[i]);
        rests(text, "", gap[i] + weight / k, "b.x, b.y, b.rx, b.ry, b.rz");
        snprintf(text, sizeof text,
                 "bushing_stop: [w, b], at: [1, 0.3, 0.2], clearance: %g, clearance_angle: 0.1, k: 1e4, kt: "
                 "1e3, onset: 1e-4",
                 gap[i]);
        rests(text, "", gap[i] + weight / k + 0.5e-4, "b.x, b.y, b.rx, b.ry, b.rz");
    }
}

/* In the plane, loaded along x */
static void test_plane(void **state)
{
    static const char *const ch[] = {"p.x", "p.y", "p.theta"};
    const double at[] = {0.9 - 2 * 9.81 / 1e4, 0.3, 0};
    double y[3];
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\ngravity: [-9.81, 0]\nnodes:\n  w: {frame2d: [0, 0]}\n  b: {frame2d: [1, 0.3]}\n"
                 "elements:\n  m: {mass2d: b, mass: 2, inertia: 0.1}\n"
                 "  s: {stop2d: [w, b], at: [1, 0.3], lo: -0.1, side: low, k: 1e4}\n"
                 "joints: {ground: {fixed: w}}\nsensors: {p: {position: b}}\n");
    kit_static(&k, 3, ch, y);
    for (int i = 0; i < 3; i++) kit_near(ch[i], y[i], at[i], 1e-12);
    assert_string_equal(k.info.neutral, "b.y, b.theta");
    kit_close(&k);
}

/* Curves with a flat part: stiff or soft behind it, rising beyond their points too, which are met deep inside
 * first. */
static void test_tables(void **state)
{
    static const double gap[] = {1e-5, 1e-2, 2};
    char text[400];
    (void)state;
    for (int i = 0; i < 3; i++) {
        double g = gap[i], a = 0.1 * g;
        /* the load is what a point of the curve has */
        snprintf(text, sizeof text,
                 "bushing_table: [w, b], at: [1, 0.3, 0.2], z: [%g, %g, %g, 0], fz: [-60, -19.62, 0, 0]",
                 -g - 2 * a, -g - a, -g);
        rests(text, "", g + a, "b.x, b.y, b.rx, b.ry, b.rz");
        snprintf(text, sizeof text,
                 "bushing_table: [w, b], at: [1, 0.3, 0.2], z: [0, %g, %g, %g], fz: [0, 0, 19.62, 21], "
                 "symmetric: yes",
                 g, g + a, g + 2 * a);
        rests(text, "  guide: {prismatic: [w, b], axis: [0, 0, 1]}\n", g + a, "");
    }
}

/* The other way nothing comes: that is told. */
static void test_away(void **state)
{
    kit k;
    double y;
    (void)state;
    open_on(&k, "stop3d: [w, b], at: [1, 0.3, 0.2], axis: [0, 0, 1], hi: 0.1, side: high, k: 1e4", "");
    assert_int_equal(kit_try_static(&k, 1, &place[2], &y), SN_ERR_NUMERIC);
    assert_string_equal(k.err.report[0].text,
                        "static analysis: there is no equilibrium: nothing holds b.z against "
                        "a force of 19.62 N");
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stops), cmocka_unit_test(test_plane),
                                       cmocka_unit_test(test_tables), cmocka_unit_test(test_away)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
