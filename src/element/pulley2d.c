/* pulley2d: contact with friction of a node, of a belt or a rope, with a round planar body.

   d = x2 - x1 from the body's node, its centre, l = |d|, n = d/l, t = J n; with u = v2 - v1 and the spin w
   the depth p = radius - l, its rate pd = -n.u, and the sliding speed s = t.u - w l of the node over the body
   there. N = k g(p) + c g'(p) pd, never pulling, as in stop_law.h; F = mu N f(s), f of math/friction.h. The
   force on the node is N n - F t, on the body its opposite at the same place: r = (N n - F t, -F l, -N n + F
   t).
 */
#include "element/section_forces.h"
#include "element/stop_law.h"
#include "math/friction.h"
#include "math/plane.h"

extern const sn_element_class sn_element_pulley2d;

enum { RADIUS, STIFF, DAMP, ONSET, MU, V0, NS };
enum { NV = 5, W = 2, X2 = 3 };
enum { OUT_FORCE, OUT_FORCE_LOCAL };

typedef struct contact {
    double n[2], t[2], u[2], l, w; /* w: spin of the body */
    double p, pd, s;               /* depth, its rate, sliding speed */
    double N, Np, Nv;              /* force and its derivatives by p and pd */
    double F, fs, fv0, f;          /* friction; f(s), its derivatives by s and v0 */
} contact;

/* A change of what the forces depend on: of d, u, w, and directly of p, N and F/N */
typedef struct change {
    double d[2], u[2], w, p, N, f;
} change;

/* Opens the contact; 0: the node is off the body. */
static int touch(const sn_in *in, contact *y)
{
    const double *s = in->s, *q2 = in->q + in->off[1], *v2 = in->v + in->offv[1];
    const double own[SN_STOP_N] = {
        [SN_STOP_LO] = -SN_INFINITE, [SN_STOP_K] = s[STIFF], [SN_STOP_C] = s[DAMP], [SN_STOP_W] = s[ONSET]};
    const double d[2] = {q2[0] - in->q[0], q2[1] - in->q[1]};
    sn_stop stop;
    sn_friction f;
    y->l = sqrt(sn_dot2(d, d)), y->w = in->v[W];
    if (!(y->l > 0)) return 0; /* at the centre: no direction */
    for (int k = 0; k < 2; k++) y->n[k] = d[k] / y->l, y->u[k] = v2[k] - in->v[k];
    y->t[0] = -y->n[1], y->t[1] = y->n[0];
    y->p = s[RADIUS] - y->l, y->pd = -sn_dot2(y->n, y->u), y->s = sn_dot2(y->t, y->u) - y->w * y->l;
    sn_stop_open(own, SN_STOP_HIGH, y->p, y->pd, &stop);
    if (stop.side == 0) return 0;
    y->N = stop.n, y->Np = s[STIFF] * stop.g1 + s[DAMP] * stop.g2 * y->pd, y->Nv = s[DAMP] * stop.g1;
    sn_friction_at(0, y->s, s[V0], 10 * s[V0], 1, &f);
    y->f = f.f, y->fs = f.v, y->fv0 = f.v0;
    y->F = s[MU] * y->N * y->f;
    return 1;
}

static void add(const contact *y, double N, double F, double *r)
{
    for (int k = 0; k < 2; k++) {
        r[k] += N * y->n[k] - F * y->t[k];
        r[X2 + k] -= N * y->n[k] - F * y->t[k];
    }
    r[W] -= F * y->l;
}

/* What a change makes of N, F and s; with the turn of n and t, dr += */
static void vary(const sn_in *in, const contact *y, const change *c, double *dr, double *dN, double *dF,
                 double *ds)
{
    const double dl = sn_dot2(y->n, c->d), turn = sn_dot2(y->t, c->d) / y->l, mu = in->s[MU];
    const double dp = c->p - dl, dpd = -sn_dot2(y->n, c->u) - turn * sn_dot2(y->t, y->u);
    *ds = sn_dot2(y->t, c->u) - turn * sn_dot2(y->n, y->u) - c->w * y->l - y->w * dl;
    *dN = c->N + y->Np * dp + y->Nv * dpd;
    *dF = mu * (*dN * y->f + y->N * y->fs * *ds) + c->f * y->N;
    if (!dr) return;
    add(y, *dN, *dF, dr);
    for (int k = 0; k < 2; k++) {
        const double f = turn * (y->N * y->t[k] + y->F * y->n[k]); /* dn = turn t, dt = -turn n */
        dr[k] += f, dr[X2 + k] -= f;
    }
    dr[W] -= y->F * dl;
}

/* The change by coordinate j (`rate`: of v) */
static change unit(int j, int rate)
{
    change c = {.w = rate && j == W};
    double *x = rate ? c.u : c.d;
    if (j != W) x[j % X2] = j < X2 ? -1 : 1;
    return c;
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    contact y;
    double dN, dF, ds;
    (void)M;
    if (!touch(in, &y)) return SN_OK;
    add(&y, y.N, y.F, r);
    for (int j = 0; K && j < NV; j++)
        for (int rate = 0; rate < (C ? 2 : 1); rate++) {
            double dr[NV] = {0};
            const change c = unit(j, rate);
            vary(in, &y, &c, dr, &dN, &dF, &ds);
            for (int i = 0; i < NV; i++) (rate ? C : K)[NV * i + j] += dr[i];
        }
    return SN_OK;
}

/* The change by a slot */
static change by_slot(const sn_in *in, const contact *y, int index)
{
    const double *s = in->s;
    const double w = s[ONSET];
    const int full = y->p >= w;
    change c = {.p = index == RADIUS};
    if (index == STIFF) c.N = full ? y->p - 0.5 * w : 0.5 * y->p * y->p / w;
    if (index == DAMP) c.N = (full ? 1 : y->p / w) * y->pd;
    if (index == ONSET)
        c.N = full ? -0.5 * s[STIFF] : -y->p * (0.5 * s[STIFF] * y->p + s[DAMP] * y->pd) / (w * w);
    if (index == MU) c.f = y->f;
    if (index == V0) c.f = s[MU] * y->fv0;
    return c;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    contact y;
    double dN, dF, ds;
    if (index >= NS || !touch(in, &y)) return SN_OK;
    const change c = by_slot(in, &y, index);
    vary(in, &y, &c, dr, &dN, &dF, &ds);
    return SN_OK;
}

/* The rows of one end of the residual */
static void end_rows(int end, const double *r, double *y)
{
    const int first = end != 1;
    y[0] = r[first ? X2 : 0], y[1] = r[first ? X2 + 1 : 1], y[2] = first ? 0 : r[W];
}

static void local(double N, double F, double s, double *out) { out[0] = N, out[1] = F, out[2] = s; }

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    contact c;
    double r[NV] = {0}, dN, dF, ds;
    y[0] = y[1] = y[2] = 0;
    if (!touch(in, &c)) return SN_OK;
    add(&c, c.N, c.F, r);
    if (which == OUT_FORCE)
        end_rows(end, r, y);
    else
        local(c.N, c.F, c.s, y);
    for (int j = 0; d && j < NV; j++)
        for (int rate = 0; rate < 2; rate++) {
            double dr[NV] = {0}, dy[3], *to = rate ? d->v : d->q;
            const change x = unit(j, rate);
            vary(in, &c, &x, dr, &dN, &dF, &ds);
            if (which == OUT_FORCE)
                end_rows(end, dr, dy);
            else
                local(dN, dF, ds, dy);
            for (int k = 0; to && k < 3; k++) to[NV * k + j] += dy[k];
        }
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    contact c;
    double dr[NV] = {0}, dN, dF, ds;
    dy[0] = dy[1] = dy[2] = 0;
    if (index >= NS || !touch(in, &c)) return SN_OK;
    const change x = by_slot(in, &c, index);
    vary(in, &c, &x, dr, &dN, &dF, &ds);
    if (which == OUT_FORCE)
        end_rows(end, dr, dy);
    else
        local(dN, dF, ds, dy);
    return SN_OK;
}

/* Of the normal force alone */
static int open_at_rest(const sn_in *in, double *n, double *p)
{
    const double *q2 = in->q + in->off[1], d[2] = {q2[0] - in->q[0], q2[1] - in->q[1]},
                 l = sqrt(sn_dot2(d, d));
    *p = in->s[RADIUS] - l;
    if (!(l > 0) || !(*p > 0)) return 0;
    n[0] = d[0] / l, n[1] = d[1] / l;
    return 1;
}

static double depth(const sn_in *in, double p) /* g(p) */
{
    const double w = in->s[ONSET];
    return p >= w ? p - 0.5 * w : 0.5 * p * p / w;
}

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    double n[2], p;
    e[0] = e[1] = 0;
    if (!open_at_rest(in, n, &p)) return;
    e[1] = in->s[STIFF] * sn_stop_work(&(sn_stop){.p = p}, in->s[ONSET]);
    for (int k = 0; de && de->q && k < 2; k++) {
        const double f = in->s[STIFF] * depth(in, p) * n[k];
        de->q[NV + k] += f, de->q[NV + X2 + k] -= f;
    }
}

static void denergy(const sn_in *in, int index, double *de)
{
    const double w = in->s[ONSET];
    double n[2], p;
    de[0] = de[1] = 0;
    if (!open_at_rest(in, n, &p)) return;
    if (index == RADIUS) de[1] = in->s[STIFF] * depth(in, p);
    if (index == STIFF) de[1] = sn_stop_work(&(sn_stop){.p = p}, w);
    if (index == ONSET) de[1] = in->s[STIFF] * sn_stop_work_w(&(sn_stop){.p = p}, w);
}

static const sn_slot slots[] = {
    {"radius", "m", "of the body, about its node", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"k", "N/m", "stiffness of the contact", 1, 0, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"c", "N*s/m", "damping of the contact", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"onset", "m", "depth over which stiffness and damping come in", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"mu", "", "friction: its kinetic coefficient", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"v0", "m/s", "sliding speed over which the jump of friction is smoothed", 1, SN_POSITIVE, 1e-3, 0,
     SN_INFINITE, NULL},
    {0},
};

static const sn_output outputs[] = {
    {"force",
     "force on the element at its end (2 unless asked), 1: the body",
     3,
     {"fx", "fy", "torque"},
     {"N", "N", "N*m"}},
    {"force_local",
     "normal force, friction force and sliding speed of the node over the body",
     3,
     {"N", "F", "slip"},
     {"N", "N", "m/s"}},
    {0},
};

const sn_element_class sn_element_pulley2d = {
    .name = "pulley2d",
    .doc = "contact with friction of a node, of a belt or a rope, with a round planar body",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 2, .ask = SN_POSITION, .ask_first = SN_FRAME},
    .slots = slots,
    .outputs = outputs,
    .flags = SN_USES_V | SN_CONSERVATIVE | SN_SYMMETRIC,
    .eval = eval,
    .dparam = dparam,
    .output = output,
    .doutput = doutput,
    .energy = energy,
    .denergy = denergy,
};
