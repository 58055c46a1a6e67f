/* From columns to rows of q, v, a: see measured.h.

   derivatives: differences  q as sampled, v and a by differences over the neighbouring samples
                splines      q, v and a from a smoothing spline through all samples of the coordinate
   A coordinate whose q, v and a are all measured is taken as it is. */
#include "identify/measured.h"
#include "identify/kinematics.h"
#include "identify/sensed.h"
#include "identify/smooth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MISSING, HELD, SEEN, SOUGHT };

typedef struct task {
    const sn_study *s;
    const sn_model *m;
    const sn_values *p;
    sn_measured *out;
    unsigned char *state; /* nv */
    double *held;         /* nv */
    int *column;          /* 3 rows of nv, of the experiment at hand; -1: none */
    sn_smooth **spline;   /* nv, of the experiment at hand */
    double *y;
    const sn_experiment *x;
    double spacing; /* mean distance of its samples */
    double margin;  /* s: within it of the ends splines are worse than their noise says */
    double *noise;  /* 3 rows of nv */
    int cap;
} task;

void sn_measured_free(sn_measured *d)
{
    if (!d) return;
    sn_arena_free(&d->arena);
    *d = (sn_measured){.n = 0};
}

/* ---- which column is which coordinate ---- */

static int is_rotation(const sn_model *m, int c)
{
    const sn_node *n = &m->node[m->node_of[c]];
    return n->cls->dim == 2 && c - n->v == sn_node_place(n).R_v;
}

/* The coordinate that a channel measures, its position (0), velocity (1) or acceleration (2); or -1. */
static int coordinate_of(const sn_model *m, int channel, int *rate)
{
    sn_sensed c;
    if (!sn_sensed_of(m, channel, &c) || c.sensor->ns || c.from_reference) return -1;
    *rate = c.rate;
    return m->node[c.node].v + c.coordinate;
}

/* Coordinates that stay where they are. */
static void find_held(task *k)
{
    const sn_model *m = k->m;
    for (int i = 0; i < m->joint.n; i++) {
        const sn_object *o = &m->joint.object[i];
        const sn_joint_class *cls = o->cls;
        const sn_node *n = &m->node[o->node[0]];
        for (int c = 0; cls->holds && !n->ground && c < o->nv; c++) {
            int slot = cls->holds(o->opt, o->dim, c);
            if (slot < 0 || m->quantity[o->s + slot].varies) continue;
            k->state[o->vi[c]] = HELD, k->held[o->vi[c]] = k->p->x[o->s + slot];
        }
    }
}

static sn_status check_nodes(const sn_model *m, sn_err *err)
{
    for (int i = 0; i < m->n_node; i++)
        if (m->node[i].cls->retract && !m->node[i].ground)
            return sn_fail(err, SN_ERR_INPUT, &m->node[i].mark,
                           "'%s' turns in space: the direct methods of studies are for the plane and for "
                           "nodes without rotation",
                           m->node[i].name);
    return SN_OK;
}

static sn_status find_columns(task *k, int first, sn_err *err)
{
    const sn_experiment *x = k->x;
    const sn_model *m = k->m;
    int nv = m->nv;
    char name[200];
    for (int i = 0; i < 3 * nv; i++) k->column[i] = -1;
    for (int c = 0; c < x->n_channel; c++) {
        int rate, at = coordinate_of(m, x->channel[c], &rate);
        if (at >= 0 && k->column[rate * nv + at] < 0) {
            k->column[rate * nv + at] = c;
        } else if (first) {
            sn_channel h = sn_channel_get(m, x->channel[c]);
            const char *u = k->out->unused;
            k->out->unused = sn_arena_printf(&k->out->arena, "%s%s%s.%s", u ? u : "", u ? ", " : "", h.sensor,
                                             h.component);
            if (!k->out->unused) return SN_OUT_OF_MEM(err);
        }
    }
    for (int c = 0; c < nv; c++) {
        if (k->state[c] == HELD || k->state[c] == SOUGHT) continue;
        if (k->column[c] >= 0) {
            k->state[c] = SEEN;
        } else if (first && k->s->method == SN_ADAPTED_DIRECT && is_rotation(m, c)) {
            k->state[c] = SOUGHT;
            k->out->unknown[k->out->n_unknown++] = c;
        } else {
            return sn_fail(err, SN_ERR_INPUT, &x->mark,
                           "experiment '%s' does not measure '%s': method %s needs %s (a position or "
                           "rotation sensor without offset)",
                           x->name, sn_coord_name(m, c, name, sizeof name),
                           k->s->method == SN_DIRECT ? "direct" : "adapted_direct",
                           k->s->method == SN_DIRECT ? "every coordinate" : "every coordinate but rotations");
        }
    }
    return SN_OK;
}

/* ---- rates ---- */

static int derived(const task *k, int c)
{
    int first_order = k->m->order_of[c] == 1; /* no acceleration */
    return k->column[k->m->nv + c] < 0 || (!first_order && k->column[2 * k->m->nv + c] < 0);
}

static void free_splines(task *k)
{
    for (int c = 0; k->spline && c < k->m->nv; c++) sn_smooth_free(k->spline[c]), k->spline[c] = NULL;
}

static sn_status make_splines(task *k, sn_err *err)
{
    const sn_experiment *x = k->x;
    k->margin = 0;
    for (int c = 0; !k->s->differences && c < k->m->nv; c++) {
        sn_smooth_options o = sn_smooth_options_default();
        char name[200];
        int column = k->column[c], before = sn_err_count(err);
        if (k->state[c] != SEEN || !derived(k, c)) continue;
        if (k->s->given.progress && k->s->given.progress(k->s->given.ctx, 0, 0))
            return sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped on request");
        for (int i = 0; i < x->n; i++) k->y[i] = x->y[i * x->n_channel + column];
        if (x->known[column]) o.noise = x->sigma[column];
        sn_status status = sn_smooth_new(x->n, x->t, k->y, &o, &k->spline[c], err);
        if (status && status != SN_ERR_MEMORY) {
            sn_err_prefix(err, before, "samples of '%s'", sn_coord_name(k->m, c, name, sizeof name));
            sn_err_place(err, before, &x->mark);
        }
        SN_TRY(status);
        /* the width of the smoother, five times */
        const sn_smooth *f = k->spline[c];
        k->margin = fmax(k->margin, (3 + 5 * pow(f->penalty, 0.5 / f->order)) * f->unit);
    }
    k->margin = fmin(k->margin, 0.2 * (x->t[x->n - 1] - x->t[0]));
    return SN_OK;
}

/* Standard deviations: stated, or left by the splines. Several experiments: the largest. */
static void find_noise(task *k)
{
    int nv = k->m->nv;
    double h = k->spacing;
    for (int c = 0; c < nv; c++) {
        double d[3] = {0, 0, 0};
        if (k->state[c] != SEEN) continue;
        double sigma = k->x->known[k->column[c]] ? k->x->sigma[k->column[c]] : 0;
        d[0] = sigma, d[1] = sigma / (sqrt(2) * h), d[2] = sqrt(6) * sigma / (h * h);
        if (k->spline[c]) memcpy(d, k->spline[c]->deviation, sizeof d);
        for (int r = 1; r < 3; r++) {
            int column = k->column[r * nv + c];
            if (column >= 0) d[r] = k->x->known[column] ? k->x->sigma[column] : 0;
        }
        /* a derived from q: of a filter's output minus the variance of its rate, of differences -2 s^2/h^2 */
        double rate = k->spline[c] ? k->spline[c]->deviation[1] : sqrt(2) * sigma / h;
        if (k->column[2 * nv + c] < 0 && k->m->order_of[c] != 1)
            k->noise[3 * nv + c] = fmin(k->noise[3 * nv + c], -rate * rate);
        for (int r = 0; r < 3; r++) k->noise[r * nv + c] = fmax(k->noise[r * nv + c], d[r]);
    }
}

/* The sample at t, or -1. */
static int sample_at(const task *k, double t)
{
    const sn_experiment *x = k->x;
    int lo = 0, hi = x->n - 1;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (x->t[mid] < t - 1e-6 * k->spacing)
            lo = mid + 1;
        else
            hi = mid;
    }
    return fabs(x->t[lo] - t) <= 1e-6 * k->spacing ? lo : -1;
}

/* Differences over three samples, of second order where their distances are equal. */
static void differences(const sn_experiment *x, int i, int column, double z[3])
{
    const double *y = x->y + i * x->n_channel + column;
    z[1] = z[2] = NAN;
    if (i < 1 || i + 1 >= x->n) return;
    double h0 = x->t[i] - x->t[i - 1], h1 = x->t[i + 1] - x->t[i];
    double d0 = (y[0] - y[-x->n_channel]) / h0, d1 = (y[x->n_channel] - y[0]) / h1;
    z[1] = (d0 * h1 + d1 * h0) / (h0 + h1), z[2] = 2 * (d1 - d0) / (h0 + h1);
}

/* q, v, a of coordinate c at t, sample i (-1: between samples). NAN: not there. */
static void coordinate_at(const task *k, int c, double t, int i, double z[3])
{
    const sn_experiment *x = k->x;
    int nv = k->m->nv;
    z[0] = z[1] = z[2] = k->state[c] == SEEN ? NAN : 0;
    if (k->state[c] == HELD) z[0] = k->held[c];
    if (k->state[c] != SEEN) return;
    if (i >= 0) z[0] = x->y[i * x->n_channel + k->column[c]];
    if (k->spline[c])
        sn_smooth_at(k->spline[c], t, z);
    else if (i >= 0 && derived(k, c))
        differences(x, i, k->column[c], z);
    for (int r = 1; r < 3; r++)
        if (k->column[r * nv + c] >= 0) z[r] = i >= 0 ? x->y[i * x->n_channel + k->column[r * nv + c]] : NAN;
    if (k->m->order_of[c] == 1) z[2] = 0;
}

/* ---- instants ---- */

static sn_status make_room(task *k, sn_err *err)
{
    sn_measured *d = k->out;
    if (d->n < k->cap) return SN_OK;
    int more = k->cap ? 2 * k->cap : 64;
    double **const list[] = {&d->t, &d->q, &d->v, &d->a};
    const int width[] = {1, k->m->nq, k->m->nv, k->m->nv};
    for (int i = 0; i < 4; i++) {
        double *to = sn_arena_alloc(&d->arena, (size_t)more * (size_t)width[i] + 1, sizeof *to);
        if (!to) return SN_OUT_OF_MEM(err);
        if (d->n) memcpy(to, *list[i], sizeof *to * (size_t)d->n * (size_t)width[i]);
        *list[i] = to;
    }
    k->cap = more;
    return SN_OK;
}

/* One more row. *lacking: the coordinate that has no value at t, or -1; then no row is added. */
static sn_status add(task *k, double t, int *lacking, sn_err *err)
{
    const sn_model *m = k->m;
    sn_measured *d = k->out;
    int i = sample_at(k, t), used = 0;
    SN_TRY(make_room(k, err));
    size_t n = (size_t)d->n;
    double *q = d->q + n * (size_t)m->nq, *v = d->v + n * (size_t)m->nv, *a = d->a + n * (size_t)m->nv;
    memcpy(q, k->p->q0, sizeof(double) * (size_t)m->nq);
    *lacking = -1;
    for (int c = 0; c < m->nv; c++) {
        const sn_node *node = &m->node[m->node_of[c]];
        double z[3];
        coordinate_at(k, c, t, i, z);
        if (isnan(z[0] + z[1] + z[2])) {
            *lacking = c;
            return SN_OK;
        }
        q[node->q + c - node->v] = z[0], v[c] = z[1], a[c] = z[2];
        for (int r = 0; k->state[c] == SEEN && r < 3; r++) used += k->column[r * m->nv + c] >= 0;
    }
    for (int u = 0; u < d->n_unknown; u++) sn_guess_rotation(m, k->p, d->unknown[u], q);
    d->t[d->n++] = t, d->count += used;
    return SN_OK;
}

static sn_status cannot(const task *k, double t, int c, sn_err *err)
{
    char name[200];
    return sn_fail(err, SN_ERR_INPUT, &k->s->instants_mark,
                   "experiment '%s' has no position, velocity and acceleration of '%s' at t = %g%s",
                   k->x->name, sn_coord_name(k->m, c, name, sizeof name), t,
                   sample_at(k, t) < 0 ? ": no sample is there"
                   : k->s->differences ? ": differences need the samples before and after"
                                       : "");
}

/* The chosen instants that lie within the experiment, each with the next sample for a pair. */
static sn_status add_chosen(task *k, unsigned char *found, sn_err *err)
{
    const sn_experiment *x = k->x;
    int lacking;
    for (int j = 0; j < k->s->n_instant; j++) {
        double t = k->s->instant[j], slack = 1e-6 * k->spacing;
        if (t < x->t[0] - slack || t > x->t[x->n - 1] + slack) continue;
        SN_TRY(add(k, t, &lacking, err));
        if (lacking >= 0) return cannot(k, t, lacking, err);
        found[j] = 1;
        if (k->s->method != SN_ADAPTED_DIRECT) continue;
        int i = sample_at(k, t);
        double next = i >= 0 && i + 1 < x->n ? x->t[i + 1] : t + k->spacing;
        SN_TRY(add(k, next, &lacking, err));
        if (lacking >= 0) return cannot(k, next, lacking, err);
    }
    return SN_OK;
}

static sn_status add_all(task *k, sn_err *err)
{
    int lacking, last = -1, before = k->out->n;
    const sn_experiment *x = k->x;
    for (int i = 0; i < x->n; i++) {
        if (x->t[i] < x->t[0] + k->margin || x->t[i] > x->t[x->n - 1] - k->margin) continue;
        SN_TRY(add(k, x->t[i], &lacking, err));
        if (lacking >= 0) last = lacking;
    }
    return k->out->n > before || last < 0 ? SN_OK : cannot(k, x->t[0], last, err);
}

static sn_status of_experiment(task *k, int first, unsigned char *found, sn_err *err)
{
    const sn_experiment *x = k->x;
    k->spacing = x->n > 1 ? (x->t[x->n - 1] - x->t[0]) / (x->n - 1) : 1e-3;
    if (!(k->spacing > 0)) k->spacing = 1e-3;
    SN_TRY(find_columns(k, first, err));
    k->y = sn_arena_alloc(&k->out->arena, (size_t)x->n + 1, sizeof *k->y);
    if (!k->y) return SN_OUT_OF_MEM(err);
    sn_status status = make_splines(k, err);
    if (!status) find_noise(k);
    if (!status) status = k->s->n_instant ? add_chosen(k, found, err) : add_all(k, err);
    free_splines(k);
    return status;
}

static sn_status gather(task *k, sn_err *err)
{
    const sn_study *s = k->s;
    sn_arena *a = &k->out->arena;
    size_t nv = (size_t)k->m->nv + 1;
    unsigned char *found = sn_arena_alloc(a, (size_t)s->n_instant + 1, 1);
    k->state = sn_arena_alloc(a, nv, 1);
    k->held = sn_arena_alloc(a, nv, sizeof *k->held);
    k->column = sn_arena_alloc(a, 3 * nv, sizeof *k->column);
    k->spline = sn_arena_alloc(a, nv, sizeof(sn_smooth *));
    k->noise = sn_arena_alloc(a, 4 * nv, sizeof *k->noise);
    k->out->unknown = sn_arena_alloc(a, nv, sizeof(int));
    if (!found || !k->state || !k->held || !k->column || !k->spline || !k->noise || !k->out->unknown)
        return SN_OUT_OF_MEM(err);
    SN_TRY(check_nodes(k->m, err));
    find_held(k);
    for (int e = 0, first = 1; e < s->n_experiment; e++) {
        if (s->experiment[e].hold_out) continue;
        k->x = &s->experiment[e];
        SN_TRY(of_experiment(k, first, found, err));
        first = 0;
    }
    for (int j = 0; j < s->n_instant; j++)
        if (!found[j])
            return sn_fail(err, SN_ERR_INPUT, &s->instants_mark, "there are no data at the instant t = %g",
                           s->instant[j]);
    for (size_t i = 0; i < 3 * (nv - 1); i++)
        if (k->noise[i] > 0) k->out->noise = k->noise;
    return SN_OK;
}

sn_status sn_measured_motion(const sn_study *s, const sn_values *p, sn_measured *out, sn_err *err)
{
    task k = {.s = s, .m = s->model, .p = p, .out = out};
    *out = (sn_measured){.n = 0};
    sn_status status = gather(&k, err);
    if (status) sn_measured_free(out);
    return status;
}
