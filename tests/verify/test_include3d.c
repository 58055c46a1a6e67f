/* `include` in space: a part turned by R = Rz Ry Rx and moved is the same part written by hand, its vectors,
   positions and inertia turned in this file by plain arithmetic. Both are the same equations but for rounding
   (1e-15), magnified by the motion of 0.3 s and 300 Newton solutions to 1e-13: 1e-10 is asked for. */
#include "verify/kit.h"

#define FOLDER "tests/verify/data/include/"

static const double degree = 3.14159265358979323846 / 180;

typedef struct place {
    double x[3], R[3][3];
} place;

static void turn(int axis, double w, double R[3][3])
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    memset(R, 0, 9 * sizeof(double));
    R[axis][axis] = 1;
    R[i][i] = R[j][j] = cos(w);
    R[j][i] = sin(w), R[i][j] = -sin(w);
}

static void multiply(double A[3][3], double B[3][3], double C[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            C[i][j] = 0;
            for (int k = 0; k < 3; k++) C[i][j] += A[i][k] * B[k][j];
        }
}

static place placed(double x, double y, double z, double a, double b, double c)
{
    place p = {{x, y, z}, {{0}}};
    double X[3][3], Y[3][3], Z[3][3], ZY[3][3];
    turn(0, a, X), turn(1, b, Y), turn(2, c, Z);
    multiply(Z, Y, ZY);
    multiply(ZY, X, p.R);
    return p;
}

static char *ring(void)
{
    static char all[64][100];
    static int next;
    return all[next++ % 64];
}

static const char *vector(const place *p, double x, double y, double z, int moved)
{
    char *out = ring();
    double u[3] = {x, y, z}, v[3];
    for (int i = 0; i < 3; i++) {
        v[i] = moved ? p->x[i] : 0;
        for (int j = 0; j < 3; j++) v[i] += p->R[i][j] * u[j];
    }
    snprintf(out, 100, "[%.17g, %.17g, %.17g]", v[0], v[1], v[2]);
    return out;
}

#define AT(x, y, z)    vector(p, x, y, z, 1)
#define ALONG(x, y, z) vector(p, x, y, z, 0)

/* "inertia: [...], products: [...]" of R J R'. */
static const char *tensor(const place *p, double J[3][3])
{
    static char out[4][300];
    static int next;
    double A[3][3], B[3][3], T[3][3];
    place q = *p;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) T[i][j] = p->R[j][i];
    multiply(q.R, J, A);
    multiply(A, T, B);
    char *text = out[next++ % 4];
    snprintf(text, 300, "inertia: [%.17g, %.17g, %.17g], products: [%.17g, %.17g, %.17g]", B[0][0], B[1][1],
             B[2][2], B[0][1], B[0][2], B[1][2]);
    return text;
}

/* arm.yaml by hand, with stiffness k and mass m, at a place. */
static void arm(const place *p, double k, double m, char *out, size_t size)
{
    const double a = 0.1, b = 0.2, c = 0.05, mb = 900 * a * b * c;
    double J[3][3] = {{0.02, 0.004, -0.003}, {0.004, 0.03, 0.002}, {-0.003, 0.002, 0.04}};
    double B[3][3] = {{mb / 12 * (b * b + c * c), 0, 0},
                      {0, mb / 12 * (a * a + c * c), 0},
                      {0, 0, mb / 12 * (a * a + b * b)}};
    place inside = placed(0, 0, 0, 0.3, -0.4, 0.5), box = *p;
    place copy = *p;
    multiply(copy.R, inside.R, box.R);
    snprintf(out, size,
             "sinew: 1\n"
             "gravity: [0, 0, -9.81]\n"
             "nodes:\n"
             "  base: %s\n"
             "  link: {at: %s}\n"
             "  bob: {at: %s, displacement: %s, velocity: %s, rotation: %s, spin: %s}\n"
             "elements:\n"
             "  body: {mass3d: link, mass: %g, %s, com: %s}\n"
             "  ball: {mass3d: bob, mass: %.17g, %s, com: %s}\n"
             "  spring: {spring3d: [link, bob], k: %g, c: 0.4, point1: %s, point2: %s}\n"
             "  stay: {spring3d: [base, bob], k: %g, l0: 0.5, point2: %s}\n"
             "  push: {force3d: link, force: %s, torque: %s}\n"
             "  swing: {force3d: link, force: [%.17g*sin(5*t), %.17g*sin(5*t), %.17g*sin(5*t)]}\n"
             "  jet: {force3d: bob, force: %s, point: %s, follower: yes}\n"
             "joints:\n"
             "  foot: {fixed: base}\n"
             "  hinge: {revolute: [base, link], axis: %s, at: %s}\n"
             "sensors:\n"
             "  link: {position: link}\n"
             "  bob: {position: bob, offset: %s}\n"
             "  rate: {velocity: bob}\n"
             "  hinge: {reaction: hinge}\n"
             "run: {end: 0.3, step: 1 ms}\n",
             AT(0.1, 0.2, 0), AT(0.4, 0.2, 0.1), AT(0.6, 0.1, -0.3), ALONG(0.01, 0.02, -0.03),
             ALONG(0.3, -0.2, 0.5), ALONG(0.1, -0.2, 0.3), ALONG(2, -3, 1), m, tensor(p, J),
             ALONG(0.05, 0.02, -0.01), mb, tensor(&box, B), ALONG(0.02, 0.01, -0.03), k, ALONG(0.1, 0, 0.05),
             ALONG(0, 0.1, 0), 2 * k, ALONG(-0.05, 0, 0.1), ALONG(0, 1, 0.5), ALONG(0.1, 0.2, 0.3),
             3 * p->R[0][0], 3 * p->R[1][0], 3 * p->R[2][0], ALONG(0.5, 0.3, -0.2), ALONG(0.02, -0.01, 0.04),
             ALONG(0.2, 1, 0.5), AT(0.15, 0.2, 0.02), ALONG(0.1, -0.05, 0.2));
}

enum { CHANNELS = 24 };
static const char *const channel[CHANNELS] = {
    "link.x",  "link.y",  "link.z",   "link.rx",  "link.ry",  "link.rz",  "bob.x",    "bob.y",
    "bob.z",   "bob.rx",  "bob.ry",   "bob.rz",   "rate.x",   "rate.y",   "rate.z",   "rate.rx",
    "rate.ry", "rate.rz", "hinge.fx", "hinge.fy", "hinge.fz", "hinge.mx", "hinge.my", "hinge.mz"};

static void measure(kit *k, const char *prefix, double *y)
{
    static char name[CHANNELS][64];
    const char *out[CHANNELS];
    double t[CHANNELS];
    for (int i = 0; i < CHANNELS; i++) {
        snprintf(name[i], sizeof name[i], "%s%s", prefix, channel[i]);
        out[i] = name[i], t[i] = 0.3;
    }
    k->o.tolerance = 1e-12;
    kit_points(k, CHANNELS, out, t, y);
}

static void same(const char *file, const char *prefix, place p, double stiffness, double mass)
{
    double y[CHANNELS], z[CHANNELS], worst = 0;
    char text[6000];
    kit k;
    kit_file(&k, file);
    measure(&k, prefix, y);
    kit_close(&k);
    arm(&p, stiffness, mass, text, sizeof text);
    kit_text(&k, text);
    measure(&k, "", z);
    kit_close(&k);
    for (int i = 0; i < CHANNELS; i++) {
        worst = fmax(worst, fabs(y[i] - z[i]));
        /* forces, of 30 N, are of the second derivative: h^-2 = 1e6 times rounding of the positions */
        kit_near(channel[i], y[i], z[i], i >= 18 ? 1e-7 : 1e-10);
    }
    print_message("  %s%s: largest difference %.1e\n", prefix, file, worst);
}

static void twice(void **state)
{
    (void)state;
    same(FOLDER "twice3d.yaml", "left_", placed(0.3, -0.1, 0.7, 40 * degree, -70 * degree, 100 * degree), 100,
         3);
    same(FOLDER "twice3d.yaml", "right_", placed(0, 0, 0, 0, 0, 0), 100, 2);
    same(FOLDER "twice3d.yaml", "moved_", placed(1, 2, 3, 0, 0, 0), 100, 2);
}

static void nested(void **state)
{
    place in = placed(-0.5, 0.25, 0.1, -30 * degree, 20 * degree, 10 * degree),
          out = placed(1, 2, 0, 90 * degree, 0, 90 * degree), all = out;
    (void)state;
    multiply(out.R, in.R, all.R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) all.x[i] += out.R[i][j] * in.x[j];
    same(FOLDER "nested3d.yaml", "b_one_", all, 120, 2);
}

/* The angles are numbers of the model. */
static void angles(void **state)
{
    double x, c = cos(0.2), s = sin(0.2);
    kit k;
    (void)state;
    kit_file(&k, FOLDER "twice3d.yaml");
    kit_set(&k, "include.left_.angles.x", 0);
    kit_set(&k, "include.left_.angles.y", 0);
    kit_set(&k, "include.left_.angles.z", 0.2);
    kit_set(&k, "include.left_.z", 5);
    kit_update(&k);
    kit_good(&k, sn_values_get(k.p, "left_base.at.x", &x, &k.err));
    kit_near("x", x, 0.3 + c * 0.1 - s * 0.2, 1e-15);
    kit_good(&k, sn_values_get(k.p, "left_base.at.z", &x, &k.err));
    kit_near("z", x, 5, 1e-15);
    kit_good(&k, sn_values_get(k.p, "left_body.inertia.x", &x, &k.err));
    kit_near("inertia", x, c * c * 0.02 - 2 * s * c * 0.004 + s * s * 0.03, 1e-16);
    kit_close(&k);
}

/* Defaults turn once: those that follow from other vectors with these, plain ones and those of shapes by
   themselves. Turned by 90 degrees about z, then moved. */
static void defaults(void **state)
{
    static const struct {
        const char *name;
        double x;
    } want[] = {{"p_gear.axis.y", 1},     {"p_gear.axis2.x", 0},   {"p_gear.axis2.y", 1},
                {"p_wheel.point.x", 3},   {"p_wheel.normal.z", 1}, {"p_hull.inertia.x", 0.25 + 4.0 / 12},
                {"p_hull.inertia.y", 0.5}};
    char text[600];
    kit k;
    (void)state;
    snprintf(text, sizeof text,
             "sinew: 1\ninclude: {prefix: p_, at: [3, 4, 5], angles: [0, 0, 90 deg], file: %s/" FOLDER
             "parts/shafts.yaml}\n",
             SN_SOURCE_DIR);
    kit_text(&k, text);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        double x = NAN;
        kit_good(&k, sn_values_get(k.p, want[i].name, &x, &k.err));
        kit_near(want[i].name, x, want[i].x, 1e-15);
    }
    kit_close(&k);
}

/* One include in a model of its own fails with this report at a column of line 2. */
static void refused(const char *part, const char *placement, int col, const char *words)
{
    char text[1200];
    sn_model *m = NULL;
    sn_err err;
    sn_err_clear(&err);
    snprintf(text, sizeof text, "sinew: 1\ninclude: {%s, file: %s/" FOLDER "parts/%s}\n", placement,
             SN_SOURCE_DIR, part);
    assert_int_not_equal(sn_model_read_text("model", text, strlen(text), &m, &err), SN_OK);
    assert_null(m);
    const sn_report *r = &err.report[0];
    if (!strstr(r->text, words) || r->line != 2 || r->col != col)
        fail_msg("'%s' expected at %d, found '%s' at %d:%d", words, col, r->text, r->line, r->col);
}

static void errors(void **state)
{
    (void)state;
    refused("arm.yaml", "at: [1, 2]", 16, "a spatial file is placed by at: [x, y, z]");
    refused("arm.yaml", "angle: 2", 10, "a spatial file is placed by at: [x, y, z]");
    refused("leg.yaml", "at: [1, 2, 3]", 16, "a planar file is placed by at: [x, y] and angle");
    refused("leg.yaml", "angles: [1, 2, 3]", 10, "a planar file is placed");
    refused("arm.yaml", "at: [1, 2, 3], angle: 1", 26, "'angle' is for planar files");
    refused("arm.yaml", "at: [1, 2], angles: [1, 2, 3]", 15, "'at' is a position [x, y, z]");
    refused("arm.yaml", "angles: [1, 2]", 19, "'angles' is three angles");
    refused("arm.yaml", "angles: [1, [2], 3]", 23, "must be a number");
    refused("arm.yaml", "angles: [1, 2 m, 3]", 23, "is in rad");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twice),    cmocka_unit_test(nested), cmocka_unit_test(angles),
        cmocka_unit_test(defaults), cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
