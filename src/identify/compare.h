/* Several studies on the same data: which one do the data support?

   The likelihood has the noise of each channel free where it is estimated (its best value is that of the
   residuals): log L = -n/2 (log(2 pi rss/n) + 1), and of a stated noise -rss/2 - n log(sigma sqrt(2 pi)).
   AIC, AICc (Hurvich and Tsai 1989), BIC (Schwarz 1978) with k unknowns and noises. Where the residuals of
   the likeliest study are coloured, samples repeat each other: n_eff = n / (1 + 2 sum of autocorrelations) of
   each channel stands for n, and the log likelihood counts n_eff / n of its value. */
#ifndef SN_IDENTIFY_COMPARE_H
#define SN_IDENTIFY_COMPARE_H

#include "identify/result.h"

typedef struct sn_contender {
    const char *file, *folder; /* folder: or NULL */
    sn_study *s;
    sn_estimate *e;
    int k;             /* unknowns, and noises that are estimated */
    double likelihood; /* log, with the weight of n_eff */
    double aic, aicc, bic;
    double weight_aic, weight_bic; /* which part of the evidence is for it */
    double size;                   /* of its residuals in units of the best one's noise */
    double held_out;               /* the same of experiments held out; NAN: none */
    int verdicts[3];               /* good, warning, bad */
} sn_contender;

/* One study is another with some unknowns fixed. */
typedef struct sn_nested {
    int small, large, degrees;
    double statistic, p;
} sn_nested;

typedef struct sn_comparison {
    sn_contender *item; /* in the order given */
    int n, *rank;       /* rank: their numbers, the best first */
    int n_given;        /* n and those that were not finished when it was stopped, which follow them */
    sn_nested *nested;
    int n_nested;
    double count, effective; /* measured numbers, and how many of them are worth as much */
} sn_comparison;

/* SN_ERR_INPUT, with what differs, where two studies are not to be fitted to the same data. */
sn_status sn_compare_data(const sn_study *a, const sn_study *b, sn_err *err);
/* Channel c of experiment k of a, as a channel of experiment k of b. */
int sn_compare_channel(const sn_study *a, const sn_study *b, int k, int c);
/* Is a the study b with some of its unknowns fixed? */
int sn_compare_nested(const sn_study *a, const sn_study *b);

sn_status sn_comparison_json(const sn_comparison *c, char **text, sn_err *err);
/* compare.html: json is what sn_comparison_json gives; folder: where the page lies, for links to reports. */
sn_status sn_comparison_page(const sn_comparison *c, const char *json, const char *folder, sn_err *err);
sn_status sn_comparison_summary(const sn_comparison *c, char **text, sn_err *err);

#endif
