/* What the instruments of an experiment show of the model's signals, and how that depends on their unknowns:

       shown(t) = gain R(angle)' y(t - delay) + offset + drift (t - origin)

   with R the rotation of the instrument's axes from those of the model's sensor (of a scalar: 1), and t the
   data's clock moved by the experiment's time offset. Channels may have delays of their own, so that a sample
   is whole only when the run has passed all its moments; where a time is sought also those just before and
   after, which give the signal's rate. */
#ifndef SN_IDENTIFY_SHOWN_H
#define SN_IDENTIFY_SHOWN_H

#include "identify/study.h"

/* A number of an instrument at z: its value, and how it moves with n unknowns of the part. */
typedef struct sn_shown_number {
    double x;
    int n, *of;
    double *by;
} sn_shown_number;

typedef struct sn_shown_channel {
    sn_shown_number gain, offset, drift, angle[3], shift; /* shift: of the time, clock less delay */
    double row[3], drow[3][3]; /* of R', and its derivatives by the components of the angle */
    int stream;                /* channels with one shift are one */
} sn_shown_channel;

/* A moment at which the run is looked at: of a sample (row), for the channels of a stream. */
typedef struct sn_shown_moment {
    double t;
    int row, stream, side; /* -1 before, 0 at, 1 after it */
} sn_shown_moment;

typedef struct sn_shown {
    sn_arena arena;
    const sn_experiment *x;
    const sn_model *m;
    int n;       /* unknowns of the part */
    double step; /* of the run */
    sn_shown_channel *channel;
    int n_stream;
    double *shift, *delta; /* of the streams: the moments before and after are so far away; 0: not needed */
    int exact;             /* no channel is turned, or has no gain: the data can be corrected instead */
    /* moments, in the order of time */
    sn_shown_moment *moment;
    double *t, end;       /* their times, and where the run ends */
    int n_moment, broken; /* broken: the model gave no number */
    /* rows that are under way, in a ring */
    int ring, *left; /* of all rows: moments that are to come */
    int whole;       /* the row that was handed out last; -1: none */
    double *y, *d, *before;
} sn_shown;

/* Does some instrument of the experiment do anything but show what there is? */
int sn_shown_corrects(const sn_experiment *x);

/* Does what is measured in an experiment depend on an unknown that the model does not know? */
int sn_shown_uses(const sn_study *s, const sn_experiment *x, int unknown);

/* At z, of an experiment whose part has n unknowns: their numbers in the study. */
sn_status sn_shown_new(const sn_study *s, const sn_experiment *x, int n, const int *unknown, const double *z,
                       sn_shown **out, sn_err *err);
void sn_shown_free(sn_shown *w);
/* At another z, in the memory that there is; moments are lost. */
sn_status sn_shown_renew(sn_shown *w, const sn_study *s, const int *unknown, const double *z, sn_err *err);

/* What the instruments show at once, on-line: of all channels of the model y at a sample of time t, on the
   data's clock; by (channels x n): derivatives by instruments' unknowns. */
void sn_shown_now(const sn_shown *w, double t, const double *y, double *shown, double *by);

/* Moments of the samples up to the horizon; those before the run begins do not count. */
sn_status sn_shown_moments(sn_shown *w, double horizon, sn_err *err);

/* All channels of the model at a moment and, or NULL, their derivatives by nx numbers; dx (nx x n): how these
   move with the unknowns. */
typedef struct sn_shown_model {
    const double *y, *dy, *dx;
    int nx;
} sn_shown_model;

/* What the model has at moment i. Returns the sample that is whole by now, or -1; then *shown (channels, NAN:
   does not count) and *by (channels x n; where dy is NULL without what the model moves) are its own until the
   next call. */
int sn_shown_take(sn_shown *w, int i, const sn_shown_model *model, const double **shown, const double **by);

/* What the instrument of channel c makes of n columns of derivatives of all channels of the model (stride
   numbers apart): out (n). */
void sn_shown_columns(const sn_shown *w, int c, const double *dy, size_t stride, int n, double *out);

/* The value of channel c that the model must have at its moment to show v. */
double sn_shown_back(const sn_shown *w, int row, int c, double v);

#endif
