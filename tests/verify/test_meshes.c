/* Meshes of the section `meshes`: places of their nodes and derivatives by what they depend on, shared edges,
   files of Gmsh, sets of nodes, what is told of them. */
#include "verify/gradient.h"

#include "base/mem.h"

#include <unistd.h>

#define SHELL "E: 1e9, nu: 0.3, rho: 1000, thickness: 0.01"
#define RUN   "run: {end: 0.02, step: 0.01}\n"
#define DATA  SN_SOURCE_DIR "/tests/verify/data/mesh/"

static int node_named(const sn_model *m, const char *name)
{
    for (int i = 0; i < m->n_node; i++)
        if (strcmp(m->node[i].name, name) == 0) return i;
    return -1;
}

static const double *place(const kit *k, const char *name)
{
    const int i = node_named(k->m, name);
    if (i < 0) fail_msg("no node %s", name);
    return k->p->q0 + k->m->node[i].q;
}

static void near3(const kit *k, const char *name, double x, double y, double z)
{
    const double *p = place(k, name);
    kit_near(name, p[0], x, 1e-12);
    kit_near(name, p[1], y, 1e-12);
    kit_near(name, p[2], z, 1e-12);
}

/* Places by the formulas of the surfaces. */
static void test_places(void **state)
{
    kit k;
    const double c = sqrt(0.5);
    (void)state;
    kit_text(
        &k,
        "sinew: 1\nmeshes:\n"
        "  drum: {cylinder: , radius: 2, length: 3, elements: [8, 3]}\n"
        "  half: {cylinder: , radius: 2, length: 3, angle: 180 deg, start: 90 deg, elements: [4, 3]}\n"
        "  cone: {cone: , radius1: 2, radius2: 1, length: 3, elements: [8, 2], at: [0, 0, 9]}\n"
        "  ball: {sphere: , radius: 2, from: -30 deg, to: 30 deg, elements: [8, 2], angles: [90 deg, 0, 0]}\n"
        "  ring: {annulus: , outer: 2, inner: 1, elements: [8, 1]}\n"
        "  plate: {disc: , radius: 2, elements: [4, 2], at: [0, 0, 1]}\n"
        "  vase: {revolved: , line: [[1, 0], [2, 1], [1, 2]], curve: spline, elements: [8, 4]}\n"
        "  roof: {extruded: , line: [[0, 0, 0], [1, 0, 1], [2, 0, 0]], by: [0, 4, 0], curve: arc, "
        "elements: [4, 2]}\n"
        "  sail: {patch: , corners: [[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], edge1: [[2, -1, 0]],\n"
        "    edge3: [[2, 4, 2]], elements: [2, 2]}\n"
        "elements:\n  a: {shell4_mitc: drum, " SHELL "}\n  b: {shell4_mitc: half, " SHELL "}\n"
        "  c: {shell4_mitc: cone, " SHELL "}\n  d: {shell4_mitc: ball, " SHELL "}\n"
        "  e: {shell4_mitc: ring, " SHELL "}\n  f: {shell4_mitc: vase, " SHELL "}\n"
        "  g: {shell4_mitc: roof, " SHELL "}\n  h: {shell4_mitc: sail, " SHELL
        "}\n  i: {shell4_mitc: plate, " SHELL "}\n" RUN);
    near3(&k, "drum.n1_3", 2 * c, 2 * c, 3);
    near3(&k, "half.n4_1", 0, -2, 1);
    near3(&k, "cone.n0_1", 1.5, 0, 10.5);
    near3(&k, "ball.n2_2", 0, -1, sqrt(3)); /* (0, sqrt 3, 1) turned about x */
    near3(&k, "ring.n2_1", 0, 1, 0);
    near3(&k, "plate.n0_0", -2 * c, -2 * c, 1);
    near3(&k, "plate.n2_1", 0, 0, 1);
    near3(&k, "plate.n3_2", sqrt(0.5), sqrt(3.5), 1); /* x = 1, y = 2 of the square: on the circle */
    /* the parabola through the three points: r = 2 - (z - 1)^2 */
    near3(&k, "vase.n0_1", 1.75, 0, 0.5);
    near3(&k, "vase.n2_3", 0, 1.75, 1.5);
    near3(&k, "roof.n1_1", 1 - c, 2, c);
    near3(&k, "roof.n3_2", 1 + c, 4, c);
    near3(&k, "sail.n1_0", 2, -1, 0);
    near3(&k, "sail.n1_2", 2, 4, 2);
    near3(&k, "sail.n1_1", 2, 1.5,
          1); /* half of each of the two edges and of what lies between the straight ones */
    assert_int_equal(k.m->entry[SN_SEC_ELEMENTS][0].pieces, 24);
    kit_close(&k);
}

/* A clamped disc under pressure, w = q a^4/64 D in its middle: 12 x 12 flat elements within a polygon of 48
   sides, whose mean radius is (pi/48)^2/6 = 0.07 % short; an error of second order, a wave of the length 4a
   over 12 elements each quarter: (2 pi/24)^2/2 = 3.4 %. Each node of the rim is held once, or equations were
   redundant. */
static void test_disc(void **state)
{
    const double D = 1e9 * 1e-6 / 12 / 0.91;
    char text[600];
    sn_info info;
    kit k;
    (void)state;
    snprintf(text, sizeof text,
             "sinew: 1\nmeshes: {d: {disc: , radius: 1, elements: [12, 12]}}\nelements:\n"
             "  p: {shell4_mitc: d, E: 1e9, nu: 0.3, rho: 1, thickness: 0.01}\n  q: {surface_load: p, "
             "pressure: %.15g}\n"
             "joints: {rim: {fixed: d.rim}}\nsensors: {c: {displacement: d.n6_6}}\n" RUN,
             64e-6 * D);
    kit_text(&k, text);
    assert_int_equal(k.m->joint.n, 48);
    sn_run_options o = sn_run_options_default(k.m, k.p);
    double all[16];
    kit_good(&k, sn_static(k.m, k.p, &o, all, &info, &k.err));
    const double middle = all[2];
    assert_int_equal(info.redundant, 0);
    kit_near("middle of a disc", middle, 1e-6, 0.034e-6);
    kit_close(&k);
}

/* In an equilibrium without forces nodes are where the mesh has them: derivatives by radius, angle, corner,
   origin and turn in closed form. They go through the solution of the statics: 1e-9. */
static void test_derivatives(void **state)
{
    static const char *const of[] = {"p.x", "p.y", "p.z", "q.z", "q.y"}, *const wrt[] = {
                                                                             "R", "drum.angle", "drum.at.x",
                                                                             "drum.angles.z", "h"};
    const double c = cos(0.5), s = sin(0.5);
    double y[5], dy[25];
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\nparameters: {R: 2, h: 1}\nmeshes:\n"
                 "  drum: {cylinder: , radius: R, length: 3, angle: 1, elements: [2, 2]}\n"
                 "  roof: {extruded: , line: [[0, 0, 0], [1, 0, h], [2, 0, 0]], by: [0, 4, 0], curve: arc, "
                 "elements: [4, 2]}\n"
                 "elements:\n  a: {shell4_mitc: drum, " SHELL "}\n  b: {shell4_mitc: roof, " SHELL "}\n"
                 "joints: {a: {fixed: drum.edge1}, b: {fixed: roof.edge4}}\n"
                 "sensors: {p: {position: drum.n1_1}, q: {position: roof.n2_1}}\n" RUN);
    sn_gradient_options o = sn_gradient_options_default(k.m, k.p);
    o.statics = 1, o.of = of, o.n_of = 5, o.wrt = wrt, o.n_wrt = 5;
    kit_good(&k, sn_gradient(k.m, k.p, &o, &(sn_gradient_result){.value = y, .gradient = dy}, NULL, &k.err));
    kit_near("p.x", y[0], 2 * c, 1e-9);
    const double expected[25] = {c, -2 * s / 2, 1, -2 * s, 0, s, 2 * c / 2, 0, 2 * c, 0, 0, 0, 0,
                                 0, 0,          0, 0,      0, 0, 1,         0, 0,     0, 0, 0};
    for (int i = 0; i < 25; i++) kit_near("derivative", dy[i], expected[i], 1e-9);
    kit_close(&k);
}

/* A ring closes, and meshes that share an edge share its nodes. */
static void test_shared(void **state)
{
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\nmeshes:\n  drum: {cylinder: , radius: 1, length: 2, elements: [8, 4]}\n"
                 "  lid: {annulus: , outer: 1, inner: 0.5, elements: [8, 2], at: [0, 0, 2], shares: {edge1: "
                 "drum.edge3}}\n"
                 "elements:\n  a: {shell4_mitc: drum, " SHELL "}\n  b: {shell4_mitc: lid, " SHELL "}\n" RUN);
    assert_int_equal(k.m->n_node, 8 * 5 + 8 * 2);
    const sn_object *o = k.m->element.object;
    assert_int_equal(o[7].node[1], o[0].node[0]);   /* the last piece around ends where the first begins */
    assert_int_equal(o[32].node[0], o[24].node[3]); /* the lid's first corner is one of the drum's edge */
    assert_int_equal(o[32].node[0], node_named(k.m, "drum.n0_4"));
    double x;
    kit_good(&k, sn_values_get(k.p, "lid.n1_0.at.x", &x, &k.err));
    kit_near("at", x, sqrt(0.5), 1e-12);
    kit_close(&k);
}

/* Text and binary files of both versions are the same mesh. */
static void test_gmsh(void **state)
{
    static const char *const file[] = {"plate41.msh", "plate41b.msh", "plate22.msh"};
    char text[1024];
    (void)state;
    for (int i = 0; i < 3; i++) {
        kit k;
        double y[16], x;
        snprintf(text, sizeof text,
                 "sinew: 1\nmeshes: {wing: {gmsh: " DATA "%s, scale: 1 mm, at: [1, 0, 0]}}\n"
                 "elements:\n  deck: {shell4_mitc: wing.deck, " SHELL "}\n"
                 "  push: {force3d: wing.n2, force: [0, 0, -3]}\n"
                 "joints: {wall: {fixed: wing.root}}\nsensors: {wall: {reaction: wall}, one: {reaction: "
                 "wall.wing.n4}}\n" RUN,
                 file[i]);
        kit_text(&k, text);
        assert_int_equal(k.m->n_node, 15);
        assert_int_equal(k.m->element.n, 9);
        assert_int_equal(k.m->joint.n, 3);
        near3(&k, "wing.n2", 3, 0, 0);
        near3(&k, "wing.n4", 1, 1, 0);
        kit_good(&k, sn_static(k.m, k.p, &k.o, y, &k.info, &k.err));
        kit_near("sum", y[2], 3, 1e-9); /* on the wall's nodes; forces alone are added up */
        assert_int_equal(k.m->sensor.object[0].ny, 3);
        assert_int_equal(k.m->sensor.object[1].ny, 6);
        kit_set(&k, "wing.scale", 2e-3);
        kit_update(&k);
        near3(&k, "wing.n2", 5, 0, 0);
        kit_set(&k, "wing.n2.at.x", 4.5);
        kit_update(&k);
        near3(&k, "wing.n2", 4.5, 0, 0);
        kit_good(&k, sn_values_get(k.p, "wing.n4.at.y", &x, &k.err));
        kit_near("at", x, 2, 1e-12);
        kit_close(&k);
    }
}

/* Numbers are shared out by length and by area; what is set from outside is shared out, too. */
static void test_spread(void **state)
{
    kit k;
    double y[32], sum = 0;
    (void)state;
    kit_text(&k,
             "sinew: 1\nmeshes:\n"
             "  p: {extruded: , line: [[0, 0, 0], [1, 0, 0], [4, 0, 0]], by: [0, 2, 0], elements: [2, 1]}\n"
             "elements:\n  s: {shell4_mitc: p, " SHELL "}\n"
             "  line: {force3d: p.edge1, force: [0, 0, 8], spread: force}\n"
             "  area: {mass3d: p.all, mass: 16, spread: mass}\n  each: {force3d: p.edge3, force: [1, 0, 0]}\n"
             "  plate: {shell4_mitc: [a, b, c, d], elements: [2, 1], " SHELL "}\n"
             "  rim: {force3d: plate.edge2, force: [0, 0, 2], spread: [force]}\n"
             "nodes: {a: [0, 9, 0], b: [2, 9, 0], c: [2, 10, 0], d: [0, 10, 0]}\n"
             "joints: {wall: {fixed: p.edge4}, w: {fixed: plate.edge4}}\n"
             "sensors: {wall: {reaction: wall}, w: {reaction: w}}\n" RUN);
    const sn_model *m = k.m;
    const char *const name[] = {"line.p.n0_0", "line.p.n1_0", "line.p.n2_0"};
    const double expected[] = {1, 4, 3}, total[] = {16. * 1 / 16, 16. * 4 / 16, 16. * 3 / 16};
    for (int i = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        for (int j = 0; j < 3; j++)
            if (strcmp(o->name, name[j]) == 0) kit_near(name[j], k.p->x[o->s + 2], expected[j], 1e-12);
        if (strncmp(o->name, "area.", 5) == 0) {
            sum += k.p->x[o->s];
            kit_near(o->name, k.p->x[o->s], total[(o->name[8] - '0')], 1e-12);
        }
    }
    kit_near("sum", sum, 16, 1e-12);
    kit_good(&k, sn_static(k.m, k.p, &k.o, y, &k.info, &k.err));
    kit_near("wall.fx", y[0], -3, 1e-9);
    kit_near("wall.fz", y[2], -8, 1e-9);
    kit_near("w.fz", y[5], -2, 1e-9);
    kit_set(&k, "line.force.z", 80);
    kit_update(&k);
    kit_good(&k, sn_static(k.m, k.p, &k.o, y, &k.info, &k.err));
    kit_near("wall.fz", y[2], -80, 1e-8);
    kit_close(&k);
}

/* Elements on the edges of a curve: beams share the nodes of the mesh, a load has the curve's length, and
   what is spread its parts of it. The rim of a ring of n chords is n 2 R sin(pi/n) long. */
static void test_edges(void **state)
{
    enum { N = 12 };
    const double length = N * 2 * 0.5 * sin(acos(-1) / N);
    kit k;
    double y[16];
    (void)state;
    kit_text(&k,
             "sinew: 1\nmeshes: {can: {cylinder: , radius: 0.5, length: 1, elements: [12, 3]}}\n"
             "elements:\n  skin: {shell4_mitc: can, " SHELL "}\n"
             "  rim: {beam3d_cr: can.edge3, E: 1e9, G: 4e8, rho: 1000, section: {circle: , radius: 0.01}}\n"
             "  crown: {line_load: can.edge3, per_length: [1, 2, -3]}\n"
             "  tie: {spring3d: can.edge1, k: 24, spread: k}\n"
             "joints: {floor: {fixed: can.edge1}}\n"
             "sensors: {floor: {reaction: floor}, f: {force: rim.e12}}\n" RUN);
    double mass = 0, stiffness = 0;
    const sn_model *m = k.m;
    for (int i = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        if (!strncmp(o->name, "tie.e", 5)) stiffness += k.p->x[o->s];
        if (!strncmp(o->name, "rim.e", 5)) {
            const double *a = k.p->X + o->x, *b = a + o->off[1];
            mass += hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        }
    }
    kit_near("rim", mass, length, 1e-13);
    kit_near("stiffness", stiffness, 24, 1e-12);
    kit_good(&k, sn_static(k.m, k.p, &k.o, y, &k.info, &k.err));
    kit_near("fx", y[0], -length, 1e-9);
    kit_near("fy", y[1], -2 * length, 1e-9);
    kit_near("fz", y[2], 3 * length, 1e-9);
    kit_close(&k);
}

/* Derivatives of a run by all numbers, of meshes, sets and shares included. */
static void test_gradient(void **state)
{
    (void)state;
    grad *g = grad_text(
        "sinew: 1\nparameters: {R: 1.5}\nmeshes:\n"
        "  p: {cylinder: , radius: R, length: 1, angle: 1.2, elements: [2, 1]}\n"
        "elements:\n  s: {shell4_mitc: p, E: 2e4, nu: 0.3, rho: 100, thickness: 0.1}\n"
        "  push: {force3d: p.edge2, force: [1, 2, 3], spread: force}\n"
        "  m: {mass3d: p.edge3, mass: 2, inertia: [1, 2, 3], spread: [mass, inertia]}\n"
        "joints: {wall: {fixed: p.edge4}}\n"
        "sensors: {wall: {reaction: wall}, tip: {position: p.n2_1}}\nrun: {end: 0.2, step: 0.02}\n");
    static const char *const wrt[] = {"R",           "p.length",   "p.angle",      "p.start",
                                      "p.at.x",      "p.angles.y", "push.force.z", "m.mass",
                                      "m.inertia.x", "s.E",        "s.thickness"};
    grad_wrt(g, sizeof wrt / sizeof *wrt, wrt);
    grad_all_sensors(g);
    grad_agree(g, "meshes");
    grad_close(g);
}

static void refused(const char *text, const char *words)
{
    char all[1024];
    sn_model *m;
    sn_err err;
    sn_err_clear(&err);
    snprintf(all, sizeof all, "sinew: 1\n%s\n" RUN, text);
    assert_int_equal(sn_model_read_text("m.yaml", all, strlen(all), &m, &err), SN_ERR_INPUT);
    if (!strstr(err.report[0].text, words)) fail_msg("'%s' lacks '%s'", err.report[0].text, words);
    if (err.count != 1) fail_msg("also: %s", err.report[1].text);
    assert_true(err.report[0].line > 0);
}

#define ON(mesh) "meshes: {m: {" mesh "}}\nelements: {s: {shell4_mitc: m, " SHELL "}}\n"
#define WING     "meshes: {w: {gmsh: " DATA "plate41.msh}}\n"

static void test_refused(void **state)
{
    (void)state;
    refused(ON("cylinder: , radius: 1, length: 1"), "'elements' is missing");
    refused("meshes: {m: {cylinder: , radius: 1, length: 1, elements: [4, 2]}}\nelements: {s: {shell4_mitc: "
            "m, " SHELL "}, b: {spring3d: m.all, k: 1}}\n",
            "takes two nodes, or a curve");
    refused("meshes: {m: {cylinder: , radius: 1, length: 1, elements: [4, 2]}}\nelements: {s: {shell4_mitc: "
            "m, " SHELL "}, b: {beam3d_cr: m.edge1, EA: 1, EI_y: 1, EI_z: 1, GJ: 1, rhoA: 1, elements: 2}}\n",
            "'elements' goes with two nodes");
    refused(ON("cylinder: , radius: 1, length: 1, elements: [2, 1]"), "it needs 3 elements around");
    refused(ON("cylinder: , radius: 1, length: 1, elements: 4"), "'elements' is how many along u and w");
    refused(ON("cylinder: , radius: 1, elements: [4, 1]"), "'length' is missing");
    refused(ON("revolved: , line: [[1, 0], [2]], elements: [4, 2]"),
            "'line' is a list of points, [[..., ...], ...]");
    refused(ON("revolved: , line: [[1, 0], [2, 1], [3, 3]], elements: [4, 3]"), "'line' has 2 pieces");
    refused(ON("revolved: , line: [[1, 0], [2, 1], [3, 3], [4, 3]], curve: arc, elements: [4, 3]"),
            "an arc goes through three points");
    refused(ON("patch: , corners: [[0, 0, 0], [1, 0, 0]], elements: [1, 1]"),
            "'corners' is a list of 4 points");
    refused(ON("ring: , radius: 1"), "unknown kind 'ring'");
    refused(ON("cylinder: , radius: 1, length: 1, elements: [4, 1]") "joints: {j: {fixed: m.edge2}}",
            "'m' has the nodes n0_0 to n4_1 and the sets");
    refused(ON("cylinder: , radius: 1, length: 1, elements: [4, 1]") "joints: {j: {fixed: m.n5_0}}",
            "there is no node 'm.n5_0'");
    refused(WING "elements: {s: {shell4_mitc: w, " SHELL "}}", "'w' has 8 cells with 3 corners besides");
    refused(WING "elements: {s: {shell4_mitc: w.fin, " SHELL "}}", "'w.fin' has no cells with 4 corners");
    refused(WING "elements: {s: {shell4_mitc: w.dek, " SHELL "}}",
            "mesh 'w' has no set 'dek' (did you mean 'deck'?)");
    refused(WING "elements: {s: {shell4_mitc: w.deck, " SHELL "}, f: {force3d: w.tip, force: [1, 0, 0]}}",
            "'w.tip' has nodes that belong to no element");
    refused(WING "elements: {s: {shell4_mitc: w.deck, " SHELL
                 "}, f: {force3d: w.n2, force: [1, 0, 0], spread: force}}",
            "'spread' shares numbers out over a set of nodes");
    refused(WING "elements: {s: {shell4_mitc: w.deck, " SHELL
                 "}, f: {force3d: w.root, force: [1, 0, 0], spread: f}}",
            "'spread' names what is shared out");
    refused(WING "elements: {s: {shell4_mitc: w.deck, " SHELL
                 "}}\njoints: {j: {revolute: [w.root, w.root], axis: [1, 0, 0]}}",
            "only one of its nodes can be a set");
    refused(WING "elements: {s: {shell4_mitc: w.deck, " SHELL
                 "}}\njoints: {j: {fixed: w.root}}\nsensors: {v: {violation: j}}",
            "'j' stands for 3 joints, the first is 'j.w.n1': name one");
    refused("meshes: {w: {gmsh: " DATA "plate.geo}}\nelements: {s: {shell4_mitc: w, " SHELL "}}",
            "a section like '$Nodes' is expected here");
}

static const char *told(const sn_check_report *r, const char *words)
{
    const char *at = strstr(r->names, words);
    if (!at) fail_msg("'%s' lacks '%s'", r->names, words);
    return at;
}

static void hear(void *ctx, const char *text)
{
    if (!*(char *)ctx) snprintf(ctx, 400, "%s", text);
}

/* What a check tells of meshes: counts, the worst elements, neighbours that are numbered against each other.
 */
static void test_quality(void **state)
{
    kit k;
    sn_check_report r;
    (void)state;
    kit_text(&k, "sinew: 1\nmeshes: {p: {patch: , corners: [[0, 0, 0], [8, 0, 0], [8, 1, 0], [0, 1, 0]], "
                 "elements: [2, "
                 "1]}}\nelements: {s: {shell4_mitc: p, " SHELL "}}\njoints: {j: {fixed: p.n0_0}}\n" RUN);
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    told(&r,
         "mesh 's': 2 quadrilaterals; longest to shortest edge at worst 4 (piece 1 at [2, 0.5, 0]), smallest "
         "angle 90 deg (piece 1");
    told(&r, "smallest Jacobian ratio 1 (piece 1 at [2, 0.5, 0]), warp 0 (");
    assert_null(strstr(r.names, "badmesh"));
    sn_release(r.names);
    kit_close(&k);
    /* a triangle mesh file with one of two triangles the other way around */
    char path[64];
    snprintf(path, sizeof path, "/tmp/sinew_meshes_%d.msh", (int)getpid());
    FILE *f = fopen(path, "w");
    fprintf(
        f,
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 2 0 0\n6 2 1 "
        "0\n$EndNodes\n$Elements\n2\n1 3 2 1 1 1 2 3 4\n2 3 2 1 1 2 3 6 5\n$EndElements\n");
    fclose(f);
    char text[512];
    snprintf(text, sizeof text,
             "sinew: 1\nmeshes: {w: {gmsh: %s}}\nelements: {s: {shell4_mitc: w.surface1, " SHELL
             "}}\njoints: {j: {fixed: w.n1}}\n" RUN,
             path);
    kit_text(&k, text);
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    told(
        &r,
        "badmesh 's': piece 1 at [0.5, 0.5, 0] and piece 2 at [1.5, 0.5, 0] are numbered against each other");
    sn_release(r.names);
    /* other analyses say it, too */
    sn_run_options o = sn_run_options_default(k.m, k.p);
    char heard[400] = "";
    o.message = hear, o.ctx = heard, o.end = o.step;
    kit_good(&k, sn_run(k.m, k.p, &o, NULL, &k.err));
    assert_non_null(strstr(heard, "piece 2 at [1.5, 0.5, 0] are numbered against each other"));
    kit_close(&k);
    unlink(path);
    /* written one by one, the second the other way around; beside it one at a right angle, whose side is free
     */
    kit_text(&k, "sinew: 1\nnodes: {a: [0, 0, 0], b: [1, 0, 0], c: [1, 1, 0], d: [0, 1, 0], e: [2, 0, 0], f: "
                 "[2, 1, 0], "
                 "g: [0, 0, 1], h: [0, 1, 1]}\nelements: {s: {shell4_mitc: [a, b, c, d], " SHELL
                 "}, t: {shell4_mitc: [b, c, f, e], " SHELL "}, u: {shell4_mitc: [a, d, h, g], " SHELL
                 "}, w: {shell3_mitc: [d, h, c], " SHELL "}}\njoints: {j: {fixed: a}}\n" RUN);
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    told(&r, "mesh of elements written one by one: 3 quadrilaterals, 1 triangle; longest to shortest edge "
             "at worst "
             "1.41 ('w' at [0.3333, 1, 0.3333]), smallest angle 45 deg ('w' at");
    told(&r, "badmesh 's' at [0.5, 0.5, 0] and 't' at [1.5, 0.5, 0] are numbered against each other");
    assert_null(strstr(strstr(r.names, "badmesh") + 1, "badmesh"));
    sn_release(r.names);
    kit_close(&k);
    /* patches with an edge in common */
    kit_text(&k, "sinew: 1\nnodes: {a: [0, 0, 0], b: [1, 0, 0], c: [1, 1, 0], d: [0, 1, 0], e: [2, 0, 0], f: "
                 "[2, 1, 0]}\n"
                 "elements: {s: {shell4_mitc: [a, b, c, d], elements: [1, 2], " SHELL
                 "}, t: {shell4_mitc: [b, c, f, e], elements: [2, 1], " SHELL
                 "}}\njoints: {j: {fixed: a}}\n" RUN);
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    told(&r,
         "badmesh 's', piece 1 at [0.5, 0.25, 0] and 't', piece 1 at [1.5, 0.25, 0] are numbered against");
    sn_release(r.names);
    kit_close(&k);
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

/* Every allocation of reading meshes and sets may fail, and nothing leaks. */
static void test_allocation(void **state)
{
    static const char text[] =
        "sinew: 1\nmeshes:\n  w: {gmsh: " DATA "plate41.msh, scale: 1 mm}\n"
        "  r: {extruded: , line: [[0, 0, 0], [1, 0, 1], [2, 0, 0]], by: [0, 4, 0], curve: arc, elements: [2, "
        "1]}\n"
        "  t: {extruded: , line: [[0, 4, 0], [1, 4, 1], [2, 4, 0]], by: [0, 4, 0], elements: [2, 1],\n"
        "    shares: {edge1: r.edge3}}\n"
        "elements: {s: {shell4_mitc: w.deck, " SHELL "}, e: {shell4_mitc: r, " SHELL
        "}, g: {shell4_mitc: t, " SHELL "},\n"
        "  f: {force3d: r.edge1, force: [1, 0, 0], spread: force}}\njoints: {j: {fixed: w.root}}\n" RUN;
    const sn_allocator failing = {failing_alloc, counted_release, NULL};
    sn_status s = SN_ERR_MEMORY;
    (void)state;
    for (fail_at = 0; s != SN_OK; fail_at++) {
        sn_model *m;
        sn_err err;
        sn_err_clear(&err);
        calls = live = 0;
        sn_set_allocator(&failing);
        s = sn_model_read_text("m.yaml", text, strlen(text), &m, &err);
        sn_model_free(m);
        sn_set_allocator(NULL);
        if (s != SN_OK && s != SN_ERR_MEMORY) fail_msg("allocation %d: %s", fail_at, err.report[0].text);
        assert_int_equal(live, 0);
    }
    assert_true(fail_at > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),  cmocka_unit_test(test_disc),      cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_shared),  cmocka_unit_test(test_gmsh),      cmocka_unit_test(test_spread),
        cmocka_unit_test(test_edges),   cmocka_unit_test(test_gradient),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_quality), cmocka_unit_test(test_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
