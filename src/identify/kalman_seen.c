/* What the data see of histories that the filter has found. Which forces do the same to the sensors, whether
   a force is felt at all and which other sensor would help are questions about covariances that the filter
   does not keep. They are asked of a problem that has the same model, data, noise and unknowns, but histories
   of few values, as unknowns: at the estimate, with weights that say the same of the smoothness (those of
   knots m times as far apart are m^(1 - 2 order) of it, history.h). How many values the data determine, and
   all bands, are those of the filter and smoother. */
#include "identify/judge.h"
#include "identify/kalman_judge.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

enum { VALUES = 60, LEAST = 12 };
static const double most_numbers = 2e7; /* of the rows of the Jacobian */

typedef struct coarse {
    sn_study *s;
    sn_fit *f;
    double *z, *inverse;
} coarse;

static int values_of_each(const sn_study *s)
{
    double rows = 1;
    for (int e = 0; e < s->n_experiment; e++)
        rows = fmax(rows, (double)s->experiment[e].n * s->experiment[e].n_channel);
    return (int)fmin(fmax(most_numbers / (rows * s->n_history), LEAST), VALUES);
}

static sn_status read_again(const sn_study *s, sn_study **out, sn_err *err)
{
    sn_refinement few = s->finer;
    few.coarse = values_of_each(s);
    SN_TRY(sn_study_read_refined(s->file, &s->given, s->divided, &few, out, err));
    int same = (*out)->n_experiment == s->n_experiment && (*out)->n_history_part == s->n_history_part;
    for (int e = 0; same && e < s->n_experiment; e++)
        same = (*out)->experiment[e].n == s->experiment[e].n &&
               (*out)->experiment[e].n_channel == s->experiment[e].n_channel;
    for (int k = 0; same && k < s->n_unknown; k++)
        same = k < (*out)->n_unknown && !strcmp((*out)->unknown[k].name, s->unknown[k].name);
    if (same) return SN_OK;
    sn_study_free(*out), *out = NULL;
    return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = s->file},
                   "the files of the study have changed since it was read");
}

/* Weight of the smoothness and values: a spline is nearly its coefficients. */
static void take_history(coarse *c, const sn_study *s, const sn_history_fit *q)
{
    const sn_history_part *p = &s->history_part[q->part - 1];
    sn_history_part *to = &c->s->history_part[q->part - 1];
    sn_history *h = &c->s->history[to->history];
    int inner = h->form == SN_FORM_CUBIC;
    double wider = (double)(p->n - 1) / (to->n - 1);
    h->order = s->history[p->history].order;
    to->weight = p->weight * pow(wider, 1 - 2 * h->order);
    for (int i = 0; i < to->n; i++) {
        double u = (double)(i - inner) / (to->n - 1 - 2 * inner) * (q->n - 1);
        int j = (int)fmin(fmax(u + 0.5, 0), q->n - 1);
        c->z[to->first + i] = sn_fit_z(c->s, to->first + i, q->value[j]);
    }
}

static sn_status linearise(coarse *c, const sn_estimate *e, int threads, sn_err *err)
{
    const sn_study *s = e->s;
    for (int k = 0; k < s->n_experiment; k++)
        memcpy(c->s->experiment[k].sigma, s->experiment[k].sigma,
               sizeof(double) * (size_t)s->experiment[k].n_channel);
    SN_TRY(sn_fit_new(c->s, threads, &c->f, err));
    size_t n = (size_t)c->f->n;
    if (!SN_NEW(c->z, n + 1) || !SN_NEW(c->inverse, n * n + 1)) return SN_OUT_OF_MEM(err);
    sn_fit_start(c->f, c->z);
    for (int k = 0; k < s->n_unknown; k++) c->z[k] = e->z[k];
    for (int k = 0; k < e->n_history; k++) take_history(c, s, &e->history[k]);
    SN_TRY(sn_fit_rows(c->f, c->z, err));
    sn_seen_inverse(c->f, c->inverse);
    return SN_OK;
}

static void drop(coarse *c)
{
    sn_fit_free(c->f);
    sn_study_free(c->s);
    sn_free(c->z), sn_free(c->inverse);
}

sn_status sn_kalman_judge_seen(const sn_kalman_pass *p, sn_estimate *e, sn_err *err)
{
    coarse c = {.s = NULL};
    if (e->stopped || !sn_seen_wanted(e)) return sn_judge_seen_by(p->fit, e, NULL, err);
    int before = sn_err_count(err);
    sn_status status = read_again(e->s, &c.s, err);
    if (!status) status = linearise(&c, e, p->fit->threads, err);
    int there = !status;
    if (status && status != SN_ERR_MEMORY) { /* then there is less to say */
        sn_err_forget(err, before);
        status = SN_OK;
    }
    const sn_seen_problem by = {c.f, c.z, c.inverse};
    if (!status) status = sn_judge_seen_by(p->fit, e, there ? &by : NULL, err);
    drop(&c);
    return status;
}
