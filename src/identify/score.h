/* Score (Lagrange multiplier) tests: what one more number of the model would explain of the residuals, from
   its sensitivities at the estimate alone.

   With phi = dr/d(number), made orthogonal to the Jacobian, r + c phi is smallest at c = -phi'r / phi'phi.
   Chi square is counted in units of the noise seen in the residuals themselves, from sample to sample (an
   estimated noise contains the model error), the likelihood with the noise of each channel free. Standard
   errors are those of sums over batches of the residuals that would be left (square root of their number
   long), so that what stays coloured does not look certain. */
#ifndef SN_IDENTIFY_SCORE_H
#define SN_IDENTIFY_SCORE_H

#include "identify/extended.h"
#include "identify/projection.h"
#include "identify/result.h"

typedef struct sn_score {
    const sn_fit *f;
    const sn_estimate *e;
    sn_projection *projection;
    int channels;
    double *count, *square; /* of each channel of the model: residuals, their sum of squares */
    double *seen;           /* variance of its noise as seen, in units of the noise of the fit */
    double *after;          /* scratch: squares with something explained */
    double *dz, **phi, **left;
    double excess;   /* of chi square in units of the noise seen */
    double possible; /* rise of the log likelihood if only that noise were left */
    double total;    /* numbers that count */
} sn_score;

/* f: at the estimate, by sn_fit_rows; it stays so. */
sn_status sn_score_new(const sn_fit *f, const sn_estimate *e, sn_score **out, sn_err *err);
void sn_score_free(sn_score *s);
/* Candidate c is unknown k of an extended fit that was evaluated with rows; p is of this one alone. 0: it has
   no effect, or none that the unknowns do not have. c->score.moves must have room. */
sn_status sn_score_candidate(sn_score *s, const sn_fit *g, int k, sn_candidate *c, sn_arena *arena, int *has,
                             sn_err *err);
/* What the residuals of another fit to the same data gain over those of f. */
void sn_score_fit(sn_score *s, const sn_fit *g, sn_gain *gain);

#endif
