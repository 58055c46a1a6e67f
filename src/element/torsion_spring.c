/* torsion_spring: spring and damper that act on the angle by which body 2 turns against body 1 about an axis
   fixed in body 1: moment kt (phi - phi0) + ct phidot. phi is the twist of the relative rotation about the
   axis (relative3d.h); it must stay below pi either way, where it jumps: for more turns use a joint's drive.
 */
#include "element/relative3d.h"
#include "element/section_forces.h"

extern const sn_element_class sn_element_torsion_spring;

enum { BASE = 3 };
enum { STIFF, DAMP, PHI0 };
enum { OUT_FORCE, OUT_FORCE_LOCAL };

static int acts(const double *p, int which)
{
    (void)p;
    return which == SN_TURN;
}

static void law(const double *p, const int *opt, int which, double s, double sd, sn_law *f)
{
    double on = which == SN_TURN;
    (void)opt;
    *f = (sn_law){on * (p[STIFF] * (s - p[PHI0]) + p[DAMP] * sd), on * p[STIFF], on * p[DAMP]};
}

static double dlaw(const double *p, const int *opt, int which, int index, double s, double sd)
{
    (void)opt;
    if (which != SN_TURN) return 0;
    return index == STIFF ? s - p[PHI0] : index == DAMP ? sd : -p[STIFF];
}

/* No place: behind the axis there are only slots of the law */
static double dcoordinate(const sn_in *in, int which, int index, double *db)
{
    return index < BASE ? sn_relative_dcoordinate(in, which, index, db) : 0;
}

static const sn_relative_kind kind = {sn_relative_coordinate, dcoordinate, acts, law, dlaw, BASE};

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)M;
    return sn_relative_eval(&kind, in, r, K, C);
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    return sn_relative_dparam(&kind, in, index, dr);
}

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    if (which == OUT_FORCE) return sn_end3_force(in, eval, end, y, d);
    return sn_relative_local(&kind, in, SN_TURN, end, y, d ? d->q : NULL, d ? d->v : NULL);
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    if (which == OUT_FORCE) return sn_end3_dforce(in, dparam, end, index, dy);
    return sn_relative_dlocal(&kind, in, SN_TURN, end, index, dy);
}

/* 1/2 kt (phi - phi0)^2 */
static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const double *p = in->s + BASE;
    sn_relative g;
    sn_law f;
    e[0] = e[1] = 0;
    if (sn_relative_open(&kind, in, SN_TURN, 0, &g, &f) != SN_OK) return;
    double x = g.s - p[PHI0];
    e[1] = 0.5 * p[STIFF] * x * x;
    for (int i = 0; de && de->q && i < in->nv; i++) de->q[in->nv + i] += p[STIFF] * x * g.b[i];
}

static void denergy(const sn_in *in, int index, double *de)
{
    const double *p = in->s + BASE;
    sn_relative g;
    sn_law f;
    double db[SN_RELATIVE_MAX] = {0};
    de[0] = de[1] = 0;
    if (sn_relative_open(&kind, in, SN_TURN, 0, &g, &f) != SN_OK) return;
    double x = g.s - p[PHI0];
    if (index < BASE) de[1] = p[STIFF] * x * dcoordinate(in, SN_TURN, index, db);
    if (index == BASE + STIFF) de[1] = 0.5 * x * x;
    if (index == BASE + PHI0) de[1] = -p[STIFF] * x;
}

static int limit(const sn_in *in, sn_limit *l)
{
    return in->s[BASE + STIFF] != 0 && sn_relative_limit(in, l);
}

static const sn_slot slots[] = {
    {"axis", "", "in the reference configuration, of any length; fixed in body 1", 3, SN_ROTATES, SN_REQUIRED,
     -SN_INFINITE, SN_INFINITE, NULL},
    {"kt", "N*m/rad", "stiffness", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"ct", "N*m*s/rad", "damping", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"phi0", "rad", "free angle", 1, SN_VARIES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {0},
};

static const sn_output outputs[] = {
    SN_END3_OUTPUT,
    {"force_local",
     "the moment about the axis on the element at its end (2 unless asked)",
     1,
     {"M"},
     {"N*m"}},
    {0},
};

static const sn_geometry geometry = {SN_SHAPE_LINE, SN_STRAIGHT, "spring", 0, NULL};

static const sn_field_decl fields[] = {SN_FIELD_TORSION, {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    (void)section;
    return output(in, OUT_FORCE_LOCAL, 2, y, NULL);
}

const sn_element_class sn_element_torsion_spring = {
    .name = "torsion_spring",
    .doc = "torsional spring and damper about an axis between two spatial frames, for less than half a turn",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .outputs = outputs,
    .flags = SN_USES_V | SN_CONSERVATIVE,
    .layout = sn_relative_layout,
    .prepare = sn_relative3_prepare_axis,
    .eval = eval,
    .dparam = dparam,
    .output = output,
    .doutput = doutput,
    .energy = energy,
    .denergy = denergy,
    .geometry = &geometry,
    .fields = fields,
    .field = field,
    .limit = limit,
};
