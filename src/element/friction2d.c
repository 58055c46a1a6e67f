/* friction2d: viscous and dry friction between two planar frames: along an axis fixed in body 1, and of
   their turning (relative2d.h, friction_law.h). The normal force is given; friction never sticks quite, it
   creeps. */
#include "element/relative2d.h"
#include "element/friction.h"

extern const sn_element_class sn_element_friction2d;

const sn_element_class sn_element_friction2d = {
    .name = "friction2d",
    .doc = "viscous and dry friction between two planar frames, in sliding along an axis and in rotation",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 2, .ask = SN_FRAME},
    .slots = slots,
    .options = options,
    .outputs = outputs,
    .flags = SN_USES_V,
    .layout = sn_relative_layout,
    .prepare = sn_relative_prepare,
    .eval = eval,
    .dparam = dparam,
    .output = output,
    .doutput = doutput,
    .fields = fields,
    .field = field,
};
