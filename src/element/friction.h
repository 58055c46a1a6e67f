/* What friction2d and friction3d have in common: all but the coordinates, of relative2d.h or relative3d.h,
   which comes first. */
#ifndef SN_ELEMENT_FRICTION_H
#define SN_ELEMENT_FRICTION_H

#include "element/friction_law.h"
#include "element/relative_kind.h"

static const sn_relative_kind kind = {sn_relative_coordinate, sn_relative_dcoordinate, sn_friction_acts,
                                      sn_friction_law,        sn_friction_dlaw,        SN_RELATIVE_BASE};

static const sn_slot slots[] = {SN_RELATIVE_SLOTS, SN_FRICTION_SLOTS, {0}};
static const sn_option options[] = {SN_FRICTION_OPTIONS, {0}};

#endif
