/* Windows that hand their state over: histories are sought in one window after the other, each from the state
   to which the one before has led, which is taken for known. A window costs what a run of its length does.

   What one finds is where the next begins, and all together where the search over the whole begins: noise
   makes an error of a state that is handed over, so that windows alone are worse than the whole. */
#ifndef SN_IDENTIFY_HAND_OVER_H
#define SN_IDENTIFY_HAND_OVER_H

#include "identify/history.h"
#include "identify/result.h"

/* What the windows have found of each part of the study's histories, one after the other. */
typedef struct sn_piece {
    double *t, *value, *std_error, *begin;
    int n, windows;
} sn_piece;
typedef struct sn_pieces {
    sn_piece *of;
    int n;
} sn_pieces;

/* Start values of the study's unknowns become what the windows find. */
sn_status sn_hand_over(sn_study *s, const sn_solve_options *o, sn_pieces *out, sn_err *err);
/* The pieces become part of the estimate. */
sn_status sn_pieces_keep(const sn_pieces *p, sn_estimate *e, sn_err *err);
void sn_pieces_free(sn_pieces *p);

#endif
