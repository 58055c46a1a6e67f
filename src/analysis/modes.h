/* The eigenvalue problem of the modes, K x + B' mu = w2 M x, B x = 0, at the state of a context, and its
 * solvers. */
#ifndef SN_ANALYSIS_MODES_H
#define SN_ANALYSIS_MODES_H

#include "analysis/motion.h"
#include "system/object_blocks.h"

#include <float.h>

typedef struct sn_pencil {
    sn_context *d;
    sn_object_blocks *blocks; /* K object by object */
    double *K, *M;            /* assembled (nnz + 1); K with the equations */
    int *Mp, *Mi;             /* M without zeros: columns, rows */
    double *Mx;
    unsigned char *still; /* of each element, then of each joint: directions (bits) in which it can be shifted
                             without a change of its forces, */
    unsigned char *free;  /* and its forces together are none */
    double *xi, *eta;     /* of one object: SN_MODES_CHUNK vectors */
    double top;           /* largest K/M on the diagonal */
    double shift;         /* of the factors */
} sn_pencil;

/* Entries of K are taken to be right to this fraction: some operations, each rounded by half of DBL_EPSILON.
 */
#define SN_MODES_ROUNDING (4 * DBL_EPSILON)

/* Relative errors of frequencies from here on are mentioned. */
#define SN_MODES_UNSURE 1e-6

enum { SN_MODES_CHUNK = 64 }; /* modes that are refined together */

sn_status sn_pencil_new(sn_context *d, sn_pencil **out, sn_err *err);
void sn_pencil_free(sn_pencil *p);
/* y = M x */
void sn_pencil_mass(const sn_pencil *p, const double *x, double *y);
/* y'K x by objects; as exact as K of each for smooth x and y. */
double sn_pencil_form(const sn_pencil *p, const double *y, const double *x);
/* y += K x or K'x, likewise. */
void sn_pencil_times(const sn_pencil *p, int transposed, const double *x, double *y);
/* Factors of [K - shift M, B'; B, 0]; a failure is reported by `what`. */
sn_status sn_pencil_factor(sn_pencil *p, double shift, sn_err *err);
/* What rounding of K, assembled, makes of w2 = x'Kx/x'Mx at most, to first order. */
double sn_pencil_noise(const sn_pencil *p, const double *x);

/* K of object e, an element or behind them a joint */
const double *sn_pencil_object(const sn_pencil *p, int e, const sn_object **o);
/* The coordinates of an object in `columns` vectors x (of nv), less a shift in the directions `free`: of a
   fine mesh what remains is small, and with it what rounding of K does. */
void sn_pencil_gather(const sn_pencil *p, unsigned free, const sn_object *o, int columns, const double *x,
                      double *xi);
/* sum += factor |dK| |xi| |xi| for entries dK of one object of relative size 1: with the rounding as factor,
   what that does to xi'K xi, for each of n vectors xi. */
void sn_pencil_rounding(const sn_object *o, const double *K, int n, const double *xi, double factor,
                        double *sum);

typedef struct sn_spectrum {
    double *w2, *shape, *error; /* eigenvalues; nv numbers each; bounds of the errors of w2 */
    int n, unsymmetric;         /* unsymmetric: K is not symmetric */
    int all;                    /* there are no others */
} sn_spectrum;

void sn_spectrum_sort(sn_spectrum *s, int nv);

/* The first o->n (0: all), sorted. s->unsymmetric: K is not symmetric, and nothing is found. */
sn_status sn_modes_at_rest(sn_pencil *p, const sn_mode_options *o, sn_spectrum *s, sn_err *err);
/* All modes (LAPACK), with the errors that the method makes; s->unsymmetric: none, K is not symmetric. */
sn_status sn_modes_dense(sn_pencil *p, sn_spectrum *s, sn_err *err);
/* How many w2 are below the shift of the factors, by a dense matrix. */
sn_status sn_modes_below(sn_pencil *p, int *count, sn_err *err);
/* The `want` nearest to the shift of the factors (ARPACK) of at least `most`; K must be symmetric. Where they
   do not converge, s stays as it is. */
sn_status sn_modes_lanczos(sn_pencil *p, int want, int most, sn_spectrum *s, int *converged, sn_err *err);

/* The first n modes by Rayleigh quotients that lose nothing to shifts of the objects, the lowest of them by
   inverse iteration too: Ritz values and vectors with bounds of their errors. s->unsymmetric: K is not
   symmetric; then the modes are not those. */
sn_status sn_modes_refine(sn_pencil *p, sn_spectrum *s, int n, sn_err *err);
/* Factors at a shift on the scale of the lowest elastic modes, by a few steps with s->n vectors (at most
   SN_MODES_CHUNK), which s gets. */
sn_status sn_modes_find_shift(sn_pencil *p, sn_spectrum *s, sn_err *err);

/* ---- modes about any motion: modes_motion.c ---- */

/* Roots s, of conjugates the one with Im s >= 0, and their shapes y in common axes. */
typedef struct sn_roots {
    int n, zeros; /* zeros: how often 0 is a root, by multiplicity; n counts each neutral motion once */
    int all;      /* there are no others */
    double complex *s, *y; /* n; n rows of nv */
} sn_roots;

sn_status sn_roots_room(const sn_model *m, int n, sn_roots *out, sn_err *err);
void sn_roots_free(sn_roots *r);
/* By size, then by growth. */
sn_status sn_roots_sort(const sn_model *m, sn_roots *r, sn_err *err);
/* All of them; or at least as many modes as are asked for of those nearest to zero, with a frequency `unit`
   of the model's. */
sn_status sn_roots_dense(const sn_motion *p, sn_roots *out, sn_err *err);
sn_status sn_roots_arnoldi(const sn_motion *p, int modes, double unit, sn_roots *out, sn_err *err);

/* ARPACK keeps its state between calls: one iteration at a time in a process. */
void sn_arpack_lock(void);
void sn_arpack_unlock(void);

#endif
