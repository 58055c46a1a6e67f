/* reaction: force and moment that a joint puts on one of its nodes, -B'lam in the node's coordinates. Those
   of a frame in space are a force in global and a moment in body axes; `axes` turns both into the same. */
#include "sinew/class.h"

extern const sn_sensor_class sn_sensor_reaction;

static const sn_slot slots[] = {{.name = NULL}};
static const sn_option options[] = {
    {"node", "#", "of the joint: 1, 2, ... (0: the last)", 0},
    {"axes", "node|global|body",
     "of force and moment; node: those of the node's coordinates, global but for moments in space", 0},
    {.name = NULL},
};

const sn_sensor_class sn_sensor_reaction = {
    .name = "reaction",
    .doc = "joint force and moment on one of its nodes",
    .args = {.what = SN_ARG_JOINT, .min = 1, .max = 1},
    .slots = slots,
    .options = options,
    .source = SN_FROM_REACTION,
};
