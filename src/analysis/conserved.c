#include "analysis/conserved.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Powers that cannot change the energy by this share of the kinetic one in all of the run are rounding. */
static const double negligible = 1e-13;

static int energies_known(const sn_model *m)
{
    for (int i = 0; i < m->element.n; i++) {
        const sn_element_class *cls = m->element.object[i].cls;
        if (cls->flags & SN_USES_A && !cls->energy) return 0;
    }
    return 1;
}

/* What was seen so far, told. */
static void tell(const sn_conserved_watch *c, sn_context *d)
{
    sn_conserved *y = &d->info->conserved;
    const int dim = d->m->dim == 3 ? 3 : 2, moments = dim == 3 ? 3 : 1;
    double length = d->o->end - d->o->begin;
    const sn_object *feeder = c->feeder ? c->feeder : c->idle_power ? c->waiting : NULL;
    if (c->feeder && c->most_power * length <= negligible * y->kinetic && !c->works) feeder = NULL;
    y->energy = !feeder;
    snprintf(y->feeder, sizeof y->feeder, "%s", feeder ? feeder->name : "");
    y->linear = c->idle_push ? 0 : ~c->pushed & ((1u << dim) - 1);
    y->angular = c->idle_push ? 0 : ~(c->pushed >> dim) & ((1u << moments) - 1);
    y->linear_drift = y->angular_drift = 0;
    for (int i = 0; i < dim; i++)
        if ((y->linear >> i) & 1) y->linear_drift = fmax(y->linear_drift, c->drift[i]);
    for (int i = 0; i < moments; i++)
        if ((y->angular >> i) & 1) y->angular_drift = fmax(y->angular_drift, c->drift[dim + i]);
}

static sn_status look(sn_conserved_watch *c, sn_context *d, const sn_state *x, sn_err *err)
{
    sn_conserved *y = &d->info->conserved;
    const int dim = d->m->dim == 3 ? 3 : 2, all = dim == 3 ? 6 : 3;
    sn_balance b;
    SN_TRY(sn_system_balance(d->w, x, &b, err));
    double energy = b.energy[0] + b.energy[1], p = 0, L = 0;
    if (!y->states) {
        c->energy = y->energy_start = energy;
        memcpy(c->momentum, b.momentum, sizeof c->momentum);
    }
    y->states++;
    y->energy_end = energy;
    y->energy_drift = fmax(y->energy_drift, fabs(energy - c->energy));
    y->kinetic = fmax(y->kinetic, b.energy[0]);
    for (int i = 0; i < all; i++) {
        c->drift[i] = fmax(c->drift[i], fabs(b.momentum[i] - c->momentum[i]));
        *(i < dim ? &p : &L) += b.momentum[i] * b.momentum[i];
    }
    y->linear_most = fmax(y->linear_most, sqrt(p));
    y->angular_most = fmax(y->angular_most, sqrt(L));
    c->pushed |= b.pushed;
    if (b.feeder && (!c->feeder || b.fed > c->most_power)) c->feeder = b.feeder;
    if (b.feeder && b.fed == 0) c->works = 1;
    c->most_power = fmax(c->most_power, b.fed);
    if (b.idle_power) c->waiting = b.idle_power;
    c->idle_power &= b.idle_power != NULL, c->idle_push &= b.idle_push != NULL;
    return SN_OK;
}

sn_status sn_conserved_begin(sn_conserved_watch *c, sn_context *d, sn_err *err)
{
    *c = (sn_conserved_watch){.idle_power = 1, .idle_push = 1};
    d->info->conserved = (sn_conserved){.dim = d->m->dim == 3 ? 3 : 2};
    c->next = INFINITY;
    if (!d->o->conserved || !energies_known(d->m)) return SN_OK;
    c->between = (d->o->end - d->o->begin) / SN_CONSERVED_STATES;
    c->next = d->x->t + c->between;
    SN_TRY(look(c, d, d->x, err));
    tell(c, d);
    return SN_OK;
}

sn_status sn_conserved_look(sn_conserved_watch *c, sn_context *d, const sn_state *x, int last, sn_err *err)
{
    const double t = x->t + 1e-9 * c->between;
    if (c->next == INFINITY || (!last && t < c->next)) return SN_OK;
    while (c->next <= t) c->next += c->between;
    SN_TRY(look(c, d, x, err));
    tell(c, d);
    return SN_OK;
}
