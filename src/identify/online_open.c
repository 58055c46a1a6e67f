/* The study of a filter on-line: what it must say, and weights and noise found beforehand from the data it
   has, where they are not given. */
#include "identify/online.h"
#include "identify/result.h"

#include <math.h>
#include <string.h>

/* ---- what is known beforehand ---- */

static int weights_open(const sn_study *s)
{
    for (int i = 0; i < s->n_history; i++)
        if (s->history[i].choice != SN_WEIGHT_GIVEN) return 1;
    return 0;
}

static int noise_open(const sn_study *s)
{
    for (int c = 0; c < s->experiment[0].n_channel; c++)
        if (!s->experiment[0].known[c]) return 1;
    return 0;
}

/* Without data to find them from. */
static sn_status lacks(const sn_study *s, sn_err *err)
{
    for (int i = 0; i < s->n_history; i++)
        if (s->history[i].choice != SN_WEIGHT_GIVEN)
            return sn_fail(err, SN_ERR_INPUT, &s->history[i].mark,
                           "on-line the weight of '%s' must be known: give it ('weight: 0.3'), or 'data: "
                           "FILE.csv', a stretch of data from which it is found first",
                           s->history[i].name);
    const sn_experiment *x = &s->experiment[0];
    for (int c = 0; c < x->n_channel; c++)
        if (!x->known[c])
            return sn_fail(
                err, SN_ERR_INPUT, &s->root->mark,
                "on-line the noise of '%s' must be known: 'noise: {%s: ...}', or 'data: FILE.csv', "
                "a stretch of data from which it is found first",
                sn_column_get(s, x, c).name, sn_column_get(s, x, c).name);
    return SN_OK;
}

/* A weight counts squares of differences between knots: d^(2 order - 1) of their distance d is in it. */
static void take_weights(const sn_study *from, sn_study *to)
{
    for (int i = 0; i < to->n_history; i++) {
        const sn_history *h = &to->history[i];
        const sn_history_part *p = &from->history_part[i];
        int intervals = p->n - (h->form == SN_FORM_CUBIC ? 3 : 1);
        double spacing = (p->end - p->begin) / intervals;
        if (h->choice == SN_WEIGHT_GIVEN) continue;
        to->history_part[i].weight = p->weight * pow(spacing / h->spacing, 2 * h->order - 1);
    }
}

static sn_status take_noise(const sn_study *from, sn_study *to, sn_err *err)
{
    sn_experiment *x = &to->experiment[0];
    for (int c = 0; c < x->n_channel; c++) {
        int found = x->known[c];
        for (int e = 0; !found && e < from->n_experiment; e++)
            for (int k = 0; !found && k < from->experiment[e].n_channel; k++)
                if (from->experiment[e].channel[k] == x->channel[c])
                    x->sigma[c] = from->experiment[e].sigma[k], found = 1;
        if (!found)
            return sn_fail(err, SN_ERR_INPUT, &to->root->mark,
                           "the study's data do not measure '%s', whose noise is not given",
                           sn_column_get(to, x, c).name);
    }
    return SN_OK;
}

static sn_status learn(const char *path, const sn_filter_options *o, const sn_identify_options *given,
                       sn_study *s, sn_err *err)
{
    sn_study *batch = NULL;
    sn_estimate *e = NULL;
    sn_solve_options how = {.threads = 1, .progress = o->progress, .ctx = o->ctx};
    sn_status status = sn_study_read(path, given, 0, &batch, err);
    if (!status) status = sn_kalman_study(batch, &how, &e, err);
    if (!status && !e->converged)
        status = sn_fail(err, SN_ERR_NUMERIC, NULL,
                         "weights and noise could not be found from the study's data: %s", e->reason);
    if (!status) take_weights(batch, s);
    if (!status) status = take_noise(batch, s, err);
    sn_estimate_free(e);
    sn_study_free(batch);
    return status;
}

/* ---- the study ---- */

static sn_status check(const sn_study *s, sn_err *err)
{
    for (int u = 0; u < s->n_unknown; u++)
        if (isnan(s->unknown[u].prior))
            return sn_fail(err, SN_ERR_INPUT, &s->unknown[u].mark,
                           "on-line '%s' needs what is known of it beforehand, which the first samples are "
                           "linearised at: 'prior: [value, deviation]'",
                           s->unknown[u].name);
    if (!s->n_history && !s->n_unknown)
        return sn_fail(err, SN_ERR_INPUT, &s->root->mark, "the study has no unknowns");
    return SN_OK;
}

/* The names of the columns, which the caller may lose. */
static sn_status keep_columns(const sn_filter_options *o, sn_filter *f, sn_err *err)
{
    const char *file = o->from && o->from[0] ? o->from : "samples",
               **name = sn_arena_alloc(&f->arena, (size_t)o->n_column + 1, sizeof *name);
    f->stream =
        (sn_stream){.n = o->n_column, .name = name, .file = sn_arena_strndup(&f->arena, file, strlen(file))};
    int good = name && f->stream.file;
    for (int i = 0; good && i < o->n_column; i++)
        good = (name[i] = sn_arena_strndup(&f->arena, o->column[i], strlen(o->column[i]))) != NULL;
    return good ? SN_OK : SN_OUT_OF_MEM(err);
}

sn_status sn_online_study(const char *path, const sn_filter_options *o, sn_filter *f, sn_err *err)
{
    const sn_identify_options given = {.set = o->set,
                                       .n_set = o->n_set,
                                       .scheme = o->scheme,
                                       .solver = o->solver,
                                       .progress = o->progress,
                                       .ctx = o->ctx};
    SN_TRY(keep_columns(o, f, err));
    SN_TRY(sn_study_read_stream(path, &given, &f->stream, &f->s, err));
    SN_TRY(check(f->s, err));
    if (!weights_open(f->s) && !noise_open(f->s)) return SN_OK;
    if (!sn_item_get(f->s->root, "data")) return lacks(f->s, err);
    return learn(path, o, &given, f->s, err);
}
