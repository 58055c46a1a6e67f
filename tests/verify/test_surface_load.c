/* Loads on surfaces: pressure on a closed surface, whose resultant vanishes and whose tangent is symmetric
   although that of each face is not; and dead loads, whose sum is the load per unit area times the area. */
#include "verify/kit.h"

enum { CORNERS = 8 };

/* A warped box of eight particles. */
#define BOX                                                                                                  \
    "sinew: 1\n"                                                                                             \
    "parameters: {p: 3}\n"                                                                                   \
    "nodes:\n"                                                                                               \
    "  a: [0, 0.1, 0]\n  b: [1.1, 0, 0.2]\n  c: [1, 0.9, -0.1]\n  d: [0.1, 1, 0]\n"                          \
    "  e: [0, 0, 0.8]\n  f: [1, 0.2, 1]\n  g: [1.2, 1, 1.1]\n  h: [-0.2, 1, 0.9]\n"                          \
    "sensors: {a: {acceleration: a}, b: {acceleration: b}, c: {acceleration: c}, d: {acceleration: d},\n"    \
    "  e: {acceleration: e}, f: {acceleration: f}, g: {acceleration: g}, h: {acceleration: h}}\n"            \
    "run: {end: 1 ms, step: 1 ms}\n"                                                                         \
    "elements:\n"                                                                                            \
    "  ma: {mass3d: a, mass: 1}\n  mb: {mass3d: b, mass: 1}\n  mc: {mass3d: c, mass: 1}\n"                   \
    "  md: {mass3d: d, mass: 1}\n  me: {mass3d: e, mass: 1}\n  mf: {mass3d: f, mass: 1}\n"                   \
    "  mg: {mass3d: g, mass: 1}\n  mh: {mass3d: h, mass: 1}\n"

static const double at[CORNERS][3] = {{0, 0.1, 0}, {1.1, 0, 0.2}, {1, 0.9, -0.1}, {0.1, 1, 0},
                                      {0, 0, 0.8}, {1, 0.2, 1},   {1.2, 1, 1.1},  {-0.2, 1, 0.9}};

/* Largest |K - K'| in *skew and |K| in *size. */
typedef struct symmetry {
    double skew, size;
} symmetry;

static double entry(const sn_sparse *s, int i, int j)
{
    double y = 0;
    for (int k = s->first[j]; k < s->first[j + 1]; k++)
        if (s->row[k] == i) y += s->x[k];
    return y;
}

static sn_status look(void *ctx, const sn_linear *l, sn_err *err)
{
    symmetry *y = ctx;
    (void)err;
    for (int i = 0; i < l->nv; i++)
        for (int j = 0; j < l->nv; j++) {
            y->skew = fmax(y->skew, fabs(entry(&l->K, i, j) - entry(&l->K, j, i)));
            y->size = fmax(y->size, fabs(entry(&l->K, i, j)));
        }
    return SN_OK;
}

static symmetry symmetry_of(kit *k)
{
    symmetry y = {0, 0};
    sn_linear_options o = sn_linear_options_default(k->m, k->p);
    o.take = look, o.ctx = &y, o.no_system = 1;
    kit_good(k, sn_linearise(k->m, k->p, &o, &k->err));
    return y;
}

/* Forces are the accelerations of particles of 1 kg: their sum and the sum of moments about the origin. */
static void resultant(kit *k, double *F, double *M)
{
    char name[CORNERS * 3][8];
    const char *out[CORNERS * 3];
    double t[CORNERS * 3] = {0}, y[CORNERS * 3];
    for (int i = 0; i < CORNERS * 3; i++) {
        snprintf(name[i], sizeof name[i], "%c.%c", 'a' + i / 3, "xyz"[i % 3]);
        out[i] = name[i];
    }
    kit_points(k, CORNERS * 3, out, t, y);
    memset(F, 0, 3 * sizeof *F), memset(M, 0, 3 * sizeof *M);
    for (int i = 0; i < CORNERS; i++)
        for (int j = 0; j < 3; j++) {
            int u = (j + 1) % 3, v = (j + 2) % 3;
            F[j] += y[3 * i + j];
            M[j] += at[i][u] * y[3 * i + v] - at[i][v] * y[3 * i + u];
        }
}

/* The pressure of a closed surface is the gradient of p times its volume: no resultant, no moment, a
   symmetric tangent; one face less, and none of this holds. To rounding: some 100 operations. */
static void closed(const char *faces, const char *last)
{
    char yaml[3000];
    double F[3], M[3];
    for (int open = 0; open < 2; open++) {
        kit k;
        snprintf(yaml, sizeof yaml, "%s%s%s", BOX, faces, open ? "" : last);
        kit_text(&k, yaml);
        resultant(&k, F, M);
        symmetry y = symmetry_of(&k);
        print_message("  %s: force %.1e %.1e %.1e, moment %.1e %.1e %.1e, skew %.1e of %.1e\n",
                      open ? "open" : "closed", F[0], F[1], F[2], M[0], M[1], M[2], y.skew, y.size);
        for (int j = 0; !open && j < 3; j++)
            kit_near("force", F[j], 0, 1e-13), kit_near("moment", M[j], 0, 1e-13);
        if (!open) kit_near("skew part", y.skew, 0, 1e-14);
        if (open) assert_true(y.skew > 0.1 && fabs(F[0]) + fabs(F[1]) + fabs(F[2]) > 1);
        kit_close(&k);
    }
}

static void test_box(void **state)
{
    (void)state;
    closed(
        "  s1: {surface_load: [a, d, c, b], pressure: p}\n  s2: {surface_load: [e, f, g, h], pressure: p}\n"
        "  s3: {surface_load: [a, b, f, e], pressure: p}\n  s4: {surface_load: [b, c, g, f], pressure: p}\n"
        "  s5: {surface_load: [c, d, h, g], pressure: p}\n",
        "  s6: {surface_load: [d, a, e, h], pressure: p}\n");
}

/* Two faces halved into triangles whose diagonals are no edges of others; the others stay bilinear. */
static void test_prism(void **state)
{
    (void)state;
    closed(
        "  s1: {surface_load: [a, d, c], pressure: p}\n  s2: {surface_load: [a, c, b], pressure: p}\n"
        "  s3: {surface_load: [a, b, f, e], pressure: p}\n  s4: {surface_load: [b, c, g, f], pressure: p}\n"
        "  s5: {surface_load: [c, d, h, g], pressure: p}\n  s6: {surface_load: [d, a, e, h], pressure: p}\n"
        "  s7: {surface_load: [e, f, h], pressure: p}\n",
        "  s8: {surface_load: [f, g, h], pressure: p}\n");
}

/* A flat quadrilateral and a triangle in the plane z = 0: the pressure and the dead load along z are the
   same, their sum is q A by the shoelace formula, their moments q A times the centroid (2 x 2 points are
   exact for h_i J, which is of third order in each direction at most). */
static void test_area(void **state)
{
    static const double x[4][2] = {{0, 0}, {2, 0.3}, {1.7, 1.4}, {-0.2, 1}};
    static const char *const load[] = {"per_area: [0, 0, 5]", "pressure: 5"};
    static const char *const nodes[] = {"[a, b, c, d]", "[a, b, c]"};
    static const char *const out[] = {"a.z", "b.z", "c.z", "d.z"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        char yaml[1200];
        double y[4], t[4] = {0}, n = i < 2 ? 4 : 3, A = 0, S[2] = {0, 0}, F = 0, M[2] = {0, 0};
        kit k;
        snprintf(
            yaml, sizeof yaml,
            "sinew: 1\n"
            "nodes: {a: [0, 0, 0], b: [2, 0.3, 0], c: [1.7, 1.4, 0], d: [-0.2, 1, 0]}\n"
            "elements: {ma: {mass3d: a, mass: 1}, mb: {mass3d: b, mass: 1}, mc: {mass3d: c, mass: 1},\n"
            "  md: {mass3d: d, mass: 1}, load: {surface_load: %s, %s}}\n"
            "sensors: {a: {acceleration: a}, b: {acceleration: b}, c: {acceleration: c}, d: {acceleration: "
            "d}}\n"
            "run: {end: 1 ms, step: 1 ms}\n",
            nodes[i / 2], load[i % 2]);
        kit_text(&k, yaml);
        kit_points(&k, 4, out, t, y);
        for (int j = 0; j < n; j++) {
            const double *p = x[j], *q = x[(j + 1) % (int)n], c = p[0] * q[1] - q[0] * p[1];
            A += c / 2, S[0] += c * (p[0] + q[0]) / 6, S[1] += c * (p[1] + q[1]) / 6;
            F += y[j], M[0] += y[j] * p[0], M[1] += y[j] * p[1];
        }
        kit_near("force", F, 5 * A, 1e-13);
        kit_near("moment about y", M[0], 5 * S[0], 1e-13);
        kit_near("moment about x", M[1], 5 * S[1], 1e-13);
        kit_close(&k);
    }
}

static void refused(const char *yaml, const char *why)
{
    sn_model *m = NULL;
    sn_values *p = NULL;
    sn_err err;
    sn_err_clear(&err);
    sn_status s = sn_model_read_text("model", yaml, strlen(yaml), &m, &err);
    if (!s) s = sn_values_new(m, &p, &err);
    assert_int_equal(s, SN_ERR_INPUT);
    if (!strstr(err.report[0].text, why)) fail_msg("'%s' is not in '%s'", why, err.report[0].text);
    sn_values_free(p);
    sn_model_free(m);
}

/* What is no surface cannot carry it, and corners on one line have no area. */
static void test_refused(void **state)
{
    (void)state;
    refused("sinew: 1\nnodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"
            "elements:\n  rod: {beam3d_cr: [a, b], EA: 1, GJ: 1, EI_y: 1, EI_z: 1, rhoA: 1}\n"
            "  p: {surface_load: rod, pressure: 1}\n",
            "beam3d_cr 'rod' is no surface that could carry a surface_load");
    refused("sinew: 1\nnodes: {a: [0, 0, 0], b: [1, 0, 0], c: [2, 0, 0]}\n"
            "elements:\n  p: {surface_load: [a, b, c], pressure: 1}\n",
            "its corners span no area");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_prism),
        cmocka_unit_test(test_area),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
