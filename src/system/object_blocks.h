/* The blocks K, C, M of each object at a state, by positions, velocities and accelerations, kept for products
   with many vectors: neither assembled nor scattered. */
#ifndef SN_SYSTEM_OBJECT_BLOCKS_H
#define SN_SYSTEM_OBJECT_BLOCKS_H

#include "system/system.h"

/* Of each element K (by the increment: T is in it), C and M, nv x nv each; of a joint [K; B] and [C; G], nv +
   m rows each, G in velocity rows only */
struct sn_object_blocks {
    double *x;
    size_t *element, *joint; /* where they begin */
    double *sum;             /* of one object: scratch of three */
    size_t *at;              /* where its rows of y and u begin */
};

sn_status sn_object_blocks_new(const sn_model *m, sn_object_blocks **out, sn_err *err);
void sn_object_blocks_free(sn_object_blocks *p);

/* Changes of the increment and the velocities: nv + 1 rows of `columns` numbers each, the last one zero. */
typedef struct sn_changes {
    int columns;
    const double *y, *u;
} sn_changes;

/* f = [row (K y + C u); B y + G u], n + 1 rows, the last one a bin; three more numbers behind f and behind
   each change are touched. */
void sn_object_blocks_times(const sn_work *w, const sn_object_blocks *p, double row, const sn_changes *x,
                            double *f);
/* y -= row K'z + B'z, u -= row C'z + G'z, s -= row M'z, one column; nv + 1 each, z: n + 1, the last one zero
 */
void sn_object_blocks_subtract_transposed(const sn_work *w, const sn_object_blocks *p, double row,
                                          const double *z, double *y, double *u, double *s);

#endif
