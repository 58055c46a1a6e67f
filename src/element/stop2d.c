/* stop2d: stops of the relative motion of two planar frames: of sliding along an axis fixed in body 1,
   and of turning (relative2d.h, stop_law.h). Both coordinates are 0 in the reference configuration. */
#include "element/relative2d.h"
#include "element/stop.h"

extern const sn_element_class sn_element_stop2d;

const sn_element_class sn_element_stop2d = {
    .name = "stop2d",
    .doc = "stops of the relative motion of two planar frames, along an axis and in turning",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 2, .ask = SN_FRAME},
    .slots = slots,
    .options = options,
    .outputs = outputs,
    .flags = SN_USES_V | SN_CONSERVATIVE,
    .layout = sn_relative_layout,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
    .output = output,
    .doutput = doutput,
    .energy = energy,
    .denergy = denergy,
    .geometry = &geometry,
    .fields = fields,
    .field = field,
};
