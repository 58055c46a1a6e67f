/* Sums over the modes of a reduced body, four modes at a time.

   Constants of a body, made once for each set of parameters and turned into the axes of its frame. Four modes
   i (lanes) of which the last may be empty are a group. A group has SN_BODY_ONE numbers of each mode, and,
   for each mode j of the body, SN_BODY_TWO numbers of each pair (j, i): a symmetric matrix (xx yy zz xy xz
   yz) and a vector, of which the matrix is the same and the vector the opposite for (i, j). */
#ifndef SN_ELEMENT_BODY_MODES_H
#define SN_ELEMENT_BODY_MODES_H

#include "math/rot3.h"
#include "math/simd.h"
#include "model/reduced_body.h"

enum {
    SN_BODY_S = 0,    /* first moment of a mode */
    SN_BODY_SYM = 3,  /* matrix of a mode */
    SN_BODY_VEC = 9,  /* vector of a mode */
    SN_BODY_ONE = 12, /* numbers of a mode */
    SN_BODY_TWO = 9   /* numbers of a pair */
};

static inline int sn_body_groups(int nd) { return (nd + 3) / 4; }

/* Numbers of all groups: those of the modes first. */
static inline int sn_body_count(int nd) { return 4 * sn_body_groups(nd) * (SN_BODY_ONE + nd * SN_BODY_TWO); }

/* Where number k of mode i, or of the pair (j, i), lies. */
static inline size_t sn_body_at(int i, int k) { return (size_t)((i / 4 * SN_BODY_ONE + k) * 4 + i % 4); }
static inline size_t sn_body_at2(int nd, int j, int i, int k)
{
    size_t ones = (size_t)(4 * sn_body_groups(nd) * SN_BODY_ONE);
    return ones + (((size_t)(i / 4) * (size_t)nd + (size_t)j) * SN_BODY_TWO + (size_t)k) * 4 +
           (size_t)(i % 4);
}

static inline int sn_body_lanes(int nd, int group) { return nd - 4 * group < 4 ? nd - 4 * group : 4; }

/* The symmetric matrix in its six numbers, and back. */
static inline void sn_body_pack(const double *A, double *s)
{
    s[0] = A[0], s[1] = A[4], s[2] = A[8];
    s[3] = (A[1] + A[3]) / 2, s[4] = (A[2] + A[6]) / 2, s[5] = (A[5] + A[7]) / 2;
}
static inline void sn_body_unpack(const double *s, double *A)
{
    A[0] = s[0], A[4] = s[1], A[8] = s[2];
    A[1] = A[3] = s[3], A[2] = A[6] = s[4], A[5] = A[7] = s[5];
}

/* The motion of a body in the axes of its frame. */
typedef struct sn_body_motion {
    const sn_reduced_body *b;
    const double *c;            /* groups */
    const double *extra;        /* symmetric part of H, nd x nd x 3, or NULL */
    double R[9], R0[9];         /* rotation of the frame; axes of the file in the reference */
    double w[3], al[3], f[3];   /* rates, and the acceleration of the frame against the field */
    const double *d, *d1, *d2;  /* modes, their rates and accelerations */
    double f1, f2;              /* factors of d1 and d2: 1 but in energies */
    double first[3], second[6]; /* of the file's mass, turned: of X; J0 or of X X' */
    int nd, nv;
} sn_body_motion;

/* What a kind makes of it, for a density of 1: first moment and its derivatives, the moment but for first x
   f, dmoment/dal and dmoment/dw. */
typedef struct sn_body_sums {
    double first[3], first1[3], first2[3], moment[3], J[9], C[9];
} sn_body_sums;

/* Where the rows of the modes go, times `factor`, or NULL; K, C, M: of nv x nv, all or none. */
typedef struct sn_body_out {
    double *r, *K, *C, *M;
    double factor;
} sn_body_out;

/* x . y of vectors in four lanes, and with one that all share; cross products; symmetric matrix times vector.
 */
#define SN_QUAD_DOT(a, x) ((a)[0] * (x)[0] + (a)[1] * (x)[1] + (a)[2] * (x)[2])
static SN_SIMD_INLINE void sn_quad_cross(const double *a, const sn_quad *x, sn_quad *y)
{
    sn_quad p = a[1] * x[2] - a[2] * x[1], q = a[2] * x[0] - a[0] * x[2], r = a[0] * x[1] - a[1] * x[0];
    y[0] = p, y[1] = q, y[2] = r;
}
static SN_SIMD_INLINE void sn_quad_sym(const sn_quad *A, const double *a, sn_quad *y)
{
    y[0] = A[0] * a[0] + A[3] * a[1] + A[4] * a[2];
    y[1] = A[3] * a[0] + A[1] * a[1] + A[5] * a[2];
    y[2] = A[4] * a[0] + A[5] * a[1] + A[2] * a[2];
}
static SN_SIMD_INLINE double sn_quad_total(const sn_quad *x)
{
    return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}

/* to += f x */
static SN_SIMD_INLINE void sn_quad_add(int lanes, double f, const sn_quad *x, double *to)
{
    if (lanes == 4)
        *(sn_quad *)to += f * *x;
    else
        for (int i = 0; i < lanes; i++) to[i] += f * (*x)[i];
}

/* rows (3) of a 3 x nv block, and columns of an nv x 3 one, from vectors in the lanes, times f */
static SN_SIMD_INLINE void sn_body_rows(int lanes, int nv, double f, const sn_quad *x, double *to)
{
    for (int k = 0; k < 3; k++) sn_quad_add(lanes, f, x + k, to + k * nv);
}
static SN_SIMD_INLINE void sn_body_columns(int lanes, int nv, double f, const sn_quad *x, double *to)
{
    for (int i = 0; i < lanes; i++)
        for (int k = 0; k < 3; k++) to[i * nv + k] += f * x[k][i];
}

/* Sums over j of the pairs (j, i), i in the lanes of a group: of all with d, of the vectors with d1; and
   where they are asked for, of all with d1 and of the vectors with d2. */
typedef struct sn_body_pairs {
    sn_quad sym[6], vec[3];   /* with d, those of the modes themselves added */
    sn_quad sym1[6], vec1[3]; /* with d1 */
    sn_quad vec2[3];          /* with d2 */
} sn_body_pairs;

static SN_SIMD_INLINE void sn_body_pair_sums(const sn_body_motion *y, int group, int tangents,
                                             sn_body_pairs *out)
{
    const sn_quad *p = (const sn_quad *)(y->c + sn_body_at2(y->nd, 0, 4 * group, 0)),
                  *one = (const sn_quad *)(y->c + sn_body_at(4 * group, 0));
    sn_quad s[6], v[3], s1[6] = {{0}}, v1[3] = {{0}}, v2[3] = {{0}};
    for (int k = 0; k < 6; k++) s[k] = one[SN_BODY_SYM + k];
    for (int k = 0; k < 3; k++) v[k] = one[SN_BODY_VEC + k];
    for (int j = 0; j < y->nd; j++, p += SN_BODY_TWO) {
        const double d = y->d[j], d1 = y->f1 * y->d1[j];
        for (int k = 0; k < 6; k++) s[k] += p[k] * d;
        for (int k = 0; k < 3; k++) v[k] += p[6 + k] * d, v1[k] += p[6 + k] * d1;
    }
    p -= y->nd * SN_BODY_TWO;
    for (int j = 0; tangents && j < y->nd; j++, p += SN_BODY_TWO) {
        const double d1 = y->f1 * y->d1[j], d2 = y->f2 * y->d2[j];
        for (int k = 0; k < 6; k++) s1[k] += p[k] * d1;
        for (int k = 0; k < 3; k++) v2[k] += p[6 + k] * d2;
    }
    memcpy(out->sym, s, sizeof s), memcpy(out->vec, v, sizeof v), memcpy(out->vec1, v1, sizeof v1);
    if (tangents) memcpy(out->sym1, s1, sizeof s1), memcpy(out->vec2, v2, sizeof v2);
}

/* d, d1, d2 of a group */
static SN_SIMD_INLINE void sn_body_lane_values(const sn_body_motion *y, int group, sn_quad *d)
{
    int lanes = sn_body_lanes(y->nd, group);
    sn_quad_get(lanes, y->d + 4 * group, d), sn_quad_get(lanes, y->d1 + 4 * group, d + 1),
        sn_quad_get(lanes, y->d2 + 4 * group, d + 2);
    d[1] *= y->f1, d[2] *= y->f2;
}

/* Row i of the modes' own blocks: K += sym . the pair's matrix + vec . its vector, C += vec1 . its vector */
static SN_SIMD_INLINE void sn_body_own_row(const sn_body_motion *y, int i, const double *sym,
                                           const double *vec, const double *vec1, double *K, double *C)
{
    const sn_quad *p = (const sn_quad *)(y->c + sn_body_at2(y->nd, i, 0, 0));
    for (int g = 0; g < sn_body_groups(y->nd); g++, p += y->nd * SN_BODY_TWO) {
        int lanes = sn_body_lanes(y->nd, g);
        sn_quad k = sym[0] * p[0] + sym[1] * p[1] + sym[2] * p[2] + sym[3] * p[3] + sym[4] * p[4] +
                    sym[5] * p[5] + SN_QUAD_DOT(vec, p + 6),
                c = SN_QUAD_DOT(vec1, p + 6);
        sn_quad_add(lanes, 1, &k, K + 4 * g), sn_quad_add(lanes, 1, &c, C + 4 * g);
    }
}

#endif
