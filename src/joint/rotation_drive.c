/* rotation_drive: prescribes the angle by which body 2 is turned about an axis against body 1; the axis must
   be held by a joint beside it (revolute, cylindrical, ...). With the axes x, y square to the axis

     phi = (R1 d) . (R2 x),   d = cos(angle) y - sin(angle) x

   which is sin(turn - angle): smooth for any angle, over many turns. The multiplier is, with its sign
   changed, the moment of the drive on body 2 about the axis. Start and statics lead the angle to its value
   from where the positions have it. */
#include "joint/space.h"

extern const sn_joint_class sn_joint_rotation_drive;

enum { ANGLE = 3 };

static const sn_slot slots[] = {
    SN_SPACE_AXIS("axis", "of the drive"),
    {"angle", "rad", "rotation of body 2 relative to body 1 about the axis, from the reference configuration",
     1, SN_VARIES | SN_WINDS, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static const sn_space list = {.n = 0, .at = -1, .axis = 0, .axis2 = -1};

static sn_status layout(sn_layout *l, sn_err *err)
{
    SN_TRY(sn_space_layout(&list, l, err));
    l->m = 1;
    l->component[0] = "angle";
    l->unit[0] = "rad";
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    return sn_space_prepare(&list, in, c, err);
}

/* d = cos y - sin x and its derivative by the angle, from axes x, y */
static void direction(const sn_in *in, const double *axes, double *d, double *dd)
{
    double c = cos(in->s[ANGLE]), s = sin(in->s[ANGLE]);
    for (int k = 0; k < 3; k++) {
        d[k] = c * axes[3 + k] - s * axes[k];
        dd[k] = -s * axes[3 + k] - c * axes[k];
    }
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    const double *x = in->c + SN_SPACE_AXES;
    double d[3], dd[3];
    sn_pair p;
    sn_row r;
    sn_space_pair(in, &p);
    direction(in, x, d, dd);
    sn_pair_square(&p, d, x, &r);
    out->phi[0] = r.phi;
    sn_row_put(&p, in->lam[0], &r, out->r);
    if (!out->B) return SN_OK;
    memset(out->B, 0, sizeof *out->B * (size_t)in->nv);
    sn_row_put(&p, 1, &r, out->B);
    for (int k = 0; k < 3; k++) d[k] *= in->lam[0];
    sn_pair_square_K(&p, d, x, out->K);
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    const double *x = in->c + SN_SPACE_AXES, w = in->sd[ANGLE];
    double d[3], dd[3], K[SN_PAIR_MAX * SN_PAIR_MAX] = {0};
    sn_pair p;
    sn_row r, turn;
    sn_space_pair(in, &p);
    direction(in, x, d, dd);
    sn_pair_square(&p, d, x, &r);
    sn_pair_square(&p, dd, x, &turn);
    sn_pair_square_K(&p, d, x, K);
    phi_t[0] = turn.phi * w;
    /* the second derivative of d by the angle is -d */
    gamma[0] = sn_pair_bend(&p, K, in->v) + 2 * w * sn_row_rate(&p, &turn, in->v) - w * w * r.phi +
               turn.phi * in->sdd[ANGLE];
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    const double *x = in->c + SN_SPACE_AXES;
    double dc[SN_SPACE_NC], d[3], dd[3], ds[3], unused[3];
    sn_pair p;
    sn_row r, sum = {.phi = 0};
    sn_space_pair(in, &p);
    sn_space_dconstants(&list, in, index, dc);
    direction(in, x, d, dd);
    direction(in, dc + SN_SPACE_AXES, ds, unused);
    if (index == ANGLE) {
        sn_pair_square(&p, dd, x, &sum);
    } else {
        sn_pair_square(&p, ds, x, &sum);
        sn_pair_square(&p, d, dc + SN_SPACE_AXES, &r);
        sn_row_add(1, &r, &sum);
    }
    dphi[0] += sum.phi;
    sn_row_put(&p, in->lam[0], &sum, dr);
    return SN_OK;
}

static const sn_geometry geometry = {SN_SHAPE_NONE, SN_STRAIGHT, "motor", 0, NULL};

const sn_joint_class sn_joint_rotation_drive = {
    .name = "rotation_drive",
    .doc = "prescribes the angle between two spatial frames about an axis",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
    .geometry = &geometry,
};
