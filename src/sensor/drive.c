/* drive: the torque or force by which a joint of one equation does what it asks for, its multiplier with the
   sign changed: of a drive what it puts on its second node (coordinate) along the motion that it prescribes;
   of a rotation a torque, of a translation a force. Times the speed of that motion it is the drive's power.
 */
#include "sinew/class.h"

extern const sn_sensor_class sn_sensor_drive;

static const sn_slot slots[] = {{.name = NULL}};

const sn_sensor_class sn_sensor_drive = {
    .name = "drive",
    .doc = "torque or force of a drive, or of another joint of one equation",
    .args = {.what = SN_ARG_JOINT, .min = 1, .max = 1},
    .slots = slots,
    .source = SN_FROM_MULTIPLIER,
};
