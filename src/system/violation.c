/* How far a state is from its equations. */
#include "system/system.h"

#include <math.h>

double sn_system_violation(sn_work *w, const sn_state *x)
{
    const sn_model *m = w->m;
    double most = 0;
    for (int e = 0; e < m->joint.n; e++) {
        const sn_object *o = &m->joint.object[e];
        if (sn_system_one(w, x, 1, e, NULL)) return INFINITY;
        for (int k = 0; k < o->m; k++)
            if (!m->velocity[o->eq + k]) most = fmax(most, fabs(w->phi[k]) * w->scale[m->nv + o->eq + k]);
    }
    return most;
}
