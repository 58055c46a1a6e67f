/* line_load: force and torque per unit length along the line between two spatial nodes: an edge of a
   surface, a piece of a wire. Each node has half of the length of the reference configuration. A follower
   load turns with each node (node_load.h). */
#include "sinew/class.h"
#include "element/node_load.h"

extern const sn_element_class sn_element_line_load;

enum { PER_LENGTH, TORQUE = PER_LENGTH + 3, NS = TORQUE + 3 };
enum { OPT_FOLLOWER, OPT_TORQUE_AXES };

static const double nowhere[3] = {0, 0, 0};

static sn_node_load load_of(const sn_in *in, int node)
{
    return (sn_node_load){.follower = in->opt[OPT_FOLLOWER],
                          .body = sn_torque_in_body(in->opt[OPT_FOLLOWER], in->opt[OPT_TORQUE_AXES]),
                          .turns = sn_is_frame(in->view, node)};
}

/* r -= share times the load of the numbers s, at both nodes */
static void spread(const sn_in *in, const double *s, double share, double *r, double *K)
{
    double f[3], T[3];
    for (int k = 0; k < 3; k++) f[k] = share * s[PER_LENGTH + k], T[k] = share * s[TORQUE + k];
    for (int i = 0; i < 2; i++) {
        sn_node_load l = load_of(in, i);
        const int at = in->offv[i];
        l.f = f, l.point = nowhere, l.T = T;
        sn_node_load_add(&l, in->q + in->off[i], r + at, K ? K + at * (in->nv + 1) : NULL, in->nv);
    }
}

static double length(const sn_in *in, double *d)
{
    for (int k = 0; k < 3; k++) d[k] = in->X[in->off[1] + k] - in->X[k];
    return sqrt(sn_dot3(d, d));
}

static sn_status layout(sn_layout *l, sn_err *err)
{
    l->nc = 1;
    if (l->opt[OPT_FOLLOWER] && !(sn_is_frame(l->view, 0) && sn_is_frame(l->view, 1)))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "a follower load turns with its nodes, but they have no rotation (use frame3d nodes)");
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    double d[3];
    c[0] = length(in, d) / 2;
    if (c[0] > 0) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, NULL, "its nodes are at the same place: it has no length");
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C;
    (void)M;
    spread(in, in->s, in->c[0], r, K);
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    double unit[NS] = {0}, d[3];
    int at = index - NS;
    if (index < NS) {
        unit[index] = 1;
        spread(in, unit, in->c[0], dr, NULL);
        return SN_OK;
    }
    int node = at >= in->off[1], k = at - in->off[node];
    if (at >= in->nq || k > 2) return SN_OK;
    double L = length(in, d);
    spread(in, in->s, (node ? 0.5 : -0.5) * d[k] / L, dr, NULL);
    return SN_OK;
}

static const sn_slot slots[] = {
    {"per_length", "N/m", "force per unit length of the reference configuration", 3, SN_VARIES | SN_ROTATES,
     0, -SN_INFINITE, SN_INFINITE, NULL},
    {"torque_per_length", "N", "torque per unit length", 3, SN_VARIES | SN_ROTATES | SN_NEEDS_ROT, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {0},
};

static const sn_option options[] = {
    {"follower", "no|yes", "the force turns with the nodes", 0},
    {"torque_axes", "same|body|global", "axes of the torque: those of the force, or others", 0},
    {0},
};

static const sn_geometry geometry = {.shape = SN_SHAPE_LINE, .interpolation = SN_STRAIGHT};

const sn_element_class sn_element_line_load = {
    .name = "line_load",
    .doc = "force and torque per unit length between two spatial nodes: on the edge of a surface",
    .args =
        {.what = SN_ARG_NODE | SN_ARG_ELEMENT, .min = 2, .max = 2, .dim = 3, .ask = SN_POSITION | SN_FRAME},
    .slots = slots,
    .options = options,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
    .load = &(const sn_load){.slot = SN_LOAD_OF_NODES},
    .geometry = &geometry,
};
