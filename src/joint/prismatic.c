/* prismatic: a slider between two spatial frames. A point of body 2 slides along an axis of body 1, and the
   bodies do not turn against each other: the skew part of R1'R2 is 0 (the sine of the relative rotation).

   Friction of the guide: force c v + mu N f(v) along the axis against the sliding speed, which is the rate of
   the way within(z); N from the two forces across the axis and the moments about x and y over the guide's
   length (joint_friction.h). The moment about the axis makes no friction. */
#include "joint/joint_friction.h"
#include "joint/space.h"

extern const sn_joint_class sn_joint_prismatic;

enum { C = 6 };

static const sn_slot slots[] = {
    SN_SPACE_AT, SN_SPACE_AXIS("axis", "of sliding"), SN_JOINT_FRICTION_GUIDE, {.name = NULL}};

static const sn_space list = {
    .n = 5,
    .eq = {{SN_WITHIN, 0, 0, "normal1", "m"},
           {SN_WITHIN, 1, 0, "normal2", "m"},
           {SN_SKEW, 2, 1, "turn1", "rad"},
           {SN_SKEW, 0, 2, "turn2", "rad"},
           {SN_SKEW, 1, 0, "turn3", "rad"}},
    .at = 0,
    .axis = 3,
    .axis2 = -1,
};

static sn_status layout(sn_layout *l, sn_err *err) { return sn_space_layout(&list, l, err); }

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    return sn_space_prepare(&list, in, c, err);
}

/* g: gradient of the way along the axis */
static void friction_of(const sn_in *in, const sn_pair *p, double *g, sn_joint_friction *y)
{
    static const int force[] = {0, 1}, moment[] = {3, 2};
    static const double sign[] = {1, -1};
    sn_row way;
    memset(g, 0, sizeof *g * SN_PAIR_MAX);
    sn_pair_within(p, in->c + SN_SPACE_AXES + 6, &way);
    sn_row_put(p, 1, &way, g);
    sn_joint_friction_guide(in->s + C, 2, force, moment, sign, in->lam, y);
    sn_joint_friction_at(in->s + C, sn_joint_friction_speed(in, g), y);
}

static void add_friction(const sn_in *in, sn_joint_out *out)
{
    double g[SN_PAIR_MAX], H[SN_PAIR_MAX * SN_PAIR_MAX] = {0};
    sn_pair p;
    sn_joint_friction y;
    sn_space_pair(in, &p);
    friction_of(in, &p, g, &y);
    if (out->K) sn_pair_within_K(&p, in->c + SN_SPACE_AXES + 6, H);
    sn_joint_friction_add(in, g, H, &y, out);
}

static int has_friction(const double *s) { return sn_joint_friction_acts(s + C); }

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    SN_TRY(sn_space_eval(&list, in, out));
    sn_joint_friction_none(in, out);
    if (sn_joint_friction_acts(in->s + C)) add_friction(in, out);
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    return sn_space_rate(&list, in, phi_t, gamma);
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    double g[SN_PAIR_MAX], dg[SN_PAIR_MAX] = {0}, dc[SN_SPACE_NC];
    int own = index >= C && index < in->ns;
    sn_pair p;
    sn_joint_friction y;
    sn_row dway;
    if (!own) SN_TRY(sn_space_dparam(&list, in, index, dr, dphi));
    if (!own && !sn_joint_friction_acts(in->s + C)) return SN_OK;
    sn_space_pair(in, &p);
    friction_of(in, &p, g, &y);
    if (own) {
        sn_joint_friction_dadd(in, g, NULL, &y, sn_joint_friction_by(in->s + C, 0, index - C, &y), dr);
    } else {
        sn_space_dconstants(&list, in, index, dc);
        sn_space_dway(in, &p, dc, &dway);
        sn_row_put(&p, 1, &dway, dg);
        sn_joint_friction_dadd(in, g, dg, &y, 0, dr);
    }
    return SN_OK;
}

static const sn_geometry geometry = {SN_SHAPE_NONE, SN_STRAIGHT, "slider", 0, NULL};

const sn_joint_class sn_joint_prismatic = {
    .name = "prismatic",
    .doc = "slider between two spatial frames, without relative rotation, with friction in its guide",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .flags = SN_USES_V | SN_REACTION_DIFFERS,
    .has_friction = has_friction,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
    .geometry = &geometry,
};
