/* What an explicit scheme finds out about a model before it moves: whether the mass matrix is constant, what
   has no mass, how fast the fastest motions are. */
#include "integrator/explicit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static double number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* s->w->Ax: M (of first order C) of the elements at some state near the start; 0: it cannot be evaluated. */
static int look(sn_explicit *s, unsigned *seed, sn_state *x)
{
    sn_work *w = s->w;
    const sn_model *m = w->m;
    const sn_coef coef = {s->zero, s->cc, s->ca, s->zero, 1};
    const double far = 0.2;
    for (int i = 0; i < m->nv; i++) {
        s->d[i] = far * number(seed) / s->size[i] * (m->order_of[i] == 1 ? 1 : 0.1);
        if (m->node[m->node_of[i]].cls->retract) s->d[i] = far * number(seed);
        x->v[i] = number(seed) / s->size[i], x->a[i] = number(seed) / s->size[i];
    }
    s->d[m->nv] = 0;
    sn_system_retract(m, w->p->q0, s->d, x->q);
    memset(x->lam, 0, sizeof(double) * (size_t)m->m);
    if (!m->flat) sn_system_tangent_maps(w, s->zero);
    return sn_system_eval(w, x, &coef, NULL) == SN_OK;
}

sn_status sn_explicit_find_mass(sn_explicit *s, sn_err *err)
{
    sn_work *w = s->w;
    const sn_model *m = w->m;
    unsigned seed = 2718281;
    double most = 0, off = 0;
    SN_TRY(sn_explicit_time(s, s->o->begin, err));
    memcpy(s->stage->q, w->p->q0, sizeof(double) * (size_t)m->nq);
    int good = look(s, &seed, s->stage);
    /* of the elements alone: joints have other columns */
    for (int pass = 0; pass < 2 && good; pass++) {
        for (int j = 0; j < m->nv; j++)
            for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
                const double x = m->Ai[k] < m->nv ? w->Ax[k] : 0;
                if (pass == 0)
                    s->Mx[k] = x, most = fmax(most, fabs(x));
                else
                    off = fmax(off, fabs(x - s->Mx[k]));
            }
        if (pass == 0) good = look(s, &seed, s->stage);
    }
    w->failed = NULL;
    s->constant = good && most > 0 && isfinite(most) && off <= 1e-13 * most && !m->n_varying;
    return SN_OK;
}

/* Coordinates that have no mass (first order: no rate of their own) and that no equation holds. */
static sn_status massless(sn_explicit *s, const sn_state *x, sn_err *err)
{
    sn_work *w = s->w;
    const sn_model *m = w->m;
    const sn_coef coef = {s->zero, s->cc, s->ca, s->ca, 1};
    char name[160];
    if (!m->flat) sn_system_tangent_maps(w, s->zero);
    SN_TRY(sn_system_eval(w, x, &coef, err));
    for (int j = 0; j < m->nv; j++) {
        int found = 0;
        for (int k = m->Ap[j]; k < m->Ap[j + 1] && !found; k++) found = w->Ax[k] != 0;
        if (found) continue;
        return sn_fail(err, SN_ERR_INPUT, &m->node[m->node_of[j]].mark,
                       "%s has no %s, and no equation holds it: the scheme %s cannot step it",
                       sn_coord_name(m, j, name, sizeof name), m->order_of[j] == 1 ? "rate" : "mass",
                       s->scheme);
    }
    return SN_OK;
}

/* The largest eigenvalue, by its size, of S^-1 [A; 0] with A's numbers Ax, by power iteration. */
static double fastest(sn_explicit *s, const double *Ax)
{
    const sn_model *m = s->w->m;
    double *x = s->d, *y = s->b, growth = 0, last = 0;
    unsigned seed = 31415927;
    for (int i = 0; i < m->nv; i++) x[i] = number(&seed);
    for (int it = 0; it < 60; it++) {
        double size = 0;
        for (int i = 0; i < m->nv; i++) size = fmax(size, fabs(x[i]) * s->size[i]);
        if (!(size > 0) || !isfinite(size)) return 0;
        memset(y, 0, sizeof *y * (size_t)m->n);
        for (int j = 0; j < m->nv; j++)
            for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
                if (m->Ai[k] < m->nv) y[m->Ai[k]] += Ax[k] * x[j] / size;
        if (sn_linsol_solve(s->ls, 0, 1, y)) return 0;
        growth = 0;
        for (int i = 0; i < m->nv; i++) growth = fmax(growth, fabs(y[i]) * s->size[i]), x[i] = y[i];
        if (it > 10 && fabs(growth - last) < 1e-3 * growth) break;
        last = growth;
    }
    return isfinite(growth) ? growth : 0;
}

sn_status sn_explicit_find_frequency(sn_explicit *s, const sn_state *x, sn_err *err)
{
    sn_work *w = s->w;
    const sn_model *m = w->m;
    const sn_coef with_K = {s->one, s->zero, s->zero, s->zero, 1},
                  with_C = {s->zero, s->one, s->zero, s->zero, 1};
    double *Ax;
    s->omega = s->decay = 0;
    if (m->first_order) return SN_OK;
    if (!SN_NEW(Ax, 2 * (size_t)m->nnz + 2)) return SN_OUT_OF_MEM(err);
    if (!m->flat) sn_system_tangent_maps(w, s->zero);
    sn_status status = sn_system_eval(w, x, &with_K, err);
    memcpy(Ax, w->Ax, sizeof *Ax * (size_t)m->nnz);
    if (!status) status = sn_system_eval(w, x, &with_C, err);
    memcpy(Ax + m->nnz, w->Ax, sizeof *Ax * (size_t)m->nnz);
    sn_state_copy(m, x, s->stage);
    if (!status) status = sn_explicit_rates(s, s->stage, err);
    if (!status) s->omega = sqrt(fastest(s, Ax)), s->decay = fastest(s, Ax + m->nnz);
    sn_free(Ax);
    return status;
}

const char *sn_explicit_stable_step(const sn_explicit *s, double limit, char *text, size_t size)
{
    const double fast = fmax(s->omega, s->decay);
    text[0] = 0;
    if (fast > 0)
        snprintf(text, size, "the fastest %s, %.3g 1/s at the start, needs steps below about %.3g s",
                 s->omega >= s->decay ? "vibration" : "decay", fast, limit / fast);
    return text;
}

sn_status sn_explicit_begin(sn_explicit *s, const sn_state *x, double limit, sn_err *err)
{
    const int before = sn_err_count(err);
    char text[200], all[400];
    SN_TRY(massless(s, x, err));
    s->factored = 0;
    sn_status status = sn_explicit_find_frequency(s, x, err);
    if (status == SN_ERR_NUMERIC && !s->w->failed) {
        /* accelerations are not determined: no step will do better */
        if (err && before < sn_err_count(err) && before < SN_ERR_MAX)
            err->report[before].status = SN_ERR_INPUT;
        return SN_ERR_INPUT;
    }
    SN_TRY(status);
    const double fast = fmax(s->omega, s->decay);
    if (s->o->message && !(s->o->error > 0) && fast * s->o->step > limit) {
        snprintf(all, sizeof all, "the scheme %s may be unstable with a step of %.3g s: %s", s->scheme,
                 s->o->step, sn_explicit_stable_step(s, limit, text, sizeof text));
        s->o->message(s->o->ctx, all);
    }
    return SN_OK;
}
