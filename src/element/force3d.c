/* force3d: force and torque on a spatial node, or a load spread over the length of an element.

   At a node the force acts at x + R p, p = point (node_load.h). Over an element per_length and
   torque_per_length are what counts: that element spreads them with its own shape functions. */
#include "sinew/class.h"
#include "element/node_load.h"

extern const sn_element_class sn_element_force3d;

enum { FORCE, TORQUE = FORCE + 3, PER_LENGTH = TORQUE + 3, POINT = PER_LENGTH + 6, NS = POINT + 3 };
enum { OPT_FOLLOWER, OPT_TORQUE_AXES };

static sn_node_load load_of(const sn_in *in)
{
    return (sn_node_load){.follower = in->opt[OPT_FOLLOWER],
                          .body = sn_torque_in_body(in->opt[OPT_FOLLOWER], in->opt[OPT_TORQUE_AXES]),
                          .turns = sn_is_frame(in->view, 0),
                          .f = in->s + FORCE,
                          .point = in->s + POINT,
                          .T = in->s + TORQUE};
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C;
    (void)M;
    const sn_node_load l = load_of(in);
    sn_node_load_add(&l, in->q, r, K, in->nv);
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    static const double zero[3] = {0, 0, 0};
    double e[3], d[6] = {0, 0, 0, 0, 0, 0};
    int from = index >= POINT ? POINT : index >= PER_LENGTH ? PER_LENGTH : index >= TORQUE ? TORQUE : FORCE;
    sn_node_load l = load_of(in);
    if (index >= NS || from == PER_LENGTH) return SN_OK;
    for (int k = 0; k < 3; k++) e[k] = index - from == k;
    l.T = from == TORQUE ? e : zero;
    if (from == FORCE) {
        l.f = e;
        sn_node_load_add(&l, in->q, d, NULL, 0);
    } else if (l.turns) {
        /* only the moment depends on the point, linearly */
        if (from == POINT)
            l.point = e;
        else
            l.f = l.point = zero;
        sn_node_load_add(&l, in->q, d, NULL, 0);
        d[0] = d[1] = d[2] = 0;
    }
    for (int i = 0; i < in->nv; i++) dr[i] += d[i];
    return SN_OK;
}

static sn_status layout(sn_layout *l, sn_err *err)
{
    if (l->opt[OPT_FOLLOWER] && l->nn == 1 && !sn_is_frame(l->view, 0))
        return sn_fail(
            err, SN_ERR_INPUT, NULL,
            "a follower force turns with its node, but this node has no rotation (use a frame3d node)");
    return SN_OK;
}

static const sn_slot slots[] = {
    {"force", "N", "force on the node", 3, SN_VARIES | SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"torque", "N*m", "torque on the node", 3, SN_VARIES | SN_ROTATES | SN_NEEDS_ROT, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    {"per_length", "N/m", "force on an element, per unit of its length", 3, SN_VARIES | SN_ROTATES, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {"torque_per_length", "N", "torque on an element, per unit of its length", 3, SN_VARIES | SN_ROTATES, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {"point", "m",
     "point where the force acts, relative to the node, in the axes of the reference configuration", 3,
     SN_ROTATES | SN_NEEDS_ROT | SN_ON_NODE1, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {0},
};

static const sn_option options[] = {
    {"follower", "no|yes", "the load turns with its node or element", 0},
    {"torque_axes", "same|body|global", "axes of the torque on a node: those of the force, or others", 0},
    {0},
};

const sn_element_class sn_element_force3d = {
    .name = "force3d",
    .doc = "force and torque on a spatial node, or a line load on an element",
    .args =
        {.what = SN_ARG_NODE | SN_ARG_ELEMENT, .min = 1, .max = 1, .dim = 3, .ask = SN_POSITION | SN_FRAME},
    .slots = slots,
    .options = options,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
    .load = &(const sn_load){.slot = PER_LENGTH, .option = OPT_FOLLOWER + 1},
};
