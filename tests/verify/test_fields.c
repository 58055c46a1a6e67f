/* What a result file holds for pictures: section forces, stress, energy, reactions and loads of cantilevers
   against beam theory, the sensors of the same things, sections and pins as written.

   The beams are so stiff that they turn by less than 1e-6: linear theory holds to that. They must not be
   stiffer: the rounding of positions makes EA times 2e-16, 2e-6 N, of axial force. Numbers are stored in
   single precision, 6e-8 of them. */
#include "verify/kit.h"

#include "io/result.h"

#include <unistd.h>

static const double tol = 5e-6;

typedef struct file {
    char path[64];
    sn_result_reader *in;
    sn_err err;
} file;

static void file_static(kit *k, file *f, const char *text)
{
    double y[64];
    snprintf(f->path, sizeof f->path, "/tmp/sinew_fields_%d.h5", (int)getpid());
    sn_err_clear(&f->err);
    kit_text(k, text);
    kit_good(k, sn_static_file(k->m, k->p, &k->o, f->path, y, &k->info, &k->err));
    kit_good(k, sn_result_open(f->path, &f->in, &k->err));
}

static void file_end(kit *k, file *f)
{
    sn_result_reader_close(f->in);
    unlink(f->path);
    kit_close(k);
}

/* Column of that name, frame 0; how wide. */
static int get(file *f, const char *path, double *out)
{
    for (int i = 0; i < sn_result_reader_columns(f->in); i++) {
        const sn_result_column *c = sn_result_reader_column(f->in, i);
        if (strcmp(c->path, path) != 0) continue;
        assert_int_equal(sn_result_reader_get(f->in, i, 0, 1, out, &f->err), SN_OK);
        return c->width;
    }
    return 0;
}

static void rows(file *f, const char *path, int n, const double *expected)
{
    sn_result_table t;
    assert_int_equal(sn_result_reader_table(f->in, path, &t, &f->err), SN_OK);
    assert_int_equal(t.rows * t.cols, n);
    for (int i = 0; i < n; i++) kit_near(path, t.data[i], expected[i], 1e-12);
}

static void near_all(const char *what, const double *y, const double *expected, int n, double size)
{
    for (int i = 0; i < n; i++) kit_near(what, y[i], expected[i], tol * size);
}

static const char *plane = "sinew: 1\n"
                           "materials: {m: {E: 2e12, rho: 1}}\n"
                           "sections: {s: {rectangle: , width: 0.02, height: 0.2}}\n"
                           "nodes: {a: [0, 0], b: [2, 0], c: [2, 1]}\n"
                           "elements:\n"
                           "  beam: {beam2d_cr: [a, b], material: m, section: s, elements: 4}\n"
                           "  tip: {force2d: b, force: [3, -5], torque: 0.7, point: [0, 0.1]}\n"
                           "  line: {force2d: beam, per_length: [0, 8]}\n"
                           "  mass: {mass2d: c, mass: 1, inertia: 1}\n"
                           "joints: {wall: {fixed: a}, pin: {revolute2d: [c, ground], at: [2, 1.5]}, hold: "
                           "{drive: c.theta, value: 0}}\n"
                           "gravity: [0, -2]\n"
                           "sensors: {wall: {reaction: wall}}\n"
                           "run: {end: 1, step: 0.1}\n";

/* The load at b is 3, -5 at 0.1 above it: its moment about b is 0.7 - 0.3. With the line load q and the
   beam's weight w = q - 2 rho A a length, M(x) = 0.4 - 5 (L - x) + w (L - x)^2/2. An element of length h has
   the line that fits this parabola best, w h^2/12 below it at both ends. */
static void test_plane(void **state)
{
    const double L = 2, h = 0.5, A = 0.02 * 0.2, I = 0.02 * 0.2 * 0.2 * 0.2 / 12, w = 8 - 2 * A;
    kit k;
    file f;
    double y[64], sensor[3], U = 0;
    (void)state;
    file_static(&k, &f, plane);
    assert_int_equal(get(&f, "/fields/axial", y), 4);
    near_all("axial", y, (const double[]){3, 3, 3, 3}, 4, 3);
    double N = y[0], V[4], M[8];
    assert_int_equal(get(&f, "/fields/shear", V), 4);
    assert_int_equal(get(&f, "/fields/bending", M), 8);
    for (int i = 0; i < 4; i++) {
        double x = L - i * h, z = x - h; /* from the tip to both ends */
        kit_near("shear", V[i], -5 + w * (x + z) / 2, tol * 10);
        kit_near("bending 1", M[2 * i], 0.4 - 5 * x + w * x * x / 2 - w * h * h / 12, tol * 20);
        kit_near("bending 2", M[2 * i + 1], 0.4 - 5 * z + w * z * z / 2 - w * h * h / 12, tol * 20);
        U += N * N * h / 2 / (2e12 * A) +
             h / 6 * (M[2 * i] * M[2 * i] + M[2 * i] * M[2 * i + 1] + M[2 * i + 1] * M[2 * i + 1]) /
                 (2e12 * I);
    }
    assert_int_equal(get(&f, "/fields/stress", y), 8);
    for (int i = 0; i < 8; i++) kit_near("stress", y[i], N / A + fabs(M[i]) * 0.1 / I, tol * 1e5);
    assert_int_equal(get(&f, "/fields/energy", y), 4);
    kit_near("energy", y[0] + y[1] + y[2] + y[3], U, 1e-5 * U);
    /* the wall, the pin half a metre above the mass, the moment that holds it; y are fx, fy, moment each */
    assert_int_equal(get(&f, "/fields/reaction", y), 9);
    near_all("reaction", y, (const double[]){-3, 5 - w * L, 9.6 - w * L * L / 2, 0, 2, 0, 0, 0, 0}, 9, 20);
    assert_int_equal(get(&f, "/sensors/wall", sensor), 3);
    near_all("sensor", y, sensor, 3, 20);
    /* in their place, the line's by pieces */
    assert_int_equal(get(&f, "/fields/load", y), 15);
    near_all("load", y, (const double[]){3, -5, 0.7, 0, 4, 0, 0, 4, 0, 0, 4, 0, 0, 4, 0}, 15, 5);
    rows(&f, "/model/pins", 30, (const double[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0.5, 0, 0,
                                                 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,   0, 0});
    /* where the load acts; the pin from c and from the ground */
    rows(&f, "/model/points", 18,
         (const double[]){0, 4, 0, 0, 0.1, 0, 1, 1, 0, 0, 0.5, 0, 1, 1, 1, 2, 1.5, 0});
    file_end(&k, &f);
}

static const char *space =
    "sinew: 1\n"
    "materials: {m: {E: 2e12, G: 8e11, rho: 1}}\n"
    "sections:\n"
    "  o: {tube: , radius: 0.05, thickness: 0.01}\n"
    "  b: {box: , width: 0.06, height: 0.1, thickness: 0.01}\n"
    "  i: {i_section: , width: 0.06, height: 0.1, flange: 0.01, web: 0.005}\n"
    "nodes: {a: [0, 0, 0], b: [1, 0, 0], c: [0, 1, 0], d: [1, 1, 0], e: [0, 2, 0], f: [1, 2, 0]}\n"
    "elements:\n"
    "  tube: {beam3d_cr: [a, b], material: m, section: o}\n"
    "  box: {beam3d_cr: [c, d], material: m, section: b, orientation: [0, 1, 0]}\n"
    "  ibeam: {beam3d_cr: [e, f], material: m, section: i, orientation: [0, 1, 0]}\n"
    "  f1: {force3d: b, force: [7, 3, -4], torque: [2, 0, 0]}\n"
    "  f2: {force3d: d, force: [7, 3, -4], torque: [2, 0, 0]}\n"
    "joints: {a: {fixed: a}, c: {revolute: [c, ground], axis: [0, 0, 2], at: [0, 1, 0.5]},\n"
    "         turn: {rotation_drive: [ground, c], axis: [0, 0, 1], angle: 0}, e: {fixed: e}}\n"
    "run: {end: 1, step: 0.1}\n";

/* Force 7, 3, -4 at the tip, a metre from the root: N = 7, V = 5, T = 2; at the root M_z = 3, M_y = 4. */
static void test_space(void **state)
{
    const double pi = acos(-1), A = pi * (0.0025 - 0.0016), I = pi / 4 * (6.25e-6 - 2.56e-6),
                 B = 0.06 * 0.1 - 0.04 * 0.08, Bz = (0.06 * 1e-3 - 0.04 * 5.12e-4) / 12,
                 By = (0.1 * 2.16e-4 - 0.08 * 6.4e-5) / 12;
    kit k;
    file f;
    double y[64];
    (void)state;
    file_static(&k, &f, space);
    assert_int_equal(get(&f, "/fields/axial", y), 3);
    near_all("axial", y, (const double[]){7, 7, 0}, 3, 7);
    assert_int_equal(get(&f, "/fields/shear", y), 3);
    near_all("shear", y, (const double[]){5, 5, 0}, 3, 7);
    assert_int_equal(get(&f, "/fields/torsion", y), 3);
    near_all("torsion", y, (const double[]){2, 2, 0}, 3, 7);
    assert_int_equal(get(&f, "/fields/bending", y), 6);
    near_all("bending", y, (const double[]){5, 0, 5, 0, 0, 0}, 6, 7);
    assert_int_equal(get(&f, "/fields/stress", y), 6);
    const double stress[] = {7 / A + 5 * 0.05 / I, 7 / A, 7 / B + 3 * 0.05 / Bz + 4 * 0.03 / By, 7 / B, 0, 0};
    near_all("stress", y, stress, 6, 1e5);
    /* the hinge is half a metre above the beam's root: with -7, -3, 4 there it gets -2 - 1.5, -4 + 3.5 */
    assert_int_equal(get(&f, "/fields/reaction", y), 24);
    near_all("fixed", y, (const double[]){-7, -3, 4, -2, -4, -3}, 6, 10);
    near_all("hinge", y + 6, (const double[]){-7, -3, 4, -3.5, -0.5, 0}, 6, 10);
    near_all("drive", y + 12, (const double[]){0, 0, 0, 0, 0, -3}, 6, 10);
    sn_result_table t;
    static const double line[3][15] = {{0, 0.1, 0.1, 0, 0, 1, [12] = 2, 0.08, 0.08},
                                       {1, 0.1, 0.06, 0, 1, 0, [12] = 1, 0.08, 0.04},
                                       {2, 0.1, 0.06, 0, 1, 0, [12] = 3, 0.08, 0.055}};
    rows(&f, "/model/lines", 45, line[0]);
    assert_int_equal(sn_result_reader_table(f.in, "/model/pins", &t, &f.err), SN_OK);
    static const double pin[] = {2, 0, 0, 0.5, 0, 0, 1, 0, 0, 0};
    for (int i = 0; i < 10; i++) kit_near("pin", t.data[10 + i], pin[i], 1e-12);
    file_end(&k, &f);
}

/* Nothing of it in modes, whose frames are shapes. */
static void test_modes(void **state)
{
    kit k;
    file f;
    double y[64];
    int found;
    sn_sizes sizes;
    (void)state;
    snprintf(f.path, sizeof f.path, "/tmp/sinew_fields_%d.h5", (int)getpid());
    kit_text(&k, plane);
    sn_mode_options o = sn_mode_options_default(k.m, k.p);
    o.n = 2;
    kit_good(&k, sn_modes_file(k.m, k.p, &o, f.path, &found, &k.err));
    kit_good(&k, sn_result_open(f.path, &f.in, &k.err));
    assert_int_equal(get(&f, "/fields/axial", y), 0);
    sn_model_sizes(k.m, &sizes);
    assert_int_equal(get(&f, "/states/q", y), sizes.nq);
    file_end(&k, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
