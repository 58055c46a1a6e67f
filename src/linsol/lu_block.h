/* For the loops over panels (lu_block.c, lu_block_rows.c): functions with a `size` are compiled twice, for
   blocks between neighbours of the same size in a chain of nodes in space, where all lengths are constants,
   and for any. */
#ifndef SN_LINSOL_LU_BLOCK_H
#define SN_LINSOL_LU_BLOCK_H

#include "linsol/lu.h"

#define INLINE inline __attribute__((always_inline))

/* Rows, columns before and behind. */
typedef struct size {
    int n, nl, nu;
} size;

enum { CHAIN = SN_LU_CHAIN };
#define CHAIN_SIZE ((size){CHAIN, CHAIN, CHAIN})

/* The statement for rows 0 .. n - 1, and backwards; in a chain k is a constant, so that all loops below are
   written out. */
#define ROW(k, value, ...)                                                                                   \
    do {                                                                                                     \
        enum { k = value };                                                                                  \
        __VA_ARGS__;                                                                                         \
    } while (0)
#define EACH_ROW(n, k, ...)                                                                                  \
    do {                                                                                                     \
        if ((n) == CHAIN) {                                                                                  \
            ROW(k, 0, __VA_ARGS__);                                                                          \
            ROW(k, 1, __VA_ARGS__);                                                                          \
            ROW(k, 2, __VA_ARGS__);                                                                          \
            ROW(k, 3, __VA_ARGS__);                                                                          \
            ROW(k, 4, __VA_ARGS__);                                                                          \
            ROW(k, 5, __VA_ARGS__);                                                                          \
        } else {                                                                                             \
            for (int k = 0; k < (n); k++) __VA_ARGS__;                                                       \
        }                                                                                                    \
    } while (0)
#define EACH_ROW_BACK(n, k, ...)                                                                             \
    do {                                                                                                     \
        if ((n) == CHAIN) {                                                                                  \
            ROW(k, 5, __VA_ARGS__);                                                                          \
            ROW(k, 4, __VA_ARGS__);                                                                          \
            ROW(k, 3, __VA_ARGS__);                                                                          \
            ROW(k, 2, __VA_ARGS__);                                                                          \
            ROW(k, 1, __VA_ARGS__);                                                                          \
            ROW(k, 0, __VA_ARGS__);                                                                          \
        } else {                                                                                             \
            for (int k = (n)-1; k >= 0; k--) __VA_ARGS__;                                                    \
        }                                                                                                    \
    } while (0)

static INLINE size size_of(const sn_lu_block *b) { return (size){b->n, b->nl, b->nu}; }

#endif
