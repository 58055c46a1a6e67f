/* Exports for ParaView and MATLAB on results written by hand: partial ones, ones without anything to draw,
   damaged ones, failing allocations. What is in the files is tested by tests/cli/test_export.sh. */
#include "unit/result_kit.h"

enum { NQ = 3 + 7 + 1 + 3, NV = 3 + 6 + 1, NODES = 4, SHAPE = 16 };

static const char *const node_name[] = {"a", "b", "z", "ground"};
static const char *const v_name[] = {"a.x", "a.y",  "a.theta", "b.x",  "b.y",
                                     "b.z", "b.rx", "b.ry",    "b.rz", "z.z"};
static const char *const element_name[] = {"beam2d_cr:bar", "mass3d:body", "lag:slow", "mass3d:odd",
                                           "mass3d:wheel"};
static const char *const joint_name[] = {"fixed:base"};
static const char *const shape_name[] = {"box:body", "stl:odd:odd.stl", "cylinder:wheel"};
static const sn_result_column scene_columns[] = {
    {"/sensors/a.b", 1, kinetic, joule, NULL}, {"/sensors/a_b", 1, kinetic, joule, NULL},
    {"/sensors/9", 1, NULL, NULL, NULL},       {"/states/q", NQ, NULL, NULL, NULL},
    {"/states/v", NV, v_name, NULL, NULL},     {"/states/lam", 0, NULL, NULL, NULL}};

/* A planar beam from a to the ground, bodies at b, a first-order state, one joint. */
typedef struct model {
    double ref[3 * NODES], shape[3 * SHAPE], point[6];
    int at[2 * NODES], element[2 * 5], joint[2];
} model;

static model new_model(void)
{
    model m = {.ref = {1, 0, 0, 0, 2, 0},
               .shape = {[0] = 1,
                         [4] = 1,
                         [8] = 1,
                         [12] = 1,
                         [13] = 1,
                         2,
                         3,
                         [SHAPE] = 3,
                         [SHAPE + 4] = 1,
                         [SHAPE + 8] = 1,
                         [SHAPE + 12] = 1,
                         1,
                         [2 * SHAPE] = 4,
                         [2 * SHAPE + 4] = 1,
                         [2 * SHAPE + 8] = 1,
                         [2 * SHAPE + 12] = 1,
                         1,
                         1,
                         0.5},
               .at = {0, 0, 3, 3, 10, 9, 11, -1},
               .element = {0, 3, 1, -1, 2, 0, 1, -1, 1, -1},
               .joint = {3, -1},
               .point = {0, 1, 0, 0.1, 0.2, 0.3}};
    return m;
}

static void write_scene(fixture *f, const model *m, int room, int frames)
{
    const sn_result_array a[] = {{"/model/nodes/reference", NODES, 3, m->ref, NULL, node_name, "m"},
                                 {"/model/nodes/index", NODES, 2, NULL, m->at, node_name, NULL},
                                 {"/model/elements", 5, 2, NULL, m->element, element_name, NULL},
                                 {"/model/joints", 1, 2, NULL, m->joint, joint_name, NULL},
                                 {"/model/shapes", 3, SHAPE, m->shape, NULL, shape_name, NULL},
                                 {"/model/points", 1, 6, m->point, NULL, NULL, NULL}};
    const sn_result_layout l = {room, "/time", "s", 6, 4, 6, scene_columns, texts, a, 0, 0};
    const double y[3] = {1, 2, 3}, q[NQ] = {1, 1, 0.1, 0, 2, 0, 1}, v[NV] = {1, 2, 3};
    sn_result *w;
    check_ok(f, sn_result_create(f->path, &l, &w, &f->err));
    for (int i = 0; i < frames; i++)
        check_ok(f, sn_result_frame(w, i, (const double *const[]){y, y + 1, y + 2, q, v, NULL}, &f->err));
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
    struct {
        int *number, value;
        const char *part;
    } bad[6];
    model m = good;
    bad[0].number = &m.at[1], bad[0].value = NV, bad[0].part = "/model/nodes/index";
    bad[1].number = &m.at[2], bad[1].value = NQ - 3, bad[1].part = "/model/nodes/index";
    bad[2].number = &m.at[0], bad[2].value = -1, bad[2].part = "/model/nodes/index";
    bad[3].number = &m.element[1], bad[3].value = NODES, bad[3].part = "/model/elements";
    bad[4].number = &m.joint[0], bad[4].value = -2, bad[4].part = "/model/joints";
    bad[5].number = &m.at[3], bad[5].value = 4, bad[5].part = "/model/nodes/index";
    for (int i = 0; i < 6; i++) {
        m = good;
        *bad[i].number = bad[i].value;
        write_scene(f, &m, 1, 1);
        check_fails(f, vtk(f), SN_ERR_FILE, bad[i].part);
    }
    for (int i = 0; i < 2; i++) {
        m = good;
        m.shape[0] = i ? 1.5 : 5;
        write_scene(f, &m, 1, 1);
        check_fails(f, vtk(f), SN_ERR_FILE, "/model/shapes");
    }
    for (int i = 0; i < 3; i++) {
        m = good;
        m.point[i == 2 ? 2 : 1] = i == 0 ? 5 : i == 1 ? 0.5 : 2;
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
