/* rolling: a wheel that rolls on a plane fixed in space without slip, upright or tilted. The node is the
   wheel's centre, u its axis (fixed in the body), n the normal of the plane on the wheel's side; the rim has
   the radius a = radius - edge and is rounded by a torus of radius `edge` (0: a thin disc).

   In body axes: nu = R'n, mu = nu.u, sigma = sqrt(1 - mu^2), m = -(nu - mu u)/sigma the direction to the
   lowest point of the rim, c = a m - edge nu the vector to the contact point, which moves in the body. With
   t_1, t_2 in the plane, tau_i = R't_i and the angular velocity w:

     phi_1 = n.(x - point) - a sigma - edge               position level: contact
     psi_i = t_i.v + w.(c x tau_i)                        velocity level: the material point of contact is at
   rest

   Reaction B_1'lam_1 + G_i'lam_i. The contact holds both ways: the wheel is not released when the first
   multiplier would pull. Limit: a wheel that lies flat has no lowest point. Constants: n (0), t_1 (3), t_2
   (6), u (9), lengths of normal and axis as given (12, 13). */
#include "joint/space.h"

extern const sn_joint_class sn_joint_rolling;

enum { RADIUS = 0, EDGE = 1, POINT = 2, NORMAL = 5, AXIS = 8 };

static const sn_slot slots[] = {
    {"radius", "m", "of the wheel, its rounded edge included", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE,
     NULL},
    {"edge", "m", "radius of the rounded edge (0: sharp)", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"point", "m", "a point of the plane", 3, SN_PLACED, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, "0;0;0"},
    {"normal", "", "of the plane, on the wheel's side, of any length", 3, SN_ROTATES, SN_REQUIRED,
     -SN_INFINITE, SN_INFINITE, "0;0;1"},
    SN_SPACE_AXIS("axis", "of the wheel"),
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = 14;
    l->m = 3;
    l->velocity = 6u;
    l->component[0] = "contact";
    l->component[1] = "slip1";
    l->component[2] = "slip2";
    l->unit[0] = "m";
    l->unit[1] = l->unit[2] = "m/s";
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    c[12] = sn_space_unit(in->s + NORMAL, c);
    c[13] = sn_space_unit(in->s + AXIS, c + 9);
    if (!(c[12] > 0)) return sn_fail(err, SN_ERR_INPUT, NULL, "the normal has no direction: it is (0, 0, 0)");
    if (!(c[13] > 0)) return sn_fail(err, SN_ERR_INPUT, NULL, "the axis has no direction: it is (0, 0, 0)");
    if (in->s[EDGE] >= in->s[RADIUS])
        return sn_fail(err, SN_ERR_INPUT, NULL, "the edge is rounded by less than the wheel's radius");
    sn_space_triad(c, c + 3, c + 6);
    return SN_OK;
}

typedef struct contact {
    double a, R[9], nu[3], mu, sigma, m[3], c[3], beta[3], tau[2][3], C[9]; /* beta = u x nu, C = dc/dth */
} contact;

/* dm for changes of nu, mu and u: m = -(nu - mu u)/sigma, dsigma = -mu/sigma dmu */
static void dlowest(const contact *k, const double *u, const double *dnu, double dmu, const double *du,
                    double *dm)
{
    for (int i = 0; i < 3; i++)
        dm[i] =
            -(dnu[i] - dmu * u[i] - k->mu * du[i]) / k->sigma + k->m[i] * k->mu * dmu / (k->sigma * k->sigma);
}

static sn_status measure(const sn_in *in, contact *k)
{
    static const double none[3] = {0, 0, 0};
    const double *n = in->c, *u = in->c + 9, edge = in->s[EDGE];
    k->a = in->s[RADIUS] - edge;
    sn_quat_matrix(in->q + 3, k->R);
    sn_tmul3(k->R, n, k->nu);
    k->mu = sn_dot3(k->nu, u);
    sn_cross3(u, k->nu, k->beta);
    k->sigma = sqrt(sn_dot3(k->beta, k->beta));
    if (!(k->sigma > 1e-9)) return SN_ERR_NUMERIC;
    for (int i = 0; i < 3; i++) {
        k->m[i] = -(k->nu[i] - k->mu * u[i]) / k->sigma;
        k->c[i] = k->a * k->m[i] - edge * k->nu[i];
    }
    for (int i = 0; i < 2; i++) sn_tmul3(k->R, in->c + 3 + 3 * i, k->tau[i]);
    /* column j of C: nu changes by nu x e_j, mu by beta_j */
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2}, dnu[3], dm[3];
        sn_cross3(k->nu, e, dnu);
        dlowest(k, u, dnu, k->beta[j], none, dm);
        for (int i = 0; i < 3; i++) k->C[3 * i + j] = k->a * dm[i] - edge * dnu[i];
    }
    return SN_OK;
}

/* b = dpsi_i/dth: C'(tau x w) + (w x c) x tau */
static void slip_turn(const sn_in *in, const contact *k, int i, double *b)
{
    double tw[3], wc[3], y[3];
    sn_cross3(k->tau[i], in->v + 3, tw);
    sn_tmul3(k->C, tw, b);
    sn_cross3(in->v + 3, k->c, wc);
    sn_cross3(wc, k->tau[i], y);
    for (int l = 0; l < 3; l++) b[l] += y[l];
}

/* K += lam a (beta beta'/sigma^3 + mu/sigma u~ nu~), second derivatives of phi_1 by th */
static void contact_K(const sn_in *in, const contact *k, double lam, double *K)
{
    const double *u = in->c + 9, f = k->mu / k->sigma, s3 = pow(k->sigma, -3);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K[(3 + i) * 6 + 3 + j] +=
                lam * k->a *
                (s3 * k->beta[i] * k->beta[j] + f * (k->nu[i] * u[j] - (i == j ? sn_dot3(u, k->nu) : 0)));
}

/* K += d(c x T)/dth = -T~ C + c~ T~, T the sum of lam_i tau_i */
static void slip_K(const sn_in *in, const contact *k, double *K)
{
    double T[3], S[9], A[9];
    for (int i = 0; i < 3; i++) T[i] = in->lam[1] * k->tau[0][i] + in->lam[2] * k->tau[1][i];
    sn_skew3(T, S);
    sn_matmul3(S, k->C, A);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K[(3 + i) * 6 + 3 + j] += T[i] * k->c[j] - (i == j ? sn_dot3(T, k->c) : 0) - A[3 * i + j];
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    const double *n = in->c, *P = in->s + POINT, *v = in->v, *lam = in->lam;
    contact k;
    SN_TRY(measure(in, &k));
    const double dx[3] = {in->q[0] - P[0], in->q[1] - P[1], in->q[2] - P[2]};
    double tilt = k.a * k.mu / k.sigma;
    out->phi[0] = sn_dot3(n, dx) - k.a * k.sigma - in->s[EDGE];
    if (out->B) memset(out->B, 0, 18 * sizeof *out->B), memset(out->G, 0, 18 * sizeof *out->G);
    for (int i = 0; i < 3; i++) {
        out->r[i] += n[i] * lam[0];
        out->r[3 + i] += tilt * k.beta[i] * lam[0];
        if (out->B) out->B[i] = n[i], out->B[3 + i] = tilt * k.beta[i];
    }
    for (int i = 0; i < 2; i++) {
        const double *t = in->c + 3 + 3 * i;
        double arm[3];
        sn_cross3(k.c, k.tau[i], arm);
        out->phi[1 + i] = sn_dot3(t, v) + sn_dot3(arm, v + 3);
        for (int l = 0; l < 3; l++) {
            out->r[l] += t[l] * lam[1 + i];
            out->r[3 + l] += arm[l] * lam[1 + i];
            if (out->G) out->G[6 * (1 + i) + l] = t[l], out->G[6 * (1 + i) + 3 + l] = arm[l];
        }
        if (out->B) slip_turn(in, &k, i, out->B + 6 * (1 + i) + 3);
    }
    if (!out->K) return SN_OK;
    contact_K(in, &k, lam[0], out->K);
    slip_K(in, &k, out->K);
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    contact k;
    double K[36] = {0}, b[3];
    SN_TRY(measure(in, &k));
    contact_K(in, &k, 1, K);
    phi_t[0] = phi_t[1] = phi_t[2] = gamma[0] = 0;
    for (int i = 3; i < 6; i++)
        for (int j = 3; j < 6; j++) gamma[0] += in->v[i] * K[6 * i + j] * in->v[j];
    /* psi is linear in v */
    for (int i = 0; i < 2; i++) {
        slip_turn(in, &k, i, b);
        gamma[1 + i] = sn_dot3(b, in->v + 3);
    }
    return SN_OK;
}

/* Changes of what the equations are made of, by the number `index`. */
typedef struct change {
    double a, edge, P[3], n[3], t[2][3], u[3], nu[3], mu, c[3];
} change;

static void change_by(const sn_in *in, const contact *k, int index, change *d)
{
    const double *c = in->c;
    double dw[3] = {0, 0, 0}, dm[3];
    memset(d, 0, sizeof *d);
    d->a = index == RADIUS ? 1 : index == EDGE ? -1 : 0;
    d->edge = index == EDGE;
    if (index >= POINT && index < NORMAL) d->P[index - POINT] = 1;
    if (index >= NORMAL && index < AXIS) {
        dw[index - NORMAL] = 1;
        sn_space_dunit(c, c[12], dw, d->n);
        sn_space_dtriad(c, c + 3, d->n, d->t[0], d->t[1]);
    } else if (index >= AXIS) {
        dw[index - AXIS] = 1;
        sn_space_dunit(c + 9, c[13], dw, d->u);
    }
    sn_tmul3(k->R, d->n, d->nu);
    d->mu = sn_dot3(d->nu, c + 9) + sn_dot3(k->nu, d->u);
    dlowest(k, c + 9, d->nu, d->mu, d->u, dm);
    for (int i = 0; i < 3; i++)
        d->c[i] = d->a * k->m[i] + k->a * dm[i] - d->edge * k->nu[i] - in->s[EDGE] * d->nu[i];
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    const double *P = in->s + POINT, *lam = in->lam, *u = in->c + 9;
    const double dx[3] = {in->q[0] - P[0], in->q[1] - P[1], in->q[2] - P[2]};
    contact k;
    change d;
    double b1[3], b2[3];
    if (index >= in->ns) return SN_OK;
    SN_TRY(measure(in, &k));
    change_by(in, &k, index, &d);
    dphi[0] += sn_dot3(d.n, dx) - sn_dot3(in->c, d.P) - d.a * k.sigma + k.a * k.mu / k.sigma * d.mu - d.edge;
    sn_cross3(d.u, k.nu, b1);
    sn_cross3(u, d.nu, b2);
    double tilt = k.a * k.mu / k.sigma, dtilt = d.a * k.mu / k.sigma + k.a * d.mu * pow(k.sigma, -3);
    for (int i = 0; i < 3; i++) {
        dr[i] += lam[0] * d.n[i];
        dr[3 + i] += lam[0] * (dtilt * k.beta[i] + tilt * (b1[i] + b2[i]));
    }
    for (int i = 0; i < 2; i++) {
        double dtau[3];
        sn_tmul3(k.R, d.t[i], dtau);
        sn_cross3(d.c, k.tau[i], b1);
        sn_cross3(k.c, dtau, b2);
        dphi[1 + i] += sn_dot3(d.t[i], in->v);
        for (int l = 0; l < 3; l++) {
            dphi[1 + i] += (b1[l] + b2[l]) * in->v[3 + l];
            dr[l] += lam[1 + i] * d.t[i][l];
            dr[3 + l] += lam[1 + i] * (b1[l] + b2[l]);
        }
    }
    return SN_OK;
}

static const sn_geometry geometry = {SN_SHAPE_NONE, SN_STRAIGHT, "joint", 0, NULL};

const sn_joint_class sn_joint_rolling = {
    .name = "rolling",
    .doc = "wheel rolling on a plane without slip",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .flags = SN_USES_V | SN_VELOCITY_LEVEL,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
    .geometry = &geometry,
};
