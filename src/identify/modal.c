/* Residuals of modes and frequency responses: see modal.h. The model is linearised at the values of the part
   (sensitivity/vibration.h), its modes are paired with those measured, and rows become residuals as samples
   of time series do. */
#include "identify/modal.h"

#include <math.h>
#include <string.h>

static const double turn = 6.283185307179586;

sn_column sn_modal_column_get(const sn_experiment *x, int c)
{
    sn_column out = {.unit = x->modal->column[c].unit};
    const char *name = x->modal->column[c].name;
    size_t n = strlen(name);
    memcpy(out.name, name, n < sizeof out.name ? n : sizeof out.name - 1);
    return out;
}

typedef struct task {
    const sn_study *s;
    const sn_experiment *x;
    sn_part *p;
    int derivatives, np;
    double *y, *by, *d; /* of a row: channels; by quantities, channels x np; by z, channels x p->n */
    sn_arena arena;
} task;

/* The row's numbers are there: to residuals. */
static void add_row(task *t, int row)
{
    sn_part *p = t->p;
    size_t n = (size_t)p->n, np = (size_t)t->np;
    memset(t->d, 0, sizeof *t->d * n * (size_t)t->x->n_channel);
    for (size_t c = 0; t->derivatives && c < (size_t)t->x->n_channel; c++)
        for (size_t k = 0; k < np; k++)
            for (size_t a = 0; a < n; a++) t->d[c * n + a] += t->by[c * np + k] * p->dx[k * n + a];
    sn_part_add(t->s, t->x, p, row, t->derivatives, t->y, t->d);
}

/* ---- modes ---- */

/* Frequency or damping ratio of s, and its change with ds. */
static double of_mode(int kind, double complex s, double complex ds, double *change)
{
    double size = cabs(s), growth = creal(conj(s) * ds) / size;
    *change = 0;
    if (kind == SN_COLUMN_FREQUENCY) return *change = cimag(ds) / turn, cimag(s) / turn;
    if (kind == SN_COLUMN_NATURAL) return *change = growth / turn, size / turn;
    return *change = -creal(ds) / size + creal(s) * growth / (size * size), -creal(s) / size;
}

static sn_status mode_row(task *t, const sn_vibration *v, const sn_oscillations *all, int row, sn_err *err)
{
    const sn_experiment *x = t->x;
    sn_mode_pair *pair = &t->p->pair[row];
    sn_mode_jet jet;
    SN_TRY(sn_vibration_jet(v, &t->arena, all, pair->mode - 1, t->derivatives, &jet, err));
    for (int c = 0; c < x->n_channel; c++) {
        int kind = x->modal->column[c].kind;
        double change;
        if (sn_is_shape(kind)) continue;
        t->y[c] = of_mode(kind, jet.s, 0, &change);
        for (int k = 0; k < t->np; k++) of_mode(kind, jet.s, jet.ds[k], &t->by[c * t->np + k]);
    }
    if (x->modal->shapes) SN_TRY(sn_modal_shape(x, row, &jet, t->np, t->y, t->by, err));
    double none;
    pair->frequency = of_mode(SN_COLUMN_FREQUENCY, jet.s, 0, &none);
    pair->damping = of_mode(SN_COLUMN_DAMPING, jet.s, 0, &none);
    pair->coincide = jet.k;
    add_row(t, row);
    return SN_OK;
}

static sn_status modes(task *t, const sn_vibration *v, sn_err *err)
{
    sn_oscillations all;
    SN_TRY(sn_vibration_modes(v, &t->arena, 0, &all, err));
    SN_TRY(sn_modal_pair(t->x, all.mode, all.n, t->p->pair, err));
    for (int row = 0; row < t->x->n; row++) SN_TRY(mode_row(t, v, &all, row, err));
    return SN_OK;
}

/* ---- frequency responses ---- */

static double part_of(int kind, double complex H, double complex dH, double *change)
{
    double size = cabs(H);
    if (kind == SN_COLUMN_RE) return *change = creal(dH), creal(H);
    if (kind == SN_COLUMN_IM) return *change = cimag(dH), cimag(H);
    *change = size > 0 ? creal(conj(H) * dH) / size : 0;
    return size;
}

static sn_status responses(task *t, const sn_vibration *v, sn_err *err)
{
    const sn_experiment *x = t->x;
    size_t ni = (size_t)v->n_input, size = (size_t)v->n_channel * ni;
    sn_response *r = NULL;
    double complex *H = sn_arena_alloc(&t->arena, size * (size_t)(t->np + 1) + 1, sizeof *H);
    if (!H) return SN_OUT_OF_MEM(err);
    SN_TRY(sn_response_new(v, &r, err));
    sn_status status = SN_OK;
    for (int row = 0; row < x->n && !status; row++) {
        status = sn_response_at(r, turn * x->t[row], H, t->derivatives ? H + size : NULL, err);
        for (int c = 0; c < x->n_channel && !status; c++) {
            const sn_modal_column *q = &x->modal->column[c];
            size_t at = (size_t)q->sensor * ni + (size_t)q->input;
            double none;
            t->y[c] = part_of(q->kind, H[at], 0, &none);
            for (int k = 0; t->derivatives && k < t->np; k++)
                part_of(q->kind, H[at], H[(size_t)(k + 1) * size + at], &t->by[c * t->np + k]);
        }
        if (!status) add_row(t, row);
    }
    sn_response_free(r);
    return status;
}

/* ---- both ---- */

static sn_status evaluate(task *t, sn_err *err)
{
    const sn_experiment *x = t->x;
    size_t channels = (size_t)x->n_channel + 1;
    sn_vibration *v;
    t->y = sn_arena_alloc(&t->arena, channels, sizeof *t->y);
    t->by = sn_arena_alloc(&t->arena, channels * (size_t)(t->np + 1), sizeof *t->by);
    t->d = sn_arena_alloc(&t->arena, channels * (size_t)(t->p->n + 1), sizeof *t->d);
    if (!t->y || !t->by || !t->d) return SN_OUT_OF_MEM(err);
    sn_vibration_request r = {.run = t->s->run,
                              .at_static = x->modal->at_static,
                              .at_steady = x->modal->at_steady,
                              .n_channel = x->modal->n_sensor,
                              .channel = x->modal->sensor,
                              .n_input = x->modal->n_input,
                              .input = x->modal->input,
                              .np = t->np,
                              .id = t->p->id};
    r.run.frame = NULL, r.run.progress = NULL, r.run.message = NULL, r.run.ctx = NULL;
    r.run.n_point = 0, r.run.n_wrt = 0, r.run.exact = 1;
    if (r.run.drop_redundant == SN_REDUNDANT_SHARE) r.run.drop_redundant = SN_REDUNDANT_DROP;
    SN_TRY(sn_vibration_new(t->s->model, t->p->values, &r, &v, err));
    sn_status status = x->sort == SN_MODES ? modes(t, v, err) : responses(t, v, err);
    sn_vibration_free(v);
    return status;
}

sn_status sn_modal_evaluate(const sn_study *s, const sn_experiment *x, sn_part *p, int derivatives,
                            sn_err *err)
{
    task t = {.s = s, .x = x, .p = p, .derivatives = derivatives, .np = derivatives ? p->nx : 0};
    sn_status status = evaluate(&t, err);
    sn_arena_free(&t.arena);
    for (int a = 0; a < p->n; a++)
        for (int b = a + 1; b < p->n; b++) p->A[a * p->n + b] = p->A[b * p->n + a];
    return status;
}

/* Each pair of output and input has one noise for both parts of its response. */
sn_status sn_modal_noise(const sn_fit *f, double *worst, sn_err *err)
{
    const sn_study *s = f->s;
    double share = f->count > f->n ? f->count / (f->count - f->n) : 1;
    (void)err;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        for (int c = 0; x->sort && !x->hold_out && c < x->n_channel; c++) {
            const sn_modal_column *q = x->modal->column;
            double sum = 0, n = 0;
            if (x->known[c] || (c && q[c - 1].sensor == q[c].sensor && q[c - 1].input == q[c].input))
                continue;
            int last = c;
            while (last + 1 < x->n_channel && q[last + 1].sensor == q[c].sensor &&
                   q[last + 1].input == q[c].input)
                last++;
            for (int i = 0; i < x->n; i++)
                for (int k = c; k <= last; k++) {
                    double r = f->part[e].r[i * x->n_channel + k] * x->sigma[k] / sqrt(x->weight);
                    if (!isnan(r)) sum += r * r, n++;
                }
            if (n == 0) continue;
            for (int k = c; k <= last; k++) {
                double to = fmax(sqrt(share * sum / n), 1e-13 * fmax(x->sigma[k], 1e-300));
                *worst = fmax(*worst, fmax(to / x->sigma[k], x->sigma[k] / to));
                x->sigma[k] = to;
            }
        }
    }
    return SN_OK;
}
