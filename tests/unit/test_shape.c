/* Shapes of rigid bodies: mass and inertia against closed forms, bodies of STL files, errors; and properties
   written in the place of their name. */
#include "unit/compile_kit.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define PI 3.14159265358979323846

/* Rounding of some twenty operations. */
static void near(const sn_values *p, const char *name, double want, double scale)
{
    double x = NAN;
    sn_err err;
    sn_err_clear(&err);
    if (sn_values_get(p, name, &x, &err)) print_reports(&err);
    if (!(fabs(x - want) <= 1e-14 * scale)) fail_msg("%s is %.17g, not %.17g", name, x, want);
}

static void box(void **state)
{
    sn_model *m;
    sn_values *p;
    (void)state;
    accepted("nodes: {n: [0, 0, 0]}\n"
             "elements: {b: {mass3d: n, shape: {box: , size: [1, 2, 3], density: 10, centre: [4, 5, 6]}}}\n",
             &m, &p);
    near(p, "b.shape.volume", 6, 6);
    near(p, "elements.b.shape.size.y", 2, 2);
    near(p, "b.size.z", 3, 3);
    near(p, "b.mass", 60, 60);
    near(p, "b.inertia.x", 5 * (4 + 9), 65);
    near(p, "b.inertia.y", 5 * (1 + 9), 50);
    near(p, "b.inertia.z", 5 * (1 + 4), 25);
    near(p, "b.products.x", 0, 65);
    near(p, "b.com.y", 5, 5);
    sn_values_free(p), sn_model_free(m);
}

/* Turned by 30 degrees about z: Jxy = (J1 - J2) sin cos; by 90 degrees about x then z: axes x y z of the box
   lie along y, z, x. */
static void turned_box(void **state)
{
    sn_model *m;
    sn_values *p;
    double c = cos(PI / 6), s = sin(PI / 6);
    (void)state;
    accepted("nodes: {n: [0, 0, 0], k: [1, 0, 0]}\n"
             "elements:\n"
             "  b: {mass3d: n, shape: {box: , size: [1, 2, 3], density: 10, angles: [0, 0, 30 deg]}}\n"
             "  d: {mass3d: k, mass: 12, shape: {box: , size: [1, 2, 3], angles: [90 deg, 0, 90 deg]}}\n",
             &m, &p);
    near(p, "b.inertia.x", 65 * c * c + 50 * s * s, 65);
    near(p, "b.inertia.y", 65 * s * s + 50 * c * c, 65);
    near(p, "b.products.x", 15 * s * c, 65);
    near(p, "d.inertia.y", 4 + 9, 13);
    near(p, "d.inertia.z", 1 + 9, 13);
    near(p, "d.inertia.x", 1 + 4, 13);
    sn_values_free(p), sn_model_free(m);
}

static void cylinder_and_sphere(void **state)
{
    sn_model *m;
    sn_values *p;
    double ga = 0.5 * (4 + 1), gt = 0.25 * (4 + 1) + 36.0 / 12;
    (void)state;
    accepted(
        "shapes: {ball: {sphere: , radius: 2, density: 3}}\n"
        "nodes: {a: [0, 0, 0], b: [1, 0, 0], c: [2, 0, 0]}\n"
        "elements:\n"
        "  z: {mass3d: a, mass: 1, shape: {cylinder: , radius: 2, inner: 1, length: 6}}\n"
        "  o: {mass3d: b, shape: {cylinder: , radius: 2, inner: 1, length: 6, axis: [3, 4, 0], density: 7}}\n"
        "  s: {mass3d: c, shape: ball}\n",
        &m, &p);
    near(p, "z.inertia.x", gt, gt);
    near(p, "z.inertia.z", ga, gt);
    near(p, "o.mass", 7 * PI * 3 * 6, 400);
    near(p, "o.inertia.x", 7 * PI * 18 * (gt + (ga - gt) * 0.36), 2000);
    near(p, "o.products.x", 7 * PI * 18 * (ga - gt) * 0.48, 2000);
    near(p, "s.mass", 3 * 4.0 / 3 * PI * 8, 100);
    near(p, "s.inertia.y", 0.4 * 4 * 32 * PI, 200);
    near(p, "ball.volume", 32.0 / 3 * PI, 40);
    sn_values_free(p), sn_model_free(m);
}

/* In the plane z is the thickness; what is written goes before the shape. */
static void plane(void **state)
{
    sn_model *m;
    sn_values *p;
    (void)state;
    accepted("nodes: {a: [0, 0], b: [1, 0]}\n"
             "elements:\n"
             "  a: {mass2d: a, shape: {box: , size: [3, 1, 0.1], density: 20, centre: [1.5, 0.5, 0]}}\n"
             "  b: {mass2d: b, mass: 5, inertia: 7, com: [1, 2], shape: {sphere: , radius: 1, density: 1}}\n",
             &m, &p);
    near(p, "a.mass", 6, 6);
    near(p, "a.inertia", 6.0 / 12 * 10, 5);
    near(p, "a.com.x", 1.5, 2);
    near(p, "b.mass", 5, 5);
    near(p, "b.inertia", 7, 7);
    near(p, "b.com.y", 2, 2);
    assert_int_equal(sn_values_set(p, "a.shape.size.x", "4 m", NULL), SN_OK);
    assert_int_equal(sn_values_update(p, NULL), SN_OK);
    near(p, "a.mass", 8, 8);
    sn_values_free(p), sn_model_free(m);
}

static void inline_properties(void **state)
{
    sn_model *m;
    sn_values *p;
    (void)state;
    accepted(
        "parameters: {w: 20 mm}\n" AB "elements: {bar: {beam2d_cr: [a, b], material: {E: 2 GPa, rho: 1000},\n"
        "                 section: {rectangle: , width: w, height: w/10}, elements: 2},\n"
        "           two: {beam2d_cr: [a, b], material: {E: 1, rho: 1}, section: {A: bar.section.A, I: 2}}}\n",
        &m, &p);
    near(p, "bar.section.width", 0.02, 0.02);
    near(p, "bar.width", 0.02, 0.02);
    near(p, "elements.bar.material.E", 2e9, 2e9);
    near(p, "bar.EA", 2e9 * 0.02 * 0.002, 8e4);
    near(p, "two.EA", 0.02 * 0.002, 4e-5);
    assert_int_not_equal(sn_values_set(p, "bar.shape.width", "1", NULL), SN_OK);
    sn_values_free(p), sn_model_free(m);
}

#define SPACE "nodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"

static void errors(void **state)
{
    const refusal list[] = {
        {SPACE "elements: {`m: {mass3d: a, shape: {box: , size: [1, 2, 3]}}}\n",
         "'mass' is missing: give mass, or what the shape needs for it (density*volume)"},
        {SPACE "elements: {m: {mass3d: a, mass: 1, `shape: {box: }}}\n", "box 'm.shape': 'size' is missing"},
        {SPACE "elements: {m: {mass3d: a, mass: 1, shape: {box: , size: `3}}}\n", "'size' needs 3 numbers"},
        {SPACE "elements: {m: {mass3d: a, mass: 1, shape: {box: , size: [1, `0, 1]}}}\n", "must be"},
        {SPACE "elements: {m: {mass3d: a, mass: 1, `shape: {cylinder: , radius: 1, length: 1, inner: 2}}}\n",
         "'elements.m.shape.volume' cannot be negative"},
        {SPACE
         "elements: {m: {mass3d: a, mass: 1, `shape: {cylinder: , radius: 1, length: 1, axis: [0, 0, 0]}}}\n",
         "'elements.m.shape.axis_length' must be positive"},
        {SPACE "elements: {m: {mass3d: a, mass: 1, shape: {`bax: , size: [1, 1, 1]}}}\n",
         "shape 'm.shape': unknown kind 'bax' (did you mean 'box'?)"},
        {SPACE "elements: {m: {mass3d: a, mass: 1, shape: {box: , `sise: [1, 1, 1], size: [1, 1, 1]}}}\n",
         "unknown key 'sise' (did you mean 'size'?)"},
        {SPACE "elements: {m: {mass3d: a, mass: 1, shape: {box: , size: [1, `wide, 1]}}}\n",
         "unknown name 'wide'"},
        {SPACE "elements: {m: {mass3d: a, mass: 1, shape: {box: , size: [1, 1, `1 s]}}}\n", "but this is"},
        {SPACE "elements: {m: {mass3d: a, mass: 1, shape: `bal}}\nshapes: {ball: {sphere: , radius: 1}}\n",
         "there is no shape 'bal' (did you mean 'ball'?)"},
        {SPACE "elements: {m: {mass3d: a, mass: 1, shape: `[x]}}\n", "'shape' is a name from the section"},
        {SPACE "elements: {m: {mass3d: a, mass: 1, `section: {A: 1}}}\n", "unknown key 'section'"},
        {SPACE "elements: {m: {mass3d: a, mass: 1, `density: 1}}\n", "unknown key 'density'"},
        {SPACE "elements: {m: {mass3d: a, mass: 1, shape: {`stl: }}}\n", "takes the name of a file"},
        {AB "elements: {m: {mass2d: a, mass: 1, `shap: {sphere: , radius: 1}}}\n",
         "unknown key 'shap' (did you mean 'shape'?)"},
        {AB "elements: {s: {beam2d_cr: [a, b], section: {rectangle: , width: 1, `heigth: 2}, EA: 1, EI: 1, "
            "rhoA: "
            "1}}\n",
         "rectangle 's.section': unknown key 'heigth' (did you mean 'height'?)"},
        {AB "elements: {s: {beam2d_cr: [a, b], section: `{}, EA: 1, EI: 1, rhoA: 1}}\n", "must be a map"},
        {AB "elements: {s: {beam2d_cr: [a, b], section: {circle: , radius: `-1}, E: 1, rho: 1}}\n",
         "must be"},
    };
    (void)state;
    REFUSE_ALL(list);
}

/* ---- STL ---- */

/* Corners of a triangle of the block [0, 1] x [0, 2] x [0, 3]: two to a face, seen from outside. */
static const int face[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static double corner(int k, int i) { return (k >> i & 1) * (i + 1.0); }

static void folder(char *path, size_t size)
{
    snprintf(path, size, "/tmp/sinew-shape-XXXXXX");
    assert_non_null(mkdtemp(path));
}

static void write_text(const char *path, int faces, const char *tail)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "solid block\n");
    for (int k = 0; k < faces; k++) {
        fprintf(f, " facet normal 0 0 0\n  outer loop\n");
        for (int j = 0; j < 3; j++)
            fprintf(f, "   vertex %g %g %e\n", corner(face[k][j], 0), corner(face[k][j], 1),
                    corner(face[k][j], 2));
        fprintf(f, "  endloop\n endfacet\n");
    }
    fprintf(f, "%s", tail);
    fclose(f);
}

/* order: 1, or -1 for a surface turned inside out; cut: bytes left out at the end */
static void write_binary(const char *path, int order, int cut)
{
    unsigned char all[84 + 12 * 50] = "solid words also begin binary files", n = 12;
    all[80] = n;
    for (int k = 0; k < 12; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++) {
                float x = (float)corner(face[k][order > 0 ? j : 2 - j], i);
                uint32_t u;
                memcpy(&u, &x, 4);
                for (int b = 0; b < 4; b++) all[84 + 50 * k + 12 + 12 * j + 4 * i + b] = u >> 8 * b & 255;
            }
    if (cut) all[0] = 'x';
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(all, 1, sizeof all - (size_t)cut, f);
    fclose(f);
}

static sn_status read_part(const char *dir, const char *keys, sn_model **m, sn_values **p, sn_err *err)
{
    char path[200];
    snprintf(path, sizeof path, "%s/model.yaml", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "sinew: 1\n" SPACE "elements: {b: {mass3d: a, shape: {stl: part.stl%s}}}\n", keys);
    fclose(f);
    *p = NULL;
    sn_err_clear(err);
    sn_status s = sn_model_read(path, m, err);
    return s ? s : sn_values_new(*m, p, err);
}

static void check_block(const char *dir)
{
    sn_model *m;
    sn_values *p;
    sn_err err;
    if (read_part(dir, ", density: 10, scale: 2", &m, &p, &err)) print_reports(&err), assert_true(0);
    near(p, "b.mass", 10 * 48, 480);
    near(p, "b.com.x", 1, 10);
    near(p, "b.com.z", 3, 10);
    near(p, "b.inertia.x", 480.0 / 12 * (16 + 36), 3000);
    near(p, "b.inertia.z", 480.0 / 12 * (4 + 16), 3000);
    near(p, "b.products.y", 0, 3000);
    sn_values_free(p), sn_model_free(m);
    /* turned by 90 degrees about z about the file's origin, which is moved */
    if (read_part(dir, ", density: 10, angles: [0, 0, 90 deg], origin: [5, 0, 0]", &m, &p, &err))
        print_reports(&err), assert_true(0);
    near(p, "b.com.x", 5 - 1, 10);
    near(p, "b.com.y", 0.5, 10);
    near(p, "b.inertia.y", 5 * (4 + 9), 100);
    sn_values_free(p), sn_model_free(m);
}

static void stl(void **state)
{
    char dir[100], path[200];
    (void)state;
    folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/part.stl", dir);
    write_text(path, 12, "endsolid\n");
    check_block(dir);
    write_binary(path, 1, 0);
    check_block(dir);
    write_binary(path, -1, 0);
    check_block(dir);
}

static void stl_refused(const char *dir, const char *words, int line)
{
    sn_model *m;
    sn_values *p;
    sn_err err;
    assert_int_not_equal(read_part(dir, ", density: 1", &m, &p, &err), SN_OK);
    assert_null(m);
    if (err.count != 1 || !strstr(err.report[0].text, words) || err.report[0].line != line) {
        print_reports(&err);
        fail_msg("expected '%s'", words);
    }
}

static void stl_errors(void **state)
{
    char dir[100], path[200];
    (void)state;
    folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/part.stl", dir);
    stl_refused(dir, "cannot open the file", 3);
    write_text(path, 11, "endsolid\n");
    stl_refused(dir, "the surface is not closed", 3);
    write_text(path, 0, "endsolid\n");
    stl_refused(dir, "has no triangles", 3);
    write_text(path, 12, "vertex 1 2 x\n");
    stl_refused(dir, "'vertex' needs three numbers", 86);
    write_text(path, 12, "vertex 1 2 3\n");
    stl_refused(dir, "ends within a triangle", 87);
    write_binary(path, 1, 3);
    stl_refused(dir, "the file ends too early", 3);
    write_binary(path, 1, 684 - 20);
    stl_refused(dir, "too short", 3);
}

/* A tube without its ends: the area vectors add up to zero, but the surface is open. */
static void stl_tube(void **state)
{
    char dir[100], path[200];
    (void)state;
    folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/part.stl", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "solid tube\n");
    for (int k = 4; k < 12; k++)
        for (int j = 0; j < 3; j++)
            fprintf(f, "vertex %g %g %g\n", corner(face[k][j], 0), corner(face[k][j], 1),
                    corner(face[k][j], 2));
    fclose(f);
    stl_refused(dir, "the surface is not closed", 3);
}

/* An open surface is a hull to be drawn: nothing follows from it, what is missing is missed, and it must be
   readable still. */
static void stl_open(void **state)
{
    char dir[100], path[200];
    sn_model *m;
    sn_values *p;
    sn_err err;
    (void)state;
    folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/part.stl", dir);
    write_text(path, 11, "endsolid\n");
    if (read_part(dir, ", closed: no}, mass: 3, com: [1, 0, 0], inertia: [1, 2, 3], note: {a: 1", &m, &p,
                  &err))
        print_reports(&err), assert_true(0);
    near(p, "b.mass", 3, 1);
    near(p, "b.com.x", 1, 1);
    near(p, "b.inertia.z", 3, 1);
    sn_values_free(p), sn_model_free(m);
    assert_int_equal(read_part(dir, ", closed: no}, inertia: [1, 2, 3], note: {a: 1", &m, &p, &err),
                     SN_ERR_INPUT);
    assert_non_null(strstr(err.report[0].text, "'mass' is missing"));
    assert_int_equal(
        read_part(dir, ", closed: no, density: 1}, inertia: [1, 2, 3], note: {a: 1", &m, &p, &err),
        SN_ERR_INPUT);
    assert_non_null(strstr(err.report[0].text, "'mass' is missing"));
    write_text(path, 11, "vertex 1 2 x\n");
    assert_int_equal(read_part(dir, ", closed: no}, mass: 3, inertia: [1, 2, 3], note: {a: 1", &m, &p, &err),
                     SN_ERR_INPUT);
    assert_non_null(strstr(err.report[0].text, "'vertex' needs three numbers"));
}

/* ---- too large to be drawn ---- */

static void keep_message(void *ctx, const char *text) { snprintf(ctx, 300, "%s", text); }

/* A surface of 400,008 triangles, the block many times over: the result leaves it out, and the run says so.
   So it does where the file has gone meanwhile. */
static void stl_left_out(void **state)
{
    enum { TIMES = 33334 };
    char dir[100], path[200], result[200], said[300] = "";
    unsigned char head[84] = {0}, block[12 * 50];
    sn_model *m;
    sn_values *p;
    sn_info info;
    sn_err err;
    (void)state;
    folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/part.stl", dir), snprintf(result, sizeof result, "%s/run.h5", dir);
    write_binary(path, 1, 0);
    FILE *f = fopen(path, "rb");
    assert_true(f && fread(head, 1, 84, f) == 84 && fread(block, 1, sizeof block, f) == sizeof block);
    fclose(f);
    for (int b = 0; b < 4; b++) head[80 + b] = 12u * TIMES >> 8 * b & 255;
    f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(head, 1, 84, f);
    for (int i = 0; i < TIMES; i++) fwrite(block, 1, sizeof block, f);
    assert_int_equal(fclose(f), 0);
    if (read_part(dir, ", density: 10}}, c: {mass3d: b, shape: {sphere: , radius: 1, density: 1", &m, &p,
                  &err))
        print_reports(&err), assert_true(0);
    sn_run_options o = sn_run_options_default(m, p);
    o.end = o.step = 0.01, o.message = keep_message, o.ctx = said;
    if (sn_run_file(m, p, &o, result, &info, &err)) print_reports(&err), assert_true(0);
    if (!strstr(said, "400008 triangles are too many, 400000 can be drawn")) fail_msg("said: '%s'", said);
    unlink(path);
    said[0] = 0;
    if (sn_run_file(m, p, &o, result, &info, &err)) print_reports(&err), assert_true(0);
    if (!strstr(said, "it can no longer be read")) fail_msg("said: '%s'", said);
    sn_values_free(p), sn_model_free(m);
    unlink(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box),
        cmocka_unit_test(turned_box),
        cmocka_unit_test(cylinder_and_sphere),
        cmocka_unit_test(plane),
        cmocka_unit_test(inline_properties),
        cmocka_unit_test(errors),
        cmocka_unit_test(stl),
        cmocka_unit_test(stl_errors),
        cmocka_unit_test(stl_tube),
        cmocka_unit_test(stl_open),
        cmocka_unit_test(stl_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
