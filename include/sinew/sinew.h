/* sinew/sinew.h: the whole public interface of libsinew, and its manual.

   A model file is read and compiled into an sn_model, constant from then on and shared freely between
   threads. The numbers of one parameter set live in sn_values beside it. Analyses take both and call back
   with results:

       sn_err err;
       sn_model *model;
       sn_values *values;
       sn_err_clear(&err);
       if (sn_model_read("pendulum.yaml", &model, &err) || sn_values_new(model, &values, &err) ||
           sn_values_set(values, "k1", "650 N/m", &err) || sn_values_update(values, &err))
           ... tell what err says
       sn_run_options o = sn_run_options_default(model, values);
       o.frame = my_callback;
       sn_run(model, values, &o, &info, &err);

   Functions return sn_status and describe failures in sn_err (sinew/base.h); the library never prints and
   never exits. All quantities are in SI units, angles in radians. Output arguments come last, before sn_err.

   Any function may be called from any thread: models are shared, everything else (values, an sn_err) belongs
   to one thread at a time. Libraries behind it that are not made for threads (MUMPS, ARPACK, HDF5, libmatio)
   are entered by one thread at a time; a program that calls one of them itself does so while no other thread
   is in sinew. Settings of the process are left alone. That goes for the threads of OpenBLAS, too: they do
   not pay for the small dense problems here, so that a program may want to set OPENBLAS_NUM_THREADS=1 before
   it starts, as the command does for itself.

   Structures and functions change with the minor version at most (0.1, 0.2), never between 0.1.0 and 0.1.1.
   The file name of the shared library carries both numbers (libsinew.so.0.1), so that a program compiled with
   the headers of another version is not started with it. A program that loads the library by itself compares
   sn_version() with its own SN_VERSION before it calls anything else. Options carry their size besides: the
   functions named ..._default are compiled into the program and hand it to ..._fill, which writes no more
   than that, and what takes options refuses those of another size. (A function that returned them by value
   would write beyond the end of a smaller structure before anybody could compare.) */
#ifndef SINEW_SINEW_H
#define SINEW_SINEW_H

#include "sinew/base.h"
#include "sinew/version.h"

#ifdef __cplusplus
extern "C" {
#endif

SN_API const char *sn_version(void);

/* ---- models ---- */

typedef struct sn_model sn_model;
typedef struct sn_values sn_values;

SN_API sn_status sn_model_read(const char *path, sn_model **model, sn_err *err);
/* With settings "name=value" of what decides how the model is built: parameters that count elements, and
   "bar.elements" themselves. Others are passed over: they are set in the values. */
SN_API sn_status sn_model_read_set(const char *path, int n, const char *const *set, sn_model **model,
                                   sn_err *err);
SN_API int sn_model_is_structural(const sn_model *model, const char *name);
SN_API sn_status sn_model_read_text(const char *name, const char *text, size_t length, sn_model **model,
                                    sn_err *err);
SN_API void sn_model_free(sn_model *model);

SN_API const char *sn_model_title(const sn_model *model);

typedef struct sn_sizes {
    int nodes, elements, joints, signals, sensors; /* objects: a beam meshed into ten counts ten */
    int nq, nv, m;                                 /* configuration, coordinates, equations */
    int nonzeros;                                  /* of the system matrix */
    int y;                                         /* numbers of all sensors together */
} sn_sizes;
SN_API void sn_model_sizes(const sn_model *model, sn_sizes *sizes);

/* ---- numbers ---- */

SN_API sn_status sn_values_new(const sn_model *model, sn_values **values, sn_err *err);
SN_API sn_status sn_values_copy(const sn_values *values, sn_values **copy, sn_err *err);
SN_API void sn_values_free(sn_values *values);
/* Set a number by its dotted name ("k1", "bar1.EA", "n3.at.x", "elements.spring1.k") from a text with an
   optional unit; several can be set before sn_values_update makes them take effect and checks them. */
SN_API sn_status sn_values_set(sn_values *values, const char *name, const char *text, sn_err *err);
SN_API sn_status sn_values_set_number(sn_values *values, const char *name, double x, sn_err *err);
SN_API sn_status sn_values_get(const sn_values *values, const char *name, double *x, sn_err *err);
SN_API sn_status sn_values_update(sn_values *values, sn_err *err);
SN_API int sn_parameter_count(const sn_model *model);
SN_API const char *sn_parameter_name(const sn_model *model, int i);
/* The numbers that sn_values_set takes, one after the other, without those of nodes inside of meshes: *at is
   0 before the first; returns 0 behind the last. */
typedef struct sn_number_info {
    char name[256], unit[64]; /* unit "": none, or not known */
    const char *doc;          /* "" for parameters */
} sn_number_info;
SN_API int sn_number_next(const sn_model *model, int *at, sn_number_info *number);

/* ---- sensors ---- */

/* All sensors' components in one row, in the order of the file. */
typedef struct sn_channel {
    const char *sensor, *component, *unit;
} sn_channel;
SN_API int sn_channel_count(const sn_model *model);
SN_API sn_channel sn_channel_get(const sn_model *model, int i);
SN_API sn_status sn_channel_find(const sn_model *model, const char *name, int *channel,
                                 sn_err *err); /* "tip.x" */

/* ---- time runs ---- */

typedef struct sn_frame {
    double t;
    const double *q, *v, *a, *lam; /* nq, nv, nv, m numbers */
    const double *y;               /* all channels */
    const double *dy;              /* their derivatives, a row of all parameters each; NULL: not asked for */
} sn_frame;

/* One number of a run: a channel at a time (between steps: Hermite interpolation of the state). */
typedef struct sn_point {
    int channel;
    double t;
    double value; /* out; NAN when the run did not get there */
} sn_point;

/* Equations that follow from others: refused; left out, their multipliers zero; or left out of the solution,
   and outputs get the smallest multipliers (moments over the model's size) that act alike. The motion is the
   same. */
enum { SN_REDUNDANT_ERROR = 0, SN_REDUNDANT_DROP = 1, SN_REDUNDANT_SHARE = 2 };

/* How a run meets the equations of joints: by multipliers; by forces alpha phi of a stiffness alpha that
   grows as the step shrinks, so that gaps are left; by such forces whose multipliers follow until no gap is
   left, which redundant equations and singular positions do not disturb. */
enum { SN_CONSTRAINTS_MULTIPLIERS = 0, SN_CONSTRAINTS_PENALTY = 1, SN_CONSTRAINTS_AUGMENTED = 2 };

/* A number of a scheme by its name: {"rho", 0.8} */
typedef struct sn_scheme_setting {
    const char *name;
    double value;
} sn_scheme_setting;

enum { SN_EXACT = 1, SN_EXACT_STATES = 2, SN_SIX_DIGITS = 3, SN_SIX_DIGITS_STATES = 4 };

typedef struct sn_run_options {
    size_t size;                     /* of this structure: set by sn_run_options_default */
    double begin, end, step, output; /* s; time runs from begin to end */
    double tolerance; /* of Newton, relative to the model's forces; increments to a hundredth of it, relative
                         to its size */
    double error; /* local error allowed in a step, relative to the model's size (angles in rad); `step` is
                     then the first step. 0: all steps are `step` */
    double min_step, max_step; /* s, with `error`; 0: step/1e6, end/50 */
    const char *scheme;        /* "hht" ...: sn_scheme_name has them all */
    const sn_scheme_setting
        *setting; /* numbers of the scheme, in place of the model's; 'sinew help hht' tells them */
    int n_setting;
    int max_iterations;
    int start_static;   /* begin at the equilibrium */
    int drop_redundant; /* SN_REDUNDANT_DROP, _SHARE (both with a message), _ERROR */
    int constraints;    /* SN_CONSTRAINTS_MULTIPLIERS, _PENALTY, _AUGMENTED */
    double penalty;     /* of the latter two: alpha is so many times the model's mass over beta h^2 */
    int full_newton;    /* factor in each iteration */
    int no_fields;      /* result files without section forces, energies, reactions, loads (for pictures) */
    int exact;  /* solve steps to rounding, for derivatives: SN_EXACT (factors of the solution are at hand),
                   SN_EXACT_STATES (they are not); or as far as derivatives of six digits need it:
                   SN_SIX_DIGITS, SN_SIX_DIGITS_STATES */
    int timing; /* fill the times of the info (costs a few percent) */
    const char *solver;     /* linear solver by name, or NULL */
    const char *const *wrt; /* numbers of the model by name: frames get the derivatives dy by them */
    int n_wrt;
    const char *command; /* to be remembered in result files, or NULL */
    sn_point *point;
    int n_point;
    sn_status (*frame)(void *ctx, const sn_frame *frame, sn_err *err); /* each output time; or NULL */
    int (*progress)(void *ctx, double done, double t); /* now and then; nonzero stops the run; or NULL */
    void (*message)(void *ctx, const char *text);      /* warnings; or NULL */
    void *ctx;
    int tangent_only; /* forward derivatives (with `exact`) by tangents of beams without their geometric part:
                         wrong where these are stressed and turn, to show what that costs */
    int threads;   /* that evaluate elements, for large models: the same results to the last bit; 0, 1: one */
    int conserved; /* fill info.conserved: forces at a hundred states of the run, or less */
} sn_run_options;

/* What the model's `run` section says, defaults for the rest. */
SN_API void sn_run_options_fill(const sn_model *model, const sn_values *values, size_t size,
                                sn_run_options *options);
static inline sn_run_options sn_run_options_default(const sn_model *model, const sn_values *values)
{
    sn_run_options o;
    sn_run_options_fill(model, values, sizeof o, &o);
    return o;
}

/* What the equations keep constant, and how far the run was off. By the forces at some states of the run:
   that the energy is constant means that none of them does work beside the energies (damping, loads, drives),
   for momenta that no force from outside has such a component. Where something has acted at none of these
   states and might have in between (a stop that is open), nothing is told. */
typedef struct sn_conserved {
    int dim;          /* 2, 3: of the motion */
    int states;       /* looked at; 0: not asked for, or a kind with inertia does not tell its energy */
    int energy;       /* it should be constant */
    unsigned linear;  /* bit i: component i (x, y, z) of the linear momentum should be */
    unsigned angular; /* likewise of that about the origin; in the plane bit 0 */
    double energy_start, energy_end;    /* J, whether constant or not */
    double energy_drift;                /* J: largest change since the start */
    double kinetic;                     /* J: the largest kinetic energy */
    double linear_drift, linear_most;   /* kg m/s: largest change of a constant component; largest momentum */
    double angular_drift, angular_most; /* kg m^2/s */
    char feeder[100]; /* who does work beside the energies (the most of all), or might have; "": nobody */
} sn_conserved;

typedef struct sn_info {
    long steps, iterations, evaluations, factorisations, reductions, frames;
    long rejections;                   /* steps not taken because of their error */
    double shortest, longest;          /* s, steps taken */
    double projection_q, projection_v; /* largest change of the start to meet the constraints */
    int redundant;    /* equations left out (constraints: augmented, penalty: at the start) */
    double violation; /* m, largest gap of an equation, angles times the model's size; measured
                         where `constraints` are no plain multipliers */
    int kinematic;    /* no freedom is left: every state follows from the equations alone */
    double t;         /* reached */
    double wall, cpu; /* s, of the time loop */
    double t_residual, t_tangent, t_factor, t_solve, t_output; /* s, with options.timing */
    const char *solver;
    double factor_nonzeros;
    double factor_bytes; /* memory of the linear solver */
    int unstable;        /* sn_static: directions in which the equilibrium is not stable; -1: not judged */
    char neutral[400]; /* sn_static: what nothing holds and stays where it is: "rotor.rx, b.y"; "": nothing */
    sn_conserved conserved; /* with options.conserved */
} sn_info;

SN_API sn_status sn_run(const sn_model *model, const sn_values *values, const sn_run_options *options,
                        sn_info *info, sn_err *err);

/* ---- inputs ---- */

/* Signals of the kind `input`, which a program gives while it simulates, in the order of the file. */
SN_API int sn_input_count(const sn_model *model);
SN_API const char *sn_input_name(const sn_model *model, int input); /* NULL: there is no such */
SN_API sn_status sn_input_find(const sn_model *model, const char *name, int *input, sn_err *err);

/* ---- simulations held in the hand ---- */

/* A run that the caller steps: for controllers in the loop, for coupling with other programs, for many runs
   with changing numbers. Memory and the analysis of the system matrix are made once, when it is opened.

       sn_sim *sim; sn_frame f;
       sn_sim_open(model, values, &options, &sim, &err);
       sn_sim_start(sim, &err);
       for (int k = 1; k <= 1000; k++) {
           sn_sim_read(sim, &f, &err);
           double u = -10 * f.y[0];
           sn_sim_input(sim, 0, 0, &u, &err);
           sn_sim_step(sim, k * 1e-3, &err);
       }
       sn_sim_close(sim);

   (examples/control has a whole program.) Of the options end, output, frame, point, progress and wrt have no
   meaning here (with `error` and no max_step, end - begin bounds the steps as in a run); what they
   point to, and the model, must live as long as the simulation. A simulation belongs to one thread at a time;
   simulations in several threads may share a model. Steps to the times of a run with the same options are
   those of the run; to other times (k * 1e-3 is not always the sum of steps) they differ by rounding, and by
   what Newton's tolerance leaves of it. Pointers must not be NULL but where it is said. Whatever is called in
   the wrong order is an error (SN_ERR_INPUT), and changes nothing. */
typedef struct sn_sim sn_sim;

/* The values are copied. */
SN_API sn_status sn_sim_open(const sn_model *model, const sn_values *values, const sn_run_options *options,
                             sn_sim **sim, sn_err *err);
SN_API void sn_sim_close(sn_sim *sim); /* NULL is fine */

/* Other numbers, of the same model: a start must follow. What then comes is to the last bit what a new
   simulation would give. */
SN_API sn_status sn_sim_values(sn_sim *sim, const sn_values *values, sn_err *err);
/* The consistent start at options.begin, as often as one likes. Inputs have their start values again. */
SN_API sn_status sn_sim_start(sn_sim *sim, sn_err *err);

/* From now on input i is c[0] + c[1] (t - t0) + c[2] (t - t0)^2, up to the order given (0 .. 2); t0 is the
   time of the state, of what is tried that where it began. It takes effect with the next step; forces then
   change at once, as they do with a step signal. */
SN_API sn_status sn_sim_input(sn_sim *sim, int input, int order, const double *c, sn_err *err);

/* To time t: by steps of options.step where so many make up the way, else by the least number of equal ones
   that are not larger; with options.error by as many as the error asks for. Where that fails the simulation
   stands where it got to, and may go on from there with another input. Allocates nothing (but where the
   solver needs other pivots). */
SN_API sn_status sn_sim_step(sn_sim *sim, double t, sn_err *err);

/* Likewise, but not for good: from the state that is kept, which a second try begins with again. A try
   depends on that state and the inputs alone: repeated it gives the same to the last bit. For this the
   integrator forgets the steps before, which costs a factorisation. Where it fails the simulation is at the
   kept state. */
SN_API sn_status sn_sim_try(sn_sim *sim, double t, sn_err *err);
SN_API sn_status sn_sim_keep(sn_sim *sim, sn_err *err); /* what was tried counts */
SN_API sn_status sn_sim_undo(sn_sim *sim, sn_err *err); /* it does not: back to the state before */

/* Where it is: states and all channels, of what was tried if something is. Valid until the next call. */
SN_API sn_status sn_sim_read(sn_sim *sim, sn_frame *frame, sn_err *err);
SN_API const sn_info *sn_sim_info(const sn_sim *sim); /* counts since the start */

/* How the channels at the end of the last try depend on inputs, exactly (the derivative of the steps as they
   were computed): G has a row for each channel; its columns are, input by input, the derivatives by c[0] ..
   c[order]. Needs options.exact = SN_EXACT. The first call for a set of inputs repeats the try, later tries
   carry these derivatives along. */
SN_API sn_status sn_sim_response(sn_sim *sim, int n_input, const int *input, int order, double *G,
                                 sn_err *err);

/* The state and the inputs as bytes (free with sn_release), for this version of the library, model and
   scheme; others are refused. Loading needs a simulation that was started. Going on after saving, and after
   loading, in this process or another one, gives the same to the last bit where model, values and options are
   the same: both forget the steps before as a try does. */
SN_API sn_status sn_sim_save(sn_sim *sim, void **bytes, size_t *size, sn_err *err);
SN_API sn_status sn_sim_load(sn_sim *sim, const void *bytes, size_t size, sn_err *err);

/* ---- statics ---- */

/* Equilibrium at t = 0; y (all channels, may be NULL), state through the frame callback. Uses tolerance,
 * max_iterations, solver. */
SN_API sn_status sn_static(const sn_model *model, const sn_values *values, const sn_run_options *options,
                           double *y, sn_info *info, sn_err *err);

/* ---- paths of equilibria, buckling ---- */

enum { SN_PATH_POINT, SN_PATH_LIMIT, SN_PATH_BIFURCATION };

/* A point of a path, valid during the call. */
typedef struct sn_path_point {
    int kind;         /* SN_PATH_LIMIT: the parameter turns back there, SN_PATH_BIFURCATION: paths cross */
    int branch;       /* 0: the path from the start; others in the order they were followed */
    double parameter; /* its value, or the load factor */
    double arc;       /* length of the path so far: root of the mean square of all displacements, relative to
                         the model's size, and of the parameter, relative to its range */
    int negative;     /* directions in which the equilibrium is unstable; -1: not known */
    const sn_frame *frame; /* state and sensors; its t is the arc */
    const double *shape;   /* nv: the direction that nothing resists, at special points; else NULL */
} sn_path_point;

typedef struct sn_path_options {
    size_t size;           /* by sn_path_options_default */
    const char *parameter; /* a number of the model by name; NULL: the factor of all loads, 0 to 1 */
    double from, to;       /* of the parameter: the path begins at `from`, towards `to`, and ends past it */
    double until;          /* it also ends where it has come back to this, on the other side of `from` */
    int steps;             /* points of each branch at most */
    double max_step;       /* arc between two points at most */
    int branches; /* 0: none, k: those at the k-th bifurcation of the path, -1: at all of it; both directions
                   */
    int first;    /* end at the first special point */
    sn_run_options run; /* tolerance, max_iterations, solver, progress, message */
    sn_status (*point)(void *ctx, const sn_path_point *point, sn_err *err); /* or NULL */
    void *ctx;
} sn_path_options;

typedef struct sn_path_info {
    int points, limits, bifurcations, branches;
    int reached; /* the path from the start has come to `to` or `until` */
    long iterations, factorisations;
} sn_path_info;

SN_API void sn_path_options_fill(const sn_model *model, const sn_values *values, size_t size,
                                 sn_path_options *options);
static inline sn_path_options sn_path_options_default(const sn_model *model, const sn_values *values)
{
    sn_path_options o;
    sn_path_options_fill(model, values, sizeof o, &o);
    return o;
}
/* The equilibria that hang together with that at the beginning, through limit points and bifurcations, which
   are located. info may be NULL. Interrupted: what was found has been handed on. */
SN_API sn_status sn_path(const sn_model *model, const sn_values *values, const sn_path_options *options,
                         sn_path_info *info, sn_err *err);

typedef struct sn_buckling_options {
    size_t size; /* by sn_buckling_options_default */
    int n;       /* how many, from the lowest */
    double at; /* the fraction of the load about which is linearised: the nearer to the factor, the better */
    sn_run_options run;
    /* called for each: the factor of all loads, the shape (nv; largest entry 1), the state of the
       linearisation; or NULL */
    sn_status (*mode)(void *ctx, int i, double factor, const double *shape, const sn_frame *state,
                      sn_err *err);
    void *ctx;
} sn_buckling_options;

SN_API void sn_buckling_options_fill(const sn_model *model, const sn_values *values, size_t size,
                                     sn_buckling_options *options);
static inline sn_buckling_options sn_buckling_options_default(const sn_model *model, const sn_values *values)
{
    sn_buckling_options o;
    sn_buckling_options_fill(model, values, sizeof o, &o);
    return o;
}
/* Linear buckling: factors of the loads at which the tangent would be singular, if it went on changing as it
   does at `at`. Positive ones beyond `at` only. *found: how many there are. */
SN_API sn_status sn_buckling(const sn_model *model, const sn_values *values,
                             const sn_buckling_options *options, int *found, sn_err *err);

/* ---- natural frequencies ---- */

/* A small motion y = Re((shape + i imaginary) exp(s t)), s = growth + i omega, omega >= 0. */
typedef struct sn_mode {
    double growth, omega;
    double error; /* a bound of the error of |s| where it is known, else NAN */
    int neutral;  /* s = 0: nothing resists it: a rigid-body motion, or a place or speed that nothing holds */
    double whirl; /* of spatial models that spin: 1 circles in the sense of the spin, -1 against it, 0 lines;
                     NAN */
    const double *shape, *imaginary; /* nv each, largest entry 1; imaginary NULL: 0 */
} sn_mode;

/* All roots that are known, also of modes beyond those asked for. */
typedef struct sn_root_list {
    const char *how; /* "about a steady motion, all terms: rolling" */
    int n;
    const double *s; /* pairs of real and imaginary part, conjugates and repeated ones included */
    int all;         /* there are no others */
} sn_root_list;

typedef struct sn_mode_options {
    size_t size;    /* by sn_mode_options_default */
    int n;          /* how many, from the lowest; 0: all (small models) */
    int at_static;  /* linearise at the static equilibrium */
    int at_steady;  /* or at a steady motion near the start */
    double at_time; /* or after a run to this time; < 0: at the start */
    sn_run_options run;
    int undamped; /* natural frequencies without damping, at rest; 0: all terms count */
    /* called for each mode, from the smallest |s| on; or NULL */
    sn_status (*mode)(void *ctx, int i, const sn_mode *mode, const sn_frame *state, sn_err *err);
    /* called once before; or NULL */
    sn_status (*roots)(void *ctx, const sn_root_list *roots, sn_err *err);
    void *ctx;
    const char *method; /* "auto", "dense" (all), "arpack" (the lowest) */
} sn_mode_options;

SN_API void sn_mode_options_fill(const sn_model *model, const sn_values *values, size_t size,
                                 sn_mode_options *options);
static inline sn_mode_options sn_mode_options_default(const sn_model *model, const sn_values *values)
{
    sn_mode_options o;
    sn_mode_options_fill(model, values, sizeof o, &o);
    return o;
}
SN_API sn_status sn_modes(const sn_model *model, const sn_values *values, const sn_mode_options *options,
                          int *found, sn_err *err);

/* ---- periodic motions ---- */

/* What small disturbances of a periodic motion become in a period: multipliers, the eigenvalues of that map
   (those larger than 1 in size grow), and exponents, their logarithms over the period. */
typedef struct sn_floquet {
    int n;                      /* states */
    const double *re, *im;      /* multipliers, the largest first */
    const double *rate, *omega; /* exponents: real parts and imaginary, within half a turn a period */
    double period;
    double gap;      /* how far the start was from coming back after a period: of positions the largest, over
                        the model's length, of velocities over its length times 2 pi/period */
    int corrections; /* of the start by Newton's method until it comes back, 0: it did so */
    const sn_frame *state; /* the start of the periodic motion; without y */
} sn_floquet;

typedef struct sn_floquet_options {
    size_t size;   /* by sn_floquet_options_default */
    double period; /* of the motion; the step is the longest up to run.step that divides it */
    sn_run_options run;
    sn_status (*take)(void *ctx, const sn_floquet *f, sn_err *err); /* called once; or NULL */
    void *ctx;
} sn_floquet_options;

SN_API void sn_floquet_options_fill(const sn_model *model, const sn_values *values, size_t size,
                                    sn_floquet_options *options);
static inline sn_floquet_options sn_floquet_options_default(const sn_model *model, const sn_values *values)
{
    sn_floquet_options o;
    sn_floquet_options_fill(model, values, sizeof o, &o);
    return o;
}
/* A periodic motion from the start or near it: SN_ERR_NUMERIC where there is none. */
SN_API sn_status sn_floquet_multipliers(const sn_model *model, const sn_values *values,
                                        const sn_floquet_options *options, sn_err *err);

/* ---- the linearised equations ---- */

/* A sparse matrix by columns: column j has x[k] in row row[k], first[j] <= k < first[j + 1], from 0. */
typedef struct sn_sparse {
    int rows, cols;
    const int *first, *row;
    const double *x;
} sn_sparse;

/* What a linearisation is about. */
enum { SN_LINEAR_AT_REST = 0, SN_LINEAR_STEADY = 1, SN_LINEAR_INSTANT = 2 };

/* x' = A x + B u, y = C x + D u: increments of coordinates and their rates, of inputs, of sensors. Matrices
   row by row. Where the motion follows an input with its first or second time derivative (drives) that
   derivative is the input, as order says, and what is below it are states. */
typedef struct sn_linear_system {
    int n, n_input, n_output;
    const double *A, *B, *C, *D; /* n x n, n x inputs, outputs x n, outputs x inputs */
    const char *const *state, *const *state_unit;
    const char *const *input, *const *input_unit; /* "load", "motor.angle''" */
    const char *const *output, *const *output_unit;
    const int *order;    /* of each input: 0, 1, 2 */
    const double *poles; /* n pairs re, im: the eigenvalues of A */
    /* where it was reduced */
    int full, exact; /* states before; states of poles that are zero, unstable or undamped, which are kept */
    const double *hankel,
        *bound; /* full - exact Hankel singular values (balanced); outputs x inputs: most that
                   |H(i w)| can be off at any w, INFINITY: not known. NULL: not reduced */
} sn_linear_system;

/* The equations of motion at a state without multipliers, in independent coordinates z (embedding): M z'' =
   f, and all accelerations are a = R z'' + a0. In the coordinates' own axes; of coordinates of first order
   accelerations are rates. Matrices row by row. */
typedef struct sn_embedded {
    int n;
    const int *coordinate; /* n: which of the coordinates are independent */
    const double *R, *a0;  /* nv x n, nv */
    const double *M, *f;   /* n x n, n */
    const double *a;       /* nv */
    double off; /* largest difference of a from the accelerations of all equations, relative to the largest
                   one, with equations or without */
} sn_embedded;

/* M y'' + C y' + K y + L mu = 0 and B y = 0, for equations at velocity level B y' + D y = 0. The increments y
   of coordinates are in common axes, of rotations too, that stand still or turn with `spin`: so y' and y''
   are plain time derivatives. */
typedef struct sn_linear {
    int nv, m;
    sn_sparse M, C, K; /* nv x nv */
    sn_sparse B, D;    /* m x nv; rows of D are empty but for equations at velocity level */
    sn_sparse L;       /* nv x m: B' but for friction */
    const char *const *coordinate, *const *equation; /* names */
    const sn_frame *state;                           /* where */
    int about;                      /* SN_LINEAR_INSTANT: the motion is not steady, the matrices change */
    double spin[3];                 /* rad/s, of the common axes */
    const char *axes;               /* the node they turn with, "" where they stand still */
    const sn_linear_system *system; /* NULL: not asked for, or the model is too large */
    const sn_embedded *embedded;    /* NULL: not asked for */
} sn_linear;

typedef struct sn_linear_options {
    size_t size;    /* by sn_linear_options_default */
    int at_static;  /* at the static equilibrium */
    int at_steady;  /* or at a steady motion near the start */
    double at_time; /* or after a run to this time; < 0: at the start */
    sn_run_options run;
    sn_status (*take)(void *ctx, const sn_linear *l, sn_err *err); /* called once; or NULL */
    void *ctx;
    /* of the system: signals and numbers of the model by name; n_input 0: signals of the kind `input`, or,
       where there are none, all signals. n_output 0: all sensors; a name is a channel or a sensor with all of
       its channels */
    const char *const *input, *const *output;
    int n_input, n_output;
    int no_system;     /* matrices only */
    int independent;   /* the equations in independent coordinates, too */
    int reduce, modal; /* to so many states, by balanced or by modal truncation; 0: not */
    const char *mat;   /* of sn_linearise_file: the system as a MATLAB file as well; needs libmatio */
} sn_linear_options;

SN_API void sn_linear_options_fill(const sn_model *model, const sn_values *values, size_t size,
                                   sn_linear_options *options);
static inline sn_linear_options sn_linear_options_default(const sn_model *model, const sn_values *values)
{
    sn_linear_options o;
    sn_linear_options_fill(model, values, sizeof o, &o);
    return o;
}
SN_API sn_status sn_linearise(const sn_model *model, const sn_values *values,
                              const sn_linear_options *options, sn_err *err);

/* ---- derivatives ---- */

/* Measured channels at times: row i of y has n_channel numbers at t[i]; NAN: missing. */
typedef struct sn_data {
    int n, n_channel;
    const double *t, *y;
    const int *channel;
    const double *weight; /* of each channel's squares in a misfit; NULL: 1 */
    const double *bend;   /* of each channel: a misfit e beyond it counts 2 bend |e| - bend^2 instead of e^2
                             (Huber); NULL: none */
} sn_data;

/* From a CSV file with a column t and others named like channels. */
SN_API sn_status sn_data_read(const sn_model *model, const char *path, sn_data **data, sn_err *err);
SN_API void sn_data_free(sn_data *data);

typedef enum sn_gradient_method {
    SN_GRADIENT_AUTO,        /* forward for few parameters, else adjoint */
    SN_GRADIENT_FORWARD,     /* all parameters along with the run */
    SN_GRADIENT_ADJOINT,     /* backwards through the run, at a cost that hardly depends on their number */
    SN_GRADIENT_DIFFERENCES, /* central, extrapolated, with an estimate of error: for checks */
    SN_GRADIENT_CONTINUOUS   /* the adjoint differential equation, discretised anew: for comparison */
} sn_gradient_method;

typedef struct sn_gradient_options {
    size_t size; /* by sn_gradient_options_default */
    sn_run_options run;
    const char *const *of; /* objectives: "tip.x@2.0", "rms(tip.x - 0.1)": see docs/sensitivities.md */
    int n_of;
    const char *const *wrt; /* parameters by name: any constant number of the model */
    int n_wrt;
    const sn_data *data; /* for misfit(); or NULL */
    sn_gradient_method method;
    int statics;   /* of the equilibrium, not of a run */
    double memory; /* bytes for the run that the adjoint goes back through; 0: 1 GiB. Beyond, parts are
                      repeated */
    int threads;   /* forward: 0: as many as pay */
} sn_gradient_options;

typedef struct sn_gradient_info {
    sn_info run;
    sn_gradient_method method; /* that was used */
    double bytes_per_step;     /* of the adjoint's store */
    long stored, repeated;     /* states in it at the end of the run; steps made again */
    int start_by_differences;  /* the start was differentiated by differences, see docs/sensitivities.md */
    int threads;
} sn_gradient_info;

/* n numbers and their derivatives by n_wrt parameters, in arrays of the caller's. */
typedef struct sn_gradient_result {
    double *value;       /* n */
    double *gradient;    /* n rows of n_wrt */
    double *error;       /* as gradient: its estimated error, written by differences only; or NULL */
    unsigned char *used; /* n_wrt: 0 where nothing in the model depends on the parameter; or NULL */
} sn_gradient_result;

SN_API void sn_gradient_options_fill(const sn_model *model, const sn_values *values, size_t size,
                                     sn_gradient_options *options);
static inline sn_gradient_options sn_gradient_options_default(const sn_model *model, const sn_values *values)
{
    sn_gradient_options o;
    sn_gradient_options_fill(model, values, sizeof o, &o);
    return o;
}
/* Of the options' n_of objectives; info may be NULL. */
SN_API sn_status sn_gradient(const sn_model *model, const sn_values *values,
                             const sn_gradient_options *options, const sn_gradient_result *result,
                             sn_gradient_info *info, sn_err *err);

/* Of natural frequencies (Hz) from the lowest, as many as the options' n. */
SN_API sn_status sn_frequency_gradient(const sn_model *model, const sn_values *values,
                                       const sn_mode_options *options, const char *const *wrt, int n_wrt,
                                       const sn_gradient_result *result, sn_err *err);

/* The same by extrapolated differences, with an estimate of their error: for checks. */
SN_API sn_status sn_frequency_differences(const sn_model *model, const sn_values *values,
                                          const sn_mode_options *options, const char *const *wrt, int n_wrt,
                                          const sn_gradient_result *result, sn_err *err);

/* Of eigenvalues of small motions, damped and about a state at rest or a steady motion, by size, as many as
   the options' n (a pair counts once; not those that are zero): growth and circular frequency, two values
   each. */
SN_API sn_status sn_eigenvalue_gradient(const sn_model *model, const sn_values *values,
                                        const sn_mode_options *options, const char *const *wrt, int n_wrt,
                                        const sn_gradient_result *result, sn_err *err);
SN_API sn_status sn_eigenvalue_differences(const sn_model *model, const sn_values *values,
                                           const sn_mode_options *options, const char *const *wrt, int n_wrt,
                                           const sn_gradient_result *result, sn_err *err);

/* ---- eigenvalues over a parameter ---- */

typedef enum sn_sweep_kind {
    SN_SWEEP_CRITICAL,  /* a frequency is a multiple of the spin */
    SN_SWEEP_FLUTTER,   /* the growth of an oscillation changes its sign */
    SN_SWEEP_DIVERGENCE /* an eigenvalue passes zero */
} sn_sweep_kind;

typedef struct sn_sweep_point {
    sn_sweep_kind kind;
    int branch, rises;        /* rises: the growth is positive above it; critical: of no meaning */
    double line;              /* critical: the multiple */
    double parameter, re, im; /* where, and the eigenvalue there (1/s) */
} sn_sweep_point;

/* An eigenvalue (of a pair the one with im > 0) followed over values of the parameter. */
typedef struct sn_sweep_branch {
    int n;
    double *parameter, *re, *im;
    double *dre, *dim; /* by the parameter; NaN where there is no derivative: the eigenvalue is defective */
    char mode[160];    /* the coordinate that moves most at the first value */
} sn_sweep_branch;

typedef struct sn_sweep {
    int n_branch, n_point, n_value; /* n_value: values of the parameter that were solved */
    sn_sweep_branch *branch;
    sn_sweep_point *point; /* by the parameter */
    char axes[160];        /* what the axes turn with at the first value; "": they stand still */
} sn_sweep;

typedef struct sn_sweep_options {
    size_t size;           /* by sn_sweep_options_default */
    const char *parameter; /* a constant number of the model */
    double from, to;
    int points; /* values of the parameter, at least; more where branches come near to each other */
    int modes;  /* the lowest so many; 0: all */
    int at_static,
        at_steady;    /* about the equilibrium, a steady motion found near the start, else the start */
    const char *spin; /* the rotation (rad/s) for critical speeds; NULL: the parameter */
    int n_line;
    const double *line; /* multiples of the spin */
    sn_run_options run;
} sn_sweep_options;

SN_API void sn_sweep_options_fill(const sn_model *model, const sn_values *values, size_t size,
                                  sn_sweep_options *options);
static inline sn_sweep_options sn_sweep_options_default(const sn_model *model, const sn_values *values)
{
    sn_sweep_options o;
    sn_sweep_options_fill(model, values, sizeof o, &o);
    return o;
}
/* *out is what was found up to there also where it fails or is interrupted (or NULL). */
SN_API sn_status sn_sweep_run(const sn_model *model, const sn_values *values, const sn_sweep_options *options,
                              sn_sweep **out, sn_err *err);
SN_API void sn_sweep_free(sn_sweep *sweep);
/* As a result file, which sn_result_page makes a page of; whole: 0 where it was interrupted. */
SN_API sn_status sn_sweep_file(const sn_model *model, const sn_sweep_options *options, const sn_sweep *sweep,
                               int whole, const char *path, sn_err *err);

/* All channels at times, in arrays of the caller's. */
typedef struct sn_samples {
    int n;
    const double *t; /* n, ascending, within the run */
    double *y;       /* n rows of all channels */
    double *dy;      /* a row of n_wrt derivatives for each, by the run options' wrt; NULL: not wanted */
} sn_samples;
SN_API sn_status sn_sample(const sn_model *model, const sn_values *values, const sn_run_options *options,
                           const sn_samples *samples, sn_info *info, sn_err *err);

/* ---- identification ---- */

/* Where an identification stands. */
typedef struct sn_identify_state {
    double window, length; /* data up to here, s from the beginning, of so much */
    int iteration;
    double rms; /* of the residuals in units of the noise; NAN: not known now */
    long simulations;
    int starts, starts_done; /* random starts at work, 0: none; and those that have ended */
    int places, places_done; /* nodes where a load may be, 0: its place is known; and those that were tried */
} sn_identify_state;

typedef struct sn_identify_options {
    const char *data;         /* a file in place of the study's (one experiment), or NULL */
    const char *const *start; /* "k1=350": start values in place of the study's */
    int n_start;
    const char *const *set; /* "m=2 kg", "run.step=1 ms": numbers of the model in place of the study's */
    int n_set;
    const char *end;             /* "2 s": data up to this time, in place of the study's; or NULL */
    const char *scheme, *solver; /* in place of the model's, or NULL */
    const char *folder;          /* for study.json, study.h5 and report.html; or NULL */
    const char *command;         /* to be remembered in study.h5, or NULL */
    const char *tried; /* words that name numbers to be tried beside the unknowns; "": all; NULL: as the study
                          says */
    int resume;        /* go on from what the folder keeps of an earlier identification */
    int refine;  /* time step and meshes until they move the estimates by less than 0.3 standard errors */
    int json;    /* fill info.json */
    int threads; /* 0: all cores */
    int (*progress)(void *ctx, double done,
                    double t); /* now and then; nonzero stops, and keeps the best so far */
    void (*state)(void *ctx,
                  const sn_identify_state *state); /* before `progress`, where it changed; or NULL */
    void (*message)(void *ctx, const char *text);  /* what becomes of earlier work; or NULL */
    void *ctx;
} sn_identify_options;

typedef struct sn_identify_info {
    int converged;
    int stopped;                  /* on request, on the way or while it was judged */
    int n_good, n_warning, n_bad; /* verdicts of each level */
    double rms;                   /* of the residuals in units of the noise */
    long simulations, kept;       /* kept: those of them whose results were there from earlier */
    char *summary, *json;         /* texts; free with sn_release */
} sn_identify_info;

/* The keys of study files, for help: one table for each map that a study may have. A key holds: s a text or
   number, m a map, l a list, e text or map, a anything; `shape` shows it: TIME|no|{from: TIME}. */
typedef struct sn_study_key {
    const char *name;
    char holds;
    const char *shape, *doc;
} sn_study_key;
typedef struct sn_study_map {
    const char *where, *doc; /* "unknowns.NAME", what it is about */
    const sn_study_key *key; /* ended by a NULL name */
} sn_study_map;
SN_API const sn_study_map *sn_study_maps(void); /* ended by a NULL `where` */

/* The names that `colour` of an element may have, and what they are, 0xrrggbb. */
typedef struct sn_named_colour {
    const char *name;
    int rgb;
} sn_named_colour;
SN_API const sn_named_colour *sn_colours(void); /* ended by a NULL name */

/* Find the unknowns of a study file (docs/identification.md). Returns SN_OK also where the search did not
   converge: that is a result, with a reason. */
SN_API sn_status sn_identify(const char *study, const sn_identify_options *options, sn_identify_info *info,
                             sn_err *err);

/* ---- estimates on-line ---- */

/* A filter that takes samples one by one, as they are measured, and says at once what is known by then: a
   study with `method: kalman` (docs/forces.md). It is linearised where its estimate is: an extended Kalman
   filter. A sample costs the same however many were before it, and takes no memory, but where the rank of the
   covariance grows: a few times, until it has got its columns. */
typedef struct sn_filter sn_filter;

typedef struct sn_filter_options {
    const char *const *column; /* names of the numbers of a row, that of the time among them */
    int n_column;
    const char *from;       /* where rows come from, for messages: "standard input"; or NULL */
    const char *const *set; /* "m=2 kg", "run.step=1 ms": numbers of the model in place of the study's */
    int n_set;
    const char *scheme, *solver; /* in place of the model's, or NULL */
    /* while weights and noise are found from the study's own data, where these are not given */
    int (*progress)(void *ctx, double done, double t); /* nonzero stops; or NULL */
    void *ctx;
} sn_filter_options;

/* What is known after a sample, of all numbers of the filter (sn_filter_count): mean and standard error, NAN
   while the data do not determine it. The arrays are the filter's, until the next call. */
typedef struct sn_filter_estimate {
    double t; /* of the sample, s, on the data's clock */
    const double *value, *std_error;
    double innovation; /* what the sample differed by from what was expected, root mean square in units of
                          what was to be expected: about 1 where model and noise are right; NAN: not known */
    double past_t;     /* with `lag`: the time, so long ago, of what is known of it now; NAN: none yet */
    const double *past, *past_error;
} sn_filter_estimate;

SN_API sn_status sn_filter_open(const char *study, const sn_filter_options *options, sn_filter **out,
                                sn_err *err);
SN_API void sn_filter_close(sn_filter *filter);
/* The numbers that are estimated: histories, unknowns, and channels that the study has in `show`. */
SN_API int sn_filter_count(const sn_filter *filter);
SN_API const char *sn_filter_name(const sn_filter *filter, int i);
SN_API const char *sn_filter_unit(const sn_filter *filter, int i); /* SI; "": none, or not known */
/* The next sample: as many numbers as there are columns, NAN: missing. SN_ERR_INPUT: the row cannot be used
   (its time is no number or before the last one, a number is infinite); it is as if it had not come. After
   other errors the filter is of no use any more. */
SN_API sn_status sn_filter_take(sn_filter *filter, const double *row, sn_filter_estimate *estimate,
                                sn_err *err);
/* What its standard errors rest on and samples cannot tell, a sentence; NULL: nothing to be said. */
SN_API const char *sn_filter_note(const sn_filter *filter);
SN_API double sn_filter_lag(const sn_filter *filter); /* s, as the study says; 0: none */
/* With `lag`: how many earlier samples are kept, and what is known of them now: 0 the oldest. */
SN_API int sn_filter_past_count(const sn_filter *filter);
SN_API sn_status sn_filter_past(sn_filter *filter, int i, sn_filter_estimate *estimate, sn_err *err);

typedef struct sn_compare_info {
    int best;             /* the study that the data support most: its number in the list; -1: none */
    int level;            /* of its worst verdict: 0 good, 1 warning, 2 bad */
    int converged;        /* all of them */
    int stopped;          /* on request: those that were finished before are ranked */
    char *summary, *json; /* texts; free with sn_release */
} sn_compare_info;

/* Fit n studies (2 or more) to the same data and rank them by what the data say of them; data that differ are
   an error. folder: one for each study, or NULL; options->folder: of compare.json, or NULL. The other options
   are for all of them; info is filled whole. */
SN_API sn_status sn_identify_compare(int n, const char *const *study, const char *const *folder,
                                     const sn_identify_options *options, sn_compare_info *info, sn_err *err);

/* ---- comparing formulations ---- */

/* A file of cases (docs/formulations.md): problems, each solved by several models, constraint methods and
   integrators, with several meshes and steps. */
typedef struct sn_cases_options {
    const char *folder;      /* of compare.html, .csv, .md, .json and the record of what is done */
    const char *const *only; /* "problem" or "problem/variant": these, or NULL */
    int n_only;
    int resume; /* take what the folder keeps of an earlier comparison */
    int repeat; /* so often is each case timed; 0: as the file says */
    int (*progress)(void *ctx, double done, double t); /* now and then; nonzero stops; or NULL */
    void (*state)(void *ctx, const char *text);        /* what is solved now; or NULL */
    void *ctx;
} sn_cases_options;

typedef struct sn_cases_info {
    int cases, failed, kept; /* kept: of an earlier comparison */
    int stopped;             /* on request: what was finished is written */
    char *summary, *json;    /* texts; free with sn_release */
} sn_cases_info;

/* What cannot be solved is told in the tables, and is no error; what is wrong with a file is. info is filled
   whole. */
SN_API sn_status sn_compare_cases(const char *file, const sn_cases_options *options, sn_cases_info *info,
                                  sn_err *err);
SN_API const sn_study_map *sn_cases_maps(void); /* the keys of such a file; ended by a NULL `where` */

/* ---- data ---- */

typedef struct sn_data_options {
    const char *study;      /* the study that the data are for, with its model; or NULL */
    const char *time;       /* column of times, without a study; NULL: t, time, or the first */
    const char *const *set; /* "m=2 kg": numbers of the model in place of the study's */
    int n_set;
} sn_data_options;

typedef struct sn_data_info {
    int bad, warnings;    /* findings */
    char *summary, *json; /* texts; free with sn_release */
} sn_data_info;

/* Look at measured data before anything is fitted to them: codes of missing values, saturated and stuck
   sensors, jumps, outliers, the clock; with a study also units, signs and exchanged columns. file: a table in
   CSV; NULL: the study's own data. */
SN_API sn_status sn_data_look(const char *file, const sn_data_options *options, sn_data_info *info,
                              sn_err *err);
/* ---- design of experiments ---- */

typedef struct sn_design_options {
    const char *const *start; /* "k1=350": expected values in place of the study's */
    int n_start;
    const char *const *set; /* "m=2 kg", "run.step=1 ms": numbers of the model in place of the study's */
    int n_set;
    const char *scheme, *solver;                       /* in place of the model's, or NULL */
    const char *folder;                                /* for design.json and design.yaml; or NULL */
    int json;                                          /* fill info.json */
    int (*progress)(void *ctx, double done, double t); /* nonzero stops, and keeps the best so far */
    void *ctx;
} sn_design_options;

typedef struct sn_design_info {
    int reached; /* the goals; without goals: every unknown is seen */
    int stopped; /* on request, before the search was over */
    long simulations;
    char *summary, *json; /* texts; free with sn_release */
} sn_design_info;

/* Which sensors, excitation, duration and rate would tell the unknowns of a study file with its goals
   (docs/identification.md, "The experiment before it is made"). SN_OK also where the goals cannot be reached.
 */
SN_API sn_status sn_design(const char *study, const sn_design_options *options, sn_design_info *info,
                           sn_err *err);

/* ---- checks ---- */

typedef struct sn_check_report {
    sn_sizes sizes;
    int dim;         /* 2: a model of the plane, 3: of space */
    int independent; /* rank of the constraints */
    int freedom;     /* degrees of freedom: nv - rank (first-order coordinates not counted) */
    int n_redundant, n_unsupported, n_massless; /* names through sn_check_name */
    double mass, com[3];                        /* of everything that gravity acts on */
    double violation_q, violation_v;            /* of the start as written */
    int n_moved; /* nodes that the start moves to meet the constraints; -1: they cannot be met from there */
    /* The mechanism with its flexible members (beams, cables, shells, flexible bodies) taken as rigid; ways:
       in how many ways it can move where no drive moves it; -1: not judged */
    struct {
        int ways, driven;  /* driven: of the ways, those that drives prescribe */
        int redundant;     /* equations that follow from others then */
        int flexible;      /* there are such members */
        int singular;      /* of the ways, those that exist in this position only */
        int instantaneous; /* 1: none of the ways goes on, they are of this instant only */
        int dead_centre;   /* 1: drives do not determine the motion in this position, but nearby */
    } rigid;
    char
        *names; /* lines: "redundant joint.eq\n", "unsupported node.coord\n", "moved node LENGTH ANGLE\n"
                   (the three that move most), "unmet PLACE: why the constraints cannot be met\n", "neutral
                   node.coord\n" (no force and no equation holds it), "locked WHY nothing can move\n", "mesh
                   TEXT\n" (quality of a mesh of surfaces), "badmesh TEXT\n" (what is wrong with one); of
                   `rigid`: "mobile NAME\n" (an element, or a node without any, that moves), "idle JOINT\n" (a
                   drive that moves nothing but by deformation); "weld TEXT\n" (what shares a node's rotation
                   or is joined stiffly), "body KIND NAME mass x y z Ixx Iyy Izz Ixy Ixz Iyz I1 I2 I3\n"
                   (centre, inertia about it along the global axes, principal moments; of an element at the
                   start), "zero TEXT\n" (what nothing was written of and is zero), "default TEXT\n", "apart
                   TEXT\n" (a joint that sits on one of its nodes for want of `at`); free with sn_release */
} sn_check_report;

SN_API sn_status sn_check(const sn_model *model, const sn_values *values, sn_check_report *report,
                          sn_err *err);
SN_API void sn_release(void *p);

/* ---- reduced bodies ---- */

/* What a reduction made. The texts and numbers live as long as the call. */
typedef struct sn_reduce_report {
    int coordinates, nodes; /* of the whole body */
    int modes;              /* of the reduced one, and their frequencies with nothing held, Hz */
    const double *frequency;
    double mass, centre[3], inertia[9]; /* centre of mass, inertia about it, in the axes of the file */
    int interfaces, points;             /* points: interfaces first, then others */
    const char *const *point;
    int recovered; /* places where stresses or forces can be recovered */
    int products;  /* the integrals of products of modes are known */
    const char *recipe;
    double
        buckling; /* load along the line between the first two interfaces that buckles it, N; 0: not known */
} sn_reduce_report;

/* Where a body comes from and what is kept of it. */
typedef struct sn_reduce_options {
    size_t size; /* by sn_reduce_options_default */
    /* A model file of own members; or NAME.inp, a mesh of CalculiX with NAME.mas, NAME.sti and NAME.dof
       beside it, as *FREQUENCY, SOLVER=MATRIXSTORAGE stores them; or NULL: */
    const char *model;
    const char *mass, *stiffness; /* MatrixMarket files, lines "row column number" of one triangle, or
                                     HDF5: "body.h5:/M" (default: /M, /K) */
    const char *nodes; /* a table (CSV) with id, x, y, z and perhaps dofs (3 or 6), a mesh (.inp), or HDF5 */
    const char *dofs;  /* lines "node.direction" for the rows; NULL: node after node */
    const char *recovery; /* matrix of rows to be recovered, MatrixMarket or HDF5; or NULL */
    /* Where the body is fastened, and other points: "left, right" by names of nodes or sets, "left=1+2+7-12"
       by their numbers. Nodes of an interface are held together; it lies in the middle of the box around
       them, or where n_place texts "left=0,0,0" say. */
    const char *interfaces, *points;
    int n_place;
    const char *const *place;
    int modes;     /* at least so many fixed-interface modes (or free ones; -1: 8, or 0 with up_to), */
    double up_to;  /* and all up to this frequency, Hz */
    int free;      /* free modes in place of Craig and Bampton's */
    int at_static; /* of a model: about its equilibrium, without gravity */
    int n_set;     /* of a model: texts "E=2e11" */
    const char *const *set;
    const char
        *units; /* of files: length and mass, "mm, t"; NULL: "m, kg". Times are seconds, places metres */
    void (*tell)(void *ctx, const char *text);                 /* of long work; or NULL */
    void (*report)(void *ctx, const sn_reduce_report *report); /* called once; or NULL */
    void *ctx;
} sn_reduce_options;

SN_API void sn_reduce_options_fill(size_t size, sn_reduce_options *options);
static inline sn_reduce_options sn_reduce_options_default(void)
{
    sn_reduce_options o;
    sn_reduce_options_fill(sizeof o, &o);
    return o;
}
/* A reduced body as an HDF5 file (docs/reduced-bodies.md), whole or none. */
SN_API sn_status sn_reduce(const sn_reduce_options *options, const char *path, sn_err *err);

/* ---- result files (HDF5) ---- */

/* Run and write a result file, readable at any moment of the run (see docs/results.md). The options' frame
 * callback is still called. */
SN_API sn_status sn_run_file(const sn_model *model, const sn_values *values, const sn_run_options *options,
                             const char *path, sn_info *info, sn_err *err);
SN_API sn_status sn_static_file(const sn_model *model, const sn_values *values, const sn_run_options *options,
                                const char *path, double *y, sn_info *info, sn_err *err);
SN_API sn_status sn_modes_file(const sn_model *model, const sn_values *values, const sn_mode_options *options,
                               const char *path, int *found, sn_err *err);
/* Frames are the points of the path; /sensors/path has the parameter, the unstable directions, the branch and
   the kind of each. */
SN_API sn_status sn_path_file(const sn_model *model, const sn_values *values, const sn_path_options *options,
                              const char *path, sn_path_info *info, sn_err *err);
SN_API sn_status sn_buckling_file(const sn_model *model, const sn_values *values,
                                  const sn_buckling_options *options, const char *path, int *found,
                                  sn_err *err);
/* path: an HDF5 file, or NULL; folder: MatrixMarket files M.mtx ... system_A.mtx ... and names in it, or
 * NULL. */
SN_API sn_status sn_linearise_file(const sn_model *model, const sn_values *values,
                                   const sn_linear_options *options, const char *path, const char *folder,
                                   sn_err *err);
/* An output must not replace what is read: SN_ERR_INPUT where `out` is one of the n input files, by whatever
   name or link. The functions here that write files look themselves, at all files of a model and a study. */
SN_API sn_status sn_output_check(const char *out, int n, const char *const *input, sn_err *err);
/* Sensors (all: states too) of a result as CSV; csv NULL or "-": standard output. */
SN_API sn_status sn_result_csv(const char *path, const char *csv, int all, int units, sn_err *err);
/* The moving mechanism for ParaView: an index that ends with .pvd and a folder of that name with a file a
   frame. */
SN_API sn_status sn_result_vtk(const char *path, const char *pvd, sn_err *err);
/* Times, sensors and states as a MATLAB file; needs libmatio when it is called. */
SN_API sn_status sn_result_mat(const char *path, const char *mat, sn_err *err);
/* One HTML page, complete in itself, that shows the mechanism moving and the sensors. */
SN_API sn_status sn_result_page(const char *path, const char *page, sn_err *err);
/* Several results in one page, drawn over each other. What is 0 or NULL in the options (or they themselves)
   is left out. */
typedef struct sn_page_options {
    int n_data; /* CSV files with measured data: the time first, then columns named as sensors (tip.x) */
    const char *const *data;
    const char *begin;  /* how the page begins, as its address says it: "t=0.5&view=top&colour=stress" */
    const char *manual; /* a file that the help of the page links to: the documentation */
} sn_page_options;
SN_API sn_status sn_results_page(int n, const char *const *path, const sn_page_options *options,
                                 const char *page, sn_err *err);

/* The same page from a server on 127.0.0.1, which reads the result in pieces as the page asks for them: for
   results too large for one page. Each loading of the page sees the frames written by then. Returns when
   stop() says so, which is asked some times a second. */
typedef struct sn_serve_options {
    int port;                                      /* 0: a free one */
    void (*ready)(void *ctx, const char *address); /* "http://127.0.0.1:8123/", once; or NULL */
    int (*stop)(void *ctx);
    void *ctx;
    const char *begin; /* as that of sn_page_options, or NULL */
} sn_serve_options;
SN_API sn_status sn_result_serve(const char *path, const sn_serve_options *options, sn_err *err);

#ifdef __cplusplus
}
#endif
#endif
