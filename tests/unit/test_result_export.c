/* Exports for ParaView and MATLAB on results written by hand: partial ones, ones without anything to draw,
   damaged ones, failing allocations. What is in the files is tested by tests/cli/test_export.sh. */
#include "unit/result_kit.h"

#include "sinew/class.h"

enum { NQ = 3 + 7 + 1 + 3, NV = 3 + 6 + 1, NODES = 4, INDEX = 9, ELEMENTS = 6, LOOKS = 4, SHAPE = 17 };

static const char *const node_name[] = {"a", "b", "z", "ground"};
static const char *const element_name[] = {"long:bar", "body:body",  "slow:slow",
                                           "body:odd", "body:wheel", "flat:plate"};
static const char *const joint_name[] = {"clamped:base"};
static const char *const shape_name[] = {"block:body", "file:odd:odd.stl", "round:wheel"};
static const char *const symbol[] = {"", "", "mass", ""};
static const char *const number[] = {""}, *const style = "plain", *const of = "elements",
                         *const force_style = "force", *const of_joints = "joints",
                         *const force[] = {"fx", "fy", "fz", "mx", "my", "mz"};
static const sn_result_label stress_label[] = {
    {"components", 1, number}, {"style", -1, &style}, {"of", -1, &of}, {NULL, 0, NULL}};
static const sn_result_label force_label[] = {
    {"components", 6, force}, {"style", -1, &force_style}, {"of", -1, &of_joints}, {NULL, 0, NULL}};
static const sn_result_column scene_columns[] = {
    {"/sensors/a.b", 1, kinetic, joule, NULL}, {"/sensors/a_b", 1, kinetic, joule, NULL},
    {"/sensors/9", 1, NULL, NULL, NULL},       {"/states/q", NQ, NULL, NULL, NULL},
    {"/states/v", NV, NULL, NULL, NULL},       {"/states/lam", 0, NULL, NULL, NULL},
    {"/fields/stress", 7, NULL, NULL, NULL},   {"/fields/reaction", 6, NULL, NULL, NULL}};

/* A planar beam from a to the ground, bodies at b, a first-order state, a plate, one joint. */
typedef struct model {
    double ref[3 * NODES], shape[3 * SHAPE], point[6], surface[2];
    int at[INDEX * NODES], element[3 * ELEMENTS], joint[3], node[12], look[2 * LOOKS], stress[6], reaction[2];
} model;

static model new_model(void)
{
    model m = {.ref = {1, 0, 0, 0, 2, 0},
               .shape = {[0] = 1,
                         SN_SOLID_BOX,
                         [5] = 1,
                         [9] = 1,
                         [13] = 1,
                         1,
                         2,
                         3,
                         [SHAPE] = 3,
                         SN_SOLID_TRIANGLES,
                         [SHAPE + 5] = 1,
                         [SHAPE + 9] = 1,
                         [SHAPE + 13] = 1,
                         1,
                         [2 * SHAPE] = 4,
                         SN_SOLID_CYLINDER,
                         [2 * SHAPE + 5] = 1,
                         [2 * SHAPE + 9] = 1,
                         [2 * SHAPE + 13] = 1,
                         1,
                         1,
                         0.5},
               .at = {0,  0, 3, 3, 2, 0,  0,  2,  2,  3,  3,  7, 6, 3, 0, 0, 3,  3,
                      10, 9, 1, 1, 0, -1, -1, -1, -1, 11, -1, 3, 3, 3, 0, 0, -1, -1},
               .look = {SN_SHAPE_NONE, SN_STRAIGHT, SN_SHAPE_LINE, SN_CUBIC, SN_SHAPE_POINT, SN_STRAIGHT,
                        SN_SHAPE_QUADRILATERAL, SN_STRAIGHT},
               .node = {0, 3, 1, 2, 0, 1, 0, 1, 3, 1, 1, 3},
               .element = {0, 2, 1, 2, 1, 2, 3, 2, 0, 5, 1, 2, 9, 1, 2, 6, 4, 3},
               .joint = {11, 1, 0},
               .point = {0, 1, 0, 0.1, 0.2, 0.3},
               .surface = {5, 0.01},
               .stress = {0, 2, 1, 1, 5, 4},
               .reaction = {0, 1}};
    return m;
}

static void write_scene(fixture *f, const model *m, int room, int frames)
{
    const sn_result_array a[] = {{"/model/nodes/reference", NODES, 3, m->ref, NULL, node_name, "m", NULL},
                                 {"/model/nodes/index", NODES, INDEX, NULL, m->at, node_name, NULL, NULL},
                                 {"/model/connectivity", 12, 1, NULL, m->node, NULL, NULL, NULL},
                                 {"/model/geometry", LOOKS, 2, NULL, m->look, symbol, NULL, NULL},
                                 {"/model/elements", ELEMENTS, 3, NULL, m->element, element_name, NULL, NULL},
                                 {"/model/joints", 1, 3, NULL, m->joint, joint_name, NULL, NULL},
                                 {"/model/shapes", 3, SHAPE, m->shape, NULL, shape_name, NULL, NULL},
                                 {"/model/surfaces", 1, 2, m->surface, NULL, NULL, NULL, NULL},
                                 {"/model/points", 1, 6, m->point, NULL, NULL, NULL, NULL},
                                 {"/model/fields/stress", 3, 2, NULL, m->stress, NULL, "Pa", stress_label},
                                 {"/model/fields/reaction", 1, 2, NULL, m->reaction, NULL, "N", force_label}};
    const sn_result_layout l = {room, "/time", "s", 8, 4, 11, scene_columns, texts, a, 2, 0};
    const double y[3] = {1, 2, 3}, q[NQ] = {1, 1, 0.1, 0, 2, 0, 1}, v[NV] = {1, 2, 3},
                 stress[] = {1, 2, 3, 4, 5, 6, 7};
    sn_result *w;
    check_ok(f, sn_result_create(f->path, &l, &w, &f->err));
    for (int i = 0; i < frames; i++)
        check_ok(f, sn_result_frame(
                        w, i, (const double *const[]){y, y + 1, y + 2, q, v, NULL, stress, stress}, &f->err));
    check_ok(f, sn_result_flush(w, &f->err));
    check_ok(f, sn_result_close(w, SN_RESULT_INTERRUPTED, &f->err));
}

typedef sn_status exporter(sn_result_reader *r, const char *path, sn_err *err);

static sn_status try_export(fixture *f, exporter *export, const char *ending)
{
    char path[160];
    sn_result_reader *r;
    SN_TRY(sn_result_open(f->path, &r, &f->err));
    snprintf(path, sizeof path, "%s/out%s", f->dir, ending);
    sn_status s = export(r, path, &f->err);
    sn_result_reader_close(r);
    return s;
}

static sn_status vtk(fixture *f) { return try_export(f, sn_result_export_vtk, ".pvd"); }
static sn_status mat(fixture *f) { return try_export(f, sn_result_export_mat, ".mat"); }

/* Frames in the folder, which is removed with them. */
static int take_frames(fixture *f)
{
    char dir[72];
    snprintf(dir, sizeof dir, "%s/out", f->dir);
    if (access(dir, F_OK) != 0) return 0;
    int n = files_in(dir, 1);
    rmdir(dir);
    return n;
}

static void partial(void **state)
{
    fixture *f = *state;
    model m = new_model();
    write_scene(f, &m, 100, 3);
    check_ok(f, vtk(f));
    assert_int_equal(take_frames(f), 3);
    check_ok(f, mat(f));
    assert_int_equal(files_in(f->dir, 0), 3);
}

static void nothing_there(void **state)
{
    fixture *f = *state;
    model m = new_model();
    write_scene(f, &m, 5, 0);
    check_fails(f, vtk(f), SN_ERR_INPUT, "has no frames yet");
    check_ok(f, mat(f));
    write_run(f, f->path, 4, 4, SN_RESULT_COMPLETE);
    check_fails(f, vtk(f), SN_ERR_INPUT, "nothing to draw");
    check_ok(f, mat(f));
    check_fails(f, try_export(f, sn_result_export_vtk, ".vtu"), SN_ERR_INPUT, "must end with .pvd");
    assert_int_equal(take_frames(f), 0);
}

static void damaged(void **state)
{
    fixture *f = *state;
    const model good = new_model();
    model m = good;
    struct {
        int *number, value;
        const char *part;
    } bad[] = {{&m.at[1], NV, "/model/nodes/index"},
               {&m.at[INDEX], NQ - 3, "/model/nodes/index"},
               {&m.at[0], -1, "/model/nodes/index"},
               {&m.at[INDEX + 1], 5, "/model/nodes/index"},
               {&m.at[4], 4, "/model/nodes/index"},
               {&m.at[5], 2, "/model/nodes/index"},
               {&m.at[7], 3, "/model/nodes/index"},
               {&m.at[INDEX + 7], 4, "/model/nodes/index"},
               {&m.at[INDEX + 2], -1, "/model/nodes/index"},
               {&m.node[1], NODES, "/model/elements"},
               {&m.node[11], -2, "/model/joints"},
               {&m.element[1], 1, "/model/elements"},
               {&m.element[1], 13, "/model/elements"},
               {&m.element[2], LOOKS, "/model/elements"},
               {&m.element[0], -1, "/model/elements"},
               {&m.look[2], 9, "/model/elements"},
               {&m.stress[1], 3, "does not fit"},
               {&m.stress[0], ELEMENTS, "'stress'"},
               {&m.stress[3], 0, "does not fit"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        m = good;
        *bad[i].number = bad[i].value;
        write_scene(f, &m, 1, 1);
        check_fails(f, vtk(f), SN_ERR_FILE, bad[i].part);
    }
    for (int i = 0; i < 2; i++) {
        m = good;
        m.shape[0] = i ? 1.5 : ELEMENTS;
        write_scene(f, &m, 1, 1);
        check_fails(f, vtk(f), SN_ERR_FILE, "/model/shapes");
    }
    for (int i = 0; i < 3; i++) {
        m = good;
        m.point[i == 2 ? 2 : 1] = i == 0 ? ELEMENTS : i == 1 ? 0.5 : 2;
        write_scene(f, &m, 1, 1);
        check_fails(f, vtk(f), SN_ERR_FILE, "/model/points");
    }
    assert_int_equal(take_frames(f), 0);
    assert_int_equal(files_in(f->dir, 0), 1);
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

static void failing_allocations(void **state)
{
    fixture *f = *state;
    sn_status (*const job[])(fixture *) = {vtk, mat};
    const sn_allocator failing = {failing_alloc, counted_release, NULL};
    model m = new_model();
    write_scene(f, &m, 3, 3);
    for (int k = 0; k < 2; k++) {
        sn_set_allocator(&failing);
        int n = 0, failed = 0;
        for (;; n++) {
            fail_at = n, calls = live = 0;
            sn_err_clear(&f->err);
            sn_status s = job[k](f);
            assert_int_equal(live, 0);
            if (calls <= n) {
                assert_int_equal(s, SN_OK);
                break;
            }
            assert_true(s == SN_OK || s == SN_ERR_MEMORY);
            if (s == SN_ERR_MEMORY) assert_int_equal(f->err.status, SN_ERR_MEMORY);
            failed += s == SN_ERR_MEMORY;
        }
        sn_set_allocator(NULL);
        assert_in_range(failed, 10, n);
    }
    assert_int_equal(take_frames(f), 3);
    assert_int_equal(files_in(f->dir, 0), 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {TEST(partial), TEST(nothing_there), TEST(damaged),
                                       TEST(failing_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
