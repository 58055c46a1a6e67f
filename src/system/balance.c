/* What should be constant: whether any force does work that the energies of elements do not know, and which
   components of the momenta forces from outside change; told by the forces at a state, whatever the kinds.

   Power: an element without `energy` has r.v; else r.v less the change of its energy. Accelerations cancel
   there, a'M v is in both, so that a = 0; of kinds that are SN_CONSERVATIVE the static part cancels as well,
   and is left out with its rounding:

       P = (r(q, v) - r(q, 0)).v - dT/dq.v - dE/dt of numbers that vary

   A joint has power where its equations move in time (-phi_t.lam) or rub ((r - B'lam).v). Momenta: the
   resultant of the rows of nodes that are not the ground; of elements with energies between moving nodes,
   which do not change as a whole moves rigidly, the part of the acceleration field alone. */
#include "system/system.h"

#include <math.h>
#include <string.h>

static const double rounding = 1e-10; /* of a sum, relative to its parts, */
static const double violated =
    1e-7; /* and of moments of reactions, whose points part by Newton's tolerance */

static void gather(sn_work *w, const sn_state *x, const sn_object *o, int with_v)
{
    sn_work_gather(w, o, x->q, x->v, x->a);
    memset(w->a, 0, sizeof *w->a * (size_t)o->nv);
    if (!with_v) memset(w->v, 0, sizeof *w->v * (size_t)o->nv);
    memset(w->r, 0, sizeof *w->r * (size_t)o->nv);
}

/* w->r: forces of element e at a = 0 */
static int forces(sn_work *w, const sn_state *x, int e, int with_v, const double *g)
{
    const sn_object *o = &w->m->element.object[e];
    const sn_element_class *cls = o->cls;
    sn_in in = w->element[e];
    gather(w, x, o, with_v);
    if (o->host < 0) {
        if (g) in.g = g;
        return !cls->eval(&in, w->r, NULL, NULL, NULL);
    }
    sn_in h = w->element[o->host];
    h.q = in.q, h.v = in.v, h.a = in.a;
    return !((const sn_element_class *)w->m->element.object[o->host].cls)
                ->distribute(&h, in.s + cls->load->slot, sn_load_turns(cls->load, o->opt), w->r, NULL);
}

static int zeros(const double *r, int n)
{
    for (int i = 0; i < n; i++)
        if (r[i] != 0) return 0;
    return 1;
}

static void feed(sn_balance *b, const sn_object *o, double power, double parts)
{
    if (!(fabs(power) > parts)) return;
    if (fabs(power) > b->fed) b->feeder = o, b->fed = fabs(power);
}

/* dE/dt through numbers that vary, and the acceleration field */
static double explicit_rate(sn_work *w, int e, double *parts)
{
    const sn_object *o = &w->m->element.object[e];
    const sn_element_class *cls = o->cls;
    double sum = 0;
    for (int k = 0; w->m->n_varying && cls->denergy && k < o->ns + 3; k++) {
        double rate = k < o->ns ? w->xd[o->s + k] : w->xd[w->m->gravity + k - o->ns], de[2] = {0, 0};
        if (rate == 0) continue;
        cls->denergy(&w->element[e], k < o->ns ? k : k + o->nq, de);
        sum += rate * (de[0] + de[1]), *parts += fabs(rate) * (fabs(de[0]) + fabs(de[1]));
    }
    return sum;
}

static int element_power(sn_work *w, const sn_state *x, int e, sn_balance *b)
{
    const sn_object *o = &w->m->element.object[e];
    const sn_element_class *cls = o->cls;
    const int n = o->nv, known = o->host < 0 && cls->energy,
              conserves = known && cls->flags & SN_CONSERVATIVE;
    double power = 0, parts = 0, whole = 0, *still = w->K, *de = w->C, e2[2] = {0, 0};
    if (conserves && !(cls->flags & SN_USES_V) && !w->m->n_varying) return 1;
    memset(still, 0, sizeof *still * (size_t)n);
    memset(de, 0, 4 * sizeof *de * (size_t)n);
    if (conserves) {
        if (!forces(w, x, e, 0, NULL)) return 0;
        memcpy(still, w->r, sizeof *still * (size_t)n);
    }
    if (!forces(w, x, e, 1, NULL)) return 0;
    sn_dout d = {.q = de, .v = de + 2 * n};
    if (known) cls->energy(&w->element[e], e2, &d);
    for (int i = 0; i < n; i++) {
        double gain = known ? de[i] + (conserves ? 0 : de[n + i]) : 0, f = w->r[i] - still[i];
        power += (f - gain) * w->v[i];
        parts += (fabs(f) + fabs(gain)) * fabs(w->v[i]), whole += fabs(w->r[i] * w->v[i]);
    }
    if (known) power -= explicit_rate(w, e, &parts);
    if (o->host < 0 && cls->flags & SN_USES_V && !(cls->flags & SN_USES_A) && zeros(w->r, n))
        b->idle_power = o;
    feed(b, o, power, rounding * parts + 1e-13 * whole);
    return 1;
}

/* Resultant of w->r, q at hand: forces, moments about the origin; and the sums of the parts' sizes. */
static void resultant(const sn_work *w, const sn_object *o, double *F, double *size)
{
    const int dim = o->dim;
    sn_moment z;
    memset(F, 0, 6 * sizeof *F), memset(size, 0, 6 * sizeof *size);
    for (int k = 0; k < o->nn; k++) {
        if (w->m->node[o->node[k]].ground || o->place[k].x_v < 0) continue;
        const double *f = w->r + o->place[k].x_v;
        for (int i = 0; i < dim; i++) F[i] += f[i], size[i] += fabs(f[i]);
        for (int part = 0; sn_moment_part(o, k, part, w->q, &z); part++)
            for (int r = 0; r < z.rows; r++)
                for (int c = 0; c < z.cols; c++) {
                    double y = z.A[z.cols * r + c] * w->r[z.v + c];
                    F[dim + r] += y, size[dim + r] += fabs(y);
                }
    }
}

sn_status sn_system_resultant(sn_work *w, const sn_state *x, int e, double *F, double *size, sn_err *err)
{
    SN_TRY(sn_system_one(w, x, 0, e, err));
    resultant(w, &w->m->element.object[e], F, size);
    return SN_OK;
}

static void push(const sn_work *w, const sn_object *o, double off, sn_balance *b)
{
    double F[6], size[6], forces = 0, moments = 0;
    resultant(w, o, F, size);
    for (int i = 0; i < 6; i++) *(i < o->dim ? &forces : &moments) += size[i];
    moments += w->p->length * forces;
    for (int i = 0; i < 6; i++)
        if (fabs(F[i]) > off * (i < o->dim ? forces : moments)) b->pushed |= 1u << i;
}

/* Nothing of it stands on the ground, and more than one place of it moves. */
static int is_free(const sn_work *w, const sn_object *o)
{
    int places = 0;
    for (int k = 0; k < o->nn; k++) {
        if (w->m->node[o->node[k]].ground) return 0;
        places += o->place[k].x_v >= 0;
    }
    return places > 1;
}

/* Whether what an element has of forces by velocity brakes a translation: damping of all motion. */
static int brakes(sn_work *w, const sn_state *x, int e)
{
    const sn_object *o = &w->m->element.object[e];
    double *still = w->K, change = 0, whole = 0;
    memcpy(still, w->r, sizeof *still * (size_t)o->nv);
    gather(w, x, o, 0);
    for (int k = 0; k < o->nn; k++)
        for (int i = 0; o->place[k].x_v >= 0 && i < o->dim; i++) w->v[o->place[k].x_v + i] = 1;
    if (((const sn_element_class *)o->cls)->eval(&w->element[e], w->r, NULL, NULL, NULL)) return 0;
    for (int i = 0; i < o->nv; i++) change += fabs(w->r[i] - still[i]), whole += fabs(still[i]);
    memcpy(w->r, still, sizeof *still * (size_t)o->nv);
    return change > 1e-12 * whole;
}

static int element_push(sn_work *w, const sn_state *x, int e, sn_balance *b)
{
    static const double none[3] = {0, 0, 0};
    const sn_object *o = &w->m->element.object[e];
    const sn_element_class *cls = o->cls;
    const int inertia = (cls->flags & SN_USES_A) != 0,
              within = o->host < 0 && cls->energy && is_free(w, o) && !(cls->args.what & SN_ARG_COORD);
    if (!forces(w, x, e, !inertia, NULL)) return 0;
    if (inertia && cls->flags & SN_USES_V && brakes(w, x, e)) b->pushed = ~0u;
    if (within) {
        double *with = w->K;
        if (zeros(w->element[e].g, 3)) return 1;
        memcpy(with, w->r, sizeof *with * (size_t)o->nv);
        if (!forces(w, x, e, !inertia, none)) return 0;
        for (int i = 0; i < o->nv; i++) w->r[i] = with[i] - w->r[i];
    } else if (!inertia && zeros(w->r, o->nv) && !b->idle_push) {
        b->idle_push = o;
    }
    push(w, o, rounding, b);
    return 1;
}

/* Power of a joint: its equations move in time; those on velocities are met by other than zero. */
static int joint_balance(sn_work *w, const sn_state *x, int j, sn_balance *b)
{
    const sn_object *o = &w->m->joint.object[j];
    const sn_joint_class *cls = o->cls;
    sn_joint_out out = {.r = w->r, .phi = w->phi};
    double power = 0, parts = 0, *phi_t = w->L, *gamma = w->L + o->m;
    sn_in *in = &w->joint[j];
    in->lam = x->lam + o->eq;
    gather(w, x, o, 1);
    memset(phi_t, 0, 2 * sizeof *phi_t * (size_t)o->m);
    if (cls->rate(in, phi_t, gamma)) return 0;
    gather(w, x, o, 0);
    if (o->velocity && cls->eval(in, &out)) return 0;
    for (int k = 0; k < o->m; k++) {
        double y = in->lam[k] * ((o->velocity >> k) & 1 ? w->phi[k] : phi_t[k]);
        power -= y, parts += fabs(y);
    }
    feed(b, o, power, rounding * parts);
    if (w->joint_flags[j] & SN_REACTION_DIFFERS && !b->feeder) b->feeder = o; /* it rubs */
    gather(w, x, o, 1);
    if (cls->eval(in, &out)) return 0;
    push(w, o, violated, b);
    return 1;
}

sn_status sn_system_balance(sn_work *w, const sn_state *x, sn_balance *b, sn_err *err)
{
    const sn_model *m = w->m;
    *b = (sn_balance){.pushed = 0};
    for (int e = 0; e < m->element.n; e++)
        if (!element_power(w, x, e, b) || !element_push(w, x, e, b))
            return sn_fail(err, SN_ERR_NUMERIC, NULL, "forces cannot be evaluated at t = %g", x->t);
    for (int j = 0; j < m->joint.n; j++)
        if (!joint_balance(w, x, j, b))
            return sn_fail(err, SN_ERR_NUMERIC, NULL, "equations cannot be evaluated at t = %g", x->t);
    sn_system_energy(w, x, -1, b->energy);
    sn_system_momentum(w, x, -1, b->momentum);
    return SN_OK;
}
