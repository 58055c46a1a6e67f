/* Products of dense blocks for multifrontal factors.

   Eight rows and four columns of C stay in registers while the products are summed, in the order of the inner
   index. At the edges as much is summed, and what lies outside is not stored: A and B may be read three
   numbers beyond their ends. So each number of C has the same bits in a product of any size. */
#include "linsol/front.h"
#include "math/simd.h"

static SN_SIMD_INLINE void store(double *C, size_t ldc, const sn_quad *s, int rows, int columns)
{
    for (int j = 0; j < columns; j++, C += ldc)
        for (int i = 0; i < rows; i++) C[i] -= s[2 * j + (i >> 2)][i & 3];
}

/* C (8 x 4, or the first rows and columns of that) -= A B' */
static SN_SIMD_INLINE void tile(sn_part C, sn_part A, sn_part B, int rows, int columns, int k)
{
    sn_quad s[8] = {{0}};
    const double *restrict a = A.x, *restrict b = B.x;
    for (int p = 0; p < k; p++, a += A.ld, b += B.ld) {
        const sn_quad top = *(const sn_quad *)a, low = *(const sn_quad *)(a + 4);
        s[0] += top * b[0], s[1] += low * b[0];
        s[2] += top * b[1], s[3] += low * b[1];
        s[4] += top * b[2], s[5] += low * b[2];
        s[6] += top * b[3], s[7] += low * b[3];
    }
    if (rows < 8 || columns < 4) {
        store(C.x, C.ld, s, rows < 8 ? rows : 8, columns < 4 ? columns : 4);
        return;
    }
    double *c = C.x;
    *(sn_quad *)c -= s[0], *(sn_quad *)(c + 4) -= s[1], c += C.ld;
    *(sn_quad *)c -= s[2], *(sn_quad *)(c + 4) -= s[3], c += C.ld;
    *(sn_quad *)c -= s[4], *(sn_quad *)(c + 4) -= s[5], c += C.ld;
    *(sn_quad *)c -= s[6], *(sn_quad *)(c + 4) -= s[7];
}

/* The same with four rows or fewer. */
static SN_SIMD_INLINE void low_tile(sn_part C, sn_part A, sn_part B, int rows, int columns, int k)
{
    sn_quad s[8] = {{0}};
    const double *restrict a = A.x, *restrict b = B.x;
    for (int p = 0; p < k; p++, a += A.ld, b += B.ld) {
        const sn_quad top = *(const sn_quad *)a;
        s[0] += top * b[0], s[2] += top * b[1], s[4] += top * b[2], s[6] += top * b[3];
    }
    store(C.x, C.ld, s, rows, columns < 4 ? columns : 4);
}

static SN_SIMD_INLINE sn_part below(sn_part b, int rows) { return (sn_part){b.x + rows, b.ld}; }
static SN_SIMD_INLINE sn_part right(sn_part b, int columns)
{
    return (sn_part){b.x + (size_t)columns * b.ld, b.ld};
}

/* As much of A at a time as fits into the second cache. */
enum { DEEP = 192, TALL = 128 };

/* With `lower` nothing but what is on and below the diagonal need be right. */
SN_SIMD static void subtract(sn_part C, sn_part A, sn_part B, const int *size, int lower)
{
    const int m = size[0], n = size[1], k = size[2];
    for (int p = 0; p < k; p += DEEP) {
        const int deep = k - p < DEEP ? k - p : DEEP;
        const sn_part a = right(A, p), b = right(B, p);
        for (int top = 0; top < m; top += TALL) {
            const int end = m - top < TALL ? m : top + TALL;
            for (int j = 0; j < n && (!lower || j < end); j += 4) {
                const sn_part c = right(C, j), q = below(b, j);
                int i = lower && j > top ? j : top;
                for (; i + 4 < end; i += 8) tile(below(c, i), below(a, i), q, end - i, n - j, deep);
                if (i < end) low_tile(below(c, i), below(a, i), q, end - i, n - j, deep);
            }
        }
    }
}

void sn_front_subtract(sn_part C, sn_part A, sn_part B, int m, int n, int k)
{
    subtract(C, A, B, (const int[]){m, n, k}, 0);
}

void sn_front_subtract_lower(sn_part C, sn_part A, sn_part B, int m, int n, int k)
{
    subtract(C, A, B, (const int[]){m, n, k}, 1);
}
