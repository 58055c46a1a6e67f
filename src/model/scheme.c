/* Schemes of time integration by name, their settings, and what an integrator must have to be taken. */
#include "model/scheme.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const sn_scheme *sn_scheme_get(int i)
{
    for (const sn_integrator_class *const *k = sn_integrator_all(); *k; k++)
        for (const sn_scheme *s = (*k)->schemes; s->name; s++)
            if (i-- == 0) return s;
    return NULL;
}

const sn_integrator_class *sn_scheme_find(const char *name, const sn_scheme **s)
{
    for (const sn_integrator_class *const *k = sn_integrator_all(); name && *k; k++)
        for (*s = (*k)->schemes; (*s)->name; (*s)++)
            if (!strcmp((*s)->name, name)) return *k;
    return NULL;
}

const char *sn_scheme_name(int i, const char **doc)
{
    const sn_scheme *s = sn_scheme_get(i);
    if (s && doc) *doc = s->doc;
    return s ? s->name : NULL;
}

const sn_slot *sn_scheme_slots(int i)
{
    const sn_scheme *s = sn_scheme_get(i);
    return s ? s->slots : NULL;
}

const sn_slot *sn_scheme_slot(const sn_scheme *s, const char *name)
{
    for (const sn_slot *k = s->slots; k && k->name; k++)
        if (!strcmp(k->name, name)) return k;
    return NULL;
}

sn_status sn_scheme_no_setting(const sn_scheme *s, const char *name, const sn_mark *where, sn_err *err)
{
    char all[200] = "";
    for (const sn_slot *k = s->slots; k && k->name; k++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s'%s'", all[0] ? ", " : "", k->name);
    return sn_fail(err, SN_ERR_INPUT, where, "scheme '%s' has no setting '%s': it has %s", s->name, name,
                   all[0] ? all : "none");
}

/* ---- of a run ---- */

static const sn_scheme_setting *given(const sn_run_options *o, const char *name)
{
    for (int i = o->n_setting - 1; i >= 0; i--) /* the last one counts */
        if (!strcmp(o->setting[i].name, name)) return &o->setting[i];
    return NULL;
}

static sn_status in_range(const sn_scheme *s, const sn_slot *k, double x, sn_err *err)
{
    if (isfinite(x) && x >= k->lo && x <= k->hi && !((k->flags & SN_POSITIVE) && !(x > 0))) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, NULL, "'%s' of scheme '%s' must be between %g and %g, but is %g",
                   k->name, s->name, k->lo, k->hi, x);
}

sn_status sn_scheme_settings(const sn_scheme *s, const sn_values *p, const sn_run_options *o, double *out,
                             sn_err *err)
{
    const sn_run_entry *r = &p->model->run;
    for (int i = 0; i < o->n_setting; i++)
        if (!sn_scheme_slot(s, o->setting[i].name))
            return sn_scheme_no_setting(s, o->setting[i].name, NULL, err);
    for (int i = 0; i < r->n_setting; i++)
        if (p->fixed[r->setting[i].id] && !sn_scheme_slot(s, r->setting[i].name))
            return sn_scheme_no_setting(s, r->setting[i].name, NULL, err);
    for (const sn_slot *k = s->slots; k && k->name; k++, out++) {
        const sn_scheme_setting *own = given(o, k->name);
        *out = k->def;
        for (int i = 0; i < r->n_setting; i++) {
            const sn_run_setting *x = &r->setting[i];
            if (!strcmp(x->name, k->name) && (x->given || p->fixed[x->id])) *out = p->x[x->id];
        }
        if (own) *out = own->value;
        SN_TRY(in_range(s, k, *out, err));
    }
    return SN_OK;
}

/* ---- of an integrator that is to be added ---- */

static sn_status check_slot(const sn_scheme *s, const sn_slot *k, sn_err *err)
{
    if (k->n != 1 || k->flags & ~(unsigned)SN_POSITIVE || k->formula || !k->unit || !k->doc)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "scheme '%s': '%s' must be one number that does not vary, with a unit and a text",
                       s->name, k->name);
    SN_TRY(in_range(s, k, k->def, err));
    if (sn_is_run_key(k->name))
        return sn_fail(err, SN_ERR_INPUT, NULL, "scheme '%s': '%s' is a key of every run", s->name, k->name);
    const sn_scheme *other;
    for (int i = 0; (other = sn_scheme_get(i)); i++) {
        const sn_slot *same = sn_scheme_slot(other, k->name);
        if (same && strcmp(same->unit, k->unit) != 0)
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "scheme '%s': '%s' is in %s, but that of scheme '%s' in %s", s->name, k->name,
                           k->unit, other->name, same->unit);
    }
    return SN_OK;
}

static sn_status check_scheme(const sn_integrator_class *own, const sn_scheme *s, sn_err *err)
{
    const sn_scheme *other;
    const sn_integrator_class *has = sn_scheme_find(s->name, &other);
    int n = 0;
    if (has && has != own) return sn_fail(err, SN_ERR_INPUT, NULL, "there is a scheme '%s' already", s->name);
    for (const sn_slot *k = s->slots; k && k->name; k++, n++) SN_TRY(check_slot(s, k, err));
    if (n > SN_SETTINGS)
        return sn_fail(err, SN_ERR_INPUT, NULL, "scheme '%s': %d settings are too many, %d at most", s->name,
                       n, SN_SETTINGS);
    return s->doc ? SN_OK : sn_fail(err, SN_ERR_INPUT, NULL, "scheme '%s' has no text", s->name);
}

sn_status sn_integrator_check(const sn_integrator_class *k, sn_err *err)
{
    if (!k->name || !k->name[0]) return sn_fail(err, SN_ERR_INPUT, NULL, "an integrator has no name");
    const char *lacks = !k->doc                            ? "text"
                        : !k->schemes || !k->schemes->name ? "schemes"
                        : !k->open                         ? "open"
                        : !k->step                         ? "step"
                        : !k->close                        ? "close"
                        : k->history < 0                   ? "valid history"
                        : k->error && k->order < 1         ? "order of its error"
                        : (k->step_forward || k->step_adjoint) && k->begin && !k->begin_forward
                            ? "begin_forward, the derivative of begin"
                            : NULL;
    if (lacks) return sn_fail(err, SN_ERR_INPUT, NULL, "integrator '%s' has no %s", k->name, lacks);
    for (const sn_scheme *s = k->schemes; s->name; s++) SN_TRY(check_scheme(k, s, err));
    return SN_OK;
}
