/* accelerometer: specific force, what an accelerometer feels, in the axes of the instrument: Rm'u + bias, u =
   R'(a - g) + c with c = al x s + W x (W x s) for a point at s from the node, W and al in body axes. g is the
   model's gravity, with what varies in it: at rest it reads the weight upwards, in free fall zero. A node
   without rotation has no body axes: there R is the identity, and an offset needs one. In the plane the
   components x and y. */
#include "sensor/instrument.h"

extern const sn_sensor_class sn_sensor_accelerometer;

static const sn_slot slots[] = {
    SN_MOUNTING_SLOT,
    {"bias", "m/s^2", "added to the readings along the axes of the instrument", 3, 0, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    SN_OFFSET_SLOT,
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const name[] = {"x", "y", "z"};
    if (l->slot_n[2] && (l->slot_n[2] != l->dim || !sn_is_frame(l->view, 0)))
        return sn_fail(err, SN_ERR_INPUT, NULL, "'offset' has %d numbers here, of a node with a rotation",
                       l->dim);
    l->ny = l->dim;
    for (int k = 0; k < l->ny; k++) l->component[k] = name[k], l->unit[k] = "m/s^2";
    return SN_OK;
}

/* What the motion is made of: R, W, al, the point s, h = R'(a - g), Ws = W x s, and u. */
typedef struct motion {
    double R[9], W[3], al[3], s[3], h[3], Ws[3], u[3];
} motion;

static motion motion_of(const sn_in *in)
{
    motion m = {.s = {0}};
    double f[3], x[3];
    sn_instrument_rotation(in, m.R);
    sn_instrument_turn(in, in->v, m.W);
    sn_instrument_turn(in, in->a, m.al);
    for (int k = 0; k < in->ns - SN_INSTRUMENT_SLOTS; k++) m.s[k] = in->s[SN_INSTRUMENT_SLOTS + k];
    for (int k = 0; k < 3; k++) f[k] = (k < in->dim ? in->a[k] : 0) - in->g[k];
    sn_tmul3(m.R, f, m.h);
    sn_cross3(m.W, m.s, m.Ws);
    sn_cross3(m.W, m.Ws, m.u);
    sn_cross3(m.al, m.s, x);
    for (int k = 0; k < 3; k++) m.u[k] += x[k] + m.h[k];
    return m;
}

static sn_status eval(const sn_in *in, double *y, sn_dout *d)
{
    const motion m = motion_of(in);
    int ny = in->dim;
    double Rm[9], r[3], D[9], S[9], w[9];
    sn_instrument_axes(in, Rm);
    sn_tmul3(Rm, m.u, r);
    for (int k = 0; k < ny; k++) y[k] = r[k] + in->s[SN_BIAS + k];
    if (!d) return SN_OK;
    int turns = sn_is_frame(in->view, 0);
    if (d->q && turns) { /* by rotations: h~ */
        sn_skew3(m.h, D);
        sn_instrument_block(in, Rm, D, 3, 0, ny, d->q);
    }
    sn_skew3(m.s, S);
    if (d->v && turns) { /* by W: -(W x s)~ - W~ s~ */
        sn_skew3(m.W, w);
        sn_matmul3(w, S, w);
        sn_skew3(m.Ws, D);
        for (int k = 0; k < 9; k++) D[k] = -D[k] - w[k];
        sn_instrument_block(in, Rm, D, 3, 0, ny, d->v);
    }
    if (d->a) { /* by a: R'; by al: -s~ */
        for (int k = 0; k < 9; k++) D[k] = m.R[k % 3 * 3 + k / 3];
        sn_instrument_block(in, Rm, D, 0, 0, ny, d->a);
        for (int k = 0; k < 9; k++) D[k] = -S[k];
        if (turns) sn_instrument_block(in, Rm, D, 3, 0, ny, d->a);
    }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dy)
{
    const motion m = motion_of(in);
    int offset = index - SN_INSTRUMENT_SLOTS, field = index - in->ns - in->nq;
    double Rm[9], u[3] = {0}, r[3] = {0}, x[3];
    sn_instrument_axes(in, Rm);
    if (index < SN_BIAS) {
        sn_instrument_dmounting(in, m.u, index, r);
    } else if (index < SN_INSTRUMENT_SLOTS) {
        r[index - SN_BIAS] = 1;
    } else if (index < in->ns) {
        const double e[3] = {offset == 0, offset == 1, offset == 2};
        sn_cross3(m.W, e, x);
        sn_cross3(m.W, x, u);
        sn_cross3(m.al, e, x);
        for (int k = 0; k < 3; k++) u[k] += x[k];
        sn_tmul3(Rm, u, r);
    } else if (field >= 0) {
        for (int k = 0; k < 3; k++) u[k] = -m.R[3 * field + k];
        sn_tmul3(Rm, u, r);
    }
    for (int k = 0; k < in->dim; k++) dy[k] = r[k];
    return SN_OK;
}

const sn_sensor_class sn_sensor_accelerometer = {
    .name = "accelerometer",
    .doc = "reading of an accelerometer fixed to a node or to a point of its body: acceleration minus "
           "gravity, in its own axes, with its bias",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .ask = SN_POSITION | SN_FRAME},
    .slots = slots,
    .source = SN_FROM_NODES,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
};
