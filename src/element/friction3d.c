/* friction3d: viscous and dry friction between two spatial frames: along an axis fixed in body 1, and about
   it (relative3d.h, friction_law.h). The normal force is given; friction never sticks quite, it creeps. */
#include "element/relative3d.h"
#include "element/friction.h"

extern const sn_element_class sn_element_friction3d;

const sn_element_class sn_element_friction3d = {
    .name = "friction3d",
    .doc = "viscous and dry friction between two spatial frames, along an axis and about it",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_FRAME},
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
