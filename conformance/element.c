/* Every element kind at random states: tangents, slot derivatives, outputs and energies against differences,
   the static residual against the energy, the dynamic one against Lagrange's equations, rigid motions. No
   kind is named. */
#include "conformance.h"

#include "kit_pair.h"
#include "kit_rigid.h"

static const sn_element_class *class_of(const kit_case *k) { return k->kind->cls; }

/* Shows the kind only the rates it asks for: reading the others gives NaN. */
static void show(kit_case *k, int all)
{
    k->in.v = all || (class_of(k)->flags & SN_USES_V) ? k->v : k->nan;
    k->in.a = all || (class_of(k)->flags & SN_USES_A) ? k->a : k->nan;
}

static sn_status residual(kit_case *k, const void *ctx, double *y)
{
    (void)ctx;
    memset(y, 0, (size_t)k->in.nv * sizeof *y);
    show(k, 0);
    return class_of(k)->eval(&k->in, y, NULL, NULL, NULL);
}

/* Residual and K, C, M in one pass, on top of the number `from`. */
static sn_status full(kit_case *k, double from, double *r, double *mat[3])
{
    int nv = k->in.nv;
    unsigned flags = class_of(k)->flags;
    for (int i = 0; i < nv; i++) r[i] = from;
    for (int l = 0; l < 3; l++)
        for (int i = 0; i < nv * nv; i++) mat[l][i] = from;
    show(k, 0);
    return class_of(k)->eval(&k->in, r, mat[0], flags & SN_USES_V ? mat[1] : NULL,
                             flags & SN_USES_A ? mat[2] : NULL);
}

static void check_tangent(kit_case *k)
{
    static const char *const name[] = {"K", "C", "M"};
    static const kit_var var[] = {KIT_Q, KIT_V, KIT_A};
    int nv = k->in.nv;
    double *r = kit_array(k, nv), *again = kit_array(k, nv), *mat[3], *more[3];
    kit_num num;
    for (int l = 0; l < 3; l++) mat[l] = kit_array(k, nv * nv), more[l] = kit_array(k, nv * nv);
    if (residual(k, NULL, again) != SN_OK) kit_fail(k, "status", 0, 0, 1, 0);
    if (full(k, 0, r, mat) != SN_OK) kit_fail(k, "status with tangent", 0, 0, 1, 0);
    kit_same(k, "r with tangent", 0, r, again, nv, 0, 1e-14);
    /* what is there is added to, or not read */
    const double there = class_of(k)->flags & SN_SETS_TANGENT ? 0 : 1;
    full(k, 1, again, more);
    for (int i = 0; i < nv; i++) again[i] -= 1;
    kit_same(k, "r added", 0, again, r, nv, 1, 1e-13);
    for (int l = 0; l < 3; l++) {
        if ((l == 1 && !(class_of(k)->flags & SN_USES_V)) || (l == 2 && !(class_of(k)->flags & SN_USES_A)))
            continue;
        for (int i = 0; i < nv * nv; i++) more[l][i] -= there;
        kit_same(k, name[l], -1, more[l], mat[l], nv * nv, 1, 1e-13);
        for (int j = 0; j < nv; j++)
            if (kit_diff(k, var[l], j, residual, NULL, nv, &num))
                kit_check(k, name[l], j, &num, 0, nv, mat[l] + j, nv);
    }
}

static void check_parameters(kit_case *k)
{
    int nv = k->in.nv, n = k->in.ns + k->in.nq + 3, j;
    double *dr = kit_array(k, nv), *more = kit_array(k, nv);
    kit_num num;
    for (int index = 0; index < n; index++) {
        kit_var var = kit_parameter(k, index, &j);
        if (!kit_diff(k, var, j, residual, NULL, nv, &num)) continue;
        for (int i = 0; i < nv; i++) dr[i] = 0, more[i] = 1;
        show(k, 0);
        if (class_of(k)->dparam(&k->in, index, dr) != SN_OK ||
            class_of(k)->dparam(&k->in, index, more) != SN_OK)
            kit_fail(k, "status of dparam", 0, index, 1, 0);
        /* what is there is added to; from 1 on small derivatives would be rounded off */
        for (int i = 0; i < nv; i++) more[i] -= 1;
        kit_same(k, "dparam added", index, more, dr, nv, 1, 1e-13);
        kit_check(k, "dparam", index, &num, 0, nv, dr, 1);
    }
}

/* Derivatives by several numbers at once are those by each, and those in a direction are their sums. */
static void check_together(kit_case *k)
{
    const sn_element_class *c = class_of(k);
    int nv = k->in.nv, n = c->together + 3;
    double *dr = kit_array(k, (n + 1) * nv), *one = kit_array(k, nv), *alone = kit_array(k, nv),
           *ds = kit_array(k, (n + 1) * n), *sum = kit_array(k, nv);
    show(k, 0);
    for (int i = 0; i < n; i++) ds[i * n + i] = 1, ds[n * n + i] = 1 + 0.3 * i;
    if (c->dtogether(&k->in, n + 1, ds, dr) != SN_OK) kit_fail(k, "status of dtogether", 0, 0, 1, 0);
    double most = 0;
    for (int i = 0; i < n; i++, dr += nv) {
        const int index = i < c->together ? i : k->in.ns + k->in.nq + i - c->together;
        for (int r = 0; r < nv; r++) one[r] = 0, alone[r] = 0;
        if (c->dparam(&k->in, index, one) != SN_OK) kit_fail(k, "status of dparam", 0, index, 1, 0);
        /* rounding of the largest entry */
        kit_same(k, "dtogether", index, dr, one, nv, kit_top(one, nv), 1e-12);
        c->dtogether(&k->in, 1, ds + i * n, alone);
        for (int r = 0; r < nv; r++)
            if (alone[r] != dr[r]) kit_fail(k, "dtogether alone", r, index, alone[r], dr[r]);
        /* what is there is added to */
        for (int r = 0; r < nv; r++) alone[r] = kit_top(one, nv);
        c->dtogether(&k->in, 1, ds + i * n, alone);
        for (int r = 0; r < nv; r++) alone[r] -= kit_top(one, nv);
        kit_same(k, "dtogether added", index, alone, dr, nv, kit_top(one, nv), 1e-13);
        for (int r = 0; r < nv; r++) sum[r] += ds[n * n + i] * one[r];
        most = fmax(most, ds[n * n + i] * kit_top(one, nv));
    }
    /* rounding of the largest term */
    kit_same(k, "dtogether in a direction", -1, dr, sum, nv, most, 1e-12);
}

/* Energies, or their gradients by q and v (ctx: which row of which). */
static sn_status energy(kit_case *k, const void *ctx, double *y)
{
    (void)ctx;
    show(k, 1);
    y[0] = y[1] = 0;
    class_of(k)->energy(&k->in, y, NULL);
    return SN_OK;
}

static void gradients(kit_case *k, double *e, double *eq, double *ev)
{
    size_t bytes = 2 * (size_t)k->in.nv * sizeof(double);
    memset(eq, 0, bytes);
    memset(ev, 0, bytes);
    show(k, 1);
    class_of(k)->energy(&k->in, e, &(sn_dout){.q = eq, .v = ev});
}

static sn_status momentum(kit_case *k, const void *ctx, double *y)
{
    double e[2], eq[2 * KIT_N], ev[2 * KIT_N];
    (void)ctx;
    gradients(k, e, eq, ev);
    memcpy(y, ev, (size_t)k->in.nv * sizeof *y);
    return SN_OK;
}

static void check_energy(kit_case *k)
{
    int nv = k->in.nv, n = k->in.ns + k->in.nq + 3, index;
    double *eq = kit_array(k, 2 * nv), *ev = kit_array(k, 2 * nv), e[2], plain[2];
    kit_num num;
    energy(k, NULL, plain);
    gradients(k, e, eq, ev);
    kit_same(k, "energy with gradient", 0, e, plain, 2, 0, 1e-14);
    for (int j = 0; j < nv; j++) {
        kit_diff(k, KIT_Q, j, energy, NULL, 2, &num);
        kit_check(k, "energy by q", j, &num, 0, 2, eq + j, nv);
        kit_diff(k, KIT_V, j, energy, NULL, 2, &num);
        kit_check(k, "energy by v", j, &num, 0, 2, ev + j, nv);
    }
    for (int i = 0; i < n; i++) {
        kit_var var = kit_parameter(k, i, &index);
        if (!kit_diff(k, var, index, energy, NULL, 2, &num)) continue;
        e[0] = e[1] = 0;
        show(k, 1);
        class_of(k)->denergy(&k->in, i, e);
        kit_check(k, "denergy", i, &num, 0, 2, e, 1);
    }
}

/* K of a potential with gradient r must be symmetric; variations of body axes do not commute: of rotations in
 * space K - K' is the cross product with r. */
static void check_symmetry(kit_case *k, const char *what, const double *r, const double *K)
{
    int nv = k->in.nv;
    double *P = kit_array(k, nv * nv), top = kit_top(K, nv * nv);
    memcpy(P, K, (size_t)(nv * nv) * sizeof *P);
    for (int i = 0; i < k->nn; i++) {
        int at = k->offv[i] + k->node[i].cls->dim;
        if (!kit_curved(k, i)) continue;
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            P[(at + a) * nv + at + b] += r[at + c] / 2;
            P[(at + b) * nv + at + a] -= r[at + c] / 2;
        }
    }
    for (int i = 0; i < nv * nv; i++) kit_same(k, what, i, &P[i], &P[i % nv * nv + i / nv], 1, top, 1e-10);
}

/* At rest: K is symmetric, r is the gradient of the potential. */
static void check_static(kit_case *k)
{
    int nv = k->in.nv;
    unsigned flags = class_of(k)->flags;
    double *r = kit_array(k, nv), *eq = kit_array(k, 2 * nv), *ev = kit_array(k, 2 * nv), e[2], *mat[3];
    for (int l = 0; l < 3; l++) mat[l] = kit_array(k, nv * nv);
    memset(k->v, 0, (size_t)nv * sizeof *k->v);
    memset(k->a, 0, (size_t)nv * sizeof *k->a);
    if (full(k, 0, r, mat) == SN_OK) {
        if (flags & SN_SYMMETRIC) check_symmetry(k, "K symmetric", r, mat[0]);
        if (flags & SN_CONSERVATIVE) {
            gradients(k, e, eq, ev);
            kit_same(k, "r = dV/dq", 0, r, eq + nv, nv, 0, 1e-10);
        }
    }
    kit_move(k, KIT_NONE, 0, 0);
}

/* A unit with the second in it: dampings, and what vanishes with them. */
static int has_second(const char *unit)
{
    for (const char *p = unit; *p; p++)
        if (*p == 's' && (p == unit || strchr("*/ (", p[-1])) && (!p[1] || strchr("*/^ )", p[1]))) return 1;
    return 0;
}

/* Without damping r = d/dt dT/dv - dT/dq + dV/dq, the time derivative along q + v t + a t^2/2; in body axes
 * of space d/dt dT/dw + w x dT/dw. */
static void check_lagrange(kit_case *k)
{
    int nv = k->in.nv;
    double *keep = kit_array(k, k->in.ns), *r = kit_array(k, nv), *eq = kit_array(k, 2 * nv),
           *ev = kit_array(k, 2 * nv);
    double e[2];
    kit_num num;
    memcpy(keep, k->base, (size_t)k->in.ns * sizeof *keep);
    for (int j = 0; j < k->in.ns; j++)
        if ((has_second(kit_slot(k, j)->unit) || kit_slot(k, j)->flags & SN_DISSIPATES) &&
            kit_slot(k, j)->lo <= 0)
            k->base[j] = 0;
    if (kit_move(k, KIT_NONE, 0, 0) == SN_OK && residual(k, NULL, r) == SN_OK) {
        gradients(k, e, eq, ev);
        kit_diff(k, KIT_TIME, 0, momentum, NULL, nv, &num);
        for (int i = 0; i < nv; i++) r[i] += eq[i] - eq[nv + i];
        for (int i = 0; i < k->nn; i++) {
            int at = k->offv[i] + k->node[i].cls->dim;
            double spin[3];
            if (!kit_curved(k, i)) continue;
            sn_cross3(k->v + at, ev + at, spin);
            for (int l = 0; l < 3; l++) r[at + l] -= spin[l];
        }
        num.top = fmax(num.top, kit_top(eq, 2 * nv));
        kit_check(k, "Lagrange", 0, &num, 0, nv, r, 1);
    }
    memcpy(k->base, keep, (size_t)k->in.ns * sizeof *keep);
    kit_move(k, KIT_NONE, 0, 0);
}

static sn_status output(kit_case *k, const void *ctx, double *y)
{
    const int *c = ctx;
    show(k, 1);
    return class_of(k)->output(&k->in, c[0], c[1], y, NULL);
}

/* The last item of the list that an output called "plies.stress" is known for, from 0. */
static int last_item(const kit_case *k, const char *output)
{
    size_t list = strcspn(output, ".");
    const sn_slot *s = k->kind->slots;
    for (int i = 0; output[list] && s[i].name; i++)
        if (!strncmp(s[i].name, output, list + 1)) return k->slot_n[i] > 1 ? k->slot_n[i] - 1 : 0;
    return 0;
}

/* How many numbers the sensor has that reads this output. */
static int asks(const kit_case *k, int which)
{
    int n = 0;
    for (const sn_sensor_class *const *c = sn_sensor_all(); *c; c++)
        for (const sn_slot *s = (*c)->slots; (*c)->source == SN_FROM_ELEMENT && s->name; s++)
            if (!strcmp((*c)->output, class_of(k)->outputs[which].name)) n += s->n;
    return n;
}

/* By the numbers of the sensor that asks: differences of fourth order. */
static void check_asked(kit_case *k, const int *ctx, int n, double *asked)
{
    static const double step[4] = {1e-3, -1e-3, 2e-3, -2e-3}, weight[4] = {8, -8, -1, 1};
    double *y = kit_array(k, n), *num = kit_array(k, n);
    for (int i = 0; i < asks(k, ctx[0]); i++) {
        const double x = asked[i];
        memset(num, 0, (size_t)n * sizeof *num);
        for (int l = 0; l < 4; l++) {
            asked[i] = x + step[l];
            output(k, ctx, y);
            for (int j = 0; j < n; j++) num[j] += weight[l] / 12e-3 * y[j];
        }
        asked[i] = x;
        class_of(k)->doutput(&k->in, ctx[0], ctx[1], k->in.ns + k->in.nq + 3 + i, y);
        kit_same(k, "doutput by a number of the sensor", i, y, num, n, 1, 1e-9);
    }
}

static void check_output(kit_case *k, int which, int end)
{
    static const kit_var var[] = {KIT_Q, KIT_V, KIT_A};
    static const char *const name[] = {"output by q", "output by v", "output by a"};
    const sn_output_places *places = class_of(k)->places;
    const char *const *name_of, *const *unit_of;
    int nv = k->in.nv, n = class_of(k)->outputs[which].n, index, ctx[2] = {which, end};
    if (places && places->output == which) {
        ctx[1] = end = end + 1;
        if (end > places->count(k->in.block)) return;
        n = places->components(k->in.block, &name_of, &unit_of);
    }
    double *y = kit_array(k, n), *plain = kit_array(k, n), *d[3];
    double *asked = kit_array(k, asks(k, which) + 1);
    kit_num num;
    for (int i = 0; i < asks(k, which); i++) asked[i] = kit_random(&k->seed, -1, 1);
    k->in.asked = asked;
    for (int l = 0; l < 3; l++) d[l] = kit_array(k, n * nv);
    if (output(k, ctx, plain) != SN_OK) {
        if (end == 0) kit_fail(k, "output refused", which, end, 1, 0);
        return;
    }
    class_of(k)->output(&k->in, which, end, y, &(sn_dout){.q = d[0], .v = d[1], .a = d[2]});
    kit_same(k, "output with derivatives", which, y, plain, n, 0, 1e-14);
    for (int l = 0; l < 3; l++)
        for (int j = 0; j < nv; j++) {
            kit_diff(k, var[l], j, output, ctx, n, &num);
            kit_check(k, name[l], j, &num, 0, n, d[l] + j, nv);
        }
    for (int i = 0; i < k->in.ns + k->in.nq + 3; i++) {
        kit_var v = kit_parameter(k, i, &index);
        if (!kit_diff(k, v, index, output, ctx, n, &num)) continue;
        show(k, 1);
        class_of(k)->doutput(&k->in, which, end, i, y);
        kit_check(k, "doutput", i, &num, 0, n, y, 1);
    }
    check_asked(k, ctx, n, asked);
}

/* Force a length and, in the plane one, in space three numbers of a moment a length. */
typedef struct load {
    double w[6];
    int turning;
} load;

static load draw_load(kit_case *k, int turning)
{
    load p = {.turning = turning};
    for (int i = 0; i < 6; i++) p.w[i] = kit_random(&k->seed, -1, 1);
    return p;
}

static sn_status distribute(kit_case *k, const void *ctx, double *y)
{
    const load *p = ctx;
    memset(y, 0, (size_t)k->in.nv * sizeof *y);
    show(k, 0);
    return class_of(k)->distribute(&k->in, p->w, p->turning, y, NULL);
}

/* A dead force has a potential, in the plane also a moment. */
static void check_dead_load(kit_case *k, const load *given)
{
    double *r = kit_array(k, k->in.nv), *K = kit_array(k, k->in.nv * k->in.nv);
    load p = *given;
    if (kit_dim(k) == 3) p.w[3] = p.w[4] = p.w[5] = 0;
    show(k, 0);
    class_of(k)->distribute(&k->in, p.w, 0, r, K);
    check_symmetry(k, "K of a dead load", r, K);
}

static void check_distribute(kit_case *k, int turning)
{
    int nv = k->in.nv, index;
    double *r = kit_array(k, nv), *plain = kit_array(k, nv), *K = kit_array(k, nv * nv);
    load p = draw_load(k, turning);
    kit_num num;
    distribute(k, &p, plain);
    for (int i = 0; i < nv; i++) r[i] = 1;
    class_of(k)->distribute(&k->in, p.w, turning, r, K);
    for (int i = 0; i < nv; i++) r[i] -= 1;
    kit_same(k, "distribute added", 0, r, plain, nv, 1, 1e-13);
    for (int j = 0; j < nv; j++) {
        kit_diff(k, KIT_Q, j, distribute, &p, nv, &num);
        kit_check(k, "distribute K", j, &num, 0, nv, K + j, nv);
    }
    if (!turning) check_dead_load(k, &p);
    for (int i = 0; i < k->in.ns + k->in.nq + 3; i++) {
        kit_var v = kit_parameter(k, i, &index);
        if (!kit_diff(k, v, index, distribute, &p, nv, &num)) continue;
        memset(r, 0, (size_t)nv * sizeof *r);
        show(k, 0);
        class_of(k)->ddistribute(&k->in, p.w, turning, i, r);
        kit_check(k, "ddistribute", i, &num, 0, nv, r, 1);
    }
}

/* Largest difference between a force there and the force r here turned along. */
static double moved_force(kit_case *k, const kit_motion *t, int placed, kit_fn *force, const void *ctx,
                          const double *r, double *there, double *want)
{
    double top = 0;
    force(k, ctx, there);
    memcpy(want, r, (size_t)k->in.nv * sizeof *want);
    kit_turn_rates(k, t, placed, want);
    for (int i = 0; i < k->in.nv; i++) top = fmax(top, fabs(want[i] - there[i]));
    return top;
}

/* A load along the element's axes turns with it, another one when its vectors are turned. */
static void check_rigid_load(kit_case *k, const kit_motion *t)
{
    int nv = k->in.nv;
    double *r = kit_array(k, nv), *there = kit_array(k, nv), *want = kit_array(k, nv);
    for (int turning = 0; turning < 2; turning++) {
        load p = draw_load(k, turning);
        kit_move(k, KIT_NONE, 0, 0);
        distribute(k, &p, r);
        if (kit_rigid(k, t, 0, 0) != SN_OK) continue;
        if (!turning) kit_turn(t, p.w);
        if (!turning && t->dim == 3) kit_turn(t, p.w + 3);
        moved_force(k, t, 0, distribute, &p, r, there, want);
        kit_same(k, "load after a rigid motion", turning, there, want, nv, 1, 1e-11);
    }
}

/* A vector in the slots may be fixed in space or in the body; under a placement it always turns along. */
static void check_rigid(kit_case *k)
{
    int nv = k->in.nv, body = (class_of(k)->flags & SN_CONSERVATIVE) != 0;
    double *r = kit_array(k, nv), *there = kit_array(k, nv), *want = kit_array(k, nv);
    kit_motion t = kit_draw_motion(k);
    if (residual(k, NULL, r) != SN_OK) return;
    if (kit_rigid(k, &t, 1, 1) == SN_OK) {
        moved_force(k, &t, 1, residual, NULL, r, there, want);
        kit_same(k, "r placed elsewhere", 0, there, want, nv, 1, 1e-11);
    }
    if (body && kit_rigid(k, &t, 0, 0) == SN_OK) {
        if (moved_force(k, &t, 0, residual, NULL, r, there, want) > 1e-11 * fmax(kit_top(r, nv), 1))
            kit_rigid(k, &t, 0, 1), moved_force(k, &t, 0, residual, NULL, r, there, want);
        kit_same(k, "r after a rigid motion", 0, there, want, nv, 1, 1e-11);
    }
    if (class_of(k)->distribute) check_rigid_load(k, &t);
    kit_move(k, KIT_NONE, 0, 0);
}

/* Undeformed in the field g, accelerated by g: the residual is that without field and acceleration. */
static void check_fall(kit_case *k)
{
    int nv = k->in.nv, nq = k->in.nq;
    double *keep = kit_array(k, k->size), *r = kit_array(k, nv), *fall = kit_array(k, nv), g[3];
    kit_motion t = kit_draw_motion(k);
    memcpy(keep, k->base, (size_t)k->size * sizeof *keep);
    memcpy(k->base + (k->q - k->live), k->base + (k->X - k->live), (size_t)nq * sizeof *keep);
    if (kit_rigid(k, &t, 0, 0) == SN_OK) {
        memcpy(g, k->g, sizeof g);
        memset(k->v, 0, (size_t)nv * sizeof *k->v);
        memset(k->a, 0, (size_t)nv * sizeof *k->a);
        for (int i = 0; i < k->nn; i++)
            if (k->view[i] != SN_SCALARS) memcpy(k->a + k->offv[i], g, (size_t)t.dim * sizeof *g);
        residual(k, NULL, fall);
        memset(k->a, 0, (size_t)nv * sizeof *k->a);
        memset(k->g, 0, sizeof g);
        residual(k, NULL, r);
        kit_same(k, "free fall", 0, fall, r, nv, 1, 1e-11);
    }
    memcpy(k->base, keep, (size_t)k->size * sizeof *keep);
    kit_move(k, KIT_NONE, 0, 0);
}

/* How near its limit an element is does not change with a rigid motion of many turns (angles from their
   cosines: half the digits). */
static void check_limit(kit_case *k)
{
    kit_motion t = kit_draw_motion(k);
    double near[2] = {0};
    for (int i = 0; i < 2; i++) {
        sn_limit l = {.most = 1};
        if (i && kit_rigid(k, &t, 0, 0) != SN_OK) break;
        if (class_of(k)->limit(&k->in, &l)) near[i] = l.angle / l.most;
        if (near[i] > 0 && !(l.what && l.remedy && near[i] >= SN_LIMIT_NEAR)) near[i] = -1;
        if (i) kit_same(k, "limit after a rigid motion", 0, near + 1, near, 1, 1, 1e-7);
    }
    kit_move(k, KIT_NONE, 0, 0);
}

/* All numbers of all fields are written and finite (but for those that a section is needed for), and those
   without a sign are not negative. */
static void check_fields(kit_case *k)
{
    const sn_element_class *c = class_of(k);
    int n = 0, at = 0;
    for (const sn_field_decl *f = c->fields; f->name; f++) n += f->points * f->n;
    double *y = kit_array(k, n);
    for (int i = 0; i < n; i++) y[i] = NAN;
    show(k, 1);
    if (c->field(&k->in, NULL, y) != SN_OK) kit_fail(k, "status of field", 0, 0, 1, 0);
    for (const sn_field_decl *f = c->fields; f->name; at += f->points * f->n, f++)
        for (int i = 0; i < f->points * f->n && !(f->flags & SN_FIELD_OF_SECTION); i++) {
            int good = isfinite(y[at + i]) && ((f->flags & SN_FIELD_SIGNED) || y[at + i] >= 0);
            if (good) kit_note(k, 0);
            if (!good) kit_fail(k, f->name, i, at, y[at + i], 0);
        }
}

/* v of all nodes in a rigid motion: shift u, turn w about the origin, both along global axes */
static void rigid_rates(const kit_case *k, const double *u, const double *w, double *v)
{
    for (int i = 0; i < k->nn; i++) {
        const double *q = k->q + k->off[i];
        double R[9], *vi = v + k->offv[i];
        sn_cross3(w, q, vi);
        for (int l = 0; l < 3; l++) vi[l] += u[l];
        if (!sn_is_frame(k->in.view, i)) continue;
        sn_quat_matrix(q + 3, R);
        sn_tmul3(R, w, vi + 3);
    }
}

/* A particle of the reference configuration moves in a rigid motion as its place does. */
static void check_particle_place(kit_case *k, int p, const double *x, const double *N)
{
    const int nv = k->in.nv;
    double *v = kit_array(k, nv), u[3], w[3], y[3] = {0, 0, 0}, want[3];
    for (int i = 0; i < 3; i++) u[i] = kit_random(&k->seed, -1, 1), w[i] = kit_random(&k->seed, -1, 1);
    rigid_rates(k, u, w, v);
    sn_cross3(w, x, want);
    for (int l = 0; l < 3; l++) {
        want[l] += u[l];
        for (int i = 0; i < nv; i++) y[l] += N[nv * l + i] * v[i];
    }
    kit_same(k, "velocity of a particle", p, y, want, 3, 10, 1e-13);
}

/* The sum of m N'N is M, here or (reference) where the nodes were written. */
static void check_particles(kit_case *k, int reference)
{
    const int nv = k->in.nv, mark = kit_mark(k);
    double *r = kit_array(k, nv), *mat[3], *sum = kit_array(k, nv * nv), *N = kit_array(k, 3 * nv), m, x[3],
           size = 0;
    for (int l = 0; l < 3; l++) mat[l] = kit_array(k, nv * nv);
    if (reference) memcpy(k->q, k->X, (size_t)k->in.nq * sizeof *k->q);
    if (full(k, 0, r, mat) != SN_OK) kit_fail(k, "status with tangent", 0, 0, 1, 0);
    for (int p = 0; class_of(k)->particle(&k->in, p, &m, x, N); p++) {
        const int inside = kit_mark(k);
        for (int i = 0; i < nv; i++)
            for (int j = 0; j < nv; j++)
                for (int l = 0; l < 3; l++) {
                    sum[nv * i + j] += m * N[nv * l + i] * N[nv * l + j];
                    size = fmax(size, fabs(m * N[nv * l + i] * N[nv * l + j]));
                }
        if (reference) check_particle_place(k, p, x, N);
        kit_release(k, inside);
    }
    kit_same(k, "sum of m N'N", reference, sum, mat[2], nv * nv, size, 1e-13);
    kit_move(k, KIT_NONE, 0, 0);
    kit_release(k, mark);
}

/* Why a check does not apply to an element, or NULL. */
static const char *lacks(int there, const char *what) { return there ? NULL : what; }

static void element_case(kit_case *k)
{
    const sn_element_class *c = class_of(k);
    const char *odd = lacks(k->defaults, "an option is not at its default"), *still = kit_not_rigid(k);
    const unsigned both = SN_USES_A | SN_CONSERVATIVE;
    int mark = kit_mark(k);
    if (kit_begin(k, "tangents K, C, M, sums", NULL)) check_tangent(k), kit_release(k, mark);
    if (kit_begin(k, "dparam", NULL)) check_parameters(k), kit_release(k, mark);
    if (kit_begin(k, "dtogether", lacks(c->dtogether != NULL, "it has none")))
        check_together(k), kit_release(k, mark);
    if (kit_begin(k, "constants of varying slots", kit_not_constant(k)))
        kit_check_constants(k), kit_release(k, mark);
    if (kit_begin(k, "symmetry, gradient of the potential",
                  lacks(c->flags & (SN_SYMMETRIC | SN_CONSERVATIVE),
                        "it claims neither SN_SYMMETRIC nor SN_CONSERVATIVE")))
        check_static(k), kit_release(k, mark);
    if (kit_begin(k, "energy, denergy", lacks(c->energy != NULL, "it has no energy")))
        check_energy(k), kit_release(k, mark);
    if (kit_begin(k, "Lagrange's equations",
                  !c->energy                  ? "it has no energy"
                  : (c->flags & both) != both ? "it has no inertia, or no potential"
                                              : odd))
        check_lagrange(k), kit_release(k, mark);
    if (kit_begin(k, "outputs, doutput", lacks(c->outputs != NULL, "it has no outputs")))
        for (int i = 0; c->outputs[i].name; i++)
            for (int end = 0; end <= (k->nn > 1 ? 2 : 1); end++) {
                check_output(k, i, end), kit_release(k, mark);
                int last = last_item(k, c->outputs[i].name);
                if (last) check_output(k, i, end + (k->nn + 1) * last), kit_release(k, mark);
            }
    if (kit_begin(k, "distribute, ddistribute", lacks(c->distribute != NULL, "it carries no load")))
        for (int i = 0; i < 2; i++) check_distribute(k, i), kit_release(k, mark);
    if (kit_begin(k, "rigid motions", odd ? odd : still)) check_rigid(k), kit_release(k, mark);
    if (kit_begin(k, "pair, dpair", lacks(c->pair != NULL, "it has no pair")))
        kit_check_pair(k), kit_release(k, mark);
    if (kit_begin(k, "limit", !c->limit ? "it has none" : still)) check_limit(k), kit_release(k, mark);
    if (kit_begin(k, "free fall", !(c->flags & SN_USES_A) ? "it has no inertia" : odd ? odd : still))
        check_fall(k), kit_release(k, mark);
    if (kit_begin(k, "particles", lacks(c->particle != NULL, "it has none")))
        check_particles(k, 0), check_particles(k, 1);
    if (kit_begin(k, "fields", lacks(c->fields != NULL, "it has none")))
        check_fields(k), kit_release(k, mark);
}

int conform_element(const sn_element_class *c, const void *block, int quiet)
{
    kit_kind kind = KIT_KIND("element", c, 0);
    kind.block = block, kind.inner = c->inner, kind.tied = c->tie != NULL;
    kind.quiet = quiet;
    return kit_run(&kind, element_case);
}
