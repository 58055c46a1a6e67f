/* sn_filter: samples in, estimates out. See online.h. */
#include "identify/online.h"

#include <math.h>
#include <string.h>

/* ---- open and close ---- */

static sn_status allocate(sn_filter *f, sn_err *err)
{
    const sn_model *m = f->s->model;
    size_t channels = (size_t)f->s->experiment[0].n_channel + 1, n = (size_t)f->k->fixed,
           numbers = (size_t)sn_filter_count(f) + 1, unknowns = (size_t)f->k->part->n + 1;
    return SN_NEW(f->estimate, 4 * numbers) && SN_NEW(f->y, channels) && SN_NEW(f->shown, channels) &&
                   SN_NEW(f->expected, channels) && SN_NEW(f->by, channels * unknowns) &&
                   SN_NEW(f->move, m->nv + 1) && SN_NEW(f->numbers, f->s->n_unknown + 1) &&
                   SN_NEW(f->collapse, n * (n + 2)) && SN_NEW(f->dropped, m->m + 1)
               ? SN_OK
               : SN_OUT_OF_MEM(err);
}

/* Histories at their start values, unknowns at what is known of them beforehand. */
static sn_status start_values(sn_filter *f, sn_err *err)
{
    const sn_study *s = f->s;
    sn_values *v = f->fit->part[0].values;
    for (int u = 0; u < s->n_unknown; u++)
        f->z[u] = s->unknown[u].prior / (s->unknown[u].log ? 1 : s->unknown[u].scale);
    for (int i = 0; i < s->n_history; i++)
        for (int j = 0; j < s->history[i].n + 2; j++) {
            int id = s->history[i].id + j;
            if (j < s->history[i].n) v->x[id] = s->history[i].start;
            v->fixed[id] = 1;
        }
    return sn_fit_set(f->fit, 0, f->z, err);
}

/* Each unknown has a column of its own, of its deviation. */
static void start_unknowns(sn_filter *f)
{
    sn_kalman *k = f->k;
    const sn_part *p = k->part;
    for (int a = 0; a < p->n; a++) {
        const sn_unknown *u = &f->s->unknown[p->unknown[a]];
        double *row = k->own[SN_KALMAN_UNKNOWNS].row + (size_t)a * (size_t)(k->room + k->fixed);
        row[k->r++] = u->prior_sd / (u->log ? 1 : u->scale);
    }
}

static sn_status name_channels(sn_filter *f, sn_err *err)
{
    sn_study *s = f->s;
    f->name = sn_arena_alloc(&s->arena, (size_t)s->kalman.n_show + 1, sizeof *f->name);
    if (!f->name) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < s->kalman.n_show; i++) {
        sn_channel h = sn_channel_get(s->model, s->kalman.show[i]);
        f->name[i] = sn_arena_printf(&s->arena, "%s.%s", h.sensor, h.component);
        if (!f->name[i]) return SN_OUT_OF_MEM(err);
    }
    return SN_OK;
}

/* Numbers of the model beside a history: the prior of the force decides between both wherever a change of one
   does what the other could, and no sample tells whether the force is such a draw. */
static sn_status write_note(sn_filter *f, sn_err *err)
{
    const sn_part *p = f->k->part;
    const char *names = NULL;
    if (!f->s->n_history) return SN_OK;
    for (int a = 0; a < p->own; a++) {
        const char *name = f->s->unknown[p->unknown[a]].name;
        names = sn_arena_printf(&f->s->arena, "%s%s%s", names ? names : "", names ? ", " : "", name);
        if (!names) return SN_OUT_OF_MEM(err);
    }
    if (!names) return SN_OK;
    f->note = sn_arena_printf(
        &f->s->arena,
        "standard errors of %s hold where %s changes by chance, as its weight says: a force that "
        "repeats itself or goes with the motion may be taken for part of the model",
        names, f->s->history[0].name);
    return f->note ? SN_OK : SN_OUT_OF_MEM(err);
}

static sn_status begin(sn_filter *f, sn_err *err)
{
    sn_run_options o = f->s->run;
    o.begin = f->s->experiment[0].begin, o.end = o.begin + o.step, o.exact = SN_EXACT;
    o.frame = NULL, o.n_point = 0, o.n_wrt = 0, o.message = NULL, o.progress = NULL;
    if (o.drop_redundant == SN_REDUNDANT_SHARE) o.drop_redundant = SN_REDUNDANT_DROP;
    f->origin = o.begin;
    SN_TRY(sn_sim_open(f->s->model, f->k->part->values, &o, &f->sim, err));
    SN_TRY(sn_sim_prepare(f->sim, err));
    f->follow = sn_kalman_follow(f->k);
    f->sim->follow = &f->follow;
    SN_TRY(f->follow.start(f->follow.ctx, &f->sim->d, f->sim->cls, f->sim->integrator, err));
    sn_sim_restart(f->sim); /* as runs do that are made to be differentiated */
    f->known = f->k->fixed == 1;
    const sn_model *m = f->s->model;
    return m->m ? sn_linsol_new(o.solver, m->n, m->Ap, m->Ai, &f->ls, err) : SN_OK;
}

static sn_status open_all(const char *study, const sn_filter_options *o, sn_filter *f, sn_err *err)
{
    SN_TRY(sn_online_study(study, o, f, err));
    SN_TRY(sn_fit_new(f->s, 1, &f->fit, err));
    if (!SN_NEW(f->z, f->s->n_unknown + 1)) return SN_OUT_OF_MEM(err);
    SN_TRY(start_values(f, err));
    SN_TRY(sn_kalman_open_online(f->fit, f->z, &f->k, err));
    start_unknowns(f);
    SN_TRY(sn_online_past_new(f, err));
    SN_TRY(allocate(f, err));
    SN_TRY(name_channels(f, err));
    SN_TRY(write_note(f, err));
    return begin(f, err);
}

sn_status sn_filter_open(const char *study, const sn_filter_options *o, sn_filter **out, sn_err *err)
{
    sn_filter *f;
    *out = NULL;
    if (o->n_column < 1) return sn_fail(err, SN_ERR_INPUT, NULL, "rows without columns say nothing");
    if (!SN_NEW(f, 1)) return SN_OUT_OF_MEM(err);
    sn_status status = open_all(study, o, f, err);
    if (status)
        sn_filter_close(f);
    else
        *out = f;
    return status;
}

void sn_filter_close(sn_filter *f)
{
    if (!f) return;
    sn_sim_close(f->sim);
    sn_linsol_free(f->ls);
    sn_kalman_close(f->k);
    sn_fit_free(f->fit);
    sn_study_free(f->s);
    sn_free(f->z), sn_free(f->past.t), sn_free(f->past.about), sn_free(f->estimate), sn_free(f->y);
    sn_free(f->shown), sn_free(f->by), sn_free(f->move), sn_free(f->numbers), sn_free(f->collapse);
    sn_arena_free(&f->arena);
    sn_free(f->dropped), sn_free(f->expected), sn_free(f->saved), sn_free(f->meet);
    sn_free(f->gap), sn_free(f->gap_now);
    sn_free(f);
}

/* ---- names ---- */

int sn_filter_count(const sn_filter *f) { return f->s->n_history + f->s->n_unknown + f->s->kalman.n_show; }

/* What number i is: a history, an unknown (from n_history on), a channel behind these. */
const char *sn_filter_name(const sn_filter *f, int i)
{
    const sn_study *s = f->s;
    if (i < 0 || i >= sn_filter_count(f)) return NULL;
    if (i < s->n_history) return s->history[i].name;
    if (i < s->n_history + s->n_unknown) return s->unknown[i - s->n_history].name;
    return f->name[i - s->n_history - s->n_unknown];
}

const char *sn_filter_unit(const sn_filter *f, int i)
{
    const sn_study *s = f->s;
    if (i < 0 || i >= sn_filter_count(f)) return NULL;
    if (i < s->n_history) return s->history[i].unit;
    if (i < s->n_history + s->n_unknown) return s->unknown[i - s->n_history].unit;
    return sn_channel_get(s->model, s->kalman.show[i - s->n_history - s->n_unknown]).unit;
}

const char *sn_filter_note(const sn_filter *f) { return f->note; }

/* ---- samples ---- */

/* Equal steps of the run's size, or less where so many do not make up the way. */
static sn_status go_to(sn_filter *f, double t, sn_err *err)
{
    sn_sim *s = f->sim;
    const double from = s->d.x->t, way = t - from, step = s->o.step;
    if (!(way > 1e-6 * step)) return SN_OK;
    long steps = sn_sim_steps(way, step);
    double h = fabs((double)steps * step - way) <= 1e-6 * step ? step : way / (double)steps;
    s->d.w->failed = NULL;
    for (long i = 0; i < steps; i++) {
        double end = i + 1 == steps ? t : from + (double)(i + 1) * h;
        SN_TRY(sn_online_slide(f, end, err));
        SN_TRY(sn_sim_advance(s, h, err));
        s->next->t = end;
        s->taken = 0; /* no steps are made again, as those of other runs that are differentiated */
        SN_TRY(sn_sim_accept(s, i + 1 == steps, err));
        sn_sim_swap(s);
    }
    return SN_OK;
}

/* The row's time and numbers, if they can be used. */
static sn_status read_row(sn_filter *f, const double *row, double *t, sn_err *err)
{
    const sn_experiment *x = &f->s->experiment[0];
    const sn_stream *q = &f->stream;
    const double step = f->sim->o.step;
    *t = q->zero + q->factor * row[q->time];
    if (!isfinite(*t))
        return sn_fail(err, SN_ERR_INPUT, NULL, "'%s', the time, is no number", q->name[q->time]);
    if (f->begun && *t < f->last)
        return sn_fail(err, SN_ERR_INPUT, NULL, "the time goes back: %.9g s after %.9g s", *t, f->last);
    /* a pause of the sensors is gone through step by step; a clock that jumps is not */
    double ahead = *t - (f->begun ? f->last : f->sim->d.x->t), most = fmax(1000 * step, 100 * f->apart);
    if (ahead > most)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the time jumps by %.9g s, to %.9g s: more than %.3g s are not bridged", ahead, *t,
                       most);
    for (int c = 0; c < x->n_channel; c++)
        if (isinf(row[q->index[c]]))
            return sn_fail(err, SN_ERR_INPUT, NULL, "'%s' is infinite", q->name[q->index[c]]);
    for (int c = 0; c < x->n_channel; c++) f->y[c] = row[q->index[c]] * q->unit[c];
    return SN_OK;
}

/* Of all numbers, where the run is; columns of the sensors are there where channels are shown. */
static void tell_now(const sn_filter *f, double *value, double *error)
{
    const sn_kalman *k = f->k;
    const sn_study *s = f->s;
    size_t width = (size_t)(k->room + k->fixed);
    int at = s->n_history;
    for (int i = 0; i < k->n_track; i++)
        sn_online_row(f, k->track[i].along, sn_online_history(f, i), 0, &value[i], &error[i]);
    for (int a = 0; a < k->part->n; a++) {
        const sn_unknown *u = &s->unknown[k->part->unknown[a]];
        int i = at + k->part->unknown[a];
        sn_online_row(f, k->own[SN_KALMAN_UNKNOWNS].row + (size_t)a * width, 0, 0, &value[i], &error[i]);
        value[i] = sn_fit_value(s, k->part->unknown[a], f->z[k->part->unknown[a]]);
        error[i] *= u->log ? value[i] : u->scale;
    }
    at += s->n_unknown;
    for (int i = 0; i < s->kalman.n_show; i++) {
        int c = s->kalman.show[i];
        sn_online_row(f, k->forward.dy + (size_t)c * (size_t)k->np, k->forward.y[c], 0, &value[at + i],
                      &error[at + i]);
    }
}

/* Entry i of the past in the order of all numbers: unknowns are what they are now. */
static void tell_past(const sn_filter *f, int i, const double *now, double *value, double *error)
{
    const sn_study *s = f->s;
    int n = sn_filter_count(f), shown = s->n_history + s->n_unknown, rows = f->past.rows;
    sn_online_past_get(f, i, value, error);
    for (int j = rows - 1; j >= s->n_history; j--)
        value[shown + j - s->n_history] = value[j], error[shown + j - s->n_history] = error[j];
    for (int j = s->n_history; j < shown; j++) value[j] = now[j], error[j] = now[n + j];
}

sn_status sn_filter_take(sn_filter *f, const double *row, sn_filter_estimate *out, sn_err *err)
{
    int n = sn_filter_count(f), past = -1;
    double t, *value = f->estimate;
    SN_TRY(read_row(f, row, &t, err));
    double at = t + f->k->shown->shift[0];
    int early = at < f->sim->o.begin - 1e-6 * f->sim->o.step; /* before the run begins nothing counts */
    f->count = 0;
    if (!early) {
        if (f->begun) f->apart = fmax(f->apart, t - f->last);
        f->begun = 1, f->last = t;
        SN_TRY(go_to(f, at, err));
        SN_TRY(sn_online_sample(f, err));
        if (f->s->kalman.n_show) SN_TRY(sn_online_sensors(f, 1, err));
        sn_kalman_along(f->k, f->sim->d.x->t);
        sn_online_past_add(f, t);
        past = sn_online_past_find(f, t - f->s->kalman.lag + 1e-6 * f->sim->o.step);
    }
    for (int i = 0; i < 4 * n; i++) value[i] = NAN;
    if (!early) tell_now(f, value, value + n);
    if (past >= 0) tell_past(f, past, value, value + 2 * n, value + 3 * n);
    *out = (sn_filter_estimate){.t = t,
                                .value = value,
                                .std_error = value + n,
                                .innovation = f->count > 0 ? sqrt(f->squares / f->count) : NAN,
                                .past_t = past >= 0 ? f->past.t[(f->past.first + past) % f->past.room] : NAN,
                                .past = value + 2 * n,
                                .past_error = value + 3 * n};
    return SN_OK;
}

double sn_filter_lag(const sn_filter *f) { return f->s->kalman.lag; }

int sn_filter_past_count(const sn_filter *f) { return f->past.n; }

sn_status sn_filter_past(sn_filter *f, int i, sn_filter_estimate *out, sn_err *err)
{
    int n = sn_filter_count(f);
    double *value = f->estimate;
    if (i < 0 || i >= f->past.n)
        return sn_fail(err, SN_ERR_INPUT, NULL, "there is no earlier sample %d: %d are kept", i, f->past.n);
    tell_past(f, i, value, value + 2 * n, value + 3 * n);
    *out = (sn_filter_estimate){.t = f->last,
                                .value = value,
                                .std_error = value + n,
                                .innovation = NAN,
                                .past_t = f->past.t[(f->past.first + i) % f->past.room],
                                .past = value + 2 * n,
                                .past_error = value + 3 * n};
    return SN_OK;
}
