/* screw: a cylindrical joint whose way D = (R1 z) . (p2 - p1) and turn about the axis z belong together,
   D = pitch turn / (2 pi). The fifth equation is

     phi_5 = (R1 d) . (R2 x),   d = cos(a) y - sin(a) x,   a = k D,   k = 2 pi / pitch

   which is sin(turn - a): it holds at position level for any number of turns and counts none. With f(d) =
   (R1 d) . (R2 x), f' = f(d'), d' = dd/da, d'' = -d: gradient g_f + k f' g_D, and second derivatives
   K_f + k (g_f' g_D' + g_D g_f'') - k^2 f g_D g_D' + k f' K_D (g_f' the gradient of f', primes of products
   transposed). A positive pitch is a right-handed thread. */
#include "joint/space.h"

extern const sn_joint_class sn_joint_screw;

enum { PITCH = 6 };
static const double two_pi = 6.283185307179586;

static const sn_slot slots[] = {
    SN_SPACE_AT,
    SN_SPACE_AXIS("axis", "of the screw"),
    {"pitch", "m", "displacement along the axis per turn; positive: right-handed", 1, 0, SN_REQUIRED,
     -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static const sn_space list = {
    .n = 4,
    .eq = {{SN_WITHIN, 0, 0, "normal1", "m"},
           {SN_WITHIN, 1, 0, "normal2", "m"},
           {SN_SQUARE, 0, 2, "tilt1", "rad"},
           {SN_SQUARE, 1, 2, "tilt2", "rad"}},
    .at = 0,
    .axis = 3,
    .axis2 = -1,
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    SN_TRY(sn_space_layout(&list, l, err));
    l->component[l->m] = "thread";
    l->unit[l->m++] = "rad";
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    if (in->s[PITCH] == 0)
        return sn_fail(err, SN_ERR_INPUT, NULL, "a screw with pitch 0 is a hinge: use revolute");
    return sn_space_prepare(&list, in, c, err);
}

/* What the fifth equation is made of: D, f(d), f(d'). */
typedef struct thread {
    double k, cos, sin, d[3], dd[3];
    sn_row D, f, df;
} thread;

/* d = cos y - sin x, d' = -sin y - cos x */
static void combine(const thread *t, const double *axes, double *d, double *dd)
{
    for (int i = 0; i < 3; i++) {
        d[i] = t->cos * axes[3 + i] - t->sin * axes[i];
        dd[i] = -t->sin * axes[3 + i] - t->cos * axes[i];
    }
}

static void measure(const sn_in *in, const sn_pair *p, thread *t)
{
    const double *x = in->c + SN_SPACE_AXES;
    t->k = two_pi / in->s[PITCH];
    sn_pair_within(p, x + 6, &t->D);
    t->cos = cos(t->k * t->D.phi);
    t->sin = sin(t->k * t->D.phi);
    combine(t, x, t->d, t->dd);
    sn_pair_square(p, t->d, x, &t->f);
    sn_pair_square(p, t->dd, x, &t->df);
}

/* K += lam times the second derivatives of phi_5 */
static void curvature(const sn_in *in, const sn_pair *p, const thread *t, double lam, double *K)
{
    const double *x = in->c + SN_SPACE_AXES;
    double d[3], z[3], gD[SN_PAIR_MAX] = {0}, gf[SN_PAIR_MAX] = {0}, k = t->k;
    for (int i = 0; i < 3; i++) {
        d[i] = lam * t->d[i];
        z[i] = lam * k * t->df.phi * x[6 + i];
    }
    sn_pair_square_K(p, d, x, K);
    sn_pair_within_K(p, z, K);
    sn_row_put(p, 1, &t->D, gD);
    sn_row_put(p, 1, &t->df, gf);
    for (int i = 0; i < p->nv; i++)
        for (int j = 0; j < p->nv; j++)
            K[i * p->nv + j] += lam * k * (gf[i] * gD[j] + gD[i] * gf[j] - k * t->f.phi * gD[i] * gD[j]);
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    int n = list.n;
    sn_pair p;
    thread t;
    SN_TRY(sn_space_eval(&list, in, out));
    sn_space_pair(in, &p);
    measure(in, &p, &t);
    sn_row g = t.f;
    out->phi[n] = t.f.phi;
    sn_row_add(t.k * t.df.phi, &t.D, &g);
    sn_row_put(&p, in->lam[n], &g, out->r);
    if (!out->B) return SN_OK;
    memset(out->B + n * in->nv, 0, sizeof *out->B * (size_t)in->nv);
    sn_row_put(&p, 1, &g, out->B + n * in->nv);
    curvature(in, &p, &t, in->lam[n], out->K);
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    double K[SN_PAIR_MAX * SN_PAIR_MAX] = {0};
    sn_pair p;
    thread t;
    SN_TRY(sn_space_rate(&list, in, phi_t, gamma));
    sn_space_pair(in, &p);
    measure(in, &p, &t);
    curvature(in, &p, &t, 1, K);
    phi_t[list.n] = 0;
    gamma[list.n] = sn_pair_bend(&p, K, in->v);
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    const double *x = in->c + SN_SPACE_AXES;
    double dc[SN_SPACE_NC], d[3], dd[3], lam = in->lam[list.n];
    sn_pair p;
    thread t;
    sn_row r, dD, df, ddf;
    SN_TRY(sn_space_dparam(&list, in, index, dr, dphi));
    sn_space_pair(in, &p);
    sn_space_dconstants(&list, in, index, dc);
    measure(in, &p, &t);
    sn_space_dway(in, &p, dc, &dD);
    /* f and f' with the axes' changes at the same angle */
    combine(&t, dc + SN_SPACE_AXES, d, dd);
    sn_pair_square(&p, d, x, &df);
    sn_pair_square(&p, t.d, dc + SN_SPACE_AXES, &r);
    sn_row_add(1, &r, &df);
    sn_pair_square(&p, dd, x, &ddf);
    sn_pair_square(&p, t.dd, dc + SN_SPACE_AXES, &r);
    sn_row_add(1, &r, &ddf);
    double dk = index == PITCH ? -t.k / in->s[PITCH] : 0, da = dk * t.D.phi + t.k * dD.phi;
    dphi[list.n] += df.phi + t.df.phi * da;
    /* of the gradient g_f + k f' g_D */
    sn_row sum = df;
    sn_row_add(da, &t.df, &sum);
    sn_row_add(dk * t.df.phi + t.k * (ddf.phi - t.f.phi * da), &t.D, &sum);
    sn_row_add(t.k * t.df.phi, &dD, &sum);
    sn_row_put(&p, lam, &sum, dr);
    return SN_OK;
}

static const sn_geometry geometry = {SN_SHAPE_NONE, SN_STRAIGHT, "slider", 0, NULL};

const sn_joint_class sn_joint_screw = {
    .name = "screw",
    .doc = "nut on a thread, between two spatial frames",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
    .geometry = &geometry,
};
