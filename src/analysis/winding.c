/* Angles that are led to where drives prescribe them.

   An equation that is the sine of what an angle lacks, phi = sin(turn - angle), is met each half turn, and
   Newton's iteration from afar ends at any of these places. So the prescribed angle begins where the
   positions have it and grows in steps to its value. Where it begins follows from the equation itself:

       turn = atan2(phi(angle = 0), phi(angle = -pi/2)) */
#include "analysis/analysis.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Whether a slot of joint o is such an angle. */
static int winds(const sn_model *m, const sn_object *o, int slot)
{
    const sn_slot *s = m->quantity[o->s + slot].slot;
    return s && (s->flags & SN_WINDS);
}

/* phi of equation eq with quantity id at x. */
static sn_status phi_at(sn_context *d, int eq, int id, double x, double *phi, sn_err *err)
{
    double keep = d->w->x[id];
    d->w->x[id] = x;
    sn_status s = sn_system_eval(d->w, d->x, NULL, err);
    d->w->x[id] = keep;
    *phi = d->w->f[d->m->nv + eq];
    return s;
}

sn_status sn_winding_new(sn_context *d, int nearest, sn_winding *w, sn_err *err)
{
    const sn_model *m = d->m;
    int n = 0;
    *w = (sn_winding){.n = 0};
    for (int i = 0; i < m->joint.n; i++)
        for (int k = 0; k < m->joint.object[i].ns; k++) n += winds(m, &m->joint.object[i], k);
    if (!n) return SN_OK;
    sn_status s = SN_NEW(w->id, n) && SN_NEW(w->from, n) && SN_NEW(w->to, n) ? SN_OK : SN_OUT_OF_MEM(err);
    for (int i = 0; i < m->joint.n && !s; i++) {
        const sn_object *o = &m->joint.object[i];
        for (int k = 0; k < o->ns && !s; k++) {
            int id = o->s + k;
            double sine, cosine;
            if (!winds(m, o, k) || d->w->dropped[o->eq]) continue;
            s = phi_at(d, o->eq, id, 0, &sine, err);
            if (!s) s = phi_at(d, o->eq, id, -pi / 2, &cosine, err);
            if (s || !(hypot(sine, cosine) > 1e-6)) continue; /* the axes are square: no angle */
            double to = d->w->x[id], from = atan2(sine, cosine);
            if (nearest) from = to + remainder(from - to, 2 * pi);
            w->id[w->n] = id, w->from[w->n] = from, w->to[w->n++] = to;
            w->most = fmax(w->most, fabs(to - from));
        }
    }
    if (s) sn_winding_free(w);
    return s;
}

void sn_winding_set(const sn_winding *w, sn_context *d, double s)
{
    for (int i = 0; i < w->n; i++)
        d->w->x[w->id[i]] = s < 1 ? w->from[i] + s * (w->to[i] - w->from[i]) : w->to[i];
}

void sn_winding_free(sn_winding *w)
{
    sn_free(w->id), sn_free(w->from), sn_free(w->to);
    *w = (sn_winding){.n = 0};
}
