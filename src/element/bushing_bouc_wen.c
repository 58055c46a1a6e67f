/* bushing_bouc_wen: friction of a rubber bushing that depends on the amplitude, after Bouc and Wen; any
   number of branches in each direction.

   A branch carries f = F z, |z| <= 1, with the all but rate-independent equation (Y. K. Wen, J. Eng. Mech.
   Div. ASCE 102 (1976) 249) y zd = xd - beta |xd| |z|^(n-1) z - (1 - beta) xd |z|^n - y z/creep. F is the
   largest friction force. y follows from the way x_half on which the first loading from z = 0 reaches F/2:
   there dz/dx = (1 - z^n)/y, hence x_half = y I(n), I = sum over j of 2^-(n j + 1)/(n j + 1); I(1) = ln 2.
   The stiffness of small motions is F/y. In the words of the literature A = 1/y, beta/y and gamma = (1 -
   beta)/y; with beta >= 1/2 no loop gives energy. beta = 1/2 unloads straight, with the stiffness F/y, until
   f = 0.

   |xd| is xd tanh(xd/v0) (w0 about the axes), which is |xd| but for speeds of a few v0; |z|^(n-1) z and |z|^n
   are z w^(n-1) and z^2 w^(n-2), w^2 = z^2 + 1e-6, differentiable for all n >= 1. The last term, with a time
   that is long against any run, makes statics definite: there friction has faded. Energy in a branch: F y
   z^2/2. Constants: 1/I, dI/dn. */
#include "element/bushing_kind.h"

extern const sn_element_class sn_element_bushing_bouc_wen;

enum { C_WAY = SN_BUSHING_OWN, C_DWAY, NC }; /* 1/I, d(1/I)/dn */
enum { BETA, POWER, V0, W0, CREEP };         /* slots of all branches */

static const double *common(const sn_in *in) { return in->s + 2 * sn_branch_count(in->slot_n); }

/* Smoothed |xd|, |z|^(n-1) z, |z|^n and their derivatives */
typedef struct smooth {
    double y, v, v_xd, v_v0; /* |xd| */
    double p, p_z, p_n, q, q_z, q_n;
} smooth;

static void open_smooth(const sn_in *in, const sn_branch_at *at, smooth *s)
{
    const double *c = common(in), n = c[POWER], v0 = c[at->d < 3 ? V0 : W0];
    double u = at->xd / v0, t = tanh(u), t1 = 1 - t * t, z = at->z, w2 = z * z + 1e-6;
    double root = pow(w2, 0.5 * n - 1), l = 0.5 * log(w2); /* w^(n-2), ln w */
    s->y = at->b * in->c[C_WAY];
    s->v = at->xd * t;
    s->v_xd = t + u * t1;
    s->v_v0 = -u * u * t1;
    s->q = z * z * root;
    s->q_z = z * root * (2 + (n - 2) * z * z / w2);
    s->q_n = s->q * l;
    root *= sqrt(w2); /* w^(n-1) */
    s->p = z * root;
    s->p_z = root * (1 + (n - 1) * z * z / w2);
    s->p_n = s->p * l;
}

/* zd times y */
static double rate(const sn_in *in, const sn_branch_at *at, const smooth *s)
{
    double beta = common(in)[BETA];
    return at->xd - beta * s->v * s->p - (1 - beta) * at->xd * s->q;
}

static void branch(const sn_in *in, const sn_branch_at *at, sn_branch *b)
{
    double beta = common(in)[BETA], creep = common(in)[CREEP];
    smooth s;
    open_smooth(in, at, &s);
    *b = (sn_branch){.f = at->a * at->z,
                     .fz = at->a,
                     .g = at->zd + at->z / creep - rate(in, at, &s) / s.y,
                     .gv = -(1 - beta * s.v_xd * s.p - (1 - beta) * s.q) / s.y,
                     .gz = 1 / creep + (beta * s.v * s.p_z + (1 - beta) * at->xd * s.q_z) / s.y,
                     .gzd = 1};
}

static void dbranch(const sn_in *in, const sn_branch_at *at, int which, sn_branch *b)
{
    double beta = common(in)[BETA];
    smooth s;
    open_smooth(in, at, &s);
    double g_y = rate(in, at, &s) / (s.y * s.y);
    if (which == SN_BRANCH_A) b->f = at->z;
    if (which == SN_BRANCH_B) b->g = g_y * in->c[C_WAY];
    if (which == SN_BRANCH_COMMON + BETA) b->g = (s.v * s.p - at->xd * s.q) / s.y;
    if (which == SN_BRANCH_COMMON + POWER)
        b->g = g_y * at->b * in->c[C_DWAY] + (beta * s.v * s.p_n + (1 - beta) * at->xd * s.q_n) / s.y;
    if (which == SN_BRANCH_COMMON + CREEP) b->g = -at->z / pow(common(in)[CREEP], 2);
    if (which == SN_BRANCH_COMMON + (at->d < 3 ? V0 : W0)) b->g = beta * s.v_v0 * s.p / s.y;
}

static double keep(const sn_in *in, const sn_branch_at *at, double *ex, double *ez)
{
    double y = at->b * in->c[C_WAY];
    *ex = 0;
    *ez = at->a * y * at->z;
    return 0.5 * at->a * y * at->z * at->z;
}

static double dkeep(const sn_in *in, const sn_branch_at *at, int which)
{
    double half = 0.5 * at->z * at->z;
    if (which == SN_BRANCH_A) return half * at->b * in->c[C_WAY];
    if (which == SN_BRANCH_B) return half * at->a * in->c[C_WAY];
    return which == SN_BRANCH_COMMON + POWER ? half * at->a * at->b * in->c[C_DWAY] : 0;
}

static const sn_bushing_kind kind = {
    .rates = 1, .branch = branch, .dbranch = dbranch, .keep = keep, .dkeep = dkeep};

#define BRANCHES(f, half, unit_f, unit_x, along)                                                             \
    {f, unit_f, "largest friction " along, 0, SN_POSITIVE, 1, 0, SN_INFINITE, NULL},                         \
    {                                                                                                        \
        half, unit_x, "displacement from rest at which half of it is reached", 0, SN_POSITIVE, 1, 0,         \
            SN_INFINITE, NULL                                                                                \
    }
static const sn_slot slots[] = {
    BRANCHES("fx", "x_half", "N", "m", "along the first axis"),
    BRANCHES("fy", "y_half", "N", "m", "along the second axis"),
    BRANCHES("fz", "z_half", "N", "m", "along the third axis"),
    BRANCHES("mx", "rx_half", "N*m", "rad", "about the first axis"),
    BRANCHES("my", "ry_half", "N*m", "rad", "about the second axis"),
    BRANCHES("mz", "rz_half", "N*m", "rad", "about the third axis"),
    {"beta", "", "shape of unloading: 0.5 straight down to 0, 1 twice as steep initially", 1, 0, 0.5, 0.5,
     SN_INFINITE, NULL},
    {"n", "", "sharpness of the transition to the largest friction; 1: exponential", 1, 0, 1, 1, SN_INFINITE,
     NULL},
    {"v0", "m/s", "speed over which |x'| is smoothed", 1, SN_POSITIVE, 1e-6, 0, SN_INFINITE, NULL},
    {"w0", "rad/s", "the same about the axes", 1, SN_POSITIVE, 1e-5, 0, SN_INFINITE, NULL},
    {"creep", "s", "time constant with which friction fades at rest; longer than any run", 1, SN_POSITIVE,
     1e6, 0, SN_INFINITE, NULL},
    SN_BUSHING_PLACE_SLOTS,
    {0},
};

static const sn_option options[] = {SN_BUSHING_OPTIONS, {0}};

static int states(const sn_layout *l) { return sn_branch_count(l->slot_n); }
static const sn_inner inner[] = {{"states", "internal", NULL, states}, {0}};

static sn_status layout(sn_layout *l, sn_err *err)
{
    l->nc = NC;
    return sn_branch_lists(l, slots, err);
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    const double ln2 = 0.69314718055994530942;
    double n = common(in)[POWER], I = 0, dI = 0;
    for (int j = 0; j < 64 && n * j < 64; j++) {
        double m = n * j + 1, term = exp2(-m) / m;
        I += term;
        dI -= term * j * (ln2 + 1 / m);
    }
    c[C_WAY] = 1 / I;
    c[C_DWAY] = -dI / (I * I);
    return sn_bushing_prepare(in, c, err);
}

const sn_element_class sn_element_bushing_bouc_wen = {
    .name = "bushing_bouc_wen",
    .doc = "Bouc-Wen friction between two spatial frames: hysteresis that depends on the amplitude",
    .flags = SN_USES_V,
    .inner = inner,
    SN_BUSHING_TABLE,
};
