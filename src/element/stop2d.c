/* stop2d: stops of the relative motion of two frames of the plane: of sliding along an axis fixed in body 1,
   and of turning (relative2d.h, stop_law.h). Both coordinates are 0 in the reference configuration. */
#include "element/relative2d.h"
#include "element/stop_law.h"
#include "element/section_forces.h"

extern const sn_element_class sn_element_stop2d;

enum { OUT_FORCE, OUT_FORCE_LOCAL };

static const sn_relative_kind kind = {
    sn_relative2_coordinate, sn_relative2_dcoordinate, sn_stop_acts, sn_stop_law, sn_stop_dlaw, SN_BASE2};

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

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    SN_TRY(sn_stop_limits(in->s + SN_BASE2, in->opt, err));
    return sn_relative2_prepare(in, c, err);
}

static void energy(const sn_in *in, double *e, sn_dout *de) { sn_stop_energy(&kind, in, e, de); }

static void denergy(const sn_in *in, int index, double *de) { sn_stop_denergy(&kind, in, index, de); }

static const sn_slot slots[] = {SN_RELATIVE2_SLOTS, SN_STOP_SLOTS, {0}};
static const sn_option options[] = {SN_STOP_OPTIONS, {0}};
static const sn_output outputs[] = {SN_RELATIVE2_OUTPUT, SN_RELATIVE_OUTPUT, {0}};

static const sn_geometry geometry = {SN_SHAPE_LINE, SN_STRAIGHT, "stop", 0, NULL};

static const sn_field_decl fields[] = {SN_FIELD_AXIAL, SN_FIELD_TORSION, {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    (void)section;
    return output(in, OUT_FORCE_LOCAL, 2, y, NULL);
}

const sn_element_class sn_element_stop2d = {
    .name = "stop2d",
    .doc = "stops of the relative motion of two frames of the plane, along an axis and in turning",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 2, .ask = SN_FRAME},
    .slots = slots,
    .options = options,
    .outputs = outputs,
    .flags = SN_USES_V | SN_CONSERVATIVE,
    .layout = sn_relative2_layout,
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
