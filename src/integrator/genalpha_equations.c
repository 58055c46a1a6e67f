/* How the equations of a step of genalpha.c are met. One row for all:

       phi(q1) - (lam - lam*)/alpha = 0,    S = [ K.. B'; B -1/alpha ]

   multipliers: alpha is infinite; penalty: lam* = 0; augmented: lam* follows lam until no gap is left. In the
   latter lam* moves with each of Newton's iterations, so that the residual is that of multipliers and only
   the matrix has -1/alpha: iterations contract by about 1/kappa at best. S is never singular: redundant
   equations and singular positions need nothing, and lam changes by what B' can do, so that it is the nearest
   to that of the step before.

   alpha = kappa m/(beta h^2), m the model's largest mass (for angles times the model's size squared), so that
   1/(alpha h^2), which stands in S for the unknown h^2 lam, does not depend on the step. Rows at velocity
   level have the factor of velocities. Both mass and size are rounded to powers of two: alpha belongs to the
   scheme, and derivatives do not see it move. */
#include "integrator/genalpha.h"

#include <math.h>
#include <string.h>

static double power_of_two(double x) { return exp2(floor(log2(x) + 0.37)); }

/* The largest of the masses along the coordinates, where the values have the model. */
static sn_status largest_mass(genalpha *s, double *mass, sn_err *err)
{
    const sn_model *m = s->w->m;
    sn_state *x;
    double *zero = s->d; /* nv + 1 zeros still */
    const sn_coef with_M = {zero, zero, s->one, zero, 1};
    SN_TRY(sn_state_new(m, 0, &x, err));
    memcpy(x->q, s->w->p->q0, sizeof(double) * (size_t)m->nq);
    for (int i = 0; i < m->nv; i++) s->one[i] = 1;
    if (!m->flat) sn_system_tangent_maps(s->w, zero);
    sn_status status = sn_system_eval(s->w, x, &with_M, err);
    *mass = 0;
    for (int i = 0; !status && i < m->nv; i++) {
        const double scale = s->w->scale[i];
        if (m->order_of[i] != 1) *mass = fmax(*mass, s->w->Ax[m->diag[i]] * scale * scale);
    }
    sn_state_free(x);
    return status;
}

sn_status sn_genalpha_equations_open(genalpha *s, const sn_integration *in, sn_err *err)
{
    const sn_model *m = s->w->m;
    double mass;
    s->stiffer = 1;
    if (in->o->constraints == SN_CONSTRAINTS_MULTIPLIERS || !m->m) return SN_OK;
    if (!SN_NEW(s->all, m->m + 1)) return SN_OUT_OF_MEM(err);
    sn_genalpha_all_equations(s);
    sn_status status = largest_mass(s, &mass, err);
    sn_genalpha_own_equations(s);
    SN_TRY(status);
    if (!(mass > 0))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "constraints: %s has forces in proportion to masses, and the model has none",
                       in->o->constraints == SN_CONSTRAINTS_PENALTY ? "penalty" : "augmented");
    if (!(in->o->penalty > 0 && isfinite(in->o->penalty)))
        return sn_fail(err, SN_ERR_INPUT, NULL, "'penalty' must be positive, but is %g", in->o->penalty);
    if (!SN_NEW(s->soft, m->m + 1)) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < m->m; i++) {
        double size = s->w->scale[m->nv + i];
        s->soft[i] = s->c[BETA] / (in->o->penalty * power_of_two(mass) * power_of_two(size * size));
    }
    return SN_OK;
}

void sn_genalpha_all_equations(genalpha *s)
{
    if (!s->all) return;
    s->left_out = s->w->dropped, s->n_left_out = s->w->n_dropped;
    s->w->dropped = s->all, s->w->n_dropped = 0;
}

void sn_genalpha_own_equations(genalpha *s)
{
    if (!s->all) return;
    s->w->dropped = s->left_out, s->w->n_dropped = s->n_left_out;
}

/* 1/(alpha h^2) in the row of an equation */
static double softness(const genalpha *s, int i)
{
    return s->soft[i] / s->stiffer * (s->w->m->velocity[i] ? s->c[GAMMA] / (s->c[BETA] * s->h) : 1);
}

void sn_genalpha_soften(genalpha *s, const sn_state *x1, int matrix)
{
    const sn_model *m = s->w->m;
    const int penalty = s->o->constraints == SN_CONSTRAINTS_PENALTY;
    for (int i = 0; i < m->m; i++) {
        double k = softness(s, i);
        if (penalty) s->w->f[m->nv + i] -= k * s->h * s->h * x1->lam[i];
        if (matrix) s->w->Ax[m->diag[m->nv + i]] -= k;
    }
}

/* What is none, what may be left where gaps do not close further, relative to the model's size. */
static const double closed = 1e-14, small = 1e-9;

/* Near singular positions gaps close slowly: like 1/(1 + alpha b M^-1 b'), b small. There alpha grows for the
   rest of the step. */
int sn_genalpha_closed(genalpha *s, sn_closing *c)
{
    const sn_model *m = s->w->m;
    const double factor = 100, most_stiff = 1e8, before = c->left;
    if (!s->soft || s->o->constraints == SN_CONSTRAINTS_PENALTY) return 1;
    c->left = c->stiffer = 0;
    for (int i = 0; i < m->m; i++)
        if (!m->velocity[i])
            c->left = fmax(c->left, fabs(s->b[m->nv + i]) * softness(s, i) * s->w->scale[m->nv + i]);
    c->left /= s->w->p->length;
    if (c->left <= closed) return 1;
    if (c->left < 0.1 * before) return 0;
    if (s->stiffer >= most_stiff) return c->left <= small;
    s->stiffer *= factor, c->stiffer = 1;
    return 0;
}

/* The matrix at hand and its factors with a larger alpha. */
static sn_status stiffen(genalpha *s, double factor, sn_err *err)
{
    const sn_model *m = s->w->m;
    for (int i = 0; i < m->m; i++) s->w->Ax[m->diag[m->nv + i]] += softness(s, i) * (1 - 1 / factor);
    s->stiffer *= factor;
    s->factors = 0; /* they are none of the step's */
    return sn_linsol_factor(s->ls, s->w->Ax, NULL, err);
}

enum { MOST = 60 }; /* solutions */

/* S has 1/alpha too much: x <- S^-1 (given - x/alpha in the rows of equations), until it stays. */
sn_status sn_genalpha_follow(genalpha *s, int columns, double motion, double *x,
                             sn_status (*solve)(genalpha *s, int columns), sn_err *err)
{
    const sn_model *m = s->w->m;
    const size_t n = (size_t)columns, all = (size_t)m->n * n, from = (size_t)m->nv * n;
    double last = INFINITY;
    if (!s->soft || s->o->constraints == SN_CONSTRAINTS_PENALTY) return solve(s, columns);
    double *given = s->given, *before = given + all;
    memcpy(given, x, sizeof *x * all);
    memset(before, 0, sizeof *x * all);
    for (int it = 0; it < MOST; it++) {
        double change = 0, size = 0, gap = 0, moved = motion;
        SN_TRY(solve(s, columns));
        for (size_t i = 0; i < from; i++) moved = fmax(moved, fabs(x[i]));
        for (size_t i = from; i < all; i++) {
            const double more = fabs(x[i] - before[i]);
            change = fmax(change, more);
            gap = fmax(gap, more * softness(s, (int)((i - from) / n)));
            size = fmax(size, fabs(x[i]));
        }
        const int slow = it && change > 0.1 * last;
        /* of multipliers that equations leave free rounding remains */
        if (change <= 1e-15 * size || (slow && gap <= 1e-13 * moved)) return SN_OK;
        if (slow && s->stiffer < 1e6) {
            SN_TRY(stiffen(s, 1e3, err));
            change = INFINITY;
        } else if (it > 1 && change > 0.9 * last)
            break;
        last = change;
        memcpy(before, x, sizeof *x * all);
        memcpy(x, given, sizeof *x * all);
        for (int i = 0; i < m->m; i++) {
            const double k = softness(s, i);
            for (size_t j = 0; j < n; j++)
                x[from + (size_t)i * n + j] -= k * before[from + (size_t)i * n + j];
        }
    }
    return sn_fail(
        err, SN_ERR_NUMERIC, NULL,
        "constraints: augmented: there are no derivatives by numbers that redundant equations cannot "
        "follow together, nor in singular positions");
}
