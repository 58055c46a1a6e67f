/* Step size control: sizes of steps by their local error, of the power order + 1 of h.

   Errors of conservative motion cancel over a period when the steps are the same on the way back as on the
   way there: no drift of energy (Hairer, Lubich, Wanner, Geometric Numerical Integration, VIII). So while the
   motion is smooth the size follows the error at every step, without delay: what the error asks for is
   extrapolated to the middle of the step to come. Vibrations that steps do not resolve would be shaken by
   that; there a size is kept while it is nearly right, and grows after some steps only. */
#ifndef SN_ANALYSIS_STEP_SIZE_H
#define SN_ANALYSIS_STEP_SIZE_H

typedef struct sn_step_size {
    int order;                   /* of the scheme */
    double h, shortest, longest; /* next step, bounds */
    int wait;                    /* steps until it may grow, where the motion is not smooth */
    int smooth_steps;            /* grows with smooth steps, falls with others */
    double log_ideal, h_last;    /* logarithm of the size the last step should have had, its size; 0: none */
} sn_step_size;

/* A step of size h did not converge; or was off by e > 1 times what is allowed and is not taken. */
void sn_step_size_failed(sn_step_size *p, double h);
void sn_step_size_rejected(sn_step_size *p, double h, double e);
/* It is taken. e: its error; ahead, smooth: see sn_local_error. */
void sn_step_size_taken(sn_step_size *p, double h, double e, double ahead, int smooth);

#endif
