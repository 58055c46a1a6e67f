/* Every joint kind at random states: Jacobians, tangents, reactions, rates along a curve and slot derivatives
   against differences. No kind is named. Rows at position level have phi, B and the reaction B'lam, rows at
   velocity level psi, dpsi/dq in B, G = dpsi/dv and the reaction G'lam. */
#include "conformance.h"

#include "kit_case.h"

static const sn_joint_class *class_of(const kit_case *k) { return k->kind->cls; }

static int at_velocity_level(const kit_case *k, int i) { return (int)(k->l.velocity >> i & 1u); }

static unsigned flags_of(const kit_case *k)
{
    const sn_joint_class *c = class_of(k);
    return c->has_friction && !c->has_friction(k->s) ? c->flags & ~(unsigned)(SN_USES_V | SN_REACTION_DIFFERS)
                                                     : c->flags;
}

/* v is NaN for those that do not ask for it. */
static void show(kit_case *k, int all) { k->in.v = all || (flags_of(k) & SN_USES_V) ? k->v : k->nan; }

/* y = (r, phi) */
static sn_status residual(kit_case *k, const void *ctx, double *y)
{
    (void)ctx;
    memset(y, 0, (size_t)(k->in.nv + k->in.m) * sizeof *y);
    show(k, 0);
    return class_of(k)->eval(&k->in, &(sn_joint_out){.r = y, .phi = y + k->in.nv});
}

/* Everything in one pass, into arrays of the case. */
static sn_status full(kit_case *k, sn_joint_out *o)
{
    int nv = k->in.nv, m = k->in.m;
    *o = (sn_joint_out){.r = kit_array(k, nv),
                        .phi = kit_array(k, m),
                        .B = kit_array(k, m * nv),
                        .G = kit_array(k, m * nv),
                        .K = kit_array(k, nv * nv),
                        .C = kit_array(k, nv * nv)};
    if (flags_of(k) & SN_REACTION_DIFFERS) o->L = kit_array(k, nv * m);
    show(k, 0);
    return class_of(k)->eval(&k->in, o);
}

/* r = B'lam by position rows, G'lam by velocity rows; its derivative by lam likewise, or L. */
static void check_reaction(kit_case *k, const sn_joint_out *o)
{
    int nv = k->in.nv, m = k->in.m, differs = o->L != NULL;
    double *want = kit_array(k, nv), *L = kit_array(k, nv * m);
    kit_num num;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < nv; j++) {
            L[j * m + i] = differs ? o->L[j * m + i] : (at_velocity_level(k, i) ? o->G : o->B)[i * nv + j];
            want[j] += L[j * m + i] * k->lam[i];
        }
    for (int i = 0; i < m; i++)
        if (kit_top((at_velocity_level(k, i) ? o->G : o->B) + i * nv, nv) == 0)
            kit_fail(k, "empty equation", i, 0, 0, 1);
    if (!differs) kit_same(k, "r = B'lam", 0, o->r, want, nv, 0, 1e-12);
    for (int i = 0; i < m; i++) {
        kit_diff(k, KIT_LAM, i, residual, NULL, nv, &num);
        kit_check(k, "dr/dlam", i, &num, 0, nv, L + i, m);
    }
}

/* Coordinates said to be held: some equation is q_k - slot. */
static void check_holds(kit_case *k, const sn_joint_out *o)
{
    const sn_joint_class *c = class_of(k);
    int nv = k->in.nv;
    for (int j = 0; c->holds && j < nv; j++) {
        int slot = c->holds(k->in.opt, k->in.dim, j), found = 0;
        if (slot < 0) continue;
        for (int i = 0; i < k->in.m; i++) {
            int alone = o->B[i * nv + j] == 1;
            for (int l = 0; l < nv; l++) alone &= l == j || o->B[i * nv + l] == 0;
            found |= alone && o->phi[i] == k->in.q[j] - k->in.s[slot];
        }
        if (k->nn != 1 || !found) kit_fail(k, "held coordinate", j, slot, 0, 1);
    }
}

/* A vector along global axes: by positions of a node its rows are a multiple of the identity. */
static void check_vector(kit_case *k, const sn_joint_out *o)
{
    int nv = k->in.nv, dim = k->in.dim, none = 1;
    if (!k->l.vector) return;
    for (int n = 0; n < k->nn; n++) {
        const double *B = o->B + k->offv[n];
        if (k->view[n] == SN_SCALARS) continue;
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                if (B[i * nv + j] != (i == j ? B[0] : 0)) kit_fail(k, "vector", i, j, B[i * nv + j], 0);
        if (B[0] != 0) none = 0;
    }
    if (none) kit_fail(k, "vector of no node", 0, 0, 0, 1);
}

static void check_tangent(kit_case *k)
{
    int nv = k->in.nv, m = k->in.m;
    double plain[2 * KIT_N], *added = kit_array(k, nv);
    sn_joint_out o;
    kit_num num;
    if (residual(k, NULL, plain) != SN_OK) kit_fail(k, "status", 0, 0, 1, 0);
    if (full(k, &o) != SN_OK) kit_fail(k, "status with tangent", 0, 0, 1, 0);
    kit_same(k, "r with tangent", 0, o.r, plain, nv, 0, 1e-14);
    kit_same(k, "phi with tangent", 0, o.phi, plain + nv, m, 0, 1e-14);
    for (int j = 0; j < nv; j++) {
        kit_diff(k, KIT_Q, j, residual, NULL, nv + m, &num);
        kit_check(k, "K", j, &num, 0, nv, o.K + j, nv);
        kit_check(k, "B", j, &num, nv, m, o.B + j, nv);
        kit_diff(k, KIT_V, j, residual, NULL, nv + m, &num);
        kit_check(k, "C", j, &num, 0, nv, o.C + j, nv);
        for (int i = 0; i < m; i++)
            if (at_velocity_level(k, i)) kit_check(k, "G", j, &num, nv + i, 1, o.G + i * nv + j, 1);
    }
    check_reaction(k, &o);
    check_vector(k, &o);
    check_holds(k, &o);
    /* what is there is added to */
    for (int i = 0; i < nv; i++) added[i] = 1;
    class_of(k)->eval(&k->in, &(sn_joint_out){.r = added, .phi = o.phi});
    for (int i = 0; i < nv; i++) added[i] -= 1;
    kit_same(k, "r added", 0, added, o.r, nv, 1, 1e-13);
}

/* A kind that may have friction, with the slots at 0 that are 0 by default: it needs neither v nor L. */
static void check_idle(kit_case *k)
{
    const sn_slot *slot = class_of(k)->slots;
    double *kept = kit_array(k, k->size);
    if (!class_of(k)->has_friction) return;
    memcpy(kept, k->base, (size_t)k->size * sizeof *kept);
    for (int i = 0, j = 0; slot[i].name; j += k->slot_n[i++])
        if (slot[i].n == 1 && slot[i].def == 0 && !slot[i].formula) k->base[j] = k->s[j] = 0;
    if (class_of(k)->has_friction(k->s)) kit_fail(k, "friction with all slots at 0", 0, 0, 1, 0);
    check_tangent(k);
    memcpy(k->base, kept, (size_t)k->size * sizeof *kept);
    memcpy(k->live, kept, (size_t)k->size * sizeof *kept);
}

static sn_status phi_only(kit_case *k, const void *ctx, double *y)
{
    double all[2 * KIT_N];
    (void)ctx;
    SN_TRY(residual(k, NULL, all));
    memcpy(y, all + k->in.nv, (size_t)k->in.m * sizeof *y);
    return SN_OK;
}

/* B v + phi_t for position rows, psi for velocity rows. */
static sn_status phi_rate(kit_case *k, const void *ctx, double *y)
{
    int mark = kit_mark(k), nv = k->in.nv, m = k->in.m;
    double phi_t[KIT_N] = {0}, gamma[KIT_N] = {0};
    sn_joint_out o;
    sn_status s = full(k, &o);
    (void)ctx;
    show(k, 1);
    if (s == SN_OK) s = class_of(k)->rate(&k->in, phi_t, gamma);
    for (int i = 0; i < m && s == SN_OK; i++) {
        y[i] = at_velocity_level(k, i) ? o.phi[i] : phi_t[i];
        for (int j = 0; j < nv && !at_velocity_level(k, i); j++) y[i] += o.B[i * nv + j] * k->v[j];
    }
    kit_release(k, mark);
    return s;
}

/* Along q + v t + a t^2/2 with moving slots: dphi/dt = B v + phi_t, d2phi/dt2 = B a + gamma, dpsi/dt = G a +
 * gamma. */
static void check_rate(kit_case *k)
{
    int nv = k->in.nv, m = k->in.m;
    double *rate = kit_array(k, m), *phi_t = kit_array(k, m), *gamma = kit_array(k, m);
    sn_joint_out o;
    kit_num num;
    if (full(k, &o) != SN_OK || phi_rate(k, NULL, rate) != SN_OK) {
        kit_now(k)->refused++;
        return;
    }
    show(k, 1);
    class_of(k)->rate(&k->in, phi_t, gamma);
    kit_diff(k, KIT_TIME, 0, phi_only, NULL, m, &num);
    for (int i = 0; i < m; i++) {
        if (!at_velocity_level(k, i)) kit_check(k, "phi_t", i, &num, i, 1, rate + i, 1);
        if (at_velocity_level(k, i))
            kit_same(k, "phi_t of a velocity row", i, phi_t + i, (double[]){0}, 1, 1, 0);
        for (int j = 0; j < nv; j++) gamma[i] += (at_velocity_level(k, i) ? o.G : o.B)[i * nv + j] * k->a[j];
    }
    kit_diff(k, KIT_TIME, 0, phi_rate, NULL, m, &num);
    for (int i = 0; i < m; i++) kit_check(k, "gamma", i, &num, i, 1, gamma + i, 1);
}

/* dr and dphi by a parameter, and by the slots that follow it at the rates ds (or NULL). */
static void parameter(kit_case *k, int index, const double *ds, double *dr, double *dphi)
{
    int nv = k->in.nv, m = k->in.m, mark = kit_mark(k);
    double *r = kit_array(k, nv), *phi = kit_array(k, m);
    for (int l = -1; l < (ds ? k->in.ns : 0); l++) {
        for (int i = 0; i < nv; i++) r[i] = 1;
        for (int i = 0; i < m; i++) phi[i] = 1;
        show(k, class_of(k)->flags & SN_USES_V);
        if (class_of(k)->dparam(&k->in, l < 0 ? index : l, r, phi) != SN_OK)
            kit_fail(k, "status of dparam", 0, index, 1, 0);
        for (int i = 0; i < nv; i++) dr[i] = (l < 0 ? 0 : dr[i]) + (r[i] - 1) * (l < 0 ? 1 : ds[l]);
        for (int i = 0; i < m; i++) dphi[i] = (l < 0 ? 0 : dphi[i]) + (phi[i] - 1) * (l < 0 ? 1 : ds[l]);
    }
    kit_release(k, mark);
}

static sn_status slots(kit_case *k, const void *ctx, double *y)
{
    (void)ctx;
    memcpy(y, k->s, (size_t)k->in.ns * sizeof *y);
    return SN_OK;
}

/* A reference coordinate that may not move alone moves with the slots that follow it by their formulas. */
static void check_parameters(kit_case *k)
{
    int nv = k->in.nv, m = k->in.m, j;
    double *dr = kit_array(k, nv), *dphi = kit_array(k, m);
    kit_num num, ds;
    for (int index = 0; index < k->in.ns + k->in.nq; index++) {
        kit_var var = kit_parameter(k, index, &j);
        if (!kit_diff(k, var, j, residual, NULL, nv + m, &num)) continue;
        k->follow = !num.good && var == KIT_X && kit_follows(k);
        if (k->follow) {
            kit_diff(k, var, j, slots, NULL, k->in.ns, &ds);
            kit_diff(k, var, j, residual, NULL, nv + m, &num);
        }
        parameter(k, index, k->follow ? ds.d : NULL, dr, dphi);
        k->follow = 0;
        kit_check(k, "dr/dp", index, &num, 0, nv, dr, 1);
        kit_check(k, "dphi/dp", index, &num, nv, m, dphi, 1);
    }
}

/* Numbers of friction leave the constraint and its rates alone. */
static void check_friction(kit_case *k)
{
    int m = k->in.m;
    double *was = kit_array(k, 3 * m), *is = kit_array(k, 3 * m);
    for (int j = 0; j < k->in.ns; j++) {
        if (!(kit_slot(k, j)->flags & SN_FRICTION)) continue;
        double s = k->s[j], sd = k->sd[j];
        for (int moved = 0; moved < 2; moved++) {
            double *y = moved ? is : was;
            if (moved) k->s[j] = 1.3 * s + 0.1, k->sd[j] = 0.7 * sd + 0.2;
            if (phi_only(k, NULL, y) || (show(k, 1), class_of(k)->rate(&k->in, y + m, y + 2 * m)))
                kit_fail(k, "status of rate", 0, j, 1, 0);
        }
        k->s[j] = s, k->sd[j] = sd;
        kit_same(k, "rates by a number of friction", j, is, was, 3 * m, 1, 0);
    }
}

/* Equations have names and units, and rows at velocity level are announced. */
static void check_names(kit_case *k)
{
    for (int i = 0; i < k->in.m; kit_note(k, 0), i++)
        if (!k->l.component[i] || !k->l.unit[i]) kit_fail(k, "name of an equation", i, 0, 0, 1);
    if (k->in.m < 1 || k->in.m > SN_MAX_EQUATIONS) kit_fail(k, "number of equations", 0, 0, k->in.m, 1);
    if (k->l.velocity && !(class_of(k)->flags & SN_VELOCITY_LEVEL))
        kit_fail(k, "SN_VELOCITY_LEVEL", 0, 0, 0, 1);
}

static int may_have_friction(const sn_slot *s)
{
    while (s->name && !(s->flags & SN_FRICTION)) s++;
    return s->name != NULL;
}

static void joint_case(kit_case *k)
{
    const sn_joint_class *c = class_of(k);
    int mark = kit_mark(k);
    if (kit_begin(k, "names of the equations", NULL)) check_names(k);
    if (kit_begin(k, "K, B, C, G, reaction, held coordinates", NULL)) check_tangent(k), kit_release(k, mark);
    if (kit_begin(k, "the same without friction", c->has_friction ? NULL : "it has no has_friction"))
        check_idle(k), kit_release(k, mark);
    if (kit_begin(k, "phi_t, gamma along a motion", NULL)) check_rate(k), kit_release(k, mark);
    if (kit_begin(k, "constants of varying slots", kit_not_constant(k)))
        kit_check_constants(k), kit_release(k, mark);
    if (kit_begin(k, "dparam", NULL)) check_parameters(k), kit_release(k, mark);
    if (kit_begin(k, "friction leaves the constraint alone",
                  may_have_friction(c->slots) ? NULL : "it has no slot with SN_FRICTION"))
        check_friction(k), kit_release(k, mark);
}

int conform_joint(const sn_joint_class *c, const void *block, int quiet)
{
    kit_kind kind = KIT_KIND("joint", c, 1);
    kind.block = block, kind.quiet = quiet;
    return kit_run(&kind, joint_case);
}
