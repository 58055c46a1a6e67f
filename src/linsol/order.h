/* Orders of elimination. */
#ifndef SN_LINSOL_ORDER_H
#define SN_LINSOL_ORDER_H

#include "base/mem.h"

/* From both ends of a long narrow structure to its middle: perm[k] is the unknown to eliminate at k. *found =
   0 when the structure is not in one piece or has no narrow middle. Symmetric pattern expected (of others
   only the rows count). */
sn_status sn_order_from_ends(int n, const int *Ap, const int *Ai, int *perm, int *found, sn_err *err);

#endif
