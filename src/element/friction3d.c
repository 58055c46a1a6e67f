/* friction3d: viscous and dry friction between two frames of space: along an axis fixed in body 1, and about
   it (relative3d.h, friction_law.h). The normal force is given; friction never sticks quite, it creeps. */
#include "element/relative3d.h"
#include "element/friction_law.h"
#include "element/section_forces.h"

extern const sn_element_class sn_element_friction3d;

enum { OUT_FORCE, OUT_FORCE_LOCAL };

static const sn_relative_kind kind = {sn_relative3_coordinate, sn_relative3_dcoordinate, sn_friction_acts,
                                      sn_friction_law,         sn_friction_dlaw,         SN_BASE3};

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)M;
    return sn_relative_eval(&kind, in, r, K, C);
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    return sn_relative_dparam(&kind, in, index, dr);
}

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    return which == OUT_FORCE ? sn_end3_force(in, eval, end, y, d) : sn_relative_output(&kind, in, end, y, d);
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    return which == OUT_FORCE ? sn_end3_dforce(in, dparam, end, index, dy)
                              : sn_relative_doutput(&kind, in, end, index, dy);
}

static const sn_slot slots[] = {SN_RELATIVE3_SLOTS, SN_FRICTION_SLOTS, {0}};
static const sn_option options[] = {SN_FRICTION_OPTIONS, {0}};
static const sn_output outputs[] = {SN_END3_OUTPUT, SN_RELATIVE_OUTPUT, {0}};

static const sn_field_decl fields[] = {SN_FIELD_AXIAL, SN_FIELD_TORSION, {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    (void)section;
    return output(in, OUT_FORCE_LOCAL, 2, y, NULL);
}

const sn_element_class sn_element_friction3d = {
    .name = "friction3d",
    .doc = "viscous and dry friction between two frames of space, along an axis and about it",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .options = options,
    .outputs = outputs,
    .flags = SN_USES_V,
    .layout = sn_relative3_layout,
    .prepare = sn_relative3_prepare,
    .eval = eval,
    .dparam = dparam,
    .output = output,
    .doutput = doutput,
    .fields = fields,
    .field = field,
};
