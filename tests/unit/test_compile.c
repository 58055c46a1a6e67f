/* The compiler's answers to wrong input: one report for one fault, at its place, in words that help. Positive
   checks are in test_compile_values.c. */
#include "compile_kit.h"

static void test_file(void **state)
{
    (void)state;
    const refusal list[] = {
        {"sinew: `2\n" AB, "version 1"},
        {"`nodes: {a: [0, 0]}\nsinew: 1\n", "begins with 'sinew: 1'"},
        {"`elemnts: {}\n" AB, "unknown section 'elemnts' (did you mean 'elements'?)"},
        {"`frobnicate: {}\n" AB, "unknown section 'frobnicate'"},
        {"title: `[a, b]\n" AB, "'title' is a text"},
        {"elements: `[a, b]\n" AB, "'elements' must be a map of names"},
        {"joints: `7\n" AB, "'joints' must be a map of names"},
        {"nodes: {a: [0, 0]}\n`nodes: {b: [1, 0]}\n", "duplicate key 'nodes' (first given at line 2)"},
        {"nodes: {a: [0, 0], `a: [1, 0]}\n", "duplicate key 'a'"},
        {"nodes: {`a b: [0, 0]}\n", "no good name"},
        {"nodes: {`1a: [0, 0]}\n", "no good name"},
        {"nodes: {`a.b: [0, 0]}\n", "no good name"},
        {"nodes: {`\"\xc3\xa4\": [0, 0]}\n", "no good name"},
        {"nodes: {`ground: [0, 0]}\n", "'ground' is always there"},
    };
    REFUSE_ALL(list);
    assert_true(refused("`sinew: 1\n", "no nodes"));
    assert_true(refused("`sinew: 1\nnodes: {}\nelements:\n", "no nodes"));
}

static void test_long_name(void **state)
{
    (void)state;
    char text[512], name[200];
    memset(name, 'n', 199);
    name[199] = 0;
    snprintf(text, sizeof text, "nodes: {`%s: [0, 0]}\n", name);
    assert_true(refused(text, "too long"));
    /* as long as allowed, and meshed: every name still finds its number */
    sn_model *m;
    sn_values *p;
    double x;
    char address[256];
    name[120] = 0;
    snprintf(text, sizeof text,
             AB "elements: {%s: {beam2d_cr: [a, b], EA: 1, EI: 1, rhoA: 1, elements: 3}}\n", name);
    accepted(text, &m, &p);
    snprintf(address, sizeof address, "nodes.%s.n2.at.x", name);
    assert_int_equal(sn_values_get(p, address, &x, NULL), SN_OK);
    assert_true(x > 0.66 && x < 0.67);
    sn_values_free(p);
    sn_model_free(m);
}

static void test_kinds(void **state)
{
    (void)state;
    const refusal list[] = {
        {AB "elements: {s: {`spring: [a, b]}}\n", "unknown kind 'spring' (did you mean 'spring2d'?)"},
        {AB "elements: {s: {`beam2d: [a, b]}}\n", "unknown kind 'beam2d' (did you mean 'beam2d_cr'?)"},
        {AB "elements: {s: {`qwertyuiop: [a, b]}}\n", "unknown kind 'qwertyuiop'"},
        {AB "elements: {s: {k: 1, `spring2d: [a, b]}}\n", "the kind 'spring2d' must be the first key"},
        {AB "elements: {s: `[a, b]}\n", "must be a map"},
        {AB "elements: {s: `5}\n", "must be a map"},
        {AB "elements: {s: `{}}\n", "must be a map"},
        {AB "elements: {`s: }\n", "must be a map"},
        {AB "joints: {j: {`fixd: a}}\n", "joint 'j': unknown kind 'fixd' (did you mean 'fixed'?)"},
        {AB "signals: {w: {`sinus: 1}}\n", "signal 'w': unknown kind 'sinus'"},
        {AB "sensors: {w: {`positon: a}}\n", "unknown kind 'positon' (did you mean 'position'?)"},
        {"nodes: {a: {`frame4d: [0, 0]}}\n", "unknown kind 'frame4d' (did you mean 'frame2d'?)"},
        {"nodes: {a: {frame3d: `[0, 0]}}\n", "'at' needs 3 numbers"},
        {"nodes: {a: [0, 0, 0], b: `[0, 0]}\n", "a model is either planar or spatial"},
        {"nodes: {a: [0, 0, 0]}\ngravity: `[0, -9.81]\n", "gravity has three components in space"},
        {"nodes: {a: `[1]}\n", "needs a position: two numbers"},
        {"nodes: {a: `[1, 2, 3, 4]}\n", "needs a position: two numbers"},
        {"nodes: {a: `5}\n", "or a position [x, y]"},
        {"nodes: {a: {at: [0, 0], `speed: [1, 0]}}\n", "unknown key 'speed'"},
        {"nodes: {a: {point2d: [0, 0], `spin: 1}}\n", "unknown key 'spin'"},
        {"nodes: {a: {frame2d: `[0, 0, 0]}}\n", "needs 2 numbers"},
        {"nodes: {a: {at: [0, 0], velocity: `1}}\n", "'velocity' needs 2 numbers"},
        {"nodes: {a: {state: `[0, 0]}}\n", "'at' is one number"},
        {AB "sections: {s: {circle: `5 mm}}\n", "'circle:' takes no value here"},
        {AB "materials: {s: {`young: 5}}\n", "unknown key 'young'"},
    };
    REFUSE_ALL(list);
}

static void test_names(void **state)
{
    (void)state;
    const refusal list[] = {
        {"nodes: {left: [0, 0], right: [1, 0]}\nelements: {s: {spring2d: [left, `rigth], k: 1}}\n",
         "there is no node 'rigth' (did you mean 'right'?)"},
        {AB "elements: {s: {spring2d: `[a], k: 1}}\n", "spring2d 's' takes 2 nodes"},
        {AB "elements: {s: {spring2d: `a, k: 1}}\n", "spring2d 's' takes 2 nodes"},
        {AB "elements: {s: {spring2d: `{a: b}, k: 1}}\n", "spring2d 's' takes 2 nodes"},
        {AB "elements: {s: {spring2d: [a, `[b]], k: 1}}\n", "the name of a node is expected here"},
        {AB "elements: {s: {spring2d: [a, `a], k: 1}}\n", "connects 'a' with itself"},
        {AB "elements: {s: {beam2d_cr: [a, `a], EA: 1, EI: 1, rhoA: 1, elements: 3}}\n",
         "connects 'a' with itself"},
        {AB "elements: {s: {beam2d_cr: [a, b], EA: 1, EI: 1, rhoA: 1}, m: {mass2d: `s.n1, mass: 1}}\n",
         "'s' has 0 nodes between"},
        {"nodes: {z: {state: 0}, a: [0, 0]}\njoints: {j: {fixed: `z, x: 0, y: 0}}\n",
         "needs planar or spatial nodes; 'z' is a state"},
        {"nodes: {z: {state: 0}, a: [0, 0]}\nelements: {m: {mass2d: `z, mass: 1}}\n",
         "needs planar nodes; 'z' is a state"},
        {"nodes: {a: {point2d: [0, 0]}, b: [1, 0]}\njoints: {j: {prismatic2d: [`a, b], axis: [1, 0]}}\n",
         "needs planar nodes with a rotation; 'a' is a point2d"},
        {"nodes: {a: {point2d: [0, 0]}}\njoints: {j: {drive: `a.theta, value: 0}}\n",
         "'theta' is no coordinate of the point2d node 'a'"},
        {AB "joints: {j: {drive: `a, value: 0}}\n", "takes coordinates, like a.theta"},
        {AB "joints: {i: {fixed: `c}, j: {fixed: a}}\n", "there is no node 'c'"},
        {AB "joints: {j: {drive: `c.x, value: 0}}\n", "there is no node 'c'"},
        {AB "joints: {j: {fixed: a, only: `z}}\n", "'z' is no coordinate of a point2d node"},
        {AB "joints: {j: {fixed: a, only: [x, `phi]}}\n", "'phi' is no coordinate of a point2d node"},
        {AB "joints: {`j: {fixed: a, only: []}}\n", "fixed 'j': 'only' names no coordinate"},
        {AB "joints: {j: {coupling: `[a.x], factors: [1]}}\n", "takes 2 to 4 coordinates"},
        {AB "elements: {s: {beam2d_cr: [a, b], material: `steel, EA: 1, EI: 1, rhoA: 1}}\n",
         "there is no material 'steel'"},
        {AB "materials: {steel: {E: 1}}\nelements: {s: {beam2d_cr: [a, b], material: `stel, EA: 1, EI: 1, "
            "rhoA: 1}}\n",
         "there is no material 'stel' (did you mean 'steel'?)"},
        {AB "elements: {s: {beam2d_cr: [a, b], section: `round, E: 1, rho: 1}}\n",
         "there is no section 'round'"},
        {AB "elements: {s: {beam2d_cr: [a, b], section: `[c], EA: 1, EI: 1, rhoA: 1}}\n",
         "'section' is a name"},
        {AB "elements: {m: {mass2d: a, mass: `muss}}\nparameters: {mass: 1}\n",
         "unknown name 'muss' (did you mean 'mass'?)"},
        {AB "elements: {m: {mass2d: a, mass: 2*`q.k}}\n", "unknown name 'q.k': there is no such number"},
        {AB "elements: {f: {force2d: a, force: [`wve, 0]}}\nsignals: {wave: {constant: 1}}\n",
         "unknown name 'wve' (did you mean 'wave'?)"},
        {AB "sensors: {s: {force: `bar}}\n", "there is no element 'bar'"},
        {AB "elements: {spring: {spring2d: [a, b], k: 1}}\nsensors: {s: {force: `sprin}}\n",
         "(did you mean 'spring'?)"},
        {AB "sensors: {s: {reaction: `pin}}\n", "there is no joint 'pin'"},
        {AB "sensors: {s: {reaction: `all}}\n", "there is no joint 'all'"},
        {AB "elements: {m: {mass2d: a, mass: 1}}\nsensors: {s: {force: `m}}\n",
         "mass2d 'm' has no 'force' to measure"},
        {AB "elements: {m: {mass2d: a, mass: 1}}\nsensors: {s: {energy: `[m, m]}}\n",
         "takes 0 to 1 elements"},
        {AB "sensors: {s: {violation: `{a: b}}}\n", "takes 0 to 1 joints"},
        {AB "sensors: {s: {position: `[a, b]}}\n", "position 's' takes 1 node"},
        {AB "joints: {j: {fixed: a}}\nsensors: {s: {reaction: j, node: `3}}\n", "joint 'j' has 1 node"},
        {AB "elements: {k: {spring2d: [a, b], k: 1}, f: {force2d: `k, per_length: [0, 1]}}\n",
         "cannot carry a load"},
    };
    REFUSE_ALL(list);
}

#define CD "nodes: {c: [0, 0, 0], d: [1, 0, 0]}\n"

static void test_slots(void **state)
{
    (void)state;
    const refusal list[] = {
        {AB "elements: {`m: {mass2d: a}}\n", "'mass' is missing (mass, in kg)"},
        {AB "elements: {s: {spring2d: [a, b], `kk: 1}}\n", "unknown key 'kk' (did you mean 'k'?)"},
        {AB "elements: {s: {spring2d: [a, b], k: `[1, 2]}}\n", "'k' is one number"},
        {CD "elements: {s: {bushing: [c, d], k: `[1, 2]}}\n", "needs 3 numbers, [..., ...], or one for all"},
        {CD "elements: {s: {bushing: [c, d], k: `-1}}\n", "'elements.s.k.x' cannot be negative"},
        {CD "elements: {s: {bushing: [c, d], kt: `5 N/m}}\n", "'kt' is in N*m/rad"},
        {CD "elements: {`s: {bushing_maxwell: [c, d], kx: [1, 2], tau_x: 1}}\n",
         "'kx' has 2 numbers and 'tau_x' 1: they go together"},
        {CD "elements: {`s: {bushing_table: [c, d]}}\n", "has no law in any direction"},
        {CD "elements: {`s: {bushing_table: [c, d], x: [0, 2, 1], fx: [0, 1, 2]}}\n", "'x' must increase"},
        {CD "elements: {`s: {bushing_table: [c, d], x: 1, fx: 2}}\n", "a curve has two"},
        {AB "elements: {s: {spring2d: [a, b], k: `{x: 1}}}\n", "'k' is one number"},
        {AB "elements: {s: {spring2d: [a, b], `k: }}\n", "must be a number or an expression"},
        {AB "elements: {m: {mass2d: a, mass: 1, com: `[1, 2, 3]}}\n", "'com' needs 2 numbers"},
        {AB "elements: {m: {mass2d: a, mass: 1, com: [1, `[2]]}}\n", "must be a number or an expression"},
        {AB "elements: {s: {beam2d_cr: [a, b], E: `[1], A: 1, I: 1, rho: 1}}\n", "'E' is one number"},
        {AB "elements: {s: {beam2d_cr: [a, b], EA: 1, EI: 1, rhoA: 1, elements: `0}}\n",
         "a whole number from 1 to"},
        {AB "elements: {s: {beam2d_cr: [a, b], EA: 1, EI: 1, rhoA: 1, elements: `2.5}}\n",
         "a whole number from 1 to"},
        {AB "elements: {s: {beam2d_cr: [a, b], EA: 1, EI: 1, rhoA: 1, elements: `-3}}\n",
         "a whole number from 1 to"},
        {AB "elements: {s: {beam2d_cr: [a, b], EA: 1, EI: 1, rhoA: 1, elements: `[2]}}\n",
         "a whole number from 1 to"},
        {AB "elements: {s: {beam2d_cr: [a, b], EA: 1, EI: 1, rhoA: 1, elements: `99999999999999999999}}\n",
         "a whole number from 1 to"},
        {AB "elements: {s: {spring2d: [a, b], k: 1, `elements: 2}}\n", "unknown key 'elements'"},
        {AB "elements: {s: {beam2d_cr: [a, b], EA: 1, EI: 1, rhoA: 1, inertia: `half}}\n",
         "'inertia' is one of full|paper"},
        {AB "elements: {f: {force2d: a, follower: `maybe}}\n", "'follower' is one of no|yes"},
        {AB "elements: {f: {force2d: a, follower: `[yes]}}\n", "'follower' is one of no|yes"},
        {AB "joints: {j: {fixed: a}}\nsensors: {s: {reaction: j, node: `one}}\n",
         "'node' must be a whole number"},
        {AB "signals: {w: {table: [[0, 1], `[2]]}}\n", "each row is a pair [t, y]"},
        {AB "signals: {w: {table: [[0, 1], [2, `[3]]]}}\n", "a table holds numbers"},
        {AB "signals: {`w: {table: [[0, 1]]}}\n", "table 'w': needs at least two points"},
        {AB "signals: {`w: {table: [[0, 1], [0, 2]]}}\n", "times must increase"},
        {AB "signals: {`w: {polynomial: []}}\n", "needs at least one coefficient"},
        {AB "elements: {`s: {beam2d_cr: [a, b], EI: 1, rhoA: 1}}\n",
         "'EA' is missing: give EA, or 'E' (EA = E*A)"},
    };
    REFUSE_ALL(list);
}

/* Memory is not asked for before the numbers are found to be sensible. */
static void test_limits(void **state)
{
    (void)state;
    const refusal list[] = {
        {AB "elements: {s: {beam2d_cr: [a, b], EA: 1, EI: 1, rhoA: 1, elements: 2}, u: {beam2d_cr: [a, b], "
            "EA: 1, EI: 1, rhoA: 1, "
            "elements: `9999999}}\n",
         "all meshes together have more than 10000000 elements"},
        {AB "elements: {s: {beam2d_cr: [a, b], EA: 1, EI: 1, rhoA: 1, elements: `10000001}}\n",
         "a whole number from 1 to 10000000"},
    };
    REFUSE_ALL(list);
}

static void test_numbers(void **state)
{
    (void)state;
    const refusal list[] = {
        {AB "elements: {s: {spring2d: [a, b], k: `5 mm}}\n", "'k' is in N/m"},
        {"nodes: {a: [`30 deg*1 s, 0]}\n", "'at' is in m"},
        {"nodes: {a: [0, `30 deg]}\n", "'at' is in m, but this is a pure number"},
        {AB "elements: {m: {mass2d: a, mass: 1 kg `+ 2 m}}\n", "'+' joins kg and m"},
        {AB "parameters: {x: 1 m}\nelements: {m: {mass2d: a, mass: `3*x}}\n",
         "'mass' is in kg, but this is in m"},
        {AB "parameters: {x: 1 m, y: `sin(x)}\n", "sin takes a pure number or an angle"},
        {AB "gravity: [0, `9.81 m/s]\n", "m/s^2"},
        {AB "materials: {m: {E: 1}}\nparameters: {x: 2*`m.nu}\n", "'m.nu' is not given"},
        {AB
         "sections: {s: {A: 1 `mn^2, I: 1}}\nelements: {b: {beam2d_cr: [a, b], section: s, E: 1, rho: 1}}\n",
         "mn"},
        {AB "elements: {b: {beam2d_cr: [a, b], A: 1, I: 1, E: 1 `Pq, rho: 1}}\n", "Pq"},
        {AB "elements: {m: {mass2d: a, mass: 1 `kgg}}\n", "(did you mean 'kg'?)"},
        {AB "elements: {m: {mass2d: a, mass: `1e999}}\n", "must be finite"},
        {AB "elements: {m: {mass2d: a, mass: `1/0}}\n", "not finite"},
        {AB "parameters: {x: `log(-1)}\n", "'parameters.x' is not finite"},
        {AB "parameters: {x: 0, y: `1/x}\n", "'parameters.y' is not finite"},
        {AB "elements: {m: {mass2d: a, mass: 2 * `)}}\n", "found"},
        {AB "elements: {m: {mass2d: a, mass: `sine(2)}}\n", "sin"},
        {AB "elements: {m: {mass2d: a, mass: `-1 kg}}\n", "'elements.m.mass' cannot be negative, but is -1"},
        {AB "elements: {s: {spring2d: [a, b], k: `-5 N/m}}\n", "'elements.s.k' cannot be negative"},
        {AB "elements: {s: {beam2d_cr: [a, b], EA: `0, EI: 1, rhoA: 1}}\n",
         "'elements.s.EA' must be positive"},
        {AB "materials: {m: {E: 1, nu: `0.7}}\n", "must be between -1 and 0.5"},
        {"nodes: {a: [0, 0], b: [0, 0]}\nelements: {`s: {beam2d_cr: [a, b], EA: 1, EI: 1, rhoA: 1}}\n",
         "beam2d_cr 's': "},
        {AB "elements: {m: {mass2d: a, mass: 1 + `t}}\n", "cannot vary with time"},
        {AB "elements: {m: {mass2d: a, mass: `w}}\nsignals: {w: {constant: 1}}\n",
         "'w' is a signal, but this number cannot vary"},
        {AB "parameters: {p: `w}\nsignals: {w: {constant: 1}}\n",
         "'w' is a signal, but this number cannot vary"},
        {AB "elements: {f: {force2d: a, per_length: [t, 0]}, m: {mass2d: a, mass: `f.per_length.x*1 s^2}}\n",
         "cannot vary with time"},
        {AB "parameters: {`t: 1}\n", "'t' has a meaning of its own"},
        {AB "parameters: {`pi: 3}\n", "'pi' has a meaning of its own"},
        {AB "parameters: {x: `[1, 2]}\n", "must be a number or an expression"},
        {AB "parameters: {x: `{y: 1}}\n", "must be a number or an expression"},
        {AB "parameters: {`x: }\n", "must be a number or an expression"},
    };
    REFUSE_ALL(list);
}

static void test_cycles(void **state)
{
    (void)state;
    const refusal list[] = {
        {AB "parameters: {x: `x}\n", "'parameters.x' depends on itself"},
        {AB "parameters: {z: 2*x, x: `1 + y, y: 2*x}\n", "'parameters.x' depends on itself"},
        {"nodes: {a: [`b.at.x, 0], b: [a.at.x + 1, 0]}\n", "depends on itself"},
        {AB "signals: {v: {expression: `w}, w: {expression: 2*v}}\n", "depends on itself"},
        {AB "signals: {v: {expression: `v + t}}\n", "'signals.v.value' depends on itself"},
    };
    REFUSE_ALL(list);
}

static void test_run(void **state)
{
    (void)state;
    const refusal list[] = {
        {AB "gravity: `9.81\n", "gravity is a vector"},
        {AB "gravity: `[1]\n", "gravity is a vector"},
        {AB "gravity: [0, `[1]]\n", "one number"},
        {AB "gravity: `{y: -9.81}\n", "gravity is a vector"},
        {AB "run: `[1, 2]\n", "'run' is a map"},
        {AB "run: `5 s\n", "'run' is a map"},
        {AB "run: {end: `[1]}\n", "'end' is one number"},
        {AB "run: {end: `0}\n", "must be positive"},
        {AB "run: {step: `1 m}\n", "'step' is in s"},
        {AB "run: {rho: `2}\n", "must be between 0 and 1"},
        {AB "run: {scheme: hht, alpha: `-0.5}\n", "must be between -0.333333 and 0"},
        {AB "run: {scheme: hht, `rho: 0.9}\n", "scheme 'hht' has no setting 'rho': it has 'alpha'"},
        {AB "run: {`alpha: -0.1}\n", "scheme 'generalized_alpha' has no setting 'alpha': it has 'rho'"},
        {AB "run: {`rho: 0.8, scheme: newmark}\n", "scheme 'newmark' has no setting 'rho': it has none"},
        {AB "run: {rho: `[1]}\n", "'rho' is one number"},
        {AB "run: {rho: `1 s}\n", "'rho' is in 1"},
        {AB "run: {scheme: hht, `alpah: -0.1}\n", "unknown key 'alpah' in 'run' (did you mean 'alpha'?)"},
        {AB "run: {scheme: `hhht, gamma: 3}\n", "unknown scheme 'hhht'"},
        {AB "run: {`stp: 1 ms}\n", "unknown key 'stp' in 'run' (did you mean 'step'?)"},
        {AB "run: {start: `cold}\n", "'start' is one of given|static"},
        {AB "run: {redundant: `keep}\n", "'redundant' is one of drop|share|error"},
        {AB "run: {scheme: `[hht]}\n", "'scheme' is a word"},
        {AB "run: {`solver: }\n", "'solver' is a word"},
        {AB "run: {end: `t}\n", "cannot vary with time"},
    };
    REFUSE_ALL(list);
}

/* Solvers are known to the analyses: they point into the file as well. So are schemes of the options. */
static void test_scheme_and_solver(void **state)
{
    (void)state;
    static marked k;
    sn_model *m;
    sn_values *p;
    sn_err err;
    sn_info info;
    sn_check_report report;
    take_mark(AB "elements: {m: {mass2d: a, mass: 1}, n: {mass2d: b, mass: 1}}\nrun: {solver: `magic}\n", &k);
    accepted(k.text, &m, &p);
    sn_run_options o = sn_run_options_default(m, p);
    for (int analysis = 0; analysis < 2; analysis++) {
        sn_err_clear(&err);
        assert_int_equal(analysis ? sn_check(m, p, &report, &err) : sn_run(m, p, &o, &info, &err),
                         SN_ERR_INPUT);
        assert_int_equal(err.count, 1);
        assert_int_equal(err.report[0].line, k.line + 1);
        assert_int_equal(err.report[0].col, k.col);
        assert_non_null(strstr(err.report[0].text, "magic"));
    }
    o.scheme = "euler", o.solver = NULL;
    sn_err_clear(&err);
    assert_int_equal(sn_run(m, p, &o, &info, &err), SN_ERR_INPUT);
    assert_int_equal(err.count, 1);
    assert_non_null(strstr(err.report[0].text, "unknown scheme 'euler'"));
    sn_values_free(p);
    sn_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),    cmocka_unit_test(test_long_name),
        cmocka_unit_test(test_kinds),   cmocka_unit_test(test_names),
        cmocka_unit_test(test_slots),   cmocka_unit_test(test_limits),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_run),     cmocka_unit_test(test_scheme_and_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
