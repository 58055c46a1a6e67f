/* The linearised problem that weights of smoothness are chosen by, made of the parts of a fit. */
#ifndef SN_IDENTIFY_SMOOTHING_DATA_H
#define SN_IDENTIFY_SMOOTHING_DATA_H

#include "identify/smoothing.h"

enum { SN_WEIGHT_GRID = 81 }; /* weights that are tried */

/* At z, of history h: (H + smoothness of h) c = t, H = J + what priors and the smoothness of other histories
 * add.
 */
typedef struct sn_smoothing_data {
    double *J, *g;     /* J'J of the data, and their gradient */
    double *H, *t;     /* with priors and other histories; J z - g and what priors add */
    double rss, count; /* sum of squares; numbers measured */
} sn_smoothing_data;
sn_status sn_smoothing_data_new(const sn_fit *f, const double *z, int h, sn_smoothing_data *d, sn_err *err);
void sn_smoothing_data_free(sn_smoothing_data *d);

/* Whether the noise of all channels is stated; numbers measured. */
int sn_smoothing_stated(const sn_study *s);
long sn_smoothing_count(const sn_fit *f);

/* Difference i of a part at z, and the part's term with weight f: its gradient and matrix are added, each or
   NULL; without z the matrix alone. */
double sn_smoothing_difference(const sn_study *s, const sn_history_part *p, int i, const double *z);
void sn_smoothing_add_part(const sn_study *s, const sn_history_part *p, double f, const double *z, double *g,
                           double *A);

/* Curvature of the L-curve at inner points of the grid, negative, as its scores: less is better. */
void sn_smoothing_bend(sn_weight_curve *c);

/* The same as sn_smoothing_choose of one history with total variation: variation.c. */
sn_status sn_variation_choose(sn_fit *f, const double *z, int h, sn_estimate *e, double *change, sn_err *err);

/* A pull of the values of a part towards their start that is as weak as rounding (p->ridge): of a force that
   no sensor feels, or of two that do the same, nothing else is known. Its cost at z, added to g and A (or
   NULL); and how weak it is, by J'J of the data at the last evaluation. */
double sn_smoothing_ridge(const sn_study *s, const sn_history_part *p, const double *z, double *g, double *A);
void sn_smoothing_set_ridge(const sn_fit *f);

#endif
