/* Two frames in space: relative position and rotation, and what forces between them need.

   Coordinates x1, th1, x2, th2 (th: body variations). With the place of the connection at arms p1, p2 in the
   bodies, e = R1'(x2 + R2 p2 - x1) and Q = R1'R2, the relative position in body 1 is y = e - p1:
     dy = R1'(dx2 - dx1) + e~ dth1 - Q p2~ dth2
   and the relative rotation varies by dw = dth2 - Q' dth1, in axes of body 2. A covector f on y gives b with
   b.v = f.ydot, a covector g on dw likewise; H = db/dq is exact and not symmetric, because th are not
   coordinates. */
#ifndef SN_ELEMENT_PAIR3D_H
#define SN_ELEMENT_PAIR3D_H

#include "math/rot3.h"
#include "sinew/class.h"

enum { SN_X1, SN_TH1 = 3, SN_X2 = 6, SN_TH2 = 9, SN_PAIR = 12 };

typedef struct sn_pair3 {
    double R1[9], R2[9], Q[9], e[3];
    double p[4]; /* quaternion of Q, its first number not negative: angles below pi */
} sn_pair3;

/* Cosine of half the angle of the relative rotation, the nodes' turns counted: negative past pi, where the
   measures of a pair have jumped. */
static inline double sn_pair3_cos_half(const double *q)
{
    return q[3] * q[10] + q[4] * q[11] + q[5] * q[12] + q[6] * q[13];
}

static inline void sn_pair3_open(const double *q, const double *p2, sn_pair3 *g)
{
    const double back[4] = {q[3], -q[4], -q[5], -q[6]};
    double d[3];
    sn_quat_matrix(q + 3, g->R1);
    sn_quat_matrix(q + 10, g->R2);
    sn_tmatmul3(g->R1, g->R2, g->Q);
    sn_quat_mul(back, q + 10, g->p);
    for (int i = 0; i < 4 && g->p[0] < 0; i++) g->p[3 - i] = -g->p[3 - i];
    sn_mul3(g->R2, p2, d);
    for (int k = 0; k < 3; k++) d[k] += q[7 + k] - q[k];
    sn_tmul3(g->R1, d, g->e);
}

static inline void sn_transpose3(const double *A, double *B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) B[3 * i + j] = A[3 * j + i];
}

/* Y (3 x 12) += dy/dq */
static inline void sn_pair3_dy(const sn_pair3 *g, const double *p2, double *Y)
{
    double A[9], S[9];
    sn_transpose3(g->R1, A);
    sn_block3(Y, SN_PAIR, 0, SN_X1, -1, A);
    sn_block3(Y, SN_PAIR, 0, SN_X2, 1, A);
    sn_skew3(g->e, S);
    sn_block3(Y, SN_PAIR, 0, SN_TH1, 1, S);
    sn_skew3(p2, S);
    sn_matmul3(g->Q, S, A);
    sn_block3(Y, SN_PAIR, 0, SN_TH2, -1, A);
}

/* b += Y'f */
static inline void sn_pair3_slide(const sn_pair3 *g, const double *p2, const double *f, double *b)
{
    double F[3], m1[3], m2[3];
    sn_mul3(g->R1, f, F);
    sn_cross3(f, g->e, m1);
    sn_tmul3(g->Q, f, m2);
    sn_cross3(p2, m2, m2);
    for (int k = 0; k < 3; k++) {
        b[SN_X1 + k] -= F[k];
        b[SN_X2 + k] += F[k];
        b[SN_TH1 + k] += m1[k];
        b[SN_TH2 + k] += m2[k];
    }
}

/* H += d(Y'f)/dq at a constant f */
static inline void sn_pair3_slide_tangent(const sn_pair3 *g, const double *p2, const double *f, double *H)
{
    double S[9], A[9], B[9], Qf[3], Y[3 * SN_PAIR] = {0};
    sn_skew3(f, S);
    sn_matmul3(g->R1, S, A);
    sn_block3(H, SN_PAIR, SN_X1, SN_TH1, 1, A);
    sn_block3(H, SN_PAIR, SN_X2, SN_TH1, -1, A);
    /* d(f x e) = f~ dy */
    sn_pair3_dy(g, p2, Y);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < SN_PAIR; j++)
            for (int k = 0; k < 3; k++) H[SN_PAIR * (SN_TH1 + i) + j] += S[3 * i + k] * Y[SN_PAIR * k + j];
    /* d(p2 x Q'f) = p2~ (Q'f)~ dw */
    sn_tmul3(g->Q, f, Qf);
    sn_skew3(p2, A);
    sn_skew3(Qf, B);
    sn_matmul3(A, B, A);
    sn_block3(H, SN_PAIR, SN_TH2, SN_TH2, 1, A);
    sn_transpose3(g->Q, B);
    sn_matmul3(A, B, A);
    sn_block3(H, SN_PAIR, SN_TH2, SN_TH1, -1, A);
}

/* b += (dw/dq)'g */
static inline void sn_pair3_turn(const sn_pair3 *p, const double *g, double *b)
{
    double m[3];
    sn_mul3(p->Q, g, m);
    for (int k = 0; k < 3; k++) {
        b[SN_TH1 + k] -= m[k];
        b[SN_TH2 + k] += g[k];
    }
}

/* H += d((dw/dq)'g)/dq, where g moves by G dw: d(Q g) = Q (G - g~) dw */
static inline void sn_pair3_turn_tangent(const sn_pair3 *p, const double *g, const double *G, double *H)
{
    double A[9], Qt[9], S[9];
    sn_transpose3(p->Q, Qt);
    sn_block3(H, SN_PAIR, SN_TH2, SN_TH2, 1, G);
    sn_matmul3(G, Qt, A);
    sn_block3(H, SN_PAIR, SN_TH2, SN_TH1, -1, A);
    sn_skew3(g, S);
    for (int i = 0; i < 9; i++) A[i] = G[i] - S[i];
    sn_matmul3(p->Q, A, A);
    sn_block3(H, SN_PAIR, SN_TH1, SN_TH2, -1, A);
    sn_matmul3(A, Qt, A);
    sn_block3(H, SN_PAIR, SN_TH1, SN_TH1, 1, A);
}

/* Relative angular velocity in axes of body 2 */
static inline void sn_pair3_spin(const sn_pair3 *p, const double *v, double *u)
{
    double w[3];
    sn_tmul3(p->Q, v + SN_TH1, w);
    for (int k = 0; k < 3; k++) u[k] = v[SN_TH2 + k] - w[k];
}

/* u = w/|w|; returns |w|, or 0 where it has no direction */
static inline double sn_pair3_unit(const double *w, double *u)
{
    double l = sqrt(sn_dot3(w, w));
    for (int k = 0; k < 3; k++) u[k] = l > 0 ? w[k] / l : 0;
    return l;
}

/* du = (1 - u u') dw / l */
static inline void sn_pair3_dunit(const double *u, double l, const double *dw, double *du)
{
    double c = sn_dot3(u, dw);
    for (int k = 0; k < 3; k++) du[k] = (dw[k] - c * u[k]) / l;
}

/* ---- the output `force` of an element without inertia between two spatial nodes ---- */

typedef sn_status sn_end3_eval(const sn_in *in, double *r, double *K, double *C, double *M);
typedef sn_status sn_end3_dparam(const sn_in *in, int index, double *dr);

static inline int sn_end3_turns(const sn_in *in, int i) { return sn_is_frame(in->view, i); }

/* Force and moment about the node on the element at an end, in global axes: (r_x, R r_th). */
static inline sn_status sn_end3_force(const sn_in *in, sn_end3_eval *eval, int end, double *y, sn_dout *d)
{
    double r[SN_PAIR] = {0}, K[SN_PAIR * SN_PAIR] = {0}, C[SN_PAIR * SN_PAIR] = {0}, R[9], S[9];
    int i = end == 1 ? 0 : 1, o = in->offv[i], nv = in->nv, rot = sn_end3_turns(in, i);
    SN_TRY(eval(in, r, d ? K : NULL, d ? C : NULL, NULL));
    if (rot) sn_quat_matrix(in->q + in->off[i] + 3, R);
    memcpy(y, r + o, 3 * sizeof *y);
    y[3] = y[4] = y[5] = 0;
    if (rot) sn_mul3(R, r + o + 3, y + 3);
    if (!d) return SN_OK;
    if (rot) {
        /* d(R m) = R (dm - m~ dth) */
        sn_skew3(r + o + 3, S);
        for (int a = 0; a < 9; a++) K[nv * (o + 3 + a / 3) + o + 3 + a % 3] -= S[a];
    }
    for (int a = 0; a < 3; a++)
        for (int j = 0; j < nv; j++) {
            if (d->q) d->q[nv * a + j] += K[nv * (o + a) + j];
            if (d->v) d->v[nv * a + j] += C[nv * (o + a) + j];
            for (int k = 0; rot && k < 3; k++) {
                if (d->q) d->q[nv * (3 + a) + j] += R[3 * a + k] * K[nv * (o + 3 + k) + j];
                if (d->v) d->v[nv * (3 + a) + j] += R[3 * a + k] * C[nv * (o + 3 + k) + j];
            }
        }
    return SN_OK;
}

static inline sn_status sn_end3_dforce(const sn_in *in, sn_end3_dparam *dparam, int end, int index,
                                       double *dy)
{
    double dr[SN_PAIR] = {0}, R[9];
    int i = end == 1 ? 0 : 1, o = in->offv[i];
    SN_TRY(dparam(in, index, dr));
    memcpy(dy, dr + o, 3 * sizeof *dy);
    dy[3] = dy[4] = dy[5] = 0;
    if (!sn_end3_turns(in, i)) return SN_OK;
    sn_quat_matrix(in->q + in->off[i] + 3, R);
    sn_mul3(R, dr + o + 3, dy + 3);
    return SN_OK;
}

#define SN_END3_OUTPUT                                                                                       \
    {                                                                                                        \
        "force", "force and moment about the node on the element at its end (2 unless asked)", 6,            \
            {"fx", "fy", "fz", "mx", "my", "mz"},                                                            \
        {                                                                                                    \
            "N", "N", "N", "N*m", "N*m", "N*m"                                                               \
        }                                                                                                    \
    }

#endif
