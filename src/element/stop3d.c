/* stop3d: stops of the relative motion of two spatial frames: of sliding along an axis fixed in body 1, and
   of turning about it (relative3d.h, stop_law.h). Both coordinates are 0 in the reference configuration; the
   angle must stay below pi. */
#include "element/relative3d.h"
#include "element/stop.h"

extern const sn_element_class sn_element_stop3d;

static int limit(const sn_in *in, sn_limit *l)
{
    return sn_stop_acts(in->s + SN_RELATIVE_BASE, SN_TURN) && sn_relative_limit(in, l);
}

const sn_element_class sn_element_stop3d = {
    .name = "stop3d",
    .doc = "stops of the relative motion of two spatial frames, along an axis and about it",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_FRAME},
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
    .limit = limit,
};
