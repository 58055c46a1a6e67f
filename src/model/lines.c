/* Lines of nodes that a joint goes along: between two nodes in a row of which it sees the direction there
   must be an element, or the line would be one that nothing lies on (a node left out, two exchanged). */
#include "model/compile.h"

static int joined(const sn_model *m, int a, int b)
{
    for (int k = 0; k < m->element.n; k++) {
        const sn_object *o = &m->element.object[k];
        int ends = 0;
        for (int i = 0; i < o->nn; i++) ends += o->node[i] == a || o->node[i] == b;
        if (ends == 2) return 1;
    }
    return 0;
}

sn_status sn_compile_lines(sn_compiler *c)
{
    const sn_model *m = c->m;
    for (int k = 0; k < m->joint.n; k++) {
        const sn_object *o = &m->joint.object[k];
        for (int i = 0; i + 1 < o->nn; i++) {
            const int a = o->node[i], b = o->node[i + 1];
            if (o->view[i] != SN_DIRECTOR || o->view[i + 1] != SN_DIRECTOR || joined(m, a, b)) continue;
            sn_fail(
                c->err, SN_ERR_INPUT, &o->mark,
                "'%s' goes along a line, but no element joins '%s' and '%s': name all nodes of the line, in "
                "their order",
                o->name, m->node[a].name, m->node[b].name);
            break;
        }
    }
    return SN_OK;
}
