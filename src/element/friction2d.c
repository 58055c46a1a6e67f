/* friction2d: viscous and dry friction between two frames of the plane: along an axis fixed in body 1, and of
   their turning (relative2d.h, friction_law.h). The normal force is given; friction never sticks quite, it
   creeps. */
#include "element/relative2d.h"
#include "element/friction_law.h"
#include "element/section_forces.h"

extern const sn_element_class sn_element_friction2d;

enum { OUT_FORCE, OUT_FORCE_LOCAL };

static const sn_relative_kind kind = {sn_relative2_coordinate, sn_relative2_dcoordinate, sn_friction_acts,
                                      sn_friction_law,         sn_friction_dlaw,         SN_BASE2};

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
    return which == OUT_FORCE ? sn_relative2_force(in, eval, end, y, d)
                              : sn_relative_output(&kind, in, end, y, d);
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    return which == OUT_FORCE ? sn_relative2_dforce(in, dparam, end, index, dy)
                              : sn_relative_doutput(&kind, in, end, index, dy);
}

static const sn_slot slots[] = {SN_RELATIVE2_SLOTS, SN_FRICTION_SLOTS, {0}};
static const sn_option options[] = {SN_FRICTION_OPTIONS, {0}};
static const sn_output outputs[] = {SN_RELATIVE2_OUTPUT, SN_RELATIVE_OUTPUT, {0}};

static const sn_field_decl fields[] = {SN_FIELD_AXIAL, SN_FIELD_TORSION, {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    (void)section;
    return output(in, OUT_FORCE_LOCAL, 2, y, NULL);
}

const sn_element_class sn_element_friction2d = {
    .name = "friction2d",
    .doc = "viscous and dry friction between two frames of the plane, along an axis and in turning",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 2, .ask = SN_FRAME},
    .slots = slots,
    .options = options,
    .outputs = outputs,
    .flags = SN_USES_V,
    .layout = sn_relative2_layout,
    .prepare = sn_relative2_prepare,
    .eval = eval,
    .dparam = dparam,
    .output = output,
    .doutput = doutput,
    .fields = fields,
    .field = field,
};
