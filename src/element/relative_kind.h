/* The functions of a kind that acts on both relative coordinates and has the outputs `force` and
   `force_local`. Before it comes relative2d.h or relative3d.h, which call the same things by the same names.
 */
#ifndef SN_ELEMENT_RELATIVE_KIND_H
#define SN_ELEMENT_RELATIVE_KIND_H

#include "element/relative.h"
#include "element/section_forces.h"

enum { OUT_FORCE, OUT_FORCE_LOCAL };

static const sn_relative_kind kind; /* the kind's own, see below where this is included */

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
    return which == OUT_FORCE ? sn_relative_force(in, eval, end, y, d)
                              : sn_relative_output(&kind, in, end, y, d);
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    return which == OUT_FORCE ? sn_relative_dforce(in, dparam, end, index, dy)
                              : sn_relative_doutput(&kind, in, end, index, dy);
}

static const sn_output outputs[] = {SN_RELATIVE_FORCE, SN_RELATIVE_OUTPUT, {0}};

static const sn_field_decl fields[] = {SN_FIELD_AXIAL, SN_FIELD_TORSION, {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    (void)section;
    return output(in, OUT_FORCE_LOCAL, 2, y, NULL);
}

#endif
