/* SIMD: rows of many numbers, four at a time.

   A function marked SN_SIMD is compiled for processors with and without AVX2, and the one that fits is chosen
   when the program starts. Both do the same operations in the same order (no fused ones), so that results do
   not depend on the processor. It is static: gcc exports others from a shared library though they are hidden.
   SN_NO_SIMD leaves the former out, and so does clang, whose clones have other names in C than their
   declarations. */
#ifndef SN_MATH_SIMD_H
#define SN_MATH_SIMD_H

#include <stddef.h>

typedef double sn_quad __attribute__((vector_size(32), aligned(8), may_alias));

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(SN_NO_SIMD)
#define SN_SIMD __attribute__((target_clones("avx2", "default")))
#else
#define SN_SIMD
#endif

/* Before a loop: what a round writes no other one reads. */
#if defined __GNUC__ && !defined __clang__
#define SN_SIMD_EACH _Pragma("GCC ivdep")
#else
#define SN_SIMD_EACH
#endif

/* Before a loop of a known few rounds: all of them written out. */
#if defined __GNUC__ && !defined __clang__
#define SN_SIMD_UNROLL _Pragma("GCC unroll 16")
#else
#define SN_SIMD_UNROLL
#endif

#define SN_SIMD_INLINE inline __attribute__((always_inline))

/* The first `lanes` of four numbers, zeros behind; and back. */
static SN_SIMD_INLINE void sn_quad_get(int lanes, const double *from, sn_quad *to)
{
    double x[4] = {0, 0, 0, 0};
    for (int i = 0; lanes < 4 && i < lanes; i++) x[i] = from[i];
    *to = *(const sn_quad *)(lanes < 4 ? x : from);
}

static SN_SIMD_INLINE void sn_quad_put(int lanes, const sn_quad *from, double *to)
{
    if (lanes == 4)
        *(sn_quad *)to = *from;
    else
        for (int i = 0; i < lanes; i++) to[i] = (*from)[i];
}

/* Two vectors of two numbers side by side; lanes i, j, k, l of a vector; and four of four turned over:
   x[i][j] to x[j][i]. Compilers without the builtin (gcc before 12) move single numbers. */
#if defined __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define SN_SIMD_SHUFFLE __builtin_shufflevector
#endif
#endif
#ifdef SN_SIMD_SHUFFLE
#define SN_QUAD_JOIN(a, b)          ((sn_quad)SN_SIMD_SHUFFLE(a, b, 0, 1, 2, 3))
#define SN_QUAD_PICK(a, i, j, k, l) ((sn_quad)SN_SIMD_SHUFFLE(a, a, i, j, k, l))
#else
#define SN_QUAD_JOIN(a, b)          ((sn_quad){(a)[0], (a)[1], (b)[0], (b)[1]})
#define SN_QUAD_PICK(a, i, j, k, l) ((sn_quad){(a)[i], (a)[j], (a)[k], (a)[l]})
#endif

static SN_SIMD_INLINE void sn_quad_transpose(sn_quad *x)
{
#ifdef SN_SIMD_SHUFFLE
    const sn_quad a = SN_SIMD_SHUFFLE(x[0], x[1], 0, 4, 2, 6), b = SN_SIMD_SHUFFLE(x[0], x[1], 1, 5, 3, 7),
                  c = SN_SIMD_SHUFFLE(x[2], x[3], 0, 4, 2, 6), d = SN_SIMD_SHUFFLE(x[2], x[3], 1, 5, 3, 7);
    x[0] = SN_SIMD_SHUFFLE(a, c, 0, 1, 4, 5), x[1] = SN_SIMD_SHUFFLE(b, d, 0, 1, 4, 5);
    x[2] = SN_SIMD_SHUFFLE(a, c, 2, 3, 6, 7), x[3] = SN_SIMD_SHUFFLE(b, d, 2, 3, 6, 7);
#else
    const sn_quad a = x[0], b = x[1], c = x[2], d = x[3];
    for (int i = 0; i < 4; i++) x[i] = (sn_quad){a[i], b[i], c[i], d[i]};
#endif
}

#endif
