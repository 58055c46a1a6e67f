/* universal: a cross (Hooke's joint) between two spatial frames, one of its arms an axis of body 1, the
   other an axis of body 2. The arms keep the angle that they have in the reference configuration, a right one
   as a rule. */
#include "joint/space.h"

static const sn_slot slots[] = {SN_SPACE_AT,
                                SN_SPACE_AXIS("axis", "arm of the cross on body 1"),
                                SN_SPACE_AXIS("axis2", "arm of the cross on body 2"),
                                {.name = NULL}};

static const sn_space list = {
    .n = 4,
    .eq = {{SN_ALONG, 0, 0, "x", "m"},
           {SN_ALONG, 1, 0, "y", "m"},
           {SN_ALONG, 2, 0, "z", "m"},
           {SN_SQUARE, 2, 3, "arms", "rad"}},
    .at = 0,
    .axis = 3,
    .axis2 = 6,
};

SN_SPACE_KIND(universal, list, "cross between two spatial frames (Hooke's joint)", SN_FRAME, 0, "hinge");
