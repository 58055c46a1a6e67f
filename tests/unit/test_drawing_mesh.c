/* Meshes that elements are drawn as: from a kind's declaration into the result file, and from there into
   places of a scene. The kind and its meshes are made up. */
#include "compile_kit.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/scene.h"
#include "math/rot3.h"
#include "sinew/plugin.h"

/* ---- blob: a mass on a frame, with two modes ---- */

enum { MASS, WHICH, ANGLE };
static const sn_slot slots[] = {
    {"mass", "kg", "mass", 1, SN_POSITIVE, 1, 0, SN_INFINITE, NULL},
    {"which", "1", "of the meshes", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"angle", "rad", "of the mesh about z", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL}};

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C;
    for (int i = 0; i < in->nv; i++) {
        r[i] += in->s[MASS] * (in->a[i] - (i < 3 ? in->g[i] : 0));
        if (K) M[i * in->nv + i] += in->s[MASS];
    }
    return SN_OK;
}
static sn_status dparam(const sn_in *in, int index, double *dr)
{
    for (int i = 0; i < in->nv; i++) {
        if (index == MASS) dr[i] += in->a[i] - (i < 3 ? in->g[i] : 0);
        if (index == in->ns + in->nq + i && i < 3) dr[i] -= in->s[MASS];
    }
    return SN_OK;
}
static int modes(const sn_layout *l)
{
    (void)l;
    return 2;
}
static const sn_inner inner[] = {{"modes", "modal", NULL, modes}, {.suffix = NULL}};

/* Five nodes, of which the third is in no line and no triangle. */
static const double X[] = {0, 0, 0, 1, 0, 0, 9, 9, 9, 1, 1, 0, 0, 1, 0.5},
                    phi[] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 3, 9, 9, 9,
                             9, 9, 9, 1, 1, 0, 2, 0, 3, 0, 4, 0, 5, 6, 0};
static const double bad_X[] = {0, 0, 0, 1, 0, 0, 0, 0, NAN};
static const int line[] = {0, 1, 3, 4}, triangle[] = {0, 1, 3, 0, 3, 4}, bad_triangle[] = {0, 1, 5},
                 corners[] = {0, 1, 2};

static void mesh(const double *s, const void *block, sn_drawn_mesh *m)
{
    const double c = cos(s[ANGLE]), d = sin(s[ANGLE]), R[9] = {c, -d, 0, d, c, 0, 0, 0, 1};
    const int which = (int)s[WHICH];
    (void)block;
    *m = (sn_drawn_mesh){5, 2, X, phi, 2, 2, line, triangle, {0, 0, 0.25}, {0}};
    memcpy(m->turn, R, sizeof R);
    if (which == 1) m->phi = NULL;
    if (which == 2) m->triangle = bad_triangle, m->n_triangle = 1;
    if (which == 3) m->X = bad_X, m->n_node = 3, m->n_line = m->n_triangle = 1, m->triangle = corners;
    if (which == 4) m->n_mode = 1;
    if (which == 5) m->n_triangle = 400001;
    if (which == 6) m->n_node = 0;
}
static const sn_geometry geometry = {.shape = SN_SHAPE_POINT, .symbol = "mass"};
static const sn_element_class blob = {
    .name = "blob",
    .doc = "a mass with a mesh",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .inner = inner,
    .flags = SN_USES_A,
    .eval = eval,
    .dparam = dparam,
    .geometry = &geometry,
    .mesh = mesh};

/* ---- runs ---- */

static char folder[64], file[96], heard[4096];

static void hear(void *ctx, const char *text)
{
    (void)ctx;
    snprintf(heard + strlen(heard), sizeof heard - strlen(heard), "%s\n", text);
}

static int begin_all(void **state)
{
    static const sn_element_class *const elements[] = {&blob, NULL};
    (void)state;
    sn_plugin p = {SN_PLUGIN_HEAD, .name = "blobs", .elements = elements};
    sn_err err;
    sn_err_clear(&err);
    snprintf(folder, sizeof folder, "/tmp/sinew_mesh_XXXXXX");
    if (!mkdtemp(folder)) return 1;
    snprintf(file, sizeof file, "%s/run.h5", folder);
    sn_status s = sn_plugin_add(&p, &err);
    print_reports(&err);
    return s != SN_OK;
}
static int end_all(void **state)
{
    (void)state;
    unlink(file);
    return rmdir(folder);
}

/* The result of a model. */
static sn_result_reader *run(const char *nodes, const char *elements)
{
    char text[1024];
    sn_model *m;
    sn_values *p;
    sn_err err;
    sn_result_reader *r = NULL;
    snprintf(text, sizeof text, "sinew: 1\nnodes: {%s}\nelements: {%s}\nrun: {end: 10 ms, step: 5 ms}\n",
             nodes, elements);
    sn_status s = read_whole(text, &m, &p, &err);
    print_reports(&err);
    assert_int_equal(s, SN_OK);
    sn_run_options o = sn_run_options_default(m, p);
    heard[0] = 0;
    o.message = hear;
    s = sn_run_file(m, p, &o, file, NULL, &err);
    if (!s) s = sn_result_open(file, &r, &err);
    print_reports(&err);
    assert_int_equal(s, SN_OK);
    sn_values_free(p);
    sn_model_free(m);
    return r;
}

static void check_table(sn_result_reader *r, const char *path, int rows, int cols, const double *want,
                        double tol)
{
    sn_result_table t;
    assert_int_equal(sn_result_reader_table(r, path, &t, NULL), SN_OK);
    assert_int_equal(t.rows, rows);
    if (rows) assert_int_equal(t.cols, cols);
    for (int i = 0; i < rows * cols; i++) assert_true(fabs(t.data[i] - want[i]) <= tol);
}

/* Of the elements a, b and c: mesh, nodes that move it, place and turn. */
static void check_rows(sn_result_reader *r)
{
    static const char *const node[] = {"p", "q", "r"}, *const modal[] = {"a.modes", "b.modes", NULL};
    sn_result_table t, n;
    assert_int_equal(sn_result_reader_table(r, "/model/meshes", &t, NULL), SN_OK);
    assert_int_equal(sn_result_reader_table(r, "/model/nodes/reference", &n, NULL), SN_OK);
    assert_int_equal(t.rows, 3);
    assert_int_equal(t.cols, 16);
    for (int i = 0; i < 3; i++) {
        const double *row = t.data + 16 * i, a = i ? 0 : acos(-1) / 2,
                     want[] = {0, 0, 0.25, cos(a), -sin(a), 0, sin(a), cos(a), 0, 0, 0, 1};
        assert_true(row[0] == i && row[1] == (i == 2));
        assert_string_equal(n.row_names[(int)row[2]], node[i]);
        if (modal[i])
            assert_string_equal(n.row_names[(int)row[3]], modal[i]);
        else
            assert_true(row[3] == -1);
        for (int k = 0; k < 12; k++) assert_true(fabs(row[4 + k] - want[k]) < 1e-15);
    }
}

/* Elements of one mesh share it, turned each in its own way; nodes that nothing needs are not stored. Numbers
   of meshes are in single precision. */
static void test_file(void **state)
{
    (void)state;
    sn_result_reader *r =
        run("p: [1, 2, 3], q: [0, 0, 0], r: [0, 1, 0], s: [2, 0, 0]",
            "a: {blob: p, angle: 90 deg}, b: {blob: q}, c: {blob: r, which: 1}, d: {blob: s, which: 6}");
    const double nodes[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.5}, lines[] = {0, 1, 2, 3},
                 triangles[] = {0, 1, 2, 0, 2, 3};
    double want[24];
    const int kept[] = {0, 1, 3, 4};
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++) want[12 * j + 3 * i + k] = phi[(3 * kept[i] + k) * 2 + j];
    check_table(r, "/model/mesh/0/nodes", 4, 3, nodes, 1e-7);
    check_table(r, "/model/mesh/0/modes", 2, 12, want, 1e-6);
    check_table(r, "/model/mesh/0/lines", 2, 2, lines, 0);
    check_table(r, "/model/mesh/0/triangles", 2, 3, triangles, 0);
    check_table(r, "/model/mesh/1/nodes", 4, 3, nodes, 1e-7);
    check_table(r, "/model/mesh/1/modes", 0, 0, NULL, 0);
    check_table(r, "/model/mesh/2/nodes", 0, 0, NULL, 0);
    check_rows(r);
    assert_string_equal(heard, "");
    sn_result_reader_close(r);
}

/* What makes no sense is told, and the rest is there. */
static void test_left_out(void **state)
{
    static const char *const why[] = {
        "it has corners that there are not", "it has numbers that are not finite",
        "it has another number of modes than the node that deforms it", "it is too large"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        char text[128], want[160];
        snprintf(text, sizeof text, "odd: {blob: p, which: %d}, good: {blob: q}", k + 2);
        snprintf(want, sizeof want, "the mesh of 'odd' will not be drawn from this result: %s", why[k]);
        sn_result_reader *r = run("p: [1, 2, 3], q: [0, 0, 0]", text);
        sn_result_table t;
        if (!strstr(heard, want)) fail_msg("no %s in %s", want, heard);
        assert_int_equal(sn_result_reader_table(r, "/model/meshes", &t, NULL), SN_OK);
        assert_int_equal(t.rows, 1);
        assert_true(t.data[0] == 1 && t.data[1] == 0);
        sn_result_reader_close(r);
    }
}

/* ---- places ---- */

/* x + R (place + turn (X + phi d)) of a node that is kept, as the kind says it. */
static void place(int i, const double *q, const double *d, double angle, double *x)
{
    const int kept[] = {0, 1, 3, 4}, at = kept[i];
    double own[3], R[9], c = cos(angle), s = sin(angle);
    for (int k = 0; k < 3; k++) {
        own[k] = X[3 * at + k];
        for (int j = 0; j < 2; j++) own[k] += phi[(3 * at + k) * 2 + j] * d[j];
    }
    const double turned[3] = {c * own[0] - s * own[1], s * own[0] + c * own[1], own[2] + 0.25};
    sn_quat_matrix(q + 3, R);
    sn_mul3(R, turned, x);
    for (int k = 0; k < 3; k++) x[k] += q[k];
}

/* Places, displacements from the reference and velocities in any state; these are derivatives of those. */
static void test_places(void **state)
{
    (void)state;
    sn_result_reader *r = run("p: [1, 2, 3]", "a: {blob: p, angle: 0.4 rad}");
    const double angle = 0.4, rest[9] = {1, 2, 3, 1}, none[2] = {0, 0},
                 v[8] = {0.3, -0.2, 0.5, 0.7, -1.1, 0.4, 0.6, -0.9}, h = 1e-5;
    double turn[3] = {0.3, -0.5, 0.8}, q[9] = {1.5, -2, 0.3, [7] = 0.2, 0.3}, x[12], u[12], w[12];
    sn_scene s;
    sn_err err;
    sn_err_clear(&err);
    sn_quat_exp(turn, q + 3);
    assert_int_equal(sn_scene_make(&s, r, &err), SN_OK);
    assert_int_equal(s.n_point, 4);
    assert_int_equal(s.n_cell, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(s.type[i], i < 2 ? SN_CELL_LINE : SN_CELL_TRIANGLE);
        assert_int_equal(s.group[i], SN_GROUP_BODY);
    }
    sn_scene_place(&s, q, v, x, u, w);
    for (int i = 0; i < 4; i++) {
        double at[3], from[3], side[2][3];
        place(i, q, q + 7, angle, at), place(i, rest, none, angle, from);
        for (int e = 0; e < 2; e++) {
            double q1[9], step = e ? h : -h, way[3], p[4];
            for (int k = 0; k < 3; k++) q1[k] = q[k] + step * v[k], way[k] = step * v[3 + k];
            sn_quat_exp(way, p), sn_quat_mul(q + 3, p, q1 + 3);
            for (int j = 0; j < 2; j++) q1[7 + j] = q[7 + j] + step * v[6 + j];
            place(i, q1, q1 + 7, angle, side[e]);
        }
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(x[3 * i + k] - at[k]) < 1e-6); /* single precision, numbers up to 6 */
            assert_true(fabs(u[3 * i + k] - at[k] + from[k]) < 1e-6);
            assert_true(fabs(w[3 * i + k] - (side[1][k] - side[0][k]) / (2 * h)) < 5e-6);
        }
    }
    sn_scene_free(&s);
    sn_result_reader_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_file), cmocka_unit_test(test_left_out),
                                       cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, begin_all, end_all);
}
