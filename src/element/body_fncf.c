/* body_fncf: a reduced flexible body in flexible natural coordinates (Vermaut, Naets, Desmet), of which the
   redundant ones are eliminated exactly.

   The coordinates are sigma = x0, pi = the nine numbers of R, gamma_i = d_i R and d. In them a particle lies
   at x = sigma + R X + sum_i gamma_i phi_i, and the mass matrix G (x) I3 is constant, G the integral of [1,
   X, phi] [1, X, phi]'. gamma_i = d_i R and R'R = 1 are solved, together with their multipliers: with the
   accelerations R W = R'' (W = al~ + w~w~) and gamma_i'' = R (d_i'' + 2 w~ d_i' + W d_i), all in the axes of
   the frame, f = R'(a - g) and y = X + sum_i phi_i d_i, the inertia forces G (x) I3 q'' on the three are

       F_sigma = m f + W first + sum_i (d_i'' + 2 w~ d_i' + W d_i) S_i
       F_pi    = f first' + W second + sum_i (d_i'' + 2 w~ d_i' + W d_i) XP_i'
       F_i     = f S_i' + W Y_i + 2 w~ Y1_i + Y2_i

   Y_i = XP_i + sum_j d_j PP_ji is the integral of y phi_i', Y1_i = sum_j d_j' PP_ji, Y2_i = sum_j d_j''
   PP_ji. What is left on the frame and the modes is J' of these: the force R F_sigma, the moment with the
   skew part of F_pi + sum_i d_i F_i, and the trace of F_i, that of PP_ij being 1 or 0. With N0, N1, N2 the
   integrals of y y', y' y', y'' y' (the latter the rates) F_pi + sum_i d_i F_i = f c' + W N0 + 2 w~ N1 + N2,
   and the sums that these need are those of Y_i. Equal to body_ffr but for rounding; tests/unit/test_fncf.c
   solves the full equations. A pair of modes has the symmetric part of PP_ji and the vector of its skew part.
 */
#include "element/body_kind.h"

extern const sn_element_class sn_element_body_fncf;

/* ---- constants ---- */

static int has_extra(const sn_reduced_body *b)
{
    (void)b;
    return 0;
}

/* The six numbers of the symmetric part of A = integral of x y', and that of x cross y */
static void split(const double *R0, const double *A, double *x)
{
    double B[9];
    sn_body_turn(R0, A, B);
    sn_body_pack(B, x);
    x[6] = B[5] - B[7], x[7] = B[6] - B[2], x[8] = B[1] - B[3];
}

static void constants(const sn_reduced_body *b, const double *R0, double *second, double *c, double *extra)
{
    int nd = b->nd;
    double x[12];
    (void)extra;
    split(R0, b->second, x);
    memcpy(second, x, 6 * sizeof *x);
    for (int i = 0; i < nd; i++) {
        sn_mul3(R0, b->S + 3 * i, x);
        split(R0, b->XP + 9 * i, x + 3);
        for (int k = 0; k < SN_BODY_ONE; k++) c[sn_body_at(i, k)] = x[k];
        for (int j = 0; j < nd; j++) {
            split(R0, b->PP + 9 * (j * nd + i), x);
            for (int k = 0; k < SN_BODY_TWO; k++) c[sn_body_at2(nd, j, i, k)] = x[k];
        }
    }
}

/* ---- forces ---- */

/* The integral of x cross (2 w cross y), by the symmetric part of that of x y' and the vector of x cross y */
static SN_SIMD_INLINE void coriolis(const double *w, const sn_quad *sym, const sn_quad *vec, sn_quad *out)
{
    sn_quad trace = sym[0] + sym[1] + sym[2], Aw[3], vw[3];
    sn_quad_sym(sym, w, Aw), sn_quad_cross(w, vec, vw);
    for (int k = 0; k < 3; k++) out[k] = 2 * (trace * w[k] - Aw[k]) + vw[k];
}

/* Columns and rows of the modes of a group. K: phi_i x f(y) + y x W phi_i, f(y) the acceleration of y. */
static SN_SIMD_INLINE void tangents(const sn_body_motion *y, const sn_body_out *o, int g,
                                    const sn_body_pairs *p)
{
    const sn_quad *S = (const sn_quad *)(y->c + sn_body_at(4 * g, SN_BODY_S));
    const double *w = y->w, *al = y->al, f = o->factor;
    int nv = y->nv, lanes = sn_body_lanes(y->nd, g);
    sn_quad Sf[3], a[3], Yw[3], wY[3], K[3], C[3], Cm[3], c1[3], neg[3],
        trace = p->sym[0] + p->sym[1] + p->sym[2];
    sn_quad_cross(y->f, S, Sf);
    /* of y and phi_i together: 2 (trace al - sym al) - 2 w x sym w, from W = al~ + w w' - w.w */
    sn_quad_sym(p->sym, al, a), sn_quad_sym(p->sym, w, Yw), sn_quad_cross(w, Yw, wY);
    /* phi_i x 2 w x y'; y x 2 w x phi_i */
    for (int k = 0; k < 3; k++) neg[k] = -p->vec1[k];
    coriolis(w, p->sym1, neg, c1);
    coriolis(w, p->sym, p->vec, C);
    for (int k = 0; k < 3; k++) {
        K[k] = 2 * (trace * al[k] - a[k] - wY[k]) + c1[k] - p->vec2[k] - Sf[k];
        Cm[k] = 2 * (Yw[k] - trace * w[k]) + 2 * p->vec1[k];
    }
    sn_body_rows(lanes, nv, f, K, o->K + 3 * nv + 6 + 4 * g);
    sn_body_rows(lanes, nv, f, C, o->C + 3 * nv + 6 + 4 * g);
    sn_body_rows(lanes, nv, f, p->vec, o->M + 3 * nv + 6 + 4 * g);
    sn_body_columns(lanes, nv, -f, Sf, o->K + (6 + 4 * g) * nv + 3);
    sn_body_columns(lanes, nv, f, Cm, o->C + (6 + 4 * g) * nv + 3);
    sn_body_columns(lanes, nv, f, p->vec, o->M + (6 + 4 * g) * nv + 3);
}

/* The six numbers that make trace(W A) of the symmetric part of A, times f: of ww' - w.w */
static SN_SIMD_INLINE void weights(double f, const double *w, double *sym)
{
    double ww = sn_dot3(w, w);
    for (int k = 0; k < 3; k++) sym[k] = f * (w[k] * w[k] - ww);
    sym[3] = 2 * f * w[0] * w[1], sym[4] = 2 * f * w[0] * w[2], sym[5] = 2 * f * w[1] * w[2];
}

/* trace(W PP_ji), and of 2 w~ PP_ji; the pair (i, j) has the vector of PP_ij */
static SN_SIMD_INLINE void own_rows(const sn_body_motion *y, const sn_body_out *o)
{
    const double f = o->factor;
    double sym[6], vec[3], vec1[3];
    weights(f, y->w, sym);
    for (int k = 0; k < 3; k++) vec[k] = -f * y->al[k], vec1[k] = -2 * f * y->w[k];
    for (int i = 0; i < y->nd; i++) {
        size_t at = (size_t)(6 + i) * (size_t)y->nv + 6;
        sn_body_own_row(y, i, sym, vec, vec1, o->K + at, o->C + at);
        o->M[at + (size_t)i] += f;
    }
}

/* Sums over the modes: of S; of XP + Y with d, of Y with d' and of its vector with d''. */
typedef struct totals {
    sn_quad S[3], S1[3], S2[3], N0[6], N1[6], v1[3], v2[3];
} totals;

static SN_SIMD_INLINE void add_group(const sn_body_motion *y, const sn_body_out *o, int g,
                                     const sn_body_pairs *p, totals *t)
{
    const sn_quad *one = (const sn_quad *)(y->c + sn_body_at(4 * g, 0));
    int lanes = sn_body_lanes(y->nd, g);
    double W[6];
    sn_quad x[3];
    sn_body_lane_values(y, g, x);
    const sn_quad d = x[0], d1 = x[1], d2 = x[2];
    for (int k = 0; k < 3; k++) {
        t->S[k] += one[k] * d, t->S1[k] += one[k] * d1, t->S2[k] += one[k] * d2;
        t->v1[k] += p->vec[k] * d1, t->v2[k] += p->vec[k] * d2;
    }
    for (int k = 0; k < 6; k++)
        t->N0[k] += (one[SN_BODY_SYM + k] + p->sym[k]) * d, t->N1[k] += p->sym[k] * d1;
    weights(1, y->w, W);
    /* trace of F_i */
    sn_quad r = SN_QUAD_DOT(y->f, one) + W[0] * p->sym[0] + W[1] * p->sym[1] + W[2] * p->sym[2] +
                W[3] * p->sym[3] + W[4] * p->sym[4] + W[5] * p->sym[5] + SN_QUAD_DOT(y->al, p->vec) +
                2 * SN_QUAD_DOT(y->w, p->vec1) + d2;
    if (o->r) sn_quad_add(lanes, o->factor, &r, o->r + 4 * g);
}

/* moment += the vector of x cross f of A = integral of f x' */
static void add_moment(const double *A, double *moment)
{
    moment[0] += A[7] - A[5], moment[1] += A[2] - A[6], moment[2] += A[3] - A[1];
}

static void collect(const sn_body_motion *y, const totals *t, sn_body_sums *s)
{
    const double *w = y->w, *al = y->al;
    double n0[6], n1[6], N0[9], N1[9], v1[3], a[9], ww[9], W[9], A[9], w2[9], x[3];
    for (int k = 0; k < 3; k++) {
        s->first[k] = y->first[k] + sn_quad_total(t->S + k);
        s->first1[k] = sn_quad_total(t->S1 + k), s->first2[k] = sn_quad_total(t->S2 + k);
        v1[k] = sn_quad_total(t->v1 + k), s->moment[k] = sn_quad_total(t->v2 + k);
    }
    for (int k = 0; k < 6; k++)
        n0[k] = y->second[k] + sn_quad_total(t->N0 + k), n1[k] = sn_quad_total(t->N1 + k);
    sn_body_unpack(n0, N0), sn_body_unpack(n1, N1);
    /* N1 is the integral of y' y', rows of the rate: its vector is the opposite of that of Y */
    N1[5] -= v1[0] / 2, N1[7] += v1[0] / 2, N1[6] -= v1[1] / 2, N1[2] += v1[1] / 2, N1[1] -= v1[2] / 2,
        N1[3] += v1[2] / 2;
    sn_skew3(al, a), sn_skew3(w, w2), sn_matmul3(w2, w2, ww);
    for (int k = 0; k < 9; k++) W[k] = a[k] + ww[k];
    sn_matmul3(W, N0, A);
    add_moment(A, s->moment);
    sn_matmul3(w2, N1, A);
    for (int k = 0; k < 9; k++) A[k] *= 2;
    add_moment(A, s->moment);
    /* dmoment/dal = trace N0 - N0, dmoment/dw = (N0 w)~ - w~ N0 + 2 (trace N1 - N1) */
    double trace0 = N0[0] + N0[4] + N0[8], trace1 = N1[0] + N1[4] + N1[8];
    sn_mul3(N0, w, x), sn_skew3(x, a);
    sn_matmul3(w2, N0, A);
    for (int k = 0; k < 9; k++) {
        s->J[k] = (k % 4 ? 0 : trace0) - N0[k];
        s->C[k] = a[k] - A[k] + 2 * ((k % 4 ? 0 : trace1) - N1[k]);
    }
}

static SN_SIMD void inertia(const sn_body_motion *y, const sn_body_out *o, sn_body_sums *s)
{
    totals t;
    memset(&t, 0, sizeof t);
    for (int g = 0; g < sn_body_groups(y->nd); g++) {
        sn_body_pairs p;
        sn_body_pair_sums(y, g, o->K != NULL, &p);
        add_group(y, o, g, &p, &t);
        if (o->K) tangents(y, o, g, &p);
    }
    if (o->K) own_rows(y, o);
    collect(y, &t, s);
}

static sn_status known(const sn_reduced_body *b, sn_err *err)
{
    if (b->PP) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, NULL,
                   "the body has no integrals of its modes, since its mass matrix is not that of particles: "
                   "use body_ffr");
}

SN_BODY_KIND(body_fncf, "flexible body by modes: flexible natural coordinates, condensed");
