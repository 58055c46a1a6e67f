/* Constants that a kind reads from a file which an entry names: read once, seen by layout and all functions,
   freed with the model, remembered as an input; scalars beside them stay differentiable. */
#include "compile_kit.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "sinew/plugin.h"

/* net: r = factor K x of the x of its nodes, K from a file "n" and n x n numbers; unit masses. */
typedef struct matrix {
    int n;
    double *x;
} matrix;

static int readings;

static sn_status net_read(const char *path, sn_block *block, sn_err *err)
{
    FILE *f = fopen(path, "r");
    matrix *k = block->alloc(block, 1, sizeof *k);
    sn_status s = SN_OK;
    readings++;
    if (!f) return sn_fail(err, SN_ERR_FILE, NULL, "cannot be opened");
    if (!k || fscanf(f, "%d", &k->n) != 1 || k->n < 1 || k->n > SN_MAX_NODES)
        s = sn_fail(err, SN_ERR_INPUT, NULL, "does not begin with a number of nodes");
    if (!s && !(k->x = block->alloc(block, (size_t)(k->n * k->n), sizeof *k->x))) s = SN_ERR_MEMORY;
    for (int i = 0; !s && i < k->n * k->n; i++)
        if (fscanf(f, "%lf", &k->x[i]) != 1)
            s = sn_fail(err, SN_ERR_INPUT, NULL, "number %d is missing", i + 1);
    fclose(f);
    block->data = k;
    return s;
}

static sn_status net_layout(sn_layout *l, sn_err *err)
{
    const matrix *k = l->block;
    if (k->n == l->nn) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, NULL, "the file is of %d nodes, not of %d", k->n, l->nn);
}

static sn_status net_eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    const matrix *k = in->block;
    (void)C;
    for (int i = 0; i < in->nv; i++) {
        r[i] += in->a[i];
        if (K) M[i * in->nv + i] += 1;
    }
    for (int i = 0; i < k->n; i++)
        for (int j = 0; j < k->n; j++) {
            int row = in->offv[i], col = in->offv[j];
            r[row] += in->s[0] * k->x[k->n * i + j] * in->q[in->off[j]];
            if (K) K[row * in->nv + col] += in->s[0] * k->x[k->n * i + j];
        }
    return SN_OK;
}

static sn_status net_dparam(const sn_in *in, int index, double *dr)
{
    const matrix *k = in->block;
    for (int i = 0; index == 0 && i < k->n; i++)
        for (int j = 0; j < k->n; j++) dr[in->offv[i]] += k->x[k->n * i + j] * in->q[in->off[j]];
    return SN_OK;
}

static const sn_file net_file = {
    .key = "file", .doc = "a text file with the stiffness matrix", .read = net_read};
static const sn_slot factor[] = {{"factor", "", "of the matrix", 1, 0, 1, 0, SN_INFINITE, NULL},
                                 {.name = NULL}};
static const sn_element_class net = {
    .name = "net",
    .doc = "stiffness from a file",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = SN_MAX_NODES, .ask = SN_POSITION},
    .slots = factor,
    .file = &net_file,
    .flags = SN_USES_A,
    .layout = net_layout,
    .eval = net_eval,
    .dparam = net_dparam};

static char folder[] = "/tmp/sinew_file_block_XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int begin(void **state)
{
    static const sn_element_class *const elements[] = {&net, NULL};
    (void)state;
    if (!mkdtemp(folder)) return 1;
    write_file("two.txt", "2  3 -1  -1 3\n");
    write_file("short.txt", "2  3 -1  -1\n");
    write_file("other.txt", "matrix\n");
    write_file("part.yaml", "sinew: 1\nnodes: {a: [1, 0], b: [1, 1]}\n"
                            "elements: {n: {net: [a, b], file: two.txt, factor: 2}}\n");
    write_file("main.yaml", "sinew: 1\ninclude:\n  - {file: part.yaml, prefix: p_}\n"
                            "parameters: {f: 2}\n"
                            "nodes: {a: [1, 0], b: [1, 1], c: [1, 2], d: [1, 3]}\n"
                            "elements:\n  n: {net: [a, b], file: two.txt, factor: f}\n"
                            "  n2: {net: [c, d], file: two.txt, factor: 0}\n"
                            "sensors: {a: {position: a}, p: {position: p_a}}\n"
                            "run: {end: 1 s, step: 1 ms}\n");
    return sn_plugin_add(&(sn_plugin){SN_PLUGIN_HEAD, .name = "nets", .elements = elements}, NULL) != SN_OK;
}

static int end(void **state)
{
    char path[128];
    static const char *const name[] = {"two.txt", "short.txt", "other.txt", "part.yaml", "main.yaml"};
    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        unlink(path);
    }
    return rmdir(folder);
}

/* From the symmetric mode, w^2 = factor (3 - 1) = 4: x = cos(w t), dx/dfactor = -t sin(w t)/w. Steps of 1 ms:
   (w h)^2/12 w t = 7e-7 of x, twice that of its derivative by w. */
static void test_use(void **state)
{
    static const char *const of[] = {"p.x@1", "a.x@1"}, *const wrt[] = {"p_n.factor", "f"};
    char path[128];
    double y[2], g[4];
    sn_model *m;
    sn_values *p;
    sn_err err;
    (void)state;
    snprintf(path, sizeof path, "%s/main.yaml", folder);
    sn_err_clear(&err);
    readings = 0;
    sn_status s = sn_model_read(path, &m, &err);
    if (!s) s = sn_values_new(m, &p, &err);
    print_reports(&err);
    assert_int_equal(s, SN_OK);
    assert_int_equal(readings, 1);
    sn_gradient_options o = sn_gradient_options_default(m, p);
    o.of = of, o.n_of = 2, o.wrt = wrt, o.n_wrt = 2;
    for (int method = SN_GRADIENT_FORWARD; method <= SN_GRADIENT_ADJOINT; method++) {
        o.method = (sn_gradient_method)method;
        s = sn_gradient(m, p, &o, &(sn_gradient_result){.value = y, .gradient = g}, NULL, &err);
        print_reports(&err);
        assert_int_equal(s, SN_OK);
        for (int i = 0; i < 2; i++) {
            assert_true(fabs(y[i] - cos(2)) < 2e-6 && fabs(g[3 * i] + sin(2) / 2) < 2e-6);
            assert_true(g[2 - i] == 0);
        }
    }
    /* the file is an input: no output may take its place */
    snprintf(path, sizeof path, "%s/two.txt", folder);
    assert_int_equal(sn_run_file(m, p, &o.run, path, NULL, &err), SN_ERR_INPUT);
    sn_values_free(p);
    sn_model_free(m);
}

static void refuse(const char *entry, int col, const char *text)
{
    char model[256];
    sn_model *m = NULL;
    sn_err err;
    snprintf(model, sizeof model, "sinew: 1\nnodes: {a: [1, 0], b: [1, 1]}\nelements: {n: {net: [a, b]%s}}\n",
             entry);
    char name[64];
    snprintf(name, sizeof name, "%s/model.yaml", folder);
    sn_err_clear(&err);
    assert_int_not_equal(sn_model_read_text(name, model, strlen(model), &m, &err), SN_OK);
    print_reports(&err);
    assert_null(m);
    assert_int_equal(err.count, 1);
    assert_int_equal(err.report[0].line, 3);
    assert_int_equal(err.report[0].col, col);
    assert_non_null(strstr(err.report[0].text, text));
}

static void test_refusals(void **state)
{
    (void)state;
    refuse("", 12, "net 'n': 'file' is missing (a text file with the stiffness matrix)");
    refuse(", file: [a]", 35, "'file' is the name of a file");
    refuse(", file: none.txt", 35, "none.txt: cannot be opened");
    refuse(", file: short.txt", 35, "short.txt: number 4 is missing");
    refuse(", file: other.txt", 35, "other.txt: does not begin with a number of nodes");
    refuse(", files: two.txt, file: two.txt", 29, "unknown key 'files' (did you mean 'file'?)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_use), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, begin, end);
}
