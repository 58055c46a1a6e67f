/* Libraries that are not made for threads, behind functions that are: MUMPS, ARPACK, HDF5, libmatio. Four
   threads with values and files of their own get bit for bit what they get one after the other, and
   derivatives and estimates do not depend on the number of threads. */
#include "identify_kit.h"

#include "base/h5_load.h"
#include "io/mat_load.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS = 4, ROUNDS = 2, MOST = 4096 };

/* n x n nodes joined by beams, standing on the ground: factors as MUMPS likes them. */
static char *grid(int n)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    fputs("sinew: 1\ngravity: [0, -9.81]\n"
          "parameters: {EA: 1e5 N, EI: 20 N*m^2, rhoA: 0.5 kg/m}\nnodes:\n",
          f);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) fprintf(f, "  n%d_%d: [%g, %g]\n", i, j, 0.1 * i, 0.1 * j);
    fputs("elements:\n", f);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const char *numbers = "EA: EA, EI: EI, rhoA: rhoA";
            if (i + 1 < n)
                fprintf(f, "  h%d_%d: {beam2d_cr: [n%d_%d, n%d_%d], %s}\n", i, j, i, j, i + 1, j, numbers);
            if (j + 1 < n)
                fprintf(f, "  v%d_%d: {beam2d_cr: [n%d_%d, n%d_%d], %s}\n", i, j, i, j, i, j + 1, numbers);
        }
    fputs("joints:\n", f);
    for (int i = 0; i < n; i++) fprintf(f, "  g%d: {fixed: n%d_0}\n", i, i);
    fprintf(f,
            "sensors: {tip: {position: n%d_%d}, mid: {position: n%d_%d}}\n"
            "run: {end: 10 ms, step: 1 ms, output: 1 ms, solver: mumps}\n",
            n - 1, n - 1, n / 2, n / 2);
    fclose(f);
    return text;
}

/* ---- the same by several threads ---- */

typedef struct task task;
typedef sn_status job(task *t, const sn_values *p, sn_err *err);
struct task {
    const sn_model *m;
    job *job;
    pthread_barrier_t *start;
    int number;
    sn_status status;
    int n;
    double y[MOST];
    char why[SN_ERR_TEXT];
};

static void put(task *t, int n, const double *y)
{
    for (int i = 0; i < n && t->n < MOST; i++) t->y[t->n++] = y[i];
}

static void *work(void *ctx)
{
    task *t = ctx;
    sn_err err;
    sn_values *p = NULL;
    sn_err_clear(&err);
    t->n = 0;
    t->status = sn_values_new(t->m, &p, &err);
    if (!t->status) t->status = sn_values_set_number(p, "EI", 20 + t->number, &err);
    if (!t->status) t->status = sn_values_update(p, &err);
    if (t->start) pthread_barrier_wait(t->start);
    if (!t->status) t->status = t->job(t, p, &err);
    if (t->status) snprintf(t->why, sizeof t->why, "%s", err.count ? err.report[0].text : "?");
    sn_values_free(p);
    return NULL;
}

static void compare(const sn_model *m, job *what)
{
    static task alone[THREADS], together[THREADS];
    pthread_t id[THREADS];
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        alone[i].m = m, alone[i].job = what, alone[i].number = i;
        work(&alone[i]);
        if (alone[i].status) fail_msg("%d alone: %s", i, alone[i].why);
        assert_true(alone[i].n > 0 && alone[i].n < MOST);
    }
    assert_memory_not_equal(alone[0].y, alone[1].y, sizeof(double) * (size_t)alone[0].n);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < THREADS; i++) {
            together[i].m = m, together[i].job = what, together[i].number = i, together[i].start = &start;
            assert_int_equal(pthread_create(&id[i], NULL, work, &together[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) pthread_join(id[i], NULL);
        for (int i = 0; i < THREADS; i++) {
            if (together[i].status) fail_msg("thread %d: %s", i, together[i].why);
            assert_int_equal(together[i].n, alone[i].n);
            assert_memory_equal(together[i].y, alone[i].y, sizeof(double) * (size_t)alone[i].n);
        }
    }
    pthread_barrier_destroy(&start);
}

/* ---- MUMPS, ARPACK ---- */

static sn_status keep_frame(void *ctx, const sn_frame *f, sn_err *err)
{
    task *t = ctx;
    (void)err;
    put(t, sn_channel_count(t->m), f->y);
    return SN_OK;
}

static sn_status run(task *t, const sn_values *p, sn_err *err)
{
    sn_run_options o = sn_run_options_default(t->m, p);
    sn_info info;
    o.frame = keep_frame, o.ctx = t;
    return sn_run(t->m, p, &o, &info, err);
}

static sn_status keep_mode(void *ctx, int i, const sn_mode *mode, const sn_frame *state, sn_err *err)
{
    (void)i, (void)state, (void)err;
    put(ctx, 1, &mode->omega);
    return SN_OK;
}

static sn_status modes(task *t, const sn_values *p, sn_err *err)
{
    sn_mode_options o = sn_mode_options_default(t->m, p);
    int found;
    o.run.solver = "klu", o.method = "arpack", o.n = 6, o.mode = keep_mode, o.ctx = t;
    for (int turn = 0; turn < 10; turn++) SN_TRY(sn_modes(t->m, p, &o, &found, err));
    return SN_OK;
}

/* ---- HDF5, libmatio ---- */

#undef H5Fopen
#undef H5Fcreate
#undef H5Fclose
#undef H5Dopen2
#undef Mat_VarAddStructField

/* Some builds of HDF5 lock themselves, so that calls at the same time do no harm here. They are caught in the
   act: each of these stays in the library for a while and looks who else is there. */
static atomic_int in_h5, in_mat, met;
static sn_h5_table h5_real;
static sn_mat_table mat_real;

static void look(atomic_int *in)
{
    if (atomic_fetch_add(in, 1)) atomic_fetch_add(&met, 1);
    for (int i = 0; i < 2; i++) sched_yield();
    atomic_fetch_sub(in, 1);
}

static hid_t watched_open(const char *name, unsigned flags, hid_t access)
{
    look(&in_h5);
    return h5_real.H5Fopen(name, flags, access);
}

static hid_t watched_create(const char *name, unsigned flags, hid_t create, hid_t access)
{
    look(&in_h5);
    return h5_real.H5Fcreate(name, flags, create, access);
}

static herr_t watched_close(hid_t file)
{
    look(&in_h5);
    return h5_real.H5Fclose(file);
}

static hid_t watched_set(hid_t file, const char *name, hid_t access)
{
    look(&in_h5);
    return h5_real.H5Dopen2(file, name, access);
}

static int watched_field(matvar_t *s, const char *field)
{
    look(&in_mat);
    return mat_real.Mat_VarAddStructField(s, field);
}

static void watch(void)
{
    kit_tell(NULL, sn_h5_load(NULL));
    kit_tell(NULL, sn_mat_load(NULL));
    h5_real = sn_h5, mat_real = sn_mat;
    sn_h5.H5Fopen = watched_open, sn_h5.H5Fcreate = watched_create, sn_h5.H5Fclose = watched_close;
    sn_h5.H5Dopen2 = watched_set;
    sn_mat.Mat_VarAddStructField = watched_field;
}

/* A file's bytes as numbers, but for what is the path's and the clock's: what comes first. */
static sn_status put_file(task *t, const char *path, long skip)
{
    unsigned char byte[512];
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, skip, SEEK_SET)) return SN_ERR_FILE;
    double sum = 0, all = 0;
    for (size_t n; (n = fread(byte, 1, sizeof byte, f)) > 0;)
        for (size_t i = 0; i < n; i++) sum = sum * 31 + byte[i], sum -= floor(sum / 1e12) * 1e12, all++;
    fclose(f);
    put(t, 1, &sum), put(t, 1, &all);
    return SN_OK;
}

static sn_status files(task *t, const sn_values *p, sn_err *err)
{
    sn_run_options o = sn_run_options_default(t->m, p);
    sn_info info;
    char h5[128], csv[128], mat[128], pvd[128], page[128];
    snprintf(h5, sizeof h5, "%s/%d.h5", kit_folder, t->number);
    snprintf(csv, sizeof csv, "%s/%d.csv", kit_folder, t->number);
    snprintf(mat, sizeof mat, "%s/%d.mat", kit_folder, t->number);
    snprintf(pvd, sizeof pvd, "%s/%d.pvd", kit_folder, t->number);
    snprintf(page, sizeof page, "%s/%d.html", kit_folder, t->number);
    o.solver = "klu", o.end = 2 * o.step;
    for (int turn = 0; turn < 2; turn++) {
        SN_TRY(sn_run_file(t->m, p, &o, h5, &info, err));
        SN_TRY(sn_result_csv(h5, csv, 1, 1, err));
        SN_TRY(sn_result_mat(h5, mat, err));
        SN_TRY(put_file(t, csv, 0));
        SN_TRY(put_file(t, mat, 128));
    }
    SN_TRY(sn_result_vtk(h5, pvd, err));
    SN_TRY(sn_result_page(h5, page, err));
    return put_file(t, page, 0);
}

/* Not a result: every thread gets its own failure. */
static sn_status broken(task *t, const sn_values *p, sn_err *err)
{
    char path[128];
    sn_err own;
    double status, number = t->number;
    (void)p, (void)err;
    snprintf(path, sizeof path, "%s/broken%d.h5", kit_folder, t->number);
    FILE *f = fopen(path, "wb");
    if (!f) return SN_ERR_FILE;
    fwrite("\x89HDF\r\n\x1a\n and no more", 1, 20, f);
    fclose(f);
    put(t, 1, &number);
    for (int i = 0; i < 5; i++) {
        sn_err_clear(&own);
        status = sn_result_csv(path, "/dev/null", 0, 0, &own);
        put(t, 1, &status);
        if (!strstr(own.report[0].file, path)) return SN_ERR_BUG;
    }
    return SN_OK;
}

static void compare_on(int size, job *what)
{
    sn_model *m;
    sn_err err;
    char *text = grid(size);
    sn_err_clear(&err);
    kit_tell(&err, sn_model_read_text("grid.yaml", text, strlen(text), &m, &err));
    compare(m, what);
    sn_model_free(m);
    free(text);
}

static void test_mumps(void **state)
{
    (void)state;
    compare_on(8, run);
}

static void test_arpack(void **state)
{
    (void)state;
    compare_on(6, modes);
}

static void test_files(void **state)
{
    (void)state;
    watch();
    compare_on(2, files);
    compare_on(2, broken);
    assert_int_equal(atomic_load(&met), 0);
    sn_h5 = h5_real, sn_mat = mat_real;
}

/* ---- threads of the library ---- */

static void test_gradient(void **state)
{
    (void)state;
    const char *const of[] = {"tip.y", "mid.y"}, *const wrt[] = {"EA", "EI", "rhoA"};
    double value[2], one[6], four[6];
    sn_model *m;
    sn_values *p;
    sn_err err;
    char *text = grid(8);
    sn_err_clear(&err);
    kit_tell(&err, sn_model_read_text("grid.yaml", text, strlen(text), &m, &err));
    kit_tell(&err, sn_values_new(m, &p, &err));
    sn_gradient_options o = sn_gradient_options_default(m, p);
    o.of = of, o.n_of = 2, o.wrt = wrt, o.n_wrt = 3, o.method = SN_GRADIENT_FORWARD;
    o.threads = 1;
    kit_tell(&err, sn_gradient(m, p, &o, &(sn_gradient_result){value, one, NULL, NULL}, NULL, &err));
    for (int i = 0; i < ROUNDS; i++) {
        o.threads = 3;
        kit_tell(&err, sn_gradient(m, p, &o, &(sn_gradient_result){value, four, NULL, NULL}, NULL, &err));
        assert_memory_equal(four, one, sizeof one);
    }
    sn_values_free(p), sn_model_free(m);
    free(text);
}

static void test_identify(void **state)
{
    (void)state;
    char *text = grid(3);
    kit_put("grid.yaml", text);
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.csv", i);
        kit_measure(name, &(kit_data){.model = "grid.yaml",
                                      .channels = "tip.x tip.y",
                                      .end = 0.004,
                                      .dt = 0.001,
                                      .sigma = 1e-7,
                                      .seed = (uint64_t)i});
    }
    const char *study = "study: 1\nmodel: grid.yaml\n"
                        "experiments: {a: {data: 0.csv}, b: {data: 1.csv}, c: {data: 2.csv}}\n"
                        "unknowns: {EI: {start: 30, bounds: [1, 100]}}\n"
                        "starts: 2\n";
    kit_fit one = kit_solve_by(study, NULL, 1), four = kit_solve_by(study, NULL, THREADS);
    assert_true(kit_value_of(&one, "EI") == kit_value_of(&four, "EI"));
    kit_is("EI", kit_value_of(&four, "EI"), 20, 6 * kit_error_of(&four, "EI"));
    kit_drop(&one), kit_drop(&four);
    free(text);
}

/* MUMPS ends a program with status 0, which must not pass for success. */
static int finished;

static void check_finished(void)
{
    if (!finished) _exit(3);
}

int main(void)
{
    atexit(check_finished);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mumps), cmocka_unit_test(test_arpack),
                                       cmocka_unit_test(test_files), cmocka_unit_test(test_gradient),
                                       cmocka_unit_test(test_identify)};
    int failures = cmocka_run_group_tests(tests, kit_begin, kit_end);
    finished = 1;
    return failures;
}
