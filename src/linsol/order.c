/* An order of elimination for chains: from both ends to the middle.

   Minimum degree eats a chain from one end, and each pivot waits for the one before. Two fronts that meet in
   the middle cost no more fill and wait half as often. The order is that of Cuthill and McKee reversed,
   started from the middle level of a breadth-first search between two ends (George, Liu, Computer Solution of
   Large Sparse Positive Definite Systems, ch. 4, for the ends). */
#include "linsol/order.h"

/* Breadth first from the nodes queue[0..count), whose dist is set and which are of distance 0; the others
   have dist -1. Returns how many were reached; the queue holds them by distance. */
static int search(const int *Ap, const int *Ai, int *queue, int count, int *dist)
{
    for (int head = 0; head < count; head++) {
        int j = queue[head];
        for (int p = Ap[j]; p < Ap[j + 1]; p++) {
            if (dist[Ai[p]] >= 0) continue;
            dist[Ai[p]] = dist[j] + 1;
            queue[count++] = Ai[p];
        }
    }
    return count;
}

static int search_from(int n, const int *Ap, const int *Ai, int start, int *queue, int *dist)
{
    for (int i = 0; i < n; i++) dist[i] = -1;
    queue[0] = start;
    dist[start] = 0;
    return search(Ap, Ai, queue, 1, dist);
}

sn_status sn_order_from_ends(int n, const int *Ap, const int *Ai, int *perm, int *found, sn_err *err)
{
    int *dist, *queue = perm, reached = 0;
    *found = 0;
    if (!SN_NEW(dist, n)) return SN_OUT_OF_MEM(err);
    /* an end of the structure is what lies farthest from what lies farthest from anything */
    for (int turn = 0, start = 0; turn < 3 && n > 0; turn++) {
        reached = search_from(n, Ap, Ai, start, queue, dist);
        start = queue[reached - 1];
    }
    if (reached == n && n > 0) {
        int middle = dist[queue[n / 2]], count = 0;
        for (int k = 0; k < n; k++)
            if (dist[queue[k]] == middle) queue[count++] = queue[k];
        for (int i = 0; i < n; i++) dist[i] = -1;
        for (int k = 0; k < count; k++) dist[queue[k]] = 0;
        *found = count < n / 4 && search(Ap, Ai, queue, count, dist) == n;
    }
    for (int a = 0, z = n - 1; a < z && *found; a++, z--) {
        int t = perm[a];
        perm[a] = perm[z];
        perm[z] = t;
    }
    sn_free(dist);
    return SN_OK;
}
