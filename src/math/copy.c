/* Many numbers. The C library goes over to string instructions, which are slow to start. */
#include "math/copy.h"
#include "math/simd.h"

#include <string.h>

static SN_SIMD void copy(double *restrict to, const double *restrict from, size_t n)
{
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (size_t k = 0; k < 16; k += 4) *(sn_quad *)(to + i + k) = *(const sn_quad *)(from + i + k);
    for (; i < n; i++) to[i] = from[i];
}

void sn_copy(double *to, const double *from, size_t n) { copy(to, from, n); }
