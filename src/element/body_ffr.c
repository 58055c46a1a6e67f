/* body_ffr: a reduced flexible body by its floating frame and modes, with all inertia forces.

   The frame (x0, R) and the amplitudes d of the modes; in the axes of the frame, with v = R'x0', w its rate,
   c(d) = first + S d, the inertia J(d) and the moments h_i(d) of the modes (docs/flexible-bodies.md):

       T = m v.v/2 + v.(w x c + S d') + w.J w/2 + w.sum_i h_i d_i' + d'.d'/2

   Lagrange's equations of this T and nothing less; D_i = dJ/dd_i, f = R'(a - g), al = w', H = dh/dd:

       force   m f + al x c + w x (w x c) + 2 w x S d' + S d''                                  (turned by R)
       moment  c x f + J al + w x J w + J' w + sum_i (h_i d_i'' + h_i' d_i') + w x sum_i h_i d_i'
       mode i  S_i.f + al.h_i + d_i'' + w.sum_j (H_ji - H_ij) d_j' - w.D_i w/2

   A vector of pairs is the part of H that changes its sign when the modes change places; of particles that is
   all of it. The rest, which mass matrices with inertias of rotation have, is done apart. */
#include "element/body_kind.h"

extern const sn_element_class sn_element_body_ffr;

/* ---- constants ---- */

static int has_extra(const sn_reduced_body *b)
{
    int nd = b->nd;
    double top = 0, sum = 0;
    for (int i = 0; i < nd; i++)
        for (int j = 0; j < nd; j++)
            for (int k = 0; k < 3; k++) {
                double x = b->H[(i * nd + j) * 3 + k], y = b->H[(j * nd + i) * 3 + k];
                top = fmax(top, fabs(x)), sum = fmax(sum, fabs(x + y));
            }
    return sum > 1e-12 * top;
}

static void constants(const sn_reduced_body *b, const double *R0, double *second, double *c, double *extra)
{
    int nd = b->nd;
    double A[9], x[9];
    sn_body_turn(R0, b->J0, A);
    sn_body_pack(A, second);
    for (int i = 0; i < nd; i++) {
        sn_mul3(R0, b->S + 3 * i, x);
        sn_body_turn(R0, b->J1 + 9 * i, A);
        sn_body_pack(A, x + 3);
        for (int k = 0; k < 9; k++) c[sn_body_at(i, k)] = x[k];
        sn_mul3(R0, b->h0 + 3 * i, x);
        for (int k = 0; k < 3; k++) c[sn_body_at(i, SN_BODY_VEC + k)] = x[k];
    }
    for (int i = 0; i < nd; i++)
        for (int j = 0; j < nd; j++) {
            const double *J = b->J2 + 9 * (j * nd + i), *Jt = b->J2 + 9 * (i * nd + j);
            const double *H = b->H + 3 * (j * nd + i), *Ht = b->H + 3 * (i * nd + j);
            double odd[3], even[3];
            for (int k = 0; k < 9; k++) A[k] = J[k] + Jt[k];
            for (int k = 0; k < 3; k++) odd[k] = (H[k] - Ht[k]) / 2, even[k] = (H[k] + Ht[k]) / 2;
            sn_body_turn(R0, A, A);
            sn_body_pack(A, x);
            sn_mul3(R0, odd, x + 6);
            for (int k = 0; k < 9; k++) c[sn_body_at2(nd, j, i, k)] = x[k];
            if (extra) sn_mul3(R0, even, extra + 3 * (j * nd + i));
        }
}

/* ---- forces ---- */

/* Columns and rows of the modes of a group; p: D, h and their sums with rates. */
static SN_SIMD_INLINE void tangents(const sn_body_motion *y, const sn_body_out *o, int g,
                                    const sn_body_pairs *p)
{
    const sn_quad *S = (const sn_quad *)(y->c + sn_body_at(4 * g, SN_BODY_S));
    const double *w = y->w, *al = y->al, f = o->factor;
    int nv = y->nv, lanes = sn_body_lanes(y->nd, g);
    sn_quad Sf[3], Da[3], Dw[3], wDw[3], D1w[3], wv[3], wh[3], K[3], C[3], Cm[3];
    sn_quad_cross(y->f, S, Sf);
    sn_quad_sym(p->sym, al, Da), sn_quad_sym(p->sym, w, Dw), sn_quad_cross(w, Dw, wDw);
    sn_quad_sym(p->sym1, w, D1w), sn_quad_cross(w, p->vec1, wv), sn_quad_cross(w, p->vec, wh);
    for (int k = 0; k < 3; k++) {
        K[k] = Da[k] + wDw[k] + D1w[k] - p->vec2[k] - wv[k] - Sf[k];
        C[k] = Dw[k] + wh[k];
        Cm[k] = p->vec1[k] + p->vec1[k] - Dw[k];
    }
    sn_body_rows(lanes, nv, f, K, o->K + 3 * nv + 6 + 4 * g);
    sn_body_rows(lanes, nv, f, C, o->C + 3 * nv + 6 + 4 * g);
    sn_body_rows(lanes, nv, f, p->vec, o->M + 3 * nv + 6 + 4 * g);
    sn_body_columns(lanes, nv, -f, Sf, o->K + (6 + 4 * g) * nv + 3);
    sn_body_columns(lanes, nv, f, Cm, o->C + (6 + 4 * g) * nv + 3);
    sn_body_columns(lanes, nv, f, p->vec, o->M + (6 + 4 * g) * nv + 3);
}

/* al.H_ji - w.J2_ij w, and w.(H_ji - H_ij): the pair (i, j) has the vector of H_ij */
static SN_SIMD_INLINE void own_rows(const sn_body_motion *y, const sn_body_out *o)
{
    const double *w = y->w, f = o->factor, h = -f / 2;
    const double sym[6] = {h * w[0] * w[0],     h * w[1] * w[1],     h * w[2] * w[2],
                           2 * h * w[0] * w[1], 2 * h * w[0] * w[2], 2 * h * w[1] * w[2]};
    double vec[3], vec1[3];
    for (int k = 0; k < 3; k++) vec[k] = -f * y->al[k], vec1[k] = -2 * f * w[k];
    for (int i = 0; i < y->nd; i++) {
        size_t at = (size_t)(6 + i) * (size_t)y->nv + 6;
        sn_body_own_row(y, i, sym, vec, vec1, o->K + at, o->C + at);
        o->M[at + (size_t)i] += f;
    }
}

/* Sums over the modes: of S and h with the rates, of J and its rate. */
typedef struct totals {
    sn_quad S[3], S1[3], S2[3], h1[3], h2[3], J[6], J1[6];
} totals;

static SN_SIMD_INLINE void add_group(const sn_body_motion *y, const sn_body_out *o, int g,
                                     const sn_body_pairs *p, totals *t)
{
    const sn_quad *one = (const sn_quad *)(y->c + sn_body_at(4 * g, 0));
    const double *w = y->w;
    int lanes = sn_body_lanes(y->nd, g);
    sn_quad x[3], Dw[3];
    sn_body_lane_values(y, g, x);
    const sn_quad d = x[0], d1 = x[1], d2 = x[2];
    for (int k = 0; k < 3; k++) {
        t->S[k] += one[k] * d, t->S1[k] += one[k] * d1, t->S2[k] += one[k] * d2;
        t->h1[k] += p->vec[k] * d1, t->h2[k] += p->vec[k] * d2;
    }
    for (int k = 0; k < 6; k++) t->J[k] += (one[SN_BODY_SYM + k] + p->sym[k]) * d, t->J1[k] += p->sym[k] * d1;
    sn_quad_sym(p->sym, w, Dw);
    sn_quad r = SN_QUAD_DOT(y->f, one) + SN_QUAD_DOT(y->al, p->vec) + d2 + 2 * SN_QUAD_DOT(w, p->vec1) -
                0.5 * SN_QUAD_DOT(w, Dw);
    if (o->r) sn_quad_add(lanes, o->factor, &r, o->r + 4 * g);
}

static void collect(const sn_body_motion *y, const totals *t, sn_body_sums *s)
{
    const double *w = y->w;
    double J[6], J1[6], Jw[3], h1[3], h2[3], x[3], A[9], B[9], Jd[9];
    for (int k = 0; k < 3; k++) {
        s->first[k] = y->first[k] + sn_quad_total(t->S + k);
        s->first1[k] = sn_quad_total(t->S1 + k), s->first2[k] = sn_quad_total(t->S2 + k);
        h1[k] = sn_quad_total(t->h1 + k), h2[k] = sn_quad_total(t->h2 + k);
    }
    for (int k = 0; k < 6; k++)
        J[k] = y->second[k] + sn_quad_total(t->J + k) / 2, J1[k] = sn_quad_total(t->J1 + k);
    sn_body_unpack(J, s->J), sn_body_unpack(J1, Jd);
    sn_mul3(s->J, w, Jw);
    sn_mul3(s->J, y->al, s->moment);
    sn_mul3(Jd, w, x);
    for (int k = 0; k < 3; k++) s->moment[k] += x[k] + h2[k], x[k] = Jw[k] + h1[k];
    sn_skew3(x, A), sn_skew3(w, B);
    sn_cross3(w, x, x);
    for (int k = 0; k < 3; k++) s->moment[k] += x[k];
    sn_matmul3(B, s->J, B);
    for (int k = 0; k < 9; k++) s->C[k] = B[k] + Jd[k] - A[k];
}

/* The part E of H that is the same for (i, j) and (j, i): T = w.E d d', so that with Z = E d d/2 the moment
   is Z'' + w x Z', and mode i has al.E_i d. Not of bodies made of particles. */
static void add_extra(const sn_body_motion *y, const sn_body_out *o, sn_body_sums *s)
{
    int nd = y->nd, nv = y->nv;
    double rate[3] = {0}, bend[3] = {0}, x[3], A[9];
    for (int i = 0; i < nd; i++) {
        double e[3] = {0}, e1[3] = {0}, e2[3] = {0}, we1[3], we[3];
        for (int j = 0; j < nd; j++)
            for (int k = 0; k < 3; k++) {
                double E = y->extra[(i * nd + j) * 3 + k];
                e[k] += E * y->d[j], e1[k] += E * y->f1 * y->d1[j], e2[k] += E * y->f2 * y->d2[j];
                if (o->K) o->K[(6 + i) * nv + 6 + j] += o->factor * y->al[k] * E;
            }
        if (o->r) o->r[i] += o->factor * sn_dot3(y->al, e);
        sn_cross3(y->w, e1, we1), sn_cross3(y->w, e, we);
        for (int k = 0; k < 3; k++) {
            rate[k] += e[k] * y->f1 * y->d1[i];
            bend[k] += e[k] * y->f2 * y->d2[i] + e1[k] * y->f1 * y->d1[i];
            if (!o->K) continue;
            o->K[(3 + k) * nv + 6 + i] += o->factor * (e2[k] + we1[k]);
            o->C[(3 + k) * nv + 6 + i] += o->factor * (2 * e1[k] + we[k]);
            o->M[(3 + k) * nv + 6 + i] += o->factor * e[k], o->M[(6 + i) * nv + 3 + k] += o->factor * e[k];
        }
    }
    sn_cross3(y->w, rate, x), sn_skew3(rate, A);
    for (int k = 0; k < 3; k++) s->moment[k] += bend[k] + x[k];
    for (int k = 0; k < 9; k++) s->C[k] -= A[k];
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
    if (y->extra) add_extra(y, o, s);
}

static sn_status known(const sn_reduced_body *b, sn_err *err)
{
    (void)b, (void)err;
    return SN_OK;
}

SN_BODY_KIND(body_ffr, "flexible body by modes: floating frame with its inertia invariants");
