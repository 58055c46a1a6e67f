/* The sequential estimate: an augmented Kalman filter and smoother for histories, states and parameters.

   A run at values z and coefficients c of the histories is linearised step by step. What is not known then is

       x = S xi + D b,   xi ~ N(0, 1),   b = (1, beta)

   for everything at once: the state of the integrator (increments of q, v, a and its own vectors), the
   coefficients that are still felt, the signals. S (r columns) is a square root of the filter's covariance;
   the first column of D is its mean, the others say how that moves with the numbers beta of which nothing is
   known before the data: unknowns of the study (in z), instruments, and the first coefficients of each
   history, which its differences leave free (the diffuse filter of Rosenberg 1973, de Jong 1991). Three
   operations lead through the data, each of them exact for the linearised problem:

       a new coefficient     c_j = its extrapolation + w / sqrt(weight): one column of S more (the smoothing
                             term of the batch estimate read as a random process, Wahba 1983)
       a measured number     y = phi'xi + psi'b + noise: S <- S (1 - g phi phi'), D <- D + S phi v'/F with
                             F = 1 + phi'phi, g = 1/(F + sqrt F) (Potter's square root, in Bierman,
   Factorization Methods, 1977, ch. 2) compression           S <- S V where the columns are more than the rank
   of S: V from its singular values

   A time step multiplies S and D by its exact tangent (step_forward). The smoother needs no model: in the
   coordinates xi a step changes nothing, so that it goes back through the three operations alone (r^2 numbers
   each). Cost and memory grow linearly with the number of steps and of values.

   beta follows at the end from G = sum v v'/F, the least squares of the innovations. */
#ifndef SN_IDENTIFY_KALMAN_H
#define SN_IDENTIFY_KALMAN_H

#include "identify/fit.h"
#include "identify/history.h"
#include "identify/shown.h"

enum { SN_KALMAN_ACTIVE = 4 }; /* coefficients that are felt at a time, at most */

/* A history in the filter of an experiment. */
typedef struct sn_kalman_track {
    sn_history_part *part;
    int signal;         /* for the parameter chain */
    int active, order;  /* coefficients felt at a time; of the differences */
    int diffuse;        /* place of its first free coefficient in beta */
    int window, pushed; /* coefficients that have rows (a ring), coefficients so far */
    int base;           /* the coefficient that is the first of the part's values; they move along on-line */
    double *row;        /* window x (room + fixed) */
    double *along;      /* room + fixed: of the signal, at the time that was set last */
} sn_kalman_track;

/* What was done, in the order of time, with the numbers of each operation. */
enum { SN_KALMAN_VALUE, SN_KALMAN_NUMBER, SN_KALMAN_COMPRESSION };
typedef struct sn_kalman_op {
    int kind, r;  /* r: columns before it */
    int a, b;     /* track and coefficient; sample and channel; columns after it */
    double scale; /* deviation of the coefficient's own noise, 0: it has none; F */
    double *x;
} sn_kalman_op;

/* Numbers in pieces that stay where they are. */
typedef struct sn_kalman_record {
    sn_kalman_op *op;
    int n, cap;
    double **piece;
    int n_piece, cap_piece;
    size_t used, size; /* of the last piece */
} sn_kalman_record;

/* Rows beside those of the state and of coefficients. */
typedef struct sn_kalman_rows {
    double *row;  /* n x (room + fixed) */
    double *rest; /* n: variance that no column has any more, for rows that nothing follows from; or NULL */
    int n;
} sn_kalman_rows;
enum { SN_KALMAN_UNKNOWNS, SN_KALMAN_PAST, SN_KALMAN_ROWS };

typedef struct sn_kalman {
    sn_fit *fit;
    int experiment;
    const double *z;
    sn_part *part;
    sn_shown *shown;
    sn_forward forward;
    sn_follow inner;
    int room, r;         /* columns of S there is room for, and there are */
    int fixed;           /* columns of D */
    int np, *id;         /* the parameter chain's: no parameters, histories, quantities of the unknowns */
    int n_track, margin; /* new columns in a step, at most */
    sn_kalman_track *track;
    int online; /* samples come one by one (online.h): nothing is recorded, unknowns are no beta but rows */
    sn_kalman_rows own[SN_KALMAN_ROWS]; /* none but on-line */
    double *by;                         /* channels x (room + fixed): of a sample */
    double *number;                     /* fixed: of one of its numbers */
    double *phi;                        /* on-line: room + fixed, its row */
    double *G, logs;                    /* fixed x fixed; sum of log F */
    double rss, count;                  /* of the run itself */
    double *filtered, *filtered_error;  /* of each track, at the knots: part->n */
    int *offset;                        /* of each track, in these */
    double *scale;                      /* of each channel, in a sample: over the noise */
    unsigned char *wanted;              /* sensors */
    double step_end;
    double *work, *solve; /* scratch of compressions, of estimates on the way */
    size_t n_work;
    sn_kalman_record record;
    int largest; /* columns there were, at most */
    int started;
    sn_status status; /* of what happened where nothing can be returned */
    sn_poll poll;
} sn_kalman;

/* What the data say of one experiment, linearised at z and at the coefficients in the part's values. */
sn_status sn_kalman_open(sn_fit *f, int experiment, const double *z, sn_kalman **out, sn_err *err);
void sn_kalman_close(sn_kalman *k);
sn_status sn_kalman_filter(sn_kalman *k, sn_err *err);

/* The same for samples that come one by one. Whoever has it makes the run that `follow` goes along with, and
   coefficients (sn_kalman_push_to) before each step; f->keep is what is known where the run is. */
sn_status sn_kalman_open_online(sn_fit *f, const double *z, sn_kalman **out, sn_err *err);
sn_follow sn_kalman_follow(sn_kalman *k);
/* All coefficients that are felt at time t. */
sn_status sn_kalman_push_to(sn_kalman *k, double t, sn_err *err);
/* The row of coefficient j. */
static inline double *sn_kalman_coefficient(const sn_kalman *k, const sn_kalman_track *q, int j)
{
    return q->row + (size_t)(j % q->window) * (size_t)(k->room + k->fixed);
}

/* Columns: kalman_columns.c. Of f->now and, with both, f->keep. */
sn_status sn_kalman_grow(sn_kalman *k, int room, sn_err *err);
void sn_kalman_combine(sn_kalman *k, sn_dstate *d, double t);
void sn_kalman_combine_sensors(sn_kalman *k, double t, double *dy);
void sn_kalman_update(sn_kalman *k, const double *phi, const double *v, double F, int both);
/* The same of n rows of their own. */
void sn_kalman_update_rows(const sn_kalman *k, const double *phi, const double *v, double F, int n,
                           double *rows);
sn_status sn_kalman_compress(sn_kalman *k, sn_err *err);
/* change(ctx, row) for all rows there are, once the run has begun. */
void sn_kalman_each_row(sn_kalman *k, void (*change)(void *ctx, double *row), void *ctx);
/* The direction of each history at time t, in track->along. */
void sn_kalman_along(sn_kalman *k, double t);

/* The inverse of a symmetric matrix (n x n) that is not negative, and the logarithm of its determinant; what
   is zero but for rounding has an inverse that is very large. work: n (n + 3). */
sn_status sn_kalman_invert(int n, const double *A, double *inverse, double *log_det, double *work,
                           sn_err *err);
/* What is known by now, by the numbers of one experiment: d'b and its variance, which is added. 0: nothing.
 */
int sn_kalman_estimate(sn_kalman *k, const double *d, double *value, double *variance);
/* What is known of unknown u before the data, at z: *v0, *v1 of the number that this is worth. 0: nothing. */
int sn_kalman_prior(const sn_study *s, int u, const double *z, double *v0, double *v1);

/* Record: kalman_record.c. Returns room for n numbers, or NULL. */
double *sn_kalman_note(sn_kalman_record *q, const sn_kalman_op *op, size_t n);
void sn_kalman_record_free(sn_kalman_record *q);

/* What the smoother finds with beta and its covariance (fixed - 1 each). */
typedef struct sn_kalman_smoothed {
    const double *beta, *covariance;
    double **value; /* of each track: how its n coefficients move */
    double **band;  /* of each track, for each interval: covariance of its active coefficients */
    double *squares,
        *variance; /* of each track: of its own noise w, sums of means squared and of variances */
    double *lever; /* of each channel */
    double *residual, *innovation; /* samples x channels: of the linearised problem; NAN: none */
} sn_kalman_smoothed;
sn_status sn_kalman_smooth(const sn_kalman *k, sn_kalman_smoothed *s, sn_err *err);

/* The section `kalman` of a study; whether it is solved so, once its histories have their sizes. */
sn_status sn_kalman_read(sn_study *s, const sn_item *root, sn_err *err);
/* What a study must say where samples come one by one. */
sn_status sn_kalman_check_stream(const sn_study *s, const sn_item *root, sn_err *err);
int sn_kalman_takes_over(const sn_study *s);
/* Whether a study can be solved so: an error says why not; mark: of what asks for it. */
sn_status sn_kalman_check(const sn_study *s, const sn_mark *mark, sn_err *err);

#endif
