/* Numbers that are not finite: which one, of which object, when. */
#include "system/system.h"

#include <math.h>
#include <string.h>

static sn_status not_finite(const sn_work *w, int id, const char *which, double x, double t, sn_err *err)
{
    const sn_model *m = w->m;
    const char *what = isnan(x) ? "not a number" : "infinite";
    char name[256];
    if (id >= SN_VAR_SIGNAL) {
        const sn_object *o = &m->signal.object[id - SN_VAR_SIGNAL];
        return sn_fail(err, SN_ERR_NUMERIC, &o->mark, "signal '%s' is %s at t = %.6g", o->name, what, t);
    }
    return sn_fail(err, SN_ERR_NUMERIC, &m->quantity[id].mark, "%s'%s' is %s at t = %.6g", which,
                   sn_quantity_name(m, id, name, sizeof name), what, t);
}

/* Whether a number that is not finite gets to an element or a joint at all; sensors may do without. */
static int is_felt(const sn_work *w)
{
    const sn_family *family[] = {&w->m->element, &w->m->joint};
    for (int f = 0; f < 2; f++)
        for (int e = 0; e < family[f]->n; e++)
            for (int id = family[f]->object[e].s, end = id + family[f]->object[e].ns; id < end; id++)
                if (!isfinite(w->x[id])) return 1;
    for (int k = 0; k < 3; k++)
        if (!isfinite(w->x[w->m->gravity + k])) return 1;
    return 0;
}

sn_status sn_system_finite(const sn_work *w, double t, int rates, sn_err *err)
{
    const sn_model *m = w->m;
    /* in the order of their evaluation: the first one is the cause */
    for (int k = 0; k < m->n_varying; k++) {
        int id = m->varying[k], at = id >= SN_VAR_SIGNAL ? m->n_quantity + id - SN_VAR_SIGNAL : id;
        if (isfinite(w->x[at])) continue;
        if (is_felt(w)) return not_finite(w, id, "", w->x[at], t, err);
        break;
    }
    for (int e = 0; rates && m->n_varying && e < m->joint.n; e++) {
        const sn_object *o = &m->joint.object[e];
        for (int id = o->s; id < o->s + o->ns; id++) {
            if (!isfinite(w->xd[id])) return not_finite(w, id, "the time derivative of ", w->xd[id], t, err);
            if (!isfinite(w->xdd[id]))
                return not_finite(w, id, "the second time derivative of ", w->xdd[id], t, err);
        }
    }
    return SN_OK;
}

static int all_finite(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

sn_status sn_system_blame(sn_work *w, const sn_state *x, sn_err *err)
{
    const sn_model *m = w->m;
    const sn_family *family[] = {&m->element, &m->joint};
    static const char *const what[] = {"a force", "an equation or reaction"};
    SN_TRY(sn_system_finite(w, x->t, 0, err));
    if (!all_finite(m->nq, x->q) || !all_finite(m->nv, x->v) || !all_finite(m->nv, x->a)) return SN_OK;
    for (int f = 0; f < 2; f++)
        for (int e = 0; e < family[f]->n; e++) {
            const sn_object *o = &family[f]->object[e];
            SN_TRY(sn_system_one(w, x, f, e, err));
            if (all_finite(o->nv, w->r) && (!f || all_finite(o->m, w->phi))) continue;
            w->failed = o;
            return sn_fail(err, SN_ERR_NUMERIC, &o->mark, "%s of %s '%s' is not finite at t = %.6g", what[f],
                           *(const char *const *)o->cls, o->name, x->t);
        }
    return SN_OK;
}
