/* Memory of reductions and of the reading of reduced bodies: each allocation is made to fail in turn. The
   answer must be "out of memory" with one report, or a good result; nothing may stay behind, no file either.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "counted.h"
#include "model/reduced_body.h"
#include "sinew/sinew.h"

static char folder[64];
static const char *const files[] = {"rod.yaml", "nodes.csv", "mesh.inp", "M.mtx", "K.mtx",
                                    "rows.dof", "body.h5",   "bulk.pch", "K.op4"};
enum { MODEL, NODES, MESH, MASS, STIFFNESS, ROWS, BODY, BULK, OP4, FILES };
static char path[FILES][96];

typedef sn_status job(sn_err *err);

/* Two beams that a joint holds together */
static sn_status of_model(sn_err *err)
{
    sn_reduce_options o = sn_reduce_options_default();
    o.model = path[MODEL], o.interfaces = "a, b", o.modes = 2, o.up_to = 3;
    return sn_reduce(&o, path[BODY], err);
}

static sn_status about_equilibrium(sn_err *err)
{
    sn_reduce_options o = sn_reduce_options_default();
    o.model = path[MODEL], o.interfaces = "a, b", o.modes = 2, o.free = 1, o.at_static = 1;
    return sn_reduce(&o, path[BODY], err);
}

static sn_status of_files(sn_err *err)
{
    sn_reduce_options o = sn_reduce_options_default();
    const char *const place[] = {"one=0,0,0"};
    o.mass = path[MASS], o.stiffness = path[STIFFNESS], o.nodes = path[NODES], o.dofs = path[ROWS];
    o.interfaces = "one=1", o.points = "two=2", o.modes = 0, o.n_place = 1, o.place = place;
    return sn_reduce(&o, path[BODY], err);
}

static sn_status of_mesh(sn_err *err)
{
    sn_reduce_options o = sn_reduce_options_default();
    o.mass = path[MASS], o.stiffness = path[STIFFNESS], o.nodes = path[MESH], o.dofs = path[ROWS];
    o.interfaces = "left", o.modes = 0;
    return sn_reduce(&o, path[BODY], err);
}

static sn_status of_nastran(sn_err *err)
{
    sn_reduce_options o = sn_reduce_options_default();
    char mass[120], stiffness[120];
    snprintf(mass, sizeof mass, "%s:M", path[BULK]),
        snprintf(stiffness, sizeof stiffness, "%s:K", path[BULK]);
    o.mass = mass, o.stiffness = stiffness, o.nodes = path[BULK];
    o.interfaces = "one=1", o.modes = 0;
    return sn_reduce(&o, path[BODY], err);
}

static sn_status of_op4(sn_err *err)
{
    sn_reduce_options o = sn_reduce_options_default();
    o.mass = path[MASS], o.stiffness = path[OP4], o.nodes = path[NODES], o.dofs = path[ROWS];
    o.interfaces = "one=1", o.modes = 0;
    return sn_reduce(&o, path[BODY], err);
}

static void *take(sn_block *b, size_t n, size_t size) { return sn_arena_alloc(b->owner, n, size); }

static sn_status read_back(sn_err *err)
{
    sn_arena arena = {0};
    sn_block block = {.alloc = take, .owner = &arena};
    sn_status s = sn_reduced_body_read(path[BODY], &block, err);
    sn_arena_free(&arena);
    return s;
}

static void fail_each(job *f, int keep)
{
    counter c = {0};
    const sn_allocator a = {counted, released, &c};
    sn_err err;
    sn_err_clear(&err);
    if (f(&err)) fail_msg("%s", err.report[0].text); /* libraries are loaded */
    if (!keep) unlink(path[BODY]);
    sn_set_allocator(&a);
    assert_int_equal(f(&err), SN_OK);
    const long calls = c.calls;
    assert_int_equal(c.live, 0);
    for (long k = 1; k <= calls; k++) {
        if (!keep) unlink(path[BODY]);
        c = (counter){.fail = k};
        sn_err_clear(&err);
        sn_status s = f(&err);
        if (s != SN_OK && (s != SN_ERR_MEMORY || err.count != 1 || err.status != s))
            fail_msg("allocation %ld of %ld: status %d, %d reports: %s", k, calls, s, err.count,
                     err.count ? err.report[0].text : "");
        if (c.live) fail_msg("allocation %ld of %ld: %ld blocks left", k, calls, c.live);
        if (s && !keep && !access(path[BODY], F_OK))
            fail_msg("allocation %ld of %ld: a file is left", k, calls);
    }
    sn_set_allocator(NULL);
}

static void reductions(void **state)
{
    (void)state;
    fail_each(of_model, 0);
    fail_each(about_equilibrium, 0);
    fail_each(of_files, 0);
    fail_each(of_mesh, 0);
    fail_each(of_nastran, 0);
    fail_each(of_op4, 0);
}

static void reading(void **state)
{
    sn_err err;
    (void)state;
    sn_err_clear(&err);
    assert_int_equal(of_model(&err), SN_OK);
    fail_each(read_back, 1);
}

static void put(int file, const char *text)
{
    FILE *f = fopen(path[file], "w");
    fputs(text, f);
    fclose(f);
}

/* Two bodies of mass 2 on a spring that resists all six motions between them, 1 m apart along x */
static void put_matrices(void)
{
    FILE *M = fopen(path[MASS], "w"), *K = fopen(path[STIFFNESS], "w"), *R = fopen(path[ROWS], "w"),
         *B = fopen(path[BULK], "w"), *O = fopen(path[OP4], "w");
    /* elongation, shears u2 - u1 -+ (rotation at the first), rotations */
    const double D[6][12] = {{-1, 0, 0, 0, 0, 0, 1},
                             {0, -1, 0, 0, 0, -1, 0, 1},
                             {0, 0, -1, 0, 1, 0, 0, 0, 1},
                             {0, 0, 0, -1, 0, 0, 0, 0, 0, 1},
                             {0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 1},
                             {0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 1}};
    fprintf(B, "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nDMIG,M,0,6,2\nDMIG,K,0,6,2\n");
    fprintf(O, "%8d%8d%8d%8d%-8s1P,1E23.16\n", 12, 12, 6, 1, "K");
    for (int i = 0; i < 12; i++) {
        const int mass = i % 6 < 3 ? 2 : 1, node = i / 6 + 1, c = i % 6 + 1;
        fprintf(B, "DMIG,M,%d,%d,,%d,%d,%d.\nDMIG,K,%d,%d\n", node, c, node, c, mass, node, c);
        fprintf(O, "%8d%8d%8d\n", i + 1, 1, 12);
        fprintf(R, "%d.%d\n", i / 6 + 1, i % 6 + 1);
        fprintf(M, "%d %d %d\n", i + 1, i + 1, mass);
        for (int j = 0; j < 12; j++) {
            double sum = 0;
            for (int k = 0; k < 6; k++) sum += (k + 1) * D[k][i] * D[k][j];
            fprintf(O, "%23.16E\n", sum);
            if (j < i) continue;
            fprintf(B, ",%d,%d,%g\n", j / 6 + 1, j % 6 + 1, sum);
            fprintf(K, "%d %d %g\n", i + 1, j + 1, sum);
        }
    }
    fprintf(O, "%8d%8d%8d\n%23.16E\n", 13, 1, 1, 1.0);
    fclose(M), fclose(K), fclose(R), fclose(B), fclose(O);
}

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sinew-alloc-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    for (int i = 0; i < FILES; i++) snprintf(path[i], sizeof path[i], "%s/%s", folder, files[i]);
#define BEAM "EA: 4000, EI_y: 3, EI_z: 2, GJ: 2, rhoA: 0.7, rhoJ: 0.002}\n"
    put(MODEL, "sinew: 1\nnodes:\n  a: [0, 0, 0]\n  c: [1, 0, 0]\n  d: [1, 0, 0]\n  b: [2, 0, 0]\nelements:\n"
               "  one: {beam3d_cr: [a, c], " BEAM "  two: {beam3d_cr: [d, b], elements: 2, " BEAM
               "  pull: {spring3d: [a, b], k: 1, l0: 2}\njoints:\n  weld: {rigid_link: [c, d]}\n");
    put(NODES, "id,x,y,z\n1,0,0,0\n2,1,0,0\n");
    put(MESH, "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*NSET, NSET=left\n1\n");
    put_matrices();
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (int i = 0; i < FILES; i++) unlink(path[i]);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reductions), cmocka_unit_test(reading)};
    return cmocka_run_group_tests(tests, begin, end);
}
