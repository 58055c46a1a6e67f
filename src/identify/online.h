/* The filter on-line: samples come one by one, and what is known is told at once.

   The columns are those of kalman.h, with three differences. The run is not one at values that stay: after
   each sample it moves to the mean of what is known, and everything is linearised there (the extended Kalman
   filter). Unknowns have a prior and are rows of S like coefficients. And nothing is recorded: the numbers
   beta, which are now the first coefficients of each history alone, are taken into S as soon as the data
   determine them,

       G = L L',   beta = -G^-1 g + L^-T eta,   eta ~ N(0, 1):   S <- [S, D L^-T],   mean += D beta

   (de Jong 1991); before that nothing moves. What was `lag` ago is estimated by rows that are kept: in the
   coordinates xi a step changes nothing, so that each sample moves the rows of earlier times as it moves all
   others, exactly (fixed-lag smoothing).

   The model's spline of a history has only values that are felt now; they move along with time. */
#ifndef SN_IDENTIFY_ONLINE_H
#define SN_IDENTIFY_ONLINE_H

#include "analysis/sim.h"
#include "identify/kalman.h"

/* Rows of what was estimated at earlier samples: a ring. */
typedef struct sn_online_past {
    int room, n, first; /* samples there is room for, there are, the oldest */
    int rows;           /* of each: histories, channels that are shown */
    double apart;       /* samples are so far apart at least */
    double *t;
    double *about; /* room x rows: the values that rows are told from */
} sn_online_past;

struct sn_filter {
    sn_arena arena;
    sn_stream stream;
    sn_study *s;
    sn_fit *fit;
    sn_kalman *k;
    sn_sim *sim;
    sn_follow follow;
    sn_linsol *ls;         /* for equations of joints: the integrator keeps its own factors */
    double origin;         /* of the knots */
    double *z;             /* unknowns */
    int begun;             /* a sample was taken */
    int known;             /* the data determine the first coefficients */
    double last;           /* time of the last sample, of the data's clock */
    double apart;          /* the longest time between two samples so far */
    double squares, count; /* of the last sample's innovations, over what was to be expected */
    const char **name;     /* of the channels that are shown */
    const char *note;      /* on the standard errors, or NULL */
    sn_online_past past;
    double *estimate; /* of all numbers: value, error, past, past error */
    /* scratch */
    double *y, *shown, *expected, *by; /* channels, channels x unknowns */
    double *saved;                     /* rows before a sample */
    double *meet, *gap, *gap_now; /* right-hand sides; gaps of the equations before a move and after it */
    size_t n_saved;
    size_t n_meet;    /* columns there is room for in these */
    double *move;     /* nv + 1 */
    double *numbers;  /* unknowns */
    double *collapse; /* n (n + 2) */
    unsigned char *dropped;
};

/* online_move.c: values of histories and unknowns become the model's; the state moves to the mean. */
void sn_online_values(sn_filter *f);
sn_status sn_online_slide(sn_filter *f, double t, sn_err *err);
sn_status sn_online_numbers(sn_filter *f, sn_err *err);
sn_status sn_online_move(sn_filter *f, sn_err *err);
/* online_meet.c: equations of joints, before the state moves and after it. */
sn_status sn_online_gaps(sn_filter *f, sn_err *err);
sn_status sn_online_meet(sn_filter *f, sn_err *err);
/* The first coefficients are taken into S where the data determine them. */
sn_status sn_online_collapse(sn_filter *f, sn_err *err);

/* online_measure.c: the sensors where the run is, with their columns or without; the sample f->y at f->last
   is taken, and the run moves to the mean. */
sn_status sn_online_sensors(sn_filter *f, int derivatives, sn_err *err);
sn_status sn_online_sample(sn_filter *f, sn_err *err);

/* online_past.c. The value of history i where the run is. */
double sn_online_history(const sn_filter *f, int i);
sn_status sn_online_past_new(sn_filter *f, sn_err *err);
void sn_online_past_add(sn_filter *f, double t);
/* Entry i of those that are kept, 0 the oldest: numbers of histories and channels. */
void sn_online_past_get(const sn_filter *f, int i, double *value, double *error);
int sn_online_past_find(const sn_filter *f, double t); /* the latest not after t; -1: none */
/* Mean and standard error of a row, told from `about`; rest: variance beside it. */
void sn_online_row(const sn_filter *f, const double *row, double about, double rest, double *value,
                   double *error);

/* online_open.c: the study of what comes, with weights and noise. */
sn_status sn_online_study(const char *path, const sn_filter_options *o, sn_filter *f, sn_err *err);

#endif
