/* Branches of eigenvalues over a parameter. A step is good where each branch finds its root again: near
   where its derivative says, with nearly its vector; otherwise the step is halved. Branches that cross keep
   their vectors, those that veer exchange them, in steps small enough to see it. A pair that becomes two
   real roots, or the reverse, ends: the roots begin new branches. */
#include "sensitivity/sweep.h"
#include "base/size.h"
#include "sensitivity/gradient.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef I

/* The smallest step, of that between the values asked for. */
#define SMALLEST (1.0 / 256)
/* Roots so near to each other, of their size, are one. */
#define COINCIDE 1e-7

void sn_sweep_options_fill(const sn_model *m, const sn_values *p, size_t size, sn_sweep_options *out)
{
    memset(out, 0, size);
    out->size = size;
    if (size != sizeof *out) return; /* refused where they are used */
    *out = (sn_sweep_options){.size = size, .points = 50, .run = sn_run_options_default(m, p)};
}

/* ---- branches ---- */

static sn_status add_value(sn_tracer *t, const sn_locus *r, int branch, int root, sn_err *err)
{
    sn_sweep_branch *b = &t->out->branch[branch];
    double *const old[5] = {b->parameter, b->re, b->im, b->dre, b->dim};
    double *to[5] = {old[0], old[1], old[2], old[3], old[4]};
    if (b->n == t->room[branch]) {
        int room = 2 * b->n + 16;
        for (int k = 0; k < 5; k++) {
            int had = t->room[branch];
            if (sn_grow(&to[k], &had, room, sizeof(double))) return SN_OUT_OF_MEM(err);
            b->parameter = to[0], b->re = to[1], b->im = to[2], b->dre = to[3], b->dim = to[4];
            room = had;
        }
        t->room[branch] = room;
    }
    const double complex s = r->all.mode[root].s, ds = r->ds[root];
    const int derivative = r->known[root] == 1;
    b->parameter[b->n] = r->at, b->re[b->n] = creal(s), b->im[b->n] = cimag(s);
    b->dre[b->n] = derivative ? creal(ds) : NAN, b->dim[b->n] = derivative ? cimag(ds) : NAN;
    b->n++;
    return SN_OK;
}

static void name_mode(const sn_locus *r, int root, char *out, size_t size)
{
    const sn_vibration *v = r->v;
    char name[160];
    int most = 0;
    for (int i = 0; i < v->nv; i++)
        if (cabs(r->z[root][i]) / v->d.w->scale[i] > cabs(r->z[root][most]) / v->d.w->scale[most]) most = i;
    snprintf(out, size, "%s", v->nv ? sn_coord_name(v->m, most, name, sizeof name) : "");
}

static sn_status begin_branch(sn_tracer *t, sn_locus *r, int root, sn_err *err)
{
    sn_sweep *out = t->out;
    int rooms = t->branch_room;
    SN_TRY(sn_locus_know(r, root, err));
    if (sn_grow(&out->branch, &t->branch_room, out->n_branch + 1, sizeof *out->branch) ||
        sn_grow(&t->room, &rooms, out->n_branch + 1, sizeof *t->room) ||
        sn_grow(&t->live, &t->live_room, t->n_live + 1, sizeof *t->live))
        return SN_OUT_OF_MEM(err);
    int k = out->n_branch++;
    name_mode(r, root, out->branch[k].mode, sizeof out->branch[k].mode);
    t->live[t->n_live++] = (sn_live){.branch = k, .root = root, .next = -1};
    return add_value(t, r, k, root, err);
}

/* The sign of the growth is remembered where it is more than rounding. */
static void remember(sn_live *l, const sn_locus *r)
{
    const double complex s = r->all.mode[l->root].s;
    if (fabs(creal(s)) <= sn_locus_noise(r, s)) return;
    l->sign = creal(s) > 0 ? 1 : -1, l->since = r->at, l->s = s, l->ds = r->ds[l->root];
}

/* ---- matching ---- */

typedef struct match {
    double cost;
    int live, root;
} match;

static double complex predicted(const sn_tracer *t, const sn_live *l)
{
    const sn_locus *a = t->a;
    return a->all.mode[l->root].s + (t->b->at - a->at) * a->ds[l->root];
}

static int is_real(double complex s) { return cimag(s) == 0; }

static int by_cost(const void *x, const void *y)
{
    const match *a = x, *b = y;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    return a->live != b->live ? a->live - b->live : a->root - b->root;
}

/* All branches to all roots, the best first. */
static int list_matches(const sn_tracer *t, match *to)
{
    int n = 0;
    for (int k = 0; k < t->n_live; k++) {
        const sn_live *l = &t->live[k];
        const double complex s = t->a->all.mode[l->root].s, there = predicted(t, l);
        for (int j = 0; j < t->b->all.n; j++) {
            const double complex r = t->b->all.mode[j].s;
            double off = cabs(r - there) / (cabs(s) + t->b->slow);
            if (is_real(r) != is_real(s) || off > 1) continue;
            double unlike = 1 - sn_locus_alike(t->a, l->root, t->b, j);
            to[n++] = (match){off + 0.1 * unlike, k, j};
        }
    }
    qsort(to, (size_t)n, sizeof *to, by_cost);
    return n;
}

static double apart(const sn_locus *r, int j)
{
    double d = INFINITY;
    for (int i = 0; i < r->all.n; i++)
        if (cabs(r->all.mode[i].s - r->all.mode[j].s) > COINCIDE * cabs(r->all.mode[j].s))
            d = fmin(d, cabs(r->all.mode[i].s - r->all.mode[j].s));
    return d;
}

/* How alike the branch's vector is to that of its next root; of roots that coincide to their space. */
static double alike(const sn_tracer *t, const sn_live *l)
{
    const sn_oscillation *m = t->b->all.mode;
    double sum = 0;
    for (int j = 0; j < t->b->all.n; j++)
        if (cabs(m[j].s - m[l->next].s) <= COINCIDE * cabs(m[j].s))
            sum += sn_locus_alike(t->a, l->root, t->b, j);
    return fmin(sum, 1);
}

/* Whether the branch has surely found its root. */
static int is_sure(const sn_tracer *t, const sn_live *l)
{
    if (l->next < 0) return 0;
    const double complex s = t->b->all.mode[l->next].s;
    double off = cabs(s - predicted(t, l)), like = alike(t, l);
    if (off > 0.2 * (cabs(s) + t->b->slow)) return 0;
    return like > 0.9 || (like > 0.5 && off < 0.1 * apart(t->b, l->next));
}

/* Branches that seem to cross in this step really do where their vectors hardly change: otherwise the step is
   too long to see them veer. */
static int crossings_are_sure(const sn_tracer *t)
{
    for (int k = 0; k < t->n_live; k++)
        for (int i = 0; i < k; i++) {
            const sn_live *l = &t->live[k], *m = &t->live[i];
            const sn_oscillation *a = t->a->all.mode, *b = t->b->all.mode;
            const double complex before = a[l->root].s - a[m->root].s, after = b[l->next].s - b[m->next].s;
            int coincide = cabs(before) <= COINCIDE * cabs(a[l->root].s);
            if (coincide || creal(conj(before) * after) >= 0) continue;
            if (fmin(alike(t, l), alike(t, m)) < 1 - 1e-4) return 0;
        }
    return 1;
}

/* taken: roots of b that belong to a branch. *sure: all branches. */
static sn_status find_again(sn_tracer *t, unsigned char *taken, int *sure, sn_err *err)
{
    match *all = sn_alloc((size_t)t->n_live * (size_t)t->b->all.n + 1, sizeof *all);
    if (!all) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < t->n_live; k++) t->live[k].next = -1;
    for (int i = 0, n = list_matches(t, all); i < n; i++) {
        sn_live *l = &t->live[all[i].live];
        if (l->next >= 0 || taken[all[i].root]) continue;
        l->next = all[i].root, taken[all[i].root] = 1;
    }
    sn_free(all);
    *sure = 1;
    for (int k = 0; k < t->n_live; k++) *sure &= is_sure(t, &t->live[k]);
    *sure = *sure && crossings_are_sure(t);
    return SN_OK;
}

/* ---- steps ---- */

static int wanted(const sn_tracer *t, const sn_locus *r, int root)
{
    return !t->o.modes || (root < t->o.modes && cabs(r->all.mode[root].s) <= t->limit);
}

/* b becomes the last value. */
static sn_status accept(sn_tracer *t, const unsigned char *taken, sn_err *err)
{
    int kept = 0;
    double limit = 0;
    for (int k = 0; k < t->n_live; k++)
        if (t->live[k].next >= 0) {
            SN_TRY(sn_locus_know(t->b, t->live[k].next, err));
            limit = fmax(limit, cabs(t->b->all.mode[t->live[k].next].s));
        }
    t->limit = limit;
    for (int j = 0; j < t->b->all.n; j++)
        if (!taken[j] && wanted(t, t->b, j)) SN_TRY(sn_locus_know(t->b, j, err));
    SN_TRY(sn_sweep_points(t, taken, err));
    for (int k = 0; k < t->n_live; k++) {
        sn_live l = t->live[k];
        if (l.next < 0) continue;
        l.root = l.next, l.next = -1;
        SN_TRY(add_value(t, t->b, l.branch, l.root, err));
        remember(&l, t->b);
        t->live[kept++] = l;
    }
    t->n_live = kept;
    for (int j = 0; j < t->b->all.n; j++)
        if (!taken[j] && wanted(t, t->b, j)) {
            SN_TRY(begin_branch(t, t->b, j, err));
            remember(&t->live[t->n_live - 1], t->b);
        }
    sn_locus_free(t->a);
    t->a = t->b, t->b = NULL;
    return SN_OK;
}

/* One step, or the attempt of one. *made: whether it was. */
static sn_status step(sn_tracer *t, double to, int last_chance, int *made, sn_err *err)
{
    unsigned char *taken = NULL;
    SN_TRY(sn_locus_new(t, to, 1, &t->b, err));
    sn_status status = SN_NEW(taken, t->b->all.n + 1) ? find_again(t, taken, made, err) : SN_OUT_OF_MEM(err);
    *made |= last_chance;
    if (!status && *made) status = accept(t, taken, err);
    sn_free(taken);
    sn_locus_free(t->b);
    t->b = NULL;
    return status;
}

static sn_status advance(sn_tracer *t, double goal, double *h, sn_err *err)
{
    const double whole = (t->o.to - t->o.from) / (t->o.points - 1);
    while (t->a->at != goal) {
        int made = 0;
        double left = goal - t->a->at, to = fabs(left) <= 1.001 * fabs(*h) ? goal : t->a->at + *h;
        SN_TRY(step(t, to, fabs(*h) <= SMALLEST * fabs(whole), &made, err));
        if (made)
            *h = fabs(2 * *h) > fabs(whole) ? whole : 2 * *h;
        else
            *h = (fabs(left) < fabs(*h) ? left : *h) / 2;
        double done = (t->a->at - t->o.from) / (t->o.to - t->o.from);
        if (t->o.run.progress && t->o.run.progress(t->o.run.ctx, done, t->a->at))
            return sn_fail(err, SN_ERR_INTERRUPTED, NULL, "interrupted at %s = %.6g", t->o.parameter,
                           t->a->at);
    }
    return SN_OK;
}

static sn_status trace(sn_tracer *t, sn_err *err)
{
    const double whole = (t->o.to - t->o.from) / (t->o.points - 1);
    double h = whole;
    SN_TRY(sn_locus_new(t, t->o.from, 1, &t->a, err));
    t->limit = INFINITY;
    snprintf(t->out->axes, sizeof t->out->axes, "%s", t->a->v->with);
    for (int j = 0; j < t->a->all.n; j++)
        if (wanted(t, t->a, j)) {
            SN_TRY(begin_branch(t, t->a, j, err));
            remember(&t->live[t->n_live - 1], t->a);
        }
    for (int i = 1; i < t->o.points; i++)
        SN_TRY(advance(t, i + 1 < t->o.points ? t->o.from + i * whole : t->o.to, &h, err));
    return SN_OK;
}

/* ---- all ---- */

static int by_parameter(const void *x, const void *y)
{
    const sn_sweep_point *a = x, *b = y;
    return (a->parameter > b->parameter) - (a->parameter < b->parameter);
}

static sn_status check(const sn_sweep_options *o, sn_err *err)
{
    if (!o->parameter) return sn_fail(err, SN_ERR_INPUT, NULL, "a sweep needs the name of its parameter");
    if (o->points < 2) return sn_fail(err, SN_ERR_INPUT, NULL, "a sweep has two values at least");
    if (!isfinite(o->from) || !isfinite(o->to) || o->from == o->to)
        return sn_fail(err, SN_ERR_INPUT, NULL, "the sweep of '%s' goes from %g to %g", o->parameter, o->from,
                       o->to);
    return SN_OK;
}

sn_status sn_sweep_run(const sn_model *m, const sn_values *p, const sn_sweep_options *o, sn_sweep **out,
                       sn_err *err)
{
    *out = NULL;
    SN_TRY(SN_OPTIONS_CHECK(sn_sweep_options, o, err));
    SN_TRY(check(o, err));
    sn_tracer t = {.m = m, .values = p, .o = *o};
    const char *names[2] = {o->parameter, o->spin ? o->spin : o->parameter};
    SN_TRY(sn_gradient_names(m, p, 1, names, &t.id, err));
    t.spin = t.id;
    if (o->spin) SN_TRY(sn_gradient_names(m, p, 1, names + 1, &t.spin, err));
    if (!SN_NEW(t.out, 1)) return SN_OUT_OF_MEM(err);
    sn_status status = trace(&t, err);
    sn_locus_free(t.a), sn_locus_free(t.b);
    sn_free(t.live), sn_free(t.room), sn_free(t.gone);
    if (t.out->n_point) qsort(t.out->point, (size_t)t.out->n_point, sizeof *t.out->point, by_parameter);
    *out = t.out;
    return status;
}

void sn_sweep_free(sn_sweep *s)
{
    if (!s) return;
    for (int k = 0; k < s->n_branch; k++) {
        sn_sweep_branch *b = &s->branch[k];
        sn_free(b->parameter), sn_free(b->re), sn_free(b->im), sn_free(b->dre), sn_free(b->dim);
    }
    sn_free(s->branch), sn_free(s->point);
    sn_free(s);
}
