/* What a channel measures of a node, by the table of its sensor. */
#ifndef SN_IDENTIFY_SENSED_H
#define SN_IDENTIFY_SENSED_H

#include "model/model.h"

typedef struct sn_sensed {
    const sn_object *sensor;
    int node, coordinate; /* of the node's own */
    int at;               /* the coordinate in the sensor's own q and v */
    int rate;             /* 0, 1, 2: position, velocity, acceleration */
    int from_reference;   /* less the reference configuration */
} sn_sensed;

/* 0: it is no coordinate of a node that moves. A sensor with slots (an offset) measures a point fixed to it.
 */
int sn_sensed_of(const sn_model *m, int channel, sn_sensed *out);

#endif
