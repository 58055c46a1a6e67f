/* Direct identification: the equations of motion themselves at chosen instants, with the motion put in as
   measured and parameters and multipliers for unknowns; no run is made.

   Gouveia, Lemosse, Pagnacco, Souza de Cursi: "Temporal identification in a flexible multibody system", eqs
   11-13 (sn_direct), and "Dedicated procedures for temporal identification in a flexible multi-body system",
   eq. 14 (sn_adapted_direct: some coordinates, usually rotations, are not measured).

   z = [r(q, v, a, lam; p); phi(q; p)] is made as small as possible by Newton with pseudo-inverses, one
   instant or all together, with exact derivatives. Most stiffnesses and masses enter linearly: then one step
   from anywhere is the answer. What is measured enters the matrix too (dr/dp holds the deformations), so
   noise does not only scatter the estimates, it also draws them to smaller values. Where the noise is given
   that is taken back: the sum of z' V(p)^-1 z, V = K Sq K' + C Sv C' + M Sa M' the covariance that the noise
   of the motion makes of z, is smallest at the right p, while with weights that are held it is not
   (generalised total least squares; Fuller, Measurement Error Models, 1987, ch. 3). Dense in the coordinates
   of an instant, linear in the number of instants: for models of some hundred coordinates. */
#ifndef SN_IDENTIFY_DIRECT_H
#define SN_IDENTIFY_DIRECT_H

#include "base/mem.h"
#include "sinew/sinew.h"

/* A motion at n instants: rows of q (nq), v and a (nv). */
typedef struct sn_instants {
    int n;
    const double *t, *q, *v, *a;
} sn_instants;

typedef struct sn_direct_options {
    const int *id; /* what is sought: quantities of the model */
    int np;
    /* Coordinates that are sought too, by sn_adapted_direct: tangent indices, of planar nodes. */
    const int *unknown;
    int n_unknown;
    int max_iterations;
    double tolerance; /* of the last step, relative to the parameters */
    double rank;      /* singular values below it times the largest count as zero; 0: rounding */
    /* Standard deviations of z's own rows: forces N, moments N m, equations m or rad. 0: 1 each, so that the
       plain sum of squares is minimised as in the papers; where noise is given below, a thousandth of its
       effect. */
    double force, moment, gap;
    /* Noise of the motion, nv standard deviations each, or NULL: its covariance in z, K Sq K' + C Sv C' + M
       Sa M', weights the rows. So the axial force of a stiff beam, known to EA/L times the noise only, hardly
       counts. */
    const double *noise_q, *noise_v, *noise_a;
    const double *noise_qa; /* nv covariances of q and a, where a was derived from q; or NULL */
    int estimate;           /* without noise given: deviations of forces and of moments from the residuals */
    int robust;             /* instants that fit badly count less (Huber) */
    /* Elements (numbers of objects, two nodes) whose axial force is one more unknown at each instant. */
    const int *axial;
    int n_axial;
    int (*stop)(void *ctx, double done, double t); /* asked at each instant; nonzero: SN_ERR_INTERRUPTED */
    void *ctx;
} sn_direct_options;

typedef struct sn_direct_result {
    sn_arena arena;
    int np, n, m, nv; /* parameters, instants (adapted: two a pair), multipliers, coordinates */
    double *p, *std_error, *covariance; /* np, np, np x np; an error is infinite where p is not determined */
    double *singular;                   /* np: of the equations for p, relative to the parameters' size */
    double *lam, *lam_error;            /* n rows of m */
    double *axial, *axial_error;        /* n rows of n_axial: whole axial forces, tension positive */
    double *unknown;                    /* n rows of n_unknown triples q, v, a */
    double *unknown_error;              /* of q in them: n rows of n_unknown */
    double *residual;                   /* n rows of nv: r, N and N m */
    double *weight;                     /* n (adapted: one a pair): 1, or less where robust */
    double force, moment;               /* deviations of the rows that were used */
    double *drawn; /* np: by how much noise had drawn the estimates, which is taken back in p */
    int corrected; /* 0: not, for want of a noise, or since no corrected solution was found */
    double rms;    /* of the weighted residuals: 1 where the noise is as stated. Errors are scaled by it. */
    double violation; /* largest |phi| */
    int equations, unknowns, rank, rank_p;
    double cutoff; /* relative tolerance of the rank */
    int iterations, converged;
    const char *outside; /* a number that left its admissible range, in words; or NULL */
} sn_direct_result;

sn_direct_options sn_direct_options_default(void);

/* p: the start of what is sought, and all other numbers. */
sn_status sn_direct(const sn_model *m, const sn_values *p, const sn_instants *at, const sn_direct_options *o,
                    sn_direct_result *out, sn_err *err);

/* Instants in pairs t[2i] < t[2i+1], over each of which unknown coordinates are cubics in time; their q and a
   are the start, their v does not matter. */
sn_status sn_adapted_direct(const sn_model *m, const sn_values *p, const sn_instants *at,
                            const sn_direct_options *o, sn_direct_result *out, sn_err *err);
void sn_direct_result_free(sn_direct_result *r);

#endif
