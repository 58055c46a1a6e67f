/* The place of a load among several nodes, by the evidence of the data for each: places.c. */
#ifndef SN_IDENTIFY_PLACES_H
#define SN_IDENTIFY_PLACES_H

#include "identify/result.h"

/* What was found for each place. */
typedef struct sn_ranking {
    int n, tried, best; /* places, and those that were tried: the first ones; the best of them */
    sn_place_fit *place;
    long simulations; /* that it took */
    double seconds;
} sn_ranking;

/* Fits the study with its load at each place; *s becomes the study with the load at the best one, its start
   values what was found there. Nothing is done where a study has no places. */
sn_status sn_places_rank(sn_study **s, const sn_solve_options *o, sn_ranking *r, sn_err *err);
/* The ranking becomes part of the estimate, with a verdict. */
sn_status sn_places_judge(const sn_ranking *r, sn_estimate *e, sn_err *err);
void sn_ranking_free(sn_ranking *r);

/* Logarithm of the evidence of the data at an estimate e->z whose search has ended, and the residuals' sum of
   squares in the units of the data's channels: evidence.c. */
sn_status sn_evidence(sn_fit *f, sn_estimate *e, sn_err *err);

/* JSON, ", \"places\": [...]" or nothing, and a table for the terminal. */
struct sn_text;
void sn_places_json(struct sn_text *t, const sn_estimate *e);
void sn_places_table(struct sn_text *t, const sn_estimate *e);

#endif
