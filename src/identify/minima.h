/* Minima that the data do not tell apart: where searches ended, and how likely each place is. */
#ifndef SN_IDENTIFY_MINIMA_H
#define SN_IDENTIFY_MINIMA_H

#include "identify/fit.h"

struct sn_estimate;

/* Places where searches ended, n of dim numbers each. */
typedef struct sn_minima {
    int n, cap;
    size_t dim;
    double *z;
    int *starts; /* how many searches ended in each */
} sn_minima;

sn_status sn_minima_add(sn_minima *m, const double *z, int starts, sn_err *err);
void sn_minima_free(sn_minima *m);

/* Each place to its minimum with the noise as it is now; those that are as likely as the estimate, but for a
   factor of e^7, become the estimate's minima, the best first, with their weights. *better: one was better
   than the estimate, whose z is now there. */
sn_status sn_minima_weigh(sn_fit *f, struct sn_estimate *e, sn_minima *m, int *better, sn_err *err);

/* sd (n): standard deviations of z for the normal equations A, with a decade of prior. Returns the logarithm
   of the covariance's determinant; NAN: A is none. work: n x n. */
double sn_deviations(int n, const double *A, double *work, double *sd);

#endif
