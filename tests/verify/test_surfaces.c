/* Surfaces: meshes of quadrilaterals and triangles, what they share, sensors of their corners, loads on them,
   what a result has of them. With two kinds of a foreign author, nets of springs between all pairs of their
   nodes: r_i = k sum_j (u_i - u_j) with the displacements u = q - X. */
#include "verify/gradient.h"

#include "io/scene.h"
#include "model/model.h"
#include "sinew/plugin.h"

#include <unistd.h>

static const sn_slot slots[] = {{"k", "N/m", "stiffness", 1, 0, 2, 0, SN_INFINITE, NULL},
                                {"thickness", "m", "for pictures", 1, 0, 0.1, 0, SN_INFINITE, NULL},
                                {.name = NULL}};

static double u(const sn_in *in, int node, int c) { return in->q[2 * node + c] - in->X[2 * node + c]; }

static double pull(const sn_in *in, int node, int c)
{
    double sum = 0;
    for (int j = 0; j < in->nn; j++) sum += u(in, node, c) - u(in, j, c);
    return sum;
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C, (void)M;
    for (int i = 0; i < in->nn; i++)
        for (int c = 0; c < 2; c++) {
            r[2 * i + c] += in->s[0] * pull(in, i, c);
            for (int j = 0; K && j < in->nn; j++)
                K[(2 * i + c) * in->nv + 2 * j + c] += in->s[0] * (i == j ? in->nn - 1 : -1);
        }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    int x = index - in->ns;
    for (int i = 0; i < in->nn; i++)
        for (int c = 0; c < 2; c++) {
            if (index == 0) dr[2 * i + c] += pull(in, i, c);
            if (x >= 0 && x < in->nq && x % 2 == c)
                dr[2 * i + c] -= in->s[0] * (i == x / 2 ? in->nn - 1 : -1);
        }
    return SN_OK;
}

/* The force on a node; end 0: on none. */
static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    (void)which;
    for (int c = 0; c < 2; c++) {
        y[c] = end ? in->s[0] * pull(in, end - 1, c) : 0;
        for (int j = 0; end && d && j < in->nn; j++)
            d->q[c * in->nv + 2 * j + c] = in->s[0] * (j == end - 1 ? in->nn - 1 : -1);
    }
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    (void)which;
    int x = index - in->ns;
    for (int c = 0; c < 2; c++) {
        dy[c] = index == 0 && end ? pull(in, end - 1, c) : 0;
        if (end && x >= 0 && x < in->nq && x % 2 == c)
            dy[c] = -in->s[0] * (x / 2 == end - 1 ? in->nn - 1 : -1);
    }
    return SN_OK;
}

/* w is the force on the whole. */
static sn_status distribute(const sn_in *in, const double *w, int turning, double *r, double *K)
{
    (void)turning, (void)K;
    for (int i = 0; i < in->nn; i++)
        for (int c = 0; c < 2; c++) r[2 * i + c] -= w[c] / in->nn;
    return SN_OK;
}

static sn_status ddistribute(const sn_in *in, const double *w, int turning, int index, double *dr)
{
    (void)in, (void)w, (void)turning, (void)index, (void)dr;
    return SN_OK;
}

/* At each corner how far it has gone in x, in the middle the mean of both ways. */
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    (void)section;
    double *mean = y + in->nn;
    mean[0] = mean[1] = 0;
    for (int i = 0; i < in->nn; i++) {
        y[i] = u(in, i, 0);
        for (int c = 0; c < 2; c++) mean[c] += u(in, i, c) / in->nn;
    }
    return SN_OK;
}

static void sizes(const double *s, const int *slot_n, sn_drawn_sizes *z)
{
    (void)slot_n;
    z->thickness = s[1];
}

static const sn_output outputs[] = {{"force", "on a corner", 2, {"fx", "fy"}, {"N", "N"}}, {.name = NULL}};
static const sn_geometry four = {SN_SHAPE_QUADRILATERAL, SN_STRAIGHT, NULL, 1, sizes},
                         three = {SN_SHAPE_TRIANGLE, SN_STRAIGHT, NULL, 1, sizes};
static const sn_field_decl fields4[] = {{"way", "m", "way in x", 4, 1, SN_FIELD_SIGNED, {0}},
                                        {"mean", "m", "mean way", 1, 2, SN_FIELD_SIGNED, {"x", "y"}},
                                        {.name = NULL}},
                           fields3[] = {{"way", "m", "way in x", 3, 1, SN_FIELD_SIGNED, {0}},
                                        {"mean", "m", "mean way", 1, 2, SN_FIELD_SIGNED, {"u", "v"}},
                                        {.name = NULL}};

#define NET(kind, text, nodes, look, list)                                                                   \
    {                                                                                                        \
        .name = kind, .doc = text,                                                                           \
        .args = {.what = SN_ARG_NODE, .min = nodes, .max = nodes, .dim = 2, .ask = SN_POSITION},             \
        .slots = slots, .outputs = outputs, .eval = eval, .dparam = dparam, .output = output,                \
        .doutput = doutput, .distribute = distribute, .ddistribute = ddistribute, .geometry = look,          \
        .fields = list, .field = field                                                                       \
    }
static const sn_element_class net4 = NET("net4", "net of four nodes", 4, &four, fields4),
                              net3 = NET("net3", "net of three nodes", 3, &three, fields3);

static int add_kinds(void **state)
{
    static const sn_element_class *const list[] = {&net4, &net3, NULL};
    (void)state;
    return sn_plugin_add(&(sn_plugin){SN_PLUGIN_HEAD, .name = "nets", .elements = list}, NULL) != SN_OK;
}

#define CORNERS                                                                                              \
    "parameters: {w: 4}\nnodes: {a: [0, 0], b: [3, 0], c: [w, 2], d: [0, 2], e: [6, 0], f: [6, 2]}\n"
#define HOLD "joints: {a: {fixed: a}, e: {fixed: e}, f: {fixed: f}}\nrun: {end: 1, step: 0.1}\n"

static int node_named(const sn_model *m, const char *name)
{
    for (int i = 0; i < m->n_node; i++)
        if (strcmp(m->node[i].name, name) == 0) return i;
    return -1;
}

/* Inner nodes are bilinear in the corners, also after one has moved; so are their derivatives. */
static void test_nodes(void **state)
{
    static const char *const of[] = {"p.x", "p.y", "q.x", "c.x"}, *const wrt[] = {"w", "a.at.y"};
    double y[4], dy[8], x;
    kit k;
    (void)state;
    kit_text(
        &k,
        "sinew: 1\n" CORNERS "elements: {plate: {net4: [a, b, c, d], elements: [3, 2]}}\n"
        "sensors: {p: {position: plate.n2_1}, q: {position: plate.n3_1}, c: {position: plate.n3_2}}\n" HOLD);
    assert_int_equal(k.m->element.n, 6);
    assert_int_equal(k.m->n_node, 6 + 12 - 4);
    for (int pass = 0; pass < 2; pass++) {
        double w = pass ? 5 : 4;
        kit_set(&k, "w", w);
        kit_update(&k);
        sn_gradient_options o = sn_gradient_options_default(k.m, k.p);
        o.statics = 1, o.of = of, o.n_of = 4, o.wrt = wrt, o.n_wrt = 2;
        kit_good(&k,
                 sn_gradient(k.m, k.p, &o, &(sn_gradient_result){.value = y, .gradient = dy}, NULL, &k.err));
        /* at 2/3 of the first edge and 1/2 of the second */
        kit_near("p.x", y[0], 3 * 2. / 3 / 2 + w * 2. / 3 / 2, 1e-12);
        kit_near("p.y", y[1], 1, 1e-12);
        kit_near("q.x", y[2], (3 + w) / 2, 1e-12);
        kit_near("c.x", y[3], w, 1e-12);
        static const double expected[] = {1. / 3, 0, 0, 1. / 6, 1. / 2, 0, 1, 0};
        for (int i = 0; i < 8; i++) kit_near("derivative", dy[i], expected[i], 1e-12);
    }
    kit_good(&k, sn_values_get(k.p, "plate.n2_1.at.x", &x, &k.err));
    kit_near("at.x", x, y[0], 1e-12);
    kit_good(&k, sn_values_get(k.p, "plate.n3_2.at.x", &x, &k.err));
    kit_near("corner", x, 5, 0);
    assert_int_equal(sn_values_get(k.p, "plate.n4_0.at.x", &x, &k.err), SN_ERR_INPUT);
    kit_close(&k);
}

/* Derivatives of a run by all numbers, those that move corners included. */
static void test_gradient(void **state)
{
    (void)state;
    grad *g = grad_text(
        "sinew: 1\n" CORNERS "elements: {plate: {net4: [a, b, c, d], elements: [2, 2], k: 9},\n"
        "  tri: {net3: [b, e, c], elements: 2, k: 7}, load: {force2d: plate, per_length: [1, -2]},\n"
        "  m: {mass2d: c, mass: 2}, n: {mass2d: plate.n1_1, mass: 1}, o: {mass2d: "
        "tri.n1_1, mass: 1}}\n"
        "joints: {a: {fixed: a}, e: {fixed: e}, f: {fixed: f}}\ngravity: [0, -1]\nrun: {end: 1, step: 0.05}\n"
        "sensors: {f: {force: plate, end: 2}, p: {position: tri.n1_1}}\n");
    /* what fixed and mass2d do not have in the plane and on points */
    grad_all_numbers(g, (const char *const[]){"joints.", "elements.m.i", "elements.m.c", "elements.n.i",
                                              "elements.n.c", "elements.o.i", "elements.o.c", NULL});
    grad_all_sensors(g);
    grad_agree(g, "surfaces");
    grad_close(g);
}

/* Surfaces with the same two corners and as many parts between them share an edge, in whatever direction. */
static void test_edges(void **state)
{
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n" CORNERS "elements:\n  one: {net4: [a, b, c, d], elements: [3, 2]}\n"
                 "  two: {net4: [f, c, b, e], elements: [4, 2]}\n"
                 "  tri: {net3: [d, c, a], elements: 3}\n"
                 "  far: {net4: [a, d, c, b], elements: [2, 4]}\n" HOLD);
    /* new ones of `one`: 6 on its edges, 2 inside; `two` shares c-b: 7, 3; `tri` shares d-c: 4, 1; `far`
       shares a-d and c-b: 6, 3 */
    assert_int_equal(k.m->n_node, 6 + (2 + 1 + 2 + 1 + 2) + (7 + 3) + (4 + 1) + (6 + 3));
    const sn_object *o = k.m->element.object;
    int shared = node_named(k.m, "one.n3_1"), own = node_named(k.m, "two.n1_0");
    assert_true(shared >= 0 && own >= 0 && node_named(k.m, "two.n4_1") < 0);
    /* pieces: one 0-5, two 6-13 */
    assert_int_equal(o[2].node[2], shared);
    assert_int_equal(o[5].node[1], shared);
    for (int i = 6, found = 0; i < 14; i++)
        for (int j = 0; j < 4; j++) {
            found += o[i].node[j] == shared;
            if (i == 13 && j == 3) assert_int_equal(found, 2);
        }
    kit_close(&k);
    /* two beams between the same nodes are two, and a beam along an edge is a beam */
    kit_text(&k, "sinew: 1\nnodes: {a: [0, 0], b: [1, 0]}\nelements:\n"
                 "  one: {beam2d_cr: [a, b], elements: 3, EA: 1, EI: 1, rhoA: 1}\n"
                 "  two: {beam2d_cr: [a, b], elements: 3, EA: 1, EI: 1, rhoA: 1}\n"
                 "joints: {a: {fixed: a}}\nrun: {end: 1, step: 0.1}\n");
    assert_int_equal(k.m->n_node, 2 + 2 + 2);
    kit_close(&k);
}

static double area(const kit *k, const sn_object *o)
{
    double sum = 0;
    for (int i = 0; i < o->nn; i++) {
        const double *p = k->p->q0 + k->m->node[o->node[i]].q,
                     *q = k->p->q0 + k->m->node[o->node[(i + 1) % o->nn]].q;
        sum += (p[0] * q[1] - p[1] * q[0]) / 2;
    }
    return sum;
}

/* All pieces are counterclockwise, and together as large as the whole. */
static void test_areas(void **state)
{
    kit k;
    double sum = 0;
    (void)state;
    for (int n = 1; n <= 40; n += 13) {
        char text[512];
        snprintf(text, sizeof text,
                 "sinew: 1\n" CORNERS "elements:\n  one: {net4: [a, b, c, d], elements: [%d, %d]}\n"
                 "  tri: {net3: [b, e, c], elements: %d}\n" HOLD,
                 n, n + 1, n);
        kit_text(&k, text);
        assert_int_equal(k.m->element.n, n * (n + 1) + n * n);
        sum = 0;
        for (int i = 0; i < k.m->element.n; i++) {
            double own = area(&k, &k.m->element.object[i]);
            assert_true(own > 0);
            if (i >= n * (n + 1)) kit_near("triangle", own, 3. / n / n, 1e-12);
            sum += own;
        }
        kit_near("area", sum, 7 + 3, 1e-10);
        kit_close(&k);
    }
}

/* A sensor at a corner sees the piece there; a load is spread over all pieces. */
static void test_sensors(void **state)
{
    kit k;
    double y[16];
    (void)state;
    kit_text(&k, "sinew: 1\n" CORNERS "elements: {plate: {net4: [a, b, c, d], elements: [3, 2]},\n"
                 "  load: {force2d: plate, per_length: [1, -2]}, pull: {force2d: c, force: [5, 0]}}\n" HOLD
                 "sensors: {one: {force: plate, end: 1}, three: {force: plate, end: 3}, mid: {force: plate, "
                 "piece: 2},\n"
                 "  two: {force: plate, end: 2, piece: 5}, wall: {reaction: a}}\n");
    kit_good(&k, sn_static(k.m, k.p, &k.o, y, &k.info, &k.err));
    /* only one piece is at a corner: what acts on it there is all that acts on the node */
    kit_near("one.fx", y[0], -(6 * 1 + 5) + 1 / 4., 1e-9);
    kit_near("one.fy", y[1], 6 * 2 - 2 / 4., 1e-9);
    kit_near("three.fx", y[2], 5 + 1 / 4., 1e-9);
    kit_near("three.fy", y[3], -2 / 4., 1e-9);
    kit_near("mid", y[4], 0, 0);
    kit_near("wall.fx", y[8], -11, 1e-9);
    kit_near("wall.fy", y[9], 12, 1e-9);
    assert_int_equal(k.m->sensor.object[3].target, 4);
    assert_int_equal(k.m->sensor.object[3].end, 2);
    kit_close(&k);
}

/* What a result has of surfaces, drawn: cells, thickness, fields at corners and in the middle. */
static void test_result(void **state)
{
    kit k;
    double y[16];
    char path[64];
    sn_result_reader *in;
    sn_scene s;
    (void)state;
    snprintf(path, sizeof path, "/tmp/sinew_surfaces_%d.h5", (int)getpid());
    kit_text(&k, "sinew: 1\n" CORNERS
                 "elements:\n  plate: {net4: [a, b, c, d], elements: [3, 2], thickness: 0.02}\n"
                 "  tri: {net3: [b, e, f]}\n  pull: {force2d: e, force: [5, 0]}\n"
                 "joints: {a: {fixed: a}, c: {fixed: c}}\nrun: {end: 1, step: 0.1}\n");
    kit_good(&k, sn_static_file(k.m, k.p, &k.o, path, y, &k.info, &k.err));
    kit_good(&k, sn_result_open(path, &in, &k.err));
    kit_good(&k, sn_scene_make(&s, in, &k.err));
    double *q = calloc((size_t)(s.nq + s.nv), sizeof *q), *x = calloc(9 * (size_t)s.n_point, sizeof *x),
           *u = x + 3 * s.n_point, values[64];
    float *out = calloc(6 * (size_t)s.n_point, sizeof *out);
    for (int i = 0; i < sn_result_reader_columns(in); i++)
        if (strcmp(sn_result_reader_column(in, i)->path, "/states/q") == 0)
            kit_good(&k, sn_result_reader_get(in, i, 0, 1, q, &k.err));
    sn_scene_place(&s, q, q + s.nq, x, u, x + 6 * s.n_point);
    assert_int_equal(s.type[0], SN_CELL_QUAD);
    assert_int_equal(s.type[6], SN_CELL_TRIANGLE);
    assert_int_equal(s.group[6], SN_GROUP_SURFACE);
    assert_true(s.thickness && s.thickness[5] == 0.02f && s.thickness[6] == 0.1f && isnan(s.thickness[7]));
    int seen = 0;
    for (int i = 0; i < s.n_field; i++) {
        const sn_scene_field *f = &s.field[i];
        int way = strcmp(f->name, "way") == 0, mean = strcmp(f->name, "mean") == 0,
            other = strcmp(f->name, "net3.mean") == 0;
        if (!way && !mean && !other) continue;
        seen += way ? 1 : mean ? 10 : 100;
        kit_good(&k, sn_result_reader_get(in, f->column, 0, 1, values, &k.err));
        sn_scene_field_place(&s, f, values, out);
        assert_int_equal(f->at_points, way);
        assert_int_equal(f->n, way ? 1 : 2);
        for (int c = 0; c < 7; c++) {
            int first = c ? s.end[c - 1] : 0, n = s.end[c] - first;
            double sum = 0;
            for (int j = first; j < s.end[c]; j++) sum += u[3 * s.corner[j]] / n;
            /* single precision */
            for (int j = first; way && j < s.end[c]; j++)
                kit_near("way", out[s.corner[j]], u[3 * s.corner[j]], 1e-6);
            if (!way && (c == 6) == other) kit_near("mean", out[2 * c], sum, 1e-6);
            if (!way && (c == 6) != other) assert_true(isnan(out[2 * c]));
        }
    }
    assert_int_equal(seen, 111);
    free(q), free(x), free(out);
    sn_scene_free(&s);
    sn_result_reader_close(in);
    unlink(path);
    kit_close(&k);
}

static void refused(const char *elements, const char *words)
{
    char text[1024];
    sn_model *m;
    sn_err err;
    sn_err_clear(&err);
    snprintf(text, sizeof text, "sinew: 1\n" CORNERS "%s\n" HOLD, elements);
    assert_int_equal(sn_model_read_text("m.yaml", text, strlen(text), &m, &err), SN_ERR_INPUT);
    if (!strstr(err.report[0].text, words)) fail_msg("'%s' lacks '%s'", err.report[0].text, words);
    if (err.count != 1) fail_msg("also: %s", err.report[1].text);
    assert_true(err.report[0].line > 0);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"3", "[2]", "[0, 2]", "[2, 2, 2]", "[[1], 2]", "{a: 1}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[128];
        snprintf(text, sizeof text, "elements: {p: {net4: [a, b, c, d], elements: %s}}", bad[i]);
        refused(text, "'elements' is how many along the first two edges, [n, m]");
    }
    refused("elements: {p: {net4: [a, b, c, d], elements: [2, x]}}", "there is no parameter 'x'");
    refused("elements: {p: {net4: [a, b, c, d], elements: [100000, 100000]}}", "more than 10000000 elements");
    refused("elements: {p: {net3: [a, b, c], elements: [2, 2]}}", "'elements' is how many, a whole number");
    refused("elements: {p: {net4: [a, b, c, b], elements: [2, 2]}}", "connects 'b' with itself");
    refused("elements: {p: {net4: [a, b, c, d], elements: [2, 2]}, s: {beam2d_cr: [a, b], EA: 1, EI: 1, "
            "rhoA: 1}}",
            "'p' cannot be meshed between a frame2d and a point2d node");
    refused("elements: {p: {net4: [a, b, c, d], elements: [2, 3]}, m: {mass2d: p.n3_0, mass: 1}}",
            "there is no node 'p.n3_0': 'p' has the nodes n0_0 to n2_3");
    refused("elements: {p: {net4: [a, b, c, d], elements: [2, 3]}}\nsensors: {f: {force: p, end: 5}}",
            "'end' is one of its nodes, 1 to 4");
    refused("elements: {p: {net4: [a, b, c, d], elements: [2, 3]}}\nsensors: {f: {force: p}}",
            "'p' has 6 pieces: say which 'piece', or at which corner ('end')");
    refused("elements: {p: {net4: [a, b, c, d], k: xi, elements: [2, 3]}}", "xi");
}

static int fail_at, calls, live; /* the allocation to refuse; all of them; not given back */

static void *failing_alloc(size_t bytes, void *user)
{
    (void)user;
    if (calls++ == fail_at) return NULL;
    live++;
    return calloc(1, bytes);
}

static void counted_release(void *p, void *user)
{
    (void)user;
    live--;
    free(p);
}

/* Every allocation of reading a mesh may fail, and nothing leaks. */
static void test_allocation(void **state)
{
    static const char text[] =
        "sinew: 1\n" CORNERS "elements:\n  one: {net4: [a, b, c, d], elements: [3, 2]}\n"
        "  two: {net4: [f, c, b, e], elements: [4, 2]}\n  tri: {net3: [d, c, a], elements: 3}\n" HOLD;
    const sn_allocator failing = {failing_alloc, counted_release, NULL};
    sn_status s = SN_ERR_MEMORY;
    (void)state;
    for (fail_at = 0; s != SN_OK; fail_at++) {
        sn_model *m;
        sn_err err;
        sn_err_clear(&err);
        calls = live = 0;
        sn_set_allocator(&failing);
        s = sn_model_read_text("m.yaml", text, strlen(text), &m, &err);
        sn_model_free(m);
        sn_set_allocator(NULL);
        assert_true(s == SN_OK || s == SN_ERR_MEMORY);
        assert_int_equal(live, 0);
    }
    assert_true(fail_at > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nodes),   cmocka_unit_test(test_gradient),
                                       cmocka_unit_test(test_edges),   cmocka_unit_test(test_areas),
                                       cmocka_unit_test(test_sensors), cmocka_unit_test(test_result),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_allocation)};
    return cmocka_run_group_tests(tests, add_kinds, NULL);
}
