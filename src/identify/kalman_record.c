/* What a filter has done, for the smoother: operations, and their numbers in pieces that are never moved. */
#include "identify/kalman.h"

enum { PIECE = 1 << 16 };

double *sn_kalman_note(sn_kalman_record *q, const sn_kalman_op *op, size_t n)
{
    if (q->used + n > q->size) {
        double *piece;
        size_t size = n > PIECE ? n : PIECE;
        if (sn_grow(&q->piece, &q->cap_piece, q->n_piece + 1, sizeof *q->piece) || !SN_NEW(piece, size))
            return NULL;
        q->piece[q->n_piece++] = piece, q->used = 0, q->size = size;
    }
    if (sn_grow(&q->op, &q->cap, q->n + 1, sizeof *q->op)) return NULL;
    double *x = q->piece[q->n_piece - 1] + q->used;
    q->op[q->n] = *op;
    q->op[q->n++].x = x;
    q->used += n;
    return x;
}

void sn_kalman_record_free(sn_kalman_record *q)
{
    for (int i = 0; i < q->n_piece; i++) sn_free(q->piece[i]);
    sn_free(q->piece), sn_free(q->op);
    *q = (sn_kalman_record){0};
}
