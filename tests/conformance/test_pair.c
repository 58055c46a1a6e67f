/* The checks of `pair` (kit_pair.h), by a spring between two points whose forces half-way do exactly the work
   that its energy gains, and by the same with mistakes, each of which must be found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kit_pair.h"

static const sn_slot slots[] = {{"k", "N/m", "stiffness", 1, 0, SN_REQUIRED, 0, SN_INFINITE, NULL},
                                {"l0", "m", "free length", 1, 0, SN_REQUIRED, 0, SN_INFINITE, NULL},
                                {.name = NULL}};

/* x = from the first node to the second; returns its length. */
static double arm(const sn_in *in, double *x)
{
    double ll = 0;
    for (int i = 0; i < in->dim; i++) x[i] = in->q[in->off[1] + i] - in->q[i], ll += x[i] * x[i];
    return sqrt(ll);
}

static void add_force(const sn_in *in, double f, const double *x, double *r)
{
    for (int i = 0; i < in->dim; i++) r[in->offv[1] + i] += f * x[i], r[i] -= f * x[i];
}

/* K += of a force F on the second node by its place: D, dim x dim */
static void add_block(const sn_in *in, const double *D, double *K)
{
    for (int i = 0; i < in->dim; i++)
        for (int j = 0; j < in->dim; j++) {
            int a[2] = {i, in->offv[1] + i}, b[2] = {j, in->offv[1] + j};
            for (int l = 0; l < 4; l++)
                K[a[l / 2] * in->nv + b[l % 2]] += (l == 0 || l == 3 ? 1 : -1) * D[3 * i + j];
        }
}

/* F = k (l - l0) x/l between the states: l and x are the means with weights 1 - beta, beta. With beta = 1/2
   F.(x1 - x0) = k (l - l0) (x1.x1 - x0.x0)/(2 l) = k (l - l0) (l1 - l0): the gain of k (l - l0)^2/2, exactly.
 */
static sn_status pair(const sn_in *in0, const sn_in *in1, double beta, double *r, double *K0, double *K1)
{
    double x[2][3], l[2] = {arm(in0, x[0]), arm(in1, x[1])}, w[2] = {1 - beta, beta}, D[9], y[3];
    double lm = w[0] * l[0] + w[1] * l[1], f = in0->s[0] * (1 - in0->s[1] / lm),
           df = in0->s[0] * in0->s[1] / (lm * lm);
    if (!(l[0] > 0 && l[1] > 0)) return SN_ERR_NUMERIC;
    for (int i = 0; i < in0->dim; i++) y[i] = w[0] * x[0][i] + w[1] * x[1][i];
    add_force(in0, f, y, r);
    for (int s = 0; s < 2 && K0; s++) {
        for (int i = 0; i < in0->dim; i++)
            for (int j = 0; j < in0->dim; j++)
                D[3 * i + j] = w[s] * (f * (i == j) + df * y[i] * x[s][j] / l[s]);
        add_block(in0, D, s ? K1 : K0);
    }
    return SN_OK;
}

static sn_status dpair(const sn_in *in0, const sn_in *in1, double beta, int index, double *dr)
{
    double x0[3], x1[3], y[3], lm = (1 - beta) * arm(in0, x0) + beta * arm(in1, x1);
    for (int i = 0; i < in0->dim; i++) y[i] = (1 - beta) * x0[i] + beta * x1[i];
    if (index == 0) add_force(in0, 1 - in0->s[1] / lm, y, dr);
    if (index == 1) add_force(in0, -in0->s[0] / lm, y, dr);
    return SN_OK;
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    double zero[KIT_TABLE] = {0};
    (void)C, (void)M;
    SN_TRY(pair(in, in, 0.5, r, NULL, NULL));
    if (!K) return SN_OK;
    SN_TRY(pair(in, in, 0.5, zero, K, K));
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr) { return dpair(in, in, 0.5, index, dr); }

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    double x[3], s = arm(in, x) - in->s[1];
    (void)de;
    e[0] = 0, e[1] = 0.5 * in->s[0] * s * s;
}

/* ---- mistakes ---- */

/* The force of the middle of both states: good for one state twice, but its work is off. */
static sn_status middle(const sn_in *in0, const sn_in *in1, double beta, double *r, double *K0, double *K1)
{
    double q[KIT_TABLE], zero[KIT_TABLE] = {0}, K[KIT_TABLE * KIT_TABLE] = {0};
    sn_in in = *in0;
    for (int i = 0; i < in.nq; i++) q[i] = (1 - beta) * in0->q[i] + beta * in1->q[i];
    in.q = q;
    SN_TRY(eval(&in, r, NULL, NULL, NULL));
    if (!K0) return SN_OK;
    SN_TRY(eval(&in, zero, K, NULL, NULL));
    for (int i = 0; i < in.nv * in.nv; i++) K0[i] += (1 - beta) * K[i], K1[i] += beta * K[i];
    return SN_OK;
}

static sn_status stiff(const sn_in *in0, const sn_in *in1, double beta, double *r, double *K0, double *K1)
{
    SN_TRY(pair(in0, in1, beta, r, K0, K1));
    if (K0) K0[0] *= 1.01;
    return SN_OK;
}

/* Too strong by a millionth: of one state twice it is not the static residual. */
static sn_status strong(const sn_in *in0, const sn_in *in1, double beta, double *r, double *K0, double *K1)
{
    double twice[KIT_TABLE] = {0};
    SN_TRY(pair(in0, in1, beta, r, K0, K1));
    SN_TRY(pair(in0, in1, beta, twice, NULL, NULL));
    for (int i = 0; i < in0->nv; i++) r[i] += 1e-6 * twice[i];
    return SN_OK;
}

static sn_status backwards(const sn_in *in0, const sn_in *in1, double beta, int index, double *dr)
{
    return dpair(in0, in1, 1 - beta, index, dr);
}

typedef sn_status pair_function(const sn_in *, const sn_in *, double, double *, double *, double *);
typedef sn_status dpair_function(const sn_in *, const sn_in *, double, int, double *);

static int failures(int dim, pair_function *p, dpair_function *dp, int quiet)
{
    const sn_element_class c = {
        .name = "discrete_spring",
        .doc = "a spring for energy-momentum schemes",
        .slots = slots,
        .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = dim, .ask = SN_POSITION | SN_FRAME},
        .flags = SN_CONSERVATIVE | SN_SYMMETRIC,
        .eval = eval,
        .dparam = dparam,
        .energy = energy,
        .pair = p,
        .dpair = dp};
    kit_kind kind = KIT_KIND("element", &c, 0);
    kind.quiet = quiet;
    return kit_run(&kind, kit_check_pair);
}

static void good_pair(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) assert_int_equal(failures(dim, pair, dpair, 0), 0);
}

static void mistakes_are_found(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        assert_true(failures(dim, middle, dpair, 1) > KIT_SAMPLES / 2);
        assert_true(failures(dim, stiff, dpair, 1) > KIT_SAMPLES / 2);
        assert_true(failures(dim, strong, dpair, 1) > KIT_SAMPLES / 2);
        assert_true(failures(dim, pair, backwards, 1) > KIT_SAMPLES / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(good_pair), cmocka_unit_test(mistakes_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
