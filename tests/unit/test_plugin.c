/* Kinds that a program adds: what is refused, in which words; that each family of them works in a model; many
   threads at once. The other tests' kinds do not see them: registration is for this process. */
#include "compile_kit.h"

#include <math.h>
#include <pthread.h>

#include "sinew/plugin.h"

/* ---- kinds of a foreign author, each the smallest of its family ---- */

static const sn_slot stiffness[] = {{"k", "N/m", "stiffness", 1, 0, 2, 0, SN_INFINITE, NULL}, {.name = NULL}};
static const sn_slot none[] = {{.name = NULL}};

/* A spring from the x of a node to 0: r = k x. */
static sn_status pull_eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C, (void)M;
    r[0] += in->s[0] * in->q[0];
    if (K) K[0] += in->s[0];
    return SN_OK;
}

static sn_status pull_dparam(const sn_in *in, int index, double *dr)
{
    if (index == 0) dr[0] += in->q[0];
    return SN_OK;
}

static const sn_element_class pull = {
    .name = "pull",
    .doc = "spring along x to the origin",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .ask = SN_POSITION | SN_FRAME},
    .slots = stiffness,
    .eval = pull_eval,
    .dparam = pull_dparam};

/* y = y of the reference */
static sn_status rail_layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->m = 1;
    l->component[0] = "y", l->unit[0] = "m";
    return SN_OK;
}

static sn_status rail_eval(const sn_in *in, sn_joint_out *o)
{
    o->phi[0] = in->q[1] - in->X[1];
    o->r[1] += in->lam[0];
    if (o->B) o->B[1] = 1;
    return SN_OK;
}

static sn_status rail_rate(const sn_in *in, double *phi_t, double *gamma)
{
    (void)in;
    phi_t[0] = gamma[0] = 0;
    return SN_OK;
}

static sn_status rail_dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    (void)dr;
    if (index == in->ns + 1) dphi[0] -= 1;
    return SN_OK;
}

static const sn_joint_class rail = {
    .name = "rail",
    .doc = "keeps the height",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 2, .ask = SN_POSITION | SN_FRAME},
    .slots = none,
    .layout = rail_layout,
    .eval = rail_eval,
    .rate = rail_rate,
    .dparam = rail_dparam};

static const sn_slot rate[] = {
    {"rate", "1/s", "change a second", 1, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL}, {.name = NULL}};

static void ramp_eval(const sn_in *in, double *y) { y[0] = in->s[0] * in->t, y[1] = in->s[0], y[2] = 0; }

static void ramp_dparam(const sn_in *in, int index, double *dy)
{
    (void)index;
    dy[0] = in->t, dy[1] = 1, dy[2] = 0;
}

static const sn_signal_class ramp = {.name = "ramp",
                                     .doc = "grows in proportion to time",
                                     .args = {.what = SN_ARG_SLOT},
                                     .slots = rate,
                                     .eval = ramp_eval,
                                     .dparam = ramp_dparam};

static sn_status twice_layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->ny = 1;
    l->component[0] = "x", l->unit[0] = "m";
    return SN_OK;
}

static sn_status twice_eval(const sn_in *in, double *y, sn_dout *d)
{
    y[0] = 2 * in->q[0];
    if (d) d->q[0] = 2;
    return SN_OK;
}

static sn_status twice_dparam(const sn_in *in, int index, double *dy)
{
    (void)in, (void)index;
    dy[0] = 0;
    return SN_OK;
}

static const sn_sensor_class twice = {
    .name = "twice",
    .doc = "two times x",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .ask = SN_POSITION | SN_FRAME},
    .slots = none,
    .layout = twice_layout,
    .eval = twice_eval,
    .dparam = twice_dparam};

static const sn_slot steel_slots[] = {{"E", "Pa", "modulus", 1, 0, 210e9, 0, SN_INFINITE, NULL},
                                      {.name = NULL}};
static const sn_property_class steel = {
    .name = "steel", .doc = "a material that is known", .slots = steel_slots};

static const sn_element_class *const elements[] = {&pull, NULL};
static const sn_joint_class *const joints[] = {&rail, NULL};
static const sn_signal_class *const signals[] = {&ramp, NULL};
static const sn_sensor_class *const sensors[] = {&twice, NULL};
static const sn_property_class *const properties[] = {&steel, NULL};

/* ---- refusals ---- */

static void refuse(const sn_plugin *p, const char *text)
{
    sn_err err;
    sn_err_clear(&err);
    assert_int_equal(sn_plugin_add(p, &err), SN_ERR_INPUT);
    int found = 0;
    for (int i = 0; i < err.count && i < SN_ERR_MAX; i++) found |= strstr(err.report[i].text, text) != NULL;
    if (!found) print_reports(&err);
    if (!found) fail_msg("not said: %s", text);
}

static void refuse_element(sn_element_class c, const char *text)
{
    const sn_element_class *const list[] = {&c, NULL};
    refuse(&(sn_plugin){SN_PLUGIN_HEAD, .name = "bad", .elements = list}, text);
    assert_null(sn_element_find("pull"));
}

static void test_head(void **state)
{
    (void)state;
    sn_plugin p = {SN_PLUGIN_HEAD, .name = "bad", .elements = elements};
    p.version++;
    refuse(&p, "compiled with other headers of sinew: its tables are of version 2");
    p.version--, p.size[2] += 8;
    refuse(&p, "its sn_slot has");
    p.size[2] -= 8, p.n_size--;
    refuse(&p, "compiled with other headers");
    p.n_size++, p.name = NULL;
    refuse(&p, "no name");
    refuse(&(sn_plugin){SN_PLUGIN_HEAD, .name = "empty"}, "plug-in 'empty': it has no kinds");
    refuse(NULL, "there is no plug-in");
}

static void test_tables(void **state)
{
    (void)state;
    sn_element_class c = pull;
    c.name = "lag";
    refuse_element(c, "plug-in 'bad': element 'lag': there is already a kind of this name");
    c = pull, c.name = "p q";
    refuse_element(c, "the name is no good");
    c = pull, c.name = NULL;
    refuse_element(c, "a kind without a name");
    c = pull, c.doc = NULL;
    refuse_element(c, "element 'pull': no doc");
    c = pull, c.dparam = NULL;
    refuse_element(c, "element 'pull': eval or dparam is missing");
    c = pull, c.slots = NULL;
    refuse_element(c, "no table of slots");
    c = pull, c.args.ask = 64;
    refuse_element(c, "ask for a view that there is not");
    c = pull, c.flags = SN_CONSERVATIVE;
    refuse_element(c, "SN_CONSERVATIVE without energy");
    c = pull, c.geometry = &(const sn_geometry){.shape = SN_SHAPE_LINE};
    refuse_element(c, "fewer nodes than the shape has corners");
    c.geometry = &(const sn_geometry){.shape = SN_SHAPE_POINT, .interpolation = SN_CUBIC};
    refuse_element(c, "interpolation");
    c.geometry = &(const sn_geometry){.shape = SN_SHAPE_POINT, .meshes = 1};
    refuse_element(c, "what is meshed is a line or a surface");
    c.geometry = &(const sn_geometry){.shape = SN_SHAPE_POINT, .symbol = ""};
    refuse_element(c, "a symbol without a name");
    const sn_field_decl field[] = {
        {"p q", "N/foot", "", 2, 13, 0, {0}}, {"p q", "N", "d", 1, 2, 0, {0}}, {.name = NULL}};
    c = pull, c.fields = field;
    refuse_element(c, "fields and field go together");
    refuse_element(c, "no good name for field 'p q'");
    refuse_element(c, "no known unit for field");
    refuse_element(c, "no doc for field");
    refuse_element(c, "13 components of a field, the most are 12");
    refuse_element(c, "neither 1 nor the corners of the shape in field");
    refuse_element(c, "a component without name in field");
    refuse_element(c, "two fields have the name");
    c = pull, c.load = &(const sn_load){.slot = 0};
    refuse_element(c, "only a load");
    c.args.what |= SN_ARG_ELEMENT;
    refuse_element(c, "slots of which there are not three");
    sn_slot bad[] = {stiffness[0], {.name = NULL}};
    c = pull, c.slots = bad;
    bad[0].unit = "N/metre";
    refuse_element(c, "no known unit for slot 'k'");
    bad[0] = stiffness[0], bad[0].def = -1;
    refuse_element(c, "default outside the range of slot 'k'");
    bad[0] = stiffness[0], bad[0].formula = "1;2";
    refuse_element(c, "not one formula a component in slot 'k'");
    const sn_option option[] = {{"k", "a|b", "", 2}, {.name = NULL}};
    bad[0] = stiffness[0], c.options = option;
    refuse_element(c, "two keys have the name 'k'");
    refuse_element(c, "default is no choice of option 'k'");
    const sn_output output[] = {{.name = "force", .doc = "force", .n = 65}, {.name = NULL}};
    c = pull, c.outputs = output;
    refuse_element(c, "outputs, output and doutput go together");
    refuse_element(c, "65 components of an output, the most are 64");
    const sn_element_class *const same[] = {&pull, &pull, NULL};
    refuse(&(sn_plugin){SN_PLUGIN_HEAD, .name = "bad", .elements = same},
           "element 'pull': there is already a kind");
    sn_joint_class j = rail;
    j.rate = NULL;
    const sn_joint_class *const jl[] = {&j, NULL};
    refuse(&(sn_plugin){SN_PLUGIN_HEAD, .name = "bad", .joints = jl},
           "layout, eval, rate or dparam is missing");
    sn_sensor_class s = twice;
    s.layout = NULL;
    const sn_sensor_class *const sl[] = {&s, NULL};
    refuse(&(sn_plugin){SN_PLUGIN_HEAD, .name = "bad", .sensors = sl}, "layout, eval or dparam is missing");
    sn_signal_class g = ramp;
    const sn_signal_class *const gl[] = {&g, NULL};
    g.given = 1; /* there is no slot for the time */
    refuse(&(sn_plugin){SN_PLUGIN_HEAD, .name = "bad", .signals = gl}, "given: an input begins with");
    sn_node_class n = *sn_node_find("frame3d");
    n.name = "mine", n.dtangent = NULL;
    const sn_node_class *const nl[] = {&n, NULL};
    refuse(&(sn_plugin){SN_PLUGIN_HEAD, .name = "bad", .nodes = nl}, "dtangent go together");
    n.dtangent = sn_node_find("frame3d")->dtangent, n.slots = sn_node_find("frame2d")->slots;
    refuse(&(sn_plugin){SN_PLUGIN_HEAD, .name = "bad", .nodes = nl},
           "the first slot of a node in space is its place");
    static const sn_offer apart[] = {{SN_POSITION, 0, 1}, {0, 0, 0}};
    static const char *const four[] = {"x", "y", "z", "w"}, *const metres[] = {"m", "m", "m", "m"};
    n = *sn_node_find("point3d");
    n.name = "mine", n.nq = n.nv = 4, n.coord = four, n.unit = metres, n.offers = apart;
    refuse(&(sn_plugin){SN_PLUGIN_HEAD, .name = "bad", .nodes = nl},
           "begins at the same place in q and in v");
}

/* ---- use ---- */

/* ---- kinds that say no without a word, and kinds without energy ---- */

static sn_status mute(sn_layout *l, sn_err *err)
{
    (void)err;
    return l->nn ? SN_ERR_INPUT : SN_ERR_NUMERIC;
}

static sn_status heavy_eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C;
    for (int i = 0; i < in->nv; i++) {
        r[i] += in->a[i];
        if (K) M[i * in->nv + i] += 1;
    }
    return SN_OK;
}

static void test_mute(void **state)
{
    static sn_element_class quiet, heavy;
    static sn_joint_class bolt;
    static sn_sensor_class gauge;
    static const sn_element_class *const el[] = {&quiet, &heavy, NULL};
    static const sn_joint_class *const jl[] = {&bolt, NULL};
    static const sn_sensor_class *const sl[] = {&gauge, NULL};
    static const refusal all[] = {
        {"nodes: {a: [1, 0]}\nelements: {`q: {quiet: a}}\n", "quiet 'q': its layout refuses it"},
        {"nodes: {a: [1, 0]}\nelements: {h: {heavy: a}}\njoints: {`b: {bolt: a}}\n",
         "bolt 'b': its layout refuses it"},
        {"nodes: {a: [1, 0]}\nelements: {h: {heavy: a}}\nsensors: {`g: {gauge: a}}\n",
         "gauge 'g': its layout refuses it"},
        {"nodes: {a: [1, 0]}\nelements: {h: {heavy: a}}\nsensors: {e: {energy: `h}}\n",
         "heavy 'h' has no energy"},
        {"nodes: {a: [1, 0]}\nelements: {h: {heavy: a}}\nsensors: {m: {momentum: `all}}\n",
         "heavy 'h' has no energy, so that of all is not known"}};
    sn_err err;
    (void)state;
    quiet = heavy = pull, bolt = rail, gauge = twice;
    quiet.name = "quiet", quiet.layout = mute;
    heavy.name = "heavy", heavy.flags = SN_USES_A, heavy.eval = heavy_eval;
    bolt.name = "bolt", bolt.layout = mute;
    gauge.name = "gauge", gauge.layout = mute;
    sn_err_clear(&err);
    assert_int_equal(
        sn_plugin_add(
            &(sn_plugin){SN_PLUGIN_HEAD, .name = "mute", .elements = el, .joints = jl, .sensors = sl}, &err),
        SN_OK);
    REFUSE_ALL(all);
}

/* A force that is no number at the start is told by the element's name, not by that of a sensor. */
static sn_status lost_eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)in, (void)K, (void)C, (void)M;
    r[0] += NAN;
    return SN_OK;
}

static void test_lost(void **state)
{
    static sn_element_class lost;
    static const sn_element_class *const el[] = {&lost, NULL};
    sn_model *m;
    sn_values *p;
    sn_err err;
    (void)state;
    lost = pull, lost.name = "lost", lost.eval = lost_eval;
    sn_err_clear(&err);
    assert_int_equal(sn_plugin_add(&(sn_plugin){SN_PLUGIN_HEAD, .name = "lost", .elements = el}, &err),
                     SN_OK);
    accepted("nodes: {a: [1, 0]}\nelements: {l: {lost: a}, m: {mass2d: a, mass: 1 kg}}\n"
             "sensors: {p: {position: a}, acc: {acceleration: a}}\nrun: {end: 1 s, step: 1 ms}\n",
             &m, &p);
    sn_run_options o = sn_run_options_default(m, p);
    double y[8];
    int c;
    assert_int_equal(sn_channel_find(m, "acc.x", &c, &err), SN_OK);
    sn_samples at = {.n = 1, .t = (double[]){0}, .y = y};
    sn_status s = sn_sample(m, p, &o, &at, NULL, &err);
    print_reports(&err);
    assert_int_equal(s, SN_ERR_NUMERIC);
    assert_non_null(strstr(err.report[0].text, "a force of lost 'l' is not finite"));
    sn_values_free(p);
    sn_model_free(m);
}

/* All or nothing: a plug-in with one bad kind adds none. */
static void test_whole(void **state)
{
    (void)state;
    sn_joint_class j = rail;
    j.eval = NULL;
    const sn_joint_class *const jl[] = {&j, NULL};
    refuse(&(sn_plugin){SN_PLUGIN_HEAD, .name = "bad", .elements = elements, .joints = jl}, "is missing");
    assert_null(sn_element_find("pull"));
}

/* m x'' = -k x, y held, from x = 1: x(1) = cos(sqrt(k/m)). Its derivative by k, with m = 1:
   -sin(sqrt k) / (2 sqrt k). 1e-6 for the steps of 1e-3: (w h)^2/12 w t x = 2e-7 for x, the same for
   the derivative. */
static void test_use(void **state)
{
    static const char *const of[] = {"tip.x@1"}, *const wrt[] = {"k"};
    const sn_element_class *const *before = sn_element_all();
    int n = 0;
    sn_model *m;
    sn_values *p;
    sn_err err;
    (void)state;
    while (before[n]) n++;
    sn_err_clear(&err);
    sn_status s =
        sn_plugin_add(&(sn_plugin){SN_PLUGIN_HEAD, .name = "good", .elements = elements, .joints = joints,
                                   .signals = signals, .sensors = sensors, .properties = properties},
                      &err);
    print_reports(&err);
    assert_int_equal(s, SN_OK);
    assert_null(before[n]);
    assert_ptr_equal(sn_element_all()[n], &pull);
    assert_ptr_equal(sn_element_find("pull"), &pull);
    accepted(
        "parameters: {k: 4 N/m}\n"
        "materials: {m: {steel: }}\n"
        "nodes: {a: [1, 0]}\n"
        "elements: {p: {pull: a, k: k}, m: {mass2d: a, mass: 1 kg}, f: {force2d: a, force: [0 N, r*1 N]}}\n"
        "joints: {rail: {rail: a}}\n"
        "signals: {r: {ramp: 2}}\n"
        "sensors: {tip: {twice: a}}\n"
        "run: {end: 1 s, step: 1 ms}\n",
        &m, &p);
    sn_gradient_options o = sn_gradient_options_default(m, p);
    o.of = of, o.n_of = 1, o.wrt = wrt, o.n_wrt = 1;
    for (int method = SN_GRADIENT_FORWARD; method <= SN_GRADIENT_ADJOINT; method++) {
        double x, dx;
        o.method = (sn_gradient_method)method;
        s = sn_gradient(m, p, &o, &(sn_gradient_result){.value = &x, .gradient = &dx}, NULL, &err);
        print_reports(&err);
        assert_int_equal(s, SN_OK);
        assert_true(fabs(x - 2 * cos(2)) < 2e-6);
        assert_true(fabs(dx + 2 * sin(2) / 4) < 2e-6);
    }
    sn_values_free(p);
    sn_model_free(m);
    refuse(&(sn_plugin){SN_PLUGIN_HEAD, .name = "again", .elements = elements},
           "element 'pull': there is already a kind");
}

enum { THREADS = 8, EACH = 16 };

typedef struct adder {
    sn_element_class cls[EACH];
    char name[EACH][32];
    int failed;
} adder;

/* Adds kinds one by one, and looks each up while others add theirs. */
static void *add(void *arg)
{
    adder *a = arg;
    for (int i = 0; i < EACH; i++) {
        const sn_element_class *const list[] = {&a->cls[i], NULL};
        a->failed |=
            sn_plugin_add(&(sn_plugin){SN_PLUGIN_HEAD, .name = "one", .elements = list}, NULL) != SN_OK;
        a->failed |= sn_element_find(a->name[i]) != &a->cls[i];
    }
    return NULL;
}

static void test_threads(void **state)
{
    static adder a[THREADS];
    pthread_t thread[THREADS];
    int n = 0, now = 0;
    (void)state;
    while (sn_element_all()[n]) n++;
    for (int i = 0; i < THREADS; i++) {
        for (int j = 0; j < EACH; j++) {
            snprintf(a[i].name[j], sizeof a[i].name[j], "pull_%d_%d", i, j);
            a[i].cls[j] = pull;
            a[i].cls[j].name = a[i].name[j];
        }
        assert_int_equal(pthread_create(&thread[i], NULL, add, &a[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) assert_int_equal(a[i].failed, 0);
    while (sn_element_all()[now]) now++;
    assert_int_equal(now, n + THREADS * EACH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_head),   cmocka_unit_test(test_tables),
                                       cmocka_unit_test(test_whole),  cmocka_unit_test(test_mute),
                                       cmocka_unit_test(test_lost),   cmocka_unit_test(test_use),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
