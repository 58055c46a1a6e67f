/* Generalized-alpha for index-3 equations on a manifold (Arnold, Bruels 2007); HHT and Newmark are its
   coefficients.

       (1-am) A1 + am A0 = (1-af) a1 + af a0
       v1 = v0 + h (1-g) A0 + h g A1
       d  = h v0 + h^2 (1/2-b) A0 + h^2 b A1,    q1 = retract(q0, d)
       r(q1, v1, a1, lam1, t1) = 0,  phi(q1, t1) = 0

   First-order coordinates z (v = z', A = w; Jansen, Whiting, Hulbert 2000) in the same Newton system:

       (1-dm) w1 + dm w0 = (1-df) z'1 + df z'0,    d = h (1-e) w0 + h e w1

   A is the acceleration at t + (am - af) h, and under constraints v is off by -C h^2 da/dt across them, C h^3
   da/dt being the local error of d (Arnold, Bruels, Cardona 2015). Where the step changes both are moved to
   what belongs to the new one; without that lam and a would be off by O(h) for some steps.

   Unknowns (d, h^2 lam), rows (h^2 r, phi): the condition does not grow as h -> 0 (Bottasso, Bauchau, Cardona
   2007). Newton is modified: factors are kept over iterations and steps as long as this is cheaper (see
   corotated_factors.h). The start of the iteration extrapolates A and lam from the last steps, by the order
   that would have served best in the step before. */
#include "integrator/genalpha.h"
#include "integrator/corotated_factors.h"

#include <float.h>
#include <math.h>
#include <string.h>

extern const sn_integrator_class sn_integrator_genalpha;

static void finish(double am, double af, double rho1, double *c)
{
    c[AM] = am;
    c[AF] = af;
    c[GAMMA] = 0.5 + af - am;
    c[BETA] = 0.25 * (c[GAMMA] + 0.5) * (c[GAMMA] + 0.5);
    c[DM] = (3 * rho1 - 1) / (2 * (rho1 + 1));
    c[DF] = rho1 / (rho1 + 1);
    c[EPS] = 0.5 + c[DF] - c[DM];
}

static void generalized_alpha(const double *s, double *c)
{
    double rho = s[0];
    finish((2 * rho - 1) / (rho + 1), rho / (rho + 1), rho, c);
}

static void hht(const double *s, double *c) { finish(0, -s[0], 0.8, c); }

static void newmark(const double *s, double *c)
{
    (void)s;
    finish(0, 0, 0.8, c);
}

static const sn_slot generalized_alpha_slots[] = {
    {"rho", "1", "spectral radius at infinity, 0 (most numerical damping) to 1 (none)", 1, 0, 0.8, 0, 1,
     NULL},
    {.name = NULL}};
static const sn_slot hht_slots[] = {
    {"alpha", "1", "from -1/3 (most numerical damping) to 0 (none)", 1, 0, -0.05, -1.0 / 3.0, 0, NULL},
    {.name = NULL}};

static const sn_scheme schemes[] = {
    {"generalized_alpha", "Chung and Hulbert's; numerical damping of high frequencies by rho (default 0.8)",
     generalized_alpha_slots, generalized_alpha},
    {"hht", "Hilber, Hughes and Taylor's; numerical damping by alpha (default -0.05)", hht_slots, hht},
    {"newmark", "average acceleration, no numerical damping", NULL, newmark},
    {.name = NULL}};

static void close_(void *self)
{
    genalpha *s = self;
    if (!s) return;
    double *const x[] = {s->one,     s->cv,   s->ca,     s->cA,     s->d,   s->b,    s->size,
                         s->A[0],    s->A[1], s->lam[0], s->lam[1], s->A0,  s->v0,   s->jump[0],
                         s->jump[1], s->y,    s->u,      s->s,      s->rhs, s->left, s->noise,
                         s->secant,  s->maps, s->soft,   s->given};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) sn_free(x[i]);
    sn_free(s->all);
    sn_corotated_free(s->corotated);
    sn_object_blocks_free(s->blocks);
    sn_free(s);
}

/* d less the exact increment, by Taylor's series: A is a at t + shift h to first order, and for coordinates
   of first order w = z' + shift h z'' + k h^2 z'''. */
static void error_constants(genalpha *s)
{
    const double *c = s->c;
    double shift = c[AM] - c[AF];
    s->C_error = c[BETA] + 0.5 * shift - 1.0 / 6;
    shift = c[DM] - c[DF];
    double k = 0.5 * (1 - c[DF] - (1 - c[DM]) * (1 + 2 * shift));
    s->D_error = k + 0.5 * c[EPS] * (1 + 2 * shift) - 1.0 / 6;
}

static sn_status open_(const sn_integration *in, void **self, sn_err *err)
{
    sn_work *w = in->w;
    const sn_model *m = w->m;
    genalpha *s;
    int n = m->nv + 1;
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    if (!SN_NEW(s->one, n) || !SN_NEW(s->cv, n) || !SN_NEW(s->ca, n) || !SN_NEW(s->cA, n) ||
        !SN_NEW(s->d, n) || !SN_NEW(s->size, n) || !SN_NEW(s->b, m->n + 1) || !SN_NEW(s->noise, m->n + 1) ||
        !SN_NEW(s->A[0], n) || !SN_NEW(s->A[1], n) || !SN_NEW(s->lam[0], m->m + 1) ||
        !SN_NEW(s->lam[1], m->m + 1) || !SN_NEW(s->A0, n) || !SN_NEW(s->v0, n) || !SN_NEW(s->jump[0], n) ||
        !SN_NEW(s->jump[1], n)) {
        close_(s);
        return SN_OUT_OF_MEM(err);
    }
    s->w = w, s->ls = in->ls, s->o = in->o, s->info = in->info;
    in->scheme->coefficients(in->s, s->c);
    sn_status status = sn_genalpha_equations_open(s, in, err);
    sn_genalpha_all_equations(s);
    if (!status) status = sn_corotated_new(w, &s->corotated, err);
    sn_genalpha_own_equations(s);
    if (status) {
        close_(s);
        return status;
    }
    if (in->o->exact && (!SN_NEW(s->secant, SN_GENALPHA_SECANTS * (size_t)(m->n + 1)) ||
                         sn_object_blocks_new(m, &s->blocks, NULL))) {
        close_(s);
        return SN_OUT_OF_MEM(err);
    }
    error_constants(s);
    for (int i = 0; i < m->nv; i++) {
        s->one[i] = 1;
        s->size[i] = 1 / (w->p->length * w->scale[i]); /* lengths by the model's, angles as they are */
        if (m->order_of[i] == 1) s->size[i] = 1;
    }
    s->eta = 1;
    s->rate[0] = s->rate[1] = 0.1;
    *self = s;
    return SN_OK;
}

/* Changes of h that leave factors of use: K h^2 beside M changes by twice that. */
static const double near = 0.1;

void sn_genalpha_set_step(genalpha *s, double h)
{
    if (fabs(h - s->h) <= 1e-12 * h) return;
    const sn_model *m = s->w->m;
    const double *c = s->c;
    for (int i = 0; i < m->nv; i++) {
        int first = m->order_of[i] == 1;
        s->cA[i] = first ? 1 / (c[EPS] * h) : 1 / (c[BETA] * h * h);
        s->cv[i] = first ? (1 - c[DM]) / ((1 - c[DF]) * c[EPS] * h) : c[GAMMA] / (c[BETA] * h);
        s->ca[i] = first ? 0 : (1 - c[AM]) / ((1 - c[AF]) * c[BETA] * h * h);
    }
    if (fabs(h - s->h) > 2 * near * h) s->history = 0, s->order = 0;
    s->h = h;
    if (s->factors && fabs(h - s->h_factors) <= near * h) return;
    s->factors = 0;
    s->eta = 1;
}

void sn_genalpha_moved(const genalpha *s, const sn_state *x0, double h, double *kA, double *kA1, double *kv)
{
    const double *c = s->c, old = x0->h;
    *kA = *kA1 = *kv = 0;
    /* parts of a step that failed are a rescue; a jerk says nothing about much longer or shorter steps */
    if (!(s->o->error > 0) || old == 0 || h > 4 * old || h < 0.1 * old || fabs(h - old) <= 1e-9 * h) return;
    *kA = (c[AM] - c[AF]) * (h / old - 1);
    *kA1 = (c[DM] - c[DF]) * (h / old - 1);
    *kv = s->w->m->m ? s->C_error * (old - h * h / old) : 0;
}

/* A is a (w: z') at the start of a run. */
static sn_status begin(void *self, sn_state *x, sn_err *err)
{
    const sn_model *m = ((genalpha *)self)->w->m;
    (void)err;
    for (int i = 0; i < m->nv; i++) {
        x->own[OWN_A][i] = m->order_of[i] == 1 ? x->v[i] : x->a[i];
        x->own[OWN_JUMP][i] = 0;
    }
    return SN_OK;
}

/* A0 and v0 of a step of size h: those of the state where it was reached by a step of that size, else moved
   along the jerk of the step before. */
static void begin_step(genalpha *s, const sn_state *x0, double h)
{
    const sn_model *m = s->w->m;
    size_t bytes = sizeof(double) * (size_t)m->nv;
    double kA, kA1, kv;
    memcpy(s->A0, x0->own[OWN_A], bytes);
    memcpy(s->v0, x0->v, bytes);
    sn_genalpha_moved(s, x0, h, &kA, &kA1, &kv);
    if (kA == 0 && kA1 == 0 && kv == 0) return;
    const double *jump = x0->own[OWN_JUMP];
    for (int i = 0; i < m->nv; i++) {
        int first = m->order_of[i] == 1;
        s->A0[i] += (first ? kA1 : kA) * jump[i];
        if (!first) s->v0[i] += kv * jump[i];
    }
}

/* Extrapolation from the last steps: of first order by a (A0 - B), of second by g (A0 - (1+r) B + r C)
   besides; 1 for steps of one size. */
typedef struct extrapolation {
    double a, g, r;
} extrapolation;

static extrapolation extrapolation_of(const genalpha *s)
{
    double h = s->h, h1 = s->h_jump[0], h2 = s->h_jump[1];
    extrapolation x = {0};
    if (s->history >= 1) x.a = h / h1;
    if (s->history >= 2) x.r = h1 / h2, x.g = h * (h + h1) / (h1 * (h1 + h2));
    return x;
}

/* A1 and lam1 by extrapolation of order 0, 1, 2, then d, v1, a1 by the formulas of the scheme, and q1. */
static void predict(genalpha *s, const sn_state *x0, sn_state *x1)
{
    const sn_model *m = s->w->m;
    const double *c = s->c, h = s->h, *A0 = s->A0, *B = s->A[0], *C = s->A[1];
    const extrapolation e = extrapolation_of(s);
    double a = s->order > 0 ? e.a : 0, g = s->order > 1 ? e.g : 0,
           k[3] = {1 + a + g, -a - g * (1 + e.r), g * e.r};
    double fA = (1 - c[AM]) / (1 - c[AF]), fA0 = c[AM] / (1 - c[AF]), fa0 = c[AF] / (1 - c[AF]);
    double *to = x1->own[OWN_A];
    for (int i = 0; i < m->nv; i++) {
        double A1 = k[0] * A0[i] + k[1] * B[i] + k[2] * C[i];
        to[i] = A1;
        s->d[i] = h * s->v0[i] + h * h * ((0.5 - c[BETA]) * A0[i] + c[BETA] * A1);
        x1->v[i] = s->v0[i] + h * ((1 - c[GAMMA]) * A0[i] + c[GAMMA] * A1);
        x1->a[i] = fA * A1 + fA0 * A0[i] - fa0 * x0->a[i];
    }
    for (int i = 0; m->first_order && i < m->nv; i++) {
        if (m->order_of[i] != 1) continue;
        s->d[i] = h * ((1 - c[EPS]) * A0[i] + c[EPS] * to[i]);
        x1->v[i] = ((1 - c[DM]) * to[i] + c[DM] * A0[i] - c[DF] * x0->v[i]) / (1 - c[DF]);
        x1->a[i] = 0;
    }
    /* multipliers that equations leave free are to stay as they are */
    if (s->soft && s->o->constraints == SN_CONSTRAINTS_AUGMENTED) k[0] = 1, k[1] = k[2] = 0;
    for (int i = 0; i < m->m; i++) x1->lam[i] = k[0] * x0->lam[i] + k[1] * s->lam[0][i] + k[2] * s->lam[1][i];
    sn_system_retract(m, x0->q, s->d, x1->q);
}

/* Which order of extrapolation would have come nearest, and shift the history. */
static void remember(genalpha *s, const sn_state *x0, sn_state *x1)
{
    const sn_model *m = s->w->m;
    const extrapolation e = extrapolation_of(s);
    double e0 = 0, e1 = 0, e2 = 0, *old, *jump = x1->own[OWN_JUMP];
    const double *A1 = x1->own[OWN_A], *A0 = s->A0, *B = s->A[0], *C = s->A[1];
    old = s->jump[1], s->jump[1] = s->jump[0], s->jump[0] = old;
    for (int i = 0; i < m->nv; i++) {
        double d0 = A1[i] - A0[i], d1 = d0 - e.a * (A0[i] - B[i]),
               d2 = d1 - e.g * (A0[i] - (1 + e.r) * B[i] + e.r * C[i]), z = s->size[i];
        s->jump[0][i] = jump[i] = d0;
        e0 += fabs(d0) * z, e1 += fabs(d1) * z, e2 += fabs(d2) * z;
    }
    s->order = 0;
    if (s->history >= 1 && e1 < e0) s->order = 1, e0 = e1;
    if (s->history >= 2 && e2 < e0) s->order = 2;
    old = s->A[1], s->A[1] = s->A[0], s->A[0] = old;
    old = s->lam[1], s->lam[1] = s->lam[0], s->lam[0] = old;
    memcpy(s->A[0], A0, sizeof(double) * (size_t)m->nv);
    memcpy(s->lam[0], x0->lam, sizeof(double) * (size_t)m->m);
    if (s->history < 2) s->history++;
    s->h_jump[1] = s->h_jump[0], s->h_jump[0] = s->h;
}

static void lap(genalpha *s, double *to)
{
    if (!s->o->timing) return;
    double now = sn_clock();
    *to += now - s->time;
    s->time = now;
}

/* What rounding makes of the residual, row by row: eps |S| |z|, z = (q, h^2 lam), and eps of the largest
   force. A residual below it belongs to a state that differs by its last digits (Oettli, Prager 1964): small
   deformations of stiff members are differences of large positions. The rows are those of S: h^2 r, phi. */
static void measure_noise(genalpha *s, const sn_state *x)
{
    const sn_model *m = s->w->m;
    const double eps = 4 * DBL_EPSILON, h2 = s->h * s->h;
    memset(s->noise, 0, sizeof(double) * (size_t)m->n);
    for (int j = 0; j < m->n; j++) {
        double z;
        if (j >= m->nv) {
            z = h2 * fabs(x->lam[j - m->nv]);
        } else {
            const sn_node *n = &m->node[m->node_of[j]];
            const sn_offer *at = sn_node_view(n, SN_POSITION);
            int k = j - n->v, dim = n->cls->dim, place = at && k >= at->v && k < at->v + dim;
            z = n->cls->retract && k >= n->cls->turn ? 1 : fabs(x->q[n->q + k]);
            for (int i = 0; place && i < dim; i++) z = fmax(z, fabs(x->q[n->q + at->q + i]));
        }
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) s->noise[m->Ai[k]] += eps * fabs(s->w->Ax[k]) * z;
    }
    for (int i = 0; i < m->nv; i++) s->noise[i] += eps * h2 * s->w->force / s->w->scale[i];
    s->noisy = 2;
}

static int all_noise(const genalpha *s)
{
    const sn_model *m = s->w->m;
    const double *f = s->w->f, h2 = s->h * s->h;
    for (int i = 0; i < m->n; i++)
        if (!(fabs(f[i]) * (i < m->nv ? h2 : 1) <= s->noise[i])) return 0;
    return 1;
}

sn_status sn_genalpha_evaluate(genalpha *s, const sn_state *x1, int refresh, sn_err *err)
{
    sn_coef coef = {s->one, s->cv, s->ca, s->cv, s->h * s->h};
    if (refresh) sn_system_tangent_maps(s->w, s->d);
    if (refresh == SN_GENALPHA_BLOCKS) s->w->blocks = s->blocks;
    sn_status status = sn_system_eval(s->w, x1, refresh ? &coef : NULL, err);
    s->w->blocks = NULL;
    SN_TRY(status);
    if (s->soft) sn_genalpha_soften(s, x1, refresh);
    s->info->evaluations++;
    lap(s, refresh ? &s->info->t_tangent : &s->info->t_residual);
    if (!refresh) return SN_OK;
    if (s->noisy) measure_noise(s, x1);
    int column;
    s->factors = 0;
    SN_TRY(sn_linsol_factor(s->ls, s->w->Ax, &column, err));
    s->factors = 1, s->h_factors = s->h;
    s->refactor_next = s->factor_steps = s->factor_iterations = 0;
    sn_corotated_start(s->corotated, x1->q);
    s->info->factorisations++;
    lap(s, &s->info->t_factor);
    return SN_OK;
}

sn_status sn_genalpha_look(genalpha *s, const sn_state *x1, int it, int refresh, sn_err *err)
{
    s->w->measure = it == 0;
    if (it == 0 && !refresh) sn_corotated_turn(s->corotated, x1->q);
    return sn_genalpha_evaluate(s, x1, refresh, err);
}

/* Largest residual relative to the forces. (Violations show in the increment: B dd = -phi.) */
static double residual_norm(const genalpha *s)
{
    const sn_model *m = s->w->m;
    const double *f = s->w->f, *scale = s->w->scale;
    double r = 0;
    for (int i = 0; i < m->nv; i++) {
        double x = fabs(f[i]) * scale[i];
        r = x > r ? x : r;
    }
    return s->w->force > 0 ? r / s->w->force : 0;
}

/* s->b <- S^-1 times the residual's rows, negative: Newton's correction by the factors at hand. */
sn_status sn_genalpha_solve(genalpha *s)
{
    const sn_model *m = s->w->m;
    const double h2 = s->h * s->h, *f = s->w->f;
    double *b = s->b;
    for (int i = 0; i < m->nv; i++) b[i] = -h2 * f[i];
    for (int i = m->nv; i < m->n; i++) b[i] = -f[i];
    return sn_corotated_solve(s->corotated, s->ls, b);
}

double sn_genalpha_apply(genalpha *s, const sn_state *x0, sn_state *x1)
{
    const sn_model *m = s->w->m;
    double h2 = s->h * s->h, norm = 0, sum = 0, *A1 = x1->own[OWN_A];
    const double *b = s->b;
    for (int i = 0; i < m->nv; i++) {
        double dd = b[i], x = fabs(dd) * s->size[i];
        s->d[i] += dd;
        x1->v[i] += s->cv[i] * dd;
        x1->a[i] += s->ca[i] * dd;
        A1[i] += s->cA[i] * dd;
        if (x > norm) norm = x, s->worst = i;
        sum += dd;
    }
    for (int i = 0; i < m->m; i++) x1->lam[i] += b[m->nv + i] / h2;
    sn_system_retract(m, x0->q, s->d, x1->q);
    s->info->iterations++;
    lap(s, &s->info->t_solve);
    return isfinite(sum) ? norm : NAN;
}

/* Both: the size of the increment (NAN when something is not finite). */
static double correct(genalpha *s, const sn_state *x0, sn_state *x1)
{
    return sn_genalpha_solve(s) ? NAN : sn_genalpha_apply(s, x0, x1);
}

enum { PRICE = 2 };             /* of new corotated factors, in iterations */
enum { SLOW_AFTER = 2 };        /* iterations a step that are worth new factors in the next one */
static const double slow = 0.1; /* contraction at which what an iteration leaves over is hard to tell */
static const double far = SN_GENALPHA_FAR, rounding = SN_GENALPHA_ROUNDING;

/* Without numerical damping motion under constraints can be unstable: gamma = 1/2 for rho = 1 and for
 * Newmark. */
static sn_status diverged(const genalpha *s, const char *how, sn_err *err)
{
    char name[160];
    const sn_model *m = s->w->m;
    return sn_fail(err, SN_ERR_NUMERIC, NULL, "Newton's iteration %s (largest correction at %s%s)", how,
                   sn_coord_name(m, s->worst, name, sizeof name),
                   m->m && s->c[GAMMA] == 0.5
                       ? "; the scheme has no numerical damping, which constraints may need"
                       : "");
}

/* Numbers are not finite any more: those of the state are lost, what came first can be repeated. */
static sn_status lost(genalpha *s, const sn_state *x0, sn_state *x1, sn_err *err)
{
    predict(s, x0, x1);
    SN_TRY(sn_system_blame(s->w, x1, err));
    return diverged(s, "leads to numbers that are not finite", err);
}

/* Corotated factors become outdated slowly: the mean cost of a step is least when they go as soon as a step
   costs more than the mean, their price included. Others are worth nothing for long. */
int sn_genalpha_factors_outdated(const genalpha *s, int iterations)
{
    if (sn_corotated_carriers(s->corotated))
        return iterations * s->factor_steps > s->factor_iterations + PRICE;
    return iterations > SLOW_AFTER;
}

static sn_status newton(genalpha *s, int full, const sn_state *x0, sn_state *x1, sn_err *err)
{
    const double tol = s->o->tolerance, tol_d = 1e-2 * tol;
    double last = 0, theta = 0, moved = 0;
    sn_closing gaps = {.left = INFINITY};
    int refresh = !s->factors || s->refactor_next || full, fresh = 0, since = 0;
    /* an estimate that is not measured again ages towards 1 (Hairer and Wanner, Solving ODEs II, IV.8); it is
       of factors of steps before: how fast new ones contract says nothing of later steps */
    if (!refresh) s->eta = pow(fmax(s->eta, 1e-6), 0.8);
    for (int it = 0; it < s->o->max_iterations; it++) {
        SN_TRY(sn_genalpha_look(s, x1, it, refresh, err));
        fresh |= refresh;
        if (refresh) since = 0;
        double r = residual_norm(s), dd = correct(s, x0, x1);
        /* no progress: where all of the residual is rounding there is none to be made */
        int stalls = it > 0 && dd > 0.7 * last, quiet = stalls && dd <= tol && s->noisy == 2 && all_noise(s);
        moved += dd;
        if (isnan(moved)) return lost(s, x0, x1, err);
        if (!(moved < far)) return diverged(s, "leads too far from where the motion was going", err);
        /* what is left after this correction, by the contraction so far (or that of the last step) */
        double eta = s->eta;
        if (since > 0) {
            theta = last > 0 ? dd / last : 0;
            eta = theta < 1 ? theta / (1 - theta) : INFINITY;
            if (theta > 2 && fresh && !quiet) return diverged(s, "diverges", err);
        }
        int met = sn_genalpha_closed(s, &gaps);
        if (quiet || (met && (dd <= rounding || (eta * dd <= tol_d && eta * r <= tol)))) {
            if (since > 0 && !quiet) s->eta = fresh ? fmax(s->eta, eta) : eta;
            s->factor_steps++;
            s->factor_iterations += it + !quiet;
            s->refactor_next =
                !full && !refresh && !quiet && (theta > slow || sn_genalpha_factors_outdated(s, it + 1));
            return SN_OK;
        }
        if (stalls && !s->noisy) s->noisy = 1;
        refresh = full || gaps.stiffer || (theta > 0.7 && since > 0);
        last = dd;
        since++;
    }
    return diverged(s, "does not converge", err);
}

enum { POLISH = 6 };

/* Corrections until they are all rounding, and then the factors of the solution: derivatives need both, since
   a residual that is left over would be differentiated as if it were none. */
static sn_status polish(genalpha *s, const sn_state *x0, sn_state *x1, sn_err *err)
{
    double last = INFINITY;
    for (int it = 0; it < POLISH; it++) {
        SN_TRY(sn_genalpha_evaluate(s, x1, 0, err));
        double dd = correct(s, x0, x1);
        if (!isfinite(dd)) return diverged(s, "diverges", err);
        if (dd <= rounding || dd > 0.5 * last) break;
        last = dd;
    }
    return sn_genalpha_linearise(s, x0, x1) ? SN_OK : diverged(s, "diverges", err);
}

static sn_status step_all(genalpha *s, const sn_state *x0, double h, sn_state *x1, sn_err *err)
{
    int before = sn_err_count(err);
    if (s->stiffer != 1) s->stiffer = 1, s->factors = 0;
    sn_genalpha_set_step(s, h);
    if (s->o->timing) s->time = sn_clock();
    x1->t = x0->t + h, x1->h = h;
    sn_system_time(s->w, x1->t);
    SN_TRY(sn_system_finite(s->w, x1->t, 0, err));
    begin_step(s, x0, h);
    predict(s, x0, x1);
    int converged = s->o->exact && sn_genalpha_converge(s, x0, x1);
    if (s->o->exact && !converged) predict(s, x0, x1);
    sn_status status = converged ? SN_OK : newton(s, s->o->full_newton, x0, x1, err);
    if (status == SN_ERR_NUMERIC && !s->o->full_newton) {
        /* once more from the start with factors of each iterate, before giving up on the step */
        s->refactor_next = 1, s->order = 0, s->eta = 1;
        sn_err_forget(err, before);
        predict(s, x0, x1);
        status = newton(s, 1, x0, x1, err);
    }
    s->w->measure = 1;
    if (!status && s->o->exact && !converged) status = polish(s, x0, x1, err);
    if (status) {
        s->factors = 0, s->history = 0, s->order = 0, s->eta = 1;
        return status;
    }
    remember(s, x0, x1);
    return SN_OK;
}

static sn_status step(void *self, const sn_state *x0, double h, sn_state *x1, sn_err *err)
{
    sn_genalpha_all_equations(self);
    sn_status status = step_all(self, x0, h, x1, err);
    sn_genalpha_own_equations(self);
    return status;
}

static const double ahead = 5;   /* steps, of sn_local_error */
static const double alike = 0.9; /* cosine of the angle between jerks of a smooth motion */

/* x, y: change of A over the step, and over one of this size by the jerk of the step before. */
static sn_local_error error(void *self)
{
    const genalpha *s = self;
    const sn_model *m = s->w->m;
    const double h = s->h, c = fabs(s->C_error) * h * h, ratio = s->h_jump[1] > 0 ? h / s->h_jump[1] : 0,
                 c1 = fabs(s->D_error) * h * 2 * ratio / (1 + ratio);
    double xx = 0, xy = 0, yy = 0, first = 0;
    sn_local_error e = {0};
    for (int i = 0; i < m->nv; i++) {
        double x = s->jump[0][i] * s->size[i], y = ratio * s->jump[1][i] * s->size[i];
        if (m->order_of[i] == 1) {
            first = fmax(first, c1 * fabs(x - y));
            continue;
        }
        xx += x * x, xy += x * y, yy += y * y;
        e.now = fmax(e.now, c * fabs(x));
        e.ahead = fmax(e.ahead, c * hypot(x, ahead * (x - y)));
    }
    e.smooth = first < e.now && xy > alike * sqrt(xx * yy);
    e.now = fmax(e.now, first);
    e.ahead = fmax(e.ahead, e.now);
    return e;
}

static void reject(void *self)
{
    genalpha *s = self;
    double *jump = s->jump[0];
    s->jump[0] = s->jump[1], s->jump[1] = jump;
    s->h_jump[0] = s->h_jump[1], s->h_jump[1] = 0;
    s->history = 0;
}

static void restart(void *self)
{
    genalpha *s = self;
    s->h = 0;
    s->factors = s->refactor_next = s->noisy = s->refactor_steps = s->distrust_steps = 0;
    s->rate[0] = s->rate[1] = 0.1;
    memset(s->later, 0, sizeof s->later);
    memset(s->later_multipliers, 0, sizeof s->later_multipliers);
    sn_linsol_forget(s->ls);
}

const sn_integrator_class sn_integrator_genalpha = {
    .name = "genalpha",
    .doc = "generalized-alpha, HHT and Newmark for constrained motion",
    .schemes = schemes,
    .history = OWN_COUNT,
    .constraints = 1 << SN_CONSTRAINTS_PENALTY | 1 << SN_CONSTRAINTS_AUGMENTED,
    .order = 2,
    .open = open_,
    .begin = begin,
    .begin_forward = sn_genalpha_begin_forward,
    .step = step,
    .error = error,
    .turn = sn_genalpha_turn,
    .reject = reject,
    .restart = restart,
    .step_forward = sn_genalpha_forward,
    .step_adjoint = sn_genalpha_adjoint,
    .close = close_,
};
