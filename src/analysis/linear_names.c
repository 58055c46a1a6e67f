/* Inputs and outputs of a linear system by their names; names and units of states. */
#include "analysis/linear_system.h"

#include "model/item.h"
#include "model/unit.h"

#include <stdio.h>
#include <string.h>

/* ---- names ---- */

/* The unit of a rate: "m" "m/s" "m/s^2". */
static const char *unit_of_rate(sn_arena *arena, const char *unit, int order)
{
    size_t n = strlen(unit);
    int have = n >= 2 && !strcmp(unit + n - 2, "/s") ? 1 : n >= 4 && !strcmp(unit + n - 4, "/s^2") ? 2 : 0;
    if (!order) return unit;
    int power = order + have, keep = (int)n - (have == 1 ? 2 : have == 2 ? 4 : 0);
    if (power == 1) return sn_arena_printf(arena, "%.*s/s", keep ? keep : 1, keep ? unit : "1");
    return sn_arena_printf(arena, "%.*s/s^%d", keep ? keep : 1, keep ? unit : "1", power);
}

sn_named sn_named_rate(sn_arena *arena, sn_named of, int order)
{
    static const char *const mark[] = {"", "'", "''"};
    if (!of.name) return of;
    const sn_named rate = {sn_arena_printf(arena, "%s%s", of.name, mark[order]),
                           unit_of_rate(arena, of.unit, order)};
    return rate.name && rate.unit ? rate : (sn_named){NULL, NULL};
}

sn_named sn_named_coordinate(sn_arena *arena, const sn_model *m, int i)
{
    char text[200];
    const sn_node *n = &m->node[m->node_of[i]];
    sn_coord_name(m, i, text, sizeof text);
    return (sn_named){sn_arena_strndup(arena, text, strlen(text)), n->unit[i - n->v]};
}

/* ---- inputs ---- */

/* The unit of a number: that of its slot, or of its dimension. */
static const char *unit_of_number(sn_arena *arena, const sn_model *m, int id)
{
    const sn_quantity *q = &m->quantity[id];
    char text[64];
    if (q->slot && q->slot->unit && q->slot->unit[0]) return q->slot->unit;
    if (q->dim.known != 1 || (!q->dim.dim.m && !q->dim.dim.kg && !q->dim.dim.s)) return "";
    sn_dim_text(q->dim.dim, text, sizeof text);
    return sn_arena_strndup(arena, text, strlen(text));
}

/* Signals have no unit of their own: that of a number which is this signal and nothing else. */
static const char *unit_of_signal(sn_arena *arena, const sn_model *m, int signal)
{
    for (int i = 0; i < m->n_quantity; i++) {
        const sn_expr *e = m->quantity[i].expr;
        double x = 1, g = 0;
        if (!e || sn_expr_nvar(e) != 1 || sn_expr_var(e, 0) != SN_VAR_SIGNAL + signal) continue;
        sn_expr_gradient(e, &x, &g);
        if (g == 1) return unit_of_number(arena, m, i);
    }
    return "";
}

typedef struct candidates {
    const sn_model *m;
} candidates;

static const char *candidate(int i, const void *ctx)
{
    const sn_model *m = ((const candidates *)ctx)->m;
    return i < m->signal.n ? m->signal.object[i].name : sn_parameter_name(m, i - m->signal.n);
}

static sn_status unknown(const sn_model *m, const char *name, sn_err *err)
{
    const candidates all = {m};
    const char *near = sn_nearest(name, m->signal.n + sn_parameter_count(m), candidate, &all);
    return sn_fail(err, SN_ERR_INPUT, NULL, "the model has no signal and no number '%s'%s%s%s", name,
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static sn_status by_name(sn_linear_work *k, const char *name, sn_linear_input *out, sn_err *err)
{
    const sn_model *m = k->p->d->m;
    for (int i = 0; i < m->signal.n; i++)
        if (!strcmp(m->signal.object[i].name, name)) {
            *out = (sn_linear_input){{name, unit_of_signal(k->arena, m, i)}, SN_VAR_SIGNAL + i, 0};
            return out->as.unit ? SN_OK : SN_OUT_OF_MEM(err);
        }
    int id = sn_quantity_find(m, name);
    if (id < 0) return unknown(m, name, err);
    SN_TRY(sn_structure_refuse(m, id, name, NULL, err));
    if (id >= m->run.first && id < m->run.first + m->run.n)
        return sn_fail(err, SN_ERR_INPUT, NULL, "'%s' is no number of the model but of its computation",
                       name);
    *out = (sn_linear_input){{name, unit_of_number(k->arena, m, id)}, id, 0};
    return out->as.unit ? SN_OK : SN_OUT_OF_MEM(err);
}

sn_status sn_linear_inputs(sn_linear_work *k, sn_err *err)
{
    const sn_model *m = k->p->d->m;
    const int given = k->o->n_input, programs = sn_input_count(m);
    k->input = sn_arena_alloc(k->arena, (size_t)(given + m->signal.n) + 1, sizeof *k->input);
    if (!k->input) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < given; i++) {
        SN_TRY(by_name(k, k->o->input[i], &k->input[k->n_input++], err));
        for (int j = 0; j < i; j++)
            if (k->input[j].id == k->input[i].id)
                return sn_fail(err, SN_ERR_INPUT, NULL, "inputs '%s' and '%s' are the same number",
                               k->o->input[j], k->o->input[i]);
    }
    for (int i = 0; !given && i < m->signal.n; i++) {
        const sn_object *o = &m->signal.object[i];
        if (programs && !((const sn_signal_class *)o->cls)->given) continue;
        SN_TRY(by_name(k, o->name, &k->input[k->n_input++], err));
    }
    return SN_OK;
}

/* ---- outputs ---- */

static sn_status add_output(sn_linear_work *k, int channel, sn_err *err)
{
    const sn_channel c = sn_channel_get(k->p->d->m, channel);
    for (int i = 0; i < k->n_output; i++)
        if (k->channel[i] == channel)
            return sn_fail(err, SN_ERR_INPUT, NULL, "the output '%s.%s' is asked for twice", c.sensor,
                           c.component);
    const char *name = *c.component ? sn_arena_printf(k->arena, "%s.%s", c.sensor, c.component) : c.sensor;
    if (!name) return SN_OUT_OF_MEM(err);
    k->output[k->n_output] = (sn_named){name, c.unit ? c.unit : ""};
    k->channel[k->n_output++] = channel;
    return SN_OK;
}

/* A sensor with all of its channels, or one channel. */
static sn_status outputs_named(sn_linear_work *k, const char *name, sn_err *err)
{
    const sn_model *m = k->p->d->m;
    int at = 0, channel;
    for (int i = 0; i < m->sensor.n; at += m->sensor.object[i++].ny) {
        if (strcmp(m->sensor.object[i].name, name) != 0) continue;
        for (int c = 0; c < m->sensor.object[i].ny; c++) SN_TRY(add_output(k, at + c, err));
        return SN_OK;
    }
    SN_TRY(sn_channel_find(m, name, &channel, err));
    return add_output(k, channel, err);
}

sn_status sn_linear_outputs(sn_linear_work *k, sn_err *err)
{
    const int all = sn_channel_count(k->p->d->m);
    k->output = sn_arena_alloc(k->arena, (size_t)all + 1, sizeof *k->output);
    k->channel = sn_arena_alloc(k->arena, (size_t)all + 1, sizeof *k->channel);
    if (!k->output || !k->channel) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < k->o->n_output; i++) SN_TRY(outputs_named(k, k->o->output[i], err));
    for (int i = 0; !k->o->n_output && i < all; i++) SN_TRY(add_output(k, i, err));
    return SN_OK;
}
