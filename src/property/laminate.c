/* laminate: the section of a shell made of plies, from the bottom, the side that the normal leaves. Several
   shells may share it. */
#include "model/plies.h"

extern const sn_property_class sn_property_laminate;

static const sn_slot slots[] = {SN_PLY_SLOTS, {.name = NULL}};

const sn_property_class sn_property_laminate = {
    .name = "laminate",
    .doc = "plies of a shell",
    .section = 1,
    .slots = slots,
};
