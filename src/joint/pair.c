/* The three primitive equations of the spatial joints, their gradients and second derivatives: see space.h.
 */
#include "joint/space.h"

/* 3 x 3 numbers within K, whose rows begin nv numbers apart; NULL where a coordinate is missing */
typedef struct block {
    double *K;
    int nv;
} block;

static inline block block_at(const sn_pair *p, int row, int col, double *K)
{
    return (block){row < 0 || col < 0 ? NULL : K + row * p->nv + col, p->nv};
}

/* b += u v' + f A (A NULL: the identity) */
static void add(block b, const double *u, const double *v, double f, const double *A)
{
    if (!b.K) return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) b.K[i * b.nv + j] += u[i] * v[j] + f * (A ? A[3 * i + j] : i == j);
}

/* block += f A, or its transpose at (col, row) */
static void add_matrix(const sn_pair *p, int row, int col, double f, const double *A, int transposed,
                       double *K)
{
    if (row < 0 || col < 0) return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K[transposed ? (col + j) * p->nv + row + i : (row + i) * p->nv + col + j] += f * A[3 * i + j];
}

static void transpose(const double *A, double *B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) B[3 * j + i] = A[3 * i + j];
}

/* a~ b~ = b a' - (a.b) 1 */
void sn_pair_along_K(const sn_pair *p, const double *e, double *K)
{
    double a1[3], a2[3], s1[3];
    sn_tmul3(p->R1, e, a1);
    sn_tmul3(p->R2, e, a2);
    for (int i = 0; i < 3; i++) s1[i] = -p->s1[i];
    add(block_at(p, p->th[0], p->th[0], K), a1, s1, -sn_dot3(s1, a1), NULL);
    add(block_at(p, p->th[1], p->th[1], K), a2, p->s2, -sn_dot3(p->s2, a2), NULL);
}

/* What square(d, e) and within(d), e = s2, have in common: d~ a~ for th1, where a is b or w; the others from
 * e
 */
static void bilinear_K(const sn_pair *p, const double *d, const double *e, const double *a, double *K)
{
    double b[3], h[3], minus_b[3], minus_h[3], Qt[9];
    int t1 = p->th[0], t2 = p->th[1];
    sn_mul3(p->Q, e, b);
    sn_tmul3(p->Q, d, h);
    double c = sn_dot3(d, b);
    for (int i = 0; i < 3; i++) minus_b[i] = -b[i], minus_h[i] = -h[i];
    transpose(p->Q, Qt);
    add(block_at(p, t1, t1, K), a, d, -sn_dot3(d, a), NULL);
    add(block_at(p, t1, t2, K), minus_b, h, c, p->Q);
    add(block_at(p, t2, t1, K), minus_h, b, c, Qt);
    add(block_at(p, t2, t2, K), h, e, -c, NULL);
}

void sn_pair_within_K(const sn_pair *p, const double *d, double *K)
{
    double S[9], A[9];
    bilinear_K(p, d, p->s2, p->w, K);
    /* x by th1: -R1 d~, and th1 by x its transpose */
    sn_skew3(d, S);
    sn_matmul3(p->R1, S, A);
    for (int body = 0; body < 2; body++)
        for (int t = 0; t < 2; t++) add_matrix(p, p->x[body], p->th[0], body ? -1 : 1, A, t, K);
}

void sn_pair_square_K(const sn_pair *p, const double *d, const double *e, double *K)
{
    double b[3];
    sn_mul3(p->Q, e, b);
    bilinear_K(p, d, e, b, K);
}

double sn_pair_bend(const sn_pair *p, const double *K, const double *v)
{
    double y = 0;
    for (int i = 0; i < p->nv; i++)
        for (int j = 0; j < p->nv; j++) y += v[i] * K[i * p->nv + j] * v[j];
    return y;
}
