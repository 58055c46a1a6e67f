/* Natural frequencies, damping ratios, mode shapes and frequency responses as data of an experiment: rows are
   modes or frequencies, columns what was found of them. */
#ifndef SN_IDENTIFY_MODAL_H
#define SN_IDENTIFY_MODAL_H

#include "identify/fit.h"
#include "sensitivity/vibration.h"

enum {
    SN_COLUMN_FREQUENCY, /* damped, |Im s| / 2 pi */
    SN_COLUMN_NATURAL,   /* undamped, |s| / 2 pi */
    SN_COLUMN_DAMPING,   /* ratio, -Re s / |s| */
    SN_COLUMN_SHAPE,     /* a real shape at a sensor, of any scale */
    SN_COLUMN_SHAPE_RE,  /* a complex one, of any complex scale */
    SN_COLUMN_SHAPE_IM,
    SN_COLUMN_RE, /* of a frequency response */
    SN_COLUMN_IM,
    SN_COLUMN_ABS,
};

typedef struct sn_modal_column {
    int kind, sensor, input; /* numbers in the lists of the experiment; -1: none */
    const char *name, *unit;
} sn_modal_column;

typedef struct sn_modal {
    int at_static, at_steady;
    sn_modal_column *column; /* as many as the experiment has */
    int n_sensor, *sensor;   /* channels */
    int n_input;
    sn_vibration_input *input;
    const char **input_name;
    int *mode;              /* of each row: the model's mode, from 1, as stated; 0: not stated */
    int shapes;             /* there are columns of shapes */
    unsigned char *assumed; /* of each column: its noise is neither stated nor estimated */
} sn_modal;

/* How a measured mode and the model's have met. */
typedef struct sn_mode_pair {
    int mode, rival; /* the model's, from 1; the one that would have done nearly as well, or 0 */
    double frequency, damping, mac, rival_mac; /* mac NAN: no shape */
    int rival_near;                            /* its frequency is within a fifth */
    int coincide;                              /* modes of the model with that frequency */
} sn_mode_pair;

sn_column sn_modal_column_get(const sn_experiment *x, int c);
static inline int sn_is_shape(int kind) { return kind >= SN_COLUMN_SHAPE && kind <= SN_COLUMN_SHAPE_IM; }

/* Residuals of an experiment at the values of its part, with derivatives also their normal equations. */
sn_status sn_modal_evaluate(const sn_study *s, const sn_experiment *x, sn_part *p, int derivatives,
                            sn_err *err);

/* Which modes of the model are those measured: pair (rows) gets mode, mac and rival. SN_ERR_NUMERIC: the
   model has too few. */
sn_status sn_modal_pair(const sn_experiment *x, const sn_oscillation *list, int n, sn_mode_pair *pair,
                        sn_err *err);
/* MAC of a measured row with what the model shows; NAN: less than two numbers. */
double sn_modal_mac(const sn_experiment *x, int row, const double complex *y);

/* The measured shape of a row fitted by k shapes of the model: entries of `model` (n_channel) that are
   shapes, and their derivatives by np parameters, by[c * np + p]. */
sn_status sn_modal_shape(const sn_experiment *x, int row, const sn_mode_jet *jet, int np, double *model,
                         double *by, sn_err *err);

/* Standard deviations of responses without a stated one, from their residuals. *worst: the largest change. */
sn_status sn_modal_noise(const sn_fit *f, double *worst, sn_err *err);

/* Keeps the pairs of experiments that are held out or not in the estimate. */
struct sn_estimate;
sn_status sn_modal_keep(const sn_fit *f, struct sn_estimate *e, int held_out, sn_err *err);

#endif
