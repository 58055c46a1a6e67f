/* The two-bar example for tests of direct identification (Gouveia, Lemosse, Pagnacco, Souza de Cursi; the
   example's file names the paper): its motion with each step kept, its parameters.

   Simulated motions satisfy the residual to Newton's tolerance at each step: forces are not averaged, and `a`
   is the acceleration that belongs to them, also with HHT. What the paper stores with HHT is the algorithmic
   acceleration A = (1 + alpha) a - alpha a_before, the one at t + alpha h: sets called "stored" in these
   tests. */
#ifndef SN_TESTS_VERIFY_TWO_BAR_H
#define SN_TESTS_VERIFY_TWO_BAR_H

#include "verify/kit.h"

#include "base/mem.h"
#include "identify/direct.h"
#include "identify/kinematics.h"
#include "identify/smooth.h"
#include "model/values.h"

enum { NP = 4, NQ = 15, MOST = 6002, SPRING1 = 0, BAR1 = 1, SPRING3 = 2, BAR2 = 3 };
static const double exact[NP] = {700, 0.5, 400, 0.5};
static const char *const name[NP] = {"k1", "kt1", "k3", "kt3"};
static const int rotation[4] = {5, 8, 11, 14}; /* theta of nodes 2 to 5 */

static double T[MOST], Q[MOST * NQ], V[MOST * NQ], A[MOST * NQ], lam[MOST * 3];
static int N;

static inline sn_status keep(void *ctx, const sn_frame *f, sn_err *err)
{
    (void)ctx, (void)err;
    if (N >= MOST) return SN_ERR_BUG;
    T[N] = f->t;
    memcpy(Q + NQ * N, f->q, sizeof(double) * NQ), memcpy(V + NQ * N, f->v, sizeof(double) * NQ);
    memcpy(A + NQ * N, f->a, sizeof(double) * NQ), memcpy(lam + 3 * N, f->lam, sizeof(double) * 3);
    N++;
    return SN_OK;
}

/* The model and its motion with each step kept; stored: with the paper's accelerations. */
static inline void simulate(kit *k, const char *scheme, double h, double end, int stored)
{
    kit_file(k, "examples/two-bar/two-bar.yaml");
    k->o.scheme = scheme, k->o.step = k->o.output = h, k->o.end = end, k->o.frame = keep;
    k->o.tolerance = 1e-13;
    N = 0;
    kit_run(k);
    double alpha;
    kit_good(k, sn_values_get(k->p, "run.alpha", &alpha, &k->err));
    for (int i = NQ * N - 1; stored && i >= NQ; i--) A[i] = (1 + alpha) * A[i] - alpha * A[i - NQ];
}

static inline void start_at(kit *k, double factor)
{
    for (int i = 0; i < NP; i++) kit_set(k, name[i], factor * exact[i]);
    kit_update(k);
}

static inline void ids(const kit *k, int *id)
{
    for (int i = 0; i < NP; i++) id[i] = sn_quantity_find(k->m, name[i]);
}

static inline int step_at(double t) { return (int)lround(t / (T[1] - T[0])); }

/* Largest relative error. */
static inline double error(const sn_direct_result *r)
{
    double e = 0;
    for (int i = 0; i < NP; i++) e = fmax(e, fabs(r->p[i] / exact[i] - 1));
    return e;
}

static inline void print(const char *what, const sn_direct_result *r)
{
    print_message("  %-34s", what);
    for (int i = 0; i < NP; i++) print_message(" %10.6g +- %-8.1g", r->p[i], r->std_error[i]);
    print_message(" %d steps%s\n", r->iterations, r->converged ? "" : ", not converged");
}

#endif
