/* A plug-in for sinew: a time integrator without derivatives.

     cc -O2 -shared -fPIC $(pkg-config --cflags sinew) implicit_euler.c -o implicit_euler.so
     sinew --plugin ./implicit_euler.so run implicit_euler.yaml
     sinew --plugin ./implicit_euler.so list schemes

   Implicit Euler: v1 = d/h, a1 = (v1 - v0)/h, q1 = retract(q0, d) with r(q1, v1, a1, lam1, t1) = 0 and
   phi(q1, t1) = 0. Unknowns of Newton's iteration are d and h^2 lam, rows h^2 r and phi, with a new matrix
   each time. It is of first order and damps what the steps do not resolve. Of the table only what must be
   there is there: `sinew gradient`, --sensitivities and
   --error are refused by name. */
#include <math.h>
#include <sinew/plugin.h>
#include <stdlib.h>
#include <string.h>

typedef struct euler {
    sn_integration in;
    sn_system_view s;
    double *one, *cv, *ca, *d, *b; /* factors of q, v and a in the matrix; increment; right-hand side */
} euler;

static void euler_close(void *self)
{
    euler *e = self;
    if (!e) return;
    free(e->one), free(e->cv), free(e->ca), free(e->d), free(e->b);
    free(e);
}

static sn_status euler_open(const sn_integration *in, void **self, sn_err *err)
{
    euler *e = calloc(1, sizeof *e);
    if (!e) return sn_fail(err, SN_ERR_MEMORY, NULL, "out of memory");
    e->in = *in;
    e->s = sn_work_view(in->w);
    double **const vector[] = {&e->one, &e->cv, &e->ca, &e->d, &e->b};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        if (!(*vector[i] = calloc((size_t)e->s.n + 1, sizeof(double)))) {
            euler_close(e);
            return sn_fail(err, SN_ERR_MEMORY, NULL, "out of memory");
        }
    for (int i = 0; i < e->s.nv; i++) e->one[i] = 1;
    *self = e;
    return SN_OK;
}

/* Rates that belong to the increment d, and the factors of the matrix's columns. */
static void rates(euler *e, const sn_state *x0, double h, sn_state *x1)
{
    for (int i = 0; i < e->s.nv; i++) {
        int first = e->s.order[i] == 1; /* a coordinate of first order has no acceleration */
        x1->v[i] = e->d[i] / h;
        x1->a[i] = first ? 0 : (x1->v[i] - x0->v[i]) / h;
        e->cv[i] = 1 / h, e->ca[i] = first ? 0 : 1 / (h * h);
    }
    sn_system_retract(e->s.model, x0->q, e->d, x1->q);
}

/* One correction of d and lam; *size: of d, relative to the model's size, angles as they are. */
static sn_status correct(euler *e, const sn_state *x0, double h, sn_state *x1, double *size, sn_err *err)
{
    const sn_system_view *s = &e->s;
    const sn_coef coef = {.k = e->one, .c = e->cv, .a = e->ca, .g = e->cv, .row = h * h};
    rates(e, x0, h, x1);
    sn_system_tangent_maps(e->in.w, e->d);
    SN_TRY(sn_system_eval(e->in.w, x1, &coef, err));
    SN_TRY(sn_linsol_factor(e->in.ls, s->Ax, NULL, err));
    for (int i = 0; i < s->n; i++) e->b[i] = -s->f[i] * (i < s->nv ? h * h : 1);
    SN_TRY(sn_linsol_solve(e->in.ls, 0, 1, e->b));
    e->in.info->evaluations++, e->in.info->factorisations++, e->in.info->iterations++;
    *size = 0;
    for (int i = 0; i < s->nv; i++) {
        e->d[i] += e->b[i];
        *size = fmax(*size, fabs(e->b[i]) / (s->order[i] == 1 ? 1 : s->length * s->scale[i]));
    }
    for (int i = 0; i < s->m; i++) x1->lam[i] += e->b[s->nv + i] / (h * h);
    return SN_OK;
}

static sn_status euler_step(void *self, const sn_state *x0, double h, sn_state *x1, sn_err *err)
{
    euler *e = self;
    const double most = 1e-2 * e->in.o->tolerance;
    double size = INFINITY;
    x1->t = x0->t + h, x1->h = h;
    sn_system_time(e->in.w, x1->t);
    SN_TRY(sn_system_finite(e->in.w, x1->t, 0, err));
    for (int i = 0; i < e->s.nv; i++) e->d[i] = h * x0->v[i];
    memcpy(x1->lam, x0->lam, sizeof(double) * (size_t)e->s.m);
    for (int i = 0; !(size <= most) && i < e->in.o->max_iterations; i++)
        SN_TRY(correct(e, x0, h, x1, &size, err));
    if (!(size <= most)) return sn_fail(err, SN_ERR_NUMERIC, NULL, "implicit Euler does not converge");
    rates(e, x0, h, x1);
    return SN_OK;
}

static const sn_scheme schemes[] = {{"implicit_euler", "first order, damps much; an example", NULL, NULL},
                                    {.name = NULL}};

static const sn_integrator_class implicit_euler = {
    .name = "implicit_euler",
    .doc = "implicit Euler without derivatives",
    .schemes = schemes,
    .order = 1,
    .open = euler_open,
    .step = euler_step,
    .close = euler_close,
};

static const sn_integrator_class *const integrators[] = {&implicit_euler, NULL};
const sn_plugin sinew_plugin = {SN_PLUGIN_HEAD, .name = "implicit_euler", .integrators = integrators};
