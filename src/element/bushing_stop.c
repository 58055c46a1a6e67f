/* bushing_stop: stops of the relative motion in a bushing's axes, for each direction and side.

   Beyond a clearance, with p the depth and w the onset, n = k g(p) + c g'(p) pdot, never pulling: g = p^2/(2
   w) up to p = w and p - w/2 beyond, so that the stiffness rises from 0 to k and the force is C1
   (stop_law.h). Without damping conservative. */
#include "element/bushing_kind.h"
#include "element/stop_law.h"

extern const sn_element_class sn_element_bushing_stop;

/* Three numbers along, three about the axes */
enum { HI, K_HI = HI + 6, LO = K_HI + 6, K_LO = LO + 6, DAMP = K_LO + 6, ONSET = DAMP + 6 };

/* The stop of direction d on the side where x is; s: the numbers, of stop_law.h */
static void open_stop(const sn_in *in, int d, double x, double xd, double *s, sn_stop *y)
{
    const double *p = in->s + d;
    int high = x > p[HI];
    s[SN_STOP_LO] = -p[LO];
    s[SN_STOP_HI] = p[HI];
    s[SN_STOP_K] = p[high ? K_HI : K_LO];
    s[SN_STOP_C] = s[SN_STOP_K] > 0 ? p[DAMP] : 0;
    s[SN_STOP_W] = p[ONSET];
    sn_stop_open(s, SN_STOP_BOTH, x, xd, y);
}

static void load(const sn_in *in, const double *x, const double *xd, sn_bushing_load *l)
{
    for (int d = 0; d < 6; d++) {
        double s[SN_STOP_N];
        sn_stop y;
        open_stop(in, d, x[d], xd[d], s, &y);
        l->h[d] = y.side * y.n;
        l->x[7 * d] = s[SN_STOP_K] * y.g1 + s[SN_STOP_C] * y.g2 * y.pd;
        l->v[7 * d] = s[SN_STOP_C] * y.g1;
    }
}

static void dload(const sn_in *in, int index, const double *x, const double *xd, double *dh)
{
    int d = index % 6, group = index - d;
    double s[SN_STOP_N];
    sn_stop y;
    open_stop(in, d, x[d], xd[d], s, &y);
    int high = y.side > 0, of = -1;
    if (y.side == 0) return;
    if (group == (high ? HI : LO)) of = high ? SN_STOP_HI : SN_STOP_LO;
    if (group == (high ? K_HI : K_LO)) of = SN_STOP_K;
    if (group == DAMP && s[SN_STOP_K] > 0) of = SN_STOP_C;
    if (group == ONSET) of = SN_STOP_W;
    if (of >= 0)
        dh[d] +=
            (of == SN_STOP_LO ? -1 : 1) * sn_stop_dlaw(s, (const int[]){SN_STOP_BOTH}, 0, of, x[d], xd[d]);
}

static double store(const sn_in *in, const double *x, double *gx)
{
    double e = 0;
    for (int d = 0; d < 6; d++) {
        double s[SN_STOP_N];
        sn_stop y;
        open_stop(in, d, x[d], 0, s, &y);
        gx[d] = y.side * s[SN_STOP_K] * y.g;
        if (y.side != 0) e += s[SN_STOP_K] * sn_stop_work(&y, s[SN_STOP_W]);
    }
    return e;
}

static double dstore(const sn_in *in, int index, const double *x)
{
    int d = index % 6, group = index - d;
    double s[SN_STOP_N];
    sn_stop y;
    open_stop(in, d, x[d], 0, s, &y);
    int high = y.side > 0;
    if (y.side == 0) return 0;
    if (group == (high ? HI : LO)) return -s[SN_STOP_K] * y.g;
    if (group == (high ? K_HI : K_LO)) return sn_stop_work(&y, s[SN_STOP_W]);
    return group == ONSET ? s[SN_STOP_K] * sn_stop_work_w(&y, s[SN_STOP_W]) : 0;
}

static const sn_bushing_kind kind = {
    .rates = 1, .load = load, .dload = dload, .store = store, .dstore = dstore};

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = SN_BUSHING_OWN;
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err) { return sn_bushing_prepare(in, c, err); }

#define ALL  3, SN_ALIKE, 0, 0, SN_INFINITE, NULL
#define ELSE 3, SN_ALIKE, SN_REQUIRED, 0, SN_INFINITE
static const sn_slot slots[] = {
    {"clearance", "m", "clearances along the axes, before the stops engage", ALL},
    {"clearance_angle", "rad", "angular clearances about the axes", ALL},
    {"k", "N/m", "stiffnesses of the stops once engaged (0: none)", ALL},
    {"kt", "N*m/rad", "the same about the axes", ALL},
    {"clearance_lo", "m", "clearances on the negative side, if different", ELSE,
     "clearance.x;clearance.y;clearance.z"},
    {"clearance_angle_lo", "rad", "angular clearances on the negative side, if different", ELSE,
     "clearance_angle.x;clearance_angle.y;clearance_angle.z"},
    {"k_lo", "N/m", "stiffnesses on the negative side, if different", ELSE, "k.x;k.y;k.z"},
    {"kt_lo", "N*m/rad", "the same about the axes", ELSE, "kt.x;kt.y;kt.z"},
    {"c", "N*s/m", "damping of the stops", ALL},
    {"ct", "N*m*s/rad", "the same about the axes", ALL},
    {"onset", "m", "penetration over which stiffness and damping build up", 3, SN_ALIKE | SN_POSITIVE, 1e-3,
     0, SN_INFINITE, NULL},
    {"onset_angle", "rad", "angles over which they build up", 3, SN_ALIKE | SN_POSITIVE, 1e-2, 0, SN_INFINITE,
     NULL},
    SN_BUSHING_PLACE_SLOTS,
    {0},
};

static const sn_option options[] = {SN_BUSHING_OPTIONS, {0}};

const sn_element_class sn_element_bushing_stop = {
    .name = "bushing_stop",
    .doc = "stops in all six directions between two spatial frames, with clearances",
    .flags = SN_USES_V | SN_CONSERVATIVE,
    SN_BUSHING_TABLE,
};
