/* The compiler on good models: addresses, units, defaults, meshes, kinds of nodes, includes; several faults
   at once; and the numbers of a parameter set. */
#include "compile_kit.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/unit.h"
#include "sinew/class.h"

/* Products of a few rounded numbers. */
static int near(double x, double y) { return fabs(x - y) <= 8e-15 * fabs(y); }
#define assert_near(x, y) assert_true(near((x), (y)))

static double get(const sn_values *p, const char *name)
{
    double x = NAN;
    sn_err err;
    sn_err_clear(&err);
    if (sn_values_get(p, name, &x, &err)) print_reports(&err);
    return x;
}

static void close_model(sn_model *m, sn_values *p)
{
    sn_values_free(p);
    sn_model_free(m);
}

/* ---- several faults ---- */

static sn_status read_err(const char *text, sn_err *err)
{
    sn_model *m;
    sn_err_clear(err);
    sn_status s = sn_model_read_text("model.yaml", text, strlen(text), &m, err);
    assert_null(m);
    return s;
}

static int reported(const sn_err *err, int line, const char *words)
{
    for (int i = 0; i < err->count && i < SN_ERR_MAX; i++)
        if (err->report[i].line == line && strstr(err->report[i].text, words)) return 1;
    return 0;
}

/* Faults of different passes, one per line: none hides another, and none is told twice. */
static void test_all_reported(void **state)
{
    (void)state;
    sn_err err;
    const char *text = "sinew: 1\n"
                       "nodes:\n"
                       "  a: [0, 0]\n"
                       "  b: [1, 2, 3]\n"
                       "  c: [1 kg, 0]\n"
                       "elements:\n"
                       "  e1: {beam: [a, c]}\n"
                       "  e2: {spring2d: [a, c], kk: 1}\n"
                       "  e3: {spring2d: [a, q], k: 1}\n"
                       "  e4: {mass2d: a}\n"
                       "  e5: {mass2d: b, mass: zz}\n"
                       "  e6: {beam2d_cr: [a, c], EA: 1, EI: 1, rhoA: 1, elements: none}\n"
                       "  e7: {mass2d: e6.n1, mass: 1}\n"
                       "joints:\n"
                       "  j1: {fixed: d}\n"
                       "  j2: {fixed: c, only: [z]}\n"
                       "signals:\n"
                       "  s1: {table: [[0]]}\n"
                       "sensors:\n"
                       "  m1: {force: nothing}\n"
                       "  m2: {reaction: [j1, j2]}\n"
                       "  m3: {force: e2, axes: body}\n"
                       "run: {steps: 3}\n"
                       "gravity: 9\n"
                       "title: {}\n";
    assert_int_equal(read_err(text, &err), SN_ERR_INPUT);
    const struct {
        int line;
        const char *words;
    } want[] = {{4, "3 coordinates"},  {5, "in m"},
                {7, "unknown kind"},   {8, "unknown key"},
                {9, "no node 'q'"},    {10, "missing"},
                {11, "'zz'"},          {12, "there is no parameter 'none'"},
                {15, "no node 'd'"},   {16, "no coordinate"},
                {18, "pair"},          {20, "'nothing'"},
                {21, "takes 1 joint"}, {22, "one of"},
                {23, "'steps'"},       {24, "vector"},
                {25, "text"}};
    const int n = (int)(sizeof want / sizeof *want);
    for (int i = 0; i < n; i++)
        if (!reported(&err, want[i].line, want[i].words)) {
            print_reports(&err);
            fail_msg("nothing about line %d: %s", want[i].line, want[i].words);
        }
    if (err.count != n) print_reports(&err);
    assert_int_equal(err.count, n);
}

static void test_more_than_twenty(void **state)
{
    (void)state;
    sn_err err;
    char text[4096] = "sinew: 1\nnodes: {a: [0, 0]}\nelements:\n";
    for (int i = 0; i < 35; i++) sprintf(text + strlen(text), "  e%d: {mass2d: a, mass: 1, bad: 1}\n", i);
    memset(&err, 0x5a, sizeof err);
    assert_int_equal(read_err(text, &err), SN_ERR_INPUT);
    assert_int_equal(err.count, 35);
    for (int i = 0; i < SN_ERR_MAX; i++) {
        assert_int_equal(err.report[i].line, 4 + i);
        assert_non_null(strstr(err.report[i].text, "unknown key 'bad'"));
    }
    /* nobody interested in the reports */
    sn_model *m;
    assert_int_equal(sn_model_read_text("x", text, strlen(text), &m, NULL), SN_ERR_INPUT);
    assert_null(m);
}

/* Values: all numbers out of range at once. */
static void test_value_reports(void **state)
{
    (void)state;
    sn_model *m;
    sn_values *p;
    sn_err err;
    const char *text =
        "sinew: 1\n" AB
        "elements:\n  m: {mass2d: a, mass: -1}\n  s: {spring2d: [a, b], k: -2}\nrun: {step: 0}\n";
    assert_int_equal(read_whole(text, &m, &p, &err), SN_ERR_INPUT);
    assert_int_equal(err.count, 3);
    assert_true(reported(&err, 4, "elements.m.mass") && reported(&err, 5, "elements.s.k") &&
                reported(&err, 6, "run.step"));
    assert_null(p);
    sn_model_free(m);
}

/* ---- addresses and units ---- */

static const char beams[] =
    "parameters: {w: 2 cm, half: w/2, ratio: 3, mm: 7}\n"
    "materials: {steel: {E: 210 GPa, nu: 0.25, rho: 7.8 g/cm^3}, foam: {E: 1 MPa, G: 2 MPa, rho: 1}}\n"
    "sections: {bar: {rectangle: , width: w, height: half}, rod: {circle: , radius: 1 cm}}\n"
    "nodes: {a: [0, 0], b: [1 m, 50 cm], c: {at: [2, 0], velocity: [1 km/h, 0], angle: 90 deg, spin: 60 "
    "rpm}}\n"
    "elements:\n"
    "  b1: {beam2d_cr: [a, b], material: steel, section: bar, elements: 4}\n"
    "  b2: {beam2d_cr: [b, c], material: steel, section: rod, E: 100 GPa, EI: 5*ratio}\n"
    "  b3: {beam2d_cr: [a, c], E: 2, A: 3, I: 5, rho: 7}\n"
    "  s1: {spring2d: [a, c], k: b2.EA/1 m, kt: 3 N*m/deg, c: 1 N*s/mm}\n"
    "  m1: {mass2d: b, mass: elements.b3.rhoA*1 m, inertia: c.at.x*1 kg*m}\n"
    "  f1: {force2d: c, force: [1 kN, w*1 N/m]}\n";

static void test_addresses(void **state)
{
    (void)state;
    sn_model *m;
    sn_values *p;
    accepted(beams, &m, &p);
    const struct {
        const char *name;
        double x;
    } want[] = {{"w", 0.02},
                {"half", 0.01},
                {"parameters.half", 0.01},
                {"mm", 7}, /* named like a unit */
                {"steel.E", 210e9},
                {"materials.steel.rho", 7800},
                {"steel.G", 210e9 / 2.5},
                {"foam.G", 2e6},
                {"bar.A", 0.02 * 0.01},
                {"bar.I", 0.02 * 1e-6 / 12},
                {"b1.E", 210e9}, /* found in its material */
                {"elements.b1.A", 2e-4},
                {"b1.EA", 210e9 * 2e-4},
                {"b1.rhoA", 7800 * 2e-4},
                {"b2.E", 100e9}, /* its own goes before the material's */
                {"b2.EA", 100e9 * 3.14159265358979323846 * 1e-4},
                {"b2.EI", 15},
                {"b3.EA", 6},
                {"b3.EI", 10},
                {"b3.rhoA", 21},
                {"b3.rhoI", 0}, /* a default */
                {"b.at.y", 0.5},
                {"nodes.c.velocity.x", 1 / 3.6},
                {"c.angle", 3.14159265358979323846 / 2},
                {"c.spin", 2 * 3.14159265358979323846},
                {"s1.k", 100e9 * 3.14159265358979323846 * 1e-4},
                {"s1.l0", 2}, /* by formula, from the nodes */
                {"s1.kt", 3 * 180 / 3.14159265358979323846},
                {"s1.c", 1000},
                {"m1.mass", 21},
                {"m1.inertia", 2},
                {"f1.force.x", 1000},
                {"f1.force.y", 0.02}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        double x = get(p, want[i].name);
        if (!near(x, want[i].x)) fail_msg("%s is %.17g, not %.17g", want[i].name, x, want[i].x);
    }
    assert_int_equal(sn_parameter_count(m), 4);
    assert_string_equal(sn_parameter_name(m, 1), "half");
    close_model(m, p);
}

/* A number without a unit fits everywhere. */
static void test_bare_numbers(void **state)
{
    (void)state;
    sn_model *m;
    sn_values *p;
    accepted("parameters: {x: 3, y: x + 1 m, z: sqrt(x)*x}\nnodes: {a: [x, 0], b: [y, x]}\ngravity: [x, -z]\n"
             "elements: {s: {spring2d: [a, b], k: x, kt: x, c: z}, m: {mass2d: a, mass: x, inertia: x*x}, n: "
             "{mass2d: b, mass: z}}\n"
             "run: {end: x, step: x/1000}\n",
             &m, &p);
    assert_near(get(p, "b.at.x"), 4);
    assert_near(get(p, "m.inertia"), 9);
    assert_near(get(p, "run.end"), 3);
    close_model(m, p);
}

/* Every unit in the tables of the kinds is one that the reader knows. */
static void check_units(const sn_slot *s, const char *kind)
{
    double factor;
    sn_dim dim;
    for (; s && s->name; s++)
        if (sn_unit_whole(s->unit, &factor, &dim) || factor != 1)
            fail_msg("%s.%s: unit '%s'", kind, s->name, s->unit);
}

static void test_units_of_slots(void **state)
{
    (void)state;
    for (const sn_node_class *const *k = sn_node_all(); *k; k++) check_units((*k)->slots, (*k)->name);
    for (const sn_element_class *const *k = sn_element_all(); *k; k++) check_units((*k)->slots, (*k)->name);
    for (const sn_joint_class *const *k = sn_joint_all(); *k; k++) check_units((*k)->slots, (*k)->name);
    for (const sn_signal_class *const *k = sn_signal_all(); *k; k++) check_units((*k)->slots, (*k)->name);
    for (const sn_sensor_class *const *k = sn_sensor_all(); *k; k++) check_units((*k)->slots, (*k)->name);
    for (const sn_property_class *const *k = sn_property_all(); *k; k++) check_units((*k)->slots, (*k)->name);
    check_units(sn_run_table(), "run");
}

/* Four elements in a line: three nodes between, evenly, with the slots of the ends between them too. */
static void test_mesh(void **state)
{
    (void)state;
    sn_model *m;
    sn_values *p;
    sn_sizes sizes;
    accepted("parameters: {L: 2}\nnodes: {a: [0, 1], b: {at: [L, 3], velocity: [0, 8]}}\n"
             "elements:\n  late: {beam2d_cr: [bar.n2, b], EA: 1, EI: 1, rhoA: 1, elements: 2}\n"
             "  bar: {beam2d_cr: [a, b], EA: 1, EI: 1, rhoA: 1, elements: 4}\n"
             "joints: {hold: {fixed: bar.n1, only: [x, theta]}}\n",
             &m, &p);
    sn_model_sizes(m, &sizes);
    assert_int_equal(sizes.nodes, 6);
    assert_int_equal(sizes.elements, 6);
    assert_int_equal(sizes.nv, 18);
    assert_int_equal(sizes.m, 2); /* the choice of coordinates holds for nodes of a mesh too */
    assert_near(get(p, "bar.n1.at.x"), 0.5);
    assert_near(get(p, "bar.n3.at.y"), 2.5);
    assert_near(get(p, "nodes.bar.n2.velocity.y"), 4);
    assert_near(get(p, "late.n1.at.x"), 1.5); /* a mesh that ends in another one, written before it */
    assert_int_equal(sn_values_set(p, "L", "4 m", NULL), SN_OK);
    assert_int_equal(sn_values_update(p, NULL), SN_OK);
    assert_near(get(p, "bar.n1.at.x"), 1);
    assert_near(get(p, "late.n1.at.x"), 3);
    close_model(m, p);
}

/* A plain position is a point until something attached to it needs a rotation. */
static void test_node_kinds(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int nv;
    } want[] = {{AB, 4},
                {AB "elements: {s: {spring2d: [a, b], k: 1}}\n", 4},
                {AB "elements: {s: {spring2d: [a, b], kt: 1}}\n", 6},
                {AB "elements: {m: {mass2d: a, mass: 1, inertia: 1}}\n", 5},
                {AB "joints: {j: {fixed: a, theta: 0}}\n", 5},
                {AB "joints: {j: {drive: a.x, value: 0}}\n", 4},
                {AB "joints: {j: {drive: b.theta, value: 0}}\n", 5},
                {AB "sensors: {s: {rotation: a}}\n", 5},
                {AB "joints: {j: {distance: [b, ground]}}\n", 4},
                {"nodes: {a: {at: [0, 0], spin: 1}, z: {state: 0}}\n", 4}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        sn_model *m;
        sn_values *p;
        sn_sizes sizes;
        accepted(want[i].text, &m, &p);
        sn_model_sizes(m, &sizes);
        if (sizes.nv != want[i].nv)
            fail_msg("%d coordinates, not %d, in\n%s", sizes.nv, want[i].nv, want[i].text);
        close_model(m, p);
    }
}

/* ---- sets of numbers ---- */

static void test_set(void **state)
{
    (void)state;
    sn_model *m;
    sn_values *p;
    sn_err err;
    sn_err_clear(&err);
    accepted(beams, &m, &p);
    /* an expression gives way to a number, and what depends on it follows */
    assert_int_equal(sn_values_set(p, "half", "5 mm", &err), SN_OK);
    assert_int_equal(sn_values_set(p, "b1.E", "70 GPa", &err), SN_OK);
    assert_int_equal(sn_values_set(p, "c.at.x", "3", &err), SN_OK);
    assert_int_equal(sn_values_update(p, &err), SN_OK);
    assert_near(get(p, "bar.A"), 0.02 * 0.005);
    assert_near(get(p, "b1.EA"), 70e9 * 0.02 * 0.005);
    assert_near(get(p, "s1.l0"), 3);
    assert_near(get(p, "w"), 0.02);
    /* refused, with the name and the text */
    const struct {
        const char *name, *text, *words;
    } bad[] = {{"half", "5 kg", "'half' is in m, but '5 kg' is in kg"},
               {"b1.EA", "3 m", "'b1.EA'"},
               {"haf", "1", "no number 'haf' (did you mean 'half'?)"},
               {"half", "w", "a plain number is expected"},
               {"half", "1e999", "finite"},
               {"half", "", ""},
               {"half", "2 +", ""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sn_err_clear(&err);
        assert_int_equal(sn_values_set(p, bad[i].name, bad[i].text, &err), SN_ERR_INPUT);
        assert_int_equal(err.count, 1);
        if (!strstr(err.report[0].text, bad[i].words)) fail_msg("%s", err.report[0].text);
    }
    sn_err_clear(&err);
    assert_int_equal(sn_values_set_number(p, "half", NAN, &err), SN_ERR_INPUT);
    /* out of range: told when it takes effect */
    sn_err_clear(&err);
    assert_int_equal(sn_values_set(p, "b2.rhoA", "-1 kg/m", &err), SN_OK);
    assert_int_equal(sn_values_update(p, &err), SN_ERR_INPUT);
    assert_int_equal(err.count, 1);
    assert_non_null(strstr(err.report[0].text, "'elements.b2.rhoA' cannot be negative, but is -1"));
    close_model(m, p);
}

static void test_signals_in_slots(void **state)
{
    (void)state;
    sn_model *m;
    sn_values *p;
    sn_err err;
    sn_err_clear(&err);
    accepted(
        "parameters: {A: 2 N, f: 1 Hz}\n" AB
        "elements: {g: {force2d: a, force: [2*wave + A, A*sin(2*pi*f*t)]}, m: {mass2d: a, mass: 1}, "
        "n: {mass2d: b, mass: 1}}\nsignals: {wave: {expression: A*t/ramp.end}, ramp: {step: 1, end: 2 s}}\n",
        &m, &p);
    assert_near(get(p, "ramp.end"), 2);
    assert_int_equal(sn_values_set(p, "g.force.x", "1", &err), SN_ERR_INPUT);
    assert_non_null(strstr(err.report[0].text, "varies with time"));
    close_model(m, p);
}

/* ---- includes ---- */

typedef struct folder {
    char path[64];
} folder;

static void write_file(const folder *f, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static sn_status read_from(const folder *f, const char *name, sn_model **m, sn_err *err)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    sn_err_clear(err);
    return sn_model_read(path, m, err);
}

static void remove_files(const folder *f, int n, const char *const *name)
{
    for (int i = 0; i < n; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", f->path, name[i]);
        unlink(path);
    }
    rmdir(f->path);
}

static void test_include(void **state)
{
    (void)state;
    folder f = {"/tmp/sinew-compile-XXXXXX"};
    sn_model *m;
    sn_values *p;
    sn_err err;
    assert_non_null(mkdtemp(f.path));
    write_file(
        &f, "leg.yaml",
        "sinew: 1\ngravity: [9, 9]\nparameters: {k: 5 N/m, twice: 2*k}\nnodes: {hip: [0, 0], foot: [0, -1]}\n"
        "elements: {s: {spring2d: [hip, foot], k: elements.t.k + 0*twice}, t: {spring2d: [hip, foot], k: k}, "
        "m: {mass2d: foot, mass: 1}}\n"
        "signals: {w: {table: push.csv, columns: [time, force]}}\n");
    write_file(&f, "push.csv", "time,force\n0,1\n1,2\n");
    write_file(&f, "main.yaml",
               "sinew: 1\nparameters: {k0: 7 N/m}\ninclude:\n"
               "  - {file: leg.yaml, prefix: left_, at: [3, 1], angle: 90 deg, set: {k: 2*k0}}\n"
               "  - {file: leg.yaml, prefix: right_}\n"
               "joints: {j: {distance: [left_hip, right_foot]}}\n");
    if (read_from(&f, "main.yaml", &m, &err)) print_reports(&err);
    assert_non_null(m);
    if (sn_values_new(m, &p, &err)) print_reports(&err);
    assert_non_null(p);
    assert_near(get(p, "left_k"), 14);
    assert_near(get(p, "left_twice"), 28);
    assert_near(get(p, "right_s.k"), 5);
    assert_near(get(p, "left_s.k"), 14);
    assert_near(get(p, "left_w.y.2"), 2);
    assert_near(get(p, "gravity.y") + 1, 1);
    assert_near(get(p, "left_foot.at.x"), 4); /* a quarter turn: down becomes right */
    assert_near(get(p, "left_foot.at.y"), 1);
    close_model(m, p);
    static const char *const name[] = {"leg.yaml", "push.csv", "main.yaml"};
    remove_files(&f, 3, name);
}

static void test_include_faults(void **state)
{
    (void)state;
    folder f = {"/tmp/sinew-compile-XXXXXX"};
    sn_model *m;
    sn_err err;
    assert_non_null(mkdtemp(f.path));
    write_file(&f, "self.yaml",
               "sinew: 1\ninclude: [{file: self.yaml, prefix: a_}, {file: self.yaml, prefix: b_}]\nnodes: "
               "{n: [0, 0]}\n");
    write_file(&f, "bad.yaml",
               "sinew: 1\nnodes: {n: [0, 0]}\nparameters: {t: 1}\nelements: {m: {mass2d: n, mas: 1}}\n");
    write_file(&f, "main.yaml",
               "sinew: 1\ninclude:\n"
               "  - {file: bad.yaml, prefix: a_, set: {k: 1}}\n"
               "  - {file: none.yaml, prefix: b_}\n"
               "  - {file: bad.yaml, prefix: a.b}\n"
               "  - {prefix: c_}\n"
               "  - {file: bad.yaml, prefix: d_, at: 3}\n"
               "  - {file: /dev/zero, prefix: e_}\n"
               "  - 5\n"
               "signals: {w: {table: none.csv}}\njoints: {j: {fixed: b_n}}\n");
    write_file(&f, "good.yaml", "sinew: 1\nnodes: {n: [0, 0]}\n");
    write_file(&f, "twice.yaml", "sinew: 1\ninclude: [{file: good.yaml}, {file: good.yaml}]\n");
    assert_int_equal(read_from(&f, "twice.yaml", &m, &err), SN_ERR_INPUT);
    assert_int_equal(err.count, 1);
    assert_true(reported(&err, 2, "node 'n' is already defined at ") &&
                strstr(err.report[0].text, "good.yaml:2"));
    assert_int_equal(read_from(&f, "self.yaml", &m, &err), SN_ERR_INPUT);
    assert_int_equal(err.count, 2);
    assert_true(reported(&err, 2, "'self.yaml' includes itself"));
    assert_int_equal(read_from(&f, "main.yaml", &m, &err), SN_ERR_INPUT);
    const struct {
        int line;
        const char *words;
    } want[] = {{3, "has no parameter 'k'"}, {4, "none.yaml: cannot open the file"},
                {5, "no good prefix"},       {6, "needs 'file: name.yaml'"},
                {7, "'at' is a position"},   {8, "/dev/zero: this is a device, not a file"},
                {9, "an include is a map"},  {10, "none.csv: "},
                {3, "'t' has a meaning"},    {4, "unknown key 'mas'"},
                {4, "'mass' is missing"}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!reported(&err, want[i].line, want[i].words)) {
            print_reports(&err);
            fail_msg("nothing about line %d: %s", want[i].line, want[i].words);
        }
    assert_int_equal(err.count, (int)(sizeof want / sizeof *want)); /* b_n is not missed: its file is */
    static const char *const name[] = {"self.yaml", "bad.yaml", "main.yaml", "good.yaml", "twice.yaml"};
    remove_files(&f, 5, name);
}

/* What is wrong with an entry is said once, however many pieces it is meshed into. */
static void test_pieces_told_once(void **state)
{
    sn_model *m;
    sn_values *p;
    sn_err err;
    (void)state;
    const char *text = "sinew: 1\n"
                       "nodes: {a: [0, 0], b: [0, 0], c: [1, 0], d: [1, 0]}\n"
                       "materials: {steel: {E: 210 GPa, rho: 7800}}\n"
                       "sections: {strip: {rectangle: , width: 2 mm, height: 10 mm}}\n"
                       "elements:\n"
                       "  one: {beam2d_cr: [a, b], material: steel, section: strip, elements: 6}\n"
                       "  two: {beam2d_cr: [c, d], material: steel, section: strip, elements: 3}\n"
                       "run: {end: 1, step: 1}\n";
    assert_int_equal(read_whole(text, &m, &p, &err), SN_ERR_INPUT);
    assert_int_equal(err.count, 2);
    assert_non_null(strstr(err.report[0].text, "beam2d_cr 'one': the beam has no length"));
    assert_non_null(strstr(err.report[1].text, "beam2d_cr 'two': the beam has no length"));
    sn_values_free(p);
    sn_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_reported),
        cmocka_unit_test(test_more_than_twenty),
        cmocka_unit_test(test_value_reports),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_bare_numbers),
        cmocka_unit_test(test_units_of_slots),
        cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_node_kinds),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_signals_in_slots),
        cmocka_unit_test(test_include),
        cmocka_unit_test(test_include_faults),
        cmocka_unit_test(test_pieces_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
