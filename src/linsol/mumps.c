/* Sparse LU by sequential MUMPS (multifrontal, dense blocks), for wide factors.

   Analysis waits for the first values, because for KKT matrices with their zero diagonals MUMPS permutes by
   the values. MUMPS can look for small pivots and replace them (icntl 24, cntl 3, cntl 5). Where it finds
   any, the factors are computed again with pivots of less than rounding replaced only. What it has factors of
   already is not factored again: a start asks several times for one matrix. The order is AMF: on plates of up
   to 140,000 unknowns its factors are the cheapest of all but PORD's, which ends the program on some small
   matrices. Where a matrix is larger MUMPS chooses, AMF or SCOTCH. The library allocates in every phase. It
   is loaded when first used.

   Its modules are shared by all instances of a process, but hold what belongs to one of them only within a
   call: several instances can be used in turn, and each call enters the library for itself. What MUMPS takes
   for an internal error ends the program (MUMPS_ABORT, which in the sequential library is STOP with status
   0): calls at the same time lead there, and some failed allocations. So the memory for a phase is asked for,
   and given back, before it. */
#include "base/dynamic_library.h"
#include "base/room.h"
#include "linsol/linsol.h"

#include <dmumps_c.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { JOB_INIT = -1, JOB_END = -2, JOB_ANALYSE = 1, JOB_FACTOR = 2, JOB_SOLVE = 3 };
enum { AMF = 2, AMF_MOST = 200000 };
enum { STRUCTURALLY_SINGULAR = -6, INT_WORK_SMALL = -8, WORK_SMALL = -9 };
enum { NO_MEMORY_INT = -7, NO_MEMORY = -13, MEMORY_LIMIT = -19, USE_COMM_WORLD = -987654 };

typedef struct mumps_solver {
    DMUMPS_STRUC_C id;
    int n, analysed, good, doubtful;
    const int *Ap;
    double *Ax; /* of the last factors */
} mumps_solver;

/* SN_MUMPS_FILES: the names of the library that the build found. No others: the struct differs by version. */
#ifndef SN_MUMPS_FILES
#define SN_MUMPS_FILES "libdmumps_seq.so"
#endif

static const char *const files[] = {SN_MUMPS_FILES, NULL};
static const char *const symbols[] = {"dmumps_c", NULL};
static __typeof__(dmumps_c) *run_job;
static sn_dynlib library = {.name = "MUMPS",
                            .package = "libmumps-seq-dev",
                            .files = files,
                            .symbols = symbols,
                            .table = &run_job,
                            .lock = PTHREAD_MUTEX_INITIALIZER};

static sn_status mumps_load(sn_err *err) { return sn_dynlib_load(&library, err); }

/* The manual counts from 1. */
static int *icntl(mumps_solver *s, int i) { return &s->id.icntl[i - 1]; }

static int call(mumps_solver *s, int job)
{
    s->id.job = job;
    sn_dynlib_enter(&library);
    run_job(&s->id);
    sn_dynlib_leave(&library);
    return s->id.infog[0];
}

static void mumps_free(void *self)
{
    mumps_solver *s = self;
    if (!s) return;
    if (s->n) call(s, JOB_END);
    sn_free(s->id.irn);
    sn_free(s->id.jcn);
    sn_free(s->Ax);
    sn_free(s);
}

static int is_out_of_memory(int info)
{
    return info == NO_MEMORY_INT || info == NO_MEMORY || info == MEMORY_LIMIT;
}

static sn_status mumps_fail(const mumps_solver *s, const char *phase, sn_err *err)
{
    int info = s->id.infog[0];
    if (is_out_of_memory(info)) return SN_OUT_OF_MEM(err);
    return sn_fail(err, SN_ERR_NUMERIC, NULL, "mumps: %s failed (%d, %d)", phase, info, s->id.infog[1]);
}

static sn_status mumps_start(mumps_solver *s, int n, const int *Ap, sn_err *err)
{
    s->id.par = 1;
    s->id.sym = 0;
    s->id.comm_fortran = USE_COMM_WORLD;
    if (call(s, JOB_INIT) < 0) return mumps_fail(s, "start", err);
    s->id.n = s->n = n;
    s->id.nnz = Ap[n];
    /* say nothing */
    for (int i = 1; i <= 3; i++) *icntl(s, i) = -1;
    *icntl(s, 4) = 0;
    if (n <= AMF_MOST) *icntl(s, 7) = AMF;
    *icntl(s, 24) = 1;
    *icntl(s, 27) = 1; /* columns one by one: the same to the last bit beside others or alone */
    return SN_OK;
}

static sn_status mumps_analyse(int n, const int *Ap, const int *Ai, void **self, sn_err *err)
{
    mumps_solver *s;
    MUMPS_INT *irn = NULL, *jcn = NULL;
    *self = NULL;
    SN_TRY(mumps_load(err));
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    s->Ap = Ap;
    *self = s;
    if (n == 0) return SN_OK;
    sn_status status = SN_NEW(irn, Ap[n]) && SN_NEW(jcn, Ap[n]) && SN_NEW(s->Ax, Ap[n])
                           ? mumps_start(s, n, Ap, err)
                           : SN_OUT_OF_MEM(err);
    s->id.irn = irn;
    s->id.jcn = jcn;
    if (status != SN_OK) {
        *self = NULL;
        mumps_free(s);
        return status;
    }
    for (int j = 0; j < n; j++)
        for (int p = Ap[j]; p < Ap[j + 1]; p++) {
            irn[p] = Ai[p] + 1;
            jcn[p] = j + 1;
        }
    return SN_OK;
}

/* Factors, with pivots below `small` replaced by that; pivoting may need more room than foreseen: ask for
 * more, in percent. */
static int compute(mumps_solver *s, double small)
{
    const int most_relaxation = 2000;
    s->id.cntl[2] = s->id.cntl[4] = small;
    int info = call(s, JOB_FACTOR);
    while ((info == INT_WORK_SMALL || info == WORK_SMALL) && *icntl(s, 14) < most_relaxation) {
        *icntl(s, 14) *= 2;
        info = call(s, JOB_FACTOR);
    }
    return info;
}

/* The column of the first entry that is not finite, or -1. */
static int find_not_finite(const mumps_solver *s, const double *Ax)
{
    for (int j = 0; j < s->n; j++)
        for (int p = s->Ap[j]; p < s->Ap[j + 1]; p++)
            if (!isfinite(Ax[p])) return j;
    return -1;
}

static sn_status mumps_factor(void *self, const double *Ax, int *column, sn_err *err)
{
    const double doubt = 1e-12, none = 0.1 * DBL_EPSILON;
    mumps_solver *s = self;
    int bad = find_not_finite(s, Ax), info;
    if (column) *column = bad;
    if (s->good && s->n && !memcmp(s->Ax, Ax, sizeof *Ax * (size_t)s->Ap[s->n])) return SN_OK;
    s->doubtful = 0;
    s->good = s->n == 0;
    if (s->good) return SN_OK;
    if (bad >= 0)
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "the matrix has an entry that is not finite in column %d",
                       bad);
    s->id.a = (double *)Ax;
    if (!s->analysed) {
        if (!sn_has_room(200.0 * s->Ap[s->n])) return SN_OUT_OF_MEM(err);
        info = call(s, JOB_ANALYSE);
        if (info == STRUCTURALLY_SINGULAR)
            return sn_fail(err, SN_ERR_NUMERIC, NULL, "the pattern of the matrix is singular");
        if (info < 0) return mumps_fail(s, "analysis", err);
        if (!sn_has_room(1e6 * s->id.infog[16])) return SN_OUT_OF_MEM(err);
        s->analysed = 1;
    }
    info = compute(s, doubt);
    if (info >= 0 && s->id.infog[27] > 0) {
        s->doubtful = 1;
        info = compute(s, none);
    }
    if (info < 0) return mumps_fail(s, "factorisation", err);
    memcpy(s->Ax, Ax, sizeof *Ax * (size_t)s->Ap[s->n]);
    s->good = 1;
    return SN_OK;
}

static int mumps_doubtful(void *self) { return ((mumps_solver *)self)->doubtful; }

static sn_status mumps_solve(void *self, int transposed, int nrhs, double *b)
{
    mumps_solver *s = self;
    if (!s->good) return SN_ERR_BUG;
    if (s->n == 0 || nrhs == 0) return SN_OK;
    *icntl(s, 9) = transposed ? 0 : 1;
    s->id.rhs = b;
    s->id.nrhs = nrhs;
    s->id.lrhs = s->n;
    int info = call(s, JOB_SOLVE);
    s->id.rhs = NULL;
    if (is_out_of_memory(info)) return SN_ERR_MEMORY;
    return info < 0 ? SN_ERR_NUMERIC : SN_OK;
}

static sn_status mumps_solve_together(void *self, int nrhs, double *b)
{
    mumps_solver *s = self;
    *icntl(s, 27) = nrhs;
    sn_status status = mumps_solve(self, 0, nrhs, b);
    *icntl(s, 27) = 1;
    return status;
}

static double mumps_flops(void *self)
{
    mumps_solver *s = self;
    return s->good ? s->id.rinfog[2] : s->analysed ? s->id.rinfog[0] : 0;
}

/* MUMPS gives counts beyond two thousand millions as negative millions. */
static double count(int info) { return info < 0 ? -1e6 * info : info; }

static double mumps_nonzeros(void *self)
{
    mumps_solver *s = self;
    return s->good ? count(s->id.infog[28]) : s->analysed ? count(s->id.infog[2]) : 0;
}

static double mumps_bytes(void *self)
{
    mumps_solver *s = self;
    return (double)sizeof *s + (s->n ? 16.0 * s->Ap[s->n] : 0) + (s->good ? 1e6 * s->id.infog[21] : 0);
}

extern const sn_linsol_class sn_linsol_mumps;
const sn_linsol_class sn_linsol_mumps = {
    .name = "mumps",
    .doc = "multifrontal sparse LU by MUMPS (one thread), to compare with",
    .load = mumps_load,
    .analyse = mumps_analyse,
    .factor = mumps_factor,
    .solve = mumps_solve,
    .solve_together = mumps_solve_together,
    .release = mumps_free,
    .doubtful = mumps_doubtful,
    .flops = mumps_flops,
    .nonzeros = mumps_nonzeros,
    .bytes = mumps_bytes,
};
