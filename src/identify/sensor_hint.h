/* Which further sensor would tell most of a history. */
#ifndef SN_IDENTIFY_SENSOR_HINT_H
#define SN_IDENTIFY_SENSOR_HINT_H

#include "identify/history.h"
#include "identify/fit.h"

enum { SN_HINT = 200 };

/* At z: the channel of the model's sensors, of those that the experiment does not measure, with which the
   history would be known best, by name; "": none of them would help, or it cannot be told. */
sn_status sn_sensor_hint(sn_fit *f, const double *z, const sn_history_part *p, char name[SN_HINT],
                         sn_err *err);

#endif
