/* Channels as coordinates of nodes: see sensed.h. */
#include "identify/sensed.h"

int sn_sensed_of(const sn_model *m, int channel, sn_sensed *out)
{
    int i = 0;
    while (channel >= m->sensor.object[i].ny) channel -= m->sensor.object[i++].ny;
    const sn_object *o = &m->sensor.object[i];
    const sn_sensor_class *cls = o->cls;
    if (!cls->measures || o->nn != 1 || m->node[o->node[0]].ground) return 0;
    const sn_node_class *n = m->node[o->node[0]].cls;
    *out = (sn_sensed){.sensor = o,
                       .node = o->node[0],
                       .coordinate = channel + (cls->measures == SN_MEASURES_ROTATIONS ? n->dim : 0),
                       .rate = cls->rate,
                       .from_reference = cls->measures == SN_MEASURES_DISPLACEMENTS};
    return out->coordinate < (n->retract ? n->turn : n->nv);
}
