/* Kinds on a node of which they see a part only: a spatial frame with one coordinate more, which is not flat
   either. What they see moves as a frame does, wherever it comes from, and all checks hold as on a frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "conformance.h"

enum { NQ = 8, NV = 7 };
static sn_node_class warped;
static const sn_node_class *frame;
static const char *const coord[] = {"x", "y", "z", "rx", "ry", "rz", "w"}, *const unit[] = {
                                                                               "m",   "m",   "m", "rad",
                                                                               "rad", "rad", "1"};

static sn_node_in of_frame(const sn_node_in *in)
{
    sn_node_in f = *in;
    f.nq = NQ - 1, f.nv = NV - 1;
    return f;
}

static void start(const sn_node_in *in, double *X, double *q, double *v)
{
    const sn_node_in f = of_frame(in);
    frame->start(&f, X, q, v);
    X[NQ - 1] = q[NQ - 1] = v[NV - 1] = 0;
}

static void dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    const sn_node_in f = of_frame(in);
    frame->dstart(&f, index, dX, dq, dv);
    dX[NQ - 1] = dq[NV - 1] = dv[NV - 1] = 0;
}

static void retract(const double *q, const double *d, double *q1)
{
    frame->retract(q, d, q1);
    q1[NQ - 1] = q[NQ - 1] + d[NV - 1];
}

static void difference(const double *q, const double *q1, double *d)
{
    frame->difference(q, q1, d);
    d[NV - 1] = q1[NQ - 1] - q[NQ - 1];
}

static void widen(const double *from, double last, double *to)
{
    memset(to, 0, sizeof *to * NV * NV);
    for (int i = 0; i < NV - 1; i++) memcpy(to + NV * i, from + (NV - 1) * i, sizeof *to * (NV - 1));
    to[NV * NV - 1] = last;
}

static void tangent(const double *d, double *E, double *T)
{
    double e[(NV - 1) * (NV - 1)], t[(NV - 1) * (NV - 1)];
    frame->tangent(d, e, t);
    widen(e, 1, E), widen(t, 1, T);
}

static void dtangent(const double *d, const double *w, double *D)
{
    double t[(NV - 1) * (NV - 1)];
    frame->dtangent(d, w, t);
    widen(t, 0, D);
}

static int add(void **state)
{
    static const sn_node_class *const nodes[] = {&warped, NULL};
    (void)state;
    frame = sn_node_find("frame3d");
    warped = *frame;
    warped.name = "warped", warped.doc = "a frame and a number", warped.nq = NQ, warped.nv = NV;
    warped.coord = coord, warped.unit = unit;
    warped.start = start, warped.dstart = dstart, warped.retract = retract, warped.difference = difference;
    warped.tangent = tangent, warped.dtangent = dtangent;
    return sn_plugin_add(&(sn_plugin){SN_PLUGIN_HEAD, .name = "views", .nodes = nodes}, NULL) != SN_OK;
}

static void test_kinds(void **state)
{
    (void)state;
    assert_int_equal(conform_node(&warped, 0), 0);
    assert_int_equal(conform_element(sn_element_find("mass3d"), NULL, 0), 0);
    assert_int_equal(conform_element(sn_element_find("spring3d"), NULL, 0), 0);
    assert_int_equal(conform_joint(sn_joint_find("revolute"), NULL, 0), 0);
    assert_int_equal(conform_joint(sn_joint_find("spherical"), NULL, 0), 0);
    assert_int_equal(conform_sensor(sn_sensor_find("position"), 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds)};
    return cmocka_run_group_tests(tests, add, NULL);
}
