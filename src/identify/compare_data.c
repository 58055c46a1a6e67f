/* Are two studies about the same data, and is one a part of the other? */
#include "identify/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void name_of(const sn_study *s, int k, int c, char *out, size_t size)
{
    snprintf(out, size, "%s", sn_column_get(s, &s->experiment[k], c).name);
}

int sn_compare_channel(const sn_study *a, const sn_study *b, int k, int c)
{
    char name[300], other[300];
    name_of(a, k, c, name, sizeof name);
    for (int i = 0; i < b->experiment[k].n_channel; i++) {
        name_of(b, k, i, other, sizeof other);
        if (!strcmp(name, other)) return i;
    }
    return -1;
}

static sn_status differ(const sn_study *a, const sn_study *b, const char *what, sn_err *err)
{
    return sn_fail(err, SN_ERR_INPUT, NULL,
                   "%s and %s are not fitted to the same data, so they cannot be compared: %s", a->file,
                   b->file, what);
}

static int same(double x, double y) { return x == y || (isnan(x) && isnan(y)); }

static sn_status same_channel(const sn_study *a, const sn_study *b, int k, int c, sn_err *err)
{
    const sn_experiment *x = &a->experiment[k], *y = &b->experiment[k];
    int other = sn_compare_channel(a, b, k, c), rows = 0;
    char name[300], what[500] = "";
    name_of(a, k, c, name, sizeof name);
    if (other < 0) {
        snprintf(what, sizeof what, "experiment '%s' measures %s in the first only", x->name, name);
        return differ(a, b, what, err);
    }
    for (int i = 0; i < x->n; i++) rows += !same(x->y[i * x->n_channel + c], y->y[i * y->n_channel + other]);
    if (rows)
        snprintf(what, sizeof what, "%d of %d values of %s in experiment '%s' differ", rows, x->n, name,
                 x->name);
    else if (x->known[c] != y->known[other])
        snprintf(what, sizeof what, "the noise of %s is stated in one and estimated in the other", name);
    else if (x->known[c] && x->sigma[c] != y->sigma[other])
        snprintf(what, sizeof what, "the noise of %s is %g in the first, %g in the second", name, x->sigma[c],
                 y->sigma[other]);
    return what[0] ? differ(a, b, what, err) : SN_OK;
}

static sn_status same_experiment(const sn_study *a, const sn_study *b, int k, sn_err *err)
{
    const sn_experiment *x = &a->experiment[k], *y = &b->experiment[k];
    char what[600] = "";
    int rows = 0;
    if (x->hold_out != y->hold_out)
        snprintf(what, sizeof what, "experiment '%s' is held out in one of them only", x->name);
    else if (x->n != y->n)
        snprintf(what, sizeof what, "experiment '%s' has %d rows in the first, '%s' %d in the second",
                 x->name, x->n, y->name, y->n);
    else if (x->weight != y->weight)
        snprintf(what, sizeof what, "the weights of experiment '%s' differ", x->name);
    else if (x->n_channel != y->n_channel)
        snprintf(what, sizeof what, "experiment '%s' has %d channels in the first, %d in the second", x->name,
                 x->n_channel, y->n_channel);
    for (int i = 0; !what[0] && i < x->n; i++) rows += x->t[i] != y->t[i];
    if (rows) snprintf(what, sizeof what, "%d of %d times of experiment '%s' differ", rows, x->n, x->name);
    if (what[0]) return differ(a, b, what, err);
    for (int c = 0; c < x->n_channel; c++) SN_TRY(same_channel(a, b, k, c, err));
    return SN_OK;
}

sn_status sn_compare_data(const sn_study *a, const sn_study *b, sn_err *err)
{
    char what[200] = "";
    if (a->method != SN_INDIRECT || b->method != SN_INDIRECT)
        return sn_fail(err, SN_ERR_INPUT, NULL, "%s: only studies of 'method: indirect' can be compared",
                       a->method != SN_INDIRECT ? a->file : b->file);
    if (!a->n_fit || !b->n_fit)
        return sn_fail(err, SN_ERR_INPUT, NULL, "%s: all experiments are held out, nothing is fitted",
                       a->n_fit ? b->file : a->file);
    if (a->n_experiment != b->n_experiment)
        snprintf(what, sizeof what, "%d experiments in the first, %d in the second", a->n_experiment,
                 b->n_experiment);
    else if (a->huber != b->huber)
        snprintf(what, sizeof what, "the loss function is another");
    if (what[0]) return differ(a, b, what, err);
    for (int k = 0; k < a->n_experiment; k++) SN_TRY(same_experiment(a, b, k, err));
    return SN_OK;
}

/* ---- nested ---- */

static int same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (!a || !b) return 0;
    if (!strcmp(a, b)) return 1;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int seeks(const sn_study *s, const sn_unknown *u)
{
    for (int k = 0; k < s->n_unknown; k++)
        if (!strcmp(s->unknown[k].name, u->name) && s->unknown[k].experiment == u->experiment) return 1;
    return 0;
}

static int moves(const sn_study *s, int id)
{
    for (int k = 0; k < s->n_unknown; k++)
        if (s->unknown[k].id == id) return 1;
    for (int k = 0; k < s->n_tie; k++)
        if (s->tie[k].id == id) return 1;
    return 0;
}

/* Channels have the same kind of noise. */
static int same_noise(const sn_study *a, const sn_study *b)
{
    for (int k = 0; k < a->n_experiment; k++)
        for (int c = 0; c < a->experiment[k].n_channel; c++) {
            const sn_channel_noise *x = a->experiment[k].noise, *y = b->experiment[k].noise;
            int other = sn_compare_channel(a, b, k, c);
            if (other < 0 || (x ? x[c].kind : 0) != (y ? y[other].kind : 0)) return 0;
        }
    return 1;
}

int sn_compare_nested(const sn_study *a, const sn_study *b)
{
    if (a->n_experiment != b->n_experiment || !same_noise(a, b)) return 0;
    if (a->n_unknown >= b->n_unknown || a->n_tie != b->n_tie || !same_file(a->model->file, b->model->file) ||
        a->model->n_quantity != b->model->n_quantity || strcmp(a->run.scheme, b->run.scheme) != 0)
        return 0;
    for (int k = 0; k < a->n_unknown; k++)
        if (!seeks(b, &a->unknown[k])) return 0;
    for (int k = 0; k < a->n_tie; k++)
        if (a->tie[k].id != b->tie[k].id || strcmp(a->tie[k].text, b->tie[k].text) != 0) return 0;
    for (int e = 0; e < a->n_experiment; e++)
        for (int id = 0; id < a->model->n_quantity; id++) {
            const sn_values *x = a->experiment[e].values, *y = b->experiment[e].values;
            if ((x->fixed[id] || y->fixed[id] || !a->model->quantity[id].expr) && !moves(b, id) &&
                !same(x->x[id], y->x[id]))
                return 0;
        }
    return 1;
}
