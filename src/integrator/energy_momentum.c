/* Energy-momentum steps (Simo, Tarnow 1992; Gonzalez 1996; Betsch, Steinmann 2001) with Cayley's map.

       q1 = q0 moved by d,  d = h (v0 + v1)/2,  positions added, rotations R1 = R0 cay(c)
       [p1 - p0]/h + fbar(q0, q1) + Bbar'lam = f half-way,   phi(q1) = 0,   p = M v

   Momenta of rotations are compared in the axes half-way: H p1 - H'p0, H^2 = cay(c). fbar and Bbar do exactly
   the work of the potential, fbar.d = V1 - V0 and Bbar d = phi1 - phi0, and have no resultant and no moment
   where a rigid motion leaves the potential: discrete_gradient.h, or the element's own `pair`. So energy and
   momenta are constant to rounding (and Newton's tolerance), whatever the step. The order is 2. There is no
   numerical damping: of what vibrates too fast for the step nothing is lost.

   energy_decaying takes elastic forces f1 of the end with (1 + beta)/2 and f0 with (1 - beta)/2: each object
   then loses beta/2 (f1 - f0).w, w its increment less rigid motions; of linear forces beta/2 w'K w. Momenta
   stay. The order is 1, with an error of beta h/2 of the forces' rate.

   Accelerations are the mean ones of the step, multipliers its mean reactions. */
#include "integrator/energy_momentum.h"

#include <math.h>
#include <string.h>

extern const sn_integrator_class sn_integrator_energy_momentum;

static const sn_slot decaying[] = {
    {"dissipation", "1", "fraction of the change of elastic forces in a step that dissipates; 0: none", 1, 0,
     0.1, 0, 1, NULL},
    {.name = NULL}};
static const sn_scheme schemes[] = {
    {"energy_momentum", "conserves energy and momenta to rounding; no numerical damping", NULL, NULL},
    {"energy_decaying", "conserves momenta, dissipates vibrations that are too fast for the step", decaying,
     NULL},
    {.name = NULL}};

static void close_(void *self)
{
    sn_em *s = self;
    if (!s) return;
    void *const x[] = {s->element, s->joint, s->touched,   s->mass, s->d,  s->b,    s->size, s->lam0,
                       s->q0,      s->q1,    s->qm,        s->dl,   s->v0, s->zero, s->f0,   s->f1,
                       s->fm,      s->gain,  s->r,         s->x,    s->y,  s->z,    s->G,    s->Z,
                       s->dZ,      s->w_,    s->P,         s->K0,   s->K1, s->Km,   s->B0,   s->B1,
                       s->phi0,    s->phi1,  s->phi,       s->lam,  s->Kd, s->Kq,   s->Kv,   s->Kl,
                       s->turn,    s->part,  s->part_node, s->A0,   s->V0, s->maps, s->rhs,  s->column};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) sn_free(x[i]);
    sn_free(s);
}

static int allocate_object(sn_em *s, int turns)
{
    const sn_model *m = s->w->m;
    const size_t v = (size_t)m->max_v + 1, q = (size_t)m->max_q + 1, e = (size_t)m->max_m + 1, vv = v * v;
    double **const vector[] = {&s->dl, &s->v0, &s->zero, &s->f0, &s->f1, &s->fm, &s->gain,
                               &s->r,  &s->x,  &s->y,    &s->z,  &s->G,  &s->w_};
    double **const square[] = {&s->K0, &s->K1, &s->Km, &s->Kd, &s->Kq, &s->Kv};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        if (!SN_NEW(*vector[i], v)) return 0;
    for (size_t i = 0; i < sizeof square / sizeof *square; i++)
        if (!SN_NEW(*square[i], vv)) return 0;
    return SN_NEW(s->q0, q) && SN_NEW(s->q1, q) && SN_NEW(s->qm, q) && SN_NEW(s->Z, v * SN_RIGID) &&
           SN_NEW(s->dZ, v * SN_RIGID) && SN_NEW(s->P, v + e) && SN_NEW(s->B0, v * e) &&
           SN_NEW(s->B1, v * e) && SN_NEW(s->Kl, v * e) && SN_NEW(s->phi0, e) && SN_NEW(s->phi1, e) &&
           SN_NEW(s->phi, e) && SN_NEW(s->lam, v + e) && SN_NEW(s->turn, turns + 1) && SN_NEW(s->part, v) &&
           SN_NEW(s->part_node, v);
}

static int allocate(sn_em *s)
{
    const sn_model *m = s->w->m;
    const size_t n = (size_t)m->n + 1;
    size_t mass = 0, touched = 0;
    int turns = 0;
    if (!SN_NEW(s->element, m->element.n + 1) || !SN_NEW(s->joint, m->joint.n + 1)) return 0;
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < (f ? m->joint.n : m->element.n); i++) {
            const sn_object *o = f ? &m->joint.object[i] : &m->element.object[i];
            sn_em_object *what = f ? &s->joint[i] : &s->element[i];
            const sn_element_class *cls = o->cls;
            *what = (sn_em_object){.mass = SN_EM_NO_MASS, .touched = touched};
            touched += (size_t)o->nv;
            turns = o->nn > turns ? o->nn : turns;
            if (f || o->host >= 0 || !(cls->flags & SN_USES_A)) continue;
            what->mass = mass, mass += (size_t)o->nv * (size_t)o->nv;
        }
    return SN_NEW(s->mass, mass + 1) && SN_NEW(s->touched, touched + 1) && SN_NEW(s->d, n) &&
           SN_NEW(s->b, n) && SN_NEW(s->size, n) && SN_NEW(s->lam0, n) && allocate_object(s, turns);
}

static sn_status open_(const sn_integration *in, void **self, sn_err *err)
{
    sn_em *s;
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    s->w = in->w, s->ls = in->ls, s->o = in->o, s->info = in->info;
    s->beta = in->scheme->slots ? in->s[0] : 0;
    if (!allocate(s)) {
        close_(s);
        return SN_OUT_OF_MEM(err);
    }
    const sn_model *m = s->w->m;
    for (int i = 0; i < m->nv; i++) s->size[i] = 1 / (s->w->p->length * s->w->scale[i]);
    sn_system_time(s->w, in->o->begin);
    sn_status status = sn_em_probe(s, err);
    if (status) {
        close_(s);
        return status;
    }
    *self = s;
    return SN_OK;
}

void sn_em_retract(const sn_em *s, const double *q0, const double *d, double *q1)
{
    const sn_model *m = s->w->m;
    for (int k = 0; k < m->n_node; k++) {
        const sn_node *n = &m->node[k];
        const sn_node_places at = sn_node_place(n);
        if (n->ground) continue;
        if (n->cls->retract) {
            double by[SN_MAX_CURVED];
            memcpy(by, d + n->v, sizeof *by * (size_t)n->nv);
            sn_cayley_vector(by + at.R_v, by + at.R_v);
            n->cls->retract(q0 + n->q, by, q1 + n->q);
            continue;
        }
        for (int i = 0; i < n->nv; i++) q1[n->q + i] = q0[n->q + i] + d[n->v + i];
        if (at.R_q >= 0) q1[n->q + at.R_q] = q0[n->q + at.R_q] + 2 * atan(0.5 * d[n->v + at.R_v]);
    }
}

/* ---- assembly ---- */

static void add_matrix(double *Ax, const sn_object *o, double row, const double *K)
{
    const int nv = o->nv, n = nv + o->m;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) Ax[o->nz[i * n + j]] += row * K[i * nv + j];
}

static void add_joint(sn_em *s, const sn_object *o, double row, int level)
{
    const sn_work *w = s->w;
    const int nv = o->nv, n = nv + o->m;
    for (int k = 0; k < o->m; k++) {
        if (w->dropped[o->eq + k]) continue;
        for (int i = 0; i < nv; i++) {
            w->Ax[o->nz[i * n + nv + k]] += s->Kl[i * o->m + k];
            w->Ax[o->nz[(nv + k) * n + i]] += s->B1[k * nv + i];
            if (level > 1) s->A0[o->nz[(nv + k) * n + i]] += s->B0[k * nv + i];
        }
    }
    add_matrix(w->Ax, o, row, s->Kd);
    if (level > 1) add_matrix(s->A0, o, row, s->Kq);
}

static sn_status cannot(const sn_object *o, double t, sn_err *err)
{
    return sn_fail(err, SN_ERR_NUMERIC, &o->mark,
                   "%s '%s' cannot be evaluated at t = %g (zero length, or numbers out of range)",
                   *(const char *const *)o->cls, o->name, t);
}

static double force_of(const sn_em *s, const sn_object *o)
{
    double most = 0;
    for (int i = 0; i < o->nv; i++) most = fmax(most, fabs(s->r[i]) * s->w->scale[o->zi[i]]);
    return most;
}

/* Where numbers vary forces are those of the middle of the step, equations hold at its end. */
static sn_status end_equations(sn_em *s, const sn_state *x0, const sn_state *x1, int level, sn_err *err)
{
    sn_work *w = s->w;
    const sn_model *m = w->m;
    if (!m->n_varying) return SN_OK;
    sn_system_time(w, x1->t);
    for (int j = 0; j < m->joint.n; j++) {
        const sn_object *o = &m->joint.object[j];
        if (!sn_em_joint(s, j, x0, x1, level)) return cannot(o, x1->t, err);
        for (int k = 0; k < o->m; k++)
            if (!w->dropped[o->eq + k]) w->f[m->nv + o->eq + k] = s->phi[k];
        for (int k = 0; level && k < o->m; k++)
            for (int i = 0; i < o->nv && !w->dropped[o->eq + k]; i++) {
                int at = o->nz[(o->nv + k) * (o->nv + o->m) + i];
                w->Ax[at] += s->B1[k * o->nv + i];
                if (level > 1) s->A0[at] += s->B0[k * o->nv + i];
            }
    }
    return SN_OK;
}

/* f = [h^2 r; phi]; with level 1 the matrix by (d, h^2 lam), with level 2 those by q0 and v0. */
sn_status sn_em_assemble(sn_em *s, const sn_state *x0, const sn_state *x1, int level, sn_err *err)
{
    sn_work *w = s->w;
    const sn_model *m = w->m;
    const double row = s->h * s->h;
    double force = 0;
    memset(w->f, 0, sizeof *w->f * (size_t)(m->n + 1));
    if (level) memset(w->Ax, 0, sizeof *w->Ax * (size_t)(m->nnz + 1));
    if (level > 1) {
        memset(s->A0, 0, sizeof *w->Ax * (size_t)(m->nnz + 1));
        memset(s->V0, 0, sizeof *w->Ax * (size_t)(m->nnz + 1));
    }
    SN_TRY(end_equations(s, x0, x1, level, err));
    if (m->n_varying) sn_system_time(w, 0.5 * (x0->t + x1->t));
    for (int e = 0; e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        if (!sn_em_element(s, e, x0, x1, level)) return cannot(o, x1->t, err);
        for (int i = 0; i < o->nv; i++) w->f[o->zi[i]] += row * s->r[i];
        force = fmax(force, force_of(s, o));
        if (level) add_matrix(w->Ax, o, row, s->Kd);
        if (level > 1) add_matrix(s->A0, o, row, s->Kq), add_matrix(s->V0, o, row, s->Kv);
    }
    for (int j = 0; j < m->joint.n; j++) {
        const sn_object *o = &m->joint.object[j];
        if (!sn_em_joint(s, j, x0, x1, level)) return cannot(o, x1->t, err);
        for (int i = 0; i < o->nv; i++) w->f[o->zi[i]] += row * s->r[i];
        force = fmax(force, force_of(s, o));
        for (int k = 0; k < o->m; k++) {
            int eq = o->eq + k;
            if (w->dropped[eq])
                w->f[m->nv + eq] = x1->lam[eq];
            else if (!m->n_varying)
                w->f[m->nv + eq] = s->phi[k];
        }
        if (level && m->n_varying)
            memset(s->B0, 0, sizeof(double) * (size_t)(o->m * o->nv)),
                memset(s->B1, 0, sizeof(double) * (size_t)(o->m * o->nv));
        if (level) add_joint(s, o, row, level);
    }
    for (int i = 0; level && w->n_dropped && i < m->m; i++)
        if (w->dropped[i]) w->Ax[m->diag[m->nv + i]] = 1;
    w->force = force;
    s->info->evaluations++;
    return SN_OK;
}

/* ---- the step ---- */

static void set_increment(sn_em *s, const sn_state *x0, sn_state *x1)
{
    const sn_model *m = s->w->m;
    sn_em_retract(s, x0->q, s->d, x1->q);
    for (int i = 0; i < m->nv; i++) {
        x1->v[i] = 2 * s->d[i] / s->h - x0->v[i];
        x1->a[i] = (x1->v[i] - x0->v[i]) / s->h;
    }
}

static sn_status diverged(const sn_em *s, const char *how, int worst, sn_err *err)
{
    char name[160];
    return sn_fail(err, SN_ERR_NUMERIC, NULL, "Newton's iteration %s (largest correction at %s)", how,
                   sn_coord_name(s->w->m, worst, name, sizeof name));
}

static const double far = 2, rounding = 4e-15;

/* Newton with a new matrix each time: what is left after a correction is its square. */
static sn_status newton(sn_em *s, const sn_state *x0, sn_state *x1, sn_err *err)
{
    const sn_model *m = s->w->m;
    const double enough = s->o->exact ? rounding : fmin(1e-2 * s->o->tolerance, 1e-9), h2 = s->h * s->h;
    double last = INFINITY, moved = 0;
    int worst = 0, column;
    for (int it = 0; it < s->o->max_iterations; it++) {
        double dd = 0, sum = 0;
        SN_TRY(sn_em_assemble(s, x0, x1, 1, err));
        SN_TRY(sn_linsol_factor(s->ls, s->w->Ax, &column, err));
        s->info->factorisations++;
        for (int i = 0; i < m->n; i++) s->b[i] = -s->w->f[i];
        SN_TRY(sn_linsol_solve(s->ls, 0, 1, s->b));
        for (int i = 0; i < m->nv; i++) {
            double x = fabs(s->b[i]) * s->size[i];
            if (x > dd) dd = x, worst = i;
            s->d[i] += s->b[i], sum += s->b[i];
        }
        for (int i = 0; i < m->m; i++) x1->lam[i] += s->b[m->nv + i] / h2, sum += s->b[m->nv + i];
        set_increment(s, x0, x1);
        s->info->iterations++;
        if (!isfinite(sum)) {
            SN_TRY(sn_system_blame(s->w, x1, err));
            return diverged(s, "leads to numbers that are not finite", worst, err);
        }
        moved += dd;
        if (!(moved < far)) return diverged(s, "leads too far from where the motion was going", worst, err);
        /* no progress: what is left is rounding */
        if (dd <= enough || (dd > 0.5 * last && dd < 1e-2 * s->o->tolerance)) return SN_OK;
        last = dd;
    }
    return diverged(s, "does not converge", worst, err);
}

static sn_status step(void *self, const sn_state *x0, double h, sn_state *x1, sn_err *err)
{
    sn_em *s = self;
    const sn_model *m = s->w->m;
    s->h = h;
    x1->t = x0->t + h, x1->h = h;
    sn_system_time(s->w, x1->t);
    SN_TRY(sn_system_finite(s->w, x1->t, 0, err));
    SN_TRY(sn_em_probe_joints(s, x0, err));
    for (int i = 0; i < m->nv; i++) s->d[i] = h * (x0->v[i] + 0.5 * h * x0->a[i]);
    s->d[m->nv] = 0;
    for (int i = 0; i < m->m; i++) x1->lam[i] = x0->lam[i];
    set_increment(s, x0, x1);
    sn_status status = newton(s, x0, x1, err);
    if (m->n_varying) sn_system_time(s->w, x1->t);
    return status;
}

const sn_integrator_class sn_integrator_energy_momentum = {
    .name = "energy_momentum",
    .doc = "energy-momentum steps",
    .schemes = schemes,
    .order = 2,
    .open = open_,
    .step = step,
    .step_forward = sn_em_forward,
    .step_adjoint = sn_em_adjoint,
    .close = close_,
};
