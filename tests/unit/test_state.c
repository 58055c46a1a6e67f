/* A state packed into one row of numbers and unpacked again is the same, the integrator's vectors included;
   and states that keep different numbers of these can be copied. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "system/system.h"

#include <string.h>

/* nv 6, m 3, and 7 of nq (the ground has some of its own) */
static const char top[] = "sinew: 1\n"
                          "nodes: {b: {frame3d: [1, 2, 3]}}\n"
                          "elements: {body: {mass3d: b, mass: 1, inertia: [1, 1, 1]}}\n"
                          "joints: {ball: {spherical: [ground, b], at: [0, 0, 0]}}\n";

static sn_model *read_model(void)
{
    sn_model *m;
    sn_err err;
    sn_err_clear(&err);
    assert_int_equal(sn_model_read_text("model", top, strlen(top), &m, &err), SN_OK);
    return m;
}

/* Every number of the state another one. */
static void number(const sn_model *m, sn_state *x)
{
    double n = 0;
    for (int i = 0; i < m->nq; i++) x->q[i] = ++n;
    for (int i = 0; i < m->nv; i++) x->v[i] = ++n;
    for (int i = 0; i < m->nv; i++) x->a[i] = ++n;
    for (int i = 0; i < m->m; i++) x->lam[i] = ++n;
    for (int k = 0; k < x->n_own; k++)
        for (int i = 0; i < m->nv; i++) x->own[k][i] = ++n;
}

static void assert_same(const sn_model *m, const sn_state *x, const sn_state *y, int n_own)
{
    assert_memory_equal(x->q, y->q, sizeof(double) * (size_t)m->nq);
    assert_memory_equal(x->v, y->v, sizeof(double) * (size_t)m->nv);
    assert_memory_equal(x->a, y->a, sizeof(double) * (size_t)m->nv);
    assert_memory_equal(x->lam, y->lam, sizeof(double) * (size_t)m->m);
    for (int k = 0; k < n_own; k++) assert_memory_equal(x->own[k], y->own[k], sizeof(double) * (size_t)m->nv);
}

static void packs(void **state)
{
    (void)state;
    sn_model *m = read_model();
    assert_true(m->nq >= 7 && m->nq < 32 && m->nv == 6 && m->m == 3);
    for (int n_own = 0; n_own < 4; n_own++) {
        sn_state *x, *y;
        double row[32 + 2 * 6 + 3 * 6 + 3 + 1], sum = 0;
        size_t size = sn_state_size(m, n_own), all = size;
        assert_int_equal(size, m->nq + 2 * 6 + n_own * 6 + 3);
        assert_int_equal(sn_state_new(m, n_own, &x, NULL), SN_OK);
        assert_int_equal(sn_state_new(m, n_own, &y, NULL), SN_OK);
        number(m, x);
        row[size] = -1; /* nothing is written beyond */
        sn_state_pack(m, x, row);
        assert_true(row[size] == -1);
        while (size) sum += row[--size];
        assert_true(sum == (double)(all * (all + 1) / 2)); /* each number once */
        sn_state_unpack(m, row, y);
        assert_same(m, x, y, n_own);
        sn_state_free(x), sn_state_free(y);
    }
    sn_model_free(m);
}

static void copies(void **state)
{
    (void)state;
    sn_model *m = read_model();
    sn_state *x, *few, *many;
    assert_int_equal(sn_state_new(m, 2, &x, NULL), SN_OK);
    assert_int_equal(sn_state_new(m, 0, &few, NULL), SN_OK);
    assert_int_equal(sn_state_new(m, 3, &many, NULL), SN_OK);
    number(m, x);
    x->t = 4, x->h = 0.5;
    sn_state_copy(m, x, few);
    assert_same(m, x, few, 0);
    sn_state_copy(m, x, many);
    assert_same(m, x, many, 2);
    assert_true(many->own[2][0] == 0 && many->t == 4 && many->h == 0.5);
    sn_state_free(x), sn_state_free(few), sn_state_free(many);
    sn_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(packs), cmocka_unit_test(copies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
