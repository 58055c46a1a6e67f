/* Limits of what an element describes: the forces of one element jump where its `limit` says, and not before;
   runs and statics warn near it and stop past it. */
#include "system/system.h"
#include "verify/kit.h"

static const double pi = 3.14159265358979323846;

#define SPACE(element)                                                                                       \
    "sinew: 1\n"                                                                                             \
    "nodes: {a: {frame3d: [0, 0, 0]}, b: {frame3d: [1, 0, 0]}}\n"                                            \
    "elements: {e: {" element "}}\n"

#define BEAM "beam3d_cr: [a, b], EA: 1e3, EI_y: 3, EI_z: 2, GJ: 1, rhoA: 1, rhoJ: 0.1, orientation: [0, 1, 0]"

typedef struct example {
    const char *what, *yaml;
    int axis;    /* the ends turn about it by -angle/2 and angle/2 */
    double ends; /* of the forces, in angle between the ends; 0: nowhere */
} example;

static const example examples[] = {
    {"twist", SPACE(BEAM), 0, pi},
    {"bending about z", SPACE(BEAM), 2, pi},
    {"bending about y", SPACE(BEAM), 1, 2 * pi},
    {"plane",
     "sinew: 1\n"
     "nodes: {a: {frame2d: [0, 0]}, b: {frame2d: [1, 0]}}\n"
     "elements: {e: {beam2d_cr: [a, b], EA: 1e3, EI: 2, rhoA: 1}}\n",
     2, 2 * pi},
    {"torsion spring", SPACE("torsion_spring: [a, b], axis: [1, 0, 0], kt: 2"), 0, pi},
    {"damper", SPACE("torsion_spring: [a, b], axis: [1, 0, 0], ct: 2"), 0, 0},
    {"bushing", SPACE("bushing: [a, b], kt: [2, 2, 2]"), 1, pi},
    {"bushing, vect", SPACE("bushing: [a, b], kt: [2, 2, 2], measure: vect"), 1, 0},
    {"bushing, free", SPACE("bushing: [a, b], kt: [0, 2, 2], axis: [1, 0, 0], normal: [0, 1, 0]"), 0, 0},
};

/* The nodes turned about an axis of both by x, and by -+angle/2; turns of a whole element do not matter. */
static void pose(const sn_model *m, const example *c, double x, double angle, sn_state *s)
{
    for (int i = 0, at = 0; i < 2; i++) {
        while (m->node[at].ground) at++;
        const sn_node *n = &m->node[at++];
        double turn = x + (i ? 0.5 : -0.5) * angle, *q = s->q + n->q;
        if (n->cls->dim == 2) {
            q[2] = turn;
            q[0] = i * cos(x), q[1] = i * sin(x);
            continue;
        }
        double e[3] = {i, 0, 0};
        if (c->axis == 1) e[0] = i * cos(x), e[2] = -i * sin(x);
        if (c->axis == 2) e[0] = i * cos(x), e[1] = i * sin(x);
        memcpy(q, e, sizeof e);
        q[3] = cos(0.5 * turn);
        for (int k = 0; k < 3; k++) q[4 + k] = k == c->axis ? sin(0.5 * turn) : 0;
    }
}

static void test_jumps(void **state)
{
    enum { N = 235 };
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *c = &examples[i];
        double last[12] = {0}, step = 0.01 * pi, jump = 0, usual = 0, told = 0;
        sn_work *w;
        sn_state *x;
        kit k;
        kit_text(&k, c->yaml);
        kit_good(&k, sn_work_new(k.m, k.p, &w, &k.err));
        kit_good(&k, sn_state_new(k.m, 0, &x, &k.err));
        memcpy(x->q, k.p->q0, sizeof(double) * (size_t)k.m->nq);
        for (int j = 0; j < N; j++) {
            /* never exactly at the limit, and the whole turning several times */
            double angle = (j + 0.5) * step, change = 0;
            sn_limit l;
            pose(k.m, c, 0, angle, x);
            int fails = sn_system_one(w, x, 0, 0, NULL) != SN_OK; /* some do, where others jump */
            int nv = k.m->element.object[0].nv;
            for (int r = 0; r < nv; r++) change = fmax(change, fabs(w->r[r] - last[r]));
            memcpy(last, w->r, sizeof(double) * (size_t)nv);
            if (j == 1) usual = change;
            if (j > 1 && (fails || change > 20 * usual) && jump == 0) jump = angle - 0.5 * step;
            pose(k.m, c, 0.3 * j, angle, x);
            int near = sn_system_limit(w, x, 0, &l) == 0;
            if (angle > 2 * pi) continue; /* quaternions tell two turns, not more */
            assert_int_equal(near, c->ends > 0 && angle >= SN_LIMIT_NEAR * c->ends);
            if (near && told == 0 && l.angle >= l.most) told = angle - 0.5 * step;
        }
        print_message("  %s: forces jump at %.3f pi, told at %.3f pi\n", c->what, jump / pi, told / pi);
        kit_near("jump", jump, c->ends, 1e-9);
        if (c->ends < 1.5 * pi) kit_near("told", told, c->ends, 1e-9);
        sn_state_free(x);
        sn_work_free(w);
        kit_close(&k);
    }
}

static int messages;
static char last_message[512];

static void remember(void *ctx, const char *text)
{
    (void)ctx;
    if (!strstr(text, "degrees")) return;
    messages++;
    snprintf(last_message, sizeof last_message, "%s", text);
}

/* One end is turned by 4 rad: in one element past pi, in four not. Steps of 10 ms are 2.3 degrees. */
#define SHAFT(pieces)                                                                                        \
    "sinew: 1\n"                                                                                             \
    "nodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"                                                                  \
    "elements:\n"                                                                                            \
    "  shaft: {" BEAM ", elements: " pieces "}\n"                                                            \
    "joints:\n"                                                                                              \
    "  wall: {fixed: a}\n"                                                                                   \
    "  guide: {cylindrical: [ground, b], axis: [1, 0, 0], at: [1, 0, 0]}\n"                                  \
    "  turn: {rotation_drive: [ground, b], axis: [1, 0, 0], angle: 4 rad/s*t}\n"                             \
    "sensors: {f: {force: shaft, axes: element}}\n"                                                          \
    "run: {end: 1, step: 10 ms}\n"

static void test_run(void **state)
{
    kit k;
    (void)state;
    messages = 0;
    kit_text(&k, SHAFT("1"));
    k.o.message = remember;
    assert_int_equal(kit_try_run(&k), SN_ERR_NUMERIC);
    print_message("  %s\n  %s\n", last_message, k.err.report[0].text);
    assert_int_equal(messages, 1);
    assert_non_null(strstr(last_message, "beam3d_cr 'shaft': its ends are turned against each other by 16"));
    assert_non_null(strstr(k.err.report[0].text, "beam3d_cr 'shaft': its ends are turned"));
    assert_non_null(strstr(k.err.report[0].text, "divide it into more elements"));
    assert_int_equal(k.err.report[0].line, 4);
    /* pi at 0.785 s; looked at each fourth step */
    kit_within("time", k.info.t, 0.78, 0.82);
    kit_close(&k);
    messages = 0;
    kit_text(&k, SHAFT("4"));
    k.o.message = remember;
    /* GJ = 1; the sudden start sends a wave of 4 rad/s sqrt(GJ rhoJ) = 1.3 N*m along */
    kit_near("torque", kit_value(&k, "f.T", 0.9), 3.6, 1.3);
    assert_int_equal(messages, 0);
    kit_close(&k);
}

/* Statics: both ends of a beam bent, to 172 and 195 degrees against the chord. */
static void test_static(void **state)
{
    static const char *const text = "sinew: 1\n"
                                    "parameters: {bend: 3}\n"
                                    "nodes: {a: [0, 0], b: [1, 0]}\n"
                                    "elements:\n"
                                    "  rod: {beam2d_cr: [a, b], EA: 1e4, EI: 10, rhoA: 1}\n"
                                    "joints:\n"
                                    "  wall: {fixed: a, theta: -bend}\n"
                                    "  guide: {fixed: b, only: [y, theta], theta: bend}\n"
                                    "sensors: {f: {force: rod, axes: element}}\n"
                                    "run: {end: 1, step: 10 ms}\n";
    kit k;
    double M = 0;
    (void)state;
    messages = 0;
    kit_text(&k, text);
    k.o.message = remember;
    kit_static(&k, 1, (const char *const[]){"f.M"}, &M);
    kit_near("moment", M, 60, 1e-9); /* 2 EI/L (2 bend - bend) */
    assert_int_equal(messages, 1);
    assert_non_null(
        strstr(last_message, "beam2d_cr 'rod': an end is turned against the chord by 171.9 degrees"));
    kit_set(&k, "bend", 3.4);
    kit_update(&k);
    assert_int_equal(kit_try_static(&k, 0, NULL, NULL), SN_ERR_NUMERIC);
    assert_non_null(
        strstr(k.err.report[0].text, "beam2d_cr 'rod': an end is turned against the chord by 194.8"));
    assert_int_equal(k.err.report[0].line, 5);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_jumps), cmocka_unit_test(test_run),
                                       cmocka_unit_test(test_static)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
