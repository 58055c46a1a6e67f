/* ply_stress: stresses in one ply of a shell, along and across its fibres, at its bottom, middle and top, and
   Tsai and Hill's index of failure. */
#include "sinew/class.h"

extern const sn_sensor_class sn_sensor_ply_stress;

static const sn_slot slots[] = {{.name = NULL}};
static const sn_option options[] = {
    {"ply", "@item", "which one, from 1 at the bottom", 0},
    {"end", "#", "at which node of the element (0: in the middle)", 0},
    {"piece", "#", "of a meshed element: which one, from 1 (0: the one at that end)", 0},
    {.name = NULL},
};

const sn_sensor_class sn_sensor_ply_stress = {
    .name = "ply_stress",
    .doc = "stresses in a ply of a shell, and its failure index",
    .args = {.what = SN_ARG_ELEMENT, .min = 1, .max = 1},
    .slots = slots,
    .options = options,
    .source = SN_FROM_ELEMENT,
    .output = "plies.stress",
};
