/* Channels as coordinates of nodes: see sensed.h. */
#include "identify/sensed.h"

int sn_sensed_of(const sn_model *m, int channel, sn_sensed *out)
{
    int i = 0;
    while (channel >= m->sensor.object[i].ny) channel -= m->sensor.object[i++].ny;
    const sn_object *o = &m->sensor.object[i];
    const sn_sensor_class *cls = o->cls;
    if (!cls->measures || o->nn != 1 || m->node[o->node[0]].ground) return 0;
    const sn_node *n = &m->node[o->node[0]];
    int at = o->coord[0] >= 0                         ? o->coord[0]
             : cls->measures == SN_MEASURES_ROTATIONS ? channel + o->place[0].R_v
                                                      : channel;
    *out = (sn_sensed){.sensor = o,
                       .node = o->node[0],
                       .coordinate = o->vi[0] - n->v + at,
                       .at = at,
                       .rate = cls->rate,
                       .from_reference = cls->measures == SN_MEASURES_DISPLACEMENTS};
    return out->coordinate < (n->cls->retract ? n->cls->turn : n->nv);
}
