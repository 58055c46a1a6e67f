/* bushing: spring and damper of two frames in all six directions, at large relative rotation.

   With the relative motion x in the bushing's axes (bushing_pair.h) and e = x - (offset, offset_angle)
     h = (preload, preload_torque) + (diag(k, kt) + K66) e + (k2, kt2) e^2 + (k3, kt3) e^3
         + (diag(c, ct) + C66) xd,
   powers component by component. Conservative for a symmetric K66 without damping. */
#include "element/bushing_kind.h"

extern const sn_element_class sn_element_bushing;

/* Three numbers along, three about the axes */
enum {
    STIFF,
    DAMP = STIFF + 6,
    SQUARE = DAMP + 6,
    CUBE = SQUARE + 6,
    PRELOAD = CUBE + 6,
    OFFSET = PRELOAD + 6,
    K66 = OFFSET + 6,
    C66 = K66 + 36,
    NS = C66 + 36
};

static void load(const sn_in *in, const double *x, const double *xd, sn_bushing_load *l)
{
    const double *s = in->s;
    double e[6];
    for (int i = 0; i < 6; i++) e[i] = x[i] - s[OFFSET + i];
    memcpy(l->x, s + K66, sizeof l->x);
    memcpy(l->v, s + C66, sizeof l->v);
    for (int i = 0; i < 6; i++) l->x[7 * i] += s[STIFF + i], l->v[7 * i] += s[DAMP + i];
    for (int i = 0; i < 6; i++) {
        l->h[i] = s[PRELOAD + i] + e[i] * e[i] * (s[SQUARE + i] + e[i] * s[CUBE + i]);
        for (int j = 0; j < 6; j++) l->h[i] += l->x[6 * i + j] * e[j] + l->v[6 * i + j] * xd[j];
    }
    for (int i = 0; i < 6; i++) l->x[7 * i] += e[i] * (2 * s[SQUARE + i] + 3 * e[i] * s[CUBE + i]);
}

static void dload(const sn_in *in, int index, const double *x, const double *xd, double *dh)
{
    const double *s = in->s;
    int i = index % 6;
    double e = x[i] - s[OFFSET + i];
    if (index >= K66) {
        int m = (index - K66) % 36, j = m % 6;
        dh[m / 6] += index >= C66 ? xd[j] : x[j] - s[OFFSET + j];
    } else if (index >= OFFSET) {
        for (int j = 0; j < 6; j++) dh[j] -= s[K66 + 6 * j + i];
        dh[i] -= s[STIFF + i] + e * (2 * s[SQUARE + i] + 3 * e * s[CUBE + i]);
    } else {
        const double by[] = {e, xd[i], e * e, e * e * e, 1};
        dh[i] += by[index / 6];
    }
}

/* The potential where K66 is symmetric: preload e + 1/2 e'K e + k2 e^3/3 + k3 e^4/4 */
static double store(const sn_in *in, const double *x, double *gx)
{
    const double *s = in->s;
    double e[6], sum = 0;
    for (int i = 0; i < 6; i++) e[i] = x[i] - s[OFFSET + i];
    for (int i = 0; i < 6; i++) {
        double a = e[i], p = s[PRELOAD + i], k = s[STIFF + i], k2 = s[SQUARE + i], k3 = s[CUBE + i];
        gx[i] = p + a * (k + a * (k2 + a * k3));
        sum += a * (p + a * (k / 2 + a * (k2 / 3 + a * k3 / 4)));
        for (int j = 0; j < 6; j++) {
            gx[i] += 0.5 * (s[K66 + 6 * i + j] + s[K66 + 6 * j + i]) * e[j];
            sum += 0.5 * e[i] * s[K66 + 6 * i + j] * e[j];
        }
    }
    return sum;
}

static double dstore(const sn_in *in, int index, const double *x)
{
    const double *s = in->s;
    int i = index % 6, m = (index - K66) % 36;
    double e = x[i] - s[OFFSET + i], g[6];
    if (index >= C66) return 0;
    if (index >= K66) return 0.5 * (x[m / 6] - s[OFFSET + m / 6]) * (x[m % 6] - s[OFFSET + m % 6]);
    const double by[] = {e * e / 2, 0, e * e * e / 3, e * e * e * e / 4, e};
    if (index < OFFSET) return by[index / 6];
    store(in, x, g);
    return -g[i];
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

#define FREE 0, -SN_INFINITE, SN_INFINITE, NULL
static const sn_slot slots[] = {
    {"k", "N/m", "stiffnesses along the axes of the bushing", 3, SN_ALIKE, 0, 0, SN_INFINITE, NULL},
    {"kt", "N*m/rad", "rotational stiffnesses about the axes of the bushing", 3, SN_ALIKE, 0, 0, SN_INFINITE,
     NULL},
    {"c", "N*s/m", "damping along the axes of the bushing", 3, SN_ALIKE, 0, 0, SN_INFINITE, NULL},
    {"ct", "N*m*s/rad", "rotational damping about the axes of the bushing", 3, SN_ALIKE, 0, 0, SN_INFINITE,
     NULL},
    {"k2", "N/m^2", "force k2 x^2 in addition to k x (not symmetric)", 3, SN_ALIKE, FREE},
    {"kt2", "N*m/rad^2", "the same about the axes", 3, SN_ALIKE, FREE},
    {"k3", "N/m^3", "force k3 x^3 in addition to k x (progressive)", 3, SN_ALIKE, FREE},
    {"kt3", "N*m/rad^3", "the same about the axes", 3, SN_ALIKE, FREE},
    {"preload", "N", "forces at x = offset; tension is positive", 3, 0, FREE},
    {"preload_torque", "N*m", "moments at that position", 3, 0, FREE},
    {"offset", "m", "displacements from which all stiffnesses are measured", 3, 0, FREE},
    {"offset_angle", "rad", "rotations from which they are measured", 3, 0, FREE},
    {"K66", "", "full stiffness matrix, row by row (displacements, rotations), on top of k and kt", 36, 0,
     FREE},
    {"C66", "", "full damping matrix, on top of c and ct", 36, 0, FREE},
    SN_BUSHING_PLACE_SLOTS,
    {0},
};

static const sn_option options[] = {SN_BUSHING_OPTIONS, {0}};

const sn_element_class sn_element_bushing = {
    .name = "bushing",
    .doc = "spring and damper in all six directions between two spatial frames",
    .flags = SN_USES_V,
    SN_BUSHING_TABLE,
};
