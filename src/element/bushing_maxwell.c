/* bushing_maxwell: relaxing part of a rubber bushing: Maxwell branches, springs with a damper in series, any
   number of them in each direction.

   Branch i of a direction carries f = k (x - z), its damper has gone the way z: tau zd = x - z, so that k tau
   is the damper's coefficient. The complex stiffness is k i w tau/(1 + i w tau): nothing at rest, k at high
   frequencies; beside a `bushing` with the static stiffness k0 it is a standard linear solid (Zener), k0 +
   sum of these. The equation of z is written with forces, k tau zd - k (x - z) = 0: it is that of a potential
   k (x - z)^2/2 and a damper, and K is symmetric. In statics z = x, and the branches carry nothing. */
#include "element/bushing_kind.h"

extern const sn_element_class sn_element_bushing_maxwell;

static void branch(const sn_in *in, const sn_branch_at *at, sn_branch *b)
{
    double k = at->a, tau = at->b;
    (void)in;
    *b = (sn_branch){.f = k * (at->x - at->z),
                     .fx = k,
                     .fz = -k,
                     .g = k * (tau * at->zd - at->x + at->z),
                     .gx = -k,
                     .gz = k,
                     .gzd = k * tau};
}

static void dbranch(const sn_in *in, const sn_branch_at *at, int which, sn_branch *b)
{
    (void)in;
    if (which == SN_BRANCH_A) b->f = at->x - at->z, b->g = at->b * at->zd - at->x + at->z;
    if (which == SN_BRANCH_B) b->g = at->a * at->zd;
}

static double keep(const sn_in *in, const sn_branch_at *at, double *ex, double *ez)
{
    double s = at->x - at->z;
    (void)in;
    *ex = at->a * s;
    *ez = -*ex;
    return 0.5 * at->a * s * s;
}

static double dkeep(const sn_in *in, const sn_branch_at *at, int which)
{
    double s = at->x - at->z;
    (void)in;
    return which == SN_BRANCH_A ? 0.5 * s * s : 0;
}

static const sn_bushing_kind kind = {
    .rates = 1, .branch = branch, .dbranch = dbranch, .keep = keep, .dkeep = dkeep};

#define BRANCHES(k, tau, unit, along)                                                                        \
    {k, unit, "stiffnesses of the branches " along, 0, SN_POSITIVE, 1, 0, SN_INFINITE, NULL},                \
    {                                                                                                        \
        tau, "s", "their time constants: damping over stiffness", 0, SN_POSITIVE, 1, 0, SN_INFINITE, NULL    \
    }
static const sn_slot slots[] = {
    BRANCHES("kx", "tau_x", "N/m", "along the first axis"),
    BRANCHES("ky", "tau_y", "N/m", "along the second axis"),
    BRANCHES("kz", "tau_z", "N/m", "along the third axis"),
    BRANCHES("ktx", "tau_rx", "N*m/rad", "about the first axis"),
    BRANCHES("kty", "tau_ry", "N*m/rad", "about the second axis"),
    BRANCHES("ktz", "tau_rz", "N*m/rad", "about the third axis"),
    SN_BUSHING_PLACE_SLOTS,
    {0},
};

static const sn_option options[] = {SN_BUSHING_OPTIONS, {0}};

static int states(const sn_layout *l) { return sn_branch_count(l->slot_n); }
static const sn_inner inner[] = {{"states", "internal", NULL, states}, {0}};

static sn_status layout(sn_layout *l, sn_err *err)
{
    l->nc = SN_BUSHING_OWN;
    return sn_branch_lists(l, slots, err);
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err) { return sn_bushing_prepare(in, c, err); }

const sn_element_class sn_element_bushing_maxwell = {
    .name = "bushing_maxwell",
    .doc = "Maxwell branches (a spring and a damper in series) between two spatial frames: the relaxing part "
           "of a rubber bushing",
    .flags = SN_USES_V | SN_CONSERVATIVE | SN_SYMMETRIC,
    .inner = inner,
    SN_BUSHING_TABLE,
};
