/* Consistent initial conditions.

   1. q0 is moved onto phi(q) = 0 by the smallest change in the mass metric W = M:
          [ W B'; B 0 ] [dq; mu] = [0; -phi],   repeated until phi = 0
      What has no mass follows the equations and does not count. Where these leave it free the matrix is
   singular: it gets a weight D then, and the solution is that of the proximal point iteration (Rockafellar,
   SIAM J. Control Optim. 14, 1976), [ W+D B'; B 0 ] [z; mu] = [ D z of before; -phi ], in which D decides
   nothing but what is free.
   2. v0 likewise onto B v + phi_t = 0 and psi(q, v) = 0
   3. accelerations and multipliers from r = 0 and the second derivative of phi:
          [ M B'; B 0 ] [a; lam] = -[ r(q, v, 0, 0); gamma ]
      Coordinates without mass that no equation holds are solved from their own rows instead, for v where the
   row depends on v (first-order states, dampers), else for q: their columns hold C or K in place of M. Those
   held in some directions only get both, see soften. Velocities and accelerations of what is solved for q
   stay as given.

   Where no freedom is left the same three solutions at each time are the motion: sn_kinematic_step. */
#include "analysis/analysis.h"

#include <math.h>
#include <string.h>

double sn_regularise(sn_context *d, int held)
{
    const sn_model *m = d->m;
    const double light = held ? 1e-6 : 1e-14;
    double top = 0;
    for (int i = 0; i < m->nv; i++) top = fmax(top, d->w->Ax[m->diag[i]]);
    if (top == 0) top = 1;
    for (int i = 0; i < m->nv; i++) {
        d->weight[i] =
            d->w->Ax[m->diag[i]] < light * top && (held || !sn_context_held(d, i)) ? 1e-8 * top : 0;
        d->w->Ax[m->diag[i]] += d->weight[i];
    }
    return top;
}

sn_status sn_factor_projection(sn_context *d, int *column, sn_err *err)
{
    sn_coef coef = {d->zero, d->zero, d->one, d->one, 1};
    sn_status s = SN_ERR_NUMERIC;
    SN_TRY(sn_system_eval(d->w, d->x, &coef, err));
    if (!d->regularised) {
        sn_regularise(d, 0);
        s = sn_linsol_factor(d->ls, d->w->Ax, column, NULL);
        if (s == SN_ERR_MEMORY) return SN_OUT_OF_MEM(err);
    }
    if (s == SN_ERR_NUMERIC) {
        sn_regularise(d, 1);
        s = sn_linsol_factor(d->ls, d->w->Ax, column, err);
        d->regularised = s == SN_OK;
    }
    return s;
}

/* z: in the equations' rows what they lack, out the smallest change that gives it, with the factors at hand.
 */
static sn_status smallest_change(sn_context *d, double *z)
{
    const sn_model *m = d->m;
    double *before = d->before, change = INFINITY;
    if (!d->regularised) return sn_linsol_solve_refined(d->ls, 0, 1, z);
    memset(before, 0, sizeof *before * (size_t)m->nv);
    memcpy(before + m->nv, z + m->nv, sizeof *before * (size_t)m->m);
    for (int it = 0; it < 100 && change > 1e-15; it++) {
        double size = 0;
        for (int i = 0; i < m->n; i++) z[i] = i < m->nv ? d->weight[i] * before[i] : before[i];
        SN_TRY(sn_linsol_solve_refined(d->ls, 0, 1, z));
        change = 0;
        for (int i = 0; i < m->nv; i++) {
            size = fmax(size, fabs(z[i]));
            change = fmax(change, fabs(z[i] - before[i]));
            before[i] = z[i];
        }
        change = size > 0 ? change / size : 0;
    }
    return SN_OK;
}

double sn_projection_gap(const sn_context *d, double *z)
{
    const sn_model *m = d->m;
    double worst = 0;
    memset(z, 0, sizeof *z * (size_t)m->n);
    for (int i = 0; i < m->m; i++) {
        if (m->velocity[i]) continue;
        z[m->nv + i] = -d->w->f[m->nv + i];
        worst = fmax(worst, fabs(z[m->nv + i]));
    }
    return worst;
}

sn_status sn_drop_redundant(sn_context *d, sn_err *err)
{
    const sn_model *m = d->m;
    unsigned char *flag = sn_alloc((size_t)m->m + 1, 1);
    if (!flag) return SN_OUT_OF_MEM(err);
    int n;
    sn_status s = sn_redundant(d, flag, &n, err);
    for (int i = 0; n > 0 && i < m->m; i++) {
        char name[160];
        if (!flag[i]) continue;
        if (d->o->drop_redundant)
            d->w->dropped[i] = 1, d->w->n_dropped++;
        else
            s = sn_fail(err, SN_ERR_NUMERIC, NULL, "equation %s is redundant: it follows from the others",
                        sn_equation_name(m, i, name, sizeof name));
    }
    if (n > 0) d->info->redundant = n;
    sn_free(flag);
    return s;
}

void sn_tell_redundant(sn_context *d)
{
    if (d->told == d->w->n_dropped) return;
    const int share = d->o->drop_redundant == SN_REDUNDANT_SHARE;
    for (int j = 0; j < d->m->joint.n; j++) {
        const sn_object *o = &d->m->joint.object[j];
        char name[160];
        int dropped = 0;
        for (int i = 0; i < o->m; i++) dropped += d->w->dropped[o->eq + i];
        if (dropped > 1 && dropped == o->m) {
            sn_context_message(d, "all equations of %s are redundant%s", o->name,
                               share ? ": reactions are shared" : " and left out");
            continue;
        }
        for (int i = 0; i < o->m; i++)
            if (d->w->dropped[o->eq + i])
                sn_context_message(d, "equation %s is redundant%s",
                                   sn_equation_name(d->m, o->eq + i, name, sizeof name),
                                   share ? ": reactions are shared" : " and left out");
    }
    d->told = d->w->n_dropped;
}

/* Factors of the projection; a singular matrix means redundant equations: find them, and once more. */
static sn_status prepare_projection(sn_context *d, sn_err *err)
{
    int column = -1;
    sn_err own;
    sn_err_clear(&own);
    sn_status s = sn_factor_projection(d, &column, &own);
    if (s == SN_ERR_NUMERIC && !d->w->failed && d->moving)
        return sn_singular(d, "motion without freedom", s, column, err);
    if (s == SN_ERR_NUMERIC && !d->w->failed) {
        SN_TRY(sn_drop_redundant(d, err));
        sn_err_clear(&own);
        s = sn_factor_projection(d, &column, &own);
        if (s == SN_ERR_NUMERIC && !d->w->failed) return sn_singular(d, "start", s, column, err);
    }
    if (s) sn_err_join(err, &own);
    return s;
}

/* Newton's iteration onto phi = 0; *met: whether it got there. */
static sn_status approach(sn_context *d, int *met, sn_err *err)
{
    const sn_model *m = d->m;
    *met = 1;
    double tol = 1e-13 * d->p->length;
    for (int it = 0; it < 50; it++) {
        int dropped = d->w->n_dropped;
        SN_TRY(prepare_projection(d, err));
        if (it > 0 && d->w->n_dropped > dropped && !d->o->start_static) {
            /* known only on the constraints: again without them, since beside the constraints nearly
               redundant equations lead anywhere, and the start would jump with what is given */
            memcpy(d->x->q, d->p->q0, sizeof(double) * (size_t)m->nq);
            it = -1;
            continue;
        }
        if (sn_projection_gap(d, d->z) <= tol) return SN_OK;
        SN_TRY(smallest_change(d, d->z));
        double change = 0;
        for (int i = 0; i < m->nv; i++) change = fmax(change, fabs(d->z[i]));
        sn_system_retract(m, d->x->q, d->z, d->x->q);
        if (!isfinite(change)) break;
        if (change <= tol) return SN_OK;
    }
    *met = 0;
    return SN_OK;
}

/* A second attempt, where the first failed or led to a position that breaks an equation which was left out on
   the way, in a singular position: from where Levenberg and Marquardt's method meets all of them. */
static sn_status project_again(sn_context *d, sn_err *err)
{
    int met;
    SN_TRY(sn_meet_all(d, "start", err));
    memset(d->w->dropped, 0, (size_t)d->m->m);
    d->w->n_dropped = 0;
    d->start_by_differences = 1;
    SN_TRY(approach(d, &met, err));
    if (!met)
        return sn_fail(err, SN_ERR_NUMERIC, NULL,
                       "start: the constraints cannot be met from the given positions");
    return sn_still_redundant(d, d->x, NULL, err);
}

/* Largest change of a coordinate. */
static double moved_by(const sn_model *m, const double *from, const double *to)
{
    double most = 0;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        double by[SN_MAX_CURVED];
        if (n->ground || !memcmp(from + n->q, to + n->q, sizeof(double) * (size_t)n->nq)) continue;
        if (n->cls->difference) n->cls->difference(from + n->q, to + n->q, by);
        for (int k = 0; k < n->nv; k++)
            most = fmax(most, fabs(n->cls->difference ? by[k] : to[n->q + k] - from[n->q + k]));
    }
    return most;
}

/* Angles that are far from where drives want them are led there; what fails on the way the whole tells. */
static sn_status lead(sn_context *d, sn_err *err)
{
    sn_winding w;
    int met = 1;
    sn_status s = SN_OK;
    SN_TRY(sn_winding_new(d, 1, &w, err));
    int steps = (int)ceil(w.most / SN_WINDING_STEP);
    for (int k = 1; k < steps && met && !s; k++) {
        sn_winding_set(&w, d, (double)k / steps);
        s = approach(d, &met, NULL);
        d->start_by_differences = 1;
    }
    sn_winding_set(&w, d, 1);
    sn_winding_free(&w);
    return s == SN_ERR_MEMORY ? SN_OUT_OF_MEM(err) : SN_OK;
}

static sn_status project(sn_context *d, sn_err *err)
{
    int met, singular = 0;
    sn_err own;
    if (d->moving) {
        SN_TRY(approach(d, &met, err));
        return met ? SN_OK : sn_fail(err, SN_ERR_NUMERIC, NULL, "the constraints cannot be met");
    }
    SN_TRY(lead(d, err));
    sn_err_clear(&own);
    sn_status s = approach(d, &met, &own);
    int doubtful = s == SN_ERR_NUMERIC && !d->w->failed;
    if (s && !doubtful) {
        sn_err_join(err, &own);
        return s;
    }
    if (!s && met) SN_TRY(sn_still_redundant(d, d->x, &singular, err));
    if (!s && met && !singular) return SN_OK;
    if (!s) return project_again(d, err);
    /* the matrix is singular, or redundant equations are refused: no wonder where they cannot be met at all
     */
    SN_TRY(sn_meet_all(d, "start", err));
    sn_err_join(err, &own);
    return s;
}

static sn_status project_q(sn_context *d, sn_err *err)
{
    const sn_model *m = d->m;
    const size_t n = sizeof(double) * (size_t)m->nq;
    double *from;
    if (d->moving || !m->m) return project(d, err);
    if (!SN_NEW(from, m->nq + 1)) return SN_OUT_OF_MEM(err);
    memcpy(from, d->x->q, n);
    sn_status s = project(d, err);
    if (!s) d->info->projection_q = moved_by(m, from, d->x->q);
    sn_free(from);
    return s;
}

static sn_status project_v(sn_context *d, sn_err *err)
{
    const sn_model *m = d->m;
    double *phi_t = d->rate, *gamma = phi_t + m->m, worst = 0, speed = 0;
    if (!m->m) return SN_OK;
    sn_status s = sn_system_rate(d->w, d->x, phi_t, gamma, err);
    /* B v + phi_t with the factored matrix's own B; psi as evaluated */
    memset(d->z, 0, sizeof(double) * (size_t)m->n);
    for (int i = 0; i < m->m; i++) d->z[m->nv + i] = -(m->velocity[i] ? d->w->f[m->nv + i] : phi_t[i]);
    for (int j = 0; j < m->nv; j++) {
        speed = fmax(speed, fabs(d->x->v[j]));
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            int i = m->Ai[k] - m->nv;
            if (i >= 0 && !m->velocity[i] && !d->w->dropped[i]) d->z[m->nv + i] -= d->w->Ax[k] * d->x->v[j];
        }
    }
    for (int i = m->nv; i < m->n; i++) worst = fmax(worst, fabs(d->z[i]));
    if (!s && worst > 0) {
        s = smallest_change(d, d->z);
        double change = 0, of_given = 0; /* what has no mass and no velocity of its own merely follows */
        for (int i = 0; i < m->nv; i++) {
            int follows = d->x->v[i] == 0 && d->w->Ax[m->diag[i]] == d->weight[i];
            d->x->v[i] += d->z[i];
            change = fmax(change, fabs(d->z[i]));
            if (!follows) of_given = fmax(of_given, fabs(d->z[i]));
        }
        d->info->projection_v = of_given > 1e-12 * speed ? of_given : 0;
        d->start_by_differences |= d->regularised && change > 1e-12 * speed;
    }
    return s;
}

/* Column factors of the start: M, or K or C for coordinates without mass; reports those that nothing
 * determines. */
static sn_status choose_columns(sn_context *d, sn_err *err)
{
    const sn_model *m = d->m;
    double *mass = d->z;
    const sn_coef with_M = {d->zero, d->zero, d->one, d->one, 1},
                  with_C = {d->zero, d->one, d->zero, d->one, 1},
                  with_K = {d->one, d->zero, d->zero, d->one, 1};
    SN_TRY(sn_system_eval(d->w, d->x, &with_M, err));
    /* a coordinate that an equation depends on is held by it, as one with mass is by its mass */
    for (int i = 0; i < m->nv; i++) mass[i] = d->w->Ax[m->diag[i]] != 0 || sn_context_held(d, i);
    SN_TRY(sn_system_eval(d->w, d->x, &with_C, err));
    for (int i = 0; i < m->nv; i++) {
        int free_of_mass = mass[i] == 0;
        d->a[i] = !free_of_mass;
        d->c[i] = free_of_mass && d->w->Ax[m->diag[i]] != 0;
        d->k[i] = free_of_mass && d->c[i] == 0;
    }
    SN_TRY(sn_system_eval(d->w, d->x, &with_K, err));
    for (int i = 0; i < m->nv; i++) {
        char name[160];
        if (d->k[i] == 0 || d->w->Ax[m->diag[i]] != 0) continue;
        sn_fail(err, SN_ERR_NUMERIC, &m->node[m->node_of[i]].mark,
                "nothing determines %s: it has no mass, no stiffness and no joint",
                sn_coord_name(m, i, name, sizeof name));
        d->w->failed = &m->element.object[0];
    }
    return d->w->failed ? SN_ERR_NUMERIC : SN_OK;
}

/* Are there forces that depend on the multipliers in another way than B'lam? */
static int depends_on_reactions(const sn_work *w)
{
    for (int i = 0; i < w->m->joint.n; i++)
        if (w->joint_flags[i] & SN_REACTION_DIFFERS) return 1;
    return 0;
}

/* Largest change relative to the largest number */
static double changed_by(int n, const double *d, const double *x)
{
    double change = 0, size = 1e-30;
    for (int i = 0; i < n; i++) {
        change = fmax(change, fabs(d[i]));
        size = fmax(size, fabs(x[i]));
    }
    return change / size;
}

/* One Newton step of the accelerations; positions and velocities of massless coordinates move unless frozen.
   Size of the step in *change; *singular: the factorisation failed, nothing has changed. */
static sn_status correct(sn_context *d, double *phi_t, int frozen, double *change, sn_status *singular,
                         int *column, sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef coef = {d->k, d->c, d->a, d->a, 1};
    double *gamma = phi_t + m->m, size = 1e-30;
    SN_TRY(sn_system_eval(d->w, d->x, &coef, err));
    SN_TRY(sn_system_rate(d->w, d->x, phi_t, gamma, err));
    double sum = 0;
    for (int i = 0; i < m->n; i++) sum += 0 * d->w->f[i]; /* not 0 where a number is not finite */
    if (sum != 0) SN_TRY(sn_system_blame(d->w, d->x, err));
    *singular = sn_linsol_factor(d->ls, d->w->Ax, column, NULL);
    if (*singular) return SN_OK;
    for (int i = 0; i < m->nv; i++) d->z[i] = -d->w->f[i];
    for (int i = 0; i < m->m; i++) d->z[m->nv + i] = -gamma[i];
    /* gamma lacks B a: the present a counts too */
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
            if (m->Ai[k] >= m->nv) d->z[m->Ai[k]] -= d->w->Ax[k] * d->x->a[j];
    SN_TRY(sn_linsol_solve_refined(d->ls, 0, 1, d->z));
    *change = 0;
    for (int i = 0; i < m->nv; i++) {
        d->x->a[i] += d->a[i] * d->z[i];
        if (!frozen) d->x->v[i] += d->c[i] * d->z[i];
        size = fmax(size, fabs(d->x->a[i]));
        *change = fmax(*change, fabs(d->z[i]) * (d->a[i] != 0 ? 1 / size : 1));
    }
    for (int i = 0; i < m->nv; i++) d->z[i] *= d->k[i];
    if (!frozen) sn_system_retract(m, d->x->q, d->z, d->x->q);
    for (int i = 0; i < m->m; i++) d->x->lam[i] += d->z[m->nv + i];
    if (isfinite(*change)) return SN_OK;
    memset(d->x->a, 0, sizeof(double) * (size_t)m->nv);
    SN_TRY(sn_system_blame(d->w, d->x, err));
    return sn_fail(err, SN_ERR_NUMERIC, NULL, "start: the accelerations are not finite");
}

static double largest(const sn_context *d, const double *pick)
{
    double top = 0;
    for (int i = 0; i < d->m->nv; i++)
        if (!pick || pick[i] != 0) top = fmax(top, fabs(d->w->Ax[d->m->diag[i]]));
    return top;
}

/* Massless coordinates that equations hold in some directions only (a link without mass at the end of a
   spring): along the free directions their rows decide. The columns of these coordinates get small shares of
   C, or else K, beside the equations: q moves by k a and v by c a, and a grows until the rows are met. A
   damper may have no part in the free directions: then only K counts, on the second attempt. Marks the
   coordinates in d->g; 0: there are none. */
static int soften(sn_context *d, int attempt, sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef with_M = {d->zero, d->zero, d->one, d->one, 1},
                  with_C = {d->zero, d->one, d->zero, d->one, 1},
                  with_K = {d->one, d->zero, d->zero, d->one, 1};
    const double share = 1e-10;
    int found = 0;
    if (sn_system_eval(d->w, d->x, &with_M, err)) return 0;
    double mass = largest(d, NULL), top;
    for (int i = 0; i < m->nv; i++) d->g[i] = d->a[i] != 0 && d->w->Ax[m->diag[i]] == 0;
    if (mass == 0) mass = 1;
    if (sn_system_eval(d->w, d->x, &with_C, err)) return 0;
    top = largest(d, d->g);
    for (int i = 0; i < m->nv; i++)
        if (d->g[i] != 0)
            d->c[i] = attempt == 1 && d->w->Ax[m->diag[i]] != 0 ? share * mass / top : 0,
            found |= d->c[i] != 0;
    if (sn_system_eval(d->w, d->x, &with_K, err)) return 0;
    top = largest(d, d->g);
    for (int i = 0; i < m->nv; i++)
        if (d->g[i] != 0 && d->c[i] == 0 && d->w->Ax[m->diag[i]] != 0)
            d->k[i] = share * mass / top, found = 1;
    return found;
}

/* After soften: back onto the constraints, off which the shares have led by rounding, and the accelerations
   once more without what has become displacement or velocity. */
static sn_status settle(sn_context *d, double *phi_t, sn_err *err)
{
    sn_status singular = SN_OK;
    double change, moved = d->info->projection_q, changed = d->info->projection_v;
    int column = -1;
    SN_TRY(project_q(d, err));
    SN_TRY(project_v(d, err));
    d->info->projection_q = moved, d->info->projection_v = changed;
    for (int i = 0; i < d->m->nv; i++)
        if (d->g[i] != 0) d->x->a[i] = 0;
    for (int it = 0; it < 3; it++) {
        SN_TRY(correct(d, phi_t, 1, &change, &singular, &column, err));
        if (singular) return sn_singular(d, "start: accelerations", singular, column, err);
    }
    return SN_OK;
}

static sn_status accelerations(sn_context *d, sn_err *err)
{
    double *phi_t = d->rate, last = INFINITY, change = 0;
    int soft = 0, column = -1, friction = depends_on_reactions(d->w);
    SN_TRY(choose_columns(d, err));
    sn_status s = SN_OK, singular = SN_OK;
    for (int it = 0; it < 50 && !s; it++) {
        s = correct(d, phi_t, 0, &change, &singular, &column, err);
        if (s) break;
        if (singular) {
            if (singular == SN_ERR_NUMERIC && soft < 2 && soften(d, ++soft, err)) continue;
            s = sn_singular(d, "start: accelerations", singular, column, err);
            break;
        }
        /* then the multipliers count too; a few steps are enough, where rounding is all there is */
        if (friction && it < 8) change = fmax(change, changed_by(d->m->m, d->z + d->m->nv, d->x->lam));
        if (change <= 1e-13 || (it > 1 && change >= last && change < 1e-9)) break;
        last = change;
    }
    if (!s && soft) s = settle(d, phi_t, err);
    for (int i = 0; i < d->m->nv; i++) d->start_by_differences |= d->k[i] != 0;
    d->start_by_differences |= soft != 0;
    return s;
}

/* Velocities of the massless coordinates that were solved for q: their rows hold at all times, K v + C a +
 * dr/dt = 0. */
static sn_status massless_velocities(sn_context *d, sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef with_C = {d->zero, d->one, d->zero, d->one, 1},
                  with_K = {d->one, d->zero, d->zero, d->one, 1};
    int any = 0, column;
    for (int i = 0; i < m->nv; i++) any |= d->k[i] == 1;
    if (!any) return SN_OK;
    SN_TRY(sn_system_time_derivative(d->w, d->x, d->z, err));
    SN_TRY(sn_system_eval(d->w, d->x, &with_C, err));
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1] && m->Ai[k] < m->nv; k++)
            d->z[m->Ai[k]] += d->w->Ax[k] * d->x->a[j];
    SN_TRY(sn_system_eval(d->w, d->x, &with_K, err));
    /* known velocities to the right; what is left is K among the massless, and the identity for everything
     * else */
    for (int j = 0; j < m->n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            int i = m->Ai[k], own = i < m->nv && j < m->nv && d->k[i] == 1 && d->k[j] == 1;
            if (i < m->nv && j < m->nv && d->k[j] != 1) d->z[i] += d->w->Ax[k] * d->x->v[j];
            if (!own) d->w->Ax[k] = i == j;
        }
    if (sn_linsol_factor(d->ls, d->w->Ax, &column, NULL))
        return SN_OK; /* no more than a better start is lost */
    for (int i = 0; i < m->n; i++) d->z[i] = i < m->nv && d->k[i] == 1 ? -d->z[i] : 0;
    SN_TRY(sn_linsol_solve_refined(d->ls, 0, 1, d->z));
    for (int i = 0; i < m->nv; i++)
        if (d->k[i] == 1) d->x->v[i] = d->z[i];
    return SN_OK;
}

sn_status sn_reactions(sn_context *d, sn_err *err)
{
    const sn_model *m = d->m;
    int column = -1;
    SN_TRY(sn_factor_projection(d, &column, err));
    for (int i = 0; i < m->nv; i++) d->z[i] = -d->w->f[i];
    memset(d->z + m->nv, 0, sizeof(double) * (size_t)m->m);
    SN_TRY(sn_linsol_solve_refined(d->ls, 0, 1, d->z));
    memcpy(d->x->lam, d->z + m->nv, sizeof(double) * (size_t)m->m);
    return SN_OK;
}

sn_status sn_assemble(sn_context *d, sn_err *err)
{
    SN_TRY(project_q(d, err));
    SN_TRY(project_v(d, err));
    return sn_rates_agree(d, 1, err);
}

sn_status sn_accelerations_agree(sn_context *d, sn_err *err)
{
    if (!d->w->n_dropped) return SN_OK;
    /* where there are none a run will say so; statics does not need them */
    sn_status s = accelerations(d, NULL) ? SN_OK : sn_rates_agree(d, 2, err);
    d->w->failed = NULL;
    return s;
}

sn_status sn_start(sn_context *d, sn_err *err)
{
    const sn_model *m = d->m;
    sn_state *x = d->x;
    x->t = d->o->begin, x->h = 0;
    memcpy(x->q, d->p->q0, sizeof(double) * (size_t)m->nq);
    memcpy(x->v, d->p->v0, sizeof(double) * (size_t)m->nv);
    memset(x->a, 0, sizeof(double) * (size_t)m->nv);
    memset(x->lam, 0, sizeof(double) * (size_t)m->m);
    memset(x->turned, 0, sizeof(double) * (size_t)m->n_turning);
    sn_system_time(d->w, x->t);
    SN_TRY(sn_system_finite(d->w, x->t, 1, err));
    if (!m->flat) sn_system_tangent_maps(d->w, d->zero);
    SN_TRY(sn_need_mass(d, 0, err));
    SN_TRY(sn_context_limits(d, x, 1, err));
    if (d->o->start_static) {
        SN_TRY(sn_equilibrium(d, err));
        memcpy(x->v, d->p->v0, sizeof(double) * (size_t)m->nv);
        memset(x->lam, 0, sizeof(double) * (size_t)m->m);
    }
    SN_TRY(sn_assemble(d, err));
    SN_TRY(sn_context_limits(d, x, 0, err));
    sn_tell_redundant(d);
    if (!d->o->start_static) sn_tell_apart(d);
    if (d->info->projection_q > 1e-9 * d->p->length)
        sn_context_message(d, "positions were moved by up to %.3g to meet the constraints",
                           d->info->projection_q);
    if (d->info->projection_v > 1e-9)
        sn_context_message(d, "velocities were changed by up to %.3g to meet the constraints",
                           d->info->projection_v);
    SN_TRY(accelerations(d, err));
    SN_TRY(sn_rates_agree(d, 2, err));
    SN_TRY(massless_velocities(d, err));
    d->start_by_differences |= d->regularised && d->info->projection_q > 0;
    for (int i = 0; i < m->nv; i++)
        if (m->order_of[i] == 1) x->a[i] = 0;
    return d->o->drop_redundant == SN_REDUNDANT_SHARE ? sn_redundant_multipliers_new(d, err) : SN_OK;
}

int sn_no_freedom(const sn_context *d)
{
    const sn_model *m = d->m;
    for (int i = 0; i < m->m; i++)
        if (m->velocity[i]) return 0;
    return m->m > 0 && !m->first_order && m->m - d->w->n_dropped == m->nv;
}

sn_status sn_meet(sn_context *d, sn_err *err)
{
    const int moving = d->moving;
    const double moved = d->info->projection_q;
    if (!d->m->m) return SN_OK;
    if (!d->m->flat) sn_system_tangent_maps(d->w, d->zero);
    d->moving = 1;
    sn_status s = project_q(d, err);
    d->moving = moving;
    d->info->projection_q = moved;
    return s;
}

sn_status sn_kinematic_step(sn_context *d, const sn_state *x0, double h, sn_state *x1, sn_err *err)
{
    const sn_model *m = d->m;
    sn_state *own = d->x;
    double moved = d->info->projection_q, changed = d->info->projection_v;
    for (int i = 0; i < m->nv; i++) {
        d->z[i] = h * (x0->v[i] + 0.5 * h * x0->a[i]);
        x1->v[i] = x0->v[i] + h * x0->a[i];
    }
    sn_system_retract(m, x0->q, d->z, x1->q);
    memset(x1->a, 0, sizeof(double) * (size_t)m->nv);
    memset(x1->lam, 0, sizeof(double) * (size_t)m->m);
    x1->t = x0->t + h, x1->h = h;
    sn_system_time(d->w, x1->t);
    SN_TRY(sn_system_finite(d->w, x1->t, 1, err));
    d->x = x1, d->moving = 1;
    sn_status s = project_q(d, err);
    if (!s) s = project_v(d, err);
    if (!s) s = accelerations(d, err);
    d->x = own;
    d->info->projection_q = moved, d->info->projection_v = changed;
    return s;
}
