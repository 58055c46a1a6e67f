/* Checks of `pair`, the forces of an element between two states: see sinew/class.h. */
#ifndef SN_CONFORMANCE_KIT_PAIR_H
#define SN_CONFORMANCE_KIT_PAIR_H

#include "kit_case.h"

/* The other of two states, which of them the case is (0: the first), and where between them. */
typedef struct kit_two {
    const double *other;
    int second;
    double beta;
} kit_two;

/* Both see the same numbers; rates are not theirs to read. */
static inline void kit_pair_in(const kit_case *k, const kit_two *t, sn_in in[2])
{
    in[0] = in[1] = k->in;
    in[0].v = in[0].a = in[1].v = in[1].a = k->nan;
    in[!t->second].q = t->other;
}

static inline sn_status kit_pair_force(kit_case *k, const void *ctx, double *y)
{
    const sn_element_class *c = k->kind->cls;
    sn_in in[2];
    kit_pair_in(k, ctx, in);
    memset(y, 0, (size_t)k->in.nv * sizeof *y);
    return c->pair(&in[0], &in[1], ((const kit_two *)ctx)->beta, y, NULL, NULL);
}

/* K0 and K1, and that forces with and without them are the same, added to what is there. */
static inline void kit_pair_tangents(kit_case *k, kit_two t)
{
    static const char *const name[] = {"pair: K0", "pair: K1"};
    const sn_element_class *c = k->kind->cls;
    int nv = k->in.nv;
    double *r = kit_array(k, nv), *plain = kit_array(k, nv), *K[2];
    kit_num num;
    sn_in in[2];
    for (int l = 0; l < 2; l++) K[l] = kit_array(k, nv * nv);
    for (t.second = 0; t.second < 2; t.second++) {
        for (int i = 0; i < nv; i++) r[i] = 1;
        for (int i = 0; i < nv * nv; i++) K[0][i] = K[1][i] = 1;
        kit_pair_in(k, &t, in);
        if (c->pair(&in[0], &in[1], t.beta, r, K[0], K[1]) != SN_OK ||
            kit_pair_force(k, &t, plain) != SN_OK) {
            kit_fail(k, "status of pair", 0, 0, 1, 0);
            return;
        }
        for (int i = 0; i < nv; i++) r[i] -= 1;
        for (int i = 0; i < nv * nv; i++) K[0][i] -= 1, K[1][i] -= 1;
        kit_same(k, "pair: r with tangents", 0, r, plain, nv, 1, 1e-13);
        for (int j = 0; j < nv; j++)
            if (kit_diff(k, KIT_Q, j, kit_pair_force, &t, nv, &num))
                kit_check(k, name[t.second], j, &num, 0, nv, K[t.second] + j, nv);
    }
}

static inline void kit_pair_parameters(kit_case *k, const kit_two *t)
{
    const sn_element_class *c = k->kind->cls;
    int nv = k->in.nv, j;
    double *dr = kit_array(k, nv);
    kit_num num;
    sn_in in[2];
    for (int index = 0; index < k->in.ns + k->in.nq + 3; index++) {
        kit_var var = kit_parameter(k, index, &j);
        if (!kit_diff(k, var, j, kit_pair_force, t, nv, &num)) continue;
        for (int i = 0; i < nv; i++) dr[i] = 1;
        kit_pair_in(k, t, in);
        if (c->dpair(&in[0], &in[1], t->beta, index, dr) != SN_OK)
            kit_fail(k, "status of dpair", 0, index, 1, 0);
        for (int i = 0; i < nv; i++) dr[i] -= 1;
        kit_check(k, "dpair", index, &num, 0, nv, dr, 1);
    }
}

/* Of one state twice it is the static residual, and K0 + K1 its K, wherever between them. */
static inline void kit_pair_static(kit_case *k, double beta)
{
    const sn_element_class *c = k->kind->cls;
    int nv = k->in.nv;
    size_t bytes = (size_t)nv * sizeof(double);
    double *r = kit_array(k, nv), *want = kit_array(k, nv), *zero = kit_array(k, nv), *K[2], *mat[3];
    sn_in in = k->in;
    memset(r, 0, bytes), memset(want, 0, bytes);
    for (int l = 0; l < 2; l++) K[l] = kit_array(k, nv * nv);
    for (int l = 0; l < 3; l++) mat[l] = kit_array(k, nv * nv);
    in.v = in.a = zero;
    if (c->eval(&in, want, mat[0], c->flags & SN_USES_V ? mat[1] : NULL,
                c->flags & SN_USES_A ? mat[2] : NULL))
        return;
    in.v = in.a = k->nan;
    if (c->pair(&in, &in, beta, r, K[0], K[1]) != SN_OK) kit_fail(k, "status of pair", 0, 0, 1, 0);
    for (int i = 0; i < nv * nv; i++) K[0][i] += K[1][i];
    kit_same(k, "pair of one state", 0, r, want, nv, 0, 1e-10);
    kit_same(k, "pair of one state: K0 + K1", 0, K[0], mat[0], nv * nv, 0, 1e-10);
}

/* Half-way the work along the increment d is what the potential gains; both are sums of numbers of size one,
   rounding is far below 1e-10 of the largest. */
static inline void kit_pair_work(kit_case *k, const kit_two *t, const double *d)
{
    const sn_element_class *c = k->kind->cls;
    int nv = k->in.nv;
    double *r = kit_array(k, nv), e0[2] = {0}, e1[2] = {0}, *zero = kit_array(k, nv), work = 0, size = 0;
    sn_in in = k->in;
    if (kit_pair_force(k, t, r) != SN_OK) return;
    in.v = in.a = zero;
    c->energy(&in, e0, NULL);
    in.q = t->other;
    c->energy(&in, e1, NULL);
    for (int i = 0; i < nv; i++) work += r[i] * d[i], size = fmax(size, fabs(r[i] * d[i]));
    double gain = e1[1] - e0[1];
    kit_same(k, "pair: work", 0, &work, &gain, 1, fmax(size, fmax(fabs(e0[1]), fabs(e1[1]))), 1e-10);
}

/* The case is the first state; the second is d further on, rotations by less than half a turn. */
static inline void kit_check_pair(kit_case *k)
{
    const sn_element_class *c = k->kind->cls;
    int nv = k->in.nv, mark = kit_mark(k);
    double *d = kit_array(k, nv), *other = kit_array(k, k->in.nq), beta = kit_random(&k->seed, 0, 1);
    for (int i = 0; i < nv; i++) d[i] = kit_random(&k->seed, -0.3, 0.3);
    for (int i = 0; i < k->nn; i++)
        kit_retract(kit_curved(k, i), k->seen[i].nq, k->q + k->off[i], d + k->offv[i], other + k->off[i]);
    int own = kit_mark(k);
    const kit_two half = {other, 0, 0.5}, some = {other, 0, beta};
    kit_pair_tangents(k, half), kit_release(k, own);
    kit_pair_tangents(k, some), kit_release(k, own);
    kit_pair_parameters(k, &some), kit_release(k, own);
    kit_pair_static(k, beta), kit_release(k, own);
    if (c->flags & SN_CONSERVATIVE) kit_pair_work(k, &half, d);
    kit_release(k, mark);
}

#endif
