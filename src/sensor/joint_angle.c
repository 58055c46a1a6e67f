/* joint_angle: the angle by which a second frame is turned against a first about an axis that a joint gives
   both, and its rate. Of a joint: its two nodes and its axis. In the plane theta2 - theta1.

   In space with the rotation r = (c, u) of R1'R2 as a quaternion and the unit axis z, fixed in both frames,
   angle = 2 atan2(u.z, c), between -pi and pi from the reference configuration, and from there on counted on
   past pi by the states (turns). With the body variation d = dth2 - Q'dth1, Q = R1'R2,
       dangle = (c (c z + z x u) + (u.z) u).d / (c^2 + (u.z)^2)
   The rate is z.(w2 - Q'w1). Where a joint leaves only the turn about z it is that of the angle. */
#include "sensor/point.h"

extern const sn_sensor_class sn_sensor_joint_angle;

enum { Z = 0, LENGTH = 3, NC = 4 };
enum { ANGLE, SPEED };
static const double pi = 3.14159265358979323846;

static const sn_slot slots[] = {
    {"axis", "",
     "in space, of any length in the reference configuration; that of the joint where one is named", 3,
     SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->ny = 2, l->nc = NC;
    l->component[ANGLE] = "angle", l->unit[ANGLE] = "rad";
    l->component[SPEED] = "speed", l->unit[SPEED] = "rad/s";
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    const double *w = in->s;
    if (in->dim == 2) return SN_OK;
    c[LENGTH] = sqrt(sn_dot3(w, w));
    if (!(c[LENGTH] > 0))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "'axis' is missing: write the direction of the axis, or name a joint that has one");
    for (int k = 0; k < 3; k++) c[Z + k] = w[k] / c[LENGTH];
    return SN_OK;
}

/* r of R1'R2, Q, and the denominator c^2 + (u.z)^2 */
typedef struct turn {
    double r[4], Q[9], sine, square;
} turn;

static void turn_of(const sn_in *in, const double *z, turn *t)
{
    const double *p = in->q + 3, back[4] = {p[0], -p[1], -p[2], -p[3]};
    sn_quat_mul(back, in->q + 10, t->r);
    sn_quat_matrix(t->r, t->Q);
    t->sine = sn_dot3(t->r + 1, z);
    t->square = t->r[0] * t->r[0] + t->sine * t->sine;
}

/* row (12) of a derivative g by the body variation: g for th2, -Q g for th1 */
static void put(const turn *t, const double *g, double *row)
{
    double Qg[3];
    sn_mul3(t->Q, g, Qg);
    for (int k = 0; k < 3; k++) row[3 + k] -= Qg[k], row[9 + k] += g[k];
}

static void eval_plane(const sn_in *in, double *y, sn_dout *d)
{
    y[ANGLE] = in->q[5] - in->q[2];
    y[SPEED] = in->v[5] - in->v[2];
    if (d && d->q) d->q[2] = -1, d->q[5] = 1;
    if (d && d->v) d->v[6 + 2] = -1, d->v[6 + 5] = 1;
}

static sn_status eval(const sn_in *in, double *y, sn_dout *d)
{
    const double *z = in->c + Z, *w1 = in->v + 3, *w2 = in->v + 9;
    double u1[3], g[3], zu[3];
    turn t;
    if (in->dim == 2) {
        eval_plane(in, y, d);
        return SN_OK;
    }
    turn_of(in, z, &t);
    sn_tmul3(t.Q, w1, u1);
    y[ANGLE] = 2 * atan2(t.sine, t.r[0]);
    if (fabs(y[ANGLE]) > pi) y[ANGLE] -= copysign(2 * pi, y[ANGLE]);
    y[SPEED] = sn_dot3(z, w2) - sn_dot3(z, u1);
    if (d && d->q) {
        sn_cross3(z, t.r + 1, zu);
        for (int k = 0; k < 3; k++)
            g[k] = (t.r[0] * (t.r[0] * z[k] + zu[k]) + t.sine * t.r[1 + k]) / t.square;
        put(&t, g, d->q);
        sn_cross3(z, u1, zu);
        for (int k = 0; k < 3; k++) g[k] = -zu[k];
        /* d(-z.Q'w1) = -z.(u1 x d) = -(z x u1).d */
        put(&t, g, d->q + 12);
    }
    if (d && d->v) put(&t, z, d->v + 12);
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dy)
{
    const double *z = in->c + Z;
    double dz[3], u1[3];
    turn t;
    dy[ANGLE] = dy[SPEED] = 0;
    if (index >= 3 || in->dim == 2) return SN_OK;
    for (int k = 0; k < 3; k++) dz[k] = ((k == index) - z[index] * z[k]) / in->c[LENGTH];
    turn_of(in, z, &t);
    sn_tmul3(t.Q, in->v + 3, u1);
    dy[ANGLE] = 2 * t.r[0] * sn_dot3(t.r + 1, dz) / t.square;
    dy[SPEED] = sn_dot3(dz, in->v + 9) - sn_dot3(dz, u1);
    return SN_OK;
}

const sn_sensor_class sn_sensor_joint_angle = {
    .name = "joint_angle",
    .doc = "angle and speed of a joint, or of two nodes about an axis; counted on past pi",
    .args = {.what = SN_ARG_NODE | SN_ARG_JOINT, .min = 2, .max = 2, .ask = SN_FRAME},
    .slots = slots,
    .source = SN_FROM_NODES,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
    .turns = 1 << ANGLE,
};
