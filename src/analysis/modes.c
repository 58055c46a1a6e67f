/* Natural frequencies and modes of the linearised, undamped, constrained system at a state at rest:

       K x + B' mu = w2 M x,    B x = 0

   Small models, or most of the modes: LAPACK. The lowest of others: ARPACK. Both times the lowest modes are
   refined, and every w2 gets a bound of its error: what is not more than that is a motion without resistance.
 */
#include "analysis/modes.h"
#include "base/size.h"

#include <math.h>
#include <string.h>

void sn_mode_options_fill(const sn_model *m, const sn_values *p, size_t size, sn_mode_options *out)
{
    memset(out, 0, size);
    out->size = size;
    if (size != sizeof *out) return; /* refused where they are used */
    *out = (sn_mode_options){
        .size = size, .n = 10, .at_time = -1, .run = sn_run_options_default(m, p), .method = "auto"};
}

enum {
    SMALL = 100,       /* coordinates up to which all modes are found as fast as some */
    DENSE_MOST = 2000, /* up to which LAPACK is tried without being asked for */
    GUARD = 4 /* modes beyond those asked for: the error of the last ones depends on their distance from the
                 next */
};

/* How many degrees of freedom there are at least. */
static int freedom(const sn_context *d)
{
    int n = d->m->nv - d->m->m + d->w->n_dropped;
    return n > 0 ? n : 0;
}

static int dense_is_better(const sn_context *d, const sn_mode_options *o)
{
    if (!strcmp(o->method, "dense")) return 1;
    /* Lanczos needs some room beyond the modes that are wanted */
    if (o->n <= 0 || o->n + 2 > freedom(d)) return 1;
    if (!strcmp(o->method, "arpack") || d->m->nv > DENSE_MOST) return 0;
    return d->m->nv <= SMALL || 5 * o->n > d->m->nv;
}

/* All modes; those that are asked for refined. */
static sn_status small_model(sn_pencil *p, const sn_mode_options *o, sn_spectrum *s, sn_err *err)
{
    const int nv = p->d->m->nv;
    SN_TRY(sn_modes_dense(p, s->unsymmetric, s, err));
    sn_spectrum_sort(s, nv);
    int n = o->n > 0 && o->n < s->n ? o->n : s->n, more = n + GUARD < s->n ? n + GUARD : s->n,
        symmetric = !s->unsymmetric;
    if (symmetric) SN_TRY(sn_modes_refine(p, s, more, err));
    if (symmetric && s->unsymmetric)
        SN_TRY(sn_modes_dense(p, 1, s, err)); /* unsymmetric beside much stiffer things */
    sn_spectrum_sort(s, nv);
    if (s->n > n) s->n = n;
    return SN_OK;
}

/* Whether the first n modes are known well enough to say that they are modes at all. */
static int known(const sn_spectrum *s, int n)
{
    double low = INFINITY;
    for (int k = 0; k < s->n; k++)
        if (fabs(s->w2[k]) > 2 * s->error[k]) low = fmin(low, fabs(s->w2[k]));
    for (int k = 0; k < n && k < s->n; k++)
        if (s->error[k] > 1e-3 * fmax(low, fabs(s->w2[k]))) return 0;
    return s->n >= n && isfinite(low);
}

/* *missed: there are unstable modes further from zero than those that were found. Of models that are too
   large for a dense matrix that is not known. */
static sn_status look_below(sn_pencil *p, const sn_spectrum *s, int *missed, sn_err *err)
{
    int below, found = 0;
    *missed = 0;
    if (p->d->m->n > DENSE_MOST) return SN_OK;
    SN_TRY(sn_modes_below(p, &below, err));
    for (int k = 0; k < s->n; k++) found += s->w2[k] < p->shift;
    *missed = below > found;
    return SN_OK;
}

static sn_status large_model(sn_pencil *p, const sn_mode_options *o, sn_spectrum *s, int *missed, sn_err *err)
{
    int most = freedom(p->d), converged, ask = o->n + GUARD < most - 1 ? o->n + GUARD : most - 1;
    s->n = o->n + 8 < most ? o->n + 8 : most;
    if (s->n > SN_MODES_CHUNK) s->n = SN_MODES_CHUNK;
    SN_TRY(sn_modes_find_shift(p, s, err));
    if (s->unsymmetric) return SN_OK;
    /* where the factors are nearly all rounding Lanczos does not converge, but refinement may */
    SN_TRY(sn_modes_lanczos(p, ask, most, s, &converged, err));
    sn_spectrum_sort(s, p->d->m->nv);
    SN_TRY(sn_modes_refine(p, s, s->n, err));
    sn_spectrum_sort(s, p->d->m->nv);
    if (s->unsymmetric) return SN_OK;
    if (!converged && !known(s, o->n))
        return sn_fail(
            err, SN_ERR_NUMERIC, NULL,
            "modes: the lowest modes cannot be found: the rounding of much stiffer things hides them (a "
            "coarser mesh may help), or they are too many");
    if (s->n > o->n) s->n = o->n;
    return look_below(p, s, missed, err);
}

static sn_status room_for(const sn_model *m, int n, sn_spectrum *s, sn_err *err)
{
    sn_free(s->w2), sn_free(s->error), sn_free(s->shape);
    *s = (sn_spectrum){.n = 0};
    return SN_NEW(s->w2, m->nv + 1) && SN_NEW(s->error, m->nv + 1) &&
                   SN_NEW(s->shape, (size_t)m->nv * (size_t)n + 1)
               ? SN_OK
               : SN_OUT_OF_MEM(err);
}

/* LAPACK where ARPACK will not do: unsymmetric stiffness, unstable modes it does not see, a singular matrix
   (unless ARPACK was asked for). */
static sn_status solve(sn_pencil *p, const sn_mode_options *o, sn_spectrum *s, sn_err *err)
{
    const sn_model *m = p->d->m;
    if (!dense_is_better(p->d, o)) {
        int missed = 0;
        sn_err own;
        sn_err_clear(&own);
        SN_TRY(room_for(m, o->n + 8, s, err));
        sn_status status = large_model(p, o, s, &missed, &own);
        if (!status && !s->unsymmetric && !missed) return SN_OK;
        int hopeless = status && (status != SN_ERR_NUMERIC || !strcmp(o->method, "arpack"));
        if (hopeless || (status && m->nv > DENSE_MOST)) {
            sn_err_join(err, &own);
            return status;
        }
        if (m->nv > DENSE_MOST)
            return sn_fail(
                err, SN_ERR_INPUT, NULL,
                "modes: loads that move with the model make its stiffness unsymmetric; only method "
                "dense can do that, and with %d coordinates it takes long",
                m->nv);
    }
    int unsymmetric = s->unsymmetric;
    SN_TRY(room_for(m, m->nv, s, err));
    s->unsymmetric = unsymmetric;
    return small_model(p, o, s, err);
}

/* omega of w2, negative for an unstable mode, and a bound of its error: 0 where w2 is not more than its own.
 */
static double circular(double w2, double error, double *bound)
{
    double size = fabs(w2), omega = sqrt(size);
    if (size <= error) {
        *bound = sqrt(size + error);
        return 0;
    }
    *bound = omega - sqrt(size - error);
    return w2 < 0 ? -omega : omega;
}

/* Each shape scaled to a largest entry of 1; to the callback. */
static sn_status deliver(sn_context *d, const sn_spectrum *s, const sn_mode_options *o, int *count,
                         sn_err *err)
{
    size_t nv = (size_t)d->m->nv;
    int unsure = 0, which = 0;
    SN_TRY(sn_system_sensors(d->w, d->x, d->y, err));
    const sn_frame f = {d->x->t, d->x->q, d->x->v, d->x->a, d->x->lam, d->y, NULL};
    for (int k = 0; k < s->n; k++) {
        double *y = s->shape + (size_t)k * nv, top = 0, bound;
        for (size_t i = 0; i < nv; i++)
            if (fabs(y[i]) > fabs(top)) top = y[i];
        for (size_t i = 0; top != 0 && i < nv; i++) y[i] /= top;
        double omega = circular(s->w2[k], s->error[k], &bound);
        if (o->error) o->error[k] = bound;
        if (omega != 0 && bound > SN_MODES_UNSURE * fabs(omega) && !unsure++) which = k;
        if (o->mode) SN_TRY(o->mode(o->ctx, k, omega, y, &f, err));
        ++*count;
    }
    if (unsure)
        sn_context_message(
            d,
            "modes: %d frequencies are known to less than 6 digits, for example number %d: rounding "
            "of numbers as large as the stiffest ones hides the softest",
            unsure, which + 1);
    return SN_OK;
}

static sn_status suitable(const sn_model *m, sn_err *err)
{
    char name[160];
    if (m->first_order)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "modes: models with first-order states have no undamped natural frequencies");
    for (int i = 0; i < m->m; i++)
        if (m->velocity[i])
            return sn_fail(
                err, SN_ERR_INPUT, NULL,
                "modes: the equation %s is one between velocities (rolling): the model has no natural "
                "frequencies of the form computed here",
                sn_equation_name(m, i, name, sizeof name));
    return SN_OK;
}

/* The fastest motion of an object: rotations, and shifts that it resists (lengths over the model's). A model
   that is only shifted as a whole, and not along anything, is at rest for its vibrations. */
static double rate_of(const sn_pencil *p, int *at)
{
    const sn_context *d = p->d;
    const sn_model *m = d->m;
    double rate = 0;
    for (int e = 0; e < m->element.n + m->joint.n; e++) {
        const sn_object *o;
        sn_pencil_object(p, e, &o);
        sn_pencil_gather(p, p->still[e], o, 1, d->x->v, p->xi);
        for (int i = 0; i < o->nv; i++) {
            int k = o->vi[i];
            double one = fabs(p->xi[i]);
            if (k < m->nv)
                one /= d->w->scale[k] * d->p->length; /* 1 for angles */
            else
                one = 0;
            if (one > rate) rate = one, *at = k;
        }
    }
    return rate;
}

/* Where the state moves, rotations couple the modes and change their frequencies w by some rate/w. */
static sn_status at_rest(const sn_pencil *p, const sn_spectrum *s, sn_err *err)
{
    const sn_context *d = p->d;
    char name[160];
    double low = 0;
    int at = 0;
    for (int k = 0; k < s->n; k++) {
        double w2 = fabs(s->w2[k]);
        if (w2 > s->error[k] && (low == 0 || w2 < low)) low = w2;
    }
    if (rate_of(p, &at) <= SN_MODES_UNSURE * sqrt(low)) return SN_OK;
    return sn_fail(
        err, SN_ERR_INPUT, NULL,
        "modes: the state at t = %g s moves (%s at %.3g a second): natural frequencies are those of "
        "small vibrations about a state at rest. Linearise at the equilibrium (--at static), or set "
        "the initial velocities to 0",
        d->x->t, sn_coord_name(d->m, at, name, sizeof name), d->x->v[at]);
}

sn_status sn_modes(const sn_model *m, const sn_values *values, const sn_mode_options *o, int *found,
                   sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_mode_options, o, err));
    sn_context d;
    sn_info info = {0};
    sn_spectrum s = {.n = 0};
    sn_pencil *p = NULL;
    *found = 0;
    SN_TRY(suitable(m, err));
    SN_TRY(sn_context_open(m, values, &o->run, &info, &d, err));
    if (!m->flat) sn_system_tangent_maps(d.w, d.zero);
    sn_status status =
        sn_operating_point(&d, sn_where_of(o->at_static, o->at_steady, o->at_time), o->at_time, err);
    if (!status) status = sn_pencil_new(&d, &p, err);
    if (!status) status = solve(p, o, &s, err);
    if (!status) status = at_rest(p, &s, err);
    if (!status) status = deliver(&d, &s, o, found, err);
    sn_free(s.w2), sn_free(s.error), sn_free(s.shape);
    sn_pencil_free(p);
    sn_context_close(&d);
    return status;
}
