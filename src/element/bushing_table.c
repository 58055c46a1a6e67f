/* bushing_table: force-displacement curves of a bushing, one for each direction that has one.

   Each curve runs through its points as a cubic in each interval with the slopes of Fritsch and Butland (SIAM
   J. Sci. Stat. Comput. 5 (1984) 300; weighted harmonic mean of the neighbouring secants, 0 where these
   differ in sign): the force is C1 and rises where the points do. Beyond the ends it goes on straight with
   the slope of the last interval. `symmetric`: the points are those of x >= 0 and f(-x) = -f(x); the origin
   need not be among them. Conservative, E(0) = 0. Derivatives by points: dual numbers. */
#include "element/bushing_kind.h"

extern const sn_element_class sn_element_bushing_table;

enum { OPT_SYMMETRIC = 1 };

/* A number and its derivative by one of the points' coordinates */
typedef struct dual {
    double v, d;
} dual;

static dual plus(dual a, dual b) { return (dual){a.v + b.v, a.d + b.d}; }
static dual minus(dual a, dual b) { return (dual){a.v - b.v, a.d - b.d}; }
static dual times(dual a, dual b) { return (dual){a.v * b.v, a.d * b.v + a.v * b.d}; }
static dual over(dual a, dual b) { return (dual){a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
static dual scaled(double c, dual a) { return (dual){c * a.v, c * a.d}; }

/* Points of one direction; seed: the number of the lists, x then f, by which derivatives are taken, or -1 */
typedef struct curve {
    const double *x, *f;
    int n, seed, origin; /* origin: a point (0, 0) stands before the others */
} curve;

static dual point_x(const curve *c, int i)
{
    if (i < c->origin) return (dual){0, 0};
    return (dual){c->x[i - c->origin], c->seed == i - c->origin};
}

static dual point_f(const curve *c, int i)
{
    if (i < c->origin) return (dual){0, 0};
    return (dual){c->f[i - c->origin], c->seed == c->n + i - c->origin};
}

static int points(const curve *c) { return c->n + c->origin; }

static dual width(const curve *c, int i) { return minus(point_x(c, i + 1), point_x(c, i)); }

/* Slope of the straight line from point i to the next */
static dual secant(const curve *c, int i)
{
    return over(minus(point_f(c, i + 1), point_f(c, i)), width(c, i));
}

static dual slope(const curve *c, int i)
{
    if (i == 0) return secant(c, 0);
    if (i == points(c) - 1) return secant(c, i - 1);
    dual a = secant(c, i - 1), b = secant(c, i), h = width(c, i - 1), k = width(c, i);
    if (!(a.v * b.v > 0)) return (dual){0, 0};
    /* (w1 + w2)/(w1/a + w2/b), w1 = 2 k + h, w2 = k + 2 h */
    dual w1 = plus(scaled(2, k), h), w2 = plus(k, scaled(2, h));
    return over(plus(w1, w2), plus(over(w1, a), over(w2, b)));
}

/* Force, stiffness and work from the first point, at x */
typedef struct curve_at {
    dual f, k, e;
} curve_at;

/* Within interval i at x, which may be past its end; straight where it is no interval of the curve */
static curve_at interval(const curve *c, int i, dual x)
{
    dual f0 = point_f(c, i), m0 = slope(c, i), u = minus(x, point_x(c, i));
    if (i == points(c) - 1 || u.v < 0)
        return (curve_at){plus(f0, times(m0, u)), m0, times(u, plus(f0, scaled(0.5, times(m0, u))))};
    /* f0 + u (m0 + u (p + u r)) */
    dual h = width(c, i), s = secant(c, i), m1 = slope(c, i + 1);
    dual p = over(minus(scaled(3, s), plus(scaled(2, m0), m1)), h);
    dual r = over(minus(plus(m0, m1), scaled(2, s)), times(h, h));
    return (curve_at){
        plus(f0, times(u, plus(m0, times(u, plus(p, times(u, r)))))),
        plus(m0, times(u, plus(scaled(2, p), times(u, scaled(3, r))))),
        times(u, plus(f0, times(u, plus(scaled(0.5, m0),
                                        times(u, plus(scaled(1.0 / 3, p), times(u, scaled(0.25, r))))))))};
}

/* The interval of x: the first also before it, points - 1 after the last */
static int interval_of(const curve *c, double x)
{
    int lo = 0, hi = points(c) - 1;
    if (x >= point_x(c, hi).v) return hi;
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (x < point_x(c, mid).v)
            hi = mid;
        else
            lo = mid;
    }
    return lo;
}

/* Work from the first point to x */
static dual work(const curve *c, double x)
{
    int n = interval_of(c, x);
    dual sum = interval(c, n, (dual){x, 0}).e;
    for (int i = 0; i < n; i++) sum = plus(sum, interval(c, i, point_x(c, i + 1)).e);
    return sum;
}

/* The curve of direction d, and whether x is on its mirrored side, which makes it positive; 0: there is none
 */
static int open_curve(const sn_in *in, int d, double *x, curve *c, double *sign)
{
    int at = 0;
    for (int k = 0; k < d; k++) at += 2 * in->slot_n[2 * k];
    int n = in->slot_n[2 * d], mirror = in->opt[OPT_SYMMETRIC];
    *c = (curve){.x = in->s + at, .f = in->s + at + n, .n = n, .seed = -1};
    *sign = mirror && *x < 0 ? -1 : 1;
    *x *= *sign;
    c->origin = mirror && n > 0 && c->x[0] > 0;
    return n;
}

static void load(const sn_in *in, const double *x, const double *xd, sn_bushing_load *l)
{
    (void)xd;
    for (int d = 0; d < 6; d++) {
        double u = x[d], sign;
        curve c;
        if (!open_curve(in, d, &u, &c, &sign)) continue;
        curve_at y = interval(&c, interval_of(&c, u), (dual){u, 0});
        l->h[d] = sign * y.f.v;
        l->x[7 * d] = y.k.v;
    }
}

/* The direction of slot `index`, and its number within the two lists */
static int direction_of(const sn_in *in, int *index)
{
    int d = 0;
    while (*index >= 2 * in->slot_n[2 * d]) *index -= 2 * in->slot_n[2 * d++];
    return d;
}

static void dload(const sn_in *in, int index, const double *x, const double *xd, double *dh)
{
    int d = direction_of(in, &index);
    double u = x[d], sign;
    curve c;
    (void)xd;
    open_curve(in, d, &u, &c, &sign);
    c.seed = index;
    dh[d] += sign * interval(&c, interval_of(&c, u), (dual){u, 0}).f.d;
}

static double store(const sn_in *in, const double *x, double *gx)
{
    sn_bushing_load l = {{0}, {0}, {0}};
    double e = 0;
    load(in, x, NULL, &l);
    for (int d = 0; d < 6; d++) {
        double u = x[d], sign;
        curve c;
        gx[d] = l.h[d];
        if (open_curve(in, d, &u, &c, &sign)) e += work(&c, u).v - work(&c, 0).v;
    }
    return e;
}

static double dstore(const sn_in *in, int index, const double *x)
{
    int d = direction_of(in, &index);
    double u = x[d], sign;
    curve c;
    open_curve(in, d, &u, &c, &sign);
    c.seed = index;
    return work(&c, u).d - work(&c, 0).d;
}

static const sn_bushing_kind kind = {.load = load, .dload = dload, .store = store, .dstore = dstore};

#define CURVE(x, f, along, unit_x, unit_f)                                                                   \
    {x, unit_x, "points of the curve " along, 0, SN_RISES, 0, -SN_INFINITE, SN_INFINITE, NULL},              \
    {                                                                                                        \
        f, unit_f, "what acts there; a pull, as by a stretch, is positive", 0, 0, 0, -SN_INFINITE,           \
            SN_INFINITE, NULL                                                                                \
    }
static const sn_slot slots[] = {
    CURVE("x", "fx", "along the first axis", "m", "N"),
    CURVE("y", "fy", "along the second axis", "m", "N"),
    CURVE("z", "fz", "along the third axis", "m", "N"),
    CURVE("rx", "mx", "about the first axis", "rad", "N*m"),
    CURVE("ry", "my", "about the second axis", "rad", "N*m"),
    CURVE("rz", "mz", "about the third axis", "rad", "N*m"),
    SN_BUSHING_PLACE_SLOTS,
    {0},
};

static const sn_option options[] = {
    SN_BUSHING_OPTIONS,
    {"symmetric", "no|yes", "the points are those of one side, x >= 0; the other side is alike", 0},
    {0},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    SN_TRY(sn_branch_lists(l, slots, err));
    for (int d = 0; d < 6; d++)
        if (l->slot_n[2 * d] == 1 && !l->opt[OPT_SYMMETRIC])
            return sn_fail(err, SN_ERR_INPUT, NULL, "'%s' is one point: a curve has two at least",
                           slots[2 * d].name);
    l->nc = SN_BUSHING_OWN;
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    for (int d = 0; d < 6; d++) {
        double u = 0, sign;
        curve k;
        if (!open_curve(in, d, &u, &k, &sign)) continue;
        const char *name = slots[2 * d].name;
        for (int i = 1; i < k.n; i++)
            if (!(k.x[i] > k.x[i - 1]))
                return sn_fail(err, SN_ERR_INPUT, NULL, "'%s' must increase, but %g comes before %g", name,
                               k.x[i - 1], k.x[i]);
        if (in->opt[OPT_SYMMETRIC] && (k.x[0] < 0 || points(&k) < 2 || (k.x[0] == 0 && k.f[0] != 0)))
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "'%s' of a symmetric curve has points from 0 on, with nothing acting at 0", name);
    }
    return sn_bushing_prepare(in, c, err);
}

const sn_element_class sn_element_bushing_table = {
    .name = "bushing_table",
    .doc = "force-displacement curves between two spatial frames, for the directions that are given",
    .flags = SN_CONSERVATIVE,
    SN_BUSHING_TABLE,
};
