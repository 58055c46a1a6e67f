/* What smoothness makes of the product of a channel's signal and its residuals.

   With H = J A^-1 J', A = J'J and the smoothness of histories, the fit takes m = H y of the data, and leaves
   r = -(1 - H) y. Smoothness makes a history smaller than it is, so that r looks like a gain of the sensors
   that is too small: over histories as smooth as the weight says, y has the covariance (1 - H)^-1, and the
   signal times what a gain could explain beside the history has the mean -sum over the channel of (H -
   H^2)_ii. It is taken off before a gain is accused. */
#include "identify/causes.h"
#include "identify/smoothing_data.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

static const double most_work = 4e9; /* products; beyond it only some of the samples are looked at */

typedef struct pull {
    int n;
    double *A, *J, *x, *y; /* factors of A; J'J; scratch */
} pull;

/* (H - H^2)_ii of a row of the Jacobian, row: over all unknowns. */
static double of_row(pull *p, double *row)
{
    memcpy(p->x, row, sizeof(double) * (size_t)p->n);
    LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', p->n, 1, p->A, p->n, p->x, 1);
    cblas_dsymv(CblasRowMajor, CblasLower, p->n, 1, p->J, p->n, p->x, 1, 0, p->y, 1);
    return cblas_ddot(p->n, row, 1, p->x, 1) - cblas_ddot(p->n, p->x, 1, p->y, 1);
}

static void of_experiment(sn_causes *q, pull *p, int e, int every, double *row)
{
    const sn_experiment *x = &q->f->s->experiment[e];
    const sn_part *part = &q->f->part[e];
    for (int i = 0; i < x->n; i += every)
        for (int c = 0; c < x->n_channel; c++) {
            size_t at = (size_t)i * (size_t)x->n_channel + (size_t)c;
            if (isnan(part->r[at])) continue;
            memset(row, 0, sizeof(double) * (size_t)p->n);
            for (int a = 0; a < part->n; a++)
                row[part->unknown[a]] = part->J[at * (size_t)part->n + (size_t)a];
            q->pull[q->slot[e] + c] += every * of_row(p, row);
        }
}

sn_status sn_causes_pull(sn_causes *q, sn_err *err)
{
    const sn_fit *f = q->f;
    const sn_study *s = f->s;
    size_t n = (size_t)f->n;
    double *row = NULL;
    pull p = {.n = f->n};
    if (!sn_smoothing_needed(s)) return SN_OK;
    sn_status status =
        SN_NEW(p.A, n * n + 1) && SN_NEW(p.J, n * n + 1) && SN_NEW(p.x, 2 * n + 1) && SN_NEW(row, n + 1)
            ? SN_OK
            : SN_OUT_OF_MEM(err);
    if (!status) {
        p.y = p.x + n;
        memcpy(p.A, f->A, sizeof(double) * n * n);
        for (size_t i = 0; i < n; i++) p.A[i * n + i] = p.A[i * n + i] * (1 + 1e-13) + 1e-300;
        for (int e = 0; e < s->n_experiment; e++) {
            const sn_part *part = &f->part[e];
            for (int a = 0; !s->experiment[e].hold_out && a < part->n; a++)
                for (int b = 0; b < part->n; b++)
                    p.J[(size_t)part->unknown[a] * n + (size_t)part->unknown[b]] += part->A[a * part->n + b];
        }
        int every = (int)ceil(fmax(1, 3.0 * (double)q->n * (double)(n * n) / most_work));
        if (!LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', f->n, p.A, f->n))
            for (int e = 0; e < s->n_experiment; e++)
                if (!s->experiment[e].hold_out && !s->experiment[e].sort) of_experiment(q, &p, e, every, row);
    }
    sn_free(p.A), sn_free(p.J), sn_free(p.x), sn_free(row);
    return status;
}

double sn_cause_pull(const sn_causes *q, const sn_cause *a)
{
    const sn_study *s = q->f->s;
    double sum = 0;
    if (a->kind != SN_CAUSE_GAIN && a->kind != SN_CAUSE_FACTOR) return 0;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        if (x->hold_out || x->sort || (a->experiment >= 0 && a->experiment != e)) continue;
        for (int c = 0; c < x->n_channel; c++) {
            int own = a->experiment < 0 ? x->channel[c] == a->channel : a->channel == c;
            if (a->kind == SN_CAUSE_FACTOR)
                own = !strcmp(
                    sn_channel_get(s->model, x->channel[c]).unit,
                    sn_channel_get(s->model, a->experiment < 0 ? a->channel : x->channel[a->channel]).unit);
            if (own) sum += q->pull[q->slot[e] + c];
        }
    }
    return sum;
}
