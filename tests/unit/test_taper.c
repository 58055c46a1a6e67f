/* Numbers that depend on xi, the place along a beam: which sets of numbers there are, what addresses mean,
   derivatives by the parameters of a taper, and where xi is refused. */
#include "compile_kit.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/values.h"

enum { EA, EI }; /* the first slots of beam2d_cr */

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

static void set(sn_values *p, const char *name, double x)
{
    assert_int_equal(sn_values_set_number(p, name, x, NULL), SN_OK);
    assert_int_equal(sn_values_update(p, NULL), SN_OK);
}

static void close_model(sn_model *m, sn_values *p)
{
    sn_values_free(p);
    sn_model_free(m);
}

/* Slot k of element object i. */
static double slot(const sn_model *m, const sn_values *p, int i, int k)
{
    return p->x[m->element.object[i].s + k];
}

/* Elements: wing 0..3, plain 4..6, load 7..10. */
static const char wing[] = "parameters: {h0: 0.2 m, h1: 0.1 m, E: 3 Pa}\n"
                           "materials: {stuff: {E: E, rho: 2}}\n"
                           "nodes: {a: [0, 0], b: [4, 0], c: [8, 0]}\n"
                           "elements:\n"
                           "  wing: {beam2d_cr: [a, b], material: stuff, elements: 4,\n"
                           "         section: {rectangle: , width: 1 - 0.5*xi, height: h0 + (h1 - h0)*xi}}\n"
                           "  plain: {beam2d_cr: [b, c], material: stuff, A: 1, I: 1, elements: 3}\n"
                           "  load: {force2d: wing, per_length: [0, 2 Pa*wing.width*(1 + xi)]}\n";

static double place(int k) { return (k + 0.5) / 4; }

static void test_pieces(void **state)
{
    (void)state;
    sn_model *m;
    sn_values *p;
    accepted(wing, &m, &p);
    const int load = ((const sn_element_class *)m->element.object[7].cls)->load->slot;
    for (int k = 0; k < 4; k++) {
        double s = place(k), w = 1 - 0.5 * s, h = 0.2 - 0.1 * s;
        assert_near(slot(m, p, k, EA), 3 * w * h);
        assert_near(slot(m, p, k, EI), 3 * w * h * h * h / 12);
        assert_near(slot(m, p, 7 + k, load + 1), 2 * w * (1 + s)); /* of the piece that carries it */
    }
    /* without xi: one set of numbers for all pieces */
    assert_int_equal(m->element.object[4].s, m->element.object[6].s);
    assert_int_not_equal(m->element.object[0].s, m->element.object[1].s);
    close_model(m, p);
}

/* An address means all pieces: it reads as at the middle of the beam, and what is set there replaces the
   expressions of all of them, also those of loads. */
static void test_addresses(void **state)
{
    (void)state;
    sn_model *m;
    sn_values *p;
    sn_err err;
    accepted(wing, &m, &p);
    const int load = ((const sn_element_class *)m->element.object[7].cls)->load->slot;
    assert_near(get(p, "wing.width"), 0.75);
    assert_near(get(p, "wing.EA"), 3 * 0.75 * 0.15);
    set(p, "h1", 0.3);
    for (int k = 0; k < 4; k++)
        assert_near(slot(m, p, k, EA), 3 * (1 - 0.5 * place(k)) * (0.2 + 0.1 * place(k)));
    set(p, "wing.width", 5);
    for (int k = 0; k < 4; k++) {
        assert_near(slot(m, p, k, EA), 3 * 5 * (0.2 + 0.1 * place(k)));
        assert_near(slot(m, p, 7 + k, load + 1), 2 * 5 * (1 + place(k)));
    }
    set(p, "wing.EA", 7);
    for (int k = 0; k < 4; k++) assert_near(slot(m, p, k, EA), 7);
    set(p, "wing.rhoI", 11); /* one that did not depend on xi before */
    for (int k = 0; k < 4; k++)
        assert_near(p->x[m->element.object[k].s +
                         (sn_quantity_find(m, "wing.rhoI") - sn_quantity_find(m, "wing.EA"))],
                    11);
    /* wrong on its way: one piece is named, at its place; wrong when set: once */
    sn_err_clear(&err);
    assert_int_equal(sn_values_set_number(p, "h1", -1, &err), SN_OK);
    assert_int_equal(sn_values_update(p, &err), SN_ERR_INPUT);
    int heights = 0;
    for (int i = 0; i < err.count; i++) heights += strstr(err.report[i].text, "section.height") != NULL;
    assert_int_equal(heights, 1);
    for (int i = 0; i < err.count; i++) assert_non_null(strstr(err.report[i].text, "at xi = 0.375"));
    sn_err_clear(&err);
    assert_int_equal(sn_values_get(p, "xi", &(double){0}, &err), SN_ERR_INPUT);
    close_model(m, p);
}

/* d(slot)/d(parameter) along the order of evaluation, by the gradients of the expressions. */
static void chain(const sn_model *m, const sn_values *p, int by, double *dx)
{
    double x[SN_MAX_VARIABLES], g[SN_MAX_VARIABLES];
    for (int i = 0; i < m->n_quantity; i++) dx[i] = i == by;
    for (int k = 0; k < m->n_order; k++) {
        const sn_expr *e = m->quantity[m->order[k]].expr;
        int from = sn_values_fixed(p, m->order[k]);
        sn_values_gather(m, e, p->x, x);
        sn_expr_gradient(e, x, g);
        dx[m->order[k]] = from >= 0 ? dx[from] : 0;
        for (int v = 0; from < 0 && v < sn_expr_nvar(e); v++) dx[m->order[k]] += g[v] * dx[sn_expr_var(e, v)];
    }
}

static void test_derivatives(void **state)
{
    (void)state;
    sn_model *m;
    sn_values *p;
    double dx[512];
    accepted(wing, &m, &p);
    assert_true(m->n_quantity <= 512);
    chain(m, p, sn_quantity_find(m, "h1"), dx);
    for (int k = 0; k < 4; k++) {
        double s = place(k), w = 1 - 0.5 * s, h = 0.2 - 0.1 * s;
        assert_near(dx[m->element.object[k].s + EA], 3 * w * s);
        assert_near(dx[m->element.object[k].s + EI], 3 * w * h * h / 4 * s);
    }
    /* by a number set from outside: that of all pieces */
    set(p, "wing.width", 5);
    chain(m, p, sn_quantity_find(m, "wing.width"), dx);
    for (int k = 0; k < 4; k++) assert_near(dx[m->element.object[k].s + EA], 3 * (0.2 - 0.1 * place(k)));
    close_model(m, p);
}

/* A section that several beams use; an entry of one piece has the numbers of its middle; a parameter
   called xi goes first. */
static void test_named(void **state)
{
    (void)state;
    sn_model *m;
    sn_values *p;
    accepted(
        AB
        "materials: {m: {E: 2 + xi, rho: 1}}\nsections: {x: {circle: , radius: 1 cm + 2 cm*xi}}\n"
        "elements:\n  one: {beam2d_cr: [a, b], material: m, section: x}\n"
        "  two: {beam2d_cr: [a, b], material: m, section: x, elements: 2, EI: 4 N*m^2*xi^2, rho: 1 + xi}\n",
        &m, &p);
    const double pi = 3.14159265358979323846;
    assert_near(slot(m, p, 0, EA), 2.5 * pi * 4e-4);
    assert_near(slot(m, p, 1, EA), 2.25 * pi * 2.25e-4);
    assert_near(slot(m, p, 2, EA), 2.75 * pi * 6.25e-4);
    assert_near(slot(m, p, 2, EI), 4 * 0.5625);
    int rhoA = sn_quantity_find(m, "two.rhoA") - sn_quantity_find(m, "two.EA");
    assert_near(slot(m, p, 1, rhoA), 1.25 * pi * 2.25e-4); /* its own density */
    close_model(m, p);
    accepted("parameters: {xi: 3}\n" AB
             "elements: {e: {beam2d_cr: [a, b], EA: xi, EI: 1, rhoA: 1, elements: 2}}\n",
             &m, &p);
    assert_near(slot(m, p, 0, EA), 3);
    assert_int_equal(m->element.object[0].s, m->element.object[1].s);
    close_model(m, p);
}

/* In an included file that is turned by 90 degrees the load along a beam turns and tapers. */
static void test_included(void **state)
{
    (void)state;
    static const char part[] = "sinew: 1\nnodes: {a: [0, 0], b: [1, 0]}\nelements:\n"
                               "  w: {beam2d_cr: [a, b], EA: 1 + xi, EI: 1, rhoA: 1, elements: 2}\n"
                               "  f: {force2d: w, per_length: [2*w.EA/1 m, 3*xi]}\n";
    char path[] = "/tmp/sinew-taper-XXXXXX", text[256];
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, part, strlen(part)), (int)strlen(part));
    close(file);
    sn_model *m;
    sn_values *p;
    snprintf(text, sizeof text, "include: {file: %s, prefix: p_, angle: 90 deg}\n", path);
    accepted(text, &m, &p);
    unlink(path);
    const int load = ((const sn_element_class *)m->element.object[2].cls)->load->slot;
    for (int k = 0; k < 2; k++) {
        double s = (k + 0.5) / 2;
        assert_near(slot(m, p, k, EA), 1 + s);
        assert_near(slot(m, p, 2 + k, load), -3 * s);
        assert_near(slot(m, p, 2 + k, load + 1), 2 * (1 + s));
    }
    close_model(m, p);
}

static void test_refused(void **state)
{
    (void)state;
    static const refusal list[] = {
        {"parameters: {x: 2*`xi}\n" AB, "'xi', the place along a beam, is known only in beams"},
        {"nodes: {a: [`xi, 0], b: [1, 0]}\n", "'xi', the place along a beam"},
        {AB "elements: {k: {spring2d: [a, b], k: 1 + `xi}}\n", "'xi', the place along a beam"},
        {AB "elements: {f: {force2d: a, force: [0, `xi]}}\n", "'xi', the place along a beam"},
        {AB "elements: {k: {spring2d: [a, b], k: 1}}\nsensors: {d: {displacement: a}}\ngravity: [0, `xi]\n",
         "'xi', the place along a beam"},
        /* by way of a beam's number */
        {AB "elements:\n  w: {beam2d_cr: [a, b], EA: 1 + xi, EI: 1, rhoA: 1, elements: 2}\n"
            "  k: {spring2d: [a, b], k: `2*w.EA/1 m}\n",
         "'elements.k.k' cannot depend on a number that varies along a beam"},
        {"parameters: {x: `2*w.EA, y: x}\n" AB
         "elements: {w: {beam2d_cr: [a, b], EA: 1 N + 1 N*xi, EI: 1, rhoA: 1}}\n",
         "'parameters.x' cannot depend on a number that varies along a beam"},
        /* xi is a plain number */
        {AB "elements: {w: {beam2d_cr: [a, b], EA: `3 m*xi, EI: 1, rhoA: 1}}\n", "'EA' is in N"},
        {AB "elements: {w: {beam2d_cr: [a, b], EA: 3 N `- 0.5 m*xi, EI: 1, rhoA: 1}}\n",
         "not of the same dimension"},
        {AB "elements: {w: {beam2d_cr: [a, b], EA: `1 - 2*xi, EI: 1, rhoA: 1, elements: 2}}\n",
         "'elements.w.EA' must be positive, but is -0.5 at xi = 0.75"},
        {AB "elements: {w: {beam2d_cr: [a, b], EA: `1/(1 - 4*xi), EI: 1, rhoA: 1, elements: 2}}\n",
         "'elements.w.EA' is not finite at xi = 0.25"},
        {AB "elements: {w: {beam2d_cr: [a, b], EA: `w.EI + xi, EI: w.EA, rhoA: 1, elements: 2}}\n",
         "'elements.w.EA' depends on itself"},
        {AB "elements: {w: {beam2d_cr: [a, b], EA: xi*`t, EI: 1, rhoA: 1, elements: 2}}\n",
         "cannot vary with time"},
    };
    REFUSE_ALL(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces),      cmocka_unit_test(test_addresses),
                                       cmocka_unit_test(test_derivatives), cmocka_unit_test(test_named),
                                       cmocka_unit_test(test_included),    cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
