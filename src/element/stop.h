/* What stop2d and stop3d have in common: all but the coordinates, of relative2d.h or relative3d.h, which
   comes first. */
#ifndef SN_ELEMENT_STOP_H
#define SN_ELEMENT_STOP_H

#include "element/relative_kind.h"
#include "element/stop_law.h"

static const sn_relative_kind kind = {sn_relative_coordinate, sn_relative_dcoordinate,
                                      sn_stop_acts,           sn_stop_law,
                                      sn_stop_dlaw,           SN_RELATIVE_BASE};

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    SN_TRY(sn_stop_limits(in->s + SN_RELATIVE_BASE, in->opt, err));
    return sn_relative_prepare(in, c, err);
}

static void energy(const sn_in *in, double *e, sn_dout *de) { sn_stop_energy(&kind, in, e, de); }

static void denergy(const sn_in *in, int index, double *de) { sn_stop_denergy(&kind, in, index, de); }

static const sn_slot slots[] = {SN_RELATIVE_SLOTS, SN_STOP_SLOTS, {0}};
static const sn_option options[] = {SN_STOP_OPTIONS, {0}};

static const sn_geometry geometry = {SN_SHAPE_LINE, SN_STRAIGHT, "stop", 0, NULL};

#endif
