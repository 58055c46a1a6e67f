/* The checks of sinew-conformance find mistakes: of kinds that have one in each function. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "conformance.h"

/* An element with a mistake in each function: r = s q^3, K lacks 1 % of its diagonal, dr/ds has the wrong
 * sign. */
static sn_status wrong_eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C, (void)M;
    for (int i = 0; i < in->nv; i++) {
        r[i] += in->s[0] * in->q[i] * in->q[i] * in->q[i];
        if (K) K[i * in->nv + i] += 2.97 * in->s[0] * in->q[i] * in->q[i];
    }
    return SN_OK;
}

static sn_status wrong_dparam(const sn_in *in, int index, double *dr)
{
    for (int i = 0; i < in->nv; i++) dr[i] -= index == 0 ? in->q[i] * in->q[i] * in->q[i] : 0;
    return SN_OK;
}

static void wrong_energy(const sn_in *in, double *e, sn_dout *de)
{
    e[0] = e[1] = 0;
    for (int i = 0; i < in->nv; i++) e[1] += in->s[0] * in->q[i] * in->q[i] * in->q[i];
    for (int i = 0; i < in->nv && de; i++) de->q[in->nv + i] = 3 * in->s[0] * in->q[i] * in->q[i];
}

static void no_denergy(const sn_in *in, int index, double *de)
{
    (void)in, (void)index;
    de[0] = de[1] = 0;
}

static const sn_slot slots[] = {{"s", "N/m^3", "factor", 1, 0, SN_REQUIRED, 0, SN_INFINITE, NULL},
                                {.name = NULL}};

static sn_status right_eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C, (void)M;
    for (int i = 0; i < in->nv; i++) {
        r[i] += in->s[0] * in->q[i] * in->q[i] * in->q[i];
        if (K) K[i * in->nv + i] += 3 * in->s[0] * in->q[i] * in->q[i];
    }
    return SN_OK;
}

static sn_status right_dparam(const sn_in *in, int index, double *dr)
{
    for (int i = 0; i < in->nv; i++) dr[i] += index == 0 ? in->q[i] * in->q[i] * in->q[i] : 0;
    return SN_OK;
}

static const sn_element_class right = {.name = "right",
                                       .doc = "cubic springs of plain numbers",
                                       .slots = slots,
                                       .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .ask = SN_SCALARS},
                                       .eval = right_eval,
                                       .dparam = right_dparam};

/* Each mistake alone is found in most cases, and without it there is nothing to find. */
static void elements(void **state)
{
    enum { MOST = 30 };
    sn_element_class c = right;
    (void)state;
    assert_int_equal(conform_element(&c, NULL, 1), 0);
    c.eval = wrong_eval;
    assert_true(conform_element(&c, NULL, 1) > MOST);
    c = right, c.dparam = wrong_dparam;
    assert_true(conform_element(&c, NULL, 1) > MOST);
    c = right, c.flags = SN_CONSERVATIVE, c.energy = wrong_energy, c.denergy = no_denergy;
    assert_true(conform_element(&c, NULL, 1) > MOST);
    c = right, c.args.ask = SN_POSITION, c.args.dim = 2; /* x^3 does not turn with the plane */
    assert_true(conform_element(&c, NULL, 1) > MOST);
}

/* A point mass of space, and its particle: right, too heavy, or elsewhere than it moves. */
static sn_status heavy_eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C;
    for (int i = 0; i < 3; i++) {
        r[i] += in->s[0] * (in->a[i] - in->g[i]);
        if (K) M[4 * i] += in->s[0];
    }
    return SN_OK;
}
static sn_status heavy_dparam(const sn_in *in, int index, double *dr)
{
    for (int i = 0; i < 3; i++) dr[i] += index == 0 ? in->a[i] - in->g[i] : index == 4 + i ? -in->s[0] : 0;
    return SN_OK;
}
static int one_particle(const sn_in *in, int k, double factor, double away, double *m, double *x, double *N)
{
    if (k) return 0;
    *m = factor * in->s[0];
    for (int i = 0; i < 9; i++) N[i] = i % 4 == 0;
    for (int i = 0; i < 3; i++) x[i] = in->q[i] + away;
    return 1;
}
static int right_particle(const sn_in *in, int k, double *m, double *x, double *N)
{
    return one_particle(in, k, 1, 0, m, x, N);
}
static int heavy_particle(const sn_in *in, int k, double *m, double *x, double *N)
{
    return one_particle(in, k, 1 + 1e-9, 0, m, x, N);
}
static int moved_particle(const sn_in *in, int k, double *m, double *x, double *N)
{
    return one_particle(in, k, 1, 1e-9, m, x, N);
}

static void particles(void **state)
{
    enum { MOST = 20 };
    static const sn_slot mass[] = {{"m", "kg", "mass", 1, 0, SN_REQUIRED, 0, SN_INFINITE, NULL},
                                   {.name = NULL}};
    sn_element_class c = {.name = "heavy",
                          .doc = "a point mass",
                          .slots = mass,
                          .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 3, .ask = SN_POSITION},
                          .flags = SN_USES_A,
                          .eval = heavy_eval,
                          .dparam = heavy_dparam,
                          .particle = right_particle};
    (void)state;
    assert_int_equal(conform_element(&c, NULL, 1), 0);
    c.particle = heavy_particle;
    assert_true(conform_element(&c, NULL, 1) > MOST);
    c.particle = moved_particle;
    assert_true(conform_element(&c, NULL, 1) > MOST);
}

/* Who writes one number too many is found, whatever it is. */
static sn_status far_eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    r[in->nv] += 1e-9;
    return right_eval(in, r, K, C, M);
}

static sn_status mute_layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->ny = 1, l->component[0] = "y", l->unit[0] = "1";
    return SN_OK;
}

static sn_status mute_eval(const sn_in *in, double *y, sn_dout *d)
{
    (void)in, (void)y, (void)d;
    return SN_ERR_NUMERIC;
}

static sn_status mute_dparam(const sn_in *in, int index, double *dy)
{
    (void)in, (void)index;
    dy[0] = 0;
    return SN_OK;
}

/* What was never compared was not found good. */
static void limits(void **state)
{
    static const sn_slot none[] = {{.name = NULL}};
    sn_element_class c = right;
    const sn_sensor_class mute = {.name = "mute",
                                  .doc = "can never be measured",
                                  .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .ask = SN_SCALARS},
                                  .slots = none,
                                  .source = SN_FROM_NODES,
                                  .layout = mute_layout,
                                  .eval = mute_eval,
                                  .dparam = mute_dparam};
    (void)state;
    c.eval = far_eval;
    assert_true(conform_element(&c, NULL, 1) > 0);
    assert_true(conform_sensor(&mute, 1) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements), cmocka_unit_test(particles),
                                       cmocka_unit_test(limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
